"""A state file as loaded: its waves, code objects and machine (`docs/state-files.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.records import frozen, plain_fields
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.state.state_target import StateTarget, listed_waves
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Machine

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "dwarfgpu-state-1"
SCHEMA_2 = "dwarfgpu-state-2"
"""The version that has agents, queues and dispatches, and bulk data in files beside it."""


@frozen
class StateCodeObject:
    """A code object that a state names."""

    path: Path
    load_address: int
    address_field: Field | None = None
    """The member with the load address, for complaints; None if the state has none."""
    path_field: Field | None = None
    """The member with the path, for complaints."""
    digest: str | None = None
    """The SHA-256 of the file when the state was saved; None if the state has none."""


@frozen
class WaveState:
    """The facts of a state about a wave besides registers and memory."""

    wave: WaveId
    pc: int | None
    cfa: int | None = None
    """In the default address space."""

    def __attrs_post_init__(self) -> None:
        plain_fields(self, "wave", "pc", "cfa")

    @property
    def id(self) -> WaveId:
        """The number by which sessions and targets name the wave, which is `wave`."""
        return self.wave


@frozen
class State:
    """A loaded state file."""

    architecture: Architecture
    target: StateTarget
    waves: tuple[WaveState, ...]
    code_objects: tuple[StateCodeObject, ...] = ()
    notes: tuple[str, ...] = ()
    """Omitted parts of the file."""

    @property
    def machine(self) -> Machine:
        """Agents, queues, dispatches, workgroups, and where the waves belong."""
        return self.target.machine


def wave_named(
    waves: Sequence[WaveState],
    number: int | None,
    target: StateTarget | None,
    option: str | None = None,
) -> WaveState:
    """Return a wave of a state, by default the first that stopped for some of its lanes, or else
    the first; `UsageError` lists the existing ones."""
    if number is None and target is not None:
        stopped = (wave for wave in waves if target.faulty_lane(wave.wave) is not None)
        number = next((wave.wave for wave in stopped), None)
    for wave in waves:
        if number is None or wave.wave == number:
            return wave
    valid = listed_waves([wave.wave for wave in waves])
    raise UsageError(f"{option or '--wave'} {number}: the state has no such wave; it has {valid}")
