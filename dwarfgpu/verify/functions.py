"""The functions of a file by their addresses, for people who read about an FDE."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from dwarfgpu.dwarf.lists import Range, covers, merged
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import SHF_EXECINSTR, ObjectFile
from dwarfgpu.objfile.symbols import Symbol


class Functions:
    """The symbols of one file."""

    def __init__(self, file: ObjectFile) -> None:
        self._file = file

    @cached_property
    def _sorted(self) -> list[Symbol]:
        try:
            symbols = self._file.symbols
        except DwarfGpuError:
            return []
        return sorted(
            (each for each in symbols if each.kind == "function" and each.section and each.name),
            key=lambda each: each.address,
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [each.address for each in self._sorted]

    def name_at(self, address: int) -> str | None:
        """The function that an address is in; None where the symbols tell none."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        found = self._sorted[index]
        inside = address == found.address or address < found.address + found.size_bytes
        return found.name if inside else None

    @cached_property
    def _code(self) -> tuple[Range, ...]:
        return merged(
            Range(each.address, each.address + each.size_bytes)
            for each in self._file.sections
            if each.flags & SHF_EXECINSTR
        )

    def is_code(self, address: int) -> bool:
        """Whether the file has instructions at an address."""
        return covers(self._code, address)
