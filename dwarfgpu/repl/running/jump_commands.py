"""`jump`: continue at another location."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import code_object_at, code_objects_at
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.machine.run_control import Halt
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.break_locations import located
from dwarfgpu.repl.running.runner import addresses, require_started, resuming
from dwarfgpu.repl.running.stepping import resumed
from dwarfgpu.repl.running.stops import Stop, reported, stop_of
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import readable_functions_at


@command("jump", topic="running", aliases=("j",), complete=completion.LINESPECS, repeats=False)
def jump(shell: Shell, argument: str) -> Iterator[Part]:
    """Continue the wave in focus at another location.

    Usage: jump LINE | FILE:LINE | FUNCTION | *ADDRESS

    Registers and active lanes do not change. A terminal is asked before it leaves the function.
    """
    require_started(shell)
    if not argument:
        raise UsageError("Argument required (starting address).")
    session, target = shell.session.top or shell.session, shell.session.target
    locations = located(shell, argument)
    if len(locations) > 1:  # a wave does not execute the code of another processor
        here = list(code_objects_at(session.code_objects, session.pc or 0))
        locations = tuple(
            location for location in locations if any(item.covers(location.pc) for item in here)
        )
    counter = session.architecture.program_counter
    if len(locations) != 1 or target is None or counter is None:
        raise UsageError("Unreasonable jump request")
    [location] = locations
    # The wave is in the call of an inlined function, or before it where such a frame is in focus.
    inline_level = 0 if shell.session.level else shell.session.inline_level
    function = _function_left(session, inline_level, location.pc)
    line = 0 if location.position is None else location.position.line
    if function and not shell.confirms(f"Line {line} is not in `{function}'.  Jump anyway?"):
        raise UsageError("Not confirmed.")
    register = session.architecture.register(counter)
    data = location.pc.to_bytes(register.size_bits // 8, session.architecture.endian)
    yield Output(f"Continuing at {location.pc:#x}.", {"address": f"{location.pc:#x}"})
    with resuming(shell, is_step=False):  # a state that cannot run raises its error here, unmoved
        target.write_register(session.wave, register, data)
        session.forget_frames()
        stop: Stop | None = None
        if location.pc in addresses(shell):
            stop = stop_of(shell, Halt("breakpoint-hit", session.wave))
        stop = stop or resumed(shell)
    yield from reported(shell, stop)


def _function_left(session: Session, inline_level: int, pc: int) -> str:
    """Return the name of the function, which may be inlined, if a program location is not in it;
    empty where it is, and where no function is known."""
    own = readable_functions_at(session)[inline_level:]
    if not own or own[0] in _functions_at(session, pc):
        return ""
    return full_function_name(own[0]) or ""


def _functions_at(session: Session, pc: int) -> list[Die]:
    code_object = code_object_at(session.code_objects, pc)
    try:
        return [] if code_object is None else [*code_object.scopes.function_entries_at(pc)]
    except DwarfGpuError:
        return []
