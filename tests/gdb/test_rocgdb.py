"""Waves, lanes and address spaces of ROCgdb, with the stand-in of `rocgdb.py`: what is read through
its commands is what the state file itself tells. It is not tested on hardware."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run_json, validator
from tests.processes import finished

STAND_IN = Path(__file__).with_name("rocgdb.py")
STATES = {
    "demo": ("dwarfgpu/data/demo.json", ("t", "a", "r", "t + 1", "sum")),
    "nest": ("fixtures/states/nest.gfx942.O0.json", ("t", "a", "in", "limit", "&t", "*out")),
    "call": ("fixtures/states/call.gfx90a.O0.json", None),
    "wave32": ("fixtures/states/wave32.gfx1100.json", None),
    "chain": ("fixtures/states/chain_wave32.gfx1100.json", ("a", "s")),
}
"""A state, and what is asked of it: all variables in scope where nothing is named."""


def session(
    repository: Path, state: str, *commands: str, uri: str = "sized"
) -> dict[str, list[str]]:
    """The output of each command; `log` has the requests to GDB."""
    words = str(repository / state), *commands
    done = finished(*words, script=STAND_IN, environment={"STAND_IN_URI": uri})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    result: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if line.startswith("> "):
            result[line[2:]] = []
        elif line.startswith("@["):
            result["log"] = json.loads(line[1:])
        else:
            list(result.values())[-1].append(line)
    return result


def by_lane(lines: list[str]) -> dict[int, str]:
    """`[ 0- 3] 5` for each lane."""
    out: dict[int, str] = {}
    for line in lines:
        match = re.match(r"\[ *(\d+)(?:- *(\d+))?\] +(.*)", line)
        if match is not None:
            for lane in range(int(match[1]), int(match[2] or match[1]) + 1):
                out[lane] = match[3].removesuffix(" (inactive)")
    return out


def known(repository: Path, state: str, name: str) -> dict[int, str]:
    """The same by the command line, from the state itself."""
    record: Any = run_json("eval", "--state", repository / state, "--lane", "all", name).json
    texts = {}
    for lane in record["lanes"]:
        error = lane.get("error")
        texts[lane["lane"]] = lane["text"] if error is None else error["kind"]
    return texts


@pytest.mark.parametrize("state", STATES)
def test_every_variable_in_every_lane(repository: Path, state: str) -> None:
    path, names = STATES[state]
    if names is None:
        listing: Any = run_json("eval", "--state", repository / path, "--lane", "0").json
        names = tuple(dict.fromkeys(variable["name"] for variable in listing["variables"]))
    assert names
    lines = session(repository, path, *(f"dwarfgpu lanes {name}" for name in names))
    compared = 0
    for name in names:
        expected = known(repository, path, name)
        result = by_lane(lines[f"dwarfgpu lanes {name}"])
        assert result.keys() == expected.keys(), lines[f"dwarfgpu lanes {name}"][:3]
        for lane, text in expected.items():
            text = {
                "UndefinedBits": "<optimized out>", "InconsistentContext": "<not in this frame>",
                "Unavailable": "<error: Unavailable>",
            }.get(text, text)  # fmt: skip
            if result[lane].startswith("<error: Unavailable: "):
                result[lane] = "<error: Unavailable>"
            if not re.search(r"0x[0-9a-f]+ <", text):  # symbols beside addresses are GDB's
                assert result[lane] == text, (name, lane)
                compared += 1
    assert compared


def test_the_selected_lane_is_that_of_the_session(repository: Path) -> None:
    lines = session(
        repository, STATES["demo"][0], "dwarfgpu print t", "lane 3", "dwarfgpu print t + 0",
        "dwarfgpu location t", "dwarfgpu explain t",
    )  # fmt: skip
    assert lines["dwarfgpu print t"][0] == "t = 320"
    assert lines["dwarfgpu print t + 0"][0] == "t + 0 = 323"
    assert lines["dwarfgpu location t"][0] == 'Symbol "t" is v6 + byte 12 (wave 2), 4 bytes.'
    assert lines["dwarfgpu explain t"][0] == "local int t, declared at line 9, for lane 3"


def test_which_lanes(repository: Path) -> None:
    mask = 0x9B64D936C9B26D93
    lines = session(
        repository, STATES["demo"][0], "dwarfgpu lanes -active t", "dwarfgpu lanes -inactive t",
        "dwarfgpu lanes nope", "dwarfgpu lanes t = 1",
    )  # fmt: skip
    active = by_lane(lines["dwarfgpu lanes -active t"])
    inactive = by_lane(lines["dwarfgpu lanes -inactive t"])
    assert set(active) == {lane for lane in range(64) if mask >> lane & 1}
    assert set(inactive) == set(range(64)) - set(active)
    assert lines["dwarfgpu lanes nope"] == ['error: No symbol "nope" in current context.']
    assert lines["dwarfgpu lanes t = 1"] == ["error: assignments are not possible in lanes"]


def test_private_memory_is_read_in_its_lane(repository: Path) -> None:
    """Each lane is selected for its own memory, and the one of the user again afterwards."""
    lines = session(repository, STATES["nest"][0], "lane 7", "dwarfgpu lanes t")
    assert {f"lane {lane}" for lane in range(64) if lane != 7} <= set(lines["log"])
    assert lines["log"][-1] == "lane 7"


def test_frames_are_unwound_from_the_registers_of_the_wave(repository: Path) -> None:
    path = STATES["chain"][0]
    lines = session(repository, path, "dwarfgpu bt", "dwarfgpu info-locals --json")
    record: Any = run_json("bt", "--state", repository / path).json
    names = [frame["func"] for frame in record["frames"]]
    assert len(names) == len(lines["dwarfgpu bt"]) == 12
    frames = [json.loads(line) for line in lines["dwarfgpu info-locals --json"]]
    for frame in frames:
        validator("info-locals").validate(frame)
    assert [frame["function"] for frame in frames] == names
    assert [frame["pc"] for frame in frames] == [
        int(frame["addr"], 0) for frame in record["frames"]
    ]


def test_scripts_look_at_lanes(repository: Path) -> None:
    code = """python
