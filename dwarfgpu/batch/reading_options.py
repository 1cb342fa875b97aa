"""How the files of a batch are read: the options that every process has.

Law: options that mean nothing are refused before a file is examined without them.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from fractions import Fraction
from pathlib import Path

from dwarfgpu.base.arguments import wrong_type, wrong_value
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import frozen
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.dialect.dialect import dialect
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES


@frozen
class Options:
    """How every file of a batch is read. It can be pickled."""

    target: str | None = None
    """Of fat binaries and bundles: the code objects for this GPU alone."""
    dialect: str | None = None
    """In place of the dialect of each unit."""
    debug_directories: tuple[str | Path, ...] = DEBUG_DIRECTORIES
    """Where debug information in other files is looked for."""
    limits: FileLimits = DEFAULT_FILE_LIMITS
    """Budgets of each file."""
    rules: frozenset[str] | None = None
    """For `check`: the rules to apply; None for all."""
    minimum: Fraction | None = None
    """For `where`: the status is 1 if less than this percentage of the code is described."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a value of another type, and for a name that does not exist."""
        _require_options(self)


def _require_options(options: Options) -> None:
    for name in ("target", "dialect"):
        _require(name, getattr(options, name), (str, type(None)), "str or None")
    if options.dialect is not None:
        dialect(options.dialect)
    directories = options.debug_directories
    _require("debug_directories", directories, (tuple, list), "a tuple of paths")
    for path in directories:
        _require("debug_directories", path, (str, Path), "a tuple of paths")
    _require("limits", options.limits, (FileLimits,), "FileLimits")
    _require("rules", options.rules, (AbstractSet, type(None)), "a frozenset of names or None")
    for rule in options.rules or ():
        _require_rule(rule)
    _require_percentage(options.minimum)


def _require(name: str, value: object, types: tuple[type, ...], what: str) -> None:
    if not isinstance(value, types):
        raise wrong_type(name, value, what)


def _require_rule(name: object) -> None:
    from dwarfgpu.check.rules import RULES  # few requests select rules

    if name not in RULES:
        suggestion = did_you_mean(name, RULES) if isinstance(name, str) else ""
        raise UsageError(f"rules: there is no rule {name!r}.{suggestion}")


def _require_percentage(minimum: object) -> None:
    expected = "a Fraction from 0 to 100 or None"
    if minimum is None:
        return
    if not isinstance(minimum, Fraction | int) or isinstance(minimum, bool):
        raise wrong_type("minimum", minimum, expected)
    if not 0 <= minimum <= 100:
        raise wrong_value("minimum", minimum, expected)
