"""Run inside GDB: a copy of its process for each request, as new as a GDB that was just started.

Nothing is in the copies that a test has left: the process that makes them runs no command itself.
It needs nothing of dwarfgpu.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import socket
import sys

import gdb


def _redirect(descriptor: int, path: str) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(opened, descriptor)
    os.close(opened)


def _run(commands: list[str]) -> None:
    """The commands as by `-batch -ex`: one that fails does not keep the others from running."""
    for command in commands:
        try:
            gdb.execute(command)
        except gdb.error as error:
            gdb.flush()
            print(error, file=sys.stderr)
        gdb.flush()


def serve(descriptor: int, *packages: str) -> None:
    """Run what comes by a socket: by line, as JSON, commands and the files for standard output
    and error, perhaps a folder. An empty line answers when the copy has ended.

    `packages`: whose modules commands would import in each copy.
    """
    os.set_inheritable(descriptor, False)
    for package in map(importlib.import_module, packages):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    gc.freeze()  # a collection would write to all pages, which are then copied
    gc.set_threshold(200_000, 20, 100)  # as in the process of the tests
    with socket.socket(fileno=descriptor) as requests:
        for line in requests.makefile("r", encoding="utf-8"):
            request = json.loads(line)
            copy = os.fork()
            if not copy:
                try:
                    requests.close()
                    if "folder" in request:
                        gdb.execute(f"cd {request['folder']}", to_string=True)
                    _redirect(1, request["out"])
                    _redirect(2, request["err"])
                    _run(request["commands"])
                    gdb.execute("quit", to_string=True)  # which says that a program is ended
                finally:
                    os._exit(1)
            os.waitpid(copy, 0)
            requests.sendall(b"\n")
