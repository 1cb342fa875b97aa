"""The subcommands of `frame` and `info frame` for selecting a frame."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, Completer, command
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.shell import Shell


def frame_words(family: Command) -> tuple[Command, ...]:
    """`address`, `function` and `level`, as the family itself takes them."""
    return (
        _word(family, "address", "stack address", "ADDRESS", completion.values),
        _word(family, "function", "function name", "NAME", completion.functions),
        _word(family, "level", "level", "LEVEL", None),
    )


def _word(family: Command, word: str, by: str, argument: str, complete: Completer) -> Command:
    verb = "Describe" if family.name.startswith("info") else "Look at"

    def run(shell: Shell, text: str) -> Iterator[Part]:
        yield from family.run(shell, f"{word} {text}".rstrip())

    run.__doc__ = f"{verb} a frame by its {by}.\n\nUsage: {family.name} {word} {argument}"
    name = f"{family.name} {word}"
    return command(name, topic="stack", complete=complete, repeats=family.repeats)(run)
