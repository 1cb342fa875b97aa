"""Notes of many waves: each once, and of many that are alike the first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.cli.printing import print_notes
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.errors import IllFormed
from tests.cli.command import run, run_json
from tests.cli.test_lanes_work import dispatched


@pytest.mark.parametrize(("count", "shown"), [(1, 1), (10, 10), (11, 4), (1000, 4)])
def test_notes_that_differ_in_numbers(
    count: int, shown: int, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = [f"register v6 of wave {number} is unknown" for number in range(count)]
    print_notes(["first", *notes, "last", "first", "last"])
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], lines[-1]) == ("note: first", "note: last")
    assert len(lines) == shown + 2
    assert lines[1 : min(count, 3) + 1] == [f"note: {note}" for note in notes[:3]]
    if count > 10:
        assert lines[4] == f"note: … and {count - 3} more with other numbers: see --json"


def test_notes_that_differ_in_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes have letters among their digits, and unknown ones."""
    alike = [f"s is partly optimized out: its bytes are {n:02x}??{n + 7:02x}??" for n in range(40)]
    alike += [f"s is partly optimized out: its bytes are {n:02x}?????? (why)" for n in range(40)]
    print_notes(alike)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 8
    assert lines[3] == "note: … and 37 more with other numbers: see --json" == lines[7]


def test_every_note_is_in_json(tmp_path: Path) -> None:
    state = dispatched(tmp_path, waves=12)
    document = json.loads(state.read_text())
    for wave in document["waves"]:
        del wave["registers"]["v6"]
    state.write_text(json.dumps(document))
    asked = ["lanes", "--state", state, "--wave", "all", "--lane", "0", "t"]
    assert "… and 9 more with other numbers: see --json" in run(*asked).notes
    notes = [note for note in run_json(*asked).json["notes"] if " v6 " in note]
    assert len(notes) == 12


@pytest.mark.parametrize("lanes", [(), ("--lane", "0")])
def test_variables_that_cannot_be_listed(
    lanes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A unit imports another that cannot be read: its variables are in scope."""
    error = IllFormed("an import")
    monkeypatch.setattr(Scopes, "why_incomplete_at", lambda _, pc: error)
    note = "global variables may be missing: IllFormed: an import"
    assert note in run("eval", "--demo", *lanes).notes
    assert note in run_json("eval", "--demo", *lanes).json["context_notes"]
    assert note not in run_json("eval", "--demo", *lanes, "t").json.get("context_notes", ())
