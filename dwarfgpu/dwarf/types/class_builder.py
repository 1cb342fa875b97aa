"""Build class components: members, base classes and member functions (DWARF 5 5.7; AMD text
A.5.7).

Law: as in `dwarfgpu.dwarf.types.builder`: types are references, never built here, except those of
member functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Protocol

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import MAX_CONSTANT_BYTES, Die
from dwarfgpu.dwarf.forms import read_uleb
from dwarfgpu.dwarf.types.class_parts import (
    Access,
    Declarations,
    Method,
    NestedTypedef,
    TemplateType,
    Variant,
    VariantPart,
)
from dwarfgpu.dwarf.types.computed_attributes import constant_offset
from dwarfgpu.dwarf.types.type_entries import number_of_bytes
from dwarfgpu.dwarf.types.type_sizes import in_fewer_bits
from dwarfgpu.dwarf.types.types import (
    Base,
    Enum,
    Function,
    Member,
    Pointer,
    Type,
    Typedef,
    strip,
)
from dwarfgpu.errors import IllFormed, LimitExceeded, Malformed
from dwarfgpu.expr.context import ExprLoc, LocList

_MEMBERS: Final = (dw.TAG_MEMBER, dw.TAG_INHERITANCE, dw.TAG_VARIABLE)
_DECLARATIONS: Final = (dw.TAG_SUBPROGRAM, *dw.TYPEDEFS, dw.TAG_TEMPLATE_TYPE_PARAMETER)
_ACCESS: Final[dict[int, Access]] = {1: "public", 2: "protected", 3: "private"}
_OP_CONSTU: Final = 0x10
_SCOPES: Final = frozenset(
    {
        dw.TAG_NAMESPACE,
        dw.TAG_MODULE,
        dw.TAG_STRUCTURE_TYPE,
        dw.TAG_CLASS_TYPE,
        dw.TAG_UNION_TYPE,
        dw.TAG_INTERFACE_TYPE,
        dw.TAG_ENUMERATION_TYPE,
    }
)
"""Entries whose names qualify the names inside them."""
_DEEPEST: Final = 100
_DEEPEST_VARIANTS: Final = 20
_MOST_RANGES: Final = 100_000
"""Values that choose among the variants of a part."""
_DSC_LABEL: Final = 0
_DSC_RANGE: Final = 0x01


def scope_of(die: Die) -> str:
    """Return the namespaces and classes around a type, as GDB writes them: `ns::Outer::`, of D
    `module.Outer.`."""
    names: list[str] = []
    above = _declared_in(die)
    for _ in range(_DEEPEST):
        if above is None or above.tag not in _SCOPES:
            break
        above = above.described
        if above.tag == dw.TAG_NAMESPACE:
            names.append(above.name or "(anonymous namespace)")
        elif above.name is not None and above.tag != dw.TAG_ENUMERATION_TYPE:
            names.append(above.name)
        above = _declared_in(above)
    joint = die.unit.joint
    return "".join(f"{name}{joint}" for name in reversed(names))


def _declared_in(die: Die) -> Die | None:
    """Return the entry around an entry where that is declared."""
    *_, declared = die.origins()
    return declared.parent()


class Types(Protocol):
    """The types of a program, by their entries; `dwarfgpu.dwarf.types.builder` builds them."""

    def type_of(self, die: Die) -> Type | None:
        """Return the type that an entry or its origins name with DW_AT_type; None is void."""
        ...

    def build(self, die: Die) -> Type:
        """Return the type that an entry describes."""
        ...

    def target(self, die: Die, name: int = dw.AT_TYPE) -> Callable[[], Type | None]:
        """Return a function that returns the type to which an attribute refers."""
        ...

    def size_of_object(self, die: Die) -> int | None:
        """Return the size in bytes of the object of an entry; None if unknown."""
        ...


def members_of(types: Types, die: Die) -> tuple[Member, ...]:
    """Return the data members, static ones too, and base classes of a structure, in order.

    A discriminant in a variant part is one of them, unless it is artificial, as in Rust (DWARF 5
    5.7.10); a bit-field without a name and of no bits is none (`Declarations.separators`).
    """
    members: list[Member] = []
    is_encoded = die.has(dw.AT_GNAT_DESCRIPTIVE_TYPE)
    first = next(die.children((dw.TAG_MEMBER,)), None) if is_encoded else None
    for child in die.children((*_MEMBERS, dw.TAG_VARIANT_PART)):
        entry: Die | None = child
        if child.tag == dw.TAG_VARIANT_PART:
            entry = child.reference(dw.AT_DISCR) if child.has(dw.AT_DISCR) else None
            is_own = entry is not None and entry.tag == dw.TAG_MEMBER and entry.parent() == child
            entry = entry if is_own and entry and not _is_artificial(entry) else None
        if entry is not None and not _is_separator(entry):
            member = _member(types, entry)
            if is_encoded:
                from dwarfgpu.dwarf.types.gnat_encodings import undecoded_bounds, undecoded_offset

                error = undecoded_offset(die, first, entry) or undecoded_bounds(entry)
                member = member if error is None else evolve(member, error=error)
            members.append(member)
    return tuple(members)


def declarations_of(types: Types, die: Die) -> Declarations:
    """Return the other declarations of the class."""
    methods: list[Method] = []
    typedefs: list[NestedTypedef] = []
    parameters: list[TemplateType] = []
    for child in die.children(_DECLARATIONS):
        if child.tag == dw.TAG_SUBPROGRAM:
            methods.append(_method(types, child))
        elif child.tag in dw.TYPEDEFS:
            kind = types.build(child)
            assert isinstance(kind, Typedef)
            typedefs.append(NestedTypedef(kind, _access(child)))
        elif child.name:
            parameters.append(TemplateType(child.name, types.target(child)))
    alignment = die.integer(dw.AT_ALIGNMENT)
    separators = [_member(types, m) for m in die.children((dw.TAG_MEMBER,)) if _is_separator(m)]
    return Declarations(
        tuple(methods),
        tuple(typedefs),
        tuple(parameters),
        _parts(types, die),
        alignment,
        tuple(separators),
    )


def this_of(function: Die, parameters: list[Die]) -> Die | None:
    """Return the parameter that is `this`: the first one, if it is artificial (DWARF 5 5.7.8).

    Not all compilers write DW_AT_object_pointer, and LLVM 21 writes its index among the parameters
    of a declaration (-glldb).
    """
    if not parameters or not _is_artificial(parameters[0]):
        return None
    first = parameters[0]
    pointer = function.attribute(dw.AT_OBJECT_POINTER)
    if pointer is not None and pointer.kind == "constant":
        return first if function.integer(dw.AT_OBJECT_POINTER) == 0 else None
    if pointer is not None:
        return first if function.reference(dw.AT_OBJECT_POINTER) == first else None
    return first if first.name in (None, "this") else None


def _parts(types: Types, die: Die, depth: int = 0) -> tuple[VariantPart, ...]:
    """Return the variant parts right in a structure or variant."""
    variant_parts = list(die.children((dw.TAG_VARIANT_PART,)))
    if variant_parts and depth >= _DEEPEST_VARIANTS:
        raise LimitExceeded(f"variants nested more than {_DEEPEST_VARIANTS} deep")
    return tuple(_part(types, variant_part, depth) for variant_part in variant_parts)


def _part(types: Types, die: Die, depth: int) -> VariantPart:
    discriminant = _discriminant(die)
    variants = tuple(
        Variant(
            tuple(
                _member(types, member) for member in child.children() if member.tag == dw.TAG_MEMBER
            ),
            values,
            _parts(types, child, depth + 1),
        )
        for child, values in variant_values(types, die)
    )
    return VariantPart(None if discriminant is None else _member(types, discriminant), variants)


def _discriminant(part: Die) -> Die | None:
    discriminant = part.reference(dw.AT_DISCR)
    if discriminant is not None and discriminant.tag != dw.TAG_MEMBER:
        raise IllFormed(f"DW_AT_discr of the entry at {part.offset:#x} refers to no member")
    return discriminant


def variant_values(types: Types, part: Die) -> Iterator[tuple[Die, tuple[tuple[int, int], ...]]]:
    """Yield the variants of a variant part, with the first and the last value of each range of the
    discriminant that chooses them: no range is that of the default one (DWARF 5 5.7.10).

    Raises `IllFormed` for a discriminant, or values, that are none; `LimitExceeded` for too many.
    """
    discriminant = _discriminant(part)
    bare = None if discriminant is None else strip(types.type_of(discriminant))
    has_sign = bare.is_signed if isinstance(bare, Enum) else False
    has_sign = bare.base.is_signed if isinstance(bare, Base) else has_sign
    remaining = _MOST_RANGES
    for child in part.children((dw.TAG_VARIANT,)):
        values = _discriminants(child, has_sign)
        remaining -= len(values)
        if remaining < 0:
            raise LimitExceeded(f"variants with more than {_MOST_RANGES:,} values")
        yield child, values


def _discriminants(variant: Die, has_sign: bool) -> tuple[tuple[int, int], ...]:
    """Return the values of a variant: one, or a list of values and ranges (DWARF 5 5.7.10,
    7.22).

    `has_sign`: that of the discriminant's type decides for the one value, too, whose form may have
    none: LLVM writes -1 in DW_FORM_data1.
    """
    value = variant.attribute(dw.AT_DISCR_VALUE)
    if value is not None:
        if value.kind not in ("constant", "flag", "block"):
            raise IllFormed(
                f"DW_AT_discr_value of the entry at {variant.offset:#x} is of class {value.kind}"
            )
        single = value.raw
        if isinstance(single, bytes):  # DW_FORM_data16 and blocks, of 128-bit discriminants
            single = number_of_bytes(variant, "DW_AT_discr_value", single, has_sign=has_sign)
        elif has_sign and (number := variant.signed_integer(dw.AT_DISCR_VALUE)) is not None:
            single = number
        return ((single, single),)
    attribute = variant.attribute(dw.AT_DISCR_LIST)
    if attribute is None:
        return ()
    if not isinstance(attribute.raw, bytes | memoryview):
        raise IllFormed(f"DW_AT_discr_list of the entry at {variant.offset:#x} is not a block")
    reader = Reader(bytes(attribute.raw))
    next_number = reader.sleb if has_sign else reader.uleb
    spans: list[tuple[int, int]] = []
    while reader and len(spans) <= _MOST_RANGES:
        kind = reader.u8()
        if kind not in (_DSC_LABEL, _DSC_RANGE):
            raise IllFormed(
                f"DW_AT_discr_list of the entry at {variant.offset:#x} has the unknown descriptor "
                f"{kind:#x}"
            )
        low = next_number()
        spans.append((low, next_number() if kind == _DSC_RANGE else low))
        if any(end.bit_length() > 8 * MAX_CONSTANT_BYTES for end in spans[-1]):
            raise IllFormed(
                f"DW_AT_discr_list of the entry at {variant.offset:#x} has a value of more than "
                f"{MAX_CONSTANT_BYTES} bytes"
            )
    return tuple(spans)


def _access(die: Die) -> Access:
    """Return DW_AT_accessibility, by default that of the class (DWARF 5 5.7.3, 5.7.6, 5.7.8)."""
    if dw.AT_ACCESSIBILITY in die.abbreviation.positions:
        accessibility = die.integer(dw.AT_ACCESSIBILITY)
        if accessibility in _ACCESS:
            return _ACCESS[accessibility]
    above = die.parent() if die.unit.is_cplusplus else None
    return "private" if above is not None and above.tag == dw.TAG_CLASS_TYPE else "public"


def _method(types: Types, die: Die) -> Method:
    kind = types.build(die)
    assert isinstance(kind, Function)
    parameters = [child for child in die.children() if child.tag == dw.TAG_FORMAL_PARAMETER]
    slot = None
    if die.has(dw.AT_VTABLE_ELEM_LOCATION):
        slot = die.unit.location_of(die, dw.AT_VTABLE_ELEM_LOCATION)
    return Method(
        die.name or "",
        kind,
        bool(die.integer(dw.AT_VIRTUALITY)),
        this_of(die, parameters) is not None,
        slot,
        _constant(slot.expression) if isinstance(slot, ExprLoc) else None,
        _access(die),
        _is_artificial(die),
        tuple(types.target(parameter) for parameter in parameters if not _is_artificial(parameter)),
        "&&" if die.flag(dw.AT_RVALUE_REFERENCE) else "&" if die.flag(dw.AT_REFERENCE) else "",
    )


def _is_artificial(die: Die) -> bool:
    """Return whether a compiler made an entry, which may be the instance of another one: gcc puts
    the code of a local class's functions into the class, too."""
    return any(origin.flag(dw.AT_ARTIFICIAL) for origin in die.origins())


