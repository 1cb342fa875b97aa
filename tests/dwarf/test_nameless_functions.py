"""LDS variables that clang puts into functions without name and code."""

from __future__ import annotations

import re

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.nameless_functions import (
    is_nameless,
    nameless_variables,
    owners_of,
    variables_of,
)
from tests.cli.command import FIXTURES, run, run_json

HITS = "int [64] detail::hits, declared at line 29 of detail::count"
LIBRARY = FIXTURES / "hip/library.gfx90a.O2.v5.co"
MEMORY = ("--lane", "0", "--mem", "local#0=0000803f00000040")


def _pc(function: str, offset: int = 0x10) -> int:
    """In the code of a kernel, in what is inlined into it."""
    for symbol in CodeObject.open(LIBRARY).file.symbols:
        if symbol.kind == "function" and function in symbol.name:
            return symbol.address + offset
    raise LookupError(function)


def test_where_they_are_and_to_which_function_they_belong() -> None:
    (unit,) = CodeObject.open(LIBRARY).info.units
    result = nameless_variables(unit)
    assert [item.name for item in result] == [
        "storage", "sums", "storage", "sums", "hits", "hits", "partial", "partial",
    ]  # fmt: skip
    assert all(is_nameless(variable.die) for variable in result)
    owners = [{(owner.name or "").partition("<")[0] for owner in owners_of(one)} for one in result]
    assert owners == [{"reverse"}] * 4 + [{"count"}] * 2 + [{"total"}] * 2
    scopes = CodeObject.open(LIBRARY).scopes
    (call, *_) = [
        die for die in scopes.chain_at(_pc("reverse_kernelILj16")) if "verse<" in die.name
    ]
    assert call.name == "reverse<16U, float>"
    assert [variable.name for variable in variables_of(call)] == [
        "storage",
        "sums",
        "storage",
        "sums",
    ]
    assert [variable.type_text for variable in variables_of(call, "sums")] == [
        "float [16]",
        "double [32]",
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("storage", ["float [16] storage, declared at line 8 of reverse",
                     "double [32] storage, declared at line 8 of reverse"]),
        ("reverse::sums", ["float [16] sums, declared at line 9 of reverse",
                           "double [32] sums, declared at line 9 of reverse"]),
        ("hits", [HITS] * 2),
        ("detail::count::hits", [HITS] * 2),
    ],
)  # fmt: skip
def test_where(name: str, lines: list[str]) -> None:
    result = run("where", "--file", LIBRARY, name).lines
    assert [line for line in result if line.startswith("global")] == [f"global {e}" for e in lines]
    assert sum("lit2, DW_OP_swap, DW_OP_xderef" in line for line in result) == len(lines)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("count::hits", "detail::count::hits"), ("revers::storage", "reverse::storage")],
)
def test_suggested_names_have_their_function(name: str, meant: str) -> None:
    assert f'Did you mean "{meant}"?' in run("where", LIBRARY, name).error
    assert (
        f'Did you mean "{meant}"?' in run("debug", LIBRARY, "--batch", "-ex", f"where {name}").err
    )
    assert run("where", LIBRARY, meant).status == 0


def test_the_same_in_other_letters_is_nearest() -> None:
    assert 'Did you mean "nest::t"?' in run("where", "--demo", "NEST::t").error


def test_where_with_another_function_finds_none() -> None:
    done = run("where", "--file", LIBRARY, "total::hits")
    assert done.status == 2 and 'No symbol "total::hits"' in done.error


