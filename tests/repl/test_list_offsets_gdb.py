"""Lines of `list` that count from a frame or from what was listed, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = (
    "#include <stdlib.h>\n"
    + "/* a */\n" * 20
    + """\
void stop(int n) {
  if (n)
    abort();
}
"""
    + "/* b */\n" * 20
    + """\
int work(int n) {
  stop(n);
  return n;
}
"""
    + "/* c */\n" * 20
    + "int main(void) { return work(1); }\n"
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("offsets")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "a.c", "-o", "a"]])
    return with_core(tool, folder)


@pytest.mark.parametrize("listed", ["list -3", "list +3", "list -3,", "list ,-1", "list -3,+2"])
def test_lines_count_from_the_frame_that_was_shown(
    listed: str, files: list[str], tool: Callable[[str], str]
) -> None:
    for moves in (["frame function work"], ["frame function work", "up"]):
        commands = [*moves, listed, listed, "frame", listed]
        assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize("quoted", ["'+'", '"+"', "'-'", '"-"', '"+3"'])
def test_a_sign_in_double_quotes_is_a_function(
    quoted: str, files: list[str], tool: Callable[[str], str]
) -> None:
    commands = ["list main", f"list {quoted}"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize("listed", ["list -3", "list +3", "list main", "list"])
def test_without_a_frame_they_count_from_the_default_lines(
    listed: str, files: list[str], tool: Callable[[str], str]
) -> None:
    commands = [listed, "list -3"]
    assert answers(None, files[:1], commands) == answers(tool("gdb"), files[:1], commands)


OFFSETS = ("+3", "-3", "+0", "-0", "+00", "-30", "+", "-")


@pytest.mark.parametrize("offset", OFFSETS)
def test_an_explicit_line_counts_from_the_last_line_listed(
    offset: str, files: list[str], tool: Callable[[str], str]
) -> None:
    line = f"-line {offset}"
    shown = [
        line,
        offset,
        f"{line},",
        f",{line}",
        f"{line},{line}",
        f"{line},{offset}",
        f"{line},40",
    ]
    commands = []
    for before in ("list 20", "list 10,40"):
        for listed in (*shown, f"{offset},{offset}", f"30,{line}"):
            commands += [before, f"list {listed}"]
    assert answers(None, files[:1], commands) == answers(tool("gdb"), files[:1], commands)


@pytest.mark.parametrize("offset", OFFSETS)
def test_an_offset_in_a_named_file_counts_from_its_start(
    offset: str, files: list[str], tool: Callable[[str], str]
) -> None:
    commands = [
        "list 20", f"list a.c:{offset}", f"list -source a.c -line {offset}",
        "list 20", f"list a.c:{offset},-line {offset}", f"info line a.c:{offset}",
    ]  # fmt: skip
    assert answers(None, files[:1], commands) == answers(tool("gdb"), files[:1], commands)


@pytest.mark.parametrize("lines", ["10,0", "10,-30", "-30,-30", ",-30", ",0", "70,60"])
def test_nothing_is_listed_backwards(
    lines: str, files: list[str], tool: Callable[[str], str]
) -> None:
    commands = ["list 5", f"list {lines}", "list"]
    assert answers(None, files[:1], commands) == answers(tool("gdb"), files[:1], commands)


@pytest.mark.parametrize("sign", ["+", "-"])
def test_a_sign_alone_is_an_offset_wherever_a_line_may_be(
    sign: str, files: list[str], tool: Callable[[str], str]
) -> None:
    for arguments, first in ((files, "frame function work"), (files[:1], "list 20")):
        commands = [first]
        for line in (f"info line {sign}", f"info scope {sign}", f"list a.c:5,{sign}"):
            commands += [line, "list 20,30"]
        commands += [f"list {sign},", f"list ,{sign}", f"list main,{sign}", f"list '{sign}3'"]
        commands += [f"list {sign} 5", f"info line {sign} if", f"list 20,{sign} no"]
        commands += ["list 40,40", f"break {sign}", f"break a.c:{sign}", "info breakpoints"]
        assert answers(None, arguments, commands) == answers(tool("gdb"), arguments, commands)
