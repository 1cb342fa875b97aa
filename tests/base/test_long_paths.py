"""Paths that the system refuses: longer than it takes, or in a circle of links."""

from __future__ import annotations

from pathlib import Path

import pytest

import dwarfgpu
from tests.base.test_digits import PACKAGE
from tests.cli.command import FIXTURES, run

LONG = "x" * 300
PROGRAM = FIXTURES / "x86_64/demo.gcc.O0.v5"


def test_the_tests_of_paths_do_not_raise() -> None:
    """Those of `pathlib` raise OSError for a name that is too long, those of `os.path` do not."""
    words = (".exists()", ".is_file()", ".is_dir()", ".is_symlink()")
    wrong = [
        (path.relative_to(PACKAGE).as_posix(), word)
        for path in sorted(PACKAGE.rglob("*.py"))
        for word in words
        if word in path.read_text("utf-8")
    ]
    assert wrong == [] and Path(dwarfgpu.__file__).parent == PACKAGE


@pytest.mark.parametrize("words", [(PROGRAM, LONG), (LONG,)])
def test_a_name_that_is_too_long(words: tuple[str | Path, ...]) -> None:
    done = run("debug", *words)
    assert (done.status, done.out) == (2, "")
    assert done.error.startswith("xxx") and done.error.endswith("File name too long")


def test_a_circle_of_links_that_is_named_as_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "list").symlink_to("list")
    monkeypatch.chdir(tmp_path)
    done = run("debug", "list")
    assert done.status == 2
    assert done.error == "list cannot be read: Too many levels of symbolic links"
