"""A variable in every lane of every wave of a core: read in bulk, printed as it comes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.gpu.bulk_core import BulkCore
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.model.lane_integers import lanes
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.eval import eval_in_lanes
from tests.cli.command import FIXTURES, run, run_json
from tests.machine.gpu_cores import Machine

CORE = ("--core", FIXTURES / "core/loop.gfx942.core.xz", "--sysroot", FIXTURES / "opencl")


@pytest.mark.parametrize("subject", ["t", "i", "sum", "in", "t+i"])
def test_all_waves_have_what_each_has_alone(subject: str) -> None:
    together = run("eval", *CORE, "--wave", "all", "--lane", "all", subject)
    answers = [run("eval", *CORE, "--wave", n, "--lane", "all", subject) for n in range(1, 5)]
    titles = [f"AMDGPU Wave 1:1:1:{n + 1} ({n},0,0)/0:" for n in range(4)]
    lines = [
        line for title, done in zip(titles, answers, strict=True) for line in (title, *done.lines)
    ]
    assert together.lines == lines
    assert together.status == max(done.status for done in answers)
    record = run_json("eval", *CORE, "--wave", "all", "--lane", "all", subject).json
    alone = run_json("eval", *CORE, "--wave", 3, "--lane", "all", subject).json
    assert record["waves"][2]["lanes"] == alone["lanes"]


def test_waves_are_asked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("eval", *CORE, "--wave", "all", "--lane", "all", "t", "nothing")
    monkeypatch.setattr(eval_in_lanes, "WAVES_AT_ONCE", 3)
    parts = run("eval", *CORE, "--wave", "all", "--lane", "all", "t", "nothing")
    assert (parts.out, parts.status) == (whole.out, whole.status)
    wrong = run("eval", *CORE, "--wave", "all", "--lane", "all", "nothing")
    assert wrong.status == 2 and not wrong.out
    assert "nothing" in wrong.error


def test_memory_is_read_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    read = GpuTarget.read_memory

    def counted(self: GpuTarget, where: Memory, address: int, size_bytes: int) -> bytes:
        reads.append(address)
        return read(self, where, address, size_bytes)

    monkeypatch.setattr(GpuTarget, "read_memory", counted)
    assert run("eval", *CORE, "--wave", "all", "--lane", "all", "t").status == 0
    assert len(reads) < 64, "not once for each lane"


@pytest.mark.parametrize("level", ["9.0", "9.4", "10.3", "11", "12.0"])
def test_bulk_reads_are_those_of_each_lane(level: str, tmp_path: Path) -> None:
    """By chance: any address of any space, in memory and out of it."""
    random = Random(level)
    made = Machine(random)
    made.add_queue(made.add_agent(level, num_xcc=2))
    path = tmp_path / "x.core"
    path.write_bytes(made.made().data)
    gpu = load_core(path).gpu
    assert gpu is not None
    lanes_of = {number: wave.blocks.lanes for number, wave in gpu.waves.items()}
    size = max(lanes_of.values())
    waves = [number for number, count in lanes_of.items() if count == size]
    arch = gpu.architecture_of(waves[0])
    bulk = BulkCore(TargetWithCodeObjects(gpu, (), True), gpu, arch)
    known = 0
    for space in (0, 1, 3, 5, 6):
        for count in (1, 2, 4):
            addresses = []
            for wave in waves:
                apertures = gpu.apertures_of(wave)
                scratch, lds = apertures.scratch_base or 0, gpu.gpu.lds(gpu.wave(wave))[0]
                for _ in range(size):
                    base = {
                        0: random.choice((scratch, lds, 0)),
                        1: random.choice((apertures.local_base, apertures.private_base)),
                    }
                    addresses.append(base.get(space, 0) + random.randrange(600))
            at = np.array(addresses).reshape(len(waves), size)
            where = Memory(
                arch.address_space(space),
                lanes(np.array(waves).reshape(-1, 1)),
                lanes(np.arange(size).reshape(1, -1)) if space in (1, 5) else None,
            )
            values, is_known = bulk.gather(where, at, count)
            for row, wave in enumerate(waves):
                for lane in range(0, size, 9):
                    own = Memory(where.space, wave, lane if space in (1, 5) else None)
                    try:
                        data = gpu.read_memory(own, int(at[row, lane]), count)
                    except DwarfGpuError:
                        assert not is_known[row, lane]
                        continue
                    assert is_known[row, lane]
                    assert values[row, lane] == int.from_bytes(data, "little")
                    known += 1
    assert known > 50
