"""Operations that see the whole stack: copies of entries, and the parts of composites.

Law: DW_OP_piece has the four cases of the text (A.2.5.4.4.6), and in DWARF 6 one.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.static_check.abstract_value import (
    ACCEPTED,
    ANY,
    NAMES,
    OTHER_LOCATION,
    PARTIAL,
    REGISTER,
    Known,
)
from dwarfgpu.expr.static_check.operand_kinds import has_entries, kinds_text
from dwarfgpu.expr.static_check.severity import Report
from dwarfgpu.expr.static_check.stack_shape import Shape
from dwarfgpu.model.location import Entry, IncompleteComposite, Location
from dwarfgpu.model.storage import is_compound

_STANDARD_PIECES: Final = frozenset({"standard_piece", "standard_bit_piece"})
"""The functions of DW_OP_piece and DW_OP_bit_piece in DWARF 6."""


def on_stack(name: str, instruction: Instruction, shape: Shape, report: Report) -> Shape | None:
    """Return the operations that see the whole stack."""
    if name in ("pick", "over"):
        index = instruction.operands[0] if name == "pick" else 1
        assert isinstance(index, int)
        if not has_entries(index + 1, shape, report):
            return None
        entry = shape.top[-1 - index] if index < len(shape.top) else Known()
        if entry.kinds == PARTIAL:
            report("error", "wrong-kind", f"{NAMES[PARTIAL]} cannot be copied")
            return None
        return shape.pushed(evolve(entry, kinds=entry.kinds & ANY))
    if name == "LLVM_piece_end":
        if not has_entries(1, shape, report):
            return None
        (top,), rest = shape.popped(1)
        if not top.kinds & PARTIAL:
            message = "no incomplete composite location description is at the top"
            report("error", "wrong-kind", message)
            return None
        return rest.pushed(Known(OTHER_LOCATION))
    if name in _STANDARD_PIECES:
        return _standard_piece(shape, report)
    return _piece(shape, report)


def popped_by(instruction: Instruction, shape: Shape) -> list[Known] | None:
    """Return the entries that an operation takes, where its effect depends on no others."""
    operation = instruction.operation
    if operation.name in ("pick", "over") or operation.name.startswith("call"):
        return None
    if is_standard_piece(instruction):
        has_all = len(shape.top) > 1 or shape.most == 0
        return list(shape.top[-2:]) if has_all else None
    if "stack" not in operation.leading:
        return shape.popped(len(operation.pops))[0]
    below, has_more = shape.top[-2:], shape.most != 0 or len(shape.top) > 2
    if not below:
        return None if has_more else []
    if below[-1].kinds == PARTIAL:
        return [below[-1]]
    if below[-1].kinds & PARTIAL or (len(below) == 1 and has_more):
        return None
    if len(below) == 2 and below[0].kinds & PARTIAL:
        return list(below) if below[0].kinds == PARTIAL else None
    return [below[-1]]


def is_standard_piece(instruction: Instruction) -> bool:
    """Return whether an operation is DW_OP_piece or DW_OP_bit_piece of DWARF 6."""
    return instruction.operation.function.__name__ in _STANDARD_PIECES


def piece_bits(instruction: Instruction) -> int:
    """Return the size of the part that DW_OP_piece or DW_OP_bit_piece defines, in bits; 0 for any
    other operation."""
    name, operands = instruction.operation.name, instruction.operands
    if name not in ("piece", "bit_piece") or not isinstance(operands[0], int):
        return 0
    return operands[0] * (8 if name == "piece" else 1)


def before_piece_bits(instruction: Instruction, entries: list[Known]) -> int | None:
    """Return the size of the composite to which an operation adds a part, in bits; None if it adds
    none, or the composite is unknown."""
    base = entries[0].entry if entries else None
    if isinstance(base, IncompleteComposite):
        return base.size_bits
    if not is_standard_piece(instruction) or not isinstance(base, Location):
        return None
    storage = base.single_locations[0].storage
    return storage.size_bits if is_compound(storage) else None


def _piece(shape: Shape, report: Report) -> Shape | None:
    """Judge DW_OP_piece and DW_OP_bit_piece: the four cases of the text."""
    partial = Known(PARTIAL)
    if not shape.top:
        return shape.pushed(partial) if shape.most == 0 else Shape((partial,), 0, None)
    (top,), rest = shape.popped(1)
    if top.kinds == PARTIAL:
        return rest.pushed(partial)
    if not top.kinds & (ACCEPTED["location"] | PARTIAL):
        message = f"a location description is required, not {kinds_text(top.kinds)}"
        report("error", "wrong-kind", message)
        return None
    if top.kinds & PARTIAL:
        return Shape((partial,), 0, None)
    if not rest.top:
        return rest.pushed(partial) if rest.most == 0 else Shape((partial,), 0, None)
    (below,), under = rest.popped(1)
    if below.kinds == PARTIAL:  # whose location, which may be known, gets a part
        return under.pushed(partial)
    return Shape((partial,), 0, None) if below.kinds & PARTIAL else rest.pushed(partial)


def _standard_piece(shape: Shape, report: Report) -> Shape | None:
    """Judge DW_OP_piece and DW_OP_bit_piece of DWARF 6: the composite is a location like any
    other."""
    if len(shape.top) < 2:
        most = shape.most_depth
        return Shape((Known(OTHER_LOCATION),), 0, 0 if most is not None and most < 2 else None)
    (below, top), rest = shape.popped(2)
    if not top.kinds & ACCEPTED["location"]:
        report("error", "wrong-kind", f"a location is required, not {kinds_text(top.kinds)}")
        return None
    if not below.kinds & OTHER_LOCATION or _is_single(below.entry):
        message = f"a composite is required below the part, not {kinds_text(below.kinds)}"
        depends = below.kinds & REGISTER or below.in_top_frame
        report("warning" if depends else "error", "wrong-kind", message)
        if not depends:
            return None
    return rest.pushed(Known(OTHER_LOCATION))


def _is_single(entry: Entry | None) -> bool:
    """Return whether a known entry is a location in storage that has no parts."""
    return isinstance(entry, Location) and not is_compound(entry.single_locations[0].storage)
