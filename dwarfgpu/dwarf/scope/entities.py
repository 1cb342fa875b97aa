"""Subprograms and variables, as plain facts (DWARF 5 chapters 3 and 4.1; AMD text A.3.3.5, A.4.1).

Law: program locations go in and come out as loaded. Values are not this module's concern: a
variable whose location list does not cover the location is found, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal

from attrs import field

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.line_table import SourceFile
from dwarfgpu.dwarf.lists import Range, merged
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, InconsistentContext, MissingContext
from dwarfgpu.expr.check.extent import extent_of
from dwarfgpu.expr.context import ExprLoc, LocationAttribute, LocList

VariableKind = Literal["local", "parameter", "global"]

BLOCKS: Final = frozenset(
    {
        dw.TAG_LEXICAL_BLOCK,
        dw.TAG_INLINED_SUBROUTINE,
        dw.TAG_WITH_STMT,
        dw.TAG_CATCH_BLOCK,
        dw.TAG_TRY_BLOCK,
    }
)
FUNCTIONS: Final = frozenset({dw.TAG_SUBPROGRAM, dw.TAG_INLINED_SUBROUTINE})
DATA: Final = frozenset({dw.TAG_VARIABLE, dw.TAG_FORMAL_PARAMETER, dw.TAG_CONSTANT})
UNKNOWN_NAME: Final = "<name in a supplementary file>"
"""Name of a variable whose name is in a missing file."""
CLASSES: Final = frozenset({dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_UNION_TYPE})
TEMPLATE_PARAMETERS: Final = frozenset(
    {dw.TAG_TEMPLATE_TYPE_PARAMETER, dw.TAG_TEMPLATE_VALUE_PARAMETER}
)
CONTAINERS: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_MODULE})
_MOST_SHOWN: Final = 16
"""Ranges that one message names."""


@frozen
class Subprogram:
    """A function with code: a subprogram, an inlined call of one, or an entry point of one."""

    die: Die

    @property
    def unit(self) -> CompilationUnit:
        return self.die.unit

    @property
    def name(self) -> str:
        return name_of(self.die) or f"subprogram {self.die.offset:#x}"

    @property
    def frame_base(self) -> ExprLoc | LocList | None:
        """DW_AT_frame_base (A.3.3.5)."""
        return self.unit.location_of(self.die, dw.AT_FRAME_BASE)

    @property
    def return_address(self) -> ExprLoc | LocList | None:
        """DW_AT_return_addr (A.3.3.5)."""
        return self.unit.location_of(self.die, dw.AT_RETURN_ADDR)

    @property
    def static_link(self) -> ExprLoc | LocList | None:
        """DW_AT_static_link (A.3.3.5)."""
        return self.unit.location_of(self.die, dw.AT_STATIC_LINK)

    @property
    def lanes(self) -> int | None:
        """DW_AT_LLVM_lanes; None if it is absent. `IllFormed` unless it is positive."""
        for holder in self.die.origins():
            for number in holder.llvm_numbers(dw.AT_LLVM_LANES):
                lanes = holder.integer(number)
                if lanes is None:
                    raise IllFormed(f"DW_AT_LLVM_lanes of {self.name} is not an integer constant")
                if lanes <= 0:
                    raise IllFormed(f"DW_AT_LLVM_lanes of {self.name} is {lanes}")
                return lanes
        return None

    @property
    def lane_pc(self) -> ExprLoc | LocList | None:
        """DW_AT_LLVM_lane_pc (A.3.3.5)."""
        return self._expression(dw.AT_LLVM_LANE_PC)

    @property
    def active_lane(self) -> ExprLoc | LocList | None:
        """DW_AT_LLVM_active_lane (A.3.3.5)."""
        return self._expression(dw.AT_LLVM_ACTIVE_LANE)

    @property
    def iterations(self) -> int | ExprLoc | LocList | None:
        """DW_AT_LLVM_iterations (A.3.3.5). `IllFormed` for a constant that is not above 0."""
        for number in self.die.llvm_numbers(dw.AT_LLVM_ITERATIONS):
            constant = self.die.integer(number)
            if constant is None:
                return self.unit.location_of(self.die, number)
            if constant <= 0:
                raise IllFormed(f"DW_AT_LLVM_iterations of {self.name} is {constant}")
            return constant
        return None

    def _expression(self, name: int) -> ExprLoc | LocList | None:
        for number in self.die.llvm_numbers(name):
            return self.unit.location_of(self.die, number)
        return None

    @property
    def ranges(self) -> tuple[Range, ...]:
        """Its code, as loaded."""
        return _loaded(self.unit, code_ranges(self.die))


@frozen(slots=False)
class Variable:
    """A variable, parameter or named constant that is in scope somewhere.

    Its type and location are read once: the file does not change.
    """

    name: str
    die: Die = field(repr=False)
    kind: VariableKind
    inline_level: int = 0
    """0 for the innermost function at the location, inlined or not; 1 for its caller …"""
    is_shadowed: bool = False
    """Another one of the same name is nearer."""
    note: str | None = None
    """Why this one was taken, where the debug information alone does not say it."""

    @property
    def unit(self) -> CompilationUnit:
        return self.die.unit

    @cached_property
    def type(self) -> Type | None:
        return types_of(self.unit).type_of(self.die)

    @cached_property
    def type_text(self) -> str | None:
        """The type in its language's spelling; None if there is none."""
        kind = self.type
        unit = self.unit
        if kind is None:
            return None
        return type_name(kind, cplusplus=unit.is_cplusplus, style=unit.style)

    @property
    def readable_type_text(self) -> str | None:
        """`type_text`; None too for a type that cannot be read: the value reports that."""
        try:
            return self.type_text
        except DwarfGpuError:
            return None

    @property
    def decl_line(self) -> int | None:
        return decl_line(self.die)

    @property
    def memory_space(self) -> int | None:
        """DW_AT_LLVM_memory_space (A.4.1)."""
        for holder in self.die.origins():
            space = holder.llvm_integer(dw.AT_LLVM_MEMORY_SPACE)
            if space is not None:
                return space
        return None

    @cached_property
    def location(self) -> LocationAttribute | None:
        """DW_AT_location, else DW_AT_const_value, of the entry or its origins."""
        for holder in self.die.origins():
            location = holder.unit.location_attribute(holder)
            if location is not None:
                return location
        return None

    @property
    def is_external(self) -> bool:
        """Whether other files can mean it (DWARF 5 4.1, DW_AT_external)."""
        return any(holder.flag(dw.AT_EXTERNAL) for holder in self.die.origins())

    @cached_property
    def described(self) -> tuple[Range, ...] | None:
        """Where its location list describes it, as loaded; None if no list limits it."""
        location = self.location
        if not isinstance(location, LocList):
            return () if location is None else None
        out: list[Range] = []
        for entry in location.entries:
            if entry.begin is None or entry.end is None:
                return None
            out.append(Range(entry.begin, entry.end))
        return merged(out)

    def why_not(self, pc: int) -> str | None:
        """Return why the variable is not described at a program location; None if it is."""
        described = self.described
        if described is None or any(span.covers(pc) for span in described):
            return None
        if not described and self.location is not None:
            return (
                f"{self.name} is declared here, but its location list has no range that holds any "
                "code: it is optimized out"
            )
        if not described:
            return f"{self.name} is declared here but no location is given: it is optimized out"
        cached = self._somewhere
        spans = " ".join(f"[{span.begin:#x},{span.end:#x})" for span in cached[:_MOST_SHOWN])
        where = f"at {spans}" if cached else "nowhere"
        hidden = len(cached) - _MOST_SHOWN
        more = f" and {hidden} more ranges" if hidden > 0 else ""
        return f"{self.name} is optimized out at this pc; described {where}{more}"

    @cached_property
    def _somewhere(self) -> tuple[Range, ...]:
        """The same as `described` without entries that say that the variable is nowhere."""
        location = self.location
        assert isinstance(location, LocList)
        unit = location.unit
        return merged(
            Range(entry.begin, entry.end)
            for entry in location.entries
            if entry.begin is not None
            and entry.end is not None
            and extent_of(entry.expression, unit.dialect, unit.format).completeness != "nothing"
        )


