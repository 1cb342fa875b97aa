"""Variables of a library in whose place the dynamic linker puts those of an earlier file."""

from __future__ import annotations

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.session.session import Session


def interposition(session: Session, variable: Variable) -> str | None:
    """Return why a variable is not where its description says; None where it is there."""
    bound = None if variable.location is None else session.at_symbol(variable)
    if bound is None:
        return None
    address = bound.single_locations[0].byte_address
    files = session.loaded_objects()
    owner = next((file.name for file in files if file.info is variable.unit.info.main), "its file")
    return (
        f"the dynamic linker binds {variable.name} to the definition at {address:#x}: "
        f"that of {owner} is not used"
    )
