"""The contents of a state file, from the current machine of a state (`docs/state-files.md`).

`write` stores them.

Law: reading the file gives the same machine: registers byte by byte, memories, agents and waves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from dwarfgpu.arch.model import Apertures
from dwarfgpu.base.absolute_path import relative_path
from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.records import evolve, fields, frozen
from dwarfgpu.machine.state.loaded_state import SCHEMA_2
from dwarfgpu.machine.state.register_bytes import RegisterBytes
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.state.write import Arrays, Saved
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Queue, Wave, Workgroup

_MACHINE: Final = ("agents", "queues", "dispatches", "workgroups", "note")
_OF_WAVE: Final = (
    "workgroup", "wave_in_group", "stop_reasons", "stop_lanes", "scratch", "cfa", "barrier",
)  # fmt: skip
_MEMBERS: Final = {
    "object_address": "object", "packets_address": "address", "packets_bytes": "size",
    "processor": "", "os_id": "", "cores": "", "threads": "", "location": "",
}  # fmt: skip
"""What a state file calls fields of agents and queues; it does not have those without a name."""


@frozen
class LoadedFile:
    """A code object that a state names."""

    path: Path
    load_address: int
    digest: str | None = None
    """The SHA-256 of the contents to which the state belongs; None where it is unknown."""


def state_document(
    target: StateTarget,
    path: Path,
    code_objects: Iterable[LoadedFile],
    before: Mapping[str, Json] | None = None,
) -> Saved:
    """Return the document for a path, and the arrays in separate files.

    `before`: the document from which the machine
    was read, for the facts above the waves; None: those that the machine has.
    """
    if before is None:
        apertures = {wave: target.apertures_of(wave) for wave in target.waves}
        before = topology_document(target.machine, apertures)
    arrays = Arrays(path.name.removesuffix(".json"))
    document: dict[str, Json] = {"schema": SCHEMA_2, "architecture": target.architecture.name}
    if target.architecture.is_simt:
        document["wave_size"] = target.architecture.lane_count
    document |= {name: before[name] for name in _MACHINE if name in before}
    if target.fill is not None:
        document["fill"] = target.fill
    folder = resolved(path).parent
    document["code_objects"] = [code_object_record(loaded, folder) for loaded in code_objects]
    memories = _Memories(target, arrays)
    document["memory"] = memories.of_process()
    records = {record["id"]: record for record in _waves_before(before)}
    machine_waves = target.machine.waves
    document["waves"] = [
        _wave(wave, registers, machine_waves.get(wave), records.get(wave, {}))
        | {"memory": memories.of_wave(wave)}
        for wave, registers in target.waves.items()
    ]
    return Saved(document, arrays.files)


def code_object_record(loaded: LoadedFile, folder: Path) -> dict[str, Json]:
    """Return what a state in a folder says of a code object: where it is, and what it contains."""
    path, digest = relative_path(resolved(loaded.path), folder), loaded.digest
    contents: dict[str, Json] = {} if digest is None else {"sha256": digest}
    return {"path": path, "load_address": hex(loaded.load_address), **contents}


def topology_document(machine: Machine, apertures: Mapping[WaveId, Apertures]) -> dict[str, Json]:
    """Return where waves belong, and the objects above them as far as all of these are known.

    `apertures`: of these waves.
    """
    waves: list[Json] = []
    groups: dict[int, Workgroup] = {}
    is_known = bool(apertures)
    for number, memories in apertures.items():
        record = machine.waves.get(number) or Wave(number)
        wave: dict[str, Json] = {"id": number, "stop_reasons": list[Json](record.stop_reasons)}
        if memories.scratch_base is not None and memories.scratch_bytes:
            wave["scratch"] = {
                "address": hex(memories.scratch_base), "size": memories.scratch_bytes,
                **({} if memories.element_bytes == 4 else {"element_size": memories.element_bytes}),
            }  # fmt: skip
        group = machine.workgroup_of(number)
        if group is not None:
            groups[group.id] = group
            wave |= {"workgroup": group.id, "wave_in_group": record.wave_in_group}
        is_known &= machine.dispatch_of(number) is not None
        is_known &= machine.agent_of(number) is not None
        waves.append(wave)
    if not is_known:
        return {"waves": [_without_position(wave) for wave in waves]}
    dispatches = {d.id: d for n in apertures if (d := machine.dispatch_of(n)) is not None}
    queues = {q.id: q for n in apertures if (q := machine.queue_of(n)) is not None}
    agents = {a.id: a for n in apertures if (a := machine.agent_of(n)) is not None}
    return {
        "waves": waves,
        "agents": [_entry(agent) for agent in agents.values()],
        "queues": [_entry(queue) for queue in queues.values()],
        "dispatches": [_entry(dispatch) for dispatch in dispatches.values()],
        "workgroups": [_entry(evolve(group, queue=None)) for group in groups.values()],
    }


def _without_position(wave: Json) -> Json:
    """Return a wave of a workgroup about which nothing else is known."""
    assert isinstance(wave, dict)
    return {name: value for name, value in wave.items() if name != "wave_in_group"}


def _entry(component: Agent | Queue | Dispatch | Workgroup) -> dict[str, Json]:
    """Return the members of an object that are known."""
    out: dict[str, Json] = {}
    for field in fields(type(component)):
        value = getattr(component, field.name)
        name = _MEMBERS.get(field.name, field.name)
        if value is not None and name:
            out[name] = list(value) if isinstance(value, tuple) else value
    return out


def _waves_before(before: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield the waves of a document, with their numbers."""
    waves = before.get("waves")
    for index, record in enumerate(waves if isinstance(waves, list) else ()):
        if isinstance(record, dict):
            number = record.get("id", index)
            yield {**record, "id": int(number, 0) if isinstance(number, str) else number}


