"""A kernel's argument without a value: the commands report that the kernarg segment has it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.base.printable import shell_word
from dwarfgpu.options.program_name import program_name
from dwarfgpu.service.run.run_report import saved_state_note
from tests.cli.command import FIXTURES, STATES, run, run_json

STATE = STATES / "dispatch.gfx1100.json"
HIP = FIXTURES / "hip"
HINT = "the arguments of the kernel are in $_kernarg: print $_kernarg."
NEST = ("--grid", 64, "--workgroup", 64, "--arg", "in=zeros:256", "--arg", "out=zeros:256")


def hints(notes: list[str]) -> list[str]:
    return [note.removeprefix(HINT) for note in notes if note.startswith(HINT)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("eval", "--lane", 3, "limit"), ["limit"]),
        (("eval", "--lane", 3, "out", "limit"), ["out"]),
        (("eval", "--lane", 3), ["in"]),
        (("eval", "--lane", "all", "limit"), ["limit"]),
        (("eval", "--wave", "all", "--lane", "all", "limit", "in"), ["limit"]),
        (("lanes", "limit", "out"), ["limit"]),
        (("eval", "--lane", 3, "$_kernarg.limit"), []),
        (("eval", "--lane", 3, "r"), []),  # no argument
    ],
)
def test_the_hint_is_printed_once(arguments: tuple[object, ...], expected: list[str]) -> None:
    command, *rest = arguments
    assert hints(run(command, "--state", STATE, *rest).notes) == expected


def test_the_name_in_the_hint_can_be_printed() -> None:
    [name] = hints(run("eval", "--state", STATE, "--lane", 3, "limit").notes)
    output = run("eval", "--state", STATE, "--lane", 3, f"$_kernarg.{name}")
    assert output.out == "$_kernarg.limit = 10\n"
    record = run_json("eval", "--state", STATE, "--lane", 3, "limit").json
    assert hints(record["notes"]) == ["limit"]


def test_explain_does_not_report_a_missing_location() -> None:
    lines = run("explain", "--state", STATE, "--lane", 3, "limit").lines
    assert lines[-1].strip() == f"{HINT}limit"
    assert not any("kept the value nowhere" in line for line in lines)
    lines = run("explain", "--state", STATE, "--lane", 3, "r").lines
    assert any("=> r is optimized out" in line for line in lines)
    assert not any(HINT in line for line in lines)


def test_info_args() -> None:
    done = run("debug", "--state", STATE, "--batch", "-ex", "up", *2 * ("-ex", "info args"))
    assert hints(done.notes) == ["in"]


def test_without_optimization_too(tmp_path: Path) -> None:
    """The frame pointer is not set up yet (AMDGPU usage, "Kernel Prolog")."""
    state = tmp_path / "state.json"
    file = HIP / "nest.gfx942.O0.v5.co"
    assert run("dispatch", file, "nest", *NEST, "--arg", "limit=3", "--save", state).status == 0
    done = run("eval", "--state", state, "--lane", 3, "limit")
    assert "the wave has not run yet: nothing has set s33" in done.error
    assert hints(done.notes) == ["limit"]


@pytest.mark.parametrize("lost", ["kernarg", "kernel_descriptor"])
def test_there_is_no_hint_if_the_kernarg_segment_is_unknown(tmp_path: Path, lost: str) -> None:
    state = json.loads(STATE.read_text())
    del state["dispatches"][0][lost]
    for code_object in state["code_objects"]:
        code_object["path"] = str((STATES / code_object["path"]).resolve())
    text = json.dumps(state)
    for code_object in STATES.glob("dispatch.gfx1100*.npy"):
        (tmp_path / code_object.name).write_bytes(code_object.read_bytes())
    path = tmp_path / "state.json"
    path.write_text(text)
    done = run("eval", "--state", path, "--lane", 3, "limit")
    assert "optimized out" in done.error
    assert hints(done.notes) == []


def test_the_last_line_of_dispatch_is_what_to_type_next(tmp_path: Path) -> None:
    state = tmp_path / "a state.json"
    file = HIP / "nest.gfx942.O2.v5.co"
    done = run("dispatch", file, "nest", *NEST, "--arg", "limit=3", "--save", state)
    command, *words = shlex.split(done.lines[-1].removeprefix("next: "))
    assert command == program_name()
    output = run(*words)
    assert output.status == 0, output.err
    assert any("limit = 3" in line for line in output.lines)
    assert any("{63, 0, 0}" in line for line in output.lines)
    assert "$_kernarg" in run("dispatch", "--help").out


@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
@pytest.mark.parametrize(
    "name", ["a b.json", "a\nb'c\\d.json", "\x1b[31m.json", "\u20281\x85f.json", "\udcffe.json"]
)
def test_the_name_of_the_next_command_is_a_word_of_a_shell(name: str, locale: str) -> None:
    """Where characters of a name are escaped, the shell has to undo that."""
    word = shell_word(name)
    assert word.isprintable()
    script = f"printf %s {word}"
    environment = {**os.environ, "LC_ALL": locale}
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env=environment)
    out = done.stdout
    assert out == os.fsencode(name)
    assert saved_state_note(name, None, "dwarfgpu").endswith(f"dwarfgpu debug --state {word}")
