"""Frames that are typed: `2`, `level 2`, `function main`, `address 0x7fffffffed30`."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu import language
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.addresses import whole_number
from dwarfgpu.language.linespec import entry_of, functions_of
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, Completer, command
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.past_main import frame_numbered, levels_of
from dwarfgpu.service.value.value_history import options_of, required
from dwarfgpu.session.stack_frames import StackFrame, frames_in, readable_functions_at

_WORDS = ("address", "function", "level")


def frame_number(shell: Shell, argument: str) -> int:
    """Return the number of the selected frame; `UsageError` with GDB's wording if there is none."""
    word, _, rest = argument.partition(" ")
    rest = rest.strip()
    meant = [keyword for keyword in _WORDS if word.isalpha() and keyword.startswith(word)]
    if len(meant) != 1:
        return _level(shell, argument)
    match meant[0]:
        case "level":
            return _level(shell, rest)
        case "function":
            if not rest:
                raise UsageError("Missing function name argument")
            return _of_function(shell, rest)
        case _:
            return _at(shell, integer(shell, rest), rest)


def _level(shell: Shell, text: str) -> int:
    number = integer(shell, text)
    _require_registers(shell)
    return frame_numbered(shell, number, text).number


def _require_registers(shell: Shell) -> None:
    if shell.session.pc is None:
        raise UsageError("No registers.")  # GDB's words for a stack that has no frames


def integer(shell: Shell, text: str) -> int:
    """Return the integer value of an expression."""
    required(text)
    value = language.evaluate(text, shell.session, options_of(shell.session, shell.values))
    return whole_number(shell.session, value)


def _of_function(shell: Shell, name: str) -> int:
    meant = {declaration_of(function.die) for function in functions_of(shell.session, name)}
    entry = None if meant else entry_of(shell.session, name)
    _require_registers(shell)
    top = shell.session.at_level(0)
    looked_at: set[int] = set()
    for level in levels_of(shell):
        if top.lane is None and level.physical.location in looked_at:
            continue  # a recursion: it was none of the frames there
        looked_at.add(level.physical.location)
        for candidate in frames_in(top, level):
            own = readable_functions_at(candidate.session)
            inline_level = candidate.session.inline_level
            if inline_level < len(own):
                is_meant = declaration_of(own[inline_level]) in meant
            else:  # where it cannot be read, it has the name of its symbol
                is_meant = candidate.problem is not None and candidate.function == name
            is_meant = is_meant or (entry is not None and entry in _entries(candidate))
            if is_meant and candidate.has_lane:
                return candidate.number
    raise UsageError(f'No frame for function "{name}".')


def _entries(frame: StackFrame) -> list[int]:
    """Return where the functions of a frame begin, inlined ones by the code of their own; where no
    entry describes the code, its symbol."""
    session = frame.session
    code_object, pc = session.code_object, session.pc
    if code_object is None or pc is None:
        return []
    try:
        chain = readable_functions_at(session)
        if not chain:
            symbol = symbol_covering((code_object,), pc)
            return [] if symbol is None else [pc - symbol.offset]
        own = chain[session.inline_level]
        subprogram = code_object.scopes.subprogram_at(pc)
        if subprogram is None or own != subprogram.die:
            return []
        return [span.begin for span in subprogram.ranges]
    except DwarfGpuError:
        return []


def _at(shell: Shell, address: int, text: str) -> int:
    _require_registers(shell)
    top = shell.session.at_level(0)
    for level in levels_of(shell):
        physical = level.physical
        try:
            cfa = physical.cfa() if physical.level else top.frame.cfa()
        except DwarfGpuError:
            continue
        if cfa.single_locations[0].byte_address == address:
            numbers = [frame.number for frame in frames_in(top, level) if frame.has_lane]
            if numbers:  # as in GDB, the function itself, into which others are inlined
                return numbers[-1]
    raise UsageError(f"No frame at address {text}.")


def frame_words(family: Command) -> tuple[Command, ...]:
    """Return the subcommands `address`, `function` and `level`, with the arguments of the family
    itself."""
    return (
        _word(family, "address", "stack address", "ADDRESS", completion.VALUES),
        _word(family, "function", "function name", "NAME", completion.FUNCTIONS),
        _word(family, "level", "level", "LEVEL", None),
    )


def _word(family: Command, word: str, by: str, argument: str, complete: Completer) -> Command:
    verb = "Describe" if family.name.startswith("info") else "Look at"

    def run(shell: Shell, text: str) -> Iterator[Part]:
        yield from family.run(shell, f"{word} {text}".rstrip())

    run.__doc__ = f"{verb} a frame by its {by}.\n\nUsage: {family.name} {word} {argument}"
    name = f"{family.name} {word}"
    return command(name, topic="stack", complete=complete, repeats=family.repeats)(run)
