"""Source program types as data (DWARF 5 chapter 5).

Laws: a type is equal to itself only, so that `==` and `hash` never walk a recursive type; a
reference to another type may be a function, called at each use, so that `struct node { struct node
*next; }` can be made; the provider of such a function caches the result, so that it is the same
each time. Walks here are loops with a bound, for all input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from dwarfgpu.arch.model import FlagField
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.chains import End, ends_of
from dwarfgpu.base.records import evolve, field, force_setattr, frozen
from dwarfgpu.dwarf.types.class_parts import Access, Declarations, MemberIndex
from dwarfgpu.dwarf.types.dynamic_properties import ComputedRange, Properties
from dwarfgpu.errors import DwarfGpuError, IllFormed, shown
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.objfile.file_bytes import OfOpenFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.die import Die

PointerKind = Literal["pointer", "reference", "rvalue_reference"]
StructKind = Literal["struct", "union", "class"]
Qualifier = Literal["const", "volatile", "restrict", "atomic", "immutable", "packed", "shared"]

NULLPTR_NAMES: Final = frozenset({"decltype(nullptr)", "nullptr_t", "std::nullptr_t"})
"""What compilers call the type of `nullptr`, an unspecified type (DWARF 5 5.2)."""
UNIT_NAME: Final = "()"
"""What rustc calls its type of one value, a base type of 0 bytes; GDB shows the value so, too."""
SYSTEM_ADDRESS: Final = "system__address"
"""What GNAT calls System.Address of Ada, a base type of numbers; GDB shows them as addresses."""
MAX_CHAIN: Final = 1_000
"""Types that refer to one another in a chain; a longer chain is a cycle or an attack."""
WIDE_CHARACTERS: Final = {"wchar_t": "L", "char16_t": "u", "char32_t": "U"}
"""Names of types whose values are characters, with what is before strings of them."""
Scope: TypeAlias = str | Callable[[], str]
"""The scope of a type, or a function that returns it: few are ever spelled."""

UNKNOWN_SPACE: Final = -1
"""The address space of a pointer of the source where it is unknown."""
MAX_TYPE_BITS: Final = 1 << 67
"""The size of the largest address space."""


class _OfFile(OfOpenFile):
    """A type: it belongs to the file that declares it."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the type as C spells it, one without a name as `struct {...}`."""
        # Only here: the spelling of types is made of these classes.
        from dwarfgpu.dwarf.names.type_names import type_name

        return type_name(cast("Type", self))


class _Spelled(_OfFile):
    """A type spelled by its components."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The type as C spells it: `const int`, `struct s *`, `char (*)[4]`."""
        return str(self)


@frozen
class Range:
    """The values of a subrange type with constant bounds (5.13)."""

    lower: int
    upper: int
    is_modular: bool
    """Whether the type on which it is based has no sign: a modular type of Ada."""


@frozen(eq=False)
class Base(_OfFile):
    """A base type (DWARF 5 5.1), vectors of DW_AT_LLVM_vector_size included."""

    base: BaseType
    is_range: bool = False
    """A subrange type (5.13): its values are numbers, however small they are."""
    flags: tuple[FlagField, ...] = ()
    """The fields of a register that is made of flags."""
    storage_bits: int | None = None
    """The size of its objects, if their values have fewer bits (DW_AT_bit_size, 5.1)."""
    first_bit: int = 0
    """Where values begin in their storage, in storage order (DW_AT_data_bit_offset, 5.1)."""
    is_never_negative: bool = False
    """Whether a signed subrange type has no negative values, so that fewer bits have no sign."""
    is_byte: bool = False
    """`u8` or `i8` of Rust: a number, and a character only where a pointer leads to it, as in
    `str`."""
    unpacked_bits: int | None = None
    """Of an element of a packed array: the size of the declared type."""
    range: Range | ComputedRange | None = None
    """Of a subrange type of Ada, its values."""
    modulus: int | None = None
    """Of a modular type of Ada that has not as many values as its bits, how many it has."""

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def size_bits(self) -> int:
        """The size of an object, which may be more than that of its value."""
        return self.base.bit_size if self.storage_bits is None else self.storage_bits

    @property
    def size_bytes(self) -> int:
        return (self.size_bits + 7) // 8


