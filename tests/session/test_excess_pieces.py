"""Objects in pieces that are not one for each part, as gc, the compiler of Go, writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import coverage_of
from dwarfgpu.dwarf.scope import go_words
from dwarfgpu.errors import GUESS, Ambiguous
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.session.excess_pieces import note_on_pieces
from dwarfgpu.session.session import Session
from dwarfgpu.view.location_text import location_text
from tests.dwarf.builder import X86_64, Content, Shape, abbreviations, elf, unit
from tests.language.sessions import text
from tests.repl import repl_shell

X86 = architecture("x86_64")
STRING, ADDRESS, DATA1, DATA4, REF4, LIST = 0x08, 0x01, 0x0B, 0x06, 0x13, 0x17
BLOCK1, FLAG = 0x0A, 0x0C
SHAPES = (
    Shape(0x11, ((0x13, DATA1), (0x25, STRING), (0x11, ADDRESS)), True),
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x0F, ((0x49, REF4),)),
    Shape(0x13, ((0x03, STRING), (0x0B, DATA1)), True),
    Shape(0x0D, ((0x03, STRING), (0x49, REF4), (0x38, DATA1))),
    Shape(0x2E, ((0x03, STRING), (0x11, ADDRESS), (0x12, DATA4), (0x40, BLOCK1)), True),
    Shape(0x34, ((0x03, STRING), (0x49, REF4), (0x02, LIST))),
    Shape(0x01, ((0x49, REF4),), True),
    Shape(0x21, ((0x2F, DATA1),)),
    Shape(0x05, ((0x03, STRING), (0x4B, FLAG), (0x49, REF4), (0x02, LIST))),
)
GO, C = 0x16, 0x1D
GC = b"Go cmd/compile go1.19.8; regabi"
NUMBERS = {"l": (b"long", 8, 5), "i": (b"int", 4, 5), "f": (b"double", 8, 4), "c": (b"c", 16, 3)}
PLACES = {"a": "50", "b": "51", "c": "52", "d": "53", "-": ""}
"""The operation of each piece: rax, rdx, rcx, rbx, and one that is optimized out."""
CFA, BELOW, LOWER, ABOVE = "9c", "9168", "9160", "9118"
"""The operations of a place on the stack."""
SLICE = "pll"
"""A pointer, and two numbers."""


def made(
    folder: Path,
    parts: str,
    *entries: str,
    sizes: str = "",
    language: int = GO,
    producer: bytes = GC,
    is_result: bool | None = None,
) -> Session:
    """A thread at the first entry of the location list of a variable `x`, a structure of a pointer
    (`p`), numbers, and an array of one number (`1`). `sizes`: the bytes of each piece.
    `is_result`: None if it is no parameter."""
    data = bytes((1, language)) + producer + bytes(9)
    offsets = dict[str, int]()

    def begin(name: str, entry: bytes) -> None:
        nonlocal data
        offsets[name] = 11 + len(data)  # behind the header of the unit
        data += entry

    for name, (spelled, size, encoding) in NUMBERS.items():
        begin(name, b"\x02" + spelled + bytes((0, size, encoding)))
    begin("p", b"\x03" + offsets["l"].to_bytes(4, "little"))
    begin("1", b"\x08" + offsets["l"].to_bytes(4, "little") + b"\x09\0\0")
    members, at = b"", 0
    for number, part in enumerate(parts):
        size = NUMBERS[part][1] if part in NUMBERS else 8
        at += -at % min(size, 8)
        members += b"\x05m%d\0" % number + offsets[part].to_bytes(4, "little") + bytes((at,))
        at += size
    begin("x", b"\x04s\0" + bytes((at + -at % 8,)) + members + b"\0")
    data += (
        b"\x06f\0" + (0x1000).to_bytes(8, "little") + (0x100).to_bytes(4, "little") + b"\x01\x9c"
    )
    data += b"\x07x\0" if is_result is None else b"\x0ax\0" + bytes((is_result,))
    data += offsets["x"].to_bytes(4, "little") + bytes(4) + b"\0\0"
    path = folder / "made"
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(0x100), flags=6, address=0x1000),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_info": unit(data, version=4),
        ".debug_loc": location_list(entries, sizes),
    }
    path.write_bytes(elf(sections, X86_64, 0))
    target = StateTarget(X86)
    target.add_wave(0)
    for number, name in enumerate(("rax", "rdx", "rcx", "rbx"), 1):
        target.set_register(0, X86.by_name[name], number.to_bytes(8, "little"))
    return Session(X86, (CodeObject.open(path),), target, wave=0, pc=0x1000)


def location_list(entries: Sequence[str], sizes: str) -> bytes:
    """A list whose entries cover a byte of code each: its pieces, or the digits of a place."""
    out = b""
    for begin, pieces in enumerate(entries, 0x1000):
        expression = b"".join(
            bytes.fromhex(PLACES[piece]) + bytes((0x93, int(size)))
            for piece, size in zip(pieces, sizes or "8" * len(pieces), strict=True)
            if not pieces[0].isdecimal()
        ) or bytes.fromhex(pieces)
        out += begin.to_bytes(8, "little") + (begin + 1).to_bytes(8, "little")
        out += len(expression).to_bytes(2, "little") + expression
    return out + bytes(16)


def undefined_bits(session: Session) -> list[tuple[int, int]]:
    """What `where` says is nowhere at the first entry of the list, by its first bit and number."""
    coverage = coverage_of(session.variable("x"), None)
    extent = coverage.descriptions[0].extent
    assert extent.completeness in ("whole", "partly", "nothing")
    return list(extent.undefined)


@pytest.mark.parametrize(
    ("parts", "entries", "value", "undefined"),
    [
        (SLICE, ["aabc"], "{m0 = 0x1, m1 = 2, m2 = 3}", []),
        (SLICE, ["aabb"], "{m0 = 0x1, m1 = 2, m2 = 2}", []),
        (SLICE, ["-bdd", "aabc"], "{m0 = 0x2, m1 = 4, m2 = 4}", []),
        ("pl", ["aabbbbbb"], "{m0 = 0x1, m1 = 2}", []),
        ("pp", ["aab"], "{m0 = 0x1, m1 = 0x2}", []),
        (SLICE, ["-b--", "aabc", "-bcd"], None, [(64, 128)]),
        (SLICE, ["a-b-", "aabc"], None, [(128, 64)]),
        (SLICE, ["--b-", "aabc"], None, [(0, 64), (128, 64)]),
    ],
)
def test_all_entries_decide_which_words_the_pieces_are(
    tmp_path: Path,
    parts: str,
    entries: list[str],
    value: str | None,
    undefined: list[tuple[int, int]],
) -> None:
    session = made(tmp_path, parts, *entries)
    shown = text(session, "x").replace("(long *) ", "")
    words = [at for first, count in undefined for at in range(first, first + count, 64)]
    assert value in (None, shown) and shown.count("<optimized out>") == len(words)
    reading = session.read(session.variable("x"))
    [note] = reading.notes
    counts = f"x has {len(parts)} words and {len(entries[0])} pieces: Go's compiler repeats"
    assert note.startswith(counts) and note.endswith(GUESS)
    assert undefined_bits(session) == undefined


def test_a_word_in_several_places_is_undecided(tmp_path: Path) -> None:
    """One of them may be from before an assignment."""
    session = made(tmp_path, SLICE, "dabc", "aabc")
    reading = session.read(session.variable("x"))
    assert reading.bits is not None and reading.bits.undefined == (1 << 64) - 1
    assert "bits 0-63 of x are undecided: it has 3 words and 4 pieces" in reading.bits.reasons[0]
    assert undefined_bits(session) == [(0, 64)]
    assert text(session, "x.m1") == "2"


@pytest.mark.parametrize(
    ("parts", "entries"),
    [
        (SLICE, ["aab"]),  # no place has a pointer and a number
        (SLICE, ["aba", "abc"]),
        (SLICE, ["bcd", "aab"]),  # nor in another entry
        (SLICE, ["ab"]),  # the capacity or another word is left out
        (SLICE, ["abca"]),
        ("l", ["ab"]),
        (SLICE, ["aabc", "abc"]),  # they do not have the same slots
    ],
)
def test_others_are_refused(tmp_path: Path, parts: str, entries: list[str]) -> None:
    session = made(tmp_path, parts, *entries)
    reading = session.read(session.variable("x"))
    why = f"has {len(parts)} word{'s'[: len(parts) - 1]} and {len(entries[0])} pieces: Go's"
    assert isinstance(reading.failure, Ambiguous)
    assert reading.failure.message.startswith(f"x {why} compiler repeats some words and leaves")
    assert reading.bits is None and not reading.notes
    assert why in text(session, "x.m0")
    [description, *_] = coverage_of(session.variable("x"), None).descriptions
    assert description.extent.completeness == "broken"
    assert description.extent.reason == reading.failure.message


@pytest.mark.parametrize(
    ("parts", "pieces", "sizes", "value"),
    [
        (SLICE, "abb", "888", "{m0 = 0x1, m1 = 2, m2 = 2}"),
        ("p1l", "abc", "888", "{m0 = 0x1, m1 = {2}, m2 = 3}"),
        ("il", "ab", "48", "{m0 = 1, m1 = 2}"),  # padding has no piece
        ("cl", "--c", "888", "{m0 = <optimized out>, m1 = 3}"),
    ],
)
def test_one_piece_for_each_word(
    tmp_path: Path, parts: str, pieces: str, sizes: str, value: str
) -> None:
    session = made(tmp_path, parts, pieces, sizes=sizes)
    assert text(session, "x").replace("(long *) ", "") == value
    assert not session.read(session.variable("x")).notes


@pytest.mark.parametrize(("language", "producer"), [(C, GC), (GO, b"TinyGo")])
def test_other_compilers_begin_with_the_first_piece(
    tmp_path: Path, language: int, producer: bytes
) -> None:
    session = made(tmp_path, SLICE, "aabc", language=language, producer=producer)
    assert text(session, "x").replace("(long *) ", "") == "{m0 = 0x1, m1 = 1, m2 = 2}"
    [note] = session.read(session.variable("x")).notes
    assert note.endswith(f"some may be those of another part: {GUESS}")


def test_each_command_notes_a_guess(tmp_path: Path) -> None:
    shell = repl_shell.made(made(tmp_path, SLICE, "aabc"))
    for command in ("print x", "print x.m1", "print x.m1", "info locals"):
        assert repl_shell.output_of(shell, command).count(GUESS) == 1


@pytest.mark.parametrize("command", ["print *(char *)x[1]", "output x[30]", "p &x[1]", "x/4 x"])
def test_a_command_that_fails_notes_a_guess_before_its_error(tmp_path: Path, command: str) -> None:
    shell = repl_shell.made(made(tmp_path, SLICE, "aabc"))
    for _ in range(2):
        note, error = repl_shell.output_of(shell, command).splitlines()
        assert note.startswith("note: x has ") and note.endswith(GUESS)
        assert not error.startswith("note: ")
    assert repl_shell.output_of(shell, "print 1") == "$1 = 1\n"
    answer = repl_shell.json_of(shell, command)
    assert (answer["notes"], answer["msg"]) == ([note.removeprefix("note: ")], error)


def test_an_error_that_is_skipped_has_no_notes(tmp_path: Path) -> None:
    shell = repl_shell.made(made(tmp_path, SLICE, "aabc"))
    assert repl_shell.output_of(shell, "frame apply all -s p &x[1]") == ""
    assert GUESS in repl_shell.output_of(shell, "frame apply all -c p &x[1]")
    answer = repl_shell.json_of(shell, "frame apply all -c p &x[1]")
    [applied] = answer["applied"]
    [note] = applied["notes"]
    assert note.endswith(GUESS) and "notes" not in answer


def test_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_words, "_MOST_STEPS", 5)
    reading = made(tmp_path, SLICE, "aabc")
    assert isinstance(reading.read(reading.variable("x")).failure, Ambiguous)


def test_the_location_has_each_piece_at_its_word(tmp_path: Path) -> None:
    location = made(tmp_path, SLICE, "aabc")
    reading = location.read(location.variable("x"))
    assert reading.location is not None
    assert location_text(reading.location) == "{bytes 0-7: rax; bytes 8-15: rdx; bytes 16-23: rcx}"


@pytest.mark.parametrize(
    ("parts", "entries", "is_result", "is_noted"),
    [
        (SLICE, [BELOW], None, True),
        (SLICE, [BELOW], False, True),  # it was in a register before
        (SLICE, [ABOVE], True, True),
        (SLICE, [CFA, CFA], True, True),
        ("lllll", [ABOVE], None, False),
        ("c", [ABOVE], True, True),
        ("1", [ABOVE], None, False),
    ],
)
def test_an_only_place_on_the_stack_may_be_of_the_whole_object(
    tmp_path: Path, parts: str, entries: list[str], is_result: bool | None, is_noted: bool
) -> None:
    variable = made(tmp_path, parts, *entries, is_result=is_result).variable("x")
    [extent, *_] = (row.extent for row in coverage_of(variable, None).descriptions)
    assert extent.completeness == "whole" and not extent.undefined
    note = note_on_pieces(variable, Instructions(()))
    assert (note is not None) is is_noted
    if note is not None:
        assert "and 1 place on the stack" in note and note.endswith(GUESS)


@pytest.mark.parametrize(
    ("parts", "entries", "is_result"),
    [
        (SLICE, ["50"], None),
        (SLICE, ["50", BELOW], None),
        (SLICE, [BELOW, LOWER], None),
        (SLICE, [ABOVE], None),
        (SLICE, [CFA], False),
        ("c", [BELOW], None),  # one half
    ],
)
def test_an_only_place_may_be_of_one_word(
    tmp_path: Path, parts: str, entries: list[str], is_result: bool | None
) -> None:
    session = made(tmp_path, parts, *entries, is_result=is_result)
    variable = session.variable("x")
    why = "1 place: Go's compiler repeats some words and leaves out others"
    for row in coverage_of(variable, None).descriptions:
        assert row.extent.completeness == "broken" and why in (row.extent.reason or "")
    assert note_on_pieces(variable, Instructions(())) is None
    if entries[0] == "50":  # the others need rules to find the frame
        failure = session.read(variable).failure
        assert isinstance(failure, Ambiguous) and why in failure.message


def test_an_argument_may_be_whole_after_its_registers(tmp_path: Path) -> None:
    """`gc -N` describes it so."""
    session = made(tmp_path, SLICE, "abc", BELOW, is_result=False)
    assert text(session, "x").replace("(long *) ", "") == "{m0 = 0x1, m1 = 2, m2 = 3}"
