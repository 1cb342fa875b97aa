"""One program in several formats of debug information: the answers are the same, as in GDB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers

NAMED_BY_LINKERS = """\
typedef struct { int quot; } pair;
template <int N> int twice = 2 * N;
pair it;
int main() { return twice<4> + it.quot; }
"""


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_names_of_linkers_before_dwarf_4(
    version: int, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB reads DW_AT_MIPS_linkage_name, which compilers write before DWARF 4, as
    DW_AT_linkage_name."""
    (tmp_path / "a.cc").write_text(NAMED_BY_LINKERS)
    command = [tool("g++"), f"-gdwarf-{version}", "-o", "a", "a.cc"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    commands = ["ptype it", "whatis twice<4>", "info variables twice"]
    of_dwarfgpu = answers(None, [str(tmp_path / "a")], commands)
    assert of_dwarfgpu == answers(tool("gdb"), [str(tmp_path / "a")], commands)
    assert "type = struct pair {" in of_dwarfgpu[0]
    assert "\tint twice<4>;\n" in of_dwarfgpu[2]


BESIDE_THE_UNIT = """\
template <class T> struct box { T item; T twice() { T sum = item + item;
  return sum; } };
box<int> it{4};
int main() { return it.twice(); }
"""


def test_functions_beside_the_addresses_of_a_unit(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """DWARF 2 has no DW_AT_ranges: GCC's unit covers one of its sections, and .debug_aranges
    names the others. GDB finds the functions there."""
    (tmp_path / "a.cc").write_text(BESIDE_THE_UNIT)
    command = [tool("g++"), "-gdwarf-2", "-gstrict-dwarf", "-o", "a", "a.cc"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    commands = [f"{command} box<int>::twice" for command in ("break", "list", "info scope")]
    place, listed, scope = answers(None, [str(tmp_path / "a")], commands)
    for text, of_gdb in zip(
        (place, listed), answers(tool("gdb"), [str(tmp_path / "a")], commands[:2]), strict=True
    ):
        lines = [line for line in of_gdb.splitlines() if not line.startswith("warning: (Internal")]
        assert text.splitlines() == lines
    assert "file a.cc, line 1." in place
    assert "Symbol sum is" in scope


HERE = """\
namespace outer { enum class mode { off, on }; }
namespace { struct hidden { int of_first; } it; }
int other();
int main() { using namespace outer; return it.of_first + int(mode::on) + other(); }
"""
ELSEWHERE = """\
namespace { struct hidden { long of_second; } it; }
int other() { return it.of_second; }
"""


@pytest.mark.parametrize(
    "flags",
    [
        "-gdwarf-5",
        "-gdwarf-4 -fdebug-types-section",
        "-gdwarf-5 -fdebug-types-section",
        "-gdwarf-5 -fdebug-types-section -gsplit-dwarf",
    ],
)
def test_types_that_have_units_of_their_own(
    flags: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The type of an anonymous namespace is that of the unit in focus, and a using-directive leads
    to the types of a namespace (C++ namespace.unnamed, namespace.udir)."""
    (tmp_path / "a.cc").write_text(HERE)
    (tmp_path / "b.cc").write_text(ELSEWHERE)
    command = [tool("g++"), *flags.split(), "-o", "a", "a.cc", "b.cc"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    commands = ["ptype hidden", "print mode::on"]
    here = answers(None, [str(tmp_path / "a"), "--pc", "main"], commands)
    assert "int of_first;" in here[0]
    assert "$1 = outer::mode::on\n" in here[1]
    elsewhere = answers(None, [str(tmp_path / "a"), "--pc", "other"], commands)
    assert "long of_second;" in elsewhere[0]
    assert 'No symbol "mode" in current context.' in elsewhere[1]
