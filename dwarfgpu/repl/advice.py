"""Suggestions for errors about unknown names, with GDB's wording."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.dwarf.scope.global_names import Kind
from dwarfgpu.errors import UsageError
from dwarfgpu.language.linespec import NO_SYMBOL_TABLE
from dwarfgpu.session.session import Session

_OPTION: Final = "; give --pc ADDR"
"""A hint that applies on a command line only."""
_NAME_ERROR: Final = re.compile(
    r'No symbol ".*" in current context\.|Function ".*" not defined|No source file named '
)
"""Errors of names that are looked up in the symbol table."""
_UNKNOWN: Final[tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...]] = (
    (re.compile(r'No symbol "(?P<name>[\w:~]+)" in current context\.'), ("variable", "function")),
    (
        re.compile(r'No symbol "(?P<name>\w+)" in namespace "(?P<around>[^"]+)"\.'),
        ("variable", "function"),
    ),
    (re.compile(r'Function "(?P<name>[^"]+)" not defined\.'), ("function",)),
    (re.compile(r"No (?:struct|union|enum) type named (?P<name>\S+)\."), ("type",)),
)


def advised(session: Session, error: UsageError) -> UsageError:
    """Return the error, with a suggestion."""
    if not session.code_objects and _NAME_ERROR.match(error.message):
        return UsageError(NO_SYMBOL_TABLE)
    error = UsageError(error.message.replace(_OPTION, "."))
    for pattern, kinds in _UNKNOWN:
        match = pattern.fullmatch(error.message)
        if match is not None:
            around = match.groupdict().get("around")
            name = f"{around}::{match['name']}" if around else match["name"]
            suggestion = session.did_you_mean(name, *kinds)
            return UsageError(f"{error.message}{suggestion}{session.unsearched_note()}")
    return error
