"""State files: a stopped machine as one JSON document (`docs/state-files.md`)."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from stat import S_ISFIFO
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.arch.model import Architecture, RegisterInfo, RegisterPart
from dwarfgpu.arch.registry import architecture, has_on_another_gpu
from dwarfgpu.base import json_reader
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.printable import on_one_line, shell_word
from dwarfgpu.base.readable_files import folder_of
from dwarfgpu.errors import (
    LONGEST_NAME,
    DwarfGpuError,
    LimitExceeded,
    Unavailable,
    UnreadableFile,
    UsageError,
    shortened,
)
from dwarfgpu.machine.state.load_contents import (
    RANGE_BYTES,
    StateReader,
    add_memory,
    fits_lane,
    regular_file,
    set_part,
    set_register,
)
from dwarfgpu.machine.state.load_topology import (
    MACHINE_MEMBERS,
    WAVE_MEMBERS,
    check_waves,
    read_apertures,
    read_machine,
    read_wave,
)
from dwarfgpu.machine.state.loaded_state import SCHEMA, SCHEMA_2, State, StateCodeObject, WaveState
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.objfile.file_kinds import CORE_HEADER_BYTES, compressed_by, is_core_header

if TYPE_CHECKING:
    from pathlib import Path

    Span: TypeAlias = tuple[Field, WaveId | None]
    """An entry of `memory`, and the wave that has it; None: of the whole machine."""

_MANY_RANGES = 1024
_PACKED_HEAD_BYTES: Final = 1 << 16
"""As many compressed bytes as have the header of a core file."""
_WORD = (1 << 64) - 1
_REGISTER_BYTES = 256
"""What Python needs for a register besides its bytes and their masks."""


@names_wrong_arguments
def load_state(path: Path | str, limits: FileLimits = DEFAULT_FILE_LIMITS) -> State:
    """Load the state of a file; `UsageError` names a field that does not follow the format.

    `LimitExceeded` for more waves, registers or arrays than the limits allow.
    """
    try:
        return _loaded(path, limits)
    except DwarfGpuError as error:  # a name in the file may end lines
        error.args = (on_one_line(error.message), *error.args[1:])
        raise


def _loaded(path: Path | str, limits: FileLimits) -> State:
    from pathlib import Path  # imports a lot; operations alone have no state

    if not os.fspath(path):
        raise UsageError("an empty name is not a name of a file")
    if os.fspath(path).endswith("/") and os.path.isfile(Path(path)):  # which leaves the slash out
        raise UsageError(f"{path} cannot be read: {os.strerror(errno.ENOTDIR)}")
    path = Path(path)
    with suppress(OSError, ValueError):  # a later step reports why it cannot be read
        if S_ISFIFO(path.lstat().st_mode):  # it waits for a writer; /dev/stdin, a link, has one
            raise UsageError(f"{path} cannot be read: it is not a regular file")
    try:
        document = json_reader.load(path)
    except UnreadableFile as error:
        raise _in_another_format(path, error) from None
    record_input(path, "state")
    is_second = document["schema"].text(SCHEMA, SCHEMA_2) == SCHEMA_2
    members = ("schema", "note", "architecture", "wave_size", "code_objects", "memory", "waves")
    document.only(*members, *(MACHINE_MEMBERS if is_second else ()))
    note = document.get("note")
    if note is not None:
        note.text()
    arch = _architecture(document["architecture"], document.get("wave_size"))
    machine = read_machine(document, arch)
    fill = document.get("fill")
    target = StateTarget(arch, machine=machine, fill=None if fill is None else fill.integer(0, 255))
    reader = StateReader(target, folder_of(path), is_second, limits)
    listed = document["waves"]
    _require_few_waves(listed, limits.waves)
    spans: list[Span] = []
    waves = tuple(_wave(entry, reader, spans) for entry in listed.items())
    if not waves:
        raise document["waves"].expected("at least one wave")
    if is_second:
        check_waves(document, target.machine)
    spans += _ranges(document, None, reader)
    if len(spans) > _MANY_RANGES:  # those of all waves may be in one memory: this order takes least
        spans.sort(key=_address)
    spans.reverse()
    while spans:  # each is forgotten when it is added
        span, wave = spans.pop()
        add_memory(target, span, wave, reader)
    reader.add_elements()
    notes = (
        *(_omitted(arch, *omitted) for omitted in reader.omitted.items()),
        *(_single_integer(arch, *single) for single in reader.single_integers.items()),
        *([_changed(reader.changed)] if reader.changed else ()),
    )
    code_objects = _code_objects(document, path, limits.code_objects)
    return State(arch, target, waves, tuple(code_objects), notes)


def _in_another_format(path: Path, error: UnreadableFile) -> UnreadableFile:
    """Return the error for a file that is not JSON: what it is instead, if its beginning says."""
    if not os.path.isfile(path):  # what was read of a pipe is gone
        return error
    with path.open("rb") as file:
        head = file.read(_PACKED_HEAD_BYTES)
    program = compressed_by(head)
    if program is not None:
        from dwarfgpu.objfile.compressed_file import head_of  # few states are compressed

        is_core = is_core_header(head_of(str(path), head, CORE_HEADER_BYTES))
        as_core = f"give it as a core file (--core {shell_word(str(path))})"
        remedy = as_core if is_core else "decompress it"
        what = "a compressed core file" if is_core else f"compressed ({program})"
        return UnreadableFile(f"{path}: not JSON: it is {what}; {remedy}")
    if not error.message.endswith(json_reader.IS_ELF):
        return error
    is_core = is_core_header(head[:CORE_HEADER_BYTES])
    what, option = ("a core file", "--core") if is_core else ("a code object", "--file")
    return UnreadableFile(f"{error.message}; give it as {what} ({option} {shell_word(str(path))})")


def _require_few_waves(listed: Field, most_waves: int) -> None:
    """Raise `LimitExceeded` for more waves than are read."""
    if isinstance(listed.value, list) and len(listed.value) > most_waves:
        raise LimitExceeded(
            f"{listed.source}: waves: {len(listed.value)} waves, at most {most_waves} are read",
            "--max-waves",
        )


def _omitted(arch: Architecture, name: str, waves: list[WaveId]) -> str:
    """Return the note on a register that another AMD GPU has: libraries list more than there
    are."""
    more = f" and {len(waves) - 1} more" if len(waves) > 1 else ""
    lanes = f" in wave{arch.lane_count}"
    return f"{arch.name}{lanes} has no register {name}: that of wave {waves[0]}{more} is ignored"


def _single_integer(arch: Architecture, name: str, waves: list[WaveId]) -> str:
    """Return the note on a vector register that is given as one small integer: it is all of the
    register, as the format says, and hardly what its author means."""
    more = f" and {len(waves) - 1} more" if len(waves) > 1 else ""
    register = arch.register_named(name)
    assert register is not None
    return (
        f"one integer is given for {name} of wave {waves[0]}{more}: it is all "
        f"{register.size_bits} bits of the register, not the value of each lane; a list has a "
        "value for each lane"
    )


def _changed(arrays: list[str]) -> str:
    """Return the note on arrays that are not what was saved."""
    more = f" and {len(arrays) - 1} more" if len(arrays) > 1 else ""
    verb = "have" if more else "has"
    return on_one_line(
        f"{arrays[0]}{more} {verb} changed since the state was saved: registers and memory may be "
        "wrong"
    )


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
    """Return the program location in a register; None if it is unknown."""
    try:
        counter_bytes = b"" if counter is None else target.read_register(wave, counter)
    except Unavailable:
        return None
    return int.from_bytes(counter_bytes, target.architecture.endian) if counter_bytes else None


def _ranges(field: Field, wave: WaveId | None, reader: StateReader) -> Iterator[Span]:
    """Yield the entries of `memory`, each with its wave; their memory is counted."""
    for entry in _items(field, "memory"):
        reader.take(RANGE_BYTES, entry.source)
        yield entry, wave


def _address(span: Span) -> int:
    """Return the address of an entry; 0 if it has none, which a later step reports."""
    entry, _ = span
    address = entry.value.get("address") if isinstance(entry.value, dict) else None
    number = json_reader.integer_of(address) if isinstance(address, str) else address
    return number if isinstance(number, int) else 0


def _items(field: Field, name: str) -> list[Field]:
    member = field.get(name)
    return [] if member is None else member.items()


def _code_objects(document: Field, path: Path, most: int) -> list[StateCodeObject]:
    out: list[StateCodeObject] = []
    listed = _items(document, "code_objects")
    if len(listed) > most:
        raise LimitExceeded(
            f"{document.source}: code_objects: {len(listed)} code objects, at most {most} are read",
            "--max-code-objects",
        )
    for entry in listed:
        entry.only("path", "load_address", "sha256")
        load_address, digest = entry.get("load_address"), entry.get("sha256")
        out.append(
            StateCodeObject(
                regular_file(entry["path"], folder_of(path)),
                0 if load_address is None else load_address.integer(0, _WORD),
                load_address,
                entry["path"],
                None if digest is None else digest.text().lower(),
            )
        )
    return out


def _wave(field: Field, reader: StateReader, spans: list[Span]) -> WaveState:
    """Read a wave; the ranges of its memory are added to `spans`."""
    target = reader.target
    members = ("id", "workgroup", "pc", "cfa", "registers", "memory")
    field.only(*members, *(WAVE_MEMBERS if reader.is_second else ()))
    wave, group, pc, cfa = (field.get(name) for name in ("id", "workgroup", "pc", "cfa"))
    number = len(target.waves) if wave is None else wave.integer(0, _WORD)
    if number in target.waves:
        if wave is None:
            raise field.expected(f"a member 'id': another wave is {number}")
        raise wave.expected("a wave id that no other wave has")
    target.add_wave(number, None if group is None else group.integer(0, _WORD))
    if reader.is_second:
        topology_record = read_wave(field, number, target.machine)
        target.place_wave(topology_record)
        apertures = read_apertures(field, topology_record, target.machine, target.architecture)
        if apertures is not None:
            target.wave_apertures[number] = apertures
    arch = target.architecture
    registers = _registers(field, number, reader)
    counter = None if arch.program_counter is None else arch.register(arch.program_counter)
    if pc is not None and counter is not None:
        if counter.name == "pc" and counter.name in registers:
            raise pc.expected("the program location here or among the registers, once")
        if counter.name not in registers:
            pc.integer(0, _WORD)
            set_register(target, number, counter, pc)
        elif _location(target, number, counter) != pc.integer(0, _WORD):
            raise pc.expected(f"the same as in register {counter}")
    spans += _ranges(field, number, reader)
    return WaveState(
        number,
        _location(target, number, counter) if pc is None else pc.integer(0, _WORD),
        None if cfa is None else cfa.integer(0, _WORD),
    )


def _registers(field: Field, number: WaveId, reader: StateReader) -> set[str]:
    """Set the registers of a wave; return the names of those set whole."""
    target = reader.target
    arch = target.architecture
    registers = field.get("registers")
    names: set[str] = set()
    parts: list[RegisterPart] = []
    for name, value in () if registers is None else registers.members():
        register = arch.register_named(name)
        part = arch.part_named(name)
        if part is not None:
            if part in parts or part.register.name in names:
                raise UsageError(f"{value.source}: {value.path}: {name} is given twice")
            parts.append(part)
            set_part(target, target, number, part, value)
            continue
        if register is None:
            if arch.is_simt and has_on_another_gpu(name):
                reader.omitted.setdefault(name, []).append(number)
                continue
            raise UsageError(
                f"{value.source}: {value.path}: {arch.name} has no register "
                f"{shortened(name, LONGEST_NAME)}"
            )
        if any(part.register is register for part in parts) or register.name in names:
            raise UsageError(f"{value.source}: {value.path}: register {register} is given twice")
        names.add(register.name)
        reader.take(_REGISTER_BYTES + register.size_bits // 4, field.source)
        try:
            set_register(target, number, register, value, reader if reader.is_second else None)
        except Unavailable as error:
            raise UsageError(f"{value.source}: {value.path}: {error.message}") from None
        if arch.is_simt and register.type.vector_size and fits_lane(register, value):
            reader.single_integers.setdefault(register.name, []).append(number)
    return names
