"""`dwarfgpu bt`: the call frames of a stopped wave or thread, in GDB's words."""

from __future__ import annotations

import argparse
from typing import Final

from attrs import evolve

from dwarfgpu.backtrace import Place, StackFrame, stack_frames
from dwarfgpu.cli import context as options
from dwarfgpu.cli.errors import error_line, one_line
from dwarfgpu.cli.eval import print_json, print_notes, with_demo
from dwarfgpu.cli.repl.frames import contents
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.session import Session
from dwarfgpu.view.locations import location_text
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
        record = _record(frame, with_arguments=not args.no_args)
        if args.json:
            records.append(record)
        else:
            print(one_line(_line(frame, record)))
    end = None if is_cut else session.call_stack.end
    if end is not None and not end.is_outermost:
        status = 1
    if args.json:
        reason: Record | None = None
        if end is not None:
            reason = {"is_outermost": end.is_outermost, "reason": end.reason}
        print_json(
            {
                "schema": SCHEMA,
                "lane": session.lane,
                "left_out": left_out,
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
        print_notes([f"lane {session.lane} was not active on entry to {text}, left out"])
    return status


def _record(frame: StackFrame, *, with_arguments: bool) -> Record:
    """A frame with the keys of GDB's machine interface where it has them."""
    session = frame.session
    place = _place(frame)
    code_object = session.code_object
    arguments: list[Plain] | None = None
    if with_arguments:
        arguments = [{"name": each.name, "value": _value(session, each)} for each in _args(frame)]
    return {
        "level": frame.number,
        "addr": f"{frame.pc:#x}",
        "func": frame.function,
        "args": arguments,
        "file": None if place is None else place.file,
        "fullname": None if place is None else place.path,
        "line": None if place is None else place.line,
        "from": None if code_object is None else str(code_object.file.path),
        "cfa": _cfa(session),
        "physical_level": session.level,
        "is_inlined": frame.is_inlined,
        "is_signal_frame": frame.is_signal_frame,
        "called_by_jump": frame.called_by_jump,
    }


def _place(frame: StackFrame) -> Place | None:
    try:
        return frame.place
    except DwarfGpuError:
        return None


def _cfa(session: Session) -> str | None:
    try:
        return location_text(session.frame.cfa())
    except DwarfGpuError:
        return None


def _args(frame: StackFrame) -> list[Variable]:
    """The arguments of the frame's function."""
    session = frame.session
    if not frame.is_described:
        return []
    try:
        found = session.variables()
    except DwarfGpuError:
        return []
    level = session.inline_level
    return [each for each in found if each.kind == "parameter" and each.inline_level == level]


def _value(session: Session, variable: Variable) -> str:
    try:
        return contents(session, session.read(variable), scalars_only=True)
    except DwarfGpuError as error:
        return f"<error reading variable {variable.name} ({error_line(error)})>"


def _line(frame: StackFrame, record: Record) -> str:
    """`#1  0x… in f (a=1) at file:line`; without the address where a line begins, as in GDB."""
    place = _place(frame)
    if frame.is_signal_frame:
        return f"#{frame.number:<3}<signal handler called>"
    digits = frame.session.architecture.address_bits // 4
    where = f"{frame.pc:#0{digits + 2}x} in "
    if place is not None and place.is_start:
        where = ""
    shown = record["args"]
    arguments = "..." if shown is None and _args(frame) else ""
    if isinstance(shown, list):
        arguments = ", ".join(f"{each['name']}={each['value']}" for each in shown)  # type: ignore[index, call-overload]
    text = f"#{frame.number:<3}{where}{frame.function or '??'} ({arguments})"
    if place is not None:
        text += f" at {place.file}:{place.line}"
    elif record["from"] is not None:
        text += f" from {record['from']}"
    return text + ("  [called by a jump]" if frame.called_by_jump else "")
