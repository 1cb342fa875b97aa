"""Options that say how an expression is encoded, and the input of `asm` and `dis`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import Architecture
from dwarfgpu.bits import Endian
from dwarfgpu.cli.dialects import DIALECT_HELP, dialect_for
from dwarfgpu.cli.streams import is_terminal
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect import DIALECTS, Dialect
from dwarfgpu.nouns import frozen
from dwarfgpu.objfile.bundle import COMPRESSED_MAGIC, MAGIC
from dwarfgpu.objfile.elf import ET_CORE
from dwarfgpu.plain import integer_of

MOST_BYTES: Final = 64 << 20
"""Of a file of text or of bytes; a device that never ends has more."""
_MAGICS: Final = (b"\x7fELF", MAGIC, COMPRESSED_MAGIC)
_DATA_AT, _TYPE_AT = 5, 16
"""Where an ELF file says its byte order and its type (System V ABI, "ELF Header")."""
_LONGEST: Final = 40
"""Characters of a number that are quoted."""


@frozen
class Encoding:
    """What the options say."""

    dialect: Dialect
    format: UnitFormat
    arch: Architecture


def add_encoding_options(parser: ArgumentParser) -> None:
    """Dialect, architecture and the format of the unit."""
    group = parser.add_argument_group("encoding")
    group.add_argument("--arch", default="gfx942", metavar="NAME", help="default: gfx942")
    group.add_argument("--wave-size", type=int, metavar="LANES", help="32 or 64")
    group.add_argument("--dialect", choices=tuple(DIALECTS), help=DIALECT_HELP)
    group.add_argument(
        "--address-size", type=int, choices=(2, 4, 8), help="bytes; default: the architecture's"
    )
    formats = group.add_mutually_exclusive_group()
    formats.add_argument(
        "--dwarf32", dest="offset_size", action="store_const", const=4, help="the default"
    )
    formats.add_argument("--dwarf64", dest="offset_size", action="store_const", const=8)
    parser.set_defaults(offset_size=4)
    group.add_argument("--dwarf-version", type=int, choices=(2, 3, 4, 5), default=5)
    group.add_argument("--big-endian", action="store_true")


def encoding(arguments: Namespace, text: str = "") -> Encoding:
    """What the options say of operations, of which `text` is given as such.

    `UsageError` for a name that does not exist.
    """
    arch = architecture(arguments.arch, arguments.wave_size)
    form = UnitFormat(
        arguments.address_size or arch.address_bits // 8,
        arguments.offset_size,
        arguments.dwarf_version,
        "big" if arguments.big_endian else arch.endian,
    )
    return Encoding(dialect_for(arguments.dialect, text=text), form, arch)


def natural(text: str, option: str) -> int:
    """A number of at least 0; `UsageError` for anything else."""
    value = integer_of(text)
    if value is None or not 0 <= value < 1 << 64:
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        raise UsageError(f"{option}: expected an integer of at least 0 and 64 bits, not {shown!r}")
    return value


def text_input(words: Sequence[str], file: str | None, usage: str = "") -> str:
    """The words of the command line, else the file, else (or for `-`) standard input.

    Nothing but `-` waits for a person at a terminal, who is shown `usage`. `UsageError` where
    there are words and a file, or the file cannot be read. Bytes that are no UTF-8 become
    characters that have no meaning, so that the error about the text says where they are.
    """
    if words and file is not None:
        raise UsageError("give the text or --file, not both")
    if file is not None:
        return read_file(file).decode("utf-8", "replace")
    if words and list(words) != ["-"]:
        return " ".join(words)
    if not words and usage and is_terminal(sys.stdin):
        raise UsageError(f"nothing is given; usage: {usage}")
    try:
        return read_all(sys.stdin.buffer, "standard input").decode("utf-8", "replace")
    except OSError as cause:
        raise UsageError(f"standard input: {cause.strerror or cause}") from None


def is_object(word: str) -> bool:
    """Whether a word of the command line names a file that begins as an object file or a fat
    binary does, not an expression or a variable."""
    try:
        if not Path(word).is_file():
            return False
        with Path(word).open("rb") as file:
            return file.read(24).startswith(_MAGICS)
    except (OSError, ValueError):
        return False


def is_core(word: str) -> bool:
    """Whether a word of the command line names a core file: an ELF file of the type ET_CORE."""
    if not is_object(word):
        return False
    with Path(word).open("rb") as file:
        head = file.read(_TYPE_AT + 2)
    endian: Endian = "big" if head[_DATA_AT : _DATA_AT + 1] == b"\2" else "little"
    return head.startswith(b"\x7fELF") and int.from_bytes(head[_TYPE_AT:], endian) == ET_CORE


def read_all(file: BinaryIO, name: str) -> bytes:
    """What is left in a file; `UsageError` where that is more than `MOST_BYTES`."""
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name}: more than {MOST_BYTES >> 20} MiB")
    return data


def read_file(path: str) -> bytes:
    """The whole file; `UsageError` where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return read_all(file, path)
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror or cause}") from None
    except ValueError:  # a NUL in the name
        raise UsageError(f"{path!r} is no file name") from None
