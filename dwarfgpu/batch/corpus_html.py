"""The report on a corpus as one page of HTML, which needs no network and no script.

Law: every text of a file is escaped, its control characters too.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from dwarfgpu.base.json_reader import Field, Json
from dwarfgpu.base.printable import one_line
from dwarfgpu.batch.corpus import number, numbers, optional_text
from dwarfgpu.batch.record_types import CorpusReport
from dwarfgpu.check.rules import RULES
from dwarfgpu.errors import plural
from dwarfgpu.expr.static_check.severity import SEVERITIES

_STYLE: Final = """\
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: bold; }
th, td { border: 1px solid #767676; padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_TOTALS: Final = (
    ("files", "examined", "object files"),
    ("files", "unreadable", "that cannot be read"),
    ("files", "incomplete", "not checked to the end"),
    ("checked", "units", "units"),
    ("checked", "entries", "entries"),
    ("checked", "expressions", "expressions"),
    ("checked", "fdes", "FDEs"),
    ("counts", "error", "errors"),
    ("counts", "warning", "warnings"),
    ("counts", "note", "notes"),
)

_Wrote = tuple[str, Any]
"""The name of a compiler, and its findings of a rule and severity."""


def corpus_html(report: CorpusReport) -> str:
    """Return a report of `corpus_report` as a page of HTML; `UsageError`, with the name of the
    member, for what lacks something that `docs/schema/corpus.json` requires."""
    _require_report(Field("report", "", cast(Json, report)))
    return "".join(html_parts(report))


def html_parts(report: CorpusReport) -> Iterator[str]:
    """Yield the page of a report that `Corpus` made, in parts."""
    for line in _lines(report):
        yield f"{line}\n"


def _require_report(report: Field) -> None:
    for group, name, _ in _TOTALS:
        number(report[group][name])
    number(report["findings_omitted"])
    for compiler in report["compilers"].items():
        optional_text(compiler["compiler"])
        optional_text(compiler["version"])
        numbers(compiler, ("units", "files"))
        for finding in compiler["findings"].items():
            finding["rule"].text()
            finding["severity"].text(*SEVERITIES)
            numbers(finding, ("count", "files"))
            for example in finding["examples"].items():
                for name in ("file", "message", "entry"):
                    example[name].text()
    rest = report["other_compilers"]
    numbers(rest, ("compilers", "units"))
    for finding in rest["findings"].items():
        finding["rule"].text()
        finding["severity"].text(*SEVERITIES)
        number(finding["count"])
    for file in report["unreadable"].items():
        file["file"].text()
        file["message"].text()


