"""`check` of archives, packages and fat binaries, in several processes, line by line."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.batch import Member, Options, examine, examine_all, members
from dwarfgpu.errors import UsageError
from tests.check.made import frame_file
from tests.check.test_call_frame_info import ADVANCE, CFA, KERNEL, RECALL
from tests.cli.command import FIXTURES, Json, run, run_json, validate
from tests.dwarf.builder import X86_64, elf
from tests.objfile import archives
from tests.objfile.test_bundle import GFX942, HOST, plain

DATA = FIXTURES / "hip/data.gfx942.O2.v5.co"
NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
BAD = frame_file(CFA + ADVANCE + RECALL)
GOOD = frame_file(KERNEL)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Debian package with a good, a bad, a cut and a fat file."""
    monkeypatch.chdir(tmp_path)
    fat = elf({".hip_fatbin": plain({HOST: b"", GFX942: BAD})}, machine=X86_64)
    path = tmp_path / "x.deb"
    path.write_bytes(archives.deb({"./good": GOOD, "./bad": BAD, "./cut": GOOD[:70], "./fat": fat}))
    return Path("x.deb")


def lines(*arguments: object) -> tuple[int, list[Json]]:
    done = run("check", *arguments, "--json-lines")
    records = [json.loads(line) for line in done.lines]
    for record in records:
        validate(record)
    return done.status, records


def test_a_package_as_text(package: Path) -> None:
    done = run("check", package)
    assert done.status == 2
    assert [line for line in done.lines if line.startswith(("x.deb", "total"))] == [
        "x.deb(good): 0 units, 1 expression, 1 FDE: 0 errors, 0 warnings",
        "x.deb(bad): 0 units, 0 expressions, 1 FDE",
        "x.deb(fat): 0 units, 0 expressions, 0 FDEs: 0 errors, 0 warnings",
        "x.deb(fat)[gfx942]: 0 units, 0 expressions, 1 FDE",
        "total: 5 files: 2 errors, 0 warnings, 0 notes; 1 cannot be read",
    ]
    assert "x.deb(cut)" in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize("form", [(), ("--json",), ("--sarif",), ("--json-lines",)])
def test_processes_change_nothing(package: Path, form: tuple[str, ...]) -> None:
    alone = run("check", package, DATA, *form)
    several = run("check", package, DATA, *form, "--jobs", 2)
    assert (several.status, several.out, several.err) == (alone.status, alone.out, alone.err)


def test_lines_of_json(package: Path) -> None:
    status, records = lines(package)
    assert status == 2
    assert [(record["file"], record["status"]) for record in records[:-1]] == [
        ("x.deb(good)", 0), ("x.deb(bad)", 1), ("x.deb(cut)", 2), ("x.deb(fat)", 0),
        ("x.deb(fat)[gfx942]", 1),
    ]  # fmt: skip
    assert records[-1] == {
        "schema": "dwarfgpu-batch-1", "files": 5, "by_status": {"0": 2, "1": 2, "2": 1},
    }  # fmt: skip
    assert records[2]["answer"] is None and records[2]["error"]["kind"]
    [finding] = records[1]["answer"]["findings"]
    assert finding["rule"] == "unbalanced-state"


def test_the_only_file_is_a_line_too() -> None:
    status, [record, end] = lines(NEST)
    assert (status, record["status"], end["files"]) == (0, 0, 1)
    answer = run_json("check", NEST).json
    assert {**record["answer"]} == {**answer, "compilers": record["answer"]["compilers"]}


def test_a_target_is_that_of_every_file(package: Path) -> None:
    _, records = lines(package, "--target", "gfx942")
    assert [record["file"] for record in records[:-1]] == [
        "x.deb(good)", "x.deb(bad)", "x.deb(cut)", "x.deb(fat)[gfx942]",
    ]  # fmt: skip


def test_a_baseline_is_by_member(package: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(run("check", package, "--json").out)
    _, records = lines(package, "--baseline", known)
    assert [record["status"] for record in records[:-1]] == [0, 0, 2, 0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--jobs", 0), "--jobs: expected a number from 1 to 256, not 0"),
        (("--jobs", "two"), "--jobs: expected a number from 1 to 256, not two"),
        (("--jobs", -1), "--jobs: expected a number from 1 to 256, not -1"),
        (("--json", "--json-lines"), "give --json or --json-lines, not both"),
        (("--sarif", "--json-lines"), "give --sarif or --json-lines, not both"),
    ],
)
def test_wrong_requests(options: tuple[object, ...], message: str) -> None:
    done = run("check", NEST, *options)
    assert done.status == 2
    assert message in (done.err or done.out)


def test_options_of_files_are_not_for_expressions() -> None:
    assert "--jobs is for files" in run("check", "lit1", "--jobs", 2).err


def test_an_archive_without_object_files(tmp_path: Path) -> None:
    path = tmp_path / "x.a"
    path.write_bytes(archives.ar({"x.txt": b"text"}))
    done = run("check", path)
    assert done.status == 2
    assert done.error == f"{path}: no ELF file, fat binary or bundle is in this archive"


def test_the_findings_of_each_compiler() -> None:
    _, [record, _] = lines(DATA)
    [compiler] = record["answer"]["compilers"]
    assert (compiler["compiler"], compiler["version"]) == ("Debian clang", "19.1.7")
    assert compiler["units"] == 1
    counts = record["answer"]["counts"]
    by_severity = dict.fromkeys(counts, 0)
    for finding in compiler["findings"]:
        by_severity[finding["severity"]] += finding["count"]
        assert finding["example"]["message"] and finding["example"]["entry"]
    assert by_severity == counts


def test_the_function_for_a_farm() -> None:
    """Items, options and the function can be pickled; a path is an item, too."""
    [member] = members([str(DATA)])
    options = Options(rules=frozenset({"mixed-types"}))
    call = pickle.loads(pickle.dumps((examine, member, "check", options)))
    record = call[0](*call[1:])
    validate(record)
    assert record == examine(str(DATA), "check", options)
    assert {finding["rule"] for finding in record["answer"]["findings"]} == {"mixed-types"}


@pytest.mark.parametrize("question", ["check", "where", "info", "frames"])
def test_each_question_has_the_answer_of_its_command(question: str) -> None:
    record = examine(Member(str(DATA)), question)
    validate(record)
    answer = record["answer"]
    command = run_json(question, *(["--all"] if question == "where" else []), DATA)
    assert record["status"] == command.status
    assert isinstance(answer, dict)
    assert {**command.json, **answer} == answer
    assert [*examine_all([str(DATA)], question)] == [record]
    missing = examine(str(DATA) + ".absent", question)
    validate(missing)
    assert missing["status"] == 2 and missing["answer"] is None


def test_an_unknown_question() -> None:
    known = "question: expected one of check, where, info, frames, not 'what'"
    with pytest.raises(UsageError, match=known):
        examine(str(DATA), "what")


def test_ctrl_c_ends_every_process(tmp_path: Path, repository: Path) -> None:
    """After the first line of many, the group of the terminal is interrupted."""
    import signal

    path = tmp_path / "many.a"
    path.write_bytes(archives.ar([("data.o", DATA.read_bytes())] * 400))
    script = tmp_path / "check.py"
    script.write_text(
        "import signal\n"
        "from dwarfgpu.__main__ import run\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)  # if the parent ignores it\n"
        "    run()\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script), "check", str(path), "--jobs", "2", "--json-lines"],
        cwd=repository, text=True, start_new_session=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONPATH": str(repository)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline().startswith('{"schema": "dwarfgpu-batch-1"')
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (-signal.SIGINT, "")
    assert len(out.splitlines()) < 399
