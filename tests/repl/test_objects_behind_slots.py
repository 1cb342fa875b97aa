"""Objects whose address is in a stack slot, as upstream clang describes them at -O0: classes that
are passed by value, results that are made where the caller wants them, and what structured bindings
take apart."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.cli.command import run, run_json
from tests.gpu_programs import gpu_program

SOURCE = """\
#define DEVICE __attribute__((device))
struct Counted {
  int a, b;
  DEVICE Counted(int x) : a(x), b(x * 2) {}
  DEVICE Counted(const Counted &o) : a(o.a), b(o.b + 1) {}
  DEVICE ~Counted() {}
};
DEVICE __attribute__((noinline)) int fill(int *p, int *q, int *r, int *s) {
  return p[0] + q[1] + r[2] + s[3];
}
DEVICE __attribute__((noinline)) int use(int *p, int k, Counted v) {
  int r = v.a + v.b + k;
  return r;
}
DEVICE __attribute__((noinline)) Counted make(int x) {
  Counted n(x);
  n.a += 5;
  return n;
}
struct Pair { int first; float second; };
__attribute__((global)) void k(int *out) {
  __attribute__((shared)) Pair pairs[64];
  unsigned t = __builtin_amdgcn_workitem_id_x();
  auto &[number, half] = pairs[t];
  number = t; half = t * 0.5f;
  Counted n(t);
  int s = fill(out, out, out, out);
  s += use(out + t, 2, n) + make(t).a;
  out[t] = s + number;
}
"""


@pytest.fixture(scope="module")
def launch(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]
) -> Callable[[str], list[str]]:
    """Gives the words that launch the kernel for a target."""
    folder = tmp_path_factory.mktemp("slots")

    def words(target: str) -> list[str]:
        path = folder / f"k-{target}.hip"
        program = gpu_program(tool, path, SOURCE, target, "-O0", "-std=c++17")
        launched = ["k", "--grid", "64", "--workgroup", "64", "--scratch", "2048"]
        return [str(program), *launched, "--arg", "out=zeros:256"]

    return words


TARGETS = pytest.mark.parametrize("target", ["gfx906", "gfx942", "gfx1100"])


@TARGETS
def test_values_and_addresses(target: str, launch: Callable[[str], list[str]]) -> None:
    """In the slot of a parameter are 32 bits, beside what an earlier call has left there."""
    commands = ["break 12", "break 18", "break 26", "run", "lane 13", "print number", "print half"]
    commands += ["print &number", "continue", "lane 13", "print v", "print &v", "print v.a + v.b"]
    commands += ["finish", "continue", "lane 13", "print n", "lane 7", "print n"]
    given = [word for command in commands for word in ("-ex", command)]
    program, *launched = launch(target)
    done = run("debug", program, "--dispatch", *launched, "--batch", *given)
    values = re.findall(r"^\$\d+ = (.*)", done.out, re.MULTILINE)
    assert values[:2] == ["13", "6.5"]
    assert values[2].endswith("local#0x68")
    assert values[3] == "{a = 13, b = 27}"
    assert "private_lane#0x" in values[4]
    assert values[5] == "40"
    assert values[-2:] == ["{a = 18, b = 26}", "{a = 12, b = 14}"]


@TARGETS
def test_all_lanes(target: str, launch: Callable[[str], list[str]]) -> None:
    document = run_json("run", *launch(target), "--break", "12", "--print", "v.b").json
    lanes = document["stops"][0]["values"][0]["lanes"]
    assert [lane["data"] for lane in lanes] == [2 * lane["lane"] + 1 for lane in lanes]
    assert len(lanes) == (32 if target == "gfx1100" else 64)
    assert any("reads the pointer to a parameter" in note for note in lanes[0]["notes"])
