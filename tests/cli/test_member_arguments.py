"""`--arg view.out=zeros:512`: members of structures that a kernel takes by value, as arguments."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from dwarfgpu.dwarf.types.types import Base, Member, Struct
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.model.storage import Memory
from dwarfgpu.model.value import BaseType
from dwarfgpu.options.numpy_types import is_empty
from tests.cli.command import FIXTURES, Done, run
from tests.gpu_programs import gpu_program

KINDS = (
    "dispatch", FIXTURES / "opencl" / "args.gfx906.O2.v5.co", "kinds", "--grid", 64,
    "--workgroup", 64, "--arg", "out=buffer:256", "--arg", "wide=-3", "--arg", "tile=lds:264",
    "--arg", "table=zeros:256", "--arg", "small=-3", "--arg", "four=?", "--arg", "three=?",
    "--arg", "h=?",
)  # fmt: skip
SOURCE = """\
struct Shape { int rows, cols; };
struct Input { const int *in; };
struct View : Input { int *out; Shape shape; float scale; long sizes[2]; union { int i; } any; };
struct Bits { int *out; int low : 3; };
struct One { int *out; };
#define KERNEL extern "C" __attribute__((global)) void
#define ITEM __builtin_amdgcn_workitem_id_x()
KERNEL viewed(View v, int more) {
  v.out[ITEM] = v.in[ITEM] * v.shape.rows + (int)v.scale + (int)v.sizes[1] + v.any.i + more;
}
KERNEL bits(Bits b) { b.out[ITEM] = b.low; }
KERNEL one(One o) { o.out[ITEM] = 7; }
struct Empty {};
struct Derived : Empty { struct {} tag; static int number; };
struct Rows { Empty row[2][3]; int none[0]; };
struct Policy { Derived how; short step; };
KERNEL tagged(Empty e, Derived d, Rows r, Policy p, int *out) { out[ITEM] = p.step; }
struct Point { short x; int y; };
struct Shapes { Point corner[2]; int *rows[2][1]; char name[1001]; };
KERNEL shaped(Shapes s) {
  s.rows[0][0][ITEM] = s.corner[0].x + s.corner[1].x * 10 + s.corner[1].y * 100;
  s.rows[1][0][ITEM] = s.corner[0].y + s.name[1000];
}
"""
SHAPES = {
    "s.corner[0].x": "1", "s.corner[0].y": "2", "s.corner[1]": "bytes:0300000004000000",
    "s.rows[0][0]": "zeros:256", "s.rows[1][0]": "zeros:256", "s.name": "zeros:1001",
}  # fmt: skip
VIEW = {
    "v.in": "range:64", "v.out": "zeros:256", "v.shape": "bytes:0200000000000000",
    "v.scale": "10", "v.sizes": "[0,100]", "v.any": "zeros:4", "more": "1000",
}  # fmt: skip


def given(values: dict[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in ("--arg", f"{name}={value}")]


@pytest.fixture(scope="module")
def kernels(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("members") / "k.hip"
    return gpu_program(tool, source, SOURCE, "gfx90a", "-O1")


def ran(file: Path, kernel: str, values: dict[str, str], *words: object) -> Done:
    return run("run", file, kernel, "--grid", 64, "--workgroup", 64, *given(values), *words)


@pytest.mark.parametrize(
    "values", [VIEW, {**VIEW, "v.shape.rows": "2", "v.shape.cols": "?", "v.shape": ""}]
)
def test_members_are_arguments(kernels: Path, values: dict[str, str], tmp_path: Path) -> None:
    """Also those of base classes; a pointer has a buffer, which `--out` writes."""
    done = ran(
        kernels, "viewed", {name: value for name, value in values.items() if value},
        "--out", f"v.out={tmp_path / 'o.npy'}",
    )  # fmt: skip
    assert done.status == 0, done
    numbers = np.load(tmp_path / "o.npy")
    assert numbers.tolist() == [2 * item + 1110 for item in range(64)]


@pytest.mark.parametrize(
    "values", [SHAPES, {**SHAPES, "s.corner[1]": "", "s.corner[1].x": "3", "s.corner[1].y": "4"}]
)
def test_elements_are_arguments(kernels: Path, values: dict[str, str]) -> None:
    """Of arrays of structures, and of pointers, which have buffers."""
    out = ran(kernels, "shaped", {name: value for name, value in values.items() if value}).out
    assert "  s.rows[0][0] = int32[64] {431, 431, " in out
    assert "  s.rows[1][0] = int32[64] {2, 2, " in out


def test_a_structure_of_one_pointer(kernels: Path) -> None:
    """clang passes it as that pointer."""
    assert "  o.out = int32[64] {7, 7, " in ran(kernels, "one", {"o.out": "zeros:256"}).out


@pytest.mark.parametrize(
    "values", [{"p": "bytes:00000900"}, {"p.step": "9"}, {"p.step": "9", "d": "bytes:00", "e": "?"}]
)
def test_a_structure_without_data_may_be_left_out(
    kernels: Path, values: dict[str, str], tmp_path: Path
) -> None:
    assert "  out = int32[64] {9, 9, " in ran(kernels, "tagged", {**values, "out": "zeros:256"}).out
    launch = (kernels, "tagged", "--grid", 64, "--workgroup", 64)
    words = given({**values, "out": "zeros:256"})
    assert run("dispatch", *launch, *words, "--save", tmp_path / "s.json").status == 0
    state = load_state(tmp_path / "s.json")
    kernarg = state.machine.dispatches[1].kernarg
    assert kernarg is not None
    with pytest.raises(Unavailable):
        state.target.read_memory(Memory(state.architecture.address_space(0)), kernarg, 1)


def test_a_structure_that_contains_itself_is_judged_once() -> None:
    """No language has one; a damaged file may."""
    members: list[Member] = []
    whole = Struct("struct", "S", 1, cast(tuple[Member, ...], members))
    members += [Member(f"m{number}", whole, 0) for number in range(50)]
    assert is_empty(whole)
    members.append(Member("n", Base(BaseType("char", "signed", 8)), 0))
    assert not is_empty(whole)
    assert not is_empty(Struct("struct", "S", None, is_declaration=True))


@pytest.mark.parametrize(
    ("kernel", "changed", "message"),
    [
        (
            "viewed", {"v.any": ""},
            "not given: v.any (by_value, 4 bytes at 48); give --arg v.any=VALUE, or v.any=?",
        ),
        ("viewed", {"v": "zeros:48"}, "argument v is given as a whole and by its members"),
        ("viewed", {"0": "zeros:48"}, "argument v is given as a whole and by its members"),
        ("viewed", {"v.shap": "1"}, "the kernel has no argument v.shap; its arguments: v.in, "),
        ("viewed", {"v.any.i": "1"}, "the kernel has no argument v.any.i; its arguments: v.in, "),
        ("viewed", {"more.x": "1"}, "the kernel has no argument more.x; its arguments: v.in, "),
        ("viewed", {"v.scale": "zeros:4"}, "v.scale (by_value, 4 bytes at 24) cannot be a buffer"),
        (
            "shaped", {"s.corner[1]": ""},
            "not given: s.corner[1] (by_value, 8 bytes at 8); give --arg s.corner[1]=VALUE, or "
            "s.corner[1]=? for an unknown one: bytes:HEX or @FILE gives it, and "
            "--arg s.corner[1].x=VALUE a part",
        ),
        (
            "shaped", {"s.corner[0].x": "", "s.corner[0].y": "", "s.corner[1]": "",
            "s.corner": "[1,2,3,4]"},
            "s.corner (by_value, 16 bytes at 0) is not a list of numbers; bytes:HEX or @FILE "
            "gives it, and --arg s.corner[0].x=VALUE a part",
        ),
        ("shaped", {"s.corner[2]": "?"}, "has no argument s.corner[2]; its arguments: s.corner[0]"),
        ("shaped", {"s.rows[0]": "?"}, "has no argument s.rows[0]; its arguments: s.corner[0]"),
        ("shaped", {"s.corner": "?"}, "the kernel has no argument s.corner; its arguments: s.c"),
        ("shaped", {"s.name[0]": "1"}, "s.name has 1001 elements: 1000 may be given one by one; "),
        (
            "viewed", {"v.any": ""},
            "v.any=? for an unknown one: bytes:HEX or @FILE gives it",
        ),
        (
            "bits", {"b.out": "zeros:256"},
            "b (by_value, 16 bytes at 0): low is a bit-field; bytes:HEX gives the whole",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(kernels: Path, kernel: str, changed: dict[str, str], message: str) -> None:
    values = {**{"viewed": VIEW, "shaped": SHAPES}.get(kernel, {}), **changed}
    done = ran(kernels, kernel, {name: value for name, value in values.items() if value})
    assert done.status == 2 and message in done.error, done
    assert "v.any.i=VALUE" not in done.error


def test_the_padding_between_members_is_unknown(tmp_path: Path) -> None:
    values = {"pair.first": "-1", "pair.second": "2.5", "pair.rest": "[1,2,3]"}
    done = run(*KINDS, *given(values), "--save", tmp_path / "s.json")
    assert done.status == 0, done
    state = load_state(tmp_path / "s.json")
    kernarg = state.machine.dispatches[1].kernarg
    assert kernarg is not None
    where = Memory(state.architecture.address_space(0))
    assert state.target.read_memory(where, kernarg + 8, 1) == b"\xff"
    assert state.target.read_memory(where, kernarg + 16, 14) == struct.pack("<d3h", 2.5, 1, 2, 3)
    with pytest.raises(Unavailable):
        state.target.read_memory(where, kernarg + 9, 1)


@pytest.mark.parametrize("value", ["@{}", "zeros:24"])
def test_a_file_has_the_bytes_of_a_structure(value: str, tmp_path: Path) -> None:
    (tmp_path / "pair").write_bytes(bytes(24))
    pair = {"pair": value.format(tmp_path / "pair")}
    done = run(*KINDS, *given(pair), "--save", tmp_path / "s.json")
    assert done.status == 0, done
    (tmp_path / "pair").write_bytes(bytes(25))
    done = run(*KINDS, *given({"pair": f"@{tmp_path / 'pair'}"}))
    assert "a value of 25 bytes does not fit: the argument has 24 bytes" in done.error


def test_contents_of_a_structure_are_known() -> None:
    done = run(*KINDS, *given({"pair": "buffer:24"}))
    assert done.error == (
        "pair (by_value, 24 bytes at 8) cannot be a buffer: bytes:HEX or @FILE gives it, and "
        "--arg pair.first=VALUE a part"
    )
