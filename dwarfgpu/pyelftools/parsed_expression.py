"""Expressions as pyelftools gives them: lists of numbers, parsed locations, parsed operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias, TypeGuard, cast

from dwarfgpu.base.arguments import WrongType, WrongValue, is_integer, received
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import encode_as
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.operand_codec import Codec, Operand
from dwarfgpu.expr.operation import Code, Operation


class LocationExpr(Protocol):
    """A `LocationExpr`, or a `LocationEntry` of a location list."""

    @property
    def loc_expr(self) -> Sequence[int]: ...


class DWARFExprOp(Protocol):
    """A `DWARFExprOp`: an operation as `DWARFExprParser` reads it."""

    @property
    def op(self) -> int: ...

    @property
    def op_name(self) -> str: ...

    @property
    def args(self) -> Sequence[object]: ...

    @property
    def offset(self) -> int: ...


Expression: TypeAlias = bytes | Sequence[int] | LocationExpr | Sequence[DWARFExprOp]
"""An expression: its bytes, also as the list of numbers in `AttributeValue.value`; a parsed
location; parsed operations."""


def bytes_of(expression: object, dialect: Dialect, form: UnitFormat) -> bytes:
    """Return the bytes of an `Expression`. `WrongType` for anything else, `WrongValue` for numbers
    that are no bytes."""
    parsed = getattr(expression, "loc_expr", expression)
    if isinstance(parsed, bytes | bytearray | memoryview):
        return bytes(parsed)
    wrong: type[UsageError] = WrongType
    if isinstance(parsed, Sequence) and not isinstance(parsed, str):
        if _are_bytes(parsed):
            return bytes(parsed)
        if parsed is expression and _are_operations(parsed):
            return _encoded(parsed, encodings(dialect).by_code, form)
        wrong = WrongValue if all(map(is_integer, parsed)) else WrongType
    instead = f"{parsed!r:.60}" if wrong is WrongValue else received(expression)
    raise wrong(
        "an expression is bytes, a list of bytes, a LocationExpr, a LocationEntry or a list of "
        f"DWARFExprOp of pyelftools, not {instead}"
    )


def _are_bytes(items: Sequence[object]) -> TypeGuard[Sequence[int]]:
    """Return whether a sequence has numbers of one byte alone."""
    return all(is_integer(item) and 0 <= cast(int, item) <= 0xFF for item in items)


def _are_operations(items: Sequence[object]) -> TypeGuard[Sequence[DWARFExprOp]]:
    return all(hasattr(item, "op_name") and hasattr(item, "args") for item in items)


def _encoded(
    operations: Sequence[DWARFExprOp], by_code: Mapping[Code, Operation], form: UnitFormat
) -> bytes:
    """Encode parsed operations; `UsageError` where the bytes were others: numbers may have been in
    more bytes than needed, which they do not show."""
    out = b""
    for parsed in operations:
        operation = by_code.get(parsed.op)
        if operation is None or len(out) != parsed.offset:
            raise _lossy(parsed)
        try:
            operands = [
                _operand(argument, info.codec, by_code, form)
                for argument, info in zip(parsed.args, operation.operands, strict=True)
            ]
            out += encode_as(parsed.op, operation, operands, form)
        except (Malformed, ValueError):
            raise _lossy(parsed) from None
    return out


def _operand(
    argument: object, codec: Codec, by_code: Mapping[Code, Operation], form: UnitFormat
) -> Operand:
    """Return an operand of a parsed operation; `ValueError` for one of another kind."""
    if codec.meaning in ("block", "expression"):
        if not isinstance(argument, Sequence):
            raise ValueError
        if _are_bytes(argument):
            return bytes(argument)
        if not _are_operations(argument):
            raise ValueError
        return _encoded(argument, by_code, form)
    if not isinstance(argument, int):
        raise ValueError
    # The operand of DW_OP_deref_size is read with a sign.
    return argument & 0xFF if codec.name == "u8" and argument < 0 else argument


def _lossy(parsed: DWARFExprOp) -> UsageError:
    return UsageError(
        f"the bytes of {parsed.op_name} at offset {parsed.offset:#x} do not follow from the parsed "
        "operations: give the bytes that were parsed"
    )
