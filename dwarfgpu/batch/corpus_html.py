"""The report on a corpus as one page of HTML, which needs no network and no script.

Law: every text of a file is escaped, its control characters too.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
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


def corpus_html(report: CorpusReport) -> str:
    """Return a report of `corpus_report` as a page of HTML; `UsageError`, with the name of the
    member, for what lacks something that `docs/schema/corpus.json` requires."""
    _require_report(Field("report", "", cast(Json, report)))
    return "\n".join(_lines(report)) + "\n"


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
    yield from _matrix(report["compilers"])
    yield from _rules(report["compilers"])
    yield from _unreadable(report)
    yield "</main>"
    yield "</body>"
    yield "</html>"


def _matrix(compilers: Any) -> Iterator[str]:
    """Yield a table of compilers by rules, the number of findings in each cell."""
    rules = _rules_of(compilers)
    yield '<div class="wide" tabindex="0" role="region" aria-labelledby="matrix">'
    yield "<table>"
    yield '<caption id="matrix">Findings of each rule, by compiler</caption>'
    heads = ["Compiler", "Units", "Files"]
    cells = [f'<th scope="col">{_text(head)}</th>' for head in heads]
    cells += [f'<th scope="col"><a href="#{_text(rule)}">{_text(rule)}</a></th>' for rule in rules]
    yield f"<thead><tr>{''.join(cells)}</tr></thead>"
    yield "<tbody>"
    for compiler in compilers:
        counts = dict.fromkeys(rules, 0)
        for finding in compiler["findings"]:
            counts[finding["rule"]] += finding["count"]
        numbers = (compiler["units"], compiler["files"], *counts.values())
        yield _row(_name(compiler), *(_number(number) for number in numbers))
    yield "</tbody>"
    yield "</table>"
    yield "</div>"


def _rules(compilers: Any) -> Iterator[str]:
    """Return the findings of each rule, with examples."""
    for rule in _rules_of(compilers):
        known_rule = RULES.get(rule)
        yield f'<section id="{_text(rule)}">'
        yield f"<h2>{_text(rule)}</h2>"
        if known_rule is not None:
            yield f"<p>{_text(known_rule.summary)} ({_text(known_rule.section)})</p>"
        for compiler in compilers:
            for finding in compiler["findings"]:
                if finding["rule"] == rule:
                    yield from _finding(compiler, finding)
        yield "</section>"


def _finding(compiler: Any, finding: Any) -> Iterator[str]:
    severity = plural(finding["count"], finding["severity"])
    files = f"{finding['files']:,} {plural(finding['files'], 'file')}"
    yield (f"<h3>{_text(_name(compiler))}: {finding['count']:,} {_text(severity)} in {files}</h3>")
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


def _rules_of(compilers: Any) -> list[str]:
    """Return the rules with findings, in the order of the documentation."""
    rules = {finding["rule"] for compiler in compilers for finding in compiler["findings"]}
    return [rule for rule in RULES if rule in rules] + sorted(rules - RULES.keys())


def _name(compiler: Any) -> str:
    name = compiler["compiler"] or "unknown"
    return name if compiler["version"] is None else f"{name} {compiler['version']}"


def _row(head: str, *numbers: str) -> str:
    cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
    return f'<tr><th scope="row">{_text(head)}</th>{cells}</tr>'


def _number(number: int) -> str:
    return f"{number:,}"


def _text(text: str) -> str:
    return html.escape(one_line(text))