def name_of(die: Die) -> str | None:
    """The name of an entry, `UNKNOWN_NAME` where the file that has it is not found."""
    try:
        return die.name
    except (MissingContext, InconsistentContext):
        return UNKNOWN_NAME


def variable_of(die: Die) -> Variable | None:
    """The variable of an entry in a scope; None for one without a name, and for `extern int x;` in
    a block, which means the global of that name."""
    name = None if die.flag(dw.AT_DECLARATION) else name_of(die)
    kind: VariableKind = "parameter" if die.tag == dw.TAG_FORMAL_PARAMETER else "local"
    return None if name is None else Variable(name, die, kind)


def entries_of(scope: Die) -> Iterator[Die]:
    """Yield the entries of a scope, including those of blocks without addresses: such a block has
    no code of its own, and covers the whole scope (DWARF 5 3.5); so does a common block (4.2)."""
    pending = [scope.children()]
    while pending:
        for child in pending[-1]:
            is_block = child.tag in BLOCKS - FUNCTIONS and not (
                child.has(dw.AT_LOW_PC) or child.has(dw.AT_RANGES)
            )
            if is_block or child.tag == dw.TAG_COMMON_BLOCK:
                pending.append(child.children())
                break
            yield child
        else:
            pending.pop()


def declared_in(scope: Die) -> Iterator[Variable]:
    """Yield the variables of one scope, those only in its abstract instance last."""
    for child in entries_of(scope):
        variable = variable_of(child) if child.tag in DATA else None
        if variable is not None:
            yield variable
    abstract = scope.reference(dw.AT_ABSTRACT_ORIGIN)
    if abstract is None:
        return
    concrete = set(_origins_in(scope))
    for child in abstract.children():
        if child.tag in DATA and child not in concrete:
            variable = variable_of(child)
            if variable is not None:
                yield variable


