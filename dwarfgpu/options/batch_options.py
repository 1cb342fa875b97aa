"""`--jobs` and `--json-lines`: options of commands that take many files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from dwarfgpu.errors import UsageError
from dwarfgpu.options.numbers import natural

MAX_JOBS: Final = 256


def add_batch_options(parser: ArgumentParser) -> None:
    """The options, for commands that examine many files."""
    group = parser.add_argument_group("for many files")
    group.add_argument("--jobs", metavar="N", help="examine the files in N processes")
    group.add_argument(
        "--json-lines", action="store_true",
        help="one JSON object for each file, on a line of its own, and a last one for all",
    )  # fmt: skip


def jobs_of(arguments: Namespace) -> int:
    """Return how many processes the options say; 0 for none but this one."""
    jobs = natural(arguments.jobs, "--jobs")
    if jobs is not None and not 1 <= jobs <= MAX_JOBS:
        raise UsageError(f"--jobs: expected a number from 1 to {MAX_JOBS}, not {jobs}")
    return jobs or 0
