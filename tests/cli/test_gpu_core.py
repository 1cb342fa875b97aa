"""Cores of AMD GPUs on the command line: those of ../shared/cores, which have no code objects."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run, run_json, validate
from tests.machine.test_gpu_core_answers import FOLDER, NAMES, opened, waves

pytestmark = pytest.mark.skipif(not NAMES, reason="needs ../shared/cores")


@pytest.fixture(params=NAMES)
def core(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    name: str = request.param
    path = tmp_path / f"{name}.core"
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.core.gz").read_bytes()))
    return name, path


def test_info_summarises_the_waves(core: tuple[str, Path]) -> None:
    name, path = core
    target = opened(name)[1]["target"]
    done = run("info", path)
    assert done.lines[0] == f"{path}: core file of AMD GPUs"
    assert done.lines[1] == f"waves: 3 waves on {target}, none faulty"
    assert "  1 wave in 0x00007f0000501000 in ?? (): breakpoint, thread 1" in done.lines
    [line] = [line for line in done.lines if "file://" in line]
    assert "file:///opt/a.out#offset=0x1000&size=0x2000 is not used: /opt/a.out cannot" in line
    assert done.lines.index("loaded for the GPUs:") == done.lines.index(line) - 1
    answer = run_json("info", path)
    validate(answer.json)
    assert [wave["stop_reasons"] for wave in answer.json["waves"]] == [
        ["breakpoint"], [], ["debug_trap"],
    ]  # fmt: skip


def test_waves(core: tuple[str, Path]) -> None:
    name, path = core
    lines = run("waves", path).lines
    assert lines[0] == f"3 waves on {opened(name)[1]['target']}, none faulty"
    assert len(lines) == 4
    every = run("waves", path, "--all").lines
    assert [line.split()[0] for line in every] == ["Id", "1", "2", "3"]
    assert "AMDGPU Wave 1:1:1:1 (0,2,3)/0" in every[1] and " breakpoint " in every[1]
    answer = run_json("waves", "--core", path)
    validate(answer.json)
    for asked, (number, told) in zip(answer.json["waves"], waves(name), strict=True):
        assert (asked["id"], asked["pc"]) == (number, told["pc"])
        assert asked["workgroup_coord"] == told["workgroup"]
        assert asked["wave_number_in_workgroup"] == told["wave_in_workgroup"]


def test_registers_and_memory_of_a_wave(core: tuple[str, Path]) -> None:
    name, path = core
    for number, told in waves(name):
        registers: dict[str, Any] = told["registers"]
        mask = int.from_bytes(bytes.fromhex(registers["exec"]["hex"]), "little")
        assert run("eval", "--core", path, "--wave", number, "$exec").lines == [f"$exec = {mask}"]
        text = run("debug", "--core", path, "--wave", number, "--batch", "-ex", "x/2xb local#0x64")
        data = bytes.fromhex(told["reads"][0]["hex"])
        assert text.lines[-1] == f"local#0x64:\t0x{data[0]:02x}\t0x{data[1]:02x}"


def test_the_prompt(core: tuple[str, Path]) -> None:
    _, path = core
    done = run(
        "debug", "--core", path, "--batch", "-ex", "info threads", "-ex", "thread 3",
        "-ex", "info queues", "-ex", "info dispatches",
    )  # fmt: skip
    lines = done.lines
    assert lines[0] == "#0  0x00007f0000501000 in ?? ()"
    assert lines[1].startswith("[Current thread is 1, lane ")
    assert [line[:7] for line in lines[3:6]] == ["* 1    ", "  2    ", "  3    "]
    assert any(line.startswith("[Switching to thread 3, lane ") for line in lines)
    assert any("AMDGPU Queue 1:1" in line for line in lines)
    assert sum("AMDGPU Dispatch 1:1:" in line for line in lines) == 2


def test_what_is_given_goes_over_the_core(core: tuple[str, Path]) -> None:
    _, path = core
    asked = ("eval", "--core", path, "--wave", 2, "--reg", "s4=7", "--mem", "local#0=01020304")
    assert run(*asked, "$s4").lines == ["$s4 = 7"]
    assert run(*asked, "*(int *) 0x7f0000500000").status == 0
    assert run("eval", "--core", path, "--wave", 2, "--reg", "pc=0x10", "$pc").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--wave", 9), "--wave 9: the core has no such wave; it has waves 1 to 3"),
        (("--lane", 64), "--lane 64: the wave has"),
        (("--code-object", "x"), "--code-object x: expected URI=FILE"),
        (("--code-object", "file:///x=/y"), "--code-object file:///x: the core lists no such"),
        (("--gpu-core", "CORE"), "has no threads: it is of GPUs only"),
    ],
)
def test_wrong_requests(
    core: tuple[str, Path], arguments: tuple[object, ...], message: str
) -> None:
    _, path = core
    given = [path if argument == "CORE" else argument for argument in arguments]
    done = run("bt", "--core", path, *given)
    assert message in done.error
