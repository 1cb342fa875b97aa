"""The rules of functions of x86-64 and i386 without call frame information whose prologue has set
the frame pointer (`dwarfgpu.cfi.call_stack.Prologues`)."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.arch.abi import Prologue
from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.x86_prologue import (
    MOST_CALL_BYTES,
    MOST_RETURN_BYTES,
    follows_call,
    head_of,
)
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa, Rule
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.symbol_at_address import (
    SymbolAtAddress,
    function_of_label,
    symbol_covering,
)
from dwarfgpu.errors import DwarfGpuError


@frozen
class LoadedPrologues:
    """The prologues of the functions of all code objects."""

    code_objects: Sequence[CodeObject]
    architecture: Architecture
    prologue: Prologue

    @property
    def text(self) -> str:
        return self.prologue.text

    def function(self, pc: int, location: int) -> str | None:
        """Return the name of the function at a program location if the frame pointer is that of
        its frame; `location` is that of the call where it waits for one, else the pc."""
        try:
            symbol = self._symbol(location)
        except DwarfGpuError:
            return None
        if symbol is None or not symbol.code_object.covers(location):
            return None
        entry = location - symbol.offset

        def executed(offset: int, most_bytes: int) -> bytes:
            return self._code(entry + offset, max(min(most_bytes, pc - entry - offset), 0))

        following = None if location != pc else self._following(pc)
        head = head_of(self.prologue, executed)
        return symbol.name if head.has_frame(pc - entry, following) else None

    def row(self) -> FrameRow:
        """Return the rules of such a function: the return address, and below it the saved frame
        pointer, to which the frame pointer points."""
        column = self.architecture.return_address_register
        assert column is not None
        number = self.architecture.by_name[self.prologue.base].number
        assert number is not None
        word_bytes = self.architecture.address_bits // 8
        rules: dict[int, Rule] = {
            number: OffsetRule(-2 * word_bytes),
            column: OffsetRule(-word_bytes),
        }
        return FrameRow(RegisterCfa(number, 2 * word_bytes), rules, column)

    def follows_call(self, address: int) -> bool:
        """Return whether a call in loaded code may return to a program location."""
        return any(
            follows_call(self._code(address - size, size)) for size in range(MOST_CALL_BYTES, 1, -1)
        )

    def _symbol(self, location: int) -> SymbolAtAddress | None:
        """Return the symbol of the function at a program location. Of the other labels that
        assembler code has there, the name says whether they are inside of a function: any other may
        begin one that has no frame."""
        symbol = symbol_covering(self.code_objects, location)
        return symbol and function_of_label(self.code_objects, location, symbol)

    def _following(self, pc: int) -> bytes:
        """Return code that may be the end of an epilogue, or the rest of its segment."""
        codes = (self._code(pc, size) for size in range(MOST_RETURN_BYTES, 0, -1))
        return next(filter(None, codes), b"")

    def _code(self, location: int, size_bytes: int) -> bytes:
        """Return code of a file; none where a file has not all of it."""
        code_object = code_object_at(self.code_objects, location)
        if code_object is None:
            return b""
        data = code_object.file.memory_bytes(location - code_object.load_address, size_bytes)
        return data or b""


def prologues_of(
    code_objects: Sequence[CodeObject], architecture: Architecture
) -> LoadedPrologues | None:
    """Return the prologues of an architecture; None if those of its functions are not known."""
    prologue = architecture.abi.prologue
    return None if prologue is None else LoadedPrologues(code_objects, architecture, prologue)
