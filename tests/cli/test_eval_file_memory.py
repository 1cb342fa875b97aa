"""Variables of a program that was not started: memory is what the file and the linker make it."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run, run_json

PROGRAM = FIXTURES / "x86_64/pointers.gcc.O0.v5"
LIBRARY = FIXTURES / "x86_64/pointers.clang.O0.v5.so"
BASE = 0x5555_5555_4000
PUTS = "the dynamic linker sets it: R_X86_64_64 against puts"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("to_number", f"(int *) {BASE + 0x4000:#x}"),
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
