"""Options that say which code object of a file is meant, where it is loaded, and where its other
files are."""

from __future__ import annotations

import os
from argparse import ArgumentParser, _ArgumentGroup
from typing import TYPE_CHECKING

from dwarfgpu.errors import UsageError, shortened, shown
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.service.error_text import empty

if TYPE_CHECKING:
    from dwarfgpu.dwarf.code_object import CodeObject


def _debug_directory(path: str) -> str:
    """Return the argument of `--debug-dir`; `UsageError` if there is no such folder."""
    if not path:
        raise UsageError(empty("--debug-dir"))
    require_folder(path, "--debug-dir")
    return path


def require_folder(path: str, option: str) -> None:
    """Raise `UsageError` if an option names no folder."""
    if not os.path.isdir(path):
        raise UsageError(f"{option} {shortened(path)}: there is no such folder")


def require_end(code_object: CodeObject) -> None:
    """Raise `UsageError` for a load address from which a code object would exceed 64 bits."""
    from dwarfgpu.dwarf.code_object import has_end  # most need none

    if not has_end(code_object):
        raise UsageError(
            f"--load-address: {code_object.name} at {shown(code_object.load_address)} would end "
            "beyond 64 bits"
        )


def add_target_option(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Add `--target`."""
    parser.add_argument(
        "--target",
        metavar="GPU",
        help="the code object of a fat binary to use: gfx90a:xnack+, or its number",
    )


def add_debug_dir_option(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Add `--debug-dir`."""
    parser.add_argument(
        "--debug-dir",
        metavar="DIR",
        action="append",
        type=_debug_directory,
        help="the directory of separate, split and supplementary debug files; default: "
        f"{DEBUG_DIRECTORIES[0]}",
    )


def add_load_address_option(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Add `--load-address` of a file that no machine has loaded."""
    parser.add_argument(
        "--load-address", metavar="ADDR", help="the load address of the code object"
    )
