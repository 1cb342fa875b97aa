"""Sizes and offsets of numbers that contradict one another: `check` finds what `eval` refuses."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.check.made import BASE_TYPE, COMPILE_UNIT, DATA1, STRING, findings, info_file, verdict_on
from tests.dwarf.builder import AMDGPU, Shape

UNIT = Shape(COMPILE_UNIT, (), True)
NAME = (dw.AT_NAME, STRING)
TYPE = (dw.AT_TYPE, dw.FORM_REF4)
SIZE = (dw.AT_BYTE_SIZE, DATA1)
LOCATION = (dw.AT_DATA_MEMBER_LOCATION, DATA1)
INT, AFTER = b"\x0d\0\0\0", b"\x12\0\0\0"
"""Offsets of `int`, which is first, and of the entry after it."""
X86_64, AVR = 62, 83
SIZES = {
    "byte_size": dw.AT_BYTE_SIZE,
    "bit_size": dw.AT_BIT_SIZE,
    "data_bit_offset": dw.AT_DATA_BIT_OFFSET,
    "encoding": dw.AT_ENCODING,
}


def messages(shape: Shape, data: bytes) -> list[str]:
    file = info_file((UNIT, shape), b"\1\2b\0" + data + b"\0")
    return [found.message for found in findings(verdict_on(file)) if found.rule == "wrong-layout"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"byte_size": 4, "encoding": 5}, None),
        ({"byte_size": 4, "bit_size": 32, "encoding": 5}, None),
        ({"byte_size": 4, "bit_size": 17, "data_bit_offset": 15, "encoding": 5}, None),
        ({"bit_size": 17, "encoding": 5}, None),
        (
            {"byte_size": 4, "bit_size": 33, "encoding": 5},
            "DW_AT_bit_size 33 is more than DW_AT_byte_size 4 has",
        ),
        (
            {"byte_size": 4, "bit_size": 17, "data_bit_offset": 16, "encoding": 5},
            "17 bits at bit 16 are not in a storage of 32 bits",
        ),
        ({"byte_size": 4}, "base type b at 0xd has no encoding"),
        ({"encoding": 5}, "base type b at 0xd has no size"),
        ({"byte_size": 0, "encoding": 5}, None),  # Triton's `unknown_type`
    ],
)
def test_base_types(sizes: dict[str, int], message: str | None) -> None:
    shape = Shape(BASE_TYPE, (NAME, *((SIZES[name], DATA1) for name in sizes)))
    assert messages(shape, bytes(sizes.values())) == ([] if message is None else [message])


def test_an_attribute_that_occurs_twice_is_one_fault() -> None:
    encoding, high = (dw.AT_ENCODING, DATA1), (dw.AT_HIGH_PC, dw.FORM_SDATA)
    for shape, data, fault in (
        (Shape(BASE_TYPE, (NAME, encoding, encoding)), b"\5\7", "wrong-layout"),
        (Shape(dw.TAG_POINTER_TYPE, (NAME, SIZE, SIZE)), b"\0\0", "wrong-layout"),
        (
            Shape(dw.TAG_SUBPROGRAM, (NAME, (dw.AT_LOW_PC, dw.FORM_ADDR), high, high)),
            b"\0\x10" + bytes(6) + b"\x7f\x7f",
            "inverted-range",
        ),
    ):
        file = info_file((UNIT, shape), b"\1\2b\0" + data + b"\0")
        rules = [one.rule for one in findings(verdict_on(file))]
        assert rules.count(fault) == rules.count("repeated-attribute") == 1


@pytest.mark.parametrize(
    ("size", "form", "data", "rules"),
    [
        (8, dw.FORM_SDATA, b"\0", ["bad-vector-size"]),
        (8, dw.FORM_SDATA, b"\x7f", ["bad-vector-size"]),
        (8, dw.FORM_STRING, b"4\0", ["wrong-class"]),
        (8, dw.FORM_SDATA, b"\4", []),
        (0, dw.FORM_SDATA, b"\0", ["bad-vector-size", "wrong-layout"]),
    ],
)
def test_the_size_of_a_vector_is_one_fault(
    size: int, form: int, data: bytes, rules: list[str]
) -> None:
    shape = Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1), (dw.AT_LLVM_VECTOR_SIZE, form)))
    file = info_file((UNIT, shape), b"\1\2b\0" + bytes((size, 5)) + data + b"\0")
    assert sorted(one.rule for one in findings(verdict_on(file))) == rules


def test_a_member_has_one_location() -> None:
    location, offset = (dw.AT_DATA_MEMBER_LOCATION, DATA1), (dw.AT_DATA_BIT_OFFSET, DATA1)
    both = "both DW_AT_data_member_location and DW_AT_data_bit_offset say where it is"
    assert messages(Shape(dw.TAG_MEMBER, (NAME, location, offset)), b"\0\0") == [both]
    for attribute in location, offset:
        assert messages(Shape(dw.TAG_MEMBER, (NAME, attribute)), b"\0") == []


@pytest.mark.parametrize(
    ("tag", "attribute", "message"),
    [
        (dw.TAG_POINTER_TYPE, dw.AT_BYTE_SIZE, "pointer at 0xd has a DW_AT_byte_size of 0"),
        (dw.TAG_MEMBER, dw.AT_BIT_SIZE, "a bit-field that has a name has more than 0 bits"),
    ],
)
def test_what_is_read_has_a_size(tag: int, attribute: int, message: str) -> None:
    shape = Shape(tag, (NAME, (attribute, DATA1)))
    assert messages(shape, b"\0") == [message]
    assert messages(shape, b"\1") == []


@pytest.mark.parametrize(
    ("size_bytes", "count", "is_wrong"),
    [(0, 2, True), (0, 1, False), (0, 0, False), (1, 2, False)],
)
def test_an_enumeration_tells_its_enumerators_apart(
    size_bytes: int, count: int, is_wrong: bool
) -> None:
    """An enumeration with one of them needs no bits: Zig's has a type of 0 bits."""
    enumeration = Shape(dw.TAG_ENUMERATION_TYPE, (NAME, SIZE), True)
    enumerator = Shape(dw.TAG_ENUMERATOR, (NAME, (dw.AT_CONST_VALUE, DATA1)))
    entries = b"".join(b"\3e\0" + bytes((value,)) for value in range(count))
    file = info_file(
        (UNIT, enumeration, enumerator), b"\1\2E\0" + bytes((size_bytes,)) + entries + b"\0\0"
    )
    found = [one.message for one in findings(verdict_on(file)) if one.rule == "wrong-layout"]
    wanted = "an enumeration with 2 enumerators has more than 0 bytes"
    assert found == ([wanted] if is_wrong else [])


