"""`dwarfgpu asm`: an expression as text to its bytes."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import other_wave_size
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.unit_options import Encoding, add_encoding_options, encoding
from dwarfgpu.terminal.input import is_file_alone, text_input

SCHEMA: Final = "dwarfgpu-asm-1"
USAGE: Final = (
    "dwarfgpu asm [OPTION]... OPERATION..., or - for standard input, or --file FILE; "
    "dwarfgpu asm --help has examples"
)


def _listed(data: bytes) -> str:
    return ", ".join(f"{byte:#04x}" for byte in data)


_FORMATS: Final[Mapping[str, Callable[[bytes], str]]] = {
    "hex": bytes.hex,
    "byte": lambda data: f".byte {_listed(data)}" if data else "",
    "cfi_escape": lambda data: f".cfi_escape {_listed(data)}" if data else "",
    "c": lambda data: f"{{{_listed(data)}}}",
}


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "text", nargs="*", help="operations, as in docs/expression-syntax.md; - for standard input"
    )
    parser.add_argument("--file", metavar="FILE", help="read the text from a file")
    parser.add_argument(
        "--format", choices=tuple(_FORMATS), default="hex", help="how to write the bytes"
    )
    parser.add_argument(
        "--unit-offset",
        default="0",
        metavar="OFFSET",
        help="offset of the unit in .debug_info, if references in brackets count from there",
    )
    add_encoding_options(parser)


def run(arguments: Namespace) -> int:
    """Print the bytes. `UsageError` locates errors in the text."""
    if is_file_alone(arguments.text):
        word = arguments.text[0]
        raise UsageError(f"{word}: asm reads operations; give a file of them with --file")
    text = text_input(arguments.text, arguments.file, USAGE)
    encoding_ = encoding(arguments, text, writes=True)
    data = _bytes(text, encoding_, encoding_.arch, arguments)
    notes = list(encoding_.notes)
    if arguments.wave_size is None:
        notes += _assumed_wave_size(
            data, encoding_, lambda arch: _bytes(text, encoding_, arch, arguments)
        )
    if arguments.json:
        answer = {"schema": SCHEMA, "hex": data.hex(), "length": len(data)}
        print(json.dumps({**answer, "dialect": encoding_.dialect.name, "notes": notes}))
        return 0
    print(_FORMATS[arguments.format](data))
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return 0


def _bytes(text: str, encoding: Encoding, arch: Architecture, arguments: Namespace) -> bytes:
    unit_offset = natural(arguments.unit_offset, "--unit-offset") or 0
    try:
        return assemble(text, encoding.dialect, encoding.format, arch, unit_offset=unit_offset)
    except Malformed as error:  # the request is wrong, not the bytes of a file
        raise UsageError(error.message) from None


def _assumed_wave_size(
    data: bytes, encoding: Encoding, assembled: Callable[[Architecture], bytes]
) -> list[str]:
    """Return a note where the other wave size of the processor numbers the registers
    differently."""
    other_arch = other_wave_size(encoding.arch)
    if other_arch is None or assembled(other_arch) == data:
        return []
    assumed = f"{encoding.arch.name}: wave size {encoding.arch.lane_count} assumed"
    return [f"{assumed}; with --wave-size {other_arch.lane_count} registers have other numbers"]
