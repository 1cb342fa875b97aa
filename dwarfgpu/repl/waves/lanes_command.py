"""`lanes`: an expression in every lane, as a coloured grid or a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import field

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import Unavailable, UndefinedBits, UsageError
from dwarfgpu.language.registers import used_lanes
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.print import format_of
from dwarfgpu.repl.numbers import leading_numbers, listed
from dwarfgpu.repl.output import Output, Painted, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.answer import Answer
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.service.gdb_error_text import error_text
from dwarfgpu.service.lanes.all_lanes import Question, lane_answers, refused
from dwarfgpu.service.lanes.lane_answer import ABSENT, LaneAnswer
from dwarfgpu.service.lanes.lane_choice import CHOICES
from dwarfgpu.service.value.subject import Expression
from dwarfgpu.service.value.value_history import expression_settings_of, required
from dwarfgpu.session.session import LaneState, Session
from dwarfgpu.session.stack_frames import place_of
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.lane_grid import (
    LEAST_COLUMNS,
    WIDEST,
    Cell,
    LaneRow,
    every_cell,
    grid_lines,
    joined,
    place_lines,
    state_letter,
    table_lines,
)
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions

_SHAPES: Final = ("-table", "-grid")
_MISSING: Final = {
    OPTIMIZED_OUT: "optimized out",
    "<unavailable>": "unavailable",
    "<error>": "error",
    ABSENT: "not in this frame",
}
"""The words of grids for missing values."""
_WIDEST: Final = 60
"""Characters of a value in a table."""
_NARROWEST: Final = 12


@frozen
class Row:
    """The display of a lane."""

    state: LaneState
    letter: str
    place: str
    """File and line of its location, `-` if unknown."""
    text: str
    """Its value, or in its place a word why there is none."""
    reason: str | None
    number: float | None = field(default=None)
    """By which it is coloured."""

    @property
    def shown(self) -> LaneRow:
        cell = Cell(self.text, self.letter, self.number, self.missing)
        return LaneRow(self.state.lane, cell, self.place, self.text, self.reason)

    @property
    def missing(self) -> str | None:
        """Return the placeholder for a missing value; None if there is one."""
        return None if self.reason is None else _MISSING.get(self.text)

    @property
    def record(self) -> JsonObject:
        location = self.state.location
        pc = None if location is None or location.pc is None else f"{location.pc:#x}"
        return {
            "id": self.state.lane,
            "state": self.letter,
            "addr": pc,
            "place": self.place,
            "value": self.text,
            "reason": self.reason,
        }


@command(
    "lanes",
    topic="waves",
    complete=completion.with_options(
        (*_SHAPES, *(f"-{choice}" for choice in CHOICES)), completion.values
    ),
)
def lanes(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the value of an expression in every lane.

    Usage: lanes[/FMT] [-grid|-table] [-all|-active|-inactive] [ID...] EXPRESSION

    A grid has eight lanes in a row, or fewer on a narrow terminal; otherwise a table, in which
    neighbours with the same values share a row. Inactive lanes are grey or in brackets. The
    expression is evaluated at each lane's own location; the legend below a grid shows the
    locations, and why lanes have no value. ID is a lane or a range of lanes. FMT is that of
    "print".
    """
    session = shell.session
    options, text = _format(shell, argument)
    shape, choice, text = _options(text)
    chosen, text = _chosen(session, text)
    required(text)
    states = [state for state in session.lane_states(chosen) if state.is_active in CHOICES[choice]]
    if not states:
        yield Output("No lanes match.", {"lanes": []})
        return
    question = Question(session, states, Expression(text))
    [answers] = lane_answers([question], expression_settings_of(shell.values, options))
    wrong = refused(question, answers)
    if wrong is not None:
        raise wrong
    rows = _rows(session, answers, has_numbers=shell.console.has_colours)
    for note in dict.fromkeys(
        note for lane_answer in answers for note in lane_answer.answer.assumed
    ):
        shell.console.note(note, once=True)
    if shell.console.is_json:
        yield from (Output("", row.record, "lanes") for row in rows)
        if session.lane is not None:
            yield Output("", {"current-lane-id": session.lane})
        return
    if shape == "-table" or (shape is None and not _fits(rows, shell.console.columns)):
        yield from _table(shell, text, rows)
    else:
        yield from _grid(shell, rows)
    if any(OPTIMIZED_OUT in row.text and row.state.lane == session.lane for row in rows):
        shell.console.hint(text)


