"""`dwarfgpu run`: kernels of the fixtures, compared with what their source says."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.base.npy import Npy, npy_bytes, read_npy
from dwarfgpu.base.writing import require_writable
from dwarfgpu.cli.main import main
from dwarfgpu.machine.simulated.execution import interpreter
from dwarfgpu.options.program_name import program_name
from tests.cli.command import FIXTURES, run, run_json, validate
from tests.gpu_programs import gpu_program

CL, HIP, TRITON = FIXTURES / "opencl", FIXTURES / "hip", FIXTURES / "triton"
BUILT = [
    f"{target}.{level}" for target in ("gfx90a", "gfx942", "gfx1100") for level in ("O0", "O2")
]


def saved(folder: Path, name: str, array: np.ndarray) -> str:
    path = folder / f"{name}.npy"
    kind = array.dtype.newbyteorder("<").str
    path.write_bytes(npy_bytes(Npy(kind, array.shape, array.tobytes())))
    return f"@{path}"


def values(path: Path) -> np.ndarray:
    array = read_npy(path)
    return np.frombuffer(array.data, array.descr).reshape(array.shape)


def executed(file: Path, kernel: str, folder: Path, out: str, *arguments: object) -> np.ndarray:
    """What memory an argument points to after a kernel has run."""
    path = folder / "result.npy"
    done = run_json("run", file, kernel, *arguments, "--out", f"{out}={path}")
    assert done.status == 0, done.json
    assert done.json["stop"] is None
    return values(path)


def signed(values: np.ndarray) -> np.ndarray:
    return values.astype(np.uint32).view(np.int32)


@pytest.mark.parametrize("built", BUILT)
def test_a_call_with_an_array_on_the_stack(built: str, tmp_path: Path) -> None:
    file = CL / f"kernels.{built}.v5.co"
    grid = ("--grid", 128, "--workgroup", 64, "--arg", "out=zeros:512")
    result = executed(file, "call", tmp_path, "out", *grid)
    t = np.arange(128)
    assert (result == t * (t & 7) + (t + 5) + (t + 6)).all()


@pytest.mark.parametrize("built", BUILT)
def test_lds_through_a_generic_pointer(built: str, tmp_path: Path) -> None:
    file = CL / f"kernels.{built}.v5.co"
    grid = ("--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256")
    result = executed(file, "lds", tmp_path, "out", *grid)
    assert (result == (63 - np.arange(64)) * np.float32(0.5)).all()


@pytest.mark.parametrize("built", BUILT)
def test_a_divergent_nest(built: str, tmp_path: Path) -> None:
    file = CL / f"kernels.{built}.v5.co"
    limit, launches = 9, 3
    a = np.arange(257, dtype=np.int32) * 7919 % 41 - 20
    given = saved(tmp_path, "in", a.astype(np.int32))
    result = executed(
        file, "diverge", tmp_path, "out", "--grid", 256, "--workgroup", 64,
        "--arg", f"in={given}", "--arg", "out=zeros:4096", "--arg", f"limit={limit}",
    )  # fmt: skip
    t = np.arange(256)
    first = a[t] + launches
    second = first + a[t + 1]
    taken = a[t] > limit
    odd = a[t] & 1 == 1
    deep = np.where(odd, second * 3, second - 7)
    zeros = np.zeros(1024, np.int64)
    zeros[t] = np.where(taken, deep ^ t, first * limit + t)
    zeros[t + 256] = np.where(taken & odd, second * 3, 0)
    zeros[t + 512] = np.where(taken & ~odd, second - 7, 0)
    assert (result == signed(zeros)).all()


@pytest.mark.parametrize("built", BUILT)
def test_a_loop_with_continue_and_break(built: str, tmp_path: Path) -> None:
    file = CL / f"kernels.{built}.v5.co"
    a = (np.arange(160) * 31 % 23 - 3).astype(np.int32)
    given = saved(tmp_path, "in", a)
    result = executed(
        file, "loop", tmp_path, "out", "--grid", 128, "--workgroup", 64,
        "--arg", f"in={given}", "--arg", "out=zeros:512", "--arg", "n=20",
    )  # fmt: skip
    expected = []
    for t in range(128):
        total = 0
        for n in range(20):
            v = int(a[t + n])
            if v < 0:
                break
            total += v * (2, 3, 5, 7)[n & 3]
        expected.append(total)
    assert result.tolist() == expected


@pytest.mark.parametrize("built", BUILT)
def test_structures_and_doubles(built: str, tmp_path: Path) -> None:
    file = CL / f"kernels.{built}.v5.co"
    result = executed(
        file, "data", tmp_path, "out", "--grid", 64, "--workgroup", 64,
        "--arg", "out=zeros:512", "--arg", "f=1.5", "--arg", "d=0.75",
    )  # fmt: skip
    expected = []
    for t in range(64):
        x = 1 + (1.5 if t % 3 == 0 else 0)
        row = (3, 4, 5)
        wide = (0x100000000 + t) % 7
        expected.append(0.75 * x + t + wide + (t * 3 & 255) + row[t % 3] + t + 5)
    assert result.tolist() == expected


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_a_kernel_made_by_triton(target: str, tmp_path: Path) -> None:
    """Buffers of 100 numbers: the last lanes are masked."""
    x = np.arange(100, dtype=np.float32) / 3
    y = np.arange(100, dtype=np.float32)[::-1].copy()
    grid = {"gfx942": 256, "gfx1100": 128}[target]
    path = tmp_path / "y.npy"
    done = run_json(
        "run", TRITON / f"axpy.{target}.co", "axpy", "--grid", grid, "--workgroup", grid,
        "--arg", f"0={saved(tmp_path, 'x', x)}", "--arg", f"1={saved(tmp_path, 'y', y)}",
        "--arg", "2=100", "--arg", "3=bytes:0000803f", "--arg", "4=null", "--arg", "5=null",
        "--out", f"y={path}",
    )  # fmt: skip
    assert done.status == 0, done.json
    result = np.frombuffer(read_npy(path).data, np.float32)
    assert (result == x + y).all()


def test_it_prints_what_memory_holds() -> None:
    done = run(
        "run", CL / "kernels.gfx942.O2.v5.co", "call", "--grid", 128, "--workgroup", 64,
        "--arg", "out=zeros:512",
    )  # fmt: skip
    assert done.lines == [
        "kernel call on gfx942, wave64: grid 128,1,1, workgroup 64,1,1",
        "  2 waves ended after 128 instructions",
        "  out = int32[128] {11, 14, 19, 26, 35, 46, 59, 74, …}",
    ]


@pytest.mark.parametrize("target", ["gfx906", "gfx1201"])
def test_an_array_of_an_optimized_kernel_is_in_private_memory(target: str) -> None:
    """Upstream clang gives kernels no DW_AT_frame_base, and describes the array by DW_OP_fbreg."""
    done = run(
        "run", CL / f"args.{target}.O2.v5.co", "kinds", "--grid", 64, "--workgroup", 64,
        "--arg", "out=zeros:256", "--arg", f"pair=bytes:{'00' * 24}", "--arg", "h=0",
        "--arg", f"four=bytes:{'00' * 16}", "--arg", "three=bytes:00000000", "--arg", "wide=0",
        "--arg", "tile=lds:256", "--arg", "table=range:64", "--arg", "small=7",
        "--break", "args.cl:23", "--print", "kept", "--lane", 3,
    )  # fmt: skip
    assert done.status == 0, done.err
    assert "     3 {0, 7, 14, 21, 28, 35}" in done.lines  # k * small


def test_an_access_past_a_buffer_names_buffer_lane_and_line() -> None:
    done = run_json(
        "run", CL / "kernels.gfx942.O0.v5.co", "call", "--grid", 128, "--workgroup", 64,
        "--arg", "out=zeros:388",
    )  # fmt: skip
    assert done.status == 1
    stop = done.json["stop"]
    assert stop["reason"] == "MEMORY_VIOLATION"
    assert stop["lanes"] == list(range(33, 64))
    assert "the end of buffer out" in stop["text"]
    assert stop["instruction"].startswith("global_store_dword")
    assert "kernels.cl:75" in stop["source"]


def test_a_stop_is_before_the_instruction_and_leaves_memory_as_it_was(tmp_path: Path) -> None:
    """Lanes 0 to 31 could store, lane 32 could not: no lane has stored."""
    path = tmp_path / "out.npy"
    done = run_json(
        "run", CL / "kernels.gfx942.O2.v5.co", "call", "--grid", 64, "--workgroup", 64,
        "--arg", "out=zeros:128", "--out", f"out={path}",
    )  # fmt: skip
    assert done.json["stop"]["lanes"] == list(range(32, 64))
    assert not values(path).any()


@pytest.mark.parametrize(("fill", "byte"), [((), "0xfd"), (("--fill", 0), "0x00")])
def test_what_the_kernel_reads_of_an_unknown_argument_is_said(
    fill: tuple[str | int, ...], byte: str
) -> None:
    done = run_json(
        "run", CL / "kernels.gfx942.O2.v5.co", "loop", "--grid", 64, "--workgroup", 64,
        "--arg", "in=range:64", "--arg", "out=zeros:256", "--arg", "n=?", *fill,
    )  # fmt: skip
    assert [note for note in done.json["notes"] if "unknown" in note] == [
        "unknown: n: declared unknown",
        f"the kernel reads {byte} in each byte of an argument that is declared unknown: "
        "results that depend on one change with --fill",
    ]


def test_a_buffer_without_contents_is_refused() -> None:
    done = run(
        "run", CL / "kernels.gfx942.O2.v5.co", "call", "--grid", 64, "--workgroup", 64,
        "--arg", "out=buffer:512",
    )  # fmt: skip
    assert (done.status, done.error) == (
        2, "out: its contents are unknown; set them with zeros:SIZE, range:COUNT or @FILE",
    )  # fmt: skip


def test_out_names_a_buffer(tmp_path: Path) -> None:
    done = run(
        "run", CL / "kernels.gfx942.O2.v5.co", "call", "--grid", 64, "--workgroup", 64,
        "--arg", "out=zeros:256", "--out", f"nothing={tmp_path / 'x.npy'}",
    )  # fmt: skip
    assert (done.status, done.error) == (
        2, "--out nothing: no buffer was created for it; buffers: out",
    )  # fmt: skip
    assert done.out == ""  # before the run: its results would be lost


def test_out_takes_the_number_of_an_argument_as_arg_does(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    sizes = "--grid", 64, "--workgroup", 64
    call = "run", CL / "kernels.gfx942.O2.v5.co", "call", *sizes, "--arg", "0=zeros:256"
    assert run(*call, "--out", f"0={path}").status == 0
    by_number = path.read_bytes()
    assert run(*call, "--out", f"out={path}").status == 0
    assert path.read_bytes() == by_number
    twice = run(*call, "--then", "call", "--arg", "0=zeros:512", "--out", f"0.2={path}")
    assert twice.status == 0 and len(path.read_bytes()) == len(by_number) + 256
    for name, error in (
        ("1", "--out 1: no buffer was created for it; buffers: out"),
        ("0.2", "--out 0.2: no buffer was created for it; buffers: out"),
    ):
        assert run(*call, "--out", f"{name}={path}").error == error
    both = run(*call, "--out", f"0={path}", "--out", f"out={tmp_path / 'y.npy'}")
    assert (both.status, both.error) == (2, "--out out: given twice")


def test_no_instruction_runs_before_outputs_that_cannot_be_written(tmp_path: Path) -> None:
    good, lost = tmp_path / "good.npy", tmp_path / "nowhere/lost.npy"
    done = run("run", *VADD, "--out", f"out={good}", "--out", f"a={lost}")
    assert (done.status, done.out, done.error) == (
        2, "", f"{lost} cannot be written: No such file or directory",
    )  # fmt: skip
    assert not good.exists()
    for option in ("--save", "--core"):
        done = run("run", *VADD, option, tmp_path)
        assert (done.out, done.error) == ("", f"{tmp_path} cannot be written: Is a directory")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("option", ["--out out=", "--save=", "--core="])
def test_a_folder_that_takes_no_file_is_known_before_the_run(option: str) -> None:
    done = run("run", *VADD, *f"{option}/proc/nosuch.npy".split())
    assert (done.status, done.out) == (2, "")
    assert done.error.startswith("/proc/nosuch.npy cannot be written: ")


@pytest.mark.parametrize("has_unnamed", [True, False])
def test_looking_whether_a_file_can_be_written_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_unnamed: bool
) -> None:
    if not has_unnamed:
        monkeypatch.setattr(os, "O_TMPFILE", 0, raising=False)
    require_writable(tmp_path / "new.npy")
    assert list(tmp_path.iterdir()) == []


def test_two_outputs_have_two_files(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("z.json")
    z, link = tmp_path / "z.json", tmp_path / "link.json"
    for existing in (False, True):  # names alone, then a file behind them
        if existing:
            z.write_text("{}")
        for first, second, refused, earlier in (
            (("--save", z), ("--core", z), "--core", "--save"),
            (("--save", z), ("--core", link), "--core", "--save"),
            (("--out", f"out={z}"), ("--out", f"a={z}"), "--out a", "--out out"),
            (("--save", z), ("--out", f"out={tmp_path}/./z.json"), "--save", "--out out"),
        ):
            done = run("run", *VADD, *first, *second)
            assert (done.status, done.out) == (2, "")
            assert done.error.startswith(f"{refused}: {earlier} writes {tmp_path}"), done.error
    twice = run("run", *VADD, "--out", "out=x.npy", "--out", "out=y.npy")
    assert twice.error == "--out out: given twice"
    streams = run("run", *VADD, "--out", "out=/dev/null", "--out", "a=/dev/null")
    assert streams.status == 0


def test_no_output_replaces_an_input(tmp_path: Path) -> None:
    code, array = tmp_path / "k.co", tmp_path / "in.npy"
    code.write_bytes(VADD[0].read_bytes())
    saved(tmp_path, "in", np.arange(128, dtype=np.int32))
    files = {path: path.read_bytes() for path in (code, array)}
    for option in ("--save", "--core", "--out"):
        for path in files:
            value = f"out={path}" if option == "--out" else path
            done = run(
                "run", code, *VADD[1:6], "--arg", f"a=@{array}", *VADD[8:], "--break", "16",
                option, value,
            )  # fmt: skip
            assert (done.status, done.out) == (2, "")
            name = "--out out" if option == "--out" else option
            assert done.error == (f"{name}: {path} is an input: give another file")
    assert files == {path: path.read_bytes() for path in files}


@pytest.mark.parametrize("name", ["a", "0"])
def test_an_output_may_update_the_array_of_its_argument(name: str, tmp_path: Path) -> None:
    array = saved(tmp_path, "in", np.arange(128, dtype=np.int32))
    given = (*VADD[:6], "--arg", f"{name}={array}", *VADD[8:])
    assert run("run", *given, "--out", f"a={array[1:]}").status == 0
    assert run("run", *given, "--out", f"out={array[1:]}").status == 2
    later = ("--then", "vadd", "--arg", f"{name}={array}", "--arg", "b=same:b")
    done = run("run", *VADD, *later, "--arg", "out=same:out", "--out", f"a.2={array[1:]}")
    assert done.status == 0, done.err


def test_without_numpy_the_error_is_one_line(repository: Path) -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from dwarfgpu.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["fixtures/opencl/kernels.gfx942.O2.v5.co", "call", "--grid", "64"]
    command = [sys.executable, "-c", code, "run", *arguments, "--workgroup", "64"]
    done = subprocess.run(
        [*command, "--arg", "out=zeros:256"],
        cwd=repository, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert not done.stdout
    assert line.startswith("dwarfgpu: Unsupported: running kernels needs NumPy: ")
    assert line.endswith(" install numpy")


def test_numpy_that_cannot_be_loaded_is_one_line(tmp_path: Path) -> None:
    damaged = tmp_path / "numpy"
    damaged.mkdir()
    (damaged / "__init__.py").write_text("raise ImportError('line one\\nline two')\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from dwarfgpu.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "run", "--demo"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith(
        "dwarfgpu: Unsupported: running kernels needs NumPy, which cannot be loaded: "
    )
    assert line.endswith(" -c 'import numpy' shows why")
    command[3:] = ["eval", "--demo", "t"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "320" in done.stdout) == (0, True), done.stderr


def test_seeds_order_waves_and_change_no_result(tmp_path: Path) -> None:
    file = CL / "kernels.gfx1100.O0.v5.co"
    grid = ("--grid", 256, "--workgroup", 64, "--arg", "out=zeros:1024")
    first = executed(file, "call", tmp_path, "out", *grid)
    second = executed(file, "call", tmp_path, "out", *grid, "--seed", 7)
    assert (first == second).all()
    assert struct.unpack("<i", first[1].tobytes()) == (1 * 1 + 6 + 7,)


def test_numbers_are_made_of_the_type_that_is_pointed_to(tmp_path: Path) -> None:
    """vadd of 0, 1, 2 … and random numbers, which are the same each time."""
    file = FIXTURES / "run/integers.gfx90a.O2.v5.co"
    grid = ("--grid", 128, "--workgroup", 64, "--arg", "a=range:128", "--arg", "out=zeros:512")
    zero = executed(file, "vadd", tmp_path, "out", *grid, "--arg", "b=zeros:512")
    assert zero.tolist() == list(range(128))
    first = executed(file, "vadd", tmp_path, "out", *grid, "--arg", "b=random:7:128")
    again = executed(file, "vadd", tmp_path, "out", *grid, "--arg", "b=random:7:128")
    assert (first == again).all() and len(set(first.tolist())) > 100


def test_numbers_for_a_pointer_of_unknown_type_are_refused() -> None:
    done = run(
        "run", TRITON / "loops.gfx942.triton3.6.0.co", "loops", "--grid", 256, "--workgroup", 256,
        "--arg", "0=range:100", "--arg", "1=zeros:400", "--arg", "2=100", "--arg", "3=?",
        "--arg", "4=null", "--arg", "5=null",
    )  # fmt: skip
    assert done.status == 2
    assert done.error.endswith("no debugging information says which numbers it points to")


def test_the_demo_draws_the_mandelbrot_set() -> None:
    """As this loop in doubles does, but for points at the edge of a shade."""
    done = run("run", "--demo")
    assert done.status == 0 and done.err == ""
    rows = [line.removeprefix("    ") for line in done.lines[3:]]
    assert len(rows) == 21
    wrong = 0
    for row, line in enumerate(rows):
        assert len(line) == 63
        for column, shown in enumerate(line):
            z, c, steps = 0j, complex((column - 44) / 20, (row - 10) / 9), 0
            while steps < 40 and abs(z) < 2:
                z, steps = z * z + c, steps + 1
            wrong += shown != ("@" if steps == 40 else " .,:;-=+*#%"[min(steps, 10)])
    assert wrong <= 13  # one in a hundred


def test_the_demo_is_little_work_and_takes_other_arguments() -> None:
    first, second = run_json("run", "--demo"), run_json("run", "--demo", "--arg", "most=5")
    assert second.json["instructions"] < first.json["instructions"] < 25_000
    assert set(second.json["buffers"][0]["text"]) == set(".,:;@\n")


def test_a_run_without_buffers_prints_no_empty_line() -> None:
    file = CL / "kernels.gfx942.O2.v5.co"
    done = run("run", file, "call", "--grid", 64, "--workgroup", 64, "--arg", "out=null")
    assert done.status == 1 and "" not in done.lines


def test_commands_for_files_with_blanks_can_be_copied(tmp_path: Path) -> None:
    state, core = tmp_path / "a state.json", tmp_path / "a core"
    asked = ("--stops", 1, "--save", state, "--core", core)
    notes = run("run", "--demo", *DEMO_LINE, *asked).notes
    assert f"state {state}: {program_name()} debug --state '{state}' --wave 1" in notes
    assert f"core file {core}: {program_name()} info '{core}'" in notes


def test_a_run_names_what_it_lacks() -> None:
    assert run("run").error == (
        "run needs FILE, --grid and --workgroup, --demo alone, a core file, or --state FILE"
    )
    file = CL / "kernels.gfx942.O2.v5.co"
    lacking = f"{file}: to run a kernel of it, give "
    assert run("run", file, "call", "--grid", 64).error == lacking + "--workgroup too"
    assert run("run", file).error == lacking + "--grid and --workgroup too"
    other = FIXTURES / "x86_64/demo.gcc.O2.v5"
    assert run("run", other).error == f"Unsupported: {other} is for X86_64, not for an AMD GPU"
    wrong = f"{file} has no kernel cal; it has "
    for command in ("run", "dispatch"):
        done = run(command, file, "cal")
        assert done.error.startswith(wrong) and done.error.endswith("; did you mean call?")
    assert run("run", file, "--demo").error == "give FILE or --demo, not both"


DEMO_LINE = ("--break", "mandelbrot.hip:7")
INTEGERS = FIXTURES / "run/integers.gfx942.O0.v5.co"
HISTOGRAM = (
    INTEGERS, "histogram", "--grid", 256, "--workgroup", 128,
    "--arg", "a=range:192", "--arg", "b=range:192", "--arg", "out=zeros:64",
)  # fmt: skip


@pytest.mark.parametrize("place", ["16", "integers.hip:16"])
def test_a_breakpoint_at_a_line_needs_debugging_information(tmp_path: Path, place: str) -> None:
    """The prompt answers as GDB does, with the name of a command of the prompt."""
    plain = tmp_path / "plain.co"
    plain.write_bytes(Path(VADD[0]).read_bytes().replace(b".debug_", b".xebug_"))
    arguments = ("--arg", "0=zeros:512", "--arg", "1=zeros:512", "--arg", "2=zeros:512")
    command = ("run", plain, *VADD[1:6], *arguments, "--stops", 1, "--break")
    done = run(*command, place)
    assert done.status == 2
    assert f"--break {place}: plain.co has no debugging information: give a function" in done.error
    assert run(*command, "vadd").status == 0


def test_a_breakpoint_shows_expressions_in_the_active_lanes() -> None:
    """The steps of the first wave are those of the shades that it draws."""
    done = run("run", "--demo", *DEMO_LINE, "--print", "steps", "--stops", 1)
    assert done.status == 0
    assert done.lines[1:5] == [
        "break mandelbrot.hip:7: AMDGPU Wave 1:1:1:1 (0,0,0)/0, lanes 0-62",
        "  shade (steps=1, most=<optimized out>) at hip/mandelbrot.hip:7",
        "   Lane steps",
        "   0-10 1",
    ]
    rows = [line.split() for line in done.lines[4:] if re.fullmatch(r" +[-\d]+ \d+", line)]
    shown = ""
    for lanes, steps in rows:
        first, _, last = lanes.partition("-")
        shown += " .,:;-=+*#%"[min(int(steps), 10)] * (int(last or first) - int(first) + 1)
    whole = run("run", "--demo").lines
    assert f"    {shown}" == whole[3]


def test_the_only_wave_is_one() -> None:
    done = run("run", *VADD[:3], 64, *VADD[4:], "--break", "16", "--wave", 99)
    assert done.error == "--wave 99: the run has wave 1"


def test_waves_go_on_after_their_stops() -> None:
    done = run_json("run", "--demo", *DEMO_LINE, "--print", "steps", "--print", "steps * 2")
    assert [stop["wave"] for stop in done.json["stops"]] == list(range(1, 22))
    first, second = done.json["stops"][10]["values"]
    assert first["lanes"][63 - 1]["lane"] == 62
    assert [2 * lane["data"] for lane in first["lanes"]] == [
        lane["data"] for lane in second["lanes"]
    ]
    assert done.json["stop"] is None and done.status == 0


def test_a_condition_is_that_of_a_lane() -> None:
    done = run_json(
        "run", "--demo", "--break", "mandelbrot.hip:7 if steps == 9", "--print", "steps"
    )
    for stop in done.json["stops"]:
        assert {lane["data"] for lane in stop["values"][0]["lanes"]} == {9}
        assert [lane["lane"] for lane in stop["values"][0]["lanes"]] == stop["lanes"] != []
    stopped = {stop["wave"] for stop in done.json["stops"]}
    rows = run("run", "--demo").lines[3:]
    assert stopped == {row + 1 for row, line in enumerate(rows) if "#" in line}


@pytest.mark.parametrize(
    ("condition", "wave", "lanes"),
    [
        ("$_thread == 2", 2, range(64)),
        ("$_gthread == 2 && $_lane < 4", 2, range(4)),
        ("$_thread", 1, range(64)),
    ],
)
def test_a_condition_on_the_number_of_a_wave(condition: str, wave: int, lanes: range) -> None:
    """As at the prompt; `--print` knows it, too."""
    done = run_json("run", *VADD, "--break", f"16 if {condition}", "--print", "$_thread")
    first = done.json["stops"][0]
    assert (first["wave"], first["lanes"]) == (wave, [*lanes])
    assert {lane["data"] for lane in first["values"][0]["lanes"]} == {wave}


def test_a_condition_on_a_variable_without_contents_stops() -> None:
    """A loop's own line comes first, before its variable is written."""
    arguments = ("--arg", "in=zeros:256", "--arg", "out=zeros:256", "--arg", "n=4")
    file = CL / "kernels.gfx942.O0.v5.co"
    options = ("--grid", 64, "--workgroup", 64, *arguments, "--break", "52 if i == 3")
    done = run("run", file, "loop", *options, "--stops", 1)
    assert done.status == 0
    [at] = [index for index, line in enumerate(done.lines) if line.startswith("break 52 if i == 3")]
    assert done.lines[at].endswith("lanes 0-63")
    problem = done.lines[at + 2].strip()
    assert problem.startswith("Error in testing condition in lane 0: Cannot access memory at")
    [stop] = run_json("run", file, "loop", *options, "--stops", 1).json["stops"]
    assert stop["problem"] == problem


