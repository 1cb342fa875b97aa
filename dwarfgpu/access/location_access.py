"""Read the bits of a location description, run by run: what access for one lane and for many share.

`dwarfgpu.access.one_lane` and `dwarfgpu.access.many_lanes` add how the bits of a run are fetched,
`dwarfgpu.access.write_location` writes.

Read any, write all (AMD text A.2.5.3): a location with several places is read from the first
readable place and written to every place.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from operator import index as as_integer
from typing import assert_never

from dwarfgpu.access.coalesced_reads import READ_BUDGET, Fetch, Run, RunBudget
from dwarfgpu.access.compare_single_locations import Comparison
from dwarfgpu.access.exact_reads import exact_bytes
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, contents, wrong_value
from dwarfgpu.base.bits import Endian, extract
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import (
    EvaluationError,
    LimitExceeded,
    MissingContext,
    OutOfRange,
    StaleLocation,
    Unavailable,
    UndefinedBits,
)
from dwarfgpu.machine.target import Target
from dwarfgpu.model.location import Location, SingleLocation, storage_name
from dwarfgpu.model.object import REASON_UNDEFINED, Bits, concatenate
from dwarfgpu.model.storage import (
    Composite,
    Implicit,
    ImplicitPointer,
    Memory,
    Register,
    Repeated,
    Selected,
    Undefined,
)

PLAIN_LEVELS = 4
"""Composites inside one another that are searched for the only single location of an object."""
NO_BITS = "an implicit pointer has no bits: it can only be dereferenced whole"
"""Reason given for the unavailable bits of an implicit pointer."""


def too_large(size_bits: int, limit: int) -> LimitExceeded:
    """Return the error about an object of more bytes than are accessed at once."""
    return LimitExceeded(
        f"an object of {(size_bits + 7) // 8} bytes, at most {limit} bytes are accessed at once",
        "--max-bytes",
    )


@frozen
class LocationAccess:
    """What access for one lane and access for many share: one run of bits after the other.

    A subclass says how bits are fetched from a register or from memory.
    """

    target: Target | None
    endian: Endian
    read_bytes_limit: int
    runs_limit: int
    comparison: Comparison | None = field(default=None, eq=False, repr=False)
    """Records how the single locations of each location compare; None reads only the first readable
    one."""

    def retrieve(self, location: Location, size_bits: int) -> int | ImplicitPointer:
        """Return the bits as an unsigned integer, or the implicit pointer that they are.

        Raises `OutOfRange`, `UndefinedBits`, `Unavailable`, `StaleLocation`, `MissingContext`,
        `LimitExceeded`, and `EvaluationError` where only some bits come from an implicit pointer.
        """
        try:
            if type(size_bits) is not int:
                size_bits = as_integer(size_bits)
            self._require_size(size_bits)
            budget = READ_BUDGET.get()
            if budget is not None:
                budget.spend(size_bits)
            plain = self._plain(location, size_bits)
            if plain is not None:
                return self._fetch(*plain, size_bits)
            single = location.single_locations[0]
            storage = single.storage
            is_whole = len(location.single_locations) == 1 and single.bit_offset == 0
            if type(storage) is Implicit and is_whole and size_bits == storage.size_bits:
                self._check_fresh(location.stop)
                return storage.bits
            budget = RunBudget(self.runs_limit)
            runs = list(self.runs(location, size_bits, budget))
            if any(_is_implicit_pointer(run) for run in runs):
                return _whole_pointer(runs, size_bits)
            contents = self._read_runs(runs, budget)
            if contents.undefined:
                raise UndefinedBits(
                    _reason(contents, "undefined", contents.undefined_ranges(self.endian))
                )
            if contents.unavailable:
                raise Unavailable(
                    _reason(contents, "unavailable", contents.unavailable_ranges(self.endian))
                )
            return contents.value
        except FOREIGN:
            require_right_arguments(LocationAccess.retrieve, self, location, size_bits)
            raise

    def _plain(self, location: Location, size_bits: int) -> tuple[Memory | Register, int] | None:
        """Return the register or memory with all bits of an object, and the first of them.

        None where they are in several, or elsewhere, or not all there: `runs` has the reason.
        """
        if not location.single_locations:
            location.require_single_locations()
        single = location.single_locations[0]
        storage, first = single.storage, single.bit_offset
        if type(storage) is Register or type(storage) is Memory:
            if len(location.single_locations) != 1:
                return None
            if first + size_bits > storage.size_bits:
                raise _too_short(single, size_bits)
            if location.stop is not None:
                self._check_fresh(location.stop)
            return storage, first
        if type(storage) is Composite or type(storage) is Selected:
            return self._plain_inside(location, size_bits)
        return None

    def _plain_inside(
        self, location: Location, size_bits: int
    ) -> tuple[Memory | Register, int] | None:
        """Return the same for a composite, through composites within it."""
        position = 0
        for _ in range(min(self.runs_limit, PLAIN_LEVELS)):
            single = location.single_locations[0]
            storage, first = single.storage, single.bit_offset + position
            if len(location.single_locations) != 1 or not size_bits:
                return None
            if storage.size_bits is None or first + size_bits > storage.size_bits:
                return None
            if location.stop is not None:
                self._check_fresh(location.stop)
            if isinstance(storage, Register | Memory):
                return storage, first
            if isinstance(storage, Composite):
                index = bisect_right(storage.starts, first) - 1
                part, within = storage.parts[index], first - storage.starts[index]
                inner, inner_bits, position = part.location, part.size_bits, within
            elif isinstance(storage, Selected):
                index, within = divmod(first, storage.element_bits)
                inner = storage.one if storage.mask >> index & 1 else storage.zero
                inner_bits, position = storage.element_bits, first
            else:
                return None
            if within + size_bits > inner_bits:
                return None
            location = inner
        return None

    def read(self, location: Location, size_bits: int) -> Bits:
        """Return the bits of an object; undefined and unavailable bits are marked with their
        reasons.

        An implicit pointer has no bits: they count as unavailable. Raises `OutOfRange`,
        `StaleLocation`, `MissingContext` and `LimitExceeded`.
        """
        try:
            if type(size_bits) is not int:
                size_bits = as_integer(size_bits)
            self._require_size(size_bits)
            plain = self._plain(location, size_bits)
        except FOREIGN:
            require_right_arguments(LocationAccess.read, self, location, size_bits)
            raise
        if plain is not None:
            with suppress(Unavailable):  # some of the bits may be known
                return Bits(self._fetch(*plain, size_bits), size_bits)
        return self.read_run_by_run(location, size_bits)

    def read_run_by_run(self, location: Location, size_bits: int) -> Bits:
        """Return the same as `read`, which has a shorter way for whole objects."""
        try:
            return self._read(location, size_bits, RunBudget(self.runs_limit))
        except FOREIGN:
            require_right_arguments(LocationAccess.read_run_by_run, self, location, size_bits)
            raise

    def pointer(self, location: Location, size_bits: int) -> ImplicitPointer | None:
        """Return the implicit pointer that fills the object; None for any other contents."""
        try:
            if type(size_bits) is not int:
                size_bits = as_integer(size_bits)
            self._require_size(size_bits)
            if self._plain(location, size_bits) is not None:
                return None
            runs = list(self.runs(location, size_bits))
            if not any(_is_implicit_pointer(run) for run in runs):
                return None
            try:
                return _whole_pointer(runs, size_bits)
            except EvaluationError:
                return None
        except FOREIGN:
            require_right_arguments(LocationAccess.pointer, self, location, size_bits)
            raise

    def read_bytes(self, location: Location, size_bytes: int) -> bytes:
        """Return the bytes of an object; `UndefinedBits` or `Unavailable` unless all are known."""
        try:
            size_bits = 8 * as_integer(size_bytes)
            if size_bits < 0:
                raise wrong_value("size_bytes", size_bytes, "at least 0")
            self._require_size(size_bits)
            plain = self._plain(location, size_bits)
        except FOREIGN:
            require_right_arguments(LocationAccess.read_bytes, self, location, size_bytes)
            raise
        if plain is not None:
            storage, first_bit = plain
            if not first_bit % 8:
                return self.load(storage, first_bit // 8, size_bytes)
        contents = self.retrieve(location, size_bits)
        if isinstance(contents, ImplicitPointer):
            raise EvaluationError(NO_BITS)
        return contents.to_bytes(size_bytes, self.endian)

    @names_wrong_arguments
    def write(self, location: Location, size_bits: int, value: int) -> None:
        """Write the low `size_bits` bits to every single location; all are checked first.

        Raises `OutOfRange`, `UndefinedBits` for undefined storage, `EvaluationError` for
        implicit storage, `Unavailable` where the machine refuses.
        """
        from dwarfgpu.access.write_location import write  # most programs only read

        write(self, location, size_bits, value)

    @names_wrong_arguments
    def write_bytes(self, location: Location, data: bytes) -> None:
        """Write bytes to every single location; errors as `write`."""
        data = contents("data", data)
        self.write(location, 8 * len(data), int.from_bytes(data, self.endian))

    def runs(
        self, location: Location, size_bits: int, budget: RunBudget | None = None
    ) -> Iterator[Run]:
        """Yield the runs of an object in storage order, without recursion, however deep composites
        nest."""
        try:
            if type(size_bits) is not int:
                size_bits = as_integer(size_bits)
            self._require_size(size_bits)
            budget = budget or RunBudget(self.runs_limit)
            pending = [(location, 0, size_bits)]
            while pending:
                budget.spend(len(pending[-1][0].single_locations))
                current, first, count = pending.pop()
                current.require_single_locations()
                self._check_fresh(current.stop)
                for single in current.single_locations:
                    remaining_bits = single.remaining_bits
                    if remaining_bits is not None and first + count > remaining_bits:
                        raise _too_short(single, first + count)
                single = current.single_locations[0]
                storage, start = single.storage, single.bit_offset + first
                if len(current.single_locations) > 1:
                    moved = tuple(
                        SingleLocation(p.storage, p.bit_offset + first)
                        for p in current.single_locations
                    )
                    yield Run(moved, count, current.stop)
                elif isinstance(storage, Composite | Repeated | Selected):
                    pending.extend(
                        reversed(list(_sub_ranges(storage, start, count, budget.remaining)))
                    )
                else:
                    yield Run((SingleLocation(storage, start),), count, current.stop)
        except FOREIGN:
            require_right_arguments(LocationAccess.runs, self, location, size_bits, budget)
            raise

    def _require_size(self, size_bits: int) -> None:
        if size_bits < 0:
            raise wrong_value("size_bits", size_bits, "at least 0")
        if size_bits > 8 * self.read_bytes_limit:
            raise too_large(size_bits, self.read_bytes_limit)

    def _check_fresh(self, stop: int | None) -> None:
        if stop is not None and self.target is not None and stop != self.target.stop:
            raise StaleLocation(
                "the target has moved since the location description was made: evaluate it again"
            )

    def _read(self, location: Location, size_bits: int, budget: RunBudget) -> Bits:
        return self._read_runs(list(self.runs(location, size_bits, budget)), budget)

    def _read_runs(self, runs: list[Run], budget: RunBudget, fetched: Fetch | None = None) -> Bits:
        """Read the bits of all runs. `fetched` has their ranges already; None: nothing is read."""
        if fetched is None:
            fetched = self._coalesced(runs, budget)
        return concatenate([self._read_run(run, fetched) for run in runs], self.endian)

    @abstractmethod
    def _coalesced(self, runs: list[Run], budget: RunBudget) -> Fetch:
        """Return what reads the registers and memories of some runs; it marks unknown bits."""
        ...

    def _read_run(self, run: Run, fetched: Fetch) -> Bits:
        count = run.size_bits
        if len(run.single_locations) > 1:
            return self._read_any(run, fetched.budget)
        storage, first = run.single_locations[0].storage, run.single_locations[0].bit_offset
        match storage:
            case Memory() | Register():
                return fetched.read(storage, first, count)
            case Implicit():
                return Bits(
                    extract(storage.bits, storage.size_bits, first, count, self.endian), count
                )
            case Undefined():
                why = None if storage.why is None else storage.why()
                reasons = (why or REASON_UNDEFINED,)
                return Bits(0, count, undefined=(1 << count) - 1, reasons=reasons)
            case ImplicitPointer():
                return Bits(0, count, unavailable=(1 << count) - 1, reasons=(NO_BITS,))
            case Composite() | Repeated() | Selected():
                raise AssertionError("runs() yields no composite")
            case other:
                assert_never(other)

    def _read_any(self, run: Run, budget: RunBudget) -> Bits:
        """Read each bit from the first single location that has it (A.2.5.3)."""
        merged: Bits | None = None
        problem: EvaluationError | None = None
        compared = None if self.comparison is None else self.comparison.of(run.single_locations)
        for index, single in enumerate(run.single_locations):
            try:
                contents = self._read(Location((single,), run.stop), run.size_bits, budget)
            except StaleLocation:
                raise
            except EvaluationError as error:  # another may have the bits that this one lacks
                problem = problem or error
                if compared is not None:
                    compared.unread(index, error.message)
                continue
            if compared is not None:
                compared.read(index, contents)
            merged = contents if merged is None else _completed(merged, contents)
            if merged.is_complete and compared is None:
                break
        if problem is not None and (merged is None or _needs_context(merged, problem)):
            raise problem
        assert merged is not None
        return merged

    @abstractmethod
    def _fetch(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> int:
        """Return bits of a register or of memory, all or `Unavailable`."""
        ...

    def _fetch_same(self, storage: Memory | Register, bit_offset: int, size_bits: int) -> int:
        """Read as `_fetch` does, where storage and offset are one for all lanes: one read of the
        target."""
        first_byte, bit = divmod(bit_offset, 8)
        size_bytes = (bit + size_bits + 7) // 8
        data = int.from_bytes(self.load(storage, first_byte, size_bytes), self.endian)
        if not bit and not size_bits % 8:
            return data
        return extract(data, 8 * size_bytes, bit, size_bits, self.endian)

    def load(self, storage: Memory | Register, first_byte: int, size_bytes: int) -> bytes:
        """Return whole bytes of a register or of memory; `Unavailable` unless all are known."""
        try:
            target = self.target
            if target is None:
                raise MissingContext("the context has no target to read from")
            if type(storage) is Register:
                data = target.read_register(storage.wave, storage.register, first_byte, size_bytes)
            else:
                assert isinstance(storage, Memory)
                data = target.read_memory(storage, first_byte, size_bytes)
            if type(data) is not bytes or len(data) != size_bytes:
                return exact_bytes(target, data, size_bytes)
            return data
        except FOREIGN:
            require_right_arguments(LocationAccess.load, self, storage, first_byte, size_bytes)
            raise


def _completed(bits: Bits, more: Bits) -> Bits:
    """Fill the unknown bits from another single location that has them."""
    fills = ~more.unknown
    return Bits(
        bits.value & ~(bits.unknown & fills) | more.value & bits.unknown & fills,
        bits.size_bits,
        bits.undefined & ~fills,
        bits.unavailable & ~fills,
        bits.reasons if bits.unknown & ~fills else (),
    )


def _needs_context(bits: Bits, problem: EvaluationError) -> bool:
    """Return whether bits are unknown because the context lacks something."""
    return isinstance(problem, MissingContext) and not bits.is_complete


def _is_implicit_pointer(run: Run) -> bool:
    """Return whether no single location of the run has bits of its own."""
    return all(isinstance(single.storage, ImplicitPointer) for single in run.single_locations)


def _sub_ranges(
    storage: Composite | Repeated | Selected, first: int, count: int, limit: int
) -> Iterator[tuple[Location, int, int]]:
    """Yield the parts that hold bits `first` to `first + count`: location, first bit in it,
    bits."""
    end = first + count
    if isinstance(storage, Composite):
        index = max(bisect_right(storage.starts, first) - 1, 0)
        while first < end:
            part = storage.parts[index]
            start = first - storage.starts[index]
            size_bits = min(part.size_bits - start, end - first)
            if size_bits > 0:
                yield part.location, start, size_bits
                first += size_bits
            index += 1
        return
    element_bits = storage.element_bits
    if count // element_bits > limit:
        raise LimitExceeded(
            f"{count // element_bits} parts in one access, at most {limit}", "--max-runs"
        )
    while first < end:
        index, start = divmod(first, element_bits)
        size_bits = min(element_bits - start, end - first)
        if isinstance(storage, Repeated):
            yield storage.part, start, size_bits
        else:
            # Adjacent ranges from the same single location become one range.
            lanes = storage.mask >> index
            chosen, lanes = (storage.one, ~lanes) if lanes & 1 else (storage.zero, lanes)
            if size_bits < end - first:
                run = (lanes & -lanes).bit_length() - 1 if lanes else storage.count - index
                size_bits = min(run * element_bits - start, end - first)
            yield chosen, index * element_bits + start, size_bits
        first += size_bits


def _whole_pointer(runs: list[Run], size_bits: int) -> ImplicitPointer:
    """Return the implicit pointer that the runs, in order, hold completely (A.2.5.4.4.5)."""
    storage = next(
        single.storage
        for run in runs
        for single in run.single_locations
        if isinstance(single.storage, ImplicitPointer)
    )
    expected = 0
    for run in runs:
        if not any(p.storage == storage and p.bit_offset == expected for p in run.single_locations):
            is_all_of_it = all(
                any(p.storage == storage for p in run.single_locations) for run in runs
            )
            raise EvaluationError(
                "the bits retrieved are not those of one implicit pointer, in order"
                if is_all_of_it
                else "only some of the bits retrieved come from an implicit pointer"
            )
        expected += run.size_bits
    if expected != storage.size_bits or size_bits != expected:
        raise EvaluationError(
            f"{size_bits} bits retrieved of an implicit pointer of {storage.size_bits} bits"
        )
    return storage


def _too_short(single: SingleLocation, needed_bits: int) -> OutOfRange:
    return OutOfRange(
        f"{needed_bits} bits needed at bit offset {single.bit_offset} of "
        f"{storage_name(single.storage)}, {single.remaining_bits} remain"
    )


def _reason(bits: Bits, state: str, ranges: list[tuple[int, int]]) -> str:
    return bits.unknown_bits_message(state, *ranges[0])
