"""Steps by lines before, into and out of inlined calls of a GPU kernel.

The lines are those at which GDB stops in a program that the same compiler makes of the same text.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program
from tests.repl.plain_gdb import NO_DEBUG_FILES

SOURCE = """\
static DEVICE INLINED int inner(const volatile int *p) {
  return *p;
}
static DEVICE INLINED int outer(const volatile int *p) {
  return inner(p) * 3 + *p;
}
static DEVICE int called(const volatile int *p); KERNEL k(int *out, const int *in) {
  out[0] = 1;
  int i = inner(in + 1);
  out[1] = i;
  i = outer(in);
  out[2] = i;
  i = inner(in); i += inner(in + 1);
  out[3] = i;
  out[0] = called(in);
}
static DEVICE __attribute__((noinline)) int called(const volatile int *p) {
  return inner(p) + 1;
}
"""
INLINED = "-DINLINED=__attribute__((always_inline)) inline"
ON_GPU = [
    INLINED, "-DDEVICE=__attribute__((device))",
    '-DKERNEL=extern "C" __attribute__((global)) void',
]  # fmt: skip
ON_CPU = [INLINED, "-DDEVICE=", '-DKERNEL=extern "C" __attribute__((noinline)) void']
MAIN = "\nvolatile int in[4]; int out[4]; int main() { k(out, (const int *)in); return out[0]; }\n"
SHOWN = re.compile(r"^(?:(\d+)\t|([a-z]\w*) \(.*\) at )", re.MULTILINE)
"""A source line, or the function of a frame."""


def stops(text: str) -> str:
    """Return the functions and lines that are shown, up to the end of the kernel."""
    shown = " ".join(line or function for line, function in SHOWN.findall(text))
    return shown.partition(" 16")[0]


FRAME = re.compile(r"^#(\d+) +(?:0x\w+ in )?([a-z]\w*) \(.*:(\d+)$", re.MULTILINE)
Answers: TypeAlias = Callable[..., tuple[str, str]]


def frames(text: str) -> list[tuple[str, ...]]:
    """Return the number, function and line of the frames, but for `main`."""
    return [found for found in FRAME.findall(text) if found[1] != "main"]


@pytest.fixture(scope="module")
def stepped(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Answers:
    """Gives what commands print after the first line: GDB, and we."""
    folder = tmp_path_factory.mktemp("steps")
    host = folder / "k.cc"
    host.write_text(SOURCE + MAIN)
    compiler, gdb = tool("clang++-19"), tool("gdb")
    command = [compiler, "-g", "-O1", "-fno-vectorize", "-fno-slp-vectorize", *ON_CPU, str(host)]
    subprocess.run([*command, "-o", str(folder / "host")], check=True, timeout=60)
    kernel = gpu_program(tool, folder / "k.hip", SOURCE, "gfx942", "-O1", *ON_GPU)

    def answers(commands: list[str]) -> tuple[str, str]:
        words = [word for command in commands for word in ("-ex", command)]
        start = ["-iex", NO_DEBUG_FILES, "-ex", "break 8", "-ex", "run", "-ex", "echo ##\\n"]
        by_gdb = subprocess.run(
            [gdb, "-nx", "-q", "--batch", *start, *words, str(folder / "host")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        by_us = run(
            "debug", str(kernel), "--dispatch", "k", "--grid", "1", "--workgroup", "1",
            "--arg", "out=zeros:16", "--arg", "in=range:4", "--batch", *start, *words,
        )  # fmt: skip
        return by_gdb.stdout.partition("##\n")[2], by_us.out.partition("##\n")[2]

    return answers


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (["next"] * 5, "9 10 11 12 13"),
        (["step"] * 4, "9 inner 2 k 10 11"),
        (["next", "next", "next", "step", "step"], "9 10 11 outer 5 inner 2"),
        (["next 3", "step 2", "finish"], "11 inner 2 outer"),
        (["next 3", "step", "next"], "11 outer 5 k"),
        (["next", "step", "finish"], "9 inner 2"),
        (["step 2", "up", "step"], "inner 2 9 k 10"),
        (["next 3", "step", "up", "next"], "11 outer 5"),
        (["next", "until"], "9 10"),
        (["advance called", "step"], "called 18 inner 2"),
        (["tbreak 14", "continue", "next", "step", "step"], "14 15 called 18 inner 2"),
    ],
)
def test_the_same_stops_as_gdb(commands: list[str], expected: str, stepped: Answers) -> None:
    by_gdb, by_us = map(stops, stepped(commands))
    assert by_us.startswith(expected)
    assert by_gdb == by_us


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["next"], [("0", "k", "9")]),
        (["step 2"], [("0", "inner", "2"), ("1", "k", "9")]),
        (["next 3", "step"], [("0", "outer", "5"), ("1", "k", "11")]),
        (["next 3", "step 2"], [("0", "inner", "2"), ("1", "outer", "5"), ("2", "k", "11")]),
        (["next 3", "step 2", "finish"], [("0", "outer", "5"), ("1", "k", "11")]),
    ],
)
def test_the_same_frames_as_gdb(
    steps: list[str], expected: list[tuple[str, ...]], stepped: Answers
) -> None:
    """An inlined function that is not entered yet has no frame, in whatever thread or frame the
    focus was since the stop."""
    outermost = expected[-1][0]
    commands = [*steps, "echo ##\\n", "backtrace", "frame", "info threads"]
    commands += [f"frame {outermost}", "down", "thread 1", "up", "info frame"]
    by_gdb, by_us = (text.partition("##\n")[2] for text in stepped(commands))
    assert frames(by_us)[: len(expected)] == expected
    assert frames(by_us) == frames(by_gdb)
    threads = (text.partition("* 1 ")[2].partition("\n")[0] for text in (by_gdb, by_us))
    assert all(f" {expected[0][1]} (" in line for line in threads)


def test_another_lane_is_in_the_same_frame(stepped: Answers) -> None:
    """Where an inlined function is not entered yet."""
    assert frames(stepped(["next", "lane 0", "frame"])[1]) == [("0", "k", "9")] * 2


BEHIND_A_CALL = """\
static DEVICE INLINED int inner(const volatile int *p) {
  return *p;
}
static DEVICE __attribute__((noinline)) void put(volatile int *q, int n) {
  q[0] = n;
}
KERNEL k(volatile int *out, const volatile int *in) {
  put(out, 1);
  out[1] = inner(in);
  put(out, 3);
  out[2] = inner(in + 1) + 1;
}
"""


def test_a_function_returns_to_an_inlined_call(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It is not entered yet, as in GDB with a program of the same text."""
    kernel = gpu_program(tool, tmp_path / "k.hip", BEHIND_A_CALL, "gfx942", "-O1", *ON_GPU)
    done = run(
        "debug", str(kernel), "--dispatch", "k", "--grid", "1", "--workgroup", "1",
        "--heuristic", "--arg", "out=zeros:16", "--arg", "in=range:4", "--batch", "-ex",
        "break put", "-ex", "run", "-ex", "continue", "-ex", "echo ##\\n", "-ex", "finish",
        "-ex", "step",
    )  # fmt: skip
    assert stops(done.out.partition("##\n")[2]) == "k 11 inner 2"


