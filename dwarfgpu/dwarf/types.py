"""Types of the source program (DWARF 5 chapter 5), as nouns.

Laws: a type is equal to itself only, so that a recursive type is never walked by `==` or `hash`;
a reference to another type may be a function that gives it, called at each use, so that
`struct node { struct node *next; }` can be made; whoever gives such a function keeps the answer,
so that it is the same each time. Walks here are loops with a bound, whatever the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias, Union, assert_never

from attrs import field, frozen

from dwarfgpu.basetype import BaseType
from dwarfgpu.errors import IllFormed

PointerKind = Literal["pointer", "reference", "rvalue_reference"]
StructKind = Literal["struct", "union", "class"]
Qualifier = Literal["const", "volatile", "restrict", "atomic"]

MAX_CHAIN: Final = 1_000
"""Types that refer to one another in a chain; a longer chain is a cycle or an attack."""


@frozen(eq=False)
class Base:
    """A base type (DWARF 5 5.1), vectors of DW_AT_LLVM_vector_size included."""

    base: BaseType

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def size_bytes(self) -> int:
        return self.base.size_bytes


@frozen(eq=False)
class Pointer:
    """A pointer or reference (DWARF 5 5.3; AMD text A.5.3)."""

    _target: TypeReference = field(repr=False)
    kind: PointerKind = "pointer"
    size_bytes: int = 8
    address_space: int = 0
    """DW_AT_LLVM_address_space: the DWARF address space of what it points to."""
    address_class: int | None = None
    """DW_AT_address_class as clang emits it, in clang's own numbering."""
    memory_space: int | None = None
    """DW_AT_LLVM_memory_space (A.2.14)."""
    name: str | None = None

    @property
    def target(self) -> Type | None:
        """What it points to; None is void."""
        return _resolved(self._target)


@frozen(eq=False)
class MemberPointer:
    """A C++ pointer to member (DWARF 5 5.14)."""

    _target: TypeReference = field(repr=False)
    _container: TypeReference = field(default=None, repr=False)
    size_bytes: int = 8

    @property
    def target(self) -> Type | None:
        """The type of the member."""
        return _resolved(self._target)

    @property
    def container(self) -> Type | None:
        """The class of which it is a member."""
        return _resolved(self._container)


@frozen(eq=False)
class Array:
    """An array (DWARF 5 5.5), row major: the last dimension varies fastest."""

    _element: TypeReference = field(repr=False)
    dimensions: tuple[int | None, ...]
    """Number of elements of each dimension, outermost first; None where unknown."""
    stride_bits: int | None = None
    """Distance of two neighbouring elements of the last dimension; None: their size."""
    is_vector: bool = False
    """DW_AT_GNU_vector."""
    name: str | None = None
    declared_bytes: int | None = None
    """DW_AT_byte_size."""

    @property
    def element(self) -> Type | None:
        return _resolved(self._element)


@frozen(eq=False)
class Member:
    """A data member, static member or base class of a structure (DWARF 5 5.7)."""

    name: str | None
    """None for an anonymous structure or union, and for padding."""
    _type: TypeReference = field(repr=False)
    bit_offset: int | None = 0
    """From the start of the containing object, in storage order (DW_AT_data_bit_offset).

    None where `location_expression` tells, and for a static member.
    """
    bit_size: int | None = None
    """Size of a bit-field; None for any other member."""
    location_expression: bytes | None = None
    """DW_AT_data_member_location where it is an expression."""
    is_static: bool = False
    is_base_class: bool = False
    is_artificial: bool = False

    @property
    def type(self) -> Type | None:
        return _resolved(self._type)


@frozen(eq=False)
class Struct:
    """A structure, union or class (DWARF 5 5.7)."""

    kind: StructKind
    name: str | None
    size_bytes: int | None
    """None for an incomplete type, which has no known size."""
    _members: tuple[Member, ...] | Callable[[], tuple[Member, ...]] = field(
        default=(), repr=False
    )
    is_declaration: bool = False

    @property
    def members(self) -> tuple[Member, ...]:
        """In declaration order."""
        return self._members() if callable(self._members) else self._members


@frozen(eq=False)
class Enum:
    """An enumeration (DWARF 5 5.8)."""

    name: str | None
    size_bytes: int
    enumerators: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """Name and value, in declaration order."""
    is_signed: bool = False
    is_scoped: bool = False
    """DW_AT_enum_class: an enumerator is spelled with the name of its type."""


@frozen(eq=False)
class Typedef:
    """Another name of a type (DWARF 5 5.4)."""

    name: str
    _target: TypeReference = field(repr=False)

    @property
    def target(self) -> Type | None:
        return _resolved(self._target)


@frozen(eq=False)
class Qualified:
    """A type with one qualifier (DWARF 5 5.3)."""

    qualifier: Qualifier
    _target: TypeReference = field(repr=False)

    @property
    def target(self) -> Type | None:
        return _resolved(self._target)


@frozen(eq=False)
class Function:
    """A subroutine type (DWARF 5 5.10)."""

    _result: TypeReference = field(default=None, repr=False)
    _parameters: tuple[TypeReference, ...] = field(default=(), repr=False)
    is_prototyped: bool = True
    is_variadic: bool = False
    name: str | None = None

    @property
    def result(self) -> Type | None:
        """What it returns; None is void."""
        return _resolved(self._result)

    @property
    def parameters(self) -> tuple[Type | None, ...]:
        return tuple(_resolved(parameter) for parameter in self._parameters)


@frozen(eq=False)
class Unspecified:
    """DW_TAG_unspecified_type, or a type that dwarfgpu does not know: it has only a name."""

    name: str
    size_bytes: int | None = None


Type: TypeAlias = (
    Base
    | Pointer
    | MemberPointer
    | Array
    | Struct
    | Enum
    | Typedef
    | Qualified
    | Function
    | Unspecified
)
"""A source type. `None` in its place is void."""

TypeReference: TypeAlias = Union["Type", None, Callable[[], Union["Type", None]]]
"""A type, or a function that gives it."""


def _resolved(reference: TypeReference) -> Type | None:
    return reference() if callable(reference) else reference


def strip(kind: Type | None) -> Type | None:
    """The type without typedefs and qualifiers; `IllFormed` where they form a cycle."""
    for _ in range(MAX_CHAIN):
        if not isinstance(kind, Typedef | Qualified):
            return kind
        kind = kind.target
    raise IllFormed(
        f"more than {MAX_CHAIN} typedefs and qualifiers refer to one another"
    )


def size_bytes(kind: Type | None) -> int | None:
    """The size of an object of the type in bytes, rounded up; None where it is not known."""
    size = size_bits(kind)
    return None if size is None else (size + 7) // 8


def size_bits(kind: Type | None) -> int | None:
    """The size of an object of the type; None where it is not known (void, incomplete)."""
    count = 1
    for _ in range(MAX_CHAIN):
        match kind:
            case None | Function():
                return None
            case Typedef() | Qualified():
                kind = kind.target
            case Array(declared_bytes=int() as declared):
                return count * declared * 8
            case Array():
                for dimension in kind.dimensions:
                    if dimension is None:
                        return None
                    count *= dimension
                if kind.stride_bits is not None:
                    return count * kind.stride_bits
                kind = kind.element
            case Base():
                return count * kind.base.bit_size
            case Pointer() | MemberPointer() | Enum() | Struct() | Unspecified():
                return None if kind.size_bytes is None else count * kind.size_bytes * 8
            case other:
                assert_never(other)
    raise IllFormed(f"more than {MAX_CHAIN} types refer to one another")
