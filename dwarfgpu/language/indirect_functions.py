"""Indirect functions (STT_GNU_IFUNC): their code returns the function that a call means.

Law: no code is run: a target is what the dynamic linker has stored in a loaded file, as in GDB.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session

_ADDRESS_BYTES: Final = 8


def chosen_target(session: Session, linkage_name: str) -> int | None:
    """Return the entry, as loaded, of the function that the dynamic linker chose for a name: a word
    through which a procedure linkage table jumps has it. None if no table has the name, or the
    word leads back to the table because the name was not called yet."""
    memory = Memory(session.architecture.address_space(0))
    for code_object in session.loaded_objects():
        word = code_object.plt.words.get(linkage_name)
        if word is None or session.target is None:
            continue
        address = word + code_object.load_address
        try:
            data = session.target.read_memory(memory, address, _ADDRESS_BYTES)
        except DwarfGpuError:
            continue  # another file's table may have it
        target = int.from_bytes(data, "little")
        symbol = symbol_covering(session.loaded_objects(), target)
        if symbol is not None and not symbol.offset and not symbol.symbol.endswith("@plt"):
            return target
    return None
