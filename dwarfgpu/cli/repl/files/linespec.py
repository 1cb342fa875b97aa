"""Places that are typed: `LINE`, `FILE:LINE`, `FUNCTION`, `FILE:FUNCTION`, `*ADDRESS`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from dwarfgpu import language
from dwarfgpu.backtrace import Place, place_in
from dwarfgpu.cli.expressions import DEFAULT
from dwarfgpu.cli.repl.data.examine import address_of
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.lines import Lines, SourceLine
from dwarfgpu.dwarf.scopes import Subprogram, first_call
from dwarfgpu.dwarf.types import Function, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.names import Names
from dwarfgpu.language.places import Places
from dwarfgpu.nouns import frozen
from dwarfgpu.session import Session

NUMBER: Final = re.compile(r"[0-9]{1,9}")
_IN_FILE: Final = re.compile(r"(?P<file>.*[^:]):(?P<inside>[^:].*)")


@frozen
class Spot:
    """What was typed."""

    kind: Literal["line", "function", "address"]
    place: Place | None
    """None where no line is known."""
    pcs: tuple[int, ...]
    """Where its code begins, as loaded; the address itself."""


def spot_of(shell: Shell, text: str, around: Place | None) -> Spot:
    """What a text means; a line alone is of the file of `around`. `UsageError` in GDB's words."""
    session = shell.session
    if text.startswith("*"):
        _, pc = address_of(shell, Places(session), text[1:])
        line = line_at(session, pc)
        return Spot("address", None if line is None else _start(line), (pc,))
    spot = _line_in_file(text)
    if spot is not None:
        wanted, number = spot
        for lines in _lines(session):
            file = next(lines.files_named(wanted), None)
            if file is not None:
                place = place_in(file, number, is_start=True)
                return Spot("line", place, pcs_of(session, place))
        raise UsageError(f"No source file named {wanted}.")
    if NUMBER.fullmatch(text):
        if around is None:
            raise UsageError('No symbol table is loaded.  Use the "file" command.')
        place = place_in(around.source, int(text), is_start=True)
        return Spot("line", place, pcs_of(session, place))
    pc, is_call = _entry(session, text)
    line = line_at(session, pc) if is_call else None
    found = _place_of_function(session, pc) if line is None else _start(line)
    return Spot("function", found, (pc,))


def _start(line: SourceLine) -> Place:
    return place_in(line.file, line.line, is_start=True)


def _line_in_file(text: str) -> tuple[str, int] | None:
    """`FILE:LINE`."""
    match = _IN_FILE.fullmatch(text)
    if match is None or not NUMBER.fullmatch(match["inside"]):
        return None
    return match["file"], int(match["inside"])


def _place_of_function(session: Session, pc: int) -> Place | None:
    """Where a function is declared, else where its code is from: that may be inlined there."""
    owner = next((each for each in session.code_objects if each.covers(pc)), None)
    subprogram = None if owner is None else owner.scopes.subprogram_at(pc)
    if subprogram is not None:
        lined, filed = map(subprogram.die.holder, (dw.AT_DECL_LINE, dw.AT_DECL_FILE))
        line = None if lined is None else lined.integer(dw.AT_DECL_LINE)
        number = None if filed is None else filed.integer(dw.AT_DECL_FILE)
        table = None if filed is None else filed.unit.line_table
        if line and number is not None and table is not None:
            return place_in(table.file(number), line, is_start=True)
    found = line_at(session, pc)
    return None if found is None else _start(found)


def _first_call(session: Session, name: str, file: str | None) -> int | None:
    """Where a function that has no code of its own is inlined first."""
    names = Names(session)
    try:
        found = names.meaning_in_file(name, file) if file else names.meaning(name)
    except UsageError:
        return None
    for each in found:
        if isinstance(each, Die) and each.tag == dw.TAG_SUBPROGRAM:
            call = first_call(each)
            return None if call is None else Subprogram(call).ranges[0].begin
    return None


def entry_of(session: Session, text: str) -> int:
    """Where the code of a function begins; of one without code of its own, the first inlined call.

    `UsageError` in GDB's words where there is none.
    """
    return _entry(session, text)[0]


def _entry(session: Session, text: str) -> tuple[int, bool]:
    """The same, and whether it is an inlined call."""
    match = _IN_FILE.fullmatch(text)
    words = f'Function "{text}" not defined.'
    name = text
    if match is not None:
        name = f"'{match['file']}'::{match['inside']}"
        words = f'Function "{match["inside"]}" not defined in "{match["file"]}".'
    try:
        value = language.evaluate(name, session, DEFAULT)
    except UsageError:
        entry = _first_call(session, match["inside"] if match else text, match and match["file"])
        if entry is None:
            raise UsageError(words) from None
        return entry, True
    place = value.location.places[0] if value.location is not None else None
    if not isinstance(strip(value.type), Function) or place is None or place.byte_address is None:
        raise UsageError(words)
    return place.byte_address, False


def _lines(session: Session) -> Iterator[Lines]:
    """Of every object file, the one of the focus first."""
    here = session.code_object
    objects = sorted(session.code_objects, key=lambda each: each is not here)
    return (Lines(each.scopes) for each in objects)


def pcs_of(session: Session, place: Place) -> tuple[int, ...]:
    """Where the code of a line begins, of the first object file that knows it: as in GDB once in
    each block."""
    for lines in _lines(session):
        found = lines.pcs_of(place.path, place.line)
        if found:
            return tuple(_first_in_blocks(lines, found))
    return ()


def _first_in_blocks(lines: Lines, pcs: tuple[int, ...]) -> Iterator[int]:
    seen: set[object] = set()
    for pc in pcs:
        try:
            chain = lines.scopes.chain_at(pc)
        except DwarfGpuError:
            chain = ()
        block: object = chain[-1] if chain else pc
        if block not in seen:
            seen.add(block)
            yield pc


def first_after(session: Session, place: Place) -> int | None:
    """Where the code of the first line after a place begins that has any."""
    found = (lines.first_after(place.path, place.line) for lines in _lines(session))
    return next((pc for pc in found if pc is not None), None)


def line_at(session: Session, pc: int) -> SourceLine | None:
    """The line of a program location."""
    owner = next((each for each in session.code_objects if each.covers(pc)), None)
    return None if owner is None else Lines(owner.scopes).line_of(pc)


def body_of(session: Session, entry: int) -> int:
    """Where the body of a function begins, as GDB takes it: at its second line, unless its unit has
    location lists, which are right from its entry on."""
    owner = next((each for each in session.code_objects if each.covers(entry)), None)
    unit = None if owner is None else owner.scopes.unit_at(entry)
    line = line_at(session, entry)
    if line is None or unit is None or _has_location_lists(unit):
        return entry
    return line.span.end if line_at(session, line.span.end) is not None else entry


def _has_location_lists(unit: CompilationUnit) -> bool:
    return "GNU" in unit.producer and any(
        each.name == dw.AT_LOCATION and each.form in (dw.FORM_SEC_OFFSET, dw.FORM_LOCLISTX)
        for abbreviation in unit.abbreviations.values()
        for each in abbreviation.attributes
    )
