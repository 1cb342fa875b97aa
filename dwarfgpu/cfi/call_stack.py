"""The call frames of a thread, from the top one outwards, and why there are no more (A.6.4.4).

Law: a stack is never endless: frames are bounded, and one that was seen before ends it.
"""

from __future__ import annotations

from _thread import RLock
from typing import Final, Protocol

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.calling_convention import STACK_POINTER_NUMBER, Convention
from dwarfgpu.cfi.frame_addresses import FrameAddresses
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.prologue_frame import PrologueFrame, Prologues
from dwarfgpu.cfi.rule import OffsetRule
from dwarfgpu.cfi.tail_call_frame import NO_JUMPS, Jumps, TailCalls, TailFrame
from dwarfgpu.cfi.unwind import CfiFrame, lookup_pc
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.machine.target import Protects
from dwarfgpu.model.storage import Implicit, ImplicitPointer, Memory, Register

_NO_SPACE: Final = -1
"""Instead of the address space of a CFA."""
_GOING_ON: Final = RLock()
"""One thread of Python at a time unwinds: a frame that two threads add would end the stack."""
_MAX_NOT_IN_MEMORY: Final = 4096
"""Frames whose return address is in a register or computed: recursion saves it in memory."""


class Loaded(Protocol):
    """Everything that is loaded, as far as unwinding needs it."""

    def row_at(self, location: int) -> FrameRow | None:
        """Return the row of call frame information for a location as loaded; None if there is none.

        Raises if the information cannot be read.
        """
        ...

    def file_text(self, location: int) -> str:
        """Return ` in k.co`, or that no loaded file contains the location."""
        ...

    def why_incomplete(self, location: int) -> DwarfGpuError | None:
        """Return why there may be a row for a location for which there is none; None if the
        information of its file is all known."""
        ...

    def kernel_at(self, location: int) -> str | None:
        """Return the GPU kernel that contains a program location: kernels have no caller."""
        ...


class ByConvention(Protocol):
    """The calling convention, for functions without call frame information."""

    def convention(self, location: int) -> Convention:
        """Return what holds for the caller of the function at a program location."""
        ...

    def after_call(self) -> Convention:
        """Return what holds where a call has led to a program location without code."""
        ...

    def caller(self, frame: CfiFrame) -> int | End:
        """Return the caller's program location for a frame with a convention, or why it is
        unknown."""
        ...


@frozen
class End:
    """Why a stack ends."""

    is_outermost: bool
    """Whether this is the outermost frame: nothing is missing."""
    reason: str
    error: DwarfGpuError | None = None
    note: str | None = None
    """A note on what is missing nevertheless."""

    def __str__(self) -> str:
        return self.reason if self.is_outermost else f"stopped: {self.reason}"


