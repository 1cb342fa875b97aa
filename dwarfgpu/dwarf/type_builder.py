"""From type entries to types (DWARF 5 chapter 5).

Law: one entry gives one `Type` object, the same each time. What an entry refers to is built when
it is asked for, so that neither a recursive type nor a hostile chain recurses here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.base_types import base_type_of
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import read_uleb
from dwarfgpu.dwarf.types import (
    MAX_CHAIN,
    Array,
    Base,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    PointerKind,
    Qualified,
    Qualifier,
    Struct,
    StructKind,
    Type,
    Typedef,
    Unspecified,
    size_bytes,
)
from dwarfgpu.errors import IllFormed, Malformed
from dwarfgpu.expr.upstream import ADDRESS_SPACES

if TYPE_CHECKING:
    from dwarfgpu.dwarf.info import DebugInfo

_POINTERS: Final[dict[int, PointerKind]] = {
    dw.TAG_POINTER_TYPE: "pointer",
    dw.TAG_REFERENCE_TYPE: "reference",
    dw.TAG_RVALUE_REFERENCE_TYPE: "rvalue_reference",
}
_STRUCTS: Final[dict[int, StructKind]] = {
    dw.TAG_STRUCTURE_TYPE: "struct",
    dw.TAG_UNION_TYPE: "union",
    dw.TAG_CLASS_TYPE: "class",
}
_QUALIFIERS: Final[dict[int, Qualifier]] = {
    dw.TAG_CONST_TYPE: "const",
    dw.TAG_VOLATILE_TYPE: "volatile",
    dw.TAG_RESTRICT_TYPE: "restrict",
    dw.TAG_ATOMIC_TYPE: "atomic",
}
_OP_PLUS_UCONST: Final = 0x23
_OP_CONSTU: Final = 0x10


class TypeBuilder:
    """The types of one object file, by their entries."""

    def __init__(self, info: DebugInfo) -> None:
        self._info = info
        self._built: dict[int, Type] = {}

    def type_of(self, die: Die) -> Type | None:
        """The type that an entry or its origins name with DW_AT_type; None is void."""
        holder = die.holder(dw.AT_TYPE)
        return None if holder is None else self._referenced(holder, dw.AT_TYPE)

    def size_of_object(self, die: Die) -> int | None:
        """The size in bytes of the object that an entry describes; None where not known."""
        return size_bytes(self.type_of(die))

    def build(self, die: Die) -> Type:
        """The type that an entry describes."""
        built = self._built.get(die.offset)
        if built is None:
            built = self._built[die.offset] = self._build(die)
        return built

    def _build(self, die: Die) -> Type:
        tag = die.tag
        if tag == dw.TAG_BASE_TYPE:
            return Base(base_type_of(die))
        if tag in _POINTERS:
            return self._pointer(die, _POINTERS[tag])
        if tag in _STRUCTS:
            return self._struct(die, _STRUCTS[tag])
        if tag in _QUALIFIERS:
            return Qualified(_QUALIFIERS[tag], self._target(die))
        if tag in (dw.TAG_TYPEDEF, dw.TAG_SUBRANGE_TYPE):
            return Typedef(die.name or "subrange", self._target(die))
        if tag == dw.TAG_ARRAY_TYPE:
            return self._array(die)
        if tag == dw.TAG_ENUMERATION_TYPE:
            return self._enum(die)
        if tag in (dw.TAG_SUBROUTINE_TYPE, dw.TAG_SUBPROGRAM):
            return self._function(die)
        if tag == dw.TAG_PTR_TO_MEMBER_TYPE:
            return MemberPointer(
                self._target(die),
                self._target(die, dw.AT_CONTAINING_TYPE),
                die.integer(dw.AT_BYTE_SIZE) or die.unit.format.address_size,
            )
        return Unspecified(die.name or f"DW_TAG {tag:#x}", die.integer(dw.AT_BYTE_SIZE))

    def _referenced(self, die: Die, name: int) -> Type | None:
        target = die.reference(name)
        return None if target is None else self.build(target)

    def _target(self, die: Die, name: int = dw.AT_TYPE) -> Callable[[], Type | None]:
        """A function that gives the type an attribute refers to; it is looked up once."""
        found: list[Type | None] = []

        def target() -> Type | None:
            if not found:
                found.append(self._referenced(die, name))
            return found[0]

        return target

    def _pointer(self, die: Die, kind: PointerKind) -> Pointer:
        return Pointer(
            self._target(die),
            kind,
            _pointer_bytes(die),
            die.llvm_integer(dw.AT_LLVM_ADDRESS_SPACE) or 0,
            die.integer(dw.AT_ADDRESS_CLASS),
            die.llvm_integer(dw.AT_LLVM_MEMORY_SPACE),
            die.name,
        )

    def _array(self, die: Die) -> Array:
        dimensions: list[int | None] = []
        stride = _bits(die, dw.AT_BIT_STRIDE, dw.AT_BYTE_STRIDE)
        for child in die.children():
            if child.tag == dw.TAG_SUBRANGE_TYPE:
                dimensions.append(_count(child))
                inner = _bits(child, dw.AT_BIT_STRIDE, dw.AT_BYTE_STRIDE)
                stride = stride if inner is None else inner
            elif child.tag == dw.TAG_ENUMERATION_TYPE:
                dimensions.append(len(self._enum(child).enumerators))
        return Array(
            self._target(die),
            tuple(dimensions) or (None,),
            stride,
            die.flag(dw.AT_GNU_VECTOR),
            die.name,
            die.integer(dw.AT_BYTE_SIZE),
        )

    def _struct(self, die: Die, kind: StructKind) -> Struct:
        made: list[tuple[Member, ...]] = []

        def members() -> tuple[Member, ...]:
            if not made:
                made.append(tuple(self._members(die)))
            return made[0]

        is_declaration = die.flag(dw.AT_DECLARATION)
        size = None if is_declaration else die.integer(dw.AT_BYTE_SIZE)
        return Struct(kind, die.name, size, members, is_declaration)

    def _members(self, die: Die) -> list[Member]:
        wanted = (dw.TAG_MEMBER, dw.TAG_INHERITANCE, dw.TAG_VARIABLE)
        return [self._member(child) for child in die.children() if child.tag in wanted]

    def _member(self, die: Die) -> Member:
        is_static = die.tag == dw.TAG_VARIABLE or die.flag(dw.AT_EXTERNAL)
        offset, expression = (None, None) if is_static else _place(die)
        return Member(
            die.name,
            self._target(die),
            offset,
            die.integer(dw.AT_BIT_SIZE),
            expression,
            is_static,
            die.tag == dw.TAG_INHERITANCE,
            die.flag(dw.AT_ARTIFICIAL),
        )

    def _enum(self, die: Die) -> Enum:
        underlying = _underlying(die)
        enumerators: list[tuple[str, int]] = []
        for child in die.children():
            if child.tag == dw.TAG_ENUMERATOR:
                value = child.integer(dw.AT_CONST_VALUE)
                if value is None:
                    raise IllFormed(f"enumerator at {child.offset:#x} has no value")
                enumerators.append((child.name or "", value))
        size = die.integer(dw.AT_BYTE_SIZE)
        if size is None:
            size = 4 if underlying is None else underlying.size_bytes
        is_signed = any(value < 0 for _, value in enumerators)
        if underlying is not None:
            is_signed = underlying.base.is_signed
        return Enum(die.name, size, tuple(enumerators), is_signed, die.flag(dw.AT_ENUM_CLASS))

    def _function(self, die: Die) -> Function:
        children = list(die.children())
        return Function(
            self._target(die),
            tuple(self._target(c) for c in children if c.tag == dw.TAG_FORMAL_PARAMETER),
            die.flag(dw.AT_PROTOTYPED),
            any(c.tag == dw.TAG_UNSPECIFIED_PARAMETERS for c in children),
            die.name,
        )


def _pointer_bytes(die: Die) -> int:
    """The size of a pointer; without DW_AT_byte_size, that of addresses of its space (A.5.3)."""
    size = die.integer(dw.AT_BYTE_SIZE)
    if size is not None:
        return size
    number = die.llvm_integer(dw.AT_LLVM_ADDRESS_SPACE)
    if number is None and die.has(dw.AT_ADDRESS_CLASS) and die.unit.dialect.upstream_clang:
        number = ADDRESS_SPACES.get(die.integer(dw.AT_ADDRESS_CLASS) or 0)
    architecture = die.unit.info.architecture
    space = None if architecture is None else architecture.address_spaces.get(number or 0)
    return die.unit.format.address_size if not number or space is None else space.address_bits // 8


def _underlying(die: Die) -> Base | None:
    """The base type below an enumeration, whatever typedefs and qualifiers are between."""
    target = die.reference(dw.AT_TYPE)
    for _ in range(MAX_CHAIN):
        if target is None:
            return None
        if target.tag == dw.TAG_BASE_TYPE:
            return Base(base_type_of(target))
        if target.tag != dw.TAG_TYPEDEF and target.tag not in _QUALIFIERS:
            return None
        target = target.reference(dw.AT_TYPE)
    raise IllFormed(f"enumeration at {die.offset:#x} has more than {MAX_CHAIN} types below it")


def _bits(die: Die, in_bits: int, in_bytes: int) -> int | None:
    """A size in bits that is given by one of two attributes."""
    bits = die.integer(in_bits)
    if bits is not None:
        return bits
    size = die.integer(in_bytes)
    return None if size is None else size * 8


def _count(die: Die) -> int | None:
    """The number of elements of a subrange (DWARF 5 5.13); None where it is not constant."""
    count = die.integer(dw.AT_COUNT)
    if count is not None:
        return count
    upper = die.integer(dw.AT_UPPER_BOUND)
    if upper is None:
        return None
    # Only an upper bound of -1, that of an empty array, is negative in a form of fixed size.
    if die.signed_integer(dw.AT_UPPER_BOUND) == -1:
        upper = -1
    lower = die.signed_integer(dw.AT_LOWER_BOUND)
    if lower is None:
        lower = 1 if die.unit.language in dw.LOWER_BOUND_ONE else 0
    return max(0, upper - lower + 1)


def _place(die: Die) -> tuple[int | None, bytes | None]:
    """The bit offset of a member, or the expression that tells it (DWARF 5 5.7.6)."""
    bit_offset = die.integer(dw.AT_DATA_BIT_OFFSET)
    if bit_offset is not None:
        return bit_offset, None
    start = die.integer(dw.AT_DATA_MEMBER_LOCATION)
    if start is None and (expression := die.expression(dw.AT_DATA_MEMBER_LOCATION)) is not None:
        start = _constant_offset(expression)
        if start is None:
            return None, expression
    # DWARF 2 and 3 count a bit-field from the most significant bit of its storage unit.
    from_top = die.integer(dw.AT_BIT_OFFSET)
    bit_size = die.integer(dw.AT_BIT_SIZE)
    if from_top is None or bit_size is None:
        return (start or 0) * 8, None
    if die.unit.endian == "little":
        storage = die.integer(dw.AT_BYTE_SIZE) or die.unit.info.types.size_of_object(die)
        if storage is None:
            raise IllFormed(
                f"bit-field at {die.offset:#x} has DW_AT_bit_offset, and storage of unknown size"
            )
        from_top = storage * 8 - from_top - bit_size
    return (start or 0) * 8 + from_top, None


def _constant_offset(expression: bytes) -> int | None:
    """The offset that DWARF 2 wrote as `plus_uconst`, or `constu; plus`, of the address."""
    if not expression or expression[0] not in (_OP_PLUS_UCONST, _OP_CONSTU):
        return None
    try:
        value, position = read_uleb(expression, 1, len(expression))
    except Malformed:
        return None
    rest = b"" if expression[0] == _OP_PLUS_UCONST else b"\x22"
    return value if expression[position:] == rest else None
