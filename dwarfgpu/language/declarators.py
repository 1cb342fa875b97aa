"""Types that declarators derive from others: pointers, references, arrays and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import has_strides, spacing_bits
from dwarfgpu.dwarf.types.types import (
    Array,
    Function,
    PointerKind,
    Qualified,
    Qualifier,
    Type,
    Unspecified,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.name_rules import NameRules
from dwarfgpu.language.syntax.ast import Declarator, TypeName

_POINTERS: Final[dict[str, PointerKind]] = {
    "*": "pointer",
    "&": "reference",
    "&&": "rvalue_reference",
}
_QUALIFIERS: Final[dict[str, Qualifier]] = {
    "const": "const",
    "volatile": "volatile",
    "restrict": "restrict",
    "atomic": "atomic",
}


class Declarators:
    """Derives types as the declarators and qualifiers of a type name say."""

    def __init__(self, rules: NameRules, type_of: Callable[[TypeName], Type | None]) -> None:
        """`type_of`: returns the type of a parameter."""
        self._rules = rules
        self._type_of = type_of

    def derived(self, type_: Type | None, name: TypeName) -> Type | None:
        """Return what a type name makes of the type that its first words mean; `UsageError` for an
        address space that the target does not have."""
        kind = _qualified(type_, name.qualifiers)
        space = _space_among(name.qualifiers)
        for declarator in name.declarators:
            kind = self._step(kind, declarator, space)
            if declarator.kind in _POINTERS:
                space = _space_among(declarator.qualifiers)
        return kind

    def _step(self, type_: Type | None, step: Declarator, space: str | None) -> Type:
        if step.kind == "[]":
            return array_of(type_, step.count)
        if step.kind == "()":
            parameters = tuple(map(self._type_of, step.parameters))
            return Function(
                type_, parameters, is_variadic=step.is_variadic, is_prototyped=step.is_prototyped
            )
        pointer = evolve(self._rules.builtins.pointer(type_), kind=_POINTERS[step.kind])
        if space is None:
            pointer = self._rules.unqualified_pointer(pointer)
        else:
            address_space = self._rules.session.architecture.address_space_named(space)
            if address_space is None:
                raise UsageError(f'Unrecognized address space "{space}".')
            size = address_space.address_bits // 8
            pointer = evolve(pointer, address_space=address_space.number, size_bytes=size)
        if step.prefix:
            from dwarfgpu.language.rust.types import named_pointer  # few programs

            pointer = named_pointer(pointer, step.prefix)
        derived = _qualified(pointer, step.qualifiers)
        assert derived is not None and not isinstance(derived, Unspecified)
        return derived


def _qualified(type_: Type | None, qualifiers: tuple[str, ...]) -> Type | None:
    for word in qualifiers:
        if word in _QUALIFIERS:
            type_ = Qualified(_QUALIFIERS[word], type_)
    return type_


def _space_among(qualifiers: tuple[str, ...]) -> str | None:
    """Return the address space among qualifiers: of an object, to which a pointer points."""
    return next((word[1:] for word in qualifiers if word.startswith("@")), None)


def array_of(type_: Type | None, count: int | None) -> Array:
    """Return the type of an array of objects; of arrays, an array with one more dimension."""
    is_value = isinstance(type_, Array) and type_.is_value
    if isinstance(type_, Array) and type_.own_name is None and not type_.strides_bits:
        return Array(type_.element, (count, *type_.dimensions), is_value=is_value)
    # A section ends behind its last element, and the next one begins behind the gap after it.
    gapped = isinstance(type_, Array) and type_.is_section and has_strides(type_)
    strides = (spacing_bits(type_),) if gapped else ()
    return Array(type_, (count,), strides, is_value=is_value)
