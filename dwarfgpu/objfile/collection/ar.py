"""`ar` archives: GNU, BSD and thin ones (System V ABI; GNU binutils, "ar").

Law: an archive is read member by member; a name leads nowhere but into its own table of names.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.limits import MAX_FILES
from dwarfgpu.base.printable import printable
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.collection.packed_file import PackedFile, check_count
from dwarfgpu.objfile.file_bytes import FileBytes, part_of
from dwarfgpu.objfile.file_kinds import AR_MAGIC

_HEADER_BYTES: Final = 60
_NAME_BYTES: Final = 16
_SIZE: Final = slice(48, 58)
_END: Final = b"`\n"
_LONG_NAMES: Final = b"//"
_SYMBOLS_64: Final = b"/SYM64/"
_SYMBOLS: Final = (b"/", _SYMBOLS_64)
_BSD_SYMBOLS: Final = b"__.SYMDEF"
_BSD_NAME: Final = b"#1/"
_MAX_NAME_BYTES: Final = 1 << 14
_MAX_INDEX_BYTES: Final = 1 << 25
"""Of the index of symbols; a larger one is not compared with the members."""
_ZEROS: Final = bytes(4)
_MAX_TABLES: Final = 1_000
"""Of names and symbols; an archive has up to three."""
_MAX_THIN_BYTES: Final = 1 << 23
"""Names of the files of a thin archive together: for each folder in one, the file system is
asked."""


def ar_files(data: bytes | FileBytes, path: str) -> Iterator[PackedFile]:
    """Yield the files of an archive that is not thin; `Malformed` where it is cut short."""
    for index, member in enumerate(_members(data, path, is_thin=False)):
        content = part_of(data, member.start, member.size_bytes)
        yield PackedFile(index, member.name, content, problem=member.problem)


def thin_names(data: bytes | FileBytes, path: str) -> Iterator[str]:
    """Yield the paths of the files of a thin archive, as they are in it: from its folder."""
    bytes_left = _MAX_THIN_BYTES
    for member in _members(data, path, is_thin=True):
        if member.problem is not None:
            raise member.problem
        bytes_left -= len(member.name)
        if bytes_left < 0:
            raise LimitExceeded(f"{path} has names of more than {_MAX_THIN_BYTES} bytes")
        yield member.name


@frozen
class _ArMember:
    """A member that is not a table of the archive."""

    name: str
    start: int
    """Where its content begins, in the archive."""
    size_bytes: int
    problem: Malformed | None
    """Why it has no name but the number in its header."""


def _members(data: bytes | FileBytes, path: str, *, is_thin: bool) -> Iterator[_ArMember]:
    """Yield the members that are not tables of the archive."""
    names: bytes | FileBytes = b""
    index = frozenset[int]()
    begins: set[int] = set()
    position, count, headers = len(AR_MAGIC), 0, 0
    while position < len(data):
        if headers - count > _MAX_TABLES:
            raise LimitExceeded(f"{path} has more than {_MAX_TABLES} tables of names and symbols")
        headers += 1
        header = bytes(data[position : position + _HEADER_BYTES])
        if len(header) < _HEADER_BYTES:
            raise Malformed(f"{path} is cut short at {position:#x}")
        if not header.endswith(_END):
            raise Malformed(f"{path}: no member of an ar archive begins at {position:#x}")
        size_bytes = _size(header, path, position)
        start = position + _HEADER_BYTES
        name = header[:_NAME_BYTES].rstrip(b" ")
        problem = None
        is_table = name in (*_SYMBOLS, _LONG_NAMES)
        has_data = is_table or not is_thin
        begin = position
        if has_data and start + size_bytes > len(data):
            raise Malformed(f"{path}: the member at {position:#x} is cut short")
        position = start + has_data * (size_bytes + size_bytes % 2)
        if name == _LONG_NAMES:
            names = part_of(data, start, size_bytes)
            continue
        if is_table:
            if begin == len(AR_MAGIC) and not is_thin:
                index = _index(bytes(data[start : start + min(size_bytes, _MAX_INDEX_BYTES)]), name)
            continue
        if name.startswith(_BSD_NAME):
            name_bytes = _number(name[len(_BSD_NAME) :], path, start)
            if name_bytes > min(size_bytes, _MAX_NAME_BYTES):
                raise Malformed(f"{path}: the name of the member at {start:#x} is cut short")
            name = bytes(data[start : start + name_bytes]).rstrip(b"\0")
            start, size_bytes = start + name_bytes, size_bytes - name_bytes
        elif name[:1] == b"/":
            try:
                name = _long_name(names, name[1:], path, start)
            except Malformed as error:  # the next member is found all the same
                problem = error
        if name.startswith(_BSD_SYMBOLS):
            continue
        check_count(count, path)
        count += 1
        begins.add(begin)
        if begin in index and problem is None:
            problem = _without_contents(data, start, size_bytes, path, begin)
        yield _ArMember(printable(name.removesuffix(b"/")) or "?", start, size_bytes, problem)
    _check_index(index - begins, data, path)


def _index(table: bytes, name: bytes) -> frozenset[int]:
    """Return where members begin that define symbols, by the index of an archive; nothing where it
    is cut short, or names more members than are read."""
    code = "Q" if name == _SYMBOLS_64 else "I"
    word_bytes = array(code).itemsize
    count = int.from_bytes(table[:word_bytes], "big")
    end = (1 + count) * word_bytes
    if end > len(table):
        return frozenset()
    offsets = array(code, table[word_bytes:end])
    if sys.byteorder == "little":
        offsets.byteswap()
    begins = set[int]()  # there may be many symbols of a member
    for first in range(0, count, MAX_FILES):
        begins.update(offsets[first : first + MAX_FILES])
        if len(begins) > MAX_FILES:
            return frozenset()
    return frozenset(begins)


def _without_contents(
    data: bytes | FileBytes, start: int, size_bytes: int, path: str, begin: int
) -> Malformed | None:
    """Return that a member which defines symbols begins with zeros, as no kind of object does."""
    if size_bytes < len(_ZEROS) or bytes(data[start : start + len(_ZEROS)]) != _ZEROS:
        return None
    return Malformed(
        f"{path}: the member at {begin:#x}, which the index of symbols names, begins with zeros"
    )


def _check_index(offsets: frozenset[int], data: bytes | FileBytes, path: str) -> None:
    """Raise `Malformed` where the index of symbols names headers that are not those of members, or
    members beyond the end. Other places that are none's are those of an index that was not renewed.
    """
    for offset in sorted(offsets):
        header = bytes(data[offset : offset + _HEADER_BYTES])
        if header.endswith(_END) or offset >= len(data):
            raise Malformed(
                f"{path}: the index of symbols names a member at {offset:#x}, where none is found"
            )


def _size(header: bytes, path: str, position: int) -> int:
    return _number(header[_SIZE].rstrip(b" "), path, position)


def _number(digits: bytes, path: str, position: int) -> int:
    if not digits.isdigit():
        raise Malformed(f"{path}: the header of the member at {position:#x} has no number")
    return int(digits)


def _long_name(names: bytes | FileBytes, reference: bytes, path: str, position: int) -> bytes:
    """Return the name at an offset of the table of long names, which may be a hole of any size;
    what follows a colon is ignored: the place in an archive inside of a thin one."""
    offset = _number(reference.partition(b":")[0], path, position)
    name, end, _ = bytes(names[offset : offset + _MAX_NAME_BYTES]).partition(b"\n")
    if not end:
        raise Malformed(f"{path}: the member at {position:#x} has no name in the table of names")
    return name