def _lines(report: Any) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_text(_POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<title>Debug information by compiler</title>"
    yield f"<style>\n{_STYLE}</style>"
    yield "</head>"
    yield "<body>"
    yield "<main>"
    yield "<h1>Debug information by compiler</h1>"
    yield "<table>"
    yield "<caption>What was checked</caption>"
    for group, name, title in _TOTALS:
        yield _row(title, _number(report[group][name]))
    if report["findings_omitted"]:
        yield _row("findings that are counted here alone", _number(report["findings_omitted"]))
    yield "</table>"
    rules = _by_rule(report)
    yield from _matrix(report, list(rules))
    yield from _rules(rules)
    yield from _unreadable(report)
    yield "</main>"
    yield "</body>"
    yield "</html>"


def _matrix(report: Any, rules: Sequence[str]) -> Iterator[str]:
    """Yield a table of compilers by rules, the number of findings in each cell."""
    yield '<div class="wide" tabindex="0" role="region" aria-labelledby="matrix">'
    yield "<table>"
    yield '<caption id="matrix">Findings of each rule, by compiler</caption>'
    heads = ["Compiler", "Units", "Files"]
    cells = [f'<th scope="col">{_text(head)}</th>' for head in heads]
    cells += [f'<th scope="col"><a href="#{_text(rule)}">{_text(rule)}</a></th>' for rule in rules]
    yield f"<thead><tr>{''.join(cells)}</tr></thead>"
    yield "<tbody>"
    for compiler in report["compilers"]:
        numbers = _number(compiler["units"]), _number(compiler["files"])
        yield _row(_name(compiler), *numbers, *_counts(compiler["findings"], rules))
    rest = report["other_compilers"]
    if rest["compilers"]:
        counts = _counts(rest["findings"], rules)
        yield _row(_rest_name(rest), _number(rest["units"]), "", *counts)
    yield "</tbody>"
    yield "</table>"
    yield "</div>"
    if rest["compilers"]:
        yield "<p>Those with the most findings, and then the most units, have their names here.</p>"


def _counts(findings: Any, rules: Iterable[str]) -> Iterator[str]:
    counts = dict.fromkeys(rules, 0)
    for finding in findings:
        counts[finding["rule"]] += finding["count"]
    return map(_number, counts.values())


def _rules(rules: Mapping[str, Iterable[_Wrote]]) -> Iterator[str]:
    """Yield the findings of each rule, with examples."""
    for rule, wrote in rules.items():
        known_rule = RULES.get(rule)
        yield f'<section id="{_text(rule)}">'
        yield f"<h2>{_text(rule)}</h2>"
        if known_rule is not None:
            yield f"<p>{_text(known_rule.summary)} ({_text(known_rule.section)})</p>"
        for name, finding in wrote:
            yield from _finding(name, finding)
        yield "</section>"


def _finding(name: str, finding: Any) -> Iterator[str]:
    """Yield the findings of one compiler; those of the others have no files and no examples."""
    what = f"{finding['count']:,} {plural(finding['count'], finding['severity'])}"
    if "files" not in finding:
        yield f"<h3>{_text(name)}: {_text(what)}</h3>"
        return
    files = f"{finding['files']:,} {plural(finding['files'], 'file')}"
    yield f"<h3>{_text(name)}: {_text(what)} in {files}</h3>"
    yield "<ul>"
    for example in finding["examples"]:
        yield (
            f"<li>{_text(example['message'])}<br>{_text(example['entry'])}<br>"
            f"<code>{_text(example['file'])}</code></li>"
        )
    yield "</ul>"


def _unreadable(report: Any) -> Iterator[str]:
    if not report["unreadable"]:
        return
    yield "<h2>Files that cannot be read</h2>"
    yield "<ul>"
    for file in report["unreadable"]:
        yield f"<li><code>{_text(file['file'])}</code><br>{_text(file['message'])}</li>"
    yield "</ul>"
    further = report["files"]["unreadable"] - len(report["unreadable"])
    if further > 0:
        yield f"<p>{further:,} more files cannot be read.</p>"


def _by_rule(report: Any) -> dict[str, list[_Wrote]]:
    """Return who wrote the findings of each rule, in the order of the documentation."""
    wrote: dict[str, list[_Wrote]] = {}
    for compiler in report["compilers"]:
        for finding in compiler["findings"]:
            wrote.setdefault(finding["rule"], []).append((_name(compiler), finding))
    rest = report["other_compilers"]
    for finding in rest["findings"]:
        wrote.setdefault(finding["rule"], []).append((_rest_name(rest), finding))
    known = [rule for rule in RULES if rule in wrote]
    return {rule: wrote[rule] for rule in (*known, *sorted(wrote.keys() - RULES.keys()))}


def _name(compiler: Any) -> str:
    name = compiler["compiler"] or "unknown"
    return name if compiler["version"] is None else f"{name} {compiler['version']}"


def _rest_name(rest: Any) -> str:
    return f"{rest['compilers']:,} other {plural(rest['compilers'], 'compiler')}"


def _row(head: str, *numbers: str) -> str:
    cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
    return f'<tr><th scope="row">{_text(head)}</th>{cells}</tr>'


def _number(number: int) -> str:
    return f"{number:,}"


def _text(text: str) -> str:
    return html.escape(one_line(text))
