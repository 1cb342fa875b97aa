"""How many relocations of one file are read (`FileLimits.relocations`)."""

from __future__ import annotations

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.objfile.elf import ObjectFile


class RelocationBudget:
    """What the relocations of all tables of a file count as; a table that is read again counts
    once."""

    def __init__(self, file: ObjectFile) -> None:
        self._path, self._limits = file.path, file.limits
        self._counts: dict[object, int] = {}
        self._total = 0

    def of(self, table: object, name: str) -> TableBudget:
        """Return the budget for reading a table, which nothing was spent of."""
        self._total -= self._counts.pop(table, 0)
        return TableBudget(self, table, name)

    def spend(self, table: object, name: str, count: int) -> None:
        """Count some more of a table; `LimitExceeded` for too many."""
        own = self._counts.get(table, 0)
        if self._total + count > self._limits.relocations:  # what is refused was not read
            self._limits.check_relocations(
                f"{name} of {self._path}", own + count, self._total - own
            )
        self._counts[table] = own + count
        self._total += count


class TableBudget:
    """The part of one table."""

    def __init__(self, budget: RelocationBudget, table: object, name: str) -> None:
        self._budget, self._table, self._name = budget, table, name

    def spend(self, count: int) -> None:
        """Count some relocations; `LimitExceeded` for too many."""
        self._budget.spend(self._table, self._name, count)


@kept_with(first)
def relocation_budget(file: ObjectFile) -> RelocationBudget:
    """Return the budget of a file, which all tables share."""
    return RelocationBudget(file)
