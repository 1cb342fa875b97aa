"""Names that several files define, each for itself: the first one is taken, and a note names its
file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import declaration_of, path_of
from dwarfgpu.dwarf.scope.meaning import Meaning, is_external, is_function, is_removed
from dwarfgpu.dwarf.scope.named_entries import TYPES, VARIABLES
from dwarfgpu.dwarf.scope.scope_entries import decl_file, decl_line
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.unit import CompilationUnit

_NAMELESS: Final = "a file without a name"
_HOLDERS: Final = frozenset({dw.TAG_VARIANT_PART, dw.TAG_VARIANT, dw.TAG_STRUCTURE_TYPE})
_PARTS: Final = _HOLDERS | {dw.TAG_MEMBER, dw.TAG_ENUMERATOR}
_VALUES: Final = (dw.AT_DATA_MEMBER_LOCATION, dw.AT_CONST_VALUE, dw.AT_DISCR_VALUE)
_MAX_PARTS: Final = 1_000
"""At most this many parts of two types are compared."""


def is_of_its_file(meaning: Meaning) -> bool:
    """Return whether other files cannot mean a variable, a function or a type: of Rust, those of
    another crate of the same name, as another version of it."""
    die = meaning.die if isinstance(meaning, Variable) else meaning
    if die.tag not in TYPES | VARIABLES | {dw.TAG_SUBPROGRAM} or is_removed(meaning):
        return False
    return die.unit.language == dw.LANG_RUST or not is_external(meaning)


def differ(first: Meaning, second: Meaning) -> bool:
    """Return whether two files mean different things by a name: two objects, an object and a
    function, or types or functions that are declared at different places. Those of Rust have
    different symbols, and types, whose place rustc does not write, different members."""
    symbols = [_symbol_of_rust(meaning) for meaning in (first, second)]
    if None not in symbols:
        return symbols[0] != symbols[1]
    if isinstance(first, Variable) and isinstance(second, Variable):
        return declaration_of(first.die) != declaration_of(second.die)
    if isinstance(first, Variable) or isinstance(second, Variable):
        return is_function(first) or is_function(second)
    if first.tag != second.tag:
        return False
    if first.tag in TYPES and first.unit.language == second.unit.language == dw.LANG_RUST:
        return not _have_one_layout(first, second)
    return _declared_at(first) != _declared_at(second)


def name_different_entities(first: Meaning, second: Meaning) -> bool:
    """Return whether what two files import by a name are different entities: of different scopes,
    or each of its file. Of overloaded functions, a file need not have all."""
    paths = [path_of(m.die if isinstance(m, Variable) else m) for m in (first, second)]
    return paths[0] != paths[1] or is_of_its_file(second) and differ(first, second)


def several(name: str, taken: Meaning, other: Meaning) -> str:
    """Return the note that a name has another meaning in another file than the one taken."""
    return _several(name, _file_of(taken), _file_of(other))


def several_in(name: str, taken: CompilationUnit, other: CompilationUnit) -> str:
    """Return the note that a name means something else in another unit than in the one taken."""
    return _several(name, taken.full.name or _NAMELESS, other.full.name or _NAMELESS)


def _several(name: str, file: str, another: str) -> str:
    if file == another:
        return f"{name} is that of the first unit of {file}: another one has it, too"
    return f"{name} is that of {file}: {another} has another one"


def _symbol_of_rust(meaning: Meaning) -> str | None:
    """Return the symbol of a variable or function of Rust, in which rustc writes which crate it is
    of; None for anything else."""
    die = meaning.die if isinstance(meaning, Variable) else meaning
    return die.linkage_name if die.unit.language == dw.LANG_RUST else None


def _have_one_layout(first: Die, second: Die) -> bool:
    """Return whether two types of Rust have the same size, and the same members and variants."""
    if first.integer(dw.AT_BYTE_SIZE) != second.integer(dw.AT_BYTE_SIZE):
        return False
    parts = zip_longest(_parts(first), _parts(second))
    return all(one == other for one, other in islice(parts, _MAX_PARTS))


def _parts(die: Die) -> Iterator[tuple[object, ...]]:
    """Yield what is in a type of Rust: its members and constants, and those of its variants, whose
    types are in it. Its methods are left out: units have some of them."""
    types = types_of(die.unit)
    waiting = [die.children(_PARTS)]
    while waiting:
        part = next(waiting[-1], None)
        if part is None:
            waiting.pop()
            continue
        type_ = type_name(types.type_of(part)) if part.has(dw.AT_TYPE) else None
        values = (part.attribute(name) for name in _VALUES)
        yield len(waiting), part.tag, part.name, type_, *(one and one.raw for one in values)
        if part.tag in _HOLDERS:
            waiting.append(part.children(_PARTS))


def _declared_at(die: Die) -> tuple[str | None, int | None]:
    file = decl_file(die)
    return (None if file is None else file.path), decl_line(die)


def _file_of(meaning: Meaning) -> str:
    """Return the file whose unit declares a meaning; of a type unit the file of the declaration."""
    die = meaning.die if isinstance(meaning, Variable) else meaning
    if die.tag not in TYPES:
        die = declaration_of(die)  # the code may be in a unit of the link
    return die.unit.full.name or _declared_at(die)[0] or _NAMELESS
