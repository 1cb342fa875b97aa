"""Labels as locations, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
int again_count;
int plain(int n)
{
  return n + 1;
}
int summed(int n)
{
  int sum = 0;
again:
  sum += n;
plain:
  if (--n > 0)
    goto again;
  __builtin_trap();
  goto plain;
}
int main(int c, char **v)
{
  return summed(c + 2);
}
"""


OTHER = """\
int elsewhere(int n)
{
loop:
  if (--n > 0)
    goto loop;
  return n;
}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("labels")
    made = [tool("gcc"), "-g", "-O0", "a.c", "b.c", "-o", "a"]
    build(folder, {"a.c": SOURCE, "b.c": OTHER}, [made])
    return with_core(tool, folder)


@pytest.mark.parametrize(
    "commands",
    [
        ["break again", "break again if n > 1", "break 'again'", "break -qualified again",
         "tbreak -label again", "info breakpoints"],
        ["info line again", "list again"],
        ["break plain", "info line plain", "info scope plain"],
        ["break -function again", "break nosuch", "break -label nosuch"],
        ["up", "break again", "break summed:again", "info breakpoints"],
    ],
)  # fmt: skip
def test_a_label_of_the_function_in_focus_is_a_location(
    commands: list[str], files: list[str], tool: Callable[[str], str]
) -> None:
    """A function of that name comes first."""
    by_gdb, by_us = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert by_us == by_gdb


@pytest.mark.parametrize(
    "commands",
    [
        ["break a.c:again", "tbreak a.c : again", "break 'a.c':again", "break \"a.c\":again",
         "break a.c:'again'", "break 'a.c:again'", "break a.c:again if n > 1",
         "break -source a.c -label again", "info breakpoints"],
        ["list a.c:again", "list a.c:again,16", "list ,a.c:again", "list a.c:again,"],
        ["info line a.c:again", "info line b.c:again", "info scope a.c:again"],
        ["break b.c:again", "break b.c:loop", "info breakpoints"],  # the file has to exist alone
        ["break a.c:plain", "info line a.c:plain"],  # a function comes first
        ["break a.c:nosuch", "break nosuch.c:again", "break -source a.c -function again"],
        ["break elsewhere:loop", "break b.c:elsewhere:loop", "break b.c : elsewhere : loop",
         "info line b.c:elsewhere:loop", "list b.c:elsewhere:loop", "info breakpoints"],
        ["break nosuch.c:elsewhere:loop", "break b.c:nosuch:loop", "break b.c:elsewhere:nosuch",
         "break a.c:elsewhere:loop", "break nosuch:loop"],
        ["up", "break a.c:again", "list a.c:again", "info breakpoints"],
    ],
)  # fmt: skip
def test_a_label_may_have_a_file(
    commands: list[str], files: list[str], tool: Callable[[str], str]
) -> None:
    """FILE:LABEL is in the function in focus, FILE:FUNCTION:LABEL in one of the file."""
    by_gdb, by_us = (answers(gdb, files, commands) for gdb in (tool("gdb"), None))
    assert by_us == by_gdb


def test_labels_are_saved_with_their_functions(
    files: list[str], tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Another function may be in focus where they are read."""
    saved = tmp_path / "saved"
    commands = [
        *("break again", "break a.c:again", "break b.c : elsewhere : loop"),
        *("break -label again", f"save breakpoints {saved}"),
    ]
    texts = []
    for gdb in (tool("gdb"), None):
        answers(gdb, files, commands)
        texts.append(saved.read_text())
    assert (
        texts[1]
        == texts[0]
        == (
            "break summed:again\nbreak a.c:summed:again\nbreak b.c:elsewhere:loop\n"
            "break -function summed -label again\n"
        )
    )


def test_a_label_has_the_scope_around_it(files: list[str]) -> None:
    by_us = answers(None, files, ["info scope again", "clear again"])
    assert "Symbol again is a label at address" in by_us[0]
    assert by_us[1].endswith("No breakpoint at again.\n")
