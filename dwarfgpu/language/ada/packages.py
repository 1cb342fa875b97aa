"""The names that packages of Ada have in the files of a program.

Units that cannot be read have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.units_by_name import require_few
from dwarfgpu.dwarf.names.fortran_ada import RENAMES
from dwarfgpu.dwarf.scope.declarations import named_within
from dwarfgpu.dwarf.scope.imports import searched_units, units_with_names
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import TYPES, named_entries
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.ada.spellings import IDENTIFIER, gnat_name, is_spelling

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

_MAX_KEPT: Final = 256
"""Names of a file whose packages are kept."""
_NUMBERS: Final = tuple(b"__%d" % digit for digit in range(1, 10))
"""How the number of one of several subprograms begins."""


def is_package(session: Session, name: str) -> bool:
    """Return whether units of Ada have names of a package."""
    lowered = gnat_name(name)
    return IDENTIFIER.fullmatch(lowered) is not None and any(
        _has_package(info, lowered) for info in session.meanings(name).infos
    )


@kept_with(first, _MAX_KEPT)
def _has_package(info: DebugInfo, lowered: str) -> bool:
    """Return whether units of a file have names that begin with `p__` or `unit__p__`; units that
    cannot be read have none."""
    begin = f"{lowered}__"
    units = info.strings.units_containing(name_bytes(begin), is_beginning=True)
    for unit in _all_of_ada(info) if units is None else units:
        with suppress(DwarfGpuError):
            if unit.style != "ada":
                continue
            for entry in named_entries(unit).by_name:
                if entry.startswith(begin) or f"__{begin}" in entry:
                    return True
    return False


def meanings_in_ada(lookup: NameLookup, name: str) -> tuple[Meaning, ...]:
    """Return what a name, as it is, means of units of Ada."""
    try:
        meanings = lookup.of(name)
        return tuple(meaning for meaning in meanings if meaning.unit.style == "ada")
    except DwarfGpuError:
        return ()  # the search for its meanings raises it


def names_in_packages(lookup: NameLookup, lowered: str) -> set[str]:
    """Return the names that packages of the program have, in the units of any file."""
    return {entry for info in lookup.infos for entry in _in_packages(info, lowered)}


@kept_with(first, _MAX_KEPT)
def _in_packages(info: DebugInfo, lowered: str) -> tuple[str, ...]:
    """Return the names outside of subprograms that units of Ada have for `x` of any package.

    Units that cannot be read are left out.
    """
    named: dict[str, None] = {}
    for unit in require_few(_units_of_ada(info, lowered), info, lowered):
        try:
            for entry in named_entries(unit).by_name:
                is_meant = entry != lowered and is_spelling(entry, lowered)
                if is_meant and named_within(unit, (), entry):
                    named[entry] = None
        except DwarfGpuError:
            continue
    return tuple(named)


@kept_with(first, _MAX_KEPT)
def types_named(unit: CompilationUnit, lowered: str) -> frozenset[str]:
    """Return the names outside of subprograms that a unit has for a type `x` of any package; none
    where it cannot be read."""
    try:
        return frozenset(
            entry
            for entry in named_entries(unit).by_name
            if is_spelling(entry, lowered)
            and any(die.tag in TYPES for die in named_within(unit, (), entry))
        )
    except DwarfGpuError:
        return frozenset()


def _units_of_ada(info: DebugInfo, lowered: str) -> Iterator[CompilationUnit]:
    """Yield the units of Ada of a file that may have a name of a package."""
    part = name_bytes(lowered if "__" in lowered else f"__{lowered}")
    units: dict[CompilationUnit, None] = {}
    for end in (b"\0", b"X", name_bytes(RENAMES), *_NUMBERS):
        having = info.strings.units_containing(part + end)
        if having is None:
            yield from _all_of_ada(info)
            return
        units.update(dict.fromkeys(having))
    visited: set[CompilationUnit] = set()
    for unit in units:
        with suppress(DwarfGpuError):
            yield from (full for full in searched_units(unit, visited) if full.style == "ada")


@kept_with(first, 1)
def _all_of_ada(info: DebugInfo) -> tuple[CompilationUnit, ...]:
    return tuple(filter(_is_ada, units_with_names(info)))


def _is_ada(unit: CompilationUnit) -> bool:
    try:
        return unit.style == "ada"
    except DwarfGpuError:
        return False
