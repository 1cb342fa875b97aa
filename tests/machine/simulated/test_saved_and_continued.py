"""Law: a run that is saved as a state file, loaded and continued leaves the same memory, wherever
that happens.

With `DWARFGPU_EVERY_INSTRUCTION=1` it is tried before every instruction, without it wherever the
state of a barrier or of MODE has changed or a wave has ended, and now and then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import buffers, machine_of_dispatch
from dwarfgpu.machine.simulated.launch.machine_of_state import machine_of_state
from dwarfgpu.machine.simulated.launch.save_dispatch import saved
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_document import LoadedFile, state_document
from dwarfgpu.machine.state.write import write
from dwarfgpu.options.opened_launch import Prepared, prepare_run
from dwarfgpu.service.run.state_of_run import state_of_run
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import RUN, Arguments

EVERY = 1 if os.environ.get("DWARFGPU_EVERY_INSTRUCTION") else 61


def prepared(name: str, built: str, workgroup: int) -> Prepared:
    kernel = KERNELS[name]
    arrays = kernel.inputs()
    return prepare_run(
        Arguments(
            file=str(RUN / f"{kernel.file}.{built}.v5.co"), kernel=name, grid=str(workgroup),
            workgroup=str(workgroup),
            arg=["0=random:1:128", "1=range:128", f"2=zeros:{arrays[2].nbytes}"],
        )
    )  # fmt: skip


def output(made: Prepared, machine: RunningMachine) -> bytes:
    memory = list(buffers(made.launched, machine).values())[2]
    return machine.global_memory.read(memory.start, memory.end - memory.start)


def stops(made: Prepared, count: int) -> Iterator[RunningMachine]:
    """A machine before those of its instructions where it is saved."""
    machine = machine_of_dispatch(
        made.launched, made.code_object.loaded_segments(), tracks_writes=True
    )
    before: object = None
    for executed in range(1, count):
        assert machine.run(most=executed) is None
        special = [
            (wave.barrier, wave.is_waiting, wave.is_ended, wave.step_mode) for wave in machine.waves
        ]
        if special != before or executed % EVERY == 0:
            yield machine
        before = special


@pytest.mark.parametrize(
    ("name", "built", "workgroup"),
    [
        ("reduce", "gfx1200.O2", 64),
        ("histogram", "gfx942.O2", 128),
        ("histogram", "gfx1200.O0", 64),
        ("register_index", "gfx942.O2", 64),  # s_set_gpr_idx_on
    ],
)
def test_the_memory_is_the_same(name: str, built: str, workgroup: int, tmp_path: Path) -> None:
    made = prepared(name, built, workgroup)
    segments = list(made.code_object.loaded_segments())
    whole = machine_of_dispatch(made.launched, segments)
    assert whole.run() is None
    expected = output(made, whole)
    assert any(expected)
    path, code = tmp_path / "state.json", RUN / f"{KERNELS[name].file}.{built}.v5.co"
    file = LoadedFile(code, made.launched.request.load_address)
    before = saved(made.launched, path, file).document
    barriers = set()
    for machine in stops(made, whole.instructions):
        barriers |= {wave.barrier for wave in machine.waves}
        target, _ = state_of_run(made.launched, machine)
        write(state_document(target, path, [file], before), path)
        again = machine_of_state(load_state(path).target, segments)
        # An access behind the kernel's LDS is an error in both: granules are not the kernel's.
        assert {wave.lds.end for wave in again.waves} == {made.launched.group_bytes}
        where = [hex(wave.pc) for wave in again.waves]
        stopped = again.run()
        assert stopped is None, (where, stopped.text)
        assert output(made, again) == expected, where
    assert len(barriers) == (2 if built.startswith("gfx12") else 1)
