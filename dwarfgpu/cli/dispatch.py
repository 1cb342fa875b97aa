"""`dwarfgpu dispatch`: a kernel on paper, just before the first instruction of its waves."""

from __future__ import annotations

import json
import re
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Final

from attrs import evolve

from dwarfgpu import plain
from dwarfgpu.arch.processors import PROCESSORS, Processor
from dwarfgpu.backends.machine import Geometry, Position
from dwarfgpu.backends.simulated.beside import (
    both,
    load_address_beside,
    place_beside,
    require_same_waves,
)
from dwarfgpu.backends.simulated.dispatch import (
    FIRST_PLACE,
    LOAD_ADDRESS,
    Launched,
    Place,
    Request,
    dispatched,
)
from dwarfgpu.backends.simulated.initial import Sgpr
from dwarfgpu.backends.simulated.kernarg import parameters
from dwarfgpu.backends.simulated.room import (
    Extent,
    require_room,
    taken_by_dispatch,
    taken_in_state,
)
from dwarfgpu.backends.simulated.save import saved, write
from dwarfgpu.backends.state_file import State, load_state
from dwarfgpu.cli.dispatch_arguments import declared_parameters, given_arguments
from dwarfgpu.cli.errors import error_line, one_line
from dwarfgpu.cli.given_files import opening, require_no_core
from dwarfgpu.cli.launch_options import configure_launch
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.declared import qualified
from dwarfgpu.dwarf.demangle import demangled
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.near import nearest
from dwarfgpu.objfile.container import is_bundle_file
from dwarfgpu.objfile.elf import PT_LOAD
from dwarfgpu.objfile.gpu_code import GpuCode, GpuKernel, read_gpu_code
from dwarfgpu.plain import Json

SCHEMA: Final = "dwarfgpu-dispatch-1"
MOST_LOADED_BYTES: Final = 1 << 26
"""Of one writable segment of a code object that is written into a state."""
_BARE: Final = re.compile(r"([\w:]+)\(")
"""A demangled name before its parameters, where it has no template arguments."""


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="a code object, or a file with one in it")
    parser.add_argument("kernel", metavar="KERNEL", nargs="?", help="its name; or the only one")
    parser.add_argument(
        "--beside", metavar="STATE", help="the machine is that of a state, with all it has"
    )
    parser.add_argument("--agent", metavar="N", help="of that machine, or a new one")
    parser.add_argument("--save", metavar="STATE", help="write a state file, and .npy beside it")
    parser.add_argument("--load-address", metavar="ADDR", help="where the code object is loaded")
    parser.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
    configure_launch(parser, is_required=True)


def run(args: Namespace) -> int:
    """Print or save the state; `UsageError` for a dispatch that is not possible."""
    launched, notes, written = launch(args)
    if args.json:
        print(json.dumps({"schema": SCHEMA, **_record(launched, notes, written)}))
        return 0
    print(*map(one_line, _lines(launched)), sep="\n")
    if written:
        print(f"saved: {', '.join(written[:4])}{' …' if len(written) > 4 else ''}")
    print(one_line(f"next: {_next(launched, args.save)}"))
    for note in dict.fromkeys(notes):
        print(one_line(f"note: {note}"), file=sys.stderr)
    return 0


def launch(args: Namespace) -> tuple[Launched, list[str], list[str]]:
    """The dispatch of the arguments, what is to be known of it, and the files that were saved."""
    before = None if args.beside is None else load_state(Path(args.beside))
    load_address, is_there = _load_address(args, before)
    require_no_core(args.file)
    with opening():
        code_object = CodeObject.open(args.file, load_address, target=args.target)
        code = read_gpu_code(code_object.file)
    kernel = chosen_kernel(code_object, code, args.kernel, args.file)
    arguments = () if kernel.metadata is None else kernel.metadata.arguments
    declared, problems = declared_parameters(code_object, kernel)
    geometry = _geometry(args)
    request = Request(
        kernel,
        _processor(code, args.file),
        code_object.load_address,
        geometry,
        parameters(arguments, declared),
        given_arguments(args.arg),
        _number(args.dynamic_lds, "--dynamic-lds") or 0,
        _number(args.scratch, "--scratch"),
        _place(args, before),
    )
    if before is not None and kernel.descriptor is not None:
        require_same_waves(before, request.processor.name, kernel.descriptor.wave_size)
    fill = _fill(args)
    launched = dispatched(request)
    if not is_there:
        _require_room(code_object, launched, before)
    notes = [*problems, *launched.notes]
    written: list[str] = []
    if args.save is not None:
        loaded, lost = ([], []) if is_there else _loaded(code_object)
        notes += lost
        written = _save(args, launched, code_object, loaded, fill, is_there=is_there)
    return launched, notes, written


