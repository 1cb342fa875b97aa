"""Find the frame of a variable on which a type depends, as the length of an array.

A type may be that of another function, as of what a lambda captures by reference. Compilers name
the abstract instance of the variable for all inlined calls.

Law: where it is unknown which frame has the variable, none is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import joined
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, scope_path
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.variable import variables_below
from dwarfgpu.errors import DwarfGpuError, MissingContext, UndefinedBits
from dwarfgpu.session.frame import FrameSession
from dwarfgpu.session.own_frame import needs_no_frame

_MAX_FRAMES: Final = 10_000


@frozen(eq=False)
class PlacedVariable:
    """A variable and the frame that has it."""

    die: Die
    """The entry of the instance of its function that the frame executes."""
    session: FrameSession
    note: str | None = None
    """By what the frame was found, where only the stack says it."""


@frozen(eq=False)
class _Instance:
    """A function that a frame executes, called or inlined."""

    die: Die
    session: FrameSession


def placed_variable(session: FrameSession, die: Die) -> PlacedVariable:
    """Return a variable as the frame in focus has it, or the frame to which static links lead;
    where no link leads to one, the only outer frame that executes its function.

    `UndefinedBits` with the reason if there is no such frame, or if there are several.
    """
    declared = declaration_of(die)
    function = next((scope for scope in around(declared) if scope.tag in FUNCTIONS), None)
    if function is None or session.program_location is None or _is_static(die):
        return PlacedVariable(die, session)
    wanted, own = declaration_of(function), session.inline_level
    here = list(_instances(session))[own:]
    # Without frames, a variable of the functions into which the one in focus is inlined may have
    # the type, too.
    for instance in here[:1] if session.has_frames else here:
        if declaration_of(instance.die) == wanted:
            return PlacedVariable(_variable_in(instance.die, declared, die), session)
    linked = _linked(session, wanted)
    outer = [linked] if linked else list(islice(_outer(session, here, wanted), 2))
    name = joined(scope_path(wanted))
    if any(joined(scope_path(declaration_of(instance.die))) == name for instance in here[:1]):
        name = f"another {name} (the entry at {wanted.offset:#x})"
    if not outer:
        raise UndefinedBits(f"it is a variable of {name}, which no outer frame executes")
    if len(outer) > 1:
        raise UndefinedBits(
            f"it is a variable of {name}, which several outer frames execute: "
            "which of them belongs to this frame is unknown"
        )
    note = f'"{declared.name}" is that of the only outer frame that executes {name}'
    variable = _variable_in(outer[0].die, declared, die)
    return PlacedVariable(variable, outer[0].session, None if linked else note)


def _variable_in(function: Die, declared: Die, die: Die) -> Die:
    """Return the entry of a variable in an instance of its function; the given one if that has
    none."""
    entries = (variable.die for variable in variables_below(function))
    return next((own for own in entries if declaration_of(own) == declared), die)


def _is_static(die: Die) -> bool:
    """Return whether no frame is needed to know where a variable is."""
    locations = (holder.unit.location_attribute(holder) for holder in die.origins())
    return needs_no_frame(next((one for one in locations if one is not None), None))


def _instances(session: FrameSession) -> Iterator[_Instance]:
    """Yield the functions of a frame, the innermost inlined one first."""
    code_object, pc = session.code_object, session.program_location
    if code_object is None or pc is None:
        return
    for die in code_object.scopes.function_entries_at(pc):
        yield _Instance(die, session)


def _outwards(session: FrameSession) -> Iterator[FrameSession]:
    """Yield the frames outside of one that include the lane in focus."""
    for level in range(session.frame.level + 1, _MAX_FRAMES):
        try:
            outer = session.at_level(level)
        except MissingContext:
            return
        if outer.lane is None or outer.frame.lane_was_active(outer.lane) is not False:
            yield outer


def _outer(session: FrameSession, here: list[_Instance], wanted: Die) -> Iterator[_Instance]:
    """Yield the activations of a function outside of the one in focus."""
    inside = here[1:]
    for instance in inside:
        if declaration_of(instance.die) == wanted:
            yield instance
    for outer in _outwards(session):
        for instance in _instances(outer):
            if declaration_of(instance.die) == wanted:
                yield instance


def _linked(session: FrameSession, wanted: Die) -> _Instance | None:
    """Return the activation of a function to which static links lead; None if none leads to it."""
    current: FrameSession | None = session
    for _ in range(_MAX_FRAMES):
        try:
            link = None if current is None else current.frame.static_link()
            if current is None or link is None:
                return None
            frames = _outwards(current)
            current = next((outer for outer in frames if outer.frame.cfa() == link), None)
        except DwarfGpuError:
            return None
        if current is not None:
            for instance in islice(_instances(current), 1):
                if declaration_of(instance.die) == wanted:
                    return instance
    return None
