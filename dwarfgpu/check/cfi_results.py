"""Results of expressions in call frame information that no debugger can use (A.6.4.1, A.6.4.2.2).

Law: only what holds on every machine for which the file may be is a fault. A register is a warning:
in an outer frame memory may hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.cfi.rule import Row
from dwarfgpu.errors import counted
from dwarfgpu.expr.static_check.abstract_value import REGISTER, Known
from dwarfgpu.expr.static_check.severity import Severity
from dwarfgpu.model.location import IncompleteComposite, Location
from dwarfgpu.model.storage import Implicit, Memory, Undefined

_EMPTY: Final = "an empty expression"


def cfa_fault(data: bytes, results: Sequence[Known | None]) -> tuple[str, Severity] | None:
    """Return what the CFA expression gives in place of a byte address in memory."""
    if not data:
        return _EMPTY, "error"
    faults = {_no_byte_address(result) for result in results}
    return faults.pop() if len(faults) == 1 else None


def _no_byte_address(result: Known | None) -> tuple[str, Severity] | None:
    if result is None:
        return None
    if result.kinds == REGISTER:
        return "a register", "warning"
    if result.in_top_frame or not isinstance(result.entry, Location):
        return None  # a composite that is not complete is known by the last operation
    single = result.entry.single_locations[0]
    match single.storage:
        case Memory():
            return ("a position within a byte", "error") if single.bit_offset % 8 else None
        case Undefined():
            return "an undefined location", "error"
        case Implicit():
            return "an implicit value", "error"
        case _:
            return None


def short_of_register(
    number: int, results: Sequence[Known | None], architectures: Sequence[Architecture]
) -> str | None:
    """Return how a rule `expression` describes fewer bits than its register has; None if it does
    not.

    `results` and `architectures`: one of the other.
    """
    shortages = set[str | None]()
    for result, architecture in zip(results, architectures, strict=True):
        register = architecture.registers.get(number)
        size_bits = None if result is None else result.remaining_bits
        if result is None or register is None or size_bits is None:
            return None
        noun = "a register" if result.kinds == REGISTER else "a location"
        if isinstance(result.entry, IncompleteComposite):
            noun = "pieces"
        is_short = size_bits < register.size_bits
        shortage = f"has {register.size_bits} bits, and its rule gives {noun} of {size_bits} bits"
        shortages.add(shortage if is_short else None)
    return shortages.pop() if len(shortages) == 1 else None


def return_column_fault(machine: Architecture, column: int) -> str | None:
    """Return why a register cannot have the return address: it is too small for one; None if it
    may."""
    register = machine.registers.get(column)
    is_pair = machine.return_address_register is None  # of NVIDIA's GPUs: the column is one of two
    if register is None or is_pair or register.size_bits >= machine.address_bits:
        return None
    size = f"{counted(register.size_bits, 'bit')}, and an address {machine.address_bits}"
    return f"the return address column is {column}: {register.name} has {size}"


def needs_rule(machine: Architecture, column: int) -> bool:
    """Return whether a return address column has no return address without a rule: functions may
    change it, and it is not that of the machine, which `bt` explains."""
    usual = machine.return_address_register
    has_default = usual is None or column == usual or column in (machine.preserved or ())
    return column in machine.registers and not has_default


def lost_return_address(machine: Architecture, column: int, rows: Sequence[Row]) -> str | None:
    """Return why such a column cannot be meant: no row has a rule for it, and one has for that of
    the machine; None if it may be."""
    usual = machine.return_address_register
    if usual is None or any(column in row.rules for row in rows):
        return None
    if not any(usual in row.rules for row in rows):
        return None
    message = f"the return address column is {column} ({machine.registers[column].name}), without"
    return f"{message} a rule, and {machine.registers[usual].name} has one"
