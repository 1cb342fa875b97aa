"""Readings of many lanes at once are those of each lane (`dwarfgpu.session.read_lanes`)."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest

from dwarfgpu import DwarfGpuError, Session, UsageError
from dwarfgpu.access import many_lanes
from dwarfgpu.service.lanes import lane_questions
from dwarfgpu.session.read_lanes import LaneAnswers, read_lanes
from dwarfgpu.session.reading import Reading
from tests.cli.command import FIXTURES, STATES, run
from tests.language.sessions import waves_of

GPU_STATES = sorted(
    path.name for path in STATES.glob("*.gfx*.json") if "data.gfx942.O0" not in path.name
)


def sessions(name: str, level: int = 0) -> list[Session]:
    """One for each wave of a state, in a frame."""
    return [session.at_level(level) for session in waves_of(STATES / name)]


def facts_of(reading: Reading) -> tuple[object, ...]:
    """All of a reading but its type, which is another object each time it is resolved."""
    data = reading.location, reading.bits, reading.pointer, reading.lane, reading.notes
    return *data, type(reading.error), str(reading.error)


def asked(answers: LaneAnswers[Reading], row: int, lane: int) -> tuple[object, ...]:
    return facts_of(answers.of(row, lane))


@pytest.mark.parametrize("name", GPU_STATES)
def test_they_are_those_of_each_lane(name: str) -> None:
    waves = sessions(name)
    try:
        variables = waves[0].variables()
    except DwarfGpuError:
        pytest.skip("nothing is in scope")
    for variable in variables:
        answers = read_lanes(waves, variable, batch=True)
        for row, session in enumerate(waves):
            for lane in range(0, session.lane_count()[0], 5):
                alone = session.focused(lane).read(variable)
                assert asked(answers, row, lane) == facts_of(alone), (variable.name, row, lane)
                assert str(answers.of(row, lane).type) == str(alone.type)


@pytest.mark.parametrize(
    ("name", "variable", "level", "together"),
    [
        ("dispatch.gfx1100.json", "launches", 0, 5 * 32),
        ("chain_flat.gfx942.json", "a", 0, 64),
        ("chain_flat.gfx942.json", "a", 7, 64),  # VGPRs that callees saved under EXEC
        ("chain_flat.gfx942.json", "s", 11, 64),
    ],
)
def test_they_are_read_together(name: str, variable: str, level: int, together: int) -> None:
    waves = sessions(name, level)
    lanes = read_lanes(waves, waves[0].variable(variable), batch=True)
    assert lanes.together_count == together


def test_a_number_is_plain_data_without_a_session_of_its_lane(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wave = waves_of(STATES / "chain_flat.gfx942.json")[0]
    session = Session(wave.architecture, wave.code_objects, wave.target, wave=wave.wave, pc=wave.pc)
    variable = session.variable("a")
    answers = read_lanes([session], variable, batch=True)
    assert answers.together_count == 64 and len(answers.known[0]) == 1
    expected = [session.focused(lane).read(variable).value for lane in range(64)]

    def refused(session: Session, lane: int) -> Session:
        raise AssertionError(f"lane {lane} of {session.wave} needs no session")

    monkeypatch.setattr(Session, "focused", refused)
    assert [answers.of(0, lane).value for lane in range(64)] == expected
    assert all(isinstance(value, int) for value in expected)


def test_large_objects_are_read_for_each_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what differs by lane; what is the same for all is read once, whatever its size."""
    waves = sessions("chain_flat.gfx942.json")
    variable = waves[0].variable("a")
    monkeypatch.setattr(many_lanes, "MAX_BYTES", 4 * 63)
    answers = read_lanes(waves, variable, batch=True)
    assert not answers.known
    assert asked(answers, 0, 5) == facts_of(waves[0].focused(5).read(variable))
    shared = sessions("dispatch.gfx1100.json")
    lanes = read_lanes(shared, shared[0].variable("launches"), batch=True)
    assert lanes.together_count == 160


def test_a_choice_of_lanes() -> None:
    waves = sessions("dispatch.gfx1100.json")
    launches = waves[0].variable("launches")
    pairs = [(4, 3), (0, 31), (1, 0), *((2, lane) for lane in range(3, 29, 2))]
    answers = read_lanes(waves, launches, among=pairs, batch=True)
    assert all(answers.has(*pair) for pair in pairs)
    assert answers.together_count == len(pairs)
    for row, lane in pairs:
        assert asked(answers, row, lane) == facts_of(waves[row].focused(lane).read(launches))
    some = read_lanes(waves, launches, (7, 2, 30, 9), batch=True)
    assert some.together_count == 20
    assert all(some.has(row, lane) for row in range(5) for lane in (2, 7, 9, 30))
    few = read_lanes(waves, launches, among=pairs[:1], batch=True)
    assert not few.known  # it shares nothing
    assert read_lanes([], launches).known == {}
    for lanes in ({"lanes": (0, 32)}, {"among": [(4, 32)]}):
        with pytest.raises(UsageError, match="^there is no lane 32: the wave has 32, from 0$"):
            read_lanes(waves, launches, **lanes)
    with pytest.raises(UsageError, match="^there is no lane 32: the wave has 32, from 0$"):
        few.of(0, 32)


