"""Augmentation strings: the vendor extensions in use (AMD text A.3.1.1, A.6.1.1.4.1).

Law: a string in another form than the text recommends is no error; it names no known extensions.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.light_attrs import frozen

_ONE: Final = r"\[([^\]:]+):v(\d{1,9})\.(\d{1,9})(?::([^\]]*))?\]"
_PART: Final = re.compile(_ONE)
_WHOLE: Final = re.compile(f"(?:{_ONE})*")


@frozen
class Extension:
    """`[vendor:vMAJOR.MINOR:options]`."""

    vendor: str
    major: int
    minor: int
    options: str = ""


def parse_augmentation(text: str) -> tuple[Extension, ...] | None:
    """Return the extensions of an augmentation string; None if it has another form."""
    if not _WHOLE.fullmatch(text):
        return None
    return tuple(
        Extension(vendor, int(major), int(minor), options or "")
        for vendor, major, minor, options in _PART.findall(text)
    )
