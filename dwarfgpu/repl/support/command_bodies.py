"""The bodies of commands as texts: where they begin and end, and how GDB indents them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.repl.command import first_word


def opened(line: str) -> str | None:
    """Return the command of a line that is followed by a body, which ends with `end`."""
    word, rest = first_word(line)
    if word in ("python", "py"):
        return None if rest.strip() else "python"
    return word if word in ("if", "while", "define", "document", "commands") else None


class Nesting:
    """The open commands with bodies after the lines so far, innermost last."""

    def __init__(self, *names: str) -> None:
        self.open = list(names)

    def take(self, line: str) -> None:
        """Take one more line."""
        text = line.strip()
        if text == "end" and self.open:
            self.open.pop()
        elif text == "else" and self.open[-1:] == ["if"]:
            self.open[-1] = "else"
        elif not self.is_text:
            inner = opened(text)
            self.open += [] if inner is None else [inner]

    @property
    def is_text(self) -> bool:
        """Whether what comes next is a line of a text, and no command."""
        return self.open[-1:] in (["python"], ["document"])


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as GDB shows them, by two blanks and with bodies by two more; texts of `document`
    are unchanged."""
    nesting = Nesting()
    for line in lines:
        was_text = nesting.is_text
        nesting.take(line)
        if was_text and line.strip() != "end":
            yield line
        else:
            begins = opened(line) is not None or line == "else"
            yield "  " * (len(nesting.open) + 1 - begins) + line.strip()
