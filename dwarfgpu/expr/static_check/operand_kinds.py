"""Whether the entries that an operation pops are what its declaration requires.

Law: each function reports what it refuses.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import PopInfo
from dwarfgpu.expr.static_check.abstract_value import (
    ACCEPTED,
    ADDRESS,
    GENERIC,
    LOCATION,
    NAMES,
    OTHER_LOCATION,
    POINTER,
    REGISTER,
    TYPED,
    Known,
)
from dwarfgpu.expr.static_check.severity import Report
from dwarfgpu.expr.static_check.stack_shape import Shape
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Register
from dwarfgpu.model.value import Value

_INTEGERS: Final = frozenset(
    {"address", "displacement", "mask", "offset", "size", "space", "width"}
)
"""The names of entries that must be integers."""
_NOT_NEGATIVE: Final = {
    "LLVM_overlay": ("offset", "size"),
    "LLVM_bit_overlay": ("offset", "size"),
    "overlay": ("width",),
    "bit_overlay": ("width",),
}
"""The entries that no location makes right where they are negative, by the function. In DWARF 6 an
offset may lead back to bits of the base before its position."""
_POSITIONS: Final = {
    **{name: f"the {name} entry" for name in ("top", "second", "third")},
    "zero": "the location for bits of 0",
    "one": "the location for bits of 1",
}
"""The entries whose declared name is not a noun."""


def has_entries(needed: int, shape: Shape, report: Report) -> bool:
    """Return whether the stack can have that many entries."""
    most = shape.most_depth
    entries = "entry" if needed == 1 else "entries"
    if most is not None and most < needed:
        message = f"{needed} stack {entries} needed, the stack has {most}"
        report("error", "stack-underflow", message)
        return False
    if most is not None and shape.least_depth < needed:
        few = shape.least_depth
        message = f"{needed} stack {entries} needed, the stack has {few} on some paths"
        report("warning", "stack-underflow", message)
    return True


def accepts(entry: Known, info: PopInfo, report: Report) -> bool:
    accepted = ACCEPTED[info.kind]
    if entry.kinds & accepted:
        return True
    noun = "a complete stack entry"
    if info.kind != "entry":
        noun = "a location description" if info.kind == "location" else "a value"
    message = f"{noun} is required as {_POSITIONS.get(info.name, f'the {info.name}')}, "
    message += f"not {kinds_text(entry.kinds)}"
    if entry.kinds & REGISTER:
        # In a frame other than the top one, memory may hold a register.
        report("warning", "wrong-kind", f"{message}, in the top call frame")
        return True
    report("error", "wrong-kind", message)
    return False


def is_integer(entry: Known, info: PopInfo, report: Report) -> bool:
    """Return whether an entry may be the integer that an operation requires, if it does."""
    type = entry.type
    if type is None or info.name not in _INTEGERS or entry.kinds & ACCEPTED[info.kind] != TYPED:
        return True
    if type.is_integral and type.vector_size is None:
        return True
    report("error", "wrong-kind", f"an integral type is required as the {info.name}, not {type}")
    return False


def is_not_below_zero(
    instruction: Instruction, entry: Known, info: PopInfo, report: Report
) -> bool:
    """Return whether an entry is no negative number where an operation refuses those."""
    refused = _NOT_NEGATIVE.get(instruction.operation.function.__name__, ())
    number = entry.entry.displacement if isinstance(entry.entry, Value) else 0
    if info.name not in refused or number >= 0:
        return True
    report("error", "outside-storage", f"the {info.name} of an overlay is {number}, below 0")
    return False


def kinds_text(kinds: int) -> str:
    return " or ".join(name for bit, name in NAMES.items() if kinds & bit)


def as_location(kinds: int) -> int:
    out = kinds & LOCATION
    if kinds & GENERIC:
        out |= ADDRESS
    return out | LOCATION if kinds & POINTER else out


def moved_by_bits(kinds: int, displacement_bits: int | None) -> int:
    """Return the kinds of a location that DW_OP_LLVM_bit_offset moves; None is an unknown
    distance."""
    out = as_location(kinds)
    if displacement_bits is not None and displacement_bits % 8 == 0:
        return out
    # What is not on a byte is no address, and may be moved to one.
    return out | ADDRESS | OTHER_LOCATION if out & (ADDRESS | OTHER_LOCATION) else out


def register_kinds(entry: Known) -> int:
    """Return the kinds of a known location in a register of the top call frame, 0 for others.

    Another frame may have the register in memory, on a byte: only on a byte is it an address.
    """
    location = entry.entry
    single = location.single_locations[0] if isinstance(location, Location) else None
    if single is None or not isinstance(single.storage, Register):
        return 0
    return OTHER_LOCATION if single.bit_offset % 8 else REGISTER


def of_one_type(popped: list[Known], rest: Shape, report: Report) -> Shape | None:
    """Judge arithmetic, whose operands and result have one type."""
    kinds = 0
    for entry in popped:
        kinds |= GENERIC if entry.kinds == ADDRESS else entry.kinds & (GENERIC | TYPED | ADDRESS)
    # An implicit pointer value is not an operand either: what else an entry may be counts.
    values = [entry.kinds & ~POINTER for entry in popped]
    singles = {GENERIC if kinds == ADDRESS else kinds for kinds in values}
    if singles == {GENERIC, TYPED}:
        message = "operands must have the same type, not the generic type and a base type"
        report("error", "mixed-types", message)
        return None
    if kinds & (ADDRESS | REGISTER) or not kinds:
        kinds = kinds & TYPED | GENERIC
    return rest.pushed(Known(kinds))


def fits_base(
    instruction: Instruction, arch: Architecture, space: AddressSpace, report: Report
) -> bool:
    """Return whether the register of DW_OP_LLVM_aspace_bregx holds an address of the space."""
    number = instruction.operands[0]
    register = arch.registers.get(number) if isinstance(number, int) else None
    if register is None or not register.is_narrower(space.address_bits):
        return True
    message = (
        f"register {register} of {register.size_bits} bits is narrower than "
        f"the {space.address_bits}-bit addresses of {space}"
    )
    report("error", "narrow-base-register", message)
    return False
