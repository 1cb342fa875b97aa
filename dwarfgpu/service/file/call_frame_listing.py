"""List a file's call frame information, entry by entry, as text and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.cfi.decode import CfaProgram
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde, FrameEntry
from dwarfgpu.cfi.rule import Row, Rules
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.cfi.text import (
    ExpressionText,
    Plain,
    cfa_text,
    instruction_json,
    instruction_text,
    register_name,
    row_json,
    rule_json,
    rule_text,
)
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.text.assembly import expression_text
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.service.file.listed_rules import ListedRules, RulesRecord
from dwarfgpu.view.call_frame_text import (
    broken_line,
    cie_heading,
    fde_heading,
    instruction_lines,
    row_lines,
    search_differences,
    table_lines,
    with_own_names,
)
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.json_object import Plain as JsonPlain

SCHEMA: Final = "dwarfgpu-frames-1"
_KEPT: Final = 1 << 16
"""Names of registers, and texts of rules, that are kept for the rows of an entry."""
_LONGEST_EXPRESSION: Final = 1 << 14
"""Bytes of an expression whose operations are listed; real ones have some tens."""


@frozen
class CallFrameListing:
    """A file, and where in it to look."""

    code_object: CodeObject
    pc: int | None
    symbols: Mapping[int, str]
    """Names by address of the file."""
    is_mangled: bool
    """Whether names of symbols are shown as they are there."""
    rules: ListedRules = field(init=False, eq=False)
    _unnamed: list[DwarfGpuError | None] = field(init=False, eq=False, factory=list)
    """Empty until the debug information does not name a function; then the first error of that, or
    None."""

    @rules.default
    def _rules(self) -> ListedRules:
        return ListedRules(self.code_object.file.limits.frame_rules)

    def entries(self, section: FrameSection) -> Iterator[FrameEntry]:
        """Yield all entries, or those that describe the address."""
        if self.pc is None:
            yield from section.each_entry()
            return
        entry = section.find(self.pc)
        if entry is not None:
            yield entry.cie
            yield entry

    def expression_text(self, cie: Cie) -> ExpressionText:
        form = UnitFormat(address_size=cie.format.address_size, endian=cie.format.endian)
        frames = self.code_object.info.call_frames
        dialect, architecture = frames.dialect(cie), cie.format.architecture

        def text(expression: bytes) -> str:
            if len(expression) > _LONGEST_EXPRESSION:
                return f"an expression of {len(expression)} bytes"
            return expression_text(expression, dialect, form, architecture)

        return text

    def rows(self, section: FrameSection, fde: Fde) -> tuple[list[Row], DwarfGpuError | None]:
        """Return the rows, or the one for the address, and why there are no more."""
        if self.pc is None:
            try:
                self.rules.begin(fde)
                table = fde.table()
                self.rules.spend(table.rule_count)
            except LimitExceeded as error:
                return [], error
            return list(table.rows), table.error
        table = self.code_object.info.call_frames.table(section, fde)
        return [row for row in table.rows if row.start <= self.pc < row.end], table.error

    @property
    def name_notes(self) -> list[str]:
        """Why functions that were asked for may have the names of symbols."""
        problem = self._unnamed[0] if self._unnamed else None
        if self._unnamed and problem is None:
            problem = self.code_object.info.unsearched
        if problem is None:
            return []
        return [f"names may be those of symbols, not of functions: {error_line(problem)}"]

    @property
    def lost_sections(self) -> Malformed | None:
        """Why there may be call frame information although no section of it is found."""
        if self.code_object.info.call_frames.sections:
            return None
        from dwarfgpu.objfile.lost_sections import unnamed_sections  # most files have some

        files = dict.fromkeys((self.code_object.file, self.code_object.info.object))
        return next(filter(None, map(unnamed_sections, files)), None)

    @property
    def missing_notes(self) -> list[str]:
        """Why an entry may describe the address, or the file, although none is found."""
        problem = self.lost_sections or self.code_object.info.call_frames.why_incomplete()
        return [] if problem is None else [f"an entry may be lost: {error_line(problem)}"]

    def function(self, address: int) -> str | None:
        """Return the function at an address of the file, by debug information or by the symbols."""
        problem: DwarfGpuError | None = None
        try:
            entry = self.code_object.scopes.subprogram_at(address)
            if entry is not None:
                return entry.name
        except DwarfGpuError as error:
            problem = error.with_traceback(None)
        if not any(self._unnamed):
            self._unnamed[:] = [problem]
        symbol = self.symbols.get(address)
        return None if symbol is None else shown_symbol(symbol, is_mangled=self.is_mangled)


def symbols_by_address(code_object: CodeObject) -> tuple[dict[int, str], list[str]]:
    """Return names by address, with notes if symbols or headers are damaged; empty if they cannot
    be read."""
    try:
        # Mapping symbols of Arm ($x) are not functions; at equal addresses, functions are
        # preferred. There may be millions: only their names are kept.
        names: dict[int, str] = {}
        of_data: dict[int, str] = {}
        for symbol in code_object.file.symbols:
            if symbol.name and symbol.name[0] != "$":
                of_kind = names if symbol.kind == "function" else of_data
                of_kind[symbol.address] = symbol.name
        for address, name in of_data.items():
            names.setdefault(address, name)
        notes = [error_line(fault) for fault in code_object.info.file_damage]
        damage = code_object.file.symbol_damage
        if damage is not None and not code_object.file.is_relocatable:
            notes.append(f"not all symbols can be read: {error_line(damage)}")
        return names, notes
    except DwarfGpuError as error:
        return {}, [f"no symbols: {error}"]


@define(eq=False)
class FramesAnswer:
    """All that is listed, as data (docs/schema/frames.json)."""

    listing: CallFrameListing
    notes: Iterable[str] = ()
    is_whole: bool = field(init=False, default=True)
    """Whether nothing was damaged of what was asked for."""
    has_fde: bool = field(init=False, default=False)

    @property
    def head(self) -> JsonObject:
        """What comes before the sections; raises the error of sections that cannot be read."""
        self.is_whole = self.listing.lost_sections is None
        return {
            "schema": SCHEMA,
            "file": str(self.listing.code_object.file.path),
        }

    @property
    def all_notes(self) -> list[JsonPlain]:
        """The notes, once the sections were read."""
        frames = self.listing.code_object.info.call_frames
        is_missing = not frames.sections or (self.listing.pc is not None and not self.has_fde)
        missing = self.listing.missing_notes if is_missing else []
        return [*self.notes, *frames.notes, *self.listing.name_notes, *missing]

    def sections(self) -> Iterator[tuple[JsonObject, Iterator[EntryRecord]]]:
        """Yield each section without its entries, and these: there may be millions."""
        for section in self.listing.code_object.info.call_frames.sections:
            table = search_table_json(section, compared=self.listing.pc is None)
            self.is_whole = self.is_whole and not (table and table["differences"])
            shown: JsonPlain = None if table is None else {**table}  # type: ignore[dict-item]
            yield {"name": section.kind, "search_table": shown}, self._entries(section)

    def _entries(self, section: FrameSection) -> Iterator[EntryRecord]:
        for entry in self.listing.entries(section):
            record = entry_record(self.listing, section, entry)
            self.is_whole = self.is_whole and record.head["error"] is None
            self.has_fde = self.has_fde or isinstance(entry, Fde)
            yield record

    def record(self) -> JsonObject:
        """Return the whole answer."""
        head = self.head
        sections: list[JsonPlain] = [
            {**section, "entries": [entry.whole for entry in entries]}
            for section, entries in self.sections()
        ]
        return {**head, "sections": sections, "notes": self.all_notes}


@frozen(eq=False)
class EntryRecord:
    """An entry as data: all but its rows, and these, which are made one by one: they may take much
    memory; None for an entry that has none."""

    head: JsonObject
    rows: Iterable[JsonPlain] | None = None

    @property
    def whole(self) -> JsonObject:
        """The entry with its rows."""
        return self.head if self.rows is None else {**self.head, "rows": [*self.rows]}


def search_table_json(section: FrameSection, *, compared: bool) -> dict[str, Plain] | None:
    """Return the header of `.eh_frame_hdr`, `compared` with the entries; None without one."""
    table = section.search
    if table is None:
        return None
    return {
        "address": table.address,
        "frames_address": table.frames_address,
        "pairs": table.count,
        "encoding": table.encoding,
        "differences": [*search_differences(section)] if compared else [],
    }


def entry_lines(
    listing: CallFrameListing, section: FrameSection, entry: FrameEntry
) -> Iterator[str]:
    """Yield an entry as text: its heading, instructions and rows."""
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
            try:
                of_rules = listing.rules.lines(entry, row, names, shortened)
            except LimitExceeded as too_many:
                error = too_many
                break
            yield f"  [{row.start:#x},{row.end:#x})"
            if row.is_empty:
                yield "    no rules: unwinding stops here"
            else:
                for line in row_lines(row, of_rules, names, shortened):
                    yield f"    {line}"
        if error is not None and entry.program.error is None:
            yield f"  further rows cannot be read: {error_line(error)}"


def _short(text: ExpressionText, expression: bytes) -> str:
    """Return operations without what all their names begin with; `dwarfgpu asm` reads them so
    too."""
    return text(expression).replace("DW_OP_LLVM_user ", "").replace("DW_OP_", "")


def entry_record(
    listing: CallFrameListing, section: FrameSection, entry: FrameEntry
) -> EntryRecord:
    """Return an entry as data (`docs/schema/frames.json`)."""
    if isinstance(entry, BrokenEntry):
        head: dict[str, Plain] = {"kind": "broken", "offset": entry.offset}
        return _record({**head, "error": _error(entry.error)})
    cie = entry if isinstance(entry, Cie) else entry.cie
    text = listing.expression_text(cie)
    head = {
        "kind": "CIE" if isinstance(entry, Cie) else "FDE",
        "offset": entry.offset,
        "size": entry.size_bytes,
        "instructions": _instructions(entry.program, text),
        "error": None if entry.program.error is None else _error(entry.program.error),
    }
    if isinstance(entry, Cie):
        form = entry.format
        return _record(
            head
            | {
                "version": entry.version,
                "augmentation": entry.augmentation.text,
                "is_signal_frame": entry.augmentation.is_signal_frame,
                "address_size": form.address_size,
                "code_alignment": form.code_alignment,
                "data_alignment": form.data_alignment,
                "return_register": entry.return_register,
            }
        )
    rows, error = listing.rows(section, entry)
    shown = 0
    for row in rows:
        try:
            listing.rules.spend_on_record(row)
        except LimitExceeded as too_many:
            error = too_many
            break
        shown += 1
    if error is not None:
        head["error"] = _error(error)
    head |= {
        "cie": entry.cie.offset,
        "start": entry.initial_location,
        "end": entry.end,
        "function": listing.function(entry.initial_location),
    }
    return _record(head, _rows(rows[:shown], cie, listing.rules, text))


def _record(head: dict[str, Plain], rows: Iterable[Plain] | None = None) -> EntryRecord:
    return EntryRecord({**head}, rows)  # type: ignore[dict-item, arg-type]


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


def _rows(
    rows: Iterable[Row], cie: Cie, listed: ListedRules, text: ExpressionText
) -> Iterator[Plain]:
    """Yield rows as data. Rows mostly have the rules of the row before, but for a few."""
    architecture = with_own_names(cie.format.architecture)
    name_of = lru_cache(_KEPT)(lambda number: register_name(number, architecture))
    text_of = lru_cache(_KEPT)(lambda rule: rule_text(rule, architecture, text))
    json_of = lru_cache(_KEPT)(rule_json)

    def record(rules: Rules) -> RulesRecord:
        in_order = sorted(rules.items())
        return (
            {str(number): json_of(rule) for number, rule in in_order},
            {name_of(number): text_of(rule) for number, rule in in_order},
        )

    for row in rows:
        data, texts = listed.record(cie, row, record)
        shown = {"cfa": cfa_text(row.cfa, architecture, text), **texts}
        yield {**row_json(row, data), "text": shown}


def _error(error: DwarfGpuError) -> Plain:
    return error_json(error)["error"]  # type: ignore[return-value]
