"""`whatis` of type names with qualifiers, and of elements without bytes, as in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
struct node { int v; };
typedef struct node node;
typedef const struct node fixed;
typedef node other;
extern const node first;
const node first = {1};
fixed *second;
other third;
int rows[3][0], none[0], deep[2][0][3];
int main(void) { return 0; }
"""
QUALIFIED = [
    "whatis node", "whatis node const", "whatis const node", "whatis const volatile node",
    "whatis const fixed", "whatis const other", "whatis const struct node", "whatis const int",
    "whatis const node *", "whatis first", "whatis *second", "whatis third", "ptype const node",
]  # fmt: skip
EMPTY = [
    "whatis rows[1][0]", "ptype rows[1][0]", "whatis rows[1]", "whatis &rows[1][0]",
    "whatis *rows[1]", "p sizeof(rows[1][0])", "p rows[1][0]", "p &rows[1][0]", "whatis none[0]",
    "whatis deep[1][0][2]", "whatis deep[1][0]",
]  # fmt: skip


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
@pytest.mark.parametrize("commands", [QUALIFIED, EMPTY])
def test_types(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, commands: list[str]
) -> None:
    """The qualifiers around a typedef are not in its target; an array without bytes has elements,
    but none that could be read."""
    suffix = "c" if compiler == "gcc" else "cc"
    build(tmp_path, {f"a.{suffix}": SOURCE}, [[tool(compiler), "-g", "-o", "a", f"a.{suffix}"]])
    files = [str(tmp_path / "a")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_addresses_of_enumerators(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB words it otherwise in operands that are not evaluated."""
    source = "enum F { RED } f; namespace n { enum G { BLUE } g; } int main() { return f; }\n"
    build(tmp_path, {"a.cpp": source}, [[tool("g++"), "-g", "-o", "a", "a.cpp"]])
    commands = ["print &RED", "whatis &RED", "print sizeof(&RED)", "ptype &(RED)"]
    commands += ["whatis *&RED", "whatis &n::BLUE", "print sizeof(&n::BLUE)"]
    own = answers(None, [str(tmp_path / "a")], commands)
    assert own == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert own[1].endswith("Attempt to take address of register or constant.\n")
