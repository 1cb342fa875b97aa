"""Contents of registers and memory in a state file (`docs/state-files.md`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.arch.model import AddressSpace, RegisterInfo, RegisterPart
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, MissingContext, UsageError
from dwarfgpu.machine.sparse_memory import Data, Fill, SparseMemory, bytes_of, part_of
from dwarfgpu.machine.state.register_bytes import all_known
from dwarfgpu.machine.state.state_target import MemoryPart, StateTarget, add_parts
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from dwarfgpu.base.npy import Npy

RANGE_BYTES: Final = 640
"""What a range of memory takes besides its contents, nearly."""
_ELEMENT_BYTES: Final = 256
"""What an element of a lane's scratch takes until all are read, nearly."""
MAX_FILLED_BYTES = 1 << 30
"""Maximum size of memory that repeats one byte."""
_MAX_PATH_BYTES: Final = 4095
"""Of a file: Linux opens none of a longer path, and to take one apart is quadratic work."""


_Element: TypeAlias = tuple[int, Data, Field]
"""A part of a range in the memory of a lane, between those of other lanes: its address in the store
that has it, its bytes, and the entry of the range."""


@frozen
class StateReader:
    """A state file while it is read."""

    target: StateTarget
    folder: Path
    is_second: bool
    """Whether it may have what the second version of the format has."""
    limits: FileLimits
    filled_bytes: list[int] = field(factory=lambda: [0], init=False)
    """One number: the bytes of all fills until now."""
    omitted: dict[str, list[WaveId]] = field(factory=dict, init=False)
    """Registers of other AMD GPUs, and the waves that have contents for them."""
    single_integers: dict[str, list[WaveId]] = field(factory=dict, init=False)
    """Vector registers for which one integer is given, and the waves that have them."""
    changed: list[str] = field(factory=list, init=False)
    """Arrays that have other contents than when the state was saved."""
    _files: dict[str, Npy] = field(factory=dict, init=False)
    _taken_bytes: list[int] = field(factory=lambda: [0], init=False)
    """One number: the memory that registers, arrays and ranges take until now."""
    _elements: dict[SparseMemory, list[_Element]] = field(factory=dict, init=False)
    """Those that are read, and not yet in their memory."""

    def take(self, size_bytes: int, source: str) -> None:
        """Count memory for what a state has; `LimitExceeded` where it is too much."""
        self._taken_bytes[0] += size_bytes
        if self._taken_bytes[0] > self.limits.state_bytes:
            raise _too_large(source, self.limits, has_elements=bool(self._elements))

    def take_elements(self, parts: Sequence[MemoryPart], data: Data, entry: Field) -> None:
        """Keep the elements of a range until `add_elements`, and count them."""
        elements = [self._elements.setdefault(store, []) for store, _, _ in parts]
        self.take(_ELEMENT_BYTES * len(parts), entry.source)
        for kept, (_, start, (offset, size_bytes)) in zip(elements, parts, strict=True):
            kept.append((start, part_of(data, offset, offset + size_bytes), entry))

    def add_elements(self) -> None:
        """Make the elements of all ranges known in the order of their addresses, those that follow
        each other at once: the work for each does not grow with the others. `UsageError` naming
        the entry whose contents contradict another."""
        for store, elements in self._elements.items():
            elements.reverse()  # of those at one address, the first is added first
            elements.sort(key=_start, reverse=True)
            while elements:  # each is forgotten when it is added
                run = [elements.pop()]
                end = run[0][0] + len(run[0][1])
                while elements and elements[-1][0] == end and not isinstance(run[0][1], Fill):
                    run.append(elements.pop())
                    end += len(run[-1][1])
                _add_run(store, run)
        self._elements.clear()

    def npy(self, named: Field) -> Npy:
        """Return the array of a file that a field names; `UsageError` naming the field."""
        from dwarfgpu.base.npy import read_npy  # few states have arrays
        from dwarfgpu.base.writing import has_changed

        name = named.text()
        if name not in self._files:
            path = regular_file(named, self.folder)
            try:
                with suppress(OSError):  # reading reports it
                    self.take(path.stat().st_size, named.source)
                self._files[name] = read_npy(path, self.limits.state_bytes)
                record_input(path, "array")
                if has_changed(path):
                    self.changed.append(name)
            except UsageError as error:
                # a state is often copied without its arrays
                help_text = "" if os.path.exists(path) else "; copy the arrays of a state with it"
                raise UsageError(
                    f"{named.source}: {named.path}: {error.message}{help_text}"
                ) from None
        return self._files[name]


def _start(element: _Element) -> int:
    return element[0]


def _add_run(store: SparseMemory, run: Sequence[_Element]) -> None:
    """Make elements that follow each other known."""
    try:
        if len(run) > 1:
            store.add(run[0][0], b"".join(bytes_of(data) for _, data, _ in run))
            return
    except UsageError:
        pass  # one of them contradicts what is known
    for start, data, entry in run:
        try:
            store.add(start, data)
        except UsageError as error:
            raise _of_entry(entry, error) from None


