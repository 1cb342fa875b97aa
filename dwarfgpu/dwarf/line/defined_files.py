"""The files that a line number program defines (DW_LNE_define_file, before DWARF 5 6.2.5.3).

Law: the program is not run for them: opcodes that define no file are skipped by their lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry
from dwarfgpu.dwarf.line.operands import defined_file, read_number, refuse_files, refuse_program
from dwarfgpu.dwarf.line.rows import DEFINED_FILE, LineWork
from dwarfgpu.errors import DwarfGpuError

_NUMBER: Final = rb"[\x80-\xff]*+[\0-\x7f]"
_OPERANDS: Final = {0x01: 0, 0x02: 1, 0x03: 1, 0x04: 1, 0x05: 1, 0x06: 0, 0x07: 0, 0x08: 0,
                    0x0A: 0, 0x0B: 0, 0x0C: 1}  # fmt: skip
"""The numbers of the standard opcodes, whatever a header says; that of 0x09 has two bytes."""
_FIXED_ADVANCE: Final = 0x09
_SHORT: Final = 17
"""Extended opcodes of fewer bytes are skipped with the others."""


def defined_files(
    header: LineHeader, data: bytes, most_rows: int, work: LineWork
) -> tuple[NameEntry, ...]:
    """Return the files that a program of `.debug_line` defines, up to what is wrong with them.

    `work`: what the programs of the file share. All bytes of the program count in it.
    """
    files: list[NameEntry] = []
    try:
        refuse_program(header, most_rows)
        for entry in _files(header, data, work):
            files.append(entry)
            refuse_files(len(files))
    except DwarfGpuError:
        pass  # the reading of the rows says it
    return tuple(files)


def _files(header: LineHeader, data: bytes, work: LineWork) -> Iterator[NameEntry]:
    offset, end = header.program_at, header.end
    work.stop(offset, end, 0)
    work.spend(end - offset)
    before = _opcodes_before(max(header.opcode_base, 1), header.operand_counts)
    while (skipped := before.match(data, offset, end)) is not None:
        offset = skipped.end()
        if offset >= end or data[offset] != 0:
            return  # an opcode whose operands are cut short
        work.stop(offset, end, 0)
        work.spend(DEFINED_FILE)
        size_bytes, position = read_number(data, offset + 1, end)
        offset = position + size_bytes
        if offset > end:
            return
        if size_bytes and data[position] == 0x03:
            yield defined_file(Reader(data, "little", position + 1, offset))


@lru_cache(maxsize=16)  # nearly all tables of a file have the same
def _opcodes_before(opcode_base: int, operand_counts: tuple[int, ...]) -> re.Pattern[bytes]:
    """Return what matches all opcodes before a long extended one, or one that defines a file."""
    by_count: dict[int, list[int]] = {0: list(range(opcode_base, 256))}
    for opcode, count in enumerate(operand_counts[: opcode_base - 1], 1):
        if opcode != _FIXED_ADVANCE:
            by_count.setdefault(_OPERANDS.get(opcode, count), []).append(opcode)
    kinds = [
        b"[%s]" % b"".join(rb"\x%02x" % opcode for opcode in opcodes)
        + (rb"(?:%s){%d}+" % (_NUMBER, count) if count else b"++")
        for count, opcodes in sorted(by_count.items())
        if opcodes
    ]
    if opcode_base > _FIXED_ADVANCE:
        kinds.append(rb"\x09..")
    short = (rb"\x%02x[^\3].{%d}" % (size, size - 1) for size in range(1, _SHORT))
    kinds.append(rb"\0(?:\0|%s)" % b"|".join(short))
    return re.compile(b"(?:%s)*+" % b"|".join(kinds), re.DOTALL)
