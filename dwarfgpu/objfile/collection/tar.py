"""Tar archives, as in Debian packages (POSIX.1-1988 ustar, GNU's long names, POSIX.1-2001 pax).

Law: only regular files are read, sparse ones are `Unsupported`; links, devices and folders are
passed over, and nothing is written to disk, so that no name leads anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.printable import printable
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported, counted
from dwarfgpu.objfile.collection.packed_file import PackedFile, check_count
from dwarfgpu.objfile.file_bytes import FileBytes, part_of

_BLOCK: Final = 512
_CHECKSUM: Final = slice(148, 156)
_REGULAR: Final = (b"0", b"\0", b"7")
_LONG_NAME: Final = b"L"
_PAX: Final = b"x"
_SPARSE: Final = b"S"
"""A file of GNU with holes, whose header other ones continue."""
_PAX_SPARSE: Final = b"GNU.sparse."
_IS_CONTINUED: Final = 482
_CONTINUES: Final = 504
"""Where a header of such a file, and one of those behind it, says whether another one follows."""
_MAX_EXTENSION_BYTES: Final = 1 << 20
"""Of a long name or a pax header."""
_MAX_RECORDS: Final = 1 << 20
"""Of all pax headers of an archive."""
_LONGEST_NUMBER: Final = 8
"""Digits of the length of a record."""


def tar_files(data: bytes | FileBytes, path: str) -> Iterator[PackedFile]:
    """Yield the regular files of an archive; `Malformed` for a damaged header,
    `LimitExceeded` for very many records in headers."""
    position = index = count = record_count = 0
    extension: dict[str, bytes] = {}
    while position < len(data):
        header = bytes(data[position : position + _BLOCK])
        if not any(header):
            return
        check_count(count, path)
        count += 1
        kind, size_bytes = _checked(header, path, position)
        size_bytes = _pax_size(extension, size_bytes, path, position)
        start = position + _BLOCK
        if kind == _SPARSE:
            start += _continued_bytes(data, header, start)
        if start + size_bytes > len(data):
            raise Malformed(f"{path}: the file at {position:#x} is cut short")
        position = start + -(-size_bytes // _BLOCK) * _BLOCK
        if kind in (_LONG_NAME, _PAX):
            if size_bytes > _MAX_EXTENSION_BYTES:
                raise Malformed(f"{path}: a header of {counted(size_bytes, 'byte')} at {start:#x}")
            content = bytes(data[start : start + size_bytes])
            if kind == _LONG_NAME:
                extension["path"] = content.partition(b"\0")[0]
                continue
            for key, value in _pax(content):
                record_count += 1
                if record_count > _MAX_RECORDS:
                    raise LimitExceeded(f"{path} has more than {_MAX_RECORDS} records in headers")
                _extend(extension, key, value)
            continue
        if kind in _REGULAR or kind == _SPARSE:
            raw = extension.get("name") or extension.get("path") or _name(header)
            name = printable(raw.removeprefix(b"./")) or "?"
            is_sparse = kind == _SPARSE or "sparse" in extension
            problem = Unsupported(f"{path}: {name} is a sparse file") if is_sparse else None
            yield PackedFile(index, name, part_of(data, start, size_bytes), problem=problem)
            index += 1
        elif kind.isalpha() and kind.isupper() or kind == b"g":
            continue  # a header that describes the next file
        extension = {}


def _continued_bytes(data: bytes | FileBytes, header: bytes, start: int) -> int:
    """Return the size of the blocks that continue the header of a sparse file."""
    position, is_continued = start, header[_IS_CONTINUED]
    while is_continued and position < len(data):
        is_continued = any(data[position + _CONTINUES : position + _CONTINUES + 1])
        position += _BLOCK
    return position - start


def _checked(header: bytes, path: str, position: int) -> tuple[bytes, int]:
    """Return the kind of a file and its size in bytes; `Malformed` unless the checksum is right."""
    if len(header) < _BLOCK:
        raise Malformed(f"{path} is cut short at {position:#x}")
    total = sum(header) - sum(header[_CHECKSUM]) + 8 * ord(" ")
    if _octal(header[_CHECKSUM], path, position) != total:
        raise Malformed(f"{path}: no file of a tar archive begins at {position:#x}")
    field = header[124:136]
    if field[0] & 0x80:  # GNU: a binary number
        return header[156:157], int.from_bytes(field[1:], "big")
    return header[156:157], _octal(field, path, position)


def _octal(field: bytes, path: str, position: int) -> int:
    digits = field.strip(b" \0") or b"0"
    if digits.strip(b"01234567"):
        raise Malformed(f"{path}: the header at {position:#x} has no number where one belongs")
    return int(digits, 8)


def _name(header: bytes) -> bytes:
    name, prefix = header[:100].partition(b"\0")[0], b""
    if header[257:263] == b"ustar\0":
        prefix = header[345:500].partition(b"\0")[0]
    return prefix + b"/" + name if prefix else name


def _pax(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the records of a pax header, the name and the value of each."""
    position = 0
    while position < len(content):
        blank = content.find(b" ", position, position + _LONGEST_NUMBER + 1)
        digits = content[position : max(blank, position)]
        length = int(digits) if digits.isdigit() else 0
        if not len(digits) + 1 < length <= len(content) - position:
            return  # padding, or damaged: the fields of the header count
        key, _, value = content[blank + 1 : position + length - 1].partition(b"=")
        yield key, value
        position += length


def _extend(extension: dict[str, bytes], key: bytes, value: bytes) -> None:
    """Add what a record of a pax header says about the next file."""
    if key in (b"path", b"size"):
        extension[key.decode()] = value
    elif key.startswith(_PAX_SPARSE):
        extension["sparse"] = value
        if key == _PAX_SPARSE + b"name":  # the path is that of the condensed file
            extension["name"] = value


def _pax_size(extension: dict[str, bytes], size_bytes: int, path: str, position: int) -> int:
    digits = extension.get("size")
    if digits is None:
        return size_bytes
    if not digits.isdigit() or len(digits) > 20:
        raise Malformed(f"{path}: the file at {position:#x} has a size that is not a number")
    return int(digits)
