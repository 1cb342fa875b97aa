"""`$_name` values of a wave in a dispatch: `$_wave_id`, `$_lane_workgroup_pos`, `$_kernarg` …

Names and texts of the `_systag` and `_pos` ones are ROCgdb's; the others are ours: numbers, to
calculate with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.dwarf.types.types import Array
from dwarfgpu.errors import Unavailable, Unsupported
from dwarfgpu.expr.context import require
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Position, Queue, model_of, work_item
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.session.session import Session

Getter: TypeAlias = "Callable[[Machine, Session], str | int | Position | TypedValue | None]"


def text_value(architecture: Architecture, text: str) -> TypedValue:
    """Return a string as a value: as in GDB 13, an array of its characters, and of a NUL where
    there are none."""
    builtins = Builtins(architecture)
    data = text.encode("utf-8", "replace") or b"\0"
    bits = Bits(int.from_bytes(data, architecture.endian), 8 * len(data))
    return TypedValue(Array(builtins.char_type, (len(data),)), bits=bits)


def integer_value(architecture: Architecture, number: int, bit_size: int = 32) -> TypedValue:
    """Return a number as a value of type int, or of a wider integer type."""
    numbers = Numbers(Builtins(architecture))
    value = numbers.integer(number, bit_size)
    return TypedValue(value.type, bits=numbers.bits(value))


def _position(position: Position | None, brackets: str = "()") -> str:
    inside = "?,?,?" if position is None else ",".join(map(str, position))
    return f"{brackets[0]}{inside}{brackets[1]}"


def _wave_position(machine: Machine, session: Session) -> str:
    """Return `(2,1,3)/0`: the workgroup, and the wave in it."""
    group, record = machine.workgroup_of(session.wave), machine.waves.get(session.wave)
    number = None if record is None else record.wave_in_group
    workgroup_text = _position(None if group is None else group.position)
    return f"{workgroup_text}/{'?' if number is None else number}"


def _wave_in_group(machine: Machine, session: Session) -> str:
    record = machine.waves.get(session.wave)
    number = None if record is None else record.wave_in_group
    return "?" if number is None else str(number)


def _work_item(machine: Machine, session: Session) -> str | None:
    if session.lane is None:
        return None
    return _position(machine.work_item(session.wave, session.lane), "[]")


def _fact(wave: WaveId, getter: Callable[[WaveId], int | None]) -> int | None:
    """Return a fact about a wave; for many waves, the integer of each lane
    (docs/decisions/0008)."""
    if type(wave) is int:
        return getter(wave)
    from dwarfgpu.model.lane_integers import mapped

    return mapped(wave, getter)


def _work_item_position(
    wave: WaveId, getter: Callable[[WaveId], Position | None]
) -> Position | None:
    """Return the same of three integers."""

    def part(index: int, wave: WaveId) -> int | None:
        coordinates = getter(wave)
        return None if coordinates is None else coordinates[index]

    x, y, z = (_fact(wave, partial(part, index)) for index in range(3))
    return None if x is None or y is None or z is None else (x, y, z)


def workgroup_id(machine: Machine, session: Session) -> Position | None:
    """Return the workgroup of the wave in the dispatch; None if unknown."""

    def getter(wave: WaveId) -> Position | None:
        group = machine.workgroup_of(wave)
        return None if group is None else group.position

    return _work_item_position(session.wave, getter)


def workgroup_size(machine: Machine, session: Session) -> Position | None:
    """Return the work-items of the workgroup, fewer at the edge of a grid; None if unknown."""

    def getter(wave: WaveId) -> Position | None:
        group = machine.workgroup_of(wave)
        return None if group is None else group.size

    return _work_item_position(session.wave, getter)


def grid_size(machine: Machine, session: Session) -> Position | None:
    """Return the work-items of the dispatch; None if unknown."""

    def getter(wave: WaveId) -> Position | None:
        dispatch = machine.dispatch_of(wave)
        return None if dispatch is None else dispatch.grid

    return _work_item_position(session.wave, getter)


def whole_workgroup_size(machine: Machine, session: Session) -> Position | None:
    """Return the work-items of a complete workgroup; None if unknown."""

    def getter(wave: WaveId) -> Position | None:
        dispatch = machine.dispatch_of(wave)
        return None if dispatch is None else dispatch.workgroup

    return _work_item_position(session.wave, getter)


def work_item_id(machine: Machine, session: Session) -> Position | None:
    """Return the work-item of the lane in its workgroup; None if unknown.

    `MissingContext` without a lane, `Unavailable` for a lane without a work-item.
    """
    wave, lane = session.wave, require(session.lane, "lane")
    used, size = _fact(wave, machine.used_lanes), workgroup_size(machine, session)
    first = _fact(wave, machine.first_item)
    if used is None or size is None or first is None:
        return None
    if lane >= used:
        if type(lane) is not int or type(wave) is not int:
            raise Unsupported("the lack of a work-item is reported for each lane")
        raise Unavailable(f"lane {lane} of wave {wave} has no work-item")
    return work_item(first + lane, size)


def _arguments(machine: Machine, session: Session) -> TypedValue:
    from dwarfgpu.language.kernarg_variable import kernel_arguments  # few expressions have them

    def getter(wave: WaveId) -> int | None:
        dispatch = machine.dispatch_of(wave)
        return None if dispatch is None else dispatch.id

    number = _fact(session.wave, getter)  # waves of several dispatches part
    return kernel_arguments(session, None if number is None else machine.dispatches.get(number))


def _ids(machine: Machine, queue: Queue | None, dispatch: Dispatch | None = None) -> str:
    agent = None if queue is None else machine.agents.get(queue.agent)
    parts = [agent, queue, *([] if dispatch is None else [dispatch])]
    return ":".join("?" if part is None else str(part.id) for part in parts)


def _queue_name(machine: Machine, session: Session) -> str:
    queue = machine.queue_of(session.wave)
    return "AMDGPU Queue ?:? (QID ?)" if queue is None else queue.target_id


def _dispatch_name(machine: Machine, session: Session) -> str:
    dispatch, queue = machine.dispatch_of(session.wave), machine.queue_of(session.wave)
    if dispatch is None:
        return "AMDGPU Dispatch ?:?:? (PKID ?)"
    packet = "?" if dispatch.packet is None else dispatch.packet
    return f"AMDGPU Dispatch {_ids(machine, queue, dispatch)} (PKID {packet})"


def _agent_name(machine: Machine, session: Session) -> str:
    agent = machine.agent_of(session.wave)
    return "AMDGPU Agent (GPUID ?)" if agent is None else agent.target_id


def _lane_name(machine: Machine, session: Session) -> str | None:
    return None if session.lane is None else machine.target_id(session.wave, session.lane)


def _id_of(
    of_wave: Callable[[Machine, WaveId], Agent | Queue | None],
) -> Callable[[Machine, Session], int | None]:
    """Return the number of the object in focus; 0 if there is none."""

    def read(machine: Machine, session: Session) -> int | None:
        def getter(wave: WaveId) -> int:
            variable = of_wave(machine, wave)
            return 0 if variable is None else variable.id

        return _fact(session.wave, getter)

    return read


def _dispatch_number(machine: Machine, session: Session) -> int | None:
    """Return the number of the dispatch of the wave; 0 if it has none, None if it is unknown."""

    def getter(wave: WaveId) -> int | None:
        group = machine.workgroup_of(wave)
        if group is not None and group.is_dispatch_unknown:
            return None
        dispatch = machine.dispatch_of(wave)
        return 0 if dispatch is None else dispatch.id

    return _fact(session.wave, getter)


WAVE_VARIABLES: Final[dict[str, tuple[Getter, str]]] = {
    "_agent": (_id_of(Machine.agent_of), "the agent of the wave"),
    "_agent_systag": (_agent_name, "the name of the agent"),
    "_dispatch": (_dispatch_number, "the dispatch of the wave"),
    "_dispatch_pos": (_wave_position, "the workgroup in the dispatch, and the wave in it"),
    "_dispatch_systag": (_dispatch_name, "the name of the dispatch"),
    "_enqueued_workgroup_size": (
        whole_workgroup_size,
        "work-items of a whole workgroup, in x, y and z",
    ),
    "_grid_size": (grid_size, "work-items of the dispatch, in x, y and z"),
    "_kernarg": (_arguments, "the arguments of the kernel, in the kernarg segment"),
    "_lane_systag": (_lane_name, "the name of the lane in focus"),
    "_lane_workgroup_pos": (_work_item, "the work-item of the lane in its workgroup"),
    "_queue": (_id_of(Machine.queue_of), "the queue of the wave"),
    "_queue_systag": (_queue_name, "the name of the queue"),
    "_thread_systag": (lambda m, s: m.target_id(s.wave), "the name of the wave"),
    "_thread_workgroup_pos": (_wave_in_group, "the wave in its workgroup"),
    "_workgroup_id": (workgroup_id, "the workgroup in the dispatch, in x, y and z"),
    "_workgroup_size": (workgroup_size, "work-items of the workgroup, in x, y and z"),
    "_workitem_id": (work_item_id, "the work-item of the lane in its workgroup, in x, y and z"),
    "_wave_id": (_wave_position, "the workgroup in the dispatch, and the wave in it"),
}
"""Keyed by name without the first `$`: how to compute it, and its description."""
_TEXTS: Final = ("_pos", "_systag", "_wave_id")
"""How the names of texts end."""


def machine_of(session: Session) -> Machine | None:
    """Return the machine if it places its waves; else None."""
    machine = model_of(session.target) if session.architecture.is_simt else None
    return machine if machine is not None and (machine.waves or machine.dispatches) else None


def wave_variable(session: Session, name: str) -> TypedValue | None:
    """Return the value of a name, without its first `$`; None if unknown, as after the end of all
    waves.

    `Unavailable` for kernel arguments that neither the machine nor the code objects describe, and
    for a lane without a work-item; `MissingContext` for a lane variable without a lane.
    """
    if name not in WAVE_VARIABLES or session.has_ended:
        return None
    is_text = name.endswith(_TEXTS)
    machine = machine_of(session)
    if machine is None and is_text and session.architecture.is_simt:
        machine = Machine(session.architecture.lane_count)  # for ROCgdb's texts of unknown parts
    if machine is None:
        return None
    read, _ = WAVE_VARIABLES[name]
    if type(session.wave) is not int and is_text:
        raise Unsupported("the text differs between waves")
    variable = read(machine, session)
    match variable:
        case str():
            return text_value(session.architecture, variable)
        case tuple():
            return _three_values(session.architecture, variable)
        case TypedValue() | None:
            return variable
        case _:  # an integer, or one for each lane
            return integer_value(session.architecture, variable)


def _three_values(architecture: Architecture, position: Position) -> TypedValue:
    kind = Builtins(architecture).integer(32, is_signed=False)
    parts = [Bits(coordinate, 32) for coordinate in position]
    return TypedValue(
        Array(kind, (3,), is_vector=True), bits=concatenate(parts, architecture.endian)
    )
