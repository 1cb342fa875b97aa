"""The facts about saved registers at one program location of a function: the domain of the analysis
in `dwarfgpu.cfi.saved_registers` (AMDGPU usage, "Non-Kernel Functions").

Law: where paths meet, only facts that hold on all of them stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.isa.registers import Register

STACK_POINTER: Final = 32
"""s32."""
SGPRS: Final = 106
VGPRS: Final = 256
"""AGPRs follow in numbers: a0 has the number 256 here."""


class Entry(NamedTuple):
    """What 32 bits of a scalar register hold: those of a register on entry, plus a constant."""

    bank: str
    """`s`, or `exec`; `ones` for the constant -1; `code` and `code_high` for the halves of an
    address of the file, the low half in the addend."""
    number: int
    addend: int = 0


ONES: Final = Entry("ones", 0)
CODE_HIGH: Final = Entry("code_high", 0)


class Slot(NamedTuple):
    """A vector register that was stored in scratch."""

    vector: int | None
    """The number of the VGPR whose contents on entry it holds; None if it holds others."""
    has_all_lanes: bool
    """Whether all lanes were stored, not only those that were active on entry."""
    is_swizzled_by_buffer: bool
    """Whether the stack pointer counts bytes of the wave, not of a lane."""
    lanes: tuple[tuple[int, Entry], ...]
    """Lanes with known contents."""
    is_assumed: bool = False
    """Whether a call before the store is assumed to preserve the register."""


ScalarDword: TypeAlias = tuple[str, int]
"""A bank and a number."""
VectorLane: TypeAlias = tuple[int, int]
"""The number of a vector register, and a lane."""


@frozen
class Preserved:
    """The registers that a call leaves as they were."""

    scalars: frozenset[int]
    """SGPRs."""
    vectors: frozenset[int]
    """VGPRs and AGPRs, in all lanes."""
    intact: frozenset[int] = frozenset()
    """Those of them that the code does not write, or loads again from where it saved them."""


@frozen
class SavedRegisters:
    """Where the contents that registers had on entry are, at one program location."""

    scalars: Mapping[ScalarDword, Entry]
    lanes: Mapping[VectorLane, Entry]
    vectors: frozenset[int]
    """VGPRs and AGPRs with their contents on entry, in all lanes."""
    slots: Mapping[int, Slot]
    """By distance in bytes of a lane from the stack pointer on entry."""
    intact: frozenset[int]
    """VGPRs and AGPRs with their contents on entry, as the code itself says, with that of each
    callee: `vectors` are also those that the convention lets callees preserve."""


class KnownRegisters:
    """`SavedRegisters` that change while the analysis follows a path."""

    __slots__ = ("intact", "lanes", "scalars", "slots", "vectors")

    def __init__(
        self,
        scalars: dict[ScalarDword, Entry],
        lanes: dict[VectorLane, Entry],
        vectors: set[int],
        slots: dict[int, Slot],
        intact: set[int],
    ) -> None:
        self.scalars = scalars
        self.lanes = lanes
        self.vectors = vectors
        self.slots = slots
        self.intact = intact

    def copy(self) -> KnownRegisters:
        return KnownRegisters(
            self.scalars.copy(),
            self.lanes.copy(),
            self.vectors.copy(),
            self.slots.copy(),
            self.intact.copy(),
        )

    def meet(self, other: KnownRegisters) -> bool:
        """Keep what holds in both; return whether that is less."""
        before = self._size()
        self.scalars = dict(self.scalars.items() & other.scalars.items())
        self.lanes = dict(self.lanes.items() & other.lanes.items())
        self.vectors &= other.vectors
        self.slots = dict(self.slots.items() & other.slots.items())
        self.intact &= other.intact
        return self._size() != before

    def _size(self) -> int:
        facts = self.scalars, self.lanes, self.vectors, self.slots, self.intact
        return sum(len(kind) for kind in facts)


CONVENTION: Final = Preserved(
    frozenset(range(STACK_POINTER, SGPRS)),
    frozenset(first + n for first in range(40, VGPRS, 16) for n in range(8)),
)
"""What every callee preserves: s32 to s105, v40 to v47, v56 to v63, and so on."""


def vector_number(register: Register) -> int:
    """Return the number of the first dword of a VGPR or an AGPR."""
    return register.first + VGPRS if register.bank == "a" else register.first


def vector_name(number: int) -> str:
    """Return the name of a VGPR or AGPR by its number here."""
    return f"v{number}" if number < VGPRS else f"a{number - VGPRS}"
