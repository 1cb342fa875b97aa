"""Which entry of a file a DIE of pyelftools is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Protocol

from dwarfgpu.base.arguments import WrongType, wrong_type
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError

_RELOCATED: Final = frozenset(
    {"address", "exprloc", "block", "sec_offset", "strp", "line_strp", "section_reference"}
)
"""Classes of values that relocations change: pyelftools has all sections at 0, dwarfgpu places them
one after the other."""
_DATA: Final = frozenset({dw.FORM_DATA4, dw.FORM_DATA8})
"""Constants that relocations may change: before DWARF 4 they are offsets, too."""
_AS_READ: Final = frozenset({"constant", "block", "exprloc", "sec_offset", "address"})
"""Classes whose `value` pyelftools leaves as read; that of others may be a string, say."""


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
    """Return the entry of the code object for a DIE of the file with the debug information, or of
    its supplementary file.

    `UsageError` for anything else than a DIE of that file: its place, abbreviation code, forms and
    values are compared.
    """
    code_object(code)
    unit = unit_of(die)
    why = ""
    for candidate in _units(code, unit):
        if (candidate.offset, candidate.end - candidate.offset) == (unit.cu_offset, unit.size):
            entry = candidate.die_at(die.offset)
            if entry.abbreviation.code == die.abbrev_code:
                differing = _differing(die, entry, code.file.is_relocatable)
                if differing is None:
                    return entry
                why = f": {differing} differs"
    described = f"the DIE at {die.offset:#x} of the unit at {unit.cu_offset:#x}"
    raise UsageError(f"{described} is not one of {code.name}{why}")


def code_object(code: object) -> CodeObject:
    """Return a code object; `UsageError` for anything else, such as an `ELFFile`."""
    if not isinstance(code, CodeObject):
        advice = ": give CodeObject.from_elffile(elffile)"
        raise wrong_type("code", code, "a CodeObject", advice)
    return code


def unit_of(die: DIE) -> Unit:
    """Return the unit of a DIE; `UsageError` for anything else."""
    unit: Unit | None = getattr(die, "cu", None)
    if unit is None or not hasattr(die, "abbrev_code"):
        raise WrongType(f"a DIE of pyelftools is needed, not an object of {type(die).__name__}")
    return unit


def _differing(die: DIE, entry: Die, is_relocatable: bool) -> str | int | None:
    """Return the name of the first attribute with another form or value in the entry; None if there
    is none."""
    own_attributes = dict(entry.attributes())
    if len(own_attributes) != len(die.attributes):
        return "the number of attributes"
    for (name, attribute), own in zip(die.attributes.items(), own_attributes.values(), strict=True):
        if not _is_same(attribute, own, entry.unit.format.endian, is_relocatable):
            return name
    return None


def _is_same(
    value_of_pyelftools: Any, own: Attribute, endian: Endian, is_relocatable: bool
) -> bool:
    """Return whether an `AttributeValue` of pyelftools has the form and value of an attribute."""
    form = str(value_of_pyelftools.form).removeprefix("DW_").upper()
    if getattr(dw, form, None) != own.form:
        return False
    if own.form == dw.FORM_FLAG_PRESENT:  # it has no value
        return True
    value = value_of_pyelftools.value if own.kind in _AS_READ else value_of_pyelftools.raw_value
    expected: object = own.raw
    if isinstance(own.raw, int) and own.form == dw.FORM_DATA16:
        expected = list(own.raw.to_bytes(16, endian))
    elif isinstance(own.raw, bytes) and isinstance(value, list):
        expected = list(own.raw)
    if is_relocatable and (own.kind in _RELOCATED or own.form in _DATA):
        if isinstance(value, list) and isinstance(expected, list):
            return len(value) == len(expected)
        return isinstance(value, int) and isinstance(expected, int)
    return bool(value == expected)


def _units(code: CodeObject, unit: Unit) -> Iterator[CompilationUnit]:
    """Yield the units at the offset of one of pyelftools, one of each file."""
    for info in _parts(code.info):
        if hasattr(unit, "tu_offset"):  # DWARF 4 keeps type units in a section of their own
            yield from (
                type_unit for type_unit in info.type_units if type_unit.section == ".debug_types"
            )
        else:
            unit_of_offset = info.unit_at(unit.cu_offset)
            if unit_of_offset is not None:
                yield unit_of_offset


def _parts(info: DebugInfo) -> Iterator[DebugInfo]:
    yield info
    if info.supplementary_link is not None:
        try:
            yield info.supplementary
        except DwarfGpuError as error:
            raise UsageError(f"the DIE may be of the supplementary file, but {error}") from None
