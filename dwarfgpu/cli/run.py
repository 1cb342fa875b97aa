"""`dwarfgpu run`: a kernel executed on the simulated wavefronts."""

from __future__ import annotations

import json
import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.base.npy import npy_bytes
from dwarfgpu.base.writing import write_set
from dwarfgpu.cli.printing import print_notes
from dwarfgpu.cli.run_going_on_options import configure_going_on, goes_on
from dwarfgpu.cli.run_report import SCHEMA, buffer_lines, ending_lines, heading, record
from dwarfgpu.cli.run_stop_options import configure_stops, require_breakpoint
from dwarfgpu.errors import UsageError
from dwarfgpu.options.demo import with_run_demo
from dwarfgpu.options.launch import Prepared, prepare_next, prepare_run
from dwarfgpu.options.launch_options import configure_launch
from dwarfgpu.options.limit_options import add_file_limit_options
from dwarfgpu.options.mangled import add_mangled_option
from dwarfgpu.options.numbers import natural
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.machine.run_kernel import Result, buffers_not_made, output, run_kernel
from dwarfgpu.terminal.progress import Progress

_OF_DISPATCH: Final = ("grid", "workgroup", "arg", "dynamic_lds", "scratch")
"""Options of one dispatch."""


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a code object, or a file with one in it; a core file, whose waves go on",
    )
    parser.add_argument(
        "kernel", metavar="KERNEL", nargs="?", help="the name of the kernel; default: the only one"
    )
    parser.add_argument(
        "--demo", action="store_true", help="a kernel that comes with dwarfgpu and draws a picture"
    )
    configure_launch(parser, is_required=False)
    parser.add_argument(
        "--then", action=_Then, metavar="KERNEL",
        help="another dispatch, with the options after it; --arg NAME=same:BUFFER is a buffer of "
        "an earlier dispatch; --grid and --workgroup stay as before unless given",
    )  # fmt: skip
    parser.add_argument(
        "--out", action="append", default=[], metavar="NAME=FILE",
        help="write the memory of an argument to an .npy file",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        metavar="N",
        help="seed of the order of waves; a seed gives the same run each time",
    )
    parser.add_argument("--load-address", metavar="ADDR", help="where the code object is loaded")
    parser.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
    configure_stops(parser)
    configure_going_on(parser)
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.set_defaults(beside=None, earlier=[])


