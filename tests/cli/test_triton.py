"""Variables of Triton's kernels: vector registers with a dword for each lane."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.cli.command import FIXTURES, run, run_json

OWN = "upstream clang: a vector register read as the focused lane's dword"
LITERAL = (
    "DW_OP_regx of the vector register v3 names no lane: read by the letter, it begins with "
    "lane 0's dword for every lane"
)
KERNELS = [("gfx942", 64, 0x1764), ("gfx1100", 32, 0x172C)]
"""Processor, lanes of a wave, and where `total` is v3."""


def total_of_lanes(processor: str, lanes: int, pc: int, *options: object) -> list[dict[str, Any]]:
    """What is answered for `total` in each lane, where lane L of v3 has L + 0.5."""
    contents = b"".join(struct.pack("<f", lane + 0.5) for lane in range(lanes))
    file = FIXTURES / f"triton/axpy.{processor}.co"
    register = ("--reg", f"v3=bytes:{contents.hex()}")
    machine = ("--file", file, "--pc", pc, "--lane", "all", *register)
    result = run_json("eval", *machine, *options, "total").json["lanes"]
    assert isinstance(result, list)
    return result


@pytest.mark.parametrize(("processor", "lanes", "pc"), KERNELS)
def test_each_lane_has_its_own_value(processor: str, lanes: int, pc: int) -> None:
    total = total_of_lanes(processor, lanes, pc)
    assert [answer["data"] for answer in total] == [lane + 0.5 for lane in range(lanes)]
    assert all(OWN in answer["notes"] for answer in total)


@pytest.mark.parametrize(("processor", "lanes", "pc"), KERNELS)
@pytest.mark.parametrize("options", [("--dialect", "amd"), ("--strict", "--lanes", "32")])
def test_a_literal_reading_has_a_note(
    processor: str, lanes: int, pc: int, options: tuple[str, ...]
) -> None:
    total = total_of_lanes(processor, lanes, pc, *options)
    assert {answer["data"] for answer in total} == {0.5}
    assert all(LITERAL in answer["notes"] for answer in total)


WITHOUT_SIZE = "the type unknown_type has no size: the bits are those of the location"


def pointers(processor: str) -> list[dict[str, Any]]:
    """`left` in lanes 0 to 3, where it is a pointer in two vector registers."""
    pc = {"gfx1100": 0x166C, "gfx942": 0x1740}[processor]
    first = {"gfx1100": 3, "gfx942": 2}[processor]
    low, high = (f"v{first + n}=[{','.join(str(10 * n + k) for k in range(4))}]" for n in range(2))
    machine = ("--file", FIXTURES / f"triton/axpy.{processor}.co", "--pc", pc)
    done = run_json("eval", *machine, "--reg", low, "--reg", high, "--lane", "0-3", "left")
    answers = done.json["lanes"]
    assert isinstance(answers, list)
    return answers


@pytest.mark.parametrize("processor", ["gfx942", "gfx1100"])
def test_a_base_type_without_a_size_has_the_bits_of_its_location(processor: str) -> None:
    """Triton's base type `unknown_type` has a DW_AT_byte_size of 0."""
    answers = pointers(processor)
    assert [answer["text"] for answer in answers] == [
        f"{10 + lane << 32 | lane:#x}" for lane in range(4)
    ]
    for answer in answers:
        assert answer["type"] == "unknown_type"
        assert answer["notes"].count(WITHOUT_SIZE) == 1
        [place] = answer["result"]["places"]
        assert [part["places"][0]["register"] for part in place["parts"]] == (
            ["v3", "v4"] if processor == "gfx1100" else ["v2", "v3"]
        )


def test_it_is_shown_at_the_prompt_too() -> None:
    machine = ("--pc", "0x166c", "--lane", 1, "--reg", "v3=[1,2]", "--reg", "v4=[3,4]")
    file = FIXTURES / "triton/axpy.gfx1100.co"
    done = run("debug", "--batch", "-q", file, *machine, "-ex", "p left", "-ex", "p sizeof(left)")
    assert done.lines[0] == "$1 = 0x400000002"
    assert f"note: {WITHOUT_SIZE}" in done.lines + done.err.splitlines()
    assert done.lines[-1] == "$2 = 8"


def test_where_it_is() -> None:
    lines = run("where", FIXTURES / "triton/axpy.gfx1100.co", "left").lines
    assert lines[0] == "local unknown_type left of axpy"
    assert "in 2 pieces: DW_OP_regx VGPR3, DW_OP_piece 0x4, DW_OP_regx VGPR4" in lines[3]


def test_a_name_means_the_last_of_its_variables_that_is_described() -> None:
    """Triton declares `right` for each type on the way to its result: int, address, vector."""
    file = FIXTURES / "triton/matmul.gfx942.triton3.6.0.co"

    def right(pc: int, *registers: str) -> dict[str, Any]:
        given = [argument for register in registers for argument in ("--reg", register)]
        return run_json("eval", file, "--pc", pc, "--lane", 1, *given, "right").json

    assert right(0x17C4, "v13=[1,2]")["type"] == "int"
    assert right(0x17F4, "v21=[1,2]")["type"] == "unknown_type"
    last = right(0x18F4, "v5=[7,8]", "v20=[1,2]", "v21=[0x3c003c00,0x3c004000]")
    # Its encoding is that of a number of 64 bits, but it is four of 16.
    assert (last["type"], last["text"]) == ("vector", "0x3c00400000000002")
    assert right(0x1600)["error"]["kind"] == "UndefinedBits"


def test_run_of_a_gpu_without_instructions_asks_for_no_arguments() -> None:
    file = FIXTURES / "triton/axpy.gfx1250.co"
    answered = run("run", file, "axpy", "--grid", "256", "--workgroup", "128")
    assert answered.err == "dwarfgpu: Unsupported: instructions of gfx1250 are unknown\n"


def test_a_variable_without_a_line_is_not_called_declared() -> None:
    file = FIXTURES / "triton/axpy.gfx942.co"
    assert run("explain", "--file", file, "--pc", "0x1764", "total").lines[0] == "local float total"


def test_an_intermediate_value_has_a_note() -> None:
    """The pointer `left` has a location first, and the float, its result, after it."""
    file = FIXTURES / "triton/axpy.gfx942.co"
    registers = ("--reg", "v2=[1,2]", "--reg", "v3=[3,4]")

    def notes(pc: int, *command: str) -> list[str]:
        answer = run_json(*command, file, "--pc", pc, "--lane", 1, *registers, "left").json
        return [note for note in answer["notes"] if "named left" in note]

    intermediate = (
        "2 variables are named left: this is an intermediate value of Triton's, because the last "
        "one, of type float, has no location here"
    )
    assert [notes(pc, "eval") for pc in (0x1740, 0x1764, 0x1600)] == [[intermediate], [], []]
    assert notes(0x1744, "explain") == [intermediate]
