"""`dwarfgpu disas`: machine code as instructions, beside its source."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from attrs import field

from dwarfgpu.base.light_attrs import define
from dwarfgpu.cli.printing import print_notes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.source_lines import SourceLine
from dwarfgpu.errors import UsageError
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled import add_mangled_option
from dwarfgpu.options.numbers import natural
from dwarfgpu.options.program_location import in_file, is_number
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.service.code.code_json import function_record, instruction_record
from dwarfgpu.service.code.code_origins import CodeOrigin
from dwarfgpu.service.code.code_to_show import CodeToShow, code_between, line_spans
from dwarfgpu.service.code.disassembly import (
    CodeLine,
    CodeRange,
    Disassembly,
    require_code,
)
from dwarfgpu.service.code.host_code import require_capstone
from dwarfgpu.service.code.instruction_effects import effects_of
from dwarfgpu.service.code.source_text import SourceText
from dwarfgpu.service.error_text import one_line
from dwarfgpu.terminal.streams import has_colours, is_terminal
from dwarfgpu.view.branch_arrows import arrows, glyphs_for

SCHEMA: Final = "dwarfgpu-disas-1"
_CHOICES: Final = ("auto", "always", "never")
_MAX_DRAWN: Final = 20_000
"""Instructions of a function beside which arrows are drawn."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?",
        help="an ELF file, a fat binary with --target, or a core file",
    )  # fmt: skip
    parser.add_argument(
        "place", nargs="?", metavar="PLACE",
        help="only the code of a function, a line or addresses: "
        "FUNCTION, FILE:LINE, ADDRESS, BEGIN,END or BEGIN,+BYTES",
    )  # fmt: skip
    parser.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
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
    parser.add_argument("--color", choices=_CHOICES, default="auto", help="color the instructions")
    add_core_options(parser)
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.set_defaults(load_address=None, debug_dir=None, dialect=None)


def run(args: argparse.Namespace) -> int:
    """Print the code; return 1 if a part of it is not an instruction."""
    code_object = _code_object(args)
    disassembly = Disassembly(code_object, is_mangled=args.mangled)
    with opening():
        places, notes = _code_to_show(disassembly, args.place)
    if args.simulated:
        return _print_not_simulated(disassembly, places, args)
    if args.json:
        return _print_json(disassembly, places, args)
    print_notes(notes)
    drawn = args.arrows == "always" or (args.arrows == "auto" and is_terminal(sys.stdout))
    listing = _Listing(disassembly, args, drawn, has_colours(args.color))
    listing.show(places)
    return 1 if listing.undefined else 0


def _code_object(args: argparse.Namespace) -> CodeObject:
    """The file; of a core the code object that has PLACE, by default the function of the wave or
    thread that failed, which becomes PLACE."""
    if args.core is None and args.file is not None and is_core(args.file):
        args.core, args.file = args.file, None
    if args.core is None:
        require_core(args)
        if args.file is None:
            raise UsageError("give FILE, or a core file")
        with opening():
            return CodeObject.open(args.file, target=args.target, limits=file_limits_of(args))
    if args.place is not None and args.file is not None:
        raise UsageError(f"{args.file}: a core file names its code objects: give PLACE alone")
    args.place = args.place or args.file
    from dwarfgpu.options.opened_core import opened_core  # few requests are about a core

    stopped = opened_core(args, None)
    print_notes(stopped.notes)
    pc = stopped.wave(None).pc
    at_pc = [item for item in stopped.code_objects if pc is not None and item.covers(pc)]
    if args.place is None:
        if not at_pc or pc is None:
            where = "an unknown place" if pc is None else f"{pc:#x}"
            raise UsageError(f"the code at {where}, where the wave stopped, is in no file at hand")
        code = Disassembly(at_pc[0], is_mangled=args.mangled).range_at(pc)
        args.place = f"{pc:#x},+4" if code is None else f"{code.begin:#x},{code.end:#x}"
        return at_pc[0]
    others = [item for item in stopped.code_objects if item not in at_pc]
    for item in (*at_pc, *others):
        with contextlib.suppress(UsageError):
            _code_to_show(Disassembly(item, is_mangled=args.mangled), args.place)
            return item
    raise UsageError(f"{args.place}: no code object of the core that is at hand has it")


