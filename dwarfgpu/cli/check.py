"""`dwarfgpu check`: errors in a file or an expression, found without evaluation."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

from dwarfgpu.cli import check_rules
from dwarfgpu.cli.check_files import check_files
from dwarfgpu.cli.check_paths import FILE_NAME, paths_of
from dwarfgpu.cli.check_rules import chosen_rules, show_rules
from dwarfgpu.errors import LimitExceeded, Malformed, UsageError, shortened
from dwarfgpu.expr.static_check.checker import Finding, check, require_short
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.expr.text.hex_input import parse_hex
from dwarfgpu.options.batch_options import add_batch_options
from dwarfgpu.options.file_options import add_debug_dir_option
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.limit_options import add_file_limit_options
from dwarfgpu.options.mangled_option import add_mangled_option
from dwarfgpu.options.unit_options import Encoding, add_encoding_options, encoding
from dwarfgpu.service.check.baseline import SCHEMA
from dwarfgpu.terminal.input import is_named_as_file, is_object, read_file, text_input

_OF_EXPRESSIONS: Final = (
    "arch", "wave_size", "address_size", "offset_size", "dwarf_version", "want", "initial_stack",
)  # fmt: skip
_OF_FILES: Final = (
    "target", "debug_dir", "baseline", "sarif", "notes", "all", "jobs", "json_lines", "report",
    "mangled",
)  # fmt: skip


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "expression",
        nargs="*",
        metavar="FILE|FOLDER|OPERATION",
        help="ELF files, fat binaries, bundles, archives, wheels, Debian packages, and folders of "
        "them; or operations as in "
        "docs/expression-syntax.md, - for standard input",
    )
    files = parser.add_argument_group("for a file")
    files.add_argument(
        "--target", metavar="GPU", help="the code object to check: gfx90a:xnack+, or its number"
    )
    add_debug_dir_option(files)
    files.add_argument(
        "--baseline", metavar="FILE", help="an earlier --json output: show only new findings"
    )
    files.add_argument(
        "--report", metavar="FILE", action="append",
        help="write a report of the findings by compiler, as HTML (.html), as JSON (.json), or "
        "both into a folder; may be repeated",
    )  # fmt: skip
    files.add_argument("--sarif", action="store_true", help="a SARIF 2.1.0 log on stdout")
    files.add_argument("--notes", action="store_true", help="show notes too")
    files.add_argument("--all", action="store_true", help="show every finding of each rule")
    add_batch_options(parser)
    add_mangled_option(parser)
    check_rules.configure(parser)
    add_file_limit_options(parser)
    text = parser.add_argument_group("for an expression")
    text.add_argument("--hex", action="store_true", help="the expression is given as bytes")
    sources = text.add_mutually_exclusive_group()
    sources.add_argument("--file", metavar="FILE", help="read the text from a file")
    sources.add_argument("--binary", metavar="FILE", help="read the bytes themselves from a file")
    text.add_argument(
        "--initial-stack", metavar="N", help="stack entries before the first operation; default: 0"
    )
    text.add_argument("--want", choices=("value", "location"), help="the required kind of result")
    add_encoding_options(parser)
    parser.set_defaults(after_options=[], arch=None, offset_size=None, dwarf_version=None)


def run(arguments: Namespace) -> int:
    """Print every finding; 1 where one is worse than a note."""
    if arguments.list_rules or arguments.explain is not None:
        return show_rules(arguments, SCHEMA)
    if not (arguments.expression or arguments.hex or arguments.file or arguments.binary):
        raise UsageError("nothing to check: give a file, or operations; - for standard input")
    has_other_input = arguments.hex or arguments.file or arguments.binary
    with_file_options = any(_is_given(arguments, name) for name in _OF_FILES)
    paths = None
    if arguments.after_options and not has_other_input:
        paths = list(arguments.expression)
    elif not has_other_input:
        paths = paths_of(arguments.expression, with_file_options=with_file_options)
    if paths is not None:
        _refuse(
            arguments, (*_OF_EXPRESSIONS, "big_endian"), "is for expressions: a file has its own"
        )
        return check_files(paths, arguments)
    if not has_other_input:
        for word in arguments.expression:
            if ("/" in word or is_named_as_file(word)) and is_object(word):
                first = shortened(arguments.expression[0])
                raise UsageError(
                    f"{word}: give files or operations, not both: {first} is not a file"
                )
    _refuse(arguments, _OF_FILES, "is for files")
    for name, value in (("arch", "gfx942"), ("offset_size", 4)):
        setattr(arguments, name, getattr(arguments, name) or value)
    arguments.dwarf_version = arguments.dwarf_version or 5
    rules = chosen_rules(arguments)
    data, options = _input(arguments)
    try:
        require_short(data)
    except LimitExceeded as error:  # 1 would say that something was found
        raise UsageError(error.message) from None
    findings = check(
        data,
        options.dialect,
        options.format,
        options.arch,
        initial_stack_depth=natural(arguments.initial_stack or "0", "--initial-stack"),
        result_kind=arguments.want,
    )
    findings = [finding for finding in findings if rules is None or finding.rule in rules]
    notes = list(options.notes)
    if arguments.json:
        objects = [_object(finding) for finding in findings]
        print(json.dumps({"schema": SCHEMA, "notes": notes, "findings": objects}))
    else:
        for finding in findings:
            print(_line(finding))
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
    return int(any(finding.severity != "note" for finding in findings))


def _refuse(arguments: Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if _is_given(arguments, name):
            raise UsageError(f"--{name.replace('_', '-')} {why}")


def _is_given(arguments: Namespace, name: str) -> bool:
    return getattr(arguments, name) not in (None, False)


def _input(arguments: Namespace) -> tuple[bytes, Encoding]:
    """Return the bytes of the expression, and what they mean."""
    if arguments.binary is not None:
        if arguments.expression or arguments.hex:
            raise UsageError("give the expression or --binary, not both")
        return read_file(arguments.binary), encoding(arguments)
    text = text_input(arguments.expression, arguments.file)
    if arguments.hex:
        return parse_hex(text), encoding(arguments)
    options = encoding(arguments, text)
    try:
        return assemble(text, options.dialect, options.format, options.arch), options
    except Malformed as error:  # the request is wrong, not the bytes of a file
        if FILE_NAME.fullmatch(text) and error.message.endswith(": unknown operation"):
            why = f"{shortened(text)}: No such file or directory, and no operation has that name"
            raise UsageError(why) from None
        raise UsageError(error.message) from None


def _line(finding: Finding) -> str:
    where = f"{finding.operation}: " if finding.operation else ""
    section = f" ({finding.section})" if finding.section else ""
    return f"{finding.offset:#06x}  {finding.severity}: {where}{finding.message}{section}"


def _object(finding: Finding) -> dict[str, object]:
    return {
        "offset": finding.offset,
        "operation": finding.operation,
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.message,
        "section": finding.section,
    }
