"""Every entry of a unit with every value, in one pass: for readers of whole files.

An abbreviation is compiled once into steps: neighbouring values of fixed size are one `struct`.
Nothing is cached; use the unit's tree to look up single entries, which is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from struct import Struct, error
from typing import TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
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

Step: TypeAlias = Struct | ReadForm
Row: TypeAlias = tuple[int, Abbreviation, tuple[Raw, ...]]
"""Offset in `.debug_info`, abbreviation, and the unresolved values of its attributes."""


def walk(
    data: bytes, position: int, end: int, abbreviations: Mapping[int, Abbreviation]
) -> Iterator[Row]:
    """The entries between two offsets of `.debug_info`; `Malformed` for one that is cut short."""
    plans: dict[int, tuple[Abbreviation, tuple[Step, ...], bool]] = {}
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
            planned = plans[code] = abbreviation, steps_of(abbreviation), abbreviation.has_children
        abbreviation, steps, has_children = planned
        values: tuple[Raw, ...] = ()
        try:
            for step in steps:
                if type(step) is Struct:
                    values += step.unpack_from(data, position)
                    position += step.size
                else:
                    value, position = step(data, position, end)  # type: ignore[operator]
                    values += (value,)
        except error:
            position = end + 1
        if position > end:
            raise Malformed(f"entry at offset {start:#x} is cut short: its unit ends at {end:#x}")
        yield start, abbreviation, values
        if has_children:
            depth += 1
        elif not depth:
            return


def steps_of(abbreviation: Abbreviation) -> tuple[Step, ...]:
    """The steps that read all values of an entry; `Malformed` where a form is unknown."""
    order = "<" if abbreviation.format.endian == "little" else ">"
    steps: list[Step] = []
    letters = ""
    for attribute in abbreviation.attributes:
        size_bytes = fixed_size(attribute.form, abbreviation.format)
        if size_bytes in FORMAT_LETTERS:
            letters += FORMAT_LETTERS[size_bytes]
            continue
        if letters:
            steps.append(Struct(order + letters))
            letters = ""
        if attribute.implicit is not None:
            steps.append(_constant(attribute.implicit))
        elif attribute.form == dw.FORM_INDIRECT:
            steps.append(_read_indirect(abbreviation.format))
        else:
            steps.append(reader_of(attribute.form, abbreviation.format))
    return (*steps, Struct(order + letters)) if letters else tuple(steps)


def _constant(value: int) -> ReadForm:
    return lambda data, position, end: (value, position)


def _read_indirect(format: UnitFormat) -> ReadForm:
    def read(data: bytes, position: int, end: int) -> tuple[Raw, int]:
        form, position = indirect_form(data, position, end)
        return reader_of(form, format)(data, position, end)

    return read
