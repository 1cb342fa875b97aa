"""A wave has the registers that its dispatch was allocated: an instruction that names another one
stops it, in every executor."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.execution.interpreter import Executor, Stopped
from dwarfgpu.machine.simulated.execution.lockstep import MIN_WAVES
from dwarfgpu.machine.simulated.launch.machine_of_state import machine_of_state
from dwarfgpu.machine.simulated.storage.allocated_registers import AllocatedRegisters
from dwarfgpu.machine.topology import StopReason
from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.programs import CODE, WAVES, encoded, machine_of
from tests.machine.simulated.test_kernels import begun
from tests.machine.simulated.test_machine_of_state import middle

GFX942 = decoder("gfx942", 64)
_M0 = 124
_VGPR = 256
_ONE = 129
_EXECUTORS = get_args(Executor)


def moved(vdst: int, src0: int) -> bytes:
    return encoded(GFX942, "v_mov_b32_e32", vdst=vdst, src0=src0)


def stop_of(code: bytes, executor: Executor, *, m0: int = 0) -> Stopped | None:
    """Why waves with s0 to s31, v0 to v15 and a0 to a3 stop, enough for lockstep."""
    assert WAVES >= MIN_WAVES
    machine = machine_of(code + encoded(GFX942, "s_endpgm"), 1, "gfx942", 64)
    for wave in machine.waves:
        wave.allocated = AllocatedRegisters(s=32, v=16, a=4)
        wave.s[_M0] = m0
        wave.set_mode(wave.mode)
    machine.executor = executor
    return machine.run()


LAST = moved(15, _VGPR + 15) + encoded(GFX942, "s_mov_b64", sdst=30, src0=30)
"""Instructions that name the last registers."""


@pytest.mark.parametrize("executor", _EXECUTORS)
@pytest.mark.parametrize(
    ("code", "register", "extent"),
    [
        (moved(16, _ONE), "v16", "v0 to v15"),
        (moved(2, _VGPR + 255), "v255", "v0 to v15"),
        (encoded(GFX942, "v_lshlrev_b64", vdst=15, src0=_ONE, src1=_VGPR), "v16", "v0 to v15"),
        (encoded(GFX942, "s_mov_b32", sdst=101, src0=_ONE), "s101", "s0 to s31"),
        (encoded(GFX942, "s_mov_b64", sdst=0, src0=32), "s32", "s0 to s31"),
        (encoded(GFX942, "v_accvgpr_write_b32", vdst=4, src0=_ONE), "a4", "a0 to a3"),
        (encoded(GFX942, "global_store_dword", vaddr=16, vdata=0), "v16", "v0 to v15"),
    ],
)
def test_a_register_beyond_the_allocation(
    code: bytes, register: str, extent: str, executor: Executor
) -> None:
    stopped = stop_of(LAST + code, executor)
    assert stopped is not None
    assert (stopped.reason, stopped.wave.pc) == (StopReason.NOT_SIMULATED, CODE + len(LAST))
    assert stopped.text.startswith(
        f"register {register} is not allocated: the wave has {extent} at 0x10008: "
    )


@pytest.mark.parametrize("executor", _EXECUTORS)
def test_special_registers_are_not_part_of_the_allocation(executor: Executor) -> None:
    vcc, exec_mask, ttmp = 106, 126, 112
    code = b"".join(
        encoded(GFX942, "s_mov_b64", sdst=number, src0=number)
        for number in (vcc, exec_mask, ttmp, 102, 104)
    )
    assert stop_of(LAST + code, executor) is None


@pytest.mark.parametrize("executor", _EXECUTORS)
@pytest.mark.parametrize(("index", "register"), [(0, None), (13, None), (14, "v16"), (20, "v22")])
def test_a_vgpr_by_an_index(index: int, register: str | None, executor: Executor) -> None:
    """`s_set_gpr_idx_on` with the first source: v2 and M0."""
    code = encoded(GFX942, "s_set_gpr_idx_on", src0=128 + index, src1=1) + moved(0, _VGPR + 2)
    stopped = stop_of(code, executor)
    if register is None:
        assert stopped is None
    else:
        assert stopped is not None
        assert f"register {register} is not allocated: the wave has v0" in stopped.text


@pytest.mark.parametrize("executor", _EXECUTORS)
@pytest.mark.parametrize(("index", "register"), [(30, None), (31, "s32")])
def test_an_sgpr_by_an_index(index: int, register: str | None, executor: Executor) -> None:
    stopped = stop_of(encoded(GFX942, "s_movrels_b32", sdst=0, src0=1), executor, m0=index)
    if register is None:
        assert stopped is None
    else:
        assert stopped is not None
        assert f"register {register} is not allocated: the wave has s0 to s31" in stopped.text


@pytest.mark.parametrize("built", ["gfx942.O0", "gfx90a.O2", "gfx1100.O2"])
def test_waves_have_the_register_allocation_of_their_dispatch(built: str, tmp_path: Path) -> None:
    """At the start, and where they go on from a state."""
    kernel = KERNELS["nest"]
    path = FIXTURES / "run" / f"{kernel.file}.{built}.v5.co"
    machine, _ = begun(path, kernel, tmp_path)
    first = machine.waves[0].allocated
    assert first is not None
    assert first.v is not None
    assert 0 < first.v <= 256
    # A dispatch may have many waves: memory is for the allocated VGPRs only.
    assert machine.waves[0].vectors.shape == (first.v, machine.waves[0].lane_count)
    state, _ = middle(kernel, built, tmp_path, 0.5)
    dispatch = state.machine.dispatch_of(next(iter(state.waves)))
    assert dispatch is not None
    assert first == (dispatch.sgprs, dispatch.vgprs, dispatch.agprs)
    [wave, *_] = machine_of_state(state, []).waves
    assert wave.allocated == first
    assert wave.step_mode.allocated == first
