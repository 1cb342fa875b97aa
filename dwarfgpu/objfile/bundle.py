"""Offload bundles: several code objects in one file (clang documentation, "Clang Offload Bundler").

A bundle is `__CLANG_OFFLOAD_BUNDLE__` with a table of entries, or `CCOB` with such a bundle
compressed in it. A section `.hip_fatbin` holds consecutive bundles, one per translation unit; a
host object may instead hold each entry in its own section.

Law: the table is trusted only within the bundle; padding between bundles is zeros. Of a large file
only the tables and compressed bundles are read; a code object is read on use.

The URIs of code objects in memory are read in `dwarfgpu/machine/core/gpu/code_objects.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import printable, short_name
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.objfile.compression import MAX_UNPACKED_BYTES, inflate, inflate_some, unpack_zstd
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import FileBytes, part_of, shared_if_large
from dwarfgpu.objfile.file_kinds import BUNDLE_MAGIC, COMPRESSED_BUNDLE_MAGIC
from dwarfgpu.objfile.target_id import TargetId, parse_target_id

SECTION: Final = ".hip_fatbin"
MAX_ENTRIES: Final = 1 << 16
_SHORTEST_ENTRY_BYTES: Final = 24
_NOT_ZERO: Final = pattern(rb"[^\0]")
_LONGEST_HEADER_BYTES: Final = 32
"""Maximum size in bytes of the header of a compressed bundle."""
_TABLE_BYTES: Final = 1 << 12
"""Read at first of what may be longer: a table, or the zeros after a bundle."""
_MAX_PADDING_BYTES: Final = 1 << 28
"""Zeros between the bundles of a file or section; a hole in a file takes no room."""
_MAX_AT_ONCE: Final = 1 << 20
_HASH_BYTES: Final = 8
_ZLIB: Final = 0
_ZSTD: Final = 1


@frozen
class BundleEntry:
    """One code object of a bundle."""

    index: int
    """In the whole file, from 0."""
    id: str
    """Kind, triple and target, as in `hipv4-amdgcn-amd-amdhsa--gfx942`."""
    data: bytes | FileBytes = field(repr=False)
    """The bytes; those of a large file are not read yet."""
    section: str | None = None
    """The section of the host file; None in a bundle that is a file of its own."""
    bundle: int = 0
    """Which of the bundles one after another; those inside a compressed one have its number."""
    compression: str | None = None
    """`zlib` or `zstd`."""
    has_hash: bool = True
    """Whether the contents of its compressed bundle have the hash that its header gives."""
    path: str | None = None
    """The path of the file that it is, in a folder."""

    @property
    def kind(self) -> str:
        """`host`, `hip`, `hipv4`, `openmp` …"""
        return self.id.partition("-")[0]

    @property
    def target_name(self) -> str | None:
        """The GPU as text, with its features; None where it is unknown."""
        return None if self.target is None else str(self.target)

    def require_code(self, path: str) -> None:
        """Raise a `DwarfGpuError` for an entry of the container `path` that cannot be opened."""

    @property
    def is_device_code(self) -> bool:
        """Whether it is machine code of a GPU."""
        return self.kind != "host"

    @property
    def is_packed(self) -> bool:
        """Whether the bytes are unpacked when they are read."""
        return False

    def contents(self) -> bytes | FileBytes:
        """Return the bytes for one reader, which alone keeps what it unpacks of them."""
        return self.data

    @property
    def label(self) -> str:
        """What lists of code objects call it."""
        return short_name(str(self.target or self.id))

    @property
    def names(self) -> tuple[str, ...]:
        """What selects it, besides its number and compatible targets."""
        return (self.id, str(self.target))

    @property
    def triple(self) -> str:
        """The target triple, without kind and target."""
        triple = self.id.partition("-")[2]
        start = triple.find("-gfx")
        return (triple if start < 0 else triple[:start]).rstrip("-")

    @property
    def target(self) -> TargetId | None:
        """The GPU and its features; None for the host and for anything but AMD GPUs."""
        start = self.id.find("-gfx")
        if start < 0:
            return None
        try:
            return parse_target_id(self.id[start + 1 :])
        except UsageError:
            return None


def is_bundle(data: bytes) -> bool:
    """Return whether bytes begin as a bundle does."""
    return data.startswith((BUNDLE_MAGIC, COMPRESSED_BUNDLE_MAGIC))


def read_bundles(
    data: bytes | FileBytes, subject: str, limits: FileLimits = DEFAULT_FILE_LIMITS
) -> tuple[BundleEntry, ...]:
    """Read the entries of all bundles in a file or section; `Malformed` if there is none.

    `Unsupported` for a compression that is not read here, or not without an extra.
    """
    return _bundles_from(data, 0, subject, limits)[0]


def _bundles_from(
    data: bytes | FileBytes, position: int, subject: str, limits: FileLimits, before: int = 0
) -> tuple[tuple[BundleEntry, ...], int]:
    """Return the entries of the bundles from a position on, and how many bundles there are;
    `before` more are in other sections."""
    out: list[BundleEntry] = []
    number = unpacked_bytes = inflated_bytes = padding_bytes = 0
    while position < len(data):
        entries, end, inflated = _bundle(
            data, position, f"{subject}+{position:#x}", limits, inflated_bytes
        )
        inflated_bytes += inflated
        out += [evolve(entry, bundle=number) for entry in entries]
        _require_few(len(out), subject)
        _require_few(before + number + 1, subject, "bundles")
        unpacked_bytes += sum(len(entry.data) for entry in entries)
        if unpacked_bytes > MAX_UNPACKED_BYTES:
            raise LimitExceeded(
                f"{subject} has more than {MAX_UNPACKED_BYTES} bytes of code objects"
            )
        position, number = after_zeros(data, end, subject, padding_bytes), number + 1
        padding_bytes += position - end
    return tuple(evolve(entry, index=index) for index, entry in enumerate(out)), number


def _require_few(count: int, subject: str, kind: str = "code objects") -> None:
    if count > MAX_ENTRIES:
        raise LimitExceeded(f"{subject} has more than {MAX_ENTRIES} {kind}")


def after_zeros(
    data: bytes | FileBytes, position: int, subject: str, padding_bytes: int = 0
) -> int:
    """Return where the first byte that is not 0 is from a position on, else the end.

    `padding_bytes`: the zeros before other bundles; `LimitExceeded` for too many.
    """
    size_bytes = _TABLE_BYTES
    end = position + _MAX_PADDING_BYTES - padding_bytes
    while position < len(data):
        if position > end:
            raise LimitExceeded(
                f"{subject} has more than {_MAX_PADDING_BYTES} bytes of zeros between its parts"
            )
        block = data[position : position + size_bytes]
        following = _NOT_ZERO.search(block)
        if following is not None:
            return position + following.start()
        position += len(block)
        size_bytes = min(2 * size_bytes, _MAX_AT_ONCE)
    return len(data)


def entries_of(file: ObjectFile) -> tuple[BundleEntry, ...]:
    """Return the code objects inside a host file, in the order of its sections."""
    out: list[BundleEntry] = []
    prefix = BUNDLE_MAGIC.decode()
    bytes_left, bundle_count = file.size_bytes, 0
    for section in file.sections:
        if section.name.startswith((SECTION, prefix)):
            bytes_left -= section.size_bytes
            if bytes_left < 0:
                raise Malformed(f"{file.path}: bundles overlap: they have more bytes than the file")
        if section.name == SECTION:
            data, subject = file.window(section), f"{file.path}: {section.name}"
            start = after_zeros(data, 0, subject)
            entries, count = _bundles_from(data, start, subject, file.limits, bundle_count)
            bundle_count += count
            out += [evolve(entry, section=section.name) for entry in entries]
        elif section.name.startswith(prefix):
            id = section.name.removeprefix(prefix)
            out.append(BundleEntry(0, id, file.window(section), section.name))
    return tuple(evolve(entry, index=index) for index, entry in enumerate(out))


def _bundle(
    data: bytes | FileBytes, position: int, subject: str, limits: FileLimits, inflated_bytes: int
) -> tuple[list[BundleEntry], int, int]:
    """Return the entries of the bundle at a position, where it ends, and how many bytes were
    unpacked.

    `inflated_bytes`: what the bundles before it unpacked.
    """
    magic = data[position : position + len(BUNDLE_MAGIC)]
    if magic == BUNDLE_MAGIC:
        return *_plain(data, position, subject), 0
    if not magic.startswith(COMPRESSED_BUNDLE_MAGIC):
        raise Malformed(f"{subject}: no offload bundle begins here")
    unpacked, kind, end, hash = _unpacked(data, position, subject, limits, inflated_bytes)
    shared = shared_if_large(unpacked)
    entries: list[BundleEntry] = []
    inside = 0
    while inside < len(unpacked) or not inside:
        if not unpacked.startswith(BUNDLE_MAGIC, inside):
            where = f" at {inside:#x}" if inside else ""
            raise Malformed(f"{subject}: no offload bundle is inside the compressed one{where}")
        read, after = _plain(shared, inside, subject)
        entries += read
        _require_few(len(entries), subject)
        inside = after_zeros(unpacked, after, subject)
    has_hash = _hash_of(unpacked) == hash
    entries = [evolve(entry, compression=kind, has_hash=has_hash) for entry in entries]
    return entries, end, len(unpacked)


def _hash_of(unpacked: bytes) -> bytes:
    """Return the first half of the MD5 digest, as clang writes it."""
    import hashlib  # few bundles are compressed

    return hashlib.md5(unpacked, usedforsecurity=False).digest()[:_HASH_BYTES]


def _plain(data: bytes | FileBytes, position: int, subject: str) -> tuple[list[BundleEntry], int]:
    rows, end = _table(data, position, subject)
    return list(_entries(data, position, rows, subject)), max(
        [end, *(position + offset + size for offset, size, _ in rows)]
    )


def _table(
    data: bytes | FileBytes, position: int, subject: str
) -> tuple[list[tuple[int, int, bytes]], int]:
    """Return offset, size and ID of each entry, and where the table ends."""
    size_bytes = _TABLE_BYTES
    while True:
        block = data[position : position + size_bytes]
        try:
            rows, end = _rows(block, len(data) - position, subject)
            return rows, position + end
        except Malformed as error:
            if position + len(block) >= len(data):
                error.context = subject
                raise
        size_bytes *= 8  # the table is longer


def _rows(block: bytes, bytes_left: int, subject: str) -> tuple[list[tuple[int, int, bytes]], int]:
    """Return the rows of a block that begins with the bundle; `Malformed` where it is too short."""
    reader = Reader(block, "little", len(BUNDLE_MAGIC))
    count = reader.unsigned(8)
    if count * _SHORTEST_ENTRY_BYTES > bytes_left - reader.position:
        raise Malformed(f"{count} entries do not fit into the bundle")
    _require_few(count, subject)
    rows = []
    for _ in range(count):
        offset, size = reader.unsigned(8), reader.unsigned(8)
        rows.append((offset, size, reader.take(reader.unsigned(8))))
    return rows, reader.position


def _entries(
    data: bytes | FileBytes, position: int, rows: list[tuple[int, int, bytes]], subject: str
) -> Iterator[BundleEntry]:
    taken_bytes = 0
    for offset, size, id in rows:
        start = position + offset
        if start + size > len(data):
            raise Malformed(f"{subject}: the entry {printable(id)} is cut short")
        taken_bytes += size
        # Entries that overlap would make much of little.
        if taken_bytes > len(data):
            raise Malformed(f"{subject}: the entries overlap")
        yield BundleEntry(0, id.decode("utf-8", "replace"), part_of(data, start, size))


def _unpacked(
    data: bytes | FileBytes, position: int, subject: str, limits: FileLimits, inflated_bytes: int
) -> tuple[bytes, str, int, bytes]:
    """Return the bundle inside a compressed one, its compression, the end of the outer one, and the
    hash in its header.

    Version 1 has no size field, 2 has 32-bit sizes, 3 has 64-bit ones.
    """
    try:
        header = data[position : position + _LONGEST_HEADER_BYTES]
        reader = Reader(header, "little", len(COMPRESSED_BUNDLE_MAGIC))
        version, method = reader.unsigned(2), reader.unsigned(2)
        if not 1 <= version <= 3:
            raise Unsupported(f"version {version} of compressed offload bundles")
        word_bytes = 8 if version == 3 else 4
        total_bytes = None if version == 1 else reader.unsigned(word_bytes)
        size_bytes = reader.unsigned(word_bytes)
        hash = reader.take(_HASH_BYTES)
        start = position + reader.position
        end = len(data) if total_bytes is None else position + total_bytes
        if not start <= end <= len(data):
            raise Malformed(f"a compressed bundle of {total_bytes} bytes")
    except (Malformed, Unsupported) as error:
        error.context = subject
        raise
    if method == _ZSTD and total_bytes is None:
        from dwarfgpu.objfile.compressed_file import frame_end  # few bundles are of version 1

        end = frame_end(subject, data, start)  # other bundles may follow
    if size_bytes <= MAX_UNPACKED_BYTES:  # larger claims are refused below
        limits.check_inflated(
            subject, packed_bytes=end - start, size_bytes=size_bytes, other_bytes=inflated_bytes
        )
    if method == _ZLIB and total_bytes is None:
        # The rest of the file is not copied: many bundles may follow.
        remaining = (
            memoryview(data)[start:] if isinstance(data, bytes) else data.part(start, end - start)
        )
        unpacked, used_bytes = inflate_some(remaining, size_bytes, subject)
        return unpacked, "zlib", start + used_bytes, hash
    if method == _ZLIB:
        return inflate(data[start:end], size_bytes, subject), "zlib", end, hash
    if method == _ZSTD:
        return unpack_zstd(data[start:end], size_bytes, subject), "zstd", end, hash
    raise Unsupported(f"{subject}: compression method {method} of offload bundles")
