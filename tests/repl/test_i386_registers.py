"""Registers and numbers of i386 at the prompt: every line is that of GDB 13 on such a process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run

REGISTERS = {
    "eax": 0, "ebx": 0x12345678, "ecx": 0xFFFFD890, "edx": 0x56558FF4, "esp": 0xFFFFD7A0,
    "ebp": 0xFFFFD7C8, "esi": 0x56558EEC, "edi": 0xF7FFCB80, "eip": 0x565561CF, "eflags": 0x246,
    "cs": 0x23, "ss": 0x2B, "ds": 0x2B, "es": 0x2B, "fs": 0, "gs": 0x63, "mxcsr": 0x1F80,
    "fctrl": 0x37F, "fstat": 0x3000, "ftag": 0xFFF, "fiseg": 0, "fioff": 0x565561C5, "foseg": 0,
    "fooff": 0, "fop": 0, "st0": {"bytes": "0000000000000080ff3f"},
    "st1": {"bytes": "00000000000000900040"},
    **{f"st{n}": {"bytes": "00" * 10} for n in range(2, 8)},
}  # fmt: skip


STATE = {
    "schema": "dwarfgpu-state-1",
    "architecture": "i386",
    "waves": [{"id": 1, "registers": REGISTERS}],
}


def lines(folder: Path, *commands: str) -> list[str]:
    path = folder / "i386.json"
    path.write_text(json.dumps(STATE))
    given = [word for line in commands for word in ("-ex", line)]
    return run("debug", "--state", path, "--batch", *given).lines


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print $eflags", "$1 = [ PF ZF IF ]"),
        ("print $mxcsr", "$1 = [ IM DM ZM OM UM PM ]"),
        ("print $eflags & 64", "$1 = 64"),
        ("whatis $eflags", "type = i386_eflags"),
        ("whatis $cs", "type = int32_t"),
        ("print/x $bx", "$1 = 0x5678"),
        ("print $bl", "$1 = 120"),
        ("print $bh", "$1 = 86"),
        ("print $di", "$1 = -13440"),
        ("ptype $ax", "type = int16_t"),
        ("ptype $al", "type = int8_t"),
        ("print $sp", "$1 = (void *) 0xffffd7a0"),
        ("print $dil", "$1 = void"),
        ("print $fctrl", "$1 = 895"),
        ("info registers al", "al             0x0                 0"),
        ("info registers bx", "bx             0x5678              22136"),
        ("info registers eflags", "eflags         0x246               [ PF ZF IF ]"),
        ("info registers mxcsr", "mxcsr          0x1f80              [ IM DM ZM OM UM PM ]"),
    ],
)
def test_a_register(tmp_path: Path, command: str, expected: str) -> None:
    assert lines(tmp_path, command)[-1] == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print/a -3", "$1 = 0xfffffffd"),
        ("print/a -3.7", "$1 = 0xfffffffd"),
        ("print/a 5e9", "$1 = 0x2a05f200"),
        ("print/a 0xfff0e48304244c8d", "$1 = 0x4244c8d"),
        ("print/a $di", "$1 = 0xffffcb80"),
        ("print/a (char) 254", "$1 = 0xfffffffe"),
        ("output/a -1LL", "0xffffffff"),
        ("print/x -3LL", "$1 = 0xfffffffffffffffd"),
        ("info symbol -3", "No symbol matches -3."),
    ],
)
def test_a_number_as_an_address_has_32_bits(tmp_path: Path, command: str, expected: str) -> None:
    assert lines(tmp_path, command)[-1] == expected


def test_long_is_a_type_of_its_own() -> None:
    """It has the size of int: C 6.4.4.1 decides by the suffix, and conversions by the rank."""
    types = {
        "1l": "long", "1ul": "unsigned long", "1": "int", "1ull": "unsigned long long",
        "0x80000000l": "unsigned long", "0x80000000": "unsigned int", "2147483648l": "long long",
        "2147483648": "long long", "4294967296ul": "unsigned long long", "-1l": "long",
        "~1ul": "unsigned long", "1l << 1": "long", "-(int) 1": "int", "1l + 1": "long",
        "1ul + 1": "unsigned long", "!1l": "int",
    }  # fmt: skip
    asked = [f"-ex=whatis {text}" for text in types]
    done = run("debug", "-q", "--batch", "--arch", "i386", *asked)
    assert done.lines == [f"type = {name}" for name in types.values()]


def test_a_floating_level_keeps_its_sign(tmp_path: Path) -> None:
    path = tmp_path / "i386.json"
    path.write_text(json.dumps(STATE))
    done = run("debug", "--state", path, "--batch", "-ex", "frame -2.9")
    assert done.err.splitlines()[-1] == "No frame at level -2.9."


def test_the_general_registers(tmp_path: Path) -> None:
    shown = lines(tmp_path, "info registers")
    assert [line.split()[0] for line in shown[-16:]] == [
        "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags",
        "cs", "ss", "ds", "es", "fs", "gs",
    ]  # fmt: skip
    shown = lines(tmp_path, "info registers float")
    assert shown[-6:-4] == [
        "ftag           0xfff               4095",
        "fiseg          0x0                 0",
    ]


def test_the_floating_point_unit(tmp_path: Path) -> None:
    shown = [line.rstrip() for line in lines(tmp_path, "info float")]
    assert shown[-18:-15] == [
        "  R7: Valid   0x40009000000000000000 +2.25",
        "=>R6: Valid   0x3fff8000000000000000 +1",
        "  R5: Empty   0x00000000000000000000",
    ]
    assert shown[-4:] == [
        "Tag Word:            0x0fff",
        "Instruction Pointer: 0x00:0x565561c5",
        "Operand Pointer:     0x00:0x00000000",
        "Opcode:              0x0000",
    ]


def test_an_address_has_32_bits(tmp_path: Path) -> None:
    path = tmp_path / "i386.json"
    memory = [{"address": "0xfffffff0", "bytes": "0a0b0c0d"}]
    state = {"schema": "dwarfgpu-state-1", "architecture": "i386", "waves": [{}]}
    path.write_text(json.dumps({**state, "memory": memory}))
    done = run("debug", "--state", path, "--batch", "-ex", "x/xw 0xffffffff0", "-ex", "x/xw -16")
    assert done.lines == ["0xfffffff0:\t0x0d0c0b0a"] * 2


@pytest.mark.parametrize(
    ("value", "is_truncated"),
    [
        ("0xffffffff", False), ("-1", False), ("0x100000000", True), ("-0x100000000", True),
        ("0xffffffffffffffffULL", False), ("5", False),
    ],
)  # fmt: skip
def test_a_truncated_pointer(tmp_path: Path, value: str, is_truncated: bool) -> None:
    path = tmp_path / "i386.json"
    state = {"schema": "dwarfgpu-state-1", "architecture": "i386", "waves": [{}]}
    path.write_text(json.dumps(state))
    done = run("debug", "--state", path, "--batch", "-ex", f"p (void *) {value}")
    assert ("warning: value truncated" in done.err.splitlines()) is is_truncated
