"""The parameters of functions: those that are declared, and passed."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names import cxx
from dwarfgpu.dwarf.names.qualified import exact, squeezed
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Base, Type, strip

REFERENCES: Final = {dw.AT_REFERENCE: "&", dw.AT_RVALUE_REFERENCE: "&&"}
QUALIFIERS: Final = {dw.TAG_CONST_TYPE: "const", dw.TAG_VOLATILE_TYPE: "volatile"}


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


def resolved_spelling(type_: Type | None) -> str:
    """Return the text of a type without the typedefs in it, and with the types of the values among
    arguments of templates."""
    text = type_name(type_, cplusplus=True, shown_as=_resolved, shown_inside=_resolved)
    return cxx.canonical(text)


def _resolved(type_: Type | None) -> str | Type | None:
    from dwarfgpu.dwarf.scope.exact_instances import spelled_with_types  # few have values

    return spelled_with_types(strip(type_))


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
    while kind is not None and kind.tag in QUALIFIERS and len(words) < len(QUALIFIERS):
        words.append(QUALIFIERS[kind.tag])
        kind = kind.reference(dw.AT_TYPE)
    return " ".join(sorted(words))


def reference_of(function: Die) -> str:
    """Return `&` or `&&` of a member function that is declared for such an object; else empty."""
    entries = [*function.origins()]  # the declaration for a type unit has it without parameters
    marks = REFERENCES.items()
    return next((mark for number, mark in marks for one in entries if one.flag(number)), "")


def signature(function: Die) -> tuple[str, ...]:
    """Return the types of the parameters of a member function, without typedefs, and the qualifiers
    behind them: functions of a class that have one name differ in these."""
    types = map(exact, parameter_types(function, spelling=resolved_spelling))
    return (*types, qualifiers_of(function), reference_of(function))
