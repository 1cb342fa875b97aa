"""Sessions at the prompt as they are on a terminal without powers, kept as text.

    $ dwarfgpu debug -q --state fixtures/states/divergent.gfx942.json
    (dwarfgpu w1 l0) lane 17
    [Switching to thread 1, lane 17 …]

`python -m tests.repl.dialogues` holds them again and writes what was said: look at the difference.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.base.records import frozen

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(__file__).resolve().parent / "dialogues"
_START = "$ dwarfgpu debug "
_PROMPT = re.compile(r"\(dwarfgpu[^)]*\) ")


@frozen
class Dialogue:
    """One session at the prompt."""

    options: str
    """Of the command line."""
    text: str
    """All that is on the terminal."""
    about: str = ""
    """The comment before it."""

    @property
    def commands(self) -> list[str]:
        result = (_PROMPT.match(line) for line in self.text.splitlines())
        lines = self.text.splitlines()
        return [line[m.end() :] for line, m in zip(lines, result, strict=True) if m is not None]

    @property
    def answers(self) -> str:
        """The output, without the prompts and the input."""
        return "".join(
            line for line in self.text.splitlines(keepends=True) if not _PROMPT.match(line)
        )


def dialogues(path: Path) -> Iterator[Dialogue]:
    """Those of a file."""
    about = ""
    for part in re.split(r"(?m)^(?=\$ dwarfgpu debug )", path.read_text("utf-8")):
        if not part.startswith(_START):
            about = part.strip()
            continue
        first, _, rest = part.partition("\n")
        text, comment, after = rest.partition("\n# ")
        yield Dialogue(first.removeprefix(_START), text.rstrip("\n") + "\n", about)
        about = f"# {after}".strip() if comment else ""


def held(options: str, commands: list[str]) -> str:
    """What a terminal shows when the commands are typed one after the other."""
    import pexpect
    from pexpect import fdpexpect

    from tests.processes import opened  # only where there are terminals

    environment = {"TERM": "dumb", "LINES": "5000", "COLUMNS": "80"}
    terminal = opened(shlex.split(options), (5000, 80), environment)
    child = fdpexpect.fdspawn(terminal, encoding="utf-8", timeout=200)
    shown = ""
    for command in commands:
        child.expect(_PROMPT.pattern)
        shown += child.before + child.after
        child.sendline(command)
    child.expect(pexpect.EOF)
    child.close()
    return (shown + child.before).replace("\r\n", "\n")


def main() -> None:
    for path in sorted(FOLDER.glob("*.txt")):
        out = []
        for dialogue in dialogues(path):
            about = f"{dialogue.about}\n" if dialogue.about else ""
            out.append(
                f"{about}{_START}{dialogue.options}\n{held(dialogue.options, dialogue.commands)}"
            )
        path.write_text("\n".join(out), "utf-8")


if __name__ == "__main__":
    main()
