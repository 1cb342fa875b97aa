"""At the prompt: commands for several lanes, waves and frames; names; ROCgdb's tables."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, STATES, run
from tests.work import calls_of

DISPATCH = STATES / "dispatch.gfx1100.json"
NESTED = STATES / "nested_if.gfx942.json"
CHAIN = STATES / "chain_flat.gfx942.json"


def said(state: object, *commands: str) -> tuple[list[str], list[str]]:
    """Output and errors of a script, notes left out."""
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--state", state, "--batch", *words)
    errors = [line for line in done.err.splitlines() if not line.startswith("note: ")]
    return done.lines, errors


MISSING = "26\topencl/kernels.cl: No such file or directory."
LANE = "AMDGPU Lane 1:1:1:1/{0} (0,0,0)[{0},0,0]"


def headed(lane: int, *lines: str) -> list[str]:
    return ["", f"Lane {lane} ({LANE.format(lane)}):", *lines]


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (["lane apply 0-1 p $_lane"], headed(0, "$1 = 0") + headed(1, "$2 = 1")),
        (["lane apply 3 1 -q p $_lane"], ["$1 = 1", "$2 = 3"]),
        (["lane apply 1-2 -- p -1"], headed(1, "$1 = -1") + headed(2, "$2 = -1")),
        (["lane apply 1-2 -s p nosuch"], []),
        (["lane apply 1 -c p nosuch"], headed(1, 'No symbol "nosuch" in current context.')),
        (["lane apply 1 -qc p nosuch", "p 1"],
         ['No symbol "nosuch" in current context.', "$1 = 1"]),
        (["lane apply 1 lane 5", "p $_lane"],
         [*headed(1, f"[Switching to thread 1, lane 5 ({LANE.format(5)})]",
                  "#0  item () at opencl/kernels.cl:26", MISSING), "$1 = 0"]),
        (["lane 2", "lane apply 9 p $_lane", "p $_lane"],
         [f"[Switching to thread 1, lane 2 ({LANE.format(2)})]",
          "#0  item () at opencl/kernels.cl:26", MISSING,
          *headed(9, "$1 = 9"), "$2 = 2"]),
        (["laas p $_lane > 30 ? $_lane : nosuch"], []),
        (["thread apply 2 1 p $_thread"],
         ["", "Thread 2, lane 0 (AMDGPU Lane 1:1:1:2/0 (0,0,0)[32,0,0]):", "$1 = 2", "",
          "Thread 1, lane 0 (AMDGPU Lane 1:1:1:1/0 (0,0,0)[0,0,0]):", "$2 = 1"]),
        (["thread apply all -q p $_thread"], [f"${n} = {6 - n}" for n in range(1, 6)]),
        (["thread apply all -ascending -q p $_thread"], [f"${n} = {n}" for n in range(1, 6)]),
        (["taas p $_thread == 3"],
         [line for n, wave in enumerate((5, 4, 3, 2, 1), 1) for line in
          ("", f"Thread {wave}, lane 0 (AMDGPU Lane 1:1:1:{wave}/0 "
           f"({(wave - 1) // 2},0,0)[{32 * (wave % 2 == 0)},0,0]):", f"${n} = {int(wave == 3)}")]),
        (["wave 5", "p $_lane_workgroup_pos"],
         ["[Switching to thread 5, lane 0 (AMDGPU Lane 1:1:1:5/0 (2,0,0)[0,0,0])]",
          "#0  item () at opencl/kernels.cl:26", MISSING, '$1 = "[0,0,0]"']),
        (["thread name first", "info threads 1-1"],
         ["  Id   Target Id                             Lanes Frame",
          '* 1    AMDGPU Wave 1:1:1:1 (0,0,0)/0 "first" 32/32 item () at opencl/kernels.cl:26']),
        (["thread name first", "thread find fir"], ["Thread 1 has name 'first'"]),
        (["thread find Wave 1:1:1:4"],
         ["Thread 4 has target id 'AMDGPU Wave 1:1:1:4 (1,0,0)/1'"]),
        (["thread find 1:5/3 "],
         ["Thread 5, lane 3 has target id 'AMDGPU Lane 1:1:1:5/3 (2,0,0)[3,0,0]'"]),
        (["thread find nothing"], ["No threads match 'nothing'"]),
        (["lane name odd", "lane find o.d", "lane name", "lane find odd"],
         ["Lane 0 has name 'odd'", "No lanes match 'odd'"]),
        (["lane find \\[31,"], [f"Lane 31 has target id '{LANE.format(31)}'"]),
        (["info threads 9"], ["No threads match '9'."]),
        (["info waves"], ["5 waves (0 running, 0 single-stepping, 5 stopped)"]),
        (["info waves count"], ["5"]),
        (["info dispatches -full 1"],
         ["  Id Target Id                      Grid      Workgroup Fence Address Spaces        "
          "Kernel Descriptor  Kernel Args        Completion Signal  Kernel Function",
          "* 1  AMDGPU Dispatch 1:1:1 (PKID 0) [100,1,1] [48,1,1]  As|Rs Shared(0), Private(0) "
          "0x00007f0000000ec0 0x00007e0000002080 0x00007e0000002040 diverge"]),
        (["frame apply all -q p 1"], ["$1 = 1", "$2 = 1"]),
        (["frame apply level 1 p 1"],
         ["#1  diverge (in=<optimized out>, out=<optimized out>, limit=<optimized out>) at "
          "opencl/kernels.cl:30", "$1 = 1"]),
        (["faas -q p 2"], ["$1 = 2", "$2 = 2"]),
    ],
)  # fmt: skip
def test_answers(commands: list[str], expected: list[str]) -> None:
    lines, errors = said(DISPATCH, *commands)
    assert (lines, errors) == (expected, [])


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("lane apply", "Please specify a lane ID list"),
        ("lane apply x p 1", "Invalid lane ID: x p 1"),
        ("lane apply 0,1 p x", "Invalid lane ID: 0,1 p x"),
        ("lane apply 0 2,3 p x", "Invalid lane ID: 2,3 p x"),
        ("lane apply all", "Please specify a command to apply on the selected lane."),
        ("lane apply 99 p 1", "No lanes match '99'."),
        ("lane apply 0 -s -c p 1", "lane apply: -c and -s are mutually exclusive"),
        ("lane apply 1 -q p nosuch", 'No symbol "nosuch" in current context.'),
        ("lane find", "Command requires an argument."),
        ("lane find (", "Invalid regexp: (: missing ), unterminated subpattern at position 0"),
        ("thread apply", "Please specify a thread ID list"),
        ("thread apply all", "Please specify a command at the end of 'thread apply all'"),
        ("thread apply 7 p 1", "warning: Unknown thread 7"),
        ("thread apply 7", "Please specify a command following the thread ID list"),
        ("frame apply 1", "Please specify a command to apply on the selected frames"),
        ("set", "Argument required (expression to compute)."),
        ("ignore 99", "Second argument (specified ignore-count) is missing."),
        ("ignore x 1", "bad breakpoint number: 'x 1'"),
        ("frame apply p 1", "Invalid COUNT argument."),
        ("frame apply 0 p 1", "Invalid COUNT argument."),
        ("frame apply", "Missing COUNT argument."),
        ("frame apply level p 1", "Missing or invalid LEVEL... argument"),
        ("frame apply level 1- p 1", "inverted range"),
        ("frame apply level 1 2-x p 1", "inverted range"),
        ("frame apply level -1 p 1", "negative value"),
        ("thread -1", "negative value: -1"),
        ("thread -01.x 5", "negative value: -01.x 5"),
        ("thread 1.-1", "negative value: 1.-1"),
        ("thread 2.-1", "No inferior number '2'"),
        ("thread 0.-1", "Invalid thread ID: 0.-1"),
        ("thread -0", "Invalid thread ID: -0"),
        ("thread 1.-0", "Invalid thread ID: 1.-0"),
        ("thread -1x", "Invalid thread ID: -1x"),
        ("thread 1.-1.2", "Invalid thread ID: 1.-1.2"),
        ("thread x.-1", "Invalid thread ID: x.-1"),
        ("thread .1", "Invalid thread ID: .1"),
        ("thread -x", "Invalid thread ID: -x"),
        ("thread apply x p 1", "Invalid thread ID: x p 1"),
        ("thread apply 2-1 p 1", "inverted range"),
        ("thread apply 1- p 1", "inverted range"),
        ("thread apply 1.1- p 1", "inverted range"),
        ("thread apply 1-0 p 1", "inverted range"),
        ("info threads 1-", "inverted range"),
        ("lane apply 1- p 1", "inverted range"),
        ("thread apply 1-999999999 p 1", "More than 100000 threads: 1-999999999 p 1"),
        ("info agents 3", "No agents match '3'."),
        ("info dispatches -x", "Unrecognized option at: -x"),
        ("info waves now", "Invalid thread ID: now"),
        ("laas", "Please specify a command to apply on all lanes"),
    ],
)
def test_errors(command: str, error: str) -> None:
    assert said(DISPATCH, command) == ([], [error])


@pytest.mark.parametrize("word", ["$m", "$m.1", "1.$m"])
def test_a_negative_variable_as_thread(word: str) -> None:
    _, errors = said(DISPATCH, "set $m = -1", f"thread {word}")
    assert errors == [f"negative value: {word}"]


def test_strings_of_eight_byte_characters() -> None:
    _, errors = said(DISPATCH, "x/gs 0")
    assert "warning: Unable to display strings with size 'g', using 'b' instead." in errors


def test_lanes_by_what_they_do() -> None:
    lines, _ = said(NESTED, "lane apply active -q p $_lane", "lane apply all -inactive -q p t")
    assert lines == [f"${n - 15} = {n}" for n in range(16, 32)] + [
        f"${n} = {lane}" for n, lane in enumerate([*range(16), *range(32, 56)], 17)
    ]


def test_frames_that_hold_each_their_own_value() -> None:
    lines, _ = said(CHAIN, "lane 1", "frame apply 2 p a", "frame apply -1 p 1")
    assert lines[3:] == [
        "#0  0x0000000000001a7c in f11 (a=12041001, s=840) at asm/chain.inc:127",
        "$1 = 12041001",
        "#1  0x0000000000001a70 in f10 (a=10041001, s=840) at asm/chain.inc:121",
        "$2 = 10041001",
        lines[-2],
        "$3 = 1",
    ]
    assert lines[-2].startswith("#11 ")


def test_an_error_is_that_of_the_command_alone() -> None:
    crash = FIXTURES / "core/crash.x86_64.O0"
    commands = ("set $pc = 0", "frame apply 1 -c p nosuch", "p depth")
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", crash, f"{crash}.core", "-q", "--batch", *words)
    assert "MissingContext" not in done.out + done.err
    assert "no variable is in scope: pc 0x0 is not in any code object" in done.out


def test_what_each_of_many_waves_takes_does_not_depend_on_the_files(tmp_path: Path) -> None:
    """Each wave is in another file: what cannot be read of the others is not asked each time."""
    state = json.loads(NESTED.read_text())
    (described,), (wave, *_) = state["code_objects"], state["waves"]
    path, pc = str(NESTED.parent / described["path"]), int(wave["pc"], 0)
    file = tmp_path / "state.json"
    each = []
    for count in (150, 600):
        begins = range(0, count * 0x100000, 0x100000)
        state["code_objects"] = [{"path": path, "load_address": hex(begin)} for begin in begins]
        state["waves"] = [
            {**wave, "id": number, "pc": hex(begin + pc)} for number, begin in enumerate(begins)
        ]
        file.write_text(json.dumps(state))
        said(file, "thread apply 1-2 p 1")  # what is done once
        few, many = (
            calls_of(partial(said, file, f"thread apply 1-{last} p 1")) for last in (20, 50)
        )
        each.append((many - few) / 30)
    assert each[1] < 1.1 * each[0], each
