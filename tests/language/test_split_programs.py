"""Source expressions on programs whose debug information is in several files."""

from __future__ import annotations

from functools import cache

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.session.session import Session
from tests.dwarf.programs import ALL, AREA, SPLIT, address_of, opened
from tests.language.sessions import text


@cache
def session(kind: str) -> Session:
    """The program before it was started, at the first instruction of `area`."""
    code = opened(SPLIT / kind / "prog")
    architecture = code.info.architecture
    assert architecture is not None
    machine = StateTarget(architecture)
    machine.add_wave(0)
    target = TargetWithCodeObjects(machine, tuple(code.loaded_segments()), has_started=False)
    return Session(architecture, (code,), target, pc=address_of(code, AREA))


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("baseline.b.y + corner.x", "9"),
        ("baseline.dots[1]", r"6 '\006'"),
        ("geo::scale", "3"),
        ("counter", "7"),
        ("'b.cpp'::counter", "8"),
        ("sizeof(geo::line)", "32"),
        ("sizeof(geo::point)", "8"),
        ("(tone)9", "tone::HIGH"),
        ("*(geo::point *)&baseline.b", "{x = 3, y = 4}"),
    ],
)
def test_expressions(kind: str, expression: str, shown: str) -> None:
    assert text(session(kind), expression) == shown


@pytest.mark.parametrize("kind", ALL)
def test_without_a_program_location(kind: str) -> None:
    nowhere = evolve(session(kind), pc=None)
    assert text(nowhere, "corner") == "{x = 5, y = 6}"
    assert text(nowhere, "sizeof(geo::line)") == "32"
