"""The command `info frame`, whose answer is of `service/frame/frame_info.py`."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.shown_source import note_unreadable_line
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_spec import frame_number
from dwarfgpu.repl.stack.past_main import frames_of
from dwarfgpu.service.frame import frame_info as service
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, selected


@command("info frame", topic="stack", aliases=("f",))
def info_frame(shell: Shell, argument: str) -> Iterator[Part]:
    """Describe the frame in focus.

    Usage: info frame [NUMBER | level NUMBER | function NAME | address ADDRESS]

    Shows its canonical frame address, program location and lanes. If the debugging information has
    them, also shows the concurrent iterations, the frame base, the return address, the static link
    and the call at this location.
    """
    session = shell.session
    if argument and session.pc is None:
        raise UsageError("No stack.")
    if argument:
        session = selected(session, frame_number(shell, argument))

    def frames_from(looking: Session, number: int) -> Iterator[StackFrame]:
        return frames_of(shell, looking, start=number)

    style = shell.settings.frame_style()
    yield from service.frame_info(session, style, frames_from, is_selected=not argument)
    note_unreadable_line(shell, session)
