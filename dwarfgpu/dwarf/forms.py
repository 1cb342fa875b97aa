"""Attribute forms: how attribute values are encoded (DWARF 5 sections 7.5.5 and 7.5.6;
AMD text A.7.5.5).

A form is compiled once for the format of a unit: `reader_of` returns a function that reads a value,
`skip_plan` the steps that skip several. Values are kept unresolved; the unit resolves indexes and
offsets.

Law: a value is complete or `Malformed`; nothing is read past `end`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from struct import Struct
from typing import Final, Literal, NamedTuple, TypeAlias

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Data, Reader
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import Malformed, counted
from dwarfgpu.expr.context import UnitFormat

FormClass = Literal[
    "address",
    "addrx",
    "block",
    "constant",
    "exprloc",
    "flag",
    "unit_reference",
    "section_reference",
    "signature",
    "string",
    "strp",
    "line_strp",
    "strx",
    "sec_offset",
    "loclistx",
    "rnglistx",
    "addrx_offset",
    "supplementary_reference",
    "supplementary_string",
    "indirect",
]
"""What a value is: the classes of DWARF 5 7.5.5, split by how a value is resolved."""

Encoding: TypeAlias = (
    int
    | Literal[
        "address", "offset", "reference_address", "uleb", "sleb", "string", "implicit",
        "block1", "block2", "block4", "block", "addrx_offset",
    ]
)  # fmt: skip
"""A number of bytes, or the name of a size that depends on the unit or on the bytes."""

FORMAT_LETTERS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Format letters of `struct`, keyed by the size in bytes that an address can have."""

Raw: TypeAlias = int | bytes
ReadForm: TypeAlias = Callable[[Data, int, int], tuple[Raw, int]]
"""From data, position and end to the value and the position after it."""
ReadValue: TypeAlias = Callable[[Data, int, int], Raw]
"""From data, the position of the first value of an entry, and end to one of its values."""
SkipForm: TypeAlias = Callable[[Data, int, int], int]
SkipPlan: TypeAlias = tuple[int | SkipForm, ...]

FORMS: Final[dict[int, tuple[FormClass, Encoding]]] = {
    dw.FORM_ADDR: ("address", "address"),
    dw.FORM_BLOCK2: ("block", "block2"),
    dw.FORM_BLOCK4: ("block", "block4"),
    dw.FORM_DATA2: ("constant", 2),
    dw.FORM_DATA4: ("constant", 4),
    dw.FORM_DATA8: ("constant", 8),
    dw.FORM_STRING: ("string", "string"),
    dw.FORM_BLOCK: ("block", "block"),
    dw.FORM_BLOCK1: ("block", "block1"),
    dw.FORM_DATA1: ("constant", 1),
    dw.FORM_FLAG: ("flag", 1),
    dw.FORM_SDATA: ("constant", "sleb"),
    dw.FORM_STRP: ("strp", "offset"),
    dw.FORM_UDATA: ("constant", "uleb"),
    dw.FORM_REF_ADDR: ("section_reference", "reference_address"),
    dw.FORM_REF1: ("unit_reference", 1),
    dw.FORM_REF2: ("unit_reference", 2),
    dw.FORM_REF4: ("unit_reference", 4),
    dw.FORM_REF8: ("unit_reference", 8),
    dw.FORM_REF_UDATA: ("unit_reference", "uleb"),
    dw.FORM_INDIRECT: ("indirect", "uleb"),
    dw.FORM_SEC_OFFSET: ("sec_offset", "offset"),
    dw.FORM_EXPRLOC: ("exprloc", "block"),
    dw.FORM_FLAG_PRESENT: ("flag", "implicit"),
    dw.FORM_STRX: ("strx", "uleb"),
    dw.FORM_ADDRX: ("addrx", "uleb"),
    dw.FORM_REF_SUP4: ("supplementary_reference", 4),
    dw.FORM_STRP_SUP: ("supplementary_string", "offset"),
    dw.FORM_DATA16: ("constant", 16),
    dw.FORM_LINE_STRP: ("line_strp", "offset"),
    dw.FORM_REF_SIG8: ("signature", 8),
    dw.FORM_IMPLICIT_CONST: ("constant", "implicit"),
    dw.FORM_LOCLISTX: ("loclistx", "uleb"),
    dw.FORM_RNGLISTX: ("rnglistx", "uleb"),
    dw.FORM_REF_SUP8: ("supplementary_reference", 8),
    dw.FORM_STRX1: ("strx", 1),
    dw.FORM_STRX2: ("strx", 2),
    dw.FORM_STRX3: ("strx", 3),
    dw.FORM_STRX4: ("strx", 4),
    dw.FORM_ADDRX1: ("addrx", 1),
    dw.FORM_ADDRX2: ("addrx", 2),
    dw.FORM_ADDRX3: ("addrx", 3),
    dw.FORM_ADDRX4: ("addrx", 4),
    dw.FORM_GNU_ADDR_INDEX: ("addrx", "uleb"),
    dw.FORM_GNU_STR_INDEX: ("strx", "uleb"),
    dw.FORM_GNU_REF_ALT: ("supplementary_reference", "offset"),
    dw.FORM_GNU_STRP_ALT: ("supplementary_string", "offset"),
    dw.FORM_LLVM_ADDRX_OFFSET: ("addrx_offset", "addrx_offset"),
}


