"""Addresses of pointers as a program compares and subtracts them.

Two pointers may be to different address spaces: the addresses are then those of the space to which
the compiler converts them, of OpenCL and of clang (docs/spec-notes.md).
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.types import UNKNOWN_SPACE, Pointer, strip
from dwarfgpu.errors import EvaluationError
from dwarfgpu.language.dereference import require_known_space
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated

_DIFFERENT_SPACES: Final = "the pointers are to different address spaces"


@frozen
class PointerAddresses:
    """Addresses of pointers in the focus of a session."""

    objects: ObjectAccess

    def in_source(self, value: TypedValue) -> TypedValue:
        """Return a pointer to an object as the source has it, as generic; any other value as it
        is. `EvaluationError` if it has no such address."""
        bare = strip(value.type)
        if not isinstance(bare, Pointer) or bare.source_space is None:
            return value
        return self.objects.in_source(value) if self._is_evaluated else value

    def space_beside(self, pointer: TypedValue, other: TypedValue) -> int:
        """Return the address space that a pointer has beside another one: generic if that is,
        which one without an address space is not in OpenCL 1.x; `UNKNOWN_SPACE` where the version
        of OpenCL decides and is unknown."""
        space, to, bare = self._space_of(pointer), self._space_of(other), strip(other.type)
        assert isinstance(bare, Pointer)
        if to.name != "generic":
            return space.number
        if bare.address_space or bare.address_class:
            return to.number
        return self.objects.unqualified_space(space, pointer.unit or other.unit)

    def are_equal(self, left: TypedValue, right: TypedValue) -> bool:
        """Return whether two pointers are equal; `EvaluationError` where clang compares them
        otherwise than the standard."""
        if self._comparable(left) == self._comparable(right):
            return True
        if self._is_evaluated:
            space, to = self._space_of(left), self.space_beside(left, right)
            number, mask = self._number(right), (1 << space.address_bits) - 1
            if space.number != to and number & mask == self._number(left) and number:
                self._require_widening(left, right)
        return False

    def ordered(self, left: TypedValue, right: TypedValue) -> tuple[int, int]:
        """Return the addresses of two pointers as the program orders them: in the address space of
        the two, or as generic ones. `EvaluationError` if they have no order."""
        left_space, right_space = self._space_of(left), self._space_of(right)
        if left_space is not right_space and self._is_evaluated:
            left, right = self.in_source(left), self.in_source(right)
            left_space, right_space = self._space_of(left), self._space_of(right)
        x, y = self._number(left), self._number(right)
        if left_space is right_space or not self._is_evaluated:
            return x, y
        left_number, right_number = self.space_beside(left, right), self.space_beside(right, left)
        if UNKNOWN_SPACE in (left_number, right_number):
            kind = Pointer(None, source_space=UNKNOWN_SPACE)
            require_known_space(kind, left.unit or right.unit)
        if left_number == right_space.number:
            self._require_widening(left, right)
            return self.objects.in_space(x, left_space, right_space), y
        if right_number == left_space.number:
            return x, self.objects.in_space(y, right_space, left_space)
        raise EvaluationError(_DIFFERENT_SPACES)

    def subtracted(self, left: TypedValue, right: TypedValue) -> tuple[int, int]:
        """Return the addresses of two pointers as the program subtracts them: where they really
        are, or as generic ones. `EvaluationError` if they have no distance."""
        self._require_one_space(left, right)
        (left_number, a), (right_number, b) = self._resolved(left), self._resolved(right)
        if left_number == right_number:
            return a, b
        left, right = self.in_source(left), self.in_source(right)
        if {self._space_of(left).name, self._space_of(right).name} != {"generic"}:
            raise EvaluationError(_DIFFERENT_SPACES)
        return self._number(left), self._number(right)

    @property
    def _is_evaluated(self) -> bool:
        return not isinstance(self.objects, Unevaluated)

    def _number(self, pointer: TypedValue) -> int:
        return self.objects.known(pointer).value

    def _space_of(self, pointer: TypedValue) -> AddressSpace:
        bare = strip(pointer.type)
        assert isinstance(bare, Pointer)
        return self.objects.space_of(bare, pointer.unit)

    def _resolved(self, pointer: TypedValue) -> tuple[int, int]:
        """Return address space and address of a pointer, generic ones where they really are."""
        space, address = self.objects.resolved(self._space_of(pointer), self._number(pointer))
        return space.number, address

    def _comparable(self, pointer: TypedValue) -> tuple[int, int]:
        """Return address space and address of a pointer to compare: null of each space is null of
        the generic one, as which the program compares pointers to two spaces."""
        number, address = self._resolved(pointer)
        null = self.objects.architecture.address_space(number).null
        return (0, 0) if null and address == null else (number, address)

    def _require_widening(self, left: TypedValue, right: TypedValue) -> None:
        """Raise `EvaluationError` where a pointer to a named address space is compared with a
        generic one and clang converts that: in OpenCL C."""
        unit = left.unit or right.unit
        if unit is not None and unit.is_opencl and not unit.is_cplusplus:
            raise EvaluationError(
                f"in OpenCL C clang compares a pointer to {self._space_of(left)} and a generic one "
                "otherwise than the standard: cast the first, as in `(int *) p`"
            )

    def _require_one_space(self, left: TypedValue, right: TypedValue) -> None:
        """Raise `EvaluationError` for the difference of a pointer to a named address space and a
        generic one in OpenCL, which clang computes from their unconverted numbers."""
        unit = left.unit or right.unit
        if unit is None or not unit.is_opencl or not self._is_evaluated:
            return
        spaces = [self._space_of(self.in_source(pointer)) for pointer in (left, right)]
        if spaces[0] is not spaces[1] and "generic" in (space.name for space in spaces):
            named = spaces[spaces[0].name == "generic"]
            raise EvaluationError(
                f"clang subtracts a pointer to {named} and a generic one otherwise than the "
                "standard: cast the first, as in `(int *) p`"
            )
