"""The options of an evaluation context: its machine, and its focus: wave, lane and program
location."""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.base.json_reader import integer_of
from dwarfgpu.cfi.quirk_names import QUIRK_NAMES
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.options.core_options import WaveAction, add_core_options
from dwarfgpu.options.dialect_option import DIALECT_HELP
from dwarfgpu.options.file_options import (
    add_debug_dir_option,
    add_load_address_option,
    add_target_option,
)
from dwarfgpu.options.integer_options import PLACE, PLACE_HELP
from dwarfgpu.options.limit_options import add_evaluation_limit_options, add_file_limit_options
from dwarfgpu.options.mangled_option import add_mangled_option

DEFAULT_ARCHITECTURE: Final = "gfx942"


def configure(
    parser: argparse.ArgumentParser, *, has_operations: bool = False, has_frame: bool = True
) -> None:
    """Add the options of the context.

    `has_operations`: the command evaluates DWARF operations, whose stack, object and kind of result
    have options; `has_frame`: it works on one call frame.
    """
    machine = parser.add_argument_group("machine")
    machine.add_argument(
        "--state", metavar="FILE", help="a state file: registers and memory of stopped waves"
    )
    add_core_options(machine)
    machine.add_argument("--arch", help=f"target architecture, {DEFAULT_ARCHITECTURE} by default")
    machine.add_argument(
        "--reg", action="append", default=[], metavar="NAME=VALUE",
        help="a register: s4=0x10, v3=[1,2,3] (one value per lane), v3=bytes:0a0b…",
    )  # fmt: skip
    machine.add_argument(
        "--mem", action="append", default=[], metavar="SPACE#ADDR=HEX",
        help="memory: private_lane[3]#0x10=0a0b0c0d, or =@FILE; the lane defaults to that of "
        "--lane",
    )  # fmt: skip
    add_target_option(machine)
    add_debug_dir_option(machine)
    add_load_address_option(machine)
    machine.add_argument(
        "--scratch-base", metavar="ADDR", help="AMD GPU: the wave's scratch in global memory"
    )
    focus = parser.add_argument_group("context")
    focus.set_defaults(wave_option="--wave")
    focus.add_argument(
        "--wave", "--thread", action=WaveAction, metavar="N|all",
        help="the current wave or thread; in a core file, GDB's thread number or the LWP; eval "
        "and lanes also take all",
    )  # fmt: skip
    focus.add_argument(
        "--lane",
        metavar="N|LANES",
        help="the current lane; eval and lanes also take several: all, active, inactive, 0-3,7",
    )
    focus.add_argument("--lanes", metavar="N", help="the lane count (DW_AT_LLVM_lanes)")
    focus.add_argument("--iteration", metavar="N", help="the current iteration")
    focus.add_argument(
        "--pc", metavar=PLACE,
        help=f"the current program location: {PLACE_HELP}, as loaded; with a single --lane, also "
        "the location of that lane",
    )  # fmt: skip
    focus.add_argument(
        "--force-pc", action="store_true",
        help="assume that every lane is at the wave's pc, whatever DW_AT_LLVM_lane_pc says",
    )  # fmt: skip
    focus.set_defaults(frame=None)
    if has_frame:
        focus.add_argument(
            "--frame", metavar="N", help="the number of the call frame, as shown by bt"
        )
    focus.add_argument(
        "--quirk", metavar="NAME", action="append", default=[], choices=QUIRK_NAMES,
        help="correct a known producer error in call frame information, or say what a vector "
        f"register holds where upstream clang does not: {', '.join(QUIRK_NAMES)}",
    )  # fmt: skip
    focus.add_argument(
        "--heuristic",
        action="store_true",
        help="AMD GPU: find callers by the machine code if there is no frame information",
    )
    focus.add_argument("--cfa", metavar="[SPACE#]ADDR", help="the canonical frame address")
    focus.add_argument("--frame-base", metavar="[SPACE#]ADDR", help="the frame base")
    if has_operations:
        focus.add_argument("--object", metavar="TEXT", help="the current object, as an expression")
        focus.add_argument(
            "--push", action="append", default=[], metavar="TEXT",
            help="an entry of the initial stack, as an expression; the last one is the top",
        )  # fmt: skip
        focus.add_argument("--want", choices=("value", "location"), help="the result kind")
    focus.add_argument("--dialect", metavar="NAME", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_evaluation_limit_options(parser)
    add_file_limit_options(parser)
    add_mangled_option(focus)
    focus.add_argument(
        "--strict",
        action="store_true",
        help="take the DWARF literally: no corrections for upstream clang, SGPRs as bases or x87 "
        "registers",
    )


def is_without_program(args: argparse.Namespace) -> bool:
    """Return whether options name no file and no location in one, and at most one lane."""
    named = (
        *(args.file, args.state, args.core, args.load_address, args.pc, args.frame),
        *(args.sysroot, args.gpu_core, args.code_object),
    )
    is_one_lane = args.lane is None or integer_of(args.lane) is not None
    is_asked_more = args.wave == "all" or args.verify_places
    return not any(named) and is_one_lane and not is_asked_more
