"""Types of C that are in type units of their own, beside GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
union U { int a; long b; };
typedef union U U;
struct S { int x; };
typedef struct S S;
enum E { A, B };
typedef enum E E;
U u; S s; E e;
int main(void) { return u.a + s.x + e; }
"""


@pytest.mark.parametrize("options", [["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-4", "-gsplit-dwarf"]])
def test_a_structure_is_listed_and_not_the_typedef_of_its_name(
    tool: Callable[[str], str], tmp_path: Path, options: list[str]
) -> None:
    command = [tool("gcc"), *options, "-fdebug-types-section", "-o", "a", "t.c"]
    build(tmp_path, {"t.c": SOURCE}, [command])
    commands = ["info types ^[USE]$"]
    ours = answers(None, [str(tmp_path / "a")], commands)
    if "-gdwarf-5" not in options:  # there gcc names the file in two ways
        assert "3:\tstruct S;" in ours[0] and "typedef" not in ours[0]
    assert ours == answers(tool("gdb"), [str(tmp_path / "a")], commands)