DISPATCH = (
    *("dispatch", FIXTURES / "hip/nest.gfx942.O2.v5.co", "nest", "--grid", "256"),
    *("--workgroup", "128", "--arg", "in=?", "--arg", "out=?", "--arg", "limit=3"),
)
PROGRAM = """
import sys
if sys.argv.pop(1) == "hidden":
    sys.modules["numpy"] = None
from dwarfgpu.cli.main import main
for line in sys.argv.pop(1).splitlines():
    print("@", main([*line.split(), *sys.argv[1:]]))
    print("with NumPy" if sys.modules.get("numpy") else "without", file=sys.stderr)
"""
COMMANDS = """\
lanes --wave all launches t
lanes --wave all --json launches limit
eval --wave all --lane all
eval --wave all --lane active --json launches
"""


def test_without_numpy_the_same_answers_come(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    assert run(*DISPATCH, "--save", state).status == 0
    done = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, how, COMMANDS, "--state", str(state)],
            capture_output=True,
            text=True,
            check=False,
        )
        for how in ("there", "hidden")
    ]
    for item, where in zip(done, ("with NumPy", "without"), strict=True):
        lines = item.stderr.splitlines()
        assert [line for line in lines if "NumPy" in line or line == "without"] == [where] * 4
    assert done[0].stdout == done[1].stdout
    *outputs, after = re.split(r"@ [01]\n", done[0].stdout)
    assert len(outputs) == 4 and all(outputs) and after == ""
    assert done[0].returncode == done[1].returncode == 0


EXPRESSIONS = (
    *("$v0[$_lane]", "$v0[$_lane] * 3 - 7", "launches + $_lane", "$_lane > 5 ? $_lane : -1"),
    *("$v0[$_lane] / 2.5", "($v0[$_lane] & 1) == 0 && $_lane", "(char)($_lane + 65)", "&launches"),
    *("(short)($v0[$_lane] << 12) >> 3", "-$_lane % 7", "$v0[$_lane]@2", "~$v0[$_lane]"),
    *(
        "*(&launches)",
        "100 / $_lane",
        "$v0[$_lane] == $s0",
        "sizeof(int) * $_lane",
        "$exec >> $_lane",
    ),
)


@pytest.mark.parametrize(
    ("text", "form"), [*zip(EXPRESSIONS, cycle([(), ("--json",)]), strict=False)]
)
def test_expressions_have_the_values_of_each_lane(
    text: str, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Division by zero, and what is not a number, too."""
    arguments = ("lanes", "--state", STATES / "dispatch.gfx1100.json", "--wave", "all", *form, text)
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 1 << 30)
    alone = run(*arguments)
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 1)
    assert run(*arguments) == alone


MEMBERS = (
    *(
        "by_reference.at[0].x",
        "local_array",
        "local_frame.id",
        "local_frame.at[1].y",
        "local_array[2] - t",
    ),
    *("wide / 3", "real * 2", "*pointer_lane", "pointer_frame->id", "local_color", "out + t"),
    *("by_reference.low", "half_high", "undefined + 1", "region_word", "accumulated", "exec_now"),
)


@pytest.mark.parametrize("text", MEMBERS)
def test_members_have_the_values_of_each_lane(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("lanes", "--state", STATES / "locations.gfx942.json", "--json", text)
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 1 << 30)
    alone = run(*arguments)
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 1)
    assert run(*arguments) == alone


@pytest.mark.parametrize(
    ("text", "together"),
    [("launches + $_lane", 160), ("$v0[$_lane] * 3 - 7", 100), ("100 / $_lane", 155), ("$s0", 160)],
)
def test_expressions_are_evaluated_together(
    text: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 lanes have no work-item, and nothing in v0; lane 0 of each wave reports 100 / 0."""
    waves = sessions("dispatch.gfx1100.json")
    pairs = [(row, lane) for row in range(5) for lane in range(32)]
    assert lane_questions.values_of(waves, text, pairs).together_count == together


def test_a_mistake_that_lanes_have_together() -> None:
    """It is of lanes that went the same way, with the same words."""
    waves = sessions("dispatch.gfx1100.json")
    answers = lane_questions.values_of(waves, "$_lane + nothing", [(0, 3), (1, 4)])
    assert "nothing" in str(answers.mistake(0, 3))
    assert answers.mistake(0, 3) == answers.mistake(1, 4)
    assert answers.mistake(0, 4) is None  # it was not asked
    assert not answers.has(0, 3)
    values = lane_questions.values_of(waves, "1 / ($_lane - 3)", [(0, 3), (0, 4)])
    assert values.mistake(0, 4) is None
