"""Abbreviation tables (DWARF 5 section 7.5.3).

Law: a table is read once for each unit format that uses it, and a declaration that many tables of a
file repeat only once; plans are compiled on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import (
    FORMS,
    FormClass,
    ReadForm,
    ReadValue,
    SkipPlan,
    WordReader,
    fixed_bytes,
    fixed_size,
    number_at,
    reader_after,
    reader_of,
    skip,
    skip_plan,
)
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.context import UnitFormat


@frozen
class AttributeSpecification:
    """One attribute of an abbreviation."""

    name: int
    form: int
    implicit: int | None = None
    """The value, where the form is DW_FORM_implicit_const."""


class ValueReader(NamedTuple):
    """What reads one attribute of the entries of an abbreviation."""

    form: int
    kind: FormClass
    read: ReadValue
    """For DW_FORM_indirect it returns where the form is."""
    before_bytes: int | None
    """Bytes of the values before this one; None where they vary."""


@frozen(eq=False, slots=False)
class Abbreviation:
    """The shape of the entries of one code."""

    code: int
    tag: int
    has_children: bool
    attributes: tuple[AttributeSpecification, ...]
    format: UnitFormat = field(repr=False)
    values: dict[int, ValueReader] = field(factory=dict, init=False, repr=False)
    """What reads the attributes that were asked for, by index: `value` makes it."""

    @cached_property
    def positions(self) -> Mapping[int, int]:
        """Index of each attribute by its number; of two with one number the first counts."""
        named: dict[int, int] = {}
        for index, attribute in enumerate(self.attributes):
            named.setdefault(attribute.name, index)
        return named

    @cached_property
    def has_location(self) -> bool:
        """Whether its entries have DW_AT_location or DW_AT_const_value."""
        return dw.AT_LOCATION in self.positions or dw.AT_CONST_VALUE in self.positions

    @cached_property
    def is_declaration(self) -> bool:
        """Whether its entries are declarations only: those of instances of inline templates have a
        location in gcc's DWARF, and are definitions."""
        position = self.positions.get(dw.AT_DECLARATION)
        is_flagged = position is not None and self.attributes[position].form == dw.FORM_FLAG_PRESENT
        return is_flagged and not self.has_location

    @cached_property
    def plan(self) -> SkipPlan:
        """The steps over all values; `Malformed` where a form is unknown."""
        forms = tuple([attribute.form for attribute in self.attributes])
        return (_skip_plan if len(forms) <= _MAX_KEPT_FORMS else skip_plan)(forms, self.format)

    def value(self, index: int) -> ValueReader:
        """Return the function that reads attribute `index` of an entry; `Malformed` where a form is
        unknown."""
        value = self.values.get(index)
        if value is None:
            before = (attribute.form for attribute in self.attributes[:index])
            plan, attribute = skip_plan(before, self.format), self.attributes[index]
            form, implicit = attribute.form, attribute.implicit
            if implicit is not None:
                constant: ReadForm = lambda *arguments: (implicit, arguments[1])  # noqa: E731
                read_value = reader_after(plan, constant, None)
                value = ValueReader(form, "constant", read_value, fixed_bytes(plan))
            elif len(plan) <= _MAX_KEPT_FORMS:
                value = _kept_value_reader(plan, form, self.format)
            else:
                value = _value_reader(plan, form, self.format)
            self.values[index] = value
        return value


_MAX_KEPT_FORMS = 64
"""Maximum number of attributes for which the steps over their values are kept."""
_skip_plan = lru_cache(maxsize=2048)(skip_plan)


def _value_reader(plan: SkipPlan, form: int, format: UnitFormat) -> ValueReader:
    """Return what reads a value of a form after those of a plan."""
    before_bytes = fixed_bytes(plan)
    if form == dw.FORM_INDIRECT:
        return ValueReader(
            form, "indirect", lambda *arguments: skip(plan, *arguments), before_bytes
        )
    read, size_bytes = reader_of(form, format), fixed_size(form, format)
    number = None if size_bytes is None else number_at(size_bytes, format.endian)
    return ValueReader(form, FORMS[form][0], reader_after(plan, read, number), before_bytes)


