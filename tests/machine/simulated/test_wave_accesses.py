"""Scalar stores and atomics, counters of LDS, LDS updated by LDS, and addresses by lane numbers.

What they leave is computed here with Python's integers, after the descriptions in AMD's ISA
documents.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution.interpreter import Executor, RunningMachine, Stopped
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.topology import StopReason
from tests.machine.simulated import programs, vectors
from tools import fuzz_instructions

BUFFER = 0x30000
DWORDS = [7, 0xFFFFFFF0, 3, 0x80000001, 0, 5, 6, 0x12345678]


def before(
    target: str, mnemonic: str, /, flag: str = "", exec_mask: int = -1, **fields: int
) -> RunningMachine:
    """A wave before an instruction, with `DWORDS` in global memory and LDS; s[4:5] has the address
    of the former, v1 16 times the number of the lane."""
    machine = decoder(target)
    encoding = next(
        item
        for item in machine.encodings
        if item.mnemonic == mnemonic
        and fields.keys() <= item.format.index.keys()
        and (not flag or flag in item.format.flags)
        and ("soffset" in item.format.index) <= ("soffset" in fields)
    )
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    size = machine.target.wave_size
    out = vectors.machine(code, size, target, size)
    [wave] = out.waves
    data = struct.pack("<8I", *DWORDS)
    out.global_memory.write(BUFFER, data)
    wave.lds.write(0, data)
    wave.s[4:6] = [BUFFER, 0]
    wave.v[1][:] = 16 * wave.lane
    wave.set_exec(exec_mask)
    return out


def done(machine: RunningMachine, *, is_fine: bool = True) -> tuple[SimulatedWave, Stopped | None]:
    stopped = machine.run(most=1)
    assert (stopped is None) == is_fine, stopped
    return machine.waves[0], stopped


def global_dwords(machine: RunningMachine) -> list[int]:
    return list(struct.unpack("<8I", machine.global_memory.read(BUFFER, 32)))


def lds_dwords(wave: SimulatedWave) -> list[int]:
    return list(struct.unpack("<8I", wave.lds.data[:32].tobytes()))


@pytest.mark.parametrize(("name", "count"), [("dword", 1), ("dwordx2", 2), ("dwordx4", 4)])
def test_scalar_stores(name: str, count: int) -> None:
    """The two lowest bits of the address do not count, and EXEC does not matter."""
    machine = before("gfx900", f"s_store_{name}", exec_mask=0, sdata=8, sbase=4, offset=6)
    machine.waves[0].s[8:12] = [11, 12, 13, 14]
    done(machine)
    items = list(DWORDS)
    items[1 : 1 + count] = [11, 12, 13, 14][:count]
    assert global_dwords(machine) == items


def test_a_scalar_store_to_code_is_a_fault() -> None:
    machine = before("gfx900", "s_store_dword", sdata=8, sbase=4, offset=0)
    machine.waves[0].s[4] = 0x10000
    _, stopped = done(machine, is_fine=False)
    assert stopped is not None and stopped.reason is StopReason.MEMORY_VIOLATION
    assert "writes 4 bytes at 0x10000: code is read-only" in stopped.text


def test_waves_load_to_their_own_places_of_lds() -> None:
    """Each wave has its own M0, also where waves execute together."""
    code = programs.encoded(decoder("gfx942"), "global_load_lds_dword", vaddr=14)
    left = []
    for executor in get_args(Executor):
        machine = fuzz_instructions.machine_of(code, 1, "gfx942", 64)
        machine.executor = executor
        for number, wave in enumerate(machine.waves):
            wave.s[124] = 1024 * (number % 2)
            wave.set_exec(-1)
        assert machine.run() is None
        left.append([wave.lds.data.tobytes() for wave in machine.waves])
        for number, wave in enumerate(machine.waves):
            first = 1024 * (number % 2)
            data = machine.global_memory.read(int(wave.v[14][5]), 4)
            assert wave.lds.data[first + 20 : first + 24].tobytes() == data
    assert left[0] == left[1] == left[2]


def signed(number: int, bits: int) -> int:
    return number - (1 << bits) if number >> bits - 1 else number


UPDATES: dict[str, Callable[[int, int, int], int]] = {
    "swap": lambda m, a, bits: a,
    "add": lambda m, a, bits: m + a,
    "sub": lambda m, a, bits: m - a,
    "smin": lambda m, a, bits: min(signed(m, bits), signed(a, bits)),
    "smax": lambda m, a, bits: max(signed(m, bits), signed(a, bits)),
    "umin": lambda m, a, bits: min(m, a),
    "umax": lambda m, a, bits: max(m, a),
    "and": lambda m, a, bits: m & a,
    "or": lambda m, a, bits: m | a,
    "xor": lambda m, a, bits: m ^ a,
    "inc": lambda m, a, bits: 0 if m >= a else m + 1,
    "dec": lambda m, a, bits: a if m == 0 or m > a else m - 1,
}


@pytest.mark.parametrize("suffix", ["", "_x2"])
@pytest.mark.parametrize("name", UPDATES)
def test_scalar_atomics(name: str, suffix: str) -> None:
    bits = 64 if suffix else 32
    for at in (0, 8, 16):
        m = sum(DWORDS[at // 4 + n] << 32 * n for n in range(bits // 32))
        for a in (0, 1, 7, (1 << bits) - 1, 1 << bits - 1, m):
            for flag in ("IsAtomicRet", "IsAtomicNoRet"):
                register = "sdst" if flag == "IsAtomicRet" else "sdata"
                fields = {register: 8, "sbase": 4, "offset": at}
                machine = before("gfx900", f"s_atomic_{name}{suffix}", flag, **fields)
                [wave] = machine.waves
                wave.s[8:10] = [a & 0xFFFFFFFF, a >> 32]
                done(machine)
                after = UPDATES[name](m, a, bits) & (1 << bits) - 1
                items = list(DWORDS)
                for n in range(bits // 32):
                    items[at // 4 + n] = after >> 32 * n & 0xFFFFFFFF
                assert global_dwords(machine) == items, (at, a, flag)
                returned = wave.s[8] | (wave.s[9] << 32 if suffix else 0)
                assert returned == (m if flag == "IsAtomicRet" else a), (at, a, flag)


def test_scalar_compare_and_swap() -> None:
    for compared, stored in ((DWORDS[1], 99), (8, DWORDS[1])):
        machine = before("gfx900", "s_atomic_cmpswap", "IsAtomicRet", sdst=8, sbase=4, offset=4)
        machine.waves[0].s[8:10] = [99, compared]
        wave, _ = done(machine)
        assert wave.s[8] == DWORDS[1] and global_dwords(machine)[1] == stored


def test_scalar_buffers() -> None:
    """Within the range; what is outside of it no document says."""
    resource = [BUFFER, 0, 12, 0x27FAC]
    for offset, value in ((8, 3), (12, None)):
        machine = before("gfx942", "s_buffer_load_dword", sdst=12, sbase=8, offset=offset)
        machine.waves[0].s[8:12] = resource
        wave, stopped = done(machine, is_fine=value is not None)
        if value is None:
            assert stopped is not None and "buffer of 12 bytes" in stopped.text
        else:
            assert wave.s[12] == value


@pytest.mark.parametrize("target", ["gfx900", "gfx1030", "gfx1100", "gfx1200"])
@pytest.mark.parametrize(("name", "sign"), [("ds_append", 1), ("ds_consume", -1)])
def test_counters_of_active_lanes(target: str, name: str, sign: int) -> None:
    mask = 0b1011010
    machine = before(target, name, exec_mask=mask, vdst=2, offset=4)
    machine.waves[0].s[124] = 0
    wave, _ = done(machine)
    assert lds_dwords(wave)[1] == DWORDS[1] + sign * 4
    assert [int(v) for v in wave.v[2][:8]] == [
        DWORDS[1] if mask >> lane & 1 else 0 for lane in range(8)
    ]


def test_a_counter_by_m0_is_not_guessed() -> None:
    machine = before("gfx900", "ds_append", vdst=2, offset=4)
    machine.waves[0].s[124] = 16
    _, stopped = done(machine, is_fine=False)
    assert stopped is not None and "by M0, which has 0x10" in stopped.text


def test_lds_updated_by_lds() -> None:
    """In the order of lanes: lane 1 adds what lane 0 has left."""
    machine = before("gfx900", "ds_add_src2_u32", exec_mask=3, addr=1, offset=0x7FFF)
    machine.waves[0].v[1][:2] = 4, 8
    wave, _ = done(machine)
    first = (DWORDS[1] + DWORDS[0]) & 0xFFFFFFFF
    second = (DWORDS[2] + first) & 0xFFFFFFFF
    assert lds_dwords(wave) == [DWORDS[0], first, second, *DWORDS[3:]]


@pytest.mark.parametrize(
    ("name", "at", "wanted"),
    [
        ("ds_write_src2_b32", 4, DWORDS[3]),
        ("ds_rsub_src2_u32", 4, (DWORDS[3] - DWORDS[1]) & 0xFFFFFFFF),
        ("ds_min_src2_i32", 0, signed(DWORDS[2], 32)),
        ("ds_max_src2_u32", 4, DWORDS[1]),
        ("ds_inc_src2_u32", 20, DWORDS[5] + 1),
        ("ds_dec_src2_u32", 20, DWORDS[5] - 1),
    ],
)
def test_other_updates(name: str, at: int, wanted: int) -> None:
    machine = before("gfx803", name, exec_mask=1, addr=1, offset=2)
    machine.waves[0].v[1][0] = at
    wave, _ = done(machine)
    assert lds_dwords(wave)[at // 4] == wanted


def test_lds_by_the_number_of_the_lane() -> None:
    machine = before("gfx942", "ds_read_addtid_b32", exec_mask=0x3F, vdst=2, offset=4)
    machine.waves[0].s[124] = 0xABC00004
    wave, _ = done(machine)
    assert wave.v[2][:6].tolist() == DWORDS[2:]
    machine = before("gfx1100", "ds_store_addtid_b32", exec_mask=0b101, data0=1, offset=0)
    machine.waves[0].s[124] = 0
    wave, _ = done(machine)
    assert lds_dwords(wave) == [0, DWORDS[1], 32, *DWORDS[3:]]


def test_global_memory_by_the_number_of_the_lane() -> None:
    for target, name in (("gfx1030", "dword_addtid"), ("gfx1200", "addtid_b32")):
        machine = before(target, f"global_load_{name}", exec_mask=0x3F, vdst=2, saddr=4, offset=8)
        wave, _ = done(machine)
        assert wave.v[2][:6].tolist() == DWORDS[2:]


def test_halves_exchanged_on_a_condition() -> None:
    machine = before("gfx942", "ds_condxchg32_rtn_b64", exec_mask=1, vdst=2, addr=1, data0=6)
    machine.waves[0].v[6][0], machine.waves[0].v[7][0] = 0x80000055, 0x66
    wave, _ = done(machine)
    assert lds_dwords(wave)[:2] == [0x55, DWORDS[1]]
    assert [int(wave.v[n][0]) for n in (2, 3)] == DWORDS[:2]


def sums(a: int, b: int, *, is_masked: bool) -> list[int]:
    """Of four bytes of a, beginning with each of its lowest four, and of b."""
    eight, four = a.to_bytes(8, "little"), b.to_bytes(4, "little")
    return [
        sum(abs(eight[first + n] - four[n]) for n in range(4) if not is_masked or four[n])
        for first in range(4)
    ]


@pytest.mark.parametrize("name", ["v_qsad_pk_u16_u8", "v_mqsad_pk_u16_u8", "v_mqsad_u32_u8"])
def test_four_sums_of_differences(name: str) -> None:
    machine = before("gfx942", name, vdst=8, src0=256 + 2, src1=256 + 4, src2=256 + 12)
    [wave] = machine.waves
    numbers = np.random.default_rng(1)
    given = numbers.integers(0, 1 << 32, (8, 64), np.uint32)
    given[2] &= np.uint32(0xFF00FFFF)
    rows = [2, 3, 4, 12, 13, 14, 15]
    for number, row in enumerate(rows):
        wave.v[row][:] = given[number]
    done(machine)
    for lane in range(64):
        a = int(given[0][lane]) | int(given[1][lane]) << 32
        result = sums(a, int(given[2][lane]), is_masked="mqsad" in name)
        if name == "v_mqsad_u32_u8":
            expected: Any = [
                (s + int(given[3 + n][lane])) & 0xFFFFFFFF for n, s in enumerate(result)
            ]
            assert [int(wave.v[8 + n][lane]) for n in range(4)] == expected
        else:
            c = int(given[3][lane]) | int(given[4][lane]) << 32
            words = [(s + (c >> 16 * n)) & 0xFFFF for n, s in enumerate(result)]
            whole = sum(word << 16 * n for n, word in enumerate(words))
            assert int(wave.v[8][lane]) | int(wave.v[9][lane]) << 32 == whole


def test_registers_named_by_m0() -> None:
    for name, m0 in (("v_movrelsd_b32_e32", 2), ("v_movrelsd_2_b32_e32", 2 | 3 << 16)):
        machine = before("gfx1030", name, vdst=8, src0=256 + 4)
        machine.waves[0].s[124] = m0
        machine.waves[0].v[6][:] = 77
        wave, _ = done(machine)
        assert wave.v[8 + (m0 >> 16 or m0)][3] == 77


MUBUF = {"load": {1: 16, 2: 18, 4: 20, 8: 21}, "store": {2: 26, 4: 28, 8: 29}}
"""Opcodes of GFX9 by the number of bytes."""


@pytest.mark.parametrize("executor", get_args(Executor))
@pytest.mark.parametrize(("size", "offset"), [(2, 3), (4, 1), (8, 2)])
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("verb", ["load", "store"])
def test_a_swizzled_buffer_continues_in_the_same_lane(
    executor: Executor, size: int, offset: int, own: bool, verb: str
) -> None:
    """What leaves a dword of private memory is in the next dword of the lane, 64 dwords behind;
    `own`: each lane gives its offset in a register, v1."""
    word = 0xE0000000 | MUBUF[verb][size] << 18 | (1 << 12 if own else offset)
    registers = 128 << 24 | 2 << 16 | 2 << 8 | 1  # soffset 0, s[8:11], v2, v1
    code = word.to_bytes(4, "little") + registers.to_bytes(4, "little")
    machine = vectors.machine(code, 64, "gfx90a", 64)
    machine.executor = executor
    [wave] = machine.waves
    rows = np.arange(3 * 64 * 4, dtype=np.uint32).astype(np.uint8).reshape(3, 64, 4)
    machine.global_memory.write(BUFFER, rows.tobytes())
    # SWIZZLE_ENABLE, elements of 4 bytes, an index stride of 64, ADD_TID_ENABLE.
    wave.s[8:12] = [BUFFER, 1 << 31, 1 << 20, 1 << 19 | 3 << 21 | 1 << 23]
    wave.v[1][:], wave.v[2][:], wave.v[3][:] = offset, 0xA1B2C3D4, 0x01020304
    wave, _ = done(machine)
    of_lanes = rows.transpose(1, 0, 2).reshape(64, 12).copy()
    part = of_lanes[:, offset : offset + size]
    if verb == "load":
        data = np.stack([wave.v[2], wave.v[3]], -1).astype("<u4").view(np.uint8)
        assert (data[:, :size] == part).all()
        return
    part[:] = list(bytes.fromhex("d4c3b2a104030201")[:size])
    left = np.frombuffer(machine.global_memory.read(BUFFER, rows.size), np.uint8)
    assert (left.reshape(3, 64, 4) == of_lanes.reshape(64, 3, 4).transpose(1, 0, 2)).all()


@pytest.mark.parametrize(
    ("target", "code", "element"),
    [
        # buffer_load_dword v5, v1, s[8:11], 0 idxen, and offset:4
        *(("gfx900", "002050e001050280", 0), ("gfx1030", "042030e001050280", 1)),
        # buffer_load_dword v5, v[1:2], s[8:11], 0 idxen offen
        ("gfx906", "003050e001050280", 2),
        # buffer_load_b32 v5, v1, s[8:11], 0 idxen
        ("gfx1100", "000050e001058280", 0),
    ],
)
def test_a_buffer_with_an_index(target: str, code: str, element: int) -> None:
    """Records of 16 bytes; the last lane has the first one."""
    size = decoder(target).target.wave_size
    machine = vectors.machine(bytes.fromhex(code), size, target, size)
    [wave] = machine.waves
    numbers = np.arange(4 * size, dtype=np.uint32)
    machine.global_memory.write(BUFFER, numbers.tobytes())
    wave.s[8:12] = [BUFFER, 16 << 16, size, 1 << 28]
    wave.v[1][:], wave.v[2][:] = size - 1 - wave.lane, 8
    assert machine.run(most=1) is None
    assert wave.v[5].tolist() == numbers.reshape(size, 4)[::-1, element].tolist()


@pytest.mark.parametrize("executor", get_args(Executor))
@pytest.mark.parametrize("register", [1, 0, 0xFFFFFFFF, 0xFFFFFFFC])
def test_an_offset_below_zero_of_a_swizzled_buffer(executor: Executor, register: int) -> None:
    """The offset in a register and the constant have a sum of 32 bits: LLVM makes them of
    `array[i - 1 + 1]`, whose register is -1 for i = 0 (`SelectMUBUFScratchOffen`: "it should be
    safe to fold any VGPR offset on gfx9")."""
    word = 0xE0000000 | MUBUF["load"][1] << 18 | 1 << 12 | 5  # offset:5
    code = word.to_bytes(4, "little") + (128 << 24 | 2 << 16 | 2 << 8 | 1).to_bytes(4, "little")
    machine = vectors.machine(code, 64, "gfx90a", 64)
    machine.executor = executor
    [wave] = machine.waves
    rows = np.arange(3 * 64 * 4, dtype=np.uint32).astype(np.uint8).reshape(3, 64, 4)
    machine.global_memory.write(BUFFER, rows.tobytes())
    wave.scratch, wave.scratch_start = wave.scratch[:3], BUFFER
    wave.s[8:12] = [BUFFER, 1 << 31, 1 << 20, 1 << 19 | 3 << 21 | 1 << 23]
    wave.v[1][:] = register
    wave, _ = done(machine)
    element, byte = divmod(register + 5 & 0xFFFFFFFF, 4)
    assert wave.v[2].tolist() == rows[element, :, byte].tolist()


@pytest.mark.parametrize("executor", get_args(Executor))
@pytest.mark.parametrize(
    ("code", "reason", "text"),
    [
        # buffer_load_ushort v2, off, s[8:11], 0 offset:3
        (
            "030048e000020280",
            StopReason.MEMORY_VIOLATION,
            "private memory at 0x4: a lane has 4 bytes",
        ),
        # buffer_store_short v2, off, s[8:11], 0 offset:3
        (
            "030068e000020280",
            StopReason.MEMORY_VIOLATION,
            "private memory at 0x4: a lane has 4 bytes",
        ),
        # buffer_atomic_add_x2 v[2:3], off, s[8:11], 0
        ("000088e100020280", StopReason.NOT_SIMULATED, "several elements of a swizzled buffer"),
    ],
)
def test_an_access_to_two_elements_keeps_to_the_private_memory(
    executor: Executor, code: str, reason: StopReason, text: str
) -> None:
    """One that begins in the wave's last dwords neither reads nor writes the next wave's, and an
    atomic operation larger than an element is not simulated."""
    machine = vectors.machine(bytes.fromhex(code), 64, "gfx90a", 64)
    machine.executor = executor
    [wave] = machine.waves
    before = bytes(range(256)) * 16
    machine.global_memory.write(BUFFER, before)
    wave.scratch, wave.scratch_start = wave.scratch[:1], BUFFER
    # SWIZZLE_ENABLE, elements of 4 bytes, an index stride of 64, ADD_TID_ENABLE.
    wave.s[8:12] = [BUFFER, 1 << 31, 1 << 20, 1 << 19 | 3 << 21 | 1 << 23]
    wave.v[2][:], wave.v[3][:] = 0xA1B2C3D4, 0x01020304
    _, stopped = done(machine, is_fine=False)
    assert stopped is not None and stopped.reason is reason
    assert text in stopped.text
    assert machine.global_memory.read(BUFFER, 4096) == before


@pytest.mark.parametrize("name", ["byte", "byte_d16_hi", "short", "dword", "dwordx3"])
@pytest.mark.parametrize("executor", get_args(Executor))
def test_a_store_to_scratch_by_no_lane(executor: Executor, name: str) -> None:
    """Compilers branch over a block that no lane executes only where that is faster."""
    machine = before("gfx942", f"scratch_store_{name}", exec_mask=0, vdata=2, vaddr=1)
    machine.executor = executor
    wave, _ = done(machine)
    assert wave.pc > 0x10000 and not wave.scratch.any()
