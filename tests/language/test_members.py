"""Static members, and members of base classes that have one name, as GDB finds them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Base, Member, MemberPointer, Struct
from dwarfgpu.language.member_lookup import path_to, spelled_member
from dwarfgpu.language.other_units import static_member
from dwarfgpu.model.object import Bits
from dwarfgpu.view.values import format_value
from tests.language.sessions import demo, program, text

INT = Base(BaseType("int", "signed", 32))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("bx.made", "7"),  # of a template in a namespace
        ("r->st", "5"),  # through a pointer, of a base class
        ("s.st + 1", "6"),
        ("P::st", "5"),
        ("&r->st", "(int *) 0x403000 <P::st>"),
        ("sizeof(bx.made)", "4"),
        ("s.q", "3"),
        ("s.P::q", "1"),
        ("s.Q::q", "2"),
        ("r->Q::q", "2"),
        ("s.R::q", "3"),
        ("s.S::q", "3"),
        ("s.R::own", "4"),
        ("&s.Q::q", "(int *) 0x403024 <s+4>"),
        ("&both.Twice::q", "(int *) 0x403040 <both>"),
        ("both.P::q", "base class 'P' is ambiguous in type 'Both'"),
        ("s.Nope::q", 'No symbol "Nope" in current context.'),
        ("s.P::own", "There is no field named own"),
    ],
)
def test_members(expression: str, expected: str) -> None:
    assert text(demo("members.gcc.O0.v5"), expression).replace("_ZN1P2stE", "P::st") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("&ns::Shape::draw", "&virtual ns::Shape::draw()"),  # pure: it has no code
        ("sizeof(&ns::Shape::draw)", "16"),
        ("&ns::Shape::area", "&virtual ns::Shape::area(int, ...) const"),
        ("&ns::Shape::nothing", "There is no field named nothing"),
    ],
)
def test_a_pointer_to_a_virtual_function_is_its_slot(expression: str, expected: str) -> None:
    assert text(demo("types.gcc.O0.v5"), expression) == expected


def test_a_static_member_that_no_file_describes() -> None:
    session = demo("members.gcc.O0.v5")
    assert static_member(session, Member("q", None, is_static=True), None) is None


class _Counted(tuple[Member, ...]):
    """Members that count how often they are gone through."""

    passes = 0

    def __iter__(self) -> Iterator[Member]:
        type(self).passes += 1
        return super().__iter__()


def test_members_are_found_without_going_through_all() -> None:
    """Once for each table of them, however many are asked for: by name, in any case of letters, by
    their entries, and by their places, for a pointer to a member."""
    base = Struct("struct", "b", 4, (Member("of_base", INT),))
    members = [Member(f"m{n}", INT, 32 * n, entry=n) for n in range(100)]
    counted = _Counted((*members, Member(None, base, is_base_class=True)))
    kind = Struct("struct", "s", 400, counted)
    pointer = MemberPointer(INT, kind)
    for number, member in enumerate(members):
        assert path_to(kind, f"m{number}") == [member]
        assert path_to(kind, f"s::m{number}") == [member]
        assert spelled_member(kind, f"M{number}") == f"m{number}"
        assert kind.member_at(number) is member
        assert format_value(Bits(4 * number, 64), pointer) == f"&s::m{number}"
    assert path_to(kind, "of_base") == [counted[-1], base.members[0]]
    assert path_to(kind, "none") is kind.member_at(100) is None
    assert _Counted.passes < 10


def test_the_first_member_of_a_name_is_found() -> None:
    """Not a base class of that name, which the file may give it."""
    first, second = Member("x", INT), Member("x", INT, 32)
    base = Member("x", Struct("struct", "x", 4), is_base_class=True)
    assert path_to(Struct("struct", "s", 8, (base, first, second)), "x") == [first]
    unnamed = Member(None, Struct("union", None, 4, (first,)))
    assert path_to(Struct("struct", "s", 8, (unnamed, second)), "x") == [second]


CLASS = "struct Box { static const long limit; int x; }"
DEFINED = f"{CLASS}; const long Box::limit = 7;"
DECLARED = f"{CLASS} box = {{3}}; int main() {{ return Box::limit; }}"


def test_a_static_member_that_only_a_symbol_has(tool: Callable[[str], str], tmp_path: Path) -> None:
    compiler = tool("g++")
    for name, source, flag in (("defined", DEFINED, "-g0"), ("declared", DECLARED, "-gdwarf-5")):
        (tmp_path / f"{name}.cpp").write_text(f"{source}\n")
        command = [compiler, flag, "-no-pie", "-fno-pie", "-c", f"{name}.cpp"]
        subprocess.run(command, cwd=tmp_path, check=True)
    command = [compiler, "-no-pie", "defined.o", "declared.o", "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    session = program(tmp_path / "program")
    assert text(session, "box") == "{static limit = 7, x = 3}"
    assert text(session, "box.limit") == text(session, "Box::limit") == "7"
