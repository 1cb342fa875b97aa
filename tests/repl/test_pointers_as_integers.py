"""Pointers of GPU programs as integers: the debugger gives what the kernel computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import Done, run
from tests.gpu_programs import gpu_program
from tests.objfile import build

OF_HIP = (
    "pi", "&m[1]", "&m[0] + 2", "m", "(void *)&m[1]", "&s[0]", "&s[0] - 1", "(char *)&s[1] + 1",
    "&pi[1]", "&*pi", "&c", "(B *)&c", "&c.b", "&pc->b", "static_cast<C *>(pb)", "&pp[0]", "pp + 1",
    "(int *)pp", "(int *)pp + 1", "&((int *)pp)[1]", "(typeof(pp))pi", "(typeof(pp))&m[1]",
    "(int)(unsigned long)&m[1]", "(bool)&s[0]", "!&s[0]", "&pi", "&out[1]", "pn", "!pn",
    "(int *)pn", "(int *)pn == (int *)0", "sizeof(&m[1])", "sizeof(&s[1])", "sizeof((int *)pp)",
    "sizeof(&pp[1])", "&s[-2]", "&*&s[-1]", "&s[-1] + 1",
    "&((char *)s)[-1]", "&(&s)[-1]", "pi < &s[0]", "&m[0] > &s[0]", "pi > nul", "&m[0] <= nul",
    "&m[0] < &m[1]", "&s[-1] < &s[0]", "(int *)pp >= pi", "pp < pp + 1", "nul < (int *)out",
    "pi - &s[0]", "&s[0] - pi", "pi - nul", "nul - &m[0]", "&s[1] - &s[3]",
)  # fmt: skip
HIP = """\
#define DEVICE __attribute__((device))
typedef __attribute__((address_space(5))) int private_int;
struct A { int a; DEVICE virtual void f() {} };
struct B { int b; };
struct C : A, B { int c; };
extern "C" __attribute__((global)) void k(unsigned long *out) {
  __attribute__((shared)) static int s[4];
  int m[4];
  C c;
  C *pc = &c;
  B *pb = &c;
  int *pi = &m[1];
  private_int *pp = (private_int *)&m[1];
  private_int *pn = nullptr;
  int *nul = nullptr;
"""
OF_OPENCL = (
    "pi", "&m[1]", "&m[0] + 2", "&s[1]", "&s[0] + 1", "ps", "&pi[1]", "&ps[1]", "pg", "&pg[1]",
    "&*pg", "pgs + 1", "&pgs[1]", "&out[1]", "(int *)ps", "(int *)&s[1]", "(int *)pi + 1",
    "(private_pointer)(int *)pi", "*(int *)(unsigned long)(int *)&m[1]", "(int *)pn == 0",
    "pg_null == pn", "pn != pg_null", "(private_pointer)pg_null", "sizeof(&*pg)", "pi == pg",
    "zero ? pg : pi", "1 ? pn : pg", "zero ? pg : &m[1]", "1 ? ps : pg", "1 ? pg : pi",
    "(1 ? pn : pg) == 0", "sizeof(1 ? pi : pg)", "pg > pg_null", "pg > pgs", "(int *)pi < pg",
    "pg >= pi", "pg_null < ps", "pgs < &m[1]", "(int *)pn < pgs", "(int *)m < pgs",
    "pg - pg_null", "pg_null - pg", "pgs - pg", "pg - pgs",
)  # fmt: skip
OF_ALL_OPENCL = (
    "(int *)pi", "(int *)&m[1]", "(int *)pn", "sizeof((int *)pi)", "pn", "pn == 0", "0 != pn",
    "pn == (void *)0", "pi < 0", "!pn", "pn && 1", "pn ? 1 : 2", "pi ? pn : 0", "pi ? 0 : pi",
    "(bool)pn", "!&s[0]", "&s[0] ? 1 : 2", "&s[0] == 0", "s == 0", "(bool)&s[0]",
    "(private_pointer)0", "(private_pointer)zero", "(private_pointer)zero == 0", "pn + 1",
    "sizeof(&m[1])", "sizeof(&s[1])", "sizeof(&ps[1])", "sizeof(&out[1])", "sizeof(&out)",
    "sizeof(s + 1)", "pn == (int)0", "pn == (1 - 1)", "(private_pointer)(long)0", "pn == '\\0'",
    "(private_pointer)NONE", "(private_pointer)-0", "(private_pointer)(sizeof(int) - 4)",
    "(private_pointer)(0 ? 1 : 0)", "(private_pointer)(char)0.5f", "(private_pointer)!1",
    "(private_pointer)(void *)(1 - 1)", "(private_pointer)(1, 0)", "(private_pointer)(zero * 0)",
    "(private_pointer)(1.5f > 2.5f)", "(private_pointer)(char)256", "(private_pointer)(TWO - 2)",
    "(private_pointer)(ONE - 2 + 1)", "1 ? pi : (1 - 1)", "1 ? (1 - 1) : pi", "pi > pn",
    "1 ? pi : (int *)8", "1 ? pn : (int *)8", "1 ? m : (int *)8", "zero ? pi : (int *)8",
    "zero ? (int *)8 : pi", "((private_pointer[2]){pi, 0})[1]", "((private_pointer[3]){pi})[2]",
    "((private_pointer[]){(int)0})[0]", "((struct P){1}).p", "((struct P){1, 0}).p",
    "((struct P[2]){{1, pi}})[1].p", "((struct P){1, 0, {pi}}).q[0]",
    "(private_pointer)NOTHING", "(private_pointer)(NOTHING + 0)", "pn == NOTHING",
    "(private_pointer)(ONE_MORE - 1)", "(private int *)0", "(__private int *)16",
    "sizeof(global int *)", "sizeof(__local int *)", "*(private int *)pi",
    "(global ulong *)out == out", "((global ulong *private *)16)",
)  # fmt: skip
ALL_OPENCL = """\
constant int NOTHING = 0;
constant int ONE_MORE = 1;
typedef private int *private_pointer;
enum number { NONE, ONE, TWO };
struct P { int n; private_pointer p; private_pointer q[1]; };
kernel void k(global ulong *out) {
  local int s[4];
  int m[4];
  int zero = 0;
  enum number number = ONE;
  struct P structure;
  m[1] = 7;
  private int *pi = &m[1];
  local int *ps = &s[1];
  private_pointer pn = 0;
"""
OF_OPENCL_1 = (
    "(int *)0", "(void *)0", "(int *)8", "(int *)zero", "(int *)-1", "(int *)pi",
    "(int *)(void *)m", "!(int *)0", "sizeof(int *)", "sizeof((int *)8)", "sizeof(int *[2])",
    "((int *[2]){pi, 0})[1]", "pi < (int *)16", "(int *)16 > pi", "pn == (int *)0",
    "&((int *)8)[1]", "(int *)16 - pi",
)  # fmt: skip
OF_CPLUSPLUS_FOR_OPENCL = (
    "pi", "ps", "pn", "g", "gs", "&m[1]", "&s[1]", "m", "s", "&st", "&st.b", "&r", "r", "!pn",
    "m[0] ? (void *)0 : pi", "m[0] ? pn : (void *)0", "m[0] ? pi : (void *)0", "m[0] ? 0 : pi",
    "sizeof(m[0] ? pi : (void *)0)", "pn == (void *)0", "(PP)(void *)0", "static_cast<PP>(0)",
    "reinterpret_cast<PP>(0)",
    "pn == 0", "pi == &m[1]", "g == &m[2]", "&pi", "sizeof(&m[1])", "sizeof(&s[1])", "sizeof(g)",
    "sizeof(&st)", "(int *)pi", "(PP)(int)0", "(PP)0", "1 ? pi : g", "1 ? pn : g", "&g[1]",
    "&*ps", "&ps[-1]", "!&s[0]", "&m[0] + 1", "pi < g", "g < gs",
)  # fmt: skip
CPLUSPLUS_FOR_OPENCL = """\
struct S { int a, b; };
typedef private int *PP;
kernel void k(global ulong *out) {
  local int s[4];
  int m[4] = {1, 2, 3, 4};
  S st;
  private int *pi = &m[1];
  local int *ps = &s[1];
  private int *pn = nullptr;
  int *g = &m[2];
  int *gs = &s[2];
  int &r = m[3];
"""
OPENCL = f"""\
{ALL_OPENCL}
  generic int *pg_null = 0;
  generic int *pg = &m[1];
  generic int *pgs = &s[1];
"""


@pytest.mark.parametrize("processor", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(
    ("name", "start", "expressions", "options"),
    [
        ("k.hip", HIP, OF_HIP, ()),
        ("k.cl", OPENCL, OF_ALL_OPENCL + OF_OPENCL, ()),
        ("k.cl", ALL_OPENCL, OF_ALL_OPENCL + OF_OPENCL_1, ("-cl-std=CL1.2",)),
        ("k.cl", CPLUSPLUS_FOR_OPENCL, OF_CPLUSPLUS_FOR_OPENCL, ("-cl-std=clc++",)),
    ],
)
def test_a_pointer_has_the_number_that_it_has_in_the_kernel(
    tool: Callable[[str], str],
    tmp_path: Path,
    name: str,
    start: str,
    expressions: tuple[str, ...],
    options: tuple[str, ...],
    processor: str,
) -> None:
    integers = [f"(unsigned long)({expression})" for expression in expressions]
    text = start + "".join(f"  out[{n}] = {text};\n" for n, text in enumerate(integers))
    last = len(integers)
    program = gpu_program(
        tool, tmp_path / name, f"{text}  out[{last}] = 1;\n}}\n", processor, "-O0", *options
    )
    pairs = [f"p/x (unsigned long)out[{n}] == {text}" for n, text in enumerate(integers)]
    shown = [word for command in pairs for word in ("-ex", command)]
    done = run(
        "debug", program, "--dispatch", "k", "--grid", 1, "--workgroup", 1, "--scratch", 4096,
        "--arg", f"out=zeros:{8 * last + 8}", "-q", "--batch",
        "-ex", f"break {text.count(chr(10)) + 1}", "-ex", "run", *shown,
    )  # fmt: skip
    answers = [line.partition(" = ")[2] for line in done.lines if line.startswith("$")]
    wrong = [text for text, answer in zip(integers, answers, strict=True) if answer != "0x1"]
    assert wrong == [], done


@pytest.mark.parametrize(
    ("standard", "expected"),
    [
        ("-cl-std=CL2.0", ["1", "1", "-1", "-1", "(int *) private_lane#0xffffffff", *"0080", "7"]),
        ("-cl-std=CL3.0", ["1", "1", "-1", "-1", "(int *) private_lane#0xffffffff", "7"]),
    ],
)
def test_null_of_private_memory_is_stored(
    tool: Callable[[str], str], tmp_path: Path, standard: str, expected: list[str]
) -> None:
    """clang has `(int *)pn` in private memory or in generic, by an option that OpenCL 3.0 has."""
    text = f"{ALL_OPENCL}  out[0] = 1;\n}}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0", standard)
    commands = [
        "set var pi = 0", "set var ps = 0", "p pi == pn", "p !ps", "p (int)(unsigned long)pi",
        "p (int)(unsigned long)ps", "p (int *)pn", "p (unsigned long)(int *)pn",
        "p (unsigned long)(1 ? pn : (int *)8)", "p sizeof((int *)pn)",
        "p (int *)8 < pn", "p *(int *)&m[1]",
    ]  # fmt: skip
    done = run(
        "debug", program, "--dispatch", "k", "--grid", 1, "--workgroup", 1, "--scratch", 4096,
        "--arg", "out=zeros:8", "-q", "--batch", "-ex", f"break {text.count(chr(10)) - 1}",
        "-ex", "run", *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    answers = [line.partition(" = ")[2] for line in done.lines if line.startswith("$")]
    assert answers == expected, done
    reason = "depends on the version of OpenCL, which is unknown"
    assert done.err.count(reason) == 10 - len(expected), done


def test_an_unqualified_pointer_is_private_in_opencl_1(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """But one to another space stays there, and a number that is no private address is global."""
    text = f"{ALL_OPENCL}  out[0] = 1;\n}}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0", "-cl-std=CL1.2")
    expressions = (
        "(int *)12", "*(int *)pi", "(int *)ps", "(ulong *)(void *)out == out",
        "(int *)0x7e0000001968", "(int *)-0x7e0000001968", "sizeof((int *)ps)",
    )  # fmt: skip
    done = _at_line(program, text.count("\n") - 1, *expressions)
    assert _answers(done) == [
        "(int *) private_lane#0xc", "7", "(int *) local#0x4", "1", "(int *) 0x7e0000001968",
        "(int *) 0xffff81ffffffe698", "4",
    ], done  # fmt: skip


def test_the_initializer_of_a_variable_decides_whether_it_is_null(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """clang takes those that a constant initializes for constants; the file has none of a local
    variable."""
    own = "  const int unknown = 0;\n  volatile const int changing = 0;\n"
    text = f"{ALL_OPENCL}{own}  out[0] = 1;\n}}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0")
    refused = ("(private int *)unknown", "pn == unknown", "(private int *)(unknown - 0)")
    expressions = (
        *refused, "(private int *)changing", "sizeof((private int *)unknown)", "(ulong)unknown",
        "(global int *)unknown",
    )  # fmt: skip
    done = _at_line(program, text.count("\n") - 1, *expressions)
    assert _answers(done) == ["(int *) private_lane#0x0", "4", "0", "(int *) 0x0"], done
    assert done.err.count("depends on the initializer of unknown") == len(refused), done


def test_a_pointer_is_cast_to_a_generic_one(tool: Callable[[str], str], tmp_path: Path) -> None:
    text = f"{ALL_OPENCL}  out[0] = (ulong)(generic int *)pi;\n  out[0] = 1;\n}}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0", "-cl-std=CL2.0")
    expressions = (
        "out[0] == (ulong)(generic int *)pi",
        "*(__generic int *)pi",
        "(generic int *)pn",
    )
    done = _at_line(program, text.count("\n") - 1, *expressions)
    assert _answers(done) == ["1", "7", "(int *) generic#0x0"], done


def test_a_difference_with_a_generic_pointer_is_refused_in_opencl(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """clang subtracts the addresses in two spaces."""
    text = f"{OPENCL}  out[0] = 1;\n}}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0", "-cl-std=CL2.0")
    refused = ("pg - pi", "ps - pgs", "pi - (int *)pi", "&m[2] - pg")
    done = _at_line(
        program, text.count("\n") - 1, *refused, "pg - (int *)pi", "&m[3] - pi", "sizeof(pg - pi)"
    )
    assert _answers(done) == ["0", "2", "8"], done
    assert done.err.count("clang subtracts a pointer to") == len(refused), done


def test_a_pointer_before_a_generic_one_is_not_compared_in_opencl_c(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """clang converts the second to the address space of the first, and its lower bits decide."""
    one = "  private int *one = (private int *)(uint)(ulong)ps;\n"
    text = f"{OPENCL}{one}  out[0] = 1;\n}}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0", "-cl-std=CL2.0")
    refused = ("pi < pg", "pn >= pgs", "m < pgs", "ps > pg", "one == pgs", "one != pgs")
    done = _at_line(program, text.count("\n") - 1, *refused, "pg > pi", "pgs == one")
    assert _answers(done) == ["0", "0"], done
    assert done.err.count("cast the first, as in `(int *) p`") == len(refused), done


def test_hip_that_is_linked_with_a_library_of_opencl_stays_hip(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As with device libraries: the metadata of the kernel have the language of the library."""
    library = "int thrice(int x) { return 3 * x; }\n"
    bitcode = gpu_program(tool, tmp_path / "f.cl", library, "gfx942", "-emit-llvm", "-c", "-O1")
    text = """\
extern "C" __attribute__((device)) int thrice(int);
extern "C" __attribute__((global)) void k(unsigned long *out) {
  int m[4];
  m[1] = thrice(2);
  out[0] = m[1];
}
"""
    options = ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(bitcode))
    program = gpu_program(tool, tmp_path / "k.hip", text, "gfx942", "-O0", *options)
    assert "  language OpenCL C 2.0" in run("info", program).lines
    done = _at_line(program, 5, "m[1]", "sizeof(&m[1])", "(unsigned long)&m[1] >> 48")
    assert _answers(done) == ["6", "8", "2"], done


CALLER = """\
int f(int *x);
kernel void k(global ulong *out) {
  int m = 3;
  out[0] = f(&m);
}
"""
CALLED = """\
extern "C" int f(int *x);
int f(int *x) {
  int n = *x;
  private int *pn = nullptr;
  return n;
}
"""


def test_a_unit_of_cplusplus_beside_kernels_of_opencl(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Without a kernel it may be of HIP, or of C++ for OpenCL: what differs is refused."""
    objects = [
        gpu_program(tool, tmp_path / name, text, "gfx942", "-O0", "-c", standard)
        for name, text, standard in (
            ("k.cl", CALLER, "-cl-std=CL2.0"),
            ("f.cl", CALLED, "-cl-std=clc++"),
        )
    ]
    program = tmp_path / "program.co"
    build.run(tool("clang-19"), "--target=amdgcn-amd-amdhsa", *objects, "-o", program)
    unknown = (
        "(long)&n", "sizeof(&n)", "!pn", "pn == 0", "pn ? 1 : 2", "1 ? 0 : pn", "(bool)pn",
    )  # fmt: skip
    done = _at_line(program, "f.cl:5", "*&n", "*x", "x == &n", "(int *)pn == pn", *unknown)
    assert _answers(done) == ["3", "3", "false", "true"], done
    reason = "depends on the language, HIP or C++ for OpenCL, which is unknown"
    assert done.err.count(reason) == len(unknown), done


def test_a_condition_of_cplusplus_for_opencl_is_a_float(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """It converts to bool, as in C++; OpenCL C has no such condition."""
    text = "kernel void k(global ulong *out) {\n  float f = 0.5f;\n  out[0] = f ? 3 : 4;\n}\n"
    program = gpu_program(tool, tmp_path / "k.cl", text, "gfx942", "-O0", "-cl-std=clc++")
    done = _at_line(program, 4, "out[0]", "f ? 3 : 4", "0.0f ? 3 : 4")
    assert _answers(done) == ["3", "3", "4"], done


def _at_line(program: Path, line: int | str, *expressions: str) -> Done:
    return run(
        "debug", program, "--dispatch", "k", "--grid", 1, "--workgroup", 1, "--scratch", 8192,
        "--arg", "out=zeros:8", "-q", "--batch", "-ex", f"break {line}", "-ex", "run",
        *(word for expression in expressions for word in ("-ex", f"p {expression}")),
    )  # fmt: skip


def _answers(done: Done) -> list[str]:
    return [line.partition(" = ")[2] for line in done.lines if line.startswith("$")]
