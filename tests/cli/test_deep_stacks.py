"""Stacks of many frames: their numbers, and the values on entry through all of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from dwarfgpu.cfi.unwind import MAX_STEPS
from dwarfgpu.dwarf.calls import call_sites
from dwarfgpu.dwarf.die import Die
from dwarfgpu.session import call_site_values, entry_values, stack_frames
from dwarfgpu.session.session import Session
from tests.cli.command import run, run_json
from tests.objfile.deep_stacks import DEEP, FIRST, deep_core
from tools.bombs import sections as bomb_sections
from tools.bombs.elf import block


def shown(depth: int) -> list[str]:
    """What GDB shows of the frames of `down` and `main`, without their addresses."""
    frames = [down(n, FIRST + depth - n) for n in range(depth + 1)]
    return [*frames, f"main (count={depth})"]


def down(n: int, first: int) -> str:
    """Return a frame whose arguments are known only from what its caller passed."""
    return f"down (n=n@entry={n}, first=first@entry={first})"


def functions(lines: list[str]) -> list[str]:
    return [re.sub(r" at .*", "", line.split(" in ")[-1].removeprefix("#0  ")) for line in lines]


@pytest.mark.parametrize("depth", [40, 400])
def test_arguments_through_every_caller(tmp_path: Path, depth: int) -> None:
    done = run("bt", *deep_core(tmp_path / "core", depth))
    assert functions(done.lines[1:-1]) == shown(depth)


def test_the_outermost_question_first(tmp_path: Path) -> None:
    """What is remembered of a frame is the same in whichever order values are asked for."""
    of = deep_core(tmp_path / "core", 60)
    for frame in (60, 30, 0, 29):
        assert run("eval", *of, "--frame", frame, "n", "first").lines == [
            f"n = {frame}", f"first = {FIRST + 60 - frame}",
        ]  # fmt: skip


def evaluations(monkeypatch: pytest.MonkeyPatch, folder: Path, depth: int) -> int:
    """How many call-site parameters are evaluated for all arguments of a stack."""
    with monkeypatch.context() as patch:
        calls = counted(patch, call_site_values, "passed_value")
        run_json("bt", *deep_core(folder / "core", depth))
    return len(calls)


def counted(patch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[None]:
    """Replace a function by one that does the same, and adds an item to the list for each call."""
    calls: list[None] = []
    function = getattr(module, name)

    def replaced(*arguments: object) -> object:
        calls.append(None)
        return function(*arguments)

    patch.setattr(module, name, replaced)
    return calls


def test_each_value_is_computed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counts = {depth: evaluations(monkeypatch, tmp_path, depth) for depth in (50, 100, 200)}
    assert counts[50] >= 2 * 49, "each call passes two arguments"
    assert counts[200] - counts[100] == 2 * (counts[100] - counts[50]) == 2 * 2 * 50


def test_values_that_no_call_announces_cost_themselves_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not the frames of the stack: an unknown form of them once ended the whole list."""
    monkeypatch.setattr(entry_values, "_nested", lambda *_: iter(()))
    done = run("bt", *deep_core(tmp_path / "core", 200))
    assert done.status == 0 and len(done.lines) == 1 + 203
    assert "values on entry nested more than 32 deep" in done.lines[1]
    assert "n=n@entry=200, first=first@entry=7" in done.lines[201]


