"""A unit as expressions see it, and mutated files."""

from __future__ import annotations

import random

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.global_variables import global_named, globals_of
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, UndefinedBits, Unsupported
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocList, NumberAt, Unit
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import Shape, debug_info, file_of, fixture, read_fixture


def test_a_unit_is_a_unit() -> None:
    unit: Unit = fixture("hip/nest.gfx942.O2.v5.co").units[0]
    assert unit.format.version == 5
    assert unit.section_offset(0x32) == 0x32
    assert unit.base_type(0x32).name == "int"
    assert unit.base_type(0x32) is unit.base_type(0x32)


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (0x27, "tag 0x34: not a base type"),
        (0x33, "starts at offset 0x33"),
        (0x0, "outside its unit"),
        (0xC2, "outside its unit"),
        (1 << 70, "outside its unit"),
    ],
)
def test_offsets_that_are_not_base_types(offset: int, message: str) -> None:
    with pytest.raises(IllFormed, match=message):
        fixture("hip/nest.gfx942.O2.v5.co").units[0].base_type(offset)


def test_addresses() -> None:
    unit = fixture("hip/nest.gfx942.O2.v5.co", 0x1000).units[0]
    (launches,) = [s for s in unit.sections.object.symbols if s.name == "launches"][:1]
    assert unit.address(0) == launches.address
    assert unit.relocate(unit.address(0)) == launches.address + 0x1000
    assert unit.relocate(2**64 - 1) == 0xFFF
    with pytest.raises(Malformed, match="index 1000000"):
        unit.address(1_000_000)
    with pytest.raises(Unsupported):
        unit.tls_address(0, 1, None)


def test_location_at() -> None:
    unit = fixture("hip/nest.gfx942.O2.v5.co").units[0]
    assert unit.location_at(0x27) == ExprLoc(b"\xa1\x00", unit)
    location = unit.location_at(0x60)
    assert isinstance(location, LocList) and location.unit is unit
    assert unit.location_at(0x32) is None
    for offset in (0x28, 0, 0xFFFF):
        with pytest.raises(IllFormed):
            unit.location_at(offset)


@pytest.mark.parametrize(
    ("form", "data", "expected"),
    [
        (dw.FORM_DATA1, b"\xff", b"\xff\0\0\0"),
        (dw.FORM_SDATA, b"\x7f", b"\xff\xff\xff\xff"),
        (dw.FORM_UDATA, b"\x81\x01", b"\x81\0\0\0"),
        (dw.FORM_DATA8, b"\1\2\3\4\5\6\7\x08", b"\1\2\3\4"),
        (dw.FORM_BLOCK1, b"\x02ab", b"ab"),
        (dw.FORM_STRING, b"ab\0", b"ab\0"),
    ],
)
def test_const_value(form: int, data: bytes, expected: bytes) -> None:
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_ENCODING, 0x0B), (dw.AT_BYTE_SIZE, 0x0B))),
        Shape(dw.TAG_CONSTANT, ((dw.AT_TYPE, dw.FORM_REF1), (dw.AT_CONST_VALUE, form))),
    ]
    info = debug_info(file_of(b"\x01\x02\x05\x04\x03\x0d" + data + b"\0", shapes))
    unit = info.units[0]
    assert unit.location_at(0x10) == ConstValue(expected)
    assert unit.variable_value(0x10) == NumberAt(ConstValue(expected), unit.base_type(0xD))


def test_a_number_cannot_describe_a_large_object() -> None:
    shapes = [
        Shape(0x11, (), True),
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_UDATA),)),
        Shape(dw.TAG_CONSTANT, ((dw.AT_TYPE, dw.FORM_REF1), (dw.AT_CONST_VALUE, dw.FORM_UDATA))),
    ]
    huge = b"\xff\xff\xff\xff\xff\xff\x7f"
    unit = debug_info(file_of(b"\x01\x02" + huge + b"\x03\x0d\x01\0", shapes)).units[0]
    with pytest.raises(IllFormed, match="is a number, its object has"):
        unit.location_at(0x15)


