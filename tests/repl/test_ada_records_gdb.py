"""Records of Ada whose parts are where discriminants say, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core


def compiled(folder: Path, tool: Callable[[str], str], source: str, *options: str) -> list[str]:
    """Return a program that GNAT makes, and its core file."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-O0", *options, "example.adb", "-o", "a"]
    build(folder, {"example.adb": source}, [make])
    return with_core(tool, folder)


SOURCE = """\
procedure Example is
   type Kind is (None, Short, Long);
   type List is array (Positive range <>) of Integer;
   type Part (M : Natural) is record Items : List (1 .. M); Tail : Integer; end record;
   type Whole (N : Natural; K : Kind) is record
      First : Integer; Items : List (1 .. N); Inner : Part (N); Name : String (1 .. N);
      case K is
         when None => null;
         when Short => S : Short_Integer; T : String (1 .. N);
         when Long => L : Long_Float; U : List (3 .. N);
      end case;
   end record;
   type Changing (K : Kind := None) is record
      case K is
         when None => null;
         when Short => S : Short_Integer;
         when Long => F : Float;
      end case;
   end record;
   type Several is array (1 .. 3) of Changing;
   Near : Whole (2, Short) := (2, Short, 1, (1, 2), (2, (3, 4), 5), "ab", 7, "cd");
   Far  : Whole (3, Long)  :=
     (3, Long, 1, (1, 2, 3), (3, (3, 4, 5), 6), "abc", 7.5, (3 => 8));
   Each : Several := ((K => None), (Short, 5), (Long, 2.5));
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
begin
   if Near.First + Far.First > 1 then C_Abort; end if;
   Each (1) := Each (2);
end Example;
"""


