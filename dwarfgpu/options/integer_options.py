"""Options that are integers, or may be."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base import json_reader
from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError

PLACE: Final = "PLACE"
PLACE_HELP: Final = "an address, FILE:LINE, FUNCTION, FUNCTION+OFFSET or *EXPRESSION"
"""A program location, which may be a number (`dwarfgpu.options.program_location`)."""


def number(text: str | None, option: str) -> int | None:
    """Return an integer option; None if it is absent."""
    if text is None:
        return None
    value = json_reader.integer_of(text)
    if value is None and not _HUGE.fullmatch(text):
        raise UsageError(f"{option}: expected an integer, not {cut_short(text)!r}")
    if value is None or not -(1 << 63) <= value < 1 << 64:
        raise UsageError(f"{option}: {cut_short(text)} does not fit 64 bits")
    return value


_HUGE: Final = pattern(r"-?[1-9][0-9]{4299,}")
"""An integer of more digits than Python reads, if `integer_of` refuses it."""
_SEVERAL: Final = pattern(r"all|active|inactive|[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*")
"""A choice of several lanes, which is not a number."""


def lane_number(text: str | None) -> int | None:
    """Return the number that `--lane` names; None if it is absent."""
    is_integer = text is None or json_reader.integer_of(text) is not None
    if text is not None and not is_integer and not _HUGE.fullmatch(text):
        if _SEVERAL.fullmatch(text):
            raise UsageError(
                f"--lane {cut_short(text)}: this command works on one lane; eval and lanes take "
                "several"
            )
        raise UsageError(
            f"--lane {cut_short(text)}: expected a lane, several as in 0-3,7, or active, inactive "
            "or all"
        )
    return natural(text, "--lane")


def wave_number(text: str | None, option: str) -> int | None:
    """Return the number of the one wave that a command works on; None if it is absent."""
    if text == "all":
        raise UsageError(f"{option} all: this command works on one wave; eval and lanes take all")
    return natural(text, option)


def natural(text: str | None, option: str) -> int | None:
    """Return a nonnegative option; None if it is absent."""
    value = number(text, option)
    if value is not None and value < 0:
        raise UsageError(f"{option}: expected an integer of at least 0, not {text}")
    return value


def byte(text: str | None, option: str) -> int | None:
    """Return an option that is a byte; None if it is absent."""
    if text is None:
        return None
    value = json_reader.integer_of(text)
    if value is None or not 0 <= value <= 255:
        raise UsageError(f"{option} {cut_short(text)}: expected a byte, 0 to 255")
    return value


def cut_short(text: str) -> str:
    """Return a text for a message, truncated if it is long."""
    return text if len(text) <= 40 else f"{text[:37]}..."