def _code_to_show(
    disassembly: Disassembly, place: str | None
) -> tuple[list[CodeToShow], Sequence[str]]:
    """Return the code that PLACE denotes, and the assumptions; `UsageError` if there is none."""
    if place is None:
        return [CodeToShow(item, item.begin, item.end) for item in require_code(disassembly)], ()
    first, comma, last = place.partition(",")
    if comma and is_number(first):
        begin = natural(first, "PLACE") or 0
        end = natural(last.removeprefix("+"), "PLACE") or 0
        return list(code_between(disassembly, begin, begin + end if last[0] == "+" else end)), ()
    if named := disassembly.ranges_named(place):
        return [CodeToShow(item, item.begin, item.end) for item in named], ()
    name, colon, line = place.rpartition(":")
    if colon and line.isdecimal():
        spans = line_spans(disassembly, name, int(line))
        if spans:
            return [
                piece for begin, end in spans for piece in code_between(disassembly, begin, end)
            ], ()
    location = in_file(disassembly.code_object, place, "PLACE")
    assert location is not None
    code = disassembly.range_at(location.pc)
    if code is None:
        raise UsageError(f"{place}: the file has no code at {location.pc:#x}")
    used = disassembly.lines.line_of(location.pc) if colon and line.isdecimal() else None
    if used is not None:  # the next line with code
        return [
            piece
            for begin, end in line_spans(disassembly, name, used.line)
            for piece in code_between(disassembly, begin, end)
        ], location.notes
    return [CodeToShow(code, code.begin, code.end)], location.notes


def _print_not_simulated(
    disassembly: Disassembly, places: Sequence[CodeToShow], args: argparse.Namespace
) -> int:
    """Print what `dwarfgpu run` would stop at, function by function; return 1 if there is any."""
    from dwarfgpu.service.machine.run_kernel import why_not_simulated  # loads NumPy

    if args.json:
        raise UsageError("--simulated has no --json")
    any_missing = False
    for piece in places:
        count, missing = 0, []
        for line in disassembly.instructions(piece.begin, piece.end):
            count += 1
            instruction = line.instruction
            why = "no instruction" if instruction is None else why_not_simulated(instruction)
            if why is not None:
                missing.append(f"  {line.address:x}  {line.text.strip()}  # {why}")
        print(one_line(f"{piece.item.name}: {count - len(missing)} of {count} are simulated"))
        for text in missing:
            print(one_line(text))
        any_missing = any_missing or bool(missing)
    return 1 if any_missing else 0


