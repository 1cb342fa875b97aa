"""`dwarfgpu lanes`: where each lane of a wave is, and its values of variables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NoReturn, TypeAlias

from dwarfgpu.cli.lane_pictures import UNUSED, grid, write_picture
from dwarfgpu.cli.printing import print_notes, refuse_each
from dwarfgpu.errors import MissingContext, UsageError, shortened
from dwarfgpu.options.context_options import configure as configure_machine
from dwarfgpu.options.demo import add_demo_option, with_demo
from dwarfgpu.options.given_files import configure_names, take_files
from dwarfgpu.options.integer_options import lane_number
from dwarfgpu.options.opened_session import session_of, sessions_of_waves
from dwarfgpu.service.answer import has_hint
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.lanes.lane_answer import LaneAnswer, Shares, lane_notes
from dwarfgpu.service.lanes.lane_choice import all_lanes, chosen_states, is_choice, no_lanes
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers, refused
from dwarfgpu.service.lanes.lanes_json import LanesJson
from dwarfgpu.service.lanes.wave_lanes import WaveLanes, in_cell
from dwarfgpu.service.value.kernarg_hint import kernarg_hint
from dwarfgpu.service.value.subject import Expression, Mistakes, Subject, subject
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session
from dwarfgpu.terminal.streams import COLOUR_SETTINGS, has_colours
from dwarfgpu.view.dispatch_layout import check_cells
from dwarfgpu.view.grid_image import require_matplotlib
from dwarfgpu.view.lane_grid import joined, table_lines
from dwarfgpu.view.lane_position import lane_position

SCHEMA: Final = "dwarfgpu-lanes-1"
_Texts: TypeAlias = dict[int, str]
"""The texts of answers, keyed by `id`: valid while the waves with the answers exist."""
_GROUP: Final = 256
"""Waves that are read together: the answers of 16,384 lanes take tens of megabytes."""
_WIDEST: Final = 40
"""Characters of a value in the table."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    configure_names(parser)
    parser.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
    add_demo_option(parser)
    parser.add_argument(
        "--compact", action="store_true", help="one line for neighbouring lanes with equal values"
    )
    parser.add_argument(
        "--grid", action="store_true", help="show each NAME as a grid, eight lanes in a row"
    )
    parser.add_argument("--color", choices=COLOUR_SETTINGS, default="auto", help="colour the grid")
    for form in ("png", "svg"):
        parser.add_argument(
            f"--{form}", metavar="FILE", help="write a picture of the values of NAME in all lanes"
        )
    configure_machine(parser)


def run(args: argparse.Namespace) -> int:
    """Print the lanes; return 1 if an active lane has no value or one with unknown bits."""
    take_files(args, "names")
    return with_demo(args, _run, lane="all")


def _run(args: argparse.Namespace) -> int:
    choice = args.lane
    if choice is not None and not is_choice(choice):
        choice = str(lane_number(choice))
    if not any((args.names, args.state, args.core, args.gpu_core, args.pc, args.reg)):
        raise UsageError("no wave: give --state FILE, a core file, --reg, or --demo")
    args.lane, args.verify_places = "all", False
    if args.grid and not args.names:
        raise UsageError("--grid: give the NAME of what it shows")
    if args.grid and args.compact:
        raise UsageError("give --grid or --compact, not both")
    is_picture = _is_picture(args)
    files = [args.file] if args.file else []
    sessions = sessions_of_waves(args, files) if args.wave == "all" else [session_of(args, files)]
    groups: Iterable[list[WaveLanes]] = _groups(args, sessions, choice)
    written: list[str] = []
    if is_picture:
        lanes = len(all_lanes(sessions[0]))
        check_cells(lanes, len(sessions), len(sessions))
        groups = list(groups)
        written = list(_pictures(args, [*chain.from_iterable(groups)]))
    return _print_json(groups) if args.json else _print_text(args, groups, written)


def _print_json(groups: Iterable[Sequence[WaveLanes]]) -> int:
    """Print each group of waves as it answers; return the exit status."""
    notes: dict[str, None] = {}
    status = 0
    separator = f'{{"schema": {json.dumps(SCHEMA)}, "waves": ['
    for waves in groups:
        notes |= dict.fromkeys(_notes(waves, is_advised=has_hint(notes)))
        status = max(status, _status(waves))
        for wave in map(LanesJson().wave, waves):
            print(separator + wave, end="")
            separator = ", "
    print(f'], "notes": {json.dumps(list(notes))}}}')
    return status


def _print_text(
    args: argparse.Namespace, groups: Iterable[Sequence[WaveLanes]], written: Sequence[str]
) -> int:
    """Print the lines of pictures, then each group of waves as it answers; return the exit
    status."""
    for line in written:
        print(line)
    colours = has_colours(args.color)
    notes: dict[str, None] = {}
    status = 0
    for waves in groups:
        texts: _Texts = {}
        for wave in waves if args.grid or not written else ():
            lines = _grids(wave, colours) if args.grid else _table(wave, args.compact, texts)
            print(one_line(wave.title), *lines, sep="\n")
        notes |= dict.fromkeys(_notes(waves, is_advised=has_hint(notes)))
        status = max(status, _status(waves))
    print_notes(notes)
    return status


