"""Where every bit of an object lives, drawn: a strip of its pieces, then each piece in words.

    byte 0               4               8
         ┌───────────────┬───────────────┐
         │ v2 + byte 12  │ v3 + byte 12  │
         └───────────────┴───────────────┘
    bits  0-31  v2, the dword of lane 3
                ···█···· ········ …

Law: nothing here has escape codes: a line is made of spans, and its printer may colour
them; without colours the text says everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Final, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import counted
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Memory, Register
from dwarfgpu.view.location_text import location_text
from dwarfgpu.view.pieces import Kind, Layout, Piece

Part: TypeAlias = Kind | None
_WIDEST: Final = 64
"""Characters of the inside of a strip."""
_LEAST: Final = 24
_CELL: Final = 4
"""Characters that a piece has at least."""
_MAX_BOXES: Final = 12
_PICTURE: Final = 64
"""Cells of the picture of a register: its bits, or its dwords."""
_GAP: Final = "   "
_INDENT: Final = "  "

COLOURS: Final[dict[Kind, str]] = {
    "register": "36",
    "memory": "32",
    "implicit": "33",
    "pointer": "33",
    "undefined": "31",
    "composite": "35",
}
"""The colours in a terminal, keyed by what a piece is in."""


@frozen
class Span:
    """A part of a line."""

    text: str
    kind: Part = None


Line: TypeAlias = tuple[Span, ...]


@frozen
class Glyphs:
    """The characters of a drawing."""

    corners: tuple[str, str, str, str, str, str]
    """Top left, between, right; bottom left, between, right."""
    line: str
    side: str
    hatch: str
    used: str
    partly: str
    free: str


LINES: Final = Glyphs(("┌", "┬", "┐", "└", "┴", "┘"), "─", "│", "░", "█", "▒", "·")
ASCII: Final = Glyphs(("+", "+", "+", "+", "+", "+"), "-", "|", "/", "#", "+", ".")


def glyphs_for(encoding: str | None) -> Glyphs:
    """Return line and block characters if the stream can encode them."""
    try:
        "┌┬│░█▒·".encode(encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return LINES


def plain(line: Line) -> str:
    """Return a line without colours."""
    return "".join(span.text for span in line).rstrip()


def drawing(layouts: Sequence[Layout], glyphs: Glyphs = LINES, columns: int = 80) -> Iterator[Line]:
    """Yield the strips of all single locations, side by side as far as the columns suffice, then
    their pieces."""
    room = columns - len(_INDENT)
    share = max((room - len(_GAP) * (len(layouts) - 1)) // len(layouts), _LEAST + 8)
    strips = [_strip(layout, glyphs, min(room, share, _WIDEST + 8)) for layout in layouts]
    if len(layouts) > 1:
        titles = [f"place {number} of {len(layouts)}" for number in range(1, len(layouts) + 1)]
        strips = [[(Span(title),), *strip] for title, strip in zip(titles, strips, strict=True)]
    yield from _side_by_side(strips, room)
    for number, single in enumerate(layouts, 1):
        if len(layouts) > 1:
            yield (Span(f"{_INDENT}place {number}"),)
        yield from _rows(single, glyphs, room)


def _side_by_side(blocks: list[list[Line]], room: int) -> Iterator[Line]:
    """Yield blocks of lines next to each other; those that do not fit go below."""
    while blocks:
        used, width = 0, 0
        for block in blocks:
            width += _width(block) + len(_GAP)
            if used and width - len(_GAP) > room:
                break
            used += 1
        row, blocks = blocks[:used], blocks[used:]
        widths = [_width(block) for block in row]
        for lines in zip_longest(*row, fillvalue=()):
            out: list[Span] = [Span(_INDENT)]
            for line, cell_width in zip(lines, widths, strict=True):
                out += [*line, Span(" " * (cell_width - _length(line)) + _GAP)]
            yield tuple(out[:-1]) if lines[-1] else tuple(out)
        if blocks:
            yield ()


def _width(block: list[Line]) -> int:
    return max(map(_length, block))


def _length(line: Line) -> int:
    return sum(len(span.text) for span in line)


def _strip(layout: Layout, glyphs: Glyphs, room: int) -> list[Line]:
    """Return a ruler and boxes, as wide as the object is long; of very many pieces a bar."""
    if layout.problem is not None:
        return [(Span(f"is unknown: {layout.problem}"),)]
    pieces = layout.pieces
    if not any(piece.total_bits for piece in pieces):
        return [(Span("the object has no bits"),)]
    is_bytes = all(not piece.first_bit % 8 for piece in pieces) and not layout.size_bits % 8
    unit, size = ("byte", 8) if is_bytes else ("bit", 1)
    margin = len(unit) + 1
    free = room - margin - 1 - len(str(layout.size_bits // size))
    inside = max(min(free, _WIDEST, layout.size_bits), min(_LEAST, free), 1)
    if len(pieces) > _MAX_BOXES or layout.omitted:
        return _bar(layout, glyphs, inside, margin)
    needed = [len(_short(piece)) + 2 if piece.single_locations else _CELL for piece in pieces]
    widths = _shared([piece.total_bits for piece in pieces], needed, inside)
    low, between, right, low_left, low_between, low_right = glyphs.corners
    bounds = [piece.first_bit // size for piece in pieces] + [layout.size_bits // size]
    ruler = unit.ljust(margin)
    column = margin
    for bound, width in zip(bounds, [*widths, 0], strict=True):
        ruler = ruler.ljust(column) + str(bound)
        column += width + 1
    edge = " " * margin
    tops = [glyphs.line * width for width in widths]
    labels: list[Span] = [Span(edge + glyphs.side)]
    for piece, width in zip(pieces, widths, strict=True):
        labels += [Span(_label(piece, width, glyphs), piece.kind), Span(glyphs.side)]
    return [
        (Span(ruler),),
        (Span(edge + low + between.join(tops) + right),),
        tuple(labels),
        (Span(edge + low_left + low_between.join(tops) + low_right),),
    ]


def _bar(layout: Layout, glyphs: Glyphs, inside: int, margin: int) -> list[Line]:
    """Return a cell for a range of bits: the storage of the first of them."""
    spans = []
    total = max(piece.first_bit + piece.total_bits for piece in layout.pieces)
    index = 0
    for cell in range(inside):
        bit = cell * total // inside
        while bit >= layout.pieces[index].first_bit + layout.pieces[index].total_bits:
            index += 1
        kind = layout.pieces[index].kind
        marks = {"undefined": glyphs.hatch, "memory": glyphs.partly}
        spans.append(Span(marks.get(kind, glyphs.used), kind))
    ruler = f"{'bit':<{margin}}0".ljust(margin + 1 + inside) + f"{total}"
    edge = " " * margin + glyphs.side
    return [(Span(ruler),), (Span(edge), *spans, Span(glyphs.side))]


def _shared(bits: Sequence[int], needs: Sequence[int], inside: int) -> list[int]:
    """Return characters for each piece: by its size, but what its label wants where there is
    room."""
    inside = max(inside - (len(bits) - 1), _CELL * len(bits))
    fair, total = max(inside // len(bits), _CELL), max(sum(bits), 1)
    least = [max(min(width, fair), _CELL) for width in needs]
    widths = [inside * sum(bits[: index + 1]) // total for index in range(len(bits))]
    widths = [end - begin for begin, end in pairwise([0, *widths])]
    for index, width in enumerate(least):
        while widths[index] < width:
            slack = [width - need for width, need in zip(widths, least, strict=True)]
            widths[slack.index(max(slack))] -= 1
            widths[index] += 1
    return widths


def _label(piece: Piece, width: int, glyphs: Glyphs) -> str:
    if piece.kind == "undefined":
        return glyphs.hatch * width
    text = _short(piece)
    room = width - 1
    if len(text) > room:
        text = text[: room - 1] + ("…" if glyphs is LINES else "~") if room > 1 else text[:room]
    return f" {text}".ljust(width)


def _short(piece: Piece) -> str:
    """Return `v2 + byte 12`, `s9[11:4]`, `local#0x10`, `= 0x7`."""
    times = f"{piece.count} x " if piece.count > 1 else ""
    single = piece.single_locations[0]
    match single.storage:
        case Register(register=register) if register.register_class != "vector":
            first, count = single.bit_offset, piece.size_bits
            is_whole = (first, count) == (0, register.size_bits)
            text = register.name if is_whole else f"{register.name}[{first + count - 1}:{first}]"
        case _:
            text = location_text(Location((single,))).partition(" (")[0]
            text = text.replace("implicit 0x", "= 0x").removeprefix("implicit ")
    return times + text


def _rows(layout: Layout, glyphs: Glyphs, room: int) -> Iterator[Line]:
    """Yield each piece in words: its bits of the object, and their storage."""
    spans = [_bits(piece.first_bit, piece.total_bits) for piece in layout.pieces]
    width = max(map(len, spans), default=0)
    for span, piece in zip(spans, layout.pieces, strict=True):
        for index, words in enumerate(_words(piece) or ["not described"]):
            head = span if index == 0 else ""
            yield (Span(f"{_INDENT}{head:<{width}}  "), Span(words, piece.kind))
        for single in piece.single_locations if piece.count == 1 else ():
            for row in _picture(single, piece, glyphs, room - 2):
                yield (Span(f"{_INDENT}  "), Span(row, piece.kind))
    if layout.omitted:
        yield (Span(f"{_INDENT}… {layout.omitted} more pieces"),)


def _bits(first: int, count: int) -> str:
    if not count:
        return "no bits"
    return f"bit {first}" if count == 1 else f"bits {first}-{first + count - 1}"


def _words(piece: Piece) -> list[str]:
    """Return one line for each single location of a piece."""
    repeated = f"{piece.count} times {_amount(piece.size_bits)}, each " if piece.count > 1 else ""
    out: list[str] = []
    for single in piece.single_locations:
        also = "also " if out else ""
        out.append(f"{also}{repeated}{_single_words(single, piece)}")
    return out


def _single_words(single: SingleLocation, piece: Piece) -> str:
    storage, first, count = single.storage, single.bit_offset, piece.size_bits
    if piece.kind == "undefined":
        return "nowhere: optimized out"
    if isinstance(storage, Memory):
        start, end = first // 8, (first + count - 1) // 8
        text, about, words = location_text(Location((single,))).partition(" (")
        return (f"{text} to {end:#x}" if end > start else text) + about + words
    if not isinstance(storage, Register):
        return location_text(Location((single,)))
    register = storage.register
    frame = f" of frame {storage.frame}" if storage.frame else ""
    if (first, count) == (0, register.size_bits):
        return f"{register.name}{frame}, all of it"
    lane, bit = divmod(first, 32)
    if register.register_class == "vector" and bit + count <= 32:
        part = "the dword" if count == 32 else f"{_bits(bit, count)} of the dword"
        return f"{register.name}{frame}, {part} of lane {lane}"
    if register.register_class == "vector" and not bit and not count % 32:
        return f"{register.name}{frame}, the dwords of lanes {lane}-{lane + count // 32 - 1}"
    return f"{register.name}{frame}, {_bits(first, count)} of {register.size_bits}"


def _amount(bits: int) -> str:
    count, unit = (bits // 8, "byte") if not bits % 8 else (bits, "bit")
    return counted(count, unit)


def _picture(single: SingleLocation, piece: Piece, glyphs: Glyphs, room: int) -> Iterator[str]:
    """Draw a register that is used in part: which bits, or which dwords of a vector register."""
    storage, first = single.storage, single.bit_offset
    if not isinstance(storage, Register) or (first, piece.size_bits) == (0, storage.size_bits):
        return
    size = 32 if storage.register.register_class == "vector" else 1
    cells = storage.size_bits // size
    if cells > _PICTURE:
        return
    out = ""
    for cell in range(cells):
        begin, end = cell * size, (cell + 1) * size
        overlap = min(end, first + piece.size_bits) - max(begin, first)
        out += " " if cell and not cell % 8 else ""
        out += glyphs.used if overlap == size else glyphs.partly if overlap > 0 else glyphs.free
    if len(out) <= room:
        yield out
    else:
        yield from (out[start : start + 36].strip() for start in range(0, len(out), 36))
