"""A machine with given contents: the registers and memory of stopped waves.

Aliasing address spaces (private_lane, private_wave and generic are views of scratch, LDS and global
memory) are one store: the architecture lowers an address to a place in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from dwarfgpu.arch.model import NO_APERTURES, Apertures, Architecture, RegisterInfo
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import (
    FOREIGN,
    byte_range,
    contents,
    integer,
    plain_integer,
    require,
    wrong_value,
)
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import (
    LimitExceeded,
    MissingContext,
    OutOfRange,
    Unavailable,
    UsageError,
    WhollyUnavailable,
    counted,
    shown,
)
from dwarfgpu.machine.sparse_memory import (
    NOT_IN_STATE,
    NOT_WRITTEN,
    Data,
    Fill,
    SparseMemory,
    at_requested_address,
    part_of,
)
from dwarfgpu.machine.state.register_bytes import (
    RegisterBytes,
    all_known,
    missing_bytes,
    unknown_register,
    why_no_contents,
)
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.topology import Machine, Wave
from dwarfgpu.model.storage import Memory

_OF_WAVES: Final = ("local", "private_wave")
"""The memories of waves and workgroups, which are unknown until a kernel writes them."""
MAX_ELEMENTS: Final = 1 << 18
"""Maximum number of elements of a lane's scratch in one access: it consists of elements of some
bytes, interleaved over the lanes. That is 1 MiB; a lane has at most some hundred KiB."""
_MAX_NUMBER: Final = (1 << 64) - 1
"""The largest number of a wave or a workgroup, as in state files."""

MemoryPart: TypeAlias = tuple[SparseMemory, int, tuple[int, int]]
"""A part of a range: the store that contains it, its address there, and its offset in the range
with its size in bytes."""


def add_parts(parts: Iterable[MemoryPart], data: Data) -> None:
    """Make bytes known in the stores that contain their range, which `lowered` returns."""
    for store, start, (offset, size_bytes) in parts:
        store.add(start, part_of(data, offset, offset + size_bytes))


class StateTarget:
    """Stopped waves with given registers and memories."""

    @names_wrong_arguments
    def __init__(
        self,
        architecture: Architecture,
        apertures: Apertures = NO_APERTURES,
        machine: Machine | None = None,
        fill: int | None = None,
    ) -> None:
        self.architecture = architecture
        self.apertures = apertures
        self._wave_records: dict[WaveId, Wave] = {}
        self._machine = evolve(
            machine or Machine(architecture.lane_count), waves=self._wave_records
        )
        self.stop = 0
        self._registers: dict[WaveId, dict[str, RegisterBytes]] = {}
        self.workgroups: dict[WaveId, int] = {}
        self.wave_apertures: dict[WaveId, Apertures] = {}
        self._memories: dict[tuple[str, int | None], SparseMemory] = {}
        self.fill = None if fill is None else integer("fill", fill, 0, 255)
        """The byte of registers, LDS and scratch that are unknown because nothing has written
        them; None where they are unknown for another reason."""

    @property
    def waves(self) -> Mapping[WaveId, Mapping[str, RegisterBytes]]:
        """The known registers of each wave, by name."""
        return self._registers

    @names_wrong_arguments
    def add_wave(self, wave: WaveId, workgroup: int | None = None) -> None:
        """Add a wave; by default it is alone in its workgroup. `UsageError` for a number below 0 or
        of more than 64 bits."""
        wave = integer("wave", wave, 0, _MAX_NUMBER)
        group = wave if workgroup is None else integer("workgroup", workgroup, 0, _MAX_NUMBER)
        self._registers.setdefault(wave, {})
        self.workgroups[wave] = group

    @names_wrong_arguments
    def place_wave(self, record: Wave) -> None:
        """Record where a wave belongs."""
        require("record", record, Wave)
        self._wave_records[record.id] = record

    @property
    def machine(self) -> Machine:
        """Agents, queues, dispatches, workgroups, and where the waves belong."""
        return self._machine

    @property
    def model(self) -> Machine:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        return self.machine

    @names_wrong_arguments
    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        """Return ROCgdb's name of a wave, or of one of its lanes; unknown parts are `?`
        (`dwarfgpu.machine.target.Named`).
        """
        return self.machine.target_id(wave, lane)

    @names_wrong_arguments
    def lane_target_ids(self, wave: WaveId, lanes: Iterable[int]) -> list[str]:
        """Return `target_id` of each of the lanes, in their order; `UsageError` for one that the
        wave does not have."""
        return self.machine.lane_target_ids(wave, lanes)

    @names_wrong_arguments
    def used_lanes(self, wave: WaveId) -> int | None:
        """Return the number of lanes of a wave with a work-item; None if unknown."""
        return self.machine.used_lanes(wave)

    @names_wrong_arguments
    def faulty_lane(self, wave: WaveId) -> int | None:
        """Return the first lane for which a wave stopped (`dwarfgpu.machine.target.Failed`)."""
        record = self.machine.waves.get(wave)
        return None if record is None or not record.stop_lanes else record.stop_lanes[0]

    @names_wrong_arguments
    def set_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        data: bytes,
        offset_bytes: int = 0,
        mask: bytes | None = None,
    ) -> None:
        """Make bytes of a register known; of some only the bits of a mask, the others being zero.

        `Unavailable` for an unknown wave or a register that it was not allocated, `UsageError`
        for bytes outside the register.
        """
        self.architecture_of(wave)
        self._require_allocated(wave, register)
        data = contents("data", data)
        size_bytes = (register.size_bits + 7) // 8
        if offset_bytes < 0:
            raise UsageError(f"offset {offset_bytes} in register {register}")
        if offset_bytes + len(data) > size_bytes:
            raise UsageError(
                f"{offset_bytes + len(data)} bytes for register {register} of {size_bytes} bytes"
            )
        mask = all_known(len(data)) if mask is None else contents("mask", mask)
        if len(mask) != len(data):
            raise UsageError(f"mask: expected {len(data)} bytes, as of the data, not {len(mask)}")
        stored = self._registers[wave].get(register.name) or unknown_register(size_bytes)
        self._registers[wave][register.name] = stored.replaced(offset_bytes, data, mask)

    @names_wrong_arguments
    def set_lanes(self, wave: WaveId, register: RegisterInfo, values: Sequence[int | None]) -> None:
        """Make the lanes of a vector register known, from lane 0, or unknown, where a value is
        None; lanes after the last value stay as they are.

        `values` are unsigned or signed integers of the size of a lane's element, also as an array
        of NumPy. `UsageError` for a larger one, for more values than lanes, and for another
        register; `Unavailable` for an unknown wave or a register that it was not allocated.
        """
        lanes = register.type.vector_size
        if lanes is None:
            raise UsageError(f"{register} is not a vector register: set_register makes it known")
        try:
            count = len(values)
        except OverflowError:  # a range may have more elements than Python counts
            raise UsageError(f"too many values for register {register} of {lanes} lanes") from None
        if count > lanes:
            raise UsageError(f"{counted(count, 'value')} for register {register} of {lanes} lanes")
        element_bytes = register.size_bits // lanes // 8
        mask, endian = (1 << 8 * element_bytes) - 1, self.architecture.endian
        self.architecture_of(wave)  # which knows the wave
        data, known = bytearray(), bytearray()
        for lane, value in enumerate(values):
            if value is None:
                data += bytes(element_bytes)
                known += bytes(element_bytes)
                continue
            if type(value) is not int:
                value = plain_integer(value)
            if not -mask // 2 <= value <= mask:
                bits = 8 * element_bytes
                raise UsageError(f"lane {lane} of {register}: {shown(value)} exceeds {bits} bits")
            data += (value & mask).to_bytes(element_bytes, endian)
            known += all_known(element_bytes)
        if any(known) or register.name in self._registers[wave]:
            self.set_register(wave, register, bytes(data), 0, bytes(known))

    @names_wrong_arguments
    def set_memory(self, where: Memory, address: int, data: Data) -> None:
        """Make bytes of a memory known, in whatever store they really are."""
        if not isinstance(data, Fill):
            data = contents("data", data)
        add_parts(self.lowered(where, address, len(data)), data)

    @names_wrong_arguments
    def place_scratch(self, wave: WaveId, base: int) -> None:
        """Set where the scratch of a wave is in global memory; its known contents move there.

        `UsageError` if that is already known, or the memory there has other contents.
        """
        base = integer("base", base, 0, (1 << 64) - 1)
        apertures = self.apertures_of(wave)
        if apertures.scratch_base not in (None, base):
            problem = f"the scratch of wave {wave} is at {apertures.scratch_base:#x}"
            raise UsageError(f"{problem}, not at {base:#x}")
        self.wave_apertures[wave] = evolve(apertures, scratch_base=base)
        memory = self._memories.pop(("private_wave", wave), None)
        for address, data in () if memory is None else memory.runs():
            end = base + address + len(data)
            if end > 1 << 64:
                raise UsageError(f"scratch at {base:#x} ends beyond 64-bit addresses")
            self._store("", "process", None).add(base + address, data)

    @names_wrong_arguments
    def share_global_memory(self, state: StateTarget) -> None:
        """Share the global memory of a state of the same process, for waves of another GPU."""
        self._memories["", None] = state._store("", "process", None)

    def without_memory(self) -> StateTarget:
        """Return the same machine with unknown memory, for `replace_memory`."""
        out = StateTarget(self.architecture, self.apertures, self.machine, self.fill)
        out._wave_records, out._machine = self._wave_records, self._machine
        out._registers, out.workgroups = self._registers, self.workgroups
        out.wave_apertures = self.wave_apertures
        return out

    @names_wrong_arguments
    def replace_memory(self, state: StateTarget) -> None:
        """Take over the memory given to `without_memory`, replacing the known contents of those
        bytes."""
        for (name, owner), given_memory in state._memories.items():
            memory = self._memories.setdefault((name, owner), SparseMemory(name))
            for address, data in given_memory.runs():
                memory.replace(address, data)

    def version_of(self, wave: WaveId) -> object | None:
        """Do as `dwarfgpu.machine.target.Versioned`: registers are objects that never change."""
        try:
            registers = self._registers.get(wave)
        except (TypeError, ValueError):
            registers = None
        if registers is None:
            require_right_arguments(StateTarget.version_of, self, wave)
        memories = {key: (store, store.changes) for key, store in self._memories.items()}
        if any(changes is None for _, changes in memories.values()):
            return None
        apertures = self.wave_apertures.get(wave, self.apertures)
        return dict(registers or {}), memories, apertures

    def architecture_of(self, wave: WaveId) -> Architecture:
        """Return the architecture, which all waves share; `Unavailable` for a wave that was not
        added.
        """
        try:
            exists = self._exists(wave)
        except (TypeError, ValueError):
            require_right_arguments(StateTarget.architecture_of, self, wave)
            raise
        if not exists:
            require_right_arguments(StateTarget.architecture_of, self, wave)
            raise Unavailable(self._why_no_wave(wave))
        return self.architecture

    def _exists(self, wave: WaveId) -> bool:
        return wave in self._registers

    def _why_no_wave(self, wave: WaveId) -> str:
        there = f"; it has {listed_waves([*self.waves])}" if self.waves else ""
        return f"wave {shown(wave)} is not in the state{there}"

    @names_wrong_arguments
    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        """Return the architecture that waves share
        (`dwarfgpu.machine.target.SharesArchitecture`)."""
        return self.architecture if all(map(self.waves.__contains__, waves)) else None

    def apertures_of(self, wave: WaveId) -> Apertures:
        """Return where the wave's generic addresses show its LDS and scratch: by default the
        `apertures` of the machine (A.2.13).
        """
        try:
            return self.wave_apertures.get(wave, self.apertures)
        except (TypeError, ValueError):
            require_right_arguments(StateTarget.apertures_of, self, wave)
            raise

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        """Return bytes of a register of a wave; without a size, all from `offset_bytes` on.

        `Unavailable` for a wave that was not added, and for a byte with an unknown bit;
        `OutOfRange` for one outside the register.
        """
        stored: RegisterBytes | None
        try:
            if size_bytes is not None and type(size_bytes) is not int:
                size_bytes = plain_integer(size_bytes)
            if type(offset_bytes) is not int:
                offset_bytes = plain_integer(offset_bytes)
            try:
                stored = self._registers[wave][register.name]
            except KeyError:
                stored = None
            if stored is not None and size_bytes and offset_bytes >= 0:
                end = offset_bytes + size_bytes
                if (
                    offset_bytes < end <= stored.known_bytes
                    or stored.known.count(0xFF, offset_bytes, end) == size_bytes  # and within it
                ):
                    return stored.data[offset_bytes:end]
            return self._known_bytes(wave, register, offset_bytes, size_bytes)
        except FOREIGN:
            require_right_arguments(
                StateTarget.read_register, self, wave, register, offset_bytes, size_bytes
            )
            raise

    def _known_bytes(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int | None
    ) -> bytes:
        """Return bytes of a register, or raise what keeps them from being known."""
        end = (register.size_bits + 7) // 8 if size_bytes is None else offset_bytes + size_bytes
        stored = self._register(wave, register, offset_bytes, end)
        if stored is None:
            self._require_allocated(wave, register)
            if self.architecture.no_machine is not None:
                raise WhollyUnavailable(
                    f"register {register}: {self.architecture.no_machine}; "
                    f"--reg {register}=VALUE gives its contents"
                )
            raise WhollyUnavailable(why_no_contents(wave, register, self._why_unknown()))
        if stored.known.count(0xFF, offset_bytes, end) != end - offset_bytes:
            why = self._why_unknown()
            raise missing_bytes(wave, register, why, stored, offset_bytes, end)
        return stored.data[offset_bytes:end]

    def _why_unknown(self) -> str:
        """Return why a register has no contents."""
        return NOT_IN_STATE

    @names_wrong_arguments
    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        """Write bytes of a register of a wave from `offset_bytes` on.

        `Unavailable` for a wave that was not added or a register that it was not allocated;
        `OutOfRange` for a byte outside the register, and then nothing is written.
        """
        data = contents("data", data)
        self._register(wave, register, offset_bytes, offset_bytes + len(data))
        self.set_register(wave, register, data, offset_bytes)

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register unknown."""
        try:
            offset_bytes, size_bytes = plain_integer(offset_bytes), plain_integer(size_bytes)
            stored = self._register(wave, register, offset_bytes, offset_bytes + size_bytes)
            if stored is None:
                return
            unknown = bytes(size_bytes)
            stored = stored.replaced(offset_bytes, unknown, unknown)
            if any(stored.known):
                self._registers[wave][register.name] = stored
            else:
                del self._registers[wave][register.name]
        except FOREIGN:
            require_right_arguments(
                StateTarget.forget_register, self, wave, register, offset_bytes, size_bytes
            )
            raise

    def _require_allocated(self, wave: WaveId, register: RegisterInfo) -> None:
        """Raise `Unavailable` for a register beyond the allocation of the wave's dispatch."""
        bank, number = register.name[:1], register.name[1:]
        dispatch = self.machine.dispatch_of(wave) if is_decimal(number) else None
        count = None if dispatch is None else dispatch.registers_of(bank)
        if count is not None and int(number) >= count:
            raise WhollyUnavailable(
                f"register {register} is not allocated: wave {wave} has "
                + (f"{bank}0 to {bank}{count - 1}" if count else f"no {bank} registers")
            )

    def _register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, end: int
    ) -> RegisterBytes | None:
        self._require_inside(wave, register, offset_bytes, end)
        return self._registers[wave].get(register.name)

    def _require_inside(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, end: int
    ) -> None:
        self.architecture_of(wave)
        if not 0 <= offset_bytes <= end:
            raise OutOfRange(f"bytes {offset_bytes} to {end} of register {register}")
        if end > (register.size_bits + 7) // 8:
            raise OutOfRange(f"byte {end - 1} is outside register {register}")

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        """Return bytes of a memory from an address, in bytes, of its space on.

        `Unavailable` if one of them was not given, and names the first; `MissingContext` if the
        memory belongs to a wave or lane, and `where` has none (A.2.5.4.4.3); `OutOfRange` for an
        address beyond the space; `LimitExceeded` if they are in more than `MAX_ELEMENTS` places.
        """
        try:
            if type(address) is not int or type(size_bytes) is not int:
                address, size_bytes = byte_range(address, size_bytes)
            if size_bytes:
                if size_bytes < 0:
                    raise wrong_value("size_bytes", size_bytes, "at least 0")
                store, start, contiguous_bytes = self._backing(where, address)
                if size_bytes <= contiguous_bytes:
                    try:
                        return store.read(start, size_bytes)
                    except Unavailable as error:
                        missing = _first_missing(store, start, size_bytes)
                        raise self._unreadable(
                            error, where, address + missing, store, start + missing
                        ) from None
            out: list[bytes] = []
            for store, start, (offset, count) in self.lowered(where, address, size_bytes):
                try:
                    out.append(store.read(start, count))
                except Unavailable as error:
                    missing = _first_missing(store, start, count)
                    raise self._unreadable(
                        error, where, address + offset + missing, store, start + missing
                    ) from None
            return b"".join(out)
        except FOREIGN:
            require_right_arguments(StateTarget.read_memory, self, where, address, size_bytes)
            raise

    def _unreadable(
        self, error: Unavailable, where: Memory, address: int, store: SparseMemory, start: int
    ) -> Unavailable:
        """Return the error about an address of a store, in terms of the requested address."""
        if self.fill is not None and error.message.endswith(NOT_IN_STATE):
            memories = NO_APERTURES if where.wave is None else self.apertures_of(where.wave)
            base, size_bytes = memories.scratch_base, memories.scratch_bytes
            is_in_scratch = base is not None and 0 <= start - base < (size_bytes or 0)
            if store.name in _OF_WAVES or (not store.name and is_in_scratch):
                error = Unavailable(error.message.removesuffix(NOT_IN_STATE) + NOT_WRITTEN)
        is_same = start == address or not where.space.number
        return at_requested_address(error, where, address, is_same=is_same)

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range that cannot be read whole: offsets in it, and bytes."""
        try:
            return [
                (offset + inner, data)
                for store, start, (offset, count) in self.lowered(where, address, size_bytes)
                for inner, data in store.known(start, count)
            ]
        except FOREIGN:
            require_right_arguments(StateTarget.known_memory, self, where, address, size_bytes)
            raise

    def is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Return whether no byte of a range can be read: `access.coalesced_reads.IsUnreadable`."""
        return not self.known_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        """Write bytes of a memory from an address, in bytes, of its space on, all or nothing.

        `Unavailable` if one of them was not given or must not be written; other errors as in
        `read_memory`.
        """
        try:
            data = contents("data", data)
            parts = self.lowered(where, address, len(data))
            for store, start, (_, size_bytes) in parts:
                store.require_writable(start, size_bytes)  # all or nothing
            for store, start, (offset, size_bytes) in parts:
                store.write(start, data[offset : offset + size_bytes])
        except FOREIGN:
            require_right_arguments(StateTarget.write_memory, self, where, address, data)
            raise

    @property
    def has_memory(self) -> bool:
        """Whether any byte of a memory is known."""
        return any(store.runs() for store in self._memories.values())

    def memories(self) -> list[tuple[str, int | None, SparseMemory]]:
        """Return every store: its address space, the wave or workgroup that it belongs to, and
        it."""
        return [(name, owner, store) for (name, owner), store in self._memories.items()]

    def lowered(self, where: Memory, address: int, size_bytes: int) -> list[MemoryPart]:
        """Return the stores that contain a range."""
        try:
            out: list[MemoryPart] = []
            if type(address) is not int or type(size_bytes) is not int:
                address, size_bytes = byte_range(address, size_bytes)
            if size_bytes < 0:
                raise wrong_value("size_bytes", size_bytes, "at least 0")
            lowered_bytes = 0
            while lowered_bytes < size_bytes:
                store, start, contiguous_bytes = self._backing(where, address + lowered_bytes)
                count = min(contiguous_bytes, size_bytes - lowered_bytes)
                out.append((store, start, (lowered_bytes, count)))
                lowered_bytes += count
                if len(out) > MAX_ELEMENTS:
                    raise LimitExceeded(
                        f"{size_bytes} bytes of {where.space} memory of a lane are in more than "
                        f"{MAX_ELEMENTS} places"
                    )
            return out
        except FOREIGN:
            require_right_arguments(StateTarget.lowered, self, where, address, size_bytes)
            raise

    def _backing(self, where: Memory, address: int) -> tuple[SparseMemory, int, int]:
        """Return the store that contains an address, the address in it, and for how many bytes."""
        wave = where.wave
        apertures = self.apertures if wave is None else self.apertures_of(wave)
        space, start, contiguous_bytes = self.architecture.lower(
            where.space.number, address, where.lane, apertures
        )
        store = self._store(space.name if space.number else "", space.scope, wave)
        return store, start, contiguous_bytes

    def _store(self, name: str, scope: str, wave: WaveId | None) -> SparseMemory:
        owner: int | None = None
        if scope in ("wave", "workgroup", "lane"):
            if wave is None:
                raise MissingContext(f"the context has no thread, and {name} memory belongs to one")
            owner = self.workgroups.get(wave, wave) if scope == "workgroup" else wave
        store = self._memories.get((name, owner))
        if store is None:
            store = self._memories[name, owner] = SparseMemory(name)
        return store


def listed_waves(waves: Sequence[WaveId]) -> str:
    """Return the waves of a state for a message, `waves 1, 2`; of many the first and the last."""
    names = [str(wave) for wave in waves]
    listed = ", ".join(names if len(names) <= 16 else [*names[:14], "…", names[-1]])
    return f"only wave {listed}" if len(names) == 1 else f"waves {listed}"


def _first_missing(store: SparseMemory, start: int, size_bytes: int) -> int:
    """Return how far after the start of a range its first unknown byte is, which the error of the
    store names."""
    missing = 0
    for offset, data in store.known(start, size_bytes):
        if offset > missing:
            break
        missing = offset + len(data)
    return missing
