"""The expressions of the entries of one unit: what is found about each, what it needs of its
function, and the size of its object.

Law: names, types and functions are looked up only for findings.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Literal

from dwarfgpu.base.records import define, field
from dwarfgpu.check.attributes import CheckedValue
from dwarfgpu.check.expressions import ExpressionChecker, Results, Role
from dwarfgpu.check.function_facts import FunctionFacts, LackingFunction
from dwarfgpu.check.lane_descriptions import lane_faults
from dwarfgpu.check.layout import lacks_padding
from dwarfgpu.check.unit_findings import UnitFindings
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.expression_references import References
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.scope.variable import variable_of
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.upstream_clang import unplaced


@define(eq=False)
class UnitExpressions:
    """The checks of the expressions of one unit."""

    unit: CompilationUnit
    expressions: ExpressionChecker
    findings: UnitFindings
    has_function_without_base: bool = field(init=False, default=False)
    """Whether a function with code has no DW_AT_frame_base: then no expression with DW_OP_fbreg is
    passed over."""
    has_inner_lanes: bool = field(init=False, default=False)
    """Whether an inlined call or entry point has DW_AT_LLVM_lanes."""
    _results: dict[Role, Results] = field(init=False, factory=dict)
    _sizes: dict[int, int | None] = field(init=False, factory=dict)
    """The sizes in bytes of objects whose descriptions have one, by the index of their entry."""
    _references: References = field(init=False)
    _functions: FunctionFacts = field(init=False)

    @_references.default
    def _of_unit(self) -> References:
        return References(self.unit)

    @_functions.default
    def _functions_of_unit(self) -> FunctionFacts:
        return FunctionFacts(self.findings.positions)

    def results_of(self, role: Role) -> Results:
        """Return what was found about the expressions of a role."""
        results = self._results.get(role)
        if results is None:
            results = self.expressions.of(self.unit.dialect, self.unit.format, role)
            self._results[role] = results
        return results

    def check(
        self, index: int, spec: CheckedValue, role: Role, data: bytes, span: Range | None
    ) -> None:
        """Check the expression of an attribute, or of an entry of its list for a range."""
        results = self.results_of(role)
        checked = self.expressions.check(data, results)
        if self.has_function_without_base and data in results.framed:
            self._lacking(spec, self._functions.frame_base(index))
        if spec.vendor is not None:
            self._lanes(index, spec, data, span)
        if checked is None:
            return
        faults = checked.faults
        base_types = self._references.base_types(checked.references)
        if base_types:
            faults += self.expressions.check_types(data, results, checked, base_types)
        for fault in faults:
            problem = fault.finding
            message = (
                f"{problem.operation}: {problem.message}" if problem.operation else problem.message
            )
            self.findings.report(
                problem.rule,
                message,
                index,
                spec.name,
                span,
                section=problem.section or None,
                shown=fault.shown,
                severity=problem.severity,
            )
        if checked.uses_lane and not self.has_inner_lanes:
            self._lacking(spec, self._functions.lanes(index))
        if checked.may_be_in_lds and spec.number == dw.AT_LOCATION:
            self._in_lds(index, spec, data, span)
        if checked.piece_bits is not None and spec.number == dw.AT_LOCATION:
            self._size(index, spec, data, "pieces", checked.piece_bits, span)
        if checked.value_bits is not None and spec.number == dw.AT_LOCATION:
            self._size(index, spec, data, "value", checked.value_bits, span)
        if checked.generic_bits is not None and spec.number == dw.AT_LOCATION:
            size = self._size_of(index)
            if size is not None and checked.generic_bits < 8 * size:
                self._size(index, spec, data, "value", checked.generic_bits, span)
        if checked.rest_bits is not None and spec.number == dw.AT_LOCATION:
            size = self._size_of(index)
            if size is not None and checked.rest_bits < 8 * size:
                self._size(index, spec, data, "rest", checked.rest_bits, span)
        if checked.register_bits is not None and spec.number == dw.AT_LOCATION:
            self._register(index, spec, data, checked.register_bits, span)
        for reference in checked.references:
            wrong = self._references.fault(reference)
            rule, severity = "bad-reference", reference.severity
            if wrong is None and reference.register is not None:
                register = self.expressions.architectures.register(reference.register)
                rule, severity = "outside-storage", "warning"
                wrong = None if register is None else self._references.shortage(reference, register)
            if wrong is not None:
                unit = self.unit
                shown = partial(
                    self.expressions.shown, data, unit.dialect, unit.format, reference.offset
                )
                self.findings.report(
                    rule,
                    f"{reference.operation}: {wrong}",
                    index,
                    spec.name,
                    span,
                    section=reference.section,
                    shown=shown,
                    severity=severity,
                )

    def _lanes(self, index: int, spec: CheckedValue, data: bytes, span: Range | None) -> None:
        architectures = self.expressions.architectures
        shown = partial(self.expressions.shown, data, self.unit.dialect, self.unit.format)
        for fault in lane_faults(self.unit.die(index), spec.number, data, architectures):
            rule, message, severity = fault.rule, fault.message, fault.severity
            self.findings.report(
                rule, message, index, spec.name, span, shown=shown, severity=severity
            )

    def _in_lds(self, index: int, spec: CheckedValue, data: bytes, span: Range | None) -> None:
        """Report the location of a variable in LDS that may be that of another one."""
        from dwarfgpu.dwarf.lds_layout import is_unplaced  # few files have variables in LDS

        try:
            variable = variable_of(self.unit.die(index))
            if variable is None or not is_unplaced(variable, data):
                return
        except DwarfGpuError as error:
            self.findings.skip(error)
            return
        shown = partial(self.expressions.shown, data, self.unit.dialect, self.unit.format)
        message = unplaced(variable.name)
        self.findings.report("upstream-lds-offset", message, index, spec.name, span, shown=shown)

    def _lacking(self, spec: CheckedValue, functions: Iterable[LackingFunction]) -> None:
        for one in functions:
            attribute = None if one.rule == "lanes-missing" else spec.name
            self.findings.report(one.rule, one.message, one.index, attribute, severity=one.severity)

    def _size(
        self,
        index: int,
        spec: CheckedValue,
        data: bytes,
        noun: Literal["pieces", "value", "rest"],
        size_bits: int,
        span: Range | None,
    ) -> None:
        """Compare the size of what an expression describes with that of the object."""
        size = self._size_of(index)
        if size is None or 8 * size == size_bits:
            return
        if (noun != "pieces" or self._is_one_piece(data)) and lacks_padding(
            self.unit.die(index), size_bits
        ):
            return
        is_short = size_bits < 8 * size
        if noun == "pieces":
            rule = "pieces-short-of-type" if is_short else "pieces-exceed-type"
        else:
            rule = "value-short-of-type" if is_short else "value-exceeds-type"
        described = "the offset leaves" if noun == "rest" else f"{noun} of"
        message = f"{described} {size_bits} bits, and the object has {8 * size}"
        shown = partial(self.expressions.shown, data, self.unit.dialect, self.unit.format)
        self.findings.report(rule, message, index, spec.name, span, shown=shown)

    def _register(
        self, index: int, spec: CheckedValue, data: bytes, size_bits: int, span: Range | None
    ) -> None:
        """Report a register of a GPU that has fewer bits than the object it holds."""
        size = self._size_of(index)
        if size is not None and size_bits < 8 * size:
            message = f"the register has {size_bits} bits, and the object {8 * size}"
            shown = partial(self.expressions.shown, data, self.unit.dialect, self.unit.format)
            self.findings.report(
                "outside-storage",
                message,
                index,
                spec.name,
                span,
                section="A.2.5.4.4.4",
                shown=shown,
                severity="warning",
            )

    def _is_one_piece(self, data: bytes) -> bool:
        steps = decode(data, self.unit.dialect, self.unit.format).instructions
        return sum(step.operation.title == "DW_OP_piece" for step in steps) == 1

    def _size_of(self, index: int) -> int | None:
        """Return the size in bytes of the object of an entry; None for an entry of no object, and
        if unknown."""
        if index not in self._sizes:
            die = self.unit.die(index)
            try:
                size = types_of(self.unit).size_of_object(die) if die.tag in DATA else None
            except DwarfGpuError:
                size = None
            self._sizes[index] = size
        return self._sizes[index]
