"""A machine with big-endian data; the values are those that GDB prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.text.assembly import assemble
from tests.cli.command import FIXTURES, run, run_json
from tests.dwarf.builder import Content, Shape, file_of

PROGRAM = str(FIXTURES / "aarch64_be/fields.clang.O0.v5")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("s", "{a = 1, b = 2, c = 3, d = 4}"),
        ("s.a", "1"),
        ("s.b + 0", "2"),
        ("s.c", "3"),
        ("packed", "{wide = -5, flag = 1, tag = 120 'x'}"),
        ("packed.wide", "-5"),
        ("words", "{1, -2, 4660}"),
        ("real", "1.5"),
    ],
)
def test_values(expression: str, expected: str) -> None:
    assert run("eval", "--file", PROGRAM, expression).out == f"{expression} = {expected}\n"


def test_operations() -> None:
    address = run("eval", "--file", PROGRAM, "&words").out.split()[-2]
    done = run("eval", "--file", PROGRAM, "-e", f"addr {address}; lit4; plus; deref_size 2")
    assert done.out.startswith("4660 ")


# Variables of a function whose caller is in frame 1: it saved x19 below its CFA.
_CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_NAMED = (dw.AT_NAME, dw.FORM_STRING)
_SIZED = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
_TYPED = (dw.AT_TYPE, dw.FORM_REF1)
_SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, _CODE, True),
    Shape(dw.TAG_BASE_TYPE, (_NAMED, (dw.AT_ENCODING, dw.FORM_DATA1), _SIZED)),
    Shape(dw.TAG_STRUCTURE_TYPE, (_NAMED, _SIZED), True),
    Shape(dw.TAG_MEMBER, (_NAMED, _TYPED, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    Shape(dw.TAG_SUBPROGRAM, (_NAMED, *_CODE), True),
    Shape(dw.TAG_VARIABLE, (_NAMED, _TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_POINTER_TYPE, (_TYPED, _SIZED)),
]
_PLACES = {
    "k": ("int", "reg0"),
    "s": ("short", "reg1"),
    "j": ("long", "reg2"),
    "q": ("float", "regx v0"),
    "pair": ("pair", "reg3"),
    "constant": ("int", "const2u 1234; stack_value"),
    "passed": ("int", "entry_value(reg19); stack_value"),
    "bytes": ("int", "implicit_value 8 0 0 0 9 0 0 0 7"),
    "saved": ("int", "reg19"),
    "part": ("int", "reg2; piece 4"),
    "parts": ("pair", "reg0; piece 2; const2u 1234; stack_value; piece 2"),
    "bits": ("pair", "reg0; bit_piece 16 0; const2u 1234; stack_value; bit_piece 16 0"),
    "known": ("pair", "implicit_value 4 0 7 0 0; piece 2; reg19; piece 2"),
    "moved": ("int", "reg2; lit2; LLVM_offset"),
    "vague": ("int *", "implicit_pointer {k} 0"),
    "short": ("long", "reg2; piece 4"),
}
_FRAMES = (
    # CIE: version 4, no augmentation, code 1, data -8, return register x30; CFA sp + 16.
    "00000018 ffffffff 04 00 08 00 01 78 1e 0c1f10 9301 9e02 000000000000"
    "00000014 00000000 0000000000001000 0000000000000040"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A big-endian file with the variables of `_PLACES`."""
    code = (0x1000).to_bytes(8, "big") + (0x40).to_bytes(4, "big")
    entries, types = b"\1" + code, {}
    for name, encoding, size in [("int", 5, 4), ("short", 5, 2), ("long", 5, 8), ("float", 4, 4)]:
        types[name] = 12 + len(entries)
        entries += b"\2" + name.encode() + bytes((0, encoding, size))
    types["int *"] = 12 + len(entries)
    entries += bytes((7, types["int"], 8))
    types["pair"] = 12 + len(entries)
    entries += b"\3pair\0\4"
    for at, name in enumerate("ab"):
        entries += b"\4" + name.encode() + bytes((0, types["short"], 2 * at))
    entries += b"\0\5f\0" + code
    dies = {}
    for name, (kind, text) in _PLACES.items():
        dies[name] = 12 + len(entries)
        for known, offset in dies.items():
            text = text.replace(f"{{{known}}}", str(offset))
        data = assemble(text, AMD, UnitFormat(endian="big"), architecture("aarch64_be"))
        entries += b"\6" + name.encode() + bytes((0, types[kind], len(data))) + data
    others = {
        ".text": Content(bytes(0x40), flags=6, address=0x1000),
        ".debug_frame": bytes.fromhex(_FRAMES),
    }
    path = tmp_path_factory.mktemp("big") / "variables"
    path.write_bytes(file_of(entries + b"\0\0", _SHAPES, others, machine=183, endian="big"))
    return path


