"""Track which register bits of a running wave have been written: by the ABI's rules, by an
instruction, or by a debugger. Others are undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.machine.simulated.storage.scalar_slots import M0, PAIRS, TTMP
from dwarfgpu.machine.simulated.storage.undefined_numbers import Undefined, known_bits

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemory
    from dwarfgpu.machine.simulated.storage.wave_registers import RunningWave


def written_bits(wave: RunningWave, name: str, size_bytes: int) -> bytes:
    """Return for each byte of a register the mask of its bits that were written."""
    row = _row(wave, name)
    if row is not None:
        return wave.known_bits(row).tobytes()[:size_bytes]
    return (_scalar(wave, name) & (1 << 8 * size_bytes) - 1).to_bytes(size_bytes, "little")


def _scalar(wave: RunningWave, name: str) -> int:
    """Return the mask of the bits of a scalar that were written, -1 for all."""
    s = wave.s
    if name[:1] == "s" and is_decimal(name[1:]):
        return known_bits(s[int(name[1:])])
    if name.startswith("ttmp"):
        return known_bits(s[TTMP + int(name[4:])])
    if name in PAIRS:
        low, high = (known_bits(s[PAIRS[name] + n]) for n in range(2))
        return low & 0xFFFFFFFF | high << 32
    match name:
        case "vcc":
            return known_bits(wave.vcc)
        case "vcc_hi":
            return known_bits(wave.vcc) >> 32
        case "m0":
            return known_bits(s[M0])
        case "mode":
            return known_bits(wave.mode)
        case "status":
            known_vcc = known_bits(wave.vcc) & wave.all_lanes == wave.all_lanes
            return known_bits(wave.scc) & 1 | 1 << 9 | known_vcc << 10
        case "state_priv":
            return (known_bits(wave.scc) & 1) << 9
    return -1


def set_written(wave: RunningWave, name: str, offset_bytes: int, size_bytes: int) -> None:
    """Mark bytes of a register as defined; a scalar was already replaced by a plain number."""
    row = _row(wave, name)
    if row is not None:
        for byte, lanes in _lanes(offset_bytes, size_bytes):
            wave.write_bytes(row, 1 << byte, lanes)


def forget_written(wave: RunningWave, name: str, offset_bytes: int, size_bytes: int) -> bool:
    """Make bytes of a register undefined; False for one that always has a value."""
    return forget_bits(wave, name, byte_mask(offset_bytes, size_bytes))


def unknown_bits(wave: RunningWave, name: str) -> int:
    """Return the mask of the bits of a scalar that were not written."""
    return ~_scalar(wave, name)


def forget_bits(wave: RunningWave, name: str, mask: int) -> bool:
    """Make bits of a register undefined; False for one that always has a value."""
    s, row = wave.s, _row(wave, name)
    if row is not None:
        wave.forget_bits(row, mask)
    elif name[:1] == "s" and is_decimal(name[1:]):
        s[int(name[1:])] = _without(s[int(name[1:])], mask)
    elif name.startswith("ttmp"):
        number = TTMP + int(name[4:])
        s[number] = _without(s[number], mask)
    elif name in PAIRS:
        for number in range(2):
            index = PAIRS[name] + number
            s[index] = _without(s[index], mask >> 32 * number & 0xFFFFFFFF)
    elif name == "m0":
        s[M0] = _without(s[M0], mask)
    elif name == "vcc":
        wave.vcc = _without(wave.vcc, mask)
    elif name == "vcc_hi":
        wave.vcc = _without(wave.vcc, mask << 32)
    else:
        return False
    return True


def define_all(wave: WaveMemory) -> None:
    """Make all registers, private memory and LDS defined, with the contents that they have."""
    wave.written = [wave.all_lanes] * len(wave.written)
    wave.written_in_part.clear()
    wave.s = [int(number) for number in wave.s]
    wave.vcc, wave.scc, wave.mode = int(wave.vcc), int(wave.scc), int(wave.mode)
    wave.scratch_written = wave.lds.written = None


def _without(number: int, mask: int) -> int:
    return Undefined(number, known_bits(number) & ~mask)


def byte_mask(offset_bytes: int, size_bytes: int) -> int:
    """Return the mask of the bits of some bytes."""
    return (1 << 8 * size_bytes) - 1 << 8 * offset_bytes


def _lanes(offset_bytes: int, size_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield each byte of a dword, with the mask of the lanes where it is in a range of a vector
    register."""
    for byte in range(4):
        first, end = (-(-(edge - byte) // 4) for edge in (offset_bytes, offset_bytes + size_bytes))
        yield byte, (1 << end) - (1 << first)


def _row(wave: RunningWave, name: str) -> int | None:
    """Return the row of a vector register."""
    bank, digits = name[:1], name[1:]
    if not is_decimal(digits) or bank not in ("v", "a"):
        return None
    return int(digits) + (wave.vgprs if bank == "a" else 0)
