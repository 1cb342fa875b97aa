"""Type names as Fortran and Ada spell them and GDB prints them.

Names, which never raise: `Type point`, `integer(kind=4) (2,3)`, `access shapes.point`; and what
GNAT describes in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.dynamic_properties import ComputedRange
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Member,
    Pointer,
    Qualified,
    Range,
    Struct,
    Type,
    Typedef,
    Unspecified,
    declared_name,
    denoted,
    strip,
)
from dwarfgpu.errors import DwarfGpuError

OF_TASK: Final = "record ... end record"
"""What is shown in place of the name of the record that a task is."""
_DEEPEST: Final = 20
_MOST_PARENTS: Final = 50
"""Tagged types that are derived from one another."""
_OF_UNCONSTRAINED: Final = pattern(r"___XUA$|__T(?:S?[0-9]+b|\w+S)$")
"""How the names of array types end that GNAT makes: `q__TstS`, `q__T84b`, `q__TS81bS`."""
_UNCONSTRAINED: Final = ("P_ARRAY", "P_BOUNDS")


def fortran_name(type_: Type | None, depth: int = 0) -> str:
    """Return `integer(kind=4) (-1:1,0:1)`, `character*11` or `PTR TO -> ( Type point )`."""
    if depth > _DEEPEST:
        return "..."

    def inner(part: Type | None) -> str:
        return fortran_name(part, depth + 1)

    if isinstance(type_, Dynamic) and type_.properties.rank is not None:
        assert isinstance(type_.form, Array)
        return f"{inner(type_.form.element)} (..)"
    match _bare(type_):
        case None:
            return "void"
        case Array() as array:
            if is_string(array):
                count = array.dimensions[0]
                return f"character*{'(*)' if count is None else count}"
            dimensions = fortran_dimensions(array, is_whole=isinstance(strip(type_), Array))
            return f"{inner(array.element)}{allocatable(strip(type_))} ({dimensions})"
        case Pointer() as pointer:
            mark = "PTR" if pointer.kind == "pointer" else "REF"
            return f"{mark} TO -> ( {inner(pointer.target)} )"
        case Struct() as struct:
            return f"Type {struct.name}" if struct.name else "Type {...}"
        case Function() as function:
            parameters = ", ".join(inner(parameter) for parameter in function.parameters)
            return f"{inner(function.result)} ({parameters})"
        case Typedef() as typedef:
            return typedef.name
        case other:
            return other.name or "..." if isinstance(other, Base | Enum | Unspecified) else "..."


def allocatable(bare: Type | None) -> str:
    """Return `, allocatable` for a type of such arrays, else nothing."""
    form = bare.form if isinstance(bare, Absent) else bare
    if isinstance(form, Array) and form.attribute == "allocatable":
        return ", allocatable"
    if not isinstance(bare, Dynamic) or bare.properties.allocated is None:
        return ""
    return ", allocatable"


def ada_name(type_: Type | None, depth: int = 0) -> str:
    """Return `access shapes.point` or `array (1 .. 4) of integer`."""
    if depth > _DEEPEST:
        return "..."

    def inner(part: Type | None) -> str:
        return ada_name(part, depth + 1)

    bare = _bare(type_)
    name = None if bare is None else _ada_type(declared_name(bare))
    match bare:
        case None:
            return "void"
        case Array() as array if name is None:
            return f"array ({', '.join(_ada_ranges(array))}) of {inner(array.element)}"
        case Pointer() as pointer if name is None:
            mark = "access" if pointer.kind == "pointer" else "<ref>"
            return f"{mark} {inner(pointer.target)}"
        case Function() as function:
            return _ada_subprogram(function, inner)
        case Struct(name=None):
            return OF_TASK
        case Array() | Pointer() | Struct() | Typedef() | Base() | Enum() | Unspecified() as named:
            return name or (declared_name(named) or "record").replace("__", ".")
        case _:
            return "..."


def ada_type(name: str) -> str:
    """Return the name of a type as GDB shows it: `pk.rec` for `pk__rec`."""
    return _ada_type(name) or name.replace("__", ".")


def _ada_subprogram(function: Function, inner: Callable[[Type | None], str]) -> str:
    """Return `function (a1: integer) return integer`, as GDB names the parameters of a type."""
    numbered = enumerate(function.parameters, 1)
    parameters = "; ".join([f"a{number}: {inner(parameter)}" for number, parameter in numbered])
    profile = f" ({parameters})" if parameters else ""
    if function.result is None:
        return f"procedure{profile}"
    return f"function{profile} return {inner(function.result)}"


def _ada_type(name: str | None) -> str | None:
    """Return the name of a type as the source has it; None for one that GNAT has made up, as GDB
    recognizes it: `p__T8b`."""
    if name is None:
        return None
    name = name.partition("___")[0]
    scope, _, last = name.rpartition("__")
    return None if scope and not last[:1].islower() else name.replace("__", ".")


_LITERAL: Final = pattern(
    r"Q(?:(?P<letter>[0-9a-z])|(?P<width>U|WW?)(?P<code>[0-9a-f]{2,8}))(?:__[0-9]+)?"
)
"""An enumerator that is a character literal, as gnat's `exp_dbug.ads` has it: `Qx`, `QU41`,
`QW03a9`, `QWW01f600`."""
_DIGITS: Final = {"U": 2, "W": 4, "WW": 6}


def ada_enumerator(name: str) -> str:
    """Return an enumerator without the packages around it: `red` for `p__red`, `'x'` for `p__Qx`; a
    number after `__` is that of an overloaded one."""
    while (mark := name.find("__")) > 0 and name[mark + 2 :] and not is_decimal(name[mark + 2]):
        name = name[mark + 2 :]
    match = _LITERAL.fullmatch(name)
    if match is None:
        return name
    if match["letter"]:
        return f"'{match['letter']}'"
    return ada_character(int(match["code"], 16), _DIGITS[match["width"]])


def ada_character(code: int, digits: int) -> str:
    """Return a character literal: `'a'`, `'["e9"]'` for one that is not in ASCII."""
    return f"'{chr(code)}'" if 0x20 <= code < 0x7F else f"""'["{code:0{digits}x}"]'"""


def enumerator_text(name: str, value: int) -> str:
    """Return a value of an enumeration as GDB shows it: `red`, `12 'x'`."""
    return f"{value} {name}" if name.startswith("'") else name


def enumerated_character(type_: Type | None, code: int) -> int | None:
    """Return the value of the enumerator that is the literal of a character; None for a type that
    has none."""
    bare = strip(type_)
    if not isinstance(bare, Enum):
        return None
    table = bare.table
    spellings = {ada_character(code, digits) for digits in _DIGITS.values()}
    known = [table.values[name] for name in spellings if name in table.values]
    return min(known, key=table.positions.__getitem__, default=None)


RENAMES: Final = "___XR"
"""What gnat adds to the name of a renaming that has no object; `ada_renamings` reads the rest."""
PARENT: Final = "_parent"
"""The component of a derived tagged type that has those of its parent, in gnat's files."""
TAG: Final = "_tag"
"""The component of a root of tagged types that leads to the type of an object."""
_INTERFACE_TAG: Final = "ada__tags__interface_tag"
_OFFSET: Final = "system__storage_elements__storage_offset"


