"""Comparisons of whole arrays and records of Ada and Fortran, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core
from tests.repl.test_ada_records_gdb import compiled

# Packed arrays have no bits of padding: GDB compares what an earlier call left in them.
ADA = """\
procedure Example is
   type List is array (1 .. 3) of Integer;
   type Shift is array (5 .. 7) of Integer;
   type Open is array (Positive range <>) of Integer;
   type Grid is array (1 .. 2, 1 .. 3) of Integer;
   type Flags is array (1 .. 8) of Boolean; pragma Pack (Flags);
   type Threes is mod 8;
   type Bits is array (1 .. 8) of Threes; pragma Pack (Bits);
   type Rec is record X, Y : Integer; end record;
   type Recs is array (1 .. 2) of Rec;
   type Ref is access Open;
   type Text is access String;
   type Whole is access List;
   L1, L2 : List := (1, 2, 3);
   L3 : List := (1, 2, 4);
   M1 : Shift := (1, 2, 3);
   O2 : Open (4 .. 6) := (1, 2, 3);
   O4 : Open (4 .. 7) := (1, 2, 3, 4);
   G1, G2, G3 : Grid := ((1, 2, 3), (4, 5, 6));
   P1, P2, P3 : Flags := (True, False, True, True, others => False);
   T1, T2, T3 : Bits := (1, 2, 3, 4, 5, others => 0);
   R1, R2, R3 : Rec := (1, 2);
   A1, A2, A3 : Recs := ((1, 2), (3, 4));
   S1, S2 : String := "abc";
   S3 : String := "abcd";
   U0 : Ref := null;
   U1 : Ref := new Open'(1, 2, 3);
   U2 : Ref := new Open'(1, 2, 3);
   V1 : Text := new String'("abc");
   W1 : Whole := new List'(1, 2, 3);
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Stop (X, Y : Open; S : String; T : List) is
   begin
      if X (X'First) = Y (Y'First) and S (S'First) = 'a' and T (1) = 1 then C_Abort; end if;
   end Stop;
begin
   G3 (2, 3) := 7; P3 (5) := True; T3 (5) := 6; R3.Y := 3; A3 (2).Y := 5;
   Stop (U1.all, O2, S1, L1);
   L1 (1) := 3; L2 (1) := 4; L3 (1) := 4; M1 (5) := 1; O4 (4) := 1; S2 (1) := 'y'; S3 (1) := 'x';
   R1.X := 3; R2.X := 4; G1 (1, 1) := 3; G2 (1, 1) := 3; P1 (1) := False; P2 (2) := True;
   T1 (1) := 0; T2 (1) := 0; A1 (1).X := 3; A2 (1).X := 3; U0 := U2; V1 := null; W1 := null;
end Example;
"""
OF_ADA = """l1 = l2, l1 = l3, l1 /= l2, l1 /= l3, l1 = m1, m1 = l1, l1 = o2, o2 = o4, l1(1..2) =
    l3(1..2), l1(2..3) = o2(5..6), g1 = g2, g1 = g3, g1 /= g3, g1 = l1, p1 = p2, p1 = p3, t1
    = t2, t1 /= t3, r1 = r2, r1 = r3, r1 /= r3, a1 = a2, a1 = a3, a1(1) = a3(1), s1 = s2, s1
    = s3, s1 = "abc", s1 /= "abc", s3 = "abc", "abc" = s1, s1(1..2) = "ab", s1 = l1, u1 = l1,
    l1 = u1, u1.all = u2.all, u0 = u1, u1 /= u0, v1 = "abc", "abc" = v1, v1.all = "abc",
    w1.all = l1, w1 = l1, l1 = w1, 1 = l1, l1 = r1, r1 = l1, l1 = &l1, l1(1) = l2,
    l2 = l1(1), r1 < r2, not (l1 = l2), $a = l1"""


def _compared(expressions: str) -> list[str]:
    return [f"print {' '.join(one.split())}" for one in expressions.split(",")]


def test_ada(tmp_path: Path, tool: Callable[[str], str]) -> None:
    files = compiled(tmp_path, tool, ADA, "-g", "-fgnat-encodings=gdb")
    commands = ["frame function example", *_compared(OF_ADA), "frame function example.stop"]
    commands += _compared(
        'x = y, x = t, t = x, x /= y, s = "abc", s = s3, x(1..2) = y(4..5), x = u1'
    )
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands)[1:] == of_gdb[1:]
    assert of_gdb[1].endswith("= true\n") and of_gdb[2].endswith("= false\n")
    objects = [commands[0], "output u1 = u2", "output u1 = u1", "output u1 /= u2"]
    own = answers(None, files, objects)[1:]  # of access values (Ada 2012 4.5.2)
    assert [answer.splitlines()[-1] for answer in own] == ["false", "true", "true"]


FORTRAN = """\
program eq
  integer :: a(3) = [1, 2, 3], b(3) = [1, 2, 3], c(3) = [1, 2, 4], d(4) = [1, 2, 3, 4]
  integer :: g(2,3) = 1, h(2,3) = 1
  character(len=3) :: v(2) = ['abc', 'def'], w(2) = ['abc', 'def'], s = 'abc'
  integer, allocatable :: e(:)
  logical :: l(2) = [.true., .false.], m(2) = [.true., .false.]
  allocate(e(3))
  e = a
  call stop_here
  print *, a, b, c, d, g, h, v, w, s, e, l, m
contains
  subroutine stop_here
    call abort
  end subroutine
end program
"""
OF_FORTRAN = """a == b, a == c, a /= b, a /= c, a == d, g == h, v == w, v == s, e == a, l == m,
    a == 1, 1 == a, a < b, a(1:2) == c(1:2), a(1:3:2) == c(1:3:2), s == 1, a == s, a == &a,
    .not. (a == b), $nosuch == a"""


def test_fortran(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.f90": FORTRAN}, [[tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = ["frame function eq", *_compared(OF_FORTRAN)]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands)[1:] == of_gdb[1:]
    assert of_gdb[1].endswith("= .TRUE.\n") and of_gdb[2].endswith("= .FALSE.\n")