def test_the_calls_of_a_function_are_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not for each frame: an interpreter of some thousand calls that calls itself took minutes."""
    read: list[Die] = []
    calls = call_sites.call_sites

    def counted(function: Die) -> Iterator[call_sites.CallSite]:
        read.append(function)
        return calls(function)

    monkeypatch.setattr(call_sites, "call_sites", counted)
    counts = []
    for depth in (20, 40):
        read.clear()
        run("bt", *deep_core(tmp_path / "core", depth))
        counts.append(len(read))
    assert counts[0] == counts[1] < 20


def test_values_on_entry_are_bounded_by_the_frames(tmp_path: Path) -> None:
    of = deep_core(tmp_path / "core", 40)
    done = run("eval", *of, "--frame", 1, "--max-frames", 30, "n")
    assert done.status == 1 and "stopped: more than 30 frames (--max-frames)" in done.err
    assert MAX_STEPS < 10_000, "there can be one for each frame"


def test_values_on_entry_count_for_the_limits_of_operations(tmp_path: Path) -> None:
    """Frames of a few bytes on a stack of megabytes took an expression a quarter of a minute."""
    of = deep_core(tmp_path / "core", 40)
    done = run("eval", *of, "--frame", 1, "--max-steps", 100, "n")
    assert done.status == 1
    assert "more than 25 values on entry to callers (--max-steps)" in done.err
    few = ("--frame", 20, "--max-steps", 100)
    assert run("eval", *of, *few, "n").lines == ["n = 20"]
    lines = run("bt", *of, "--max-steps", 100, "--max-command-steps", 50_000).lines[1:]
    assert "values on entry to callers" in lines[0]
    assert functions(lines[20:-1]) == shown(40)[20:]
    assert "@entry" in lines[0] and "@entry" not in lines[1], "n needs n@entry: there is one error"
    lines = run("bt", *of, "--max-steps", 100, "--max-command-steps", 300).lines[1:]
    assert "--max-steps" in lines[0] and "--max-command-steps" in lines[30]


def callers_followed(
    monkeypatch: pytest.MonkeyPatch, of: tuple[object, ...], most: int, *options: object
) -> int:
    """How many calls are looked up for the values of all frames, where each may need `most`."""
    with monkeypatch.context() as patch:
        calls = counted(patch, entry_values, "call_site_returning_to")
        lines = run("bt", *of, "--max-steps", 4 * most, *options).lines[1:]
    assert [item for item in lines if "values on entry to callers" in item] == lines[: -most - 2]
    return len(calls)


def test_callers_are_followed_in_vain_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not for each frame: `bt` of a stack overflow took seconds, and its budget was spent after six
    frames."""
    arguments, of = 2, deep_core(tmp_path / "core", 300)
    few, many = (callers_followed(monkeypatch, of, most) for most in (25, 150))
    assert few <= arguments * (303 + 25), "and once more where they lead to a value"
    assert many - few <= arguments * (150 - 25)
    assert callers_followed(monkeypatch, of, 150, "--max-command-steps", 8_000) == many


@pytest.mark.parametrize("seed", range(6))
def test_callers_followed_in_vain_in_any_order(tmp_path: Path, seed: int) -> None:
    """A value is known if few enough callers pass it on from one for which it is known."""
    depth, most, known = 120, 25, 121
    random = Random(seed)
    frames = [random.randint(1, depth) for _ in range(90)]
    expected = []
    for frame in frames:
        is_known = known - frame <= most
        known = min(known, frame) if is_known else known
        expected.append((frame, FIRST + depth - frame if is_known else None))
    of = deep_core(tmp_path / "core", depth)
    commands = [word for frame in frames for word in ("-ex", f"frame {frame}")]
    done = run("debug", *of, "--batch", "--max-steps", 4 * most, *commands)
    lines = re.findall(
        r"^#([1-9]\d*) .* first=(?:first@entry=(\d+)|<error)", done.out, re.MULTILINE
    )
    assert [(int(frame), int(first) if first else None) for frame, first in lines] == expected


def test_numbers_have_a_blank_after_them(tmp_path: Path) -> None:
    lines = run("bt", *deep_core(tmp_path / "core", 101)).lines[1:]
    numbers = [re.match(r"#\d+ +", line) for line in lines]
    assert [None if number is None else number[0] for number in numbers] == [
        *(f"#{n}  " for n in range(10)), *(f"#{n} " for n in range(10, len(lines))),
    ]  # fmt: skip


DEPTH = 10_500
"""More frames than the 10,000 that were once looked at."""


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    return deep_core(tmp_path_factory.mktemp("deep") / "core", DEPTH)


