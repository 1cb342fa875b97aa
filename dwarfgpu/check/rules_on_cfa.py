"""Check the rules of rows that use the CFA of the row: what they make of it (A.6.4.1, A.6.4.2.3).

Law: only what fails wherever the CFA is, as far as that is known, is a fault.
"""

from __future__ import annotations

from functools import reduce
from typing import Final, TypeAlias

from dwarfgpu.base.records import define, field
from dwarfgpu.cfi.rule import (
    CfaRule,
    ExpressionRule,
    RegisterCfa,
    Row,
    ValExpressionRule,
    ValOffsetRule,
)
from dwarfgpu.check.checked_entry import CheckedEntry
from dwarfgpu.check.expressions import ExpressionChecker, Fault, Results, Role
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.static_check.abstract_value import (
    ADDRESS,
    GENERIC,
    OTHER_LOCATION,
    Known,
)
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory

CFA: Final = Role("location", 0, is_cfi=True)
EXPRESSION: Final = Role("location", 1, is_cfi=True)
VAL_EXPRESSION: Final = Role("value", 1, is_cfi=True)
"""The roles of expressions of rules: the CFA is on the stack (A.6.4.1)."""
_Using: TypeAlias = ValOffsetRule | ExpressionRule | ValExpressionRule
_DEFAULT: Final = Known(ADDRESS, space=0)


def results_of(role: Role, checked_entry: CheckedEntry, expressions: ExpressionChecker) -> Results:
    """Return what was found about expressions of a role in entries like this one."""
    format = checked_entry.program.format
    form = UnitFormat(format.address_size, 4, 5, format.endian)
    return expressions.of(checked_entry.dialect, form, role)


@define
class RulesOnCfa:
    """The rules of one entry that use the CFA."""

    expressions: ExpressionChecker
    checked_entry: CheckedEntry
    _using: dict[int, list[tuple[int, _Using]]] = field(init=False, factory=dict)
    """Those rules of each set of rules, by its identity."""
    _reported: set[int] = field(init=False, factory=set)
    """The registers whose rules have faults."""

    def check(self, row: Row) -> None:
        """Check the rules of a row; each register has findings once."""
        if row.cfa is None:
            return
        using = self._using.get(id(row.rules))
        if using is None:
            using = [(n, rule) for n, rule in row.rules.items() if isinstance(rule, _Using)]
            self._using[id(row.rules)] = using
        if not using:
            return
        cfa = self._known(row.cfa)
        if cfa is None:
            return
        for number, rule in using:
            if number in self._reported:
                continue
            if isinstance(rule, ValOffsetRule):
                self._val_offset(number, cfa, row)
            else:
                self._expression(number, rule, cfa, row)

    def _known(self, cfa: CfaRule) -> Known | None:
        """Return what is known of a CFA: its kind, and its address space; None if nothing is."""
        if isinstance(cfa, RegisterCfa):
            architecture = self.expressions.architectures.architecture
            if architecture is None or cfa.address_space not in architecture.address_spaces:
                return None
            kinds = OTHER_LOCATION if cfa.address_space else ADDRESS
            return Known(kinds, space=cfa.address_space)
        checked = results_of(CFA, self.checked_entry, self.expressions).checked_expressions
        known = checked.get(cfa.expression)
        results = () if known is None else known.results
        if not results or None in results:
            return None
        of_all = [_of_result(result) for result in results if result is not None]
        joined = reduce(Known.joined, of_all)
        return joined if joined.kinds in (ADDRESS, OTHER_LOCATION) else None

    def _val_offset(self, number: int, cfa: Known, row: Row) -> None:
        """Report a register that has not the size of an address of the CFA (A.6.4.1)."""
        architecture = self.expressions.architectures.architecture
        if architecture is None or cfa.space is None:
            return
        space = architecture.address_spaces.get(cfa.space)
        own = self.expressions.architectures.register(number)
        if space is None or own is None or own.size_bits == space.address_bits:
            return
        message = (
            f"{self.checked_entry.register(number)} has {own.size_bits} bits, and its rule gives "
            f"an address of {space.address_bits} bits"
        )
        self._reported.add(number)
        shown = self.checked_entry.shown_rule(number, row)
        self.checked_entry.report("register-size", message, row=row, shown=shown)

    def _expression(
        self, number: int, rule: ExpressionRule | ValExpressionRule, cfa: Known, row: Row
    ) -> None:
        """Report an expression that cannot use the CFA that is on its stack."""
        role = EXPRESSION if isinstance(rule, ExpressionRule) else VAL_EXPRESSION
        results = results_of(role, self.checked_entry, self.expressions)
        for fault in self.expressions.check_cfa(rule.expression, results, cfa):
            self._reported.add(number)
            self._report(number, fault, cfa, row)

    def _report(self, number: int, fault: Fault, cfa: Known, row: Row) -> None:
        problem = fault.finding
        architecture = self.expressions.architectures.architecture
        space = None
        if architecture is not None and cfa.space is not None:
            space = architecture.address_spaces.get(cfa.space)
        where = "" if space is None else f", with the CFA in {space}"
        operation = f"{problem.operation}: " if problem.operation else ""
        self.checked_entry.report(
            problem.rule,
            f"in the rule of {self.checked_entry.register(number)}{where}: "
            f"{operation}{problem.message}",
            row=row,
            shown=fault.shown,
            severity=problem.severity,
            section=problem.section,
        )


def _of_result(result: Known) -> Known:
    """Return the kind and the address space of the place that is the result of an expression."""
    if result.in_top_frame:
        return Known()
    if not result.kinds & ~(GENERIC | ADDRESS):
        return _DEFAULT  # a value converts to an address there
    if result.kinds != OTHER_LOCATION or not isinstance(result.entry, Location):
        return Known(result.kinds, space=result.space)
    storage = result.entry.single_locations[0].storage
    if not isinstance(storage, Memory):
        return Known()  # that is reported
    return Known(OTHER_LOCATION, space=storage.space.number)
