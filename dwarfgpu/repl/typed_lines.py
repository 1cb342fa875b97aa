"""The lines that the user typed, and the line that an empty one repeats."""

from __future__ import annotations


class TypedLines:
    """The lines typed at a terminal, for `show commands`, `with`, and repetition."""

    def __init__(self) -> None:
        self.typed: list[str] = []
        """The lines typed at a terminal."""
        self.shown = 0
        """Number of lines after which `show commands +` continues."""
        self.earlier = ""
        """The line before the one that is run."""
        self.again = ""
        """The line that an empty one runs, if the last command chose another than itself."""
        self._previous = ""

    def begin(self, line: str, *, is_empty_again: bool) -> str:
        """Return the line to run; an empty one repeats the previous line if `is_empty_again`."""
        return self._previous if is_empty_again and not line.strip() else line

    def run(self, line: str) -> None:
        """Record that a typed line is run."""
        self.earlier, self._previous = self._previous, line

    def end(self) -> None:
        """Record that the line was run: an empty one repeats it, or what its command chose."""
        self._previous = self.again or self._previous

    def forget(self) -> None:
        """Do not repeat the command that is run."""
        self._previous = ""
