"""The findings as a SARIF 2.1.0 log (OASIS, Static Analysis Results Interchange Format)."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import quote

from dwarfgpu import __version__
from dwarfgpu.cli.check_file import excerpt_lines, place_text
from dwarfgpu.verify.file import Verdict
from dwarfgpu.verify.finding import Finding
from dwarfgpu.verify.rules import RULES, Rule
from dwarfgpu.view.plain import Plain, Record

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT: Final = "dwarfgpu/v1"


def sarif(verdict: Verdict, is_new: list[bool], *, has_baseline: bool) -> Record:
    """One run with a result for each finding; with a baseline, each says whether it is new."""
    indices = {name: index for index, name in enumerate(RULES)}
    results: list[Plain] = [
        _result(verdict.path, each, indices[each.rule], new if has_baseline else None)
        for each, new in zip(verdict.findings.kept, is_new, strict=True)
    ]
    notifications: list[Plain] = [
        {"level": "note", "message": {"text": f"not checked: {why}"}}
        for why in verdict.findings.skipped
    ]
    return _log(verdict.path, results, notifications, is_successful=True)


def sarif_of_failure(path: str, why: str) -> Record:
    """The log of a file of which nothing can be read."""
    return _log(path, [], [{"level": "error", "message": {"text": why}}], is_successful=False)


def _log(
    path: str, results: list[Plain], notifications: list[Plain], *, is_successful: bool
) -> Record:
    rules: list[Plain] = [_rule(each) for each in RULES.values()]
    driver: Record = {"name": "dwarfgpu", "version": __version__, "rules": rules}
    invocation: Record = {
        "executionSuccessful": is_successful,
        "toolExecutionNotifications": notifications,
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [invocation],
                "artifacts": [{"location": {"uri": _uri(path)}}],
                "results": results,
            }
        ],
    }


def _rule(rule: Rule) -> Record:
    out: Record = {
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"section": rule.section},
    }
    if rule.advice is not None:
        out["help"] = {"text": rule.advice}
    return out


def _result(path: str, finding: Finding, index: int, is_new: bool | None) -> Record:
    place = finding.place
    text = f"{finding.message} ({finding.section})"
    if finding.excerpt is not None:
        text = "\n".join([text, *excerpt_lines(finding.excerpt)])
    names = [name for name in (place.unit, place.function, place.name) if name is not None]
    logical: Record = {
        "fullyQualifiedName": f"{place.section}+{place.offset:#x}",
        "kind": place.kind,
    }
    if names:
        logical["name"] = names[-1]
        logical["decoratedName"] = "::".join(names)
    result: Record = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(path), "index": 0}},
                "logicalLocations": [logical],
                "message": {"text": place_text(place)},
            }
        ],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
    }
    if is_new is not None:
        result["baselineState"] = "new" if is_new else "unchanged"
    return result


def _uri(path: str) -> str:
    """A relative reference, or a file URI for an absolute path."""
    name = Path(path)
    if name.is_absolute():
        return f"file://{quote(str(name), errors='replace')}"
    return quote(path, errors="replace")
