"""`set` and `show`: a command for each setting, made from its declaration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final, Literal

from dwarfgpu.base.records import evolve
from dwarfgpu.base.writing import require_no_input
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.wave_variables import WAVE_VARIABLES, machine_of
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import (
    ArgumentCompleter,
    Candidate,
    Command,
    Completions,
    command,
    parse,
    subcommand_list,
)
from dwarfgpu.repl.data.print_commands import set_var, shown_value
from dwarfgpu.repl.declared_settings import NOT_BUILT, WITHOUT_EFFECT, WITHOUT_MEANING
from dwarfgpu.repl.files.search_folder_commands import (
    set_debug_file_directory,
    set_sysroot,
    show_debug_file_directory,
    show_sysroot,
)
from dwarfgpu.repl.files.source_path_commands import (
    set_directories,
    set_substitute_path,
    show_directories,
    show_substitute_path,
)
from dwarfgpu.repl.language_warning import AUTOMATIC, LANGUAGE_DIFFERS, language_differs
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.settings import SETTINGS, Setting
from dwarfgpu.repl.settings_in_force import (
    VALUES_IN_FORCE,
    in_force,
    sentence_in_force,
)
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.user_commands import show_user
from dwarfgpu.service.answer import machine_interface
from dwarfgpu.service.file.source_language import frame_language
from dwarfgpu.service.value.expression_answer import value_record
from dwarfgpu.service.value.value_history import BUILT_IN, required, whole_number

Verb = Literal["set", "show"]
_FAMILIES: Final = {
    "backtrace": "Configure backtraces.",
    "breakpoint": "Breakpoint specific settings.\nConfigure various breakpoint-specific variables "
    "such as\npending breakpoint behavior.",
    "index-cache": "Configure the index cache.",
    "logging": "Configure logging.",
    "print": "Generic command for setting how things print.",
    "print type": "Generic command for setting how types print.",
    "style": "Configure how output looks.",
}
"""What the words are about that settings share."""
_SHORT: Final = {"print": ("p", "pr")}
_SHORT_ABSENT: Final = {"check": ("c", "ch"), "guile": ("g", "gu"), "record": ("rec",)}
"""GDB's short names of settings that are not supported."""
_SHORT_IGNORED: Final = {"environment": ("env",), "mi-async": ("target-async",)}
"""Short names that scripts use, of settings without an effect."""


def _switch_log(shell: Shell) -> Iterator[str]:
    """Start or end the log, where its file is none of the open ones."""
    settings = shell.settings
    if settings.flag("logging enabled") and shell.console.log is None:
        try:
            require_no_input(Path(os.path.expanduser(settings.word("logging file"))))
        except UsageError:
            settings["logging enabled"] = False
            raise
    yield from shell.console.switch_log()


def _set(setting: Setting, shell: Shell, argument: str) -> Iterator[Part]:
    number = partial(whole_number, shell.session, shell.values)
    shell.settings.set(setting.name, argument, number)
    yield from take_effect(setting.name, shell)
    if setting.name in ("input-radix", "output-radix") and shell.is_from_tty:
        kind = setting.name.partition("-")[0].capitalize()
        yield heading(f"{kind} radix now set to {_in_radices(shell, setting.name)}")


def _in_radices(shell: Shell, name: str) -> str:
    """Return `decimal 16, hex 10, octal 20.`"""
    radix = shell.settings.limit(name) or 0
    return f"decimal {radix}, hex {radix:x}, octal {radix:o}."


@command("set radix", topic="support", repeats=False)
def set_radix(shell: Shell, argument: str) -> Iterator[Part]:
    """Set default input and output number radices.

    Usage: set radix [8 | 10 | 16]

    Without a number, decimal.
    """
    radix = whole_number(shell.session, shell.values, argument) if argument else 10
    for name in ("output-radix", "input-radix"):
        shell.settings.set(name, str(radix), lambda _: radix)
    said = f"Input and output radices now set to {_in_radices(shell, 'input-radix')}"
    yield Output(said if shell.is_from_tty else "", {"value": str(radix)})


