"""The values in MessagePack and YAML metadata."""

from __future__ import annotations

from typing import Final, TypeAlias

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.errors import LimitExceeded, Malformed

Metadata: TypeAlias = (
    None | bool | int | float | str | bytes | list["Metadata"] | dict[str, "Metadata"]
)

DEEPEST: Final = 32
"""Lists and maps inside each other; real metadata has 5."""
_BYTES_PER_VALUE: Final = 32
"""Of metadata with as many values as are read; compilers write fewer."""
_VALUES_PER_PART: Final = 16
"""Compilers write at least as many for a note or a kernel: one that has fewer takes as long."""


class ValueBudget:
    """How many values of the metadata of a file, which may be in several notes, may still be
    read."""

    def __init__(self, most_values: int = DEFAULT_FILE_LIMITS.metadata_values) -> None:
        self._most = self._left = most_values
        self._size_bytes = self._notes = self._kernels = 0

    def spend_size(self, size_bytes: int) -> None:
        """Raise `LimitExceeded` for metadata whose texts would be too long, before they are
        read."""
        most_bytes = _BYTES_PER_VALUE * self._most
        self._size_bytes += size_bytes
        if self._size_bytes > most_bytes:
            raise LimitExceeded(
                f"metadata has {self._size_bytes} bytes: more than {most_bytes}, "
                f"{_BYTES_PER_VALUE} for each of {self._most} values",
                "--max-metadata-values",
            )

    def spend(self, count: int) -> None:
        """Raise `LimitExceeded` where `count` more values are too many, before they are read."""
        self._left -= count
        if self._left < 0:
            raise LimitExceeded(
                f"metadata has more than {self._most} values", "--max-metadata-values"
            )

    def spend_note(self) -> None:
        """Raise `LimitExceeded` for too many notes, before one more is read."""
        self._notes += 1
        self._check_parts(self._notes, "notes")

    def spend_kernels(self, count: int) -> None:
        """Raise `LimitExceeded` for too many kernels, before they are described."""
        self._kernels += count
        self._check_parts(self._kernels, "kernels")

    def _check_parts(self, count: int, noun: str) -> None:
        if count > self._most // _VALUES_PER_PART:
            raise LimitExceeded(
                f"metadata has {count} {noun}: more than one for each {_VALUES_PER_PART} of "
                f"{self._most} values",
                "--max-metadata-values",
            )


def check_depth(depth: int) -> None:
    """Raise `LimitExceeded` for metadata that is nested deeper than that of any compiler."""
    if depth > DEEPEST:
        raise LimitExceeded(f"metadata is nested deeper than {DEEPEST} levels")


def as_map(value: Metadata, subject: str) -> dict[str, Metadata]:
    """Return the value as a map; `Malformed` if it is not one, as in the functions below."""
    if not isinstance(value, dict):
        raise Malformed(f"{subject} is not a map")
    return value


def as_list(value: Metadata, subject: str) -> list[Metadata]:
    """Return the value as a list; None is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Malformed(f"{subject} is not a sequence")
    return value


def as_text(value: Metadata, subject: str) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{subject} of the metadata is not a string")
    return value


def as_number(value: Metadata, subject: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 64:
        raise Malformed(f"{subject} of the metadata is not an unsigned 64-bit number")
    return value


def as_numbers(value: Metadata, subject: str) -> tuple[int, ...]:
    return tuple(as_number(item, subject) for item in as_list(value, subject))
