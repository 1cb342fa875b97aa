"""Why functions and lines of call frames cannot be read, for the notes below an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import (
    StackFrame,
    readable_position,
    selected_number,
)

Unreadable: TypeAlias = tuple[str, str, DwarfGpuError]
"""What cannot be read, a function or a line, its frame or program location, and the reason."""


def _of_frame(frame: StackFrame, name: str) -> Iterator[Unreadable]:
    for kind, problem in (("function", frame.problem), ("line", frame.line_problem)):
        if problem is not None:
            yield kind, name, problem


def _notes(problems: Iterable[Unreadable]) -> Iterator[str]:
    """Yield each reason once, with the first frame or program location that it is of."""
    named: dict[tuple[str, str], list[str]] = {}
    for kind, name, problem in problems:
        named.setdefault((kind, str(problem)), []).append(name)
    reasons: set[str] = set()
    for (kind, reason), names in named.items():
        if reason not in reasons:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            yield f"the {kind} of {names[0]}{more} cannot be read: {reason}"
        reasons.add(reason)


def unreadable_notes(frames: Iterable[StackFrame]) -> Iterator[str]:
    """Yield why the functions or the lines of frames of a stack cannot be read, each reason
    once."""
    yield from _notes(
        problem for frame in frames for problem in _of_frame(frame, f"frame {frame.number}")
    )


def unreadable_line_note(session: Session, frame_pc: int) -> str | None:
    """Return why the line of the frame in focus, which continues at a program location, cannot be
    read, in the same words; None where it can, and where there is none."""
    problem = readable_position(session, frame_pc)
    if not isinstance(problem, DwarfGpuError):
        return None
    return next(_notes([("line", f"frame {selected_number(session)}", problem)]))


class UnreadableFrames:
    """What cannot be read of the frames of a table, by program location: lanes, and waves, at the
    same one share it."""

    def __init__(self) -> None:
        self._problems: dict[tuple[str, str], DwarfGpuError] = {}

    def add(self, frame: StackFrame) -> None:
        """Add what cannot be read of a frame."""
        for kind, name, problem in _of_frame(frame, f"{frame.pc:#x}"):
            self._problems[kind, name] = problem

    def position(self, session: Session, frame_pc: int) -> FramePosition | None:
        """Return the source position of the frame in focus, as `frame_position`; add why it cannot
        be read."""
        position = readable_position(session, frame_pc)
        if isinstance(position, DwarfGpuError):
            self._problems["line", f"{frame_pc:#x}"] = position
            return None
        return position

    def notes(self) -> Iterator[str]:
        """Yield what cannot be read, each reason once."""
        yield from _notes((kind, name, error) for (kind, name), error in self._problems.items())
