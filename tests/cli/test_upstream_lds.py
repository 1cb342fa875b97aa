"""LDS variables of upstream clang, wherever the code object is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

DATA = FIXTURES / "hip/data.gfx942.O0.v5.co"
PC = 0x2660
"""In the kernel `data`, whose `tile` is in LDS, as `pool` of the file is."""


@pytest.mark.parametrize("load_address", [0, 0x1000, 0x7F00_8000_0000])
@pytest.mark.parametrize("name", ["tile", "pool"])
def test_a_variable_in_lds_is_not_moved_by_the_load_address(name: str, load_address: int) -> None:
    memory = "local#0x0=" + "0000803f" * 64
    arguments = ("--file", DATA, "--load-address", load_address, "--pc", PC + load_address)
    done = run("eval", *arguments, "--lane", 0, "--mem", memory, f"&{name}", f"{name}[63]")
    address, element = done.out.splitlines()
    assert address.endswith(" local#0x0")
    assert element == f"{name}[63] = {'1' if name == 'tile' else '1065353216'}"
    assert "upstream clang writes the offset 0 for every LDS variable" in done.err


def test_the_prompt_notes_each_variable_at_the_start_of_lds() -> None:
    """A note is shown once: that of the first variable is none about the second."""
    arguments = ("--file", DATA, "--pc", PC, "--lane", 0, "--batch")
    asked = [word for name in ("tile", "tile", "pool") for word in ("-ex", f"output &{name}")]
    notes = [
        line
        for line in run("debug", *arguments, *asked).err.splitlines()
        if "offset 0 for every LDS variable" in line
    ]
    assert [note.partition("several of them, ")[2].split()[0] for note in notes] == ["tile", "pool"]


@pytest.mark.parametrize("level", [0, 2])
def test_one_variable_of_the_size_of_the_lds_is_at_its_start(level: int) -> None:
    """.group_segment_fixed_size of the kernel `lds` is 256, the size of its `tile`."""
    file = FIXTURES / f"opencl/kernels.gfx942.O{level}.v5.co"
    dispatch = ("--dispatch", "lds", "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256")
    commands = ("-ex", "break 84", "-ex", "run", "-ex", "p &tile", "-ex", "p tile[63]")
    done = run("debug", file, *dispatch, "--batch", *commands)
    assert done.lines[-2:] == ["$1 = (float (*)[64]) local#0x0", "$2 = 31.5"]
    assert "offset 0" not in done.err


@pytest.mark.parametrize(
    "command",
    [
        "output &tile",
        "display tile[1]",
        'printf "%p", &tile',
        "find &tile, +4, (char) 1",
        "if &tile == 1\nend",
        "watch tile[1]",
        "set var $a = &tile",
    ],
)
def test_every_command_notes_what_the_value_of_an_expression_assumes(
    command: str, tmp_path: Path
) -> None:
    """GDB's commands that evaluate an expression use the same values as `print`."""
    script = tmp_path / "script"
    script.write_text(f"break 53\nrun\n{command}\n", "utf-8")
    buffers = ("--arg", "out=zeros:256", "--arg", "in=range:64", "--arg", "n=3")
    dispatch = ("--dispatch", "data", "--grid", 64, "--workgroup", 64, *buffers)
    done = run("debug", DATA, *dispatch, "--batch", "-x", script)
    assert done.err.count("offset 0 for every LDS variable") == 1


def test_a_condition_notes_what_it_assumes() -> None:
    buffers = ("--arg", "out=zeros:256", "--arg", "in=range:64", "--arg", "n=3")
    dispatch = ("data", "--grid", 64, "--workgroup", 64, *buffers)
    done = run("run", DATA, *dispatch, "--break", "53 if &tile == 1")
    assert [note for note in done.notes if "offset 0 for every LDS variable" in note]
    commands = ("-ex", "break 53 if &tile == 1", "-ex", "run")
    done = run("debug", DATA, "--dispatch", *dispatch, "--batch", *commands)
    assert done.err.count("offset 0 for every LDS variable") == 1


def test_a_run_says_what_its_values_assume() -> None:
    """A state of the same stop gives the same notes."""
    buffers = ("--arg", "out=zeros:256", "--arg", "in=range:64", "--arg", "n=3")
    dispatch = ("data", "--grid", 64, "--workgroup", 64, *buffers)
    stop = ("--break", 53, "--stops", 1, "--lane", 0, "--print", "pool[1]")
    done = run("run", DATA, *dispatch, *stop)
    assert [note for note in done.notes if "offset 0 for every LDS variable" in note]
    assert "pool[1]: <unavailable> in lane 0" in done.out
    assert "local#0x4: nothing has written it" in done.out
