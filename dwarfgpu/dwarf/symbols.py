"""Addresses by the symbols of code objects, as GDB shows them beside pointers: `g+40`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile, Symbol


@lru_cache(maxsize=16)
def _sorted(file: ObjectFile) -> tuple[list[int], list[Symbol]]:
    """The symbols of places, by address; of equal addresses, the one with a size last."""
    known = [
        each
        for each in file.symbols
        if each.section and each.name and each.kind in ("function", "object")
    ]
    known.sort(key=lambda each: (each.address, each.size_bytes > 0))
    return [each.address for each in known], known


def symbol_text(code_objects: Iterable[CodeObject], address: int) -> str | None:
    """`g`, `g+40`; None outside the sections of all linked files, and past a symbol's end."""
    for code_object in code_objects:
        file = code_object.file
        if file.is_relocatable:
            continue  # its sections all begin at 0: an address does not tell which one is meant
        inside = address - code_object.load_address
        section = next((each for each in file.sections if each.covers(inside)), None)
        if section is None:
            continue
        addresses, symbols = _sorted(file)
        index = bisect_right(addresses, inside) - 1
        if index < 0 or not section.covers(addresses[index]):
            return None
        symbol, offset = symbols[index], inside - addresses[index]
        if symbol.size_bytes and offset >= symbol.size_bytes:
            return None
        return f"{symbol.name}+{offset}" if offset else symbol.name
    return None
