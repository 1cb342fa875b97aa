"""The functions of a file by their addresses: names and source lines for people who read about an
FDE, and which of them are kernels."""

from __future__ import annotations

from bisect import bisect_right

from dwarfgpu.base.cached import cached_property
from dwarfgpu.check.finding import SourcePosition
from dwarfgpu.check.source_positions import line_of
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.producer import LAST_WITHOUT_ROWS, Producer, parse_producer
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.symbols import Symbol


class Functions:
    """The symbols of one file, and the lines of its code."""

    def __init__(self, file: ObjectFile, lines: LineLookup, load_address: int = 0) -> None:
        self._file = file
        self._lines = lines
        self._load_address = load_address

    @property
    def linker_leaves_room(self) -> bool:
        """Whether the linker of the file fills the end of entries with DW_CFA_nop."""
        from dwarfgpu.objfile.linker_room import leaves_room  # few files have as many zeros

        return leaves_room(self._file)

    @cached_property
    def _sorted(self) -> list[Symbol]:
        try:
            symbols = self._file.symbols
        except DwarfGpuError:
            return []
        return sorted(
            (
                symbol
                for symbol in symbols
                if symbol.kind == "function" and symbol.section and symbol.name
            ),
            key=lambda function: function.address,
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [function.address for function in self._sorted]

    def name_at(self, address: int) -> str | None:
        """Return the function at an address; None if the symbols name none."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        function = self._sorted[index]
        inside = address == function.address or address < function.address + function.size_bytes
        return function.name if inside else None

    def source_at(self, address: int) -> SourcePosition | None:
        """Return the source line of an address of the file; None if unknown."""
        return line_of(self._lines, address + self._load_address)

    @cached_property
    def _kernel_entries(self) -> frozenset[int]:
        if self._file.machine != "AMDGPU":
            return frozenset()
        try:
            kernels = read_gpu_code(self._file).kernels
        except DwarfGpuError:
            return frozenset()
        return frozenset(kernel.entry for kernel in kernels if kernel.entry is not None)

    def is_kernel(self, address: int) -> bool:
        """Return whether an AMD GPU kernel begins at an address: it has no caller."""
        return address in self._kernel_entries

    def has_compiler_without_rows(self, address: int) -> bool:
        """Return whether the compiler of AMD GPU code at an address wrote FDEs without rules; that
        of code without a readable unit is one of the file."""
        if self._file.machine != "AMDGPU":
            return False
        compilers: list[Producer] = []
        try:
            unit = self._lines.scopes.linked_unit_at(address + self._load_address)
            if unit is not None:
                compilers = [parse_producer(unit.full.producer)]
        except DwarfGpuError:
            pass
        compilers = compilers or self._compilers
        return bool(compilers) and all(
            who.is_upstream and (who.version or 0) <= LAST_WITHOUT_ROWS for who in compilers
        )

    @cached_property
    def _compilers(self) -> list[Producer]:
        """The compilers that the file names in `.comment`, where linkers name themselves, too."""
        try:
            data = self._file.section_data(".comment")
        except DwarfGpuError:
            return []
        producers = [parse_producer(text.decode("utf-8", "replace")) for text in data.split(b"\0")]
        return [producer for producer in producers if producer.is_clang]

    def is_code(self, address: int) -> bool:
        """Return whether the file has instructions at an address."""
        return self._file.is_code(address)

    def is_beyond(self, address: int) -> bool:
        """Return whether an address is behind all that the file loads, and is not one of the two by
        which linkers mark code that they drop."""
        end = self._file.extent[1]
        return end <= address < (1 << 8 * self._file.address_bytes) - 2
