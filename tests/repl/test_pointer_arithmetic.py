"""The types of pointers that are moved, against the installed GDB."""

from __future__ import annotations

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
