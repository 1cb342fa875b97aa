"""Check the entries of a unit: their expressions, location lists and vendor attributes.

Law: one pass over the unit; names, types and functions are looked up only for findings. A list is
checked once per unit, however many entries share it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Final, Literal

from dwarfgpu.base.records import define, field
from dwarfgpu.check.attribute_classes import class_fault
from dwarfgpu.check.attribute_values import AttributeValues
from dwarfgpu.check.attributes import (
    FUNCTIONS,
    SMALL_SIZES,
    USUAL_SIZES,
    CheckedValue,
    attribute_name,
    checked_values,
    is_without_base,
    vendor_numbers,
)
from dwarfgpu.check.call_addresses import call_fault
from dwarfgpu.check.contained_beyond import LeadingOut
from dwarfgpu.check.contained_types import ContainedTypes
from dwarfgpu.check.entry_nesting import EntryNesting
from dwarfgpu.check.entry_positions import EntryPositions, unit_position
from dwarfgpu.check.entry_references import BadReference, EntryReferences
from dwarfgpu.check.expressions import ExpressionChecker, Results, Role
from dwarfgpu.check.finding import Excerpt, Finding, FindingPosition, Findings
from dwarfgpu.check.function_facts import FunctionFacts, LackingFunction
from dwarfgpu.check.lane_descriptions import lane_faults
from dwarfgpu.check.layout import code_fault, layout_fault
from dwarfgpu.check.list_headers import ListHeaders
from dwarfgpu.check.references import References
from dwarfgpu.check.rules import RULES
from dwarfgpu.check.vendor_attributes import vendor_faults
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import FORMS, Attribute, Raw
from dwarfgpu.dwarf.list_entries import InvertedRange
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    Malformed,
    MissingContext,
    counted,
)
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.static_check.severity import Severity

_VALUES_OF_AN_ENTRY: Final = 64
"""Entries with more count as several."""
_CONSTANTS: Final = frozenset(
    {dw.FORM_DATA1, dw.FORM_DATA2, dw.FORM_DATA4, dw.FORM_DATA8, dw.FORM_UDATA, dw.FORM_SDATA}
)

_X87_VALUES: Final = frozenset({(80, 12), (80, 16)})
"""The bits of a `long double` of x86, and the bytes of its object, whose end is padding."""


@define
class _Step:
    """A value of the entries of an abbreviation to check."""

    spec: CheckedValue
    tag: int
    known: Container[Raw] = frozenset()
    """Lists that were checked, or expressions without findings: nothing is to be done for them."""
    position: int = field(init=False)
    count: int = field(init=False)
    """1 for an expression."""

    @position.default
    def _position(self) -> int:
        return self.spec.position

    @count.default
    def _count(self) -> int:
        spec = self.spec
        is_other = spec.is_reference or spec.is_high_pc or spec.is_layout or spec.is_looked_up
        return int(not (spec.is_list or spec.is_call or is_other))


@define
class EntryChecker:
    """The checks of the entries of one unit."""

    unit: CompilationUnit
    expressions: ExpressionChecker
    findings: Findings
    entries: int = field(init=False, default=0)
    leading_out: LeadingOut | None = field(init=False, default=None)
    """The types that contain types of other units, after `run`."""
    _lists: dict[tuple[int, Role], set[int]] = field(init=False, factory=dict)
    """The values of the lists that were checked, by their form and role."""
    _has_function_without_base: bool = field(init=False, default=False)
    """Whether a function with code has no DW_AT_frame_base: then no expression with DW_OP_fbreg is
    passed over."""
    _numbers: dict[int, int] = field(init=False, factory=dict)
    _has_inner_lanes: bool = field(init=False, default=False)
    """Whether an inlined call or entry point has DW_AT_LLVM_lanes."""
    _has_reported_addresses: bool = field(init=False, default=False)
    """Whether it was reported that the addresses of the unit are in another file."""
    _plans: dict[int, tuple[_Step, ...]] = field(init=False, factory=dict)
    """What to check in the entries of an abbreviation, by its code."""
    _results: dict[Role, Results] = field(init=False, factory=dict)
    _sizes: dict[int, int | None] = field(init=False, factory=dict)
    """The sizes in bytes of objects whose descriptions have one, by the index of their entry."""
    _references: References = field(init=False)
    references: EntryReferences = field(init=False)
    _positions: EntryPositions = field(init=False)
    _functions: FunctionFacts = field(init=False)
    _values: AttributeValues = field(init=False)
    _list_headers: ListHeaders = field(init=False)

    @_list_headers.default
    def _headers_of_unit(self) -> ListHeaders:
        return ListHeaders(self.unit)

    @_references.default
    def _of_unit(self) -> References:
        return References(self.unit)

    @_positions.default
    def _positions_of_unit(self) -> EntryPositions:
        return EntryPositions(self.unit)

    @_functions.default
    def _functions_of_unit(self) -> FunctionFacts:
        return FunctionFacts(self._positions)

    @_values.default
    def _values_of_unit(self) -> AttributeValues:
        return AttributeValues(self.unit)

    @references.default
    def _of_entries(self) -> EntryReferences:
        return EntryReferences(self.unit)

    def run(self) -> None:
        """Check every entry; `DwarfGpuError` where the unit cannot be read to its end."""
        unit = self.unit
        self._numbers = vendor_numbers(unit)
        plans = self._plans
        expressions = self.expressions
        start, budget = unit.header.entries_at, unit.sections.budget
        index, remaining = -1, budget.checked_entries_left
        add_offset = self.references.offsets.append
        contained = ContainedTypes(unit)
        without_types = contained.without_types
        nesting = EntryNesting(unit)
        without_either = nesting.without_either
        rows = walk(unit.data, start, unit.end, unit.abbreviations, self._end)
        try:
            for index, (offset, abbreviation, values) in enumerate(rows):
                if remaining <= 0:
                    index -= 1
                    raise LimitExceeded(
                        f"entries from offset {offset:#x} of {unit.section} on are not checked",
                        "--max-dies",
                    )
                # An abbreviation of many attributes makes as much work of each entry.
                remaining -= 1 + len(values) // _VALUES_OF_AN_ENTRY
                add_offset(offset)
                if abbreviation.code not in without_types:
                    contained.add(index, offset, abbreviation, values)
                if abbreviation.code not in without_either:
                    nesting.add(index, abbreviation, values)
                plan = plans.get(abbreviation.code)
                if plan is None:
                    plan = plans[abbreviation.code] = self._plan(index, abbreviation)
                for step in plan:
                    value = values[step.position]
                    if value in step.known:  # nearly all
                        expressions.count += step.count
                    else:
                        self._value(index, step, value)
        finally:
            self.entries, budget.checked_entries_left = index + 1, remaining
        self.refer(self.references.bad_within())
        for fault in contained.faults():
            position = partial(self._positions.position, fault.index, None)
            self._report("wrong-layout", fault.message, position, "5.7")
        self.leading_out = contained.leading_out
        for wrong in nesting.faults():
            position = partial(self._positions.position, wrong.index, None)
            self._report(wrong.rule, wrong.message, position)

    def _end(self, offset: int, unclosed: int) -> None:
        """Check the end of the entries: consumers read nothing behind the null entry that ends
        those of the unit (DWARF 5 2.3)."""
        unit = self.unit
        if unclosed:
            levels = counted(unclosed, "level")
            message = f"{levels} of children without a null entry at the end of the unit"
            self._report("unbalanced-entries", message, unit_position(unit), severity="warning")
        elif any(unit.data[offset : unit.end]):  # zeros are padding
            message = f"the entries end at offset {offset:#x}, and the unit at {unit.end:#x}"
            self._report("unbalanced-entries", message, unit_position(unit))

    def refer(self, references: Iterable[BadReference]) -> None:
        """Report references to entries."""
        for bad in references:
            position = partial(self._positions.position, bad.index, bad.attribute)
            message = f"{bad.attribute}: {bad.message}"
            self._report("dangling-reference", message, position, severity=bad.severity)

    def _plan(self, index: int, abbreviation: Abbreviation) -> tuple[_Step, ...]:
        """Return the steps for an abbreviation, and report what its first entry shows of all."""
        for attribute in abbreviation.attributes:
            problem = class_fault(attribute.name, attribute.form, self.unit.format)
            if problem is not None:
                self._report("wrong-class", problem, partial(self._positions.position, index, None))
        if not self._has_function_without_base and is_without_base(abbreviation):
            self._has_function_without_base = True
            for step in chain.from_iterable(self._plans.values()):
                if step.spec.role is not None and not step.spec.is_list:
                    step.known = frozenset()
        if abbreviation.tag == 0:
            message = f"abbreviation {abbreviation.code} has tag 0, which no entry can have"
            self._report("reserved-tag", message, partial(self._positions.position, index, None))
        if len(abbreviation.positions) < len(abbreviation.attributes):
            self._report_repeated(index, abbreviation)
        plan = checked_values(abbreviation, self.unit.format, self._numbers)
        is_inner = abbreviation.tag in FUNCTIONS and abbreviation.tag != dw.TAG_SUBPROGRAM
        if is_inner and any(spec.number == dw.AT_LLVM_LANES for spec in plan):
            self._has_inner_lanes = True
        return tuple([_Step(spec, abbreviation.tag) for spec in plan])

    def _report_repeated(self, index: int, abbreviation: Abbreviation) -> None:
        """Report attributes that the entries of an abbreviation have more than once."""
        counts = Counter(attribute.name for attribute in abbreviation.attributes)
        for number, count in counts.items():
            if count > 1:
                message = f"{attribute_name(number)} occurs {count} times in the entry"
                position = partial(self._positions.position, index, None)
                self._report("repeated-attribute", message, position)

    def _value(self, index: int, step: _Step, value: Raw) -> None:
        spec, role = step.spec, step.spec.role
        if spec.is_reference:
            assert isinstance(value, int)
            step.known = targets = self.references.targets(spec.form, spec.number, step.tag)
            if value not in targets:
                self.references.add(targets, value, index, spec.number)
            return
        if spec.is_looked_up:
            step.known = self._values.known(spec.number, spec.form)
            if value not in step.known:
                self._look_up(index, spec, value)
            return
        if spec.is_call:
            assert isinstance(value, int)
            message = call_fault(self._positions, index, spec.number, spec.form, value)
            if message is not None:
                position = partial(self._positions.position, index, spec.name)
                self._report("call-outside-function", message, position)
            return
        if spec.is_layout:
            if spec.number in (dw.AT_BYTE_SIZE, dw.AT_BIT_SIZE):
                step.known = USUAL_SIZES
            message = layout_fault(self.unit.die(index))
            if message is not None:
                self._report(
                    "wrong-layout", message, partial(self._positions.position, index, None)
                )
            return
        if spec.is_high_pc:
            if spec.form in _CONSTANTS:
                step.known = SMALL_SIZES
            message = code_fault(self.unit.die(index))
            if message is not None:
                self._report(
                    "inverted-range", message, partial(self._positions.position, index, spec.name)
                )
            return
        if spec.vendor is not None:
            position = partial(self._positions.position, index, spec.name)
            architectures = self.expressions.architectures
            for fault in vendor_faults(self.unit.die(index), spec, value, architectures):
                self._report(
                    fault.rule, fault.message, position, fault.section, severity=fault.severity
                )
        if role is None:
            return
        if spec.is_list:
            assert isinstance(value, int)
            checked = self._lists.setdefault((spec.form, role), set())
            if spec.vendor is None:
                step.known = checked
            if value not in checked:
                checked.add(value)
                self._list(index, spec, role, value)
        elif isinstance(value, bytes):
            if spec.vendor is None and not self._has_function_without_base:
                step.known = self._results_of(role).clean
            self._expression(index, spec, role, value, None)

    def _look_up(self, index: int, spec: CheckedValue, value: Raw) -> None:
        """Report a value that leads to nothing in another section."""
        fault = self._values.fault(spec.number, spec.form, value)
        if isinstance(fault, DwarfGpuError):
            if spec.number == dw.AT_RANGES and isinstance(fault, MissingContext):
                self._skip_addresses(fault)
            elif spec.number == dw.AT_RANGES:
                self.findings.skip(fault)
        elif fault is not None:
            rule, problem = fault
            message = f"{spec.name}: {problem}"
            self._report(rule, message, partial(self._positions.position, index, spec.name))

    # Expressions

    def _results_of(self, role: Role) -> Results:
        results = self._results.get(role)
        if results is None:
            results = self.expressions.of(self.unit.dialect, self.unit.format, role)
            self._results[role] = results
        return results

    def _expression(
        self, index: int, spec: CheckedValue, role: Role, data: bytes, span: Range | None
    ) -> None:
        results = self._results_of(role)
        checked = self.expressions.check(data, results)
        if self._has_function_without_base and data in results.framed:
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
            section = problem.section or RULES[problem.rule].section
            position = partial(self._positions.position, index, spec.name, span)
            self.findings.add(
                Finding(problem.severity, problem.rule, message, section, position, fault.shown)
            )
        if checked.uses_lane and not self._has_inner_lanes:
            self._lacking(spec, self._functions.lanes(index))
        if checked.piece_bits is not None and spec.number == dw.AT_LOCATION:
            self._size(index, spec, data, "pieces", checked.piece_bits, span)
        if checked.value_bits is not None and spec.number == dw.AT_LOCATION:
            self._size(index, spec, data, "value", checked.value_bits, span)
        for reference in checked.references:
            wrong = self._references.fault(reference)
            rule, severity = "bad-reference", reference.severity
            if wrong is None and reference.register is not None:
                register = self.expressions.architectures.register(reference.register)
                rule, severity = "outside-storage", "warning"
                wrong = None if register is None else self._references.shortage(reference, register)
            if wrong is not None:
                unit = self.unit
                position = partial(self._positions.position, index, spec.name, span)
                shown = partial(
                    self.expressions.shown, data, unit.dialect, unit.format, reference.offset
                )
                message = f"{reference.operation}: {wrong}"
                self._report(rule, message, position, reference.section, shown, severity)

    def _lanes(self, index: int, spec: CheckedValue, data: bytes, span: Range | None) -> None:
        architectures = self.expressions.architectures
        shown = partial(self.expressions.shown, data, self.unit.dialect, self.unit.format)
        position = partial(self._positions.position, index, spec.name, span)
        for fault in lane_faults(self.unit.die(index), spec.number, data, architectures):
            self._report(fault.rule, fault.message, position, None, shown, fault.severity)

    def _lacking(self, spec: CheckedValue, functions: Iterable[LackingFunction]) -> None:
        for one in functions:
            attribute = None if one.rule == "lanes-missing" else spec.name
            position = partial(self._positions.position, one.index, attribute)
            self._report(one.rule, one.message, position)

    def _size(
        self,
        index: int,
        spec: CheckedValue,
        data: bytes,
        noun: Literal["pieces", "value"],
        size_bits: int,
        span: Range | None,
    ) -> None:
        """Compare the size of what an expression describes with that of the object."""
        if index not in self._sizes:
            self._sizes[index] = self._size_of_object(index)
        size = self._sizes[index]
        if size is None or 8 * size == size_bits:
            return
        if (size_bits, size) in _X87_VALUES and (noun == "value" or self._is_one_piece(data)):
            return
        is_short = size_bits < 8 * size
        if noun == "pieces":
            rule = "pieces-short-of-type" if is_short else "pieces-exceed-type"
        else:
            rule = "value-short-of-type" if is_short else "value-exceeds-type"
        message = f"{noun} of {size_bits} bits, and the object has {8 * size}"
        shown = partial(self.expressions.shown, data, self.unit.dialect, self.unit.format)
        position = partial(self._positions.position, index, spec.name, span)
        self._report(rule, message, position, shown=shown)

    def _is_one_piece(self, data: bytes) -> bool:
        steps = decode(data, self.unit.dialect, self.unit.format).instructions
        return sum(step.operation.title == "DW_OP_piece" for step in steps) == 1

    def _size_of_object(self, index: int) -> int | None:
        """Return the size in bytes of the object of an entry; None for an entry of no object, and
        if unknown."""
        die = self.unit.die(index)
        try:
            return types_of(self.unit).size_of_object(die) if die.tag in DATA else None
        except DwarfGpuError:
            return None

    # Location lists

    def _list(self, index: int, spec: CheckedValue, role: Role, value: int) -> None:
        attribute = Attribute(spec.form, FORMS[spec.form][0], value)
        entries = unplaced = None
        try:
            if self._list_headers.have_other_addresses(attribute, self._report_size):
                return
            try:
                entries = self.unit.lists.locations_of(attribute).entries
            except MissingContext as error:  # the addresses of a split unit are in another file
                if not self.unit.is_split:
                    raise
                unplaced = self.unit.lists.unplaced_expressions(attribute)
                self._skip_addresses(error)
        except (IllFormed, Malformed) as error:
            headers, is_other = self._list_headers, isinstance(error, IllFormed)
            if is_other and headers.have_other_addresses(attribute, self._report_size, again=True):
                return
            rule = "unreadable-list" if isinstance(error, Malformed) else "ill-formed-list"
            if isinstance(error, InvertedRange):
                rule = "inverted-range"
            self._report(
                rule, str(error.message), partial(self._positions.position, index, spec.name)
            )
            return
        except DwarfGpuError as error:  # no fault of the file's
            self.findings.skip(error)
            return
        if entries is None:
            for expression in unplaced or ():
                self._expression(index, spec, role, expression, None)
            return
        ranges, clean = self._positions.code(index), self._results_of(role).clean if entries else ()
        first, last = ranges[0] if len(ranges) == 1 else (1, 0)
        bias = self.unit.sections.program.load_address  # also of what a machine has loaded
        for expression, begin, end, _ in entries:
            span, is_clean = None, expression in clean
            if begin is not None and end is not None:
                is_within = first <= begin - bias <= end - bias <= last
                if not (is_within and is_clean):
                    span = Range(begin - bias, end - bias)
                    if not is_within:
                        self._within(index, spec, span, ranges)
            if is_clean and not self._has_function_without_base and spec.vendor is None:
                self.expressions.count += 1
            else:
                self._expression(index, spec, role, expression, span)

    def _report_size(self, message: str) -> None:
        self._report("address-size", message, unit_position(self.unit))

    def _skip_addresses(self, error: MissingContext) -> None:
        """Report once that the addresses of the unit are in another file, which is unknown."""
        if not self._has_reported_addresses:
            self._has_reported_addresses = True
            self.findings.skip(error, "ranges of lists")

    def _within(
        self, index: int, spec: CheckedValue, span: Range, ranges: tuple[Range, ...]
    ) -> None:
        if not ranges:
            return
        code = ranges[bisect_right(ranges, span.begin, key=itemgetter(0)) - 1]
        if code.begin <= span.begin and span.end <= code.end:
            return
        listed = " ".join(f"[{r.begin:#x},{r.end:#x})" for r in ranges[:4])
        message = (
            f"[{span.begin:#x},{span.end:#x}) is not within the code of the function, {listed}"
        )
        size_bytes = span.end - span.begin
        if 1 << 31 <= size_bytes < 1 << 32:
            # GCC computes lengths in .debug_loc.dwo as END-BEGIN-1 where BEGIN is LABEL-1.
            message += f"; its length is {size_bytes - (1 << 32)} as a signed number"
        position = partial(self._positions.position, index, spec.name, span)
        self._report("range-outside-function", message, position)

    def _report(
        self,
        rule: str,
        message: str,
        position: FindingPosition | Callable[[], FindingPosition],
        section: str | None = None,
        shown: Callable[[], Excerpt] | None = None,
        severity: Severity | None = None,
    ) -> None:
        rule_severity = RULES[rule]
        severity, section = severity or rule_severity.severity, section or rule_severity.section
        self.findings.add(Finding(severity, rule, message, section, position, shown))
