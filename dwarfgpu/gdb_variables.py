"""Variables of GDB's selected thread, evaluated by GDB and by us."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import gdb
from attrs import evolve, frozen

from dwarfgpu.backends.ingdb_values import said, value_bytes
from dwarfgpu.callers import call_of
from dwarfgpu.cfi.tail import TailFrame
from dwarfgpu.dwarf.scopes import Variable, covered
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.evaluate import matching_entries
from dwarfgpu.gdb_compare import gdb_frames
from dwarfgpu.gdb_session import Debugger, GdbSession, print_options
from dwarfgpu.gdb_stack import require_stack
from dwarfgpu.view.options import UNAVAILABLE
from dwarfgpu.view.printable import one_line
from dwarfgpu.view.values import OPTIMIZED_OUT

_REGISTER = re.compile(r"b?reg(\d+)")
_NUMBERED = ("regx", "bregx", "regval_type")
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_LOST = "GDB shows what a register holds now that callees need not preserve"
_JUMPED = "GDB takes what a function has passed on that called by a jump"
_PASSED_ON = "functions that have called by a jump have passed it on"
_ABSTRACT = "GDB needs the address of what was called, and the call names its abstract instance"
_LIMITED = "beyond GDB's max-value-size"
_NOWHERE = "only the abstract instance of the function has it"


@frozen
class Compared:
    """A variable of a frame."""

    number: int
    """Of GDB's frame."""
    name: str
    theirs: str
    ours: str
    reason: str | None = None
    """Why it differs, where that is known."""

    @property
    def is_same(self) -> bool:
        return self.theirs == self.ours

    def __str__(self) -> str:
        why = "" if self.reason is None else f" ({self.reason})"
        return f"#{self.number:<3}{self.name}: GDB has {self.theirs}, dwarfgpu {self.ours}{why}"


def compare_variables(debugger: Debugger, frame: gdb.Frame) -> Iterator[Compared]:
    """The arguments and local variables of a frame's function, by their bytes.

    None of a frame that only GDB has: its registers are GDB's for us too.

    Where GDB does not tell bytes, because the object is not in memory, by their texts. GDB is left
    in its frame.
    """
    session = debugger.session(frame)
    if session.gdb_frame is not None:
        return
    try:
        own = {(each.name, each.decl_line or 0): each for each in session.variables()}
    except DwarfGpuError:
        own = {}
    for symbol, block in _symbols(frame):
        variable = own.get((symbol.name, symbol.line))
        with _selected(frame):
            theirs, data = _by_gdb(frame, symbol, block)
        if variable is None:
            why = _NOWHERE if theirs == OPTIMIZED_OUT else None
            yield Compared(frame.level(), symbol.name, theirs, "no such variable", why)
            continue
        ours, held = _by_us(session, variable)
        if data is not None and held is not None:
            theirs, ours = data.hex(), held.hex()
        reason = None if theirs == ours else _reason(frame, session, variable, theirs, ours)
        yield Compared(frame.level(), symbol.name, theirs, ours, reason)


def report(debugger: Debugger, *, all_frames: bool) -> Iterator[str]:
    """The lines of `dwarfgpu compare`."""
    require_stack()
    chosen = list(gdb_frames()) if all_frames else [gdb.selected_frame()]
    found = [each for frame in chosen for each in compare_variables(debugger, frame)]
    yield from (one_line(str(each)) for each in found if not each.is_same)
    same = sum(each.is_same for each in found)
    known = sum(not each.is_same and each.reason is not None for each in found)
    frames = "1 frame" if len(chosen) == 1 else f"{len(chosen)} frames"
    yield (
        f"{len(found)} variables of {frames}: {same} are the same, {known} differ for a known "
        f"reason, {len(found) - same - known} differ"
    )


@contextmanager
def _selected(frame: gdb.Frame) -> Iterator[None]:
    """GDB computes the lengths of arrays in its selected frame."""
    before = gdb.selected_frame()
    frame.select()
    try:
        yield
    finally:
        before.select()


