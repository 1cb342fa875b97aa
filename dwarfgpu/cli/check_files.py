"""`dwarfgpu check FILE…`: each file is checked; one that cannot be read costs only itself."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dwarfgpu.check.file import Verdict
from dwarfgpu.cli.check_paths import files_in
from dwarfgpu.cli.check_rules import chosen_rules
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.dialect.dialect import dialect
from dwarfgpu.expr.static_check.abstract_stack import SEVERITIES
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.service.check.baseline import SCHEMA, Baseline, read_baseline
from dwarfgpu.service.check.checked_file import Report, checked
from dwarfgpu.service.check.report import report_json, report_lines
from dwarfgpu.service.error_text import error_json, one_line
from dwarfgpu.view.json_object import JsonObject, Plain


def check_files(paths: Sequence[str], arguments: Namespace) -> int:
    """Print the findings in files and folders. Return 2 if one cannot be read or checked to its
    end, else 1 if a finding is worse than a note."""
    if arguments.json and arguments.sarif:
        raise UsageError("give --json or --sarif, not both")
    if arguments.dialect is not None:
        dialect(arguments.dialect)
    baseline = None if arguments.baseline is None else read_baseline(arguments.baseline)
    rules = chosen_rules(arguments)
    files = list(files_in(paths))
    is_only = len(paths) == 1 and list(paths) == files
    reports = (_report(path, arguments, rules, baseline, is_only) for path in files)
    if arguments.sarif:
        return _sarif(list(reports), has_baseline=baseline is not None)
    if is_only:
        return _only(next(reports), arguments, has_baseline=baseline is not None)
    if arguments.json:
        return _json(list(reports))
    return _text(reports, arguments, has_baseline=baseline is not None)


def _report(
    path: str,
    arguments: Namespace,
    rules: frozenset[str] | None,
    baseline: Baseline | None,
    is_only: bool,
) -> Report:
    """Return the findings in one file, or why it is unreadable."""
    try:
        opened = CodeObject.open(
            path,
            dialect=arguments.dialect,
            target=arguments.target,
            debug_directories=arguments.debug_dir or DEBUG_DIRECTORIES,
            limits=file_limits_of(arguments),
        )
        return checked(opened, rules, baseline, is_only=is_only)
    except DwarfGpuError as error:  # nothing in it is readable: that is no finding
        return Report(path, error=UsageError(str(error)))


def _status(reports: Iterable[Report]) -> int:
    return max((2 if report.is_incomplete else int(report.is_bad) for report in reports), default=0)


def _sarif(reports: Sequence[Report], *, has_baseline: bool) -> int:
    from dwarfgpu.cli.check_sarif import sarif  # no other format needs it

    print(json.dumps(sarif(reports, has_baseline=has_baseline)))
    for report in reports:
        if report.error is not None:
            print(f"dwarfgpu: {report.error}", file=sys.stderr)
    return _status(reports)


def _only(report: Report, arguments: Namespace, *, has_baseline: bool) -> int:
    """The answer for the only file that is named."""
    if report.verdict is None:
        raise report.error or AssertionError
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, **report_json(report.verdict, report.is_new)}))
    else:
        _print(_lines(report.verdict, report, arguments, has_baseline=has_baseline))
    return _status([report])


def _json(reports: Sequence[Report]) -> int:
    """One object for several files."""
    counts: Counter[str] = Counter()
    files: list[Plain] = []
    for report in reports:
        if report.verdict is not None:
            files.append(report_json(report.verdict, report.is_new))
            counts.update(report.verdict.findings.counts)
        elif report.error is not None:
            files.append({"file": report.path, **error_json(report.error)})
    totals: JsonObject = {name: counts[name] for name in SEVERITIES}
    print(json.dumps({"schema": SCHEMA, "files": files, "counts": totals}))
    return _status(reports)


def _text(reports: Iterable[Report], arguments: Namespace, *, has_baseline: bool) -> int:
    """Each file as soon as it is checked, and how many findings there are in all."""
    status = files = unreadable = incomplete = 0
    counts: Counter[str] = Counter()
    is_long = False
    for report in reports:
        files += 1
        status = max(status, _status([report]))
        if report.verdict is None:
            unreadable += 1
            sys.stdout.flush()
            print(one_line(f"dwarfgpu: {report.error}"), file=sys.stderr)
            continue
        incomplete += report.is_incomplete
        lines = list(
            _lines(report.verdict, report, arguments, has_baseline=has_baseline, is_many=True)
        )
        if files > 1 and (is_long or len(lines) > 1):
            print()
        is_long = len(lines) > 1
        _print(lines)
        findings = zip(report.verdict.findings.kept, report.is_new, strict=True)
        counts.update(finding.severity for finding, new in findings if new)
    if is_long:
        print()
    parts = [f"{counts[name]} {name}{'' if counts[name] == 1 else 's'}" for name in SEVERITIES]
    total = f"total: {files} file{'' if files == 1 else 's'}: {', '.join(parts)}"
    total += f"; {incomplete} not checked to the end" if incomplete else ""
    print(total + (f"; {unreadable} cannot be read" if unreadable else ""))
    return status


def _lines(
    verdict: Verdict,
    report: Report,
    arguments: Namespace,
    *,
    has_baseline: bool,
    is_many: bool = False,
) -> Iterator[str]:
    return report_lines(
        verdict,
        report.is_new,
        has_baseline=has_baseline,
        notes=arguments.notes or arguments.only is not None,
        everything=arguments.all,
        is_one_of_many=is_many,
        is_mangled=arguments.mangled,
    )


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(one_line(line))
