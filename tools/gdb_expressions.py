"""Compare what GDB and `dwarfgpu debug` answer to commands with expressions, on core files.

    tools/gdb_expressions.py [--only TEXT] [--keep FOLDER]

Builds fixtures/native/expressions.c and .cpp, lets them end in a core file, and gives the commands
of gdb_expressions.txt to both. Differences that no heading of docs/gdb-differences.md explains are
printed, and are the exit status; so are explanations of what does not differ any more.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.base.records import frozen

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "fixtures/native"
COMMANDS = Path(__file__).with_suffix(".txt")
REASONS = ROOT / "docs/gdb-differences.md"
FLAGS = ("-g", "-O0", "-w", "-no-pie", "-fno-stack-protector")
COMPILERS = {".c": ("gcc",), ".cpp": ("g++", "-std=c++17")}
_MARK = re.compile(r"\n@@[0-9]+\n")
_REMARK = re.compile(
    r'^(?:note: .*|type "explain .*)\n| Did you mean ".*"\?|(?<=[0-9a-f]): nothing is mapped there',
    re.MULTILINE,
)
"""Notes and hints, which GDB does not have, and texts about every address."""
_NUMBER = re.compile(r"^\$[0-9]+ = ", re.MULTILINE)


@frozen
class Asked:
    """A command, and the heading that says why the answers differ."""

    command: str
    reason: str | None


def sections() -> Iterator[tuple[str, str, list[Asked]]]:
    """Source, number of the frame in focus, and commands."""
    source = frame = ""
    asked: list[Asked] = []
    for line in COMMANDS.read_text("utf-8").splitlines():
        if match := re.fullmatch(r"\[(\S+) (\S+)\]", line):
            if asked:
                yield source, frame, asked
            source, frame, asked = match[1], match[2], []
        elif line and not line.startswith("#"):
            command, _, reason = line.partition(" ## ")
            asked.append(Asked(command, reason or None))
    yield source, frame, asked


def built(source: str, folder: Path) -> tuple[Path, Path]:
    """A program and its core file."""
    path = NATIVE / source
    program = folder / path.suffix.lstrip(".")
    core = program.with_suffix(".core")
    if not core.exists():
        subprocess.run([*COMPILERS[path.suffix], *FLAGS, "-o", program, path.name],
                       cwd=NATIVE, check=True)  # fmt: skip
        subprocess.run(
            ["gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "run",
             "-ex", f"generate-core-file {core}", program],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    return program, core


def answers(program: list[str], focus: str, asked: list[Asked]) -> list[str]:
    """The output of each command, errors included, without the number in the history."""
    words = ["-ex", focus]
    for number, item in enumerate(asked):
        words += ["-ex", f"echo \\n@@{number}\\n", "-ex", item.command]
    words += ["-ex", f"echo \\n@@{len(asked)}\\n"]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [*program, *words], env=environment, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    parts = _MARK.split(done.stdout.decode("utf-8", "backslashreplace"))[1:-1]
    if len(parts) != len(asked):
        raise SystemExit(f"{program[0]} ended early:\n{done.stdout.decode()[-2000:]}")
    return [_NUMBER.sub("$N = ", _REMARK.sub("", part)).rstrip("\n") for part in parts]


def compared(source: str, frame: str, asked: list[Asked], folder: Path) -> int:
    """Print what differs; how many of it nothing explains."""
    program, core = map(str, built(source, folder))
    focus = f"frame {frame}"
    gdb = ["gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off",
           "-iex", "set width 0", program, core]  # fmt: skip
    debug = [sys.executable, "-m", "dwarfgpu", "debug", program, "--core", core, "--batch"]
    known = set(re.findall(r"^## (.+)$", REASONS.read_text("utf-8"), re.MULTILINE))
    same = explained = wrong = 0
    theirs, own = answers(gdb, focus, asked), answers(debug, focus, asked)
    for item, gdbs, ours in zip(asked, theirs, own, strict=True):
        if gdbs == ours and item.reason is None:
            same += 1
        elif gdbs != ours and item.reason in known:
            explained += 1
        else:
            wrong += 1
            print(f"{item.command}\n  GDB   {gdbs!r}\n  ours  {ours!r}")
    print(f"{source}: {same} same, {explained} explained, {wrong} not explained")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="", help="sections with this text in their source")
    parser.add_argument("--keep", type=Path, help="where the programs are, and stay")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        return min(1, sum(
            compared(*section, folder) for section in sections() if given.only in section[0]
        ))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