@pytest.mark.parametrize(
    ("function", "name", "text"),
    [
        ("reverse_kernelILj16", "storage", "{1, 2, <unavail"),
        ("reverse_kernelILj32", "storage", "{2.0000004731118679, <unavail"),
        ("count_floats", "hits", "{1065353216, 1073741824, <unavail"),
        ("count_longs", "hits", "{1065353216, 1073741824, <unavail"),
        ("count_longs", "detail::hits[1]", "1073741824"),
        # From elsewhere too, as static variables of a file.
        ("total_ints", "hits[0]", "1065353216"),
    ],
)  # fmt: skip
def test_values_in_functions_that_use_them(function: str, name: str, text: str) -> None:
    done = run("eval", "--file", LIBRARY, "--pc", hex(_pc(function)), *MEMORY, name)
    assert done.lines[0].startswith(f"{name} = {text}")
    # The types determine which instance it is, not the entries.
    assert any("of 2 instances" in note for note in done.notes) == (name == "storage")


@pytest.mark.parametrize(
    ("offset", "innermost", "is_noted"),
    [(0, "thread_x", False), (0x10, "reverse", False), (0x6C, "reverse_kernel", True)],
)
def test_where_the_innermost_function_is_another(
    offset: int, innermost: str, *, is_noted: bool
) -> None:
    pc = _pc("reverse_kernelILj16", offset)
    scopes = CodeObject.open(LIBRARY).scopes
    assert scopes.functions_at(pc)[0].startswith(innermost)
    done = run("eval", "--file", LIBRARY, "--pc", hex(pc), *MEMORY, "storage[1]", "&storage")
    assert done.lines == ["storage[1] = 2", "&storage = (float (*)[16]) local#0x0"]
    note = "storage is that of reverse<16U, float>, which is inlined into this function"
    assert any(note in item for item in done.notes) == is_noted


@pytest.mark.parametrize("offset", [0, 0x10, 0x48])
def test_candidates_are_listed_by_declaration(offset: int) -> None:
    pc = _pc("total_shorts", offset)
    done = run("eval", "--file", LIBRARY, "--pc", hex(pc), *MEMORY, "partial")
    assert done.status == 2 and "at library.hip:50, declare it as" in done.error


@pytest.mark.parametrize("function", ["total_shorts", "total_ints", "count_floats", None])
def test_instances_that_cannot_be_distinguished_are_ambiguous(function: str | None) -> None:
    """The element type of `partial` is `wide<T>::type`: int for short, long for int. Of an instance
    of int, that of int would be the wrong one."""
    where = () if function is None else ("--pc", hex(_pc(function)))
    done = run("eval", "--file", LIBRARY, *where, *MEMORY, "partial")
    assert done.status == 2
    assert done.error.startswith('"partial" is ambiguous: the instances of the function around it')
    assert "wide<short>::type [8] and wide<int>::type [8]" in done.error


def test_all_variables_of_a_frame() -> None:
    done = run("eval", "--file", LIBRARY, "--pc", hex(_pc("reverse_kernelILj16")), *MEMORY)
    assert [line.partition(" = ")[0] for line in done.lines if "local#" in line] == [
        "float [16] storage", "float [16] sums",
    ]  # fmt: skip
    listed = run_json(
        "eval", "--file", LIBRARY, "--pc", hex(_pc("total_shorts")), *MEMORY
    ).json["variables"]  # fmt: skip
    types = [item["type"] for item in listed if item["name"] == "partial"]
    assert types == ["wide<short>::type [8]", "wide<int>::type [8]"]


def test_at_the_prompt() -> None:
    text = "\n".join(run(
        "debug", LIBRARY, "--batch", "-ex", "info variables -n", "-ex", "whatis hits",
        "-ex", "whatis detail::count<float>::hits",
    ).lines)  # fmt: skip
    listed = re.findall(r"^(\d+):\t(.*);$", text, re.MULTILINE)
    assert listed == [
        ("29", "int detail::hits[64]"), ("50", "wide<int>::type partial[8]"),
        ("50", "wide<short>::type partial[8]"), ("8", "double storage[32]"),
        ("8", "float storage[16]"), ("9", "double sums[32]"), ("9", "float sums[16]"),
    ]  # fmt: skip
    assert text.count("type = int [64]") == 2