_REGISTERS = (
    "--reg", "x0=0xaaaaaaaa00000005", "--reg", "x1=6", "--reg", "x2=0x0000000700000008",
    "--reg", "v0=0x3fc00000", "--reg", "x3=0x0000000000010002", "--reg", "x19=0x1900000019",
    "--reg", "sp=0x8000", "--mem", "0x8000=00000000000010080000002200000021",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected", "byte"),
    [
        ("k", "5", 4),
        ("s", "6", 6),
        ("j", "30064771080", 0),
        ("q", "1.5", 12),
        ("pair", "{a = 1, b = 2}", 4),
        ("pair.b", "2", 6),
        ("constant", "1234", None),
        ("passed", "33", None),
        ("bytes", "9", None),  # the bytes of an object, not a value
        ("saved", "25", 4),
        ("part", "8", None),
        ("parts", "{a = 5, b = 1234}", None),
        ("parts.b + 1", "1235", None),
        ("bits", "{a = 5, b = 1234}", None),
        ("known", "{a = 7, b = 25}", None),  # the bytes of an object, and a register that is saved
        ("moved", "458752", 2),
        ("*vague", "5", 4),
        ("k + 1", "6", None),
        ("(short) k", "5", None),
        ("(char) j", "8 '\\b'", None),
    ],
)
def test_a_variable_in_a_wider_register(
    program: Path, name: str, expected: str, byte: int | None
) -> None:
    """GDB: an object has the last bytes of a register that is wider."""
    arguments = ("eval", "--file", program, "--pc", 0x1004, *_REGISTERS, name)
    done = run(*arguments)
    assert done.out == f"{name} = {expected}\n", done.err
    if byte is not None:
        [place] = run_json(*arguments).json["result"]["places"]
        assert place["storage"] == "register" and place["bit_offset"] == 8 * byte


def test_a_register_that_the_caller_saved(program: Path) -> None:
    """The low bits of the eight bytes in memory, not the first ones."""
    done = run("eval", "--file", program, "--pc", 0x1004, *_REGISTERS, "--frame", 1, "saved")
    assert done.out == "saved = 33\n", done.err


def test_only_the_bits_of_the_variable_are_written(program: Path) -> None:
    commands = ("set var k = -2", "print k", "print/x $x0", "set var pair.b = 9", "print/x $x3")
    given = [item for command in commands for item in ("-ex", command)]
    done = run("debug", "--batch", program, "--pc", 0x1004, *_REGISTERS, *given)
    assert done.lines[-3:] == ["$1 = -2", "$2 = 0xaaaaaaaafffffffe", "$3 = 0x10009"], done


def test_explain_and_location_name_the_low_half_of_a_register(program: Path) -> None:
    arguments = ("--file", program, "--pc", 0x1004, *_REGISTERS, "k")
    assert run("explain", *arguments).lines[-1] == "   the object is at x0 + byte 4"
    assert "x0, bits 32-63 of 64" in run("location", *arguments).out
    assert run_json("eval", *arguments).json["bytes"] == "00000005"


def test_undefined_bits_are_counted_in_storage_order(program: Path) -> None:
    explained = run("explain", program, "--pc", 0x1004, *_REGISTERS, "short").lines
    assert "   bits 32 to 63 are undefined: the location describes 32 of 64 bits" in explained
