"""Elements with numbers from 1, which are not reused: breakpoints and displays."""

from __future__ import annotations

from typing import Generic, TypeVar

Element = TypeVar("Element")


class Numbered(dict[int, Element], Generic[Element]):
    """Elements by number, in order of creation."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 0
        """The number that was given last; its element may be gone."""

    def new_number(self) -> int:
        """Return a number that no element has had."""
        self.last += 1
        return self.last
