"""Save a dispatch before its first instruction as a state file (`docs/state-files.md`)."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dwarfgpu.arch.model import Apertures
from dwarfgpu.base.json_reader import MAX_VALUES, Json
from dwarfgpu.base.npy import Npy
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.machine.simulated.launch.dispatch import Launched, WaveRegisters
from dwarfgpu.machine.state.loaded_state import SCHEMA_2
from dwarfgpu.machine.state.state_document import LoadedFile, code_object_record
from dwarfgpu.machine.state.write import Arrays, Saved
from dwarfgpu.machine.topology import Dispatch, Queue, Workgroup

_OTHER_VALUES: Final = 10_000
"""What a state file may have besides waves and workgroups."""


def saved(
    launched: Launched,
    path: Path,
    code_object: LoadedFile,
    loaded: Iterable[tuple[int, bytes]] = (),
    fill: int | None = None,
) -> Saved:
    """Return the state file of a dispatch at a path; `loaded`: writable memory of the code object;
    `fill`: the byte of memory that was never written."""
    request, machine = launched.request, launched.machine
    number = request.placement.dispatch
    stem = path.name.removesuffix(".json")
    arrays = Arrays(stem if number == 1 else f"{stem}-{number}")
    memory: list[Json] = [
        arrays.memory(f"at-{begin:x}", begin, data) for begin, data in launched.memory
    ]
    memory += [arrays.memory(f"data-{begin:x}", begin, data) for begin, data in loaded]
    for address, buffer, name in launched.kernarg.buffers:
        if buffer.data is not None:
            memory.append(arrays.memory(name, address, buffer.data))
        elif fill is not None:
            memory.append({"address": hex(address), "size": buffer.size_bytes, "fill": fill})
    if fill is not None:
        memory += _filled_scratch(launched, fill)
        memory += _filled_padding(launched, fill)
    vectors = {name: _vector(arrays, name, launched) for name in _vector_names(launched)}
    grid, workgroup = request.geometry.grid, request.geometry.workgroup
    shown = [",".join(map(str, size)) for size in (grid, workgroup)]
    document: dict[str, Json] = {
        "schema": SCHEMA_2,
        "note": f"dispatch of {request.kernel.name}, grid {shown[0]}, workgroup {shown[1]}, "
        "before the first instruction",
        "architecture": request.processor.name,
        "wave_size": machine.lane_count,
        "code_objects": [
            code_object_record(code_object, resolved(path).parent)
        ],
        "agents": [
            {"id": agent.id, "local_base": hex(agent.local_base),
             "private_base": hex(agent.private_base)}
            for agent in machine.agents.values() if request.placement.is_new_agent
        ],
        "queues": [_queue(queue) for queue in machine.queues.values()],
        "dispatches": [_dispatch(dispatch) for dispatch in machine.dispatches.values()],
        "workgroups": [_workgroup(workgroup) for workgroup in machine.workgroups.values()],
        "memory": memory,
        "waves": [
            _wave(wave, launched, vectors, n, fill) for n, wave in enumerate(launched.waves)
        ],
    }  # fmt: skip
    return Saved(document, arrays.files)


def most_waves(launched: Launched, fill: int | None = None) -> int:
    """Return how many waves of a dispatch a state file may have so that commands read it, without
    those that it has only room for if it has hardly any memory."""
    count, groups = len(launched.waves), list(launched.machine.workgroups.values())
    names = dict.fromkeys(_vector_names(launched), "")
    of_wave = _value_count(_wave(launched.waves[0], launched, names, 0, fill))
    of_groups = len(groups) * _value_count(_workgroup(groups[0]))
    return (MAX_VALUES - _OTHER_VALUES) * count // (count * of_wave + of_groups)


def _value_count(record: Json) -> int:
    """Return how many values an item of a list has, as `why_too_large` counts them."""
    text = json.dumps(record)
    return sum(map(text.count, ",{[")) + 1


def _workgroup(workgroup: Workgroup) -> Json:
    return {
        "id": workgroup.id,
        "dispatch": workgroup.dispatch,
        "position": list(workgroup.position or ()),
        "size": list(workgroup.size or ()),
        "local_bytes": workgroup.local_bytes or 0,
    }


def _vector(arrays: Arrays, name: str, launched: Launched) -> str:
    """Return a vector register of every wave: a row for each, a number for each lane."""
    lanes = launched.machine.lane_count
    rows = []
    for wave in launched.waves:
        values = wave.vectors.get(name, ())
        rows.append(struct.pack(f"<{lanes}I", *values, *[0] * (lanes - len(values))))
    return arrays.file(name, Npy("<u4", (len(rows), lanes), b"".join(rows)))


def _vector_names(launched: Launched) -> list[str]:
    return list(dict.fromkeys(name for wave in launched.waves for name in wave.vectors))


def _filled_scratch(launched: Launched, fill: int) -> list[Json]:
    """Return the scratch of all waves, which is contiguous."""
    first = launched.waves[0].scratch_address
    size = sum(wave.scratch_bytes for wave in launched.waves)
    return [] if first is None else [{"address": hex(first), "size": size, "fill": fill}]


def _filled_padding(launched: Launched, fill: int) -> list[Json]:
    """Return what is between and after the arguments; not those that only a runtime creates."""
    [dispatch] = launched.machine.dispatches.values()
    if dispatch.kernarg is None:
        return []
    position, end = dispatch.kernarg, dispatch.kernarg + launched.kernarg_bytes
    known = [(start, start + len(data)) for start, data in launched.memory]
    absent = [(position + offset, position + offset + 8) for offset, _ in launched.kernarg.absent]
    out: list[Json] = []
    for start, stop in sorted([*known, *absent, (end, end)]):
        size = min(start, end) - position
        if size > 0:
            out.append({"address": hex(position), "size": size, "fill": fill})
        position = max(position, stop)
    return out


def _wave(
    wave: WaveRegisters, launched: Launched, vectors: dict[str, str], row: int, fill: int | None
) -> Json:
    registers: dict[str, Json] = {
        name: {"bytes": value} if isinstance(value, str) else hex(value)
        for name, value in wave.scalars.items()
    }
    for name, values in wave.vectors.items():
        known_mask = (1 << len(values)) - 1
        registers[name] = {"npy": vectors[name], "row": row, "lanes": hex(known_mask)}
    out: dict[str, Json] = {
        "id": wave.wave.id,
        "workgroup": wave.wave.workgroup,
        "wave_in_group": wave.wave.wave_in_group,
        "pc": hex(launched.pc),
        "registers": registers,
    }
    group = launched.machine.workgroup_of(wave.wave.id)
    if fill is not None and not wave.wave.wave_in_group and group and group.local_bytes:
        local: Json = {"space": "local", "address": 0, "size": group.local_bytes, "fill": fill}
        out["memory"] = [local]
    scratch: dict[str, Json] = {"size": wave.scratch_bytes}
    if wave.scratch_address is not None:
        scratch = {"address": hex(wave.scratch_address), **scratch}
    if wave.element_bytes != Apertures().element_bytes:
        scratch["element_size"] = wave.element_bytes
    return {**out, "scratch": scratch}


def _queue(queue: Queue) -> Json:
    return _record_of(
        {"id": queue.id, "agent": queue.agent},
        object=queue.object_address,
        address=queue.packets_address,
        size=queue.packets_bytes,
        read=queue.read,
        write=queue.write,
    )


def _dispatch(dispatch: Dispatch) -> Json:
    out: dict[str, Json] = {"id": dispatch.id, "queue": dispatch.queue, "kernel": dispatch.kernel}
    out |= {"grid": list(dispatch.grid or ()), "workgroup": list(dispatch.workgroup or ())}
    return _record_of(
        out,
        packet=dispatch.packet,
        kernel_descriptor=dispatch.kernel_descriptor,
        kernarg=dispatch.kernarg,
        completion_signal=dispatch.completion_signal,
        group_bytes=dispatch.group_bytes,
        private_bytes=dispatch.private_bytes,
        sgprs=dispatch.sgprs,
        vgprs=dispatch.vgprs,
        agprs=dispatch.agprs,
    )


_ADDRESSES: Final = ("object", "address", "kernel_descriptor", "kernarg", "completion_signal")


def _record_of(out: dict[str, Json], **numbers: int | None) -> Json:
    """Return a record with the numbers that are known; addresses in hexadecimal."""
    for name, value in numbers.items():
        if value is not None:
            out[name] = hex(value) if name in _ADDRESSES else value
    return out