@command("show radix", topic="status")
def show_radix(shell: Shell, argument: str) -> Iterator[Part]:
    """Show default input and output number radices.

    Usage: show radix
    """
    names = ("input-radix", "output-radix")
    values = {name: shell.settings.limit(name) for name in names}
    if values["input-radix"] == values["output-radix"]:
        said = f"Input and output radices set to {_in_radices(shell, 'input-radix')}"
    else:
        said = "\n".join(
            f"{name.partition('-')[0].capitalize()} radix set to {_in_radices(shell, name)}"
            for name in names
        )
    yield Output(said if shell.is_from_tty else "", {**values})


def take_effect(name: str, shell: Shell) -> Iterator[Part]:
    """Do what the new value of a setting asks for beyond the settings."""
    if name == "logging enabled":
        yield from _switch_log(shell)
    elif name.startswith("logging "):
        shell.console.keep_log()
    elif name == "vgpr-holds":
        from dwarfgpu.repl.running.replaced_machine import assume_of_registers

        assume_of_registers(shell)
    elif name == "index-cache enabled":
        from dwarfgpu.base.index_cache import INDEX_CACHE

        INDEX_CACHE.switch(on=shell.settings.flag(name))


def _show(setting: Setting, shell: Shell, argument: str) -> Iterator[Part]:
    value = setting.text(shell.settings[setting.name])
    yield Output(_sentence(shell, setting), {"value": value})


def _sentence(shell: Shell, setting: Setting) -> str:
    """Return the sentence of the language, with what "auto" means in the frame in focus."""
    sentence = shell.settings.sentence(setting.name)
    if setting.name != "language":
        return sentence
    value = shell.settings.word("language")
    if value in AUTOMATIC:
        return setting.sentence(f"auto; currently {frame_language(shell.session) or 'c'}")
    is_other = language_differs(shell.session, value)
    return f"{sentence}\n{LANGUAGE_DIFFERS}" if is_other else sentence


def _show_all(prefix: str, shell: Shell, argument: str) -> Iterator[Part]:
    """Show the settings whose names begin so, with those that have one value here."""
    settings = {setting.name: setting for setting in SETTINGS}
    for name in sorted({*settings, *VALUES_IN_FORCE}):
        if not name.startswith(prefix):
            continue
        setting = settings.get(name)
        if setting is None:
            text, value = _sentence_in_force(name, shell), VALUES_IN_FORCE[name]
        else:
            text, value = _sentence(shell, setting), setting.text(shell.settings[name])
        if text is not None:
            yield Output(f"{name}:  {text}", {"name": name, "value": value}, "settings")


def _choices(setting: Setting, shell: Shell, word: str) -> Iterator[Candidate]:
    return (Candidate(value) for value in setting.values)


def _of(setting: Setting, verb: Verb) -> Command:
    """Define `set NAME` or `show NAME`."""
    name = f"{verb} {setting.name}"
    about = setting.shown_help if verb == "show" and setting.shown_help else setting.help
    text = f"{verb.capitalize()} {about}" + (
        f"\n{setting.help_details}" if setting.help_details else ""
    )
    if verb == "show":
        return Command(name, text, partial(_show, setting), "status", setting.aliases)
    run = partial(_set, setting)
    complete = completion.FILE if setting.kind == "file" else partial(_choices, setting)
    return Command(name, text, run, "support", setting.aliases, complete, repeats=False)


def _list(
    commands: tuple[Command, ...], family: str, shell: Shell, argument: str
) -> Iterator[Part]:
    yield from subcommand_list(family, commands)


