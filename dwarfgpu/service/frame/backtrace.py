"""The call frames of a lane up to a limit, and the reason why the backtrace ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.service.frame.frame_answer import frame_record, frame_text
from dwarfgpu.session.session import UNUSED, Session
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.lane_position import unlocated

if TYPE_CHECKING:
    from dwarfgpu.cfi.call_stack import End


@frozen(eq=False)
class Backtrace:
    """The frames in which the lane was active on entry, the innermost first."""

    session: Session
    frames: tuple[StackFrame, ...]
    left_out: int
    """Frames of other lanes between those."""
    end: End | None
    """Why there are no more; None where the limit ends them."""
    with_arguments: bool

    @property
    def status(self) -> int:
        """1 where the frames end before the outermost one."""
        return 1 if self.end is not None and not self.end.is_outermost else 0

    def lines(self) -> Iterator[str]:
        """Yield a line for each frame."""
        for frame in self.frames:
            yield frame_text(frame, self._record_of(frame))

    def _record_of(self, frame: StackFrame) -> JsonObject:
        return frame_record(frame, with_arguments=self.with_arguments)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the frames rest on."""
        guessed = [str(frame.number) for frame in self.frames if frame.is_heuristic]
        notes = [f"found by the call convention only: frame {number}" for number in guessed]
        for code_object in self.session.code_objects:
            notes += code_object.info.call_frames.notes
        notes += filter(None, [unlocated(self.session)])
        if self.end is not None and self.end.note is not None:
            notes.append(f"{self.end.reason}; {self.end.note}")
        return tuple(dict.fromkeys(notes))

    @property
    def record(self) -> JsonObject:
        """A thread of `bt --json`."""
        frames: list[Plain] = [self._record_of(frame) for frame in self.frames]
        end: JsonObject | None = None
        if self.end is not None:
            end = {"is_outermost": self.end.is_outermost, "reason": self.end.reason}
        return {
            "lane": self.session.lane,
            "left_out": self.left_out,
            "notes": [*self.notes],
            "frames": frames,
            "end": end,
        }


def backtrace(session: Session, limit: int | None, *, with_arguments: bool) -> Backtrace:
    """Return up to `limit` frames of the lane in focus, all for None.

    `UsageError` where no program location is known.
    """
    stack = session.call_stack
    if stack is None:
        raise UsageError("No stack: no program location is known; give --state, --core or --pc")
    frames: list[StackFrame] = []
    left_out = 0
    for frame in stack_frames(session):
        if len(frames) == limit:
            return Backtrace(session, tuple(frames), left_out, None, with_arguments)
        if frame.has_lane:
            frames.append(frame)
        else:
            left_out += 1
    return Backtrace(session, tuple(frames), left_out, stack.end, with_arguments)


def left_out_note(session: Session, count: int) -> str:
    """Return `lane 3 was not active on entry to 2 frames, omitted`."""
    text = "1 frame" if count == 1 else f"{count} frames"
    why = UNUSED if session.is_unused else f"was not active on entry to {text}, omitted"
    return f"lane {session.lane} {why}"
