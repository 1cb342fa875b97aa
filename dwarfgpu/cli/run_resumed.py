"""`dwarfgpu run` of a core file or a state: resume its waves."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.cli.printing import print_notes
from dwarfgpu.cli.run_dispatches import (
    Showing,
    adding_failures,
    kernels_of,
    outputs_of,
    prepared_dispatches,
    report,
    run_all,
    sections_of,
    unwritten_note,
)
from dwarfgpu.cli.run_written_files import require_run_outputs
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.options.given_contents import set_registers
from dwarfgpu.options.integer_options import byte, natural
from dwarfgpu.options.limit_options import file_limits_of, given_file_limits
from dwarfgpu.options.opened_launch import Prepared, prepare_behind
from dwarfgpu.options.opened_session import stopped_of
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.machine.open_machine import NO_WAVES, Stopped
from dwarfgpu.service.run.resumed_waves import ResumedWaves, resumed_waves
from dwarfgpu.service.run.run_kernel import Ending
from dwarfgpu.service.run.run_report import (
    SCHEMA,
    ending_lines,
    ending_record,
    saved_core_note,
    saved_state_note,
)
from dwarfgpu.terminal.progress import Progress

_SAME: Final = ("state", "gpu_core", "code_object", "sysroot", "load_address", "target", "reg")
"""Options that are those of every command with a machine."""


def run_resumed(args: Namespace) -> int:
    """Resume the waves; return 1 if one cannot continue. `UsageError` for an impossible request."""
    seed, fill = natural(args.seed, "--seed") or 0, byte(args.fill, "--fill")
    if args.executor != "auto":
        raise UsageError("--executor applies to a new dispatch: resumed waves always use auto")
    stopped = _opened(args)
    resumed = resumed_waves(stopped, seed, fill, file_limits_of(args).state_bytes)
    if args.save is not None and resumed.one_machine is None:
        raise UsageError(
            "--save: a state has waves of one processor only, and waves of several are resumed"
        )
    if args.core is not None and resumed.one_machine is None:
        raise UsageError("--core: waves of several processors are not written as a core file")
    further = _further(args, resumed) if args.earlier else []
    require_run_outputs(args, further)
    showing = _showing(args, stopped, resumed, further)
    stops, progress = showing.stops, showing.progress
    if not args.json:
        print(one_line(_heading(args, resumed)))
    addresses = frozenset[int]() if stops is None else stops.addresses
    visit = None if stops is None else stops.visit
    report_progress = None if args.json or args.trace else progress.executed
    ending = resumed.run(
        addresses, visit, report_progress, is_mangled=args.mangled, quirks=frozenset(args.quirk)
    )
    progress.clear()
    if not args.json:
        print(*map(one_line, ending_lines(ending)), sep="\n")
    if further and ending.stop is None:
        result = run_all(args, further, showing, resumed)
        return report(args, further, result, showing, stopped.notes, _dispatches(resumed))
    failed: list[str] = []
    notes = [*stopped.notes, *_written(args, stopped, resumed, ending, failed), *failed]
    notes += [] if stops is None else stops.notes
    unwritten = [unwritten_note(name, path) for name, path in outputs_of(args).items()]
    if further:
        notes += [f"not run: {kernels_of(further, is_mangled=args.mangled)}", *unwritten]
    if args.json:
        records = [] if stops is None else stops.records
        answer = {"schema": SCHEMA, **_record(resumed, ending, notes), "stops": records}
        print(json.dumps(answer, allow_nan=False))
    else:
        print_notes(notes)
    if failed:
        return 2
    if unwritten or (stops is not None and stops.has_meaningless):
        return 1
    return 0 if ending.stop is None or ending.stop.is_inserted else 1


def _further(args: Namespace, resumed: ResumedWaves) -> list[Prepared]:
    """Return the dispatches that begin when the waves have ended."""
    of_gpus = resumed.code_objects_of_gpus
    if len(of_gpus) != 1:
        raise UsageError(f"--then: a kernel is of one code object, and {len(of_gpus)} are loaded")
    [code_object] = of_gpus
    args.file = code_object.file.path

    def first(options: Namespace) -> Prepared:
        if options.grid is None or options.workgroup is None:
            raise UsageError("give --grid and --workgroup")
        return prepare_behind(options, code_object, resumed.placement())

    return prepared_dispatches(args, sections_of(args)[1:], first)


def _showing(
    args: Namespace, stopped: Stopped, resumed: ResumedWaves, further: Sequence[Prepared]
) -> Showing:
    """Return the breakpoints and the trace of the options."""
    stops, attach, progress = None, None, Progress(sys.stderr)
    lane_count = max(part.architecture.lane_count for part in resumed.parts)
    later = [number for item in further for number in item.launched.machine.waves]
    waves = [*resumed.waves, *later]
    if args.trace:
        from dwarfgpu.cli.run_trace import trace_of  # most runs have none

        trace = trace_of(args, resumed.code_objects, waves, lane_count)
        trace.attach(resumed.target)
        attach = trace.attach
    if args.breakpoints:
        from dwarfgpu.cli.run_stop_options import chosen_wave
        from dwarfgpu.cli.run_stops import breakpoints_of  # most runs have none
        from dwarfgpu.service.run.run_breakpoints import resumed_position

        wave = chosen_wave(args, waves)
        first = wave if wave in resumed.waves else resumed.waves[0]
        session = resumed.session(first, stopped.wave(first).pc)
        around = resumed_position(session)
        stops = breakpoints_of(args, session, around, waves, lane_count, progress)
    return Showing(stops, attach, progress)


def _opened(args: Namespace) -> Stopped:
    """Return the core file or the state, with the registers that options give."""
    options = Namespace(
        **given_file_limits(args),
        **{name: getattr(args, name) for name in _SAME},
        core=args.input_core,
        wave=None,
        arch=None,
        dialect=None,
        strict=False,
        debug_dir=None,
        pc=None,
    )
    stopped = stopped_of(options, [args.file] if args.file else [])
    if stopped.core is not None and (stopped.core.gpu is None or not stopped.core.gpu.waves):
        raise UsageError(NO_WAVES)
    if args.state and args.file and args.load_address is None:
        _require_code_object(options, args.file, stopped)
    target = stopped.target()
    for wave in stopped.all_waves() if args.reg else ():
        set_registers(options, target, stopped.given_of(wave.wave), wave.wave, wave.pc)
    return stopped


def _require_code_object(options: Namespace, file: str, stopped: Stopped) -> None:
    """Raise `UsageError` if a wave of the state is not in the file of the command line, but in
    another one that the state names."""
    own = stopped.code_objects
    if all(wave.pc is None or own[0].covers(wave.pc) for wave in stopped.waves):
        return
    from dwarfgpu.machine.state.load import load_state  # the error needs what the state names
    from dwarfgpu.service.machine.state_code_objects import require_waves_inside

    named = load_state(options.state, file_limits_of(options))
    require_waves_inside(named, options.state, file, own)


def _heading(args: Namespace, resumed: ResumedWaves) -> str:
    """Return `state s.json: 2 waves of vadd on gfx942, wave64`."""
    name = f"state {args.state}" if args.state is not None else f"core file {args.input_core}"
    parts = []
    for part in resumed.parts:
        count, arch = len(part.waves), part.architecture
        kernel = None if part.dispatch is None else part.dispatch.kernel
        of_kernel = "" if kernel is None else f" of {_kernel(args, kernel)}"
        parts.append(f"{counted(count, 'wave')}{of_kernel} on {arch.name}, wave{arch.lane_count}")
    return f"{name}: {'; '.join(parts)}"


def _kernel(args: Namespace, name: str) -> str:
    return shown_symbol(name, is_mangled=args.mangled)


def _record(resumed: ResumedWaves, ending: Ending, notes: list[str]) -> dict[str, Json]:
    """Return the members of the object of `docs/schema/run.json`."""
    first = resumed.parts[0]
    architectures = {part.architecture for part in resumed.parts}
    is_one = len(resumed.parts) == 1 and first.dispatch is not None
    dispatch = first.dispatch if is_one else None
    return {
        "notes": list[Json](dict.fromkeys(notes)),
        "kernel": None if dispatch is None else dispatch.kernel,
        "architecture": first.architecture.name if len(architectures) == 1 else None,
        "wave_size": first.architecture.lane_count if len(architectures) == 1 else None,
        "grid": None if dispatch is None else _size(dispatch.grid),
        "workgroup": None if dispatch is None else _size(dispatch.workgroup),
        "dispatches": _dispatches(resumed),
        **ending_record(ending),
        "buffers": [],
    }


def _dispatches(resumed: ResumedWaves) -> list[Json]:
    """Return the dispatches whose waves have gone on."""
    return [
        {
            "kernel": None if part.dispatch is None else part.dispatch.kernel,
            "instructions": sum(map(resumed.target.instructions_of, part.waves)),
        }
        for part in resumed.parts
    ]


def _size(size: tuple[int, int, int] | None) -> Json:
    return None if size is None else list[Json](size)


def _written(
    args: Namespace, stopped: Stopped, resumed: ResumedWaves, ending: Ending, failed: list[str]
) -> list[str]:
    """Write the core file and the state where the run stopped; notes about them. `failed`: as of
    `adding_failures`."""
    if args.save is None and args.core is None:
        return []
    from dwarfgpu.options.program_name import program_name  # most runs save nothing

    notes: list[str] = []
    if args.save is not None and ending.stop is None:
        notes.append(
            f"no state is saved in {args.save}: all waves have ended; --break stops them earlier"
        )
    elif args.save is not None:
        from dwarfgpu.service.run.save_resumed import save_resumed  # most runs save nothing

        state = None if args.state is None else Path(args.state)
        with adding_failures(failed):
            arrays = save_resumed(Path(args.save), stopped, resumed, state)
            notes += [saved_state_note(args.save, ending.stop, program_name()), *arrays]
    if args.core is not None and ending.stop is None:
        notes.append(
            f"no core file is written to {args.core}: all waves have ended; --break with --stops "
            "ends the run earlier"
        )
    elif args.core is not None:
        from dwarfgpu.service.run.save_resumed import write_core_of_resumed

        with adding_failures(failed):
            notes += write_core_of_resumed(Path(args.core), resumed)
            notes.append(saved_core_note(args.core, program_name()))
    return notes
