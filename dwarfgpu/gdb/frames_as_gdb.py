"""Frames with the callers that GDB takes, to find out whether a difference comes from these."""

from __future__ import annotations

import gdb

from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.expr.context import Frame
from dwarfgpu.model.value import Value
from dwarfgpu.session.call_site_values import (
    EntryValueSource,
    call_site_returning_to,
    entry_value_from_call_site,
)
from dwarfgpu.session.frame import FrameSession, SubprogramFrame


@frozen(eq=False)
class _FrameOfGdb(SubprogramFrame):
    """A frame in GDB's sense: the caller of an inlined function is the function that contains
    it."""

    gdb_frame: gdb.Frame = field(default=None, repr=False)

    def entry_value(self, expression: bytes) -> Value | None:
        return self._passed(expression)

    def parameter_value(self, section_offset: int) -> Value | None:
        return self._passed(_parameter(self, section_offset))

    def _passed(self, source: EntryValueSource | None) -> Value | None:
        calling, return_address = self.session.calling()
        calling = calling.nested()
        call, subprogram = (
            call_site_returning_to(calling.code_object, return_address),
            self.subprogram,
        )
        older = self.gdb_frame.older()
        if subprogram is None or older is None or source is None:
            return None
        context_session = self.session if self.gdb_frame.type() == gdb.INLINE_FRAME else calling
        context = context_session.context(frame_of_gdb(context_session, older))
        return entry_value_from_call_site(subprogram, call, source, context)


@frozen(eq=False)
class _FrameUpTo(SubprogramFrame):
    """A frame of a stack that ends at a level: the frame there has no caller."""

    last_level: int = field(default=0, kw_only=True)

    def entry_value(self, expression: bytes) -> Value | None:
        return self._passed(expression)

    def parameter_value(self, section_offset: int) -> Value | None:
        return self._passed(_parameter(self, section_offset))

    def _passed(self, source: EntryValueSource | None) -> Value | None:
        calling, return_address = self._calling()
        call, subprogram = (
            call_site_returning_to(calling.code_object, return_address),
            self.subprogram,
        )
        if subprogram is None or source is None:
            return None
        context = calling.context(frame_up_to(calling, self.last_level))
        return entry_value_from_call_site(subprogram, call, source, context)

    def caller(self) -> tuple[Frame, int]:
        self._calling()
        return SubprogramFrame.caller(self)

    def _calling(self) -> tuple[FrameSession, int]:
        if self.level >= self.last_level:
            raise UndefinedBits("the stack ends here")
        calling, return_address = self.session.calling()
        return calling.nested(), return_address


def _parameter(frame: SubprogramFrame, section_offset: int) -> Die | None:
    """Return the formal parameter of a DW_OP_GNU_parameter_ref."""
    subprogram = frame.subprogram
    return None if subprogram is None else subprogram.die.unit.info.die_at(section_offset)


def frame_up_to(session: FrameSession, last_level: int) -> SubprogramFrame:
    """Return the frame in focus, of a stack that ends at a level."""
    level = session.frame.level
    return _FrameUpTo(
        session, session.code_object, session.program_location, level, last_level=last_level
    )


def frame_of_gdb(session: FrameSession, gdb_frame: gdb.Frame) -> SubprogramFrame:
    """Return the frame in focus with the caller that GDB takes for values on entry."""
    level = session.frame.level
    return _FrameOfGdb(session, session.code_object, session.program_location, level, gdb_frame)
