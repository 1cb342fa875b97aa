"""Operands of expressions that refer to nothing in their unit: every evaluation fails there.

Law: behind a branch or a call nothing is certain.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import decode_once
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.operation import Operation

if TYPE_CHECKING:
    from dwarfgpu.dwarf.expression_references import Reference


def certain_references(data: bytes, dialect: Dialect, form: UnitFormat) -> tuple[Reference, ...]:
    """Return the references that every evaluation of an expression follows, unless it fails
    before."""
    if _opcodes(dialect).isdisjoint(data):
        return ()
    from dwarfgpu.dwarf.expression_references import references  # few expressions have any

    expression = decode_once(data, dialect, form)
    transfers = (one.offset for one in expression.instructions if one.operation.transfers)
    last = next(transfers, len(data))
    return tuple(
        one for one in references(expression) if one.severity == "error" and one.offset <= last
    )


@lru_cache(maxsize=16)
def _opcodes(dialect: Dialect) -> frozenset[int]:
    """Return the first bytes of operations with references."""
    return frozenset(
        code if isinstance(code, int) else code[0]
        for code, operation in encodings(dialect).by_code.items()
        if _refers(operation)
    )


def _refers(operation: Operation) -> bool:
    meanings = {info.codec.meaning for info in operation.operands}
    is_indexed = operation.function.__name__ in ("addrx", "constx")
    return is_indexed or not meanings.isdisjoint(("type", "die"))
