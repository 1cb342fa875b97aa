"""Runs GDB in batch mode on our commands."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from dwarfgpu.base.records import frozen
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.separate_debug import find_debug_file

INSIDE = Path(__file__).with_name("inside.py")
COPIES = Path(__file__).with_name("copies.py")
PACKAGES = ("dwarfgpu.gdb", "dwarfgpu.language", "dwarfgpu.view")
"""Whose modules our commands load."""
SETTINGS = ("set width 0", "set height 0", "set confirm off", "set debuginfod enabled off")


DEBUG_FILES = Path("/usr/lib/debug")
"""Where GDB looks for separate debug information, and where Debian has it, compressed."""
_IN_EVERY_PROGRAM = re.compile(r"/(libc|libm|ld-linux[^/]*)\.so\.")


@cache
def indexed() -> tuple[str, ...]:
    """Settings by which GDB indexes and inflates the debug information of the C library once, not
    for each program that runs: that is most of the processor time of a short run."""
    folder = tempfile.TemporaryDirectory(prefix="dwarfgpu-index-")
    atexit.register(folder.cleanup)
    inflated = Path(folder.name, "debug")
    _inflate(inflated)
    return (
        f"set index-cache directory {folder.name}/index",
        "set index-cache enabled on",
        f"set debug-file-directory {inflated}:{DEBUG_FILES}",
    )


def _inflate(folder: Path) -> None:
    """Copy the debug information of the libraries of every program, with its sections inflated."""
    objcopy = shutil.which("objcopy")
    if objcopy is None:
        return
    maps = Path("/proc/self/maps").read_text("utf-8").splitlines()
    for library in {line.split(maxsplit=5)[-1] for line in maps if _IN_EVERY_PROGRAM.search(line)}:
        path = find_debug_file(open_object(Path(library)))
        if path is None or not Path(path.path).is_relative_to(DEBUG_FILES):
            continue
        copy = folder / Path(path.path).relative_to(DEBUG_FILES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        options = [objcopy, "--decompress-debug-sections", path.path, copy]
        subprocess.run(options, check=True, timeout=60)


class Copies:
    """A GDB that was started once, and runs commands in copies of its process: starting GDB, and
    loading dwarfgpu, is most of the processor time of a short test."""

    def __init__(
        self, program: str, folder: Path, lines: Sequence[str], packages: Sequence[str] = ()
    ) -> None:
        """`lines`: what GDB runs once; `packages`: all of their modules are loaded once."""
        self._program, self._folder, self._lines = program, folder, lines
        self._packages = packages
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.txt"

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.settimeout(300)
        arguments = ", ".join([str(theirs.fileno()), *map(repr, self._packages)])
        lines = (
            "maint set worker-threads 0",  # a copy has the one thread that made it
            *self._lines,
            f"source {COPIES}",
            f"python serve({arguments})",
        )
        options = [piece for line in lines for piece in ("-ex", line)]
        environment = {"XDG_CACHE_HOME": str(self._folder), "LC_ALL": "C.UTF-8"}
        with theirs, self._file("start").open("w") as output:
            self._process = subprocess.Popen(
                [self._program, "-nx", "-q", "-batch", *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={**os.environ, **environment},
            )
        return ours

    def run(self, commands: Sequence[str], folder: Path | None = None) -> tuple[str, str]:
        """Standard output and error of some commands; `folder`: where they run."""
        out, err = self._file("out"), self._file("err")
        self._request(commands, out, err, folder)
        return out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")

    def mixed(self, commands: Sequence[str], folder: Path) -> str:
        """Standard output and error of some commands in a folder, in the order of writing."""
        both = self._file("out")
        self._request(commands, both, both, folder)
        return both.read_text(encoding="utf-8")

    def _request(self, commands: Sequence[str], out: Path, err: Path, folder: Path | None) -> None:
        if self._requests is None:
            self._requests = self._start()
        out.unlink(missing_ok=True)
        err.unlink(missing_ok=True)
        request = {"commands": commands, "out": str(out), "err": str(err)}
        request |= {"folder": str(folder)} if folder else {}
        try:
            self._requests.sendall(json.dumps(request).encode() + b"\n")
            answer = self._requests.recv(1)
        except OSError:
            self.stop()
            raise
        assert answer, self._file("start").read_text()

    def stop(self) -> None:
        """End GDB, and a copy that has not ended; the next commands start it again."""
        if self._requests is not None and self._process is not None:
            self._requests.close()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._requests = None


def copies_with_commands(program: str, source: str, folder: Path) -> Copies:
    """A GDB that knows our commands; `source`: the file that makes it know them."""
    lines = (*SETTINGS, *indexed(), f"source {source}", f"source {INSIDE}")
    return Copies(program, folder, lines, PACKAGES)


@frozen
class Debugger:
    """GDB, and the file that makes it know dwarfgpu."""

    program: str
    source: str
    cache: Path
    copies: Copies

    def run(self, *commands: str, file: Path | None = None) -> tuple[str, str]:
        """Standard output and error of GDB for some commands."""
        return self.copies.run([*([f"file {shlex.quote(str(file))}"] if file else []), *commands])

    def errors(self, before: Sequence[str], commands: Sequence[str], file: Path) -> list[str]:
        """Standard error of each of some commands that change nothing, one after the other."""
        mark = "python import sys; print('@@', file=sys.stderr)"
        marked = [line for command in commands for line in (mark, command)]
        _, err = self.run(*before, *marked, file=file)
        _, *errors = err.split("@@\n")
        assert len(errors) == len(commands), err
        return errors

    def report(self, *commands: str, file: Path) -> dict[str, object]:
        """What a comparison reports."""
        out, err = self.run(*commands, file=file)
        match = re.search(r"^@@(.*)$", out, re.MULTILINE)
        assert match is not None, out + err
        report: dict[str, object] = json.loads(match[1])
        return report

    def python(self, code: str, *before: str, file: Path | None = None) -> str:
        """What Python code prints inside GDB, without what GDB says."""
        out, err = self.run(*before, "echo @@", f"python exec({code!r})", "echo @@", file=file)
        assert out.count("@@") == 2 and "Error" not in err, out + err
        return out.split("@@")[1]


Beginnings = tuple[str, ...]
"""Commands that lead to where others are tried."""


def errors_of(
    debugger: Debugger, tried: Sequence[tuple[Beginnings, str, str]], file: Path
) -> dict[tuple[Beginnings, str], str]:
    """What GDB says on standard error, by beginning and command; one GDB for each beginning.

    `tried`: beginnings, commands, and what the tests expect.
    """
    result: dict[tuple[Beginnings, str], str] = {}
    for before in dict.fromkeys(before for before, _, _ in tried):
        commands = [command for item, command, _ in tried if item == before]
        errors = debugger.errors(before, commands, file)
        result |= {(before, command): text for command, text in zip(commands, errors, strict=True)}
    return result


def start_debugger(folder: Path) -> Debugger:
    """GDB with dwarfgpu; skips the test, with the reason, where it cannot run a program."""
    program = shutil.which("gdb")
    if program is None:
        pytest.skip("gdb is not installed")
    version = "python import sys; print(*sys.version_info[:2])"
    done = subprocess.run(
        [program, "-nx", "-batch", "-ex", version, "-ex", "starti", "/bin/true"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    first = done.stdout.partition("\n")[0].split()
    if not all(item.isdigit() for item in first) or [int(item) for item in first] < [3, 11]:
        pytest.skip("gdb has no Python 3.11 or newer")
    if "Program stopped" not in done.stdout:
        last = (done.stderr.strip().splitlines() or ["gdb says nothing"])[-1]
        pytest.skip(f"gdb cannot run a program here: {last}")
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    located = subprocess.run(
        [sys.executable, "-m", "dwarfgpu", "gdb-path"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
        env=environment,
    )
    source = located.stdout.strip()
    return Debugger(program, source, folder, copies_with_commands(program, source, folder))
