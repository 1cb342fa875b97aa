"""Type units that have one signature: they describe one type (DWARF 5 7.32).

Law: a type unit is compared only if another one has its signature. Functions and nested types are
not compared: producers describe those that a source file uses.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Final, TypeAlias

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.reference_targets import tag_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, counted

_PARTS: Final = frozenset({dw.TAG_MEMBER, dw.TAG_INHERITANCE, dw.TAG_ENUMERATOR})
_SHOWN: Final = 100
"""Characters of a name."""

_Part: TypeAlias = tuple[int, str | None, int | None]
"""The tag and the name of a part, and the value of an enumerator or where another one begins."""


@frozen
class _DescribedType:
    """What consumers know of a type by its entry and the members below it."""

    tag: int
    name: str | None
    size_bytes: int | None
    parts: tuple[_Part, ...]
    """Its members, base classes and enumerators."""


@define(eq=False)
class TypeSignatures:
    """The type units of a file, by their signatures."""

    findings: Findings
    _first: dict[int, CompilationUnit] = field(init=False, factory=dict)
    _described: dict[int, _DescribedType] = field(init=False, factory=dict)
    """The types of those that have another one beside them."""

    def add(self, unit: CompilationUnit) -> None:
        """Compare a type unit whose type is an entry with the first one of its signature."""
        signature = unit.header.signature
        if signature is None:
            return
        first = self._first.setdefault(signature, unit)
        if first is unit:
            return
        try:
            if signature not in self._described:
                self._described[signature] = _described(first)
                first.forget_entries()
            why = _difference(self._described[signature], _described(unit))
        except DwarfGpuError:  # reported where it is read
            return
        if why is not None:
            rule = RULES["type-signature"]
            message = f"the type of signature {signature:#018x} {why} in the unit at "
            message += f"{first.offset:#x} of {first.section}"
            position = unit_position(unit)
            self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))


def _described(unit: CompilationUnit) -> _DescribedType:
    die = unit.die_at(unit.offset + (unit.header.type_offset or 0))
    parts = tuple((part.tag, part.name, _number(part)) for part in die.children(_PARTS))
    return _DescribedType(die.tag, die.name, die.integer(dw.AT_BYTE_SIZE), parts)


def _number(part: Die) -> int | None:
    """Return the value of an enumerator, or where a member begins; None if that is computed."""
    for number in (dw.AT_CONST_VALUE, dw.AT_DATA_MEMBER_LOCATION, dw.AT_DATA_BIT_OFFSET):
        attribute = part.attribute(number)
        if attribute is not None:
            raw, is_number = attribute.raw, attribute.kind == "constant"
            return raw if is_number and isinstance(raw, int) else None
    return None


def _difference(first: _DescribedType, other: _DescribedType) -> str | None:
    """Return how the second type differs, as words before "in the unit"; None for equal ones."""
    if _title(first) != _title(other):
        return f"is {_title(other)}, and {_title(first)}"
    for before, own in zip_longest(first.parts, other.parts):
        if before != own:
            return f"has {_part_text(own)}, and {_part_text(before)}"
    return None


def _title(described: _DescribedType) -> str:
    size = described.size_bytes
    extent = "unknown size" if size is None else counted(size, "byte")
    return f"a {tag_name(described.tag)} {(described.name or '')[:_SHOWN]} of {extent}"


def _part_text(part: _Part | None) -> str:
    if part is None:
        return "no further member"
    tag, name, number = part
    title = f"the {tag_name(tag)} {(name or '')[:_SHOWN]}"
    if number is None:
        return title
    return f"{title} {'=' if tag == dw.TAG_ENUMERATOR else 'at'} {number}"
