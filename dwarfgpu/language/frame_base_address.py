"""The base address of a frame, as GDB finds it in the first instructions of the function.

`info frame` shows it as that of the arguments, and `$fp` is it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from dwarfgpu.access.exact_reads import memory_bytes
from dwarfgpu.arch.x86_prologue import head_of
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.source_lines import step_at
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session

_MOST_BYTES: Final = 1024
"""Of a function, for the analysis of its beginning."""


def frame_base_address(session: Session) -> int | None:
    """Return the address; None where it is not known, and for other architectures than x86 and
    AArch64.

    On x86, the frame pointer where the function has saved that and set it; else the stack pointer
    where it has saved the other, and below before; where it aligns the stack, what that was before
    counts. On i386 what other registers occupy is left out, the frame pointer is taken to be set in
    code of no function, and the base is 0 where the frame pointer is.
    """
    physical, architecture = session.physical_frame, session.architecture
    if session.target is None or physical is None:
        return None
    if architecture.abi.frame_register is not None:
        name = _frame_register(session, physical, architecture.abi.frame_register)
        number = None if name is None else architecture.by_name[name].number
        return None if number is None else _contents(physical, number)
    prologue = architecture.abi.prologue
    if prologue is None:
        return None
    base, top = architecture.by_name[prologue.base].number, architecture.stack_pointer
    assert base is not None
    if prologue.is_of_i386 and _contents(physical, base) == 0:
        return 0
    start = _start(session)
    executed = 0 if start is None else physical.pc - start

    def code(offset: int, most_bytes: int) -> bytes:
        return b"" if start is None else _code(session, start + offset, most_bytes)

    head = head_of(prologue, code)
    kept = head.kept(executed)
    is_taken = head.is_set(executed)
    if start is None and prologue.is_of_i386:
        is_taken = bool(_code(session, physical.pc, 1))  # no frame was set behind a wrong jump
    number = base if is_taken else top if kept is None else architecture.by_name[kept].number
    assert number is not None
    value = _contents(physical, number)
    if value is None:
        return None
    word_bytes = architecture.address_bits // 8
    if is_taken:
        return value
    if kept is not None:
        return (value - word_bytes & -16) - word_bytes
    return value + word_bytes * (head.pushes(executed) - 1)


def _contents(physical: CfiFrame, number: int) -> int | None:
    """Return the contents of a register in a frame; None if they are not known."""
    try:
        bits = physical.contents(number)
    except DwarfGpuError:
        return None
    return bits.value if bits.is_complete else None


def _frame_register(
    session: Session, physical: CfiFrame, of_code: Callable[[bytes | None], str | None]
) -> str | None:
    """Return the register from which to count, by the executed code of the function's first
    line."""
    start = _start(session)
    if start is None:
        return of_code(None)
    step = step_at(session, start)
    end = physical.pc if step is None else min(step.end, physical.pc)
    return of_code(_code(session, start, max(min(end - start, _MOST_BYTES), 0)))


def _start(session: Session) -> int | None:
    """Return where the function begins; where no entry that can be read describes it, by its
    symbol."""
    with suppress(DwarfGpuError):  # its split file is not found
        subprogram = session.frame.subprogram
        if subprogram is not None:
            return subprogram.entry
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
