"""The call frames of a lane up to a limit, and the reason why the backtrace ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.service.frame.frame_answer import frame_record, frame_text
from dwarfgpu.session.focused_lane import UNUSED
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.lane_position import unlocated

if TYPE_CHECKING:
    from dwarfgpu.cfi.call_stack import End

_STYLE = FrameStyle(is_past_main=True)
"""`bt` lists the callers of main too."""


@frozen(eq=False)
class Backtrace:
    """The frames in which the lane was active on entry, the innermost first."""

    session: Session
    frames: tuple[StackFrame, ...]
    omitted: int
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
            yield frame_text(frame, self._record_of(frame), _STYLE)

    def _record_of(self, frame: StackFrame) -> JsonObject:
        return frame_record(frame, with_arguments=self.with_arguments, style=_STYLE)

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions behind the frames."""
        heuristic = [str(frame.number) for frame in self.frames if frame.is_heuristic]
        notes = [f"found by the calling convention only: frame {number}" for number in heuristic]
        if self.session.call_stack is not None and self.frames:
            level = self.frames[-1].session.level
            notes += self.session.call_stack.notes_to(level)
            notes += self.session.call_stack.assumed_to(level)
        if self.with_arguments and self.session.vgpr_holds is not None:
            from dwarfgpu.service.frame.argument_notes import argument_notes  # few assume it

            notes += argument_notes(self.frames, _STYLE)
        for code_object in self.session.code_objects:
            notes += code_object.info.call_frames.notes
        notes += self.session.unread_notes()
        if not all(frame.is_readable for frame in self.frames):
            from dwarfgpu.session.unreadable_frames import unreadable_notes  # most are readable

            notes += unreadable_notes(self.frames)
        notes += filter(None, [unlocated(self.session)])
        if self.end is not None and self.end.note is not None:
            notes.append(f"{self.end.reason}; {self.end.note}")
        return tuple(dict.fromkeys(notes))

    @property
    def record(self) -> JsonObject:
        """One element of `threads` in `bt --json`."""
        frames: list[Plain] = [self._record_of(frame) for frame in self.frames]
        end: JsonObject | None = None
        if self.end is not None:
            end = {"is_outermost": self.end.is_outermost, "reason": self.end.reason}
        return {
            "lane": self.session.lane,
            "omitted": self.omitted,
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
        raise UsageError(
            "No stack: no program location is known; give --state, --core, --pc or --demo"
        )
    frames: list[StackFrame] = []
    omitted = 0
    for frame in stack_frames(session):
        if len(frames) == limit:
            return Backtrace(session, tuple(frames), omitted, None, with_arguments)
        if frame.has_lane:
            frames.append(frame)
        else:
            omitted += 1
    return Backtrace(session, tuple(frames), omitted, stack.end, with_arguments)


def omitted_note(session: Session, count: int) -> str:
    """Return `lane 3 was not active on entry to 2 frames, omitted`."""
    text = "1 frame" if count == 1 else f"{count} frames"
    why = UNUSED if session.is_unused else f"was not active on entry to {text}, omitted"
    return f"lane {session.lane} {why}"
