"""`--mangled`: names of symbols as they are in the file; without it, as people write them."""

from __future__ import annotations

import argparse


def add_mangled_option(parser: argparse.ArgumentParser) -> None:
    """The option, for commands that show names of symbols."""
    parser.add_argument(
        "--mangled", action="store_true", help="names of symbols as they are in the file"
    )
