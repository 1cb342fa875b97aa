"""What may be written before a name in code of Rust, or left out: `crate::`, `self::`, `super::`
and the modules around the code (The Rust Reference, "Paths")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import around, scope_path
from dwarfgpu.dwarf.scope.items_of_functions import in_unknown_module, path_around_impl
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax.words import PATHS
from dwarfgpu.session.session import Session

_ARTIFICIAL: Final = "{"
"""How the names begin that rustc gives to closures and implementations."""
_BEFORE_CRATE: Final = "/@/"
"""In the name of a unit, before that of its crate and a hash."""
_JOINT: Final = "::"
_CRATE: Final = "crate::"
_SUPER: Final = "super::"


def written_scopes(session: Session, unit: CompilationUnit) -> list[tuple[str, str]]:
    """Return what is written before a name in the focus, and what the file has in its place; an
    empty text is left out in a module, that of the nearest one first."""
    around_code = _modules(session)
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
    chain = session.meanings().chain
    if chain and not name.startswith(_CRATE) and (why := in_unknown_module(chain[0])):
        raise UsageError(why)
    written = [scope for scope in written_scopes(session, unit) if scope[0]]
    for before, whole in sorted(written, key=lambda scope: -len(scope[0])):
        rest = name.removeprefix(before)
        if rest != name and not rest.startswith(_SUPER):
            return whole + rest
    modules = _JOINT.join(_modules(session) or _crate(unit))
    raise UsageError(f"Too many super:: uses from '{modules}'")


def _modules(session: Session) -> tuple[str, ...]:
    """Return the names of the crate and the modules around the function in focus; none without
    one. Closures are in a namespace of their function's name."""
    chain = session.meanings().chain
    scopes = [scope for scope in around(chain[0]) if scope.tag == dw.TAG_NAMESPACE] if chain else []
    of_impl = path_around_impl(chain[0]) if chain else None
    path = of_impl or next(map(scope_path, scopes), ())
    artificial = [index for index, name in enumerate(path) if name.startswith(_ARTIFICIAL)]
    path = path[: artificial[0]] if artificial else path
    is_closure = bool(chain) and (chain[0].name or "").startswith(_ARTIFICIAL)
    while len(path) > 1 and (is_closure or artificial or of_impl) and _is_function(session, path):
        path = path[:-1]
    return path


def _is_function(session: Session, path: tuple[str, ...]) -> bool:
    name = _JOINT.join(path)
    meanings = session.meanings(name).of(f"{_JOINT}{name}")
    return any(isinstance(one, Die) and one.tag == dw.TAG_SUBPROGRAM for one in meanings)


def _crate(unit: CompilationUnit) -> tuple[str, ...]:
    """Return the crate of a unit, which has several: `a` of `a.rs/@/a.1234-cgu.0`."""
    _, before, rest = unit.name.rpartition(_BEFORE_CRATE)
    return (rest.partition(".")[0],) if before else ()