def _format(shell: Shell, argument: str) -> tuple[FormatOptions, str]:
    """Of `/x -grid t`, how values are shown, and the rest."""
    if not argument.startswith("/"):
        return shell.settings.format_options(), argument
    word, _, rest = argument.partition(" ")
    return format_of(shell, f"{word} 0", "lanes")[0], rest


def _options(text: str) -> tuple[str | None, str, str]:
    """Grid or table, which lanes, and the rest of the text."""
    shape, choice, rest = None, "all", text.strip()
    while rest.startswith("-"):
        word, _, after = rest.partition(" ")
        if word in _SHAPES:
            shape = word
        elif word[1:] in CHOICES:
            choice = word[1:]
        else:
            break  # a minus of the expression
        rest = after.strip()
    return shape, choice, rest.removeprefix("-- ").strip() if rest.startswith("-- ") else rest


def _chosen(session: Session, text: str) -> tuple[list[int], str]:
    """Return the selected lanes, without those that have no work-item, and the expression."""
    words, rest = leading_numbers(text)
    used = range(used_lanes(session))
    if not len(used):
        raise UsageError("No lanes.")
    if not words or not rest:
        return list(used), text
    lanes = listed(words, lane_numbers(session), "lane")
    if not lanes:
        raise UsageError(f"No lanes match '{' '.join(words)}'.")
    return lanes, rest


def _rows(session: Session, answers: Sequence[LaneAnswer], *, has_numbers: bool) -> list[Row]:
    places: dict[int | None, str] = {}
    used = used_lanes(session)
    rows = []
    for lane_answer in answers:
        if lane_answer.pc not in places:
            place = (
                None
                if lane_answer.pc is None
                else place_of(session.focused(lane_answer.lane), lane_answer.pc)
            )
            places[lane_answer.pc] = "-" if place is None else f"{place.file}:{place.line}"
        letter = state_letter(lane_answer.state, used)
        text, reason = _text(session, lane_answer)
        number = _number(lane_answer.answer) if has_numbers and reason is None else None
        rows.append(Row(lane_answer.state, letter, places[lane_answer.pc], text, reason, number))
    return rows


def _text(session: Session, lane_answer: LaneAnswer) -> tuple[str, str | None]:
    """A value; or a word in its place, and why."""
    error = lane_answer.answer.error or lane_answer.answer.missing
    if error is None:
        return one_line(lane_answer.answer.text), None
    if lane_answer.state.is_absent:
        return ABSENT, f"the lane {session.focused(lane_answer.lane).why_absent}"
    if isinstance(error, UndefinedBits):
        return OPTIMIZED_OUT, error.message
    word = "<unavailable>" if isinstance(error, Unavailable) else "<error>"
    return word, error_text(error)


def _number(answer: Answer) -> float | None:
    data = answer.record.get("data")
    is_number = isinstance(data, int | float) and math.isfinite(data)
    return float(data) if is_number and isinstance(data, int | float) else None


def _fits(rows: Sequence[Row], columns: int) -> bool:
    """Whether a grid shows all of every value in a line of so many columns."""
    widths = [len(row.text) if row.missing is None else 1 for row in rows]
    width = max(widths) + 2 * any(row.letter == "I" for row in rows)
    return max(widths) <= WIDEST and 4 + LEAST_COLUMNS * (width + 1) <= columns


def _grid(shell: Shell, rows: Sequence[Row]) -> Iterator[Part]:
    """The cells of the wave, then which lanes are where, and why some have no value."""
    shown = [row.shown for row in rows]
    cells = every_cell(shown, len(lane_numbers(shell.session)), used_lanes(shell.session))
    focus = shell.session.lane
    for line in grid_lines(
        cells, colours=shell.console.has_colours, width=shell.console.columns, focus=focus
    ):
        yield Painted(line) if shell.console.has_colours else line
    yield from map(one_line, place_lines(shown, focus))


def _table(shell: Shell, text: str, rows: Sequence[Row]) -> Iterator[Part]:
    """A row for neighbours that have the same, values cut to the width of the terminal."""
    places = max(len("Line"), *(len(row.place) for row in rows))
    room = max(_NARROWEST, min(_WIDEST, shell.console.columns - len("* 00-63 State  ") - places))
    cells = [[str(row.state.lane), row.letter, row.place, row.text] for row in rows]
    shown = [["Lane", "State", "Line", text]]
    for *before, value in joined(cells):  # before they are cut: they may differ in the rest
        shown.append([*before, value if len(value) <= room else f"{value[: room - 1]}…"])
    lane = shell.session.lane
    yield from map(one_line, table_lines(shown, -1 if lane is None else lane))
