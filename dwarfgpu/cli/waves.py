"""`dwarfgpu waves`: the waves of a state, with the words of ROCgdb."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.lazy_attrs import frozen
from dwarfgpu.base.reading import resolved
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.source_lines import Lines
from dwarfgpu.errors import DwarfGpuError, Unavailable, UsageError
from dwarfgpu.machine.state.load import State, WaveState, load_state
from dwarfgpu.objfile.file_limits import FileLimits
from dwarfgpu.options.given_files import take_only_files
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.service.error_text import error_line, one_line

SCHEMA: Final = "dwarfgpu-waves-1"


@frozen
class _Row:
    """What is told of a wave."""

    wave: WaveState
    target_id: str
    active: int | None
    """Lanes of the execution mask that have a work-item; code for whole waves sets others, too."""
    used: int | None
    """Lanes that have a work-item."""
    function: str | None
    place: str | None
    stop_reasons: tuple[str, ...]

    @property
    def lanes(self) -> str:
        """`62/64`, as ROCgdb counts them."""
        return "/".join("?" if each is None else str(each) for each in (self.active, self.used))

    @property
    def frame(self) -> str:
        """As ROCgdb: the program location, the function, the line."""
        if self.wave.pc is None:
            return "<no program location>"
        where = f" at {self.place}" if self.place else ""
        return f"{self.wave.pc:#018x} in {self.function or '??'} (){where}"


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="as --file")
    parser.add_argument("--state", metavar="FILE", required=True, help="the state")
    parser.add_argument("--file", metavar="FILE", help="instead of the code object in the state")
    add_file_limit_options(parser)
    parser.set_defaults(core=None, demo=False)


def run(args: Namespace) -> int:
    """Print the waves."""
    take_only_files(args, "files")
    if args.core is not None:
        raise UsageError(f"{args.core} is a core file: dwarfgpu info lists its threads")
    limits = file_limits_of(args)
    state = load_state(Path(args.state), limits.waves)
    objects, problems = _code_objects(state, args.file, limits)
    problems = [*state.notes, *problems]
    rows = [_row(state, each, objects) for each in state.waves]
    if args.json:
        print(json.dumps({"schema": SCHEMA, "notes": problems, **_record(state, rows)}))
        return 0
    width = max(len(row.target_id) for row in rows)
    ids = max(2, *(len(str(row.wave.wave)) for row in rows))
    has_reasons = any(row.stop_reasons for row in rows)
    reasons = f" {'Stop reason':<16}" if has_reasons else ""
    lanes = max(5, *(len(row.lanes) for row in rows))
    print(f"  {'Id':<{ids}} State {'Target Id':<{width}} {'Lanes':<{lanes}}{reasons} Frame")
    for row in rows:
        why = f" {','.join(row.stop_reasons) or '-':<16}" if has_reasons else ""
        who = f"  {row.wave.wave:<{ids}} T     {row.target_id:<{width}}"
        print(one_line(f"{who} {row.lanes:<{lanes}}{why} {row.frame}"))
    for each in problems:
        print(one_line(f"note: {each}"), file=sys.stderr)
    return 0


def _code_objects(
    state: State, file: str | None, limits: FileLimits
) -> tuple[list[CodeObject], list[str]]:
    """The code objects that can be read; why others cannot."""
    named = [(each.path, each.load_address) for each in state.code_objects]
    if file is not None:
        same = [at for path, at in named if resolved(path) == resolved(file)]
        only = named[0][1] if len(named) == 1 else 0
        named = [(Path(file), same[0] if same else only)]
    out: list[CodeObject] = []
    problems: list[str] = []
    for path, load_address in named:
        try:
            out.append(CodeObject.open(path, load_address, limits=limits))
        except DwarfGpuError as error:
            if file is not None:
                raise UsageError(str(error)) from None
            problems.append(error_line(error))
    return out, problems


def _row(state: State, wave: WaveState, objects: list[CodeObject]) -> _Row:
    target, machine = state.target, state.machine
    active, used = None, machine.used_lanes(wave.wave)
    used = state.architecture.lane_count if used is None else used
    register = state.architecture.register_named("exec")
    if register is not None:
        try:
            mask = target.read_register(wave.wave, register)
            held = int.from_bytes(mask, state.architecture.endian)
            active = (held & (1 << used) - 1).bit_count()
        except Unavailable:
            active = None
    told = machine.waves.get(wave.wave)
    function, place = _place(wave.pc, objects)
    return _Row(
        wave,
        target.target_id(wave.wave) if state.architecture.is_simt else f"Thread {wave.wave}",
        active,
        used,
        function,
        place,
        () if told is None else told.stop_reasons,
    )


def _place(pc: int | None, objects: list[CodeObject]) -> tuple[str | None, str | None]:
    """Function and line of a program location, where debugging information tells."""
    for each in objects:
        if pc is None or not each.covers(pc):
            continue
        try:
            names = each.scopes.functions_at(pc)
            function = names[0] if names else None
        except DwarfGpuError:
            function = None
        try:
            found = Lines(each.scopes).line_of(pc)
            place = None if found is None else f"{found.file.name}:{found.line}"
        except DwarfGpuError:
            place = None
        return function, place
    return None, None


def _record(state: State, rows: list[_Row]) -> dict[str, Json]:
    machine = state.machine
    waves: list[Json] = []
    for row in rows:
        number = row.wave.wave
        group, dispatch = machine.workgroup_of(number), machine.dispatch_of(number)
        queue, agent = machine.queue_of(number), machine.agent_of(number)
        told = machine.waves.get(number)
        waves.append(
            {
                "id": number,
                "state": "stop",
                "stop_reasons": list(row.stop_reasons),
                "target_id": row.target_id,
                "agent": None if agent is None else agent.id,
                "queue": None if queue is None else queue.id,
                "dispatch": None if dispatch is None else dispatch.id,
                "kernel": None if dispatch is None else dispatch.kernel,
                "workgroup": None if group is None else group.id,
                "workgroup_coord": None
                if group is None or group.position is None
                else list(group.position),
                "wave_number_in_workgroup": None if told is None else told.wave_in_group,
                "active_lanes": row.active,
                "used_lanes": row.used,
                "pc": row.wave.pc,
                "function": row.function,
                "place": row.place,
            }
        )
    return {"architecture": state.architecture.name, "waves": waves}
