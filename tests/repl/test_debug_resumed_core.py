"""Core files whose waves go on: failed waves, threads of a CPU beside them, and several GPUs."""

from __future__ import annotations

import lzma
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.command import FIXTURES, Done, run
from tests.cli.test_gpu_core_of_state import HOST, SYSROOT, merged_core
from tests.machine.two_gpus import Running, core_of

LOOP = FIXTURES / "core/loop.gfx942.core.xz"
LOOP_CODE = FIXTURES / "opencl/kernels.gfx942.O0.v5.co"
VIOLATION = (
    "Thread 4 received signal SIGSEGV, MEMORY_VIOLATION, lane 63 reads 4 bytes at 0x7e00000076b0: "
    "nothing is mapped there."
)


def debug(*options: object, lines: tuple[str, ...]) -> Done:
    return run("debug", *options, "--batch", *(word for line in lines for word in ("-ex", line)))


def loop(folder: Path, *lines: str, options: tuple[object, ...] = ()) -> list[str]:
    """What commands print on a core file in which wave 4 reads behind the end of a buffer."""
    core = folder / "loop.core"
    core.write_bytes(lzma.decompress(LOOP.read_bytes()))
    done = debug(core, LOOP_CODE, *options, lines=lines)
    return [*done.lines, *done.err.splitlines()]


def test_a_failed_wave_executes_the_instruction_again(tmp_path: Path) -> None:
    """It fails in the same words until the cause is repaired, as GDB's process after SIGSEGV."""
    repaired = ("set $v2[63] = $v2[0]", "lane apply all -q set var n = 1")
    lines = loop(tmp_path, "c", "stepi", "p $pc", *repaired, "stepi", "p $pc", "c")
    assert lines.count(VIOLATION) == 2
    assert [line for line in lines if line.startswith("$")] == [
        "$1 = (void (*)()) 0x7f0000003b98 <loop+664>",
        "$2 = (void (*)()) 0x7f0000003ba0 <loop+672>",
    ]
    assert "[Inferior 1 exited normally]" in lines


def test_a_wave_that_had_failed_before_its_pc_waits_for_another(tmp_path: Path) -> None:
    core, code = tmp_path / "late.core", ("--file", LOOP_CODE)
    arguments = ("--arg", "in=zeros:1200", "--arg", "out=zeros:1024", "--arg", "n=100")
    state = tmp_path / "failed.json"
    run("run", LOOP_CODE, "loop", "--grid", 256, "--workgroup", 64, *arguments, "--save", state)
    debug(
        "--state", state,
        lines=("thread 4", "set $pc = $pc + 8", f"generate-core-file {core}"),
    )  # fmt: skip
    lines = debug(core, *code, lines=("c", "c", "set $pc = $pc", "stepi", "p $pc")).lines
    text = [line for line in lines if "received signal SIGSEGV, MEMORY_VIOLATION" in line]
    assert len(text) == 2 and text[0] == text[1]
    assert text[0].endswith(
        "the wave failed at global_load_dword v1, v[2:3], off at 0x7f0000003b98, before its "
        "pc; set $pc to continue."
    )
    assert "$1 = (void (*)()) 0x7f0000003ba4 <loop+676>" in lines
    again = debug(core, *code, lines=("set $pc = 0x7f0000003b98", "c")).lines
    assert any("lane 63 reads 4 bytes at 0x7e00000076b0" in line for line in again)


@pytest.mark.parametrize("fill", ["0", "0xfd"])
def test_fill_goes_with_whatever_goes_on(fill: str, tmp_path: Path) -> None:
    assert VIOLATION in loop(tmp_path, "c", options=("--fill", fill))
    core = tmp_path / "loop.core"
    for options in (("--core", core), (core,), (LOOP_CODE, core), (core, LOOP_CODE)):
        assert VIOLATION in debug(*options, "--fill", fill, lines=("c",)).lines
    state = FIXTURES / "states/call.gfx942.O0.json"
    for options in (("--demo",), ("--state", state)):
        assert debug(*options, "--fill", fill, lines=("p 1",)).lines[-1] == "$1 = 1"


def test_fill_is_a_byte_and_about_something(tmp_path: Path) -> None:
    core = tmp_path / "loop.core"
    core.write_bytes(lzma.decompress(LOOP.read_bytes()))
    assert debug(core, "--fill", 256, lines=()).error == "--fill 256: expected a byte, 0 to 255"
    error = debug(LOOP_CODE, "--fill", 0, lines=()).error
    assert error == "--fill applies to a dispatch: give --dispatch KERNEL"


# Threads of a CPU, and several GPUs.


def integers(built: str) -> Path:
    return FIXTURES / f"run/integers.{built}.v5.co"


def code_objects(*built: str) -> list[object]:
    """Options that name code objects, which the folder of the process does not have."""
    uris = [f"file://{quote(str(integers(name)))}={integers(name)}" for name in built]
    return [word for uri in uris for word in ("--code-object", uri)]


def two_gpus(folder: Path, first: str, second: str) -> tuple[Path, int, int]:
    """A core file of two GPUs, where the second one adds to what the first one has computed; and
    where their results are."""
    path = folder / "two.core"
    data, buffers = core_of(
        [
            Running(integers(first), "vadd", ("range:128", "range:128", "zeros:512")),
            Running(integers(second), "vadd", ("range:128", "same:out", "zeros:512")),
        ]
    )
    path.write_bytes(data)
    return path, buffers[0]["out"], buffers[1]["out"]


