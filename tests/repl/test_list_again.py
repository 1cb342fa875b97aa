"""What `list NAME` keeps for the next time, and when it is looked for again. Calls are counted, not
seconds."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.language import linespec
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.linespec import code_locations_of
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.repl.shell import Shell
from tests.cli.command import FIXTURES
from tests.repl.repl_shell import demo_shell, output_of
from tests.work import at_most, calls_of

SOURCE = FIXTURES / "x86_64/demo.c"
_UNKNOWN_NAME = """
from tests.repl.repl_shell import demo_shell, output_of
from tests.work import calls_of
shell = demo_shell()
output_of(shell, "list nosuch1", "list nosuch2")
print(calls_of(lambda: shell.execute("list nosuch3")))
"""


@pytest.mark.parametrize("number", ["99999999999999999999", "9" * 40])
def test_a_number_of_any_length_is_a_line(copy: Path, number: str) -> None:
    shell = shell_of(copy)
    main = line_of(copy, "main")
    count = len(copy.read_text().splitlines())
    first = output_of(shell, f"list {main},{number}")
    assert first == lines(copy, main, count)
    assert "out of range" in output_of(shell, f"list {number}")
    assert "is out of range" in output_of(shell, f"info line {number}")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(SOURCE, tmp_path / "demo.c"))


def shell_of(copy: Path) -> Shell:
    """The prompt, with the source file where the copy is."""
    shell = demo_shell()
    [position] = {
        location.position for location in code_locations_of(shell.session, "main", None, Options())
    }
    assert position is not None
    folder = os.path.dirname(position.source.path_to_open)
    output_of(shell, f"set substitute-path {folder} {shlex.quote(str(copy.parent))}")
    return shell


def lines(copy: Path, first: int, last: int) -> str:
    texts = copy.read_text().split("\n")
    return "".join(f"{number}\t{texts[number - 1]}\n" for number in range(first, last + 1))


def line_of(copy: Path, function: str) -> int:
    texts = copy.read_text().split("\n")
    return next(number for number, text in enumerate(texts, 1) if f" {function}(" in text)


def test_a_name_listed_again_takes_few_calls(copy: Path) -> None:
    shell = shell_of(copy)
    first = output_of(shell, "list main")
    assert output_of(shell, "list main") == first
    assert calls_of(lambda: shell.execute("list main")) < 200  # 1,100 before


def test_an_unknown_name_takes_few_calls() -> None:
    counted = subprocess.run(  # in the process of the whole suite there may be more
        [sys.executable, "-c", _UNKNOWN_NAME],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert int(counted.stdout) < 4_000  # functions, labels, variables; 18,000 for the first name


def test_the_lines_are_those_of_the_file(copy: Path) -> None:
    shell = shell_of(copy)
    main = line_of(copy, "main")
    expected = lines(copy, main - 4, main + 5)
    for _ in range(3):
        assert expected.split("\n")[4] in output_of(shell, "list main")
    longer = output_of(shell, "list 1,300")
    assert longer == lines(copy, 1, min(300, len(copy.read_text().splitlines())))


def test_a_changed_file_is_read_again(copy: Path) -> None:
    shell = shell_of(copy)
    before = output_of(shell, "list main", "list main")
    text = copy.read_text()
    copy.write_text("".join(f"{line} // new\n" for line in text.split("\n")))
    after = output_of(shell, "list main")
    assert " // new" in after and after.replace(" // new", "") in before
    other = copy.with_name("other.c")
    other.write_text(text)
    os.replace(other, copy)  # another file at the same path
    assert " // new" not in output_of(shell, "list main")


def test_a_file_that_is_gone_is_missing(copy: Path) -> None:
    shell = shell_of(copy)
    assert "main" in output_of(shell, "list main", "list main")
    copy.unlink()
    assert "No such file or directory." in output_of(shell, "list main")
    os.mkfifo(copy)  # which would wait for a writer
    assert "\tin x86_64/demo.c" in output_of(shell, "list 1,2", "list main")


def test_a_moved_folder_has_its_own_file(copy: Path, tmp_path: Path) -> None:
    shell = shell_of(copy)
    output_of(shell, "list main", "list main")
    folder = tmp_path / "moved"
    folder.mkdir()
    (folder / "demo.c").write_text("moved\n" * 200)
    [old] = shell.source_path.rules
    shell.source_path.rules[old] = str(folder)
    assert "\tmoved\n" in output_of(shell, "list main")


def test_json_has_each_line(copy: Path) -> None:
    shell = shell_of(copy)
    text = output_of(shell, "list 1,3")
    output_of(shell, "set output json")
    answer = json.loads(output_of(shell, "list 1,3"))
    assert [f"{line['line']}\t{line['text']}" for line in answer["source"]] == text.splitlines()
    assert answer["file"].endswith("demo.c")
    nested = json.loads(output_of(shell, "with listsize 2 -- list 5,6"))
    assert str(nested).count("'text'") == 2


def test_what_a_name_denotes_is_found_once_for_a_focused_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In other files it is found again."""
    resolved: list[str] = []
    original = linespec._resolved_functions

    def counted(session: object, text: str) -> tuple[linespec.CodeLocation, ...]:
        resolved.append(text)
        return original(session, text)  # type: ignore[arg-type]

    monkeypatch.setattr(linespec, "_resolved_functions", counted)
    session = demo_shell().session
    first = code_locations_of(session, "main", None, Options())
    assert code_locations_of(session, "main", None, Options()) is first
    assert resolved == ["main"]
    without = evolve(session, code_objects=(), pc=None)
    with pytest.raises(linespec.LinespecNotFound):
        code_locations_of(without, "main", None, Options())
    monkeypatch.setattr(linespec, "_MAX_KEPT", 1)
    for _ in range(2):
        assert Names(session).is_name("main")
        code_locations_of(session, "leaf", None, Options())
        code_locations_of(session, "main", None, Options())
    assert resolved.count("main") == 4  # once without files


def test_other_files_have_other_locations(copy: Path) -> None:
    """What a name denotes is kept for the files in which it was found."""
    shell = shell_of(copy)
    assert "main" in output_of(shell, "list main", "list main")
    shell.session = evolve(shell.session, code_objects=(), pc=None)
    assert output_of(shell, "list main").startswith("No symbol table is loaded.")


def test_a_longer_list_of_a_name_that_was_listed(copy: Path) -> None:
    shell = shell_of(copy)
    assert output_of(shell, "list main").count("\n") == 10
    output_of(shell, "set listsize 4")
    main = line_of(copy, "main")
    assert output_of(shell, "list main") == lines(copy, main - 2, main + 1)
    assert output_of(shell, "list") == lines(copy, main + 2, main + 5)


def test_a_search_behind_a_line_far_beyond_the_end_begins_at_the_end(copy: Path) -> None:
    shell = shell_of(copy)
    output_of(shell, "list main")
    assert "out of range" in output_of(shell, "list demo.c:1000000000")
    with at_most(20_000):
        found = output_of(shell, "reverse-search main")
    number = line_of(copy, "main")
    assert found == lines(copy, number, number)
