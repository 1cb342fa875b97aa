"""What names mean in C++: namespaces, classes, overloads, files; by tables, and against GDB."""

from __future__ import annotations

import pytest
from attrs import evolve

from dwarfgpu.session import Session
from tests.language.sessions import demo, text

PROGRAMS = [
    "meanings.gcc.O0.v5",
    "meanings.gcc.O2.v4",
    "meanings.clang.O0.v4",
    "meanings.clang.O2.v5",
]

LOST = ("hidden", "hidden_in_ns", "kept", "local_to_file")


def at(program: str, function: str) -> Session:
    """The program as its file is, seen from the start of a function."""
    session = demo(program)
    (symbol,) = session.code_objects[0].file.symbols_named(function)
    return evolve(session, pc=symbol.address)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Anonymous and inline namespaces need not be named, and may be.
        ("hidden", "1"),
        ("::hidden", "1"),
        ("(anonymous namespace)::hidden", "1"),
        ("ns::hidden_in_ns", "12"),
        ("ns::(anonymous namespace)::hidden_in_ns", "12"),
        ("hidden_in_n", 'No symbol "hidden_in_n" in current context.'),
        ("one::inl", "20"),
        ("one::v1::inl", "20"),
        ("one::v2::inl", "21"),
        # Namespaces; aliases, using-directives, using-declarations.
        ("shared", "4"),
        ("ns::shared", "10"),
        ("al::shared", "14"),
        ("al::Node::Inner::made", "15"),
        ("importer::from_used", "30"),
        ("importer::from_also", "32"),
        ("from_used", "30"),
        ("own", "34"),
        ("only", "11"),
        ("clash", "31"),
        ("down", 'No symbol "down" in current context.'),
        ("ns::nothing", 'No symbol "nothing" in namespace "ns".'),
        ("ns::P::st", 'No type "P" within class or namespace "ns".'),
        ("nothing::x", 'No symbol "nothing" in current context.'),
        # Classes: static members, also inherited ones and of another file; templates.
        ("P::st", "41"),
        ("R::st", "41"),
        ("R::st2", "42"),
        ("Both::st", "41"),
        ("P::constant", "40"),
        ("P::nothing", "There is no field named nothing"),
        ("P::x", 'Cannot reference non-static field "x"'),
        ("Far::count", "106"),
        ("Common::in_far", "100"),
        ("Secret::kept", "2"),
        ("ns::Box<int,1>::made", "19"),
        ("ns::Box<double, 2>::made", "20"),
        ("ns :: Box < ns::Box<int, 1> , 2 > :: made", "20"),
        ("sizeof(ns::Box<double,2>)", "16"),
        ("((ns::Box<int, 1> *) &bi)->held[0] > 3", "true"),
        ("ns::Box<int, 3>::made", 'No type "Box<int,3>" within class or namespace "ns".'),
        ("ns::GREEN + 1", "6"),
        ("ns::Plain::GREEN + 1", "6"),
        ("sizeof(P::Part) + sizeof(al::Node::Inner)", "8"),
        # Functions' own variables, and files.
        ("other_file()::n", "110"),
        ("other_file::n", "110"),
        ("'meanings_far.cpp'::other_file::n", "110"),
        ("'meanings.cpp'::local_to_file", "3"),
        ("'meanings_far.cpp'::local_to_file", "103"),
        ("'meanings_far.cpp'::hidden", "101"),
        ("'meanings_far.cpp'::own", 'No symbol "own" in specified context.'),
        ("'nothing.cpp'::own", 'No symbol "nothing.cpp" in current context.'),
        ("local_to_file", "3"),
        ("elsewhere", "109"),
        ("ns::in_far", "104"),
        ("both_kinds < both_kinds_far", "true"),
    ],
)
def test_names(program: str, name: str, expected: str) -> None:
    if program == "meanings.gcc.O2.v4" and name.endswith(LOST):
        expected = "<optimized out>"  # nothing writes them, and gcc does not tell the value
    assert text(at(program, "main"), name) == expected


@pytest.mark.parametrize(
    ("function", "name", "expected"),
    [
        ("_ZN2ns6insideEi", "shared", "10"),
        ("_ZN2ns6insideEi", "::shared", "4"),
        ("_ZN2ns6insideEi", "hidden_in_ns", "12"),
        ("_ZN2ns6insideEi", "deep::shared", "14"),
        ("_ZN2ns6insideEi", "sizeof(deep::Node)", "8"),
        ("_ZN2ns4deep6deeperEi", "shared", "14"),
        ("_ZN2ns4deep6deeperEi", "only", "11"),
        ("_ZN2ns4deep6deeperEi", "from_used", "30"),
        ("_ZN2ns4deep6deeperEi", "Node::Inner::made", "15"),
        ("_ZN1P4lookEi", "st", "41"),
        ("_ZN1P4lookEi", "sizeof(Part) + ON", "11"),
        ("_ZN1P4lookEi", "sizeof(x)", "4"),
        ("_ZL7countedi", "n", "80"),
        ("_ZL7countedc", "n", "81"),
        ("_ZL7countedc", "counted(int)::n", "80"),
        ("_ZL7countedc", "'counted(int)'::n", "80"),
        ("_ZL7countedc", "counted::n", "81"),
        ("main", "counted::n", '"counted" is overloaded; say which: counted(char); counted(int)'),
    ],
)
def test_names_in_functions(function: str, name: str, expected: str) -> None:
    assert text(at("meanings.gcc.O0.v5", function), name) == expected
