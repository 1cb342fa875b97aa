"""Bombs of files that have the bytes of a symbol's address everywhere."""

from __future__ import annotations

import struct
from typing import Final

from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tools.bombs.elf import NAME, OF_UNIT, TEXT, UNIT, sized, word
from tools.bombs.model import Bomb, Files

_ADDRESS: Final = 0x0101010101010101
"""All of its bytes are the same."""
_VARIABLE: Final = Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT)))
_INDEXED: Final = Shape(
    dw.TAG_COMPILE_UNIT, (*UNIT.attributes, (dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET)), True
)


def _program(root: Shape, values: bytes, *, rest: bytes = b"", addresses: bytes = b"",
             symbols_count: int = 1) -> Files:  # fmt: skip
    """A unit without the variable `x` that symbols have, and what follows it."""
    info = unit(OF_UNIT + values + b"\2y\0" + b"\0") + rest
    symbols = b"".join(
        struct.pack("<IBBHQQ", 1, 0x11, 0, 1, _ADDRESS + 8 * number, 4)
        for number in range(symbols_count)
    )
    sections: dict[str, bytes | Content] = {
        **TEXT,
        ".symtab": Content(bytes(24) + symbols, 2, link=3, entry_bytes=24),
        ".strtab": Content(b"\0x\0", 3),
        ".debug_info": info,
        ".debug_abbrev": abbreviations(root, _VARIABLE),
        ".debug_addr": addresses,
    }
    return {"bomb": elf(sections, X86_64)}


def behind_units(count: int) -> Files:
    return _program(UNIT, b"", rest=b"\1" * count)


def behind_addresses(count: int) -> Files:
    part = sized(b"\5\0\x08\0" + bytes(8))
    return _program(_INDEXED, word(8), addresses=part + b"\1" * count)


def across_addresses(count: int) -> Files:
    """The last bytes of one, and the first ones of the next."""
    part = sized(b"\5\0\x08\0" + (b"\2" + b"\1" * 14 + b"\2") * (count // 16))
    return _program(_INDEXED, word(8), addresses=part)


def addresses_of_symbols(count: int) -> Files:
    """And units with 500 bytes for each."""
    long = Shape(dw.TAG_COMPILE_UNIT, (*UNIT.attributes, (dw.AT_PRODUCER, dw.FORM_STRING)), True)
    return _program(long, b"p" * (500 * count) + b"\0", symbols_count=count)


ASK: Final = ("eval --file bomb x", "where bomb x", "debug bomb <<< print x")
BOMBS: Final = (
    Bomb("behind-units", ".debug_info", "{} bytes behind the last unit, as in a symbol's address",
         behind_units, 8_000_000, ASK, small=4_000),
    Bomb("behind-addresses", ".debug_addr", "{} bytes of no unit, as in a symbol's address",
         behind_addresses, 8_000_000, ASK, small=4_000),
    Bomb("across-addresses", ".debug_addr", "{} bytes that are a symbol's address across others",
         across_addresses, 16_000_000, ASK, small=4_000),
    Bomb("symbol-addresses", ".symtab", "{} symbols of one name, at as many addresses",
         addresses_of_symbols, 10_000, ASK),
)  # fmt: skip