def test_each_wave_stops_after_a_barrier() -> None:
    """Line 20 is behind the barrier, where both waves of a workgroup stand when one stops: twice
    in each of four waves."""
    done = run_json("run", *HISTOGRAM, "--break", "device.h:20")
    assert sorted(stop["wave"] for stop in done.json["stops"]) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_each_wave_stops_at_its_first_instruction() -> None:
    plain = run_json("run", "--demo", "--stops", 1, "--break", "mandelbrot")
    entry = plain.json["stops"][0]["pc"]
    done = run_json("run", "--demo", "--break", f"*{entry}", "--wave", 3)
    assert [stop["wave"] for stop in done.json["stops"]] == [3]
    assert len(run_json("run", "--demo", "--break", f"*{entry:#x}").json["stops"]) == 21


def test_chosen_lanes_are_shown_with_their_state() -> None:
    done = run("run", "--demo", *DEMO_LINE, "--stops", 1, "--lane", "62-63", "--print", "$_lane")
    assert [line.split() for line in done.lines[3:6]] == [
        ["Lane", "State", "$_lane"], ["62", "A", "62"], ["63", "I", "63"],
    ]  # fmt: skip


def test_an_invalid_expression_is_reported_at_the_stop() -> None:
    done = run("run", "--demo", *DEMO_LINE, "--stops", 1, "--print", "stops", "--print", "steps")
    assert done.status == 1
    assert any(line.startswith('  stops: No symbol "stops" in current') for line in done.lines)
    assert "   0-10 1" in done.lines


