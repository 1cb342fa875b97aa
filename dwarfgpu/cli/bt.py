"""`dwarfgpu bt`: the call frames of a stopped wave or thread, in GDB's words."""

from __future__ import annotations

import argparse
from typing import Final

from attrs import evolve

from dwarfgpu.backtrace import StackFrame, stack_frames
from dwarfgpu.cli import context as options
from dwarfgpu.cli.errors import one_line
from dwarfgpu.cli.eval import print_json, print_notes, with_demo
from dwarfgpu.cli.stack_lines import frame_record, frame_text
from dwarfgpu.errors import UsageError
from dwarfgpu.view.plain import Plain, Record

SCHEMA: Final = "dwarfgpu-bt-1"
_MOST_SHOWN: Final = 1_000
"""Frames; more only where they are asked for."""


def configure(parser: argparse.ArgumentParser) -> None:
    subject = parser.add_argument_group("what is looked at")
    subject.add_argument("--file", metavar="CODE_OBJECT", help="an ELF file with DWARF")
    subject.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )
    subject.add_argument("--limit", metavar="N", help=f"frames shown; {_MOST_SHOWN} by default")
    subject.add_argument("--no-args", action="store_true", help="leave out the arguments")
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    return with_demo(args, _run)


def _run(args: argparse.Namespace) -> int:
    if args.lane == "all":
        raise UsageError("--lane all: a backtrace is of one lane")
    session = options.session_of(args, [args.file] if args.file else [])
    if session.lane is None:
        session = evolve(session, lane=session.first_active_lane())
    if session.call_stack is None:
        raise UsageError("No stack: the state has no program location; give --pc ADDR")
    limit = _MOST_SHOWN
    if args.limit is not None:
        limit = options.natural(args.limit, "--limit") or 0
    frames: list[StackFrame] = []
    is_cut = False
    left_out = 0
    for each in stack_frames(session):
        if len(frames) == limit:
            is_cut = True
            break
        if each.has_lane:
            frames.append(each)
        else:
            left_out += 1
    records: list[Plain] = []
    status = 0
    for frame in frames:
        record = frame_record(frame, with_arguments=not args.no_args)
        if args.json:
            records.append(record)
        else:
            print(one_line(frame_text(frame, record)))
    end = None if is_cut else session.call_stack.end
    if end is not None and not end.is_outermost:
        status = 1
    notes = [note for each in session.code_objects for note in each.info.call_frames.notes]
    if args.json:
        reason: Record | None = None
        if end is not None:
            reason = {"is_outermost": end.is_outermost, "reason": end.reason}
        print_json(
            {
                "schema": SCHEMA,
                "lane": session.lane,
                "left_out": left_out,
                "notes": list(dict.fromkeys(notes)),
                "frames": records,
                "end": reason,
            }
        )
    elif is_cut:
        print(f"(More stack frames follow: --limit {limit})")
    elif end is not None and not end.is_outermost:
        print(one_line(str(end)))
    if left_out and not args.json:
        text = "1 frame" if left_out == 1 else f"{left_out} frames"
        notes.append(f"lane {session.lane} was not active on entry to {text}, left out")
    if not args.json:
        print_notes(notes)
    return status
