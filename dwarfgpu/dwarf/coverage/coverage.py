"""Where variables are described in the code of their scopes, and where not (DWARF 5 2.6.2, 2.17,
3.3.8, 3.5, 4.1; AMD text A.2.5.5).

Law: a variable is measured over the code of its declaring scope only, from the file alone.
Addresses are as loaded. What cannot be read is kept as its error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import field

from dwarfgpu.base.light_attrs import define, frozen
from dwarfgpu.dwarf.address_ranges import Range, common, merged, size_bytes, without
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import size_bits
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocationAttribute
from dwarfgpu.expr.static_check.extent import Extent, extent_of

_LEAST_WORK: Final = 2 << 20
_WORK_PER_BYTE: Final = 8
_ENTRY_WORK: Final = 16
_LONGEST_BYTES: Final = 1 << 18
"""Maximum size of an expression to analyze; compilers write a few dozen bytes."""


@frozen(eq=False)
class CodeScope:
    """A scope with code: a subprogram, an inlined call, or a block."""

    die: Die
    around: CodeScope | None = field(repr=False)
    """The scope around it; None for a subprogram."""
    spans: tuple[Range, ...]
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
        out: list[CodeScope] = []
        place: CodeScope | None = self
        while place is not None:
            if place.die.tag in FUNCTIONS:
                out.append(place)
            place = place.around
        return tuple(reversed(out))

    @property
    def size_bytes(self) -> int:
        return size_bytes(self.spans)


@frozen
class Description:
    """One description of where a variable is."""

    bounds: Range | None
    """None: wherever no entry with bounds applies."""
    source: ExprLoc | ConstValue
    extent: Extent

    @property
    def is_described(self) -> bool:
        """Whether it describes, or may describe, at least a part of the variable."""
        return self.extent.completeness in ("whole", "partly", "depends")


@frozen(eq=False)
class Coverage:
    """A variable of one scope, and its descriptions there."""

    variable: Variable
    place: CodeScope | None = field(repr=False)
    """None for a global variable: it has no code to measure over."""
    descriptions: tuple[Description, ...] = ()
    complete: tuple[Range, ...] = ()
    """Code of the scope where all of the variable is described."""
    described: tuple[Range, ...] = ()
    """The same, including where parts of it are, or may be, described."""
    outside: tuple[Range, ...] = ()
    """Code beyond the scope for which there are descriptions."""
    problem: DwarfGpuError | None = None
    """Why there are none."""

    @property
    def scope(self) -> tuple[Range, ...]:
        return () if self.place is None else self.place.spans

    @property
    def scope_bytes(self) -> int:
        return size_bytes(self.scope)

    @property
    def described_bytes(self) -> int:
        return size_bytes(self.described)

    @property
    def complete_bytes(self) -> int:
        return size_bytes(self.complete)

    @property
    def holes(self) -> tuple[Range, ...]:
        """Code of the scope that describes no part of the variable."""
        return without(self.scope, self.described)

    @property
    def is_described(self) -> bool:
        """Whether any part of it is described anywhere."""
        return any(description.is_described for description in self.descriptions)


@define
class Allowance:
    """Remaining work: entries that share long lists would let a small file ask for endless work."""

    left: int

    @classmethod
    def of(cls, info: DebugInfo) -> Allowance:
        """Far above what compilers need."""
        return cls(_LEAST_WORK + _WORK_PER_BYTE * info.object.size_bytes)

    def coverage_of(self, variable: Variable, place: CodeScope | None) -> Coverage:
        """Return the coverage of a variable; its problem is `LimitExceeded` if the work is used
        up."""
        if self.left < 0:
            error = LimitExceeded("many variables share very long lists: the rest is not examined")
            return Coverage(variable, place, problem=error)
        coverage = coverage_of(variable, place)
        self.left -= _ENTRY_WORK * (1 + len(coverage.scope) + len(coverage.descriptions))
        for description in coverage.descriptions:
            if isinstance(description.source, ExprLoc):
                self.left -= len(description.source.expression)
        return coverage


def coverage_of(variable: Variable, place: CodeScope | None) -> Coverage:
    """Return the coverage of a variable in a scope; never raises."""
    try:
        descriptions = tuple(_descriptions(variable, variable.location))
    except DwarfGpuError as error:
        return Coverage(variable, place, problem=error)
    scope = () if place is None else place.spans
    bounded = merged(
        description.bounds for description in descriptions if description.bounds is not None
    )
    described = _where(descriptions, {"whole", "partly", "depends"}, scope, bounded)
    complete = described
    if any(
        description.extent.completeness in ("partly", "depends") for description in descriptions
    ):
        complete = _where(descriptions, {"whole"}, scope, bounded)
    outside = () if place is None else without(bounded, scope)
    return Coverage(variable, place, descriptions, complete, described, outside)


def _where(
    descriptions: tuple[Description, ...],
    completeness: set[str],
    scope: tuple[Range, ...],
    bounded: tuple[Range, ...],
) -> tuple[Range, ...]:
    """Return the code of a scope with a description that satisfies a condition."""
    fitting = [
        description.bounds
        for description in descriptions
        if description.extent.completeness in completeness
    ]
    spans = common(merged(bounds for bounds in fitting if bounds is not None), scope)
    if None in fitting:  # the default, where no entry has bounds that apply: A.2.5.5
        spans = merged((*spans, *without(scope, bounded)))
    return spans


def _descriptions(variable: Variable, location: LocationAttribute | None) -> Iterator[Description]:
    match location:
        case None:
            return
        case ConstValue():
            yield Description(None, location, Extent("whole"))
        case ExprLoc():
            yield Description(None, location, _extent(variable, location))
        case _:
            for entry in location.entries:
                source = ExprLoc(entry.expression, location.unit)
                bounds = None
                if entry.begin is not None and entry.end is not None:
                    bounds = Range(entry.begin, entry.end)
                yield Description(bounds, source, _extent(variable, source))


def _extent(variable: Variable, source: ExprLoc) -> Extent:
    if len(source.expression) > _LONGEST_BYTES:
        raise LimitExceeded(f"an expression of {len(source.expression)} bytes")
    extent = extent_of(source.expression, source.unit.dialect, source.unit.format)
    return extent if extent.size_bits is None else extent.of_object(_object_bits(variable))


def _object_bits(variable: Variable) -> int | None:
    try:
        return size_bits(variable.type)
    except DwarfGpuError:  # the caller that shows the type reports its error
        return None
