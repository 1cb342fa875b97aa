"""What `reinterpret_cast` takes and refuses, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
enum F : unsigned { A = 1 }; enum class C : unsigned char { R = 1 }; enum class L : long { Q = 1 };
struct S { int a; int b; } s, *sp = &s; union U { int u; } u;
int garr[3], i = 7, *ip = &i; F f = A; C c; L l; bool b; char ch; double d;
__int128 wide; char16_t c16; wchar_t w; int S::*dm = &S::b; int (*fn)(); int &ir = i;
int main() { return 0; }
"""
VALUES = ("&f", "garr", "&garr", "ip", "sp", "&main", "main", "fn", "dm", "i", "ch", "d", "s", "ir")
TYPES = (
    "F", "C", "L", "const C", "bool", "char16_t", "char", "int", "unsigned long", "__int128",
    "wchar_t", "double", "S", "U", "int *", "void *", "S *", "int (*)(int)",
)  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("casts")
    build(folder, {"a.cpp": SOURCE}, [[tool("g++"), "-g", "a.cpp", "-o", "a"]])
    return [str(folder / "a")]


def lines_of(gdb: str | None, files: list[str], commands: list[str]) -> list[str]:
    """Return the answers of `answers`, notes aside."""
    lines = "".join(answers(gdb, files, commands)).splitlines()
    return [line for line in lines if not line.startswith("note: ")]


@pytest.mark.parametrize("value", VALUES)
def test_conversions(value: str, files: list[str], tool: Callable[[str], str]) -> None:
    commands = [
        f"print{'/x' * type_.endswith('_t')} reinterpret_cast<{type_}>({value})" for type_ in TYPES
    ]  # GDB escapes wide characters in the C locale
    assert lines_of(None, files, commands) == lines_of(tool("gdb"), files, commands)


@pytest.mark.parametrize("type_", ["F", "C", "bool"])
def test_no_pointer_to_a_member_becomes_an_enumeration(type_: str, files: list[str]) -> None:
    said = lines_of(None, files, [f"print reinterpret_cast<{type_}>(&S::b)"])
    assert said[-1] == "Invalid reinterpret_cast"


@pytest.mark.parametrize(("value", "address"), [("A", 1), ("C::R", 1), ("b", 0), ("f", 1)])
def test_an_enumeration_becomes_a_pointer(value: str, address: int, files: list[str]) -> None:
    """C++ [expr.reinterpret.cast]p5; GDB refuses it."""
    said = lines_of(None, files, [f"print reinterpret_cast<int *>({value})"])
    assert said[-1] == f"$1 = (int *) {address:#x}"
