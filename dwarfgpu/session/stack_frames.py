"""The call frames of a session as users count them, with frames for inlined functions.

Frame 0 is the innermost, as in GDB. A lane has the frames in which it was active on entry; other
frames are skipped, and the numbers stay (AMD text A.3.3.5, DW_AT_LLVM_lane_pc).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import integer
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.function_names import name_in_frames, name_of_nameless
from dwarfgpu.dwarf.scope import symbol_at_address
from dwarfgpu.dwarf.scope.scope_entries import (
    FUNCTIONS,
    UNKNOWN_NAME,
    UNREADABLE_NAME,
    as_loaded,
    code_ranges,
    decl_file,
    decl_line,
    file_of,
)
from dwarfgpu.errors import (
    DwarfGpuError,
    InconsistentContext,
    LimitExceeded,
    MissingContext,
    UsageError,
)
from dwarfgpu.session.focused_frame import FramePosition, position_in_file
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.cfi.unwind import CfiFrame
    from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_object_at

AT_CALL_FILE: Final = 0x58
AT_CALL_LINE: Final = 0x59
MAX_OUTER: Final = 32
"""Maximum number of frames to search for a lane: each lane of a table asks."""


@frozen(eq=False)
class StackFrame:
    """A frame of a backtrace."""

    number: int
    session: Session = field(repr=False)
    """What sees it."""
    pc: int
    """Where the frame executes, or continues after the call."""
    function: str | None
    """From debug information, else from the symbols; None if neither names it."""
    is_described: bool
    """Whether debug information describes the function."""
    is_inlined: bool
    """Whether the function is inlined into that of the next frame."""
    is_signal_frame: bool
    """Whether it only represents the arrival of a signal."""
    called_by_tail_call: bool
    """Whether a tail call entered it, from a function whose frame is gone."""
    is_signed: bool = False
    """Whether the return address that led to it is signed where it is kept (AArch64)."""
    is_tail_call: bool = False
    """Whether it is a tail-call frame, reconstructed from call-site information."""
    tail_calls: str | None = None
    """Why the tail-call frames between it and the next one are unknown."""
    is_heuristic: bool = False
    """Whether it, or a frame inside of it, comes from the calling convention alone."""
    has_lane: bool = True
    """Whether the lane in focus was active on entry to the function; True if unknown."""
    problem: DwarfGpuError | None = None
    """Why debug information does not describe the function, or not its name, where it cannot be
    read."""

    @property
    def position(self) -> FramePosition | None:
        """The source position; None if there is none, or it is unreadable."""
        position = self._readable_position
        return None if isinstance(position, DwarfGpuError) else position

    @property
    def line_problem(self) -> DwarfGpuError | None:
        """Why the source position cannot be read."""
        position = self._readable_position
        return position if isinstance(position, DwarfGpuError) else None

    @property
    def is_readable(self) -> bool:
        """Whether its function, the name of that, and its source position can be read."""
        return self.problem is None and self.line_problem is None

    @cached_property
    def _readable_position(self) -> FramePosition | DwarfGpuError | None:
        return readable_position(self.session, self.pc)


def frame_position(session: Session, frame_pc: int) -> FramePosition | None:
    """Return the source position of the frame in focus, which continues at a program location; None
    if there is none, or it is unreadable."""
    position = readable_position(session, frame_pc)
    return None if isinstance(position, DwarfGpuError) else position


def readable_position(session: Session, frame_pc: int) -> FramePosition | DwarfGpuError | None:
    """Return the same, or why it is unreadable."""
    code_object, pc = session.code_object, _location(session)
    if code_object is None or pc is None:
        return None
    positions = session.focused_frame.positions
    key = pc, session.inline_level, frame_pc == pc
    try:
        if key not in positions:
            positions[key] = _position(session, code_object, pc, frame_pc)
        return positions[key]
    except DwarfGpuError as error:
        return error.with_traceback(None)


def _position(
    session: Session, code_object: CodeObject, pc: int, frame_pc: int
) -> FramePosition | None:
    if session.inline_level:
        return call_position(functions_at(session)[session.inline_level - 1])
    from dwarfgpu.dwarf.line.line_lookup import LineLookup  # not every answer has a line

    lines = LineLookup(code_object.scopes)
    line_info = lines.line_of(pc)
    if line_info is None:
        problem = lines.problem_at(pc)
        if problem is not None:
            raise problem.anew()
        return None
    is_start = frame_pc == pc and lines.begins_at(pc)
    return position_in_file(line_info.file, line_info.line, is_start=is_start)


def position_at_address(session: Session, address: int) -> FramePosition | None:
    """Return the source line of code at an address; None if there is none."""
    from dwarfgpu.dwarf.line.line_lookup import LineLookup

    code_object = code_object_at(session.code_objects, address)
    try:
        line = None if code_object is None else LineLookup(code_object.scopes).line_of(address)
    except DwarfGpuError:
        return None
    return None if line is None else position_in_file(line.file, line.line, is_start=False)


def functions_at(session: Session) -> list[Die]:
    """Return the functions at the focus, the innermost inlined one first."""
    code_object, pc = session.code_object, _location(session)
    if code_object is None or pc is None:
        return []
    return list(code_object.scopes.function_entries_at(pc))


def blocks_at(session: Session) -> list[Die]:
    """Return the blocks and functions at the focus, the innermost first; those of the functions
    into which the one in focus is inlined, too. Without them if debug information is unreadable."""
    code_object, pc = session.code_object, _location(session)
    if code_object is None or pc is None:
        return []
    try:
        blocks = list(reversed(code_object.scopes.chain_at(pc)))
    except DwarfGpuError:
        return []
    level = session.inline_level
    ends = [index + 1 for index, block in enumerate(blocks) if block.tag in FUNCTIONS]
    return blocks[ends[level - 1] :] if 0 < level <= len(ends) else blocks


def inlined_beginning_at(session: Session) -> int:
    """Return how many of the innermost inlined functions begin at the program location."""
    inlined, pc = readable_functions_at(session)[:-1], _location(session)
    begun = takewhile(lambda die: pc in {span.begin for span in _code_of(die)}, inlined)
    return sum(1 for _ in begun)


def not_entered_at(session: Session) -> int:
    """Return how many of the innermost inlined functions have no frames (`Session.not_entered`), as
    far as they begin where the lane in focus is."""
    top = session.top or session
    return min(top.not_entered, inlined_beginning_at(top)) if top.not_entered else 0


def innermost(session: Session) -> Session:
    """Return the session in frame 0."""
    hidden = not_entered_at(session)
    return session.at_level(0, hidden) if hidden else session.top or session


def before_inlined(session: Session) -> Session:
    """Return the session in the function that has not entered those whose inlined code begins at
    the program location; the same if none does."""
    begun = inlined_beginning_at(session)
    return entered_but(session, begun) if begun else session


def entered_but(session: Session, count: int) -> Session:
    """Return the session in frame 0 where that many of the innermost inlined functions are not
    entered yet."""
    return evolve(session.top or session, not_entered=count).at_level(0, count)


def _code_of(die: Die) -> tuple[Range, ...]:
    """Return the code of a function as it is loaded."""
    return as_loaded(die.unit, code_ranges(die))


def _location(session: Session) -> int | None:
    """Return where the lane in focus is; where the wave is, where the lane is in another
    function."""
    try:
        location = session.frame.lane_location(session.lane)
    except DwarfGpuError:
        return session.pc  # the lane's pc is unknown, as for lanes that never entered
    return session.pc if location.pc is None else location.pc


def shown_pc(session: Session, frame_pc: int) -> int:
    """Return where the lane in focus continues: with the frame, unless its own pc differs."""
    pc = _location(session)
    return frame_pc if pc is None or pc == session.pc else pc


def call_position(inlined: Die) -> FramePosition | None:
    """Return the line of the call of an inlined function; None if it is unknown."""
    line = inlined.integer(AT_CALL_LINE)
    file = file_of(inlined, AT_CALL_FILE) if line else None
    return None if file is None or not line else position_in_file(file, line, is_start=True)


@frozen(eq=False)
class NumberedLevel:
    """A frame of the machine, and the numbers of the functions that have frames in it."""

    physical: CfiFrame
    first: int
    """The number of the innermost of its functions."""
    count: int
    """How many functions have frames in it: one, and those inlined into it."""
    not_entered: int = 0
    """How many more are inlined where it is, and not entered yet."""

    @property
    def end(self) -> int:
        """The number of the next frame."""
        return self.first + self.count


def numbered_levels(session: Session) -> Iterator[NumberedLevel]:
    """Yield the frames of the machine from the innermost outwards, numbered as by `stack_frames`.

    Facts about a program location are looked up once: recursion repeats them.
    """
    stack = session.call_stack
    level = number = 0
    while stack is not None and (physical := stack.frame(level)) is not None:
        # As in GDB, a tail call has one frame, that of the function with the jump.
        count = 1
        if not physical.is_tail_call:
            location = physical.location
            count = stack.function_counts.get(location, 0) if session.lane is None else 0
            if not count:
                count = max(len(readable_functions_at(session.at_level(level))), 1)
                stack.function_counts[location] = count
        skipped = 0 if level else min(not_entered_at(session), count - 1)
        yield NumberedLevel(physical, number, count - skipped, skipped)
        number += count - skipped
        level += 1


@names_wrong_arguments
def stack_frames(session: Session, start: int = 0) -> Iterator[StackFrame]:
    """Yield the frames from the innermost outwards; `session.call_stack.end` says why they end.

    Inlined functions that are not entered yet (`Session.not_entered`) have no frames. Frames before
    the number `start` are skipped.
    """
    start = integer("start", start, 0)
    for level in numbered_levels(session):
        if level.end > start:
            yield from frames_in(session, level, start)


def frames_in(session: Session, numbered: NumberedLevel, start: int = 0) -> Iterator[StackFrame]:
    """Yield the frames of the functions of one frame of the machine, from a number on."""
    stack, physical = session.call_stack, numbered.physical
    assert stack is not None
    level = physical.level
    at_level = session.at_level(level)
    functions, problem = _readable_functions(at_level)
    has_lane = _has_lane(at_level)
    caller, why_no_callers = stack.frame(level + 1), stack.why_no_callers(level)
    by_jump = (caller is not None and caller.is_tail_call) or why_no_callers
    for number in range(max(numbered.first, start), numbered.end):
        is_outer = number + 1 == numbered.end
        inline_level = number - numbered.first + numbered.not_entered
        name, name_problem = _name(at_level, functions, inline_level)
        yield StackFrame(
            number,
            session.at_level(level, inline_level),
            shown_pc(at_level, physical.pc),
            name,
            bool(functions),
            not is_outer,
            physical.is_signal_frame,
            is_outer and bool(by_jump),
            has_signed_pc(physical),
            physical.is_tail_call,
            why_no_callers if is_outer else None,
            physical.is_guess,
            has_lane,
            problem or name_problem,
        )


def has_signed_pc(frame: CfiFrame) -> bool:
    """Return whether the return address that led to a frame is signed where it is kept."""
    if frame.callee is None or frame.is_tail_call:
        return False
    try:
        return frame.callee.has_signed_return
    except DwarfGpuError:
        return False  # otherwise the frame would not exist


def _has_lane(session: Session) -> bool:
    if session.lane is None:
        return True
    try:
        return not session.is_absent
    except DwarfGpuError:
        return True


def selected(session: Session, number: int) -> Session:
    """Return the session in the frame with a number; errors are those of `frame_of`."""
    return frame_of(session, number).session


def frame_of(session: Session, number: int) -> StackFrame:
    """Return the frame with a number; `UsageError` with GDB's wording if the lane has none."""
    frame = next(stack_frames(session.at_level(0), start=max(number, 0)), None)
    if frame is not None and frame.number == number and frame.has_lane:
        return frame
    raise UsageError(f"No frame at level {number}.")


