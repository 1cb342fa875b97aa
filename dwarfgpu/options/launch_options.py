"""The options of a dispatch on paper, for every command that makes one."""

from __future__ import annotations

from argparse import ArgumentParser, _ArgumentGroup
from typing import Final

LAUNCH: Final = ("grid", "workgroup", "arg", "dynamic_lds", "scratch", "fill")
"""What the parsed arguments call them."""


def configure_launch(parser: ArgumentParser | _ArgumentGroup, *, runs: bool = False) -> None:
    """Add the arguments of a dispatch, also for other commands. `runs`: the kernel executes, so
    that no buffer can have unknown contents."""
    unknown = "" if runs else "buffer:SIZE, "
    parser.add_argument("--grid", metavar="X[,Y[,Z]]", help="work-items")
    parser.add_argument("--workgroup", metavar="X[,Y[,Z]]", help="work-items of a workgroup")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE",
        help="an argument by name, number or hidden kind, or a member of one (view.out): "
        "10, 1.5, data.npy, @raw.bin, "
        f"{unknown}zeros:SIZE, range:COUNT, random:SEED:COUNT, lds:SIZE, bytes:HEX, "
        "? (unknown)",
    )  # fmt: skip
    parser.add_argument(
        "--dynamic-lds", metavar="BYTES", help="LDS in addition to the kernel's own"
    )
    parser.add_argument("--scratch", metavar="BYTES", help="scratch per lane, for a dynamic stack")
    parser.add_argument("--fill", metavar="BYTE", help="contents of memory that was never written")
