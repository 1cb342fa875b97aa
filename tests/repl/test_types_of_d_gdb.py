"""Interfaces of D at the prompt and in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
module m;
import core.stdc.stdlib;
interface Shape { double area(); }
class Rect : Shape { int w = 3; double area() { abort(); return w; } }
int run(Shape shape, Rect rect) { return cast(int) shape.area() + rect.w; }
int main() { auto rect = new Rect; return run(rect, rect); }
"""


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("types")
    build(folder, {"m.d": SOURCE}, [[tool("gdc"), "-g", "-O0", "-o", "a", "m.d"]])
    return with_core(tool, folder)


def test_an_interface_is_a_structure(tool: Callable[[str], str], files: list[str]) -> None:
    commands = ["frame function m.run", "ptype shape", "ptype m.Shape", "print sizeof(m.Shape)"]
    commands += ["info types -q Shape$", "print shape.__vptr == *(void **)shape", "print *shape"]
    own = answers(None, files, commands)
    assert [answer.partition("\n")[2] for answer in own[1:6]] == [
        "type = struct Shape {\n} *\n",
        "type = struct Shape {\n}\n",
        "$1 = 8\n",
        "\nFile m.d:\n3:\tstruct Shape;\n",
        "$2 = 1\n",
    ]
    [shown] = answers(tool("gdb"), files, ["frame function m.run", "print *shape"])[1:]
    address = shown.partition("__vptr = ")[2].partition(" ")[0]
    assert f"= {{__vptr = {address} " in own[6]
