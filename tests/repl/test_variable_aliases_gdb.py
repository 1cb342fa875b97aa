"""Aliases of variables, which clang describes as imported declarations, against the installed
GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

C = """
int target = 88;
extern int al_plain __attribute__((alias("target")));

extern int al_weak __attribute__((weak, alias("target")));
static const long table[2] = {1, 2};
extern const long al_table[2] __attribute__((alias("table")));
int main(void) { return al_plain + al_weak + al_table[1]; }
"""
CPLUSPLUS = """
namespace N { int target = 3; extern int al_in __attribute__((alias("_ZN1N6targetE"))); }
extern "C" int al_of_c __attribute__((alias("_ZN1N6targetE")));
using N::target;
namespace M = N;
int main() { return N::al_in + al_of_c + M::target; }
"""
OF_C = [
    "info variables ^al_", "info variables -t long", "info variables -n target", "info types al_",
    "info address al_plain", "info address al_weak", "info address al_table", "info address target",
    "info line al_weak", "list al_weak", "whatis al_table", "print al_table[1]", "print &al_plain",
]  # fmt: skip
OF_CPLUSPLUS = [
    "info variables al_", "info variables -n target", "info types al_", "info types M",
    "info address N::al_in", "info address al_of_c", "list N::al_in", "info address _ZN1N5al_inE",
    "info address _ZN1N6targetE", "whatis al_of_c",
]  # fmt: skip


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize(
    ("compiler", "name", "source", "commands"),
    [("clang-19", "a.c", C, OF_C), ("clang++-19", "a.cc", CPLUSPLUS, OF_CPLUSPLUS)],
)
def test_an_alias_is_listed_and_described_by_its_own_name(
    tmp_path: Path,
    tool: Callable[[str], str],
    version: int,
    compiler: str,
    name: str,
    source: str,
    commands: list[str],
) -> None:
    command = [tool(compiler), "-g", f"-gdwarf-{version}", "-o", "a", name]
    build(tmp_path, {name: source}, [command])
    files = [str(tmp_path / "a")]
    own = [re.sub(r"note: .*\n", "", text) for text in answers(None, files, commands)]
    assert own == answers(tool("gdb"), files, commands)
    assert "al_" in own[0]
