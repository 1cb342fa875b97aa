"""What a program prints about many files, from one process: those of LLVM take 16 ms of processor
time to start, and less than one to print what a fixture has."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
BINARIES = tuple(sorted(
    path for path in FIXTURES.glob("*/*") if path.suffix in (".co", ".v4", ".v5")
))  # fmt: skip
CODE_OBJECTS = tuple(path for path in BINARIES if path.suffix == ".co")


@cache
def printed_of_each(command: tuple[str, ...], paths: tuple[Path, ...]) -> dict[Path, str]:
    """What llvm-dwarfdump, llvm-objdump or llvm-readelf print under the name of each file."""
    done = subprocess.run([*command, *paths], capture_output=True, text=True, check=True)
    names = "|".join(re.escape(str(path)) for path in paths)
    _, *parts = re.split(rf"^(?:File: )?({names})(?::\tfile format .*)?$", done.stdout, flags=re.M)
    printed = dict(zip(map(Path, parts[::2]), parts[1::2], strict=True))
    assert [*printed] == [*paths]
    return printed


def printed_about(path: Path, *command: str, among: tuple[Path, ...] = BINARIES) -> str:
    """What a program of LLVM prints about one file, asked about all of some if it is of them."""
    if path in among:
        return printed_of_each(command, among)[path]
    return subprocess.run([*command, path], capture_output=True, text=True, check=True).stdout
