"""Build types from type entries (DWARF 5 chapter 5).

Law: one entry gives one `Type` object, the same each time, or the same error. Referenced types are
built on demand, so that neither a recursive type nor a hostile chain recurses here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.base_type import CHARACTERS, BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.fortran_ada import ada_enumerator
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.types.array_shape import Shape, array_shape, subrange_bounds
from dwarfgpu.dwarf.types.base_types import (
    address_space,
    storage_bits_of,
)
from dwarfgpu.dwarf.types.class_builder import declarations_of, members_of, scope_of, this_of
from dwarfgpu.dwarf.types.class_parts import Declarations
from dwarfgpu.dwarf.types.computed_attributes import (
    descriptor,
    has_descriptor,
    in_bits,
    string_length,
)
from dwarfgpu.dwarf.types.dynamic_properties import Bounds, Computed, ComputedRange, Properties
from dwarfgpu.dwarf.types.lower_bounds import constant_lower, default_lower
from dwarfgpu.dwarf.types.memory_space import memory_space
from dwarfgpu.dwarf.types.type_entries import (
    NAMES_OF_TYPES,
    QUALIFIERS,
    described_base,
    enumerator_value,
    linked_name,
    pointer_bytes,
    require_type,
    signed_definition,
    underlying_base,
    unspecified_bytes,
)
from dwarfgpu.dwarf.types.type_sizes import in_fewer_bits, size_bits, size_bytes, without_sign
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Dynamic,
    Elements,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    PointerKind,
    Qualified,
    Range,
    Scope,
    Struct,
    StructKind,
    Type,
    Typedef,
    TypeReference,
    Unspecified,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, FailedReads, IllFormed, Malformed, Unsupported
from dwarfgpu.expr.context import ExprLoc

_RANGED: Final = CHARACTERS | {"signed", "unsigned", "boolean", "signed_fixed", "unsigned_fixed"}
"""Encodings of types whose subranges have values that are whole numbers."""
_POINTERS: Final[dict[int, PointerKind]] = {
    dw.TAG_POINTER_TYPE: "pointer",
    dw.TAG_REFERENCE_TYPE: "reference",
    dw.TAG_RVALUE_REFERENCE_TYPE: "rvalue_reference",
}
_STRUCTS: Final[dict[int, StructKind]] = {
    dw.TAG_STRUCTURE_TYPE: "struct",
    dw.TAG_UNION_TYPE: "union",
    dw.TAG_CLASS_TYPE: "class",
    dw.TAG_INTERFACE_TYPE: "struct",  # as GDB names it
}
_NOT_READ: Final = {
    dw.TAG_SET_TYPE: "set",
    dw.TAG_FILE_TYPE: "file",
    dw.TAG_COARRAY_TYPE: "coarray",
    dw.TAG_DYNAMIC_TYPE: "dynamic type",
}
"""Types shown as bits; only their name describes them."""
_DIRECT_TYPES: Final = (Base, Pointer, MemberPointer, Enum)
"""Types whose objects may be behind a descriptor; those with more to compute include it."""

_BEHIND_A_BYTE: Final = b"\x97\x31\x22"
"""DW_OP_push_object_address, DW_OP_lit1, DW_OP_plus."""

_IMPLEMENTATIONS: Final = (dw.TAG_STRUCTURE_TYPE, dw.TAG_SUBRANGE_TYPE, dw.TAG_ARRAY_TYPE)
"""The types with which GNAT implements arrays of the program, as packed ones."""
UNKNOWN_TYPE: Final = "<unknown type>"
"""Name of a structure that is in an unreadable type unit."""


@methods_name_wrong_arguments
class TypeBuilder:
    """The types of one program, by their entries."""

    def __init__(self) -> None:
        self._built: dict[Die, Type] = {}
        self._failed = FailedReads()

    def forget_beyond(self, most: int) -> None:
        """Free the types if there are more: a reader of the whole file needs those of no unit but
        the one that it reads. They are made again for those who ask."""
        if len(self._built) > most:
            self._built.clear()

    def type_of(self, die: Die) -> Type | None:
        """Return the type that an entry or its origins name with DW_AT_type; None is void."""
        holder = die.holder(dw.AT_TYPE)
        return None if holder is None else self._referenced(holder, dw.AT_TYPE)

    def size_of_object(self, die: Die) -> int | None:
        """Return the size in bytes of the object of an entry; None if unknown."""
        return size_bytes(self.type_of(die))

    def build(self, die: Die) -> Type:
        """Return the type that an entry describes; for a declaration with DW_AT_signature, the type
        of that type unit (DWARF 5 5.7.1)."""
        built = self._built.get(die)
        if built is None:
            built = self._built[die] = self._failed.read(die, partial(self._build, die))
        return built

    def _build(self, die: Die) -> Type:
        if die.tag == dw.TAG_INTERFACE_TYPE and _is_of_free_pascal(die):
            # A reference to an object, which has that as its data location.
            interface = self._struct(die, "struct")
            form = interface.form if isinstance(interface, Dynamic) else interface
            return Pointer(form, size_bytes=die.unit.format.address_size)
        built = self._build_plain(die)
        if isinstance(built, _DIRECT_TYPES) and has_descriptor(die):
            return Dynamic(built, Properties(*descriptor(die)))
        return built

    def _build_plain(self, die: Die) -> Type:
        """Return the type of objects that are where they are said to be, without a descriptor."""
        tag = die.tag
        if die.has(dw.AT_SIGNATURE):
            return self._signed(die)
        if tag in _IMPLEMENTATIONS and die.unit.language in dw.ADA:
            from dwarfgpu.dwarf.types.gnat_encodings import implemented_array  # few are in Ada

            implemented = implemented_array(die)
            if implemented is not None:
                return self._array(*implemented, implementation=die)
        if tag == dw.TAG_BASE_TYPE:
            return described_base(die)
        if tag in _POINTERS:
            return self._pointer(die, _POINTERS[tag])
        if tag in _STRUCTS:
            return self._struct(die, _STRUCTS[tag])
        if tag in QUALIFIERS:
            return Qualified(QUALIFIERS[tag], self.target(die))
        if tag in NAMES_OF_TYPES:
            alignment = die.integer(dw.AT_ALIGNMENT)
            return Typedef(die.name or "typedef", self.target(die), _scope(die), alignment)
        if tag == dw.TAG_SUBRANGE_TYPE:
            return self._subrange(die)
        if tag == dw.TAG_ARRAY_TYPE:
            return self._array(die)
        if tag == dw.TAG_STRING_TYPE:
            return self._string(die)
        if tag == dw.TAG_ENUMERATION_TYPE:
            return self._enum(die)
        if tag == dw.TAG_SUBROUTINE_TYPE and die.unit.language == dw.LANG_GO:
            return self._function_value(die)
        if tag == dw.TAG_SUBROUTINE_TYPE and _is_of_free_pascal(die):
            return self._procedural(die)
        if tag in (dw.TAG_SUBROUTINE_TYPE, dw.TAG_SUBPROGRAM):
            return self.function_type(die)
        if tag == dw.TAG_PTR_TO_MEMBER_TYPE:
            return MemberPointer(
                self.target(die),
                self.target(die, dw.AT_CONTAINING_TYPE),
                self._member_pointer_bytes(die),
                die.unit.location_of(die, dw.AT_USE_LOCATION),
            )
        if tag == dw.TAG_SET_TYPE and (elements := self._elements(die)) is not None:
            from dwarfgpu.dwarf.names.pascal_sets import set_name  # few programs have them

            return Unspecified(set_name(elements), die.integer(dw.AT_BYTE_SIZE), elements)
        if tag in _NOT_READ:
            name = f" {die.name}" if die.name else ""
            return Unspecified(f"{_NOT_READ[tag]}{name}", die.integer(dw.AT_BYTE_SIZE))
        # Assemblers write an unnamed one for the result of their functions.
        unnamed = "void" if tag == dw.TAG_UNSPECIFIED_TYPE else f"DW_TAG {tag:#x}"
        return Unspecified(die.name or unnamed, unspecified_bytes(die))

    def _elements(self, die: Die) -> Elements | None:
        """Return what a set of Pascal may have; None if its type has no constant bounds."""
        subrange = die.reference(dw.AT_TYPE)
        size = die.integer(dw.AT_BYTE_SIZE)
        if subrange is None or size is None or die.unit.style != "pascal":
            return None
        lower, upper = (subrange.integer(dw.AT_LOWER_BOUND), subrange.integer(dw.AT_UPPER_BOUND))
        if lower is None or upper is None or not 0 <= upper - lower < 8 * size:
            return None
        return Elements(self.type_of(subrange), lower, upper)

    def _signed(self, die: Die) -> Type:
        """Return the type of a declaration whose definition is in a type unit.

        If that is not found, a structure stays incomplete, and reports why on access to its
        members.
        """
        try:
            return self.build(signed_definition(die))
        except DwarfGpuError as error:
            if die.tag not in _STRUCTS:
                raise
            problem = error

        def members() -> tuple[Member, ...]:
            raise problem.with_traceback(None)

        name = die.name  # mostly the type unit alone has it
        if not name:
            name = UNKNOWN_TYPE
            if isinstance(problem, IllFormed | Malformed):  # not a missing file
                die.unit.info.main.note_unknown_type(problem)
        return Struct(
            _STRUCTS[die.tag], name, None, members, is_declaration=True, scope=_scope(die), die=die
        )

    def _referenced(self, die: Die, name: int) -> Type | None:
        target = die.reference(name)
        if target is None:
            return None
        require_type(target)
        return self.build(target)

    def target(self, die: Die, name: int = dw.AT_TYPE) -> Callable[[], Type | None]:
        """Return a function that returns the type to which an attribute refers; it is looked up
        once."""
        targets: list[Type | None] = []

        def target() -> Type | None:
            if not targets:
                targets.append(self._referenced(die, name))
            return targets[0]

        return target

    def _pointer(self, die: Die, kind: PointerKind) -> Pointer:
        return Pointer(
            self.target(die),
            kind,
            pointer_bytes(die),
            address_space(die),
            die.integer(dw.AT_ADDRESS_CLASS),
            memory_space(die),
            die.name,
        )

    def _member_pointer_bytes(self, die: Die) -> int:
        """Return the size of a member pointer: an address, two for a member function; the C++ ABI's
        size if the file does not have one."""
        size = die.integer(dw.AT_BYTE_SIZE)
        if size is not None:
            return size
        member = die.reference(dw.AT_TYPE)
        is_function = member is not None and member.tag == dw.TAG_SUBROUTINE_TYPE
        return die.unit.format.address_size * (2 if is_function else 1)

    def _array(
        self, die: Die, packed_bits: int | None = None, implementation: Die | None = None
    ) -> Type:
        """Return an array; `packed_bits`: between its elements, which are in another type of Ada,
        the implementation, that says its size."""
        shape = array_shape(die, packed_bits, implementation)
        size = None if implementation is None else implementation.integer(dw.AT_BYTE_SIZE)
        if size is not None:
            shape = evolve(shape, size_bits=8 * size)
        form = Array(
            self._element(die, shape),
            shape.dimensions,
            shape.strides_bits,
            die.flag(dw.AT_GNU_VECTOR),
            die.name,
            shape.size_bits,
            shape.lower_bounds,
            tuple(self._index(index) for index in shape.indexes),
            is_section=die.unit.language in dw.FORTRAN,
            is_value=die.unit.language in dw.VALUE_ARRAYS,
            lost_length=_lost_length(die, shape),
            is_short_string=_is_short_string(die),
            lasts_of_none=shape.lasts_of_none,
        )
        return form if shape.properties.is_constant else Dynamic(form, shape.properties)

    def _index(self, die: Die) -> TypeReference:
        """Return the type of the indexes that an entry in an array describes."""
        if die.tag == dw.TAG_ENUMERATION_TYPE:
            return lambda: self.build(die)
        return self.target(die)

    def _element(self, die: Die, shape: Shape) -> Callable[[], Type | None]:
        """Return the elements of an array; those of a packed one have the size of the stride, which
        may be negative."""
        target = self.target(die)
        stride = abs(shape.strides_bits[-1] or 0) if shape.strides_bits else 0
        if not stride:
            return target

        targets: list[Type | None] = []

        def element() -> Type | None:
            if not targets:
                targets.append(packed())
            return targets[0]

        def packed() -> Type | None:
            declared = target()
            bare = strip(declared)
            if isinstance(bare, Struct | Array | Dynamic) or stride >= (size_bits(bare) or 0):
                return declared
            if isinstance(bare, Enum):
                packed_enum = evolve(bare, packed_bits=stride, declared=bare)
                if isinstance(declared, Typedef):  # a subrange
                    return Typedef(declared.name, packed_enum, declared._scope)
                return packed_enum
            if not isinstance(bare, Base) or bare.base.vector_size is not None:
                subject = f"array at {die.offset:#x} has elements {stride} bits apart"
                raise Unsupported(f"{subject}, which are not numbers")
            number = in_fewer_bits(bare, stride)
            assert isinstance(number, Base)
            packed_base = evolve(number.base, bit_size=stride)
            return evolve(
                number,
                base=packed_base,
                storage_bits=None,
                first_bit=0,
                unpacked_bits=number.base.bit_size,
            )

        return element

    def _string(self, die: Die) -> Type:
        """Return a string type: an array of characters (DWARF 5 5.11)."""
        character = self.target(die)
        if not die.has(dw.AT_TYPE):
            character = _constant_target(Base(BaseType("char", "unsigned_char", 8)))
        length = string_length(die)
        size = in_bits(die, dw.AT_BIT_SIZE, dw.AT_BYTE_SIZE)
        lower = default_lower(die)
        count: int | None = None
        if length is None and isinstance(size, int):
            bits = 8 * (size_bytes(character()) or 1)
            count = size // bits
        form = Array(
            character,
            (count,),
            own_name=die.name,
            lower_bounds=() if lower == 0 else (lower,),
            is_section=die.unit.language in dw.FORTRAN,
        )
        computed = size if isinstance(size, Computed) and length is None else None
        properties = Properties(
            *descriptor(die),
            size_bits=computed,
            bounds=(Bounds(lower, count=count),),
            string_length=length,
        )
        return form if properties.is_constant else Dynamic(form, properties)

    def _subrange(self, die: Die) -> Type:
        """Return a range type (DWARF 5 5.13): a name of its base type, or the same in another
        size."""
        if die.has(dw.AT_GNU_BIAS):
            raise Unsupported(f"subrange at {die.offset:#x} has a bias (DW_AT_GNU_bias)")
        size = in_bits(die, dw.AT_BIT_SIZE, dw.AT_BYTE_SIZE)
        name = die.name or "subrange"
        if isinstance(size, Computed):
            return Dynamic(Unspecified(name), Properties(size_bits=size))
        if not die.has(dw.AT_TYPE):
            return Unspecified(name, None if size is None else (size + 7) // 8)
        underlying = underlying_base(die)
        if underlying is None or underlying.base.vector_size is not None:
            target = None if die.name else die.reference(dw.AT_TYPE)
            values = _values(die, is_modular=False) if die.unit.language in dw.ADA else None
            return Typedef((target and target.name) or name, self.target(die), range=values)
        values = modulus = None
        base = evolve(underlying.base, name=die.name or underlying.base.name)
        if die.unit.language in dw.ADA:
            from dwarfgpu.dwarf.types.gnat_encodings import decoded, modulus_of  # few are in Ada

            base, values = decoded(die, base), _range(die, underlying.base)
            modulus = modulus_of(die)
        is_natural = _is_never_negative(die, base)
        storage, first_bit = underlying.storage_bits, underlying.first_bit
        if size is not None and 0 < size != base.bit_size:
            if is_natural and size < base.bit_size:
                base, is_natural = without_sign(base), False
            base, storage = evolve(base, bit_size=size), storage_bits_of(die)
            first_bit = 0
        is_range = base.encoding in ("signed", "unsigned")
        return Base(
            base,
            is_range=is_range,
            storage_bits=storage,
            first_bit=first_bit,
            is_never_negative=is_natural,
            range=values,
            modulus=modulus,
        )

    def _struct(self, die: Die, kind: StructKind) -> Type:
        if die.unit.language in dw.ADA:
            from dwarfgpu.dwarf.types.gnat_encodings import without_padding  # few are in Ada

            padded = without_padding(die)
            if padded is not None:
                return self.build(padded)
        is_declaration = die.flag(dw.AT_DECLARATION)
        definition = die.unit.info.class_definition(die) if is_declaration else die
        if definition != die:
            return types_of(definition.unit).build(definition)  # perhaps of another file
        member_lists: list[tuple[Member, ...]] = []

        def members() -> tuple[Member, ...]:
            if not member_lists:
                read = partial(members_of, self, die)
                member_lists.append(self._failed.read((die, "members"), read))
            return member_lists[0]

        declarations: list[Declarations] = []

        def declared() -> Declarations:
            if not declarations:
                read = partial(declarations_of, self, die)
                declarations.append(self._failed.read((die, "declarations"), read))
            return declarations[0]

        size = None if is_declaration else in_bits(die, dw.AT_BIT_SIZE, dw.AT_BYTE_SIZE)
        constant = (size + 7) // 8 if isinstance(size, int) else None
        form = Struct(
            kind,
            _own_name(die),
            constant,
            members,
            is_declaration,
            declared,
            _scope(die),
            die.integer(dw.AT_CALLING_CONVENTION),
            die,
        )
        computed = size if isinstance(size, Computed) else None
        properties = Properties(*descriptor(die), size_bits=computed)
        return form if properties.is_constant else Dynamic(form, properties)

    def _enum(self, die: Die) -> Enum:
        underlying = underlying_base(die)
        if underlying is not None and underlying.first_bit:
            subject = f"enumeration at {die.offset:#x} has values at bit {underlying.first_bit}"
            raise Unsupported(f"{subject} of their storage, not at bit 0")
        enumerators: list[tuple[str, int]] = []
        is_ada = die.unit.style == "ada"
        for child in die.children():
            if child.tag == dw.TAG_ENUMERATOR:
                value = enumerator_value(child, underlying)
                if value is None:
                    raise IllFormed(f"enumerator at {child.offset:#x} has no value")
                name = child.name or ""
                enumerators.append((ada_enumerator(name) if is_ada else name, value))
        size = die.integer(dw.AT_BYTE_SIZE)
        if not size and underlying is not None:  # GDB takes 0 as no size
            size = underlying.size_bytes
        is_signed = any(value < 0 for _, value in enumerators)
        if underlying is not None:
            is_signed = underlying.base.is_signed
        return Enum(
            die.name,
            size,
            tuple(enumerators),
            is_signed,
            die.flag(dw.AT_ENUM_CLASS),
            underlying,
            _scope(die),
        )

    def function_type(self, die: Die) -> Function:
        """Return the type of a function (DWARF 5 3.3, 5.10), which is not kept: a list of functions
        may have millions."""
        children = list(die.children())
        parameters = [child for child in children if child.tag == dw.TAG_FORMAL_PARAMETER]
        this = this_of(die, parameters)
        is_prototyped = die.flag(dw.AT_PROTOTYPED) or _has_prototypes(die.unit)
        # `int f()` of C before C 23 has unspecified parameters, too.
        may_be_variadic = is_prototyped or bool(parameters)
        return Function(
            self.target(die),
            tuple(self._parameter(parameter, this) for parameter in parameters),
            is_prototyped,
            may_be_variadic and any(c.tag == dw.TAG_UNSPECIFIED_PARAMETERS for c in children),
            die.name,
        )

    def _function_value(self, die: Die) -> Type:
        """Return the type of a function value of Go: it points to a closure, which begins with the
        address of the code (Go internal ABI specification, "Closures")."""
        function, size = self.function_type(die), die.integer(dw.AT_BYTE_SIZE)
        if size is None:
            return function
        return Pointer(Pointer(function, size_bytes=size), size_bytes=size, own_name=die.name)

    def _procedural(self, die: Die) -> Type:
        """Return a procedural type of Free Pascal, which writes no pointer for it: a value is the
        address of the code. The typedef that refers to it has its name, too."""
        function = evolve(self.function_type(die), own_name=None)
        return Pointer(function, size_bytes=die.unit.format.address_size)

    def _parameter(self, die: Die, this: Die | None) -> TypeReference:
        """Return the type of a parameter; `this` is constant, whether or not the compiler says
        so."""
        target = self.target(die)
        if die != this:
            return target
        below = die.reference(dw.AT_TYPE)
        is_constant = below is not None and below.tag == dw.TAG_CONST_TYPE
        return target if is_constant else Qualified("const", target)


def _range(die: Die, base: BaseType) -> Range | ComputedRange | None:
    """Return the values of a subrange of numbers, characters or Boolean: of a fixed-point type as
    multiples of its scale."""
    return _values(die, base.encoding == "unsigned") if base.encoding in _RANGED else None


def _values(die: Die, is_modular: bool) -> Range | ComputedRange | None:
    """Return the values between the bounds of a subrange of Ada; None for one without bounds."""
    lower, upper = constant_lower(die), die.integer(dw.AT_UPPER_BOUND)
    if lower is not None and upper is not None:
        return Range(lower, upper, is_modular)
    if not die.has(dw.AT_LOWER_BOUND) and not die.has(dw.AT_UPPER_BOUND):
        return None
    bounds = subrange_bounds(die)
    return ComputedRange(die.name or "the subrange", bounds.lower, bounds.upper, is_modular)


def _lost_length(die: Die, shape: Shape) -> str | None:
    """Return why an array of Ada has no length: GNAT writes no bounds where an inlined subprogram
    has no variable for them; None for an array with bounds."""
    if die.unit.language not in dw.ADA or shape.properties.rank is not None:
        return None
    if all(bound.upper is not None or bound.count is not None for bound in shape.properties.bounds):
        return None
    return f"the bounds of the array {die.name or 'without a name'} are not described"


def _is_never_negative(die: Die, base: BaseType) -> bool:
    """Return whether a subrange of a signed type begins at 0 or more: the heuristic by which GDB
    decides that its values have no sign. A bound with the sign bit of the type is negative."""
    lower, upper = constant_lower(die), die.integer(dw.AT_UPPER_BOUND)
    if base.encoding not in ("signed", "signed_fixed") or lower is None:
        return False
    bounds = (lower, lower if upper is None else upper)
    return all(bound >= 0 and bound.bit_length() < base.bit_size for bound in bounds)


def _own_name(die: Die) -> str | None:
    """Return the name of a structure; None for `._anon_1`, which gdc and old GCCs write for one
    without a name, as GDB takes it (dwarf2_name in gdb/dwarf2/read.c)."""
    name = die.name or linked_name(die)
    return None if name is not None and name.startswith("._") else name


def _scope(die: Die) -> Scope:
    """Return the enclosing scope of a type, in a language with qualified names."""
    if die.unit.language not in dw.QUALIFIED:
        return ""
    names: list[str] = []

    def scope() -> str:
        if not names:
            names.append(scope_of(die))
        return names[0]

    return scope


def _is_of_free_pascal(die: Die) -> bool:
    return die.unit.style == "pascal" and parse_producer(die.unit.producer).is_free_pascal


def _is_short_string(die: Die) -> bool:
    """Return whether an array begins behind a byte that is its length."""
    if die.unit.style != "pascal" or not die.has(dw.AT_DATA_LOCATION):
        return False
    location = die.unit.location_of(die, dw.AT_DATA_LOCATION)
    return isinstance(location, ExprLoc) and location.expression == _BEHIND_A_BYTE


def _has_prototypes(unit: CompilationUnit) -> bool:
    """Return whether all functions of its language have prototypes (DWARF 5 3.3.1)."""
    return unit.language is not None and unit.language not in dw.MAY_LACK_PROTOTYPES


def _constant_target(type_: Type) -> Callable[[], Type | None]:
    return lambda: type_


def types_of(unit: CompilationUnit) -> TypeBuilder:
    """Return the types of the program that contains a unit."""
    return unit.sections.program.shared(TypeBuilder)
