"""JSON that is written as it is made: its long lists are never whole, neither as data nor as text.

Law: the text is that of `json.dumps` for the same record with lists in place of iterators.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from dwarfgpu.view.json_object import Streamed, StreamedObject

_LEAVES: Final = frozenset({type(None), bool, int, float, str, list})
"""The types of values without iterators."""


def json_pieces(record: Streamed) -> Iterator[str]:
    """Yield the text of a record, each element of an iterator as soon as it is there."""
    if isinstance(record, Iterator):
        yield from _listed(record)
    elif isinstance(record, dict) and not _is_plain(record):
        opening = "{"
        for name, value in record.items():
            yield f"{opening}{json.dumps(name)}: "
            yield from json_pieces(value)
            opening = ", "
        yield "}"
    else:
        yield json.dumps(record, allow_nan=False)


def _listed(elements: Iterable[Streamed]) -> Iterator[str]:
    opening = "["
    for element in elements:
        yield opening
        yield from json_pieces(element)
        opening = ", "
    yield "[]" if opening == "[" else "]"


def _is_plain(record: StreamedObject) -> bool:
    """Return whether an object has no iterators."""
    return all(
        type(value) in _LEAVES or (isinstance(value, dict) and _is_plain(value))
        for value in record.values()
    )