def test_variable_value_of_a_variable_in_memory() -> None:
    unit = fixture("hip/nest.gfx942.O2.v5.co").units[0]
    variable = unit.variable_value(0x27)
    assert variable == NumberAt(ExprLoc(b"\xa1\x00", unit), unit.base_type(0x32))


def test_the_value_of_a_variable_without_a_location_is_optimized_out() -> None:
    """gcc -flto describes the bounds of variable length arrays by such variables."""
    attributes = ((dw.AT_NAME, dw.FORM_STRING),)
    for data, named in ((b"n\0\0", "n"), (b"\0", "without a name at 0xd")):
        shape = Shape(dw.TAG_VARIABLE, attributes if len(data) > 1 else ())
        unit = debug_info(file_of(b"\x01\x02" + data, [Shape(0x11, (), True), shape])).units[0]
        with pytest.raises(UndefinedBits, match=f"the variable {named} has no location"):
            unit.variable_value(0xD)


MUTATED = [
    "hip/nest.gfx942.O2.v5.co",
    "opencl/kernels.gfx90a.O2.v4.co",
    "asm/locations.gfx942.v5.co",
    "asm/legacy.gfx942.v5.co",
    "x86_64/demo.gcc.O2.v5",
    "x86_64/demo.gcc.O0.v4",
]


def everything(info: DebugInfo) -> None:
    """Ask for all that the reader offers, whatever each question answers."""
    here = Scopes(info)
    for unit in info.units:
        questions = [
            lambda unit=unit: unit.dialect,
            lambda unit=unit: unit.name,
            lambda unit=unit: here.subprogram_at(unit.base_address or 0),
            lambda unit=unit: list(globals_of(unit)),
            lambda: global_named(here.info, "nothing"),
        ]
        for pc in range(0x1000, 0x5400, 0x180):
            questions.append(lambda pc=pc: ask_variables(here, pc))
        for question in questions:
            attempt(question)
        attempt(lambda unit=unit: ask_entries(unit))


def attempt(question: object) -> None:
    assert callable(question)
    try:
        question()
    except DwarfGpuError as error:
        assert str(error) and "\n" not in str(error)


def ask_variables(here: Scopes, pc: int) -> None:
    for variable in here.variables_at(pc):
        for ask in (
            lambda v=variable: size_bytes(v.type),
            lambda v=variable: v.why_optimized_out_at(pc),
            lambda v=variable: (v.decl_line, v.memory_space, v.location),
        ):
            attempt(ask)


def ask_entries(unit: object) -> None:
    for index in range(len(unit.tree.offsets)):  # type: ignore[attr-defined]
        die = unit.die(index)  # type: ignore[attr-defined]
        for ask in (
            lambda d=die: list(d.attributes()),
            lambda d=die: d.name,
            lambda d=die: types_of(unit).build(d),  # type: ignore[attr-defined]
            lambda d=die: getattr(types_of(unit).build(d), "members", None),  # type: ignore[attr-defined]
            lambda d=die: unit.location_attribute(d),  # type: ignore[attr-defined]
            lambda d=die: unit.base_type(d.offset - unit.offset),  # type: ignore[attr-defined]
        ):
            attempt(ask)


@pytest.mark.parametrize("name", MUTATED)
def test_mutated_files_give_only_our_errors(name: str) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    original = read_fixture(name)
    sections = [
        section
        for section in ObjectFile(name, original).sections
        if section.name.startswith(".debug_") and section.size_bytes
    ]
    for _ in range(8):
        data = bytearray(original)
        for _ in range(source.choice((1, 3, 10))):
            section = source.choice(sections)
            at = section.offset + source.randrange(section.size_bytes)
            data[at] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
        everything(DebugInfo.of(ObjectFile(name, bytes(data))))
