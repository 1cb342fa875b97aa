"""The stops of `dwarfgpu run --break`, as text while the kernel runs, or as data afterwards."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.printable import shell_word
from dwarfgpu.cli.printing import refuse_each
from dwarfgpu.cli.run_stop_options import chosen_wave
from dwarfgpu.errors import UsageError, plural
from dwarfgpu.expr.dialect.dialect import vgpr_contents
from dwarfgpu.machine.target import WaveId
from dwarfgpu.options.integer_options import lane_number, natural
from dwarfgpu.service.answer import is_on_availability
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.frame.focus import target_id
from dwarfgpu.service.frame.frame_answer import innermost_frame
from dwarfgpu.service.lanes.lane_answer import LaneAnswer, lane_notes, lane_records
from dwarfgpu.service.lanes.lane_choice import CHOICES, is_choice, listed_lanes
from dwarfgpu.service.lanes.wave_lanes import WaveLanes
from dwarfgpu.service.run.run_breakpoints import (
    RunBreakpoint,
    RunStop,
    Stops,
    run_breakpoint,
    why_unprintable,
)
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.terminal.progress import Progress
from dwarfgpu.view.lane_grid import joined, table_lines
from dwarfgpu.view.number_runs import runs_text

_MAX_LISTED: Final = 3
"""Addresses that a note lists."""


class ShownStops:
    """Breakpoints, and what has been shown at them."""

    def __init__(
        self, stops: Stops, most: int | None, progress: Progress, *, is_json: bool
    ) -> None:
        """`most`: the stop at which the run ends; None: at none."""
        self._stops, self._most, self._is_json = stops, most, is_json
        self._progress = progress
        self.addresses = stops.addresses
        self.count = 0
        self.records: list[Json] = []
        self._assumptions: dict[str, None] = {}
        """Those behind the values that were printed, once each."""
        self._meaningful: set[str] = set()
        self._stop_addresses: set[int] = set()

    @property
    def has_meaningless(self) -> bool:
        """Whether an expression was wrong at every stop, in every lane: a misspelled name."""
        expressions = set(self._stops.expressions) if self.count else set[str]()
        return not expressions <= self._meaningful

    @property
    def notes(self) -> list[str]:
        """The lines that breakpoints are at instead of those without code, what the values assume,
        and what a run that was not ended by `--stops` says of breakpoints without a stop."""
        moved = [item.note for item in self._stops.breakpoints if item.note is not None]
        moved += {**self._assumptions, **self._stops.history.notes}
        if self.count == self._most:
            return moved
        return moved + [
            f"--break {item.text}: no wave stopped there{_more_code(item)}"
            for item in self._stops.breakpoints
            if not item.addresses & self._stop_addresses
        ]

    def visit(
        self, wave: WaveId, pc: int, session_of: Callable[[], Session]
    ) -> tuple[int, ...] | None:
        """Show the stop of a wave, if it is one; return its lanes if the run ends there, else
        None."""
        stop = self._stops.at(wave, pc, session_of)
        if stop is None:
            return None
        self.count += 1
        self._stop_addresses.add(pc)
        self._meaningful |= {
            text
            for text, answers in stop.answers
            if not answers or not all(map(_is_wrong, answers))
        }
        if stop.session.vgpr_holds is not None:
            # Few assume it.
            from dwarfgpu.service.frame.argument_notes import innermost_argument_notes

            self._assumptions.update(dict.fromkeys(innermost_argument_notes(stop.innermost)))
        self._progress.clear()
        if self._is_json:
            self.records.append(_record(stop))
        else:
            print(*map(one_line, _lines(stop)), sep="\n")
            for _, answers in stop.answers:
                notes = (note for note in lane_notes(answers) if not is_on_availability(note))
                self._assumptions.update(dict.fromkeys(notes))
        return stop.lanes if self.count == self._most else None


def breakpoints_of(
    args: Namespace,
    session: Session,
    around: FramePosition | None,
    waves: Sequence[WaveId],
    lane_count: int,
    progress: Progress,
) -> ShownStops:
    """Return the breakpoints of the options; `UsageError` for a location that does not exist.

    `around`: what a line alone is in the file of; `waves`: those of the run; `lane_count`: the most
    that one of them has.
    """
    vgpr_contents(args.quirk)  # raises for both
    lanes = args.lane
    if lanes is not None and not is_choice(lanes):
        lanes = str(lane_number(lanes))
    if lanes is not None and lanes not in CHOICES:
        listed_lanes(lanes, lane_count)
    wave = chosen_wave(args, waves)
    stop_breakpoints = [run_breakpoint(session, text, around) for text in args.breakpoints]
    unprintable = why_unprintable(session, args.expressions, stop_breakpoints)
    if unprintable:
        refuse_each(unprintable, is_json=args.json)
    stops = Stops(stop_breakpoints, args.expressions, lanes, wave)
    most = natural(args.stops, "--stops")
    if most == 0:
        raise UsageError("--stops 0: expected the number of a stop, from 1")
    return ShownStops(stops, 1 if most is None and args.save else most, progress, is_json=args.json)


def _lines(stop: RunStop) -> Iterator[str]:
    """Yield the wave, its frame, and a table of the expressions in its lanes."""
    session = stop.session
    frame, _ = innermost_frame(stop.innermost)
    who = target_id(session.focused(None))
    lanes = "no active lane"
    if stop.lanes:
        lanes = f"{plural(len(stop.lanes), 'lane')} {runs_text(stop.lanes)}"
    yield f"break {stop.breakpoint.text}: {who}, {lanes}"
    yield f"  {frame}"
    if stop.problem is not None:
        yield f"  {stop.problem}"
    yield from (f"  {line}" for line in _table(stop))


def _table(stop: RunStop) -> Iterator[str]:
    """Yield a column for each expression; neighbours with the same values share a row."""
    columns: list[tuple[str, tuple[LaneAnswer, ...]]] = []
    for text, answers in stop.answers:
        errors = {str(lane.answer.error) for lane in answers}
        if len(errors) == 1 and all(_is_wrong(lane) for lane in answers):
            yield f"{text}: {answers[0].answer.text}"  # it has a meaning in no lane
        else:
            columns.append((text, tuple(answers)))
    if not columns:
        return
    states = tuple(lane.state for lane in columns[0][1])
    wave = WaveLanes(stop.session, states, tuple(columns))
    is_mixed = any(state.is_active is not True for state in states)
    rows = [["Lane", *(["State"] if is_mixed else []), *(text for text, _ in columns)]]
    body = []
    for index, state in enumerate(states):
        values = [wave.text(answers[index]) for _, answers in columns]
        letters = [wave.letter(state)] if is_mixed else []
        body.append([str(state.lane), *letters, *values])
    yield from table_lines([*rows, *joined(body)])
    for text, answers in columns:
        yield from (f"{text}: {reason}" for reason in wave.reasons(answers))


def _is_wrong(lane: LaneAnswer) -> bool:
    return isinstance(lane.answer.error, UsageError)


def _record(stop: RunStop) -> Json:
    session = stop.session
    _, frame = innermost_frame(stop.innermost)
    problem: dict[str, Json] = {} if stop.problem is None else {"problem": stop.problem}
    return {
        "break": stop.breakpoint.text,
        "wave": session.wave,
        "target_id": target_id(session.focused(None)),
        "pc": session.pc,
        "lanes": list[Json](stop.lanes),
        **problem,
        "frame": frame,
        "values": [
            {"expression": text, "lanes": lane_records(answers)} for text, answers in stop.answers
        ],
    }


def _more_code(breakpoint: RunBreakpoint) -> str:
    """Return where else a line has code, which the compiler may have moved or copied; there its
    condition may hold."""
    addresses = breakpoint.more_addresses
    if not addresses:
        return ""
    listed = [f"{pc:#x}" for pc in addresses[:_MAX_LISTED]] + ["…"] * (len(addresses) > _MAX_LISTED)
    condition = "" if breakpoint.condition is None else f" if {breakpoint.condition}"
    option = f"--break {shell_word(f'*ADDRESS{condition}')}"
    return f"; the line also has code at {', '.join(listed)}, where {option} stops waves"
