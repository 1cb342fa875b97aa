"""The types of pointers that are moved, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = """\
typedef int row[4];
typedef row *rows;
typedef int (*operation)(int, int);
typedef const struct node { int n; } *node_p;
rows table;
operation run;
node_p list;
const node_p fixed;
int main(void) { return table != 0 && run != 0 && list == fixed; }
"""
COMMANDS = [
    f"whatis {text}"
    for text in (
        "table", "table + 1", "table - 1 - 0", "1 + table", "run + 1", "list + 1", "fixed + 1",
        "&table[1]", "&list[1]", "*table + 1", "(rows) 0", "(rows) 0 + 1",
    )
]  # fmt: skip


def test_a_moved_pointer_has_no_name_of_a_typedef(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = [str(tmp_path / "a")]
    assert answers(None, files, COMMANDS) == answers(tool("gdb"), files, COMMANDS)


NUMBERS = "int garr[3], *ip, n; float flarr[2], fl; long double ld; _Complex float cf; enum {A} e;"
COMPARED = ("ip", "garr", "&garr[1]", "main")
WITH = ("cf", "fl", "ld", "1.5", "flarr[1]", "e", "n", "(char)1", "ip")


def test_a_pointer_compares_with_no_floating_number(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = f"{NUMBERS}\nint main(void) {{ return 0; }}\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    commands = [
        f"output {text}"
        for pointer in COMPARED
        for other in WITH
        for operator in ("==", "!=", ">")
        for text in (f"{pointer} {operator} {other}", f"{other} {operator} {pointer}")
    ]
    files = [str(tmp_path / "a")]
    ours = [re.sub("(?m)^note: .*\n", "", said) for said in answers(None, files, commands)]
    assert ours == answers(tool("gdb"), files, commands)
