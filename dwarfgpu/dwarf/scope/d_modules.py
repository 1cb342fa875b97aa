"""Modules of D whose entries are beside that of the module: gdc describes so each function, class
and variable that is extern(C) or extern(C++).

Law: an entry belongs to the module whose file declares it (spec/module: a module is one file), also
from a mixed in text.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, decl_file
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_MIXED_IN: Final = "-mixin-"
"""What follows the file in the name that compilers give a text that it mixes in."""
_DECLARED: Final = CLASSES | {
    dw.TAG_SUBPROGRAM,
    dw.TAG_VARIABLE,
    dw.TAG_CONSTANT,
    dw.TAG_ENUMERATION_TYPE,
    dw.TAG_TYPEDEF,
}


def module_beside(die: Die) -> Die | None:
    """Return the module of D that an entry directly in its unit is of; None for any other."""
    if die.unit.language != dw.LANG_D or die.tag not in _DECLARED or die.flag(dw.AT_ARTIFICIAL):
        return None
    path = _path(die)
    return None if path is None else _modules(die.unit).get(path.partition(_MIXED_IN)[0])


@kept_with(first)
def _modules(unit: CompilationUnit) -> dict[str, Die]:
    """Return the modules that a unit has, by file, without those that it only imports."""
    modules = unit.root.children((dw.TAG_MODULE,))
    own = (module for module in modules if not module.has(dw.AT_DECLARATION))
    return {path: module for module in own if (path := _path(module)) is not None}


def _path(die: Die) -> str | None:
    """Return the file of a declaration; None where it is unknown."""
    with suppress(DwarfGpuError):
        file = decl_file(die)
        return None if file is None else file.path
    return None
