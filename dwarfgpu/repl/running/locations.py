"""Where breakpoints are: locations as they are typed, and the conditions that fit there."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from dwarfgpu import language
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.repl.files.listing import place_of_lines
from dwarfgpu.repl.open_files import wave_names
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.code.break_addresses import break_addresses
from dwarfgpu.service.frame.focus import frame_pc
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import FramePosition, place_of


def located(shell: Shell, text: str) -> tuple[tuple[int, ...], FramePosition | None]:
    """The addresses that a place means; without one, where the frame in focus is."""
    session = in_code_that_runs(shell)
    if not text:
        pc = frame_pc(session)
        return (pc,), place_of(session, pc)
    around = None if session.pc is None else place_of(session, frame_pc(session))
    options = options_of(session, shell.values)
    return break_addresses(session, text, around or place_of_lines(shell), options)


def in_code_that_runs(shell: Shell) -> Session:
    """The session; beside waves that run, a thread of a CPU stands still, and the first wave is
    what sees their code."""
    session, waves = shell.session, wave_names(shell.session)
    if session.architecture.is_simt or not shell.is_of_core or not waves:
        return session
    return session.of_wave(next(iter(waves)), None)


def at_address(session: Session, address: int) -> Session:
    """What code at an address sees by names and types alone."""
    top = session.top or session
    return evolve(top, pc=address, top=None, level=0, inline_level=0)


def require_valid_condition(shell: Shell, addresses: Iterable[int], text: str) -> None:
    """`UsageError` for a condition that means nothing at any of some addresses: an unknown name,
    a mistake of syntax or of types."""
    errors: list[UsageError] = []
    session = in_code_that_runs(shell)
    sessions = [at_address(session, address) for address in addresses] or [shell.session]
    for session in sessions if text else ():
        try:
            language.type_of(text, session, options_of(session, shell.values))
        except UsageError as error:
            errors.append(error)
        except DwarfGpuError:
            pass  # it depends on the machine: it is evaluated when the location is reached
    if errors and len(errors) == len(sessions):
        raise errors[0]
