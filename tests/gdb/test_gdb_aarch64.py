"""Frames, CFAs and registers of AArch64 programs in QEMU against gdb-multiarch's own unwinder."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from tests.gdb.debugger import Debugger, copies_with_commands
from tests.repl.test_gdb_sessions import gdb_version

HERE = Path(__file__).parent
STOPS = 15
GROUPS = ["leaf held deep", "variable handler many", "tail1 tail2 leaf"]


def is_listening(socket: Path) -> bool:
    """Whether a process accepts connections: between `bind` and `listen` they are refused.

    A connection for trial would be the only one that the program accepts.
    """
    accepting = 1 << 16  # __SO_ACCEPTCON, in the column of flags
    rows = [
        line.split(None, 7) for line in Path("/proc/net/unix").read_text("utf-8").splitlines()[1:]
    ]
    return any(row[7:] == [str(socket)] and int(row[3], 16) & accepting for row in rows)


@contextmanager
def waiting(qemu: str, program: Path, folder: Path) -> Iterator[Path]:
    """The socket at which a program waits for GDB, before its first instruction.

    It is one of the file system: a machine without network has no port for GDB.
    """
    socket = folder / "gdb"
    # GDB does not know signal frames with scalable vectors.
    command = [qemu, "-cpu", "max,sve=off", "-g", str(socket), str(program)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while not is_listening(socket) and process.poll() is None:
            time.sleep(0.01)
        yield socket
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def multiarch(
    debugger: Debugger, tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Debugger]:
    program, folder = tool("gdb-multiarch"), tmp_path_factory.mktemp("multiarch")
    copies = copies_with_commands(program, debugger.source, folder)
    yield evolve(debugger, program=program, copies=copies)
    copies.stop()


@pytest.mark.parametrize("build", ["gcc.O0", "gcc.O2", "clang.O0", "clang.O2"])
def test_every_frame(
    multiarch: Debugger,
    tool: Callable[[str], str],
    repository: Path,
    tmp_path: Path,
    build: str,
) -> None:
    """Recursion, alloca, vector registers, tail calls, a signal; GDB needs a mask for others."""
    if not gdb_version(multiarch.program).startswith("13."):
        pytest.skip("GDB 16 ends with an internal error (register_type) in the handler's frames")
    program = repository / f"fixtures/aarch64/stacks.{build}"
    with waiting(tool("qemu-aarch64"), program, tmp_path) as socket:
        report = multiarch.report(
            "set architecture aarch64",
            f"target remote {socket}",
            "handle SIGSEGV nostop noprint pass",
            f"source {HERE / 'unwinding.py'}",
            f"python Unwinding({len(build)}).walk({STOPS}, {GROUPS}).report()",
            "kill",
            file=program,
        )
    assert report["differences"] == []
    stops, frames, facts = (report[name] for name in ("stops", "frames", "facts"))
    assert isinstance(stops, int) and isinstance(frames, int) and isinstance(facts, int)
    assert stops >= STOPS // 2 and frames > 4 * stops and facts > 20 * frames
