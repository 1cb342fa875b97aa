"""Headers that disagree on the size of an address (AMD text A.2.5.1, its last sentence), and line
tables that cannot be read to their end or contradict themselves (DWARF 5 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import define, field
from dwarfgpu.check.attributes import attribute_name
from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.check.unit_kinds import is_filler
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import covers, merged
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.aranges import ArangeSet
from dwarfgpu.dwarf.scope.scope_entries import code_ranges, dropped_code
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import initial_length, refuse_segments
from dwarfgpu.dwarf.unit_tables import header_fault
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, Unsupported, counted
from dwarfgpu.expr.static_check.severity import Severity
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.linker_room import leaves_room

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.header import LineHeader

_SIZED: Final = {dw.AT_ADDR_BASE: 2, dw.AT_LOCLISTS_BASE: 6, dw.AT_RNGLISTS_BASE: 6}
"""Attributes with the start of the unit's part of a section whose header has an address_size, and
the offset of that before the start (DWARF 5 7.27 to 7.29)."""
_TABLES: Final = (
    (".debug_str_offsets", dw.AT_STR_OFFSETS_BASE),
    (".debug_addr", dw.AT_ADDR_BASE),
    (".debug_loclists", dw.AT_LOCLISTS_BASE),
    (".debug_rnglists", dw.AT_RNGLISTS_BASE),
)
"""Section, and the attribute with the offset behind the header of the unit's table in it (DWARF 5
7.26 to 7.29)."""
_WITH_HEADERS: Final = frozenset(name for _, name in _TABLES)
_Table: TypeAlias = tuple[str, int, int]
"""Section and attribute of a table of a unit, and where it begins behind its header."""
_DEFINED_IN: Final = {
    ".debug_str_offsets": "7.26",
    ".debug_addr": "7.27",
    ".debug_rnglists": "7.28",
    ".debug_loclists": "7.29",
}
"""What defines the headers of these sections (DWARF 5)."""
_LISTS: Final = (".debug_loclists", ".debug_rnglists")
_MAX_LIST_HEADERS: Final = 1_000_000
"""Of all parts of a package, which may overlap."""
_OPERAND_COUNTS: Final = (0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)
"""Operands of the standard opcodes, DW_LNS_copy to DW_LNS_set_isa (DWARF 5 6.2.5.2)."""


def check_headers(info: DebugInfo, architecture: Architecture | None, findings: Findings) -> None:
    """Compare the headers of every unit, and of what belongs to it, with one another."""
    lists, last = dict[Sections, CompilationUnit](), None
    reported: set[tuple[Sections, str]] = set()
    for unit in info.units:
        if unit.header.format.address_size == 4 and is_filler(unit):
            continue
        if unit.format.version >= 5 and unit.sections is not last:
            last = unit.sections
            lists.setdefault(last, unit)
        try:
            tables = _tables(unit) if unit.format.version >= 5 else ()
            for section, size_bytes in _sizes(unit, architecture, tables):
                _compare(unit, section, size_bytes, findings)
            if tables and (wrong := _check_tables(unit, tables, findings)):
                reported.update((unit.sections, section) for section in wrong)
        except DwarfGpuError:
            continue  # reported when the unit itself is read
    _check_lists(lists, reported, findings)
    for arange in _aranges(info):
        described = info.unit_at(arange.unit_offset)
        if described is not None and described.offset == arange.unit_offset:
            _compare(described, ".debug_aranges", arange.address_size, findings)


def _aranges(info: DebugInfo) -> Sequence[ArangeSet]:
    try:
        return info.aranges.listed
    except DwarfGpuError:
        return []


def _sizes(
    unit: CompilationUnit, architecture: Architecture | None, tables: Sequence[_Table]
) -> Iterator[tuple[str, int]]:
    """Yield the address sizes of the other headers that belong to a unit, by their sections."""
    file = unit.sections.object
    if architecture is not None and architecture.address_bits == 8 * file.address_bytes:
        yield "the architecture", file.address_bytes
    if unit.format.version < 5:
        return
    positions = unit.root.abbreviation.positions
    for section, name, base in tables:
        if name not in _SIZED:
            continue
        data = unit.sections.section(section)
        if header_fault(data, base, name, unit.format) is None:
            yield f"{section}{unit.sections.suffix}", data[base - _SIZED[name]]
    lines = unit.root.attribute(dw.AT_STMT_LIST) if dw.AT_STMT_LIST in positions else None
    if lines is not None and isinstance(lines.raw, int) and lines.raw >= 0:
        size_bytes = _line_address_size(unit, lines.raw)
        if size_bytes is not None:
            yield ".debug_line", size_bytes


def _check_lists(
    units: Mapping[Sections, CompilationUnit],
    reported: set[tuple[Sections, str]],
    findings: Findings,
) -> None:
    """Report wrong headers in sections of lists, also of tables that no unit names: lists by their
    offsets need none. `units`: one of each file or part of a package; `reported`: the sections with
    a table that is wrong for its unit."""
    headers_left = _MAX_LIST_HEADERS
    for sections, unit in units.items():
        for section in _LISTS:
            if (sections, section) in reported:
                continue
            try:
                has_room = not sections.section(section) or leaves_room(sections.object)
                contributions = None if has_room else sections.contributions(section)
            except DwarfGpuError:
                continue  # reported where lists are read
            if contributions is None:
                continue
            headers_left -= len(contributions)
            for offset, why in contributions.faults():
                rule, file = RULES["table-header"], unit_position(unit).file
                position = FindingPosition(
                    f"{section}{sections.suffix}", offset, "table", file=file
                )
                defined = _DEFINED_IN[section]
                findings.add(Finding(rule.severity, rule.name, why, defined, position))
        if headers_left < 0:
            findings.skip(LimitExceeded(f"more than {_MAX_LIST_HEADERS} headers of lists"))
            return


def _tables(unit: CompilationUnit) -> Sequence[_Table]:
    """Return the tables of a unit: by its attributes, or, for a split unit without them, behind the
    first headers of the sections (DWARF 5 7.3.2.2)."""
    positions, is_split = unit.root.abbreviation.positions, unit.is_split
    if _WITH_HEADERS.isdisjoint(positions) and not is_split:
        return ()
    tables = list[_Table]()
    for section, name in _TABLES:
        if name in positions:
            attribute = unit.root.attribute(name)
            if attribute is not None and isinstance(attribute.raw, int):
                tables.append((section, name, attribute.raw))
        elif is_split and name != dw.AT_ADDR_BASE and unit.sections.section(section):
            tables.append((section, name, unit.tables.first_base(name)))
    return tables


def _check_tables(unit: CompilationUnit, tables: Sequence[_Table], findings: Findings) -> list[str]:
    """Report tables of the unit that begin behind no header of version 5, or a too long one; return
    their sections."""
    wrong = list[str]()
    for section, name, base in tables:
        data, shown = unit.sections.section(section), f"{section}{unit.sections.suffix}"
        fault = header_fault(data, base, name, unit.format)
        if fault is None and name in _SIZED:
            _skip_segments(data[base - _SIZED[name] + 1], shown, findings)
        elif fault is not None:
            rule, is_named = RULES["table-header"], unit.root.has(name)
            subject = f"{attribute_name(name)} {base:#x}" if is_named else "the first table"
            message = f"{subject} in {shown}: {fault}"
            position, defined = unit_position(unit), _DEFINED_IN[section]
            findings.add(Finding(rule.severity, rule.name, message, defined, position))
            wrong.append(section)
    return wrong


def _skip_segments(size_bytes: int, section: str, findings: Findings) -> None:
    """Say that a table is not read because it has segment selectors."""
    try:
        refuse_segments(size_bytes, section)
    except Unsupported as error:
        findings.skip(error)


def _line_address_size(unit: CompilationUnit, offset: int) -> int | None:
    """Return the address_size of a line table of version 5; None for others (DWARF 5 6.2.4)."""
    try:
        reader = Reader(unit.sections.section(".debug_line"), unit.endian, offset)
        initial_length(reader)
        return reader.u8() if reader.unsigned(2) == 5 else None
    except Malformed:
        return None


def _compare(unit: CompilationUnit, section: str, size_bytes: int, findings: Findings) -> None:
    if size_bytes == unit.format.address_size:
        return
    rule = RULES["address-size"]
    sizes = f"{counted(unit.format.address_size, 'byte')} in the unit, of {size_bytes} in {section}"
    message = f"addresses of {sizes}"
    findings.add(Finding(rule.severity, rule.name, message, rule.section, unit_position(unit)))


@define
class LineChecker:
    """The line tables of a file; units may share them."""

    findings: Findings
    _checked: set[tuple[int, int]] = field(init=False, factory=set)
    """The sections and the offset of each table that was checked."""

    def check(self, unit: CompilationUnit) -> None:
        """Report why the table of a unit, or its program, cannot be read."""
        try:
            attribute = unit.root.attribute(dw.AT_STMT_LIST)
        except DwarfGpuError:
            return  # reported when the unit itself is read
        offset = None if attribute is None else attribute.raw
        if not isinstance(offset, int) or (id(unit.sections), offset) in self._checked:
            return
        self._checked.add((id(unit.sections), offset))
        if _line_address_size(unit, offset) not in (None, unit.format.address_size):
            return  # reported with the headers
        try:
            table = unit.line_table
            faults = None if table is None else table.faults()
            name_fault = None if table is None else table.name_fault()
        except DwarfGpuError as error:
            self._problem(unit, offset, error)
            return
        if table is None or faults is None:
            return
        if faults.problem is not None:
            self._problem(unit, offset, faults.problem)
        if name_fault is not None:
            self._problem(unit, offset, name_fault, "outside-table")
        if faults.decrease is not None:
            why = f"{faults.decrease}: addresses only increase"
            self._add(unit, offset, "wrong-line-table", "error", why)
        if faults.negative_line is not None:
            why = f"a row of line {faults.negative_line}: no line is below 0"
            self._add(unit, offset, "negative-line", "error", why, "6.2.2")
        if faults.large_line is not None:
            why = f"DW_LNS_advance_line leads to line {faults.large_line}, beyond 32 bits"
            self._add(unit, offset, "wrong-line-table", "error", why, "6.2.5")
        if faults.begins and _is_of_other_code(unit, faults.begins):
            why = "the unit has code, and a sequence of rows begins in none"
            self._add(unit, offset, "wrong-line-table", "error", why, "6.2.5.3")
        for severity, why in _header_faults(table.header):
            self._add(unit, offset, "wrong-line-table", severity, why)

    def _problem(
        self,
        unit: CompilationUnit,
        offset: int,
        problem: DwarfGpuError,
        rule: str = "unreadable-line-table",
    ) -> None:
        if not isinstance(problem, Malformed | IllFormed):
            self.findings.skip(problem)
            return
        message = problem.message if problem.context is None else str(problem)
        self._add(unit, offset, rule, "error", message)

    def _add(
        self,
        unit: CompilationUnit,
        offset: int,
        name: str,
        severity: Severity,
        message: str,
        section: str | None = None,
    ) -> None:
        rule, own = RULES[name], unit_position(unit)
        position = FindingPosition(
            ".debug_line", offset, "line table", unit=own.name, file=own.file, source=own.source
        )
        section = section or rule.section
        self.findings.add(Finding(severity, rule.name, message, section, position))


@kept_with(first)
def _code_ends(file: ObjectFile) -> frozenset[int]:
    """Return where sections with code begin and end, where functions without instructions are."""
    ends = {section.address + section.size_bytes for section in file.code_sections}
    return frozenset(ends.union(section.address for section in file.code_sections))


def _is_of_other_code(unit: CompilationUnit, begins: frozenset[int]) -> bool:
    """Return whether a unit has code, and a sequence of its line table begins in none, in none that
    the linker dropped, and in none that the unit lists: objcopy can remove a section. Zig's linker
    leaves room in a table."""
    file = unit.sections.object
    if leaves_room(file):
        return False
    is_code, ends, dropped = file.is_code, _code_ends(file), dropped_code(unit)
    outside = [begin for begin in begins if not is_code(begin) and begin not in ends]
    try:
        own = merged(code_ranges(unit.root))
    except DwarfGpuError:
        return False  # reported with the entries
    wrong = [
        begin
        for begin in outside
        if not (unit.is_mark(begin) or covers(dropped, begin) or covers(own, begin))
    ]
    if not wrong and len(outside) < len(begins):
        return False
    return any(is_code(span.begin) for span in own)


def _header_faults(header: LineHeader) -> Iterator[tuple[Severity, str]]:
    """Yield what no program or file of a table can use in its header (DWARF 5 6.2.4)."""
    # Before DWARF 5 the table counts from 1, and directory 0 is that of the unit.
    last = max(len(header.directories) - (0 if header.first_file else 1), 0)
    for number, file in enumerate(header.files, header.first_file):
        if file.directory > last:
            why = f"file {number} is in directory {file.directory}, and the last one is {last}"
            yield "error", why
            break
    if header.problem is None and header.names_end < header.program_at:
        extra = counted(header.program_at - header.names_end, "byte")
        why = f"{extra} at offset {header.names_end:#x}, between the tables and the program"
        yield "warning", f"{why}: names may be cut or missing"
    if header.program_at == header.end:
        return
    if header.minimum_instruction_length == 0:
        why = "minimum_instruction_length is 0: opcodes that advance leave the address as it is"
        yield "warning", why
    if header.opcode_base == 0:
        yield "warning", "opcode_base is 0: the first special opcode is 1 or more"
    for opcode, (has, count) in enumerate(
        zip(header.operand_counts, _OPERAND_COUNTS, strict=False), 1
    ):
        if has != count:
            why = f"standard_opcode_lengths gives opcode {opcode} {counted(has, 'operand')}, not "
            yield "warning", f"{why}{count}: consumers differ in what they skip"
            break
    if header.maximum_operations == 0:
        yield "warning", "maximum_operations_per_instruction is 0: consumers take it as 1"
