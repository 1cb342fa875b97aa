"""Values whose form is written before them (DW_FORM_indirect, DWARF 5 7.5.3) are checked as those
whose form is in the abbreviation."""

from __future__ import annotations

from itertools import islice, product

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.check.file import verify
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.unit_walk import Row, walk
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.expr.dialect.dialect import UPSTREAM_CLANG
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import (
    ADDR,
    BASE_TYPE,
    COMPILE_UNIT,
    DATA1,
    EXPRLOC,
    REF4,
    SDATA,
    SEC_OFFSET,
    STRING,
    SUBPROGRAM,
    VARIABLE,
    block,
    findings,
    info_file,
    one_entry,
    operations,
    rules,
    verdict_on,
    words,
)
from tests.dwarf.builder import Shape

INDIRECT, ADDRX, STRP, BLOCK1 = dw.FORM_INDIRECT, 0x1B, 0x0E, 0x0A
FAULTY = block(operations("lit4; swap; nop"))

Attributes = list[tuple[int, int, bytes]]


def indirect(attributes: Attributes) -> Attributes:
    return [(number, INDIRECT, encode_uleb(form) + data) for number, form, data in attributes]


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        (VARIABLE, [(dw.AT_LOCATION, EXPRLOC, FAULTY)]),
        (VARIABLE, [(dw.AT_LOCATION, SEC_OFFSET, words(0x1000, size_bytes=4))]),
        (VARIABLE, [(dw.AT_TYPE, REF4, words(5, size_bytes=4))]),
        (VARIABLE, [(dw.AT_DECL_FILE, DATA1, b"\xc8")]),
        (VARIABLE, [(dw.AT_LINKAGE_NAME, STRP, words(0x1000, size_bytes=4))]),
        (VARIABLE, [(dw.AT_LINKAGE_NAME, DATA1, b"\1")]),
        (SUBPROGRAM, [(dw.AT_FRAME_BASE, EXPRLOC, FAULTY)]),
        (SUBPROGRAM, [(dw.AT_LOW_PC, ADDRX, b"\1")]),
        (SUBPROGRAM, [(dw.AT_LOW_PC, ADDR, words(0x1100)), (dw.AT_HIGH_PC, ADDR, words(0x1080))]),
        (dw.TAG_IMPORTED_DECLARATION, [(dw.AT_IMPORT, REF4, words(13, size_bytes=4))]),
        (
            BASE_TYPE,
            [
                (dw.AT_ENCODING, DATA1, b"\5"),
                (dw.AT_BYTE_SIZE, DATA1, b"\4"),
                (dw.AT_BIT_SIZE, DATA1, b"\x21"),
            ],
        ),
        (dw.TAG_TYPEDEF, [(dw.AT_NAME, STRING, b"t\0"), (0x01, REF4, words(12, size_bytes=4))]),
    ],
)
def test_faults_of_values(tag: int, attributes: Attributes) -> None:
    direct = findings(verdict_on(one_entry(tag, attributes)))
    assert direct
    written = findings(verdict_on(one_entry(tag, indirect(attributes))))
    assert [(one.rule, one.message) for one in written] == [
        (one.rule, one.message) for one in direct
    ]


@pytest.mark.parametrize("version", [3, 4])
def test_faults_of_expressions_of_earlier_versions(version: int) -> None:
    form = BLOCK1 if version == 3 else EXPRLOC
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, INDIRECT),))]
    file = info_file(shapes, b"\1\2" + encode_uleb(form) + FAULTY + b"\0", version=version)
    assert rules(verdict_on(file)) == [("error", "stack-underflow")]


def test_each_entry_has_its_own_forms() -> None:
    """The second entry has another form than those beside it, and alone is wrong."""
    location = operations("addr 0x1000")
    right = encode_uleb(EXPRLOC) + block(location)
    wrong = encode_uleb(DATA1) + b"\5"
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((dw.AT_LOCATION, INDIRECT),))]
    entries = b"\1\2" + right + b"\2" + wrong + b"\2" + right + b"\0"
    verdict = verdict_on(info_file(shapes, entries))
    assert rules(verdict) == [("error", "wrong-class")]
    assert verdict.expressions == 2


