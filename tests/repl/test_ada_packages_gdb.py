"""Names of packages that the code of Ada uses, beside those of C, against the installed GDB."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import open_object
from tests.cli.command import run
from tests.repl.side_by_side import ada_with_core, answers, build, last_lines, with_core

SOURCES = {
    "vars.ads": """\
package Vars is
   type Pair is record Left, Right : Integer; end record;
   type Color is (Red, Green, Blue);
   type Size is record X, Y : Integer; end record;
   Root    : Integer := 14;
   Environ : Integer := 16;
   Total   : Integer := 17;
   Own     : Integer := 18;
   Config  : Pair := (31, 32);
   Shade   : Color := Green;
   function Twice (N : Integer) return Integer;
end Vars;
""",
    "vars.adb": """\
with Config;
with Sums;
package body Vars is
   Secret : Integer := 41;
   function Twice (N : Integer) return Integer is
   begin
      Secret := Secret + Total + Standard.Config.Hits;
      Sums.Stop (N);
      return N * Secret;
   end Twice;
end Vars;
""",
    "sums.ads": """\
package Sums is
   Total  : Integer := 21;
   Count  : Integer := 22;
   Values : String (1 .. 3);
   procedure Stop (N : Integer);
end Sums;
""",
    "sums.adb": """\
