"""Files made to exhaust or to confuse: each ends soon, with the right answer or a clear error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.printable import name_text
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.coverage.coverage import coverage_of
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.scope import unit_declarations
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.declarations import followed, named_within, qualified_name
from dwarfgpu.dwarf.scope.global_variables import global_named, globals_of
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.scope_entries import code_ranges
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Member, Struct, Unspecified, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    Malformed,
    OutOfRange,
    Unsupported,
    shown,
)
from dwarfgpu.expr.context import Context
from dwarfgpu.language import TypedValue
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Implicit
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.value.value_history import reasons
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.session import Session
from dwarfgpu.view.definition_bounds import MAX_MEMBERS
from dwarfgpu.view.type_layout import layout
from dwarfgpu.view.type_offsets import offset_text
from dwarfgpu.view.type_text import type_text
from dwarfgpu.view.values import format_value
from tests.dwarf.builder import Shape, abbreviations, debug_info, elf, file_of, unit
from tests.work import assert_linear, at_most, calls_of

T = TypeVar("T")

FITS_NO_WORD = encode_uleb(1 << 64)
HUGE = encode_uleb((1 << 16_000) - 1)


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        (dw.FORM_UDATA, encode_uleb((1 << 64) - 1), (1 << 64) - 1),
        (dw.FORM_UDATA, b"\x81" + b"\x80" * 100 + b"\0", 1),  # padded, as assemblers may
        (dw.FORM_SDATA, encode_sleb(-(1 << 63)), -(1 << 63)),
        (dw.FORM_UDATA, FITS_NO_WORD, None),
        (dw.FORM_UDATA, HUGE, None),
        (dw.FORM_SDATA, encode_sleb(-(1 << 16_000)), None),
        (dw.FORM_SDATA, encode_sleb(-(1 << 63) - 1), None),
    ],
)
def test_leb128_attributes(form: int, value: bytes, expected: int | None) -> None:
    data = file_of(b"\1" + value, [Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_DECL_LINE, form),))])
    root = debug_info(data).units[0].root
    if expected is not None:
        assert root.integer(dw.AT_DECL_LINE) == expected
        return
    with pytest.raises(Malformed, match="does not fit 64 bits"):
        root.integer(dw.AT_DECL_LINE)


@pytest.mark.parametrize(
    "shape",
    [
        Shape(1 << 64),
        Shape(dw.TAG_COMPILE_UNIT, ((1 << 64, dw.FORM_DATA1),)),
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_DECL_LINE, dw.FORM_IMPLICIT_CONST, 1 << 15_000),)),
    ],
)
def test_leb128_of_abbreviations(shape: Shape) -> None:
    with pytest.raises(Malformed, match="does not fit 64 bits"):
        debug_info(file_of(b"\1", [shape])).units[0].root  # noqa: B018


def soon(question: Callable[[], T], calls: int = 40_000_000) -> T:
    """The answer, which takes a fraction of that work."""
    with at_most(calls):
        return question()


def word(value: int) -> bytes:
    return value.to_bytes(4, "little")


CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
CODE_AT = (0x1000).to_bytes(8, "little") + word(0x1000)
CODE_UNIT = Shape(dw.TAG_COMPILE_UNIT, CODE, True)
FUNCTION = Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), *CODE), True)
FUNCTION_ENTRY = b"\2f\0" + CODE_AT
BYTE_RANGE = b"\4\0\1"


def scopes_of(
    entries: bytes, *shapes: Shape, others: dict[str, bytes] | None = None
) -> tuple[Scopes, CompilationUnit]:
    info = debug_info(file_of(b"\1" + CODE_AT + entries, [CODE_UNIT, *shapes], others))
    return Scopes(info), info.units[0]


@pytest.mark.parametrize(
    ("dimensions", "expected"),
    [
        ([1 << 62, 2], (1 << 63) * 8),
        ([-1, 3], 0),
        ([1 << 62, 1 << 62], None),
        ([1 << 62] * 100, None),
        ([1] * 100_000, None),
    ],
)
def test_sizes_of_arrays(dimensions: list[int], expected: int | None) -> None:
    kind = Array(Unspecified("byte", 1), tuple(dimensions))
    if expected is not None:
        assert size_bits(kind) == expected
        return
    with pytest.raises(IllFormed):
        soon(lambda: size_bits(kind))


@pytest.mark.parametrize("size_bytes", [-1, 1 << 65])
def test_sizes_that_cannot_be(size_bytes: int) -> None:
    with pytest.raises(IllFormed, match="the size of a type in bits is"):
        size_bits(Unspecified("thing", size_bytes))


def test_units_whose_range_lists_overlap() -> None:
    shapes = abbreviations(
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_LOW_PC, 1), (dw.AT_RANGES, dw.FORM_SEC_OFFSET)))
    )
    units = b"".join(unit(b"\1" + bytes(8) + word(3 * n)) for n in range(300))
    sections = {".debug_rnglists": BYTE_RANGE * 50_000 + b"\0"}
    made = elf({".debug_info": units, ".debug_abbrev": shapes, **sections})
    with pytest.raises(LimitExceeded, match="rnglists"):
        soon(lambda: Scopes(debug_info(made)).unit_at(0x1000))


def test_lists_without_an_end_are_read_once() -> None:
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_SEC_OFFSET),))
    sections = {".debug_loclists": b"\5\0" * 50_000}
    _, unit = scopes_of(b"\2" + word(0) + b"\0", shape, others=sections)
    (variable,) = unit.root.children()
    for _ in range(10):
        with pytest.raises(Malformed):
            unit.location_of(variable, dw.AT_LOCATION)


def test_location_lists_that_overlap() -> None:
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_SEC_OFFSET),))
    entries = b"".join(b"\2" + word(2 * n) for n in range(300)) + b"\0"
    _, unit = scopes_of(entries, shape, others={".debug_loclists": b"\5\0" * 50_000 + b"\0"})

    def read_all() -> None:
        for child in unit.root.children():
            unit.location_of(child, dw.AT_LOCATION)

    with pytest.raises(LimitExceeded, match="loclists"):
        soon(read_all)


def test_abbreviation_tables_that_overlap() -> None:
    tables = [abbreviations(Shape(dw.TAG_COMPILE_UNIT))[1:-1] for _ in range(20_000)]
    records = [encode_uleb(code) + rest for code, rest in enumerate(tables, 1)]
    at, units = 0, b""
    for code, record in enumerate(records[:100], 1):
        units += unit(encode_uleb(code))[:8] + word(at) + encode_uleb(code)
        at += len(record)
    made = elf({".debug_info": units, ".debug_abbrev": b"".join(records) + b"\0"})

    def roots() -> list[int]:
        return [unit.root.tag for unit in debug_info(made).units]

    with pytest.raises(LimitExceeded, match="abbrev"):
        soon(roots)


def test_names_deep_in_namespaces() -> None:
    count = 1_000
    shapes = [
        Shape(dw.TAG_NAMESPACE, (), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),)),
    ]
    scopes, unit = scopes_of(b"\2" * count + b"\3x\0" * count, *shapes)
    assert soon(lambda: global_named(scopes.info, "a::x")) is None
    name = soon(lambda: [qualified_name(variable.die) for variable in globals_of(unit)][-1])
    assert name == "::".join(["(anonymous namespace)"] * 100 + ["x"])


def test_blocks_that_share_a_long_range_list() -> None:
    shapes = [FUNCTION, Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),))]
    lists = {".debug_rnglists": BYTE_RANGE * 20_000 + b"\0"}
    entries = FUNCTION_ENTRY + b"\3\0\0\0\0" * 3_000 + b"\0\0"
    scopes, _ = scopes_of(entries, *shapes, others=lists)
    assert len(soon(lambda: scopes.chain_at(0x1800))) == 1


LISTED = ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),)


@pytest.mark.parametrize(
    ("tag", "attributes", "entry"),
    [
        (dw.TAG_INLINED_SUBROUTINE, LISTED, b"\3" + word(0)),
        (dw.TAG_INLINED_SUBROUTINE, CODE, b"\3" + CODE_AT[:8] + word(1)),
        (dw.TAG_LEXICAL_BLOCK, CODE, b"\3" + CODE_AT),
        (dw.TAG_LABEL, (), b"\3"),
    ],
)
def test_entries_of_a_function_are_not_gone_through_for_each_frame(
    tag: int, attributes: tuple[tuple[int, int], ...], entry: bytes
) -> None:
    """Each frame of a stack and each thread is at another address of a function with many entries;
    all ask for the scopes and the parameters there."""
    shapes = [FUNCTION, Shape(tag, attributes)]

    def asked(count: int) -> Callable[[], object]:
        inside = entry * (10 * count)
        lists = {".debug_rnglists": BYTE_RANGE + b"\0"}
        scopes, _ = scopes_of(FUNCTION_ENTRY + inside + b"\0\0", *shapes, others=lists)
        pcs = range(0x1001, 0x1001 + count)
        return lambda: [(scopes.chain_at(pc), scopes.parameters_at(pc)) for pc in pcs]

    assert_linear(asked, 100)


def test_a_long_range_list_that_entries_share_is_indexed_once() -> None:
    """For the first of them, which is the answer wherever one is."""
    spans = b"".join(b"\4" + encode_uleb(2 * n) + encode_uleb(2 * n + 1) for n in range(1, 2_000))
    lists = {".debug_rnglists": spans + b"\0"}
    entries = FUNCTION_ENTRY + (b"\3" + word(0)) * 2_000 + b"\0\0"
    scopes, unit = scopes_of(entries, FUNCTION, Shape(dw.TAG_LEXICAL_BLOCK, LISTED), others=lists)
    with at_most(200_000):
        inner = [scopes.chain_at(0x1000 + offset)[1:] for offset in range(4)]
    assert inner == [(), (), (unit.die(2),), ()]


def test_functions_that_share_a_long_range_list() -> None:
    name = (dw.AT_NAME, dw.FORM_STRING)
    function = Shape(dw.TAG_SUBPROGRAM, (name, (dw.AT_RANGES, dw.FORM_SEC_OFFSET)))
    spans = b"".join(b"\4" + encode_uleb(2 * n) + encode_uleb(2 * n + 1) for n in range(2_000))
    entries = b"\2f\0\0\0\0\0" * 3_000 + b"\2g\0\0\0\0\0\0"
    scopes, _ = scopes_of(entries, function, others={".debug_rnglists": spans + b"\0"})

    def names() -> list[str | None]:
        result = [scopes.subprogram_at(0x1000 + n) for n in range(300)]
        return [None if item is None else item.name for item in result]

    assert soon(names)[:3] == ["g", None, "g"]


def test_variables_that_share_a_long_name() -> None:
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP),))
    entries = FUNCTION_ENTRY + (b"\3" + bytes(4)) * 2_000 + b"\0\0"
    scopes, _ = scopes_of(entries, FUNCTION, shape, others={".debug_str": b"A" * 500_000 + b"\0"})
    names = soon(lambda: [variable.name for variable in scopes.variables_at(0x1000)])
    assert names[0] is names[-1]
    assert names[0] == name_text(b"A" * 500_000)


def test_long_names_that_overlap() -> None:
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP),))
    numbers = b"".join(b"%05d" % n for n in range(4_000))
    entries = b"".join(b"\2" + word(at) for at in range(1_000)) + b"\0"
    _, unit = scopes_of(entries, shape, others={".debug_str": numbers + b"\0"})
    with pytest.raises(LimitExceeded, match="debug_str"):
        soon(lambda: list(globals_of(unit)))


def test_a_long_chain_of_typedefs() -> None:
    reference = (dw.AT_TYPE, dw.FORM_REF4)
    base = Shape(
        dw.TAG_BASE_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1))
    )
    first = 12 + 13  # after the header and the unit's own entry
    chain, last = b"\2\1\6", first
    for _ in range(900):
        chain, last = chain + b"\3" + word(last), first + len(chain)
    entries = chain + (b"\4" + word(last)) * 300 + b"\0"
    scopes, unit = scopes_of(
        entries, base, Shape(dw.TAG_TYPEDEF, (reference,)), Shape(dw.TAG_VARIABLE, (reference,))
    )
    variables = [die for die in unit.root.children() if die.tag == dw.TAG_VARIABLE]
    types = scopes.info.types
    assert soon(lambda: {size_bits(strip(types.type_of(die))) for die in variables}) == {8}


def test_an_array_of_structures_with_many_static_members() -> None:
    members = tuple(Member(None, None, None, is_static=True) for _ in range(50_000))
    kind = Array(Struct("struct", "s", 1, members), (100, 100))
    data = bytes(n * n % 251 for n in range(10_000))
    bits = Bits(int.from_bytes(data, "little"), 80_000)
    assert soon(lambda: format_value(bits, kind)).startswith("{{{<No data fields>}, ")


INT = Base(BaseType("int", "signed", 32))
NESTED = Struct("struct", "s0", 4, (Member("n", INT),))
for depth in range(1, 41):
    NESTED = Struct("struct", f"s{depth}", 4, (Member("a", NESTED), Member("b", NESTED)))


def holds_itself() -> Struct:
    """A structure with two members of its own type, which nothing has room for."""
    made: list[Struct] = []
    members = tuple(Member(name, lambda: made[0]) for name in ("me", "me2"))
    made.append(Struct("struct", "sself", 8, members))
    return made[0]


def test_structures_in_one_another_are_laid_out_in_bounded_work() -> None:
    """2^40 members in all."""
    text = soon(lambda: offset_text(NESTED))
    assert text is not None and text.count(" n;") <= MAX_MEMBERS and "...\n" in text
    result = str(soon(lambda: layout(NESTED)))
    assert result.count("'name': 'n'") <= MAX_MEMBERS and "'holes': []" in result


def test_a_structure_that_contains_itself() -> None:
    kind = holds_itself()
    text = soon(lambda: offset_text(kind))
    assert text is not None
    assert text.count("struct sself me2; <error: struct sself contains itself>") == 1
    members = soon(lambda: layout(kind))["members"]
    assert isinstance(members, list) and [member["name"] for member in members] == ["me", "me2"]
    value = TypedValue(kind, bits=Bits(0, 64, 0, 1, ("not in the state",)))
    session = Session(architecture("gfx942"))
    assert soon(lambda: reasons(value, session)) == ("not in the state",)


@pytest.mark.parametrize("size", [-1, -5, (1 << 67) + 1])
def test_a_bit_field_of_an_impossible_size(size: int) -> None:
    """An error of that member alone."""
    kind = Struct("struct", "s", 8, (Member("n", INT), Member("bf", INT, 32, size)))
    message = f"DW_AT_bit_size of bf is {shown(size)}"
    for bits in (Bits(7, 64), Bits(7, 64, 0, 1 << 63, ("not in the state",))):
        assert format_value(bits, kind) == f"{{n = 7, bf = <error: {message}>}}"
    assert f"int bf : <error: {message}>;" in type_text(kind)
    assert f"int bf : <error: {message}>;" in (offset_text(kind) or "")
    members = layout(kind)["members"]
    assert isinstance(members, list)
    assert [member["bit_size"] for member in members] == [32, None]
    with pytest.raises(IllFormed, match=message):
        assert kind.members[1].bit_size


@pytest.mark.parametrize("offset", [-1, -100, 1 << 62])
@pytest.mark.parametrize("size", [3, 64])
def test_a_member_outside_its_structure(offset: int, size: int) -> None:
    kind = Struct("struct", "s", 8, (Member("bf", INT, offset, size),))
    for arch in map(architecture, ("aarch64", "aarch64_be")):
        value = TypedValue(kind, bits=Bits(0, 64, 0, 1, ("not in the state",)))
        assert reasons(value, Session(arch)) == ("not in the state",)
        if offset < 0:
            with pytest.raises(OutOfRange):
                Bits(0, 64).slice(offset, size, arch.endian)


@pytest.mark.parametrize(
    ("section", "attribute"),
    [(".debug_loclists", dw.AT_LOCATION), (".debug_rnglists", dw.AT_RANGES)],
)
@pytest.mark.parametrize(
    ("header", "error", "message"),
    [
        (b"\5\0\4\0", IllFormed, "address_size 4 of {} and address_size 8 of its unit disagree"),
        (b"\4\0\x08\0", Unsupported, "version 4 of {}"),
        (b"\5\0\x08\0", None, ""),
    ],
)
@pytest.mark.parametrize("before", [b"", word(8) + b"\5\0\2\0" + bytes(4)])
def test_headers_of_lists_named_by_offset(
    section: str,
    attribute: int,
    header: bytes,
    error: type[DwarfGpuError] | None,
    message: str,
    before: bytes,
) -> None:
    lists = before + word(9) + header + bytes(5)
    shape = Shape(dw.TAG_COMPILE_UNIT, ((attribute, dw.FORM_SEC_OFFSET),))
    root = (
        debug_info(file_of(b"\1" + word(len(lists) - 1), [shape], {section: lists})).units[0].root
    )

    def ask() -> object:
        if attribute == dw.AT_RANGES:
            return code_ranges(root)
        return root.unit.location_of(root, attribute)

    if error is None:
        ask()
        return
    with pytest.raises(error, match=message.format(section)):
        ask()


def test_units_without_end() -> None:
    assert len(soon(lambda: debug_info(elf({".debug_info": bytes(1 << 22)})).problems)) == 1_001
    assert DEFAULT_FILE_LIMITS.units == 200_000
    units = elf({".debug_info": unit(b"") * 6_000})
    info = DebugInfo.of(
        ObjectFile("made.co", units, limits=evolve(DEFAULT_FILE_LIMITS, units=5_000))
    )
    assert len(soon(lambda: info.units, 500_000)) == 5_000
    (problem,) = info.problems
    assert isinstance(problem, LimitExceeded)


def array_of(count: bytes, element: bytes) -> bytes:
    """An array entry (2) of elements with one dimension (3) whose count is an expression."""
    return b"\2" + element + b"\3" + bytes((len(count),)) + count + b"\0"


ARRAY = Shape(dw.TAG_ARRAY_TYPE, ((dw.AT_TYPE, dw.FORM_REF4),), True)
COUNT = Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_EXPRLOC),))
LOOP = b"\x30\x13\x2f\xfb\xff"  # lit0, drop, skip -5


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        # Its element is of its own type.
        (array_of(b"\x32", word(0xD)), LimitExceeded),
        # A thousand arrays, each of the next one, and so each deeper.
        (b"".join(array_of(b"\x32", word(0xD + 9 * n + 9)) for n in range(1_000)), LimitExceeded),
        (array_of(LOOP, word(0xD)), LimitExceeded),
        (array_of(LOOP, word(0xD + 13)) + b"\4", LimitExceeded),
        # 2**40 elements of 2**40 arrays.
        (
            array_of(b"\x10" + encode_uleb(1 << 40), word(0xD + 15))
            + array_of(b"\x10" + encode_uleb(1 << 40), word(0xD + 30))
            + b"\4",
            IllFormed,
        ),
    ],
)
def test_shapes_that_are_computed_without_end(entries: bytes, error: type[DwarfGpuError]) -> None:
    element = Shape(dw.TAG_UNSPECIFIED_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_IMPLICIT_CONST, 1),))
    root = Shape(dw.TAG_COMPILE_UNIT, (), True)
    info = debug_info(file_of(b"\1" + entries + b"\0", [root, ARRAY, COUNT, element]))
    kind = info.types.build(info.die_at(0xD))
    place = Location((SingleLocation(Implicit(0, 64)),))

    def size() -> int | None:
        return size_bits(Resolver(Context).resolved(kind, place).type)

    with pytest.raises(error):
        soon(size)


def test_structures_without_a_size_full_of_others() -> None:
    """The size of each is that of its members: 3**30 of them."""
    kind = Struct("struct", "last", 1)
    for _ in range(30):
        kind = Struct("struct", "s", None, tuple(Member("m", kind, 0) for _ in range(3)))
    place = Location((SingleLocation(Implicit(0, 64)),))
    with pytest.raises(LimitExceeded, match="types resolved for one answer"):
        soon(lambda: Resolver(Context).resolved(kind, place))


def test_a_chain_of_subranges_does_not_recurse() -> None:
    shape = Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_TYPE, dw.FORM_REF4),))
    entries = b"".join(b"\2" + word(0xD + 5 * (n + 1)) for n in range(20_000)) + b"\2" + word(0xD)
    root = Shape(dw.TAG_COMPILE_UNIT, (), True)
    info = debug_info(file_of(b"\1" + entries + b"\0", [root, shape]))
    with pytest.raises(IllFormed, match="types below it"):
        soon(lambda: info.types.build(info.die_at(0xD)))


@pytest.mark.parametrize("tag", [dw.TAG_TYPEDEF, dw.TAG_SUBRANGE_TYPE])
@pytest.mark.parametrize("step", [1, -1])
def test_a_long_chain_of_types_is_read_once_in_any_order(tag: int, step: int) -> None:
    """Those with few types below them have a size, and the same ones whichever is read first."""
    shape = Shape(tag, ((dw.AT_TYPE, dw.FORM_REF4),))
    integer = Shape(dw.TAG_BASE_TYPE, ((dw.AT_BYTE_SIZE, 11), (dw.AT_ENCODING, 11)))
    offsets = range(0x10, 0x10 + 5 * 3_000, 5)
    entries = b"\3\4\5" + b"\2" + word(0xD) + b"".join(b"\2" + word(o) for o in offsets[:-1])
    root = Shape(dw.TAG_COMPILE_UNIT, (), True)
    info = debug_info(file_of(b"\1" + entries + b"\0", [root, shape, integer]))
    sizes: dict[int, int | None] = {}

    def read() -> None:
        for offset in offsets[::step]:
            try:
                sizes[offset] = size_bits(info.types.build(info.die_at(offset)))
            except IllFormed:
                sizes[offset] = None

    assert calls_of(read) < 150 * len(offsets)
    assert [offset for offset in offsets if sizes[offset] == 32] == list(offsets[:1_000])


@pytest.mark.parametrize("tag", [dw.TAG_STRUCTURE_TYPE, dw.TAG_ENUMERATION_TYPE])
def test_an_unreadable_type_is_not_read_again(tag: int) -> None:
    """The last of many members has two places, or the last of many enumerators no value."""
    is_enum = tag == dw.TAG_ENUMERATION_TYPE
    name, part = (
        (dw.AT_CONST_VALUE, dw.TAG_ENUMERATOR)
        if is_enum
        else (dw.AT_DATA_MEMBER_LOCATION, dw.TAG_MEMBER)
    )
    last = () if is_enum else ((name, 11), (dw.AT_DATA_BIT_OFFSET, 11))
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(tag, (), True),
        Shape(part, ((name, 11),)),
        Shape(part, last),
    ]
    entries = b"\1\2" + b"\3\0" * 1_000 + b"\4" + b"\0" * len(last) + b"\0\0"
    info = debug_info(file_of(entries, shapes))

    def read() -> None:
        with pytest.raises(IllFormed):
            kind = info.types.build(info.die_at(0xD))
            assert isinstance(kind, Struct) and kind.members

    assert calls_of(read) > 1_000
    assert calls_of(read) < 200


def test_nameless_functions_with_variables_of_one_name() -> None:
    """All are looked at once, not each compared with all."""
    shapes = [
        Shape(dw.TAG_SUBPROGRAM, (), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    ]

    def asked(count: int) -> Callable[[], object]:
        scopes, _ = scopes_of(b"\2\3x\0\1\x30\0" * count + b"\0", *shapes)
        return lambda: NameLookup((scopes.info,), scopes.main_unit).of("x")

    assert_linear(asked, 400)


def test_a_long_string_is_read_once() -> None:
    shape = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP),))
    strings = {".debug_str": b"A" * 500_000 + b"\0"}
    _, unit = scopes_of(b"\2" + word(0) + b"\0", shape, others=strings)
    first = unit.sections.string(".debug_str", 0)
    assert len(first) == 500_000
    assert unit.sections.string(".debug_str", 0) is first
    with pytest.raises(LimitExceeded, match=r"\.debug_str .* overlap"):
        for offset in range(10):
            unit.sections.string(".debug_str", offset)


def test_an_expression_of_many_bytes() -> None:
    shape = Shape(
        dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOCATION, dw.FORM_EXPRLOC))
    )
    nops = b"\x96" * 300_000
    _, unit = scopes_of(b"\2x\0" + encode_uleb(len(nops)) + nops + b"\0", shape)
    (variable,) = globals_of(unit)
    with at_most(20_000):
        problem = coverage_of(variable, None).problem
    assert "an expression of 300000 bytes: more than 262144; no option raises it" in str(problem)


def test_using_directives_in_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is looked at for the namespace that it is in; recursion would end at a thousand."""
    namespace = Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, dw.FORM_STRING),), True)
    imported = Shape(dw.TAG_IMPORTED_MODULE, ((dw.AT_IMPORT, dw.FORM_REF4),))
    one, first = len(b"\2n0000\0\3") + 5, 12 + 13

    def asked(count: int) -> Callable[[], object]:
        entries = b"".join(
            b"\2n%04d\0\3" % number + word(first + one * ((number + 1) % count)) + b"\0"
            for number in range(count)
        )
        scopes, unit = scopes_of(entries, namespace, imported)
        lookup = NameLookup((scopes.info,), unit)
        return lambda: (lookup.of("n0000::x"), lookup.of("n0000"))

    assert_linear(asked, 300)
    search = asked(100)
    monkeypatch.setattr(unit_declarations, "_MAX_IMPORTS", 50)
    with pytest.raises(LimitExceeded, match="the imports of a unit lead"):
        search()


