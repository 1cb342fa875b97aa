"""Check call frame information: its entries, instructions and expressions (A.6.4).

Law: an FDE is executed as far as possible; the work on the sections of a check is bounded by
`FileLimits.frame_rules`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.cfi import eh_frame_hdr
from dwarfgpu.cfi.decode import CfaInstruction, CfaProgram
from dwarfgpu.cfi.entry import BrokenEntry, Cie, Fde
from dwarfgpu.cfi.rows import row_table
from dwarfgpu.cfi.rule import Row, UndefinedRule
from dwarfgpu.cfi.search_differences import each_search_difference
from dwarfgpu.cfi.section import FrameSection
from dwarfgpu.check.cfi_results import (
    cfa_fault,
    lost_return_address,
    needs_rule,
    return_column_fault,
    short_of_register,
)
from dwarfgpu.check.check_budgets import FrameBudget
from dwarfgpu.check.checked_entry import CheckedEntry
from dwarfgpu.check.expressions import ExpressionChecker, gives_no_memory
from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.functions_by_address import Functions
from dwarfgpu.check.rows import SAVED, RowChecker, SortedRules, sorted_rules
from dwarfgpu.check.rules import RULES
from dwarfgpu.check.rules_on_cfa import CFA, EXPRESSION, VAL_EXPRESSION, RulesOnCfa, results_of
from dwarfgpu.dwarf.cfi_rows_by_pc import dialect_of_entry
from dwarfgpu.dwarf.producer import LAST_WITHOUT_ROWS
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, counted
from dwarfgpu.expr.decode import Expression, decode
from dwarfgpu.expr.static_check.abstract_value import Known
from dwarfgpu.expr.static_check.severity import Severity

_WORK_OF_A_RULE: Final = 16
"""How many register rules of rows and remembered states are looked through for one that `frames`
may list: it is quicker."""
_OF_ENTRY: Final = 600
"""The work on an entry by itself, and on each of its instructions."""
_OF_INSTRUCTION: Final = 24
_USUAL_WORK: Final = 16
"""Of each byte of an FDE, which does not count: those of compilers take a third of it, and a
browser has a million of them."""
_ROLES: Final = {"expression": EXPRESSION, "val_expression": VAL_EXPRESSION}
_ADVANCES: Final = ("set_loc", "advance_loc", "advance_loc1", "advance_loc2", "advance_loc4",
                    "MIPS_advance_loc8")  # fmt: skip
_BROKEN: Final = {
    "DW_CFA_restore_state": "unbalanced-state",
    "DW_CFA_def_cfa_register": "lost-cfa",
    "DW_CFA_def_cfa_offset": "lost-cfa",
    "DW_CFA_def_cfa_offset_sf": "lost-cfa",
    "DW_CFA_LLVM_def_aspace_cfa": "unknown-address-space",
    "DW_CFA_LLVM_def_aspace_cfa_sf": "unknown-address-space",
    **{f"DW_CFA_{name}": "location-order" for name in _ADVANCES},
}
"""The rule that an instruction breaks if it cannot be executed; for others, `ill-formed-cfi`."""

_ASSUMED: Final = (
    "DW_CFA_def_cfa_register: there is no current CFA rule, and debuggers take the offset as 0"
)
_OF_KERNEL: Final = ", which a kernel does not need: it has no caller"


@frozen
class _Sound:
    """Instructions of an FDE without findings."""

    advance_bytes: int
    """From the start of the FDE to its last row."""
    expressions: int

    most: int
    """The end of the address space."""

    def is_sound(self, start: int, size_bytes: int) -> bool:
        """Return whether another FDE of the CIE with these instructions, and of that code, has no
        findings either: it has the same rows, the last one of any size."""
        return self.advance_bytes < size_bytes and start + size_bytes <= self.most


@define
class FrameChecker:
    """The checks of one section of call frame information."""

    section: FrameSection
    forced_dialect: str | None
    """The name of the dialect of the whole file."""
    expressions: ExpressionChecker
    functions: Functions
    findings: Findings
    address_size: int
    """The size of an address of the file, in bytes."""
    budget: FrameBudget
    """What is left for the sections of a check."""
    fdes: int = field(init=False, default=0)
    _fdes_of: Counter[int] = field(init=False, factory=Counter)
    """How many FDEs each CIE has, by its offset."""
    _initial: dict[int, SortedRules] = field(init=False, factory=dict)
    """The rules of each CIE, by its offset."""
    _without_rule: dict[int, int] = field(init=False, factory=dict)
    """The return address column of CIEs whose FDEs must have a rule for it, by their offset."""
    _is_checked: dict[str, bool] = field(init=False, factory=dict)
    """Whether the operands of an instruction are registers or expressions, by its name."""
    _sound: dict[tuple[int, bytes], _Sound] = field(init=False, factory=dict)
    """Instructions of FDEs without findings, by the offset of their CIE: compilers write many of
    them again and again."""
    _sound_cies: dict[bytes, int] = field(init=False, factory=dict)
    """The bytes of CIEs without findings, with the number of their expressions."""

    def run(self) -> None:
        """Check every entry."""
        columns = self.section.fde_columns
        cies, programs = columns.cies, columns.programs
        self._fdes_of.update(compress(cies, programs))
        self.fdes = self._fdes_of.total()
        broken = self._common_entries()
        if broken is not None:
            for row in columns.order:
                if programs[row] and cies[row] not in broken and not self._fde(row):
                    break
        self._terminator()
        self._spans()
        self._search_table()

    def _common_entries(self) -> set[int] | None:
        """Check the CIEs; return the offsets of those whose FDEs cannot be executed, None where the
        section takes too many steps."""
        broken: set[int] = set()
        for offset in self._unread_entries():
            data = self.section.bytes_of_entry(offset)
            if data in self._sound_cies and offset not in self._fdes_of:
                self.expressions.count += self._sound_cies[data]
                continue
            if not self._spend(_OF_ENTRY, "entry", offset):
                return None
            entry = self.section.entry_at(offset)
            if isinstance(entry, BrokenEntry):
                self._unreadable(entry)
            elif isinstance(entry, Cie):
                if not self._spend(_OF_INSTRUCTION * len(data), "CIE", offset):
                    return None
                reported, expressions = self._reported, self.expressions.count
                if not self._cie(entry):
                    broken.add(offset)
                elif self._reported == reported:
                    self._sound_cies[data] = self.expressions.count - expressions
        end = self.section.fde_columns.end
        for gap in self.section.each_gap() if end is None else [end]:
            if not self._spend(_OF_ENTRY, "entry", gap.offset):
                return None
            self._unreadable(gap)
        return broken

    def _unread_entries(self) -> Iterator[int]:
        """Yield where the CIEs are, and entries that cannot be read."""
        columns = self.section.fde_columns
        fdes = compress(columns.offsets, columns.programs)
        fde = next(fdes, None)
        for offset in self.section.offsets:
            if columns.end is not None and offset == columns.end.offset:
                return
            if offset == fde:
                fde = next(fdes, None)
            else:
                yield offset

    @property
    def _reported(self) -> int:
        """The findings of the file so far, and what was not checked."""
        return self.findings.counts.total() + self.findings.skips

    def _spend(self, work: int, kind: str, offset: int) -> bool:
        """Count the work on an entry; false where the check takes too much, which is reported."""
        self.budget.work += work
        if self.budget.work <= _WORK_OF_A_RULE * self.budget.most_rules:
            return True
        error = LimitExceeded(
            "from here on there would be too many register rules", "--max-frame-rules"
        )
        self.findings.skip(error, f"{self.section.kind} {kind} at {offset:#x}")
        return False

    def _unreadable(self, entry: BrokenEntry) -> None:
        if entry.is_of_cie:
            return  # reported with that
        if not isinstance(entry.error, Malformed | IllFormed):
            self.findings.skip(entry.error)
            return
        rule = RULES["unreadable-cfi"]
        position = FindingPosition(self.section.kind, entry.offset, "entry")
        message = entry.error.message
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))

    def _unknown_augmentation(self, cie: Cie) -> None:
        """Report the augmentation; everything after it, in the CIE and its FDEs, is unknown."""
        fdes = self._fdes_of[cie.offset]
        rule, position = (
            RULES["unknown-augmentation"],
            FindingPosition(self.section.kind, cie.offset, "CIE"),
        )
        message = (
            f"the augmentation {cie.augmentation.text!r} is unknown, and so are the rules of "
            f"{counted(fdes, 'FDE')}"
        )
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))

    def _cie(self, cie: Cie) -> bool:
        """Return whether its FDEs can be executed."""
        if not cie.augmentation.is_known:
            self._unknown_augmentation(cie)
            return False
        checked_entry = self._checked_entry(cie)
        size_bytes = cie.format.address_size
        if size_bytes != self.address_size:
            message = (
                f"addresses of {counted(size_bytes, 'byte')}, of {self.address_size} in the file"
            )
            checked_entry.report("address-size", message)
        if not cie.format.code_alignment and self._fdes_of[cie.offset]:
            message = "code_alignment_factor is 0: no instruction advances the location"
            checked_entry.report("ill-formed-cfi", message, severity="warning")
        try:
            initial = cie.initial
        except DwarfGpuError as error:
            self._stopped(error, checked_entry)
            return False
        self._instructions(checked_entry)
        if initial.offset_assumed_by is not None:
            index = cie.program.instructions.index(initial.offset_assumed_by)
            shown = checked_entry.shown(index)
            checked_entry.report("lost-cfa", _ASSUMED, shown=shown, severity="warning")
        self._zeroed(cie.first_zeroed, checked_entry)
        column, architectures = cie.return_register, self.expressions.architectures
        if column is not None and architectures.lacks(column):
            machine = architectures.all[0]
            if column != machine.no_return_register:
                undefined = machine.undefined_registers(column)
                message = f"the return address column is {column}: {undefined}"
                checked_entry.report("unknown-register", message)
        elif column is not None and architectures.all:
            fault = return_column_fault(architectures.all[0], column)
            if fault is not None:
                checked_entry.report("return-column", fault)
            elif needs_rule(architectures.all[0], column):
                self._without_rule[cie.offset] = column
        row = Row(0, 0, initial.cfa, initial.rules)
        self._initial[cie.offset] = rules = sorted_rules(initial.rules)
        RowChecker(self.expressions.architectures, checked_entry, rules).check(row, is_fde=False)
        RulesOnCfa(self.expressions, checked_entry).check(row)
        return True

    def _fde(self, row: int) -> bool:
        """Check the FDE of a row; false where the section takes too many steps."""
        columns = self.section.fde_columns
        offset = columns.offsets[row]
        instructions = self.section.data[columns.programs[row] : offset + columns.entry_sizes[row]]
        key = columns.cies[row], instructions
        sound = self._sound.get(key)
        if sound is not None and sound.is_sound(columns.starts[row], columns.sizes[row]):
            self.expressions.count += sound.expressions
            return True
        fde = self.section.entry_at(offset)
        assert isinstance(fde, Fde)
        checked_entry = self._checked_entry(fde)
        initial, program = fde.cie.initial, checked_entry.program
        count = len(program.instructions)
        work = (1 + count) * (1 + len(initial.rules)) + count * count // 4
        work += 8 * len(initial.rules)  # each is looked through in several ways
        work = max(0, work - _USUAL_WORK * fde.size_bytes) + _OF_ENTRY + _OF_INSTRUCTION * count
        if not self._spend(work, "FDE", fde.offset):
            return False
        reported, expressions = self._reported, self.expressions.count
        self._end_of(fde, checked_entry)
        self._zeroed(fde.first_zeroed(program), checked_entry)
        table = row_table(initial, program, fde.initial_location, fde.address_range)
        self._instructions(checked_entry)
        rules = self._initial[fde.cie.offset]
        rows = RowChecker(self.expressions.architectures, checked_entry, rules)
        on_cfa = RulesOnCfa(self.expressions, checked_entry)
        for one in table.rows:
            rows.check(one, is_fde=True)
            on_cfa.check(one)
        if self._without_rule:
            self._return_column(fde, table.rows, checked_entry)
        _rows_without_cfa(table.rows, fde, checked_entry)
        if fde.address_range:
            _row_beyond_the_end(fde, checked_entry, len(table.rows))
        if table.error is not None:
            self._stopped(table.error, checked_entry)
        elif table.rows and all(one.is_empty for one in table.rows):
            self._empty(fde, checked_entry)
        if self._reported == reported:
            advance = _advance(program, table.rows)
            if advance is not None:
                expressions = self.expressions.count - expressions
                most = 1 << 8 * fde.cie.format.address_size
                self._sound[key] = _Sound(advance, expressions, most)
        return True

    def _zeroed(self, index: int | None, checked_entry: CheckedEntry) -> None:
        """Report the first of the instructions that zeros replaced; None if they replaced none."""
        if index is None or self.functions.linker_leaves_room:
            return
        message = "zeros replaced instructions: no producer pads with as many DW_CFA_nop"
        shown = checked_entry.shown(index)
        checked_entry.report("unreadable-cfi", message, shown=shown, severity="warning")

    def _end_of(self, fde: Fde, checked_entry: CheckedEntry) -> None:
        """Report code that ends beyond the address space; linkers mark what they drop by its last
        addresses."""
        last = (1 << 8 * fde.cie.format.address_size) - 1
        if fde.end > last + 1 and fde.initial_location < last - 1:
            message = f"[{fde.initial_location:#x},{fde.end:#x}) ends beyond the address space"
            checked_entry.report("inverted-range", message)

    def _return_column(self, fde: Fde, rows: Sequence[Row], checked_entry: CheckedEntry) -> None:
        """Report a return address column that cannot be meant, once for its CIE."""
        column = self._without_rule.get(fde.cie.offset)
        if column is None:
            return
        fault = lost_return_address(self.expressions.architectures.all[0], column, rows)
        if fault is not None:
            checked_entry.report("return-column", fault, severity="warning")
            del self._without_rule[fde.cie.offset]

    def _empty(self, fde: Fde, checked_entry: CheckedEntry) -> None:
        message = f"[{fde.initial_location:#x},{fde.end:#x}) has neither CFA nor register rules"
        if self.functions.is_kernel(fde.initial_location):
            checked_entry.report("empty-fde", message + _OF_KERNEL, severity="note")
        elif self.functions.has_compiler_without_rows(fde.initial_location):
            message += f", as upstream LLVM up to {LAST_WITHOUT_ROWS} writes them for AMD GPUs"
            checked_entry.report("empty-fde", message, severity="note")
        else:
            checked_entry.report("empty-fde", message)

    def _checked_entry(self, entry: Cie | Fde) -> CheckedEntry:
        cie = entry if isinstance(entry, Cie) else entry.cie
        dialect = dialect_of_entry(cie, self.forced_dialect)
        return CheckedEntry(self.section.kind, entry, dialect, self.functions, self.findings)

    # Instructions

    def _instructions(self, checked_entry: CheckedEntry) -> None:
        """Check the registers and expressions of the instructions."""
        architectures = self.expressions.architectures
        for index, instruction in enumerate(checked_entry.program.instructions):
            operation = instruction.operation
            is_checked = self._is_checked.get(operation.name)
            if is_checked is None:
                meanings = {info.kind.meaning for info in operation.operands}
                is_checked = not meanings.isdisjoint(("register", "expression"))
                self._is_checked[operation.name] = is_checked
            if not is_checked:
                continue
            for info, operand in zip(
                instruction.operation.operands, instruction.operands, strict=True
            ):
                if isinstance(operand, bytes):
                    self._expression(index, instruction, operand, checked_entry)
                elif info.kind.meaning == "register" and architectures.lacks(operand):
                    undefined = architectures.all[0].undefined_registers(operand)
                    message = f"{instruction.title}: {undefined}"
                    checked_entry.report(
                        "unknown-register", message, shown=checked_entry.shown(index)
                    )

    def _expression(
        self, index: int, instruction: CfaInstruction, data: bytes, checked_entry: CheckedEntry
    ) -> None:
        role = _ROLES.get(instruction.operation.name, CFA)
        results = results_of(role, checked_entry, self.expressions)
        checked = self.expressions.check(data, results)
        where = instruction.title
        if isinstance(instruction.operands[0], int):
            where += f" of {checked_entry.register(instruction.operands[0])}"
        for fault in () if checked is None else checked.faults:
            problem = fault.finding
            named = (
                f"{problem.operation}: {problem.message}" if problem.operation else problem.message
            )
            checked_entry.report(
                problem.rule,
                f"in {where}: {named}",
                shown=fault.shown,
                severity=problem.severity,
                section=problem.section,
            )
        known = () if checked is None else checked.results
        if role is CFA:
            self._cfa(
                index,
                instruction,
                decode(data, results.dialect, results.form),
                known,
                checked_entry,
            )
        elif role.result == "location" and self.expressions.architectures.is_complete:
            number, machines = instruction.operands[0], self.expressions.architectures.all
            assert isinstance(number, int)
            shortage = short_of_register(number, known, machines) if known else None
            if shortage is not None:
                message = f"{checked_entry.register(number)} {shortage}"
                shown = checked_entry.shown(index)
                checked_entry.report("register-size", message, shown=shown, severity="warning")

    def _cfa(
        self,
        index: int,
        instruction: CfaInstruction,
        expression: Expression,
        results: tuple[Known | None, ...],
        checked_entry: CheckedEntry,
    ) -> None:
        """Check that the result of a CFA expression is in memory (A.6.4.2.2)."""
        last, fault = gives_no_memory(expression), cfa_fault(expression.data, results)
        severity: Severity = "error"
        if last is not None:
            subject = f"the result of {last}"
        elif fault is not None:
            subject, severity = fault
        else:
            return
        message = f"{instruction.title}: {subject} is not a memory location"
        shown = checked_entry.shown(index)
        checked_entry.report("cfa-not-memory", message, shown=shown, severity=severity)

    def _stopped(self, error: DwarfGpuError, checked_entry: CheckedEntry) -> None:
        """Report why the instructions could not be executed to their end."""
        position = checked_entry.position_of()
        if not isinstance(error, Malformed | IllFormed):
            self.findings.skip(error, f"{position.section} {position.kind} at {position.offset:#x}")
            return
        site, rule, marked = error.site, "unreadable-cfi", None
        operation = None if site is None else site.operation
        if not isinstance(error, Malformed):
            rule = _BROKEN.get(operation or "", "ill-formed-cfi")
        if site is not None:
            offsets = [instruction.offset for instruction in checked_entry.program.instructions]
            marked = offsets.index(site.offset) if site.offset in offsets else len(offsets)
        message = f"{operation}: {error.message}" if operation else error.message
        section = None if site is None else site.section
        checked_entry.report(rule, message, shown=checked_entry.shown(marked), section=section)

    # FDEs against each other, and against the table of all

    def _terminator(self) -> None:
        """Report FDEs behind the entry that ends the section; where a table leads unwinders to
        them, by a warning."""
        early = self.section.early_terminator
        if early is None or self.functions.linker_leaves_room:
            return
        offset, behind = early
        searched = self.section.search is not None and self.section.search.count > 0
        severity: Severity = "warning" if searched else "error"
        message = f"an entry of length 0 ends the section before {counted(behind, 'FDE')}"
        rule, position = RULES["early-end"], FindingPosition(self.section.kind, offset, "entry")
        self.findings.add(Finding(severity, rule.name, message, rule.section, position))

    def _search_table(self) -> None:
        rule, position = RULES["search-table"], FindingPosition(eh_frame_hdr.SECTION, 0, "table")
        try:
            for message in each_search_difference(self.section):
                if self.findings.count(rule.severity, rule.name):
                    finding = Finding(rule.severity, rule.name, message, rule.section, position)
                    self.findings.keep(finding)
        except LimitExceeded as error:
            self.findings.skip(error)

    def _spans(self) -> None:
        """Report the code that FDEs describe: FDEs of the same code, and of none."""
        for fault in self.functions.span_faults(self.section):
            rule = RULES[fault.rule]
            if self.findings.count(rule.severity, rule.name):
                fde = self.section.entry_at(fault.columns.offsets[fault.row])
                assert isinstance(fde, Fde)
                position = self._checked_entry(fde).position_of
                finding = Finding(rule.severity, rule.name, fault.message, rule.section, position)
                self.findings.keep(finding)


def _rows_without_cfa(rows: tuple[Row, ...], fde: Fde, checked_entry: CheckedEntry) -> None:
    """Report a row without a CFA in an FDE that has rules, unless it is the outermost frame."""
    if all(row.is_empty for row in rows):
        return
    for row in rows:
        if row.cfa is not None:
            continue
        has_saved = any(isinstance(rule, SAVED) for rule in row.rules.values())
        if not has_saved and not _is_outermost(row, fde):
            message = f"no CFA rule at [{row.start:#x},{row.end:#x})"
            severity: Severity = "warning"
            if row.is_empty and checked_entry.functions.is_kernel(fde.initial_location):
                # LLVM's rows begin after the code that loads arguments in place of the hardware.
                message, severity = message + _OF_KERNEL, "note"
            shown = checked_entry.shown()
            checked_entry.report("lost-cfa", message, row=row, shown=shown, severity=severity)
            return


def _row_beyond_the_end(fde: Fde, checked_entry: CheckedEntry, row_count: int) -> None:
    """Report the first row that begins after the end of the FDE: its rules apply nowhere. Linkers
    that shorten a table of stubs leave rows at the end itself.

    `row_count`: the rows that cover code.
    """
    names = [instruction.operation.name for instruction in checked_entry.program.instructions]
    if sum(map(names.count, _ADVANCES)) < row_count:
        return  # a row follows the last advance
    location, format = fde.initial_location, checked_entry.program.format
    for index, instruction in enumerate(checked_entry.program.instructions):
        if instruction.operation.name not in _ADVANCES:
            continue
        arguments = instruction.arguments(format)
        moved, delta = arguments.get("location"), arguments.get("delta_bytes")
        if isinstance(moved, int):
            location = moved
        elif isinstance(delta, int):
            location += delta
        if location >> 8 * format.address_size:
            return  # reported as the end of the instructions
        if location > fde.end:
            message = (
                f"{instruction.title}: the row begins at {location:#x}, after the end of the FDE, "
                f"{fde.end:#x}"
            )
            shown = checked_entry.shown(index)
            checked_entry.report("location-order", message, shown=shown, severity="warning")
            return


def _advance(program: CfaProgram, rows: tuple[Row, ...]) -> int | None:
    """Return how many bytes the last row of a program is after the first; None if another FDE may
    have other rows by the same instructions."""
    names = [instruction.operation.name for instruction in program.instructions]
    if "set_loc" in names or sum(map(names.count, _ADVANCES)) != len(rows) - 1:
        return None
    return rows[-1].start - rows[0].start


def _is_outermost(row: Row, fde: Fde) -> bool:
    """Return whether the row says that there is no caller, so that its CFA is not needed."""
    column = fde.cie.return_register
    return column is not None and isinstance(row.rules.get(column), UndefinedRule)
