"""`info locals` and `info args`: the variables of the frame in focus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import ArgumentCompleter, Completions, command
from dwarfgpu.repl.files.posix_regexps import compiled, listing_options
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.answer import listed, machine_interface
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.frame.focus import contents, require_listable, shown_name, variables
from dwarfgpu.service.value.kernarg_hint import kernarg_hint
from dwarfgpu.service.value.listed_values import ListedValues
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.values import OPTIMIZED_OUT

_MARGIN = " " * 8


def _variables(shell: Shell, text: str) -> Completions:
    start = len(text) - len(text.split(" ")[-1])
    return start, completion.variables(shell, text[start:])


_LISTED: Final = completion.with_options(("-q", "-t"), ArgumentCompleter(_variables))


@command("info locals", topic="stack", complete=_LISTED)
def info_locals(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the local variables of the frame.

    Usage: info locals [-q] [-t TYPEREGEXP] [REGEXP]

    Their values are those of the lane in focus; variables of inner blocks come first. REGEXP
    selects matching names, TYPEREGEXP matching types. -q suppresses the message that there are
    none.
    """
    yield from _listed(shell, "local", argument, "locals")


@command("info args", topic="stack", complete=_LISTED)
def info_args(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the arguments of the frame.

    Usage: info args [-q] [-t TYPEREGEXP] [REGEXP]

    The values are those of the lane in focus. The arguments of the command are those of "info
    locals".
    """
    yield from _listed(shell, "parameter", argument, "arguments")


def _listed(shell: Shell, kind: str, argument: str, called: str) -> Iterator[Part]:
    session = shell.session
    letters, typed, argument = listing_options(argument, "qt")
    pattern = compiled(argument, ignores_case=shell.ignores_case)
    of_type = compiled(typed or "", ignores_case=shell.ignores_case)
    has_code = session.pc is None or session.code_object is not None
    if has_code and not argument:  # also for a type: those of all of them would be read
        require_listable(session, kind)
    is_named = pattern.search if argument else None
    shown_variables = [
        variable
        for variable in (variables(session, kind, is_named) if has_code else [])
        if not typed or of_type.search(variable.readable_type_text or "")
    ]
    if not shown_variables and "q" not in letters:
        text = f"No matching {called}." if argument or typed else f"No {called}."
        is_described = has_code and session.frame.subprogram is not None
        if not is_described and (kind != "local" or not _is_in_unit(session)):
            text = "No symbol table info available."
        yield Output(text, {"variables": []})
    notes: list[str] = []
    texts: dict[str, str] = {}
    incomplete: list[Variable] = []
    options = shell.settings.format_options()
    values = ListedValues(session.limits)
    for variable in values.shown(listed(session, "variable", shown_variables)):
        reading = session.read(variable)
        if not reading.is_complete:
            incomplete.append(variable)
        text = contents(session, reading, options)
        values.count(variable, text)
        texts[variable.name] = text
        yield Output(f"{shown_name(variable)} = {text}", _record(reading, text), "variables")
        notes += reading.notes
    for note in notes:
        shell.console.note(note, once=True)
    advice = next(filter(None, (kernarg_hint(session, variable) for variable in incomplete)), None)
    if advice is not None:
        shell.console.note(advice, once=True)
    missing = next(
        (name for name, text in texts.items() if OPTIMIZED_OUT in text),
        None,
    )
    if missing is not None:
        shell.console.hint(missing)
    if values.unlisted:
        raise values.end()


def locals_of(shell: Shell, frame: StackFrame, settings: Settings) -> Iterator[Part]:
    """Yield the local variables of a frame, as a backtrace has them."""
    if not frame.is_described and not _is_in_unit(frame.session):
        yield Output("No symbol table info available.", {"variables": []})
        return
    try:
        is_described = frame.is_described
        if is_described:
            require_listable(frame.session, "local")
        local_variables = variables(frame.session, "local") if is_described else []
        listed(frame.session, "variable", local_variables)
    except DwarfGpuError as error:  # the other frames follow
        text = f"<error reading variables ({error_line(error)})>"
        yield Output(_MARGIN + text, {"variables": []})
        return
    if not local_variables:
        yield Output("No locals.", {"variables": []})
    options = settings.listing_options()
    values = ListedValues(frame.session.limits)
    for variable in values.shown(local_variables):
        reading = frame.session.read(variable)
        text = contents(frame.session, reading, options)
        values.count(variable, text)
        shown = _MARGIN + f"{shown_name(variable)} = {text}".replace("\n", f"\n{_MARGIN}")
        yield Output(shown, _record(reading, text), "variables")
        for note in reading.notes:
            shell.console.note(note, once=True)
    if values.unlisted:
        text = f"<error reading variables ({error_line(values.end())})>"
        record = {"name": values.unlisted[0].name, **machine_interface(text, None, None)}
        yield Output(_MARGIN + text, record, "variables")


def _record(reading: Reading, text: str) -> JsonObject:
    """Return a variable with its contents, by the keys of GDB's machine interface."""
    variable = reading.variable
    value = machine_interface(text, variable.readable_type_text, reading.location)
    return {"name": shown_name(variable), **value}


def _is_in_unit(session: Session) -> bool:
    """Return whether a frame is in code of a unit, also where no function is described: in a unit
    of lines alone, and in the return from a signal handler. GDB finds the block of the unit, which
    has no locals; what else is in that block is of the file."""
    code_object, pc = session.code_object, session.pc
    if code_object is None or pc is None:
        return False
    try:
        return code_object.scopes.unit_at(pc) is not None
    except DwarfGpuError:
        return False
