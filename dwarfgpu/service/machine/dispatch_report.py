"""A dispatch just before the first instruction of its waves, as text and as the object of
`docs/schema/dispatch.json`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from dwarfgpu.base.json_reader import Json
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import counted
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.machine.simulated.launch.initial_registers import Sgpr
from dwarfgpu.machine.topology import Position


def _sizes(position: Position) -> str:
    return ",".join(map(str, position))


def dispatch_lines(launched: Launched, *, is_mangled: bool) -> Iterator[str]:
    """Yield the geometry, memory, arguments, and the registers of the first wave."""
    request, machine = launched.request, launched.machine
    geometry = request.geometry
    [dispatch], [queue] = machine.dispatches.values(), machine.queues.values()
    workgroups = len(machine.workgroups)
    kernel = shown_symbol(request.kernel.name, is_mangled=is_mangled)
    yield (
        f"kernel {kernel} for {request.processor.name}, wave{machine.lane_count}: "
        f"grid {_sizes(geometry.grid)}, workgroup {_sizes(geometry.workgroup)}"
    )
    yield (
        f"  {counted(workgroups, 'workgroup')}, "
        f"{counted(len(launched.waves), 'wave')}, pc {launched.pc:#x}"
    )
    yield (
        f"  LDS {launched.group_bytes} bytes a workgroup, scratch "
        f"{dispatch.private_bytes} bytes a lane"
    )
    agprs = f", {dispatch.agprs} AGPRs" if dispatch.agprs else ""
    yield f"  {dispatch.sgprs} SGPRs, {dispatch.vgprs} VGPRs{agprs} a wave"
    yield f"  amd_queue_t {queue.object_address:#x}, packet {queue.packets_address:#x}"
    yield f"  kernarg segment {dispatch.kernarg:#x}, signal {dispatch.completion_signal:#x}"
    yield "arguments"
    pieces = dict(launched.kernarg.pieces)
    for parameter in request.parameters:
        argument = parameter.argument
        data = pieces.get(argument.offset_bytes)
        value = "unknown" if data is None else f"{int.from_bytes(data, 'little'):#x}"
        bounds = f"[{argument.offset_bytes:3},{argument.offset_bytes + argument.size_bytes:3})"
        yield f"  {bounds} {parameter.name or '?'} = {value}"
    first = launched.waves[0]
    yield f"registers of {machine.target_id(first.wave.id)}"
    fields = {f"s{sgpr.number}": sgpr.field for sgpr in launched.user_sgprs}
    yield from _user_lines(launched)
    for name, contents in first.scalars.items():
        if name not in fields:
            text = contents if isinstance(contents, str) else f"{contents:#x}"
            yield f"  {name:<13} {text}"
    for name, values in first.vectors.items():
        shown = ", ".join(f"{value:#x}" for value in values[:8])
        yield f"  {name:<13} {{{shown}{', …' if len(values) > 8 else ''}}}"


def _user_lines(launched: Launched) -> Iterator[str]:
    """Yield the user SGPRs, grouped by field, with known preloaded arguments."""

    def together(sgpr: Sgpr) -> tuple[str, object]:
        is_known = sgpr.field != "kernarg_preload" or isinstance(sgpr.value, int)
        return sgpr.field, is_known or (sgpr.value and sgpr.number)

    for (field, _), group in groupby(launched.user_sgprs, together):
        dwords = list(group)
        first, last = dwords[0].number, dwords[-1].number
        name = f"s{first}" if first == last else f"s[{first}:{last}]"
        values = [dword.value for dword in dwords]
        known_values = [value for value in values if isinstance(value, int)]
        text = values[0] if isinstance(values[0], str) else "unknown"
        if len(known_values) == len(values):
            text = f"{sum(value << 32 * n for n, value in enumerate(known_values)):#x}"
        yield f"  {name:<13} {text:<16} {field}"


def dispatch_record(launched: Launched, notes: list[str], written: list[str]) -> dict[str, Json]:
    """Return the members of the object. `written`: the files in which the state was saved."""
    request, machine = launched.request, launched.machine
    [dispatch], [queue] = machine.dispatches.values(), machine.queues.values()
    pieces = dict(launched.kernarg.pieces)
    arguments: list[Json] = []
    for parameter in request.parameters:
        data = pieces.get(parameter.argument.offset_bytes)
        arguments.append(
            {
                "name": parameter.name,
                "kind": parameter.argument.value_kind,
                "offset": parameter.argument.offset_bytes,
                "size": parameter.argument.size_bytes,
                "bytes": None if data is None else data.hex(),
            }
        )
    waves: list[Json] = [
        {
            "id": wave.wave.id,
            "target_id": machine.target_id(wave.wave.id),
            "workgroup": wave.wave.workgroup,
            "wave_in_group": wave.wave.wave_in_group,
            "lanes": machine.used_lanes(wave.wave.id),
            "scalars": dict(wave.scalars.items()),
            "vectors": {name: list(values) for name, values in wave.vectors.items()},
        }
        for wave in launched.waves
    ]
    user: list[Json] = [
        {"register": f"s{sgpr.number}", "field": sgpr.field, "value": sgpr.value}
        for sgpr in launched.user_sgprs
    ]
    return {
        "notes": list[Json](dict.fromkeys(notes)),
        "kernel": request.kernel.name,
        "architecture": request.processor.name,
        "wave_size": machine.lane_count,
        "grid": list(request.geometry.grid),
        "workgroup": list(request.geometry.workgroup),
        "pc": launched.pc,
        "group_bytes": launched.group_bytes,
        "private_bytes": dispatch.private_bytes,
        "sgprs": dispatch.sgprs,
        "vgprs": dispatch.vgprs,
        "agprs": dispatch.agprs,
        "queue": queue.object_address,
        "packet": queue.packets_address,
        "kernarg": dispatch.kernarg,
        "completion_signal": dispatch.completion_signal,
        "arguments": arguments,
        "user_sgprs": user,
        "waves": waves,
        "saved": list[Json](written),
    }
