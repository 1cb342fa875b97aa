"""Functions by the types of the values among arguments of templates, also in their parameters.

`f(W<3>*)` and `f(W<3l>*)` are overloads, but gcc calls both classes `W<3>`. The linkage name of a
function has the types. Static functions of gcc have none: the entries of the arguments have the
types, and where the class is only declared, the symbol of the code.

Law: a type that none of these has is that of no written value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import function_paths as paths
from dwarfgpu.dwarf.names.comparable import ambiguous_instance
from dwarfgpu.dwarf.names.demangle import demangled_function
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.names.qualified import Part
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.exact_instances import (
    exact_name,
    exact_scope,
    has_all_types,
    spelled_with_types,
)
from dwarfgpu.dwarf.scope.overloads import entry_symbol
from dwarfgpu.dwarf.scope.parameters import parameter_types
from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.errors import UsageError

_UNKNOWN: Final = ""
"""Instead of a name whose types the file does not have."""


def exact_path(function: Die, name: str) -> Sequence[str]:
    """Return the components of a function's name with the types of the values; `name`: as it is
    shown."""
    if (printed := _printed(function.linkage_name)) is not None:
        return paths.whole_path(printed)
    shown = paths.whole_path(name)
    own = (*exact_scope(declaration_of(function)), exact_name(function))
    return own if len(own) == len(shown) else shown  # longer in a function


def exact_parameters(function: Die) -> Sequence[str]:
    """Return the types of the parameters in one spelling with the types of the values."""
    if (printed := _printed(function.linkage_name)) is not None:
        return _parameters_in(printed)
    own = [*map(paths.exact_type, parameter_types(function, spelling_with_types))]
    if _UNKNOWN not in own or function.tag != dw.TAG_SUBPROGRAM:
        return own
    printed = _printed(entry_symbol(function))
    if printed is None or not paths.TypedPath(function.name or "").ends(paths.whole_path(printed)):
        return own
    return _parameters_in(printed)


def require_one_type(part: Part, functions: Iterable[Die]) -> None:
    """Raise `UsageError` where functions of a name differ in the types of the values that are
    written in it, or among its parameters."""
    by_types: dict[tuple[str | None, ...], str] = {}
    for die in functions:
        own = exact_parameters(die) if part.exact_parameters else ()
        written = zip(part.exact_parameters, own, strict=False)
        types = (one for exact, one in written if exact is not None)
        name = None if part.exact is None else exact_name(die)
        shown = name_with_types(die, full_function_name(die) or die.name or "")
        by_types.setdefault((name, *types), shown)
    if len(by_types) > 1:
        raise UsageError(ambiguous_instance(part.text, sorted(by_types.values())))


def name_with_types(function: Die, name: str) -> str:
    """Return the shown name of a function, without a linkage name with the exact types of its
    parameters, as far as they are known."""
    own = exact_parameters(function) if function.linkage_name is None else ()
    return f"{paths.split(name)[0]}({', '.join(own)})" if own and _UNKNOWN not in own else name


def spelling_with_types(type_: Type | None) -> str:
    """Return the text of a type with the types of the values, without typedefs; none where the file
    does not have them all."""
    has_all = True

    def shown(kind: Type | None) -> str | Type | None:
        nonlocal has_all
        bare = strip(kind)
        words = spelled_with_types(bare)
        if isinstance(words, str) and isinstance(bare, Struct) and bare.die is not None:
            has_all = has_all and has_all_types(bare.die)
        return words

    text = type_name(type_, cplusplus=True, shown_as=shown, shown_inside=shown)
    return text if has_all else _UNKNOWN


def _printed(symbol: str | None) -> str | None:
    return None if symbol is None else demangled_function(symbol)


def _parameters_in(printed: str) -> Sequence[str]:
    return paths.exact_parameters(paths.innermost(printed)[1] or "")
