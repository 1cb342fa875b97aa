"""The findings as a SARIF 2.1.0 log (OASIS, Static Analysis Results Interchange Format).

A result is located in the source text where that is known (3.27.12), since that is what people
change; the file that was checked is its `analysisTarget` (3.27.13).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from dwarfgpu import __version__
from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.check.finding import Finding
from dwarfgpu.check.rules import RULES, Rule
from dwarfgpu.service.check.checked_file import Report
from dwarfgpu.service.check.report import excerpt_lines, position_text
from dwarfgpu.view.json_object import JsonObject, Plain, StreamedObject

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT: Final = "dwarfgpu/v1"


def sarif(reports: Sequence[Report], *, has_baseline: bool) -> StreamedObject:
    """Return one run with a result for each finding; with a baseline, each result says whether it
    is new."""
    notifications: list[Plain] = []
    for number, report in enumerate(reports):
        if report.error is not None:
            notifications.append(_notification("error", str(report.error), report.path, number))
        if report.verdict is None:
            continue
        for why in report.verdict.findings.times:
            notifications.append(_notification("note", f"not checked: {why}", report.path, number))
    invocation: JsonObject = {
        "executionSuccessful": not any(report.is_incomplete for report in reports),
        "toolExecutionNotifications": notifications,
    }
    rules: list[Plain] = [_rule(rule) for rule in RULES.values()]
    driver: JsonObject = {"name": "dwarfgpu", "version": __version__, "rules": rules}
    artifacts: list[Plain] = [{"location": {"uri": uri(report.path)}} for report in reports]
    run: StreamedObject = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "artifacts": artifacts,
        "results": _results(reports, has_baseline=has_baseline),
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": iter([run])}


def _results(reports: Sequence[Report], *, has_baseline: bool) -> Iterator[JsonObject]:
    """Yield a result for each finding as it is written: many may share one long name."""
    indices = {name: index for index, name in enumerate(RULES)}
    for number, report in enumerate(reports):
        if report.verdict is None:
            continue
        for finding, new in zip(report.verdict.findings.kept, report.is_new, strict=True):
            result = _result(report.path, number, finding, indices[finding.rule])
            if has_baseline:
                result["baselineState"] = "new" if new else "unchanged"
            yield result


def _notification(level: str, text: str, path: str, number: int) -> JsonObject:
    where: JsonObject = {"physicalLocation": {"artifactLocation": _artifact(path, number)}}
    return {"level": level, "message": {"text": text}, "locations": [where]}


def _artifact(path: str, number: int) -> JsonObject:
    return {"uri": uri(path), "index": number}


def _rule(rule: Rule) -> JsonObject:
    out: JsonObject = {
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"section": rule.section},
    }
    if rule.advice is not None:
        out["help"] = {"text": rule.advice}
    return out


def _result(path: str, number: int, finding: Finding, index: int) -> JsonObject:
    position = finding.position
    text = f"{finding.message} ({finding.section})"
    if finding.excerpt is not None:
        text = "\n".join([text, *excerpt_lines(finding.excerpt)])
    names = [name for name in (position.unit, position.function, position.name) if name is not None]
    logical: JsonObject = {
        "fullyQualifiedName": f"{position.section}+{position.offset:#x}",
        "kind": position.kind,
    }
    if names:
        logical["name"] = names[-1]
        logical["decoratedName"] = "::".join(names)
    checked: JsonObject = _artifact(path, number)
    physical: JsonObject = {"artifactLocation": checked}
    if position.source is not None:
        physical = {"artifactLocation": {"uri": uri(position.source.file)}}
        if position.source.line is not None:
            physical["region"] = {"startLine": position.source.line}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": text},
        "analysisTarget": checked,
        "locations": [
            {
                "physicalLocation": physical,
                "logicalLocations": [logical],
                "message": {"text": position_text(position)},
            }
        ],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
    }


def uri(path: str) -> str:
    """Return a reference relative to the working folder for files in it, else a file URI; both
    without `..`, which readers of SARIF do not resolve. Without a working folder a relative path
    stays as it is."""
    name = Path(absolute_path(path))
    if name.is_absolute():
        try:
            name = name.relative_to(Path.cwd())
        except (OSError, ValueError):  # outside of the working folder, or that is gone
            return f"file://{quote(str(name), errors='surrogateescape')}"
    return quote(str(name), errors="surrogateescape")
