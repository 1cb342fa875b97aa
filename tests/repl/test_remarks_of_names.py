"""What the look-up of a name remarks is shown once, by whichever command looked it up."""

from __future__ import annotations

import json
import struct
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.cli.main import COMMANDS as CLI_COMMANDS
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.meaning import DieFilter, Meaning, ordinary
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.repl.command import every
from dwarfgpu.repl.command_table import COMMANDS
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.repl.repl_shell import made, output_of, program_shell

_PLACE: Final = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
_NAME: Final = (dw.AT_NAME, dw.FORM_STRING)
_LINE: Final = (dw.AT_DECL_LINE, dw.FORM_DATA1)
_TYPE: Final = (dw.AT_TYPE, dw.FORM_REF1)
_BYTES: Final = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)
_SHAPES: Final = (
    Shape(dw.TAG_COMPILE_UNIT, (_NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *_PLACE), True),
    Shape(dw.TAG_BASE_TYPE, (_NAME, _BYTES, (dw.AT_ENCODING, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (_NAME, _LINE, _TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
    Shape(dw.TAG_SUBPROGRAM, (_NAME, _LINE, _TYPE, (dw.AT_PROTOTYPED, dw.FORM_FLAG), *_PLACE)),
    Shape(dw.TAG_TYPEDEF, (_NAME, _LINE, _TYPE)),
    Shape(dw.TAG_STRUCTURE_TYPE, (_NAME, _LINE, _BYTES)),
    Shape(dw.TAG_SKELETON_UNIT, (*_PLACE, (dw.AT_DWO_NAME, dw.FORM_STRING))),
)
_CODE: Final = 0x1000
_DATA: Final = 0x2000
_NAMES: Final = ("own", "removed", "wrong", "inner", "length", "struct shape", "inner()")
_ARGUMENTS: Final = ("{}", "&{}", '"%d", {}', "1 if {}", "$x = {}")
_RUNNING: Final = frozenset({"shell", "pipe", "python", "quit", "source", "file", "if", "while"})
"""Commands that run their arguments, or take another program."""
_TRIED: Final = [
    command
    for command in every(COMMANDS)
    if command.name not in _RUNNING and not command.name.startswith(("command", "set logging"))
]
_MORE: Final = (
    "not all units can be read: ", "Not searched: ", "split file gone.dwo with", "not defined.",
    "No symbol ", "No breakpoint at ", "No frame for function",
    "No line number ", '"lines": []',
)  # fmt: skip


def _place(number: int) -> bytes:
    return struct.pack("<QI", _CODE + 16 * number, 16)


def _unit_of_c(number: int, name: bytes) -> bytes:
    """Return a unit with each of `_NAMES`, which no other file sees."""
    line, beginning = bytes((10 * number,)), b"\1" + name + b"\0\x0c" + _place(number)
    integer = bytes((12 + len(beginning),))
    address = b"\x03" + struct.pack("<Q", _DATA + 4 * number)
    variables = ((b"own", address), (b"removed", b""), (b"wrong", b"\xff"))
    return unit(
        beginning
        + b"\2int\0\4\5"
        + b"".join(
            b"\3" + variable + b"\0" + line + integer + bytes((len(location),)) + location
            for variable, location in variables
        )
        + (b"\4inner\0" + line + integer + b"\1" + _place(number))
        + (b"\5length\0" + line + integer)
        + (b"\6shape\0" + line + b"\4")
        + b"\0"
    )


def _program(folder: Path, *, is_missing: bool) -> Path:
    """Write a program with `b.c` and `c.c`, and code before theirs whose unit is `a.c`, or is in a
    split file that is missing."""
    if is_missing:
        first = unit(bytes(8) + b"\7" + _place(0) + b"gone.dwo\0", kind=dw.UT_SKELETON)
    else:
        first = unit(b"\1a.c\0\x0c" + _place(0) + b"\0")
    path = folder / "made.so"
    sections = {
        ".text": Content(bytes(48), flags=6, address=_CODE),
        ".data": Content(bytes(16), flags=3, address=_DATA),
        ".debug_info": first + _unit_of_c(1, b"b.c") + _unit_of_c(2, b"c.c"),
        ".debug_abbrev": abbreviations(*_SHAPES),
    }
    path.write_bytes(elf(sections, machine=X86_64, flags=0))
    return path


@pytest.fixture(params=[False, True], ids=["namesakes", "missing"])
def program(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A program in a folder of its own, with remarks on each of its names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return _program(tmp_path, is_missing=request.param)


@pytest.fixture
def remarked(monkeypatch: pytest.MonkeyPatch) -> dict[str, None]:
    """The remarks of all look-ups since they were forgotten."""
    remarks: dict[str, None] = {}
    look_up = NameLookup.of

    def of(self: NameLookup, name: str, accepts: DieFilter = ordinary) -> tuple[Meaning, ...]:
        try:
            return look_up(self, name, accepts)
        finally:
            remarks.update(self.remarks)

    monkeypatch.setattr(NameLookup, "of", of)
    return remarks


def _is_shown(remark: str, notes: str, text: str) -> bool:
    """Return whether notes have a remark once, or an answer has what is more: each file with the
    name, what is known of the missing unit, or that nothing that the command takes has the name."""
    if remark in notes:
        return notes.count(remark) == 1
    return any(part in text for part in _MORE) or ("b.c" in text and "c.c" in text)


def test_every_command_shows_remarks(program: Path, remarked: dict[str, None]) -> None:
    """Once in a session, and in JSON, as every other line is answered, once in an answer."""
    session = evolve(program_shell(CodeObject.open(program)).session, pc=_CODE + 4)
    having = set[str]()
    for number, (command, name, argument) in enumerate(product(_TRIED, _NAMES, _ARGUMENTS)):
        shell = made(session)  # which has noted nothing
        shell.settings.set("output", "json" if number % 2 else "text")
        remarked.clear()
        line = f"{command.name} {argument.format(name)}"
        notes = text = output_of(shell, line)
        if number % 2:
            notes = "\n".join(json.loads(text).get("notes", ()))
        wrong = [remark for remark in remarked if not _is_shown(remark, notes, text)]
        assert not wrong, (line, wrong, text)
        having |= {command.name} if remarked else set()
    assert len(having) > 50


@pytest.mark.parametrize("is_json", [False, True])
def test_the_command_line_shows_remarks(
    program: Path, remarked: dict[str, None], is_json: bool
) -> None:
    state = program.with_suffix(".json")
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": program.name}], "waves": [{"pc": _CODE + 4}],
    }))  # fmt: skip
    options = ["--json"] if is_json else []
    having = set[str]()
    for command, name in product(CLI_COMMANDS, _NAMES):
        for words in (["--state", state, name], [program, name]) if command != "debug" else ():
            remarked.clear()
            done = run(command, *words, *options)
            text = done.out + done.err
            wrong = [remark for remark in remarked if not _is_shown(remark, text, text)]
            assert not wrong, (command, words, wrong, text)
            having |= {command} if remarked else set()
    assert having >= {"eval", "explain", "location"}, having
