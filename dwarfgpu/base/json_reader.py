"""Strict reading of JSON: every complaint names the file and the path of the field.

Law: a value that is not of the expected shape is a `UsageError`, never a guess.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from stat import S_ISREG
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.readable_files import more_than, open_to_read
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LONGEST_NAME, UnreadableFile, UsageError, shortened

if TYPE_CHECKING:
    from pathlib import Path

IS_ELF: Final = "not JSON: it is an ELF file"
"""What the error about a file that is none of JSON ends with then."""
MAX_BYTES = 1 << 26
"""Of a document: Python's objects for it take up to 20 times as much. Longer data are in arrays."""
MAX_TEXT_BYTES = 2 * MAX_BYTES
"""In memory, where one wide character makes the text four times as large as the file."""
MAX_VALUES = 2_000_000
"""Maximum number of values in a document: each takes up to a hundred bytes, whatever it is."""
MAX_DEVICE_BYTES = MAX_BYTES
"""Limit for pipes and devices, which may never end."""

_WIDE_TEXT: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"\0")
"""So begins text of UTF-16 and UTF-32, which JSON files of several programs may not be (RFC 8259,
8.1)."""
_PART_BYTES = 1 << 20

MAX_BITS = 128
"""Default limit of an integer in bits, without its sign."""
_BINARY = pattern(r"%[01?]{8}")
_BYTES = pattern(r"(?:[0-9a-fA-F]{2}|\?\?)+")
_RUN = pattern(r"[0-9a-fA-F]+|\?+")
"""Bytes that are all known or all unknown."""
_KNOWN_BITS: Final = str.maketrans("01?", "110")
_SPACES: Final = " \t\n\r\v\f"
_MOST_DIGITS: Final = 9
"""For a byte, where its bits are listed after a percent sign."""
_INTEGER = pattern(r"\s*[+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[0-9]+)\s*", re.ASCII)

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"


