"""Core files made by hand: notes and segments in, bytes out."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import frozen

X86_64, AARCH64, AMDGPU, I386 = 62, 183, 224, 3
_PN_XNUM = 0xFFFF
"""The number of segments, or more: then it is in the first section header (`sh_info`)."""


@frozen
class Load:
    """A segment in memory."""

    address: int
    data: bytes
    memory_bytes: int | None = None
    """All of `data` unless given."""
    flags: int = 6


def order(endian: Endian) -> str:
    return "<" if endian == "little" else ">"


def note(owner: str, kind: int, content: bytes, endian: Endian = "little") -> bytes:
    name = owner.encode() + b"\0"
    head = struct.pack(f"{order(endian)}III", len(name), len(content), kind)
    return head + name.ljust(-(-len(name) // 4) * 4, b"\0") + padded(content)


def padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 4) * 4, b"\0")


def status(
    lwp: int,
    registers: bytes,
    signal: int = 11,
    endian: Endian = "little",
    size_bytes: int = 336,
    kernel_signal: int = 0,
) -> bytes:
    """NT_PRSTATUS with the contents of its general registers. `kernel_signal`: a kernel writes the
    signal a second time, `gcore` does not."""
    head = bytearray(112)
    struct.pack_into(f"{order(endian)}I", head, 0, kernel_signal)
    struct.pack_into(f"{order(endian)}H", head, 12, signal)
    struct.pack_into(f"{order(endian)}I", head, 32, lwp)
    return note("CORE", 1, (bytes(head) + registers).ljust(size_bytes, b"\0"), endian)


def core(
    notes: Iterable[bytes],
    loads: Iterable[Load] = (),
    machine: int = X86_64,
    endian: Endian = "little",
    kind: int = 4,
) -> bytes:
    """A core file of a 64-bit system."""
    form, loads, area = order(endian), list(loads), b"".join(notes)
    ident = b"\x7fELF" + bytes((2, 1 if endian == "little" else 2, 1)) + bytes(9)
    count = 1 + len(loads)
    offset = 64 + 56 * count
    table = bytearray(struct.pack(f"{form}IIQQQQQQ", 4, 0, offset, 0, 0, len(area), 0, 4))
    body = bytearray(area)
    for load in loads:
        size = len(load.data) if load.memory_bytes is None else load.memory_bytes
        at = offset + len(body)
        row = (1, load.flags, at, load.address, 0, len(load.data), size, 4096)
        table += struct.pack(f"{form}IIQQQQQQ", *row)
        body += load.data
    sections_at, sections = 0, b""
    if count >= _PN_XNUM:
        sections_at = offset + len(body)
        sections = struct.pack(f"{form}IIQQQQIIQQ", *[0] * 7, count, 0, 0)
    fields = (kind, machine, 1, 0, 64, sections_at, 0, 64, 56, min(count, _PN_XNUM))
    of_sections = (64, 1, 0) if sections else (0, 0, 0)
    header = ident + struct.pack(f"{form}HHIQQQIHHHHHH", *fields, *of_sections)
    return header + table + body + sections


def core_of_i386(notes: Iterable[bytes], loads: Iterable[Load] = ()) -> bytes:
    """A core file of i386."""
    loads, area = list(loads), b"".join(notes)
    ident = b"\x7fELF" + bytes((1, 1, 1)) + bytes(9)
    fields = (4, I386, 1, 0, 52, 0, 0, 52, 32, 1 + len(loads), 0, 0, 0)
    header = ident + struct.pack("<HHIIIIIHHHHHH", *fields)
    offset = len(header) + 32 * (1 + len(loads))
    table, body = struct.pack("<IIIIIIII", 4, offset, 0, 0, len(area), 0, 0, 4), area
    for load in loads:
        size, at = len(load.data), offset + len(body)
        table += struct.pack("<IIIIIIII", 1, at, load.address, 0, size, size, load.flags, 4096)
        body += load.data
    return header + table + body


def status_of_i386(lwp: int, registers: bytes, signal: int = 11) -> bytes:
    """NT_PRSTATUS of i386, with the contents of its general registers."""
    head = bytearray(72)
    struct.pack_into("<H", head, 12, signal)
    struct.pack_into("<I", head, 24, lwp)
    return note("CORE", 1, (bytes(head) + registers).ljust(144, b"\0"))


def mapped_files(*entries: tuple[int, int, int, str]) -> bytes:
    """NT_FILE: start, end, page and path of each."""
    head = struct.pack("<QQ", len(entries), 4096)
    rows = b"".join(struct.pack("<QQQ", *entry[:3]) for entry in entries)
    return note("CORE", 0x46494C45, head + rows + b"".join(e[3].encode() + b"\0" for e in entries))


def auxiliary(**values: int) -> bytes:
    """NT_AUXV: `entry`, `sysinfo_ehdr`, `execfn`, `phdr`, `phnum`."""
    keys = {"phdr": 3, "phnum": 5, "entry": 9, "execfn": 31, "sysinfo_ehdr": 33}
    pairs = [(keys[name], value) for name, value in values.items()]
    return note("CORE", 6, b"".join(struct.pack("<QQ", *pair) for pair in [*pairs, (0, 0)]))
