"""Flags, classes and halves of AMD GPU registers."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.view.scalars import flags_text
from tools.gen_registers import SHOWN


def text(target: str, name: str, number: int) -> str:
    register = amdgpu(target).register_named(name)
    assert register is not None
    return flags_text(register.flags, number)


ROUND = "FP_ROUND.32=NEAREST_EVEN FP_ROUND.64_16=NEAREST_EVEN"


@pytest.mark.parametrize(
    ("target", "name", "number", "expected"),
    [
        # compute_pgm_rsrc1 of clang: no flush, DX10 clamp, IEEE
        (
            "gfx942",
            "mode",
            0x3F0,
            f"[ {ROUND} FP_DENORM.32=FLUSH_NONE FP_DENORM.64_16=FLUSH_NONE DX10_CLAMP IEEE CSP=0 ]",
        ),
        (
            "gfx90a",
            "mode",
            0xA018_000B,
            "[ FP_ROUND.32=ZERO FP_ROUND.64_16=MINUS_INF FP_DENORM.32=FLUSH_SRC_DST "
            "FP_DENORM.64_16=FLUSH_SRC_DST EXCP_EN.ADDR_WATCH CSP=5 0x100000 ]",
        ),
        (
            "gfx1100",
            "mode",
            0x0020_0800,
            f"[ {ROUND} FP_DENORM.32=FLUSH_SRC_DST FP_DENORM.64_16=FLUSH_SRC_DST "
            "TRAP_AFTER_INST_EN WAVE_END ]",
        ),
        # GFX12 has neither DX10_CLAMP nor IEEE
        (
            "gfx1200",
            "mode",
            0x300,
            f"[ {ROUND} FP_DENORM.32=FLUSH_SRC_DST FP_DENORM.64_16=FLUSH_SRC_DST 0x300 ]",
        ),
        ("gfx900", "status", 0x2201, "[ SCC SPI_PRIO=0 USER_PRIO=0 EXECZ HALT ]"),
        ("gfx1100", "status", 1 << 24, "[ SPI_PRIO=0 USER_PRIO=0 NO_VGPRS ]"),
        ("gfx1200", "status", 1 << 24 | 1, "[ NO_VGPRS 0x1 ]"),  # SCC is in state_priv there
        (
            "gfx1200",
            "state_priv",
            1 << 9 | 1 << 14,
            "[ NAMED_BARRIER_ID=0 SCC SYS_PRIO=0 USER_PRIO=0 HALT ]",
        ),
        ("gfx906", "trapsts", 1 << 25, "[ EXCP_CYCLE=0 DP_RATE=NONE 0x2000000 ]"),
        ("gfx942", "trapsts", 1 << 25, "[ EXCP_CYCLE=0 TRAP_AFTER_INST DP_RATE=NONE ]"),
        ("gfx90a", "trapsts", 3 << 29 | 1 << 7, "[ EXCP.ADDR_WATCH EXCP_CYCLE=0 DP_RATE=3 ]"),
        ("gfx1100", "trapsts", 1 << 20 | 1 << 17, "[ WAVE_START TRAP_AFTER_INST ]"),
        (
            "gfx1201",
            "excp_flag_priv",
            0x1050 | 3 << 30,
            "[ MEMVIOL ILLEGAL_INST XNACK_ERROR FIRST_MEMVIOL_SOURCE=VMEM ]",
        ),
        ("gfx1201", "excp_flag_user", 1 << 31 | 2, "[ ALU_INPUT_DENORM LOD_CLAMPED ]"),
        ("gfx1201", "trap_ctrl", 0x84, "[ ALU_FLOAT_DIV0 ADDR_WATCH ]"),
        (
            "gfx1250",
            "mode",
            0xC_3000 | 1 << 26,
            f"[ {ROUND} FP_DENORM.32=FLUSH_SRC_DST FP_DENORM.64_16=FLUSH_SRC_DST DST_VGPR_MSB=3 "
            "SRC0_VGPR_MSB=0 SRC1_VGPR_MSB=0 SRC2_VGPR_MSB=3 REPLAY_MODE=SINGLE_VMEM_GROUP "
            "FLAT_SCRATCH_IS_NV=OVERRIDE_TO_NV ]",
        ),
        ("gfx942", "status", 1 << 28 | 1 << 11, "[ SPI_PRIO=0 USER_PRIO=0 IN_TG SCRATCH_EN ]"),
        ("gfx90a", "status", 1 << 28, "[ SPI_PRIO=0 USER_PRIO=0 0x10000000 ]"),
    ],
)
def test_flags(target: str, name: str, number: int, expected: str) -> None:
    assert text(target, name, number) == expected


@pytest.mark.parametrize("target", SHOWN)
def test_fields_do_not_overlap(target: str) -> None:
    arch = amdgpu(target)
    flagged = [e for e in (*arch.registers.values(), *arch.other_registers) if e.flags]
    assert {"mode", "status"} <= {item.name for item in flagged}
    for register in flagged:
        taken = 0
        for flag in register.flags:
            assert not taken & flag.mask, f"{register}.{flag.name}"
            assert flag.first_bit + flag.size_bits <= register.size_bits
            assert len(flag.values) in (0, 1 << flag.size_bits)
            taken |= flag.mask


def test_others_are_numbers() -> None:
    for name in ("m0", "s4", "ttmp6", "exec"):
        register = amdgpu("gfx942").register_named(name)
        assert register is not None and register.flags == ()
    old = amdgpu("gfx803").register_named("mode")
    assert old is not None and old.flags == ()


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("s4", {"scalar", "general"}),
        ("exec", {"general"}),
        ("vcc", {"general"}),
        ("m0", {"general"}),
        ("v4", {"vector", "general"}),
        ("a4", {"vector", "general"}),
        ("pc", {"general"}),
        ("mode", {"system"}),
        ("flat_scratch", {"system"}),
        ("ttmp4", {"trap"}),
    ],
)
def test_classes(name: str, classes: set[str]) -> None:
    register = amdgpu("gfx90a").register_named(name)
    assert register is not None
    assert register.classes == classes


@pytest.mark.parametrize(
    ("target", "lanes", "halves"),
    [
        ("gfx90a", 64, "exec vcc flat_scratch xnack_mask"),
        ("gfx1010", 64, "exec vcc flat_scratch"),  # its xnack_mask has 32 bits
        ("gfx1100", 64, "exec vcc flat_scratch"),
        ("gfx1100", 32, "flat_scratch"),
        ("gfx1200", 32, "scratch_base"),
    ],
)
def test_halves(target: str, lanes: int, halves: str) -> None:
    arch = amdgpu(target, lanes)
    expected = {f"{name}_{half}" for name in halves.split() for half in ("lo", "hi")}
    assert set(arch.register_parts) == expected
    for name in expected:
        part = arch.part_named(f"${name.upper()}")
        assert part is not None
        assert part.offset_bytes == (4 if name.endswith("hi") else 0)
        assert part.type.bit_size == 32
        assert arch.register_named(name) is None  # operations cannot name it


@pytest.mark.parametrize("target", PROCESSORS)
def test_every_name_means_one_thing(target: str) -> None:
    for lanes in PROCESSORS[target].wave_sizes:
        arch = amdgpu(target, lanes)
        names = [e.name for e in (*arch.registers.values(), *arch.other_registers)]
        assert len(names) == len(set(names))
        assert not set(arch.register_parts) & set(arch.by_name)


def test_other_generations_name() -> None:
    register = amdgpu("gfx1200").register_named("flat_scratch")
    assert register is not None and register.name == "scratch_base"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("gfx90a", {"wave_id": [("ttmp4", 0, 32), ("ttmp5", 0, 32)], "csp": [("mode", 29, 3)]}),
        ("gfx1030", {"wave_id": [("ttmp4", 0, 32), ("ttmp5", 0, 32)], "null": []}),
        ("gfx1250", {"wave_id": [("ttmp4", 0, 32), ("ttmp5", 0, 32)], "null": []}),
    ],
)
def test_pseudo_registers(target: str, expected: dict[str, list[tuple[str, int, int]]]) -> None:
    arch = amdgpu(target)
    result = {
        pseudo_register.name: [(str(register), *bits) for register, *bits in pseudo_register.pieces]
        for pseudo_register in arch.pseudo_registers.values()
    }
    assert result == expected
    assert arch.pseudo_named("$WAVE_ID") is arch.pseudo_registers["wave_id"]
    assert arch.register_named("wave_id") is None  # operations cannot name it
