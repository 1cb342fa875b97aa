"""`dwarfgpu info` of programs whose debug information is in several files; the answers of `eval`
with `--debug-dir`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import FIXTURES, run, run_json
from tests.dwarf.programs import ALL, IN_SPLIT_FILES, SPLIT, copied

EXPECTED = {
    # kind: units, own type units, type units in split files, split units
    **dict.fromkeys(IN_SPLIT_FILES, (2, 0, 3, 2)),
    "named": (2, 0, 5, 2),
    "single": (2, 0, 0, 2),
    **{f"types-{kind}": (5, 3, 0, 0) for kind in IN_SPLIT_FILES},
    "dwz4": (2, 0, 0, 0),
    "dwz5": (3, 0, 0, 0),
}


@pytest.mark.parametrize("kind", ALL)
def test_every_program(kind: str) -> None:
    path = SPLIT / kind / "prog"
    answer = run_json("info", path)
    assert answer.status == 0 and answer.json["problems"] == []
    units = answer.json["units"]
    split = [unit["split"] for unit in units if unit["split"] is not None]
    types = answer.json["type_units"]
    assert (len(units), types["own"], types["split"], len(split)) == EXPECTED[kind]
    assert all(word["file"] is not None and word["error"] is None for word in split)
    compile_units = [unit for unit in units if not unit["signature"] and not unit["partial"]]
    assert {compile_unit["name"] for compile_unit in compile_units} == {"../a.cpp", "../b.cpp"}
    assert all(
        compile_unit["producer"] and compile_unit["dialect"] == "amd"
        for compile_unit in compile_units
    )
    supplementary = answer.json["supplementary"]
    assert (supplementary is not None) == kind.startswith("dwz")
    if supplementary is not None:
        assert supplementary["name"] == "common.debug" and supplementary["error"] is None
        assert supplementary["file"] == str(path.with_name("common.debug"))
    assert run("info", path, "--all").status == 0


def test_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES.parent)
    lines = run("info", "fixtures/split/clang5/prog").lines
    assert lines[-5:] == [
        "units: 2",
        "  2 units: DWARF 5, 32-bit, split; C++14; Debian clang version 19.1.7 (3~deb12u1); "
        "dialect amd",
        "type units: 0 of the units, 3 in split files",
        "split units: 2",
        "  2 in fixtures/split/clang5/prog.dwp",
    ]
    whole = run("info", "fixtures/split/clang5/prog", "--all").lines
    assert whole[-2].startswith("  a.dwo (ID 0x")
    assert whole[-2].endswith("): fixtures/split/clang5/prog.dwp")
    lines = run("info", "fixtures/split/dwz4/prog").lines
    assert lines[-2].startswith("supplementary file common.debug (")
    assert lines[-2].endswith("), named by .gnu_debugaltlink")
    assert lines[-1] == "  found at fixtures/split/dwz4/common.debug"
    lines = run("info", "fixtures/split/types-gcc4/prog").lines
    assert lines[-2:] == [
        "  3 units: DWARF 4, 32-bit, type unit; C++; dialect amd",
        "type units: 3 of the units",
    ]


def test_units_of_a_package_are_where_its_sections_have_them() -> None:
    units = run_json("info", SPLIT / "gcc4/prog.dwp").json["units"]
    assert {(unit["section"], unit["offset"]) for unit in units} >= {(".debug_info.dwo", 0)}
    assert len({(unit["section"], unit["offset"]) for unit in units}) == len(units) == 5


def test_a_missing_split_file_is_reported_with_the_folders_searched(tmp_path: Path) -> None:
    program = copied("gcc4", tmp_path, "prog.dwp", "b.dwo")
    folder = tmp_path / "none"
    folder.mkdir()
    answer = run_json("info", program, "--debug-dir", folder)
    assert answer.status == 1
    result, missing = [unit["split"] for unit in answer.json["units"]]
    assert result["file"] == str(tmp_path / "a.dwo") and result["error"] is None
    assert missing["file"] is None and missing["error"]["kind"] == "MissingContext"
    tried = missing["error"]["message"]
    assert str(tmp_path / "b.dwo") in tried and str(tmp_path / "none/b.dwo") in tried
    lines = run("info", program).lines
    assert "split units: 2, 1 not found" in lines
    assert "  (no name): DWARF 4, 32-bit, split; not found" in lines


def test_a_directory_for_debug_files(tmp_path: Path) -> None:
    program = copied("clang4", tmp_path, "prog.dwp", "a.dwo", "b.dwo")
    done = run("eval", "--file", program, "corner")
    assert done.status != 0 and done.error.startswith("corner: MissingContext: ")
    assert done.error.endswith("give --debug-dir DIR")
    answer = run("eval", "--file", program, "--debug-dir", SPLIT / "clang4", "corner")
    assert answer.lines == ["corner = {x = 5, y = 6}"]


@pytest.mark.parametrize("version", [4, 5])
def test_a_gpu(version: int) -> None:
    """A kernel in a split file: as in the file that has everything."""
    whole = FIXTURES / f"hip/nest.gfx942.O2.v{version}.co"
    split = SPLIT / f"gfx942-{version}/nest.co"
    state = ("--reg", "v6=[1, 2, 3]", "--lane", "1", "--pc", "0x1620")
    answers = [run("eval", "--file", item, *state, "t").lines for item in (whole, split)]
    assert answers[0] == answers[1] != []
    (unit,) = run_json("info", split).json["units"]
    assert unit["dialect"] == "upstream-clang" and unit["split"]["error"] is None
    units = run_json("info", SPLIT / f"gfx942-{version}/data.co").json["units"]
    assert len(units) > 1 and {unit["dialect"] for unit in units} == {"upstream-clang"}


@pytest.mark.parametrize("kind", IN_SPLIT_FILES)
def test_where_all(kind: str, tmp_path: Path) -> None:
    """What is described does not depend on where it is kept."""
    whole = run("where", "--file", SPLIT / f"types-{kind}/prog", "--all")
    for left_out in (("prog.dwp",), ("a.dwo", "b.dwo")):
        folder = tmp_path / f"without-{left_out[0]}"
        folder.mkdir()
        split = run("where", "--file", copied(kind, folder, *left_out), "--all")
        assert "area: " in split.out and split.status == 0
        if kind != "gcc4":  # whose list of argc is shorter by two bytes in the split file
            assert split.lines == whole.lines
    missing = copied(kind, tmp_path, "prog.dwp", "a.dwo")
    done = run("where", "--file", missing, "--all")
    problems = [line for line in done.lines if "MissingContext" in line]
    assert len(problems) == 1 and "a.dwo" in problems[0]
    assert any(line.startswith("other") for line in done.lines)


def test_a_type_whose_type_unit_a_damaged_package_does_not_find(tmp_path: Path) -> None:
    """Its name is in the type unit alone: what is shown instead has one note, also in JSON."""
    data = bytearray((FIXTURES / "split/clang5/prog.dwp").read_bytes())
    index = ObjectFile("prog.dwp", bytes(data)).sections_by_name[".debug_tu_index"]
    row = data.index((0x7F6D22C2D5708090).to_bytes(8, "little"), index.offset)
    assert row < index.offset + index.size_bytes
    data[row + 2] ^= 4
    (tmp_path / "prog.dwp").write_bytes(data)
    shutil.copy(FIXTURES / "split/clang5/prog", tmp_path)
    done = run("eval", tmp_path / "prog", "&baseline")
    assert done.lines == ["&baseline = (geo::<unknown type> *) 0x200180 <baseline>"]
    note = "no type unit has the signature 0x7f6d22c2d5708090"
    [line] = [line for line in done.err.splitlines() if "unknown" in line]
    assert line.startswith("note: a type is unknown: IllFormed: ") and line.endswith(note)
    [listed] = run_json("eval", tmp_path / "prog", "&baseline").json["context_notes"]
    assert line == f"note: {listed}"
    assert "unknown" not in run("eval", FIXTURES / "split/clang5/prog", "&baseline").err

    done = run("where", tmp_path / "prog", "baseline")
    assert done.lines[0].startswith("global geo::<unknown type> baseline, ")
    assert done.status == 1 and done.lines[-1].startswith("problem: IllFormed: ")
    assert done.lines[-1].endswith(note)
    [problem] = run_json("where", tmp_path / "prog", "baseline").json["problems"]
    assert problem["message"].endswith(note)
    assert run("where", FIXTURES / "split/clang5/prog", "baseline").status == 0
