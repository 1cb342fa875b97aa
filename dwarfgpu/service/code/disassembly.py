"""Disassemble an object file, with functions, source lines and branch targets.

Used by `disas`, the prompt and GDB. `dwarfgpu.isa` decodes instructions of AMD GPUs, capstone those
of a host, if it is installed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from dwarfgpu.arch.processors import processor
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.names.demangle import MANGLED, shown_symbol
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.scope.symbol_at_address import sized_symbol_at
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import DwarfGpuError, Malformed, Unsupported, UsageError
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.descriptor_text import directives
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.tables import isa_target
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHF_EXECINSTR, SHT_NOBITS, Section
from dwarfgpu.objfile.file_architecture import processor_name
from dwarfgpu.objfile.gpu_code import GpuCode, read_gpu_code
from dwarfgpu.objfile.kernel_descriptor import KernelDescriptor
from dwarfgpu.objfile.kernel_symbols import Kernel, kernels, wave_size
from dwarfgpu.objfile.separate_debug import without_code
from dwarfgpu.objfile.symbols import is_literal
from dwarfgpu.service.code.code_origins import CodeOrigin, CodeOrigins
from dwarfgpu.service.code.host_code import MOST_BYTES, host_instructions, require_capstone
from dwarfgpu.service.error_text import error_line

_AT_ONCE: Final = 1 << 16
"""Bytes of code that are read at once, so that no size of a function needs much memory."""
_NUMBER_BITS: Final = 32
"""Of the number of a symbol."""
_MAX_KEPT: Final = 1_000
"""Ranges that are kept; those of a file with more are made anew where they are asked for."""


@frozen
class CodeRange:
    """Code from one symbol to the next."""

    name: str
    """As people write it; the section where no symbol names it."""
    symbol: str
    """Its name in the symbol table; empty where no symbol names it."""
    begin: int
    """As loaded."""
    end: int
    """Where the next symbol is."""
    symbol_end: int
    """Where its symbol ends: before padding; `end` for a symbol without a size."""
    has_size: bool = True
    """Whether its symbol says where it ends."""

    def covers(self, pc: int) -> bool:
        return self.begin <= pc < self.end


@frozen(eq=False)
class CodeLine:
    """One instruction, or bytes that are none."""

    address: int
    """As loaded."""
    data: bytes
    text: str
    """Mnemonic and operands; `.long 0x…, 0x…` or `.byte 0x…` for undefined ones."""
    target: int | None
    """Where a branch goes to."""
    target_name: str | None
    """The target relative to a symbol: `nest+0x7c`."""
    instruction: Instruction | None
    """The decoded instruction; None for a CPU."""
    is_unknown: bool = False
    """Whether the bytes may be an instruction that the processor's table lacks."""

    @property
    def is_defined(self) -> bool:
        """Whether the bytes are an instruction."""
        return not self.text.startswith((".long", ".byte"))


