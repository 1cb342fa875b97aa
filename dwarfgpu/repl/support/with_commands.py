"""`with`: a command under another setting."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command, find, first_word
from dwarfgpu.repl.data.option_settings import END
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.settings import SETTINGS
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.setting_commands import SET_COMMANDS, take_effect
from dwarfgpu.service.value.value_history import whole_number

_MAX_NESTED: Final = 100
"""Each one keeps its part of the line, which has a mebibyte: more than there are settings."""
_NAMES = {setting.name for setting in SETTINGS}


@command("with", topic="support", aliases=("w",), complete=completion.UNDER_SETTING)
def with_(shell: Shell, argument: str) -> Iterator[Part]:
    """Run a command with a setting changed temporarily.

    Usage: with SETTING [VALUE] [-- COMMAND]

    The previous value of the setting is restored afterwards. Without COMMAND, runs the previous
    command again. To change several settings, nest them: with print pretty -- with listsize 3 --
    list
    """
    if not argument:
        raise UsageError("Missing arguments.")
    end = END.search(argument)
    setting_text = argument if end is None else argument[: end.start()]
    line = "" if end is None else argument[end.end() :].strip()
    if not setting_text.strip():
        raise UsageError("Missing setting before '--' delimiter")
    line = line or shell.history.earlier
    if not line:
        raise UsageError("No previous command to relaunch")
    setting, value = _setting(setting_text, argument[len(setting_text) :])
    if shell.script.changed_settings >= _MAX_NESTED:
        raise LimitExceeded(f"with inside with more than {_MAX_NESTED} deep")
    shell.script.changed_settings += 1
    try:
        yield from _run_with(shell, setting, value, line)
    finally:
        shell.script.changed_settings -= 1


def _run_with(shell: Shell, setting: Command, value: str, line: str) -> Iterator[Part]:
    name = setting.name.removeprefix("set ")
    if setting.is_absent:
        yield from setting.run(shell, value)  # an error says why, unless it has no effect
        yield from shell.run(line)
        return
    if name not in _NAMES:
        raise UsageError('Cannot use this setting with the "with" command')
    before = shell.settings[name]
    shell.settings.set(name, value, partial(whole_number, shell.session, shell.values))
    after: list[Part] = []
    try:
        yield from take_effect(name, shell)
        yield from shell.run(line)
    finally:
        if shell.settings[name] != before:
            shell.settings[name] = before
            after.extend(take_effect(name, shell))
    yield from after


def _setting(text: str, after_it: str) -> tuple[Command, str]:
    """Return the `set` command of a setting's name, and the value; errors have what comes after
    it."""
    word, rest = first_word(text)
    command = find(SET_COMMANDS, word, "set")
    while command.subcommands:
        word, after = first_word(rest)
        command, rest = find(command.subcommands, word, command.name, after + after_it), after
    return command, rest.strip()
