"""What can be typed next: every way to complete a line, as plain data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dwarfgpu import language
from dwarfgpu.cli.repl.command import Candidate, Command, find, fitting
from dwarfgpu.cli.repl.data.values import options_of
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.repl.stack.focus import lane_numbers
from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.dwarf.types import Pointer, Struct, strip
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.wave_variables import WAVE_VARIABLES, placed_in

_BLANK = re.compile(r"\s*")
_COMMAND = re.compile(r"[\w.-]*")
_ARGUMENT = re.compile(r"[^\s,()]*$")
_OPERAND = re.compile(r"\$?[\w$:]*$")
_MEMBER = re.compile(
    r"(?<![\w$:.])(?<!->)(?P<object>[\w$:]++(?:\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]|(?:\.|->)\w++)*)"
    r"(?:\.|->)(?P<word>\w*)$"
)
"""A member that is being typed, and the object that it is of: `a.b[3]->c`."""


def completions(shell: Shell, text: str) -> tuple[int, list[Candidate]]:
    """Where the word at the end of `text` begins, and what it can become."""
    commands, position, found = shell.commands, 0, None
    while found is None or found.subcommands:
        position = _end(_BLANK, text, position)
        end = _end(_COMMAND, text, position)
        word = text[position:end]
        takes_other = found is not None and found.takes_other
        is_other = takes_other and end < len(text) and not word
        if is_other or (takes_other and not fitting(commands, word)):
            break
        if end == len(text):
            return position, _commands(commands, word)
        try:
            found = find(commands, word)
        except UsageError:
            return len(text), []
        commands, position = found.subcommands, end
    assert found is not None
    if found.complete is None or re.fullmatch(r"/\S*", text[position:]):  # a format is typed
        return len(text), []
    is_expression = found.complete is values
    member = _MEMBER.search(text, position) if is_expression else None
    if member is not None:
        parts = members(shell, member["object"])
        return member.start("word"), [each for each in parts if _fits(each.text, member["word"])]
    match = (_OPERAND if is_expression else _ARGUMENT).search(text, position)
    assert match is not None
    word = match[0]
    return match.start(), [each for each in found.complete(shell, word) if _fits(each.text, word)]


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _fits(text: str, word: str) -> bool:
    return text.lower().startswith(word.lower())


def _commands(commands: Iterable[Command], word: str) -> list[Candidate]:
    """Commands by their first name; by another one only where that is what is typed."""
    out: list[Candidate] = []
    commands = [each for each in commands if not each.is_absent]
    own = [each for each in commands if not each.is_foreign]
    is_own = not word or any(name.startswith(word) for each in own for name in each.words)
    for each in own if own and is_own else commands:
        names = [each.word] if each.word.startswith(word) else list(each.aliases)
        out += [Candidate(name, each.summary) for name in names if name.startswith(word)][:1]
    return sorted(out, key=lambda candidate: candidate.text)


def variables(shell: Shell, word: str) -> Iterator[Candidate]:
    """Variables in scope, with their types."""
    try:
        found = shell.session.variables()
    except DwarfGpuError:
        return
    level = shell.session.inline_level
    for each in found:
        is_seen = each.kind == "global" or each.inline_level == level
        if is_seen and not each.is_shadowed and _fits(each.name, word):
            try:
                about = each.type_text or ""
            except DwarfGpuError:
                about = ""
            yield Candidate(each.name, about)


def values(shell: Shell, word: str) -> Iterator[Candidate]:
    """Operands of expressions: variables, and after `$` registers."""
    if not word.startswith("$"):
        found = list(variables(shell, word))
        yield from found
        near = {each.text for each in found}
        if word:  # all names of a program are no help
            names = shell.symbols.starting_with(word)
            yield from (Candidate(*each) for each in names if each[0] not in near)
            yield from _spaces(shell, word)
        return
    yield Candidate("$pc", "the program location")
    if shell.session.architecture.is_simt:
        yield Candidate("$_lane", "the lane in focus")
        yield Candidate("$_lane_count", "lanes of the wave")
    if placed_in(shell.session) is not None:
        yield from (Candidate(f"${name}", about) for name, (_, about) in WAVE_VARIABLES.items())
    yield Candidate("$_thread", "the wave or thread in focus")
    yield from (Candidate(f"${name}", "a convenience variable") for name in shell.values.named)
    for each in registers(shell, word[1:]):
        if each.text != "pc":
            yield Candidate(f"${each.text}", each.about)


def _spaces(shell: Shell, word: str) -> Iterator[Candidate]:
    """Address spaces: `private_lane#`."""
    for each in shell.session.architecture.address_spaces.values():
        if shell.session.architecture.is_simt and _fits(each.name, word):
            yield Candidate(f"{each.name}#", "an address space")


def members(shell: Shell, text: str) -> Iterator[Candidate]:
    """The members of an object, or of what a pointer points to; nothing is read."""
    try:
        options = options_of(shell.session, shell.values)
        bare = strip(language.type_of(text, shell.session, options).type)
        if isinstance(bare, Pointer):
            bare = strip(bare.target)
        found = bare.members if isinstance(bare, Struct) else ()
    except DwarfGpuError:
        return
    for each in found:
        if each.name is not None and not each.is_base_class:
            yield Candidate(each.name, type_name(each.type))


def registers(shell: Shell, word: str) -> Iterator[Candidate]:
    """Registers, with the types of their contents; halves of registers from the `_` on."""
    arch = shell.session.architecture
    word = word.removeprefix("$")
    for each in (*arch.registers.values(), *arch.other_registers):
        if _fits(each.name, word):
            yield Candidate(each.name, each.type.name)
    for part in arch.register_parts.values() if "_" in word else ():
        if _fits(part.name, word):
            yield Candidate(part.name, part.type.name)
    for pseudo in arch.pseudo_registers.values() if "_" in word else ():
        if _fits(pseudo.name, word):
            yield Candidate(pseudo.name, pseudo.type.name)


def lanes(shell: Shell, word: str) -> Iterator[Candidate]:
    """Lane numbers."""
    session = shell.session
    mask, _ = session.active_lanes()
    for lane in lane_numbers(session):
        state = "" if mask is None else "active" if mask >> lane & 1 else "inactive"
        yield Candidate(str(lane), state)


def command_names(shell: Shell, word: str) -> Iterator[Candidate]:
    """Commands."""
    yield from _commands(shell.commands, word)


def files(shell: Shell, word: str) -> Iterator[Candidate]:
    """Files of the folder that is typed so far."""
    folder, slash, _ = word.rpartition("/")
    try:
        for each in sorted(Path(folder + slash or ".").expanduser().iterdir()):
            yield Candidate(f"{folder}{slash}{each.name}" + ("/" if each.is_dir() else ""))
    except (OSError, RuntimeError, ValueError):
        return
