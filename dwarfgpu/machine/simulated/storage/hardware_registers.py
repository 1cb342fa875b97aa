"""The registers of `s_getreg_b32` and `s_setreg_b32`, as far as documents and this machine define
them ("Hardware Registers" of AMD's ISA documents).

Law: a bit that nothing defines is never read as 0 or 1: the wave stops, with the register's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.machine.simulated.storage.scalar_slots import FLAT_SCRATCH
from dwarfgpu.machine.simulated.wave_fault import not_simulated

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemory

_EXECZ: Final = 9
_VCCZ: Final = 10
_SCC_OF_STATE_PRIV: Final = 9
_CYCLES_MASK: Final = 0xFFFFF
_MASK32: Final = 0xFFFFFFFF
_PRIVILEGED: Final = 1 << 5
_HALT: Final = {"STATUS": 1 << 13, "STATE_PRIV": 1 << 14}
_MEMORY_VIOLATION: Final = {"TRAPSTS": 1 << 8 | 1 << 28, "EXCP_FLAG_PRIV": 1 << 4 | 1 << 12}
_ILLEGAL_INSTRUCTION: Final = {"TRAPSTS": 1 << 11, "EXCP_FLAG_PRIV": 1 << 6}
_LOW: Final = ("FLAT_SCR_LO", "SCRATCH_BASE_LO")
_HIGH: Final = ("FLAT_SCR_HI", "SCRATCH_BASE_HI")
_WHOLE: Final = (
    *("MODE", "SH_MEM_BASES", "SHADER_CYCLES", "SHADER_CYCLES_LO", "SHADER_CYCLES_HI", "XCC_ID"),
    *(*_LOW, *_HIGH),
)
_DEFINED: Final = {
    **dict.fromkeys(_WHOLE, _MASK32),
    "STATUS": 1 | 1 << _EXECZ | 1 << _VCCZ | _PRIVILEGED | _HALT["STATUS"],
    "STATE_PRIV": 1 << _SCC_OF_STATE_PRIV | _HALT["STATE_PRIV"],
    **{name: bits | _ILLEGAL_INSTRUCTION[name] for name, bits in _MEMORY_VIOLATION.items()},
}
"""By name, the bits that are defined. A wave that executes is neither privileged nor halted, and it
has stopped before a memory violation or an illegal instruction."""


def require_defined(name: str, mask: int) -> None:
    """Raise `WaveStop` if bits of the mask of a register are undefined; its name is without
    `HW_REG_`."""
    undefined = mask & ~_DEFINED.get(name, 0)
    if undefined:
        raise not_simulated(f"HW_REG_{name}, bits {undefined:#x}")


def require_writable(name: str) -> None:
    """Raise `WaveStop` for a register that a wave cannot write here."""
    if name not in ("MODE", *_LOW, *_HIGH):
        raise not_simulated(f"writing HW_REG_{name}")


def read_hardware_register(wave: WaveMemory, name: str, clock: int) -> int:
    """Read a register by its name; undefined bits are zeros."""
    match name:
        case "MODE":
            return wave.mode
        case "STATUS":
            return wave.scc | (not wave.exec) << _EXECZ | (not wave.vcc_of_lanes) << _VCCZ
        case "STATE_PRIV":
            return wave.scc << _SCC_OF_STATE_PRIV
        case "SH_MEM_BASES":
            return wave.private_base >> 48 | wave.shared_base >> 48 << 16
        case "SHADER_CYCLES":
            return clock & _CYCLES_MASK
        case "SHADER_CYCLES_LO":
            return clock & _MASK32
        case "SHADER_CYCLES_HI":
            return clock >> 32
        case _ if name in _LOW:
            return wave.s[FLAT_SCRATCH]
        case _ if name in _HIGH:
            return wave.s[FLAT_SCRATCH + 1]
    return 0  # XCC_ID: the only one


def write_hardware_register(wave: WaveMemory, name: str, mask: int, value: int) -> None:
    """Write some bits of a register of the base of private memory, `value` having them in their
    places."""
    number = FLAT_SCRATCH + (name in _HIGH)
    wave.s[number] = wave.s[number] & ~mask | value & mask
    wave.scratch_base = wave.s[FLAT_SCRATCH] | wave.s[FLAT_SCRATCH + 1] << 32
