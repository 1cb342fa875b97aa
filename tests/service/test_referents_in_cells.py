"""The cell of a reference has what it refers to, as every other view shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.gpu_programs import gpu_program

DATA = FIXTURES / "hip/data.gfx942.O0.v5.co"
SOURCE = """\
struct pair { int a, b; };
extern "C" __attribute__((global)) void kernel(int *out) {
  __attribute__((shared)) static int tile[64];
  int t = __builtin_amdgcn_workitem_id_x();
  pair p = {t, 7};
  pair &both = p;
  int &slot = tile[t];
  slot = t * 3;
  out[t] = slot + both.b;
}
"""


@pytest.fixture(scope="module")
def program(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("references") / "refs.hip"
    return gpu_program(tool, source, SOURCE, "gfx942", "-O0")


@pytest.fixture
def state(program: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "state.json"
    line = request.param
    launch = ("--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256")
    stop = ("--break", f"refs.hip:{line}", "--stops", 1, "--save", path)
    assert run("run", program, "kernel", *launch, *stop).status == 0
    return path


def test_a_number() -> None:
    launch = ("--dispatch", "data", "--grid", 64, "--workgroup", 64, "--arg", "n=5")
    buffers = ("--arg", "out=zeros:256", "--arg", "in=zeros:512")
    commands = ("break data.hip:53", "run", "lanes -grid 0-3 ref", "lanes -table 1 ref")
    words = [word for command in commands for word in ("-ex", command)]
    lines = run("debug", DATA, *launch, *buffers, "-q", "--batch", *words).lines
    assert " 0  3 4 5 3" in lines
    assert lines[-1].endswith("(int &) @0x20000000000c0: 4")  # a table has the address, too


@pytest.mark.parametrize("state", [9], indirect=True)
def test_a_structure_is_as_its_value(state: Path) -> None:
    done = run("lanes", "--state", state, "--grid", "--lane", "0-1", "both", "slot")
    assert done.status == 0
    assert " 0  {a = 0, b = 7} {a = 1, b = 7}" in done.lines and " 0  0 3" in done.lines


@pytest.mark.parametrize("state", [8], indirect=True)
@pytest.mark.parametrize("form", ["--grid", "--compact"])
def test_unwritten_memory_has_a_mark_and_a_reason(state: Path, form: str) -> None:
    done = run("lanes", "--state", state, form, "--lane", "0-1", "slot")
    assert done.status == 1
    assert (" 0  ? ?" in done.lines) == (form == "--grid")
    why = "Cannot access memory at address local#0x4: nothing has written it"
    assert done.lines[-1].endswith(f"<unavailable> in lane 1: {why}")
