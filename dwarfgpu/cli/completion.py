"""`dwarfgpu completion`: the completion of a shell, or the manual page, as generated files."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

FILES: Final[Mapping[str, str]] = {
    "bash": "dwarfgpu.bash",
    "zsh": "_dwarfgpu",
    "fish": "dwarfgpu.fish",
    "man": "dwarfgpu.1",
}
"""By argument, files in `dwarfgpu/data/completion/`, which tools/gen_completion.py generates."""


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "kind",
        metavar="SHELL",
        choices=tuple(FILES),
        help="bash, zsh, fish, or man for the manual page",
    )


def run(arguments: Namespace) -> int:
    """Print the file."""
    file = files("dwarfgpu") / "data" / "completion" / FILES[arguments.kind]
    sys.stdout.write(file.read_text(encoding="utf-8"))
    return 0
