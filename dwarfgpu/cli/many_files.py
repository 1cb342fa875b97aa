"""`info`, `where --all` and `frames` of many files: each by itself, in the given order."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import partial
from io import BytesIO, TextIOWrapper
from typing import Final

from dwarfgpu.base.printable import ESCAPES, one_line
from dwarfgpu.base.records import frozen
from dwarfgpu.batch.examine import examined, failed, summary_record
from dwarfgpu.batch.in_order import in_order
from dwarfgpu.batch.reading_options import Options
from dwarfgpu.errors import DwarfGpuError, UsageError, counted
from dwarfgpu.objfile.collection.members import Member, members
from dwarfgpu.objfile.collection.open_member import open_member
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_kinds import ET_CORE
from dwarfgpu.options.batch_options import jobs_of
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.service.error_text import error_line
from dwarfgpu.terminal.progress import Progress
from dwarfgpu.view.json_pieces import json_pieces

Show = Callable[[ObjectFile, Namespace], int]
"""Prints the answer of a command about one file, and returns the exit status; it is pickled."""
_ENCODING: Final = "utf-8"


@frozen
class _Shown:
    """What a command printed about one file."""

    name: str
    status: int
    output: str = ""
    notes: str = ""
    """What goes to standard error."""
    more: Iterable[str] = ()
    """The rest of the output, which is made as it is printed: in this process only."""


@frozen
class _Request:
    """How a command shows each file; every process of `--jobs` has it."""

    show: Show
    arguments: Namespace
    options: Options
    has_heading: bool
    encoding: str | None


def show_many(
    show: Show,
    question: str,
    paths: Sequence[str],
    arguments: Namespace,
    *,
    has_heading: bool = True,
    minimum: Fraction | None = None,
) -> int:
    """Print the answers about all object files in files and folders; the worst exit status.

    `show` prints the text about one of them, `examine` gives the line for `--json-lines` about
    `question`. `has_heading`: the text does not begin with the name of the file. `minimum`: for
    `where`, as in `Options`. `UsageError` for `--json`, which is one object.
    """
    if arguments.json:
        raise UsageError("--json prints one object, of one file: --json-lines prints one for each")
    jobs, limits = jobs_of(arguments), file_limits_of(arguments)
    directories = tuple(getattr(arguments, "debug_dir", None) or DEBUG_DIRECTORIES)
    options = Options(arguments.target, arguments.dialect, directories, limits, minimum=minimum)
    found_members = members(paths, options.target, limits)
    if arguments.json_lines:
        line = partial(_line, question, options, is_whole=jobs > 0)
        return _print_lines(in_order(line, found_members, partial(_lost_line, question), jobs))
    encoding = getattr(sys.stdout, "encoding", None)
    request = _Request(show, arguments, options, has_heading, encoding)
    return _print_texts(in_order(partial(_shown, request), found_members, _unreadable, jobs))


def _line(question: str, options: Options, member: Member, *, is_whole: bool) -> _Shown:
    """Return the line about a file; `is_whole`: as one text, for another process."""
    record = examined(member, question, options)
    status = record["status"]
    assert isinstance(status, int)
    pieces = json_pieces(record)
    if is_whole:
        return _Shown(str(member), status, "".join(pieces))
    return _Shown(str(member), status, more=pieces)


def _lost_line(question: str, member: Member, error: DwarfGpuError) -> _Shown:
    return _Shown(str(member), 2, json.dumps(failed(member, question, error)))


def _shown(request: _Request, member: Member) -> _Shown:
    """Return what the command prints about a file, or why it cannot be read."""
    encoding = request.encoding or _ENCODING
    output = TextIOWrapper(BytesIO(), encoding, ESCAPES, write_through=True)
    notes = TextIOWrapper(BytesIO(), encoding, ESCAPES, write_through=True)
    try:
        with redirect_stdout(output), redirect_stderr(notes):
            file = open_member(member, request.options.target, request.options.limits)
            if file.type == ET_CORE:
                raise UsageError(f"{member} is a core file: give it alone")
            if request.has_heading:
                print(one_line(f"{member}:"))
            status = request.show(file, request.arguments)
    except DwarfGpuError as error:
        return _unreadable(member, error)
    return _Shown(str(member), status, _text(output), _text(notes))


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _unreadable(member: Member, error: DwarfGpuError) -> _Shown:
    return _Shown(str(member), 2, notes=f"dwarfgpu: {error_line(error)}\n")


def _print_lines(lines: Iterable[_Shown]) -> int:
    statuses: Counter[int] = Counter()
    for line in _with_progress(lines):
        statuses[line.status] += 1
        sys.stdout.write(line.output)
        sys.stdout.writelines(line.more)
        print(flush=True)
    print(json.dumps(summary_record(statuses)))
    return max(statuses, default=0)


def _print_texts(texts: Iterable[_Shown]) -> int:
    """Print the text about each file, with an empty line between two, and how many there are.

    Where the only one cannot be read, its error is all.
    """
    files = unreadable = status = 0
    for text in _with_progress(texts):
        if text.output:
            print(text.output)
        if text.notes:
            sys.stdout.flush()
            sys.stderr.write(text.notes)
        files += 1
        unreadable += not text.output
        status = max(status, text.status)
    if files > 1 or not unreadable:
        end = f"; {unreadable} cannot be read" if unreadable else ""
        print(f"total: {counted(files, 'file')}{end}")
    return status


def _with_progress(texts: Iterable[_Shown]) -> Iterator[_Shown]:
    """Yield the texts, with a line about them on a terminal between two."""
    progress = Progress(sys.stderr)
    for number, text in enumerate(texts, 1):
        progress.clear()
        yield text
        progress.examined(number, one_line(text.name))
    progress.clear()
