"""Locate every bit of a subject, as text and as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.model.location import Location, narrowed
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.value.subject import misspelt, subject
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_drawing import COLOURS, Glyphs, Line, drawing
from dwarfgpu.view.location_text import location_text
from dwarfgpu.view.pieces import Layout, layout_json, layouts

if TYPE_CHECKING:
    from dwarfgpu.language import Options


@frozen
class Located:
    """An object with its location, for the focus."""

    title: str
    """`Symbol "t"`, `"s.at[1]"`."""
    location: Location
    size_bits: int | None
    """None for a type of unknown size: then there is no drawing."""
    layouts: tuple[Layout, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """`Symbol "t" is v6 + byte 16 (wave 0), 4 bytes.`"""
        bits = self.size_bits
        if bits is None:
            size = "of unknown size"
        elif bits % 8:
            size = f"{bits} bits"
        else:
            size = counted(bits // 8, "byte")
        return f"{self.title} is {location_text(self.location)}, {size}."

    def record(self, session: Session) -> JsonObject:
        """Return the member `objects` of `dwarfgpu-location-1`, without the name."""
        layouts_json: list[Plain] = [layout_json(layout) for layout in self.layouts]
        return {
            "lane": session.lane,
            "bit_size": self.size_bits,
            "text": location_text(self.location),
            "places": layouts_json,
            "notes": [*self.notes],
        }


def located(
    session: Session, text: str, noted: Callable[[str], object], options: Options | None = None
) -> Located:
    """Return where a variable or the object of an expression is; raises why it has no location,
    after the notes on that."""
    item = subject(session, text)
    if isinstance(item, Variable):
        reading = session.read(item)
        if reading.location is None:
            assert reading.failure is not None
            for note in reading.notes:
                noted(note)
            raise reading.failure
        location, bits, notes = reading.location, size_bits(reading.type), reading.notes
        title = f'Symbol "{item.name}"'
    else:
        from dwarfgpu import language
        from dwarfgpu.service.value.expression_answer import DEFAULT

        try:
            value = language.evaluate(text, session, evolve(options or DEFAULT, noted=noted))
        except UsageError as error:
            raise misspelt(session, text, error) from None
        title = f'"{text}"'
        if value.location is None:
            raise value.error or UsageError(f"{title} is a value without a location.")
        location, bits, notes = value.location, value.size_bits, value.notes
    location = location if bits is None else narrowed(location, bits)
    # Of a lane that is not in the frame only what needs no frame has a location.
    access = (session.focused(None) if session.is_absent else session).context().access
    drawn = () if bits is None else layouts(location, bits, access)
    return Located(title, location, bits, drawn, notes)


def location_lines(location: Located, glyphs: Glyphs, columns: int) -> list[Line]:
    """Return the drawing; empty if the size is unknown."""
    return [] if not location.layouts else list(drawing(location.layouts, glyphs, columns))


def coloured(line: Line) -> str:
    """Return a line with the escape codes of a terminal; its own text contains none."""
    out = ""
    for span in line:
        text = one_line(span.text)
        out += text if span.kind is None else f"\x1b[{COLOURS[span.kind]}m{text}\x1b[0m"
    return out