def test_a_bit_field_has_one_offset() -> None:
    offsets = (dw.AT_BIT_OFFSET, DATA1), (dw.AT_DATA_BIT_OFFSET, DATA1)
    both = "both DW_AT_bit_offset and DW_AT_data_bit_offset say where it is"
    assert messages(Shape(dw.TAG_MEMBER, (NAME, *offsets)), b"\4\x09") == [both]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (b"\0\6\5", None),
        (b"\2\4\5", None),
        (b"\0\2\5", "DW_AT_count 2 contradicts the bounds, which have 6 elements"),
    ],
)
def test_a_count_is_that_of_the_bounds(bounds: bytes, message: str | None) -> None:
    names = dw.AT_LOWER_BOUND, dw.AT_COUNT, dw.AT_UPPER_BOUND
    shape = Shape(dw.TAG_SUBRANGE_TYPE, tuple((name, DATA1) for name in names))
    file = info_file((UNIT, shape), b"\1\2" + bounds + b"\0")
    assert [one.message for one in findings(verdict_on(file))] == ([message] if message else [])


BLOCK1 = dw.FORM_BLOCK1
VARIANTS = (
    UNIT,
    Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1))),  # 2
    Shape(dw.TAG_STRUCTURE_TYPE, (SIZE,), True),  # 3
    Shape(dw.TAG_VARIANT_PART, ((dw.AT_DISCR, dw.FORM_REF4),), True),  # 4
    Shape(dw.TAG_MEMBER, (NAME, TYPE, LOCATION)),  # 5
    Shape(dw.TAG_VARIANT, ((dw.AT_DISCR_VALUE, DATA1),)),  # 6
    Shape(dw.TAG_VARIANT, ((dw.AT_DISCR_LIST, BLOCK1),)),  # 7
    Shape(dw.TAG_VARIANT, ()),  # 8
)


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        (b"\6\1\7\7\0\2\1\5\x09\0\4\x08", None),
        (b"\7\5\1\1\x09\0\3\x08", None),  # a value twice in one variant
        (b"\6\1\7\2\3\2", "DW_AT_discr_list of the entry at 0x23 has the unknown descriptor 0x3"),
        (b"\7\3\1\x09\5", "no value is in the range 9 to 5 of DW_AT_discr_list"),
        (b"\6\1\6\2\6\1", "two variants have the value 1 of the discriminant"),
        (b"\7\5\1\1\x09\0\2\6\5", "two variants have the value 5 of the discriminant"),
        (b"\6\1\x08\x08", "2 variants have no value, and one can be the default"),
    ],
)  # fmt: skip
def test_a_value_of_the_discriminant_chooses_one_variant(
    variants: bytes, message: str | None
) -> None:
    member = b"\5t\0" + INT + b"\0"
    entries = b"\1\2i\0\4\7\3\4\4" + b"\x19\0\0\0" + member + variants + b"\0\0\0"
    found = findings(verdict_on(info_file(VARIANTS, entries)))
    assert [one.rule for one in found] == ([] if message is None else ["wrong-layout"])
    assert message is None or found[0].message == message


