"""Unwind AMD GPU functions that have no call frame information by the calling convention (AMDGPU
usage, "Call Convention", Non-Kernel Functions). Used only on request, and such frames are marked.

The convention gives the registers and the pc of the caller, but no CFA: `unwind` raises
`MissingContext` where one is asked for.

Law: every claim holds regardless of what the function has done up to its program location.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.rule import ExpressionRule, Rule, SameValueRule, UndefinedRule
from dwarfgpu.errors import Unavailable

_PC: Final = 16
RETURN_ADDRESS: Final = (62, 63)
"""DWARF numbers of s30 and s31."""
_CLOBBERED: Final = frozenset({*range(36, 64), *range(1536, 1568), *range(2560, 2592)})
"""SGPR4-31 and VGPR0-31: what a call may change."""
_PAIR: Final = b"".join(b"\x90" + encode_uleb(number) + b"\x93\x04" for number in RETURN_ADDRESS)
"""DW_OP_regx, DW_OP_piece 4: each."""


@frozen
class Convention:
    """Where the caller of a function has its registers, as far as the convention defines it."""

    architecture: Architecture
    function: str
    """Its name."""
    is_at_entry: bool
    """Whether no instruction of the function was executed."""

    def rule(self, number: int) -> Rule:
        """Return the rule of a register; `Unavailable` where the function may have saved and
        changed it."""
        if number == _PC:
            return ExpressionRule(_PAIR)
        if number in RETURN_ADDRESS:
            return UndefinedRule()  # the call itself has changed them
        if self.is_at_entry:
            return SameValueRule()
        if number in _CLOBBERED:
            return UndefinedRule()
        register, name = self.architecture.register(number), self.function
        raise Unavailable(
            f"{register} of the caller of {name}: {name} may have saved and changed it, and "
            f"has no call frame information"
        )