def at_prompt(deep: tuple[object, ...], *commands: str) -> list[str]:
    """The frames that commands show after the first."""
    options = [word for command in commands for word in ("-ex", command)]
    done = run("debug", *deep, "--batch", *options)
    text = [*done.without_sources, *done.err.splitlines()]
    lines = [item for item in text if not item.startswith("note:")]
    first = next(n for n, line in enumerate(lines) if line.startswith("#0 "))
    return [re.sub(r"0x\w+ in (.*?)(?: at .*)?$", r"\1", line) for line in lines[first + 1 :]]


def requests(depth: int) -> dict[str, tuple[tuple[str, ...], list[str]]]:
    """Commands about the frames of a stack, and what they show."""
    at_the_end = [f"#{depth + 1} main (count={depth})"]
    last = [f"#{depth} {down(depth, FIRST)}", *at_the_end]
    return {
        "the outermost": (("bt -2",), last),
        "the outermost of all": (
            ("set backtrace past-main on", "bt -1"), [f"#{depth + 2} _start ()"]
        ),
        "by number": (
            (f"frame {depth - 1}",),
            [f"#{depth - 1} {down(depth - 1, FIRST + 1)}"],
        ),
        "by function": (("frame function main",), at_the_end),
        "far up": (("up 100000",), at_the_end),
        "and down again": (
            ("up 100000", f"down {depth - 2}"),
            [*at_the_end, f"#3  {down(3, FIRST + depth - 3)}"],
        ),
        "no such frame": ((f"frame {depth + 2}",), [f"No frame at level {depth + 2}."]),
        "a limit": (
            ("set backtrace limit 3", "bt -1"), [f"#2  {down(2, FIRST + depth - 2)}"]
        ),
        "within a limit": (("set backtrace limit 3", "frame 3"), ["No frame at level 3."]),
        "a limit that is far": (
            (f"set backtrace limit {depth}", "up 100000", "frame function main"),
            [f"#{depth - 1} {down(depth - 1, FIRST + 1)}",
             'No frame for function "main".'],
        ),
        "no limit": (
            ("set backtrace limit 3", "set backtrace limit unlimited", "bt -2"), last
        ),
        "applied to some": (("frame apply -1 -q print count",), [f"$1 = {depth}"]),
        "applied to a level": ((f"frame apply level {depth} -q print n",), [f"$1 = {depth}"]),
    }  # fmt: skip


SHALLOW = 150


@pytest.mark.parametrize("name", requests(SHALLOW))
def test_frames_by_the_first_request(tmp_path: Path, name: str) -> None:
    commands, expected = requests(SHALLOW)[name]
    assert at_prompt(deep_core(tmp_path / "core", SHALLOW), *commands) == expected


BEGIN_AGAIN = ("set backtrace limit unlimited", "set backtrace past-main off", "select-frame 0")


def test_frames_of_a_deep_stack(deep: tuple[object, ...]) -> None:
    """Frame 0 has arguments that come through all callers: one session shows it first."""
    asked = requests(DEPTH).values()
    found = at_prompt(deep, *(line for commands, _ in asked for line in (*commands, *BEGIN_AGAIN)))
    expected = [line for _, lines in asked for line in lines]
    shown = [re.sub(r"^\$\d+", "$1", line) for line in found]
    errors = [line for line in expected if line.startswith("No frame")]
    assert shown == [*(line for line in expected if line not in errors), *errors]


