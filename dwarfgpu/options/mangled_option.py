"""`--mangled`: names of symbols as they are in the file; without it, as people write them."""

from __future__ import annotations

from argparse import _ActionsContainer


def add_mangled_option(parser: _ActionsContainer) -> None:
    """Add the option of commands that show names of functions and symbols."""
    parser.add_argument(
        "--mangled",
        action="store_true",
        help="show functions and symbols by their mangled names",
    )
