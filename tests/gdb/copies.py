"""Run inside GDB: a copy of its process for each request, as new as a GDB that was just started.

Nothing is in the copies that a test has left: the process that makes them runs no command itself.
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

import dwarfgpu.gdb
import dwarfgpu.language
import dwarfgpu.view


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
            print(error, file=sys.stderr)
        gdb.flush()


def serve(descriptor: int) -> None:
    """Run what comes by a socket: by line, as JSON, commands and the files for standard output
    and error. An empty line answers when the copy has ended."""
    os.set_inheritable(descriptor, False)
    for package in (dwarfgpu.gdb, dwarfgpu.language, dwarfgpu.view):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)  # commands would import it in each copy
    gc.freeze()  # a collection would write to all pages, which are then copied
    gc.set_threshold(200_000, 20, 100)  # as in the process of the tests
    with socket.socket(fileno=descriptor) as requests:
        for line in requests.makefile("r", encoding="utf-8"):
            request = json.loads(line)
            copy = os.fork()
            if not copy:
                try:
                    requests.close()
                    _redirect(1, request["out"])
                    _redirect(2, request["err"])
                    _run(request["commands"])
                    gdb.execute("quit")
                finally:
                    os._exit(1)
            os.waitpid(copy, 0)
            requests.sendall(b"\n")