def test_a_line_without_code_is_a_note_as_with_pc() -> None:
    """`llvm-dwarfdump --debug-line`: line 7 is the first of mandelbrot.hip that has code."""
    note = "mandelbrot.hip:2 has no code: line 7 at 0x7f0000001764 is used, the next with code"
    options = ("--break", "mandelbrot.hip:2", "--stops", 1)
    assert run("run", "--demo", *options).notes == [note]
    assert run_json("run", "--demo", *options).json["notes"] == [note]
    assert run("run", "--demo", "--break", "mandelbrot.hip:7", "--stops", 1).notes == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--break", "nowhere"), '--break nowhere: Function "nowhere" not defined.'),
        (("--break", "mandelbrot.hip:999"), "--break mandelbrot.hip:999: neither this line"),
        (("--break", "999"),
         "--break 999: neither this line nor one after it has code in hip/mandelbrot.hip"),
        (("--break", "x.c:3"), "--break x.c:3: No source file named x.c."),
        (("--break", "*0x10"), "--break *0x10: Cannot access memory at address 0x10"),
        (("--break", "*0x7f0000001601"),
         "--break *0x7f0000001601: 0x7f0000001601 is not the address of an instruction: "
         "a multiple of 4"),
        ((*DEMO_LINE, "--seed", -5), "--seed: expected an integer of at least 0, not -5"),
        (("--seed", -5), "--seed: expected an integer of at least 0, not -5"),
        (("--arg", "picture=buffer:1344"), "picture: its contents are unknown; set them with"),
        ((*DEMO_LINE, "--wave", 99), "--wave 99: the run has waves 1-21"),
        (("--trace", "--wave", 99), "--wave 99: the run has waves 1-21"),
        ((*DEMO_LINE, "--lane", 99, "--print", "steps"), "--lane 99: the wave has 64 lanes"),
        ((*DEMO_LINE, "--stops", 0), "--stops 0: expected the number of a stop, from 1"),
        (("--print", "steps"), "--print is about stops: give --break PLACE"),
        (("--break", "mandelbrot.hip:7 if stops"),
         '--break mandelbrot.hip:7 if stops: No symbol "stops" in current'),
        (("--break", "mandelbrot.hip:7 if"),
         "--break mandelbrot.hip:7 if: a condition is missing after if"),
        ((*DEMO_LINE, "--print", "steps +"),
         "--print steps +: A syntax error in expression, near the end of `steps +'."),
        (("--break", "mandelbrot.hip:7 if steps +"), "--break mandelbrot.hip:7 if steps +: "),
    ],
)  # fmt: skip
def test_wrong_requests_about_stops(options: tuple[object, ...], message: str) -> None:
    done = run("run", "--demo", *options)
    assert done.status == 2
    assert done.error.startswith(message)
    assert done.out == ""


