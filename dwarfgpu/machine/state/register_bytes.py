"""The bytes of a register, whose bits may be unknown."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.errors import PartlyUnavailable, Unavailable, WhollyUnavailable
from dwarfgpu.machine.sparse_memory import NOT_IN_STATE
from dwarfgpu.machine.target import RegisterId, WaveId


class RegisterBytes:
    """A register's bytes, and for each the mask of the bits that are known; others are zero.

    They do not change: a write replaces them in their wave.
    """

    __slots__ = ("data", "known", "known_bytes")

    def __init__(self, data: bytes, known: bytes) -> None:
        self.data: Final = data
        self.known: Final = known
        self.known_bytes: Final = len(data) if known.count(0xFF) == len(data) else 0
        """The size, if all bits are known, else 0."""

    def replaced(self, offset_bytes: int, data: bytes, mask: bytes) -> RegisterBytes:
        """Return the register with other bytes, of the same number as masks, from an offset."""
        end = offset_bytes + len(data)
        return RegisterBytes(
            self.data[:offset_bytes] + data + self.data[end:],
            self.known[:offset_bytes] + mask + self.known[end:],
        )

    def words(self) -> list[str]:
        """Return each byte as in a state file: `f0`, `??`, `%????0011`."""
        return [_word(*pair) for pair in zip(self.data, self.known, strict=True)]


@lru_cache(maxsize=64)
def unknown_register(size_bytes: int) -> RegisterBytes:
    """Return a register without known bits."""
    return RegisterBytes(bytes(size_bytes), bytes(size_bytes))


@lru_cache(maxsize=64)
def all_known(size_bytes: int) -> bytes:
    """Return the mask of bytes that are known, which all registers of a size share."""
    return b"\xff" * size_bytes


def _word(byte: int, mask: int) -> str:
    if mask in (0, 0xFF):
        return f"{byte:02x}" if mask else "??"
    digits = zip(f"{byte:08b}", f"{mask:08b}", strict=True)
    return "%" + "".join(bit if is_known == "1" else "?" for bit, is_known in digits)


def why_no_contents(wave: WaveId, register: RegisterId, why: str, which: str = "") -> str:
    """Return the message about a register, or `which` of its bytes, without contents. `why`:
    `NOT_IN_STATE` or `NOT_WRITTEN` of `dwarfgpu.machine.sparse_memory`."""
    of_wave = f"register {register} of wave {wave} is"
    which = which and f", {which}"
    return f"{of_wave} {why}{which}" if why == NOT_IN_STATE else f"{of_wave} unknown{which}: {why}"


def missing_bytes(
    wave: WaveId, register: RegisterId, why: str, stored: RegisterBytes, first: int, end: int
) -> Unavailable:
    """Return the error of reading bytes of a register that are not all known; `why` as of
    `why_no_contents`."""
    start = next(byte for byte in range(first, end) if stored.known[byte] != 0xFF)
    after = stored.known.find(0xFF, start, end)
    last = (end if after < 0 else after) - 1
    which = f"byte {start}" if start == last else f"bytes {start} to {last}"
    problem = why_no_contents(wave, register, why, which)
    if end - first == 1 and stored.known[first]:
        return PartlyUnavailable(problem, stored.data[first], stored.known[first])
    is_any_known = any(stored.known[first:end])
    return Unavailable(problem) if is_any_known else WhollyUnavailable(problem)
