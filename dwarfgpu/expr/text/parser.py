"""Assemble text as people write it and as other tools print it (`docs/expression-syntax.md`).

Law: the declaration of an operation says which operands follow it. Everything else that tools
print around them (names of registers and types, units, brackets) is decoration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.suggest import nearest
from dwarfgpu.errors import Malformed, counted
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import encode_as
from dwarfgpu.expr.dialect.dialect import DIALECTS, Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation import LLVM_USER, OperandInfo, Operation
from dwarfgpu.expr.text.lexer import Cursor, Statement, Token
from dwarfgpu.expr.text.operands import OperandReader, bare_name, operation_named, unknown_operation

_DEEPEST: Final = 64
"""Expressions within one another, in the text."""
_BRANCH_BYTES: Final = 3
_REPEATED: Final = 4096
"""How many operations are remembered."""


class Parser:
    """Reads one text; `parse` gives its bytes."""

    def __init__(
        self,
        text: str,
        dialect: Dialect,
        form: UnitFormat,
        arch: Architecture | None,
        unit_offset: int,
    ) -> None:
        self._cursor = Cursor(text)
        self._operands = OperandReader(self._cursor, arch, unit_offset, dialect)
        self._dialect = dialect
        self._form = form
        self._known: dict[Statement, bytes] = {}
        """Operations that occurred already: their words, and the bytes that they give."""
        self._encoders: dict[str, Callable[[int], bytes]] = {}
        """Operations that occurred already whose one operand is any number."""

    def parse(self) -> bytes:
        """Return the bytes of the whole text; `Malformed` has the line and the column of an
        error."""
        first = self._cursor.token
        if first.kind == "word" and first.text.upper().startswith("DW_AT_"):
            self._cursor.next()
            self._cursor.accept(":")
        return self._expression(0)

    def _expression(self, depth: int, margin: int | None = None) -> bytes:
        """Return operations up to the end of the text, of the parentheses, or of deeper lines."""
        cursor = self._cursor
        if depth > _DEEPEST:
            raise cursor.token.error(f"expressions nested more than {_DEEPEST} deep")
        part = _Part(self._form)
        groups = 0
        while cursor.token.kind != "end":
            size = len(part.out)
            if cursor.take_known(self._known, self._encoders, part.out):
                if len(part.out) > size:
                    part.listed = None
            elif cursor.accept("("):
                groups += 1
            elif cursor.token.is_sign(")"):
                if not groups and depth:
                    break
                # llvm-dwarfdump ends a location list with one that it has not opened.
                if not groups and cursor.peek().kind not in ("end", "newline"):
                    raise cursor.token.error("no bracket is open here")
                cursor.next()
                groups = max(groups - 1, 0)
            elif margin is not None and 0 < (self._margin() or 0) <= margin:
                break
            else:
                self._item(part, depth)
        if groups:
            raise cursor.token.error("a ) is missing")
        return part.finished()

    def _item(self, part: _Part, depth: int) -> None:
        """Parse one operation, label, listed offset or run of bytes."""
        cursor = self._cursor
        part.margin = self._margin() or part.margin
        token = cursor.token
        if self._operands.at_byte_block(0):  # readelf says the same again in words
            data = self._operands.byte_block()
            part.out += b"" if cursor.token.is_sign("(") else data
            return
        cursor.next()
        if token.kind == "undecoded":
            part.out += self._operands.hex_bytes()
        elif token.text.lower() == ".byte":
            part.out += self._operands.byte_list()
        elif token.is_sign("[") and cursor.token.number is not None:
            part.listed = cursor.next().number
            cursor.expect("]", "after the offset")
        elif cursor.token.is_sign(":") and token.kind == "word" and not self._names(token):
            cursor.next()
            part.listed = token.number
            if part.listed is None:
                part.define(token)
        elif token.kind == "word" and token.number is None:
            self._operation(part, token, depth)
            part.listed = None
        else:
            raise token.error("an operation is expected here")

    def _margin(self) -> int | None:
        """Return the column where the offset before an operation ends: `[ 3]` or `3:`."""
        cursor = self._cursor
        if cursor.token.is_sign("[") and cursor.peek(2).is_sign("]"):
            return cursor.peek(2).column
        if cursor.token.number is not None and cursor.peek().is_sign(":"):
            return cursor.peek().column
        return None

    # Operations.

    def _operation(self, part: _Part, token: Token, depth: int) -> None:
        operands = self._operands
        start = self._cursor.at - 1
        user = bare_name(token.text) == "llvm_user"
        if user:
            while self._cursor.token.kind == "newline":  # it adds nothing by itself
                self._cursor.next()
            token = self._cursor.next()
        operation = (self._user_number(token) if user else None) or self._names(token)
        if operation is None:
            raise unknown_operation(token)
        if user and not operation.name.startswith("LLVM_"):
            raise token.error("no operation of DW_OP_LLVM_user")
        colon = self._cursor.accept(":") is not None
        if operation.number is not None and operation.name.startswith(("reg", "breg")):
            operands.register_mention(operation.number)
            colon = self._cursor.accept(":") is not None or colon
        first_type = operands.type_before(operation)
        values = [
            self._operand(part, operation, info, colon, depth)
            for info in operation.operands[: None if first_type is None else 1]
        ]
        if first_type is not None:
            values.append(first_type)
        operands.skip_decoration()
        try:
            data = self._encoded(operation, values, user)
        except Malformed as cause:
            raise token.error(cause.message) from None
        part.out += data
        if not user and not any(
            info.codec.meaning in ("branch", "expression", "block") for info in operation.operands
        ):
            self._remember(start, operation, data)

    def _remember(self, start: int, operation: Operation, data: bytes) -> None:
        """Remember the operation that ends here, which means the same wherever it stands."""
        statement = self._cursor.statement(start)
        if statement is None:
            return
        if len(self._known) >= _REPEATED:
            self._known.clear()
        self._known[statement] = data
        meanings = [info.codec.meaning for info in operation.operands]
        if len(statement) == 2 and meanings == ["number"]:
            self._encoders[statement[0]] = lambda number: self._encoded(operation, [number], False)

    def _operand(
        self, part: _Part, operation: Operation, info: OperandInfo, colon: bool, depth: int
    ) -> Operand:
        match info.codec.meaning:
            case "branch":
                return self._branch(part)
            case "expression":
                return self._nested(part, operation, depth)
            case "block":
                return self._operands.block(operation, info)
            case "address":  # readelf prints addresses without 0x
                return self._operands.number(operation, info, bare_hex=colon)
            case _:
                return self._operands.number(operation, info)

    def _names(self, token: Token) -> Operation | None:
        return operation_named(token.text, self._dialect)

    def _user_number(self, token: Token) -> Operation | None:
        """Return the operation where DW_OP_LLVM_user is followed by a number."""
        number = token.number
        if number is None:
            return None
        operation = encodings(self._dialect).by_code.get((LLVM_USER, number))
        if operation is None:
            raise token.error(
                f"unknown operation DW_OP_LLVM_user {number:#x} in dialect {self._dialect}"
            )
        return operation

    def _encoded(self, operation: Operation, operands: list[Operand], user: bool) -> bytes:
        name = operation.name
        if name not in encodings(self._dialect).codes:
            raise Malformed(no_encoding(operation, self._dialect))
        code = encodings(self._dialect).codes[name]
        if user:  # an explicit size selects the matching encoding, if there is one
            code = next(
                (
                    code
                    for code, operation in encodings(self._dialect).by_code.items()
                    if isinstance(code, tuple) and operation.name == name
                ),
                code,
            )
        return encode_as(code, operation, operands, self._form)

    def _branch(self, part: _Part) -> int:
        """Return a displacement, a label, or, after a listed offset, the offset of the target."""
        self._operands.skip_fillers()
        sign = self._cursor.accept("+-")
        token = self._cursor.next()
        number = token.number
        if number is None:
            if token.kind != "word" or sign is not None:
                raise token.error("a displacement or a label is expected here")
            part.refer(token)
            return 0
        if sign is None and part.listed is not None:
            return number - part.listed - _BRANCH_BYTES
        return -number if sign is not None and sign.text == "-" else number

    def _nested(self, part: _Part, operation: Operation, depth: int) -> bytes:
        """Return an expression in parentheses, or, in a listing with offsets, on deeper lines."""
        cursor = self._cursor
        self._operands.skip_fillers()
        if part.margin is not None and cursor.token.kind == "newline":
            cursor.next()
            if (self._margin() or 0) <= part.margin:
                raise cursor.token.error(f"the expression of {operation} is expected here")
            return self._expression(depth + 1, part.margin)
        cursor.expect("(", f"before the expression of {operation}")
        data = self._expression(depth + 1)
        cursor.expect(")", f"after the expression of {operation}")
        return data


def no_encoding(operation: Operation, dialect: Dialect) -> str:
    """Return the reason why an operation has no encoding in a dialect, and the dialects that have
    one."""
    name = operation.name
    dialects = [
        other_dialect.name
        for other_dialect in DIALECTS.values()
        if name in encodings(other_dialect).codes
    ]
    there = f"; {' and '.join(dialects)} has one" if dialects else ""
    why = "no encoding"
    if dialect.dwarf6 and "dwarf6-provisional" in dialects:
        why = "no public text of DWARF 6 gives it a number: no encoding"
        there = "; dwarf6-provisional has one of dwarfgpu's own"
    return f"{why} in dialect {dialect}{there}"


class _Part:
    """The bytes of one expression, and the branches with unresolved targets."""

    def __init__(self, form: UnitFormat) -> None:
        self.out = bytearray()
        self.listed: int | None = None
        """The offset that a listing gives for the next operation."""
        self.margin: int | None = None
        """The column where the last such offset ended: deeper lines are a nested expression."""
        self._form = form
        self._labels: dict[str, int] = {}
        self._branches: list[tuple[int, Token]] = []

    def define(self, token: Token) -> None:
        """Define a label here."""
        if token.text in self._labels:
            raise token.error("this label is there twice")
        self._labels[token.text] = len(self.out)

    def refer(self, token: Token) -> None:
        """Record that the branch that comes next goes to this label."""
        self._branches.append((len(self.out), token))

    def finished(self) -> bytes:
        """Return the bytes, once every branch has its displacement."""
        for offset, token in self._branches:
            if token.text not in self._labels:
                raise token.error(f"no such label{nearest(token.text, self._labels)}")
            end = offset + _BRANCH_BYTES
            by = self._labels[token.text] - end
            if not -0x8000 <= by < 0x8000:
                raise token.error(f"a branch of {counted(by, 'byte')} does not fit 2 bytes")
            self.out[offset + 1 : end] = by.to_bytes(2, self._form.endian, signed=True)
        return bytes(self.out)
