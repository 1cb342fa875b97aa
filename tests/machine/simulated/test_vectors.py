"""Programs whose results were checked on hardware leave the same registers here."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.machine.simulated import vectors

pytestmark = pytest.mark.skipif(not vectors.PATH.exists(), reason="needs ../shared/isa")

WITHOUT = {"is not a known instruction of gfx1100": 2}
"""Programs that do not run, by what their stop says: those with s_fmamk_f32, which GFX11.5 has and
gfx1100 has not."""


def test_programs_leave_the_recorded_state() -> None:
    stops: Counter[str] = Counter()
    wrong: list[str] = []
    for number, record in enumerate(vectors.read()):
        wave, stopped = vectors.execute(record)
        if stopped is not None:
            stops[next((key for key in WITHOUT if key in stopped.text), stopped.text)] += 1
        elif differing := vectors.differences(record, wave):
            wrong.append(f"{number}: {differing[0]} after {record['text'][-1]}")
    assert wrong == []
    assert dict(stops) == WITHOUT
