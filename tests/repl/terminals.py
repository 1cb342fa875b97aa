"""The prompt on many terminals, each a copy of one process that has loaded it.

`python -m tests.repl.terminals` reads requests from the socket on its standard input: what to give
`dwarfgpu debug`, the environment and the size. It answers with the other end of a terminal.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import io
import json
import os
import pty
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from dwarfgpu.cli.main import main as command

REPOSITORY = Path(__file__).resolve().parent.parent.parent
_MOST_BYTES = 1 << 20


@cache
def _server() -> socket.socket:
    """The socket of the process that makes the copies; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.repl.terminals"], cwd=REPOSITORY, stdin=theirs,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip

    @atexit.register
    def end() -> None:
        ours.close()
        process.wait()

    return ours


def opened(words: list[str], size: tuple[int, int], environment: dict[str, str]) -> int:
    """The other end of the terminal of a new `dwarfgpu debug`: a file descriptor.

    `size`: rows and columns.
    """
    request = {"words": words, "size": size, "environment": environment}
    server = _server()
    server.sendall(json.dumps(request).encode())
    _, [descriptor], _, _ = socket.recv_fds(server, 1, 1)
    return descriptor


def _requests(server: socket.socket) -> Iterator[dict[str, Any]]:
    while request := server.recv(_MOST_BYTES):
        yield json.loads(request)


def _run(words: list[str], size: tuple[int, int], environment: dict[str, str]) -> NoReturn:
    """What the program does, with the terminal in the place of the standard streams."""
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))
    os.environ.update(environment)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 -- until the end
    sys.stdout, sys.stderr = (
        open(number, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
        for number in (1, 2)
    )
    status = command(["debug", *words])
    sys.stdout.flush()
    os._exit(status)


def main() -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        command(["debug", "--demo", "--batch", "-ex", "info locals"])  # loads what most need
    children: set[int] = set()
    with socket.socket(fileno=os.dup(0)) as server:
        for request in _requests(server):
            child, terminal = pty.fork()
            if not child:
                _run(**request)
            children.add(child)
            socket.send_fds(server, [b"."], [terminal])
            os.close(terminal)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
