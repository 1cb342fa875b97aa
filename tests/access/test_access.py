"""Access for one lane and access for many stand side by side, and powers are found by protocol."""

from __future__ import annotations

import pytest

from dwarfgpu.access.access_protocol import HasAccess
from dwarfgpu.access.lane_group import Group, Machine
from dwarfgpu.access.location_access import LocationAccess
from dwarfgpu.access.many_lanes import LaneTarget, VectorAccess
from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.registry import architecture
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.bulk_state import BulkState
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import (
    BulkMemory,
    BulkRegisters,
    Modelled,
    SharesArchitecture,
    Sparse,
    Target,
)

GFX942 = architecture("gfx942")
POWERS = (BulkMemory, BulkRegisters, Modelled, SharesArchitecture, Sparse)
STATE = StateTarget(GFX942)
IMAGE = TargetWithCodeObjects(STATE, (), has_started=True)


def test_neither_access_is_the_base_class_of_the_other() -> None:
    assert not issubclass(VectorAccess, ScalarAccess)
    assert not issubclass(ScalarAccess, VectorAccess)
    assert ScalarAccess.__bases__ == VectorAccess.__bases__ == (LocationAccess,)


def test_what_is_shared_is_abstract() -> None:
    """mypy refuses an object of it: a metaclass that did would make those of its subclasses
    slower."""
    abstract = {
        name
        for name, member in vars(LocationAccess).items()
        if getattr(member, "__isabstractmethod__", False)
    }
    assert abstract == {"_coalesced", "_fetch"}
    for kind in (ScalarAccess, VectorAccess):
        assert abstract <= vars(kind).keys()


@pytest.mark.parametrize(
    ("target", "powers"),
    [
        (STATE, {Modelled, SharesArchitecture, Sparse}),
        (IMAGE, {Modelled, Sparse}),
        (BulkState(STATE), {BulkMemory, BulkRegisters, Modelled, SharesArchitecture}),
    ],
    ids=["state", "image", "bulk"],
)
def test_a_target_has_the_powers_of_its_methods(target: Target, powers: set[type]) -> None:
    assert {power for power in POWERS if isinstance(target, power)} == powers


def test_a_context_takes_the_access_of_its_target() -> None:
    lanes = LaneTarget(Machine(STATE, (1,), tuple(range(64))), Group.of(1, 64))
    assert isinstance(lanes, HasAccess) and not isinstance(STATE, HasAccess)
    assert type(Context(architecture=GFX942, target=lanes).access) is VectorAccess
    assert type(Context(architecture=GFX942, target=STATE).access) is ScalarAccess
