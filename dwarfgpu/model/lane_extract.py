"""Extract one lane's answer from data whose integers hold all lanes.

Law: the result equals a scalar evaluation of that lane, and contains no `Lanes`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Final, TypeVar, cast

import numpy as np

from dwarfgpu.base import records
from dwarfgpu.model.lane_integers import Divergence, Lanes
from dwarfgpu.model.lane_texts import LaneTexts
from dwarfgpu.model.location import ImplicitPointerValue, Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import (
    Composite,
    Implicit,
    ImplicitPointer,
    Memory,
    Part,
    Register,
    Repeated,
    Selected,
)
from dwarfgpu.model.value import Value

T = TypeVar("T")

NESTING: Final = 24
"""Maximum nesting; deeper data is evaluated for each lane separately."""
MODEL_TYPES: Final = frozenset(
    {
        Bits,
        Composite,
        Implicit,
        ImplicitPointer,
        ImplicitPointerValue,
        Location,
        Memory,
        Part,
        Register,
        Repeated,
        Selected,
        SingleLocation,
        Value,
    }
)
"""What can hold an integer that differs by lane."""
_DIFFERING: Final = MODEL_TYPES | {Lanes, LaneTexts, tuple}


class LaneExtractor:
    """Extracts answers for lanes in the order of arrays of a shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._known: dict[int, tuple[object, Callable[[int], Any] | None]] = {}
        """Keyed by `id` of the object, which is kept with its function and so stays alive."""

    def of(self, value: T) -> Callable[[int], T]:
        """Return the part of an object that belongs to a lane, by the index of the lane.

        Raises `Divergence` for composites too deep in one another.
        """
        return self._pick(value, 0) or (lambda lane: value)

    def numbers(self, value: int) -> list[int]:
        """Return an integer that may be `Lanes`, for all lanes in order."""
        array = value.array if isinstance(value, Lanes) else np.array(value, object)
        numbers: list[int] = np.broadcast_to(array, self._shape).ravel().tolist()
        return numbers

    def json_texts(self, record: object) -> list[str]:
        """Return plain data as the text of `json.dumps`, for all lanes in order."""
        pieces = list(_json_pieces(record))
        form = "".join(
            "%d" if isinstance(piece, Lanes) else piece.replace("%", "%%") for piece in pieces
        )
        columns = [self.numbers(piece) for piece in pieces if isinstance(piece, Lanes)]
        rows = zip(*columns, strict=True) if columns else [()] * prod(self._shape)
        return [form % row for row in rows]

    def _pick(self, value: Any, depth: int) -> Callable[[int], Any] | None:
        """Return None for a value that is the same in all lanes."""
        kind = type(value)
        if kind not in _DIFFERING:
            return None
        if depth > NESTING:
            raise Divergence(None)
        if id(value) not in self._known:
            self._known[id(value)] = value, self._extractor(value, kind, depth + 1)
        return self._known[id(value)][1]

    def _extractor(self, value: Any, kind: type, depth: int) -> Callable[[int], Any] | None:
        if kind is Lanes:
            numbers: list[int] = np.broadcast_to(value.array, self._shape).ravel().tolist()
            return numbers.__getitem__
        if kind is LaneTexts:
            return cast(LaneTexts, value).of_lane
        if kind is tuple:
            return _extract_each(value, [self._pick(item, depth) for item in value], tuple)
        fields = [field for field in records.fields(kind) if field.init]
        members = [getattr(value, field.name) for field in fields]
        return _extract_each(
            members,
            [self._pick(member, depth) for member in members],
            lambda arguments: kind(*arguments),
        )


def _json_pieces(record: object) -> Iterator[str | Lanes]:
    """Yield the text of plain data, and the integers of all lanes in it."""
    if isinstance(record, Lanes):
        yield record
    elif isinstance(record, dict):
        yield "{"
        for index, (name, member) in enumerate(record.items()):
            yield f"{', ' if index else ''}{json.dumps(name)}: "
            yield from _json_pieces(member)
        yield "}"
    elif isinstance(record, list):
        yield "["
        for index, item in enumerate(record):
            yield ", " if index else ""
            yield from _json_pieces(item)
        yield "]"
    else:
        yield json.dumps(record, allow_nan=False)


def _extract_each(
    values: Any, picks: list[Callable[[int], Any] | None], make: Callable[[list[Any]], Any]
) -> Callable[[int], Any] | None:
    differing = [(index, pick) for index, pick in enumerate(picks) if pick is not None]
    if not differing:
        return None
    same = list(values)

    def pick(lane: int) -> Any:
        members = same.copy()
        for index, extract in differing:
            members[index] = extract(lane)
        return make(members)

    return pick
