"""Where breakpoints are: locations as they are typed, and the conditions that fit there."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.language.explicit_location import ExplicitLocation, explicit_location
from dwarfgpu.repl.files.list_commands import default_or_frame, listed_locations, position_of_lines
from dwarfgpu.repl.files.typed_linespecs import as_resolved
from dwarfgpu.repl.open_files import wave_names
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.code.break_addresses import BreakAddress, break_addresses
from dwarfgpu.service.frame.focus import frame_pc
from dwarfgpu.service.value import condition
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.session.focused_frame import FocusedFrame, FramePosition
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import frame_position, position_at_address

_MAX_KEPT: Final = 1_000
_KNOWN: Final[WeakKeyDictionary[FocusedFrame, dict[str, tuple[BreakAddress, ...]]]] = (
    WeakKeyDictionary()
)
"""The locations of functions, by the frame in focus: they follow from files alone."""


def located(shell: Shell, text: str) -> tuple[BreakAddress, ...]:
    """Return the locations that a text denotes; without text, that of the frame in focus."""
    session = in_code_that_runs(shell)
    kept = _KNOWN.get(session.focused_frame, {}).get(text)
    if kept is not None:
        return kept
    if explicit_location(text) == ExplicitLocation(is_qualified=True):
        text = ""
    if not text and session.pc is None:
        raise UsageError("No default breakpoint address now.")
    if not text:
        pc = frame_pc(session)
        # As in GDB, the line is that of the address, also where the frame is at the call before it.
        return (BreakAddress(pc, None, position_at_address(session, pc)),)
    text = as_resolved(shell, text)
    options = options_of(session, shell.values)
    addresses = break_addresses(session, text, _around(shell, session, text), options)
    if text.isidentifier():
        known = _KNOWN.setdefault(session.focused_frame, {})
        if len(known) >= _MAX_KEPT:
            known.clear()
        known[text] = addresses
    return addresses


def lines_located(shell: Shell, text: str) -> tuple[FramePosition, ...]:
    """Return the line that a text names, in each of its files, whether it has code or not; empty
    for functions and addresses."""
    session = in_code_that_runs(shell)
    locations = listed_locations(shell, text, _around(shell, session, text))
    if any(location.kind == "function" for location in locations):
        return ()  # also where a variable has the name
    return tuple(
        location.position
        for location in locations
        if location.kind in ("line", "symbol") and location.position is not None
    )


def _around(shell: Shell, session: Session, text: str) -> FramePosition | None:
    """Return the line that determines the file of a line without a file, and what an offset
    counts from; None for a name, which needs neither: that line may be the one of `main`, which
    is looked for among all functions."""
    if text.replace("::", "").isidentifier():
        return None
    is_offset = text.startswith(("+", "-")) and explicit_location(text) is None
    listed, frame = shell.listed, default_or_frame(shell)
    around = None
    is_after_frame = listed is not None and listed.first and listed.frame == frame
    if listed is not None and is_after_frame and not is_offset:
        around = evolve(listed.position, line=listed.next)
    elif session is shell.session and not is_offset:
        around = frame
    elif session.pc is not None:
        around = frame_position(session, frame_pc(session))
    return around or position_of_lines(shell, text)


def in_code_that_runs(shell: Shell) -> Session:
    """Return a session in the code of the waves: if a CPU thread is in focus, that of the first
    wave."""
    session, waves = shell.session, wave_names(shell.session)
    if session.architecture.is_simt or not shell.is_of_core or not waves:
        return session
    return session.of_wave(next(iter(waves)), None)


def condition_errors(
    shell: Shell, addresses: tuple[int, ...], text: str, *, is_forced: bool
) -> list[UsageError | None]:
    """Return why a condition is invalid at each address: an unknown name, a mistake of syntax or
    of types.

    `UsageError` for a condition that is invalid at all of them, unless it is forced, and for one
    of a watchpoint, which has no address.
    """
    if not text:
        return [None] * len(addresses)
    session = in_code_that_runs(shell) if addresses else shell.session
    wanted: tuple[int | None, ...] = addresses or (None,)
    errors = [condition.error_of(session, pc, text, shell.values) for pc in wanted]
    if errors[0] is not None and None not in errors and not (is_forced and addresses):
        raise errors[0]
    return errors


def warn_of_condition(shell: Shell, location: str, error: UsageError) -> None:
    """Warn that a condition is invalid at a location, which is written as in GDB."""
    shell.console.warn(
        f"failed to validate condition at location {location}, disabling:", f"  {error.message}"
    )
