"""`display`: expressions that are shown again whenever the focus moves, with GDB's wording."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu import language
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.display import Display
from dwarfgpu.repl.data.examine_commands import address_of, memory_lines
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, heading, printed
from dwarfgpu.repl.running.breakpoint_numbers import listed_numbers
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.answer import machine_interface
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.machine.examine_format import SIZES, Format, format_and_rest
from dwarfgpu.service.value.expression_answer import value_record
from dwarfgpu.service.value.expression_block import block_of, frame_in_block, named_variables
from dwarfgpu.service.value.value_history import (
    convenience_integer,
    evaluated,
    options_of,
    required,
)
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

_NO_LETTER: Final = "?"
_LETTERS: Final = "xduotacfzsri"
_WORD: Final = re.compile(r"\S+")


@command("display", topic="data", complete=completion.VALUES, repeats=False)
def display(shell: Shell, argument: str) -> Iterator[Part]:
    """Show an expression now and whenever the focus moves.

    Usage: display[/FMT] [EXPRESSION]

    With a count, a size or the format s, shows memory as "x" does. An expression with local
    variables is shown only in their block, and in functions that are inlined there. Without an
    argument, shows all displayed expressions. "undisplay" deletes one.
    """
    if not argument:
        yield from displayed(shell)
        return
    display = _new_display(shell, argument)
    shell.displays[display.number] = display
    session = _session_for(shell.session, display)
    if session is not None:  # else of a function that is named, as in `f::x`
        yield from _shown(shell, session, display)


@command("undisplay", topic="data", repeats=False)
def undisplay(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete displayed expressions.

    Usage: undisplay [NUMBER | NUMBER-NUMBER]...

    Without an argument, all of them.
    """
    if not argument and shell.confirms("Delete all auto-display expressions?"):
        shell.displays.clear()
    yield from _for_numbers(shell, argument, lambda item: shell.displays.pop(item.number))


def _for_numbers(
    shell: Shell, argument: str, change: Callable[[Display], object]
) -> Iterator[Part]:
    """Change the displays of numbers, one word after the other; yield GDB's line for each number
    without one. `UsageError` for a word that GDB refuses, and one that it ignores."""
    for match in _WORD.finditer(argument):
        word = match[0]
        if word.startswith("$"):
            try:
                word = str(convenience_integer(shell.session, shell.values, word))
            except DwarfGpuError as error:
                yield error.message
                word = "0"
        elif not word.startswith("-") and not is_decimal(word[0]):
            raise UsageError("Arguments must be display numbers.")
        for number in listed_numbers(word):
            display = shell.displays.get(number)
            if display is not None:
                change(display)
            elif number:
                missing = f"No display number {number}."
                yield Output(missing, {"number": number}, "missing-displays")
            else:
                rest = argument[match.start() :]
                shell.console.warn(f"bad display number at or near '{rest}'")


