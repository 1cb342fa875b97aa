"""Values that are used in other frames than their own: kept ones, and those of functions that are
not in focus.

The bounds of a row of variable length (C 6.7.6.2), and the object to which an implicit pointer
points (DWARF 5 2.6.1.1.4), are described for the frame in which the pointer was read.
"""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Dynamic, Pointer, Qualified, Type, Typedef, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.session.resolve_type import has_descriptor, is_dynamic
from dwarfgpu.session.session import Session


def settled(value: TypedValue, session: Session) -> TypedValue:
    """Return a value that means the same in other frames, as far as it is known.

    `session` is that of its frame. A row keeps the length that it has there.
    """
    bare = strip(value.type)
    if not isinstance(bare, Pointer):
        return value
    frame = value.frame or session
    value = ObjectAccess(frame).read(value)
    if value.pointer is not None:
        value = evolve(value, frame=frame, frame_stop=frame.stop)
    if _is_row(bare.target):
        with suppress(DwarfGpuError):  # where it is used, the error is raised
            row = frame.resolver().resolved(bare.target, UNDEFINED_LOCATION).type
            return evolve(value, type=_pointing_to(value.type, row))
    return value


def _is_row(type_: Type | None) -> bool:
    """Return whether a type is an array whose bounds depend on the frame alone."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic) else bare
    if not isinstance(form, Array) or not is_dynamic(bare):
        return False
    return not (isinstance(bare, Dynamic) and has_descriptor(bare))


def _pointing_to(type_: Type | None, row: Type | None) -> Type | None:
    """Return a type of pointers to a row, perhaps with a name and qualifiers, with another row."""
    if isinstance(type_, Typedef | Qualified):
        return evolve(type_, target=_pointing_to(type_.target, row))
    assert isinstance(type_, Pointer)
    return evolve(type_, target=row)
