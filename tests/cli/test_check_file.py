"""`dwarfgpu check FILE`: what people, programs and CI are given, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.check.file import Verdict
from dwarfgpu.check.finding import Excerpt, FindingPosition, Findings
from dwarfgpu.cli.check_sarif import sarif
from dwarfgpu.errors import Malformed
from dwarfgpu.service.check.checked_file import Report
from dwarfgpu.service.check.report import excerpt_lines, position_text, report_lines
from dwarfgpu.view.json_pieces import json_pieces
from tests.check.made import CODE, cfi_entry, cie, frame_file, words
from tests.check.test_call_frame_info import ADVANCE, CFA, RECALL
from tests.cli.command import FIXTURES, run, run_json, validator
from tests.dwarf.builder import elf, unit

DATA = FIXTURES / "hip/data.gfx942.O2.v5.co"
CLEAN = FIXTURES / "asm/locations.gfx942.v5.co"
Json = Any


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file whose FDE restores a state that nothing has remembered."""
    path = tmp_path / "broken.co"
    path.write_bytes(frame_file(CFA + ADVANCE + RECALL))
    return path


def test_a_broken_fde_is_explained_on_one_screen(broken: Path) -> None:
    done = run("check", broken)
    assert done.status == 1
    assert done.lines == [
        f"{broken}: 0 units, 0 expressions, 1 FDE",
        "",
        "error: DW_CFA_restore_state: no state was remembered [unbalanced-state, A.6.4.2.4]",
        "  FDE, at [0x1000,0x1040) (.debug_frame 0x10)",
        "      DW_CFA_LLVM_def_aspace_cfa: SGPR32 +0 in addrspace6",
        "      DW_CFA_advance_loc: 4 to 0x1004",
        "    > DW_CFA_restore_state",
        "  help: each restore_state needs a remember_state before it in the same FDE",
        "",
        "1 error, 0 warnings",
    ]


def test_an_expression_has_its_place_marked() -> None:
    lines = run("check", DATA, "--dialect", "amd").lines
    at = lines.index("    DW_OP_consts +63, DW_OP_bregx VGPR2+0, DW_OP_minus, DW_OP_stack_value")
    assert lines[at + 1] == "                      ^~~~~~~~~~~~~~~~~~~"
    assert lines[at - 2].endswith("[wide-base-register, A.2.5.4.4.3]")
    assert lines[at - 1].strip() == (
        "DW_AT_location of variable mate in data, hip/data.hip, at [0x179c,0x1964) "
        "(.debug_info 0xca)"
    )
    assert len(run("check", DATA).lines) < 50


def test_a_file_without_debugging_information_has_a_note(tmp_path: Path) -> None:
    path = tmp_path / "bare.co"
    path.write_bytes(elf({}))
    done = run("check", path)
    assert done.status == 0
    assert done.notes == [
        f"{path} has no debugging information; compile with -g (nvcc -G), or give --debug-dir DIR "
        "where its debug file is"
    ]
    assert run("check", CLEAN).notes == []


def test_equal_reasons_for_not_checking_are_one_line_with_their_number() -> None:
    findings = Findings()
    for number in range(250):
        findings.skip(Malformed("no such file" if number % 2 else "cut short"))
    for number in range(5):
        findings.skip(Malformed(f"unit {number}"))
    verdict = Verdict("a.co", None, 1, 1, 1, 1, 1, findings)
    lines = report_lines(verdict, [], has_baseline=False, notes=False, everything=False)
    assert [line for line in lines if line.startswith("not checked: ")] == [
        "not checked: cut short (125 times)",
        "not checked: no such file (125 times)",
        "not checked: 5 more places",
    ]
    notes = "".join(json_pieces(sarif([Report("a.co", verdict, [])], has_baseline=False)))
    assert notes.count("not checked: cut short") == 1


def test_what_cannot_be_read_is_not_absent(tmp_path: Path) -> None:
    path = tmp_path / "later.co"
    path.write_bytes(elf({".debug_info": unit(b"\x01\0", 9), ".debug_abbrev": b"\0"}))
    done = run("check", path)
    assert done.status == 2, "a build system would take 0 for a good file"
    assert [line for line in done.lines if line.startswith("not checked: ")] != []
    assert done.lines[-1] == "0 errors, 0 warnings; nothing was checked"
    assert done.notes == []


