"""How often DW_AT_LLVM_lane_pc is evaluated: once for each lane and state of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu.dwarf import lane_attributes

STATE = Path(__file__).parents[2] / "fixtures" / "states" / "nested_if.gfx942.json"


class Evaluations:
    """Counts the evaluations of the attribute."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._count, evaluate = 0, lane_attributes.lane_location

        def counted(*arguments: object) -> int | None:
            self._count += 1
            return evaluate(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(lane_attributes, "lane_location", counted)

    def since(self) -> int:
        """Return how many there were since the last question."""
        count, self._count = self._count, 0
        return count


@pytest.fixture
def evaluations(monkeypatch: pytest.MonkeyPatch) -> Evaluations:
    return Evaluations(monkeypatch)


@pytest.fixture
def session() -> dg.Session:
    state = dg.load_state(STATE)
    objects = tuple(dg.CodeObject.open(each.path, each.load_address) for each in state.code_objects)
    wave = state.waves[0]
    return dg.Session(state.architecture, objects, state.target, wave=wave.id, lane=3, pc=wave.pc)


def places(session: dg.Session) -> list[int | None]:
    return [session.focused(lane).program_location for lane in range(8)]


def test_a_lane_is_located_once_in_a_state(session: dg.Session, evaluations: Evaluations) -> None:
    for expected in (1, 0):
        for text in ("c1", "t + 1", "$pc"):
            dg.format_source(dg.evaluate_source(text, session), session)
        assert session.read(session.variable("c1")).value is True
        assert evaluations.since() == expected
    for expected in (7, 0):
        for lane in range(8):
            other = session.focused(lane)
            assert other.read(other.variable("c1")).text
        assert evaluations.since() == expected


def test_a_lane_is_located_again_in_another_state(
    session: dg.Session, evaluations: Evaluations
) -> None:
    """A write may be one of a script, beside the session."""
    before = places(session)
    evaluations.since()
    target: Any = session.target
    exec_register = session.architecture.by_name["exec"]
    target.set_register(session.wave, exec_register, (1).to_bytes(8, "little"))
    after = places(session)
    assert evaluations.since() == 8
    fresh = dg.Session(
        session.architecture, session.code_objects, target, wave=session.wave, pc=session.pc
    )
    assert after == places(fresh) != before
    evaluations.since()
    dg.evaluate_source("$s90 = 7", session.focused(0))  # by an assignment
    assert places(session) == after
    assert evaluations.since() == 8
    target.forget_register(session.wave, exec_register, 0, 8)
    with pytest.raises(dg.Unavailable, match="exec"):
        places(session)


def test_sessions_that_differ_in_more_than_the_lane_share_nothing(
    session: dg.Session, evaluations: Evaluations
) -> None:
    assert session.program_location is not None
    assert evaluations.since() == 1
    assert session.of_wave(session.wave, session.pc).program_location is not None
    assert evaluations.since() == 1


def test_memory_that_others_write_is_read_again() -> None:
    """The run of a simulated machine shares its memory with the state that shows it."""
    target = dg.StateTarget(dg.architecture("gfx942"))
    target.add_wave(0)
    assert target.version_of(0) == target.version_of(0)
    memory = dg.Memory(target.architecture.address_spaces[0])
    before = target.version_of(0)
    target.set_memory(memory, 0x1000, bytes(4))
    known = target.version_of(0)
    assert before != known
    target.write_memory(memory, 0x1000, b"abcd")
    assert target.version_of(0) != known
    for _, _, store in target.memories():
        store.share(0x2000, bytearray(4))
    assert target.version_of(0) is None