@pytest.mark.parametrize(("bit_offset", "is_outside"), [(40, False), (41, True)])
@pytest.mark.parametrize(("form", "size"), [(DATA1, b"\x18"), (SDATA, b"\x18"), (0x0F, b"\x18")])
def test_bit_fields(bit_offset: int, is_outside: bool, form: int, size: bytes) -> None:
    """A member of 24 bits of a structure of 8 bytes."""
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(BASE_TYPE, ((dw.AT_ENCODING, DATA1), (dw.AT_BYTE_SIZE, DATA1))),
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_BYTE_SIZE, DATA1),), True),
        Shape(
            dw.TAG_MEMBER,
            (
                (dw.AT_TYPE, REF4),
                (dw.AT_DATA_BIT_OFFSET, DATA1),
                (dw.AT_BIT_SIZE, INDIRECT),
            ),
        ),
    ]
    member = words(13, size_bytes=4) + bytes((bit_offset, form)) + size
    entries = b"\1\2\5\4\3\x08\4" + member + b"\0\0"
    expected = [("error", "wrong-layout")] if is_outside else []
    assert rules(verdict_on(info_file(shapes, entries))) == expected


def test_work_on_forms_counts_for_the_limit_of_entries() -> None:
    """Entries with forms that no other entry has count as abbreviations of their own."""
    numbers = (0x20, 0x21, 0x23, 0x24, 0x29, 0x2B, 0x2D, 0x3D)
    sizes = {0x0B: 1, 0x05: 2, 0x0F: 1, 0x0D: 1}
    values = [bytes((form, *bytes(size))) for form, size in sizes.items()]
    entries = [b"\2" + b"".join(picked) for picked in islice(product(values, repeat=8), 3_000)]
    attributes = tuple((number, INDIRECT) for number in numbers)
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, attributes)]
    counts = []
    for of_entries in (entries, entries[:1] * 3_000):
        content = info_file(shapes, b"\1" + b"".join(of_entries) + b"\0")
        file = ObjectFile("made", content, FileLimits(dies=10_000))
        counts.append(verify(CodeObject.of(file)).entries)
    assert counts[0] < 400
    assert counts[1] == 3_001


def test_combinations_of_forms_are_bounded() -> None:
    """What reads the rows keeps each, in every walk over a unit: also in that for the dialect."""
    numbers = (0x20, 0x21, 0x23, 0x24, 0x29, 0x2B, 0x2D)
    attributes = tuple((number, INDIRECT) for number in numbers)
    shapes = [Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, attributes)]
    shapes.append(Shape(dw.TAG_MEMBER, attributes))
    picked = [*map(b"".join, product((b"\x0b\0", b"\x0f\0", b"\x0d\0"), repeat=7))]
    variables, members = ([code + values for values in picked] for code in (b"\2", b"\3"))

    def rows(entries: list[bytes]) -> list[Row]:
        content = info_file(shapes, b"\1" + b"".join(entries) + b"\0")
        (unit,) = CodeObject.of(ObjectFile("made", content)).info.units
        return [*walk(unit.data, unit.header.entries_at, unit.end, unit.abbreviations)]

    assert len({id(shape) for _, shape, _ in rows(variables * 3)}) == 3**7 + 1
    with pytest.raises(LimitExceeded, match="combinations of forms"):
        rows(variables + members)


def test_the_dialect_of_a_file_without_producer() -> None:
    """The operations that only one dialect has are in values whose form is before them."""
    direct = [(dw.AT_LOCATION, EXPRLOC, block(operations("regx v3")))]
    for attributes in (direct, indirect(direct)):
        content = one_entry(VARIABLE, attributes)
        (unit,) = CodeObject.of(ObjectFile("made", content)).info.units
        assert unit.dialect is UPSTREAM_CLANG
