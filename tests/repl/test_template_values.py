"""Instances of templates whose arguments are values, by their types and by their numbers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run

SOURCE = """
template <auto V> struct W { decltype(V) v; int tail; int get() const { return tail; }
  static int sm; };
template <auto V> int W<V>::sm = 10 * (int)sizeof(V);
template <auto V> int tx = (int)sizeof(V);
template <auto V> int func(W<V> *p) { return p->tail + V; }
template <unsigned N> struct Only { char c[N]; };
template <double D> struct F { double d = D; int x = 1; };
template <float G> int tf = 9;
int gi; template <int *P> int tp = 6; void fn() {} template <void (*P)()> int tn = 7;
W<3> a{1, 2}; W<3l> b{3, 4}; W<(short)3> c{5, 6}; void *vp = &b; Only<7> only;
F<1.5> f; F<-.25> g;
int main() {
  return a.get() + b.get() + c.get() + tx<3> + tx<3u> + tx<3l> + tx<(short)3> + tx<'x'> + tx<true>
    + W<3>::sm + W<3l>::sm + W<(short)3>::sm + func<3>(&a) + func<3l>(&b) + func<(short)3>(&c)
    + tf<2.5f> + tf<-0.5f> + tp<&gi> + tn<fn>;
}
"""
LISTED = """\
int tf<(float)[40200000]>
int tf<(float)[bf000000]>
int tn<&(fn())>
int tp<&gi>
int tx<(char)120>
int tx<(short)3>
int tx<3>
int tx<3l>
int tx<3u>
int tx<true>
"""


@pytest.fixture(scope="module", params=["g++", "clang++-19", "clang++-19 -gsimple-template-names"])
def program(
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> Path:
    folder = tmp_path_factory.mktemp("values")
    (folder / "values.cpp").write_text(SOURCE)
    compiler, *more = request.param.split()
    flags = ["-std=c++20", "-g", "-O0", "-w", "-no-pie", "values.cpp", "-o", "values"]
    subprocess.run([tool(compiler), *more, *flags], cwd=folder, check=True)
    return folder / "values"


def test_instances_of_variable_templates_are_listed_as_gdb_lists_them(program: Path) -> None:
    done = run("debug", "--batch", "-q", program, "-ex", "info variables ^t[xfpn]\\b")
    lines = [line.partition("\t")[2].rstrip(";") for line in done.lines if "\t" in line]
    assert "\n".join(lines) + "\n" == LISTED
