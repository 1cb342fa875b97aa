"""`dwarfgpu location`: the command line, its JSON and its errors."""

from __future__ import annotations

import pytest

from tests.cli.command import STATES, run, run_json

ASM = ("--state", STATES / "locations.gfx942.json", "--pc", 0x1620, "--lane", 3)


def test_a_variable_of_the_demo() -> None:
    done = run("location", "--demo", "--lane", 4, "t")
    assert done.status == 0
    assert done.lines[0] == 'Symbol "t" is v6 + byte 16 (wave 0), 4 bytes.'
    assert done.lines[3] == "       │ v6 + byte 16                   │"


def test_an_expression_and_a_bit_field() -> None:
    done = run("location", *ASM, "local_frame.high")
    assert (
        done.lines[0] == '"local_frame.high" is private_lane#0x34 + bit 3 (wave 0, lane 3), 5 bits.'
    )
    assert done.lines[-1] == "  bits 0-4  private_lane#0x34 + bit 3 (wave 0, lane 3)"


def test_colours() -> None:
    done = run("location", *ASM, "--color", "always", "half_undefined")
    assert "\x1b[31m░" in done.out and "\x1b[36m v3 + byte 12" in done.out
    assert "\x1b" not in run("location", *ASM, "half_undefined").out


@pytest.mark.parametrize(
    "name",
    ["t", "wide", "fenced", "two_places", "undefined", "half_undefined", "spilled_vector", "seven",
     "broadcast_vector", "pointer_implicit", "local_frame", "local_frame.high", "bit_pieces"],
)  # fmt: skip
def test_json(name: str) -> None:
    [result] = run_json("location", *ASM, name).json["objects"]
    for place in result["places"]:
        bits = sum(piece["bit_size"] * piece["count"] for piece in place["pieces"])
        assert bits == result["bit_size"]


def test_one_of_several_names_fails() -> None:
    answered = run_json("location", *ASM, "t", "nosuch", "no_location")
    assert answered.status == 1
    assert [("error" in code_object) for code_object in answered.json["objects"]] == [
        False,
        True,
        True,
    ]
    done = run("location", *ASM, "t", "nosuch", "no_location")
    assert done.status == 1
    assert 'dwarfgpu: nosuch: No symbol "nosuch" in current context.' in done.err


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        ((*ASM, "nosuch"), 2, 'No symbol "nosuch" in current context.'),
        ((*ASM, "t + 1"), 2, '"t + 1" is a value without a location.'),
        (ASM, 2, "location: give the NAME of a variable, or an expression"),
        (("--demo", "--lane", "all", "t"), 2, "location works on one lane, not all: give --lane N"),
        (
            (*ASM, "t = 3"),
            2,
            "assignments are not possible here: use set var at the prompt of dwarfgpu debug",
        ),
    ],
)
def test_errors(arguments: tuple[object, ...], status: int, error: str) -> None:
    done = run("location", *arguments)
    assert (done.status, done.error) == (status, error)


def test_a_long_name_is_shortened() -> None:
    done = run("location", "--demo", "--lane", 4, "t;" * 3000, "t")
    assert done.status == 1
    assert "…" in done.error and len(done.error) < 1000
