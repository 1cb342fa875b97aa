"""The report over a corpus: who wrote what is wrong, as JSON and as a page."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.batch import corpus_html, corpus_report, examine, examine_all
from dwarfgpu.batch.corpus import MAX_COMPILERS, MAX_EXAMPLES, MAX_UNREADABLE
from dwarfgpu.service.check.compilers import Compiler, compiler_of
from tests.check.made import frame_file
from tests.check.test_call_frame_info import ADVANCE, CFA, RECALL
from tests.cli.command import FIXTURES, run, run_json, validate

DATA = FIXTURES / "hip/data.gfx942.O2.v5.co"
TRITON = FIXTURES / "triton/axpy.gfx942.co"
SOME_FILES = (
    "asm/broken/broken.gfx942.v5.co",
    "rust/shapes.rustc.O0",
    "split/clang4/prog",
    "split/clang5/prog",
    "split/gcc4/prog.dwp",
    "split/types-gcc5/prog",
    "x86_64/demo.gcc.O2.v5",
)
Json = Any


@pytest.mark.parametrize(
    ("producer", "name", "version"),
    [
        ("Debian clang version 19.1.7 (3~deb12u1)", "Debian clang", "19.1.7"),
        ("AMD clang version 17.0.0 (https://x.org/llvm roc-6.0.2 24012)", "AMD clang", "17.0.0"),
        ("clang version 20.0.0git", "clang", "20.0.0git"),
        ("GNU C++17 12.2.0 -mtune=generic -O2", "GCC", "12.2.0"),
        ("GNU Fortran2008 12.2.0 -O0", "GCC", "12.2.0"),
        ("GNU GIMPLE 13.1.0 -g", "GCC", "13.1.0"),
        ("GNU AS 2.40", "GNU AS", "2.40"),
        ("clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", "rustc", "1.95.0"),
        ("triton", "triton", None),
        ("hand written", "hand written", None),
        ("", None, None),
        ("x" * 1000, "x" * 80, None),
    ],
)
def test_compilers_by_their_producers(producer: str, name: str | None, version: str) -> None:
    assert compiler_of(producer) == Compiler(name, version)


def record(file: str, **change: Json) -> Json:
    """A record of `examine` with one finding of one compiler."""
    example = {"message": "wrong", "entry": "variable t"}
    finding = {"rule": "mixed-types", "severity": "error", "count": 2, "example": example}
    compiler = {"compiler": "clang", "version": "19", "units": 3, "findings": [finding]}
    answer = {
        "checked": {"units": 3, "entries": 5, "expressions": 7, "fdes": 1},
        "counts": {"error": 2, "warning": 0, "note": 0},
        "findings_omitted": 0,
        "incomplete": False,
        "compilers": [{**compiler, **change}],
    }
    return {"file": file, "question": "check", "answer": answer, "error": None}


def unreadable(file: str) -> Json:
    error = {"message": "cut short"}
    return {"file": file, "question": "check", "answer": None, "error": error}


def report(*records: Json) -> Json:
    made = corpus_report(records)
    validate(made)
    return made


def test_the_sums_of_several_files() -> None:
    made = report(record("a"), record("b"), record("c", version="9"), unreadable("d"))
    assert made["files"] == {"examined": 4, "unreadable": 1, "incomplete": 0}
    assert made["counts"] == {"error": 6, "warning": 0, "note": 0}
    assert made["checked"]["expressions"] == 21
    assert made["unreadable"] == [{"file": "d", "message": "cut short"}]
    [nine, nineteen] = made["compilers"]
    assert (nine["version"], nine["files"], nine["units"]) == ("9", 1, 3)
    assert (nineteen["version"], nineteen["files"], nineteen["units"]) == ("19", 2, 6)
    [finding] = nineteen["findings"]
    assert (finding["count"], finding["files"]) == (4, 2)
    assert [example["file"] for example in finding["examples"]] == ["a", "b"]


def test_what_is_unknown_comes_last() -> None:
    made = report(record("a", compiler=None, version=None), record("b"))
    assert [compiler["compiler"] for compiler in made["compilers"]] == ["clang", None]
    assert '<th scope="row">unknown</th>' in corpus_html(made)


def test_memory_does_not_grow_with_the_files() -> None:
    made = report(*(record(f"f{number}") for number in range(50)))
    assert len(made["compilers"][0]["findings"][0]["examples"]) == MAX_EXAMPLES
    made = report(*(unreadable(f"f{number}") for number in range(MAX_UNREADABLE + 7)))
    assert len(made["unreadable"]) == MAX_UNREADABLE
    assert "7 more files cannot be read." in corpus_html(made)


def test_other_compilers_are_one_row() -> None:
    """Those with the most findings are named, and of as many those with the most units."""
    every = [record(f"f{n}", compiler=f"c{n}", version=None) for n in range(MAX_COMPILERS + 2)]
    few = [record("g", compiler=f"few{n}", units=5 + n, findings=[]) for n in range(3)]
    made = report(*few, *every)
    assert len(made["compilers"]) == MAX_COMPILERS
    assert all(compiler["findings"] for compiler in made["compilers"])
    finding = {"rule": "mixed-types", "severity": "error", "count": 4}
    assert made["other_compilers"] == {"compilers": 5, "units": 24, "findings": [finding]}
    page = corpus_html(made)
    cells = "".join(f'<td class="number">{cell}</td>' for cell in ("24", "", "4"))
    assert f'<tr><th scope="row">5 other compilers</th>{cells}</tr>' in page
    assert "<h3>5 other compilers: 4 errors</h3>" in page
    assert not Page(page).open
    made = report(*few, *every[: MAX_COMPILERS - 2])
    assert [compiler["units"] for compiler in made["compilers"][-2:]] == [6, 7]
    assert made["other_compilers"] == {"compilers": 1, "units": 5, "findings": []}


class Page(HTMLParser):
    """Tags that are open, and what would load something."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_is_whole_and_needs_nothing() -> None:
    page = Page(corpus_html(report(record("a"), unreadable("b"))))
    assert not page.open
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "form"}
    for tag, attributes in page.tags:
        assert not {"src", "action", "onclick"} & attributes.keys()
        if tag == "a":
            assert (attributes["href"] or "").startswith("#")
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
    assert ("html", {"lang": "en"}) in page.tags
    targets = {attributes.get("id") for _, attributes in page.tags}
    links = {(attributes["href"] or "")[1:] for tag, attributes in page.tags if tag == "a"}
    assert links and links <= targets
    assert sum(tag == "caption" for tag, _ in page.tags) == names.issuperset({"table"}) * 2


