"""Operators of vectors in code of OpenCL, whose results GDB 13 gives with `set language opencl`."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run

KERNEL = (
    "debug", FIXTURES / "opencl/kernels.gfx942.O0.v5.co", "--dispatch", "data", "--grid", 64,
    "--workgroup", 64, "--heuristic", "--scratch", 4096, "--arg", "out=zeros:512", "--arg", "f=1.5",
    "--arg", "d=2.5", "-q", "--batch", "-ex", "break kernels.cl:95", "-ex", "run", "-ex", "lane 3",
)  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("vec", "{1, 2, 3, 3}"),
        ("vec == vec", "{-1, -1, -1, -1}"),
        ("vec != vec", "{0, 0, 0, 0}"),
        ("vec > 1.5f", "{0, -1, -1, -1}"),
        ("2 >= vec", "{-1, -1, 0, 0}"),
        ("!(vec - 1)", "{-1, 0, 0, 0}"),
        ("vec == 3 || vec == 1", "{-1, 0, -1, -1}"),
        ("vec && (vec - 1)", "{0, -1, -1, -1}"),
        ("(float4)(1.5f)", "{1.5, 1.5, 1.5, 1.5}"),
        ("vec * (float4)2 == vec + vec", "{-1, -1, -1, -1}"),
        ("(float4)(1, 2, t, 4)", "{1, 2, 3, 4}"),
        ("(float4)(1, vec.yx, t)", "{1, 2, 1, 3}"),
        ("(float4)(vec)", "{1, 2, 3, 3}"),
        ("(float4)((1, 2, t, 4))", "{4, 4, 4, 4}"),
        ("((float4)(1, 2, 3, 4)).yx", "{2, 1}"),
        ("((float3)(1, 2, 3)).hi", "{3, <optimized out>}"),
        ("((float3)(1, 2, 3)).odd", "{2, <optimized out>}"),
        ("((float3)(1, 2, 3)).lo", "{1, 2}"),
        ("((float3)(1, 2, 3)).even", "{1, 3}"),
        ("(*(float3 *)&vec).hi", "{3, 3}"),
        ("((float3)(1, 2, 3)).hi.x + 1", "4"),
        ("sizeof((float4)(1, 2, 3, 4))", "16"),
        ("(int)(1, 2)", "2"),
        ("(int)(1, vec).y", "2"),
        ("(float4)(1, 2, 3, 4).yx", "{2, 1}"),
        ("(float4)(1, 2, vec.zw).x + 1", "2"),
        ("-(float2)(1, 2)[1]", "-2"),
        ("(uint2)(7, -1)", "{7, 4294967295}"),
        ("(float3)(1, 2, 3)", "{1, 2, 3}"),
        ("(half)1.5", "1.5"),
        ("sizeof(float3)", "16"),
        ("sizeof(size_t)", "8"),
        ("(ulong)-1", "18446744073709551615"),
        ("t == 3", "1"),
        ("t > 0 && t < 3", "0"),
        ("(vec > 1).x", "0"),
    ],
)
def test_operators(expression: str, value: str) -> None:
    done = run(*KERNEL, "-ex", f"p {expression}")
    assert done.lines[-1] == f"$1 = {value}", done


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        # What clang 19 stores of these constants (`-x cl`, cl_khr_fp16)
        ("sizeof(2.0h)", "2"),
        ("sizeof(0x1p3h)", "2"),
        ("sizeof(2.0H + 1)", "2"),
        ("sizeof(2.0h + 1.0f)", "4"),
        ("sizeof(.5h)", "2"),
        ("1.00048828125h == 1", "1"),
        # rounded once: a double would make a tie of it
        ("1.000488281250000000001h == 1.0009765625", "1"),
        ("65504.0h", "65504"),
        ("0x1p3h + 1", "9"),
        ("2049.0h + 0.5h", "2048"),
        ("1e-8h", "0"),
        ("-1.5e2h", "-150"),
        ("(float)(3.0h / 7) == 0x1.b6cp-2", "1"),
        ("70000.0h", "inf"),
    ],
)
def test_numbers_of_half_precision(expression: str, value: str) -> None:
    done = run(*KERNEL, "-ex", f"p {expression}", "-ex", "whatis 2.0h")
    assert done.lines[-2:] == [f"$1 = {value}", "type = half"], done


@pytest.mark.parametrize("text", ["2h", "0x1h", "2.0hf", "2.0fh", "2.0hl", "2.0hi"])
def test_invalid_numbers_of_half_precision(text: str) -> None:
    assert f'Invalid number "{text}".' in run(*KERNEL, "-ex", f"p {text}").err


def test_other_languages_have_no_numbers_of_half_precision() -> None:
    done = run("eval", FIXTURES / "run/integers.gfx942.O0.v5.co", "2.0h")
    assert (done.status, done.error) == (2, 'Invalid number "2.0h".')


C = "((int4)(1, -1, 0, 2))"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("vec > 1.5f ? vec : -vec", "{-1, 2, 3, 3}"),
        (f"{C} ? vec : -vec", "{-1, 2, -3, -3}"),
        ("(uint4)(1, 0x80000000, 0, 2) ? vec : -vec", "{-1, 2, -3, -3}"),
        (f"{C} ? {C} : 1", "{1, -1, 1, 1}"),
        (f"{C} ? 1 : vec", "{1, 1, 3, 3}"),
        (f"({C} > 0) ? {C} : 1", "{1, 1, 1, 2}"),
        (f"{C} ? 1 : 2", "{2, 1, 2, 2}"),
        (f"{C} ? 1 : 2.5f", "{2.5, 1, 2.5, 2.5}"),
        ("(char2)(-1, 1) ? (char)3 : (char)4", "{3, 4}"),
        (f"t ? {C} : 7", "{1, -1, 0, 2}"),
        (f"!t ? {C} : 7", "{7, 7, 7, 7}"),
        (f"sizeof({C} ? vec : -vec)", "16"),
    ],
)
def test_a_condition_chooses_by_component(expression: str, value: str) -> None:
    """OpenCL C 6.3.i: as `select`, by the most significant bit of each component."""
    done = run(*KERNEL, "-ex", f"p {expression}")
    assert done.lines[-1] == f"$1 = {value}", done


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("vec ? vec : -vec", "A condition of OpenCL is of integers, not of floats"),
        ("1.5f ? t : 0", "A condition of OpenCL is of integers, not of floats"),
        (f"{C}.xy ? vec : -vec", "conditional operation on vectors with different sizes"),
        (f"{C} ? 1 : 2.5", "conditional operation on vectors with different sizes"),
        (f"{C} ? vec : {C}", "Cannot perform operation on vectors with different types"),
        (f"{C} ? out : out", "Cannot perform conditional operation on incompatible types"),
        (f"{C} << {C}.xy", "Cannot perform operation on vectors with different types"),
        (f"t >> {C}", "Cannot perform operation on vectors with different types"),
        (f"{C} << vec", "Integer-only operation on floating point number."),
    ],
)
def test_operands_that_opencl_refuses(expression: str, error: str) -> None:
    """As clang does; those of shifts and of vectors of different types GDB refuses, too."""
    done = run(*KERNEL, "-ex", f"p {expression}")
    assert error in done.err


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (f"{C} << 33", "{2, -2, 0, 4}"),
        (f"{C} >> -1", "{0, -1, 0, 0}"),
        (f"{C} << {C}", "{2, -2147483648, 0, 8}"),
        (f"{C} << (uint4)(33, 1, 2, 3)", "{2, -2, 0, 16}"),
        ("(char2)(1, 2) << 9", "{2, 4}"),
        ("(char)1 << 9", "512"),
        ("1 << 33", "2"),
        ("t >> 33", "1"),
        ("1L << 33", "8589934592"),
        ("1L << 65", "2"),
    ],
)
def test_shifts_are_modulo_the_width(expression: str, value: str) -> None:
    """OpenCL C 6.3.j: of the promoted number, or of the element of a vector."""
    done = run(*KERNEL, "-ex", f"p {expression}")
    assert done.lines[-1] == f"$1 = {value}", done
    assert "shift count" not in done.err


def test_shifts_that_assign_are_modulo_the_width() -> None:
    done = run(*KERNEL, "-ex", "p t <<= 33", "-ex", "p t >>= 32")
    assert [line for line in done.lines if line.startswith("$")] == ["$1 = 6", "$2 = 6"]


def test_rows_of_a_run_have_the_operators_of_opencl() -> None:
    done = run(
        "run", FIXTURES / "opencl/kernels.gfx942.O0.v5.co", "data", "--grid", 64, "--workgroup", 64,
        "--scratch", 4096, "--arg", "out=zeros:512", "--arg", "f=1.5", "--arg", "d=2.5",
        "--break", "kernels.cl:95", "--print", "(vec > 1.5f ? vec : -vec).y", "--print", "1 << 33",
        "--print", "vec ? 1 : 2", "--lane", 3,
    )  # fmt: skip
    assert "     3 2                           2" in done.lines, done
    assert "vec ? 1 : 2: A condition of OpenCL is of integers" in done.out


@pytest.mark.parametrize(("elements", "count"), [("1, 2, 3", 3), ("1, vec", 5)])
def test_a_vector_has_as_many_elements_as_its_type(elements: str, count: int) -> None:
    done = run(*KERNEL, "-ex", f"p (float4)({elements})")
    assert f"A vector of 4 elements needs 4, not {count}." in done.err


def test_types_of_the_language_are_known_in_its_code_alone() -> None:
    done = run(*KERNEL, "-ex", "whatis (int4)7", "-ex", "p (int5)7", "-ex", "p struct int4")
    assert done.lines[-1] == "type = int4"
    assert 'No symbol "int5" in current context.' in done.err
    assert "No struct type named int4." in done.err
    assert 'No symbol "int4" in current context.' in run("eval", "--demo", "(int4)7").err


def test_operands_are_evaluated_once() -> None:
    commands = ("p t++ == 3", "p t > 9 && t++", "p t")
    done = run(*KERNEL, *(word for line in commands for word in ("-ex", line)))
    assert [line for line in done.lines if line.startswith("$")] == ["$1 = 1", "$2 = 0", "$3 = 4"]


def test_vectors_of_different_types_are_not_compared() -> None:
    done = run(*KERNEL, "-ex", "p vec == (vec > 1)", "-ex", "whatis vec == vec")
    assert "Cannot perform operation on vectors with different types" in done.err
    assert done.lines[-1] == "type = int4"


def test_the_fourth_of_three_elements_is_no_zero() -> None:
    """OpenCL C 6.1.7: it is undefined; in memory there is padding, which may be known."""
    done = run(
        *KERNEL, "-ex", "p ((float3)(1, 2, 3)).odd.y", "-ex", "p (vec.xyz).s3",
        "-ex", "p ((float3)(1, 2, 3)).xw", "-ex", "p (*(float3 *)&vec).hi = vec.xy",
        "-ex", "p vec",
    )  # fmt: skip
    assert "Invalid OpenCL vector component accessor s3" in done.err
    assert "Invalid OpenCL vector component accessor xw" in done.err
    assert [line for line in done.lines if line.startswith("$")] == [
        "$1 = <optimized out>", "$2 = {1, 2}", "$3 = {1, 2, 1, 2}",
    ]  # fmt: skip


@pytest.mark.parametrize("component", ["s4", "sF", "S7"])
def test_a_component_that_a_vector_lacks_is_refused(component: str) -> None:
    """It would be the memory behind the vector."""
    for command in (f"p vec.{component}", f"p vec.{component} = 1"):
        done = run(*KERNEL, "-ex", command, "-ex", "p vec.S3")
        assert f"Invalid OpenCL vector component accessor {component}" in done.err
        assert done.lines[-1] == "$1 = 3"


def test_several_components_are_assigned() -> None:
    """OpenCL C 6.3.7: the components are those of the vector, in any order."""
    assigned = ("vec.yx = vec.zw", "vec.wx = vec.xw + 4", "vec.hi[0] = 8")
    commands = (word for text in assigned for word in ("-ex", f"p {text}", "-ex", "p vec"))
    done = run(*KERNEL, *commands, "-ex", "p &vec.xy")
    twice = run(*KERNEL, "-ex", "p vec.xx = vec.zw", "-ex", "p vec.xx")
    assert "Left operand of assignment is not an lvalue." in twice.err
    assert twice.lines[-1] == "$1 = {1, 1}"
    assert [line for line in done.lines if line.startswith("$")] == [
        "$1 = {3, 3}", "$2 = {3, 3, 3, 3}", "$3 = {7, 7}", "$4 = {7, 3, 3, 7}",
        "$5 = 8", "$6 = {7, 3, 8, 7}",
    ]  # fmt: skip
    assert "Attempt to take address of value not located in memory." in done.err


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("as_uch", ["as_uchar", *(f"as_uchar{count}" for count in (16, 2, 3, 4, 8))]),
        ("convert_half1", ["convert_half16"]),
        ("convert_half16_", [f"convert_half16_rt{letter}" for letter in "enpz"]),
        ("convert_int4_sat_rte", ["convert_int4_sat_rte"]),
        ("convert_long_s", ["convert_long_sat", *(f"convert_long_sat_rt{n}" for n in "enpz")]),
        ("as_vec", []),
    ],
)
def test_conversions_are_offered(word: str, names: list[str]) -> None:
    offered = run(*KERNEL, "-ex", f"complete p {word}").lines
    assert [line for line in offered if line.startswith(f"p {word}")] == [f"p {n}" for n in names]


def test_all_that_is_offered_can_be_called() -> None:
    offered = run(*KERNEL, "-ex", "complete output convert").lines
    names = [line.split()[1] for line in offered if line.startswith("output convert_")]
    assert len(names) == 66
    calls = [f"output sizeof({name}(t))" for name in names if name[-1].isalpha()]
    words = [word for call in calls for word in ("-ex", call)]
    assert run(*KERNEL, *words).out.endswith("18424821482")