def test_call_frame_information_alone_is_not_a_check_of_the_units(tmp_path: Path) -> None:
    """As for units of a later version, and sections compressed with Zstandard without its
    package."""
    frames = cie() + cfi_entry(bytes(4), words(0x1000, 0x40) + CFA)
    sections = {".text": CODE, ".debug_frame": frames, ".debug_abbrev": b"\0"}
    path = tmp_path / "later.co"
    path.write_bytes(elf({**sections, ".debug_info": unit(b"\x01\0", 9)}))
    done = run_json("check", path)
    assert (done.json["checked"]["fdes"], done.json["incomplete"], done.status) == (1, True, 2)
    assert run("check", path).lines[-1] == "0 errors, 0 warnings; no unit was checked"
    path.write_bytes(elf(sections))
    assert run("check", path).status == 0


def test_a_debug_file_that_cannot_be_used_is_not_a_check_of_the_units(tmp_path: Path) -> None:
    """A debug file that is missing is none: a stripped file may be as it is meant."""
    frames = cie() + cfi_entry(bytes(4), words(0x1000, 0x40) + CFA)
    link = {".gnu_debuglink": b"k.debug\0" + bytes(4)}
    path = tmp_path / "k.co"
    path.write_bytes(elf({".text": CODE, ".debug_frame": frames, **link}))
    assert run("check", path).status == 0
    (tmp_path / "k.debug").write_bytes(elf({".debug_info": b""}))
    done = run_json("check", path)
    assert (done.json["checked"]["fdes"], done.json["incomplete"], done.status) == (1, True, 2)
    assert run("check", path).lines[-1] == "0 errors, 0 warnings; no unit was checked"
    done = run("check", path, "--sarif")
    assert '"executionSuccessful": false' in done.out and done.status == 2


def test_a_clean_file(tmp_path: Path) -> None:
    done = run("check", CLEAN)
    assert (done.status, done.lines[-1]) == (
        0,
        "0 errors, 0 warnings, 1 note (--notes shows them)",
    )
    noted = run("check", CLEAN, "--notes")
    assert noted.status == 0 and noted.lines[-1] == "0 errors, 0 warnings, 1 note"
    assert any(line.startswith("note: ") for line in noted.lines)


def test_few_findings_of_a_rule_are_shown_without_the_option_all() -> None:
    path = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"
    short, long = run("check", path), run("check", path, "--all")
    assert "  … 18 more of wide-base-register; --all shows them" in short.lines
    assert sum("[wide-base-register" in line for line in short.lines) == 3
    assert sum("[wide-base-register" in line for line in long.lines) == 21


@pytest.mark.parametrize(
    "path", [DATA, CLEAN, FIXTURES / "x86_64/demo.gcc.O2.v5"], ids=lambda path: path.name
)
def test_json_and_sarif_follow_their_schemas(path: Path) -> None:
    answer = run_json("check", path)
    log = json.loads(run("check", path, "--sarif").out)
    validator("check-sarif").validate(log)
    (only,) = log["runs"]
    findings = answer.json["findings"]
    assert [result["ruleId"] for result in only["results"]] == [
        finding["rule"] for finding in findings
    ]
    names = [rule["id"] for rule in only["tool"]["driver"]["rules"]]
    assert all(names[result["ruleIndex"]] == result["ruleId"] for result in only["results"])
    assert sum(answer.json["counts"].values()) == len(findings)
    worse = answer.json["counts"]["error"] + answer.json["counts"]["warning"]
    assert answer.status == bool(worse)


def test_json_says_what_was_checked() -> None:
    answer = run_json("check", DATA).json
    assert answer["checked"] == {
        "units": 1, "entries": 91, "expressions": 16, "distinct_expressions": 16, "fdes": 1,
    }  # fmt: skip
    (mixed,) = [finding for finding in answer["findings"] if finding["rule"] == "mixed-types"]
    assert mixed["steps"][mixed["marked"]] == "DW_OP_mul"
    assert (mixed["place"]["name"], mixed["place"]["begin"]) == ("byte", 0x179C)


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    path.write_text(run("check", DATA, "--json").out, encoding="utf-8")
    return path


