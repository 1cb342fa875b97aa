"""`set dwarfgpu max-steps N`: the limits of the command line's options as settings of GDB, and what
vector registers are assumed to hold (`set dwarfgpu vgpr-holds`)."""

from __future__ import annotations

from functools import cache
from typing import Final

import gdb

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits, Limits
from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS
from dwarfgpu.options.limit_options import EVALUATION_LIMITS, FILE_LIMITS

_EVALUATION: Final = Limits()


class _LimitParameter(gdb.Parameter):  # type: ignore[misc]  # gdb has no types
    """One limit, beyond which it is LimitExceeded."""

    def __init__(self, option: str, bounds: str, default: int) -> None:
        self.set_doc = f"Set how many: {bounds}."
        self.show_doc = f"Show how many: {bounds}."
        super().__init__(f"dwarfgpu {option[2:]}", gdb.COMMAND_DATA, gdb.PARAM_ZUINTEGER)
        self.value = default
        self.bounds = bounds

    def get_set_string(self) -> str:
        """Return the text that GDB prints after `set`."""
        limits.cache_clear()
        file_limits.cache_clear()
        return ""

    def get_show_string(self, value: object) -> str:
        """Return the text that GDB prints for `show`."""
        return f"At most {value}: {self.bounds}."


class _VgprParameter(gdb.Parameter):  # type: ignore[misc]  # gdb has no types
    """Set what a vector register holds where upstream clang does not say it."""

    set_doc = "Set what a vector register holds where upstream clang does not say it."
    show_doc = "Show what a vector register holds where upstream clang does not say it."

    def __init__(self) -> None:
        words = ("unknown", *VGPR_HOLDS.values())
        super().__init__("dwarfgpu vgpr-holds", gdb.COMMAND_DATA, gdb.PARAM_ENUM, words)
        self.value = words[0]

    def get_set_string(self) -> str:
        """Return the text that GDB prints after `set`."""
        return ""

    def get_show_string(self, value: object) -> str:
        """Return the text that GDB prints for `show`."""
        return f"What a vector register holds where upstream clang does not say it is {value}."


class _Prefix(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Settings of dwarfgpu: limits, beyond which an answer is LimitExceeded, and vgpr-holds."""

    def __init__(self, verb: str) -> None:
        super().__init__(f"{verb} dwarfgpu", gdb.COMMAND_DATA, prefix=True)
        self._is_show = verb == "show"

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Report an error: GDB calls this where no known setting follows."""
        if argument:
            raise gdb.GdbError(f'dwarfgpu has no setting "{argument.split()[0]}".')
        if not self._is_show:
            gdb.execute("help set dwarfgpu", from_tty)
            return
        for option, setting in _SETTINGS.items():
            print(f"{option[2:]}:  {setting.get_show_string(setting.value)}")
        for assumed in _ASSUMED:
            print(f"vgpr-holds:  {assumed.get_show_string(assumed.value)}")


_SETTINGS: Final[dict[str, _LimitParameter]] = {}
"""Keyed by option; empty if the package was imported without its commands."""
_ASSUMED: Final[list[_VgprParameter]] = []


def install_limits() -> None:
    """Add the settings to GDB."""
    for verb in ("set", "show"):
        _Prefix(verb)
    for options, limits in ((EVALUATION_LIMITS, _EVALUATION), (FILE_LIMITS, DEFAULT_FILE_LIMITS)):
        for option, (name, bounds) in options.items():
            _SETTINGS[option] = _LimitParameter(option, bounds, getattr(limits, name))
    _ASSUMED.append(_VgprParameter())


def quirks() -> frozenset[str]:
    """Return the quirk that says what vector registers hold, if it is set."""
    assumed = {setting.value for setting in _ASSUMED}
    return frozenset(name for name, contents in VGPR_HOLDS.items() if contents in assumed)


@cache
def limits() -> Limits:
    """Return the limits of an evaluation, as set."""
    return Limits(**_set(EVALUATION_LIMITS))


@cache
def file_limits() -> FileLimits:
    """Return the limits of each file, as set."""
    return FileLimits(**_set(FILE_LIMITS), index_cache=False)


def _set(options: dict[str, tuple[str, str]]) -> dict[str, int]:
    return {
        field: _SETTINGS[option].value
        for option, (field, _) in options.items()
        if option in _SETTINGS
    }
