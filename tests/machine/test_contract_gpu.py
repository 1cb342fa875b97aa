"""What is true of every Target of a GPU: lanes, waves and workgroups see one memory as they should.

Each machine has waves 1 and 2 in one workgroup and wave 3 in another, 512 bytes of LDS for each,
scratch of 4096 bytes for each wave, and v3 of wave 1 known in lanes 0 to 3.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.arch.model import Apertures
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import InconsistentContext, MissingContext, OutOfRange, Unavailable
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.bulk_state import BulkState
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target
from dwarfgpu.model.storage import Memory
from tests.cli.command import FIXTURES, run, validator

GPU = architecture("gfx942")
LOCAL_BASE, PRIVATE_BASE = 0x1_0000_0000_0000, 0x2_0000_0000_0000
SCRATCH = 0x7D00_0000_0000
Made = Callable[[Path], Target]


def of_state(folder: Path) -> StateTarget:
    """Scratch is a store of its own."""
    target = StateTarget(GPU, Apertures(local_bytes=512, scratch_bytes=4096))
    for wave, group in ((1, 4), (2, 4), (3, 5)):
        target.add_wave(wave, group)
    register = GPU.by_name["v3"]
    target.set_lanes(1, register, [10, 11, 12, 13])
    return target


def of_image(folder: Path) -> Target:
    return TargetWithCodeObjects(of_state(folder), (), has_started=True)


def of_file(folder: Path) -> Target:
    """Scratch is a part of global memory."""
    document: dict[str, Any] = {
        "schema": "dwarfgpu-state-2",
        "architecture": "gfx942",
        "agents": [{"id": 1}],
        "queues": [{"id": 1, "agent": 1}],
        "dispatches": [{"id": 1, "queue": 1}],
        "workgroups": [
            {"id": 4, "dispatch": 1, "local_bytes": 512},
            {"id": 5, "dispatch": 1, "local_bytes": 512},
        ],
        "waves": [
            {
                "id": wave,
                "workgroup": group,
                "scratch": {"address": SCRATCH + 4096 * wave, "size": 4096},
                "registers": {"v3": [10, 11, 12, 13]} if wave == 1 else {},
            }
            for wave, group in ((1, 4), (2, 4), (3, 5))
        ],
    }
    validator("state-2").validate(document)
    path = folder / "state.json"
    path.write_text(json.dumps(document), "utf-8")
    return load_state(path).target


def of_dispatch(folder: Path) -> Target:
    """As a kernel starts, with more scratch and LDS than it needs."""
    file, path = FIXTURES / "opencl/kernels.gfx942.O0.v5.co", folder / "state.json"
    done = run(
        "dispatch", file, "diverge", "--grid", 256, "--workgroup", 128, "--dynamic-lds", 512,
        "--scratch", 64, "--arg", "0=?", "--arg", "1=?", "--arg", "2=?", "--save", path,
    )  # fmt: skip
    assert done.status == 0, done.err
    target = load_state(path).target
    target.set_lanes(1, GPU.by_name["v3"], [10, 11, 12, 13])
    return target


def of_bulk(folder: Path) -> Target:
    return BulkState(of_state(folder))


def of_bulk_image(folder: Path) -> Target:
    return BulkState(TargetWithCodeObjects(of_state(folder), (), has_started=True))


@pytest.fixture(
    params=[of_state, of_image, of_file, of_dispatch, of_bulk, of_bulk_image],
    ids=lambda made: made.__name__,
)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    made: Made = request.param
    return made(tmp_path)


def where(space: str, wave: int | None = 1, lane: int | None = None) -> Memory:
    result = GPU.address_space_named(space)
    assert result is not None
    return Memory(result, wave, lane)


def known(target: Target, space: str, address: int, data: bytes, **place: int) -> None:
    """Make memory known, as a state does."""
    inner = target.behind if isinstance(target, BulkState) else target
    inner = inner.behind if isinstance(inner, TargetWithCodeObjects) else inner
    assert isinstance(inner, StateTarget)
    inner.set_memory(where(space, **place), address, data)


DWORD = b"\1\2\3\4"


def test_memory_that_was_never_written_is_unavailable(target: Target) -> None:
    for space, address in (
        ("global", 0x1000), ("local", 0), ("private_lane", 0), ("private_wave", 0),
        ("generic", LOCAL_BASE), ("generic", PRIVATE_BASE), ("generic", 0x1000),
    ):  # fmt: skip
        with pytest.raises(Unavailable):
            target.read_memory(where(space, 1, 0), address, 4)


def test_scratch_is_one_memory_in_three_spaces(target: Target) -> None:
    known(target, "private_lane", 0x10, DWORD, lane=3)
    assert target.read_memory(where("private_wave"), 0x10 // 4 * 256 + 12, 4) == DWORD
    assert target.read_memory(where("generic", 1, 3), PRIVATE_BASE + 0x10, 4) == DWORD
    with pytest.raises(Unavailable):
        target.read_memory(where("private_lane", 1, 4), 0x10, 4)
    with pytest.raises(Unavailable):
        target.read_memory(where("private_lane", 2, 3), 0x10, 4)


def test_a_lane_reads_across_its_elements(target: Target) -> None:
    """Twelve bytes of a lane are three dwords, 256 bytes from each other in the wave's scratch."""
    known(target, "private_lane", 0x20, bytes(range(12)), lane=5)
    assert target.read_memory(where("private_lane", 1, 5), 0x21, 10) == bytes(range(1, 11))
    assert target.read_memory(where("private_wave"), 0x20 // 4 * 256 + 20, 4) == bytes(range(4))
    with pytest.raises(Unavailable):  # the bytes between are those of other lanes
        target.read_memory(where("private_wave"), 0x20 // 4 * 256 + 20, 8)
    with pytest.raises(Unavailable):
        target.read_memory(where("private_lane", 1, 5), 0x28, 8)


def test_a_workgroup_has_one_lds(target: Target) -> None:
    known(target, "local", 0x10, DWORD)
    assert target.read_memory(where("local", 2), 0x10, 4) == DWORD
    assert target.read_memory(where("generic", 2, 0), LOCAL_BASE + 0x10, 4) == DWORD
    with pytest.raises(Unavailable):
        target.read_memory(where("local", 3), 0x10, 4)


def test_all_waves_have_one_global_memory(target: Target) -> None:
    known(target, "global", 0x1000, DWORD)
    for wave in (1, 2, 3):
        assert target.read_memory(where("generic", wave, 0), 0x1000, 4) == DWORD
    assert target.read_memory(where("global", None), 0x1000, 4) == DWORD


def test_what_is_written_in_one_space_is_read_in_another(target: Target) -> None:
    known(target, "private_lane", 0, bytes(8), lane=7)
    target.write_memory(where("generic", 1, 7), PRIVATE_BASE + 2, b"ABCD")
    assert target.read_memory(where("private_lane", 1, 7), 0, 8) == b"\0\0ABCD\0\0"
    assert target.read_memory(where("private_wave"), 28, 4) == b"\0\0AB"
    with pytest.raises(Unavailable):  # all of it or nothing
        target.write_memory(where("private_lane", 1, 7), 4, b"12345678")
    assert target.read_memory(where("private_lane", 1, 7), 4, 4) == b"CD\0\0"


def test_memories_end(target: Target) -> None:
    known(target, "local", 0x1FC, DWORD)
    assert target.read_memory(where("local"), 0x1FC, 4) == DWORD
    for space, address, size_bytes in (
        ("local", 0x200, 1), ("local", 0x1FC, 5), ("private_wave", 4096, 1),
        ("private_lane", 0x40, 4),  # row 16 of 256 bytes
    ):  # fmt: skip
        with pytest.raises(Unavailable, match="beyond"):
            target.read_memory(where(space, 1, 0), address, size_bytes)


def test_memory_of_a_wave_or_lane_needs_its_number(target: Target) -> None:
    with pytest.raises(MissingContext, match="no lane"):
        target.read_memory(where("private_lane"), 0, 4)
    with pytest.raises(InconsistentContext, match="lane 64"):
        target.read_memory(where("private_lane", 1, 64), 0, 4)
    with pytest.raises(MissingContext):
        target.read_memory(where("local", None), 0, 4)
    with pytest.raises(OutOfRange):
        target.read_memory(where("local"), 1 << 32, 4)
    with pytest.raises(Unavailable, match="no debugger interface reaches GDS memory"):
        target.read_memory(where("region"), 0, 4)


def test_lanes_of_a_vector_register(target: Target) -> None:
    register = GPU.by_name["v3"]
    assert target.read_register(1, register, 8, 8) == b"\x0c\0\0\0\x0d\0\0\0"
    with pytest.raises(Unavailable, match="bytes 16 to 19"):
        target.read_register(1, register, 16, 4)
    with pytest.raises(Unavailable):
        target.read_register(2, register, 0, 4)


def test_gds_is_declared_and_never_accessible(target: Target) -> None:
    with pytest.raises(Unavailable, match="address space region is not accessible"):
        target.read_memory(where("region"), 0, 4)
    with pytest.raises(Unavailable, match="address space region is not accessible"):
        target.write_memory(where("region"), 0, DWORD)
    with pytest.raises(OutOfRange, match="is not an address of region"):
        target.read_memory(where("region"), 1 << 32, 4)


@pytest.mark.parametrize(
    ("space", "size_bytes", "lane"),
    [("local", 512, None), ("private_wave", 4096, None), ("private_lane", 64, 3)],
)
def test_an_access_over_the_end_touches_nothing(
    target: Target, space: str, size_bytes: int, lane: int | None
) -> None:
    place = {} if lane is None else {"lane": lane}
    known(target, space, size_bytes - 4, DWORD, **place)
    at = where(space, 1, lane)
    assert target.read_memory(at, size_bytes - 4, 4) == DWORD
    with pytest.raises(Unavailable, match=f"{space} address {size_bytes:#x} is beyond the"):
        target.read_memory(at, size_bytes - 2, 4)
    with pytest.raises(Unavailable, match=f"{space} address {size_bytes:#x} is beyond the"):
        target.write_memory(at, size_bytes - 2, bytes(4))
    assert target.read_memory(at, size_bytes - 4, 4) == DWORD


def test_unaligned_accesses_are_of_one_lane(target: Target) -> None:
    """An element holds four bytes of a lane: what follows it in scratch is the next lane's."""
    contents = {lane: bytes((16 * lane + n) % 256 for n in range(16)) for lane in (0, 1, 63)}
    for lane, data in contents.items():
        known(target, "private_lane", 0, data, lane=lane)
    for lane, data in contents.items():
        for start in range(10):
            result = target.read_memory(where("private_lane", 1, lane), start, 6)
            assert result == data[start : start + 6]
    pair = target.read_memory(where("private_wave"), 2, 4)  # of lanes 0 and 1
    assert pair == bytes([2, 3, 16, 17])
    target.write_memory(where("private_lane", 1, 0), 2, b"\xaa\xbb\xcc\xdd")
    assert target.read_memory(where("private_wave"), 0, 8) == b"\0\1\xaa\xbb\x10\x11\x12\x13"
    assert target.read_memory(where("private_wave"), 256, 4) == b"\xcc\xdd\6\7"
