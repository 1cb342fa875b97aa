"""The core file that options name, opened."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.options.file_options import require_folder
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.service.machine.open_machine import Stopped, stopped_in_core


def opened_core(args: Namespace, program: str | None, *, strict: bool = False) -> Stopped:
    """Open the core file that the options name; `UsageError` for a file that is not one."""
    if args.sysroot is not None:
        require_folder(args.sysroot, "--sysroot")
    directories: tuple[str | Path, ...] = tuple(
        DEBUG_DIRECTORIES if args.debug_dir is None else args.debug_dir
    )
    libraries = vars(args).get("library_debug_dir")  # by the prompt, after `file`
    with opening():
        return stopped_in_core(
            args.core,
            program,
            sysroot=args.sysroot,
            load_address=natural(args.load_address, "--load-address"),
            dialect=args.dialect,
            strict=strict,
            debug_directories=directories,
            library_debug_directories=directories if libraries is None else tuple(libraries),
            limits=file_limits_of(args),
            gpu_core=args.gpu_core,
            gpu_files=_code_objects(args.code_object),
        )


def _code_objects(options: list[str]) -> dict[str, str]:
    """Return the files that `--code-object URI=FILE` names, by URI, which may have `=` in its
    range."""
    out: dict[str, str] = {}
    for text in options:
        uri, equals, path = text.rpartition("=")
        if not equals or not uri or not path:
            raise UsageError(f"--code-object {text}: expected URI=FILE")
        out[uri] = path
    return out
