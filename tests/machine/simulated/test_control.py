"""Hardware registers, messages, barriers, and what does nothing: "Hardware Registers", "SOPP
Instructions" and "Message Types" of AMD's ISA documents."""

from __future__ import annotations

from typing import Any

import pytest

from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.topology import StopReason, Wave
from tests.machine.simulated import vectors

NOP = "000080bf"


def after(code: str, processor: str = "gfx1100", **registers: int) -> Any:
    """The wave after some instructions, or why it stopped."""
    size = 64 if processor.startswith("gfx9") else 32
    end = "" if processor.startswith(("gfx11", "gfx12")) else "000081bf"  # s_endpgm
    machine = vectors.machine(bytes.fromhex(code + end), 4, processor, size)
    [wave] = machine.waves
    for name, value in registers.items():
        wave.s[124 if name == "m0" else int(name[1:])] = value
    return machine.run() or wave


@pytest.mark.parametrize("processor", ["gfx900", "gfx942", "gfx1100", "gfx1200"])
def test_a_field_of_mode_is_read(processor: str) -> None:
    assert after("011882b8", processor).s[2] == 0  # hwreg(HW_REG_MODE, 0, 4)


@pytest.mark.parametrize(
    ("code", "mode"),
    [
        ("810804b9", 0x3FC),  # s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s4
        ("011980b903000000", 0x330),  # s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 3
        ("060091bf", 0x3F6),  # s_round_mode 6
        ("050092bf", 0x350),  # s_denorm_mode 5
    ],
)
def test_fields_of_mode_are_written_and_no_others(code: str, mode: int) -> None:
    assert after(code, s4=0xFFFFFFFF).mode == mode


def test_registers_that_this_machine_defines() -> None:
    assert after("0f7c82b8", "gfx900").s[2] == 1  # the shared aperture of SH_MEM_BASES
    assert after("14f882b8", "gfx942").s[2] == 0  # XCC_ID: there is one
    assert after("420a82b8").s[2] == 2  # VCCZ and EXECZ of STATUS
    assert after("420182b8").s[2] == 0  # STATUS.PRIV
    assert after("c30282b8", "gfx900").s[2] == 0  # TRAPSTS.ILLEGAL_INST
    assert after(NOP + NOP + "1df882b8", "gfx1200").s[2] == 2  # SHADER_CYCLES_LO


@pytest.mark.parametrize(
    ("code", "processor", "text"),
    [
        ("17f882b8", "gfx1100", "not simulated: HW_REG_HW_ID1"),
        ("02f882b8", "gfx1100", "not simulated: HW_REG_STATUS, bits 0xffffd9de"),
        ("034004b9", "gfx900", "not simulated: writing HW_REG_TRAPSTS"),
        ("814c83be", "gfx1100", "not simulated: s_sendmsg_rtn_b32 MSG_RTN_GET_DDID"),
        ("c34e80be", "gfx1200", "barrier that is not the workgroup's"),
        ("7d4e80be", "gfx1200", "barrier that is not the workgroup's"),
    ],
)
def test_what_nothing_defines_is_named(code: str, processor: str, text: str) -> None:
    stopped = after(code, processor)
    assert stopped.reason is StopReason.NOT_SIMULATED and text in stopped.text
    assert stopped.wave.pc == 0x10000


def test_messages_that_return_something() -> None:
    assert after("804c83be", s3=7).s[3] == 0  # the doorbell: there is one queue
    wave = after(NOP + NOP + NOP + "834d82be", s2=7, s3=7)
    assert wave.s[2:4] == [3, 0]  # the clock


def test_the_base_of_private_memory_is_none_of_106_registers() -> None:
    """s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s4; s_getreg_b32 s5, hwreg(HW_REG_FLAT_SCR_LO)."""
    wave = after("14f884b9" + "14f805b9", "gfx1030", s4=0x1234, s102=7, s103=8)
    assert (wave.s[5], wave.s[102:104], wave.scratch_base & 0xFFFFFFFF) == (0x1234, [7, 8], 0x1234)


@pytest.mark.parametrize("code", ["0300b5bf", "010083bf", "0000b4bf"])
def test_what_does_nothing(code: str) -> None:
    """s_setprio, s_sleep, s_wakeup."""
    assert after(code).instructions == 2


def test_relative_moves() -> None:
    assert after("042e82be", "gfx1030", m0=3, s7=55).s[2] == 55  # s_movrels_b32 s2, s4
    wave = after("043182be", "gfx1030", m0=4, s4=5, s5=6)  # s_movreld_b64 s[2:3], s[4:5]
    assert wave.s[6:8] == [5, 6]
    wave = after("044982be", "gfx1030", m0=2 << 16 | 1, s5=9)  # s_movrelsd_2_b32 s2, s4
    assert wave.s[4] == 9
    assert after("642e82be", "gfx1030", m0=5, s105=7).s[2] == 7  # s_movrels_b32 s2, s100
    stopped = after("642e82be", "gfx1030", m0=6)
    assert "register s106, which M0 gives, does not exist" in stopped.text
    stopped = after("042e82be", "gfx1030", m0=1 << 20)
    assert "register s1048580, which M0 gives, does not exist" in stopped.text
    stopped = after("043182be", "gfx1030", m0=3, s4=5, s5=6)
    assert "not simulated: s5, which M0 gives, as the first of 2" in stopped.text


SIGNAL, SIGNAL_FIRST, WAIT = "c14e80be", "c14f80be", "ffff94bf"


def two_waves(code: str, gap: str) -> Any:
    """Two waves of a workgroup; the second one executes something before."""
    machine = vectors.machine(bytes.fromhex(gap + code), 32, "gfx1200")
    [first] = machine.waves
    second = SimulatedWave(
        Wave(2, 1, 1), 32, 256, 256, machine.global_memory, generation=12, group=first.group
    )
    second.set_mode(0xF0)
    second.set_exec(first.exec)
    second.pc, first.pc = first.pc, first.pc + len(gap) // 2
    machine.waves.append(second)
    assert machine.run() is None
    return first, second


def test_one_wave_is_the_first_to_signal() -> None:
    first, second = two_waves(SIGNAL_FIRST + WAIT + NOP, NOP * 3)
    assert (first.scc, second.scc) == (1, 0)
    assert first.is_ended and second.is_ended


def test_a_wave_that_has_signalled_is_not_awaited() -> None:
    """The second barrier is signalled before the first one is waited for by the other wave."""
    first, second = two_waves(SIGNAL + NOP + WAIT + SIGNAL + WAIT, NOP)
    assert (first.signals, first.met, second.signals, second.met) == (0, 0, 0, 0)


def test_a_wait_without_a_signal_is_never_met() -> None:
    stopped = after(WAIT, "gfx1200")
    assert stopped.reason is StopReason.FATAL_HALT and "not all waves reach" in stopped.text
