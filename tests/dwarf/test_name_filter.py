"""A unit that is passed over in a look-up by name has no entry of that name."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from struct import pack

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import open_object
from tests.dwarf.builder import FIXTURES, Shape, abbreviations, debug_info, elf
from tests.dwarf.builder import unit as unit_of

FILES = sorted(
    path for path in FIXTURES.glob("*/*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"
)

MOST = 500


def names(unit: CompilationUnit) -> Iterator[str]:
    for index in range(len(unit.tree.offsets)):
        try:
            name = unit.die(index).name
        except DwarfGpuError:
            continue
        if name is not None:
            yield name


def drawn(names: Iterator[str]) -> list[str]:
    """Each name once, or some of those of a unit that has very many."""
    every = sorted(set(names))
    return Random(MOST).sample(every, min(MOST, len(every)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_names_of_every_unit(path: object) -> None:
    info = DebugInfo.of(open_object(str(path)))
    for unit in info.units:
        try:
            result = drawn(names(unit))
        except DwarfGpuError:
            continue
        assert all(mentions(info, name)(unit) for name in result)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_variables_of_every_unit(path: object) -> None:
    """With tags: declarations count where something completes them."""
    info = DebugInfo.of(open_object(str(path)))
    for unit in info.units:
        try:
            result = drawn(variables(unit))
        except DwarfGpuError:
            continue
        assert all(mentions(info, name, DATA)(unit) for name in result)


def variables(unit: CompilationUnit) -> Iterator[str]:
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag in DATA:
            try:
                die = unit.die(index)
                name = None if die.flag(dw.AT_DECLARATION) else die.name
            except DwarfGpuError:
                continue
            if name is not None:
                yield name


NAME, FLAG, INLINE = (dw.AT_NAME, dw.FORM_STRP), (dw.AT_DECLARATION, 0x19), (dw.AT_NAME, 8)
SPECIFICATION, TYPE = (dw.AT_SPECIFICATION, dw.FORM_REF4), (dw.AT_TYPE, dw.FORM_REF4)
OFFSET = pack("<I", 4)
"""Of the name."""


@pytest.mark.parametrize("others", [1, 40, 100])
@pytest.mark.parametrize(
    ("shapes", "entries", "expected"),
    [
        ([Shape(dw.TAG_VARIABLE, (NAME,))], b"\x02" + OFFSET, True),
        ([Shape(dw.TAG_VARIABLE, (INLINE,))], b"\x02ab\0", True),
        ([Shape(dw.TAG_MEMBER, (NAME,))], b"\x02" + OFFSET, False),
        ([Shape(dw.TAG_MEMBER, (INLINE,))], b"\x02ab\0", False),
        ([Shape(dw.TAG_VARIABLE, (INLINE,))], b"\x02xab\0", False),  # it only ends so
        ([Shape(dw.TAG_VARIABLE, (NAME, FLAG))], b"\x02" + OFFSET, False),
        ([Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_DECLARATION, 12)))], b"\x02" + OFFSET + b"\1", True),
        # something else may stand between
        ([Shape(dw.TAG_VARIABLE, (TYPE, NAME))], b"\x02" + bytes(4) + OFFSET, True),
        # a code of more bytes than it needs
        ([Shape(dw.TAG_VARIABLE, (NAME,))], b"\x82\0" + OFFSET, True),
        ([Shape(dw.TAG_VARIABLE, (INLINE,))], b"\x82\x80\0ab\0", True),
        # a declaration, and what completes it, another one, or in a way that is not looked into
        (
            [Shape(dw.TAG_VARIABLE, (NAME, FLAG)), Shape(dw.TAG_VARIABLE, (SPECIFICATION,))],
            b"\x02" + OFFSET + b"\x03" + pack("<I", 13), True,
        ),
        (
            [Shape(dw.TAG_VARIABLE, (NAME, FLAG)), Shape(dw.TAG_VARIABLE, (SPECIFICATION,))],
            b"\x02" + OFFSET + b"\x03" + pack("<I", 14), False,
        ),
        (
            [Shape(dw.TAG_VARIABLE, (NAME, FLAG)),
             Shape(dw.TAG_VARIABLE, ((dw.AT_SPECIFICATION, 0x15),))],
            b"\x02" + OFFSET + b"\x03" + b"\x0d", True,
        ),
        # an instance of an inline template, as gcc describes it
        ([Shape(dw.TAG_VARIABLE, (NAME, FLAG, (dw.AT_LOCATION, 0x18)))],
         b"\x02" + OFFSET + b"\1\x30", True),
        # a static member is declared as a member
        (
            [Shape(dw.TAG_MEMBER, (NAME, FLAG)), Shape(dw.TAG_VARIABLE, (SPECIFICATION,))],
            b"\x02" + OFFSET + b"\x03" + pack("<I", 13), True,
        ),
        # the linkage name may come first
        (
            [Shape(dw.TAG_MEMBER, (NAME, FLAG)), Shape(dw.TAG_VARIABLE, (TYPE, SPECIFICATION))],
            b"\x02" + OFFSET + b"\x03" + bytes(4) + pack("<I", 13), True,
        ),
    ],
)  # fmt: skip
def test_entries_of_a_tag(shapes: list[Shape], entries: bytes, expected: bool, others: int) -> None:
    """Whether few strings end in the name or many."""
    strings = b"\0abaab\0"[:4] + b"ab\0" + b"".join(b"%dab\0" % number for number in range(others))
    root = Shape(dw.TAG_COMPILE_UNIT, (), has_children=True)
    data = elf(
        {
            ".debug_info": unit_of(b"\x01" + entries + b"\0"),
            ".debug_abbrev": abbreviations(root, *shapes),
            ".debug_str": strings,
        },
        machine=62,
    )
    (result,) = debug_info(data).units
    assert mentions(result.info, "ab", DATA)(result) == expected
    assert mentions(result.info, "ab")(result) or not expected


def test_units_without_a_name_are_passed_over() -> None:
    info = DebugInfo.of(open_object(FIXTURES / "x86_64" / "demo.gcc.O2.v5"))
    assert not any(map(mentions(info, "no_such_name"), info.units))
    assert any(map(mentions(info, "factorial"), info.units))