@frozen(eq=False)
class Pointer(_Spelled):
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
    own_name: str | None = None
    """DW_AT_name, which few of these types have."""
    source_space: int | None = None
    """Of `&x`: the address space that the source has for this type, where `address_space` is the
    one of the object, as generic for a private variable of C++; or `UNKNOWN_SPACE`."""
    is_unqualified: bool = False
    """Whether the language gave it the `address_space`, which the source does not name."""

    @property
    def target(self) -> Type | None:
        """The type that it points to; None is void."""
        return _resolved(self._target)


@frozen(eq=False)
class MemberPointer(_Spelled):
    """A C++ pointer to member (DWARF 5 5.14)."""

    _target: TypeReference = field(repr=False)
    _container: TypeReference = field(default=None, repr=False)
    size_bytes: int = 8
    use_location: ExprLoc | LocList | None = None
    """DW_AT_use_location (A.5.14): locates the member of an object; None if the ABI does."""

    @property
    def target(self) -> Type | None:
        """The type of the member."""
        return _resolved(self._target)

    @property
    def container(self) -> Type | None:
        """The class to which the member belongs."""
        return _resolved(self._container)


@frozen(eq=False)
class Contents:
    """What is in an array, also where its elements are arrays."""

    element: BareType | None
    """The type of what is no array."""
    size_bits: int | DwarfGpuError | None
    lost_length: str | None = None
    """The first reason why a length is optimized out, from the outermost array on."""
    empty: Array | None = None
    """The outermost array that has no elements."""


@frozen(eq=False)
class Array(_Spelled):
    """An array (DWARF 5 5.5), row major: the last dimension varies fastest.

    Dimensions of DW_ORD_col_major arrays are reversed. Strings of a string type are arrays of
    characters.
    """

    _element: TypeReference = field(repr=False)
    dimensions: tuple[int | None, ...]
    """Number of elements of each dimension, outermost first; None where unknown."""
    strides_bits: tuple[int | None, ...] = ()
    """Stride of each dimension; None or missing: the size of its elements.

    Negative if the first element has the highest address: the object begins at the lowest.
    """
    is_vector: bool = False
    """DW_AT_GNU_vector."""
    own_name: str | None = None
    """DW_AT_name, which few of these types have."""
    declared_bits: int | None = None
    """DW_AT_byte_size or DW_AT_bit_size."""
    lower_bounds: tuple[int | None, ...] = ()
    """The first index of each dimension; missing: 0. None if unknown."""
    indexes: tuple[TypeReference, ...] = field(default=(), repr=False)
    """The type of the indexes of each dimension, for an array of Ada or Pascal; missing: an
    integer.

    Indexes of an enumeration whose values have gaps are positions of enumerators.
    """
    attribute: Literal["", "allocatable", "pointer"] = ""
    """What DW_AT_allocated or DW_AT_associated say of the object with this type (5.18)."""
    lost_length: str | None = None
    """Why the number of elements is optimized out, if it is."""
    is_section: bool = False
    """Whether the array is one of Fortran, which may be a section: what is between its elements is
    not its own, and with strides it ends behind the last one."""
    is_value: bool = False
    """Whether it is an array of Pascal or Rust, or a literal of a language whose strings are
    counted: one of no elements is shown as that, not as a pointer, and characters have no NUL
    behind the last one."""
    is_short_string: bool = False
    """Whether it is a short string of Free Pascal, whose upper bound is its length: nothing says
    for how many characters there is room."""
    is_part_of_named: bool = False
    """Whether it is a slice of an array of a named type of Ada, behind the first element: nothing
    says whether that type was defined with its bounds, with which results of `&` begin then."""
    lasts_of_none: tuple[int | None, ...] = ()
    """The last index of each dimension that has no elements, as it is declared: 2 for `5 .. 2` of
    Ada (2012 3.6.2). None or missing: the index before the first."""
    contents: End[Contents] | None = field(default=None, init=False, repr=False)
    """What `type_sizes` has found in it."""

    @property
    def element(self) -> Type | None:
        return _resolved(self._element)

    @property
    def lower_bound(self) -> int | None:
        """The index of the first element."""
        return self.lower_bounds[0] if self.lower_bounds else 0

    def last_index(self, dimension: int) -> int | None:
        """Return the upper bound of a dimension; None if unknown."""
        lower = self.lower_bounds[dimension] if self.lower_bounds else 0
        count = self.dimensions[dimension]
        if lower is None or count is None:
            return None
        declared = self.lasts_of_none[dimension] if not count and self.lasts_of_none else None
        return lower + count - 1 if declared is None else declared