@pytest.mark.parametrize(
    "condition",
    ["$_lane == 3", "$exec", "$pc", "steps > 0"],
)
def test_conditions_about_a_wave_are_valid_before_the_run(condition: str) -> None:
    done = run("run", "--demo", "--break", f"mandelbrot.hip:7 if {condition}", "--stops", 1)
    assert done.status == 0, done.err
    assert done.out.startswith("kernel mandelbrot")


def test_the_state_of_a_violation_is_opened_at_its_lane(tmp_path: Path) -> None:
    """Work-item 255 reads behind the end: lane 63 of the last wave."""
    state = tmp_path / "s.json"
    done = run(
        "run", CL / "kernels.gfx942.O2.v5.co", "loop", "--grid", 256, "--workgroup", 64, "--arg",
        "in=zeros:1024", "--arg", "out=zeros:1024", "--arg", "n=4", "--save", state,
    )  # fmt: skip
    assert f"state {state}: {program_name()} debug --state {state} --lane 63" in done.notes


def test_the_state_of_a_breakpoint_is_opened_at_a_lane_of_its_condition(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    place = f"{DEMO_LINE[1]} if $_lane >= 5"
    done = run_json("run", "--demo", "--break", place, "--stops", 1, "--save", state)
    stop, shown = done.json["stop"], done.json["stops"][0]
    assert (stop["wave"], stop["lanes"]) == (shown["wave"], shown["lanes"])
    assert stop["lanes"][0] == 5
    assert (
        f"state {state}: {program_name()} debug --state {state} --wave 1 --lane 5"
        in done.json["notes"]
    )
    place = f"{DEMO_LINE[1]} if $_lane >= 7"
    done = run_json("run", "--state", state, "--break", place, "--stops", 1, "--save", state)
    stop, focus = done.json["stop"], f"--wave {done.json['stop']['wave']} --lane 7"
    assert stop["lanes"] == done.json["stops"][0]["lanes"]
    assert f"state {state}: {program_name()} debug --state {state} {focus}" in done.json["notes"]
    assert done.json["notes"][-1].startswith(f"contents of {state} are in s.at-")


def test_the_state_and_the_core_file_of_a_stop_have_its_values(tmp_path: Path) -> None:
    state, core = tmp_path / "s.json", tmp_path / "s.core"
    done = run("run", "--demo", *DEMO_LINE, "--save", state, "--core", core)
    assert done.status == 0
    assert f"state {state}: {program_name()} debug --state {state} --wave 1" in done.notes
    arrays = ", ".join(sorted(path.name for path in tmp_path.glob("s.*.npy")))
    beside = f"contents of {state} are in {arrays} beside it: keep them together"
    assert arrays and beside in done.notes
    stopped = run_json("run", "--demo", *DEMO_LINE, "--print", "steps", "--stops", 1).json
    datas = [lane["data"] for lane in stopped["stops"][0]["values"][0]["lanes"]]
    for options in (("--state", state), (core, "--sysroot", "/")):
        lanes = run_json("eval", *options, "--wave", 1, "--lane", "0-62", "steps").json["lanes"]
        assert [lane["data"] for lane in lanes] == datas
    assert "faulty" not in run("waves", "--state", state).out


def test_a_state_of_a_fault_has_its_reason(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    done = run(
        "run", CL / "kernels.gfx942.O0.v5.co", "call", "--grid", 128, "--workgroup", 64,
        "--arg", "out=zeros:256", "--save", state,
    )  # fmt: skip
    assert done.status == 1
    assert " memory_violation " in run("waves", "--state", state).out
    read = ("eval", "--state", state, "--wave", 2, "--lane", 0, "$_kernarg.out[5]")
    assert run(*read).lines == ["$_kernarg.out[5] = 46"]


def test_a_run_to_the_end_has_no_state(tmp_path: Path) -> None:
    done = run("run", "--demo", "--save", tmp_path / "s.json")
    assert done.notes == [
        f"no state is saved in {tmp_path / 's.json'}: all waves have ended; --break stops them "
        "earlier"
    ]


def test_a_run_to_the_end_has_no_core_file(tmp_path: Path) -> None:
    core = tmp_path / "c.core"
    done = run("run", "--demo", "--core", core)
    assert done.notes == [
        f"no core file is written to {core}: all waves have ended; --break with --stops ends the "
        "run earlier"
    ]
    assert done.status == 0 and not core.exists()


def test_a_trace_shows_what_each_instruction_changes() -> None:
    done = run("run", "--demo", "--trace", "--trace-limit", 4, "--wave", 3)
    assert done.lines[1:8] == [
        "wave 3",
        "hip/device.h:12",
        f"  0x7f0000001600  {'s_load_dword s3, s[0:1], 0x8':<44}  s3 = 0x28, "
        "load 4 bytes at global 0x7e0000006088",
        "hip/mandelbrot.hip:17",
        "  0x7f0000001608  s_waitcnt lgkmcnt(0)",
        f"  0x7f000000160c  {'s_cmp_lt_i32 s3, 1':<44}  scc = 0x0",
        "  0x7f0000001610  s_cbranch_scc1 79",
    ]
    assert done.lines[8] == "  21 waves ended after 20600 instructions"


def test_a_trace_as_json_lines_ends_with_the_result() -> None:
    done = run("run", "--demo", "--trace", "--lane", 5, "--json")
    *lines, result = map(json.loads, done.lines)
    assert result["instructions"] == len(lines)
    for line in (*lines[::500], result):
        validate(line)
    vectors = [change for line in lines for change in line["registers"] if change["lanes"]]
    assert {tuple(change["lanes"]) for change in vectors} == {(5,)}
    stores = [access for line in lines for access in line["memory"] if access["is_written"]]
    assert len(stores) == 21
    [first, second, *_] = [access["addresses"][0] for access in stores]
    assert second - first == 64


def test_a_trace_and_stops_go_together() -> None:
    done = run(
        "run", "--demo", "--trace", *DEMO_LINE, "--stops", 1, "--lane", 3, "--print", "steps"
    )
    at = done.lines.index("break mandelbrot.hip:7: AMDGPU Wave 1:1:1:1 (0,0,0)/0, lanes 0-62")
    assert done.lines[at + 2].split() == ["Lane", "steps"]
    assert done.lines[at + 3].split() == ["3", "1"]
    assert at > 300


@pytest.mark.parametrize(
    "place", [("missing.co", "--grid", 64, "--workgroup", 64), ("--state", "missing.json")]
)
def test_options_of_stops_without_any_are_refused_before_the_run(place: tuple[object, ...]) -> None:
    """A launch takes seconds: not even its file is read."""
    for options, of in ((("--stops", 1), "stops"), (("--wave", 1), "stops and traces")):
        done = run("run", *place, *options)
        assert done.status == 2
        assert done.error.startswith(f"{options[0]} is about {of}: give --break PLACE")


def test_wrong_requests_about_traces() -> None:
    assert run("run", "--demo", "--wave", 2).error == (
        "--wave is about stops and traces: give --break PLACE or --trace"
    )
    assert run("run", "--demo", "--trace-limit", 2).error == ("--trace-limit requires --trace")
    assert run("run", "--demo", "--trace", "--lane", 64).error == (
        "--lane 64: the wave has 64 lanes, from 0"
    )


def triton(folder: Path, kernel: str, target: str, *arguments: str) -> np.ndarray:
    """What a kernel of Triton leaves in its output; it takes two pointers more, to memory that it
    does not use."""
    size = {"gfx942": 256, "gfx950": 256, "gfx1100": 128}[target]
    out, path = {"softmax": "y", "matmul": "c"}[kernel], folder / "out.npy"
    rows = {"softmax": 3, "matmul": 1}[kernel]
    given = [f"{n}={value}" for n, value in enumerate((*arguments, "null", "null"))]
    done = run_json(
        "run", TRITON / f"{kernel}.{target}.co", kernel, "--grid", rows * size,
        "--workgroup", size, "--dynamic-lds", 8192, "--out", f"{out}={path}",
        *(word for value in given for word in ("--arg", value)),
    )  # fmt: skip
    assert done.status == 0, done.json
    return np.frombuffer(read_npy(path).data, np.float32)


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1100"])
def test_a_softmax_of_triton(target: str, tmp_path: Path) -> None:
    """Three rows of 200 numbers, each reduced by all waves of a workgroup."""
    x = np.random.default_rng(5).normal(size=(3, 200)).astype(np.float32) * 4
    answers = triton(tmp_path, "softmax", target, saved(tmp_path, "x", x), "zeros:2400", "200")
    power = np.exp(x.astype(float) - x.max(axis=1, keepdims=True))
    expected = power / power.sum(axis=1, keepdims=True)
    assert np.allclose(answers.reshape(3, 200), expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1100"])
def test_a_matrix_product_of_triton(target: str, tmp_path: Path) -> None:
    """Integers, so that the sums are exact in any order."""
    rng = np.random.default_rng(6)
    a, b = (rng.integers(-8, 9, (32, 32)).astype(np.float16) for _ in range(2))
    given = [saved(tmp_path, name, array) for name, array in (("a", a), ("b", b))]
    answers = triton(tmp_path, "matmul", target, *given, "zeros:4096")
    assert (answers.reshape(32, 32) == a.astype(float) @ b.astype(float)).all()


HOST = (FIXTURES / "run/host.gfx942.O0.v5.co", "--grid", 64, "--workgroup", 64)


def test_what_only_a_runtime_makes_is_named_where_a_kernel_needs_it(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    done = run("run", *HOST, "--arg", "out=zeros:256", "--save", state)
    assert done.status == 1
    assert (
        "reads 4 bytes at 0x7c0000000000: hidden_hostcall_buffer, which only a runtime creates: "
        in (done.lines[1])
    )
    assert "run/host.hip:8:" in done.lines[3]
    assert [note for note in done.notes if "hidden" in note] == []  # one line is enough
    shown = run("eval", "--state", state, "--lane", 0, "$_kernarg.hidden_hostcall_buffer")
    assert shown.lines == ["$_kernarg.hidden_hostcall_buffer = <unavailable>"]


def test_a_hidden_argument_can_be_given() -> None:
    """A null pointer is one as well; then the address says where the kernel went."""
    given = ("--arg", "out=zeros:256", "--arg", "hidden_hostcall_buffer=0")
    done = run("run", *HOST, *given)
    assert "reads 4 bytes at 0x0: no memory is there" in done.lines[1]


def test_hidden_arguments_that_are_not_known_are_one_note() -> None:
    done = run("dispatch", *HOST, "--arg", "out=zeros:256")
    assert done.notes == [
        "unknown, because only a runtime creates them: hidden_hostcall_buffer, "
        "hidden_multigrid_sync_arg, hidden_heap_v1, hidden_default_queue, hidden_completion_action"
    ]


@pytest.mark.parametrize("executor", ["precise", "block", "lockstep"])
@pytest.mark.parametrize(
    ("gpu", "address", "size"), [("gfx90a", 0xA8, 128), ("gfx1100", 0xC8, 160)]
)
def test_a_stack_beyond_the_private_memory_of_a_lane(
    gpu: str, address: int, size: int, executor: str
) -> None:
    """The buffer resource of gfx90a's scratch is for all waves: what is behind the private memory
    of one wave is that of the next."""
    buffers = ("--arg", "0=range:128", "--arg", "1=range:128", "--arg", "2=zeros:512")
    file = FIXTURES / f"run/integers.{gpu}.O0.v5.co"
    sizes = ("--grid", 128, "--workgroup", 64, "--executor", executor)
    done = run("run", file, "recursion", *sizes, *buffers)
    assert done.status == 1
    assert done.lines[1].endswith(
        f"MEMORY_VIOLATION, writes 4 bytes of private memory at {address:#x}: "
        f"a lane has {size} bytes (--scratch BYTES gives more, for a deeper stack)"
    )
    assert not any("V#" in note for note in done.notes), "a run makes it"


VADD: tuple[Any, ...] = (
    FIXTURES / "run/integers.gfx942.O2.v5.co", "vadd", "--grid", 128, "--workgroup", 64,
    "--arg", "a=range:128", "--arg", "b=range:128", "--arg", "out=zeros:512",
)  # fmt: skip


def test_later_dispatches_have_the_buffers_of_earlier_ones(tmp_path: Path) -> None:
    path = tmp_path / "out.npy"
    done = run_json(
        "run", *VADD,
        "--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:a", "--arg", "out=zeros:512",
        "--then", "transpose", "--arg", "a=same:out.2", "--arg", "b=same:out",
        "--arg", "out=same:b", "--out", f"b={path}",
    )  # fmt: skip
    assert done.status == 0
    assert [item["kernel"] for item in done.json["dispatches"]] == ["vadd", "vadd", "transpose"]
    assert [item["name"] for item in done.json["buffers"]] == ["a", "b", "out", "out.2"]
    t = np.arange(128)
    tiles = (3 * t).reshape(2, 8, 8).transpose(0, 2, 1).ravel()
    assert (values(path) == tiles + 2 * t).all()


def test_sizes_hold_until_others_are_given(tmp_path: Path) -> None:
    """The second dispatch changes 64 numbers, the third one as many."""
    path = tmp_path / "out.npy"
    done = run_json(
        "run", *VADD, "--then", "vadd", "--grid", 64,
        *("--arg", "a=same:out", "--arg", "b=same:b", "--arg", "out=same:out"),
        *("--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:b", "--arg", "out=same:out"),
        "--out", f"out={path}",
    )  # fmt: skip
    assert done.status == 0
    t = np.arange(128)
    assert (values(path) == np.where(t < 64, 4 * t, 2 * t)).all()


def test_waves_are_numbered_through_all_dispatches() -> None:
    second = ("--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:a", "--arg", "out=same:b")
    place = ("--break", "integers.hip:16", "--print", "b[t]", "--lane", 3)
    done = run_json("run", *VADD, *second, *place)
    assert [stop["wave"] for stop in done.json["stops"]] == [1, 2, 3, 4]
    ids = [stop["target_id"].split()[2] for stop in done.json["stops"]]
    assert ids == ["1:1:1:1", "1:1:1:2", "1:2:2:3", "1:2:2:4"]
    alone = run_json("run", *VADD, *second, *place, "--wave", 4)
    assert [stop["wave"] for stop in alone.json["stops"]] == [4]


def test_after_a_dispatch_that_failed_no_other_begins() -> None:
    short = (*VADD[:-1], "out=zeros:40")
    done = run("run", *short, "--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:a",
               "--arg", "out=zeros:512")  # fmt: skip
    assert done.status == 1
    assert done.notes == ["not run: vadd; buffers that were not created: out.2"]
    assert not any("out.2" in line for line in done.lines)


@pytest.mark.parametrize("is_fault", [True, False])
def test_files_of_a_run_that_ends_early(tmp_path: Path, is_fault: bool) -> None:
    """All are written but those of the dispatches that did not begin."""
    first = (*VADD[:-1], "out=zeros:40") if is_fault else (*VADD, "--break", "vadd", "--stops", 1)
    files = {name: tmp_path / f"{name}.npy" for name in ("out.2", "out")}
    state, core = tmp_path / "s.json", tmp_path / "s.core"
    done = run_json(
        "run", *first, "--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:a",
        "--arg", "out=zeros:512", "--save", state, "--core", core,
        *(f"--out={name}={path}" for name, path in files.items()),
    )  # fmt: skip
    assert (done.status, done.json["stop"]["reason"]) == (
        1, "MEMORY_VIOLATION" if is_fault else "BREAKPOINT",
    )  # fmt: skip
    assert done.json["notes"][-2:] == [
        "not run: vadd; buffers that were not created: out.2",
        f"--out out.2: {files['out.2']} is not written: no buffer was created for it",
    ]
    assert [path.name for path in sorted(tmp_path.glob("*[!0-9a-f].npy"))] == ["out.npy"]
    assert state.exists() and core.exists()


def test_a_fault_names_the_buffer_of_its_dispatch() -> None:
    done = run("run", *VADD, "--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:a",
               "--arg", "out=zeros:40")  # fmt: skip
    assert any("after the end of buffer out.2, which has 40 bytes" in line for line in done.lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--then", "vadd", "--arg", "a=same:ot", "--arg", "b=1", "--arg", "out=2"),
            "--then vadd: --arg a: no earlier dispatch has a buffer ot; there are a, b, out; "
            "did you mean out?",
        ),
        (("--then", "vad"), "--then vad: "),
        (("--then", "vadd", "--arg", "a=1"), "--then vadd: not given: b ("),
        (("--then", "vadd", "--grid", "0"), "--then vadd: --grid 0: '0' is not a size"),
    ],
)
def test_wrong_requests_about_later_dispatches(options: tuple[str, ...], message: str) -> None:
    done = run("run", *VADD, *options)
    assert done.status == 2
    assert done.error.startswith(message), done.error


def test_the_first_dispatch_has_no_earlier_buffers() -> None:
    done = run("run", *VADD[:-1], "out=same:a")
    assert done.error == (
        "--arg out: no earlier dispatch has a buffer a; this is the first dispatch"
    )


def test_an_array_is_named_without_a_mark(tmp_path: Path) -> None:
    given = saved(tmp_path, "a", np.arange(128, dtype=np.int32)).removeprefix("@")
    done = run("run", *VADD[:6], "--arg", f"a={given}", *VADD[8:])
    assert done.lines[-1] == "  out = int32[128] {0, 2, 4, 6, 8, 10, 12, 14, …}"


DEADLOCK = (
    FIXTURES / "run/deadlock.gfx1200.O0.v5.co", "--grid", 96, "--workgroup", 96,
    "--arg", "out=zeros:384",
)  # fmt: skip


def test_a_barrier_that_is_never_met_names_the_places_of_all_waves() -> None:
    done = run("run", *DEADLOCK)
    assert done.status == 1
    assert done.lines[1].endswith(
        "stopped: FATAL_HALT, waits at a barrier that not all waves reach"
    )
    assert [line.strip() for line in done.lines[4:7]] == [
        "wave 1: waits, has signalled, run/deadlock.hip:10:5",
        "wave 2: waits, has not signalled, run/deadlock.hip:12:5",
        "wave 3: ended, run/deadlock.hip:15:1",
    ]


def test_a_deadlock_as_data() -> None:
    stop = run_json("run", *DEADLOCK).json["stop"]
    assert [place["waves"] for place in stop["barrier"]] == [[1], [2], [3]]
    assert stop["barrier"][0]["pc"] == stop["pc"]
    assert stop["instruction"].startswith("s_barrier_wait")
    fault = run_json("run", *HOST, "--arg", "out=zeros:256").json["stop"]
    assert fault["barrier"] == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "a value is missing after ="),
        ("zeros:", "'zeros:': expected zeros:SIZE in bytes, such as zeros:512"),
        ("zeros:0", "zeros:0: expected 1 to 1073741824 bytes"),
        ("range:1e3", "range:1e3: '1e3' is not an integer; expected 1 to 4194304 numbers"),
        (
            "zeros:4kb",
            "zeros:4kb: '4kb' is not an integer; expected 1 to 1073741824 bytes, such as 4096 "
            "or 0x1000",
        ),
        ("random:5", "'random:5': expected random:SEED:COUNT, such as random:7:128; a seed has at"),
        ("same:", "'same:': expected same:NAME, the name of a buffer of an earlier dispatch"),
        ("bytes:xy", "'bytes:xy': expected bytes:HEX, two digits for each byte"),
        ("@", "a file is missing after @"),
        ("@nowhere.npy", "nowhere.npy cannot be read: No such file or directory"),
        ("nowhere.npy", "nowhere.npy cannot be read: No such file or directory"),
        ("@README.npy", "README.npy is not an array of NumPy; raw bytes need another name"),
        (
            "hello",
            "'hello' is not a number, @FILE, buffer:SIZE, zeros:SIZE, lds:SIZE, range:COUNT, "
            "random:SEED:COUNT, same:NAME, bytes:HEX, [1,2], an enumerator or ?",
        ),
    ],
)
def test_wrong_arguments(
    value: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "README.npy").write_text("not an array")
    monkeypatch.chdir(tmp_path)
    done = run("run", *VADD[:6], "--arg", f"a={value}", *VADD[8:])
    assert done.status == 2
    assert done.error.startswith(f"--arg a: {message}"), done.error


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("zero:44", "zeros:44"),
        ("Zeros:44", "zeros:44"),
        ("buf:i32:64", "buffer:SIZE in bytes"),
        ("randm:44", "random:SEED:COUNT"),
    ],
)
def test_a_mistyped_form_of_an_argument(value: str, meant: str) -> None:
    done = run("run", *VADD[:6], "--arg", f"a={value}", *VADD[8:])
    assert done.error.endswith(f"an enumerator or ?; did you mean {meant}?")


