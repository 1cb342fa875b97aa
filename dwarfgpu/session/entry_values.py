"""Values on entry to call frames, from call site parameters (DWARF 5 3.4), once for each frame.

Law: a chain of calls is followed by a loop, not by recursion. What a caller needs of its own
caller is computed first, so that the work is in proportion to the depth of the stack. Callers that
were followed in vain for a frame are not followed again for the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol, TypeAlias

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.unwind import MAX_STEPS, CfiFrame, OnEntry
from dwarfgpu.dwarf.calls.call_sites import CallSite
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, MissingContext
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.operation_budget import OPERATION_BUDGET
from dwarfgpu.expr.ops.special_value import ENTRY_VALUES
from dwarfgpu.model.location import Location
from dwarfgpu.model.value import Value
from dwarfgpu.session.call_site_values import (
    EntryValueSource,
    attributes_used,
    call_site_returning_to,
    entry_value_from_call_site,
)

_PARAMETER: Final = "GNU_parameter_ref"
_STEPS_OF_A_CALL: Final = 4
"""What a value on entry to a caller counts, in operations: a stack of megabytes has hundreds of
thousands, and each takes longer than the few operations that describe it."""
_COMMAND_STEPS_OF_A_CALL: Final = 8
"""The same for the command, in which each frame of the stack may ask for its own value in vain."""


class FrameView(Protocol):
    """What a frame sees (`dwarfgpu.session.frame.Focus`)."""

    @property
    def call_stack(self) -> CallStack | None: ...

    @property
    def physical_frame(self) -> CfiFrame | None: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def stop(self) -> object: ...

    @property
    def code_object(self) -> CodeObject | None: ...

    @property
    def frame(self) -> CalleeFrame: ...

    def at_level(self, level: int) -> FrameView: ...

    def calling(self) -> tuple[FrameView, int]: ...


class CalleeFrame(Protocol):
    """A call frame (`dwarfgpu.session.frame.SubprogramFrame`)."""

    @property
    def session(self) -> FrameView: ...

    @property
    def subprogram(self) -> Subprogram | None: ...

    @property
    def preserved_by_callees(self) -> dict[int, Location]: ...

    def is_preserved_by_callees(self, source: EntryValueSource) -> bool: ...

    def nested_context(self, preserved_by_callees: dict[int, Location]) -> Context: ...


@frozen(eq=False)
class _Needed:
    """Values on entry to one frame that are needed."""

    frame: CalleeFrame
    physical: CfiFrame
    calling: FrameView
    call: CallSite | None
    sources: tuple[EntryValueSource, ...]

    def find(self) -> None:
        """Evaluate them in the calling frame, which has what it needs itself."""
        for source in self.sources:
            preserved_by_callees: dict[int, Location] = {}
            value: Value | DwarfGpuError | None
            try:
                value = self._value(source, preserved_by_callees)
            except DwarfGpuError as error:
                value = error.with_traceback(None)  # which would keep everything that is under way
            self.physical.on_entry[source] = OnEntry(value, preserved_by_callees)

    def _value(
        self, source: EntryValueSource, preserved_by_callees: dict[int, Location]
    ) -> Value | None:
        subprogram = self.frame.subprogram
        if subprogram is None:
            return None
        context = self.calling.frame.nested_context(preserved_by_callees)
        limits = evolve(context.limits, steps=min(context.limits.steps, MAX_STEPS))
        context = evolve(context, limits=limits)
        return entry_value_from_call_site(subprogram, self.call, source, context)


def value_on_entry(frame: CalleeFrame, source: EntryValueSource) -> Value | None:
    """Return what the call of a frame passed; None if the call does not describe it.

    Raises the errors of evaluating the description, and `LimitExceeded`.
    """
    physical = frame.session.physical_frame
    if physical is None:
        return None
    if source not in physical.on_entry:
        for needed_entry in reversed(_needed(frame, physical, source)):
            needed_entry.find()
    cached = physical.on_entry.get(source)
    if cached is None:
        return None
    frame.preserved_by_callees.update(cached.preserved_by_callees)
    if isinstance(cached.value, DwarfGpuError):
        raise cached.value.anew()
    return cached.value


def _needed(frame: CalleeFrame, physical: CfiFrame, source: EntryValueSource) -> list[_Needed]:
    """Return the prerequisites of a value on entry that are not cached, innermost first.

    `LimitExceeded` if the value is passed on by more callers than one expression, or those of the
    command, may follow.
    """
    while True:
        search = _Search(frame, physical, source)
        try:
            search.follow()
        except LimitExceeded:
            search.keep()
            raise
        if not search.skipped:
            return search.needed
        for skipped in search.skipped:  # nothing is in vain any more
            skipped.way.end = None


class _Search:
    """The search for what a value on entry needs, from one frame to its caller."""

    def __init__(self, frame: CalleeFrame, physical: CfiFrame, source: EntryValueSource) -> None:
        self.needed: list[_Needed] = []
        """Without those of callers that an earlier search has followed."""
        self.skipped: list[_Skipped] = []
        self._questions: list[tuple[_Question, int]] = []
        """What the followed frames need, and how many values the search needs before."""
        self._frame, self._physical = frame, physical
        self._sources: tuple[EntryValueSource, ...] = (source,)
        self._count = 0
        stack = frame.session.call_stack
        assert stack is not None  # it has the physical frame
        self._stack = stack

    def follow(self) -> None:
        """Follow callers up to one that needs nothing of its own caller, or has none.

        `LimitExceeded` if these are more than one expression, or those of the command, may follow.
        """
        session, budget = self._frame.session, OPERATION_BUDGET.get()
        limits = session.limits
        limit = max(limits.steps // _STEPS_OF_A_CALL, 1)
        nested: dict[tuple[Die, CallSite, EntryValueSource], tuple[EntryValueSource, ...]] = {}
        while self._sources:
            if self._skip():
                continue
            frame, sources = self._frame, self._sources
            count = self._count + len(sources)
            if count > limit:
                raise LimitExceeded(f"more than {limit} values on entry to callers", "--max-steps")
            if budget is not None and count > 1:  # the first one is the operation itself
                budget.spend(_COMMAND_STEPS_OF_A_CALL * len(sources), limits, session.stop)
            try:
                calling, return_address = frame.session.calling()
            except MissingContext:
                break
            call = call_site_returning_to(calling.code_object, return_address)
            self.needed.append(_Needed(frame, self._physical, calling, call, sources))
            outer = calling.physical_frame
            callee = frame.subprogram
            if call is None or outer is None or callee is None:
                break
            for entry_source in sources:
                if (callee.die, call, entry_source) not in nested:
                    inner_sources = tuple(_nested(callee, call, entry_source))
                    nested[callee.die, call, entry_source] = inner_sources
            every = dict.fromkeys(
                inner
                for entry_source in sources
                for inner in nested[callee.die, call, entry_source]
            )
            self._questions.append(((self._physical.level, sources), self._count))
            self._frame, self._physical, self._count = calling.frame, outer, count
            self._sources = tuple(
                entry_source
                for entry_source in every
                if entry_source not in outer.on_entry
                and not calling.frame.is_preserved_by_callees(entry_source)
            )

    def _skip(self) -> bool:
        """Go to the frame up to which callers were followed in vain; false if none were."""
        kept = _followed(self._stack).get((self._physical.level, self._sources))
        if kept is None or kept.way.end is None:
            return False
        end = kept.way.end
        session = self._frame.session.at_level(end.level)
        physical = session.physical_frame
        if physical is None or physical.level <= self._physical.level:
            return False
        if any(source in physical.on_entry for source in end.sources):
            kept.way.end = None  # what was needed has been found since
            return False
        self._count += end.count - kept.count
        self._frame, self._physical, self._sources = session.frame, physical, end.sources
        self.skipped.append(_Skipped(kept.way, end.count - self._count))
        return True

    def keep(self) -> None:
        """Keep that callers were followed in vain so far, for the values of all frames on the
        way."""
        if not self.skipped:
            self.skipped.append(_Skipped(_Way(), 0))
        for skipped in self.skipped:
            count = self._count + skipped.shift
            skipped.way.end = _End(self._physical.level, self._sources, count)
        way, shift = self.skipped[-1].way, self.skipped[-1].shift
        followed = _followed(self._stack)
        for question, count in self._questions:
            followed[question] = _Kept(way, count + shift)


class _Way:
    """Callers that pass on what they were called with, one after the other."""

    end: _End | None = None
    """None if they lead to a value, or to nothing."""


@frozen
class _End:
    """The frame up to which callers were followed in vain."""

    level: int
    sources: tuple[EntryValueSource, ...]
    """The values on entry to it that are needed."""
    count: int
    """How many values are needed before, counted from some frame on the way."""


@frozen
class _Kept:
    """A frame that is followed by such callers."""

    way: _Way
    count: int
    """How many values are needed before it, counted from the same frame."""


@frozen
class _Skipped:
    """Callers that a search has not followed again."""

    way: _Way
    shift: int
    """What their count is more than that of the search."""


_Question: TypeAlias = tuple[int, tuple[EntryValueSource, ...]]
"""The level of a frame, and the values on entry to it that are needed."""


@kept_with(first)
def _followed(stack: CallStack) -> dict[_Question, _Kept]:
    """Return what is kept of a stack: each of its frames may ask for its own value in vain, and
    need those of thousands of callers."""
    return {}


def _nested(
    callee: Subprogram, call: CallSite, source: EntryValueSource
) -> Iterator[EntryValueSource]:
    """Yield what the description of a value needs from the frame outside of the call's."""
    unit = call.die.unit
    for attribute in attributes_used(callee, call, source):
        used = attribute.unit
        for instruction in decode(attribute.expression, used.dialect, used.format).instructions:
            operand = instruction.operands[0] if instruction.operands else None
            if instruction.operation.name in ENTRY_VALUES and isinstance(operand, bytes):
                yield operand
            elif instruction.operation.name == _PARAMETER and isinstance(operand, int):
                try:
                    yield unit.info.die_at(used.section_offset(operand))
                except DwarfGpuError:
                    continue  # its evaluation raises the error
