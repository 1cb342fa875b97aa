"""`threadIdx.x`, `get_global_id(0)`, `$_workitem_id.x`: by the dispatch, whatever runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import UsageError
from dwarfgpu.language import gpu_builtins, named_values
from dwarfgpu.language.wave_variables import workgroup_id
from dwarfgpu.machine.simulated.launch.dispatch_packet import Allocator
from dwarfgpu.machine.simulated.launch.kernarg import HiddenValues, Kernarg, bind
from dwarfgpu.machine.simulated.launch.kernel_arguments import DeclaredParameter, parameters
from dwarfgpu.machine.topology import Geometry
from dwarfgpu.objfile.metadata import Argument
from dwarfgpu.options.kernel_argument_options import argument_values
from dwarfgpu.options.kernel_argument_options import declared as declared_parameter
from tests.cli.command import FIXTURES, STATES, run

STATE = STATES / "dispatch.gfx1100.json"
"""A grid of 100 work-items in workgroups of 48: wave 3 is the first of workgroup 1, wave 5 the only
one of workgroup 2, which has 4."""

COLOR = DeclaredParameter("mode", enumerators=(("RED", 0), ("GREEN", 5), ("BLUE", 6)))


def bound(argument: Argument, declared: DeclaredParameter, text: str) -> Kernarg:
    """The kernarg segment of a kernel with one argument, which is given as text."""
    hidden = HiddenValues(Geometry((64, 1, 1), (64, 1, 1), 1), 0, 0, 0)
    known = parameters((argument,), [declared])
    given = argument_values([f"mode={text}"])
    return bind(known, (argument,), given, hidden, Allocator(0x1000), 0, 1024)


@pytest.mark.parametrize(
    ("expression", "wave", "lane", "value"),
    [
        ("threadIdx", 3, 2, "{x = 2, y = 0, z = 0}"),
        ("threadIdx.x", 2, 5, "37"),
        ("blockIdx.x", 5, 0, "2"),
        ("blockDim.x", 5, 0, "48"),  # as it was launched
        ("gridDim.x", 5, 0, "3"),  # the smaller one at the edge counts
        ("gridDim.y", 1, 0, "1"),
        ("blockIdx.x * blockDim.x + threadIdx.x", 5, 3, "99"),
        ("sizeof(threadIdx)", 1, 0, "12"),
        ("get_local_id(0)", 2, 5, "37"),
        ("get_group_id(0)", 5, 0, "2"),
        ("get_local_size(0)", 5, 0, "4"),  # as it is
        ("get_enqueued_local_size(0)", 5, 0, "48"),
        ("get_num_groups(0)", 1, 0, "3"),
        ("get_global_size(0)", 1, 0, "100"),
        ("get_local_id(3)", 1, 7, "0"),  # no such dimension: OpenCL C 6.15.1
        ("get_local_size(3)", 1, 7, "1"),
        ("get_local_id(1 - 1)", 1, 7, "7"),
        ("get_local_linear_id()", 2, 5, "37"),
        ("get_global_linear_id()", 5, 3, "99"),  # without the global offset: OpenCL C 6.15.1
        ("warpSize", 1, 0, "32"),
        ("threadIdx.x / warpSize", 2, 5, "1"),
        ("$_workitem_id.x", 2, 5, "37"),
        ("$_workitem_id[0]", 2, 5, "37"),
        ("$_workitem_id", 2, 5, "{37, 0, 0}"),
        ("$_workgroup_id.x + $_grid_size.y", 3, 0, "2"),
    ],
)
def test_words(expression: str, wave: int, lane: int, value: str) -> None:
    done = run("eval", "--state", STATE, "--wave", wave, "--lane", lane, expression)
    assert done.out == f"{expression} = {value}\n"


def test_of_all_lanes_and_waves() -> None:
    text = "blockIdx.x * blockDim.x + threadIdx.x"
    out = run("eval", "--state", STATE, "--wave", "all", "--lane", "active", text).out
    values = [int(line.split("] ")[1]) for line in out.splitlines() if line.startswith("[")]
    assert values == list(range(100))


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("threadIdx.w", "There is no member named w."),
        ("threadIdx.x +", "A syntax error in expression, near the end of `threadIdx.x +'."),
        ("(threadIdx.x", "A syntax error in expression, near the end of `(threadIdx.x'."),
        ("get_local_id(0", "A syntax error in expression, near the end of `get_local_id(0'."),
        ("get_local_id()", "get_local_id takes one dimension, 0 to 2"),
        ("get_work_dim(0)", "get_work_dim takes no argument"),
        ("get_local_id(0, 1)", "get_local_id takes one dimension, 0 to 2"),
        ("threadidx", 'No symbol "threadidx" in current context.'),
        ("::threadIdx.x", 'No symbol "threadIdx" in current context.'),
    ],
)
def test_texts_that_are_not_words(expression: str, error: str) -> None:
    done = run("eval", "--state", STATE, "--lane", 0, expression)
    assert done.status == 2 and error in done.error


def test_where_the_dispatch_is_not_known() -> None:
    for text in ("threadIdx.x", "get_local_id(0)"):
        done = run("eval", "--demo", "--lane", 3, text)
        name = text[: text.index("." if "." in text else "(")]
        assert done.error == (
            f"{text}: Unavailable: {name} is unknown: the machine does not have the position of "
            f"wave 0 in a dispatch, and the dispatch's size"
        )


def test_a_global_id_needs_the_global_offset() -> None:
    done = run("eval", "--state", STATE, "--lane", 3, "get_global_id(0)")
    assert done.status == 1
    assert "the global offset of the dispatch is unknown" in done.error
    done = run("eval", "--state", STATE, "--lane", 3, "get_work_dim()")
    assert done.status == 1
    assert "the number of dimensions of the dispatch is unknown" in done.error


def test_a_global_id_with_its_offset(tmp_path: Path) -> None:
    path = tmp_path / "start.json"
    launched = run(
        "dispatch", FIXTURES / "hip/nest.gfx942.O0.v5.co", "nest", "--grid", 128, "--workgroup",
        64, "--arg", "in=buffer:512", "--arg", "out=buffer:512", "--arg", "limit=1",
        "--arg", "hidden_global_offset_x=1000", "--save", path,
    )  # fmt: skip
    assert launched.status == 0
    output = run("eval", "--state", path, "--wave", 2, "--lane", 3, "get_global_id(0)")
    assert output.out == "get_global_id(0) = 1067\n"
    assert run("eval", "--state", path, "--lane", 3, "get_global_offset(1)").out.endswith("= 0\n")
    assert run("eval", "--state", path, "--lane", 3, "get_work_dim()").out.endswith("= 1\n")


def test_a_lane_without_a_work_item_has_none() -> None:
    done = run("eval", "--state", STATE, "--wave", 5, "--lane", 4, "threadIdx.x")
    assert "lane 4 of wave 5 has no work-item" in done.error


def test_on_a_cpu_they_mean_nothing() -> None:
    core = ("--core", FIXTURES / "core/crash.x86_64.O0.core")
    core += ("--file", FIXTURES / "core/crash.x86_64.O0")
    for text, name in (("threadIdx.x", "threadIdx"), ("get_local_id(0)", "get_local_id")):
        error = f'No symbol "{name}" in current context.'
        assert error in run("eval", *core, text).error


def test_a_name_of_the_program_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A global variable and a function of the fixture, as if they had the names of words."""
    monkeypatch.setitem(gpu_builtins._VARIABLES, "launches", workgroup_id)
    monkeypatch.setattr(named_values, "BUILTIN_VARIABLES", frozenset({"launches"}))
    monkeypatch.setitem(gpu_builtins._FUNCTIONS, "item", (workgroup_id, 0))
    calls_module = sys.modules["dwarfgpu.language.calls"]
    monkeypatch.setattr(calls_module, "BUILTIN_FUNCTIONS", frozenset({"item"}))
    assert run("eval", "--state", STATE, "--lane", 0, "launches + 0").out == "launches + 0 = 3\n"
    assert (
        "functions of the program cannot be called"
        in run("eval", "--state", STATE, "item(0)").error
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("GREEN", 5), ("BLUE", 6), ("color::BLUE", 6), ("::BLUE", 6), ("6", 6), ("0x5", 5)],
)
def test_an_enumerator_is_an_argument(text: str, value: int) -> None:
    argument = Argument("by_value", 4, 0, "mode")
    kernarg = bound(argument, COLOR, text)
    assert kernarg.pieces == [(0, value.to_bytes(4, "little"))]


@pytest.mark.parametrize(
    ("declared", "text", "error"),
    [
        (COLOR, "PINK", "has no enumerator PINK; there are RED, GREEN, BLUE"),
        (
            DeclaredParameter("mode"),
            "GREEN",
            "--arg mode: 'GREEN' is not a number, @FILE, buffer:SIZE",
        ),
        (COLOR, "a b", "--arg mode: 'a b' is not a number, @FILE, buffer:SIZE"),
    ],
)
def test_values_that_are_not_enumerators(
    declared: DeclaredParameter, text: str, error: str
) -> None:
    argument = Argument("by_value", 4, 0, "mode")
    with pytest.raises(UsageError, match=re.escape(error)):
        bound(argument, declared, text)


def test_enumerators_are_those_of_the_declared_type() -> None:
    """A member of a structure is declared as a parameter is: by an entry with a type."""
    code_object = CodeObject.open(FIXTURES / "hip/data.gfx942.O0.v5.co")
    members = (
        die
        for unit in code_object.info.units
        for top in unit.root.children()
        for die in top.children()
        if die.tag == dw.TAG_MEMBER and die.name == "color"
    )
    parameter = Variable("mode", next(members), "parameter")
    assert declared_parameter(parameter).enumerators == COLOR.enumerators
