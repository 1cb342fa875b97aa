"""The lines that somebody typed, and which of them an empty line runs again."""

from __future__ import annotations


class History:
    """The lines of a conversation, of which `show commands` and `with` tell."""

    def __init__(self) -> None:
        self.typed: list[str] = []
        """Those of somebody at a terminal."""
        self.shown = 0
        """How many of them `show commands +` goes on after."""
        self.earlier = ""
        """The line before the one that is run."""
        self.again = ""
        """What an empty line runs after the command that set it, where that is another line."""
        self._previous = ""

    def begin(self, line: str, *, is_empty_again: bool) -> str:
        """The line to run for one that was typed: for an empty one, the previous one."""
        return self._previous if is_empty_again and not line.strip() else line

    def run(self, line: str) -> None:
        """A line that was typed is run."""
        self.earlier, self._previous = self._previous, line

    def end(self) -> None:
        """It was run: an empty line runs the same, or what its command has set."""
        self._previous = self.again or self._previous

    def forget(self) -> None:
        """The command that is run is not run again by an empty line."""
        self._previous = ""
