"""`dwarfgpu location`: where every bit of a variable or an expression lives, drawn."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING, Final

from dwarfgpu.cli import context as options
from dwarfgpu.cli.errors import error_json, error_line, one_line
from dwarfgpu.cli.eval import context_notes, print_json, print_notes, with_demo
from dwarfgpu.cli.given_files import POSITIONAL, take_files
from dwarfgpu.cli.streams import has_colours
from dwarfgpu.cli.subjects import misspelt, subject
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.dwarf.types import size_bits
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.model.location import Location, narrowed
from dwarfgpu.nouns import frozen
from dwarfgpu.session import Session
from dwarfgpu.view.location_drawing import COLOURS, Glyphs, Line, drawing, glyphs_for, plain
from dwarfgpu.view.locations import location_text
from dwarfgpu.view.pieces import Layout, layout_json, layouts
from dwarfgpu.view.plain import Plain, Record

if TYPE_CHECKING:
    from dwarfgpu.language import Options

SCHEMA: Final = "dwarfgpu-location-1"
_CHOICES: Final = ("auto", "always", "never")
_COLUMNS: Final = 80
_WIDEST: Final = 200


@frozen
class Located:
    """An object in a place, for the focus."""

    title: str
    """`Symbol "t"`, `"s.at[1]"`."""
    location: Location
    size_bits: int | None
    """None for a type of unknown size: then nothing is drawn."""
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
            size = f"{bits // 8} byte{'' if bits == 8 else 's'}"
        return f"{self.title} is {location_text(self.location)}, {size}."

    def record(self, session: Session) -> Record:
        """The member `objects` of `dwarfgpu-location-1`, without the name."""
        places: list[Plain] = [layout_json(each) for each in self.layouts]
        return {
            "lane": session.lane,
            "bit_size": self.size_bits,
            "text": location_text(self.location),
            "places": places,
            "notes": [*self.notes],
        }


def located(session: Session, text: str, given: Options | None = None) -> Located:
    """Where a variable or the object of an expression is; raises why it is in no place."""
    wanted = subject(session, text)
    if isinstance(wanted, Variable):
        reading = session.read(wanted)
        if reading.location is None:
            assert reading.error is not None
            raise reading.error
        location, bits, notes = reading.location, size_bits(reading.type), reading.notes
        title = f'Symbol "{wanted.name}"'
    else:
        from dwarfgpu import language
        from dwarfgpu.cli.expressions import DEFAULT

        try:
            value = language.evaluate(text, session, given or DEFAULT)
        except UsageError as error:
            raise misspelt(session, text, error) from None
        title = f'"{text}"'
        if value.location is None:
            raise value.error or UsageError(f"{title} is a value that is in no place.")
        location, bits, notes = value.location, value.size_bits, value.notes
    location = location if bits is None else narrowed(location, bits)
    # Of a lane that is not in the frame only what needs no frame has a place.
    access = (session.focused(None) if session.is_absent else session).context().access
    drawn = () if bits is None else layouts(location, bits, access)
    return Located(title, location, bits, drawn, notes)


def location_lines(found: Located, glyphs: Glyphs, columns: int) -> list[Line]:
    """The drawing; nothing where the size is not known."""
    return [] if not found.layouts else list(drawing(found.layouts, glyphs, columns))


def coloured(line: Line) -> str:
    """A line with the escape codes of a terminal; what it says has none of its own."""
    out = ""
    for span in line:
        text = one_line(span.text)
        out += text if span.kind is None else f"\x1b[{COLOURS[span.kind]}m{text}\x1b[0m"
    return out


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "names", nargs="*", metavar="FILE|NAME", help=f"{POSITIONAL}; variables, or expressions"
    )
    parser.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
    parser.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )
    parser.add_argument("--color", choices=_CHOICES, default="auto", help="of the drawing")
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Draw each; 1 where one is in no place."""
    take_files(args, "names")
    return with_demo(args, _run)


def _run(args: argparse.Namespace) -> int:
    if not args.names:
        raise UsageError("location: give the NAME of a variable, or an expression")
    if args.lane == "all":
        raise UsageError("location looks at one lane, not all: give --lane N")
    session = options.session_of(args, [args.file] if args.file else [])
    if args.demo and session.lane is None:
        session = session.focused(session.first_active_lane())
    status, records, notes = 0, list[Plain](), [*session.notes]
    for name in args.names:
        try:
            found = located(session, name)
        except DwarfGpuError as error:
            if len(args.names) == 1 and isinstance(error, UsageError):
                raise
            status = 1
            records.append({"name": name, **error_json(error)})
            if not args.json:
                print(one_line(f"dwarfgpu: {name}: {error_line(error)}"), file=sys.stderr)
            continue
        records.append({"name": name, **found.record(session)})
        notes += found.notes
        if not args.json:
            _print(found, has_colours(args.color))
    if args.json:
        print_json({"schema": SCHEMA, "objects": records, **context_notes(session)})
    else:
        print_notes(notes)
    return status


def _print(found: Located, colours: bool) -> None:
    print(one_line(found.sentence))
    glyphs = glyphs_for(sys.stdout.encoding)
    for line in location_lines(found, glyphs, terminal_columns(sys.stdout.isatty())):
        print(coloured(line) if colours else one_line(plain(line)))


def terminal_columns(is_terminal: bool) -> int:
    """Of the terminal; 80 of what is none."""
    if not is_terminal:
        return _COLUMNS
    return max(min(shutil.get_terminal_size((_COLUMNS, 24)).columns, _WIDEST), 40)
