"""Where an agent of a core file has its apertures, as far as its entry does not contradict itself.

Linux' KFD reports base and last address of both. Law: of an aperture that cannot be where the entry
says, nothing is assumed.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from dwarfgpu.arch.model import APERTURE_BYTES, NOWHERE
from dwarfgpu.machine.core.gpu.core_state_note import Agent


class AgentApertures(NamedTuple):
    """Bases of the apertures."""

    local_base: int
    """`NOWHERE` if it is not known."""
    private_base: int
    fault: str = ""
    """Which apertures contradict the entry, and why; empty if none does."""


def agent_apertures(agent: Agent) -> AgentApertures:
    """Return where an agent has its apertures."""
    bounds = {
        "local": (agent.lds_base, agent.lds_limit),
        "private": (agent.scratch_base, agent.scratch_limit),
    }
    faults = {name: fault for name, (base, end) in bounds.items() if (fault := _fault(base, end))}
    whole = {name: bound for name, bound in bounds.items() if name not in faults}
    if agent.gpuvm_base < agent.gpuvm_limit:
        whole["global"] = (agent.gpuvm_base, agent.gpuvm_limit)
    for first, second in combinations(whole, 2):
        if max(whole[first][0], whole[second][0]) <= min(whole[first][1], whole[second][1]):
            faults.setdefault(first, f"overlaps the {second} one, {_range(*whole[second])}")
            if second != "global":
                faults.setdefault(second, f"overlaps the {first} one, {_range(*whole[first])}")
    return AgentApertures(
        NOWHERE if "local" in faults else agent.lds_base,
        NOWHERE if "private" in faults else agent.scratch_base,
        ", and ".join(
            f"the {name} aperture, {_range(*bounds[name])}, {fault}"
            for name, fault in faults.items()
        ),
    )


def _fault(base: int, end: int) -> str:
    """Return why an aperture cannot be there; empty if it can.

    SH_MEM_BASES has bits 63:48 of the bases only, and 0 of them is where global memory is.
    """
    if end < base:
        return "ends before it begins"
    if base % APERTURE_BYTES:
        return f"begins at no multiple of {APERTURE_BYTES:#x}"
    if not base:
        return "begins where global memory is"
    return ""


def _range(base: int, end: int) -> str:
    return f"{base:#x} to {end:#x}"
