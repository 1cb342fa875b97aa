"""Registers of AArch64 at the prompt: the expected lines are those of gdb-multiarch 13."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.arch.aarch64_prologue import frame_register
from tests.cli.command import FIXTURES, run

CORE = FIXTURES / "core" / "crash.aarch64.O0"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print $x29", "$1 = 365080612128"),
        ("print $w29", "$1 = 8391968"),
        ("print/x $w29", "$1 = 0x800d20"),
        ("print $w0", "$1 = 16"),
        ("ptype $w29", "type = uint32_t"),
        ("info registers w29", "w29            0x800d20            8391968"),
        ("print $cpsr", "$1 = [ EL=0 BTYPE=0 C Z ]"),
        ("print/x $cpsr", "$1 = 0x60000000"),
        ("whatis $cpsr", "type = cpsr_flags"),
        ("info registers cpsr", "cpsr           0x60000000          [ EL=0 BTYPE=0 C Z ]"),
        ("info registers", "cpsr           0x60000000          [ EL=0 BTYPE=0 C Z ]"),
        ("print $fp", "$1 = (void *) 0x5500800cf0"),
        ("info registers fp", "fp             0x5500800cf0        0x5500800cf0"),
        ("whatis $x0", "type = long"),
        ("whatis $v0.d.f", "type = v2d"),
        ("whatis $v0.h.bf[0]", "type = builtin_type_bfloat16"),
        ("info frame", " Locals at 0x5500800cf0, Previous frame's sp is 0x5500800d20"),
    ],
)
def test_a_register_of_a_core_file(command: str, expected: str) -> None:
    """It was the whole register; $fp is $sp in a function without a frame record."""
    assert run("debug", CORE, f"{CORE}.core", "--batch", "-ex", command).lines[-1] == expected


@pytest.mark.parametrize("name", ["aarch64", "aarch64_be"])
def test_the_lower_half_is_of_the_number(tmp_path: Path, name: str) -> None:
    wave = {"id": 1, "registers": {"x3": "0x1122334455667788", "w4": 7}}
    state = {"schema": "dwarfgpu-state-1", "architecture": name, "waves": [wave]}
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state))
    shown = run("eval", "--state", path, "$w3 + 0", "$w4 + 0", "$x4 + 0")
    assert shown.lines[:2] == ["$w3 + 0 = 1432778632", "$w4 + 0 = 7"]
    assert "$x4 + 0 = 7" not in shown.out  # its upper half is not in the state
    assert run("dis", "--arch", name, "50", "93", "00").lines[0].endswith("DW_OP_reg0 W0")
    assert run("asm", "--arch", name, "regx w3").lines == ["9003"]


VECTOR = {"v0": "0x40b734000000000040b6f80000000000", "fpsr": 0x10, "cpsr": 0x80001000}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print $d0", "$1 = {f = 5880, u = 4663187143072415744, s = 4663187143072415744}"),
        ("print $v0.s.f", "$1 = {0, 5.71777344, 0, 5.72509766}"),
        ("print $v0.h.bf", "$1 = {0, 0, -1.038e+34, 5.688, 0, 0, 1.192e-07, 5.719}"),
        ("print $b0", "$1 = {u = 0, s = 0}"),
        ("print/x $q0.u", "$1 = 0x40b734000000000040b6f80000000000"),
        ("ptype $s0", "}"),
        ("info registers s0", "s0             {f = 0x0, u = 0x0, s = 0x0} {f = 0, u = 0, s = 0}"),
        ("info registers b0", "b0             {u = 0x0, s = 0x0}  {u = 0, s = 0}"),
        ("print $fpsr", "$1 = [ IXC ]"),
        ("print $cpsr", "$1 = [ EL=0 BTYPE=0 SSBS N ]"),
        ("print $d0.f = 1.5", "$1 = 1.5"),
    ],
)
def test_views_of_a_vector_register(tmp_path: Path, command: str, expected: str) -> None:
    """As gdb-multiarch with a process in QEMU."""
    state = {"schema": "dwarfgpu-state-1", "architecture": "aarch64"}
    path = tmp_path / "state.json"
    path.write_text(json.dumps({**state, "waves": [{"id": 1, "registers": VECTOR}]}))
    assert run("debug", "--state", path, "--batch", "-ex", command).lines[-1] == expected


@pytest.mark.parametrize(
    ("name", "shown"), [("aarch64", "{1.5, 5940}"), ("aarch64_be", "{5940, 1.5}")]
)
def test_a_view_is_written_alone(tmp_path: Path, name: str, shown: str) -> None:
    """The low part is the last in memory where the byte order is big."""
    state = {"schema": "dwarfgpu-state-1", "architecture": name}
    path = tmp_path / "state.json"
    path.write_text(json.dumps({**state, "waves": [{"id": 1, "registers": VECTOR}]}))
    given = ["-ex", "set $d0.f = 1.5", "-ex", "print $v0.d.f"]
    assert run("debug", "--state", path, "--batch", *given).lines[-1] == f"$1 = {shown}"


@pytest.mark.parametrize(
    ("code", "register"),
    [
        ("", "sp"),  # before the first instruction
        ("ffc300d1", "sp"),  # sub sp, sp, #0x30
        ("fd7bbda9", "sp"),  # stp x29, x30, [sp, #-48]!
        ("fd7bbda9fd030091", "x29"),  # … mov x29, sp
        ("3f2303d5fd7bbda9fd030091", "x29"),  # paciasp …
        ("5f2403d5fd7bbda9fd030091", "sp"),  # bti c: ends the analysis
        (
            "ff8300d1fd7b01a9fd430091",
            "x29",
        ),  # sub sp, sp, #32; stp x29, x30, [sp, #16]; add x29, sp, #16
        ("fd7bbda9000080d2fd030091", "x29"),  # stp …!; mov x0, #0; mov x29, sp
        ("e00300b9000080d2fd030091", "sp"),  # str w0, [sp]; mov x0, #0: ends the analysis
        ("200000b9fd030091", "sp"),  # str w0, [x1]: ends it
        ("e00300f9fd030091", "x29"),  # str x0, [sp]; mov x29, sp
        ("1f000091", None),  # add sp, x0, #0
    ],
)
def test_the_register_that_a_frame_is_counted_from(code: str, register: str | None) -> None:
    assert frame_register(bytes.fromhex(code)) == register
