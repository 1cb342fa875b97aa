"""What people try first at the prompt: the demo's source, names as on the command line, Tab."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from dwarfgpu.options.program_name import program_name
from dwarfgpu.repl.terminal.prompt import ended
from tests.cli.command import FIXTURES, REPOSITORY, STATES, run, run_json

DATA = REPOSITORY / "dwarfgpu/data"


def debug(*commands: str, file: Path | None = None, state: Path | None = None) -> list[str]:
    """What the prompt prints for commands about the demo, or about a file or a state."""
    given = [word for command in commands for word in ("-ex", command)]
    subject: tuple[object, ...] = ("--demo",) if file is None else (file,)
    subject = subject if state is None else ("--state", state, "--lane", 3)
    done = run("debug", *subject, "--batch", *given)
    return [*done.lines, *done.err.splitlines()]


def test_the_demo_has_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert debug("list 14,14") == ["14\t    if (a & 1) {"]
    assert any(line.startswith("15\t") for line in debug("list device.h:15"))


@pytest.mark.parametrize("name", ["nest.hip", "device.h"])
def test_the_source_of_the_demo_is_that_of_the_fixture(name: str) -> None:
    shipped = DATA / "source/hip" / name
    assert shipped.read_bytes() == (FIXTURES / "hip" / name).read_bytes()


def test_where_takes_names_as_the_command_line() -> None:
    by_function, plain = debug("where nest::t"), debug("where t")
    assert by_function == plain
    assert by_function[0] == "local int t, declared at line 9 of nest"
    assert debug("where nest::tt")[-1] == (
        'No symbol "nest::tt" in current context. Did you mean "nest::t"?'
    )


def test_where_finds_variables_that_are_not_in_scope() -> None:
    data = FIXTURES / "hip/data.gfx942.O2.v5.co"
    assert debug("where data::byte", file=data)[0] == run("where", data, "data::byte").lines[0]


@pytest.mark.parametrize(
    ("text", "rest", "expected"),
    [
        ("print", "", "print "),
        ("limit", "", "limit "),
        ("print", " x", "print"),
        ("fixtures/", "", "fixtures/"),
        ("ns::", "", "ns::"),
    ],
)
def test_a_unique_completion_ends_with_a_blank(text: str, rest: str, expected: str) -> None:
    assert ended(text, rest) == expected


def test_advice_names_a_command_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert program_name() == "tools/dwarfgpu"
    monkeypatch.chdir(tmp_path)
    assert program_name() == shlex.quote(str(REPOSITORY / "tools/dwarfgpu"))
    monkeypatch.setattr("dwarfgpu.options.program_name._PACKAGE", tmp_path / "dwarfgpu")
    (tmp_path / "checkout").write_text(f"{REPOSITORY}\n")
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert program_name() == shlex.quote(str(REPOSITORY / "tools/dwarfgpu"))
    (tmp_path / "checkout").unlink()
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert program_name() == "dwarfgpu"
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("sys.executable", "/a b/bin/python3")
    assert program_name() == "'/a b/bin/python3' -m dwarfgpu"


def test_two_builds_are_compared_by_bytes() -> None:
    new, old = (FIXTURES / f"x86_64/demo.gcc.O{level}.v5" for level in (2, 0))
    lines = run("where", "--all", new, "--function", "leaf", "--against", old).lines
    assert "  leaf: into      100.0% (327/327 bytes) -> 72.2% (117/162 bytes)" in lines


@pytest.mark.parametrize("name", ["templated::value", "Holder::at::i"])
def test_a_template_may_be_named_without_its_arguments(name: str) -> None:
    path = FIXTURES / "x86_64/types.gcc.O0.v5"
    lines = run("where", path, name).lines
    assert "<" in lines[0] and name.rpartition("::")[2] in lines[0]
    assert debug(f"where {name}", file=path)[0] == lines[0]
    assert run("where", path, "templated::nosuch").status == 2


@pytest.mark.parametrize("state", ["nest.gfx942.O0", "shapes.gfx942", "data.gfx942.O2"])
def test_explain_and_where_spell_a_type_alike(state: str) -> None:
    path = STATES / f"{state}.json"
    listed = run_json("eval", "--state", path, "--lane", 3).json["variables"]
    for element in [item for item in listed if item["type"] is not None][:12]:
        declared = f"{element['type']} {element['name']}"
        explained = run("explain", "--state", path, "--lane", 3, element["name"]).lines
        assert any(declared in line for line in explained[:3]), declared
        where = debug(f"where {element['name']}", state=path)
        assert declared in where[0], where[0]
