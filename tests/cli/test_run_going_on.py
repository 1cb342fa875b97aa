"""`dwarfgpu run` of core files and states: their waves go on."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from dwarfgpu.machine.state.load import load_state
from tests.cli.command import FIXTURES, run, run_json, validate
from tests.cli.test_gpu_core_of_state import HOST, SYSROOT, merged_core
from tests.machine.two_gpus import Running, core_of
from tests.objfile.build import run as run_tool

CORE = FIXTURES / "core/loop.gfx942.core.xz"
CODE = FIXTURES / "opencl/kernels.gfx942.O0.v5.co"
INTEGERS = FIXTURES / "run/integers.gfx942.O0.v5.co"
NEST = ("nest", "--grid", 128, "--workgroup", 64, "--scratch", 4096)
BUFFERS = ("--arg", "0=range:128", "--arg", "1=random:3:128", "--arg", "2=zeros:512")
KEPT = "applies to a new dispatch, not to the resumed waves of a state or core file"


def test_the_waves_of_a_core_file_go_on() -> None:
    """The one that had failed fails again, in the words of a run that begins."""
    done = run("run", CORE, CODE)
    assert done.status == 1
    assert done.lines == [
        f"core file {CORE}: 4 waves of loop on gfx942, wave64",
        "  AMDGPU Lane 1:1:1:4/63 (3,0,0)[63,0,0] stopped: MEMORY_VIOLATION, lane 63 reads 4 bytes "
        "at 0x7e00000076b0: nothing is mapped there",
        "  pc 0x7f0000003b98: global_load_dword v1, v[2:3], off",
        "  at opencl/kernels.cl:53:13",
    ]
    assert run("run", CODE, CORE).lines == done.lines


def test_the_result_as_data() -> None:
    answer = run_json("run", CORE, CODE, "--break", "54", "--wave", 2, "--print", "i", "--stops", 2)
    validate(answer.json)
    assert answer.status == 0
    assert answer.json["kernel"] == "loop" and answer.json["grid"] == [256, 1, 1]
    assert [stop["wave"] for stop in answer.json["stops"]] == [2, 2]
    values = [stop["values"][0]["lanes"][0]["text"] for stop in answer.json["stops"]]
    assert int(values[1]) == int(values[0]) + 1
    assert answer.json["dispatches"] == [
        {"kernel": "loop", "instructions": answer.json["instructions"]}
    ]


def test_a_trace_of_waves_that_go_on() -> None:
    done = run("run", CORE, CODE, "--trace", "--trace-limit", 2, "--wave", 1)
    at = done.lines.index("wave 1")
    assert done.lines[at + 1].startswith("opencl/kernels.cl:54")
    assert done.lines[at + 2].startswith("  0x7f0000003f48  s_branch 65368")
    assert done.lines[at + 4].startswith("  AMDGPU Lane 1:1:1:4/63")
    first, *_, result = [
        json.loads(line)
        for line in run("run", CORE, CODE, "--trace", "--trace-limit", 200, "--json").lines
    ]
    assert first["pc"] == 0x7F0000003F48 and result["stop"]["reason"] == "MEMORY_VIOLATION"
    validate(first)


def results(*arguments: object) -> dict[int, list[str]]:
    """What each wave has stored when it is at the end of `nest`, lane by lane."""
    result = run_json("run", *arguments, "--break", "integers.hip:81", "--print", "out[t]").json
    return {
        stop["wave"]: [lane["text"] for lane in stop["values"][0]["lanes"]]
        for stop in result["stops"]
    }


@pytest.mark.parametrize("kind", ["state", "core"])
def test_stops_and_further_runs_change_no_result(kind: str, tmp_path: Path) -> None:
    """From stop to stop, each in a run of its own: the memory is that of one run to the end."""
    begins = (INTEGERS, *NEST, *BUFFERS)
    expected = results(*begins)
    assert len(expected) == 2 and len(set(expected[1])) > 20
    state, core = tmp_path / "s.json", tmp_path / "c.core"
    written = ("--save", state) if kind == "state" else ("--core", core)
    run("run", *begins, "--break", "nest", "--stops", 1, *written)
    source: tuple[object, ...] = ("--state", state) if kind == "state" else (core,)
    for line in (62, 63):
        stop = ("--break", f"integers.hip:{line}", "--wave", 1)
        done = run("run", *source, *stop, "--save", state)
        assert f"break integers.hip:{line}: AMDGPU Wave" in done.out, done
        source = ("--state", state)
    assert results(*source) == expected


@pytest.mark.parametrize("built", ["gfx942.O0", "gfx90a.O0"])
def test_waves_compute_with_what_nothing_had_written_as_those_of_the_run(
    built: str, tmp_path: Path
) -> None:
    """Code of a loop begins with a mask of lanes that is undefined where it does not matter."""
    file, state = FIXTURES / f"run/integers.{built}.v5.co", tmp_path / "s.json"
    began = (file, "stack_array", *NEST[1:], *BUFFERS)
    shown = ("--break", "integers.hip:142", "--print", "out[t]")
    stops = run_json("run", *began, *shown).json["stops"]
    assert len(stops) == 2
    run("run", *began, "--fill", 0x5A, "--break", "stack_array", "--stops", 1, "--save", state)
    document = json.loads(state.read_text("utf-8"))
    assert document["fill"] == 0x5A
    assert run_json("run", "--state", state, *shown).json["stops"] == stops
    later = tmp_path / "later.json"
    run("run", "--state", state, "--break", "integers.hip:141", "--stops", 1, "--save", later)
    assert json.loads(later.read_text("utf-8"))["fill"] == 0x5A
    assert run_json("run", "--state", later, *shown).json["stops"] == stops
    del document["fill"]
    state.write_text(json.dumps(document), "utf-8")
    assert run_json("run", "--state", state, *shown).json["stops"] == stops


def test_waves_of_a_saved_core_share_their_workgroup(tmp_path: Path) -> None:
    """The state of waves of a core file has their LDS and their barriers, and what is above."""
    file = FIXTURES / "run/integers.gfx1100.O2.v5.co"
    data, [buffers] = core_of([Running(file, "reduce", ("range:128", "range:128", "zeros:512"))])
    core, state = tmp_path / "gpu.core", tmp_path / "s.json"
    core.write_bytes(data)
    assert run("run", core, "--break", "integers.hip:151", "--save", state).status == 0
    machine = load_state(state).machine
    assert [wave.workgroup for wave in machine.waves.values()] == [1, 1, 2, 2]
    assert machine.dispatches[1].kernel == "reduce" and machine.agents[1].id == 1
    shown = ("--break", "integers.hip:155", "--print", f"*(int (*)[128]) {buffers['out']:#x}")
    stops = run_json("run", "--state", state, *shown).json["stops"]
    [text] = {lane["text"] for lane in stops[-1]["values"][0]["lanes"]}
    assert "{4032 <repeats 64 times>, 12224 <repeats 64 times>}" in text


def test_waves_of_two_gpus_go_on(tmp_path: Path) -> None:
    core = tmp_path / "two.core"
    second = FIXTURES / "run/integers.gfx1100.O2.v5.co"
    data, _ = core_of(
        [
            Running(INTEGERS, "vadd", ("range:128", "range:128", "zeros:512")),
            Running(second, "vadd", ("range:128", "same:out", "zeros:512")),
        ]
    )
    core.write_bytes(data)
    answer = run_json("run", core, "--break", "integers.hip:17")
    validate(answer.json)
    assert answer.json["architecture"] is None and answer.json["kernel"] is None
    assert [part["kernel"] for part in answer.json["dispatches"]] == ["vadd", "vadd"]
    assert run("run", core).lines[0] == (
        f"core file {core}: 2 waves of vadd on gfx942, wave64; 4 waves of vadd on gfx1100, wave32"
    )
    seeds = [run("run", core, "--seed", seed).lines for seed in (0, 1, 2, 2)]
    assert len({tuple(lines) for lines in seeds}) == 1
    for option in ("--save", "--core"):
        done = run("run", core, option, tmp_path / "x")
        assert done.status == 2 and done.error.startswith(f"{option}: ")
        assert "several" in done.error


def test_the_waves_of_a_merged_core_go_on(tmp_path: Path) -> None:
    alone, core = tmp_path / "gpu.core", tmp_path / "merged.core"
    state = tmp_path / "s.json"
    data, _ = core_of([Running(INTEGERS, "vadd", ("range:128", "range:128", "zeros:512"))])
    alone.write_bytes(data)
    core.write_bytes(merged_core(HOST, alone))
    given = (*SYSROOT, "--code-object", f"file://{quote(str(INTEGERS))}={INTEGERS}")
    done = run("run", core, *given, "--break", "integers.hip:16", "--print", "t", "--save", state)
    assert done.lines[0] == f"core file {core}: 2 waves of vadd on gfx942, wave64"
    assert "break integers.hip:16: AMDGPU Wave 1:1:1:1 (0,0,0)/0, lanes 0-63" in done.lines
    end = run("run", "--state", state)
    assert end.lines[0] == f"state {state}: 2 waves of vadd on gfx942, wave64"
    assert end.status == 0


def test_a_further_dispatch_has_the_memory_that_the_waves_leave(tmp_path: Path) -> None:
    """It names buffers by their addresses, and those of later ones by their names."""
    state, out = tmp_path / "s.json", tmp_path / "out.npy"
    grid = ("--grid", 128, "--workgroup", 64)
    arguments = ("--arg", "a=range:128", "--arg", "b=range:128", "--arg", "out=zeros:512")
    done = run("run", INTEGERS, "vadd", *grid, *arguments, "--break", "17", "--save", state)
    [frame] = [line for line in done.lines if "out=0x" in line]
    sums = frame.partition("out=")[2].partition(")")[0]
    then = ("--then", "vadd", *grid, "--arg", f"a={sums}", *arguments[2:])
    again = ("--then", "vadd", "--arg", "a=same:out", "--arg", "b=same:b", "--arg", "out=zeros:512")
    answer = run_json("run", "--state", state, *then, *again, "--out", f"out.2={out}")
    validate(answer.json)
    assert [part["kernel"] for part in answer.json["dispatches"]] == ["vadd"] * 3
    values = struct.unpack("<128i", out.read_bytes()[-512:])
    assert values == tuple(4 * n for n in range(128))
    waves = run("run", "--state", state, *then, "--break", "vadd", "--wave", 4).lines
    assert "break vadd: AMDGPU Wave 1:2:2:4 (1,0,0)/0, lanes 0-63" in waves


def test_a_further_dispatch_does_not_know_what_the_state_leaves_out(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    run("run", INTEGERS, *NEST, *BUFFERS, "--break", "nest", "--save", state)
    done = run(
        "run", "--state", state, "--then", "vadd", "--grid", 64, "--workgroup", 64,
        "--arg", "a=0x5000", "--arg", "b=range:64", "--arg", "out=zeros:256",
    )  # fmt: skip
    assert done.status == 1
    [stop] = [line for line in done.lines if " stopped: " in line]
    assert "UNAVAILABLE, lane 0 reads 4 bytes at 0x5000: the state does not have it" in stop


def test_waves_that_go_on_replace_only_their_state(tmp_path: Path) -> None:
    code, core, state = tmp_path / "k.co", tmp_path / "k.core", tmp_path / "s.json"
    code.write_bytes(INTEGERS.read_bytes())
    begun = run("run", code, *NEST, *BUFFERS, "--break", "nest", "--save", state, "--core", core)
    assert begun.status == 0, begun.err
    files = {path: path.read_bytes() for path in (code, core, state)}
    stop = ("--break", "integers.hip:62", "--wave", 1, "--stops", 1)
    for source, option, path in (
        (("--state", state), "--save", code),
        (("--state", state), "--core", state),
        ((core, code), "--core", core),
        ((core,), "--save", core),
        ((core, code), "--save", code),
    ):
        done = run("run", *source, *stop, option, path)
        assert (done.status, done.out) == (2, "")
        assert done.error == f"{option}: {path} is an input: give another file"
    assert files == {path: path.read_bytes() for path in files}
    assert run("run", "--state", state, *stop, "--save", f"{tmp_path}/./s.json").status == 0
    assert state.read_bytes() != files[state]


def test_after_waves_that_cannot_go_on_no_dispatch_begins(tmp_path: Path) -> None:
    call = ("--then", "call", "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256")
    done = run("run", CORE, CODE, *call)
    assert done.status == 1 and "note: not run: call" in done.err.splitlines()
    assert "MEMORY_VIOLATION" in done.lines[1] and len(done.lines) == 4
    path = tmp_path / "x.npy"
    lost = run("run", CORE, CODE, *call, "--out", f"out={path}", "--json")
    answer = json.loads(lost.out)
    assert (lost.status, answer["stop"]["reason"]) == (1, "MEMORY_VIOLATION")
    unwritten = f"--out out: {path} is not written: no buffer was created for it"
    assert answer["notes"][-2:] == ["not run: call", unwritten]


def test_what_a_state_leaves_out_is_named_and_given(tmp_path: Path) -> None:
    state = FIXTURES / "states/call.gfx942.O0.json"
    lacking = run("run", "--state", state)
    assert lacking.error == (
        "wave 0 cannot continue: its mode is not known; set $mode (thread apply all set $mode = "
        "0xf0), or use run --reg mode=0xf0"
    )
    done = run("run", "--state", state, "--reg", "mode=0xf0")
    assert done.status == 1
    assert done.lines[1].endswith(
        "UNAVAILABLE, flat_load_dword needs v2 of lane 0, which is not known"
    )
    known = "--fill BYTE is what is not known of registers, LDS, scratch and padding of arguments"
    assert done.lines[-1] == f"  {known}"
    filled = run("run", "--state", state, "--reg", "mode=0xf0", "--fill", 0)
    assert "the state does not have it" in filled.lines[1] and known not in filled.out


def test_a_fill_makes_no_buffers(tmp_path: Path) -> None:
    """A state does not say which addresses are allocated; the dispatch that saved it knows."""
    state, buffers = tmp_path / "s.json", [f"--arg={name}=buffer:256" for name in ("a", "b", "out")]
    size = ("--grid", 64, "--workgroup", 64)
    made = run("dispatch", INTEGERS, "vadd", *size, *buffers, "--save", state)
    assert made.status == 0
    addresses = [line.split(" = ")[1] for line in made.lines if line.startswith("  [")][:3]
    advice = "dispatch --save with --fill BYTE, or debug with --mem global#ADDRESS=HEX"
    for fill in ((), ("--fill", 1)):
        done = run("run", "--state", state, *fill)
        assert done.status == 1 and "the state does not have it" in done.lines[1]
        assert done.lines[-1] == f"  for a buffer without contents: {advice}"
    known = [f"--mem=global#{address}={'00' * 256}" for address in addresses]
    added = run("debug", "--state", state, *known, "--batch", "-ex", "c")
    assert "UNAVAILABLE" not in added.out and "exited normally" in added.out
    filled = run("dispatch", INTEGERS, "vadd", *size, *buffers, "--fill", 1, "--save", state)
    assert filled.status == 0 and run("run", "--state", state).status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CORE, "loop"), f"KERNEL {KEPT}"),
        ((CORE, CODE, "--grid", 64), f"--grid {KEPT}"),
        ((CORE, "--workgroup", 64), f"--workgroup {KEPT}"),
        ((CORE, "--arg", "n=1"), f"--arg {KEPT}"),
        ((CORE, "--scratch", 1), f"--scratch {KEPT}"),
        ((CORE, "--demo"), "give FILE or --demo, not both"),
        ((CORE, CODE, "--then", "call"), "--then call: give --grid and --workgroup"),
        ((CORE, "--then", "call", "--grid", 64, "--workgroup", 64),
         "--then: a kernel is of one code object, and 0 are loaded"),
        ((CORE, CODE, "--grid", 64, "--then", "call", "--workgroup", 64), f"--grid {KEPT}"),
        ((CORE, "--out", "out=x.npy"),
         "--out: resumed waves have no named buffers; --save STATE and --core FILE write memory"),
        ((CORE, CORE), "give one core file, or --state FILE"),
        ((CORE, "--fill", 256), "--fill 256: expected a byte, 0 to 255"),
        ((CORE, CODE, "--break", "*0x10"), "--break *0x10: Cannot access memory at address 0x10"),
        ((CORE, CODE, "--wave", 9, "--break", "54"), "--wave 9: the run has waves 1-4"),
        ((CORE, CODE, "--wave", 9, "--trace"), "--wave 9: the run has waves 1-4"),
        ((CORE, CODE, "--break", "nowhere.c:1"),
         "--break nowhere.c:1: No source file named nowhere.c."),
        ((CORE, "--print", "n"), "--print is about stops: give --break PLACE"),
        ((CODE, "--sysroot", "/"),
         "--sysroot applies to resumed waves: give CORE or --state FILE"),
        ((CODE, "--reg", "mode=1"), "--reg applies to resumed waves: give CORE or --state FILE"),
        (("s.json",), "s.json is not an ELF file; give a state with --state s.json"),
        (("--state", FIXTURES / "states/call.gfx942.O0.json", CODE, "call"), f"KERNEL {KEPT}"),
    ],
)  # fmt: skip
def test_wrong_requests(arguments: tuple[object, ...], message: str) -> None:
    done = run("run", *arguments)
    assert done.status == 2 and done.error.removeprefix("Unsupported: ") == message


def test_a_core_file_without_waves_does_not_run() -> None:
    done = run("run", FIXTURES / "core/crash.x86_64.O0.core", *SYSROOT)
    assert done.status == 2
    assert done.error == ("the core file has no waves of GPUs; `dwarfgpu info` lists its threads")


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("0xfffffffffffff000", f"an address where {INTEGERS.name} ends within 64 bits, not "),
        (1 << 64, "an integer of at least 0 and at most 0xffffffffffffffff, not "),
    ],
)
def test_a_code_object_of_a_state_beyond_the_address_space(
    address: object, wanted: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.json"
    run("run", INTEGERS, *NEST, *BUFFERS, "--break", "*nest", "--save", path)
    document = json.loads(path.read_text("utf-8"))
    document["code_objects"][0]["load_address"] = address
    path.write_text(json.dumps(document), "utf-8")
    expected = f"{path}: code_objects[0].load_address: expected {wanted}"
    for command in (("run",), ("run", "--json"), ("eval", "DW_OP_lit0"), ("waves",)):
        done = run(*command, "--state", path)
        assert (done.status, expected in done.out + done.err) == (2, True), done


def test_a_code_object_beyond_the_address_space_by_an_option(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    run("run", INTEGERS, *NEST, *BUFFERS, "--break", "*nest", "--save", path)
    done = run("run", "--state", path, "--load-address", "0xfffffffffffff000")
    assert done.status == 2
    assert f"--load-address: {INTEGERS.name} at " in done.err


def test_lines_before_the_first_instruction_are_of_the_file_of_the_kernel(tmp_path: Path) -> None:
    """The first instruction is of a function that is inlined from device.h, which ends before line
    14 of the kernel's file has code."""
    file, path = FIXTURES / "hip/nest.gfx942.O2.v5.co", tmp_path / "state.json"
    launch = ("nest", "--grid", 64, "--workgroup", 64, "--arg", "in=zeros:512")
    launch += ("--arg", "out=zeros:8192", "--arg", "limit=-1")
    assert not run("dispatch", file, *launch, "--save", path).status
    done = run_json("run", "--state", path, "--break", 13, "--stops", 1)
    [stop] = done.json["stops"]
    assert (stop["frame"]["file"], stop["frame"]["line"]) == ("hip/nest.hip", 13)


