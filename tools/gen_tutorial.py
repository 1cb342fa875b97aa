"""Generate docs/tutorial.md from a real session at the prompt.

The session is held in this process, as on a terminal without powers; what the commands say is
not written here. `tools/gen_docs.py` writes the file; its `--check` checks whether it is current.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.base.records import frozen

ROOT: Final = Path(__file__).resolve().parent.parent
TARGET: Final = ROOT / "docs" / "tutorial.md"
_STATE: Final = "fixtures/states/divergent.gfx942.json"


@frozen
class Step:
    """Explanations, and the commands typed after them."""

    title: str
    text: str
    commands: tuple[str, ...]


STEPS: Final = (
    Step(
        "Where are we?",
        "The commands are GDB's. A wave is a thread of the GPU: 64 lanes that share one program "
        "counter. `list` shows the source, `info threads` the waves: in wave 1, 9 of 64 lanes are "
        "active.",
        ("info threads", "list"),
    ),
    Step(
        "What lane 0 holds",
        "The prompt shows the focus: wave 1, lane 0. Commands show the variables of that lane.",
        ("info args", "info locals", "print at"),
    ),
    Step(
        "What lane 17 holds",
        "`lane 17` moves the focus. Lane 17 is inactive: it took the other branch of the `if`, and "
        "waits after it. It is therefore at a different line from the wave, and its variables are "
        "those of that line: `kept` is 27, and `x` is missing.",
        ("lane 17", "info locals", "print x"),
    ),
    Step(
        "Why x is optimized out there",
        "The hint names the command. The answer begins at `=>`: the compiler gives the location "
        "of `x` for the code of lines 9 to 13, and lane 17 is after that, at line 15, which no "
        "longer needs `x`. The table shows the location in all of the code: where the active "
        "lanes are, `x` is still in register v2. Print it in one of them, or print `kept`.",
        ("explain x",),
    ),
    Step(
        "All lanes at a glance",
        "`lanes` evaluates an expression in every lane. Inactive lanes are in parentheses; on a "
        "terminal they are grey instead, and colours represent the values. The legend shows the "
        "position of each lane.",
        ("lanes x", "lanes kept * 2"),
    ),
    Step(
        "Where each bit lives",
        "`at` is a structure in two registers. In lane 17 its second half is optimized out; lane 0 "
        "has all of it.",
        ("location at", "lane 0", "location at"),
    ),
    Step(
        "Where else to look",
        "`info lanes` lists the lanes as ROCgdb does, `lane apply` runs a command for several "
        "lanes, and `where x` shows the part of `explain` about the code. `help` begins with "
        "the most useful commands.",
        ("info lanes 7-10", "lane apply 8 17 print kept", "where kept", "quit"),
    ),
)
RUNNING: Final = (
    Step(
        "Stopping in a branch of a function",
        "`set directories` sets the source path. The breakpoint is in a branch of a function that "
        "the kernel calls: `run` executes the kernel until the first wave reaches it. Lanes 5 to "
        "9, 15 to 19 and so on are in the branch; the others wait after it.",
        ("set directories fixtures", "break prices.hip:9", "run", "list", "backtrace"),
    ),
    Step(
        "A lane in the branch, and one that waits",
        "Lane 17 executes the branch: `rest` is 7. `missing` is unavailable: no instruction has "
        "written it yet. Lane 12 is not in the branch: its `rest` is 2, and it has its "
        "`result`.",
        ("lane 17", "info locals", "lane 12", "info locals"),
    ),
    Step(
        "All of them",
        "`lanes` evaluates an expression in every lane; inactive lanes are in parentheses.",
        ("lanes rest", "lane apply 12 17 -q print price - rest"),
    ),
    Step(
        "Lane 17 leaves the function",
        "`step` runs until the lane in focus reaches another line. After three steps lane 17 is "
        "back in the kernel, with the value that the function returned. `delete` removes the "
        "breakpoint, and `continue` runs the kernel to its end.",
        (
            "lane 17", "step", "print missing", "step", "step", "print shown", "backtrace",
            "delete 1", "continue", "quit",
        ),
    ),
)  # fmt: skip
_KERNEL: Final = "fixtures/run/prices.gfx942.O0.v5.co"
_LAUNCH: Final = (
    *("--scratch", "4096", "--grid", "128", "--workgroup", "64"),
    *("--arg", "in=range:128", "--arg", "out=zeros:512"),
)
_RUN: Final = (_KERNEL, "--dispatch", "prices", "--heuristic", *_LAUNCH)
BETWEEN: Final = """
## A kernel that runs