def test_a_report_does_not_replace_its_baseline(known: Path) -> None:
    before = known.read_bytes()
    done = run("check", DATA, "--baseline", known, "--report", known)
    assert done.status == 2
    assert done.error.endswith(f"{known} is an input: give another file")
    assert known.read_bytes() == before


def test_only_what_the_baseline_lacks_counts(known: Path) -> None:
    done = run("check", DATA, "--baseline", known)
    assert done.status == 0
    assert done.lines[-1] == "0 errors, 0 warnings; 11 known by the baseline"
    document = json.loads(known.read_text("utf-8"))
    document["findings"] = [e for e in document["findings"] if e["rule"] != "mixed-types"]
    known.write_text(json.dumps(document), encoding="utf-8")
    again = run("check", DATA, "--baseline", known)
    assert again.status == 1 and again.lines[-1] == "1 error, 0 warnings; 10 known by the baseline"
    answer = run_json("check", DATA, "--baseline", known)
    assert [finding["rule"] for finding in answer.json["findings"] if finding["is_new"]] == [
        "mixed-types"
    ]
    log = json.loads(run("check", DATA, "--baseline", known, "--sarif").out)
    validator("check-sarif").validate(log)
    states = [result["baselineState"] for result in log["runs"][0]["results"]]
    assert (states.count("new"), states.count("unchanged")) == (1, 10)


def test_one_known_finding_excuses_one(known: Path) -> None:
    document = json.loads(known.read_text("utf-8"))
    pieces = [e for e in document["findings"] if e["rule"] == "pieces-short-of-type"]
    document["findings"].remove(pieces[-1])
    known.write_text(json.dumps(document), encoding="utf-8")
    done = run("check", DATA, "--baseline", known)
    assert done.lines[-1] == "0 errors, 1 warning; 10 known by the baseline"


