"""Where objects of functions are that have jumped to their callees.

Law: such a function has given its frame back before the jump. What its description counts from the
frame base, the CFA or the stack pointer is memory of other functions: also its arguments on the
stack, where a jump puts those of the callee. It is undefined; registers are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.object import REASON_LOST
from dwarfgpu.model.storage import Composite, Part, Register, Undefined
from dwarfgpu.session.frame import SubprogramFrame

_OF_FRAMES: Final = frozenset(("fbreg", "call_frame_cfa"))


def without_left_frame(
    location: Location, programs: Iterable[Program], frame: SubprogramFrame
) -> Location:
    """Return the location that expressions describe in a function that has jumped to its callee,
    without what is in the frame that it has given back."""
    stack_pointer = frame.session.architecture.stack_pointer
    if not any(is_of_frame(item.instructions.distinct, stack_pointer) for item in programs):
        return location
    why = f"{REASON_LOST}{_name(frame)} gave its frame back before it jumped to its callee"
    undefined = Location((SingleLocation(Undefined(why=lambda: why)),))
    single = location.single_locations[0]
    if isinstance(single.storage, Composite) and not single.bit_offset:
        parts = single.storage.parts
        return composite(
            [
                part if _is_in_registers(part.location) else Part(undefined, part.size_bits)
                for part in parts
            ]
        )
    return location if _is_in_registers(location) else undefined


def is_of_frame(instructions: Iterable[Instruction], stack_pointer: int | None) -> bool:
    """Return whether an expression counts from something of the frame."""
    for instruction in instructions:
        name = instruction.operation.name
        if name in _OF_FRAMES or name == f"breg{stack_pointer}":
            return True
        if name == "bregx" and instruction.operands[0] == stack_pointer:
            return True
    return False


def _is_in_registers(location: Location) -> bool:
    return all(isinstance(single.storage, Register) for single in location.single_locations)


def _name(frame: SubprogramFrame) -> str:
    subprogram = frame.subprogram
    return "the function" if subprogram is None else subprogram.name
