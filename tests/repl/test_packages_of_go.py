"""Names of Go with their package, as Go and GDB write them: `main.counter`."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
PLACE = (dw.AT_LOCATION, dw.FORM_EXPRLOC)
SIZE = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *CODE), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, (dw.AT_ENCODING, dw.FORM_DATA1), SIZE)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, PLACE, (dw.AT_EXTERNAL, dw.FORM_FLAG))),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *CODE), True),
]
HEADER_BYTES = 12
NO_STRUCTURE = "Attempt to extract a component of a value that is not a structure."
"""What GDB says of the function `main` of C."""
COUNTER, CONFIG, LOCAL = 0x2000, 0x2004, 0x200C
DATA = struct.pack("<5i", 5, 6, 7, 8, 9)


def go_unit(language: int) -> bytes:
    """`main.counter`, `main.config` of the type `main.Config`, `main.main`, and `main.local`, which
    has a variable `main`."""
    out = b"\1main\0" + bytes([language]) + struct.pack("<QI", 0x1000, 16)
    int_at = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\2int32\0\5\4"
    config_at = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\3main.Config\0\x08" + b"\4low\0" + int_at + b"\0" + b"\4counter\0" + int_at + b"\4\0"

    def variable(name: bytes, type_at: bytes, address: int) -> bytes:
        return b"\5" + name + b"\0" + type_at + b"\x09\3" + struct.pack("<Q", address) + b"\1"

    out += variable(b"main.counter", int_at, COUNTER) + variable(b"main.config", config_at, CONFIG)
    out += b"\6main.main\0" + struct.pack("<QI", 0x1000, 8) + b"\0"
    out += b"\6main.main.func1\0" + struct.pack("<QI", 0x1004, 4) + b"\0"
    local = variable(b"main", config_at, LOCAL)
    out += b"\6main.local\0" + struct.pack("<QI", 0x1008, 8) + local + b"\0"
    return unit(out + b"\0")


def program(folder: Path, language: int = dw.LANG_GO) -> Path:
    """A file of Go, and of a unit of C with `main`, which starts it."""
    in_c = b"\1start.c\0\x0c" + struct.pack("<QI", 0x1010, 8)
    in_c += b"\6main\0" + struct.pack("<QI", 0x1010, 8) + b"\0\0"
    symbols = bytes(24)
    symbols += struct.pack("<IBBHQQ", 1, 0x12, 0, 3, 0x1000, 8)
    symbols += struct.pack("<IBBHQQ", 11, 0x12, 0, 3, 0x1010, 8)
    sections: dict[str, bytes | Content] = {
        ".debug_info": unit(in_c) + go_unit(language),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".text": Content(bytes(32), flags=6, address=0x1000),
        ".data": Content(DATA, flags=3, address=COUNTER),
        ".symtab": Content(symbols, type=2, link=6, entry_bytes=24),
        ".strtab": Content(b"\0main.main\0main\0", type=3),
    }
    path = folder / "a.so"
    path.write_bytes(elf(sections, machine=X86_64))
    return path


def answers(folder: Path, pc: int, *commands: str, language: int = dw.LANG_GO) -> list[str]:
    """What the prompt answers where a program is stopped."""
    program(folder, language)
    state = folder / "a.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": pc}],
        "memory": [{"address": COUNTER, "bytes": DATA.hex()}],
    }))  # fmt: skip
    options = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "-q", "--batch", "--state", state, *options)
    return (done.out + done.err).splitlines()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print main.counter", "$1 = 5"),
        ("print main.counter + 1", "$1 = 6"),
        ("print &main.counter", "$1 = (int32 *) 0x2000"),
        ("whatis main.counter", "type = int32"),
        ("print main.config", "$1 = {low = 6, counter = 7}"),
        ("print main.config.counter", "$1 = 7"),
        ("print (&main.config)->low", "$1 = 6"),
        ("print *(main.Config *) 0x2000", "$1 = {low = 5, counter = 6}"),
        ("print sizeof(main.Config)", "$1 = 8"),
        ("whatis main.Config", "type = struct main.Config"),
        ("print main.main", "$1 = {void (void)} 0x1000 <main.main>"),
        ("print main.main.func1", "$1 = {void (void)} 0x1004 <main.main+4>"),
        ("print main.nothing", NO_STRUCTURE),
        ("print other.counter", 'No symbol "other" in current context.'),
        ("complete print main.cou", "print main.counter"),
        ("complete print main.config.l", "print main.config.low"),
    ],
)
def test_a_package_is_part_of_a_name(tmp_path: Path, command: str, expected: str) -> None:
    assert answers(tmp_path, 0x1000, command) == [expected]


def test_a_variable_of_a_package_is_assigned(tmp_path: Path) -> None:
    commands = ("set var main.counter = 3", "output main.counter")
    assert answers(tmp_path, 0x1000, *commands)[0] == "3"


def test_a_local_variable_precedes_a_package(tmp_path: Path) -> None:
    commands = ("print main.counter", "print main.config", "print 'main.counter'")
    shown = ["$1 = 9", "$2 = 5", "There is no member named config."]
    assert answers(tmp_path, 0x1008, *commands) == shown


def test_other_languages_have_no_packages(tmp_path: Path) -> None:
    assert answers(tmp_path, 0x1000, "print main.counter", language=0x0C) == [NO_STRUCTURE]


def test_without_a_place_the_main_function_is_that_of_go(tmp_path: Path) -> None:
    """As in GDB, `main.main` precedes a `main` of C."""
    done = run("eval", program(tmp_path), "&main.config.counter")
    assert done.out == "&main.config.counter = (int32 *) 0x2008\n"


@pytest.mark.parametrize("language", [dw.LANG_GO, dw.LANG_D, dw.LANG_RUST])
def test_true_and_false_are_words(language: int, tmp_path: Path) -> None:
    commands = "print true", "print !false", "whatis false", "print true == (1 == 1)"
    assert answers(tmp_path, 0x1000, *commands, language=language) == [
        "$1 = true", "$2 = true", "type = bool", "$3 = true",
    ]  # fmt: skip
    assert answers(tmp_path, 0x1000, "print true", language=0x0C) == [
        'No symbol "true" in current context.'
    ]


def test_null_is_a_word_of_d(tmp_path: Path) -> None:
    commands = "print null", "print (int *)0 == null", "print (int *)4 == null", "whatis null"
    assert answers(tmp_path, 0x1000, *commands, language=dw.LANG_D) == [
        "$1 = (void *) 0x0", "$2 = true", "$3 = false", "type = void *",
    ]  # fmt: skip
    assert answers(tmp_path, 0x1000, "print null") == ['No symbol "null" in current context.']
