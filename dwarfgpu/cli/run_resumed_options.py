"""Options of `dwarfgpu run` that resumes the waves of a state or of a core file."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Final

from dwarfgpu.cli.run_dispatches import sections_of
from dwarfgpu.errors import UsageError
from dwarfgpu.options.core_options import add_parts_of_core
from dwarfgpu.options.given_files import given_as_file
from dwarfgpu.options.unit_options import is_core

_OF_DISPATCH: Final = {
    "kernel": "KERNEL", "grid": "--grid", "workgroup": "--workgroup", "arg": "--arg",
    "dynamic_lds": "--dynamic-lds", "scratch": "--scratch", "demo": "--demo",
}  # fmt: skip
"""Arguments that are about waves which begin."""


def configure_resumed(parser: ArgumentParser) -> None:
    """Add the arguments for resumed waves to a parser."""
    group = parser.add_argument_group("waves of a state or core file")
    group.add_argument("--state", metavar="FILE", help="a state file, whose waves are resumed")
    add_parts_of_core(group)
    group.add_argument(
        "--reg", action="append", default=[], metavar="NAME=VALUE",
        help="set a register of all these waves: mode=0xf0",
    )  # fmt: skip


def resumes(args: Namespace) -> bool:
    """Return whether the waves are those of a state or of a core file; `UsageError` for options
    that do not go together."""
    if args.file is not None and args.file.endswith(".json") and args.state is None:
        raise given_as_file(args.file)
    words = [word for word in (args.file, args.kernel) if word is not None]
    cores = [word for word in words if is_core(word)]
    if args.state is None and not cores:
        for name in ("gpu_core", "code_object", "sysroot", "reg"):
            if getattr(args, name):
                option = name.replace("_", "-")
                raise UsageError(f"--{option} applies to resumed waves: give CORE or --state FILE")
        return False
    if len(cores) + (args.state is not None) > 1:
        raise UsageError("give one core file, or --state FILE")
    files = [word for word in words if word not in cores]
    if cores and files and os.path.exists(files[0]):
        args.kernel = None  # the code object, before or behind the core file
    args.file, args.input_core = files[0] if files else None, cores[0] if cores else None
    if cores and args.kernel == args.input_core:
        args.kernel = None
    first = sections_of(args)[0]
    for name, option in _OF_DISPATCH.items():
        if getattr(first, name, None) or (name in ("kernel", "demo") and getattr(args, name)):
            raise UsageError(
                f"{option} applies to a new dispatch, not to the resumed waves of a state or core "
                "file"
            )
    if args.out and not args.earlier:
        raise UsageError(
            "--out: resumed waves have no named buffers; --save STATE and --core FILE write memory"
        )
    return True
