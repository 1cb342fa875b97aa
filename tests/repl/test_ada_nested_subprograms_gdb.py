"""Names of subprograms of Ada that are declared in other ones, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import ada_with_core, answers, build, last_lines, with_core

SOURCE = """\
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Run (N : Integer) is
      procedure Inner (M : Integer) is
         N : Integer := M + 4;
      begin
         if M > 0 and N > 0 then
            C_Abort;
         end if;
      end Inner;
      procedure Same is
      begin
         Inner (N);
      end Same;
   begin
      Same;
   end Run;
   procedure Walk (N : Integer) is
      procedure Same is
      begin
         Run (N);
      end Same;
   begin
      Same;
   end Walk;
begin
   Walk (3);
end Example;
"""
OF_BLOCKS = """\
with Ada.Text_IO; use Ada.Text_IO;
procedure Example is
   I : Integer := 7;
   procedure Inner (X : Integer; P : String) is
      I : Integer := X + 1;
      Loc : Integer := 99;
      procedure Deep (J : Integer) is
         I : Integer := 1000;
         K : Integer := 5;
         procedure Stop;
         pragma Import (C, Stop, "abort");
      begin
         Put_Line (Integer'Image (I + J + Loc + K) & P & Integer'Image (Example.I));
         declare
            K : Integer := 6;
         begin
            Stop;
            Put_Line (Integer'Image (I + K));
         end;
      end Deep;
   begin
      Deep (I);
   end Inner;
begin
   Inner (I, "par");
end Example;
"""
OF_PACKAGES = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   generic
      Start : Integer;
   package Gen is
      type Pair is record A, B : Integer := Start; end record;
      Count : Integer := Start;
      Both  : Pair;
      package Deeper is Depth : Integer := Start + 1; end Deeper;
      procedure Stop (X : Integer);
   end Gen;
   package body Gen is
      Hidden : Integer := Start + 2;
      procedure Stop (X : Integer) is
      begin
         Hidden := Hidden + X;
         C_Abort;
      end Stop;
   end Gen;
   procedure Work (N : Integer) is
      package Own is new Gen (N);
      package Two is new Gen (20);
   begin
      if Two.Count > Own.Count then Own.Stop (100); end if;
   end Work;
begin
   Work (10);
end Example;
"""
IN_PACKAGES = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   generic
      Start : Integer;
      type Item is private;
      with procedure Then_Call;
   package Gen is
      N : Integer := Start + 1;
      Last : Item;
      procedure Stop (X : Integer);
   end Gen;
   package body Gen is
      Hidden : Integer := Start + 2;
      procedure Stop (X : Integer) is
      begin
         Hidden := Hidden + X;
         Then_Call;
      end Stop;
   end Gen;
   generic
      Start : in out Integer;
   procedure Add (X : Integer);
   procedure Add (X : Integer) is
      procedure Inside is
      begin
         Start := Start + X;
         C_Abort;
      end Inside;
   begin
      Inside;
   end Add;
   procedure Outer (N : Integer; Size : Integer) is
      Count : Integer := 100;
      Start : Integer := 101;
      Other : Integer := 102;
      Text  : String (1 .. Size) := (others => 'a');
      procedure Blocks;
      procedure Add_Count is new Add (Count);
      procedure Add_Other is new Add (Other);
      package P is
         N : Integer := 7;
         type Kind is record A, B : Integer := 70; end record;
         Pair : Kind;
         procedure Show;
         procedure Show (I : Integer);
         package Q is
            N : Integer := 8;
            Count : Integer := 9;
            procedure Show;
         end Q;
      end P;
      package Q is
         Deep : Integer := 10;
         M : Integer := 11;
         Own : Integer := 12;
      end Q;
      package One is new Gen (N + 20, Character, P.Q.Show);
      package Two is new Gen (N + 30, Integer, Blocks);
      package body P is
         M : Integer := 3;
         procedure Show is
         begin
            Show (M);
         end Show;
         procedure Show (I : Integer) is
            procedure Sub is
            begin
               One.Stop (N);
            end Sub;
         begin
            Sub;
         end Show;
         package body Q is
            M : Integer := 4;
            procedure Show is
            begin
               Two.Stop (M);
            end Show;
         end Q;
      end P;
      procedure Blocks is
         K : Integer := N;
         Deep : Integer := 60;
      begin
         declare
            K : Integer := 61;
            package B is
               K : Integer := 62;
               procedure Show;
            end B;
            package body B is
               procedure Show is
               begin
                  Add_Other (K);
               end Show;
            end B;
         begin
            B.Show;
         end;
      end Blocks;
   begin
      Text (1) := 'b';
      P.Show;
      Add_Count (1);
   end Outer;
begin
   Outer (1, 2);
end Example;
"""
NO_COMPONENT = "Attempt to extract a component of a value that is not a structure."
NAMES = ("run", "example.run", "RUN", "Example.Run", "inner", "example.run.inner")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """Gives the program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


@pytest.fixture(scope="module")
def files_in_packages(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]
) -> list[str]:
    return ada_with_core(tool, tmp_path_factory.mktemp("packages"), IN_PACKAGES)


