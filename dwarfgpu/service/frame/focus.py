"""The frame in focus, in one line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.loaded_code import code_objects_at
from dwarfgpu.dwarf.names.fortran_ada import RENAMES
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.scope_entries import DATA, FUNCTIONS, PARAMETERS
from dwarfgpu.dwarf.scope.variable import Variable, at_inline_level, declared_in
from dwarfgpu.dwarf.types.dynamic_types import has_descriptor
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Dynamic, MemberPointer, Struct, strip, unqualified
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    OutOfRange,
    Unavailable,
    UndefinedBits,
    UsageError,
)
from dwarfgpu.language.address_symbols import symbol_text
from dwarfgpu.language.machine_variables import lane_count, used_lanes
from dwarfgpu.machine.sparse_memory import NOT_IN_STATE
from dwarfgpu.machine.target import Named
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.value.reading_answer import variable_text
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import SYNTHETIC_POINTER
from dwarfgpu.view.frame_line import is_aggregate
from dwarfgpu.view.pointers import is_system_address
from dwarfgpu.view.printer_text import has_printer
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions, Symbolize

_NAMED_BY_SYMBOLS: Final = dw.QUALIFIED - dw.CPLUSPLUS
"""Languages in which the entry of a function has no module in its name."""
_UNREADABLE = pattern(
    rf"cannot access memory at address (?P<address>0x[0-9a-f]+)(?!\w|: {NOT_IN_STATE})"
)
"""Why memory of a process cannot be read; what a state file leaves out is `<unavailable>`."""


def require_frame(session: Session) -> int:
    """Return where the lane in focus is; `UsageError` with GDB's wording where there is no
    location."""
    pc = session.program_location
    if pc is None:
        raise UsageError("No frame selected.")
    return pc


def lane_numbers(session: Session) -> range:
    """Return the lanes of the wave; empty if the architecture has none."""
    return range(lane_count(session))


def active_lane_numbers(session: Session) -> list[int]:
    """Return the active lanes (A.3.3.5) that have a work-item; none if they are unknown."""
    mask = session.active_lanes()[0] or 0
    return [lane for lane in range(used_lanes(session)) if mask >> lane & 1]


def target_id(session: Session) -> str:
    """Return ROCgdb's name of the lane in focus."""
    return target_id_of_lane(session, session.lane)


def target_id_of_lane(session: Session, lane: int | None) -> str:
    """Return ROCgdb's name of a lane; unknown parts are `?`, as in ROCgdb.

    Agent, queue, dispatch and wave, then the lane, the work-group and the work-item.
    """
    if isinstance(session.target, Named):
        return session.target.target_id(session.wave, lane)
    return f"AMDGPU Lane ?:?:?:{session.wave}/{lane} (?,?,?)[?,?,?]"


def thread_and_lane(session: Session) -> str:
    """Return `3, lane 0 (AMDGPU Lane 1:1:1:3/0 (1,0,0)[0,0,0])`: the wave and the lane in focus."""
    return f"{session.wave}, lane {session.lane} ({target_id(session)})"


def symbol_at(session: Session, address: int) -> str | None:
    """Return `nest+64`, or `nest` at its first address; without an entry of the function, and in D
    and Rust, the symbol. None outside every known function."""
    for code_object in code_objects_at(session.code_objects, address):
        try:
            subprogram = code_object.scopes.subprogram_at(address)
        except DwarfGpuError:
            return None
        if subprogram is not None:
            if subprogram.die.unit.language in _NAMED_BY_SYMBOLS:
                named = symbol_text(session, address)
                if named is not None:
                    return named
            name = full_function_name(subprogram.die) or subprogram.name
            offset = 0 if subprogram.entry is None else address - subprogram.entry
            if offset < 0:  # code that is split off, as in GDB
                own = symbol_text(session, address)
                return own if own and "+" not in own else f"{name}{offset:+}"
            return f"{name}+{offset}" if offset else name
    return symbol_text(session, address)


def frame_pc(session: Session) -> int:
    """Return where the lane in focus continues in its frame; where it is with the wave, as
    `wave_pc`."""
    pc, physical = require_frame(session), session.physical_frame
    is_waiting = session.level and pc == session.pc
    return physical.pc if is_waiting and physical is not None else pc


def wave_pc(session: Session) -> int | None:
    """Return where the frame in focus continues: an outer one after the call, as GDB shows it."""
    physical = session.physical_frame
    return physical.pc if session.level and physical is not None else session.pc


def variables(
    session: Session, kind: str, is_named: Callable[[str], bool] | None = None
) -> list[Variable]:
    """Return the variables of a kind that belong to the function in focus; with a test, those with
    a name that passes it: of a large function no others are read, and `LimitExceeded` if there are
    more of these than are listed."""
    pc, code_object = require_frame(session), session.code_object
    level = session.inline_level
    if is_named is not None and code_object and code_object.scopes.is_large_at(pc):
        tags, most = _tags_of(kind), code_object.file.limits.variables
        of_frame = code_object.scopes.locals_named(pc, is_named, tags, most)
        if len(at_inline_level(of_frame, level)) > most:
            raise _too_many(most)
    else:
        of_frame = session.parameters() if kind == "parameter" else session.local_variables()
    return [
        variable
        for variable in of_frame
        if variable.kind == kind
        and variable.inline_level == level
        and (is_named is None or is_named(variable.name))
        and not (RENAMES in variable.name and variable.unit.style == "ada")  # it has no object
    ]


def shown_name(variable: Variable) -> str:
    """Return the name of a variable as listings show it, in Ada with points: `p.x`."""
    if variable.unit.style != "ada":
        return variable.name
    from dwarfgpu.dwarf.names.ada_names import ada_object  # few programs are of Ada

    return ada_object(variable.name)