def test_lines_have_the_file_of_the_prompt_at_an_instruction_of_line_0(tmp_path: Path) -> None:
    """It is that of the kernels, as at the prompt: no line is known for the wave."""
    code, path = FIXTURES / "run/integers.gfx942.O2.v5.co", tmp_path / "state.json"
    launch = (
        "longs",
        "--grid",
        64,
        "--workgroup",
        64,
        "--arg",
        "a=range:64",
        "--arg",
        "b=range:64",
    )
    written = ("--arg", "out=zeros:512", "--break", "*0x7f0000006c48", "--stops", 1, "--save", path)
    assert not run("run", code, *launch, *written).status
    [stop] = run_json("run", "--state", path, "--break", 34, "--stops", 1).json["stops"]
    assert (stop["frame"]["file"], stop["frame"]["line"]) == ("run/integers.hip", 34)


def test_a_null_pointer_is_no_buffer(tmp_path: Path) -> None:
    state, null = tmp_path / "s.json", [f"--arg={name}=0" for name in ("a", "b", "out")]
    size = ("--grid", 64, "--workgroup", 64)
    assert run("dispatch", INTEGERS, "vadd", *size, *null, "--save", state).status == 0
    done = run("run", "--state", state)
    assert " at 0x0: the state does not have it" in done.lines[1]
    assert "buffer" not in done.out


