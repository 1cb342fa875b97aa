"""Elements and slices: `x[1]`, and `x[1 .. 3]` of D, Go and Rust."""

from __future__ import annotations

from dwarfgpu.dwarf.types.type_sizes import strides_of
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Pointer,
    Struct,
    declared_name,
    may_be_dynamic_array,
    strip,
)
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import is_number
from dwarfgpu.language.array_expressions import indexed_array, require_element
from dwarfgpu.language.library_operators import container_element
from dwarfgpu.language.operations import Operations
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.storage import Memory


class ElementAccess(Operations):
    """What an index or a slice of an object is in one focus."""

    def element(self, node: ast.Index) -> TypedValue:
        value = self.object(node.operand)
        index = self.own.index(node.index)
        if is_number(value.type) and not is_number(index.type):
            value, index = index, value
        bare = strip(value.type)
        if isinstance(bare, Pointer) and self.language.is_go:
            from dwarfgpu.language.go.slices_and_strings import require_no_map  # few programs

            require_no_map(bare)
        if isinstance(bare, Pointer):
            value = indexed_array(self.objects, value, self.names.current_unit or value.unit)
            bare = strip(value.type)
        if isinstance(bare, Pointer):
            if self.language.is_pascal:
                index = self._distance(value, index)
            pointed = self.objects.dereferenced(self.arithmetic.binary("+", value, index))
            if isinstance(self.objects, Unevaluated):
                return self.objects.element_of_pointer(value, pointed)
            return pointed
        is_vector = isinstance(bare, Base) and bare.base.vector_size is not None
        form = bare.form if isinstance(bare, Dynamic) else bare
        element = container_element(self.objects, self.arithmetic, value, index)
        if element is not None:
            return element
        if self.language.is_pascal and isinstance(bare, Struct):
            from dwarfgpu.language.pascal.short_string_elements import (
                element_of_record,  # few programs
            )

            element = element_of_record(self.objects, value, self._index_number(index))
            if element is not None:
                return element
        result = self.operator_result("[]", value, index)
        if result is not None:
            return result
        if isinstance(bare, Struct) and may_be_dynamic_array(bare):
            from dwarfgpu.language.dynamic_indexing import array_of  # few programs have them

            value = array_of(self.objects, value)
            bare = form = strip(value.type)
        if isinstance(bare, Struct) and self.language.is_go:
            from dwarfgpu.language.go.slices_and_strings import (
                array_of as array_in_go,  # few programs
            )

            value = array_in_go(self.objects, value)
            bare = form = strip(value.type)
        self.refuse_overloaded("[]", value)
        if not isinstance(form, Array | Absent) and not is_vector:
            spelled = "void" if value.type is None else declared_name(bare)
            if spelled is None:
                raise UsageError("cannot subscript requested type")
            if isinstance(bare, Struct | Enum):
                spelled = f"{bare.scope}{spelled}"
            raise UsageError(f"cannot subscript something of type `{spelled}'")
        number = self._index_number(index)
        if isinstance(bare, Array) and bare.is_short_string:
            from dwarfgpu.language.pascal.short_string_elements import why_uncertain  # few programs

            doubt = why_uncertain(bare, number)
            if doubt is not None and not isinstance(self.objects, Unevaluated):
                self.report(doubt)
        elif self.has_bounds(value) and not isinstance(self.objects, Unevaluated):
            require_element(value, number)
        if isinstance(bare, Array) and self._is_outside(value, bare, number):
            return self._beyond_space(self.arithmetic.binary("+", value, index))
        return self.objects.element(value, number)

    def _beyond_space(self, pointer: TypedValue) -> TypedValue:
        """Return the object at a generic address; `EvaluationError` for one in an aperture, whose
        address in the program is not that of any object there."""
        bare = strip(pointer.type)
        assert isinstance(bare, Pointer)
        address = self.objects.known(pointer).value
        space, _ = self.objects.resolved(self.objects.space_of(bare, pointer.unit), address)
        if space.number:
            raise EvaluationError(
                f"the element is at the generic address {address:#x}, where {space} has no memory"
            )
        return self.objects.dereferenced(pointer)

    def _is_outside(self, value: TypedValue, array: Array, number: int) -> bool:
        """Return whether an element is outside the address space of an array to which the source
        has generic pointers: `x[-1]` is `*(x - 1)`, which is computed with those."""
        single = single_location_in(value.location)
        if single is None or single.byte_address is None or isinstance(self.objects, Unevaluated):
            return False
        if not isinstance(single.storage, Memory) or not single.storage.space.number:
            return False
        space, strides = single.storage.space, strides_of(array)
        if strides is None or array.lower_bound != 0 or array.is_vector:
            return False
        address = single.byte_address + number * strides[0] // 8
        is_inside = 0 <= address < space.end
        return not is_inside and self.objects.source_space(value, space) != space.number

    def _distance(self, pointer: TypedValue, index: TypedValue) -> TypedValue:
        """Return how many objects after the first one that a pointer of Pascal points to an index
        is; `UsageError` for one before the first character of a string."""
        from dwarfgpu.language.pascal.allocated_strings import first_character  # few programs

        first = first_character(pointer)
        if not first:
            return index
        number = self._index_number(index) - first
        if number < 0 and not isinstance(self.objects, Unevaluated):
            raise UsageError("no such vector element")
        return self.arithmetic.value(self.arithmetic.numbers.integer(number))

    def _index_number(self, index: TypedValue) -> int:
        number = self.arithmetic.number(index)
        if number.is_float:
            raise UsageError("Argument to subscript operation is not an integer.")
        return number.value.integer

    def slice(self, operand: ast.Node, bounds: ast.Slice) -> TypedValue:
        """Return a slice, whose bounds are evaluated even where only its type is wanted."""
        from dwarfgpu.language.dynamic_indexing import sliced_elements  # few programs have slices

        counting = self.counting()
        low, high, limit = (
            None if bound is None else counting._index_number(counting.own.index(bound))
            for bound in (bounds.low, bounds.high, bounds.limit)
        )
        high = None if high is None else high + bounds.has_last
        value = indexed_array(self.objects, self.object(operand), self.names.current_unit)
        own = self.own.slice(value, low or 0, high, limit)
        return sliced_elements(self.objects, value, low or 0, high) if own is None else own
