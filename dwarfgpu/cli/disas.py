"""`dwarfgpu disas`: machine code as instructions, beside its source."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Sequence
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.cli.printing import print_notes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_objects_at
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.demo import DEMO_FILE, DEMO_LOAD_ADDRESS
from dwarfgpu.options.file_options import add_target_option
from dwarfgpu.options.given_files import opening, require_file_first
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled_option import add_mangled_option
from dwarfgpu.options.program_location import address, in_file, is_number
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.service.code.code_json import function_record, instruction_record
from dwarfgpu.service.code.code_listing import CodeListing, ListingOptions, simulated_lines
from dwarfgpu.service.code.code_to_show import CodeToShow, code_between, line_spans
from dwarfgpu.service.code.disassembly import Disassembly, require_code
from dwarfgpu.service.code.source_text import SourceText
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.terminal.input import is_object
from dwarfgpu.terminal.streams import COLOUR_SETTINGS, has_colours, is_terminal
from dwarfgpu.view.branch_arrows import glyphs_for

SCHEMA: Final = "dwarfgpu-disas-1"
_OTHER_RANGE: Final = pattern(r"(0x[0-9a-fA-F]+)(?:-|\.\.|:)(0x[0-9a-fA-F]+)")
_CHOICES: Final = ("auto", "always", "never")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?",
        help="an ELF file, a fat binary with --target, or a core file",
    )  # fmt: skip
    parser.add_argument(
        "place", nargs="?", metavar="PLACE",
        help="only the code of a function, a line or addresses: "
        "FUNCTION, FILE:LINE, ADDRESS, BEGIN,END or BEGIN,+BYTES, where BEGIN may be any of them",
    )  # fmt: skip
    parser.add_argument("extra", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument(
        "--demo", action="store_true", help="the kernel that comes with dwarfgpu, instead of FILE"
    )
    add_target_option(parser)
    parser.add_argument("--no-source", action="store_true", help="omit source lines")
    parser.add_argument("--no-bytes", action="store_true", help="omit bytes")
    parser.add_argument(
        "--registers",
        action="store_true",
        help="show the registers and memory that each instruction reads and writes, not its bytes",
    )
    parser.add_argument(
        "--simulated",
        action="store_true",
        help="show only instructions that `dwarfgpu run` does not execute, and why",
    )
    parser.add_argument(
        "--arrows",
        choices=_CHOICES,
        default="auto",
        help="draw arrows from branches to their targets",
    )
    parser.add_argument(
        "--color", choices=COLOUR_SETTINGS, default="auto", help="colour the instructions"
    )
    add_core_options(parser)
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.set_defaults(load_address=None, debug_dir=None, dialect=None)


def run(args: argparse.Namespace) -> int:
    """Print the code; return 1 if a part of it is not an instruction."""
    if args.demo:
        args.file, args.place, args.extra = DEMO_FILE, args.file, args.place
    _require_order(args)
    code_object, core_notes = _code_object(args)
    disassembly = Disassembly(code_object, is_mangled=args.mangled)
    with opening():
        shown_code, code_notes = _code_to_show(disassembly, args.place)
    notes = [*core_notes, *code_notes, *map(error_line, disassembly.problems)]
    if args.json and not args.simulated:
        return _print_json(disassembly, shown_code, notes, args)
    print_notes([] if args.json else notes)
    if args.simulated:
        return _print_not_simulated(disassembly, shown_code, args)
    drawn = args.arrows == "always" or (args.arrows == "auto" and is_terminal(sys.stdout))
    options = ListingOptions(
        source=not args.no_source,
        bytes=not args.no_bytes,
        effects=args.registers,
        glyphs=glyphs_for(sys.stdout.encoding) if drawn else None,
    )
    texts = SourceText(code_object.file.limits)
    listing = CodeListing(disassembly, options, texts)
    paint = _painter(args.color)
    for line in listing.lines(shown_code):
        print(f"{line.margin}{paint(line.text)}" if line.text else line.margin)
    print_notes([] if args.no_source else [*disassembly.source_notes, *texts.notes])
    return 1 if listing.undefined_count else 0


def _require_order(args: argparse.Namespace) -> None:
    """Raise `UsageError` if PLACE has two words, or is before the file."""
    place, extra = args.place, args.extra
    require_file_first(args.file, place, "PLACE")
    if args.demo and place is not None and is_object(place):
        raise UsageError(f"{place}: give FILE or --demo, not both")
    if extra is None:
        return
    if is_number(place) and is_number(extra.removeprefix("+")):
        size = extra.removeprefix("+")
        raise UsageError(
            f"{place} {extra}: PLACE is one word: {place},+{size} for a size, {place},{size} for "
            "an end"
        )
    raise UsageError(f"{place} {extra}: give one PLACE")


def _painter(choice: str) -> Callable[[str], str]:
    """Return the function that colours assembly, if any does."""
    if not has_colours(choice):
        return str
    from dwarfgpu.service.assembly_lexer import coloured

    return coloured


def _code_object(args: argparse.Namespace) -> tuple[CodeObject, Sequence[str]]:
    """Return the file, and the notes on a core file; of a core the code object that has PLACE, by
    default the function of the wave or thread that failed, which becomes PLACE."""
    if args.core is None and args.file is not None and is_core(args.file):
        args.core, args.file = args.file, None
    if args.core is None:
        require_core(args)
        if args.file is None:
            raise UsageError("give FILE, or a core file")
        with opening():
            return CodeObject.open(
                args.file,
                DEMO_LOAD_ADDRESS if args.demo else 0,
                target=args.target,
                limits=file_limits_of(args),
            ), ()
    if args.place is not None and args.file is not None:
        raise UsageError(f"{args.file}: a core file names its code objects: give PLACE alone")
    args.place = args.place or args.file
    from dwarfgpu.options.opened_core import opened_core  # few requests are about a core

    stopped = opened_core(args, None)
    if not args.json:  # now, since an error may be about them
        print_notes(stopped.notes)
    notes = stopped.notes if args.json else ()
    pc = stopped.wave(None).pc
    at_pc = [] if pc is None else list(code_objects_at(stopped.code_objects, pc))
    if args.place is None:
        if not at_pc or pc is None:
            where = "an unknown place" if pc is None else f"{pc:#x}"
            raise UsageError(
                f"no file is available for the code at {where}, where the wave stopped"
            )
        code = Disassembly(at_pc[0], is_mangled=args.mangled).function_at(pc)
        args.place = f"{pc:#x},+4" if code is None else f"{code.begin:#x},{code.end:#x}"
        return at_pc[0], notes
    not_at_pc = [item for item in stopped.code_objects if item not in at_pc]
    for item in (*at_pc, *not_at_pc):
        with contextlib.suppress(UsageError):
            _code_to_show(Disassembly(item, is_mangled=args.mangled), args.place)
            return item, notes
    raise UsageError(f"{args.place}: it is in no available code object of the core file")


def _end(begin: int, text: str) -> int:
    """Return the end of a range: END, or +BYTES."""
    number = natural(text.removeprefix("+"), "PLACE") or 0
    return begin + number if text.startswith("+") else number


def _require_range(place: str) -> None:
    """Raise `UsageError` for a range in the syntax of others."""
    match = _OTHER_RANGE.fullmatch(place)
    if match is not None:
        raise UsageError(f"{place}: a range is written {match[1]},{match[2]}")


def _code_to_show(
    disassembly: Disassembly, place: str | None
) -> tuple[list[CodeToShow], Sequence[str]]:
    """Return the code that PLACE denotes, and the assumptions; `UsageError` if there is none."""
    if place is None:
        return [CodeToShow(item, item.begin, item.end) for item in require_code(disassembly)], ()
    _require_range(place)
    first, comma, last = place.partition(",")
    code_object = disassembly.code_object
    if comma and is_number(first):
        begin = address((code_object,), first, "PLACE")
        return list(code_between(disassembly, begin, _end(begin, last))), ()
    if named := disassembly.ranges_named(place):
        return [CodeToShow(item, item.begin, item.end) for item in named], ()
    name, colon, line = place.rpartition(":")
    if colon and is_decimal(line):
        spans = line_spans(disassembly, name, int(line))
        if spans:
            return [
                piece for begin, end in spans for piece in code_between(disassembly, begin, end)
            ], ()
    if comma and is_number(last.removeprefix("+")):
        start = in_file(code_object, first, "PLACE")
        assert start is not None
        return list(code_between(disassembly, start.pc, _end(start.pc, last))), start.notes
    location = in_file(code_object, place, "PLACE")
    assert location is not None
    code = disassembly.function_at(location.pc)
    if code is None:
        require_code(disassembly)
        raise UsageError(f"{place}: the file has no code at {location.pc:#x}")
    used = disassembly.lines.line_of(location.pc) if colon and is_decimal(line) else None
    if used is not None:  # the next line with code
        return [
            piece
            for begin, end in line_spans(disassembly, name, used.line)
            for piece in code_between(disassembly, begin, end)
        ], location.notes
    return [CodeToShow(code, code.begin, code.end)], location.notes


def _print_not_simulated(
    disassembly: Disassembly, shown_code: Sequence[CodeToShow], args: argparse.Namespace
) -> int:
    """Print what `dwarfgpu run` would stop at, function by function; return 1 if there is any."""
    from dwarfgpu.service.run.run_kernel import why_not_simulated  # loads NumPy

    if args.json:
        raise UsageError("--simulated cannot be combined with --json")
    any_missing = False
    for piece in shown_code:
        lines = simulated_lines(disassembly, piece, why_not_simulated)
        print("\n".join(lines))
        any_missing = any_missing or len(lines) > 1
    return 1 if any_missing else 0


def _print_json(
    disassembly: Disassembly,
    shown_code: Sequence[CodeToShow],
    notes: Sequence[str],
    args: argparse.Namespace,
) -> int:
    """Print one object, piece by piece so that large files need little memory.

    An error after the first piece becomes a member of the object, after what was read before.
    """
    disassembly.require_decoder()
    heading = {
        "schema": SCHEMA,
        "file": disassembly.code_object.file.path,
        "target": disassembly.processor,
        "wave_size": disassembly.default_wave_size,
    }
    print(json.dumps(heading)[:-1] + ', "functions": [', end="")
    undefined, status = 0, 0
    ending = "]}"
    try:
        for index, piece in enumerate(shown_code):
            record = function_record(disassembly, piece.item, piece.begin)
            head = json.dumps(record, allow_nan=False)
            print(", " if index else "", head[:-1], ', "instructions": [', sep="", end="")
            ending, separator = "]}]}", ""
            for line in disassembly.instructions(piece.begin, piece.end):
                record = instruction_record(disassembly, line, with_registers=args.registers)
                undefined += not line.is_defined
                print(separator, json.dumps(record, allow_nan=False), sep="", end="")
                separator = ", "
            print("]}", end="")
            ending = "]}"
    except DwarfGpuError as error:
        ending = f"{ending[:-1]}, {json.dumps(error_json(error))[1:]}"
        status = 2 if isinstance(error, UsageError) else 1
    every = [*notes, *([] if args.no_source else disassembly.source_notes)]
    print(f"{ending[:-1]}, {json.dumps({'notes': [*dict.fromkeys(every)]})[1:]}")
    return status or (1 if undefined else 0)
