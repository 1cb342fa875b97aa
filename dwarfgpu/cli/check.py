"""`dwarfgpu check`: what is wrong with a file or an expression, found without evaluating it."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path
from typing import Final

from dwarfgpu.cli.check_file import SCHEMA, baseline, new_findings, report_json, report_lines
from dwarfgpu.cli.check_sarif import sarif, sarif_of_failure
from dwarfgpu.cli.errors import one_line, shortened
from dwarfgpu.cli.unit_options import (
    add_encoding_options,
    encoding,
    natural,
    read_file,
    text_input,
)
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, Malformed, UsageError
from dwarfgpu.expr.check import Finding, check
from dwarfgpu.expr.dialect import dialect
from dwarfgpu.expr.hexinput import parse_hex
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.expr.text import assemble
from dwarfgpu.objfile.separate_debug import DEBUG_DIRECTORIES
from dwarfgpu.verify.file import verify

_OF_EXPRESSIONS: Final = (
    "arch", "wave_size", "address_size", "offset_size", "dwarf_version", "want", "initial_stack",
)  # fmt: skip
_FILE_NAME: Final = re.compile(r"[\w.+~@-]+")
_OF_FILES: Final = ("target", "debug_dir", "baseline", "sarif", "notes", "all")


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "expression",
        nargs="*",
        metavar="FILE|OPERATION",
        help="an ELF file, fat binary or bundle; or operations as in docs/expression-syntax.md, "
        "- for standard input",
    )
    files = parser.add_argument_group("of a file")
    files.add_argument(
        "--target", metavar="GPU", help="the code object in it: gfx90a:xnack+, or its number"
    )
    files.add_argument(
        "--debug-dir", metavar="DIR", action="append",
        help="where separate, split and supplementary debug files are; "
        f"default: {DEBUG_DIRECTORIES[0]}",
    )  # fmt: skip
    files.add_argument("--baseline", metavar="FILE", help="an earlier --json: only what is new")
    files.add_argument("--sarif", action="store_true", help="a SARIF 2.1.0 log on stdout")
    files.add_argument("--notes", action="store_true", help="show notes too")
    files.add_argument("--all", action="store_true", help="show every finding of each rule")
    text = parser.add_argument_group("of an expression")
    text.add_argument("--hex", action="store_true", help="the expression is given as bytes")
    sources = text.add_mutually_exclusive_group()
    sources.add_argument("--file", metavar="FILE", help="read the text from a file")
    sources.add_argument("--binary", metavar="FILE", help="read the bytes themselves from a file")
    text.add_argument("--initial-stack", metavar="N", help="entries before the start; default: 0")
    text.add_argument("--want", choices=("value", "location"), help="what the result must be")
    add_encoding_options(parser)
    parser.set_defaults(arch=None, dialect=None, offset_size=None, dwarf_version=None)


def run(arguments: Namespace) -> int:
    """Print every finding; 1 where one is worse than a note."""
    if not (arguments.expression or arguments.hex or arguments.file or arguments.binary):
        raise UsageError("nothing to check: give a file, or operations; - for standard input")
    path = _path(arguments)
    if path is not None:
        return _check_file(path, arguments)
    _refuse(arguments, _OF_FILES, "is for files")
    for name, value in (("arch", "gfx942"), ("dialect", "amd"), ("offset_size", 4)):
        setattr(arguments, name, getattr(arguments, name) or value)
    arguments.dwarf_version = arguments.dwarf_version or 5
    given = encoding(arguments)
    findings = check(
        _input(arguments),
        given.dialect,
        given.format,
        given.arch,
        initial_stack_depth=natural(arguments.initial_stack or "0", "--initial-stack"),
        result_kind=arguments.want,
    )
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "findings": [_object(each) for each in findings]}))
    else:
        for each in findings:
            print(_line(each))
    return int(any(each.severity != "note" for each in findings))


def _path(arguments: Namespace) -> str | None:
    """The file that is meant; None for an expression.

    A single argument that is no operation and names something that exists, or has a slash.
    """
    if len(arguments.expression) != 1 or arguments.hex or arguments.file or arguments.binary:
        return None
    (word,) = arguments.expression
    if word == "-" or word.removeprefix("DW_OP_") in OPERATIONS:
        return None
    try:
        if Path(word).exists():
            return str(word)
    except (OSError, ValueError):  # too long for a name, or with a NUL in it
        return None
    return str(word) if "/" in word and len(word.split()) == 1 else None


def _refuse(arguments: Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if getattr(arguments, name) not in (None, False):
            raise UsageError(f"--{name.replace('_', '-')} {why}")


def _check_file(path: str, arguments: Namespace) -> int:
    _refuse(arguments, _OF_EXPRESSIONS, "is for expressions: a file tells its own")
    _refuse(arguments, ("big_endian",), "is for expressions: a file tells its own")
    if arguments.json and arguments.sarif:
        raise UsageError("give --json or --sarif, not both")
    if arguments.dialect is not None:
        dialect(arguments.dialect)
    known = None if arguments.baseline is None else baseline(arguments.baseline)
    try:
        opened = CodeObject.open(
            path,
            dialect=arguments.dialect,
            target=arguments.target,
            debug_directories=arguments.debug_dir or DEBUG_DIRECTORIES,
        )
        verdict = verify(opened)
    except DwarfGpuError as error:  # nothing of it can be read: that is no finding
        if arguments.sarif:
            print(json.dumps(sarif_of_failure(path, str(error))))
        raise UsageError(str(error)) from None
    kept = verdict.findings.kept
    is_new = new_findings(kept, known or Counter())
    if arguments.sarif:
        print(json.dumps(sarif(verdict, is_new, has_baseline=known is not None)))
    elif arguments.json:
        print(json.dumps({"schema": SCHEMA, **report_json(verdict, is_new)}))
    else:
        for line in report_lines(
            verdict,
            is_new,
            has_baseline=known is not None,
            notes=arguments.notes,
            everything=arguments.all,
        ):
            print(one_line(line))
    return int(any(new and each.severity != "note" for each, new in zip(kept, is_new, strict=True)))


def _input(arguments: Namespace) -> bytes:
    if arguments.binary is not None:
        if arguments.expression or arguments.hex:
            raise UsageError("give the expression or --binary, not both")
        return read_file(arguments.binary)
    text = text_input(arguments.expression, arguments.file)
    if arguments.hex:
        return parse_hex(text)
    given = encoding(arguments)
    try:
        return assemble(text, given.dialect, given.format, given.arch)
    except Malformed as error:  # the request, not some file's bytes, is what is wrong
        if _FILE_NAME.fullmatch(text) and error.message.endswith(": unknown operation"):
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
