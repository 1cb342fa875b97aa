"""What `*` of Rust has of a pointer to a trait object: the object in the type that its table of
methods says, also where only the type is wanted. `*` of any other structure is a call of
`Deref::deref`, or nothing.
"""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import as_code_objects
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.tables_of_traits import object_types
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError, counted
from dwarfgpu.language.class_operators import NO_CALLS
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue

_PARTS = ("pointer", "vtable")
_POINTERS = ("&", "*", "alloc::boxed::Box<")
"""How the names of pointers begin, and those of no type that a program declares."""
_DYNAMIC = ("dyn ", "(dyn ")


def is_trait_pointer(type_: Type | None) -> bool:
    """Return whether a type is that of a pointer to a trait object, or to what ends with one."""
    bare = strip(type_)
    if not isinstance(bare, Struct) or not _named(type_).startswith(_POINTERS):
        return False
    if sorted(m.name or "" for m in bare.members) != [*_PARTS]:
        return False
    return all(isinstance(strip(member.type), Pointer) for member in bare.members)


def pointer_to_object(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return a pointer with the type of the object to which a pointer to a trait object leads.

    `Unsupported` if that type is not described, or several are, or has not the size in the table;
    and for a pointer to another type that ends with a trait object.
    """
    pointer, table = (objects.member(value, part) for part in _PARTS)
    kind = strip(pointer.type)
    target = strip(kind.target) if isinstance(kind, Pointer) else None
    name = _named(target)
    if not name.startswith(_DYNAMIC):
        what = f"{name} ends with a trait object, whose type decides where it begins: write members"
        raise Unsupported(what)
    die = _type_of_table(objects, objects.read(table), name)
    assert isinstance(kind, Pointer)
    typed = evolve(kind, target=types_of(die.unit).build(die), own_name=None)
    read = objects.read(pointer)
    return evolve(read, type=typed, variable=None, location=None, unit=die.unit)


def _type_of_table(objects: ObjectAccess, table: TypedValue, name: str) -> Die:
    """Return the type of the objects with a table, to which a pointer leads."""
    types: list[Die] = []
    sharing: list[Die] = []
    address = objects.known(table).value
    for item in as_code_objects(objects.session.loaded_objects()).around(address):
        low, high = item.file.extent
        if low <= item.info.in_file(address) < high:
            in_file = object_types(item.info, item.info.in_file(address))
            types += in_file.described
            sharing += in_file.sharing
    before = f"the type of the {name} is unknown: "
    if not types:
        raise Unsupported(f"{before}the file describes no vtable at {address:#x}")
    first = _described(types[0])
    if (other := next((one for one in types if _described(one) != first), None)) is not None:
        raise Unsupported(f"{before}{_pair(types[0], other)} share the vtable at {address:#x}")
    memory = ObjectAccess(objects.session)
    drop, size = (_word(memory, table, index) for index in (0, 1))
    if _size_of(types[0]) not in (size, None):
        raise Unsupported(
            f"{before}the vtable at {address:#x} is that of {_named_type(types[0])}, but says that "
            f"the object has {counted(size, 'byte')}"
        )
    rivals = (one for one in sharing if _size_of(one) == size and _described(one) != first)
    if not drop and (other := next(rivals, None)) is not None:
        pair = _pair(types[0], other)
        raise Unsupported(f"{before}{pair} may share the vtable at {address:#x}")
    return types[0]


def _word(objects: ObjectAccess, table: TypedValue, index: int) -> int:
    """Return an entry of a table, which begins with the drop function, the size and the
    alignment."""
    entry = objects.element(objects.dereferenced(table), index)
    return objects.known(objects.read(entry)).value


def _pair(one: Die, other: Die) -> str:
    return " and ".join(sorted(map(_named_type, (one, other))))


def _named_type(die: Die) -> str:
    return _named(types_of(die.unit).build(die))


def _size_of(die: Die) -> int | None:
    return size_bytes(types_of(die.unit).build(die))


def _described(die: Die) -> tuple[object, ...]:
    """Return what the descriptions of one type in several units have in common."""
    type_ = types_of(die.unit).build(die)
    bare = strip(type_)
    members = bare.members if isinstance(bare, Struct) else ()
    parts = tuple((one.name, _named(one.type), str(one.bit_offset)) for one in members)
    return _named(type_), size_bytes(type_), parts


def no_target(type_: Type | None) -> DwarfGpuError:
    """Return the error for `*` of any other structure, which is a call, or nothing."""
    name = _named(type_)
    if dynamic_array(type_) is not None:
        return UsageError(f"{name} leads to several elements: write it without *, or one of them.")
    only = "Rust has * of references, pointers and Box"
    return Unsupported(f"{only}; of {name} it is a call of deref, if anything: {NO_CALLS}")


def _named(type_: Type | None) -> str:
    return "()" if type_ is None else type_name(type_, cplusplus=True)
