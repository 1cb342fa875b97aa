"""Names of Ada as gnat writes them: `x` of the package `p` is `p__x`, or `unit__p__x`, in the body
of a package `p__xX`, perhaps with more letters (`Xb`).

Law: a name of the code in focus comes before one of another file, and either before a symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import DwarfGpuError, UsageError

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

_MOST: Final = 100_000
"""Entries of one scope that are looked at."""
_IN_BODY: Final = pattern(r"(?<=[0-9a-z])X[bn]*\Z")
"""What follows a name that a package declares whose body or whose instance is in a body."""


def ada_spelling(session: Session, name: str) -> str:
    """Return the name that the file has for `x` or `p.x`, in lower case; the name itself if neither
    a scope around the code nor another file has one.

    `UsageError` if several packages of the nearest scope, or of other files, have the name.
    """
    if "::" in name:
        return name
    lowered = name.lower().replace(".", "__")
    lookup = session.meanings(name)
    scopes = lookup.chain
    for scope in chain(reversed(scopes), around(scopes[0])) if scopes else ():
        if named := {entry for entry in _names(scope) if _is_spelling(entry, lowered)}:
            return _only(named, lowered, name)
    if lookup.of(lowered) or lookup.of(name):
        return lowered if lookup.of(lowered) else name
    known = {entry for entry in _of_other_files(session, lowered) if lookup.of(entry)}
    if known and not (len(known) > 1 and _is_symbol(session, name)):
        return _only(known, lowered, name)
    return lowered if "." in name else name


def _only(named: set[str], lowered: str, name: str) -> str:
    """Return the whole name among those that a name may mean, or the only one."""
    whole = {entry for entry in named if _IN_BODY.sub("", entry) == lowered} or named
    if lowered in whole:
        return lowered
    if len(whole) > 1:
        several = ", ".join(sorted(_IN_BODY.sub("", entry).replace("__", ".") for entry in whole))
        raise UsageError(f'"{name}" is in several packages; say which: {several}')
    return next(iter(whole))


def _is_symbol(session: Session, name: str) -> bool:
    return any(
        any(True for _ in file.symbols_named(name, with_untyped=True))
        for code_object in session.objects_with(name)
        for file in symbol_files(code_object)
    )


def _is_spelling(entry: str, lowered: str) -> bool:
    if lowered not in entry:
        return False
    entry = _IN_BODY.sub("", entry)
    return entry == lowered or entry.endswith(f"__{lowered}")


def _of_other_files(session: Session, lowered: str) -> Iterator[str]:
    """Yield the names of Ada that a name may mean in any file."""
    part = name_bytes(lowered if "__" in lowered else f"__{lowered}")
    for code_object in session.loaded_objects():
        info = code_object.info
        units = info.strings.units_containing(part)
        for unit in info.reported_units() if units is None else units:
            try:
                if unit.language in dw.ADA:
                    entries = named_entries(unit).by_name
                    yield from (key for key in entries if _is_spelling(key, lowered))
            except DwarfGpuError:
                continue


def _names(scope: Die) -> Iterator[str]:
    """Yield the names of the entries of a scope, and of the enumerators of its types."""
    for index, child in enumerate(scope.children()):
        if index >= _MOST:
            return
        if child.name is not None:
            yield child.name
        if child.tag == dw.TAG_ENUMERATION_TYPE:
            yield from (inner.name for inner in child.children() if inner.name is not None)