def tagged_parent(struct_type: Struct) -> tuple[Member, Struct] | None:
    """Return the component in which a derived tagged type has those of its parent, and the record
    of the parent; None for any other type."""
    first = struct_type.members[0] if struct_type.members else None
    if first is None or first.name != PARENT or first.location is not None:
        return None
    is_ada = first.die is None or first.die.unit.language in dw.ADA
    if first.bit_offset is None or not is_ada:
        return None
    bare = strip(first.type)
    record = bare.form if isinstance(bare, Dynamic) else bare
    return (first, record) if isinstance(record, Struct) else None


def tagged_records(struct_type: Struct) -> Iterator[tuple[Struct, int]]:
    """Yield a record and, of a derived tagged type, those from which it is derived, each with the
    bit where it begins."""
    begin, parent = 0, tagged_parent(struct_type)
    yield struct_type, begin
    for _ in range(_MOST_PARENTS):
        if parent is None:
            return
        component, record = parent
        begin += component.bit_offset or 0
        yield record, begin
        parent = tagged_parent(record)


def extended_parent(struct_type: Struct) -> tuple[Member, Struct] | None:
    """Return the component with the components of the type that a type of Fortran extends, and that
    type; None for any other type.

    It is the first one and has the name of the parent (Fortran 2018 7.5.7.2); gfortran says no more
    of it, so that a component of the type's own may be taken for one. Where `use` renames the
    parent it has the new name, and the table of methods says that it is one.
    """
    first = struct_type.members[0] if struct_type.members else None
    if first is None or first.die is None or first.die.unit.style != "fortran":
        return None
    parent = strip(first.type) if first.location is None and not first.bit_offset else None
    if not isinstance(parent, Struct) or first.name is None:
        return None
    return (first, parent) if parent.name == first.name or _is_extension(first) else None


def _is_extension(component: Member) -> bool:
    from dwarfgpu.dwarf.scope.fortran_extensions import is_extension  # few parents are renamed

    derived_type = None if component.die is None else component.die.parent()
    return derived_type is not None and is_extension(derived_type)


