"""x86-64: registers by their DWARF numbers, and its ABI (System V psABI, "DWARF register number
mapping", "Relocation Types")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.abi import Abi, Prologue, relocations
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
from dwarfgpu.arch.x86_groups import GROUPS
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.float_format import X87_EXTENDED

_PRESERVED: Final = frozenset((3, 6, 12, 13, 14, 15, *range(50, 56), 58, 59, 65))
"""rbx, rbp, r12-r15, the control word of the x87 (psABI 3.2.1), segments and their bases. Of MXCSR
only some bits are, which alone have no text."""
_PRESERVED_BY_GO: Final = _PRESERVED - {3, 6, 12, 13, 15}
"""r14 has the current goroutine (Go internal ABI specification, "Special-purpose registers")."""


PKRU: Final = RegisterInfo(
    "pkru", None, BaseType("uint32_t", "unsigned", 32), "system", is_of_wave=False
)
"""The rights of protection keys (Intel SDM volume 3, 4.6.2)."""


def _flags(names: Mapping[int, str]) -> tuple[FlagField, ...]:
    return tuple(FlagField(name, bit, 1) for bit, name in names.items())


EFLAGS: Final = _flags(
    {
        0: "CF", 1: "", 2: "PF", 4: "AF", 6: "ZF", 7: "SF", 8: "TF", 9: "IF", 10: "DF", 11: "OF",
        14: "NT", 16: "RF", 17: "VM", 18: "AC", 19: "VIF", 20: "VIP", 21: "ID",
    }
)  # fmt: skip
"""Intel SDM volume 1, 3.4.3; bit 1 is always set."""
MXCSR: Final = _flags(
    {
        0: "IE", 1: "DE", 2: "ZE", 3: "OE", 4: "UE", 5: "PE", 6: "DAZ", 7: "IM", 8: "DM", 9: "ZM",
        10: "OM", 11: "UM", 12: "PM", 15: "FZ",
    }
)  # fmt: skip
"""Intel SDM volume 1, 10.2.3."""
XMM: Final = BaseType("vec128", "unsigned", 128, vector_size=4)
YMM: Final = BaseType("builtin_type_vec256i", "unsigned", 256, vector_size=8)
ZMM: Final = BaseType("builtin_type_vec512i", "unsigned", 512, vector_size=16)
"""The types of the vector registers, as GDB names them."""

ABI: Final = Abi(
    relocations=relocations(
        "X86_64",
        (
            (0, "NONE", "none", 0), (1, "64", "absolute", 8), (2, "PC32", "relative", 4),
            (3, "GOT32", "linker", 4), (5, "COPY", "copy", 0), (6, "GLOB_DAT", "symbol", 8),
            (7, "JUMP_SLOT", "linker", 8), (8, "RELATIVE", "base", 8), (9, "GOTPCREL", "linker", 4),
            (10, "32", "absolute", 4), (11, "32S", "absolute", 4),
            (12, "16", "absolute", 2), (13, "PC16", "relative", 2), (14, "8", "absolute", 1),
            (15, "PC8", "relative", 1), (16, "DTPMOD64", "linker", 8),
            (17, "DTPOFF64", "tls_offset", 8), (18, "TPOFF64", "linker", 8),
            (21, "DTPOFF32", "tls_offset", 4), (23, "TPOFF32", "linker", 4),
            (24, "PC64", "relative", 8), (25, "GOTOFF64", "linker", 8),
            (26, "GOTPC32", "linker", 4), (27, "GOT64", "linker", 8),
            (28, "GOTPCREL64", "linker", 8), (29, "GOTPC64", "linker", 8),
            (30, "GOTPLT64", "linker", 8), (31, "PLTOFF64", "linker", 8), (32, "SIZE32", "size", 4),
            (33, "SIZE64", "size", 8), (36, "TLSDESC", "linker", 16),
            (37, "IRELATIVE", "linker", 8), (38, "RELATIVE64", "base", 8),
        ),
    ),
    file_format="x86-64",
    has_symbol_kinds=False,
    thread_pointer="fs_base",
    long_double_bits=128,
    has_x87=True,
    has_binary_decimals=True,
    capstone_mode=("CS_ARCH_X86", "CS_MODE_64"),
    prologue=Prologue(
        base="rbp",
        landing=b"\xf3\x0f\x1e\xfa",  # endbr64
        push=b"\x55",
        moves=(b"\x48\x89\xe5", b"\x48\x8b\xec"),  # mov %rsp,%rbp
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def architecture(endian: Endian) -> Architecture:
    """Return the architecture; registers are named as GDB names them."""
    registers = registers_of_thread(_registers())
    unnumbered = tuple(_unnumbered_registers())
    aliases = {
        "rflags": "eflags", "ps": "eflags", "fs.base": "fs_base", "gs.base": "gs_base", "ra": "rip",
    }  # fmt: skip
    return Architecture(
        name="x86_64",
        machine="X86_64",
        address_bits=64,
        endian=endian,
        registers=registers,
        address_spaces={0: AddressSpace(0, "default", 64)},
        other_registers=unnumbered,
        return_address_register=16,
        program_counter=16,
        stack_pointer=7,
        pushed_bytes=8,
        preserved=_PRESERVED,
        preserved_by_go=_PRESERVED_BY_GO,
        set_for_signals=frozenset((65,)),
        abi=ABI,
        register_groups=GROUPS,
        register_aliases=aliases | {f"st({n})": f"st{n}" for n in range(8)},
        register_parts=_parts({register.name: register for register in registers.values()}),
        pseudo_registers={
            register.name: register
            for register in wide_vectors(
                {r.name: r for r in (*registers.values(), *unnumbered)}, 32
            )
        },
        dwarf_names={49: "RFLAGS"},
        made_by=(architecture, (endian,)),
    )


def _parts(registers: Mapping[str, RegisterInfo]) -> dict[str, RegisterPart]:
    """Return the low parts of general registers as instructions name them; GDB has no 16-bit
    `sp`."""
    out: dict[str, RegisterPart] = {}

    def add(name: str, register_name: str, bit_size: int, offset_bytes: int = 0) -> None:
        part = BaseType(f"int{bit_size}_t", "signed", bit_size)
        out[name] = RegisterPart(name, registers[register_name], offset_bytes, part)

    for letter in "abcd":
        add(f"e{letter}x", f"r{letter}x", 32)
        add(f"{letter}x", f"r{letter}x", 16)
        add(f"{letter}l", f"r{letter}x", 8)
        add(f"{letter}h", f"r{letter}x", 8, 1)
    for name in ("si", "di", "bp", "sp"):
        add(f"e{name}", f"r{name}", 32)
        if name != "sp":
            add(name, f"r{name}", 16)
        add(f"{name}l", f"r{name}", 8)
    for number in range(8, 16):
        for suffix, bit_size in (("d", 32), ("w", 16), ("l", 8)):
            add(f"r{number}{suffix}", f"r{number}", bit_size)
    return out


def wide_vectors(registers: Mapping[str, RegisterInfo], count: int) -> Iterator[PseudoRegister]:
    """Yield ymm and zmm; files describe only their lowest 128 bits, as xmm."""
    for n in range(count):
        low, high, top = (registers[name] for name in (f"xmm{n}", f"ymm{n}h", f"zmm{n}h"))
        yield PseudoRegister(f"ymm{n}", YMM, ((low, 0, 128), (high, 0, 128)))
        yield PseudoRegister(f"zmm{n}", ZMM, ((low, 0, 128), (high, 0, 128), (top, 0, 256)))


def _unnumbered_registers() -> Iterator[RegisterInfo]:
    """Yield registers without a DWARF number, as GDB names them."""
    word = BaseType("int", "signed", 32)
    names = ("ftag", "fiseg", "fioff", "foseg", "fooff", "fop")
    yield from (RegisterInfo(name, None, word, "float", is_of_wave=False) for name in names)
    kind = BaseType("long", "signed", 64)
    yield RegisterInfo("orig_rax", None, kind, "system", is_of_wave=False)
    yield PKRU
    yield from vector_parts(32)


def vector_parts(count: int) -> Iterator[RegisterInfo]:
    """Yield the parts of ymm and zmm that are above xmm and ymm."""
    half = BaseType("uint128_t", "unsigned", 128)
    top = BaseType("v2ui128", "unsigned", 256, vector_size=2)
    for n in range(count):
        yield RegisterInfo(f"ymm{n}h", None, half, "part", is_of_wave=False)
        yield RegisterInfo(f"zmm{n}h", None, top, "part", is_of_wave=False)


def _registers() -> Iterator[RegisterInfo]:
    signed = BaseType("int64_t", "signed", 64)
    unsigned = BaseType("uint64_t", "unsigned", 64)
    data = BaseType("void *", "address", 64)
    code = BaseType("void (*)()", "address", 64)
    selector = BaseType("int32_t", "signed", 32)
    base = BaseType("long", "signed", 64)
    extended = BaseType("builtin_type_i387_ext", "float", 80, float_format=X87_EXTENDED)
    flags = BaseType("i386_eflags", "unsigned", 64)
    yield from bank(0, ("rax", "rdx", "rcx", "rbx", "rsi", "rdi"), signed)
    yield from bank(6, ("rbp", "rsp"), data)
    yield from bank(8, (f"r{n}" for n in range(8, 16)), signed)
    yield RegisterInfo("rip", 16, code)
    yield from bank(17, (f"xmm{n}" for n in range(16)), XMM, "vector")
    yield from bank(33, (f"st{n}" for n in range(8)), extended)
    yield from bank(41, (f"mm{n}" for n in range(8)), unsigned, "vector")
    yield RegisterInfo("eflags", 49, flags, "system", flags=EFLAGS)
    yield from bank(50, ("es", "cs", "ss", "ds", "fs", "gs"), selector, "system")
    yield from bank(58, ("fs_base", "gs_base"), base, "system")
    yield from bank(62, ("tr", "ldtr"), selector, "system")
    mxcsr = BaseType("i386_mxcsr", "unsigned", 32)
    yield RegisterInfo("mxcsr", 64, mxcsr, "system", flags=MXCSR)
    yield from bank(65, ("fctrl", "fstat"), BaseType("int", "signed", 32), "float")
    yield from bank(67, (f"xmm{n}" for n in range(16, 32)), XMM, "vector")
    yield from bank(118, (f"k{n}" for n in range(8)), unsigned, "vector")
    yield from bank(130, (f"r{n}" for n in range(16, 32)), signed)
