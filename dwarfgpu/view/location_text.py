"""Location descriptions and stack entries, in one line of text.

Law: no location, however deep or wide, makes more than a bounded text, and none recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias, assert_never

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import counted
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import (
    Composite,
    Compound,
    Implicit,
    ImplicitPointer,
    Memory,
    Register,
    Repeated,
    Selected,
    Undefined,
)
from dwarfgpu.model.value import Value
from dwarfgpu.view.composite_parts import chosen_run, distinct_parts, is_same_storage, moved
from dwarfgpu.view.scalars import MAX_BITS, base_text, hexadecimal

MAX_PARTS: Final = 64
_MAX_SINGLE_LOCATIONS: Final = 8
_MAX_NESTING: Final = 4
_MAX_CHARACTERS: Final = 10_000
_MAX_ENTRY_CHARACTERS: Final = 200

CompositeTexts: TypeAlias = dict[tuple[int, int], tuple[Compound, str]]
"""Texts by identity of a composite, which is kept, and nesting: one that is part of many is written
once."""


@names_wrong_arguments
def location_text(location: Location) -> str:
    """Return a location in one line of at most about 10,000 characters: `v3 + byte 12 (wave 0)`,
    `private_lane#0x10 (lane 3)` or `{bytes 0-3: v3; …}`.

    `UsageError` for a location that is nowhere, not even undefined.
    """
    location.require_single_locations()
    return "<optimized out>" if location.is_undefined else _described(location, {})


def _described(location: Location, texts: CompositeTexts) -> str:
    """Return the line of a location. `texts`: those of others, to which its own are added."""
    return _cut(_location(location, 0, texts), _MAX_CHARACTERS)


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[:characters] + "..."


def _location(location: Location, nesting: int, texts: CompositeTexts) -> str:
    shown = [
        _single_text(single, nesting, texts)
        for single in location.single_locations[:_MAX_SINGLE_LOCATIONS]
    ]
    more = len(location.single_locations) - len(shown)
    if more:
        shown.append(f"{more} more places")
    return ", also at ".join(shown)


def _single_text(single: SingleLocation, nesting: int, texts: CompositeTexts) -> str:
    storage, offset = single.storage, single.bit_offset
    match storage:
        case Memory(space=space):
            address, bit = divmod(offset, 8)
            text = f"{space.name}#{address:#x}" if space.number else f"{address:#x}"
            text += _bits_on(bit)
            is_named = bool(space.number or nesting or space.name == "default")
            about = [] if is_named else [space.name]
            return text + _about(about, storage.wave, storage.lane)
        case Register():
            frame = [f"frame {storage.frame}"] if storage.frame else []
            text = storage.register.name + _offset(offset)
            wave = storage.wave if storage.register.is_of_wave else None
            return text if nesting else text + _about(frame, wave, None)
        case Implicit():
            return _implicit(storage) + _offset(offset)
        case ImplicitPointer():
            return _implicit_pointer(storage) + _offset(offset)
        case Undefined():
            return "<undefined>"
        case Composite(register=str(name)):
            return name + _offset(offset)
        case Composite() | Repeated() | Selected():
            key = id(storage), nesting
            if key not in texts:
                texts[key] = storage, _composite(storage, nesting, texts)
            return texts[key][1] + _offset(offset)
        case other:
            assert_never(other)


def _offset(bits: int) -> str:
    byte, bit = divmod(bits, 8)
    return (f" + byte {byte}" if byte else "") + _bits_on(bit)


def _bits_on(bit: int) -> str:
    return f" + bit {bit}" if bit else ""


def _about(words: list[str], wave: int | None, lane: int | None) -> str:
    if wave is not None:
        words = [*words, f"wave {wave}"]
    if lane is not None:
        words = [*words, f"lane {lane}"]
    return f" ({', '.join(words)})" if words else ""


def _implicit(storage: Implicit) -> str:
    size = storage.size_bits
    if size > MAX_BITS:
        return f"implicit value ({_size(size)})"
    digits = (storage.bits.bit_length() + 7) // 8 * 2
    return f"implicit {hexadecimal(storage.bits, max(digits, 2))} ({_size(size)})"


def _implicit_pointer(storage: ImplicitPointer) -> str:
    moved_by = storage.displacement_bytes
    far = str(abs(moved_by)) if abs(moved_by) < 1 << 64 else "..."
    where = f" {'-' if moved_by < 0 else '+'} {far} bytes" if moved_by else ""
    space = f" in {storage.space.name}" if storage.space.number else ""
    return f"implicit pointer to DIE {storage.die.section_offset:#x}{where}{space}"


def _size(bits: int) -> str:
    count, unit = (bits, "bit") if bits % 8 else (bits // 8, "byte")
    return counted(count, unit)


@frozen(eq=False)
class _Piece:
    """A shown part of a composite: parts that are adjacent in one storage are one."""

    location: Location
    size_bits: int
    count: int

    @property
    def total_bits(self) -> int:
        return self.size_bits * self.count


def _pieces(storage: Compound) -> Iterator[_Piece]:
    """Yield the pieces, consecutive ones in one storage joined."""
    joined: _Piece | None = None
    for piece in _selected(storage) if isinstance(storage, Selected) else _parts(storage):
        if joined is not None and _goes_on(joined, piece):
            joined = _Piece(joined.location, joined.total_bits + piece.total_bits, 1)
            continue
        if joined is not None:
            yield joined
        joined = piece
    if joined is not None:
        yield joined


def _parts(storage: Compound) -> Iterator[_Piece]:
    for part in distinct_parts(storage):
        yield _Piece(part.location, part.size_bits, part.count)


def _selected(storage: Selected) -> Iterator[_Piece]:
    """Yield neighbouring elements from one source: they follow each other in it."""
    index, size = 0, storage.element_bits
    while index < storage.count:
        chosen, count = chosen_run(storage, index)
        yield _Piece(moved(chosen, index * size), count * size, 1)
        index += count


def _goes_on(first: _Piece, piece: _Piece) -> bool:
    """Return whether the second piece is where the first one ends, in the only single location of
    each."""
    if len(first.location.single_locations) != 1 or len(piece.location.single_locations) != 1:
        return False
    a, b = first.location.single_locations[0], piece.location.single_locations[0]
    if not is_same_storage(a, b):
        return False
    if isinstance(a.storage, Undefined):
        return True
    return first.count == piece.count == 1 and a.bit_offset + first.size_bits == b.bit_offset


def _composite(storage: Compound, nesting: int, texts: CompositeTexts) -> str:
    if nesting >= _MAX_NESTING:
        return f"{{... {_size(storage.size_bits)}}}"
    shown: list[str] = []
    position = 0
    characters = 0
    for piece in _pieces(storage):
        if len(shown) == MAX_PARTS or characters > _MAX_CHARACTERS:
            shown.append(f"... {_size(storage.size_bits - position)} more")
            break
        times = f"{piece.count} x {_size(piece.size_bits)} of " if piece.count > 1 else ""
        span = _span(position, piece.total_bits)
        shown.append(f"{span}: {times}{_location(piece.location, nesting + 1, texts)}")
        position += piece.total_bits
        characters += len(shown[-1])
    return f"{{{'; '.join(shown)}}}"


def _span(first_bit: int, count: int) -> str:
    if count == 0:
        return "no bits"
    if first_bit % 8 or count % 8:
        first, last, unit = first_bit, first_bit + count - 1, "bit"
    else:
        first, last, unit = first_bit // 8, (first_bit + count) // 8 - 1, "byte"
    return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"


def entry_text(entry: Entry, texts: CompositeTexts | None = None) -> str:
    """Return a stack entry in a few words: `4`, `-1 (generic 0xffffffff)`, `loc v3 + byte 12`.

    `texts`: those of other entries, to which those of this one are added.
    """
    match entry:
        case Value():
            return _value(entry)
        case ImplicitPointerValue():
            return _implicit_pointer(entry.storage) + " (value)"
        case Location():
            known = {} if texts is None else texts
            text = "<undefined>" if entry.is_undefined else _described(entry, known)
            return "loc " + _cut(text, _MAX_ENTRY_CHARACTERS)
        case IncompleteComposite():
            parts = counted(entry.count, "part")
            return f"incomplete composite of {parts}, {_size(entry.size_bits)}"
        case other:
            assert_never(other)


def _value(value: Value) -> str:
    base = value.type
    if base.bit_size > MAX_BITS:
        return f"more than {MAX_BITS} bits of type {base.name}"
    if base.vector_size is not None:
        return f"{hexadecimal(value.bits)} ({base.name})"
    if not base.is_generic:
        return f"{base_text(base, value.bits, base.bit_size)} ({base.name})"
    number = signed(value.bits, base.bit_size)
    if number < 0:
        return f"{number} (generic {hexadecimal(value.bits)})"
    return str(number) if number < 4_096 else f"{number} ({hexadecimal(number)})"
