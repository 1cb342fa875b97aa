"""`set print max-symbolic-offset` and `set print symbol-filename` in every command that shows the
symbol of an address, beside the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
#include <stdlib.h>
int table[4] = {1, 2, 3, 4};
void stop(int n) {
  if (n)
    abort();
}
int main(void) {
  stop(table[0]);
  return 0;
}
"""
SETTINGS = (
    [],
    ["set print max-symbolic-offset 4"],
    ["set print symbol-filename on"],
    ["set print symbol-filename on", "set print max-symbolic-offset 4"],
)
IN_CODE = re.compile(r"^((?:=> |   )0x\w+(?: <[^>]*>)?:)\t[^<#\n]*(<.*>)?(?:#.*)?$", re.MULTILINE)
"""An instruction: GDB shows the symbol of data in a comment behind it."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("symbols")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
    return with_core(tool, folder)


@pytest.mark.parametrize("settings", SETTINGS)
def test_symbols_of_addresses_obey_the_settings(
    settings: list[str], files: list[str], tool: Callable[[str], str]
) -> None:
    commands = [
        *settings, "find &table[0], +16, 1", "find &table[0], +16, 3", "info line *main+1",
        "info line 5", "info line table", "info line *_start", "info line *(_start+8)",
    ]  # fmt: skip
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize("settings", SETTINGS)
def test_symbols_of_instructions_obey_the_settings(
    settings: list[str], files: list[str], tool: Callable[[str], str]
) -> None:
    commands = [*settings, "x/5i main", "disassemble main", "disassemble main,+30"]
    own, theirs = answers(None, files, commands), answers(tool("gdb"), files, commands)
    assert [IN_CODE.sub(r"\1\2", text) for text in own] == [
        IN_CODE.sub(r"\1\2", text) for text in theirs
    ]
