"""DW_AT_const_value against the size of its object (DWARF 5 4.1)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.check import layout
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import Attribute
from tests.check.made import (
    BASE_TYPE,
    COMPILE_UNIT,
    DATA1,
    DATA4,
    REF4,
    SDATA,
    STRING,
    VARIABLE,
    findings,
    info_file,
    verdict_on,
    words,
)
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape

UDATA, DATA8, DATA16, BLOCK1 = dw.FORM_UDATA, dw.FORM_DATA8, dw.FORM_DATA16, dw.FORM_BLOCK1
EXCEEDS, SHORT = "value-exceeds-type", "value-short-of-type"
INT, CHARS = (5, "int"), (8, "char")


def with_constant(
    size_bytes: int, form: int, data: bytes, tag: int = VARIABLE, kind: tuple[int, str] = INT
) -> bytes:
    """`x`, of a base type of a size, with DW_AT_const_value."""
    encoding, name = kind
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(tag, ((dw.AT_NAME, STRING), (dw.AT_CONST_VALUE, form), (dw.AT_TYPE, REF4))),
        Shape(BASE_TYPE, ((dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1), (dw.AT_NAME, STRING))),
    ]
    constant = b"\2x\0" + data
    of_type = words(13 + len(constant) + 4, size_bytes=4)
    base_type = bytes((3, size_bytes, encoding)) + name.encode() + b"\0"
    return info_file(shapes, b"\1" + constant + of_type + base_type + b"\0", machine=X86_64)


@pytest.mark.parametrize(
    ("size_bytes", "form", "data", "rule"),
    [
        (1, UDATA, encode_uleb(255), None),
        (1, UDATA, encode_uleb(256), EXCEEDS),
        (1, SDATA, encode_sleb(-128), None),
        (1, SDATA, encode_sleb(-129), EXCEEDS),
        (1, SDATA, encode_sleb(255), None),
        (4, UDATA, encode_uleb((1 << 32) - 1), None),
        (4, UDATA, encode_uleb(1 << 32), EXCEEDS),
        (8, SDATA, encode_sleb(-1 << 63), None),
        (2, SDATA, encode_sleb(-(1 << 15) - 1), EXCEEDS),
        (1, DATA4, b"\xff\xff\xff\xff", None),  # the form has no sign: it may be -1
        (1, DATA4, b"\xff\xff\0\0", EXCEEDS),
        (1, UDATA, encode_uleb((1 << 64) - 128), None),  # clang's -128
        (1, UDATA, encode_uleb((1 << 64) - 129), EXCEEDS),
        (8, DATA16, bytes(7) + b"\x80" + bytes(8), None),
        (8, DATA16, bytes(8) + b"\1" + bytes(7), EXCEEDS),
        (8, BLOCK1, b"\x08" + bytes(8), None),
        (8, BLOCK1, b"\x09" + bytes(9), EXCEEDS),
        (8, BLOCK1, b"\x07" + bytes(7), SHORT),
        (4, STRING, b"abcd\0", None),  # C lets an array omit the null byte
        (4, STRING, b"a\0", None),
        (4, STRING, b"abcde\0", EXCEEDS),
    ],
)
@pytest.mark.parametrize("tag", [VARIABLE, dw.TAG_MEMBER, dw.TAG_TEMPLATE_VALUE_PARAMETER])
def test_sizes(size_bytes: int, form: int, data: bytes, rule: str | None, tag: int) -> None:
    found = findings(verdict_on(with_constant(size_bytes, form, data, tag)))
    assert [(one.severity, one.rule) for one in found] == ([("warning", rule)] if rule else [])


@pytest.mark.parametrize(
    ("form", "data", "rule"),
    [
        (UDATA, encode_uleb(200), None),
        (SDATA, encode_sleb(-1), None),
        (UDATA, encode_uleb(0x1FF), EXCEEDS),
        (SDATA, encode_sleb(-200), EXCEEDS),
    ],
)
def test_enumerators(form: int, data: bytes, rule: str | None) -> None:
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_BYTE_SIZE, DATA1),), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_NAME, STRING), (dw.AT_CONST_VALUE, form))),
    ]
    verdict = verdict_on(info_file(shapes, b"\1\2\1\3e\0" + data + b"\0\0"))
    assert [one.rule for one in findings(verdict)] == ([rule] if rule else [])


@pytest.mark.parametrize(("number", "shown", "bits"), [(300, "44 ','", 8), (44, "44 ','", None)])
def test_eval_reads_the_lowest_bits(
    tmp_path: Path, number: int, shown: str, bits: int | None
) -> None:
    """As GDB: `p x` prints `44 ','`."""
    path = tmp_path / "constant"
    path.write_bytes(with_constant(1, UDATA, encode_uleb(number), kind=CHARS))
    done = run("eval", str(path), "x")
    assert done.out == f"x = {shown}\n"
    note = f"note: x: DW_AT_const_value {number} needs more bits than the {bits} of the object\n"
    assert done.err == (note if bits else "")


def test_other_objects_of_its_size_have_no_padding() -> None:
    block = b"\x0a" + bytes(10)
    found = findings(verdict_on(with_constant(16, BLOCK1, block)))  # an integer
    assert [one.rule for one in found] == [SHORT]


@pytest.mark.parametrize("size_bytes", [12, 16])
def test_a_long_double_has_padding(tmp_path: Path, size_bytes: int) -> None:
    """clang writes the 10 bytes of the number; GDB prints it."""
    block = b"\x0a" + bytes(7) + b"\xe0\0\x40"
    data = with_constant(size_bytes, BLOCK1, block, kind=(4, "long double"))
    path = tmp_path / "constant"
    path.write_bytes(data)
    assert findings(verdict_on(data)) == []
    assert run("eval", path, "x").out == "x = 3.5\n"
    assert "the constant 3.5: DW_AT_const_value" in run("where", path, "x").out


def test_an_object_has_a_location_or_a_constant(tmp_path: Path) -> None:
    """DWARF 5 4.1: GDB shows the constant, LLDB the location."""
    attributes = (
        (dw.AT_NAME, STRING), (dw.AT_TYPE, REF4), (dw.AT_LOCATION, dw.FORM_EXPRLOC),
        (dw.AT_CONST_VALUE, DATA1),
    )  # fmt: skip
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(BASE_TYPE, ((dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1), (dw.AT_NAME, STRING))),
        Shape(VARIABLE, attributes),
    ]
    lit5 = b"\2\x35\x9f"
    entries = b"\1\2\4\5int\0\3x\0" + words(13, size_bytes=4) + lit5 + b"\x09\0"
    path = tmp_path / "both"
    path.write_bytes(info_file(shapes, entries, machine=X86_64))
    (found,) = findings(verdict_on(path.read_bytes()))
    assert (found.severity, found.rule, found.section) == ("error", "repeated-attribute", "4.1")
    assert found.message == "both DW_AT_location and DW_AT_const_value say what the value is"
    done = run("eval", str(path), "x")
    assert done.out == "x = 5\n"
    note = "note: x has both DW_AT_location and DW_AT_const_value: its location is read\n"
    assert done.err == note


@pytest.mark.parametrize(
    ("producer", "tag", "members", "form", "data", "is_noted"),
    [
        ("clang version 19.1.7", dw.TAG_STRUCTURE_TYPE, 2, UDATA, b"\3", True),
        ("rustc", dw.TAG_CLASS_TYPE, 2, DATA4, b"\3\0\0\0", True),
        ("clang version 19.1.7", dw.TAG_STRUCTURE_TYPE, 1, UDATA, b"\3", False),
        ("clang version 19.1.7", dw.TAG_UNION_TYPE, 2, UDATA, b"\3", False),
        ("clang version 19.1.7", dw.TAG_STRUCTURE_TYPE, 2, BLOCK1, b"\x08\3" + bytes(7), False),
        ("GNU C17 12.2.0 -O2", dw.TAG_STRUCTURE_TYPE, 2, UDATA, b"\3", False),
    ],
)
def test_numbers_of_parts(
    tmp_path: Path, producer: str, tag: int, members: int, form: int, data: bytes, is_noted: bool
) -> None:
    """LLVM writes the constant of one member of a structure as it writes one of the whole."""
    size, offset = (dw.AT_BYTE_SIZE, DATA1), (dw.AT_DATA_MEMBER_LOCATION, DATA1)
    shapes = [
        Shape(COMPILE_UNIT, ((dw.AT_PRODUCER, STRING),), True),
        Shape(BASE_TYPE, (size, (dw.AT_ENCODING, DATA1), (dw.AT_NAME, STRING))),
        Shape(tag, (size,), True),
        Shape(dw.TAG_MEMBER, ((dw.AT_NAME, STRING), (dw.AT_TYPE, REF4), offset)),
        Shape(VARIABLE, ((dw.AT_NAME, STRING), (dw.AT_CONST_VALUE, form), (dw.AT_TYPE, REF4))),
    ]
    base = 13 + len(producer) + 1
    entries = b"\1" + producer.encode() + b"\0" + b"\2\4\5int\0" + b"\3\x08"
    for index in range(members):
        at = 0 if tag == dw.TAG_UNION_TYPE else 4 * index
        entries += b"\4m%d\0" % index + words(base, size_bytes=4) + bytes((at,))
    entries += b"\0" + b"\5x\0" + data + words(base + 7, size_bytes=4) + b"\0"
    path = tmp_path / "made"
    path.write_bytes(info_file(shapes, entries, machine=X86_64))
    done = run("eval", str(path), "x")
    assert done.status == 0
    assert done.out.startswith("x = {m0 = 3")
    assert ("the others may be optimized out" in done.err) is is_noted
    where = run("where", str(path), "x").out
    assert (", or that of a part: DW_AT_const_value" in where) is is_noted


def test_small_numbers_of_enumerators_are_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_BYTE_SIZE, DATA1),), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_CONST_VALUE, DATA1),)),
    ]
    data = info_file(shapes, b"\1\2\4\3\7" + b"\3\xff" * 1000 + b"\0\0")
    looked_up, excess = [], layout.constant_excess

    def counted(attribute: Attribute, size_bytes: int | None) -> str | None:
        looked_up.append(attribute.raw)
        return excess(attribute, size_bytes)

    monkeypatch.setattr(layout, "constant_excess", counted)
    assert findings(verdict_on(data)) == []
    assert looked_up == [7]


@pytest.mark.parametrize("size", [1 << 28, 1 << 32, (1 << 64) - 1])
def test_enumerations_of_any_size(size: int) -> None:
    """The bits of the size are counted; no number has as many."""
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_BYTE_SIZE, DATA8),), True),
        Shape(dw.TAG_ENUMERATOR, ((dw.AT_CONST_VALUE, DATA8),)),
    ]
    data = info_file(shapes, b"\1\2" + words(size) + b"\3" + words(5) + b"\0\0")
    tracemalloc.start()
    try:
        assert findings(verdict_on(data)) == []
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
