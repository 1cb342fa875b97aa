"""Names of functions whose parameters are written with typedefs: `f(my_int)` is `f(int)`."""

from __future__ import annotations

from typing import Final, Protocol

from dwarfgpu.dwarf.names.function_paths import split
from dwarfgpu.dwarf.names.qualified import split_outside
from dwarfgpu.dwarf.scope.parameters import resolved_spelling
from dwarfgpu.dwarf.types.types import Type, unqualified, without_typedefs
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.syntax.ast import TypeName
from dwarfgpu.language.syntax.cursor import Known
from dwarfgpu.language.syntax.parser import parse_type

_DOTS: Final = "..."
_UNNAMED: Final = "{"
"""In what is written for a structure without a name: no other one is the same."""


class _Typed(Protocol):
    @property
    def type(self) -> Type | None: ...


class Names(Known, Protocol):
    """What a lookup of names for a focus answers."""

    def type_of(self, name: TypeName) -> _Typed:
        """Return the type that a type name denotes."""


def with_resolved_parameters(names: Names, name: str) -> str | None:
    """Return the name of a function of C++ with what the typedefs in its parameters denote, in
    which demanglers write it. None without such parameters, and for those that are not known or
    that are functions themselves.
    """
    path, parameters = split(name)
    if parameters is None:
        return None
    inside, end, behind = parameters[1:].partition(")")
    if not end or "(" in inside or not inside.strip():
        return None
    try:
        types = [_resolved(names, text) for text in split_outside(inside, ",")]
    except DwarfGpuError:
        return None
    resolved = [text for text in types if text is not None and _UNNAMED not in text]
    if len(resolved) < len(types) or not names.language.is_cplusplus:
        return None
    return f"{path}({', '.join(resolved)}){behind}"


def _resolved(names: Names, text: str) -> str | None:
    if text == _DOTS:
        return text
    written = parse_type(text, names)
    if written is None:
        return None
    type_ = without_typedefs(names.type_of(written).type)
    return resolved_spelling(unqualified(type_))  # no function differs by qualifiers of a parameter
