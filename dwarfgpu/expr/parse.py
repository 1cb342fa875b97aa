"""Text to bytes: what people write, and what other tools print (`docs/expression-syntax.md`).

Law: the declaration of an operation says which operands follow it. Everything else that tools
print around them (names of registers and types, units, brackets) is decoration.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import Malformed
from dwarfgpu.expr.codec import Operand
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import encode_as
from dwarfgpu.expr.dialect import DIALECTS, Dialect
from dwarfgpu.expr.lexer import Token, suggestion, tokens
from dwarfgpu.expr.operation import LLVM_USER, OPERATIONS, OperandInfo, Operation

_DEEPEST: Final = 64
"""Expressions within one another, in the text."""
_BRANCH_BYTES: Final = 3
_CLOSING: Final = {"(": ")", "[": "]", "<": ">"}
_FILLERS: Final = frozenset(("size", "offset", "register", "die", "to", "bytes", "byte"))
"""Words that tools put before an operand or after a size."""


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
        self._tokens = tokens(text)
        self._at = 0
        self._dialect = dialect
        self._form = form
        self._arch = arch
        self._unit_offset = unit_offset

    def parse(self) -> bytes:
        """The bytes of the whole text; `Malformed` names the place of what is wrong."""
        if self._token.kind == "word" and self._token.text.upper().startswith("DW_AT_"):
            self._next()
            self._accept(":")
        return self._items(0)

    # The tokens.

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _peek(self, distance: int = 1) -> Token:
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)]

    def _next(self) -> Token:
        token = self._token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _accept(self, signs: str) -> Token | None:
        """The next token where it is one of these signs."""
        return self._next() if self._token.is_sign(signs) else None

    def _expect(self, sign: str, why: str) -> None:
        if self._accept(sign) is None:
            raise self._token.error(f"{sign} expected {why}")

    # Expressions.

    def _items(self, depth: int) -> bytes:
        """Operations up to the end of the text or, within parentheses, their end."""
        if depth > _DEEPEST:
            raise self._token.error(f"expressions within one another more than {_DEEPEST} deep")
        part = _Part(self._form)
        groups = 0
        while self._token.kind != "end":
            if self._token.kind == "newline" or self._token.is_sign(",;"):
                self._next()
            elif self._accept("("):
                groups += 1
            elif self._token.is_sign(")"):
                if not groups and depth:
                    break
                # llvm-dwarfdump ends a location list with one that it has not opened.
                if not groups and self._peek().kind not in ("end", "newline"):
                    raise self._token.error("nothing is open here")
                self._next()
                groups = max(groups - 1, 0)
            else:
                self._item(part, depth)
        if groups:
            raise self._token.error("a ) is missing")
        return part.finished()

    def _item(self, part: _Part, depth: int) -> None:
        """One operation, label, offset or run of bytes."""
        token = self._next()
        listed: int | None = None
        if token.kind == "undecoded":
            part.out += self._hex_bytes(token)
        elif token.text.lower() == ".byte":
            part.out += self._byte_directive()
        elif token.is_sign("["):
            listed = self._listed_offset()
            part.listed = listed
        elif self._is_byte_block(token):
            self._block_header(part, token)
        elif self._token.is_sign(":") and token.kind == "word" and _operation(token.text) is None:
            self._next()
            part.listed = token.number
            if part.listed is None:
                part.define(token)
        elif token.kind == "word" and token.number is None:
            self._operation(part, token, depth)
            part.listed = None
        else:
            raise token.error("an operation is expected here")

    def _listed_offset(self) -> int:
        """The offset before an operation, as eu-readelf prints it: `[ 3]`."""
        token = self._next()
        number = token.number
        if number is None:
            raise token.error("an offset is expected here")
        self._expect("]", "after the offset")
        return number

    def _hex_bytes(self, start: Token) -> bytes:
        """Hexadecimal bytes without 0x, to the end of the line."""
        out = bytearray()
        while self._token.kind == "word" and self._token.line == start.line:
            token = self._next()
            number = token.hexadecimal
            if number is None or number > 255:
                raise token.error("a byte in hexadecimal is expected here")
            out.append(number)
        return bytes(out)

    def _byte_directive(self) -> bytes:
        out = bytearray()
        while True:
            token = self._next()
            number = token.number
            if number is None or number > 255:
                raise token.error("a byte (0 to 255) is expected here")
            out.append(number)
            if not (self._token.is_sign(",") and self._peek().number is not None):
                return bytes(out)
            if self._peek(2).is_sign(":"):  # the offset of the next operation, not a byte
                return bytes(out)
            self._next()

    def _is_byte_block(self, token: Token) -> bool:
        return (
            token.number is not None
            and self._token.text == "byte"
            and self._peek().text == "block"
            and self._peek(2).is_sign(":")
        )

    def _block_header(self, part: _Part, token: Token) -> None:
        """`2 byte block: 91 6c`, which readelf prints before the same in words."""
        for _ in range(3):
            self._next()
        data = self._hex_bytes(token)
        if len(data) != token.number:
            raise token.error(f"{len(data)} bytes follow")
        if not self._token.is_sign("("):
            part.out += data

    # Operations.

    def _operation(self, part: _Part, token: Token, depth: int) -> None:
        user = bare_name(token.text) == "llvm_user"
        if user:
            self._fillers("operation")
            token = self._next()
        operation = self._user_number(token) if user else None
        operation = operation or _operation(token.text)
        if operation is None:
            prefix = "DW_OP_" if token.text.lower().startswith("dw_op_") else ""
            raise token.error(f"unknown operation{suggestion(token.text, _known(prefix))}")
        if user and not operation.name.startswith("LLVM_"):
            raise token.error("no operation of DW_OP_LLVM_user")
        colon = self._accept(":") is not None
        if operation.number is not None and operation.name.startswith(("reg", "breg")):
            self._register_mention(operation.number)
            colon = self._accept(":") is not None or colon
        operands: list[Operand] = []
        for info in operation.operands:
            if info.codec.meaning == "branch":
                operands.append(self._branch(part))
            elif info.codec.meaning == "expression":
                operands.append(self._nested(operation, depth))
            elif info.codec.meaning == "block":
                operands.append(self._block(operation, info))
            else:
                operands.append(self._number(operation, info, colon))
        self._decoration(self._tokens[self._at - 1].line)
        try:
            part.out += self._encoded(operation, operands, user)
        except Malformed as cause:
            raise token.error(cause.message) from None

    def _user_number(self, token: Token) -> Operation | None:
        """The operation where DW_OP_LLVM_user is followed by a number."""
        number = token.number
        if number is None:
            return None
        found = self._dialect.by_code.get((LLVM_USER, number))
        if found is None:
            raise token.error(
                f"unknown operation DW_OP_LLVM_user {number:#x} in dialect {self._dialect}"
            )
        return found

    def _encoded(self, operation: Operation, operands: list[Operand], user: bool) -> bytes:
        name = operation.name
        if name not in self._dialect.codes:
            others = [each.name for each in DIALECTS.values() if name in each.codes]
            there = f"; {' and '.join(others)} has one" if others else ""
            raise Malformed(f"no encoding in dialect {self._dialect}{there}")
        code = self._dialect.codes[name]
        if user:  # written out, it asks for the encoding that goes with it, if there is one
            code = next(
                (
                    each
                    for each, other in self._dialect.by_code.items()
                    if isinstance(each, tuple) and other.name == name
                ),
                code,
            )
        return encode_as(code, operation, operands, self._form)

    # Operands.

    def _fillers(self, meaning: str) -> None:
        """Pass commas, line ends and the words that tools put before operands."""
        while True:
            if self._token.kind == "newline" or self._token.is_sign(","):
                self._next()
            elif self._token.text.lower() in _FILLERS and self._arch_number(self._token) is None:
                self._next()
                self._accept(":")
            elif self._token.is_sign("<") and self._peek().number is None and meaning == "type":
                self._bracketed()  # GDB: the name of the type, before its offset
            else:
                return

    def _number(self, operation: Operation, info: OperandInfo, colon: bool) -> int:
        meaning = info.codec.meaning
        self._fillers(meaning)
        token = self._token
        if token.is_sign("(<["):
            value = self._reference(operation, info)
        else:
            value = self._signed(operation, info, colon and meaning == "address")
        if meaning == "register":
            self._decoration(token.line)
        return value

    def _signed(self, operation: Operation, info: OperandInfo, bare_hex: bool) -> int:
        sign = self._accept("+-")
        token = self._next()
        value = token.hexadecimal if bare_hex else token.number
        if value is None and sign is None:
            value = self._arch_number(token)
        if value is None:
            raise self._no_number(token, operation, info)
        return -value if sign is not None and sign.text == "-" else value

    def _no_number(self, token: Token, operation: Operation, info: OperandInfo) -> Malformed:
        is_register = info.codec.meaning == "register"
        why = ""
        if token.kind == "word" and _operation(token.text) is None:
            names = {} if self._arch is None else self._arch.by_name
            if is_register and self._arch is None:
                why = "; names of registers need an architecture"
            elif is_register and self._arch is not None:
                why = f"; {self._arch.name} has no register of this name"
            why += suggestion(token.text, {name: name for name in names})
        kind = "a register" if is_register else f"a number ({info.name})"
        return token.error(f"{operation} needs {kind} here{why}")

    def _arch_number(self, token: Token) -> int | None:
        """The DWARF number of the register or address space that the word names."""
        if self._arch is None or token.kind != "word":
            return None
        register = self._arch.register_named(token.text)
        if register is not None:
            if register.number is None:
                raise token.error(f"register {register} has no DWARF number")
            return register.number
        space = self._arch.address_space_named(token.text)
        return None if space is None else space.number

    def _reference(self, operation: Operation, info: OperandInfo) -> int:
        """`(0x2a)` `<0x2a>` `[    2a]`: an offset from the start of the section."""
        opening = self._next()
        meaning = info.codec.meaning
        bare_hex = opening.text == "[" and meaning in ("type", "die")
        value = self._signed(operation, info, bare_hex)
        if self._accept("-"):
            self._expect(">", "after -")
        relative = meaning == "type" or (meaning == "die" and info.codec.name != "offset")
        if self._accept_arrow():
            self._signed(operation, info, False)  # the offset in the section; the unit's is first
        elif relative and value:
            value -= self._unit_offset
        self._expect(_CLOSING[opening.text], f"after the {info.name}")
        if value < 0:
            raise opening.error(f"a reference before the unit at {self._unit_offset:#x}")
        return value

    def _accept_arrow(self) -> bool:
        found = self._token.kind == "punctuation" and self._token.text == "->"
        if found:
            self._next()
        return found

    def _branch(self, part: _Part) -> int:
        """A displacement, a label, or, after a listed offset, the offset of the target."""
        self._fillers("branch")
        token = self._token
        if token.kind == "word" and token.number is None:
            self._next()
            part.refer(token)
            return 0
        sign = self._accept("+-")
        token = self._next()
        number = token.number
        if number is None:
            raise token.error("a displacement or a label is expected here")
        if sign is None and part.listed is not None:
            return number - part.listed - _BRANCH_BYTES
        return -number if sign is not None and sign.text == "-" else number

    def _nested(self, operation: Operation, depth: int) -> bytes:
        """An expression in parentheses."""
        self._fillers("expression")
        self._expect("(", f"before the expression of {operation}")
        data = self._items(depth + 1)
        self._expect(")", f"after the expression of {operation}")
        return data

    def _block(self, operation: Operation, info: OperandInfo) -> bytes:
        """A count and as many bytes; after `byte block:` they are hexadecimal without 0x."""
        self._fillers("block")
        count_token = self._token
        is_block = self._peek().text == "byte"
        count = self._signed(operation, info, False)
        if is_block:
            self._next()
            if self._next().text != "block" or not self._accept(":"):
                raise count_token.error("'byte block:' expected after it")
            data = self._hex_bytes(count_token)
        else:
            data = self._counted(count_token, operation, count)
        if len(data) != count:
            raise count_token.error(f"{operation} has {len(data)} of {count} bytes")
        return data

    def _counted(self, start: Token, operation: Operation, count: int) -> bytes:
        out = bytearray()
        while len(out) < count:
            self._accept(",")
            token = self._next()
            number = token.number
            if number is None or number > 255:
                raise token.error(
                    f"byte {len(out)} of the {count} of {operation} (0 to 255) is expected here"
                )
            out.append(number)
        return bytes(out)

    # Decoration.

    def _register_mention(self, number: int) -> None:
        """`RSP`, `(rsp)` or `[$rsp]` after an operation that has the register in its name."""
        self._decoration(self._token.line)
        token = self._token
        if token.kind != "word" or token.number is not None or self._peek().is_sign(":"):
            return
        if _operation(token.text) is not None or token.text.startswith("."):
            return
        named = None if self._arch is None else self._arch.register_named(token.text)
        if named is not None and named.number != number:
            raise token.error(f"its DWARF number is {named.number}, not {number}")
        self._next()

    def _decoration(self, line: int) -> None:
        """Pass names in brackets on the same line: `(rsp)`, `[$rsp]`, `(bytes)`, `<symbol>`."""
        while self._token.line == line and self._token.is_sign("([<"):
            inside = self._peek()
            if inside.kind != "word" or inside.number is not None:
                return
            if self._token.text == "[" and not inside.text.startswith("$"):
                return
            if self._token.text == "(" and _operation(inside.text) is not None:
                return
            self._bracketed()

    def _bracketed(self) -> None:
        """Pass brackets and what is in them, as far as the end of the line."""
        opening = self._next()
        closing = [_CLOSING[opening.text]]
        while closing:
            token = self._next()
            if token.kind in ("end", "newline"):
                raise opening.error(f"a {closing[-1]} is missing")
            if token.is_sign("([<"):
                closing.append(_CLOSING[token.text])
            elif token.is_sign(closing[-1]):
                closing.pop()


class _Part:
    """The bytes of one expression, and the branches whose targets are not known yet."""

    def __init__(self, form: UnitFormat) -> None:
        self.out = bytearray()
        self.listed: int | None = None
        """The offset that a listing gives for the next operation."""
        self._form = form
        self._labels: dict[str, int] = {}
        self._branches: list[tuple[int, Token]] = []

    def define(self, token: Token) -> None:
        """A label stands here."""
        if token.text in self._labels:
            raise token.error("this label is there twice")
        self._labels[token.text] = len(self.out)

    def refer(self, token: Token) -> None:
        """The branch that comes next goes to this label."""
        self._branches.append((len(self.out), token))

    def finished(self) -> bytes:
        """The bytes, once every branch has its displacement."""
        labels = {label.lower(): label for label in self._labels}
        for offset, token in self._branches:
            if token.text not in self._labels:
                raise token.error(f"no such label{suggestion(token.text, labels)}")
            end = offset + _BRANCH_BYTES
            by = self._labels[token.text] - end
            if not -0x8000 <= by < 0x8000:
                raise token.error(f"a branch of {by} bytes does not fit 2 bytes")
            self.out[offset + 1 : end] = by.to_bytes(2, self._form.endian, signed=True)
        return bytes(self.out)


def bare_name(word: str) -> str:
    """The name of an operation in lower case, without DW_OP_."""
    return word.lower().removeprefix("dw_op_")


def _operation(word: str) -> Operation | None:
    return _by_name().get(bare_name(word))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Operation]:
    return {name.lower(): operation for name, operation in OPERATIONS.items()}


@lru_cache(maxsize=2)
def _known(prefix: str) -> dict[str, str]:
    """Names to suggest, by lower-case spellings with and without LLVM_."""
    names = {prefix + name.removeprefix("LLVM_"): prefix + name for name in OPERATIONS}
    names |= {prefix + name: prefix + name for name in OPERATIONS}
    return {spelling.lower(): name for spelling, name in names.items()}
