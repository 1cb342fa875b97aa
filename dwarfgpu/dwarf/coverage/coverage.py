"""Find where in their scopes variables are described, and where not (DWARF 5 2.6.2, 2.17,
3.3.8, 3.5, 4.1; AMD text A.2.5.5).

Law: a variable is measured over the code of its declaring scope only, from the file alone.
Addresses are as loaded. What cannot be read is kept as its error.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, common, merged, size_bytes, without
from dwarfgpu.dwarf.coverage.failing_references import certain_references
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.sections import Program
from dwarfgpu.dwarf.types.type_sizes import padding_bits, size_bits
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, counted
from dwarfgpu.expr.context import (
    ConstValue,
    ExprLoc,
    LocationAttribute,
    LocList,
    Unit,
    UnitFormat,
)
from dwarfgpu.expr.decode import CACHED_BYTES
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.operation_budget import AnalysisBudget
from dwarfgpu.expr.static_check.abstract_value import BaseTypes
from dwarfgpu.expr.static_check.extent import (
    DESCRIBED,
    Extent,
    depends_on_types,
    extent_of,
    frame_base_use,
)
from dwarfgpu.objfile.file_bytes import OfOpenFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.expression_references import Reference, References

_LEAST_WORK: Final = 2 << 20
_WORK_PER_BYTE: Final = 8
_ENTRY_WORK: Final = 16
_WHOLE: Final = frozenset({"whole"})
_IN_PART: Final = DESCRIBED - _WHOLE
_MAX_KEPT: Final = 1 << 16
"""Maximum number of distinct expressions whose extent is kept."""
_LONGEST_BYTES: Final = 1 << 18
"""Maximum size of an expression to analyze; compilers write a few dozen bytes."""


@frozen(eq=False, slots=False)
class CodeScope:
    """A scope with code: a subprogram, an inlined call, or a block."""

    die: Die
    parent: CodeScope | None = field(repr=False)
    """The scope around it; None for a subprogram."""
    ranges: tuple[Range, ...]
    """Its code, in order; empty if the compiler removed all of it."""
    name: str
    """The name of the function; empty for a block."""
    qualified_name: str
    """The name, qualified with those of the enclosing namespaces and types."""
    call_line: int | None = None
    """The line of the call that is inlined here."""

    @property
    def functions(self) -> tuple[CodeScope, ...]:
        """The subprogram and the calls inlined into one another down to here."""
        if self.parent is None:  # a tuple in its attributes would refer to itself: no cycle
            return (self,) if self.die.abbreviation.tag in FUNCTIONS else ()
        return self._functions

    @cached_property
    def _functions(self) -> tuple[CodeScope, ...]:
        out: list[CodeScope] = []
        code_scope: CodeScope | None = self
        outer: tuple[CodeScope, ...] = ()
        while code_scope is not None:
            if "_functions" in code_scope.__dict__:
                outer = code_scope._functions
                break
            if code_scope.die.abbreviation.tag in FUNCTIONS:
                out.append(code_scope)
            code_scope = code_scope.parent
        return (*outer, *reversed(out))

    @property
    def framed(self) -> CodeScope | None:
        """The innermost function around its code that describes a frame base (A.3.3.5); None if
        none does."""
        return self._around[1]

    @property
    def subprogram(self) -> CodeScope | None:
        """The first of `functions`; None if there are none."""
        return self._around[0]

    @cached_property
    def _around(self) -> tuple[CodeScope | None, CodeScope | None]:
        """The outermost function, and the innermost one with a frame base: scopes may be nested
        deeper than Python calls, and a list of functions for each takes the square of that."""
        inside: list[CodeScope] = []
        code_scope: CodeScope | None = self
        around: tuple[CodeScope | None, CodeScope | None] = None, None
        while code_scope is not None:
            if "_around" in code_scope.__dict__:
                around = code_scope._around
                break
            inside.append(code_scope)
            code_scope = code_scope.parent
        for code_scope in reversed(inside):
            abbreviation = code_scope.die.abbreviation
            if abbreviation.tag in FUNCTIONS:
                has_base = dw.AT_FRAME_BASE in abbreviation.positions
                around = around[0] or code_scope, code_scope if has_base else around[1]
            if code_scope.parent is not None:
                code_scope.__dict__["_around"] = around
        return around

    @cached_property
    def size_bytes(self) -> int:
        return size_bytes(self.ranges)


class Description(NamedTuple):
    """One description of where a variable is."""

    bounds: Range | None
    """None: wherever no entry with bounds applies."""
    source: ExprLoc | ConstValue
    extent: Extent

    @property
    def is_described(self) -> bool:
        """Whether it describes, or may describe, at least a part of the variable."""
        return self.extent.is_described


@frozen(eq=False)
class Coverage(OfOpenFile):
    """A variable of one scope, and its descriptions there."""

    variable: Variable
    code_scope: CodeScope | None = field(repr=False)
    """None for a global variable: it has no code to measure over."""
    location: LocationAttribute | None = field(default=None, repr=False)
    extents: tuple[Extent, ...] = ()
    """How much of the variable each description of the location describes."""
    complete: tuple[Range, ...] = ()
    """Code of the scope where all of the variable is described."""
    described: tuple[Range, ...] = ()
    """The same, including where parts of it are, or may be, described."""
    outside: tuple[Range, ...] = ()
    """Code beyond the scope for which there are descriptions."""
    problem: DwarfGpuError | None = None
    """Why there are none."""

    @property
    def descriptions(self) -> tuple[Description, ...]:
        """The descriptions of the location, in the order of the file."""
        location = self.location
        if location is None:
            return ()
        if not isinstance(location, LocList):
            return tuple(Description(None, location, extent) for extent in self.extents)
        return tuple(
            Description(bounds, ExprLoc(entry.expression, location.unit), extent)
            for bounds, entry, extent in zip(
                _bounds(location), location.entries, self.extents, strict=True
            )
        )

    @property
    def scope(self) -> tuple[Range, ...]:
        """The code of the scope, as loaded; empty for a global variable."""
        return () if self.code_scope is None else self.code_scope.ranges

    @property
    def scope_bytes(self) -> int:
        """The bytes of `scope`."""
        return 0 if self.code_scope is None else self.code_scope.size_bytes

    @property
    def described_bytes(self) -> int:
        """The bytes of `described`."""
        return size_bytes(self.described)

    @property
    def complete_bytes(self) -> int:
        """The bytes of `complete`."""
        return size_bytes(self.complete)

    @property
    def holes(self) -> tuple[Range, ...]:
        """Code of the scope that describes no part of the variable."""
        return without(self.scope, self.described)

    @property
    def is_described(self) -> bool:
        """Whether any part of it is described anywhere."""
        return any(extent.is_described for extent in self.extents)


@define(eq=False)
class Extents:
    """What expressions describe, each distinct one of units that read it alike judged once.

    Law: an extent depends on nothing but the expression, the unit's dialect, its format and its
    machine, and on what the references of the expression lead to; the size of an object on nothing
    but the entry of its type.
    """

    budget: AnalysisBudget | None = None
    """Of the file; None if there is no bound on all of its expressions together."""
    _unit: Unit | None = None
    """The last unit that asked."""
    _program: Program | None = None
    """Of the unit; None if it is unknown."""
    _machines: tuple[Architecture | None, Architecture | None] = None, None
    """That of the code, and the one that it may be for too; None if that is unknown."""
    _reading: tuple[Dialect, UnitFormat, Program | None] | None = None
    _kept: dict[bytes, Extent] = field(factory=dict)
    """Of expressions without references."""
    _referring: dict[bytes, tuple[Extent, tuple[Reference, ...]]] = field(factory=dict)
    """The extents of expressions whose references lead to something, and these."""
    _typed: dict[bytes, Extent] = field(factory=dict)
    """The extents of expressions with base types of the unit."""
    _references: References | None = None
    """Of the unit, once they are asked for."""
    _of_objects: dict[tuple[bytes, int | None], Extent] = field(factory=dict)
    """Of objects of a size in bits."""
    _framed: CodeScope | None = None
    """The function whose frame base was asked for last."""
    _frame_fault: str | None = None
    _types_unit: Unit | None = None
    """The unit of the types whose size was asked for last."""
    _type_bits: dict[int, int | None] = field(factory=dict)
    """The size in bits of objects of its types, by the offset of their entries; None if unknown."""

    def of_unit(self, unit: Unit) -> dict[bytes, Extent]:
        """Return the extents that are known of the expressions of a unit."""
        if unit is not self._unit or len(self._kept) > _MAX_KEPT:
            self._follow(unit)
        return self._kept

    def of(self, expression: bytes, unit: Unit) -> Extent:
        """Return the extent of an expression; `LimitExceeded` for a very long one, and for many
        long ones."""
        extent = self.of_unit(unit).get(expression)
        if extent is not None:
            return extent
        extent, references = self._referring.get(expression, (None, ()))
        if extent is None:
            if len(expression) > _LONGEST_BYTES:
                raise LimitExceeded(
                    f"an expression of {counted(len(expression), 'byte')}: more than "
                    f"{_LONGEST_BYTES}; no option raises it"
                )
            if self.budget is not None:
                self.budget.spend(expression)
            extent = self._judged(expression, unit)
            if extent.is_described:
                references = certain_references(expression, unit.dialect, unit.format)
            if len(expression) <= CACHED_BYTES:
                if not references:
                    self._kept[expression] = extent
                elif len(self._referring) < _MAX_KEPT:
                    self._referring[expression] = extent, references
        return self._followed(expression, extent, references, unit) if references else extent

    def _followed(
        self, expression: bytes, extent: Extent, references: Sequence[Reference], unit: Unit
    ) -> Extent:
        """Return an extent, or that of an expression that fails, as a reference leads nowhere or
        operands have two types."""
        if not isinstance(unit, CompilationUnit):
            return extent
        if self._references is None:
            from dwarfgpu.dwarf.expression_references import References  # few expressions have any

            self._references = References(unit)
        for reference in references:
            fault = self._references.fault(reference)
            if fault is not None:
                reason = f"{reference.operation} at offset {reference.offset:#x}: {fault}"
                return Extent("broken", reason=reason)
        if not depends_on_types(expression, unit.dialect, unit.format):
            return extent
        typed = self._typed.get(expression)
        if typed is None:
            types = self._references.base_types(references)
            typed = self._typed[expression] = (
                self._judged(expression, unit, types) if types else extent
            )
        return typed

    def _judged(self, expression: bytes, unit: Unit, base_types: BaseTypes | None = None) -> Extent:
        """Return the extent under the architecture that knows all registers of the expression."""
        dialect, form = unit.dialect, unit.format
        arch, other = self._machines
        extent = extent_of(expression, dialect, form, arch, base_types)
        if extent.completeness != "broken" or other is None:
            return extent
        again = extent_of(expression, dialect, form, other, base_types)
        return extent if again.completeness == "broken" else again

    def _follow(self, unit: Unit) -> None:
        """Keep what holds in a unit too."""
        self._references = None
        self._typed = {}
        program = unit.sections.program if isinstance(unit, CompilationUnit) else None
        if program is not self._program:
            self._program, self._machines = program, _machines_of(program)
        reading = unit.dialect, unit.format, self._program
        if reading != self._reading or len(self._kept) > _MAX_KEPT:
            self._kept.clear()
            self._referring.clear()
            self._of_objects.clear()
        self._unit, self._reading = unit, reading

    def of_object(self, expression: bytes, extent: Extent, bits: int | None) -> Extent:
        """Return the extent of an expression for an object of a size."""
        if expression not in self._kept:
            return extent.of_object(bits)
        of_object = self._of_objects.get((expression, bits))
        if of_object is None:
            of_object = self._of_objects[expression, bits] = extent.of_object(bits)
        return of_object

    def frame_base_fault(self, function: CodeScope) -> str | None:
        """Return why every evaluation of the frame base of a function fails; None if one may
        succeed, and for a location list."""
        if function is not self._framed:
            self._framed, self._frame_fault = function, self._fault_of_base(function)
        return self._frame_fault

    def _fault_of_base(self, function: CodeScope) -> str | None:
        try:
            base = Subprogram(function.die).frame_base
            if not isinstance(base, ExprLoc):
                return None
            extent = self.of(base.expression, function.die.unit)
        except DwarfGpuError:  # the evaluation that needs it reports why
            return None
        unit = function.die.unit
        named = f"DW_AT_frame_base of {function.name}"
        if extent.completeness == "broken":
            return f"{named}: {extent.reason}"
        if frame_base_use(base.expression, unit.dialect, unit.format) is not None:
            return f"{named} is computed from the frame base"
        if extent.completeness == "nothing" or extent.size_bits is not None:
            return f"{named} gives neither a register nor a memory location"  # A.3.3.5
        return None

    def object_bits(self, variable: Variable) -> int | None:
        """Return the size in bits of the object of a variable without the padding at its end, as
        `long double` has it; None if it is unknown."""
        origins = variable.origins
        try:
            for die in variable.die.origins() if origins is None else (variable.die, *origins):
                attribute = die.attribute(dw.AT_TYPE)
                if attribute is not None:
                    break
            else:
                return None
        except DwarfGpuError:
            return None
        offset = attribute.raw
        if attribute.kind != "unit_reference" or not isinstance(offset, int):
            return _object_bits(variable)
        if die.unit is not self._types_unit:
            self._types_unit = die.unit
            self._type_bits.clear()
        if offset not in self._type_bits:
            self._type_bits[offset] = _object_bits(variable)
        return self._type_bits[offset]


def _machines_of(program: Program | None) -> tuple[Architecture | None, Architecture | None]:
    try:
        own = None if program is None else program.architecture
        if program is None or own is None:
            return None, None
        return own, program.other_architecture
    except DwarfGpuError:  # the symbols that have the wave size cannot be read
        return None, None


@define
class Allowance:
    """Remaining work: entries that share long lists would let a small file ask for endless work."""

    remaining: int
    _extents: Extents = field(factory=Extents)

    @classmethod
    def of(cls, info: DebugInfo) -> Allowance:
        """Return an allowance far above what compilers need."""
        extents = Extents(AnalysisBudget(info.object.limits))
        return cls(_LEAST_WORK + _WORK_PER_BYTE * info.object.size_bytes, extents)

    def is_undescribed(self, variable: Variable, code_scope: CodeScope | None) -> bool:
        """Return whether it is known without reading that nothing describes a variable: then this
        was the work. False too if the work is used up."""
        if self.remaining < 0 or not variable.is_known_without_location:
            return False
        self.remaining -= _ENTRY_WORK * (1 if code_scope is None else 1 + len(code_scope.ranges))
        return True

    def coverage_of(self, variable: Variable, code_scope: CodeScope | None) -> Coverage:
        """Return the coverage of a variable; its problem is `LimitExceeded` if the work is used
        up."""
        if self.is_undescribed(variable, code_scope):
            return Coverage(variable, code_scope)
        return self.read_coverage(variable, code_scope)

    def read_coverage(self, variable: Variable, code_scope: CodeScope | None) -> Coverage:
        """Return the same of a variable that is not known to be in no location."""
        if self.remaining < 0:
            error = LimitExceeded("many variables share very long lists: the rest is not examined")
            return Coverage(variable, code_scope, problem=error)
        work = 1 if code_scope is None else 1 + len(code_scope.ranges)
        coverage = coverage_of(variable, code_scope, self._extents)
        location = coverage.location
        if location is not None:
            work += len(coverage.extents)
            if isinstance(location, LocList):
                self.remaining -= sum([len(entry[0]) for entry in location.entries])
            elif isinstance(location, ExprLoc):
                self.remaining -= len(location.expression)
        self.remaining -= _ENTRY_WORK * work
        return coverage


@names_wrong_arguments
def coverage_of(
    variable: Variable, code_scope: CodeScope | None, extents: Extents | None = None
) -> Coverage:
    """Return the coverage of a variable in a scope; never raises.

    `extents`: what is known of the expressions of variables before this one.
    """
    try:
        location = variable.read_location()
        if location is None:
            return Coverage(variable, code_scope)
        extents = extents or Extents()
        measured, is_whole = _extents(variable, location, extents)
        function = None if code_scope is None else code_scope.subprogram
        fault = None
        if code_scope is not None and function is not None:
            framed = code_scope.framed
            fault = f"{function.name} has no DW_AT_frame_base"
            if framed is not None:
                fault = extents.frame_base_fault(framed)
        if function is not None and fault is not None:
            measured = _without_frame_base(location, measured, function, fault)
            is_whole = all(extent.completeness == "whole" for extent in measured)
    except DwarfGpuError as error:
        # Each of many variables may have one: what its frames hold is many times its size.
        return Coverage(variable, code_scope, problem=error.with_traceback(None))
    scope = () if code_scope is None else code_scope.ranges
    bounded = listed_code(location.entries) if isinstance(location, LocList) else None
    if bounded is not None and is_whole:  # nearly always
        inside = complete = described = common(bounded, scope)
    else:
        bounds = _bounds(location) if isinstance(location, LocList) else [None]
        if bounded is None:
            bounded = merged([span for span in bounds if span is not None])
        inside = common(bounded, scope)
        complete = described = _where(DESCRIBED, measured, bounds, scope, bounded)
        if not is_whole and any(extent.completeness in _IN_PART for extent in measured):
            complete = _where(_WHOLE, measured, bounds, scope, bounded)
    outside = () if code_scope is None or inside == bounded else without(bounded, scope)
    return Coverage(variable, code_scope, location, measured, complete, described, outside)


def listed_code(entries: Sequence[LocationListEntry]) -> tuple[Range, ...] | None:
    """Return the code that the entries of a list cover, merged; None if one has no bounds."""
    new = tuple.__new__  # half of the time of the class
    out: list[Range] = []
    first = last = -1
    for _, begin, end, _ in entries:
        if begin is None or end is None:
            return None
        if begin > last:
            if last >= 0:
                out.append(new(Range, (first, last)))
            first, last = begin, end
        elif begin < first:  # they are not in order
            if any(entry.begin is None for entry in entries):
                return None
            return merged([new(Range, (begin, end)) for _, begin, end, _ in entries])
        elif end > last:
            last = end
    if last >= 0:
        out.append(new(Range, (first, last)))
    return tuple(out)


def _bounds(location: LocList) -> list[Range | None]:
    """Return the bounds of each entry; None for the default."""
    new = tuple.__new__  # half of the time of the class
    return [
        None if begin is None else new(Range, (begin, end)) for _, begin, end, _ in location.entries
    ]


def _where(
    kinds: Container[str],
    extents: Sequence[Extent],
    bounds: Sequence[Range | None],
    scope: tuple[Range, ...],
    bounded: tuple[Range, ...],
) -> tuple[Range, ...]:
    """Return the code of a scope with a description of some kinds of completeness."""
    fitting = [
        span for span, extent in zip(bounds, extents, strict=True) if extent.completeness in kinds
    ]
    spans = common(merged([span for span in fitting if span is not None]), scope)
    if None in fitting:  # the default, where no entry has bounds that apply: A.2.5.5
        spans = merged((*spans, *without(scope, bounded)))
    return spans


def _extents(
    variable: Variable, location: LocationAttribute, extents: Extents
) -> tuple[tuple[Extent, ...], bool]:
    """Return the extent of each description of a variable, and whether all are of the whole of
    it."""
    match location:
        case ConstValue():
            return (Extent("whole"),), True
        case ExprLoc(expression, unit):
            extent = extents.of(expression, unit)
            if extent.size_bits is not None:
                extent = extent.of_object(extents.object_bits(variable))
            return (extent,), extent.completeness == "whole"
    unit = location.unit
    out: list[Extent] = []
    bits: int | None = None
    is_sized, is_whole = False, True
    unit_extents = extents.of_unit(unit)
    for expression, _, _, _ in location.entries:  # several times as many as there are variables
        extent = unit_extents.get(expression) or extents.of(expression, unit)
        if extent.size_bits is not None:
            if not is_sized:
                bits, is_sized = extents.object_bits(variable), True
            extent = extents.of_object(expression, extent, bits)
        if extent.completeness != "whole":
            is_whole = False
        out.append(extent)
    if variable.unit.language == dw.LANG_GO:
        from dwarfgpu.dwarf.coverage.go_extents import in_words  # few programs are of Go

        measured = in_words(variable, location, out)
        return measured, all(extent.completeness == "whole" for extent in measured)
    return tuple(out), is_whole


def _without_frame_base(
    location: LocationAttribute, measured: tuple[Extent, ...], function: CodeScope, fault: str
) -> tuple[Extent, ...]:
    """Return the extents in a function that has no DW_AT_frame_base, or one that fails: every
    evaluation of DW_OP_fbreg fails there (A.2.5.4.4.3), except in kernels of upstream clang."""
    if isinstance(location, ConstValue):
        return measured
    if isinstance(location, ExprLoc):
        expressions = [location.expression]
    else:
        expressions = [entry.expression for entry in location.entries]
    unit, out = location.unit, list[Extent]()
    for expression, extent in zip(expressions, measured, strict=True):
        operation = frame_base_use(expression, unit.dialect, unit.format)
        if operation is not None and extent.is_described:
            if Subprogram(function.die).starts_private_memory:
                return measured
            reason = f"DW_OP_fbreg at offset {operation.offset:#x}: {fault}"
            extent = Extent("broken", reason=reason)
        out.append(extent)
    return tuple(out)


def _object_bits(variable: Variable) -> int | None:
    """Return the size in bits of an object without the padding at its end; None if unknown."""
    try:
        kind = variable.type
        bits = size_bits(kind)
        return None if bits is None else bits - padding_bits(kind)
    except DwarfGpuError:  # the caller that shows the type reports its error
        return None
