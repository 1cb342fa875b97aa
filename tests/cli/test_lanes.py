"""Each lane where it is: fixtures/asm/wholewave.inc, stopped in its region with all lanes.

Lanes 0 to 7 entered `k`, 0 to 3 are in the then part; the execution mask has all of them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, STATES, Done, run, run_json

STATE = STATES / "wholewave.gfx942.json"
AMD = ("--dialect", "amd-provisional")
LEGACY = ("--file", FIXTURES / "asm/wholewave_legacy.gfx942.v5.co")
WHOLE, WHOLE_END, IF_START, IF_END, ELSE = 0x151C, 0x1524, 0x150C, 0x1534, 0x152C


def evaluated(*arguments: object) -> Done:
    return run("eval", "--state", STATE, *arguments)


@pytest.mark.parametrize("encoding", [AMD, LEGACY], ids=["provisional numbers", "LLVM 16"])
def test_a_lane_reads_a_name_where_it_is(encoding: tuple[object, ...]) -> None:
    done = evaluated(*encoding, "--lane", "all", "r")
    assert done.lines == [
        "[ 0]    2000",  # v2 in the then part
        "[ 1]    2001",
        "[ 2]    2002",
        "[ 3]    2003",
        "[ 4]    1004 (inactive at 0x150c)",  # v1, where it waits
        "[ 5]    1005 (inactive at 0x150c)",
        "[ 6]    1006 (inactive at 0x150c)",
        "[ 7]    1007 (inactive at 0x150c)",
        "[ 8-63] <not in this frame> (inactive)",
    ]
    assert done.status == 0
    assert evaluated(*encoding, "--lane", 5, "r").out == "r = 1005\n"


def test_without_active_lane_the_execution_mask_decides() -> None:
    """The number is dwarfgpu's own: a file is only read so where the user asks for it."""
    lanes = run_json("eval", "--state", STATE, "--lane", "all", "r").json["lanes"]
    assert [lane["active"] for lane in lanes] == [True] * 64
    lanes = run_json("eval", "--state", STATE, *AMD, "--lane", "all", "r").json["lanes"]
    assert [lane["active"] for lane in lanes] == [True] * 4 + [False] * 60


def test_each_lane_has_its_pc() -> None:
    lanes = run_json("eval", "--state", STATE, *AMD, "--lane", "all", "r").json["lanes"]
    assert [lane["pc"] for lane in lanes] == [WHOLE] * 4 + [IF_START] * 4 + [None] * 56
    assert {lane["error"]["kind"] for lane in lanes[8:]} == {"InconsistentContext"}


@pytest.mark.parametrize(
    ("pc", "execution_mask", "expected"),
    [
        (0x1500, 0xFF, {0: 0x1500, 7: 0x1500, 8: None}),
        (IF_START, 0xFF, {0: IF_START, 7: IF_START, 8: None}),
        (WHOLE, -1, {0: WHOLE, 3: WHOLE, 4: IF_START, 7: IF_START, 8: None, 63: None}),
        (WHOLE_END, 0xF, {0: WHOLE_END, 4: IF_START, 8: None}),
        (ELSE, 0xF0, {0: IF_END, 3: IF_END, 4: ELSE, 8: None}),
        (IF_END, 0xFF, {0: IF_END, 7: IF_END, 8: None}),
    ],
)
def test_where_the_lanes_are(pc: int, execution_mask: int, expected: dict[int, int | None]) -> None:
    done = run_json(
        "eval", "--state", STATE, *AMD, "--pc", pc, "--reg", f"exec={execution_mask}",
        "--lane", "all", "t",
    )  # fmt: skip
    assert {lane: done.json["lanes"][lane]["pc"] for lane in expected} == expected


def test_a_listing_leaves_out_what_a_lane_does_not_see() -> None:
    done = evaluated(*AMD, "--lane", "all")
    [first, second] = [index for index, line in enumerate(done.lines) if line == "int r:"]
    assert done.lines[first + 5] == "[ 4- 7] <not in scope> (inactive at 0x150c)"
    assert done.lines[second + 5] == "[ 4]    1004 (inactive at 0x150c)"
    alone = evaluated(*AMD, "--lane", 5)
    assert alone.out.count("int r = ") == 1


