"""LLDB's names of commands: each translates to a command of dwarfgpu, with its arguments.

Law: they have lower priority. GDB's commands, and their abbreviations, keep their meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import LimitExceeded, UsageError, shortened
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, Completer, subcommand_list
from dwarfgpu.repl.output import Part, printed
from dwarfgpu.repl.settings import SETTINGS
from dwarfgpu.repl.shell import Shell

Translate: TypeAlias = "Callable[[str], list[str]]"
"""The argument to command lines; `UsageError` for one without a counterpart."""

MAX_LINES: Final = 1_000
"""Commands for one of LLDB; each may print an object of a MiB, in some milliseconds."""
_MAX_CHARACTERS: Final = 100_000
"""Of these commands: sums of small numbers take four seconds of processor time."""
_MAX_OPTIONS: Final = 1_000
_OPTION: Final = re.compile(r"\s*(--?[A-Za-z][\w-]*)(?:[= ]\s*)?")
_FORMAT: Final = {"-f": "f", "--format": "f"}
_SIZES: Final = {"1": "b", "2": "h", "4": "w", "8": "g"}
_FORMATS: Final = {
    "hex": "x", "decimal": "d", "unsigned": "u", "octal": "o", "binary": "t", "float": "f",
    "char": "c", "c-string": "s", "pointer": "a", "address": "a", "Y": "x",
}  # fmt: skip


@frozen
class Foreign:
    """A command of LLDB."""

    name: str
    usage: str
    about: str
    translate: Translate
    complete: Completer = None
    aliases: tuple[str, ...] = ()

    def command(self) -> Command:
        """Return it as a command of the prompt."""
        text = f"{self.about}\n\nUsage: {self.name} {self.usage}".rstrip()
        text += "\n\nThis is LLDB's name of the command; other options of LLDB are not supported."
        return Command(
            self.name, text, self._run, "lldb", self.aliases, self.complete, is_foreign=True
        )

    def _run(self, shell: Shell, argument: str) -> Iterator[Part]:
        lines = self.translate(argument)
        if len(lines) > MAX_LINES:
            raise LimitExceeded(f"{self.name} is more than {MAX_LINES} commands")
        if sum(map(len, lines)) > _MAX_CHARACTERS:
            raise LimitExceeded(f"{self.name} of more than {_MAX_CHARACTERS} characters")
        if len(lines) == 1:
            yield from shell.run(lines[0])
            return
        from dwarfgpu.language.stored_objects import parts_counted_together  # few have several

        left = most = shell.session.limits.listed_characters

        def affordable() -> Iterator[str]:
            for line in lines:
                if left < 0:
                    raise LimitExceeded(
                        f"{self.name} shows more than {most} characters: {shortened(line)} and "
                        "what is after it are not shown",
                        "--max-listed-characters",
                    )
                yield line

        with parts_counted_together():
            for part in shell.run_lines(affordable()):
                left -= len(printed(part))
                yield part


def options(text: str, spellings: dict[str, str]) -> tuple[dict[str, str], str]:
    """Return leading options with values, by their short names, and the rest.

    `spellings` maps every spelling to the short one; one that ends in `!` has no value.
    """
    values: dict[str, str] = {}
    for _ in range(_MAX_OPTIONS):
        if not text.lstrip().startswith("-"):
            return values, text.strip()
        text = text.lstrip()
        if text.startswith("--") and (len(text) == 2 or text[2].isspace()):
            return values, text[2:].strip()
        match = _OPTION.match(text)
        name = "" if match is None else match[1]
        short = spellings.get(name) or spellings.get(name[:2], "")
        if match is None or not short:
            raise UsageError(f"unknown or ambiguous option: {text.split()[0]}")
        is_joined = spellings.get(name) is None
        rest = text[match.start(1) + 2 :] if is_joined else text[match.end() :]
        if short.endswith("!"):
            values[short[:-1]] = ""
            text = rest
            continue
        value, _, text = rest.strip().partition(" ")
        values[short] = value
    raise LimitExceeded(f"more than {_MAX_OPTIONS} options")


def _plain(line: str) -> Translate:
    """Return a translation to another command with the same arguments."""
    return lambda argument: [f"{line} {argument}".rstrip()]


def _frame_variable(argument: str) -> list[str]:
    flags, names = options(argument, {**_FORMAT, "-T": "T!", "--show-types": "T!"})
    if not names and flags:
        raise UsageError("frame variable with an option needs the NAME of a variable")
    if not names:
        return ["info args", "info locals"]
    lines = []
    for name in names.split():
        lines += [f"whatis {name}"] if "T" in flags else []
        lines.append(f"print{_slashed(flags)} {name}")
    return lines


def _target_variable(argument: str) -> list[str]:
    """Translate `target variable`, which lists them without a name: GDB's list has their types, not
    their values."""
    flags, names = options(argument, _FORMAT)
    if not names and flags:
        raise UsageError("target variable with a format needs the NAME of a variable")
    return [f"print{_slashed(flags)} {name}" for name in names.split()] or ["info variables"]


def _target_modules(argument: str) -> list[str]:
    if argument != "list":
        raise UsageError("target modules takes list")
    return ["info sharedlibrary"]


def _slashed(flags: dict[str, str]) -> str:
    return f"/{_letter(flags['f'])}" if "f" in flags else ""


def _expression(argument: str) -> list[str]:
    flags, text = options(argument, _FORMAT)
    return [f"print{_slashed(flags)} -- {text}" if text else "print"]


def _letter(name: str) -> str:
    return _FORMATS.get(name, name[:1])


def _memory_read(argument: str) -> list[str]:
    if argument.startswith("/"):
        return [f"x{argument}"]
    names = {"-c": "c", "--count": "c", "-f": "f", "--format": "f", "-s": "s", "--size": "s"}
    flags, address = options(argument, names)
    if not address:
        raise UsageError(
            "memory read needs an address: memory read [-c N] [-s BYTES] [-f FORMAT] ADDRESS"
        )
    size = flags.get("s", "1")
    if size not in _SIZES:
        raise UsageError(f"invalid size {size}: one of 1, 2, 4, 8")
    count = flags.get("c", "32" if not flags else "1")
    if not is_decimal(count):
        raise UsageError(f"invalid count: {count}")
    return [f"x/{count}{_letter(flags.get('f', 'x'))}{_SIZES[size]} {address}"]


def _registers(argument: str) -> list[str]:
    name_first = re.fullmatch(r"(\S[^-]*?)\s+(--?\w.*)", argument)  # LLDB's order is free
    if name_first is not None:
        argument = f"{name_first[2]} {name_first[1]}"
    flags, names = options(argument, {**_FORMAT, "-a": "a!", "--all": "a!"})
    if "f" in flags:
        if "a" in flags or not names:
            raise UsageError("register read with a format needs the NAME of a register")
        return [f"print{_slashed(flags)} ${name.removeprefix('$')}" for name in names.split()]
    names = " ".join(name.removeprefix("$") for name in names.split())
    return ["info registers all" if "a" in flags else f"info registers {names}".rstrip()]


def _backtrace(argument: str) -> list[str]:
    flags, rest = options(argument, {"-c": "c", "--count": "c"})
    return [f"backtrace {flags.get('c', rest)}".rstrip()]


def _frame_select(argument: str) -> list[str]:
    flags, rest = options(argument, {"-r": "r", "--relative": "r"})
    if "r" not in flags:
        return [f"frame {rest}".rstrip()]
    distance = flags["r"]
    if rest or re.fullmatch(r"[+-]?[0-9]{1,9}", distance) is None:
        raise UsageError(f"invalid frame offset: {distance} {rest}".rstrip())
    return [f"up {int(distance)}" if int(distance) >= 0 else f"down {-int(distance)}"]


def _settings_set(argument: str) -> list[str]:
    name, _, value = argument.strip().partition(" ")
    words = argument.split()
    names = [name for setting in SETTINGS for name in (setting.name, *setting.aliases)]
    if not any(name.split() == words[: name.count(" ") + 1] for name in names):
        raise UsageError(f"invalid value path '{name}'")
    return [f"set {name} {value}".rstrip()]


def _source_list(argument: str) -> list[str]:
    names = {"-n": "n", "--name": "n", "-f": "f", "--file": "f", "-l": "l", "--line": "l"}
    flags, rest = options(argument, names)
    if rest or ("f" in flags and "l" not in flags):
        raise UsageError("source list takes -n FUNCTION, or -f FILE -l LINE")
    if "n" in flags:
        return [f"list {flags['n']}"]
    return ["list " + ":".join(flags[letter] for letter in "fl" if letter in flags)]


def _memory_write(argument: str) -> list[str]:
    flags, rest = options(argument, {"-s": "s", "--size": "s"})
    address, *values = rest.split() or [""]
    kinds = {"1": "unsigned char", "2": "unsigned short", "4": "unsigned int", "8": "unsigned long"}
    size = flags.get("s", "1")
    if size not in kinds:
        raise UsageError(f"invalid size {size}: one of 1, 2, 4, 8")
    if not values:
        raise UsageError("memory write needs an address and values")
    first = f"({kinds[size]} *) ({address})"
    return [f"set var ({first})[{number}] = {value}" for number, value in enumerate(values)]


def _lookup(argument: str) -> list[str]:
    names = {"-a": "a", "--address": "a", "-n": "n", "--name": "n", "-F": "n", "--function": "n",
             "-s": "s", "--symbol": "s", "-t": "t", "--type": "t", "-v": "v!",
             "--verbose": "v!"}  # fmt: skip
    flags, rest = options(argument, names)
    if rest or not flags.keys() & {"a", "n", "s", "t"}:
        raise UsageError("image lookup needs one of -a ADDRESS, -n FUNCTION, -s SYMBOL, -t TYPE")
    lines = [f"info symbol {flags['a']}", f"info line *{flags['a']}"] if "a" in flags else []
    lines += [f"info line {flags['n']}"] if "n" in flags else []
    lines += [f"info address {flags['s']}"] if "s" in flags else []
    return lines + ([f"ptype {flags['t']}"] if "t" in flags else [])


def _breakpoint_set(argument: str) -> list[str]:
    names = {"-n": "n", "--name": "n", "-f": "f", "--file": "f", "-l": "l", "--line": "l",
             "-a": "a", "--address": "a"}  # fmt: skip
    flags, rest = options(argument, names)
    if rest or not flags:
        raise UsageError("breakpoint set needs -n FUNCTION, -f FILE -l LINE, or -a ADDRESS")
    if "a" in flags:
        return [f"break *{flags['a']}"]
    if "n" in flags:
        return [f"break {flags['n']}"]
    return ["break " + ":".join(flags[letter] for letter in "fl" if letter in flags)]


def _command_alias(argument: str) -> list[str]:
    name, _, rest = argument.strip().partition(" ")
    return [f"alias {name} = {rest}"]


FOREIGN: Final = (
    Foreign("frame variable", "[-T] [-f FORMAT] [NAME...]", "Show variables of the frame.",
            _frame_variable, completion.variables),
    Foreign("frame select", "NUMBER | -r OFFSET", "Select another frame.", _frame_select),
    Foreign("frame info", "", "Show the frame in focus.", _plain("frame")),
    Foreign("thread backtrace", "[COUNT | -c COUNT]", "List the call frames.", _backtrace),
    Foreign("thread list", "", "List waves or threads.", _plain("info threads")),
    Foreign("thread select", "NUMBER", "Select another thread.", _plain("thread")),
    Foreign("thread info", "", "Show the thread in focus.", _plain("thread")),
    Foreign("thread step-in", "", "Step to another source line.", _plain("step")),
    Foreign("thread step-over", "", "Step to another source line, over calls.", _plain("next")),
    Foreign("thread step-out", "", "Continue until the frame returns.", _plain("finish")),
    Foreign("thread step-inst", "", "Execute one instruction.", _plain("stepi")),
    Foreign("register read", "[-a] [-f FORMAT] [NAME...]", "Show registers.", _registers,
            completion.registers),
    Foreign("memory read", "[-c N] [-s BYTES] [-f FORMAT] ADDRESS", "Show memory.", _memory_read,
            completion.VALUES),
    Foreign("expression", "[-f FORMAT] [--] EXPRESSION", "Print the value of an expression.",
            _expression, completion.VALUES, ("expr",)),
    Foreign("dwim-print", "EXPRESSION", "Print the value of an expression.", _expression,
            completion.VALUES, ("po",)),
    Foreign("v", "[-T] [-f FORMAT] [NAME...]", "Show variables of the frame.", _frame_variable,
            completion.variables),
    Foreign("target variable", "[-f FORMAT] [NAME...]",
            "Print global variables; list them where none is named.", _target_variable,
            completion.VALUES),
    Foreign("target list", "", "Show the target.", _plain("info files")),
    Foreign("target modules", "list", "List the code objects.", _target_modules),
    Foreign("memory write", "[-s BYTES] ADDRESS VALUE...", "Write memory.", _memory_write,
            completion.VALUES),
    Foreign("source list", "[-n FUNCTION | -f FILE -l LINE]", "Show source text.", _source_list,
            completion.functions),
    Foreign("target create", "FILE", "Open another code object.", _plain("file"),
            completion.FILE),
    Foreign("type lookup", "NAME", "Show the definition of a type.", _plain("ptype"),
            completion.VALUES),
    Foreign("image lookup", "-a ADDRESS | -n FUNCTION | -s SYMBOL | -t TYPE",
            "Look something up in the debugging information.", _lookup, completion.functions),
    Foreign("image list", "", "List the code objects.", _plain("info sharedlibrary")),
    Foreign("settings set", "NAME VALUE", "Change a setting.", _settings_set,
            completion.lines_after("set ")),
    Foreign("settings show", "[NAME]", "Show settings.", _plain("show"),
            completion.lines_after("show ")),
    Foreign("settings list", "[NAME]", "Show settings.", _plain("show"),
            completion.lines_after("show ")),
    Foreign("breakpoint set", "-n FUNCTION | -f FILE -l LINE | -a ADDRESS", "Set a breakpoint.",
            _breakpoint_set, completion.functions),
    Foreign("breakpoint list", "", "List breakpoints.", _plain("info breakpoints")),
    Foreign("breakpoint delete", "[NUMBER...]", "Delete breakpoints.", _plain("delete")),
    Foreign("process launch", "", "Start the program.", _plain("run")),
    Foreign("process continue", "", "Continue.", _plain("continue")),
    Foreign("process status", "", "Show where the program is.", _plain("frame")),
    Foreign("command alias", "NAME COMMAND [ARGUMENT...]", "Give a command another name.",
            _command_alias),
    Foreign("command source", "FILE", "Run the commands of a file.", _plain("source"),
            completion.FILE),
    Foreign("version", "", "Show the version of dwarfgpu.", _plain("show version")),
)  # fmt: skip


def with_foreign(commands: Iterable[Command]) -> tuple[Command, ...]:
    """Return commands with those of LLDB added, in existing families or their own."""
    out = list(commands)
    families: dict[str, list[Command]] = {}
    for foreign in FOREIGN:
        family, _, rest = foreign.name.partition(" ")
        if rest:
            families.setdefault(family, []).append(foreign.command())
        else:
            out.append(foreign.command())
    for name, inner in families.items():
        existing = next((candidate for candidate in out if candidate.word == name), None)
        if existing is None:
            out.append(_family(name, tuple(inner)))
            continue
        has_run = existing.takes_other or not existing.subcommands
        out[out.index(existing)] = evolve(
            existing, subcommands=(*existing.subcommands, *inner), takes_other=has_run
        )
    return tuple(out)


def _family(name: str, inner: tuple[Command, ...]) -> Command:
    def run(shell: Shell, argument: str) -> Iterator[Part]:
        yield from subcommand_list(name, inner)

    text = f"LLDB's subcommands of {name}.\n\nUsage: {name} SUBCOMMAND"
    return Command(name, text, run, "lldb", subcommands=inner, is_foreign=True)
