"""What was read of a variable: its location and contents, or why there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dwarfgpu.base.records import field, frozen, no_number
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.errors import DwarfGpuError, Unavailable, UndefinedBits, UsageError
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.synthetic_pointers import implicit_pointers_as_known
from dwarfgpu.session.unknown_members import has_all_members


class Presenter(Protocol):
    """What shows the contents of a reading: it knows the language, which is above this module."""

    def text(self, reading: Reading) -> str:
        """Return the contents as GDB prints them."""
        ...

    def value(self, reading: Reading) -> object:
        """Return the contents as plain data."""
        ...


@no_number("value")
@frozen
class Reading(OfOpenFile):
    """A variable's location and contents, for one lane."""

    variable: Variable
    type: Type | None
    lane: int | None
    location: Location | None = None
    bits: Bits | None = None
    """Its contents; None if nothing could be read."""
    pointer: ImplicitPointer | None = None
    """An implicit pointer, in place of contents."""
    failure: DwarfGpuError | None = None
    """Why nothing could be read."""
    notes: tuple[str, ...] = ()
    presenter: Presenter | None = field(default=None, eq=False, repr=False)
    """None for readings of the command line, which shows them itself."""
    resolver: Callable[[], Resolver] | None = field(default=None, eq=False, repr=False)
    """Returns what finds virtual base classes; None where all bits are known, or none are."""

    @property
    def text(self) -> str:
        """The contents as GDB prints them; `<optimized out>`, `<unavailable>` or `<error: …>` where
        there are none.

        `UsageError` for a reading of no `dwarfgpu.Session`.
        """
        return self._presenter().text(self)

    @property
    def value(self) -> object:
        """The contents as numbers, texts, lists and dictionaries: `data` of `eval --json`
        (docs/types.md); None where no bit is known.

        Raises `UsageError` for a reading without a `dwarfgpu.Session`.
        """
        return self._presenter().value(self)

    def _presenter(self) -> Presenter:
        if self.presenter is None:
            raise UsageError("the reading is from a session without text: use dwarfgpu.Session")
        return self.presenter

    @property
    def error(self) -> DwarfGpuError | None:
        """Why contents are missing, all of them or some bits; None if `is_complete`."""
        if self.failure is not None or self.is_complete:
            return self.failure
        name, bits = self.variable.name, self._beside_pointers
        if bits is None:
            return Unavailable(f"{name} has not been read")
        missing = bits.unavailable or bits.undefined
        state = "unavailable" if bits.unavailable else "optimized out"
        text = f"{missing.bit_count()} of {bits.size_bits} bits of {name} are {state}"
        why = bits.why_unavailable if bits.unavailable else bits.why_undefined
        text += "" if why is None else f": {why}"
        return Unavailable(text) if bits.unavailable else UndefinedBits(text)

    @property
    def is_complete(self) -> bool:
        """Whether every bit of the variable is known; of a structure, those of its members."""
        bits = self._beside_pointers
        if self.failure is not None or bits is None:
            return self.failure is None and self.pointer is not None
        if self.pointer is not None or bits.is_complete:
            return True
        endian = self.variable.unit.endian
        return has_all_members(bits, self.type, endian, self.location, self.resolver)

    @property
    def _beside_pointers(self) -> Bits | None:
        """The contents, in which implicit pointers count as known, as one alone does."""
        if self.bits is None or self.bits.is_complete or self.resolver is None:
            return self.bits
        resolver, endian = self.resolver(), self.variable.unit.endian
        return implicit_pointers_as_known(self.bits, self.type, self.location, resolver, endian)
