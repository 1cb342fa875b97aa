"""GDB's symbols of variables of a file."""

from __future__ import annotations

import gdb

from dwarfgpu.gdb.machine.gdb_values import path_of


def only_variable(path: str, name: str) -> gdb.Symbol | None:
    """Return the variable of a name outside of functions that a file has; None if it has none, or
    several: GDB's lookup in a file returns one of the file's static ones."""
    files = {file for file in gdb.objfiles() if path_of(file.owner or file) == path}
    symbols = [item for item in gdb.lookup_static_symbols(name) if item.symtab.objfile in files]
    named = (file.lookup_global_symbol(name) for file in files)
    symbols += [symbol for symbol in named if symbol is not None][:1]
    return symbols[0] if len(symbols) == 1 and symbols[0].is_variable else None
