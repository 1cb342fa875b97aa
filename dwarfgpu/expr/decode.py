"""Decode bytes to instructions, and encode them again (DWARF 5 7.7.1; AMD text A.7.7.1).

Law: decoding never loses what it read. Where an encoding is unknown or cut short, the
instructions before it stay usable and the rest is kept as it is, with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import contents
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import Malformed, Site
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.operand_codec import Operand
from dwarfgpu.expr.operation import LLVM_USER, Code, Operation


@frozen
class Expression:
    """A decoded operation expression."""

    data: bytes
    dialect: Dialect
    format: UnitFormat
    instructions: Instructions
    error: Malformed | None = field(default=None, eq=False)
    """Why decoding ended before the end."""

    @property
    def undecoded(self) -> bytes:
        """The bytes from the first that could not be decoded."""
        return self.data[self.instructions[-1].end if self.instructions else 0 :]


CACHED_BYTES = 1024
"""Only the last few longer expressions are kept, so that hostile ones do not fill memory."""


CACHE_SIZE = 4096
"""Cache size for encodings; bounded, so that unrepeated encodings do not fill the memory."""

EXTENDED = 0xDE
"""DW_OP_extended of DWARF 6 (`dialect/data/dwarf6.json`): no operation of it has a number."""

PROBED_SIZES = 8
"""Sizes of the encodings of one opcode that are looked for before decoding."""


@names_wrong_arguments
def decode(data: bytes, dialect: Dialect, form: UnitFormat) -> Expression:
    """Decode as far as possible; never raises for the bytes."""
    data = contents("data", data)  # only bytes have a hash
    return (decode_cached if len(data) <= CACHED_BYTES else _decode_long)(data, dialect, form)


def decode_once(data: bytes, dialect: Dialect, form: UnitFormat) -> Expression:
    """Return the same, not kept: who judges all expressions of a file needs each once."""
    reader = Reader(data, form.endian)
    by_code = encodings(dialect).by_code
    out = Instructions()
    numbers: dict[bytes, int] = {}
    sizes_by_opcode: defaultdict[int, list[int]] = defaultdict(list)
    position, error = 0, None
    while position < len(data):
        # An encoding that was decoded before is known by its bytes: none is a prefix of another.
        sizes = sizes_by_opcode[data[position]]
        for size in sizes:
            number = numbers.get(data[position : position + size])
            if number is not None:
                break
        else:
            reader.position = position
            operation: Operation | None = None
            try:
                operation = _operation(reader, by_code, dialect)
                operands = tuple(
                    [operand.codec.read(reader, form) for operand in operation.operands]
                )
            except Malformed as cause:
                error = cause.with_traceback(None)
                if error.site is None:
                    name, section = None, "A.2.5.4"
                    if operation is not None:
                        name, section = operation.title, operation.section
                    error.site = Site(position, name, section)
                break
            size = reader.position - position
            encoding = data[position : reader.position]
            number = out.add(Instruction(position, operation, operands, encoding))
            if size not in sizes and len(sizes) < PROBED_SIZES:
                sizes.append(size)
            if size in sizes:
                if len(numbers) >= CACHE_SIZE:
                    numbers.clear()  # what comes often comes again
                numbers[encoding] = number
        out.append(number, position)
        position += size
    return Expression(data, dialect, form, out, error)


decode_cached = lru_cache(maxsize=4096)(decode_once)
_decode_long = lru_cache(maxsize=2)(decode_once)


def _operation(reader: Reader, by_code: Mapping[Code, Operation], dialect: Dialect) -> Operation:
    opcode = reader.u8()
    operation = by_code.get(opcode)
    if operation is not None:
        return operation
    if dialect.dwarf6 and opcode == EXTENDED:
        raise Malformed(
            f"unknown operation DW_OP_extended {_sub_opcode(reader, 'DW_OP_extended'):#x} in "
            f"dialect {dialect}; its length is unknown"
        )
    if opcode != LLVM_USER:
        raise Malformed(f"unknown operation {opcode:#04x} in dialect {dialect}")
    sub_opcode = _sub_opcode(reader, "DW_OP_LLVM_user")
    operation = by_code.get((opcode, sub_opcode))
    if operation is None:
        reserved = " (reserved)" if sub_opcode == 0 else ""
        raise Malformed(
            f"unknown operation DW_OP_LLVM_user {sub_opcode:#04x}{reserved} in dialect {dialect}; "
            "its length is unknown"
        )
    return operation


def _sub_opcode(reader: Reader, title: str) -> int:
    """Read the sub-opcode of an operation; `Malformed`, at that operation, if it is cut short."""
    position = reader.position - 1
    try:
        return reader.uleb()
    except Malformed as error:
        error.site = Site(position, title, "A.2.5.4.0")
        raise


def encode(
    operation: Operation, operands: Iterable[Operand], dialect: Dialect, form: UnitFormat
) -> bytes:
    """Return the shortest encoding; `Malformed` where the dialect has none or an operand does not
    fit."""
    code = encodings(dialect).codes.get(operation.name)
    if code is None:
        raise Malformed(f"{operation} has no encoding in dialect {dialect}")
    return encode_as(code, operation, operands, form)


def encode_as(
    code: Code, operation: Operation, operands: Iterable[Operand], form: UnitFormat
) -> bytes:
    """Return the shortest encoding under one of the encodings of the operation in some dialect."""
    out = bytes((code[0],)) + encode_uleb(code[1]) if isinstance(code, tuple) else bytes((code,))
    return out + b"".join(
        info.codec.write(operand, form)
        for info, operand in zip(operation.operands, operands, strict=True)
    )
