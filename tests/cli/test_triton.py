"""Variables of Triton's kernels: vector registers, of which each lane has its own dword."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.cli.command import FIXTURES, run, run_json

OWN = "upstream clang: a vector register read as the focused lane's dword"
LITERAL = (
    "DW_OP_regx of the vector register v3 names no lane: read by the letter, it is lane 0's for "
    "every lane"
)
KERNELS = [("gfx942", 64, 0x1764), ("gfx1100", 32, 0x172C)]
"""Processor, lanes of a wave, and where `total` is v3."""


def total_of_lanes(processor: str, lanes: int, pc: int, *options: object) -> list[dict[str, Any]]:
    """What is answered for `total` in each lane, where lane L of v3 has L + 0.5."""
    contents = b"".join(struct.pack("<f", lane + 0.5) for lane in range(lanes))
    file = FIXTURES / f"triton/axpy.{processor}.co"
    register = ("--reg", f"v3=bytes:{contents.hex()}")
    machine = ("--file", file, "--pc", pc, "--lane", "all", *register)
    found = run_json("eval", *machine, *options, "total").json["lanes"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(("processor", "lanes", "pc"), KERNELS)
def test_each_lane_has_its_own_value(processor: str, lanes: int, pc: int) -> None:
    found = total_of_lanes(processor, lanes, pc)
    assert [each["data"] for each in found] == [lane + 0.5 for lane in range(lanes)]
    assert all(OWN in each["notes"] for each in found)


@pytest.mark.parametrize(("processor", "lanes", "pc"), KERNELS)
@pytest.mark.parametrize("options", [("--dialect", "amd"), ("--strict", "--lanes", "32")])
def test_a_literal_reading_says_so(
    processor: str, lanes: int, pc: int, options: tuple[str, ...]
) -> None:
    found = total_of_lanes(processor, lanes, pc, *options)
    assert {each["data"] for each in found} == {0.5}
    assert all(LITERAL in each["notes"] for each in found)


def test_an_unreadable_type_is_said_once() -> None:
    """Triton's base type `unknown_type` has no size."""
    lines = run("eval", FIXTURES / "triton/axpy.gfx1100.co", "--pc", "0x1600", "--lane", 0).lines
    (left,) = [line for line in lines if "left" in line]
    assert left.startswith("left = <error: IllFormed: base type unknown_type at 0x")
    assert left.count("unknown_type") == 1
