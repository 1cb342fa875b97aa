"""Parts of structures other than data members that every object has (DWARF 5 5.7, 2.23)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import field, frozen
from dwarfgpu.expr.context import ExprLoc, LocList

if TYPE_CHECKING:
    from dwarfgpu.dwarf.types.types import Function, Member, Type, Typedef, TypeReference

Access = Literal["public", "protected", "private"]


@frozen(eq=False)
class Method:
    """A member function (DWARF 5 5.7.8)."""

    name: str
    type: Function
    """Its first parameter is `this` where it has one."""
    is_virtual: bool = False
    has_this: bool = False
    slot: ExprLoc | LocList | None = None
    """DW_AT_vtable_elem_location (A.5.7.8)."""
    slot_index: int | None = None
    """The same where it is one constant: compilers write the index of the slot."""
    access: Access = "public"
    is_artificial: bool = False
    """Made by the compiler."""
    _written: tuple[TypeReference, ...] | None = None
    reference: Literal["", "&", "&&"] = ""
    """Whether it is only for an lvalue, or only for an rvalue."""

    @property
    def written(self) -> tuple[Type | None, ...]:
        """The parameters that the source has: without `this` and what the compiler adds."""
        if self._written is not None:
            return tuple(_type_argument(written) for written in self._written)
        return self.type.parameters[1 if self.has_this else 0 :]


@frozen(eq=False)
class NestedTypedef:
    """A typedef in a class."""

    type: Typedef
    access: Access = "public"


@frozen(eq=False)
class TemplateType:
    """A template type parameter and its argument (DWARF 5 2.23)."""

    name: str
    _type: TypeReference = field(repr=False)

    @property
    def type(self) -> Type | None:
        return _type_argument(self._type)


@frozen(eq=False)
class Variant:
    """Members that an object has while the discriminant has one of some values."""

    members: tuple[Member, ...]
    values: tuple[tuple[int, int], ...]
    """Ranges, both ends included, as the file writes them; none for the default variant."""
    parts: tuple[VariantPart, ...] = ()
    """Variant parts inside it."""


@frozen(eq=False)
class VariantPart:
    """DW_TAG_variant_part (DWARF 5 5.7.10)."""

    discriminant: Member | None
    """The member that selects the variant of an object; None if there is none."""
    variants: tuple[Variant, ...]
    declared: VariantPart | None = None
    """Of a part whose members are as they are in one object: that of the type, whose variants have
    the same values."""


class MemberIndex:
    """The members of a structure, found without going through all of them."""

    def __init__(self, members: tuple[Member, ...]) -> None:
        self._members = members

    @cached_property
    def named(self) -> dict[str, Member]:
        """The first member of each name that is no base class."""
        named: dict[str, Member] = {}
        for member in self._members:
            if member.name is not None and not member.is_base_class:
                named.setdefault(member.name, member)
        return named

    @cached_property
    def unnamed(self) -> tuple[Member, ...]:
        """Unnamed structures and unions, and padding."""
        return tuple([m for m in self._members if m.name is None and not m.is_base_class])

    @cached_property
    def bases(self) -> tuple[Member, ...]:
        """The base classes."""
        return tuple([member for member in self._members if member.is_base_class])

    @cached_property
    def at_entries(self) -> dict[int, Member]:
        """The members by the offsets of their entries."""
        return {m.entry: m for m in reversed(self._members) if m.entry is not None}

    @cached_property
    def at_bits(self) -> dict[int, Member]:
        """The first named member of an object at each bit; no base class."""
        return {
            m.bit_offset: m
            for m in reversed(self._members)
            if m.name and m.bit_offset is not None and m.location is None
            if not (m.is_static or m.is_base_class)
        }


@frozen(eq=False)
class Declarations:
    """The declarations of a structure besides its members."""

    methods: tuple[Method, ...] = ()
    """In declaration order."""
    typedefs: tuple[NestedTypedef, ...] = ()
    template_types: tuple[TemplateType, ...] = ()
    variant_parts: tuple[VariantPart, ...] = ()
    """Groups of members; an object has those of one variant."""
    alignment: int | None = None
    """DW_AT_alignment in bytes, where the file has it."""
    separators: tuple[Member, ...] = ()
    """Bit-fields without a name and of no bits, `int : 0`, which are no members (C++ class.bit):
    clang writes them for AMD GPUs, whose ABI depends on them."""


def _type_argument(reference: TypeReference) -> Type | None:
    return reference() if callable(reference) else reference
