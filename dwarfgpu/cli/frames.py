"""`dwarfgpu frames`: the call frame information of a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from dwarfgpu.cfi.entry import Fde
from dwarfgpu.cli.printing import print_notes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError, shortened
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.options.batch_options import NO_FILE, add_batch_options, is_batch
from dwarfgpu.options.demo import DEMO_FILE, DEMO_LOAD_ADDRESS
from dwarfgpu.options.dialect_option import DIALECT_HELP
from dwarfgpu.options.file_options import add_target_option
from dwarfgpu.options.given_files import opening, require_no_core
from dwarfgpu.options.integer_options import PLACE, PLACE_HELP
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled_option import add_mangled_option
from dwarfgpu.options.program_location import ProgramLocation, in_file
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.file import call_frame_listing
from dwarfgpu.service.file.call_frame_listing import (
    CallFrameListing,
    FramesAnswer,
    entry_lines,
    symbols_by_address,
)
from dwarfgpu.terminal.input import words_behind_file
from dwarfgpu.view.call_frame_text import search_table_lines
from dwarfgpu.view.json_object import JsonObject

SCHEMA: Final = call_frame_listing.SCHEMA


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="*",
        help="an ELF file; or several files, archives, wheels, Debian packages and folders",
    )  # fmt: skip
    parser.add_argument("--demo", action="store_true", help="the kernel that comes with dwarfgpu")
    parser.add_argument(
        "--pc", metavar=PLACE, help=f"only entries that cover one place in the file: {PLACE_HELP}"
    )
    add_target_option(parser)
    add_batch_options(parser)
    add_mangled_option(parser)
    parser.add_argument("--dialect", metavar="NAME", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_file_limit_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.demo:
        if args.file:
            _require_files([DEMO_FILE, *args.file])
            raise UsageError(f"{args.file[0]}: give FILE or --demo, not both")
        args.file = [DEMO_FILE]
    if not args.file:
        raise UsageError(NO_FILE)
    if is_batch(args.file, args):
        from dwarfgpu.cli.many_files import show_many  # most requests are about one file

        if args.pc is not None:
            raise UsageError("--pc is a place in one file: give one FILE")
        _require_files(args.file)
        return show_many(show, "frames", args.file, args)
    [path] = args.file
    require_no_core(path)
    with opening():
        file = open_object(path, args.target, file_limits_of(args))
    return show(file, args)


def _require_files(words: Sequence[str]) -> None:
    """Raise `UsageError` if a word behind a single file is not meant as one, but as a place in
    it."""
    for word in words_behind_file(words):
        raise UsageError(f"{shortened(word)} is not a file; give a place in one with --pc")


def show(file: ObjectFile, args: argparse.Namespace) -> int:
    """Print the call frame information of a file; 1 where a part of it is damaged or missing."""
    with opening():
        code_object = CodeObject.of(file, dialect=args.dialect)
    symbols, notes = symbols_by_address(code_object)
    faults = code_object.unusable_debug_file, file.entry_fault
    notes += [str(fault) for fault in faults if fault is not None]
    location = _location(args, code_object)
    notes += [] if location is None else location.notes
    pc = None if location is None else location.pc
    listing = CallFrameListing(code_object, pc, symbols, args.mangled)
    frames = code_object.info.call_frames
    with opening():
        sections = frames.sections
    if args.json:
        answer = FramesAnswer(listing, notes)
        _print_json(answer)
        return 0 if answer.is_whole and (pc is None or answer.has_fde) else 1
    is_whole, is_found = True, False
    for section in sections:
        for line in search_table_lines(section, compared=listing.pc is None):
            is_whole = is_whole and "disagrees" not in line
            print(one_line(line))
        for index, entry in enumerate(listing.entries(section)):
            is_found = is_found or isinstance(entry, Fde)
            if not index:
                print(f"{section.kind}:")
            for line in entry_lines(listing, section, entry):
                is_whole = is_whole and "cannot be read" not in line
                print(one_line(line))
    missing: list[str] = []
    if not sections:
        print("no call frame information")
        missing = listing.missing_notes
        is_whole = not missing
    elif listing.pc is not None and not is_found:
        print(f"no frame information for pc {listing.pc:#x} in {code_object.name}")
        missing = listing.missing_notes
    print_notes([*notes, *frames.notes, *listing.name_notes, *missing])
    return 0 if is_whole and (is_found or listing.pc is None) else 1


def _location(args: argparse.Namespace, code_object: CodeObject) -> ProgramLocation | None:
    """Return the place in the file that `--pc` names; of the demo also as other commands show it,
    which have it loaded."""
    location = in_file(code_object, args.pc, "--pc")
    if not args.demo or location is None:
        return location
    pc = location.pc - DEMO_LOAD_ADDRESS
    if pc < 0 or not code_object.covers(pc):
        return location
    note = f"--pc {location.pc:#x} is {pc:#x} in the file, loaded"
    return ProgramLocation(pc, (*location.notes, f"{note} at {DEMO_LOAD_ADDRESS:#x}"))


def _print_json(answer: FramesAnswer) -> None:
    """Print one object, row by row: the records of a large file, or of the rows of one entry, take
    gigabytes."""
    import json

    print(_opened(answer.head, "sections"), end="")
    separator = ""
    for section, entries in answer.sections():
        print(separator + _opened(section, "entries"), end="")
        inner = ""
        for entry in entries:
            if entry.rows is None:
                print(inner + json.dumps(entry.head, allow_nan=False), end="")
            else:
                print(inner + _opened(entry.head, "rows"), end="")
                between = ""
                for row in entry.rows:
                    print(between + json.dumps(row, allow_nan=False), end="")
                    between = ", "
                print("]}", end="")
            inner = ", "
        print("]}", end="")
        separator = ", "
    print(f"], {json.dumps({'notes': answer.all_notes})[1:]}")


def _opened(record: JsonObject, last: str) -> str:
    """Return a record as JSON, up to the elements of a list that is its last member."""
    import json

    return f"{json.dumps(record, allow_nan=False)[:-1]}, {json.dumps(last)}: ["