def _reason(
    frame: gdb.Frame, session: GdbSession, variable: Variable, theirs: str, ours: str
) -> str | None:
    """Why the two differ, where that is known."""
    if theirs.startswith("<error: value requires"):
        return _LIMITED
    if theirs == OPTIMIZED_OUT:
        stack, level = session.call_stack, session.level
        if stack is not None and any(
            isinstance(stack.frame(each), TailFrame) for each in (level, level + 1)
        ):
            return _PASSED_ON
        return _ABSTRACT if _called_as_abstract(session) else None
    if ours != OPTIMIZED_OUT:
        return None
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    older = frame.older()
    if older is not None and older.type() == gdb.TAILCALL_FRAME:
        return _JUMPED
    return _LOST if session.level and _is_lost(session, variable) else None


def _called_as_abstract(session: GdbSession) -> bool:
    """Whether the call that made the frame names an entry without code."""
    try:
        calling, return_address = session.calling()
        call = call_of(calling.code_object, return_address)
        return call is not None and call.callee is not None and not covered(call.callee)
    except DwarfGpuError:
        return False


def _symbols(frame: gdb.Frame) -> Iterator[tuple[gdb.Symbol, gdb.Block]]:
    """The variables of the function, the innermost block first; none without debug information."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                yield symbol, block
        if block.function is not None:
            return
        block = block.superblock


def _by_gdb(frame: gdb.Frame, symbol: gdb.Symbol, block: gdb.Block) -> tuple[str, bytes | None]:
    """Its text, and its bytes where it is in memory or refers to it."""
    try:
        value = frame.read_var(symbol, block)
        if value.is_optimized_out:
            return OPTIMIZED_OUT, None
        size_bytes = value.type.sizeof
        if value.type.strip_typedefs().code in _REFERENCES:
            address = int(value.referenced_value().address) % (1 << 8 * size_bytes)
            return f"@{address:#x}", address.to_bytes(size_bytes, sys.byteorder)
        text = value.format_string(raw=True)
        if value.address is None or not size_bytes:
            return text, _scalar(value)
        address = int(value.address) % (1 << 64)
        return text, bytes(gdb.selected_inferior().read_memory(address, size_bytes))
    except gdb.MemoryError:
        return UNAVAILABLE, None
    except (gdb.error, ValueError, OverflowError) as error:
        return f"<error: {said(error)}>", None


def _scalar(value: gdb.Value) -> bytes | None:
    """The bytes of what is in no memory; None of a structure, of which GDB does not give them."""
    try:
        return value_bytes(value, sys.byteorder)
    except (gdb.error, ValueError, OverflowError):
        return None


def _by_us(session: GdbSession, variable: Variable) -> tuple[str, bytes | None]:
    reading = session.read(variable)
    try:
        options = evolve(print_options(), cplusplus=variable.unit.is_cplusplus)
        text = session.text(reading, options)
    except Unavailable:
        return UNAVAILABLE, None
    except DwarfGpuError as error:
        return f"<error: {error}>", None
    bits = reading.bits
    data = None
    if bits is not None and bits.is_complete and bits.size_bits % 8 == 0:
        data = bits.to_bytes(session.architecture.endian)
    return text.removeprefix(f"({variable.type_text}) "), data


def _is_lost(session: GdbSession, variable: Variable) -> bool:
    """Whether its location is by a register that no rule and no ABI gives an outer frame."""
    match variable.location:
        case LocList() as attribute:
            expressions = [
                each.expression for each in matching_entries(attribute.entries, session.pc)
            ]
        case ExprLoc() as attribute:
            expressions = [attribute.expression]
        case _:
            return False
    unit, frame = variable.unit, session.frame
    for expression in expressions:
        for each in decode(expression, unit.dialect, unit.format).instructions:
            name = _REGISTER.fullmatch(each.operation.name)
            number = int(name[1]) if name else None
            if each.operation.name in _NUMBERED and isinstance(each.operands[0], int):
                number = each.operands[0]
            if number is not None and frame.register(number).is_undefined:
                return True
    return False
