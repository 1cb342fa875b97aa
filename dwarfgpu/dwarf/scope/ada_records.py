"""Records of Ada by the names that GNAT gives their types.

A few names are searched for in the bytes of a file; for more of them the records of all its units
of Ada are read once, which takes about as long.

Law: each way finds the first record of the file that is not a declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.name_filter import name_texts
from dwarfgpu.dwarf.index.units_by_name import mentioning_units, require_few
from dwarfgpu.dwarf.scope.named_entries import NamedEntries, named
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.debug_info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit

_IN_BODY: Final = ("", "X", "Xb", "Xn")
"""What follows the names of types in the bodies of packages."""
_MAX_SEARCHES: Final = 64
"""Names that are searched for, and units that only mention them, before all records are read."""
_MAX_RECORDS: Final = 500_000
"""Records that are read, declarations included."""


@kept_with(first)
def ada_record(info: DebugInfo, name: str) -> Die | None:
    """Return the record of a type of Ada by its full name, as `pk__round` for PK.ROUND;
    `LimitExceeded` if the file has too many records to know."""
    return _records(info).named(name)


class _Records:
    """The records of Ada of one file."""

    def __init__(self, info: DebugInfo) -> None:
        self._info = info
        self._remaining = _MAX_SEARCHES
        self._unread: LimitExceeded | None = None
        """Why some of them are not read."""

    def named(self, name: str) -> Die | None:
        """Return the record of a type."""
        names = [f"{name}{end}" for end in _IN_BODY]
        if self._remaining > 0:
            die = next(self._searched(names), None)
            if die is not None or self._remaining > 0:
                return die
        records = self._by_name
        die = next((records[spelled] for spelled in names if spelled in records), None)
        if die is None and self._unread is not None:
            raise self._unread.with_traceback(None)
        return die

    def _searched(self, names: Iterable[str]) -> Iterator[Die]:
        """Yield the records with some names, as long as searches remain."""
        for name in names:
            units = self._info.strings.units_defining(name_texts(name), CLASSES)
            if units is None:  # the index cache does not have them
                self._remaining -= 1
            for unit in mentioning_units(self._info, name) if units is None else units:
                if self._remaining <= 0:
                    return
                yield from _in_unit(unit, name)
                self._remaining -= 1

    @cached_property
    def _by_name(self) -> Mapping[str, Die]:
        """The first record of each name, and why there are no more of them."""
        records: dict[str, Die] = {}
        try:
            units = require_few(self._info.reported_units(), self._info, "of a type of Ada")
            for number, (name, unit, index) in enumerate(_all_in(units)):
                if number >= _MAX_RECORDS:
                    raise LimitExceeded(
                        f"more than {_MAX_RECORDS} records of Ada; no option raises it"
                    )
                if name not in records:
                    with suppress(DwarfGpuError):
                        die = unit.die(index)
                        if not die.flag(dw.AT_DECLARATION):
                            records[name] = die
        except LimitExceeded as error:
            self._unread = error
        return records


@kept_with(first)
def _records(info: DebugInfo) -> _Records:
    return _Records(info)


def _in_unit(unit: CompilationUnit, name: str) -> Iterator[Die]:
    """Yield the records of a unit of Ada with a name; none where they cannot be read."""
    with suppress(DwarfGpuError):
        if unit.language in dw.ADA:
            for die in named(unit, name):
                if die.tag in CLASSES and not die.flag(dw.AT_DECLARATION):
                    yield die


def _all_in(units: Iterable[CompilationUnit]) -> Iterator[tuple[str, CompilationUnit, int]]:
    """Yield the names of the records of units of Ada, with their units and indices; those that can
    be read."""
    for unit in units:
        with suppress(DwarfGpuError):
            if unit.language in dw.ADA:
                for index, name in NamedEntries(unit).with_names(_is_record):  # is not kept
                    yield name, unit, index


def _is_record(abbreviation: Abbreviation) -> bool:
    return abbreviation.tag in CLASSES