class Attribute(NamedTuple):
    """The unresolved value of one attribute of one entry."""

    form: int
    kind: FormClass
    raw: Raw
    """Bytes of a block, an expression or an inline string; otherwise the number."""


class WordReader(Reader):
    """A reader that reports LEB128 numbers of more than 64 bits as `Malformed`."""

    __slots__ = ()

    def uleb(self) -> int:
        start = self.position
        if start < self.end and (byte := self.data[start]) < 0x80:  # nearly all of them
            self.position = start + 1
            return byte
        if start + 1 < self.end and (second := self.data[start + 1]) < 0x80:
            self.position = start + 2
            return byte & 0x7F | second << 7
        return _word(super().uleb(), start)

    def sleb(self) -> int:
        start = self.position
        return _word(super().sleb(), start)


def _word(value: int, start: int) -> int:
    """Return the value; both readings of 64 bits are accepted, whatever the form."""
    if not -(1 << 63) <= value < 1 << 64:
        bits = value.bit_length()
        raise Malformed(f"LEB128 number of {bits} bits at offset {start:#x} does not fit 64 bits")
    return value


def read_uleb(data: Data, position: int, end: int) -> tuple[int, int]:
    """Return an unsigned LEB128 and the position after it."""
    if position < end and (byte := data[position]) < 0x80:
        return byte, position + 1
    if position + 1 < end and (second := data[position + 1]) < 0x80:
        return byte & 0x7F | second << 7, position + 2
    reader = WordReader(data, "little", min(position, end), end)
    return reader.uleb(), reader.position


def read_sleb(data: Data, position: int, end: int) -> tuple[int, int]:
    """Return a signed LEB128 and the position after it."""
    reader = WordReader(data, "little", min(position, end), end)
    return reader.sleb(), reader.position


def _skip_leb(data: Data, position: int, end: int) -> int:
    start = position
    while position < end:
        if data[position] < 0x80:
            return position + 1
        position += 1
    raise Malformed(f"LEB128 number at offset {start:#x} is cut short")


def _skip_string(data: Data, position: int, end: int) -> int:
    stop = data.find(b"\0", position, end)
    if stop < 0:
        raise Malformed(f"string at offset {position:#x} has no end")
    return stop + 1


def _read_string(data: Data, position: int, end: int) -> tuple[bytes, int]:
    stop = _skip_string(data, position, end)
    return data[position : stop - 1], stop


def _read_implicit(data: Data, position: int, end: int) -> tuple[int, int]:
    return 1, position


@lru_cache(maxsize=64)
def number_at(size_bytes: int, endian: Endian) -> Struct | None:
    """Return what reads a number of a size at an offset; None for a size without such a reader."""
    letter = FORMAT_LETTERS.get(size_bytes)
    return None if letter is None else Struct(("<" if endian == "little" else ">") + letter)


