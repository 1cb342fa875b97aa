"""Offsets in thread-local storage that split units have in `.debug_addr`.

An entry should be an offset, as in other units (DWARF 5 2.6.1.1.2, DW_OP_form_tls_address). GCC has
the assembler write the address of the symbol: gold and lld make the offset of it, GNU ld and mold
the address in PT_TLS. Law: a number that may be either is read as one of them only if the symbols
of the file say which.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.errors import IllFormed
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PT_TLS


def offset_in_thread(
    loaded: ObjectFile, debug: ObjectFile, number: int, names: Callable[[], Iterable[str]]
) -> int:
    """Return the offset in the thread-local storage of a loaded file that a number in `.debug_addr`
    means. `IllFormed` where it may be an offset or an address.

    `debug`: the file with the debug information, whose symbols count too. `names`: returns those of
    the variables with the number; they are asked for if symbols begin at both offsets.
    """
    segment = next((segment for segment in loaded.segments if segment.type == PT_TLS), None)
    if segment is None:
        return number
    readings = {number} if 0 <= number < segment.memory_bytes else set()
    if segment.address <= number < segment.address + segment.memory_bytes:
        readings.add(number - segment.address)
    if len(readings) > 1:
        files = tuple(dict.fromkeys((loaded, debug)))
        begun = readings & {offset for file in files for offset in _offsets_in(file)}
        if len(begun) > 1:
            begun &= {offset for name in names() for file in files for offset in _of(file, name)}
        if len(begun) != 1:
            raise IllFormed(
                f"{number:#x} in .debug_addr may be an offset in the thread-local storage of "
                f"{os.path.basename(loaded.path)}, or the address of offset "
                f"{number - segment.address:#x} there, as gcc -gsplit-dwarf has it written: no "
                "symbol says which"
            )
        readings = begun
    return readings.pop() if readings else number


@kept_with(first)
def _offsets_in(file: ObjectFile) -> frozenset[int]:
    """Return the offsets at which symbols say that thread-local variables begin."""
    return frozenset(
        symbol.address
        for symbol in file.symbols
        if symbol.kind == "thread_local" and symbol.is_in_section
    )


def _of(file: ObjectFile, name: str) -> Iterable[int]:
    """Return the offsets of a variable's symbols; GCC calls that of a function `name.0`."""
    return (
        symbol.address
        for symbol in file.symbols_named(name, f"{name}.")
        if symbol.kind == "thread_local"
    )
