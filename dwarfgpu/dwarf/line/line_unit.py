"""What a line table needs to know of its unit (DWARF 5 3.1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from dwarfgpu.dwarf import constants as dw
    from dwarfgpu.dwarf.forms import Attribute
    from dwarfgpu.dwarf.sections import Sections
    from dwarfgpu.expr.context import UnitFormat


class UnitEntry(Protocol):
    """The own entry of a unit."""

    def has(self, name: int) -> bool: ...

    def attribute(self, name: int) -> Attribute | None: ...

    def string(self, name: int) -> str | None: ...


class LineUnit(Protocol):
    """What a line table needs to know of its unit."""

    @property
    def sections(self) -> Sections: ...

    @property
    def format(self) -> UnitFormat: ...

    @property
    def root(self) -> UnitEntry: ...

    @property
    def with_directory(self) -> LineUnit:
        """The unit to whose directory the names in the table are relative."""
        ...

    @property
    def primary_file(self) -> str: ...

    @property
    def producer(self) -> str: ...

    @property
    def language(self) -> int | None: ...

    @property
    def is_cplusplus(self) -> bool: ...

    @property
    def style(self) -> dw.Style: ...

    def is_mark(self, address: int) -> bool:
        """Return whether linkers write an address for code that they dropped."""
        ...

    def string_of(self, attribute: Attribute) -> bytes:
        """Return the bytes of a string attribute."""
        ...