@frozen
class Field:
    """A JSON value with its path in the document."""

    source: str
    path: str
    value: Json

    def expected(self, description: str) -> UnreadableFile:
        """Return the error that this field has an unexpected value."""
        import json

        try:
            shown = json.dumps(self.value)
        except RecursionError:  # arrays in arrays, just less deep than a reader takes
            shown = "data nested that deep"
        except ValueError:  # an integer with more digits than Python writes
            shown = "a number that large"
        except TypeError:  # of a program, not of a file
            shown = f"an object of {type(self.value).__name__}"
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return UnreadableFile(
            f"{self.source}: {self.path or 'document'}: expected {description}, not {shown}"
        )

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def __getitem__(self, name: str) -> Field:
        """Return a required member of an object."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        if name not in self.value:
            raise self.expected(f"an object with a member {name!r}")
        return self._member(name)

    def get(self, name: str) -> Field | None:
        """Return a member of an object; None if it is absent."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        return self._member(name) if name in self.value else None

    def _member(self, name: str) -> Field:
        assert isinstance(self.value, dict)
        word = name if len(name) <= LONGEST_NAME else shortened(name, LONGEST_NAME)
        path = f"{self.path}.{word}" if self.path else word
        return Field(self.source, path, self.value[name])

    def members(self) -> Iterator[tuple[str, Field]]:
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        for name in self.value:
            yield name, self._member(name)

    def items(self) -> list[Field]:
        if not isinstance(self.value, list):
            raise self.expected("an array")
        return [
            Field(self.source, f"{self.path}[{index}]", item)
            for index, item in enumerate(self.value)
        ]

    def only(self, *names: str) -> None:
        """Refuse members of other names: they would be ignored."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        for name in self.value:
            if name not in names:
                allowed = ", ".join(names)
                raise UsageError(
                    f"{self.source}: {self.path or 'document'}: unknown member "
                    f"{shortened(name, LONGEST_NAME)!r}; "
                    f"known: {allowed}"
                )

    def text(self, *choices: str) -> str:
        if not isinstance(self.value, str) or (choices and self.value not in choices):
            raise self.expected(f"one of {', '.join(choices)}" if choices else "a string")
        return self.value

    def integer(self, least: int | None = None, most: int | None = None) -> int:
        """Return a JSON integer, or a string that holds one (0x…, 0b…, 0o… or decimal).

        It has at most `MAX_BITS` bits, unless `most` has more.
        """
        value: Json = integer_of(self.value) if isinstance(self.value, str) else self.value
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.expected("an integer")
        if (least is not None and value < least) or (most is not None and value > most):
            if most is not None and most.bit_length() > MAX_BITS:
                raise self.expected(f"an integer of at most {most.bit_length()} bits")
            shown = str if most is None or most < 1 << 16 else hex  # both in one base
            low = "" if least is None else f"at least {shown(least) if least else 0}"
            high = "" if most is None else f"at most {shown(most)}"
            raise self.expected(f"an integer of {' and '.join(filter(None, (low, high)))}")
        if value.bit_length() > max(MAX_BITS, (most or 0).bit_length()):
            raise self.expected(f"an integer of at most {MAX_BITS} bits")
        return value

    def hexadecimal(self) -> bytes:
        """Return the bytes of a string with two hex digits each; white space may separate bytes."""
        if isinstance(self.value, str):
            try:
                return bytes.fromhex(self.value)
            except ValueError:
                pass
        raise self.expected("bytes in hex, two digits each")

    def hexadecimal_with_gaps(self, size_bytes: int, whose: str) -> tuple[bytes, bytes]:
        """Read bytes as `hexadecimal` does; `??` is an unknown byte, `%????0011` one with some
        known bits.

        The second result has for each byte the mask of the known bits; unknown bits are zero.

        `whose`: what has this size, for the error about another one.
        """
        if not isinstance(self.value, str) or "?" not in self.value:
            data = self.hexadecimal()
            known_bits = b"\xff" * len(data)
        else:
            digits = len(self.value) - sum(map(self.value.count, _SPACES))
            if digits > _MOST_DIGITS * size_bytes:  # nothing is made of them
                raise self._of_another_size(size_bytes, whose)
            data, known_bits = self._with_gaps(self.value)
        if len(data) != size_bytes:
            raise self._of_another_size(size_bytes, whose)
        return data, known_bits

    def _of_another_size(self, size_bytes: int, whose: str) -> UnreadableFile:
        return self.expected(f"{size_bytes} bytes for {whose}")

    def _with_gaps(self, text: str) -> tuple[bytes, bytes]:
        """Return the bytes of a text, and the masks of their known bits."""
        data, known_bits = bytearray(), bytearray()
        for word in text.split():
            if _BINARY.fullmatch(word):
                data.append(int(word[1:].replace("?", "0"), 2))
                known_bits.append(int(word[1:].translate(_KNOWN_BITS), 2))
                continue
            if not _BYTES.fullmatch(word):
                raise self.expected("bytes in hex, two digits each, or ?? for an unknown one")
            for run in _RUN.findall(word):
                is_known = not run.startswith("?")
                data += bytes.fromhex(run) if is_known else bytes(len(run) // 2)
                known_bits += (b"\xff" if is_known else b"\0") * (len(run) // 2)
        return bytes(data), bytes(known_bits)

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value


def integer_of(text: str) -> int | None:
    """Return the integer of a text in ASCII digits without separators; None for any other text."""
    try:
        return int(text, 0) if _INTEGER.fullmatch(text) else None
    except ValueError:  # 010, or more decimal digits than Python reads
        return None


def is_decimal(text: str) -> bool:
    """Return whether a text has ASCII digits alone, and at least one."""
    return text.isascii() and text.isdecimal()


def read_at_most(file: BinaryIO, most_bytes: int, source: object) -> bytes:
    """Read a file in parts: in one read Python would allocate the maximum at once.

    Raises `UsageError` beyond the maximum, or beyond `MAX_DEVICE_BYTES` of a non-regular file.
    """
    parts: list[bytes] = []
    try:
        status = os.fstat(file.fileno())
    except OSError:  # no file of the system
        most_bytes = min(most_bytes, MAX_DEVICE_BYTES)
    else:
        if not S_ISREG(status.st_mode):
            most_bytes = min(most_bytes, MAX_DEVICE_BYTES)
        elif status.st_size > most_bytes:
            raise more_than(source, most_bytes)
        else:
            data = file.read(status.st_size)  # once: no second copy is needed
            if len(data) < status.st_size or not (part := file.read(_PART_BYTES)):
                return data
            parts.append(data)
            parts.append(part)  # it has grown
    size_bytes = sum(map(len, parts))
    while part := file.read(_PART_BYTES):
        parts.append(part)
        size_bytes += len(part)
        if size_bytes > most_bytes:
            raise more_than(source, most_bytes)
    return b"".join(parts)


def load(path: Path) -> Field:
    """Return the JSON document of a file."""
    try:
        with open_to_read(path) as file:
            data = read_at_most(file, MAX_BYTES, path)
        if data.startswith(b"\x7fELF"):
            raise UnreadableFile(f"{path}: {IS_ELF}")
        if data.startswith(_WIDE_TEXT) or data[1:2] == b"\0":
            raise UnreadableFile(f"{path}: not JSON: it is not UTF-8 text; save it as UTF-8")
        return parse(data.removeprefix(codecs.BOM_UTF8).decode("utf-8"), str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        offset = len(data) - len(error.object) + error.start  # after a byte order mark
        message = f"{path}: not JSON: the byte {data[offset]:#04x} at offset {offset:#x} is not "
        message += "UTF-8 text; save it as UTF-8"
        raise UnreadableFile(message) from None
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"{path} cannot be read: {error}") from None


def why_too_large(text: str) -> str | None:
    """Return why JSON text is not parsed, if it is too large."""
    if sys.getsizeof(text) > MAX_TEXT_BYTES:
        return (
            f"more than {MAX_TEXT_BYTES >> 20} MiB as text in memory, where one non-ASCII "
            "character widens all of them"
        )
    if len(text) > MAX_VALUES and sum(map(text.count, ",{[")) > MAX_VALUES:
        return f"more than {MAX_VALUES} values; long data belong in arrays"
    return None


def parse(text: str, source: str) -> Field:
    """Parse JSON text; `UsageError` for text that is too large, before anything is parsed."""
    if (problem := why_too_large(text)) is not None:
        raise UsageError(f"{source}: {problem}")
    import json

    try:
        return Field(source, "", json.loads(text, object_pairs_hook=_members))
    except json.JSONDecodeError as error:
        problem = error.msg.removesuffix(" at")
        raise UnreadableFile(
            f"{source}: not JSON: {problem} at line {error.lineno} column {error.colno}"
        ) from None
    except RecursionError:
        raise UnreadableFile(f"{source}: arrays or objects are nested too deep") from None
    except _DuplicateKey as error:
        raise UnreadableFile(f"{source}: not JSON that can be read: {error}") from None
    except ValueError:  # Python's bound on converting decimal digits
        raise UnreadableFile(f"{source}: a number has more digits than are read") from None


class _DuplicateKey(ValueError):
    """Two members of one object have the same name."""


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object; of two members of the same name, one of two members of the same name would
    be lost."""
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise _DuplicateKey(f"member {twice!r} is given twice in one object")
    return members
