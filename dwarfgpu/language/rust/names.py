"""What may be written before a name in code of Rust, or left out: `crate::`, `self::`, `super::`
and the modules around the code (The Rust Reference, "Paths")."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.declarations import around, scope_path
from dwarfgpu.dwarf.scope.items_of_functions import in_unknown_module, path_around_impl
from dwarfgpu.dwarf.scope.unit_search import Path
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.syntax.words import PATHS
from dwarfgpu.session.session import Session

_BEFORE_CRATE: Final = "/@/"
"""In the name of a unit, before that of its crate and a hash."""
_JOINT: Final = "::"
_CRATE: Final = "crate::"
_SELF: Final = "self::"
_SUPER: Final = "super::"


def written_scopes(session: Session, unit: CompilationUnit) -> list[tuple[str, str]]:
    """Return what is written before a name in the focus, and what the file has in its place; an
    empty text is left out in a module, that of the nearest one first. Where a module is unknown,
    no `self::` and `super::` is written for it."""
    modules: list[Path] = []
    with suppress(DwarfGpuError):
        for module in _modules(session, unit):
            modules.append(module)
    namespaces = _namespaces(session)
    nearest = modules[0] if namespaces and modules else namespaces
    scopes = [(_CRATE, path[:1]) for path in (nearest or _crate(unit),) if path]
    for count, path in enumerate(modules):
        scopes += [(_SUPER * count, path)] if count else []
        scopes.append((_SELF + _SUPER * count, path))
    scopes += [("", nearest[:count]) for count in range(len(nearest), 0, -1)]
    return [(written, "".join(f"{name}{_JOINT}" for name in path)) for written, path in scopes]


def rust_spelling(session: Session, unit: CompilationUnit, name: str) -> str:
    """Return a name as the file has it: `::a::shapes::Point` for `crate::shapes::Point`, which is
    in no module `a` around the code.

    `UsageError` with GDB's words for a `super::` above the crate, and where the module that is
    meant is unknown.
    """
    if not name.startswith(PATHS):
        return name
    if name.startswith(_CRATE):
        modules = iter([(_namespaces(session) or _crate(unit))[:1]])
        rest = name.removeprefix(_CRATE)
    else:
        modules = _modules(session, unit)
        rest = name.removeprefix(_SELF)
    nearest = path = next(modules, ())
    while path and rest.startswith(_SUPER):
        path, rest = next(modules, ()), rest.removeprefix(_SUPER)
    if path:
        return _JOINT + _JOINT.join((*path, rest))
    raise UsageError(f"Too many super:: uses from '{_JOINT.join(nearest)}'")


def _modules(session: Session, unit: CompilationUnit) -> Iterator[Path]:
    """Yield the modules around the function in focus, the nearest first and the crate last; without
    a function that of the unit alone. `UsageError` where a module is unknown."""
    meanings, path = session.meanings(), _namespaces(session)
    if meanings.chain and (why := in_unknown_module(meanings.chain[0])):
        raise UsageError(why)
    if len(path) < 2:
        yield from filter(None, (path or _crate(unit),))
        return
    from dwarfgpu.dwarf.scope.modules_of_rust import modules_around  # for few names

    yield from modules_around(meanings.chain[0], path, meanings.infos)


def _namespaces(session: Session) -> Path:
    """Return the namespaces around the function in focus, or its `impl`; closures are in one of
    their function's name."""
    chain = session.meanings().chain
    if not chain:
        return ()
    scopes = (scope for scope in around(chain[0]) if scope.tag == dw.TAG_NAMESPACE)
    return path_around_impl(chain[0]) or next(map(scope_path, scopes), ())


def _crate(unit: CompilationUnit) -> tuple[str, ...]:
    """Return the crate of a unit, which has several: `a` of `a.rs/@/a.1234-cgu.0`."""
    _, before, rest = unit.name.rpartition(_BEFORE_CRATE)
    return (rest.partition(".")[0],) if before else ()
