"""Error texts at the prompt, with GDB's wording where GDB has a message for the error."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.printable import on_one_line
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    MissingContext,
    OutOfRange,
    SeveralLines,
    Unavailable,
    UndefinedBits,
)
from dwarfgpu.language import is_in_gdbs_words

_VALUES: Final = (EvaluationError, MissingContext, OutOfRange, Unavailable, UndefinedBits)
"""Errors whose messages are complete by themselves."""
_OPTIMIZED_OUT: Final = "value has been optimized out"


def message_of(error: DwarfGpuError) -> str:
    """Return the message of a command that failed; for a missing value, only the reason."""
    if isinstance(error, IllFormed):
        return _lines(error)
    if error.site is not None or type(error) not in _VALUES:
        return error_text(error)
    message = _lines(error)
    if type(error) is UndefinedBits and not message.startswith(_OPTIMIZED_OUT):
        return f"{_OPTIMIZED_OUT}: {message}"
    return message


def error_text(error: DwarfGpuError) -> str:
    """Return the message with GDB's wording; an error of the engine adds who is at fault."""
    if type(error) is UndefinedBits and error.site is not None:
        return f"{_OPTIMIZED_OUT}: {error}"
    return _lines(error) if is_in_gdbs_words(error) else f"{error.kind}: {_lines(error)}"


def _lines(error: DwarfGpuError) -> str:
    """Return the text, which the terminal escapes; no name in it ends a line."""
    return error.text if isinstance(error, SeveralLines) else on_one_line(error.text)
