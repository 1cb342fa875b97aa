"""`search` and `reverse-search`: lines of source text by regular expressions, with GDB's
wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.errors import UsageError
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.list_commands import listed_before
from dwarfgpu.repl.files.posix_regexps import INVALID, compiled
from dwarfgpu.repl.files.shown_source import text_of
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Listed, Shell
from dwarfgpu.view.json_object import JsonObject

_DEFAULT_LINES: Final = 10


@command("forward-search", topic="files", aliases=("search", "fo"))
def forward_search(shell: Shell, argument: str) -> Iterator[Part]:
    """Search source lines forward for a regular expression.

    Usage: forward-search [REGEXP]

    The matching line number is also stored as the value of "$_". Without REGEXP, uses the last one.
    """
    yield from _search(shell, argument, step=1)


@command("reverse-search", topic="files", aliases=("rev",))
def reverse_search(shell: Shell, argument: str) -> Iterator[Part]:
    """Search source lines backward for a regular expression.

    Usage: reverse-search [REGEXP]

    The matching line number is also stored as the value of "$_". Without REGEXP, uses the last one.
    """
    yield from _search(shell, argument, step=-1)


def _search(shell: Shell, argument: str, *, step: int) -> Iterator[Part]:
    if not (argument or shell.searched):
        raise UsageError("No previous regular expression")
    try:
        pattern = compiled(argument or shell.searched)
    except UsageError as error:
        raise UsageError(error.message.removeprefix(INVALID)) from None
    shell.searched = argument or shell.searched
    position, frame, last = listed_before(shell)
    text = text_of(shell, position)
    if text is None:
        raise UsageError(f"{position.file}: No such file or directory.")
    count = len(text)  # `list` may have asked for a line far beyond the end
    lines = range(max(last + 1, 1), count + 1) if step > 0 else range(min(last - 1, count), 0, -1)
    for number in lines:
        if pattern.search(text[number - 1]):
            half = (shell.settings.limit("listsize") or _DEFAULT_LINES) // 2
            shell.listed = Listed(frame, position, number, max(number - half, 1))
            shell.values.named["_"] = integer_value(shell.session.architecture, number)
            data: JsonObject = {"line": number, "text": text[number - 1]}
            yield Output("", {"file": position.file, "fullname": position.path})
            yield Output(f"{number}\t{text[number - 1]}", data, "source")
            return
    raise UsageError("Expression not found")
