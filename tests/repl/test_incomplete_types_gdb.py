"""Objects of incomplete types, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

HEADER = """\
struct inside { int a, b; };
union either { int a; char b; };
"""
PROGRAM = """\
#include <signal.h>
#include "types.h"
struct own { struct inside i; int x; };
int work(struct inside parameter, int *number) {
  struct inside local = parameter; union either u = { 3 }; struct own o = { local, 3 };
  enum declared *e = (void *)number; struct inside *p = &local; struct inside many[2] = { local };
  raise(SIGABRT);
  return p->a + u.a + o.x + many[1].a + !e;
}
int main(int count, char **words) { struct inside i = { count, 4 }; return work(i, &i.b); }
"""
SYMBOLS = """\
struct inside { int x; } counted = { 7 };
__thread int own = 3;
"""
USER = """\
#include <stdlib.h>
int main(int count, char **words) { abort(); }
"""


def test_incomplete_types(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GCC describes no structures of headers with this option."""
    make = [tool("gcc"), "-g", "-w", "-femit-struct-debug-baseonly", "a.c", "-o", "a"]
    build(tmp_path, {"a.c": PROGRAM, "types.h": HEADER}, [make])
    files = with_core(tool, tmp_path)
    commands = ["frame function work", "info locals", "info args", "bt full -2", "frame"]
    commands += ["info locals local"]
    commands += [f"p {what}" for what in ("local", "u", "o", "many", "*p", "*e", "&local", "*&u")]
    commands += ["p/x local", "output local", "whatis local", "p local.a", "p local + 1", "p -u"]
    commands += ["set print frame-arguments all", "frame", "set print frame-arguments presence"]
    commands += ["frame", "x local", 'printf "%d", u', "set var local = 1"]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "local = <incomplete type>\nu = <incomplete type>\n" in ours[1]
    sums = [f"p {what}" for what in ("*e + 1", "!*e", "(int)*e")]  # GDB takes *e for 0
    for answer in answers(None, files, [commands[0], *sums])[1:]:
        assert answer.endswith("enumeration declared has no size\n")


def test_symbols_without_debugging_information(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Dereferenced, they are values that only a cast makes numbers."""
    make = [[tool("gcc"), "-c", "b.c"], [tool("gcc"), "-g", "a.c", "b.o", "-o", "a"]]
    build(tmp_path, {"a.c": USER, "b.c": SYMBOLS}, make)
    files = with_core(tool, tmp_path)
    commands = [f"p {what}" for what in ("*&counted", "*&*&counted", "&*&counted", "counted")]
    commands += ["p (int)*&counted", "p *&counted + 1", "p -*&counted", "output *&counted"]
    commands += [
        "p $x = *&counted",
        "whatis *&counted",
        "x *&counted",
        "p (*&counted).x",
        "p *&own",
    ]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert ours[0].endswith("$1 = <data variable, no debug info>\n")
