"""Where the options of a command end and its expression begins, as in GDB: `print -- x`."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError

_END: Final = pattern(r"--(?:\s+|$)")
OF_PRINT: Final = (
    "address", "array", "array-indexes", "elements", "max-depth", "memory-tag-violations",
    "nibbles", "null-stop", "object", "pretty", "raw-values", "repeats", "static-members", "symbol",
    "union", "vtbl",
)  # fmt: skip
"""The options of `print` in GDB."""
_OPERATOR: Final = r"(?:and|as|div|in|is|mod|or|rem|shl|shr|xor)\b"
"""Operators of Ada, C++, D, Pascal and Rust that are words."""
_OPTION: Final = pattern(
    rf"(?P<word>-[A-Za-z][\w-]*)\s+(?:(?:.*\s)?--(?:\s|$)|(?P<operator>{_OPERATOR})|[\w$'\"])",
    re.DOTALL | re.IGNORECASE,
)
"""A word that can only be an option: before the end of the options, or before an operand."""
_OPERATORS: Final = ("-sizeof",)
_LONE_DASH: Final = pattern(r"-(?:\s|$)")


def without_options(text: str, command: str) -> str:
    """Return the expression after `--`; `UsageError` for an option, because the commands have none.

    A leading `--` is never an operator: that of C would change the program.
    """
    text = text.strip()
    end = _END.match(text)
    if end is not None:
        return text[end.end() :]
    if text.startswith("--"):
        remainder = text.removeprefix("--")
        raise UsageError(
            f'`--\' ends the options of "{command}": '
            f"write -- {remainder}, or (--{remainder}) for operators"
        )
    word = first_option(text)
    if word is not None:
        raise UsageError(f'"{command}" has no option {word}.')
    return text


def require_option_name(text: str) -> None:
    """Raise `UsageError` for a dash without a name, with which the name of every option begins."""
    if _LONE_DASH.match(text):
        raise UsageError(f"Ambiguous option at: {text}")


def first_option(text: str) -> str | None:
    """Return the word at the start of a text that can only be an option; None for an expression."""
    option = _OPTION.match(text)
    if option is None or option["word"] in _OPERATORS:
        return None
    is_operand = option["operator"] is not None and option["word"][1:] not in OF_PRINT
    return None if is_operand else option["word"]
