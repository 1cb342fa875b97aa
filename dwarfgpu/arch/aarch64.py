"""AArch64: registers by their DWARF numbers (DWARF for the Arm 64-bit Architecture, section 4.1),
and its ABI (ELF for the Arm 64-bit Architecture; Procedure Call Standard, 10.1.2; C++ ABI, 3.1).

The scalable registers (vg, ffr, p0-p15, z0-z31) have no fixed size and are not defined here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.aarch64_groups import GROUPS
from dwarfgpu.arch.aarch64_prologue import frame_register
from dwarfgpu.arch.abi import Abi, relocations
from dwarfgpu.arch.model import (
    AddressSpace,
    Architecture,
    FlagField,
    PseudoRegister,
    RegisterInfo,
    RegisterPart,
    bank,
    registers_of_thread,
)
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve

_PRESERVED: Final = frozenset((*range(19, 31), *range(35, 40), *range(72, 80)))
"""x19-x29, v8-v15 (their lower halves; AAPCS64 6.1.2), thread pointers; x30 until it is saved."""
_PRESERVED_BY_GO: Final = frozenset((28, 30, *range(35, 40)))
"""x28 has the current goroutine (Go internal ABI specification, "Special-purpose registers")."""
_RANGE_BIT: Final = 55
"""The bit of an address that says in which half of the address space it is, signed or not."""
USER_MASK: Final = 0xFFFF << 48
"""For addresses of 48 bits: the bits that only select the half of the address space."""

VECTOR: Final = BaseType("aarch64v", "unsigned", 128, vector_size=4)
VECTOR_VIEWS: Final = {"q": 128, "d": 64, "s": 32, "h": 16, "b": 8}
"""The views of a vector register to their sizes in bits, in the order of GDB's registers."""


def _flags(text: str) -> tuple[FlagField, ...]:
    """Return fields from `NAME:BIT` and `NAME:FIRST-LAST`."""
    out: list[FlagField] = []
    for word in text.split():
        name, _, bits = word.partition(":")
        first, _, last = bits.partition("-")
        out.append(FlagField(name, int(first), int(last or first) - int(first) + 1))
    return tuple(out)


CPSR: Final = _flags(
    "SP:0 EL:2-3 nRW:4 F:6 I:7 A:8 D:9 BTYPE:10-11 SSBS:12 IL:20 SS:21 PAN:22 UAO:23 DIT:24 TCO:25 "
    "V:28 C:29 Z:30 N:31"
)
"""Arm Architecture Reference Manual, C5.2.18 SPSR_EL1: the process state as a signal saves it."""
FPSR: Final = _flags("IOC:0 DZC:1 OFC:2 UFC:3 IXC:4 IDC:7 QC:27 V:28 C:29 Z:30 N:31")
"""C5.2.8."""
FPCR: Final = _flags(
    "FIZ:0 AH:1 NEP:2 IOE:8 DZE:9 OFE:10 UFE:11 IXE:12 EBF:13 IDE:15 Len:16-18 FZ16:19 "
    "Stride:20-21 RMode:22-23 FZ:24 DN:25 AHP:26"
)
"""C5.2.7."""

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
    has_symbol_kinds=False,
    thread_pointer="tpidr_el0",
    thread_control_bytes=16,
    describes_thread_locals=False,  # neither gcc nor clang does
    long_double_bits=128,
    is_char_signed=False,
    marks_virtual_in_second=True,
    capstone_mode=("CS_ARCH_ARM64", "CS_MODE_LITTLE_ENDIAN"),
    instruction_bytes=4,
    frame_register=frame_register,
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
        preserved_by_go=_PRESERVED_BY_GO,
        preserved_bits=dict.fromkeys(range(72, 80), 64),
        code_mask="pauth_cmask",
        abi=ABI,
        register_groups=GROUPS,
        has_every_register=False,
        other_registers=tuple(_unnumbered(endian)),
        register_aliases=aliases,
        register_parts=_parts({register.name: register for register in registers.values()}, endian),
        pseudo_registers={
            register.name: register
            for n in range(32)
            for register in _vector_views(registers[64 + n], n, endian)
        },
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


def _vector_views(vector: RegisterInfo, n: int, endian: Endian) -> Iterator[PseudoRegister]:
    """Yield the low parts of a vector register as instructions name them; GDB gives each a union
    of the ways to read it."""
    for letter, bit_size in VECTOR_VIEWS.items():
        view = BaseType(f"__gdb_builtin_type_vn{letter}", "unsigned", bit_size, endian)
        first_bit = 0 if endian == "little" else vector.size_bits - bit_size
        yield PseudoRegister(f"{letter}{n}", view, ((vector, first_bit, bit_size),))


def without_signature(address: int, mask: int) -> int:
    """Return a code address without its signature, in the bits of a mask."""
    return address | mask if address >> _RANGE_BIT & 1 else address & ~mask


def _unnumbered(endian: Endian) -> Iterator[RegisterInfo]:
    """Yield registers without a DWARF number, as GDB names them; the masks are of the bits that
    can sign an address of data and of code."""
    for name, flags in (("cpsr", CPSR), ("fpsr", FPSR), ("fpcr", FPCR)):
        word = BaseType(f"{name}_flags", "unsigned", 32, endian)
        yield RegisterInfo(name, None, word, "system", is_of_wave=False, flags=flags)
    mask = BaseType("long", "signed", 64, endian)
    for name in ("pauth_dmask", "pauth_cmask"):
        yield RegisterInfo(name, None, mask, "system", is_of_wave=False)


def _registers(endian: Endian) -> Iterator[RegisterInfo]:
    signed = BaseType("long", "signed", 64, endian)
    unsigned = BaseType("uint64_t", "unsigned", 64, endian)
    data = BaseType("void *", "address", 64, endian)
    code = BaseType("void (*)()", "address", 64, endian)
    vector = evolve(VECTOR, endian=endian)
    yield from bank(0, (f"x{n}" for n in range(31)), signed)
    yield RegisterInfo("sp", 31, data)
    yield RegisterInfo("pc", 32, code)
    yield RegisterInfo("elr_mode", 33, unsigned, "system")
    yield RegisterInfo("ra_sign_state", 34, unsigned, "system")
    names = ("tpidrro_el0", "tpidr_el0", "tpidr_el1", "tpidr_el2", "tpidr_el3")
    yield from bank(35, names, data, "system")
    yield from bank(64, (f"v{n}" for n in range(32)), vector, "vector")
