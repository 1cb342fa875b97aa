"""`set print nibbles` in the memory that `x` shows, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = "int n = 0x6548, none = 0, all = -1, odd = 0x40000001; int main(void) { return 0; }\n"


@pytest.mark.parametrize(("suffix", "compiler"), [("c", "gcc"), ("cpp", "g++")])
def test_zeros_before_the_first_group_stay_together(
    suffix: str, compiler: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    make = [tool(compiler), "-g", f"a.{suffix}", "-o", "a"]
    build(tmp_path, {f"a.{suffix}": SOURCE}, [make])
    shown = [f"x/{form} &{name}" for form in ("8tb", "2th", "tw", "2xt") for name in ("n", "odd")]
    shown += ["x/tw &all", "x/tw &none", "x/tg &n", "x/xw &n", "x/ow &n"]
    commands = [*shown, "set print nibbles on", *shown, "set language c", "x/tw &n"]
    files = [str(tmp_path / "a")]
    said = answers(None, files, commands)
    assert said == answers(tool("gdb"), files, commands)
    assert said[-1].endswith("00000000000000000110 0101 0100 1000\n")
