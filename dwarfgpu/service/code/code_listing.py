"""The code of a file as a listing: functions with their source, arrows, bytes or effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dwarfgpu.base.records import define, frozen
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.tables import lacking
from dwarfgpu.service.code.code_origins import CodeOrigin
from dwarfgpu.service.code.code_to_show import CodeToShow
from dwarfgpu.service.code.disassembly import CodeLine, CodeRange, Disassembly
from dwarfgpu.service.code.instruction_effects import effects_of
from dwarfgpu.service.code.source_text import SourceText
from dwarfgpu.service.error_text import one_line
from dwarfgpu.view.branch_arrows import ArrowGlyphs, arrows

_MAX_DRAWN: Final = 20_000
"""Instructions of a function beside which arrows are drawn."""
_TEXT_COLUMNS: Final = 58
"""Of arrows and instructions, before what is beside them."""


@frozen
class ListingOptions:
    """What a listing shows besides instructions."""

    source: bool = True
    bytes: bool = True
    effects: bool = False
    """The registers and memory that each instruction reads and writes, in place of its bytes."""
    glyphs: ArrowGlyphs | None = None
    """Of arrows from branches to their targets; None for no arrows."""


@frozen
class AssemblyLine:
    """A line of a listing."""

    margin: str
    """What comes first: an address and arrows, or a heading."""
    text: str = ""
    """Assembly, with its comments."""


@define
class CodeListing:
    """The lines of some code, made one by one."""

    disassembly: Disassembly
    options: ListingOptions
    texts: SourceText
    undefined_count: int = 0
    """Instructions so far that could not be decoded."""
    _origin: CodeOrigin | None = None
    _line: SourceLine | None = None
    _chain: tuple[str, ...] = ()

    def lines(self, shown_code: Sequence[CodeToShow]) -> Iterator[AssemblyLine]:
        """Yield the lines; `Unsupported`, before the first, if a host's code needs capstone."""
        disassembly = self.disassembly
        disassembly.require_decoder()
        if disassembly.processor is not None:
            wave = f", wave{disassembly.default_wave_size}"
            title = f"{disassembly.code_object.name}: {disassembly.processor}{wave}"
            yield AssemblyLine(one_line(title))
        shown: CodeRange | None = None
        for piece in shown_code:
            if piece.item != shown:
                yield from self._heading(piece)
                shown = piece.item
            yield from self._code(piece)

    def _heading(self, piece: CodeToShow) -> Iterator[AssemblyLine]:
        yield AssemblyLine("")
        item = piece.item
        if piece.begin == item.begin:
            for line in self.disassembly.directives(item):
                yield AssemblyLine("", "\t" * line.startswith("\t") + one_line(line.strip()))
        yield AssemblyLine(one_line(f"{item.begin:016x} <{item.name}>:"))

    def _code(self, piece: CodeToShow) -> Iterator[AssemblyLine]:
        lines = self.disassembly.instructions(piece.begin, piece.end)
        if self.options.glyphs is None or (piece.end - piece.begin) // 4 > _MAX_DRAWN:
            for line in lines:
                yield from self._instruction(line, "")
            return
        rows = list(lines)
        row_numbers = {line.address: index for index, line in enumerate(rows)}
        branches = {
            index: row_numbers[line.target]
            for index, line in enumerate(rows)
            if line.target is not None and line.target in row_numbers
        }
        margins = arrows(len(rows), branches, self.options.glyphs)
        for line, margin in zip(rows, margins, strict=True):
            yield from self._instruction(line, margin)

    def _instruction(self, line: CodeLine, margin: str) -> Iterator[AssemblyLine]:
        if self.options.source:
            for text in self._source(line):
                yield AssemblyLine("", one_line(text))
        text = line.text
        if line.target_name:
            text += f" <{line.target_name}>"
        elif line.target is not None:
            text += f" <{line.target:#x}>"
        self.undefined_count += not line.is_defined
        text = one_line(text)
        if remark := self._remark(line):
            padding = " " * max(1, _TEXT_COLUMNS - len(margin) - len(text))
            text = f"{text}{padding}// {remark}"
        yield AssemblyLine(f"{line.address:8x}  {margin}", text)

    def _remark(self, line: CodeLine) -> str:
        """Return the text beside an instruction: its effects or its bytes."""
        if self.options.effects:
            return "" if line.instruction is None else effects_of(line.instruction).text
        if not self.options.bytes:
            return ""
        is_gpu = self.disassembly.processor is not None
        return dwords_text(line.data) if is_gpu else line.data.hex(" ")

    def _source(self, line: CodeLine) -> Iterator[str]:
        """Yield comments before an instruction where its source is another one than before."""
        origin = self.disassembly.origin(line.address)
        if origin is self._origin:
            return
        self._origin = origin
        chain = origin.inlined
        if chain != self._chain:
            self._chain = chain
            if len(chain) > 1:
                yield f"; {' inlined into '.join(chain)}:"
        source = origin.line
        before = self._line
        if source is None or (before and _same_line(source, before)):
            return
        self._line = source
        words = self.texts.line(source)
        source_line = f"{source.file.shown_name}:{source.line}"
        yield f"; {source_line}" + (f": {words.strip()}" if words else "")


def dwords_text(data: bytes) -> str:
    """Return the dwords of an instruction, as numbers."""
    return " ".join(
        data[offset : offset + 4][::-1].hex().upper() for offset in range(0, len(data), 4)
    )


def _same_line(a: SourceLine, b: SourceLine) -> bool:
    return a.line == b.line and (a.file is b.file or a.file.path == b.file.path)


def simulated_lines(
    disassembly: Disassembly, piece: CodeToShow, why_not: Callable[[Instruction], str | None]
) -> list[str]:
    """Return how many instructions `dwarfgpu run` executes, and a line for each of the others.

    `why_not`: what of an instruction is not simulated; None where all is.
    """
    count, missing = 0, []
    for line in disassembly.instructions(piece.begin, piece.end):
        count += 1
        if line.instruction is not None:
            why = why_not(line.instruction)
        elif line.is_unknown:
            why = lacking(str(disassembly.processor))
        else:
            why = "no instruction"
        if why is not None:
            missing.append(one_line(f"  {line.address:x}  {line.text.strip()}  # {why}"))
    title = f"{piece.item.name}: {count - len(missing)} of {count} are simulated"
    return [one_line(title), *missing]