PADDED = """\
struct P { int n; double d; char c; short s; };
extern "C" __attribute__((global)) void pad(P p, double *out) {
  double product = EXPRESSION;
  out[__builtin_amdgcn_workitem_id_x()] = product;
}
"""


def dispatched(
    folder: Path, tool: Callable[[str], str], expression: str, level: str
) -> tuple[object, ...]:
    """The options of `run` that go on with a wave whose argument has padding."""
    source, code, state = folder / "pad.hip", folder / "pad.co", folder / "pad.json"
    source.write_text(PADDED.replace("EXPRESSION", expression))
    options = ["-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", "-nogpulib", "-nogpuinc",
               "--no-gpu-bundle-output", "-g", level]  # fmt: skip
    subprocess.run([tool("clang-19"), *options, source, "-o", code], check=True, timeout=60)
    values = ("p.n=3", "p.d=1.5", "p.c=-2", "p.s=1000", "out=zeros:512")
    given = [word for value in values for word in ("--arg", value)]
    done = run("dispatch", code, "--grid", 64, "--workgroup", 64, *given, "--save", state)
    assert done.status == 0
    return "--state", state


@pytest.mark.parametrize(
    ("expression", "product"), [("p.n * p.d", "4.5"), ("p.c * p.d", "-3"), ("p.c + p.s", "998")]
)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_padding_of_an_argument_is_copied(
    level: str, expression: str, product: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """It is unknown in the state; a scalar load reads it together with its neighbours, and
    `s_sext_i32_i8` one byte of that."""
    state = dispatched(tmp_path, tool, expression, level)
    stopped = run("run", *state, "--break", "pad.hip:4", "--print", "product")
    assert f"  0-63 {product}\n" in stopped.out or level == "-O2"
    ended = run("run", *state)
    assert ended.status == 0 and "1 wave ended" in ended.out


def test_a_line_alone_is_in_the_file_of_the_kernel(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Not in that of the header whose function the first wave is in."""
    (tmp_path / "helper.h").write_text("int twice(int t)\n{\n  t += t;\n  return t;\n}\n")
    text = "kernel void k(global int *out)\n{\n  *out = 1;\n  *out = twice(2);\n  *out = 3;\n}\n"
    (tmp_path / "k.cl").write_text(f'#include "helper.h"\n{text}')
    options = ["-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx942"]
    made, compiled, state = (tmp_path / name for name in ("k.o", "k.co", "s.json"))
    source = tmp_path / "k.cl"
    run_tool(tool("clang-19"), *options, "-nogpulib", "-g", "-O0", "-c", source, "-o", made)
    run_tool(tool("ld.lld-19"), "-shared", made, "-o", compiled)
    buffer = ("--grid", 64, "--workgroup", 64, "--arg", "out=zeros:4", "--scratch", 4096)
    run("run", compiled, "k", *buffer, "--break", "helper.h:4", "--save", state)
    passed, ahead = (run("run", "--state", state, "--break", line).out for line in (4, 6))
    assert "stopped there" not in ahead and "k.cl:6" in ahead
    assert "helper.h:4" not in passed and "k.cl:4" not in passed  # it is behind the wave
