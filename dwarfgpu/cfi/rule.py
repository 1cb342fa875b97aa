"""Register rules and CFA rules (AMD text A.6.4.1, A.6.4.2.2) as plain data.

Law: factors are already applied; every offset is in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from dwarfgpu.base.records import frozen


@frozen
class UndefinedRule:
    """The register has no recoverable value in the previous frame."""


@frozen
class SameValueRule:
    """The register has not been modified from the previous frame."""


@frozen
class OffsetRule:
    """offset(N): the previous value is saved at the CFA displaced by N bytes."""

    offset_bytes: int


@frozen
class ValOffsetRule:
    """val_offset(N): the previous value is the address of the CFA displaced by N bytes."""

    offset_bytes: int


@frozen
class RegisterRule:
    """register(R): the previous value is in register R of this frame; on AMD GPUs, where the rules
    put R (docs/spec-notes.md)."""

    register: int


@frozen
class ExpressionRule:
    """expression(E): the previous value is at the location that E gives."""

    expression: bytes


@frozen
class ValExpressionRule:
    """val_expression(E): the previous value is the value that E gives."""

    expression: bytes


@frozen
class Architectural:
    """A rule defined outside DWARF, by the augmenter: a state of its own, and its number."""

    name: str
    value: int


Rule: TypeAlias = (
    UndefinedRule
    | SameValueRule
    | OffsetRule
    | ValOffsetRule
    | RegisterRule
    | ExpressionRule
    | ValExpressionRule
    | Architectural
)
Rules: TypeAlias = Mapping[int, Rule]
"""Rules by DWARF register number; a missing register has the architecture's default rule."""


@frozen
class RegisterCfa:
    """The CFA is `LLVM_aspace_bregx` of a register, a displacement and an address space."""

    register: int
    offset_bytes: int
    address_space: int = 0
    """The default address space unless an `LLVM_def_aspace_cfa` instruction names another."""


@frozen
class ExpressionCfa:
    """The CFA is the memory location that an operation expression gives."""

    expression: bytes


CfaRule: TypeAlias = RegisterCfa | ExpressionCfa


@frozen
class Row:
    """One row of the table: the rules that hold from `start` up to, not including, `end`."""

    start: int
    """A program location as in the CIE and FDE: unrelocated."""
    end: int
    cfa: CfaRule | None
    """None if no instruction defined it, as in the empty FDEs of upstream clang."""
    rules: Rules
    args_size_bytes: int = 0
    """Bytes of arguments pushed, by DW_CFA_GNU_args_size."""

    @property
    def is_empty(self) -> bool:
        """Whether the row defines neither the CFA nor any register."""
        return self.cfa is None and not self.rules