@pytest.mark.parametrize(("language", "count"), [(0x0C, 1), (0x0D, 0)])  # C99, Ada95
def test_a_choice_of_ada_may_be_a_null_range(language: int, count: int) -> None:
    unit = Shape(COMPILE_UNIT, ((dw.AT_LANGUAGE, DATA1),), True)
    member = b"\5t\0" + b"\x0e\0\0\0" + b"\0"
    part = b"\3\4\4" + b"\x1a\0\0\0" + member + b"\7\3\1\x09\5\6\7" + b"\0\0\0"
    file = info_file((unit, *VARIANTS[1:]), bytes((1, language)) + b"\2i\0\4\7" + part)
    assert [one.rule for one in findings(verdict_on(file))] == ["wrong-layout"] * count


def test_a_variant_part_refers_to_an_entry() -> None:
    entries = b"\1\2i\0\4\7\3\4\4" + b"\x18\0\0\0" + b"\0\0\0"
    assert [one.rule for one in findings(verdict_on(info_file(VARIANTS, entries)))] == [
        "dangling-reference"
    ]


def test_padding_has_no_bits() -> None:
    assert messages(Shape(dw.TAG_MEMBER, ((dw.AT_BIT_SIZE, DATA1),)), b"\0") == []


TYPES = (
    UNIT,
    Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1))),  # 2
    Shape(dw.TAG_STRUCTURE_TYPE, (SIZE,), True),  # 3
    Shape(dw.TAG_MEMBER, (NAME, TYPE, LOCATION)),  # 4
    Shape(dw.TAG_UNION_TYPE, (SIZE,), True),  # 5
    Shape(dw.TAG_MEMBER, (NAME, TYPE)),  # 6
    Shape(dw.TAG_TYPEDEF, (NAME, TYPE)),  # 7
    Shape(dw.TAG_POINTER_TYPE, (TYPE,)),  # 8
    Shape(dw.TAG_ARRAY_TYPE, (TYPE,), True),  # 9
    Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, DATA1),)),  # 10
    Shape(dw.TAG_INHERITANCE, (TYPE, LOCATION)),  # 11
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_BIT_OFFSET, DATA1), (dw.AT_BIT_SIZE, DATA1))),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, LOCATION, (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT))),  # 13
    Shape(dw.TAG_VARIANT_PART, (), True),  # 14
    Shape(dw.TAG_VARIANT, (), True),  # 15
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_EXPRLOC))),  # 16
)
ITSELF = "the type contains itself"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (b"\3\4\4x\0" + INT + b"\0\0", None),
        (b"\3\7\4x\0" + INT + b"\4\0", "the member x ends at byte 8 of a type of 7 bytes"),
        (b"\3\4\4x\0" + INT + b"\4\4y\0" + INT + b"\4\0", "the member x ends at byte 8 of a type"),
        (b"\3\4\x0cx\0" + INT + b"\x1e\2\0", None),
        (b"\3\4\x0cx\0" + INT + b"\x1e\3\0", "the member x ends at bit 33 of a type of 4 bytes"),
        (b"\5\4\6x\0" + INT + b"\0", None),
        (b"\5\3\6x\0" + INT + b"\0", "the member x ends at byte 4 of a type of 3 bytes"),
        (b"\3\4\x0dx\0" + INT + b"\4\0", None),  # a static member
        (b"\3\4\x0e\x0f\4x\0" + INT + b"\1\0\0\0", "the member x ends at byte 5 of a type"),
        # At 0x12 an array of ints, at 0x1a a structure that has one at its byte 4.
        (b"\x09" + INT + b"\x0a\2\0\3\x0c\4x\0" + AFTER + b"\4\0", None),
        (b"\x09" + INT + b"\x0a\3\0\3\x0c\4x\0" + AFTER + b"\4\0", "the member x ends at byte 16"),
        (b"\x09" + INT + b"\x0a\0\0\3\4\4x\0" + AFTER + b"\4\0", None),
        # plus_uconst is the offset, other expressions are not known.
        (b"\3\x08\x10x\0" + INT + b"\2\x23\4\0", None),
        (b"\3\7\x10x\0" + INT + b"\2\x23\4\0", "the member x ends at byte 8 of a type of 7 bytes"),
        (b"\3\4\x10x\0" + INT + b"\3\x10\4\x22\0", "the member x ends at byte 8 of a type"),
        (b"\3\4\x10x\0" + INT + b"\3\x06\x23\4\0", None),
        # A base class ends where it begins, because virtual ones may be elsewhere.
        (b"\3\4\0\3\4\x0b" + AFTER + b"\2\0", None),
        (b"\3\4\0\3\4\x0b" + AFTER + b"\5\0", "the base class begins at byte 5 of a type of 4 byt"),
        (b"\3\4\4x\0" + AFTER + b"\0\0", ITSELF),
        (b"\3\4\x0b" + AFTER + b"\0\0", ITSELF),
        (b"\7t\0" + AFTER, ITSELF),
        (b"\x09" + AFTER + b"\x0a\2\0", ITSELF),
        (b"\7t\0\x19\0\0\0\7u\0" + AFTER, ITSELF),
        (b"\x08\x17\0\0\0\3\x08\4x\0" + AFTER + b"\0\0", None),  # a pointer to the structure
    ],
)  # fmt: skip
def test_what_types_contain(entries: bytes, message: str | None) -> None:
    file = info_file(TYPES, b"\1\2i\0\4\5" + entries + b"\0")
    found = findings(verdict_on(file))
    assert [one.rule for one in found] == ([] if message is None else ["wrong-layout"])
    assert message is None or found[0].message.startswith(message)


