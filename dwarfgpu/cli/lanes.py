"""`dwarfgpu lanes`: where each lane of a wave is, and its values of variables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import field

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.cli.lane_pictures import UNUSED, cell_of, grid, row_of, write_picture
from dwarfgpu.cli.printing import print_json, print_notes
from dwarfgpu.errors import UsageError
from dwarfgpu.language.registers import used_lanes
from dwarfgpu.machine.target import Modelled, Named
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.given_files import POSITIONAL, take_files
from dwarfgpu.options.machine_arguments import configure as configure_machine
from dwarfgpu.options.numbers import lane_number
from dwarfgpu.service.answer import has_hint
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.frame.focus import target_id
from dwarfgpu.service.lanes.all_lanes import Question, lane_answers, refused
from dwarfgpu.service.lanes.lane_answer import ABSENT, LaneAnswer, lane_notes
from dwarfgpu.service.lanes.lane_choice import all_lanes, chosen_states, is_choice
from dwarfgpu.service.value.kernarg_hint import kernarg_hint
from dwarfgpu.service.value.subject import Expression, Subject, subject
from dwarfgpu.session.session import LaneState, Session
from dwarfgpu.session.stack_frames import FramePosition, outer_frame, place_of
from dwarfgpu.terminal.streams import has_colours
from dwarfgpu.view.grid_image import require_matplotlib
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.lane_grid import Cell, joined, reason_lines, state_letter, table_lines
from dwarfgpu.view.position import lane_position

SCHEMA: Final = "dwarfgpu-lanes-1"
_COLOURS: Final = ("auto", "always", "never")
_WIDEST: Final = 40
"""Characters of a value in the table."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "names", nargs="*", metavar="FILE|NAME", help=f"{POSITIONAL}; variables, or expressions"
    )
    parser.add_argument("--file", metavar="FILE", help="an ELF file with DWARF")
    parser.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )
    parser.add_argument(
        "--compact", action="store_true", help="one line for neighboring lanes with equal values"
    )
    parser.add_argument(
        "--grid", action="store_true", help="show each NAME as a grid, eight lanes in a row"
    )
    parser.add_argument("--color", choices=_COLOURS, default="auto", help="color the grid")
    for form in ("png", "svg"):
        parser.add_argument(
            f"--{form}", metavar="FILE", help="write NAME in the lanes of the waves as a picture"
        )
    configure_machine(parser)


def run(args: argparse.Namespace) -> int:
    """Print the lanes; return 1 if an active lane has no value or one with unknown bits."""
    take_files(args, "names")
    return with_demo(args, _run, lane="all")


@frozen
class Outer:
    """Where a lane is in an outer frame."""

    number: int
    pc: int
    source: FramePosition | None

    @property
    def place(self) -> str | None:
        return None if self.source is None else f"{self.source.file}:{self.source.line}"


@frozen
class _Wave:
    """The lanes of a wave that are shown."""

    session: Session
    states: tuple[LaneState, ...]
    answers: tuple[tuple[str, tuple[LaneAnswer, ...]], ...]
    """Of each name, for every lane of `states`."""
    used: int = field(init=False)
    """Lanes that have a work-item."""
    _places: dict[int | None, str | None] = field(factory=dict, init=False, repr=False)
    _outer: dict[int, Outer | None] = field(factory=dict, init=False, repr=False)

    @used.default
    def _used(self) -> int:
        return used_lanes(self.session)

    @property
    def title(self) -> str:
        """Return the wave, and where it is."""
        session = self.session
        target = session.target
        name = target.target_id(session.wave) if isinstance(target, Named) else f"{session.wave}"
        pc = self._shown(session.pc)
        return f"{name}, {'no program location' if pc is None else f'pc {pc:#x}'}"

    def letter(self, state: LaneState) -> str:
        """A, I, U or ?, as ROCgdb."""
        return state_letter(state, self.used)

    def pc(self, state: LaneState) -> int | None:
        return self._shown(None if state.location is None else state.location.pc)

    def _shown(self, pc: int | None) -> int | None:
        """As `bt`: an outer frame goes on after the call that it waits for."""
        session = self.session
        physical = session.physical_frame if session.level and pc == session.pc else None
        return pc if physical is None else physical.pc

    def outer(self, state: LaneState) -> Outer | None:
        """Return the outer frame of a lane that is not in this one."""
        lane = state.lane
        if lane not in self._outer and state.is_absent:
            frame = outer_frame(self.session.focused(lane))
            place = None if frame is None else place_of(frame.session, frame.pc)
            self._outer[lane] = None if frame is None else Outer(frame.number, frame.pc, place)
        return self._outer.get(lane)

    def place(self, state: LaneState) -> str | None:
        """The source line where a lane is; those at one program location share it."""
        pc = self.pc(state)
        if pc not in self._places:
            position = None if pc is None else place_of(self.session.focused(state.lane), pc)
            self._places[pc] = None if position is None else f"{position.file}:{position.line}"
        return self._places[pc]


