"""Bit-fields without a name and of no bits: they are no members, and have no value (C++ class.bit).

The entries are those of clang 19 for `struct S { int a : 3; int : 0; int b : 5; }` where it
compiles for AMD GPUs; for other processors it writes none for `int : 0`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
BITS = ((dw.AT_BIT_SIZE, dw.FORM_DATA1), (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1))
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, SIZE, (dw.AT_ENCODING, dw.FORM_DATA1))),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, *BITS)),
    Shape(dw.TAG_MEMBER, (TYPE, *BITS)),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
INT, STRUCT = (at.to_bytes(4, "little") for at in (13, 20))
"""Where the types are."""
VALUE = b"\x0a\x9e\x08\x06\0\0\0\x17\0\0\0"


def entries(between: bytes) -> bytes:
    """Return the debug information of a variable `s` of the type."""
    members = b"\4a\0" + INT + b"\3\0" + between + b"\4b\0" + INT + b"\5\x20"
    return b"\1\2int\0\4\5\3S\0\x08" + members + b"\0\6s\0" + STRUCT + VALUE + b"\0"


SEPARATED = entries(b"\5" + INT + b"\0\x20")


def dialogue(state: str, *commands: str) -> list[str]:
    arguments = [word for command in commands for word in ("-ex", command)]
    return run("debug", "-q", "--batch", "--state", state, *arguments).lines


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("print s", "$1 = {a = -2, b = -9}"),
        ("print/d s", "$1 = {a = -2, b = -9}"),
        ("print (struct S){1, 2}", "$1 = {a = 1, b = 2}"),
        ("print sizeof(struct S)", "$1 = 8"),
    ],
)
def test_they_are_no_part_of_the_value(tmp_path: Path, command: str, text: str) -> None:
    assert dialogue(state_in(tmp_path, SEPARATED, SHAPES), command)[-1] == text


def test_they_are_no_part_of_the_data(tmp_path: Path) -> None:
    state = state_in(tmp_path, SEPARATED, SHAPES)
    answer = json.loads(run("eval", "--json", "--state", state, "s").out)
    assert [member["name"] for member in answer["data"]["members"]] == ["a", "b"]


def test_they_are_declared(tmp_path: Path) -> None:
    state = state_in(tmp_path, SEPARATED, SHAPES)
    expected = ["    int a : 3;", "    int : 0;", "    int b : 5;"]
    shown = dialogue(state, "ptype s")
    assert shown[-4:-1] == expected
    assert "/*      4: 0   |       4 */    int : 0;" in dialogue(state, "ptype/o s")


@pytest.mark.parametrize("name", [b"n\0", b"_\0"])
def test_with_a_name_they_are_errors(tmp_path: Path, name: bytes) -> None:
    state = state_in(tmp_path, entries(b"\4" + name + INT + b"\0\x20"), SHAPES)
    text = f"{name[:1].decode()} = <error: bit-field of no bits or of too many>"
    assert dialogue(state, "print s")[-1] == f"$1 = {{a = -2, {text}, b = -9}}"


def test_without_a_name_those_of_too_many_bits_are_errors(tmp_path: Path) -> None:
    state = state_in(tmp_path, entries(b"\5" + INT + b"\xff\x20"), SHAPES)
    assert "<error: " in dialogue(state, "print s")[-1]
