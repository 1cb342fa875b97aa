"""`diff`, `undo`, `redo`, `save` and `load` at the prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_differences import differences
from dwarfgpu.machine.state.state_document import LoadedFile, state_document
from dwarfgpu.machine.state.write import write
from dwarfgpu.repl.data import undo_commands
from tests.cli.command import FIXTURES, run, validate
from tests.repl.repl_shell import demo_shell, nest_shell, output_of
from tests.repl.test_debug_fuzz import HOSTILE
from tests.work import at_most

STATE = FIXTURES / "states/divergent.gfx942.json"
CORE = FIXTURES / "core/crash.x86_64.O0"
STATES = sorted((FIXTURES / "states").glob("*.json"))


def lines(*commands: str, state: Path = STATE) -> list[str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "-q", "--state", state, "--lane", 3, "--batch", *words)
    return [line for line in [*done.lines, *done.err.splitlines()] if not line.startswith("note")]


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (["diff"], ["Nothing was assigned."]),
        (["undo"], ["Nothing was assigned."]),
        (["redo"], ["Nothing was undone."]),
        (["undo x"], ["Invalid count: x"]),
        (["set var t = 99", "diff"], ["$v0[3]: 0x3 -> 0x63"]),
        (["set var t = 99", "undo", "p t"], ["$v0[3]: 0x63 -> 0x3", "$1 = 3"]),
        (["set var t = 99", "undo", "undo"], ["$v0[3]: 0x63 -> 0x3", "Nothing was assigned."]),
        (["set var t = 99", "undo 999999999"], ["$v0[3]: 0x63 -> 0x3"]),  # ends with the last one
        (["set var t = 9", "undo", "redo", "p t"], [
            "$v0[3]: 0x9 -> 0x3", "$v0[3]: 0x3 -> 0x9", "$1 = 9"]),
        (["set var t = 9", "undo", "set var t = 8", "redo"], [
            "$v0[3]: 0x9 -> 0x3", "Nothing was undone."]),
        # What was unknown is not known again.
        (["set var $s90 = 5", "undo", "p $s90"], [
            "$s90: 0x5 -> <unavailable>", "$1 = <unavailable>"]),
        # All that one command wrote is taken back together.
        (["set var t = $s90 = 5", "diff", "undo"], [
            "$s90: <unavailable> -> 0x5", "$v0[3]: 0x3 -> 0x5",
            "$v0[3]: 0x5 -> 0x3", "$s90: 0x5 -> <unavailable>"]),
        (["set var t = 7", "set var x = 8", "diff all"], [
            "$v0[3]: 0x3 -> 0x7", "$v2[3]: 0x9 -> 0x8"]),
        (["set var t = 7", "set var x = 8", "undo 2", "diff all"], [
            "$v2[3]: 0x8 -> 0x9", "$v0[3]: 0x7 -> 0x3", "Nothing was assigned."]),
        (["display t", "set var t = 7", "undo"], [
            "1: t = 3", "$v0[3]: 0x7 -> 0x3", "1: t = 3"]),
        # The focus follows the program counter: of several commands, before displays, and after an
        # error.
        (["set var $s4 = 0", "set var $pc = 0x1520", "undo 2", "output/x $pc", "redo 2",
            "output/x $pc"], [
            "$pc: 0x1520 -> 0x151c", "$s4: 0x0 -> 0x18", "0x151c$s4: 0x18 -> 0x0",
            "$pc: 0x151c -> 0x1520", "0x1520"]),
        (["set var $pc = 0x1520", "set var $s4 = 0", "undo 2", "redo 2", "p/x $pc"], [
            "$s4: 0x0 -> 0x18", "$pc: 0x1520 -> 0x151c", "$pc: 0x151c -> 0x1520",
            "$s4: 0x18 -> 0x0", "$1 = 0x1520"]),
        (["display/x $pc", "set var $pc = 0x1520", "undo"], [
            "1: /x $pc = 0x151c", "$pc: 0x1520 -> 0x151c", "1: /x $pc = 0x151c"]),
        (["p ($pc = 0x1520) / 0", "p/x $pc"], [
            "$1 = 0x1520", "Argument to arithmetic operation not a number or boolean."]),
        ([f"diff {STATE}"], [f"No difference from {STATE}."]),
        (["set var t = 7", f"diff {STATE}"], ["wave 1 $v0[3]: 0x3 -> 0x7"]),
        (["diff /no/such"], ["/no/such cannot be read: No such file or directory"]),
        ([f"diff {FIXTURES / 'states/nest.gfx942.O0.json'}"], None),
        (["save"], ["Argument required (file to write the state to)."]),
        (["load"], ["Argument required (state file)."]),
        (["load /no/such", "p t"], [
            "$1 = 3", "/no/such cannot be read: No such file or directory"]),
        (["save /no/such/folder/x.json"], None),
    ],
)  # fmt: skip
def test_changes(commands: list[str], expected: list[str] | None) -> None:
    result = lines(*commands)
    assert all("Traceback" not in item for item in result)
    assert result if expected is None else result == expected


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    result = lines("set var t = 99", f"save {path}", "undo", f"load {path}", "lane 3", "p t")
    assert f"Saved {path}." in result and f"Loaded {path}." in result
    assert result[-1] == "$1 = 99"
    document = json.loads(path.read_text())
    assert document["schema"] == "dwarfgpu-state-2"
    validate(document)


def test_what_is_saved_beside_is_named_and_overwrites_nothing_unasked(tmp_path: Path) -> None:
    path = tmp_path / "now.json"
    arguments = ("debug", "--demo", "--batch", "-ex", f"save {path}")
    first = run(*arguments).out
    (beside,) = tmp_path.glob("*.npy")
    saved = f"Saved {path}. Memory of it is in {beside.name}.\n"
    assert first == saved
    asked = "Overwrite it? (y or n) [answered Y; input not from terminal]"
    assert run(*arguments).out == f"{path} exists. {asked}\n{saved}"
    answer = json.loads(run(*arguments, "--interpreter=json").out.splitlines()[-1])
    validate(answer)
    assert (answer["file"], answer["memory-files"]) == (str(path), [beside.name])
    assert "code-files" not in answer


def test_a_core_is_not_a_state(tmp_path: Path) -> None:
    commands = [
        f"save {tmp_path / 'x.json'}",
        f"diff {STATE}",
        "p sum = 7",
        "diff",
        "undo",
        "p sum",
    ]
    words = [word for command in commands for word in ("-ex", command)]
    core = ["--core", f"{CORE}.core", "--sysroot", FIXTURES / "core"]
    done = run("debug", CORE, *core, "--batch", *words)
    assert done.lines[-4:] == [
        "$1 = 7",
        "0x7fffffffecdc: 4a 00 00 00 -> 07 00 00 00",
        "0x7fffffffecdc: 07 00 00 00 -> 4a 00 00 00",
        "$2 = 74",
    ]
    errors = [line for line in done.err.splitlines() if not line.startswith("note")]
    assert errors[-2:] == [
        "Only a state can be saved; the current machine is not a state.",
        "Only a state can be compared with a state; the current machine is not a state.",
    ]


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.stem)
def test_every_state_is_saved_whole(path: Path, tmp_path: Path) -> None:
    state = load_state(path)
    before = json.loads(path.read_text())
    loaded = [LoadedFile(listed.path, listed.load_address) for listed in state.code_objects]
    again = tmp_path / "again.json"
    write(state_document(state.target, again, loaded, before), again)
    validate(json.loads(again.read_text()))
    result = load_state(again)
    assert list(differences(state.target, result.target)) == []
    assert list(differences(result.target, state.target)) == []
    assert result.target.workgroups == state.target.workgroups
    if before["schema"] == "dwarfgpu-state-2":
        assert result.machine == state.machine
    assert [wave.wave for wave in result.waves] == [wave.wave for wave in state.waves]
    assert [wave.cfa for wave in result.waves] == [wave.cfa for wave in state.waves]
    assert [code_object.path.resolve() for code_object in result.code_objects] == [
        code_object.path.resolve() for code_object in state.code_objects
    ]


def test_a_file_that_is_loaded_twice_is_saved_twice(tmp_path: Path) -> None:
    """Position-independent code may be loaded anywhere, and at two addresses."""
    file = FIXTURES / "run/integers.gfx942.O2.v5.co"
    listed = [{"path": str(file), "load_address": hex(at << 20)} for at in (1, 2)]
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x107000}],
        "code_objects": listed,
    }
    (state := tmp_path / "s.json").write_text(json.dumps(document))
    again = tmp_path / "again.json"
    assert run("debug", "--state", state, "--batch", "-ex", f"save {again}").status == 0
    objects = json.loads(again.read_text())["code_objects"]
    assert [item["load_address"] for item in objects] == ["0x100000", "0x200000"]


def test_a_name_in_quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = lines('save "a b.json"', "save c d.json", 'save ""')
    assert "Saved a b.json." in result and "Saved c d.json." in result
    assert result[-1] == "Argument required (file to write the state to)."
    assert {path.name for path in tmp_path.glob("*.json")} == {"a b.json", "c d.json"}
    (tmp_path / "'e'").write_bytes((tmp_path / "c d.json").read_bytes())
    result = lines("load 'a b.json'", 'load "c d.json"', "load a b.json", "load 'e'")
    names = [line for line in result if line.startswith("Loaded ")]
    assert names == [f"Loaded {name}." for name in ("a b.json", "c d.json", "a b.json", "'e'")]


def test_hostile_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is typed, the debug session goes on; what is written is below the folder."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    shell = nest_shell()
    for name in HOSTILE:
        if not name.startswith("/"):
            output_of(shell, f"save {name}")
            output_of(shell, f"load {name}")
    assert output_of(shell, "p $_lane").startswith("$")


def test_a_device_is_refused_before_the_question() -> None:
    done = run("debug", "--demo", "--batch", "-ex", "save /dev/null")
    assert "Overwrite" not in done.out
    assert "/dev/null cannot be written: it is not a regular file, and longer" in done.err


@pytest.mark.parametrize("folder", ["b", "breakpoints"])
def test_a_folder_may_be_named_as_a_subcommand_of_save(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`save breakpoints` takes its file after a blank; everything else is a state."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / folder).mkdir()
    shell = demo_shell()
    assert output_of(shell, f"save {folder}/c.json").startswith(f"Saved {folder}/c.json.")
    assert (tmp_path / folder / "c.json").exists()
    assert "Nothing to save" in output_of(shell, f"save {folder} {tmp_path / 'c.txt'}")


@pytest.mark.parametrize("command", ["save", "load", "generate-core-file"])
def test_a_folder_is_no_file(command: str, tmp_path: Path) -> None:
    verb = "read" if command == "load" else "written"
    done = run("debug", "--demo", "--batch", "-ex", f"{command} {tmp_path}")
    assert f"{tmp_path} cannot be {verb}: Is a directory\n" in done.err


@pytest.mark.parametrize("command", ["load", "diff"])
def test_a_device_without_end_is_not_read(command: str) -> None:
    done = run("debug", "--demo", "--batch", "-ex", f"{command} /dev/zero")
    assert "/dev/zero cannot be read: it is not a regular file\n" in done.err


def test_differences_of_filled_memory_are_not_all_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state of a few bytes may have a gigabyte of memory."""
    paths = [tmp_path / "zeros.json", tmp_path / "ones.json"]
    for fill, path in enumerate(paths):
        memory = {"address": 1 << 20, "fill": fill, "size": 1 << 30}
        path.write_text(json.dumps({
            "schema": "dwarfgpu-state-2", "architecture": "gfx942", "memory": [memory],
            "waves": [{"pc": 0, "registers": {}}],
        }))  # fmt: skip
    monkeypatch.setattr(undo_commands, "_MOST_DIFFERENCES", 2)
    arguments = ("debug", "-q", "--state", paths[0], "--batch", "-ex", f"diff {paths[1]}")
    with at_most(400_000):
        done, answered = run(*arguments), run(*arguments, "--interpreter=json")
    zeros, ones = " ".join(["00"] * 16), " ".join(["01"] * 16)
    assert done.lines == [f"0x100000: {ones} -> {zeros}", f"0x100010: {ones} -> {zeros}"]
    note = "only the first 2 differences are listed, those before 0x100020"
    assert done.err.splitlines()[-1] == f"note: {note}"
    answer = json.loads(answered.out.splitlines()[-1])
    validate(answer)
    assert (len(answer["changes"]), answer["notes"][-1]) == (2, note)
