"""MiniDebugInfo: the symbols of a stripped program in its section `.gnu_debugdata` (GDB
documentation, "Debugging information in a special section").

The section is an ELF file, compressed by xz, whose symbol table has the functions that are not
exported.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.limits import UNJUDGED_BYTES
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.separate_debug import MINI_DEBUG_INFO

_MEMORY_BYTES: Final = 1 << 27
"""Memory for the dictionary of xz: its largest preset has 64 MiB."""


def mini_debug_info(file: ObjectFile) -> ObjectFile | None:
    """Return the file with the symbols; None without one.

    Raises `Malformed` for damaged contents, and `LimitExceeded` for too many of them.
    """
    packed = file.section_data(MINI_DEBUG_INFO) if file.has_section(MINI_DEBUG_INFO) else b""
    if not packed:
        return None
    subject = f"{MINI_DEBUG_INFO} of {file.path}"
    try:
        return ObjectFile(subject, _unpacked(packed, file, subject), file.limits)
    except LimitExceeded:
        raise
    except DwarfGpuError as error:
        raise Malformed(str(error)) from None


def _unpacked(packed: bytes, file: ObjectFile, subject: str) -> bytes:
    """Return the file; one byte more than its limits allow shows that it is too large."""
    try:
        import lzma
    except ImportError:  # Python can be built without it
        raise Malformed(f"{subject} is not read: this Python has no module lzma") from None
    limits = file.limits
    most = max(UNJUDGED_BYTES, limits.inflated_ratio * len(packed))
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_BYTES)
    try:
        data = unpacker.decompress(packed, min(most, limits.inflated_bytes) + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise Malformed(f"{subject} cannot be decompressed: {error}") from None
    limits.check_inflated(subject, packed_bytes=len(packed), size_bytes=len(data))
    if not unpacker.eof:
        raise Malformed(f"{subject} cannot be decompressed: it is cut short")
    return data
