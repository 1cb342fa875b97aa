"""Sparse memory: ranges of known bytes.

Law: added data costs its own bytes, however much is known already; a fill costs none. Nor are known
ranges compared again and again: those within added data become one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.model.storage import Memory

PIECE_BYTES: Final = 1 << 20
"""Maximum number of bytes of a fill that are made at once."""
NO_ACCESS: Final = "cannot access memory at address "
"""How a reason begins why memory cannot be read or written."""
NOT_WRITTEN: Final = "nothing has written it"
"""Why a machine that runs has no contents of an address."""
NOT_IN_STATE: Final = "not in the state"
"""Why memory that a state leaves out cannot be read."""
UNMAPPED: Final = "nothing is mapped there"
"""Why memory that is not in a process cannot be read."""
NO_MEMORY: Final = "no memory is there"
"""Why memory that a kernel was not given cannot be read."""


@frozen
class Fill:
    """A number of equal bytes."""

    byte: int
    size_bytes: int

    def __len__(self) -> int:
        return self.size_bytes

    def part(self, first: int, end: int) -> Fill:
        """Return the bytes from an offset to another."""
        return Fill(self.byte, max(min(end, self.size_bytes) - first, 0))

    def to_bytes(self) -> bytes:
        return bytes([self.byte]) * self.size_bytes


Run: TypeAlias = "bytearray | Fill"
Data: TypeAlias = "bytes | bytearray | Fill"


def part_of(data: Data, first: int, end: int) -> Data:
    """Return the bytes from an offset to another, or to the end."""
    return data.part(first, end) if isinstance(data, Fill) else data[first:end]


def bytes_of(data: Data) -> bytes:
    return data.to_bytes() if isinstance(data, Fill) else bytes(data)


def pieces_of(data: Data) -> Iterator[tuple[int, bytes | bytearray]]:
    """Yield the bytes with their offsets, those of a fill in pieces: it may be large. All of its
    pieces but the last are one object."""
    if not isinstance(data, Fill):
        yield 0, data
        return
    piece = data.part(0, PIECE_BYTES).to_bytes()
    for first in range(0, len(data), PIECE_BYTES):
        yield first, piece if first + len(piece) <= len(data) else piece[: len(data) - first]


def at_requested_address(
    error: Unavailable, where: Memory, address: int, *, is_same: bool
) -> Unavailable:
    """Return the error of a store in terms of the requested address, and where that is; `is_same`:
    the store has it at that address."""
    if is_same:
        return error
    requested = f"{where.space}#{address:#x}"
    lane = "" if where.lane is None else f"of lane {where.lane} "
    if error.message.startswith(NO_ACCESS):
        inner = error.message.removeprefix(NO_ACCESS)
        return Unavailable(f"{NO_ACCESS}{requested}: {lane}it is {inner}")
    return Unavailable(f"{NO_ACCESS}{requested}: {lane and f'{lane}: '}{error.message}")


class SparseMemory:
    """Known ranges of one address range, in order; none overlaps another, neighbours may touch."""

    def __init__(self, name: str) -> None:
        self.name = name
        """The address space, as people write it before `#`; empty for the default one."""
        self._starts: list[int] = []
        self._runs: list[Run] = []
        self.changes: int | None = 0
        """How often bytes became known or changed; None if others change them, too."""

    def add(self, address: int, data: Data) -> None:
        """Make bytes known; `UsageError` where they contradict bytes known already."""
        if not data:
            return
        self._count()
        end = address + len(data)
        if not self._starts or address >= self._end(-1):
            self._insert(len(self._starts), address, data)
            return
        known = self._overlapped(address, end)
        for index in known:
            self._check(index, address, data)
        # The runs within become one, or many ranges over many runs would compare each with each.
        # Those that only begin or end in the range stay as they are: they may be much longer.
        begin, first, last = address, known.start, known.stop
        if first < last and self._starts[first] < address:
            begin = self._end(first)
            first += 1
        if first < last and self._end(last - 1) > end:
            last -= 1
            end = self._starts[last]
        if begin < end:
            del self._starts[first:last], self._runs[first:last]
            self._insert(first, begin, part_of(data, begin - address, end - address))

    def share(self, address: int, run: bytearray) -> None:
        """Make bytes known that others change too; nothing is known there before, and nothing is
        added there later."""
        self.changes = None
        index = bisect_right(self._starts, address)
        self._starts.insert(index, address)
        self._runs.insert(index, run)

    def replace(self, address: int, data: Data) -> None:
        """Make bytes known, replacing earlier contents."""
        if not data:
            return
        self._count()
        end = address + len(data)
        run_known = self._overlapped(address, end)
        if len(run_known) == 1 and not isinstance(data, Fill):
            start, run = self._starts[run_known.start], self._runs[run_known.start]
            if isinstance(run, bytearray) and start <= address and end <= start + len(run):
                run[address - start : end - start] = data
                return
        remainders: list[tuple[int, Run]] = []
        for index in run_known:
            start, run = self._starts[index], self._runs[index]
            for first, last in ((start, address), (end, start + len(run))):
                if first < last:
                    remainders.append((first, _run(part_of(run, first - start, last - start))))
        self._starts[run_known.start : run_known.stop] = [start for start, _ in remainders]
        self._runs[run_known.start : run_known.stop] = [run for _, run in remainders]
        self._insert(bisect_right(self._starts, address), address, data)

    def _count(self) -> None:
        self.changes = None if self.changes is None else self.changes + 1

    def _end(self, index: int) -> int:
        return self._starts[index] + len(self._runs[index])

    def _overlapped(self, address: int, end: int) -> range:
        """Return the indexes of the runs that have bytes of a range; where they would be, if none
        has."""
        first = bisect_right(self._starts, address)
        if first and self._end(first - 1) > address:
            first -= 1
        last = first
        while last < len(self._starts) and self._starts[last] < end:
            last += 1
        return range(first, last)

    def _insert(self, index: int, address: int, data: Data) -> None:
        """Insert bytes before the run of an index; they extend the one before if possible."""
        if not data:
            return
        if index and self._end(index - 1) == address:
            before = self._runs[index - 1]
            if isinstance(before, bytearray) and not isinstance(data, Fill):
                before += data
                return
            if isinstance(before, Fill) and isinstance(data, Fill) and before.byte == data.byte:
                self._runs[index - 1] = Fill(data.byte, len(before) + len(data))
                return
        self._starts.insert(index, address)
        self._runs.insert(index, _run(data))

    def _check(self, index: int, address: int, data: Data) -> None:
        """Raise `UsageError` where a run has other bytes than these."""
        start, run = self._starts[index], self._runs[index]
        first, last = max(start, address), min(start + len(run), address + len(data))
        existing = part_of(run, first - start, last - start)
        added = part_of(data, first - address, last - address)
        if isinstance(existing, Fill) and isinstance(added, Fill):
            is_same = existing == added
        elif isinstance(existing, Fill) or isinstance(added, Fill):
            fill, plain = (existing, added) if isinstance(existing, Fill) else (added, existing)
            assert isinstance(fill, Fill) and not isinstance(plain, Fill)
            is_same = plain.count(fill.byte) == len(plain)
        else:
            is_same = existing == added
        if not is_same:
            where = f"{self.name or 'global'} memory at {first:#x}"
            raise UsageError(f"{where} is given twice, with other contents")

    def read(self, address: int, size_bytes: int) -> bytes:
        """Return the bytes, all of them known, or `Unavailable`."""
        parts = self.known(address, size_bytes)
        if len(parts) == 1 and len(parts[0][1]) == size_bytes:
            return parts[0][1]
        self._require(address, size_bytes)
        return b"".join(data for _, data in parts)

    def require_writable(self, address: int, size_bytes: int) -> None:
        """Raise `Unavailable` unless all bytes of a range can be written."""
        self._require(address, size_bytes)

    def _require(self, address: int, size_bytes: int) -> None:
        """Raise `Unavailable` unless all bytes of a range are known; no bytes are known where one
        is."""
        position = address
        for index in self._overlapped(address, address + max(size_bytes, 1)):
            if self._starts[index] > position:
                break
            position = self._end(index)
        is_end = not size_bytes and bool(self._starts) and self._is_end(address)
        if position < address + max(size_bytes, 1) and not is_end:
            address_text = f"{self.name}#{position:#x}" if self.name else f"{position:#x}"
            why = self.why_missing(position)
            raise Unavailable(f"{NO_ACCESS}{address_text}: {why}")

    def why_missing(self, address: int) -> str:
        """Return the reason why nothing is known of an address."""
        return NOT_IN_STATE

    def _is_end(self, address: int) -> bool:
        index = bisect_right(self._starts, address) - 1
        return index >= 0 and self._end(index) == address

    def known(self, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range: offsets in it, and bytes; adjacent parts are
        joined."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0:
            run, first = self._runs[index], address - self._starts[index]
            if type(run) is bytearray and 0 < size_bytes <= len(run) - first:
                return [(0, bytes(run[first : first + size_bytes]))]
        out: list[tuple[int, list[bytes]]] = []
        position = address - 1
        end = address + size_bytes
        for index in self._overlapped(address, end):
            start = self._starts[index]
            first, last = max(start, address), min(self._end(index), end)
            data = bytes_of(part_of(self._runs[index], first - start, last - start))
            if out and first == position:
                out[-1][1].append(data)
            elif data:
                out.append((first - address, [data]))
            position = last
        return [(offset, parts[0] if len(parts) == 1 else b"".join(parts)) for offset, parts in out]

    def write(self, address: int, data: bytes) -> None:
        """Change known bytes; `Unavailable` if any is unknown."""
        self._require(address, len(data))
        self.replace(address, data)

    @property
    def has_neighbours(self) -> bool:
        """Whether any known range continues in another."""
        return any(self._end(index) == start for index, start in enumerate(self._starts[1:]))

    def runs(self) -> list[tuple[int, Run]]:
        """Return every known range: its address, and its bytes themselves, which must not be
        resized."""
        return list(zip(self._starts, self._runs, strict=True))


def _run(data: Data) -> Run:
    return data if isinstance(data, Fill) else bytearray(data)
