"""GDB without dwarfgpu, as if it were started for each list of commands."""

from __future__ import annotations

import atexit
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.gdb.debugger import Copies

NO_DEBUG_FILES = "set debug-file-directory ."
"""A machine may have debugging information of the C library, which takes long to read and changes
answers."""


@cache
def _copies(gdb: str) -> Copies | None:
    """A GDB that is copied for each list of commands, or None where it has no Python."""
    asked = [gdb, "-nx", "-batch", "-ex", "python import json, socket"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)
    if said.stderr or said.returncode:
        return None
    folder = tempfile.TemporaryDirectory(prefix="dwarfgpu-gdb-")
    copies = Copies(gdb, Path(folder.name), ())

    @atexit.register
    def end() -> None:
        copies.stop()
        folder.cleanup()

    return copies


def printed(gdb: str, folder: Path, files: Sequence[str], commands: Sequence[str]) -> str:
    """Return what GDB prints in a folder about a program, perhaps with a core file, on standard
    output and error, in the order of writing."""
    copies = _copies(gdb)
    if copies is None:
        return _printed_alone(gdb, folder, files, commands)
    loading = [f"file {shlex.quote(path)}" for path in files[:1]]
    loading += [f"core-file {path}" for path in files[1:]]
    return copies.mixed([NO_DEBUG_FILES, *loading, *commands], folder)


def _printed_alone(gdb: str, folder: Path, files: Sequence[str], commands: Sequence[str]) -> str:
    given = [word for line in commands for word in ("-ex", line)]
    return subprocess.run(
        [gdb, "-nx", "-q", "--batch", "-iex", NO_DEBUG_FILES, *given, *files], cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8", "DEBUGINFOD_URLS": ""},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, timeout=60,
    ).stdout  # fmt: skip
