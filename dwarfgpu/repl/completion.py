"""Complete a command line: commands, and the arguments of each kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from dwarfgpu import language
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.repl.command import ArgumentCompleter, Candidate, Command, Completions, find, fitting
from dwarfgpu.repl.files.symbol_index import CODE_KINDS, MAX_NAMES
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.service.value.value_history import options_of

_BLANK = pattern(r"\s*")
_COMMAND = pattern(r"[\w.-]+|[|!]|")
_ARGUMENT = pattern(r"(?<![^\s,()])[^\s,()]*$")
_OPERAND = pattern(r"(?<![\w$:~])[\w$:~]*(?:<[^<>()]*>[\w$:~]*)*$")
_FORMAT = pattern(r"\s*/\S*")
_ACCESS = pattern(r"(?:\.|->)\s*(?P<word>\w*)$")
_ACCESS_BEFORE = pattern(r"(?:\.|->)$")
_IN_FILE = pattern(r"(?:'(?P<quoted>[^']*)'|(?P<file>(?<![\w.])[\w./+-]*\.\w+))::(?P<word>\w*)$")
_TAG = pattern(r"\b(?P<tag>struct|class|union|enum)\s+(?P<word>[\w:]*)$")
_LINESPEC_IN_FILE = pattern(
    r"(?<![^\s:])(?P<file>'[^']*'|\"[^\"]*\"|[^\s:'\"]*\.\w+):(?P<word>[\w:~]*)$"
)
_OPEN_QUOTE = pattern(r"\s*(?P<quoted>(?P<quote>['\"])(?P<word>(?:(?!(?P=quote)).)*))$")
_PART_NAME = pattern(r"(?<!\S)-[a-z]*$")
_PART = pattern(r"(?<!\S)-(?P<name>[a-z]+)\s+(?P<value>(?:(?!\s-).)*)$")
_SOURCE = pattern(r"(?<!\S)-so?u?r?c?e?\s+(?P<file>\S+)\s")
_CONDITION = pattern(r"\S\s+if(?:\s+|(?=\())")
_KEYWORD = pattern(r"(?<=\S)\s+(?P<word>[-a-z]*)$")
_PARTS: Final = ("source", "function", "qualified", "line", "label")
_KEYWORDS: Final = ("-force-condition", "if", "lane", "task", "thread", "wave")
_APPLIED = pattern(r"\s*(?:(?:level\s+)?(?:[-0-9.$*][-\w.$*]*\s+)+|(?:all|active|inactive)\s+)")
_FLAGS = pattern(r"(?:-[a-z-]+\s+)*")
_WITH_END = pattern(r"(?:^|\s)--\s")
_DELIMITED = pattern(r"\s*(?:-d\s+\S+\s+)?")
_MAX_TYPED: Final = 1_000
"""Maximum number of characters of a line to complete."""
_MAX_WORDS: Final = 100
"""Maximum number of its words: each may be a command that takes another."""
_TAGS: Final = {
    "struct": ("struct", "class"),
    "class": ("struct", "class"),
    "union": ("union",),
    "enum": ("enum",),
}
_OPERANDS: Final = (
    "function", "variable", "struct", "class", "union", "enum", "enumerator", "type",
    "namespace", "code symbol", "data symbol",
)  # fmt: skip
_UNLISTED: Final = ("dll", "exit", "fg", "inspect", "mt")
"""Names of commands that GDB accepts but does not list."""
_MAX_BASES: Final = 50


def completions(shell: Shell, text: str) -> tuple[int, list[Candidate]]:
    """Return where the word at the end of `text` begins, and its completions."""
    if len(text) > _MAX_TYPED or len(text.split()) > _MAX_WORDS:
        return len(text), []
    commands, position, command = shell.commands, 0, None
    while command is None or command.subcommands:
        after, position = position, _end(_BLANK, text, position)
        end = _end(_COMMAND, text, position)
        word = text[position:end]
        takes_other = command is not None and command.takes_other
        is_other = takes_other and end < len(text) and not word
        if is_other or (takes_other and not fitting(commands, word)):
            position = after
            break
        if end == len(text):
            return position, _commands(commands, word)
        try:
            command = find(commands, word)
        except UsageError:
            return len(text), []
        commands, position = command.subcommands, end
    assert command is not None
    if command.complete is None or re.fullmatch(r"/\S*", text[position:]):  # a format is typed
        return len(text), []
    argument = text[position:]
    if isinstance(command.complete, ArgumentCompleter):
        start, offered = command.complete.offer(shell, argument)
    else:
        match = _ARGUMENT.search(argument)
        assert match is not None
        start, offered = match.start(), command.complete(shell, match[0])
    word = argument[start:]
    if not (isinstance(command.complete, ArgumentCompleter) and command.complete.is_fitting):
        offered = (candidate for candidate in offered if candidate.text.startswith(word))
    unique = {candidate.text: candidate for candidate in reversed(list(offered))}
    return position + start, list(unique.values())[::-1]


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _commands(commands: Iterable[Command], word: str) -> list[Candidate]:
    """Return commands by listed names; by other names only if one is typed."""
    commands = [command for command in commands if not command.is_absent]
    own = [command for command in commands if not command.is_foreign]
    is_own = not word or any(name.startswith(word) for command in own for name in command.words)
    meant = own if own and is_own else commands
    pairs = [
        (name, command) for command in meant for name in _listed(command) if name.startswith(word)
    ]
    if not pairs:
        pairs = [
            (name, command)
            for command in meant
            for name in command.aliases
            if name.startswith(word)
        ]
    return [
        Candidate(name, command.summary)
        for name, command in sorted(pairs, key=lambda pair: pair[0])
    ]


def _listed(command: Command) -> Iterator[str]:
    """Yield a command's names except abbreviations, as GDB lists them."""
    for name in command.words:
        is_short = any(word != name and word.startswith(name) for word in command.words)
        if name == command.word or not (is_short or name in _UNLISTED):
            yield name


