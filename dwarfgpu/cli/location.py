"""`dwarfgpu location`: where every bit of a variable or an expression lives, drawn."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from dwarfgpu.cli.printing import context_notes, print_json, print_notes
from dwarfgpu.errors import DwarfGpuError, UsageError, shortened
from dwarfgpu.options.context_options import configure as configure_machine
from dwarfgpu.options.demo import add_demo_option, with_demo
from dwarfgpu.options.given_files import configure_names, take_files
from dwarfgpu.options.opened_session import in_first_lane, session_of
from dwarfgpu.service.answer import without_value
from dwarfgpu.service.error_text import error_json, one_line
from dwarfgpu.service.value.locate import Located, coloured, located, location_lines
from dwarfgpu.service.value.subject import or_operations
from dwarfgpu.terminal.streams import COLOUR_SETTINGS, has_colours, terminal_columns
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_drawing import glyphs_for, plain

SCHEMA: Final = "dwarfgpu-location-1"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    configure_names(parser)
    parser.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
    add_demo_option(parser)
    parser.add_argument(
        "--color", choices=COLOUR_SETTINGS, default="auto", help="colour the drawing"
    )
    configure_machine(parser)


def run(args: argparse.Namespace) -> int:
    """Draw each; return 1 if one has no location."""
    take_files(args, "names")
    return with_demo(args, _run)


def _run(args: argparse.Namespace) -> int:
    if not args.names:
        raise UsageError("location: give the NAME of a variable, or an expression")
    if args.lane == "all":
        raise UsageError("location works on one lane, not all: give --lane N")
    session = session_of(args, [args.file] if args.file else [])
    session = in_first_lane(args, session)
    status, wrong, records, notes = 0, 0, list[Plain](), dict.fromkeys(session.notes)
    for name in args.names:
        doubts: dict[str, None] = {}
        try:
            location = located(session, name, doubts.setdefault)
        except DwarfGpuError as failure:
            error = failure.with_traceback(None)
            if isinstance(error, UsageError):
                error = or_operations(session, name, error)
                if len(args.names) == 1:
                    raise error.anew() from None
            status = 1
            wrong += isinstance(error, UsageError)
            own: JsonObject = {"notes": [*doubts]} if doubts else {}
            records.append({"name": name, **error_json(error), **own})
            notes |= doubts
            if not args.json:
                text = f"{shortened(name)}: {without_value(error)}"
                print(one_line(f"dwarfgpu: {text}"), file=sys.stderr)
            continue
        records.append({"name": name, **location.record(session)})
        notes |= dict.fromkeys(location.notes)
        if not args.json:
            _print(location, has_colours(args.color))
    if args.json:
        print_json({"schema": SCHEMA, "objects": records, **context_notes(session)})
    else:
        print_notes(notes)
    return 2 if wrong == len(args.names) else status


def _print(location: Located, colours: bool) -> None:
    print(one_line(location.sentence))
    glyphs = glyphs_for(sys.stdout.encoding)
    for line in location_lines(location, glyphs, terminal_columns(sys.stdout.isatty())):
        print(coloured(line) if colours else one_line(plain(line)))
