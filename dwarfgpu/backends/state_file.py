"""State files: a stopped machine as one JSON document (`docs/state-files.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dwarfgpu import plain
from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo, RegisterPart
from dwarfgpu.backends.state import StateTarget
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.model.storage import Memory
from dwarfgpu.nouns import frozen
from dwarfgpu.plain import Field
from dwarfgpu.target import Target, WaveId

SCHEMA = "dwarfgpu-state-1"


@frozen
class StateCodeObject:
    """A code object that a state names."""

    path: Path
    load_address: int


@frozen
class WaveState:
    """What a state tells of a wave besides registers and memory."""

    wave: WaveId
    pc: int | None
    cfa: int | None = None
    """In the default address space."""


@frozen
class State:
    """A loaded state file."""

    architecture: Architecture
    target: StateTarget
    waves: tuple[WaveState, ...]
    code_objects: tuple[StateCodeObject, ...] = ()


def load_state(path: Path | str) -> State:
    """The state of a file; `UsageError` names the field that is not as the format says."""
    path = Path(path)
    document = plain.load(path)
    document.only("schema", "note", "architecture", "wave_size", "code_objects", "memory", "waves")
    document["schema"].text(SCHEMA)
    arch = _architecture(document["architecture"], document.get("wave_size"))
    target = StateTarget(arch)
    waves = tuple(_wave(each, target) for each in document["waves"].items())
    if not waves:
        raise document["waves"].expected("at least one wave")
    for each in _items(document, "memory"):
        add_memory(target, each, None)
    return State(arch, target, waves, tuple(_code_objects(document, path)))


def wave_named(waves: Sequence[WaveState], wanted: int | None) -> WaveState:
    """A wave of a state, by default the first; `UsageError` naming those that there are."""
    for wave in waves:
        if wanted is None or wave.wave == wanted:
            return wave
    known = [str(wave.wave) for wave in waves]
    names = ", ".join(known if len(known) <= 16 else [*known[:14], "…", known[-1]])
    raise UsageError(f"--wave {wanted}: the state has no such wave; it has {names}")


def _architecture(named: Field, wave_size: Field | None) -> Architecture:
    name = named.text()
    lanes = None if wave_size is None else wave_size.integer(1, 64)
    field = named
    try:
        arch = architecture(name)
        if wave_size is None:
            return arch
        field = wave_size
        return architecture(name, lanes)
    except UsageError as error:
        raise UsageError(f"{field.source}: {field.path}: {error.message}") from None


def _location(target: StateTarget, wave: WaveId, counter: RegisterInfo | None) -> int | None:
    """The program location, which is the contents of a register; None where it is not known."""
    try:
        held = b"" if counter is None else target.read_register(wave, counter)
    except Unavailable:
        return None
    return int.from_bytes(held, target.architecture.endian) if held else None


def _items(field: Field, name: str) -> list[Field]:
    found = field.get(name)
    return [] if found is None else found.items()


def _code_objects(document: Field, path: Path) -> list[StateCodeObject]:
    out: list[StateCodeObject] = []
    for each in _items(document, "code_objects"):
        each.only("path", "load_address")
        load_address = each.get("load_address")
        out.append(
            StateCodeObject(
                _file(each["path"], path.parent),
                0 if load_address is None else load_address.integer(0),
            )
        )
    return out


def _file(field: Field, folder: Path) -> Path:
    """The path of a file, which need not exist; a pipe or a device, which may never end, is none.

    `UsageError` where it is something else, or no path at all.
    """
    path = folder / field.text()
    try:
        path.resolve()
        if path.exists() and not path.is_file():
            raise field.expected("the path of a regular file")
    except (OSError, ValueError, RuntimeError):  # a NUL, no character of a name, a circle of links
        raise field.expected("the path of a file") from None
    return path


def _wave(field: Field, target: StateTarget) -> WaveState:
    field.only("id", "workgroup", "pc", "cfa", "registers", "memory")
    wave, group, pc, cfa = (field.get(name) for name in ("id", "workgroup", "pc", "cfa"))
    number = len(target.waves) if wave is None else wave.integer(0)
    if number in target.waves:
        if wave is None:
            raise field.expected(f"a member 'id': another wave is {number}")
        raise wave.expected("a wave id that no other wave has")
    target.add_wave(number, None if group is None else group.integer(0))
    arch = target.architecture
    registers = field.get("registers")
    given: set[str] = set()
    parts: list[RegisterPart] = []
    for name, value in () if registers is None else registers.members():
        register = arch.register_named(name)
        part = arch.part_named(name)
        if part is not None:
            if part in parts or part.register.name in given:
                raise UsageError(f"{value.source}: {value.path}: {name} is given twice")
            parts.append(part)
            set_part(target, number, part, value)
            continue
        if register is None:
            raise UsageError(f"{value.source}: {value.path}: {arch.name} has no register {name}")
        if any(each.register is register for each in parts) or register.name in given:
            raise UsageError(f"{value.source}: {value.path}: register {register} is given twice")
        given.add(register.name)
        set_register(target, number, register, value)
    counter = None if arch.program_counter is None else arch.register(arch.program_counter)
    if pc is not None and counter is not None:
        if counter.name == "pc" and counter.name in given:
            raise pc.expected("the program location here or among the registers, once")
        if counter.name not in given:
            set_register(target, number, counter, pc)
        elif _location(target, number, counter) != pc.integer(0):
            raise pc.expected(f"the same as in register {counter}")
    for each in _items(field, "memory"):
        add_memory(target, each, number)
    return WaveState(
        number,
        _location(target, number, counter) if pc is None else pc.integer(0),
        None if cfa is None else cfa.integer(0),
    )


def set_register(target: StateTarget, wave: WaveId, register: RegisterInfo, field: Field) -> None:
    """A register's contents: an integer, `{"bytes": hex}`, or a list with a value for each lane."""
    size_bits = register.size_bits
    if isinstance(field.value, list):
        lanes = register.type.vector_size
        if lanes is None:
            raise field.expected(f"one integer: register {register} has no lanes")
        if len(field.value) > lanes:
            raise field.expected(f"at most {lanes} lanes of register {register}")
        bits = size_bits // lanes
        values = [
            None if each.value is None else each.integer(-(1 << bits - 1), (1 << bits) - 1)
            for each in field.items()
        ]
        target.set_lanes(wave, register, values)
        return
    if isinstance(field.value, dict):
        field.only("bytes")
        data = field["bytes"].hexadecimal()
        if 8 * len(data) != size_bits:
            raise field["bytes"].expected(f"{size_bits // 8} bytes for register {register}")
    else:
        number = field.integer(-(1 << size_bits - 1), (1 << size_bits) - 1)
        data = (number & (1 << size_bits) - 1).to_bytes(
            (size_bits + 7) // 8, target.architecture.endian
        )
    target.set_register(wave, register, data)


