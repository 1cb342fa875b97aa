"""Operation expressions as text: the assembler and the lossless disassembler.

Law: `assemble` of the output of `disassemble` gives the same bytes, whatever the bytes. Bytes
without a text of their own (numbers in more bytes than needed, unknown operations, a cut end)
become `.byte`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import counted
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import Expression, decode, encode_as
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operand_codec import Codec
from dwarfgpu.expr.operation import Code
from dwarfgpu.expr.text.parser import Parser

_FORM: Final = UnitFormat()
_LONGEST_TEXT: Final = 10_000
"""Characters of operations in one line."""
_DEEPEST: Final = 32
"""The depth to which nested expressions are decoded; deeper ones are bytes."""
_MAX_BITS: Final = 8192
"""Maximum size in bits of a number that is printed: far more than any operation takes."""
_SIGNED_CODECS: Final = frozenset(("sleb", "s8", "s16", "s32", "s64"))


@frozen
class Line:
    """An operation, or bytes that have no text of their own."""

    offset: int
    """Bytes from the start of the expression."""
    data: bytes
    text: str
    """The text that `assemble` turns into `data`."""
    comment: str | None
    """Facts that the text does not show."""
    instruction: Instruction | None
    """None if the bytes cannot be decoded."""

    def __str__(self) -> str:
        return self.text if self.comment is None else f"{self.text}  # {self.comment}"


@names_wrong_arguments
def assemble(
    text: str,
    dialect: Dialect = AMD,
    form: UnitFormat = _FORM,
    arch: Architecture | None = None,
    *,
    unit_offset: int = 0,
) -> bytes:
    """Assemble the text of an expression (`docs/expression-syntax.md`).

    References in brackets, as tools print them, count from the start of the section: `unit_offset`
    is that of the unit. `Malformed` gives line, column and token of an error.
    """
    return Parser(text, dialect, form, arch, unit_offset).parse()


@names_wrong_arguments
def disassemble(
    data: bytes,
    dialect: Dialect = AMD,
    form: UnitFormat = _FORM,
    arch: Architecture | None = None,
) -> tuple[Line, ...]:
    """Return the lines of an expression; never raises, and loses nothing."""
    return _lines(decode(data, dialect, form), arch, 0)


def expression_text(
    data: bytes,
    dialect: Dialect = AMD,
    form: UnitFormat = _FORM,
    arch: Architecture | None = None,
) -> str:
    """Return the expression in one line, as llvm-dwarfdump writes it; lossless, without
    comments."""
    return ", ".join(line.text for line in disassemble(data, dialect, form, arch))


def readable_text(
    data: bytes,
    dialect: Dialect = AMD,
    form: UnitFormat = _FORM,
    arch: Architecture | None = None,
) -> str:
    """Return the expression in one line, for people: a padded number is shown as a number."""
    return ", ".join(_readable(decode(data, dialect, form), arch, 0))


def shortened(text: str) -> str:
    """Return the text of operations as one line for people, who read no line of megabytes."""
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_LONGEST_TEXT]}… ({len(text) - _LONGEST_TEXT} more characters)"


def instruction_text(
    instruction: Instruction,
    arch: Architecture | None = None,
    dialect: Dialect = AMD,
    form: UnitFormat = _FORM,
) -> str:
    """Return the operation with its operands, for people: a padded number is shown as a number."""
    return _text(instruction, arch, dialect, form, 0, is_exact=False)


def _lines(expression: Expression, arch: Architecture | None, depth: int) -> tuple[Line, ...]:
    starts = {instruction.offset for instruction in expression.instructions} | {
        len(expression.data)
    }
    lines = [
        _line(instruction, expression, arch, depth, starts)
        for instruction in expression.instructions
    ]
    undecoded = expression.undecoded
    if undecoded:
        offset = len(expression.data) - len(undecoded)
        lines.append(Line(offset, undecoded, _bytes_text(undecoded), str(expression.error), None))
    return tuple(lines)


def _readable(expression: Expression, arch: Architecture | None, depth: int) -> Iterator[str]:
    dialect, form = expression.dialect, expression.format
    for instruction in expression.instructions:
        if _widest(instruction) > _MAX_BITS:
            yield _bytes_text(instruction.encoding)
        else:
            yield _text(instruction, arch, dialect, form, depth, is_exact=False)
    if expression.undecoded:
        yield _bytes_text(expression.undecoded)


def _widest(instruction: Instruction) -> int:
    """Return bits of the largest number among the operands."""
    numbers = (operand for operand in instruction.operands if isinstance(operand, int))
    return max((number.bit_length() for number in numbers), default=0)


def _line(
    instruction: Instruction,
    expression: Expression,
    arch: Architecture | None,
    depth: int,
    starts: set[int],
) -> Line:
    dialect, form = expression.dialect, expression.format
    operation, operands = instruction.operation, instruction.operands
    data = instruction.encoding
    widest = _widest(instruction)
    if widest > _MAX_BITS:
        why = f"{operation} with a number of {widest} bits"
        return Line(instruction.offset, data, _bytes_text(data), why, instruction)
    comment = None
    text = _text(instruction, arch, dialect, form, depth)
    shortest = encode_as(_code(instruction, dialect), operation, operands, form)
    if shortest != data:
        comment = f"{text}, in {counted(len(data), 'byte')} where {len(shortest)} are enough"
        text = _bytes_text(data)
    elif operation.operands and operation.operands[0].codec.meaning == "branch":
        (by,) = operands
        assert isinstance(by, int)
        target = instruction.end + by
        if target not in starts:
            inside = 0 <= target < len(expression.data)
            comment = f"to {target:#x}, {'inside an operation' if inside else 'outside'}"
    return Line(instruction.offset, data, text, comment, instruction)


def _text(
    instruction: Instruction,
    arch: Architecture | None,
    dialect: Dialect,
    form: UnitFormat,
    depth: int,
    *,
    is_exact: bool = True,
) -> str:
    operation = instruction.operation
    out = operation.title
    if operation.name.startswith("LLVM_") and isinstance(_code(instruction, dialect), tuple):
        out = f"DW_OP_LLVM_user {out}"
    named = False
    if operation.number is not None and operation.name.startswith(("reg", "breg")):
        named = arch is not None and operation.number in arch.registers
        if arch is not None and named:
            out += f" {arch.dwarf_name(operation.number)}"
    for info, operand in zip(operation.operands, instruction.operands, strict=True):
        if isinstance(operand, bytes):
            if info.codec.meaning == "block":
                out += _block(operand)
            else:
                out += _nested(operand, arch, dialect, form, depth, is_exact)
        elif info.codec.meaning == "register":
            named = arch is not None and operand in arch.registers
            out += f" {operand:#x}" if arch is None else f" {arch.dwarf_name(operand)}"
        else:  # a displacement follows the name of a register closely: RSP+8
            close = named and info.codec.meaning == "displacement"
            out += ("" if close else " ") + _number(operand, info.codec)
    return out


def _nested(
    data: bytes,
    arch: Architecture | None,
    dialect: Dialect,
    form: UnitFormat,
    depth: int,
    is_exact: bool,
) -> str:
    if depth >= _DEEPEST:
        return f"({_bytes_text(data)})"
    expression = decode(data, dialect, form)
    if is_exact:
        return f"({', '.join(line.text for line in _lines(expression, arch, depth + 1))})"
    return f"({', '.join(_readable(expression, arch, depth + 1))})"


def _block(data: bytes) -> str:
    return f" {len(data):#x}" + "".join(f" {byte:#04x}" for byte in data)


def _number(number: int, codec: Codec) -> str:
    if codec.name not in _SIGNED_CODECS:
        return f"{number:#x}"
    return f"{number:+d}" if number.bit_length() <= 64 else f"{number:+#x}"


def _code(instruction: Instruction, dialect: Dialect) -> Code:
    """Return the encoding that the instruction has: a byte, or one and the number after it."""
    opcode = instruction.encoding[0]
    if opcode in encodings(dialect).by_code:
        return opcode
    return opcode, Reader(instruction.encoding, position=1).uleb()


def _bytes_text(data: bytes) -> str:
    return ".byte " + ", ".join(f"{byte:#04x}" for byte in data) if data else ""
