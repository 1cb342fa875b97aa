"""Expressions of the source language in many lanes at once.

Law: only numbers, all bits of which are known, are told so; any other value is asked of each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from dwarfgpu import language
from dwarfgpu.dwarf.types.types import Base, Enum, Pointer, strip
from dwarfgpu.errors import Unsupported
from dwarfgpu.language import TypedValue
from dwarfgpu.service.expression import DEFAULT
from dwarfgpu.session.all_lanes import WORTH, LaneAnswers, evaluate_for_lanes
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.model.lane_extract import LaneExtractor


def values_of(
    sessions: Sequence[Session], text: str, among: Collection[tuple[int, int]]
) -> LaneAnswers[TypedValue]:
    """The values of an expression in the lanes where they are numbers: the others are not known."""

    def ask(session: Session) -> TypedValue:
        return language.evaluate(text, session, DEFAULT)

    def picks(value: TypedValue, picker: LaneExtractor) -> Callable[[int], TypedValue]:
        if not _is_number(value):
            raise Unsupported("each lane is asked for what is not a number")
        location, bits = picker.of(value.location), picker.of(value.bits)
        alike = evolve(value, around=None)
        return lambda at: evolve(alike, location=location(at), bits=bits(at))

    return evaluate_for_lanes(sessions, ask, picks, among=among, batch=len(among) >= WORTH)


def _is_number(value: TypedValue) -> bool:
    is_whole = value.bits is not None and value.bits.is_complete
    is_plain = value.error is None and value.pointer is None and value.convenience is None
    return is_whole and is_plain and isinstance(strip(value.type), Base | Enum | Pointer)