def _refuse(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    """Refuse to change a setting, but for the value that it has."""
    if in_force(name, argument, shell.session.architecture, ignores_case=shell.ignores_case):
        return iter(())
    raise UsageError(f'The setting "{name}" {why}.')


def _show_in_force(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    """Show the value that a setting always has here, or why it has none."""
    sentence = _sentence_in_force(name, shell)
    if sentence is None:
        yield f'The setting "{name}" {why}.'
    else:
        yield Output(sentence, {"value": sentence})


def _sentence_in_force(name: str, shell: Shell) -> str | None:
    return sentence_in_force(name, shell.session.architecture, ignores_case=shell.ignores_case)


def _ignore(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    shell.console.note(f'"set {name}" has no effect: {why}', once=True)
    return iter(())


def _absent(name: str, why: str, verb: Verb) -> Command:
    text = f'{verb.capitalize()} "{name}": not supported.\nThis setting {why}.'
    run = partial(_refuse if verb == "set" else _show_in_force, name, why)
    short: tuple[str, ...] = _SHORT_IGNORED.get(name, ())
    if verb == "show":  # `set c` is of a variable
        short = _SHORT_ABSENT.get(name, short)
    return Command(f"{verb} {name}", text, run, "support", short, repeats=False, is_absent=True)


def _inner(verb: Verb, family: str) -> Iterator[Command]:
    """Yield the subcommands of a family of settings; of all for an empty name."""
    prefix = f"{family} " if family else ""
    for setting in SETTINGS:
        if setting.name.startswith(prefix) and " " not in setting.name.removeprefix(prefix):
            yield _of(setting, verb)
    absent = {
        name: f"of GDB does not apply to dwarfgpu: {why}" for name, why in WITHOUT_MEANING.items()
    }
    absent |= dict.fromkeys(NOT_BUILT, "of GDB is not implemented")
    ignored = {
        name: f"of GDB has no effect in dwarfgpu: {why}" for name, why in WITHOUT_EFFECT.items()
    }
    for name, why in (absent | ignored).items():
        if name.startswith(prefix) and " " not in name.removeprefix(prefix):
            refused = _absent(name, why, verb)
            is_taken = verb == "set" and name in WITHOUT_EFFECT
            run = partial(_ignore, name, WITHOUT_EFFECT[name]) if is_taken else refused.run
            has_inner = any(other.startswith(f"{name} ") for other in absent)
            inner = tuple(_inner(verb, name)) if has_inner else ()
            yield evolve(refused, run=run, subcommands=inner, takes_other=verb == "set")
    if verb == "show" and family == "index-cache":
        yield show_index_cache_stats
    if verb == "set" and family == "logging":
        yield from map(_old_logging, ("on", "off"))
    for name, about in _FAMILIES.items():
        if name.startswith(prefix) and " " not in name.removeprefix(prefix) and name != family:
            yield _family(verb, name, about)


@command("show index-cache stats", topic="status")
def show_index_cache_stats(shell: Shell, argument: str) -> Iterator[Part]:
    """Show how often the index cache had what was looked for.

    Usage: show index-cache stats
    """
    from dwarfgpu.base.index_cache import INDEX_CACHE  # it is seldom asked for

    hits, misses = INDEX_CACHE.hits, INDEX_CACHE.misses
    text = f"  Cache hits (this session): {hits}\nCache misses (this session): {misses}"
    yield Output(text, {"hits": hits, "misses": misses})


def _old_logging(word: str) -> Command:
    """Define `set logging on`, as GDB before version 12 had it."""
    setting = next(setting for setting in SETTINGS if setting.name == "logging enabled")
    name = f"set logging {word}"

    def run(shell: Shell, argument: str) -> Iterator[Part]:
        shell.console.warn(
            f"'{name}', an alias for the command 'set logging enabled', is deprecated.",
            f"Use 'set logging enabled {word}'.",
            "",
            head="Warning",
        )
        yield from _set(setting, shell, word)

    text = f'Old spelling of "set logging enabled {word}".'
    return Command(name, text, run, "support", repeats=False, is_absent=True)


def _family(verb: Verb, word: str, about: str) -> Command:
    inner = tuple(sorted(_inner(verb, word), key=lambda inner_command: inner_command.name))
    name = f"{verb} {word}"
    run = partial(_show_all, f"{word} ") if verb == "show" else partial(_list, inner, name)
    return Command(name, about, run, "support", _SHORT.get(word, ()), None, inner, verb == "show")


def commands_of(verb: Verb) -> tuple[Command, ...]:
    """Return the subcommands of `set` or `show` for settings."""
    return tuple(sorted(_inner(verb, ""), key=lambda setting_command: setting_command.name))


SET_COMMANDS: Final = (
    set_var, set_debug_file_directory, set_directories, set_radix, set_substitute_path,
    set_sysroot, *commands_of("set"),
)  # fmt: skip


@command(
    "set",
    topic="data",
    aliases=("se",),
    subcommands=SET_COMMANDS,
    complete=completion.VALUES,
    takes_other=True,
)
def set_(shell: Shell, argument: str) -> Iterator[Part]:
    """Change a variable of the program, or a setting of dwarfgpu.

    Usage: set SETTING VALUE
           set EXPRESSION

    An argument that does not begin with a setting is an expression, evaluated for its assignments,
    as with "set var": set $n = 3. "show" lists the settings.
    """
    yield from set_var.run(shell, required(argument))


@command("show values", topic="data")
def show_values(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the last values of the value history.

    Usage: show values [EXPRESSION | +]

    Shows the last ten, ten around the number that an expression has, or with "+" the next ten.
    """
    history = shell.values
    if argument == "+":
        listed = history.listed_next()
    else:
        listed = history.listed(
            whole_number(shell.session, history, argument) if argument else None
        )
    for number, value in listed:
        text = shown_value(shell, value)
        yield Output(
            f"${number} = {text}", {"number": number, **value_record(value, text)}, "values"
        )


@command("show convenience", topic="data", aliases=("conv",))
def show_convenience(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the values of convenience variables.

    Usage: show convenience

    Shows the assigned ones, and those that the debugger sets: $_wave_id, $_thread ...
    """
    names = [*shell.values.named, *BUILT_IN]
    if machine_of(shell.session) is not None:
        names += WAVE_VARIABLES
    for name in sorted(dict.fromkeys(names)):
        try:
            value = shell.values.convenience(shell.session, name)
            text = shown_value(shell, value)
            record = value_record(value, text)
        except DwarfGpuError as error:
            text = f"<error: {error}>"
            record = machine_interface(text, None, None)
        yield Output(f"${name} = {text}", {"name": f"${name}", **record}, "variables")


@command("show commands", topic="status")
def show_commands(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the history of commands you typed.

    Usage: show commands [N | +]

    Shows the last ten of this session, ten around number N, or with "+" the next ten.
    """
    count = len(shell.history.typed)
    if argument == "+":
        first = shell.history.shown + 1
    elif argument:
        first = whole_number(shell.session, shell.values, argument) - 5
    else:
        first = count - 9
    first = max(min(first, count - 9), 1)
    last = min(first + 9, count)
    shell.history.shown = last
    for number in range(first, last + 1):
        line = shell.history.typed[number - 1]
        yield Output(f"{number:5}  {line}", {"number": number, "line": line}, "commands-typed")


@command("show version", topic="status")
def show_version(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the version of dwarfgpu.

    Usage: show version
    """
    from dwarfgpu import __version__

    yield Output(f"dwarfgpu {__version__}", {"version": __version__})


SHOW_COMMANDS: Final = tuple(
    sorted(
        (
            *commands_of("show"),
            show_debug_file_directory,
            show_directories,
            show_radix,
            show_substitute_path,
            show_sysroot,
            show_commands,
            show_convenience,
            show_user,
            show_values,
            show_version,
        ),
        key=lambda setting_command: setting_command.name,
    )
)


@command("show", topic="status", subcommands=SHOW_COMMANDS)
def show(shell: Shell, argument: str) -> Iterator[Part]:
    """Show settings, the value history and convenience variables.

    Usage: show [SETTING]
    """
    yield from _show_all("", shell, argument)


def _shown(shell: Shell, argument: str) -> Completions:
    """Complete the argument of `info set` as that of `show`."""
    start, candidates = completion.completions(shell, f"show{argument}")
    return start - len("show"), candidates


@command("info set", topic="status", complete=ArgumentCompleter(_shown))
def info_set(shell: Shell, argument: str) -> Iterator[Part]:
    """Show settings, as "show".

    Usage: info set [SETTING]
    """
    shown = parse(shell.commands, f"show {argument}")
    yield from shown.command.run(shell, shown.argument)
