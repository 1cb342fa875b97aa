"""Variables of a program that was not started: memory is what the file and the linker make it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.session import NOT_STARTED
from tests.cli.command import FIXTURES, run, run_json

PROGRAM = FIXTURES / "x86_64/pointers.gcc.O0.v5"
LIBRARY = FIXTURES / "x86_64/pointers.clang.O0.v5.so"
BASE = 0x5555_5555_4000
PUTS = "the dynamic linker sets it: R_X86_64_64 against puts"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("to_number", f"(int *) {BASE + 0x4000:#x} <number>"),
        ("*to_number", "7"),
        ("into_table[1]", "3"),
        ("text", f'(const char * const) {BASE + 0x2000:#x} "hello"'),
    ],
)
def test_pointers_are_rebased(name: str, text: str) -> None:
    done = run("eval", "--file", PROGRAM, "--load-address", hex(BASE), name)
    assert (done.out, done.status) == (f"{name} = {text}\n", 0)


def test_what_the_dynamic_linker_sets_is_not_known() -> None:
    done = run_json("eval", "--file", PROGRAM, "function")
    assert done.status == 1 and done.json["text"] == "<unavailable>"
    assert f"function is not available: {PUTS}" in done.json["notes"]


def test_its_neighbours_are_known() -> None:
    done = run_json("eval", "--file", LIBRARY, "mixed")
    assert done.json["text"] == "{before = 5, inside = <unavailable>, after = 6}"


@pytest.mark.parametrize("expression", ["number", "mixed.before", "*to_number", "zeros[1] + 1"])
def test_a_note_says_that_the_program_has_not_started(expression: str) -> None:
    assert run("eval", "--file", PROGRAM, expression).notes == [NOT_STARTED]
    assert run_json("eval", "--file", PROGRAM, expression).json["notes"] == [NOT_STARTED]


@pytest.mark.parametrize("expression", ["text", "&number", "sizeof number", "*text", "1 + 1"])
def test_no_note_without_writable_memory(expression: str) -> None:
    # `text` is in .data.rel.ro, which is writable until it is relocated.
    expected = [NOT_STARTED] if "text" in expression else []
    assert run("eval", "--file", PROGRAM, expression).notes == expected


def test_the_note_comes_once() -> None:
    assert run("eval", "--file", PROGRAM, "number", "to_number", "zeros").notes == [NOT_STARTED]


def test_what_the_file_has_no_bytes_of_is_zero() -> None:
    done = run("eval", "--file", PROGRAM, "zeros")
    assert (done.out, done.status) == ("zeros = {0, 0, 0, 0}\n", 0)
    assert done.notes == [NOT_STARTED]


def test_but_not_what_is_copied_there() -> None:
    done = run("eval", "--file", PROGRAM, "*environment")
    assert "R_X86_64_COPY against " in done.err and done.status == 1


def test_with_a_state_only_constant_memory_is_that_of_the_file(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    state.write_text('{"schema": "dwarfgpu-state-1", "architecture": "x86_64", "waves": [{}]}')
    for name in ("zeros", "number"):
        done = run("eval", "--file", PROGRAM, "--state", state, name)
        assert done.status == 1 and "<unavailable>" in done.out
        assert not any(NOT_STARTED in note for note in done.notes)
    done = run("eval", "--file", PROGRAM, "--state", state, "*(char *)0x2000")
    assert done.out == "*(char *)0x2000 = 104 'h'\n"


def test_bytes_that_are_given_come_before_those_of_the_file() -> None:
    done = run("eval", "--file", PROGRAM, "--mem", "0x4001=01", "--mem", "0x4003=01", "number")
    assert done.out == f"number = {7 + (1 << 8) + (1 << 24)}\n"


OBJECT = FIXTURES / "split/types-gcc5/a.o"


def test_sections_of_an_object_are_not_told_apart_by_addresses() -> None:
    done = run("eval", "--file", OBJECT, "&geo::scale", "geo::scale")
    assert done.lines[0].endswith(" 0x0")
    assert done.lines[1] == "scale = <unavailable>"
    assert "a.o is not linked: each of its sections begins at 0x0" in done.err
