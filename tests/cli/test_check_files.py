"""`dwarfgpu check` of several files and folders, and the rules that are chosen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.check.rules import RULES
from dwarfgpu.cli.check_sarif import uri
from tests.check.made import frame_file
from tests.check.test_call_frame_info import ADVANCE, CFA, KERNEL, RECALL
from tests.cli.command import FIXTURES, run, run_json, validator

DATA = FIXTURES / "hip/data.gfx942.O2.v5.co"
NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
Json = Any


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good, a broken and an unreadable object, and files that are not objects."""
    monkeypatch.chdir(tmp_path)
    where = tmp_path / "build"
    (where / "deep").mkdir(parents=True)
    (where / "good.co").write_bytes(frame_file(KERNEL))
    (where / "deep/bad.co").write_bytes(frame_file(CFA + ADVANCE + RECALL))
    (where / "cut.co").write_bytes(frame_file(KERNEL)[:70])
    (where / "notes.txt").write_text("no object")
    (where / "empty").touch()
    shutil.copy(FIXTURES / "core/crash.x86_64.O2.core", where / "core")
    return where


def test_a_folder_is_its_object_files(folder: Path) -> None:
    done = run("check", "build")
    assert done.status == 2
    assert [line for line in done.lines if line.startswith(("build", "total"))] == [
        "build/good.co: 0 units, 1 expression, 1 FDE: 0 errors, 0 warnings",
        "build/deep/bad.co: 0 units, 0 expressions, 1 FDE",
        "total: 3 files: 1 error, 0 warnings, 0 notes; 1 cannot be read",
    ]
    assert done.err.count("\n") == 1 and "build/cut.co" in done.err


def test_the_status_is_the_worst(folder: Path) -> None:
    (folder / "cut.co").unlink()
    assert run("check", folder).status == 1
    (folder / "deep/bad.co").unlink()
    assert run("check", folder).status == 0
    assert run("check", folder / "good.co", "nosuch.co").status == 2
    assert run("check", "nosuch.co", folder / "good.co").status == 2


def test_a_file_is_checked_once(folder: Path) -> None:
    good = folder / "good.co"
    (folder / "link.co").symlink_to(good)
    (folder / "loop").symlink_to(folder)
    done = run("check", good, folder, good)
    assert done.lines[-1].startswith("total: 3 files")


def test_json_of_several_files(folder: Path) -> None:
    answer = run_json("check", folder)
    assert answer.status == 2
    files = answer.json["files"]
    assert [Path(file["file"]).name for file in files] == ["cut.co", "good.co", "bad.co"]
    assert [sorted({"error", "findings"} & file.keys()) for file in files] == [
        ["error"], ["findings"], ["findings"],
    ]  # fmt: skip
    assert answer.json["counts"] == {"error": 1, "warning": 0, "note": 0}


def test_one_named_file_keeps_its_object(folder: Path) -> None:
    assert "files" not in run_json("check", folder / "good.co").json
    assert "files" in run_json("check", folder / "deep").json


