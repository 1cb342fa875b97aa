"""The pager: a page of output, then a question, as in GDB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import define, field

MORE: Final = "--Type <RET> for more, q to quit, c to continue without paging--"
CODES: Final = pattern(r"\x1b\[[0-9;]*m")


@define
class Pager:
    """Counts the lines of one command's output."""

    rows: int | None
    """Rows of a page; None for no limit."""
    columns: int | None
    ask: Callable[[str], str | None]
    _used: int = field(default=0, init=False)

    def admits(self, text: str) -> bool:
        """Return whether to print a text of whole lines; False after the reader has quit."""
        if self.rows is None:
            return True
        needed = sum(map(self._rows_of, text.rstrip("\n").split("\n")))
        if self._used and self._used + needed >= self.rows:
            answer = (self.ask(MORE) or "").strip().lower()
            if answer.startswith("q"):
                return False
            self._used = 0
            if answer.startswith("c"):
                self.rows = None
        self._used += needed
        return True

    def _rows_of(self, line: str) -> int:
        """Return lines of the terminal that a line needs."""
        if not self.columns:
            return 1
        return max(1, -(-len(CODES.sub("", line.expandtabs())) // self.columns))
