"""The call frames of a session: who called whom, inlined functions too, and values on entry.

Frames are numbered as GDB numbers them: 0 is the innermost, an inlined function has a number of its
own. Levels count the frames that the machine has (`dwarfgpu.cfi.unwind.PhysicalFrame`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.basetype import BaseType
from dwarfgpu.cfi.quirks import corrected
from dwarfgpu.cfi.unwind import FrameRow
from dwarfgpu.dwarf.call_sites import (
    CallSite,
    call_before,
    is_same_function,
    may_tail_call_itself,
)
from dwarfgpu.dwarf.call_values import passed_value
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scopes import Subprogram
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.text import assemble
from dwarfgpu.model.value import Value
from dwarfgpu.nouns import frozen

MOST_CALLERS: Final = 32
"""Frames through which one value on entry is followed outward."""
TYPED_REGISTERS: Final = ("regval_type", "GNU_regval_type")
"""Operations that read a register as a base type."""


@frozen
class LoadedCode:
    """The call frame information of all code objects (`dwarfgpu.cfi.stack.Loaded`)."""

    code_objects: Sequence[CodeObject]
    architecture: Architecture
    quirks: frozenset[str] = frozenset()
    """Mistakes to correct, by their names (`dwarfgpu.cfi.quirks`)."""

    def row_at(self, location: int) -> FrameRow | None:
        code_object = self._at(location)
        row = None if code_object is None else code_object.info.call_frames.row_at(location)
        return None if row is None else corrected(row, self.quirks, self.architecture)

    def file_text(self, location: int) -> str:
        code_object = self._at(location)
        return ", which is in no code object" if code_object is None else f" in {code_object.name}"

    def _at(self, location: int) -> CodeObject | None:
        return next((each for each in self.code_objects if each.covers(location)), None)


def call_of(caller: CodeObject | None, return_pc: int) -> CallSite | None:
    """What is told of the call that returns to a program location."""
    return None if caller is None else call_before(caller.scopes, return_pc)


def told_on_entry(
    callee: Subprogram, call: CallSite | None, expression: bytes, context: Context
) -> Value | None:
    """What a call-site parameter tells of a value on entry (DWARF 5 3.4); None where none does.

    `context` is that of the calling frame.
    """
    place, base = _typed_register(callee, expression)
    value = None if call is None else call.value(place)
    if call is None or value is None or may_tail_call_itself(callee.die):
        return None
    if call.callee is not None and not is_same_function(call.callee, callee.die):
        return None  # what was called has itself called by a jump
    result = passed_value(value, context)
    if not isinstance(result, Value):
        return None
    if base is None:
        return result
    return Value(result.bits, base) if result.type.bit_size == base.bit_size else None


def _typed_register(callee: Subprogram, expression: bytes) -> tuple[bytes, BaseType | None]:
    """DW_OP_regval_type as the register, which calls name as the place, and the type of it."""
    unit = callee.die.unit.full
    found = decode(expression, unit.dialect, unit.format).instructions
    if len(found) != 1 or found[0].operation.name not in TYPED_REGISTERS:
        return expression, None
    register, type_offset = found[0].operands
    assert isinstance(register, int) and isinstance(type_offset, int)
    name = f"reg{register}" if register < 32 else f"regx {register}"
    return assemble(name, unit.dialect, unit.format), unit.base_type(type_offset)