@pytest.mark.parametrize("form", ["--sarif", "--json-lines"])
def test_an_output_of_another_form_is_no_baseline(form: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline"
    path.write_text(run("check", DATA, form).out)
    done = run("check", DATA, "--baseline", path)
    assert done.status == 2
    assert done.err.endswith(
        "; a baseline is what check prints with --json, for one file or several\n"
    )


def test_a_baseline_of_another_build_is_good_too(tmp_path: Path) -> None:
    """Addresses and offsets differ between the two wave sizes' builds of one source."""
    path = tmp_path / "other.json"
    path.write_text(run("check", FIXTURES / "hip/nest.gfx90a.O2.v5.co", "--json").out)
    done = run("check", FIXTURES / "hip/nest.gfx942.O2.v5.co", "--baseline", path)
    assert done.status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [FIXTURES / "hip/nosuch.co"],
        [FIXTURES / "states"],
        [FIXTURES / "core/crash.x86_64.O2.core"],
        [DATA, "--only", "no-such-rule"],
        [DATA, "--disable", "empty-fde", "--only", "empty-fde"],
        [DATA, "--list-rules"],
        ["--explain", "no-such-rule"],
        [FIXTURES / "hip/nest.hip"],
        [DATA, "--arch", "gfx942"],
        [DATA, "--want", "value"],
        [DATA, "--dialect", "none"],
        [DATA, "--target", "gfx90a"],
        [DATA, "--baseline", FIXTURES / "nosuch.json"],
        [DATA, "--baseline", FIXTURES / "states/data.gfx942.O2.json"],
        [DATA, "--baseline", DATA],
        ["lit1", "--sarif"],
        ["lit1", "--baseline", DATA],
        ["lit1", "--all"],
        ["lit1", "--only", "wrong"],
    ],
    ids=lambda words: " ".join(str(word).rsplit("/", 1)[-1] for word in words),
)
def test_what_cannot_be_done_is_one_line(arguments: list[object]) -> None:
    done = run("check", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.error


def test_sarif_reports_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "junk"
    path.write_bytes(b"no ELF file")
    done = run("check", path, "--sarif")
    assert (done.status, done.error) == (2, f"{path} is not an ELF file")
    log = json.loads(done.out)
    validator("check-sarif").validate(log)
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == done.error


def test_json_and_sarif_exclude_each_other() -> None:
    answer = run_json("check", DATA, "--sarif")
    assert (answer.status, answer.json["error"]["message"]) == (
        2, "give --json or --sarif, not both",
    )  # fmt: skip


def test_a_file_that_is_cut_short_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "cut.co"
    path.write_bytes(DATA.read_bytes()[:70])
    assert run("check", path).status == 2
    answer = run_json("check", path)
    assert answer.status == 2 and "error" in answer.json


def test_an_operation_is_not_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plus").write_bytes(DATA.read_bytes())
    (tmp_path / "k.co").write_bytes(DATA.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run("check", "plus").lines[0].startswith("0x0000  error: DW_OP_plus")
    assert run("check", "k.co").lines[0].startswith("k.co: 1 unit")


def test_the_dialect_can_be_given() -> None:
    path = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"
    answer = run_json("check", path, "--dialect", "amd").json
    assert "upstream-address-space" in {finding["rule"] for finding in answer["findings"]}
    plain = run_json("check", path).json
    assert "upstream-address-space" not in {finding["rule"] for finding in plain["findings"]}


def test_an_expressions_findings_name_their_rule() -> None:
    answer = run_json("check", "lit1; plus")
    assert answer.json["findings"][0]["rule"] == "stack-underflow"
    assert run("check", "regx v6; lit4; mul").status == 1  # a warning


@pytest.mark.parametrize(
    ("excerpt", "expected"),
    [
        (Excerpt(("a", "b", "c"), 1), ["a, b, c", "   ^"]),
        (Excerpt(("abc", "de"), 0), ["abc, de", "^~~"]),
        (Excerpt(("abc", "de"), 2), ["abc, de", "      ^ the result"]),
        (Excerpt(("abc", "de"), None), ["abc, de"]),
        (Excerpt(("x" * 60, "y" * 60), 1), ["  " + "x" * 60, "> " + "y" * 60]),
        (Excerpt(("DW_CFA_nop",), 0), ["> DW_CFA_nop"]),
    ],
)
def test_excerpt_lines(excerpt: Excerpt, expected: list[str]) -> None:
    assert list(excerpt_lines(excerpt)) == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (FindingPosition(".debug_info", 16, "unit", "a.c"), "unit a.c (.debug_info 0x10)"),
        (
            FindingPosition(
                ".debug_info", 16, "call_site_parameter", None, "DW_AT_call_value", "f", "a.c"
            ),
            "DW_AT_call_value of call site parameter in f, a.c (.debug_info 0x10)",
        ),
        (
            FindingPosition(".eh_frame", 0, "FDE", "f", span=(1, 2)),
            "FDE f, at [0x1,0x2) (.eh_frame 0x0)",
        ),
    ],
)
def test_place_text(place: FindingPosition, expected: str) -> None:
    assert position_text(place) == expected


def test_what_cannot_be_checked() -> None:
    done = run("check")
    assert done.status == 2
    assert done.error == "nothing to check: give a file, or operations; - for standard input"
    for name in ("nofile", "nofile.co"):
        done = run("check", name)
        assert done.status == 2
        assert done.error == f"{name}: No such file or directory, and no operation has that name"
    for name in ("-y.co", "lit1"):
        done = run("check", "--", name)  # after `--`, every argument is a file
        assert (done.status, done.error) == (2, f"{name} cannot be read: No such file or directory")
    assert run("check", "pluss").error.endswith("unknown operation; did you mean plus?")


def test_a_byte_order_that_the_default_architecture_does_not_have() -> None:
    """As for asm and dis, which need none either."""
    assert run("check", "--big-endian", "const2u 0x1234").status == 0
    done = run("check", "--big-endian", "const2u 0x1234; drop; drop")
    assert done.lines == [
        "0x0004  error: DW_OP_drop: 1 stack entry needed, the stack has 0 (A.2.5.4.1)"
    ]
