"""Pointer encodings of `.eh_frame` (Linux Standard Base Core, 10.5.1: DW_EH_PE_*)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.errors import Malformed, Unsupported

OMITTED: Final = 0xFF
"""DW_EH_PE_omit: no pointer is present."""
ABSOLUTE: Final = 0x00
"""DW_EH_PE_absptr: a target address, as in `.debug_frame`."""
_RELATIVE: Final = {0x00: None, 0x10: "place", 0x20: "text", 0x30: "data", 0x40: "function"}
_UNSIGNED: Final = {2: "H", 4: "I", 8: "Q"}
_SIGNED: Final = {0xA: "h", 0xB: "i", 0xC: "q"}
_FIXED_BYTES: Final = {0x2: 2, 0x3: 4, 0x4: 8, 0xA: 2, 0xB: 4, 0xC: 8}


def read_pointer(
    reader: Reader,
    encoding: int,
    address_size: int,
    section_address: int = 0,
    data_address: int | None = None,
) -> int:
    """Return the pointer at the reader's position, reduced to the size of an address.

    `section_address` is the load address of the reader's first byte, `data_address` the base of
    data-relative pointers. An indirect pointer is not followed: the result is the address of the
    address. Raises `Malformed` for an unknown encoding, `Unsupported` for an unknown base.
    """
    base = _base(encoding, section_address + reader.position, data_address)
    kind = encoding & 0x0F
    if kind in (0x0, 0x8):
        value = reader.unsigned(address_size)
    elif kind == 0x1:
        value = reader.uleb()
    elif kind == 0x9:
        value = reader.sleb()
    elif kind in _FIXED_BYTES:
        size_bytes = _FIXED_BYTES[kind]
        value = reader.signed(size_bytes) if kind & 0x8 else reader.unsigned(size_bytes)
    else:
        raise Malformed(f"unknown pointer encoding {encoding:#04x}")
    return (value + base) % (1 << 8 * address_size)


def fixed_bytes(encoding: int, address_size: int) -> int | None:
    """Return the size of a pointer in bytes; None if it depends on the value or is unknown."""
    kind = encoding & 0x0F
    return address_size if kind in (0x0, 0x8) else _FIXED_BYTES.get(kind)


def struct_letter(encoding: int, address_size: int) -> str | None:
    """Return how `struct` spells the number of a pointer; None if its size is not fixed."""
    if encoding & 0x0F in _SIGNED:
        return _SIGNED[encoding & 0x0F]
    return _UNSIGNED.get(fixed_bytes(encoding, address_size) or 0)


def _base(encoding: int, own_address: int, data_address: int | None) -> int:
    if encoding == OMITTED:
        raise Malformed("pointer encoding 0xff (omitted) where a pointer is needed")
    kind = encoding & 0x70
    if kind not in _RELATIVE:
        raise Malformed(f"unknown pointer encoding {encoding:#04x}")
    relative = _RELATIVE[kind]
    if relative is None:
        return 0
    if relative == "place":
        return own_address
    if relative == "data" and data_address is not None:
        return data_address
    raise Unsupported(f"pointer encoding {encoding:#04x}: {relative}-relative")
