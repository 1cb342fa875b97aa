"""A capability of a target is known by its members, in every version of Python."""

from __future__ import annotations

from typing import Any

from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.target import Named, NotStarted, Target
from tests.cli.command import FIXTURES


class Delegating:
    """A target of a tool that only passes on what another one does."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


def test_a_member_may_be_delegated() -> None:
    target = load_state(FIXTURES / "states/dispatch.gfx1100.json").target
    delegating = Delegating(target)
    assert isinstance(target, Target) and isinstance(target, Named)
    assert isinstance(delegating, Target) and isinstance(delegating, Named)
    assert isinstance(delegating, NotStarted) == isinstance(target, NotStarted)


def test_an_object_without_the_members_is_no_target() -> None:
    assert not isinstance(object(), Target) and not isinstance(Target, Named)
