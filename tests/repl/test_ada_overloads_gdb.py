"""Overloaded subprograms of Ada: a name is that of all, GNAT's own name that of one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from tests.repl.side_by_side import ada_with_core, answers, last_lines

SOURCES = {
    "q.ads": """\
package Q is
   type Unused is range 0 .. 9;
   type Shape is abstract tagged record X : Integer; end record;
   function Area (S : Shape) return Float is abstract;
   procedure Draw (S : Shape) is abstract;
   type Square is new Shape with null record;
   function Area (S : Square) return Float;
   procedure Draw (S : Square);
   type Circle is new Square with null record;
   function Area (S : Circle) return Float;
   type Disc is new Square with null record;
   function Area (S : Disc) return Float;
   function Twice (N : Integer) return Integer;
   function Twice (N : Integer) return Float;
   procedure Run;
   package Inner is
      One : Integer := 1;
   end Inner;
end Q;
""",
    "q.adb": """\
package body Q is
   function Area (S : Square) return Float is (Float (S.X));
   function Area (S : Circle) return Float is (2.0);
   function Area (S : Disc) return Float is (1.0);
   function Twice (N : Integer) return Integer is (2 * N);
   function Twice (N : Integer) return Float is (Float (2 * N));
   procedure Draw (S : Square) is null;
   procedure Hide (N : Integer) is null;
   procedure Hide (F : Float) is null;
   procedure Run is
   begin
      Hide (1); Hide (1.0);
   end Run;
end Q;
""",
    "example.adb": """\
with Q; use Q;
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   R : Square := (X => 3);
   procedure Stop (N : Integer) is
      procedure Nested (M : Integer) is
      begin
         if M > 0 then C_Abort; end if;
      end Nested;
      procedure Nested (M : Float) is
      begin
         Nested (Integer (M));
      end Nested;
   begin
      Nested (Float (N));
   end Stop;
begin
   Run;
   Stop (Twice (R.X) + Integer (Area (R)) + Inner.One);
end Example;
""",
}
OVERLOADED = [
    "q.area", "area", "Q.Area", "q__area", "q.twice", "twice", "q.hide", "hide", "nested",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """The program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCES)


@pytest.fixture(scope="module")
def symbols(files: list[str], tool: Callable[[str], str]) -> list[str]:
    """The symbols of the program's functions."""
    run = subprocess.run([tool("nm"), files[0]], check=True, capture_output=True, timeout=60)
    words = [line.split() for line in run.stdout.decode().splitlines()]
    return [name for *_, kind, name in words if kind in "tT"]


def _own(files: list[str], *commands: str) -> list[str]:
    return last_lines(files, ["frame function example.stop", *commands])[1:]


@pytest.mark.parametrize("name", OVERLOADED)
@pytest.mark.parametrize("command", ["print {}", "whatis {}", "print &{}", "print {}'address"])
def test_an_error_lists_the_overloads(
    name: str, command: str, files: list[str], symbols: list[str]
) -> None:
    """As GDB, which asks, where it does not refuse all of them."""
    last = re.split(r"\.|__", name.lower())[-1]
    meant = re.compile(rf"\w*__{last}X?[bn]*(?:__[0-9]+)?(?:\.[0-9]+)?").fullmatch
    expected = {symbol.partition(".")[0] for symbol in filter(meant, symbols)}
    assert len(expected) > 1
    (shown,) = _own(files, command.format(name))
    before, _, listed = shown.partition("; say which: ")
    assert before.endswith(" is overloaded")
    assert set(re.findall(r"(\w+) is a (?:function|procedure)", listed)) == expected


def test_the_name_in_the_file_is_that_of_one(
    files: list[str], tool: Callable[[str], str], symbols: list[str]
) -> None:
    """GDB calls them: it says the types of their addresses."""
    names = [symbol for symbol in symbols if re.match(r"q__(area|twice|draw)__", symbol)]
    assert len(names) == 5
    own = _own(files, *(f"whatis &{name}" for name in names))
    assert own == [
        text.splitlines()[-1]
        for text in answers(tool("gdb"), files, [f"whatis &{name}" for name in names])
    ]
    assert _own(files, "whatis &q.draw") == _own(files, "whatis &q__draw__2")


def test_an_unknown_name_of_a_package_is_named_with_it(files: list[str]) -> None:
    """As in GDB, `No definition of "q.unused"`. GNAT does not describe a type without objects."""
    asked = {
        "print q.unused'last": "q.unused",
        "ptype q.unused": "q.unused",
        "print q.Nothing.x": "q.nothing",
        "print q.inner.nothing": "q.inner.nothing",
        "print nothing.x": "nothing",
    }
    expected = [f'No symbol "{name}" in current context.' for name in asked.values()]
    assert _own(files, *asked) == expected
    assert _own(files, "output q.inner.one", "output r.x") == ["1", "3"]
