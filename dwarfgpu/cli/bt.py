"""`dwarfgpu bt`: the call frames of a stopped wave or thread, with GDB's wording."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from dwarfgpu.cli.printing import context_notes, print_json, print_notes
from dwarfgpu.errors import UsageError
from dwarfgpu.options.context_options import configure as configure_machine
from dwarfgpu.options.demo import add_demo_option, with_demo
from dwarfgpu.options.given_files import POSITIONAL, take_only_files
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.opened_session import session_of, stopped_of
from dwarfgpu.service.core.core_summary import core_lines, core_record, thread_text
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.frame.backtrace import backtrace, omitted_note
from dwarfgpu.service.frame.focus import thread_and_lane
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject, Plain

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core

SCHEMA: Final = "dwarfgpu-bt-1"
_MAX_SHOWN: Final = 1_000
"""Default maximum number of frames."""


def configure(parser: argparse.ArgumentParser) -> None:
    subject = parser.add_argument_group("input")
    subject.add_argument("files", nargs="*", metavar="FILE|CORE", help=POSITIONAL)
    subject.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
    add_demo_option(subject)
    subject.add_argument(
        "--limit",
        metavar="N",
        help=f"number of frames to show, or unlimited; default: {_MAX_SHOWN}",
    )
    subject.add_argument("--no-args", action="store_true", help="leave out the arguments")
    subject.add_argument(
        "--all-threads",
        action="store_true",
        help="for a core file: every thread, the last one first",
    )
    configure_machine(parser, has_frame=False)


def run(args: argparse.Namespace) -> int:
    take_only_files(args, "files")
    return with_demo(args, _run)


def _run(args: argparse.Namespace) -> int:
    if args.lane == "all":
        raise UsageError("--lane all: a backtrace is of one lane")
    files = [args.file] if args.file else []
    stopped = stopped_of(args, files)
    session = session_of(args, files, stopped)
    core = stopped.core
    if args.all_threads and (core is None or args.wave is not None):
        raise UsageError("--all-threads is for a core file, and without --thread")
    limit: int | None = None
    if args.limit != "unlimited":
        natural_limit = natural(args.limit, "--limit")
        limit = _MAX_SHOWN if natural_limit is None else natural_limit
    if core is not None and not args.json:
        for text in core_lines(core):
            print(one_line(text))
    if session.lane is None:
        session = session.focused(session.initial_lane())
    if core is not None and session.architecture.is_simt and not (args.all_threads or args.json):
        print(f"[Current thread is {thread_and_lane(session)}]")
    if core is not None and args.all_threads:
        return _all_threads(args, core, session, limit)
    record, status = _backtrace(args, session, limit)
    if args.json:
        target: JsonObject = (
            {} if core is None else {"core": core_record(core), "thread": session.wave}
        )
        print_json({"schema": SCHEMA, **target, **record, **context_notes(session)})
    else:
        print_notes(session.notes)
    return status


def _all_threads(args: argparse.Namespace, core: Core, session: Session, limit: int | None) -> int:
    """Print every thread, from the last on, as GDB's `thread apply all`."""
    records: list[Plain] = []
    status = 0
    for wave in reversed(core.numbers):
        if not args.json:
            print(f"\n{thread_text(core, wave)}:")
        of_thread = session.of_wave(wave, core.pc_of(wave))
        if args.lane is None:
            of_thread = of_thread.focused(of_thread.initial_lane())
        record, its_status = _backtrace(args, of_thread, limit)
        lwp = core.threads[wave].lwp if wave in core.threads else None
        records.append({"thread": wave, "lwp": lwp, **record})
        status = max(status, its_status)
    if args.json:
        context = context_notes(session)
        print_json({"schema": SCHEMA, "core": core_record(core), "threads": records, **context})
    else:
        print_notes(session.notes)
    return status


def _backtrace(
    args: argparse.Namespace, session: Session, limit: int | None
) -> tuple[JsonObject, int]:
    """Print the frames of a thread unless JSON is wanted; return them as a record, and the exit
    status."""
    answer = backtrace(session, limit, with_arguments=not args.no_args)
    if args.json:
        return answer.record, answer.status
    for line in answer.lines():
        print(one_line(line))
    if answer.end is None:
        print(f"(More stack frames follow: --limit {limit})")
    elif not answer.end.is_outermost:
        print(one_line(str(answer.end)))
    if answer.omitted:
        print_notes([omitted_note(session, answer.omitted)])
    print_notes(answer.notes)
    return {}, answer.status
