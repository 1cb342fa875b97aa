"""`lanes` at the prompt: what each lane has is what asking it alone gives; grids, tables, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers, refused
from dwarfgpu.service.value.expression_answer import of_expression
from dwarfgpu.service.value.subject import Expression
from dwarfgpu.service.value.value_history import ValueHistory, expression_settings_of
from dwarfgpu.session.session import Session
from tests.cli.command import STATES, run, validate

HISTORY = ValueHistory()
SETTINGS = expression_settings_of(HISTORY)


def session(name: str, pc: int | None = None) -> Session:
    state = load_state(STATES / f"{name}.json")
    objects = tuple(CodeObject.open(Path(e.path), e.load_address) for e in state.code_objects)
    wave = state.waves[0]
    return Session(
        state.architecture, objects, state.target, wave.wave, 0, pc=wave.pc if pc is None else pc
    )


def alone(looking: Session, text: str, lane: int) -> tuple[str, object]:
    try:
        answer = of_expression(looking.focused(lane), text, settings=SETTINGS)
        return answer.text, answer.record
    except DwarfGpuError as error:
        return error_line(error), {"notes": [], **error_json(error)}


@pytest.mark.parametrize(
    ("name", "pc", "texts"),
    [
        ("divergent.gfx942", None,
         ["x", "at", "at.x", "at.t", "kept", "t * 2 + 1", "t / kept", "t ? x : kept", "x > limit",
          "$v0[$_lane]", "$v2", "&x", "$pc", "at.x + kept", "(char) t", "-t"]),
        ("nested_if.gfx942", None, ["r", "c1", "part", "r + t"]),
        ("wholewave.gfx942", None, ["r", "t"]),
        ("locations.gfx942", 0x1620,
         ["local_frame.at[1].x", "local_frame", "wide", "pointer_frame->id", "lane_number + 1",
          "fenced", "half_undefined", "two_addresses", "*pointer_lane", "spilled"]),
        ("wave32.gfx1100", 0x1620, ["t", "wide"]),
    ],
)  # fmt: skip
def test_together_as_alone(name: str, pc: int | None, texts: list[str]) -> None:
    looking = session(name, pc)
    lanes = range(looking.lane_count()[0])
    states = looking.lane_states(lanes)
    for text in texts:
        [answers] = lane_answers([Question(looking, states, Expression(text))], SETTINGS)
        for answer in answers:
            if answer.lane % 6 and answer.lane not in (8, 9):
                continue  # asking each alone takes its time
            result = answer.answer.text, answer.answer.record
            assert result == alone(looking, text, answer.lane), (text, answer.lane)


def test_a_name_that_means_nothing_anywhere() -> None:
    looking = session("divergent.gfx942")
    question = Question(looking, looking.lane_states(range(64)), Expression("nosuch"))
    [answers] = lane_answers([question], SETTINGS)
    assert str(refused(question, answers)) == 'No symbol "nosuch" in current context.'


def said(*commands: str) -> list[str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--state", STATES / "divergent.gfx942.json", "--batch", *words)
    return [*done.lines, *(line for line in done.err.splitlines() if not line.startswith("note: "))]


def test_a_table_by_its_width() -> None:
    assert said("lanes 7-9 at") == [
        "  Lane State Line                 at",
        "     7 A     asm/divergent.hip:13 {t = 7, x = 21}",
        "     8 A     asm/divergent.hip:13 {t = 8, x = 24}",
        "     9 I     asm/divergent.hip:15 {t = 9, x = <optimized out>}",
    ]


def test_a_grid_with_what_is_where() -> None:
    lines = said("lanes x")
    assert lines[:2] == [
        " 0    0   3   6   9  12  15  18  21",
        " 8   24 (-) (-) (-) (-) (-) (-) (-)",
    ]
    assert lines[8:] == [
        "    ( ) inactive  - optimized out",
        "* lanes 0-8   active    asm/divergent.hip:13",
        "  lanes 9-63  inactive  asm/divergent.hip:15",
        "<optimized out> in lanes 9-63: x is optimized out at this pc; "
        "described at [0x1504,0x1524)",
    ]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("lanes/x -table 8 x", ["  Lane State Line                 x",
                               "     8 A     asm/divergent.hip:13 0x18"]),
        ("lanes -active -table x > 21", ["  Lane State Line                 x > 21",
                                         "*  0-7 A     asm/divergent.hip:13 false",
                                         "     8 A     asm/divergent.hip:13 true"]),
        ("lanes -table -inactive 0-9 x", ["  Lane State Line                 x",
                                         "     9 I     asm/divergent.hip:15 <optimized out>"]),
        ("lanes -table 3 t / kept", ["  Lane State Line                 t / kept",
                                    "     3 A     asm/divergent.hip:13 <error>"]),
        ("lanes 99 x", ["No lanes match '99'."]),
        ("lanes", ["Argument required (expression to compute)."]),
        ("lanes -table", ["Argument required (expression to compute)."]),
        ("lanes 3 nosuch", ['No symbol "nosuch" in current context.']),
        ("lanes x = 3", ["assignments are not possible here: use set var at the prompt of "
                         "dwarfgpu debug"]),
        ("lanes -active 20 x", ["No lanes match."]),
        ("lanes active 20 x", ["No lanes match."]),
        ("lanes inactive -table 0-9 x", ["  Lane State Line                 x",
                                         "     9 I     asm/divergent.hip:15 <optimized out>"]),
        ("lanes active + 1", ['No symbol "active" in current context.']),
        ("lanes active", ["Argument required (expression to compute): lanes -active EXPRESSION; "
                          "info lanes -active lists the lanes."]),
    ],
)  # fmt: skip
def test_answers(command: str, expected: list[str]) -> None:
    assert said(command) == expected


def test_json() -> None:
    lines = said("set output json", "lanes 8-9 x")
    answer = json.loads(lines[-1])
    assert answer["result"] == "done"
    assert answer["lanes"] == [
        {"id": 8, "state": "A", "addr": "0x151c", "source-line": "asm/divergent.hip:13",
         "value": "24", "reason": None},
        {"id": 9, "state": "I", "addr": "0x1524", "source-line": "asm/divergent.hip:15",
         "value": "<optimized out>",
         "reason": "x is optimized out at this pc; described at [0x1504,0x1524)"},
    ]  # fmt: skip
    validate(answer)


def test_a_cpu_has_no_lanes() -> None:
    done = run("debug", "--state", STATES / "demo.gcc.O0.json", "--batch", "-ex", "lanes 1")
    assert done.err.splitlines()[-1] == "No lanes."


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("info lanes 8-9", "lanes"), ("info threads", "threads"), ("info agents", "agents"),
        ("info queues", "queues"), ("info dispatches -full", "dispatches"),
        ("explain at", "explanation"), ("location at", "drawing"), ("where at", "ranges"),
        ("lanes at", "lanes"),
    ],
)  # fmt: skip
def test_json_of_commands(command: str, key: str) -> None:
    answer = json.loads(said("set output json", command)[-1])
    validate(answer)
    assert answer["result"] == "done" and answer[key]


def test_values_that_differ_where_they_are_cut_share_no_row() -> None:
    state = STATES / "locations.gfx942.json"
    done = run("debug", "--batch", "-q", "--state", state, "--pc", "0x1620",
               "-ex", "set width 60", "-ex", "lanes -table 0-2 local_frame")  # fmt: skip
    assert [line.split()[0] for line in done.lines[1:]] == ["*", "1", "2"]