def test_parts_behind_what_a_discriminant_says(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT computes such a place in a DWARF procedure with DW_OP_push_object_address."""
    files = compiled(tmp_path, tool, SOURCE, "-g", "-fgnat-encodings=gdb")
    names = ["near", "far", "near.s", "near.t", "near.inner.tail"]
    names += ["far.l", "far.u", "far.u(3)", "&far.l", "near.l"]
    names += ["each", "each(2).s", "each(3)", "each(1)", "&each(2)"]
    commands = ["frame function example", *(f"print {name}" for name in names)]
    commands += ["ptype each", "whatis each(2)"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert 't => "cd"' in of_gdb[1] and "f => 2.5" in of_gdb[11]


ENCODED = """\
procedure Example is
   type Money is delta 0.25 range -100.0 .. 100.0;
   type List is array (Positive range <>) of Integer;
   type Color is (Red, Green, Blue);
   type Grid is array (Color range <>, Integer range <>) of Short_Integer;
   type Whole (N : Natural) is record
      First : List (1 .. N); Name : String (1 .. N); Last : Integer;
   end record;
   procedure Stop (Text : String; Numbers : List; Table : Grid; Price : Money; N : Integer) is
      procedure C_Abort;
      pragma Import (C, C_Abort, "abort");
      Local : Whole (N);
   begin
      Local := (N, (others => 4), (others => 'x'), 5);
      if Text'Length + Numbers'Length + Integer (Price) > Local.Last then C_Abort; end if;
      if Table'Length > 1 then C_Abort; end if;
   end Stop;
   Name : String (1 .. 5) := "hello";
   Few  : List (1 .. 4) := (1, 2, 3, 4);
begin
   Stop (Name, List'(5, 6), Grid'(Green => (-1 => 1, 0 => 2), Blue => (-1 => 3, 0 => 4)), -1.5, 3);
end Example;
"""


@pytest.mark.parametrize("version", [2, 4])
def test_what_gnat_says_in_names(tmp_path: Path, tool: Callable[[str], str], version: int) -> None:
    """The default until GNAT 11: no number is shown without its scale, or from a wrong place."""
    files = compiled(tmp_path, tool, ENCODED, f"-gdwarf-{version}", "-fgnat-encodings=all")
    commands = ["frame function example.stop"]
    names = ["text", "numbers", "numbers(2)", "table", "price", "n"]
    commands += [f"print {name}" for name in names]
    commands += [
        "ptype price",
        "frame function example",
        "print name",
        "print name(2)",
        "print few",
    ]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "= -1.5\n" in of_gdb[5] and '= "hello"' in of_gdb[9]
    local = answers(None, files, ["frame function example.stop", "print local"])[1]
    assert "GNAT's encoding of the place of name is not decoded" in local


PACKED = """\
procedure Example is
   type Inner is record A : Integer range 0 .. 7; B : Boolean; end record;
   pragma Pack (Inner);
   type Bits is array (0 .. 4) of Boolean;
   pragma Pack (Bits);
   type Outer (K : Boolean := True) is record
      F : Integer range 1 .. 16;
      G : Integer range 1 .. 200;
      H : Integer range -8 .. 7;
      I : Inner;
      J : Bits;
      case K is
         when True => L : Positive range 1 .. 200;
         when False => null;
      end case;
   end record;
   pragma Pack (Outer);
   W : Inner := (2, False);
   V : Outer := (True, 16, 150, -8, (5, True), (True, False, True, True, False), 199);
   X : Outer := (True, 3, 7, 5, (6, True), (others => False), 100);
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
begin
   if V.F > 1 and X.F > 1 then C_Abort; end if;
end Example;
"""


def test_packed_records(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GNAT leaves out a lower bound of 1, which is that of the language: 150 was -106."""
    files = compiled(tmp_path, tool, PACKED, "-g", "-fgnat-encodings=gdb")
    names = ["v", "v.g", "v.g + 0", "v.f", "v.h", "v.i", "v.i.a", "v.j", "v.j(2)", "v.l"]
    commands = ["frame function example", *(f"print {name}" for name in names)]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "g => 150" in of_gdb[1] and "i => (a => 5, b => true)" in of_gdb[1]
    changes = ["frame function example", "set var v.i := w", "print v.i", "print v.h", "print v.j"]
    texts = [text.rpartition("= ")[2].strip() for text in answers(None, files, changes)[2:]]
    bits = "(0 => true, false, true, true, false)"
    assert texts[1] == "-8" and "a => 2, b => false" in answers(None, files, changes)[2]
    assert bits in answers(None, files, changes)[4], "what is beside it was overwritten"
    whole = answers(None, files, ["frame function example", "print x", "set var v := x", "print v"])
    assert whole[1].partition("=")[2] == whole[3].partition("=")[2]
    assert "l => 100" in whole[3]


ELEMENTS = """\
procedure Example is
   type Color is (Red, Green, Blue, White);
   subtype Warm is Color range Red .. Green;
   type Gap is (Low, Mid, High);
   for Gap use (Low => 1, Mid => 4, High => 9);
   type Sign is (Minus, Zero, Plus);
   for Sign use (Minus => -1, Zero => 0, Plus => 1);
   type Colors is array (1 .. 3) of Color; pragma Pack (Colors);
   type Grid is array (1 .. 2, 1 .. 3) of Color; pragma Pack (Grid);
   type Warms is array (1 .. 5) of Warm; pragma Pack (Warms);
   type Gaps is array (1 .. 3) of Gap; pragma Pack (Gaps);
   type Signs is array (1 .. 3) of Sign; pragma Pack (Signs);
   type Flags is array (Color) of Boolean; pragma Pack (Flags);
   type Nibbles is array (1 .. 4) of Integer range 0 .. 15; pragma Pack (Nibbles);
   type Octets is array (1 .. 4) of Integer range 0 .. 200; pragma Pack (Octets);
   type Pointer is access all Integer;
   type Part (K : Boolean := True) is record
      X : Integer range 0 .. 7;
      case K is
         when True => L : Integer range 0 .. 31;
         when False => null;
      end case;
   end record;
   pragma Pack (Part);
   type Whole is record
      Z : Boolean; F : Float; L : Long_Float; P : Pointer; C : Colors; K : Color; N : Nibbles;
      G : Gaps; V : Part (True); W : Part (True);
   end record;
   pragma Pack (Whole);
   I : aliased Integer := 5;
   C : Colors := (Blue, White, Green);
   R : Grid := ((Red, Green, Blue), (White, Blue, Green));
   W : Warms := (Red, Green, Green, Red, Green);
   G : Gaps := (High, Low, Mid);
   S : Signs := (Minus, Zero, Plus);
   F : Flags := (True, False, True, True);
   N : Nibbles := (1, 15, 7, 8);
   E : Octets := (1, 200, 7, 8);
   O : Whole := (True, 1.5, 2.5, null, (Green, Blue, White), White, (1, 15, 7, 8),
      (Mid, High, Low), (True, 5, 30), (True, 3, 17));
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
begin
   if C (1) = Blue and W (1) = Red and G (1) = High and F (Red) and N (1) = 1 then C_Abort; end if;
   I := I + 1; C (1) := Red; R (1, 1) := Red; W (1) := Red; G (1) := Low; S (1) := Zero;
   F (Red) := False; N (1) := 2; E (1) := 2; O.Z := False;
end Example;
"""


@pytest.fixture(scope="module")
def elements(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("elements")
    return compiled(folder, tool, ELEMENTS, "-g", "-fgnat-encodings=gdb")


def test_packed_enumerations(elements: list[str], tool: Callable[[str], str]) -> None:
    names = ["c", "c(2)", "r", "r(2,1)", "w", "w(2)", "g", "g(1)", "f", "f(blue)", "s(3)"]
    names += ["c(2) = white", "c(1) < green", "o", "o.c", "o.c(2)", "o.g(2)", "o.f + 1"]
    commands = ["frame function example", *(f"print {name}" for name in names)]
    commands += [f"{word} {name}" for word in ("ptype", "whatis") for name in ("c", "w", "c(2)")]
    commands += ["print/x c", "print/x g(1)", "print/d c(2)", "print/d n", "print/z n", "print/d f"]
    of_gdb = answers(tool("gdb"), elements, commands)
    assert answers(None, elements, commands) == of_gdb
    assert "= (blue, white, green)" in of_gdb[1] and "2-bit elements" in of_gdb[19]
    sign = answers(None, elements, ["frame function example", "print s"])[1]
    assert sign.endswith("= (minus, zero, plus)\n")  # GDB: 3, zero, plus


@pytest.mark.parametrize(
    ("change", "old", "new", "warned_bits"),
    [
        ("c(2) := red", "blue, white", "blue, red", None),
        ("c(1) := 7", "blue", "white", 2),
        ("c(1) := -1", "blue", "white", 2),
        ("w(1) := blue", "red, green, green", "red, green, green", 1),
        ("s(3) := minus", "plus", "minus", None),
        ("f(green) := true", "false", "true", None),
        ("f(green) := 2", "false", "true", None),
        ("n(3) := 20", "7", "4", 4),
        ("n(4) := -9", "8)", "7)", 4),
        ("n(3) := -8", "7", "8", 4),
        ("e(2) := 300", "200", "44", None),
        ("o.n(3) := 9", "7", "9", None),
        ("o.c(2) := red", "blue", "red", None),
        ("o.c := c", "(green, blue, white)", "(blue, white, green)", None),
        ("o.f := 9.5", "1.5", "9.5", None),
        ("o.f := 3", "1.5", "3.0", None),
        ("o.l := 19.25", "2.5", "19.25", None),
        ("o.p := 16", "0x0", "0x10", None),
        ("o.v := o.w", "x => 5, l => 30", "x => 3, l => 17", None),
    ],
)
def test_changes_of_packed_parts(
    elements: list[str], change: str, old: str, new: str, warned_bits: int | None
) -> None:
    """As in GDB with a process: it warns of a number with more bits, but not where these are a
    byte. What is beside the part stays."""
    shown = f"print {change[0]}"
    commands = ["frame function example", shown, f"set var {change}", shown]
    before, changed, after = (
        text.partition("\n")[2] for text in answers(None, elements, commands)[1:]
    )
    expected = before.partition("= ")[2].replace(old, new, 1)
    assert after.partition("= ")[2] == expected != ""
    warning = f"warning: Value does not fit in {warned_bits} bits.\n"
    assert (warning in changed) == (warned_bits is not None)


def test_packed_parts_of_convenience_variables(elements: list[str]) -> None:
    commands = ["frame function example", "set var $x := c", "set var $x(2) := red", "print $x"]
    assert answers(None, elements, commands)[3].endswith("= (blue, red, green)\n")


LEVELS = """\
procedure Example is
   type Level is (Low, Mid, High);
   for Level use (Low => 1, Mid => 5, High => 10);
   type Part is record Mode : Level; Count : Integer; end record;
   for Part use record
      Mode at 0 range 1 .. 4; Count at 4 range 0 .. 31;
   end record;
   P : Part := (Mid, 300);
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
begin
   if P.Count > 1 then C_Abort; end if;
   P.Mode := High;
end Example;
"""


def test_a_range_of_an_enumeration_without_a_name(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """It is the enumeration; GDB says `range low .. high`."""
    files = compiled(tmp_path, tool, LEVELS, "-g")
    commands = ["frame function example", "print p", "print p.mode = mid"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
    (kind, whole) = answers(None, files, [commands[0], "whatis p.mode", "ptype p"])[1:]
    assert kind == "whatis p.mode\ntype = example.level\n"
    assert "    mode: example.level;\n" in whole


INTERFACES = """\
package Kinds is
   type Disc (N : Natural) is tagged record
      S : String (1 .. N) := (others => 'd'); I : Integer := 7;
   end record;
   type Face is interface;
   procedure Op (X : Face) is abstract;
   type Both is new Disc and Face with record J : Integer := 22; end record;
   overriding procedure Op (X : Both);
end Kinds;
"""
KINDS_BODY = """\
package body Kinds is
   overriding procedure Op (X : Both) is begin null; end Op;
end Kinds;
"""
OF_INTERFACES = """\
with Kinds; use Kinds;
procedure Example is
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Show (B : Both'Class) is begin if B.J > 1 then C_Abort; end if; end Show;
   B : Both (3);
begin
   Show (B);
end Example;
"""


def test_components_that_gnat_adds_for_an_interface(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Behind the tag of an interface, of a type with a discriminant: the distance to the object."""
    (tmp_path / "kinds.ads").write_text(INTERFACES)
    (tmp_path / "kinds.adb").write_text(KINDS_BODY)
    files = compiled(tmp_path, tool, OF_INTERFACES, "-g")
    commands = ["frame function example.show", "print b", "print b.j", "up", "print b"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert '(n => 3, i => 7, s => "ddd", j => 22)' in of_gdb[1] and "j => 22)" in of_gdb[4]
    assert "    j: integer;\nend record" in answers(None, files, ["up 3", "ptype b"])[1]


LOST = """\
procedure Example is
   type Kind is (Low, High);
   type Two (B : Positive; K : Kind) is record
      T : String (1 .. B); W : Integer;
      case K is
         when Low => R : Float;
         when High => S : Short_Integer;
      end case;
   end record;
   procedure Stop;
   pragma Import (C, Stop, "abort");
   procedure Go (N : Integer) is
      Tw : Two (N, High) := (N, High, (others => 'x'), 9, 3);
   begin
      if Tw.W > N then Stop; end if;
   end Go;
   pragma No_Inline (Go);
begin
   Go (4);
end Example;
"""


def test_components_of_a_lost_record(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """One whose discriminant says its size is a record all the same; in GDB it has no address."""
    files = compiled(tmp_path, tool, LOST, "-g", "-O1")
    frame, parts = "frame function example.go", ["w", "k", "s", "r"]
    types = [frame, *(f"{word} tw.{part}" for part in parts for word in ("whatis", "ptype"))]
    assert answers(None, files, types) == answers(tool("gdb"), files, types)
    lost = answers(None, files, [frame, *(f"print tw.{part}" for part in parts)])
    assert all("optimized out" in text and "structure" not in text for text in lost[1:])
    sizes = ["print tw'size", "print tw.w'size", "print tw.w + 1", "print &tw.w"]
    own = answers(None, files, [frame, *sizes])
    assert "optimized out" in own[1] and "= 32" in own[2] and "optimized out" in own[3]
    assert "not located in memory" in own[4]


ENCODED_ARRAYS = """\
procedure Example is
   type Color is (Red, Green, Blue, Grey, Black);
   type Small is range 0 .. 7;
   type Sgn is range -4 .. 3;
   type Bits is array (5 .. 17) of Boolean with Pack;
   type Long_Bits is array (1 .. 100) of Boolean with Pack;
   type Colors is array (1 .. 10) of Color with Pack;
   type Smalls is array (1 .. 30) of Small with Pack;
   type Sgns is array (1 .. 5) of Sgn with Pack;
   type Grid is array (1 .. 3, 1 .. 4) of Small with Pack;
   type Open is array (Positive range <>) of Small with Pack;
   subtype Five is Open (1 .. 5);
   type By_Color is array (Color) of Small with Pack;
   type Rec is record A : Bits; B : Boolean; C : Smalls; end record;
   type Prec is record B : Boolean; A : Bits; C : Smalls; end record with Pack;
   type Arr is array (1 .. 2) of Bits;
   type Pair is record X : Small; Y : Boolean; end record with Pack;
   type Pairs is array (1 .. 3) of Pair with Pack;
   type Ref is access Open;
   type Dref (N : Positive) is record O : Open (1 .. N); end record;
   procedure Stop;
   pragma Import (C, Stop, "abort");
   procedure Go (N : Integer; Op : Open; Bi : in out Bits; Lb : Long_Bits) is
      B : Bits := (5 | 7 => True, others => False);
      L : Long_Bits := (1 | 100 => True, others => False);
      Cs : Colors := (1 => Blue, 10 => Black, others => Green);
      Sm : Smalls := (1 => 7, 30 => 5, others => 1);
      Sg : Sgns := (-4, -1, 0, 3, 2);
      G : Grid := ((1, 2, 3, 4), (5, 6, 7, 0), (1, 3, 5, 7));
      F : Five := (1, 2, 3, 4, 5);
      Bc : By_Color := (1, 2, 3, 4, 5);
      R : Rec := (B, True, Sm);
      P : Prec := (True, B, Sm);
      A : Arr := (B, (others => True));
      Ps : Pairs := ((1, True), (2, False), (3, True));
      Dy : Open (3 .. N + 3) := (others => 6);
      Rf : Ref := new Open'(1, 2, 3);
      Dr : Dref (N) := (N, (others => 4));
   begin
      B (6) := Bi (6) and Lb (100) and Op (1) = 1 and L (1) and Cs (1) = Blue and Sm (1) = 7;
      Stop;
   end Go;
   Bb : Bits := (others => True);
begin
   Go (4, (1, 2, 3), Bb, (100 => True, others => False));
end Example;
"""


@pytest.mark.parametrize("version", [2, 5])
def test_packed_arrays_that_gnat_names(
    tmp_path: Path, tool: Callable[[str], str], version: int
) -> None:
    """The name of the type that implements one has the bits of an element."""
    options = [f"-gdwarf-{version}", "-fgnat-encodings=all"]
    files = compiled(tmp_path, tool, ENCODED_ARRAYS, *options)
    wholes = ["b", "l", "cs", "sm", "sg", "g", "f", "bc", "r", "p", "a", "ps", "dy", "dr", "op"]
    wholes += ["bi", "lb", "rf.all"]
    parts = ["b(7)", "l(100)", "lb(100)", "cs(10)", "sg(1)", "g(2,3)", "bc(blue)", "a(2)(9)"]
    parts += ["ps(3).x", "dy(7)", "op(2)", "rf(3)", "dr.o(4)", "p.a", "p.c(30)", "r.c(1)"]
    parts += ["b'first", "b'length", "b'size", "dy'last", "op'length", "g'last(2)", "b = bi"]
    commands = ["frame function example.go", *(f"print {text}" for text in (*wholes, *parts))]
    commands += [f"ptype {text}" for text in ("b", "l", "cs", "g", "a", "dy", "f", "r.a")]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert "(5 => true, true, true, false" in own[1]
    sliced = answers(None, files, ["frame function example.go", "print b(5..7)", "print op(2..3)"])
    assert "(5 => true, true, true)" in sliced[1] and "(2 => 2, 3)" in sliced[2]


ENCODED_BOUNDS = """\
procedure Example is
   type Small is range 0 .. 7;
   type Color is (Red, Green, Blue);
   type Open is array (Positive range <>) of Small with Pack;
   type List is array (Integer range <>) of Integer;
   type Grid is array (Integer range <>, Integer range <>) of Short_Integer;
   type By_Color is array (Color range <>) of Integer;
   type Packed (N : Positive) is record O : Open (1 .. N); end record;
   type Lists (First, Last : Integer) is record L : List (First .. Last); end record;
   type Neg (Last : Integer) is record L : List (-3 .. Last); end record;
   type Grids (A_B, M : Integer) is record G : Grid (-1 .. A_B, 2 .. M); end record;
   type Colors (C : Color) is record V : By_Color (Red .. C); end record;
   type Two (N : Positive) is record X : List (1 .. N); Y : List (1 .. N); end record;
   type Varied (N : Positive; B : Boolean) is record
      case B is
         when True => L : List (1 .. N);
         when False => R : Float;
      end case;
   end record;
   type Base (N : Positive) is tagged record S : String (1 .. N); end record;
   type Ext is new Base with record W : Integer; end record;
   type Own (N : Positive; M : Positive) is new Base (N) with record T : List (1 .. M); end record;
   type Nested (N : Positive) is record P : Packed (N); end record;
   type Packed_To_6 (N : Positive) is record O : Open (N .. 6); end record;
   type To_6 (N : Integer) is record L : List (N .. 6); end record;
   type Square (N : Integer) is record G : Grid (1 .. 2, N .. 4); end record;
   procedure Stop;
   pragma Import (C, Stop, "abort");
   procedure Go (P : Packed; Ls : Lists; Ng : Neg; G : Grids; C : Colors; T : Two; V : in out
      Varied; B : Base'Class; E : Ext; O : Own; N : Nested; Em : Lists; L6 : To_6;
      P6 : Packed_To_6; Sq : Square) is
   begin
      if V.B then Stop; end if;
   end Go;
   Vv : Varied := (2, True, (5, 6));
begin
   Go ((3, (1, 2, 3)), (-2, 1, (1, 2, 3, 4)), (-1, (7, 8, 9)), (0, 3, ((1, 2), (3, 4))), (Green,
      (10, 20)), (2, (1, 2), (3, 4)), Vv,
       Ext'(3, "abc", 9), Ext'(2, "de", 4), (2, 2, "fg", (7, 8)), (2, (2, (5, 6))), (5, 2, (others
      => 1)), (4, (1, 2, 3)), (3, (4, 5, 6, 7)), (3, ((5, 6), (7, 8))));
end Example;
"""


@pytest.mark.parametrize("version", [2, 5])
def test_bounds_that_are_discriminants(
    tmp_path: Path, tool: Callable[[str], str], version: int
) -> None:
    """A structure of GNAT's names them; what is not decoded says so."""
    options = [f"-gdwarf-{version}", "-fgnat-encodings=all"]
    files = compiled(tmp_path, tool, ENCODED_BOUNDS, *options)
    names = ["p", "p.o(2)", "p.o'last", "ls", "ls.l(-2)", "ls.l'first", "ng", "ng.l(-3)", "g"]
    names += ["g.g(0,3)", "g.g'first(2)", "n", "n.p.o(2)", "em"]
    names += ["l6", "l6.l(5)", "l6.l'first", "p6", "p6.o(4)", "sq", "sq.g(2,4)"]
    frame = "frame function example.go"
    commands = [frame, *(f"print {name}" for name in names), "whatis ls.l(1)"]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "l => (-2 => 1, 2, 3, 4)" in of_gdb[4] and "l => (4 => 1, 2, 3)" in of_gdb[15]
    own = answers(None, files, [frame, "print c", "print t", "print p'size", "print sizeof(n)"])
    for text, what in zip(
        own[1:], ("bounds of v", "place of y", "size of ", "size of "), strict=True
    ):
        assert f"GNAT's encoding of the {what}" in text and "is not decoded" in text


ELEMENTS_WITH_BOUNDS = """\
procedure Example is
   type Length is new Integer range 0 .. 5;
   type Small is range 0 .. 7;
   type List is array (Length range <>) of Short_Integer;
   type Open is array (Length range <>) of Small with Pack;
   type Item (N : Length := 1) is record V : List (1 .. N); end record;
   type Packed (N : Length := 1) is record V : Open (1 .. N); end record;
   type Items is array (1 .. 3) of Item;
   type Rows is array (1 .. 2, 1 .. 2) of Item;
   type Packeds is array (1 .. 2) of Packed;
   procedure Stop;
   pragma Import (C, Stop, "abort");
   procedure Go (E : Items; R : Rows; P : Packeds) is
      X : Items := E;
   begin
      if X (2).N = 2 then Stop; end if;
   end Go;
   E0 : Items; R0 : Rows; P0 : Packeds;
begin
   E0 (1) := (1, (1 => 10)); E0 (2) := (2, (20, 21)); E0 (3) := (3, (30, 31, 32));
   R0 (1, 1) := E0 (2); R0 (1, 2) := E0 (1); R0 (2, 1) := E0 (3); R0 (2, 2) := E0 (1);
   P0 (1) := (1, (1 => 4)); P0 (2) := (3, (5, 6, 7));
   Go (E0, R0, P0);
end Example;
"""


@pytest.mark.parametrize("encodings", ["all", "minimal"])
def test_each_element_has_bounds(
    tmp_path: Path, tool: Callable[[str], str], encodings: str
) -> None:
    """Those of an element, which is as large as the largest one, are not those of the first."""
    options = ["-g", f"-fgnat-encodings={encodings}"]
    files = compiled(tmp_path, tool, ELEMENTS_WITH_BOUNDS, *options)
    names = ["e", "e(2)", "e(3).v(3)", "e(3).v'last", "x", "x(2).v", "r", "r(2,1)", "r(1,1).v'last"]
    names += ["p", "p(2).v(3)"]
    commands = ["frame function example.go", *(f"print {name}" for name in names)]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "(n => 2, v => (20, 21)), (n => 3, v => (30, 31, 32))" in of_gdb[1]


FIXED_PARTS = """\
procedure Example is
   type Natural_Quarters is delta 0.25 range 0.0 .. 3.75;
   type Quarters is delta 0.25 range -2.0 .. 1.75;
   type Naturals is array (1 .. 6) of Natural_Quarters with Pack;
   type Signs is array (1 .. 3) of Quarters with Pack;
   type Open is array (Positive range <>) of Natural_Quarters with Pack;
   type Part is record A : Boolean; F : Natural_Quarters; G : Quarters; end record with Pack;
   procedure Stop;
   pragma Import (C, Stop, "abort");
   procedure Go (Y : Open) is
      F : Naturals := (0.25, 0.5, 3.75, 0.0, 1.0, 2.25);
      G : Signs := (-2.0, 1.75, -0.25);
      R : Part := (True, 3.75, -2.0);
      S : Natural_Quarters := 3.75;
   begin
      if F (1) = 0.25 and G (1) = -2.0 and R.A and S /= 0.0 and Y'Length = 2 then Stop; end if;
   end Go;
begin
   Go ((3.75, 2.0));
end Example;
"""


@pytest.mark.parametrize("encodings", ["all", "minimal"])
def test_fixed_point_numbers_in_few_bits(
    tmp_path: Path, tool: Callable[[str], str], encodings: str
) -> None:
    """Those of a type without negative numbers have no sign in 4 bits; the expected values are what
    the program has."""
    files = compiled(tmp_path, tool, FIXED_PARTS, "-g", f"-fgnat-encodings={encodings}")
    expected = {
        "f": "(0.25, 0.5, 3.75, 0, 1, 2.25)",
        "f(3)": "3.75",
        "f(3) = 3.75": "true",
        "f(3) = s": "true",
        "f(2) - 0.75": "-0.25",
        "f(3) + 0.25": "4",
        "y": "(3.75, 2)",
        "g": "(-2, 1.75, -0.25)",
        "r": "(a => true, f => 3.75, g => -2)",
        "r.f": "3.75",
        "r.f - 4.0": "-0.25",
        "r.g": "-2",
        "r.g = -2.0": "true",
        "r.g + 1.0": "-1",
        "/d r.g": "-2",
    }
    frame = "frame function example.go"
    shown = answers(None, files, [frame, *(f"print {text}" for text in expected)])[1:]
    assert [text.rpartition(" = ")[2].strip() for text in shown] == [*expected.values()]