def test_iterations_are_those_where_the_wave_is() -> None:
    """Two in the then part, also for lane 5, which waits where there is one."""
    assert evaluated(*AMD, "--iteration", 1, "--lane", 2, "r").out == "r = 2002\n"
    assert "iteration count 2" in evaluated(*AMD, "--iteration", 2, "--lane", 2, "r").error
    assert evaluated(*AMD, "--iteration", 1, "--lane", 5, "r").out == "r = 1005\n"
    assert "iteration count 2" in evaluated(*AMD, "--iteration", 2, "--lane", 5, "r").error


def test_a_lane_that_never_entered_is_refused() -> None:
    done = evaluated(*AMD, "--lane", 9, "r")
    assert done.status != 0
    assert "lane 9 was not active on entry to the function" in done.error
    operations = evaluated(*AMD, "--lane", "all", "-e", "LLVM_push_lane")
    assert operations.lines[-1] == "[ 8-63] <not in this frame> (inactive)"


def test_a_global_needs_no_lane(tmp_path: Path) -> None:
    """Lane 9 is not in the frame, but what all lanes see is there for it too."""
    stopped = json.loads(STATE.read_text())
    folder = STATE.parent
    known = [
        {"path": str((folder / code_object["path"]).resolve())}
        for code_object in stopped["code_objects"]
    ]
    other = {"path": str(FIXTURES / "hip/nest.gfx942.O2.v5.co"), "load_address": 0x7F0000000000}
    memory = {"address": 0x7F0000003C30, "bytes": "2a000000"}
    stopped |= {"code_objects": [*known, other]}
    stopped["memory"] = [*stopped.get("memory", []), memory]
    path = tmp_path / "state.json"
    path.write_text(json.dumps(stopped))
    arguments = ("eval", "--state", path, *AMD, "--lane")
    assert run(*arguments, 9, "launches").out == "launches = 42\n"
    assert run(*arguments, "all", "launches").out == "[ 0-63] 42\n"
    assert "was not active on entry" in run(*arguments, 9, "r").error
    assert run(*arguments, 9, "nothing").error == 'No symbol "nothing" in current context.'
    out = run("explain", "--state", path, *AMD, "--lane", 9, "launches").out
    assert "DW_AT_location: DW_OP_addrx 0x0" in out and "=> launches = 42" in out


def test_explain_gives_the_pc_of_the_lane() -> None:
    done = run("explain", "--state", STATE, *AMD, "--lane", 5, "r")
    assert done.lines[0].endswith(", for lane 5")
    assert done.lines[1] == "lane 5 is inactive; positioned at 0x150c (asm/wholewave.hip:6)"
    assert "r = 1005" in done.out


def test_the_prompt_shows_each_lane_where_it_is() -> None:
    commands = ("info lanes 3-8", "lane 5", "print r", "pc", "info locals ^r$", "lane 8", "print r")
    script = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--state", STATE, *AMD, "--batch", *script)
    place, name = "in k () at asm/wholewave.hip", "AMDGPU Lane ?:?:?:0/{} (?,?,?)[?,?,?]"
    assert [line.rstrip() for line in done.lines] == [
        "  Id  State   Target Id                             Frame",
        f"  3   A       {name.format(3)}  0x000000000000151c {place}:8",
        *(f"  {n}   I       {name.format(n)}  0x000000000000150c {place}:6" for n in range(4, 8)),
        f"  8   I       {name.format(8)}  (not in this frame)",
        "[Switching to thread 0, lane 5 (AMDGPU Lane ?:?:?:0/5 (?,?,?)[?,?,?])]",
        f"#0  0x000000000000150c {place}:6",
        "6\tasm/wholewave.hip: No such file or directory.",
        "$1 = 1005",
        "0x150c = wholewave.gfx942.v5.co+0x150c <k()+12> at asm/wholewave.hip:6",
        "r = 1005",
        "[Switching to thread 0, lane 8 (AMDGPU Lane ?:?:?:0/8 (?,?,?)[?,?,?])]",
    ]
    standing = "lane 5 is inactive; positioned at 0x150c (asm/wholewave.hip:6)"
    assert f"warning: {standing}" in done.err
    assert "warning: lane 8 was not active on entry to the function" in done.err
    assert "lane 8 was not active on entry to the function" in done.err


