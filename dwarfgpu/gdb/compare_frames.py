"""Our frames of GDB's selected thread against GDB's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import gdb

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.gdb.gdb_session import Debugger
from dwarfgpu.gdb.machine.gdb_target import frame_architecture, frame_cfa
from dwarfgpu.gdb.machine.gdb_values import function_name, source_path
from dwarfgpu.gdb.machine.interruptions import older_frame
from dwarfgpu.gdb.machine.registers_of_frames import Contents, RegistersOfFrames
from dwarfgpu.gdb.stack_by_cfi import aligned, is_left, require_stack
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, functions_at
from dwarfgpu.view.frame_style import frame_number
from dwarfgpu.view.location_text import location_text

GUESSED = "GDB continues without call frame information"
TAIL_CALL_STACK_POINTER = (
    "GDB shows the stack pointer of the function that made a tail call as its caller's"
)
DROPPED = "GDB drops rows of the line table that continue the line before them"
_GROUP = re.compile(r"\([^()<>]*\)|<[^()<>]*>")


@frozen
class Difference:
    """Something of a frame that is not the same."""

    number: int
    """The number of GDB's frame."""
    what: str
    gdb_text: str
    own_text: str
    reason: str | None = None
    """Why, where that is known."""

    def __str__(self) -> str:
        why = "" if self.reason is None else f" ({self.reason})"
        subject = f"{frame_number(self.number)}{self.what}"
        return f"{subject}: GDB has {self.gdb_text}, dwarfgpu {self.own_text}{why}"


@frozen
class Comparison:
    """The result of comparing all frames of the selected thread."""

    frames: int
    facts: int
    """Program locations, functions, lines, CFAs and registers."""
    differences: tuple[Difference, ...]


def compare(debugger: Debugger) -> Comparison:
    """Compare GDB's frames and those of dwarfgpu: pc, function, line, CFA, and the registers that
    calls preserve.

    A tail-call frame that only one of them has is a difference
    too. GDB is left in its frame.
    """
    require_stack()
    differences: list[Difference] = []
    machine = frame_architecture(gdb.newest_frame())
    registers = RegistersOfFrames(machine.program_counter)
    count = facts = 0
    for gdb_frame, own_frame in aligned(debugger):
        count += 1
        if gdb_frame is None:
            assert own_frame is not None
            facts += 1
            subject = "tail call" if own_frame.is_tail_call else "frame"
            differences.append(
                Difference(own_frame.number, subject, "none", _our_source_line(own_frame))
            )
            if own_frame.is_tail_call:
                continue
            break
        if own_frame is None:
            facts += 1
            subject = "tail call" if is_left(gdb_frame) else "frame"
            why = None if is_left(gdb_frame) else _why_ended(debugger)
            differences.append(
                Difference(gdb_frame.level(), subject, _where(gdb_frame), "none", why)
            )
            if is_left(gdb_frame):
                continue
            break
        for subject, their_text, two in _facts(gdb_frame, own_frame, registers):
            facts += 1
            if their_text != two:
                why = _why(own_frame, subject, their_text, two)
                differences.append(Difference(gdb_frame.level(), subject, their_text, two, why))
    return Comparison(count, facts, tuple(differences))


def _why(own_frame: StackFrame, subject: str, their_text: str, two: str) -> str | None:
    """Return why a fact differs, where that is known."""
    if _is_after_return(own_frame, subject, their_text, two):
        return TAIL_CALL_STACK_POINTER
    return (
        DROPPED if subject == "line" and their_text == _line_with_dropped_rows(own_frame) else None
    )


def _line_with_dropped_rows(own_frame: StackFrame) -> str | None:
    """Return the line without the rows that GDB drops: those that continue the line before."""
    session = own_frame.session
    code_object, pc = session.code_object, session.pc
    unit = None if code_object is None or pc is None else code_object.scopes.linked_unit_at(pc)
    if code_object is None or pc is None or unit is None or unit.line_table is None:
        return None
    if own_frame.position is None or session.inline_level:
        return None
    address = code_object.info.in_file(pc)
    row = unit.line_table.line_at(address)
    while row is not None and not unit.line_table.begins_line(row[1].begin):
        row = unit.line_table.line_at(row[1].begin - 1)
    return None if row is None else f"{Path(own_frame.position.path).name}:{row[0].line}"


def _is_after_return(own_frame: StackFrame, subject: str, their_text: str, two: str) -> bool:
    """Return whether GDB has the stack pointer as it is when the function that was jumped to
    returns."""
    arch = own_frame.session.architecture
    if not own_frame.is_tail_call or arch.stack_pointer is None or not (their_text + two).isalnum():
        return False
    is_pointer = subject == arch.register(arch.stack_pointer).name
    return is_pointer and int(their_text, 16) - int(two, 16) == arch.pushed_bytes


def _why_ended(debugger: Debugger) -> str | None:
    """Return why GDB's frames end: GDB reads the code to find frames without frame information
    (docs/gdb-differences.md)."""
    stack = debugger.session(gdb.newest_frame()).call_stack
    is_untold = stack is not None and str(stack.end).startswith("stopped: no frame information")
    return GUESSED if is_untold else None


