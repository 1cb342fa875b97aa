"""The dispatches of a core of AMD GPUs whose queue cannot be read, or has an impossible packet."""

from __future__ import annotations

import lzma
import re
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.machine.core.gpu.core_state_note import QUEUE, CoreState, Queue
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.process_image import ProcessImage, process_core
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.memory import CoreMemory, core_ranges
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.core.write import LoadedRange, core_parts, core_state_note
from dwarfgpu.machine.hsa_structures import KERNEL_DISPATCH_PACKET
from dwarfgpu.machine.topology import Dispatch
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES
from tests.machine.gpu_cores import Machine

UNMAPPED = 0x10_0000_0000


def image() -> ProcessImage:
    made = Machine(Random(1))
    made.add_queue(made.add_agent("9.4"))
    return ProcessImage(tuple(made.agents), tuple(made.queues), (), tuple(made.memory), 10)


def core_bytes(state: CoreState, ranges: list[LoadedRange]) -> bytes:
    return b"".join(core_parts([core_state_note(state)], ranges))


def opened(data: bytes) -> GpuTarget:
    dump = read_core(ObjectFile("core", data))
    assert dump.gpu is not None
    memory = CoreMemory(core_ranges(dump.file))
    return GpuTarget(GpuWaves(dump.gpu, memory), memory)


@pytest.mark.parametrize(
    ("member", "change", "why"),
    [
        ("read_pointer_address", 1 << 7, "its read and write indexes at 0x.* are not in one"),
        ("write_pointer_address", 8, "its read and write indexes at 0x.* are not in one amd_"),
        ("ring_base_address", 1 << 6, "its ring is at 0x.* in the note, and at 0x.* by its amd_"),
        ("ring_size", 0x1001, "its ring has 1 byte in the note, no power of 2 with a packet: "),
        ("ring_size", 0x1800, "its ring has 2048 bytes in the note, and 64 packets by its amd_"),
    ],
)
def test_a_queue_that_the_note_describes_wrongly(
    member: str, change: int, why: str, tmp_path: Path
) -> None:
    """One damaged number: no packet is taken from elsewhere, the scratch memory is where a register
    says, and no access is beyond its end."""
    original = lzma.decompress((FIXTURES / "core/loop.gfx942.core.xz").read_bytes())
    dump = read_core(ObjectFile("core", original))
    assert dump.gpu is not None
    [queue] = dump.gpu.queues
    changed = evolve(queue, **{member: getattr(queue, member) ^ change})
    before, after = (
        QUEUE.pack(*[getattr(entry, name) for name in Queue.__match_args__])
        for entry in (queue, changed)
    )
    assert original.count(before) == 1
    data = original.replace(before, after)
    target, intact = opened(data), opened(original)
    assert intact.gpu.notes == []
    [note] = target.gpu.notes
    assert re.match(f"queue 1: {why}", note) and note.endswith(
        "packets its waves execute is unknown"
    )
    assert target.model.dispatches == {} and intact.model.dispatches
    for wave in intact.waves:
        bases = [one.gpu.scratch(one.waves[wave]).base for one in (target, intact)]
        assert bases[0] == bases[1]
        assert target.gpu.scratch(target.waves[wave]).size_bytes != 0
    (path := tmp_path / "core").write_bytes(data)
    for done in run("info", path), run("bt", path, FIXTURES / "opencl/kernels.gfx942.O0.v5.co"):
        assert "Lane 63 loads 4 bytes at 0x7e00000076b0" in done.out and note in done.err + done.out


@pytest.mark.parametrize("index", ["read", "write"])
def test_an_index_that_cannot_be_read(index: str, tmp_path: Path) -> None:
    state, ranges = process_core(image())
    [queue] = state.queues
    queue = evolve(queue, **{f"{index}_pointer_address": UNMAPPED})
    data = core_bytes(evolve(state, queues=(queue,)), ranges)
    note = (
        f"queue 1: the {index} index at {UNMAPPED:#x} is not in the core file: which packets its "
        "waves execute is unknown"
    )
    target = opened(data)
    assert target.gpu.notes == [note] and target.waves
    (path := tmp_path / "core").write_bytes(data)
    done = run("debug", "--core", path, "--batch", "-ex", "info dispatches", "-ex", "p $_dispatch")
    assert done.lines[-2:] == ["The dispatches of the waves are unknown.", "$1 = void"]
    assert note in done.err


def test_a_queue_that_can_be_read_has_no_note() -> None:
    state, ranges = process_core(image())
    target = opened(core_bytes(state, ranges))
    assert not target.gpu.notes and len(target.model.dispatches) == 1


def dispatch(**fields: int) -> Dispatch:
    """The dispatch of a packet in which fields were changed."""
    made = image()
    [queue] = made.queues
    packet = bytearray(queue.packets[2])
    for name, number in fields.items():
        member = KERNEL_DISPATCH_PACKET.member(name)
        end = member.offset_bytes + member.size_bytes
        packet[member.offset_bytes : end] = number.to_bytes(member.size_bytes, "little")
    queue = evolve(queue, packets=(*queue.packets[:2], bytes(packet)))
    target = opened(core_bytes(*process_core(evolve(made, queues=(queue,)))))
    [known] = target.model.dispatches.values()
    return known


@pytest.mark.parametrize(
    "fields",
    [
        {"workgroup_size_y": 0},
        {"workgroup_size_x": 1024, "workgroup_size_y": 2},
        {"workgroup_size_y": 2, "setup": 1},
        {"workgroup_size_z": 2, "setup": 2},
    ],
)
def test_workgroups_that_no_packet_can_have(fields: dict[str, int]) -> None:
    assert dispatch(**fields).workgroup is None


def test_sizes_of_dimensions_that_a_packet_has_not() -> None:
    one = dispatch(setup=1)
    assert (one.grid, one.workgroup) == (None, (64, 1, 1))
    one = dispatch(setup=1, grid_size_y=1, grid_size_z=1)
    assert (one.grid, one.workgroup) == ((1024, 1, 1), (64, 1, 1))
    assert dispatch(setup=3).grid == (1024, 64, 64)
    assert dispatch(workgroup_size_x=1024).workgroup == (1024, 1, 1)
