"""Labels as locations, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

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


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("labels")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
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


def test_a_label_has_the_scope_around_it(files: list[str]) -> None:
    by_us = answers(None, files, ["info scope again", "clear again"])
    assert "Symbol again is a label at address" in by_us[0]
    assert by_us[1].endswith("No breakpoint at again.\n")
