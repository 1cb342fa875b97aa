"""Options that say how an expression is encoded, and the input of `asm` and `dis`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import DIALECTS, Dialect
from dwarfgpu.objfile.file_kinds import is_core_header
from dwarfgpu.options.dialect_option import DIALECT_HELP, dialect_for, dialect_notes
from dwarfgpu.terminal.input import file_head


@frozen
class Encoding:
    """The encoding that the options describe."""

    dialect: Dialect
    format: UnitFormat
    arch: Architecture
    notes: tuple[str, ...] = ()
    """On the dialect (`dialect_notes`)."""


def add_encoding_options(parser: ArgumentParser) -> None:
    """Add the options for the dialect, the architecture and the format of the unit."""
    group = parser.add_argument_group("encoding")
    group.add_argument("--arch", default="gfx942", metavar="NAME", help="default: gfx942")
    group.add_argument("--wave-size", type=int, metavar="LANES", help="32 or 64")
    group.add_argument("--dialect", metavar="NAME", choices=tuple(DIALECTS), help=DIALECT_HELP)
    group.add_argument(
        "--address-size", type=int, choices=(2, 4, 8), help="in bytes; default: the architecture's"
    )
    formats = group.add_mutually_exclusive_group()
    formats.add_argument(
        "--dwarf32", dest="offset_size", action="store_const", const=4,
        help="the 32-bit DWARF format, the default",
    )  # fmt: skip
    formats.add_argument(
        "--dwarf64", dest="offset_size", action="store_const", const=8,
        help="the 64-bit DWARF format: references to sections have 8 bytes",
    )  # fmt: skip
    parser.set_defaults(offset_size=4)
    group.add_argument(
        "--dwarf-version", type=int, choices=(2, 3, 4, 5), default=5,
        help="the version of the unit; default: 5",
    )  # fmt: skip
    group.add_argument(
        "--big-endian", action="store_true", help="big-endian; default: as the architecture"
    )


def encoding(arguments: Namespace, text: str = "", *, writes: bool = False) -> Encoding:
    """Return the encoding options; `text` contains the operations if they are text, `writes` is
    whether the bytes are the answer.

    `UsageError` for an unknown name.
    """
    arch = architecture(arguments.arch, arguments.wave_size)
    form = UnitFormat(
        arguments.address_size or arch.address_bits // 8,
        arguments.offset_size,
        arguments.dwarf_version,
        "big" if arguments.big_endian else arch.endian,
    )
    chosen = dialect_for(arguments.dialect, text=text, writes=writes)
    return Encoding(chosen, form, arch, dialect_notes(chosen, arguments.dialect, text=text))


def is_core(word: str) -> bool:
    """Return whether a word of the command line names a core file: an ELF file of the type
    ET_CORE."""
    head = file_head(word)
    return head is not None and is_core_header(head)