MEASURED = (
    Shape(COMPILE_UNIT, ((dw.AT_LANGUAGE, DATA1),), True),
    *TYPES[1:],
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE, (dw.AT_ALIGNMENT, DATA1)), True),  # 17
)
C99, ADA95, RUST = 0x0C, 0x0D, 0x1C


@pytest.mark.parametrize(
    ("language", "structure", "begin", "is_wrong"),
    [
        # rustc: the last field is one element of as many as a pointer says.
        (RUST, b"A\0\4\4", 4, False),
        (RUST, b"A\0\0\1", 0, False),
        (RUST, b"A\0\4\4", 1, False),  # 3 bytes of padding
        (RUST, b"A\0\4\2", 1, True),
        (RUST, b"A\0\4\4", 5, True),
        (C99, b"A\0\4\4", 4, True),
        # GNAT: the sizes of some components are not in that of the record.
        (ADA95, b"A___XVE\0\1\1", 0, False),
        (ADA95, b"A___XVU\0\1\1", 0, False),
        (ADA95, b"A\0\1\1", 0, True),
        (C99, b"A___XVE\0\1\1", 0, True),
    ],
)
def test_a_part_that_is_measured_at_run_time(
    language: int, structure: bytes, begin: int, is_wrong: bool
) -> None:
    member = b"\4x\0" + b"\x0e\0\0\0" + bytes((begin,))
    entries = bytes((1, language)) + b"\2i\0\4\5" + b"\x11" + structure + member + b"\0\0"
    found = findings(verdict_on(info_file(MEASURED, entries)))
    assert [one.rule for one in found] == (["wrong-layout"] if is_wrong else [])


