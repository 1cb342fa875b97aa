"""Casts to an array without a length, and repeated objects without bytes, as in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
struct pair { char tag; int number; };
const struct pair pair = {'x', 0x12345678};
const struct { int low : 5, high : 27; } field = {-7, 3};
union { int number; char bytes[4]; } const both = {0x44434241};
const int matrix[2][2] = {{1, 2}, {3, 4}};
const float fraction = 1.5f;
const unsigned long long wide = 1ull << 63;
const char letter = 'A';
typedef short shorts[];
int main(void) { return 0; }
"""
COMMANDS = [
    "p/x (short[])0x12345678", "whatis (short[])0x12345678", "p/x (shorts)0x12345678",
    "p/x (short[])wide", "p/x (unsigned char[])fraction", "p (char[])both", "p (char[])letter",
    "p/x (char[])&matrix[1]", "p/x (short[])pair", "p (short[])matrix", "whatis (short[])matrix",
    "p (short[][2])matrix", "whatis (short[][2])0x12345678", "p (short[])field.low",
    "p ((short[])matrix)[2]", "p sizeof((short[])wide)", "output (char[])0x41424344",
]  # fmt: skip


def test_casts_to_arrays_without_a_length(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = [str(tmp_path / "a")]
    of_gdb = answers(tool("gdb"), files, COMMANDS)
    assert answers(None, files, COMMANDS) == of_gdb
    assert "{0x5678, 0x1234}" in of_gdb[0]


def test_such_a_cast_is_a_value(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It has no address, and nothing is before or behind it."""
    source = "long l = 0x41424344;\nint main(void) { __builtin_trap(); }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = [
        "p ((char[])l)[0] = 5", "p ((char[])l)[9]", "p ((char[])l)[-1]", "p &((char[])l)[2]",
        "p (char[])l@2", "p ((char[])l)[2]@2", "p ((char[])l)[2]", "whatis ((char[])l)[9]",
        "p (short[])((char[])l)", "p l",
    ]  # fmt: skip
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "not an lvalue" in of_gdb[0]


def test_what_is_left_of_the_object(tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = "const struct { short parts[7]; } all = {{1, 0, 2, 0, 3, 0, 4}};\nint main(void) {}\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files, commands = [str(tmp_path / "a")], ["p (int[])all", "whatis (int[])all"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    (shown,) = answers(None, files, ["p (int[])all"])
    assert "array element type size does not divide object size in cast" in shown
    (refused,) = answers(None, files, ["p (int[])main"])
    assert "Invalid cast." in refused


def test_objects_without_bytes_are_repeated(tmp_path: Path, tool: Callable[[str], str]) -> None:
    source = "struct empty {} one;\nint none[0], (*open)[];\nint main(void) { return 0; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = [str(tmp_path / "a")]
    commands = ["p one@2", "whatis one@2", "p sizeof(one@2)", "p none@2", "whatis none@2"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    (refused,) = answers(None, files, ["p *open@2"])  # its size is unknown
    assert "The size of the object is unknown" in refused