def _require_room(code_object: CodeObject, launched: Launched, before: State | None) -> None:
    """`UsageError` where the code object would lie in something else."""
    taken = [*taken_by_dispatch(launched)]
    if before is not None:
        taken += taken_in_state(before)
        for each in before.code_objects:
            try:
                taken += _extents(CodeObject.open(each.path, each.load_address), each.path.name)
            except DwarfGpuError:
                continue  # it is not there any more: nothing tells where it ends
    loaded = [each.alignment for each in code_object.file.segments if each.type == PT_LOAD]
    own = _extents(code_object, "segment")
    require_room(code_object.load_address, max(loaded, default=1) or 1, own, taken)


def _extents(code_object: CodeObject, what: str) -> list[Extent]:
    return [
        Extent(what, each.address, each.address + each.size_bytes) for each in code_object.images()
    ]


def _load_address(args: Namespace, before: State | None) -> tuple[int, bool]:
    """Where the code object is loaded, and whether the state to add to has it there."""
    given = _number(args.load_address, "--load-address")
    if before is None:
        return LOAD_ADDRESS if given is None else given, False
    address, is_there = load_address_beside(before, Path(args.file))
    return (address, is_there) if given in (None, address) else (given or 0, False)


def _place(args: Namespace, before: State | None) -> Place:
    agent = _number(args.agent, "--agent")
    if before is None:
        if agent is not None:
            raise UsageError("--agent is one of a machine; give it with --beside STATE")
        return FIRST_PLACE
    if args.save is None:
        raise UsageError("--beside: the new state must be saved; give --save STATE")
    return place_beside(before, agent)


def _fill(args: Namespace) -> int | None:
    """The byte that memory holds which nobody has written; `UsageError` where it is none."""
    value = _number(args.fill, "--fill")
    if value is not None and args.save is None:
        raise UsageError("--fill is about the memory of a state; give --save STATE")
    if value is not None and value > 255:
        raise UsageError(f"--fill {args.fill}: expected a byte, 0 to 255")
    return value


def _save(
    args: Namespace,
    launched: Launched,
    code_object: CodeObject,
    loaded: list[tuple[int, bytes]],
    fill: int | None,
    *,
    is_there: bool,
) -> list[str]:
    """Write the state, and the code object beside it where its file holds others too."""
    path, source = Path(args.save), Path(args.file)
    own: dict[str, bytes] = {}
    if args.target is not None or is_bundle_file(source):
        name = f"{path.name.removesuffix('.json')}.{launched.request.processor.name}.co"
        file = code_object.file
        own[name] = file.file_bytes(0, file.size_bytes, "the code object")
        source = path.parent / name
    made = saved(launched, path, source, loaded, fill)
    made = evolve(made, files={**made.files, **own})
    if args.beside is not None:
        state = plain.load(Path(args.beside))
        assert isinstance(state.value, dict)  # it was loaded
        made = both(state.value, Path(args.beside).parent, made, path, is_there)
    write(made, path)
    return [str(path), *(str(path.parent / name) for name in made.files)]


def _number(text: str | None, option: str) -> int | None:
    if text is None:
        return None
    value = plain.integer_of(text)
    if value is None or not 0 <= value < 1 << 64:
        raise UsageError(f"{option}: expected a natural number, not {text[:40]!r}")
    return value


