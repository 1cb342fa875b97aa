"""AMD GPU registers: every DWARF number of the mapping table, names, types, aliases."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.amdgpu import amdgpu, dwarf_name
from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import IllFormed, UsageError

WAVE64 = amdgpu("gfx942")
WAVE32 = amdgpu("gfx1250")
"""The processor with all wave32 registers."""

BOTH = [
    # first and last number, first register, its index, bits
    (0, 0, "pc_32", None, 32),
    (16, 16, "pc", None, 64),
    (32, 95, "s", 0, 32),
    (128, 128, "status", None, 32),
]
ONLY_32 = [
    (1088, 1129, "s", 64, 32),
    (1, 1, "exec", None, 32),
    (512, 512, "vcc", None, 32),
    (1536, 2047, "v", 0, 1024),
    (3584, 4095, "v", 512, 1024),
]
ONLY_64 = [
    (1088, 1125, "s", 64, 32),  # "s101": behind them are flat_scratch, xnack_mask and vcc
    (17, 17, "exec", None, 64),
    (768, 768, "vcc", None, 64),
    (2560, 2815, "v", 0, 2048),
    (3072, 3327, "a", 0, 2048),
]
TABLE = [
    *((WAVE32, *row) for row in BOTH + ONLY_32),
    *((WAVE64, *row) for row in BOTH + ONLY_64),
]


@pytest.mark.parametrize(("arch", "first", "last", "name", "index", "bits"), TABLE)
def test_mapping_table(
    arch: Architecture, first: int, last: int, name: str, index: int | None, bits: int
) -> None:
    for number in range(first, last + 1):
        register = arch.register(number)
        assert register.number == number
        assert register.name == (name if index is None else f"{name}{index + number - first}")
        assert register.size_bits == bits


@pytest.mark.parametrize(
    ("arch", "rows"), [(WAVE32, BOTH + ONLY_32), (WAVE64, BOTH + ONLY_64)], ids=["w32", "w64"]
)
def test_no_other_number_is_defined(
    arch: Architecture, rows: list[tuple[int, int, str, int | None, int]]
) -> None:
    defined = {n for first, last, *_ in rows for n in range(first, last + 1)}
    assert set(arch.registers) == defined


@pytest.mark.parametrize(
    ("arch", "number"),
    [
        (WAVE64, 1),  # exec of wave32 code
        (WAVE64, 512),  # vcc of wave32 code
        (WAVE64, 1536),  # v0 of wave32 code
        (WAVE64, 2048),  # a0 of wave32 code
        (WAVE64, 2816),  # LLVM has a v256 there, the hardware has not
        (WAVE64, 96),
        (WAVE64, 1126),  # s102 is of GFX10 and later
        (WAVE64, 1130),
        (WAVE64, 1 << 64),
        (WAVE64, -1),
        (WAVE32, 17),
        (WAVE32, 2560),
        (WAVE32, 2048),  # no processor with wave32 has AGPRs
        *((amdgpu(name), 1792) for name in ("gfx1030", "gfx1100", "gfx1150", "gfx1201")),
        (amdgpu("gfx1100"), 2047),  # LLVM has a v511 there, the hardware has not
        (amdgpu("gfx1100"), 3584),  # v512 is of gfx1250 only
        (amdgpu("gfx1100"), 3072),
        (amdgpu("gfx1100", 64), 1536),
        (amdgpu("gfx906"), 3072),
    ],
)
def test_undefined_number_is_ill_formed(arch: Architecture, number: int) -> None:
    with pytest.raises(IllFormed, match=f"{arch.name} defines no DWARF register {number}"):
        arch.register(number)


@pytest.mark.parametrize(
    ("arch", "number", "words"),
    [
        (WAVE32, 2562, ": it is VGPR2 in wave64, and the wave has 32 lanes"),
        (WAVE32, 17, ": it is EXEC in wave64, and the wave has 32 lanes"),
        (WAVE32, 3072, ""),  # its processor has AGPRs in no wave size
        (WAVE32, 31, ""),
        (WAVE64, 1538, ": it is VGPR2 in wave32, and the wave has 64 lanes"),
        (WAVE64, 2048, ": it is AGPR0 in wave32, and the wave has 64 lanes"),
        (WAVE64, 1792, ""),  # v256 of gfx1250 only
        (amdgpu("gfx1100", 64), 1, ": it is EXEC_LO in wave32, and the wave has 64 lanes"),
    ],
)
def test_a_number_of_the_other_wave_size(arch: Architecture, number: int, words: str) -> None:
    """The producer compiled for the other size, or the wave size is wrong."""
    with pytest.raises(IllFormed) as raised:
        arch.register(number)
    assert raised.value.message == f"{arch.name} defines no DWARF register {number}{words}"


def test_several_numbers_of_the_other_wave_size() -> None:
    message = WAVE32.undefined_registers(31, 2562, 2563, more=2)
    assert message == (
        f"{WAVE32.name} defines no DWARF register 31, 2562, 2563 and 2 more: 2562 is VGPR2 in "
        "wave64, and the wave has 32 lanes"
    )


@pytest.mark.parametrize(
    ("arch", "spelling", "number"),
    [
        (WAVE64, "s30", 62),
        (WAVE64, "$s30", 62),
        (WAVE64, "SGPR30", 62),
        (WAVE64, "SGPR30_LO16", 62),  # llvm-dwarfdump 19
        (WAVE64, "sgpr100", 1124),
        (WAVE64, "v4", 2564),
        (WAVE64, "VGPR4", 2564),
        (WAVE64, "VGPR4_LO16", 2564),
        (WAVE64, "a7", 3079),
        (WAVE64, "AGPR7_LO16", 3079),
        (WAVE64, "EXEC", 17),
        (WAVE64, "EXEC_MASK_64", 17),
        (WAVE64, "exec_mask", 17),
        (WAVE64, "PC_REG", 16),
        (WAVE64, "pc_64", 16),
        (WAVE64, "PC_32", 0),
        (WAVE64, "VCC", 768),
        (WAVE64, "VCC_64", 768),
        (WAVE64, "Status", 128),
        (WAVE32, "VGPR4", 1540),
        (WAVE32, "v1023", 4095),
        (WAVE32, "VGPR512_LO16", 3584),
        (WAVE32, "EXEC", 1),
        (WAVE32, "EXEC_LO", 1),
        (WAVE32, "EXEC_LO_LO16", 1),  # llvm-dwarfdump 19
        (WAVE32, "EXEC_MASK_32", 1),
        (WAVE32, "vcc_lo", 512),
        (WAVE32, "VCC_32", 512),
        (WAVE32, "v511", 2047),
        (amdgpu("gfx1100"), "v255", 1791),
    ],
)
def test_names(arch: Architecture, spelling: str, number: int) -> None:
    register = arch.register_named(spelling)
    assert register is not None
    assert register.number == number


@pytest.mark.parametrize(
    ("arch", "name"),
    [
        (WAVE64, "s102"),
        (WAVE32, "s106"),
        (WAVE64, "v256"),
        (WAVE64, "a256"),
        (WAVE64, "EXEC_MASK_32"),
        (WAVE64, "exec_hi"),
        (WAVE32, "v1024"),
        (WAVE32, "a0"),
        (amdgpu("gfx1100"), "v256"),
        (amdgpu("gfx1100"), "v512"),
        (WAVE64, "v04"),
        (WAVE64, ""),
    ],
)
def test_names_that_are_none(arch: Architecture, name: str) -> None:
    assert arch.register_named(name) is None


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (0, "PC_32"),
        (1, "EXEC_LO"),
        (16, "PC_REG"),
        (17, "EXEC"),
        (32, "SGPR0"),
        (74, "SGPR42"),
        (95, "SGPR63"),
        (96, "0x60"),
        (1088, "SGPR64"),
        (1129, "SGPR105"),
        (1130, "0x46a"),
        (1536, "VGPR0"),
        (2047, "VGPR511"),
        (2602, "VGPR42"),
        (3071, "VGPR511"),
        (3072, "AGPR0"),
        (3584, "VGPR512"),
        (4095, "VGPR1023"),
        (4096, "0x1000"),
    ],
)
def test_dwarf_name(number: int, name: str) -> None:
    assert dwarf_name(number) == name


@pytest.mark.parametrize(
    ("name", "count"),
    [("gfx600", 104), ("gfx701", 104), ("gfx803", 102), ("gfx90a", 102), ("gfx950", 102),
     ("gfx1010", 106), ("gfx1150", 106), ("gfx1200", 106), ("gfx1250", 106)],
)  # fmt: skip
def test_sgprs(name: str, count: int) -> None:
    arch = amdgpu(name)
    values = [
        register for register in arch.registers.values() if register.register_class == "scalar"
    ]
    assert [register.name for register in values] == [f"s{n}" for n in range(count)]


@pytest.mark.parametrize("arch", [WAVE32, WAVE64, amdgpu("gfx1100"), amdgpu("gfx1100", 64)])
def test_listing_assembles_back(arch: Architecture) -> None:
    for number in range(4200):
        name = arch.dwarf_name(number)
        if number in arch.registers:
            register = arch.register_named(name)
            assert register is not None
            assert register.number == number
        else:
            assert name == f"{number:#x}"  # never a name that would mean another number


@pytest.mark.parametrize(
    ("arch", "name", "encoding", "bits", "elements", "register_class"),
    [
        (WAVE64, "s0", "signed", 32, None, "scalar"),
        (WAVE64, "v0", "signed", 2048, 64, "vector"),
        (WAVE64, "a0", "signed", 2048, 64, "vector"),
        (WAVE64, "exec", "unsigned", 64, None, "general"),
        (WAVE64, "vcc", "unsigned", 64, None, "general"),
        (WAVE64, "pc", "address", 64, None, "general"),
        (WAVE64, "status", "unsigned", 32, None, "system"),
        (WAVE64, "mode", "unsigned", 32, None, "system"),
        (WAVE64, "ttmp13", "unsigned", 32, None, "trap"),
        (WAVE64, "xnack_mask", "unsigned", 64, None, "system"),
        (WAVE32, "v0", "signed", 1024, 32, "vector"),
        (WAVE32, "exec", "unsigned", 32, None, "general"),
        (WAVE32, "exec_hi", "unsigned", 32, None, "general"),
        (WAVE32, "xnack_mask", "unsigned", 32, None, "system"),
    ],
)
def test_types(
    arch: Architecture,
    name: str,
    encoding: str,
    bits: int,
    elements: int | None,
    register_class: str,
) -> None:
    register = arch.register_named(name)
    assert register is not None
    assert (register.type.encoding, register.size_bits) == (encoding, bits)
    assert register.type.vector_size == elements
    assert register.register_class == register_class


TTMP = {f"ttmp{n}" for n in (4, 5, 6, 7, 8, 9, 10, 11, 13)}
GFX12 = {"state_priv", "trap_ctrl", "excp_flag_priv", "excp_flag_user", "scratch_base"}


@pytest.mark.parametrize(
    ("name", "wave_size", "expected"),
    [
        ("gfx600", 64, {"trapsts"}),
        ("gfx701", 64, {"trapsts", "flat_scratch"}),
        ("gfx90a", 64, {"trapsts", "flat_scratch", "xnack_mask"}),
        ("gfx803", 64, {"trapsts", "flat_scratch", "xnack_mask"}),
        ("gfx1010", 64, {"trapsts", "flat_scratch", "xnack_mask"}),
        ("gfx1030", 64, {"trapsts", "flat_scratch"}),  # GFX10.3 retries no page faults
        ("gfx1100", 64, {"trapsts", "flat_scratch"}),
        ("gfx1100", 32, {"trapsts", "flat_scratch", "exec_hi", "vcc_hi"}),
        ("gfx1200", 32, {*GFX12, "exec_hi", "vcc_hi"}),
        ("gfx1250", 32, {*GFX12, "xnack_mask", "exec_hi", "vcc_hi"}),
    ],
)
def test_registers_without_number(name: str, wave_size: int, expected: set[str]) -> None:
    others = amdgpu(name, wave_size).other_registers
    assert {r.name for r in others} == expected | TTMP | {"m0", "mode"}
    assert all(r.number is None for r in others)


def test_a_register_by_name_or_number() -> None:
    assert WAVE64.register("v3") is WAVE64.register("$V3") is WAVE64.register(2563)
    with pytest.raises(UsageError, match="^gfx942 has no register v512$"):
        WAVE64.register("v512")
    with pytest.raises(IllFormed, match="^gfx942 defines no DWARF register 31$"):
        WAVE64.register(31)


@pytest.mark.parametrize(
    ("number", "name", "bits", "scope", "null"),
    [
        (0, "global", 64, "process", 0),
        (1, "generic", 64, "any", 0),
        (2, "region", 32, "agent", 0),
        (3, "local", 32, "workgroup", 0xFFFFFFFF),
        (5, "private_lane", 32, "lane", 0xFFFFFFFF),
        (6, "private_wave", 32, "wave", 0xFFFFFFFF),
    ],
)
def test_address_spaces(number: int, name: str, bits: int, scope: str, null: int) -> None:
    space = WAVE64.address_space(number)
    assert (space.name, space.address_bits, space.scope, space.null) == (name, bits, scope, null)
    for spelling in (name, f"DW_ASPACE_LLVM_{name}", f"DW_ASPACE_AMDGPU_{name}"):
        assert WAVE64.address_space_named(spelling) is space


def test_default_address_space_names() -> None:
    assert WAVE64.address_space_named("DW_ASPACE_LLVM_none") is WAVE64.address_space(0)
    assert WAVE64.address_space_named("DW_ASPACE_none") is WAVE64.address_space(0)
    assert WAVE64.address_space_named("gibberish") is None


@pytest.mark.parametrize("number", [4, 7, 0x1F, 0x20, 0x5F, 0x8000, -1, 1 << 64])
def test_undefined_address_space_is_ill_formed(number: int) -> None:
    with pytest.raises(IllFormed, match="defines no address space"):
        WAVE64.address_space(number)


def test_sizes() -> None:
    assert (WAVE64.address_bits, WAVE64.generic.bit_size) == (64, 64)
    assert WAVE64.return_address_register == 16
    assert WAVE64.largest_space_bits == 8 << 64
