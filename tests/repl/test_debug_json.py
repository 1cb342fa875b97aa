"""JSON answers: the output of each command has keys, which its schema describes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.model.location import Location
from dwarfgpu.repl.command import every
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, refuse, run, schema, validate
from tests.processes import finished
from tests.repl.repl_shell import demo_shell, json_of, made, nest_shell, output_of, talked
from tests.repl.stepping import CALL, Stepping

_APART = {"define", "define-prefix", "document", "if", "while", "python", "quit", "save", "shell",
          "load", "file", "target create"}  # fmt: skip
"""Those that take bodies, end the debug session, or change files and what is looked at."""
_ARGUMENTS = ("", "t", "1", "all", "nosuch", "-x", "numbers", "/x 1", "main", "0x10")
_FEW = {"info vector", "laas", "lfaas"}
"""They list 512 registers or run in 64 lanes, whatever their arguments are."""
_WITHOUT_KEYS = {"help", "info program"}
_NOT_RUN = {f"info program{argument}" for argument in ("", " x", " 1")}
_ENVELOPE = ("schema", "command", "result", "notes")


def stepping_shell() -> Shell:
    target = Stepping()
    program = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O0.v5")
    return made(Session(target.architecture, (program,), target, wave=1, pc=CALL))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files are written, by `generate-core-file` as by a bare `cd`, which goes home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (nest_shell, _ARGUMENTS),
        (demo_shell, ("", *_ARGUMENTS[6:])),
        (stepping_shell, _ARGUMENTS[:6]),
    ],
    ids=["nest", "demo", "stepping"],
)
def test_the_json_of_every_command_follows_the_schema(
    make: Callable[[], Shell], arguments: tuple[str, ...]
) -> None:
    """With each argument on a GPU, and on a CPU before or after the program has started."""
    shell = make()
    for command in every(COMMANDS):
        if command.name not in _APART and not command.name.startswith(
            ("set output", "set logging")
        ):
            for argument in arguments[:2] if command.name in _FEW else arguments:
                answer = json_of(shell, f"{command.name} {argument}".rstrip())
                assert "console" not in answer or command.name in _WITHOUT_KEYS, answer


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "looked_at",
    [
        ["--state", FIXTURES / "states/divergent.gfx942.json", "--lane=17"],
        [FIXTURES / "core/crash.x86_64.O0", "--core", FIXTURES / "core/crash.x86_64.O0.core"],
    ],
)
def test_of_a_whole_machine(looked_at: list[str]) -> None:
    names = [command.name for command in every(COMMANDS) if command.name not in _APART]
    lines = [f"{name}{argument}" for name in names for argument in ("", " x", " 1")
             if not name.startswith(("set output", "set logging", "help"))]  # fmt: skip
    done = run("debug", "--batch", "--interpreter=json", *looked_at,
               *(word for line in lines for word in ("-ex", line)))  # fmt: skip
    answers = [json.loads(line, parse_constant=refuse) for line in done.out.splitlines()]
    assert [answer["command"] for answer in answers] == lines
    for answer in answers:
        validate(answer)
        assert "console" not in answer or answer["command"] in _NOT_RUN, answer
    assert done.err == ""


def test_every_key_is_described() -> None:
    known = schema("repl")
    for item in (known["properties"], known["$defs"]["answer"]["properties"]):
        assert [name for name, of in item.items() if not of.get("description")] == []


@pytest.fixture
def nest() -> Shell:
    return nest_shell()


@pytest.fixture
def demo() -> Shell:
    return demo_shell()


def _data(shell: Shell, line: str) -> Any:
    """The output, without the path of the repository."""
    answer = json_of(shell, line)
    assert answer["result"] == "done", answer
    return _at_home({key: item for key, item in answer.items() if key not in _ENVELOPE})


def _at_home(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _at_home(item) for key, item in data.items()}
    if isinstance(data, list):
        return [_at_home(byte) for byte in data]
    if isinstance(data, str) and "/fixtures/" in data:
        return "FIXTURES/" + data.rpartition("/fixtures/")[2]
    return data


_NEST = "FIXTURES/hip/nest.gfx942.O2.v5.co"


@pytest.mark.parametrize(
    ("line", "data"),
    [
        ("info registers exec", {"register-values": [
            {"number": 17, "name": "exec", "value": "0xff0f", "natural": "65295"}]}),
        ("info registers s0", {"register-values": [
            {"number": 32, "name": "s0", "value": "<unavailable>", "natural": "<unavailable>"}]}),
        ("whatis t", {"type": "int"}),
        ("info symbol $pc", {"symbol": {
            "name": "nest(int const*, int*, int)", "offset": 64, "section": ".text",
            "from": _NEST}}),
        ("info symbol 1", {"symbol": None}),
        ("info display", {"displays": []}),
        ("info locals nosuch", {"variables": []}),
        ("lane find nosuch", {"found": []}),
        ("info waves", {"waves": {
            "count": 0, "running": 0, "single-stepping": 0, "stopped": 0}}),
        ("lane 2", {"current-thread-id": 0, "current-lane-id": 2}),
        ("display t", {"displays": [
            {"number": 1, "expression": "t", "listed": "t", "value": "30", "type": "int",
             "location": "v6 + byte 12 (wave 0)"}]}),
        ("echo a\\nb", {"output": "a\nb"}),
        ('printf "%d\\n", t', {"output": "30\n"}),
        ("complete info loc", {"matches": ["info locals"]}),
        ("info agents", {"agents": []}),
    ],
)  # fmt: skip
def test_waves(nest: Shell, line: str, data: dict[str, object]) -> None:
    assert data.items() <= _data(nest, line).items()


@pytest.mark.parametrize(
    ("line", "data"),
    [
        ("x/2xw numbers", {"memory": [
            {"begin": "0x4040", "offset": "0x0", "end": "0x4048", "symbol": "numbers",
             "contents": "0100000001000000", "data": ["0x00000001", "0x00000001"]}]}),
        ("whatis numbers", {"type": "int [300]"}),
    ],
)  # fmt: skip
def test_a_program(demo: Shell, line: str, data: dict[str, object]) -> None:
    assert _data(demo, line) == data


def test_breakpoints_of_several_locations_and_of_resolvers(demo: Shell) -> None:
    output_of(demo, "break mid", "break leaf")
    several, resolver = demo.breakpoints.values()
    several.locations += resolver.locations
    resolver.locations = (evolve(resolver.locations[0], is_resolver=True),)
    first, second = json_of(demo, "info breakpoints")["breakpoints"]
    numbers = [(location["number"], location["enabled"]) for location in first["locations"]]
    assert numbers == [("1.1", "y"), ("1.2", "y")]
    assert second["type"] == "STT_GNU_IFUNC resolver"
    assert json_of(demo, "ignore 1 2")["bkpt"]["locations"] == first["locations"]


def test_a_breakpoint_says_its_locations_when_it_is_set() -> None:
    lines = ("-ex", "set output json", "-ex", "break 11", "-ex", "info breakpoints")
    done = run("debug", FIXTURES / "x86_64/bodies.gcc.O2.v5", "--batch", *lines)
    added, listed = map(json.loads, done.lines)
    assert added["bkpt"]["addr"] == "<MULTIPLE>" and len(added["bkpt"]["locations"]) == 2
    assert [added["bkpt"]] == listed["breakpoints"]


def test_an_unreadable_unit_leaves_what_is_before_it(demo: Shell) -> None:
    answer = json_of(demo, "x/2xh 0x45ae")
    words = "Cannot access memory at address 0x45b0"
    assert (answer["result"], answer["msg"]) == ("error", words)
    assert (answer["memory"][0]["data"], answer["memory"][0]["contents"]) == (["0x0000"], "0000")
    assert output_of(demo, "x/2xh 0x45ae").endswith(f":\t0x0000\t{words}\n")


def test_a_line_of_memory_is_read_at_once(demo: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = ScalarAccess.read_bytes

    def counted(access: ScalarAccess, place: Location, size_bytes: int) -> bytes:
        asked.append(size_bytes)
        return read(access, place, size_bytes)

    monkeypatch.setattr(ScalarAccess, "read_bytes", counted)
    assert len(_data(demo, "x/10xw numbers")["memory"]) == 3
    assert asked == [16, 16, 8]


def test_holes(demo: Shell) -> None:
    answer = json_of(demo, "ptype struct outer")
    inside = [
        (member["name"], member["bit_offset"], member["bit_size"]) for member in answer["members"]
    ]
    used = sum(size for _, _, size in inside) + sum(hole["bit_size"] for hole in answer["holes"])
    assert used == answer["bit_size"] and answer["holes"]
    assert json_of(demo, "ptype/o struct outer")["members"] == answer["members"]


def test_the_token_comes_back(nest: Shell) -> None:
    answer = json_of(nest, "17 p t")
    assert (answer["token"], answer["command"], answer["value"]) == (17, "p t", "30")
    assert json_of(nest, "18p t")["token"] == 18
    for line, result in (("17", "done"), ("17 ", "done"), ("17 99", "error")):  # as GDB's
        answer = json_of(nest, line)
        assert (answer["token"], answer["result"]) == (17, result)
    assert json_of(nest, "9" * 40 + " p t")["result"] == "error"


def test_loops_lose_nothing(nest: Shell) -> None:
    nest.settings.set("output", "json")
    lines = ["set $i = 0", "while $i < 3", "p $i", "set $i = $i + 1", "end"]
    last = json.loads(talked(nest, *lines).splitlines()[-1])
    validate(last)
    assert [command["value"] for command in last["commands"]] == ["0", "1", "2"]


def test_notes_are_those_of_their_lane(nest: Shell) -> None:
    answer = json_of(nest, "lane apply 3-4 p a")
    assert "notes" not in answer
    assert all("optimized out" in item["notes"][-1] for item in answer["applied"])


def test_threads_have_frames() -> None:
    shell = stepping_shell()
    output_of(shell, "starti", "thread name worker")
    answer = json_of(shell, "info threads")
    (one,) = answer["threads"]
    assert (one["id"], one["name"], one["state"]) == (1, "worker", "stopped")
    assert (one["frame"]["level"], answer["current-thread-id"]) == (0, 1)


def test_facts_in_the_text_have_keys_in_json(nest: Shell) -> None:
    here = [item for item in json_of(nest, "where t")["ranges"] if item["current"]]
    assert 3 in here[0]["lanes"]
    assert here[0]["source"][0]["file"] == "nest.hip" and here[0]["source"][0]["lines"]
    for line in ("info lanes 3-4", "lanes 3-4 t"):
        assert json_of(nest, line)["current-lane-id"] == 3
    answer = json_of(nest, "complete info registers v")
    assert answer["max_completions_reached"] is True
    assert answer["completion"].startswith("info registers v")
    answer = json_of(nest, "complete info loc")
    assert (answer["completion"], answer["max_completions_reached"]) == ("info locals", False)


def test_each_answer_has_its_notes(nest: Shell) -> None:
    first, second = (json_of(nest, "p a")["notes"] for _ in range(2))
    assert first == second


def test_two_commands_of_one_name_lose_nothing(nest: Shell) -> None:
    answer = json_of(nest, "frame variable t t")
    assert [command["value"] for command in answer["commands"]] == ["30", "30"]


@pytest.mark.parametrize(
    ("line", "key", "text"),
    [
        ("p 0.0/0", "value", "nan(0x8000000000000)"),
        ("p -(0.0/0)", "value", "-nan(0x8000000000000)"),
        ("p 1.0/0", "value", "inf"),
        ("p -1.0/0", "value", "-inf"),
        ("p 340282366920938463463374607431768211455", "msg", "Numeric constant too large."),
        ("echo \udcff", "output", "\\xff"),
        ("echo \ud800", "output", "\\xed\\xa0\\x80"),
        ("echo \x1b\u2028\U0001f600", "output", "\x1b\u2028\U0001f600"),
    ],
)
def test_hostile_values(nest: Shell, line: str, key: str, text: str) -> None:
    nest.settings.set("output", "json")
    out = output_of(nest, line)
    assert out.isascii() and out.count("\n") == 1
    assert json.loads(out, parse_constant=refuse)[key] == text


def test_standard_output_has_nothing_else(repository: Path) -> None:
    lines = ["shell printf 'a\\377'; echo err >&2", "python", "import sys", "print(1)",
             "print(2, file=sys.__stdout__)", "end", "", "# nothing", "p nosuch",
             "pipe p 1 | cat", "python 1/0", "quit 3", "p 1"]  # fmt: skip
    done = finished("debug", "--demo", "--interpreter=json", stdin="\n".join(lines))
    answers = [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]
    for answer in answers:
        validate(answer)
    assert [answer.get("output") for answer in answers[:2]] == ["a\\xff", "1\n2\n"]
    assert [answer["result"] for answer in answers] == [
        "done", "done", "error", "done", "error", "exit",
    ]  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "err\n")
