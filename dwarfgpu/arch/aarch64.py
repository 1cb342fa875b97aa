"""AArch64: registers by their DWARF numbers (DWARF for the Arm 64-bit Architecture, section 4.1),
and its ABI (ELF for the Arm 64-bit Architecture; Procedure Call Standard, 10.1.2; C++ ABI, 3.1).

The scalable registers (vg, ffr, p0-p15, z0-z31) have no fixed size and are not defined here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.abi import Abi, relocations
from dwarfgpu.arch.model import (
    AddressSpace,
    Architecture,
    RegisterInfo,
    RegisterPart,
    bank,
    registers_of_thread,
)
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian

_PRESERVED: Final = frozenset((*range(19, 31), *range(35, 40), *range(72, 80)))
"""x19-x29, v8-v15 (their lower halves; AAPCS64 6.1.2), thread pointers; x30 until it is saved."""
_RANGE_BIT: Final = 55
"""The bit of an address that says in which half of the address space it is, signed or not."""
USER_MASK: Final = 0xFFFF << 48
"""For addresses of 48 bits: the bits that only select the half of the address space."""

ABI: Final = Abi(
    relocations=relocations(
        "AARCH64",
        (
            (0, "NONE", "none", 0), (256, "NONE", "none", 0), (257, "ABS64", "absolute", 8),
            (258, "ABS32", "absolute", 4), (259, "ABS16", "absolute", 2),
            (260, "PREL64", "relative", 8), (261, "PREL32", "relative", 4),
            (262, "PREL16", "relative", 2), (1024, "COPY", "copy", 0),
            (1025, "GLOB_DAT", "symbol_addend", 8), (1026, "JUMP_SLOT", "linker", 8),
            (1027, "RELATIVE", "base", 8), (1028, "TLS_DTPMOD", "linker", 8),
            (1029, "TLS_DTPREL", "tls_offset", 8), (1030, "TLS_TPREL", "linker", 8),
            (1031, "TLSDESC", "linker", 16), (1032, "IRELATIVE", "linker", 8),
        ),
    ),
    file_format="{endian}aarch64",
    thread_pointer="tpidr_el0",
    thread_control_bytes=16,
    long_double_bits=128,
    is_char_signed=False,
    marks_virtual_in_second=True,
    capstone_mode=("CS_ARCH_ARM64", "CS_MODE_LITTLE_ENDIAN"),
    instruction_bytes=4,
)  # fmt: skip


@lru_cache(maxsize=2)
def architecture(endian: Endian) -> Architecture:
    """Return the architecture with data in a byte order; registers are named as GDB names them."""
    registers = registers_of_thread(_registers(endian))
    aliases = {f"w{n}": f"x{n}" for n in range(31)} | {
        "wsp": "sp", "fp": "x29", "lr": "x30", "tpidr": "tpidr_el0",
    }  # fmt: skip
    aliases |= {f"{width}{n}": f"v{n}" for width in "bhsdq" for n in range(32)}
    # LLVM names the first, and that is the narrowest, of the views that share a number.
    views = {n: f"W{n}" for n in range(31)} | {31: "WSP"} | {64 + n: f"B{n}" for n in range(32)}
    return Architecture(
        name="aarch64" if endian == "little" else "aarch64_be",
        machine="AARCH64",
        address_bits=64,
        registers=registers,
        address_spaces={0: AddressSpace(0, "default", 64)},
        endian=endian,
        return_address_register=30,
        program_counter=32,
        stack_pointer=31,
        preserved=_PRESERVED,
        preserved_bits=dict.fromkeys(range(72, 80), 64),
        code_mask="pauth_cmask",
        abi=ABI,
        has_every_register=False,
        other_registers=tuple(_unnumbered(endian)),
        register_aliases=aliases,
        register_parts=_parts({register.name: register for register in registers.values()}, endian),
        dwarf_names=views,
        are_dwarf_names_narrow=True,
        made_by=(architecture, (endian,)),
    )


def _parts(registers: Mapping[str, RegisterInfo], endian: Endian) -> dict[str, RegisterPart]:
    """Return the lower halves of general registers. To operations, which have one number for both,
    their names are other ones of the whole."""
    half = BaseType("uint32_t", "unsigned", 32, endian)
    wholes = {f"w{n}": f"x{n}" for n in range(31)} | {"wsp": "sp"}
    offset_bytes = 0 if endian == "little" else 4
    return {
        name: RegisterPart(name, registers[whole], offset_bytes, half)
        for name, whole in wholes.items()
    }


def without_signature(address: int, mask: int) -> int:
    """Return a code address without its signature, in the bits of a mask."""
    return address | mask if address >> _RANGE_BIT & 1 else address & ~mask


def _unnumbered(endian: Endian) -> Iterator[RegisterInfo]:
    """Yield the masks of signed addresses, as GDB names them: of data and of code."""
    mask = BaseType("uint64_t", "unsigned", 64, endian)
    for name in ("pauth_dmask", "pauth_cmask"):
        yield RegisterInfo(name, None, mask, "system", is_of_wave=False)


def _registers(endian: Endian) -> Iterator[RegisterInfo]:
    signed = BaseType("int64_t", "signed", 64, endian)
    unsigned = BaseType("uint64_t", "unsigned", 64, endian)
    data = BaseType("void *", "address", 64, endian)
    code = BaseType("void (*)()", "address", 64, endian)
    vector = BaseType("uint32_t[4]", "unsigned", 128, endian, vector_size=4)
    yield from bank(0, (f"x{n}" for n in range(31)), signed)
    yield RegisterInfo("sp", 31, data)
    yield RegisterInfo("pc", 32, code)
    yield RegisterInfo("elr_mode", 33, unsigned, "system")
    yield RegisterInfo("ra_sign_state", 34, unsigned, "system")
    names = ("tpidrro_el0", "tpidr_el0", "tpidr_el1", "tpidr_el2", "tpidr_el3")
    yield from bank(35, names, data, "system")
    yield from bank(64, (f"v{n}" for n in range(32)), vector, "vector")
