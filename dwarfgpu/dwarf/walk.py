"""Read every entry of a unit with all its values in one pass, for readers of whole files.

An abbreviation is compiled once into steps: neighbouring values of fixed size are one `struct`,
those that take no bytes one tuple, because an abbreviation of any length may have nothing else.
Nothing is cached; use the unit's tree to look up single entries, which is cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from struct import Struct, error
from typing import Final, Literal, TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, AttributeSpecification
from dwarfgpu.dwarf.forms import (
    FORMAT_LETTERS,
    Raw,
    ReadForm,
    fixed_size,
    indirect_form,
    read_uleb,
    reader_of,
)
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.context import UnitFormat

Step: TypeAlias = Struct | tuple[int, ...] | ReadForm
Row: TypeAlias = tuple[int, Abbreviation, tuple[Raw, ...]]
"""Offset in `.debug_info`, abbreviation, and the unresolved values of its attributes."""

_Plan: TypeAlias = tuple[
    Abbreviation, bool, Callable[[bytes, int], tuple[Raw, ...]] | None, int, tuple[Step, ...]
]
"""An abbreviation, whether its entries have children, what reads all values of an entry where each
has a fixed size, their bytes, and the steps of any other."""

_WITHOUT_BYTES: Final = frozenset({dw.FORM_FLAG_PRESENT, dw.FORM_IMPLICIT_CONST})


def walk(
    data: bytes, position: int, end: int, abbreviations: Mapping[int, Abbreviation]
) -> Iterator[Row]:
    """The entries between two offsets of `.debug_info`; `Malformed` for one that is cut short."""
    plans: dict[int, _Plan] = {}
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
                return
            continue
        planned = plans.get(code)
        if planned is None:
            abbreviation = abbreviations.get(code)
            if abbreviation is None:
                raise Malformed(f"entry at offset {start:#x} has the unknown abbreviation {code}")
            planned = plans[code] = _plan(abbreviation)
        abbreviation, has_children, unpack, size_bytes, steps = planned
        if unpack is not None and position + size_bytes <= end:  # most entries
            yield start, abbreviation, unpack(data, position)
            position += size_bytes
            if has_children:
                depth += 1
            elif not depth:
                return
            continue
        values: list[Raw] = []
        try:
            for step in steps:
                if type(step) is Struct:
                    values += step.unpack_from(data, position)
                    position += step.size
                elif type(step) is tuple:
                    values += step
                else:
                    value, position = step(data, position, end)  # type: ignore[operator]
                    values.append(value)
        except error:
            position = end + 1
        if position > end:
            raise Malformed(f"entry at offset {start:#x} is cut short: its unit ends at {end:#x}")
        yield start, abbreviation, tuple(values)
        if has_children:
            depth += 1
        elif not depth:
            return


def _plan(abbreviation: Abbreviation) -> _Plan:
    steps = steps_of(abbreviation)
    has_children = abbreviation.has_children
    if len(steps) == 1 and isinstance(steps[0], Struct):
        return abbreviation, has_children, steps[0].unpack_from, steps[0].size, steps
    return abbreviation, has_children, None, 0, steps


def steps_of(abbreviation: Abbreviation) -> tuple[Step, ...]:
    """The steps that read all values of an entry; `Malformed` where a form is unknown."""
    format = abbreviation.format
    order = "<" if format.endian == "little" else ">"
    steps: list[Step] = []
    for kind, run in groupby(abbreviation.attributes, partial(_kind_of, format)):
        match kind:
            case "fixed":
                sizes = [fixed_size(attribute.form, format) for attribute in run]
                steps.append(Struct(order + "".join(FORMAT_LETTERS[size or 0] for size in sizes)))
            case "no bytes":
                steps.append(tuple(_constant(attribute) for attribute in run))
            case _:
                steps += [_reader(attribute.form, format) for attribute in run]
    return tuple(steps)


def _kind_of(
    format: UnitFormat, attribute: AttributeSpecification
) -> Literal["fixed", "no bytes", "variable"]:
    if fixed_size(attribute.form, format) in FORMAT_LETTERS:
        return "fixed"
    return "no bytes" if attribute.form in _WITHOUT_BYTES else "variable"


def _constant(attribute: AttributeSpecification) -> int:
    return 1 if attribute.implicit is None else attribute.implicit


def _reader(form: int, format: UnitFormat) -> ReadForm:
    return _read_indirect(format) if form == dw.FORM_INDIRECT else reader_of(form, format)


def _read_indirect(format: UnitFormat) -> ReadForm:
    def read(data: bytes, position: int, end: int) -> tuple[Raw, int]:
        form, position = indirect_form(data, position, end)
        return reader_of(form, format)(data, position, end)

    return read
