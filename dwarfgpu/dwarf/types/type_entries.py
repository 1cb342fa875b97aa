"""What the entry of one type says, without the types around it (DWARF 5 chapter 5): its size, the
base type below it, its enumerators, the entry that defines it, the name that the linker knows.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import CURRENCY, BaseType
from dwarfgpu.base.bits import signed
from dwarfgpu.base.chains import End, ends_of
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import FIXED_DATA, MAX_CONSTANT_BYTES, MAX_ORIGINS, Die
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.section_budget import LinkedNames
from dwarfgpu.dwarf.types.address_class import space_of_class
from dwarfgpu.dwarf.types.base_types import (
    address_space,
    base_type_of,
    first_bit_of,
    has_size_zero,
    storage_bits_of,
)
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    NULLPTR_NAMES,
    UNIT_NAME,
    Base,
    Qualifier,
    Unspecified,
)
from dwarfgpu.errors import IllFormed, LimitExceeded, Unsupported

NAMES_OF_TYPES: Final = dw.TYPEDEFS | {dw.TAG_TEMPLATE_TYPE_PARAMETER}
"""Entries that name a type: members of a template's instance may have its parameter (2.23)."""
QUALIFIERS: Final[dict[int, Qualifier]] = {
    dw.TAG_CONST_TYPE: "const",
    dw.TAG_VOLATILE_TYPE: "volatile",
    dw.TAG_RESTRICT_TYPE: "restrict",
    dw.TAG_ATOMIC_TYPE: "atomic",
    dw.TAG_IMMUTABLE_TYPE: "immutable",
    dw.TAG_PACKED_TYPE: "packed",
    dw.TAG_SHARED_TYPE: "shared",
}
"""The entries of DWARF 5 5.3."""
_TRANSPARENT: Final = {*NAMES_OF_TYPES, *QUALIFIERS, dw.TAG_SUBRANGE_TYPE}
"""Entries whose objects have another type's representation."""


def described_base(die: Die) -> Base | Unspecified:
    """Return the type of a base type entry, which may not say what its values are.

    Triton's `vector` is several values of any type, although its encoding is that of one
    floating-point number; its `unknown_type` has no size either. Rust's `()` has 0 bytes.
    """
    if die.name and has_size_zero(die):
        is_unit = die.name == UNIT_NAME and die.has(dw.AT_BYTE_SIZE)
        return Unspecified(die.name, 0 if is_unit else None)
    if die.name == "vector" and parse_producer(die.unit.producer).is_triton:
        return Unspecified(die.name, die.integer(dw.AT_BYTE_SIZE))
    return _base_in_storage(die)


def _base_in_storage(die: Die) -> Base:
    base = _canonical(die, base_type_of(die, in_storage=True))
    if die.unit.language in dw.ADA:
        from dwarfgpu.dwarf.types.gnat_encodings import decoded  # few programs are in Ada

        base = decoded(die, base)
    if die.unit.style == "pascal" and base.name.lower() == CURRENCY:
        from dwarfgpu.dwarf.types.pascal_currency import as_currency  # few programs

        base = as_currency(base)
    is_byte = die.unit.language == dw.LANG_RUST and base.bit_size == 8 and base.is_integral
    return Base(
        base, storage_bits=storage_bits_of(die), first_bit=first_bit_of(die), is_byte=is_byte
    )


def unspecified_bytes(die: Die) -> int | None:
    """Return the size of an unspecified type; nullptr has the size of a pointer (C++
    [basic.fundamental]), which compilers omit (DWARF 5 5.2)."""
    size = die.integer(dw.AT_BYTE_SIZE)
    is_nullptr = die.tag == dw.TAG_UNSPECIFIED_TYPE and die.name in NULLPTR_NAMES
    return die.unit.format.address_size if size is None and is_nullptr else size


def signed_definition(die: Die) -> Die:
    """Return the entry in a type unit to which DW_AT_signature leads."""
    for _ in range(MAX_ORIGINS):
        target = die.reference(dw.AT_SIGNATURE)
        if target is None:
            return die
        die = target
    raise IllFormed(f"more than {MAX_ORIGINS} type signatures refer to each other")


def pointer_bytes(die: Die) -> int:
    """Return the size of a pointer; without DW_AT_byte_size, that of addresses of its space
    (A.5.3).

    `IllFormed` or `Unsupported` if the space is unknown.
    """
    size = die.integer(dw.AT_BYTE_SIZE)
    if size is not None:
        if size <= 0:
            raise IllFormed(f"pointer at {die.offset:#x} has a DW_AT_byte_size of {size}")
        return size
    number = address_space(die)
    address_class = die.integer(dw.AT_ADDRESS_CLASS)
    if not number and not address_class:
        return die.unit.format.address_size
    where = f"pointer at {die.offset:#x} has no DW_AT_byte_size"
    architecture = die.unit.sections.program.architecture
    if architecture is None:
        raise Unsupported(f"{where}, and the address spaces of the machine are unknown")
    if number:
        space = architecture.address_spaces.get(number)
        if space is None:
            raise IllFormed(f"{where}, and {architecture.name} has no address space {number}")
        return space.address_bits // 8
    assert address_class is not None
    if architecture.machine == "CUDA":
        return die.unit.format.address_size  # of all spaces, in whose numbers producers differ
    if architecture.machine != "AMDGPU":
        raise Unsupported(f"{where}, and DW_AT_address_class {address_class} is unknown")
    return space_of_class(address_class, die.unit, architecture).address_bits // 8


