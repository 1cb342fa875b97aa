"""Report the findings of `dwarfgpu check FILE` for people, for programs and for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from dwarfgpu.check.file import Verdict
from dwarfgpu.check.finding import Excerpt, Finding, FindingPosition
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import counted
from dwarfgpu.expr.static_check.severity import SEVERITIES
from dwarfgpu.view.json_object import JsonObject, StreamedObject, whole

FEW: Final = 3
"""Findings of one rule that are shown in full without --all."""
_WIDEST: Final = 100
"""Columns for an expression on one line."""


def report_lines(
    verdict: Verdict,
    is_new: list[bool],
    *,
    has_baseline: bool,
    notes: bool,
    everything: bool,
    is_one_of_many: bool = False,
    is_mangled: bool = False,
) -> Iterator[str]:
    """Yield the findings, the worst first, grouped by rule.

    `is_one_of_many`: a file without findings is one line.
    """
    kept_findings = verdict.findings.kept
    shown = [finding for finding, new in zip(kept_findings, is_new, strict=True) if new]
    is_quiet = not verdict.findings.skips and all(finding.severity == "note" for finding in shown)
    if is_one_of_many and is_quiet and not (notes and shown):
        *_, counts = _summary(verdict, is_new, has_baseline=has_baseline, notes=notes)
        yield f"{_checked(verdict)}: {counts}"
        return
    yield _checked(verdict)
    groups: dict[tuple[int, str], list[Finding]] = {}
    for finding in shown:
        if notes or finding.severity != "note":
            groups.setdefault((SEVERITIES.index(finding.severity), finding.rule), []).append(
                finding
            )
    explained: set[str] = set()
    for (_, rule), alike in sorted(groups.items(), key=lambda group: group[0][0]):
        most = len(alike) if everything else FEW
        for finding in alike[:most]:
            yield ""
            yield from finding_lines(finding, is_mangled=is_mangled)
            # A note says why that which is a mistake elsewhere is none here.
            is_mistake = finding.severity != "note" or RULES[rule].severity == "note"
            advice = RULES[rule].advice if is_mistake else None
            if advice is not None and rule not in explained:
                explained.add(rule)
                yield f"  help: {advice}"
        more = len(alike[most:]) + verdict.findings.hidden[alike[0].severity, rule]
        if more:
            yield f"  … {more} more of {rule}; --all shows them"
    yield ""
    yield from _summary(verdict, is_new, has_baseline=has_baseline, notes=notes)


def _checked(verdict: Verdict) -> str:
    parts = [
        counted(count, noun)
        for count, noun in (
            (verdict.units, "unit"),
            (verdict.expressions, "expression"),
            (verdict.fdes, "FDE"),
        )
    ]
    where = "" if verdict.debug_path is None else f" (debug information in {verdict.debug_path})"
    return f"{verdict.path}{where}: {', '.join(parts)}"


def _summary(
    verdict: Verdict, is_new: list[bool], *, has_baseline: bool, notes: bool
) -> Iterator[str]:
    findings = verdict.findings
    more = findings.skips
    for why, count in islice(findings.times.items(), FEW):
        more -= count
        yield f"not checked: {why}" + (f" ({count} times)" if count > 1 else "")
    if more:
        yield f"not checked: {more} more places"
    counts: Counter[str] = Counter(
        finding.severity for finding, new in zip(findings.kept, is_new, strict=True) if new
    )
    for (severity, _), hidden in findings.hidden.items():
        counts[severity] += hidden
    parts = [counted(counts[name], name) for name in SEVERITIES if counts[name] or name != "note"]
    line = ", ".join(parts)
    if counts["note"] and not notes:
        line += " (--notes shows them)"
    if has_baseline:
        line += f"; {is_new.count(False)} known by the baseline"
    if findings.dropped:
        line += f"; {findings.dropped} further findings are only counted"
    if verdict.is_incomplete:
        unread = "nothing was checked" if verdict.has_nothing else "no unit was checked"
        line += "; not checked to the end" if findings.is_incomplete else f"; {unread}"
    yield line


def finding_lines(finding: Finding, *, is_mangled: bool = False) -> Iterator[str]:
    """Yield the finding: the message, where it is, and the expression with the operation marked."""
    yield f"{finding.severity}: {finding.message} [{finding.rule}, {finding.section}]"
    yield f"  {position_text(finding.position, is_mangled=is_mangled)}"
    if finding.excerpt is not None:
        yield from (f"    {line}" for line in excerpt_lines(finding.excerpt))


def position_text(position: FindingPosition, *, is_mangled: bool = False) -> str:
    """Return `DW_AT_location of variable t in nest, a.hip, at [0x10,0x20) (.debug_info 0x97)`."""
    kind = position.kind.replace("_", " ")
    text = kind
    if position.name is not None:
        text += f" {shown_symbol(position.name, is_mangled=is_mangled)}"
    if position.attribute is not None:
        text = f"{position.attribute} of {text}"
    if position.function is not None:
        text += f" in {position.function}"
    if position.unit is not None and position.kind != "unit":
        text += f", {position.unit}"
    if position.span is not None:
        text += f", at [{position.span[0]:#x},{position.span[1]:#x})"
    where = f"{position.section} {position.offset:#x}"
    return f"{text} ({where})" if position.file is None else f"{text} ({where} of {position.file})"


def excerpt_lines(excerpt: Excerpt) -> Iterator[str]:
    """Yield the steps on one line with a mark below it, or a line for each step with the mark
    before it."""
    steps, marked = excerpt.steps, excerpt.marked
    line = ", ".join(steps)
    if len(line) > _WIDEST or any(step.startswith("DW_CFA") for step in steps):
        for index, step in enumerate(steps):
            yield f"{'>' if index == marked else ' '} {step}"
        return
    yield line
    if marked is None:
        return
    start = len("".join(f"{step}, " for step in steps[:marked]))
    if marked == len(steps):
        yield f"{' ' * max(len(line) - 1, 0)}^ the result"
    else:
        yield f"{' ' * start}^{'~' * (len(steps[marked]) - 1)}"


def report_json(verdict: Verdict, is_new: list[bool]) -> JsonObject:
    """Return the object of `--json`, without its schema."""
    return whole(streamed_report(verdict, is_new))


def streamed_report(verdict: Verdict, is_new: list[bool]) -> StreamedObject:
    """Return the object of `--json` whose findings are made as they are written: many may share one
    long name."""
    findings = verdict.findings
    return {
        "file": verdict.path,
        "debug_file": verdict.debug_path,
        "checked": {
            "units": verdict.units,
            "entries": verdict.entries,
            "expressions": verdict.expressions,
            "distinct_expressions": verdict.distinct_expressions,
            "fdes": verdict.fdes,
        },
        "counts": {name: findings.counts[name] for name in ("error", "warning", "note")},
        "findings": (
            finding_json(finding, new) for finding, new in zip(findings.kept, is_new, strict=True)
        ),
        "findings_omitted": findings.dropped,
        "not_checked": list(findings.skipped),
        "not_checked_omitted": findings.skips - len(findings.skipped),
        "incomplete": verdict.is_incomplete,
    }


def finding_json(finding: Finding, is_new: bool) -> JsonObject:
    position, excerpt = finding.position, finding.excerpt
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.message,
        "section": finding.section,
        "place": {
            "file": position.file,
            "section": position.section,
            "offset": position.offset,
            "kind": position.kind,
            "name": position.name,
            "attribute": position.attribute,
            "function": position.function,
            "unit": position.unit,
            "begin": None if position.span is None else position.span[0],
            "end": None if position.span is None else position.span[1],
            "source": None if position.source is None else position.source.file,
            "line": None if position.source is None else position.source.line,
        },
        "steps": None if excerpt is None else list(excerpt.steps),
        "marked": None if excerpt is None else excerpt.marked,
        "offset": None if excerpt is None else excerpt.offset,
        "fingerprint": finding.fingerprint,
        "is_new": is_new,
    }