class Disassembly:
    """The code of one file."""

    def __init__(self, code_object: CodeObject, *, is_mangled: bool = False) -> None:
        self.code_object = code_object
        self.file = code_object.file
        self._base = code_object.load_address
        self._is_mangled = is_mangled
        self.lines = LineLookup(code_object.scopes)
        self._kept = KeptAnswers[int, CodeRange](_MAX_KEPT)

    @cached_property
    def processor(self) -> str | None:
        """The name of the AMD GPU; None for the code of a host."""
        return processor_name(self.file) if self.file.machine == "AMDGPU" else None

    def require_decoder(self) -> None:
        """Raise `Unsupported` if no decoder of the file's instructions is available: those of a
        host need capstone."""
        if self.processor is None:
            require_capstone(self.file.machine)

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        return kernels(self.file) if self.processor else ()

    @cached_property
    def default_wave_size(self) -> int | None:
        """The wave size of code without a kernel's entry: that of all kernels, or the processor's
        default."""
        if self.processor is None:
            return None
        size = wave_size(self.file)
        sizes = isa_target(self.processor)
        return size if size is not None else sizes.wave_size

    @cached_property
    def ranges(self) -> tuple[CodeRange, ...]:
        """All code of the file in order of its addresses, cut where symbols are."""
        return tuple(map(self._range, range(len(self._begins))))

    @cached_property
    def _labels(self) -> tuple[array[int], array[int]]:
        """Where symbols begin in the file, in order, and which name these addresses: the number of
        the file in `_symbol_files`, in the upper half, and that of the symbol. The last function,
        else the first symbol."""
        addresses, chosen, is_function = list[int](), array("Q"), bytearray()
        for index, file in enumerate(self._symbol_files):
            for address, number, is_code in file.labels():
                addresses.append(address)
                chosen.append(index << _NUMBER_BITS | number)
                is_function.append(is_code)
        starts, names = array("Q"), array("Q")
        for index in sorted(range(len(addresses)), key=addresses.__getitem__):
            if not starts or starts[-1] != addresses[index]:
                starts.append(addresses[index])
                names.append(chosen[index])
            elif is_function[index]:
                names[-1] = chosen[index]
        return starts, names

    @cached_property
    def _symbol_files(self) -> tuple[ObjectFile, ...]:
        return symbol_files(self.code_object)

    @cached_property
    def _cuts(self) -> tuple[array[int], array[int]]:
        """Where ranges begin in the file, in order, and the indexes of their sections."""
        starts, _ = self._labels
        begins, sections = array("Q"), array("I")
        order = range(len(self._sections))
        by_address = sorted(order, key=lambda index: self._sections[index].address)
        for index in order if self._overlap else by_address:
            begin, end = self._span(index)
            inside = starts[bisect_left(starts, begin) : bisect_left(starts, end)]
            if not inside or inside[0] != begin:
                inside.insert(0, begin)
            begins += inside
            sections += array("I", (index,)) * len(inside)
        if self._overlap:
            numbers = sorted(range(len(begins)), key=begins.__getitem__)
            begins = array("Q", map(begins.__getitem__, numbers))
            sections = array("I", map(sections.__getitem__, numbers))
        return begins, sections

    def _span(self, index: int) -> tuple[int, int]:
        """Return the addresses of a section in the file."""
        section = self._sections[index]
        return section.address, section.address + section.size_bytes

    @cached_property
    def _overlap(self) -> bool:
        """Whether an address is in several sections."""
        spans = sorted(map(self._span, range(len(self._sections))))
        return any(end > begin for (_, end), (begin, _) in pairwise(spans))

    @property
    def _begins(self) -> array[int]:
        return self._cuts[0]

    def _range(self, index: int) -> CodeRange:
        return self._kept.answer(index, self._made_range)

    def _made_range(self, index: int) -> CodeRange:
        begins, sections = self._cuts
        starts, names = self._labels
        start, section = begins[index], self._sections[sections[index]]
        following = bisect_right(starts, start)
        _, stop = self._span(sections[index])
        if following < len(starts):
            stop = min(stop, starts[following])
        begin, end = start + self._base, stop + self._base
        if not following or starts[following - 1] != start:
            return CodeRange(section.name, "", begin, end, end, has_size=False)
        file, number = divmod(names[following - 1], 1 << _NUMBER_BITS)
        symbol = self._symbol_files[file].symbols[number]
        shown = shown_symbol(symbol.name, is_mangled=self._is_mangled)
        size = min(symbol.size_bytes or stop - start, stop - start)
        return CodeRange(
            shown or section.name, symbol.name, begin, end, begin + size, symbol.size_bytes > 0
        )

    @cached_property
    def _sections(self) -> tuple[Section, ...]:
        """The sections with code, in the file's order."""
        sections: list[Section] = []
        for section in self.file.sections:
            if not section.flags & SHF_EXECINSTR or section.type == SHT_NOBITS:
                continue
            address, size = section.address, section.size_bytes
            if address + size > 1 << 64:
                where = f"the code from {address:#x} on has {size:#x} bytes"
                raise Malformed(f"section {section.name}: {where}: no address is so large")
            if size:
                sections.append(section)
        return tuple(sections)

    @cached_property
    def _sections_by_address(self) -> SpanIndex[int]:
        """The indexes of the sections with code."""
        spans = ((item.address, item.address + item.size_bytes) for item in self._sections)
        return SpanIndex((span, index) for index, span in enumerate(spans))

    def range_at(self, pc: int) -> CodeRange | None:
        """Return the range with a program location; None if the file has no code."""
        index = bisect_right(self._begins, pc - self._base) - 1
        item = self._range(index) if index >= 0 else None
        return item if item is not None and item.covers(pc) else None

    def ranges_between(self, begin: int, end: int) -> Iterator[CodeRange]:
        """Yield the ranges with addresses of a span, in order."""
        first = bisect_right(self._begins, begin - self._base) - 1
        for index in range(0 if self._overlap else max(first, 0), len(self._begins)):
            item = self._range(index)
            if item.begin >= end:
                break
            if begin < item.end:
                yield item

    def function_at(self, pc: int) -> CodeRange | None:
        """Return the code of the innermost symbol whose size covers a program location, with the
        symbols inside it; or of a described function there that begins behind a symbol without a
        size; without either, the range there. None if the file has no code."""
        item = self._of_symbol(pc)
        if item is None or (item.has_size and pc < item.symbol_end):
            return item
        described = self._described_at(pc)
        is_nearer = described is not None and described.begin > item.begin
        return described if is_nearer else item

    def _of_symbol(self, pc: int) -> CodeRange | None:
        item = self.range_at(pc)
        if item is None or not item.symbol:
            return item
        section = self._sections[next(self._sections_by_address.covering(pc - self._base))]
        symbol = sized_symbol_at(self.code_object, section, pc - self._base)
        if symbol is None:
            return item
        begin = symbol.address + self._base
        end = min(begin + symbol.size_bytes, section.address + section.size_bytes + self._base)
        if begin == item.begin:
            return evolve(item, symbol_end=end, end=max(item.end, end), has_size=True)
        shown = shown_symbol(symbol.name, is_mangled=self._is_mangled)
        return CodeRange(shown, symbol.name, begin, end, end)

    def _described_at(self, pc: int) -> CodeRange | None:
        """Return the code of a function that may have no symbol but has an entry."""
        with suppress(DwarfGpuError):
            subprogram = self.code_object.scopes.subprogram_at(pc)
            if subprogram is None:
                return None
            name = full_function_name(subprogram.die) or subprogram.name
            for span in subprogram.ranges:
                if span.begin <= pc < span.end:
                    return CodeRange(name, name, span.begin, span.end, span.end)
        return None

    def ranges_named(self, name: str) -> tuple[CodeRange, ...]:
        """Return the ranges of a function, by its symbol or its name, with or without
        parameters."""
        return tuple(
            item
            for item in self._perhaps_named(name)
            if name in (item.name, item.symbol, item.name.partition("(")[0])
        )

    def _perhaps_named(self, name: str) -> Iterable[CodeRange]:
        """Return the ranges that may have a name, in order: those of other symbols are not made,
        and their names not read."""
        if not is_literal(name):
            return self.ranges
        texts = (f"{name}\0", f"{name}(", *(() if self._is_mangled else (MANGLED,)))
        starts, names = self._labels
        addresses = {section.address for section in self._sections}
        for index, file in enumerate(self._symbol_files):
            numbers = {index << _NUMBER_BITS | n for n in file.symbol_numbers_beginning(texts)}
            labels = zip(starts, names, strict=True) if numbers else ()
            addresses.update(start for start, number in labels if number in numbers)
        return (
            self._range(index) for index, begin in enumerate(self._begins) if begin in addresses
        )

    def target_name(self, address: int) -> str | None:
        """Return `nest+0x7c`; None if the file has no code."""
        covering = self.range_at(address)
        if covering is None:
            return None
        offset = address - covering.begin
        return f"{covering.name}+{offset:#x}" if offset else covering.name

    def kernels_at(self, item: CodeRange) -> Sequence[Kernel]:
        """Return the kernels that begin at a range: several where one has no code."""
        return self._kernels_by_entry.get(item.begin - self._base, ())

    @cached_property
    def _kernels_by_entry(self) -> Mapping[int | None, Sequence[Kernel]]:
        by_entry: dict[int | None, list[Kernel]] = {}
        for kernel in self.kernels:
            by_entry.setdefault(kernel.entry, []).append(kernel)
        return by_entry

    def directives(self, item: CodeRange) -> Iterator[str]:
        """Yield the descriptors of the kernels that begin at a range as the assembler's directives;
        nothing for one without a readable descriptor."""
        for kernel in self.kernels_at(item):
            descriptor = self._descriptors.get((kernel.name, kernel.entry))
            if descriptor is not None:
                assert self.processor is not None
                chip = processor(self.processor)
                yield from directives(kernel.name, descriptor, chip, self._gpu_code.version)

    @cached_property
    def _gpu_code(self) -> GpuCode:
        return read_gpu_code(self.file)

    @property
    def problems(self) -> tuple[DwarfGpuError, ...]:
        """Why symbols and the descriptors of kernels may be missing."""
        damage = self.code_object.info.file_damage
        if self.file.machine == "AMDGPU":
            return tuple(dict.fromkeys((*damage, *self._gpu_code.problems)))
        damages: list[DwarfGpuError | None] = [*damage]
        damages += [self.code_object.unusable_debug_file, self.code_object.mini_debug_damage]
        damages += [file.symbol_damage for file in self._symbol_files]
        return tuple(fault for fault in dict.fromkeys(damages) if fault is not None)

    @cached_property
    def _descriptors(self) -> Mapping[tuple[str, int | None], KernelDescriptor]:
        """Keyed by the name and the entry of their kernel."""
        return {
            (kernel.name, kernel.entry): kernel.descriptor
            for kernel in reversed(self._gpu_code.kernels)
            if kernel.descriptor and kernel.descriptor.version > 2
        }

    def wave_size_of(self, item: CodeRange) -> int | None:
        """Return the wave size of the waves that run a range; None for the code of a host."""
        kernels = self.kernels_at(item)
        own = [kernel for kernel in kernels if kernel.name == item.symbol]
        return next((kernel.wave_size for kernel in (*own, *kernels)), self.default_wave_size)

    def bytes_at(self, begin: int, end: int) -> bytes:
        """Return code of the file; `UsageError` for addresses without code."""
        address = begin - self._base
        first = min(self._sections_by_address.covering(address), default=None)
        if first is not None:
            section = self._sections[first]
            start = address - section.address
            size = min(end - begin, section.size_bytes - start)
            return self.file.file_bytes(section.offset + start, size, section.name)
        raise UsageError(f"{begin:#x} is not in the code of {self.code_object.name}")

    def instructions(
        self, begin: int, end: int, read: Callable[[int, int], bytes] | None = None
    ) -> Iterator[CodeLine]:
        """Return the instructions that begin from one address to another, as loaded.

        `read` returns the bytes from an address to another; by default those of the file, where
        the last instruction is whole, unless its function ends before.
        """
        covering = self.range_at(begin)
        limit = end
        if read is None:
            last, read = self.range_at(end - 1), self.bytes_at
            limit = end if last is None else max(end, last.end)
        if self.processor is None:
            code = host_code(self.file.machine, self.target_name)
        else:
            size = self.default_wave_size if covering is None else self.wave_size_of(covering)
            code = gpu_code(decoder(self.processor, size), self.target_name)
        return lines_between(code, begin, end, limit, read)

    def origin(self, pc: int) -> CodeOrigin:
        """Return the source of an instruction; nothing if debug information lacks it."""
        return self._origins.at(pc)

    @property
    def source_notes(self) -> list[str]:
        """Why source lines of instructions that were asked for may be missing."""
        problem = self._origins.problem or self.code_object.info.unsearched
        return [] if problem is None else [f"source lines may be missing: {error_line(problem)}"]

    @cached_property
    def _origins(self) -> CodeOrigins:
        return CodeOrigins(self.code_object.scopes, self.lines)


