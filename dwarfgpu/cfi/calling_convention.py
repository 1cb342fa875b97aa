"""Unwind AMD GPU functions that have no call frame information by the calling convention (AMDGPU
usage, "Call Convention", Non-Kernel Functions) and by their machine code
(`dwarfgpu.cfi.saved_registers`). Used only on request, and such frames are marked.

They give the registers and the pc of the caller, but no CFA: `unwind` raises `MissingContext`
where one is asked for.

Law: every claim holds on every path through the function to its program location.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.rule import ExpressionRule, Rule, SameValueRule, UndefinedRule
from dwarfgpu.errors import Unavailable

if TYPE_CHECKING:
    from dwarfgpu.cfi.saved_register_rules import SavedRegisterRules

PC: Final = 16
RETURN_ADDRESS: Final = (62, 63)
"""DWARF numbers of s30 and s31."""
STACK_POINTER_NUMBER: Final = 64
"""DWARF number of s32."""
_CLOBBERED: Final = frozenset({*range(36, 64), *range(1536, 1568), *range(2560, 2592)})
"""SGPR4-31 and VGPR0-31: what a call may change."""
_PAIR: Final = b"".join(b"\x90" + encode_uleb(number) + b"\x93\x04" for number in RETURN_ADDRESS)
"""DW_OP_regx, DW_OP_piece 4: each."""


@frozen
class Convention:
    """Where the caller of a function has its registers, as far as the convention and the code of
    the function define it."""

    architecture: Architecture
    function: str
    """Its name."""
    is_at_entry: bool
    """Whether no instruction of the function was executed."""
    saved: SavedRegisterRules | None = None
    """What its machine code says; None if that is not understood."""

    @property
    def knows_return_address(self) -> bool:
        """Whether the machine code says where the return address is."""
        return self.saved is not None and self.saved.return_address is not None

    @property
    def return_address_text(self) -> str:
        """Where the return address is, in words."""
        if self.saved is None or not self.knows_return_address:
            return "s[30:31]"
        if self.saved.keeps_return_address:
            return "s[30:31]"
        return f"where {self.function} saved its return address"

    def rule(self, number: int) -> Rule:
        """Return the rule of a register; `Unavailable` where the function may have saved and
        changed it."""
        if number == PC:
            address = None if self.saved is None else self.saved.return_address
            return address or ExpressionRule(_PAIR)
        if number in RETURN_ADDRESS:
            return UndefinedRule()  # the call itself has changed them
        if self.is_at_entry:
            return SameValueRule()
        rule = None if self.saved is None else self.saved.rule(number)
        if rule is not None:
            return rule
        if number in _CLOBBERED:
            return UndefinedRule()
        register, name = self.architecture.register(number), self.function
        raise Unavailable(
            f"{register} of the caller of {name}: {name} may have saved and changed it, and "
            f"has no call frame information"
        )
