"""Items of a function of Rust: rustc describes its static variables, types, inner functions and
closures in a namespace that has the name of the function, beside it. That of a method is in the
namespace of its `impl`, as `{impl#0}::area`, and the method itself is in the type.

Law: the file does not say in which block of the function an item is. The names that a method knows
are those around its `impl`, which may be in another module than the type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import joined
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, scope_path
from dwarfgpu.dwarf.scope.meaning import Meaning, shares_its_name
from dwarfgpu.dwarf.scope.named_entries import named
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, decl_line
from dwarfgpu.dwarf.scope.unit_search import Doubt, Path
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_LEGACY: Final = pattern(r"(?P<path>_ZN(?P<names>.+))17h[0-9a-f]{16}E")
"""How rustc mangles by default: the same for all instances, but for the digits."""
_LEGACY_IMPL: Final = "_$LT$impl$u20$"
"""How the name begins that an `impl` in another module than its type has in it."""
_IN_IMPL: Final = pattern(
    r"_R(?:I|N[A-Za-z])*M(?:s(?P<number>[0-9A-Za-z]*)_)?(?P<scopes>(?:N[A-Za-z])*)C"
)
"""A method in the mangling of RFC 2603, up to the name of the crate."""
_IDENTIFIER: Final = pattern(r"(?:s[0-9A-Za-z]*_)?(?P<length>[1-9][0-9]{0,3})_?")
_LEGACY_IDENTIFIER: Final = pattern(r"(?P<length>[1-9][0-9]{0,3})")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_DIGITS: Final = 6
_VALUES: Final = frozenset({dw.TAG_SUBPROGRAM, dw.TAG_ENUMERATOR})


def paths_of_items(
    function: Die, units: Iterable[CompilationUnit], doubts: list[Doubt]
) -> Iterator[Path]:
    """Yield the namespaces that may have the items of a function, each once; those of a method are
    looked for in its unit, and in others, where they are for instances of generic methods. Errors
    of units become doubts."""
    path = scope_path(function)
    name = path[-1].partition("<")[0] or path[-1]  # that of an instance has its arguments
    declared = declaration_of(function)
    if _type_of_method(function) is None:
        yield (*path[:-1], name)
        return
    known: set[Path] = set()
    for unit in chain((function.unit,), units):
        try:
            for namespace in named(unit, name):
                is_of_method = namespace.tag == dw.TAG_NAMESPACE
                if is_of_method and _is_of_method(namespace, declared):
                    known.add(scope_path(namespace))
        except DwarfGpuError as error:
            doubts.append(error.with_traceback(None))
    yield from sorted(known)


def path_around_impl(function: Die) -> Path | None:
    """Return the module, or the function in one, that has the `impl` of a method, as the symbol of
    the method names it; None if that does not, and for functions and methods of traits."""
    type_ = _type_of_method(function)
    if type_ is None:
        return None
    symbol = function.linkage_name or ""
    legacy = _LEGACY.fullmatch(symbol)
    if legacy is None:
        return _impl_of(symbol)[:-1] or None
    names = tuple(_identifiers(legacy["names"], 0, _LEGACY_IDENTIFIER))
    if not any(name.startswith(_LEGACY_IMPL) for name in names[-2:-1]):
        return scope_path(type_)[:-1]
    path = names[:-2]
    is_in_method = any("$" in name for name in path) or _is_type(function.unit, path[:-1])
    return None if is_in_method else path


def _is_type(unit: CompilationUnit, path: Path) -> bool:
    types = named(unit, path[-1], CLASSES) if path else ()
    return any(scope_path(die) == path for die in types)


def in_unknown_module(function: Die) -> str | None:
    """Return the note that the module of a method's `impl` is unknown, and names are those of the
    module of its type; None if it is known, and for functions and methods of traits."""
    type_ = _type_of_method(function)
    if type_ is None or path_around_impl(function) is not None:
        return None
    module = joined(scope_path(type_)[:-1])
    return (
        f"the file does not say in which module the impl of {joined(scope_path(function))} is: "
        f"names are those of {module}, which has the type"
    )


def _type_of_method(function: Die) -> Die | None:
    """Return the type of a method; None for functions and methods of traits."""
    parent = declaration_of(function).parent()
    return None if parent is None or parent.described.tag not in CLASSES else parent.described


def is_around_closure(closure: Die, path: Path) -> bool:
    """Return whether a namespace is that of a function or closure around a closure."""
    names = scope_path(closure)
    while names and names[-1].startswith("{"):
        names = names[:-1]
        if names == path:
            return True
    return False


def _is_of_method(namespace: Die, method: Die) -> bool:
    """Return whether a namespace in that of an `impl` is of a method."""
    symbol, path = method.linkage_name or "", scope_path(namespace)
    legacy = _LEGACY.fullmatch(symbol)
    if legacy is None:
        return len(path) > 1 and _impl_of(symbol) == path[:-1]
    symbols = (child.linkage_name for child in namespace.children())
    return any((symbol or "").startswith(legacy["path"]) for symbol in symbols)


def _impl_of(symbol: str) -> Path:
    """Return the namespace of the `impl` that the symbol of a method names; empty for any other."""
    begun = _IN_IMPL.match(symbol)
    digits = "" if begun is None else begun["number"] or ""
    if begun is None or len(digits) > _MOST_DIGITS:
        return ()
    count = 1 + len(begun["scopes"]) // 2
    names = tuple(islice(_identifiers(symbol, begun.end(), _IDENTIFIER), count))
    if len(names) < count:
        return ()
    number = 0
    for digit in digits:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    number += bool(digits)  # `s_` is the first number behind none, `s0_` the second one
    return (*names, f"{{impl#{number + (begun['number'] is not None)}}}")


def _identifiers(symbol: str, position: int, begin: re.Pattern[str]) -> Iterator[str]:
    """Yield the names from a position in a symbol, up to something else. `begin`: what is before
    each of them."""
    while (identifier := begin.match(symbol, position)) is not None:
        position = identifier.end() + int(identifier["length"])
        yield symbol[identifier.end() : position]


def are_rivals(one: Meaning, other: Meaning) -> bool:
    """Return whether a name may mean either of two entities: that of a module is never that of a
    value (The Rust Reference, "Namespaces")."""
    kinds = {shares_its_name(one), shares_its_name(other)}
    return one != other and not (kinds == {True, False} and (_is_value(one) or _is_value(other)))


def _is_value(meaning: Meaning) -> bool:
    return isinstance(meaning, Variable) or meaning.tag in _VALUES


def in_unknown_block(taken: Meaning, *, may_be_of_module: bool) -> str:
    """Return the note that an item of a function may be in a block where the code is not, or in a
    module of its name, and the code then means that of a scope around the function."""
    die = taken.die if isinstance(taken, Variable) else taken
    function = namespace_of(die)
    where = "" if function is None else joined(scope_path(function))
    line = decl_line(die)  # rustc does not give those of types
    at_line = "" if line is None else f" at line {line}"
    or_module = ", or whether in a module of that name" if may_be_of_module else ""
    return (
        f"{taken.name} is that of {where}{at_line}: the file does not say "
        f"in which block{or_module}, and what is around the function has the name, too"
    )


def namespace_of(die: Die) -> Die | None:
    """Return the namespace that an entry, as an enumerator, is in; None for one in no namespace."""
    return next((scope for scope in around(die) if scope.tag == dw.TAG_NAMESPACE), None)