def _geometry(args: Namespace) -> Geometry:
    grid, dimensions = _position(args.grid, "--grid")
    workgroup, others = _position(args.workgroup, "--workgroup")
    return Geometry(grid, workgroup, max(dimensions, others))


def _position(text: str, option: str) -> tuple[Position, int]:
    """Three sizes, and how many of them were given."""
    words = text.split(",")
    numbers = [plain.integer_of(word) or 0 for word in words]
    if not 1 <= len(numbers) <= 3 or any(not 0 < number < 1 << 32 for number in numbers):
        raise UsageError(f"{option} {text[:40]}: expected up to three sizes of at least 1: 64,2")
    x, y, z = *numbers, *[1] * (3 - len(numbers))
    return (x, y, z), len(numbers)


def chosen_kernel(code_object: CodeObject, code: GpuCode, name: str | None, file: str) -> GpuKernel:
    """The kernel of a name, of its symbol or in the source; `UsageError` where it is not one."""
    names = [each.name for each in code.kernels]
    for each in code.kernels:
        if name is None and len(names) == 1 or each.name == name or each.symbol == name:
            return each
    if not names:
        why = f": {error_line(code.problems[0])}" if code.problems else ""
        raise UsageError(f"{file} has no kernel{why}")
    if name is None:
        raise UsageError(f"{file} has several kernels: {_listed(code.kernels)}")
    called = {each.name: _source_names(code_object, each) for each in code.kernels}
    found = [each for each in code.kernels if name in called[each.name]]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{file} has several kernels {name}: {_listed(found)}")
    hint = nearest(name, sorted({*names, *chain.from_iterable(called.values())}))
    raise UsageError(f"{file} has no kernel {name}{hint}; it has {_listed(code.kernels)}")


def _listed(kernels: Sequence[GpuKernel]) -> str:
    """Their names as the source has them, as far as their symbols tell."""
    names = [demangled(each.name) or each.name for each in kernels[:16]]
    return ", ".join([*names, "…"] if len(kernels) > 16 else names)


def _source_names(code_object: CodeObject, kernel: GpuKernel) -> set[str]:
    """What the source calls a kernel, as far as debugging information or its symbol tells:
    `f`, `ns::f`, `ns::f(int)`, `ns::f<int>`."""
    out: set[str] = set()
    whole = demangled(kernel.name)
    if whole is not None:
        bare = _BARE.match(whole)
        out |= {whole, *([] if bare is None else [bare[1]])}
    try:
        entry = None if kernel.entry is None else kernel.entry + code_object.load_address
        found = None if entry is None else code_object.scopes.subprogram_at(entry)
        if found is not None:
            names = {found.name, "::".join(qualified(found.die))}
            out |= {*names, *map(_without_template_arguments, names)}
    except DwarfGpuError:
        pass  # the other names are true, too
    return out - {""}


def _without_template_arguments(name: str) -> str:
    """`ns::f` of `ns::f<int>`."""
    return name.partition("<")[0] if name.endswith(">") else name


def _processor(code: GpuCode, file: str) -> Processor:
    if code.target is None or code.target.processor not in PROCESSORS:
        why = f": {error_line(code.problems[0])}" if code.problems else ""
        raise UsageError(f"the processor of {file} is not known{why}")
    return PROCESSORS[code.target.processor]


def _loaded(code_object: CodeObject) -> tuple[list[tuple[int, bytes]], list[str]]:
    """Writable memory of the code object, as loaded; why parts of it are not known."""
    out: list[tuple[int, bytes]] = []
    lost: list[str] = []
    for image in code_object.images():
        if not image.is_writable:
            continue
        if image.size_bytes > MOST_LOADED_BYTES:
            lost.append(f"memory at {image.address:#x} is not known: {image.size_bytes} bytes")
            continue
        try:
            out.append((image.address, image.read(0, image.size_bytes)))
        except DwarfGpuError as error:
            lost.append(f"memory at {image.address:#x} is not known: {error_line(error)}")
    return out, lost


