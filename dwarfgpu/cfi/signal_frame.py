"""The frame of a signal whose handler returns to instructions without call frame information: a
trampoline, as in musl, in old kernels and in the emulator QEMU.

Law: the kernel has saved the registers of what the signal interrupted where its interface says. A
register that is not read from there has no value: never that of the handler.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.arch.signal_trampolines import (
    SIGNAL_FRAMES,
    PointedState,
    SignalFrames,
    StateRecord,
    Trampoline,
)
from dwarfgpu.cfi.frame_row import FrameRow, default_rule
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa, Rule, SameValueRule
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.model.location import Location

_HEADER_BYTES: Final = 8
"""Of a record: its magic number and its size."""


class SignalFrame(CfiFrame):
    """The frame of such a signal."""

    def __init__(
        self,
        context: Context,
        pc: int,
        row: FrameRow,
        callee: CfiFrame | None,
        frames: SignalFrames,
        context_offset: int,
    ) -> None:
        """`context_offset`: from the CFA to the `sigcontext`."""
        super().__init__(context, pc, row, callee)
        self._frames = frames
        self._context_offset = context_offset
        self._state: int | DwarfGpuError | None = None
        """Where the vector registers are saved."""

    @property
    def location(self) -> int:
        """The pc, which no call precedes."""
        return self.pc

    def rule(self, number: int) -> Rule:
        rule = self.row.rules.get(number)
        if rule is not None:
            return rule
        register = self.architecture.register(number)
        if register.name in self._frames.state.offsets:
            return OffsetRule(self._saved_at(register) - self._cfa_number())
        rule = default_rule(self.architecture, number, self.row)
        if isinstance(rule, SameValueRule):
            return rule  # signals leave it as it is
        raise _not_saved(register)

    def saved_unnumbered(self, register: RegisterInfo) -> Location | None:
        if register.name in self._frames.unchanged:
            return None
        bits = 8 * (self._saved_at(register) - self._cfa_number())
        return self.cfa().displaced(bits)

    def lacks_rule(self, number: int) -> bool:
        return False

    def _low(self, number: int, location: Location) -> Location:
        """Return the whole register: the kernel has saved more than functions do."""
        return location

    def _cfa_number(self) -> int:
        address = self.cfa().single_locations[0].byte_address
        assert address is not None
        return address

    def _saved_at(self, register: RegisterInfo) -> int:
        """Return the address of a saved register; raises if it is none."""
        offset = self._frames.offsets.get(register.name)
        if offset is not None:
            return self._cfa_number() + self._context_offset + offset
        offset = self._frames.state.offsets.get(register.name)
        if offset is None:
            raise _not_saved(register)
        return self._state_address() + offset

    def _state_address(self) -> int:
        """Return where the vector registers are saved; raises if they are not."""
        if self._state is None:
            try:
                sigcontext = self._cfa_number() + self._context_offset
                state = self._frames.state
                if isinstance(state, PointedState):
                    self._state = self._pointed(state, sigcontext)
                else:
                    self._state = self._record(state, sigcontext)
            except DwarfGpuError as error:
                self._state = error.with_traceback(None)
        if isinstance(self._state, DwarfGpuError):
            raise self._state.anew()
        return self._state

    def _pointed(self, state: PointedState, sigcontext: int) -> int:
        word_bytes = self.architecture.address_bits // 8
        address = self._integer(sigcontext + state.pointer_offset, word_bytes)
        is_saved = address != 0
        if is_saved and state.magic_offset is not None:
            is_saved = self._integer(address + state.magic_offset, 2) == 0
        if not is_saved:
            raise Unavailable("the frame of the signal has no vector registers")
        return address

    def _record(self, state: StateRecord, sigcontext: int) -> int:
        offset = state.first_offset
        while offset + _HEADER_BYTES <= state.end_offset:
            magic = self._integer(sigcontext + offset, 4)
            if magic == state.magic:
                return sigcontext + offset
            size_bytes = self._integer(sigcontext + offset + 4, 4)
            if magic == 0 or size_bytes < _HEADER_BYTES:
                break
            offset += size_bytes
        raise Unavailable("the frame of the signal has no vector registers")

    def _integer(self, address: int, size_bytes: int) -> int:
        data = _memory(self._context, address, size_bytes)
        return int.from_bytes(data, self.architecture.endian)


def signal_frame(context: Context, pc: int, callee: CfiFrame | None) -> SignalFrame | None:
    """Return the frame of a signal if the instructions of a trampoline are at a program location;
    None if they are not, or the code is not known."""
    architecture = require(context.architecture, "target architecture")
    frames = SIGNAL_FRAMES.get(architecture.name)
    if frames is None:
        return None
    for trampoline in frames.trampolines:
        executed = _executed_at(context, pc, trampoline)
        if executed is not None:
            offset = trampoline.context_offset - (trampoline.popped_bytes if executed else 0)
            return _frame(context, pc, callee, architecture, frames, offset)
    return None


def _executed_at(context: Context, pc: int, trampoline: Trampoline) -> int | None:
    """Return how many instructions of a trampoline precede a program location in it."""
    for count in range(len(trampoline.instructions)):
        start = pc - len(b"".join(trampoline.instructions[:count]))
        code = b"".join(trampoline.instructions)
        try:
            if _memory(context, start, len(code)) == code:
                return count
        except DwarfGpuError:
            continue
    return None


def _frame(
    context: Context,
    pc: int,
    callee: CfiFrame | None,
    architecture: Architecture,
    frames: SignalFrames,
    sigcontext: int,
) -> SignalFrame:
    """Return the frame; `sigcontext`: its offset from the stack pointer."""
    stack, counter = architecture.stack_pointer, architecture.program_counter
    assert stack is not None and counter is not None
    cfa_offset = architecture.pushed_bytes  # as GDB has it
    rules: dict[int, Rule] = {}
    for name, offset in frames.offsets.items():
        number = architecture.by_name[name].number
        if number is not None:
            rules[number] = OffsetRule(sigcontext + offset - cfa_offset)
    row = FrameRow(RegisterCfa(stack, cfa_offset), rules, counter, is_signal_frame=True)
    return SignalFrame(context, pc, row, callee, frames, sigcontext - cfa_offset)


def _not_saved(register: RegisterInfo) -> Unavailable:
    return Unavailable(
        f"{register} of the frame that the signal interrupted: it is not read from what the kernel "
        "has saved"
    )


def _memory(context: Context, address: int, size_bytes: int) -> bytes:
    space = require(context.architecture, "target architecture").address_space(0)
    return context.access.read_bytes(memory_location(context, space, address), size_bytes)