def _run(args: argparse.Namespace) -> int:
    choice = args.lane
    if choice is not None and not is_choice(choice):
        choice = f"{lane_number(choice)}-{lane_number(choice)}"
    args.lane, args.verify_places = "all", False
    if args.grid and not args.names:
        raise UsageError("--grid: give the NAME of what it shows")
    if args.grid and args.compact:
        raise UsageError("give --grid or --compact, not both")
    is_picture = _is_picture(args)
    files = [args.file] if args.file else []
    if args.wave == "all":
        sessions = options.sessions_of_waves(args, files)
    else:
        sessions = [options.session_of(args, files)]
    waves = _waves(args, sessions, choice)
    written = list(_pictures(args, waves)) if is_picture else []
    if args.json:
        notes: list[Plain] = [*_notes(waves)]
        print_json({"schema": SCHEMA, "notes": notes, "waves": [_record(wave) for wave in waves]})
        return _status(waves)
    for line in written:
        print(line)
    for wave in waves if args.grid or not written else ():
        print(one_line(wave.title))
        colours = has_colours(args.color)
        for line in _grids(wave, colours) if args.grid else _table(wave, args.compact):
            print(line)
    print_notes(_notes(waves))
    return _status(waves)


def _waves(
    args: argparse.Namespace, sessions: Sequence[Session], choice: str | None
) -> list[_Wave]:
    for session in sessions:
        if not session.architecture.is_simt:
            name = session.architecture.name
            has_waves = isinstance(session.target, Modelled) and session.target.model is not None
            advice = "; --wave N chooses a wave of a GPU" if has_waves else ""
            raise UsageError(f"a thread of {name} has no lanes{advice}")
    states = [tuple(chosen_states(session, choice)) for session in sessions]
    questions = [
        Question(
            session,
            lane_states,
            _subject(session, lane_states, name, is_alone=len(args.names) == 1),
        )
        for session, lane_states in zip(sessions, states, strict=True)
        for name in args.names
    ]
    answered = lane_answers(questions)
    errors = [refused(*pair) for pair in zip(questions, answered, strict=True)]
    if errors and errors[0] is not None and None not in errors:
        raise errors[0]  # otherwise each lane's answer reports it
    answers_left = iter(answered)
    return [
        _Wave(session, lane_states, tuple((name, tuple(next(answers_left))) for name in args.names))
        for session, lane_states in zip(sessions, states, strict=True)
    ]


def _subject(
    session: Session, states: Sequence[LaneState], name: str, *, is_alone: bool
) -> Subject:
    """Return the subject of a name at the wave's location; at a lane's it may denote another one.

    Among several names, an unknown one becomes an error answer later.
    """
    try:
        return subject(session, name)
    except UsageError:
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


def _notes(waves: Sequence[_Wave]) -> list[str]:
    notes: dict[str, None] = {}
    for wave in waves:
        _, unknown = wave.session.active_lanes()
        notes |= dict.fromkeys([*wave.session.notes, *([unknown] if unknown else [])])
        for state in wave.states:
            if state.location is not None and state.location.note is not None:
                notes[state.location.note] = None
        unlocated = next((state.error for state in wave.states if state.error is not None), None)
        notes |= {} if unlocated is None else {f"{unlocated}": None}
        if len(wave.states) == 1:
            position = lane_position(wave.session.focused(wave.states[0].lane))
            notes |= {} if position is None else {position: None}
        for name, answers in wave.answers:
            used = [answer for answer in answers if wave.letter(answer.state) == "A"]
            wrong = [lane_answer.answer.error for lane_answer in used]
            notes |= {f"{name}: {error}": None for error in wrong if isinstance(error, UsageError)}
            notes |= dict.fromkeys(lane_notes(used))
            notes |= dict.fromkeys(_hint(wave, name, used, notes))
    return list(notes)


def _hint(
    wave: _Wave, name: str, used: Sequence[LaneAnswer], notes: Iterable[str]
) -> Iterator[str]:
    """Return the location of the kernel's arguments, once, if one of them has no value."""
    failed = next((lane_answer for lane_answer in used if lane_answer.answer.status), None)
    if failed is None or has_hint(notes):
        return
    session = wave.session.focused(failed.lane)
    advice = kernarg_hint(session, _subject(session, (), name, is_alone=False))
    if advice is not None:
        yield advice


