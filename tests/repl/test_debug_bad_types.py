"""One bad type of a file costs one line of a list, not the list."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run, run_json
from tests.dwarf.builder import Shape, state_in

BASE, NAMED = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
ENCODED = (dw.AT_ENCODING, dw.FORM_DATA1)
RANGE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (BASE, *RANGE), True),
    Shape(dw.TAG_BASE_TYPE, (BASE, ENCODED, (dw.AT_BYTE_SIZE, dw.FORM_DATA1))),
    Shape(dw.TAG_TYPEDEF, (BASE, NAMED)),
    Shape(dw.TAG_SUBPROGRAM, (BASE, *RANGE), True),
    Shape(dw.TAG_VARIABLE, (BASE, NAMED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_VARIABLE, (BASE, NAMED, (dw.AT_CONST_VALUE, dw.FORM_SDATA))),
    Shape(dw.TAG_BASE_TYPE, (BASE, ENCODED, (dw.AT_BYTE_SIZE, dw.FORM_DATA8))),
]  # fmt: skip
PLACE = struct.pack("<QI", 0x1000, 16)
HEADER_BYTES = 12


def entries() -> bytes:
    """A function with five variables: two of bad types, one whose type has no size, a good one, and
    one in which memory ends."""
    out = b"\1a.c\0" + PLACE
    at: dict[str, bytes] = {}

    def add(name: str, entry: bytes) -> None:
        nonlocal out
        at[name] = struct.pack("<I", HEADER_BYTES + len(out))
        out += entry

    add("zero", b"\2zero\0\5\0")
    add("int", b"\2int\0\5\4")
    add("huge", b"\7huge\0\7" + struct.pack("<Q", (1 << 63) - 1))
    add("self", b"\3self\0" + struct.pack("<I", HEADER_BYTES + len(out)))
    add("good", b"\3good\0" + at["int"])
    add("f", b"\4f\0" + PLACE)
    for kind in ("zero", "int", "self"):
        add(f"v_{kind}", b"\5v_" + kind.encode() + b"\0" + at[kind] + b"\2\x35\x9f")
    add("v_end", b"\5v_end\0" + at["int"] + b"\x02\x09\xfe")
    add("v_huge", b"\6v_huge\0" + at["huge"] + b"\1")
    return out + b"\0\0"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return state_in(tmp_path, entries(), SHAPES)


@pytest.mark.parametrize(
    ("command", "good"),
    [
        ("info locals", "v_int = 5"),
        ("info locals v_", "v_int = 5"),
        ("info locals -t int", "v_int = 5"),
        ("info scope f", "Symbol v_int is "),
        ("info types", "typedef int good;"),
        ("info types .", "typedef int good;"),
    ],
)
def test_a_list(state: Path, command: str, good: str) -> None:
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command)
    assert good in done.out, done
    assert "IllFormed" not in done.err
    if "-t" not in command:
        assert "<error" in done.out


def test_the_error_is_that_of_the_variable(state: Path) -> None:
    done = run("debug", "-q", "--batch", "--state", state, "-ex", "info locals")
    names = [line.partition(" = ")[0] for line in done.lines]
    assert names == ["v_zero", "v_int", "v_self", "v_end", "v_huge"]
    assert [line for line in done.lines if "<error" not in line] == ["v_zero = 0x5", "v_int = 5"]


def test_scopes_with_enumerations_of_any_size(tmp_path: Path) -> None:
    """A size beyond every object costs no memory; an enumerator without a value is none of 0."""
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (BASE, *RANGE), True),
        Shape(dw.TAG_SUBPROGRAM, (BASE, *RANGE), True),
        Shape(dw.TAG_ENUMERATION_TYPE, (BASE, (dw.AT_BYTE_SIZE, dw.FORM_DATA8)), True),
        Shape(dw.TAG_ENUMERATOR, (BASE, (dw.AT_CONST_VALUE, dw.FORM_SDATA))),
        Shape(dw.TAG_ENUMERATOR, (BASE,)),
    ]
    enumeration = b"\3e\0" + struct.pack("<Q", 1 << 62) + b"\4A\0\x7f\5B\0\0"
    data = b"\1a.c\0" + PLACE + b"\2f\0" + PLACE + enumeration + b"\0\0"
    state = state_in(tmp_path, data, shapes)
    done = run("debug", "-q", "--batch", "--state", state, "-ex", "info scope f")
    assert done.lines == [
        "Scope for f:",
        f"Symbol A is a constant with value -1 (0x{'f' * 32}), length {1 << 62}.",
        "Symbol B is a constant without a value.",
        "Symbol e is a typedef.",
    ]


def test_an_object_in_which_the_address_space_ends(state: Path) -> None:
    """As `p *(int *)ADDRESS` says it, and in a list as what is not mapped."""
    said = run("debug", "-q", "--batch", "--state", state, "-ex", "info locals", "-ex", "p v_end")
    no_access = "Cannot access memory at address 0xfffffffffffffffe"
    assert f"v_end = <error reading variable v_end ({no_access})>\n" in said.out
    assert (
        said.err.splitlines()[-1] == f"{no_access}: 4 bytes needed, 2 to the end of default memory"
    )


def test_an_object_of_a_function_type(tmp_path: Path) -> None:
    """Go describes a variable that holds a function so; as in GDB, it is shown by its address, and
    its first byte must be readable."""
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, (BASE, *RANGE), True),
        Shape(dw.TAG_SUBROUTINE_TYPE, (BASE,)),
        Shape(dw.TAG_SUBPROGRAM, (BASE, *RANGE), True),
        Shape(dw.TAG_FORMAL_PARAMETER, (BASE, NAMED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    ]
    data = b"\1a.go\0" + PLACE
    type_at = struct.pack("<I", HEADER_BYTES + len(data))
    place = b"\x09\x03" + struct.pack("<Q", 0x2008)
    data += b"\2func(int)\0\3f\0" + PLACE + b"\4call\0" + type_at + place + b"\0\0"
    options = ("--state", state_in(tmp_path, data, shapes))
    texts = ("info args", "print call", "frame")
    command = ("debug", "-q", "--batch", *options, *(f"-ex={text}" for text in texts))
    done = run(*command)
    assert done.lines[0] == "call = <unavailable>"
    assert "f (call=<unavailable>)" in done.lines[1]
    assert "Cannot access memory at address 0x2008" in done.err
    memory = ("--mem", "0x2008=00")
    done = run(*command, *memory)
    value = "{func(int)} 0x2008"
    assert done.lines[:2] == [f"call = {value}", f"$1 = {value}"]
    assert f"f (call={value})" in done.lines[2]
    assert "1 byte" not in done.err
    answer = run_json("eval", *options, *memory, "call").json
    assert (answer["text"], answer["bytes"]) == (value, "")