def _wave(
    wave: WaveId,
    contents: Mapping[str, RegisterBytes],
    wave_record: Wave | None,
    records: Mapping[str, Json],
) -> dict[str, Json]:
    """Return a wave without its memory."""
    out: dict[str, Json] = {"id": wave}
    out |= {name: records[name] for name in _OF_WAVE if name in records}
    if wave_record is not None:
        out.pop("stop_reasons", None)
        out |= (
            {"stop_reasons": list[Json](wave_record.stop_reasons)}
            if wave_record.stop_reasons
            else {}
        )
        out.pop("stop_lanes", None)
        lanes: list[Json] = [*wave_record.stop_lanes]
        out |= {"stop_lanes": lanes} if lanes else {}
        out.pop("barrier", None)
        numbers = {"signals": wave_record.barrier.signals, "met": wave_record.barrier.met}
        out |= {"barrier": dict[str, Json](numbers)} if any(numbers.values()) else {}
    registers: dict[str, Json] = {}
    for name, stored in contents.items():
        words = stored.words()
        is_whole = all(len(word) == 2 and word != "??" for word in words)
        registers[name] = {"bytes": ("" if is_whole else " ").join(words)}
    out["registers"] = registers
    return out


class _Memories:
    """The memories of a state by what they belong to; that of a workgroup is written with its first
    wave."""

    def __init__(self, target: StateTarget, arrays: Arrays) -> None:
        self._arrays = arrays
        self._memories = list(target.memories())
        self._indexes: dict[tuple[str, int], list[int]] = {}
        """Keyed by the kind of the owner and its number."""
        self._group_of_first: dict[WaveId, int] = {}
        groups: set[int] = set()
        for wave in target.waves:
            group = target.workgroups[wave]
            if group not in groups:
                groups.add(group)
                self._group_of_first[wave] = group
        for index, (name, owner, _) in enumerate(self._memories):
            space = target.architecture.address_space_named(name) if name else None
            kind = "group" if space is not None and space.scope == "workgroup" else "wave"
            key = ("process", 0) if owner is None else (kind, owner)
            self._indexes.setdefault(key, []).append(index)

    def of_process(self) -> list[Json]:
        return self._entries(self._indexes.get(("process", 0), []))

    def of_wave(self, wave: WaveId) -> list[Json]:
        """Return the memory of a wave and, if it is the first one, of its workgroup."""
        indexes = list(self._indexes.get(("wave", wave), ()))
        if wave in self._group_of_first:
            indexes += self._indexes.get(("group", self._group_of_first[wave]), ())
        return self._entries(sorted(indexes))

    def _entries(self, indexes: Iterable[int]) -> list[Json]:
        entries: list[Json] = []
        for name, owner, store in (self._memories[index] for index in indexes):
            for address, data in store.runs():
                label = f"{name or 'at'}-{owner or 0}-{address:x}"
                entry = self._arrays.memory(label, address, data)
                assert isinstance(entry, dict)
                entries.append({"space": name, **entry} if name else entry)
        return entries