def _groups(
    args: argparse.Namespace, sessions: Sequence[Session], choice: str | None
) -> Iterator[list[WaveLanes]]:
    """Yield the waves in groups that are read together; `UsageError` if no wave has a value of any
    name, all for mistakes."""
    for session in sessions:
        if not session.architecture.is_simt:
            raise UsageError(no_lanes(session))
    refused_groups: list[Sequence[Session]] = []
    errors: dict[tuple[str, str], None] = {}
    is_alone = len(args.names) == len(sessions) == 1
    is_answered = not args.names
    mistakes = Mistakes()
    for first in range(0, len(sessions), _GROUP):
        group = sessions[first : first + _GROUP]
        waves, wrong = _waves(args, group, choice, mistakes, is_alone=is_alone)
        if not is_answered and wrong is not None:
            refused_groups.append(group)  # their answers would be too many to keep
            errors |= dict.fromkeys(wrong)
            continue
        is_answered = True
        for earlier in refused_groups:
            yield _waves(args, earlier, choice, mistakes, is_alone=is_alone)[0]
        refused_groups.clear()
        yield waves
    if refused_groups:
        _refuse(errors, is_json=args.json)


def _waves(
    args: argparse.Namespace,
    sessions: Sequence[Session],
    choice: str | None,
    mistakes: Mistakes,
    *,
    is_alone: bool,
) -> tuple[list[WaveLanes], list[tuple[str, str]] | None]:
    """Return the lanes of waves; and each name with what is wrong with it, if that is so in all of
    them: otherwise each lane's answer reports it."""
    states = [tuple(chosen_states(session, choice)) for session in sessions]
    questions = [
        Question(session, lane_states, _subject(session, lane_states, name, is_alone=is_alone))
        for session, lane_states in zip(sessions, states, strict=True)
        for name in args.names
    ]
    shares: Shares = "record" if args.json else "text"
    answered = [*lane_answers(questions, shares=shares, mistakes=mistakes)]
    errors = [refused(*pair) for pair in zip(questions, answered, strict=True)]
    wrong = [error.message for error in errors if error is not None]
    answers_left = iter(answered)
    waves = [
        WaveLanes(
            session, lane_states, tuple((name, tuple(next(answers_left))) for name in args.names)
        )
        for session, lane_states in zip(sessions, states, strict=True)
    ]
    if len(wrong) < len(errors):
        return waves, None
    return waves, [*zip(args.names * len(sessions), wrong, strict=True)]


def _refuse(errors: Iterable[tuple[str, str]], *, is_json: bool) -> NoReturn:
    """Raise `UsageError` for names and what is wrong with each; of several messages, the last, with
    a line for each of the others before it, or all in one for JSON."""
    named = list(dict.fromkeys(errors))
    if len({message for _, message in named}) == 1:
        raise UsageError(named[0][1])
    messages = [f"{shortened(name)}: {message}" for name, message in named]
    refuse_each(messages, is_json=is_json)


def _subject(
    session: Session, states: Sequence[LaneState], name: str, *, is_alone: bool
) -> Subject:
    """Return the subject of a name at the wave's location; at a lane's it may denote another one.

    Among several names or waves, an unknown one becomes an error answer later, as in a wave outside
    all code objects.
    """
    try:
        return subject(session, name)
    except (UsageError, MissingContext):
        is_here = all(state.location is None or state.location.pc == session.pc for state in states)
        if is_alone and is_here:
            raise
        return Expression(name)


def _is_picture(args: argparse.Namespace) -> bool:
    """Return whether a picture is requested; `UsageError` if it cannot be made."""
    options_given = [f"--{form}" for form in ("png", "svg") if getattr(args, form) is not None]
    for option in options_given:
        if len(args.names) != 1:
            raise UsageError(f"{option}: give the one NAME of what it shows")
        require_matplotlib(option)
    return bool(options_given)


def _notes(waves: Sequence[WaveLanes], *, is_advised: bool) -> list[str]:
    """Return the notes of waves; without a hint if that is among those of earlier ones."""
    notes: dict[str, None] = {}
    for wave in waves:
        _, unknown = wave.session.active_lanes()
        notes |= dict.fromkeys([*wave.session.notes, *([unknown] if unknown else [])])
        for state in wave.states:
            if state.location is not None and state.location.note is not None:
                notes[state.location.note] = None
        unlocated = next((state.error for state in wave.states if state.error is not None), None)
        unknown_outer = wave.unknown_outer()
        notes |= {f"{why}": None for why in (unlocated, unknown_outer) if why is not None}
        notes |= dict.fromkeys(wave.unreadable_lines())
        if len(wave.states) == 1:
            position = lane_position(wave.session.focused(wave.states[0].lane))
            notes |= {} if position is None else {position: None}
        for name, answers in wave.answers:
            used = [answer for answer in answers if wave.letter(answer.state) in "A?"]
            wrong = [lane_answer.answer.error for lane_answer in used]
            notes |= {f"{name}: {error}": None for error in wrong if isinstance(error, UsageError)}
            of_lanes = lane_notes(used)
            notes |= dict.fromkeys(of_lanes)
            is_advised = is_advised or has_hint(of_lanes)
            advice = None if is_advised else _hint(wave, name, used)
            if advice is not None:
                notes[advice], is_advised = None, True
    return list(notes)


