"""`dwarfgpu check`: what is wrong with an expression, found without evaluating it."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Final

from dwarfgpu.cli.unit_options import (
    add_encoding_options,
    encoding,
    natural,
    read_file,
    text_input,
)
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.expr.check import Finding, check
from dwarfgpu.expr.hexinput import parse_hex
from dwarfgpu.expr.text import assemble

SCHEMA: Final = "dwarfgpu-check-1"
HELP: Final = "find what is wrong with an expression without evaluating it"


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "expression", nargs="*", help="as in docs/expression-syntax.md; - for standard input"
    )
    parser.add_argument("--hex", action="store_true", help="the expression is given as bytes")
    files = parser.add_mutually_exclusive_group()
    files.add_argument("--file", metavar="FILE", help="read the text from a file")
    files.add_argument("--binary", metavar="FILE", help="read the bytes themselves from a file")
    parser.add_argument(
        "--initial-stack", default="0", metavar="N", help="entries before the start; default: 0"
    )
    parser.add_argument("--want", choices=("value", "location"), help="what the result must be")
    add_encoding_options(parser)


def run(arguments: Namespace) -> int:
    """Print every finding; 1 where one is an error."""
    given = encoding(arguments)
    findings = check(
        _input(arguments),
        given.dialect,
        given.format,
        given.arch,
        initial_stack_depth=natural(arguments.initial_stack, "--initial-stack"),
        result_kind=arguments.want,
    )
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "findings": [_object(each) for each in findings]}))
    else:
        for each in findings:
            print(_line(each))
    return int(any(each.severity == "error" for each in findings))


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
        "message": finding.message,
        "section": finding.section,
    }
