"""The types of what `--json` prints. A module of its own, because every command reports errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, cast

Plain: TypeAlias = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
"""What `json.dumps` accepts."""
JsonObject: TypeAlias = dict[str, Plain]
Streamed: TypeAlias = Plain | Iterator["Streamed"] | Mapping[str, "Streamed"]
"""Plain data with iterators in place of long lists: as members of objects, and within one another.
`json_pieces` writes it."""
StreamedObject: TypeAlias = Mapping[str, Streamed]


def whole(record: StreamedObject) -> JsonObject:
    """Return a record with lists in place of its iterators."""
    return {name: _whole(value) for name, value in record.items()}


def _whole(value: Streamed) -> Plain:
    if isinstance(value, Iterator):
        return [_whole(element) for element in value]
    return whole(value) if isinstance(value, dict) else cast("Plain", value)