def test_namespaces_that_are_searched_count_more_than_directives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each imports the next one twice, which is searched once."""
    namespace = Shape(dw.TAG_NAMESPACE, ((dw.AT_NAME, dw.FORM_STRING),), True)
    imported = Shape(dw.TAG_IMPORTED_MODULE, ((dw.AT_IMPORT, dw.FORM_REF4),))
    first = 12 + 13
    one = len(b"\2n0000\0") + 2 * 5 + 1

    def search(count: int) -> None:
        entries = b"".join(
            b"\2n%04d\0" % number + (b"\3" + word(first + one * (number + 1))) * 2 + b"\0"
            for number in range(count)
        )
        scopes, unit = scopes_of(entries + b"\2n\0\0", namespace, imported)
        assert NameLookup((scopes.info,), unit).of("n0000::x") == ()

    monkeypatch.setattr(unit_declarations, "_MAX_IMPORTS", 300)
    search(10)
    with pytest.raises(LimitExceeded, match="the imports of a unit lead"):
        search(40)


ALIAS = Shape(
    dw.TAG_IMPORTED_DECLARATION, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_IMPORT, dw.FORM_REF4))
)
NAMED_VARIABLE = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),))


def test_aliases_of_other_names_are_not_followed() -> None:
    """Each is an alias of the next one."""
    one, first = len(b"\2a0000\0") + 4, 12 + 13
    entries = b"".join(
        b"\2a%04d\0" % number + word(first + one * (number + 1)) for number in range(500)
    )
    scopes, unit = scopes_of(entries + b"\3v\0", ALIAS, NAMED_VARIABLE)
    with at_most(100_000):
        assert NameLookup((scopes.info,), unit).of("x") == ()


def test_a_long_chain_of_aliases_is_not_followed_from_each() -> None:
    """Listing asks for the target of every one."""
    one, first = len(b"\2a0000\0") + 4, 12 + 13
    entries = b"".join(
        b"\2a%04d\0" % number + word(first + one * (number + 1)) for number in range(400)
    )
    _scopes, unit = scopes_of(entries + b"\3v\0", ALIAS, NAMED_VARIABLE)
    last = unit.die(401)
    with at_most(200_000):
        targets = [followed(unit.die(index)) for index in range(1, 401)]
    assert [die == last for die in targets] == [number >= 384 for number in range(400)]


def test_aliases_of_one_name_are_followed_once() -> None:
    """Each is an alias of the next one, and all have the name; the last is the variable."""
    one, first = len(b"\2v\0") + 4, 12 + 13
    entries = b"".join(b"\2v\0" + word(first + one * (number + 1)) for number in range(500))
    _scopes, unit = scopes_of(entries + b"\3v\0", ALIAS, NAMED_VARIABLE)
    with at_most(100_000):
        found = named_within(unit, (), "v")
    assert {die.tag for die in found} == {dw.TAG_VARIABLE}
    circle = b"".join(b"\2v\0" + word(first + one * ((number + 1) % 9)) for number in range(9))
    _scopes, unit = scopes_of(circle, ALIAS)
    assert {die.tag for die in named_within(unit, (), "v")} == {dw.TAG_IMPORTED_DECLARATION}


def test_owners_of_variables_of_nameless_functions() -> None:
    """The functions are looked through once, not for every variable."""
    shapes = [
        Shape(dw.TAG_SUBPROGRAM, (), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING),)),
    ]

    def asked(count: int) -> Callable[[], object]:
        scopes, _ = scopes_of(b"\2\3x\0\0" * count + b"\0", *shapes)
        expected = Wanted(("f::x",))
        return lambda: list(find_variables(scopes, expected))

    assert_linear(asked, 300)


def test_units_that_import_one_another_in_a_circle() -> None:
    """A search from all of them follows every import once."""
    importing = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_NAME, dw.FORM_STRING),), True),
        Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, dw.FORM_REF_ADDR),)),
    )
    one = len(unit(b"\1x\0\2" + word(0) + b"\0"))

    def asked(count: int) -> Callable[[], object]:
        data = b"".join(
            unit(b"\1x\0\2" + word(one * ((number + 1) % count) + 12) + b"\0")
            for number in range(count)
        )
        sections = {".debug_info": data, ".debug_abbrev": abbreviations(*importing)}
        info = debug_info(elf(sections))

        def search() -> None:
            assert global_named(info, "x") is None
            assert NameLookup((info,), info.units[0]).of("x") == ()

        return search

    assert_linear(asked, 100)


@pytest.mark.parametrize(("offset_size", "header_bytes"), [(4, 8), (8, 16)])
@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        (dw.AT_ADDR_BASE, "DW_AT_addr_base"),
        (dw.AT_STR_OFFSETS_BASE, "DW_AT_str_offsets_base"),
    ],
)
def test_a_base_in_the_header_of_its_table(
    attribute: int, name: str, offset_size: Literal[4, 8], header_bytes: int
) -> None:
    """What the header contains is no address, and no offset of a string (DWARF 5 7.26, 7.27)."""
    shape = Shape(dw.TAG_COMPILE_UNIT, ((attribute, dw.FORM_SEC_OFFSET),))
    length = (12).to_bytes(offset_size, "little").rjust(header_bytes - 4, b"\xff")
    table = length + b"\5\0\x08\0" + (0x5000).to_bytes(8, "little")

    def value(base: int) -> object:
        entries = b"\1" + base.to_bytes(offset_size, "little")
        sections = {
            ".debug_abbrev": abbreviations(shape),
            ".debug_info": unit(entries, offset_size=offset_size),
            ".debug_addr": table,
            ".debug_str_offsets": table,
        }
        tables = debug_info(elf(sections)).units[0].tables
        return (tables.address if attribute == dw.AT_ADDR_BASE else tables.string_offset)(0)

    assert value(header_bytes) == 0x5000
    for base in (0, 4, header_bytes - 1):
        message = (
            f"{name} {base:#x} is in the header of the table, which takes {header_bytes} bytes"
        )
        with pytest.raises(IllFormed, match=message):
            value(base)


@pytest.mark.parametrize("offset_size", [4, 8])
@pytest.mark.parametrize(
    ("attribute", "title"),
    [
        (dw.AT_ADDR_BASE, "DW_AT_addr_base"),
        (dw.AT_STR_OFFSETS_BASE, "DW_AT_str_offsets_base"),
        (dw.AT_LOCLISTS_BASE, "DW_AT_loclists_base"),
        (dw.AT_RNGLISTS_BASE, "DW_AT_rnglists_base"),
    ],
)
@pytest.mark.parametrize(
    ("version", "more", "moved", "why"),
    [
        (5, 0, 0, None),
        (4, 0, 0, "version 4 in the header before it, not 5"),
        (5, 1, 0, "in the header before it is beyond the section"),
        (5, -100, 0, "in the header before it is less than the header has"),
        (5, 0, 16, r"version \d+ in the header before it, not 5"),
    ],
)
def test_a_base_behind_no_header(
    attribute: int,
    title: str,
    offset_size: Literal[4, 8],
    version: int,
    more: int,
    moved: int,
    why: str | None,
) -> None:
    """The base is the offset of the first entry behind a header (DWARF 5 7.26 to 7.29)."""
    section = "." + title.replace("DW_AT_", "debug_").removesuffix("_base")
    count = (4).to_bytes(4, "little") if section.endswith("lists") else b""
    body = version.to_bytes(2, "little") + b"\x08\0" + count + b"\x08\0" * 4 * offset_size
    length = max(len(body) + more, 0).to_bytes(offset_size, "little")
    table = (b"\xff\xff\xff\xff" if offset_size == 8 else b"") + length + body
    base = len(table) - 8 * offset_size + moved
    shape = Shape(dw.TAG_COMPILE_UNIT, ((attribute, dw.FORM_SEC_OFFSET),))
    sections = {
        ".debug_abbrev": abbreviations(shape),
        ".debug_info": unit(b"\1" + base.to_bytes(offset_size, "little"), offset_size=offset_size),
        section: table,
    }
    tables = debug_info(elf(sections)).units[0].tables

    def ask() -> int:
        if attribute == dw.AT_ADDR_BASE:
            return tables.address(0)
        if attribute == dw.AT_STR_OFFSETS_BASE:
            return tables.string_offset(0)
        return tables.list_offset(section, (attribute,), 0)

    if why is None:
        assert ask()
        return
    with pytest.raises(IllFormed, match=f"{title} {base:#x} in {section}: .*{why}"):
        ask()