with Ada.Text_IO; use Ada.Text_IO;
with Config; use Config;
with Vars; use Vars;
package body Sums is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Show (Name : String; Value : Integer) is
   begin
      Put_Line (Name & " =" & Value'Image);
   end Show;
   procedure Stop (N : Integer) is
   begin
      Count := Count + N;
      Show ("root", Root);
      Show ("environ", Environ);
      Show ("total", Total);
      Show ("vars.total", Vars.Total);
      Show ("count", Count);
      Show ("level", Level);
      Show ("hits", Hits);
      Show ("own", Own);
      Show ("config.hits", Standard.Config.Hits);
      Show ("vars.config.left", Vars.Config.Left);
      Flush;
      C_Abort;
   end Stop;
end Sums;
""",
    "config.ads": """\
package Config is
   type Size is record Width : Integer; end record;
   Wide  : Size := (Width => 3);
   Level : Integer := 222;
   Hits  : Integer := 2;
end Config;
""",
    "example.adb": """\
with Vars; use Vars;
with Config; use Config;
with Sums;
procedure Example is
   function Use_C (N : Integer) return Integer;
   pragma Import (C, Use_C, "use_c");
   Own : Integer := Root + Environ;
   Both : Vars.Size := (1, 2);
begin
   Level := Level + Use_C (Own);
   Own := Twice (Root + Level) + Color'Pos (Shade) + Both.X;
end Example;
""",
    "c.c": """\
static struct { int hits, mode; } config = {111, 5};
static int hits = 900, root = 901, only = 903, Own = 905, Root = 906;
int level = 902, count = 904;
int use_c(int n) {
    config.mode += n; hits += root++; level++; count += only++ + Own++ + Root++;
    return config.hits;
}
""",
}
NOTE = "the static variable of c.c, which the code here cannot mean"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    made = tmp_path_factory.mktemp("packages")
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a", "-largs", "c.o"]
    build(made, SOURCES, [[tool("gcc"), "-g", "-c", "c.c"], make])
    return made


@pytest.fixture(scope="module")
def files(folder: Path, tool: Callable[[str], str]) -> list[str]:
    return with_core(tool, folder)


def printed(text: str) -> list[str]:
    """Return the values and types in an answer."""
    lines = text.splitlines()
    return [line.partition(" = ")[2] for line in lines if line.startswith(("$", "type = "))]


def test_the_values_are_those_that_the_program_prints(files: list[str], folder: Path) -> None:
    """Libraries and files in C have the names, too, most of them as static variables."""
    run = subprocess.run([folder / "a"], stdout=subprocess.PIPE, text=True, check=False)
    lines = [line.partition(" = ") for line in run.stdout.splitlines()]
    commands = [f"print {name}" for name, _, _ in lines]
    out = answers(None, files, ["frame function sums.stop", *commands])
    assert [printed(text) for text in out[1:]] == [[value] for _, _, value in lines]
    assert len(lines) == 10


NAMES = ["root", "environ", "hits", "own", "ROOT", "vars.root", "shade", "red", "red=shade"]
NAMES += ["config.hits", "config.left", "vars.config.left", "secret", "only"]


@pytest.mark.parametrize("function", ["example", "vars.twice", "sums.stop"])
def test_names_of_packages_as_in_gdb(
    files: list[str], tool: Callable[[str], str], function: str
) -> None:
    # Inside of Vars, Config is the variable, which has no component `hits`.
    names = [name for name in NAMES if (name, function) != ("config.hits", "vars.twice")]
    commands = [f"frame function {function}", *(f"print {name}" for name in names)]
    commands += ["whatis pair", "whatis shade", "whatis vars.root"]
    of_gdb = list(map(printed, answers(tool("gdb"), files, commands)))
    assert list(map(printed, answers(None, files, commands))) == of_gdb
    assert len(of_gdb) == len(commands) and all(of_gdb[1:])


@pytest.mark.parametrize("name", ["Own", "own", "Root", "root"])
def test_eval_in_the_letters_of_c(files: list[str], name: str) -> None:
    """A static variable of C has the name in the letters that are written, not in those of the
    file of Ada."""
    _, shown = answers(None, files, ["frame function example", f"print {name}"])
    [number] = re.findall(r"^#(\d+) .* in example \(", run("bt", *files).out, re.MULTILINE)
    assert run("eval", *files, "--frame", number, name).out == f"{name} = {printed(shown)[0]}\n"


def test_what_gdb_asks_about(files: list[str]) -> None:
    """Of several packages none is guessed; C is not meant, and a package around the code is."""
    commands = ["frame function example", "print total", "print level", "print count"]
    out = answers(None, files, [*commands, "print only", "frame function vars.twice"])
    assert out[1].endswith('"total" is in several packages; say which: sums.total, vars.total\n')
    assert list(map(printed, out[2:4])) == [["333"], ["369"]]
    assert f"note: only is {NOTE}\n" in out[4]
    out = answers(None, files, ["frame function vars.twice", "print total", "print config.left"])
    assert list(map(printed, out[1:])) == [["17"], ["31"]]


def test_a_type_is_that_of_the_package_whose_types_the_unit_has(
    files: list[str], tool: Callable[[str], str]
) -> None:
    """A unit has entries of the types that it uses; that of Sums uses neither."""
    commands = ["frame function example", "whatis size", "ptype size"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert printed(own[1]) == ["vars.size"]
    out = answers(None, files, ["frame function sums.stop", "whatis size"])
    assert '"size" is in several packages; say which: config.size, vars.size' in out[1]


def test_a_package_comes_before_a_used_variable_with_its_name(files: list[str]) -> None:
    """The name of a library unit hides what only `use` makes visible (Ada 2012 8.4)."""
    out = answers(None, files, ["frame function example", "print config.hits"])
    assert printed(out[1]) == ["2"]
    note = "note: config.hits is that of the package config: vars.config has the name, too\n"
    assert out[1].endswith(note)


@pytest.mark.parametrize("option", ["-O0", "-gsplit-dwarf"])
def test_without_a_frame(tmp_path: Path, tool: Callable[[str], str], option: str) -> None:
    make = [tool("gnatmake"), "-q", "-g", option, "example.adb", "-o", "a", "-largs", "c.o"]
    build(tmp_path, SOURCES, [[tool("gcc"), "-g", "-c", "c.c"], make])
    commands = ["print root", "print Vars.Root", "print hits", "print red", "print sizeof(pair)"]
    out = answers(None, [str(tmp_path / "a")], commands)
    assert list(map(printed, out)) == [["14"], ["14"], ["2"], ["red"], ["8"]]


OF_STANDARD = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   package Own is
      type Integer is range -7 .. 7;
      type Boolean is (No, Yes);
      Level : Standard.Integer := 3;
      procedure Stop (N : Integer);
   end Own;
   package body Own is
      procedure Stop (N : Integer) is
         Natural : Standard.Integer := 40;
         B : Boolean := Yes;
      begin
         if N = 4 and B = Yes and Level + Natural = 43 then C_Abort; end if;
      end Stop;
   end Own;
begin
   Own.Stop (4);
end Example;
"""
WITH_ANOTHER = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   package Standard is
      type Integer is range -7 .. 7;
      Level : Integer := 3;
   end Standard;
begin
   Standard.Level := 2;
   C_Abort;
end Example;
"""


def test_the_package_standard(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Each predeclared type is in it, whatever the code around declares (Ada 2012 A.1)."""
    files = ada_with_core(tool, tmp_path, OF_STANDARD)
    commands = ["frame function example.own.stop", "whatis standard.integer"]
    commands += ["print standard.integer'last", "print standard.boolean'last"]
    commands += ["print standard.integer(4) + 1", "print Standard.Character'Val (65)"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands)[1:] == of_gdb[1:]
    assert "2147483647" in of_gdb[-4]
    types = ("integer", "boolean", "float", "character", "string", "duration", "positive")
    asked = [commands[0], *(f"whatis Standard.{name}" for name in types)]
    asked.append("whatis integer")
    of_types = [f"type = {name}" for name in (*types, "example.own.integer")]
    assert last_lines(files, asked)[1:] == of_types
    expected = {
        "standard.true": "true", "standard.natural'last": "2147483647", "natural": "40",
        "standard.example.own.level": "3", "standard.example.own.stop.n": "4",
        "standard.integer(n) + 1": "5",
    }  # fmt: skip
    asked = [commands[0], *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


def test_what_is_not_in_the_package_standard(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Only predefined names and library units are (Ada 2012 A.1, 10.1), nothing of C."""
    files = ada_with_core(tool, tmp_path, OF_STANDARD)
    names = ["level", "b", "n", "stop", "own.level", "main", "gnat_argc", "stdout"]
    names += ["environ", "size_t", "nosuch", "own.nosuch"]
    asked = ["frame function example.own.stop", *(f"print standard.{name}" for name in names)]
    refused = 'No symbol "standard" in current context.'
    assert dict.fromkeys(names, refused) == dict(
        zip(names, last_lines(files, asked)[1:], strict=True)
    )
    assert last_lines(files, [asked[0], "print standard.example"])[1].endswith(" <example>")


def test_another_package_standard(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It hides the predefined one."""
    files = ada_with_core(tool, tmp_path, WITH_ANOTHER)
    asked = ["frame function example", "output standard.level", "whatis standard.integer"]
    asked.append("output standard.integer'last")
    shown = last_lines(files, asked)
    assert shown[1:] == ["2", "type = example.standard.integer", "7"]


def test_symbols_of_data_have_the_names_of_the_source(
    files: list[str], tool: Callable[[str], str]
) -> None:
    """Not the encoded ones of the symbol table; those of C, `a__b`, are names of their own."""
    names = ("vars.root", "vars.config", "vars.config.right", "sums.values", "vars.secret")
    asked = ["frame function example"]
    for name in names:
        asked += [f"info symbol {name}'address", f"print {name}'address", f"print &{name}"]
    asked.append("info address vars.root")

    def shown(gdb: str | None) -> list[str]:
        return [text.split(" of /")[0].rstrip() for text in answers(gdb, files, asked)[1:]]

    own = shown(None)
    assert own == shown(tool("gdb"))
    assert own[0].endswith("vars.root in section .data")


def test_symbols_of_c_keep_two_underscores(tmp_path: Path, tool: Callable[[str], str]) -> None:
    text = "int a__b = 3; int main(void) { __builtin_abort(); }\n"
    build(tmp_path, {"a.c": text}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    [shown] = answers(None, [str(tmp_path / "a")], ["info symbol &a__b"])
    assert "\na__b in section .data" in shown


OPERATORS = {
    "pk.ads": """\
package Pk is
   type Rec is record A : Integer; end record;
   function "+" (A, B : Rec) return Rec;
   procedure Proc (I : in out Rec);
   Obj : Integer := 2;
   package Inner is
      function "+" (A : Integer; B : Rec) return Rec;
   end Inner;
end Pk;
""",
    "pk.adb": """\
package body Pk is
   package body Inner is
      function "+" (A : Integer; B : Rec) return Rec is
      begin
         return (A => A + B.A);
      end "+";
   end Inner;
   function "+" (A, B : Rec) return Rec is
   begin
      return (A => A.A + B.A);
   end "+";
   procedure Proc (I : in out Rec) is
   begin
      I := I + I;
   end Proc;
begin
   null;
end Pk;
""",
    "c.c": "void pk__cproc(void) {}\n",
    "example.adb": """\
with Pk; use Pk;
procedure Example is
   procedure Cproc with Import, Convention => C, External_Name => "pk__cproc";
   R : Rec := (A => 1);
begin
   R := Inner."+" (Obj, R); Proc (R); Cproc;
end Example;
""",
}


def test_operators_and_names_of_the_file_are_linespecs(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Angle brackets have a name as the file has it; functions of C that Ada calls are decoded."""
    tool("gcc")
    build(tmp_path, OPERATORS, [
        [tool("gcc"), "-g", "-c", "c.c"],
        [tool("gnatmake"), "-q", "-g", "-O0", "example.adb", "-o", "a", "-largs", "c.o"],
    ])  # fmt: skip
    files = [str(tmp_path / "a")]
    linespecs = ('"+"', 'pk."+"', 'PK."+"', 'pk.adb:"+"', "<pk__proc>", "<pk__Oadd>")
    linespecs += ('-function "+"', '-source pk.adb -function "+"', "<pk__cproc>", "<_ada_example>")
    linespecs += ("<_start>", "c.c:<pk__cproc>", "pk.adb:<pk__cproc>", "<nosuch>", '-function "="')
    asked = [f"break {linespec}" for linespec in linespecs]
    asked += ['break pk."nosuch"', "info scope <pk__proc>", "info address pk.proc"]
    names = ('"+"', 'pk."+"', 'PK.inner."+"', '"="', "<pk__proc>", "<pk__cproc>", "<_ada_example>")
    asked += [f"info address {name}" for name in (*names, "<pk__obj>", "<pk__inner__Oadd>")]
    asked += ["info breakpoints", "list <pk__cproc>"]
    assert answers(None, files, asked) == answers(tool("gdb"), files, asked)
    symbols = open_object(tmp_path / "a").symbols
    named = {one.name: one.address for one in symbols if one.name.startswith("pk__")}
    asked = [f"info symbol 16#{address:x}#" for address in named.values()]
    assert {"pk__cproc", "pk__Oadd"} <= named.keys()
    assert answers(None, files, asked) == answers(tool("gdb"), files, asked)
