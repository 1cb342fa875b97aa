"""The variables of every frame of GDB's selected thread: `dwarfgpu info-locals`.

Law: an error of one variable, register or frame takes its place, and never ends the list.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.printable import one_line
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.function_names import name_in_frames
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, Unavailable, UndefinedBits
from dwarfgpu.gdb.gdb_session import Debugger, GdbSession
from dwarfgpu.gdb.machine.gdb_values import function_name
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.gdb.stack_by_cfi import aligned
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.answer import of_error
from dwarfgpu.service.value.reading_answer import of_reading
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.stack_frames import functions_at
from dwarfgpu.view.frame_style import frame_number
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.values import OPTIMIZED_OUT

State: TypeAlias = Literal["ok", "optimized-out", "partial", "unavailable", "error"]
_KINDS: Final = ("parameter", "local")


def json_lines(debugger: Debugger) -> Iterator[str]:
    """Yield one JSON record (schema `dwarfgpu-info-locals-1`) per frame."""
    for level, session, function, pc in _frames(debugger):
        yield json.dumps(_frame(level, session, function, pc), allow_nan=False)


def text_lines(debugger: Debugger) -> Iterator[str]:
    """Yield the frames as text, then notes on how they were found."""
    notes: dict[str, None] = {}
    for level, session, function, _ in _frames(debugger):
        frame = session.physical_frame
        is_signal = frame is not None and frame.is_signal_frame
        name = "<signal handler called>" if is_signal else function or "??"
        yield one_line(f"{frame_number(level)}{name}")
        for variable in _variables(session):
            kind = f"{variable['type']} " if variable["type"] is not None else ""
            yield one_line(f"    {kind}{variable['name']} = {variable['text']}")
        notes |= dict.fromkeys(session.notes)
    yield from (one_line(f"note: {note}") for note in notes)


def _frames(debugger: Debugger) -> Iterator[tuple[int, GdbSession, str | None, int]]:
    """Yield GDB's number, the session in the frame, its function, and its pc."""
    for gdb_frame, own_frame in aligned(debugger):
        if own_frame is not None and (gdb_frame is not None or not own_frame.is_tail_call):
            assert isinstance(own_frame.session, GdbSession)
            yield own_frame.number, own_frame.session, own_frame.function, own_frame.pc
        elif gdb_frame is not None:
            session = debugger.session(gdb_frame)
            yield (
                gdb_frame.level(),
                session,
                _function(session) or function_name(gdb_frame),
                int(gdb_frame.pc()),
            )


def _function(session: GdbSession) -> str | None:
    try:
        functions = functions_at(session)
        return name_in_frames(functions[session.inline_level]) if functions else None
    except DwarfGpuError:
        return None


def _frame(level: int, session: GdbSession, function: str | None, pc: int) -> JsonObject:
    variables: list[Plain] = [*_variables(session)]
    return {
        "level": level,
        "pc": pc,
        "cfa": _cfa(session),
        "function": function,
        "inlined": _is_inlined(session),
        "variables": variables,
        "registers": _registers(session),
    }


def _is_inlined(session: GdbSession) -> bool:
    """Return whether its function is inlined into that of the next frame."""
    physical = session.physical_frame
    if physical is not None and physical.is_tail_call:
        return False
    try:
        return session.inline_level + 1 < len(functions_at(session))
    except DwarfGpuError:
        return False


def _cfa(session: GdbSession) -> int | None:
    """Return the Canonical Frame Address; None if it is unknown, or not in ordinary memory."""
    try:
        single = session.frame.cfa().single_locations[0]
    except DwarfGpuError:
        return None
    storage = single.storage
    is_plain = isinstance(storage, Memory) and not storage.space.number
    return single.byte_address if is_plain else None


def _registers(session: GdbSession) -> JsonObject:
    """Return bytes by DWARF number, for the registers that the frame knows completely."""
    out: JsonObject = {}
    if session.pc is None:
        return out
    frame, access = evolve(session.frame, cfi_only=True), session.context().access
    for number, register in session.architecture.registers.items():
        try:
            location = frame.register(number)
            if not location.is_undefined:
                size = register.size_bits
                size = min(location.remaining_bits or size, size)
                out[str(number)] = access.read_bytes(location, size // 8).hex()
        except DwarfGpuError:
            continue  # the machine lacks this register, or its value is lost
    return out


def _variables(session: GdbSession) -> Iterator[JsonObject]:
    """Yield the arguments and local variables of the frame's function, including hidden ones."""
    try:
        variables = session.variables()
    except DwarfGpuError:
        return
    for variable in variables:
        if variable.kind in _KINDS:
            yield _variable(session, variable)


def _variable(session: GdbSession, variable: Variable) -> JsonObject:
    """Return the variable as `eval --json` has it, with its state, and the text by GDB's
    settings."""
    reading = session.read(variable)
    state, text = _text(session, reading)
    try:
        record = of_reading(reading, session, text).record
    except DwarfGpuError as error:
        state, text = "error", f"<error: {error.kind}: {error}>"
        record = of_error(error, reading.notes).record
    about = {"name": variable.name, "line": _line(variable), "kind": variable.kind}
    return {**about, "type": variable.readable_type_text, **record, "state": state, "text": text}


def _text(session: GdbSession, reading: Reading) -> tuple[State, str]:
    """Return the availability, and the text as GDB prints it."""
    options = evolve(print_options(), cplusplus=reading.variable.unit.is_cplusplus)
    error = reading.failure
    try:
        if error is not None:
            raise error
        if reading.bits is not None and _is_all_undefined(reading.bits):
            return "optimized-out", OPTIMIZED_OUT
        text = session.text(reading, options)
    except UndefinedBits:
        return "optimized-out", OPTIMIZED_OUT
    except Unavailable as unavailable:
        return "unavailable", f"<error: {unavailable}>"
    except DwarfGpuError as other:
        return "error", f"<error: {other.kind}: {other}>"
    bits = reading.bits
    if bits is None or reading.is_complete:
        return "ok", text
    return ("partial" if bits.undefined else "unavailable"), text


def _is_all_undefined(bits: Bits) -> bool:
    return bool(bits.size_bits) and bits.undefined == (1 << bits.size_bits) - 1


def _line(variable: Variable) -> int | None:
    try:
        return variable.decl_line
    except DwarfGpuError:
        return None
