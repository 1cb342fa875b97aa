"""`dwarfgpu where`: where in its code a variable is described, with what, and where not."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.cli.printing import print_notes, print_streamed
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.find_variables import Wanted
from dwarfgpu.dwarf.loaded_code import split_by_machine
from dwarfgpu.errors import DwarfGpuError, UsageError, shortened
from dwarfgpu.expr.dialect.dialect import DIALECTS
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.options.batch_options import NO_FILE, add_batch_options, is_batch
from dwarfgpu.options.core_options import WaveAction, add_core_options, require_core
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.dialect_option import DIALECT_HELP
from dwarfgpu.options.file_options import (
    add_debug_dir_option,
    add_load_address_option,
    add_target_option,
    require_end,
)
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.integer_options import PLACE, PLACE_HELP, natural, wave_number
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.where import totals
from dwarfgpu.service.where.coverage_listing import CoverageListing
from dwarfgpu.service.where.coverages import described
from dwarfgpu.terminal.input import is_named_as_file, is_object, names_a_file, words_behind_file
from dwarfgpu.terminal.streams import terminal_columns

if TYPE_CHECKING:
    from fractions import Fraction

SCHEMA: Final = totals.SCHEMA
_WIDEST: Final = 120
"""Columns of a line with a bar."""


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "subject", nargs="*", metavar="FILE|NAME",
        help="an ELF file with DWARF, then variables, optionally with their function (nest::t); "
        "with --all, any number of files, archives, wheels, Debian packages and folders",
    )  # fmt: skip
    group = parser.add_argument_group("input")
    group.add_argument("--file", metavar="FILE", help="the file, if only names are given")
    group.add_argument("--demo", action="store_true", help="the kernel that comes with dwarfgpu")
    add_core_options(group)
    group.set_defaults(wave_option="--wave")
    group.add_argument(
        "--wave", "--thread", action=WaveAction, metavar="N",
        help="for a core file: where this wave or thread stopped; default: the one that failed",
    )  # fmt: skip
    group.add_argument("--all", action="store_true", help="every variable of the file")
    group.add_argument(
        "--function",
        metavar="NAME",
        help="only variables of this function and of its inlined calls",
    )
    group.add_argument(
        "--pc", metavar=PLACE, help=f"only in scopes at this program location: {PLACE_HELP}"
    )
    add_target_option(group)
    add_debug_dir_option(group)
    add_load_address_option(group)
    group.add_argument("--dialect", metavar="NAME", choices=tuple(DIALECTS), help=DIALECT_HELP)
    judged = parser.add_argument_group("output")
    judged.add_argument(
        "--asm",
        action="store_true",
        help="show the instructions of the scopes of the named variables, beside their locations",
    )
    judged.add_argument(
        "--against", metavar="OLD", help="compare coverage with OLD; exit 1 on regression"
    )
    judged.add_argument(
        "--min-coverage", metavar="PERCENT", help="exit with status 1 if less is described"
    )
    add_batch_options(parser)
    add_file_limit_options(parser)
    parser.set_defaults(state=None, lane=None)


def run(args: Namespace) -> int:
    return with_demo(args, _run)


_OF_ONE_FILE: Final = (
    "file", "core", "wave", "function", "pc", "load_address", "against", "asm",
)  # fmt: skip
"""Options that are about one file."""


def _run(args: Namespace) -> int:
    if args.all and is_batch(args.subject, args) and args.state is None:
        return _show_many(args)
    if args.jobs is not None or args.json_lines:
        raise UsageError("--jobs and --json-lines are for files, with --all")
    request = _request(args)
    if args.core is None:
        file = _open(args, request.path, _load_address(args))
    else:
        file, request = _in_core(args, request)
    return _answer(args, file, request)


def _show_many(args: Namespace) -> int:
    from dwarfgpu.cli.many_files import show_many  # most requests are about one file

    words = words_behind_file(args.subject)
    if words:
        raise UsageError(f"--all takes files and no names: {shortened(words[0])} is not a file")
    for name in _OF_ONE_FILE:
        if getattr(args, name) not in (None, False):
            raise UsageError(f"--{name.replace('_', '-')} is for one file: give one FILE")
    minimum = _percentage(args.min_coverage)
    return show_many(show, "where", args.subject, args, minimum=minimum)


def show(file: ObjectFile, args: Namespace) -> int:
    """Print where each variable of one object file of many is described; the exit status."""
    directories = args.debug_dir or DEBUG_DIRECTORIES
    opened = CodeObject.of(file, dialect=args.dialect, debug_directories=directories)
    if _lacks_debug_info(opened):
        print("no debugging information")
        return 0
    request = Request(file.path, Wanted((), None, None), _percentage(args.min_coverage))
    return _answer(args, opened, request)


def _answer(args: Namespace, file: CodeObject, request: Request) -> int:
    notes: dict[str, None] = dict.fromkeys([*file.opening_notes, *request.notes])
    before = request
    request = _at_program_location(args, file, request, notes)
    unknown: dict[str, UsageError] = {}
    coverages = described(file, request.wanted, f"in {file.name}", unknown)
    if args.against is not None:
        from dwarfgpu.service.where.against import where_change  # most requests are about one build

        old = _open(args, args.against, natural(args.load_address, "--load-address") or 0)
        query = _at_program_location(args, old, before, notes).wanted
        machines = old.file.machine, file.file.machine
        if machines[0] != machines[1]:
            notes[f"{old.name} is for {machines[0]}, {file.name} for {machines[1]}"] = None
        change = where_change(old, file, query, coverages, unknown)
        if args.json:
            print_streamed({**change.record, "notes": [*notes]})
        else:
            print_notes(notes)
            for line in change.lines():
                _print(line)
            _print_errors(unknown)
        return change.status
    if args.json:
        from dwarfgpu.service.where.coverage_json import WhereJson  # words and operations

        with_lines = bool(request.wanted.names)
        answer = WhereJson(file, request.minimum, with_lines, unknown)
        sys.stdout.writelines(answer.text(coverages, notes))
        return answer.status
    print_notes(notes)
    columns = min(terminal_columns(sys.stdout.isatty()), _WIDEST)
    code = None
    if args.asm:
        from dwarfgpu.service.code.disassembly import Disassembly

        code = Disassembly(file)
    encoding = getattr(sys.stdout, "encoding", None)
    listing = CoverageListing(file, encoding, columns, code=code)
    show = listing.variables if request.wanted.names else listing.groups
    # The lines of a function are one long text, which is not copied.
    sys.stdout.writelines(part for line in show(coverages) for part in (line, "\n"))
    sys.stdout.writelines(f"{line}\n" for line in listing.totals(request.minimum))
    _print_errors(unknown)
    why = listing.why_too_low(request.minimum)
    if why is not None:
        print(f"dwarfgpu: {why}", file=sys.stderr)
    return 1 if listing.total.problems or unknown or why is not None else 0


def _print_errors(unknown: Mapping[str, UsageError]) -> None:
    """Print a line for each name that is not found while others are."""
    for error in unknown.values():
        print(f"dwarfgpu: {error_line(error)}", file=sys.stderr)


@frozen
class Request:
    """The request of the command line."""

    path: str
    wanted: Wanted
    minimum: Fraction | None
    """Percent."""
    notes: tuple[str, ...] = ()


def _request(args: Namespace) -> Request:
    names, path = list(args.subject), args.core or args.file
    if args.all:
        if names and path is not None:
            raise UsageError("--all takes the file of --file or --core, and no names")
        path = path or next(iter(names), None)
        names = []
    elif path is None and names and names_a_file(names[0]):
        path = names.pop(0)
    if args.asm and (args.all or not names):
        raise UsageError("--asm shows the code of variables: name them")
    if args.asm and (args.json or args.against):
        raise UsageError("--asm is text, and of one file: `disas --json` has instructions as data")
    if not args.all and not names:
        if path is not None:
            from dwarfgpu.objfile.container import open_object  # names are missing: is the file?

            with opening():
                open_object(path)
        raise UsageError("nothing to look for: give names of variables, or --all")
    if path is None:
        if not names:
            raise UsageError(NO_FILE)
        raise UsageError(
            f"{shortened(names[0])} is not a file: give the file before the names, or with "
            "--file FILE"
        )
    _require_names(args, names)
    _take_core(args, path)
    if args.against is not None and args.min_coverage is not None:
        raise UsageError("give --against or --min-coverage, not both")
    # A comparison distinguishes a lost variable from one whose function is gone.
    with_functions = args.against is not None
    query = Wanted(tuple(names), args.function, None, with_functions)
    return Request(path, query, _percentage(args.min_coverage))


def _require_names(args: Namespace, names: Sequence[str]) -> None:
    """Raise `UsageError` for a second file, which is not a name."""
    for name in names:
        if ("/" in name or is_named_as_file(name)) and is_object(name):
            why = (
                "give FILE or --demo, not both" if args.demo else "give one FILE, before the names"
            )
            raise UsageError(f"{name}: {why}")


def _take_core(args: Namespace, path: str) -> None:
    """Accept a core file in any file position; `UsageError` for options that need one."""
    if args.core is None and is_core(path):
        args.core = path
        args.file = None if args.file == path else args.file
    if args.core is None:
        require_core(args)
        if args.wave is not None:
            raise UsageError("--wave: only a core file has waves; give --core FILE")
    elif args.against is not None:
        raise UsageError("--against compares two programs, not a core file")


def _in_core(args: Namespace, request: Request) -> tuple[CodeObject, Request]:
    """Return the code object in which a wave or thread stopped, and the request there: in its
    scopes, unless the command line selects others."""
    from dwarfgpu.options.opened_core import opened_core  # most requests are about a program

    stopped = opened_core(args, args.file)
    wave = stopped.wave(wave_number(args.wave, args.wave_option), args.wave_option)
    name = f"thread {wave.wave}"
    if wave.pc is None:
        raise UsageError(f"no program location of {name} is known")
    own, _ = split_by_machine(stopped.code_objects, stopped.architecture_of(wave.wave))
    file = next((candidate for candidate in own if candidate.covers(wave.pc)), None)
    if file is None:
        why = "; ".join(stopped.notes)
        raise UsageError(f"{name} is at {wave.pc:#x}, which is not in any code object: {why}")
    if not file.info.has_units:
        hint = "" if file.unusable_debug_file is None else f"; {file.unusable_debug_file}"
        raise UsageError(f"{file.name}, where {name} is, has no debugging information{hint}")
    notes, query = stopped.notes, request.wanted
    if args.pc is None and query.function is None and not args.all:
        query = evolve(query, pc=wave.pc)
        choice = "--function and --pc choose others"
        notes += (f"in the scopes at {wave.pc:#x}, where {name} is; {choice}",)
    return file, evolve(request, wanted=query, notes=notes)


def _at_program_location(
    args: Namespace, file: CodeObject, request: Request, notes: dict[str, None]
) -> Request:
    """Return the request at the program location of a file that `--pc` names, and notes on that."""
    if args.pc is None:
        return request
    from dwarfgpu.options.program_location import in_file

    location = in_file(file, args.pc, "--pc")
    if location is None:
        return request
    if not file.covers(location.pc):
        from dwarfgpu.session.focused_frame import not_in_code  # few locations are wrong

        raise UsageError(not_in_code(location.pc, (file,)))
    notes |= dict.fromkeys(location.notes)
    return evolve(request, wanted=evolve(request.wanted, pc=location.pc))


def _percentage(text: str | None) -> Fraction | None:
    if text is None:
        return None
    from fractions import Fraction  # loads decimal numbers

    try:
        value = Fraction(text.removesuffix("%")) if len(text) < 20 and "e" not in text else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None or not 0 <= value <= 100:
        raise UsageError(f"--min-coverage: expected a number from 0 to 100, not {text[:40]!r}")
    return value


def _load_address(args: Namespace) -> int:
    """Return what the option says, else with `--demo` the state."""
    bias = natural(args.load_address, "--load-address")
    if bias is None and args.state is not None:
        from dwarfgpu.machine.state.load import load_state

        bias = load_state(args.state, file_limits_of(args)).code_objects[0].load_address
    return bias or 0


def _open(args: Namespace, path: str, load_address: int) -> CodeObject:
    with opening():
        file = CodeObject.open(
            path,
            load_address,
            args.dialect,
            target=args.target,
            debug_directories=args.debug_dir or DEBUG_DIRECTORIES,
            limits=file_limits_of(args),
        )
    require_end(file)
    if _lacks_debug_info(file):
        # Most files describe something.
        from dwarfgpu.objfile.container import code_inside
        from dwarfgpu.session.unknown_name import undescribed

        hint = code_inside(file.file)
        if file.file.machine == "CUDA" and file.file.has_section(".debug_line"):
            hint = f" but line tables, which `dwarfgpu info {file.name} --lines` lists"
        raise UsageError(f"{undescribed([file])}{hint}")
    return file


def _lacks_debug_info(file: CodeObject) -> bool:
    """Return whether a file has no units; units that cannot be read are a problem of the answer."""
    try:
        return not file.info.has_units
    except DwarfGpuError:
        return False


def _print(line: str) -> None:
    print(one_line(line))
