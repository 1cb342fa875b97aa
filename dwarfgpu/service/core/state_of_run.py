"""A simulated run where it stopped, as a machine that commands examine, and as a state file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import evolve

from dwarfgpu.arch.amdgpu import LOCAL, amdgpu
from dwarfgpu.arch.model import Apertures
from dwarfgpu.machine.simulated.dispatch import Launched
from dwarfgpu.machine.simulated.save import saved, write
from dwarfgpu.machine.state.save import state_document
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import STOP_REASONS
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.machine.run_kernel import Result, StopPlace

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.interpreter import RunningMachine, SimulatedWave

_SCC_OF_STATUS: Final = 0
_SCC_OF_STATE: Final = 9
"""Bits of STATUS, and of STATE_PRIV from GFX12 on."""


def state_of_run(
    launched: Launched,
    machine: RunningMachine,
    stop: StopPlace | None = None,
    only: WaveId | None = None,
) -> tuple[StateTarget, dict[WaveId, int]]:
    """The waves that have not ended, or `only` one, with all memory, and where they are.

    The global memory is that of the machine: it changes when the machine goes on.
    """
    waves = [wave for wave in machine.waves if not wave.is_ended and only in (None, wave.wave.id)]
    arch = amdgpu(launched.request.processor.name, launched.machine.lane_count)
    target = StateTarget(arch, machine=launched.machine)
    for wave in waves:
        _add_wave(target, launched, wave, stop)
    for allocation in machine.arena.allocations:
        target.share_memory(allocation.start, allocation.contents)
    for members in machine.groups().values():
        running = [wave for wave in members if wave in waves]
        if running and running[0].lds.end:
            lds, where = running[0].lds, Memory(arch.address_space(LOCAL), running[0].wave.id)
            target.set_memory(where, 0, lds.data[: lds.end].tobytes())
    return target, {wave.wave.id: wave.pc for wave in waves}


def _stop_reasons(stop: StopPlace) -> tuple[str, ...]:
    """As a state file has them; none of a wave that can go on, or that no GPU would stop."""
    reason = stop.reason.lower()
    return (reason,) if reason in STOP_REASONS and not stop.is_inserted else ()


def _add_wave(
    target: StateTarget, launched: Launched, wave: SimulatedWave, stop: StopPlace | None
) -> None:
    number = wave.wave.id
    target.add_wave(number, wave.wave.workgroup)
    reasons: tuple[str, ...] = ()
    if stop is not None and stop.wave == number:
        reasons = _stop_reasons(stop)
    target.place_wave(evolve(wave.wave, stop_reasons=reasons))
    [begun] = [wave for wave in launched.waves if wave.wave.id == number]
    target.wave_apertures[number] = Apertures(
        wave.shared_base,
        wave.private_base,
        begun.scratch_address,
        begun.scratch_bytes,
        begun.element_bytes,
        launched.group_bytes,
    )
    _set_registers(target, wave)


def _set_registers(target: StateTarget, wave: SimulatedWave) -> None:
    arch, machine, number = target.architecture, target.machine, wave.wave.id
    dispatch = machine.dispatch_of(number)
    assert dispatch is not None
    scalars = {f"s{at}": wave.s[at] for at in range(dispatch.registers_of("s") or 0)}
    scalars |= {
        "pc": wave.pc, "exec": wave.exec, "vcc": wave.vcc, "mode": wave.mode, "m0": wave.s[124],
        "status": wave.scc << _SCC_OF_STATUS, "state_priv": wave.scc << _SCC_OF_STATE,
        "flat_scratch": wave.scratch_base, "scratch_base": wave.scratch_base,
        **{f"ttmp{at}": wave.s[108 + at] for at in range(16)},
    }  # fmt: skip
    for name, value in scalars.items():
        register = arch.register_named(name)
        if register is not None:
            size = register.size_bits // 8
            target.set_register(
                number, register, (value & (1 << 8 * size) - 1).to_bytes(size, "little")
            )
    for bank, rows in (("v", wave.v), ("a", wave.av)):
        for at in range(min(dispatch.registers_of(bank) or 0, len(rows))):
            register = arch.register_named(f"{bank}{at}")
            if register is not None:
                target.set_register(number, register, rows[at].tobytes())


def write_state_of_run(path: Path, file: Path, launched: Launched, result: Result) -> None:
    """Write the state file of a run where it stopped or ended; `file` has the code object.

    `UsageError` for a file that cannot be written.
    """
    target, _ = state_of_run(launched, result.machine, result.stop)
    before = saved(launched, path, file).document
    stop = result.stop
    before["note"] = f"run of {launched.request.kernel.name}, " + (
        f"stopped: {stop.reason}, {stop.text}" if stop is not None else "after its end"
    )
    waves = before["waves"]
    assert isinstance(waves, list)
    for record in waves:
        assert isinstance(record, dict)
        if stop is not None and record["id"] == stop.wave:
            record["stop_reasons"] = [*_stop_reasons(stop)]
    document = state_document(target, path, {file: launched.request.load_address}, before)
    write(document, path)
