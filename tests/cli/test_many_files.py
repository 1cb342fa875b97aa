"""`info`, `where --all` and `frames` of many files: folders, archives, packages, in processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, Json, run, run_json, validate
from tests.objfile import archives

DATA = FIXTURES / "hip/data.gfx942.O2.v5.co"
NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
NEST_O0 = FIXTURES / "hip/nest.gfx942.O0.v5.co"
CORE = FIXTURES / "core/crash.x86_64.O2.core"
COMMANDS = (("info",), ("where", "--all"), ("frames",))


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive with two good files and one that is cut short."""
    monkeypatch.chdir(tmp_path)
    path = Path("lib.a")
    files = {"data.o": DATA.read_bytes(), "cut.o": DATA.read_bytes()[:70], "n.o": NEST.read_bytes()}
    path.write_bytes(archives.ar(files))
    return path


def records(*arguments: object) -> tuple[int, list[Json]]:
    done = run(*arguments, "--json-lines")
    out = [json.loads(line) for line in done.lines]
    for record in out:
        validate(record)
    return done.status, out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_text_is_that_of_each_file(library: Path, command: tuple[str, ...]) -> None:
    done = run(*command, library)
    assert done.status == 2
    assert done.err.count("\n") == 1 and "lib.a(cut.o)" in done.err
    texts = []
    for path, name in ((DATA, "lib.a(data.o)"), (NEST, "lib.a(n.o)")):
        text = run(*command, path).out
        heading = "" if command == ("info",) else f"{name}:\n"
        texts.append(heading + text.replace(str(path), name))
    assert done.out == "\n".join([*texts, "total: 3 files; 1 cannot be read\n"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("form", [(), ("--json-lines",)], ids=["text", "lines"])
def test_processes_change_nothing(
    library: Path, command: tuple[str, ...], form: tuple[str, ...]
) -> None:
    alone = run(*command, library, NEST, *form)
    several = run(*command, library, NEST, *form, "--jobs", 2)
    assert (several.status, several.out, several.err) == (alone.status, alone.out, alone.err)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_lines_of_json(library: Path, command: tuple[str, ...]) -> None:
    status, [data, cut, nest, end] = records(*command, library)
    assert status == 2
    assert [item["question"] for item in (data, cut, nest)] == [command[0]] * 3
    assert cut["answer"] is None and "do not fit" in cut["error"]["message"]
    assert data["answer"] == {**run_json(*command, DATA).json, "file": "lib.a(data.o)"}
    assert nest["answer"] == {**run_json(*command, NEST).json, "file": "lib.a(n.o)"}
    assert end["by_status"] == {"0": 2, "1": 0, "2": 1}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_one_file_is_a_batch_by_its_options_alone(command: tuple[str, ...]) -> None:
    _, [record, end] = records(*command, NEST)
    assert record["file"] == str(NEST) and end["files"] == 1
    assert run(*command, NEST, "--jobs", 1).lines[-1] == "total: 1 file"
    assert "total: 1 file" not in run(*command, NEST).lines


def test_a_folder_of_triton_kernels_is_listed_by_info() -> None:
    folder = FIXTURES / "triton"
    status, lines = records("info", folder)
    assert (status, lines[-1]["files"]) == (0, len([*folder.glob("*.co")]))


def test_a_target_leaves_others_out() -> None:
    folder = FIXTURES / "triton"
    status, lines = records("check", folder, "--target", "gfx942")
    files = [record["file"] for record in lines[:-1]]
    assert status == 0 and files == sorted(map(str, folder.rglob("*gfx942*.co")))
    for command in (("check",), *COMMANDS):
        for target, message in (("axpy", "is not a target"), ("gfx700", "no code for gfx700")):
            done = run(*command, folder, "--target", target)
            assert done.status == 2 and message in done.err and done.err.count("\n") == 1


def test_a_minimum_is_that_of_each_file(library: Path) -> None:
    status, lines = records("where", "--all", NEST, NEST_O0, "--min-coverage", 90)
    assert (status, [record["status"] for record in lines[:-1]]) == (1, [1, 0])
    assert lines[0]["answer"]["is_below_minimum"] and lines[0]["answer"]["minimum"] == 90
    done = run("where", "--all", NEST, NEST_O0, "--min-coverage", 90)
    assert done.status == 1 and "less than 90%" in done.err


def test_a_file_without_debugging_information_is_not_an_error(tmp_path: Path) -> None:
    path = FIXTURES / "hip/liblibrary.so"
    done = run("where", "--all", path, NEST)
    assert done.status == 0
    assert done.lines[:2] == [f"{path}:", "no debugging information"]
    assert records("where", "--all", path, NEST)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("where", "--all", DATA, NEST, "--json"), "--json-lines prints one for each"),
        (("where", "--all", DATA, NEST, "--pc", "0x1600"), "--pc is for one file"),
        (("where", "--all", DATA, NEST, "--against", DATA), "--against is for one file"),
        (("where", NEST, "t", "--jobs", "2"), "--jobs and --json-lines are for files, with --all"),
        (("where", "--all", NEST, "--min-coverage", "x", "--jobs", "2"), "number from 0 to 100"),
        (("frames", DATA, NEST, "--pc", "0x1600"), "--pc is a place in one file"),
        (("info", DATA, NEST, "--load-address", "0"), "which several files are not"),
        (("info", DATA, NEST, "--jobs", "0"), "a number from 1 to 256"),
        (("info",), "give one FILE or more, or folders"),
        (("frames",), "give one FILE or more, or folders"),
        (("where", "--all"), "give one FILE or more, or folders"),
        (("frames", ""), "an empty name is not a name of a file"),
        (("where", "--all", ""), "an empty name is not a name of a file"),
        (("bt", ""), "an empty name is not a name of a file"),
        (("check", ""), "an empty name is not a name of a file"),
        (("check", DATA, ""), "an empty name is not a name of a file"),
    ],
)
def test_wrong_requests(arguments: tuple[object, ...], message: str) -> None:
    done = run(*arguments)
    assert done.status == 2 and message in done.err + done.out


