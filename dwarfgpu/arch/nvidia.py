"""NVIDIA GPUs: registers by the numbers in cubins (cuda-gdb's `cudadebugger.h`: CUDBGRegClass,
ptxStorageKind; PTX ISA, "Register State Space").

Two kinds of register have numbers. A register of the machine (SASS) has its class in the highest
byte. A register that PTX declares has its name as its number: `%rd10` is 0x2572643130. A table of
each cubin says which machine registers hold it (`objfile/ptx_allocation.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.abi import Abi, relocations
from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo, bank, registers_of_thread
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve

STACK_POINTER: Final = 0x05000001
"""R1 (CUDA's calling convention), an offset in local memory."""
_CONDITION, _PREDICATE, _FULL, _UNIFORM_PREDICATE, _UNIFORM = 1, 2, 5, 9, 11
"""REG_CLASS_REG_CC, REG_CLASS_REG_PRED, REG_CLASS_REG_FULL, REG_CLASS_UREG_PRED and _FULL."""
_NO_REGISTER: Final = 0xFFFFFFFF
"""Return address column of functions whose call frame information names no register for it."""
_REGISTER: Final = re.compile(r"%([A-Za-z]+)[0-9]*")
_LONGEST_NAME_BYTES: Final = 32
_TYPES: Final = {
    "p": BaseType("bool", "boolean", 1),
    "rs": BaseType("uint16_t", "unsigned", 16),
    "h": BaseType("uint16_t", "unsigned", 16),
    "hh": BaseType("uint32_t", "unsigned", 32),
    "r": BaseType("uint32_t", "unsigned", 32),
    "f": BaseType("float", "float", 32),
    "rd": BaseType("uint64_t", "unsigned", 64),
    "fd": BaseType("double", "float", 64),
    "rq": BaseType("uint128_t", "unsigned", 128),
    "SP": BaseType("uint64_t", "unsigned", 64),
    "SPL": BaseType("uint64_t", "unsigned", 64),
}
"""What LLVM and NVIDIA's compilers declare with each prefix of a name."""
STORAGE_KINDS: Final = {
    1: "code", 2: "register", 3: "sregister", 4: "constant", 5: "global", 6: "local",
    7: "parameter", 8: "shared", 9: "surface", 10: "texture", 11: "texsampler", 12: "generic",
    13: "iparam", 14: "oparam", 15: "frame", 16: "uregister",
}  # fmt: skip
"""DW_AT_address_class by CUDA's names: where a variable is."""
_REGISTER_KINDS: Final = (2, 3, 16)
"""The kinds of storage that are not memory."""
_NO_MACHINE: Final = "dwarfgpu reads files for NVIDIA GPUs, but no values of such a machine"

ABI: Final = Abi(
    relocations=relocations(
        "CUDA",
        (
            (0, "NONE", "none", 0), (1, "32", "absolute", 4), (2, "64", "absolute", 8),
            (3, "G32", "absolute", 4), (4, "G64", "absolute", 8),  # of generic addresses
            (73, "UNUSED_CLEAR64", "none", 0),  # of functions that the linker drops
        ),
    ),
)  # fmt: skip


@lru_cache(maxsize=32)
def nvidia(name: str) -> Architecture:
    """Return the architecture with that name; all have the same registers."""
    spaces = {0: AddressSpace(0, "default", 64, unavailable=_NO_MACHINE)}
    for number, kind in STORAGE_KINDS.items():
        if number not in _REGISTER_KINDS:
            spaces[number] = AddressSpace(number, kind, 64, unavailable=_NO_MACHINE)
    return Architecture(
        name=name,
        machine="CUDA",
        address_bits=64,
        registers=_Registers(registers_of_thread(_machine_registers())),
        address_spaces=spaces,
        no_return_register=_NO_REGISTER,
        abi=ABI,
        no_machine=_NO_MACHINE,
        virtual_register=ptx_number,
        stack_pointer=STACK_POINTER,
        made_by=(nvidia, (name,)),
    )


class _Registers(Mapping[int, RegisterInfo]):
    """The machine's registers, which it lists, and any of PTX."""

    def __init__(self, machine: Mapping[int, RegisterInfo]) -> None:
        self._machine = machine

    def __getitem__(self, number: int) -> RegisterInfo:
        return self._machine.get(number) or _ptx_register(number)

    def __iter__(self) -> Iterator[int]:
        return iter(self._machine)

    def __len__(self) -> int:
        return len(self._machine)


def _machine_registers() -> Iterator[RegisterInfo]:
    """Yield what call frame information names; RA is its column of a return address that is
    computed."""
    word = BaseType("uint32_t", "unsigned", 32)
    truth = BaseType("bool", "boolean", 1)
    yield from bank(_CONDITION << 24, ("CC",), word, "system")
    yield from bank(_PREDICATE << 24, (f"P{n}" for n in range(7)), truth)
    for register in bank(_FULL << 24, (*(f"R{n}" for n in range(255)), "RZ"), word):
        yield evolve(register, is_widened=True)
    yield RegisterInfo("RA", (_FULL << 24) + 256, BaseType("void (*)()", "address", 64))
    yield from bank(_UNIFORM_PREDICATE << 24, (f"UP{n}" for n in range(7)), truth)
    yield from bank(_UNIFORM << 24, (f"UR{n}" for n in range(255)), word)


def ptx_name(number: int) -> str | None:
    """Return the name of a PTX register from its number; None for any other number."""
    size_bytes = (number.bit_length() + 7) // 8
    if not 2 <= size_bytes <= _LONGEST_NAME_BYTES or number < 0:
        return None
    name = number.to_bytes(size_bytes, "big").decode("ascii", "replace")
    match = _REGISTER.fullmatch(name)
    return None if match is None or match[1] not in _TYPES else name


def ptx_number(name: str) -> int | None:
    """Return the DWARF number of a PTX register; None if the name is not that of a register."""
    number = int.from_bytes(name.encode("ascii", "replace"), "big")
    return number if ptx_name(number) == name else None


@lru_cache(maxsize=1024)
def _ptx_register(number: int) -> RegisterInfo:
    name = ptx_name(number)
    match = None if name is None else _REGISTER.fullmatch(name)
    if name is None or match is None:
        raise KeyError(number)
    return RegisterInfo(name, number, _TYPES[match[1]], is_of_wave=False)
