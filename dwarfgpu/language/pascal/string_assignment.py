"""Assignment to the strings of Free Pascal (Reference guide, "Short strings").

Law: a string gets as many characters as its type says that there is room for; where no type says
it, no more than the string has.
"""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.errors import Unsupported, UsageError, counted
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.assignment import store
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.pascal.allocated_strings import allocated_name
from dwarfgpu.language.pascal.short_string_elements import (
    as_string,
    element_of_record,
    parts_of_string,
)
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits


def stored(
    arithmetic: Arithmetic, options: Options, target: TypedValue, value: TypedValue
) -> TypedValue:
    """Assign a value; a short string gets the characters of a string, cut where it ends.

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
    source = as_string(objects, value)
    if not (is_short or parts) or source is None:
        return store(arithmetic, options, target, value)
    text = objects.known(source).to_bytes(objects.context.endian)
    if parts is not None:
        _, member, array = parts
        text = text[: array.dimensions[0] or 0]
        element, offset = array.element, member.bit_offset or 0
        length = element_of_record(objects, target, 0)
        assert length is not None
    else:
        assert isinstance(bare, Array)
        room, element, offset = bare.dimensions[0] or 0, bare.element, 0
        if len(text) > room:
            has = counted(room, "character")
            raise UsageError(
                f"The string has {has}, and its type does not say whether there is room for"
                f" {len(text)}."
            )
        length = objects.element(target, 0)
    if text:
        kind = Array(element, (len(text),), lower_bounds=(1,))
        bits = Bits(int.from_bytes(text, objects.context.endian), 8 * len(text))
        part = objects.part(target, kind, offset)
        store(arithmetic, options, part, TypedValue(kind, bits=bits, unit=target.unit))
    store(arithmetic, options, length, arithmetic.value(arithmetic.numbers.integer(len(text))))
    after = evolve(target, bits=None, pointer=None, error=None)
    if parts is not None:
        return objects.read(after)
    assert isinstance(bare, Array)
    return objects.read(evolve(after, type=evolve(bare, dimensions=(len(text),))))
