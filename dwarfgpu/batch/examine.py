"""One question about one object file: what every process of a batch, here or on a farm, calls.

Law: the contents of a file raise nothing; they become the `error` of the record.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from dwarfgpu.base.arguments import require, wrong_value
from dwarfgpu.batch.in_order import in_order
from dwarfgpu.batch.reading_options import Options
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.collection.members import Member, members, path_text
from dwarfgpu.objfile.collection.open_member import open_member
from dwarfgpu.service.error_text import error_json
from dwarfgpu.view.json_object import JsonObject, StreamedObject, whole

if TYPE_CHECKING:
    from dwarfgpu.batch.record_types import ErrorRecord, Record
    from dwarfgpu.service.check.checked_file import Report

SCHEMA: Final = "dwarfgpu-batch-1"


def examine(
    member: Member | str | os.PathLike[str],
    question: str = "check",
    options: Options = Options(),  # noqa: B008
) -> Record:
    """Return the answer to a question about an object file (docs/schema/batch.json).

    `member`: one of `members`, or the path of an object file. `question`: `check`, `where` (every
    variable, as `where --all`), `info` or `frames`. The record has `file`, `question`, `status`
    (0, 1 or 2, as the exit status of that command), `answer` (the object that the command prints
    with `--json`, or None) and `error` (None, or why there is no answer). `UsageError` for a
    question that does not exist, and for any other type of `member` or `options`.
    """
    _require_request(question, options)
    if not isinstance(member, Member):
        member = Member(path_text("member", member, "a Member or a path"))
    return cast("Record", whole(examined(member, question, options)))


def examined(member: Member, question: str, options: Options) -> StreamedObject:
    """Return the record of `examine`, whose long lists are made as they are written."""
    try:
        status, answer = QUESTIONS[question](member, options)
    except DwarfGpuError as error:
        return cast("StreamedObject", failed(member, question, error))
    return answered(member, question, status, answer)


def answered(
    member: Member | str, question: str, status: int, answer: StreamedObject
) -> StreamedObject:
    """Return the record of an object file with the answer to a question."""
    return {
        "schema": SCHEMA,
        "file": str(member),
        "question": question,
        "status": status,
        "answer": answer,
        "error": None,
    }


def failed(member: Member | str, question: str, error: DwarfGpuError) -> Record:
    """Return the record of an object file that cannot be examined."""
    return {
        "schema": SCHEMA,
        "file": str(member),
        "question": question,
        "status": 2,
        "answer": None,
        "error": cast("ErrorRecord", error_json(error)["error"]),
    }


def summary_record(statuses: Counter[int]) -> JsonObject:
    """Return the record at the end of a batch: how many files there are, and by their status."""
    by_status: JsonObject = {str(status): statuses[status] for status in (0, 1, 2)}
    return {"schema": SCHEMA, "files": statuses.total(), "by_status": by_status}


def examine_all(
    paths: Iterable[str | os.PathLike[str]],
    question: str = "check",
    options: Options = Options(),  # noqa: B008
    jobs: int = 0,
) -> Iterator[Record]:
    """Return the records of all object files in files and folders, in a fixed order.

    `jobs`: how many processes, at most 256; 0 for this one. A program that uses processes must be
    importable: `if __name__ == "__main__":`, as for `multiprocessing`. `UsageError`, at once, as
    `examine`, for an invalid number of processes, and for one path in place of several.
    """
    _require_request(question, options)
    return in_order(
        partial(examine, question=question, options=options),
        members(paths, options.target, options.limits),
        lambda member, error: failed(member, question, error),
        jobs,
    )


def _require_request(question: str, options: Options) -> None:
    require("question", question, str)
    if question not in QUESTIONS:
        raise wrong_value("question", question, f"one of {', '.join(QUESTIONS)}")
    require("options", options, Options)


def opened(member: Member, options: Options) -> CodeObject:
    """Return the code object that a member is; errors of files that cannot be read."""
    return CodeObject.of(
        open_member(member, options.target, options.limits),
        dialect=options.dialect,
        debug_directories=options.debug_directories,
    )


def _check(member: Member, options: Options) -> tuple[int, StreamedObject]:
    from dwarfgpu.service.check.checked_file import checked

    report = checked(opened(member, options), options.rules, with_compilers=True)
    return report.status, check_answer(report)


def check_answer(report: Report) -> StreamedObject:
    """Return the answer about a file that was checked; raises the error that prevented it."""
    from dwarfgpu.service.check.baseline import SCHEMA as CHECK_SCHEMA
    from dwarfgpu.service.check.report import streamed_report

    if report.verdict is None:
        raise report.error or AssertionError
    answer = streamed_report(report.verdict, report.is_new)
    compilers: JsonObject = {"compilers": [*report.compilers]}
    return {"schema": CHECK_SCHEMA, **answer, **compilers}


def _where(member: Member, options: Options) -> tuple[int, StreamedObject]:
    from dwarfgpu.dwarf.coverage.find_variables import Wanted as WantedVariables
    from dwarfgpu.service.where.coverage_json import WhereJson
    from dwarfgpu.service.where.coverages import described

    file = opened(member, options)
    answer = WhereJson(file, options.minimum, with_lines=False)
    units = described(file, WantedVariables((), None, None), f"in {file.name}")
    text = "".join(answer.text(units, file.opening_notes))
    return answer.status, json.loads(text)  # the status is known once there is the text


def _info(member: Member, options: Options) -> tuple[int, StreamedObject]:
    from dwarfgpu.service.file.file_report import report_on_object
    from dwarfgpu.service.file.file_report_json import SCHEMA as INFO_SCHEMA
    from dwarfgpu.service.file.file_report_json import streamed_report
    from dwarfgpu.service.file.file_report_text import is_complete

    file = open_member(member, options.target, options.limits)
    report = report_on_object(file, options.debug_directories, options.dialect)
    return int(not is_complete(report)), {"schema": INFO_SCHEMA, **streamed_report(report)}


def _frames(member: Member, options: Options) -> tuple[int, StreamedObject]:
    from dwarfgpu.service.file.call_frame_listing import (
        CallFrameListing,
        FramesAnswer,
        symbols_by_address,
    )

    file = opened(member, options)
    symbols, notes = symbols_by_address(file)
    answer = FramesAnswer(CallFrameListing(file, None, symbols, False), notes)
    record = answer.record()
    return int(not answer.is_whole), record


QUESTIONS: Final[dict[str, Callable[[Member, Options], tuple[int, StreamedObject]]]] = {
    "check": _check,
    "where": _where,
    "info": _info,
    "frames": _frames,
}
"""What is asked of each file, by the name of the command."""
