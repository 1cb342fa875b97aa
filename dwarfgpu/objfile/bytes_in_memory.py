"""How many bytes of one file are in memory: large parts that were read, and decompressed ones."""

from __future__ import annotations

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.objfile.compression import MAX_UNPACKED_BYTES
from dwarfgpu.objfile.elf_structures import Section


class BytesInMemory:
    """The parts of a file that are in memory; `LimitExceeded` before there are too many bytes."""

    def __init__(self, path: str, limits: FileLimits) -> None:
        self.path = path
        self.limits = limits
        self._inflated_bytes: dict[int, int] = {}
        """Of compressed sections, by their index."""
        self._read_bytes: dict[tuple[int, int], int] = {}
        """Of large parts, by their offset and size."""

    def check_read(self, subject: str, part: tuple[int, int], size_bytes: int) -> None:
        """Check what of the file is in memory, with more bytes of a part; those that were counted
        for it are replaced."""
        read_bytes = sum(self._read_bytes.values()) - self._read_bytes.get(part, 0)
        self.limits.check_read(
            f"{subject} of {self.path}",
            size_bytes=size_bytes,
            other_bytes=read_bytes + sum(self._inflated_bytes.values()),
        )
        self._read_bytes[part] = size_bytes

    def check_inflated(self, section: Section, *, size_bytes: int, packed_bytes: int) -> None:
        """Check the claimed size: extreme claims are left to the decompression, which detects false
        ones."""
        if size_bytes > MAX_UNPACKED_BYTES:
            return
        subject = f"{section.name or f'section {section.index}'} of {self.path}"
        other_bytes = sum(self._inflated_bytes.values()) - self._inflated_bytes.get(
            section.index, 0
        )
        self.limits.check_inflated(
            subject, packed_bytes=packed_bytes, size_bytes=size_bytes, other_bytes=other_bytes
        )
        self.limits.check_read(
            subject,
            size_bytes=size_bytes,
            other_bytes=other_bytes + sum(self._read_bytes.values()),
        )
        self._inflated_bytes[section.index] = size_bytes
