"""Bombs of compressed sections that are damaged, and that many entries of the file refer to."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Final

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tools.bombs.elf import CODE_BYTES, START, TEXT, sized, word
from tools.bombs.model import Bomb, Files
from tools.bombs.sections import CIE, FOLDER, ONE_FILE, STANDARD_LENGTHS, fde

ZLIB: Final = 1
ZSTD: Final = 2
DAMAGES: Final = ("end", "middle", "size")
"""Where it is: in the last byte, in the middle, or in the size that the header claims."""

_STRX: Final = 0x1A
_ADDRX: Final = 0x1B
_LOCLISTX: Final = 0x22
_RNGLISTX: Final = 0x23
_SHAPES: Final = (
    Shape(
        dw.TAG_COMPILE_UNIT,
        (
            (dw.AT_NAME, dw.FORM_STRING),
            (dw.AT_LOW_PC, dw.FORM_ADDR),
            (dw.AT_HIGH_PC, dw.FORM_DATA4),
            (dw.AT_STMT_LIST, dw.FORM_SEC_OFFSET),
            (dw.AT_STR_OFFSETS_BASE, dw.FORM_SEC_OFFSET),
            (dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET),
            (dw.AT_LOCLISTS_BASE, dw.FORM_SEC_OFFSET),
            (dw.AT_RNGLISTS_BASE, dw.FORM_SEC_OFFSET),
        ),
        True,
    ),
    Shape(
        dw.TAG_SUBPROGRAM,
        (
            (dw.AT_NAME, dw.FORM_STRP),
            (dw.AT_LOW_PC, _ADDRX),
            (dw.AT_HIGH_PC, dw.FORM_DATA4),
            (dw.AT_DECL_FILE, dw.FORM_DATA1),
        ),
    ),
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_LINE_STRP), (dw.AT_LOCATION, _LOCLISTX))),
    Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, _STRX), (dw.AT_DECL_FILE, dw.FORM_DATA1))),
    Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, _RNGLISTX),)),
)


def contents(count: int) -> dict[str, bytes]:
    """The debug sections of a program with four entries of each number, before any damage."""
    names = b"".join(b"name%06d\0" % number for number in range(count))
    entries = b"".join(
        b"\2" + word(11 * number) + encode_uleb(number) + word(1) + b"\1"
        b"\3" + word(11 * number) + encode_uleb(number) +
        b"\4" + encode_uleb(number) + b"\1"
        b"\5" + encode_uleb(number)
        for number in range(count)
    )  # fmt: skip
    bases = word(0) + word(8) + word(8) + word(12) + word(12)
    root = b"\1u\0" + struct.pack("<QI", START, CODE_BYTES) + bases
    lists = b"".join(word(4 * count) for _ in range(count))
    listed = b"\5\0\x08\0" + word(count) + lists
    location = b"\x08" + word(START, 8) + b"\1" + b"\1\x30" + b"\0"
    line = b"\1\1\1\xfb\x0e\x0d" + STANDARD_LENGTHS + FOLDER + ONE_FILE
    index = (1, 0, 0, 1, count, 8, 0)
    hashes = b"".join(map(word, range(count)))
    offsets = b"".join(word(11 * number) for number in range(count))
    named = word(0) + word(1) + hashes + offsets + bytes(4 * count) + b"\1\x34\0\0\0\0\0\0\1\0"
    return {
        ".debug_info": unit(root + entries + b"\0"),
        ".debug_abbrev": abbreviations(*_SHAPES),
        ".debug_str": names,
        ".debug_line_str": names,
        ".debug_str_offsets": sized(b"\5\0\0\0" + offsets),
        ".debug_addr": sized(b"\5\0\x08\0" + b"".join(word(START + n, 8) for n in range(count))),
        ".debug_loclists": sized(listed + location),
        ".debug_rnglists": sized(listed + b"\7" + word(START, 8) + b"\1\0"),
        ".debug_line": sized(b"\5\0\x08\0" + sized(line)),
        ".debug_names": sized(b"\5\0\0\0" + b"".join(map(word, index)) + named),
        ".debug_aranges": sized(
            b"\2\0" + word(0) + b"\x08\0" + bytes(4) + word(START, 8) + word(1, 8) + bytes(16)
        ),
        ".debug_frame": CIE + fde(b"\x41\x0e\x10", START, 16) * count,
    }


def damaged(data: bytes, where: str, method: int = ZLIB) -> Content:
    """A compressed section that cannot be decompressed."""
    packed = bytearray(zlib.compress(data, 9) if method == ZLIB else b"\x28\xb5\x2f\xfd" + data)
    if where == "end":
        packed[-1] ^= 0xFF
    elif where == "middle":
        packed[len(packed) // 2 :] = b"\xff" * (len(packed) - len(packed) // 2)
    size_bytes = len(data) + (where == "size")
    return Content(struct.pack("<IIQQ", method, 0, size_bytes, 1) + packed, flags=0x800)


def with_damage(section: str, where: str, count: int, method: int = ZLIB) -> Files:
    """A program with one damaged section."""
    sections: Mapping[str, bytes | Content] = {
        name: damaged(data, where, method) if name == section else data
        for name, data in contents(count).items()
    }
    return {"bomb": elf({**sections, **TEXT}, X86_64)}


COMMANDS: Final = (
    "info bomb",
    "check bomb",
    "where --all bomb",
    "where bomb name000001",
    "frames bomb",
    "debug --pc 0x1000 bomb <<< print name000001; info functions; list name000001; info symbol 1",
)
BOMBS: Final = tuple(
    Bomb(
        f"damaged{section.removeprefix('.debug').replace('_', '-')}",
        section,
        f"{{}} entries that refer to a compressed section, damaged {words}",
        partial(with_damage, section, where),
        20_000,
        COMMANDS,
        small=30,
    )
    for section, where, words in (
        (".debug_str", "end", "at its end"),
        (".debug_line_str", "middle", "in the middle"),
        (".debug_str_offsets", "size", "in its size"),
        (".debug_addr", "end", "at its end"),
        (".debug_loclists", "end", "at its end"),
        (".debug_line", "end", "at its end"),
    )
)