@lru_cache(maxsize=64)
def _fixed(size_bytes: int, endian: Endian) -> ReadForm:
    unpack = number_at(size_bytes, endian)

    def read(data: Data, position: int, end: int) -> tuple[int, int]:
        stop = position + size_bytes
        if stop > end:
            raise Malformed(
                f"{counted(size_bytes, 'byte')} needed at offset {position:#x}, fewer remain"
            )
        return int.from_bytes(data[position:stop], endian), stop

    if unpack is None:
        return read
    number = unpack.unpack_from

    def read_number(data: Data, position: int, end: int) -> tuple[int, int]:
        if position + size_bytes > end:
            return read(data, position, end)  # raises
        return number(data, position)[0], position + size_bytes

    return read_number


def read_block(data: Data, position: int, end: int) -> tuple[bytes, int]:
    """Return a block with an unsigned LEB128 length before it, and the position after it."""
    if position < end and (size_bytes := data[position]) < 0x80:  # nearly always
        start = position + 1
    else:
        size_bytes, start = read_uleb(data, position, end)
    return _block(data, start, size_bytes, end)


def _block(data: Data, start: int, size_bytes: int, end: int) -> tuple[bytes, int]:
    stop = start + size_bytes
    if stop > end:
        raise Malformed(f"block of {counted(size_bytes, 'byte')} at offset {start:#x} is cut short")
    return data[start:stop], stop


def _read_block(length: ReadForm) -> ReadForm:
    if length is read_uleb:
        return read_block

    def read(data: Data, position: int, end: int) -> tuple[bytes, int]:
        size_bytes, start = length(data, position, end)
        assert isinstance(size_bytes, int)
        return _block(data, start, size_bytes, end)

    return read


def _skip_uleb_block(data: Data, position: int, end: int) -> int:
    if position < end and (size_bytes := data[position]) < 0x80:  # nearly always
        return position + 1 + size_bytes
    size_bytes, start = read_uleb(data, position, end)
    return start + size_bytes


def _skip_block(length: ReadForm) -> SkipForm:
    if length is read_uleb:
        return _skip_uleb_block

    def skip(data: Data, position: int, end: int) -> int:
        size_bytes, start = length(data, position, end)
        assert isinstance(size_bytes, int)
        return start + size_bytes

    return skip


def _read_addrx_offset(endian: Endian) -> ReadForm:
    """Return the index and the four-byte offset as one number: index * 2**32 + offset."""

    def read(data: Data, position: int, end: int) -> tuple[int, int]:
        index, position = read_uleb(data, position, end)
        offset, position = _fixed(4, endian)(data, position, end)
        assert isinstance(offset, int)
        return index << 32 | offset, position

    return read


def _encoding(form: int, format: UnitFormat) -> Encoding:
    """Return how a form is encoded in a unit, sizes resolved; `Malformed` for an unknown form."""
    codec = FORMS.get(form)
    if codec is None:
        raise Malformed(f"form {form:#x} is unknown, and so is its length")
    match codec[1]:
        case "address":
            return format.address_size
        case "offset":
            return format.offset_size
        case "reference_address":
            # DWARF 2 gave DW_FORM_ref_addr the size of an address.
            return format.address_size if format.version == 2 else format.offset_size
        case encoding:
            return encoding


def fixed_size(form: int, format: UnitFormat) -> int | None:
    """Return the size in bytes of a value of a form, if it is fixed; `Malformed` for an unknown
    form."""
    encoding = _encoding(form, format)
    return encoding if isinstance(encoding, int) else None


def _block_length(encoding: str, endian: Endian) -> ReadForm:
    sizes = {"block1": 1, "block2": 2, "block4": 4}
    return _fixed(sizes[encoding], endian) if encoding in sizes else read_uleb


@lru_cache(maxsize=512)
def reader_of(form: int, format: UnitFormat) -> ReadForm:
    """Return the function that reads a value of a form; `Malformed` for an unknown form."""
    encoding = _encoding(form, format)
    match encoding:
        case int():
            return _fixed(encoding, format.endian)
        case "uleb":
            return read_uleb
        case "sleb":
            return read_sleb
        case "string":
            return _read_string
        case "implicit":
            return _read_implicit
        case "addrx_offset":
            return _read_addrx_offset(format.endian)
        case _:
            return _read_block(_block_length(encoding, format.endian))


