"""Comparisons of strings, arrays and records by what they contain."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.type_sizes import size_bits, strides_of
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Member,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.errors import LimitExceeded, UsageError, counted
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.c_numbers import holds, not_comparable
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.plain_contents import compared_at_once
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits
from dwarfgpu.session.variants import variant_members

_DEEPEST: Final = 64
"""Levels of arrays and records in each other: those of programs are fewer."""


def strings_compared(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue, *, pads: bool
) -> bool | None:
    """Compare two strings; None for other operands.

    `pads`: the shorter one has blanks at its end (Fortran 2018 10.1.5.5.1), not in Ada (4.5.2).
    """
    if not (is_string(left.type) and is_string(right.type)):
        return None
    endian = objects.context.endian
    first, second = (objects.known(side).to_bytes(endian) for side in (left, right))
    size = max(len(first), len(second)) if pads else 0
    first, second = first.ljust(size), second.ljust(size)
    is_less, is_equal = first < second, first == second
    return {"==": is_equal, "!=": not is_equal, "<": is_less, "<=": is_less or is_equal,
            ">": not (is_less or is_equal), ">=": not is_less}[operator]  # fmt: skip


def have_parts(*operands: TypedValue) -> bool:
    """Return whether one of the operands is an array or a record."""
    return any(isinstance(strip(operand.type), Array | Struct) for operand in operands)


def arrays_compared(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two arrays by `==` and `!=`; None for other operands."""
    if any(not isinstance(strip(side.type), Array) for side in (left, right)):
        return None
    if operator not in ("==", "!="):
        raise not_comparable(operator)
    return Comparison(arithmetic, pads=False).holds(operator, left, right)


