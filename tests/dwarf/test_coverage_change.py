"""What two builds describe differently."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.coverage.compare_builds import Build, Change, build_of, changes_between
from dwarfgpu.dwarf.coverage.coverage import Allowance
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.scope.by_pc import Scopes
from tests.dwarf.builder import Shape, debug_info, file_of

CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
NAME = (dw.AT_NAME, dw.FORM_STRING)
DECLARED = (NAME, (dw.AT_DECL_LINE, dw.FORM_DATA1), (dw.AT_LOCATION, dw.FORM_EXPRLOC))
UNREADABLE = (*DECLARED[:2], (dw.AT_LOCATION, dw.FORM_LOCLISTX))
"""An index of a file without location lists."""
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (NAME,), True),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *CODE), True),
    Shape(dw.TAG_SUBPROGRAM, (NAME, (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT), *CODE), True),
    Shape(
        dw.TAG_SUBPROGRAM,
        (NAME, (dw.AT_LINKAGE_NAME, dw.FORM_STRING), (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT), *CODE),
        True,
    ),
    Shape(dw.TAG_VARIABLE, DECLARED),
    Shape(dw.TAG_LEXICAL_BLOCK, CODE, True),
    Shape(dw.TAG_FORMAL_PARAMETER, DECLARED),
    Shape(dw.TAG_VARIABLE, UNREADABLE),
]  # fmt: skip
REG, NOTHING = "50", ""
"""Expressions: DW_OP_reg0, and the empty one."""


def text(name: str) -> bytes:
    return name.encode() + b"\0"


def code(begin: int, size: int) -> bytes:
    return begin.to_bytes(8, "little") + size.to_bytes(4, "little")


def variable(name: str, line: int, expression: str, number: int = 5) -> bytes:
    data = bytes.fromhex(expression)
    return bytes((number,)) + text(name) + bytes((line, len(data))) + data


def block(*inside: bytes) -> bytes:
    return b"\x06" + code(0x1010, 0x10) + b"".join(inside) + b"\0"


def function(name: str, *inside: bytes, size: int = 0x100, linkage: str | None = None) -> bytes:
    head = b"\x03" + text(name) if linkage is None else b"\x04" + text(name) + text(linkage)
    return head + code(0x1000, size) + b"".join(inside) + b"\0"


def static(name: str, *inside: bytes) -> bytes:
    return b"\x02" + text(name) + code(0x1000, 0x100) + b"".join(inside) + b"\0"


def build(
    *entries: bytes, unit: str = "/src/a.c", names: tuple[str, ...] = (), problems: int = 0
) -> Build:
    data = file_of(b"\x01" + text(unit) + b"".join(entries) + b"\0", SHAPES)
    info = debug_info(data)
    out = build_of(
        find_variables(Scopes(info), Wanted(names, with_functions=True)), Allowance.of(info)
    )
    assert len(out.problems) == problems
    return out


def described(changes: list[Change]) -> list[tuple[str, str, str, int]]:
    return [
        (change.kind, "/".join(change.identity.functions), change.identity.name, change.ordinal)
        for change in changes
    ]


X, LOST_X = variable("x", 3, REG), variable("x", 3, NOTHING)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([function("f", X)], [function("f", X)], []),
        ([function("f", X)], [function("f", LOST_X)], [("worse", "f", "x", 0)]),
        ([function("f", LOST_X)], [function("f", X)], [("better", "f", "x", 0)]),
        # the share of the scope counts, not the bytes
        ([function("f", X)], [function("f", X, size=0x10)], []),
        # lines may shift
        ([function("f", X)], [function("f", variable("x", 40, REG))], []),
        # of several of one name the first by line is the first in the other build
        (
            [function("f", variable("x", 3, REG), block(variable("x", 9, NOTHING)))],
            [function("f", block(variable("x", 29, NOTHING)), variable("x", 23, REG))],
            [],
        ),
        (
            [function("f", X, block(variable("x", 9, REG)))],
            [function("f", X, block(variable("x", 9, NOTHING)))],
            [("worse", "f", "x", 1)],
        ),
        # a parameter is not a local variable
        (
            [function("f", X)],
            [function("f", variable("x", 3, REG, 7))],
            [("appeared", "f", "x", 0), ("lost", "f", "x", 0)],
        ),
        # it is gone, its function is not
        ([function("f", X)], [function("f")], [("lost", "f", "x", 0)]),
        ([function("f", LOST_X)], [function("f")], [("vanished", "f", "x", 0)]),
        # with its function
        ([function("f", X)], [function("g")], [("vanished", "f", "x", 0)]),
        ([function("g")], [function("f", X)], [("appeared", "f", "x", 0)]),
        # a scope without code
        ([function("f", block(X))], [function("f", b"\x06" + code(0x1010, 0) + X + b"\0")],
         [("vanished", "f", "x", 0)]),
        # global variables
        ([X], [X], []),
        ([X], [LOST_X], [("worse", "", "x", 0)]),
        ([X], [], [("vanished", "", "x", 0)]),
        # linkage names distinguish overloaded functions
        (
            [function("f", X, linkage="_Z1fi"), function("f", LOST_X, linkage="_Z1fd")],
            [function("f", LOST_X, linkage="_Z1fd"), function("f", X, linkage="_Z1fi")],
            [],
        ),
        # a function of one file has the name of the file
        ([static("f", X)], [function("f", X)],
         [("appeared", "f", "x", 0), ("vanished", "a.c:f", "x", 0)]),
    ],
)  # fmt: skip
def test_changes(
    old: list[bytes], new: list[bytes], expected: list[tuple[str, str, str, int]]
) -> None:
    assert sorted(described(changes_between(build(*old), build(*new)))) == sorted(expected)


@pytest.mark.parametrize("inside", [lambda x: (function("f", x),), lambda x: (x,)])
def test_a_location_that_cannot_be_read(inside: Callable[[bytes], tuple[bytes, ...]]) -> None:
    """It is declared still; where it could be read before, it got worse."""
    unread = b"\x08" + text("x") + b"\3\0" + variable("y", 4, REG)
    broken = build(*inside(unread), problems=1)
    read = build(*inside(X + variable("y", 4, REG)))
    nowhere = build(*inside(LOST_X + variable("y", 4, REG)))
    for old in (read, nowhere):
        (change,) = changes_between(old, broken)
        assert (change.kind, change.identity.name) == ("unreadable", "x")
        assert change.new is not None and not change.new.is_readable
    (change,) = changes_between(broken, read)
    assert (change.kind, change.identity.name, change.amount) == ("better", "x", 1)
    assert not changes_between(broken, broken) and not changes_between(broken, nowhere)
    absent = build(*inside(variable("y", 4, REG)))
    assert [one.kind for one in changes_between(absent, broken)] == ["appeared"]
    assert broken.variable_count == read.variable_count == 2
    assert broken.scope_bytes == read.scope_bytes


def test_the_folder_of_a_file_does_not_matter() -> None:
    old, new = build(static("f", X), unit="/old/a.c"), build(static("f", X), unit="/new/a.c")
    assert not changes_between(old, new)
    assert changes_between(old, build(static("f", X), unit="/old/b.c"))


def test_parts_count_after_ranges() -> None:
    half = variable("x", 3, "5093029302")  # reg0, piece 2, piece 2
    (change,) = changes_between(build(function("f", X)), build(function("f", half)))
    assert (change.kind, change.amount) == ("worse", Fraction(0))


def test_the_largest_change_comes_first() -> None:
    old = build(function("f", block(X), variable("y", 4, REG)), function("g", LOST_X))
    new = build(function("f", block(LOST_X), variable("y", 4, REG)), function("g", X))
    result = changes_between(old, new)
    assert [(coverage.kind, coverage.amount) for coverage in result] == [
        ("worse", -1),
        ("better", 1),
    ]


def test_a_name_that_is_gone_is_lost_only_with_its_function_there() -> None:
    old = build(function("f", X), names=("x",))
    new = build(function("f", variable("y", 3, REG)), names=("x",))
    assert described(changes_between(old, new)) == [("lost", "f", "x", 0)]


def test_changes_of_one_size_are_in_the_order_of_their_functions() -> None:
    """A function is before others whose names begin with its own."""
    old = build(function("f", X), function("fa", X), function("e", X), X)
    new = build(*(function(name, LOST_X) for name in ("fa", "f", "e")), LOST_X)
    functions = [change.identity.functions for change in changes_between(old, new)]
    assert functions == [(), ("e",), ("f",), ("fa",)]


def test_functions_are_spelled_as_in_the_new_build() -> None:
    """Compilers differ in the names of templates; the linkage names are the same."""
    kept, gone = variable("kept", 1, NOTHING), variable("gone", 2, REG)
    old = build(function("old<>", kept, gone, linkage="_Z1f"))
    new = build(function("new<>", variable("kept", 1, REG), linkage="_Z1f"))
    changes = changes_between(old, new)
    assert {change.kind for change in changes} == {"better", "lost"}
    assert {change.identity.shown_functions for change in changes} == {"new<>"}
