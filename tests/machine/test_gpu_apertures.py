"""Agents of cores whose entry contradicts itself about an aperture."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from dwarfgpu.arch.amdgpu import GENERIC, GLOBAL, LOCAL, PRIVATE_LANE
from dwarfgpu.arch.model import NOWHERE
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.gpu.agent_apertures import agent_apertures
from dwarfgpu.machine.core.gpu.bulk_core import BulkCore
from dwarfgpu.machine.core.gpu.core_state_note import Agent
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.process_image import ProcessImage, agent_of, process_core
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.memory import CoreMemory, core_ranges
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile
from tests.machine.gpu_cores import Machine

WHOLE = agent_of(90402, 7)
LOCAL_BASE, PRIVATE_BASE, SPAN = WHOLE.lds_base, WHOLE.scratch_base, 0xFFFFFFFF
BEYOND = 1 << 50
"""An address of no aperture, where hardware has no memory: only a known aperture excludes it."""
ENDS_EARLY = "the local aperture, 0x1000000000000 to 0xffff, ends before it begins"


@pytest.mark.parametrize(
    ("fields", "unknown", "message"),
    [
        ({}, "", ""),
        ({"gpuvm_base": 0, "gpuvm_limit": 0}, "", ""),
        ({"gpuvm_base": 9, "gpuvm_limit": 3}, "", ""),
        ({"lds_limit": 0xFFFF}, "local", ENDS_EARLY),
        ({"scratch_limit": 0}, "private", "ends before it begins"),
        ({"lds_base": 0}, "local", "begins where global memory is"),
        ({"lds_base": 0, "lds_limit": 0}, "local", "begins where global memory is"),
        ({"lds_base": LOCAL_BASE + 1}, "local", "begins at no multiple of 0x1000000000000"),
        ({"scratch_base": 0x4000}, "private", "begins at no multiple of 0x1000000000000"),
        (
            {"scratch_base": LOCAL_BASE, "scratch_limit": LOCAL_BASE + SPAN},
            "local private",
            "overlaps the private one, 0x1000000000000 to 0x10000ffffffff",
        ),
        (
            {"lds_limit": PRIVATE_BASE},
            "local private",
            "the local aperture, 0x1000000000000 to 0x2000000000000, overlaps the private one",
        ),
        (
            {"gpuvm_limit": PRIVATE_BASE - 1},
            "local",
            "overlaps the global one, 0x4000 to 0x1ffffffffffff",
        ),
    ],
)
def test_a_base_that_contradicts_the_entry_is_not_believed(
    fields: dict[str, int], unknown: str, message: str
) -> None:
    known = agent_apertures(evolve(WHOLE, **fields))
    assert (known.local_base == NOWHERE) == ("local" in unknown)
    assert (known.private_base == NOWHERE) == ("private" in unknown)
    assert message in known.fault
    assert bool(known.fault) == bool(unknown)


def is_known_in_bulk(gpu: GpuTarget, where: Memory, address: int) -> bool:
    architecture = gpu.architecture_of(next(iter(gpu.waves)))
    bulk = BulkCore(TargetWithCodeObjects(gpu, (), True), gpu, architecture)
    return bool(bulk.gather(where, np.array([[address]]), 4)[1].all())


def opened(fields: dict[str, int]) -> tuple[GpuTarget, Agent]:
    made = Machine(Random(3))
    made.add_queue(made.add_agent("9.4"))
    made.memory.append((BEYOND, b"\x01" * 16))
    agent = evolve(made.agents[0], **fields)
    image = ProcessImage((agent,), tuple(made.queues), (), tuple(made.memory), 10)
    state, ranges = process_core(image)
    dump = read_core(ObjectFile("core", b"".join(core_parts([core_state_note(state)], ranges))))
    assert dump.gpu is not None
    memory = CoreMemory(core_ranges(dump.file))
    return GpuTarget(GpuWaves(dump.gpu, memory), memory), agent


def test_addresses_through_it_are_refused() -> None:
    whole, agent = opened({})
    wave = next(number for number in whole.waves if whole.gpu.lds(whole.wave(number))[1] >= 4)
    broken, _ = opened({"lds_limit": 0xFFFF})
    assert whole.gpu.notes == []
    fault = f"the local aperture, {agent.lds_base:#x} to 0xffff, ends before it begins"
    assert broken.gpu.notes == [f"GPU 1000: {fault}: no generic address is read there"]
    arch, apertures = broken.architecture_of(wave), broken.apertures_of(wave)
    generic = Memory(arch.address_space(GENERIC), wave, 0)
    local = Memory(arch.address_space(LOCAL), wave, 0)
    message = f"GPU 1000: {fault}"
    assert whole.read_memory(generic, agent.lds_base, 4) == whole.read_memory(local, 0, 4)
    assert broken.read_memory(local, 0, 4) == whole.read_memory(local, 0, 4)
    for address in (agent.lds_base, BEYOND):
        assert whole.read_memory(generic, address, 4)
        assert is_known_in_bulk(whole, generic, address)
        with pytest.raises(Unavailable, match=message):
            broken.read_memory(generic, address, 4)
        assert not is_known_in_bulk(broken, generic, address)
    with pytest.raises(Unavailable, match=message):
        arch.convert(4, LOCAL, GENERIC, 0, apertures)
    assert arch.convert(0x5000, GENERIC, GLOBAL, 0, apertures) == (0x5000, (1 << 48) - 0x5000)
    private, _ = arch.convert(4, PRIVATE_LANE, GENERIC, 0, apertures)
    assert arch.convert(private, GENERIC, PRIVATE_LANE, 0, apertures)[0] == 4
