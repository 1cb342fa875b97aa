"""`dwarfgpu dis`: the bytes of an expression to text."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import Final

from dwarfgpu.cfi.declaration import CfiFormat
from dwarfgpu.cfi.decode import CfaInstruction, decode_cfa
from dwarfgpu.cfi.text import instruction_text
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.text.assembly import Line, disassemble, expression_text
from dwarfgpu.expr.text.hex_input import parse_hex
from dwarfgpu.options.unit_options import Encoding, add_encoding_options, encoding
from dwarfgpu.terminal.input import is_file_alone, is_object, read_file, text_input
from dwarfgpu.view.location_json import operand_json

SCHEMA: Final = "dwarfgpu-dis-1"
USAGE: Final = (
    "dwarfgpu dis [OPTION]... BYTE..., or - for standard input, --file FILE, --binary FILE; "
    "dwarfgpu dis --help has examples"
)
_WIDEST: Final = 24
"""Columns for the bytes of an operation."""


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "bytes", nargs="*", help="as in docs/expression-syntax.md; - for standard input"
    )
    files = parser.add_mutually_exclusive_group()
    files.add_argument("--file", metavar="FILE", help="read the bytes, as text, from a file")
    files.add_argument("--binary", metavar="FILE", help="read the bytes themselves from a file")
    parser.add_argument("--cfi", action="store_true", help="the bytes are call frame instructions")
    for option, kind in (("--code-align", "code"), ("--data-align", "data")):
        parser.add_argument(
            option, type=int, default=1, metavar="N",
            help=f"with --cfi: the CIE's {kind} alignment factor; default: 1",
        )  # fmt: skip
    add_encoding_options(parser)


def run(arguments: Namespace) -> int:
    """Print every operation; 1 where the end could not be decoded."""
    encoding_ = encoding(arguments)
    data = _input(arguments)
    if arguments.cfi:
        return _call_frame(arguments, data, encoding_)
    lines = disassemble(data, encoding_.dialect, encoding_.format, encoding_.arch)
    error = decode(data, encoding_.dialect, encoding_.format).error
    if arguments.json:
        answer = {
            "schema": SCHEMA,
            "instructions": [_object(line) for line in lines],
            "error": None if error is None else _error(error),
        }
        print(json.dumps(answer))
    else:
        width = min(_WIDEST, max((2 * len(line.data) for line in lines), default=0))
        for line in lines:
            print(f"{line.offset:#06x}  {line.data.hex():<{width}}  {line}")
    return 0 if error is None else 1


def _call_frame(arguments: Namespace, data: bytes, encoding: Encoding) -> int:
    """Print call frame instructions in the same way."""
    form = CfiFormat(
        address_size=encoding.format.address_size,
        endian=encoding.format.endian,
        code_alignment=arguments.code_align,
        data_alignment=arguments.data_align,
        architecture=encoding.arch,
    )
    program = decode_cfa(data, form, most=len(data))  # the input is not bounded

    def expression(inner: bytes) -> str:
        return expression_text(inner, encoding.dialect, encoding.format, encoding.arch)

    texts = [
        instruction_text(instruction, form, None, expression)
        for instruction in program.instructions
    ]
    rest = _end(program.instructions[-1]) if program.instructions else 0
    if arguments.json:
        instructions = [
            _cfa_object(instruction, form, text)
            for instruction, text in zip(program.instructions, texts, strict=True)
        ]
        error = None if program.error is None else _error(program.error)
        print(json.dumps({"schema": SCHEMA, "instructions": instructions, "error": error}))
    else:
        for instruction, text in zip(program.instructions, texts, strict=True):
            print(f"{instruction.offset:#06x}  {instruction.encoding.hex():<{_WIDEST}}  {text}")
        if program.error is not None:
            listed = ", ".join(f"{byte:#04x}" for byte in data[rest:])
            print(f"{rest:#06x}  {'':<{_WIDEST}}  .byte {listed}  # {program.error}")
    return 0 if program.error is None else 1


def _end(instruction: CfaInstruction) -> int:
    return instruction.offset + len(instruction.encoding)


def _cfa_object(instruction: CfaInstruction, form: CfiFormat, text: str) -> dict[str, object]:
    operands = instruction.arguments(form).values()
    return {
        "offset": instruction.offset,
        "length": len(instruction.encoding),
        "operation": instruction.title,
        "operands": [operand_json(operand) for operand in operands],
        "hex": instruction.encoding.hex(),
        "text": text,
        "comment": None,
        "section": instruction.operation.section,
    }


def _input(arguments: Namespace) -> bytes:
    if arguments.binary is None:
        word = arguments.bytes[0] if len(arguments.bytes) == 1 else arguments.file
        if word is not None and is_object(word):
            raise UsageError(
                f"{word}: an object file, not bytes as text; info, where, frames, check "
                "and disas read object files"
            )
        if is_file_alone(arguments.bytes):
            raise UsageError(
                f"{word}: dis reads bytes; give a file of them, as text, with --file, or with "
                "--binary; for a code object, use disas"
            )
        return parse_hex(text_input(arguments.bytes, arguments.file, USAGE))
    if arguments.bytes:
        raise UsageError("give the bytes or --binary, not both")
    return read_file(arguments.binary)


def _object(line: Line) -> dict[str, object]:
    instruction = line.instruction
    operation = None if instruction is None else instruction.operation
    operands = () if instruction is None else instruction.operands
    return {
        "offset": line.offset,
        "length": len(line.data),
        "operation": None if operation is None else operation.title,
        "operands": [operand_json(operand) for operand in operands],
        "hex": line.data.hex(),
        "text": line.text,
        "comment": line.comment,
        "section": None if operation is None else operation.section,
    }


def _error(error: DwarfGpuError) -> dict[str, object]:
    site = error.site
    return {
        "kind": error.kind,
        "message": error.message,
        "operation": None if site is None else site.operation,
        "offset": None if site is None else site.offset,
        "section": None if site is None else site.section,
    }
