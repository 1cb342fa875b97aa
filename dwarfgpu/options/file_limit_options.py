"""`--max-inflated-bytes` and the other budgets of a file on the command line."""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.objfile.file_limits import DEFAULT_LIMITS, FileLimits
from dwarfgpu.options.unit_options import natural

FILE_BUDGETS: Final = {
    "--max-inflated-bytes": ("inflated_bytes", "bytes of a file's compressed parts, unpacked"),
    "--max-inflated-ratio": ("inflated_ratio", "unpacked bytes for each compressed one"),
    "--max-units": ("units", "units of a section"),
    "--max-dies": ("dies", "debugging information entries that are read of a file"),
}
"""Options, the field of `FileLimits` that each sets, and what it bounds."""


def add_file_limit_options(parser: argparse.ArgumentParser) -> None:
    """The options, for commands that read object files."""
    group = parser.add_argument_group("budgets of a file, beyond which it is LimitExceeded")
    for option, (name, help_text) in FILE_BUDGETS.items():
        default = getattr(DEFAULT_LIMITS, name)
        group.add_argument(option, metavar="N", help=f"{help_text}; default: {default}")


def file_limits_of(args: argparse.Namespace) -> FileLimits:
    """The budgets that the options set; `UsageError` for what is no number."""
    given = {
        name: natural(text, option)
        for option, (name, _) in FILE_BUDGETS.items()
        if (text := getattr(args, option[2:].replace("-", "_"))) is not None
    }
    return FileLimits(**given)
