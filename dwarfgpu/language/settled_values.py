"""Values that are used in other frames than their own: kept ones, and those of functions that are
not in focus.

The bounds of a row of variable length (C 6.7.6.2), those of the components of a record of Ada that
depend on its discriminants or on its place, and the object to which an implicit pointer
points (DWARF 5 2.6.1.1.4), are described for the frame in which the pointer was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.types.class_parts import VariantPart
from dwarfgpu.dwarf.types.dynamic_types import is_descriptor, is_dynamic, is_row
from dwarfgpu.dwarf.types.types import (
    Member,
    Pointer,
    Struct,
    renamed,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.location import UNDEFINED_LOCATION, single_location_in
from dwarfgpu.session.session import Session

_MOST_PARTS: Final = 10_000
"""Components of one record, those of its components included: a larger one is kept as it is."""
_DEEPEST: Final = 100
"""Records in one another."""


def settled(value: TypedValue, session: Session) -> TypedValue:
    """Return a value that means the same in other frames, as far as it is known.

    `session` is that of its frame. A row keeps the length that it has there, and a record its
    components.
    """
    bare = strip(value.type)
    if isinstance(bare, Struct) and value.location is not None:
        style = "c" if value.unit is None else value.unit.style
        with suppress(DwarfGpuError):  # its components are unknown where they are used
            return _Settling(ObjectAccess(value.frame or session), style).record(value)
    if not isinstance(bare, Pointer):
        return value
    frame = value.frame or session
    value = ObjectAccess(frame).read(value)
    if value.pointer is not None:
        value = evolve(value, frame=frame, frame_stop=frame.stop)
    if is_row(bare.target):
        with suppress(DwarfGpuError):  # where it is used, the error is raised
            row = frame.resolver().resolved(bare.target, UNDEFINED_LOCATION).type
            return evolve(value, type=renamed(value.type, evolve(bare, target=row)))
    return value


def _depends_on_object(struct_type: Struct, style: Style, independent: set[Struct]) -> bool:
    """Return whether a record has components, perhaps in others, whose place or type depends on the
    object; of the first `_MOST_PARTS` ones. What cannot be read has an error where it is used.

    `independent`: records that have none; those that are examined here are added.
    """
    pending, examined, left = [struct_type], {struct_type}, _MOST_PARTS
    while pending:
        try:
            for member in _components(pending.pop()):
                left -= 1
                if not left:
                    return False
                with suppress(DwarfGpuError):
                    if _is_placed_by_object(member):
                        return True
                    inner = strip(member.type) if style != "c" else None
                    if not isinstance(inner, Struct) or inner in independent:
                        continue
                    if inner not in examined:
                        examined.add(inner)
                        pending.append(inner)
        except DwarfGpuError:
            continue
    independent |= examined
    return False


def _is_placed_by_object(member: Member) -> bool:
    return not member.is_base_class and (member.location is not None or is_dynamic(member.type))


def _components(struct_type: Struct) -> Iterator[Member]:
    """Yield the components of a record, also of those of all its variants."""
    yield from (member for member in struct_type.members if not member.is_static)
    pending = [*struct_type.declared.variant_parts]
    while pending:
        for variant in pending.pop().variants:
            yield from variant.members
            pending += variant.parts


class _Settling:
    """The types of one object and its parts as they are in it."""

    def __init__(self, objects: ObjectAccess, style: Style) -> None:
        self.objects = objects
        self.style = style
        self.parts_left = _MOST_PARTS
        self._depth = 0
        self._independent: set[Struct] = set()

    def record(self, value: TypedValue) -> TypedValue:
        """Return a record with its components as they are in this object."""
        bare = strip(value.type)
        if not isinstance(bare, Struct) or bare in self._independent:
            return value
        if not _depends_on_object(bare, self.style, self._independent):
            return value
        if self._depth == _DEEPEST:
            raise LimitExceeded(f"more than {_DEEPEST} records are in one another")
        self._depth += 1
        try:
            return evolve(value, type=renamed(value.type, self._settled(value, bare)))
        finally:
            self._depth -= 1

    def _settled(self, value: TypedValue, bare: Struct) -> Struct:
        parts = tuple(self._variant_part(value, part) for part in bare.declared.variant_parts)
        return evolve(
            bare,
            members=tuple(self._member(value, member) for member in bare.members),
            declared=evolve(bare.declared, variant_parts=parts),
        )

    def _variant_part(self, value: TypedValue, part: VariantPart) -> VariantPart:
        variants = tuple(
            evolve(
                variant,
                members=tuple(self._member(value, member) for member in variant.members),
                parts=tuple(self._variant_part(value, inner) for inner in variant.parts),
            )
            for variant in part.variants
        )
        return evolve(part, variants=variants, declared=part.declared or part)

    def _member(self, value: TypedValue, member: Member) -> Member:
        """Return a component of a record, where it is in this object."""
        self.parts_left -= 1
        if not self.parts_left:
            raise LimitExceeded(f"a record of more than {_MOST_PARTS} components")
        try:
            is_placed = _is_placed_by_object(member)
            if member.is_static or not (is_placed or isinstance(strip(member.type), Struct)):
                return member
            part = self.record(self.objects.step(value, member))
        except LimitExceeded:
            raise
        except DwarfGpuError:  # perhaps of another variant; where it is used, the error is raised
            return member
        if not is_placed:
            return evolve(member, type=part.type)
        if is_descriptor(member.type):
            return member  # what is kept of it is the description of its data
        first, start = single_location_in(part.location), single_location_in(value.location)
        if first is None or start is None or first.storage != start.storage:
            return member
        offset = first.bit_offset - start.bit_offset
        return evolve(member, type=part.type, location=None, bit_offset=offset)
