"""The functions of a file by their addresses: names and source lines for people who read about an
FDE, which of them are kernels, and whether FDEs describe code (DWARF 5 6.4.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from dwarfgpu.base.cached import cached_property
from dwarfgpu.cfi.fde_columns import FdeColumns
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.check.finding import SourcePosition
from dwarfgpu.check.source_positions import line_of
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.producer import LAST_WITHOUT_ROWS, Producer, parse_producer
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.gpu_code import read_gpu_code
from dwarfgpu.objfile.symbols import Symbol

_OUTSIDE: Final = "fde-outside-file"


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

    def span_faults(self, section: FrameSection) -> Iterator[SpanFault]:
        """Yield the FDEs of the same code as another, and of none, by their addresses; those of
        code that a linker dropped have no faults."""
        columns = section.fde_columns
        starts, sizes, programs = columns.starts, columns.sizes, columns.programs
        beyond = self._beyond
        code_begin = last = last_end = -1
        code_end: int | None = None
        for row in columns.order:
            begin = starts[row]
            end = begin + sizes[row]
            if begin == end or not programs[row]:
                continue
            if begin != code_begin:
                code_begin = begin
                code_end = None if begin >= beyond.start else self._file.code_end(begin)
            if code_end is None:
                if begin in beyond:
                    yield SpanFault(columns, row, _OUTSIDE)
                continue
            if end > code_end:
                most = 1 << 8 * section.cie_at(columns.cies[row]).format.address_size
                if end <= most and not self._is_of_code(begin, end):  # else reported as inverted
                    yield SpanFault(columns, row, _OUTSIDE, is_in_code=True)
            if begin < last_end:
                yield SpanFault(columns, row, "overlapping-fdes", last)
            if end > last_end:
                last, last_end = row, end

    @property
    def _beyond(self) -> range:
        """The addresses behind all that the file loads, but for the two by which linkers mark code
        that they drop."""
        return range(self._file.extent[1], (1 << 8 * self._file.address_bytes) - 2)

    def _is_of_code(self, begin: int, end: int) -> bool:
        """Return whether a range that begins in code and ends behind that ends in other code, or is
        of code that a linker dropped: where the file has code at 0, it seems to begin in that."""
        is_dropped = not begin and not self._file.is_relocatable
        return is_dropped or self._file.is_code(end - 1)


class SpanFault(NamedTuple):
    """A wrong range of an FDE; most of them are only counted."""

    columns: FdeColumns
    row: int
    rule: str
    other: int = -1
    """The row of the FDE of the same code."""
    is_in_code: bool = False
    """Whether the range begins in code."""

    @property
    def message(self) -> str:
        span = self._span(self.row)
        if self.other >= 0:
            offset = self.columns.offsets[self.other]
            described = f"the FDE at {offset:#x}, which describes {self._span(self.other)}"
            return f"{span} overlaps {described}"
        if self.is_in_code:
            return f"{span} begins in code, and ends in none"
        return f"{span} is behind all of the file"

    def _span(self, row: int) -> str:
        begin = self.columns.starts[row]
        return f"[{begin:#x},{begin + self.columns.sizes[row]:#x})"
