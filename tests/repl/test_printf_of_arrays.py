"""`printf "%s"` of arrays: one without a length, as the last member of a structure, goes on to a
NUL, as in GDB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.cli.command import run

SOURCE = """
struct entry { int n; char key[]; } entry = {1, "flexible"};
struct old { int n; char key[0]; } old = {1};
char behind[] = "behind";
struct whole { char key[4]; char after[4]; } whole = {"abcd", "efg"};
int main(void) { return entry.n + old.n + behind[0] + whole.key[0]; }
"""


def test_the_end_of_an_array(tool: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    subprocess.run([tool("gcc"), "-g", "a.c", "-o", "a"], cwd=tmp_path, check=True, timeout=60)
    commands = (
        r'printf "[%s][%5.3s]\n", entry.key, entry.key',
        r'printf "[%s]\n", whole.key',
        r'eval "echo %s\\n", entry.key',
        r'printf "[%s]\n", (*(struct entry *) ((char *) behind - 4)).key',
        r'printf "[%s]\n", (*(struct old *) ((char *) behind - 4)).key',
    )
    done = run("debug", tmp_path / "a", "--batch", *(f"-ex={command}" for command in commands))
    assert done.lines == ["[flexible][  fle]", "[abcd]", "flexible", "[behind]", "[behind]"]


LONG = """
char array[] = { [0 ... 1199999] = 'x', 0 }, ended[1200000] = "short", *start = array;
int main(void) { return array[0] + ended[0] + *start; }
"""


def test_strings_that_are_too_long_are_not_cut(tool: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(LONG)
    subprocess.run([tool("gcc"), "-g", "a.c", "-o", "a"], cwd=tmp_path, check=True, timeout=60)
    of_array = "A string of 65536 or more characters is not read."
    of_pointer = "A string of 10000 or more characters is not read."
    shown = {
        r'printf "%s\n", array': of_array,
        "print $_strlen(array)": of_array,
        "print $_streq(array, array)": of_array,
        r'printf "%s\n", start': of_pointer,
        "print $_strlen(start)": of_pointer,
        r'printf "%s\n", ended': "short",
        "print $_strlen(ended)": "$1 = 5",
    }
    done = run("debug", tmp_path / "a", "-q", "--batch", *(f"-ex={command}" for command in shown))
    lines = [line for line in (done.out + done.err).splitlines() if not line.startswith("note: ")]
    assert sorted(lines) == sorted(shown.values())
