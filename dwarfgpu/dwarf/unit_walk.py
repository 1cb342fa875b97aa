"""Read every entry of a unit with all its values in one pass, for readers of whole files.

An abbreviation is compiled once into steps: neighbouring values of fixed size are one `struct`,
those that take no bytes one tuple, because an abbreviation of any length may have nothing else.
Where no size varies, all values are one `struct`, into which those without bytes are put.
Where the form of a value is written before it (DW_FORM_indirect), the abbreviation of a row has the
form of the value, so that nothing else needs to resolve it.
Law: what reads the values of an entry depends on their forms and the format of the unit alone; it
is kept for the abbreviations that share them. No entry is cached: use the unit's tree to look up
single ones, which is cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter
from struct import Struct, error
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.byte_reader import Data
from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, AttributeSpecification
from dwarfgpu.dwarf.forms import (
    FORMAT_LETTERS,
    Raw,
    ReadForm,
    fixed_size,
    indirect_form,
    read_block,
    read_uleb,
    reader_of,
)
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.expr.context import UnitFormat

Step: TypeAlias = Struct | tuple[int, ...] | ReadForm
Row: TypeAlias = tuple[int, Abbreviation, tuple[Raw, ...]]
"""Offset in `.debug_info`, abbreviation, and the unresolved values of its attributes. No form of
the abbreviation is DW_FORM_indirect: where the declared one has such forms, the rows of the entries
whose values have the same forms share another one with the same code."""

Unpack: TypeAlias = Callable[[Data, int], tuple[Raw, ...]]
ReadValues: TypeAlias = Callable[[Data, int, int], tuple[tuple[Raw, ...], int]]

Forms: TypeAlias = tuple[tuple[int, int | None], ...]
"""The forms of the attributes of an abbreviation, with the values of DW_FORM_implicit_const."""
Combinations: TypeAlias = dict[tuple[int, tuple[int, ...]], Abbreviation]
"""The abbreviations of rows, by their codes and the forms of all values."""
_MAX_COMBINATIONS: Final = 4096
"""Compilers write none: each is like an abbreviation more."""
_MAX_KEPT_VALUES: Final = 64
"""Values of an abbreviation for which the reader is kept for others like it."""
_INDIRECT: Final = (dw.FORM_INDIRECT, None)
"""What `Forms` has where the form is before the value."""
_WITHOUT_BYTES: Final = frozenset({dw.FORM_FLAG_PRESENT, dw.FORM_IMPLICIT_CONST})


def walk(
    data: Data,
    position: int,
    end: int,
    abbreviations: Mapping[int, Abbreviation],
    at_end: Callable[[int, int], object] | None = None,
) -> Iterator[Row]:
    """Yield the entries between two offsets of `.debug_info`; `Malformed` for one that is cut
    short.

    `at_end` is called after the last entry, with the offset behind it and the number of entries
    whose children no null entry ends.
    """
    plans: dict[int, _Plan] = {}
    combinations: Combinations = {}
    depth = 0
    while position < end:
        start = position
        code = data[position]
        if code < 0x80:
            position += 1
        else:
            code, position = read_uleb(data, position, end)
        if code == 0:
            depth -= 1
            if depth <= 0:
                break
            continue
        planned = plans.get(code)
        if planned is None:
            abbreviation = abbreviations.get(code)
            if abbreviation is None:
                raise Malformed(f"entry at offset {start:#x} has the unknown abbreviation {code}")
            planned = plans[code] = _plan(abbreviation, combinations)
        abbreviation, has_children, unpack, size_bytes, read, indirect = planned
        if unpack is not None and position + size_bytes <= end:  # most entries
            yield start, abbreviation, unpack(data, position)
            position += size_bytes
            if has_children:
                depth += 1
            elif not depth:
                break
            continue
        try:
            values, position = read(data, position, end)
        except error:
            position = end + 1
        if position > end:
            raise Malformed(f"entry at offset {start:#x} is cut short: its unit ends at {end:#x}")
        yield start, abbreviation if indirect is None else indirect.last, values
        if has_children:
            depth += 1
        elif not depth:
            break
    if at_end is not None:
        at_end(position, max(depth, 0))


@define(eq=False)
class _IndirectForms:
    """The entries of an abbreviation some of whose forms are written before the values."""

    declared: Abbreviation
    last: Abbreviation
    """The one with the forms of the values that were read last."""
    combinations: Combinations
    _attributes: dict[tuple[int, int], AttributeSpecification] = field(init=False, factory=dict)
    """By their positions and forms."""

    def read(self, data: Data, position: int, end: int) -> tuple[tuple[Raw, ...], int]:
        """Return the values of an entry, and where they end."""
        format, forms, values = self.declared.format, list[int](), list[Raw]()
        for attribute in self.declared.attributes:
            form = attribute.form
            if form == dw.FORM_INDIRECT:
                form, position = indirect_form(data, position, end)
            value, position = reader_of(form, format)(data, position, end)
            forms.append(form)
            values.append(value if attribute.implicit is None else attribute.implicit)
        self.last = self._with(tuple(forms))
        return tuple(values), position

    def _with(self, forms: tuple[int, ...]) -> Abbreviation:
        declared, combinations = self.declared, self.combinations
        known = combinations.get((declared.code, forms))
        if known is None:
            if len(combinations) == _MAX_COMBINATIONS:
                raise LimitExceeded(
                    f"the entries of a unit have more than {_MAX_COMBINATIONS} combinations of "
                    "forms that are before the values (DW_FORM_indirect)"
                )
            attributes = tuple(map(self._attribute, range(len(forms)), forms))
            known = combinations[declared.code, forms] = Abbreviation(
                declared.code, declared.tag, declared.has_children, attributes, declared.format
            )
        return known

    def _attribute(self, position: int, form: int) -> AttributeSpecification:
        known = self._attributes.get((position, form))
        if known is None:
            declared = self.declared.attributes[position]
            known = AttributeSpecification(declared.name, form, declared.implicit)
            self._attributes[position, form] = known
        return known


_Plan: TypeAlias = tuple[Abbreviation, bool, Unpack | None, int, ReadValues, _IndirectForms | None]
"""An abbreviation, whether its entries have children, what reads all values of an entry where they
are one `struct`, their bytes, what reads those of any other, and what knows their forms where these
are before the values."""


def _plan(abbreviation: Abbreviation, combinations: Combinations) -> _Plan:
    attributes, format = abbreviation.attributes, abbreviation.format
    forms = tuple([(attribute.form, attribute.implicit) for attribute in attributes])
    if _INDIRECT in forms:
        indirect = _IndirectForms(abbreviation, abbreviation, combinations)
        return abbreviation, abbreviation.has_children, None, 0, indirect.read, indirect
    read = _known_values if len(forms) <= _MAX_KEPT_VALUES else _read_values
    return abbreviation, abbreviation.has_children, *read(forms, format), None


def _read_values(forms: Forms, format: UnitFormat) -> tuple[Unpack | None, int, ReadValues]:
    """Return what reads all values of an entry, of the frequent kinds without a loop over steps."""
    steps = steps_of(forms, format)
    if steps == (read_block, read_block):
        return None, 0, _read_two_blocks
    if len(steps) == 1 and isinstance(steps[0], Struct):
        return steps[0].unpack_from, steps[0].size, partial(_read_steps, steps)
    if len(steps) > 1 and all(isinstance(step, Struct | tuple) for step in steps):
        return None, 0, _read_fixed(steps)
    return None, 0, partial(_read_steps, steps)


_known_values = lru_cache(maxsize=2048)(_read_values)


def _read_fixed(steps: Iterable[Step]) -> ReadValues:
    """Return what reads values of fixed sizes, among which are some that take no bytes."""
    letters, constants = "<", list[int]()
    order: list[int] = []
    """The indexes of the values among those with bytes, those of the constants from the end."""
    for step in steps:
        if isinstance(step, Struct):
            order += range(len(letters) - 1, len(letters) + len(step.format) - 2)
            letters = step.format[:1] + letters[1:] + step.format[1:]
        elif isinstance(step, tuple):
            order += range(~len(constants), ~len(constants) - len(step), -1)
            constants += step
    whole, more = Struct(letters), tuple(reversed(constants))
    unpack, size_bytes, pick = whole.unpack_from, whole.size, itemgetter(*order)

    def read(data: Data, position: int, end: int) -> tuple[tuple[Raw, ...], int]:
        return pick(unpack(data, position) + more), position + size_bytes

    return read


def _read_two_blocks(data: Data, position: int, end: int) -> tuple[tuple[Raw, ...], int]:
    """Read what the parameters of call sites have; nearly all blocks have less than 128 bytes."""
    if position < end and (first_bytes := data[position]) < 0x80:
        second = position + 1 + first_bytes
        if second < end and (second_bytes := data[second]) < 0x80:
            stop = second + 1 + second_bytes
            return (data[position + 1 : second], data[second + 1 : stop]), stop
    first, position = read_block(data, position, end)
    second_block, position = read_block(data, position, end)
    return (first, second_block), position


def _read_steps(
    steps: tuple[Step, ...], data: Data, position: int, end: int
) -> tuple[tuple[Raw, ...], int]:
    values: list[Raw] = []
    for step in steps:
        if type(step) is Struct:
            values += step.unpack_from(data, position)
            position += step.size
        elif type(step) is tuple:
            values += step
        else:
            value, position = step(data, position, end)  # type: ignore[operator]
            values.append(value)
    return tuple(values), position


def steps_of(forms: Forms, format: UnitFormat) -> tuple[Step, ...]:
    """Return the steps that read values of these forms; `Malformed` where a form is unknown."""
    order = "<" if format.endian == "little" else ">"
    steps: list[Step] = []
    for kind, run in groupby(forms, lambda form: _kind_of(form[0], format)):
        match kind:
            case "fixed":
                sizes = [fixed_size(form, format) for form, _ in run]
                steps.append(Struct(order + "".join(FORMAT_LETTERS[size or 0] for size in sizes)))
            case "no bytes":
                steps.append(tuple(1 if implicit is None else implicit for _, implicit in run))
            case _:
                steps += [reader_of(form, format) for form, _ in run]
    return tuple(steps)


def _kind_of(form: int, format: UnitFormat) -> Literal["fixed", "no bytes", "variable"]:
    if fixed_size(form, format) in FORMAT_LETTERS:
        return "fixed"
    return "no bytes" if form in _WITHOUT_BYTES else "variable"
