"""`dwarfgpu run`: a kernel executed on the simulated wavefronts."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, _AppendAction
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.cli.run_dispatches import (
    OF_DISPATCH,
    Showing,
    outputs_of,
    prepared_dispatches,
    report,
    run_all,
    sections_of,
)
from dwarfgpu.cli.run_resumed_options import configure_resumed, resumes
from dwarfgpu.cli.run_stop_options import configure_stops, require_breakpoint
from dwarfgpu.errors import UsageError
from dwarfgpu.options.demo import with_run_demo
from dwarfgpu.options.file_options import add_load_address_option, add_target_option
from dwarfgpu.options.given_files import require_file_first
from dwarfgpu.options.launch_options import configure_launch
from dwarfgpu.options.limit_options import add_file_limit_options
from dwarfgpu.options.mangled_option import add_mangled_option
from dwarfgpu.options.opened_launch import prepare_run, require_sizes
from dwarfgpu.service.run import run_report
from dwarfgpu.terminal.progress import Progress
from dwarfgpu.terminal.streams import failing_at_the_end

SCHEMA: Final = run_report.SCHEMA
"""Also of errors before the run."""


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a code object, or a file that contains one; or a core file, whose waves are resumed",
    )
    parser.add_argument(
        "kernel",
        metavar="KERNEL",
        nargs="?",
        help="the name of the kernel; needed if there are several",
    )
    parser.add_argument(
        "--demo", action="store_true", help="a kernel that comes with dwarfgpu and draws a picture"
    )
    configure_launch(parser, runs=True)
    parser.add_argument(
        "--then", action=_Then, metavar="KERNEL",
        help="run another kernel afterwards, with the options that follow; --arg NAME=same:BUFFER "
        "passes a buffer of an earlier dispatch; --grid and --workgroup default to the previous "
        "ones",
    )  # fmt: skip
    parser.add_argument(
        "--out", action="append", default=[], metavar="NAME=FILE",
        help="write the memory of an argument to an .npy file",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        metavar="N",
        help="seed for the order in which waves execute; the same seed gives the same run",
    )
    parser.add_argument(
        "--executor",
        choices=("auto", "precise", "block", "lockstep"),
        default="auto",
        help="how to execute: one instruction at a time (precise), consecutive instructions "
        "together (block), or many waves together where nothing can stop (lockstep, as auto "
        "does); the result is the same",
    )
    add_load_address_option(parser)
    add_target_option(parser)
    configure_stops(parser)
    configure_resumed(parser)
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.set_defaults(beside=None, earlier=[])


class _Then(_AppendAction):
    """Ends the options of a dispatch: `earlier` has those that are complete."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        own = {name: getattr(namespace, name) for name in OF_DISPATCH}
        namespace.earlier = [*namespace.earlier, Namespace(**own, then=namespace.then)]
        namespace.then = values
        namespace.arg, namespace.dynamic_lds, namespace.scratch = [], None, None


def run(args: Namespace) -> int:
    """Run the kernel; return 1 if a wave could not continue. `UsageError` for an impossible
    dispatch."""
    if not args.out and args.save is None and args.core is None:
        return with_run_demo(args, _run)
    with failing_at_the_end():  # the files are worth more than what is printed
        return with_run_demo(args, _run)


def _run(args: Namespace) -> int:
    require_breakpoint(args)  # before a launch, which takes long
    if resumes(args):
        from dwarfgpu.cli.run_resumed import run_resumed  # most runs begin

        return run_resumed(args)
    first = args.earlier[0] if args.earlier else args
    if args.file is None:
        raise UsageError(
            "run needs FILE, --grid and --workgroup, --demo alone, a core file, or --state FILE"
        )
    require_file_first(args.file, args.kernel, "KERNEL")
    require_sizes(args, {"--grid": first.grid, "--workgroup": first.workgroup}, "run")
    outputs_of(args)
    dispatches = prepared_dispatches(args, sections_of(args), prepare_run)
    if args.out or args.save is not None or args.core is not None:
        from dwarfgpu.cli.run_written_files import require_run_outputs  # most runs write nothing

        require_run_outputs(args, dispatches, [Path(args.file)])
    stops, attach, progress = None, None, Progress(sys.stderr)
    launches = [prepared.launched for prepared in dispatches]
    waves = [number for item in launches for number in item.machine.waves]
    lane_count = max(item.machine.lane_count for item in launches)
    if args.trace:
        from dwarfgpu.cli.run_trace import trace_of  # most runs have none

        attach = trace_of(args, [dispatches[0].code_object], waves, lane_count).attach
    if args.breakpoints:
        from dwarfgpu.cli.run_stops import breakpoints_of  # most runs have none
        from dwarfgpu.service.run.run_breakpoints import before_run

        session, around = before_run(dispatches[0].code_object, launches[0])
        stops = breakpoints_of(args, session, around, waves, lane_count, progress)
    showing = Showing(stops, attach, progress)
    return report(args, dispatches, run_all(args, dispatches, showing), showing)
