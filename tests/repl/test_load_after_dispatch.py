"""A state or core file that is opened in a session that began with a dispatch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

CODE = FIXTURES / "run"
SIZES = ("--grid", 64, "--workgroup", 64)
INPUTS = ("--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256")


def test_a_loaded_state_goes_on_with_its_own_registers(tmp_path: Path) -> None:
    """Not with those of the dispatch that was open before, which are fewer here; and it has no
    beginning."""
    state = tmp_path / "s.json"
    done = run(
        "run", CODE / "integers.gfx942.O0.v5.co", "nest", *SIZES, *INPUTS, "--scratch", 4096,
        "--break", "nest", "--stops", 1, "--save", state,
    )  # fmt: skip
    assert done.status == 0, done.err
    commands = ("-ex", f"load {state}", "-ex", "continue", "-ex", "run")
    other = CODE / "integers.gfx942.O2.v5.co"
    done = run("debug", other, "--dispatch", "vadd", *SIZES, *INPUTS, "--batch", *commands)
    assert done.lines[-1] == "[Inferior 1 exited normally]"
    assert 'A state cannot be started from the beginning: use "continue".' in done.err.splitlines()


def test_a_core_file_is_opened_and_closed(tmp_path: Path) -> None:
    core, code = tmp_path / "s.core", CODE / "integers.gfx942.O0.v5.co"
    asked = ("--scratch", 4096, "--break", "nest", "--stops", 1, "--core", core)
    assert run("run", code, "nest", *SIZES, *INPUTS, *asked).status == 0
    commands = (f"core-file {core}", "continue", "core-file", "info threads")
    words = [word for command in commands for word in ("-ex", command)]
    other = CODE / "integers.gfx942.O2.v5.co"
    done = run("debug", other, "--dispatch", "vadd", *SIZES, *INPUTS, "--batch", *words)
    assert done.lines[-2:] == ["[Inferior 1 exited normally]", "No threads."]


def test_another_code_object_is_not_that_of_the_dispatch() -> None:
    """The state of a dispatch is a temporary file, which the user does not know."""
    code, other = CODE / "integers.gfx942.O0.v5.co", FIXTURES / "hip/nest.gfx942.O2.v5.co"
    words = ("--batch", "-ex", f"file {other}")
    done = run("debug", code, "--dispatch", "vadd", *SIZES, *INPUTS, *words)
    assert f"; the dispatch names {code.name}, loaded at 0x7f0000000000: " in done.err
    assert "dispatch.json" not in done.err


@pytest.mark.parametrize(("save", "load"), [("save", "load"), ("generate-core-file", "core-file")])
def test_watchpoints_of_another_machine(tmp_path: Path, save: str, load: str) -> None:
    """They watch the new one: those of local variables, too, if the frame is there."""
    file = tmp_path / "saved"
    commands = (
        "break nest", "run", "watch -location out[3]", "next", "watch r", f"{save} {file}",
        "delete 1", f"{load} {file}", "info watchpoints", "delete 3", "continue",
    )  # fmt: skip
    words = [word for command in commands for word in ("-ex", command)]
    code = CODE / "integers.gfx942.O0.v5.co"
    done = run(
        "debug", code, "--dispatch", "nest", *SIZES, *INPUTS, "--scratch", 4096, "--batch", *words
    )
    lines = [line for line in done.lines if line]
    assert "Hardware watchpoint 3: r" in lines
    at = next(at for at, line in enumerate(lines) if line.startswith("Num "))
    assert lines[at + 1].split() == ["2", "hw", "watchpoint", "keep", "y", "-location", "out[3]"]
    assert lines[at + 2].split() == ["3", "hw", "watchpoint", "keep", "y", "r"]
    assert lines[at + 3] == "\tin lane 0 of thread 1"
    assert "watchpoint 2, with lane 3: -location out[3]" in lines[at + 5]
    assert lines[at + 6 : at + 8] == ["Old value = 0", "New value = -1"]