_CLASS: Final = ("_data", "_vptr")
"""The components of a polymorphic object in gfortran's files, before the length of a string."""
_CLASS_NAME: Final = pattern(r"(?i)__class_.*_(?:[0-9]+_[0-9]+)?([ap])(?:_[0-9]+)?")
"""Of the type of one that is allocatable or a pointer, with the rank of an array before the letter,
and a number where another type has the name."""


def class_data(struct_type: Struct) -> tuple[Member, Struct] | None:
    """Return the component that leads to the data of a polymorphic object of Fortran, and its
    declared type; None for any other object, for an array, and for one of unlimited type."""
    component = _class_component(struct_type)
    pointer = None if component is None else strip(component.type)
    declared = strip(pointer.target) if isinstance(pointer, Pointer) else None
    return (component, declared) if component and isinstance(declared, Struct) else None


def class_pointer(struct_type: Struct) -> Member | None:
    """Return the component that is the address of a polymorphic object of Fortran, also of one of
    unlimited type; None for any other object, and for an array."""
    component = _class_component(struct_type)
    return component if component and isinstance(strip(component.type), Pointer) else None


def class_array(struct_type: Struct) -> Member | None:
    """Return the component that is the array in a polymorphic array of Fortran; None for any other
    object."""
    component = _class_component(struct_type)
    bare = None if component is None else strip(component.type)
    form = bare.form if isinstance(bare, Dynamic) else bare
    return component if isinstance(form, Array) else None


def _class_component(struct_type: Struct) -> Member | None:
    members = struct_type.members
    if tuple(member.name for member in members[:2]) != _CLASS:
        return None
    is_fortran = members[0].die is not None and members[0].die.unit.style == "fortran"
    return members[0] if is_fortran else None


def class_attribute(struct_type: Struct) -> Literal["", "allocatable", "pointer"]:
    """Return which attribute of Fortran a polymorphic object has, by the name that gfortran gives
    to its type: `__class_shapes_Base_p` that of a pointer."""
    match = _CLASS_NAME.fullmatch(struct_type.name or "")
    if match is None:
        return ""
    return "allocatable" if match[1] == "a" else "pointer"


def is_added(member: Member) -> bool:
    """Return whether the compiler has added a component: a tag, for example, also of an interface,
    and the distance from that to the begin of the object. GNAT's own names begin with a capital."""
    name = member.name or ""
    if name.startswith("_"):
        return name != PARENT
    type_name = declared_name(member.type)
    return type_name == _INTERFACE_TAG or (type_name == _OFFSET and name[:1].isupper())


def enumeration_range(type_: Type | None) -> Range | ComputedRange | None:
    """Return the values of a subrange of an enumeration; None for any other type."""
    return denoted(type_).range


def is_string(type_: Type | None) -> bool:
    """Return whether it is an array of one dimension of characters, which is a string."""
    bare = strip(type_)
    if not isinstance(bare, Array) or len(bare.dimensions) != 1:
        return False
    element = strip(bare.element)
    return isinstance(element, Base) and element.base.encoding in CHARACTERS


def _bare(type_: Type | None) -> Type | None:
    try:
        for _ in range(_DEEPEST):
            if isinstance(type_, Qualified):
                type_ = type_.target
            elif isinstance(type_, Dynamic | Absent):
                type_ = type_.form
            else:
                return type_
        return strip(type_)
    except DwarfGpuError:
        return Unspecified("...")


def _ada_ranges(array_type: Array) -> Iterator[str]:
    """Yield the indexes of each dimension, outermost first; `<>` where they are unknown."""
    lowers = array_type.lower_bounds or (0,) * len(array_type.dimensions)
    for number, (lower, _) in enumerate(zip(lowers, array_type.dimensions, strict=False)):
        last = array_type.last_index(number)
        if lower is None or last is None:
            yield "<>"
        else:
            yield indexes_of(array_type, number).range_text(lower, last)


