"""The second version of state files: the machine above the waves, and arrays beside the file."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.base.writing import content_name
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.machine.state.state_document import state_document
from dwarfgpu.machine.state.write import write
from dwarfgpu.machine.topology import Barrier
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Memory, Register
from tests.cli.command import run, run_json, validator
from tests.work import at_most

Json = Any
MACHINE: dict[str, Json] = {
    "schema": "dwarfgpu-state-2",
    "architecture": "gfx942",
    "agents": [{"id": 1, "local_base": "0x5000000000000"}],
    "queues": [{"id": 2, "agent": 1, "size": 4096}],
    "dispatches": [{"id": 3, "queue": 2, "kernel": "k", "grid": [64, 2, 3]}],
    "workgroups": [
        {"id": 4, "dispatch": 3, "position": [0, 1, 2], "size": [64, 1, 1], "local_bytes": 512},
        {"id": 5, "dispatch": 3},
    ],
    "waves": [
        {"id": 7, "workgroup": 4, "wave_in_group": 0, "stop_reasons": ["breakpoint", "trap"]},
        {"id": 8, "workgroup": 4, "scratch": {"address": 4096, "size": 1024, "element_size": 8}},
        {"id": 9, "workgroup": 5},
    ],
}


def load(folder: Path, **members: Json) -> State:
    """A state that follows its schema."""
    document = {**MACHINE, **members}
    validator("state-2").validate(document)
    path = folder / "state.json"
    path.write_text(json.dumps(document), "utf-8")
    return load_state(path)


def array(folder: Path, name: str, descr: str, shape: tuple[int, ...], data: bytes) -> None:
    (folder / name).write_bytes(npy_bytes(Npy(descr, shape, data)))


def test_the_machine(tmp_path: Path) -> None:
    state = load(tmp_path)
    machine = state.machine
    assert machine.target_id(7) == "AMDGPU Wave 1:2:3:7 (0,1,2)/0"
    assert machine.waves[7].stop_reasons == ("breakpoint", "trap")
    assert (machine.queues[2].packets_bytes, machine.dispatches[3].kernel) == (4096, "k")
    one, other, third = (state.target.apertures_of(wave) for wave in (7, 8, 9))
    assert (one.local_base, one.private_base) == (5 << 48, 2 << 48)
    assert (one.local_bytes, one.scratch_base) == (512, None)
    assert (other.scratch_base, other.scratch_bytes, other.element_bytes) == (4096, 1024, 8)
    assert third.local_bytes is None


def test_the_last_packet_that_a_queue_can_have(tmp_path: Path) -> None:
    """Its write index, which a core file has, is one more."""
    [dispatch] = MACHINE["dispatches"]
    assert load(tmp_path, dispatches=[{**dispatch, "packet": (1 << 64) - 2}])
    with pytest.raises(UsageError, match=r"dispatches\[0\]\.packet: expected an integer of at"):
        load(tmp_path, dispatches=[{**dispatch, "packet": (1 << 64) - 1}])


def test_a_slash_ends_no_name_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(MACHINE), "utf-8")
    with pytest.raises(UsageError, match=r"state\.json/ cannot be read: Not a directory"):
        load_state(f"{file}/")


def test_split_barriers(tmp_path: Path) -> None:
    barriers = [{"signals": 1}, {"met": 2}, {}]
    waves = [{**w, "barrier": b} for w, b in zip(MACHINE["waves"], barriers, strict=True)]
    target = load(tmp_path, waves=waves).target
    expected = {7: Barrier(1, 0), 8: Barrier(0, 2), 9: Barrier()}
    assert {number: wave.barrier for number, wave in target.machine.waves.items()} == expected
    path = tmp_path / "again.json"
    before = json.loads((tmp_path / "state.json").read_text("utf-8"))
    write(state_document(target, path, (), before), path)
    again = load_state(path).target
    assert {number: wave.barrier for number, wave in again.machine.waves.items()} == expected


def test_memory_through_the_apertures_of_a_wave(tmp_path: Path) -> None:
    memory = [{"space": "local", "address": 16, "bytes": "01020304"}]
    waves = [{**MACHINE["waves"][0], "memory": memory}, *MACHINE["waves"][1:]]
    target = load(tmp_path, waves=waves).target
    generic, local = (target.architecture.address_space(number) for number in (1, 3))
    assert target.read_memory(Memory(generic, 8), (5 << 48) + 16, 4) == bytes([1, 2, 3, 4])
    with pytest.raises(Unavailable, match="not in the state"):
        target.read_memory(Memory(local, 9), 16, 4)  # of another workgroup


def test_a_note_on_arrays_that_have_changed_since_they_were_saved(tmp_path: Path) -> None:
    """A name that `save` does not write says nothing of the contents."""
    same = npy_bytes(Npy("<u4", (1, 64), bytes(256)))
    other = npy_bytes(Npy("<u4", (1, 64), bytes([1]) * 256))
    names = [content_name(stem, same, "npy") for stem in ("s.v1", "s.v2", "s.v3", "mine", "s.v5")]
    for name, data in zip(names, [same, other, other, other, same], strict=True):
        (tmp_path / name).write_bytes(data)
    arrays = dict(zip(["v1", "v2", "v3", "v4", "v5"], names, strict=True))
    registers = {register: {"npy": name, "row": 0} for register, name in arrays.items()}
    state = load(tmp_path, waves=[{"registers": registers}], workgroups=[])
    since = "since the state was saved: registers and memory may be wrong"
    assert state.notes == (f"{names[1]} and 1 more have changed {since}",)
    (tmp_path / names[2]).write_bytes(same)
    assert load(tmp_path, waves=[{"registers": registers}], workgroups=[]).notes == (
        f"{names[1]} has changed {since}",
    )


def test_arrays(tmp_path: Path) -> None:
    rows = b"".join(n.to_bytes(4, "little") for n in range(128))
    array(tmp_path, "v.npy", "<u4", (2, 64), rows)
    array(tmp_path, "m.npy", "<f4", (2, 2), bytes(range(16)))
    registers = {
        "v3": {"npy": "v.npy", "row": 1},
        "v4": {"npy": "v.npy", "row": 0, "lanes": "0x9"},
        "mode": {"bytes": "f0 ?? 01 ??"},
    }
    state = load(
        tmp_path,
        waves=[{"registers": registers}],
        memory=[{"address": "0x1000", "npy": "m.npy"}],
        workgroups=[],
    )
    target, arch = state.target, state.architecture
    v3, v4, mode = (arch.by_name[name] for name in ("v3", "v4", "mode"))
    assert target.read_register(0, v3, 8, 4) == (66).to_bytes(4, "little")
    assert target.read_register(0, v4, 12, 4) == (3).to_bytes(4, "little")
    with pytest.raises(Unavailable, match="v4 of wave 0 is not in the state, bytes 4 to 7"):
        target.read_register(0, v4, 4, 4)
    assert target.read_register(0, mode, 2, 1) == b"\1"
    with pytest.raises(Unavailable, match="mode of wave 0 is not in the state, byte 1$"):
        target.read_register(0, mode)
    where = Memory(arch.address_space(0))
    assert target.read_memory(where, 0x1004, 4) == bytes([4, 5, 6, 7])


def test_registers_are_known_by_bit(tmp_path: Path) -> None:
    """Read, saved and compared bit by bit; a byte that is not whole is not read as bytes."""
    registers = {"mode": {"bytes": "f0 %1010??11 ?? %???????0"}, "exec": 1}
    state = load(tmp_path, waves=[{"registers": registers}], workgroups=[])
    mode = state.architecture.by_name["mode"]
    place = SingleLocation(Register(mode, 0))
    context = Context(architecture=state.architecture, wave=0, target=state.target)
    bits = context.access.read(Location((place,), state.target.stop), 32)
    assert bits.unavailable == 0xFEFF0C00
    assert bits.value & ~bits.unavailable == 0xA3F0
    assert context.access.read(Location((place.displaced(8),), state.target.stop), 2).value == 3
    with pytest.raises(Unavailable, match="mode of wave 0 is not in the state, bytes 1 to 3"):
        state.target.read_register(0, mode)
    done = run("eval", "--state", tmp_path / "state.json", "$mode")
    for name in ("IEEE", "EXCP_EN.DENORM", "EXCP_EN.OVERFLOW"):
        assert name in done.out
    shown = ("debug", "--state", tmp_path / "state.json", "--batch", "-ex")
    again = tmp_path / "again.json"
    commands = (*shown, "info registers mode", "-ex", f"save {again}")
    assert "IEEE" in run(*commands).out
    assert '"f0 %1010??11 ?? %???????0"' in again.read_text()


@pytest.mark.parametrize("word", ["%0", "%????00112", "%????002?", "%", "?0"])
def test_a_byte_by_bit_has_eight_digits(tmp_path: Path, word: str) -> None:
    with pytest.raises(UsageError, match="mode.bytes: expected"):
        load(tmp_path, waves=[{"registers": {"mode": {"bytes": f"?? {word} ?? ??"}}}])


def test_registers_beyond_the_allocation(tmp_path: Path) -> None:
    dispatch = {"id": 3, "queue": 2, "sgprs": 32, "vgprs": 8, "agprs": 0}
    target = load(tmp_path, dispatches=[dispatch]).target
    names = target.architecture.by_name
    for name, told in (("v8", "v0 to v7"), ("s32", "s0 to s31"), ("a0", "no a registers")):
        expected = f"register {name} is not allocated: wave 7 has {told}"
        with pytest.raises(Unavailable, match=expected):
            target.read_register(7, names[name])
        with pytest.raises(Unavailable, match=expected):
            target.write_register(7, names[name], bytes(4))
    for name in ("v7", "s31", "mode", "vcc"):
        with pytest.raises(Unavailable, match=f"register {name} of wave 7 is not in the state"):
            target.read_register(7, names[name])
    waves = [{"id": 7, "workgroup": 4, "registers": {"v8": [1]}}]
    with pytest.raises(UsageError, match=r"waves\[0\].registers.v8: register v8 is not allocated"):
        load(tmp_path, dispatches=[dispatch], waves=waves)


def test_memory_that_is_filled_in(tmp_path: Path) -> None:
    memory = [{"address": "0x1000", "size": 16, "fill": "0xcc"}, {"address": 4112, "bytes": "01"}]
    state = load(tmp_path, memory=memory)
    where = Memory(state.architecture.address_space(0))
    assert state.target.read_memory(where, 0x100E, 3) == b"\xcc\xcc\x01"
    with pytest.raises(Unavailable):
        state.target.read_memory(where, 0x1011, 1)


BROKEN: list[tuple[dict[str, Json], str]] = [
    ({"schema": "dwarfgpu-state-1"}, "document: unknown member 'agents'; known: schema"),
    ({"agents": []}, "queues[0].agent: expected the id of an agent, not 1"),
    ({"queues": []}, "dispatches[0].queue: expected the id of a queue, not 2"),
    ({"agents": [{"id": 1}] * 2}, "agents[1].id: expected an id that no other one has, not 1"),
    ({"agents": [{}]}, "agents[0]: expected an object with a member 'id'"),
    ({"agents": [{"id": 1, "x": 1}]}, "agents[0]: unknown member 'x'"),
    ({"dispatches": [{"id": 3, "queue": 2, "grid": [1, 2]}]}, "dispatches[0].grid: expected three"),
    ({"dispatches": [{"id": 3, "queue": 2, "grid": [0, 1, 1]}]}, "grid[0]: expected an integer of"),
    (
        {"waves": [{"workgroup": 6}]},
        "waves[0].workgroup: expected a workgroup that is listed (4, 5)",
    ),
    (
        {"waves": [{"stop_reasons": ["bored"]}]},
        "waves[0].stop_reasons[0]: expected one of breakpoint",
    ),
    ({"waves": [{"scratch": {"element_size": 3}}]}, "element_size: expected 2, 4, 8 or 16, not 3"),
    ({"waves": [{"scratch": {"base": 3}}]}, "waves[0].scratch: unknown member 'base'"),
    ({"waves": [{"barrier": {"signals": 65536}}]}, "waves[0].barrier.signals: expected"),
    ({"waves": [{"barrier": {"waits": 1}}]}, "waves[0].barrier: unknown member 'waits'"),
    ({"waves": [{"stop_lanes": [64]}]}, "waves[0].stop_lanes[0]: expected"),
    ({"waves": [{"stop_lanes": [3, 3]}]}, "waves[0].stop_lanes: expected each lane once"),
    ({"memory": [{"address": 0, "npy": "no.npy"}]}, "; copy the arrays of a state with it"),
    ({"memory": [{"address": 0, "npy": "v.npy", "bytes": ""}]}, "expected one of bytes and npy"),
    ({"memory": [{"address": 0, "fill": 0, "bytes": ""}]}, "expected one of bytes and fill"),
    ({"memory": [{"address": 0, "fill": 0}]}, "memory[0]: expected an object with a member 'size'"),
    ({"memory": [{"address": 0, "size": 4}]}, "memory[0].size: expected a size only with fill"),
    ({"memory": [{"address": 0, "size": 4, "fill": 256}]}, "memory[0].fill: expected an integer"),
    ({"memory": [{"address": 0, "size": 0, "fill": 0}]}, "memory[0].size: expected an integer"),
    (
        {"memory": [{"address": n << 32, "size": 1 << 29, "fill": 0} for n in range(3)]},
        "memory[2].size: expected at most 1073741824 bytes that are filled in",
    ),
    ({"memory": [{"address": 0}]}, "memory[0]: expected an object with a member 'bytes'"),
]
GRID: Json = {"id": 3, "queue": 2, "grid": [100, 2, 3], "workgroup": [48, 2, 1]}
"""3 × 1 × 3 workgroups of 96 work-items, in x the last of 4 × 2: two waves, or one."""


def placed(**members: Json) -> dict[str, Json]:
    """A machine with one workgroup."""
    group = {"id": 4, "dispatch": 3, **members}
    return {"dispatches": [GRID], "workgroups": [group], "waves": [{"workgroup": 4}]}


def waves(*numbers: int, **members: Json) -> dict[str, Json]:
    listed = [
        {"id": n, "workgroup": 4, "wave_in_group": number} for n, number in enumerate(numbers)
    ]
    return {**placed(**members), "waves": listed}


CONTRADICTORY: list[tuple[dict[str, Json], str]] = [
    (placed(position=[3, 0, 0]), "workgroups[0].position: expected one below 3,1,3, which the"),
    (placed(position=[0, 1, 0]), "workgroups[0].position: expected one below 3,1,3"),
    (placed(position=[0, 0, 0], size=[64, 64, 64]), "workgroups[0].size: expected 48,2,1, as"),
    (placed(position=[2, 0, 0], size=[48, 2, 1]), "workgroups[0].size: expected 4,2,1, as"),
    (placed(size=[48, 3, 1]), "workgroups[0].size: expected at most 48,2,1"),
    (
        {"workgroups": [{"id": n, "dispatch": 3, "position": [0, 0, 0]} for n in (4, 5)]},
        "workgroups[1].position: expected where no other workgroup of the dispatch is",
    ),
    (
        waves(0, 2, position=[0, 0, 0]),
        "waves[1].wave_in_group: expected below 2: workgroup 4 of 48,2,1 work-items has as many",
    ),
    (waves(1, position=[2, 0, 0], size=[4, 2, 1]), "waves[0].wave_in_group: expected below 1"),
    (waves(1, 1), "waves[1].wave_in_group: expected another number than wave 0 has"),
    (
        {"waves": [{"scratch": {"size": 100}}]},
        "waves[0].scratch.size: expected a multiple of 256: 64 lanes have 4 each in turn, not 100",
    ),
    ({"waves": [{"scratch": {"size": 256, "element_size": 8}}]}, "expected a multiple of 512"),
    (
        {"waves": [{"scratch": {"size": 1 << 63}}]},
        "waves[0].scratch.size: expected at most 8387584 bytes, 131056 a lane: a wave of gfx942",
    ),
    (
        placed(local_bytes=65537),
        "workgroups[0].local_bytes: expected at most 65536: a workgroup of gfx942 has no more LDS",
    ),
    (
        {"dispatches": [{**GRID, "vgprs": 513}]},
        "dispatches[0].vgprs: expected at most 512: no wave of gfx942 has more, not 513",
    ),
    ({"dispatches": [{**GRID, "agprs": 1_000_000}]}, "dispatches[0].agprs: expected at most 512"),
    (
        {"agents": [{"id": 1, "local_base": "0xffff000000000001"}]},
        "agents[0].local_base: expected at most 0xffff000000000000",
    ),
    (
        {"agents": [{"id": 1, "local_base": "0x2000000000000"}]},
        "agents[0].local_base: expected an aperture of 0x1000000000000 bytes apart from that at",
    ),
    (
        {"agents": [{"id": 1, "private_base": "0x1ffffffffffff"}]},
        "agents[0].private_base: expected an aperture",
    ),
]


@pytest.mark.parametrize(
    "members",
    [
        placed(position=[2, 0, 2], size=[4, 2, 1]),
        placed(position=[1, 0, 2], size=[48, 2, 1]),
        placed(size=[4, 2, 1]),
        waves(0, 1),
        waves(0, position=[2, 0, 0], size=[4, 2, 1]),
        {"waves": [{"scratch": {"size": 512, "element_size": 8}}]},
        {"waves": [{"scratch": {"size": 0}}]},
    ],
)
def test_what_fits_together(tmp_path: Path, members: dict[str, Json]) -> None:
    assert load(tmp_path, **members).waves


def test_lanes_without_a_work_item_are_not_counted(tmp_path: Path) -> None:
    """Code for a whole wave sets their bits of the execution mask, too."""
    wave = {"workgroup": 4, "wave_in_group": 1, "registers": {"exec": "0xffffffffffff"}}
    load(tmp_path, **{**placed(position=[0, 0, 0], size=[48, 2, 1]), "waves": [wave]})
    [wave] = run_json("waves", "--state", tmp_path / "state.json").json["waves"]
    assert (wave["active_lanes"], wave["used_lanes"]) == (32, 32)


@pytest.mark.parametrize(("members", "expected"), [*BROKEN, *CONTRADICTORY])
def test_a_broken_file_names_the_field(
    tmp_path: Path, members: dict[str, Json], expected: str
) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps({**MACHINE, **members}), "utf-8")
    with pytest.raises(UsageError) as caught:
        load_state(path)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("register", "contents", "expected"),
    [
        (
            "v3",
            {"npy": "v.npy", "row": 2},
            "v3.row: expected a row of the array, which has 2, not 2",
        ),
        ("s3", {"npy": "v.npy", "row": 0}, "s3.npy: expected rows of 4 bytes for register s3"),
        (
            "v3",
            {"npy": "v.npy", "row": 0, "lanes": -1},
            "v3.lanes: expected an integer of at least",
        ),
        ("v3", {"npy": "v.npy"}, "v3: expected an object with a member 'row'"),
        ("v3", {"npy": "x.npy", "row": 0}, "v3.npy: "),
        ("v3", {"npy": "bad.npy", "row": 0}, "not a .npy file"),
        ("mode", {"bytes": "f0 ?"}, "mode.bytes: expected bytes in hex, two digits each, or ??"),
        ("mode", {"bytes": "f0 ??"}, "mode.bytes: expected 4 bytes for register mode"),
    ],
)
def test_a_broken_register(tmp_path: Path, register: str, contents: Json, expected: str) -> None:
    array(tmp_path, "v.npy", "<u4", (2, 64), bytes(512))
    (tmp_path / "bad.npy").write_bytes(b"x")
    path = tmp_path / "state.json"
    waves = [{"registers": {register: contents}}]
    path.write_text(json.dumps({**MACHINE, "waves": waves}), "utf-8")
    with pytest.raises(UsageError) as caught:
        load_state(path)
    assert expected in str(caught.value)


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    refused = [members for members, _ in BROKEN if {"dispatches", "memory"} & members.keys()]
    for members in (refused[0], refused[-1], {"agents": [{}]}, {"agents": [{"id": 1, "x": 1}]}):
        with pytest.raises(ValidationError):
            validator("state-2").validate({**MACHINE, **members})


def test_a_thousand_waves_cost_what_they_hold(tmp_path: Path) -> None:
    """A vector register of each in one array; memory in proportion to what is known."""
    rows = b"".join(n.to_bytes(4, "little") for n in range(64 * 1000))
    array(tmp_path, "v.npy", "<u4", (1000, 64), rows)
    waves: list[Json] = [
        {"id": n, "registers": {"exec": "0xff", "v0": {"npy": "v.npy", "row": n, "lanes": "0xff"}}}
        for n in range(1000)
    ]
    path = tmp_path / "state.json"
    document = {"schema": "dwarfgpu-state-2", "architecture": "gfx942", "waves": waves}
    path.write_text(json.dumps(document), "utf-8")
    tracemalloc.start()
    with at_most(1_000_000):
        state = load_state(path)
    data, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert data < 4_000_000
    assert peak < 12_000_000
    register = state.architecture.by_name["v0"]
    assert state.target.read_register(999, register, 28, 4) == (999 * 64 + 7).to_bytes(4, "little")
