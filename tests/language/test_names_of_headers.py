"""`'header.h'::x`: a name in the first unit that includes the header and has the name."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import language
from dwarfgpu.dwarf.line.line_table import LineTable
from tests.language.sessions import program, text

HEADER = """\
static int counted = START;
static inline int next(int x) { static int calls = START + 1; return x + calls++ + counted; }
struct Sized { char bytes[START]; };
"""


@pytest.fixture(scope="module")
def including(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    """A program of two units with different objects of one header, and one without any."""
    folder = tmp_path_factory.mktemp("including")
    (folder / "lib").mkdir()
    (folder / "lib/h.h").write_text(HEADER)
    for name, start in (("a", 5), ("b", 8)):
        (folder / f"{name}.c").write_text(
            f'#define START {start}\n#include "lib/h.h"\nstatic int in_{name} = START;'
            f"int f{name}(struct Sized *s) {{ return next(s->bytes[in_{name}]); }}\n"
        )
    (folder / "main.c").write_text("int counted = 99; int main(void) { return 0; }\n")
    (folder / "h.c").write_text("static int own = 3; int *by = &own;\n")
    linked = [tool("gcc"), "-g", "-no-pie", "-o", "program", "main.c", "a.c", "b.c", "h.c"]
    subprocess.run(linked, cwd=folder, check=True)
    return folder / "program"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("'h.h'::counted", "5"),
        ("'lib/h.h'::counted", "5"),
        ("'h.h'::next", r"{int \(int\)} 0x[0-9a-f]+ <next>"),
        ("*'h.h'::next", r"{int \(int\)} 0x[0-9a-f]+ <next>"),
        ("'h.h'::next::calls", "6"),
        ("&'h.h'::counted", r"\(int \*\) 0x[0-9a-f]+ <counted>"),
        ("'h.h'::in_a + 'h.h'::in_b", "13"),
        ("'h.h'::fb", r"{int \(struct Sized \*\)} 0x[0-9a-f]+ <fb>"),
        ("'b.c'::counted", "8"),
        ("'h.c'::own", "3"),
        ("'h.h'::own", 'No symbol "own" in specified context.'),
        ("'h.h'::none", 'No symbol "none" in specified context.'),
        ("'h.h'::next::none", 'No symbol "next::none" in specified context.'),
        ("'other/h.h'::counted", 'No symbol "other/h.h" in current context.'),
        ("'none.h'::counted", 'No symbol "none.h" in current context.'),
    ],
)
def test_a_header_is_named(including: Path, name: str, expected: str) -> None:
    """As in GDB: of the first unit that includes it, also what other text of the unit declares."""
    assert re.fullmatch(expected, text(program(including), name))


def test_another_unit_that_includes_the_header(including: Path) -> None:
    session = program(including)
    value = language.evaluate("'h.h'::counted", session)
    assert value.notes[0] == "'h.h'::counted is that of a.c: b.c has another one"
    assert not language.evaluate("'h.h'::fb", session).notes


def test_units_without_the_name_are_not_searched_for_the_header(
    including: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program has thousands of units with a header, and few with the name."""
    asked: list[str] = []
    own = LineTable.has_file

    def has_file(table: LineTable, path: str) -> bool:
        asked.append(table.unit.name)
        return own(table, path)

    monkeypatch.setattr(LineTable, "has_file", has_file)
    assert text(program(including), "'h.h'::in_b") == "8"
    assert asked == ["b.c"]
    assert text(program(including), "'h.h'::counted") == "5"
    assert asked == ["b.c", "main.c", "a.c", "b.c"]
