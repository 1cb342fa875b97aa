"""Variables of a library in whose place the dynamic linker puts those of an earlier file."""

from __future__ import annotations

import os

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.session.session import Session


def interposition(session: Session, variable: Variable) -> str | None:
    """Return why a variable is not where its description says; None where it is there."""
    bound = None if variable.location is None else session.symbol_of(variable)
    if bound is None:
        return None
    where = f"{bound.address:#x}"
    if bound.thread_local_in is not None:
        file = os.path.basename(bound.thread_local_in.path)
        where = f"offset {where} in the thread-local storage of {file}"
    files = session.loaded_objects()
    owner = next((file.name for file in files if file.info is variable.unit.info.main), "its file")
    return (
        f"the dynamic linker binds {variable.name} to the definition at {where}: "
        f"that of {owner} is not used"
    )
