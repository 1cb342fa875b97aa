"""Variables of a program that was not started: memory is what the file and the linker make it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.session.session import NOT_STARTED
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
        ("text", f'{BASE + 0x2000:#x} "hello"'),
    ],
)
def test_pointers_are_rebased(name: str, text: str) -> None:
    done = run("eval", "--file", PROGRAM, "--load-address", hex(BASE), name)
    assert (done.out, done.status) == (f"{name} = {text}\n", 0)


def test_what_the_dynamic_linker_sets_is_not_known() -> None:
    done = run_json("eval", "--file", PROGRAM, "function")
    assert done.status == 1 and done.json["text"] == "<unavailable>"
    assert f"function is not available: {PUTS}" in done.json["notes"]


@pytest.mark.parametrize("expression", ["*function", "function + 1", "function == 0"])
def test_what_depends_on_it_says_why(expression: str) -> None:
    done = run("eval", "--file", PROGRAM, "--load-address", hex(BASE), expression)
    message = f"Cannot access memory at address {BASE + 0x4030:#x}: {PUTS}"
    assert done.status == 1 and message in done.err


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


OBJECT = FIXTURES / "objects/placed.gcc.o"
PLACED = (
    "placed.gcc.o is not linked: its sections are assumed to be loaded one after the other from "
    "{:#x}, as `dwarfgpu info` lists them"
)


@pytest.mark.parametrize("base", [0, 0x1000])
def test_data_of_an_object_that_is_not_linked(base: int) -> None:
    names = ["corner", "*place", "greeting", "&add", "zero"]
    done = run("eval", "--file", OBJECT, "--load-address", hex(base), *names)
    assert done.lines == [
        "corner = {x = 5, y = 6}",
        "*place = {x = 5, y = 6}",
        f'greeting = {base + 0x2C:#x} <text> "hello"',
        f"&add = (int (*)(int, int)) {base + 0x60:#x} <add(int, int)>",
        "zero = 0",
    ]
    assert done.status == 0 and done.notes == [PLACED.format(base), NOT_STARTED]


def test_what_another_file_defines_is_not_known() -> None:
    done = run("eval", "--file", OBJECT, "outside")
    assert (done.out, done.status) == ("outside = <unavailable>\n", 1)
    assert "is not linked, and does not define elsewhere, on which .data.rel.outside" in done.err


def test_where_says_that_addresses_are_not_those_of_a_linker() -> None:
    done = run("where", "--file", OBJECT, "add::sum")
    assert "[0x60,0x7a)" in done.out and done.notes == [PLACED.format(0)]


def test_info_lists_where_sections_are_placed() -> None:
    done = run("info", OBJECT)
    assert "  .text._Z3addii           [0x60,0x7a)" in done.lines
    placed = run_json("info", OBJECT).json["elf"]["placed_sections"]
    assert {"name": ".text._Z3addii", "address": 0x60, "size": 0x1A} in placed
    assert len(placed) == 14
    assert run_json("info", PROGRAM).json["elf"]["placed_sections"] == []
