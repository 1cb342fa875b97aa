"""The registers of `s_getreg_b32` and `s_setreg_b32`, as far as documents and this machine define
them ("Hardware Registers" of AMD's ISA documents).

Law: a bit that nothing defines is never read as 0 or 1: the wave stops, with the register's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.machine.simulated.faults import not_simulated
from dwarfgpu.machine.simulated.storage.wave_registers import FLAT_SCRATCH

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemory

_SCC: Final = {"STATUS": 0, "STATE_PRIV": 9}
_EXECZ: Final = 9
_VCCZ: Final = 10
_CYCLES_MASK: Final = 0xFFFFF
_MASK32: Final = 0xFFFFFFFF
_LOW: Final = ("FLAT_SCR_LO", "SCRATCH_BASE_LO")
_HIGH: Final = ("FLAT_SCR_HI", "SCRATCH_BASE_HI")


def read_hardware_register(wave: WaveMemory, name: str, mask: int, clock: int) -> int:
    """A register by its name without `HW_REG_`; `WaveStop` if bits of the mask are undefined."""
    number, known = _contents(wave, name, clock)
    if mask & ~known:
        raise not_simulated(f"HW_REG_{name}, bits {mask & ~known:#x}")
    return number


def _contents(wave: WaveMemory, name: str, clock: int) -> tuple[int, int]:
    """A register, and which of its bits are defined."""
    match name:
        case "MODE":
            return wave.mode, _MASK32
        case "STATUS":
            number = wave.scc | (not wave.exec) << _EXECZ | (not wave.vcc_of_lanes) << _VCCZ
            return number, 1 | 1 << _EXECZ | 1 << _VCCZ
        case "STATE_PRIV":
            return wave.scc << _SCC[name], 1 << _SCC[name]
        case "SH_MEM_BASES":
            return wave.private_base >> 48 | wave.shared_base >> 48 << 16, _MASK32
        case "SHADER_CYCLES":
            return clock & _CYCLES_MASK, _MASK32
        case "SHADER_CYCLES_LO":
            return clock & _MASK32, _MASK32
        case "SHADER_CYCLES_HI":
            return clock >> 32, _MASK32
        case "XCC_ID":
            return 0, _MASK32  # the only one
        case _ if name in _LOW:
            return wave.s[FLAT_SCRATCH], _MASK32
        case _ if name in _HIGH:
            return wave.s[FLAT_SCRATCH + 1], _MASK32
    return 0, 0


def write_hardware_register(wave: WaveMemory, name: str, mask: int, value: int) -> None:
    """Write some bits of a register that is not MODE, `value` having them in their places;
    `WaveStop` for one that is not simulated."""
    if name in _LOW or name in _HIGH:
        number = FLAT_SCRATCH + (name in _HIGH)
        wave.s[number] = wave.s[number] & ~mask | value & mask
        wave.scratch_base = wave.s[FLAT_SCRATCH] | wave.s[FLAT_SCRATCH + 1] << 32
    else:
        raise not_simulated(f"writing HW_REG_{name}")
