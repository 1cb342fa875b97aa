"""Small ELF files and DWARF units made in memory, as valid or as broken as a test wants."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.objfile.elf import ObjectFile

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
AMDGPU = 224
X86_64 = 62


@frozen
class Content:
    """A section that is more than its bytes."""

    data: bytes
    type: int = 1
    flags: int = 0
    address: int = 0
    link: int = 0
    entry_bytes: int = 0


def elf(
    sections: Mapping[str, bytes | Content],
    machine: int = AMDGPU,
    flags: int = 0x4C,
    bits: Literal[32, 64] = 64,
    endian: Endian = "little",
    type: int = 3,
) -> bytes:
    """An ELF file of these sections, by default of gfx942."""
    order = "<" if endian == "little" else ">"
    header_form, section_form = {
        64: ("HHIQQQIHHHHHH", "IIQQQQIIQQ"),
        32: ("HHIIIIIHHHHHH", "IIIIIIIIII"),
    }[bits]
    contents = {
        name: body if isinstance(body, Content) else Content(body)
        for name, body in {"": Content(b"", 0), **sections, ".shstrtab": Content(b"", 3)}.items()
    }
    names = b"".join(name.encode() + b"\0" for name in contents)
    contents[".shstrtab"] = Content(names, 3)
    position = 16 + struct.calcsize(order + header_form)
    body, table, name_at = bytearray(), bytearray(), 0
    for name, content in contents.items():
        at = position + len(body)
        row = (
            name_at, content.type, content.flags, content.address, at, len(content.data),
            content.link, 0, 1, content.entry_bytes,
        )  # fmt: skip
        table += struct.pack(order + section_form, *row)
        body += content.data
        name_at += len(name) + 1
    ident = b"\x7fELF" + bytes((bits // 32, 1 if endian == "little" else 2, 1)) + bytes(9)
    header = struct.pack(
        order + header_form,
        type, machine, 1, 0, 0, position + len(body), flags, position, 0, 0,
        struct.calcsize(order + section_form), len(contents), len(contents) - 1,
    )  # fmt: skip
    return ident + header + bytes(body + table)


def overlapping(data: bytes, prefix: str) -> bytes:
    """A 64-bit file with every section of a prefix as long as all that follows in the file."""
    out = bytearray(data)
    file = ObjectFile("made", data)
    (table,) = struct.unpack_from("<Q", data, 40)
    for section in file.sections:
        if section.name.startswith(prefix):
            struct.pack_into("<Q", out, table + 64 * section.index + 32, table - section.offset)
    return bytes(out)


def debug_info(data: bytes, load_address: int = 0) -> DebugInfo:
    return DebugInfo.of(ObjectFile("made.co", data), load_address)


def fixture(name: str, load_address: int = 0) -> DebugInfo:
    return DebugInfo.of(ObjectFile(name, read_fixture(name)), load_address)


@cache
def read_fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


@frozen
class Shape:
    """An abbreviation: its tag and its attributes, each a number and a form."""

    tag: int
    attributes: tuple[tuple[int, int] | tuple[int, int, int], ...] = ()
    has_children: bool = False


def abbreviations(*shapes: Shape) -> bytes:
    """A table with the shapes as codes 1, 2 …"""
    out = b""
    for code, shape in enumerate(shapes, 1):
        out += encode_uleb(code) + encode_uleb(shape.tag) + bytes((shape.has_children,))
        for name, form, *implicit in shape.attributes:
            out += encode_uleb(name) + encode_uleb(form)
            out += b"".join(encode_sleb(value) for value in implicit)
        out += b"\0\0"
    return out + b"\0"


def unit(
    entries: bytes,
    version: int = 5,
    address_size: int = 8,
    offset_size: Literal[4, 8] = 4,
    endian: Endian = "little",
    kind: int = 1,
) -> bytes:
    """A unit of `.debug_info` whose abbreviations are at offset 0."""
    zero = bytes(offset_size)
    sized = bytes((kind, address_size)) + zero if version >= 5 else zero + bytes((address_size,))
    rest = version.to_bytes(2, endian) + sized + entries
    if offset_size == 8:
        return b"\xff\xff\xff\xff" + len(rest).to_bytes(8, endian) + rest
    return len(rest).to_bytes(4, endian) + rest


def file_of(
    entries: bytes,
    shapes: Iterable[Shape],
    others: Mapping[str, bytes | Content] | None = None,
    version: int = 5,
    machine: int = AMDGPU,
    endian: Endian = "little",
) -> bytes:
    """A 64-bit file with one unit."""
    return elf(
        {
            ".debug_info": unit(entries, version, endian=endian),
            ".debug_abbrev": abbreviations(*shapes),
            **(others or {}),
        },
        machine,
        endian=endian,
    )


def state_in(folder: Path, entries: bytes, shapes: Iterable[Shape]) -> Path:
    """Write a state of x86-64, stopped at 0x1004, in the 16 bytes of code of a file with one unit;
    return its path."""
    code = Content(bytes(16), flags=6, address=0x1000)
    (folder / "a.so").write_bytes(file_of(entries, shapes, {".text": code}, machine=X86_64))
    path = folder / "a.json"
    path.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": 0x1004}],
    }))  # fmt: skip
    return path
