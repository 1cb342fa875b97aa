"""References to functions whose type has a name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

NOTE = "note: no state is given: writable memory has its initial contents\n"
SOURCE = """\
using Fn = int(int); typedef Fn Other; typedef Fn &Named;
int f(int a) { return a; }
Fn &of_typedef = f; Other &of_two = f; Named named = f; int (&plain)(int) = f; Fn *pointer = f;
struct H { Fn &inside; } h{f};
int main() { return of_typedef(1) + of_two(2) + named(3) + plain(4) + h.inside(5) + pointer(6); }
"""


def test_the_function_has_its_own_type(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The braces had the name of the typedef."""
    command = [tool("g++"), "-g", "-O0", "-no-pie", "-w", "a.cc", "-o", "a"]
    build(tmp_path, {"a.cc": SOURCE}, [command])
    files = [str(tmp_path / "a")]
    names = "of_typedef", "of_two", "named", "plain", "h.inside", "*pointer", "h"
    commands = [f"print {name}" for name in names]
    shown = [text.replace(NOTE, "") for text in answers(None, files, commands)]
    assert shown == answers(tool("gdb"), files, commands)
