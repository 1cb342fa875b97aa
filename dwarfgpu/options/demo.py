"""The demos: a kernel of the package that is stopped in a divergent branch, and one that runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Final

from dwarfgpu.errors import UsageError

_FOLDER: Final = f"{os.path.dirname(os.path.dirname(__file__))}/data"
DEMO_FILE: Final = f"{_FOLDER}/demo.co"
DEMO_LOAD_ADDRESS: Final = 0x7F0000000000
"""Where the state of the demo has the file."""
DEMO_ARGUMENTS: Final = ("picture=zeros:1344", "most=40")
"""Arguments of the kernel `mandelbrot`: 21 rows of 64 characters, and the most steps of a point."""


def add_demo_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--demo`, for `with_demo`."""
    parser.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )


def with_demo(
    args: argparse.Namespace, run: Callable[[argparse.Namespace], int], *, lane: str | None = None
) -> int:
    """Run, for `--demo` with the kernel and the state that come with dwarfgpu."""
    if not args.demo:
        return run(args)
    args.file = args.file or DEMO_FILE
    args.state = args.state or f"{_FOLDER}/demo.json"
    args.lane = args.lane or lane
    return run(args)


def with_run_demo(args: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """Run, for `--demo` with a kernel that comes with dwarfgpu and with arguments for it, where
    none are given; `UsageError` for a file or a kernel besides it."""
    if not args.demo:
        return run(args)
    if args.file is not None:
        raise UsageError("give FILE or --demo, not both")
    if args.earlier:
        raise UsageError("--demo is one dispatch: give FILE for --then")
    named = {text.partition("=")[0].strip() for text in args.arg}
    own = [text for text in DEMO_ARGUMENTS if text.partition("=")[0] not in named]
    args.file, args.kernel = f"{_FOLDER}/mandelbrot.co", "mandelbrot"
    args.grid, args.workgroup = args.grid or "1344", args.workgroup or "64"
    args.arg = [*own, *args.arg]
    return run(args)
