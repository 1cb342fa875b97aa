"""Subprograms, inlined calls and entry points (DWARF 5 3.3; AMD text A.3.3.5).

Law: program locations are those of the loaded code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from dwarfgpu.base.nested import Nested
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import as_loaded, code_ranges, entry_of, name_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed
from dwarfgpu.expr.context import ExprLoc, LocList


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
    def starts_private_memory(self) -> bool:
        """Whether upstream clang leaves DW_AT_frame_base out because the frame starts the private
        memory of a lane, as those of kernels do (docs/dialects.md)."""
        abbreviation, unit = self.die.abbreviation, self.unit
        if not unit.dialect.upstream_clang or dw.AT_FRAME_BASE in abbreviation.positions:
            return False
        return self.is_kernel

    @property
    def is_kernel(self) -> bool:
        """Whether it is the code of a kernel of an AMD GPU, as far as that is known."""
        from dwarfgpu.objfile.gpu_code import kernel_entries  # few functions have no base

        try:
            entries = kernel_entries(self.unit.info.sections.program.loaded)
            return self.die.address(dw.AT_LOW_PC) in entries
        except DwarfGpuError:  # who reads the code or the kernels reports it
            return False

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
        """The code of the function, as loaded, in the order of the file."""
        return as_loaded(self.unit, code_ranges(self.die))

    @property
    def entry(self) -> int | None:
        """Where the function is entered, as loaded (DWARF 5 2.18); None without code."""
        entry = entry_of(self.die)
        return None if entry is None else self.unit.relocate(entry)


class FunctionsAround(Collection[Subprogram]):
    """The functions at a program location, innermost first.

    Each frame of a deep chain of inlined calls, and each wave in one, asks for the same facts,
    which are kept here: functions in one another share those around them.
    """

    __slots__ = ("_count", "_innermost")

    def __init__(self, innermost: _Function | None = None, count: int = 0) -> None:
        self._innermost, self._count = innermost, count

    def around(self, function: Subprogram) -> FunctionsAround:
        """Return a function that is in these, with them."""
        return FunctionsAround(_Function(function, self._innermost), self._count + 1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Subprogram]:
        function = self._innermost
        while function is not None:
            yield function.content
            function = function.outer

    def __contains__(self, function: object) -> bool:
        return any(function == one for one in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionsAround) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(next(iter(self), None))

    def __repr__(self) -> str:
        return f"FunctionsAround{tuple(self)}"

    @property
    def outermost(self) -> Subprogram | None:
        """The function that is not inlined; None outside of functions."""
        return None if self._innermost is None else self._innermost.outermost

    def having(self, name: int) -> Iterator[Subprogram]:
        """Yield the functions whose own entries have a DW_AT_LLVM attribute."""

        def having(function: _Function) -> _Function | None:
            return function if any(True for _ in function.content.die.llvm_numbers(name)) else None

        around = self._innermost
        while around is not None and (one := around.nearest(("having", name), having)) is not None:
            yield one.content
            around = one.outer

    def has(self, name: int) -> bool:
        """Return whether the own entry of a function has a DW_AT_LLVM attribute."""
        return any(True for _ in self.having(name))

    def describing(self, name: int) -> tuple[Subprogram, ExprLoc | LocList] | None:
        """Return the innermost function that has an attribute, and its location; None if none
        has it. Each operation of an expression may ask."""

        def described(function: _Function) -> tuple[Subprogram, ExprLoc | LocList] | None:
            one = function.content
            location = one.unit.location_of(one.die, name)
            return None if location is None else (one, location)

        innermost = self._innermost
        return None if innermost is None else innermost.nearest(("describing", name), described)

    @property
    def lanes(self) -> int | None:
        """DW_AT_LLVM_lanes of the innermost function that has it, if any."""

        def having_lanes(function: _Function) -> _Function | None:
            try:
                return None if function.content.lanes is None else function
            except DwarfGpuError:  # which it raises whenever it is asked
                return function

        innermost = self._innermost
        function = None if innermost is None else innermost.nearest("lanes", having_lanes)
        return None if function is None else function.content.lanes


_Function: TypeAlias = Nested[Subprogram]