def _is_separator(die: Die) -> bool:
    """Return whether an entry is a bit-field without a name and of no bits."""
    is_bit_field = dw.AT_BIT_SIZE in die.abbreviation.positions
    return is_bit_field and die.integer(dw.AT_BIT_SIZE) == 0 and die.name is None


def _member(types: Types, die: Die) -> Member:
    # Most members have few attributes: what an entry does not have is not asked for.
    abbreviation = die.abbreviation
    has, tag = abbreviation.positions, abbreviation.tag
    # Of a class in an anonymous namespace gcc says only that the member is declared here.
    is_static = (
        tag == dw.TAG_VARIABLE
        or (dw.AT_EXTERNAL in has and die.flag(dw.AT_EXTERNAL))
        or (dw.AT_DECLARATION in has and die.flag(dw.AT_DECLARATION))
    )
    offset, location = (None, None) if is_static else offset_and_location(types, die)
    bit_size = die.integer(dw.AT_BIT_SIZE) if dw.AT_BIT_SIZE in has else None
    target, error = types.target(die), None
    if bit_size is not None and die.unit.language in dw.ADA:
        from dwarfgpu.dwarf.types.gnat_encodings import undecoded_bias  # few are in Ada

        error = undecoded_bias(die)
    if tag == dw.TAG_INHERITANCE and die.unit.style == "pascal":
        target = partial(_without_pointer, target)
    return Member(
        die.name,
        target if bit_size is None else partial(_type_of_bits, target, bit_size),
        offset,
        bit_size,
        location,
        is_static,
        tag == dw.TAG_INHERITANCE,
        dw.AT_ARTIFICIAL in has and die.flag(dw.AT_ARTIFICIAL),
        dw.AT_VIRTUALITY in has and bool(die.integer(dw.AT_VIRTUALITY)),
        die.offset,
        _access(die),
        die,
        error,
    )


