"""A walk over all values gives the same as the entries one by one."""

from __future__ import annotations

import contextlib
from random import Random

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import unit_walk as walk_module
from dwarfgpu.dwarf.abbrev import read_abbreviations
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.forms import WordReader
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_walk import Forms, Row, Step, _known_values, walk
from dwarfgpu.errors import DwarfGpuError, Malformed
from dwarfgpu.expr.context import UnitFormat
from tests.dwarf.builder import FIXTURES, Shape, abbreviations, debug_info, file_of, fixture
from tests.work import at_most, calls_of

UNIT = Shape(dw.TAG_COMPILE_UNIT, (), True)
NAMES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix in (".co", ".v4", ".v5")
)


def rows(unit: CompilationUnit, data: bytes | None = None) -> list[Row]:
    return list(walk(data or unit.data, unit.header.entries_at, unit.end, unit.abbreviations))


def units(name: str) -> DebugInfo:
    return fixture(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_values_of_every_entry(name: str) -> None:
    for unit in units(name).units:
        result = rows(unit)
        assert [offset for offset, _, _ in result] == list(unit.tree.offsets)
        for index, (_, abbreviation, values) in enumerate(result):
            die = unit.die(index)
            assert abbreviation is die.abbreviation
            assert list(values) == [attribute.raw for _, attribute in die.attributes()]


@pytest.mark.parametrize(
    ("form", "message"), [(dw.FORM_STRING, "no end"), (dw.FORM_REF4, "cut short")]
)
def test_an_entry_that_is_cut_short(form: int, message: str) -> None:
    (unit,) = units("asm/legacy.gfx942.v5.co").units
    cut = next(
        offset
        for offset, abbreviation, _ in rows(unit)
        if abbreviation.attributes and abbreviation.attributes[0].form == form
    )
    with pytest.raises(Malformed, match=message):
        list(walk(unit.data, unit.header.entries_at, cut + 3, unit.abbreviations))


@pytest.mark.parametrize("seed", range(200))
def test_any_bytes(seed: int) -> None:
    """The same as the tree, or an error, whatever the bytes."""
    rng = Random(seed)
    unit = rng.choice(units(rng.choice(NAMES)).units)
    data = bytearray(unit.data)
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(unit.header.entries_at, unit.end)] = rng.randrange(256)
    with contextlib.suppress(DwarfGpuError):
        rows(unit, bytes(data))


def test_attributes_without_bytes_cost_nothing_for_each_entry() -> None:
    wide = Shape(dw.TAG_VARIABLE, ((dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT),) * 1_000)
    (unit,) = debug_info(file_of(b"\1" + b"\2" * 500 + b"\0", [UNIT, wide])).units
    with at_most(20_000):
        assert [len(values) for _, _, values in rows(unit)] == [0, *[1_000] * 500]


def test_short_blocks_take_one_call_each() -> None:
    attributes = ((dw.AT_LOCATION, dw.FORM_EXPRLOC), (dw.AT_CONST_VALUE, dw.FORM_EXPRLOC))
    count = 1_000
    body = b"\1" + b"\2\1\x50\1\x51" * count + b"\0"
    (unit,) = debug_info(file_of(body, [UNIT, Shape(dw.TAG_VARIABLE, attributes)])).units
    assert [values for _, _, values in rows(unit)[1:]] == [(b"\x50", b"\x51")] * count
    assert calls_of(lambda: rows(unit)) < 4 * count


def test_values_without_bytes_between_others_take_no_step_each() -> None:
    attributes = (
        (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT),
        (dw.AT_BYTE_SIZE, dw.FORM_DATA2),
        (dw.AT_DECLARATION, dw.FORM_FLAG_PRESENT),
        (dw.AT_DECL_LINE, dw.FORM_IMPLICIT_CONST, -3),
        (dw.AT_DECL_FILE, dw.FORM_DATA1),
    )
    count = 1_000
    body = b"\1" + b"\2\1\2\3" * count + b"\0"
    (unit,) = debug_info(file_of(body, [UNIT, Shape(dw.TAG_VARIABLE, attributes)])).units
    assert [values for _, _, values in rows(unit)[1:]] == [(1, 0x201, 1, -3, 3)] * count
    assert calls_of(lambda: rows(unit)) < 6 * count


def test_abbreviations_with_the_same_forms_are_compiled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[object] = []
    steps_of = walk_module.steps_of

    def counted(forms: Forms, format: UnitFormat) -> tuple[Step, ...]:
        compiled.append((forms, format))
        return steps_of(forms, format)

    monkeypatch.setattr(walk_module, "steps_of", counted)
    _known_values.cache_clear()
    shapes = [
        Shape(tag, ((name, dw.FORM_DATA1), (dw.AT_NAME, dw.FORM_STRING)))
        for tag in (dw.TAG_VARIABLE, dw.TAG_MEMBER)
        for name in (dw.AT_DECL_LINE, dw.AT_DECL_FILE)
    ]
    body = b"\1" + b"".join(bytes((code, code)) + b"x\0" for code in range(2, 6)) + b"\0"
    (unit,) = debug_info(file_of(body, [UNIT, *shapes])).units
    assert [values for _, _, values in rows(unit)[1:]] == [(n, b"x") for n in range(2, 6)]
    assert len(compiled) == len(set(compiled)) == 2  # the unit's own entry has no values
    # Of another size of addresses, the values of the same forms are others.
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_LOW_PC, dw.FORM_ADDR),))
    for size_bytes in (4, 8):
        form = UnitFormat(address_size=size_bytes)
        table = read_abbreviations(WordReader(abbreviations(shape)), form, {})
        data = b"\1" + bytes(range(8))
        ((_, _, (value,)),) = walk(data, 0, len(data), table)
        assert value == int.from_bytes(bytes(range(size_bytes)), "little")
