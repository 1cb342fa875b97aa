"""`dwarfgpu frames`: the call frame information of a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Final

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.cfi.decode import CfaProgram
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde, FrameEntry
from dwarfgpu.cfi.rule import Row
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import (
    ExpressionText,
    Plain,
    cfa_text,
    instruction_json,
    instruction_text,
    register_name,
    row_json,
    rule_text,
)
from dwarfgpu.cli.printing import print_json, print_notes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.expr.text.text import expression_text
from dwarfgpu.options.dialects import DIALECT_HELP
from dwarfgpu.options.given_files import opening, require_no_core
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled import add_mangled_option
from dwarfgpu.options.numbers import PLACE, PLACE_HELP
from dwarfgpu.options.program_location import in_file
from dwarfgpu.service.error_text import error_json, error_line, one_line
from dwarfgpu.view.call_frames import (
    MOST_DIFFERENCES,
    broken_line,
    cie_heading,
    fde_heading,
    instruction_lines,
    row_lines,
    search_table_lines,
    table_lines,
    with_own_names,
)

SCHEMA: Final = "dwarfgpu-frames-1"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an ELF file")
    parser.add_argument(
        "--pc", metavar=PLACE, help=f"only what describes one place of the file: {PLACE_HELP}"
    )
    parser.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
    add_mangled_option(parser)
    parser.add_argument("--dialect", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_file_limit_options(parser)


@frozen
class _Listing:
    """A file, and where in it to look."""

    code_object: CodeObject
    pc: int | None
    symbols: Mapping[int, str]
    """Names by address of the file."""
    is_mangled: bool
    """Whether names of symbols are shown as they are there."""

    def entries(self, section: FrameSection) -> Iterator[FrameEntry]:
        """Yield all entries, or those that describe the address."""
        if self.pc is None:
            yield from section.entries
            return
        entry = section.find(self.pc)
        if entry is not None:
            yield entry.cie
            yield entry

    def expression_text(self, cie: Cie) -> ExpressionText:
        form = UnitFormat(address_size=cie.format.address_size, endian=cie.format.endian)
        frames = self.code_object.info.call_frames
        dialect, architecture = frames.dialect(cie), cie.format.architecture
        return lambda expression: expression_text(expression, dialect, form, architecture)

    def rows(self, section: FrameSection, fde: Fde) -> tuple[list[Row], DwarfGpuError | None]:
        """Return the rows, or the one for the address, and why there are no more."""
        table = self.code_object.info.call_frames.table(section, fde)
        if self.pc is None:
            return list(table.rows), table.error
        return [row for row in table.rows if row.start <= self.pc < row.end], table.error

    def function(self, address: int) -> str | None:
        """The function at an address of the file, by debug information or by the symbols."""
        try:
            entry = self.code_object.scopes.subprogram_at(address)
        except DwarfGpuError:
            entry = None
        if entry is not None:
            return entry.name
        symbol = self.symbols.get(address)
        return None if symbol is None else shown_symbol(symbol, is_mangled=self.is_mangled)


def _symbols(code_object: CodeObject) -> tuple[dict[int, str], list[str]]:
    """Names by addresses; none, and a note, where the symbols cannot be read."""
    try:
        # Mapping symbols of Arm ($x) are not functions; at equal addresses, functions are
        # preferred.
        symbols = [
            symbol for symbol in code_object.file.symbols if symbol.name and symbol.name[0] != "$"
        ]
        symbols.sort(key=lambda symbol: symbol.kind == "function")
        return {symbol.address: symbol.name for symbol in symbols}, []
    except DwarfGpuError as error:
        return {}, [f"no symbols: {error}"]


def run(args: argparse.Namespace) -> int:
    require_no_core(args.file)
    with opening():
        code_object = CodeObject.open(
            args.file, dialect=args.dialect, target=args.target, limits=file_limits_of(args)
        )
    symbols, notes = _symbols(code_object)
    place = in_file(code_object, args.pc, "--pc")
    notes += [] if place is None else place.notes
    pc = None if place is None else place.pc
    listing = _Listing(code_object, pc, symbols, args.mangled)
    frames = code_object.info.call_frames
    with opening():
        sections = frames.sections
    records: list[Plain] = []
    is_whole, is_found = True, False
    for section in sections:
        entries: list[Plain] = []
        if not args.json:
            for line in search_table_lines(section, compared=listing.pc is None):
                is_whole = is_whole and "disagrees" not in line
                print(one_line(line))
        for index, entry in enumerate(listing.entries(section)):
            is_found = is_found or isinstance(entry, Fde)
            if args.json:
                record = _record(listing, section, entry)
                is_whole = is_whole and record["error"] is None
                entries.append(record)
                continue
            if not index:
                print(f"{section.kind}:")
            for line in _lines(listing, section, entry):
                is_whole = is_whole and "cannot be read" not in line
                print(one_line(line))
        table = _search_table(section, compared=listing.pc is None) if args.json else None
        is_whole = is_whole and not (table and table["differences"])
        records.append({"name": section.kind, "search_table": table, "entries": entries})
    if args.json:
        print_json(
            {
                "schema": SCHEMA,
                "file": str(code_object.file.path),
                "notes": [*notes, *frames.notes],
                "sections": records,  # type: ignore[dict-item]
            }
        )
    elif not sections:
        print("no call frame information")
    elif listing.pc is not None and not is_found:
        print(f"no frame information for pc {listing.pc:#x} in {code_object.name}")
    if not args.json:
        print_notes([*notes, *frames.notes])
    return 0 if is_whole and (is_found or listing.pc is None) else 1


def _search_table(section: FrameSection, *, compared: bool) -> dict[str, Plain] | None:
    table = section.search
    if table is None:
        return None
    differences = section.search_differences() if compared else ()
    return {
        "address": table.address,
        "frames_address": table.frames_address,
        "pairs": table.count,
        "encoding": table.encoding,
        "differences": list(islice(differences, MOST_DIFFERENCES)),
    }


def _lines(listing: _Listing, section: FrameSection, entry: FrameEntry) -> Iterator[str]:
    if isinstance(entry, BrokenEntry):
        yield broken_line(entry)
        return
    cie = entry if isinstance(entry, Cie) else entry.cie
    text = listing.expression_text(cie)
    if isinstance(entry, Cie):
        yield cie_heading(entry)
    else:
        yield fde_heading(entry, listing.function(entry.initial_location))
    for line in instruction_lines(entry, text):
        yield f"    {line}"
    if entry.program.error is not None:
        yield f"    the rest cannot be read: {error_line(entry.program.error)}"
    if isinstance(entry, Fde):
        rows, error = listing.rows(section, entry)
        shortened, names = partial(_short, text), with_own_names(cie.format.architecture)
        table = table_lines(rows, names, shortened)
        yield from (f"  {line}" for line in table or ())
        for row in () if table else rows:
            yield f"  [{row.start:#x},{row.end:#x})"
            if row.is_empty:
                yield "    no rules: nothing can be unwound from here"
            else:
                for line in row_lines(row, names, shortened):
                    yield f"    {line}"
        if error is not None and entry.program.error is None:
            yield f"  further rows cannot be read: {error_line(error)}"


def _short(text: ExpressionText, expression: bytes) -> str:
    """Operations without what all their names begin with; `dwarfgpu asm` reads them so too."""
    return text(expression).replace("DW_OP_LLVM_user ", "").replace("DW_OP_", "")


def _record(listing: _Listing, section: FrameSection, entry: FrameEntry) -> dict[str, Plain]:
    if isinstance(entry, BrokenEntry):
        return {"kind": "broken", "offset": entry.offset, "error": _error(entry.error)}
    cie = entry if isinstance(entry, Cie) else entry.cie
    text = listing.expression_text(cie)
    record: dict[str, Plain] = {
        "kind": "CIE" if isinstance(entry, Cie) else "FDE",
        "offset": entry.offset,
        "size": entry.size_bytes,
        "instructions": _instructions(entry.program, text),
        "error": None if entry.program.error is None else _error(entry.program.error),
    }
    if isinstance(entry, Cie):
        form = entry.format
        return record | {
            "version": entry.version,
            "augmentation": entry.augmentation.text,
            "is_signal_frame": entry.augmentation.is_signal_frame,
            "address_size": form.address_size,
            "code_alignment": form.code_alignment,
            "data_alignment": form.data_alignment,
            "return_register": entry.return_register,
        }
    rows, error = listing.rows(section, entry)
    if error is not None:
        record["error"] = _error(error)
    return record | {
        "cie": entry.cie.offset,
        "start": entry.initial_location,
        "end": entry.end,
        "function": listing.function(entry.initial_location),
        "rows": [_row(row, cie, text) for row in rows],
    }


def _instructions(program: CfaProgram, text: ExpressionText) -> list[Plain]:
    return [
        {
            **instruction_json(instruction),
            "offset_in_section": instruction.offset,
            "hex": instruction.encoding.hex(),
            "text": instruction_text(instruction, program.format, None, text),
        }
        for instruction in program.instructions
    ]


def _row(row: Row, cie: Cie, text: ExpressionText) -> Plain:
    architecture = with_own_names(cie.format.architecture)
    rules: dict[str, Plain] = {
        register_name(number, architecture): rule_text(rule, architecture, text)
        for number, rule in sorted(row.rules.items())
    }
    return {**row_json(row), "text": {"cfa": cfa_text(row.cfa, architecture, text), **rules}}


def _error(error: DwarfGpuError) -> Plain:
    return error_json(error)["error"]  # type: ignore[return-value]