class _Then(Action):
    """Ends the options of a dispatch: `earlier` has those that are complete."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        own = {name: getattr(namespace, name) for name in _OF_DISPATCH}
        namespace.earlier = [*namespace.earlier, Namespace(**own, then=namespace.then)]
        namespace.then = values
        namespace.arg, namespace.dynamic_lds, namespace.scratch = [], None, None


def run(args: Namespace) -> int:
    """Run the kernel; 1 where a wave could not go on, `UsageError` for an impossible dispatch."""
    return with_run_demo(args, _run)


def _run(args: Namespace) -> int:
    if goes_on(args):
        from dwarfgpu.cli.run_going_on import run_going_on  # most runs begin

        return run_going_on(args)
    first = args.earlier[0] if args.earlier else args
    if args.file is None or first.grid is None or first.workgroup is None:
        raise UsageError(
            "run needs FILE, --grid and --workgroup, --demo alone, a core file, or --state FILE"
        )
    outputs = dict(_output(text) for text in args.out)
    seed = natural(args.seed, "--seed") or 0
    dispatches = _dispatches(args)
    stops, visit, attach, progress = None, None, None, Progress(sys.stderr)
    if args.trace:
        from dwarfgpu.cli.run_trace import trace_of  # most runs have none

        lane_count = dispatches[0].launched.machine.lane_count
        attach = trace_of(args, [dispatches[0].code_object], lane_count).attach
    if args.breakpoints:
        from dwarfgpu.cli.run_stops import breakpoints_of  # most runs have none
        from dwarfgpu.service.evaluation.run_stops import before_run, visitor

        launches = [prepared.launched for prepared in dispatches]
        code_object = dispatches[0].code_object
        session, around = before_run(code_object, launches[0])
        waves = [number for item in launches for number in item.machine.waves]
        stops = breakpoints_of(args, session, around, waves, progress)
        visit = visitor(stops.visit, code_object, launches, is_mangled=args.mangled)
    else:
        require_breakpoint(args)
    result = None
    for prepared in dispatches:
        if not args.json:
            print(one_line(heading(prepared.launched, is_mangled=args.mangled)))
        result = run_kernel(
            prepared.code_object,
            prepared.launched,
            seed,
            frozenset() if stops is None else stops.addresses,
            visit,
            attach,
            None if args.json or args.trace else progress.executed,
            tracks_writes=args.save is not None or stops is not None,
            earlier=result,
        )
        progress.clear()
        if not args.json:
            print(*map(one_line, ending_lines(result.ending)), sep="\n")
        if result.stop is not None:
            break
    assert result is not None
    for name, path in outputs.items():
        write_set(path, npy_bytes(output(result, name)), {})
    notes = [note for prepared in dispatches for note in prepared.notes]
    notes += [*_written(args, dispatches[0], result), *_not_run(dispatches, result)]
    if args.json:
        shown = [] if stops is None else stops.records
        answer = {"schema": SCHEMA, **record(result, notes), "stops": shown}
        print(json.dumps(answer, allow_nan=False))
    else:
        print(*map(one_line, buffer_lines(result)), sep="\n")
        print_notes(notes)
    return 0 if result.stop is None or result.stop.is_inserted else 1


def _dispatches(args: Namespace) -> list[Prepared]:
    """The dispatches of the options, one after the other; `UsageError` says which one is wrong."""
    sections = [*args.earlier, args]
    out: list[Prepared] = []
    for number, section in enumerate(sections, 1):
        own = {name: getattr(section, name) for name in _OF_DISPATCH}
        kernel = args.kernel if number == 1 else section.then
        options = Namespace(**{**vars(args), **own, "kernel": kernel})
        try:
            out.append(prepare_next(options, out) if out else prepare_run(options))
        except UsageError as error:
            if number == 1:
                raise
            raise UsageError(f"--then {kernel}: {error.message}") from None
    return out


def _not_run(dispatches: Sequence[Prepared], result: Result) -> list[str]:
    """A note about dispatches after one that could not continue, and their buffers."""
    left = dispatches[len(result.launches) :]
    if not left:
        return []
    lost = buffers_not_made([prepared.launched for prepared in dispatches], result)
    kernels = ", ".join(prepared.launched.request.kernel.name for prepared in left)
    buffers = f"; buffers that were not made: {', '.join(lost)}" if lost else ""
    return [f"not run: {kernels}{buffers}"]


def _output(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise UsageError(f"--out {text[:60]}: expected NAME=FILE")
    return name, Path(path)


def _written(args: Namespace, prepared: Prepared, result: Result) -> list[str]:
    """Write the core file and the state where the run stopped; notes about them."""
    notes: list[str] = []
    code_object, launched = prepared.code_object, result.launches[-1]
    if args.save is not None and result.stop is None:
        notes.append(f"no state is saved in {args.save}: all waves have ended; --break stops them")
    elif args.save is not None:
        from dwarfgpu.service.core.state_of_run import write_state_of_run

        write_state_of_run(Path(args.save), Path(args.file), launched, result)
        notes.append(f"state {args.save}: dwarfgpu debug --state {args.save}")
    if args.core is not None and result.stop is not None:
        from dwarfgpu.service.core.core_of_run import write_core_of_run  # most runs leave none

        notes += write_core_of_run(Path(args.core), code_object, launched, result)
        notes.append(f"core file {args.core}: dwarfgpu info {args.core}")
    return notes
