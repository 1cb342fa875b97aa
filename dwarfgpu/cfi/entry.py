"""Entries of call frame information: CIEs and FDEs (AMD text A.6.4.1).

`section` reads them, with the augmentation string of a CIE.

Law: the instructions of an entry are decoded on demand.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.decode import MAX_INSTRUCTIONS, CfaProgram, decode_cfa
from dwarfgpu.cfi.eh_pointer import ABSOLUTE, OMITTED
from dwarfgpu.cfi.rows import Initial, RowTable, initial_rules, row_table
from dwarfgpu.errors import DwarfGpuError, UnknownAugmentation

_ZEROED_INSTRUCTIONS: Final = bytes(8)
"""Instructions DW_CFA_nop: no producer writes as many before others, nor to align an entry."""
_MOST_ALIGNED_TWICE: Final = 11
"""Those at the end of an entry of a multiple of 8 bytes: LLVM aligns the end of a section with up
to 7, and a linker then the size of the entry, a multiple of 4, with 4."""
_GO_CIE_BYTES: Final = 36
"""The size of a CIE of Go's linker for machines with a link register, however few instructions it
has: these."""
_GO_INSTRUCTIONS: Final = ["def_cfa", "same_value", "val_offset"]


@frozen
class Augmentation:
    """What the augmentation of a CIE says (Linux Standard Base Core, 10.6.1.1.1)."""

    text: str
    data: bytes = b""
    fde_encoding: int = ABSOLUTE
    """`R`: the pointer encoding of the addresses in its FDEs."""
    lsda_encoding: int = OMITTED
    """`L`: the pointer encoding of the language-specific data area in its FDEs."""
    personality: int | None = None
    """`P`: address of the personality routine, or of its address where that is indirect."""
    is_signal_frame: bool = False
    """`S`: the caller was interrupted, not called."""
    is_sized: bool = False
    """`z`: its data, and the data of its FDEs, begin with their size."""
    is_known: bool = True
    """Whether the fields after the augmentation of a CIE, or the range of an FDE, could be read."""


@frozen(slots=False)
class Cie:
    """A Common Information Entry."""

    offset: int
    """Bytes from the start of the section."""
    size_bytes: int
    """With the length field itself."""
    is_64bit: bool
    version: int
    augmentation: Augmentation
    segment_selector_size: int
    return_register: int | None
    """None if the augmentation is unknown."""
    format: CfiFormat
    data: bytes = field(repr=False, eq=False)
    """The section."""
    program_offset: int
    """The offset of the initial instructions in the section."""
    most_instructions: int = field(default=MAX_INSTRUCTIONS, eq=False)
    """Maximum number of instructions of this entry, and of each of its FDEs."""
    section_alignment: int | None = field(default=None, eq=False)
    """In bytes; None if it is unknown."""

    @cached_property
    def program(self) -> CfaProgram:
        """The initial instructions; empty if the augmentation is unknown."""
        if not self.augmentation.is_known:
            return CfaProgram(self.format)
        end = self.offset + self.size_bytes
        return decode_cfa(self.data, self.format, self.program_offset, end, self.most_instructions)

    @cached_property
    def first_zeroed(self) -> int | None:
        """The index of the first initial instruction that zeros replaced; None if they replaced
        none."""
        if self.size_bytes == _GO_CIE_BYTES and not self.augmentation.text:
            names = [instruction.operation.name for instruction in self.program.instructions]
            if names[:3] == _GO_INSTRUCTIONS and {*names[3:]} <= {"nop"}:
                return None
        return self.first_zeroed_of(self.program, self.size_bytes)

    def first_zeroed_of(self, program: CfaProgram, size_bytes: int) -> int | None:
        """Return the index of the first instruction that zeros replaced, which is a DW_CFA_nop now
        (A.6.4.2.5); None if they replaced none. `program`: the instructions of this entry or of an
        FDE, which has `size_bytes`."""
        fewest, first = len(_ZEROED_INSTRUCTIONS), 0
        for index, instruction in enumerate(program.instructions):
            if instruction.operation.name != "nop":
                if index - first >= fewest:
                    return first
                first = index + 1
        if self.section_alignment is None:
            return None
        most = fewest - 1 if size_bytes % 8 else _MOST_ALIGNED_TWICE
        if self.section_alignment > 8:  # BFD ld aligns the next part of the section with them
            most = self.section_alignment + _MOST_ALIGNED_TWICE - 8
        return first if len(program.instructions) - first > most else None

    @property
    def initial(self) -> Initial:
        """The initial rules of its FDEs; raises if the instructions cannot be executed."""
        initial = self._initial
        if isinstance(initial, DwarfGpuError):
            raise initial.anew()
        return initial

    @cached_property
    def _initial(self) -> Initial | DwarfGpuError:
        """The initial rules, or why there are none: they are not executed again for each FDE."""
        try:
            if not self.augmentation.is_known:
                raise UnknownAugmentation.of(self.augmentation.text)
            return initial_rules(self.program)
        except DwarfGpuError as error:
            return error.with_traceback(None)


@frozen
class Fde:
    """A Frame Description Entry."""

    offset: int
    """Bytes from the start of the section."""
    size_bytes: int
    """With the length field itself."""
    cie: Cie
    segment: int | None
    initial_location: int
    """As linked: not relocated."""
    address_range: int
    """Bytes of code described."""
    lsda: int | None
    program_offset: int
    """The offset of the instructions in the section."""

    @property
    def program(self) -> CfaProgram:
        """The instructions, decoded on demand; empty if the augmentation is unknown."""
        if not self.cie.augmentation.is_known:
            return CfaProgram(self.cie.format)
        end = self.offset + self.size_bytes
        cie = self.cie
        return decode_cfa(cie.data, cie.format, self.program_offset, end, cie.most_instructions)

    @property
    def end(self) -> int:
        """The first program location past the code described."""
        return self.initial_location + self.address_range

    def table(self) -> RowTable:
        """Return the rows, as far as the instructions can be executed; never raises."""
        try:
            initial = self.cie.initial
        except DwarfGpuError as error:
            return RowTable((), error.with_traceback(None))
        start, program = self.initial_location, self.program
        table = row_table(initial, program, start, self.address_range)
        if self.cie.first_zeroed is not None:
            return evolve(table, zeroed_from=start)
        index = self.first_zeroed(program)
        if index is None:
            return table
        location: int | None = start
        for instruction in program.instructions[:index]:
            location = instruction.location_after(location, program.format)
        return evolve(table, zeroed_from=location)

    def first_zeroed(self, program: CfaProgram) -> int | None:
        """Return the index of the first instruction that zeros replaced; None if they replaced
        none. `program`: its instructions."""
        end = self.offset + self.size_bytes
        zeros = self.cie.data.find(_ZEROED_INSTRUCTIONS, self.program_offset, end)
        return None if zeros < 0 else self.cie.first_zeroed_of(program, self.size_bytes)


@frozen
class BrokenEntry:
    """An entry that cannot be read."""

    offset: int
    error: DwarfGpuError = field(eq=False)
    is_fde: bool = False
    """Whether it names a CIE."""
    is_of_cie: bool = False
    """Whether that CIE is what cannot be read."""


FrameEntry: TypeAlias = Cie | Fde | BrokenEntry
