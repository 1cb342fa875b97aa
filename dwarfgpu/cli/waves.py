"""`dwarfgpu waves`: the waves of a state or of a core file, with the words of ROCgdb."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.reading import resolved
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.machine.state.load import State, load_state
from dwarfgpu.machine.topology import Machine
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.file_limits import FileLimits
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.dialects import DIALECT_HELP
from dwarfgpu.options.given_files import take_only_files
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.numbers import natural
from dwarfgpu.options.opened_core import opened_core
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.wave_rows import (
    WavePlaces,
    WaveRow,
    is_faulty,
    ranges,
    wave_groups,
    wave_row,
    waves_in_core,
)

SCHEMA: Final = "dwarfgpu-waves-1"


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="as --file, or as --core")
    parser.add_argument("--state", metavar="FILE", help="the state")
    parser.add_argument("--file", metavar="FILE", help="instead of the code object in the state")
    add_core_options(parser)
    parser.add_argument("--load-address", metavar="ADDR", help="of a core file, that of --file")
    parser.add_argument(
        "--debug-dir", metavar="DIR", action="append",
        help=f"where separate debug files are; default: {DEBUG_DIRECTORIES[0]}",
    )  # fmt: skip
    parser.add_argument("--dialect", choices=tuple(DIALECTS), help=DIALECT_HELP)
    parser.add_argument(
        "--all", action="store_true", help="of a core: every wave, not groups of those alike"
    )
    parser.add_argument("--faulty", action="store_true", help="only the waves that failed")
    parser.add_argument("--kernel", metavar="NAME", help="only the waves of a kernel")
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="of a core: write a wave, its LDS and its scratch as a state",
    )
    parser.add_argument("--wave", metavar="N", help="which one; default: the one that failed")
    parser.add_argument(
        "--memory", action="append", default=[], metavar="ADDR,SIZE",
        help="with --save: global memory that the state is to have, too",
    )  # fmt: skip
    add_file_limit_options(parser)
    parser.set_defaults(demo=False)


def run(args: Namespace) -> int:
    """Print the waves, or save one of them."""
    take_only_files(args, "files")
    if (args.core is None) == (args.state is None):
        raise UsageError("give --state FILE or --core FILE")
    if args.core is None:
        require_core(args)
    if args.save is not None:
        return _save(args)
    for name in ("wave", "memory"):
        if getattr(args, name):
            raise UsageError(f"--{name} says what --save FILE writes")
    is_filtered = args.faulty or args.kernel is not None
    if args.core is not None:
        stopped = opened_core(args, args.file)
        waves, notes = waves_in_core(stopped), [*stopped.notes]
        if not (args.json or args.all or is_filtered):
            print(one_line(waves.heading()))
            for group in waves.groups():
                print(one_line(f"  {group.text}"))
            _print_notes(notes)
            return 0
        rows, machine = waves.rows(), waves.gpu.model
    else:
        rows, machine, notes = _of_state(args)
    rows = [
        row
        for row in rows
        if (row.is_faulty or not args.faulty) and args.kernel in (None, row.kernel)
    ]
    if args.kernel is not None and not rows:
        names = sorted(
            {dispatch.kernel for dispatch in machine.dispatches.values() if dispatch.kernel}
        )
        raise UsageError(f"--kernel {args.kernel}: the waves are of {', '.join(names) or 'none'}")
    if args.json:
        record = _record(rows, machine)
        print(json.dumps({"schema": SCHEMA, "notes": notes, **record}))
        return 0
    _print_rows(rows)
    _print_notes(notes)
    return 0


def _print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        print(one_line(f"note: {note}"), file=sys.stderr)


def _save(args: Namespace) -> int:
    """One wave of a core as a state file."""
    if args.core is None:
        raise UsageError("--save writes a wave of a core file: give --core FILE")
    stopped = opened_core(args, args.file)
    core = stopped.core
    number = natural(args.wave, "--wave")
    if core is None or core.gpu is None:
        raise UsageError("the core file has no waves of GPUs")
    number = core.focus if number is None else number
    if number not in core.gpu.waves:
        raise UsageError(f"--wave {number}: the core has no such wave")
    ranges = [_range(text) for text in args.memory]
    # Imported only here: most uses of waves write nothing.
    from dwarfgpu.service.wave_state import save_wave

    notes = save_wave(core, core.gpu, number, Path(args.save), ranges)
    print(one_line(f"saved wave {number} in {args.save}"))
    _print_notes(notes)
    return 0


def _range(text: str) -> tuple[int, int]:
    address, comma, size = text.partition(",")
    first, count = natural(address, "--memory"), natural(size or None, "--memory")
    if not comma or first is None or count is None:
        raise UsageError(f"--memory {text}: expected ADDRESS,SIZE")
    return first, count


def _of_state(args: Namespace) -> tuple[list[WaveRow], Machine, list[str]]:
    """Return the waves of a state, their machine, and notes."""
    limits = file_limits_of(args)
    state = load_state(Path(args.state), limits.waves)
    objects, problems = _code_objects(state, args.file, limits)
    places = WavePlaces(objects)
    rows = [
        wave_row(
            state.target,
            state.machine,
            wave,
            places,
            is_faulty=is_faulty(state.machine.waves.get(wave.wave)),
        )
        for wave in state.waves
    ]
    return rows, state.machine, [*state.notes, *problems]


def _code_objects(
    state: State, file: str | None, limits: FileLimits
) -> tuple[list[CodeObject], list[str]]:
    """The code objects that can be read; why others cannot."""
    named = [(file.path, file.load_address) for file in state.code_objects]
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


def _print_rows(rows: list[WaveRow]) -> None:
    width = max((len(row.target_id) for row in rows), default=0)
    ids = max(2, *(len(str(row.wave.wave)) for row in rows), 2)
    has_reasons = any(row.stop_reasons for row in rows)
    reasons = f" {'Stop reason':<16}" if has_reasons else ""
    lanes = max(5, *(len(row.lanes) for row in rows), 5)
    print(f"  {'Id':<{ids}} State {'Target Id':<{width}} {'Lanes':<{lanes}}{reasons} Frame")
    for row in rows:
        why = f" {','.join(row.stop_reasons) or '-':<16}" if has_reasons else ""
        who = f"  {row.wave.wave:<{ids}} T     {row.target_id:<{width}}"
        print(one_line(f"{who} {row.lanes:<{lanes}}{why} {row.frame}"))


def _record(rows: list[WaveRow], machine: Machine) -> dict[str, Json]:
    waves: list[Json] = []
    for row in rows:
        number = row.wave.wave
        group, dispatch = machine.workgroup_of(number), machine.dispatch_of(number)
        queue, agent = machine.queue_of(number), machine.agent_of(number)
        wave = machine.waves.get(number)
        waves.append(
            {
                "id": number,
                "state": "stop",
                "stop_reasons": list(row.stop_reasons),
                "is_faulty": row.is_faulty,
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
                "active_lanes": row.active,
                "used_lanes": row.used,
                "pc": row.wave.pc,
                "function": row.place.function,
                "place": row.place.line,
            }
        )
    groups: list[Json] = [
        {
            "kernel": group.kernel,
            "where": group.where,
            "stop_reasons": list(group.stop_reasons),
            "is_faulty": group.is_faulty,
            "count": len(group.numbers),
            "waves": ranges(group.numbers),
        }
        for group in wave_groups(rows)
    ]
    architectures: list[Json] = [*dict.fromkeys(row.architecture.name for row in rows)]
    return {
        "architecture": architectures[0] if len(architectures) == 1 else None,
        "architectures": architectures,
        "groups": groups,
        "waves": waves,
    }