class _UnderlyingBases:
    """The base types below entries of a program, by the entries at which they, or other names,
    qualifiers and ranges of them, are."""

    def __init__(self) -> None:
        self._ends: dict[Die, End[Base | None]] = {}

    def base_at(self, die: Die) -> Base | None:
        if die not in self._ends:
            self._ends |= ends_of(die, self._below, MAX_CHAIN, _endless)
        return self._ends[die].get()

    def _below(self, die: Die) -> Die | End[Base | None]:
        if die.tag == dw.TAG_BASE_TYPE:
            return End(_base_in_storage(die))
        if die.tag not in _TRANSPARENT:
            require_type(die)
            return End(None)
        target = die.reference(dw.AT_TYPE)
        return End(None) if target is None else self._ends.get(target, target)


def _endless(die: Die) -> IllFormed:
    return IllFormed(f"the type at {die.offset:#x} has more than {MAX_CHAIN} types below it")


def underlying_base(die: Die) -> Base | None:
    """Return the base type below an enumeration or subrange, whatever is between."""
    target = die.reference(dw.AT_TYPE)
    bases = die.unit.sections.program.shared(_UnderlyingBases)
    return None if target is None else bases.base_at(target)


def number_of_bytes(die: Die, name: str, data: bytes, *, has_sign: bool) -> int:
    """Return the number in a block, which has the bytes of an object of the program (DWARF 5 4.1);
    `IllFormed` for one that is too large.

    `name`: that of the attribute.
    """
    if len(data) > MAX_CONSTANT_BYTES:
        raise IllFormed(f"{name} of the entry at {die.offset:#x} has {len(data)} bytes")
    return int.from_bytes(data, die.unit.endian, signed=has_sign)


def enumerator_value(die: Die, underlying: Base | None) -> int | None:
    """Return the value of an enumerator of an enumeration; None if it has none.

    A form with the size of the underlying type has the sign of this, which nothing gives to an
    enumeration without one: `Unsupported` for a number that may be negative.
    """
    attribute = die.attribute(dw.AT_CONST_VALUE)
    if attribute is None:
        return None
    has_sign = underlying is not None and underlying.base.is_signed
    raw = attribute.raw
    if attribute.kind == "block" and isinstance(raw, bytes):
        number = number_of_bytes(die, "DW_AT_const_value", raw, has_sign=has_sign)
        size = len(raw)
    else:
        constant = die.integer(dw.AT_CONST_VALUE)
        size = FIXED_DATA.get(attribute.form, 0)
        if constant is None or (underlying is not None and size != underlying.size_bytes):
            return constant
        number = signed(constant, 8 * size) if has_sign and size else constant
    if underlying is None and size > 8 and number >> 8 * size - 1:
        raise Unsupported(
            f"the enumerator at {die.offset:#x} is of an enumeration without a type: whether it is"
            " negative is unknown"
        )
    return number


def require_type(die: Die) -> None:
    """Raise `IllFormed` for an entry that describes no type."""
    if die.tag in dw.NO_TYPES:
        raise die.located(IllFormed(f"it is in place of a type, with DW_TAG {die.tag:#x}"))


def linked_name(die: Die) -> str | None:
    """Return the simple name of `typedef struct {} Name` that linkers know. GCC writes the whole
    name: `5Named`, and `N2ns5NamedE` in a namespace or class. None, which the file notes, beyond
    the limit of such names."""
    linked = die.linkage_name or ""
    if linked[:1] != "N" and not "1" <= linked[:1] <= "9":
        return None
    from dwarfgpu.dwarf.names.demangle import last_of_path  # few types have only this name

    last = last_of_path(linked)
    if last:
        return last
    sections = die.unit.sections
    try:
        names = sections.program.shared(LinkedNames)
        return names.read(_last_in, linked, sections.object.limits)
    except LimitExceeded as error:
        die.unit.info.main.note_unknown_type(error.with_traceback(None))
        return None


def _last_in(linked: str) -> str | None:
    from dwarfgpu.dwarf.names.demangle import demangled_last

    return demangled_last(f"_Z{linked}")


def _canonical(die: Die, base: BaseType) -> BaseType:
    """Return the canonical base type: in C and C++ `long unsigned int` is `unsigned long`, as GDB
    has it. So it is where units of both share it, whose language is unknown."""
    unit = die.unit
    if unit.is_cplusplus or unit.language in dw.C or unit.is_shared:
        return evolve(base, name=canonical(base.name))
    return base
