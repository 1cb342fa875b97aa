"""Steps by lines of a GPU kernel into calls and back, as GDB takes them on a CPU: each call of a
function is another one, although nothing says where its caller is."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from dwarfgpu import CodeObject
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.session.followed_calls import FollowedCalls
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, run
from tests.repl.stepping import CALL, RETURN, Stepping

HIP = [
    "-x", "hip", "--cuda-device-only", "-nogpulib", "--no-gpu-bundle-output", "-nogpuinc", "-O0",
]  # fmt: skip
SOURCE = """\
#define DEVICE __attribute__((device)) __attribute__((noinline))
DEVICE int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
DEVICE int square(int x) { return x * x; } DEVICE int cube(int x) { return x * x * x; }
DEVICE int add(int x) { return x + 1; }
DEVICE int fib(int n) {
  if (n < 2)
    return n;
  return fib(n - 1) + fib(n - 2);
}
extern "C" __attribute__((global)) void kernel(int *out) {
  int f = fact(3);
  f += square(2) + cube(3) + square(4);
  f += add(add(f));
  for (int i = 0; i < 2; ++i) f += add(i);
  out[__builtin_amdgcn_workitem_id_x()] = f + fib(3);
}
"""
JUMP = """\
extern "C" __attribute__((global)) void kernel(int *out) {
  *out = 1;
  asm volatile(".loc 0 10 0 is_stmt 1\\n s_mov_b32 s4, 3\\n"
               ".loc 0 20 0\\n s_nop 0\\n again: s_nop 0\\n"
               ".loc 0 30 0\\n s_sub_u32 s4, s4, 1\\n s_cmp_lg_u32 s4, 0\\n"
               "s_cbranch_scc1 again\\n .loc 0 40 0\\n s_nop 0\\n" ::: "s4", "scc");
}
"""
SHOWN = re.compile(r"^(?:(\d+)\t|([a-z]\w*(?:\(int\))?) \((.*)\) at )", re.MULTILINE)
"""A source line, or the function and the arguments of a frame."""


def brief(text: str) -> str:
    """Return the lines that stops show, and the frames with the arguments of functions."""
    return " ".join(
        line or f"{function}({'' if function == 'kernel' else arguments})"
        for line, function, arguments in SHOWN.findall(text)
    )


@pytest.fixture(scope="module")
def stepped(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Gives what commands print at a line of a source, built for a processor."""
    folder = tmp_path_factory.mktemp("calls")

    @cache
    def built(source: str, processor: str, debug: str) -> Path:
        (folder / "calls.hip").write_text(source + "//\n" * 40)
        program = folder / f"calls{len([*folder.iterdir()])}.co"
        for options in (
            [*HIP, f"--offload-arch={processor}", debug, "-S", "calls.hip", "-o", "calls.s"],
            ["--target=amdgcn-amd-amdhsa", f"-mcpu={processor}", "calls.s", "-o", program.name],
        ):
            subprocess.run(["clang-19", *options], cwd=folder, check=True, capture_output=True)
        return program

    def answer(
        source: str,
        place: int,
        *commands: str,
        processor: str = "gfx942",
        debug: str = "-g",
        heuristic: bool = False,
    ) -> str:
        try:
            program = built(source, processor, debug)
        except FileNotFoundError:
            pytest.skip("clang-19 is not installed")
        done = run(
            "debug", program, "--dispatch", "kernel", "--grid", "32",
            "--workgroup", "32", "--arg", "0=zeros:256", "--scratch", "4096", "--batch",
            *(["--heuristic"] if heuristic else []), "-ex", f"break calls.hip:{place}",
            "-ex", "run", "-ex", "echo ##\\n",
            *(option for command in commands for option in ("-ex", command)),
        )  # fmt: skip
        return done.out.partition("##\n")[2]

    return answer


@pytest.mark.parametrize(
    ("processor", "heuristic"),
    [("gfx942", False), ("gfx942", True), ("gfx1030", False), ("gfx1100", True)],
)
def test_a_step_enters_each_call_of_a_function_on_one_line(
    processor: str, heuristic: bool, stepped: Callable[..., str]
) -> None:
    """Recursion, several calls in a statement, and a call in a loop; GDB's stops are the same."""
    shown = brief(stepped(SOURCE, 11, *["step"] * 14, processor=processor, heuristic=heuristic))
    assert shown == (
        "fact(n=3) 2 fact(n=2) 2 fact(n=1) 2 kernel() 12 "
        "square(x=2) 3 cube(x=3) 3 square(x=4) 3 kernel() 13 "
        "add(x=53) 4 add(x=54) 4 kernel() 14 add(x=0) 4 add(x=1) 4 kernel() 15"
    )