@frozen(eq=False)
class MachineCode:
    """How the code of a machine is decoded."""

    most_bytes: int
    """The size of the longest instruction."""
    lines: Callable[[bytes, int], Iterator[CodeLine]]
    """Returns the instructions in bytes at an address."""


def gpu_code(decode: Decoder, target_name: Callable[[int], str | None]) -> MachineCode:
    """Return how the code of an AMD GPU is decoded; `target_name` names the targets of branches."""
    return MachineCode(
        decode.target.most_bytes, lambda data, begin: _gpu_lines(decode, data, begin, target_name)
    )


def host_code(machine: str, target_name: Callable[[int], str | None]) -> MachineCode:
    """Return how the code of a host is decoded, by the name of its machine in an ELF header."""
    return MachineCode(
        MOST_BYTES, lambda data, begin: _host_lines(machine, data, begin, target_name)
    )


def lines_between(
    code: MachineCode, begin: int, end: int, limit: int, read: Callable[[int, int], bytes]
) -> Iterator[CodeLine]:
    """Yield the instructions that begin from one address to another, up to the first byte that
    `read` does not return: a piece is read when the one before has been used. `limit`: where the
    bytes of the last instruction end."""
    while begin < end:
        stop = min(begin + _AT_ONCE, end)
        size_bytes = min(stop + code.most_bytes, limit) - begin
        data = read(begin, begin + size_bytes)
        for line in code.lines(data, begin):
            if line.address >= stop:
                break
            yield line
            begin = line.address + len(line.data)
        if len(data) < size_bytes:
            return


