"""`finish`: run until the function in focus returns, and show what it returned."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.conditions import is_active
from dwarfgpu.repl.running.runner import leave, require_started, resuming
from dwarfgpu.repl.running.stepping import note_uncertain_return, out_of_inlined, until_return
from dwarfgpu.repl.running.stops import Stop, reported
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import note_unknown_caller
from dwarfgpu.service.frame.argument_words import focused_frame_line
from dwarfgpu.session.frame_identity import return_point_of
from dwarfgpu.session.stack_frames import before_inlined, readable_functions_at, selected_number
from dwarfgpu.view.frame_style import frame_number
from dwarfgpu.view.json_object import JsonObject


@command("finish", topic="running", aliases=("fin",))
def finish(shell: Shell, argument: str) -> Iterator[Part]:
    """Continue until the function of the frame in focus returns.

    Usage: finish

    Shows the value that it returned in the lane in focus, according to the calling convention.
    """
    require_started(shell)
    session = shell.session
    functions = len(readable_functions_at(session))
    is_inlined = not session.level and session.inline_level < functions - 1
    point = None if is_inlined else return_point_of(session)
    if point is None and not is_inlined:
        note_unknown_caller(shell)
        raise UsageError('"finish" not meaningful in the outermost frame.')
    described = focused_frame_line(session, shell.settings.frame_style())
    yield heading(f"Run till exit from {frame_number(selected_number(session))}{described}")
    if point is not None:
        note_uncertain_return(shell, point)
    leave(shell)
    with resuming(shell, is_step=True):
        if point is None:
            stop = out_of_inlined(shell)
            yield from reported(shell, stop)
            return
        function = session.frame.subprogram
        lane = session.lane
        stop = until_return(shell, point)
    result, is_hit = None, stop.halt.reason in ("watchpoint-scope", "breakpoint-hit")
    is_own = is_hit and stop.halt.wave == session.wave
    has_returned = is_own and point.is_reached(shell.session)
    if function is not None and (stop.is_step or has_returned):
        if lane is not None and shell.session.lane != lane:
            shell.session = shell.session.focused(lane)
        result = _returned(shell, function) if is_active(shell, shell.session.lane) else None
        if not is_hit:
            stop = Stop(evolve(stop.halt, reason="function-finished"))
            shell.session = before_inlined(shell.session)
    yield from reported(shell, stop, result=result)


def _returned(shell: Shell, function: Subprogram) -> Output | None:
    """Return what a function returned to the lane in focus, with GDB's wording."""
    # Only here: few commands let a function return.
    from dwarfgpu.service.value.returned_value import NotReturned, result_type, returned_value

    kind = result_type(function)
    if kind is None:
        return None
    value = returned_value(shell.session, function, kind)
    if isinstance(value, NotReturned):
        shell.console.note(f"the value that {function.name} returned: {value.reason}")
        cplusplus, style = function.unit.is_cplusplus, function.unit.style
        name = type_name(kind, cplusplus=cplusplus, style=style)
        text = f"Value returned has type: {name}. Cannot determine contents"
        return Output(text, {"return-type": name})
    number = shell.values.keep(value)
    text = language.format(value, shell.session, shell.settings.print_options())
    data: JsonObject = {"gdb-result-var": f"${number}", "return-value": text}
    return Output(f"Value returned is ${number} = {text}", data)
