"""GDB's view of a variable: its text, and its bits as far as GDB's Python provides them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

import gdb

from dwarfgpu.base.records import frozen
from dwarfgpu.gdb.machine.gdb_values import (
    gdb_message,
    said,
    shown_value,
    symbol_name,
    value_bytes,
    without_calls,
)
from dwarfgpu.model.object import Bits
from dwarfgpu.view.format_options import UNAVAILABLE

_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_FIXED_POINT = getattr(gdb, "TYPE_CODE_FIXED_POINT", None)
"""Only newer GDBs have it."""
_COMPOUND = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
_PARTS = re.compile(r"(0x[0-9a-f]+) \+ (0x[0-9a-f]+)i")
_NO_VARIABLE = ("A syntax error in expression", "Attempt to use a type name as an expression")
_MAX_LEAVES = 4096
NOT_READ: Final = "<not read>"
_MAX_BYTES = 1 << 20


@frozen
class GdbVariable:
    """A variable as GDB has it."""

    text: str
    """As `print` shows it; `<error: …>` where it fails."""
    bits: Bits | None = None
    """None if GDB provides none of them."""
    mask: int = 0
    """The bits that GDB reports as known, undefined or unavailable: padding may be missing."""
    is_lost: bool = False
    """Whether GDB finds each scalar in it, or in what it refers to, optimized out, whatever it
    shows: it reads at address 0 what a reference without a location refers to."""
    is_hidden: bool = False
    """Whether GDB does not read its name as that of a variable."""
    is_section: bool = False
    """Whether it is an array of Fortran with strides: for GDB, the gap behind its last element is a
    part of it."""

    @property
    def is_read(self) -> bool:
        """Whether GDB may be asked for its text."""
        return self.text != NOT_READ


def read_gdb_variable(
    frame: gdb.Frame,
    symbol: gdb.Symbol,
    block: gdb.Block,
    *,
    is_hidden: bool,
    is_unsafe_if_wide: bool = False,
) -> GdbVariable:
    """Read a variable of a block of a frame; `is_hidden`: an inner variable has the same name.

    `is_unsafe_if_wide`: GDB does not know the character set of characters of several bytes.

    GDB is left in its frame.
    """
    is_lost = symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT
    with _selected(frame), without_calls():
        try:
            value = frame.read_var(symbol, block)
            if is_unsafe_if_wide and _has_wide_character(value):
                return GdbVariable(NOT_READ, is_hidden=is_hidden)
            text = None if is_hidden else _printed(symbol_name(symbol), value)
            if text is None:
                is_hidden, text = True, _formatted(value)
        except gdb.MemoryError:
            return GdbVariable(UNAVAILABLE, is_lost=is_lost)
        except (gdb.error, ValueError, OverflowError) as error:
            return GdbVariable(f"<error: {gdb_message(error)}>", is_lost=is_lost)
        try:
            bits, mask, are_lost = _bits(value)
        except (gdb.error, ValueError, OverflowError):
            return GdbVariable(text, is_lost=is_lost, is_hidden=is_hidden)
        return GdbVariable(text, bits, mask, is_lost or are_lost, is_hidden)


def _has_wide_character(value: gdb.Value) -> bool:
    """Return whether it has a character of several bytes that is not ASCII.

    Except for those of C, GDB 13 reads the bytes in the character set of `char`, and ends (SIGSEGV
    in `iconv`) at the text of some, as U+1F600 of D and Rust, and the wchar 0x8000 of D.
    """
    if value.type.strip_typedefs().code in _REFERENCES:
        value = value.referenced_value()
    if value.type.sizeof is None or value.type.sizeof > _MAX_BYTES:
        return False
    return any(
        _is_wide_character(leaf.type) and _number(leaf) not in range(0x80)
        for _, _, leaf in islice(_leaves(value, 0), _MAX_LEAVES)
        if not leaf.is_optimized_out
    )


def _is_wide_character(kind: gdb.Type) -> bool:
    kind = kind.strip_typedefs()
    return bool(kind.code == gdb.TYPE_CODE_CHAR and kind.sizeof > 1)


def _formatted(value: gdb.Value) -> str:
    return shown_value(lambda: str(value.format_string(raw=True, deref_refs=True)))


def _printed(name: str, value: gdb.Value) -> str | None:
    """Print as `print` does, without the printers that libraries bring along; the history of values
    stays as it is. It reads all of a value first, and refuses one that is too large.

    None for a name that GDB reads as something other than a variable, as `loc` and `kind` in
    Fortran.
    """
    value.fetch_lazy()
    try:
        return shown_value(lambda: said(f"output/r {name}"))
    except gdb.error as error:
        if str(error).startswith(_NO_VARIABLE):
            return None
        raise


def _bits(value: gdb.Value) -> tuple[Bits | None, int, bool]:
    """Return the bits of a value, which of them GDB reports, and whether it has none of them."""
    size_bytes = value.type.sizeof
    if size_bytes is None or size_bytes > _MAX_BYTES:
        # An array of variable length without a length yet, or what a synthetic pointer leads to,
        # as a record with a discriminant, whose size GDB does not compute.
        return None, 0, False
    every = (1 << 8 * size_bytes) - 1
    if value.is_optimized_out and value.address is None and not _is_compound(value.type):
        return Bits(0, 8 * size_bytes, undefined=every), every, True
    if value.type.strip_typedefs().code in _REFERENCES:
        target = value.referenced_value()
        if target.address is None:
            return None, 0, _bits(target)[2]  # its target is not in memory
        return Bits(int(target.address) % (1 << 8 * size_bytes), 8 * size_bytes), every, False
    if value.address is not None:
        if not size_bytes:
            return Bits(0, 0), 0, False
        address = int(value.address) % (1 << 64)
        data = bytes(gdb.selected_inferior().read_memory(address, size_bytes))
        return Bits(int.from_bytes(data, sys.byteorder), 8 * size_bytes), every, False
    if sys.byteorder == "big":
        return None, 0, False
    known_bits = undefined = mask = 0
    is_lost = bool(value.is_optimized_out)  # GDB says so if any bit is
    for count, (first, size_bits, leaf) in enumerate(_leaves(value, 0)):
        if count == _MAX_LEAVES:
            return None, 0, False
        inside = (1 << size_bits) - 1 << first
        if leaf.is_optimized_out:
            undefined |= inside
            mask |= inside
            continue
        is_lost = False
        if (number := _number(leaf)) is not None:
            known_bits |= (number & (1 << size_bits) - 1) << first
            mask |= inside
    return Bits(known_bits, 8 * size_bytes, undefined=undefined), mask, is_lost


def _is_compound(kind: gdb.Type) -> bool:
    return kind.strip_typedefs().code in (*_COMPOUND, gdb.TYPE_CODE_ARRAY)


def _leaves(value: gdb.Value, first: int) -> Iterator[tuple[int, int, gdb.Value]]:
    """Yield first bit and size in bits of each scalar in a value."""
    kind = value.type.strip_typedefs()
    if kind.code in _COMPOUND:
        for field in kind.fields():
            if not hasattr(field, "bitpos"):
                continue  # a static member
            if field.bitsize:
                yield first + field.bitpos, field.bitsize, value[field]
            else:
                yield from _leaves(value[field], first + field.bitpos)
    elif kind.code == gdb.TYPE_CODE_ARRAY:
        if kind.dynamic:
            return  # GDB 13 ends with an internal error at an element if the stride is unknown
        low, high = kind.range()
        element_bytes = kind.target().sizeof
        if element_bytes is None or (high - low + 1) * element_bytes > kind.sizeof:
            return  # it is packed, and GDB's Python does not say the size of an element
        for index in range(low, high + 1):
            yield from _leaves(value[index], first + (index - low) * 8 * element_bytes)
    elif kind.sizeof:
        yield first, 8 * kind.sizeof, value


def _number(leaf: gdb.Value) -> int | None:
    """Return the bits of a scalar; None if GDB shows no number, as for a pointer to no memory, or
    another one, as for fixed-point types."""
    kind = leaf.type.strip_typedefs()
    scalar = kind.target() if kind.code == gdb.TYPE_CODE_RANGE else kind
    if scalar.strip_typedefs().code == _FIXED_POINT:
        return None
    if kind.code == gdb.TYPE_CODE_COMPLEX:
        match = _PARTS.fullmatch(leaf.format_string(format="x", raw=True))
        return int(match[1], 16) | int(match[2], 16) << 4 * kind.sizeof if match else None
    try:
        return int.from_bytes(value_bytes(leaf, "little"), "little")
    except (gdb.error, ValueError, OverflowError):
        return None


@contextmanager
def _selected(frame: gdb.Frame) -> Iterator[None]:
    """Select the frame: GDB computes the lengths of arrays in its selected frame."""
    before = gdb.selected_frame()
    frame.select()
    try:
        yield
    finally:
        before.select()
