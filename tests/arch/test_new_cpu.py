"""A new CPU is one module of `arch/` and its rows in the registry: no other module changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType

import pytest

from dwarfgpu.arch import registry
from dwarfgpu.arch.abi import Abi, relocations
from dwarfgpu.arch.model import AddressSpace, Architecture, bank, registers_of_thread
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.float_format import BINARY128
from dwarfgpu.dwarf.thread_local import tls_address
from dwarfgpu.errors import Unsupported
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_architecture import architecture_of
from dwarfgpu.objfile.relocate import relocated_data
from dwarfgpu.service.code.host_code import host_instructions
from tests.dwarf.test_thread_local import EXEC, program
from tests.objfile.test_relocate import made, rela

EM_RISCV = 243


@pytest.fixture
def riscv(monkeypatch: pytest.MonkeyPatch) -> Iterator[Architecture]:
    """A part of RISC-V (its ELF psABI), registered for one test."""
    word = BaseType("int64_t", "signed", 64)
    module = ModuleType("dwarfgpu.arch.riscv64")
    abi = Abi(
        relocations=relocations("RISCV", ((2, "64", "absolute", 8), (3, "RELATIVE", "base", 8))),
        file_format="{endian}riscv",
        thread_pointer="tp",
        thread_control_bytes=0,
        long_double_bits=128,
        is_char_signed=False,
        capstone_mode=("CS_ARCH_RISCV", "CS_MODE_RISCV64"),
        instruction_bytes=2,
    )

    @lru_cache(maxsize=1)
    def of_data(endian: Endian) -> Architecture:
        names = ("zero", "ra", "sp", "gp", "tp", *(f"x{n}" for n in range(5, 32)))
        return Architecture(
            name="riscv64",
            machine="RISCV",
            address_bits=64,
            registers=registers_of_thread(bank(0, names, word)),
            address_spaces={0: AddressSpace(0, "default", 64)},
            endian=endian,
            stack_pointer=2,
            abi=abi,
        )

    vars(module).update(ABI=abi, architecture=of_data)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(registry._MODULES, EM_RISCV, ("RISCV", "riscv64"))
    monkeypatch.setitem(registry.MACHINES, EM_RISCV, "RISCV")
    monkeypatch.setitem(registry.CPUS, "riscv64", ("RISCV", "little"))
    registry.abi_of.cache_clear()
    yield registry.architecture("riscv64")
    registry.abi_of.cache_clear()


def test_its_files_are_opened_and_relocated(riscv: Architecture) -> None:
    assert architecture_of(program(EM_RISCV)) is riscv
    file = made(rela(8, 2, 3), machine=EM_RISCV)
    assert relocated_data(file, ".debug_info")[8:] == (0x112233445566778B).to_bytes(8, "little")
    with pytest.raises(Unsupported, match="relocation type 3 of RISCV"):
        relocated_data(made(rela(8, 3, 0), machine=EM_RISCV), ".debug_info")


def test_its_thread_local_variables_are_found(riscv: Architecture) -> None:
    target = StateTarget(riscv)
    target.add_wave(0)
    target.set_register(0, riscv.by_name["tp"], (0x5000).to_bytes(8, "little"))
    file = program(EM_RISCV, EXEC, (0x1000, 16, 16))
    assert tls_address(file, 8, 0, target) == 0x5008


def test_its_types_are_those_of_its_abi(riscv: Architecture) -> None:
    types = Builtins(riscv)
    assert types.char_type.base.encoding == "unsigned_char"
    wide = types.floating("long double").base
    assert (wide.bit_size, wide.float_format) == (128, BINARY128)


def test_its_code_is_disassembled(riscv: Architecture) -> None:
    pytest.importorskip("capstone")
    [(address, data, text, _)] = host_instructions("RISCV", b"\x13\x05\x15\x00", 0x10)
    assert (address, data, text) == (0x10, b"\x13\x05\x15\x00", "addi a0, a0, 1")


def test_without_registration_nothing_is_supported() -> None:
    file: ObjectFile = program(EM_RISCV)
    with pytest.raises(Unsupported, match="is for RISCV with little-endian data"):
        architecture_of(file)