def test_a_core_file_is_examined_alone() -> None:
    done = run("where", "--all", CORE, NEST)
    assert done.status == 2 and f"{CORE} is a core file: give it alone" in done.err
    assert "give one FILE, or one core file" in run("info", CORE, DATA, NEST).err


@pytest.mark.parametrize("command", [("check",), *COMMANDS, ("where", "t")], ids=" ".join)
@pytest.mark.parametrize("names", [["-x.co"], ["-x.co", "--jobs"]], ids=["one", "two"])
def test_arguments_after_two_hyphens_are_not_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], names: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in names:
        Path(name).write_bytes(NEST.read_bytes())
    if command == ("where", "t"):
        command, names = ("where",), [names[0], "nest::t"]
    done = run(*command, "--", *names)
    assert (done.status, done.err) == (0, "")
    plain = [name if name == "nest::t" else f"./{name}" for name in names]
    assert done.out == run(*command, *plain).out.replace("./-", "-")


@pytest.mark.parametrize("command", [("where", "--all"), ("frames",)])
def test_a_missing_file_without_an_ending(command: tuple[str, ...]) -> None:
    """Behind several files, it can be no name in one; behind a single one, it may be."""
    files = [FIXTURES / "hip/nest.gfx942.O2.v5.co", FIXTURES / "x86_64/demo.gcc.O2.v5"]
    done = run(*command, files[0], "nosuch", files[1])
    assert done.status == 2 and "total: 3 files" in done.out and "1 cannot be read" in done.out
    assert "dwarfgpu: nosuch cannot be read: No such file or directory" in done.err
    lines = run(*command, files[0], "nosuch", files[1], "--json-lines").out.splitlines()
    assert [json.loads(line).get("status") for line in lines] == [0, 2, 0, None]
    assert "nosuch is not a file" in run(*command, files[0], "nosuch").error


@pytest.mark.parametrize("command", [("where", "--all"), ("frames",)], ids=" ".join)
def test_a_word_that_cannot_be_a_name_is_a_file(command: tuple[str, ...], tmp_path: Path) -> None:
    """Before the file, behind a folder, beside a second file; a file named again is none."""
    (tmp_path / "one.co").write_bytes(NEST.read_bytes())
    for words in (("nosuch", NEST), (tmp_path, "nosuch"), (NEST, DATA, "nosuch")):
        done = run(*command, *words)
        assert done.status == 2
        assert "dwarfgpu: nosuch cannot be read: No such file or directory\n" in done.err
        assert done.lines[-1].endswith("1 cannot be read")
    for words in ((NEST, "nosuch"), (NEST, NEST, "nosuch")):
        done = run(*command, *words)
        assert (done.status, done.out) == (2, "")
        assert "nosuch is not a file" in done.err
