"""Read and write NumPy's `.npy` files without NumPy (NumPy, "numpy.lib.format").

Law: only plain numbers and bytes are read; no content of a file is executed.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import read_at_most
from dwarfgpu.base.npy_fields import Field, descr_of, parsed_fields, structure
from dwarfgpu.base.readable_files import open_to_read
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import UsageError

MAGIC: Final = b"\x93NUMPY"
MAX_BYTES: Final = 1 << 30
"""Maximum size in bytes of a file; a device that never ends has more."""
_TYPES: Final = frozenset(
    f"{letter}{size}"
    for letter, sizes in {
        "b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8, 16), "c": (8, 16),
        "V": (1, 2, 4, 8, 16),
    }.items()
    for size in sizes
)  # fmt: skip
"""The types that NumPy has, and that are plain numbers or bytes."""
NUMBER_CODES: Final = {
    "<f2": "e", "<f4": "f", "<f8": "d", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H",
    "<i4": "i", "<u4": "I", "<i8": "q", "<u8": "Q", "<c8": "2f", "<c16": "2d",
}  # fmt: skip
"""How `struct` writes the types of numbers; for a complex one as two numbers."""
_MEMBERS: Final = {"descr", "fortran_order", "shape"}
"""Of a header: NumPy refuses more, and fewer."""
_MAX_HEADER_BYTES: Final = 10_000
"""NumPy's own limit (`numpy.load`, max_header_size): the parser of Python may fail on more."""
_MAX_DIMENSIONS: Final = 64
"""NumPy 2 allows no more."""
_MAX_DIMENSION_LENGTH: Final = (1 << 63) - 1
_HEADER_MULTIPLE: Final = 64
_MAX_SHORT_HEADER: Final = (1 << 16) - 2 * _HEADER_MULTIPLE
"""Bytes of a header of version 1.0, without its padding."""
_NOT_NUMBERS: Final = {
    "O": "Python objects", "U": "text", "S": "text", "M": "dates", "m": "durations",
    "V": "raw bytes",
}  # fmt: skip
"""What other arrays have, by the letter of their type."""


@frozen
class Npy:
    """An array: what its numbers are, its shape, and its bytes in C order."""

    descr: str
    """As NumPy writes it: `<f4`, `|u1`; `|V12` for a structure."""
    shape: tuple[int, ...]
    data: bytes = field(repr=False)
    fields: tuple[Field, ...] = ()
    """Those of a structure; empty for any other."""

    @property
    def item_bytes(self) -> int:
        return int(self.descr[2:])

    @property
    def type_text(self) -> str:
        """`descr` of the file."""
        return descr_of(self.fields) if self.fields else self.descr

    def row(self, index: int) -> bytes:
        """Return the bytes of one row of the first dimension, which the array must have."""
        size_bytes = len(self.data) // self.shape[0]
        return self.data[index * size_bytes : (index + 1) * size_bytes]


def is_npy(data: bytes) -> bool:
    return data.startswith(MAGIC)


def read_npy(path: Path, most_bytes: int = MAX_BYTES) -> Npy:
    """Read the array of a file; `UsageError` if it is not an array of plain little-endian numbers,
    or the file has more bytes."""
    data = read_array_or_bytes(path, most_bytes)
    return data if isinstance(data, Npy) else parse_npy(data, str(path))


