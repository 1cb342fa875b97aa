"""i386: registers by their DWARF numbers, and its ABI (System V i386 psABI)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.abi import Abi, Prologue, relocations
from dwarfgpu.arch.model import (
    AddressSpace,
    Architecture,
    RegisterInfo,
    RegisterPart,
    bank,
    registers_of_thread,
)
from dwarfgpu.arch.x86_64 import EFLAGS, MXCSR, PKRU, XMM, vector_parts, wide_vectors
from dwarfgpu.arch.x86_groups import GROUPS_OF_I386
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.float_format import X87_EXTENDED

_PRESERVED: Final = frozenset((3, 5, 6, 7, 37, *range(40, 46)))
"""ebx, ebp, esi, edi, the control word of the x87 (psABI 2.2.1), segments."""
_PRESERVED_BY_GO: Final = _PRESERVED - {3, 5, 6, 7}
MMX: Final = BaseType("builtin_type_vec64i", "unsigned", 64)
"""As GDB names it, which has these registers of i386 alone."""

ABI: Final = Abi(
    relocations=relocations(
        "386",
        (
            (0, "NONE", "none", 0), (1, "32", "absolute", 4), (2, "PC32", "relative", 4),
            (3, "GOT32", "linker", 4), (5, "COPY", "copy", 0), (6, "GLOB_DAT", "symbol", 4),
            (7, "JMP_SLOT", "linker", 4), (8, "RELATIVE", "base", 4), (9, "GOTOFF", "linker", 4),
            (10, "GOTPC", "linker", 4), (14, "TLS_TPOFF", "linker", 4),
            (32, "TLS_LDO_32", "tls_offset", 4), (35, "TLS_DTPMOD32", "linker", 4),
            (36, "TLS_DTPOFF32", "linker", 4), (37, "TLS_TPOFF32", "linker", 4),
            (41, "TLS_DESC", "linker", 8), (42, "IRELATIVE", "linker", 4),
        ),
    ),
    file_format="i386",
    has_symbol_kinds=False,
    thread_pointer="gs_base",
    long_double_bits=96,
    most_number_alignment_bytes=4,  # System V ABI, Intel386 supplement, table 2.1
    has_x87=True,
    has_binary_decimals=True,
    capstone_mode=("CS_ARCH_X86", "CS_MODE_32"),
    prologue=Prologue(
        base="ebp",
        landing=b"\xf3\x0f\x1e\xfb",  # endbr32
        push=b"\x55",
        moves=(b"\x89\xe5", b"\x8b\xec", b"\x8d\x2c\x24"),  # mov %esp,%ebp; lea (%esp),%ebp
        is_of_i386=True,
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def architecture(endian: Endian) -> Architecture:
    """Return the architecture; registers are named as GDB names them."""
    registers = registers_of_thread(_registers())
    unnumbered = tuple(_unnumbered_registers())
    return Architecture(
        name="i386",
        machine="386",
        address_bits=32,
        endian=endian,
        registers=registers,
        address_spaces={0: AddressSpace(0, "default", 32)},
        other_registers=unnumbered,
        return_address_register=8,
        program_counter=8,
        stack_pointer=4,
        pushed_bytes=4,
        preserved=_PRESERVED,
        preserved_by_go=_PRESERVED_BY_GO,
        set_for_signals=frozenset((37,)),
        abi=ABI,
        register_groups=GROUPS_OF_I386,
        register_parts=_parts({register.name: register for register in registers.values()}),
        pseudo_registers={
            register.name: register
            for register in wide_vectors({r.name: r for r in (*registers.values(), *unnumbered)}, 8)
        },
        register_aliases={"ps": "eflags"} | {f"st({n})": f"st{n}" for n in range(8)},
        made_by=(architecture, (endian,)),
    )


def _parts(registers: Mapping[str, RegisterInfo]) -> dict[str, RegisterPart]:
    """Return the parts of general registers as instructions name them; GDB has no 16-bit `sp`."""
    out: dict[str, RegisterPart] = {}

    def add(name: str, register_name: str, bit_size: int, offset_bytes: int = 0) -> None:
        part = BaseType(f"int{bit_size}_t", "signed", bit_size)
        out[name] = RegisterPart(name, registers[register_name], offset_bytes, part)

    for letter in "abcd":
        add(f"{letter}x", f"e{letter}x", 16)
        add(f"{letter}l", f"e{letter}x", 8)
        add(f"{letter}h", f"e{letter}x", 8, 1)
    for name in ("si", "di", "bp"):
        add(name, f"e{name}", 16)
    return out


def _unnumbered_registers() -> Iterator[RegisterInfo]:
    """Yield registers without a DWARF number, as GDB names them."""
    word = BaseType("int", "signed", 32)
    names = ("ftag", "fiseg", "fioff", "foseg", "fooff", "fop")
    yield from (RegisterInfo(name, None, word, "float", is_of_wave=False) for name in names)
    kind = BaseType("long", "signed", 32)
    yield RegisterInfo("orig_eax", None, kind, "system", is_of_wave=False)
    yield PKRU
    base = BaseType("long", "signed", 32)
    yield RegisterInfo("gs_base", None, base, "system", is_of_wave=False)  # the thread pointer
    yield from vector_parts(8)


def _registers() -> Iterator[RegisterInfo]:
    signed = BaseType("int32_t", "signed", 32)
    data = BaseType("void *", "address", 32)
    code = BaseType("void (*)()", "address", 32)
    flags = BaseType("i386_eflags", "unsigned", 32)
    mask = BaseType("uint64_t", "unsigned", 64)
    mxcsr = BaseType("i386_mxcsr", "unsigned", 32)
    extended = BaseType("builtin_type_i387_ext", "float", 80, float_format=X87_EXTENDED)
    yield from bank(0, ("eax", "ecx", "edx", "ebx"), signed)
    yield from bank(4, ("esp", "ebp"), data)
    yield from bank(6, ("esi", "edi"), signed)
    yield RegisterInfo("eip", 8, code)
    yield RegisterInfo("eflags", 9, flags, "system", flags=EFLAGS)
    yield from bank(11, (f"st{n}" for n in range(8)), extended)
    yield from bank(21, (f"xmm{n}" for n in range(8)), XMM, "vector")
    yield from bank(29, (f"mm{n}" for n in range(8)), MMX, "vector")
    yield from bank(37, ("fctrl", "fstat"), BaseType("int", "signed", 32), "float")
    yield RegisterInfo("mxcsr", 39, mxcsr, "system", flags=MXCSR)
    yield from bank(40, ("es", "cs", "ss", "ds", "fs", "gs"), signed, "system")
    yield from bank(48, ("tr", "ldtr"), signed, "system")
    yield from bank(93, (f"k{n}" for n in range(8)), mask, "vector")
