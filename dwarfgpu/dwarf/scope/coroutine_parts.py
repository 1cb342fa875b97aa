"""The functions that compilers make of a coroutine, beside the one that is called, the ramp.

gcc's actor and destroyer have its name and one parameter, of type `_Z1fv.Frame *`. Those of clang
have its name, its parameters and up to LLVM 19 its linkage name: then the ramp is the function at
the symbol of that name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import entry_symbol, with_parameters
from dwarfgpu.dwarf.scope.scope_entries import entry_of

_CLONE: Final = pattern(r"\.(?:resume|destroy|cleanup)$")
_FRAME: Final = ".Frame"


def without_parts(functions: Iterable[Die]) -> list[Die]:
    """Return functions without the parts of the coroutines whose ramps are among them."""
    functions = list(functions)
    if len(functions) < 2:
        return functions
    by_linkage_name: dict[str | None, list[Die]] = {}
    for function in functions:
        name = function.linkage_name or entry_symbol(function)  # gcc's static ones have none
        whole = None if name is None else _CLONE.sub("", name)
        by_linkage_name.setdefault(whole, []).append(function)
    out: list[Die] = []
    for name, namesakes in by_linkage_name.items():
        if name is not None and len(namesakes) > 1:
            out += _ramp(name, namesakes) or namesakes
        else:
            out += [item for item in namesakes if not _is_part(item, by_linkage_name)]
    return out


def _ramp(name: str, namesakes: list[Die]) -> list[Die]:
    """Return the function with a linkage name of its own, else that at the symbol; empty if no one
    function is that."""
    own = [item for item in namesakes if item.linkage_name == name]
    if len(own) > 1:
        sections = own[0].unit.sections
        entries = {
            symbol.address
            for file in dict.fromkeys((sections.program.loaded, sections.object))
            for symbol in file.symbols_named(name)
            if symbol.is_in_section
        }
        own = [item for item in own if entry_of(item) in entries]
    return own if len(own) == 1 else []


def _is_part(function: Die, linkage_names: Collection[str | None]) -> bool:
    """Return whether gcc made a function of a coroutine with one of some linkage names."""
    for parameter in with_parameters(function).parameters():
        pointer = parameter.reference(dw.AT_TYPE)
        if pointer is None or pointer.tag != dw.TAG_POINTER_TYPE:
            return False
        frame = pointer.reference(dw.AT_TYPE)
        name = "" if frame is None else frame.name or ""
        return name.endswith(_FRAME) and name.removesuffix(_FRAME) in linkage_names
    return False
