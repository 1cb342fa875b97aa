"""`lanes`: an expression in every lane, as a coloured grid or a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.language.machine_variables import used_lanes
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.print_commands import format_of
from dwarfgpu.repl.number_lists import leading_numbers, listed
from dwarfgpu.repl.output import Output, Painted, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.service.lanes.lane_choice import CHOICES
from dwarfgpu.service.lanes.lane_questions import expression_in_lanes
from dwarfgpu.service.lanes.wave_lanes import WaveLanes
from dwarfgpu.service.value.value_history import expression_settings_of, required
from dwarfgpu.session.session import Session
from dwarfgpu.view.lane_grid import (
    LEAST_COLUMNS,
    WIDEST,
    LaneRow,
    every_cell,
    grid_lines,
    joined,
    position_lines,
    table_lines,
)
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions

_SHAPES: Final = ("-table", "-grid")
_BEGINS_EXPRESSION: Final = pattern(r"[A-Za-z_$0-9]|-(?:table|grid)\b")
_WIDEST: Final = 60
"""Characters of a value in a table."""
_NARROWEST: Final = 12


@command(
    "lanes",
    topic="waves",
    complete=completion.with_options(
        (*_SHAPES, *(f"-{choice}" for choice in CHOICES)), completion.VALUES
    ),
)
def lanes(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the value of an expression in every lane.

    Usage: lanes[/FMT] [-grid|-table] [-all|-active|-inactive] [ID...] EXPRESSION

    Short values are in a grid, eight lanes in a row or fewer on a narrow terminal; values that do
    not fit are in a table, in which neighbours with the same values share a row. Inactive lanes
    are grey or in brackets. The expression is evaluated at each lane's own location; the legend
    below a grid shows the locations, and why lanes have no value. ID is a lane or a
    range of lanes. FMT is that of "print". "lanes active x" is "lanes -active x".
    """
    session = shell.session
    options, text = _format(shell, argument)
    shape, choice, text = _options(_with_hyphen(session, text))
    chosen, text = _chosen(session, text)
    required(text)
    states = [state for state in session.lane_states(chosen) if state.is_active in CHOICES[choice]]
    if not states:
        yield Output("No lanes match.", {"lanes": []})
        return
    settings = expression_settings_of(shell.values, options)
    answers = expression_in_lanes(session, states, text, settings)
    wave = WaveLanes(session, tuple(states), ((text, tuple(answers)),))
    for note in dict.fromkeys(
        note for lane_answer in answers for note in lane_answer.answer.assumed
    ):
        shell.console.note(note, once=True)
    for note in wave.unreadable_lines():
        shell.console.note(note, once=True)
    if shell.console.is_json:
        yield from (Output("", wave.machine_interface(item), "lanes") for item in answers)
        if session.lane is not None:
            yield Output("", {"current-lane-id": session.lane})
        return
    rows = wave.rows(answers)
    if shape == "-table" or (shape is None and not _fits(rows, shell.console.columns)):
        yield from _table(shell, text, rows)
    else:
        yield from _grid(shell, wave, rows)
    if any(OPTIMIZED_OUT in row.text and row.lane == session.lane for row in rows):
        shell.console.hint(text)


def _format(shell: Shell, argument: str) -> tuple[FormatOptions, str]:
    """Split `/x -grid t`: how values are shown, and the rest."""
    if not argument.startswith("/"):
        return shell.settings.format_options(), argument
    word, _, rest = argument.partition(" ")
    return format_of(shell, f"{word} 0", "lanes")[0], rest


def _with_hyphen(session: Session, text: str) -> str:
    """Return the text with `-active` for `active` before an expression, which `--lane` takes.

    No expression begins with a name and another name or a number. `UsageError` for the word alone,
    unless the program has the name.
    """
    word, _, rest = text.strip().partition(" ")
    if word not in CHOICES or (not rest and session.meanings(word).of(word)):
        return text
    if not rest:
        raise UsageError(
            f"Argument required (expression to compute): lanes -{word} EXPRESSION; "
            f"info lanes -{word} lists the lanes."
        )
    return f"-{word} {rest}" if _BEGINS_EXPRESSION.match(rest.lstrip()) else text


def _options(text: str) -> tuple[str | None, str, str]:
    """Return grid or table, which lanes, and the rest of the text."""
    shape, choice, rest = None, "all", text.strip()
    while rest.startswith("-"):
        word, _, after = rest.partition(" ")
        if word in _SHAPES:
            shape = word
        elif word[1:] in CHOICES:
            choice = word[1:]
        elif word.startswith("--") and (word[1:] in _SHAPES or word[2:] in CHOICES):
            raise UsageError(f'`--\' ends the options of "lanes": write {word[1:]}')
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


def _fits(rows: Sequence[LaneRow], columns: int) -> bool:
    """Return whether a grid shows all of every value in a line of that many columns."""
    widths = [len(row.cell.text) for row in rows]
    width = max(widths) + 2 * any(row.cell.state == "I" for row in rows)
    return max(widths) <= WIDEST and 4 + LEAST_COLUMNS * (width + 1) <= columns


def _grid(shell: Shell, wave: WaveLanes, rows: Sequence[LaneRow]) -> Iterator[Part]:
    """Yield the cells of the wave, then which lanes are where, and why some have no value."""
    cells = every_cell(rows, len(lane_numbers(shell.session)), wave.used)
    focus = shell.session.lane
    for line in grid_lines(
        cells, colours=shell.console.has_colours, width=shell.console.columns, focus=focus
    ):
        yield Painted(line) if shell.console.has_colours else line
    yield from map(one_line, position_lines(rows, focus))


def _table(shell: Shell, text: str, rows: Sequence[LaneRow]) -> Iterator[Part]:
    """Yield a row for neighbours that have the same, values cut to the width of the terminal."""
    line_width = max(len("Line"), *(len(row.source_line or "-") for row in rows))
    room = max(
        _NARROWEST, min(_WIDEST, shell.console.columns - len("* 00-63 State  ") - line_width)
    )
    cells = [[str(row.lane), row.cell.state, row.source_line or "-", row.text] for row in rows]
    shown = [["Lane", "State", "Line", text]]
    for *before, value in joined(cells):  # before they are cut: they may differ in the rest
        shown.append([*before, value if len(value) <= room else f"{value[: room - 1]}…"])
    lane = shell.session.lane
    yield from map(one_line, table_lines(shown, -1 if lane is None else lane))