def test_the_program_counter_is_the_given_program_location() -> None:
    """A.2.5.1: that of the top frame; lane_pc expressions read the register."""
    assert evaluated(*AMD, "--pc", IF_END, "--reg", "exec=2", "--lane", 1, "here").out == (
        f"here = {IF_END}\n"
    )


def frame_lines(pc: int, lane: int, *arguments: object, state: object = STATE) -> list[str]:
    focus = ("--state", state, *arguments, "--pc", pc)
    lines = run("debug", *focus, "--batch", "-ex", f"lane {lane}", "-ex", "info frame").lines
    return lines[next(n for n, line in enumerate(lines) if line.startswith("Stack")) :]


def test_info_frame_shows_attributes_of_the_function() -> None:
    assert frame_lines(WHOLE, 2, *AMD) == [
        "Stack level 0:",
        " pc = 0x151c in k (asm/wholewave.hip:8)",
        " active lanes 0xf of 64",
        " lane 2 at 0x151c",
        " concurrent iterations 2",
    ]
    assert frame_lines(WHOLE, 5, *AMD)[3:] == [
        " lane 5 at 0x150c",
        " the wave at 0x151c",
        " concurrent iterations 2",
    ]
    assert frame_lines(WHOLE, 9, *AMD)[3:] == [" lane 9 is not in this frame"]
    assert frame_lines(WHOLE, 2, *AMD, "--cfa", "private_wave#0x40")[0] == (
        "Stack level 0, frame at private_wave#0x40 (wave 0):"
    )


def test_info_frame_shows_the_call() -> None:
    state = STATES / "locations.gfx942.json"
    assert frame_lines(0x1670, 2, state=state)[3:] == [
        " lane 2 at 0x1670",
        " frame base private_lane#0x0 (wave 0, lane 2)",
        " call of helper, s8 (wave 0) = 12345 (int)",
    ]


def test_info_frame_without_a_frame() -> None:
    done = run("debug", FIXTURES / "asm/wholewave.gfx942.v5.co", "--batch", "-ex", "info frame")
    assert done.err.endswith("No stack.\n")


CALLED = ("--state", STATES / "nested_if_call.gfx942.json")
NESTED = ("--state", STATES / "nested_if_whole.gfx942.json", *AMD)


@pytest.mark.parametrize("name", ["n", "n*2", "n > 0 && n < 5"])
def test_an_expression_means_what_a_name_does_in_a_lane_that_never_entered(name: str) -> None:
    assert run("eval", *CALLED, "--lane", 17, name).error == (
        "InconsistentContext: lane 17 was not active on entry to the function; "
        "it is in frame 1, at 0x131c (asm/nested_if.hip:8)"
    )
    assert run("eval", *CALLED, "--lane", "17-18", name).lines == ["[17-18] <not in this frame>"]


def test_a_limit_that_hides_the_outer_frame_of_a_lane_is_said() -> None:
    limit = "DW_OP_addrx at offset 0x5: more than 50 operations performed (--max-steps)"
    unknown = "DW_AT_LLVM_lane_pc of x cannot be evaluated"
    why = f"is unknown: the location of the lane is unknown: {unknown} ({limit})"
    done = run("lanes", *CALLED, "--max-steps", 50)
    assert done.notes == [f"the frame of lane 16 {why}"] and "16 I     not in frame" in done.out
    notes = run_json("lanes", *CALLED, "--max-steps", 50).json["notes"]
    assert notes == [f"the frame of lane 16 {why}"]
    focused = run("eval", *CALLED, "--lane", 17, "--max-steps", 50, "n").error
    assert focused.startswith(
        "InconsistentContext: lane 17 was not active on entry to the function"
    )
    assert focused.endswith(f"; its frame {why}")


