"""The table of `dwarfgpu waves`: the waves of a state or a core file, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.machine.topology import Machine
from dwarfgpu.objfile.companions import Companions
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.machine.open_machine import require_architecture
from dwarfgpu.service.machine.state_code_objects import (
    address_of_same,
    changed_since,
    require_apart,
    require_end_in_state,
    require_waves_inside,
)
from dwarfgpu.service.waves.faulty_access_text import access_cell, access_record
from dwarfgpu.service.waves.wave_rows import (
    WavePositions,
    WaveRow,
    is_faulty,
    wave_groups,
    wave_row,
)
from dwarfgpu.session.session import Session
from dwarfgpu.session.unreadable_frames import UnreadableFrames
from dwarfgpu.view.json_object import JsonObject, Plain, StreamedObject


def _code_objects_of(
    state: State,
    file: str | None,
    limits: FileLimits,
    dialect: str | None,
    debug_directories: Sequence[str],
) -> tuple[list[CodeObject], list[str]]:
    """Return the code objects that can be read; why others cannot."""
    named = [(file.path, file.load_address) for file in state.code_objects]
    if file is not None:
        addresses = [address for path, address in named if resolved(path) == resolved(file)]
        named = [(Path(file), addresses[0] if addresses else address_of_same(state, file))]
    opened: Companions[ObjectFile] = Companions()  # a state may load a file thousands of times
    out: list[CodeObject] = []
    problems: list[str] = []
    for path, load_address in named:
        try:
            object_file = opened.read(str(path), partial(open_object, path, None, limits))
            out.append(
                CodeObject.of(
                    object_file, load_address, dialect, debug_directories=debug_directories
                )
            )
        except DwarfGpuError as error:
            if file is not None:
                raise UsageError(error.text) from None
            problems.append(error_line(error))
    return out, problems


def wave_lines(rows: Sequence[WaveRow]) -> Iterator[str]:
    """Yield a title and a line for each wave, as ROCgdb's `info threads`."""
    width = max(9, *(len(row.target_id) for row in rows), 9)
    ids = max(2, *(len(str(row.wave.wave)) for row in rows), 2)
    has_reasons = any(row.stop_reasons for row in rows)
    names = [",".join(row.stop_reasons) or "-" for row in rows]
    longest = max(16, *map(len, names), 16)
    reasons = f" {'Stop reason':<{longest}}" if has_reasons else ""
    lanes = max(5, *(len(row.lanes.text) for row in rows), 5)
    cells = [access_cell(row.access) for row in rows]
    has_accesses = any(row.access is not None for row in rows)
    widest = max(13, *map(len, cells), 13)
    failed_at = f" {'Failed access':<{widest}}" if has_accesses else ""
    titles = f"{'Lanes':<{lanes}}{reasons}{failed_at}"
    yield f"  {'Id':<{ids}} State {'Target Id':<{width}} {titles} Frame"
    for row, name, cell in zip(rows, names, cells, strict=True):
        why = f" {name:<{longest}}" if has_reasons else ""
        why += f" {cell:<{widest}}" if has_accesses else ""
        who = f"  {row.wave.wave:<{ids}} T     {row.target_id:<{width}}"
        yield f"{who} {row.lanes.text:<{lanes}}{why} {row.position.frame}"


def waves_json(rows: Sequence[WaveRow], machine: Machine) -> StreamedObject:
    """Return the object of `waves --json`, without schema and notes. Groups and waves are made as
    they are written, because the names of their functions may be long."""
    architectures: list[Plain] = [*dict.fromkeys(row.architecture.name for row in rows)]
    return {
        "architecture": architectures[0] if len(architectures) == 1 else None,
        "architectures": architectures,
        "groups": (group.record for group in wave_groups(rows)),
        "waves": (_wave(row, machine) for row in rows),
    }


def _wave(row: WaveRow, machine: Machine) -> JsonObject:
    number = row.wave.wave
    group, dispatch = machine.workgroup_of(number), machine.dispatch_of(number)
    queue, agent = machine.queue_of(number), machine.agent_of(number)
    wave = machine.waves.get(number)
    return {
        "id": number,
        "state": "stop",
        "stop_reasons": list(row.stop_reasons),
        "is_faulty": row.is_faulty,
        "failed_access": access_record(row.access),
        "target_id": row.target_id,
        "agent": None if agent is None else agent.id,
        "queue": None if queue is None else queue.id,
        "dispatch": None if dispatch is None else dispatch.id,
        "kernel": None if dispatch is None else dispatch.kernel,
        "workgroup": None if group is None else group.id,
        "workgroup_coord": None
        if group is None or group.position is None
        else list(group.position),
        "wave_number_in_workgroup": None if wave is None else wave.wave_in_group,
        "active_lanes": row.lanes.active,
        "used_lanes": row.lanes.used,
        "pc": row.wave.pc,
        "function": row.position.function,
        "source_line": row.position.line,
    }


@frozen(eq=False)
class StateWaves:
    """The waves of a state."""

    rows: list[WaveRow]
    machine: Machine
    notes: list[str]


def waves_in_state(
    path: str,
    file: str | None,
    limits: FileLimits,
    *,
    dialect: str | None = None,
    debug_directories: Sequence[str] = DEBUG_DIRECTORIES,
) -> StateWaves:
    """Return the waves of a state; `file`: the code object in place of those that it names."""
    state = load_state(Path(path), limits)
    objects, problems = _code_objects_of(state, file, limits, dialect, debug_directories)
    require_architecture(objects, state.architecture)
    if file is not None and len(objects) == 1:
        require_waves_inside(state, path, file, objects)
    for code_object in objects:
        require_end_in_state(code_object, state)
    require_apart(path, state, objects)
    session = Session(state.target.architecture, tuple(objects), state.target, knows_loaded=True)
    unreadable = UnreadableFrames()
    positions = WavePositions(session, unreadable)
    rows = [
        wave_row(
            session.of_wave(wave.wave, wave.pc),
            state.machine,
            positions,
            is_faulty=is_faulty(state.machine.waves.get(wave.wave)),
        )
        for wave in state.waves
    ]
    notes = [*state.notes, *changed_since(state, objects), *problems, *unreadable.notes()]
    return StateWaves(rows, state.machine, notes)
