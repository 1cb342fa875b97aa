"""What the expressions of DW_AT_LLVM_lane_pc, DW_AT_LLVM_active_lane and DW_AT_LLVM_iterations
describe (AMD text A.3.3.5).

Law: only what holds on every machine for which the file may be is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.check.expressions import PossibleArchitectures
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import DwarfGpuError, counted
from dwarfgpu.expr.static_check.abstract_value import ADDRESS, GENERIC, REGISTER, Known
from dwarfgpu.expr.static_check.checker import result_of
from dwarfgpu.expr.static_check.operand_kinds import register_kinds
from dwarfgpu.expr.static_check.severity import Severity
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Implicit

_PER_LANE: Final = {dw.AT_LLVM_LANE_PC: "an address", dw.AT_LLVM_ACTIVE_LANE: "a bit"}
"""What each lane has in the description."""


@frozen
class LaneFault:
    """What is wrong with what an expression describes."""

    rule: str
    message: str
    severity: Severity


def lane_faults(
    die: Die, number: int, data: bytes, architectures: PossibleArchitectures
) -> Iterator[LaneFault]:
    """Yield what is wrong with an expression of a function's attribute."""
    unit = die.unit
    faults = set[LaneFault | None]()
    for architecture in architectures.all or (None,):
        result = result_of(data, unit.dialect, unit.format, architecture)
        if result is None:
            return
        if number == dw.AT_LLVM_ITERATIONS:
            faults.add(_iterations_fault(die, result))
        elif number in _PER_LANE:
            faults.add(_lanes_fault(die, number, result, architecture))
    if len(faults) == 1:
        (fault,) = faults
        if fault is not None:
            yield fault


def _lanes_fault(
    die: Die, number: int, result: Known, architecture: Architecture | None
) -> LaneFault | None:
    """Return the fault of a description with fewer elements than the function has lanes."""
    try:
        lanes = Subprogram(die).lanes
    except DwarfGpuError:
        return None  # reported itself
    if lanes is None or (architecture is not None and lanes > architecture.lane_count):
        return None  # reported itself
    size_bits = result.remaining_bits
    element_bits = 8 * die.unit.format.address_size if number == dw.AT_LLVM_LANE_PC else 1
    if size_bits is None or size_bits >= lanes * element_bits:
        return None
    needed = f"{lanes * element_bits}, {_PER_LANE[number]} for each of {counted(lanes, 'lane')}"
    return LaneFault("few-lanes", f"{size_bits} bits, and not {needed}", _severity(result))


def _severity(result: Known) -> Severity:
    """Return how certain a fault is: another frame may have a register in memory."""
    is_register = result.kinds & REGISTER or register_kinds(result)
    return "warning" if is_register else "error"


def _iterations_fault(die: Die, result: Known) -> LaneFault | None:
    """Return the fault of a description that is no implicit one of a number above 0."""
    rule, entry = "bad-iteration-count", result.entry
    if entry is None and result.kinds & ~(GENERIC | ADDRESS | REGISTER):
        return None
    storage = entry.single_locations[0].storage if isinstance(entry, Location) else None
    if not isinstance(storage, Implicit):
        message = "an implicit location description is required: end with DW_OP_stack_value"
        return LaneFault(rule, message, _severity(result))
    size_bits, generic_bits = result.remaining_bits, 8 * die.unit.format.address_size
    if size_bits is not None and size_bits < generic_bits:
        message = f"a number of {size_bits} bits, and one of the generic type is read"
        return LaneFault(rule, message, "error")
    if result.is_blank or storage.size_bits != size_bits or die.unit.endian != "little":
        return None
    bits = storage.bits & ((1 << generic_bits) - 1)
    number = bits - (bits >> (generic_bits - 1) << generic_bits)
    return (
        LaneFault(rule, f"the number of iterations is {number}", "error") if number <= 0 else None
    )