def gdb_frames() -> Iterator[gdb.Frame]:
    """Yield GDB's frames from the newest outwards."""
    require_stack()
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        frame = older_frame(frame)


def _where(frame: gdb.Frame) -> str:
    return f"{frame.pc():#x} in {function_name(frame)}"


def _our_source_line(frame: StackFrame) -> str:
    return f"{frame.pc:#x} in {frame.function}"


def _facts(
    gdb_frame: gdb.Frame, own_frame: StackFrame, registers: RegistersOfFrames
) -> Iterator[tuple[str, str, str]]:
    """Yield the facts about a frame from GDB and from dwarfgpu."""
    is_signal = gdb_frame.type() == gdb.SIGTRAMP_FRAME
    yield "kind", _kind(gdb_frame), _our_kind(own_frame)
    yield "pc", f"{gdb_frame.pc():#x}", f"{own_frame.pc:#x}"
    if own_frame.is_described and not is_signal:
        yield "function", *_names(gdb_frame, own_frame)
    sal, position = gdb_frame.find_sal(), own_frame.position
    path = source_path(sal.symtab) if sal.symtab else None
    line = f"{Path(path).name}:{sal.line}" if path and sal.line else "none"
    own = "none" if position is None else f"{Path(position.path).name}:{position.line}"
    if position is not None or not _is_of_no_line(own_frame.session):
        yield "line", line, own
    physical = own_frame.session.physical_frame
    if own_frame.is_inlined or physical is None:
        return
    stack = own_frame.session.call_stack
    if stack is not None and stack.frame(physical.level + 1) is not None:
        yield "CFA", _cfa(gdb_frame), _our_cfa(physical)
    arch = physical.architecture
    preserved = {*(arch.preserved or ()), arch.stack_pointer, arch.program_counter} - {None}
    preserved -= arch.set_for_signals  # GDB shows what a handler has
    names = {register.name for register in gdb_frame.architecture().registers()}
    infos = [arch.register(number) for number in sorted(n for n in preserved if n is not None)]
    read = registers.of(gdb_frame, [info for info in infos if info.name in names])
    for info, data in read.items():
        yield info.name, *_register(data, physical, info)


def _is_of_no_line(session: Session) -> bool:
    """Return whether the line table says so (line 0, DWARF 5 6.2.2): GDB shows the line before."""
    code_object, pc = session.code_object, session.pc
    unit = None if code_object is None or pc is None else code_object.scopes.linked_unit_at(pc)
    if code_object is None or pc is None or unit is None or unit.line_table is None:
        return False
    row = unit.line_table.line_at(code_object.info.in_file(pc))
    return row is not None and not row[0].line


def _kind(frame: gdb.Frame) -> str:
    if frame.type() == gdb.INLINE_FRAME:
        return "inlined"
    return "signal" if frame.type() == gdb.SIGTRAMP_FRAME else "called"


def _our_kind(frame: StackFrame) -> str:
    return "inlined" if frame.is_inlined else "signal" if frame.is_signal_frame else "called"


def _names(gdb_frame: gdb.Frame, own_frame: StackFrame) -> tuple[str, str]:
    """Return both names of a function: GDB uses scopes in C++, the linkage name in C."""
    their_text, two = _unqualified(function_name(gdb_frame)), _unqualified(own_frame.function)
    function = functions_at(own_frame.session)[own_frame.session.inline_level]
    if function.linkage_name == their_text:
        return two, two
    return their_text, two


def _unqualified(name: str | None) -> str:
    """Return a name without scopes, template arguments and parameters."""
    text = (name or "??").replace("operator()", "operator call")
    while text != (shorter := _GROUP.sub("", text)):
        text = shorter
    return text.rpartition("::")[2].removesuffix(" const")


def _cfa(frame: gdb.Frame) -> str:
    try:
        return f"{frame_cfa(frame):#x}"
    except DwarfGpuError as error:
        return str(error)


def _our_cfa(frame: CfiFrame) -> str:
    try:
        cfa = frame.cfa()
    except DwarfGpuError as error:
        return str(error)
    address = cfa.single_locations[0].byte_address
    return location_text(cfa) if address is None else f"{address:#x}"


def _register(data: Contents, own_frame: CfiFrame, register: RegisterInfo) -> tuple[str, str]:
    """Return the parts of the register that a call preserves."""
    number = register.number
    assert number is not None
    mask = (1 << own_frame.architecture.preserved_bits.get(number, register.size_bits)) - 1
    if isinstance(data, bytes):
        their_text = f"{int.from_bytes(data, register.type.endian) & mask:#x}"
    else:
        their_text = "lost" if data is None else str(data)
    try:
        bits = own_frame.contents(number)
        two = "lost" if bits.unknown & mask else f"{bits.value & mask:#x}"
    except DwarfGpuError as error:
        two = str(error)
    return their_text, two
