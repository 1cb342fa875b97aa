"""The options of `print` according to GDB's settings."""

from __future__ import annotations

from functools import cache
from typing import Final

import gdb

from dwarfgpu.gdb.machine.gdb_target import selected_wave
from dwarfgpu.view.values import FormatOptions

PRINT_SETTINGS: Final = (
    "print pretty", "print array", "print array-indexes", "print null-stop", "print symbol",
    "print union", "print static-members", "print raw-values", "print elements",
    "print characters", "print repeats", "print max-depth",
)  # fmt: skip
"""The settings of GDB that apply to text of ours."""


def print_options(letter: str | None = None) -> FormatOptions:
    """Return the print options according to GDB's settings."""

    def limit(name: str) -> int:
        value = gdb.parameter(f"print {name}")
        return 1 << 30 if value is None or value < 0 else int(value)

    def is_on(name: str) -> bool:
        return bool(gdb.parameter(f"print {name}"))

    return FormatOptions(
        letter,
        pretty=is_on("pretty"),
        array=is_on("array"),
        array_indexes=is_on("array-indexes"),
        null_stop=is_on("null-stop"),
        symbol=is_on("symbol"),
        union=is_on("union"),
        raw=is_on("raw-values"),
        static_members=is_on("static-members"),
        elements=limit("elements"),
        string_characters=_string_characters(),
        cut_runs=_cuts_runs(),
        repeats=limit("repeats"),
        max_depth=limit("max-depth"),
        cplusplus=_language() == "c++",
        utf8=_is_utf8(gdb.target_charset()),
        sevenbit=not _is_utf8(gdb.host_charset()),
    )


def parameter(name: str) -> object:
    """Return a setting; "elements" for `print characters` in a GDB without it."""
    try:
        return gdb.parameter(name)
    except RuntimeError:
        if name != "print characters":
            raise
        return "elements"


def _string_characters() -> int | None:
    """Return the limit of `print characters`; None: that of `print elements`."""
    value = parameter("print characters")
    if value == "elements":
        return None
    return value if isinstance(value, int) and value >= 0 else 1 << 30


@cache
def _cuts_runs() -> bool:
    """Return whether this GDB ends equal characters at `print elements`: 16 does, 13 does not."""
    characters, limits = gdb.Value("aabb"), {"max_elements": 1, "repeat_threshold": 10, "raw": True}
    try:
        text = characters.format_string(max_characters=1, **limits)
    except TypeError:  # of a GDB without `print characters`
        text = characters.format_string(**limits)
    return "aa" not in text


def _is_utf8(charset: str) -> bool:
    return charset.upper() in ("UTF-8", "UTF8")


def _language() -> str:
    """Return the language of the selected frame, as GDB names it."""
    name = gdb.parameter("language")
    if name in ("auto", "local") and selected_wave() is not None:
        name = gdb.selected_frame().language()
    return str(name)
