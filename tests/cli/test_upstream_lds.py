"""LDS variables of upstream clang, wherever the code object is loaded."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, run_json

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


NOTE = (
    "upstream clang writes the offset 0 for every LDS variable: in a kernel with several of them, "
)
ALONE = FIXTURES / "opencl/kernels.gfx942.O0.v5.co"
"""Its kernel `lds` declares one variable in LDS, of the size of its LDS."""


def test_check_reports_a_variable_that_another_one_may_be_at() -> None:
    done = run("check", DATA, "--only", "upstream-lds-offset")
    assert done.status == 1
    found = [line for line in done.lines if "[upstream-lds-offset, A.2.5.4.4.3]" in line]
    assert [line.partition(NOTE)[2].split()[0] for line in found] == ["pool", "tile"]
    assert run("check", ALONE, "--only", "upstream-lds-offset").status == 0
    assert "upstream-lds-offset" not in run("check", DATA, "--dialect", "amd", "--all").out


def test_where_notes_a_variable_that_another_one_may_be_at() -> None:
    assert (
        f"  note: {NOTE}tile may have the place and the value of another one"
        in run("where", DATA, "tile").out
    )
    listed = run("where", DATA, "--all").lines
    assert sum(line.startswith(f"  note: {NOTE}") for line in listed) == 2
    variables = run_json("where", DATA, "tile", "out").json["variables"]
    assert [variable.get("note", "").startswith(NOTE) for variable in variables] == [
        variable["name"] == "tile" for variable in variables
    ]
    assert "note:" not in run("where", ALONE, "--all").out


def test_two_variables_of_a_kernel_are_not_alone(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The second one is dropped from LDS; the description of neither says it."""
    source = tmp_path / "two.cl"
    source.write_text(
        "__kernel void k(__global int *o, int t) {\n"
        "  __local int first[64];\n  __local int second[64];\n"
        "  first[t] = second[t] = t;\n  o[t] = first[63 - t] + second[t];\n}\n",
        "utf-8",
    )
    file = tmp_path / "two.co"
    target = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-g", "-O0")
    language = ("-x", "cl", "-cl-std=CL2.0")
    subprocess.run([tool("clang-19"), *language, *target, source, "-o", file], check=True)
    listed = run("where", file, "--all").lines
    assert f"  note: {NOTE}first, second may have the place and the value of another one" in listed
    found = run("check", file, "--only", "upstream-lds-offset").out
    assert found.count("[upstream-lds-offset, ") == 2
