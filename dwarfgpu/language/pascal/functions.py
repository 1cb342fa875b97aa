"""The functions `ord` and `length` of Pascal, which the compiler evaluates (ISO 7185 6.6.6.4; Free
Pascal, "Run-Time Library")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.dwarf.types.short_strings import members_of_string
from dwarfgpu.dwarf.types.types import Array, Base, Dynamic, Enum, Struct, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.number_rules import NumberRules
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.pascal.allocated_strings import is_character, is_pointer_to_characters
from dwarfgpu.language.pascal.short_string_elements import contents_of_record
from dwarfgpu.language.pascal.texts import pointed_length
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated

_LENGTH: Final = "length"
FUNCTIONS: Final = ("ord", _LENGTH)


def value_of_function(
    context: FunctionContext, rules: NumberRules, name: str, arguments: Sequence[TypedValue]
) -> TypedValue:
    """Return the value of a function in the type that Free Pascal gives it."""
    if len(arguments) != 1:
        raise UsageError(f"{name} has one argument: {name}(x)")
    (value,) = arguments
    return _length(context, rules, value) if name == _LENGTH else _ord(context, rules, value)


def _length(context: FunctionContext, rules: NumberRules, value: TypedValue) -> TypedValue:
    count = _count(context.objects, value)
    if count is None:
        raise UsageError("length is that of a string or an array whose type says it.")
    return context.arithmetic.value(rules.integer_number(count, 64, is_signed=True))


def is_of_numbers(kind: Base) -> bool:
    """Return whether a Boolean type is ByteBool, WordBool, LongBool or QWordBool, whose truth is
    -1."""
    return kind.base.name.lower().endswith("bool") and kind.base.name != "bool"


def _count(objects: ObjectAccess, value: TypedValue) -> int | None:
    """Return the number of elements or characters; None where there is none. Where only the type is
    wanted, it is 0."""
    bare = strip(value.type)
    if is_character(bare):
        return 1
    is_evaluated = not isinstance(objects, Unevaluated)
    if is_pointer_to_characters(bare):
        return pointed_length(objects, value) if is_evaluated else 0
    if not is_evaluated:
        is_record = isinstance(bare, Struct) and members_of_string(bare) is not None
        return 0 if is_record or isinstance(bare, Array | Dynamic) else None
    bare = strip(contents_of_record(objects, value).type)
    return bare.dimensions[0] if isinstance(bare, Array) else None


def _ord(context: FunctionContext, rules: NumberRules, value: TypedValue) -> TypedValue:
    bare = strip(value.type)
    size, is_signed = 32, True  # of an enumerator
    if isinstance(bare, Base) and bare.base.encoding in CHARACTERS | {"boolean"}:
        # A ByteBool, WordBool or LongBool has a sign, a Boolean none.
        size, is_signed = bare.base.bit_size, is_of_numbers(bare)
    elif is_integer(bare):
        return context.arithmetic.value(context.arithmetic.number(value))
    elif not isinstance(bare, Enum):
        raise UsageError("ord is that of a character, an enumerator, a Boolean or an integer.")
    number = context.arithmetic.number(value)
    kind = rules.integer(size, is_signed=is_signed)
    return context.arithmetic.value(context.arithmetic.numbers.cast(number, kind))
