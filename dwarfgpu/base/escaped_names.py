"""Names of files that no terminal shows as they are: with characters that are not printable, or of
any length.

Law: the texts of two names are never equal, so that a name is compared and looked up by its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.pattern import pattern

if TYPE_CHECKING:
    import re

_UNIT: Final = r"x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4}"
"""What is behind the backslash of an escape."""
_ESCAPE: Final = pattern(rf"(?<!')\\({_UNIT})".encode())
"""Behind a quote, compilers write one: `'\\xff'`."""
_AS_ESCAPE: Final = pattern(rf"(?<!')\\(?={_UNIT})")
_CUT: Final = pattern(r"\\[0-9a-f]{32}\.{3}")
_DIGEST_BYTES: Final = 16


def with_escapes(text: str) -> str:
    """Return a text, as `surrogateescape` decodes it, with escapes (`printable`)."""
    text = _AS_ESCAPE.sub(r"\\x5c", text)
    return text if text.isprintable() else "".join([*_escaped_backwards(text)][::-1])


def _escaped_backwards(text: str) -> Iterator[str]:
    is_before_escape = False
    for character in reversed(text):
        is_before_escape = not character.isprintable() or (is_before_escape and character == "'")
        yield _escape_of(character) if is_before_escape else character


def _escape_of(character: str) -> str:
    number = ord(character)
    if number < 0x80 or 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number & 0xFF:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def without_escapes(data: bytes) -> bytes:
    """Return the bytes of a name whose text has escapes."""
    return _ESCAPE.sub(_unescaped, data)


def _unescaped(match: re.Match[bytes]) -> bytes:
    number = int(match[1][1:], 16)
    is_byte = match[1].startswith(b"x")
    return bytes((number,)) if is_byte else chr(number).encode("utf-8", "surrogatepass")


def cut_mark(name: bytes) -> str:
    """Return what is in place of the end of a name that is cut; another for each name."""
    from hashlib import blake2b  # takes a millisecond

    return f"\\{blake2b(name, digest_size=_DIGEST_BYTES).hexdigest()}..."


def cut_marks(text: str, start: int) -> Iterator[int]:
    """Yield where a text has the marks of names that were cut, or what looks like one."""
    return (match.start() for match in _CUT.finditer(text, start))
