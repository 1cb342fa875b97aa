"""`maintenance` and its subcommands; `print address-spaces` has ROCgdb's columns."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import command, subcommand_list
from dwarfgpu.repl.files.source_file_commands import maintenance_info_sections
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.view.json_object import JsonObject

_TITLE = ("Name", "DWARF", "Addr Bits", "Null Address")


@command("maintenance print address-spaces", topic="data")
def address_spaces(shell: Shell, argument: str) -> Iterator[Part]:
    """List the address spaces of the architecture.

    Usage: maintenance print address-spaces

    Shows their DWARF numbers, the size of an address in bits, and the null address.
    """
    if argument:
        raise UsageError(f'Junk after "maintenance print address-spaces": {argument}')
    spaces = shell.session.architecture.address_spaces.values()
    nulls = [None if space.unavailable else f"{space.null:#x}" for space in spaces]
    rows = [
        (space.name, str(space.number), str(space.address_bits), null or "?")
        for space, null in zip(spaces, nulls, strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(_TITLE, *rows, strict=True)]

    def line(cells: tuple[str, ...]) -> str:
        padded = (f"{text:<{width}}" for text, width in zip(cells, widths, strict=True))
        return " ".join(padded).rstrip()

    yield heading(line(_TITLE))
    for space, null, row in zip(spaces, nulls, rows, strict=True):
        data: JsonObject = {
            "name": space.name,
            "dwarf": space.number,
            "addr-bits": space.address_bits,
            "null-address": null,
        }
        yield Output(line(row), data, "address-spaces")


@command("maintenance print", topic="data", subcommands=(address_spaces,))
def print_(shell: Shell, argument: str) -> Iterator[Part]:
    """Show internal information about the architecture.

    Usage: maintenance print address-spaces
    """
    yield from subcommand_list("maintenance print", (address_spaces,))


@command("maintenance info", topic="data", aliases=("i",), subcommands=(maintenance_info_sections,))
def info(shell: Shell, argument: str) -> Iterator[Part]:
    """Show internal information about the open files.

    Usage: maintenance info sections
    """
    yield from subcommand_list("maintenance info", (maintenance_info_sections,))


@command("maintenance", topic="data", aliases=("maint", "mt"), subcommands=(info, print_))
def maintenance(shell: Shell, argument: str) -> Iterator[Part]:
    """Maintenance commands.

    Usage: maintenance info sections
           maintenance print address-spaces
    """
    yield from subcommand_list("maintenance", (info, print_))