def test_each_lane_has_the_error_that_it_has_alone() -> None:
    where = {0: "v4", 16: "v1", 32: "v1"}
    message = 'Address requested for identifier "r" which is in register $'
    for lane, register in where.items():
        assert run("eval", *NESTED, "--lane", lane, "&r").error == message + register
    assert run("eval", *NESTED, "--lane", "all", "&r").lines == [
        f"[ 0-15] <error: {message}v4>",
        f"[16-31] <error: {message}v1> (inactive at 0x131c)",
        f"[32-55] <error: {message}v1> (inactive at 0x130c)",
        "[56-63] <not in this frame> (inactive)",
    ]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("&r", 'Address requested for identifier "r" which is in register $v4'),
        ("nosuch", 'No symbol "nosuch" in current context.'),
    ],
)
def test_an_error_leaves_the_other_columns(name: str, error: str) -> None:
    done = run("lanes", *NESTED, "--compact", name, "r")
    assert [line.split()[-1] for line in done.lines[2:]] == ["7", "3", "1", "-"]
    assert f"{name}: {error}" in done.notes
    assert done.status == 1


PLACES = ("--state", STATES / "locations.gfx942.json", "--lane", 5)
OUTSIDE = "lane 5 was not active on entry to the function"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print global_int", "$1 = 42"),
        ("print global_int + $_lane", "$1 = 47"),
        ("print *(int *) private_lane#0x10", "$1 = 16005"),
        ("print local_int", OUTSIDE),
        ("print nosuch", 'No symbol "nosuch" in current context.'),
        ("print globl_int",
         'No symbol "globl_int" in current context. Did you mean "global_int"?'),
        ("location nosuch", 'No symbol "nosuch" in current context.'),
        ("explain nosuch", 'No symbol "nosuch" in current context.'),
        ("location global_int", 'Symbol "global_int" is 0x3738 (global), 4 bytes.'),
        ("lanes nosuch", 'No symbol "nosuch" in current context.'),
        ("lanes -grid 3-6 global_int", " 3    42 (42) (42) (42)"),
        ("lanes -grid 3-6 $_lane", " 3    3 (4) (5) (6)"),
        ("lanes -grid 3-6 *(int *) private_lane#0x10", " 3   16003 (16004) (16005) (16006)"),
        ("lanes -grid 3-6 local_int", " 3  16003   (~)   (~)   (~)"),
    ],
)  # fmt: skip
def test_a_lane_outside_the_frame_has_what_needs_no_frame(command: str, expected: str) -> None:
    done = run("debug", *PLACES, "--batch", "-ex", command)
    shown = " ".join(f"{done.out}\n{done.err}".split())
    assert (
        " ".join(expected.split()[1:] if expected.startswith(" 3 ") else expected.split()) in shown
    )


@pytest.mark.parametrize(
    ("state", "wave", "lane"), [("divergent.gfx942", 2, 61), ("dispatch.gfx1100", 5, 20)]
)
def test_a_lane_without_a_work_item_is_in_no_frame(state: str, wave: int, lane: int) -> None:
    """With and without lane positions."""
    focus = ("--state", STATES / f"{state}.json", "--batch", "-ex", f"wave {wave}")
    script = (f"lane {lane}", "frame", "info locals", "bt", "print $_lane", "info frame")
    done = run("debug", *focus, *(word for command in script for word in ("-ex", command)))
    begin = next(n for n, line in enumerate(done.lines) if f"lane {lane} (" in line)
    shown = done.lines[begin + 1 :]
    assert (shown[0], shown[-1]) == (f"$1 = {lane}", f" lane {lane} is not in this frame")
    assert not any(line.startswith("#") for line in shown)
    reason = f"lane {lane} is unused: it has no work-item"
    lines = [line for line in done.err.splitlines() if reason in line]
    assert lines == [f"warning: {reason}", reason, reason, f"note: {reason}"]