@frozen(eq=False)
class Member:
    """A data member, static member or base class of a structure (DWARF 5 5.7)."""

    name: str | None
    """None for an anonymous structure or union, and for padding."""
    _type: TypeReference = field(repr=False)
    bit_offset: int | None = 0
    """From the start of the containing object, in storage order (DW_AT_data_bit_offset).

    From the place that `location` gives where there is one; None for a static member.
    """
    _bit_size: int | None = None
    location: ExprLoc | LocList | None = None
    """DW_AT_data_member_location where it is an expression (A.5.7.3)."""
    is_static: bool = False
    is_base_class: bool = False
    is_artificial: bool = False
    is_virtual: bool = False
    """A virtual base class."""
    entry: int | None = None
    """The offset of its entry in `.debug_info`."""
    access: Access = "public"
    die: Die | None = field(default=None, repr=False)
    """Its entry; None for a member that no file describes."""
    error: DwarfGpuError | None = None
    """Why nothing is known of it in this copy: of a variable in a namelist of Fortran, and where
    its place is in a name that is not decoded (GNAT)."""

    @property
    def type(self) -> Type | None:
        return _resolved(self._type)

    @property
    def is_bit_field(self) -> bool:
        return self._bit_size is not None

    @property
    def bit_size(self) -> int | None:
        """The bits with the value of a bit-field; None for one with parts of its own (a packed
        record of Ada). The others are padding, where it is wider than its type (C++ class.bit);
        clang counts them in DW_AT_bit_size."""
        size = self.declared_bit_size
        if size is None:
            return size
        bare = strip(self.type)
        if isinstance(bare, Struct | Array):
            return None
        if size <= 8:  # no type is narrower
            return size
        if isinstance(bare, Base):
            whole = bare.base.bit_size
        else:
            whole = 8 * (bare.size_bytes or 0) if isinstance(bare, Enum) else 0
        return whole if 0 < whole < size and whole % 8 == 0 else size

    @property
    def declared_bit_size(self) -> int | None:
        """Size of a bit-field; None for any other member. `IllFormed` where no field has it."""
        size = self._bit_size
        if size is not None and not 0 <= size <= MAX_TYPE_BITS:
            raise IllFormed(f"DW_AT_bit_size of {self.name or 'a member'} is {shown(size)}")
        return size


@frozen(eq=False)
class Struct(_OfFile):
    """A structure, union or class (DWARF 5 5.7)."""

    kind: StructKind
    name: str | None
    """DW_AT_name; None if it has none, as in GDB's Python: `str` spells it `struct {...}`."""
    size_bytes: int | None
    """None for an incomplete type, which has no known size."""
    _members: tuple[Member, ...] | Callable[[], tuple[Member, ...]] = field(default=(), repr=False)
    is_declaration: bool = False
    _declared: Declarations | Callable[[], Declarations] = field(factory=Declarations, repr=False)
    _scope: Scope = field(default="", repr=False)
    convention: int | None = field(default=None, repr=False)
    """DW_AT_calling_convention: how objects are passed."""
    die: Die | None = field(default=None, repr=False)
    """Its entry; None for one that no file describes."""
    _index: MemberIndex | None = field(default=None, init=False, repr=False)

    @property
    def scope(self) -> str:
        """The namespaces and classes around it, `ns::Outer::`; empty where there are none."""
        return self._scope() if callable(self._scope) else self._scope

    @property
    def members(self) -> tuple[Member, ...]:
        """The members in declaration order."""
        return self._members() if callable(self._members) else self._members

    @property
    def index(self) -> MemberIndex:
        """The same, by name and by place."""
        if self._index is None:
            force_setattr(self, "_index", MemberIndex(self.members))
        assert self._index is not None
        return self._index

    def member_at(self, entry: int) -> Member | None:
        """Return the member for an entry; None if there is none."""
        return self.index.at_entries.get(entry)

    @property
    def declared(self) -> Declarations:
        """The member functions, typedefs and template parameters."""
        return self._declared() if callable(self._declared) else self._declared


_OF_DYNAMIC_ARRAYS: Final = (("length", "ptr"), ("data_ptr", "length"))