def outer_frame(session: Session) -> StackFrame | None:
    """Return the frame of a lane that is not in the frame in focus: the innermost outer one in
    which it was active on entry ("AMDGPU DW_AT_LLVM_lane_pc"). None if no frame says so.

    `LimitExceeded` for a frame beyond a limit, which an option raises.
    """
    if session.lane is None or session.pc is None:
        return None
    for frame in stack_frames(session.at_level(0)):
        if frame.number > session.level + MAX_OUTER:
            break
        try:
            is_outer = frame.session.level > session.level
            if is_outer and frame.session.frame.lane_was_active(session.lane):
                return frame
        except LimitExceeded:
            raise
        except DwarfGpuError:
            return None  # it may be this one
    return None


def outer_frames(session: Session, lanes: Iterable[int]) -> dict[int, StackFrame]:
    """Return `outer_frame` of several lanes, all evaluated at once."""
    remaining, frames = set(lanes), dict[int, StackFrame]()
    if session.pc is None:
        return frames
    for frame in stack_frames(session.focused(None).at_level(0)):
        if not remaining or frame.number > session.level + MAX_OUTER:
            break
        if frame.session.level <= session.level:
            continue
        for state in frame.session.lane_states(sorted(remaining)):
            if state.location is None:
                remaining.discard(state.lane)  # it may be this one
            elif state.location.was_active:
                remaining.discard(state.lane)
                own = frame.session.focused(state.lane)
                frames[state.lane] = evolve(frame, session=own, pc=shown_pc(own, frame.pc))
    return frames


