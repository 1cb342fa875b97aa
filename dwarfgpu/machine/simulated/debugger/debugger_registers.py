"""The registers of a running wave, as debuggers name them.

Law: what is written is what the next instruction reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import and_
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from dwarfgpu.machine.simulated.storage.written_registers import (
    byte_mask,
    forget_bits,
    forget_written,
    set_written,
    unknown_bits,
    written_bits,
)
from dwarfgpu.machine.state.register_bytes import RegisterBytes

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave

_MASK32: Final = 0xFFFFFFFF


class WaveRegisters(Mapping[str, RegisterBytes]):
    """The registers of a wave that runs, by name; each is read when it is asked for."""

    def __init__(self, wave: SimulatedWave, registers: Mapping[str, RegisterInfo]) -> None:
        """`registers`: those that the wave was allocated."""
        self._wave = wave
        self._registers = registers

    def __getitem__(self, name: str) -> RegisterBytes:
        data = contents(self._wave, self._registers[name])
        if data is None:
            raise KeyError(name)
        known = written_bits(self._wave, name, len(data))
        return RegisterBytes(bytes(map(and_, data, known)), known)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of registers with known bits."""
        for name, register in self._registers.items():
            data = contents(self._wave, register)
            if data is not None and any(written_bits(self._wave, name, len(data))):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)


def contents(wave: SimulatedWave, register: RegisterInfo) -> bytes | None:
    """Return the bytes of a register; None for one that is not simulated."""
    name, size = register.name, (register.size_bits + 7) // 8
    bank, digits = name[:1], name[1:]
    if is_decimal(digits):
        if bank == "s":
            return wave.s[int(digits)].to_bytes(4, "little")
        if bank in ("v", "a"):
            rows = wave.vectors if bank == "v" else wave.accumulators
            return rows[int(digits)].tobytes() if int(digits) < len(rows) else None
    number = _number(wave, name)
    return None if number is None else (number & (1 << 8 * size) - 1).to_bytes(size, "little")


def _number(wave: SimulatedWave, name: str) -> int | None:
    """Return what a register contains that is not one of a bank."""
    if name.startswith("ttmp"):
        return wave.s[TTMP + int(name[4:])]
    if name in PAIRS:
        first = PAIRS[name]
        return wave.s[first] | wave.s[first + 1] << 32
    match name:
        case "pc" | "pc_32":
            return wave.stop_pc
        case "exec":
            return wave.exec
        case "exec_hi":
            return wave.exec >> 32
        case "vcc":
            return wave.vcc
        case "vcc_hi":
            return wave.vcc >> 32
        case "m0":
            return wave.s[M0]
        case "mode":
            return wave.mode
        case "scratch_base":
            return wave.scratch_base
        case "status":
            return wave.scc | (not wave.exec) << 9 | (not wave.vcc_of_lanes) << 10
        case "state_priv":
            return wave.scc << 9
    return None


def write_contents(
    wave: SimulatedWave, register: RegisterInfo, offset_bytes: int, data: bytes
) -> None:
    """Write bytes of a register, which are defined then; `UsageError` as of `_set_contents`."""
    register_bytes = bytearray(contents(wave, register) or b"")
    register_bytes[offset_bytes : offset_bytes + len(data)] = data
    unknown = unknown_bits(wave, register.name) & ~byte_mask(offset_bytes, len(data))
    _set_contents(wave, register, bytes(register_bytes))
    if unknown:
        forget_bits(wave, register.name, unknown)
    set_written(wave, register.name, offset_bytes, len(data))


def forget_contents(
    wave: SimulatedWave, register: RegisterInfo, offset_bytes: int, size_bytes: int
) -> None:
    """Make bytes of a register undefined; `UsageError` for one that always has a value."""
    if not forget_written(wave, register.name, offset_bytes, size_bytes):
        raise UsageError(f"{register.name} of a running machine cannot be unknown")


def _set_contents(wave: SimulatedWave, register: RegisterInfo, data: bytes) -> None:
    """Write all of a register; `UsageError` for one that is not simulated."""
    name, number = register.name, int.from_bytes(data, "little")
    bank, digits = name[:1], name[1:]
    if is_decimal(digits) and bank == "s":
        wave.s[int(digits)] = number
    elif is_decimal(digits) and bank in ("v", "a"):
        row = (wave.vectors if bank == "v" else wave.accumulators)[int(digits)]
        for lane in range(wave.lane_count):
            row[lane] = int.from_bytes(data[4 * lane : 4 * lane + 4], "little")
    elif name.startswith("ttmp"):
        wave.s[TTMP + int(name[4:])] = number
    elif name in PAIRS:
        wave.s[PAIRS[name]], wave.s[PAIRS[name] + 1] = number & _MASK32, number >> 32
    else:
        _set_number(wave, name, number)


def _set_number(wave: SimulatedWave, name: str, number: int) -> None:
    match name:
        case "pc":
            if wave.is_waiting:
                wave.leave_barrier()
            wave.pc = number
        case "exec":
            wave.set_exec(number)
        case "exec_hi":
            wave.set_exec(wave.exec & _MASK32 | number << 32)
        case "vcc":
            wave.set_vcc(number)
        case "vcc_hi":
            wave.set_vcc_dword(1, number)
        case "m0":
            wave.s[M0] = number
            wave.set_mode(wave.mode)  # on GFX9 it says which operands are indexed
        case "mode":
            wave.set_mode(number)
        case "scratch_base":
            wave.scratch_base = number
        case "status":
            wave.scc = number & 1
        case "state_priv":
            wave.scc = number >> 9 & 1
        case _:
            raise UsageError(f"{name} of a running machine cannot be written")