def read_array_or_bytes(
    path: Path, most_bytes: int = MAX_BYTES, *, structures: bool = False
) -> Npy | bytes:
    """Read the array of a .npy file, or all bytes of any other; errors are those of `read_npy` and
    `read_file`. `structures`: arrays of them are read, too.

    The bytes are in memory once: those behind the header are read by themselves.
    """
    try:
        with open_to_read(path) as file:
            head = file.read(_MAX_HEADER_BYTES) if file.seekable() else b""
            start = _header_end(head) if is_npy(head) else None
            if start is not None and start <= len(head):
                file.seek(start)
                data = read_at_most(file, most_bytes, path)
                return _array(head[:start], data, str(path), structures=structures)
            if file.seekable():
                file.seek(0)
            data = read_at_most(file, most_bytes, path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return parse_npy(data, str(path), structures=structures) if is_npy(data) else data


def _unreadable(path: Path, error: Exception) -> UsageError:
    return UsageError(f"{path} cannot be read: {getattr(error, 'strerror', error)}")


def read_file(path: Path, most_bytes: int = MAX_BYTES) -> bytes:
    """Read the bytes of a file; `UsageError` if it cannot be read, or has more bytes."""
    try:
        with open_to_read(path) as file:
            return read_at_most(file, most_bytes, path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def bytes_of(path: str) -> bytes:
    """Return the numbers of a .npy file as bytes, or all bytes of any other file."""
    data = read_array_or_bytes(Path(path))
    return data.data if isinstance(data, Npy) else data


def parse_npy(data: bytes, source: str, *, structures: bool = False) -> Npy:
    """Parse the bytes of an array; errors are those of `read_npy`, and name the source.

    `structures`: arrays of them are read, too.
    """
    start = _header_end(data)
    if start is None:
        raise UsageError(f"{source}: not a .npy file")
    return _array(data[:start], data[start:], source, structures=structures)


def _header_end(data: bytes) -> int | None:
    """Return where the header says that it ends; None if the bytes do not begin as an array."""
    if not is_npy(data) or len(data) < 10:
        return None
    length_bytes = 2 if data[6] == 1 else 4
    return 8 + length_bytes + int.from_bytes(data[8 : 8 + length_bytes], "little")


def _array(head: bytes, data: bytes, source: str, *, structures: bool) -> Npy:
    """Return an array of a header, which may be cut short, and the bytes behind it."""
    start = _header_end(head)
    if head[6] not in (1, 2, 3) or head[7]:
        version = f"{head[6]}.{head[7]}"
        raise UsageError(f"{source}: a .npy file of version {version}; 1.0, 2.0 and 3.0 are read")
    assert start is not None
    if start > len(head):
        raise UsageError(f"{source}: the .npy file is cut short: its header has {start} bytes")
    if start > _MAX_HEADER_BYTES:
        raise UsageError(
            f"{source}: the header of the .npy file has {start} bytes, "
            f"at most {_MAX_HEADER_BYTES} are read"
        )
    encoding = "utf-8" if head[6] == 3 else "latin-1"
    header = head[10 if head[6] == 1 else 12 : start]
    descr, order, shape, fields = _header(header, encoding, source, structures)
    count = math.prod(shape)
    if len(data) != count * int(descr[2:]):
        raise UsageError(f"{source}: {len(data)} bytes for an array {shape} of {descr}")
    if order and sum(size > 1 for size in shape) > 1:
        raise UsageError(f"{source}: the array is in Fortran order; save it in C order")
    return Npy(descr, shape, data, fields)


def _header(
    text: bytes, encoding: str, source: str, structures: bool
) -> tuple[str, bool, tuple[int, ...], tuple[Field, ...]]:
    """Return the type of the numbers, whether they are in Fortran order, the shape, and the
    fields of structures."""
    import ast  # Few states have arrays, and every command that reads one would load it.
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's, of a backslash in a text, for example
            tree = ast.parse(text.decode(encoding).strip(), mode="eval")
        header = ast.literal_eval(tree)
        if not isinstance(tree.body, ast.Dict):
            raise TypeError
        if len(header) != len(tree.body.keys):  # the first of two would be lost
            raise UsageError(f"{source}: the header of the .npy file gives a member twice")
        if set(header) != _MEMBERS:
            raise KeyError
        descr, order, shape = header["descr"], header["fortran_order"], header["shape"]
    except (ValueError, SyntaxError, LookupError, TypeError, ArithmeticError, MemoryError,
            RecursionError):  # fmt: skip
        raise UsageError(f"{source}: the header of the .npy file cannot be read") from None
    fields: tuple[Field, ...] = ()
    if structures and isinstance(descr, list):
        try:
            fields = parsed_fields(descr)
        except ValueError as error:
            raise UsageError(
                f"{source}: an array of structures {error}; their fields need names of their own "
                "and little-endian numbers"
            ) from None
        descr = structure(fields)
    elif not (isinstance(descr, str) and descr[:1] in ("<", "|") and descr[1:] in _TYPES):
        text_of_type = f"{descr!r:.60}" if isinstance(descr, str) else "records"
        if isinstance(descr, str) and descr[1:2] in _NOT_NUMBERS:
            text_of_type = f"{_NOT_NUMBERS[descr[1:2]]} ({text_of_type})"
        raise UsageError(
            f"{source}: an array of {text_of_type}; only little-endian numbers are read"
        )
    sizes_are_numbers = isinstance(shape, tuple) and all(
        type(n) is int and 0 <= n <= _MAX_DIMENSION_LENGTH for n in shape
    )
    if not sizes_are_numbers or not isinstance(order, bool):
        raise UsageError(f"{source}: the header of the .npy file cannot be read")
    if len(shape) > _MAX_DIMENSIONS:
        raise UsageError(f"{source}: {len(shape)} dimensions, at most {_MAX_DIMENSIONS} are read")
    return descr, order, shape, fields


def npy_bytes(array: Npy) -> bytes:
    """Return the file of an array, of version 1.0, or 3.0 for names that latin-1 does not have."""
    shape = f"({', '.join(map(str, array.shape))}{',' if len(array.shape) == 1 else ''})"
    descr = array.type_text if array.fields else repr(array.descr)
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    is_short = text.isascii() and len(text) < _MAX_SHORT_HEADER
    length_bytes = 2 if is_short else 4
    padding = -(len(MAGIC) + 2 + length_bytes + len(text) + 1) % _HEADER_MULTIPLE
    header = text + b" " * padding + b"\n"
    version = b"\1\0" if is_short else b"\3\0"
    size = len(header).to_bytes(length_bytes, "little")
    return b"".join([MAGIC, version, size, header, array.data])