WATCHED = """\
static DEVICE INLINED void set(int *p, int n) {
  *p = n;
}
KERNEL k(int *out, int *two) {
  out[0] = 1;
  set(two, 2);
  out[0] = 3;
}
"""


def test_what_is_watched_changes_before_an_inlined_call(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The stop is in the line of the call, as in GDB with a program of the same text."""
    kernel = gpu_program(tool, tmp_path / "k.hip", WATCHED, "gfx942", "-O1", *ON_GPU)
    done = run(
        "debug", str(kernel), "--dispatch", "k", "--grid", "1", "--workgroup", "1", "--arg",
        "out=zeros:16", "--arg", "two=zeros:16", "--batch", "-ex", "break 5", "-ex", "run",
        "-ex", "watch -l $_kernarg.out[0]", "-ex", "echo ##\\n", "-ex", "continue", "-ex", "step",
    )  # fmt: skip
    assert stops(done.out.partition("##\n")[2]) == "k 6 set 2"


BODY = """\
static DEVICE INLINED void set(int *p, int n) {
  *p = n;
}
static DEVICE __attribute__((noinline)) void called(int *p) {
  set(p, 7);
}
KERNEL k(int *out) {
  called(out);
  out[1] = 3;
}
"""


@pytest.mark.parametrize(
    ("points", "function"),
    [(["break called"], "called"), (["break called", "break *$at"], "set"), ([], "called")],
)
def test_what_is_watched_changes_where_a_body_begins(
    points: list[str], function: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The locations of the breakpoints decide, as in GDB: a watchpoint is in no inlined call."""
    kernel = gpu_program(tool, tmp_path / "k.hip", BODY, "gfx942", "-O1", *ON_GPU)
    commands = [
        "tbreak called", "run", "set $at = (unsigned long) $pc", *points, "starti",
        "watch (unsigned long) $pc == $at", "echo ##\\n", "continue",
    ]  # fmt: skip
    done = run(
        "debug", str(kernel), "--dispatch", "k", "--grid", "1", "--workgroup", "1", "--arg",
        "out=zeros:16", "--batch", *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    [line] = [line for line in done.out.partition("##\n")[2].splitlines() if " at " in line]
    assert f" {function} (" in f" {line}"
    assert ("hit Breakpoint 2," in line) == bool(points)