def _too_large(source: str, limits: FileLimits, *, has_elements: bool) -> LimitExceeded:
    problem = (
        "registers, arrays and ranges of memory take more than "
        f"{limits.state_bytes} bytes of memory"
    )
    if has_elements:
        problem += (
            f"; each element of the memory of a lane counts {_ELEMENT_BYTES} of them: a range of "
            "private_wave has those of all lanes, and counts once"
        )
    return LimitExceeded(f"{source}: {problem}", "--max-state-bytes")


def _of_entry(entry: Field, error: DwarfGpuError) -> UsageError:
    where = f"{entry.source}: {entry.path}" if entry.path else entry.source
    return UsageError(f"{where}: {error.message}")


def regular_file(field: Field, folder: Path) -> Path:
    """Return the path of a file, which need not exist, without `..`.

    A pipe or a device, which may never end, is none.

    `UsageError` where it is something else, or no path at all.
    """
    if len(field.text()) > _MAX_PATH_BYTES:
        raise field.expected(f"a path of at most {_MAX_PATH_BYTES} bytes")
    path = folder / field.text()
    try:
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            mode = stat.S_IFREG  # it may be made later
        if not stat.S_ISREG(mode):
            raise field.expected("the path of a regular file")
        return path.resolve() if ".." in path.parts else path
    except (OSError, ValueError, RuntimeError):  # a NUL, no character of a name, a circle of links
        raise field.expected("the path of a file") from None