def variables(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield variables in scope, with their types."""
    try:
        in_scope = shell.session.variables()
    except DwarfGpuError:
        return
    level = shell.session.inline_level
    for variable in in_scope:
        is_seen = variable.kind == "global" or variable.inline_level == level
        if is_seen and not variable.is_shadowed and variable.name.startswith(word):
            try:
                about = variable.type_text or ""
            except DwarfGpuError:
                about = ""
            yield Candidate(variable.name, about)


def operands(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield operands of expressions: variables and, after `$`, registers."""
    if not word.startswith("$"):
        yield from variables(shell, word)
        if "::" not in word and _has_this(shell):
            yield from members(shell, "*this")
        yield from _named(shell.symbols.starting_with(word, _OPERANDS))
        yield from _spaces(shell, word) if word else ()
        return
    from dwarfgpu.language.convenience_functions import FUNCTIONS  # few words begin with `$`
    from dwarfgpu.language.wave_variables import WAVE_VARIABLES, machine_of
    from dwarfgpu.service.value.value_history import BUILT_IN

    yield Candidate("$pc", "the program location")
    if shell.session.architecture.is_simt:
        yield Candidate("$_lane", "the lane in focus")
        yield Candidate("$_lane_count", "lanes of the wave")
    if machine_of(shell.session) is not None:
        yield from (Candidate(f"${name}", about) for name, (_, about) in WAVE_VARIABLES.items())
    yield from (Candidate(f"${name}", item.about) for name, item in BUILT_IN.items())
    yield from (Candidate(f"${name}", "a convenience variable") for name in shell.values.named)
    functions = {**FUNCTIONS, **shell.values.functions}
    yield from (Candidate(f"${name}", "a function") for name in functions)
    for register in registers(shell, word[1:]):
        if register.text != "pc":
            yield Candidate(f"${register.text}", register.about)


def _spaces(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield address spaces: `private_lane#`."""
    for space in shell.session.architecture.address_spaces.values():
        if shell.session.architecture.is_simt and space.name.startswith(word):
            yield Candidate(f"{space.name}#", "an address space")


def _has_this(shell: Shell) -> bool:
    """Return whether the frame may be of a method."""
    subprogram = None if shell.session.pc is None else shell.session.frame.subprogram
    return subprogram is not None and subprogram.die.unit.is_cplusplus


def members(shell: Shell, text: str) -> Iterator[Candidate]:
    """Yield the members of an object, or of a pointer's target; reads nothing."""
    try:
        options = options_of(shell.session, shell.values)
        bare = strip(language.type_of(text, shell.session, options).type)
        if isinstance(bare, Pointer):
            bare = strip(bare.target)
        yield from _members_of(bare)
    except DwarfGpuError:
        return


def _members_of(type_: Type | None, depth: int = 0) -> Iterator[Candidate]:
    """Yield the members, including those of bases and unnamed members."""
    for member in type_.members if isinstance(type_, Struct) and depth < _MAX_BASES else ():
        if member.name is None or member.is_base_class:
            yield from _members_of(strip(member.type), depth + 1)
        else:
            yield Candidate(member.name, type_name(member.type))


def _object(text: str) -> str:
    """Return the postfix expression with which a text ends: `a.b[3]` of `1 + a.b[3]`, `(*p)`,
    `f(x)`."""
    position = _before_blanks(text, len(text))
    while True:
        while text[:position].endswith("]"):
            position = _before_blanks(text, _opening(text, position))
        if text[:position].endswith(")"):
            position = _opening(text, position)
        position = _name_before(text, position)
        before = _before_blanks(text, position)
        access = _ACCESS_BEFORE.search(text, 0, before)
        if access is None:
            return text[position:].strip()
        position = _before_blanks(text, access.start())


def _before_blanks(text: str, position: int) -> int:
    while position and text[position - 1].isspace():
        position -= 1
    return position


def _name_before(text: str, position: int) -> int:
    while position and (text[position - 1].isalnum() or text[position - 1] in "_$:"):
        position -= 1
    return position


def _opening(text: str, end: int) -> int:
    """Return where the bracket opens that closes before a position; 0 if it does not open."""
    depth = 0
    for position in range(end - 1, -1, -1):
        depth += (text[position] in ")]") - (text[position] in "([")
        if not depth:
            return position
    return 0


def _of_expression(shell: Shell, text: str) -> Completions:
    match = _IN_FILE.search(text)
    if match is not None:
        file = match["quoted"] or match["file"] or ""
        symbols = shell.symbols.in_file(file, match["word"], _OPERANDS)
        return match.start("word"), _named(symbols)
    match = _ACCESS.search(text)
    if match is not None:
        before = _object(text[: match.start()])
        is_number = is_decimal(before[:1])
        return match.start("word"), () if is_number else members(shell, before)
    match = _TAG.search(text)
    if match is not None:
        symbols = shell.symbols.starting_with(match["word"], _TAGS[match["tag"]])
        return match.start("word"), _named(symbols)
    match = _OPERAND.search(text)
    assert match is not None
    if text.count('"', 0, match.start()) % 2:
        return len(text), ()
    offered = operands(shell, match[0])
    is_quoted = text.count("'", 0, match.start()) % 2 and text[match.start() - 1] == "'"
    if not is_quoted:
        return match.start(), offered
    return match.start(), _filled_up(offered, lambda: _source_files(shell, match[0]))


def _source_files(shell: Shell, word: str, quote: str = "", end: str = "") -> Iterator[Candidate]:
    files = shell.symbols.files(word)
    return (Candidate(f"{quote}{name}{quote}{end}", "source file") for name in files)


VALUES: Final = ArgumentCompleter(_of_expression)
"""Expressions."""


def _named(symbols: Iterable[tuple[str, str]]) -> Iterator[Candidate]:
    return (Candidate(name, about) for name, about in symbols)


def _filled_up(
    offered: Iterable[Candidate], more: Callable[[], Iterable[Candidate]]
) -> list[Candidate]:
    """Return candidates, and more of them if the first ones are few enough to be shown."""
    candidates = list(offered)
    return candidates if len(candidates) >= MAX_NAMES else [*candidates, *more()]


def _of_symbol(shell: Shell, text: str) -> Completions:
    in_file = _in_file(shell, text)
    if in_file is not None:
        return in_file
    match = _OPEN_QUOTE.match(text)
    if match is not None:
        named = _named(shell.symbols.starting_with(match["word"], _OPERANDS))
        return match.start("quoted"), _in_quotes(named, match["quote"])
    start, offered = _of_expression(shell, text)

    def inlined() -> Iterable[Candidate]:
        return _named(shell.symbols.starting_with(text[start:], ("inlined function",)))

    return start, _filled_up(offered, inlined)


SYMBOLS: Final = ArgumentCompleter(_of_symbol)
"""Places as `list` takes them: any symbol, and functions of files."""


def _of_linespec(shell: Shell, text: str) -> Completions:
    if text.lstrip().startswith("*"):
        start, offered = _of_expression(shell, text)
        return start, (
            candidate for candidate in offered if candidate.text.startswith(text[start:])
        )
    condition = _CONDITION.search(text)
    if condition is not None:
        begin, offered = _of_expression(shell, text[condition.end() :])
        start = condition.end() + begin
        return start, (
            candidate for candidate in offered if candidate.text.startswith(text[start:])
        )
    in_file = _in_file(shell, text)
    if in_file is not None:
        return in_file
    match = _OPEN_QUOTE.match(text)
    if match is not None:
        word, quote = match["word"], match["quote"]
        names = [*_in_quotes(_named(shell.symbols.functions(word)), quote)]
        end = "" if names else ":"
        return match.start("quoted"), _filled_up(
            names, lambda: _source_files(shell, word, quote, end)
        )
    start = len(text) - len(text.lstrip())
    if text[start:].startswith("-"):
        return _of_explicit_location(shell, text)
    word = text[start:]
    candidates = _filled_up(
        _named(shell.symbols.functions(word)), lambda: _source_files(shell, word, end=":")
    )
    keyword = None if candidates else _KEYWORD.search(text)
    if keyword is None:
        return start, candidates
    begun = (name for name in _KEYWORDS if name.startswith(keyword["word"]))
    return keyword.start("word"), (Candidate(name) for name in begun)


def _in_file(shell: Shell, text: str) -> Completions | None:
    """Return the functions of a source file after `FILE:`; None for other texts."""
    match = _LINESPEC_IN_FILE.search(text)
    if match is None:
        return None
    symbols = shell.symbols.in_file(match["file"].strip("'\""), match["word"], CODE_KINDS)
    return match.start("word"), _named(symbols)


def _in_quotes(offered: Iterable[Candidate], quote: str) -> Iterator[Candidate]:
    """Yield candidates with the quote that was opened, and the one that closes it."""
    return (Candidate(f"{quote}{item.text}{quote}", item.about) for item in offered)


def _of_explicit_location(shell: Shell, text: str) -> Completions:
    """Complete `-function NAME`, `-source FILE` and the names of the parts."""
    match = _PART_NAME.search(text)
    if match is not None:
        names = (f"-{part}" for part in sorted(_PARTS))
        return match.start(), (Candidate(name) for name in names if name.startswith(match[0]))
    match = _PART.search(text)
    name = None
    if match is not None:
        name = next((part for part in _PARTS if part.startswith(match["name"])), None)
    if match is None or name not in ("source", "function", "qualified"):
        return len(text), ()
    start, value = match.start("value"), match["value"]
    if name == "source":
        return start, _source_files(shell, value)
    source = _SOURCE.search(text[:start])
    if source is None:
        return start, _named(shell.symbols.functions(value))
    return start, _named(shell.symbols.in_file(source["file"], value, CODE_KINDS))


LINESPECS: Final = ArgumentCompleter(_of_linespec, is_fitting=True)
"""Places as `break` takes them: functions, source files and the functions of these."""


def functions(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield functions."""
    return _named(shell.symbols.starting_with(word, CODE_KINDS))


def words(*choices: str) -> Callable[[Shell, str], Iterator[Candidate]]:
    """Return a completer that offers these words."""
    return lambda shell, word: (Candidate(choice) for choice in choices)


def with_options(
    names: Mapping[str, tuple[str, ...]] | tuple[str, ...], then: ArgumentCompleter | None = None
) -> ArgumentCompleter:
    """Return a completer of options with their values, and of what follows them."""
    values_of = names if isinstance(names, Mapping) else dict.fromkeys(names, ())

    def offer(shell: Shell, text: str) -> Completions:
        match = re.search(r"(?<!\S)\S*$", text)
        arguments = _FORMAT.sub("", text, count=1).split()
        assert match is not None
        if (
            arguments
            and arguments[0].startswith("-")
            and "--" not in arguments[: -1 if match[0] else None]
        ):
            if match[0].startswith("-"):
                return match.start(), (Candidate(value) for value in values_of)
            before = arguments[-2 if match[0] else -1 :][0]
            if len(arguments) > bool(match[0]) and values_of.get(before):
                return match.start(), (Candidate(value) for value in values_of[before])
        return (len(text), ()) if then is None else then.offer(shell, text)

    return ArgumentCompleter(offer)


def _of_line(shell: Shell, text: str) -> Completions:
    return completions(shell, text)


LINES: Final = ArgumentCompleter(_of_line)
"""Commands with their arguments."""


def lines_after(begin: str) -> ArgumentCompleter:
    """Return a completer of the rest of the command line that `begin` starts, for example after an
    LLDB name."""

    def offer(shell: Shell, text: str) -> Completions:
        start, candidates = completions(shell, begin + text)
        return max(start - len(begin), 0), candidates

    return ArgumentCompleter(offer)


def _of_with(shell: Shell, text: str) -> Completions:
    match = _WITH_END.search(text)
    if match is None:
        return lines_after("set ").offer(shell, text)
    start, candidates = completions(shell, text[match.end() :])
    return match.end() + start, candidates


UNDER_SETTING: Final = ArgumentCompleter(_of_with)
"""A setting, and after `--` a command."""


def applied(choices: tuple[str, ...], flags: tuple[str, ...]) -> ArgumentCompleter:
    """Return a completer of what `apply` takes: IDs, flags, a command."""

    def offer(shell: Shell, text: str) -> Completions:
        match = _APPLIED.match(text)
        if match is None:
            start = len(text) - len(text.lstrip())
            return start, (Candidate(choice) for choice in choices)
        start = _end(_FLAGS, text, match.end())
        if text[start:].startswith("-"):
            return start, (Candidate(flag) for flag in flags)
        inner, candidates = completions(shell, text[start:])
        return start + inner, candidates

    return ArgumentCompleter(offer)


def _of_pipe(shell: Shell, text: str) -> Completions:
    begin = _end(_DELIMITED, text, 0)
    if "|" in text[begin:]:
        match = _ARGUMENT.search(text)
        assert match is not None
        return match.start(), files(shell, match[0])
    if text[begin:] == "-":
        return begin, (Candidate("-d", "a delimiter other than |"),)
    start, candidates = completions(shell, text[begin:])
    return begin + start, candidates


PIPED: Final = ArgumentCompleter(_of_pipe)
"""A command, and after `|` files."""


def _of_alias(shell: Shell, text: str) -> Completions:
    begin = text.find("=") + 1
    if not begin:
        return with_options(("-a",)).offer(shell, text)
    start, candidates = completions(shell, text[begin:])
    return begin + start, candidates


ALIASED: Final = ArgumentCompleter(_of_alias)
"""A command after `=`."""


def _of_command_name(shell: Shell, text: str) -> Completions:
    commands, position = shell.commands, 0
    while True:
        position = _end(_BLANK, text, position)
        end = _end(_COMMAND, text, position)
        if end == len(text):
            return position, _commands(commands, text[position:])
        try:
            commands = find(commands, text[position:end]).subcommands
        except UsageError:
            return len(text), ()
        position = end
        if text[end : end + 1] not in (" ", "\t"):
            return len(text), ()


NESTED_NAMES: Final = ArgumentCompleter(_of_command_name)
"""Commands and their subcommands, without arguments."""


def registers(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield registers of the processor, with the types of their contents; halves of registers after
    `_`."""
    from dwarfgpu.language.machine_variables import lacks  # few words begin with `$`

    session = shell.session
    arch = session.architecture
    word = word.removeprefix("$")
    for register in (*arch.registers.values(), *arch.other_registers):
        if register.name.startswith(word) and not lacks(session, register):
            yield Candidate(register.name, register.type.name)
    for part in arch.register_parts.values() if "_" in word else ():
        if part.name.startswith(word):
            yield Candidate(part.name, part.type.name)
    for pseudo in arch.pseudo_registers.values() if "_" in word else ():
        if pseudo.name.startswith(word):
            yield Candidate(pseudo.name, pseudo.type.name)


def lanes(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield lane numbers."""
    session = shell.session
    mask, _ = session.active_lanes()
    for lane in lane_numbers(session):
        state = "" if mask is None else "active" if mask >> lane & 1 else "inactive"
        yield Candidate(str(lane), state)


def command_names(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield commands."""
    yield from _commands(shell.commands, word)


def files(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield the files of the folder typed so far."""
    folder, slash, _ = word.rpartition("/")
    try:
        for path in sorted(Path(folder + slash or ".").expanduser().iterdir()):
            yield Candidate(f"{folder}{slash}{path.name}" + ("/" if path.is_dir() else ""))
    except (OSError, RuntimeError, ValueError):
        return