def may_be_dynamic_array(struct_type: Struct) -> bool:
    """Return whether a structure has the members of a dynamic array of D or a slice of Rust."""
    members = struct_type.members
    return len(members) == 2 and (members[0].name, members[1].name) in _OF_DYNAMIC_ARRAYS


@frozen(eq=False)
class EnumeratorTable:
    """The enumerators of an enumeration by value and by name."""

    names: dict[int, str]
    """The first name of each value."""
    positions: dict[int, int]
    """How many enumerators are before the first one of each value."""
    values: dict[str, int]
    """The first value of each name."""
    least: int
    greatest: int
    """Of no values: 0, as `least`."""
    has_gaps: bool
    """Whether the value of one is not one more than that of the enumerator before it."""

    @classmethod
    def of(cls, enumerators: tuple[tuple[str, int], ...]) -> EnumeratorTable:
        """Return the table of enumerators in declaration order."""
        numbers = [value for _, value in enumerators]
        positions: dict[int, int] = {}
        for position, value in enumerate(numbers):
            positions.setdefault(value, position)
        return cls(
            {value: enumerators[position][0] for value, position in positions.items()},
            positions,
            dict(reversed(enumerators)),
            min(numbers, default=0),
            max(numbers, default=0),
            bool(numbers) and numbers != [*range(numbers[0], numbers[0] + len(numbers))],
        )


@frozen(eq=False)
class Enum(_OfFile):
    """An enumeration (DWARF 5 5.8)."""

    name: str | None
    """DW_AT_name; None if it has none: `str` spells it `enum {...}`."""
    size_bytes: int | None
    """None if the file has neither the size nor the type of its values."""
    enumerators: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """Name and value, in declaration order."""
    is_signed: bool = False
    is_scoped: bool = False
    """DW_AT_enum_class: an enumerator is spelled with the name of its type."""
    underlying: Base | None = None
    """The type of its values, if the file has it."""
    _scope: Scope = field(default="", repr=False)
    packed_bits: int | None = None
    """The size of an element of a packed array; `size_bytes` is that of the declared type."""
    declared: Enum | None = field(default=None, repr=False)
    """Of an element of a packed array, the declared type."""
    _table: EnumeratorTable | None = field(default=None, init=False, repr=False)

    @property
    def scope(self) -> str:
        """The namespaces and classes around it, `ns::Outer::`."""
        return self._scope() if callable(self._scope) else self._scope

    @property
    def table(self) -> EnumeratorTable:
        """The enumerators by value and by name, made when it is first asked for."""
        if self._table is None:
            force_setattr(self, "_table", EnumeratorTable.of(self.enumerators))
        assert self._table is not None
        return self._table

    @property
    def value_bits(self) -> int:
        """The size of its values; `IllFormed` if that is unknown."""
        if self.packed_bits is not None:
            return self.packed_bits
        if self.size_bytes is None:
            raise IllFormed(f"enumeration {self.name or 'without a name'} has no size")
        return 8 * self.size_bytes

    @property
    def has_negative(self) -> bool:
        """Whether an enumerator is negative: else GDB shows values without a sign, and as flags."""
        return self.table.least < 0


@frozen(eq=False)
class Denoted:
    """What typedefs and qualifiers denote."""

    bare: BareType | None
    """The type at the end."""
    qualifiers: tuple[Qualifier, ...] = ()
    """Each once, outermost first. The elements of an array have them, too, but not those of a
    vector."""
    alignment: int | None = None
    """That of the first typedef that has one, from the outermost on."""
    range: Range | ComputedRange | None = None
    """That of the first typedef that has one."""
    character: str | None = None
    """The first name that is one of `WIDE_CHARACTERS`."""


@frozen(eq=False)
class Typedef(_OfFile):
    """Another name of a type (DWARF 5 5.4)."""

    name: str
    _target: TypeReference = field(repr=False)
    _scope: Scope = field(default="", repr=False)
    _end: End[Denoted] | None = field(default=None, init=False, repr=False)
    """What `denoted` has found."""
    alignment: int | None = field(default=None, repr=False)
    """DW_AT_alignment in bytes."""
    range: Range | ComputedRange | None = None
    """Of a subrange of an enumeration of Ada, its values."""

    @property
    def scope(self) -> str:
        """The namespaces and classes around it, `ns::Outer::`."""
        return self._scope() if callable(self._scope) else self._scope

    @property
    def target(self) -> Type | None:
        return _resolved(self._target)


