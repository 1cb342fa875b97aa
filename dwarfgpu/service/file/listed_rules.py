"""The register rules of a listing of call frame information: how many it may have, and what rows
share.

Law: the lines of rules that rows share are made once. FDEs inherit the rules of their CIE:
each has all of them again, however few bytes it has itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import define, field
from dwarfgpu.cfi.entry import Cie, Fde
from dwarfgpu.cfi.rule import Row, Rules
from dwarfgpu.cfi.text import ExpressionText, Plain
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.view.call_frame_text import rule_lines

_OF_A_BYTE: Final = 16
"""Rules that each byte of an FDE may list or copy, and that do not count: a row of a CPU takes two
bytes and has up to twenty rules, which the next row copies."""
_OF_LINE: Final = 2
"""As how many rules a line counts, which takes as long to print."""
_OF_RECORD: Final = 2
"""As how many rules one counts in a record, which says it twice: as data and as text."""


RulesRecord: TypeAlias = tuple[dict[str, Plain], dict[str, Plain]]
"""Rules as data, by number, and as text, by the names of the registers."""


@define(eq=False)
class ListedRules:
    """What is left of `FileLimits.frame_rules`."""

    most: int
    _spent: int = field(init=False, default=0)
    _free: int = field(init=False, default=0)
    _of_cie: tuple[Rules, tuple[str, ...]] | None = field(init=False, default=None)
    _of_last: tuple[Rules, tuple[str, ...]] | None = field(init=False, default=None)

    _record_of_cie: tuple[Cie, Rules, RulesRecord] | None = field(init=False, default=None)
    _last_record: tuple[Cie, Rules, RulesRecord] | None = field(init=False, default=None)

    def begin(self, fde: Fde) -> None:
        """Begin an FDE; `LimitExceeded` if nothing is left for its rows."""
        self._free = _OF_A_BYTE * fde.size_bytes
        self.spend(0)

    def spend(self, count: int) -> None:
        """Count rules of the FDE; `LimitExceeded` where they are too many."""
        free = min(count, self._free)
        self._free -= free
        self._spent += count - free
        if self._spent > self.most:
            raise LimitExceeded(
                f"more than {self.most} register rules in the rows of the listing, without the "
                f"first {_OF_A_BYTE} for each byte of an FDE",
                "--max-frame-rules",
            )

    def lines(
        self, fde: Fde, row: Row, architecture: Architecture | None, text: ExpressionText
    ) -> tuple[str, ...]:
        """Return the lines of the rules of a row; `LimitExceeded` for too many."""
        for kept in (self._of_last, self._of_cie):
            if kept is not None and kept[0] is row.rules:
                self.spend(_OF_LINE * len(kept[1]))
                return kept[1]
        self.spend(len(row.rules))
        entry = row.rules, tuple(rule_lines(row.rules, architecture, text))
        self.spend(_OF_LINE * len(entry[1]))
        if row.rules is fde.cie.initial.rules:
            self._of_cie = entry
        else:
            self._of_last = entry
        return entry[1]

    def record(self, cie: Cie, row: Row, make: Callable[[Rules], RulesRecord]) -> RulesRecord:
        """Return the record of the rules of a row, made once for the rows of a CIE that share
        them."""
        rules = row.rules
        for kept in (self._last_record, self._record_of_cie):
            if kept is not None and kept[0] is cie and kept[1] is rules:
                return kept[2]
        entry = cie, rules, make(rules)
        if rules is cie.initial.rules:
            self._record_of_cie = entry
        else:
            self._last_record = entry
        return entry[2]

    def spend_on_record(self, row: Row) -> None:
        """Count the rules of a row that becomes a record; `LimitExceeded` for too many."""
        self.spend(_OF_RECORD * len(row.rules))
