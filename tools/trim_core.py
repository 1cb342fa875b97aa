"""Make a core file small: the notes, what was mapped from files, data, the vDSO, used stack.

    python tools/trim_core.py CORE SMALL [PROGRAM]

With the name of the PROGRAM, of all mapped files and data only its own are kept. What is left out
is said to be left out (`p_filesz`), as by Linux' coredump_filter.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.machine.core.notes import AT_SYSINFO_EHDR, CoreDump, read_core
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_structures import PF_W, PT_LOAD, Segment

PAGE_BYTES = 4096
RED_ZONE_BYTES = 128
HEADER_BYTES = 64
SEGMENT_BYTES = 56
SMALL_BYTES = 1 << 16


def kept(dump: CoreDump, segment: Segment, stacks: list[int], program: str) -> int:
    """The first address of a segment that is kept; its end where nothing is."""
    begin, end = segment.address, segment.address + segment.file_bytes
    files = [item for item in dump.mapped if item.path.endswith(program)]
    mapped = any(file.start < end and begin < file.end for file in files)
    is_data = bool(segment.flags & PF_W) and segment.memory_bytes <= SMALL_BYTES
    if program and is_data:  # what follows the program is its own
        is_data = any(file.start <= begin <= file.end for file in files)
    if mapped or is_data or begin == dump.auxiliary.get(AT_SYSINFO_EHDR):
        return begin
    used = [stack for stack in stacks if begin <= stack < end]
    if not used:
        return begin + segment.memory_bytes
    return max(begin, (min(used) - RED_ZONE_BYTES) // PAGE_BYTES * PAGE_BYTES)


def pieces(dump: CoreDump, file: ObjectFile, program: str) -> Iterator[tuple[Segment, bytes]]:
    """The segments of the small file, and what they hold."""
    name = "rsp" if file.machine == "X86_64" else "sp"
    stacks = [int.from_bytes(thread.registers[name], file.endian) for thread in dump.threads]
    for segment in file.segments:
        if segment.type != PT_LOAD:
            yield segment, file.file_bytes(segment.offset, segment.file_bytes, "notes")
            continue
        first = kept(dump, segment, stacks, program)
        left = first - segment.address
        if left:
            yield Segment(PT_LOAD, segment.flags, 0, segment.address, 0, left), b""
        if left < segment.memory_bytes:
            largest = max(0, segment.file_bytes - left)
            data = file.file_bytes(segment.offset + left, largest, "memory")
            rest = segment.memory_bytes - left
            yield Segment(PT_LOAD, segment.flags, 0, first, largest, rest), data


def main(source: str, target: str, program: str = "") -> None:
    file = open_object(source)
    parts = list(pieces(read_core(file), file, program))
    order = "<" if file.endian == "little" else ">"
    header = bytearray(file.file_bytes(0, HEADER_BYTES, "header"))
    struct.pack_into(f"{order}QQ", header, 32, HEADER_BYTES, 0)
    struct.pack_into(f"{order}HHHHH", header, 54, SEGMENT_BYTES, len(parts), 0, 0, 0)
    table, body = b"", b""
    start = HEADER_BYTES + SEGMENT_BYTES * len(parts)
    for item, data in parts:
        fields = (item.address, 0, len(data), item.memory_bytes, 1)
        offset = start + len(body)
        table += struct.pack(f"{order}IIQQQQQQ", item.type, item.flags, offset, *fields)
        body += data
    Path(target).write_bytes(bytes(header) + table + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
