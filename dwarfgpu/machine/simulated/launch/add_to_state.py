"""Add a dispatch to the machine of a state: its placement, and the combined document.

Law: the state stays as it is; the new dispatch has a queue of its own, so that no object in memory
changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dwarfgpu.base.absolute_path import relative_path
from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.npy import read_file
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.base.writing import content_name, label_of
from dwarfgpu.errors import LimitExceeded, UsageError, counted, shown
from dwarfgpu.machine.simulated.launch.dispatch import LOAD_ADDRESS
from dwarfgpu.machine.simulated.launch.dispatch_request import FIRST_PLACEMENT, DispatchPlacement
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.machine.state.write import Saved
from dwarfgpu.machine.topology import Agent

_STEP: Final = 1 << 36
"""Between the memories of two dispatches, and between two code objects."""
_MAX_ID: Final = 1 << 32
_LISTS: Final = ("agents", "queues", "dispatches", "workgroups", "memory", "waves")


def placement_in_state(state: State, agent: int | None) -> DispatchPlacement:
    """Return the placement of a further dispatch; `UsageError` if the state has no machine to
    extend.

    A nonexistent agent is added; by default it is the first one.
    """
    machine = state.machine
    for kind, table in (("agent", machine.agents), ("workgroup", machine.workgroups)):
        if not table:
            raise UsageError(f"the state has no {kind}: a dispatch can only be added to a machine")
    number = min(machine.agents) if agent is None else agent
    count = len(machine.dispatches)
    ranges = [
        (start, start + len(data))
        for name, _, store in state.target.memories()
        if not name
        for start, data in store.runs()
    ]
    scratch = [state.target.apertures_of(wave.wave) for wave in state.waves]
    ranges += [
        (wave.scratch_base, wave.scratch_base + (wave.scratch_bytes or 0))
        for wave in scratch
        if wave.scratch_base is not None
    ]
    return DispatchPlacement(
        machine.agents.get(number, Agent(number)),
        number not in machine.agents,
        queue=_next(machine.queues),
        dispatch=_next(machine.dispatches),
        workgroup=_next(machine.workgroups),
        wave=_next(wave.wave for wave in state.waves),
        objects_address=_free(FIRST_PLACEMENT.objects_address, count, ranges),
        scratch_address=_free(FIRST_PLACEMENT.scratch_address, count, ranges),
    )


def _next(numbers: Iterable[int]) -> int:
    last = max(numbers, default=0)
    if last >= _MAX_ID:
        raise LimitExceeded(f"no number is free after {shown(last)}")
    return last + 1


def _free(first: int, steps: int, ranges: list[tuple[int, int]]) -> int:
    """Return the first address of a step that is not known to be used."""
    for step in range(steps, 1 << 12):
        address = first + step * _STEP
        if all(end <= address or address + _STEP <= start for start, end in ranges):
            return address
    raise LimitExceeded(f"no room for {counted(_STEP, 'byte')} of memory from {first:#x} on")


def load_address_in_state(state: State, path: Path) -> tuple[int, bool]:
    """Return where a code object is in the state, or could be loaded; whether it is there."""
    for code_object in state.code_objects:
        if resolved(code_object.path) == resolved(path):
            return code_object.load_address, True
    last = max(
        (code_object.load_address for code_object in state.code_objects),
        default=LOAD_ADDRESS - _STEP,
    )
    return max(LOAD_ADDRESS, last // _STEP * _STEP + _STEP), False


def require_same_waves(state: State, architecture: str, lanes: int) -> None:
    """Raise `UsageError` for a kernel of another processor or wave size: a state has waves of
    one."""
    there = state.architecture
    if (there.name, there.lane_count) != (architecture, lanes):
        raise UsageError(
            f"the kernel is for {architecture}, wave{lanes}; the waves of the state are of "
            f"{there.name}, wave{there.lane_count}"
        )


def merged_states(
    before: dict[str, Json], folder: Path, addition: Saved, path: Path, is_there: bool
) -> Saved:
    """Return the merged document of a state in a folder and a further dispatch, for saving at a
    path."""
    copied: dict[str, bytes] = {}
    old = _moved(before, _Move(folder, resolved(path), copied))
    document = {**old, "note": "; ".join(_notes(old, addition.document))}
    for name in _LISTS:
        document[name] = [*_items(old, name), *_items(addition.document, name)]
    added = [] if is_there else _items(addition.document, "code_objects")
    document["code_objects"] = [*_items(old, "code_objects"), *added]
    return evolve(addition, document=document, files={**copied, **addition.files})


def _notes(*documents: dict[str, Json]) -> list[str]:
    return [
        note for document in documents if isinstance(note := document.get("note"), str) and note
    ]


def _items(document: dict[str, Json], name: str) -> list[Json]:
    entries = document.get(name, [])
    return entries if isinstance(entries, list) else []


@frozen
class _Move:
    """A document that is saved at another path."""

    folder: Path
    """Of the document before."""
    path: Path
    copied: dict[str, bytes]
    """The files that are saved with it again, in its folder: saving the state before may remove
    its own (docs/decisions/0027-arrays-of-a-state.md)."""
    _names: dict[str, str] = field(factory=dict, init=False)

    def name(self, value: str) -> str:
        """Return the name of a file in the new document; waves share the arrays of registers."""
        if value not in self._names:
            self._names[value] = self._new_name(value)
        return self._names[value]

    def _new_name(self, value: str) -> str:
        source, target = resolved(self.folder / value), self.path.parent
        label = label_of(source.name)
        if label is None or source.parent == target:
            return relative_path(source, target)
        data = read_file(source)
        stem = self.path.name.removesuffix(".json")
        name = content_name(f"{stem}.{label}", data, source.suffix[1:])
        self.copied[name] = data
        return name


def _moved(value: dict[str, Json], move: _Move) -> dict[str, Json]:
    """Return a document with the paths of files as another folder sees them."""
    return {name: _moved_value(name, member, move) for name, member in value.items()}


def _moved_value(name: str, value: Json, move: _Move) -> Json:
    if isinstance(value, dict):
        return _moved(value, move)
    if isinstance(value, list):
        return [_moved_value(name, item, move) for item in value]
    return move.name(value) if name in ("npy", "path") and isinstance(value, str) else value
