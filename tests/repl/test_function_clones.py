"""The name of a function that compilers have cloned, for some calls or a part of its code."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from tests.repl.side_by_side import answers

SPECIALIZED = """\
double half(double x) { return x / 2; } double twice(double x) { return x * 2; }
__attribute__((noinline)) static int own(int n, int m, double (*f)(double)) {
    double s = f(n); if (m == 9) __builtin_abort(); for (int i = 0; i < n; i++) s += f(i) * m;
    return s; }
__attribute__((noinline)) int work(int n, int m, double (*f)(double)) {
    double s = f(n); if (m == 9) __builtin_trap(); for (int i = 0; i < n; i++) s += f(i) * m;
    return s; }
int (*keep)(int, int, double (*)(double)) = work, (*kept)(int, int, double (*)(double)) = own;
int main(int c, char **v) { return work(c, 3, half) + work(c + 1, 9, twice) + work(c, 4, half)
    + own(c, 3, half) + own(c + 1, 9, twice) + own(c, 4, half); }
"""
PROPAGATED = """\
volatile int sink;
#define LOOP for (int i = 0; i < n; i++) { sink += i * m; if (m > 7) sink /= m; sink += m * m; }
__attribute__((noinline)) static int own(int n, int m) { LOOP if (m == 3) sink--; return sink; }
__attribute__((noinline)) int work(int n, int m) { LOOP if (m == 3) sink++; return sink; }
int (*volatile keep)(int, int) = work, (*volatile kept)(int, int) = own;
int main(int c, char **v) { int r = 0;
    for (int i = 0; i < c; i++) for (int j = 0; j < c; j++) r += work(j, 3) + own(j, 3);
    return r + work(c, c) + own(c, c); }
"""
SPLIT = """\
#include <stdlib.h>
volatile int sink;
#define LOOP for (int i = 0; i < n; i++) { sink += i * m; if (m > 7) sink /= m; sink = rand(); \\
    sink = rand(); sink = rand(); sink ^= rand(); sink += rand() * m; }
int work(int n, int m) { if (__builtin_expect(n < 0, 1)) return 0; LOOP return sink; }
int own(int n, int m) { if (__builtin_expect(n < 0, 1)) return 0; LOOP return sink + 1; }
int (*volatile keep)(int, int) = work, (*volatile kept)(int, int) = own;
int main(int c, char **v) { int r = 0;
    for (int i = 0; i < c; i++) for (int j = 0; j < c; j++) r += work(j, i) + own(j, i);
    return r + work(c, c) + own(c, c); }
"""
CLONED = "-O3", "-fipa-cp-clone", "--param=ipa-cp-eval-threshold=1"


@pytest.mark.parametrize(
    ("compiler", "options", "source", "suffix"),
    [
        ("clang-19", ["-O2"], SPECIALIZED, "specialized"),
        ("clang-19", ["-O2", "-gdwarf-4"], SPECIALIZED, "specialized"),
        ("gcc", [*CLONED], PROPAGATED, "constprop"),
        ("gcc", [*CLONED, "-flto"], PROPAGATED, "constprop"),
        ("gcc", ["-O2"], SPLIT, "part"),  # GDB 13 takes the part, described first
    ],
    ids=["clang", "clang-dwarf-4", "gcc", "gcc-lto", "gcc-part"],
)
def test_the_function_itself_is_meant(
    tool: Callable[[str], str],
    tmp_path: Path,
    compiler: str,
    options: list[str],
    source: str,
    suffix: str,
) -> None:
    """As in GDB 13: the one to which pointers lead. A breakpoint is set on the clones as well."""
    (tmp_path / "a.c").write_text(source)
    built = tmp_path / "a"
    words = [tool(compiler), "-g", *options, "a.c", "-o", "a"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    file = CodeObject.open(built).file
    [work], [own] = file.symbols_named("work"), file.symbols_named("own")
    [clone, *_] = (
        symbol for number in "012" for symbol in file.symbols_named(f"work.{suffix}.{number}")
    )
    is_same = "keep == work && kept == own && *keep == 'work'"
    commands = [f"print {is_same}", "print/x (long)own", "info address work", "whatis work"]
    commands += [f"print/x (long)'{clone.name}'", "break *work", "break work"]
    said = answers(None, [str(built)], commands)
    said = [text.partition("\n")[2].partition("note: ")[0] for text in said]
    assert said[:3] == [
        "$1 = 1\n",
        f"$2 = {own.address:#x}\n",
        f'Symbol "work" is a function at address {work.address:#x}.\n',
    ]
    assert said[3].startswith("type = int (int, int")
    assert said[4] == f"$3 = {clone.address:#x}\n"
    assert said[5].startswith(f"Breakpoint 1 at {work.address:#x}: ")
    assert said[6].endswith(" locations)\n")


WITHOUT_DESCRIPTION = """\
#include <cstdlib>
#include <map>
#include <string>
static __attribute__((noinline)) int scaled(int a, int b)
{ int s = 0; for (int i = 0; i < a; i++) s += std::rand() * b; return s; }
int main(int c, char **v) {
    std::map<std::string, long> m; m[v[0]] = c;
    return scaled(c, 3) + scaled(c + 1, 3) + (int)m.size();
}
"""


def test_clones_without_description_are_listed(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """By their demangled names, whose words are looked for, also that which is in no symbol."""
    (tmp_path / "a.cc").write_text(WITHOUT_DESCRIPTION)
    subprocess.run([tool("g++"), "-O2", "-o", "a", "a.cc"], cwd=tmp_path, check=True, timeout=60)
    names = [
        "scaled",
        "constprop",
        "clone",
        "_M_erase",
        "clone .isra",
        r"int) \\[clone",
        "-n clone",
    ]
    commands = [f"info functions {name}" for name in names]
    ours = answers(None, [str(tmp_path / "a")], commands)
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert "scaled(int, int) [clone .constprop.0]" in ours[0] and "scaled" in ours[2]
