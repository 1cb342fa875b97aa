"""Frames of functions that ended in a tail call: the machine holds nothing of them.

Law: such a frame has its callee's registers on entry, except for the program location.
"""

from __future__ import annotations

from typing import Protocol

from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.rule import Rule, SameValueRule
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.model.location import Location


@frozen
class Jump:
    """Program location of a tail call in a function; as loaded."""

    pc: int
    """After the jump, or at it if the information gives only that."""
    location: int
    """In the jump."""


@frozen
class Jumps:
    """The tail calls between a call and the function that runs, the innermost first."""

    inner: tuple[Jump, ...] = ()
    """The jumps that lead to the current function."""
    outer: tuple[Jump, ...] = ()
    """The jumps that begin with the called function, if `why_unknown` is set."""
    why_unknown: str | None = None
    """Why the functions in between are unknown; None if there are none."""


NO_JUMPS = Jumps()


class TailCalls(Protocol):
    """Call-site information about functions whose frames are gone."""

    def between(self, location: int, return_pc: int) -> Jumps:
        """Return the jumps from the call that returns to a program location to the function at
        another one."""
        ...


class TailFrame(CfiFrame):
    """The frame of a function that has jumped to its callee, which returns to its caller."""

    is_tail_call = True

    def __init__(self, context: Context, jump: Jump, callee: CfiFrame) -> None:
        super().__init__(context, jump.pc, None, callee)
        self._jump = jump
        self._inner = callee

    @property
    def location(self) -> int:
        return self._jump.location

    @property
    def has_row(self) -> bool:
        return self._inner.has_row

    def rule(self, number: int) -> Rule:
        return SameValueRule()

    def _find(self, number: int, rule: Rule | DwarfGpuError) -> Location | DwarfGpuError:
        try:
            return self._inner.entry_register(number)
        except DwarfGpuError as error:
            return error

    def register(self, number: int) -> Location:
        if number == self.architecture.program_counter:
            return self._implicit(self.pc, self._size_bits(number))
        pushed = self.architecture.pushed_bytes
        if number == self.architecture.stack_pointer and pushed:
            address = self.cfa().single_locations[0].byte_address
            if address is not None:  # what the call pushed is still there when the function jumps
                return self._implicit(address - pushed, self._size_bits(number))
        return self._inner.entry_register(number)

    def cfa(self) -> Location:
        return self._inner.cfa()

    @property
    def has_signed_return(self) -> bool:
        return self._inner.has_signed_return

    def return_address(self) -> int | None:
        return self._inner.return_address()