def arrays_ordered(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two arrays of integers or characters by `<` and its like: by the first elements that
    differ, and by their lengths where none do; None for other operands and operators."""
    first, second = strip(left.type), strip(right.type)
    if operator in ("==", "!=") or not (isinstance(first, Array) and isinstance(second, Array)):
        return None
    if not _are_ordered(first, second):
        return None
    objects = arithmetic.objects
    if isinstance(objects, Unevaluated):
        return False
    sides = []
    for side, bare in ((left, first), (right, second)):
        count, lower = bare.dimensions[0], bare.lower_bound or 0
        if count is None:
            raise UsageError("The number of the array's elements is unknown.")
        objects.check_parts(count)
        elements = (objects.element(side, lower + index) for index in range(count))
        sides.append([arithmetic.number(element).value.integer for element in elements])
    return holds(operator, (sides[0] > sides[1]) - (sides[0] < sides[1]))


def _are_ordered(*arrays: Array) -> bool:
    """Return whether arrays have elements of one integer or character type."""
    kinds = [strip(array.element) for array in arrays if len(array.dimensions) == 1]
    bases = [kind.base for kind in kinds if isinstance(kind, Base)]
    if len(bases) != len(arrays) or len({base.bit_size for base in bases}) > 1:
        return False
    encodings = {base.encoding for base in bases}
    is_one = len(encodings) == 1 and encodings <= {"signed", "unsigned"}
    return is_one or encodings <= CHARACTERS


class Comparison:
    """One comparison of two objects by their contents."""

    def __init__(self, arithmetic: Arithmetic, *, pads: bool) -> None:
        self.arithmetic = arithmetic
        self.pads = pads
        """Whether the shorter of two strings has blanks at its end."""

    def holds(self, operator: str, left: TypedValue, right: TypedValue) -> bool:
        """Return whether they are equal, or different for `!=`; False where only the type of the
        result is wanted."""
        if isinstance(self.arithmetic.objects, Unevaluated):
            return False
        return self._is_same(left, right) == (operator == "==")

    def _is_same(self, left: TypedValue, right: TypedValue, depth: int = 0) -> bool:
        if depth > _DEEPEST:
            raise LimitExceeded(f"a comparison of more than {_DEEPEST} levels")
        first, second = strip(left.type), strip(right.type)
        if isinstance(first, Array) and isinstance(second, Array):
            return self._same_arrays(left, right, depth)
        if isinstance(first, Struct) and isinstance(second, Struct):
            return self._same_records(left, right, depth)
        if isinstance(first, Array | Struct) or isinstance(second, Array | Struct):
            raise not_comparable("==")
        if all(isinstance(side, Unspecified) and side.size_bytes == 0 for side in (first, second)):
            return True  # `()` of Rust
        if left.bit_size == right.bit_size and _as_bits(first, second):
            objects = self.arithmetic.objects
            return objects.known(left).value == objects.known(right).value
        return self.arithmetic.compared("==", left, right)

    def _same_arrays(self, left: TypedValue, right: TypedValue, depth: int) -> bool:
        objects, first, second = self.arithmetic.objects, strip(left.type), strip(right.type)
        assert isinstance(first, Array) and isinstance(second, Array)
        if self.pads and is_string(first) and is_string(second):
            return bool(strings_compared(objects, "==", left, right, pads=True))
        if None in first.dimensions or None in second.dimensions:
            raise UsageError("The number of the array's elements is unknown.")
        if first.dimensions != second.dimensions:
            return False
        has_bits = size_bits(first.element) != 0 or first.element is not second.element
        if 0 in first.dimensions or not has_bits:  # as null records of Ada
            return True
        size = _without_gaps(first, second)
        if size and _as_bits(first.element, second.element):
            endian = objects.context.endian
            known = [objects.known(side) for side in (left, right)]
            if any(bits.size_bits < size for bits in known):  # their first elements were read
                raise LimitExceeded(f"a comparison of arrays of {counted(size // 8, 'byte')}")
            contents = [bits.slice(0, size, endian) for bits in known]
            return contents[0].value == contents[1].value
        at_once = compared_at_once(objects, left, right, size) if size else None
        if at_once is not None:
            return at_once
        starts = first.lower_bound or 0, second.lower_bound or 0
        return all(
            self._is_same(
                objects.element(left, starts[0] + number),
                objects.element(right, starts[1] + number),
                depth + 1,
            )
            for number in range(first.dimensions[0] or 0)
        )

    def _same_records(self, left: TypedValue, right: TypedValue, depth: int) -> bool:
        objects, first, second = self.arithmetic.objects, strip(left.type), strip(right.type)
        assert isinstance(first, Struct) and isinstance(second, Struct)
        if [member.name for member in first.members] != [member.name for member in second.members]:
            raise not_comparable("==")
        if "union" in (first.kind, second.kind):  # no component says which one it has
            return objects.known(left).value == objects.known(right).value
        pairs = zip_longest(self._components(left), self._components(right))
        return all(
            one is not None
            and other is not None
            and one.name == other.name
            and self._is_same(objects.step(left, one), objects.step(right, other), depth + 1)
            for one, other in pairs
        )

    def _components(self, value: TypedValue) -> Iterator[Member]:
        """Yield the components of a record, those of its variants last."""
        objects, bare = self.arithmetic.objects, strip(value.type)
        assert isinstance(bare, Struct)

        def read(discriminant: Member) -> Bits:
            return objects.known(objects.step(value, discriminant))

        for member in bare.members:
            is_padding = member.name is None and member.bit_size is not None
            if not member.is_static and not is_padding:
                yield member
        for part in variant_members(bare.declared.variant_parts, read):
            if not isinstance(part, Member):
                raise part
            yield part


def _as_bits(first: Type | None, second: Type | None) -> bool:
    """Return whether values of two types are equal if and only if their bits are: not -0.0 and 0.0,
    nor a synthetic pointer."""
    one, two = strip(first), strip(second)
    if isinstance(one, Base) and isinstance(two, Base):
        has_format = one.base.float_format is not None or "float" in one.base.encoding
        return one.base == two.base and not has_format and one.base.vector_size is None
    return isinstance(one, Enum) and isinstance(two, Enum) and one.value_bits == two.value_bits


def _without_gaps(*arrays: Array) -> int | None:
    """Return the size in bits of two arrays whose elements are one behind the other, if they have
    the same; None for others."""
    sizes = set()
    for array in arrays:
        own, count = size_bits(array.element), 1
        expected = []
        for dimension in reversed(array.dimensions):
            expected.append((own or 0) * count)
            count *= dimension or 0
        if not own or strides_of(array) != tuple(reversed(expected)):
            return None
        sizes.add(own * count)
    return sizes.pop() if len(sizes) == 1 else None
