"""Types of the source program (DWARF 5 chapter 5), as nouns.

Laws: a type is equal to itself only, so that a recursive type is never walked by `==` or `hash`;
a reference to another type may be a function that gives it, called at each use, so that
`struct node { struct node *next; }` can be made; whoever gives such a function keeps the answer,
so that it is the same each time. Walks here are loops with a bound, whatever the input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias, Union, assert_never

from attrs import field, frozen

from dwarfgpu.basetype import BaseType
from dwarfgpu.errors import IllFormed, shown

PointerKind = Literal["pointer", "reference", "rvalue_reference"]
StructKind = Literal["struct", "union", "class"]
Qualifier = Literal["const", "volatile", "restrict", "atomic"]

MAX_CHAIN: Final = 1_000
"""Types that refer to one another in a chain; a longer chain is a cycle or an attack."""
MAX_DIMENSIONS: Final = 100
"""Dimensions of an array that has a size."""
LARGEST_BITS: Final = 1 << 67
"""The size of the largest address space."""


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
    _members: tuple[Member, ...] | Callable[[], tuple[Member, ...]] = field(default=(), repr=False)
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
    _bare: list[BareType | None] = field(factory=list, init=False, repr=False)
    """What `strip` has found."""

    @property
    def target(self) -> Type | None:
        return _resolved(self._target)


@frozen(eq=False)
class Qualified:
    """A type with one qualifier (DWARF 5 5.3)."""

    qualifier: Qualifier
    _target: TypeReference = field(repr=False)
    _bare: list[BareType | None] = field(factory=list, init=False, repr=False)
    """What `strip` has found."""

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


BareType: TypeAlias = (
    Base | Pointer | MemberPointer | Array | Struct | Enum | Function | Unspecified
)
"""A source type that is neither another name nor a qualification of one."""

Type: TypeAlias = BareType | Typedef | Qualified
"""A source type. `None` in its place is void."""

TypeReference: TypeAlias = Union["Type", None, Callable[[], Union["Type", None]]]
"""A type, or a function that gives it."""


def _resolved(reference: TypeReference) -> Type | None:
    return reference() if callable(reference) else reference


def strip(kind: Type | None) -> BareType | None:
    """The type without typedefs and qualifiers; `IllFormed` where they form a cycle."""
    if not isinstance(kind, Typedef | Qualified):
        return kind
    if kind._bare:
        return kind._bare[0]
    inner: Type | None = kind
    for _ in range(MAX_CHAIN):
        if not isinstance(inner, Typedef | Qualified):
            kind._bare.append(inner)
            return inner
        inner = inner.target
    raise IllFormed(f"more than {MAX_CHAIN} typedefs and qualifiers refer to one another")


def size_bytes(kind: Type | None) -> int | None:
    """The size of an object of the type in bytes, rounded up; None where it is not known."""
    size = size_bits(kind)
    return None if size is None else (size + 7) // 8


def size_bits(kind: Type | None) -> int | None:
    """The size of an object of the type; None where it is not known (void, incomplete).

    `IllFormed` where no address space could hold it.
    """
    size = _size_bits(kind)
    if size is not None and not 0 <= size <= LARGEST_BITS:
        raise IllFormed(f"the size of a type in bits is {shown(size)}")
    return size


def _size_bits(kind: Type | None) -> int | None:
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
                if len(kind.dimensions) > MAX_DIMENSIONS:
                    raise IllFormed(f"an array has {len(kind.dimensions)} dimensions")
                for dimension in kind.dimensions:
                    if dimension is None:
                        return None
                    count *= max(dimension, 0)
                    if count > LARGEST_BITS:
                        raise IllFormed("an array has more elements than an address space has bits")
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


def type_name(kind: Type | None, *, cplusplus: bool = False) -> str:
    """The type as C spells it and as GDB prints it: `struct s *`, `char (*)[4]`, `void (*)(int)`.

    `cplusplus`: structures are named without their tag. Never raises: a type that refers to
    itself by no name ends in `...`.
    """
    return _Speller(cplusplus).spelled(kind)


_NAME_PARTS: Final = 100
"""Types in one name; those beyond it are `...`."""
_NAME_DIMENSIONS: Final = 32


class _Speller:
    """Spells one name; `parts_left` bounds its length and the depth of the recursion."""

    def __init__(self, cplusplus: bool) -> None:
        self.cplusplus = cplusplus
        self.parts_left = _NAME_PARTS

    def spelled(self, kind: Type | None) -> str:
        """A declarator is built from the name outwards: `*` to the left, `[3]` and `(…)` right."""
        declarator = words = ""
        after_pointer = False
        while self.parts_left > 0:
            self.parts_left -= 1
            if isinstance(kind, Qualified):
                kind, words = _qualified(kind, self.cplusplus)
                continue
            if isinstance(kind, MemberPointer) or (isinstance(kind, Pointer) and kind.name is None):
                if words:
                    declarator = f" {words} {declarator}" if declarator else f" {words}"
                    words = ""
                declarator = self.pointer_mark(kind) + declarator
                kind, after_pointer = kind.target, True
                continue
            if not _is_derived(kind):
                break
            declarator = f"({declarator})" if after_pointer else declarator
            after_pointer = False
            if isinstance(kind, Array):  # a qualified array is one of qualified elements: C 6.7.3
                declarator = _array_mark(kind, declarator)
                kind = kind.element
            elif isinstance(kind, Function):
                declarator += self.parameters(kind)
                kind = kind.result
        leaf = "..." if _is_derived(kind) else _leaf(kind, self.cplusplus)
        return " ".join(part for part in (words, leaf, declarator) if part)

    def pointer_mark(self, kind: Pointer | MemberPointer) -> str:
        if isinstance(kind, MemberPointer):
            return f"{self.spelled(kind.container)}::*"
        return {"pointer": "*", "reference": "&", "rvalue_reference": "&&"}[kind.kind]

    def parameters(self, kind: Function) -> str:
        names: list[str] = []
        parameters = kind.parameters
        for parameter in parameters:
            if self.parts_left <= 0:
                break
            names.append(self.spelled(parameter))
        if kind.is_variadic or len(names) < len(parameters):
            names.append("...")
        if not names and (kind.is_prototyped or self.cplusplus):
            names.append("void")
        return f"({', '.join(names)})"


def _is_derived(kind: Type | None) -> bool:
    """Whether the spelling of the type is that of another one and a mark."""
    if isinstance(kind, Pointer | Array | Function):
        return kind.name is None
    return isinstance(kind, MemberPointer)


def _array_mark(kind: Array, declarator: str) -> str:
    shown = kind.dimensions[:_NAME_DIMENSIONS]
    counts = ["" if count is None else str(count) if count < 1 << 64 else "..." for count in shown]
    if len(shown) < len(kind.dimensions):
        counts.append("...")
    if kind.is_vector:
        return f"__attribute__ ((vector_size({', '.join(counts)}))){declarator}"
    return declarator + "".join(f"[{count}]" for count in counts)


def _qualified(kind: Qualified, cplusplus: bool) -> tuple[Type | None, str]:
    """What is qualified, and all the qualifiers in GDB's order."""
    found: set[str] = set()
    inner: Type | None = kind
    for _ in range(_NAME_PARTS):
        if not isinstance(inner, Qualified):
            break
        found.add(inner.qualifier)
        inner = inner.target
    words = {
        "const": "const",
        "volatile": "volatile",
        "restrict": "__restrict__" if cplusplus else "restrict",
        "atomic": "_Atomic",
    }
    return inner, " ".join(word for qualifier, word in words.items() if qualifier in found)


def _leaf(kind: Type | None, cplusplus: bool) -> str:
    match kind:
        case None:
            return "void"
        case Struct() | Enum():
            tag = "enum" if isinstance(kind, Enum) else kind.kind
            if kind.name is None:
                return f"{tag} {{...}}"
            return kind.name if cplusplus or tag == "class" else f"{tag} {kind.name}"
        case Base() | Typedef() | Unspecified():
            return kind.name
        case Pointer() | Array() | Function():
            return kind.name or "..."
        case MemberPointer() | Qualified():
            return "..."
        case other:
            assert_never(other)
