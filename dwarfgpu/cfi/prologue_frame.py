"""The frame of a function without call frame information whose prologue has set the frame pointer.

Law: the frame pointer gives the stack pointer, the frame pointer and the pc of the caller. What the
function has done with other registers that callees preserve is unknown.
"""

from __future__ import annotations

from typing import Protocol

from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import Rule, SameValueRule
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import Unavailable
from dwarfgpu.expr.context import Context


class Prologues(Protocol):
    """The code at the beginning of functions."""

    @property
    def text(self) -> str:
        """The prologue that sets the frame pointer, as assembly."""
        ...

    def function(self, pc: int, location: int) -> str | None:
        """Return the name of a function whose prologue has set the frame pointer at a pc; None if
        it has not, or that is unknown. `location` is that of every lookup."""
        ...

    def row(self) -> FrameRow:
        """Return the rules of such a function."""
        ...

    def follows_call(self, address: int) -> bool:
        """Return whether a call in loaded code may return to a program location."""
        ...


class PrologueFrame(CfiFrame):
    """The frame of such a function."""

    def __init__(
        self, context: Context, pc: int, row: FrameRow, callee: CfiFrame | None, function: str
    ) -> None:
        super().__init__(context, pc, row, callee)
        self.function = function

    def rule(self, number: int) -> Rule:
        rule = super().rule(number)
        if isinstance(rule, SameValueRule):
            raise Unavailable(
                f"{self.architecture.register(number)} of the caller of {self.function}: "
                f"{self.function} may have saved and changed it, and has no call frame information"
            )
        return rule
