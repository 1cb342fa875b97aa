"""What may be written before a name in code of Rust, or left out: `crate::`, `self::`, `super::`
and the modules around the code (The Rust Reference, "Paths")."""

from __future__ import annotations

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
_SUPER: Final = "super::"


def written_scopes(session: Session, unit: CompilationUnit) -> list[tuple[str, str]]:
    """Return what is written before a name in the focus, and what the file has in its place; an
    empty text is left out in a module, that of the nearest one first. Where the module is unknown,
    no `self::` and `super::` is written."""
    try:
        return _scopes(_modules(session), unit)
    except DwarfGpuError:
        return [one for one in _scopes(_namespaces(session), unit) if one[0] in ("", _CRATE)]


def _scopes(around_code: Path, unit: CompilationUnit) -> list[tuple[str, str]]:
    modules = around_code or _crate(unit)
    if not modules:
        return []
    scopes = [(_CRATE, (modules[0],)), ("self::", modules)]
    for count in range(len(modules) - 1, 0, -1):
        scopes.append((_SUPER * (len(modules) - count), modules[:count]))
    scopes += [("self::" + written, path) for written, path in scopes if _SUPER in written]
    scopes += [("", modules[:count]) for count in range(len(around_code), 0, -1)]
    return [(written, "".join(f"{name}{_JOINT}" for name in path)) for written, path in scopes]


def rust_spelling(session: Session, unit: CompilationUnit, name: str) -> str:
    """Return a name as the file has it: `a::shapes::Point` for `crate::shapes::Point`.

    `UsageError` with GDB's words for a `super::` above the crate, and where the module around the
    code is unknown.
    """
    if not name.startswith(PATHS):
        return name
    modules = _namespaces(session)[:1] if name.startswith(_CRATE) else _modules(session)
    written = [scope for scope in _scopes(modules, unit) if scope[0]]
    for before, whole in sorted(written, key=lambda scope: -len(scope[0])):
        rest = name.removeprefix(before)
        if rest != name and not rest.startswith(_SUPER):
            return whole + rest
    path = _JOINT.join(modules or _crate(unit))
    raise UsageError(f"Too many super:: uses from '{path}'")


def _modules(session: Session) -> Path:
    """Return the names of the crate and the modules around the function in focus; none without
    one. `UsageError` where the module is unknown."""
    meanings, path = session.meanings(), _namespaces(session)
    if meanings.chain and (why := in_unknown_module(meanings.chain[0])):
        raise UsageError(why)
    if len(path) < 2:
        return path
    from dwarfgpu.dwarf.scope.modules_of_rust import module_around  # for few names

    return module_around(meanings.chain[0], path, meanings.infos)


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
