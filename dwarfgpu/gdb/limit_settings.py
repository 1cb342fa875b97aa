"""`set dwarfgpu max-steps N`: the limits of the command line's options as settings of GDB."""

from __future__ import annotations

from functools import cache
from typing import Final

import gdb

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits, Limits
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


class _Prefix(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Limits of dwarfgpu, beyond which an answer is LimitExceeded."""

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


_SETTINGS: Final[dict[str, _LimitParameter]] = {}
"""Keyed by option; empty if the package was imported without its commands."""


def install_limits() -> None:
    """Add the settings to GDB."""
    for verb in ("set", "show"):
        _Prefix(verb)
    for options, limits in ((EVALUATION_LIMITS, _EVALUATION), (FILE_LIMITS, DEFAULT_FILE_LIMITS)):
        for option, (name, bounds) in options.items():
            _SETTINGS[option] = _LimitParameter(option, bounds, getattr(limits, name))


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