def _gpu_lines(
    decode: Decoder, data: bytes, begin: int, target_name: Callable[[int], str | None]
) -> Iterator[CodeLine]:
    offset = 0
    for instruction in decode.instructions(data, begin):
        address = begin + offset
        if instruction is None:
            size = decode.unknown_size(data, offset)
            piece = data[offset : offset + (size or 4)]
            is_unknown = size is not None
            text = undefined_text(piece)
            yield CodeLine(address, piece, text, None, None, None, is_unknown=is_unknown)
            offset += size or 4
            continue
        piece = data[offset : offset + instruction.size]
        offset += instruction.size
        target = instruction.branch_target
        name = None if target is None else target_name(target)
        yield CodeLine(address, piece, instruction.text, target, name, instruction)


def _host_lines(
    machine: str, data: bytes, begin: int, target_name: Callable[[int], str | None]
) -> Iterator[CodeLine]:
    for address, piece, text, target in host_instructions(machine, data, begin):
        name = None if target is None else target_name(target)
        yield CodeLine(address, piece, text, target, name, None)


def undefined_text(data: bytes) -> str:
    """Return bytes that are not an instruction, as directives."""
    if data and len(data) % 4 == 0:
        dwords = (data[start : start + 4] for start in range(0, len(data), 4))
        return ".long " + ", ".join(f"{int.from_bytes(dword, 'little'):#010x}" for dword in dwords)
    return ".byte " + ", ".join(f"{byte:#04x}" for byte in data)


def require_code(disassembly: Disassembly) -> Sequence[CodeRange]:
    """Return all ranges; `Unsupported` if the file has no code."""
    if not disassembly.ranges:
        code_object = disassembly.code_object
        raise Unsupported(without_code(code_object.file, code_object.name))
    return disassembly.ranges
