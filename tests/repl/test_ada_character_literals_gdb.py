"""Enumerators of Ada that are character literals, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import ada_with_core, answers

SOURCE = """\
procedure Example is
   type Color is (Red, Green, 'x', 'Z', '+', Violet);
   for Color use (Red => 1, Green => 5, 'x' => 12, 'Z' => 13, '+' => 14, Violet => 20);
   type Letter is ('a', 'b', 'c', 'd');
   type Wide is ('a', '["e9"]', '["03a9"]', Other);
   subtype Last is Color range 'x' .. Violet;
   type Counts is array (Letter) of Integer;
   type Part is array (Letter range 'b' .. 'd') of Integer;
   type Word is array (1 .. 3) of Letter;
   type Shape (K : Letter := 'b') is record
      case K is
         when 'a' => X : Integer;
         when 'b' => Y : Float := 2.5;
         when others => null;
      end case;
   end record;
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Show (N : Integer) is
      C : Color := 'x';
      D : Color := Green;
      L : Letter := 'b';
      W : Wide := '["03a9"]';
      W2 : Wide := '["e9"]';
      S : Last := '+';
      T : Counts := (1, 2, 3, 4);
      P : Part := (7, 8, 9);
      O : Word := ('b', 'a', 'd');
      Sh : Shape;
      Ch : Character := 'x';
   begin
      if N > 0 and C = 'x' and D = Green and L = 'b' and W = '["03a9"]' and W2 = '["e9"]'
        and S = '+' and T (L) = 2 and P ('c') = 8 and O (1) = 'b' and Sh.K = 'b' and Ch = 'x'
      then
         C_Abort;
      end if;
   end Show;
begin
   Show (3);
end Example;
"""
SAME = """\
info locals
print c
output c
print/d c
print s
print o
ptype sh
ptype c
ptype w
ptype s
ptype p
print t'first
print letter'last
print color'('x')
print color'val(2)
print t('b')
print p('b')
print t(l..l)
print $e := c
print ch = 'x'
print ch = c
print 'x'
whatis 'x'
whatis "hello"
ptype "x"
whatis ""
print "hello"(1)
whatis "hello"(1)
whatis "he" & "llo"
print -elements 3 -- "hello"
print -elements 11 -- "aaaaaaaaaaaabbbbbbbbbbbbbcd"
print -elements 12 -- "xaaaaaaaaaaaaaaay"
""".splitlines()
AS_IN_ADA = {
    "print c = 'x'": "true",
    "print 'x' = c": "true",
    "print c = 'Z'": "false",
    "print sh.k = 'b'": "true",
    "print l < 'c'": "true",
    "print color'pos('x')": "2",
    "print letter'max('a', l)": "1 'b'",
    "print letter('a')": "0 'a'",
    "print p('b'..'c')": "('b' => 7, 8)",
    "print d := 'Z'": "13 'Z'",
    "print d = 'Z'": "true",
    "print d := 'z'": "The enumeration has no character 'z'.",
    "print l = 'z'": "The enumeration has no character 'z'.",
}
"""What GDB takes for the code of a character."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    """Gives the program and its core file."""
    return ada_with_core(tool, tmp_path_factory.mktemp("ada"), SOURCE)


def test_values_and_types(files: list[str], tool: Callable[[str], str]) -> None:
    asked = ["frame function example.show", *SAME]
    of_gdb = answers(tool("gdb"), files, asked)
    assert answers(None, files, asked)[1:] == of_gdb[1:]
    assert of_gdb[2] == "print c\n$1 = 12 'x'\n"


def test_literals_of_an_expected_type(files: list[str]) -> None:
    """Another operand, a type or the target of an assignment says which type a literal has."""
    texts = answers(None, files, ["frame function example.show", *AS_IN_ADA])[1:]
    shown = [text.split("\n", 1)[1].strip() for text in texts]
    shown = [text.split(" = ", 1)[-1].partition("\n")[0] for text in shown]
    assert dict(zip(AS_IN_ADA, shown, strict=True)) == AS_IN_ADA
