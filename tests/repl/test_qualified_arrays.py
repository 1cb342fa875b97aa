"""Arrays of a typedef with qualifiers: their elements have them (C 6.7.3p9)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, last_lines

SOURCE = """\
typedef char name[8]; typedef int vec[3]; typedef vec mat[2]; typedef int *ptrs[2];
const name cn = "xyz"; volatile vec vv = {1, 2, 3}; const mat cm = {{1}}; const ptrs cp;
struct { const vec m; volatile mat vm; } st; const struct { vec v; } cs;
typedef short pair[2]; const volatile pair cv; _Atomic int at[3];
int main(int n, char **v) { return 0; }
"""
COMMANDS = [
    f"{command} {expression}"
    for array in ("cn", "vv", "cm", "cp", "st.m", "st.vm", "cs.v", "cv", "at")
    for command in ("whatis", "ptype")
    for expression in (
        *(array, f"*{array}", f"{array}[0]", f"&{array}", f"*&{array}", f"&{array}[1]"),
        *(f"{array}+1", f"*{array}@2", f"&*{array}"),
    )
]


@pytest.fixture(scope="module", params=["gcc", "clang-19"])
def compiled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
) -> tuple[str, Path]:  # fmt: skip
    folder = tmp_path_factory.mktemp(request.param)
    build(folder, {"a.c": SOURCE}, [[tool(request.param), "-g", "-O0", "a.c", "-o", "a"]])
    return request.param, folder / "a"


def test_elements_have_the_qualifiers_of_their_array(
    compiled: tuple[str, Path], tool: Callable[[str], str]
) -> None:
    """GDB knows them of gcc alone, which refers with the qualifier to the array, not its name."""
    compiler, program = compiled
    by_us = answers(None, [str(program)], COMMANDS)
    if compiler == "gcc":
        assert by_us == answers(tool("gdb"), [str(program)], COMMANDS)


def test_names_between_a_qualifier_and_its_array_do_not_hide_it(
    compiled: tuple[str, Path],
) -> None:
    assert last_lines(
        [str(compiled[1])],
        ["whatis cn[0]", "ptype vv", "whatis &vv[1]", "ptype cm[0]", "whatis st.m+1",
         "ptype cv[0]"],
    ) == [
        *("type = const char", "type = volatile int [3]", "type = volatile int *"),
        *("type = const int [3]", "type = const int *", "type = const volatile short"),
    ]  # fmt: skip
