"""A call frame as GDB shows it: one line, and the facts by the names of GDB's machine interface."""

from __future__ import annotations

from dwarfgpu.backtrace import StackFrame
from dwarfgpu.cli.errors import error_line
from dwarfgpu.cli.repl.frames import contents, frame_words
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session import Session
from dwarfgpu.view.locations import location_text
from dwarfgpu.view.plain import Plain, Record


def frame_record(frame: StackFrame, *, with_arguments: bool) -> Record:
    """A frame with the keys of GDB's machine interface where it has them."""
    session = frame.session
    place, code_object = frame.place, session.code_object
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


def frame_text(frame: StackFrame, record: Record) -> str:
    """`#1  0x… in f (a=1) at file:line`; without the address where a line begins, as in GDB."""
    if frame.is_signal_frame:
        return f"#{frame.number:<3}<signal handler called>"
    shown = record["args"]
    arguments = "..." if shown is None and _args(frame) else ""
    if isinstance(shown, list):
        arguments = ", ".join(f"{each['name']}={each['value']}" for each in shown)  # type: ignore[index, call-overload]
    call = f"{frame.function or '??'} ({arguments})"
    origin = None if record["from"] is None else str(record["from"])
    digits = frame.session.architecture.address_bits // 4
    text = f"#{frame.number:<3}{frame_words(frame.pc, digits, call, frame.place, origin)}"
    return text + ("  [called by a jump]" if frame.called_by_jump else "")
