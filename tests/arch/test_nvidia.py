"""Registers of NVIDIA GPUs: those of the machine, and those that PTX declares."""

from __future__ import annotations

import pytest

import dwarfgpu as dg
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import UsageError

SM_90 = architecture("sm_90")
RD10 = 0x2572643130
"""`%rd10`."""


@pytest.mark.parametrize(
    ("number", "name", "size_bits"),
    [
        (RD10, "%rd10", 64),
        (0x257233, "%r3", 32),
        (0x257031, "%p1", 1),
        (0x255350, "%SP", 64),
        (0x0500001F, "R31", 32),
        (0x050000FF, "RZ", 32),
        (0x0B000004, "UR4", 32),
        (0x02000006, "P6", 1),
        (0x01000000, "CC", 32),
    ],
)
def test_registers(number: int, name: str, size_bits: int) -> None:
    register = SM_90.register(number)
    assert (register.name, register.size_bits) == (name, size_bits)
    assert SM_90.dwarf_name(number) == name
    assert SM_90.register_named(name) == register


@pytest.mark.parametrize("number", [0, 5, 0x25, 0x257A39, 0x25725C, 0x1F257233, -1])
def test_other_numbers_are_none(number: int) -> None:
    with pytest.raises(dg.IllFormed, match="defines no DWARF register"):
        SM_90.register(number)


def test_names_of_ptx_keep_their_case_and_are_no_machine_registers() -> None:
    assert SM_90.register_named("%r4") != SM_90.register_named("r4")
    assert SM_90.register_named("%R4") is None and SM_90.register_named("%sp") is None
    assert SM_90.register_named("%zz1") is None


def test_text_and_bytes() -> None:
    code = dg.assemble("DW_OP_regx %rd10", arch=SM_90)
    assert code == bytes.fromhex("90b0e29093d704")  # as in axpy.sm_90.cubin, by llvm-dwarfdump
    assert [line.text for line in dg.disassemble(code, arch=SM_90)] == ["DW_OP_regx %rd10"]


@pytest.mark.parametrize("name", ["sm_75", "SM_90a", "sm_100f", "sm_130"])
def test_every_capability_is_known(name: str) -> None:
    assert architecture(name).name == name.lower()


@pytest.mark.parametrize("name", ["sm_9", "sm_", "sm_1000", "sm_90aa"])
def test_protocols_that_are_not_capabilities(name: str) -> None:
    with pytest.raises(UsageError, match="unknown architecture"):
        architecture(name)