@frozen(eq=False)
class Indexes:
    """The indexes of a dimension."""

    kind: Enum | Base | None = None
    """Their type, if it is an enumeration with enumerators, Boolean or one of characters."""
    has_gaps: bool = False
    """Whether they are positions of enumerators, whose values have gaps."""

    def index(self, value: int) -> int | None:
        """Return the index that a value of the type is; None if it is none."""
        if not self.has_gaps or not isinstance(self.kind, Enum):
            return value
        return self.kind.table.positions.get(value)

    def is_usual(self, first: int) -> bool:
        """Return whether GDB leaves out this first index: the first value of its type, or 1."""
        if isinstance(self.kind, Enum) and not self.has_gaps:
            return first == self.kind.enumerators[0][1]
        return first == (1 if self.kind is None else 0)

    def text(self, index: int) -> str:
        """Return an index as GDB shows it: `2`, `red`, `true`, `'a'`, `'["00"]'`."""
        kind = self.kind
        if isinstance(kind, Enum):
            position = index if self.has_gaps else index - kind.enumerators[0][1]
            is_one = 0 <= position < len(kind.enumerators)
            return kind.enumerators[position][0] if is_one else str(index)
        if kind is None or index < 0:
            return str(index)
        if kind.base.encoding == "boolean":
            return ("false", "true")[index] if index < 2 else str(index)
        return ada_character(index, 2 * kind.size_bytes)

    def value_text(self, index: int) -> str:
        """Return an index as GDB shows a value of its type: a character with its number."""
        text, number, kind = self.text(index), index, self.kind
        if not text.startswith("'"):
            return text
        if isinstance(kind, Enum) and self.has_gaps:
            number = kind.enumerators[index][1]
        return f"{number} {text}"

    def range_text(self, first: int, last: int) -> str:
        """Return the indexes as GDB's `ptype` does: `0 .. 4`, `red .. blue`, `boolean`."""
        is_boolean = isinstance(self.kind, Base) and self.kind.base.encoding == "boolean"
        if self.kind is not None and is_boolean and (first, last) == (0, 1):
            return self.kind.name or "boolean"
        return f"{self.text(first)} .. {self.text(last)}"


def indexes_of(array_type: Array, dimension: int) -> Indexes:
    """Return what the indexes of a dimension are."""
    if dimension >= len(array_type.indexes):
        return Indexes()
    index = array_type.indexes[dimension]
    try:
        kind = strip(index() if callable(index) else index)
    except DwarfGpuError:
        return Indexes()
    if isinstance(kind, Enum) and kind.enumerators:
        return Indexes(kind, kind.table.has_gaps)
    if not isinstance(kind, Base) or kind.is_range:
        return Indexes()
    return Indexes(kind if kind.base.encoding in CHARACTERS | {"boolean"} else None)


def fortran_dimensions(array_type: Array, *, is_whole: bool) -> str:
    """Return `-1:1,3`: the first dimension is the innermost. `:` for bounds that are unknown.

    `is_whole`: whether the type needs nothing from an object, so that a dimension without an upper
    bound is one of assumed size, `*`.
    """
    lowers = array_type.lower_bounds or (0,) * len(array_type.dimensions)
    is_whole = is_whole and array_type.lost_length is None
    dimensions = [
        _dimension(lower, count, is_whole)
        for lower, count in zip(lowers, array_type.dimensions, strict=False)
    ]
    return ",".join(reversed(dimensions))


def _dimension(lower: int | None, count: int | None, is_whole: bool) -> str:
    if lower is None or (count is None and not is_whole):
        return ":"
    upper = "*" if count is None else str(lower + count - 1)
    return upper if lower == 1 else f"{lower}:{upper}"


def may_have_own_bounds(array_type: Array) -> bool:
    """Return whether a type of Ada may have been defined with its bounds: GNAT names the subtypes
    of an unconstrained type that have no name of their own."""
    name = array_type.own_name
    return name is not None and _OF_UNCONSTRAINED.search(name) is None


def first_of_indexes(type_: Type | None) -> int | None:
    """Return the first index that arrays of an unconstrained type can have; None where the
    structure with the address and the bounds of such an array does not say it."""
    bare = strip(type_)
    if not isinstance(bare, Struct) or pointer_to_elements(bare) is None:
        return None
    pointer = strip(bare.members[1].type)
    bounds = strip(pointer.target) if isinstance(pointer, Pointer) else None
    if not isinstance(bounds, Struct) or not bounds.members:
        return None
    kind = bounds.members[0].type
    values, index = enumeration_range(kind), strip(kind)
    if values is None and isinstance(index, Base):
        values = index.range
    if values is not None:
        return values.lower if isinstance(values.lower, int) else None
    if isinstance(index, Enum):
        return index.enumerators[0][1] if index.enumerators else None
    if not isinstance(index, Base):
        return None
    return -(1 << index.base.bit_size - 1) if index.base.is_signed else 0


def pointer_to_elements(struct_type: Struct) -> Pointer | None:
    """Return the pointer to the elements in the structure by which GNAT describes an array of Ada
    with separate bounds; None for any other structure.

    The bounds of the array are evaluated with the structure as the object.
    """
    members = struct_type.members
    if tuple(member.name for member in members) != _UNCONSTRAINED or members[0].bit_offset is None:
        return None
    pointer = strip(members[0].type)
    if not isinstance(pointer, Pointer) or not isinstance(strip(pointer.target), Dynamic | Array):
        return None
    return pointer
