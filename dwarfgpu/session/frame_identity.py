"""Which frame is which while a program runs: GDB's frame IDs, of the function and the CFA.

Frames that only the calling convention finds have no CFA; the stack pointer on entry identifies
them, which a callee of an AMD GPU gives back (AMDGPU usage, "Non-Kernel Functions"). How many
callers are known identifies none: it changes from instruction to instruction.

Law: frames whose identities differ are different. What is unknown differs from nothing.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.calling_convention import STACK_POINTER_NUMBER
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.calls.gpu_callers import kernel_in
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.errors import DwarfGpuError, MissingContext
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import readable_functions_at

_BITS: Final = 32
"""Of the stack pointer of an AMD GPU."""
_OF_KERNEL: Final = 0, 0
"""Nothing calls a kernel: a wave has one frame of it."""
_MOST_LEVELS: Final = 10_000
"""Callers that are searched for a frame."""


@frozen
class FrameIdentity:
    """What distinguishes a frame."""

    wave: WaveId | None
    functions: tuple[int, ...]
    """The entries of the functions from the one in focus on, inlined ones first."""
    stack: tuple[int, int] | None
    """The CFA, or the stack pointer on entry; None if unknown."""

    def may_be(self, other: FrameIdentity) -> bool:
        """Return whether nothing known distinguishes the frames of the machine."""
        own = self.wave, self.functions[-1:]
        is_same = own == (other.wave, other.functions[-1:])
        return is_same and (None in (self.stack, other.stack) or self.stack == other.stack)

    def may_be_same_call(self, other: FrameIdentity) -> bool:
        """Return whether nothing known distinguishes the frames, inlined ones too."""
        return self.functions == other.functions and self.may_be(other)


@frozen
class ReturnPoint:
    """Where the call returns that has made a frame."""

    pc: int
    stack_pointer: int | None
    """What the stack pointer is there, where the calling convention says that; else None."""
    caller: FrameIdentity

    @property
    def is_certain(self) -> bool:
        """Whether deeper calls do not return there as well, as far as frames say."""
        return self.stack_pointer is not None or self.caller.stack is not None

    def is_reached(self, session: Session) -> bool:
        """Return whether the wave is there, in the frame of the caller as far as that is known."""
        top = session.top or session
        if top.pc != self.pc:
            return False
        frame = top.physical_frame
        if self.stack_pointer is not None and frame is not None:
            now = _stack_pointer(top, frame.register(STACK_POINTER_NUMBER))
            return now in (self.stack_pointer, None)
        return self.caller.may_be(identity_of(top))


def identity_of(session: Session) -> FrameIdentity:
    """Return the identity of the frame in focus."""
    functions = readable_functions_at(session)[session.inline_level :]
    entries = tuple(die.offset for die in functions)
    return FrameIdentity(session.wave, entries, _stack(session))


def return_point_of(session: Session) -> ReturnPoint | None:
    """Return where the frame in focus returns; None if its caller is not known."""
    try:
        caller = (session.top or session).at_level(session.level + 1)
    except MissingContext:
        return None
    frame, of_caller = session.physical_frame, caller.physical_frame
    assert frame is not None and of_caller is not None
    pointer = None
    if frame.convention is not None:
        pointer = _stack_pointer_on_entry(session, frame)
    return ReturnPoint(of_caller.pc, pointer, identity_of(caller))


def level_of(session: Session, identity: FrameIdentity, *, first: int = 0) -> int | None:
    """Return the level of the frame with an identity, at or outside of a level; None if the wave
    has none, or several that may be it."""
    top, possible = session.top or session, list[int]()
    for level in range(first, _MOST_LEVELS):
        try:
            own = identity_of(top.at_level(level))
        except MissingContext:
            break
        if own.may_be(identity):
            if own.stack is not None and identity.stack is not None:
                return level
            possible.append(level)
    return possible[0] if len(possible) == 1 else None


def _stack(session: Session) -> tuple[int, int] | None:
    try:
        frame = session.physical_frame
        if frame is None:
            return None
        if frame.convention is None and frame.has_row and not frame.row.is_empty:
            single = frame.cfa().single_locations[0]
            if not isinstance(single.storage, Memory):
                return None
            return single.storage.space.number, single.bit_offset
    except DwarfGpuError:
        return None
    if _is_of_kernel(session, frame):
        return _OF_KERNEL
    pointer = None if frame.convention is None else _stack_pointer_on_entry(session, frame)
    return None if pointer is None else (-1, pointer)


def _is_of_kernel(session: Session, frame: CfiFrame) -> bool:
    code_object = code_object_at(session.code_objects, frame.location)
    return code_object is not None and kernel_in(code_object, frame.location) is not None


def _stack_pointer_on_entry(session: Session, frame: CfiFrame) -> int | None:
    try:
        return _stack_pointer(session, frame.entry_register(STACK_POINTER_NUMBER))
    except DwarfGpuError:
        return None


def _stack_pointer(session: Session, location: Location) -> int | None:
    """Return the stack pointer that is at a location; None if it is unknown."""
    try:
        contents = session.context().access.retrieve(location, _BITS)
    except DwarfGpuError:
        return None
    return contents if isinstance(contents, int) else None
