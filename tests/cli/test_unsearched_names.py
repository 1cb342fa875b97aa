"""Unknown names in expressions of the command line say what could not be searched for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.dwarf.builder import read_fixture

EXPRESSIONS = ("Parser::depth", "&ns::live", "sizeof(Parser::depth)", "Parser::depth + 1")


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("command", ["eval", "explain", "location"])
def test_a_missing_split_file_is_named(command: str, expression: str, tmp_path: Path) -> None:
    path = tmp_path / "prog"
    path.write_bytes(read_fixture("split/clang5/prog"))
    done = run(command, path, expression)
    assert done.status == 2
    assert " Not searched: MissingContext: " in done.error and "a.dwo" in done.error


@pytest.mark.parametrize("expression", [*EXPRESSIONS, "depth + 1", "(struct p *) 0"])
def test_a_file_without_debugging_information_says_so(expression: str, tmp_path: Path) -> None:
    path = tmp_path / "prog"
    path.write_bytes(read_fixture("x86_64/demo.gcc.O2.v5").replace(b".debug_", b".xebug_"))
    assert "prog has no debugging information" in run("eval", path, expression).error


def test_what_is_whole_has_no_note() -> None:
    done = run("eval", FIXTURES / "x86_64/demo.gcc.O2.v5", "Parser::depth")
    assert done.error == 'No symbol "Parser" in current context.'