def selected_number(session: Session) -> int:
    """Return the number of the frame in focus."""
    for level in numbered_levels(session.at_level(0)):
        if level.physical.level == session.level:
            number = level.first + session.inline_level - level.not_entered
            return max(min(number, level.end - 1), level.first)
    return 0


def readable_functions_at(session: Session) -> list[Die]:
    """Return the functions at a location; without them if debug information is unreadable, which
    must not hide the frames."""
    return _readable_functions(session)[0]


def _readable_functions(session: Session) -> tuple[list[Die], DwarfGpuError | None]:
    """Return the same, and why there are none."""
    try:
        return functions_at(session), None
    except DwarfGpuError as error:
        return [], error.with_traceback(None)


def _name(
    session: Session, functions: list[Die], inline_level: int
) -> tuple[str | None, DwarfGpuError | None]:
    """Return the name of a function at a location; if it cannot be read, that of its symbol, and
    the reason."""
    if not functions:
        pc = session.pc
        return None if pc is None else symbol_name(session, pc), None
    function, problem = functions[inline_level], None
    try:
        mangled = function.linkage_name if session.is_mangled else None
        name = mangled or name_in_frames(function)
        if name is not None:
            return name, None
        substitute = name_of_nameless(function)
    except DwarfGpuError as error:
        is_missing = isinstance(error, MissingContext | InconsistentContext)
        substitute = UNKNOWN_NAME if is_missing else UNREADABLE_NAME
        problem = error.with_traceback(None)
    is_inlined = inline_level < len(functions) - 1
    symbol = None if session.pc is None or is_inlined else symbol_name(session, session.pc)
    return symbol or substitute, problem  # a thunk has a symbol