def test_texts_of_files_are_escaped() -> None:
    evil = "</li><script>alert('1')</script>\x1b[2J\n&amp;\"\ud800"
    made = report(record(evil, compiler=evil, version=evil), unreadable(evil))
    text = corpus_html(made)
    assert "<script" not in text and "\x1b" not in text and "\ud800" not in text
    shown = "".join(Page(text).words)
    assert "</li><script>alert('1')</script>\\x1b[2J\\n&amp;\"\\ud800" in shown


def test_the_command_writes_both(tmp_path: Path) -> None:
    bad = tmp_path / "bad.co"
    bad.write_bytes(frame_file(CFA + ADVANCE + RECALL))
    (tmp_path / "cut.co").write_bytes(DATA.read_bytes()[:80])
    files = (bad, DATA, TRITON, tmp_path / "cut.co")
    reports = tmp_path / "reports"
    reports.mkdir()
    page, data = tmp_path / "r.html", tmp_path / "r.json"
    plain = run("check", *files)
    done = run("check", *files, "--report", page, "--report", data, "--report", reports)
    assert (done.status, done.out, done.err) == (plain.status, plain.out, plain.err)
    made = json.loads(data.read_text("utf-8"))
    validate(made)
    assert page.read_text("utf-8") == corpus_html(made)
    assert sorted(path.name for path in reports.iterdir()) == ["report.html", "report.json"]
    assert json.loads((reports / "report.json").read_text("utf-8")) == made
    assert made == corpus_report(examine_all([str(file) for file in files]))
    assert made["files"] == {"examined": 4, "unreadable": 1, "incomplete": 0}
    assert made["counts"] == run_json("check", *files).json["counts"]
    names = [(compiler["compiler"], compiler["version"]) for compiler in made["compilers"]]
    assert names == [("Debian clang", "19.1.7"), ("triton", None), (None, None)]


@pytest.mark.parametrize("path", SOME_FILES)
def test_every_unit_and_finding_has_one_compiler(path: str) -> None:
    """Split units included."""
    answer: Json = examine(str(FIXTURES / path))["answer"]
    counted = sum(
        finding["count"] for compiler in answer["compilers"] for finding in compiler["findings"]
    )
    assert counted == sum(answer["counts"].values())
    assert sum(compiler["units"] for compiler in answer["compilers"]) == answer["checked"]["units"]
    assert all(compiler["units"] for compiler in answer["compilers"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("r.txt", "give a name that ends with .html or .json, or a folder"),
        ("none/", "give a name that ends with .html or .json, or a folder that exists"),
        ("absent/r.html", "No such file or directory"),
        ("x.json", "is an input"),
    ],
)
def test_wrong_names(tmp_path: Path, name: str, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(DATA.read_bytes())
    done = run("check", file, "--report", f"{tmp_path}/{name}")
    assert done.status == 2 and message in done.err and done.out == ""
    assert file.read_bytes() == DATA.read_bytes()


def test_a_report_is_about_files() -> None:
    assert "--report is for files" in run("check", "lit1", "--report", "x.html").err
