"""Fetch what one access reads: each range of a register or of memory once.

Law: unreadable bits are reported bit by bit, with the reason; nothing is read twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, Protocol, TypeAlias

from dwarfgpu.base.bits import Endian, extract
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.errors import LimitExceeded, PartlyUnavailable, Unavailable, WhollyUnavailable
from dwarfgpu.model.location import SingleLocation
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory, Register

Load: TypeAlias = Callable[[Memory | Register, int, int], bytes]
"""Storage, first byte and bytes: all of them, or `Unavailable`."""
IsUnreadable: TypeAlias = Callable[[Memory, int, int], bool]
"""Called with memory, first byte and size: True if no byte is readable; False also if unsure."""

PROBES = 1 << 14
"""Reads spent on finding out which bytes of an unreadable range can be read after all: enough for
any range of half as many bytes."""
_TOO_MANY: Final = f"more than {PROBES} reads were needed to find the readable bytes"


@frozen
class Run:
    """Bits that follow each other in one single location outside any composite, or in several."""

    single_locations: tuple[SingleLocation, ...]
    size_bits: int
    stop: int | None


@define
class RunBudget:
    """How much of storage one access may still touch, in pieces; composites in composites share
    it."""

    limit: int
    remaining: int = field(init=False)

    @remaining.default
    def _left(self) -> int:
        return self.limit

    def spend(self, pieces: int = 1) -> None:
        self.remaining -= pieces
        if self.remaining < 0:
            raise LimitExceeded(
                f"more than {self.limit} pieces of storage in one access", "--max-runs"
            )


class ReadBudget(Protocol):
    """What counts the bits that an evaluation reads."""

    def spend(self, bits: int) -> None:
        """Count bytes that were read; `LimitExceeded` if one evaluation may not read that many."""
        ...


READ_BUDGET: Final[ContextVar[ReadBudget | None]] = ContextVar(
    "what the evaluation may still read", default=None
)
"""The budget of the current evaluation; None outside of evaluations.

