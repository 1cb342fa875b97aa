"""What a command takes of the machine, and what it says."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from dwarfgpu.base.records import frozen
from tools.bombs.model import Bomb, write_files

ROOT: Final = Path(__file__).resolve().parent.parent.parent
MAX_CPU_SECONDS: Final = 60
"""A command is killed then."""
MAX_MEMORY_BYTES: Final = 4 << 30
TYPED: Final = " <<< "
"""Between a command and what is typed at its prompt."""
LONGEST_LINE: Final = 100_000
"""Of a text for people, in characters."""
_ANSWERS: Final = (0, 1, 2)
"""Exit statuses."""


@frozen
class Measured:
    """One command on one bomb."""

    command: str
    status: int
    """Negative: the signal that killed it."""
    cpu_seconds: float
    memory_megabytes: int
    text: str
    """Both streams."""

    @property
    def problem(self) -> str | None:
        """Why it is neither an answer nor an error of dwarfgpu."""
        if self.status not in _ANSWERS:
            return f"status {self.status}"
        for word in ("Traceback", "MemoryError", "deeper than this command"):
            if word in self.text:
                return word
        longest = max(map(len, self.text.splitlines()), default=0)
        is_for_people = "--json" not in self.command and "--sarif" not in self.command
        if longest > LONGEST_LINE and is_for_people:
            return f"a line of {longest} characters"
        return None


def measured(bomb: Bomb, size: int) -> tuple[int, list[Measured]]:
    """The commands on a bomb of a size; and how many bytes its files have."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size_bytes = write_files(bomb.make(size), folder)
        return size_bytes, [_run(command, folder) for command in bomb.commands]


def arguments_of(command: str) -> list[str]:
    """The arguments of dwarfgpu."""
    words, _, typed = command.partition(TYPED)
    arguments = words.split()
    if arguments[0] == "debug":
        arguments.append("--batch")
        arguments += [word for line in typed.split("; ") for word in ("-ex", line)]
    return arguments


def _run(command: str, folder: Path) -> Measured:
    arguments = [sys.executable, "-m", "dwarfgpu", *arguments_of(command)]
    with (folder / "said").open("w+b") as output:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder)},
            preexec_fn=_bounded,  # noqa: PLW1509 - no other thread
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(1 << 22).decode("utf-8", "replace")
    return Measured(
        command,
        process.returncode,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss >> 10,
        text,
    )


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