def test_the_waves_of_a_merged_core_go_on(tmp_path: Path) -> None:
    """Threads of the CPU stay where they are, and say why they do not run."""
    alone, path = tmp_path / "gpu.core", tmp_path / "merged.core"
    running = Running(integers("gfx942.O0"), "vadd", ("range:128", "range:128", "zeros:512"), 60)
    data, [buffers] = core_of([running])
    alone.write_bytes(data)
    path.write_bytes(merged_core(HOST, alone))
    out = f"*(int (*)[4]) {buffers['out']:#x}"
    done = debug(
        path, *SYSROOT, *code_objects("gfx942.O0"), "--heuristic",
        lines=(
            "c", "stepi", "break integers.hip:17 if t == 5", "thread 4", "c", "p t", "info threads",
            "thread 1", "bt 1", f"p {out}", "c", "thread 4", "delete", "c", "info threads",
            "p $rip", f"p {out}", "c",
        ),
    )  # fmt: skip
    refused = (
        "Cannot run: thread 1 is of the CPU, and only waves of GPUs are simulated; "
        '"info threads" lists them.'
    )
    assert done.err.splitlines().count(refused) == 4
    lines = done.lines
    [stop] = [line for line in lines if "hit Breakpoint 1" in line]
    assert stop.startswith("Thread 3 hit Breakpoint 1, with lane 5, vadd (")
    assert "$1 = 5" in lines and "$2 = {0, 2, 4, 6}" in lines
    assert "[All waves have ended; the CPU threads have not run]" in lines
    numbers = [line[2] for line in lines if line[:2] in ("* ", "  ") and line[2].isdigit()]
    assert numbers == ["1", "2", "3", "4", "1", "2"]
    assert lines[-1] == "$4 = {0, 2, 4, 6}"
    assert any(line.startswith("$3 = (void (*)()) 0x7ffff7ffa1b4") for line in lines)


def test_a_thread_of_the_cpu_sees_what_waves_write_and_the_other_way_round(tmp_path: Path) -> None:
    alone, path = tmp_path / "gpu.core", tmp_path / "merged.core"
    data, [buffers] = core_of(
        [Running(integers("gfx942.O0"), "vadd", ("range:128", "range:128", "zeros:512"))]
    )
    alone.write_bytes(data)
    path.write_bytes(merged_core(HOST, alone))
    a, out = (f"((int *) {buffers[name]:#x})" for name in ("a", "out"))
    lines = debug(
        path, *SYSROOT,
        lines=(
            f"set var {a}[1] = 40", "break *0", "delete", f"set var {a}[2] = 50", "thread 3", "c",
            f"p {out}[0]@4",
        ),
    ).lines  # fmt: skip
    assert "$1 = {0, 41, 52, 6}" in lines


@pytest.mark.parametrize(
    ("first", "second"),
    [("gfx942.O2", "gfx1100.O2"), ("gfx1100.O0", "gfx90a.O0"), ("gfx1200.O2", "gfx942.O0")],
)
def test_the_waves_of_two_gpus_go_on(first: str, second: str, tmp_path: Path) -> None:
    """Each runs the code of its own processor; they share global memory."""
    core, out, further = two_gpus(tmp_path, first, second)
    shown = (f"p *(int (*)[128]) {out:#x}", f"p *(int (*)[128]) {further:#x}")
    lines = debug(core, lines=("c", *shown)).lines
    assert "[Inferior 1 exited normally]" in lines
    assert f"$1 = {{{', '.join(str(2 * n) for n in range(128))}}}" in lines
    assert f"$2 = {{{', '.join(str(3 * n) for n in range(128))}}}" in lines


def test_stops_on_two_gpus(tmp_path: Path) -> None:
    """A breakpoint is in the code of both; a watchpoint of global memory sees both."""
    core, out, further = two_gpus(tmp_path, "gfx942.O0", "gfx1100.O0")
    every = debug(
        core, lines=("break integers.hip:17", *["c"] * 7, f"p *(int (*)[3]) {further:#x}")
    ).lines  # fmt: skip
    hits = [line.partition(" hit")[0] for line in every if "hit Breakpoint 1." in line]
    assert hits == [f"Thread {n}" for n in range(1, 7)]
    assert "[Inferior 1 exited normally]" in every and every[-1] == "$1 = {0, 3, 6}"
    watched = debug(
        core,
        lines=(f"watch *(int *) {out + 4:#x}", f"watch *(int *) {further + 4:#x}", "c", "c", "c"),
    ).lines
    hits = [line for line in watched if " hit Hardware watchpoint " in line]
    assert [hit.partition(":")[0] for hit in hits] == [
        "Thread 1 hit Hardware watchpoint 1, with lane 1",
        "Thread 3 hit Hardware watchpoint 2, with lane 1",
    ]  # fmt: skip
    assert [line for line in watched if line.startswith("New value")] == [
        "New value = 2", "New value = 3",
    ]  # fmt: skip


def test_one_wave_of_two_gpus_alone(tmp_path: Path) -> None:
    core, out, _ = two_gpus(tmp_path, "gfx942.O0", "gfx1100.O0")
    lines = debug(
        core,
        lines=(
            "thread 4", "set scheduler-locking on", "c", "info threads", f"p *(int *) {out + 4:#x}",
            "set scheduler-locking off", "thread 3", "stepi", "c", f"p *(int *) {out + 4:#x}",
        ),
    ).lines  # fmt: skip
    threads = [line[2] for line in lines if "AMDGPU Wave" in line and line[2:3].isdigit()]
    assert threads == ["1", "2", "3", "5", "6"]
    assert "$1 = 0" in lines and lines[-1] == "$2 = 2"
