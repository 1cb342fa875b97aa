"""Tables of virtual functions, with GDB's wording."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.vtables import VirtualTable, virtual_tables
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.view.json_object import JsonObject


def shown_tables(shell: Shell, value: TypedValue) -> Iterator[Part]:
    """Return the answer of `info vtbl` for a value."""
    objects = ObjectAccess(shell.session)
    tables = virtual_tables(objects, value)
    if tables is None:
        yield Output("This object does not have a virtual function table", {"vtables": []})
        return
    for index, table in enumerate(tables):
        where = objects.address_text(table.space, table.object_address)
        yield from _shown(shell, table, where, is_first=not index)


def _shown(
    shell: Shell, table: VirtualTable, object_address: str, *, is_first: bool
) -> Iterator[Part]:
    name = type_name(table.kind, cplusplus=True)
    table_address = f"{table.address:#x}"
    title = f"vtable for '{name}' @ {table_address} (subobject @ {object_address}):"
    yield heading(title if is_first else f"\n{title}")
    of_table = Group("vtables", {"class": name, "address": table_address, "object": object_address})
    symbolize = symbolizer(shell.session, shell.settings.format_options())
    data: JsonObject
    for index, function in enumerate(table.functions):
        if isinstance(function, DwarfGpuError):
            text, data = f"<error: {function.message}>", {"error": function.message}
        else:
            symbol = symbolize(function)
            text = f"{function:#x}{f' <{symbol}>' if symbol else ''}"
            data = {"address": f"{function:#x}", "name": symbol}
        yield NestedOutput(of_table, Output(f"[{index}]: {text}", data, "functions"))
