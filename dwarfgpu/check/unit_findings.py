"""Findings about the entries of one unit, and about the unit itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dwarfgpu.base.records import define, field
from dwarfgpu.check.entry_positions import EntryPositions, unit_position
from dwarfgpu.check.finding import Excerpt, Finding, FindingPosition, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.errors import DwarfGpuError, MissingContext
from dwarfgpu.expr.static_check.severity import Severity


@define(eq=False)
class UnitFindings:
    """The findings about one unit."""

    positions: EntryPositions
    _findings: Findings
    _has_skipped_addresses: bool = field(init=False, default=False)

    def report(
        self,
        rule: str,
        message: str | Callable[[], str],
        index: int | None,
        attribute: str | None = None,
        span: Range | None = None,
        *,
        section: str | None = None,
        shown: Callable[[], Excerpt] | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Add a finding about an entry by its index, or about the unit itself.

        `section`, `severity`: None for those of the rule. `span`: of an entry of a location list.
        `message`: or what makes it, where there may be very many.
        """
        defaults = RULES[rule]
        severity, section = severity or defaults.severity, section or defaults.section
        if not self._findings.count(severity, rule):
            return
        position: Callable[[], FindingPosition]
        if index is None:
            position = partial(unit_position, self.positions.unit)
        else:
            position = partial(self.positions.position, index, attribute, span)
        text = message() if callable(message) else message
        self._findings.keep(Finding(severity, rule, text, section, position, shown))

    def skip(self, error: DwarfGpuError) -> None:
        """Keep why something was not checked."""
        self._findings.skip(error)

    def skip_addresses(self, error: MissingContext) -> None:
        """Report once that the addresses of the unit are in another file, which is unknown."""
        if not self._has_skipped_addresses:
            self._has_skipped_addresses = True
            self._findings.skip(error, "ranges of lists")
