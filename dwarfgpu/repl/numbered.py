"""What commands number from 1: breakpoints and displays. A number is given once."""

from __future__ import annotations

from typing import Generic, TypeVar

Element = TypeVar("Element")


class Numbered(dict[int, Element], Generic[Element]):
    """By number, in the order in which they were made."""

    def __init__(self) -> None:
        super().__init__()
        self._last = 0

    def new_number(self) -> int:
        """One that no element has had."""
        self._last += 1
        return self._last
