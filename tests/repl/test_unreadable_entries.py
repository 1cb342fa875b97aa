"""Lists of symbols say which entries they leave out, and long lists of variables end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu import CodeObject, Session, load_state
from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Content, Shape, file_of

PLACE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
HERE = (0x1000).to_bytes(8, "little") + (16).to_bytes(4, "little")
NAME = (dw.AT_NAME, dw.FORM_STRING)
UNIT = Shape(dw.TAG_COMPILE_UNIT, PLACE, True)
MAIN = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE), True)
CODE = {".text": Content(bytes(16), flags=6, address=0x1000)}
OUTSIDE = (0x7FFFFFFF).to_bytes(4, "little")
PARAMETER = Shape(dw.TAG_FORMAL_PARAMETER, (NAME,))
VARIABLE = Shape(dw.TAG_VARIABLE, (NAME,))


@pytest.mark.parametrize("origin", [dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION])
@pytest.mark.parametrize(
    ("kind", "tag", "attributes", "values"),
    [
        ("functions", dw.TAG_SUBPROGRAM, PLACE, HERE),
        ("variables", dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_EXPRLOC),), b"\1\x30"),
    ],
)
def test_entries_of_a_wrong_origin_are_counted(
    tmp_path: Path,
    kind: str,
    tag: int,
    attributes: tuple[tuple[int, int], ...],
    values: bytes,
    origin: int,
) -> None:
    shape = Shape(tag, ((origin, dw.FORM_REF4), *attributes))
    entries = b"\1" + HERE + 2 * (b"\3" + OUTSIDE + values) + b"\2main\0" + HERE + b"\0\0"
    path = tmp_path / "made"
    path.write_bytes(file_of(entries, (UNIT, MAIN, shape), CODE, machine=62))
    done = run("debug", str(path), "--batch", "-ex", f"info {kind}")
    text = done.out + done.err
    assert "note: 2 entries of the kind cannot be read; the first: " in text, text
    assert ".debug_info entry 0x" in text
    if kind == "functions":
        assert "main" in text


def state_with(folder: Path, count: int, shape: Shape) -> str:
    variables = b"".join(b"\3n%d\0" % number for number in range(count))
    entries = b"\1" + HERE + b"\2main\0" + HERE + variables + b"\0\0"
    (folder / "a.so").write_bytes(file_of(entries, (UNIT, MAIN, shape), CODE, machine=62))
    path = folder / "a.json"
    path.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": 0x1004}],
    }))  # fmt: skip
    return str(path)


@pytest.mark.parametrize("command", ["bt", "eval"])
def test_many_arguments_are_not_listed(tmp_path: Path, command: str) -> None:
    state = state_with(tmp_path, 20, PARAMETER)
    assert run(command, "--state", state).out.count("<optimized out>") == 20
    done = run(command, "--state", state, "--max-variables", "19")
    reason = "the frame has 20 arguments: more than 19 (--max-variables)"
    if command == "bt":  # the frame says it, the others are listed
        assert f"in main (<error reading arguments (LimitExceeded: {reason})>)" in done.out
        assert done.err == ""
    else:
        assert "the frame has 20 variables: more than 19 (--max-variables)" in done.err


def test_an_unreadable_global_name_costs_that_name_only(tmp_path: Path) -> None:
    # A global variable whose name is outside of .debug_str, and one of the frame's function.
    wrong = Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP), (dw.AT_CONST_VALUE, dw.FORM_DATA1)))
    fine = Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_CONST_VALUE, dw.FORM_DATA1)))
    entries = (
        (b"\1" + HERE + b"\2main\0" + HERE + b"\3argument\0\0")
        + (b"\4" + OUTSIDE + b"\5")
        + b"\5good\0\7\0"
    )
    path = tmp_path / "a.so"
    path.write_bytes(file_of(entries, (UNIT, MAIN, PARAMETER, wrong, fine), CODE, machine=62))
    state = tmp_path / "a.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": 0x1004}],
    }))  # fmt: skip
    assert "in main (argument=<optimized out>)" in run("bt", "--state", str(state)).out
    loaded = load_state(state)
    objects = (CodeObject.open(path),)
    session = Session(loaded.architecture, objects, loaded.target, wave=0, pc=0x1004)
    found = session.variables()
    assert [variable.name for variable in found] == ["argument", "<unreadable name>", "good"]
    assert "no string starts at .debug_str+0x7fffffff" in str(found[1].note)
    listed = run("eval", "--state", str(state))
    assert "<unreadable name> = " in listed.out
    assert "no string starts at .debug_str+0x7fffffff" in listed.out + listed.err
    described = run("where", "--all", str(path))
    assert "  <unreadable name>  " in described.out
    assert "  good  " in described.out
    assert "problem: Malformed" in described.out + described.err
    assert described.status == 1
    unknown = run("where", str(path), "nothing")
    assert 'No symbol "nothing" in a.so. Not all names are readable: ' in unknown.err
    assert "no string starts at .debug_str+0x7fffffff" in unknown.err


def test_frames_without_arguments_have_no_limit(tmp_path: Path) -> None:
    state = state_with(tmp_path, 20, PARAMETER)
    done = run("bt", "--no-args", "--state", state, "--max-variables", "19")
    assert "in main (...)" in done.out


@pytest.mark.parametrize(
    ("command", "shape"), [("info args", PARAMETER), ("info locals", VARIABLE)]
)
def test_a_regexp_selects_from_many(tmp_path: Path, command: str, shape: Shape) -> None:
    state = state_with(tmp_path, 20, shape)
    options = ("debug", "--state", state, "--max-variables", "19", "--batch")
    done = run(*options, "-ex", command, "-ex", f"{command} n7")
    assert "the frame has 20 variables: more than 19 (--max-variables)" in done.out + done.err
    assert "n7 = <optimized out>" in done.out


def state_of(folder: Path, file: bytes) -> str:
    (folder / "a.so").write_bytes(file)
    state = folder / "a.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": "a.so"}], "waves": [{"pc": 0x1004}],
    }))  # fmt: skip
    return str(state)


def test_an_unreadable_function_name_costs_that_name_only(tmp_path: Path) -> None:
    nameless = Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRP), *PLACE), True)
    entries = b"\1" + HERE + b"\2" + OUTSIDE + HERE + b"\3argument\0\0\0"
    state = state_of(tmp_path, file_of(entries, (UNIT, nameless, PARAMETER), CODE, machine=62))
    reason = "the function of frame 0 cannot be read: "
    done = run("bt", "--state", state)
    assert "#0  0x0000000000001004 in <unreadable name> (argument=<optimized out>)" in done.out
    assert reason in done.err and "no string starts at .debug_str+0x7fffffff" in done.err
    done = run("debug", "--state", state, "--batch", "-ex", "bt full", "-ex", "print $pc")
    assert "in <unreadable name> (argument=<optimized out>)" in done.out
    assert reason in done.err
    assert "$1 = (void (*)()) 0x1004" in done.out


def test_a_unit_that_cannot_be_read_costs_no_register(tmp_path: Path) -> None:
    # The form of the unit's language is unknown.
    language = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, (dw.AT_LANGUAGE, dw.FORM_INDIRECT)), True)
    entries = b"\1" + HERE + b"\x7f"
    state = state_of(tmp_path, file_of(entries, (language,), CODE, machine=62))
    done = run("debug", "--state", state, "--batch", "-ex", "bt full", "-ex", "print $pc + 1")
    assert "#0  0x0000000000001004 in ?? ()" in done.out
    assert "the function of frame 0 cannot be read: " in done.err
    assert "0x1005" in done.out


def words(*values: int) -> bytes:
    return b"".join((value % (1 << 64)).to_bytes(8, "little") for value in values)


def code_of_f(low: int, form: int, high: bytes, rest: bytes = b"") -> bytes:
    """A unit with a global x and a function f that has an x of its own."""
    place = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, form))
    f = Shape(dw.TAG_SUBPROGRAM, (NAME, *place), True)
    x = Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_LOCATION, dw.FORM_EXPRLOC)))
    entries = b"\1" + HERE + b"\3x\0\x02\x30\x9f" + b"\2f\0" + words(low) + high
    entries += b"\3x\0\x02\x31\x9f\0" + rest + b"\0"
    return file_of(entries, (UNIT, f, x, MAIN), CODE, machine=62)


@pytest.mark.parametrize(
    ("form", "high", "reason"),
    [
        (dw.FORM_ADDR, words(0xFF0), "the code ends at 0xff0, before it begins at 0x1000"),
        (dw.FORM_SDATA, b"\x70", "the code ends at 0xff0, before it begins at 0x1000"),
        (dw.FORM_DATA8, words(-16), "the code from 0x1000 on has 0xfffffffffffffff0 bytes"),
    ],
)
def test_code_without_an_end_hides_no_variable(
    tmp_path: Path, form: int, high: bytes, reason: str
) -> None:
    """DWARF 5 2.17.2: whether f is at the program location is unknown."""
    state = state_of(tmp_path, code_of_f(0x1000, form, high))
    done = run("bt", "--state", state)
    assert "the function of frame 0 cannot be read: " in done.err and reason in done.err
    done = run("eval", "--state", state, "x")
    assert done.status and reason in done.err


@pytest.mark.parametrize(
    ("low", "form", "high"),
    [
        (-1, dw.FORM_DATA8, words(16)),  # as linkers mark what they dropped
        (-2, dw.FORM_DATA8, words(16)),
        (0, dw.FORM_ADDR, words(-16)),
        (0x1000, dw.FORM_ADDR, words(0)),
        (0x1005, dw.FORM_ADDR, words(0x1000)),  # after the program location
        (0x1000, dw.FORM_DATA8, bytes(8)),
    ],
)
def test_code_elsewhere_hides_no_variable(tmp_path: Path, low: int, form: int, high: bytes) -> None:
    state = state_of(tmp_path, code_of_f(low, form, high))
    assert "cannot be read" not in run("bt", "--state", state).err
    assert "cannot be read" not in run("eval", "--state", state, "x").err


def test_a_function_is_found_beside_code_without_an_end(tmp_path: Path) -> None:
    main = b"\4main\0" + HERE + b"\0"
    state = state_of(tmp_path, code_of_f(0x1000, dw.FORM_ADDR, words(0xFF0), main))
    done = run("bt", "--state", state)
    assert "in main ()" in done.out and "cannot be read" not in done.err


def test_unreadable_lines_are_reported(tmp_path: Path) -> None:
    unit = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, (dw.AT_STMT_LIST, dw.FORM_SEC_OFFSET)), True)
    entries = b"\1" + HERE + bytes(4) + b"\2main\0" + HERE + b"\0\0"
    lines = Content(b"\6\0\0\0\x63\0" + bytes(4))
    sections = {**CODE, ".debug_line": lines}
    state = state_of(tmp_path, file_of(entries, (unit, MAIN), sections, machine=62))
    done = run("bt", "--state", state)
    assert "in main ()" in done.out
    assert "the line of frame 0 cannot be read: " in done.err
    assert "version 99" in done.err


def test_a_structure_of_a_missing_type_unit_has_no_invented_name(tmp_path: Path) -> None:
    declared = Shape(
        dw.TAG_STRUCTURE_TYPE,
        ((dw.AT_SIGNATURE, dw.FORM_REF_SIG8), (dw.AT_DECLARATION, dw.FORM_FLAG_PRESENT)),
    )
    typed = ((dw.AT_TYPE, dw.FORM_REF4), (dw.AT_LOCATION, dw.FORM_EXPRLOC))
    variable = Shape(dw.TAG_VARIABLE, (NAME, *typed))
    before = b"\1" + HERE
    at = 12 + len(before)
    entries = before + b"\3" + bytes(7) + b"\5" + b"\2main\0" + HERE
    entries += b"\4x\0" + at.to_bytes(4, "little") + b"\1\x50" + b"\0\0"
    shapes = (UNIT, MAIN, declared, variable)
    state = state_of(tmp_path, file_of(entries, shapes, CODE, machine=62))
    assert "local struct <unknown type> x" in run("where", str(tmp_path / "a.so"), "x").out
    done = run("eval", "--state", state, "x")
    assert "no type unit has the signature" in done.out + done.err
