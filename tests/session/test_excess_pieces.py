"""Pieces with more bits than their object, as Go 1.19 writes slices and interfaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import GUESS, IllFormed
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.session.session import Session
from dwarfgpu.view.location_text import location_text
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.language.sessions import text
from tests.repl import repl_shell

X86 = architecture("x86_64")
STRING, ADDRESS, DATA1, DATA4, EXPRLOC, REF4 = 0x08, 0x01, 0x0B, 0x06, 0x18, 0x13
SHAPES = (
    Shape(0x11, ((0x13, DATA1),), True),  # the language
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x01, ((0x49, REF4),), True),
    Shape(0x21, ((0x2F, DATA1),)),
    Shape(0x2E, ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4)), True),
    Shape(0x34, ((0x03, STRING), (0x49, REF4), (0x02, EXPRLOC))),
)
GO, C = 0x16, 0x1D
REGISTERS = {"a": "50", "b": "51", "c": "52", "-": ""}
"""The operation of each piece of 8 bytes: rax, rdx, rcx, and one that is optimized out."""


def made(folder: Path, language: int, words: int, pieces: str) -> Session:
    """A thread in a function with a variable `x`, whose elements have 8 bytes each."""
    entries = bytes((1, language)) + b"\x02long\0\x08\x05"
    array = 12 + len(entries)
    entries += b"\x03" + (14).to_bytes(4, "little") + bytes((4, words - 1, 0))
    entries += b"\x05f\0" + (0x1000).to_bytes(8, "little") + (0x100).to_bytes(4, "little")
    data = b"".join(bytes.fromhex(REGISTERS[piece]) + b"\x93\x08" for piece in pieces)
    entries += b"\x06x\0" + array.to_bytes(4, "little") + bytes((len(data),)) + data
    path = folder / "made"
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(0x100), flags=6, address=0x1000),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_info": unit(entries + b"\0\0"),
    }
    path.write_bytes(elf(sections, X86_64, 0))
    target = StateTarget(X86)
    target.add_wave(0)
    for number, name in enumerate(("rax", "rdx", "rcx"), 1):
        target.set_register(0, X86.by_name[name], number.to_bytes(8, "little"))
    return Session(X86, (CodeObject.open(path),), target, wave=0, pc=0x1000)


@pytest.mark.parametrize(
    ("words", "pieces", "value", "location"),
    [
        (3, "aabc", "{1, 2, 3}", "{bytes 0-7: rax; bytes 8-15: rdx; bytes 16-23: rcx}"),
        (2, "aabb", "{1, 2}", "{bytes 0-7: rax; bytes 8-15: rdx}"),
        (2, "aabbbbbb", "{1, 2}", "{bytes 0-7: rax; bytes 8-15: rdx}"),
        (3, "aa--", "{1, <optimized out>, <optimized out>}", None),
        (3, "--ab", "{<optimized out>, 1, 2}", None),
    ],
)
def test_repeats_are_left_out(
    tmp_path: Path, words: int, pieces: str, value: str, location: str | None
) -> None:
    session = made(tmp_path, GO, words, pieces)
    assert text(session, "x") == value
    reading = session.read(session.variable("x"))
    sizes = f"its pieces have {64 * len(pieces)} bits, and the object {64 * words}"
    [note] = reading.notes
    assert note.startswith(f"x: {sizes}: Go's compiler repeats") and note.endswith(GUESS)
    assert reading.location is not None
    if location is not None:
        assert location_text(reading.location) == location


@pytest.mark.parametrize(
    ("words", "pieces"), [(3, "a-bc"), (3, "aabb"), (3, "abca"), (2, "abc"), (1, "ab")]
)
def test_others_are_refused(tmp_path: Path, words: int, pieces: str) -> None:
    session = made(tmp_path, GO, words, pieces)
    reading = session.read(session.variable("x"))
    sizes = f"its pieces have {64 * len(pieces)} bits, and the object {64 * words}"
    assert isinstance(reading.failure, IllFormed) and reading.failure.message == (
        f"x: {sizes}: its compiler does not say which of them are the object"
    )
    assert reading.bits is None and not reading.notes
    assert sizes in text(session, "x[0]")


def test_pieces_that_fit_are_all_read(tmp_path: Path) -> None:
    session = made(tmp_path, GO, 3, "abb")
    assert text(session, "x") == "{1, 2, 2}"
    assert not session.read(session.variable("x")).notes


def test_other_languages_are_read_from_the_first_piece_on(tmp_path: Path) -> None:
    session = made(tmp_path, C, 3, "aabc")
    assert text(session, "x") == "{1, 1, 2}"
    [note] = session.read(session.variable("x")).notes
    assert note.endswith(f"some may be those of another part: {GUESS}")


def test_each_command_notes_a_guess(tmp_path: Path) -> None:
    shell = repl_shell.made(made(tmp_path, GO, 3, "aabc"))
    for command in ("print x", "print x[1]", "print x[1]", "info locals"):
        assert repl_shell.output_of(shell, command).count(GUESS) == 1


@pytest.mark.parametrize("command", ["print *(char *)x[1]", "output x[30]", "p &x[1]", "x/4 x"])
def test_a_command_that_fails_notes_a_guess_before_its_error(tmp_path: Path, command: str) -> None:
    shell = repl_shell.made(made(tmp_path, GO, 3, "aabc"))
    for _ in range(2):
        note, error = repl_shell.output_of(shell, command).splitlines()
        assert note.startswith("note: x: ") and note.endswith(GUESS)
        assert not error.startswith("note: ")
    assert repl_shell.output_of(shell, "print 1") == "$1 = 1\n"
    answer = repl_shell.json_of(shell, command)
    assert (answer["notes"], answer["msg"]) == ([note.removeprefix("note: ")], error)


def test_an_error_that_is_skipped_has_no_notes(tmp_path: Path) -> None:
    shell = repl_shell.made(made(tmp_path, GO, 3, "aabc"))
    assert repl_shell.output_of(shell, "frame apply all -s p &x[1]") == ""
    assert GUESS in repl_shell.output_of(shell, "frame apply all -c p &x[1]")
    answer = repl_shell.json_of(shell, "frame apply all -c p &x[1]")
    [applied] = answer["applied"]
    [note] = applied["notes"]
    assert note.endswith(GUESS) and "notes" not in answer
