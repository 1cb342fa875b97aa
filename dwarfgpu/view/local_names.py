"""The names of types inside a class, as GDB's `ptype` uses them there.

Inside `Box<int>` an `int` is `T`, and its typedefs have no `Box<int>::` before them. A typedef
differs from its target: a typedef of `int` is no `T`, and an `int` does not get the name of a
typedef.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.type_names import full_name, type_name
from dwarfgpu.dwarf.types.class_parts import TemplateType
from dwarfgpu.dwarf.types.types import Base, Enum, Struct, Type, Typedef, Unspecified, strip

_DEEPEST: Final = 100
_MOST: Final = 1_000


@frozen(eq=False)
class LocalNames:
    """Names by their types; the first of a type counts."""

    names: dict[str, str] = field(factory=dict)
    """Keyed by the name of the type in full, and by that name with the local names of its parts."""
    nameless: dict[Struct | Enum, str] = field(factory=dict)
    """Of types without a name of their own, as that of a lambda."""

    def with_parameters(self, parameters: Sequence[TemplateType]) -> LocalNames:
        """Add the template parameters of a class."""
        return self._with([(parameter.name, parameter.type) for parameter in parameters])

    def with_typedefs(self, struct_type: Struct) -> LocalNames:
        """Add the typedefs of a class and of its base classes."""
        return self._with([(typedef.name, typedef) for typedef in _typedefs(struct_type)])

    def _with(self, added: list[tuple[str, Type | None]]) -> LocalNames:
        if not added:
            return self
        names, nameless = dict(self.names), dict(self.nameless)
        for name, kind in added:
            if isinstance(kind, Struct | Enum) and not kind.name:
                nameless.setdefault(kind, name)
            key = _key(kind)
            if key is not None:
                names.setdefault(key, name)
        # `canonical` replaces the parts of a name before the whole: `Al<int>` is there as `Al<T>`.
        for key in sorted(names, key=len):
            names.setdefault(canonical(key, names, is_shown=True), names[key])
        return LocalNames(names, nameless)

    def of(self, type_: Type | None) -> str | None:
        """Return the local name of a type, if it has one."""
        if isinstance(type_, Struct | Enum) and not type_.name:
            return self.nameless.get(type_)
        if not self.names:
            return None
        key = _key(type_)
        return None if key is None else self.names.get(key)

    def spelled(self, kind: Struct | Enum | Typedef) -> str:
        """Return the full name of a type, with the local names of its parts."""
        return full_name(kind, self.names)


def _typedefs(struct_type: Struct) -> Iterator[Typedef]:
    pending, remaining = [struct_type], _MOST
    while pending:
        current = pending.pop(0)
        yield from (nested.type for nested in current.declared.typedefs)
        bases = current.index.bases
        remaining -= len(bases)
        if remaining < 0:
            return
        pending += [base for member in bases if isinstance(base := strip(member.type), Struct)]


def _key(type_: Type | None) -> str | None:
    """Return the full name of the type; None for one without a name, which is unique."""
    if isinstance(type_, Typedef):
        return full_name(type_)
    bare = strip(type_)
    if isinstance(bare, Struct | Enum):
        return full_name(bare) if bare.name else None
    if bare is None or isinstance(bare, Base | Unspecified):
        return type_name(bare, cplusplus=True)
    return canonical(type_name(bare, cplusplus=True, shown_as=strip))