The frames and units that an evaluation consults evaluate in their own contexts and find it here.
"""


class Fetch(Protocol):
    """What one access reads of registers and memories."""

    @property
    def budget(self) -> RunBudget: ...

    def read(self, storage: Memory | Register, first: int, count: int) -> Bits:
        """Return bits of a storage starting at bit `first`; unreadable bits are marked."""
        ...


class CoalescedReads:
    """The registers and memories of one read, each range fetched once, on first use."""

    GAP_BYTES = 256
    """Ranges of one storage at most this far apart are fetched together."""

    def __init__(
        self,
        load: Load,
        endian: Endian,
        runs: list[Run],
        budget: RunBudget,
        is_unreadable: IsUnreadable | None = None,
    ) -> None:
        self.load = load
        self.is_unreadable = is_unreadable
        self.endian: Endian = endian
        self.budget = budget
        self.data: dict[tuple[object, int], bytes | None] = {}
        self.ranges: dict[object, list[tuple[int, int]]] = {}
        if len(runs) > 1:
            for run in runs:
                single = run.single_locations[0]
                if len(run.single_locations) == 1 and isinstance(single.storage, Memory | Register):
                    first_byte = single.bit_offset // 8
                    end_byte = (single.bit_offset + run.size_bits + 7) // 8
                    self.ranges.setdefault(storage_key(single.storage), []).append(
                        (first_byte, end_byte)
                    )
            for key, ranges in self.ranges.items():
                self.ranges[key] = self._merged(ranges)

    def _merged(self, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        ranges.sort()
        out: list[tuple[int, int]] = []
        for first_byte, end_byte in ranges:
            if out and first_byte - out[-1][1] <= self.GAP_BYTES:
                out[-1] = (out[-1][0], max(out[-1][1], end_byte))
            else:
                out.append((first_byte, end_byte))
        return out

    def read(self, storage: Memory | Register, first: int, count: int) -> Bits:
        """Return bits of a storage starting at bit `first`; unreadable bits are marked."""
        whole = self.whole(storage, first, count)
        if whole is None:
            first_byte, bit = divmod(first, 8)
            size_bytes = (bit + count + 7) // 8
            bits = concatenate(self._probed(storage, first_byte, size_bytes), self.endian)
            return bits.slice(bit, count, self.endian)
        return Bits(whole, count)

    def whole(self, storage: Memory | Register, first: int, count: int) -> int | None:
        """Return bits of a storage starting at bit `first`; None if any is unreadable."""
        first_byte, bit = divmod(first, 8)
        size_bytes = (bit + count + 7) // 8
        data = self._bytes(storage, first_byte, size_bytes)
        if data is None:
            return None
        return extract(int.from_bytes(data, self.endian), 8 * size_bytes, bit, count, self.endian)

    def _bytes(self, storage: Memory | Register, first_byte: int, size_bytes: int) -> bytes | None:
        """Return the bytes from the range fetched together; None if it is unreadable."""
        key = storage_key(storage)
        ranges = self.ranges.get(key)
        if ranges is None:
            return self._load(storage, first_byte, size_bytes)
        start, end = ranges[bisect_right(ranges, (first_byte, 1 << 70)) - 1]
        if (key, start) not in self.data:
            self.data[key, start] = self._load(storage, start, end - start)
        data = self.data[key, start]
        if data is None:
            is_all = first_byte == start and size_bytes == end - start
            return None if is_all else self._load(storage, first_byte, size_bytes)
        return data[first_byte - start : first_byte - start + size_bytes]

    def _load(self, storage: Memory | Register, first_byte: int, size_bytes: int) -> bytes | None:
        try:
            return self.load(storage, first_byte, size_bytes)
        except Unavailable:
            return None

    def _probed(self, storage: Memory | Register, first_byte: int, size_bytes: int) -> list[Bits]:
        """Read an unreadable range by halves, so that the bytes that can be read are.

        Where that takes too many reads, the reason says so.
        """
        out: list[Bits] = []
        reason: str | None = None  # of the whole range: its halves would only repeat it
        pending = [(first_byte, size_bytes)]
        probes = PROBES
        while pending:
            start, size = pending.pop()
            probes -= 1
            self.budget.spend()
            try:
                data = self.load(storage, start, size)
                out.append(Bits(int.from_bytes(data, self.endian), 8 * size))
            except Unavailable as error:
                reason = reason or error.message
                if size == 1:
                    out.append(_byte(error, reason))
                elif self._is_unknown(storage, start, size, error):
                    out.append(_unavailable(size, reason))
                elif probes <= 0:
                    remaining = first_byte + size_bytes - start
                    reason = f"{reason}; the last {remaining} bytes were not read: {_TOO_MANY}"
                    out = [
                        Bits(chunk.value, chunk.size_bits, 0, chunk.unavailable, (reason,))
                        if chunk.unavailable
                        else chunk
                        for chunk in out
                    ]
                    out.append(_unavailable(remaining, reason))
                    break
                else:
                    pending.append((start + size // 2, size - size // 2))
                    pending.append((start, size // 2))
        return out

    def _is_unknown(
        self, storage: Memory | Register, first_byte: int, size_bytes: int, error: Unavailable
    ) -> bool:
        """Return whether the machine says at once that no byte of a range can be read."""
        if isinstance(error, WhollyUnavailable):
            return True
        if self.is_unreadable is None or not isinstance(storage, Memory):
            return False
        try:
            return self.is_unreadable(storage, first_byte, size_bytes)
        except Unavailable:
            return False  # each byte gives its own reason


def _byte(error: Unavailable, reason: str) -> Bits:
    """Return an unreadable byte; some bits of a register may be known even so."""
    if not isinstance(error, PartlyUnavailable):
        return _unavailable(1, reason)
    return Bits(error.value, 8, unavailable=error.known ^ 0xFF, reasons=(reason,))


def _unavailable(size_bytes: int, reason: str) -> Bits:
    size_bits = 8 * size_bytes
    return Bits(0, size_bits, unavailable=(1 << size_bits) - 1, reasons=(reason,))


def storage_key(storage: Memory | Register) -> object:
    """Identify a storage by a key that is cheaper to compare than the storage."""
    if isinstance(storage, Register):
        return (id(storage.register), storage.wave, storage.frame)
    return (storage.space.number, storage.wave, storage.lane)
