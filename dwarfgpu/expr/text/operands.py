"""Operands as text: numbers, names and references, and what tools print around them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.suggest import nearest, nearest_meaning
from dwarfgpu.errors import Malformed, counted
from dwarfgpu.expr import ops  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.operation import OPERATIONS, OperandInfo, Operation
from dwarfgpu.expr.text.lexer import Cursor, Token

_FILLERS: Final = frozenset(("size", "offset", "register", "die", "to", "bytes"))
"""Words that tools put before an operand or after a size."""


def bare_name(word: str) -> str:
    """Return the name of an operation in lower case, without DW_OP_."""
    return word.lower().removeprefix("dw_op_")


def operation_named(word: str, dialect: Dialect = AMD) -> Operation | None:
    """Return the operation of that name in any letter case, with or without DW_OP_.

    DWARF 6 has names that are words of other texts (`offset`, `mem`): without DW_OP_ they name
    operations in its own dialects only.
    """
    name = bare_name(word)
    if dialect.dwarf6:
        return _by_name6().get(name) or _by_name().get(name)
    operation = _by_name().get(name)
    return _by_name6().get(name) if operation is None and len(name) < len(word) else operation


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Operation]:
    return {name.lower(): operation for name, operation in OPERATIONS.items()}


@lru_cache(maxsize=1)
def _by_name6() -> dict[str, Operation]:
    from dwarfgpu.expr.dialect.dwarf6 import ALIASES, CHANGED, OPERATIONS_6  # few texts have them

    by_name = {**OPERATIONS, **CHANGED, **OPERATIONS_6}
    aliases = {alias: by_name[name] for alias, name in ALIASES.items()}
    return {**CHANGED, **OPERATIONS_6, **aliases}


def unknown_operation(token: Token) -> Malformed:
    """Return the error for a word that is not an operation, with similar names."""
    from dwarfgpu.expr.dialect.dwarf6_names import names  # for the error only

    planned = names().operations.get(bare_name(token.text))
    if planned is not None and planned.prefix:
        return token.error("no operation that it would begin is defined (docs/dwarf6.md)")
    if planned is not None and planned.bare not in _by_name6():
        issue = planned.issue
        reason = f"{issue.title}, draft {issue.number}, is {issue.state}"
        return token.error(f"{reason}; {planned.llvm} is what it comes from")
    prefix = "DW_OP_" if token.text.lower().startswith("dw_op_") else ""
    return token.error(f"unknown operation{nearest_meaning(token.text, _spellings(prefix))}")


@lru_cache(maxsize=2)
def _spellings(prefix: str) -> dict[str, str]:
    """Return names to suggest, by lower-case spellings with and without LLVM_."""
    names = {prefix + name.removeprefix("LLVM_"): prefix + name for name in OPERATIONS}
    names |= {prefix + name: prefix + name for name in OPERATIONS}
    return {spelling.lower(): name for spelling, name in names.items()}


class OperandReader:
    """Reads operands at a cursor."""

    def __init__(
        self,
        cursor: Cursor,
        arch: Architecture | None,
        unit_offset: int,
        dialect: Dialect = AMD,
    ) -> None:
        self._cursor = cursor
        self._dialect = dialect
        self._arch = arch
        self._unit_offset = unit_offset

    def number(self, operation: Operation, info: OperandInfo, bare_hex: bool = False) -> int:
        """Parse a number, a name for one, or a reference; `bare_hex`: without 0x."""
        cursor, meaning = self._cursor, info.codec.meaning
        filler = self.skip_fillers()
        if meaning == "register" and cursor.token.is_sign("[") and cursor.peek().text[:1] == "$":
            opening = cursor.next()  # GDB: the register only by its name
            value = self._signed(operation, info, False)
            cursor.close(opening, "after the register")
        elif cursor.token.is_sign("(<["):
            value = self._reference(operation, info)
        else:
            # GDB prints offsets of DIEs in hexadecimal, after a word.
            value = self._signed(operation, info, bare_hex or (meaning == "die" and filler))
        if meaning == "register":
            self.skip_decoration()
        elif cursor.token.is_sign("-") and cursor.peek().text == "byte":
            cursor.next()  # GDB: 4-byte
            cursor.next()
        return value

    def skip_fillers(self) -> bool:
        """Skip commas and the words that tools put before operands; return whether there were
        words."""
        cursor, has_words = self._cursor, False
        while True:
            if cursor.accept(","):
                continue
            if cursor.token.text.lower() not in _FILLERS:
                return has_words
            has_words = True
            cursor.next()
            cursor.accept(":")

    def _signed(self, operation: Operation, info: OperandInfo, bare_hex: bool) -> int:
        sign = self._cursor.accept("+-")
        token = self._cursor.next()
        value = token.hexadecimal if bare_hex else token.number
        if value is None and sign is None:
            value = self._named(token)
        if value is None:
            raise self._no_number(token, operation, info)
        return -value if sign is not None and sign.text == "-" else value

    def _no_number(self, token: Token, operation: Operation, info: OperandInfo) -> Malformed:
        is_register = info.codec.meaning == "register"
        why = ""
        if token.kind == "word" and operation_named(token.text, self._dialect) is None:
            names = {} if self._arch is None else self._arch.by_name
            if is_register and self._arch is None:
                why = "; names of registers need an architecture"
            elif is_register and self._arch is not None:
                why = f"; {self._arch.name} has no register of this name"
            why += nearest(token.text, names)
        of_operand = "" if info.name == "number" else f" ({info.name})"
        kind = "a register" if is_register else f"a number{of_operand}"
        return token.error(f"{operation} needs {kind} here{why}")

    def _named(self, token: Token) -> int | None:
        """Return the DWARF number of the register or address space that the word names."""
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
        """Parse `(0x2a)` `<0x2a>` `[ 2a]` `<int [0x2a]>`: an offset from the start of the
        section."""
        cursor, meaning = self._cursor, info.codec.meaning
        opening = outer = cursor.next()
        if outer.text == "<" and meaning == "type" and cursor.token.number is None:
            opening = self._skip_type_name()
        bare_hex = opening.text == "[" and meaning in ("type", "die")
        value = self._signed(operation, info, bare_hex)
        relative = meaning == "type" or (meaning == "die" and info.codec.name != "offset")
        if cursor.token.text == "->":
            cursor.next()
            self._signed(operation, info, False)  # the same in the section; the unit's was first
        elif relative and value:
            value -= self._unit_offset
        cursor.close(opening, f"after the {info.name}")
        if opening is not outer:
            cursor.accept(">")
        if value < 0:
            raise opening.error(f"a reference before the unit at {self._unit_offset:#x}")
        return value

    def _skip_type_name(self) -> Token:
        """Skip the name of a type, `int [0x2a]>` or `int> [0x2a]`; return the bracket after it."""
        while True:
            token = self._cursor.next()
            if token.is_sign("["):
                return token
            if token.kind != "word" and not token.is_sign("<>(),:"):
                raise token.error("[ expected before the offset of the type")

    def type_before(self, operation: Operation) -> int | None:
        """Read a type that comes first in the text but second among the operands, as in GDB."""
        operands, cursor = operation.operands, self._cursor
        if len(operands) != 2 or operands[1].codec.meaning != "type":
            return None
        if not cursor.token.is_sign("<") or cursor.peek().number is not None:
            return None
        return self._reference(operation, operands[1])

    def block(self, operation: Operation, info: OperandInfo) -> bytes:
        """Read a count and as many bytes; after `byte block:` they are hexadecimal without 0x."""
        self.skip_fillers()
        cursor = self._cursor
        start = cursor.token
        if self.at_byte_block(0):
            return self.byte_block()
        count = self._signed(operation, info, False)
        out = bytearray()
        while len(out) < count:
            cursor.accept(",")
            token = cursor.next()
            number = token.number
            if number is None or number > 255:
                raise token.error(
                    f"byte {len(out)} of the {count} of {operation} (0 to 255) is expected here"
                )
            out.append(number)
        if count < 0:
            raise start.error(f"{operation} of {counted(count, 'byte')}")
        return bytes(out)

    def at_byte_block(self, distance: int) -> bool:
        """Return whether `N byte block:` follows, that many words ahead."""
        peek = self._cursor.peek
        words = [peek(distance + ahead).text for ahead in range(1, 4)]
        return peek(distance).number is not None and words == ["byte", "block", ":"]

    def byte_block(self) -> bytes:
        """Read `2 byte block: 91 6c`."""
        count = self._cursor.next()
        for _ in range(3):
            self._cursor.next()
        data = self.hex_bytes()
        if len(data) != count.number:
            raise count.error(f"the block has {counted(len(data), 'byte')}")
        return data

    def hex_bytes(self) -> bytes:
        """Read hexadecimal bytes without 0x, to the end of the line."""
        out = bytearray()
        line = self._cursor.line
        while self._cursor.token.kind == "word" and self._cursor.token.line == line:
            out.append(self._byte(self._cursor.next(), bare_hex=True))
        return bytes(out)

    def byte_list(self) -> bytes:
        """Parse the operand of `.byte`: numbers with commas, to the end of the line."""
        out = bytearray()
        while True:
            out.append(self._byte(self._cursor.next(), bare_hex=False))
            if not (self._cursor.token.is_sign(",") and self._cursor.peek().number is not None):
                return bytes(out)
            self._cursor.next()

    def _byte(self, token: Token, bare_hex: bool) -> int:
        number = token.hexadecimal if bare_hex else token.number
        if number is None or number > 255:
            expected = "a byte in hexadecimal" if bare_hex else "a byte (0 to 255)"
            raise token.error(f"{expected} is expected here")
        return number

    # Decoration.

    def register_mention(self, number: int) -> None:
        """Read `RSP`, `(rsp)` or `[$rsp]` after an operation with the register in its name."""
        cursor = self._cursor
        self.skip_decoration()
        token = cursor.token
        if token.kind != "word" or token.number is not None or cursor.peek().is_sign(":"):
            return
        if operation_named(token.text, self._dialect) is not None or token.text.startswith("."):
            return
        if token.line != cursor.line:
            return
        named = None if self._arch is None else self._arch.register_named(token.text)
        if named is not None and named.number != number:
            raise token.error(f"its DWARF number is {named.number}, not {number}")
        cursor.next()

    def skip_decoration(self) -> None:
        """Skip names in brackets on the same line: `(rsp)`, `[$rsp]`, `(bytes)`, `<symbol>`."""
        cursor = self._cursor
        line = cursor.line
        while cursor.token.line == line and cursor.token.is_sign("([<"):
            inside = cursor.peek()
            if inside.kind != "word" or inside.number is not None:
                return
            if cursor.token.text == "[" and not inside.text.startswith("$"):
                return
            if cursor.token.text == "(" and operation_named(inside.text, self._dialect) is not None:
                return
            cursor.pass_bracketed()
