"""Instructions whose destination is a source, too: what is computed with it must be known."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.debugger.debugger_registers import write_contents
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits
from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents
from tests.machine.simulated import programs, vectors
from tools import fuzz_unknown

UNKNOWN = 0xFDFDFDFD
FULL = 0xFFFFFFFF


def after(
    mnemonic: str, operands: dict[str, int], target: str = "gfx1100", scc: int = 0, *unknown: str
) -> tuple[SimulatedWave, str | None]:
    """Return a wave of 32 lanes after an instruction, and why it stopped."""
    code = programs.encoded(decoder(target), mnemonic, **operands)
    size = 64 if target.startswith("gfx9") else 32
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    wave = machine.waves[0]
    wave.scc = scc
    for name in unknown:
        if name[0] == "v":
            wave.written[int(name[1:])] = 0
        else:
            wave.s[int(name[1:])] = Undefined(UNKNOWN)
    stopped = machine.run(most=1)
    return machine.waves[0], None if stopped is None else stopped.text


@pytest.mark.parametrize(
    ("mnemonic", "operands"),
    [
        ("s_addk_i32", {"sdst": 6, "simm16": 5}),
        ("s_mulk_i32", {"sdst": 6, "simm16": 5}),
    ],
)
def test_scalar_destinations_that_are_computed_with(
    mnemonic: str, operands: dict[str, int]
) -> None:
    for target in ("gfx90a", "gfx1100"):
        wave, text = after(mnemonic, operands, target, 0, "s6", "s7")
        assert text == f"{mnemonic} needs s6, which is not known"
        assert known_bits(wave.s[6]) == 0
        assert after(mnemonic, operands, target)[1] is None


@pytest.mark.parametrize(
    ("mnemonic", "bit"), [("s_bitset0_b32", 0), ("s_bitset1_b32", 2), ("s_bitset1_b64", 2)]
)
def test_a_bit_that_is_set_is_known(mnemonic: str, bit: int) -> None:
    for target in ("gfx90a", "gfx1100"):
        wave, text = after(mnemonic, {"sdst": 6, "src0": 129}, target, 0, "s6", "s7")
        assert (text, known_bits(wave.s[6]), wave.s[6] & 2) == (None, 2, bit)


def test_accumulating_into_an_unknown_vector() -> None:
    operands = {"vdst": 2, "src0": 256, "src1": 257}
    _, text = after("v_fmac_f32_e64", operands, "gfx1100", 0, "v2")
    assert text == "v_fmac_f32_e64 needs v2 of lane 0, which is not known"
    assert after("v_fmac_f32_e64", operands)[1] is None


@pytest.mark.parametrize("scc", [0, 1])
@pytest.mark.parametrize(
    ("mnemonic", "operands", "sources"),
    [
        ("s_cselect_b32", {"sdst": 6, "src0": 4, "src1": 8}, ("s8", "s4")),
        ("s_cmov_b32", {"sdst": 6, "src0": 4}, ("s6", "s4")),
        ("s_cmovk_i32", {"sdst": 6, "simm16": 5}, ("s6", None)),
    ],
)
def test_only_the_source_that_scc_selects_counts(
    mnemonic: str, operands: dict[str, int], sources: tuple[str | None, ...], scc: int
) -> None:
    """A copy of what is unknown is unknown; the other source is not looked at."""
    for name in filter(None, sources):
        wave, text = after(mnemonic, operands, "gfx1100", scc, name)
        assert text is None
        assert known_bits(wave.s[6]) & FULL == (0 if name == sources[scc] else FULL)


def test_exec_must_be_known() -> None:
    operands = {"sdst": 126, "src0": 4, "src1": 8}
    _, text = after("s_cselect_b32", operands, "gfx1100", 1, "s4")
    assert text == "s_cselect_b32 needs s4, which is not known"
    assert after("s_cselect_b32", operands, "gfx1100", 0, "s4")[1] is None


@pytest.mark.parametrize("fi", [0, 1])
@pytest.mark.parametrize("unknown_lane", [1, 2])
@pytest.mark.parametrize("is_active", [True, False])
def test_a_copy_from_another_lane_is_as_known_as_that_lane(
    fi: int, unknown_lane: int, is_active: bool
) -> None:
    """All lanes of the quad read lane 1; without `fi`, nothing reads a lane that is inactive."""
    fields = {"dpp_ctrl": 0x55, "row_mask": 15, "bank_mask": 15, "fi": fi}
    for mnemonic, others in (("v_mov_b32_dpp", {}), ("v_add_f32_dpp", {"src1": 1})):
        code = programs.encoded(decoder("gfx1100"), mnemonic, vdst=2, src0=0, **others, **fields)
        machine = vectors.machine(code, 32, "gfx1100", 32, tracks_writes=True)
        machine.observe(UnknownContents(machine))
        wave = machine.waves[0]
        wave.written[0] &= ~(1 << unknown_lane)
        if not is_active:
            wave.set_exec(wave.all_lanes & ~(1 << unknown_lane))
        stopped = machine.run(most=1)
        is_read = unknown_lane == 1 and bool(is_active or fi)
        if mnemonic == "v_mov_b32_dpp":
            unknown = 0b1111 & wave.exec if is_read else 0
            assert (stopped, wave.written[2]) == (None, wave.all_lanes & ~unknown)
            continue
        needs = "v_add_f32_dpp needs v0 of lane 1, which is not known"
        assert (stopped and stopped.text) == (needs if is_read else None)


def test_a_lane_that_is_written_says_nothing_of_the_others() -> None:
    operands = {"vdst": 2, "src0": 4, "src1": 131}
    wave, text = after("v_writelane_b32", operands, "gfx1100", 0, "v2")
    assert (text, wave.written[2]) == (None, 1 << 3)


@pytest.mark.parametrize("lane", [128 + 3, 8, 107, 125, 108 + 6])
def test_a_lane_that_any_scalar_names(lane: int) -> None:
    """A constant, s8, vcc_hi, m0 or ttmp6, which are 3."""
    operands = {"vdst": 2, "src0": 4, "src1": lane}
    code = programs.encoded(decoder("gfx1100"), "v_writelane_b32", **operands)
    machine = vectors.machine(code, 32, "gfx1100", 32, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.s[8] = wave.s[124] = wave.s[108 + 6] = 3
    wave.vcc, wave.s[4] = 3 << 32, Undefined(UNKNOWN)
    assert machine.run(most=1) is None
    assert wave.written[2] == wave.all_lanes & ~(1 << 3)


@pytest.mark.parametrize(
    ("size", "name", "offset", "known"),
    [
        (32, "vcc", 0, FULL),
        (32, "vcc_hi", 0, FULL << 32),
        (64, "vcc", 0, FULL),
        (64, "vcc", 4, FULL << 32),
        (64, "s6", 1, 0),
    ],
)
def test_a_debugger_defines_the_bytes_that_it_writes(
    size: int, name: str, offset: int, known: int
) -> None:
    machine = vectors.machine(bytes(4), size, "gfx1100", size, tracks_writes=True)
    wave = machine.waves[0]
    wave.vcc = Undefined(0xFDFD_FDFD_FDFD_FDFD)
    wave.s[6] = Undefined(UNKNOWN)
    register = architecture("gfx1100", size).register_named(name)
    assert register is not None
    written = bytes([0x11]) if name == "s6" else (0x11).to_bytes(4, "little")
    write_contents(wave, register, offset, written)
    assert known_bits(wave.vcc) & (1 << 64) - 1 == known
    assert wave.vcc & known in (0, 0x11, 0x11 << 32)
    assert known_bits(wave.s[6]) & FULL == (0xFF00 if name == "s6" else 0)


@pytest.mark.parametrize(("target", "wave_size"), [("gfx90a", 64), ("gfx1100", 32)])
def test_what_is_known_does_not_depend_on_the_fill(target: str, wave_size: int) -> None:
    """`tools/fuzz_unknown.py` tries all encodings."""
    encodings = decoder(target, wave_size).encodings
    some = encodings[Random(target).randrange(400) :: 400]
    assert list(fuzz_unknown.findings(target, wave_size, 1, some)) == []


def permuted(
    mnemonic: str, unknown: int, active: int, size: int = 32, fi: int = 0
) -> tuple[SimulatedWave, str | None]:
    """Return a wave after `mnemonic v2, v0` with v2 and some lanes of v0 unknown, and why it
    stopped: all lanes read lane 5 of their row, or of the neighbouring one."""
    machine_code = decoder("gfx1100" if "var" not in mnemonic else "gfx1200", size)
    fields = {"vdst": 2, "src0": 256}
    if "64" not in mnemonic:
        fields |= {"src1": 257} if "var" in mnemonic else {"src1": 4, "src2": 4}
        fields |= {"src0_modifiers": 4 * fi}
    code = programs.encoded(machine_code, mnemonic, **fields)
    machine = vectors.machine(code, size, machine_code.target.processor, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.set_exec(active)
    wave.s[4], wave.v[1][:] = 0x55555555, 5
    wave.written[0] &= ~unknown
    wave.written[2] = 0
    stopped = machine.run(most=1)
    return wave, None if stopped is None else stopped.text


@pytest.mark.parametrize(
    ("mnemonic", "lane"),
    [
        ("v_permlane16_b32", 5),
        ("v_permlanex16_b32", 21),
        ("v_permlane16_var_b32", 5),
        ("v_permlanex16_var_b32", 21),
    ],
)
def test_a_permutation_copies_the_lane_that_numbers_name(mnemonic: str, lane: int) -> None:
    """If it executes, or with `fi`; no other lane. Without, the destination stays as it was."""
    for active, fi, known in ((0b111, 1, 0b111), (1 << lane | 1, 0, 1 << lane % 16 | 1)):
        wave, text = permuted(mnemonic, FULL & ~(1 << lane), active, fi=fi)
        assert (text, wave.written[2]) == (None, known & active)
        wave, text = permuted(mnemonic, 1 << lane, active, fi=fi)
        assert (text, wave.written[2]) == (None, 0 if lane > 15 or fi else 1 << lane % 16 & ~active)
    wave, text = permuted(mnemonic, FULL, 0b111)
    assert (text, wave.written[2]) == (None, 0)


def test_a_permutation_of_halves_of_a_wave() -> None:
    """v_permlane64_b32 exchanges the halves of a wave64; in a wave32, it does nothing."""
    low, high = (1 << 32) - 1, (1 << 64) - (1 << 32)
    wave, text = permuted("v_permlane64_b32", low, low, 64)
    assert (text, wave.written[2]) == (None, low)
    wave, text = permuted("v_permlane64_b32", 1 << 40, low, 64)
    assert (text, wave.written[2]) == (None, low & ~(1 << 8))
    _, text = permuted("v_permlane64_b32", high, high, 64)
    assert text is None
    wave, text = permuted("v_permlane64_b32", low, low)
    assert (text, wave.written[2]) == (None, 0)


@pytest.mark.parametrize("unknown", ["v3", "v0", "m0", "v5"])
@pytest.mark.parametrize("by_mode", [True, False])
def test_a_register_by_an_index(unknown: str, by_mode: bool) -> None:
    """v2 becomes v3, which is that of v0 and M0; v0 itself is not read."""
    target = "gfx90a" if by_mode else "gfx1030"
    size = 64 if by_mode else 32
    code = programs.encoded(
        decoder(target, size), "v_mov_b32_e32" if by_mode else "v_movrels_b32_e32", vdst=2, src0=256
    )
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    [wave] = machine.waves
    wave.s[124], wave.written[2] = 3 | 1 << 12 if by_mode else 3, 0
    if by_mode:
        wave.index(1)
    if unknown == "m0":
        wave.s[124] = Undefined(wave.s[124])
    else:
        wave.written[int(unknown[1:])] = 0
    stopped = machine.run(most=1)
    text = None if stopped is None else stopped.text
    if unknown == "v3":
        assert (text, wave.written[2]) == (None, 0)
    elif unknown == "m0":
        assert text is not None and text.endswith("needs m0, which is not known")
    else:
        assert (text, wave.written[2]) == (None, wave.all_lanes)


@pytest.mark.parametrize(
    ("target", "mnemonic", "needing", "dwords"),
    [
        ("gfx90a", "s_load_dwordx2", "s_bitcmp1_b32", 2),
        ("gfx90a", "s_load_dwordx4", "s_bitcmp1_b32", 4),
        ("gfx1100", "s_load_b64", "s_bitcmp1_b32", 2),
        ("gfx1200", "s_load_b128", "s_bitcmp1_b32", 4),
    ],
)
def test_scalar_loads_copy_what_is_known(
    target: str, mnemonic: str, needing: str, dwords: int
) -> None:
    """Byte 5 of what is loaded to s4 and what follows is unknown."""
    isa, size = decoder(target), 64 if target == "gfx90a" else 32
    zero_offset = {} if target == "gfx90a" else {"soffset": 124}  # null
    code = programs.encoded(isa, mnemonic, sdst=4, sbase=2, offset=0, **zero_offset)
    code += programs.encoded(isa, "s_mov_b32", sdst=20, src0=5)
    code += programs.encoded(isa, needing, src0=5, src1=128 + 9)
    machine = vectors.machine(code, size, target, size, tracks_writes=True)
    machine.observe(UnknownContents(machine))
    wave, buffer = machine.waves[0], machine.global_memory.at(0x30000)
    assert buffer is not None
    buffer.write(0, bytes(range(16)))
    buffer.written = np.full(4096, 0xFF, np.uint8)
    buffer.written[5] = 0
    wave.s[2], wave.s[3] = buffer.start, 0
    stopped = machine.run(most=10)
    assert stopped is not None and stopped.text == f"{needing} needs s5, which is not known"
    numbers = [int(wave.s[n]) for n in range(4, 4 + dwords)]
    assert numbers[0] == 0x03020100 and numbers[2:] == [0x0B0A0908, 0x0F0E0D0C][: dwords - 2]
    known = [known_bits(wave.s[n]) & FULL for n in range(4, 4 + dwords)]
    assert known == [FULL, 0xFFFF00FF, FULL, FULL][:dwords]
    assert known_bits(wave.s[20]) & FULL == 0xFFFF00FF and wave.s[20] & 0xFFFF00FF == 0x07060004
