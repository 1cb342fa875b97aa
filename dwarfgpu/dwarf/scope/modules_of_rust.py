"""The module around code of Rust. rustc describes traits, and what is in functions, in namespaces,
as it does modules.

Law: a namespace is that of a trait if a function in it has a parameter `Self`. It is that of a
function if the symbol of the code has a value there (RFC 2603), or the code is a closure. By
default symbols do not say what a name is of, and a module may have the name of a function beside
it: the code is in the function if that has lines behind the declaration of the code, and is not if
it begins behind that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, contains, merged
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import require_few, units_with_functions
from dwarfgpu.dwarf.names.qualified import joined
from dwarfgpu.dwarf.scope.declarations import scope_path, template_parameter
from dwarfgpu.dwarf.scope.named_entries import named, named_entries
from dwarfgpu.dwarf.scope.scope_entries import (
    TEMPLATE_PARAMETERS,
    calls_below,
    code_ranges,
    decl_file,
    decl_line,
    has_child,
)
from dwarfgpu.dwarf.scope.unit_search import Path
from dwarfgpu.errors import UsageError

_ARTIFICIAL: Final = "{"
"""How the names begin that rustc gives to closures and implementations."""
_IMPL: Final = "{impl"
"""An implementation, whose methods are directly in it."""
_BODIES: Final = ("{closure", "{async", "{gen", "{coroutine")
_NAMELESS: Final = "_"
"""The name of a constant that has none."""
_SCOPES: Final = pattern(
    r"_R(?:(?P<inside>(?:I|N[A-Za-z])*)[MX](?:s[0-9A-Za-z]*_)?)?(?P<scopes>(?:I|N[A-Za-z])*)C"
)
"""The names in a symbol of RFC 2603 up to that of the crate; before them those in an `impl`."""
_SCOPE: Final = pattern(r"I|N(?P<kind>[A-Za-z])")
_VALUE: Final = "v"
_OF_TRAIT: Final = pattern(r"_R(?:I|N[A-Za-z])*Y")
"""A function of a trait in such a symbol."""
_PARAMETERS: Final = TEMPLATE_PARAMETERS | {dw.TAG_FORMAL_PARAMETER}
_PLACED: Final = (dw.TAG_VARIABLE, dw.TAG_SUBPROGRAM)
_MAX_ITEMS: Final = 1_000
"""Items of a namespace that are compared with its function."""
_MAX_ROWS: Final = 10_000
"""Rows of the line table of a function that are read."""


def modules_around(function: Die, path: Path, infos: Sequence[DebugInfo]) -> Iterator[Path]:
    """Yield the modules that have a function, the nearest first and the crate last. `path`: the
    namespaces around it, or around its `impl`. `UsageError` where the files do not say which of
    them are modules."""
    for around_it, is_module in kinds_around(function, path, infos):
        if is_module:
            yield around_it


def kinds_around(
    function: Die, path: Path, infos: Sequence[DebugInfo]
) -> Iterator[tuple[Path, bool]]:
    """Yield the namespaces around a function, the nearest first, and whether each is a module;
    those of functions, closures, implementations and traits are none. Errors: `modules_around`."""
    kinds = _kinds(function.linkage_name or "")
    inner, directly = function.name or "", [function]  # the functions of the name in the namespace
    while len(path) > 1:
        *outer, name = path
        kind, is_body = kinds[len(outer) - 1 : len(outer)], inner.startswith(_BODIES)
        is_module = False
        if name.startswith(_ARTIFICIAL) or name == _NAMELESS or outer[-1].startswith(_IMPL):
            directly = directly if is_body and name.startswith(_BODIES) else []
        elif is_body and directly:
            pass  # the closure has the parameters of its function
        elif is_body or kind == _VALUE:
            directly = _functions_or_unknown(function, path, infos)
        elif any(map(_is_of_trait, directly)):
            directly = []
        elif not kind and _is_in_function(function, path, infos):
            directly = _functions_or_unknown(function, path, infos)
        else:
            is_module, directly = True, []
        yield path, is_module
        path, inner = tuple(outer), name
    if path:
        yield path, True


def is_of_module(item: Die, path: Path, infos: Sequence[DebugInfo]) -> bool | None:
    """Return whether a module has an item of a namespace, not a function of its name; None without
    such a function in the file. `UsageError` where that is unknown."""
    if len(path) < 2 or path[-1].startswith(_ARTIFICIAL) or path[-2].startswith(_IMPL):
        return len(path) < 2  # a crate, a closure or a method
    kind = _kinds(item.linkage_name or "")[len(path) - 2 : len(path) - 1]
    if kind:
        return kind != _VALUE
    return not _is_in_function(item, path, infos) if functions_of(path, infos) else None


def may_be_module(namespace: Die, infos: Sequence[DebugInfo]) -> bool:
    """Return whether a namespace may be that of a module: of a function it has the items at lines
    in that."""
    path = scope_path(namespace)
    if len(path) < 2 or not functions_of(path, infos):
        return True
    placed = (child for child in namespace.children(_PLACED) if decl_line(child) is not None)
    for child in islice(placed, _MAX_ITEMS):
        try:
            if is_of_module(child, path, infos):
                return True
        except UsageError:
            return True
    return False


def functions_of(path: Path, infos: Sequence[DebugInfo]) -> list[Die]:
    """Return the functions that have a namespace, which is beside them."""
    return [*_functions(path[:-1], path[-1], infos)]


def _functions_or_unknown(inside: Die, path: Path, infos: Sequence[DebugInfo]) -> list[Die]:
    """Return the functions with a namespace; `UsageError` without any, as one of a trait may be."""
    functions = functions_of(path, infos)
    if not functions:
        raise _unknown(inside)
    return functions


def _kinds(symbol: str) -> str:
    """Return what the names around a function are of, from the one in the crate on, as its symbol
    says: `t` for modules, types and traits, `v` for functions, a space for its `impl`; empty where
    it does not."""
    begun = _SCOPES.match(symbol)
    if begun is None:
        return ""
    inside, outside = (
        "".join(scope["kind"] or "" for scope in _SCOPE.finditer(begun[group] or ""))[::-1]
        for group in ("inside", "scopes")
    )
    return outside if begun["inside"] is None else f"{outside} {inside}"


def _is_of_trait(function: Die) -> bool:
    """Return whether a function is directly in a trait; `UsageError` where that is unknown."""
    if template_parameter(function, "Self") or _OF_TRAIT.match(function.linkage_name or ""):
        return True
    is_instance = (function.name or "").endswith(">")
    if is_instance and not any(has_child(one, _PARAMETERS) for one in function.origins()):
        raise _unknown(function)  # without types in the file, as of `-C debuginfo=1`
    return False


def _is_in_function(inside: Die, path: Path, infos: Sequence[DebugInfo]) -> bool:
    """Return whether what has a function in its namespace is another function, not a module."""
    *outer, name = path
    line, file = decl_line(inside), decl_file(inside)
    is_known = True
    for function in _functions(tuple(outer), name, infos):
        begin, its_file = decl_line(function), decl_file(function)
        if None in (line, begin, file, its_file):
            is_known = False
        elif file is not None and its_file is not None and file.path != its_file.path:
            continue
        elif line is not None and begin is not None and line >= begin:
            if line > begin and _last_line(function) >= line:
                return True
            is_known = False
    if not is_known:
        raise _unknown(inside, f": {joined(path)} may be a function, too")
    return False


def _last_line(function: Die) -> int:
    """Return the last line of the code of a function, without that of others in it; 0 without."""
    table, file = function.unit.line_table, decl_file(function)
    if table is None or file is None:
        return 0
    inlined = merged(span for call in calls_below(function) for span in code_ranges(call))
    lines = [0]
    rows = chain.from_iterable(map(table.rows_in, code_ranges(function)))
    for row in islice(rows, _MAX_ROWS):
        is_inlined = contains(inlined, Range(row.address, row.address + 1))
        if not is_inlined and table.file(row.file).path == file.path:
            lines.append(row.line)
    return max(lines)


def _functions(path: Path, name: str, infos: Sequence[DebugInfo]) -> Iterator[Die]:
    """Yield the functions of a name in a namespace, and their instances with arguments."""
    for info in infos:
        for unit in require_few(units_with_functions(info, name), info, name):
            for key in (name, *named_entries(unit).templates(name)):
                for die in named(unit, key):
                    if die.tag == dw.TAG_SUBPROGRAM and scope_path(die)[:-1] == path:
                        yield die


def _unknown(function: Die, why: str = "") -> UsageError:
    name = joined(scope_path(function))
    return UsageError(f"the file does not say in which module {name} is{why}")
