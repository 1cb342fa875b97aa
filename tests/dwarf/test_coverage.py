"""Where variables are described: each rule on a small unit, then whole files against a peer."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, common, merged, size_bytes, without
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import (
    Allowance,
    CodeScope,
    Coverage,
    Extents,
    coverage_of,
    listed_code,
)
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.coverage.unit_groups import groups_of
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.separate_debug import find_debug_file
from dwarfgpu.session.read_variable import why_not_described
from dwarfgpu.view.coverage_text import function_text
from tests.dwarf.builder import FIXTURES, Shape, abbreviations, debug_info, elf, file_of, unit
from tests.work import at_most

LARGE = Path("/usr/bin/python3.11d")
LIBRARY = Path("/usr/lib/x86_64-linux-gnu/libresolv.so.2")
BINARIES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.glob("*/*")
    if path.suffix in (".co", ".v4", ".v5")
    and path.parent.name != "fortran"
    and not path.name.startswith("library.")
)
"""Without the one with a common block, whose variables it counts with sizes of no scope there, and
those with inlined templates, of whose parameters it leaves out what only the abstract instance has.
"""
BASE = 0x1000
"""Of the unit; the function f is [0x1000,0x1100)."""


def spans(*pairs: tuple[int, int]) -> tuple[Range, ...]:
    return tuple(Range(*pair) for pair in pairs)


@pytest.mark.parametrize(
    ("some", "others", "both", "rest"),
    [
        ((), ((1, 2),), (), ()),
        (((1, 9),), (), (), ((1, 9),)),
        (((1, 9),), ((3, 5),), ((3, 5),), ((1, 3), (5, 9))),
        (((1, 9),), ((0, 2), (4, 5), (8, 12)), ((1, 2), (4, 5), (8, 9)), ((2, 4), (5, 8))),
        (((1, 3), (5, 9)), ((2, 6),), ((2, 3), (5, 6)), ((1, 2), (6, 9))),
        (((1, 3), (5, 9)), ((3, 5),), (), ((1, 3), (5, 9))),
        (((1, 3), (5, 9)), ((0, 20),), ((1, 3), (5, 9)), ()),
    ],
)
def test_sets_of_addresses(
    some: tuple[tuple[int, int], ...],
    others: tuple[tuple[int, int], ...],
    both: tuple[tuple[int, int], ...],
    rest: tuple[tuple[int, int], ...],
) -> None:
    assert common(spans(*some), spans(*others)) == common(spans(*others), spans(*some))
    assert common(spans(*some), spans(*others)) == spans(*both)
    assert without(spans(*some), spans(*others)) == spans(*rest)
    assert size_bytes(spans(*both)) + size_bytes(spans(*rest)) == size_bytes(spans(*some))


def test_the_code_of_a_list_is_that_of_its_entries_in_any_order() -> None:
    rng = Random(20)
    for number in range(3_000):
        listed = [(begin, begin + rng.randrange(1, 6)) for begin in rng.choices(range(30), k=5)]
        if number % 2:
            listed.sort()
        entries = [LocationListEntry(b"", *bounds) for bounds in listed]
        assert listed_code(entries) == merged(Range(*bounds) for bounds in listed)
    assert listed_code([]) == ()
    default = LocationListEntry(b"", None, None)
    some = [LocationListEntry(b"", 5, 6), LocationListEntry(b"", 1, 2)]
    for entries in ([*some, default], [some[1], default], [some[0], default, some[1]], [default]):
        assert listed_code(entries) is None


def test_sets_of_addresses_are_those_of_single_ones() -> None:
    rng = Random(19)

    def addresses(ranges: tuple[Range, ...]) -> set[int]:
        return {at for begin, end in ranges for at in range(begin, end)}

    for _ in range(2_000):
        some, others = (
            merged(
                Range(begin, begin + rng.randrange(1, 8))
                for begin in rng.sample(range(30), rng.randrange(4))
            )
            for _ in range(2)
        )
        for result, expected in (
            (common(some, others), addresses(some) & addresses(others)),
            (without(some, others), addresses(some) - addresses(others)),
        ):
            assert addresses(result) == expected and size_bytes(result) == len(expected)
            assert list(result) == sorted(result)
            assert all(type(one) is Range and one.begin < one.end for one in result)


CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
NAME = (dw.AT_NAME, dw.FORM_STRING)
ORIGIN = (dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF4)
EXPRESSION = (dw.AT_LOCATION, dw.FORM_EXPRLOC)
OF_INT = (dw.AT_TYPE, dw.FORM_REF4)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, CODE, True),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *CODE), True),
    Shape(dw.TAG_VARIABLE, (NAME, OF_INT, (dw.AT_LOCATION, dw.FORM_SEC_OFFSET))),
    Shape(dw.TAG_VARIABLE, (NAME, EXPRESSION)),
    Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_CONST_VALUE, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (NAME,)),
    Shape(dw.TAG_BASE_TYPE,
          (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1))),
    Shape(dw.TAG_LEXICAL_BLOCK, (), True),
    Shape(dw.TAG_LEXICAL_BLOCK, CODE, True),
    Shape(dw.TAG_SUBPROGRAM, (NAME,), True),
    Shape(dw.TAG_INLINED_SUBROUTINE,
          (ORIGIN, *CODE, (dw.AT_CALL_LINE, dw.FORM_DATA1)), True),
    Shape(dw.TAG_VARIABLE, (ORIGIN, EXPRESSION)),
    Shape(dw.TAG_SUBPROGRAM, ((dw.AT_LINKAGE_NAME, dw.FORM_STRING), *CODE), True),
    Shape(dw.TAG_SUBPROGRAM, CODE, True),
]  # fmt: skip
LIST, EXPRLOC, CONST, NONE, TYPE, BLOCK, BLOCK_AT, ABSTRACT, INLINED, INSTANCE = range(3, 13)
LINKED, NAMELESS = 13, 14
HEADER_BYTES = 12
"""Of the unit; the first entry follows."""


def code(begin: int, size: int) -> bytes:
    return begin.to_bytes(8, "little") + size.to_bytes(4, "little")


def word(value: int) -> bytes:
    return value.to_bytes(4, "little")


def entry(begin: int, end: int, expression: bytes) -> bytes:
    """DW_LLE_offset_pair."""
    tail = encode_uleb(len(expression)) + expression
    return b"\x04" + encode_uleb(begin) + encode_uleb(end) + tail


def default(expression: bytes) -> bytes:
    return b"\x05" + encode_uleb(len(expression)) + expression


ROOT = bytes((1,)) + code(BASE, 0x1000)
INT_AT = HEADER_BYTES + len(ROOT)
INT = bytes((TYPE,)) + b"int\0\x04\x05"
F = bytes((2,)) + b"f\0" + code(BASE, 0x100)


def scopes(
    body: bytes, lists: bytes = b"", load_address: int = 0, dialect: str | None = None
) -> Scopes:
    """A unit with an `int` and what is given after it."""
    data = file_of(ROOT + INT + body + b"\0", SHAPES, {".debug_loclists": lists})
    return Scopes(DebugInfo.of(ObjectFile("made.co", data), load_address, dialect))


def coverages(found: Scopes, wanted: Wanted | None = None) -> list[Coverage]:
    out: list[Coverage] = []
    for one in find_variables(found, wanted or Wanted()):
        assert not one.problems
        for group in one.groups:
            out += group.coverages(Allowance.of(found.info))
    return out


def test_a_function_without_a_name_has_that_of_its_symbol() -> None:
    variable = bytes((EXPRLOC,)) + b"x\0\1\x50"
    abstract = bytes((ABSTRACT,)) + b"f\0\0"
    at = word(HEADER_BYTES + len(ROOT + INT))
    inlined = bytes((INLINED,)) + at + code(BASE, 0x10) + b"\0" + variable + b"\0"
    thunk = bytes((LINKED,)) + b"_ZTv0_n24_N1V1fEi\0" + code(BASE, 0x10) + inlined + b"\0"
    nameless = bytes((NAMELESS,)) + code(BASE + 0x10, 0x10) + variable + b"\0"
    in_thunk, in_nameless = coverages(scopes(abstract + thunk + nameless))
    assert in_thunk.code_scope is not None and in_nameless.code_scope is not None
    assert function_text(in_thunk.code_scope) == "f, inlined into _ZTv0_n24_N1V1fEi"
    offset = HEADER_BYTES + len(ROOT + INT + abstract + thunk)
    assert function_text(in_nameless.code_scope) == f"function {offset:#x}"


def of_list(*entries: bytes) -> Coverage:
    """An int variable of f with a location list."""
    variable = bytes((LIST,)) + b"x\0" + word(INT_AT) + word(0)
    (result,) = coverages(scopes(F + variable + b"\0", b"".join(entries) + b"\0"))
    return result


REG, EMPTY, HALF = b"\x50", b"", b"\x50\x93\x02"
SHORT, OF_NO_BYTES = b"\x9e\2\1\2", b"\x9e\0"
"""DW_OP_implicit_value with 2 bytes, and without one."""
CALL = b"\x98" + INT_AT.to_bytes(2, "little")
"""DW_OP_call2 of an entry without a location: it does nothing (DWARF 5 2.5.1.5)."""
BROKEN = b"\x16"


@pytest.mark.parametrize(
    ("entries", "described", "complete", "outside"),
    [
        ([], [], [], []),
        ([entry(0x10, 0x20, REG)], [(0x10, 0x20)], None, []),
        # only over the scope
        ([entry(0xF0, 0x140, REG)], [(0xF0, 0x100)], None, [(0x100, 0x140)]),
        ([entry(0x200, 0x240, REG)], [], None, [(0x200, 0x240)]),
        # overlapping entries count once, those that touch are one
        ([entry(0x10, 0x30, REG), entry(0x20, 0x40, REG)], [(0x10, 0x40)], None, []),
        ([entry(0x10, 0x20, REG), entry(0x20, 0x40, REG)], [(0x10, 0x40)], None, []),
        ([entry(0x30, 0x40, REG), entry(0x10, 0x20, REG)], [(0x10, 0x20), (0x30, 0x40)], None, []),
        # an entry that says that there is nothing is a hole
        ([entry(0x10, 0x30, REG), entry(0x30, 0x40, EMPTY)], [(0x10, 0x30)], None, []),
        # but not where another one has more
        ([entry(0x10, 0x30, REG), entry(0x20, 0x40, EMPTY)], [(0x10, 0x30)], None, []),
        ([entry(0x10, 0x20, BROKEN)], [], None, []),
        # 2 of the 4 bytes of the int are described
        ([entry(0x10, 0x20, HALF)], [(0x10, 0x20)], [], []),
        ([entry(0x10, 0x20, HALF), entry(0x18, 0x30, REG)], [(0x10, 0x30)], [(0x18, 0x30)], []),
        ([entry(0x10, 0x20, SHORT)], [(0x10, 0x20)], [], []),
        ([entry(0x10, 0x20, OF_NO_BYTES)], [], None, []),
        ([entry(0x10, 0x20, CALL)], [(0x10, 0x20)], [], []),
        # the default holds where no other entry applies, also where that says "nowhere" (A.2.5.5)
        ([default(REG)], [(0, 0x100)], None, []),
        ([default(REG), entry(0x10, 0x20, EMPTY)], [(0, 0x10), (0x20, 0x100)], None, []),
        ([default(HALF), entry(0x10, 0x20, REG)], [(0, 0x100)], [(0x10, 0x20)], []),
        ([default(EMPTY), entry(0x10, 0x20, REG)], [(0x10, 0x20)], None, []),
    ],
)
def test_location_lists(
    entries: list[bytes],
    described: list[tuple[int, int]],
    complete: list[tuple[int, int]] | None,
    outside: list[tuple[int, int]],
) -> None:
    result = of_list(*entries)
    assert result.problem is None
    assert result.described == spans(*((BASE + a, BASE + b) for a, b in described))
    expected = described if complete is None else complete
    assert result.complete == spans(*((BASE + a, BASE + b) for a, b in expected))
    assert result.outside == spans(*((BASE + a, BASE + b) for a, b in outside))
    assert size_bytes(result.holes) + result.described_bytes == result.scope_bytes == 0x100


def named(number: int, name: bytes, rest: bytes = b"") -> bytes:
    return bytes((number,)) + name + b"\0" + rest


def exprloc(name: bytes, expression: bytes) -> bytes:
    return named(EXPRLOC, name, bytes((len(expression),)) + expression)


def test_a_single_location_description_holds_in_all_of_the_scope() -> None:
    body = F + exprloc(b"a", REG) + exprloc(b"b", EMPTY) + named(CONST, b"c", b"\7")
    result = coverages(scopes(body + named(NONE, b"d") + b"\0", load_address=0x7000))
    assert [(coverage.variable.name, coverage.described_bytes) for coverage in result] == [
        ("a", 0x100), ("b", 0), ("c", 0x100), ("d", 0),
    ]  # fmt: skip
    assert result[0].scope == result[0].described == spans((BASE + 0x7000, BASE + 0x7100))
    assert [coverage.is_described for coverage in result] == [True, False, True, False]


@pytest.mark.parametrize("dialect", [None, "upstream-clang"])
def test_a_frame_base_that_no_function_has(dialect: str | None) -> None:
    """Every evaluation of DW_OP_fbreg fails there; by a branch it may not be reached. Only kernels
    of upstream clang have one that is not described, and this function is none."""
    framed, branched, nested = b"\x91\0", b"\x30\x28\2\0\x91\0", b"\xa3\2\x91\0\x9f"
    names = {b"a": framed, b"b": branched, b"c": nested, b"d": REG, b"e": framed + b"\x93\4"}
    variables = b"".join(exprloc(name, expression) for name, expression in names.items())
    result = coverages(scopes(F + variables + b"\0", dialect=dialect))
    reason = "DW_OP_fbreg at offset 0x0: f has no DW_AT_frame_base"
    for coverage in result:
        (extent,), name = coverage.extents, coverage.variable.name
        is_broken = name in ("a", "e")
        assert extent.reason == reason if is_broken else extent.completeness != "broken", name
        assert coverage.described_bytes == (0 if is_broken else 0x100)
    assert [coverage.described_bytes for coverage in framed_coverages(framed)] == [0x100]


KIND = " gives neither a register nor a memory location"


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        (b"\x9c", None),  # DW_OP_call_frame_cfa
        (b"\x40", None),  # the address 16
        (b"\x30\x28\2\0\x91\0", None),  # by a branch it may not be reached
        (b"\x91\0", " is computed from the frame base"),
        (b"\x30\x9f", KIND),
        (b"\x50\x93\4\x50\x93\4", KIND),
        (b"", KIND),
        (b"\x96", KIND),
        (b"\x12", ": DW_OP_dup at offset 0x0: 1 stack entry needed, the stack has 0"),
    ],
)
def test_a_frame_base_that_cannot_be_computed(base: bytes, reason: str | None) -> None:
    """A.3.3.5: every evaluation of DW_OP_fbreg fails there, too."""
    [framed] = framed_coverages(b"\x91\0", base)
    assert framed.described_bytes == (0 if reason else 0x100)
    why = f"DW_OP_fbreg at offset 0x0: DW_AT_frame_base of f{reason}"
    assert framed.extents[0].reason == (why if reason else None)
    assert framed_coverages(REG, base)[0].described_bytes == 0x100


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (b"\xa1\5", "DW_OP_addrx at offset 0x0: the unit has an index but "),
        (b"\x30\xa8\x0c\x9f", "DW_OP_convert at offset 0x1: "),  # the unit is no base type
        (b"\x30\xa8\0\x9f", None),  # 0 is the generic type
        (b"\x98\1\0", "DW_OP_call2 at offset 0x0: "),
        (b"\x30\x28\2\0\xa1\5", None),  # behind a branch it may not be reached
        (b"\xa3\2\xa1\5\x9f", None),  # the value on entry may be known without it
        (b"\xa0\1\0\0\0\0", None),  # DW_OP_implicit_pointer fails when it is read
    ],
)
def test_operands_that_refer_to_nothing(expression: bytes, reason: str | None) -> None:
    body = F + b"".join(exprloc(name, expression) for name in (b"a", b"b")) + b"\0"
    for coverage in coverages(scopes(body)):
        (extent,) = coverage.extents
        assert (extent.completeness == "broken") == (reason is not None)
        assert reason is None or str(extent.reason).startswith(reason)
        assert coverage.described_bytes == (0 if reason else 0x100)


def test_what_an_operand_refers_to_is_of_its_unit() -> None:
    """Of two units, with the same expression, one has a base type there."""
    int_die, other = b"\2int\0\5\4", b"\3int\0\5\4"
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        *(Shape(tag, INT_ATTRIBUTES) for tag in (dw.TAG_BASE_TYPE, dw.TAG_STRUCTURE_TYPE)),
    ]
    units = [b"\1" + entry + b"\0" for entry in (int_die, other, int_die)]
    sections = {".debug_info": b"".join(map(unit, units)), ".debug_abbrev": abbreviations(*shapes)}
    extents = Extents()
    results = [extents.of(b"\x30\xa8\x0d\x9f", unit) for unit in debug_info(elf(sections)).units]
    assert [one.completeness for one in results] == ["whole", "broken", "whole"]


INT_ATTRIBUTES = (
    (dw.AT_NAME, dw.FORM_STRING),
    (dw.AT_ENCODING, dw.FORM_DATA1),
    (dw.AT_BYTE_SIZE, dw.FORM_DATA1),
)


def framed_coverages(expression: bytes, base: bytes = REG) -> list[Coverage]:
    """Of a variable of a function that has a frame base."""
    based = (NAME, *CODE, (dw.AT_FRAME_BASE, dw.FORM_EXPRLOC))
    shapes = [*SHAPES[:1], Shape(dw.TAG_SUBPROGRAM, based, True), *SHAPES[2:]]
    body = F + bytes((len(base),)) + base + exprloc(b"a", expression) + b"\0"
    return coverages(Scopes(debug_info(file_of(ROOT + INT + body + b"\0", shapes, {}), 0)))


def test_scopes() -> None:
    inner = bytes((BLOCK_AT,)) + code(BASE + 0x10, 0x20) + exprloc(b"b", REG) + b"\0"
    nowhere = bytes((BLOCK_AT,)) + code(BASE, 0) + exprloc(b"n", REG) + b"\0"
    inherits = bytes((BLOCK,)) + exprloc(b"i", REG) + b"\0"
    body = F + exprloc(b"a", REG) + inner + nowhere + inherits + b"\0"
    dropped = bytes((2,)) + b"g\0" + code(2**64 - 1, 0x10) + exprloc(b"d", REG) + b"\0"
    abstract = bytes((ABSTRACT,)) + b"h\0" + exprloc(b"h", REG) + b"\0"
    result = coverages(scopes(body + dropped + abstract + exprloc(b"global", REG)))
    assert [(item.variable.name, item.variable.kind, item.scope_bytes) for item in result] == [
        ("a", "local", 0x100), ("b", "local", 0x20), ("n", "local", 0), ("i", "local", 0x100),
        ("global", "global", 0),
    ]  # fmt: skip
    assert result[-1].code_scope is None and result[-1].is_described


def test_inlined_calls_have_what_their_abstract_instance_has() -> None:
    abstract_at = INT_AT + len(INT)
    head = bytes((ABSTRACT,)) + b"h\0"
    first = named(NONE, b"kept")
    kept_at = abstract_at + len(head)
    block = bytes((BLOCK,)) + named(NONE, b"gone") + b"\0"
    abstract = head + first + block + named(NONE, b"lost") + b"\0"
    instance = bytes((INSTANCE,)) + word(kept_at) + b"\x01\x50"
    # GCC puts variables of the function in a block of the call
    within = bytes((BLOCK_AT,)) + code(BASE + 0x10, 0x10) + instance + b"\0"
    call = bytes((INLINED,)) + word(abstract_at) + code(BASE + 0x10, 0x20) + b"\x2a"
    result = coverages(scopes(abstract + F + call + within + b"\0" + b"\0"))
    assert [(item.variable.name, item.scope_bytes, item.described_bytes) for item in result] == [
        ("kept", 0x10, 0x10), ("lost", 0x20, 0), ("gone", 0x20, 0),
    ]  # fmt: skip
    for coverage in result:
        assert coverage.code_scope is not None
        assert [place.name for place in coverage.code_scope.functions] == ["f", "h"]
        assert coverage.code_scope.functions[-1].call_line == 0x2A


def found_names(file: str, wanted: Wanted) -> list[str]:
    path = FIXTURES / file
    return [coverage.variable.name for coverage in coverages(CodeObject.open(path).scopes, wanted)]


GCC = "x86_64/demo.gcc.O2.v5"
NAMES = "x86_64/names.clang.O0.v5"


@pytest.mark.parametrize(
    ("file", "wanted", "expected"),
    [
        (GCC, Wanted(("local",)), ["local", "local"]),
        (GCC, Wanted(("n",)), ["n", "n", "n"]),
        (GCC, Wanted(("leaf::n",)), ["n"]),
        (GCC, Wanted(("clamp::result",)), ["result"]),
        (GCC, Wanted(("leaf::result",)), []),  # it is one of clamp
        (GCC, Wanted(("result",), "leaf"), ["result"]),  # which is inlined into leaf
        (GCC, Wanted(("local",), None, 0x1238), ["local"]),
        (GCC, Wanted(("local",), None, 0x1236), ["local", "local"]),
        (GCC, Wanted(("pi", "per_thread")), ["pi", "per_thread"]),
        (GCC, Wanted(("nothing",)), []),
        (GCC, Wanted(("f::pi",)), []),
    ],
)
def test_variables_that_wanted_selects(file: str, wanted: Wanted, expected: list[str]) -> None:
    assert sorted(found_names(file, wanted)) == sorted(expected)


def test_a_program_location_reads_one_unit() -> None:
    if not LARGE.exists():
        pytest.skip("python3-dbg is not installed")
    scopes_ = CodeObject.open(LARGE).scopes
    unit, *_ = scopes_.info.units[20:]
    pc = min(span.begin for group in next(groups_of(unit)).groups if group.code_scope
             for span in group.code_scope.ranges)  # fmt: skip
    fresh = CodeObject.open(LARGE).scopes
    (result,) = find_variables(fresh, Wanted((), None, pc))
    assert result.unit is not None and result.unit.offset == unit.offset
    assert sum("tree" in vars(unit) for unit in fresh.info.units) == 1


# Against llvm-dwarfdump --statistics


def as_llvm(place: CodeScope) -> int:
    """Of a scope without code it takes the scope around."""
    outer: CodeScope | None = place
    while outer is not None and not outer.size_bytes:
        outer = outer.parent
    return 0 if outer is None else outer.size_bytes


def _is_inside(die: Die, scope: Die) -> bool:
    above = die.parent()
    while above is not None and above != scope:
        above = above.parent()
    return above is not None


def statistics(scopes_: Scopes) -> Counter[str]:
    """The sums as it makes them: it counts every entry, whatever its expression says."""
    out: Counter[str] = Counter()
    for coverage in coverages(scopes_):
        assert coverage.problem is None
        if coverage.code_scope is None:
            continue
        kind = "params" if coverage.variable.kind == "parameter" else "local_vars"
        die = coverage.variable.die
        is_abstract = not _is_inside(die, coverage.code_scope.die)
        if is_abstract and (coverage.is_described or die.flag(dw.AT_ARTIFICIAL)):
            continue  # a static or artificial one that only the abstract instance has is left out
        if is_abstract and die.offset > coverage.code_scope.die.offset:
            continue  # and one of an abstract instance that comes after the inlined one
        bounds = [one.bounds for one in coverage.descriptions]
        covered = sum(
            size_bytes(common((one,), coverage.scope)) for one in bounds if one is not None
        )  # fmt: skip
        out[f"{kind} scope"] += as_llvm(coverage.code_scope)
        out[f"{kind} covered"] += as_llvm(coverage.code_scope) if None in bounds else covered
        if all(
            one.extent.completeness not in ("nothing", "broken") for one in coverage.descriptions
        ):
            overlap = (
                as_llvm(coverage.code_scope) if None in bounds else covered
            ) - coverage.described_bytes
            assert overlap >= 0
    return out


@cache
def theirs_of_each(dump: str, paths: tuple[Path, ...]) -> dict[Path, dict[str, int]]:
    done = subprocess.run([dump, "--statistics", *paths], capture_output=True, check=True)
    numbers = json.loads(b"[" + done.stdout.replace(b"}\n{", b"},{") + b"]")
    return dict(zip(paths, numbers, strict=True))


def theirs(dump: str, path: Path, among: tuple[Path, ...] = ()) -> Counter[str]:
    """The sums of a file; one process counts those of many."""
    numbers = theirs_of_each(dump, among or (path,))[path]
    keys = {"scope": "", "covered": " covered by DW_AT_location"}
    return Counter({
        f"{kind} {name}": numbers[f"sum_all_{kind}(#bytes in parent scope{key})"]
        for kind in ("params", "local_vars") for name, key in keys.items()
    })  # fmt: skip


@pytest.mark.parametrize("name", BINARIES)
def test_the_sums_are_those_of_llvm_dwarfdump(name: str, tool: Callable[[str], str]) -> None:
    among = tuple(FIXTURES / binary for binary in BINARIES)
    expected = theirs(tool("llvm-dwarfdump-19"), FIXTURES / name, among)
    assert statistics(CodeObject.open(FIXTURES / name).scopes) == expected


def test_the_sums_of_a_library(tool: Callable[[str], str]) -> None:
    library = find_debug_file(open_object(LIBRARY)) if LIBRARY.exists() else None
    if library is None:
        pytest.skip(f"the debugging information of {LIBRARY} (libc6-dbg) is not installed")
    expected = theirs(tool("llvm-dwarfdump-19"), Path(library.path))
    assert statistics(CodeObject.open(library.path).scopes) == expected


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([entry(0x10, 0x20, REG)], "x is optimized out at this pc; described at [0x1010,0x1020)"),
        (
            [entry(0x30, 0x40, REG), entry(0x10, 0x20, REG), entry(0x20, 0x30, EMPTY)],
            "x is optimized out at this pc; described at [0x1010,0x1020) [0x1030,0x1040)",
        ),
        ([entry(0x20, 0x30, EMPTY)], "x is optimized out at this pc; described nowhere"),
        (
            [entry(2 * at, 2 * at + 1, REG) for at in range(1, 20)],
            "[0x101e,0x101f) [0x1020,0x1021) and 3 more ranges",
        ),
        (
            [],
            "x is declared here, but the ranges of its location list contain no code: it is "
            "optimized out",
        ),
        (
            [entry(0x10, 0x10, REG), entry(4, 4, REG)],
            "the ranges of its location list contain no code: it is optimized out",
        ),
        ([entry(0, 0x20, REG)], None),
        ([entry(0, 0x20, EMPTY)], None),  # its evaluation gives the reason
        ([default(REG)], None),
    ],
)
def test_why_nothing_describes_a_variable_here(entries: list[bytes], expected: str | None) -> None:
    why = of_list(*entries).variable.why_optimized_out_at(BASE)
    assert why is None if expected is None else why is not None and why.endswith(expected)


# Hostile files


def test_long_lists_that_many_variables_share() -> None:
    lists = b"".join(entry(at % 200, at % 200 + 1, REG) for at in range(40_000)) + b"\0"
    variable = bytes((LIST,)) + b"x\0" + word(INT_AT) + word(0)
    with at_most(30_000_000):
        result = coverages(scopes(F + variable * 5_000 + b"\0", lists))
    assert len(result) == 5_000
    assert isinstance(result[-1].problem, LimitExceeded) and result[0].problem is None


def test_many_calls_of_a_function_with_many_variables() -> None:
    abstract_at = INT_AT + len(INT)
    abstract = bytes((ABSTRACT,)) + b"h\0" + named(NONE, b"v") * 5_000 + b"\0"
    call = bytes((INLINED,)) + word(abstract_at) + code(BASE + 0x10, 0x20) + b"\x2a" + b"\0"
    result = scopes(abstract + F + call * 5_000 + b"\0")
    with at_most(30_000_000):
        (groups,) = groups_of(result.info.units[0])
    (problem,) = groups.problems
    assert isinstance(problem, LimitExceeded)
    assert 0 < sum(len(group.declared) for group in groups.groups) < 500_000


def test_functions_with_nothing_in_them_are_read_for_no_variable() -> None:
    result = scopes((F + b"\0") * 1_000)
    listed = [
        sum(len(unit.functions) for unit in find_variables(result, Wanted(with_functions=wanted)))
        for wanted in (True, False)
    ]
    assert listed == [1_000, 0]


def test_a_broken_list_costs_one_variable() -> None:
    body = F + exprloc(b"a", REG) + bytes((LIST,)) + b"x\0" + word(INT_AT) + word(99) + b"\0"
    a, x = coverages(scopes(body, b"\0"))
    assert a.problem is None and x.problem is not None
    assert x.descriptions == () and x.scope_bytes == 0x100
    assert coverage_of(x.variable, x.code_scope).problem is not None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(), [0, 1]),
        (Wanted(("x",)), [0, 1]),
        (Wanted(("first",)), [0]),
        (Wanted(("f::x",)), [0, 1]),
        (Wanted(("g::x",)), [1]),
        (Wanted(("first", "second")), [0, 1]),
        (Wanted(("first", "g::x")), [0, 1]),
        (Wanted((), "g"), [1]),
        (Wanted(("x",), "g"), [1]),
        (Wanted(("first",), "g"), []),
        (Wanted((), "f"), [0, 1]),
        (Wanted((), "nothing"), []),
        (Wanted(("(anonymous namespace)::x",)), [0, 1]),
    ],
)
def test_a_look_up_by_name_reads_only_units_that_mention_it(
    wanted: Wanted, expected: list[int]
) -> None:
    first = ROOT + INT + F + exprloc(b"x", REG) + exprloc(b"first", REG) + b"\0\0"
    g = F.replace(b"f", b"g")
    second = ROOT + INT + F + b"\0" + g + exprloc(b"x", REG) + exprloc(b"second", REG) + b"\0\0"
    units = unit(first) + unit(second)
    data = elf({".debug_info": units, ".debug_abbrev": abbreviations(*SHAPES)})
    info = debug_info(data)
    result = [variable.unit for variable in find_variables(Scopes(info), wanted)]
    assert [info.units.index(coverage) for coverage in result if coverage is not None] == expected


def test_the_load_address_is_beside_addresses_alone() -> None:
    loaded = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co", 0x10000)
    somewhere = of_list(entry(0x10, 0x20, REG)).variable
    assert why_not_described(somewhere, loaded, BASE) == (
        "x is optimized out at this pc; described at [0x1010,0x1020); nest.gfx942.O2.v5.co is "
        "loaded at 0x10000"
    )
    nowhere = of_list(entry(0x20, 0x30, EMPTY)).variable
    why = why_not_described(nowhere, loaded, BASE)
    assert why == "x is optimized out at this pc; described nowhere"
