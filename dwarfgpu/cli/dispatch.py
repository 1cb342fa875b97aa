"""`dwarfgpu dispatch`: a kernel on paper, just before the first instruction of its waves."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

from dwarfgpu.base.printable import shell_word
from dwarfgpu.machine.simulated.launch.dispatch import (
    Launched,
)
from dwarfgpu.options.file_options import add_load_address_option, add_target_option
from dwarfgpu.options.given_files import require_file_first
from dwarfgpu.options.launch_options import configure_launch
from dwarfgpu.options.limit_options import add_file_limit_options
from dwarfgpu.options.mangled_option import add_mangled_option
from dwarfgpu.options.opened_launch import launch, require_sizes
from dwarfgpu.options.program_name import program_name
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.machine.dispatch_report import dispatch_lines, dispatch_record

SCHEMA: Final = "dwarfgpu-dispatch-1"


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("file", metavar="FILE", help="a code object, or a file that contains one")
    parser.add_argument(
        "kernel",
        metavar="KERNEL",
        nargs="?",
        help="the name of the kernel; needed if there are several",
    )
    parser.add_argument("--beside", metavar="STATE", help="add the dispatch to an existing state")
    parser.add_argument(
        "--agent",
        metavar="N",
        help="with --beside: the agent of the dispatch; an unused number adds an agent",
    )
    parser.add_argument(
        "--save", metavar="STATE", help="write a state file, with .npy files beside it"
    )
    add_load_address_option(parser)
    add_target_option(parser)
    configure_launch(parser)
    add_mangled_option(parser)
    add_file_limit_options(parser)


def run(args: Namespace) -> int:
    """Print or save the state; `UsageError` for a dispatch that is not possible."""
    require_file_first(args.file, args.kernel, "KERNEL")
    require_sizes(args, {"--grid": args.grid, "--workgroup": args.workgroup}, "dispatch")
    launched, notes, written = launch(args)
    if args.json:
        print(json.dumps({"schema": SCHEMA, **dispatch_record(launched, notes, written)}))
        return 0
    print(*map(one_line, dispatch_lines(launched, is_mangled=args.mangled)), sep="\n")
    if written:
        print(one_line(f"saved: {', '.join(written[:4])}{' …' if len(written) > 4 else ''}"))
    print(one_line(f"next: {_next(launched, args.save)}"))
    for note in dict.fromkeys(notes):
        print(one_line(f"note: {note}"), file=sys.stderr)
    return 0


def _next(launched: Launched, saved_as: str | None) -> str:
    """Return the command that reads the kernel's arguments: no register contains them yet."""
    state = "STATE" if saved_as is None else shell_word(saved_as)
    arguments = "'$_kernarg' " if launched.request.parameters else ""
    name = program_name()
    command = f"{name} eval --state {state} --wave all --lane all {arguments}'$_workitem_id'"
    return command if saved_as is not None else f"give --save STATE, then {command}"
