"""`dwarfgpu` in processes of its own, each a copy of one process that has loaded it.

Loading it is most of the processor time of a short command. What is about the loading itself, about
the interpreter's options and its environment is tested with new processes.

`python -m tests.processes` reads requests from the socket on its standard input.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import io
import json
import os
import pty
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dwarfgpu.__main__ import run
from dwarfgpu.cli.main import main as command

REPOSITORY = Path(__file__).resolve().parent.parent
_MAX_BYTES = 1 << 20
_PIPE_BYTES = 1 << 16
"""What a pipe takes before something is read from it."""


_LONGEST = 300
"""Seconds after which a process that does not end is ended."""


@cache
def _server() -> tuple[socket.socket, int]:
    """The socket and the id of the process that makes the copies; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(_LONGEST)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.processes"], cwd=REPOSITORY, stdin=theirs,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, start_new_session=True,
        )  # fmt: skip

    @atexit.register
    def end() -> None:
        ours.close()
        process.wait()

    return ours, process.pid


def _request(
    words: Sequence[str], folder: Path, environment: dict[str, str], **more: object
) -> bytes:
    request = {"words": words, "folder": str(folder), "environment": environment, **more}
    return json.dumps(request).encode()


def opened(words: Sequence[str], size: tuple[int, int], environment: dict[str, str]) -> int:
    """The other end of the terminal of a new `dwarfgpu debug`: a file descriptor.

    `size`: rows and columns.
    """
    server, _ = _server()
    everything = {**os.environ, **environment}
    server.sendall(_request(["debug", *words], REPOSITORY, everything, size=size))
    _, [descriptor], _, _ = socket.recv_fds(server, 1, 1)
    return descriptor


def finished(
    *words: str,
    folder: Path = REPOSITORY,
    stdin: str = "",
    is_mixed: bool = False,
    script: Path | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    """What `dwarfgpu` leaves that reads a pipe and writes to files.

    `is_mixed`: whether standard error goes where standard output goes. `script`: run instead of it.
    """
    data = stdin.encode()
    assert len(data) < _PIPE_BYTES
    source, end = os.pipe()
    os.write(end, data)
    os.close(end)
    server, process = _server()
    with tempfile.TemporaryFile("a+b") as out, tempfile.TemporaryFile("a+b") as err:
        streams = [source, out.fileno(), (out if is_mixed else err).fileno()]
        everything = {**os.environ, **environment}
        request = _request(words, folder, everything, script=script and str(script))
        socket.send_fds(server, [request], streams)
        os.close(source)
        try:
            status = int(server.recv(_MAX_BYTES))
        except TimeoutError:
            os.killpg(process, signal.SIGKILL)
            _server.cache_clear()
            raise AssertionError(f"dwarfgpu {words} does not end") from None
        texts = []
        for file in (out, err):
            file.seek(0)
            with io.TextIOWrapper(file, encoding="utf-8") as text:
                texts.append(text.read())
    return subprocess.CompletedProcess(list(words), status, *texts)


def _become(words: list[str], folder: str, environment: dict[str, str]) -> None:
    """Make the process that of a command: it has the streams already."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["dwarfgpu", *words]
    streams = [
        open(number, mode, buffering, "utf-8", closefd=False)  # noqa: SIM115 -- until the end
        for number, mode, buffering in ((0, "r", -1), (1, "w", -1), (2, "w", 1))
    ]
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams


def main() -> None:
    """Answer requests; in a copy, do what the program does."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        command(["debug", "--demo", "--batch", "-ex", "info locals"])  # loads what most need
    on_terminals: set[int] = set()
    with socket.socket(fileno=os.dup(0)) as server:
        for request, streams in _requests(server):
            size = request.pop("size", None)
            child, terminal = pty.fork() if size else (os.fork(), -1)
            if not child:
                server.close()
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                script = request.pop("script", None)
                if size:
                    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))
                _become(**request)
                if script is None:
                    run()
                runpy.run_path(script, run_name="__main__")
                sys.exit()
            if size:
                on_terminals.add(child)
                socket.send_fds(server, [b"."], [terminal])
                os.close(terminal)
                continue
            for stream in streams:
                os.close(stream)
            _, status = os.waitpid(child, 0)
            server.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    for child in on_terminals:
        os.waitpid(child, 0)


def _requests(server: socket.socket) -> Iterator[tuple[dict[str, Any], list[int]]]:
    while True:
        request, streams, _, _ = socket.recv_fds(server, _MAX_BYTES, 3)
        if not request:
            return
        yield json.loads(request), streams


if __name__ == "__main__":
    main()
