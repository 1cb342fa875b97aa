"""Instances of variable templates that are local to a file, at the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
#include <stdlib.h>
namespace { template <int I> int tv = I * 2; template <class T> T ty = 3; }
template <int I> int gv = I * 3; template <int I> static int st = I * 5;
namespace n { namespace { template <int I> int in = I; } }
int main() {
  static int st = 99;
  int sum = tv<4> + tv<6> + gv<5> + ty<short> + ty<long> + ::st<2> + ::st<3> + n::in<7> + st;
  if (sum) abort(); }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_an_instance_is_named_with_its_arguments(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """The values are those that the source initializes. g++ describes each as `tv`, and does not
    say which is `tv<4>`: its symbol does."""
    build(tmp_path, {"a.cpp": SOURCE}, [[tool(compiler), "-g", "-O0", "-o", "a", "a.cpp"]])
    expected = {
        "tv<4>": "8", "tv<6>": "12", "gv<5>": "15", "ty<short>": "3", "sizeof(ty<short>)": "2",
        "sizeof(ty<long>)": "8", "st<2>": "10", "st<3>": "15", "n::in<7>": "7",
        "(anonymous namespace)::tv<6>": "12", "::st<3>": "15", "tv<4> + tv<6>": "20",
    }  # fmt: skip
    commands = [f"print {name}" for name in expected]
    given = answers(None, [str(tmp_path / "a")], commands)
    shown = [answer.partition(" = ")[2].split("\n")[0] for answer in given]
    assert dict(zip(expected, shown, strict=True)) == expected
    for name in ("tv<5>", "tv", "ty<int>", "st<4>", "gv<6>"):
        (answer,) = answers(None, [str(tmp_path / "a")], [f"print {name}"])
        assert f'No symbol "{name}" in current context.' in answer
