"""Pointers of GPU programs as integers: the debugger gives what the kernel computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.gpu_programs import gpu_program

OF_HIP = (
    "pi", "&m[1]", "&m[0] + 2", "m", "(void *)&m[1]", "&s[0]", "&s[0] - 1", "(char *)&s[1] + 1",
    "&pi[1]", "&*pi", "&c", "(B *)&c", "&c.b", "&pc->b", "static_cast<C *>(pb)", "&pp[0]", "pp + 1",
    "(int *)pp", "(int *)pp + 1", "&((int *)pp)[1]", "(typeof(pp))pi", "(typeof(pp))&m[1]",
    "(int)(unsigned long)&m[1]", "(bool)&s[0]", "!&s[0]", "&pi", "&out[1]",
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
"""
OF_OPENCL = (
    "pi", "&m[1]", "&m[0] + 2", "&s[1]", "&s[0] + 1", "ps", "&pi[1]", "&ps[1]", "pg", "&pg[1]",
    "&*pg", "pgs + 1", "&pgs[1]", "&out[1]",
)  # fmt: skip
OPENCL = """\
kernel void k(global ulong *out) {
  local int s[4];
  int m[4];
  private int *pi = &m[1];
  local int *ps = &s[1];
  generic int *pg = &m[1];
  generic int *pgs = &s[1];
"""


@pytest.mark.parametrize("processor", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(
    ("name", "start", "expressions"), [("k.hip", HIP, OF_HIP), ("k.cl", OPENCL, OF_OPENCL)]
)
def test_a_pointer_has_the_number_that_it_has_in_the_kernel(
    tool: Callable[[str], str],
    tmp_path: Path,
    name: str,
    start: str,
    expressions: tuple[str, ...],
    processor: str,
) -> None:
    integers = [f"(unsigned long)({expression})" for expression in expressions]
    text = start + "".join(f"  out[{n}] = {text};\n" for n, text in enumerate(integers))
    last = len(integers)
    program = gpu_program(
        tool, tmp_path / name, f"{text}  out[{last}] = 1;\n}}\n", processor, "-O0"
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
