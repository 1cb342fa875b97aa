"""The current machine of a state, as a state file (`docs/state-files.md`).

Law: reading the file gives the same machine: registers byte by byte, memories, agents and waves.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.machine.simulated.debugger.save import Arrays, Saved
from dwarfgpu.machine.state.load import SCHEMA_2
from dwarfgpu.machine.state.target import StateTarget

_MACHINE: Final = ("agents", "queues", "dispatches", "workgroups", "note")
_OF_WAVE: Final = ("workgroup", "wave_in_group", "stop_reasons", "scratch", "cfa", "barrier")


def state_document(
    target: StateTarget,
    path: Path,
    code_objects: Mapping[Path, int],
    before: Mapping[str, Json] | None = None,
) -> Saved:
    """Return the document for a path, and the arrays in separate files.

    `code_objects`: files and where they are loaded. `before`: the document from which the machine
    was read, for the facts above the waves.
    """
    before = before or {}
    arrays = Arrays(path.name.removesuffix(".json"))
    document: dict[str, Json] = {"schema": SCHEMA_2, "architecture": target.architecture.name}
    if target.architecture.is_simt:
        document["wave_size"] = target.architecture.lane_count
    document |= {name: before[name] for name in _MACHINE if name in before}
    folder = resolved(path).parent
    document["code_objects"] = [
        {"path": os.path.relpath(resolved(file), folder), "load_address": hex(address)}
        for file, address in code_objects.items()
    ]
    document["memory"] = list(_memory(target, arrays, None, None))
    records = {record["id"]: record for record in _waves_before(before)}
    document["waves"] = [
        _wave(target, arrays, wave, records.get(wave, {})) for wave in target.waves
    ]
    return Saved(document, arrays.files)


def _waves_before(before: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The waves of a document, with their numbers."""
    waves = before.get("waves")
    for index, record in enumerate(waves if isinstance(waves, list) else ()):
        if isinstance(record, dict):
            number = record.get("id", index)
            yield {**record, "id": int(number, 0) if isinstance(number, str) else number}


def _wave(target: StateTarget, arrays: Arrays, wave: int, records: Mapping[str, Json]) -> Json:
    out: dict[str, Json] = {"id": wave}
    out |= {name: records[name] for name in _OF_WAVE if name in records}
    placed = target.machine.waves.get(wave)
    if placed is not None:
        out.pop("stop_reasons", None)
        out |= {"stop_reasons": list[Json](placed.stop_reasons)} if placed.stop_reasons else {}
        out.pop("barrier", None)
        numbers = {"signals": placed.barrier.signals, "met": placed.barrier.met}
        out |= {"barrier": dict[str, Json](numbers)} if any(numbers.values()) else {}
    registers: dict[str, Json] = {}
    for name, stored in target.waves[wave].items():
        words = stored.words()
        is_whole = all(len(word) == 2 and word != "??" for word in words)
        registers[name] = {"bytes": ("" if is_whole else " ").join(words)}
    out["registers"] = registers
    group = target.workgroups[wave]
    first = next(number for number in target.waves if target.workgroups[number] == group)
    out["memory"] = list(_memory(target, arrays, wave, group if wave == first else None))
    return out


def _memory(
    target: StateTarget, arrays: Arrays, wave: int | None, group: int | None
) -> Iterator[Json]:
    """Return the memory of the process, else that of a wave and, with its number, of its
    workgroup."""
    for name, owner, store in target.memories():
        space = target.architecture.address_space_named(name) if name else None
        is_of_group = space is not None and space.scope == "workgroup"
        if owner != (group if is_of_group else wave) or (owner is None) != (wave is None):
            continue
        for address, data in store.runs():
            entry = arrays.memory(f"{name or 'at'}-{owner or 0}-{address:x}", address, data)
            assert isinstance(entry, dict)
            yield {"space": name, **entry} if name else entry
