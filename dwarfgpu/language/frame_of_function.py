"""Find a frame that executes a function, for `function::x` (as GDB: from the focus outwards)."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ConstValue, ExprLoc
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import functions_at, stack_frames

_STATIC = frozenset({"addr", "addrx", "GNU_addr_index"})
"""First operations of locations that depend on no frame."""


def in_frame(session: Session, variable: Variable) -> tuple[Variable, Session]:
    """Return the variable and the session of the innermost frame, from the focus outwards, that
    executes its function. The variable is that of the frame: inlined calls have entries of their
    own.

    `UsageError` with GDB's wording if there is no such frame, and the variable needs one.
    """
    function = variable.die
    while function.tag != dw.TAG_SUBPROGRAM and (above := function.parent()) is not None:
        function = above
    if _is_static(variable):
        return variable, session
    definition, declared = declaration_of(function), declaration_of(variable.die)
    for outer in _outwards(session):
        here = functions_at(outer)[outer.inline_level :]
        if not here or declaration_of(here[0]) != definition:
            continue
        own = (own for own in variables_below(here[0]) if declaration_of(own.die) == declared)
        return next(own, variable), outer
    if session.pc is None:
        raise UsageError("No frame selected.")
    raise UsageError(f"No frame is currently executing in block {function.name}.")


def _outwards(session: Session) -> Iterator[Session]:
    """Yield the sessions of the frame in focus and of outer frames that include the lane in
    focus."""
    if session.pc is None or session.is_absent:
        return
    yield session
    for frame in stack_frames(session.at_level(0)):
        outer_session = frame.session
        is_outside = (outer_session.level, outer_session.inline_level) > (
            session.level,
            session.inline_level,
        )
        if is_outside and frame.has_lane:
            yield outer_session


def _is_static(variable: Variable) -> bool:
    location = variable.location
    if isinstance(location, ConstValue):
        return True
    if not isinstance(location, ExprLoc):
        return False
    unit = location.unit
    instructions = prepare(location.expression, unit.dialect, unit.format).instructions
    return bool(instructions) and instructions[0].operation.name in _STATIC
