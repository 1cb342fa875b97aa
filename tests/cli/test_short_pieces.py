"""Variables whose pieces describe less than their type, for every kind of type."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.text.assembly import assemble
from tests.cli.command import run, run_json
from tests.dwarf.builder import X86_64, Content, Shape, file_of

_CODE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_NAMED = (dw.AT_NAME, dw.FORM_STRING)
_SIZED = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
_TYPED = (dw.AT_TYPE, dw.FORM_REF1)
_SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, _CODE, True),
    Shape(dw.TAG_BASE_TYPE, (_NAMED, (dw.AT_ENCODING, dw.FORM_DATA1), _SIZED)),
    Shape(dw.TAG_POINTER_TYPE, (_TYPED, _SIZED)),
    Shape(dw.TAG_VARIABLE, (_NAMED, _TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
_BASES = {
    "long": (5, 8),
    "double": (4, 8),
    "long double": (4, 16),
    "complex double": (3, 16),
}
_PLACES = {
    "number": ("long", "reg0; piece 4"),
    "pointer": ("pointer", "reg0; piece 4"),
    "real": ("double", "reg0; piece 6"),
    "wide": ("long double", "addr 0x2000; piece 10"),
    "wider": ("long double", "addr 0x2000; piece 8; addr 0x2008; piece 4"),
    "lost": ("long double", "addr 0x2000; piece 8"),
    "half": ("complex double", "reg0; piece 8"),
    "none": ("long", "piece 4"),
    "holes": ("complex double", "LLVM_undefined; piece 2; reg0; piece 2; piece 2; piece 2"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An x86-64 file with the variables of `_PLACES`."""
    entries, types = b"\1" + (0x1000).to_bytes(8, "little") + b"\x40\0\0\0", dict[str, int]()
    for name, (encoding, size) in _BASES.items():
        types[name] = 12 + len(entries)
        entries += b"\2" + name.encode() + bytes((0, encoding, size))
    types["pointer"] = 12 + len(entries)
    entries += bytes((3, types["long"], 8))
    for name, (kind, text) in _PLACES.items():
        data = assemble(text, arch=architecture("x86_64"))
        entries += b"\4" + name.encode() + bytes((0, types[kind], len(data))) + data
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    path = tmp_path_factory.mktemp("short") / "variables"
    path.write_bytes(file_of(entries + b"\0", _SHAPES, others, machine=X86_64))
    return path


_STATE = (
    "--reg", "rax=0x3ff8000000000005", "--mem", "0x2000=00000000000000a0ff3fffffffffffff",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "bytes_", "undefined", "text"),
    [
        ("number", "05000000????????", [(32, 32)], "<optimized out>"),
        ("pointer", "05000000????????", [(32, 32)], "<optimized out>"),
        ("real", "050000000000????", [(48, 16)], "<optimized out>"),
        ("wide", "00000000000000a0ff3f000000000000", [], "1.25"),
        ("wider", "00000000000000a0ff3fffff00000000", [], "1.25"),
        ("lost", "00000000000000a0????????????????", [(64, 64)], "<optimized out>"),
        ("half", "050000000000f83f????????????????", [(64, 64)], None),
        ("none", "????????????????", [(0, 64)], "<optimized out>"),
    ],
)
def test_the_rest_is_undefined(
    program: Path, name: str, bytes_: str, undefined: list[tuple[int, int]], text: str | None
) -> None:
    arguments = ("eval", "--file", program, "--pc", 0x1004, *_STATE, name)
    done = run_json(*arguments)
    assert done.json["bytes"] == bytes_
    result = [
        (undefined_bit["bit_offset"], undefined_bit["bit_size"])
        for undefined_bit in done.json["undefined_bits"]
    ]
    assert result == undefined and done.status == (1 if undefined else 0)
    assert text in (None, done.json["text"])
    described = (8 * len(bytes_) // 2) - sum(count for _, count in undefined)
    if undefined and described:
        [note] = run(*arguments).notes
        assert note.endswith(f"(the location describes {described} of {4 * len(bytes_)} bits)")
        output = run("explain", *arguments[1:]).lines[-1]
        assert output.endswith(f": the location describes {described} of {4 * len(bytes_)} bits")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("wide + 1", "2.25"),
        ("wider * 2", "2.5"),
        ("(double) wide", "1.25"),
        ("*&wide", None),
        ("number + 1", None),
        ("*pointer", None),
        ("lost + 1", None),
    ],
)
def test_expressions(program: Path, expression: str, expected: str | None) -> None:
    done = run("eval", "--file", program, "--pc", 0x1004, *_STATE, expression)
    if expected is not None:
        assert done.out == f"{expression} = {expected}\n", done.err
    else:
        assert done.status in (1, 2) and not done.out


def test_padding_is_not_written_and_what_is_nowhere_cannot_be(program: Path) -> None:
    commands = (
        "set var wide = 2.5", "print wide", "x/2gx 0x2000", "set var number = 6", "print $rax",
    )  # fmt: skip
    given = [item for command in commands for item in ("-ex", command)]
    done = run("debug", "--batch", program, "--pc", 0x1004, *_STATE, *given)
    assert "$1 = 2.5" in done.lines and "$2 = 4609434218613702661" in done.lines
    assert "the location describes 32 of 64 bits: the rest cannot be written" in done.err.lower()
    assert "0xffffffffffff4000" in done.out, done


def test_each_hole_has_its_own_cause(program: Path) -> None:
    explained = run("explain", "--file", program, "--pc", 0x1004, *_STATE, "holes").lines
    assert explained[explained.index("=> holes = <optimized out>") + 2 :][:2] == [
        "   bits 0 to 15, 32 to 63 are undefined because of DW_OP_LLVM_undefined at offset 0x0 "
        "(A.2.5.4.4.2): the compiler describes no value here; and of DW_OP_piece at offsets 0x7, "
        "0x9 (A.2.5.4.4.6): no location comes before this piece: its bits are undefined",
        "   bits 64 to 127 are undefined: the location describes 64 of 128 bits",
    ]
    note = "        ^ no location comes before this piece: its bits are undefined"
    assert explained.count(note) == 2


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("LLVM_undefined; dup; drop; piece 4; reg0; piece 4", 0),  # a copy is not another cause
        ("piece 4; reg0; piece 4; LLVM_piece_end; dup; drop", 0),
        ("reg0; piece 4; piece 4; LLVM_piece_end; lit0; LLVM_offset", 3),
    ],
)
def test_the_operation_that_made_bits_undefined_is_named(text: str, offset: int) -> None:
    explained = run("explain", "--arch", "x86_64", "--reg", "rax=1", text).lines
    assert explained[-1].startswith("   parts of it are undefined because of DW_OP_")
    assert f" at offset {offset:#x} (A." in explained[-1] and "; and of" not in explained[-1]
