"""Whether an entry has the parameters, and the arguments of a template, that a name has."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import cxx
from dwarfgpu.dwarf.names.qualified import Part, canonical, parts, split_outside
from dwarfgpu.dwarf.scope.declarations import is_within
from dwarfgpu.dwarf.scope.named_entries import VARIABLE_TEMPLATES
from dwarfgpu.dwarf.scope.parameters import (
    QUALIFIERS,
    REFERENCES,
    parameter_types,
    qualifiers_of,
    reference_of,
    resolved_spelling,
)
from dwarfgpu.dwarf.scope.variable_names import has_arguments

_WORD: Final = pattern(r"&&?|[^\s&]+")


def is_called(die: Die, name: str) -> bool:
    """Return whether a qualified name is that of an entry; a simple name matches in any scope."""
    *outer, last = parts(name) or (None,)
    if last is None or last.name != canonical(die.name or "") or not has_parameters(die, last):
        return False
    if not outer and not name.startswith("::"):
        return True
    return is_within(die, tuple(scope.name for scope in outer))


def has_parameters(die: Die, part: Part) -> bool:
    """Return whether a function has the parameters that are written, or none are, and also the
    qualifiers behind them; and a variable the written arguments of a template. Where the types of
    these count, an instance has them."""
    if (part.exact is not None or part.exact_parameters) and not _has_types(die, part):
        return False
    if part.parameters is None:
        if die.tag not in VARIABLE_TEMPLATES:
            return True
        return has_arguments(die, part) if die.unit.is_cplusplus else part.name[-1:] != ">"
    if die.tag != dw.TAG_SUBPROGRAM or not _has_qualifiers(die, part):
        return False
    written = list(map(_compared, split_outside(part.parameters, ",")))
    spelled = (parameter_types(die), parameter_types(die, spelling=resolved_spelling))
    return written in [list(map(_compared, types)) or [""] for types in spelled]


def _has_types(die: Die, part: Part) -> bool:
    from dwarfgpu.dwarf.scope.exact_functions import exact_parameters  # few names have values
    from dwarfgpu.dwarf.scope.exact_instances import exact_name, has_types

    if part.exact is not None and not (exact_name(die) == part.exact and has_types(die)):
        return False
    if not part.exact_parameters:
        return True
    if die.tag != dw.TAG_SUBPROGRAM:
        return False
    own = exact_parameters(die)
    return len(own) == len(part.exact_parameters) and all(
        exact is None or exact == one for exact, one in zip(part.exact_parameters, own, strict=True)
    )


def _has_qualifiers(function: Die, part: Part) -> bool:
    """Return whether a member function has what is written behind its parameters; without
    qualifiers there, any does."""
    return has_behind(function, part.text.rpartition(")")[2])


def has_behind(function: Die, written: str) -> bool:
    """Return whether a member function is `const` or `volatile` as is written behind its
    parameters, and has the reference that is written; where nothing is, any function has."""
    words = sorted(_WORD.findall(written))  # a reference comes first
    reference = words.pop(0) if words and words[0] in REFERENCES.values() else ""
    if not set(QUALIFIERS.values()).issuperset(words):
        return True
    if reference:
        return (qualifiers_of(function).split(), reference_of(function)) == (words, reference)
    return not words or qualifiers_of(function).split() == words


def _compared(name: str) -> str:
    form = cxx.canonical(name)
    if "<" not in form:
        return form
    from dwarfgpu.dwarf.names.comparable import comparable  # few types have arguments

    return comparable(form)
