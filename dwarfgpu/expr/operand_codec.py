"""Operand kinds: how operands are decoded and encoded (DWARF 5 7.7.1).

An operand kind is the annotation of a keyword-only parameter of an operation; to the type
checker it is the `int` or `bytes` that the operation receives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Malformed, counted, shown
from dwarfgpu.expr.context import UnitFormat

Operand: TypeAlias = int | bytes
Meaning = Literal[
    "number",
    "register",
    "address",
    "size",
    "displacement",
    "branch",
    "type",
    "die",
    "block",
    "expression",
]
"""What an operand means; decides how it is printed and which names its text may use."""


@frozen
class Codec:
    """One operand kind."""

    name: str
    meaning: Meaning
    read: Callable[[Reader, UnitFormat], Operand]
    write: Callable[[Operand, UnitFormat], bytes]


def _number(value: Operand) -> int:
    assert isinstance(value, int)
    return value


def _block(value: Operand) -> bytes:
    assert isinstance(value, bytes)
    return value


def _packed(value: Operand, size_bytes: int, signed: bool, form: UnitFormat) -> bytes:
    number = _number(value)
    low, high = (
        (-1 << 8 * size_bytes - 1, 1 << 8 * size_bytes - 1)
        if signed
        else (
            0,
            1 << 8 * size_bytes,
        )
    )
    if not low <= number < high:
        kind = "a signed" if signed else "an unsigned"
        raise Malformed(
            f"{shown(number)} does not fit {kind} operand of {counted(size_bytes, 'byte')}"
        )
    return number.to_bytes(size_bytes, form.endian, signed=signed)


def _fixed(size_bytes: int, meaning: Meaning, signed: bool = False) -> Codec:
    read: Callable[[Reader, UnitFormat], Operand] = (
        (lambda reader, form: reader.signed(size_bytes))
        if signed
        else (lambda reader, form: reader.unsigned(size_bytes))
    )
    return Codec(
        f"{'s' if signed else 'u'}{8 * size_bytes}",
        meaning,
        read,
        lambda value, form: _packed(value, size_bytes, signed, form),
    )


def _small_uleb(reader: Reader, form: UnitFormat) -> int:
    value = reader.uleb()
    if value >> 64:
        raise Malformed(f"operand of {value.bit_length()} bits does not fit 64 bits")
    return value


def _uleb(meaning: Meaning) -> Codec:
    """Return a codec of unsigned LEB128: a literal has any size, since the operation takes what
    it needs; else at most 64 bits."""
    read: Callable[[Reader, UnitFormat], Operand] = (
        (lambda reader, form: reader.uleb()) if meaning == "number" else _small_uleb
    )
    return Codec("uleb", meaning, read, lambda value, form: encode_uleb(_number(value)))


def _counted(meaning: Meaning) -> Codec:
    return Codec(
        "block",
        meaning,
        lambda reader, form: reader.block(),
        lambda value, form: encode_uleb(len(_block(value))) + _block(value),
    )


def _write_block1(value: Operand, form: UnitFormat) -> bytes:
    data = _block(value)
    if len(data) > 255:
        raise Malformed(f"a block of {counted(len(data), 'byte')} has no one-byte length")
    return bytes((len(data),)) + data


def _reference_size(form: UnitFormat) -> int:
    """Return bytes of a reference into `.debug_info`: in DWARF 2 the size of an address."""
    return form.address_size if form.version == 2 else form.offset_size


def _read_encoded(reader: Reader, form: UnitFormat) -> bytes:
    """Return a pointer encoding byte (DW_EH_PE_*) and the pointer that it announces, undecoded."""
    start = reader.position
    encoding = reader.u8()
    kind = encoding & 0x0F
    if encoding != 0xFF:
        if kind in (1, 9):
            reader.uleb()
        else:
            sizes = {0: form.address_size, 2: 2, 3: 4, 4: 8, 10: 2, 11: 4, 12: 8}
            if kind not in sizes:
                raise Malformed(f"unknown pointer encoding {encoding:#x}")
            reader.take(sizes[kind])
    return reader.data[start : reader.position]


U8: TypeAlias = Annotated[int, _fixed(1, "number")]
U16: TypeAlias = Annotated[int, _fixed(2, "number")]
U32: TypeAlias = Annotated[int, _fixed(4, "number")]
U64: TypeAlias = Annotated[int, _fixed(8, "number")]
S8: TypeAlias = Annotated[int, _fixed(1, "number", signed=True)]
S16: TypeAlias = Annotated[int, _fixed(2, "number", signed=True)]
S32: TypeAlias = Annotated[int, _fixed(4, "number", signed=True)]
S64: TypeAlias = Annotated[int, _fixed(8, "number", signed=True)]
ULEB: TypeAlias = Annotated[int, _uleb("number")]
SLEB: TypeAlias = Annotated[
    int,
    Codec(
        "sleb",
        "displacement",
        lambda reader, form: reader.sleb(),
        lambda value, form: encode_sleb(_number(value)),
    ),
]
SignedNumber: TypeAlias = Annotated[
    int,
    Codec(
        "sleb",
        "number",
        lambda reader, form: reader.sleb(),
        lambda value, form: encode_sleb(_number(value)),
    ),
]
Size8: TypeAlias = Annotated[int, _fixed(1, "size")]
"""A byte size of one byte."""
Size: TypeAlias = Annotated[int, _uleb("size")]
"""A size or count in ULEB128; more than 64 bits is malformed."""
RegisterNumber: TypeAlias = Annotated[int, _uleb("register")]
AddressIndex: TypeAlias = Annotated[int, _uleb("size")]
Branch: TypeAlias = Annotated[int, _fixed(2, "branch", signed=True)]
"""Bytes to jump, counted from after the operand."""
Address: TypeAlias = Annotated[
    int,
    Codec(
        "address",
        "address",
        lambda reader, form: reader.unsigned(form.address_size),
        lambda value, form: _packed(value, form.address_size, False, form),
    ),
]
TypeOffset: TypeAlias = Annotated[int, _uleb("type")]
"""A base type, by its DIE's offset from the start of the unit."""
UnitRef2: TypeAlias = Annotated[int, _fixed(2, "die")]
UnitRef4: TypeAlias = Annotated[int, _fixed(4, "die")]
DieOffset: TypeAlias = Annotated[
    int,
    Codec(
        "offset",
        "die",
        lambda reader, form: reader.unsigned(_reference_size(form)),
        lambda value, form: _packed(value, _reference_size(form), False, form),
    ),
]
"""A DIE, by its offset in `.debug_info`."""
Block: TypeAlias = Annotated[bytes, _counted("block")]
Block1: TypeAlias = Annotated[
    bytes,
    Codec(
        "block1",
        "block",
        lambda reader, form: reader.take(reader.u8()),
        _write_block1,
    ),
]
"""Bytes with a one-byte length."""
Expression: TypeAlias = Annotated[bytes, _counted("expression")]
"""An operation expression with its ULEB128 length."""
EncodedAddress: TypeAlias = Annotated[
    bytes, Codec("encoded", "block", _read_encoded, lambda value, form: _block(value))
]
"""A pointer in an encoding of `.eh_frame`."""
