"""Lists, strings and whole objects assigned to arrays and structures.

The answers are those of GDB 13 at a breakpoint of the same program: it writes to no core file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import CodeObject
from tests.cli.command import run
from tests.repl.side_by_side import build, with_core

SOURCE = """\
struct P { int a; char b; double c; } p = {1, 'x', 2.5}, p2 = {7, 'y', 1.5};
struct Q { int x, y, z; } q;
float farr[4] = {1, 2, 3, 4};
short sarr[3];
double darr[5];
char embedded[8] = "hello";
int m[2][2] = {{1, 2}, {3, 4}};
int iarr[4];
unsigned char uc[4];
int *pi = iarr;
struct { unsigned long long c : 40; unsigned d : 3; } fields = {1, 2};
int main(void) { __builtin_trap(); }
"""
INVALID = "Invalid cast."
MANY = "Too many array elements"
ANSWERS = {
    "p farr = {1,2,3,4}": "{1, 2, 3, 4}",
    "p farr = {1.5,2,3,4}": "{1.5, 2, 3, 4}",
    "p farr = {1,2,3}": "{1, 2, 3, 0}",
    "p darr = {1,2,3,4,5}": "{1, 2, 3, 4, 5}",
    "p sarr = {1,2,3}": "{1, 2, 3}",
    'p embedded = "xy"': '"xy\\000\\000\\000\\000\\000"',
    'p embedded = "1234567"': '"1234567"',
    'p embedded = "12345678"': MANY,
    "p q = {1,2,3}": "{x = 1, y = 2, z = 3}",
    "p q = {1,2,3,4}": "too many initializers",
    "p (struct Q){1,2,3}": "{x = 1, y = 2, z = 3}",
    "p m = {{5,6},{7,8}}": "{{5, 6}, {7, 8}}",
    "p m[1] = {9}": "{9, 0}",
    "p iarr = {1.5, 2.5, 3.5, 4.5}": "{1, 2, 3, 4}",
    "p uc = {300, 2, 3, 4}": '",\\002\\003\\004"',
    'p uc = "abc"': '"abc"',
    "p uc = {'a','b','c','d'}": '"abcd"',
    "p (int[4])farr": INVALID,
    "p (float[4])iarr": INVALID,
    "p iarr = farr": INVALID,
    "p farr = iarr": INVALID,
    "p iarr = uc": INVALID,
    "p iarr = m": INVALID,
    "p m = iarr": INVALID,
    "p darr = farr": INVALID,
    'p iarr = "abc"': INVALID,
    "p farr = farr": "{1, 2, 3, 4}",
    'p (unsigned char[4])"abc"': '"abc"',
    'p (char[8])"abc"': '"abc\\000\\000\\000\\000"',
    'p (char[2])"abc"': MANY,
    'p sizeof((char[8])"abc")': "8",
    'p sizeof((char[])"abc")': "4",
    "p (short[2])iarr[1]": "{0, 0}",
    "p m[0] = m[1]": "{3, 4}",
    "p p = p2": "{a = 7, b = 121 'y', c = 1.5}",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> str:
    folder = tmp_path_factory.mktemp("arrays")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-no-pie", "-o", "a", "a.c"]])
    return str(folder / "a")


@pytest.fixture(scope="module")
def core(program: str, tool: Callable[[str], str]) -> list[str]:
    return with_core(tool, Path(program).parent)


@pytest.mark.parametrize(("command", "expected"), ANSWERS.items())
def test_assignments(core: list[str], command: str, expected: str) -> None:
    done = run("debug", *core, "-q", "--batch", "-ex", command)
    printed = done.lines[-1].partition(" = ")[2]
    assert expected in (printed, *done.err.splitlines()), done


def test_a_list_for_several_dimensions_is_nested(core: list[str]) -> None:
    """An integer cannot be cast to an array."""
    done = run("debug", *core, "-q", "--batch", "-ex", "p m = {5,6}", "-ex", "p m")
    assert INVALID in done.err and done.lines[-1] == "$1 = {{1, 2}, {3, 4}}"


def test_unknown_padding_is_not_assigned(program: str, tmp_path: Path) -> None:
    """A structure is its members; the bytes between them have no value."""
    symbols = {symbol.name: symbol.address for symbol in CodeObject.open(program).file.symbols}
    source, target = symbols["p2"], symbols["p"]
    state = tmp_path / "state.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": program}], "waves": [{"pc": symbols["main"]}],
        "memory": [
            {"address": source, "bytes": "0700000079"},  # three bytes of padding follow
            {"address": source + 8, "bytes": "000000000000f83f"},
            {"address": target, "bytes": "00" * 5}, {"address": target + 8, "bytes": "00" * 8},
            {"address": target + 6, "bytes": "aa"},
        ],
    }))  # fmt: skip
    commands = ("p p = p2", f"x/1xb {target + 6}", f"x/1xb {target + 5}")
    done = run("debug", "--state", state, "--batch", *(w for c in commands for w in ("-ex", c)))
    lines = done.out.splitlines()
    assert "$1 = {a = 7, b = 121 'y', c = 1.5}" in lines
    assert any(line.endswith("\t0xaa") for line in lines)
    assert f"Cannot access memory at address {target + 5:#x}" in done.err


def test_a_structure_with_an_unknown_member_is_not_assigned(program: str, tmp_path: Path) -> None:
    symbols = {symbol.name: symbol.address for symbol in CodeObject.open(program).file.symbols}
    state = tmp_path / "state.json"
    state.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64",
        "code_objects": [{"path": program}], "waves": [{"pc": symbols["main"]}],
        "memory": [
            {"address": symbols["p2"], "bytes": "0700000079"},  # no c
            {"address": symbols["p"], "bytes": "00" * 16},
        ],
    }))  # fmt: skip
    done = run("debug", "--state", state, "--batch", "-ex", "p p = p2", "-ex", "p p")
    assert "{a = 0, b = 0 '\\000', c = 0}" in done.out
    assert "Cannot access memory" in done.err or "not available" in done.err


@pytest.mark.parametrize(
    ("command", "value", "warns"),
    [
        ("p fields.c = -1", "1099511627775", False),
        ("p fields.c = 1ull << 40", "0", True),
        ("p fields.d = -1", "7", True),  # an unsigned int of 32 bits
    ],
)
def test_a_bit_field_that_is_too_small(
    core: list[str], command: str, value: str, *, warns: bool
) -> None:
    done = run("debug", *core, "-q", "--batch", "-ex", command)
    assert done.lines[-1] == f"$1 = {value}"
    assert ("does not fit in" in done.err) == warns


@pytest.mark.parametrize(
    ("command", "element"),
    [
        ("p (iarr[0] = 8) + nosuch", "0"),
        ("p iarr[0]++ + nosuch", "0"),
        ("set var iarr[0] = 9, nosuch = 3", "0"),
        ("p iarr[0] = 5, sizeof(nosuch)", "0"),
        ("p (iarr[0] = 5) / 0", "5"),  # found out when it is evaluated
    ],
)
def test_nothing_is_assigned_where_a_name_is_unknown(
    core: list[str], command: str, element: str
) -> None:
    done = run("debug", *core, "-q", "--batch", "-ex", command, "-ex", "p iarr[0]")
    assert done.lines[-1] == f"$1 = {element}"
    assert "No symbol" in done.err or "Division by zero" in done.err


VECTORS = """\
typedef float float3 __attribute__((ext_vector_type(3)));
float3 v = {1, 2, 3}, w;
struct { float3 a; int k; } s;
int main(void) { __builtin_trap(); }
"""


def test_vectors_of_three_have_padding(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A result has none; both are assigned by their elements."""
    build(tmp_path, {"a.c": VECTORS}, [[tool("clang-19"), "-g", "-o", "a", "a.c"]])
    core = with_core(tool, tmp_path)
    answers = {
        "p v = v * 2": "{2, 4, 6}", "p w = v": "{2, 4, 6}", "p s.a = w": "{2, 4, 6}",
        "p v += 1": "{3, 5, 7}", "p v = {7,8,9}": "{7, 8, 9}", "p s = s":
        "{a = {2, 4, 6}, k = 0}",
    }  # fmt: skip
    done = run("debug", *core, "-q", "--batch", *(w for c in answers for w in ("-ex", c)))
    printed = [line.partition(" = ")[2] for line in done.lines if line.startswith("$")]
    assert printed == [*answers.values()], done
