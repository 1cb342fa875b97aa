"""The clones that compilers make of a function for some of its calls, or of a part of its code.

They have the declaration of the function, and its symbol with a suffix: `f.constprop.0`,
`f.isra.0`, `f.part.0` of gcc; `f.specialized.1`, and `f.resume` of a coroutine, of clang. A pointer
to the function never leads to one.

Other parts of a coroutine are functions of their own: the actor and the destroyer of gcc, which
have the name of the one that is called, the ramp, and one parameter, of type `_Z1fv.Frame *`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.overloads import entry_symbol
from dwarfgpu.dwarf.scope.parameters import parameter_types, with_parameters

_FRAME: Final = ".Frame"


def without_clones(functions: Iterable[Die]) -> list[Die]:
    """Return functions without the clones of those among them, by the symbols where their code is
    entered. Where not just one of a declaration has a symbol without a suffix, all stay."""
    functions = list(functions)
    if len(functions) < 2:
        return functions
    by_declaration: dict[object, list[Die]] = {}
    for function in functions:
        by_declaration.setdefault(_declared(function), []).append(function)
    out: list[Die] = []
    for namesakes in by_declaration.values():
        cloned = [*filter(_is_whole, namesakes)] if len(namesakes) > 1 else []
        out += cloned if len(cloned) == 1 else namesakes
    return out


def _is_whole(function: Die) -> bool:
    """Return whether the symbol of a function has no suffix. LLVM 20 gives that of a clone of a
    coroutine as its linkage name, too."""
    symbol = entry_symbol(function) or function.string(dw.AT_LINKAGE_NAME)
    return symbol is not None and "." not in symbol


def _declared(function: Die) -> object:
    """Return what all functions of a declaration have in common; clang repeats it for each."""
    declaration = declaration_of(function)
    line = declaration.integer(dw.AT_DECL_LINE)
    if line is None:
        return declaration
    return (
        declaration.unit,
        declaration.integer(dw.AT_DECL_FILE),
        line,
        declaration.name,
        (function.linkage_name or "").partition(".")[0],
        tuple(parameter_types(function)),
    )


def without_parts(functions: Iterable[Die]) -> list[Die]:
    """Return functions without their clones, and without the parts of the coroutines whose ramps
    are among them."""
    functions = without_clones(functions)
    if len(functions) < 2:
        return functions
    # gcc gives static functions no linkage name.
    linkage_names = {function.linkage_name or entry_symbol(function) for function in functions}
    return [function for function in functions if not _is_part(function, linkage_names)]


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
