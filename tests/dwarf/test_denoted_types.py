"""What many typedefs and qualifiers denote: nothing that lies on them is left out."""

from __future__ import annotations

import pytest

from dwarfgpu.arch import x86_64
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.names.fortran_ada import enumeration_range
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Base,
    Enum,
    Member,
    Qualified,
    Range,
    Struct,
    Type,
    Typedef,
    denoted,
    renamed,
    strip,
    unqualified,
    without_typedefs,
)
from dwarfgpu.errors import IllFormed
from dwarfgpu.language.alignment import alignment_bytes
from dwarfgpu.view.strings import CharacterKind, character_kind
from dwarfgpu.view.type_offsets import offset_text
from dwarfgpu.view.type_text import type_text
from tests.work import calls_of

INT = Base(BaseType("int", "signed", 32, "little"))
POINT = Struct("struct", "point", 4, (Member("x", INT, 0),))
LENGTHS = pytest.mark.parametrize("length", [1, 31, 32, 33, 120, 990])


def named(type_: Type | None, length: int) -> Type | None:
    """Return a typedef of a typedef … of a type."""
    for number in range(length):
        type_ = Typedef(f"t{number}", type_)
    return type_


@LENGTHS
def test_qualifiers(length: int) -> None:
    inside = named(Qualified("const", named(Qualified("atomic", INT), 2)), 2)
    kind = named(Qualified("volatile", Qualified("const", inside)), length)
    assert type_text(kind, cplusplus=False) == "const volatile _Atomic int"
    assert denoted(kind).qualifiers == ("volatile", "const", "atomic")
    assert strip(kind) is INT
    assert str(without_typedefs(kind)) == "const volatile _Atomic int"
    assert alignment_bytes(named(Qualified("atomic", named(INT, 2)), length), x86_64.ABI) == 4
    point = type_text(named(Qualified("const", POINT), length), cplusplus=False)
    assert point == "const struct point {\n    int x;\n}"
    offsets = offset_text(named(Qualified("const", POINT), length), cplusplus=False)
    assert offsets is not None and offsets.startswith("type = const struct point {\n")


@LENGTHS
def test_qualifiers_in_one_another(length: int) -> None:
    kind: Type = INT
    for _ in range(length):
        kind = Qualified("const", kind)
    assert unqualified(kind) is INT
    assert str(without_typedefs(kind)) == "const int"


@LENGTHS
def test_names_of_characters(length: int) -> None:
    kind = named(Qualified("const", Typedef("wchar_t", named(INT, 3))), length)
    assert character_kind(kind) == CharacterKind(4, "L")
    assert character_kind(named(Base(BaseType("char", "signed_char", 8, "little")), length))
    assert character_kind(named(INT, length)) is None


@LENGTHS
def test_alignments(length: int) -> None:
    kind = named(Typedef("a", Typedef("b", INT, alignment=16), alignment=64), length)
    assert alignment_bytes(kind, x86_64.ABI) == 64
    assert alignment_bytes(named(Qualified("const", kind), 2), x86_64.ABI) == 64
    assert alignment_bytes(named(INT, length), x86_64.ABI) == 4


@LENGTHS
def test_ranges(length: int) -> None:
    colors = Enum("colors", 1, (("red", 0), ("green", 1)))
    kind = named(Typedef("warm", Typedef("all", colors, range=Range(0, 1, False))), length)
    assert enumeration_range(kind) == Range(0, 1, False)
    assert enumeration_range(named(colors, length)) is None


@LENGTHS
def test_another_type_with_the_names_of_one(length: int) -> None:
    kind = named(Qualified("const", Typedef("a", POINT, "ns::", alignment=8)), length)
    for another in (INT, Qualified("volatile", Typedef("wchar_t", INT))):
        copy = renamed(kind, another)
        assert strip(copy) is INT
        assert str(copy) == str(kind)
        assert denoted(copy).alignment == 8
        names = 0
        while copy is not another:
            assert isinstance(copy, Typedef | Qualified)
            assert strip(copy) is INT
            copy, names = copy.target, names + 1
        assert names == length + 2
    assert str(without_typedefs(renamed(kind, another))) == "const volatile int"
    assert character_kind(renamed(kind, another)) == CharacterKind(4, "L")
    assert str(without_typedefs(kind)) == "const struct point"


def test_names_are_given_when_they_are_asked_for() -> None:
    kind = named(INT, 990)
    strip(kind)
    assert calls_of(lambda: strip(renamed(kind, POINT))) < 100


def test_each_name_is_read_once() -> None:
    kind = named(Qualified("const", Typedef("wchar_t", INT, alignment=64)), 990)

    def ask() -> None:
        assert character_kind(kind) == CharacterKind(4, "L")
        assert alignment_bytes(kind, x86_64.ABI) == 64
        assert str(without_typedefs(kind)) == "const int"

    ask()
    assert calls_of(ask) < 200


def test_too_many_names() -> None:
    assert strip(named(INT, MAX_CHAIN)) is INT
    for ask in (strip, without_typedefs, character_kind, enumeration_range):
        with pytest.raises(IllFormed, match="more than 1000 typedefs and qualifiers"):
            ask(named(INT, MAX_CHAIN + 1))
