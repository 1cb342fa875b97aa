"""Who accessed the dwords of a memory, and which accesses no barrier orders.

For each dword, two stamps: of who wrote it, and of who has read it. A stamp has the number of a
wave, and the number of barriers that its workgroup had passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes

MAX_WAVES: Final = 1 << 16
NUMBER: Final = np.uint32(MAX_WAVES - 1)
_MANY: Final = np.uint32(MAX_WAVES)
"""The number is that of a workgroup: several of its waves accessed the dword."""
BARRIERS: Final = np.uint32(17)
"""The first bit of the number of barriers."""
MAX_BARRIERS: Final = 1 << 13
_EVERYONE: Final = np.uint32(0x7FFFFFFF)
"""Waves of several workgroups."""
COMMUTING: Final = np.uint32(0x80000000)
"""Not a wave, but atomic operations of one kind."""
_MAX_PENDING: Final = 1 << 22


@frozen
class Unordered:
    """Two accesses to a dword, at least one of them a store, without a barrier between them."""

    address: int
    """Of the dword, in its memory."""
    wave: int
    is_written: bool
    """By that wave; else it reads."""
    other: int | None
    """Another wave; None where several have done so: one or more of them are others."""
    is_written_by_other: bool
    space: Literal["global", "local"] = "global"
    pc: int | None = None
    """The address of the instruction with which `wave` accesses it; None if it is unknown."""


class Conflict(Exception):
    """The order of waves may matter."""

    def __init__(self, accesses: Unordered | None = None) -> None:
        super().__init__()
        self.accesses = accesses
        """What was seen; None where it is no matter of accesses, or not certain: an atomic
        operation, an access to a part of a dword, where the other may be to another part, or
        stores of the same value."""
        self.pc: int | None = None
        """The instruction, if it is known."""

    def move(self, distance: int, space: Literal["global", "local"]) -> None:
        """Say in which memory the accesses are, and how far behind the address."""
        if self.accesses is not None:
            address = self.accesses.address + distance
            self.accesses = evolve(self.accesses, address=address, space=space)


class Stored(NamedTuple):
    """What an access stores, and the bytes that its memory has before it."""

    elements: Lanes
    """Shape (accesses,) or (elements, accesses)."""
    contents: Lanes

    def differs(self, clash: _Clash, chosen: Lanes, dwords: Lanes, first: Lanes) -> Lanes:
        """Return where a store changes what the other has stored, of dwords that both cover.

        `chosen`: the numbers of those of the clash; `dwords`: their dwords; `first`: the offsets
        at which the accesses to them begin.
        """
        rows = self.elements if self.elements.ndim > 1 else self.elements[None]
        data = np.ascontiguousarray(rows.T).view(np.uint8)
        part = np.arange(4)
        in_access = (4 * dwords - first)[:, None] + part
        now = data[clash.positions[chosen, None], in_access]
        if clash.winners is None:
            before = self.contents[4 * dwords[:, None] + part]
        else:
            before = data[clash.winners[chosen, None], in_access]
        result: Lanes = (now != before).any(1)
        return result


class _Clash(Exception):
    """Accesses of a dword that no barrier orders."""

    def __init__(
        self,
        positions: Lanes,
        before: Lanes,
        now: Lanes,
        *,
        was_written: bool,
        winners: Lanes | None = None,
    ) -> None:
        """`positions`: in the access; `before`, `now`: the stamps there; `winners`: the positions
        of the stores that left the stamps before, if they are in the same access."""
        super().__init__()
        self.positions, self.before, self.now = positions, before, now
        self.was_written = was_written
        self.winners = winners


class Stamps:
    """Who has written and read each dword of a memory."""

    def __init__(self, size_bytes: int, workgroups: Lanes) -> None:
        self._workgroups = workgroups
        self._whole = size_bytes // 4
        """How many dwords the memory has; an access beyond is a violation."""
        self._count = self._whole + 2
        self._writers = np.zeros(self._count, np.uint32)
        self._readers = np.zeros(self._count, np.uint32)
        self._is_written = False
        self._pending: list[tuple[Lanes, Any]] = []
        """Reads since the last write: they matter only if something is written later."""
        self._pending_count = 0
        self._scalar_reads: set[tuple[int, int, int]] = set()
        """Offsets, bytes and stamps that are pending."""
        self._atomics: Lanes | None = None
        """Where atomic operations were, if any was."""
        self._is_exact = True
        """Whether all dwords with a stamp were accessed: no access to neighbours made it."""

    def scalar_read(self, offset: int, size_bytes: int, stamp: np.uint32) -> None:
        if self._is_written:
            index = np.arange(offset >> 2, (offset + size_bytes + 3) >> 2)
            try:
                self._require_order(self._writers[index], stamp)
            except _Clash as clash:
                offsets = np.full(len(index), offset)
                self._require_no_overlap(clash, index, offsets, size_bytes, is_written=False)
                raise Conflict from None
        self._scalar_reads.add((offset, size_bytes, int(stamp)))

    def access(
        self,
        offsets: Lanes,
        size_bytes: int,
        stamps: Any,
        *,
        reads: bool,
        writes: bool,
        stored: Stored | None,
    ) -> None:
        first = (offsets >> np.uint64(2)).astype(np.intp)
        count = (size_bytes + 3) // 4
        if size_bytes < 4:
            last = (offsets + np.uint64(size_bytes - 1) >> np.uint64(2)).astype(np.intp)
            if (last != first).any():
                self._is_exact = False
                count += 1
        elif (offsets & np.uint64(3)).any():
            self._is_exact = False
            count += 1
        is_atomic = reads and writes
        has_conflict = False
        for number in range(count):
            index = first + number
            try:
                if writes:
                    self._write(index, stamps)
                elif reads:
                    self._read(index, stamps)
            except _Clash as clash:
                has_conflict = True
                both_write = writes and clash.was_written
                if not is_atomic and (stored is not None or not both_write):
                    values = stored if both_write else None
                    self._require_no_overlap(
                        clash, index, offsets, size_bytes, is_written=writes, stored=values
                    )
            if is_atomic and not has_conflict:
                if self._atomics is None:
                    self._atomics = np.zeros(self._count, bool)
                self._atomics[index] = True
        if has_conflict:
            raise Conflict

    def _require_no_overlap(
        self,
        clash: _Clash,
        index: Lanes,
        offsets: Lanes,
        size_bytes: int,
        *,
        is_written: bool,
        stored: Stored | None = None,
    ) -> None:
        """Raise `Conflict` with accesses that certainly overlap, if there are any.

        The later of them has to cover a dword: of the earlier, it is not known which part. If
        `stored`, both store: they have to store different values.
        """
        if not self._is_exact:
            return
        dwords = index[clash.positions]
        first = offsets[clash.positions].astype(np.int64)
        certain = (first <= 4 * dwords) & (first + size_bytes >= 4 * dwords + 4)
        certain &= (clash.before <= _EVERYONE) & (clash.now < _EVERYONE)
        certain &= dwords < self._whole
        if self._atomics is not None:
            certain &= ~self._atomics[dwords]
        chosen = np.flatnonzero(certain)
        if stored is not None and len(chosen):
            chosen = chosen[stored.differs(clash, chosen, dwords[chosen], first[chosen])]
        if not len(chosen):
            return
        number = int(chosen[0])
        before, now = clash.before[number], clash.now[number]
        is_wave = before < _EVERYONE and not before & _MANY
        raise Conflict(
            Unordered(
                4 * int(dwords[number]),
                int(now & NUMBER),
                is_written,
                int(before & NUMBER) if is_wave else None,
                clash.was_written,
            )
        ) from None

    def forget(self, ranges: Sequence[tuple[int, int]]) -> None:
        is_kept = np.ones(self._count, bool)
        for first, end in ranges:
            is_kept[first // 4 : (end + 3) // 4] = False
        self._writers[~is_kept] = 0
        self._readers[~is_kept] = 0
        if self._atomics is not None:
            self._atomics[~is_kept] = False
        self._is_written = bool(self._writers.any())
        pending, self._pending = self._pending, []
        for index, stamps in pending:
            chosen = is_kept[index]
            if chosen.any():
                part = stamps[chosen] if np.ndim(stamps) else stamps
                self._pending.append((index[chosen], part))
        self._pending_count = sum(len(index) for index, _ in self._pending)

    def _flush(self) -> None:
        pending, self._pending, self._pending_count = self._pending, [], 0
        for index, stamps in pending:
            self._note_read(index, stamps)
        for offset, size_bytes, stamp in self._scalar_reads:
            index = np.arange(offset >> 2, (offset + size_bytes + 3) >> 2)
            self._note_read(index, np.uint32(stamp))
        self._scalar_reads.clear()

    def _read(self, index: Lanes, stamps: Any) -> None:
        if self._is_written:
            self._require_order(self._writers[index], stamps)
        self._pending.append((index, stamps))
        self._pending_count += len(index)
        if self._pending_count > _MAX_PENDING:
            self._flush()

    def _note_read(self, index: Lanes, stamps: Any) -> None:
        before = self._readers[index]
        mixed = (before != 0) & (before != stamps)
        new = np.broadcast_to(stamps, before.shape)
        if mixed.any():
            unordered = mixed & self._is_unordered(before, new)
            is_later = self._is_later(before, new)
            new = np.where(unordered & ~is_later, self._merged(before, new), new)
            new = np.where(is_later, before, new)
        self._readers[index] = new
        clash = self._readers[index] != new  # several waves at once
        if clash.any():
            merged = self._merged(self._readers[index[clash]], new[clash])
            self._readers[index[clash]] = merged
            everyone = merged == _EVERYONE
            self._readers[index[clash][everyone]] = _EVERYONE

    def _write(self, index: Lanes, stamps: Any) -> None:
        self._is_written = True
        self._flush()
        self._require_order(self._writers[index], stamps)
        self._require_order(self._readers[index], stamps, was_written=False)
        self._writers[index] = stamps
        if np.ndim(stamps):
            left = self._writers[index]
            clash = np.flatnonzero(left != stamps)
            if len(clash):
                last = {dword: number for number, dword in enumerate(index.tolist())}
                winners = np.array([last[dword] for dword in index[clash].tolist()])
                raise _Clash(clash, left[clash], stamps[clash], was_written=True, winners=winners)

    def _require_order(self, before: Lanes, stamps: Any, *, was_written: bool = True) -> None:
        """Raise `_Clash` where no barrier is after the accesses that left stamps."""
        mixed = (before != 0) & (before != stamps)
        if mixed.any():
            now = np.broadcast_to(stamps, before.shape)[mixed]
            unordered = self._is_unordered(before[mixed], now)
            if unordered.any():
                positions = np.flatnonzero(mixed)[unordered]
                earlier, later = before[mixed][unordered], now[unordered]
                raise _Clash(positions, earlier, later, was_written=was_written)

    def _is_unordered(self, before: Lanes, now: Lanes) -> Lanes:
        """Return whether no barrier orders an access and an earlier one by another wave."""
        is_wave = (before & _MANY == 0) & (before < COMMUTING)
        same_wave = is_wave & ((before ^ now) & NUMBER == 0)
        ordered = (self._workgroup(before) == self._workgroup(now)) & (
            before >> BARRIERS < now >> BARRIERS
        )
        special = (before >= _EVERYONE) | (now >= COMMUTING)
        result: Lanes = special | ~(same_wave | ordered)
        return result

    def _is_later(self, before: Lanes, now: Lanes) -> Lanes:
        """Return whether a noted read is behind a barrier that a pending one precedes: scalar reads
        are noted after others."""
        is_same = (self._workgroup(before) == self._workgroup(now)) & (before < _EVERYONE)
        result: Lanes = is_same & (before >> BARRIERS > now >> BARRIERS)
        return result

    def _workgroup(self, stamps: Lanes) -> Lanes:
        number = stamps & NUMBER
        of_wave = self._workgroups[np.minimum(number, len(self._workgroups) - 1)]
        return np.where(stamps & _MANY != 0, number, of_wave)

    def _merged(self, before: Lanes, now: Lanes) -> Lanes:
        """Return the stamp of two readers that no barrier separates."""
        workgroup = self._workgroup(now)
        is_same = (self._workgroup(before) == workgroup) & (before < _EVERYONE)
        is_same &= (before >> BARRIERS == now >> BARRIERS) & (now < _EVERYONE)
        many = now & ~NUMBER | _MANY | workgroup
        return np.where(is_same, many, _EVERYONE)
