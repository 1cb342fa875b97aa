"""Frames that functions have given back before they jumped to their callees.

Law: such a function has restored the registers that it saved, and its memory belongs to other
functions: also its arguments on the stack, where a jump puts those of the callee. What its
descriptions take from there is undefined; other registers, constants and static memory are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.rule import SameValueRule, UndefinedRule
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.calls.call_sites import CallSite
from dwarfgpu.dwarf.cfi_rows_by_pc import CallFrames
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.evaluate import base_register_of, register_of
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.ops.composite import PIECES
from dwarfgpu.model.location import Location, SingleLocation, composite
from dwarfgpu.model.object import REASON_LOST
from dwarfgpu.model.storage import Composite, Part, Undefined

_OF_FRAMES: Final = frozenset(("fbreg", "call_frame_cfa"))
_UNCHANGED: Final = (SameValueRule, UndefinedRule)


@frozen
class LeftFrame:
    """What a function had until it jumped to its callee."""

    name: str
    """Of the function."""
    registers: frozenset[int]
    """The stack pointer, the register of the frame base, and those that the function had saved."""

    @property
    def why_lost(self) -> str:
        return f"{self.name} gave its frame back before it jumped to its callee"

    def has_part_in(self, instructions: Iterable[Instruction]) -> bool:
        """Return whether a description takes something from the frame."""
        for instruction in instructions:
            number = register_of(instruction)
            number = base_register_of(instruction) if number is None else number
            if number in self.registers or instruction.operation.name in _OF_FRAMES:
                return True
        return False

    def require_no_part_in(self, attribute: ExprLoc, *, is_object: bool = False) -> None:
        """Raise `UndefinedBits` for a value that is read from the frame, and for an object that is
        in it. An address there is known."""
        unit = attribute.unit
        instructions = decode(attribute.expression, unit.dialect, unit.format).instructions
        reads = is_object or any(
            instruction.operation.name.startswith(("deref", "xderef"))
            for instruction in instructions.distinct
        )
        if reads and self.has_part_in(instructions.distinct):
            raise UndefinedBits(self.why_lost)

    def without(self, location: Location, programs: Iterable[Program]) -> Location:
        """Return the location that expressions describe, without what is in the frame."""
        of_frame = [item for item in programs if self.has_part_in(item.instructions.distinct)]
        if not of_frame:
            return location
        why = f"{REASON_LOST}{self.why_lost}"
        undefined = Location((SingleLocation(Undefined(why=lambda: why)),))
        single = location.single_locations[0]
        if len(of_frame) > 1 or not isinstance(single.storage, Composite) or single.bit_offset:
            return undefined
        parts, pieces = single.storage.parts, list(_pieces(of_frame[0]))
        if len(parts) != len(pieces):
            return undefined
        return composite(
            [
                Part(undefined, part.size_bits) if self.has_part_in(piece) else part
                for part, piece in zip(parts, pieces, strict=True)
            ]
        )


def left_frame(
    architecture: Architecture | None, info: DebugInfo | None, address: int, around: Iterable[Die]
) -> LeftFrame:
    """Return what the function at an address of a file had until it jumped. `around`: the entries
    around the address, the innermost first. `info`: None for no call frame information."""
    name, registers = "the function", set(() if info is None else _saved(info.call_frames, address))
    if architecture is not None and architecture.stack_pointer is not None:
        registers.add(architecture.stack_pointer)
    for die in around:
        if die.tag == dw.TAG_SUBPROGRAM:
            subprogram = Subprogram(die)
            name = subprogram.name
            registers.update(_of_frame_base(subprogram))
            break
    return LeftFrame(name, frozenset(registers))


def left_by(call: CallSite, architecture: Architecture | None) -> LeftFrame:
    """Return what the function that makes a tail call had until then, as far as the entries of the
    function say."""
    return left_frame(architecture, None, 0, _around(call.die))


def _around(die: Die | None) -> Iterator[Die]:
    while die is not None:
        yield die
        die = die.parent()


def _of_frame_base(subprogram: Subprogram) -> Iterator[int]:
    """Yield the register that a frame base is; none if it is something else."""
    try:
        base = subprogram.frame_base
    except DwarfGpuError:
        return  # who needs it reports it
    if not isinstance(base, ExprLoc):
        return
    for instruction in decode(base.expression, base.unit.dialect, base.unit.format).instructions:
        number = register_of(instruction)
        if number is not None:
            yield number


@kept_with(first)
def _saved(frames: CallFrames, address: int) -> frozenset[int]:
    """Return the registers that a function saves by its call frame information, as far as that can
    be read."""
    try:
        described = frames.description_at(address)
        table = None if described is None else frames.table(described.section, described.fde)
    except DwarfGpuError:
        return frozenset()  # who unwinds the frame reports it
    rows = () if table is None else table.rows
    return frozenset(
        number
        for row in rows
        for number, rule in row.rules.items()
        if not isinstance(rule, _UNCHANGED)
    )


def _pieces(program: Program) -> Iterator[list[Instruction]]:
    """Yield the instructions of each piece of an object."""
    piece: list[Instruction] = []
    for instruction in program.instructions:
        if instruction.operation.name in PIECES:
            yield piece
            piece = []
        else:
            piece.append(instruction)