def function_in_focus(session: Session) -> str | None:
    """Return the name of the function in focus as frames show it; an inlined function has its own
    name."""
    return _name(session, readable_functions_at(session), session.inline_level)[0]


def symbol_name(session: Session, pc: int) -> str | None:
    """Return the symbol of a program location without debug information."""
    objects = session.code_objects
    return symbol_at_address.symbol_name(objects, pc, is_mangled=session.is_mangled)


__all__ = [
    "NumberedLevel",
    "StackFrame",
    "before_inlined",
    "entered_but",
    "frame_of",
    "frame_position",
    "frames_in",
    "function_in_focus",
    "functions_at",
    "has_signed_pc",
    "innermost",
    "not_entered_at",
    "numbered_levels",
    "outer_frame",
    "outer_frames",
    "selected",
    "selected_number",
    "shown_pc",
    "stack_frames",
    "symbol_name",
]


def why_caller_is_unknown(session: Session) -> str | None:
    """Return why the frames end before the outermost one; None if they do not."""
    stack = session.call_stack
    return None if stack is None or stack.end.is_outermost else stack.end.reason


def declaration_at(code_object: CodeObject, pc: int) -> FramePosition | None:
    """Return where the function with a program location is declared; None if that is unknown."""
    subprogram = code_object.scopes.subprogram_at(pc)
    file = None if subprogram is None else decl_file(subprogram.die)
    line = None if subprogram is None else decl_line(subprogram.die)
    return None if file is None or not line else position_in_file(file, line, is_start=True)