def variables_below(function: Die) -> Iterator[Variable]:
    """Yield the variables of a function, including those of its blocks; the concrete instance's
    variable replaces the abstract one."""
    pending = [function]
    while pending:
        scope = pending.pop()
        yield from declared_in(scope)
        pending += [child for child in scope.children() if child.tag in BLOCKS - FUNCTIONS]


def decl_line(die: Die) -> int | None:
    """DW_AT_decl_line of an entry or of one that it is an instance of."""
    holder = die.holder(dw.AT_DECL_LINE)
    return None if holder is None else holder.integer(dw.AT_DECL_LINE)


def decl_file(die: Die) -> SourceFile | None:
    """DW_AT_decl_file, likewise; `IllFormed` for a number that the line table does not have."""
    holder = die.holder(dw.AT_DECL_FILE)
    table = None if holder is None else holder.unit.line_table
    number = None if holder is None else holder.integer(dw.AT_DECL_FILE)
    return None if table is None or number is None else table.file(number)


def calls_below(scope: Die) -> Iterator[Die]:
    """The inlined calls in a scope, also those in its blocks and in other calls."""
    pending = [scope]
    while pending:
        for child in pending.pop().children():
            if child.tag in BLOCKS:
                pending.append(child)
                if child.tag == dw.TAG_INLINED_SUBROUTINE:
                    yield child


def _origins_in(scope: Die) -> Iterator[Die]:
    """What the variables of a scope and of its blocks, into which producers move them, are
    instances of."""
    pending = [scope]
    while pending:
        for child in pending.pop().children():
            if child.tag in DATA:
                yield from child.origins()
            elif child.tag in BLOCKS - FUNCTIONS:
                pending.append(child)


def _loaded(unit: CompilationUnit, spans: tuple[Range, ...]) -> tuple[Range, ...]:
    return tuple(Range(unit.relocate(span.begin), unit.relocate(span.end)) for span in spans)


def code_ranges(die: Die) -> tuple[Range, ...]:
    """The addresses of the file that an entry covers (DWARF 5 2.17), in the order of the file."""
    listed = die.attribute(dw.AT_RANGES)
    if listed is None:
        return _low_to_high(die)
    try:
        return die.unit.ranges_of(listed)
    except DwarfGpuError as error:
        raise die.located(error)


def covered(die: Die) -> tuple[Range, ...]:
    """The same by address, adjacent and overlapping ones merged; each list is read once."""
    listed = die.attribute(dw.AT_RANGES)
    if listed is None:
        return _low_to_high(die)
    try:
        return die.unit.covered_by(listed)
    except DwarfGpuError as error:
        raise die.located(error)


def _low_to_high(die: Die) -> tuple[Range, ...]:
    unit = die.unit
    low = die.address(dw.AT_LOW_PC)
    if low is None or low >= unit.tombstone:
        return ()
    # Linkers leave 0 as the address of code that they dropped.
    file = unit.info.main.sections.object
    if low == 0 and not file.is_code(0):
        return ()
    high = die.address(dw.AT_HIGH_PC)
    if high is None:
        high = low + (die.integer(dw.AT_HIGH_PC) or 0)
    return (Range(low, high),) if high > low else ()
