"""How many bits of an object a register of a GPU holds, or the rest of a value after an offset.

Law: only what holds on every machine for which the file may be is known. On CPUs debuggers read on
in the register after it, so that nothing is known of registers there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.expr.decode import Expression
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.expr.static_check.abstract_value import Known
from dwarfgpu.expr.static_check.checker import result_of
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Implicit, Register, is_compound

_BITS_OF_A_LANE: Final = 32
_MOVES: Final = frozenset(
    {"LLVM_offset", "LLVM_offset_uconst", "LLVM_bit_offset", "offset", "bit_offset"}
)
"""Operations after which a location is not where its storage begins."""


def register_bits(expression: Expression, architectures: Sequence[Architecture]) -> int | None:
    """Return the bits from the described location to the end of its register; None if the result is
    no register, or that is unknown."""
    if not architectures or not all(machine.is_simt for machine in architectures):
        return None
    names = {instruction.operation.name for instruction in expression.instructions.distinct}
    if not any(map(_is_register, names)) or not names.isdisjoint(PIECES):
        return None
    dialect, format = expression.dialect, expression.format
    first = expression.instructions[0]
    if dialect.upstream_clang and VECTOR_REGISTERS.intersection(first.operands):
        # It means the part of one lane (docs/dialects.md).
        return _BITS_OF_A_LANE if len(expression.instructions) == 1 else None
    results = [result_of(expression.data, dialect, format, machine) for machine in architectures]
    # None on a machine that has no such register: the file is for the other one.
    remaining = [_remaining(result) for result in results if result is not None]
    return max(remaining) if remaining and all(remaining) else None


def rest_bits(expression: Expression, architectures: Sequence[Architecture]) -> int | None:
    """Return the bits from the described location to the end of an implicit value, or of a
    composite, in which it was moved; None if the result is neither, or that is unknown."""
    names = {instruction.operation.name for instruction in expression.instructions.distinct}
    if names.isdisjoint(_MOVES):
        return None
    rests = set[int | None]()
    for machine in architectures or (None,):
        result = result_of(expression.data, expression.dialect, expression.format, machine)
        location = None if result is None else result.entry
        if result is None or not isinstance(location, Location):
            return None
        storage = location.single_locations[0].storage
        is_known = isinstance(storage, Implicit) or is_compound(storage)
        rests.add(result.remaining_bits if is_known else None)
    return rests.pop() if len(rests) == 1 else None


def _is_register(name: str) -> bool:
    return name == "regx" or (name.startswith("reg") and is_decimal(name[3:]))


def _remaining(result: Known) -> int:
    """Return the bits of a register that remain; 0 if they are unknown."""
    if not isinstance(result.entry, Location):
        return 0
    storage = result.entry.single_locations[0].storage
    return result.remaining_bits or 0 if isinstance(storage, Register) else 0
