"""Zip archives, such as wheels (PKWARE, APPNOTE.TXT 6.3: 4.3 and 4.5.3).

Law: the directory at the end is what counts; files that overlap make the archive `Malformed`, since
they would make much of little.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct, error
from typing import Final

from dwarfgpu.base.printable import printable
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, Malformed, Unsupported
from dwarfgpu.objfile.collection.packed_file import PackedFile, check_count
from dwarfgpu.objfile.file_bytes import FileBytes, part_of

_END: Final = Struct("<4s4H2LH")
_END_MAGIC: Final = b"PK\5\6"
_LOCATOR: Final = Struct("<4sLQL")
_LOCATOR_MAGIC: Final = b"PK\6\7"
_END_64: Final = Struct("<4sQ2H2L4Q")
_END_64_MAGIC: Final = b"PK\6\6"
_ENTRY: Final = Struct("<4s4H2H3L5H2L")
_ENTRY_MAGIC: Final = b"PK\1\2"
_LOCAL: Final = Struct("<4s22x2H")
_LOCAL_MAGIC: Final = b"PK\3\4"
_MAX_COMMENT_BYTES: Final = 0xFFFF
_ENCRYPTED: Final = 1
_UTF_8: Final = 0x800
_STORED, _DEFLATED = 0, 8
_IN_EXTRA: Final = 0xFFFFFFFF
"""The number is too large for its field: it is in the extra field of ZIP64."""
_ZIP_64: Final = 1
_FIELD: Final = Struct("<HH")
"""The kind and size in bytes of an extra field, before its contents."""
_MAX_FIELDS: Final = 1_000
"""Of one file; tools write a few."""
_MAX_STORED_BYTES: Final = 1 << 30
"""Of the first files that are stored, whose CRCs are compared: to read them takes a second, and a
hole may have any size."""


@frozen
class _Directory:
    """Where the central directory is."""

    start: int
    end: int
    moved_bytes: int
    """Bytes before the archive, as those of a program that unpacks itself."""


def zip_files(data: bytes | FileBytes, path: str) -> Iterator[PackedFile]:
    """Yield the files of an archive, without folders.

    `Malformed` for a damaged directory or files that overlap. A file that is encrypted, or
    compressed by anything but deflate, has this as its problem.
    """
    try:
        yield from _files(data, path, _directory(data, path))
    except error:  # cut short
        raise Malformed(f"{path}: the directory of the zip archive is cut short") from None


def _files(data: bytes | FileBytes, path: str, directory: _Directory) -> Iterator[PackedFile]:
    position, index, bytes_left = directory.start, 0, len(data)
    stored_left = _MAX_STORED_BYTES
    while position < directory.end:
        check_count(index, path)
        block = bytes(data[position : position + _ENTRY.size])
        (
            magic, _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes,
            comment_bytes, _, _, _, offset,
        ) = _ENTRY.unpack(block)  # fmt: skip
        if magic != _ENTRY_MAGIC:
            raise Malformed(f"{path}: no file of the zip archive is at {position:#x}")
        start = position + _ENTRY.size
        raw = bytes(data[start : start + name_bytes])
        extra = bytes(data[start + name_bytes : start + name_bytes + extra_bytes])
        position = start + name_bytes + extra_bytes + comment_bytes
        size, packed, offset = _wide(extra, size, packed, offset)
        index += 1
        name = printable(raw if flags & _UTF_8 else raw.decode("cp437").encode()) or "?"
        is_stored = method == _STORED and not flags & _ENCRYPTED
        if raw.endswith(b"/") or not (size or is_stored and packed):
            continue
        bytes_left -= packed
        if bytes_left < 0:
            raise Malformed(f"{path}: the files of the zip archive overlap")
        problem: DwarfGpuError | None = None
        if flags & _ENCRYPTED:
            problem = Unsupported(f"{path}: {name} is encrypted")
        elif method not in (_STORED, _DEFLATED):
            problem = Unsupported(f"{path}: {name} is compressed by method {method} of zip")
        elif is_stored and size != packed:
            problem = Malformed(f"{path}: {name} is stored, with {packed} bytes and with {size}")
        content = part_of(data, _content_at(data, offset + directory.moved_bytes, path), packed)
        if len(content) < packed:
            raise Malformed(f"{path}: {name} is cut short")
        stored_left -= packed if is_stored else 0
        known_crc = None if is_stored and stored_left < 0 else crc
        inflated = size if method == _DEFLATED else None
        yield PackedFile(index - 1, name, content, inflated, known_crc, problem)


def _directory(data: bytes | FileBytes, path: str) -> _Directory:
    """Find the directory by the record at the end of the archive."""
    last = max(0, len(data) - _END.size - _MAX_COMMENT_BYTES)
    tail = bytes(data[last:])
    offset = tail.rfind(_END_MAGIC)
    if offset < 0:
        raise Malformed(f"{path} is cut short, or not a zip archive: it has no directory")
    _, _, _, _, _, size_bytes, start, _ = _END.unpack_from(tail, offset)
    end = last + offset
    locator = bytes(data[max(0, end - _LOCATOR.size) : end])
    if locator.startswith(_LOCATOR_MAGIC) and len(locator) == _LOCATOR.size:
        _, _, record_at, _ = _LOCATOR.unpack(locator)
        record = bytes(data[record_at : record_at + _END_64.size])
        if record.startswith(_END_64_MAGIC):
            *_, size_bytes, start = _END_64.unpack(record)
            end = record_at
    moved_bytes = end - size_bytes - start
    if moved_bytes < 0:
        raise Malformed(f"{path}: the directory of the zip archive is not in the file")
    return _Directory(start + moved_bytes, end, moved_bytes)


def _wide(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Take the numbers that do not fit their fields from the extra field of ZIP64 (4.5.3)."""
    position = 0
    for _ in range(_MAX_FIELDS):
        if position + _FIELD.size > len(extra):
            break
        kind, count = _FIELD.unpack_from(extra, position)
        position += _FIELD.size
        if kind == _ZIP_64:
            numbers = iter(
                int.from_bytes(extra[start : start + 8], "little")
                for start in range(position, position + count, 8)
            )
            size, packed, offset = (
                next(numbers, number) if number == _IN_EXTRA else number
                for number in (size, packed, offset)
            )
            break
        position += count
    return size, packed, offset


def _content_at(data: bytes | FileBytes, offset: int, path: str) -> int:
    """Return where the bytes of a file begin, behind its own header."""
    header = bytes(data[offset : offset + _LOCAL.size])
    magic, name_bytes, extra_bytes = _LOCAL.unpack(header)
    if magic != _LOCAL_MAGIC:
        raise Malformed(f"{path}: no file of the zip archive begins at {offset:#x}")
    return offset + _LOCAL.size + int(name_bytes) + int(extra_bytes)