import dwarfgpu.gdb as dg
frame = dg.frame()
print(frame.variable("t").text, frame.lane(3).variable("t").text, frame.lane(63).value("t").bytes)
v = frame.lane(5).variable("t")
v.assign(1000)
print(v.text, frame.lane(4).variable("t").text, frame.lane(5).variable("t").text)
print(dg.evaluate("regx v6; LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4").number)
try:
    frame.lane(64)
except gdb.GdbError as error:
    print(error)
print(machine.lanes)
"""
    out = session(repository, STATES["demo"][0], code)
    lines = next(iter(out.values()))
    assert lines[-5:] == [
        "320 323 b'\\x7f\\x01\\x00\\x00'", "1000 324 1000", "320",
        "there is no lane 64: the wave has 64, from 0", "{2: 0}",
    ]  # fmt: skip


def test_private_memory_is_written_in_its_lane(repository: Path) -> None:
    code = """python
import dwarfgpu.gdb as dg
frame = dg.frame()
before = [frame.lane(n).variable("t").bytes for n in (0, 3)]
frame.lane(3).variable("t").assign(b"abcd")
after = [frame.lane(n).variable("t").bytes for n in (0, 3)]
print(before[0] == after[0], before[1] == after[1], after[1], machine.lanes)
"""
    out = session(repository, STATES["nest"][0], code)
    assert next(iter(out.values()))[-1] == "True False b'abcd' {2: 0}"


def test_memory_that_is_not_there(repository: Path) -> None:
    text = session(
        repository, STATES["nest"][0], "dwarfgpu print *(int *) local#0xfffffff0",
        "dwarfgpu print *(int *) private_lane#0xfff0000", "dwarfgpu print *(int *) region#0",
        "dwarfgpu print *(int *) gibberish#0",
    )  # fmt: skip
    for command, lines in text.items():
        if command != "log":
            assert len(lines) == 1 and lines[0].startswith("error: "), (command, lines)


def test_code_objects_are_read_where_rocgdb_says(repository: Path, tmp_path: Path) -> None:
    """A whole file, a part of a file with an odd name, and memory."""
    state = STATES["demo"][0]
    data = (repository / "dwarfgpu/data/demo.co").read_bytes()
    container = tmp_path / "fat binary.so"
    container.write_bytes(bytes(4096) + data + bytes(100))
    for uri in ("whole", str(container), "memory"):
        lines = session(repository, state, "dwarfgpu print t", "dwarfgpu bt", uri=uri)
        assert lines["dwarfgpu print t"][0] == "t = 320", uri
        assert lines["dwarfgpu bt"][0].endswith(" at hip/nest.hip:14")
    gone = session(repository, state, "dwarfgpu print t", uri=str(tmp_path / "gone"))
    why = (
        f"The file of 0x7f0000001690 is not read: {(tmp_path / 'gone').as_uri()}#offset=4096&size="
    )
    (line,) = gone["dwarfgpu print t"]
    assert line.startswith(f'error: No symbol "t" in current context. {why}')
    assert line.endswith("cannot be read: No such file or directory")


def test_other_waves_are_other_threads(repository: Path) -> None:
    code = """python
from dwarfgpu.gdb.machine.gdb_target import GdbTarget, undisturbed
from dwarfgpu.errors import Unavailable
last, *_, first = sorted(machine.waves)
machine.thread = first
target = GdbTarget()
arch = target.architecture_of(last)
for name in ("pc", "exec", "v0"):
    register = arch.register_named(name)
    expected = machine.target.read_register(machine.waves[last].wave, register)
    assert target.read_register(last, register) == expected, name
    assert machine.thread == first
v0 = arch.register_named("v0")
target.write_register(last, v0, b"abcd", 12)
assert machine.target.read_register(machine.waves[last].wave, v0)[12:16] == b"abcd"
assert target.read_register(last, v0, 12, 4) == b"abcd" and machine.thread == first
machine.lanes[first] = 5
with undisturbed():
    gdb.selected_inferior().threads()[-1].switch()
    gdb.execute("lane 9")
assert machine.thread == first and machine.lanes[first] == 5
try:
    target.read_register(99, v0)
except Unavailable as error:
    print(error)
"""
    out = session(repository, "fixtures/states/dispatch.gfx1100.json", code)
    lines = next(iter(out.values()))
    assert re.fullmatch(r"GDB has no thread \d+: the program is not being run", lines[-1]), lines


def test_disassemble(repository: Path) -> None:
    """The kernel of the demo, as the prompt shows it."""
    commands = ("dwarfgpu disassemble", "dwarfgpu disassemble /s $pc,+8", "dwarfgpu explain $pc")
    lines = session(repository, STATES["demo"][0], *commands)
    whole = lines[commands[0]]
    assert whole[0].startswith("Dump of assembler code for function ")
    assert whole[-1] == "End of assembler dump."
    assert sum(line.startswith("=> 0x") for line in whole) == 1
    assert all(re.match(r"(=>|  ) 0x[0-9a-f]{16} <\+\d+>:\t[a-z]\w+", line) for line in whole[1:-1])
    assert any(re.match(r"\d+\t", line) for line in lines[commands[1]])
    assert any("the instruction there: " in line for line in lines[commands[2]])