def test_a_line_alone_is_in_the_file_of_the_kernel() -> None:
    """The first code of the kernel is of an inlined function in another file."""
    done = run_json("run", *VADD, "--break", "16", "--print", "b[t]", "--lane", 3)
    assert [stop["frame"]["file"] for stop in done.json["stops"]] == ["run/integers.hip"] * 2


@pytest.mark.parametrize("debug", ["-g", "-gline-tables-only"])
def test_a_line_alone_is_in_the_file_of_a_kernel_with_a_mangled_name(
    tool: Callable[[str], str], tmp_path: Path, debug: str
) -> None:
    """Without its declaration, the call that is inlined at its first instruction says the file."""
    (tmp_path / "device.h").write_text(
        "static __attribute__((device)) int item() {\n"
        "  return __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();\n}\n"
    )
    text = (
        '#include "device.h"\n__attribute__((global)) void kernel(const int *in, int *out) {\n'
        "  int i = item();\n\n\n  out[i] = in[i] * 7;\n}\n"
    )
    program = gpu_program(tool, tmp_path / "k.hip", text, "gfx942", "-O2", debug)
    arguments = ("--grid", 64, "--workgroup", 64, "--arg", "0=zeros:256", "--arg", "1=zeros:256")
    done = run_json("run", program, "kernel", *arguments, "--break", "6", "--stops", 1)
    [stop] = done.json["stops"]
    assert (Path(stop["frame"]["file"]).name, stop["frame"]["line"]) == ("k.hip", 6)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("options", "is_shown"), [((), True), (("--json",), False)])
