"""The CFA and the return address of a frame as numbers, for rows as compilers write them for CPUs.

`unwind` computes the return address of any frame (DWARF 5 6.4.4), `call_stack` continues from it.

Law: the numbers are those of the locations that `CfiFrame` gives. None means that the locations
have to be asked: they have the same answer, or the error.
"""

from __future__ import annotations

from dwarfgpu.access.coalesced_reads import READ_BUDGET
from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.cfi.instructions import RA_SIGN_STATE
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.ops.memory import base_address
from dwarfgpu.model.storage import Memory


class FrameAddresses:
    """CFA and return addresses of the frames of one stack, computed from the top outwards."""

    def __init__(self, context: Context) -> None:
        self._context = context
        architecture = require(context.architecture, "target architecture")
        space = architecture.address_space(0)
        self._architecture, self._space = architecture, space
        self._memory = Memory(space)
        self._size_bytes = space.address_bits // 8
        access = context.access
        is_process_wide = space.scope == "process"
        self._access = access if is_process_wide and isinstance(access, ScalarAccess) else None
        """None for many lanes, whose numbers differ."""

    def return_address(self, frame: CfiFrame) -> int | None:
        """Return the caller's program location, and set the frame's `cfa_address`.

        None unless the row defines the CFA by a register, and has the return address in memory at a
        displacement from it; and where something cannot be read.
        """
        if self._access is None or type(frame) is not CfiFrame:
            return None
        row, architecture = frame.row, self._architecture
        column = row.return_register
        cfa_rule, rule = row.cfa, row.rules.get(column)
        if type(cfa_rule) is not RegisterCfa or type(rule) is not OffsetRule:
            return None
        if cfa_rule.address_space or not self._is_address(column):
            return None
        if architecture.code_mask is not None and RA_SIGN_STATE in row.rules:
            return None
        if READ_BUDGET.get() is not None:  # an evaluation counts what it reads
            return None
        stop = self._context.stop
        try:
            base = self._base(frame, cfa_rule.register, stop)
            if base is None:
                return None
            cfa = base + cfa_rule.offset_bytes & self._space.end - 1
            caller = self._read(cfa + rule.offset_bytes)
        except DwarfGpuError:
            return None
        frame.cfa_address = cfa, stop
        return caller

    def _base(self, frame: CfiFrame, number: int, stop: int | None) -> int | None:
        """Return what a frame has in a register of the size of an address."""
        callee = frame.callee
        if callee is not None and callee.cfa_address is not None:
            cfa, known_at = callee.cfa_address
            if known_at != stop or not self._is_address(number):
                return None
            rule = callee.row.rules.get(number)
            if type(rule) is OffsetRule:
                return self._read(cfa + rule.offset_bytes)
            if rule is None and number == self._architecture.stack_pointer:
                return cfa
        register = self._architecture.register(number)
        return base_address(self._context.access, register, frame.register(number), self._space)

    def _is_address(self, number: int) -> bool:
        """Return whether a register is all that callees save of it, and as wide as an address."""
        architecture = self._architecture
        register = architecture.registers.get(number)
        if register is not None and register.size_bits != self._space.address_bits:
            return False
        return number not in architecture.preserved_bits

    def _read(self, address: int) -> int | None:
        """Return the address that memory holds; None where there is no such address."""
        if not 0 <= address <= self._space.end - self._size_bytes:
            return None
        assert self._access is not None
        data = self._access.load(self._memory, address, self._size_bytes)
        return int.from_bytes(data, self._architecture.endian)
