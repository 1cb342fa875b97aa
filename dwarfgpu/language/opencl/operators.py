"""Operators of OpenCL C on vectors (OpenCL C 6.3), and its null pointer constants."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import (
    UNKNOWN_SPACE,
    Array,
    Base,
    Enum,
    Pointer,
    Struct,
    Type,
    denoted,
    strip,
)
from dwarfgpu.errors import EvaluationError
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_integer
from dwarfgpu.language.conditional import (
    Arm,
    conditional,
    conditional_by_element,
    is_null_constant,
    is_to_void,
    require_condition,
)
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.vectors import assigned, is_vector, negated, related, shift_count
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf_structures import SHF_WRITE, Section


class OpenCLOperators(LanguageOperators):
    def becoming(
        self, node: ast.Node, type_: Type | None, *, is_assigned: bool
    ) -> TypedValue | None:
        return self._null(node, type_)

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        if node.operator not in COMPARISONS:
            return left, right
        left_null, right_null = self._null(node.left, right.type), self._null(node.right, left.type)
        if left_null is not None:
            return left_null, right
        return left, right if right_null is None else right_null

    def _null(self, node: ast.Node, type_: Type | None) -> TypedValue | None:
        """Return a null pointer constant beside a pointer as null of its type, which is not 0 in
        LDS and private memory, and beside an array as generic null."""
        generic = self.objects.architecture.address_space_named("generic")
        bare = strip(type_)
        if generic is None or not isinstance(bare, Pointer | Array) or is_vector(bare):
            return None
        unit = self.evaluation.names.current_unit
        null = self.objects.pointer(None, generic, 0, unit)
        if isinstance(bare, Array):
            return null if self._is_null_constant(node, is_zero=True) else None
        is_zero = not self.objects.space_of(bare, unit).null
        if not self._is_null_constant(node, is_zero=is_zero):
            return None
        self.objects.null_of(bare, unit)  # where it is unknown, that is the error
        if bare.is_unqualified:
            type_ = evolve(bare, is_unqualified=False)
        return evolve(self.arithmetic.cast(null, type_), unit=unit)

    def _is_null_constant(self, node: ast.Node, *, is_zero: bool) -> bool:
        """Return whether a tree is a null pointer constant: in OpenCL C an integer constant
        expression that is 0, also as `void *` (C 6.3.2.3); in C++ for OpenCL a literal.

        `EvaluationError` where that depends on the initializer of a variable, unless `is_zero`:
        null is the address 0.
        """
        if self.evaluation.language.is_cplusplus:
            return isinstance(node, ast.Integer) and not node.number
        if is_null_constant(node):
            return True
        if is_to_void(node):
            node = node.operand
        doubtful: list[str] = []
        if not self._is_constant(node, doubtful):
            return False
        if self.arithmetic.truth(self.evaluation.object(node)):
            return False
        if doubtful and not (is_zero or isinstance(self.objects, Unevaluated)):
            raise EvaluationError(
                f"whether this 0 is null depends on the initializer of {doubtful[0]}, a constant "
                "or not, which is unknown: write 0"
            )
        return True

    def _is_constant(self, node: ast.Node, doubtful: list[str]) -> bool:
        """Return whether a tree is an integer constant expression (C 6.6), with what clang takes
        for constants, too: variables that cannot change, if a constant initializes them.

        The names of those whose initializer is unknown are added to `doubtful`.
        """
        match node:
            case ast.Integer() | ast.Character() | ast.SizeOf() | ast.Unary(operator="sizeof"):
                return True
            case ast.Unary(operator="+" | "-" | "~" | "!"):
                return self._is_constant(node.operand, doubtful)
            case ast.Binary(operator=operator) if operator not in (",", "@"):
                sides = node.left, node.right
                return all(self._is_constant(side, doubtful) for side in sides)
            case ast.Conditional():
                parts = node.condition, node.yes, node.no
                return all(self._is_constant(part, doubtful) for part in parts)
            case ast.Cast(is_memory=False):
                is_number = isinstance(node.operand, ast.Floating) or self._is_constant(
                    node.operand, doubtful
                )
                return is_number and self._is_of_integers(node)
            case ast.Name():
                return self._is_constant_name(node, doubtful)
            case _:
                return False

    def _is_constant_name(self, node: ast.Name, doubtful: list[str]) -> bool:
        """Return whether a name is an enumerator, or a variable that cannot change."""
        (meaning,) = self.evaluation.names.meaning(node.name)[:1] or (None,)
        if isinstance(meaning, Die):
            return meaning.tag == dw.TAG_ENUMERATOR
        if meaning is None or meaning.kind == "parameter":
            return False
        known, bare = denoted(meaning.type), strip(meaning.type)
        if "volatile" in known.qualifiers or not isinstance(bare, Base | Enum):
            return False
        section = self._section_of(node, meaning)
        if section is not None:  # a constant must initialize it
            return not section.flags & SHF_WRITE
        if "const" not in known.qualifiers:
            return False
        doubtful.append(node.name)
        return True

    def _section_of(self, node: ast.Name, variable: Variable) -> Section | None:
        """Return the section of a file that has a variable; None for one that is in none."""
        location = self.evaluation.object(node).location
        single = None if location is None else location.single_locations[0]
        address = None if single is None else single.byte_address
        if single is None or address is None or not isinstance(single.storage, Memory):
            return None
        if single.storage.space.number:
            return None
        program, mask = variable.unit.sections.program, variable.unit.address_mask
        sections = program.loaded.sections_at(address - program.load_address & mask)
        return sections[0] if sections else None

    def _is_of_integers(self, node: ast.Node) -> bool:
        type_ = self.evaluation.unread().object(node).type
        return is_integer(type_) or is_boolean(type_) or isinstance(strip(type_), Enum)

    def unary(self, operator: str, value: TypedValue) -> TypedValue | None:
        is_negation = operator == "!" and is_vector(value.type)
        return negated(self.arithmetic, value) if is_negation else None

    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Apply `&&` or `||` to vectors; the right operand is always evaluated."""
        if node.operator not in ("&&", "||"):
            return None
        types = [self.evaluation.unread().object(side).type for side in (node.left, node.right)]
        if not any(map(is_vector, types)):
            return None
        left, right = self.evaluation.object(node.left), self.evaluation.object(node.right)
        return related(self.arithmetic, node.operator, left, right)

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        sides = left.type, right.type
        has_class = any(isinstance(strip(side), Struct) for side in sides)  # C++ for OpenCL
        if operator not in COMPARISONS or has_class or not any(map(is_vector, sides)):
            return None
        return related(self.arithmetic, operator, left, right)

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if operator not in ("<<", ">>"):
            return None
        right = shift_count(self.arithmetic, left, right)
        return self.evaluation.computed(operator, left, right)

    def as_stored(self, target: TypedValue, value: TypedValue) -> TypedValue:
        return assigned(self.arithmetic, target, value) if is_vector(target.type) else value

    def by_element(self, node: ast.Conditional, condition: TypedValue) -> TypedValue | None:
        is_of_vectors = is_vector(condition.type)
        if is_of_vectors or not self.evaluation.language.is_cplusplus:
            require_condition(condition.type)
        if not is_of_vectors:
            return None
        arms = self.evaluation.object(node.yes), self.evaluation.object(node.no)
        return conditional_by_element(self.arithmetic, condition, *arms)

    def of_arms(self, chosen: Arm, unchosen: Arm) -> TypedValue:
        pointer = self.arithmetic.decayed(unchosen.value)
        null = self._null(chosen.node, pointer.type)
        if null is not None:
            return null
        own = self.arithmetic.decayed(chosen.value)
        if isinstance(strip(own.type), Pointer) and self._is_null_constant(
            unchosen.node, is_zero=True
        ):
            return evolve(own, is_fixed=True)
        keeps = self.evaluation.language.is_cplusplus  # C++ for OpenCL
        value = conditional(
            self.arithmetic, chosen, unchosen, keeps_objects=keeps, widens_to_vectors=True
        )
        return self._as_generic(value, pointer)

    def _as_generic(self, value: TypedValue, other: TypedValue) -> TypedValue:
        """Return a pointer to a named address space as a generic one if the other arm is that
        (OpenCL C 2.0 6.5.5)."""
        bare, other_bare = strip(value.type), strip(other.type)
        if not isinstance(bare, Pointer) or not isinstance(other_bare, Pointer):
            return value
        space = self.objects.space_of(bare, value.unit)
        to = self.arithmetic.pointer_addresses.space_beside(value, other)
        if space.number in (0, to) or space.name == "generic" or bare.source_space is not None:
            return value
        if to == UNKNOWN_SPACE:
            return evolve(value, type=evolve(bare, source_space=to), is_fixed=True)
        kind = evolve(other_bare, target=bare.target)
        generic = self.objects.architecture.address_space(to)
        pointer = self.arithmetic.in_space(value, generic, kind)
        return evolve(pointer, unit=other.unit, is_fixed=True)
