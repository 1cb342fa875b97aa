"""CUDA fat binaries: cubins and PTX for several GPUs, as files or in sections of host files.

NVIDIA has published no description: the fields are those that `fatbinary` of CUDA 12 and 13 writes
and `cuobjdump` prints, and which CUDA runtimes with public sources read. A header is 0xba55ed50, a
version, its size, and the size of the entries behind it. An entry is a header (its kind, size and
payload, compute capability, flags, and the sizes before and after compression) and the payload.

Law: a header is trusted only within the fat binary; an entry is decompressed when it is opened,
within the limits of the file, and kept no longer than it is open. What is unknown of an entry is
named, and not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported, UsageError, counted
from dwarfgpu.objfile.bundle import MAX_ENTRIES, BundleEntry, after_zeros
from dwarfgpu.objfile.compression import MAX_UNPACKED_BYTES, unpack_zstd
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import FileBytes, part_of
from dwarfgpu.objfile.file_kinds import FATBIN_MAGIC, FATBIN_SECTIONS

_HEADER_BYTES: Final = 16
_ENTRY_BYTES: Final = 64
_KINDS: Final = {1: "ptx", 2: "cubin", 256: "joined"}
"""`joined`: several entries that were compressed as one, by `fatbinary --concat`."""
_LZ4: Final = 0x2000
_ZSTD: Final = 0x8000
_SPECIFIC: Final = 0x100000
_FAMILY: Final = 0x200000
_COMPRESSIONS: Final = {_LZ4: "lz4", _ZSTD: "zstd"}


@frozen
class FatbinEntry(BundleEntry):
    """A cubin or the text of PTX; its `id` is the kind and the GPU, as in `cubin-sm_90a`."""

    packing: _Packed | None = field(default=None, repr=False)
    """The compressed bytes that `data` are unpacked from at each reading."""

    def require_code(self, path: str) -> None:
        """Raise `UsageError` for PTX, and `Unsupported` for kinds that dwarfgpu does not read."""
        if self.kind == "ptx":
            raise UsageError(f"{path}[{self.id}] is a text, without machine code")
        if self.kind == "joined":
            raise Unsupported(
                f"{path}: entry {self.index}, which fatbinary --concat compressed: "
                "its layout is not public"
            )
        if self.kind != "cubin":
            raise Unsupported(f"{path}: entry {self.index} of {self.kind}")

    @property
    def is_device_code(self) -> bool:
        """Whether it may have machine code: PTX is a text."""
        return self.kind != "ptx"

    @property
    def is_packed(self) -> bool:
        return self.compression is not None

    def contents(self) -> bytes | FileBytes:
        packing = self.packing
        return self.data if packing is None else FileBytes.of(_Unpacked(packing), len(self.data))

    @property
    def label(self) -> str:
        return self.id

    @property
    def target_name(self) -> str | None:
        """`sm_90a`."""
        return self.id.partition("-")[2] or None

    @property
    def triple(self) -> str:
        return ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.id, self.target_name)))


def read_fatbins(
    data: bytes | FileBytes, subject: str, limits: FileLimits = DEFAULT_FILE_LIMITS
) -> tuple[FatbinEntry, ...]:
    """Return the entries of all fat binaries in a file or section, one after another.

    `Malformed` where something else is between them, `Unsupported` for another version,
    `LimitExceeded` for more than `MAX_ENTRIES`, or as many fat binaries.
    """
    return _fatbins_from(data, subject, limits)[0]


def _fatbins_from(
    data: bytes | FileBytes, subject: str, limits: FileLimits, before: int = 0
) -> tuple[tuple[FatbinEntry, ...], int]:
    """Return the entries of the fat binaries, and how many of those there are; `before` more are in
    other sections."""
    out: list[FatbinEntry] = []
    position = number = padding_bytes = 0
    while position < len(data):
        if before + number == MAX_ENTRIES:
            raise LimitExceeded(f"{subject} has more than {MAX_ENTRIES} fat binaries")
        entries, end = _fatbin(
            data, position, f"{subject}+{position:#x}", limits, MAX_ENTRIES - len(out)
        )
        out += (evolve(entry, bundle=number) for entry in entries)
        position, number = after_zeros(data, end, subject, padding_bytes), number + 1
        padding_bytes += position - end
    return tuple(evolve(entry, index=index) for index, entry in enumerate(out)), number


def fatbins_of(file: ObjectFile) -> tuple[FatbinEntry, ...]:
    """Return the entries inside a host file, in the order of its sections."""
    out: list[FatbinEntry] = []
    bytes_left, fatbin_count = file.size_bytes, 0
    for section in file.sections:
        if section.name not in FATBIN_SECTIONS:
            continue
        bytes_left -= section.size_bytes
        if bytes_left < 0:
            raise Malformed(f"{file.path}: fat binaries overlap: they are larger than the file")
        data = file.window(section)
        subject = f"{file.path}: {section.name}"
        start = after_zeros(data, 0, subject)
        following = part_of(data, start, len(data) - start)
        entries, count = _fatbins_from(following, subject, file.limits, fatbin_count)
        fatbin_count += count
        out += (evolve(entry, section=section.name) for entry in entries)
    return tuple(evolve(entry, index=index) for index, entry in enumerate(out))


def _fatbin(
    data: bytes | FileBytes, position: int, subject: str, limits: FileLimits, most: int
) -> tuple[list[FatbinEntry], int]:
    """Return the entries of the fat binary at a position, and where it ends.

    `LimitExceeded` where there are more than `most`.
    """
    try:
        reader = Reader(data[position : position + _HEADER_BYTES])
        if reader.take(4) != FATBIN_MAGIC:
            raise Malformed("no fat binary begins here")
        version, header_bytes, size_bytes = (reader.unsigned(size) for size in (2, 2, 8))
        if version != 1:
            raise Unsupported(f"version {version} of fat binaries")
        start = position + header_bytes
        end = start + size_bytes
        if header_bytes < _HEADER_BYTES or end > len(data):
            raise Malformed(f"a fat binary of {counted(size_bytes, 'byte')} is cut short")
        entries = list(islice(_entries(data, start, end, subject, limits), most + 1))
        if len(entries) > most:
            raise LimitExceeded(f"more than {MAX_ENTRIES} code objects")
        return entries, end
    except (LimitExceeded, Malformed, Unsupported) as error:
        error.context = error.context or subject
        raise


def _entries(
    data: bytes | FileBytes, position: int, end: int, subject: str, limits: FileLimits
) -> Iterator[FatbinEntry]:
    while position < end:
        header = data[position : min(position + _ENTRY_BYTES, end)]
        reader = Reader(header)
        kind, _, header_bytes, size_bytes = (reader.unsigned(size) for size in (2, 2, 4, 8))
        packed_bytes = reader.unsigned(4)
        reader.take(8)  # options of the assembler, version of the code
        sm = reader.unsigned(4)
        reader.take(8)  # the name of the source
        flags = reader.unsigned(8)
        reader.take(8)
        unpacked_bytes = reader.unsigned(8)
        start = position + header_bytes
        if header_bytes < _ENTRY_BYTES or start + size_bytes > end or packed_bytes > size_bytes:
            raise Malformed(f"the entry at {position:#x} is cut short")
        suffix = "a" if flags & _SPECIFIC else "f" if flags & _FAMILY else ""
        if unpacked_bytes > MAX_UNPACKED_BYTES:
            raise Malformed(f"the entry at {position:#x} claims {counted(unpacked_bytes, 'byte')}")
        packed = [name for flag, name in _COMPRESSIONS.items() if flags & flag]
        if len(packed) > 1 or (packed and packed_bytes and not unpacked_bytes):
            raise Malformed(f"the entry at {position:#x} contradicts itself about its compression")
        name = _KINDS.get(kind, f"kind {kind}")
        id = name if name == "joined" else f"{name}-sm_{sm}{suffix}"
        contents = part_of(data, start, size_bytes)
        packing: _Packed | None = None
        if packed and name != "joined":
            contents = part_of(data, start, packed_bytes)
            packing = _Packed(contents, unpacked_bytes, packed[0], f"{subject}: {id}", limits)
            contents = FileBytes.of(packing, unpacked_bytes)
        compression = packed[0] if packed else None
        yield FatbinEntry(0, id, contents, compression=compression, packing=packing)
        position = start + size_bytes


class _Packed:
    """The bytes of a compressed entry, unpacked at each reading."""

    def __init__(
        self,
        data: bytes | FileBytes,
        size_bytes: int,
        compression: str,
        subject: str,
        limits: FileLimits,
    ) -> None:
        self._data = data
        self._size_bytes = size_bytes
        self._compression = compression
        self._subject = subject
        self._limits = limits

    def unpacked(self) -> bytes:
        """Return all bytes; `LimitExceeded`, `Malformed` or `Unsupported` for a compression that
        cannot be unpacked."""
        self._limits.check_inflated(
            self._subject, packed_bytes=len(self._data), size_bytes=self._size_bytes
        )
        unpack = unpack_zstd
        if self._compression == "lz4":
            from dwarfgpu.objfile.lz4 import unpack_lz4 as unpack  # most files are not cubins
        return unpack(bytes(self._data[:]), self._size_bytes, self._subject)

    def read(self, start: int, size_bytes: int) -> bytes:
        """Return a range of the bytes, with the errors of `unpacked`."""
        return self.unpacked()[start : start + size_bytes]


class _Unpacked:
    """The bytes of a compressed entry, unpacked when they are read first, for one open file."""

    def __init__(self, packing: _Packed) -> None:
        self._packing = packing
        self._unpacked: bytes | None = None

    def read(self, start: int, size_bytes: int) -> bytes:
        """Return a range of the bytes, with the errors of `_Packed.unpacked`."""
        if self._unpacked is None:
            self._unpacked = self._packing.unpacked()
        return self._unpacked[start : start + size_bytes]
