"""Error texts at the prompt, with GDB's wording where GDB has a message for the error."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    MissingContext,
    OutOfRange,
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
        return error.text
    if error.site is not None or type(error) not in _VALUES:
        return error_text(error)
    message = error.text
    if type(error) is UndefinedBits and not message.startswith(_OPTIMIZED_OUT):
        return f"{_OPTIMIZED_OUT}: {message}"
    return message


def error_text(error: DwarfGpuError) -> str:
    """Return the message with GDB's wording; an error of the engine adds who is at fault."""
    if type(error) is UndefinedBits and error.site is not None:
        return f"{_OPTIMIZED_OUT}: {error}"
    return error.text if is_in_gdbs_words(error) else f"{error.kind}: {error.text}"
