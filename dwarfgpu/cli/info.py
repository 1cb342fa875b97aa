"""`dwarfgpu info`: the kind of a file, and its contents."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.base.printable import short_line
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.options.batch_options import NO_FILE, add_batch_options, is_batch
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.dialect_option import DIALECT_HELP
from dwarfgpu.options.file_options import add_debug_dir_option
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.mangled_option import add_mangled_option
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.service.error_text import empty
from dwarfgpu.service.file import file_report_json
from dwarfgpu.service.file.file_report import Report, report_on, report_on_object, with_lines
from dwarfgpu.service.file.file_report_text import is_complete, report_lines

SCHEMA: Final = file_report_json.SCHEMA


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "path", metavar="FILE", nargs="*",
        help="an ELF file, a host file with a fat binary, a bundle, or a core file with or "
        "without its program; or several files, archives, wheels, Debian packages and folders",
    )  # fmt: skip
    add_core_options(parser)
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="for a core file: the program that ran, or the code of the GPUs",
    )
    parser.add_argument(
        "--load-address", metavar="ADDR", help="for a core file: the load address of --file"
    )
    parser.add_argument(
        "--target", metavar="GPU", help="the code object to describe: gfx90a:xnack+, or its number"
    )
    add_debug_dir_option(parser)
    parser.add_argument("--dialect", metavar="NAME", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_batch_options(parser)
    parser.add_argument(
        "--lines",
        action="store_true",
        help="for a cubin: list the source lines of its machine code",
    )
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="show every unit, every section with an assumed address, and every field of kernel "
        "descriptors",
    )


def run(arguments: Namespace) -> int:
    """Print the report; 1 where a part could not be read."""
    if _is_about_many(arguments):
        from dwarfgpu.cli.many_files import show_many  # most requests are about one file

        _require_no_program(arguments, "several files are not")
        return show_many(show, "info", arguments.path, arguments, has_heading=False)
    path, is_core_file = _subject(arguments)
    if is_core_file:
        if arguments.lines:
            raise UsageError("--lines is for a cubin, not for a core file")
        from dwarfgpu.cli.info_core import info_core

        return info_core(arguments, path)
    _require_no_program(arguments, f"{path} is not")
    with opening():
        report = report_on(
            path,
            arguments.target,
            _directories(arguments),
            arguments.dialect,
            file_limits_of(arguments),
        )
    return _print(report, arguments)


def show(file: ObjectFile, arguments: Namespace) -> int:
    """Print the report on one object file of many; 1 where a part could not be read."""
    return _print(report_on_object(file, _directories(arguments), arguments.dialect), arguments)


def _require_no_program(arguments: Namespace, what: str) -> None:
    """Raise `UsageError` for options about a core file."""
    if arguments.file is not None or arguments.load_address is not None:
        raise UsageError(f"--file and --load-address are for a core file, which {what}")
    require_core(arguments)


def _directories(arguments: Namespace) -> Sequence[str | Path]:
    return arguments.debug_dir or DEBUG_DIRECTORIES


def _is_about_many(arguments: Namespace) -> bool:
    """Return whether several files are named, or what has several in it, without a core file."""
    paths = arguments.path
    if arguments.core is not None or "" in paths or not is_batch(paths, arguments):
        return False
    return not any(map(is_core, paths))


def _print(report: Report, arguments: Namespace) -> int:
    if arguments.lines:
        report = with_lines(report)
    if arguments.json:
        from dwarfgpu.cli.printing import print_streamed  # text needs none of it

        print_streamed({"schema": SCHEMA, **file_report_json.streamed_report(report)})
    else:
        for line in report_lines(report, everything=arguments.all, is_mangled=arguments.mangled):
            print(short_line(line))
    return 0 if is_complete(report) else 1


def _subject(arguments: Namespace) -> tuple[str, bool]:
    """Return the file to report on, and whether it is a core file; `arguments.file` becomes the
    program of a core file given with it."""
    paths = list(arguments.path)
    if "" in paths:
        raise UsageError(empty("FILE"))
    cores = [arguments.core] if arguments.core is not None else list(filter(is_core, paths))
    if cores:
        other_files = [path for path in paths if path not in cores]
        programs = other_files + ([] if arguments.file is None else [arguments.file])
        if len(cores) > 1 or len(programs) > 1:
            raise UsageError("give one FILE, or one core file with or without its program")
        arguments.file = next(iter(programs), None)
        return cores[0], True
    if len(paths) != 1:
        raise UsageError(NO_FILE if not paths else "give one FILE, with or without --core")
    return paths[0], False
