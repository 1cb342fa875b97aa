"""Which entry of a file a DIE of pyelftools is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError


class Unit(Protocol):
    """A `CompileUnit` or `TypeUnit`: where it is, and the sizes that its expressions have."""

    @property
    def cu_offset(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def structs(self) -> Any: ...

    def __getitem__(self, name: str) -> Any: ...


class DIE(Protocol):
    """A `DIE`: where it is, and its attributes by name."""

    @property
    def cu(self) -> Unit: ...

    @property
    def offset(self) -> int: ...

    @property
    def abbrev_code(self) -> int | None: ...

    @property
    def attributes(self) -> dict[str, Any]: ...


def entry_of(die: DIE, code: CodeObject) -> Die:
    """The entry of the code object that a DIE is: of the file with the debug information, or of
    its supplementary file.

    `UsageError` for anything else than a DIE of that file.
    """
    unit = _unit_of(die)
    for other in _units(code, unit):
        if (other.offset, other.end - other.offset) == (unit.cu_offset, unit.size):
            entry = other.die_at(die.offset)
            if entry.abbreviation.code == die.abbrev_code:
                return entry
    raise UsageError(
        f"the DIE at {die.offset:#x} of the unit at {unit.cu_offset:#x} is not one of {code.name}"
    )


def _unit_of(die: DIE) -> Unit:
    unit: Unit | None = getattr(die, "cu", None)
    if unit is None or not hasattr(die, "abbrev_code"):
        raise UsageError(f"a DIE of pyelftools is needed, not an object of {type(die).__name__}")
    return unit


def _units(code: CodeObject, unit: Unit) -> Iterator[CompilationUnit]:
    """Yield the units at the offset of one of pyelftools, one of each file."""
    for info in _parts(code.info):
        if hasattr(unit, "tu_offset"):  # DWARF 4 keeps type units in a section of their own
            yield from (other for other in info.type_units if other.section == ".debug_types")
        else:
            other = info.unit_at(unit.cu_offset)
            if other is not None:
                yield other


def _parts(info: DebugInfo) -> Iterator[DebugInfo]:
    yield info
    if info.supplementary_link is not None:
        try:
            yield info.supplementary
        except DwarfGpuError as error:
            raise UsageError(f"the DIE may be of the supplementary file, but {error}") from None
