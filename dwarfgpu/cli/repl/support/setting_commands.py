"""`set` and `show`: a command for each setting, made from its declaration."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from dwarfgpu.cli.repl import candidates
from dwarfgpu.cli.repl.command import Candidate, Command, Part, Told, command, listed
from dwarfgpu.cli.repl.data.print import set_var, shown_value
from dwarfgpu.cli.repl.settings import SETTINGS, Setting
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.repl.support.script import show_user
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.wave_variables import WAVE_VARIABLES, placed_in

Verb = Literal["set", "show"]
_FAMILIES: Final = {"backtrace": (), "print": ("p", "pr"), "style": ()}
"""First words of settings that share one, with their short names."""


def _change(setting: Setting, shell: Shell, argument: str) -> Iterator[Part]:
    shell.settings.set(setting.name, argument)
    yield from ()


def _tell(setting: Setting, shell: Shell, argument: str) -> Iterator[Part]:
    value = setting.text(shell.settings[setting.name])
    yield Told(shell.settings.sentence(setting.name), {"value": value})


def _tell_all(settings: tuple[Setting, ...], shell: Shell, argument: str) -> Iterator[Part]:
    for each in settings:
        data = {"name": each.name, "value": each.text(shell.settings[each.name])}
        yield Told(f"{each.name}:  {shell.settings.sentence(each.name)}", {**data}, "settings")


def _choices(setting: Setting, shell: Shell, word: str) -> Iterator[Candidate]:
    return (Candidate(each) for each in setting.values)


def _of(setting: Setting, verb: Verb) -> Command:
    """`set NAME` or `show NAME`."""
    name = f"{verb} {setting.name}"
    if verb == "show":
        text = f"Show {setting.help}.\n\nUsage: {name}"
        return Command(name, text, partial(_tell, setting), "status", setting.aliases)
    takes = {"boolean": "[on | off]", "limit": "NUMBER | unlimited", "text": "TEXT"}
    values = takes.get(setting.kind, " | ".join(setting.choices))
    default = setting.text(setting.default)
    text = f"Set {setting.help}.\n\nUsage: {name} {values}\n\nThe default is {default}."
    run, complete = partial(_change, setting), partial(_choices, setting)
    return Command(name, text, run, "support", setting.aliases, complete, repeats=False)


def _list(
    commands: tuple[Command, ...], family: str, shell: Shell, argument: str
) -> Iterator[Part]:
    yield f"List of {family} subcommands:"
    yield ""
    yield from listed(commands)


def commands_of(verb: Verb) -> tuple[Command, ...]:
    """The subcommands of `set` or `show` that are about settings."""
    out = [_of(each, verb) for each in SETTINGS if " " not in each.name]
    for word, aliases in _FAMILIES.items():
        own = tuple(each for each in SETTINGS if each.name.startswith(f"{word} "))
        inner = tuple(_of(each, verb) for each in own)
        name = f"{verb} {word}"
        run = partial(_tell_all, own) if verb == "show" else partial(_list, inner, name)
        text = f"{verb.capitalize()} how things are shown: {word}.\n\nUsage: {name} [SETTING]"
        out.append(Command(name, text, run, "support", aliases, None, inner, verb == "show"))
    return tuple(sorted(out, key=lambda each: each.name))


SET_COMMANDS: Final = (set_var, *commands_of("set"))


@command(
    "set",
    topic="data",
    subcommands=SET_COMMANDS,
    complete=candidates.values,
    repeats=False,
    takes_other=True,
)
def set_(shell: Shell, argument: str) -> Iterator[Part]:
    """Change a variable of the program, or a setting of dwarfgpu.

    Usage: set SETTING VALUE
           set EXPRESSION

    What begins with the name of no setting is an expression that is evaluated for what it assigns,
    as with "set var": set $n = 3. "show" tells the settings.
    """
    if argument:
        yield from set_var.run(shell, argument)
    else:
        yield from _list(SET_COMMANDS, "set", shell, argument)


@command("show values", topic="data")
def show_values(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the last values of the value history.

    Usage: show values [N | +]

    The last ten, ten around number N, or with "+" those that follow.
    """
    for number, value in shell.values.listed(argument):
        text = shown_value(shell, value)
        yield Told(f"${number} = {text}", {"number": number, "value": text}, "values")


@command("show convenience", topic="data", aliases=("conv",))
def show_convenience(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the values of convenience variables.

    Usage: show convenience

    Those that were assigned to, and those that the debugger sets: $_wave_id, $_thread ...
    """
    if argument:
        raise UsageError(f'"show convenience" takes no argument: {argument}')
    names = [*shell.values.named]
    if placed_in(shell.session) is not None:
        names += WAVE_VARIABLES
    for name in sorted(dict.fromkeys([*names, "_thread"])):
        try:
            text = shown_value(shell, shell.values.convenience(shell.session, name))
        except DwarfGpuError as error:
            text = f"<error: {error}>"
        yield Told(f"${name} = {text}", {"name": f"${name}", "value": text}, "variables")


@command("show version", topic="status")
def show_version(shell: Shell, argument: str) -> Iterator[Part]:
    """Show what version of dwarfgpu this is.

    Usage: show version
    """
    from dwarfgpu import __version__

    yield Told(f"dwarfgpu {__version__}", {"version": __version__})


SHOW_COMMANDS: Final = tuple(
    sorted(
        (*commands_of("show"), show_convenience, show_user, show_values, show_version),
        key=lambda each: each.name,
    )
)


@command("show", topic="status", subcommands=SHOW_COMMANDS)
def show(shell: Shell, argument: str) -> Iterator[Part]:
    """Show settings, the value history and convenience variables.

    Usage: show [SETTING]
    """
    yield from _tell_all(SETTINGS, shell, argument)
