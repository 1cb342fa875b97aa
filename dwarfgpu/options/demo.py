"""The demo as a machine: a kernel of the package, stopped in a divergent branch."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def with_demo(
    args: argparse.Namespace, run: Callable[[argparse.Namespace], int], *, lane: str | None = None
) -> int:
    """Run, for `--demo` with the kernel and the state that come with dwarfgpu."""
    if not args.demo:
        return run(args)
    from importlib.resources import as_file, files  # no other command line needs them

    with as_file(files("dwarfgpu") / "data") as folder:
        args.file = args.file or str(folder / "demo.co")
        args.state = args.state or str(folder / "demo.json")
        args.lane = args.lane or lane
        return run(args)
