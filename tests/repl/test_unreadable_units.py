"""A unit with an unusable header is named wherever what it describes may be missing."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from dwarfgpu import CodeObject, Session, load_state
from dwarfgpu.dwarf import constants as dw
from tests.cli.command import Done, run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, file_of, unit

PLACE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
NAME = (dw.AT_NAME, dw.FORM_STRING)
SHAPES = abbreviations(
    Shape(dw.TAG_COMPILE_UNIT, PLACE, True),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE)),
    Shape(dw.TAG_SKELETON_UNIT, (*PLACE, (dw.AT_DWO_NAME, dw.FORM_STRING))),
)
WHY = "Unsupported: {path}: .debug_info unit {offset:#x}"


def one_function(name: bytes, address: int, kind: int = dw.UT_COMPILE, version: int = 5) -> bytes:
    here = struct.pack("<QI", address, 16)
    return unit(b"\1" + here + b"\2" + name + b"\0" + here + b"\0", kind=kind, version=version)


def file_with(folder: Path, *units: bytes, debug_frame: bytes = b"") -> str:
    """A program whose function f is at 0x1000, g at 0x1010, and whose symbols are `lost` of data
    and `code` of the function at 0x1010."""
    symbols = b"".join(
        struct.pack("<IBBHQQ", *row)
        for row in (
            (0, 0, 0, 0, 0, 0),
            (1, 0x11, 0, 2, 0x2000, 4),  # a global object in .data
            (6, 0x12, 0, 1, 0x1010, 16),
        )
    )
    path = folder / "made.so"
    path.write_bytes(
        elf(
            {
                ".text": Content(bytes(32), flags=6, address=0x1000),
                ".data": Content(bytes(16), flags=3, address=0x2000),
                ".symtab": Content(symbols, type=2, link=4, entry_bytes=24),
                ".strtab": Content(b"\0lost\0code\0", type=3),
                ".debug_info": b"".join(units),
                ".debug_abbrev": SHAPES,
                ".debug_frame": debug_frame,
            },
            machine=X86_64,
            flags=0,
        )
    )
    return str(path)


@pytest.fixture(params=[{"kind": 0x7F}, {"version": 77}], ids=["kind", "version"])
def partly(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """A file whose second unit is unusable, and what names that unit."""
    first = one_function(b"f", 0x1000)
    path = file_with(tmp_path, first, one_function(b"g", 0x1010, **request.param))
    return path, WHY.format(path=path, offset=len(first))


def state_of(path: str, pc: int) -> str:
    state = Path(path).with_suffix(".json")
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": Path(path).name}], "waves": [{"pc": pc}],
    }))  # fmt: skip
    return str(state)


def prompt(path: str, *commands: str) -> Done:
    asked = (word for command in commands for word in ("-ex", command))
    return run("debug", path, "--batch", *asked)


@pytest.mark.parametrize(
    "command",
    ["info functions", "info line *0x1000", "break f", "info scope f", "list f", "info types"],
)
def test_the_prompt_notes_it_once(partly: tuple[str, str], command: str) -> None:
    path, why = partly
    done = prompt(path, command, command)
    assert done.err.count(f"note: not all units can be read: {why}") == 1, done.err


@pytest.mark.parametrize(
    "command", ["print g", "break g", "whatis g", "print lost", "ptype struct g", "list g"]
)
def test_an_unknown_name_may_be_in_it(partly: tuple[str, str], command: str) -> None:
    path, why = partly
    done = prompt(path, command)
    assert f"Not searched: {why}" in done.err, done.err
    assert done.err.count("Not searched") == 1


def test_of_many_files_with_unusable_units_the_first_ones_are_named(tmp_path: Path) -> None:
    """Each of thousands of waves would name each of thousands of files."""
    folders = [tmp_path / f"{number}" for number in range(9)]
    for folder in folders:
        folder.mkdir()
        file_with(folder, one_function(b"f", 0x1000), one_function(b"g", 0x1010, version=77))
    loads = [
        {"path": f"{folder.name}/made.so", "load_address": number << 20}
        for number, folder in enumerate(folders)
    ]
    state = tmp_path / "state.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": loads, "waves": [{"pc": 0x1004}],
    }))  # fmt: skip
    read = load_state(state)
    objects = tuple(CodeObject.open(folder / "made.so") for folder in folders)
    session = Session(read.architecture, objects, read.target, wave=read.waves[0].id)
    message = session.with_unsearched("No symbol")
    assert message.count("Not searched: Unsupported: ") == 4, message
    assert message.endswith(" Not searched: 5 others.")
    done = run("eval", "--state", state, "lost_name")
    assert done.err.endswith("Not searched: 5 others.\n"), done.err


def test_json_has_the_note(partly: tuple[str, str]) -> None:
    path, why = partly
    done = run("debug", path, "--interpreter=json", "--batch", "-ex", "info functions")
    [answer] = map(json.loads, done.out.splitlines())
    assert any(why in note for note in answer["notes"]), answer


@pytest.mark.parametrize("words", [("eval",), ("eval", "g"), ("bt",)])
def test_commands_name_it(partly: tuple[str, str], words: tuple[str, ...]) -> None:
    path, why = partly
    done = run(*words, "--state", state_of(path, 0x1014))
    assert why in done.out + done.err, done.out + done.err
    assert "has no debugging information" not in done.err


@pytest.mark.parametrize("words", [("where", "{}", "g"), ("disas", "{}", "f")])
def test_files_are_named_with_it(partly: tuple[str, str], words: tuple[str, ...]) -> None:
    path, why = partly
    done = run(*(word.format(path) for word in words))
    assert why in done.out + done.err


def test_a_file_with_only_such_units_has_debugging_information(tmp_path: Path) -> None:
    path = file_with(tmp_path, one_function(b"f", 0x1000, version=77))
    info = CodeObject.open(path).info
    assert info.has_units
    assert not info.units
    for done in (
        run("eval", "--state", state_of(path, 0x1004)),
        prompt(path, "print f"),
        run("where", path, "f"),
    ):
        assert "has no debugging information" not in done.err
        assert "No symbol table is loaded" not in done.err
        assert WHY.format(path=path, offset=0) in done.out + done.err


def test_no_header_is_read_for_the_note(tmp_path: Path) -> None:
    info = CodeObject.open(file_with(tmp_path, one_function(b"f", 0x1000, version=77))).info
    assert info.unread is None
    [problem] = info.problems
    assert info.unread is problem


def test_files_without_such_units_have_no_note(tmp_path: Path) -> None:
    path = file_with(tmp_path, one_function(b"f", 0x1000), one_function(b"g", 0x1010))
    done = prompt(path, "info functions", "break g", "print lost")
    assert "cannot be read" not in done.err
    assert "not all units" not in done.err
    assert "Not searched" not in done.err


@pytest.mark.parametrize("command", ["whatis code", "ptype code", "info address code", "p code"])
def test_a_missing_split_file_is_named(tmp_path: Path, command: str) -> None:
    """What only a symbol has may be described there."""
    here = struct.pack("<QI", 0x1010, 16)
    skeleton = unit(bytes(8) + b"\3" + here + b"gone.dwo\0", kind=dw.UT_SKELETON)
    path = file_with(tmp_path, one_function(b"f", 0x1000), skeleton)
    done = prompt(path, command)
    assert done.err.count("split file gone.dwo with the entries") == 1, done.err


def test_notes_on_frames_name_a_missing_split_file(tmp_path: Path) -> None:
    here = struct.pack("<QI", 0x1010, 16)
    skeleton = unit(bytes(8) + b"\3" + here + b"gone.dwo\0", kind=dw.UT_SKELETON)
    path = file_with(tmp_path, one_function(b"f", 0x1000), skeleton)
    done = run("bt", "--state", state_of(path, 0x1014))
    assert "split file gone.dwo" in done.out + done.err


def swallowing(folder: Path) -> tuple[str, str]:
    """A file whose first unit has a length that covers the second one, and what says so."""
    first, second = one_function(b"f", 0x1000), one_function(b"g", 0x1010)
    length = len(first) + len(second) - 4
    path = file_with(folder, length.to_bytes(4, "little") + first[4:] + second)
    end = f"the entries end at offset {len(first):#x}, and the unit at {length + 4:#x}"
    return path, f"Malformed: {path}: .debug_info unit 0x0: {end}"


@pytest.mark.parametrize("words", [("where", "g"), ("debug", "--batch", "-ex", "print g")])
def test_an_unknown_name_may_be_behind_the_end_of_the_entries(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    path, why = swallowing(tmp_path)
    done = run(words[0], path, *words[1:])
    assert f"Not searched: {why}" in done.err, done.err


def test_where_says_that_entries_are_lost(tmp_path: Path) -> None:
    path, why = swallowing(tmp_path)
    done = run("where", path, "--all")
    assert (f"problem: {why}" in done.lines, done.status) == (True, 1)
    assert json.loads(run("where", path, "--all", "--json").out)["problems"][0]["kind"] == (
        "Malformed"
    )
    compared = run("where", path, "--all", "--against", path)
    assert (f"problem: old: {why}" in compared.lines, compared.status) == (True, 1), compared.out


@pytest.mark.parametrize("command", ["info functions", "print f", "info types"])
def test_the_prompt_notes_lost_entries_once(tmp_path: Path, command: str) -> None:
    path, why = swallowing(tmp_path)
    done = prompt(path, command, command)
    assert done.err.count(f"note: not all units can be read: {why}") == 1, done.err


def test_zeros_may_replace_the_last_entries(tmp_path: Path) -> None:
    """Fewer may be padding."""
    for count, is_lost in ((16, False), (17, True)):
        first = one_function(b"f", 0x1000)
        first = (len(first) + count - 4).to_bytes(4, "little") + first[4:] + bytes(count)
        path = file_with(tmp_path, first)
        done = run("where", path, "g")
        assert f"with {count} bytes of zeros between" in done.err or not is_lost
        assert ("Not searched: " in done.err) == is_lost


@pytest.mark.parametrize("version", [5, 77])
def test_frames_may_have_the_names_of_symbols(tmp_path: Path, version: int) -> None:
    bounds = struct.pack("<QQ", 0x1010, 16)
    cie = b"\x14\0\0\0" + b"\xff" * 4 + b"\4\0\x08\0\1\x78\x10" + b"\x0c\7\x08" + bytes(6)
    fde = b"\x14\0\0\0" + bytes(4) + bounds
    path = file_with(tmp_path, one_function(b"g", 0x1010, version=version), debug_frame=cie + fde)
    done = run("frames", path)
    name = "g" if version == 5 else "code"
    assert f"FDE 0x18: [0x1010,0x1020) {name}, of CIE 0x0" in done.lines, done.out
    why = WHY.format(path=path, offset=0)
    named = f"names may be those of symbols, not of functions: {why}"
    assert [note.startswith(named) for note in done.notes] == [True] * (version != 5)
    assert json.loads(run("frames", path, "--json").out)["notes"] == done.notes


INT = Shape(
    dw.TAG_BASE_TYPE,
    (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1)),
)
VARIABLE = Shape(
    dw.TAG_VARIABLE,
    (NAME, (dw.AT_TYPE, dw.FORM_REF1), (dw.AT_CONST_VALUE, dw.FORM_DATA1)),
)
FUNCTION = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE), True)
UNIT = Shape(dw.TAG_COMPILE_UNIT, PLACE, True)


@pytest.mark.parametrize(
    ("nulls", "value"), [(b"", 2), (b"\0\0", 1)], ids=["whole", "with early nulls"]
)
def test_a_global_variable_may_answer_for_a_lost_one(
    tmp_path: Path, nulls: bytes, value: int
) -> None:
    here = struct.pack("<QI", 0x1000, 16)
    variable = b"\3x\0" + bytes([12 + 1 + len(here)])
    before = b"\1" + here + b"\4int\0\4\5" + variable + b"\1"
    entries = before + b"\2f\0" + here + nulls + variable + b"\2\0\0"
    path = tmp_path / "made.so"
    code = {".text": Content(bytes(32), flags=6, address=0x1000)}
    path.write_bytes(file_of(entries, (UNIT, FUNCTION, VARIABLE, INT), code, machine=X86_64))
    state = state_of(str(path), 0x1004)
    lost = "unit 0x0: the entries end at offset "
    done = run("eval", "--state", state, "x")
    assert done.out == f"x = {value}\n"
    assert (
        f"note: variables may be missing: Malformed: {path}: .debug_info {lost}" in done.err
    ) == bool(nulls)
    for words, is_named in ((["x + 1"], True), ([], True), (["1 + 1"], False), (["$pc"], False)):
        done = run("eval", "--state", state, *words)
        is_noted = "note: variables may be missing: " in done.err
        assert is_noted == (bool(nulls) and is_named), (words, done.err)
    for other in (
        run("bt", "--state", state),
        run("debug", "--state", state, "--batch", "-ex", "print x"),
    ):
        assert (lost in other.err) == bool(nulls), other.err


def test_zeros_behind_the_entries_are_padding(tmp_path: Path) -> None:
    first = one_function(b"f", 0x1000) + bytes(3)
    padded = (len(first) - 4).to_bytes(4, "little") + first[4:]
    done = prompt(file_with(tmp_path, padded), "info functions", "print g")
    assert "not all units" not in done.err
    assert "Not searched" not in done.err
