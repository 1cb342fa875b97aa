"""References to objects of D's classes and interfaces (spec/class; spec/interface; spec/abi,
"Classes", "Interfaces").

Law: the object decides what it is, by the `TypeInfo_Class` of its table; what cannot be checked
there is refused, never taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, Unavailable, Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.value_text import read_memory
from dwarfgpu.model.object import Bits

_NAME: Final = 4
"""The members of `TypeInfo_Class`, in words from its beginning: an array has its length first."""
_INTERFACES: Final = 8
_BASE: Final = 10
_INTERFACE_WORDS: Final = 4
"""The words of the structure `Interface` of the module `object`; its offset is the last one."""
_MOST: Final = 1_000
"""Maximum number of base classes, and of interfaces of a class."""


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


def _is_interface(struct_type: Struct, word: int) -> bool:
    """Return whether a class may be an interface: it has no members."""
    die = struct_type.die
    if die is not None and die.tag != dw.TAG_STRUCTURE_TYPE:
        return die.tag == dw.TAG_INTERFACE_TYPE
    return not struct_type.members and struct_type.size_bytes == word


def class_of(type_: Type | None) -> Struct | None:
    """Return the class or interface to whose objects a type has references."""
    bare = strip(type_)
    target = strip(bare.target) if isinstance(bare, Pointer) else None
    return target if isinstance(target, Struct) and is_class(target) else None


class References:
    """References to objects in one evaluation."""

    def __init__(self, arithmetic: Arithmetic, objects: ObjectAccess) -> None:
        self.arithmetic = arithmetic
        self.objects = objects
        self.word = arithmetic.numbers.builtins.long_bits // 8

    def are_same(self, left: TypedValue, right: TypedValue) -> bool | None:
        """Return whether references of different types, at least one that of an interface, lead to
        one object; None for any other operands."""
        kinds = class_of(left.type), class_of(right.type)
        if kinds[0] is None or kinds[1] is None or is_same_class(*kinds):
            return None
        if not any(kind is not None and _is_interface(kind, self.word) for kind in kinds):
            return None
        if isinstance(self.objects, Unevaluated):
            return False
        return self._object(left, kinds[0]) == self._object(right, kinds[1])

    def cast(self, value: TypedValue, to: Type) -> TypedValue:
        """Return a reference as one of another class ("Cast Expressions"): `null` where the object
        is none of it."""
        source, target = class_of(value.type), class_of(to)
        assert source is not None and target is not None
        if is_same_class(source, target) or isinstance(self.objects, Unevaluated):
            return TypedValue(to, value.location, bits=value.bits, unit=value.unit)
        is_up = any(is_same_class(base, target) for base in _chain(source))
        address = self.objects.known(value).value
        if address and not is_up and not _is_of_cplusplus(source, self.word):
            address = self._object(value, source)
            address = self._as_class(address, target)
        return TypedValue(to, bits=Bits(address, 8 * self.word), unit=value.unit)

    def _as_class(self, address: int, target: Struct) -> int:
        """Return a reference to an object as one of a class or interface; 0 for none."""
        wanted, has_interfaces = _name(target), False
        for info in self._infos(address):
            if self._name(info) == wanted:
                return address
            for number in range(self._count(info)):
                start = number * _INTERFACE_WORDS * self.word
                interface = self._word(info, _INTERFACES + 1) + start
                if self._name(self._word(interface, 0)) == wanted:
                    return address + self._word(interface, _INTERFACE_WORDS - 1)
                has_interfaces = True  # which may be derived from it
        above = None if target.die is None else target.die.parent()
        is_named_so = "!" not in wanted and above is not None and above.tag == dw.TAG_MODULE
        if is_named_so and not (has_interfaces and _is_interface(target, self.word)):
            return 0
        raise Unsupported(f"whether the object is one of {wanted} is unknown")

    def _object(self, value: TypedValue, kind: Struct) -> int:
        """Return the address of the object to which a reference leads; 0 for `null`."""
        address = self.objects.known(value).value
        if not address or not _is_interface(kind, self.word):
            return address
        why = "its table does not have it"
        try:
            interface = self._word(self._word(address, 0), 0)
            whole = address - self._word(interface, _INTERFACE_WORDS - 1)
            for info in self._infos(whole):
                distance = interface - self._word(info, _INTERFACES + 1)
                number, rest = divmod(distance, _INTERFACE_WORDS * self.word)
                if not rest and 0 <= number < self._count(info):
                    return whole
        except DwarfGpuError as error:
            why = str(error)
        raise UsageError(f"The object of the interface {_name(kind)} is unknown: {why}.")

    def _infos(self, address: int) -> Iterator[int]:
        """Yield where the `TypeInfo_Class` of an object's class and of its base classes are."""
        info = self._word(self._word(address, 0), 0)
        for _ in range(_MOST):
            if not info:
                return
            yield info
            info = self._word(info, _BASE)

    def _count(self, info: int) -> int:
        return min(self._word(info, _INTERFACES), _MOST)

    def _name(self, info: int) -> str:
        """Return the name of a class with its module."""
        length = min(self._word(info, _NAME), _MOST)
        data = read_memory(self.objects, self._word(info, _NAME + 1), 0, length) if length else b""
        return data.decode(errors="replace")

    def _word(self, address: int, number: int) -> int:
        address += number * self.word
        if not 0 <= address < 1 << 8 * self.word:
            raise Unavailable(f"Cannot access memory at address {address:#x}")
        data = read_memory(self.objects, address, 0, self.word)
        return int.from_bytes(data, self.objects.architecture.endian)


def _chain(struct_type: Struct) -> Iterator[Struct]:
    """Yield the base class of a class, that of this one, and so on."""
    for _ in range(_MOST):
        base = next((m.type for m in struct_type.members if m.is_base_class), None)
        bare = strip(base)
        if not isinstance(bare, Struct):
            return
        yield bare
        struct_type = bare


def _is_of_cplusplus(struct_type: Struct, word: int) -> bool:
    """Return whether a class is extern(C++): it is not derived from `Object`. A cast leaves the
    address of such references."""
    root = [struct_type, *_chain(struct_type)][-1]
    return _name(root) != "object.Object" and not _is_interface(root, word)


def _name(struct_type: Struct) -> str:
    """Return the name of a class with its module, as `TypeInfo_Class` has it."""
    return full_name(struct_type).replace("::", ".")