@frozen(eq=False)
class Qualified(_Spelled):
    """A type with one qualifier (DWARF 5 5.3)."""

    qualifier: Qualifier
    _target: TypeReference = field(repr=False)
    _end: End[Denoted] | None = field(default=None, init=False, repr=False)
    """What `denoted` has found."""

    @property
    def target(self) -> Type | None:
        return _resolved(self._target)


@frozen(eq=False)
class Function(_Spelled):
    """A subroutine type (DWARF 5 5.10)."""

    _result: TypeReference = field(default=None, repr=False)
    _parameters: tuple[TypeReference, ...] = field(default=(), repr=False)
    is_prototyped: bool = True
    is_variadic: bool = False
    own_name: str | None = None
    """DW_AT_name, which few of these types have."""

    @property
    def result(self) -> Type | None:
        """The type that it returns; None is void."""
        return _resolved(self._result)

    @property
    def parameters(self) -> tuple[Type | None, ...]:
        return tuple(_resolved(parameter) for parameter in self._parameters)


@frozen(eq=False)
class Elements:
    """What a set may have: the values of a subrange; it has a bit for each (5.11)."""

    type: Type | None
    lower: int
    upper: int


@frozen(eq=False)
class Unspecified(_OfFile):
    """DW_TAG_unspecified_type, a base type without a size, a set, or a type that is not supported:
    it has only a name."""

    name: str
    size_bytes: int | None = None
    elements: Elements | None = field(default=None, repr=False)
    """Of a set of Pascal."""

    @property
    def is_nullptr(self) -> bool:
        """Whether its only value is the null pointer."""
        return self.name in NULLPTR_NAMES

    @property
    def is_unit(self) -> bool:
        """Whether it is Rust's `()`, whose only value has no bits."""
        return self.name == UNIT_NAME and self.size_bytes == 0

    @property
    def is_of_symbol(self) -> bool:
        """Whether it takes the place of a type that nothing describes, as of a symbol: its name,
        `<data variable, no debug info>`, is also shown for the value, as in GDB."""
        return self.name.startswith("<")


@frozen(eq=False)
class Dynamic(_Spelled):
    """A type with properties that depend on the object (DWARF 5, 2.19).

    `dwarfgpu.session.resolve_type` resolves it to the type of one object; it has no other use.
    """

    form: BareType
    """The constant part; the dimensions of an array may be None."""
    properties: Properties = field(repr=False)


@frozen(eq=False)
class Absent(_Spelled):
    """The type of an object that has no data now: its descriptor describes nothing."""

    form: BareType
    state: Literal["not allocated", "not associated"]


BareType: TypeAlias = (
    Base
    | Pointer
    | MemberPointer
    | Array
    | Struct
    | Enum
    | Function
    | Unspecified
    | Dynamic
    | Absent
)
"""A source type that is neither another name nor a qualification of one."""

Type: TypeAlias = BareType | Typedef | Qualified
"""A source type. `None` in its place is void."""

TypeReference: TypeAlias = Type | None | Callable[[], Type | None]
"""A type, or a function that gives it."""


def declared_name(type_: Type | None) -> str | None:
    """Return DW_AT_name of a type; None if it has none."""
    match type_:
        case Pointer() | Array() | Function():
            return type_.own_name
        case None | MemberPointer() | Qualified() | Dynamic() | Absent():
            return None
        case _:
            return type_.name


def _resolved(reference: TypeReference) -> Type | None:
    return reference() if callable(reference) else reference


def strip(type_: Type | None) -> BareType | None:
    """Return the type without typedefs and qualifiers; `IllFormed` where they form a cycle."""
    if not isinstance(type_, Typedef | Qualified):
        return type_
    end = type_._end or _end_of(type_)
    return (end.get() if isinstance(end.value, DwarfGpuError) else end.value).bare


def denoted(type_: Type | None) -> Denoted:
    """Return what typedefs and qualifiers denote; `IllFormed` where they form a cycle."""
    if not isinstance(type_, Typedef | Qualified):
        return _bare(type_)
    return _end_of(type_).get()


def _end_of(type_: Typedef | Qualified) -> End[Denoted]:
    if type_._end is None:
        for passed, end in ends_of(type_, _below, MAX_CHAIN, _endless, _through).items():
            force_setattr(passed, "_end", end)
    assert type_._end is not None
    return type_._end


