"""Find a frame that executes a function, for `function::x` (as GDB: from the focus outwards)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.function_names import full_function_name, name_in_frames
from dwarfgpu.dwarf.scope.concrete_entries import may_have_location
from dwarfgpu.dwarf.scope.declarations import around, declaration_of
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, FUNCTIONS
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import functions_at, stack_frames


def in_enclosing_frame(session: Session, variable: Variable) -> tuple[Variable, Session]:
    """Return the variable and the session of the frame to which static links lead; where no link
    leads to a frame, of the only outer one that executes the function.

    The variable is that of a function whose text encloses the function in focus. `UsageError` if
    there is no such frame, with GDB's wording, or if there are several, and the variable needs one.
    """
    if _is_static(variable):
        return variable, session
    function = declaration_of(_function_of(variable))
    focus, is_linked = _through_links(session, function)
    placed = in_frame(focus, variable)
    if not is_linked and _executes_again(placed[1], function):
        raise UsageError(
            f'"{variable.name}" is a variable of {name_in_frames(function)}, which several outer '
            "frames execute. Which of them belongs to this frame is unknown."
        )
    return placed


def without_capture(session: Session, variable: Variable) -> str | None:
    """Return a note that the function in focus cannot use a variable of a function around it, as it
    is a member of a lambda or of a local class (C++ [class.local], [expr.prim.lambda.capture]);
    None if it can."""
    here = functions_at(session)[session.inline_level :]
    if not here or _is_static(variable):
        return None
    if not _is_of_class(here[0]):
        return None
    return (
        f'"{variable.name}" is not captured: it is that of the only outer frame that executes '
        f"{_function_of(variable).name}"
    )


def _is_of_class(function: Die) -> bool:
    """Return whether a function is a member of a lambda or of a class."""
    inside = takewhile(lambda scope: scope.tag not in FUNCTIONS, around(function))
    return any(scope.tag in CLASSES for scope in inside)


def _through_links(session: Session, function: Die) -> tuple[Session, bool]:
    """Return the frame to which static links lead, and whether it executes the function."""
    focus = session
    while (outer := _linked(focus)) is not None:
        focus = outer
        if _executes(focus, function):
            return focus, True
    return focus, False


def _executes(session: Session, function: Die) -> bool:
    here = functions_at(session)[session.inline_level :]
    return bool(here) and declaration_of(here[0]) == function


def _executes_again(session: Session, function: Die) -> bool:
    """Return whether a frame further out executes a function, too."""
    return any(_executes(outer, function) for outer in islice(_outwards(session), 1, None))


def in_frame(session: Session, variable: Variable) -> tuple[Variable, Session]:
    """Return the variable and the session of the innermost frame, from the focus outwards, that
    executes its function. The variable is that of the frame: inlined calls have entries of their
    own.

    `UsageError` with GDB's wording if there is no such frame, and the variable needs one.
    """
    function = _function_of(variable)
    if _is_static(variable):
        return variable, session
    definition, declared = declaration_of(function), declaration_of(variable.die)
    for outer in _outwards(session):
        here = functions_at(outer)[outer.inline_level :]
        if not here or declaration_of(here[0]) != definition:
            continue
        own = (own for own in variables_below(here[0]) if declaration_of(own.die) == declared)
        return next(own, variable), outer
    if _is_in_any_frame(variable):
        return variable, session
    if session.pc is None:
        raise UsageError("No frame selected.")
    shown = full_function_name if function.unit.is_cplusplus else name_in_frames
    raise UsageError(f"No frame is currently executing in block {shown(definition)}.")


def _linked(session: Session) -> Session | None:
    """Return the outer frame to which the static link of the function in focus leads, that of its
    call if it is inlined; None if there is no such frame, or the link is unknown."""
    here = functions_at(session)[session.inline_level :]
    if len(here) > 1:
        # DW_AT_static_link is that of the function into which it is inlined. Its caller is inside
        # the same functions. A lambda need not be of a function that calls it.
        callers = islice(_outwards(session), 1, 2)
        return None if _is_of_class(here[0]) else next(callers, None)
    try:
        link = session.frame.static_link()
    except DwarfGpuError:
        return None
    if link is None:
        return None
    for outer in islice(_outwards(session), 1, None):
        try:
            if outer.frame.cfa() == link:
                return outer
        except DwarfGpuError:
            return None  # no frame beyond this one is known better
    return None


def _function_of(variable: Variable) -> Die:
    function = variable.die
    while function.tag != dw.TAG_SUBPROGRAM and (above := function.parent()) is not None:
        function = above
    return function


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


def _is_in_any_frame(variable: Variable) -> bool:
    """Return whether each frame has a variable, though that of its function may say more: where it
    is optimized out, or what it points to."""
    from dwarfgpu.session.own_frame import points_implicitly

    if variable.location is None:
        return not may_have_location(declaration_of(variable.die))
    return points_implicitly(variable.location)


def _is_static(variable: Variable) -> bool:
    """Return whether no frame is needed to know where a variable is."""
    from dwarfgpu.session.own_frame import needs_no_frame  # few names are of another function

    return needs_no_frame(variable.location)
