"""Load agents, queues, dispatches, workgroups and the waves' positions in them from a state file
(`docs/state-files.md`). Law: an id that is referred to is there, and no two members contradict each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Protocol, TypeVar

from dwarfgpu.arch.model import APERTURE_BYTES, Apertures, Architecture
from dwarfgpu.arch.processors import PROCESSORS, Processor
from dwarfgpu.base.json_reader import Field
from dwarfgpu.machine.topology import (
    STOP_REASONS,
    Agent,
    Barrier,
    Dispatch,
    Geometry,
    Machine,
    Position,
    Queue,
    Wave,
    Workgroup,
)

MACHINE_MEMBERS = ("agents", "queues", "dispatches", "workgroups", "fill")
"""Members of a document."""
WAVE_MEMBERS = ("wave_in_group", "stop_reasons", "stop_lanes", "scratch", "barrier")
"""Members of a wave."""
_WORD = (1 << 64) - 1
_MOST = (1 << 32) - 1
_MAX_BARRIER_WAVES = (1 << 16) - 1
_ELEMENTS = (2, 4, 8, 16)


class _Numbered(Protocol):
    @property
    def id(self) -> int: ...


_T = TypeVar("_T", bound=_Numbered)


def read_machine(document: Field, arch: Architecture) -> Machine:
    """Return the machine above the waves from the document; `UsageError` names a wrong field."""
    lane_count, gpu = arch.lane_count, _gpu(arch)
    agents = _table(document, "agents", _agent)
    queues = _table(document, "queues", lambda entry: _queue(entry, agents))
    dispatches = _table(document, "dispatches", lambda entry: _dispatch(entry, queues, gpu))
    groups = _table(document, "workgroups", lambda entry: _workgroup(entry, dispatches, gpu))
    _check_positions(document, groups.values())
    return Machine(lane_count, agents, queues, dispatches, groups)


def _gpu(arch: Architecture) -> Processor | None:
    """Return the processor whose limits are known; None for others than AMD GPUs."""
    return PROCESSORS.get(arch.name)


def _check_positions(document: Field, groups: Iterable[Workgroup]) -> None:
    """Require that no two workgroups of a dispatch are at one position."""
    groups_field = document.get("workgroups")
    positions: set[tuple[int | None, Position]] = set()
    for entry, group in zip(
        () if groups_field is None else groups_field.items(), groups, strict=True
    ):
        if group.position is None:
            continue
        if (group.dispatch, group.position) in positions:
            raise entry["position"].expected("where no other workgroup of the dispatch is")
        positions.add((group.dispatch, group.position))


def read_wave(field: Field, wave: int, machine: Machine) -> Wave:
    """Return where a wave belongs."""
    groups = machine.workgroups
    group = field.get("workgroup")
    number = None if group is None else group.integer(0)
    if group is not None and groups and number not in groups:
        raise group.expected(f"a workgroup that is listed ({_known_numbers_text(groups)})")
    reasons = field.get("stop_reasons")
    index = None if number is None or not groups else _wave_in_group(field, groups[number], machine)
    return Wave(
        wave,
        number if groups else None,
        _integer(field, "wave_in_group", _MOST) if index is None else index,
        () if reasons is None else tuple(reason.text(*STOP_REASONS) for reason in reasons.items()),
        barrier=_barrier(field),
        stop_lanes=_stop_lanes(field, machine.lane_count),
    )


def _stop_lanes(wave: Field, lane_count: int) -> tuple[int, ...]:
    """Return the lanes for which a wave stopped, ascending."""
    field = wave.get("stop_lanes")
    if field is None:
        return ()
    lanes = [item.integer(0, lane_count - 1) for item in field.items()]
    if len({*lanes}) < len(lanes):
        raise field.expected("each lane once")
    return tuple(sorted(lanes))


def _barrier(wave: Field) -> Barrier:
    """Return what a wave has done about a split barrier; it is absent where that is nothing."""
    field = wave.get("barrier")
    if field is None:
        return Barrier()
    field.only("signals", "met")
    return Barrier(
        _integer(field, "signals", _MAX_BARRIER_WAVES) or 0,
        _integer(field, "met", _MAX_BARRIER_WAVES) or 0,
    )


def _wave_in_group(field: Field, group: Workgroup, machine: Machine) -> int | None:
    """Return its number in a workgroup, which has only the waves that its work-items need."""
    number = _integer(field, "wave_in_group", _MOST)
    if number is None:
        return None
    assert group.dispatch is not None
    dispatch = machine.dispatches[group.dispatch]
    size = group.size or dispatch.workgroup
    count = None if size is None else -(-prod(size) // machine.lane_count)
    if count is not None and number >= count:
        sizes = ",".join(map(str, size or ()))
        raise field["wave_in_group"].expected(
            f"below {count}: workgroup {group.id} of {sizes} work-items has as many waves"
        )
    return number


def check_waves(document: Field, machine: Machine) -> None:
    """Check that a workgroup has one wave of each number."""
    owners: dict[tuple[int, int], int] = {}
    for entry, wave in zip(document["waves"].items(), machine.waves.values(), strict=True):
        if wave.workgroup is None or wave.wave_in_group is None:
            continue
        owner = owners.setdefault((wave.workgroup, wave.wave_in_group), wave.id)
        if owner != wave.id:
            raise entry["wave_in_group"].expected(f"another number than wave {owner} has")


def read_apertures(
    field: Field, wave: Wave, machine: Machine, arch: Architecture
) -> Apertures | None:
    """Return apertures and scratch of a wave; None if the document has none."""
    agent, group = machine.agent_of(wave.id), machine.workgroup_of(wave.id)
    scratch = field.get("scratch")
    if agent is None and group is None and scratch is None:
        return None
    base = size = None
    element_bytes = 4
    if scratch is not None:
        scratch.only("address", "size", "element_size")
        base, size = _integer(scratch, "address"), _integer(scratch, "size")
        element = scratch.get("element_size")
        element_bytes = 4 if element is None else element.integer()
        if element is not None and element_bytes not in _ELEMENTS:
            raise element.expected("2, 4, 8 or 16")
        lanes = machine.lane_count
        if size is not None and size % (lanes * element_bytes):
            row = f"{lanes * element_bytes}: {lanes} lanes have {element_bytes} each in turn"
            raise scratch["size"].expected(f"a multiple of {row}")
        gpu = _gpu(arch)
        if gpu is not None and size is not None and size > gpu.most_scratch_bytes:
            most = f"{gpu.most_scratch_bytes} bytes, {gpu.most_scratch_bytes // lanes} a lane"
            raise scratch["size"].expected(f"at most {most}: a wave of {gpu.name} has no more")
    usual = Apertures()
    return Apertures(
        usual.local_base if agent is None else agent.local_base,
        usual.private_base if agent is None else agent.private_base,
        base,
        size,
        element_bytes,
        None if group is None else group.local_bytes,
    )


def _table(document: Field, name: str, read: Callable[[Field], _T]) -> dict[int, _T]:
    member = document.get(name)
    out: dict[int, _T] = {}
    for entry in () if member is None else member.items():
        record = read(entry)
        if record.id in out:
            raise entry["id"].expected("an id that no other one has")
        out[record.id] = record
    return out


def _agent(field: Field) -> Agent:
    field.only("id", "local_base", "private_base")
    usual = Apertures()
    local, private = _integer(field, "local_base"), _integer(field, "private_base")
    agent = Agent(
        field["id"].integer(0, _WORD),
        usual.local_base if local is None else local,
        usual.private_base if private is None else private,
    )
    for name, base in (("local_base", local), ("private_base", private)):
        if base is not None and base > _WORD - APERTURE_BYTES + 1:
            raise field[name].expected(f"at most {_WORD - APERTURE_BYTES + 1:#x}")
    if abs(agent.local_base - agent.private_base) < APERTURE_BYTES:
        wrong, base = "local_base", agent.private_base
        if local is None:
            wrong, base = "private_base", agent.local_base
        raise field[wrong].expected(
            f"an aperture of {APERTURE_BYTES:#x} bytes apart from that at {base:#x}"
        )
    return agent


def _queue(field: Field, agents: dict[int, Agent]) -> Queue:
    field.only("id", "agent", "object", "address", "size", "read", "write")
    return Queue(
        field["id"].integer(0, _WORD),
        _reference(field["agent"], agents, "agent"),
        _integer(field, "object"),
        _integer(field, "address"),
        _integer(field, "size"),
        _integer(field, "read"),
        _integer(field, "write"),
    )


def _dispatch(field: Field, queues: dict[int, Queue], gpu: Processor | None) -> Dispatch:
    field.only(
        "id", "queue", "packet", "kernel", "kernel_descriptor", "grid", "workgroup", "kernarg",
        "completion_signal", "group_bytes", "private_bytes", "sgprs", "vgprs", "agprs",
    )  # fmt: skip
    kernel = field.get("kernel")
    return Dispatch(
        field["id"].integer(0, _WORD),
        _reference(field["queue"], queues, "queue"),
        _integer(field, "packet", _WORD - 1),  # the queue's write index is one more
        None if kernel is None else kernel.text(),
        _integer(field, "kernel_descriptor"),
        _position(field, "grid", 1),
        _position(field, "workgroup", 1),
        _integer(field, "kernarg"),
        _integer(field, "completion_signal"),
        _integer(field, "group_bytes", _MOST),
        _integer(field, "private_bytes", _MOST),
        _integer(field, "sgprs", _MOST),
        _register_count(field, "vgprs", gpu),
        _register_count(field, "agprs", gpu),
    )


def _register_count(field: Field, name: str, gpu: Processor | None) -> int | None:
    """Return how many vector registers of a bank a wave has."""
    count = _integer(field, name, _MOST)
    if gpu is not None and count is not None and count > gpu.most_vgprs:
        raise field[name].expected(f"at most {gpu.most_vgprs}: no wave of {gpu.name} has more")
    return count


def _workgroup(field: Field, dispatches: dict[int, Dispatch], gpu: Processor | None) -> Workgroup:
    field.only("id", "dispatch", "position", "size", "local_bytes")
    dispatch = _reference(field["dispatch"], dispatches, "dispatch")
    group = Workgroup(
        field["id"].integer(0, _WORD),
        dispatch,
        _position(field, "position", 0),
        _position(field, "size", 1),
        _integer(field, "local_bytes", _MOST),
    )
    local_bytes = group.local_bytes or 0
    if gpu is not None and local_bytes > gpu.most_lds_bytes:
        most = f"at most {gpu.most_lds_bytes}: a workgroup of {gpu.name} has no more LDS"
        raise field["local_bytes"].expected(most)
    _check_in_grid(field, group, dispatches[dispatch])
    return group


def _check_in_grid(field: Field, group: Workgroup, dispatch: Dispatch) -> None:
    """Check that a workgroup is in the grid, and as large as others, but for those at its edge."""
    grid, workgroup = dispatch.grid, dispatch.workgroup
    if grid is not None and group.position is not None:
        counts = grid if workgroup is None else Geometry(grid, workgroup, 3).counts
        if any(number >= count for number, count in zip(group.position, counts, strict=True)):
            raise field["position"].expected(f"one below {_text(counts)}, which the grid has")
        if workgroup is not None and group.size is not None:
            size = Geometry(grid, workgroup, 3).size_at(group.position)
            if group.size != size:
                raise field["size"].expected(f"{_text(size)}, as the dispatch says of that place")
        return
    pairs = (
        [] if group.size is None or workgroup is None else zip(group.size, workgroup, strict=True)
    )
    if any(size > most for size, most in pairs):
        raise field["size"].expected(f"at most {_text(workgroup or ())}, as the dispatch says")


def _text(position: Iterable[int]) -> str:
    return ",".join(map(str, position))


def _integer(field: Field, name: str, most: int = _WORD) -> int | None:
    member = field.get(name)
    return None if member is None else member.integer(0, most)


def _position(field: Field, name: str, least: int) -> Position | None:
    member = field.get(name)
    if member is None:
        return None
    numbers = [number.integer(least, _MOST) for number in member.items()]
    if len(numbers) != 3:
        raise member.expected("three integers: x, y and z")
    return numbers[0], numbers[1], numbers[2]


def _reference(field: Field, records: dict[int, _T], subject: str) -> int:
    number = field.integer(0)
    if number not in records:
        raise field.expected(
            f"the id of an {subject}" if subject == "agent" else f"the id of a {subject}"
        )
    return number


def _known_numbers_text(numbers: Iterable[int]) -> str:
    listed = list(map(str, numbers))
    return ", ".join(listed if len(listed) <= 16 else [*listed[:14], "…", listed[-1]])
