"""The functions whose names match: at which `rbreak` sets breakpoints.

Law: their code is that of the entries and symbols which the search has found. To look up each name
again would cost more than the search, and find functions whose names only end in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby

from dwarfgpu.base.records import define
from dwarfgpu.dwarf.line.file_table import is_path_end
from dwarfgpu.dwarf.scope.functions_by_name import FunctionSymbol, described_function
from dwarfgpu.dwarf.scope.listed_symbol import ListedSymbol
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.language.function_locations import (
    CodeLocation,
    location_of_function,
    location_of_symbol,
)
from dwarfgpu.service.code.break_addresses import BreakAddress, addresses_of_functions
from dwarfgpu.service.symbol.symbol_listing import SymbolSearch, UndescribedSymbol, symbol_text
from dwarfgpu.session.session import Session


@define
class MatchingFunctions:
    """The functions of one name, in one file if debugging information describes them."""

    linespec: str
    """Which `break` would be used with."""
    described: list[ListedSymbol]
    undescribed: list[UndescribedSymbol]

    @property
    def text(self) -> str:
        """How the last of them is listed."""
        if self.undescribed:
            return f"<function, no debug info> {self.undescribed[-1].name};"
        return symbol_text(self.described[-1])

    def addresses(self, session: Session) -> tuple[BreakAddress, ...]:
        """Return the locations of a breakpoint at them; what is wrong with the first one, if none
        has a readable entry."""
        locations: list[CodeLocation] = []
        problem: DwarfGpuError = UsageError("its entry has no code")
        for row in self.described:
            try:
                function = described_function(row.die)
                if function is not None:
                    locations.append(location_of_function(session, function))
            except LimitExceeded:
                raise
            except DwarfGpuError as error:
                problem = error
        for item in self.undescribed:
            linkage_name, is_indirect = item.symbol.name, item.symbol.is_indirect
            symbol = FunctionSymbol(item.name, item.address, linkage_name, is_indirect)
            locations.append(location_of_symbol(session, symbol))
        if not locations:
            raise problem
        return addresses_of_functions(session, locations)


def matching_functions(search: SymbolSearch, file: str | None) -> Iterator[MatchingFunctions]:
    """Search, and return an iterator over the functions that were found: those that are described,
    ordered by their files and names, before those that only a symbol table has. `file`: the only
    one, by the end of its path, and then none without a description."""
    rows = sorted(search.described(), key=_order)
    if file is not None:
        rows = [row for row in rows if is_path_end(row.file, file)]
    undescribed: dict[str, list[UndescribedSymbol]] = {}
    for item in search.undescribed() if file is None else ():
        undescribed.setdefault(item.name, []).append(item)
    # Without a file, a name also means the described functions.
    described: dict[str, list[ListedSymbol]] = {name: [] for name in undescribed}
    for row in rows if undescribed else ():
        if row.name in described:
            described[row.name].append(row)
    in_files = (_in_file(list(group)) for _, group in groupby(rows, _order))
    names = (MatchingFunctions(name, described[name], undescribed[name]) for name in undescribed)
    return chain(in_files, names)


def _order(row: ListedSymbol) -> tuple[str, bool, str]:
    return row.file, row.is_static, row.name


def _in_file(rows: list[ListedSymbol]) -> MatchingFunctions:
    return MatchingFunctions(f"{rows[0].file}:'{rows[0].name}'", rows, [])
