"""`--jobs` and `--json-lines`: options of commands that take many files."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Final

from dwarfgpu.base import json_reader
from dwarfgpu.base.limits import MAX_JOBS
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.file_kinds import ARCHIVE_MAGICS
from dwarfgpu.options.integer_options import cut_short
from dwarfgpu.terminal.input import file_head

NO_FILE: Final = "give one FILE or more, or folders"
"""The error of a command without files."""


def add_batch_options(parser: ArgumentParser) -> None:
    """Add the options of commands that examine many files."""
    group = parser.add_argument_group("for many files")
    group.add_argument("--jobs", metavar="N", help="examine the files in N processes")
    group.add_argument(
        "--json-lines", action="store_true",
        help="print a JSON object on one line for each file, and a last one with the totals",
    )  # fmt: skip


def is_batch(paths: Sequence[str], arguments: Namespace) -> bool:
    """Return whether many files are meant: by these options, by their number, or since one is an
    archive, or a folder that is none of Triton's cache."""
    if len(paths) > 1 or arguments.jobs is not None or arguments.json_lines:
        return True
    if len(paths) == 1 and os.path.isdir(paths[0]):
        from dwarfgpu.objfile.triton_cache import has_kernels  # few requests name a folder

        return not has_kernels(paths[0])
    head = file_head(paths[0]) if paths else None
    return head is not None and head.startswith(ARCHIVE_MAGICS)


def jobs_of(arguments: Namespace) -> int:
    """Return how many processes the options say; 0 for none but this one."""
    if arguments.jobs is None:
        return 0
    jobs = json_reader.integer_of(arguments.jobs)
    if jobs is None or not 1 <= jobs <= MAX_JOBS:
        typed = cut_short(arguments.jobs)
        raise UsageError(f"--jobs: expected a number from 1 to {MAX_JOBS}, not {typed}")
    return jobs
