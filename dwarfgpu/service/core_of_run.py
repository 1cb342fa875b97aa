"""The core file that the GPU of a simulated run would leave (`dwarfgpu run --core`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import evolve

from dwarfgpu.arch.amdgpu import LOCAL, amdgpu
from dwarfgpu.arch.model import Apertures
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.dispatch import Launched
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import STOP_REASONS
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.core_of_state import write_core_of_state
from dwarfgpu.service.run_kernel import Result

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.interpreter import SimulatedWave

_SCC_OF_STATUS: Final = 0
_SCC_OF_STATE: Final = 9
"""Bits of STATUS, and of STATE_PRIV from GFX12 on."""


def write_core_of_run(
    path: Path, code_object: CodeObject, launched: Launched, result: Result
) -> tuple[str, ...]:
    """Write the waves that have not ended and all memory; what the file cannot hold, one line each.

    `UsageError` where all waves have ended, and for a file that cannot be written.
    """
    if all(wave.is_ended for wave in result.machine.waves):
        raise UsageError("--core: all waves have ended, so that there is not a core file to write")
    target, pcs = state_of_run(launched, result)
    return write_core_of_state(path, target, pcs, [code_object])


def state_of_run(launched: Launched, result: Result) -> tuple[StateTarget, dict[WaveId, int]]:
    """The waves that have not ended, with all memory, and where they are."""
    waves = [wave for wave in result.machine.waves if not wave.is_ended]
    arch = amdgpu(launched.request.processor.name, launched.machine.lane_count)
    target = StateTarget(arch, machine=launched.machine)
    for wave in waves:
        _add_wave(target, launched, wave, result)
    everywhere = Memory(arch.address_space(0))
    for allocation in result.machine.arena.allocations:
        data = allocation.data[: allocation.end - allocation.start].tobytes()
        target.set_memory(everywhere, allocation.start, data)
    for members in result.machine.groups().values():
        running = [wave for wave in members if not wave.is_ended]
        if running and running[0].lds.end:
            lds, where = running[0].lds, Memory(arch.address_space(LOCAL), running[0].wave.id)
            target.set_memory(where, 0, lds.data[: lds.end].tobytes())
    return target, {wave.wave.id: wave.pc for wave in waves}


def _add_wave(target: StateTarget, launched: Launched, wave: SimulatedWave, result: Result) -> None:
    number, stop = wave.wave.id, result.stop
    target.add_wave(number, wave.wave.workgroup)
    reasons: tuple[str, ...] = ()
    if stop is not None and stop.wave == number and stop.reason.lower() in STOP_REASONS:
        reasons = (stop.reason.lower(),)
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
