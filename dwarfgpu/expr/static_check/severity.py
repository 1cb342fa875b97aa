"""How bad a finding is, and how the checker reports one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The worst first."""
Report: TypeAlias = Callable[[Severity, str, str], None]
"""Called with the severity, the name of the rule (docs/check.md), and the message."""
