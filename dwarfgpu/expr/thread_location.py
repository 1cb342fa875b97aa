"""Locations that are a number in the thread-local storage of a file, and nothing else."""

from __future__ import annotations

from typing import Final

from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ExprLoc, LocationAttribute
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.ops.memory import TLS_ADDRESSES

INDEXED: Final = frozenset({"constx", "GNU_const_index", "addrx", "GNU_addr_index"})
"""The operations, in all dialects, that push an entry of `.debug_addr`."""
_ENDS: Final = (b"\x9b", b"\xe0")
"""DW_OP_form_tls_address, and its GNU form."""
_NUMBERS: Final = ("const", "lit", "GNU_const_index")
"""Beginnings of the names of operations that push an offset in the storage of a thread."""


def is_in_thread(attribute: LocationAttribute | None) -> bool:
    """Return whether an object is at a fixed offset in the storage of each thread."""
    return _pushing(attribute) is not None


def number_in_thread(attribute: LocationAttribute | None) -> int | None:
    """Return the number of such a location in `.debug_addr`: an offset, or what a compiler wrote
    for it; None for any other location."""
    pushing = _pushing(attribute)
    if pushing is None or pushing.operation.name not in INDEXED:
        return None
    (index,) = pushing.operands
    assert isinstance(attribute, ExprLoc) and isinstance(index, int)
    return attribute.unit.address(index)


def pushed_in_thread(attribute: LocationAttribute | None) -> int | None:
    """Return the number of such a location, from wherever it has it; None for any other."""
    pushing = _pushing(attribute)
    if pushing is None or pushing.operation.name in INDEXED:
        return number_in_thread(attribute)
    number = pushing.operands[0] if pushing.operands else pushing.operation.number
    return number if isinstance(number, int) else None


def _pushing(attribute: LocationAttribute | None) -> Instruction | None:
    """Return the operation before the one that makes a location in the storage of a thread, if
    these two are all."""
    if not isinstance(attribute, ExprLoc) or attribute.expression[-1:] not in _ENDS:
        return None
    unit = attribute.unit
    instructions = prepare(attribute.expression, unit.dialect, unit.format).instructions
    if len(instructions) != 2 or instructions[1].operation.name not in TLS_ADDRESSES:
        return None
    return instructions[0] if instructions[0].operation.name.startswith(_NUMBERS) else None
