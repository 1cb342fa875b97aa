"""Members of objects: `.`, `->`, `.*` and `->*`, and the member functions that they name."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from functools import partial
from typing import Final, Self

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.fortran_ada import ada_name, class_data, tagged_records
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.scope_entries import code_ranges
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import element_type
from dwarfgpu.dwarf.types.types import Array, Dynamic, Member, Pointer, Struct, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.class_operators import NO_CALLS, has_method, refuse_arrow, spelled_method
from dwarfgpu.language.complexes import complex_part, is_complex
from dwarfgpu.language.dereference import GENERIC_POINTER
from dwarfgpu.language.library_operators import smart_pointee
from dwarfgpu.language.member_lookup import member_meant, no_member, path_to, spelled_member
from dwarfgpu.language.member_pointers import pointed
from dwarfgpu.language.named_values import NamedValues
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.vectors import components, is_vector
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits
from dwarfgpu.session.variants import declared_members, is_of_rust, variant_members

_PARTS: Final = ("re", "im")
"""Of a complex number of Fortran (Fortran 2018 9.4.4)."""
_MAX_STEPS: Final = 8
"""Pointers and arrays that a member access follows."""


class MemberAccess(NamedValues):
    """What member accesses mean in one focus."""

    def member_of(self, value: TypedValue, node: ast.Access, *, is_called: bool) -> TypedValue:
        """Return a member of an object: `.` and `->` are one here, as in GDB: pointers are
        followed, structures are not."""
        value = self._structure(value, node)
        bare, name = strip(value.type), node.name
        path = self.path_in(bare, name) if isinstance(bare, Struct) else None
        if isinstance(bare, Struct) and self.language.is_caseless and path is None:
            name = spelled_member(bare, name) if self.language.is_pascal else name.lower()
            path = self.path_in(bare, name)
        if isinstance(bare, Struct) and path is None:
            if self.language.is_go:
                from dwarfgpu.language.go.slices_and_strings import promoted_field  # few programs

                promoted = promoted_field(self.objects, value, name)
                if promoted is not None:
                    return promoted
            if _has_variants(bare):
                varying = self._variant_member(self._selecting(value, node), bare, name)
                if varying is not None:
                    return varying
            if self.language.is_ada and isinstance(self.objects, Unevaluated):
                # GDB has other words there.
                raise UsageError(f"Type {ada_name(bare)} has no component named {name}")
            if self.language.is_fortran:
                # `::` is not of the language, so that no name is looked up.
                if (data := class_data(bare)) is not None and path_to(data[1], name) is not None:
                    whole = self.objects.step(value, data[0])
                    return self.member_of(self.objects.dereferenced(whole), node, is_called=False)
                raise no_member(bare, node.name)
            variable = self._class_variable(bare, name) if self.language.is_pascal else None
            if variable is not None:
                return variable
            return self._of_class(value, bare, name, is_called=is_called)
        if self.language.is_fortran and is_complex(bare) and name.lower() in _PARTS:
            return complex_part(self.objects, value, _PARTS.index(name.lower()))
        if is_vector(bare):
            component = components(
                self.objects, value, node.name, is_opencl=self.language.is_opencl
            )
            if component is not None:
                return component
        if path is None:
            return self.objects.member(value, name)
        if any(is_dynamic(step.type) for step in path):
            value = self._placed(value, node)
        member = self.objects.along(value, path)
        if self.language.is_fortran and isinstance(bare, Struct):
            return self._with_length(member, value, node, bare, name)
        return member

    def _with_length(
        self,
        member: TypedValue,
        value: TypedValue,
        node: ast.Access,
        struct_type: Struct,
        name: str,
    ) -> TypedValue:
        """Return a component that is a string of deferred length with that; any other one as it
        is."""
        from dwarfgpu.language.fortran.deferred_lengths import (  # few programs
            path_to_length,
            with_length,
        )

        path = path_to_length(struct_type, name)
        if path is None:
            return member
        return with_length(self.counting(), member, partial(self._selecting, value, node), path)

    @abstractmethod
    def counting(self) -> Self:
        """Return what evaluates that on which a type depends."""

    @abstractmethod
    def object(self, node: ast.Node) -> TypedValue:
        """Return the value of an operand; for a reference, its target."""

    def _selecting(self, value: TypedValue, node: ast.Access) -> TypedValue:
        """Return the structure whose discriminant selects its members: the real one, also where
        only the type is wanted, and elements and pointees are not followed."""
        if not isinstance(self.objects, Unevaluated):
            return value
        counting = self.counting()
        return counting._structure(counting.object(node.operand), node)

    def _placed(self, value: TypedValue, node: ast.Access) -> TypedValue:
        """Return the structure whose descriptor determines the type of its member, as `p%a` of
        Fortran: the real one, if it has a place."""
        placed = self._selecting(value, node)
        return value if placed.location is None else placed

    def _structure(self, value: TypedValue, node: ast.Access) -> TypedValue:
        """Return the structure whose member is accessed; any other value of an object as it is."""
        bare = strip(value.type)
        pointee = smart_pointee(self.objects, value, "->") if node.is_arrow else None
        if pointee is not None:
            value = pointee
            bare = strip(value.type)
        elif node.is_arrow:
            result = self.operator_result("->", value)
            if result is not None and isinstance(strip(result.type), Pointer):
                return self._structure(result, node)
            refuse_arrow(value)
            if self.options.real_types and isinstance(bare, Pointer):
                from dwarfgpu.language.real_types import real_pointer  # a setting, seldom on

                value = real_pointer(self.objects, value)
                bare = strip(value.type)
        if self.language.is_fortran and isinstance(bare, Array):
            raise UsageError("Attempt to extract a component of a value that is not a structure.")
        if (structure := self._structure_at(value)) is not None:
            return structure
        if node.is_arrow and not isinstance(bare, Struct):
            if isinstance(bare, Pointer) and strip(bare.target) is None:
                raise UsageError(GENERIC_POINTER)
            raise UsageError(
                "Attempt to extract a component of a value that is not a structure pointer."
            )
        if isinstance(bare, Dynamic) and isinstance(bare.form, Struct):
            return evolve(value, type=bare.form)  # of an object that is nowhere, so of any size
        return value

    def _structure_at(self, value: TypedValue) -> TypedValue | None:
        """Return the structure to which pointers and arrays lead, as in GDB; None if they lead to
        no structure, or the value is one."""
        end, steps = strip(value.type), 0
        while isinstance(end, Pointer | Array) and steps < _MAX_STEPS:
            end = strip(end.target if isinstance(end, Pointer) else element_type(end))
            steps += 1
        end = end.form if isinstance(end, Dynamic) else end
        if not steps or not isinstance(end, Struct):
            return None
        for _ in range(steps):
            bare = strip(value.type)
            if isinstance(bare, Array):
                value = self.objects.element(value, bare.lower_bound or 0)
            else:
                value = self.objects.dereferenced(value)
        return value

    def _variant_member(
        self, value: TypedValue, struct_type: Struct, name: str
    ) -> TypedValue | None:
        """Return the member of a name that the variants of this object have, or of the parents of a
        tagged type of Ada; None if they have none."""
        steps: list[Member] = []
        for record, _ in tagged_records(struct_type):
            if record.declared.variant_parts:
                part = value
                for step in steps:
                    part = self.objects.step(part, step)
                if (member := self._own_variant_member(part, record, name)) is not None:
                    return member
            steps += record.members[:1]  # which has the components of the parent, if there is one
        return None

    def _own_variant_member(
        self, value: TypedValue, struct_type: Struct, name: str
    ) -> TypedValue | None:
        """Return the member of a name that the variants of the record itself have, or in Rust a
        field of its variant, as in GDB.

        Raises what hides the discriminant: it selects the type of the member, too. Where only the
        type of a component of Ada is wanted, that is known: no two have the same name.
        """
        objects, hidden = ObjectAccess(self.session), []

        def read(discriminant: Member) -> Bits:
            part = objects.read(objects.step(value, discriminant))
            if part.error is not None:
                raise part.error
            return part.bits or Bits(0, 0)

        parts, chosen = struct_type.declared.variant_parts, list[Member]()
        for member in variant_members(parts, read):
            if not isinstance(member, Member):
                hidden.append(member)
            elif member.name == name:
                return self.objects.step(value, member)
            else:
                chosen.append(member)
        if hidden and isinstance(self.objects, Unevaluated):
            named = [member for member in declared_members(parts) if member.name == name]
            if len(named) == 1 and not is_dynamic(named[0].type):
                return evolve(
                    self.objects.unlocated_part(value, named[0].type), location=UNDEFINED_LOCATION
                )
        if hidden:
            raise hidden[0]
        if not all(map(is_of_rust, parts)):
            return None
        for member in chosen:
            fields = strip(member.type)
            if isinstance(fields, Struct) and path_to(fields, name) is not None:
                return self.objects.member(self.objects.step(value, member), name)
        if chosen and not has_method(struct_type, name):
            variant = f"the value is the variant {chosen[0].name}"
            raise UsageError(f"There is no member named {name}: {variant}.")
        return None

    def _class_variable(self, struct_type: Struct, name: str) -> TypedValue | None:
        """Return the class variable of Pascal that a class has."""
        from dwarfgpu.language.pascal.units import class_variable  # few programs

        variable = class_variable(self.names, struct_type, name)
        return None if variable is None else self.objects.variable(variable)

    def _of_class(
        self, value: TypedValue, struct_type: Struct, name: str, *, is_called: bool
    ) -> TypedValue:
        """Return what a name of a member means that is no data of an object: a member function, an
        enumerator, an instance of a static member template. `UsageError` for anything else."""
        scope, simple = split_last(name)
        if self.language.is_pascal:
            simple = spelled_method(struct_type, simple)
        naming = self.naming_class(struct_type, name) if scope else struct_type
        if naming is not None:
            member_meant(struct_type, simple, naming)  # an error for an ambiguous one
        elif (constant := self._scoped_enumerator(struct_type, name)) is not None:
            return constant
        if naming is not None:
            meanings = self.names.in_class(naming, simple, value.unit)
        else:
            is_known = self._is_in_class(struct_type, scope)
            meanings = () if is_known else self.names.meaning(name)
            if is_known or not struct_type.is_declaration:
                raise UsageError(f"There is no field named {simple}")
        first = next(iter(meanings), None)
        if isinstance(first, Variable):
            return self.objects.variable(first)
        if isinstance(first, Die) and first.tag == dw.TAG_ENUMERATOR:
            return self._enumerator(*self.names.enumerator(first), first.unit)
        dies = [die for die in meanings if isinstance(die, Die) and die.tag == dw.TAG_SUBPROGRAM]
        if not dies and naming is struct_type and has_method(struct_type, simple):
            dies = self.names.inherited_constructors(struct_type, simple)
        has_code = any(code_ranges(die) for die in dies)
        if is_called and not has_code and (dies or has_method(struct_type, simple)):
            raise Unsupported(NO_CALLS)
        if not has_code and (dies or (not scope and has_method(struct_type, simple))):
            raise UsageError(f"Cannot take address of method {simple}.")
        if dies:
            return self._function(simple, dies, is_called=is_called)
        if scope:
            raise UsageError(f"There is no field named {simple}")
        raise no_member(struct_type, name)

    def _is_in_class(self, struct_type: Struct, scope: str) -> bool:
        """Return whether what is before `::` means anything in the class of an object, as a nested
        class, which is none of the object's (C++ [basic.lookup.classref])."""
        with suppress(UsageError):
            return not scope.startswith("::") and bool(self.names.in_class(struct_type, scope))
        return False

    def _scoped_enumerator(self, struct_type: Struct, name: str) -> TypedValue | None:
        """Return the enumerator of a name that begins with an enumeration of a class, or with one
        of its base classes: `o.Colour::red`; None for any other name."""
        with suppress(UsageError):
            first, *_ = self.names.in_class(struct_type, name) or (None,)
            if isinstance(first, Die) and first.tag == dw.TAG_ENUMERATOR:
                return self._enumerator(*self.names.enumerator(first), first.unit)
        return None

    def pointed_by(self, value: TypedValue, member: TypedValue) -> TypedValue:
        """Evaluate `.*` and `->*`, which are one here, as `.` and `->` are."""
        bare = strip(value.type)
        if isinstance(bare, Pointer) and isinstance(strip(bare.target), Struct):
            value = self.objects.dereferenced(value)
        return pointed(self.objects, value, member)


def _has_variants(struct_type: Struct) -> bool:
    """Return whether a discriminant selects members of a record, or of one from which it is
    derived."""
    return any(record.declared.variant_parts for record, _ in tagged_records(struct_type))
