"""How bad a finding is, and how the checker reports one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Final, Literal, TypeAlias

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The worst first."""
Report: TypeAlias = Callable[[Severity, str, str], None]
"""Called with the severity, the name of the rule (docs/check.md), and the message."""
Reported: TypeAlias = tuple[Severity, str, str]
"""The severity, the name of the rule, and the message."""
_SUFFIX: Final = ", on some paths"


def on_some_paths(paths: list[list[Reported]]) -> list[Reported]:
    """Return what is to be reported of an operation, from its reports on each path: the worst of
    each rule. An error is certain only where every path has one."""
    worst: dict[str, Reported] = {}
    for report in sorted(chain(*paths), key=lambda report: SEVERITIES.index(report[0])):
        worst.setdefault(report[1], report)
    is_certain = all(any(severity == "error" for severity, _, _ in path) for path in paths)
    out: list[Reported] = []
    for severity, rule, message in worst.values():
        if severity == "error" and is_certain:
            out.append((severity, rule, message))
        elif severity != "note":
            out.append(("warning", rule, f"{message.removesuffix(_SUFFIX)}{_SUFFIX}"))
    return out
