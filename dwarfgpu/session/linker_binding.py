"""Where the dynamic linker of a process has bound the name of a variable that a library defines.

Law: the word that the linker wrote for the library's own code decides (System V ABI, "Global Offset
Table"): it is right for every scope. The list of loaded files does not say what dlopen(3) with
RTLD_LOCAL and dlmopen(3) do. Its order decides only if that word is unknown.
"""

from __future__ import annotations

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.symbols_by_name import interposable, interposed_address
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.target import Target
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.dynamic_relocations import linker_slots
from dwarfgpu.session.focused_names import FocusedNames


def bound_address(session: FocusedNames, variable: Variable) -> int | None:
    """Return the address that the code of a library uses for an external variable that it defines,
    if that is in another file; None if it is where the library describes it."""
    if not variable.is_external:
        return None
    loaded = session.loaded_objects()
    library = interposable(loaded, variable)
    if library is None:
        return None
    owner, name = library
    target = session.target
    if target is None or (isinstance(target, TargetWithCodeObjects) and not target.has_started):
        return interposed_address(loaded, variable)
    slots = linker_slots(owner.file).get(name, ())
    if not slots:  # its code never asks the linker: only a program has copies of variables
        return interposed_address((loaded[0], owner), variable)
    bound = {address for slot in slots if (address := _word(session, target, owner, slot))}
    own = owner.file.exported_object(name)
    if own is not None and own.address + owner.load_address in bound:
        return None
    return bound.pop() if len(bound) == 1 else interposed_address(loaded, variable)


def _word(session: FocusedNames, target: Target, owner: CodeObject, slot: int) -> int:
    """Return the address in a word of a file; 0 if the linker has not written it, or it is
    unknown."""
    architecture = session.architecture
    space = architecture.address_space(0)
    try:
        address = owner.load_address + slot & (1 << space.address_bits) - 1
        data = target.read_memory(Memory(space), address, space.address_bits // 8)
    except Unavailable:
        return 0
    return int.from_bytes(data, architecture.endian)