@command("enable display", topic="data", repeats=False)
def enable_display(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable displayed expressions.

    Usage: enable display [NUMBER | NUMBER-NUMBER]...

    Without an argument, all of them.
    """
    yield from _enable(shell, argument, is_enabled=True)


@command("disable display", topic="data", repeats=False)
def disable_display(shell: Shell, argument: str) -> Iterator[Part]:
    """Disable displayed expressions without deleting them.

    Usage: disable display [NUMBER | NUMBER-NUMBER]...

    Without an argument, all of them.
    """
    yield from _enable(shell, argument, is_enabled=False)


def _enable(shell: Shell, argument: str, *, is_enabled: bool) -> Iterator[Part]:
    def enable(display: Display) -> None:
        shell.displays[display.number] = evolve(display, is_enabled=is_enabled)

    if argument:
        yield from _for_numbers(shell, argument, enable)
    else:
        for display in list(shell.displays.values()):
            enable(display)


@command("info display", topic="data")
def info_display(shell: Shell, argument: str) -> Iterator[Part]:
    """List the displayed expressions.

    Usage: info display
    """
    if not shell.displays:
        yield Output("There are no auto-display expressions now.", {"displays": []})
        return
    yield heading("Auto-display expressions now in effect:\nNum Enb Expression")
    for display in shell.displays.values():
        mark = "y" if display.is_enabled else "n"
        text = f"{display.number}:   {mark}  {display.listed}"
        if _session_for(shell.session, display) is None:
            text += " (cannot be evaluated in the current context)"
        yield Output(text, display.record, "displays")


def displayed(shell: Shell) -> Iterator[Part]:
    """Yield what is displayed in the frame in focus; beyond `Limits.listed_characters` the error,
    in place of the value of the next one."""
    left = most = shell.session.limits.listed_characters
    for display in list(shell.displays.values()):
        session = _session_for(shell.session, display) if display.is_enabled else None
        if session is None:
            continue
        if left < 0:
            why = f"the displays have more than {most} characters: this one and those after it are"
            error = LimitExceeded(f"{why} not shown", "--max-listed-characters")
            yield _of_error(display, error_line(error))
            return
        for part in _shown(shell, session, display):
            left -= len(printed(part))
            yield part


def _session_for(session: Session, display: Display) -> Session | None:
    """Return the session in which an expression is shown; None outside of the block of its
    variables."""
    return session if display.block is None else frame_in_block(session, display.block)


def _new_display(shell: Shell, argument: str) -> Display:
    """Return the display of an argument; `UsageError` where it cannot be understood."""
    format_, text, is_memory = None, argument, False
    if argument.startswith("/"):
        blank = Format(_NO_LETTER, "", 1)
        address_bits = shell.session.architecture.address_space(0).address_bits
        format_, text = format_and_rest(argument[1:], blank, address_bits)
        letters = argument[1 : len(argument) - len(text)]
        is_memory = format_.letter in ("s", "i") or any(size in letters for size in SIZES)
        if format_.letter == _NO_LETTER:
            format_ = evolve(format_, letter="x")
    if format_ is not None and format_.letter not in _LETTERS:
        raise UsageError(f'Undefined output format "{format_.letter}".')
    required(text)
    block = _block_of(shell, text)
    return Display(shell.displays.new_number(), text, format_, is_memory, block)


def _block_of(shell: Shell, text: str) -> Die | None:
    """Return the innermost block or function whose variables an expression uses; `UsageError` for
    what GDB cannot parse: any other error is shown in place of the value."""
    language.require_understood(text, shell.session, options_of(shell.session, shell.values))
    return block_of(shell.session, named_variables(shell.session, shell.values, text))


def _shown(shell: Shell, session: Session, display: Display) -> Iterator[Part]:
    if display.is_memory and display.format is not None:
        group = Group("displays", display.record)
        yield from (
            NestedOutput(group, part) for part in _memory(shell, session, display, display.format)
        )
        return
    try:
        value = evaluated(session, shell.values, display.expression)
        options = shell.settings.print_options(_letter(display))
        text = language.format(value, session, options)
        yield _value(display, text, value_record(value, text))
    except DwarfGpuError as error:
        yield _of_error(display, error.message)


def _of_error(display: Display, message: str) -> Output:
    """Return a display with an error in place of its value."""
    text = f"<error: {message}>"
    return _value(display, text, machine_interface(text, None, None))


def _value(display: Display, text: str, record: JsonObject) -> Output:
    letter = _letter(display)
    head = f"{display.number}: {'' if letter is None else f'/{letter} '}{display.expression} = "
    return Output(head + text, {**display.record, **record}, "displays")


def _letter(display: Display) -> str | None:
    return None if display.format is None else display.format.letter


def _memory(shell: Shell, session: Session, display: Display, format_: Format) -> Iterator[Part]:
    count = "" if format_.count == 1 else str(format_.count)
    size = "" if format_.letter in ("s", "i") else format_.size
    head = f"{display.number}: x/{count}{format_.letter}{size} {display.expression}"
    is_in_line = format_.count == 1 and format_.letter != "i"
    yield Output(head + ("  " if is_in_line else "\n"), {}, ends_line=False)
    try:
        objects = ObjectAccess(session)
        space, address = address_of(shell, objects, display.expression)
        shell.examined = evolve(shell.examined, space=space, address=address)
        with shell.values.examined_kept():
            yield from memory_lines(shell, objects, format_)
    except DwarfGpuError as error:
        yield Output(f"<error: {error.message}>", {"msg": error.message})