def set_register(
    target: StateTarget,
    wave: WaveId,
    register: RegisterInfo,
    field: Field,
    reader: StateReader | None = None,
) -> None:
    """Set a register's contents: an integer, `{"bytes": hex}`, or a list with a value for each
    lane.

    With a reader also `{"npy": file, "row": number}`.
    """
    size_bits = register.size_bits
    if isinstance(field.value, list):
        lanes = register.type.vector_size
        if lanes is None:
            raise field.expected(f"one integer: register {register} has no lanes")
        if len(field.value) > lanes:
            raise field.expected(f"at most {lanes} lanes of register {register}")
        target.set_lanes(wave, register, _lane_values(field, size_bits // lanes))
        return
    if reader is not None and field.has("npy"):
        _set_row(target, wave, register, field, reader)
        return
    if isinstance(field.value, dict):
        data, known_bytes = _bytes_of(field, size_bits, register.name)
        if known_bytes.count(0xFF) != len(known_bytes):
            if any(known_bytes):
                target.set_register(wave, register, data, 0, known_bytes)
            return
    else:
        number = _whole_number(register, field)
        data = (number & (1 << size_bits) - 1).to_bytes(
            (size_bits + 7) // 8, target.architecture.endian
        )
    target.set_register(wave, register, data)


def fits_lane(register: RegisterInfo, field: Field) -> bool:
    """Return whether the contents of a vector register are one integer that fits a lane."""
    value = field.value
    if not isinstance(value, (int, str)):
        return False
    bits = register.size_bits // (register.type.vector_size or 1)
    return -(1 << bits - 1) <= _whole_number(register, field) < 1 << bits


def _whole_number(register: RegisterInfo, field: Field) -> int:
    """Return an integer that fits all of a register."""
    return field.integer(-(1 << register.size_bits - 1), (1 << register.size_bits) - 1)


def _lane_values(field: Field, bits: int) -> list[int | None]:
    """Return the integers of a list; None for lanes that are unknown."""
    least, most = -(1 << bits - 1), (1 << bits) - 1
    assert isinstance(field.value, list)
    out: list[int | None] = []
    for index, value in enumerate(field.value):
        if value is None or (type(value) is int and least <= value <= most):
            out.append(value)
        else:
            lane = Field(field.source, f"{field.path}[{index}]", value)
            out.append(lane.integer(least, most))
    return out


def _set_row(
    target: StateTarget, wave: WaveId, register: RegisterInfo, field: Field, reader: StateReader
) -> None:
    """Set a register that is a row of an array in a file beside the state."""
    field.only("npy", "row", "lanes")
    array = reader.npy(field["npy"])
    rows = array.shape[0] if array.shape else 0
    row = field["row"].integer(0)
    if row >= rows:
        raise field["row"].expected(f"a row of the array, which has {rows}")
    data = array.row(row)
    if 8 * len(data) != register.size_bits:
        raise field["npy"].expected(
            f"rows of {register.size_bits // 8} bytes for register {register}, "
            f"which are not those of an array {array.shape} of {array.descr}"
        )
    count, lanes = register.type.vector_size or 1, field.get("lanes")
    mask = (1 << count) - 1 if lanes is None else lanes.integer(0, (1 << count) - 1)
    if mask == (1 << count) - 1:
        target.set_register(wave, register, data)
        return
    size_bytes = len(data) // count
    for lane in range(count):
        if mask >> lane & 1:
            offset = lane * size_bytes
            target.set_register(wave, register, data[offset : offset + size_bytes], offset)


def set_part(
    machine: Target, state: StateTarget, wave: WaveId, part: RegisterPart, field: Field
) -> None:
    """Set the contents of a part of a register: an integer or `{"bytes": hex}`.

    `state`: the values that `machine` keeps over those of its file.
    """
    type, register, offset_bytes = part.type, part.register, part.offset_bytes
    if not isinstance(field.value, dict):
        number = field.integer(-(1 << type.bit_size - 1), (1 << type.bit_size) - 1)
        data = (number & (1 << type.bit_size) - 1).to_bytes(
            type.size_bytes, machine.architecture_of(wave).endian
        )
        machine.write_register(wave, register, data, offset_bytes)
        return
    data, known_bits = _bytes_of(field, type.bit_size, part.name)
    # The write keeps the other bytes of the register, which the file may have.
    machine.write_register(wave, register, data, offset_bytes)
    if known_bits != all_known(len(data)):
        state.forget_register(wave, register, offset_bytes, len(data))
        if any(known_bits):
            state.set_register(wave, register, data, offset_bytes, known_bits)


def _bytes_of(field: Field, size_bits: int, name: str) -> tuple[bytes, bytes]:
    """Return the bytes of a register or a part of one, and the masks of their known bits."""
    field.only("bytes")
    return field["bytes"].hexadecimal_with_gaps((size_bits + 7) // 8, f"register {name}")


def _contents(field: Field, reader: StateReader) -> Data:
    """Return the bytes of a range of memory, from one of three forms."""
    sources = [name for name in ("bytes", "npy", "fill") if field.has(name)]
    if len(sources) > 1:
        raise field.expected(f"one of {' and '.join(sources)}")
    if field.has("size") and sources != ["fill"]:
        raise field["size"].expected("a size only with fill")
    if sources == ["npy"]:
        data = reader.npy(field["npy"]).data
        reader.take(len(data), field.source)
        return data
    if sources == ["fill"]:
        size_bytes = field["size"].integer(1, MAX_FILLED_BYTES)
        reader.filled_bytes[0] += size_bytes
        if reader.filled_bytes[0] > MAX_FILLED_BYTES:
            raise field["size"].expected(f"at most {MAX_FILLED_BYTES} bytes that are filled in")
        return Fill(field["fill"].integer(0, 255), size_bytes)
    return field["bytes"].hexadecimal()


def add_memory(
    target: StateTarget,
    field: Field,
    wave: WaveId | None,
    reader: StateReader | None = None,
    *,
    advice: str | None = None,
) -> None:
    """Add one range of one address space; in the second version of the format its bytes may be
    those of a .npy file, or all the same.

    `reader`: of the state that has the range, which counts the memory for it, and has its elements
    until `add_elements`; `LimitExceeded` where that is too much.
    `advice`: how to name the lane where it is missing; None: as a member.
    """
    members = ("space", "lane", "address", "bytes")
    second = reader if reader is not None and reader.is_second else None
    field.only(*members, *(() if second is None else ("npy", "size", "fill")))
    named, lane = field.get("space"), field.get("lane")
    arch = target.architecture
    if named is None:
        space: AddressSpace | None = arch.address_space(0)
    else:
        space = arch.address_space_named(named.text())
    if space is None:
        assert named is not None
        names = ", ".join(space.name for space in arch.address_spaces.values())
        raise named.expected(f"an address space of {arch.name} ({names})")
    if space.scope == "lane" and lane is None:
        raise _without_lane(field, f"{space} memory", advice)
    if wave is None and space.scope != "process":
        raise field.expected(f"global memory here; {space} memory belongs to a wave")
    number = None if lane is None else lane.integer(0, arch.lane_count - 1)
    address = field["address"].integer(0)
    data: Data = field["bytes"].hexadecimal() if second is None else _contents(field, second)
    where = Memory(space, wave, number)
    try:
        if reader is None:
            target.set_memory(where, address, data)
        else:
            parts = target.lowered(where, address, len(data))
            if len(parts) > 1:
                reader.take_elements(parts, data, field)
            else:
                add_parts(parts, data)
    except DwarfGpuError as error:
        if isinstance(error, LimitExceeded) and error.option is not None:
            raise
        if number is None and space.scope == "any" and isinstance(error, MissingContext):
            raise _without_lane(field, f"the memory at {space}#{address:#x}", advice) from None
        raise _of_entry(field, error) from None


def _without_lane(field: Field, memory: str, advice: str | None) -> UsageError:
    """Return the error for memory of a lane that is not named."""
    if advice is None:
        return field.expected(f"a member 'lane': {memory} belongs to a lane")
    return UsageError(f"{field.source}: {memory} belongs to a lane: {advice}")
