"""CPU architectures: DWARF numbers, names, and the one address space."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import EvaluationError, IllFormed, OutOfRange
from tests.work import at_most


@pytest.mark.parametrize(
    ("name", "number", "register", "listed", "bits"),
    [
        ("x86_64", 0, "rax", "RAX", 64),
        ("x86_64", 1, "rdx", "RDX", 64),
        ("x86_64", 2, "rcx", "RCX", 64),
        ("x86_64", 3, "rbx", "RBX", 64),
        ("x86_64", 4, "rsi", "RSI", 64),
        ("x86_64", 5, "rdi", "RDI", 64),
        ("x86_64", 6, "rbp", "RBP", 64),
        ("x86_64", 7, "rsp", "RSP", 64),
        ("x86_64", 8, "r8", "R8", 64),
        ("x86_64", 15, "r15", "R15", 64),
        ("x86_64", 16, "rip", "RIP", 64),
        ("x86_64", 17, "xmm0", "XMM0", 128),
        ("x86_64", 32, "xmm15", "XMM15", 128),
        ("x86_64", 33, "st0", "ST0", 80),
        ("x86_64", 41, "mm0", "MM0", 64),
        ("x86_64", 49, "eflags", "RFLAGS", 64),
        ("x86_64", 50, "es", "ES", 32),
        ("x86_64", 55, "gs", "GS", 32),
        ("x86_64", 58, "fs_base", "FS_BASE", 64),
        ("x86_64", 59, "gs_base", "GS_BASE", 64),
        ("x86_64", 64, "mxcsr", "MXCSR", 32),
        ("x86_64", 67, "xmm16", "XMM16", 128),
        ("x86_64", 82, "xmm31", "XMM31", 128),
        ("x86_64", 125, "k7", "K7", 64),
        ("x86_64", 145, "r31", "R31", 64),
        ("i386", 0, "eax", "EAX", 32),
        ("i386", 1, "ecx", "ECX", 32),
        ("i386", 2, "edx", "EDX", 32),
        ("i386", 3, "ebx", "EBX", 32),
        ("i386", 4, "esp", "ESP", 32),
        ("i386", 5, "ebp", "EBP", 32),
        ("i386", 6, "esi", "ESI", 32),
        ("i386", 7, "edi", "EDI", 32),
        ("i386", 8, "eip", "EIP", 32),
        ("i386", 9, "eflags", "EFLAGS", 32),
        ("i386", 18, "st7", "ST7", 80),
        ("i386", 21, "xmm0", "XMM0", 128),
        ("i386", 29, "mm0", "MM0", 64),
        ("i386", 45, "gs", "GS", 32),
        ("aarch64", 0, "x0", "W0", 64),
        ("aarch64", 30, "x30", "W30", 64),
        ("aarch64", 31, "sp", "WSP", 64),
        ("aarch64", 32, "pc", "PC", 64),
        ("aarch64", 34, "ra_sign_state", "RA_SIGN_STATE", 64),
        ("aarch64", 64, "v0", "B0", 128),
        ("aarch64", 95, "v31", "B31", 128),
    ],
)
def test_registers(name: str, number: int, register: str, listed: str, bits: int) -> None:
    arch = architecture(name)
    result = arch.register(number)
    assert (result.name, result.size_bits) == (register, bits)
    assert arch.dwarf_name(number) == listed


@pytest.mark.parametrize("name", ["x86_64", "i386", "aarch64", "aarch64_be"])
def test_listing_assembles_back(name: str) -> None:
    arch = architecture(name)
    assert not arch.is_simt
    for number, register in arch.registers.items():
        assert arch.register_named(arch.dwarf_name(number)) is register
        assert arch.register_named(register.name) is register
        assert arch.register_named(f"%{register.name.upper()}") is register


@pytest.mark.parametrize(
    ("name", "spelling", "number"),
    [
        ("x86_64", "$rax", 0),
        ("x86_64", "rflags", 49),
        ("x86_64", "%fs.base", 58),
        ("x86_64", "%st(3)", 36),
        ("i386", "%st(3)", 14),
        ("aarch64", "lr", 30),
        ("aarch64", "fp", 29),
        ("aarch64", "q5", 69),
    ],
)
def test_aliases(name: str, spelling: str, number: int) -> None:
    register = architecture(name).register_named(spelling)
    assert register is not None
    assert register.number == number


@pytest.mark.parametrize(
    ("name", "number"),
    [("x86_64", 56), ("x86_64", 146), ("i386", 10), ("i386", 19), ("aarch64", 96), ("i386", -1)],
)
def test_undefined_number_is_ill_formed(name: str, number: int) -> None:
    with pytest.raises(IllFormed, match=f"{name} defines no DWARF register"):
        architecture(name).register(number)


def test_undefined_numbers_and_names_are_cheap() -> None:
    """Files can have any number of them: no field of the architecture is looked at for each."""
    gfx942, x86_64 = architecture("gfx942"), architecture("x86_64")
    with at_most(calls=30_000):
        for number in range(100):
            with pytest.raises(IllFormed):
                gfx942.register(90_000 + number)
            with pytest.raises(IllFormed):
                gfx942.address_space(90_000 + number)
            assert x86_64.register("rbx").number == 3


@pytest.mark.parametrize(
    ("name", "bits"), [("x86_64", 64), ("i386", 32), ("aarch64", 64), ("aarch64_be", 64)]
)
def test_the_one_address_space(name: str, bits: int) -> None:
    arch = architecture(name)
    assert arch.address_bits == bits
    assert arch.address_space_named("DW_ASPACE_LLVM_none") is arch.address_space(0)
    lowered = arch.lower(0, 0x1000)
    assert (lowered.space, lowered.address) == (arch.address_space(0), 0x1000)
    assert lowered.contiguous_bytes == (1 << bits) - 0x1000
    assert arch.convert(0x1000, 0, 0) == (0x1000, (1 << bits) - 0x1000)
    with pytest.raises(OutOfRange, match="not an address of default"):
        arch.lower(0, 1 << bits)
    with pytest.raises(IllFormed, match=f"{name} defines no address space 1"):
        arch.lower(1, 0)
    with pytest.raises(EvaluationError):
        arch.convert(1 << bits, 0, 0)


@pytest.mark.parametrize(
    ("name", "whole", "offset_bytes", "bits"),
    [
        ("eax", "rax", 0, 32),
        ("ax", "rax", 0, 16),
        ("al", "rax", 0, 8),
        ("ah", "rax", 1, 8),
        ("esi", "rsi", 0, 32),
        ("sil", "rsi", 0, 8),
        ("bp", "rbp", 0, 16),
        ("esp", "rsp", 0, 32),
        ("spl", "rsp", 0, 8),
        ("r8d", "r8", 0, 32),
        ("r15w", "r15", 0, 16),
        ("r9l", "r9", 0, 8),
    ],
)
def test_parts_of_registers_of_x86_64(name: str, whole: str, offset_bytes: int, bits: int) -> None:
    part = architecture("x86_64").part_named(f"${name}")
    assert part is not None
    assert (part.register.name, part.offset_bytes) == (whole, offset_bytes)
    assert (part.type.bit_size, part.type.encoding) == (bits, "signed")


@pytest.mark.parametrize("name", ["sp", "eip", "sih"])
def test_names_that_are_not_parts_in_gdb(name: str) -> None:
    assert architecture("x86_64").part_named(name) is None