@define
class _Listing:
    """Prints code, function by function."""

    disassembly: Disassembly
    args: argparse.Namespace
    drawn: bool
    coloured: bool
    undefined: int = 0
    """Instructions that could not be decoded."""
    origin_before: CodeOrigin | None = None
    line_before: SourceLine | None = None
    chain_before: tuple[str, ...] = ()
    texts: SourceText = field(factory=SourceText)

    def show(self, places: Sequence[CodeToShow]) -> None:
        disassembly = self.disassembly
        if disassembly.processor is not None:
            wave = f", wave{disassembly.default_wave_size}"
            print(one_line(f"{disassembly.code_object.name}: {disassembly.processor}{wave}"))
        else:
            require_capstone(disassembly.code_object.file.machine)
        shown: CodeRange | None = None
        for piece in places:
            if piece.item != shown:
                self._heading(piece)
                shown = piece.item
            self._code(piece)

    def _heading(self, piece: CodeToShow) -> None:
        print()
        item = piece.item
        kernel = self.disassembly.kernel_at(item)
        if kernel is not None and piece.begin == item.begin:
            for line in self.disassembly.directives(kernel):
                print(self._paint("\t" * line.startswith("\t") + one_line(line.strip())))
        print(one_line(f"{item.begin:016x} <{item.name}>:"))

    def _code(self, piece: CodeToShow) -> None:
        lines = self.disassembly.instructions(piece.begin, piece.end)
        if not self.drawn or (piece.end - piece.begin) // 4 > _MAX_DRAWN:
            for line in lines:
                self._line(piece, line, "")
            return
        rows = list(lines)
        places = {line.address: index for index, line in enumerate(rows)}
        branches = {
            index: places[line.target]
            for index, line in enumerate(rows)
            if line.target is not None and line.target in places
        }
        margins = arrows(len(rows), branches, glyphs_for(sys.stdout.encoding))
        for line, margin in zip(rows, margins, strict=True):
            self._line(piece, line, margin)

    def _line(self, piece: CodeToShow, line: CodeLine, margin: str) -> None:
        if not self.args.no_source:
            for text in self._source(piece, line):
                print(self._paint(one_line(text)))
        text = line.text
        if line.target_name:
            text += f" <{line.target_name}>"
        elif line.target is not None:
            text += f" <{line.target:#x}>"
        self.undefined += not line.is_defined
        text = one_line(text)
        if remark := self._remark(line):
            padding = " " * max(1, 58 - len(margin) - len(text))
            text = f"{text}{padding}// {remark}"
        print(f"{line.address:8x}  {margin}{self._paint(text)}")

    def _remark(self, line: CodeLine) -> str:
        """What is beside an instruction: its effects or its bytes."""
        if self.args.registers:
            return "" if line.instruction is None else effects_of(line.instruction).text
        if self.args.no_bytes:
            return ""
        is_gpu = self.disassembly.processor is not None
        return dwords_text(line.data) if is_gpu else line.data.hex(" ")

    def _source(self, piece: CodeToShow, line: CodeLine) -> Iterator[str]:
        """Comments before an instruction where its source is another one than before."""
        origin = self.disassembly.origin(line.address)
        if origin is self.origin_before:
            return
        self.origin_before = origin
        chain = origin.inlined
        if chain != self.chain_before:
            self.chain_before = chain
            if len(chain) > 1:
                yield f"; {' inlined into '.join(chain)}:"
        source = origin.line
        before = self.line_before
        if source is None or (before and _same_line(source, before)):
            return
        self.line_before = source
        words = self.texts.line(source)
        place = f"{Path(source.file.path).name}:{source.line}"
        yield f"; {place}" + (f": {words.strip()}" if words else "")

    def _paint(self, text: str) -> str:
        if not self.coloured:
            return text
        from dwarfgpu.service.assembly_lexer import coloured

        return coloured(text)


def dwords_text(data: bytes) -> str:
    """The dwords of an instruction, as numbers."""
    return " ".join(data[at : at + 4][::-1].hex().upper() for at in range(0, len(data), 4))


def _same_line(a: SourceLine, b: SourceLine) -> bool:
    return a.line == b.line and (a.file is b.file or a.file.path == b.file.path)


def _print_json(
    disassembly: Disassembly, places: Sequence[CodeToShow], args: argparse.Namespace
) -> int:
    """One object, written piece by piece so that large files need little memory."""
    heading = {
        "schema": SCHEMA,
        "file": disassembly.code_object.file.path,
        "target": disassembly.processor,
        "wave_size": disassembly.default_wave_size,
    }
    print(json.dumps(heading)[:-1] + ', "functions": [', end="")
    undefined = 0
    for index, piece in enumerate(places):
        head = json.dumps(function_record(disassembly, piece.item, piece.begin), allow_nan=False)
        print(", " if index else "", head[:-1], ', "instructions": [', sep="", end="")
        separator = ""
        for line in disassembly.instructions(piece.begin, piece.end):
            record = instruction_record(disassembly, line, with_registers=args.registers)
            undefined += not line.is_defined
            print(separator, json.dumps(record, allow_nan=False), sep="", end="")
            separator = ", "
        print("]}", end="")
    print("]}")
    return 1 if undefined else 0
