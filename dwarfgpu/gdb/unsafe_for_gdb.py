"""Variables that GDB must not be asked for: reading them ends GDB, or shows its own memory.

GDB 13 takes a reference in bits without a piece for a synthetic pointer
(DW_OP_implicit_pointer), and follows the first piece without looking at its kind.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Array, Pointer, Struct, Type, strip
from dwarfgpu.gdb.differences import bits_of_pieces, instructions_of
from dwarfgpu.gdb.gdb_session import GdbSession

UNSAFE: Final = "GDB ends with an internal error at a reference in bits after the last piece"
WIDE_CHARACTER: Final = "GDB 13 crashes at the text of some characters of several bytes"
WIDE_CHARACTERS: Final = frozenset({dw.LANG_D, dw.LANG_RUST})
"""The languages with characters of several bytes whose character set GDB does not know."""
_SYNTHETIC: Final = frozenset({"implicit_pointer", "GNU_implicit_pointer"})
_MAX_TYPES: Final = 1000


def is_unsafe_for_gdb(session: GdbSession, variable: Variable) -> bool:
    """Return whether it is in pieces and has a reference as a member that may be in none of them,
    or in a synthetic pointer."""
    kind = strip(variable.type)
    if not isinstance(kind, Struct | Array) or not _has_reference(kind):
        return False
    bits = bits_of_pieces(session, variable)
    size_bytes = kind.size_bytes if isinstance(kind, Struct) else None
    names = {instruction.operation.name for instruction in instructions_of(session, variable)}
    is_whole = size_bytes is not None and bits >= 8 * size_bytes and not names & _SYNTHETIC
    return bits > 0 and not is_whole


def _has_reference(kind: Type) -> bool:
    pending: list[Type | None] = [kind]
    count = 0  # in wrong information a structure may contain itself
    while pending and count < _MAX_TYPES:
        count += 1
        match strip(pending.pop()):
            case Pointer() as pointer if pointer.kind != "pointer":
                return True
            case Array() as array:
                pending.append(array.element)
            case Struct() as struct:
                pending += [member.type for member in struct.members if not member.is_static]
    return False