@pytest.mark.parametrize("heuristic", [False, True])
def test_a_step_ends_in_the_caller_of_a_recursive_function(
    heuristic: bool, stepped: Callable[..., str]
) -> None:
    """At its end as well, which is the line where the step begins; GDB shows no frame there."""
    shown = brief(stepped(SOURCE, 15, *["step"] * 16, heuristic=heuristic))
    assert shown == (
        "fib(n=3) 6 8 fib(n=2) 6 8 fib(n=1) 6 7 9 fib(n=0) 6 7 9 fib(n=2) 9 "
        "fib(n=1) 6 7 9 fib(n=3) 9 kernel() 16"
    )


@pytest.mark.parametrize("heuristic", [False, True])
def test_next_ends_there_too(heuristic: bool, stepped: Callable[..., str]) -> None:
    commands = ["step"] * 4 + ["next"] * 5
    shown = brief(stepped(SOURCE, 15, *commands, heuristic=heuristic))
    assert shown == "fib(n=3) 6 8 fib(n=2) 6 8 9 fib(n=3) 9 kernel() 16"


@pytest.mark.parametrize("heuristic", [False, True])
def test_an_instruction_that_calls_shows_the_frame(
    heuristic: bool, stepped: Callable[..., str]
) -> None:
    """And one that returns: the others show the line alone, or the frame where there is none."""
    text = stepped(
        SOURCE, 11, "tbreak 2 if n == 2", "continue", *["stepi"] * 250, heuristic=heuristic
    )
    called = re.findall(r"^(\w+ in )?fact \((n=\d+)\) at ", text, re.MULTILINE)
    assert [arguments for _, arguments in called[1:]] == ["n=2", "n=3"]
    assert not called[0][0] and all(address for address, _ in called[1:])


def test_functions_that_only_have_lines(stepped: Callable[..., str]) -> None:
    """-gline-tables-only: the symbols say where they begin."""
    shown = brief(stepped(SOURCE, 13, *["step"] * 4, debug="-gline-tables-only"))
    assert shown == "add(int)() 4 add(int)() 4 kernel() 14 add(int)() 4"


@pytest.mark.parametrize("command", ["step", "next"])
def test_a_jump_into_a_line_goes_on_from_that_line(
    command: str, stepped: Callable[..., str]
) -> None:
    """From line 30 into the code of line 20: as in GDB, line 30 begins again."""
    assert brief(stepped(JUMP, 2, *[command] * 7)) == "10 20 30 30 30 40 7"


def test_other_lanes_call_deeper() -> None:
    """fibonacci(t & 7): lane 2 neither stops in their calls, nor misses one of its own."""
    done = run(
        "debug", FIXTURES / "run" / "integers.gfx942.O0.v5.co", "--dispatch", "recursion",
        "--grid", "64", "--workgroup", "64", "--scratch", "4096", "--batch",
        "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256",
        "-ex", "break integers.hip:129", "-ex", "run", "-ex", "lane 2", "-ex", "echo ##\\n",
        *["-ex", "step"] * 4,
    )  # fmt: skip
    frames = re.findall(r"^(\w+ \(\w+=\w+)", done.out.partition("##\n")[2], re.MULTILINE)
    assert frames[:3] == ["fibonacci (n=2", "fibonacci (n=1", "fibonacci (n=0"]
    assert frames[3].startswith("recursion (") and len(frames) == 4


def test_a_jump_to_the_entry_is_no_call() -> None:
    """The return address distinguishes them where frames are described."""
    machine = Stepping()
    program = CodeObject.open(FIXTURES / "x86_64" / "demo.gcc.O0.v5")
    session = Session(machine.architecture, (program,), machine, wave=1, pc=CALL)
    calls = FollowedCalls(session)
    machine.step_instruction(1)
    entry = machine.get("rip")
    called = session.of_wave(1, entry)
    assert calls.passage(called, Range(entry, entry + 4)) is None
    assert calls.passage(called, Range(CALL, RETURN)) == "call"
    assert calls.passage(session.of_wave(1, RETURN), Range(entry, entry + 4)) is None
