"""Options that say which code object of a file is meant, where it is loaded, and where its other
files are."""

from __future__ import annotations

from argparse import ArgumentParser, _ArgumentGroup

from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES


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
        help="the directory of separate, split and supplementary debug files; default: "
        f"{DEBUG_DIRECTORIES[0]}",
    )


def add_load_address_option(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Add `--load-address` of a file that no machine has loaded."""
    parser.add_argument(
        "--load-address", metavar="ADDR", help="the load address of the code object"
    )