def test_only_frames_that_are_shown_are_described(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The others are counted: what is known of their program location is looked up once."""
    of = deep_core(tmp_path / "core", 1_500)
    described: list[int] = []
    names = stack_frames.functions_at

    def counted(session: Session) -> list[Die]:
        described.append(session.level)
        return names(session)

    monkeypatch.setattr(stack_frames, "functions_at", counted)
    assert at_prompt(of, "bt -2", "frame function main", "up 100000")
    assert len(described) < 100


def test_all_frames_on_the_command_line(deep: tuple[object, ...]) -> None:
    lines = run("bt", *deep, "--limit", "unlimited", "--no-args").lines[1:]
    assert len(lines) == DEPTH + 3 and lines[-1].startswith(f"#{DEPTH + 2} ")
    lines = run("bt", *deep, "--no-args").lines[1:]
    assert len(lines) == 1001 and lines[-1] == "(More stack frames follow: --limit 1000)"


def test_all_frames_at_the_prompt(tmp_path: Path) -> None:
    of = deep_core(tmp_path / "core", 1_500)
    assert len(at_prompt(of, "set print frame-arguments none", "bt")) == 1_502


def test_the_bound_has_an_option(deep: tuple[object, ...]) -> None:
    done = run("bt", *deep, "--max-frames", 200, "--limit", "unlimited", "--no-args")
    assert len(done.lines) == 202 and done.status == 1
    assert done.lines[-1] == "stopped: more than 200 frames (--max-frames)"


def of_gdb(core: Path) -> list[str]:
    """The frames that GDB shows; skips the test without it."""
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("gdb is not installed")
    settings = ("set debuginfod enabled off", "set width 0",
                "set backtrace past-main on", "set backtrace past-entry on")  # fmt: skip
    options = [word for setting in settings for word in ("-iex", setting)]
    command = [gdb, "-nx", "-q", "-batch", *options, "-ex", "bt", DEEP, core]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout[done.stdout.rindex("#0  ") :].splitlines()


def test_gdb_shows_the_same(tmp_path: Path) -> None:
    of = deep_core(tmp_path / "core", 150)
    assert run("bt", *of).lines[1:] == of_gdb(tmp_path / "core")


def test_gdb_shows_errors_for_the_same_frames(tmp_path: Path) -> None:
    """It follows 256 callers."""
    of = deep_core(tmp_path / "core", 300)
    ours, theirs = run("bt", *of, "--max-steps", 4 * 256).lines[1:], of_gdb(tmp_path / "core")
    same = [
        [re.sub(r"<error[^>]*>", "<error>", line) for line in lines] for lines in (ours, theirs)
    ]
    last = next(n for n, line in enumerate(same[0]) if "<error>" not in line) - 1
    for lines in same:
        del lines[last]  # GDB 13 has its values on entry, but not those that are computed of them
    assert same[0] == same[1]


@pytest.mark.parametrize(
    ("operations", "frames"),
    [(b"\x96" * 246, 32), (b"\x96" * 5, 2_000), (b"\x2f\0\0" + b"\x96" * 5, 31)],
)
def test_operations_of_the_rules_of_frames_count_for_the_command(
    tmp_path: Path, operations: bytes, frames: int
) -> None:
    """A branch may make any operations a loop; what compilers write costs nothing."""
    rule = b"\x0f" + block(b"\x77\x10" + operations) + b"\x90\2"  # the CFA: rsp + 16
    info = bomb_sections.fde(rule, 0x1000, 0x1000)
    (tmp_path / "program").write_bytes(bomb_sections.frames(info)["bomb"])
    stack = {"address": 0x100000, "bytes": (0x1010).to_bytes(8, "little").hex() * 4_000}
    document = {
        "schema": "dwarfgpu-state-2",
        "architecture": "x86_64",
        "code_objects": [{"path": "program"}],
        "memory": [stack],
        "waves": [{"pc": 0x1010, "registers": {"rsp": 0x100000}}],
    }
    (tmp_path / "state.json").write_text(json.dumps(document))
    done = run(
        "bt", "--state", tmp_path / "state.json", "--max-command-steps", 1_000, "--limit", 5_000
    )
    reason = "more than 1000 operations in one command"
    assert len([line for line in done.lines if line.startswith("#")]) >= frames
    assert (reason in done.out + done.err) == (frames < 100), done.out[-300:] + done.err
    options = ("--batch", "--max-command-steps", 1_000, "-ex", "bt -1")
    last = run("debug", "--state", tmp_path / "state.json", *options)
    assert (reason in last.out) == (frames < 100), last.out + last.err