def set_part(target: Target, wave: WaveId, part: RegisterPart, field: Field) -> None:
    """The contents of a part of a register: an integer."""
    bits = part.type.bit_size
    number = field.integer(-(1 << bits - 1), (1 << bits) - 1) & (1 << bits) - 1
    data = number.to_bytes(part.type.size_bytes, target.architecture_of(wave).endian)
    target.write_register(wave, part.register, data, part.offset_bytes)


def add_memory(target: StateTarget, field: Field, wave: WaveId | None) -> None:
    """One range of one address space."""
    field.only("space", "lane", "address", "bytes")
    named, lane = field.get("space"), field.get("lane")
    arch = target.architecture
    if named is None:
        space: AddressSpace | None = arch.address_space(0)
    else:
        space = arch.address_space_named(named.text())
    if space is None:
        assert named is not None
        known = ", ".join(each.name for each in arch.address_spaces.values())
        raise named.expected(f"an address space of {arch.name} ({known})")
    if space.scope == "lane" and lane is None:
        raise field.expected(f"a member 'lane': {space} memory belongs to a lane")
    if wave is None and space.scope != "process":
        raise field.expected(f"global memory here; {space} memory belongs to a wave")
    number = None if lane is None else lane.integer(0, arch.lane_count - 1)
    address, data = field["address"].integer(0), field["bytes"].hexadecimal()
    try:
        target.set_memory(Memory(space, wave, number), address, data)
    except DwarfGpuError as error:
        where = f"{field.source}: {field.path}" if field.path else field.source
        raise UsageError(f"{where}: {error.message}") from None
