"""Types of vectors in OpenCL C: clang has those that the debugger shows, with their sizes, for the
same expressions. A vector of three elements is as large as one of four (OpenCL C 6.1.5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.command import Done, run
from tests.gpu_programs import gpu_program

PROGRAM = """\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OF(count) __attribute__((ext_vector_type(count)))
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef {0} two OF(2);
typedef {0} vector OF(3);
typedef {0} four OF(4);
typedef {1} truth OF(3);
struct pair {{ vector v; int n; }};
__kernel void k(__global int *out, int n) {{
  two t = (two)(1, 2);
  four f = (four)(1, 2, 3, 4);
  vector v = (vector)(1, 2, 3);
  const vector c = (vector)(4, 5, 6);
  vector a[2] = {{ v, c }};
  truth b = v == c;
  struct pair s = {{ v, 7 }};
{2}  out[0] = sizeof(t) + sizeof(f) + sizeof(v) + sizeof(c) + sizeof(a) + sizeof(b) + sizeof(s) + n;
}}
"""
OF_THREE = (
    "v", "v.xyz", "v.zyx", "v.s012", "f.xyz", "f.wzy", "v.xyz.zyx", "v + v", "v.xyz + v", "v + c",
    "-f.xyz", "+v", "c.xyz", "a[1]", "a[1].xyz", "a[0] + v", "s.v", "s.v.zyx", "v = f.xyz",
    "f.xyz = v", "v.xyz = v", "v += f.xyz", "v *= v", "s.v = v.zyx", "n ? v : f.xyz",
    "n ? f.xyz : v", "(v == v) ? v : f.xyz",
    "(vector)(1, 2, 3)", "(vector)1", "(vector)(1)", "(vector)(v.xyz)", "(vector)f.xyz + v",
    "(vector)(f.xy, 1)", "*&v", "n, f.xyz",
)  # fmt: skip
OF_NUMBERS = ("n ? v : 1", "n ? 1 : v", "v + 1", "(v < c) ? 1 : c")
"""With an `int`, whose rank is not greater than that of the elements."""
OF_TRUTHS = (
    "v == v", "f.xyz == v", "v != c", "v.xyz < v", "v >= v.zyx", "!v", "!f.xyz", "!!v", "v && v",
    "f.xyz || v", "(truth)(f.xyz == v)", "(v == v) ? (v > c) : (v != c)", "(v < v).zyx",
)  # fmt: skip
OF_TWO = ("t", "v.xy", "v.lo", "v.hi", "v.even", "v.odd", "f.xyz.hi", "(v + v).odd", "v.xy = v.zy")
OF_FOUR = ("f", "v.xyzx", "(four)(f.xyz, 1)", "(four)(1, v)")
OF_OTHERS = (("a", "vector[2]"), ("s", "struct pair"))
OF_INTEGERS = ("~f.xyz", "v << f.xyz", "f.xyz >> v", "v % f.xyz", "f.xyz & v", "f.xyz ? v : f.xyz")
TRUTHS = {
    "char": "char", "uchar": "char", "ushort": "short", "half": "short", "int": "int",
    "float": "int", "ulong": "long", "double": "long",
}  # fmt: skip


def _answers(
    tool: Callable[[str], str], path: Path, scalar: str, asserted: str, *commands: str
) -> tuple[list[str], Done]:
    """Run to the last line of the kernel; return the answer of each command there."""
    text = PROGRAM.format(scalar, TRUTHS[scalar], asserted)
    program = gpu_program(tool, path / "k.cl", text, "gfx942", "-O0", "-cl-std=CL1.2", "-w")
    marked = [word for command in commands for word in ("-ex", "echo ==\\n", "-ex", command)]
    done = run(
        "debug", program, "--dispatch", "k", "--grid", 1, "--workgroup", 1, "--scratch", 4096,
        "--arg", "out=zeros:8", "--arg", "n=1", "-q", "--batch", "-ex",
        f"break {text.count(chr(10)) - 1}", "-ex", "run", *marked, "-ex", "echo ==\\n",
    )  # fmt: skip
    marks = [number for number, line in enumerate(done.lines) if line == "=="]
    return [" ".join(done.lines[first + 1 : end]) for first, end in pairwise(marks)], done


@pytest.mark.parametrize("scalar", TRUTHS)
def test_types_and_sizes(tool: Callable[[str], str], tmp_path: Path, scalar: str) -> None:
    is_integer = scalar not in ("half", "float", "double")
    has_rank = scalar in ("int", "float", "ulong", "double")
    types = {
        **dict.fromkeys(OF_THREE, "vector"), **dict.fromkeys(OF_TRUTHS, "truth"),
        **dict.fromkeys(OF_TWO, "two"), **dict.fromkeys(OF_FOUR, "four"), **dict(OF_OTHERS),
        **dict.fromkeys(OF_INTEGERS if is_integer else (), "vector"),
        **dict.fromkeys(OF_NUMBERS if has_rank else (), "vector"),
    }  # fmt: skip
    asserted = "".join(
        f'  _Static_assert(sizeof({text}) == sizeof({kind}), "");\n'
        f'  _Static_assert(__builtin_types_compatible_p(__typeof__({text}), {kind}), "");\n'
        for text, kind in types.items()
    )
    commands = [
        command
        for text, kind in types.items()
        for command in (f"p sizeof({text}) == sizeof({kind})", f"ptype {text}", f"ptype {kind}")
    ]
    answers, done = _answers(tool, tmp_path, scalar, asserted, *commands)
    for text, same, own, expected in zip(
        types, answers[::3], answers[1::3], answers[2::3], strict=True
    ):
        assert same.endswith(" = 1"), (text, done)
        assert own.replace("const ", "") == expected, (text, done)


@pytest.mark.parametrize(
    ("scalar", "suffixes"),
    [("uchar", "uchar char"), ("half", "half short"), ("ulong", "ulong long")],
)
def test_names(tool: Callable[[str], str], tmp_path: Path, scalar: str, suffixes: str) -> None:
    own, truth = suffixes.split()
    names = {
        "v": "vector", "v + v": "vector", "v.xyz": f"{own}3", "f.xyz + v": f"{own}3",
        "f.xy": f"{own}2", "f.hi": f"{own}2", "f.wzyx": f"{own}4", "v == v": f"{truth}3",
        "!f": f"{truth}4", "f.xy && f.xy": f"{truth}2",
        f"(v == v) ? ({truth})1 : ({truth})2": f"{truth}3",
    }  # fmt: skip
    answers, done = _answers(tool, tmp_path, scalar, "", *(f"whatis {text}" for text in names))
    assert answers == [f"type = {name}" for name in names.values()], done


VALUES = [
    ("(vector)f.xyz", "{1, 2, 3}"),
    ("(vector)(f.xyz) * 2", "{2, 4, 6}"),
    ("(truth)(f.xyz == v)", "{-1, -1, -1}"),
    ("(four)(v + v)", "{2, 4, 6, <optimized out>}"),
    ("((four)f.xyz).w", "<optimized out>"),
    ("(f.xyz + v).hi", "{6, <optimized out>}"),
    ("{v, v + v, f.zyx}", "{{1, 2, 3}, {2, 4, 6}, {3, 2, 1}}"),
    ("f.xyz = v.zyx", "{3, 2, 1}"),
    ("(f.xyz = v).hi", "{3, <optimized out>}"),
    ("f", "{1, 2, 3, 4}"),
    ("a[1] = f.zyx", "{3, 2, 1}"),
    ("s.v.yx = f.xy", "{1, 2}"),
    ("s", "{v = {2, 1, 3}, n = 7}"),
    ("$kept = v + v", "{2, 4, 6}"),
    ("$kept.y = 7", "7"),
    ("$kept + v", "{3, 9, 9}"),
    ("$both = {v, v + v}", "{{1, 2, 3}, {2, 4, 6}}"),
    ("$both[1].z = 9", "9"),
    ("$both", "{{1, 2, 3}, {2, 4, 9}}"),
]


def test_padding_is_undefined(tool: Callable[[str], str], tmp_path: Path) -> None:
    """That of results; what uses the elements alone does not need it."""
    commands = [f"p {text}" for text, _ in VALUES]
    answers, done = _answers(tool, tmp_path, "float", "", *commands, "p f = (four)(v + v)")
    shown = [answer.partition(" = ")[2] for answer in answers[:-1]]
    assert shown == [value for _, value in VALUES], done
    assert "value has been optimized out, at least in part" in done.err


ASSIGNMENTS = [
    ("v = n", "{1, 1, 1}"),
    ("f = 2.5", "{2.5, 2.5, 2.5, 2.5}"),
    ("f.xzy = 7", "{7, 7, 7}"),
    ("f", "{7, 7, 7, 2.5}"),
    ("b = 3.7", "{3, 3, 3}"),
    ("s.v = a[1]", "{4, 5, 6}"),
    ("f.xy = t", "{1, 2}"),
]
REFUSED = ["v = b", "b = v", "v = f", "f = v", "t = f.xyz", "f.xy = b.xy", "b = (v == v) ? v : v"]


def test_assignments(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Of numbers and vectors, as clang accepts them: the bits of another type are no elements."""
    asserted = "".join(f"  if (n > 9) {text};\n" for text, _ in ASSIGNMENTS if " = " in text)
    commands = [f"p {text}" for text in (*(text for text, _ in ASSIGNMENTS), *REFUSED, "f", "b")]
    answers, done = _answers(tool, tmp_path, "float", asserted, *commands)
    shown = [answer.partition(" = ")[2] for answer in answers]
    expected = [value for _, value in ASSIGNMENTS] + [""] * len(REFUSED)
    assert shown == [*expected, "{1, 2, 7, 2.5}", "{3, 3, 3}"], done
    assert done.err.count("Cannot assign a vector of a different type") == len(REFUSED), done


def test_swizzles_in_hip(tool: Callable[[str], str], tmp_path: Path) -> None:
    """clang has the same vectors in all languages; those of C++ have no names."""
    text = """\
typedef float four __attribute__((ext_vector_type(4)));
extern "C" __attribute__((global)) void k(int *out, four f) {
  static_assert(sizeof(f.xyz) == 16 && sizeof(f.xy) == 8, "");
  out[0] = f.x;
}
"""
    program = gpu_program(tool, tmp_path / "k.hip", text, "gfx942", "-O0")
    done = run(
        "debug", program, "--dispatch", "k", "--grid", 1, "--workgroup", 1, "--scratch", 4096,
        "--arg", "out=zeros:8", "--arg", "f=[1,2,3,4]", "-q", "--batch", "-ex", "break 4", "-ex",
        "run", "-ex", "p sizeof(f.xyz)", "-ex", "p f.zyx", "-ex", "whatis f.xyz",
    )  # fmt: skip
    mark = "float __attribute__ ((vector_size(3)))"
    assert done.lines[-3:] == ["$1 = 16", "$2 = {3, 2, 1}", f"type = {mark}"], done