def _tags_of(kind: str) -> frozenset[int]:
    """Return the tags of the variables of a function that are of a kind."""
    return PARAMETERS if kind == "parameter" else DATA - PARAMETERS


def _too_many(most: int) -> LimitExceeded:
    return LimitExceeded(f"the frame has more than {most} variables", "--max-variables")


def require_listable(session: Session, kind: str) -> None:
    """Raise `LimitExceeded` if more variables of a kind belong to the function in focus than are
    listed: of a large function they are counted before the objects of all of them are made."""
    code_object, pc = session.code_object, session.program_location
    if code_object is None or pc is None or not code_object.scopes.is_large_at(pc):
        return
    most, level, count = code_object.file.limits.variables, session.inline_level, 0
    tags = _tags_of(kind)
    for scope in reversed(code_object.scopes.chain_at(pc)):
        if level == 0:
            of_kind = (True for variable in declared_in(scope, tags=tags) if variable.kind == kind)
            count += sum(islice(of_kind, most + 1 - count))
            if count > most:
                raise _too_many(most)
        level -= scope.tag in FUNCTIONS


def unread_arguments(error: DwarfGpuError) -> str:
    """Return the text in place of arguments that cannot be read."""
    return f"<error reading arguments ({error_line(error)})>"


_DEFAULT = FormatOptions()


def _behind(
    session: Session,
    reading: Reading,
    options: FormatOptions,
    symbolize: Symbolize | None,
    scalars_only: bool,
) -> str:
    """Return the object of a synthetic reference, as GDB appends it; nothing for a pointer."""
    from dwarfgpu.language.typed_value import TypedValue  # few variables have been removed
    from dwarfgpu.language.value_text import referred_text

    if scalars_only and is_aggregate(reading.type):
        return "..."
    unit = reading.variable.unit
    value = TypedValue(reading.type, pointer=reading.pointer, unit=unit)
    options = evolve(options, summary=scalars_only, is_listed=True)
    return referred_text(value, session, options, symbolize)


def contents(
    session: Session,
    reading: Reading,
    options: FormatOptions = _DEFAULT,
    symbolize: Symbolize | None = None,
    *,
    is_in_line: bool = False,
    scalars_only: bool = False,
) -> str:
    """Return a variable's value, or the reason for a missing value, as GDB lists variables.

    There a pointer is without its type, unless it points to a member. `is_in_line`: in a frame's
    line, which has the name already. `scalars_only`: an aggregate is `...`.
    """
    if isinstance(reading.failure, UndefinedBits):
        return "..." if scalars_only and is_aggregate(reading.type) else OPTIMIZED_OUT
    if isinstance(reading.failure, Unavailable) and _has_no_descriptor(reading):
        return _no_value(reading, "Location address is not set.", is_in_line)
    if is_in_line and isinstance(reading.failure, Unavailable):
        return "<unavailable>"  # a backtrace has one line per frame; `eval` reports why
    if isinstance(reading.failure, OutOfRange):
        from dwarfgpu.language.beyond_memory import unreachable_address  # few objects

        address = unreachable_address(reading.location, size_bits(reading.type))
        if address is not None:
            return _no_access(reading, address, is_in_line)
    if isinstance(reading.failure, Unavailable):  # of what its type or location is computed from
        unreadable = _UNREADABLE.search(reading.failure.message)
        if unreadable is not None:
            return _no_access(reading, unreadable["address"], is_in_line)
    if reading.failure is not None:
        return _no_value(reading, reading.failure.brief or str(reading.failure), is_in_line)
    if reading.pointer is not None:
        return SYNTHETIC_POINTER + _behind(session, reading, options, symbolize, scalars_only)
    bits = reading.bits
    assert bits is not None
    unreadable = next(filter(None, map(_UNREADABLE.match, bits.reasons)), None)
    if bits.unavailable and unreadable is not None:
        return _no_access(reading, unreadable["address"], is_in_line)
    if scalars_only:
        options = evolve(options, summary=True)
        bare = strip(reading.type)
        is_declared = isinstance(bare, Struct) and bare.is_declaration
        is_short = is_aggregate(reading.type) and not is_declared
        if is_short and not has_printer(reading.type, options):
            return "..."
    text = variable_text(reading, session, evolve(options, is_listed=True), symbolize)
    variable = reading.variable
    if not text.startswith("(") or isinstance(strip(variable.type), MemberPointer):
        return text
    cplusplus, style = options.language or (variable.unit.is_cplusplus, variable.unit.style)
    if is_system_address(unqualified(reading.type), style):
        return text
    named = strip(reading.type) if style == "ada" else reading.type  # as pointers name it there
    return text.removeprefix(f"({type_name(named, cplusplus=cplusplus, style=style)}) ")


def _has_no_descriptor(reading: Reading) -> bool:
    """Return whether the descriptor of an array is at an address without memory: the array is an
    optional argument of Fortran that was not passed."""
    kind = strip(reading.variable.type)
    is_described = isinstance(kind, Dynamic) and has_descriptor(kind)
    return is_described and _UNREADABLE.search(str(reading.failure)) is not None


def _no_access(reading: Reading, address: str, is_in_line: bool) -> str:
    """Return what GDB shows of a variable in memory that cannot be read."""
    return _no_value(reading, f"Cannot access memory at address {address}", is_in_line)


def _no_value(reading: Reading, error: str, is_in_line: bool) -> str:
    """Return what GDB shows of a variable without a value; a frame's line has the name already."""
    if is_in_line:
        return f"<error reading variable: {error}>"
    return f"<error reading variable {shown_name(reading.variable)} ({error})>"
