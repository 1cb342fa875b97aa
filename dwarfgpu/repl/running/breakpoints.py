"""Breakpoints at the prompt, for a backend that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dwarfgpu.errors import UsageError
from dwarfgpu.machine.image import ImageTarget
from dwarfgpu.machine.target import Runs
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.displays import disable_display, enable_display, undisplay
from dwarfgpu.repl.data.pretty_printers import disable_pretty_printer, enable_pretty_printer
from dwarfgpu.repl.numbers import is_numbers, listed
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.code.break_addresses import break_addresses
from dwarfgpu.service.frame.focus import frame_pc, symbol_at
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.session.backtrace import FramePosition, place_of
from dwarfgpu.view.json_object import JsonObject

_CONDITION = re.compile(r"(?P<place>(?:.*\s)?)if\b\s*(?P<text>\S.*)")
NOT_RUNNING = "Cannot run: the target is a state or core file."


def runner(shell: Shell) -> Runs:
    """Return the target's run control; `UsageError` in one line if it has none."""
    target = shell.session.target
    for candidate in (target, target.machine if isinstance(target, ImageTarget) else None):
        if isinstance(candidate, Runs):
            return candidate
    raise UsageError(NOT_RUNNING)


def can_run(shell: Shell) -> bool:
    """Whether the target has run control."""
    try:
        runner(shell)
    except UsageError:
        return False
    return True


def located(shell: Shell, text: str) -> tuple[tuple[int, ...], FramePosition | None]:
    """The addresses that a place means; without one, where the frame in focus is."""
    session = shell.session
    if not text:
        pc = frame_pc(session)
        return (pc,), place_of(session, pc)
    around = None if session.pc is None else place_of(session, frame_pc(session))
    return break_addresses(session, text, around, options_of(session, shell.values))


def _set(shell: Shell, argument: str, *, is_temporary: bool) -> Iterator[Part]:
    runner(shell)
    condition = _CONDITION.fullmatch(argument)
    if condition is not None:
        argument = condition["place"].strip()
    addresses, place = located(shell, argument)
    number = shell.breakpoints.new_number()
    symbol = symbol_at(shell.session, addresses[0]) or "??"
    function = re.sub(r"[+-][0-9]+$", "", symbol)
    added = Breakpoint(
        number,
        addresses,
        function,
        place,
        argument,
        is_temporary,
        condition["text"] if condition else "",
    )
    shell.breakpoints[number] = added
    kind = "Temporary breakpoint" if is_temporary else "Breakpoint"
    where = "" if place is None else f": file {place.file}, line {place.line}"
    at = f"{addresses[0]:#x}{where}."
    if len(addresses) > 1:
        at = f"{addresses[0]:#x}: {argument}. ({len(addresses)} locations)"
    data: JsonObject = {**added.record, "addr": f"{addresses[0]:#x}"}
    yield Output(f"{kind} {number} at {at}", {"bkpt": data})


@command(
    "break", topic="running", aliases=("b", "br", "brea"), complete=completion.places, repeats=False
)
def break_(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint.

    Usage: break [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]

    Without an argument, at the location of the frame in focus; for a function, after its prologue.
    With a condition, a wave stops if it holds in one of its active lanes; that lane is in focus.
    """
    yield from _set(shell, argument, is_temporary=False)


@command("tbreak", topic="running", aliases=("tb",), complete=completion.places, repeats=False)
def tbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint that is deleted when it is hit.

    Usage: tbreak [LINE | FILE:LINE | FUNCTION | *ADDRESS]
    """
    yield from _set(shell, argument, is_temporary=True)


@command("delete display", topic="data", repeats=False)
def delete_display(shell: Shell, argument: str) -> Iterator[Part]:
    """No longer show expressions, as "undisplay".

    Usage: delete display [NUMBER | NUMBER-NUMBER]...
    """
    yield from undisplay.run(shell, argument)


@command(
    "delete",
    topic="running",
    aliases=("d",),
    subcommands=(delete_display,),
    repeats=False,
    takes_other=True,
)
def delete(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete breakpoints.

    Usage: delete [NUMBER...]

    Without an argument, all of them.
    """
    runner(shell)
    words = argument.split()
    if not words:
        if shell.breakpoints and shell.confirms("Delete all breakpoints?"):
            shell.breakpoints.clear()
        return
    if not all(map(is_numbers, words)):
        raise UsageError(f"Bad breakpoint number '{words[0]}'")
    for word in words:
        if word.isdecimal() and int(word) not in shell.breakpoints:
            raise UsageError(f"No breakpoint number {word}.")
    for number in listed(words, shell.breakpoints, "breakpoint"):
        del shell.breakpoints[number]
    yield from ()


@command(
    "enable",
    topic="running",
    aliases=("en",),
    subcommands=(enable_display, enable_pretty_printer),
    repeats=False,
    takes_other=True,
)
def enable(shell: Shell, argument: str) -> Iterator[Part]:
    """Show expressions of "display" again.

    Usage: enable display [NUMBER | NUMBER-NUMBER]...
           enable pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    Breakpoints are always enabled.
    """
    runner(shell)
    raise UsageError("Breakpoints are always enabled here.")


@command(
    "disable",
    topic="running",
    aliases=("dis", "disa"),
    subcommands=(disable_display, disable_pretty_printer),
    repeats=False,
    takes_other=True,
)
def disable(shell: Shell, argument: str) -> Iterator[Part]:
    """Keep expressions of "display" without showing them.

    Usage: disable display [NUMBER | NUMBER-NUMBER]...
           disable pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    Breakpoints cannot be disabled.
    """
    runner(shell)
    raise UsageError("Breakpoints cannot be disabled here: delete them.")


@command("info watchpoints", topic="running")
def info_watchpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """List watchpoints: they are not supported, so there are none.

    Usage: info watchpoints
    """
    yield Output("No watchpoints.", {"watchpoints": []})


@command("info breakpoints", topic="running", aliases=("b", "br"))
def info_breakpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """List breakpoints.

    Usage: info breakpoints
    """
    if not shell.breakpoints:
        none = "No breakpoints or watchpoints."
        yield Output(none, {"breakpoints": []})
        return
    yield heading("Num     Type           Disp Enb Address            What")
    for stop in shell.breakpoints.values():
        disposition = "del " if stop.is_temporary else "keep"
        for address in stop.addresses:
            text = (
                f"{stop.number:<7} breakpoint     {disposition} y   {address:#018x} in {stop.where}"
            )
            yield Output(text, {**stop.record, "addr": f"{address:#x}"}, "breakpoints")
        if stop.condition:
            yield heading(f"\tstop only if {stop.condition}")