def test_a_long_run_shows_its_progress_on_a_terminal(
    options: tuple[str, ...], is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("dwarfgpu.terminal.progress._PATIENCE", 0)
    monkeypatch.setattr("dwarfgpu.terminal.progress._PAUSE", 0)
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["run", "--demo", *DEMO_LINE, "--stops", "5", *options]) == 0
    output = screen.getvalue()
    assert ("instructions executed" in output) == is_shown
    assert not is_shown or output.endswith("\r\x1b[K")  # the line is gone at the end


def test_executors_leave_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is used, and the output is the same."""
    used: list[str] = []

    def recorded(name: str, function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            used.append(name)
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(interpreter, "run_together", recorded("lockstep", interpreter.run_together))
    for name, method in (("precise", "_run_steps"), ("block", "_run_blocks")):
        function = getattr(interpreter.RunningMachine, method)
        monkeypatch.setattr(interpreter.RunningMachine, method, recorded(name, function))
    many = ("--grid", 1024, "--arg", "out=zeros:4096", "--arg", "a=range:1024", "--arg",
            "b=range:1024", "--workgroup", 64)  # fmt: skip
    outputs, sets = set(), []
    for executor in ("auto", "precise", "block", "lockstep"):
        used.clear()
        done = run("run", *VADD[:2], *many, "--executor", executor)
        outputs.add(done.out)
        sets.append(set(used))
    assert len(outputs) == 1 and "out = int32[1024] {0, 2, 4" in outputs.pop()
    assert sets == [{"lockstep"}, {"precise"}, {"block"}, {"lockstep"}]
    state = FIXTURES / "states/divergent.gfx942.json"
    refused = run("run", "--state", state, "--executor", "block")
    assert refused.error.startswith("--executor applies to a new dispatch")
    assert "invalid choice: 'fast'" in run("run", *VADD, "--executor", "fast").err


def test_a_breakpoint_that_no_wave_reached_is_named() -> None:
    place = "mandelbrot.hip:7 if steps == 99999"
    never = f"--break {place}: no wave stopped there"
    done = run("run", "--demo", "--break", place, "--print", "steps")
    assert (done.status, done.notes.count(never)) == (0, 1)
    assert never in run_json("run", "--demo", "--break", place).json["notes"]
    both = run("run", "--demo", "--break", place, *DEMO_LINE, "--stops", 1)
    assert not any("no wave stopped" in note for note in both.notes)
    some = run("run", "--demo", "--break", place, "--break", "mandelbrot")
    assert some.notes.count(never) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("failing", ["--out picture=/dev/full", "--save /dev/full"])
def test_each_file_is_written_though_another_one_cannot_be(failing: str, tmp_path: Path) -> None:
    """A run may have taken hours."""
    option = failing.split()[0]
    files = {"--out": "picture=out.npy", "--save": "state.json", "--core": "core"}
    paths = {name: text.replace(text.split("=")[-1], str(tmp_path / text.split("=")[-1]))
             for name, text in files.items()}  # fmt: skip
    given = [word for name, text in paths.items() if name != option for word in (name, text)]
    stop = ("--break", "mandelbrot.hip:7", "--stops", 1)
    done = run("run", "--demo", *stop, *given, *failing.split())
    assert done.status == 2 and "  picture = int8[1344] {" in done.out
    assert any(note.startswith("/dev/full cannot be written: ") for note in done.notes)
    for name, text in paths.items():
        path = Path(text.split("=")[-1])
        assert path.exists() == (name != option)


def test_other_code_of_a_line_that_no_wave_reached_is_named() -> None:
    """GDB takes the first place of a line in each lexical block; a wave may take another one."""
    done = run("run", *VADD, "--break", "integers.hip:45")
    [note] = [note for note in done.notes if "no wave stopped there" in note]
    first, second = (0x7F0000000000 + place for place in (0x6F44, 0x6F5C))
    assert note == (
        "--break integers.hip:45: no wave stopped there; the line also has code at "
        f"{first:#x}, {second:#x}, where --break '*ADDRESS' stops waves"
    )
    done = run("run", *VADD, "--break", f"*{first:#x}")
    [note] = [note for note in done.notes if "no wave stopped there" in note]
    assert note == f"--break *{first:#x}: no wave stopped there"


def test_other_code_of_a_line_is_named_where_a_condition_never_held() -> None:
    """It may hold there: of an unrolled loop each place has another iteration."""
    done = run("run", *VADD, "--break", "integers.hip:45 if 1 == 2")
    [note] = [note for note in done.notes if "no wave stopped there" in note]
    assert note == (
        "--break integers.hip:45 if 1 == 2: no wave stopped there; the line also has code at "
        "0x7f0000006f44, 0x7f0000006f5c, where --break '*ADDRESS if 1 == 2' stops waves"
    )


def test_arguments_without_names_have_one_number(tmp_path: Path) -> None:
    """`--arg`, `--out`, `same:` and the buffers that a run prints count arguments from 0."""
    file = TRITON / "loops.gfx942.triton3.6.0.co"
    launch = ["--grid", 256, "--workgroup", 256, "--arg", "0=zeros:4096", "--arg", "1=zeros:4096"]
    launch += ["--arg", "2=256", "--arg", "3=2", "--arg", "4=null", "--arg", "5=null"]
    path = tmp_path / "y.npy"
    again = ["--then", "loops", *launch[4:], "--out", f"1={path}"]
    again[again.index("0=zeros:4096")] = "0=same:1"
    first = run_json("run", file, "loops", *launch).json["buffers"]
    both = run_json("run", file, "loops", *launch, *again).json["buffers"]
    assert [item["name"] for item in first] == ["0", "1"]
    assert [item["name"] for item in both] == ["0", "1", "1.2"]
    assert np.load(path).tobytes().hex()[:8] == "00000040"  # 2.0, of the first dispatch
    missing = run("run", file, "loops", *launch[:-2]).error
    assert missing.startswith("not given: argument 5 (global_buffer, 8 bytes at 32); give --arg 5=")


def test_a_kernel_without_lds_names_the_option() -> None:
    """Triton's compiler leaves the size of LDS to the launch."""
    launch = ["--grid", 256, "--workgroup", 256, "--arg", "x=zeros:1024", "--arg", "y=zeros:1024"]
    launch += [
        "--arg",
        "columns=256",
        "--arg",
        "global_scratch=null",
        "--arg",
        "profile_scratch=null",
    ]
    done = run("run", TRITON / "softmax.gfx942.co", "softmax", *launch)
    assert ": the workgroup has 0 bytes (--dynamic-lds BYTES allocates " in done.out
    assert ", --arg NAME=lds:BYTES that of a pointer argument)" in done.out


def test_each_expression_without_a_meaning_has_a_line() -> None:
    options = ("run", "--demo", *DEMO_LINE, "--print", "one", "--print", "two")
    done = run(*options)
    assert done.status == 2
    assert done.err.splitlines() == [
        f'dwarfgpu: --print {name}: No symbol "{name}" in current context.'
        for name in ("one", "two")
    ]
    assert json.loads(run(*options, "--json").out)["error"]["message"].count("No symbol") == 2
