"""What users of ROCgdb and LLDB type at the prompt."""

from __future__ import annotations

import pytest

from tests.cli.command import STATES, run


def answers(state: str, *lines: str) -> list[str]:
    """The text after the greeting: output, then errors and remarks."""
    given = [part for line in lines for part in ("-ex", line)]
    done = run("debug", "--batch", "--state", STATES / state, *given)
    return [*done.lines, *done.err.splitlines()]


DIVERGENT = "divergent.gfx942.json"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("queue find 1:1", "Queue 1 has target id 'AMDGPU Queue 1:1 (QID 1)'"),
        ("queue find nosuch", "No queues match 'nosuch'"),
        ("queue find (", "Invalid regexp: (: "),
        ("dispatch find dist", "Dispatch 1 has Kernel Function 'distance'"),
        ("dispatch find nosuch", "No dispatches match 'nosuch'"),
        ("info waves 1", "1 wave (0 running, 0 single-stepping, 1 stopped)"),
        ("info waves count 1-2", "2"),
        ("info waves x", "Invalid thread ID: x"),
        ("maint print address-spaces", "private_lane 5     32        0xffffffff"),
        ("set amdgpu precise-memory on", 'The setting "amdgpu" of GDB does not apply to dwarfgpu'),
        ("show amdgpu version", 'The setting "amdgpu" of GDB does not apply to dwarfgpu'),
        ("info watchpoints", "No watchpoints."),
        ("disassemble", "Dump of assembler code for function distance(int):"),
        ("source list", "13\t    kept = limit - x;    // and here"),
        ("source list -n distance", "10\t  if (x > limit) {"),
        ("frame variable -f x t", "$1 = 0x0"),
        ("v -T t", "type = int"),
        ("register read v0 --format x", "$1 = {0x0, 0x1, 0x2"),
        ("register read -f x v0", "$1 = {0x0, 0x1, 0x2"),
        ("thread backtrace -c 1", "#0  distance (limit=24)"),
        ("frame select -r 1", "#0  distance (limit=24)"),
        ("settings set nosuch 1", "invalid value path 'nosuch'"),
        ("settings set target.x 1", "invalid value path 'target.x'"),
        ("target list", "Symbols from "),
        ("target modules list", "Shared Object Library"),
        ("target variable", "All defined variables:"),
    ],
)
def test_line(line: str, expected: str) -> None:
    text = "\n".join(answers(DIVERGENT, line))
    assert expected in text, text


def test_settings_of_lldb_are_set() -> None:
    assert answers(DIVERGENT, "settings set print elements 4", "show print elements")[-1] == (
        "Limit on string chars or array elements to print is 4."
    )


def test_memory_is_written_in_units() -> None:
    lines = ("memory write -s 2 $sp 1 2", "memory write -s 3 0 1", "memory write 0")
    text = answers("locations.gfx942.json", *lines)
    assert "invalid size 3: one of 1, 2, 4, 8" in text
    assert "memory write needs an address and values" in text


def test_names_of_lanes_are_values() -> None:
    lines = ("p $_lane_name", "lane name bar", "p $_lane_name", "lane 1", "p $_lane_name")
    values = [answer for answer in answers(DIVERGENT, *lines) if answer.startswith("$")]
    assert values == ["$1 = void", '$2 = "bar"', "$3 = void"]


def test_ids_without_a_dispatch_are_question_marks() -> None:
    """As `lane` has it, and `info threads`."""
    lines = ("lane 3", "p $_lane_systag", "p $_thread_systag", "p $_grid_size")
    values = [
        answer for answer in answers("locations.gfx942.json", *lines) if answer.startswith("$")
    ]
    assert values == [
        '$1 = "AMDGPU Lane ?:?:?:0/3 (?,?,?)[?,?,?]"',
        '$2 = "AMDGPU Wave ?:?:?:0 (?,?,?)/?"',
        "$3 = void",
    ]


LOCATIONS = "locations.gfx942.json"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("p local_vector", "$1 = {3, 3.5, 4, 4.5}"),
        ("p local_vector * 2", "$1 = {6, 7, 8, 9}"),
        ("p 1 + local_vector", "$1 = {4, 4.5, 5, 5.5}"),
        ("p -local_vector", "$1 = {-3, -3.5, -4, -4.5}"),
        ("p local_vector == local_vector", "$1 = true"),
        ("p local_vector != local_vector + 1", "$1 = true"),
        ("p local_vector < 1", "Invalid type combination in ordering comparison."),
        ("p local_vector == 1", "Invalid type combination in equality test."),
        ("p local_vector + $v0", "Cannot perform operation on vectors with different types"),
        ("p $v0 + 100000000000", "conversion of scalar to vector involves truncation"),
        ("set var $v0 = 0", "can only cast scalar to vector of same size"),
        ("p local_vector.x", "$1 = 3"),
        ("p local_vector.yx", "$1 = {3.5, 3}"),
        ("p local_vector.xyzw", "$1 = {3, 3.5, 4, 4.5}"),
        ("p local_vector.s03", "$1 = {3, 4.5}"),
        ("p local_vector.lo", "$1 = {3, 3.5}"),
        ("p local_vector.hi", "$1 = {4, 4.5}"),
        ("p local_vector.even", "$1 = {3, 4}"),
        ("p local_vector.odd", "$1 = {3.5, 4.5}"),
        ("p local_vector.s04", "Invalid OpenCL vector component accessor s04"),
        ("p local_vector.xyzwx", "Invalid OpenCL vector component accessor xyzwx"),
        ("set var local_frame.high = 999", "warning: Value does not fit in 5 bits."),
        ("set var seven = 8", "an implicit value can only be read"),
    ],
)
def test_vectors_and_assignments(line: str, expected: str) -> None:
    assert answers(LOCATIONS, "lane 3", line)[-1] == expected


@pytest.mark.parametrize("number", [31, -16])
def test_what_fits_is_not_warned_of(number: int) -> None:
    assert "warning" not in "".join(answers(LOCATIONS, f"set var local_frame.high = {number}"))


def test_a_missing_value_has_a_reason_without_the_kind_of_the_error() -> None:
    text = answers(DIVERGENT, "lane 17", "p x + t")[-1]
    assert text == (
        "value has been optimized out: x is optimized out at this pc; described at [0x1504,0x1524)"
    )


def test_an_address_in_each_lane_is_one_reason() -> None:
    text = answers(DIVERGENT, "lanes *(int *) (4096 + $_lane * 4)")
    about = [line for line in text if line.startswith("<unavailable> in")]
    assert len(about) == 1, text
    start = "<unavailable> in lanes 0-63, at 64 addresses; lane 0: "
    assert about[0].startswith(start + "Cannot access memory at address 0x1000")