def test_a_baseline_of_several_files_is_by_file(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(run("check", DATA, NEST, "--json").out)
    done = run("check", NEST, DATA, "--baseline", known)
    total = "total: 2 files: 0 errors, 0 warnings, 0 notes; 12 known by the baseline"
    assert (done.status, done.lines[-1]) == (0, total)
    other = tmp_path / "other.co"
    shutil.copy(DATA, other)
    assert run("check", NEST, other, "--baseline", known).status == 1


def log_of(*arguments: object) -> Json:
    log = json.loads(run("check", *arguments, "--sarif").out)
    validator("check-sarif").validate(log)
    return log["runs"][0]


def test_sarif_results_are_at_their_source_lines() -> None:
    [mixed] = [result for result in log_of(DATA)["results"] if result["ruleId"] == "mixed-types"]
    [location] = mixed["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "hip/data.hip"}, "region": {"startLine": 49},
    }  # fmt: skip
    assert mixed["analysisTarget"] == {"uri": uri(str(DATA)), "index": 0}


def test_sarif_of_several_files(folder: Path) -> None:
    only = log_of("build", DATA)
    assert [artifact["location"]["uri"] for artifact in only["artifacts"]] == [
        "build/cut.co", "build/good.co", "build/deep/bad.co", uri(str(DATA)),
    ]  # fmt: skip
    assert only["invocations"][0]["executionSuccessful"] is False
    [error] = only["invocations"][0]["toolExecutionNotifications"]
    [where] = error["locations"]
    assert where["physicalLocation"]["artifactLocation"] == {"uri": "build/cut.co", "index": 0}
    assert {result["analysisTarget"]["index"] for result in only["results"]} == {2, 3}
    [first] = [result for result in only["results"] if result["analysisTarget"]["index"] == 2]
    # Nothing says its source line: the result is at the file itself.
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "build/deep/bad.co", "index": 2}
    }


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b/c.hip", "a%20b/c.hip"),
        ("/usr/include/x.h", "file:///usr/include/x.h"),
        ("\udcff.o", "%FF.o"),
        ("build/../src/x.c", "src/x.c"),
        ("/usr/lib/../include/x.h", "file:///usr/include/x.h"),
    ],
)
def test_uris(path: str, expected: str) -> None:
    assert uri(path) == expected


def test_a_path_below_the_working_folder_is_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert uri(str(tmp_path / "src/k.hip")) == "src/k.hip"
    assert uri(str(tmp_path / "build/../src/k.hip")) == "src/k.hip"
    assert uri(str(tmp_path / "build/../../k.hip")) == f"file://{tmp_path.parent}/k.hip"
    assert uri("../k.hip") == f"file://{tmp_path.parent}/k.hip"


def rules_in(*arguments: object) -> list[str]:
    findings = run_json("check", DATA, *arguments).json["findings"]
    return sorted({finding["rule"] for finding in findings})


def test_only_and_disable() -> None:
    every = rules_in()
    assert "mixed-types" in every and "padded-number" in every
    assert rules_in("--only", "mixed-types") == ["mixed-types"]
    assert rules_in("--only", "mixed-types,padded-number") == ["mixed-types", "padded-number"]
    left = rules_in("--disable", "mixed-types", "--disable", "padded-number")
    assert left == [finding for finding in every if finding not in ("mixed-types", "padded-number")]


def test_rules_that_are_off_are_not_counted() -> None:
    done = run("check", DATA, "--only", "padded-number")
    assert (done.status, done.lines[-1]) == (0, "0 errors, 0 warnings, 2 notes")
    assert sum(line.startswith("note: ") for line in done.lines) == 2
    assert run("check", "lit1; plus", "--disable", "stack-underflow").out == ""


@pytest.mark.parametrize(
    ("typed", "meant"), [("mixed-type", "mixed-types"), ("wide-base", "wide-base-register")]
)
def test_an_unknown_rule_has_a_near_one(typed: str, meant: str) -> None:
    done = run("check", DATA, "--only", typed)
    assert done.error == (
        f"--only: there is no rule '{typed}'; did you mean {meant}? See check --list-rules"
    )


def test_the_rules_are_listed() -> None:
    lines = run("check", "--list-rules").lines
    assert [line.split()[0] for line in lines] == list(RULES)
    assert all(line.split()[1] == RULES[line.split()[0]].severity for line in lines)
    answer = run_json("check", "--list-rules")
    assert [rule["rule"] for rule in answer.json["rules"]] == list(RULES)


@pytest.mark.parametrize("name", RULES)
def test_each_rule_is_explained(name: str) -> None:
    lines = run("check", "--explain", name).lines
    assert lines[0].startswith(f"{name}: ") and lines[-1].endswith(f"--disable {name}")
    [rule] = run_json("check", "--explain", name).json["rules"]
    assert rule["rule"] == name and rule["detail"]
