"""`dwarfgpu frames`: the call frame information of a file."""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.cfi.entry import Fde
from dwarfgpu.cli.printing import print_json, print_notes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.options.dialects import DIALECT_HELP
from dwarfgpu.options.given_files import opening, require_no_core
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled import add_mangled_option
from dwarfgpu.options.numbers import PLACE, PLACE_HELP
from dwarfgpu.options.program_location import in_file
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.file import call_frame_listing
from dwarfgpu.service.file.call_frame_listing import (
    CallFrameListing,
    entry_lines,
    frames_answer,
    symbols_by_address,
)
from dwarfgpu.view.call_frame_text import (
    search_table_lines,
)

SCHEMA: Final = call_frame_listing.SCHEMA


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an ELF file")
    parser.add_argument(
        "--pc", metavar=PLACE, help=f"only entries for one place in the file: {PLACE_HELP}"
    )
    parser.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
    add_mangled_option(parser)
    parser.add_argument("--dialect", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_file_limit_options(parser)


def run(args: argparse.Namespace) -> int:
    require_no_core(args.file)
    with opening():
        code_object = CodeObject.open(
            args.file, dialect=args.dialect, target=args.target, limits=file_limits_of(args)
        )
    symbols, notes = symbols_by_address(code_object)
    place = in_file(code_object, args.pc, "--pc")
    notes += [] if place is None else place.notes
    pc = None if place is None else place.pc
    listing = CallFrameListing(code_object, pc, symbols, args.mangled)
    frames = code_object.info.call_frames
    with opening():
        sections = frames.sections
    if args.json:
        answer = frames_answer(listing, notes)
        print_json(answer.record)
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
    if not sections:
        print("no call frame information")
    elif listing.pc is not None and not is_found:
        print(f"no frame information for pc {listing.pc:#x} in {code_object.name}")
    print_notes([*notes, *frames.notes])
    return 0 if is_whole and (is_found or listing.pc is None) else 1
