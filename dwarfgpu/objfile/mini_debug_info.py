"""MiniDebugInfo: the symbols of a stripped program in its section `.gnu_debugdata` (GDB
documentation, "Debugging information in a special section").

The section is an ELF file, compressed by xz, whose symbol table has the functions that are not
exported.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from dwarfgpu.base.limits import UNJUDGED_BYTES
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_kinds import COMPRESSED
from dwarfgpu.objfile.separate_debug import MINI_DEBUG_INFO, has_debug_info

_XZ_MAGIC: Final = next(magic for magic, name in COMPRESSED.items() if name == "xz")
_MEMORY_BYTES: Final = 1 << 27
"""Memory for the dictionary of xz: its largest preset has 64 MiB."""


def mini_debug_info(file: ObjectFile) -> ObjectFile | None:
    """Return the file with the symbols of a stripped file; None without one.

    Raises `Malformed` for damaged contents, `LimitExceeded` for too many of them, and `Unsupported`
    where Python cannot decompress them.
    """
    return file.failed_reads.read(MINI_DEBUG_INFO, partial(_symbols, file))


def damaged_mini_debug_info(
    file: ObjectFile,
) -> LimitExceeded | Malformed | Unsupported | None:
    """Return why the file with the symbols cannot be read; None if it can, or there is none."""
    try:
        mini_debug_info(file)
    except (LimitExceeded, Malformed, Unsupported) as error:
        return error.anew()
    return None


def _symbols(file: ObjectFile) -> ObjectFile | None:
    is_there = file.has_section(MINI_DEBUG_INFO) and not has_debug_info(file)
    packed = file.section_data(MINI_DEBUG_INFO) if is_there else b""
    if not packed:
        return None
    subject = f"{MINI_DEBUG_INFO} of {file.path}"
    try:
        return ObjectFile(subject, _unpacked(packed, file, subject), file.limits)
    except (LimitExceeded, Unsupported):
        raise
    except DwarfGpuError as error:
        raise Malformed(str(error)) from None


def _unpacked(packed: bytes, file: ObjectFile, subject: str) -> bytes:
    """Return the file; one byte more than its limits allow shows that it is too large."""
    try:
        import lzma
    except ImportError:  # Python can be built without it
        raise Unsupported(f"{subject} is not read: this Python has no module lzma") from None
    limits = file.limits
    most = max(UNJUDGED_BYTES, limits.inflated_ratio * len(packed))
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_BYTES)
    try:
        data = unpacker.decompress(packed, min(most, limits.inflated_bytes) + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise Malformed(f"{subject} cannot be decompressed: {error}") from None
    limits.check_inflated(subject, packed_bytes=len(packed), size_bytes=len(data))
    if not unpacker.eof:
        why = "it is cut short" if packed.startswith(_XZ_MAGIC) else "it is not compressed by xz"
        raise Malformed(f"{subject} cannot be decompressed: {why}")
    return data
