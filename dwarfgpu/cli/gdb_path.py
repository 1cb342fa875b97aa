"""`dwarfgpu gdb-path`: the path of the file to source in GDB."""

from __future__ import annotations

import argparse
import hashlib
import os
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import dwarfgpu
from dwarfgpu.base.index_cache import user_caches
from dwarfgpu.base.writing import write_file
from dwarfgpu.errors import UsageError

LOADER = """# Made by `dwarfgpu gdb-path` for GDB's `source`.
import runpy
runpy.run_path({source!r})["load"]({folders!r})
"""


PACKAGE = Path(dwarfgpu.__file__).resolve().parent
GDB_FOLDER = PACKAGE / "gdb"
"""The files that GDB sources. `dwarfgpu.gdb` itself is a package for GDB's Python alone."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "in GDB, or in ~/.gdbinit: source PATH"


def run(args: argparse.Namespace) -> int:
    print(path())
    return 0


def path() -> Path:
    """Return the path of the file to source.

    It is part of the package where that finds what it needs by itself; else a small file in the
    user's cache that names the folders. `UsageError` where that cannot be written.
    """
    source = GDB_FOLDER / "source.py"
    folders = package_folders()
    if PathFinder.find_spec("attrs", folders) is not None:
        return source
    spec = find_spec("attrs")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(name="attrs")
    folders = [str(PACKAGE.parent), str(Path(spec.origin).resolve().parent.parent)]
    text = LOADER.format(source=str(source), folders=folders)
    cache = _caches() / "dwarfgpu"
    sourced = cache / f"gdb-{hashlib.sha256(text.encode()).hexdigest()[:8]}.py"
    try:
        if not os.path.exists(sourced) or sourced.read_bytes() != text.encode():
            cache.mkdir(parents=True, exist_ok=True)
            write_file(sourced, text.encode())
    except OSError as error:
        raise UsageError(f"{sourced} cannot be written: {error.strerror}") from None
    return sourced


def load_file(name: str) -> ModuleType:
    """Load a file that GDB sources, without the package `dwarfgpu.gdb` around it."""
    spec = spec_from_file_location(f"dwarfgpu_gdb_{Path(name).stem}", GDB_FOLDER / name)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package_folders() -> list[str]:
    """Return the folders in which GDB's Python finds the package, and in a checkout its
    dependencies."""
    folders: list[str] = load_file("loader.py").folders()
    return folders


def _caches() -> Path:
    """Return the folder of the user's caches; `UsageError` if there is none."""
    folder = user_caches()
    if folder is None:
        raise UsageError("there is no home directory: set XDG_CACHE_HOME")
    return folder
