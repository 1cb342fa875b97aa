"""Where breakpoints are: locations as they are typed, and the conditions that fit there."""

from __future__ import annotations

from collections.abc import Collection

from dwarfgpu.repl.files.list_commands import place_of_lines, place_or_none
from dwarfgpu.repl.open_files import wave_names
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.code.break_addresses import BreakAddress, break_addresses, function_at
from dwarfgpu.service.frame.focus import frame_pc
from dwarfgpu.service.value import condition
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import place_of


def located(shell: Shell, text: str) -> tuple[BreakAddress, ...]:
    """Return the locations that a text denotes; without text, that of the frame in focus."""
    session = in_code_that_runs(shell)
    if not text:
        pc = frame_pc(session)
        return (BreakAddress(pc, function_at(session, pc), place_of(session, pc)),)
    listed, frame = shell.listed, place_or_none(shell.session)
    around = None
    if listed is not None and listed.first and listed.frame == frame:  # since the frame was shown
        around = listed.position
    elif session.pc is not None:
        around = place_of(session, frame_pc(session))
    options = options_of(session, shell.values)
    return break_addresses(session, text, around or place_of_lines(shell), options)


def in_code_that_runs(shell: Shell) -> Session:
    """Return a session in the code of the waves: if a CPU thread is in focus, that of the first
    wave."""
    session, waves = shell.session, wave_names(shell.session)
    if session.architecture.is_simt or not shell.is_of_core or not waves:
        return session
    return session.of_wave(next(iter(waves)), None)


def require_valid_condition(shell: Shell, addresses: Collection[int], text: str) -> None:
    """Raise `UsageError` for a condition that is invalid at all addresses; no condition is
    valid."""
    if text:
        session = in_code_that_runs(shell) if addresses else shell.session
        condition.require_valid_condition(session, addresses, text, shell.values)
