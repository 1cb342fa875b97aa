"""Static members of D, which gdc describes as variables of the module: only the linkage name has
the class."""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import path_of
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning
from dwarfgpu.session.session import Session


def static_member(session: Session, name: str) -> tuple[Meaning, ...]:
    """Return the variable of `S::made` or `module::S::made`; empty where none has such a linkage
    name (spec/abi, "Name Mangling")."""
    words = name.split("::")
    if len(words) < 2 or not all(words):
        return ()
    meanings = session.meanings(words[-1]).of(words[-1], _has_class(tuple(words[:-1])))
    if meanings or len(words) < 3:
        return meanings
    in_module = f"{words[0]}::{words[-1]}"
    return session.meanings(in_module).of(in_module, _has_class(tuple(words[1:-1])))


def _has_class(classes: tuple[str, ...]) -> DieFilter:
    """Return a filter for the variables whose linkage name has classes between module and name."""

    return lambda die: die.tag == dw.TAG_VARIABLE and _is_in(die, (*classes, die.name or ""))


def _is_in(die: Die, words: tuple[str, ...]) -> bool:
    """Return whether a linkage name is that of these words in the module around an entry."""
    linked = die.linkage_name or ""
    modules = [word for scope in path_of(die) for word in scope.name.split(".")]
    mangled = "_D" + "".join(f"{len(word)}{word}" for word in (*modules, *words))
    return linked.startswith(mangled) and not "0" <= linked[len(mangled) :][:1] <= "9"


def of_module_itself(die: Die) -> bool:
    """Return whether an entry is no static member that only its linkage name shows as one."""
    if die.tag != dw.TAG_VARIABLE or not (die.linkage_name or "").startswith("_D"):
        return True
    return _is_in(die, (die.name or "",))
