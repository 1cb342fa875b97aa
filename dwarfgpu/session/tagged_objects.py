"""Objects of tagged types of Ada, whole: the tag of an object says which type it has.

GNAT writes the tag as the address of a dispatch table. In front of the table are the address of a
record that names the type (Ada.Tags.Type_Specific_Data), and the distance from the tag to the
beginning of the object, which is not 0 where the tag is that of an interface.

Law: a tag is used only if it leads to a type of the program, and that one is derived from the known
one; otherwise a note says that the object may have more components.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from dwarfgpu.access.read_string import string_at
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.fortran_ada import PARENT, TAG, ada_name, tagged_records
from dwarfgpu.dwarf.scope.ada_records import ada_record
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Dynamic, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded
from dwarfgpu.expr.context import Context
from dwarfgpu.model.location import Location

_RECORD: Final = "ada__tags__type_specific_data"
_NAME: Final = "expanded_name"
_MADE: Final = pattern(r"(?:.*__)?T[0-9]+[bs]")
"""Names of types that GNAT makes."""
_LONGEST: Final = 1_000
"""Letters of the name of a type."""


class TaggedObject:
    """An object whose tagged type, or one that it is derived from, is known."""

    def __init__(
        self,
        type_: Type | None,
        location: Location,
        context: Context,
        locate: Callable[[int], Location],
    ) -> None:
        """`locate` returns the location of an address."""
        self._type, self._location, self._context, self._locate = type_, location, context, locate
        parts = _parts(type_)
        first = parts[0][0]
        self._name_known = (
            None if [member.name for member in first.members] == [TAG] else first.name
        )
        """None where any type may follow, as after an interface."""
        tag = next(member for record, _ in parts for member in record.members if member.name == TAG)
        self._tag_bit = parts[-1][1] + (tag.bit_offset or 0)
        self._size = size_bits(tag.type) or 0

    def whole(self, code_objects: Iterable[CodeObject]) -> tuple[Type | None, Location]:
        """Return its type and location; a `DwarfGpuError` if they are unknown."""
        location, objects = self._location, [*code_objects]
        tag = self._number(location.displaced(self._tag_bit))
        distance = self._distance(tag)
        if distance:
            location = location.displaced(8 * distance)
            tag = self._number(location)
        name = self._name(tag, objects)
        described = _record_named(objects, name)
        if described is None:
            raise IllFormed(f"no type of the program has the name {name}")
        whole = types_of(described.unit).build(described)
        known = self._name_known
        if not distance and known and known not in {record.name for record, _ in _parts(whole)}:
            raise IllFormed(f"{name} is not derived from {known}")
        return whole, location

    def _distance(self, tag: int) -> int:
        """Return where the object begins, from its part, in bytes. Older versions of GNAT write it
        without its sign; the greatest number means that it follows the tag."""
        distance = self._number(self._locate(tag - 2 * self._size // 8))
        last = (1 << self._size - 1) - 1
        if distance == last:
            distance = self._number(self._location.displaced(self._tag_bit + self._size))
        return -abs(distance - ((distance > last) << self._size))

    def _number(self, location: Location) -> int:
        contents = self._context.access.read_bytes(location, self._size // 8)
        return int.from_bytes(contents, self._context.endian)

    def _name(self, tag: int, code_objects: Iterable[CodeObject]) -> str:
        """Return the name of a type as entries have it: `pk__round` for PK.ROUND."""
        described = _record_named(code_objects, _RECORD)
        members = () if described is None else described.children()
        offsets = [die.integer(dw.AT_DATA_MEMBER_LOCATION) for die in members if die.name == _NAME]
        if not offsets or offsets[0] is None:
            raise IllFormed("no file describes the records of Ada.Tags")
        record = self._number(self._locate(tag - self._size // 8))
        start = self._number(self._locate(record + offsets[0]))
        read = string_at(self._memory, start, 1, _LONGEST)
        if not read.is_ended:
            raise IllFormed(f"no name of at most {_LONGEST} letters is where that of the type is")
        return read.data[:-1].decode("latin-1").lower().replace(".", "__")

    def _memory(self, address: int, size_bytes: int) -> bytes | None:
        try:
            return self._context.access.read_bytes(self._locate(address), size_bytes)
        except DwarfGpuError:
            return None


def is_tagged(type_: Type | None) -> bool:
    """Return whether a type is a tagged one of Ada, with a tag at a constant place."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic) else bare
    first = form.members[0] if isinstance(form, Struct) and form.members else None
    if first is None or first.name not in (TAG, PARENT) or first.die is None:
        return False
    root, _ = _parts(type_)[-1]
    return first.die.unit.language in dw.ADA and any(part.name == TAG for part in root.members)


def class_wide_root(type_: Type | None) -> Type | None:
    """Return the root type of a variable of a class-wide type (`X : Root'Class := R`); None for any
    other. GNAT describes a record of the root type and the bytes that the first value needs."""
    bare = strip(type_)
    bare = bare.form if isinstance(bare, Dynamic) else bare
    if not isinstance(bare, Struct) or _MADE.fullmatch(bare.name or "") is None:
        return None
    if len(bare.members) != 2:
        return None
    root = bare.members[0]
    described = None if root.name != PARENT or root.die is None else root.die.parent()
    is_made = described is not None and described.flag(dw.AT_ARTIFICIAL)
    return root.type if is_made and is_tagged(root.type) else None


def unknown_tag(type_: Type | None, location: Location, error: DwarfGpuError) -> str:
    """Return the note that an object may have another type, because of an error; it says which
    object, because a note is printed once."""
    address = location.single_locations[0].byte_address
    which = "the object" if address is None else f"the object at {address:#x}"
    why = str(error) if isinstance(error, LimitExceeded) else "its tag leads to no type"
    return f"{which} may be of a type derived from {ada_name(type_)}, with more components: {why}"


def _parts(type_: Type | None) -> list[tuple[Struct, int]]:
    """Return a tagged type and those from which it is derived, with the bit where each begins."""
    bare = strip(type_)
    record = bare.form if isinstance(bare, Dynamic) else bare
    return [*tagged_records(record)] if isinstance(record, Struct) else []


def _record_named(code_objects: Iterable[CodeObject], name: str) -> Die | None:
    """Return the record of Ada of a name that any file has."""
    for code_object in code_objects:
        described = ada_record(code_object.info, name)
        if described is not None:
            return described
    return None
