"""Objects of Go whose pieces have more bits than they: Go 1.19 writes some pieces of slices and
interfaces twice. GDB refuses them.

Law: a piece is left out only where it repeats the one before, and where the rest is the object.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, pairwise
from typing import Final

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import GUESS, IllFormed
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.model.location import Location, composite
from dwarfgpu.model.storage import Composite

_UNIT_BITS: Final = {"piece": 8, "bit_piece": 1}
"""The bits of one unit of the first operand."""


def bits_of_pieces(instructions: Instructions) -> int:
    """Return the bits of all pieces of an expression that is nothing else; otherwise 0."""
    if not instructions or instructions[-1].operation.name not in _UNIT_BITS:
        return 0
    if any(instruction.operation.transfers for instruction in instructions):
        return 0
    return sum(map(_bits_of_piece, instructions))


def _bits_of_piece(instruction: Instruction) -> int:
    """Return the bits of the piece that an operation ends; 0 for any other operation."""
    unit_bits = _UNIT_BITS.get(instruction.operation.name)
    count = instruction.operands[0] if unit_bits else 0
    return (unit_bits or 0) * count if isinstance(count, int) else 0


def note_on_repeats(variable: Variable, instructions: Instructions, size: int) -> str | None:
    """Return the note where repeated pieces are left out; None where the object is refused."""
    if _kept(instructions, size) is None:
        return None
    return (
        f"{variable.name}: {_sizes(instructions, size)}: Go's compiler repeats pieces, and those "
        f"that repeat the one before are left out: {GUESS}"
    )


def without_repeats(
    variable: Variable, size: int, location: Location, programs: Iterable[Program]
) -> Location:
    """Return the location without repeated pieces; `IllFormed` where that is not the object."""
    for program in programs:
        instructions = program.instructions
        if bits_of_pieces(instructions) <= size:
            continue
        kept, [single, *more] = _kept(instructions, size), location.single_locations
        storage = single.storage
        if (
            kept is None
            or more
            or not isinstance(storage, Composite)
            or len(storage.parts) != len(kept)
        ):
            raise IllFormed(
                f"{variable.name}: {_sizes(instructions, size)}: its compiler does not say which "
                "of them are the object"
            )
        return composite([*compress(storage.parts, kept)])
    return location


def _sizes(instructions: Instructions, size: int) -> str:
    return f"its pieces have {bits_of_pieces(instructions)} bits, and the object {size}"


def _kept(instructions: Instructions, size: int) -> list[bool] | None:
    """Return which pieces are the object: those that do not repeat the one before, or these and all
    that are optimized out; None where neither has its size."""
    pieces: list[list[tuple[object, ...]]] = []
    counts: list[int] = []
    start = 0
    for end, instruction in enumerate(instructions, 1):
        count = _bits_of_piece(instruction)
        if count:
            used = instructions[start:end]
            pieces.append([(item.operation.name, *item.operands) for item in used])
            counts.append(count)
            start = end
    for keeps_lost in (False, True):
        kept = [
            piece != before or (keeps_lost and len(piece) == 1)
            for before, piece in pairwise([[], *pieces])
        ]
        if sum(compress(counts, kept)) == size:
            return kept
    return None
