"""Options of `dwarfgpu run` about breakpoints, traces, and what is written where waves stop."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from dwarfgpu.errors import UsageError, plural
from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS
from dwarfgpu.machine.target import WaveId
from dwarfgpu.options.integer_options import natural


def configure_stops(parser: ArgumentParser) -> None:
    """Add the arguments about stops and traces to a parser."""
    stops = parser.add_argument_group("stops, traces and output files")
    stops.add_argument(
        "--break", dest="breakpoints", action="append", default=[], metavar="PLACE[ if CONDITION]",
        help="stop at FILE:LINE, LINE, FUNCTION or *ADDRESS; the wave continues afterwards",
    )  # fmt: skip
    stops.add_argument(
        "--print", dest="expressions", action="append", default=[], metavar="EXPR",
        help="show an expression at each stop, in every active lane",
    )  # fmt: skip
    stops.add_argument(
        "--quirk", metavar="NAME", action="append", default=[], choices=tuple(VGPR_HOLDS),
        help="what a vector register holds where upstream clang does not say: "
        f"{', '.join(VGPR_HOLDS)}",
    )  # fmt: skip
    stops.add_argument("--wave", metavar="N", help="stop and trace only this wave")
    stops.add_argument(
        "--lane", metavar="LANES", help="the lanes to show: 17, 0-3,7, active, inactive or all"
    )
    stops.add_argument(
        "--stops", metavar="N", help="end the run at the Nth stop; default with --save: the first"
    )
    stops.add_argument(
        "--trace", action="store_true",
        help="print each instruction, what it changes, and its source line; with --json as lines",
    )  # fmt: skip
    stops.add_argument("--trace-limit", metavar="N", help="trace at most N instructions")
    stops.add_argument(
        "--save", metavar="STATE", help="write a state file of the waves when the run ends"
    )
    stops.add_argument(
        "--core", metavar="FILE",
        help="write a core file, as a GPU does when a wave cannot continue",
    )  # fmt: skip


def chosen_wave(args: Namespace, waves: Sequence[WaveId]) -> WaveId | None:
    """Return the number of `--wave`; `UsageError` if the run, whose waves these are, has none of
    that number."""
    wave = natural(args.wave, "--wave")
    if wave is not None and wave not in waves:
        from dwarfgpu.view.number_runs import runs_text  # most runs have no such option

        known = f"{plural(len(waves), 'wave')} {runs_text(waves)}"
        raise UsageError(f"--wave {wave}: the run has {known}")
    return wave


def require_breakpoint(args: Namespace) -> None:
    """Raise `UsageError` for options about stops or traces without a stop or trace."""
    if args.breakpoints:
        return
    if args.trace_limit is not None and not args.trace:
        raise UsageError("--trace-limit requires --trace")
    for name, value in (("print", args.expressions), ("stops", args.stops), ("quirk", args.quirk)):
        if value:
            raise UsageError(f"--{name} is about stops: give --break PLACE")
    for name, value in (("wave", args.wave), ("lane", args.lane)):
        if value and not args.trace:
            raise UsageError(f"--{name} is about stops and traces: give --break PLACE or --trace")
