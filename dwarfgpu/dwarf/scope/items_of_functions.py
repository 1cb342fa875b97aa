"""Items of a function of Rust: rustc describes its static variables, types, inner functions and
closures in a namespace that has the name of the function, beside it. That of a method is in the
namespace of its `impl`, as `{impl#0}::area`, and the method itself is in the type.

Law: the file does not say in which block of the function an item is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import joined
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, scope_path
from dwarfgpu.dwarf.scope.meaning import Meaning, shares_its_name
from dwarfgpu.dwarf.scope.named_entries import named
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, decl_line
from dwarfgpu.dwarf.scope.unit_search import Path
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_LEGACY: Final = pattern(r"(?P<path>_ZN.+)17h[0-9a-f]{16}E")
"""How rustc mangles by default: the same for all instances, but for the digits."""
_IN_IMPL: Final = pattern(
    r"_R(?:I|N[A-Za-z])*M(?:s(?P<number>[0-9A-Za-z]*)_)?(?P<scopes>(?:N[A-Za-z])*)C"
)
"""A method in the mangling of RFC 2603, up to the name of the crate."""
_IDENTIFIER: Final = pattern(r"(?:s[0-9A-Za-z]*_)?(?P<length>[1-9][0-9]{0,3})_?")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_DIGITS: Final = 6
_VALUES: Final = frozenset({dw.TAG_SUBPROGRAM, dw.TAG_ENUMERATOR})


def paths_of_items(
    function: Die, units: Iterable[CompilationUnit], doubts: list[DwarfGpuError | CompilationUnit]
) -> Iterator[Path]:
    """Yield the namespaces that may have the items of a function, each once; those of a method are
    looked for in its unit, and in others, where they are for instances of generic methods. Errors
    of units become doubts."""
    path = scope_path(function)
    name = path[-1].partition("<")[0] or path[-1]  # that of an instance has its arguments
    declared = declaration_of(function)
    parent = declared.parent()
    if parent is None or parent.described.tag not in CLASSES:
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
            doubts.append(error)
    yield from sorted(known)


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
    names: list[str] = []
    position = begun.end()
    for _ in range(1 + len(begun["scopes"]) // 2):
        identifier = _IDENTIFIER.match(symbol, position)
        if identifier is None:
            return ()
        position = identifier.end() + int(identifier["length"])
        names.append(symbol[identifier.end() : position])
    number = 0
    for digit in digits:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    number += bool(digits)  # `s_` is the first number behind none, `s0_` the second one
    return (*names, f"{{impl#{number + (begun['number'] is not None)}}}")


def are_rivals(one: Meaning, other: Meaning) -> bool:
    """Return whether a name may mean either of two entities: that of a module is never that of a
    value (The Rust Reference, "Namespaces")."""
    kinds = {shares_its_name(one), shares_its_name(other)}
    return one != other and not (kinds == {True, False} and (_is_value(one) or _is_value(other)))


def _is_value(meaning: Meaning) -> bool:
    return isinstance(meaning, Variable) or meaning.tag in _VALUES


def in_unknown_block(taken: Meaning) -> str:
    """Return the note that an item of a function may be in a block where the code is not, which
    then means that of a scope around the function."""
    die = taken.die if isinstance(taken, Variable) else taken
    function = namespace_of(die)
    where = "" if function is None else joined(scope_path(function))
    line = decl_line(die)  # rustc does not give those of types
    at_line = "" if line is None else f" at line {line}"
    return (
        f"{taken.name} is that of {where}{at_line}: the file does not "
        "say in which block, and what is around the function has the name, too"
    )


def namespace_of(die: Die) -> Die | None:
    """Return the namespace that an entry, as an enumerator, is in; None for one in no namespace."""
    return next((scope for scope in around(die) if scope.tag == dw.TAG_NAMESPACE), None)
