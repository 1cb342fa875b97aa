"""Global memory of a running machine: named allocations, with nothing mapped between them.

Law: an access is either inside one allocation for every lane, or a memory violation that names the
lane and the nearest allocation; nothing is written before that is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from dwarfgpu.errors import LimitExceeded, Unavailable, UsageError, counted
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.machine.simulated.storage.decoded_code import DecodedCode
from dwarfgpu.machine.simulated.wave_fault import WaveStop, other_lanes
from dwarfgpu.machine.sparse_memory import NO_MEMORY
from dwarfgpu.machine.topology import StopReason

GUARD_BYTES: Final = 4096
"""Size of the unmapped guard between two argument buffers."""

Lanes = np.ndarray[Any, Any]
SIZES: Final = {
    getattr(np, f"{kind}{bits}"): bits // 8
    for kind, sizes in (
        ("uint", (8, 16, 32, 64)),
        ("int", (8, 16, 32, 64)),
        ("float", (16, 32, 64)),
    )
    for bits in sizes
}
"""Bytes of an element, by its type."""
_ARRAYS: Final = frozenset({"data", "origin", "_alignment", "_windows"})
"""Of an allocation: what is made of its bytes."""
_EVERYWHERE: Final = slice(None)
_PIECE_BYTES: Final = 1 << 20
_MANY: Final = 256
"""The number of addresses from which aligned words are faster than windows."""


def extremes(numbers: Lanes) -> tuple[int, int]:
    """Return the least and the greatest: a third of the time of `min` and `max` for the lanes of a
    wave."""
    return numbers.item(numbers.argmin()), numbers.item(numbers.argmax())


def _aligned_words(
    allocation: Allocation, offsets: Lanes, size_bytes: int
) -> tuple[Lanes, Lanes] | None:
    """Return words and an index of them, where there are many and all are aligned."""
    words = allocation.words(size_bytes) if len(offsets) >= _MANY else None
    if words is None or (offsets & np.uint64(size_bytes - 1)).any():
        return None
    return words, (offsets >> np.uint64(size_bytes.bit_length() - 1)).view(np.intp)


class MemoryBudget:
    """What is left of `--max-state-bytes` while a machine is made: a small file can ask for much
    scratch, LDS and memory of code objects, which is zeros behind what the file has."""

    def __init__(self, most_bytes: int, used_bytes: int = 0) -> None:
        self._most_bytes, self._used_bytes = most_bytes, used_bytes

    def take(self, size_bytes: int, what: str) -> None:
        """Count memory before it is made; `LimitExceeded`, which names it, if that is too much."""
        self._used_bytes += size_bytes
        if self._used_bytes > self._most_bytes:
            raise LimitExceeded(
                f"{what} has {counted(size_bytes, 'byte')}: with what the machine has before, "
                f"{self._used_bytes} bytes of memory, more than {self._most_bytes}",
                "--max-state-bytes",
            )


def segment_bytes(segment: LoadedSegment, budget: MemoryBudget) -> bytearray:
    """Return the bytes of a segment, which are in memory once; `LimitExceeded` as of the budget."""
    size = segment.size_bytes
    budget.take(size, f"a segment of a code object at {segment.address:#x}")
    out = bytearray(size)
    for first in range(0, size, _PIECE_BYTES):
        count = min(_PIECE_BYTES, size - first)
        out[first : first + count] = segment.read(first, count)
    return out


class Unread(NamedTuple):
    """Bytes that are read when they are first accessed."""

    size_bytes: int
    read: Callable[[], bytearray]


class Allocation:
    """Consecutive bytes of memory that belong together."""

    __slots__ = (
        "_alignment",
        "_unread",
        "_windows",
        "code",
        "contents",
        "data",
        "end",
        "is_writable",
        "name",
        "origin",
        "start",
        "written",
    )

    def __init__(
        self,
        name: str,
        start: int,
        contents: bytes | bytearray | Unread,
        is_writable: bool,
        written: Lanes | None = None,
    ) -> None:
        """Bytes are copied; a bytearray, as large ones are made, belongs to the allocation."""
        self.name = name
        self.start = start
        self._unread = contents if isinstance(contents, Unread) else None
        if isinstance(contents, Unread):
            self.end = start + contents.size_bytes
        else:
            self.end = start + len(contents)
            self.contents = contents if isinstance(contents, bytearray) else bytearray(contents)
        self.is_writable = is_writable
        self.written = written
        """0xff for each byte that is defined, 0 for others; None where all are."""
        self.code: DecodedCode | None = None
        """What is to know of changes, because instructions were decoded here; None: nothing."""

    def __getattr__(self, name: str) -> Any:
        """Make the arrays when they are first asked for: a state may have hundreds of thousands of
        ranges of memory, and a program accesses few of them. So are bytes read that are unread."""
        if name == "contents" and self._unread is not None:
            self.contents = self._unread.read()
            return self.contents
        if name not in _ARRAYS:
            raise AttributeError(name)
        self._set_data(np.frombuffer(self.contents, np.uint8), self.start)
        return getattr(self, name)

    def _set_data(self, data: Lanes, alignment: int) -> None:
        """Set the data. `alignment`: a number that is a multiple of what the data is aligned to."""
        self.data = data
        """The bytes."""
        self._alignment = alignment
        self.origin = np.array(self.start, np.uint64)
        """`start`, to be subtracted from addresses."""
        self._windows: dict[int, Lanes] = {}

    def words(self, size_bytes: int) -> Lanes | None:
        """Return the bytes as whole words; None if they are not aligned."""
        if self._alignment % size_bytes:
            return None
        return self.data[: len(self.data) // size_bytes * size_bytes].view(f"u{size_bytes}")

    def window(self, size_bytes: int) -> Lanes:
        """Return a view with one `size_bytes` element starting at every byte offset, aligned or
        not."""
        window = self._windows.get(size_bytes)
        if window is None:
            shape = (max(len(self.data) - size_bytes + 1, 0),)
            window = np.ndarray(shape, f"V{size_bytes}", self.data, 0, (1,))
            self._windows[size_bytes] = window
        return window

    def part(self, first: int, end: int) -> Allocation:
        """Return some of the bytes, which are shared, as an allocation that begins at 0."""
        data = self.data[first:end]
        out = copy(self)
        out.start, out.end = 0, end - first
        out._set_data(data, first)
        return out

    def keep_decoded(self, pc: int, size_bytes: int, code: DecodedCode) -> None:
        """Note that an instruction was decoded here; `WaveStop` as of `DecodedCode.add`."""
        code.add(pc, size_bytes, self.data, self.start)
        self.code = code

    def write(self, offset: int, data: bytes | bytearray) -> None:
        """Replace bytes, which are defined then; for debuggers."""
        self._put(offset, data)
        if self.code is not None:
            self.code.replaced(self.start + offset, len(data))

    def store(self, offset: int, data: bytes) -> None:
        """Replace bytes as `write` does, for a wave."""
        self._put(offset, data)
        if self.code is not None:
            self.code.stored(self.start + offset, len(data))

    def _put(self, offset: int, data: bytes | bytearray) -> None:
        self.data[offset : offset + len(data)] = np.frombuffer(data, np.uint8)
        if self.written is not None:
            self.written[offset : offset + len(data)] = 0xFF


class Source(Protocol):
    """Memory that is not read before an access needs it."""

    def allocation_at(self, global_memory: GlobalMemory, address: int) -> Allocation | None:
        """Return memory with a byte at an address that is in no allocation yet; None if there is
        none."""
        ...

    def start_after(self, address: int) -> int:
        """Return where the next memory begins; after all addresses where none does."""
        ...

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether there is memory in a range."""
        ...

    def all(self) -> list[tuple[int, int]]:
        """Start and end of all ranges; `Unsupported` where they are too large to be read."""
        ...

    def why_missing(self, address: int, size_bytes: int) -> tuple[StopReason, str]:
        """Return the reason why a range cannot be accessed."""
        ...


