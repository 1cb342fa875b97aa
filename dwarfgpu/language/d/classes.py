"""References to objects of D's classes and interfaces (spec/class; spec/interface; spec/abi,
"Classes", "Interfaces").

Law: the type of a reference decides where it decides in D, else the object, both by the tables of
the object; what cannot be checked there is refused, never taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.d.type_infos import OBJECT, Part, TypeInfos, class_name
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits

_TABLE: Final = "__vptr"
"""The member for the table of an object, which gdc describes."""
_MOST: Final = 1_000
"""Maximum number of base classes."""


def is_class(type_: Type | None) -> bool:
    """Return whether a type is a class or an interface, whose variables are references. ldc2
    describes it as a structure; but no structure has a base class, and all begin with a member."""
    bare = strip(type_)
    if not isinstance(bare, Struct) or bare.kind == "union" or bare.die is None:
        return False
    if bare.die.tag in (dw.TAG_CLASS_TYPE, dw.TAG_INTERFACE_TYPE):
        return True
    members = [member for member in bare.members if not member.is_static]
    if not members:
        return (bare.size_bytes or 0) > 1
    return any(member.is_base_class for member in members) or all(
        member.bit_offset for member in members
    )


def class_of(type_: Type | None) -> Struct | None:
    """Return the class or interface to whose objects a type has references."""
    bare = strip(type_)
    target = strip(bare.target) if isinstance(bare, Pointer) else None
    return target if isinstance(target, Struct) and is_class(target) else None


class References:
    """References to objects in one evaluation."""

    def __init__(self, arithmetic: Arithmetic, objects: ObjectAccess) -> None:
        self.objects = objects
        self.word = arithmetic.numbers.builtins.long_bits // 8
        self.tables = TypeInfos(objects, self.word)

    def are_same(self, left: TypedValue, right: TypedValue) -> bool | None:
        """Return whether references of different types, at least one that of an interface, are
        identical; None for any other operands. As in D, one whose type is derived from that of the
        other is converted to it; where none is, the objects are compared."""
        kinds = class_of(left.type), class_of(right.type)
        if kinds[0] is None or kinds[1] is None or is_same_class(*kinds):
            return None
        if not any(kind is not None and self._may_be_interface(kind) for kind in kinds):
            return None
        if isinstance(self.objects, Unevaluated):
            return False
        first, second = (self.objects.known(side).value for side in (left, right))
        if not first or not second:
            return first == second
        sides = (first, kinds[0], second, kinds[1]), (second, kinds[1], first, kinds[0])
        parts, errors = [], []
        for address, kind, other, to in sides:
            try:
                part, info = self._part(address, kind)
                parts.append(part)
                for offset in self.tables.offsets(info, class_name(to)):
                    return address + offset == other
            except DwarfGpuError as error:
                errors.append(error)
        if len(parts) == 2 and parts[0].whole != parts[1].whole:
            return False
        if errors:
            raise errors[0]
        return True

    def cast(self, value: TypedValue, to: Type) -> TypedValue:
        """Return a reference as one of another class ("Cast Expressions"): `null` where the object
        is none of it."""
        source, target = class_of(value.type), class_of(to)
        assert source is not None and target is not None
        if is_same_class(source, target) or isinstance(self.objects, Unevaluated):
            return TypedValue(to, value.location, bits=value.bits, unit=value.unit)
        is_up = any(is_same_class(base, target) for base in _chain(source))
        address = self.objects.known(value).value
        if address and not is_up:
            address = self._as_class(address, source, target)
        return TypedValue(to, bits=Bits(address, 8 * self.word), unit=value.unit)

    def _as_class(self, address: int, source: Struct, target: Struct) -> int:
        """Return a reference that is not null as one of another class; 0 where it is none of it."""
        if self._is_of_cplusplus(source):
            return self._from_cplusplus(address, source, target)
        part, info = self._part(address, source)
        wanted = class_name(target)
        for offset in self.tables.offsets(info, wanted):
            return address + offset
        if self._is_of_cplusplus(target):  # as gdc, which alone describes an interface so
            return 0
        for offset in self.tables.offsets(part.infos[0], wanted):
            return part.whole + offset
        return 0

    def _from_cplusplus(self, address: int, source: Struct, target: Struct) -> int:
        """Return a reference of extern(C++) as one of another class: that to a class remains as it
        is, and no table says where an interface is."""
        for kind in (source, target):
            if not _is_interface_of_d(kind) and self._may_be_interface(kind):
                name = class_name(kind).spelled
                raise Unsupported(f"whether {name} is a class or an interface is unknown")
        return 0 if _is_interface_of_d(target) else address

    def _part(self, address: int, kind: Struct) -> tuple[Part, int]:
        """Return to what a reference that is not null leads, and the table of its type."""
        name = class_name(kind)
        what = f"The object of {name.spelled} is unknown"
        if self._may_be_interface(kind):
            what = f"The object of the interface {name.spelled} is unknown"
        if self._is_of_cplusplus(kind):
            raise UsageError(f"{what}: extern(C++) has no tables of D.")
        try:
            if self._may_be_interface(kind):
                part = self.tables.object_of_interface(address)
                info = self.tables.beginning(part.interface, name)
            else:
                part = self.tables.object(address)
                above = len([*_chain(kind)])
                info = part.infos[-1 - above] if above < len(part.infos) else None
                if info is not None and not name.may_be(self.tables.name(info)):
                    info = None
        except UsageError as error:
            raise UsageError(f"{what}: {error}.") from error
        if info is None:
            own = self.tables.name(part.interface or part.infos[0])
            raise UsageError(f"{what}: {own} is there.")
        return part, info

    def _may_be_interface(self, kind: Struct) -> bool:
        """Return whether a class may be an interface: ldc2 describes it as a structure without
        members, and gdc one of extern(C++) as a class."""
        if _is_interface_of_d(kind):
            return True
        if kind.die is not None and kind.die.tag == dw.TAG_STRUCTURE_TYPE:
            return not kind.members and kind.size_bytes == self.word
        classes = [kind, *_chain(kind)]
        return _name(classes[-1]) != OBJECT and all(
            member.is_base_class or member.name == _TABLE
            for one in classes
            for member in one.members
        )

    def _is_of_cplusplus(self, kind: Struct) -> bool:
        """Return whether a class is extern(C++): it is not derived from `Object`. What ldc2
        describes as an interface may be one of D."""
        if _is_interface_of_d(kind) or _name([kind, *_chain(kind)][-1]) == OBJECT:
            return False
        is_of_ldc = kind.die is not None and kind.die.tag == dw.TAG_STRUCTURE_TYPE
        return not (is_of_ldc and self._may_be_interface(kind))


def _chain(struct_type: Struct) -> Iterator[Struct]:
    """Yield the base class of a class, that of this one, and so on."""
    for _ in range(_MOST):
        base = next((m.type for m in struct_type.members if m.is_base_class), None)
        bare = strip(base)
        if not isinstance(bare, Struct):
            return
        yield bare
        struct_type = bare


def _is_interface_of_d(kind: Struct) -> bool:
    return kind.die is not None and kind.die.tag == dw.TAG_INTERFACE_TYPE


def _name(struct_type: Struct) -> str:
    return class_name(struct_type).spelled
