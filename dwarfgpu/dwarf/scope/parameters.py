"""The parameters of functions: those that are declared, passed, and written in names."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import cxx
from dwarfgpu.dwarf.names.qualified import Part, canonical, parts, split_outside, squeezed
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import declaration_of, is_within
from dwarfgpu.dwarf.scope.named_entries import VARIABLE_TEMPLATES
from dwarfgpu.dwarf.scope.variable_names import has_arguments
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Base, Type, strip

_QUALIFIERS: Final = {dw.TAG_CONST_TYPE: "const", dw.TAG_VOLATILE_TYPE: "volatile"}


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
    if part.exact is not None and not _has_types(die, part.exact):
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


def _has_types(die: Die, exact: str) -> bool:
    from dwarfgpu.dwarf.scope.exact_instances import exact_name, has_types  # few names have values

    return exact_name(die) == exact and has_types(die)


def _has_qualifiers(function: Die, part: Part) -> bool:
    """Return whether a member function is `const` or `volatile` as is written behind its
    parameters; without either there, any is."""
    words = sorted(part.text.rpartition(")")[2].split())
    is_any = not words or not set(_QUALIFIERS.values()).issuperset(words)
    return is_any or qualifiers_of(function).split() == words


def with_parameters(function: Die) -> Die:
    """Return the entry of a function that has its parameters: the declaration, unless that is one
    for a type unit, which omits them."""
    is_conclusive = [
        origin
        for origin in function.origins()
        if any(child.tag == dw.TAG_FORMAL_PARAMETER for child in origin.parameters())
    ]
    return is_conclusive[-1] if is_conclusive else declaration_of(function)


def passed_parameters(
    function: Die, described: Die, types: Sequence[Type | None]
) -> tuple[Type | None, ...]:
    """Return the parameter types of a function, of its entry `described`, without those that GCC
    declares for all constructors or destructors of a class, but does not pass.

    The artificial `int`, `__in_chrg`, is passed to none. The table of a class with virtual bases,
    `__vtt_parm`, is passed only to the functions for a part of an object: the entry of the code of
    another does not have it. Lengths of strings in Fortran are artificial, too, but passed.
    """
    if not described.unit.is_cplusplus:
        return tuple(types)
    parameters = [*described.children((dw.TAG_FORMAL_PARAMETER,))]
    if len(parameters) != len(types):
        return tuple(types)
    has_code = _with_code(function, len(types))
    return tuple(
        type_
        for index, (die, type_) in enumerate(zip(parameters, types, strict=True))
        if not die.flag(dw.AT_ARTIFICIAL)
        or (not isinstance(strip(type_), Base) and (not index or index in has_code))
    )


def _with_code(function: Die, count: int) -> Container[int]:
    """Return which of a number of declared parameters the entry of a function's code has: all, if
    it does not refer to theirs."""
    tags = (dw.TAG_FORMAL_PARAMETER,)
    own = {origin for die in function.children(tags) for origin in die.origins()}
    for entry in function.origins():
        declared = [*entry.children(tags)]
        numbers = [index for index, die in enumerate(declared) if die in own]
        if len(declared) == count and numbers:
            return numbers
    return range(count)


def type_spelling(type_: Type | None) -> str:
    """Return the text of the type of a parameter, as the names of functions have it."""
    return squeezed(type_name(type_, cplusplus=True))


def _compared(name: str) -> str:
    form = cxx.canonical(name)
    if "<" not in form:
        return form
    from dwarfgpu.dwarf.names.comparable import comparable  # few types have arguments

    return comparable(form)


def resolved_spelling(type_: Type | None) -> str:
    """Return the text of a type without the typedefs in it."""
    return cxx.canonical(type_name(type_, cplusplus=True, shown_as=strip, shown_inside=strip))


def parameter_types(
    function: Die, spelling: Callable[[Type | None], str] = type_spelling
) -> list[str]:
    """Return the canonical types of the parameters of a function, without `this`; `...` is last."""
    types = types_of(function.unit)
    out: list[str] = []
    dots: list[str] = []
    for child in with_parameters(function).parameters():
        if child.tag == dw.TAG_UNSPECIFIED_PARAMETERS:
            dots = ["..."]
        elif not child.flag(dw.AT_ARTIFICIAL):
            out.append(spelling(types.type_of(child)))
    return out + dots


def qualifiers_of(function: Die) -> str:
    """Return `const` or `volatile`, or both, for a member function whose object is that."""
    parameter = next(with_parameters(function).children((dw.TAG_FORMAL_PARAMETER,)), None)
    if parameter is None or not parameter.flag(dw.AT_ARTIFICIAL):
        return ""
    words: list[str] = []
    kind = parameter.reference(dw.AT_TYPE)
    if kind is not None and kind.tag == dw.TAG_CONST_TYPE:  # the pointer itself, as gcc has it
        kind = kind.reference(dw.AT_TYPE)
    kind = None if kind is None else kind.reference(dw.AT_TYPE)
    while kind is not None and kind.tag in _QUALIFIERS and len(words) < len(_QUALIFIERS):
        words.append(_QUALIFIERS[kind.tag])
        kind = kind.reference(dw.AT_TYPE)
    return " ".join(sorted(words))


def signature(function: Die) -> tuple[str, ...]:
    """Return the types of the parameters of a member function, without typedefs, and the qualifiers
    behind them: functions of a class that have one name differ in these."""
    declared = with_parameters(function)
    references = ((dw.AT_REFERENCE, "&"), (dw.AT_RVALUE_REFERENCE, "&&"))
    reference = "".join(mark for attribute, mark in references if declared.flag(attribute))
    types = map(_compared, parameter_types(function, spelling=resolved_spelling))
    return (*types, qualifiers_of(function), reference)