dwarfgpu can also [execute](run.md) a kernel, without a GPU. It needs a code object and the
arguments of the kernel instead of a state. `run` executes the whole kernel:

```console
$ tools/dwarfgpu run {ran}
{result}```

At the prompt, you can stop it on the way:

```console
$ tools/dwarfgpu debug {typed}
{banner}```
"""
INTRODUCTION: Final = """\
# Tutorial: why is x missing in lane 17?

Generated by `tools/gen_docs.py` from a real session; do not edit.

This tutorial is for people who know GDB. It needs no GPU: the machine is a [state
file](state-files.md) with a wave that stopped inside an `if` whose branches are both taken. The
same commands work on a [core file of a GPU](howto-gpu-core.md).

```console
$ tools/dwarfgpu debug --state {state}
{banner}```
"""


class _Typist(io.StringIO):
    """Someone at a terminal: what is typed is seen there."""

    def __init__(self, commands: list[str], screen: io.StringIO) -> None:
        super().__init__("".join(f"{command}\n" for command in commands))
        self.screen = screen

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:
        line = super().readline(-1)
        self.screen.write(line)
        return line


class _Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def _printed(*arguments: str) -> str:
    """What a command prints, without its notes."""
    from dwarfgpu.cli.main import main

    out, folder = io.StringIO(), Path.cwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            main([*arguments])
    finally:
        os.chdir(folder)
    return out.getvalue()


def transcript(options: list[str], commands: list[str]) -> str:
    """All that is on the terminal of someone who types the commands."""
    from dwarfgpu.cli.main import main

    screen = _Screen()
    before, folder, stdin = dict(os.environ), Path.cwd(), sys.stdin
    os.environ |= {"TERM": "dumb", "COLUMNS": "80", "LINES": "9999", "NO_COLOR": "1"}
    os.chdir(ROOT)
    sys.stdin = _Typist(commands, screen)
    try:
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            main(["debug", *options])
    finally:
        sys.stdin = stdin
        os.chdir(folder)
        os.environ.clear()
        os.environ |= before
    return screen.getvalue()


def document() -> str:
    """The whole file."""
    run = (_KERNEL, "prices", *_LAUNCH)
    shown = [" ".join(words).replace("--scratch", "\\\n    --scratch", 1) for words in (_RUN, run)]
    return "".join(
        [
            *_part(STEPS, "##", ["--state", _STATE], INTRODUCTION, state=_STATE),
            *_part(
                RUNNING,
                "###",
                list(_RUN),
                BETWEEN,
                typed=shown[0],
                ran=shown[1],
                result=_printed("run", *run),
            ),
        ]
    )


def _part(
    steps: tuple[Step, ...], level: str, options: list[str], introduction: str, **words: str
) -> list[str]:
    """Return one transcript, with headings of that level."""
    commands = [command for step in steps for command in step.commands]
    text = transcript(options, commands)
    lines = iter(text.splitlines(keepends=True))
    banner, first = _until_prompt(lines)
    parts = [introduction.format(banner=banner, **words)]
    for step in steps:
        shown = ""
        for _ in step.commands:
            answer, after = _until_prompt(lines)
            shown += first + answer
            first = after
        parts.append(f"\n{level} {step.title}\n\n{_filled(step.text)}\n\n```text\n{shown}```\n")
    return parts


def _until_prompt(lines: Iterator[str]) -> tuple[str, str]:
    """The output before the next prompt, and the line of that prompt."""
    text = ""
    for line in lines:
        if line.startswith("(dwarfgpu "):
            return text, line
        text += line
    return text, ""


def _filled(text: str) -> str:
    out: list[str] = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 100:
            out.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*out, line])


if __name__ == "__main__":
    sys.stdout.write(document())