@lru_cache(maxsize=512)
def _skipper_of(form: int, format: UnitFormat) -> int | SkipForm:
    if form == dw.FORM_INDIRECT:
        return _skip_indirect(format)
    encoding = _encoding(form, format)
    match encoding:
        case int():
            return encoding
        case "uleb" | "sleb":
            return _skip_leb
        case "string":
            return _skip_string
        case "implicit":
            return 0
        case "addrx_offset":
            return lambda data, position, end: _skip_leb(data, position, end) + 4
        case _:
            return _skip_block(_block_length(encoding, format.endian))


_MAX_INDIRECT: Final = 64
"""How many DW_FORM_indirect may name another one, in one value: it is read as often as it is asked
for."""


def indirect_form(data: Data, position: int, end: int) -> tuple[int, int]:
    """Return the form before a value of DW_FORM_indirect, and where the value starts.

    The form may be DW_FORM_indirect again, before another one; each has its byte.
    """
    form, start = read_uleb(data, position, end)
    for _ in range(_MAX_INDIRECT):
        if form != dw.FORM_INDIRECT:
            break
        form, start = read_uleb(data, start, end)
    if form in (dw.FORM_INDIRECT, dw.FORM_IMPLICIT_CONST):
        raise Malformed(f"DW_FORM_indirect at offset {position:#x} names form {form:#x}")
    return form, start


def indirect_attribute(data: Data, position: int, end: int, format: UnitFormat) -> Attribute:
    """Return the value of DW_FORM_indirect at a position, with the form that is before it."""
    form, start = indirect_form(data, position, end)
    raw, _ = reader_of(form, format)(data, start, end)
    return Attribute(form, FORMS[form][0], raw)


def _skip_indirect(format: UnitFormat) -> SkipForm:
    def skip(data: Data, position: int, end: int) -> int:
        form, position = indirect_form(data, position, end)
        step = _skipper_of(form, format)
        return position + step if isinstance(step, int) else step(data, position, end)

    return skip


def skip_plan(forms: Iterable[int], format: UnitFormat) -> SkipPlan:
    """Return the steps that skip values of these forms: numbers of bytes, and functions for other
    forms."""
    plan: list[int | SkipForm] = []
    for form in forms:
        step = _skipper_of(form, format)
        if isinstance(step, int):
            if plan and isinstance(last := plan[-1], int):
                plan[-1] = last + step
            elif step:
                plan.append(step)
        else:
            plan.append(step)
    return tuple(plan)


def fixed_bytes(plan: SkipPlan) -> int | None:
    """Return the bytes of the values of a plan; None where they vary."""
    if not plan:
        return 0
    return plan[0] if len(plan) == 1 and isinstance(plan[0], int) else None


def skip(plan: SkipPlan, data: Data, position: int, end: int) -> int:
    """Return the position after the values of a plan."""
    for step in plan:
        if isinstance(step, int):
            position += step
        else:
            position = step(data, position, end)
    if position > end:
        raise Malformed(f"an entry reaches to offset {position:#x}, its unit ends at {end:#x}")
    return position


def reader_after(plan: SkipPlan, read: ReadForm, number: Struct | None) -> ReadValue:
    """Return what reads a value that follows those of a plan; `number`: the same, of a fixed
    size."""

    def read_after(data: Data, position: int, end: int) -> Raw:
        return read(data, skip(plan, data, position, end), end)[0]

    before_bytes = fixed_bytes(plan)
    if before_bytes is not None and number is not None:
        unpack, needed_bytes = number.unpack_from, before_bytes + number.size

        def read_number(data: Data, position: int, end: int) -> Raw:
            if position + needed_bytes > end:
                return read_after(data, position, end)  # raises
            value: int = unpack(data, position + before_bytes)[0]
            return value

        return read_number
    if before_bytes is not None:

        def read_at(data: Data, position: int, end: int) -> Raw:
            start = position + before_bytes
            return read(data, start, end)[0] if start <= end else read_after(data, position, end)

        return read_at
    step = plan[0]
    if len(plan) > 1 or isinstance(step, int):
        return read_after

    def read_second(data: Data, position: int, end: int) -> Raw:
        start = step(data, position, end)
        return read(data, start, end)[0] if start <= end else read_after(data, position, end)

    return read_second