@pytest.mark.parametrize("function", ["example.run.inner", "example.run", "example"])
def test_known_everywhere(files: list[str], tool: Callable[[str], str], function: str) -> None:
    asked = [f"frame function {function}", *(f"print/x &{name}" for name in NAMES)]
    own = answers(None, files, [*asked, "print/x inner'address"])
    assert own == answers(tool("gdb"), files, [*asked, "print/x inner'address"])
    assert all(" = 0x" in text for text in own[1:])


@pytest.mark.parametrize(("function", "expected"), [
    ("example.run.inner", {"n": "7", "inner.n": "7", "run.n": "3", "Example.Run.N": "3",
                           "example.run.inner.m": "3", "example.run.n + 1": "4"}),
    ("example.run", {"n": "3", "run.n": "3", "example.run.n": "3"}),
])  # fmt: skip
def test_expanded_names(files: list[str], function: str, expected: dict[str, str]) -> None:
    """A name after the subprogram around the code that declares it (Ada 2012 4.1.3), which GDB
    calls."""
    asked = [f"frame function {function}", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


def test_expanded_names_of_blocks(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT puts what a subprogram declares into a block where some of it needs to be computed."""
    expected = {
        "inner.i": "8", "inner.loc": "99", "inner.x": "7", "example.inner.i": "8",
        "deep.i": "1000", "Example.Inner.Deep.I": "1000", "example.i": "7", "deep.j": "8",
        "deep.k": 'Several blocks of deep declare k; "k" is the innermost.', "k": "6",
    }  # fmt: skip
    files = ada_with_core(tool, tmp_path, OF_BLOCKS)
    asked = ["frame function example.inner.deep", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


@pytest.mark.parametrize("function", ["example.work.own.stop", "example.work"])
def test_packages_of_subprograms(tmp_path: Path, tool: Callable[[str], str], function: str) -> None:
    """They have the names of packages (Ada 2012 4.1.3); the subprogram has not what is in them."""
    expected = {
        "work.own.count": "10", "example.work.own.count": "10", "Work.Two.Count": "20",
        "work.own.both": "(a => 10, b => 10)", "example.work.two.both.b": "20",
        "work.own.deeper.depth": "11", "work.own.hidden": "112", "work.two.hidden": "22",
        "work.own.count + work.n": "20", "work.count": NO_COMPONENT, "work.depth": NO_COMPONENT,
        "work.own.depth": NO_COMPONENT, "work.own.nothing": NO_COMPONENT,
    }  # fmt: skip
    files = ada_with_core(tool, tmp_path, OF_PACKAGES)
    asked = [f"frame function {function}", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected


@pytest.mark.parametrize(("function", "expected"), [
    ("example.outer.p.show", {"n": "7", "count": "100", "m": "3", "q.n": "8", "sizeof(kind)": "8"}),
    ("example.outer.p.show.sub", {"n": "7", "count": "100", "m": "3", "start": "101", "i": "3"}),
    ("example.outer.p.q.show", {"n": "8", "count": "9", "m": "4", "own": "12", "p.n": "7"}),
    ("example.outer.one.stop", {"n": "22", "start": "21", "hidden": "30", "sizeof(item)": "1"}),
    ("example.outer.two.stop", {"n": "32", "start": "31", "hidden": "37", "sizeof(item)": "4"}),
    ("example.outer.blocks", {"n": "1", "k": "61", "b.k": "62", "deep": "60"}),
    ("example.outer.add_other.inside", {"n": "1", "start": "164", "other": "164", "x": "62"}),
    ("example.outer", {"n": "1", "count": "100", "start": "101", "other": "164", "deep": "10"}),
])  # fmt: skip
def test_packages_around_the_code(
    files_in_packages: list[str], function: str, expected: dict[str, str]
) -> None:
    """What the innermost package around the code declares hides what the subprogram with that
    package does (Ada 2012 8.3); GDB prints the latter, or asks."""
    asked = [f"frame function {function}", *(f"output {name}" for name in expected)]
    assert dict(zip(expected, last_lines(files_in_packages, asked)[1:], strict=True)) == expected


def test_a_package_of_a_block_around_the_code(files_in_packages: list[str]) -> None:
    """GNAT gives the block a name in that of the subprogram."""
    asked = ["frame function example.outer.blocks", "down", "output k", "output n", "output deep"]
    assert last_lines(files_in_packages, asked)[2:] == ["62", "1", "60"]


def test_packages_not_around_the_code(files_in_packages: list[str]) -> None:
    asked = ["frame function example.outer", "print m", "print hidden"]
    _, m, hidden = last_lines(files_in_packages, asked)
    assert m.endswith('"m" is in several packages; say which: p.m, p.q.m, q.m')
    assert hidden.endswith('"hidden" is in several packages; say which: one.hidden, two.hidden')


IN_TASK = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   package P is
      N : Integer := 7;
      task T;
   end P;
   package body P is
      task body T is
         N : Integer := 4;
         package R is
            N : Integer := 12;
            procedure Show;
         end R;
         package body R is
            procedure Show is
            begin
               if N > 0 then C_Abort; end if;
            end Show;
         end R;
      begin
         R.Show;
      end T;
   end P;
begin
   null;
end Example;
"""


def test_a_package_of_a_task_around_the_code(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = ada_with_core(tool, tmp_path, IN_TASK)
    asked = ["frame function example__p__tTKB", "output n", "down", "output n"]
    assert last_lines(files, asked)[1::2] == ["4", "12"]


IN_TASK_TYPE = {
    "p.ads": """\
package P is
   N : Integer := 1;
   K : Integer := 2;
   task type Worker is entry Go; end Worker;
   protected Box is
      entry Wait;
   private
      procedure Bump;
      C : Integer := 3;
   end Box;
   protected type Lock is
      function Get return Integer;
      function Get (A : Integer) return Integer;
   private
      C : Integer := 4;
   end Lock;
   The_Lock : Lock;
end P;
""",
    "p.adb": """\
package body P is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   task body Worker is
      N : Integer := 11;
      package W is N : Integer := 12; K : Integer := 13; procedure Show; end W;
      package body W is
         procedure Show is begin Box.Wait; N := K; end Show;
      end W;
   begin
      accept Go do
         declare
            N : Integer := 14;
            package In_Accept is K : Integer := 15; procedure Show; end In_Accept;
            package body In_Accept is
               procedure Show is begin W.Show; K := N; end Show;
            end In_Accept;
         begin
            In_Accept.Show;
         end;
      end Go;
      N := 0;
   end Worker;
   protected body Box is
      entry Wait when C > 0 is
         package V is N : Integer := 21; procedure Show; end V;
         package body V is
            procedure Show is begin Bump; N := K; end Show;
         end V;
      begin
         V.Show;
      end Wait;
      procedure Bump is
         N : Integer := 31;
         package V is
            type Pair is record A, B : Integer := 32; end record;
            N : Pair;
            procedure Show;
         end V;
         package body V is
            Z : Integer := 33;
            procedure Show is begin Z := The_Lock.Get (Z); end Show;
         end V;
      begin
         V.Show; N := 0;
      end Bump;
   end Box;
   protected body Lock is
      function Get return Integer is (C);
      function Get (A : Integer) return Integer is
         package V is K : Integer := 41; procedure Show; end V;
         package body V is
            procedure Show is begin if K > 0 then C_Abort; end if; end Show;
         end V;
      begin
         V.Show;
         return C + A;
      end Get;
   end Lock;
end P;
""",
    "example.adb": "with P; procedure Example is W : P.Worker; begin W.Go; end Example;",
}


@pytest.fixture(scope="module")
def files_in_task_type(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]
) -> list[str]:
    return ada_with_core(tool, tmp_path_factory.mktemp("types"), IN_TASK_TYPE)


@pytest.mark.parametrize(("function", "ups", "expected"), [
    ("p__workerTB", 0, {"n": "14", "k": "2", "in_accept.k": "15", "w.n": "12"}),
    ("p__worker__w__show", 1, {"n": "14", "k": "15"}),  # in the package in the accept statement
    ("p__worker__w__show", 0, {"n": "12", "k": "13", "worker.n": "11"}),
    ("p__boxT__bump__v__show", 2, {"n": "21", "k": "2", "v.n": "21"}),  # in the entry
    ("p__box__bumpN", 0, {"n": "31", "bump.n": "31", "v.z": "33", "p.box.bump.v.z": "33"}),
    ("p__boxT__bump__v__show", 0, {"n.a": "32", "z": "33", "k": "2", "bump.n": "31",
                                   "sizeof(pair)": "8"}),
    ("p__lock__getN__2", 0, {"k": "2", "a": "33", "get.v.k": "41"}),
    ("p__lock__get__v__show__2", 0, {"k": "41", "n": "1", "get.a": "33"}),
])  # fmt: skip
def test_packages_of_concurrent_types(
    files_in_task_type: list[str], function: str, ups: int, expected: dict[str, str]
) -> None:
    """gnat names the code of a task or a protected subprogram and what is in it differently."""
    asked = [f"frame function {function}", *(["up"] * ups)]
    asked += [f"output {name}" for name in expected]
    own = last_lines(files_in_task_type, asked)[1 + ups :]
    assert dict(zip(expected, own, strict=True)) == expected


def test_breakpoints_in_tasks_and_protected_objects(
    files_in_task_type: list[str],
) -> None:
    """What Tab offers for `break` it takes; GDB 13 takes only single tasks."""
    program = files_in_task_type[0]
    names = ["box.bump", "box.wait", "lock.get", "worker", "worker.w.show"]
    lines = ["32", "24", "locations)", "3", "7"]
    asked = [f"break p.{name}" for name in names]
    own = last_lines([program], asked)
    at = [line.rpartition(" ")[2].rstrip(".") for line in own]
    assert at == lines, own
    offered = answers(None, files_in_task_type, ["complete break p.", "complete print p."])
    for name in names:
        assert f"break p.{name}\n" in offered[0]
    assert "print p.worker.w.show\n" in offered[1]
    for name in names[:4]:
        assert f"print p.{name}\n" not in offered[1]


IN_HIDDEN_PACKAGE = {
    "p.ads": "package P is procedure Run; end P;",
    "p.adb": """\
package body P is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   N : Integer := 1;
   package Hidden is
      task Single is entry Go; end Single;
      task type Worker is entry Go; end Worker;
      protected Box is procedure Bump (A : Boolean); procedure Bump (A : Integer); end Box;
      protected type Lock is procedure Take; end Lock;
      The_Lock : Lock;
   end Hidden;
   package body Hidden is
      task body Single is
         N : Integer := 11;
         type Rec is record C : Integer := 7; end record;
         R : Rec;
         package V is N : Integer := 12; procedure Show; end V;
         package body V is
            procedure Show is begin N := N + 1; Box.Bump (N); end Show;
         end V;
      begin
         accept Go do V.Show; end Go;
      end Single;
      task body Worker is
         N : Integer := 21;
         package V is N : Integer := 22; procedure Show; end V;
         package body V is
            procedure Show is begin Single.Go; N := 0; end Show;
         end V;
      begin
         accept Go do V.Show; end Go;
      end Worker;
      protected body Box is
         procedure Bump (A : Boolean) is null;
         procedure Bump (A : Integer) is
            N : Integer := 31;
            package V is N : Integer := 32; procedure Show; end V;
            package body V is
               procedure Show is begin The_Lock.Take; N := A; end Show;
            end V;
         begin
            V.Show;
            N := 0;
         end Bump;
      end Box;
      protected body Lock is
         procedure Take is
            N : Integer := 41;
            package V is N : Integer := 42; procedure Show; end V;
            package body V is
               procedure Show is begin if N > 0 then C_Abort; end if; end Show;
            end V;
         begin
            V.Show;
            N := 0;
         end Take;
      end Lock;
   end Hidden;
   procedure Run is W : Hidden.Worker; begin W.Go; end Run;
end P;
""",
    "example.adb": "with P; procedure Example is begin P.Run; end Example;",
}


@pytest.fixture(scope="module")
def files_in_hidden_package(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]
) -> list[str]:
    return ada_with_core(tool, tmp_path_factory.mktemp("hidden"), IN_HIDDEN_PACKAGE)


@pytest.mark.parametrize(("thread", "function", "expected"), [
    (1, "p__hidden__lock__take__v__show", {"n": "42", "take.n": "41", "p.n": "1"}),
    (1, "p__hidden__lock__takeNX", {"n": "41", "v.n": "42", "take.v.n": "42"}),
    (1, "p__hidden__boxT__bump__v__show__2", {"n": "32", "bump.n": "31"}),
    (1, "p__hidden__box__bumpN__2X", {"n": "31", "v.n": "32", "bump.n": "31"}),
    (1, "p__hidden__singleTK__v__show", {"n": "13", "single.n": "11", "hidden.single.n": "11"}),
    (1, "p__hidden__singleTKBX", {"n": "11", "v.n": "13", "single.n": "11", "single.r.c": "7"}),
    (3, "p__hidden__worker__v__show", {"n": "22", "worker.n": "21"}),
    (3, "p__hidden__workerTBX", {"n": "21", "v.n": "22"}),
])  # fmt: skip
def test_packages_of_concurrent_types_in_package_bodies(
    files_in_hidden_package: list[str], thread: int, function: str, expected: dict[str, str]
) -> None:
    """gnat adds behind the mark that the body of a package declares them: `takeNX`."""
    asked = [f"thread {thread}", f"frame function {function}"]
    asked += [f"output {name}" for name in expected]
    own = last_lines(files_in_hidden_package, asked)[2:]
    assert dict(zip(expected, own, strict=True)) == expected


IN_OVERLOADED = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   K : Integer := 1;
   procedure Over (A : Integer) is
      procedure Deep is begin K := A; end Deep;
   begin
      Deep;
   end Over;
   procedure Over (A : Boolean) is
      procedure Deep is begin Over (2); end Deep;
      procedure Deep (B : Integer) is
         package D is
            K : Integer := 3;
            procedure Show;
            procedure Show (C : Integer);
         end D;
         package body D is
            type Pair is record A, B : Integer := 4; end record;
            N : Pair;
            procedure Show is begin Show (5); end Show;
            procedure Show (C : Integer) is begin
               if C > N.A then C_Abort; end if;
            end Show;
         end D;
      begin
         Deep;
         D.Show;
      end Deep;
   begin
      Deep (6);
   end Over;
begin
   Over (True);
end Example;
"""


def test_packages_of_overloaded_subprograms(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The numbers of all subprograms around a name follow it, as `__2_2_1`."""
    expected = {"k": "3", "n.a": "4", "b": "6", "sizeof(pair)": "8", "example.k": "2"}
    files = ada_with_core(tool, tmp_path, IN_OVERLOADED)
    for function in ("example__over__deep__d__show__2_2_2", "example__over__deep__d__show__2_2_1"):
        asked = [f"frame function {function}", *(f"output {name}" for name in expected)]
        assert dict(zip(expected, last_lines(files, asked)[1:], strict=True)) == expected
    asked = ["frame function example__over__2", "print &deep"]
    deep = "example__over__deep"
    listed = f"say which: {deep}__2_1 is a procedure, {deep}__2_2 is a procedure (a1: integer)"
    assert listed in last_lines(files, asked)[1]


IN_PACKAGE_BODIES = {
    "p.ads": "package P is N : Integer := 1; procedure Run; end P;",
    "p.adb": """\
package body P is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   M : Integer := 2;
   procedure Run is
      N : Integer := 3;
      K : Integer := 4;
      package Q is N : Integer := 5; end Q;
      package body Q is
      begin
         if N = 5 then C_Abort; end if;
      end Q;
      package Later is K : Integer := 6; end Later;
   begin
      N := Later.K + K;
   end Run;
   package R is M : Integer := 7; end R;
   package body R is
   begin
      if M = 7 then Run; end if;
   end R;
begin
   M := M + N;
end P;
""",
    "example.adb": "with P; procedure Example is begin P.Run; end Example;",
}


def test_statements_of_package_bodies(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """No entry says that the code is in them; GDB asks for a number, or prints the first one."""
    files = ada_with_core(tool, tmp_path, IN_PACKAGE_BODIES)
    rows = [
        ("p__run", "n", "3", "q.n"), ("p__run", "k", "4", None), ("p__run", "q.n", "5", None),
        ("p___elabb", "m", "2", "p.r.m"), ("p___elabb", "n", "1", None),
    ]  # fmt: skip
    for function, name, value, of_package in rows:
        for command in (f"output {name}", f"output {name} + 0"):
            text = answers(None, files, [f"frame function {function}", command])[1]
            note = f'note: "{name}" may be {of_package}: debug information does not say whether'
            assert value in text.splitlines(), text
            assert note in text if of_package else "note: " not in text, text


def test_listed_names(files_in_packages: list[str], tool: Callable[[str], str]) -> None:
    """Those of packages have points."""
    commands = ["frame function example.outer.blocks", "info locals"]
    own = answers(None, files_in_packages, commands)
    assert own == answers(tool("gdb"), files_in_packages, commands)
    assert "b.k = 62" in own[1]


def test_completion(files_in_packages: list[str], tool: Callable[[str], str]) -> None:
    """Names in subprograms are known everywhere, those of variables in packages in their code."""
    commands = [
        "frame function example.outer",
        "complete break example.outer.p.",
        "complete print example.outer.b",
        "complete print q.",
        "complete print p.q.",
    ]
    own = answers(None, files_in_packages, commands)
    assert own == answers(tool("gdb"), files_in_packages, commands)
    lines = [text.splitlines()[1:] for text in own[1:]]
    assert lines[0] == [f"break example.outer.p.{name}" for name in ("q.show", "show", "show.sub")]
    assert lines[2] == [f"print q.{name}" for name in ("deep", "m", "own")]
    typed = answers(None, files_in_packages, [commands[0], "complete print P.Q.Co"])[1]
    assert typed.splitlines()[1:] == ["print P.Q.Count"]


def test_info_address(files: list[str]) -> None:
    asked = [f"info address {name}" for name in (*NAMES, "run.inner")]  # GDB calls run
    own = answers(None, files, ["frame function example", *asked])
    assert all(" is a function at address 0x" in text for text in own[1:])


def test_several_of_a_name(files: list[str]) -> None:
    """The one of the innermost subprogram around the code is meant; of none, all are listed."""
    asked = ["frame function example.run", "print/x &same", "print/x &run.same"]
    asked += ["frame function example", "print &same"]
    own = answers(None, files, asked)
    assert own[1].partition(" = ")[2] == own[2].partition(" = ")[2]
    listed = '"same" is in several packages; say which: example.run.same, example.walk.same'
    assert listed in own[4]


INLINED = """\
procedure Example is
   Sink : Integer := 0 with Volatile;
   Nowhere : access Integer with Volatile;
   function F (N : Integer) return Integer with Inline_Always;
   function F (N : Integer) return Integer is
      type Kind is (En, Other);
      type Rec is record A, B : Integer; end record;
      R : Rec := (N, Sink);
      K : Kind := (if N > 100 then Other else En);
   begin
      Sink := Nowhere.all;
      return R.A + R.B + Kind'Pos (K);
   end F;
begin
   Sink := F (Sink) + F (Sink);
end Example;
"""


def test_types_of_an_inlined_subprogram(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Only the abstract instance has them."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O1", "-gnatp", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": INLINED}, [make])
    files = with_core(tool, tmp_path)
    commands = ["ptype rec", "ptype kind", "ptype example.f.rec"]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "type = record" in own[0] and "type = (en, other)" in own[1]


IN_ITS_PARENT = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   G : Integer := 3 with Volatile;
   procedure Use_It (N : Integer) is
      V : Integer := N with Volatile;
   begin
      if V > 0 then C_Abort; end if;
      V := 0;
   end Use_It;
   pragma No_Inline (Use_It);
   function Outer (A : Integer) return Integer is
      Loc : Integer := A * 2 + G with Volatile;
      procedure Inner (Q : Integer) is
         procedure Inmost is
         begin
            Loc := Loc + 1;
            Use_It (Q + Loc + A + G);
         end Inmost;
         pragma Inline_Always (Inmost);
      begin
         Inmost;
      end Inner;
      pragma Inline_Always (Inner);
      procedure Mid (W : Integer) is
         X : Integer := Outer (A - 1);
      begin
         Loc := Loc + X + W;
         Use_It (0);
      end Mid;
      pragma No_Inline (Mid);
   begin
      if A > 3 then
         Mid (A);
      else
         Inner (7);
      end if;
      Use_It (A);
      return Loc;
   end Outer;
   pragma No_Inline (Outer);
begin
   G := Outer (5);
end Example;
"""


def test_a_subprogram_inlined_into_that_around_it(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """It has no static link of its own: its parent is the frame of its call, not the one to which
    the link of that leads."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb", "-o", "a"]
    build(tmp_path, {"example.adb": IN_ITS_PARENT}, [make])
    files = with_core(tool, tmp_path)
    names = [f"output {name}" for name in ("a", "loc", "q")]
    commands = ["frame function example.use_it", "up", *names, "up", *names]
    commands += ["up", *names[:2], "up", *names[:2]]  # no q
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "example.outer.inner.inmost ()" in own[1] and own[-1] == "output loc\n11"