def _sizes(position: Position) -> str:
    return ",".join(map(str, position))


def _lines(launched: Launched) -> Iterator[str]:
    request, machine = launched.request, launched.machine
    geometry = request.geometry
    [dispatch], [queue] = machine.dispatches.values(), machine.queues.values()
    workgroups = len(machine.workgroups)
    yield (
        f"kernel {request.kernel.name} for {request.processor.name}, wave{machine.lane_count}: "
        f"grid {_sizes(geometry.grid)}, workgroup {_sizes(geometry.workgroup)}"
    )
    yield (
        f"  {workgroups} workgroup{'s' if workgroups > 1 else ''}, "
        f"{len(launched.waves)} wave{'s' if len(launched.waves) > 1 else ''}, pc {launched.pc:#x}"
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
    held = dict(launched.kernarg.pieces)
    for parameter in request.parameters:
        each = parameter.argument
        data = held.get(each.offset_bytes)
        value = "not known" if data is None else f"{int.from_bytes(data, 'little'):#x}"
        bounds = f"[{each.offset_bytes:3},{each.offset_bytes + each.size_bytes:3})"
        yield f"  {bounds} {parameter.name or '?'} = {value}"
    first = launched.waves[0]
    yield f"registers of {machine.target_id(first.wave.id)}"
    fields = {f"s{each.number}": each.field for each in launched.user_sgprs}
    yield from _user_lines(launched)
    for name, held_there in first.scalars.items():
        if name not in fields:
            text = held_there if isinstance(held_there, str) else f"{held_there:#x}"
            yield f"  {name:<13} {text}"
    for name, values in first.vectors.items():
        shown = ", ".join(f"{each:#x}" for each in values[:8])
        yield f"  {name:<13} {{{shown}{', …' if len(values) > 8 else ''}}}"


def _next(launched: Launched, saved_as: str | None) -> str:
    """The command that reads what the kernel was given: no register holds its arguments yet."""
    state = "STATE" if saved_as is None else shlex.quote(saved_as)
    arguments = "'$_kernarg' " if launched.request.parameters else ""
    command = f"dwarfgpu eval --state {state} --wave all --lane all {arguments}'$_workitem_id'"
    return command if saved_as is not None else f"give --save STATE, then {command}"


def _user_lines(launched: Launched) -> Iterator[str]:
    """The user SGPRs, those of one field together; preloaded arguments as far as they are known."""

    def together(each: Sgpr) -> tuple[str, bool]:
        return each.field, each.field == "kernarg_preload" and each.value is None

    for (field, _), group in groupby(launched.user_sgprs, together):
        dwords = list(group)
        first, last = dwords[0].number, dwords[-1].number
        name = f"s{first}" if first == last else f"s[{first}:{last}]"
        values = [each.value for each in dwords]
        known = [each for each in values if each is not None]
        text = "not known"
        if len(known) == len(values):
            text = f"{sum(each << 32 * n for n, each in enumerate(known)):#x}"
        yield f"  {name:<13} {text:<16} {field}"


def _record(launched: Launched, notes: list[str], written: list[str]) -> dict[str, Json]:
    request, machine = launched.request, launched.machine
    [dispatch], [queue] = machine.dispatches.values(), machine.queues.values()
    held = dict(launched.kernarg.pieces)
    arguments: list[Json] = []
    for parameter in request.parameters:
        data = held.get(parameter.argument.offset_bytes)
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
            "id": each.wave.id,
            "target_id": machine.target_id(each.wave.id),
            "workgroup": each.wave.workgroup,
            "wave_in_group": each.wave.wave_in_group,
            "lanes": machine.used_lanes(each.wave.id),
            "scalars": dict(each.scalars.items()),
            "vectors": {name: list(values) for name, values in each.vectors.items()},
        }
        for each in launched.waves
    ]
    user: list[Json] = [
        {"register": f"s{each.number}", "field": each.field, "value": each.value}
        for each in launched.user_sgprs
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