def _without_pointer(target: Callable[[], Type | None]) -> Type | None:
    """Return what an interface of Pascal inherits, to which Free Pascal refers by a reference."""
    inherited = target()
    bare = strip(inherited)
    return bare.target if isinstance(bare, Pointer) else inherited


def _type_of_bits(target: Callable[[], Type | None], bit_size: int) -> Type | None:
    return in_fewer_bits(target(), bit_size)


def offset_and_location(types: Types, die: Die) -> tuple[int, ExprLoc | LocList | None]:
    """Return the bit offset of a member, and the expression for the base of the offset (5.7.6).

    The letter of A.5.7.3 evaluates every expression, but only a location that is an address can be
    added to: a structure in registers would have no members where a compiler wrote `plus_uconst`
    (docs/spec-notes.md).

    Raises `IllFormed` for a bit-field whose storage is of unknown size, and for a member with both
    ways to say where it is.
    """
    has = die.abbreviation.positions
    bit_offset = die.integer(dw.AT_DATA_BIT_OFFSET) if dw.AT_DATA_BIT_OFFSET in has else None
    if bit_offset is not None:
        if die.has(dw.AT_DATA_MEMBER_LOCATION):
            raise _located_twice(die, "DW_AT_data_member_location")
        if dw.AT_BIT_OFFSET in has:
            raise _located_twice(die, "DW_AT_bit_offset")
        return bit_offset, None
    start = die.integer(dw.AT_DATA_MEMBER_LOCATION)
    location: ExprLoc | LocList | None = None
    if start is None:
        location = die.unit.location_of(die, dw.AT_DATA_MEMBER_LOCATION)
        if isinstance(location, ExprLoc) and not die.unit.sections.program.is_literal:
            start = constant_offset(location.expression)
            location = location if start is None else None
    # DWARF 2 and 3 count a bit-field from the most significant bit of its storage unit.
    if dw.AT_BIT_OFFSET not in has:
        return (start or 0) * 8, location
    from_top = die.integer(dw.AT_BIT_OFFSET)
    bit_size = die.integer(dw.AT_BIT_SIZE)
    if from_top is None or bit_size is None:
        return (start or 0) * 8, location
    if die.unit.endian == "little":
        storage = die.integer(dw.AT_BYTE_SIZE) or types.size_of_object(die)
        if storage is None:
            raise IllFormed(
                f"bit-field at {die.offset:#x} has DW_AT_bit_offset, and storage of unknown size"
            )
        from_top = storage * 8 - from_top - bit_size
    return (start or 0) * 8 + from_top, location


def _located_twice(die: Die, other: str) -> IllFormed:
    """Return the error for a member with DW_AT_data_bit_offset and another attribute that says
    where it is (5.7.6, DWARF 4 5.5.6: it has one): consumers differ in what both mean."""
    return IllFormed(f"member at {die.offset:#x} has both {other} and DW_AT_data_bit_offset")


def _constant(expression: bytes) -> int | None:
    """Return the number of an expression that is one `constu`."""
    if not expression or expression[0] != _OP_CONSTU:
        return None
    try:
        value, position = read_uleb(expression, 1, len(expression))
    except Malformed:
        return None
    return value if position == len(expression) else None
