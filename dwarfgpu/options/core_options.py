"""The options of a core file: its halves, and where the files are that were loaded."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from pathlib import Path

from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.separate_debug import DEBUG_DIRECTORIES
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.options.numbers import natural
from dwarfgpu.service.open_machine import Stopped, stopped_in_core

_NEED_CORE = {
    "sysroot": "--sysroot is for the libraries of a core file: give --core FILE",
    "gpu_core": "--gpu-core goes with the core file of the process: give --core FILE",
    "code_object": "--code-object is for the GPUs of a core file: give --core FILE",
}


def add_core_options(group: ArgumentParser | _ArgumentGroup) -> None:
    """`--core` and what goes with it."""
    group.add_argument("--core", metavar="FILE", help="a core file: threads, waves and memory")
    group.add_argument(
        "--gpu-core", metavar="FILE", help="the core file of the GPUs, where that is another one"
    )
    group.add_argument(
        "--code-object", action="append", default=[], metavar="URI=FILE",
        help="a code object of the GPUs of a core file, which is not where its URI says",
    )  # fmt: skip
    group.add_argument(
        "--sysroot", metavar="DIR", help="where the libraries of a core file are, instead of in /"
    )


def require_core(args: Namespace) -> None:
    """`UsageError` for an option of core files without one."""
    for name, message in _NEED_CORE.items():
        if getattr(args, name):
            raise UsageError(message)


def opened_core(args: Namespace, program: str | None, *, strict: bool = False) -> Stopped:
    """The process of the core file that the options name; `UsageError` for one that is none."""
    directories: tuple[str | Path, ...] = tuple(args.debug_dir or DEBUG_DIRECTORIES)
    with opening():
        return stopped_in_core(
            args.core,
            program,
            sysroot=args.sysroot,
            load_address=natural(args.load_address, "--load-address"),
            dialect=args.dialect,
            strict=strict,
            debug_directories=directories,
            limits=file_limits_of(args),
            gpu_core=args.gpu_core,
            gpu_files=_code_objects(args.code_object),
        )


def _code_objects(options: list[str]) -> dict[str, str]:
    """The files that `--code-object URI=FILE` names, by URI, which may have `=` in its range."""
    out: dict[str, str] = {}
    for text in options:
        uri, equals, path = text.rpartition("=")
        if not equals or not uri or not path:
            raise UsageError(f"--code-object {text}: expected URI=FILE")
        out[uri] = path
    return out
