"""Operations that an expression of call frame information may not use (AMD text A.6.4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.errors import IllFormed, Site
from dwarfgpu.expr.decode import Expression
from dwarfgpu.expr.dialect import dialect as _dialect  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import OPERATIONS

_OTHER_SECTIONS: Final = "call frame information must not depend on other debug sections"
_NO_OBJECT: Final = "there is no object"
_WHOLE_THREAD: Final = "call frame instructions act for the whole thread"
_CIRCULAR: Final = "its use would be circular"
FORBIDDEN: Final = {
    **dict.fromkeys(
        (
            "addrx", "call2", "call4", "call_ref", "const_type", "constx", "convert", "deref_type",
            "fbreg", "implicit_pointer", "regval_type", "reinterpret", "xderef_type",
        ),
        _OTHER_SECTIONS,
    ),
    "push_object_address": _NO_OBJECT,
    "LLVM_push_lane": _WHOLE_THREAD,
    "LLVM_push_iteration": _WHOLE_THREAD,
    "call_frame_cfa": _CIRCULAR,
    "entry_value": _CIRCULAR,
}  # fmt: skip
"""Keyed by name, with the reason that the text gives."""

# Older and vendor names share the function of what they mean.
_REASONS: Final = {OPERATIONS[name].function: reason for name, reason in FORBIDDEN.items()}
_BY_NAME: Final = {**FORBIDDEN, "push_lane": _WHOLE_THREAD}
"""With the names of DWARF 6, whose functions differ."""


def forbidden(expression: Expression) -> Iterator[tuple[Instruction, str]]:
    """Yield each forbidden operation that was decoded, with the reason."""
    for instruction in expression.instructions:
        operation = instruction.operation
        reason = _REASONS.get(operation.function) or _BY_NAME.get(operation.name)
        if reason is not None:
            yield instruction, f"not allowed in call frame information: {reason}"


def require_allowed(expression: Expression) -> None:
    """Raise `IllFormed` for the first forbidden operation that was decoded."""
    for instruction, reason in forbidden(expression):
        error = IllFormed(reason)
        error.site = Site(instruction.offset, instruction.operation.title, "A.6.4.2")
        raise error