def _below(type_: Typedef | Qualified) -> Typedef | Qualified | End[Denoted]:
    """Return the type to which a name or a qualifier belongs, or what is at the end if known."""
    target = type_.target
    if not isinstance(target, Typedef | Qualified):
        return End(_bare(target))
    return target._end or target


def _bare(type_: BareType | None) -> Denoted:
    character = declared_name(type_)
    return Denoted(type_, character=character if character in WIDE_CHARACTERS else None)


def _through(type_: Typedef | Qualified, inner: Denoted) -> Denoted:
    """Return what a name or a qualifier denotes, from what the type to which it belongs denotes."""
    if isinstance(type_, Qualified):
        return _combined(Denoted(None, (type_.qualifier,)), inner)
    character = type_.name if type_.name in WIDE_CHARACTERS else None
    if type_.alignment is None and type_.range is None and character is None:
        return inner
    return _combined(Denoted(None, (), type_.alignment, type_.range, character), inner)


def _combined(outer: Denoted, inner: Denoted) -> Denoted:
    """Return what is denoted by names and qualifiers of what others denote."""
    rest = tuple(word for word in inner.qualifiers if word not in outer.qualifiers)
    bare = inner.bare
    if isinstance(bare, Array) and not bare.is_vector:
        outermost = [word for word in outer.qualifiers if word not in inner.qualifiers]
        bare = _of_qualified(bare, outermost)
    return Denoted(
        bare,
        outer.qualifiers + rest,
        outer.alignment or inner.alignment,
        inner.range if outer.range is None else outer.range,
        outer.character or inner.character,
    )


def _of_qualified(array_type: Array, qualifiers: list[Qualifier]) -> Array:
    """Return an array whose elements have the qualifiers of the array (C 6.7.3p9)."""
    if not qualifiers:
        return array_type
    elements: list[Type | None] = []

    def element() -> Type | None:
        if not elements:
            elements.append(_qualified(array_type.element, qualifiers))
        return elements[0]

    return evolve(array_type, element=element)


def _qualified(type_: Type | None, qualifiers: Sequence[Qualifier]) -> Type | None:
    for qualifier in reversed(qualifiers):
        type_ = Qualified(qualifier, type_)
    return type_


_ENDLESS: Final = IllFormed(f"more than {MAX_CHAIN} typedefs and qualifiers refer to each other")


def _endless(_: Type) -> IllFormed:
    return _ENDLESS  # a file may have millions of them


def without_typedefs(type_: Type | None) -> Type | None:
    """Return the type that a typedef denotes, with its qualifiers; `IllFormed` for a cycle."""
    if not isinstance(type_, Typedef | Qualified):
        return type_
    known = denoted(type_)
    return _qualified(known.bare, known.qualifiers)


def renamed(type_: Type | None, another: Type | None) -> Type | None:
    """Return another type with the names and qualifiers that a type has.

    Each is made when it is asked for, for there may be many; `strip` needs none of them.
    """
    if not isinstance(type_, Typedef | Qualified):
        return another
    targets: list[Type | None] = []

    def target() -> Type | None:
        if not targets:
            targets.append(renamed(type_.target, another))
        return targets[0]

    copy, end = evolve(type_, target=target), _end_of(type_)
    below = _end_of(another).links if isinstance(another, Typedef | Qualified) else 0
    known = _combined(end.get(), denoted(another))
    force_setattr(copy, "_end", End(known, end.links + below))
    return copy


def unqualified(type_: Type | None) -> Type | None:
    """Return the type without its outermost qualifiers; one of them where they form a cycle."""
    for _ in range(MAX_CHAIN):
        if not isinstance(type_, Qualified):
            break
        type_ = type_.target
    return type_


def is_set(type_: Type | None) -> bool:
    """Return whether it is a set whose elements are known."""
    bare = strip(type_)
    return isinstance(bare, Unspecified) and bare.elements is not None


def strip_reference(type_: Type | None) -> BareType | None:
    """Return the type without typedefs and qualifiers; for a reference, the type to which it
    refers."""
    bare = strip(type_)
    return strip(bare.target) if isinstance(bare, Pointer) and bare.kind != "pointer" else bare


def is_method_pointer(bare: Type | None) -> bool:
    """Return whether a type is a pointer to a member function, which has two parts."""
    return isinstance(bare, MemberPointer) and isinstance(strip(bare.target), Function)