BIT_FIELDS = (
    UNIT,
    Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1))),  # 2
    Shape(dw.TAG_STRUCTURE_TYPE, (SIZE,), True),  # 3
    Shape(
        dw.TAG_MEMBER,
        (NAME, TYPE, LOCATION, (dw.AT_BIT_SIZE, DATA1), (dw.AT_BIT_OFFSET, dw.FORM_SDATA)),
    ),
    Shape(  # 5, with a storage unit of another size than the type has
        dw.TAG_MEMBER,
        (NAME, TYPE, SIZE, LOCATION, (dw.AT_BIT_SIZE, DATA1), (dw.AT_BIT_OFFSET, dw.FORM_SDATA)),
    ),
    Shape(  # 6, with the location as DWARF 2 has it
        dw.TAG_MEMBER,
        (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_BLOCK1), (dw.AT_BIT_SIZE, DATA1),
         (dw.AT_BIT_OFFSET, dw.FORM_SDATA)),
    ),
)  # fmt: skip


def signed_byte(number: int) -> bytes:
    return bytes((number & 0x7F,))


@pytest.mark.parametrize(
    ("size", "member", "offset", "message"),
    [
        # 17 bits of an int of 4 bytes at byte 0 of a structure of 4.
        (4, b"\4x\0" + INT + b"\0\x11", 15, None),
        (4, b"\4x\0" + INT + b"\0\x11", 0, None),
        (4, b"\4x\0" + INT + b"\0\x11", 16,
         "17 bits at DW_AT_bit_offset 16 are not in a storage of 32"),
        (4, b"\4x\0" + INT + b"\0\x11", -1, "the member x ends at bit 33 of a type of 4 bytes"),
        (5, b"\4x\0" + INT + b"\0\x11", -1, None),  # LLVM, of a packed structure
        (4, b"\5x\0" + INT + b"\2\0\7", 9, None),
        (4, b"\5x\0" + INT + b"\2\0\7", 10,
         "7 bits at DW_AT_bit_offset 10 are not in a storage of 16"),
        (4, b"\5x\0" + INT + b"\2\2\7", 0, None),
        (4, b"\5x\0" + INT + b"\2\3\7", 0, "the member x ends at bit 40 of a type of 4 bytes"),
        # The storage may be larger than the structure, the bits must be in it.
        (2, b"\4x\0" + INT + b"\0\7", 16, None),
        (2, b"\4x\0" + INT + b"\0\7", 15, "the member x ends at bit 17 of a type of 2 bytes"),
        (4, b"\6x\0" + INT + b"\2\x23\2\7", 16, None),
        (4, b"\6x\0" + INT + b"\2\x23\2\7", 15, "the member x ends at bit 33 of a type of 4 byte"),
    ],
)  # fmt: skip
def test_bit_fields_before_dwarf_4(
    size: int, member: bytes, offset: int, message: str | None
) -> None:
    """DWARF 3 5.5.6: the bits from the most significant one of the storage unit to the field's."""
    entries = b"\1\2i\0\4\5" + bytes((3, size)) + member + signed_byte(offset) + b"\0\0"
    found = findings(verdict_on(info_file(BIT_FIELDS, entries)))
    assert [one.rule for one in found] == ([] if message is None else ["wrong-layout"])
    assert message is None or found[0].message.startswith(message)