def _hint(wave: WaveLanes, name: str, used: Sequence[LaneAnswer]) -> str | None:
    """Return the location of the kernel's arguments, if one of them has no value."""
    failed = next((lane_answer for lane_answer in used if lane_answer.answer.status), None)
    if failed is None:
        return None
    session = wave.session.focused(failed.lane)
    return kernarg_hint(session, _subject(session, (), name, is_alone=False))


def _status(waves: Sequence[WaveLanes]) -> int:
    """Return 1 if an active lane has no value, or an incomplete one."""
    return max(
        (
            in_cell(answer).answer.status
            for wave in waves
            for _, answers in wave.answers
            for answer in answers
            if answer.answer.status or answer.answer.referent is not None
            if wave.letter(answer.state) in "A?"
        ),
        default=0,
    )


def _table(wave: WaveLanes, is_compact: bool, texts: _Texts) -> Iterator[str]:
    """Yield lane, state, where it is, its line, and the values."""
    rows = [["Lane", "State", "PC", "Line", *(name for name, _ in wave.answers)]]
    columns = [_values(wave, answers, texts) for _, answers in wave.answers]
    positions: dict[tuple[str, int], tuple[str, str]] = {}
    for index, state in enumerate(wave.states):
        letter = wave.letter(state)
        if letter == "U":
            rows.append([str(state.lane), letter, "-", "-", *("" for _ in wave.answers)])
            continue
        # Lanes of the frame with one pc have one source line.
        key = letter, id(state.location)
        position = positions.get(key)
        if position is None or state.is_absent or state.error is not None:
            position = positions[key] = _position(wave, state)
        rows.append([str(state.lane), letter, *position, *(column[index] for column in columns)])
    if is_compact:
        rows = [*rows[:1], *joined(rows[1:])]
    first = len(rows[0]) - len(wave.answers)
    shown = {text: _cut(text) for text in {"", *chain.from_iterable(columns)}}
    if any(text != cut for text, cut in shown.items()):
        rows = [
            *rows[:1],
            *([*row[:first], *(shown[text] for text in row[first:])] for row in rows[1:]),
        ]
    yield from map(one_line, table_lines(rows))
    for name, answers in wave.answers:
        yield from (f"{name}: {reason}" for reason in wave.reasons([*filter(_is_missing, answers)]))


def _position(wave: WaveLanes, state: LaneState) -> tuple[str, str]:
    """Return where a lane is, and its line."""
    outer = wave.outer(state)
    if outer is not None:
        return f"#{outer.number} {outer.pc:#x}", outer.source_line or "-"
    if state.is_absent:
        return "not in frame", "-"
    pc = wave.pc(state)
    source_line = wave.source_line(state) if pc is not None else None
    where = "-" if pc is None else f"{pc:#x}"
    return where if state.error is None else "?", source_line or "-"


def _values(wave: WaveLanes, answers: Sequence[LaneAnswer], texts: _Texts) -> list[str]:
    """Return the values of a column; lanes that share an answer share its text."""
    out = []
    for answer in answers:
        if answer.state.is_absent:
            out.append(_value(wave, answer))
            continue
        text = texts.get(id(answer.answer))
        if text is None:
            text = texts[id(answer.answer)] = _value(wave, answer)
        out.append(text)
    return out


def _value(wave: WaveLanes, answer: LaneAnswer) -> str:
    """Return a value, or a word in its place: the reason is below the table, or in a note."""
    if answer.state.is_absent and answer.answer.error is not None:
        return "-"
    return answer.text if isinstance(answer.answer.error, UsageError) else wave.text(answer)


def _is_missing(answer: LaneAnswer) -> bool:
    """Return whether a lane of the frame has no value, for a reason that no note explains."""
    return not answer.state.is_absent and not isinstance(answer.answer.error, UsageError)


def _cut(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"


def _grids(wave: WaveLanes, colours: bool) -> Iterator[str]:
    for name, answers in wave.answers:
        lane_count = len(all_lanes(wave.session))
        yield from grid(name, wave.rows(answers), lane_count, wave.used, colours=colours)


def _pictures(args: argparse.Namespace, waves: Sequence[WaveLanes]) -> Iterator[str]:
    """Write the pictures of `--png` and `--svg`; yield a line for each."""
    [name] = args.names
    lanes = len(all_lanes(waves[0].session))
    shown = []
    for wave in waves:
        cells = {row.lane: row.cell for row in wave.rows(wave.answers[0][1])}
        shown.append((wave.session, [cells.get(lane, UNUSED) for lane in range(lanes)]))
    for form in ("png", "svg"):
        path = getattr(args, form)
        if path is not None:
            yield write_picture(name, shown, path, form)