@methods_name_wrong_arguments
class CallStack:
    """The frames of one thread at one stop, unwound on demand."""

    def __init__(
        self,
        context: Context,
        pc: int,
        loaded: Loaded,
        limit: int | None = None,
        by_convention: ByConvention | None = None,
        tail_calls: TailCalls | None = None,
        advice: str = "",
        prologues: Prologues | None = None,
    ) -> None:
        """`context` has architecture, thread, lane, target and limits.

        `limit` is the maximum number of frames; None takes that of the context. `tail_calls` finds
        frames removed by tail calls; None finds only those of the machine. `by_convention` finds
        callers where no frame information does; None disables it. `advice` follows the reason why
        a frame without rules is the last. `prologues` finds callers of functions without call
        frame information that have set the frame pointer.
        """
        self._prologues = prologues
        self._by_convention = by_convention
        self._advice = advice
        self._tail_calls = tail_calls
        self._context = context
        self._addresses = FrameAddresses(context)
        self._loaded = loaded
        self._limit = context.limits.frames if limit is None else limit
        self._frames = [self._frame(pc, None)]
        self.function_counts: dict[int, int] = {}
        """Functions at program locations, inlined ones too (`dwarfgpu.session.stack_frames`)."""
        self._why_no_callers: dict[int, str] = {}
        self._visited: dict[tuple[int, int, int], int] = {}
        """The levels of frames: after Ctrl-C the search for the caller of one begins again."""
        self._not_in_memory = 0
        """How many frames have their return address in a register, or computed."""
        self._end: End | None = None

    def frame(self, level: int) -> CfiFrame | None:
        """Return the frame of a level, 0 for the top one; None beyond the last. `UsageError` for
        one below 0."""
        try:
            if level < 0:
                integer("level", level, 0)
            if level >= len(self._frames) and self._end is None:
                with _GOING_ON:
                    while level >= len(self._frames) and self._end is None:
                        self._go_on()
            return self._frames[level] if level < len(self._frames) else None
        except FOREIGN:
            require_right_arguments(CallStack.frame, self, level)
            raise

    def why_no_callers(self, level: int) -> str | None:
        """Return why the tail-call frames between the frame of a level and the next frame are
        unknown; None if they are known."""
        self.frame(level + 1)
        return self._why_no_callers.get(level)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the frames that have been unwound are found by, if not by call frame information
        alone."""
        return self.notes_to(len(self._frames) - 1)

    def notes_to(self, level: int) -> tuple[str, ...]:
        """Return what the callers of the frames up to a level are found by, if not by call frame
        information alone; none of frames that have not been unwound."""
        frames = self._frames[: level + 1]
        functions = [frame.function for frame in frames if type(frame) is PrologueFrame]
        if not functions or self._prologues is None:
            return ()
        count = len({*functions}) - 1
        first, more = functions[0], f" and {count} more" if count else ""
        what = "the prologues say" if count else "its prologue says"
        text = f"no call frame information for {first}{more}: {what} where the caller is"
        return (f"{text} ({self._prologues.text})",)

    def assumed_to(self, level: int) -> tuple[str, ...]:
        """Return which registers of the frames up to a level were assumed to be preserved by the
        functions within the call; nothing is assumed before they are needed."""
        numbers: dict[int, None] = {}
        for frame in self._frames[: level + 1]:
            known = frame.preserved_by_callees.items()
            numbers |= dict.fromkeys(number for number, preserved in known if preserved is not None)
        if not numbers:
            return ()
        from dwarfgpu.cfi.lost_registers import assumed_preserved  # few values are lost

        register = require(self._context.architecture, "target architecture").register
        return tuple(assumed_preserved(register(number).name) for number in numbers)

    @property
    def end(self) -> End:
        """Why the last frame is the last; all are unwound for that."""
        if self._end is None:
            with _GOING_ON:
                while self._end is None:
                    self._go_on()
        return self._end

    @property
    def outermost(self) -> CfiFrame | None:
        """The frame without a caller; None where callers are missing."""
        return self._frames[-1] if self.end.is_outermost else None

    def _frame(self, pc: int, callee: CfiFrame | None) -> CfiFrame:
        row: FrameRow | DwarfGpuError | None
        try:
            row = self._loaded.row_at(lookup_pc(pc, callee))
        except DwarfGpuError as error:
            row = error
        if row is None and (signal := self._signal_frame(pc, callee)) is not None:
            return signal
        is_interrupted = callee is None or callee.is_signal_frame
        if row is None and is_interrupted:
            row = self._row_of_wild_call(pc, callee)
        if row is None and self._prologues is not None:
            frame = self._frame_by_prologue(self._prologues, pc, callee)
            if frame is not None:
                return frame
        location = lookup_pc(pc, callee)
        has_rules = row is not None and not (isinstance(row, FrameRow) and row.is_empty)
        guess = None if has_rules else self._by_convention
        if guess is None:
            convention = None
        elif row is None and callee is None and not self._has_code(pc):
            convention = guess.after_call()
        else:
            convention = guess.convention(location)
        return CfiFrame(self._context, pc, row, callee, convention)

    def _signal_frame(self, pc: int, callee: CfiFrame | None) -> CfiFrame | None:
        """Return the frame of a signal, if the handler returns to a program location, which has no
        call frame information."""
        if self._context.wave is None or not self._has_code(pc):
            return None
        from dwarfgpu.cfi.signal_frame import signal_frame  # few stacks need it

        return signal_frame(self._context, pc, callee)

    def _row_of_wild_call(self, pc: int, callee: CfiFrame | None) -> FrameRow | None:
        """Return the rules of a program location without code, if the call returns to a function
        with rules, or whose prologue says where its caller is."""
        if self._has_code(pc):
            return None
        from dwarfgpu.cfi.wild_call import row_after_call  # few stacks begin so

        row = row_after_call(require(self._context.architecture, "target architecture"))
        if row is None:
            return None
        try:
            caller = CfiFrame(self._context, pc, row, callee).return_address()
            if not caller:
                return None
            if self._loaded.row_at(caller - 1) is not None:
                return row
        except DwarfGpuError:
            return None
        prologues = self._prologues
        if prologues is None or not prologues.follows_call(caller):
            return None
        return None if prologues.function(caller, caller - 1) is None else row

    def _frame_by_prologue(
        self, prologues: Prologues, pc: int, callee: CfiFrame | None
    ) -> PrologueFrame | None:
        """Return the frame of a function whose prologue says where its caller is, if a call may
        return there."""
        location = lookup_pc(pc, callee)
        function = prologues.function(pc, location)
        if function is None or self._loaded.why_incomplete(location) is not None:
            return None
        frame = PrologueFrame(self._context, pc, prologues.row(), callee, function)
        try:
            caller = frame.return_address()
            return frame if caller and prologues.follows_call(caller) else None
        except DwarfGpuError:
            return None

    def _has_code(self, pc: int) -> bool:
        """Return whether memory that can be executed is at a program location: what was executed
        there is unknown."""
        target, wave = self._context.target, self._context.wave
        if isinstance(target, Protects) and wave is not None:
            can_execute = target.can_execute(wave, pc)
            if can_execute is not None:  # also where the contents are unknown
                return can_execute
        space = require(self._context.architecture, "target architecture").address_space(0)
        try:
            self._context.access.read_bytes(memory_location(self._context, space, pc), 1)
        except Unavailable:
            return False
        return True

    def _go_on(self) -> None:
        """Add one more frame, or the end."""
        last = self._frames[-1]
        try:
            caller = self._caller_of(last)
        except DwarfGpuError as error:
            self._end = End(False, f"the caller of frame {last.level}: {error}", error)
            return
        if isinstance(caller, End):
            self._end = caller
        elif len(self._frames) >= self._limit:
            self._end = End(False, f"more than {self._limit} frames (--max-frames)")
        else:
            added = self._jumped(last, self._jumps(last, caller))
            if len(self._frames) + len(added) < self._limit:
                added.append(self._frame(caller, added[-1] if added else last))
            self._frames += added

    def _jumps(self, last: CfiFrame, caller: int) -> Jumps:
        if self._tail_calls is None or last.is_signal_frame or last.is_tail_call:
            return NO_JUMPS
        return self._tail_calls.between(last.location, caller)

    def _jumped(self, last: CfiFrame, jumps: Jumps) -> list[CfiFrame]:
        """Return the tail-call frames, the innermost first."""
        frames: list[CfiFrame] = []
        for chain in (jumps.inner, jumps.outer):
            for jump in chain[: self._limit - len(self._frames) - len(frames)]:
                last = TailFrame(self._context, jump, last)
                frames.append(last)
            if chain is jumps.inner and jumps.why_unknown is not None:
                self._why_no_callers[last.level] = jumps.why_unknown
        return frames

    def _is_new(self, frame: CfiFrame) -> bool:
        """Return whether no earlier frame without a CFA has the same pc and stack pointer."""
        try:
            location = frame.entry_register(STACK_POINTER_NUMBER)
            pointer = self._context.access.retrieve(location, 32)
        except DwarfGpuError:
            return True
        if isinstance(pointer, ImplicitPointer):
            return True
        return self._is_first(frame, (_NO_SPACE, pointer, frame.pc))

    def _is_first(self, frame: CfiFrame, key: tuple[int, int, int]) -> bool:
        """Return whether no earlier frame has the same key."""
        return self._visited.setdefault(key, frame.level) == frame.level

    def _caller_of(self, last: CfiFrame) -> int | End:
        """Return the program location of the calling frame."""
        if last.is_tail_call:
            address = last.return_address()
            assert address is not None  # else its callee were the last frame
            return address
        if last.convention is not None and self._by_convention is not None:
            return self._by_convention.caller(last) if self._is_new(last) else _repeated(last)
        has_rules = last.has_row and not last.row.is_empty
        if not has_rules:
            where = f"pc {last.pc:#x}{self._loaded.file_text(last.location)}"
            reason = f"no frame information for {where}"
            if last.has_row:
                reason = f"the frame information for {where} has no rules"
            elif (unread := self._loaded.why_incomplete(last.location)) is not None:
                reason += f"; an entry cannot be read: {unread}"
            kernel = self._loaded.kernel_at(last.location)
            if kernel is not None:
                return End(True, f"outermost: {kernel} is a kernel", note=reason)
            is_advised = last.has_row or not last.level and not self._has_code(last.pc)
            return End(False, reason + self._advice * is_advised)
        row = last.row
        architecture = require(self._context.architecture, "target architecture")
        if row.return_register == architecture.no_return_register:
            reason = "its call frame information has no return address"
            kernel = self._loaded.kernel_at(last.location)
            if kernel is not None:
                return End(True, f"outermost: {kernel} is a kernel", note=reason)
            return End(False, f"frame {last.level}: {reason}")
        caller = self._addresses.return_address(last)
        if caller is None:
            caller = last.return_address()
        if caller is None:
            return End(True, "outermost: the return address is undefined")
        if caller == 0 and not last.is_signal_frame:  # which can interrupt a call to address 0
            return End(True, "outermost: the return address is 0")
        if row.cfa is not None:
            if last.cfa_address is not None:
                key = 0, 8 * last.cfa_address[0], last.pc
            else:
                single = last.cfa().single_locations[0]
                assert isinstance(single.storage, Memory)
                key = single.storage.space.number, single.bit_offset, last.pc
            if not self._is_first(last, key):
                return _repeated(last)
        return self._why_not_saved(last) or caller

    def _why_not_saved(self, last: CfiFrame) -> End | None:
        """Return an end if a frame has its return address where the frame that it called has it, or
        if such addresses in registers do not end.

        Each call needs its own: the rules are of other code than was executed.
        """
        if last.cfa_address is None:
            address = last.entry_register(last.row.return_register)
            storages = [single.storage for single in address.single_locations]
            if all(isinstance(storage, Register | Implicit) for storage in storages):
                self._not_in_memory += 1
                if self._not_in_memory > _MAX_NOT_IN_MEMORY:
                    what = f"more than {_MAX_NOT_IN_MEMORY} frames with no return address in memory"
                    return End(False, what)
        callee = last.callee
        if callee is None or last.is_signal_frame or callee.is_signal_frame:
            return None
        if callee.is_tail_call or not callee.has_row or callee.convention is not None:
            return None
        if not _is_same_return_address(last, callee):
            return None
        reason = f"frame {last.level} did not save its return address"
        return End(False, f"{reason}: it is where frame {callee.level} has its own")


def _is_same_return_address(frame: CfiFrame, callee: CfiFrame) -> bool:
    """Return whether two frames have their return addresses in the same memory or register."""
    column, own, of_callee = frame.row.return_register, frame.cfa_address, callee.cfa_address
    if callee.row.return_register != column:
        return False
    if own is not None and of_callee is not None:
        rules = frame.row.rules[column], callee.row.rules[column]
        assert isinstance(rules[0], OffsetRule) and isinstance(rules[1], OffsetRule)
        return own[0] + rules[0].offset_bytes == of_callee[0] + rules[1].offset_bytes
    first, second = (either.entry_register(column).single_locations for either in (frame, callee))
    if any(isinstance(single.storage, Implicit) for single in first):
        return False  # computed, for each frame
    return first == second


def _repeated(frame: CfiFrame) -> End:
    what = "CFA" if frame.convention is None else "stack pointer"
    return End(False, f"frame {frame.level} repeats an earlier one: same {what} and pc")
