"""Operators that D has otherwise than C (D Language Specification, "Expressions", "Arrays")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.base.base_type import CHARACTERS, BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array
from dwarfgpu.dwarf.types.types import Array, Base, Pointer, Struct, Type, denoted, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.arithmetic_conversions import is_boolean, is_integer
from dwarfgpu.language.c_numbers import not_comparable
from dwarfgpu.language.concatenation import is_element, joined
from dwarfgpu.language.conditional import Arm, conditional
from dwarfgpu.language.constant_expressions import folded
from dwarfgpu.language.contents import arrays_compared, arrays_ordered, have_parts
from dwarfgpu.language.d.number_rules import DRules
from dwarfgpu.language.dynamic_indexing import array_of
from dwarfgpu.language.language_operators import LanguageOperators
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.ada_tokens import NULL
from dwarfgpu.language.syntax.literals import text
from dwarfgpu.language.syntax.words import IS, IS_NOT, JOIN, SHIFT_OF_BITS, TYPE_WORDS
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits

if TYPE_CHECKING:
    from dwarfgpu.language.d.classes import References

_OF_REFERENCES: Final = (("ptr",), ("ptr", "funcptr"))
"""The members of associative arrays and delegates."""


_CODINGS: Final = {16: ("u", "utf-16-le"), 32: ("U", "utf-32-le")}
"""By the size of a character: the prefix of its strings in C, and their codec."""
_NO_LONGER_ARRAY: Final = "~= makes an array longer, as only the program can: write a ~ b"


class DOperators(LanguageOperators):
    def of_nodes(self, node: ast.Binary) -> TypedValue | None:
        """Apply `is` and `!is`."""
        if node.operator not in (IS, IS_NOT):
            return None
        left, right = (self.evaluation.object(side) for side in (node.left, node.right))
        return self.evaluation.truth(self._is_same(left, right) == (node.operator == IS))

    def declared(self, type_: Type | None) -> Type | None:
        """Return the type of references for a class or an interface."""
        from dwarfgpu.language.d.classes import is_class  # few expressions

        return self.arithmetic.numbers.builtins.pointer(type_) if is_class(type_) else type_

    def converted(self, value: TypedValue, to: Type | None) -> TypedValue | None:
        """Return a reference as one of another class."""
        from dwarfgpu.language.d.classes import class_of  # few expressions

        if to is None or class_of(to) is None or class_of(value.type) is None:
            return None
        return self._references().cast(value, to)

    def _references(self) -> References:
        from dwarfgpu.language.d.classes import References  # few expressions

        return References(self.arithmetic, self.objects)

    def compared(self, operator: str, left: TypedValue, right: TypedValue) -> bool | None:
        if all(isinstance(strip(side.type), Pointer) for side in (left, right)):
            is_same = self._references().are_same(left, right)
            is_identity = operator in ("==", "!=")
            return None if is_same is None or not is_identity else is_same == (operator == "==")
        if not have_parts(left, right):
            return None
        for value, other in ((left, right), (right, left)):
            if _is_null(other) and (_is_reference(value.type) or _is_array(value.type)):
                if operator not in ("==", "!="):
                    raise not_comparable(operator)
                return self._is_empty(value) == (operator == "==")
        left, right = (array_of(self.objects, side) for side in (left, right))
        order = arrays_ordered(self.arithmetic, operator, left, right)
        return arrays_compared(self.arithmetic, operator, left, right) if order is None else order

    def as_one_type(
        self, node: ast.Binary, left: TypedValue, right: TypedValue
    ) -> tuple[TypedValue, TypedValue]:
        """Return the operands, one that is written out with the type that an array beside it gives
        it: the characters of a string without a suffix, and an element that is a number."""
        is_join = node.operator == JOIN
        return (
            self._beside_array(node.left, left, right, is_join=is_join),
            self._beside_array(node.right, right, left, is_join=is_join),
        )

    def _beside_array(
        self, node: ast.Node, value: TypedValue, other: TypedValue, *, is_join: bool
    ) -> TypedValue:
        element = strip(_element(other.type))
        rules, numbers = self.evaluation.rules, self.arithmetic.numbers
        if not isinstance(element, Base) or rules is None:
            return value
        if isinstance(node, ast.String) and element.base.encoding in CHARACTERS:
            wide = _recoded(node, element.base.bit_size)
            names = self.evaluation.names
            return value if wide is None else text(names, numbers, wide, cplusplus=False)
        constant = folded(node, "signs") if is_join else None
        if not isinstance(constant, int) or element.base.encoding not in ("signed", "unsigned"):
            return value
        return self.arithmetic.value(rules.within(constant, element, is_real=False))

    def of_parts(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        return self._joined(left, right) if operator == JOIN else None

    def combined(self, operator: str, left: TypedValue, right: TypedValue) -> TypedValue | None:
        if operator == JOIN:
            raise Unsupported(_NO_LONGER_ARRAY)
        if operator == SHIFT_OF_BITS and not (is_integer(left.type) or is_boolean(left.type)):
            raise UsageError(f"{SHIFT_OF_BITS} is of integers.")
        if operator == SHIFT_OF_BITS:
            promoted = self.arithmetic.unary("+", left)  # also of a character or an enumeration
            rules, number = self.evaluation.rules, self.arithmetic.number
            assert rules is not None
            return self.arithmetic.value(rules.shifted(operator, number(promoted), number(right)))
        return self.of_booleans(operator, left, right)

    def size(self, size_bytes: int) -> TypedValue | None:
        """Return a size or a length, which is a `size_t`."""
        rules = self.evaluation.rules
        if rules is None:
            return None
        bits = self.arithmetic.numbers.builtins.long_bits
        return self.arithmetic.value(rules.integer_number(size_bytes, bits, is_signed=False))

    def member(self, value: TypedValue, name: str) -> TypedValue | None:
        """Return the length of a static array or of a string that is written out, or the pointer
        to its first element ("Array Properties")."""
        bare = strip(value.type)
        if name not in ("length", "ptr") or not isinstance(bare, Array) or bare.is_vector:
            return None
        if name == "ptr":
            return self.arithmetic.decayed(value)
        count = bare.dimensions[0]
        return None if count is None else self.size(count)

    def of_assignment(
        self, operator: str, target: TypedValue, value: TypedValue
    ) -> TypedValue | None:
        """Return what `x >>>= n` assigns: `x` is shifted without its sign in its own size."""
        bare, rules = strip(target.type), self.evaluation.rules
        is_signed = isinstance(bare, Base) and bare.base.encoding == "signed"
        if operator != SHIFT_OF_BITS or not is_signed or rules is None:
            return None
        assert isinstance(bare, Base)
        unsigned = rules.integer(bare.base.bit_size, is_signed=False)
        shifted = self.combined(operator, self.arithmetic.cast(target, unsigned), value)
        return None if shifted is None else self.arithmetic.cast(shifted, bare)

    def as_stored(self, target: TypedValue, value: TypedValue) -> TypedValue:
        """Return what an array becomes; `null` is that of any reference."""
        from dwarfgpu.language.d.assigned_arrays import assigned  # few expressions

        if _is_null(value) and _is_reference(target.type):
            return self._null(target)
        return assigned(self.arithmetic, target, value)

    def refuse_assignment(self, operator: str, target: TypedValue) -> None:
        is_array = isinstance(strip(target.type), Array) or dynamic_array(target.type) is not None
        if operator == JOIN and is_array:
            raise Unsupported(_NO_LONGER_ARRAY)

    def of_arms(self, chosen: Arm, unchosen: Arm) -> TypedValue:
        """Return the chosen arm in the type of both, which D names: two characters of one size stay
        what they are, and two of different sizes are a dchar; `null` is one of the other arm."""
        of_null = self._beside_null(chosen, unchosen)
        if of_null is not None:
            return of_null
        kinds = [arm.value.type for arm in (chosen, unchosen)]
        sizes = {_character_bits(kind) for kind in kinds}
        if None not in sizes:
            dchar = Base(BaseType("dchar", "UTF", 32, self.arithmetic.numbers.endian))
            kind = _common_character(*kinds) if len(sizes) == 1 else dchar
            return self.arithmetic.cast(chosen.value, kind)
        value = conditional(self.arithmetic, chosen, unchosen, keeps_objects=True)
        bare, rules = strip(value.type), self.evaluation.rules
        if not isinstance(bare, Base) or not isinstance(rules, DRules):
            return value
        is_number = bare.base.encoding in ("signed", "unsigned", "float")
        if not is_number or not set(bare.name.split()) <= TYPE_WORDS:
            return value
        return evolve(value, type=rules.in_d(self.arithmetic.number(value)))

    def _beside_null(self, chosen: Arm, unchosen: Arm) -> TypedValue | None:
        """Return the chosen arm where one is `null` and the other a pointer or a reference; None
        for other arms."""
        if _is_null_word(chosen.node) == _is_null_word(unchosen.node):
            return None
        other = unchosen.value if _is_null_word(chosen.node) else chosen.value
        if not (isinstance(strip(other.type), Pointer) or _is_reference(other.type)):
            return None
        if other is chosen.value:
            return evolve(other, is_fixed=True)
        return self._null(other)

    def _null(self, of: TypedValue) -> TypedValue:
        """Return the `null` of the type of a pointer or a reference."""
        return TypedValue(of.type, bits=Bits(0, of.size_bits or 0), unit=of.unit)

    def _is_same(self, left: TypedValue, right: TypedValue) -> bool:
        """Return whether two references lead to one object, and two integers are equal."""
        sides = left, right
        if all(is_integer(side.type) for side in sides):
            return self.arithmetic.compared("==", left, right)
        if all(isinstance(strip(side.type), Pointer) for side in sides):
            is_same = self._references().are_same(left, right)
            return self.arithmetic.compared("==", left, right) if is_same is None else is_same
        is_array = any(_is_array(side.type) and side.location is not None for side in sides)
        parts = [self._parts(side) for side in sides] if is_array else [None]
        if None not in parts:
            return parts[0] == parts[1]
        if not all(_is_reference(side.type) or _is_null(side) for side in sides):
            raise UsageError(
                f'"{IS}" is between pointers, dynamic arrays or integers; == compares contents.'
            )
        if isinstance(self.objects, Unevaluated):
            return False
        first, second = (0 if _is_null(side) else self.objects.known(side).value for side in sides)
        return first == second

    def _parts(self, value: TypedValue) -> tuple[int, int] | None:
        """Return the length of an array and where its elements are: what is the same in identical
        arrays ("Identity Expressions"). None for another object."""
        bare, parts = strip(value.type), dynamic_array(value.type)
        if _is_null(value):
            return 0, 0
        if isinstance(bare, Array) and bare.dimensions[0] is not None and value.location:
            return bare.dimensions[0], self.arithmetic.address(self.arithmetic.decayed(value))
        if parts is None:
            return None
        length, pointer = (self.objects.step(value, part) for part in (parts.length, parts.pointer))
        return self.objects.known(length).value, self.objects.known(pointer).value

    def _is_empty(self, value: TypedValue) -> bool:
        """Return whether a dynamic array has no elements, or another reference is null."""
        if isinstance(self.objects, Unevaluated):
            return False
        bare, parts = strip(value.type), dynamic_array(value.type)
        if isinstance(bare, Array):
            return 0 in bare.dimensions
        of_length = value if parts is None else self.objects.step(value, parts.length)
        return not self.objects.known(of_length).value

    def _joined(self, left: TypedValue, right: TypedValue) -> TypedValue:
        """Return two arrays, or an array and an element, as one array."""
        _require_elements(left, right)
        _require_elements(right, left)
        for side in (left, right):
            if isinstance(self.objects, Unevaluated) and dynamic_array(side.type) is not None:
                return TypedValue(side.type, UNDEFINED_LOCATION, unit=side.unit)
        first, second = (array_of(self.objects, side) for side in (left, right))
        return joined(self.objects, first, second, 0)


def _element(type_: Type | None) -> Type | None:
    """Return the type of the elements of an array; None for another type."""
    bare, parts = strip(type_), dynamic_array(type_)
    if isinstance(bare, Array):
        return bare.element
    return None if parts is None else parts.element


def _require_elements(array: TypedValue, other: TypedValue) -> None:
    """Raise `UsageError` for an operand beside an array that is no element of it."""
    element = _element(array.type)
    if element is None or other.type is None or _element(other.type) is not None:
        return
    if not is_element(other.type, element):
        own, to = (type_name(strip(one) or one) for one in (other.type, element))
        raise UsageError(f"The elements are of the type {to}, not {own}: write cast({to}) x.")


def _recoded(node: ast.String, bits: int) -> ast.String | None:
    """Return a string without a suffix with characters of a size in bits; None for another
    string."""
    if node.prefix or bits not in _CODINGS:
        return None
    prefix, coding = _CODINGS[bits]
    try:
        data = bytes(node.codes).decode().encode(coding)
    except UnicodeError:
        return None
    size = bits // 8
    codes = [
        int.from_bytes(data[start : start + size], "little") for start in range(0, len(data), size)
    ]
    return ast.String((*codes,), prefix, is_counted=True)


def _character_bits(type_: Type | None) -> int | None:
    """Return the size of a character type; None for another type."""
    bare = strip(type_)
    is_character = isinstance(bare, Base) and bare.base.encoding in CHARACTERS
    return bare.base.bit_size if isinstance(bare, Base) and is_character else None


def _common_character(first: Type | None, second: Type | None) -> Type | None:
    """Return the common type of two character types of one size: a const one if they have different
    qualifiers, which ldc2 writes into the names of the types."""
    sides = (first, second)
    is_const, is_immutable = (
        [word in denoted(side).qualifiers or type_name(side).startswith(f"{word}(")
         for side in sides]
        for word in ("const", "immutable")
    )  # fmt: skip
    if any(is_const):
        return sides[is_const.index(True)]
    bare = strip(sides[is_immutable.index(True)]) if len({*is_immutable}) > 1 else None
    if isinstance(bare, Base):
        plain = bare.base.name.removeprefix("immutable(").removesuffix(")")
        return Base(evolve(bare.base, name=f"const({plain})"))
    is_of_c = strip(first) == strip(second) or not _is_utf(first)  # as a literal has it
    return second if is_of_c and _is_utf(second) else first


def _is_utf(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "UTF"


def _is_null(value: TypedValue) -> bool:
    """Return whether a value is the literal `null`."""
    bare = strip(value.type)
    is_written = isinstance(bare, Pointer) and bare.target is None and value.location is None
    return is_written and (value.bits is None or not value.bits.value)


def _is_array(type_: Type | None) -> bool:
    """Return whether a type is that of a static array, or of a part of an array."""
    bare = strip(type_)
    return isinstance(bare, Array) and not bare.is_vector


def _is_null_word(node: ast.Node) -> bool:
    """Return whether an operand is the word `null`."""
    return isinstance(node, ast.Name) and node.name == NULL and not node.is_quoted


def _is_reference(type_: Type | None) -> bool:
    """Return whether a structure is a dynamic array, an associative one, or a delegate."""
    bare = strip(type_)
    if not isinstance(bare, Struct):
        return False
    names = tuple(member.name for member in bare.members)
    return dynamic_array(bare) is not None or names in _OF_REFERENCES
