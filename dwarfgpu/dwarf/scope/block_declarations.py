"""What a function or a block declares besides its variables: types, enumerators, namelists and
nested functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import Part, canonical, joined
from dwarfgpu.dwarf.scope.declarations import is_transparent, scope_path
from dwarfgpu.dwarf.scope.meaning import DieFilter, ordinary
from dwarfgpu.dwarf.scope.named_entries import TAGGED, TYPES
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, FUNCTIONS, decl_line, has_child
from dwarfgpu.dwarf.scope.variable import Variable, declared_in
from dwarfgpu.dwarf.scope.written_parameters import has_parameters
from dwarfgpu.errors import UsageError

_MAX_DEPTH: Final = 64
"""Structures inside one another that are searched for enumerators."""
_LISTS_AND_TYPES: Final = TYPES | {dw.TAG_NAMELIST}
OF_BLOCKS: Final = _LISTS_AND_TYPES | {
    dw.TAG_ENUMERATION_TYPE,
    dw.TAG_IMPORTED_DECLARATION,
    dw.TAG_SUBPROGRAM,
}
"""Besides variables, what declares names in a block."""
_HIDING: Final = dw.TYPEDEFS | {dw.TAG_ENUMERATOR}
"""What no block may declare beside a variable of the name."""
_HOISTED: Final = TAGGED | _HIDING
_ENUMERATIONS: Final = frozenset({dw.TAG_ENUMERATION_TYPE})


def is_named(die: Die, part: Part, accepts: DieFilter) -> bool:
    """Return whether an entry has a name, with the parameters that are written, and is accepted."""
    name = die.name
    is_it = name is not None and canonical(name) == part.name and accepts(die)
    return is_it and has_parameters(die, part)


def is_of_block(die: Die) -> bool:
    """Return whether an entry of a block is a namelist, a type, or a nested function,
    which C++ does not have."""
    if die.tag == dw.TAG_SUBPROGRAM:
        return not die.unit.is_cplusplus and not die.has(dw.AT_DECLARATION)
    return die.tag in _LISTS_AND_TYPES


def enumerators_of(child: Die, depth: int = 0) -> Iterator[Die]:
    """Yield the enumerators that an entry of a block declares there, in structures of C, too."""
    if not is_transparent(child):
        return
    if child.tag == dw.TAG_ENUMERATION_TYPE:
        yield from child.children()
    elif child.tag in CLASSES and depth < _MAX_DEPTH:
        for inner in child.children(TAGGED):
            yield from enumerators_of(inner, depth + 1)


def declared_in_block(block: Die) -> Iterator[Die]:
    """Yield what a function or block itself declares, without variables and imports."""
    for child in block.children(OF_BLOCKS):
        if is_of_block(child):
            yield child
        yield from enumerators_of(child)


def require_unique(block: Die, declaration: Die, accepts: DieFilter) -> Die:
    """Return a type or enumerator that a block declares.

    `UsageError` if there is another one of the name: clang, and g++ but for typedefs, put what the
    blocks of a function declare into the function.
    """
    if block.unit.style != "c" or declaration.tag not in _HOISTED:
        return declaration
    for holder in block.origins():
        same = rivals(declaration, filter(accepts, declared_in_block(holder)))
        if len(same) > 1:
            raise UsageError(in_several_blocks(block, declaration.name or "", same))
    if declaration.tag in _HIDING:
        for variable in declared_in(block, name := canonical(declaration.name or "")):
            if canonical(variable.name) == name and ordinary(variable.die):
                raise UsageError(in_several_blocks(block, name, (declaration, variable.die)))
    return declaration


def require_only_variable(block: Die, variable: Variable, accepts: DieFilter) -> None:
    """Raise `UsageError` if a function has an enumerator or a typedef of the name, too, which is
    that of a block."""
    if block.tag not in FUNCTIONS or block.unit.style != "c":
        return
    for holder in block.origins():
        if not has_child(holder, _HOISTED):
            continue
        part = Part(name := canonical(variable.name), text=name)
        for die in declared_in_block(holder):
            if die.tag in _HIDING and is_named(die, part, accepts):
                raise UsageError(in_several_blocks(block, name, (variable.die, die)))


def may_be_of_any_block(declaration: Die) -> bool:
    """Return whether a type or enumerator in a function may be that of a block in it: clang, and
    g++ but for typedefs, put it into the function in either case."""
    if declaration.tag not in _HOISTED or declaration.unit.style != "c":
        return False
    is_cplusplus = declaration.unit.is_cplusplus  # whose classes are scopes
    transparent = _ENUMERATIONS if is_cplusplus else TAGGED
    scope = declaration.parent()
    while scope is not None and scope.tag in transparent:
        scope = scope.parent()
    if scope is None or scope.tag not in FUNCTIONS:
        return False
    if is_cplusplus and declaration.tag not in dw.TYPEDEFS:
        return True
    return "clang" in declaration.unit.producer


def in_unknown_block(name: str, taken: Die, outside: Variable | Die | None) -> str:
    """Return the note that something further out has the name of what a function declares; None:
    it is unknown what."""
    other = outside.die if isinstance(outside, Variable) else outside
    has = "what is around the function may have" if other is None else f"line {_line(other)} has"
    return (
        f"{name} is that of line {_line(taken)}, which may be in a block that is not around the "
        f"code: {has} another one"
    )


def rivals(declaration: Die, declared: Iterable[Die]) -> list[Die]:
    """Return the definitions of the same name and kind as a type or enumerator, itself included;
    only itself for what may be declared twice, as gfortran's namelists are."""
    if declaration.tag not in _HOISTED:
        return [declaration]
    return [
        die
        for die in declared
        if _kind(die) == _kind(declaration)
        and die.name == declaration.name
        and not die.has(dw.AT_DECLARATION)
    ]


def _kind(die: Die) -> int:
    return dw.TAG_ENUMERATION_TYPE if die.tag in TAGGED else die.tag


def in_several_blocks(function: Die, name: str, declared: Iterable[Die]) -> str:
    """Return the message that the text of a function declares a name several times, and the lines
    that the file has: rustc does not give those of types."""
    lines = ", ".join(map(str, sorted(set(map(_line, declared)) - {0})))
    at_lines = f", at line{'s' if ',' in lines else ''} {lines}" if lines else ""
    return f'several blocks of "{joined(scope_path(function))}" declare "{name}"{at_lines}'


def _line(die: Die) -> int:
    """Return the line of a declaration; an enumerator has that of its type."""
    parent = die.parent() if die.tag == dw.TAG_ENUMERATOR else None
    return decl_line(parent or die) or 0
