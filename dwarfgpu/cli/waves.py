"""`dwarfgpu waves`: the waves of a state or of a core file, with the words of ROCgdb."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dwarfgpu.cli.printing import print_streamed
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.dialect_option import DIALECT_HELP
from dwarfgpu.options.file_options import add_debug_dir_option
from dwarfgpu.options.given_files import take_only_files
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.opened_core import opened_core
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.machine.open_machine import NO_WAVES
from dwarfgpu.service.waves.wave_rows import (
    is_kernel,
    waves_in_core,
)
from dwarfgpu.service.waves.wave_table import wave_lines, waves_in_state, waves_json
from dwarfgpu.view.json_object import StreamedObject

SCHEMA: Final = "dwarfgpu-waves-1"
_NEEDS_SAVE: Final = {
    "wave": "--wave chooses the wave that --save FILE writes: give --save FILE, too; bt, eval and "
    "lanes show one wave",
    "memory": "--memory goes with --save FILE, which writes a wave: give --save FILE, too",
}

_NEEDS_CORE: Final = {
    "all": "--all is for the groups of a core file; a state has every wave listed",
    "load_address": "--load-address is for a core file; a state has the address",
}


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="same as --file or --core")
    parser.add_argument("--state", metavar="FILE", help="the state")
    parser.add_argument(
        "--file", metavar="FILE", help="use FILE instead of the code object that the state names"
    )
    add_core_options(parser)
    parser.add_argument(
        "--load-address", metavar="ADDR", help="for a core file: the load address of --file"
    )
    add_debug_dir_option(parser)
    parser.add_argument("--dialect", metavar="NAME", choices=tuple(DIALECTS), help=DIALECT_HELP)
    parser.add_argument(
        "--all",
        action="store_true",
        help="for a core file: list every wave, not groups of similar ones",
    )
    parser.add_argument("--faulty", action="store_true", help="only the waves that failed")
    parser.add_argument("--kernel", metavar="NAME", help="only the waves of a kernel")
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="for a core file: write a wave, its LDS and its scratch as a state",
    )
    parser.add_argument(
        "--wave", metavar="N", help="the wave to write; default: the one that failed"
    )
    parser.add_argument(
        "--memory", action="append", default=[], metavar="ADDR,SIZE",
        help="with --save: also save this global memory",
    )  # fmt: skip
    add_file_limit_options(parser)
    parser.set_defaults(demo=False)


def run(args: Namespace) -> int:
    """Print the waves, or save one of them."""
    take_only_files(args, "files")
    if args.core is None and args.state is None:
        why = "no waves" if args.file is None else f"{args.file} has no waves"
        raise UsageError(f"{why}: give --state FILE or --core FILE")
    if args.core is not None and args.state is not None:
        raise UsageError("give --core or --state, not both")
    if args.core is None:
        require_core(args)
        for name, advice in _NEEDS_CORE.items():
            if getattr(args, name):
                raise UsageError(f"{advice}: give --core FILE")
    if args.save is not None:
        return _save(args)
    for name in ("wave", "memory"):
        if getattr(args, name):
            raise UsageError(_NEEDS_SAVE[name])
    status = 0
    is_filtered = args.faulty or args.kernel is not None
    if args.core is not None:
        stopped = opened_core(args, args.file)
        waves, notes = waves_in_core(stopped), [*stopped.notes]
        status = int(not waves.gpu.gpu.is_complete)
        if not (args.json or args.all or is_filtered):
            print(one_line(waves.heading()))
            for line in waves.group_lines():
                print(one_line(f"  {line}"))
            _print_notes([*notes, *waves.unreadable.notes()])
            return status
        rows, machine = waves.rows(), waves.gpu.model
        notes += waves.unreadable.notes()
    else:
        state = waves_in_state(
            args.state,
            args.file,
            file_limits_of(args),
            dialect=args.dialect,
            debug_directories=DEBUG_DIRECTORIES if args.debug_dir is None else args.debug_dir,
        )
        rows, machine, notes = state.rows, state.machine, state.notes
    rows = [
        row
        for row in rows
        if (row.is_faulty or not args.faulty)
        and (args.kernel is None or is_kernel(row.kernel, args.kernel))
    ]
    if args.kernel is not None and not rows:
        names = sorted(
            {
                shown_symbol(dispatch.kernel)
                for dispatch in machine.dispatches.values()
                if dispatch.kernel
            }
        )
        if not names:
            raise UsageError(f"--kernel {args.kernel}: the kernel of no wave is known")
        raise UsageError(f"--kernel {args.kernel}: the waves are of {', '.join(names)}")
    if args.json:
        record: StreamedObject = {"schema": SCHEMA, "notes": [*notes]}
        print_streamed({**record, **waves_json(rows, machine)})
        return status
    if not rows and args.faulty:
        print("No wave that is read has failed." if status else "No wave has failed.")
    for line in wave_lines(rows) if rows else ():
        print(one_line(line))
    _print_notes(notes)
    return status


def _print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        print(one_line(f"note: {note}"), file=sys.stderr)


def _save(args: Namespace) -> int:
    """Save one wave of a core as a state file."""
    if args.core is None:
        raise UsageError("--save writes a wave of a core file: give --core FILE")
    for name in ("all", "faulty", "kernel", "json"):
        if getattr(args, name):
            raise UsageError(f"--{name} is for a list of waves, which --save FILE does not print")
    path = Path(args.save)
    # Imported only here: most uses of waves write nothing.
    from dwarfgpu.options.written_files import WrittenFile, require_written_files

    stopped = opened_core(args, args.file)
    require_written_files([WrittenFile("--save", path)])
    core = stopped.core
    number = natural(args.wave, "--wave")
    if core is None or core.gpu is None:
        raise UsageError(NO_WAVES)
    number = core.focus if number is None else stopped.wave(number, "--wave").wave
    if number not in core.gpu.waves:
        raise UsageError(f"--wave {number}: thread {number} is of a CPU")
    ranges = [_range(text) for text in args.memory]
    from dwarfgpu.service.machine.save_wave_state import save_wave

    notes = save_wave(core, core.gpu, number, path, ranges)
    print(one_line(f"saved wave {number} in {args.save}"))
    _print_notes(notes)
    return 0


def _range(text: str) -> tuple[int, int]:
    address, comma, size = text.partition(",")
    first, count = natural(address, "--memory"), natural(size or None, "--memory")
    if not comma or first is None or count is None:
        raise UsageError(f"--memory {text}: expected ADDRESS,SIZE")
    return first, count
