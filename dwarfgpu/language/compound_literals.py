"""Compound literals of C: `(struct point){3, 4}`, `(int[]){1, 2, 3}` (C 6.5.2.5, 6.7.9).

Their objects are values that are nowhere in memory. What has no initializer is zero, and a
pointer null. They are as large as an object that is read, at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from dwarfgpu.dwarf.types.type_sizes import element_type, extent_bits, member_error, size_bits
from dwarfgpu.dwarf.types.types import Array, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.declarators import array_of
from dwarfgpu.language.name_resolution import Typed
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits

Evaluate: TypeAlias = Callable[[ast.Node, Type | None], TypedValue]
"""Returns the value of an initializer of an object of a type."""


def literal(
    arithmetic: Arithmetic, evaluate: Evaluate, elements: ast.Elements | ast.String, to: Typed
) -> TypedValue:
    """Return the object of a list of initializers, or of a string for an array of characters;
    `UsageError` for an initializer that does not fit its type, and `LimitExceeded` for an object
    that is too large."""
    bare = strip(to.type)
    if isinstance(bare, Array) and bare.dimensions[:1] == (None,):
        count = (
            len(elements.codes) + 1  # with its NUL
            if isinstance(elements, ast.String)
            else len(elements.elements)
        )
        bare = strip(array_of(bare.element, count))
    arithmetic.objects.check_size(size_bits(bare) or 0)
    bits = _Bits(arithmetic, evaluate, to).of(elements, bare)
    kind = bare if isinstance(bare, Array) else to.type
    if isinstance(arithmetic.objects, Unevaluated):
        return TypedValue(kind, UNDEFINED_LOCATION, unit=to.unit)
    return TypedValue(kind, bits=bits, unit=to.unit)


class _Bits:
    """The bits of objects that lists initialize."""

    def __init__(self, arithmetic: Arithmetic, evaluate: Evaluate, to: Typed) -> None:
        self._arithmetic, self._evaluate, self._to = arithmetic, evaluate, to

    def of(self, node: ast.Node, type_: Type | None) -> Bits:
        """Return the bits of an object of a type, as an initializer gives them."""
        self._arithmetic.objects.count_parts(1)
        bare = strip(type_)
        if isinstance(node, ast.String) and isinstance(bare, Array):
            return self._characters(node, bare)
        if not isinstance(node, ast.Elements):
            value = self._arithmetic.assigned(self._evaluate(node, type_), type_, self._to.unit)
            return self._arithmetic.objects.known(value)
        if isinstance(bare, Struct) and not bare.is_declaration:
            return self._struct(node.elements * node.repeats, bare)
        if isinstance(bare, Array):
            return self._array(node.elements * node.repeats, bare)
        raise UsageError("A list of initializers needs a structure or an array.")

    def _struct(self, elements: tuple[ast.Node, ...], struct_type: Struct) -> Bits:
        members = [member for member in struct_type.members if not member.is_static]
        if any(member.is_base_class or member.bit_offset is None for member in members):
            raise UsageError("A list of initializers needs a structure without base classes.")
        if len(elements) > len(members[:1] if struct_type.kind == "union" else members):
            raise UsageError("too many initializers")
        parts = [
            (member.bit_offset or 0, self._member(node, struct_type, member))
            for node, member in zip(elements, members, strict=False)
        ]
        return self._joined(
            struct_type, parts + self._nulls_of(members[len(elements) :], struct_type)
        )

    def _nulls(self, type_: Type | None) -> Bits:
        """Return the bits of an object without an initializer: null of a pointer may not be 0."""
        self._arithmetic.objects.count_parts(1)
        bare = strip(type_)
        whole_bits = size_bits(bare)
        if whole_bits is None:
            return Bits(0, 0)
        if isinstance(bare, Pointer):
            return Bits(self._arithmetic.objects.null_of(bare, self._to.unit), whole_bits)
        if isinstance(bare, Struct) and not bare.is_declaration:
            return self._joined(bare, self._nulls_of(bare.members, bare))
        if isinstance(bare, Array):
            return self._array((), bare)
        return Bits(0, whole_bits)

    def _nulls_of(self, members: Sequence[Member], struct_type: Struct) -> list[tuple[int, Bits]]:
        if struct_type.kind == "union":
            return []
        return [
            (member.bit_offset, bits)
            for member in members
            if member.bit_offset is not None and not member.is_static
            if (bits := self._nulls(member.type)).value
        ]

    def _member(self, node: ast.Node, struct_type: Struct, member: Member) -> Bits:
        error = member_error(struct_type, member, extent_bits(member))
        if error is not None:
            raise error
        bits = self.of(node, member.type)
        if member.bit_size is None:
            return bits
        return Bits(bits.value & (1 << member.bit_size) - 1, member.bit_size)

    def _array(self, elements: tuple[ast.Node, ...], array_type: Array) -> Bits:
        if len(elements) > (array_type.dimensions[0] or 0):
            raise UsageError("Too many array elements")
        kind = element_type(array_type)
        stride = size_bits(kind) or 0
        parts = [(index * stride, self.of(node, kind)) for index, node in enumerate(elements)]
        null = self._nulls(kind)
        rest_bits = (size_bits(array_type) or 0) - len(elements) * stride
        if null.value and rest_bits > 0:
            repeated = null.value.to_bytes(stride // 8, "little") * (rest_bits // stride)
            rest = Bits(int.from_bytes(repeated, "little"), rest_bits)
            parts.append((len(elements) * stride, rest))
        return self._joined(array_type, parts)

    def _characters(self, node: ast.String, array_type: Array) -> Bits:
        """Return the bits of an array of characters that a string initializes, with its NUL."""
        string = self._evaluate(node, None)
        own = strip(string.type)
        assert isinstance(own, Array)
        if (
            size_bits(own.element) != size_bits(array_type.element)
            or len(array_type.dimensions) > 1
        ):
            raise UsageError("Invalid cast.")
        if (own.dimensions[0] or 0) > (array_type.dimensions[0] or 0):
            raise UsageError("Too many array elements")
        return self._joined(array_type, [(0, self._arithmetic.objects.known(string))])

    def _joined(self, type_: Type, parts: list[tuple[int, Bits]]) -> Bits:
        whole_bits = size_bits(type_)
        if whole_bits is None:
            raise UsageError("The type is incomplete: its size is not known.")
        if isinstance(self._arithmetic.objects, Unevaluated):
            return Bits(0, whole_bits)
        is_little = self._arithmetic.objects.context.endian == "little"
        number = 0
        for first_bit, bits in parts:
            shift = first_bit if is_little else whole_bits - first_bit - bits.size_bits
            number |= bits.value << shift
        return Bits(number, whole_bits)
