"""`dwarfgpu gdb-path`: the path of the file to source in GDB."""

from __future__ import annotations

import argparse
import hashlib
import os
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from dwarfgpu import gdb_loader
from dwarfgpu.errors import UsageError

LOADER = """# Made by `dwarfgpu gdb-path` for GDB's `source`.
import runpy
runpy.run_path({source!r})["load"]({folders!r})
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "in GDB, or in ~/.gdbinit: source PATH"


def run(args: argparse.Namespace) -> int:
    print(path())
    return 0


def path() -> Path:
    """The file to source.

    It is part of the package where that finds what it needs by itself; else a small file in the
    user's cache that names the folders. `UsageError` where that cannot be written.
    """
    source = Path(gdb_loader.__file__).resolve().with_name("gdb_source.py")
    folders = gdb_loader.folders()
    if PathFinder.find_spec("attrs", folders) is not None:
        return source
    found = find_spec("attrs")
    assert found is not None and found.origin is not None  # this process uses it
    folders = [str(gdb_loader.HERE), str(Path(found.origin).resolve().parent.parent)]
    text = LOADER.format(source=str(source), folders=folders)
    cache = _caches() / "dwarfgpu"
    loader = cache / f"gdb-{hashlib.sha256(text.encode()).hexdigest()[:8]}.py"
    try:
        if not loader.exists() or loader.read_bytes() != text.encode():
            cache.mkdir(parents=True, exist_ok=True)
            loader.write_bytes(text.encode())
    except OSError as error:
        raise UsageError(f"{loader} cannot be written: {error.strerror}") from None
    return loader


def _caches() -> Path:
    """The folder of the user's caches (XDG Base Directory Specification)."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if given.is_absolute():  # any other is to be ignored
        return given
    try:
        return Path.home() / ".cache"
    except RuntimeError:
        raise UsageError("there is no home directory: give XDG_CACHE_HOME") from None
