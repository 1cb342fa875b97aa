"""Parameters that gcc describes twice, because it knows what each call passes, beside GDB."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static int arr[8], sink;
__attribute__((noinline)) void die(int *p) { printf("%d", *p); abort(); }
static __attribute__((noinline)) int variable(int n, int m, int q[][m]) {
  int loc[n]; arr[n] = m; q[n][0] = m; loc[0] = 5;
  n = 99; arr[1] = n; die(&arr[1]);
  return n + loc[0]; }
static __attribute__((noinline)) int dots(int level, const char *fmt, ...) {
  va_list ap; char text[9]; va_start(ap, fmt); sink = va_arg(ap, int) + level;
  vsnprintf(text, 9, fmt, ap); va_end(ap);
  level = level ? sink : 0; int q[8][3]; sink = level + variable(2, 3, q) + q[sink][0];
  return level; }
int main(int argc, char **argv) { return dots(3, "%d", argc + 3) + dots(3, "%s", argc); }
"""


@pytest.fixture(scope="module", params=[("-O2",), ("-O3", "-gdwarf-4"), ("-O2", "-flto")], ids=str)
def files(
    tool: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> list[str]:
    folder = tmp_path_factory.mktemp("repeated")
    make = [tool("gcc"), "-g", *request.param, "-w", "-o", "a", "a.c"]
    build(folder, {"a.c": SOURCE}, [make])
    files = with_core(tool, folder)
    (scope,) = answers(tool("gdb"), files[:1], ["info scope variable"])
    if scope.count("Symbol n is") != 2:
        pytest.skip("this gcc describes the parameter once")
    return files


def values(gdb: str | None, files: list[str]) -> list[str]:
    """Return what is printed of parameters in the frames of their functions."""
    (stack,) = answers(gdb, files, ["bt"])
    asked: list[str] = []
    for function, names in (("variable", "nm"), ("dots", ("level", "fmt"))):
        frame = re.search(rf"#(\d+) .* in {function} \(", stack)
        assert frame is not None
        asked += [f"frame {frame[1]}", *(f"print {name}" for name in names)]
    return [
        next(line.partition(" = ")[2] for line in answer.split("\n") if line.startswith("$"))
        for command, answer in zip(asked, answers(gdb, files, asked), strict=True)
        if command.startswith("print")
    ]


def test_values_as_in_gdb(tool: Callable[[str], str], files: list[str]) -> None:
    """`n` is 99, `level` is no more; a value on entry is that of the argument."""
    ours = values(None, files)
    assert ours == values(tool("gdb"), files)
    assert ours[0] == "99"
    *_, passed = answers(None, files, ["frame function variable", "p n@entry"])
    assert passed.endswith("$1 = 2\n")


def test_each_parameter_is_listed_once(files: list[str]) -> None:
    stack, _, of_variable, _, of_dots = answers(
        None,
        files,
        ["bt", "frame function variable", "info args", "frame function dots", "info args"],
    )  # fmt: skip
    assert re.search(r" in variable \(n=99, n@entry=2, m=(m@entry=)?3, q=q@entry=0x", stack)
    assert re.search(
        r' in dots \(level=<optimized out>, level@entry=3, fmt=fmt@entry=0x\w+ "%d"\)', stack
    )
    assert re.search(r"\nn = 99\nm = 3\nq = 0x\w+\n$", of_variable)
    assert [line.split(" = ")[0] for line in of_dots.splitlines()[1:3]] == ["level", "fmt"]
