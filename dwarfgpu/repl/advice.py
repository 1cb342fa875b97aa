"""The nearest right thing, where an error says in GDB's words that a name means nothing."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.dwarf.scope.global_names import Kind
from dwarfgpu.errors import UsageError
from dwarfgpu.session.session import Session

_OPTION: Final = "; give --pc ADDR"
"""What only a command line can be told."""
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
    """The error, with what was perhaps meant."""
    is_unknown = error.message.startswith('No symbol "') and "in current context." in error.message
    if is_unknown and not session.code_objects:
        return UsageError('No symbol table is loaded.  Use the "file" command.')
    error = UsageError(error.message.replace(_OPTION, "."))
    for pattern, kinds in _UNKNOWN:
        match = pattern.fullmatch(error.message)
        if match is not None:
            around = match.groupdict().get("around")
            name = f"{around}::{match['name']}" if around else match["name"]
            return UsageError(error.message + session.did_you_mean(name, *kinds))
    return error
