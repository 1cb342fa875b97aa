"""What the expressions in a function need of the function itself (AMD text A.3.3.5).

Law: a function is reported once, for the first expression that needs what it lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.check.attributes import is_without_base
from dwarfgpu.check.entry_positions import EntryPositions
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.static_check.severity import Severity

_NO_LANES: Final = (
    "DW_OP_LLVM_push_lane in a function that has one lane: DW_AT_LLVM_lanes is absent"
)
_NO_BASE: Final = "DW_OP_fbreg in a function without DW_AT_frame_base"
_KERNEL_BASE: Final = f"{_NO_BASE}: upstream clang means the start of private memory in a kernel"


@frozen
class LackingFunction:
    """A function that lacks what an expression in it needs."""

    rule: str
    message: str
    index: int
    """Of the entry to report: the function, or what has the expression."""
    severity: Severity | None = None
    """None: that of the rule."""


@define(eq=False)
class FunctionFacts:
    """The functions of one unit."""

    positions: EntryPositions
    _checked: set[tuple[str, int]] = field(init=False, factory=set)

    def lanes(self, index: int) -> Iterator[LackingFunction]:
        """Yield the function of an entry that needs the lane: without DW_AT_LLVM_lanes it has lane
        0 alone."""
        function = self._first("lanes-missing", index)
        if function is None:
            return
        try:
            lanes = Subprogram(self.positions.unit.die(function)).lanes
        except DwarfGpuError:
            return  # reported separately
        if lanes is None:
            yield LackingFunction("lanes-missing", _NO_LANES, function)

    def frame_base(self, index: int) -> Iterator[LackingFunction]:
        """Yield an entry that needs the frame base where its function has none (A.2.5.4.4.3)."""
        function = self._first("no-frame-base", index)
        if function is None:
            return
        unit = self.positions.unit
        if not is_without_base(unit.tree.abbreviations[function]):
            return
        if Subprogram(unit.die(function)).starts_private_memory:
            yield LackingFunction("no-frame-base", _KERNEL_BASE, index, "warning")
        else:
            yield LackingFunction("no-frame-base", _NO_BASE, index)

    def _first(self, rule: str, index: int) -> int | None:
        """Return the function of an entry where the rule was not yet applied to it."""
        function = self.positions.function(index)
        if function is None or (rule, function) in self._checked:
            return None
        self._checked.add((rule, function))
        return function
