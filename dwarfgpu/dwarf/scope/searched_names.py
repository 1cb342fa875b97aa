"""How many names of a file one answer searches for what a user typed."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import LimitExceeded

WRITTEN: Final = 1
"""What a name counts that is in the file as it is shown."""
OF_SYMBOL: Final = 2
"""One of the symbol table, whose other fields are read too; and what one counts besides that
matches, whose text is kept until all are sorted."""
LEFT_OUT: Final = 2
"""One that has none of the words of the expression in its mangled form."""
SPELLED: Final = 24
"""One that is made of several entries."""
REBUILT: Final = 96
"""The same of a function in a unit whose names lack the arguments of templates: those of the
function, its scopes and its parameters are looked for."""
DEEP: Final = 5
"""What one counts besides for each scope around it beyond `FEW_SCOPES`."""
FEW_SCOPES: Final = 10
_CHARACTERS: Final = 10
"""How many characters of a name that was spelled count as one name: few of a mangled one with
substitutions become very many."""
FREE_CHARACTERS: Final = 200
"""Those that a name of the symbol table has besides, which is only searched."""
_UNIT: Final = 30
"""What a unit counts, besides its names."""


def cost_of_mangled(size: int) -> int:
    """Return what a name of C++ counts that is read from a mangled one with as many characters."""
    return 8 + size // 2


class SearchedNames:
    """What is left of the limit `searched_names` of a file."""

    __slots__ = ("_advice", "_info", "count", "left", "most", "unit")

    def __init__(self, info: DebugInfo, *, is_expression: bool = True) -> None:
        """`is_expression`: the user typed a regular expression, which may be longer."""
        self._info = info
        advice = "; a word of three letters in the expression makes it faster"
        self._advice = advice if is_expression else ""
        self.most = self.left = info.object.limits.searched_names
        self.count = 0
        self.unit: CompilationUnit | None = None
        """The unit that is searched; None for a symbol table."""

    def spend(self, cost: int) -> None:
        """Count a name; `LimitExceeded` if it is beyond the limit, with how far the search came."""
        self._take(cost)
        self.count += 1

    def spend_spelled(self, name: str, free: int = 0) -> None:
        """Count the characters of a name that was counted as a mangled one, or of one that is in
        the file as it is shown those beyond the `free` ones."""
        self._take(max(len(name) - free, 0) // _CHARACTERS)

    def spend_symbol(self, *, is_match: bool = False) -> None:
        """Count a symbol whose name is not mangled, as `spend` does; `is_match`: one that was
        counted, once more. No word in the expression makes this faster."""
        self._take(OF_SYMBOL, "")
        self.count += not is_match

    def spend_unit(self) -> None:
        """Count a unit as `spend` a name."""
        self._take(_UNIT)

    def _take(self, cost: int, advice: str | None = None) -> None:
        self.left -= cost
        if self.left < 0:
            raise LimitExceeded(
                f"the search is incomplete: it ended after {self.count} names, in {self._part()}, "
                f"which count as {self.most}{self._advice if advice is None else advice}",
                "--max-searched-names",
            )

    def _part(self) -> str:
        unit = self.unit
        if unit is None:
            return "the symbol table"
        units = self._info.units
        number = f" {units.index(unit) + 1} of {len(units)}" if unit in units else ""
        return f"unit{number} ({unit.name or hex(unit.offset)})"
