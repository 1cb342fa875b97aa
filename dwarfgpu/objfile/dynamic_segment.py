"""The entries of the dynamic segment (System V ABI, "Dynamic Section")."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from typing import Final

from dwarfgpu.objfile.elf_file import ElfFile

PT_DYNAMIC: Final = 2
DT_VERSYM: Final = 0x6FFFFFF0
"""The versions of the dynamic symbols (Linux Standard Base, "Symbol Versioning")."""
_DT_NULL: Final = 0
_MAX_DYNAMIC_BYTES: Final = 1 << 20
"""What is read of a dynamic segment: the largest ones have some thousands of entries."""
_BLOCK_BYTES: Final = 1 << 12


def dynamic_tags(file: ElfFile) -> dict[int, int]:
    """Return the entries of the dynamic segment, the first of each tag; empty without one."""
    out: dict[int, int] = {}
    for tag, value in dynamic_entries(file):
        out.setdefault(tag, value)
    return out


def dynamic_entries(file: ElfFile) -> Iterator[tuple[int, int]]:
    """Yield tag and value of the entries of the dynamic segment up to DT_NULL, of not more than
    `_MAX_DYNAMIC_BYTES`."""
    for segment in file.segments:
        if segment.type == PT_DYNAMIC:
            size_bytes = min(segment.file_bytes, _MAX_DYNAMIC_BYTES)
            for start in range(0, size_bytes, _BLOCK_BYTES):
                block = min(_BLOCK_BYTES, size_bytes - start)
                words = dynamic_words(file, segment.offset + start, block, 2)
                for tag, value in zip(words[::2], words[1::2], strict=True):
                    if tag == _DT_NULL:
                        return
                    yield tag, value
            return


def dynamic_words(file: ElfFile, offset: int, size_bytes: int, stride: int) -> array[int]:
    """Return whole rows of words of a file; `stride`: how many words a row has."""
    out = array("Q" if file.address_bytes == 8 else "I")
    size_bytes -= size_bytes % (stride * file.address_bytes)
    out.frombytes(file.file_bytes(offset, size_bytes, "dynamic relocations"))
    if sys.byteorder != file.endian:
        out.byteswap()
    return out
