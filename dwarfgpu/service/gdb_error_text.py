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


def message_of(error: DwarfGpuError) -> str:
    """Return the message of a command that failed; for a missing value, only the reason."""
    if isinstance(error, IllFormed):
        return str(error)
    return str(error) if error.site is None and type(error) in _VALUES else error_text(error)


def error_text(error: DwarfGpuError) -> str:
    """Return the message with GDB's wording; an error of the engine adds who is at fault."""
    if type(error) is UndefinedBits and error.site is not None:
        return f"value has been optimized out: {error}"
    return str(error) if is_in_gdbs_words(error) else f"{error.kind}: {error}"
