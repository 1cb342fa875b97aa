"""Check the entries of a unit: which of their values are checked, and in which way.

Law: one pass over the unit. A list is checked once per unit, however many entries share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import define, field
from dwarfgpu.check.attribute_classes import class_fault, form_fault
from dwarfgpu.check.attribute_values import SUPPLEMENTARY_STRINGS, AttributeValues
from dwarfgpu.check.attributes import (
    CONSTANTS,
    FUNCTIONS,
    SMALL_NUMBERS,
    SMALL_SIZES,
    USUAL_ENCODINGS,
    USUAL_SIZES,
    CheckedValue,
    attribute_name,
    checked_values,
    has_vendor_number,
    is_without_base,
    vendor_numbers,
)
from dwarfgpu.check.call_addresses import call_fault
from dwarfgpu.check.check_budgets import EntryBudget
from dwarfgpu.check.contained_beyond import LeadingOut
from dwarfgpu.check.contained_types import ContainedTypes
from dwarfgpu.check.entry_nesting import EntryNesting
from dwarfgpu.check.entry_positions import EntryPositions
from dwarfgpu.check.entry_references import FORMS_BEYOND, BadReference, EntryReferences
from dwarfgpu.check.expressions import ExpressionChecker, Role
from dwarfgpu.check.finding import Findings
from dwarfgpu.check.layout import code_fault, constant_fault, layout_fault
from dwarfgpu.check.listed_locations import LocationLists
from dwarfgpu.check.needed_attributes import is_without_types, missing_attribute
from dwarfgpu.check.unit_expressions import UnitExpressions
from dwarfgpu.check.unit_findings import UnitFindings
from dwarfgpu.check.vendor_attributes import vendor_faults
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.entry_tree import lost_entries
from dwarfgpu.dwarf.forms import Raw, read_uleb
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.types.types import MAX_CHAIN
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    MissingContext,
    counted,
)
from dwarfgpu.expr.static_check.severity import Severity

_WITHOUT_MEANING: Final = frozenset({0x06, 0x07, 0x09, 0x0C, 0x0E, 0x14, 0x3E})
"""Tags among those of DWARF 5 that it does not assign (table 7.3)."""
_MOST_SHAPES: Final = 4_096
_VALUES_OF_AN_ENTRY: Final = 64
"""Entries with more count as several."""
_OF_UNIT: Final = 8
"""Entries that a unit counts as, without its own."""
_OF_ENTRIES: Final = 100
"""Entries that a unit counts as which has others than its own: they are compared with it."""
_OF_CONTENTS: Final = 2
"""Entries that one counts for which types, code or a sibling are kept: they take as much memory."""
_OF_TARGET: Final = 3
"""Entries that one counts for each entry of another unit to which it refers first in its unit."""
_OF_CODE: Final = 6
"""Entries that one counts whose bounds of code are compared."""
_OF_LIST: Final = 14
"""Entries that one counts for each list that it refers to and that is read."""
_OF_ABBREVIATION: Final = 10
"""Entries that one counts, and each of its values, where it is the first one with such forms of the
values, which are written before them."""
_OF_LAYOUT: Final = 20
"""Entries that one counts whose layout, or constant, is compared with its type."""


@define
class _Step:
    """A value of the entries of an abbreviation to check."""

    spec: CheckedValue
    tag: int
    position: int
    count: int
    """1 for an expression."""
    work: int
    """For how many entries a value counts that is not known."""
    size: int | None = None
    """The position of the size of a base type that no other value can make wrong."""
    known: Container[Raw] = frozenset()
    """Lists that were checked, or expressions without findings: nothing is to be done for them."""
    targets: dict[int, int] | None = None
    """Those of the references so far, from the first one on."""


def _steps(values: Iterable[CheckedValue], tag: int) -> tuple[_Step, ...]:
    return tuple(
        [
            _Step(
                spec,
                tag,
                spec.position,
                spec.is_expression,
                _work_of(spec),
                spec.size_position if tag == dw.TAG_BASE_TYPE else None,
                frozenset()
                if spec.size_position is None or tag == dw.TAG_BASE_TYPE
                else USUAL_SIZES,
            )
            for spec in values
        ]
    )


def _work_of(spec: CheckedValue) -> int:
    if spec.is_layout:
        return _OF_LAYOUT
    if spec.is_high_pc:
        return _OF_CODE
    if spec.is_reference:
        return _OF_TARGET if spec.form in FORMS_BEYOND else 0
    return _OF_LIST if spec.is_list or spec.number == dw.AT_RANGES else 0


_Shape: TypeAlias = tuple[Abbreviation, Mapping[int, int] | None, tuple[CheckedValue, ...]]
"""An abbreviation, the numbers of vendor attributes in its unit, None if it has no such attribute,
and what is checked."""


@define(eq=False)
class UsualShapes:
    """What is checked in the entries of abbreviations that show no fault themselves: most units of
    a file declare some that others declare too."""

    _shapes: dict[int, _Shape] = field(init=False, factory=dict)
    """By the identity of the abbreviation."""

    def of(
        self, abbreviation: Abbreviation, numbers: Callable[[], Mapping[int, int]]
    ) -> tuple[CheckedValue, ...] | None:
        """Return what was added for an abbreviation. `numbers`: what returns those of vendor
        attributes in the unit."""
        known = self._shapes.get(id(abbreviation))
        if known is None or not (known[1] is None or known[1] == numbers()):
            return None
        return known[2]

    def add(
        self,
        abbreviation: Abbreviation,
        numbers: Mapping[int, int],
        values: tuple[CheckedValue, ...],
    ) -> None:
        """Keep what is checked in the entries of an abbreviation."""
        if len(self._shapes) == _MOST_SHAPES:
            self._shapes.clear()
        own = numbers if has_vendor_number(abbreviation) else None
        self._shapes[id(abbreviation)] = abbreviation, own, values


@define
class EntryChecker:
    """The checks of the entries of one unit."""

    unit: CompilationUnit
    expressions: ExpressionChecker
    findings: Findings
    shapes: UsualShapes
    budget: EntryBudget
    entries: int = field(init=False, default=0)
    leading_out: LeadingOut | None = field(init=False, default=None)
    """The types that contain types of other units, after `run`."""
    missing_strings: DwarfGpuError | None = field(init=False, default=None)
    """Why strings of a supplementary file were not looked up, after `run`."""
    _lists: dict[tuple[int, Role], set[int]] = field(init=False, factory=dict)
    """The values of the lists that were checked, by their form and role."""
    _plans: dict[Abbreviation, tuple[_Step, ...]] = field(init=False, factory=dict)
    """What to check in the entries of an abbreviation."""
    references: EntryReferences = field(init=False)

    @references.default
    def _references_of_unit(self) -> EntryReferences:
        return EntryReferences(self.unit)

    # A file may have 200,000 units, most of them without anything that these are needed for.

    @cached_property
    def _findings(self) -> UnitFindings:
        return UnitFindings(EntryPositions(self.unit), self.findings)

    @cached_property
    def _of_entries(self) -> UnitExpressions:
        return UnitExpressions(self.unit, self.expressions, self._findings)

    @cached_property
    def _location_lists(self) -> LocationLists:
        return LocationLists(self._of_entries)

    @cached_property
    def _values(self) -> AttributeValues:
        return AttributeValues(self.unit)

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        """The numbers of vendor attributes."""
        return vendor_numbers(self.unit)

    def _is_dropped(self, index: int) -> bool:
        return self._findings.positions.is_dropped(index)

    def run(self) -> None:
        """Check every entry; `DwarfGpuError` where the unit cannot be read to its end."""
        unit = self.unit
        plans = self._plans
        expressions = self.expressions
        start, budget = unit.header.entries_at, self.budget
        index, remaining = -1, budget.entries_left
        add_offset = self.references.offsets.append
        contained = ContainedTypes(unit)
        without_types = contained.without_types
        nesting = EntryNesting(unit, self._is_dropped)
        without_either = nesting.without_either
        more = budget.work + _OF_UNIT
        declared = unit.abbreviations
        rows = walk(unit.data, start, unit.end, declared, self._end)
        try:
            for index, (offset, abbreviation, values) in enumerate(rows):
                if remaining <= 0:
                    index -= 1
                    budget.is_spent = True
                    raise LimitExceeded(
                        f"entries from offset {offset:#x} of {unit.section} on, and line tables of "
                        "later units, are not checked",
                        "--max-dies",
                    )
                # An abbreviation of many attributes makes as much work of each entry.
                remaining -= 1 + len(values) // _VALUES_OF_AN_ENTRY
                add_offset(offset)
                if abbreviation not in without_types:
                    contained.add(index, offset, abbreviation, values)
                    more += _OF_CONTENTS
                if abbreviation not in without_either:
                    nesting.add(index, abbreviation, values)
                    more += _OF_CONTENTS
                plan = plans.get(abbreviation)
                if plan is None:
                    plan = plans[abbreviation] = self._plan(index, abbreviation)
                    if declared[abbreviation.code] is not abbreviation:
                        more += _OF_ABBREVIATION * (1 + len(values))
                for step in plan:
                    value = values[step.position]
                    if value in step.known:  # nearly all
                        expressions.count += step.count
                    elif step.size is None or not (
                        value in USUAL_ENCODINGS and values[step.size] in USUAL_SIZES
                    ):
                        self._value(index, step, value, values)
                        more += step.work
                if more > index >> 1:
                    remaining -= more - (index >> 1)
                    more = index >> 1
        finally:
            if index > 0:
                more += _OF_ENTRIES
            self.entries, budget.entries_left = index + 1, remaining
            budget.work = more - (index + 1 >> 1)
        if unit.unknown_values:
            for of_entry in unit.unknown_values.values():
                for problem in of_entry.values():
                    self._findings.skip(problem)
        self.refer(self.references.bad_within())
        unread = contained.unread_chain() if index >= MAX_CHAIN else None
        if unread is not None:
            self._findings.skip(unread)
        for fault in contained.faults():
            self._findings.report("wrong-layout", fault.message, fault.index, section="5.7")
        self.leading_out = contained.leading_out
        for wrong in nesting.faults():
            self._findings.report(wrong.rule, wrong.message, wrong.entry)

    def _end(self, offset: int, unclosed: int) -> None:
        """Check the end of the entries: consumers read nothing behind the null entry that ends
        those of the unit (DWARF 5 2.3)."""
        unit = self.unit
        if unclosed:
            levels = counted(unclosed, "level")
            message = f"{levels} of children without a null entry at the end of the unit"
            self._findings.report("unbalanced-entries", message, None, severity="warning")
            return
        problem = lost_entries(unit.data, offset, unit.end, unit.sections.object)
        if problem is not None:
            self._findings.report("unbalanced-entries", problem, None)

    def refer(self, references: Iterable[BadReference]) -> None:
        """Report references to entries."""
        for bad in references:
            message = f"{bad.attribute}: {bad.message}"
            self._findings.report(
                "dangling-reference", message, bad.index, bad.attribute, severity=bad.severity
            )

    def refer_beyond(self, references: Iterable[BadReference]) -> None:
        """Report references to entries of other units; `LimitExceeded` where there are too many."""
        self.refer(map(self._counted, references))

    def _counted(self, reference: BadReference) -> BadReference:
        budget, unit = self.budget, self.unit
        budget.bad_references_left -= 1
        if budget.bad_references_left < 0:
            raise LimitExceeded(
                f"references to other units from the unit at offset {unit.offset:#x} of "
                f"{unit.section} on are not all checked",
                "--max-dies",
            )
        return reference

    def _plan(self, index: int, abbreviation: Abbreviation) -> tuple[_Step, ...]:
        """Return the steps for an abbreviation, and report what its first entry shows of all."""
        usual = self.shapes.of(abbreviation, lambda: self._numbers)
        if usual is not None:
            return _steps(usual, abbreviation.tag)
        faults = [*self._faults(abbreviation)]
        for rule, message, severity in faults:
            self._findings.report(rule, message, index, severity=severity)
        names = abbreviation.positions
        has_two = (
            dw.AT_LOCATION in names and dw.AT_CONST_VALUE in names and abbreviation.tag in DATA
        )
        if has_two:
            message = "both DW_AT_location and DW_AT_const_value say what the value is"
            self._findings.report("repeated-attribute", message, index, section="4.1")
        missing = missing_attribute(abbreviation)
        is_variable = abbreviation.tag == dw.TAG_VARIABLE
        if missing is not None and not (is_variable and is_without_types(self.unit)):
            message, section = missing
            self._findings.report("missing-attribute", message, index, section=section)
        is_usual = not (faults or has_two or missing or is_without_base(abbreviation))
        if not self._of_entries.has_function_without_base and is_without_base(abbreviation):
            self._of_entries.has_function_without_base = True
            for step in chain.from_iterable(self._plans.values()):
                if step.spec.role is not None and not step.spec.is_list:
                    step.known = frozenset()
        plan = checked_values(abbreviation, self.unit.format, self._numbers)
        is_inner = abbreviation.tag in FUNCTIONS and abbreviation.tag != dw.TAG_SUBPROGRAM
        if is_inner and any(spec.number == dw.AT_LLVM_LANES for spec in plan):
            self._of_entries.has_inner_lanes = True
        elif is_usual:
            self.shapes.add(abbreviation, self._numbers, plan)
        return _steps(plan, abbreviation.tag)

    def _faults(self, abbreviation: Abbreviation) -> Iterator[tuple[str, str, Severity | None]]:
        """Yield what an abbreviation alone shows: a rule, what is wrong, and how severe it is, None
        for that of the rule."""
        for attribute in abbreviation.attributes:
            problem = class_fault(attribute.name, attribute.form, self.unit.format)
            if problem is not None:
                yield "wrong-class", problem, None
            problem = form_fault(attribute.form, self.unit.format)
            if problem is not None:
                yield "newer-form", f"{attribute_name(attribute.name)} has {problem}", None
        if abbreviation.tag == 0:
            message = f"abbreviation {abbreviation.code} has tag 0, which no entry can have"
            yield "reserved-tag", message, None
        elif abbreviation.tag in _WITHOUT_MEANING:
            message = (
                f"abbreviation {abbreviation.code} has tag {abbreviation.tag:#x}, which is no "
                "vendor's, and which DWARF does not define"
            )
            yield "reserved-tag", message, "warning"
        if len(abbreviation.positions) < len(abbreviation.attributes):
            counts = Counter(attribute.name for attribute in abbreviation.attributes)
            for number, count in counts.items():
                if count > 1:
                    message = f"{attribute_name(number)} occurs {count} times in the entry"
                    yield "repeated-attribute", message, None

    def _value(self, index: int, step: _Step, value: Raw, values: Sequence[Raw]) -> None:
        spec, role = step.spec, step.spec.role
        unknown = self.unit.unknown_values
        if unknown and spec.number in unknown.get(self.references.offsets[index], ()):
            return
        if spec.is_reference:
            assert isinstance(value, int)
            targets = step.targets
            if targets is None:
                targets = self.references.targets(spec.form, spec.number, step.tag)
                step.known = step.targets = targets
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
            message = call_fault(self._findings.positions, index, spec.number, spec.form, value)
            if message is not None:
                is_entry = spec.number == dw.AT_ENTRY_PC
                rule = "range-outside-function" if is_entry else "call-outside-function"
                self._findings.report(rule, message, index, spec.name)
            return
        if spec.is_layout and spec.number == dw.AT_CONST_VALUE:
            if step.tag not in DATA:
                step.known = SMALL_NUMBERS
            constant = constant_fault(self.unit.die(index))
            if constant is not None:
                rule, message = constant
                self._findings.report(rule, message, index, section="4.1")
            return
        if spec.is_layout:
            if spec.number in (dw.AT_BYTE_SIZE, dw.AT_BIT_SIZE):
                step.known = USUAL_SIZES
            message = layout_fault(self.unit.die(index))
            if message is not None:
                self._findings.report("wrong-layout", message, index)
            return
        if spec.is_high_pc:
            if spec.form in CONSTANTS:
                step.known = SMALL_SIZES
            message = code_fault(self._entry(index) if index else self.unit.root)
            if message is not None:
                self._findings.report("inverted-range", message, index, spec.name)
            return
        if spec.vendor is not None:
            architectures = self.expressions.architectures
            for fault in vendor_faults(self.unit.die(index), spec, value, architectures):
                self._findings.report(
                    fault.rule,
                    fault.message,
                    index,
                    spec.name,
                    section=fault.section,
                    severity=fault.severity,
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
                views = None if spec.views_position is None else values[spec.views_position]
                self._location_lists.check(index, spec, role, value, views)
        elif isinstance(value, bytes):
            if spec.vendor is None and not self._of_entries.has_function_without_base:
                step.known = self._of_entries.results_of(role).clean
            self._of_entries.check(index, spec, role, value, None)

    def _entry(self, index: int) -> Die:
        """Return an entry that was read, without the tree of the unit, which few checks need."""
        unit, offset = self.unit, self.references.offsets[index]
        code, values_at = read_uleb(unit.data, offset, unit.end)
        return Die(unit, offset, unit.abbreviations[code], values_at)

    def _look_up(self, index: int, spec: CheckedValue, value: Raw) -> None:
        """Report a value that leads to nothing in another section."""
        fault = self._values.fault(spec.number, spec.form, value)
        if isinstance(fault, DwarfGpuError):
            if spec.number == dw.AT_RANGES and isinstance(fault, MissingContext):
                self._findings.skip_addresses(fault)
            elif spec.number == dw.AT_RANGES:
                self._findings.skip(fault)
            elif spec.form in SUPPLEMENTARY_STRINGS:
                self.missing_strings = fault
        elif fault is not None:
            rule, problem = fault
            if rule == "ill-formed-list" and self._is_dropped(index):
                return  # both parts of a function that a linker dropped are at 0
            message = f"{spec.name}: {problem}"
            self._findings.report(rule, message, index, spec.name)
