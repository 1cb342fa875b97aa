"""Type names as Fortran and Ada spell them and GDB prints them.

Names, which never raise: `Type point`, `integer(kind=4) (2,3)`, `access shapes.point`; and what
GNAT describes in its own way.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
    declared_name,
    strip,
)
from dwarfgpu.errors import DwarfGpuError

_DEEPEST: Final = 20
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
            attribute = ", allocatable" if array.attribute == "allocatable" else ""
            return f"{inner(array.element)}{attribute} ({fortran_dimensions(array)})"
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
            bounds = (
                f"{lower} .. {upper}" if lower and upper else "<>"
                for lower, upper in _bounds(array)
            )
            return f"array ({', '.join(bounds)}) of {inner(array.element)}"
        case Pointer() as pointer if name is None:
            mark = "access" if pointer.kind == "pointer" else "<ref>"
            return f"{mark} {inner(pointer.target)}"
        case Function():
            return "subprogram"
        case Array() | Pointer() | Struct() | Typedef() | Base() | Enum() | Unspecified() as named:
            return name or (declared_name(named) or "record").replace("__", ".")
        case _:
            return "..."


def _ada_type(name: str | None) -> str | None:
    """Return the name of a type as the source has it; None for one that GNAT has made up, as GDB
    recognizes it: `p__T8b`."""
    if name is None:
        return None
    name = name.partition("___")[0]
    scope, _, last = name.rpartition("__")
    return None if scope and not last[:1].islower() else name.replace("__", ".")


def ada_enumerator(name: str) -> str:
    """Return an enumerator without the packages around it: `red` for `p__red`; a number after `__`
    is that of an overloaded one."""
    while (mark := name.find("__")) > 0 and name[mark + 2 :] and not is_decimal(name[mark + 2]):
        name = name[mark + 2 :]
    return name


_OVERLOADED: Final = pattern(r"(?:_{2,3}|\.)[0-9]+\Z")
"""The number at the end of the name of an overloaded or a nested subprogram."""


def ada_function(name: str) -> str:
    """Return the name of a subprogram as the source has it, as GDB shows it: `shapes.stop` for
    `shapes__stop`, `s` for `_ada_s`."""
    return _OVERLOADED.sub("", name.removeprefix("_ada_")).replace("__", ".")


PARENT: Final = "_parent"
"""The component of a derived tagged type that has those of its parent, in gnat's files."""


def is_string(type_: Type | None) -> bool:
    """Return whether it is an array of one dimension of characters, which is a string."""
    bare = strip(type_)
    if not isinstance(bare, Array) or len(bare.dimensions) != 1:
        return False
    element = strip(bare.element)
    return isinstance(element, Base) and element.base.encoding in CHARACTERS


CHARACTERS: Final = frozenset({"signed_char", "unsigned_char", "UTF", "UCS", "ASCII"})
"""The encodings of characters; a small integer is none in Fortran and Ada."""


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


def _bounds(array_type: Array) -> list[tuple[str, str]]:
    """Return the bounds of each dimension as in the file, outermost first; empty if unknown."""
    out: list[tuple[str, str]] = []
    lowers = array_type.lower_bounds or (0,) * len(array_type.dimensions)
    for lower, count in zip(lowers, array_type.dimensions, strict=False):
        upper = "" if lower is None or count is None else str(lower + count - 1)
        out.append(("" if lower is None else str(lower), upper))
    return out


def fortran_dimensions(array_type: Array) -> str:
    """Return `-1:1,3`: the first dimension is the innermost."""
    return ",".join(
        upper if lower == "1" and upper else f"{lower if upper else ''}:{upper}"
        for lower, upper in reversed(_bounds(array_type))
    )


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
