"""Types and names of D at the prompt and in GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.repl.side_by_side import answers, build, last_lines, with_core

SOURCE = """\
module m;
import core.stdc.stdlib;
enum Color { red = 1, blue = 5 }
interface Shape { double area(); }
class Rect : Shape { int w = 3; double area() { abort(); return w; } }
__gshared int count = 3;
int run(Shape shape, Rect rect, Color color) { return cast(int) shape.area() + rect.w + color; }
int main() { auto rect = new Rect; return run(rect, rect, Color.blue) + count; }
"""


@pytest.fixture(scope="module")
def files(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("types")
    build(folder, {"m.d": SOURCE}, [[tool("gdc"), "-g", "-O0", "-o", "a", "m.d"]])
    return with_core(tool, folder)


def test_an_interface_is_a_structure(tool: Callable[[str], str], files: list[str]) -> None:
    commands = ["frame function m.run", "ptype shape", "ptype m.Shape", "print sizeof(m.Shape)"]
    commands += ["info types -q Shape$", "print shape.__vptr == *(void **)shape", "print *shape"]
    own = answers(None, files, commands)
    assert [answer.partition("\n")[2] for answer in own[1:6]] == [
        "type = struct m.Shape {\n} *\n",
        "type = struct m.Shape {\n}\n",
        "$1 = 8\n",
        "\nFile m.d:\n4:\tstruct m.Shape;\n",
        "$2 = true\n",
    ]
    [shown] = answers(tool("gdb"), files, ["frame function m.run", "print *shape"])[1:]
    address = shown.partition("__vptr = ")[2].partition(" ")[0]
    assert f"= {{__vptr = {address} " in own[6]


def test_modules_are_before_a_point(tool: Callable[[str], str], files: list[str]) -> None:
    commands = ["frame function m.run", "print color", "print m.Color.red", "print (m.Color)5"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands)[1:] == of_gdb[1:]
    assert "$1 = m.Color.blue" in of_gdb[1]


LISTS = {
    "info functions -q -n ^m.r": "7:\tint m.run(struct m.Shape *, class m.Rect *, enum m.Color);",
    "info functions -q -n ^m.Rect.area": "5:\tdouble m.Rect.area(class m.Rect * const);",
    "info functions -q -n ^run": "",
    "info types -q ^m.C": "3:\tenum m.Color;",
    "info variables -q -n ^m.count": "6:\tint m.count;",
    "info address count": 'Symbol "m.count" is static storage at address ',
    "info address run": 'Symbol "m.run" is a function at address ',
    "info breakpoints": " in m.run at m.d:7",
}
"""GDB has the names of the linker in the lists, as `_D1m5counti`, and knows no `count`."""


def test_lists_have_the_modules(files: list[str]) -> None:
    own = answers(None, files, ["frame function m.run", "break m.run", *LISTS])[2:]
    for answer, expected in zip(own, LISTS.values(), strict=True):
        last = "".join(answer.splitlines()[1:][-1:])
        assert expected in last and bool(expected) is bool(last)


ADDRESSES = {
    "info address m.count": 'Symbol "m.count" is static storage at address ',
    "info address m.run": 'Symbol "m.run" is a function at address ',
    "info address m.Rect.area": 'Symbol "m.Rect.area" is a function at address ',
    "info address m.Color.red": 'Symbol "m.Color.red" is constant.',
    "info address m.Rect.w": 'No symbol "m.Rect.w" in current context.',
    "info address m.nothing": 'No symbol "m.nothing" in current context.',
    "info symbol m.run": "m.run(m.Shape, m.Rect, m.Color) in section .text",
    "info line m.run": 'Line 7 of "m.d" starts at address ',
    "print *m.run": "$1 = {int (struct m.Shape *, ",
    "ptype m.run": "type = int (struct m.Shape *, ",
}


def test_names_with_modules_in_commands(files: list[str]) -> None:
    own = answers(None, files, ["frame function m.run", *ADDRESSES])[1:]
    for answer, expected in zip(own, ADDRESSES.values(), strict=True):
        assert answer.splitlines()[1].startswith(expected)


WHERE = {
    "m.count": "global int m.count, declared at line 6",
    "m::count": "global int m.count, declared at line 6",
    "m.run.rect": "parameter class m.Rect * rect, declared at line 7 of m.run",
    "run.color": "parameter enum m.Color color, declared at line 7 of m.run",
    "m.Rect.area.this": "parameter class m.Rect * const this of m.Rect.area",
}
UNKNOWN = {
    "m.cuont": ' Did you mean "m.count"?',
    "m::cuont": ' Did you mean "m.count"?',
    "m.rnu.color": ' Did you mean "m.run.color"?',
    "Rect::count": ' Did you mean "m.count"?',
}


def test_where_takes_names_as_they_are_listed(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, expected in WHERE.items():
        assert main(["where", files[0], name]) == 0
        assert capsys.readouterr().out.startswith(expected)
        [answer] = answers(None, files[:1], [f"where {name}"])
        assert answer.splitlines()[1].startswith(expected)
    assert main(["where", files[0], "rect", "m.run.color", "--function", "m.run"]) == 0
    assert " of m.run" in capsys.readouterr().out
    for name, advice in UNKNOWN.items():
        assert main(["where", files[0], name]) == 2
        said = capsys.readouterr().err
        assert said == f'dwarfgpu: No symbol "{name}" in a.{advice}\n'
    assert main(["where", files[0], "m.run"]) == 2
    assert "its variables are m.run.shape, m.run.rect, m.run.color" in capsys.readouterr().err


WITH_UNIONS = """\
module u;
import core.stdc.stdlib;
struct S { int tag; union { int i; float f; struct { short lo, hi; } } }
void stop(S* s) { abort(); }
void main() { S s; s.tag = 2; s.f = 1.5; stop(&s); }
"""


def test_a_union_without_a_name(tool: Callable[[str], str], tmp_path: Path) -> None:
    """gdc calls it `._anon_1`."""
    build(tmp_path, {"u.d": WITH_UNIONS}, [[tool("gdc"), "-g", "-O0", "-o", "a", "u.d"]])
    files = with_core(tool, tmp_path)
    [frame] = [line.partition(" ")[0] for line in answers(None, files, ["bt"])[0].splitlines()
               if " in stop (" in line]  # fmt: skip
    commands = [f"frame {frame[1:]}", "ptype s", "ptype *s", "print *s", "print s.i", "print s.lo"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands)[1:] == of_gdb[1:]
    assert "    union {\n        int i;\n" in of_gdb[1]


_OF_C = """\
enum value_type { word, byte, string, real, size_t, u8, duration, wstring } vt = byte;
long cent = 1; int hash_t = 2, dstring = 3, sizediff_t = 4, ubyte = 5;
int usevt(void) { return vt; }
"""
_BESIDE_C = """\
module m;
extern (C) int usevt();
int main() { int* none = null; *none = usevt(); return 0; }
"""
_SIZES = {"byte": 1, "string": 16, "real": 16, "size_t": 8, "wstring": 16, "wchar": 2, "dchar": 4,
          "ubyte": 1, "ptrdiff_t": 8, "dstring": 16, "long": 8}  # fmt: skip


@pytest.mark.parametrize("compiler", ["gdc", "ldc2"])
def test_types_that_no_unit_of_d_describes(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """The sizes are those of the D specification on x86-64; C has enumerators of the names."""
    output = ["-O0", "-o", "a"] if compiler == "gdc" else ["-of=a"]
    compile_c = [tool("gcc"), "-g", "-c", "c.c"]
    link = [tool(compiler), "-g", *output, "m.d", "c.o"]
    build(tmp_path, {"c.c": _OF_C, "m.d": _BESIDE_C}, [compile_c, link])
    beside = with_core(tool, tmp_path)
    assert last_lines(beside, [f"output {name}.sizeof" for name in _SIZES]) == [
        str(size) for size in _SIZES.values()
    ]
    commands = ["whatis byte", "whatis real", "whatis cast(dchar) 65", "whatis word"]
    types = ["byte", "real", "dchar", "enum value_type"]
    assert last_lines(beside, commands) == [f"type = {name}" for name in types]
    asked = ["cast(byte) 200 + 0", "cast(wchar) 65 + 0", "cast(real) 1", "cast(int) vt"]
    assert last_lines(beside, [f"output {text}" for text in asked]) == ["-56", "65", "1", "1"]
    assert " ulong length;" in answers(None, beside, ["ptype wstring"])[0]
    hidden = ["cent", "hash_t", "dstring", "sizediff_t", "ubyte", "&cent", "&hash_t", "cent + 1"]
    (is_type,) = {*last_lines(beside, [f"print {name}" for name in hidden])}  # no symbol of C
    assert is_type == "Attempt to use a type name as an expression"
    quoted = ["*(int*)&'hash_t'", "{int}&'ubyte'", "*(int*)&'dstring'"]
    assert last_lines(beside, [f"output {text}" for text in quoted]) == ["2", "5", "3"]


def test_functions_in_functions_of_ldc(tool: Callable[[str], str], tmp_path: Path) -> None:
    """As in GDB, they are listed where they are external, which those of gdc are not."""
    tool("gcc")  # which ldc2 links with
    nested = "module m; int outer(int a) { int inner(int z) { return z + a; } return inner(a); }"
    failing = "int main() { int* none = null; *none = outer(3); return 0; }"
    build(tmp_path, {"m.d": f"{nested}\n{failing}\n"}, [[tool("ldc2"), "-g", "-of=a", "m.d"]])
    files, command = with_core(tool, tmp_path), "info functions -n inner$"
    by_linkage_name = answers(tool("gdb"), files, ["info functions -n inner"])[0]
    assert "1:\tint _D1m5outerFiZ5inner" in by_linkage_name
    assert last_lines(files, [command]) == ["1:\tint m.outer.inner(int);"]
