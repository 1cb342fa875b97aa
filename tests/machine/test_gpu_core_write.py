"""Cores of AMD GPUs that were written are read back: every GFX level, several of everything."""

from __future__ import annotations

from random import Random

import pytest

from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.save_area_layout import LAYOUTS
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.memory import CoreMemory, core_ranges
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.core.write import LoadedRange, core_parts
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile
from tests.machine.gpu_cores import VERSIONS, Machine, MadeCore


def opened(made: MadeCore) -> GpuTarget:
    dump = read_core(ObjectFile("core", made.data))
    assert dump.gpu == made.state and not dump.problems
    memory = CoreMemory(core_ranges(dump.file))
    return GpuTarget(GpuWaves(dump.gpu, memory), memory)


def check(made: MadeCore) -> None:
    """Everything that was written is read."""
    target = opened(made)
    never = {LAYOUTS[level].level for level in VERSIONS if not LAYOUTS[level].is_compared}
    assert all("never compared" in note for note in target.gpu.notes), target.gpu.notes
    assert len(target.gpu.notes) <= len(never)
    assert len(target.waves) == len(made.waves)
    for (number, wave), told in zip(target.waves.items(), made.waves, strict=True):
        arch, words = wave.architecture, target.gpu.hardware(wave)
        assert (wave.queue.id, wave.xcc, wave.queue.agent_id - 1, arch.lane_count) == (
            told.queue, told.xcc, told.agent, told.lanes,
        )  # fmt: skip
        assert target.gpu.pc(wave) == told.pc
        assert words.exec_mask == told.exec_mask
        assert words.stop_reasons() == tuple(told.reasons)
        ids = target.gpu.ids(wave)
        assert (ids.packet, ids.wave_in_group, ids.position) == (
            told.packet, told.wave_in_group, told.position,
        )  # fmt: skip
        for name, data in told.registers.items():
            register = arch.register_named(name)
            if register is None or name in ("pc", "status", "state_priv"):
                continue
            size = register.size_bits // 8
            assert target.read_register(number, register) == data[:size], name
        dispatch, group = target.model.dispatch_of(number), target.model.workgroup_of(number)
        assert dispatch is not None and (dispatch.packet, dispatch.grid) == (2, (1024, 64, 64))
        assert group is not None and (group.position, group.local_bytes) == (
            told.position, len(told.lds),
        )  # fmt: skip
        spaces = {space.name: space for space in arch.address_spaces.values()}
        if told.lds:
            where = Memory(spaces["local"], number)
            assert target.read_memory(where, 0, len(told.lds)) == told.lds
            agent = made.state.agents[told.agent]
            where = Memory(spaces["generic"], number, 0)
            assert target.read_memory(where, agent.lds_base + 4, 8) == told.lds[4:12]
        address, scratch = told.scratch
        assert target.apertures_of(number).scratch_base == address
        where = Memory(spaces["private_wave"], number)
        assert target.read_memory(where, 0, len(scratch)) == scratch
        lane = told.lanes - 1
        where = Memory(spaces["private_lane"], number, lane)
        row = 4 * told.lanes
        assert target.read_memory(where, 4, 4) == scratch[row + 4 * lane :][:4]


@pytest.mark.parametrize("level", VERSIONS)
@pytest.mark.parametrize("r_version", [8, 9, 10, 11, 12])
def test_every_level_and_runtime(level: str, r_version: int) -> None:
    machine = Machine(Random(f"{level} {r_version}"), r_version)
    machine.add_queue(machine.add_agent(level))
    check(machine.made())


@pytest.mark.parametrize("seed", range(12))
def test_several_agents_queues_and_xccs(seed: int) -> None:
    random = Random(seed)
    machine = Machine(random, random.choice((8, 10, 12)))
    for _ in range(random.randint(1, 3)):
        level = random.choice(list(VERSIONS))
        agent = machine.add_agent(level, random.randint(1, 3), random.choice((1, 2, 4)))
        for _ in range(random.randint(1, 2)):
            machine.add_queue(agent, random.randint(1, 3))
    check(machine.made())


def test_more_segments_than_the_header_can_count() -> None:
    """Their number is in the only section header."""
    ranges = [LoadedRange(16 * number, b"x") for number in range(0xFFFE)]
    for count in (0xFFFD, 0xFFFE):  # beside the segment of the notes
        file = ObjectFile("core", b"".join(core_parts([b""], ranges[:count])))
        assert len(file.segments) == 1 + count
        assert len(file.sections) == (count == 0xFFFE)
        assert CoreMemory(core_ranges(file)).read(16 * (count - 1), 1) == b"x"
