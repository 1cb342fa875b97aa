"""Write the bits of an object to every single location of its location description (AMD text
A.2.5.3).

Law: every place is checked before anything is stored; if a store fails, earlier ones are undone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol, assert_never

from dwarfgpu.access.coalesced_reads import Run, RunBudget
from dwarfgpu.base.bits import Endian, extract, insert
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    MissingContext,
    Unavailable,
    UndefinedBits,
)
from dwarfgpu.machine.target import Target
from dwarfgpu.model.location import Location, SingleLocation, storage_name
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


class WriteAccess(Protocol):
    """What a write needs; `dwarfgpu.access.location_access.LocationAccess` has it."""

    @property
    def target(self) -> Target | None: ...

    @property
    def endian(self) -> Endian: ...

    @property
    def runs_limit(self) -> int: ...

    def runs(
        self, location: Location, size_bits: int, budget: RunBudget | None = None
    ) -> Iterator[Run]: ...

    def load(self, storage: Memory | Register, first_byte: int, size_bytes: int) -> bytes: ...


def write(access: WriteAccess, location: Location, size_bits: int, value: int) -> None:
    """Write the low `size_bits` bits to every single location; errors as `LocationAccess.write`."""
    location.require_single_locations()
    writes: list[tuple[SingleLocation, int, int]] = []
    budget = RunBudget(access.runs_limit)
    pending = deque(
        (single, size_bits, value, location.stop) for single in location.single_locations
    )
    while pending:
        single, count, bits, stop = pending.popleft()
        first = 0
        for run in access.runs(Location((single,), stop), count, budget):
            part = extract(bits, count, first, run.size_bits, access.endian)
            first += run.size_bits
            if len(run.single_locations) > 1:
                pending.extend(
                    (single, run.size_bits, part, run.stop) for single in run.single_locations
                )
            else:
                _bytes_to_store(access, run.single_locations[0], run.size_bits, part)
                writes.append((run.single_locations[0], run.size_bits, part))
    _store_all(access, writes)


def _store_all(access: WriteAccess, writes: list[tuple[SingleLocation, int, int]]) -> None:
    """Store everything; if a store fails, undo the earlier ones."""
    stored: list[tuple[Memory | Register, int, bytes]] = []
    try:
        for single, count, part in writes:
            # Prepared again: an earlier write may have changed bits of the same byte.
            storage, first_byte, data = _bytes_to_store(access, single, count, part)
            old: bytes | None = None
            with suppress(Unavailable):  # the store says whether it can be written
                old = access.load(storage, first_byte, len(data))
            _store(access, storage, first_byte, data)
            if old is not None:
                stored.append((storage, first_byte, old))
    except DwarfGpuError:
        for storage, first_byte, old in reversed(stored):
            _store(access, storage, first_byte, old)
        raise


def _bytes_to_store(
    access: WriteAccess, single: SingleLocation, size_bits: int, value: int
) -> tuple[Memory | Register, int, bytes]:
    """Return the storage, the first byte and the whole bytes to store, with old bits around."""
    storage = single.storage
    match storage:
        case Undefined():
            raise UndefinedBits("undefined storage cannot be written: it is optimized out")
        case Implicit() | ImplicitPointer():
            raise EvaluationError(f"{storage_name(storage)} can only be read")
        case Composite() | Repeated() | Selected():
            raise AssertionError("runs() yields no composite")
        case Memory() | Register():
            pass
        case other:
            assert_never(other)
    if access.target is None:
        raise MissingContext("the context has no target to write to")
    first_byte, bit = divmod(single.bit_offset, 8)
    size_bytes = (bit + size_bits + 7) // 8
    old = 0
    if bit or size_bits % 8:
        old = int.from_bytes(access.load(storage, first_byte, size_bytes), access.endian)
    new = insert(old, 8 * size_bytes, bit, size_bits, value, access.endian)
    return storage, first_byte, new.to_bytes(size_bytes, access.endian)


def _store(access: WriteAccess, storage: Memory | Register, first_byte: int, data: bytes) -> None:
    assert access.target is not None
    if isinstance(storage, Register):
        access.target.write_register(storage.wave, storage.register, data, first_byte)
    else:
        access.target.write_memory(storage, first_byte, data)
