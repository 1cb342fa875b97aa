"""Numbers in x87 registers, which GCC describes as objects of other formats: those of GDB."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.repl.side_by_side import answers, build, last_lines, with_core

SOURCE = r"""
asm(".globl _start\n_start: call main\n hlt\n");
#define STOP(n) asm volatile(".if " #n "==" AT "\n int3\n .endif\n nop" ::: "memory")
typedef const double number;
static double given[2] = {TOP, BOTTOM};
static volatile float kept;
static volatile long double wide;
__attribute__((noinline)) static double g(double *of, int n) {
  number d = of[0] / of[1];
  float converted = d;
  double twice = d * 2;
  STOP(1);
  *of = d + n;
  float f = of[0] * d;
  float product = f * 3;
  long double l = wide * n;
  STOP(2);
  kept = f;
  wide = l;
  return *of * f;
}
int main(void) { double outer = g(given, 3); return outer + wide > 3; }
"""
AGGREGATES = r"""
asm(".globl _start\n_start: call main\n hlt\n");
struct pair { long double a; long b; };
static struct pair given = {2.5L, 1};
_Complex long double factors = 1.5L + 2.0iL;
static volatile long double sum;
__attribute__((noinline)) static long double of_pair(struct pair *from, int n) {
  struct pair s = *from;
  s.a = s.a * n;
  s.b += n;
  s.a += s.b;
  asm volatile(PAIR ::: "memory");
  from->b = s.b;
  return s.a;
}
__attribute__((noipa))
_Complex long double of_complex(_Complex long double z, long double k) {
  _Complex long double y;
  __real__ y = __real__ z * k;
  __imag__ y = __imag__ z + k;
  if (__real__ y > 3.0L) {
    __imag__ y = -__imag__ y;
    asm volatile(COMPLEX);
  }
  return y * 2;
}
int main(void) {
  sum = of_pair(&given, 3);
  sum = __real__ of_complex(factors, sum);
  return sum > 3;
}
"""
DIVISIONS = [
    ("1.0", "3.0"),  # of the extended quotient, the nearest double
    ("-15.0", "2.0"),
    ("1.0", "-0.0"),  # an infinity
    ("0.0", "0.0"),  # a NaN
    ("-0.0", "1.0"),
    ("1e-160", "1e160"),  # denormal as a double
    ("1e-300", "1e300"),  # less than any double
    ("-1e300", "1e-300"),  # more than any double
]

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="needs x86-64")


def stopped(
    tool: Callable[[str], str],
    folder: Path,
    option: str,
    at: int,
    quotient: tuple[str, str] = DIVISIONS[0],
) -> list[str]:
    """Return the program and its core file, of one of the stops."""
    top, bottom = quotient
    options = [option, f'-DAT="{at}"', f"-DTOP={top}", f"-DBOTTOM={bottom}"]
    return compiled_and_stopped(tool, folder, SOURCE, options)


def compiled_and_stopped(
    tool: Callable[[str], str], folder: Path, source: str, options: list[str]
) -> list[str]:
    """Return a program, compiled with the options, and its core file."""
    make = [tool("gcc"), "-g", "-O2", "-static", "-nostdlib", "-fno-stack-protector", "-fno-pie"]
    try:
        build(folder, {"a.c": source}, [[*make, "-no-pie", "-w", *options, "a.c", "-o", "a"]])
    except subprocess.CalledProcessError:
        pytest.skip(f"gcc does not compile with {options[0]}")
    return with_core(tool, folder)


def _without_hint(text: str) -> str:
    return re.sub(r'type "explain \w+" to see why\n', "", text)


@pytest.mark.parametrize("quotient", DIVISIONS, ids="/".join)
@pytest.mark.parametrize("option", ["-m32", "-mfpmath=387"])
def test_objects_in_registers(
    tool: Callable[[str], str], tmp_path: Path, option: str, quotient: tuple[str, str]
) -> None:
    commands = ["p d", "p/x d", "p d * 2", "p sizeof d", "p $st0", "bt", "up", "p d"]
    files = stopped(tool, tmp_path, option, 1, quotient)
    theirs, ours = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert ours == theirs
    assert "$1 = " in theirs[0] and "optimized" not in theirs[0]


@pytest.mark.parametrize("option", ["-m32", "-mfpmath=387"])
def test_the_format_of_the_object_decides(
    tool: Callable[[str], str], tmp_path: Path, option: str
) -> None:
    files = stopped(tool, tmp_path, option, 2)
    commands = ["p f", "p l", "p $st0", "p $st1", "info address l"]
    theirs, ours = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert ours[:4] == theirs[:4]
    assert "$1 = 1.11111116\n" in theirs[0] and "in $st" in theirs[4]


@pytest.mark.parametrize("quotient", DIVISIONS, ids="/".join)
@pytest.mark.parametrize("option", ["-m32", "-mfpmath=387"])
def test_values_of_registers(
    tool: Callable[[str], str], tmp_path: Path, option: str, quotient: tuple[str, str]
) -> None:
    """`converted` is DW_OP_regval_type of ST0 and DW_OP_convert."""
    commands = ["info locals", "p converted", "p/x twice"]
    files = stopped(tool, tmp_path, option, 1, quotient)
    theirs, ours = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert [_without_hint(text) for text in ours] == theirs
    assert "$1 = " in theirs[1] and "optimized" not in theirs[1]


@pytest.mark.parametrize("option", ["-m32", "-mfpmath=387"])
def test_a_value_of_float(tool: Callable[[str], str], tmp_path: Path, option: str) -> None:
    """`product` is DW_OP_regval_type of ST0 as `float`, by 3."""
    files = stopped(tool, tmp_path, option, 2)
    theirs, ours = (answers(gdb, files, ["info locals"]) for gdb in (tool("gdb"), None))
    assert [_without_hint(text) for text in ours] == theirs
    assert "product = 3.33333349\n" in theirs[0]


@pytest.mark.parametrize("option", ["-m32", "-mfpmath=387"])
def test_written_objects(tool: Callable[[str], str], tmp_path: Path, option: str) -> None:
    """GDB converts back, too, but writes no registers of core files."""
    files = stopped(tool, tmp_path, option, 1)
    steps = [
        ("set var d = 3", "3", "3"),
        ("p d += 0.5", "3.5", "3.5"),
        ("set var d = 0.1", "0.10000000000000001", "0.100000000000000005551"),
        ("set var d = -1 / 0.0", "-inf", "-inf"),
        ("set var d = 5e-324", "4.9406564584124654e-324", "4.94065645841246544177e-324"),
        ("set var $st0 = 2.5", "2.5", "2.5"),
    ]
    commands = [line for command, _, _ in steps for line in (command, "p d", "p $st0")]
    texts = [line.partition(" = ")[2] for line in last_lines(files, commands)]
    assert texts[1::3] == [value for _, value, _ in steps]
    assert texts[2::3] == [value for _, _, value in steps]


@pytest.mark.parametrize(
    ("variable", "said", "literal"),
    [
        ("converted", "[] -> [0.33333333333333331 (double)]\n        ^ ", "DW_OP_regval_type ST0"),
        ("d", "=> d = 0.33333333333333331\n   the object is at st0\n   ", "the object is at st0\n"),
    ],
)
def test_what_explain_says(
    variable: str,
    said: str,
    literal: str,
    tool: Callable[[str], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program, core = stopped(tool, tmp_path, "-mfpmath=387", 1)
    words = "st0 holds a number of the x87 extended format, converted to double\n"
    assert main(["explain", "--core", core, "--file", program, variable]) == 0
    assert said + words in capsys.readouterr().out
    assert main(["explain", "--strict", "--core", core, "--file", program, variable]) == 0
    out = capsys.readouterr().out
    assert literal in out and "extended format" not in out and "0.333" not in out


def aggregate(tool: Callable[[str], str], folder: Path, option: str, stop: str) -> list[str]:
    """Return a program and its core file: `int3` is in the function that `stop` names."""
    others = {"PAIR": "nop", "COMPLEX": "nop", stop: "int3;nop"}
    options = [option, *(f'-D{name}="{code}"' for name, code in others.items())]
    return compiled_and_stopped(tool, folder, AGGREGATES, options)


@pytest.mark.parametrize(("stop", "name"), [("PAIR", "s"), ("COMPLEX", "y")])
@pytest.mark.parametrize("option", ["-m32", "-m64"])
def test_pieces_with_padding(
    tool: Callable[[str], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    option: str,
    stop: str,
    name: str,
) -> None:
    """A piece has the 12 or 16 bytes of `long double`, and the register 10."""
    files = aggregate(tool, tmp_path, option, stop)
    part = "s.a * 2" if name == "s" else "$_cimag(y) * 2"
    commands = [f"p {name}", "info locals", f"p {part}", "p $st0"]
    theirs, ours = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert ours == theirs
    assert "optimized" not in theirs[0]
    program, core = files
    assert main(["check", program]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out
    assert main(["eval", "--json", "--core", core, "--file", program, name]) == 0
    assert '"undefined_bits": [{"bit_offset": 80, ' in capsys.readouterr().out
    assert main(["eval", "--strict", "--core", core, "--file", program, name]) == 1
    assert "has 80 left" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["-m32", "-m64"])
def test_written_pieces(tool: Callable[[str], str], tmp_path: Path, option: str) -> None:
    files = aggregate(tool, tmp_path, option, "PAIR")
    assert last_lines(files, ["set var s.a = 0.5", "p s", "p $st0"])[1:] == [
        "$1 = {a = 0.5, b = 4}",
        "$2 = 0.5",
    ]


MEMBERS = r"""
asm(".globl _start\n_start: call main\n hlt\n");
typedef struct { double a; float b; } P;
static volatile double in[2] = {7.5, 3.25};
__attribute__((noinline)) static double members(void) {
  P p = {in[0], in[1]};
  asm volatile("nop" : "+t"(p.a), "+u"(p.b) :: "memory");
  asm volatile("int3\n nop" ::: "memory");
  in[1] = p.a;
  in[0] = p.b;
  return 1;
}
int main(void) { return members() > 3; }
"""


@pytest.mark.parametrize("option", ["-m32", "-mfpmath=387"])
def test_members_in_pieces_of_registers_are_their_bits(
    option: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """As the structure that has them; a number that is assigned is the one that is read."""
    files = compiled_and_stopped(tool, tmp_path, MEMBERS, [option])
    commands = ["p p", "p p.a", "p p.b", "p p.a == 7.5"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    *_, assigned, read, whole = answers(None, files, ["p p.a = 2", "p p.a", "p p"])
    assert "\n$1 = 2\n" in assigned and "\n$2 = 2\n" in read
    assert "\n$3 = {a = 2, " in whole
