"""Bound a check of a file by itself: `debug` may check a file again, and has read parts of it."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from dwarfgpu.base.records import define, field
from dwarfgpu.check.finding import MAX_FINDINGS
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit

_FREE_WORK: Final = 20_000
"""Work on the entries of a file that counts for none: small files have more for each."""

_ENTRIES_FOR_BAD_REFERENCE: Final = 32
"""Entries that may be checked for each reference to no entry of another unit: to report it takes
several times as long as to check one."""


@define(eq=False)
class EntryBudget:
    """How much of the entries of one file a check may still check, besides reading them."""

    entries_left: int
    bad_references_left: int
    """How many references to no entry of another unit may still be reported."""
    spent_before: dict[str, int]
    """What was read of each section before the check."""
    work: int = -_FREE_WORK
    """How many entries the work on those that were checked counts for, beyond half of them: those
    of compilers have little more."""
    is_spent: bool = False
    """Whether a unit was not checked to its end for it: later ones are not checked at all."""


@define(eq=False)
class FrameBudget:
    """How much of call frame information a check may still look through: a program and its debug
    file may have two sections of it each, and compilers write one that is large."""

    most_rules: int
    """`FileLimits.frame_rules`."""
    work: int = 0
    """What was looked through."""


@define(eq=False)
class CheckBudgets:
    """The budgets of one check; until its end, what is read of the sections counts anew."""

    _entries: dict[Sections, EntryBudget] = field(init=False, factory=dict)

    def __enter__(self) -> CheckBudgets:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for sections, budget in self._entries.items():
            sections.budget.replace_spent(budget.spent_before)

    def of(self, unit: CompilationUnit) -> EntryBudget:
        """Return the budget of the file that has a unit."""
        sections = unit.sections
        budget = self._entries.get(sections)
        if budget is None:
            spent = sections.budget.replace_spent({})
            most = sections.object.limits.dies
            budget = self._entries[sections] = EntryBudget(
                most, max(MAX_FINDINGS, most // _ENTRIES_FOR_BAD_REFERENCE), spent
            )
        return budget
