"""The text of source lines, where it is known, and what is said in its place, as by GDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.repl.output import Output, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import frame_pc, wave_pc
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import frame_position

if TYPE_CHECKING:
    from dwarfgpu.base.text_lines import TextLines


def text_of(shell: Shell, position: FramePosition) -> TextLines | None:
    """Return the lines; None if the text is missing. Reads regular files of limited size only."""
    text = position.source.source
    if text is None:
        path = shell.source_path.text_file(position)
        if path is None:
            return None
        lines = shell.source_path.lines_of(path)
    else:
        from dwarfgpu.base.text_lines import TextLines  # few commands show source text

        lines = TextLines.of_bytes(text.encode())
    shell.missing_source = None
    return lines


def source_line(shell: Shell, session: Session, *, is_alone: bool = False) -> Iterator[Output]:
    """Yield the line of the frame in focus, as GDB shows it below a frame; alone, without that,
    after the address if that is inside the line."""
    pc = frame_pc(session)
    position = frame_position(session, pc)
    if position is None:
        return
    shell.last_shown = position
    is_inside = is_alone and not position.is_start and shell.settings.frame_style().has_address
    before = f"{pc:#018x}\t" if is_inside else ""
    text = text_of(shell, position)
    if text is None:
        yield missing_line(shell, position, position.line, before)
    elif position.line <= len(text):
        yield numbered_line(position.line, text[position.line - 1], before)


def note_unreadable_line(shell: Shell, session: Session) -> None:
    """Say why the line of the frame in focus of a session cannot be read, if there is one that
    cannot."""
    from dwarfgpu.session.unreadable_frames import unreadable_line_note  # most frames have a line

    pc = wave_pc(session)
    note = None if pc is None else unreadable_line_note(session, pc)
    if note is not None:
        shell.console.note(note, once=True)


def missing_line(shell: Shell, position: FramePosition, line: int, before: str = "") -> Output:
    """Return the number of a line whose text is missing, and the reason the first time, as in
    GDB."""
    is_known = shell.missing_source == position.path
    shell.missing_source = position.path
    why = f"in {position.file}" if is_known else f"{position.file}: No such file or directory."
    return heading(f"{before}{line}\t{why}")


def numbered_line(number: int, text: str, before: str = "") -> Output:
    return Output(f"{before}{number}\t{text}", {"line": number, "text": text}, "source")


def line_count(shell: Shell, position: FramePosition) -> int | None:
    """Return the number of lines of the file; None if its text is missing."""
    text = text_of(shell, position)
    return None if text is None else len(text)


def text_path(shell: Shell, position: FramePosition) -> Path | None:
    """Return the file with the text; None if it is missing, or embedded in the debugging
    information."""
    path = None if position.source.source is not None else shell.source_path.text_file(position)
    return None if path is None else Path(absolute_path(path))
