"""The row of one program location (AMD text A.6.4.1), and the ABI's rules of registers that it does
not mention."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.rule import (
    CfaRule,
    RegisterRule,
    Rule,
    Rules,
    SameValueRule,
    UndefinedRule,
    ValOffsetRule,
)
from dwarfgpu.expr.dialect.dialect import AMD, Dialect

_SAME: Final = SameValueRule()
_UNDEFINED: Final = UndefinedRule()
_AT_CFA: Final = ValOffsetRule(0)


@frozen
class FrameRow:
    """What call frame information says of one program location."""

    cfa: CfaRule | None
    """None if the row does not define it."""
    rules: Rules
    return_register: int
    """The column of the return address."""
    is_signal_frame: bool = False
    """Whether the caller was interrupted, not called."""
    dialect: Dialect = AMD
    """The dialect of the expressions."""
    is_of_go: bool = False
    """Whether the function is one of Go, which saves no register for its caller (Go internal ABI
    specification, "Architecture specifics")."""

    @property
    def is_empty(self) -> bool:
        """Whether the row defines nothing at all, as in the entries of upstream clang."""
        return self.cfa is None and not self.rules


def default_rule(architecture: Architecture, number: int, row: FrameRow) -> Rule:
    """Return the ABI's rule of a register that a row does not mention (A.6.4.1, item 10)."""
    if number == architecture.stack_pointer:
        return _AT_CFA
    if number == architecture.program_counter and number != row.return_register:
        return RegisterRule(row.return_register)
    if row.is_signal_frame and number in architecture.set_for_signals:
        return _UNDEFINED
    preserved = architecture.preserved
    if row.is_of_go and architecture.preserved_by_go is not None:
        preserved = architecture.preserved_by_go
    return _SAME if preserved is None or number in preserved else _UNDEFINED
