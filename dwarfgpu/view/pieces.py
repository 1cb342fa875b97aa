"""The storage of an object's bits: the pieces of each of its single locations, in storage order.

Law: composites are resolved at all depths; neighbours that continue in one storage are one piece,
and so are consecutive equal ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from dwarfgpu.access.access_protocol import Access
from dwarfgpu.access.coalesced_reads import Run
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import (
    Implicit,
    ImplicitPointer,
    Memory,
    Register,
    Undefined,
    is_compound,
)
from dwarfgpu.view.composite_parts import is_same_storage
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_json import location_json
from dwarfgpu.view.location_text import location_text

MAX_PIECES: Final = 256
"""Maximum number of reported pieces of one single location."""

Kind = Literal["register", "memory", "implicit", "pointer", "undefined", "composite"]
"""What a piece is in; a composite only where it is one of several places of a part."""


@frozen
class Piece:
    """Bits of an object that follow each other in one storage, or in equal ones."""

    first_bit: int
    """In the object."""
    size_bits: int
    """The size in bits of each of `count`."""
    single_locations: tuple[SingleLocation, ...]
    """All hold the same bits; empty if these bits are not described."""
    count: int = 1

    @property
    def total_bits(self) -> int:
        return self.size_bits * self.count

    @property
    def kind(self) -> Kind:
        if not self.single_locations:
            return "undefined"
        storage = self.single_locations[0].storage
        match storage:
            case Register():
                return "register"
            case Memory():
                return "memory"
            case Implicit():
                return "implicit"
            case ImplicitPointer():
                return "pointer"
            case Undefined():
                return "undefined"
            case _:
                return "composite"


@frozen
class Layout:
    """One of the places of an object."""

    size_bits: int
    """The size in bits of the object."""
    pieces: tuple[Piece, ...]
    omitted: int = 0
    """Number of pieces omitted at the end."""
    problem: DwarfGpuError | None = None
    """Why it is unknown."""


def layouts(location: Location, size_bits: int, access: Access) -> tuple[Layout, ...]:
    """Return the pieces of each single location of an object; errors are in the layouts."""
    return tuple(
        _layout(Location((single,), location.stop), size_bits, access)
        for single in location.single_locations
    )


def _layout(location: Location, size_bits: int, access: Access) -> Layout:
    remaining_bits = location.remaining_bits
    described = size_bits if remaining_bits is None else min(remaining_bits, size_bits)
    try:
        runs = list(_joined(access.runs(location, described)))
    except DwarfGpuError as error:
        return Layout(size_bits, (), problem=error)
    if described < size_bits:
        runs.append(Piece(described, size_bits - described, ()))
    return Layout(size_bits, tuple(runs[:MAX_PIECES]), max(len(runs) - MAX_PIECES, 0))


def _joined(runs: Iterable[Run]) -> Iterator[Piece]:
    current: Piece | None = None
    position = 0
    for run in runs:
        piece = Piece(position, run.size_bits, run.single_locations)
        position += run.size_bits
        joined = None if current is None else _merged(current, piece)
        if joined is not None:
            current = joined
            continue
        if current is not None:
            yield current
        current = piece
    if current is not None:
        yield current


def _merged(first: Piece, piece: Piece) -> Piece | None:
    """Return both as one piece; None if they are separate."""
    if len(first.single_locations) != len(piece.single_locations) or any(
        is_compound(single.storage) for single in (*first.single_locations, *piece.single_locations)
    ):
        return None
    pairs = list(zip(first.single_locations, piece.single_locations, strict=True))
    if not all(is_same_storage(a, b) for a, b in pairs):
        return None
    if all(isinstance(a.storage, Undefined) for a, _ in pairs):
        return evolve(first, size_bits=first.total_bits + piece.size_bits, count=1)
    if first.count == 1 and all(a.bit_offset + first.size_bits == b.bit_offset for a, b in pairs):
        return evolve(first, size_bits=first.size_bits + piece.size_bits)
    if first.size_bits == piece.size_bits and all(a.bit_offset == b.bit_offset for a, b in pairs):
        return evolve(first, count=first.count + 1)
    return None


def layout_json(layout: Layout) -> JsonObject:
    """Return a place of an object: its pieces, each with the storages that contain it."""
    pieces: list[Plain] = [
        {
            "first_bit": piece.first_bit,
            "bit_size": piece.size_bits,
            "count": piece.count,
            "kind": piece.kind,
            "text": _text(piece),
            "places": location_json(Location(piece.single_locations))["places"]
            if piece.single_locations
            else [],
        }
        for piece in layout.pieces
    ]
    problem = None if layout.problem is None else str(layout.problem)
    return {"pieces": pieces, "pieces_omitted": layout.omitted, "problem": problem}


def _text(piece: Piece) -> str:
    return (
        location_text(Location(piece.single_locations))
        if piece.single_locations
        else "<optimized out>"
    )