class GlobalMemory:
    """All global memory."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self.allocations: list[Allocation] = []
        """Sorted by address."""
        self.absent: dict[int, str] = {}
        """What is not made, by the upper halves of the addresses that are given instead."""
        self.is_partial = False
        """Whether there may be more memory, whose contents are unknown."""
        self.source: Source | None = None
        """Where memory is read from that is in no allocation yet."""
        self.code = DecodedCode()
        """The instructions that were decoded in writable memory."""

    def add(
        self, name: str, start: int, contents: bytes | bytearray, *, is_writable: bool = True
    ) -> Allocation:
        """Make an allocation; `UsageError` where there is one."""
        if not contents:
            raise UsageError(f"{name} at {start:#x} has no bytes")
        return self.insert(Allocation(name, start, contents, is_writable))

    def insert(self, allocation: Allocation) -> Allocation:
        """Add an allocation; `UsageError` where there is one."""
        name, start = allocation.name, allocation.start
        index = bisect_right(self._starts, start)
        for neighbour in self.allocations[max(index - 1, 0) : index + 1]:
            if neighbour.start < allocation.end and start < neighbour.end:
                raise UsageError(f"{name} at {start:#x} and {neighbour.name} overlap")
        self._starts.insert(index, start)
        self.allocations.insert(index, allocation)
        return allocation

    def at(self, address: int) -> Allocation | None:
        """Return the allocation with a byte at an address."""
        index = bisect_right(self._starts, address) - 1
        if index < 0 or address >= self.allocations[index].end:
            if self.source is None:
                return None
            allocation = self.source.allocation_at(self, address)
            return None if allocation is None else self.insert(allocation)
        return self.allocations[index]

    def source_after(self, address: int) -> int:
        """Return where the next memory of the source or the next allocation begins."""
        _, end = self.gap(address)
        assert self.source is not None
        start = self.source.start_after(address)
        return start if end is None else min(start, end)

    def gap(self, address: int) -> tuple[int, int | None]:
        """Return the end of the allocation before an address in none, and the start of the next
        one."""
        index = bisect_right(self._starts, address)
        return (
            self.allocations[index - 1].end if index else 0,
            self._starts[index] if index < len(self._starts) else None,
        )

    def free_range(self, first: int, size_bytes: int) -> int:
        """Return the first address, in steps of `size_bytes`, at which that many bytes are free."""
        address = first
        while any(
            item.start < address + size_bytes and address < item.end for item in self.allocations
        ) or (self.source is not None and self.source.overlaps(address, address + size_bytes)):
            address += size_bytes
        return address

    # For scalars and debuggers.

    def read(self, address: int, size_bytes: int) -> bytes:
        """Read bytes that may lie in several allocations; `Unavailable` outside of them."""
        out = b""
        while len(out) < size_bytes:
            position = address + len(out)
            allocation = self.at(position)
            if allocation is None:
                raise Unavailable(f"cannot access memory at address {position:#x}: no allocation")
            first = position - allocation.start
            size = allocation.end - allocation.start
            last = min(size, first + size_bytes - len(out))
            out += allocation.data[first:last].tobytes()
        return out

    def write(self, address: int, data: bytes) -> None:
        """Write bytes that may lie in several allocations; `Unavailable` outside of them."""
        self.read(address, len(data))
        while data:
            allocation = self.at(address)
            assert allocation is not None
            first = address - allocation.start
            count = min(allocation.end - address, len(data))
            allocation.write(first, data[:count])
            address, data = address + count, data[count:]

    def scalar_read(self, address: int, size_bytes: int, verb: str = "reads") -> bytes:
        """Return the bytes that a wave reads; `WaveStop` if there is no allocation."""
        allocation = self.at(address)
        if allocation is None or address + size_bytes > allocation.end:
            raise self._stop(verb, address, size_bytes, ())
        first = address - allocation.start
        return allocation.data[first : first + size_bytes].tobytes()

    def scalar_write(self, address: int, data: bytes) -> None:
        """Write what a wave stores; `WaveStop` where there is no writable allocation."""
        if not self._has(address, len(data), "writes"):
            raise self._stop("writes", address, len(data), ())
        allocation = self.at(address)
        assert allocation is not None
        allocation.store(address - allocation.start, data)

    # For lanes.

    def gather(
        self,
        addresses: Lanes,
        kind: Any,
        count: int,
        lanes: Lanes | None,
        verb: str = "reads",
    ) -> Lanes:
        """Read consecutive elements at each address, shape (count, addresses), or (addresses,) for
        one.

        `lanes` are the numbers of the lanes that have the addresses; None: they are 0, 1, …
        """
        parts = self._parts(addresses, SIZES[kind] * count, lanes, verb)
        if len(parts) == 1:
            return self.read_elements(parts[0][0], addresses, kind, count)
        out = np.empty((count, len(addresses)) if count > 1 else len(addresses), kind)
        for allocation, chosen in parts:
            out[..., chosen] = self.read_elements(allocation, addresses[chosen], kind, count)
        return out

    @staticmethod
    def read_elements(allocation: Allocation, addresses: Lanes, kind: Any, count: int) -> Lanes:
        offsets = addresses - allocation.origin
        if count == 1:
            words = _aligned_words(allocation, offsets, SIZES[kind])
            if words is not None:
                return words[0][words[1]].view(kind)
        raw = allocation.window(SIZES[kind] * count)[offsets.view(np.intp)].view(kind)
        return raw if count == 1 else np.ascontiguousarray(raw.reshape(-1, count).T)

    def scatter(self, addresses: Lanes, values: Lanes, lanes: Lanes | None) -> None:
        """Write consecutive elements, of shape (count, addresses) or (addresses,), at each address.

        Where bytes are the same, the last lane wins.
        """
        count = 1 if values.ndim == 1 else len(values)
        parts = self._parts(addresses, values.itemsize * count, lanes, "writes")
        for allocation, chosen in parts:
            if len(parts) == 1:
                self.write_elements(allocation, addresses, values)
            else:
                self.write_elements(allocation, addresses[chosen], values[..., chosen])

    @staticmethod
    def write_elements(allocation: Allocation, addresses: Lanes, values: Lanes) -> None:
        size = values.itemsize
        count = 1 if values.ndim == 1 else len(values)
        offsets = addresses - allocation.origin
        words = _aligned_words(allocation, offsets, size) if count == 1 else None
        if words is not None:
            words[0][words[1]] = values.view(words[0].dtype)
        else:
            rows = np.ascontiguousarray(values if count == 1 else values.T).view(f"V{size * count}")
            allocation.window(size * count)[offsets.view(np.intp)] = rows.reshape(-1)
        if allocation.written is not None:
            index = offsets.astype(np.intp)[:, None] + np.arange(size * count)
            allocation.written[index] = 0xFF
        if allocation.code is not None:
            allocation.code.stored(addresses, size * count)

    def _parts(
        self, addresses: Lanes, size_bytes: int, lanes: Lanes | None, verb: str
    ) -> list[tuple[Allocation, Any]]:
        """Return the allocations that are touched, and which of the addresses each has."""
        if not len(addresses):
            return []
        first, last = extremes(addresses)
        allocation = self.at(first)
        if allocation is not None and last + size_bytes <= allocation.end:
            if verb != "reads" and not allocation.is_writable:
                raise self._violation(verb, addresses, size_bytes, lanes)
            return [(allocation, _EVERYWHERE)]
        out: list[tuple[Allocation, Lanes]] = []
        remaining = np.ones(len(addresses), bool)
        while remaining.any():
            index = int(np.flatnonzero(remaining)[0])
            address = int(addresses[index])
            allocation = self.at(address)
            if (
                allocation is None
                or address + size_bytes > allocation.end
                or (verb != "reads" and not allocation.is_writable)
            ):
                raise self._violation(verb, addresses, size_bytes, lanes)
            inside = remaining & (addresses >= np.uint64(allocation.start))
            inside &= addresses <= np.uint64(max(allocation.end - size_bytes, allocation.start))
            out.append((allocation, np.flatnonzero(inside)))
            remaining &= ~inside
        return out

    def _violation(
        self, verb: str, addresses: Lanes, size_bytes: int, lanes: Lanes | None
    ) -> WaveStop:
        """Return why some of the addresses cannot be accessed: the first one is described."""
        faulty = [
            index
            for index, address in enumerate(addresses.tolist())
            if not self._has(address, size_bytes, verb)
        ]
        address = int(addresses[faulty[0]])
        numbers = _numbers(faulty, lanes)
        return self._stop(verb, address, size_bytes, numbers)

    def _stop(self, verb: str, address: int, size_bytes: int, lanes: tuple[int, ...]) -> WaveStop:
        """Return why an address cannot be accessed: no memory is there, or nothing is known of
        it."""
        text = f"{verb} {counted(size_bytes, 'byte')} at {address:#x}: "
        if self.is_partial and self.at(address) is None:
            reason, why = self.why_missing(address, size_bytes)
            return _stop_of_lanes(text + why, lanes, address, reason)
        if self.source is not None and self._has_next(address, size_bytes):
            text += "it is in two parts of memory that were read apart"
            return _stop_of_lanes(text, lanes, address, StopReason.UNAVAILABLE)
        allocation = self.at(address)
        if self.is_partial and self.source is None and allocation is not None:
            known_bytes = allocation.end - address
            if known_bytes < size_bytes and (allocation.is_writable or verb == "reads"):
                text += f"the state has {known_bytes} of them"
                return _stop_of_lanes(text, lanes, address, StopReason.UNAVAILABLE)
        text += self.describe(address, size_bytes, verb)
        return _stop_of_lanes(text, lanes, address)

    def why_missing(self, address: int, size_bytes: int) -> tuple[StopReason, str]:
        """Return the reason why an address has no contents: no memory is there, as `describe` says
        it, or none is known."""
        if not self.is_partial:
            return StopReason.MEMORY_VIOLATION, self.describe(address, size_bytes, "reads")
        if self.source is not None:
            return self.source.why_missing(address, size_bytes)
        return StopReason.UNAVAILABLE, "the state does not have it"

    def _has(self, address: int, size_bytes: int, verb: str) -> bool:
        allocation = self.at(address)
        if allocation is None or address + size_bytes > allocation.end:
            return False
        return allocation.is_writable or verb == "reads"

    def _has_next(self, address: int, size_bytes: int) -> bool:
        """Return whether a range continues in the next allocation."""
        allocation = self.at(address)
        last = address + size_bytes - 1
        return allocation is not None and last >= allocation.end and self.at(last) is not None

    def describe(self, address: int, size_bytes: int, verb: str) -> str:
        """Say why an access fails, relative to the nearest allocation."""
        allocation = self.at(address)
        if allocation is not None:
            if verb != "reads" and not allocation.is_writable:
                return f"{allocation.name} is read-only"
            behind = address + size_bytes - allocation.end
            size = allocation.end - allocation.start
            offset = address - allocation.start
            return (
                f"{behind} of them after the end of {allocation.name}, which has "
                f"{counted(size, 'byte')}, from offset {offset} on"
            )
        if address >> 32 in self.absent:
            return self.absent[address >> 32]
        index = bisect_right(self._starts, address)
        texts = {GUARD_BYTES: NO_MEMORY}
        """By the distance."""
        if index < len(self.allocations):
            after = self.allocations[index]
            ahead = after.start - address
            texts[ahead] = f"{counted(ahead, 'byte')} before {after.name}"
        if index:
            before = self.allocations[index - 1]
            behind = address - before.end
            texts[behind] = (
                f"{counted(behind, 'byte')} after the end of {before.name}, which has "
                f"{counted(before.end - before.start, 'byte')}"
            )
        return texts[min(texts)]


def _stop_of_lanes(
    text: str,
    lanes: tuple[int, ...],
    address: int,
    reason: StopReason = StopReason.MEMORY_VIOLATION,
) -> WaveStop:
    """Return a memory violation of the first lane, and of the others."""
    who = f"lane {lanes[0]} " if lanes else ""
    return WaveStop(reason, f"{who}{text}{other_lanes(lanes)}", lanes=lanes, address=address)


def _numbers(chosen: Iterable[int], lanes: Lanes | None) -> tuple[int, ...]:
    return tuple(int(index if lanes is None else lanes[index]) for index in chosen)
