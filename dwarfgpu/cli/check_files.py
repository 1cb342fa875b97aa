"""`dwarfgpu check FILE…`: each file is checked; one that cannot be read costs only itself.

The exit status is the worst of theirs (`dwarfgpu.service.check.checked_file`).
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, cast

from dwarfgpu.base.records import frozen
from dwarfgpu.batch.examine import answered, check_answer, failed, opened, summary_record
from dwarfgpu.batch.in_order import in_order
from dwarfgpu.batch.reading_options import Options
from dwarfgpu.check.file import Verdict
from dwarfgpu.cli.check_rules import chosen_rules
from dwarfgpu.errors import DwarfGpuError, Malformed, UnreadableFile, UsageError, counted
from dwarfgpu.expr.static_check.severity import SEVERITIES
from dwarfgpu.objfile.collection.members import Member, members
from dwarfgpu.objfile.container import open_container, pick
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.target_id import parse_target_id
from dwarfgpu.options.batch_options import jobs_of
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.service.check.baseline import SCHEMA, Baseline, read_baseline
from dwarfgpu.service.check.checked_file import Report, checked
from dwarfgpu.service.check.report import FEW, report_lines, streamed_report
from dwarfgpu.service.error_text import error_json, one_line, without_debug_information
from dwarfgpu.terminal.streams import failing_at_the_end
from dwarfgpu.view.json_object import JsonObject, StreamedObject

if TYPE_CHECKING:
    from dwarfgpu.batch.corpus import Corpus
    from dwarfgpu.batch.record_types import Record

_FORMS = ("json", "sarif", "json_lines")


@frozen
class _Request:
    """How each file is checked; every process of `--jobs` has it."""

    options: Options
    baseline: Baseline | None
    is_only: bool
    with_compilers: bool
    most_of_rule: int | None


def check_files(paths: Sequence[str], arguments: Namespace) -> int:
    """Print the findings in files and folders. Return 2 if one cannot be read or checked to its
    end, else 1 if a finding is worse than a note."""
    given_options = [f"--{name.replace('_', '-')}" for name in _FORMS if getattr(arguments, name)]
    if len(given_options) > 1:
        raise UsageError(f"give {' or '.join(given_options)}, not both")
    baseline = None if arguments.baseline is None else read_baseline(arguments.baseline)
    directories = tuple(arguments.debug_dir or DEBUG_DIRECTORIES)
    limits, jobs = file_limits_of(arguments), jobs_of(arguments)
    target = arguments.target
    if (kernel := _named_kernel(paths, target)) is not None:
        paths, target = (kernel,), None
    options = Options(target, arguments.dialect, directories, limits, chosen_rules(arguments))
    found_members = members(paths, options.target, limits)
    first = list(islice(found_members, 2))
    is_only = len(paths) == len(first) == 1 and _is_itself(paths[0], first[0])
    with_compilers = arguments.json_lines or arguments.report is not None
    is_every_kept = given_options or with_compilers or arguments.all or baseline is not None
    most_of_rule = None if is_every_kept else FEW
    request = _Request(options, baseline, is_only, with_compilers, most_of_rule)
    reports = in_order(partial(_report, request), chain(first, found_members), _unreadable, jobs)
    if arguments.report is None:
        return _printed(reports, arguments, is_only=is_only, has_baseline=baseline is not None)
    from dwarfgpu.cli.check_corpus import WrittenReport  # few requests want one

    report = WrittenReport.at(arguments.report, paths)
    added = _added(reports, report.corpus)
    with failing_at_the_end():  # the report is worth more than what is printed
        status = _printed(added, arguments, is_only=is_only, has_baseline=baseline is not None)
        report.write()
    return status


def _named_kernel(paths: Sequence[str], target: str | None) -> str | None:
    """Return the path of the kernel that a target names in a folder of Triton's cache, `axpy` or
    `axpy-gfx942`; None for the target of many files."""
    if target is None or len(paths) != 1 or not os.path.isdir(paths[0]):
        return None
    from dwarfgpu.objfile.triton_cache import has_kernels  # few requests name a folder

    if not has_kernels(paths[0]):
        return None
    container = open_container(paths[0])
    if any(target in entry.names[2:] for entry in container.entries):
        return None
    with suppress(UsageError):
        parse_target_id(target)
        return None
    return pick(container, target).path


def _added(reports: Iterable[Report], corpus: Corpus) -> Iterator[Report]:
    for report in reports:
        corpus.add(cast("Record", _record(report)))  # it reads no findings
        yield report


def _printed(
    reports: Iterator[Report], arguments: Namespace, *, is_only: bool, has_baseline: bool
) -> int:
    """Print the reports in the form of the options; the exit status."""
    if arguments.sarif:
        return _sarif(list(_with_progress(reports)), has_baseline=has_baseline)
    if arguments.json_lines:
        return _json_lines(_with_progress(reports))
    if is_only:
        return _only(next(reports), arguments, has_baseline=has_baseline)
    if arguments.json:
        return _json(list(_with_progress(reports)))
    return _text(_with_progress(reports), arguments, has_baseline=has_baseline)


def _is_itself(path: str, member: Member) -> bool:
    """Return whether the only member is the file at a path that the user named, not one of a folder
    or an archive that has no others."""
    is_inside = any(step.text.startswith("(") for step in member.steps)
    return member.problem is not None or not (is_inside or os.path.isdir(path))


def _report(request: _Request, member: Member) -> Report:
    """Return the findings in one file, or why it is unreadable."""
    options = request.options
    try:
        return checked(
            opened(member, options),
            options.rules,
            request.baseline,
            is_only=request.is_only,
            with_compilers=request.with_compilers,
            most_of_rule=request.most_of_rule,
        )
    except DwarfGpuError as error:  # nothing in it is readable: that is not a finding
        return _unreadable(member, error)


def _unreadable(member: Member, error: DwarfGpuError) -> Report:
    kind = UnreadableFile if isinstance(error, Malformed) else UsageError
    return Report(str(member), error=kind(str(error)))


def _with_progress(reports: Iterable[Report]) -> Iterator[Report]:
    """Yield the reports, with a line about them on a terminal between two."""
    from dwarfgpu.terminal.progress import Progress  # a single file has none

    progress = Progress(sys.stderr)
    for number, report in enumerate(reports, 1):
        progress.clear()
        yield report
        progress.examined(number, one_line(report.path))
    progress.clear()


def _status(reports: Iterable[Report]) -> int:
    return max((report.status for report in reports), default=0)


def _sarif(reports: Sequence[Report], *, has_baseline: bool) -> int:
    from dwarfgpu.cli.check_sarif import sarif  # no other format needs it
    from dwarfgpu.cli.printing import print_streamed

    print_streamed(sarif(reports, has_baseline=has_baseline))
    for report in reports:
        if report.error is not None:
            print(f"dwarfgpu: {report.error}", file=sys.stderr)
    return _status(reports)


def _only(report: Report, arguments: Namespace, *, has_baseline: bool) -> int:
    """Print the answer for the only file that is named."""
    if report.verdict is None:
        raise report.error or AssertionError
    if arguments.json:
        from dwarfgpu.cli.printing import print_streamed  # text needs none of it

        print_streamed({"schema": SCHEMA, **streamed_report(report.verdict, report.is_new)})
    else:
        _print(_lines(report.verdict, report, arguments, has_baseline=has_baseline))
        findings = report.verdict.findings
        if not report.verdict.units and not findings.kept and not findings.skips:
            print(one_line(f"note: {without_debug_information(report.path)}"), file=sys.stderr)
    return report.status


def _json(reports: Sequence[Report]) -> int:
    """Print one object for several files."""
    from dwarfgpu.cli.printing import print_streamed  # text needs none of it

    counts: Counter[str] = Counter()
    files: list[StreamedObject] = []
    for report in reports:
        if report.verdict is not None:
            files.append(streamed_report(report.verdict, report.is_new))
            counts.update(report.verdict.findings.counts)
        elif report.error is not None:
            files.append({"file": report.path, **error_json(report.error)})
    totals: JsonObject = {name: counts[name] for name in SEVERITIES}
    print_streamed({"schema": SCHEMA, "files": iter(files), "counts": totals})
    return _status(reports)


def _json_lines(reports: Iterable[Report]) -> int:
    """Print an object for each file as soon as it and all before it are checked, and one for
    all."""
    from dwarfgpu.cli.printing import print_streamed  # text needs none of it

    statuses: Counter[int] = Counter()
    for report in reports:
        statuses[report.status] += 1
        print_streamed(_record(report))
        sys.stdout.flush()
    print(json.dumps(summary_record(statuses)))
    return max(statuses, default=0)


def _record(report: Report) -> StreamedObject:
    """Return the record of a file, whose findings are made as they are written."""
    try:
        answer = check_answer(report)
    except DwarfGpuError as error:
        return cast("StreamedObject", failed(report.path, "check", error))
    return answered(report.path, "check", report.status, answer)


def _text(reports: Iterable[Report], arguments: Namespace, *, has_baseline: bool) -> int:
    """Print each file as soon as it is checked, and how many findings there are in all."""
    status = files = unreadable = incomplete = known = 0
    counts: Counter[str] = Counter()
    is_long = False
    for report in reports:
        files += 1
        status = max(status, report.status)
        if report.verdict is None:
            unreadable += 1
            sys.stdout.flush()
            print(one_line(f"dwarfgpu: {report.error}"), file=sys.stderr)
            continue
        incomplete += report.is_incomplete
        known += report.is_new.count(False)
        lines = list(
            _lines(report.verdict, report, arguments, has_baseline=has_baseline, is_many=True)
        )
        if files > 1 and (is_long or len(lines) > 1):
            print()
        is_long = len(lines) > 1
        _print(lines)
        findings = zip(report.verdict.findings.kept, report.is_new, strict=True)
        counts.update(finding.severity for finding, new in findings if new)
        for (severity, _), hidden in report.verdict.findings.hidden.items():
            counts[severity] += hidden
    if is_long:
        print()
    parts = [counted(counts[name], name) for name in SEVERITIES]
    total = f"total: {counted(files, 'file')}: {', '.join(parts)}"
    total += f"; {known} known by the baseline" if has_baseline else ""
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