def _status(waves: Sequence[_Wave]) -> int:
    """Return 1 if an active lane has no value, or an incomplete one."""
    rows = (
        answer.answer.status
        for wave in waves
        for _, answers in wave.answers
        for answer in answers
        if wave.letter(answer.state) in "A?"
    )
    return max(rows, default=0)


def _table(wave: _Wave, is_compact: bool) -> Iterator[str]:
    """Lane, state, where it is, its line, and the values."""
    rows = [["Lane", "State", "PC", "Line", *(name for name, _ in wave.answers)]]
    for index, state in enumerate(wave.states):
        letter, pc = wave.letter(state), wave.pc(state)
        place = wave.place(state) if pc is not None else None
        where = "-" if pc is None else f"{pc:#x}"
        outer = wave.outer(state)
        if outer is not None:
            where, place = f"#{outer.number} {outer.pc:#x}", outer.place
        elif state.is_absent:
            where, place = "not in frame", None
        elif state.error is not None:
            where = "?"
        if letter == "U":
            rows.append([str(state.lane), letter, "-", "-", *("" for _ in wave.answers)])
            continue
        values = [_value(answers[index], letter) for _, answers in wave.answers]
        if state.is_absent:
            values = ["-" if text == ABSENT else text for text in values]
        rows.append([str(state.lane), letter, where, place or "-", *values])
    if is_compact:
        rows = [*rows[:1], *joined(rows[1:])]
    first = len(rows[0]) - len(wave.answers)
    rows = [*rows[:1], *([*row[:first], *map(_cut, row[first:])] for row in rows[1:])]
    yield from map(one_line, table_lines(rows))
    for name, answers in wave.answers:
        without = [lane_answer for lane_answer in answers if _is_missing(lane_answer)]
        reasons = reason_lines(
            [row_of(lane_answer, wave.letter(lane_answer.state), None) for lane_answer in without]
        )
        yield from (one_line(f"{name}: {reason}") for reason in reasons)


def _value(answer: LaneAnswer, letter: str) -> str:
    """A value, or in one word that there is none: why is below the table."""
    return row_of(answer, letter, None).word if _is_missing(answer) else answer.text


def _is_missing(answer: LaneAnswer) -> bool:
    """Return whether a lane of the frame has no value, for a reason that no note explains."""
    error = answer.answer.error
    if error is None or answer.state.is_absent:
        return False
    return not isinstance(error, UsageError)


def _cut(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"


def _cells(wave: _Wave, answers: Sequence[LaneAnswer]) -> dict[int, Cell]:
    return {answer.lane: cell_of(answer, wave.letter(answer.state)) for answer in answers}


def _grids(wave: _Wave, colours: bool) -> Iterator[str]:
    for name, answers in wave.answers:
        rows = [
            row_of(answer, wave.letter(answer.state), wave.place(answer.state))
            for answer in answers
        ]
        yield from grid(name, rows, len(all_lanes(wave.session)), wave.used, colours=colours)


def _pictures(args: argparse.Namespace, waves: Sequence[_Wave]) -> Iterator[str]:
    """Write the pictures of `--png` and `--svg`; yield a line for each."""
    [name] = args.names
    lanes = len(all_lanes(waves[0].session))
    shown = []
    for wave in waves:
        cells = _cells(wave, wave.answers[0][1])
        shown.append((wave.session, [cells.get(lane, UNUSED) for lane in range(lanes)]))
    for form in ("png", "svg"):
        path = getattr(args, form)
        if path is not None:
            yield write_picture(name, shown, path, form)


def _outer_record(outer: Outer | None) -> JsonObject | None:
    if outer is None:
        return None
    return {"frame": outer.number, "pc": outer.pc, "place": outer.place}


def _record(wave: _Wave) -> JsonObject:
    session = wave.session
    lanes: list[Plain] = []
    for index, state in enumerate(wave.states):
        values: list[Plain] = [
            {"name": name, **answers[index].answer.record} for name, answers in wave.answers
        ]
        lanes.append(
            {
                "lane": state.lane,
                "state": wave.letter(state),
                "target_id": target_id(session.focused(state.lane)),
                "pc": wave.pc(state),
                "place": None if wave.pc(state) is None else wave.place(state),
                "is_in_frame": not state.is_absent,
                "outer": _outer_record(wave.outer(state)),
                "values": values,
            }
        )
    return {"wave": session.wave, "title": wave.title, "pc": session.pc, "lanes": lanes}
