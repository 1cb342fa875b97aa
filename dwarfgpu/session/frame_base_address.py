"""The base address of a frame of x86, as GDB finds it in the first instructions of the function.

`info frame` shows it as that of the arguments, and `$fp` is it.
"""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu.access.exact_reads import memory_bytes
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session


def frame_base_address(session: Session) -> int | None:
    """Return the address: the frame pointer where the function has saved that and set it; else the
    stack pointer where it has saved the other, and below before; where it aligns the stack, what
    that was before counts. None where that is not known, and for other architectures."""
    physical, architecture = session.physical_frame, session.architecture
    prologue = architecture.abi.prologue
    if prologue is None or session.target is None or physical is None:
        return None
    start = _start(session)
    begin = b"" if start is None else _code(session, start, prologue.most_bytes)
    executed = 0 if start is None else physical.pc - start
    landing, push = prologue.landing, prologue.push
    if executed > len(landing) and begin.startswith(landing):
        begin, executed = begin.removeprefix(landing), executed - len(landing)
    alignment = prologue.alignment_in(begin)
    kept = prologue.kept_in(alignment, executed)
    begin, executed = begin.removeprefix(alignment), executed - len(alignment)
    has_pushed = executed > 0 and begin.startswith(push)
    has_moved = begin.removeprefix(push).startswith(prologue.moves)
    has_base = has_pushed and executed > len(push) and has_moved
    base, top = architecture.by_name[prologue.base].number, architecture.stack_pointer
    number = base if has_base else top if kept is None else kept
    assert number is not None
    try:
        bits = physical.contents(number)
    except DwarfGpuError:
        return None
    if not bits.is_complete:
        return None
    word_bytes = architecture.address_bits // 8
    if kept is not None and not has_base:
        return (bits.value - word_bytes & -16) - word_bytes
    return bits.value if has_pushed else bits.value - word_bytes


def _start(session: Session) -> int | None:
    """Return where the function begins; where no entry describes it, by its symbol."""
    subprogram = session.frame.subprogram
    if subprogram is not None:
        return subprogram.ranges[0].begin if subprogram.ranges else None
    pc = session.pc
    symbol = None if pc is None else symbol_covering(session.code_objects, pc)
    return None if symbol is None or pc is None else pc - symbol.offset


def _code(session: Session, address: int, most_bytes: int) -> bytes:
    """Return the code at an address: fewer bytes where memory ends before."""
    where = Memory(session.architecture.address_space(0))
    assert session.target is not None
    for size_bytes in range(most_bytes, 0, -1):
        with suppress(DwarfGpuError):
            return memory_bytes(session.target, where, address, size_bytes)
    return b""
