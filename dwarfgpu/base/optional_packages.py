"""Packages that dwarfgpu uses only where they are installed: the extras of pyproject.toml."""

from __future__ import annotations

import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path


def install_command(package: str) -> str:
    """Return the command that installs a package for the Python that runs dwarfgpu, in a checkout
    or another environment."""
    python = python_command()
    if find_spec("pip") is None:  # as in an environment that uses the pip of another one
        return f"pip --python {python} install {package}"
    return f"{python} -m pip install {package}"


def python_command() -> str:
    """Return the Python that runs dwarfgpu, in the syntax of a shell."""
    return shlex.quote(_from_working_folder(sys.executable or "python3"))


def _from_working_folder(path: str) -> str:
    """Return a path from the working folder, where it is inside of it."""
    try:
        return str(Path(path).relative_to(os.getcwd()))
    except (OSError, ValueError):  # another working folder, or none
        return path
