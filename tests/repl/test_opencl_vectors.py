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
    assert done.lines[-1] == "type = int __attribute__ ((vector_size(4)))"


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