_kept_value_reader = lru_cache(maxsize=2048)(_value_reader)


class AbbreviationTable(dict[int, Abbreviation]):
    """The abbreviations of a table by their codes. Very many units may share one."""

    def __init__(self) -> None:
        super().__init__()
        self._accepted: dict[Callable[[Abbreviation], bool], frozenset[Abbreviation]] = {}

    def accepted(self, accepts: Callable[[Abbreviation], bool]) -> frozenset[Abbreviation]:
        """Return those that a function accepts; each function is asked once."""
        known = self._accepted.get(accepts)
        if known is None:
            known = self._accepted[accepts] = frozenset(filter(accepts, self.values()))
        return known

    @cached_property
    def tags(self) -> frozenset[int]:
        """The tags of all of them."""
        return frozenset(abbreviation.tag for abbreviation in self.values())

    @cached_property
    def has_indirect_forms(self) -> bool:
        """Whether the form of some values is before them."""
        for abbreviation in self.values():
            for attribute in abbreviation.attributes:
                if attribute.form == dw.FORM_INDIRECT:
                    return True
        return False


_MAX_SHARED_BYTES = 256
"""Maximum size in bytes of a declaration: longer ones are rare."""


def read_abbreviations(
    reader: WordReader, format: UnitFormat, declared: dict[bytes, Abbreviation]
) -> AbbreviationTable:
    """Return the table at a position of `.debug_abbrev`, by code.

    `declared`: what the tables of units of that format have declared before, by its bytes.
    """
    table = AbbreviationTable()
    data, last = reader.data, reader.end
    while True:
        start = reader.position
        # Mostly one byte each for the code, the tag, and whether there are children; then the first
        # two zeros are the end. They may also be in a value: only bytes that were read to their
        # very end are known.
        end = data.find(b"\0\0", start + 3, min(last, start + _MAX_SHARED_BYTES)) + 2
        encoded = data[start:end]
        abbreviation = declared.get(encoded)
        if abbreviation is not None:
            reader.position = end
        elif (abbreviation := _declaration(reader, format)) is None:
            return table
        elif reader.position == end:
            declared[encoded] = abbreviation
        code = abbreviation.code
        if code in table:
            raise Malformed(f"abbreviation {code} at offset {start:#x} is declared twice")
        table[code] = abbreviation


def _declaration(reader: WordReader, format: UnitFormat) -> Abbreviation | None:
    """Return the next declaration of a table; None at its end."""
    offset = reader.position
    code = reader.uleb()
    if not code:
        return None
    tag = reader.uleb()
    children = reader.u8()
    if children > 1:
        raise Malformed(f"abbreviation {code} at offset {offset:#x} has DW_CHILDREN {children:#x}")
    return Abbreviation(code, tag, children == 1, _attributes(reader, code), format)


def _attributes(reader: WordReader, code: int) -> tuple[AttributeSpecification, ...]:
    out: list[AttributeSpecification] = []
    data, last = reader.data, reader.end - 1
    while True:
        offset = reader.position
        if offset < last and (name := data[offset]) < 0x80 and (form := data[offset + 1]) < 0x80:
            reader.position = offset + 2  # nearly all of them
        else:
            name, form = reader.uleb(), reader.uleb()
        if not name or not form:
            if name or form:  # readers disagree whether the declaration ends there
                raise Malformed(
                    f"abbreviation {code} has attribute {name:#x} with form {form:#x} at offset "
                    f"{offset:#x}: only both are 0, at its end"
                )
            return tuple(out)
        if form == dw.FORM_IMPLICIT_CONST:
            out.append(AttributeSpecification(name, form, reader.sleb()))
        else:
            out.append(_specification(name, form))


@lru_cache(maxsize=4096)
def _specification(name: int, form: int) -> AttributeSpecification:
    """Share equal pairs: the tables of a large program repeat a few hundred of them hundreds of
    thousands of times."""
    return AttributeSpecification(name, form)
