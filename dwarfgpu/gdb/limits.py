"""`set dwarfgpu max-steps N`: the budgets of the command line's options as settings of GDB."""

from __future__ import annotations

from functools import cache
from typing import Final

import gdb

from dwarfgpu.access.limits import Limits
from dwarfgpu.objfile.file_limits import DEFAULT_LIMITS, FileLimits
from dwarfgpu.options.limit_options import EVALUATION_BUDGETS, FILE_BUDGETS

_EVALUATION: Final = Limits()


class _Budget(gdb.Parameter):  # type: ignore[misc]  # gdb has no types
    """One budget, beyond which it is LimitExceeded."""

    def __init__(self, option: str, bounds: str, default: int) -> None:
        self.set_doc = f"Set how many: {bounds}."
        self.show_doc = f"Show how many: {bounds}."
        super().__init__(f"dwarfgpu {option[2:]}", gdb.COMMAND_DATA, gdb.PARAM_ZUINTEGER)
        self.value = default
        self.bounds = bounds

    def get_set_string(self) -> str:
        """GDB calls this after `set`, and prints the text."""
        limits.cache_clear()
        file_limits.cache_clear()
        return ""

    def get_show_string(self, value: object) -> str:
        """GDB calls this for `show`."""
        return f"At most {value}: {self.bounds}."


class _Prefix(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Budgets of dwarfgpu, beyond which an answer is LimitExceeded."""

    def __init__(self, verb: str) -> None:
        super().__init__(f"{verb} dwarfgpu", gdb.COMMAND_DATA, prefix=True)
        self._is_show = verb == "show"

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB calls this where no known setting follows."""
        if argument:
            raise gdb.GdbError(f'dwarfgpu has no setting "{argument.split()[0]}".')
        if not self._is_show:
            gdb.execute("help set dwarfgpu", from_tty)
            return
        for option, budget in _SETTINGS.items():
            print(f"{option[2:]}:  {budget.get_show_string(budget.value)}")


_SETTINGS: Final[dict[str, _Budget]] = {}
"""Keyed by option; empty if the package was imported without its commands."""


def install_limits() -> None:
    """Add the settings to GDB."""
    for verb in ("set", "show"):
        _Prefix(verb)
    for budgets, limits in ((EVALUATION_BUDGETS, _EVALUATION), (FILE_BUDGETS, DEFAULT_LIMITS)):
        for option, (name, bounds) in budgets.items():
            _SETTINGS[option] = _Budget(option, bounds, getattr(limits, name))


@cache
def limits() -> Limits:
    """The budgets of an evaluation, as set."""
    return Limits(**_set(EVALUATION_BUDGETS))


@cache
def file_limits() -> FileLimits:
    """The budgets of each file, as set."""
    return FileLimits(**_set(FILE_BUDGETS))


def _set(budgets: dict[str, tuple[str, str]]) -> dict[str, int]:
    return {
        name: _SETTINGS[option].value
        for option, (name, _) in budgets.items()
        if option in _SETTINGS
    }
