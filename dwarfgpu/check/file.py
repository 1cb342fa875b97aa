"""Check a whole file: every unit, and every section of call frame information.

Law: an unreadable part costs only itself, and is reported; nothing is skipped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi import eh_frame_hdr
from dwarfgpu.cfi.eh_frame_hdr import SearchTable
from dwarfgpu.cfi.frame_entries import SectionKind
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.check.call_frame_info import FrameChecker
from dwarfgpu.check.check_budgets import CheckBudgets, FrameBudget
from dwarfgpu.check.contained_beyond import ContainedBeyond
from dwarfgpu.check.entries import EntryChecker, UsualShapes
from dwarfgpu.check.entry_chains import EntryChains
from dwarfgpu.check.entry_positions import EntryPositions, unit_position
from dwarfgpu.check.entry_references import EntriesOfUnits
from dwarfgpu.check.expressions import ExpressionChecker, PossibleArchitectures
from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.functions_by_address import Functions
from dwarfgpu.check.headers import LineChecker, check_headers
from dwarfgpu.check.indexes import IndexChecker
from dwarfgpu.check.lost_section_faults import check_lost_sections
from dwarfgpu.check.rules import RULES
from dwarfgpu.check.string_tables import StringTables
from dwarfgpu.check.type_signatures import TypeSignatures
from dwarfgpu.check.unit_kinds import check_kind
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.cfi_rows_by_pc import SECTIONS, search_table_of
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import WrongHeader
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    Malformed,
    Unavailable,
    Unsupported,
    counted,
)
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.relocate import relocated_data
from dwarfgpu.objfile.separate_debug import is_debug_file

_UNITS: Final = (".debug_info", ".debug_info.dwo", ".debug_types")


@frozen
class Verdict:
    """The findings about a file, and how much was checked."""

    path: str
    debug_path: str | None
    """The separate debug file that was read too."""
    units: int
    entries: int
    expressions: int
    distinct_expressions: int
    fdes: int
    findings: Findings
    has_debug_info: bool = False
    """Whether the file has a section for units or a separate debug file, readable or not."""

    @property
    def has_nothing(self) -> bool:
        """Whether nothing at all was checked: no unit, and no call frame information."""
        return not (self.units or self.expressions or self.fdes)

    @property
    def is_incomplete(self) -> bool:
        """Whether a limit ended the check of a part, or no unit could be checked; without
        debugging information, nothing at all."""
        is_unread = self.has_nothing or (self.has_debug_info and not self.units)
        return self.findings.is_incomplete or (is_unread and self.findings.skips > 0)


def verify(
    code_object: CodeObject,
    rules: frozenset[str] | None = None,
    *,
    most_of_rule: int | None = None,
) -> Verdict:
    """Check a file with its separate and split debug files; never raises for their contents.

    `rules`: names of the rules to apply; None for all. `most_of_rule`: how many findings of each
    rule and severity are kept, others are counted; None for all.
    """
    with CheckBudgets() as budgets:
        return _verified(code_object, Findings(rules, most_of_rule), budgets)


def _verified(code_object: CodeObject, findings: Findings, budgets: CheckBudgets) -> Verdict:
    file, info = code_object.file, code_object.info
    architectures = _architectures(file, info, findings)
    expressions = ExpressionChecker(architectures, findings, info.object.limits)
    units = entries = fdes = 0
    entries_of_units, referring = EntriesOfUnits(), list[EntryChecker]()
    lines, indexes = LineChecker(findings), IndexChecker(info, findings)
    strings = StringTables(findings)
    shapes = UsualShapes()
    signatures, contained = TypeSignatures(findings), ContainedBeyond()
    missing_strings: DwarfGpuError | None = None
    try:
        check_lost_sections(code_object, findings)
        if code_object.unusable_debug_file is not None:
            findings.skip(code_object.unusable_debug_file)
        check_headers(info, architectures.architecture, findings)
        for problem in info.problems:
            _broken(problem, _header_position(problem, info), findings)
        for unit in _units(info, architectures.architecture, findings):
            budget = budgets.of(unit)
            if budget.is_spent:
                continue
            units += 1
            checker = EntryChecker(unit, expressions, findings, shapes, budget)
            is_whole = True
            try:
                checker.run()
            except DwarfGpuError as error:
                is_whole = False
                _broken(error, partial(unit_position, unit), findings)
            strings.check_sections(unit)
            if not (is_whole or checker.references.offsets or _has_own_entry(unit)):
                continue  # a file may have 200,000 such units
            entries += checker.entries
            if unit.info is info:
                indexes.add(unit)
            lines.check(unit)
            strings.check(unit)
            if check_kind(unit, checker.references.offsets, is_whole, findings):
                entries_of_units.chains.type_units.add(unit)
                signatures.add(unit)
            if checker.leading_out is not None:
                contained.add(checker.leading_out)
            missing_strings = missing_strings or checker.missing_strings
            if is_whole and checker.entries > 1:
                entries_of_units.add_entries(checker.references)
            if checker.references.is_leading_out:
                entries_of_units.add(checker.references)
                checker.references.forget_unit()
                referring.append(checker)
            unit.forget_locations()
            unit.forget_entries()
        for field in info.sections.unknown_fields.get(".debug_addr", ()):
            findings.skip(field.problem)
        has_all = not (info.problems or any(info.split.problems()))
        _check_beyond(referring, entries_of_units, has_all, findings)
        _check_supplementary(referring, entries_of_units, findings, missing_strings)
        _check_contained(contained, entries_of_units.chains, findings)
        indexes.run()
    except DwarfGpuError as error:  # a section that cannot be read at all
        _broken(error, _header_position(error, info), findings)
    files = [file] if info.object is file else [file, info.object]
    budget_of_frames = FrameBudget(file.limits.frame_rules)
    for one_file in files:
        for kind in SECTIONS:
            try:
                fdes += _frames(
                    one_file, kind, code_object, expressions, findings, budget_of_frames
                )
            except DwarfGpuError as error:
                findings.skip(error)
    debug_path = None if info.object is file else info.object.path
    return Verdict(
        file.path,
        debug_path,
        units,
        entries,
        expressions.count,
        expressions.distinct,
        fdes,
        findings,
        _has_units(info.object) or code_object.unusable_debug_file is not None,
    )


def _has_own_entry(unit: CompilationUnit) -> bool:
    """Return whether the entry of a unit itself can be found: all else begins with it."""
    try:
        return unit.root is not None
    except DwarfGpuError:
        return False


def _has_units(file: ObjectFile) -> bool:
    return any(map(file.has_section, _UNITS))


def _architectures(file: ObjectFile, info: DebugInfo, findings: Findings) -> PossibleArchitectures:
    """Return the machines of the file; if unknown, only checks for all machines apply."""
    try:
        return PossibleArchitectures(file, info.architecture)
    except DwarfGpuError as error:
        findings.skip(error)
        return PossibleArchitectures(file, None)


def _units(
    info: DebugInfo, architecture: Architecture | None, findings: Findings
) -> Iterator[CompilationUnit]:
    """Yield the units of the file and, once each, those of its split files; report missing
    files, and what of these cannot be read."""
    visited: set[int] = set()
    parts: set[int] = set()
    has_skeletons = info.has_skeletons
    for unit in info.units:
        yield unit
        if not has_skeletons:
            continue
        try:
            full = unit.full
        except DwarfGpuError as error:
            _broken(error, partial(unit_position, unit), findings)
            continue
        if full is unit:
            continue
        if id(full.info) not in parts and isinstance(full.info, DebugInfo):
            parts.add(id(full.info))
            check_headers(full.info, architecture, findings)
        for candidate in (full, *full.info.type_source.type_units):
            if id(candidate) not in visited:
                visited.add(id(candidate))
                yield candidate
    for problem in info.split.problems():
        _broken(problem, _header_position(problem, info), findings)


def _header_position(error: DwarfGpuError, info: DebugInfo) -> FindingPosition:
    """Return where a header is that cannot be read; the section table for a whole section."""
    position = error.position
    if position is None:
        return FindingPosition("section table", 0, "file")
    kind = "index" if position.section in (dw.CU_INDEX, dw.TU_INDEX) else "unit"
    file = None if position.path == info.sections.path else position.path
    return FindingPosition(position.section, position.offset, kind, file=file)


def _broken(
    error: DwarfGpuError,
    position: FindingPosition | Callable[[], FindingPosition],
    findings: Findings,
) -> None:
    """Report a unit that cannot be read to its end, or whose header cannot be read."""
    # No fault of the file's, or one that is reported with the headers.
    if not isinstance(error, Malformed | IllFormed) or isinstance(error, WrongHeader):
        findings.skip(error)
        return
    rule = RULES["unreadable-unit"]
    message = error.message if error.context is None else str(error)
    findings.add(Finding(rule.severity, rule.name, message, rule.section, position))


def _check_beyond(
    referring: list[EntryChecker], entries: EntriesOfUnits, has_all: bool, findings: Findings
) -> None:
    """Report references to entries of other units that are none. `has_all`: whether the headers of
    all units can be read."""
    for checker in referring:
        references = checker.references
        try:
            checker.refer_beyond(references.bad_beyond(entries))
            checker.refer_beyond(references.bad_signatures(entries.chains, has_all))
        except LimitExceeded as error:
            findings.skip(error)
            return


def _check_supplementary(
    referring: list[EntryChecker],
    entries: EntriesOfUnits,
    findings: Findings,
    missing_strings: DwarfGpuError | None,
) -> None:
    """Report references into supplementary files that lead nowhere; once, that such a file cannot
    be read, which references or, by `missing_strings`, strings need."""
    for checker in referring:
        try:
            checker.refer_beyond(checker.references.bad_supplementary(entries))
        except LimitExceeded as error:
            findings.skip(error)
            return
        except DwarfGpuError as error:
            needed = "references into it" + (" and its strings" if missing_strings else "")
            findings.skip(error, needed)
            return
    if missing_strings is not None:
        findings.skip(missing_strings, "strings of it")


def _check_contained(contained: ContainedBeyond, chains: EntryChains, findings: Findings) -> None:
    """Report structures that contain themselves through types of other units."""
    for unit, offset in contained.circles(chains):
        index = unit.tree.find(unit.offset + offset)
        if index is not None:
            rule, message = RULES["wrong-layout"], "the type contains itself through other units"
            position = partial(EntryPositions(unit).position, index, None)
            findings.add(Finding(rule.severity, rule.name, message, "5.7", position))


def _frames(
    file: ObjectFile,
    kind: SectionKind,
    code_object: CodeObject,
    expressions: ExpressionChecker,
    findings: Findings,
    budget: FrameBudget,
) -> int:
    """Check a section of call frame information; how many FDEs it has."""
    data = relocated_data(file, kind)
    if not data:
        frames = file.sections_by_name.get(kind)
        if frames is not None and not is_debug_file(file):
            if kind == ".eh_frame":
                _check_without_frames(file, findings)
        elif frames is not None and frames.size_bytes and _has_units(code_object.file):
            error = Unavailable(f"{kind} has no contents in a debug file: check its program")
            findings.skip(error, file.path)
        return 0
    section = FrameSection(
        kind,
        data,
        section_address=file.sections_by_name[kind].address if kind == ".eh_frame" else 0,
        address_size=file.address_bytes,
        endian=file.endian,
        architecture=expressions.architectures.architecture,
        machine=file.machine,
        most_instructions=file.limits.cfa_instructions,
        most_entries=file.limits.frame_entries,
        search=_search_table(file, findings) if kind == ".eh_frame" else None,
        alignment=header.alignment if (header := file.sections_by_name.get(kind)) else None,
    )
    checker = FrameChecker(
        section,
        code_object.info.sections.program.forced_dialect,
        expressions,
        Functions(file, LineLookup(code_object.scopes), code_object.load_address),
        findings,
        file.address_bytes,
        budget,
    )
    checker.run()
    return checker.fdes


def _check_without_frames(file: ObjectFile, findings: Findings) -> None:
    """Report a search table whose entries are lost."""
    search = _search_table(file, findings)
    if search is not None and search.count:
        have = counted(search.count, "pair")
        message = f"{eh_frame_hdr.SECTION} has {have}, and .eh_frame has no contents"
        _report_search_table(message, findings)


def _search_table(file: ObjectFile, findings: Findings) -> SearchTable | None:
    try:
        return search_table_of(file)
    except Unsupported as error:
        findings.skip(error)
    except Malformed as error:
        _report_search_table(error.message, findings)
    return None


def _report_search_table(message: str, findings: Findings) -> None:
    rule, position = RULES["search-table"], FindingPosition(eh_frame_hdr.SECTION, 0, "table")
    findings.add(Finding(rule.severity, rule.name, message, rule.section, position))
