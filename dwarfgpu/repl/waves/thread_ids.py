"""Lists of threads as GDB takes them: `1-3 1.2 1.* $n`; 1 is the only inferior."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.printable import on_one_line
from dwarfgpu.errors import DwarfGpuError, SeveralLines, UsageError
from dwarfgpu.repl.number_lists import require_no_open_range
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import convenience_integer

_NUMBER: Final = r"[0-9]{1,9}|\$\w*"
_ID: Final = re.compile(
    rf"(?:(?P<inferior>{_NUMBER})\.)?(?:(?P<star>\*)|(?P<first>{_NUMBER})(?:-(?P<last>{_NUMBER}))?)"
    r"(?=\s|$)",
    re.ASCII,
)
_INFERIOR: Final = re.compile(rf"\A(?:{_NUMBER})\.", re.ASCII)
_ONE_NUMBER: Final = re.compile(rf"{_NUMBER}", re.ASCII)
_NEGATIVE: Final = re.compile(r"-0*[1-9][0-9]*", re.ASCII)
_MOST: Final = 100_000
"""Threads of one list."""


def leading_threads(shell: Shell, text: str) -> tuple[list[tuple[str, int]], str]:
    """Return the threads with which a text begins, as written and by number, and the rest.

    They need not exist. `UsageError` with GDB's wording for an impossible range.
    """
    threads: list[tuple[str, int]] = []
    rest = text.strip()
    while (match := _ID.match(rest)) is not None:
        inferior = match["inferior"]
        is_other = inferior is not None and _number(shell, inferior, rest) != 1
        qualifier = "" if inferior is None else f"{inferior}."
        if match["star"]:
            numbers = [] if is_other else sorted(shell.machine.threads)
        else:
            numbers = [*_range(shell, match["first"], match["last"], rest)]
        # A thread of another inferior does not exist: no thread has a negative number.
        threads += [(f"{qualifier}{n}", -1 if is_other else n) for n in numbers]
        rest = rest[match.end() :].strip()
    require_no_open_range(_INFERIOR.sub("", rest, count=1))
    return threads, rest


def single_thread(shell: Shell, text: str) -> tuple[int, str]:
    """Return the existing thread whose ID begins a text, and the text after it. `UsageError` with
    GDB's wording if there is none."""
    text = text.strip()
    word, _, rest = text.partition(" ")
    inferior, point, thread = word.partition(".")
    if point:
        of_inferior = _not_negative(shell, inferior, text)
        if of_inferior == 0:
            raise UsageError(f"Invalid thread ID: {text}")
        if of_inferior != 1:
            raise UsageError(f"No inferior number '{of_inferior}'")
    number = _not_negative(shell, thread if point else word, text)
    if number in shell.machine.threads:  # waves of a state may begin with 0
        return number, rest.strip()
    if number == 0:
        raise UsageError(f"Invalid thread ID: {text}")
    raise UsageError(f"Unknown thread {'1.' if point else ''}{number}.")


def _not_negative(shell: Shell, word: str, text: str) -> int:
    """Return a number of a thread's ID; `UsageError` with GDB's wording where it is negative or
    none."""
    if _ONE_NUMBER.fullmatch(word):
        number = _number(shell, word, text)
        if number >= 0:
            return number
    elif _NEGATIVE.fullmatch(word) is None:
        raise UsageError(f"Invalid thread ID: {text}")
    raise UsageError(f"negative value: {text}")


def _range(shell: Shell, first: str, last: str | None, text: str) -> range:
    begin = _number(shell, first, text)
    end = begin if last is None else _number(shell, last, text)
    if begin <= 0:
        raise UsageError(f"Invalid thread ID: {text}")
    if end < begin:
        raise UsageError("inverted range")
    if end - begin >= _MOST:
        raise UsageError(f"More than {_MOST} threads: {text}")
    return range(begin, end + 1)


def _number(shell: Shell, word: str, text: str) -> int:
    if is_decimal(word):
        return int(word)
    try:
        return convenience_integer(shell.session, shell.values, word)
    except DwarfGpuError as error:
        raise SeveralLines(f"{on_one_line(error.message)}\nInvalid thread ID: {text}") from None
