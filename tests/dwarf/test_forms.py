"""Every attribute form, abbreviations, unit headers: one fact a row."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import (
    Abbreviation,
    AttributeSpecification,
    read_abbreviations,
)
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import (
    FORMS,
    Raw,
    ReadForm,
    ReadValue,
    SkipPlan,
    WordReader,
    fixed_size,
    number_at,
    reader_after,
    reader_of,
    skip,
    skip_plan,
)
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, Unsupported
from dwarfgpu.expr.context import UnitFormat
from tests.dwarf.builder import (
    Shape,
    abbreviations,
    debug_info,
    elf,
    file_of,
    unit,
)

FORMATS = [
    UnitFormat(8, 4, 5),
    UnitFormat(4, 8, 5),
    UnitFormat(4, 4, 2, "big"),
    UnitFormat(8, 8, 3, "big"),
]


def encoded(form: int, format: UnitFormat) -> tuple[bytes, int | bytes]:
    """A value of a form, and what it reads as."""
    _, encoding = FORMS[form]
    order = format.endian
    match encoding:
        case int():
            value = 0x10F0E0D0C0B0A090807060504030201 & (1 << 8 * encoding) - 1
            return value.to_bytes(encoding, order), value
        case "address":
            return (0x1234).to_bytes(format.address_size, order), 0x1234
        case "offset":
            return (0x56).to_bytes(format.offset_size, order), 0x56
        case "reference_address":
            size = format.address_size if format.version == 2 else format.offset_size
            return (0x78).to_bytes(size, order), 0x78
        case "uleb":
            return encode_uleb(0x12345), 0x12345
        case "sleb":
            return encode_sleb(-12345), -12345
        case "string":
            return b"text\0", b"text"
        case "implicit":
            return b"", 1
        case "addrx_offset":
            return encode_uleb(300) + (5).to_bytes(4, order), 300 << 32 | 5
        case "block1" | "block2" | "block4":
            return len(b"abc").to_bytes(int(encoding[-1]), order) + b"abc", b"abc"
        case _:
            return b"\x03abc", b"abc"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("form", [form for form in FORMS if form != dw.FORM_INDIRECT])
def test_form_read_skipped_and_cut_short(form: int, format: UnitFormat) -> None:
    data, value = encoded(form, format)
    padded = b"\xaa" + data + b"\xbb"
    assert reader_of(form, format)(padded, 1, len(padded)) == (value, 1 + len(data))
    plan = skip_plan((form, dw.FORM_DATA1), format)
    assert skip(plan, padded, 1, len(padded)) == len(padded)
    for size in range(len(data)):
        with pytest.raises(Malformed):
            reader_of(form, format)(data[:size], 0, size)
        with pytest.raises(Malformed):
            skip(skip_plan((form,), format), data[:size], 0, size)


@pytest.mark.parametrize("format", FORMATS)
def test_a_value_after_others_is_read_as_if_they_were_skipped(format: UnitFormat) -> None:
    rng = Random(19)
    forms = [form for form in FORMS if form != dw.FORM_INDIRECT]

    def outcome(read: ReadValue, data: bytes, end: int) -> object:
        try:
            return read(data, 1, end)
        except Malformed as error:
            return str(error)

    for _ in range(2_000):
        before, form = rng.choices(forms, k=rng.choice((0, 1, 1, 2, 3))), rng.choice(forms)
        data = b"\xaa" + b"".join(encoded(one, format)[0] for one in (*before, form))
        end = len(data) - rng.choice((0, 0, 1, 2, 5))
        plan, read = skip_plan(before, format), reader_of(form, format)
        size_bytes = fixed_size(form, format)
        number = None if size_bytes is None else number_at(size_bytes, format.endian)
        found = outcome(reader_after(plan, read, number), data, end)
        assert found == outcome(partial(in_steps, plan, read), data, end), (before, form, end)


def in_steps(plan: SkipPlan, read: ReadForm, data: bytes, position: int, end: int) -> Raw:
    return read(data, skip(plan, data, position, end), end)[0]


@pytest.mark.parametrize("form", [form for form in FORMS if form != dw.FORM_IMPLICIT_CONST])
def test_indirect_form(form: int) -> None:
    """As `readelf` and `llvm-dwarfdump` read them, also one that names DW_FORM_indirect."""
    format = FORMATS[0]
    named = form
    if form == dw.FORM_INDIRECT:
        form = dw.FORM_DATA2
    data, value = encoded(form, format)
    shape = Shape(dw.TAG_COMPILE_UNIT, ((0x999, dw.FORM_INDIRECT), (0x998, dw.FORM_DATA1)))
    names = encode_uleb(form) if named == form else b"\x16\x16" + encode_uleb(form)
    root = only(file_of(b"\x01" + names + data + b"\x7e", [shape]))
    attribute = root.attribute(0x999)
    assert attribute is not None
    assert (attribute.form, attribute.kind, attribute.raw) == (form, FORMS[form][0], value)
    assert root.integer(0x998) == 0x7E


@pytest.mark.parametrize("names", [b"\x16" * 1_000 + b"\x0b", b"\x16\x21", b"\x16"])
def test_what_an_indirect_form_may_not_name(names: bytes) -> None:
    """A long chain, DW_FORM_implicit_const, whose value is in the abbreviation, and nothing."""
    shape = Shape(dw.TAG_COMPILE_UNIT, ((0x999, dw.FORM_INDIRECT),))
    root = only(file_of(b"\x01" + names, [shape]))
    with pytest.raises(Malformed):
        root.attribute(0x999)


def test_an_unknown_indirect_form_is_malformed() -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((0x999, dw.FORM_INDIRECT),))
    root = only(file_of(b"\x01\x7f", [shape]))
    with pytest.raises(Malformed, match="form 0x7f"):
        root.attribute(0x999)


def only(data: bytes) -> Die:
    """The entry of the only unit."""
    (result,) = debug_info(data).units
    return result.root


def test_fixed_sizes_become_one_step() -> None:
    forms = (dw.FORM_DATA1, dw.FORM_STRP, dw.FORM_FLAG_PRESENT, dw.FORM_ADDR)
    assert skip_plan(forms, UnitFormat(8, 4)) == (13,)


STRINGS = {
    ".debug_str": b"zero\0one\0\xff\0",
    ".debug_line_str": b"line\0",
    ".debug_str_offsets": b"\x10\0\0\0\5\0\0\0" + b"\x05\0\0\0\x09\0\0\0\xff\0\0\0",
}


@pytest.mark.parametrize(
    ("form", "data", "text"),
    [
        (dw.FORM_STRING, b"inline\0", "inline"),
        (dw.FORM_STRP, b"\x05\0\0\0", "one"),
        (dw.FORM_STRP, b"\x06\0\0\0", "ne"),  # strings may share their ends
        (dw.FORM_STRP, b"\x09\0\0\0", "\\xff"),  # not UTF-8
        (dw.FORM_LINE_STRP, b"\0\0\0\0", "line"),
        (dw.FORM_STRX, b"\x00", "one"),
        (dw.FORM_STRX1, b"\x01", "\\xff"),
        (dw.FORM_STRX3, b"\x00\0\0", "one"),
        (dw.FORM_STRX4, b"\x00\0\0\0", "one"),
    ],
)
def test_strings(form: int, data: bytes, text: str) -> None:
    assert string_unit(form, data).string(dw.AT_NAME) == text


def string_unit(form: int, data: bytes) -> Die:
    shape = Shape(
        dw.TAG_COMPILE_UNIT,
        ((dw.AT_NAME, form), (dw.AT_STR_OFFSETS_BASE, dw.FORM_SEC_OFFSET)),
    )
    return only(file_of(b"\x01" + data + b"\x08\0\0\0", [shape], STRINGS))


@pytest.mark.parametrize(
    ("form", "data", "error", "message"),
    [
        (dw.FORM_STRP, b"\x0b\0\0\0", Malformed, r"no string starts at \.debug_str\+0xb"),
        (dw.FORM_STRX1, b"\x02", Malformed, r"no string starts at \.debug_str\+0xff"),
        (dw.FORM_STRX1, b"\x03", Malformed, "index 3"),
        (dw.FORM_DATA1, b"\0", IllFormed, "class constant"),
        (dw.FORM_BLOCK1, b"\0", IllFormed, "class block"),
    ],
)
def test_strings_that_are_none(
    form: int, data: bytes, error: type[DwarfGpuError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        string_unit(form, data).string(dw.AT_NAME)
    assert caught.value.context == "made.co: .debug_info entry 0xc"


@pytest.mark.parametrize("form", [dw.FORM_STRP_SUP, dw.FORM_GNU_STRP_ALT])
def test_a_supplementary_string_without_a_file(form: int) -> None:
    with pytest.raises(IllFormed, match="names no supplementary file") as caught:
        string_unit(form, bytes(4)).string(dw.AT_NAME)
    assert caught.value.context == "made.co"


def test_string_index_without_base() -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRX1),))
    with pytest.raises(IllFormed, match="an index but no DW_AT_str_offsets_base"):
        only(file_of(b"\x01\x00", [shape], STRINGS)).string(dw.AT_NAME)


@pytest.mark.parametrize(
    ("form", "data", "unsigned", "signed"),
    [
        (dw.FORM_DATA1, b"\xff", 255, -1),
        (dw.FORM_DATA2, b"\xfe\xff", 0xFFFE, -2),
        (dw.FORM_SDATA, b"\x7f", -1, -1),
        (dw.FORM_UDATA, b"\xff\x01", 255, 255),
        (dw.FORM_DATA16, b"\xff" * 16, (1 << 128) - 1, -1),
    ],
)
def test_constants(form: int, data: bytes, unsigned: int, signed: int) -> None:
    root = only(file_of(b"\x01" + data, [Shape(dw.TAG_COMPILE_UNIT, ((0x999, form),))]))
    assert (root.integer(0x999), root.signed_integer(0x999)) == (unsigned, signed)


@pytest.mark.parametrize(
    ("version", "number", "value"),
    [(4, dw.AT_BYTE_SIZE, 4), (5, dw.AT_BYTE_SIZE, None), (5, 0x2117, 4)],
    ids=["DWARF 4", "DWARF 5", "of a vendor"],
)
def test_flags_as_numbers(version: int, number: int, value: int | None) -> None:
    """DWARF 5 table 7.5; GDB 13, too, ignores such a size."""
    shape = Shape(dw.TAG_BASE_TYPE, ((number, dw.FORM_FLAG),))
    assert only(file_of(b"\x01\x04", [shape], version=version)).integer(number) == value


def test_implicit_constant_and_absent_attributes() -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((0x999, dw.FORM_IMPLICIT_CONST, -7), (0x998, 0x19)))
    root = only(file_of(b"\x01", [shape]))
    assert root.integer(0x999) == -7
    assert root.flag(0x998)
    assert not root.flag(0x997)
    assert (root.integer(0x997), root.string(0x997), root.address(0x997)) == (None, None, None)
    assert (root.reference(0x997), root.attribute(0x997), root.name) == (None, None, None)


PARENT = Shape(dw.TAG_COMPILE_UNIT, (), True)


@pytest.mark.parametrize(
    ("form", "data", "target"),
    [
        (dw.FORM_REF1, b"\x0c", 0x0C),
        (dw.FORM_REF4, b"\x0d\0\0\0", 0x0D),
        (dw.FORM_REF_UDATA, b"\x0d", 0x0D),
        (dw.FORM_REF_ADDR, b"\x0d\0\0\0", 0x0D),
    ],
)
def test_references(form: int, data: bytes, target: int) -> None:
    info = debug_info(file_of(b"\x01\x02" + data, [PARENT, Shape(0x24, ((dw.AT_TYPE, form),))]))
    die = info.die_at(0x0D)
    assert die.reference(dw.AT_TYPE) == info.die_at(target)
    assert die.parent() == info.units[0].root
    assert list(info.units[0].root.children()) == [die]


@pytest.mark.parametrize(
    ("form", "data", "error", "message"),
    [
        (dw.FORM_REF1, b"\x01", IllFormed, "no entry of the unit at 0x0 starts at offset 0x1"),
        (dw.FORM_REF1, b"\xff", IllFormed, "no entry"),
        (dw.FORM_REF_ADDR, b"\xff\xff\0\0", IllFormed, "is not in any unit"),
        (
            dw.FORM_REF_SIG8,
            bytes(8),
            IllFormed,
            "no type unit has the signature 0x0",
        ),
        (dw.FORM_REF_SUP4, bytes(4), IllFormed, "names no supplementary file"),
        (dw.FORM_GNU_REF_ALT, bytes(4), IllFormed, "names no supplementary file"),
        (dw.FORM_STRP_SUP, bytes(4), IllFormed, "class supplementary_string"),
        (dw.FORM_DATA1, b"\x0c", IllFormed, "class constant"),
        (dw.FORM_STRING, b"x\0", IllFormed, "is not a reference"),
    ],
)
def test_references_that_lead_nowhere(
    form: int, data: bytes, error: type[DwarfGpuError], message: str
) -> None:
    shape = Shape(dw.TAG_BASE_TYPE, ((dw.AT_TYPE, form),))
    info = debug_info(file_of(b"\x01\x02" + data, [PARENT, shape]))
    with pytest.raises(error, match=message):
        info.die_at(0x0D).reference(dw.AT_TYPE)


def test_origins_that_are_a_cycle() -> None:
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_SPECIFICATION, dw.FORM_REF1),))
    info = debug_info(file_of(b"\x01\x02\x0d", [PARENT, shape]))
    with pytest.raises(IllFormed, match="entry 0xd is an origin of itself"):
        assert info.die_at(0x0D).name


def test_origins_that_lead_to_a_cycle() -> None:
    """The entry at 0x0d is outside of it."""
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_SPECIFICATION, dw.FORM_REF1),))
    info = debug_info(file_of(b"", [PARENT, shape]))
    with pytest.raises(IllFormed, match="entry 0xd has more than 16 abstract origins"):
        assert info.die_at(0x0D).name


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (b"\x01\x11\x02\0\0\0", "DW_CHILDREN 0x2"),
        (b"\x01\x11\0\0\0\x01\x11\0\0\0\0", "declared twice"),
        (b"\x01\x11\0\x03", "cut short"),
        (b"\x01\x11\0\0\0", "cut short"),
        (b"\x02\x11\0\0\0\0", "unknown abbreviation 1"),
        (b"\x01\x11\0\x03\x7f\0\0\0", "form 0x7f is unknown"),
        (b"\x01\x11\0\0\x08\0\0\0", "abbreviation 1 has attribute 0x0 with form 0x8 at offset 0x3"),
        (b"\x01\x11\0\x03\0\0\0\0", "abbreviation 1 has attribute 0x3 with form 0x0 at offset 0x3"),
    ],
)
def test_abbreviations_that_cannot_be_used(table: bytes, message: str) -> None:
    data = elf({".debug_info": unit(b"\x01\0"), ".debug_abbrev": table})
    (result,) = debug_info(data).units
    with pytest.raises(Malformed, match=message) as caught:
        assert result.tree
    assert caught.value.context is not None


CONSTANT = (dw.AT_DECL_FILE, dw.FORM_IMPLICIT_CONST)
REPEATED = [
    Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LANGUAGE, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, ((*CONSTANT, 0),)),
    Shape(dw.TAG_VARIABLE, ((*CONSTANT, 0), (dw.AT_NAME, dw.FORM_STRING))),
    Shape(dw.TAG_VARIABLE, ((*CONSTANT, 1 << 40), (*CONSTANT, 0)), True),
    Shape(dw.TAG_LEXICAL_BLOCK),
    Shape(dw.TAG_LEXICAL_BLOCK, (), True),
    Shape(0x4106, ((0x2137, dw.FORM_STRP), (0x80, dw.FORM_DATA1))),
    Shape(0x80, ((0x100, 0x80),)),
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),) * 500),
]


def test_repeated_declarations_are_read_as_alone() -> None:
    """Zeros in values, of shapes without attributes and before the end too."""
    tables = [abbreviations(*REPEATED[first:], *REPEATED[:first]) for first in range(9)]
    declared: dict[bytes, Abbreviation] = {}
    for table in (*tables, abbreviations(), *tables):
        together, alone = WordReader(table, "little"), WordReader(table, "little")
        ours = read_abbreviations(together, FORMATS[0], declared)
        expected = read_abbreviations(alone, FORMATS[0], {})
        assert [shape(answer) for answer in ours.values()] == [
            shape(item) for item in expected.values()
        ]
        assert together.position == alone.position == len(table)
    first, second = (
        read_abbreviations(WordReader(tables[0], "little"), FORMATS[0], declared) for _ in range(2)
    )
    assert first[1] is second[1], "plans are compiled once"


def shape(abbreviation: Abbreviation) -> tuple[object, ...]:
    built = abbreviation
    return built.code, built.tag, built.has_children, built.attributes, built.format


def test_an_unknown_form_costs_only_the_entries_that_have_it() -> None:
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LANGUAGE, dw.FORM_DATA1),)),
        Shape(1, ((3, 0x7F),)),
    ]
    assert only(file_of(b"\x01\x21", shapes)).integer(dw.AT_LANGUAGE) == 0x21


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("offset_size", [4, 8])
@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_unit_headers(version: int, offset_size: int, endian: Endian) -> None:
    shape = Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, dw.FORM_ADDR),))
    body = unit(b"\x01" + (0x1234).to_bytes(4, endian), version, 4, offset_size, endian)  # type: ignore[arg-type]
    sections = {".debug_info": body * 2, ".debug_abbrev": abbreviations(shape)}
    info = debug_info(elf(sections, endian=endian))
    assert [unit.offset for unit in info.units] == [0, len(body)]
    for item in info.units:
        assert item.format == UnitFormat(4, offset_size, version, endian)
        assert item.base_address == 0x1234
        assert item.end == item.offset + len(body)


@pytest.mark.parametrize(
    ("header", "error", "message"),
    [
        (b"\x04\0\0\0\x06\0\0\0", Unsupported, "DWARF version 6"),
        (b"\x09\0\0\0\x05\0\x09\x08\0\0\0\0\0", Unsupported, "unit type 0x9"),
        (b"\x08\0\0\0\x05\0\x01\x03\0\0\0\0", Malformed, "address size 3"),
        (b"\x02\0\0\0\x05\0", Malformed, "needed"),
        (b"\xf0\xff\xff\xff", Malformed, "reserved"),
        (b"\xff\xff\xff\x0f\x05\0", Malformed, "beyond the section"),
        (b"\x05\0", Malformed, "needed"),
    ],
)
def test_a_header_that_cannot_be_used_costs_its_unit(
    header: bytes, error: type[DwarfGpuError], message: str
) -> None:
    good = unit(b"\x01")
    sections = {".debug_info": good + header, ".debug_abbrev": abbreviations(Shape(0x11))}
    info = debug_info(elf(sections))
    assert [unit.offset for unit in info.units] == [0]
    (problem,) = info.problems
    assert isinstance(problem, error)
    assert message in str(problem)
    assert f"made.co: .debug_info unit {len(good):#x}" in str(problem)


def test_units_after_an_unusable_one() -> None:
    data = b"\x04\0\0\0\x06\0\0\0" + unit(b"\x01")
    info = debug_info(elf({".debug_info": data, ".debug_abbrev": abbreviations(Shape(0x11))}))
    assert [unit.offset for unit in info.units] == [8]
    assert info.units[0].root.tag == dw.TAG_COMPILE_UNIT


def test_a_file_without_debug_information_has_no_units() -> None:
    assert debug_info(elf({})).units == ()


def test_abbreviations_share_what_reads_a_value_after_the_same_forms() -> None:
    def abbreviation(code: int, format: UnitFormat, *forms: int) -> Abbreviation:
        attributes = tuple(
            AttributeSpecification(name, form) for name, form in enumerate(forms, 0x100)
        )
        return Abbreviation(code, dw.TAG_VARIABLE, False, attributes, format)

    four, eight = UnitFormat(8, 4, 5), UnitFormat(8, 8, 5)
    first = abbreviation(1, four, dw.FORM_STRP, dw.FORM_DATA2).value(1)
    assert abbreviation(2, four, dw.FORM_SEC_OFFSET, dw.FORM_DATA2, dw.FORM_ADDR).value(1) is first
    data = bytes(range(32))
    assert first.read(data, 1, 32) == 0x0605
    other = abbreviation(1, eight, dw.FORM_STRP, dw.FORM_DATA2).value(1)
    assert other.read(data, 1, 32) == 0x0A09
