"""What anonymous namespaces of other files have does not hide what files export, in whatever order
they are linked (C++ [basic.link])."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dwarfgpu.dwarf import unit as unit_module
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from tests.cli.command import run

SOURCES = {
    "a": """\
namespace {
struct Own { int a, b, c; } own{1, 2, 3}; enum Number { OWN = 5 }; Number n = OWN;
}
int in_b(); int in_c();
int main() { return in_b() + in_c() + own.a + n; }
""",
    "b": """\
namespace {
struct Tag { int w; struct In { int w; } in; enum Kind { KIND = 1 }; Kind kind; } tag;
struct Own { int w; } own; enum Number { OWN = 6, TWO = 2 }; Number n = TWO;
namespace q { struct Z { int w; } z; }
template <class T> struct Of { T t; }; Of<int> of; union Either { char w; } either;
enum class Scoped { one = 1 }; Scoped scoped = Scoped::one; struct Only { int w[3]; } only;
}
int in_b() {
  return tag.w + own.w + n + q::z.w + of.t + either.w + (int)scoped + only.w[0];
}
""",
    "c": """\
struct Tag { int r, r2; struct In { int r, r2; } in; enum Kind { KIND = 7 }; Kind kind; } tag;
struct Own { int r[8]; } own; enum Number { OWN = 66, TWO = 22 }; Number n = TWO;
namespace q { struct Z { int r, r2; } z; }
template <class T> struct Of { T t; int r[4]; }; Of<int> of; union Either { int r; } either;
enum class Scoped : char { one = 99 }; Scoped scoped = Scoped::one;
int in_c() { return tag.r + own.r[0] + n + q::z.r + of.t + either.r + (int)scoped; }
""",
}
MEANT = {
    "sizeof(Tag)": 20, "sizeof(::Tag)": 20, "sizeof(struct Tag)": 20, "sizeof(Tag::In)": 8,
    "(int)Tag::KIND": 7, "(int)TWO": 22, "sizeof(q::Z)": 8, "sizeof(Of<int>)": 20,
    "sizeof(Either)": 4, "sizeof(Scoped)": 1, "(int)Scoped::one": 99, "sizeof(Only)": 12,
    "sizeof(Own)": 12, "(int)OWN": 5, "sizeof(enum Number)": 4,
}  # fmt: skip
"""What the code of main means: what its own anonymous namespace has, what another file exports, and
what only the anonymous namespace of another file has."""


def built(folder: Path, compiler: str, files: str, *options: str) -> Path:
    """Return a program of some of the files, linked in an order."""
    for name in files:
        (folder / f"{name}.cpp").write_text(SOURCES[name])
    command = [compiler, "-g", *options, *(f"{name}.cpp" for name in files), "-o", "p"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    return folder / "p"


@pytest.mark.parametrize("files", ["abc", "cba"])
@pytest.mark.parametrize(
    "options",
    [
        "g++ -gdwarf-4",
        "g++ -gdwarf-4 -fdebug-types-section",
        "g++ -gdwarf-5 -gsplit-dwarf -fdebug-types-section",
        "clang++-19 -gpubnames",
        "clang++-19 -ggnu-pubnames -fuse-ld=gold -Wl,--gdb-index",
    ],
)
def test_exported_types_come_first(
    tmp_path: Path, tool: Callable[[str], str], options: str, files: str
) -> None:
    compiler, *rest = options.split()
    program = built(tmp_path, tool(compiler), files, *rest)
    lines = run("eval", "--file", str(program), *MEANT).out.splitlines()
    got = dict(line.rsplit(" = ", 1) for line in lines if " = " in line)
    assert got == {name: str(value) for name, value in MEANT.items()}


@contextmanager
def counted_units(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Give where the units start whose entries are read."""
    starts: list[int] = []
    original = unit_module.read_tree

    def counted(data: bytes, position: int, *rest: object) -> object:
        starts.append(position)
        return original(data, position, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(unit_module, "read_tree", counted)
        yield starts


def test_units_that_cannot_export_a_name_are_not_read(
    tmp_path: Path, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that only anonymous namespaces have is looked for in the units that mention it."""
    names = [f"u{number}" for number in range(30)]
    for number, name in enumerate(names):
        text = "Sought" if number < 10 else f"Other{number}"
        (tmp_path / f"{name}.cpp").write_text(f"namespace {{ struct {text} {{ int a; }} v; }}\n"
            f"int {name}() {{ return v.a; }}\n")  # fmt: skip
    (tmp_path / "a.cpp").write_text("int main() {}\n")
    command = [tool("g++"), "-g", "a.cpp", *(f"{name}.cpp" for name in names), "-o", "p"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    file = CodeObject.open(tmp_path / "p")
    (unit,) = [unit for unit in file.info.units if unit.name == "a.cpp"]
    with counted_units(monkeypatch) as starts:
        lookup = NameLookup((file.info,), unit)
        assert lookup.of("Sought")
    assert len(starts) == len(set(starts)) <= 11
    assert list(lookup.remarks) == ["Sought is that of u0.cpp: u1.cpp has another one"]
