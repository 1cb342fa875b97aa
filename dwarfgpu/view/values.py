"""Typed values as text, as GDB prints them.

Laws: an unknown bit is never shown as a number; the text is made piece by piece and stops at
`FormatOptions.characters`, so that no type, however hostile, costs more than its text, and at
`MOST_PRINTED`, because what printers show takes longer than its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, assert_never

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType, is_currency
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.float_format import long_long
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import size_bits, unpacked
from dwarfgpu.dwarf.types.types import (
    UNIT_NAME,
    Absent,
    Array,
    Base,
    Dynamic,
    Elements,
    Enum,
    Function,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    Unspecified,
    is_method_pointer,
    is_set,
    strip,
    unqualified,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import number_bits, with_padding
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.synthetic_pointers import implicit_pointers_as_known, points_nowhere
from dwarfgpu.session.type_attributes import EnclosingObject
from dwarfgpu.view import scalars
from dwarfgpu.view.ada_arrays import access_pieces, pointed_array
from dwarfgpu.view.aggregates import array_pieces, struct_pieces, vector_pieces
from dwarfgpu.view.format_options import (
    DEFAULT_OPTIONS,
    OPTIMIZED_OUT,
    SYNTHETIC_POINTER,
    UNAVAILABLE,
    FormatOptions,
    Symbolize,
)
from dwarfgpu.view.object_bits import ClassOfMethod, ObjectBytes, ReadMemory
from dwarfgpu.view.object_printer import (
    MOST_PRINTED,
    Printings,
    ReadStatic,
    Shown,
    TooManyPrinted,
    Whole,
    address_of,
    has_sign_bit,
    unknown_text,
)
from dwarfgpu.view.pointers import (
    is_system_address,
    member_pointer_text,
    pointer_text,
    reference_pieces,
)
from dwarfgpu.view.printer_text import printed_pieces
from dwarfgpu.view.strings import CharacterKind, character_kind, quoted_character

__all__ = [
    "DEFAULT_OPTIONS",
    "OPTIMIZED_OUT",
    "UNAVAILABLE",
    "FormatOptions",
    "ReadMemory",
    "ReadStatic",
    "Symbolize",
    "format_value",
]


_NO_INTEGER: Final = "Value can't be converted to integer."
_INTEGER_LETTERS: Final = ("a", "c")
"""Formats that first convert a value to an integer."""


def format_value(
    bits: Bits,
    type_: Type | None,
    options: FormatOptions = DEFAULT_OPTIONS,
    *,
    endian: Endian = "little",
    location: Location | None = None,
    resolver: Resolver | None = None,
    around: EnclosingObject | None = None,
    architecture: Architecture | None = None,
    symbolize: Symbolize | None = None,
    read_memory: ReadMemory | None = None,
    static: ReadStatic | None = None,
    is_cut: bool = False,
    class_of_method: ClassOfMethod | None = None,
    space_of: Callable[[Pointer], int] | None = None,
) -> str:
    """Return the text of an object of a type, from its bits.

    `location`: where the object is, for the address of functions and empty arrays; with `resolver`
    parts with a dynamic location or shape are read and shown; `around` is the enclosing object.
    `architecture` names address spaces; without `read_memory`, strings and targets of references
    are not shown, without `static` static members, without `class_of_method` no `std::any`.
    `space_of` maps the class of a pointer to a space. Bits of the type that `bits` lacks are
    `<optimized out>`, with `is_cut` if the object just continues. An impossible type is
    `<error: ...>`; `IllFormed` for a cycle of typedefs; `UsageError` if the letter needs an integer
    and the whole object is none, as a complex number.
    """
    unknown = unknown_text(bits)
    if unknown is not None:
        return unknown
    removed, has_no_target = 0, None
    if resolver is not None:
        words = implicit_pointers_as_known(bits, type_, location, resolver, endian)
        removed = bits.unavailable & ~words.unavailable
        if removed and location is not None:
            has_no_target = partial(points_nowhere, resolver, location)
    shown = Shown(
        ObjectBytes.of(bits, endian, removed, has_no_target),
        options,
        address_of(location),
        architecture,
        symbolize,
        read_memory,
        _pieces,
        _scalar,
        None if location is None or resolver is None else Whole(location, resolver, around),
        resolver,
        is_cut,
        static,
        class_of_method=class_of_method,
        space_of=space_of,
        has_targets=options.is_listed,
        printings=Printings(MOST_PRINTED + 2 * options.elements),
    )
    if options.letter in _INTEGER_LETTERS:
        _require_integer(strip(type_), options.letter, bits.size_bits)
    pieces = shown.guarded(shown.value(type_, 0, 0, options.letter))
    return _bounded(pieces, options.characters)


def _bounded(pieces: Iterator[str], characters: int) -> str:
    out: list[str] = []
    try:
        for piece in pieces:
            if len(piece) > characters:
                out.append(piece[: max(characters, 0)] + "...")
                break
            out.append(piece)
            characters -= len(piece)
    except TooManyPrinted:
        out.append("...")
    return "".join(out)


def _pieces(
    shown: Shown, type_: Type | None, first_bit: int, depth: int, letter: str | None
) -> Iterator[str]:
    """Yield the object of that type at a bit offset; at depth 0 pointers show their type."""
    bare = strip(type_)
    match bare:
        case None:
            yield "void"
        case Struct():
            access = access_pieces(shown, type_, bare, first_bit, depth, letter)
            printed = printed_pieces(shown, bare, first_bit, depth, letter)
            inner = shown if depth else _with_targets(shown)
            members = struct_pieces(inner, bare, first_bit, depth, letter)
            if access is not None:
                yield from access
                return
            is_short = shown.options.summary and not bare.is_declaration
            yield from printed or (("...",) if is_short else members)
        case Array() if shown.options.summary:
            yield "..."
        case Array():
            inner = shown if depth else _with_targets(shown)
            yield from array_pieces(inner, bare, first_bit, depth, letter)
        case Function():
            address = None if shown.address is None else shown.address + first_bit // 8
            where = "" if address is None else " " + shown.printed_address(address)
            yield f"{{{shown.type_name(bare)}}}{where}"  # as in GDB, not the name of a typedef
        case Absent(state=state):
            yield f"<{state}>"
        case Dynamic():
            whole = shown.required()
            placed = whole.resolver.resolved(type_, whole.part(first_bit), whole.around)
            yield from shown.placed(placed, whole.around, depth, letter)
        case Base(base=BaseType(vector_size=int() as count) as base):
            yield from vector_pieces(shown, base, count, first_bit, depth, letter)
        case Base() | Pointer() | MemberPointer() | Enum() | Unspecified():
            size = size_bits(bare)
            if size is None:
                is_of_symbol = isinstance(bare, Unspecified) and bare.is_of_symbol
                yield shown.type_name(bare) if is_of_symbol else "<incomplete type>"
            elif max(size, size_bits(unpacked(bare)) or 0) > scalars.MAX_BITS:
                yield f"<more than {scalars.MAX_BITS} bits of type {type_name(type_)}>"
            elif size == 0:
                is_unit = isinstance(bare, Unspecified) and bare.is_unit
                yield UNIT_NAME if is_unit else "<no bits>"
            else:
                bits = shown.object.bits(first_bit, size)
                if shown.whole is not None and shown.whole.is_implicit_pointer(
                    type_, first_bit, bits
                ):
                    yield SYNTHETIC_POINTER
                    return
                bits = _in_order(shown, bits, bare)
                pointed = None
                if isinstance(bare, Pointer) and bits.is_complete:
                    pointed = pointed_array(shown, bare, bits.value, depth, letter)
                yield from pointed or _scalar(shown, type_, bare, bits, depth, letter)
        case other:
            assert_never(other)


def _with_targets(shown: Shown) -> Shown:
    """Return an object at the top level that no printer shows: as in GDB, references in it have
    their targets."""
    return shown if shown.has_targets else evolve(shown, has_targets=True)


def _in_order(shown: Shown, bits: Bits, bare: Type) -> Bits:
    """Return the bits of a number in the byte order of their base type (DW_AT_endianity)."""
    if isinstance(bare, Base) and bare.storage_bits == bits.size_bits:
        return number_bits(bits, bare, shown.object.endian)
    is_whole_bytes = bits.size_bits % 8 == 0
    if isinstance(bare, Base) and bare.base.endian != shown.object.endian and is_whole_bytes:
        return evolve(bits, value=scalars.swapped(bits.value, bits.size_bits))
    return bits


def _scalar(
    shown: Shown, type_: Type | None, bare: Type, bits: Bits, depth: int, letter: str | None
) -> Iterator[str]:
    if isinstance(bare, Base) and bare.flags and letter in (None, "s", "r"):
        yield scalars.flags_text(bare.flags, bits.value, bits.unknown)
        return
    bits = with_padding(bits, bare)
    if not bits.is_complete:
        yield OPTIMIZED_OUT if bits.undefined else UNAVAILABLE
        return
    number, size = bits.value, bits.size_bits
    if letter is not None or shown.options.integer_letter is not None:
        bare, number, size = _unpacked(bare, number, size)
    if letter == "f" and isinstance(bare, Base) and is_currency(bare.base):
        letter = None  # a number of GDB's, whose bits /f reads as a binary one
    if letter not in (None, "s", "r", "f") and isinstance(bare, Base) and bare.base.scale:
        number = scalars.whole_part(bare.base, number, size)
    if isinstance(bare, Pointer) and not bare.address_space and shown.space_of is not None:
        space_number = shown.space_of(bare)
        bare = evolve(bare, address_space=space_number) if space_number else bare
    is_by_default = letter in (None, "s", "r")
    if is_by_default and isinstance(bare, Base) and (bare.base.is_integral or _is_truth(bare)):
        letter = shown.options.integer_letter or letter
    if depth and (is_method_pointer(bare) or is_set(bare)):
        letter = None  # as in GDB
    if isinstance(bare, Pointer) and bare.kind != "pointer" and not _is_number(bare, depth, letter):
        yield from reference_pieces(shown, type_, bare, number, depth, letter)
    elif letter is not None and depth and _is_complex(bare):
        assert isinstance(bare, Base)
        yield _complex(shown, bare, bits, letter)
    elif letter is not None and letter in _INTEGER_LETTERS:
        try:
            _require_integer(bare, letter, size)
            yield _address_or_character(shown, bare, number, size, letter)
        except UsageError as error:
            if not depth:
                raise
            yield f"<error reading variable: {error.message}>"  # as in GDB, in place of the part
    elif letter == "t" and shown.options.nibbles:
        yield scalars.nibbles_text(number, shown.options.digit_separator)
    elif letter in ("x", "d", "u", "o", "t", "z") or (letter == "f" and _has_integer_bits(bare)):
        space = shown.space_text(bare.address_space) if isinstance(bare, Pointer) else ""
        yield space + scalars.lettered(letter, number, size, is_signed=has_sign_bit(bare))
    else:
        yield _natural(shown, type_, bare, number, size, depth)


def _unpacked(bare: Type, number: int, size: int) -> tuple[Type, int, int]:
    """Return an element of a packed array as an object of the declared type, sign and all."""
    whole = unpacked(bare)
    if whole is bare:
        return bare, number, size
    has_sign = whole.is_signed if isinstance(whole, Enum) else has_sign_bit(whole)
    whole_bits = size_bits(whole) or size
    if has_sign:
        number = signed(number, size) & (1 << whole_bits) - 1
    return whole, number, whole_bits


def _is_number(bare: Pointer, depth: int, letter: str | None) -> bool:
    """Return whether a letter applies to the address that is an rvalue reference, as in GDB at the
    top level."""
    return bare.kind == "rvalue_reference" and not depth and letter not in (None, "s", "r")


def _is_truth(bare: Base) -> bool:
    return bare.base.encoding == "boolean"


def _is_complex(bare: Type) -> bool:
    """Return whether GDB applies a letter to the whole number, as it does at the top level."""
    return isinstance(bare, Base) and bare.base.encoding == "complex_float"


def _complex(shown: Shown, bare: Base, bits: Bits, letter: str) -> str:
    """Return `0x1 + 0x2i`: both parts by an output format."""
    half = bits.size_bits // 2
    part = Base(evolve(bare.base, encoding="float", bit_size=half))
    texts: list[str] = []
    for index in (0, 1):
        half_bits = bits.slice(index * half, half, bare.base.endian)
        texts += _scalar(shown, part, part, half_bits, 1, letter)
    if shown.options.style == "fortran":
        return f"({texts[0]},{texts[1]})"
    return f"{texts[0]} + {texts[1]}i"


def _natural(
    shown: Shown, type_: Type | None, bare: Type, number: int, size_bits: int, depth: int
) -> str:
    match bare:
        case Base(base=base) if base.encoding == "decimal_float":
            from dwarfgpu.view.decimal_float import decimal_of  # few programs have such types

            decimal = decimal_of(base, number, shown.architecture)
            return scalars.base_text(base, number, size_bits) if decimal is None else str(decimal)
        case Base(base=base) if base.encoding == "complex_float":
            half = size_bits // 2
            parts = Bits(number, size_bits)
            first, second = (parts.slice(n * half, half, base.endian).value for n in (0, 1))
            return scalars.complex_text(base, first, second, half, shown.options.style)
        case Base() if is_system_address(unqualified(type_), shown.options.style):
            return f"({shown.type_name(bare)}) {scalars.hexadecimal(number)}"
        case Base(base=base):
            text = scalars.base_text(base, number, size_bits, shown.options.style)
            characters = character_kind(type_, shown.options.style)
            if characters is not None:
                code = number & (1 << 8 * characters.unit_bytes) - 1
                text += " " + quoted_character(code, characters, sevenbit=shown.options.sevenbit)
            return text
        case Enum():
            return scalars.enum_text(bare, number & (1 << bare.value_bits) - 1)
        case Pointer():
            return pointer_text(shown, type_, bare, number, depth)
        case MemberPointer():
            return member_pointer_text(shown, bare, number, size_bits)
        case Unspecified() if bare.is_nullptr and not number:
            return "0"
        case Unspecified(elements=Elements() as elements):
            from dwarfgpu.dwarf.names.pascal_sets import set_text  # few programs have them

            endian = shown.object.endian
            return set_text(elements, Bits(number, size_bits).to_bytes(endian), endian)
        case Unspecified():
            return scalars.hexadecimal(number)
        case _:
            return scalars.raw(number, size_bits, "not a scalar")


def _address_or_character(
    shown: Shown, bare: Type, number: int, size_bits: int, letter: str
) -> str:
    """Return `/a` and `/c`: the number, truncated from floating point if necessary, as such."""
    # As in GDB, a reference has a sign, a pointer has none.
    has_sign = has_sign_bit(bare) or (
        bare.kind != "pointer" if isinstance(bare, Pointer) else isinstance(bare, MemberPointer)
    )
    if isinstance(bare, Base) and bare.base.encoding == "float":
        form = scalars.format_of(bare.base, size_bits)
        if form is None:
            raise UsageError(_NO_INTEGER)
        number, size_bits, has_sign = long_long(form.decode(number)), 64, True
    elif isinstance(bare, Base) and bare.base.encoding == "decimal_float":
        from dwarfgpu.view.decimal_float import decimal_of, exact

        decimal = decimal_of(bare.base, number, shown.architecture)
        if decimal is None:
            raise UsageError(_NO_INTEGER)
        number, size_bits, has_sign = long_long(exact(decimal)), 64, True
    elif has_sign:
        number = signed(number, size_bits)
    if letter == "a":
        return shown.address_text(number & (1 << _address_bits(shown, size_bits)) - 1)
    code = number & 0xFF
    text = signed(code, 8) if has_sign else code
    style = shown.options.style
    kind = CharacterKind(1, style=style if style in ("ada", "pascal") else "c")
    return f"{text} {quoted_character(text if style == 'pascal' else code, kind)}"


def _address_bits(shown: Shown, size_bits: int) -> int:
    """Return how many bits of a number are shown as an address: those of one on this machine."""
    spaces = {} if shown.architecture is None else shown.architecture.address_spaces
    own_bits = spaces[0].address_bits if 0 in spaces else scalars.LONG_LONG_BITS
    return own_bits if own_bits < scalars.LONG_LONG_BITS else max(scalars.LONG_LONG_BITS, size_bits)


def _require_integer(bare: Type | None, letter: str, size_bits: int) -> None:
    """Raise `UsageError` for an object that is no integer, or none that fits a character."""
    if _has_no_integer(bare):
        raise UsageError(_NO_INTEGER)
    is_integer = isinstance(bare, Base | Enum) and _has_integer_bits(bare)
    if letter == "c" and is_integer and size_bits > scalars.LONG_LONG_BITS:
        raise UsageError(scalars.TOO_WIDE)


def _has_integer_bits(bare: Type) -> bool:
    """Return whether `/f` applies to the bits: those of a number that is not a floating one."""
    if not isinstance(bare, Base):
        return True
    return not ("float" in bare.base.encoding or bare.base.encoding.startswith("encoding "))


def _has_no_integer(bare: Type | None) -> bool:
    """Return whether a value has several parts or unknown ones, so that it is no integer."""
    if isinstance(bare, Base):
        return _is_complex(bare) or bare.base.encoding.startswith("encoding ")
    return is_method_pointer(bare) or is_set(bare)
