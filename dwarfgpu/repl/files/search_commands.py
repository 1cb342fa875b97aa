"""`search` and `reverse-search`: lines of source text by regular expressions, with GDB's
wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.errors import UsageError
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.list_commands import listed_before
from dwarfgpu.repl.files.posix_regexps import INVALID, compiled
from dwarfgpu.repl.files.shown_source import text_of
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Listed, Shell
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.base.text_lines import TextLines

MOST_CHARACTERS: Final = 1 << 26
"""Characters of the lines that one command goes through, each line counted as `_OF_A_LINE` more:
three to four seconds. The same command goes on behind them."""
_OF_A_LINE: Final = 16
_AT_ONCE: Final = 100
"""Lines read before it is asked whether the file has changed."""
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
        pattern = compiled(argument or shell.searched, is_of_names=False)
    except UsageError as error:
        raise UsageError(error.message.removeprefix(INVALID)) from None
    shell.searched = argument or shell.searched
    position, frame, last = listed_before(shell)
    text = text_of(shell, position)
    if text is None:
        raise UsageError(f"{position.file}: No such file or directory.")
    count = len(text)  # `list` may have asked for a line far beyond the end
    lines = range(max(last + 1, 1), count + 1) if step > 0 else range(min(last - 1, count), 0, -1)
    work_left = MOST_CHARACTERS
    for number, line in _numbered(text, lines):
        work_left -= len(line) + _OF_A_LINE
        is_match = pattern.search(line)
        if is_match or work_left < 0:
            half = (shell.settings.limit("listsize") or _DEFAULT_LINES) // 2
            shell.listed = Listed(frame, position, number, max(number - half, 1))
            if not is_match:
                raise UsageError(
                    f"Expression not found up to line {number}; the same command goes on there"
                )
            shell.values.named["_"] = integer_value(shell.session.architecture, number)
            data: JsonObject = {"line": number, "text": line}
            yield Output("", {"file": position.file, "fullname": position.path})
            yield Output(f"{number}\t{line}", data, "source")
            return
    raise UsageError("Expression not found")


def _numbered(text: TextLines, numbers: range) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, which count from 1."""
    for first in range(0, len(numbers), _AT_ONCE):
        some = numbers[first : first + _AT_ONCE]
        indices = range(some.start - 1, some.stop - 1, some.step)
        yield from zip(some, text.counted(indices), strict=True)