@pytest.mark.parametrize(
    ("name", "is_right"),
    [(b"unknown_type", True), (b"()", True), (b"int", False), (b"long unsigned int", False)],
)
def test_an_integer_of_c_has_bytes(name: bytes, is_right: bool) -> None:
    """Triton and rustc write integers of 0 bytes, with other names."""
    shape = Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1)))
    file = info_file((UNIT, shape), b"\1\2" + name + b"\0\0\5\0")
    assert len(findings(verdict_on(file))) == (0 if is_right else 1)


@pytest.mark.parametrize(("encoding", "is_right"), [(7, True), (5, True), (4, False), (2, False)])
def test_only_an_integer_has_no_bytes(encoding: int, is_right: bool) -> None:
    shape = Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1)))
    message = "a number of its encoding has more than 0 bytes"
    assert messages(shape, bytes((0, encoding))) == ([] if is_right else [message])


@pytest.mark.parametrize(
    ("name", "size", "machine", "message"),
    [
        (b"double", 5, X86_64, "no format of a double has 40 bits"),
        (b"float", 1, X86_64, "no format of a float has 8 bits"),
        (b"long double", 11, AMDGPU, "no format of a long double has 88 bits"),
        (b"double", 4, X86_64, None),
        (b"long double", 12, X86_64, None),
        (b"fp8_e4m3", 1, X86_64, None),
        (b"double", 3, AVR, None),
    ],
)
def test_a_number_of_c_has_the_size_of_a_format(
    name: bytes, size: int, machine: int, message: str | None
) -> None:
    """Types with other names may have formats of their own, as some machines have."""
    shape = Shape(BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, DATA1)))
    entries = b"\1\2" + name + bytes((0, size, 4)) + b"\0"
    found = findings(verdict_on(info_file((UNIT, shape), entries, machine=machine)))
    assert [one.message for one in found] == ([] if message is None else [message])


def test_a_name_that_is_lost_is_reported_once() -> None:
    shape = Shape(BASE_TYPE, ((dw.AT_NAME, dw.FORM_STRP), SIZE, (dw.AT_ENCODING, DATA1)))
    entries = b"\1\2" + b"\x30\0\0\0" + bytes((8, 4)) + b"\0"
    file = info_file((UNIT, shape), entries, {".debug_str": b"a\0"}, machine=X86_64)
    assert len(findings(verdict_on(file))) == 1


@pytest.mark.parametrize(
    ("sizes", "where"), [(b"", b"\0"), (b"\4", b"\0" + signed_byte(-8))], ids=["dwarf-5", "dwarf-3"]
)
def test_a_bit_field_may_have_more_bits_than_its_type(sizes: bytes, where: bytes) -> None:
    """As clang writes `int a : 40`, whose last bits are padding (C++ [class.bit])."""
    of_5 = (NAME, TYPE, (dw.AT_DATA_BIT_OFFSET, DATA1), (dw.AT_BIT_SIZE, DATA1))
    of_3 = (NAME, TYPE, SIZE, LOCATION, (dw.AT_BIT_OFFSET, dw.FORM_SDATA), (dw.AT_BIT_SIZE, DATA1))
    shapes = (*BIT_FIELDS[:3], Shape(dw.TAG_MEMBER, of_3 if sizes else of_5))
    entries = b"\1\2i\0\4\5\3\x08\4x\0" + INT + sizes + where + b"\x28\0\0"
    assert findings(verdict_on(info_file(shapes, entries))) == []


def test_a_component_of_ada_may_have_no_bits() -> None:
    unit = Shape(COMPILE_UNIT, ((dw.AT_LANGUAGE, DATA1),), True)
    shape = Shape(dw.TAG_MEMBER, (NAME, (dw.AT_BIT_SIZE, DATA1)))
    for language, count in ((0x0C, 1), (0x0D, 0)):  # DW_LANG_C99, DW_LANG_Ada95
        file = info_file((unit, shape), bytes([1, language, 2]) + b"b\0\0\0")
        assert len(findings(verdict_on(file))) == count
