"""Assignment to the strings of Free Pascal, and to its arrays of characters (Reference guide,
"Short strings", "Static arrays").

Law: a string or array gets as many characters as its type says that there is room for; where no
type says it, no more than the string has.
"""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Array, Pointer, Type, strip
from dwarfgpu.errors import Unsupported, UsageError, counted
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.assignment import store
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.pascal.allocated_strings import allocated_name
from dwarfgpu.language.pascal.short_string_elements import (
    as_string,
    element_of_record,
    is_plain_array,
    parts_of_string,
)
from dwarfgpu.language.pascal.texts import LAST_OF_ASCII, character_bytes, codes_of
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits


def stored(
    arithmetic: Arithmetic, options: Options, target: TypedValue, value: TypedValue
) -> TypedValue:
    """Assign a value; a short string or an array of characters gets those of a string, cut where it
    ends.

    `Unsupported` for strings that the program allocates.
    """
    objects = arithmetic.objects
    if isinstance(objects, Unevaluated) or target.convenience is not None:
        return store(arithmetic, options, target, value)
    if (name := allocated_name(target.type)) is not None:
        raise Unsupported(
            f"{name} is a pointer to characters that the program allocates and counts the uses of:"
            " it is not assigned; its characters may be, as in s[1]"
        )
    bare, parts = strip(target.type), parts_of_string(target)
    is_short = isinstance(bare, Array) and bare.is_short_string
    is_array = isinstance(bare, Array) and not is_short and is_string(bare)
    name = allocated_name(value.type)
    if (is_short or parts or is_array) and name and isinstance(strip(value.type), Pointer):
        raise Unsupported(f"the type {name} does not say how long its strings are")
    source = as_string(objects, value)
    if isinstance(bare, Array) and is_array:
        return _stored_in_array(arithmetic, options, target, bare, value, source)
    if not (is_short or parts) or source is None:
        return store(arithmetic, options, target, value)
    if parts is not None:
        _, member, array = parts
        text = _characters(objects, source, array.element)[: array.dimensions[0] or 0]
        element, offset = array.element, member.bit_offset or 0
        length = element_of_record(objects, target, 0)
        assert length is not None
    else:
        assert isinstance(bare, Array)
        text = _characters(objects, source, bare.element)
        room, element, offset = bare.dimensions[0] or 0, bare.element, 0
        if len(text) > room:
            has = counted(room, "character")
            raise UsageError(
                f"The string has {has}, and its type does not say whether there is room for"
                f" {len(text)}."
            )
        length = objects.element(target, 0)
    if text:
        _put(arithmetic, options, target, element, text, offset)
    store(arithmetic, options, length, arithmetic.value(arithmetic.numbers.integer(len(text))))
    after = evolve(target, bits=None, pointer=None, error=None)
    if parts is not None:
        return objects.read(after)
    assert isinstance(bare, Array)
    return objects.read(evolve(after, type=evolve(bare, dimensions=(len(text),))))


def _stored_in_array(
    arithmetic: Arithmetic,
    options: Options,
    target: TypedValue,
    array: Array,
    value: TypedValue,
    source: TypedValue | None,
) -> TypedValue:
    """Assign to an array of characters, which gets those of a string, cut where it ends, and NUL
    behind them; one of another array of characters is refused as in the program, unless it is of
    the same type."""
    objects, count = arithmetic.objects, array.dimensions[0]
    is_array = value.location is not None and is_plain_array(value)
    if source is None or count is None or is_array or array.declared_bits is None:
        # An array without a size of its own is a dynamic one, which the program allocates.
        return store(arithmetic, options, target, value)
    text = _characters(objects, source, array.element)[:count]
    _put(arithmetic, options, target, array.element, [*text, *(0,) * (count - len(text))], 0)
    return objects.read(evolve(target, bits=None, pointer=None, error=None))


def _put(
    arithmetic: Arithmetic,
    options: Options,
    target: TypedValue,
    element: Type | None,
    text: Sequence[int],
    first_bit: int,
) -> None:
    """Write characters into an object."""
    endian, width = arithmetic.objects.context.endian, size_bytes(element) or 1
    data = b"".join(code.to_bytes(width, endian) for code in text)
    kind = Array(element, (len(text),), lower_bounds=(1,))
    bits = Bits(int.from_bytes(data, endian), 8 * len(data))
    part = arithmetic.objects.part(target, kind, first_bit)
    store(arithmetic, options, part, TypedValue(kind, bits=bits, unit=target.unit))


def _characters(objects: ObjectAccess, text: TypedValue, element: Type | None) -> list[int]:
    """Return the numbers of the characters of a text as elements of a type.

    `Unsupported` where the code page of the program decides.
    """
    codes = codes_of(objects, text)
    if size_bytes(element) != character_bytes(text.type) and max(codes, default=0) > LAST_OF_ASCII:
        raise Unsupported(
            "a character that is none of ASCII: the code page of the program decides which one of"
            " another size it is"
        )
    return codes
