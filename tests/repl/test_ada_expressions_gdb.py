"""Expressions of Ada that C does not have, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
procedure Example is
   type Byte is mod 256;
   type Odd is mod 10;
   type Small is range -5 .. 7;
   subtype Tiny is Small range 0 .. 3;
   subtype Letter is Character range 'a' .. 'z';
   type Real is digits 6 range -1.0 .. 1.0;
   subtype Unit is Float range 0.0 .. 1.0;
   type Price is delta 0.25 range -10.0 .. 10.0;
   type Color is (Red, Green, Blue);
   for Color use (Red => 1, Green => 5, Blue => 6);
   type Day is (Mon, Tue, Wed, Thu, Fri, Sat, Sun);
   subtype Work is Day range Tue .. Fri;
   type Codes is ('x', 'y', None);
   type Vector is array (Positive range <>) of Integer;
   type Matrix is array (Positive range <>, Positive range <>) of Float;
   type By_Day is array (Work) of Integer;
   type By_Color is array (Color range Green .. Blue) of Integer;
   type Access_To_Vector is access all Vector;
   type Fixed is array (3 .. 6) of Integer;
   type Grid is array (0 .. 1, 2 .. 4) of Integer;
   type Access_To_Fixed is access all Fixed;
   type Access_To_Int is access all Integer;
   type Point is tagged record
      A, B : Integer := 3;
   end record;
   type Point3 is new Point with record
      C : Integer := 4;
   end record;
   type Flags is array (1 .. 10) of Boolean;
   pragma Pack (Flags);
   procedure C_Abort;
   pragma Import (C, C_Abort, "abort");
   procedure Show (V : Vector; M : Matrix; S : String; A : Access_To_Vector; Q : Point'Class) is
      B : Byte := 200;
      O : Odd := 3;
      N : Small := -2;
      T : Tiny := 2;
      L : Letter := 'q';
      R : Real := 0.5;
      U : Unit := 0.25;
      F : Flags := (others => True);
      H : Natural := V'Length;
      C : Color := Green;
      D : Day := Wed;
      W : Work := Thu;
      K : Codes := 'y';
      P : Price := 2.5;
      X : aliased Integer := 42;
      G : Grid := ((1, 2, 3), (4, 5, 6));
      Y : By_Day := (1, 2, 3, 4);
      Z : By_Color := (7, 8);
      I : aliased Fixed := (1, 2, 3, 4);
      J : Access_To_Fixed := I'Unchecked_Access;
      E : Access_To_Int := X'Unchecked_Access;
      Dd : Access_To_Vector := null;
      Pt : Point3;
      Bo : Boolean := True;
      Lf : Long_Float := 2.5;
   begin
      F (3) := B = 200 and O = 3 and N = -2 and T = 2 and S'Length = 3;
      if F (3) and L = 'q' and R < 1.0 and U < 1.0 and H > 0 and A (1) = 7 and C = Green
        and D = Wed and W = Thu and K = 'y' and P = 2.5 and G (1, 3) = 5 and Y (Tue) = 1
        and Z (Blue) = 8 and J (4) = 2 and E.all = 42 and Dd = null and Pt.C = 4 and Bo
        and Lf > 1.0 and Q.A = 3 and M (1, 1) > 0.5
      then
         C_Abort;
      end if;
   end Show;
   Obj : Point3;
begin
   Show ((1, 2, 3), ((1.0, 2.0), (3.0, 4.0)), "hey", new Vector'(7, 8), Obj);
end Example;
"""
CONVERSIONS = """byte(3), byte(300), byte(-1), integer(2.4), float(3), real(0.5), unit(0.25),
    character(65), letter(65), letter('b'), boolean(1), color(1), color(5), day(2), work(2),
    tiny(2), odd(3), price(2), price(2.6), price(-2.6), access_to_int(0), short_integer(70000),
    integer'(3), byte'(3), color'(red), color'(5), day'(wed), boolean'(true), character'(65),
    letter'('c'), byte(3)+1, integer(3,4), integer(), byte(byte(3)), Example.Byte (7)"""
OF_VARIABLES = """byte(x), integer(x), integer(b), float(x), float(lf), long_float(x),
    long_float(u), character(x), boolean(bo), color(c), day(w), work(d), small(n), price(p),
    float(p), long_float(p), vector(v), string(s), fixed(i), point(pt), point3(pt), point3(q),
    access_to_int(e), integer(e), vector'(v), integer(bo), integer(l), integer(c),
    integer(w), byte'(b)"""
TYPES_OF_CONVERSIONS = """byte(3), integer(b), float(x), character(65), integer'(3), byte'(3),
    color'(red), tiny(2), letter(65), price(2)"""


INDEXES = """y(work(wed)), y(Work (Wed)) + 1, y(work), v(integer(2)), v(integer),
    -v(natural(x) - 41), v(byte(b)-199), g(integer(1),integer(3)), z(color(green)),
    s(integer(x)-40), s(integer(2)) = s(2), f(positive(3)), a(integer(1)), j(integer(4)),
    v(integer(2)..integer(3)), y(work(wed)..work(thu)), y(day(wed))"""
"""Conversions: in Ada no types of parameters are behind a name."""
IN_PARENTHESES = """(integer(u)), 2 * (integer(u) + 1), (byte(300) + 1) * 2, (Byte (300)),
    (integer(x)) + 1, ((integer(x))), -(integer(x)), (work(wed)), (color(green)) = c,
    y((work(wed))), v((integer(2))), (vector(v)), (vector(v))(2), (string(s)), (float(x)) / 2,
    (byte(b))'size, (color'first), (color'(green)), (integer(x) = 42), (long_integer(x)),
    (integer(3,4))"""
PREDEFINED = """natural, positive, integer, float, long_float, long_long_float, character, boolean,
    string, long_integer, short_integer, long_long_integer, wide_character, wide_wide_character,
    LONG_INTEGER, natural(3), positive(3), long_integer(3), long_long_float(3)"""
OF_PREDEFINED = """natural(3), positive'(7), long_integer(3), short_integer(70000), natural'(x),
    long_long_integer(x), long_long_float(x), wide_character(65), Long_Integer(x)+1"""
ATTRIBUTES = """v'first, v'last, v'length, v'first(1), v'first(2), m'first, m'first(2), m'last(2),
    m'length(2), g'first, g'last, g'length, g'first(2), g'last(2), g'length(2), g'first(3),
    s'first, s'last, s'length, a'first, a'last, a'length, a.all'length, i'first, i'last, j'first,
    j'last, j'length, j.all'last, e'first, y'first, y'last, y'length, z'first, z'last, z'length,
    f'first, f'last, f'length, x'address, x'access, x'unchecked_access, x'unrestricted_access,
    x'size, g'size, b'size, f'size, pt'size, j'size, a'size, j.all'size, i(4)'size, f(2)'size,
    pt.c'size, i'address, j'address, i'access, v(2)'address, pt.a'address, x'access.all,
    v'first+1, v(v'first), v(v'first..v'last), g(g'first,g'last(2)), x'address = x'address,
    x'size+1, x'image, v'FIRST, v ' first, v'len, v'l, v' first, x'val(1)"""
OF_TYPES = """byte'first, byte'last, odd'first, odd'last, small'first, small'last, tiny'first,
    tiny'last, price'first, price'last, color'first, color'last, day'first, codes'last,
    fixed'first, fixed'last, fixed'length, grid'first(2), grid'last(2), grid'length(2),
    by_day'first, by_color'last, by_color'length, point'first, integer'first, integer'last,
    natural'first, positive'last, float'first, character'first, character'last, boolean'first,
    boolean'last, long_integer'last, color'pos(red), color'pos(green), color'pos(c),
    color'val(0), color'val(1), color'val(2), color'val(3), color'val(-1), day'val(2),
    day'pos(wed), work'val(2), work'pos(thu), integer'val(5), character'val(65),
    character'pos('a'), boolean'val(1), boolean'pos(true), float'val(1), float'pos(1.0),
    integer'pos(7), integer'val(2.5), integer'val(c), integer'min(3,4), integer'max(3,4),
    integer'min(x,4), byte'max(b,1), float'min(1.0,2.0), float'max(1,2.5), odd'modulus,
    small'modulus, integer'modulus, byte'size, color'val(color'pos(c)+1), byte'pos(b),
    byte'val(b), small'val(100), work'val(0), integer'max(c,d), x'min(1,2)"""
TYPES_OF_ATTRIBUTES = """g'first, g'length, y'first, z'last, x'address, x'access, x'size, pt'tag,
    color'val(1), color'val(7), color'pos(red), work'val(2), work'first, day'min(mon,wed),
    character'val(65), integer'first, byte'last, natural'first, price'first"""
OF_CONSTANTS = "byte(x), integer(x), integer(b), float(x), color(c), day(w), work(d), integer(bo)"
"""Of variables that gcc describes in optimized code, too."""
AS_IN_ADA = {
    "integer(2.5)": "3",
    "integer(-2.5)": "-3",
    "integer(p)": "3",
    "small(lf)": "3",
    "point(q)": "(a => 3, b => 3)",
    "price(x)": "The type does not hold the number 42.",
    "(byte) x": "42",
    "(byte)(x)": "42",
    "(byte) integer(x)": "42",
    "(integer *) x'address = x'access": "true",
    "*(integer(*)) x'address": "42",
    "sizeof (byte(3))": "1",
    "sizeof (byte)": "1",
    "vector'(1, 2)": "Unsupported: aggregates of Ada are not supported in expressions",
}
"""What GDB truncates, reads in another way or refuses in other words."""
ATTRIBUTES_AS_IN_ADA = {
    "letter'first": "97 'a'",
    "work'first": "tue",
    "work'last": "fri",
    "day'min(wed, mon)": "mon",
    "day'max(wed, mon)": "wed",
    "boolean'min(false, true)": "false",
    "byte'modulus": "256",
    "byte(b)+100": "44",
    "-byte(3)": "253",
    "(x+1)'size": "32",
    "v'first - 3": "-2",
    "v'size": "96",
    "v'address = v(1)'address": "true",
    "s'size": "24",
    "dd'first": "Cannot access memory at address 0x0",
    "vector'last": "The array has no bounds here: 'last is that of an object.",
    "byte'val(300)": "argument to 'VAL out of range",
    "boolean'val(2)": "argument to 'VAL out of range",
    "odd'val(10)": "argument to 'VAL out of range",
    "x'length": "the 'length attribute applies only to array types",
    "small'length": "the 'length attribute applies only to array types",
    "g'first(0)": "invalid dimension number to 'first",
    "v'range": "'range is no value: it stands behind in; write 'first or 'last.",
    "{integer} x'address": "42",
}
"""What GDB 13 shows as a number, reads from where nothing is, refuses, or crashes at."""


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]
) -> Callable[[str], list[str]]:
    """Gives the program that GNAT makes with an option, and its core file."""
    tool("gcc")  # which gnatmake calls
    folder = tmp_path_factory.mktemp("ada")

    @cache
    def of_option(option: str) -> list[str]:
        inside = folder / option
        inside.mkdir()
        make = [tool("gnatmake"), "-q", "-g", option, "example.adb", "-o", "a"]
        build(inside, {"example.adb": SOURCE}, [make])
        return with_core(tool, inside)

    return of_option


def _commands(command: str, expressions: str) -> list[str]:
    return [f"{command} {' '.join(one.split())}" for one in re.split(r",\s", expressions)]


def _require_same(tool: Callable[[str], str], files: list[str], *commands: str) -> None:
    """Check that the answers to commands in `Show` are those of GDB."""
    asked = ["frame function example.show", *commands]
    assert answers(None, files, asked)[1:] == answers(tool("gdb"), files, asked)[1:]


def _own(files: list[str], expressions: Iterable[str]) -> dict[str, str]:
    """Return what dwarfgpu prints of each expression in `Show`."""
    asked = ["frame function example.show", *(f"print {one}" for one in expressions)]
    shown = [text.split("\n", 1)[1].strip() for text in answers(None, files, asked)[1:]]
    return {
        one: re.sub(r"\$\d+ = ", "", text) for one, text in zip(expressions, shown, strict=True)
    }


@pytest.mark.parametrize("option", ["-O0", "-O2"])
def test_conversions(
    option: str, files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    printed = _commands("print", CONVERSIONS) + _commands("print", OF_CONSTANTS)
    types = _commands("whatis", TYPES_OF_CONVERSIONS) + _commands("ptype", "integer'(3), tiny(3)")
    _require_same(tool, files(option), *printed, *types)


def test_conversions_of_variables(
    files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    _require_same(tool, files("-O0"), *_commands("print", OF_VARIABLES))


def test_conversions_as_indexes(
    files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    line = SOURCE.split("\n").index("         C_Abort;") + 1
    commands = _commands("print", INDEXES) + _commands("whatis", "y(work(wed)), v(integer(2))")
    commands += [f"break example.adb:{line} if y(work(wed)) = 2"]
    _require_same(tool, files("-O0"), *commands)


def test_conversions_in_parentheses(
    files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    types = _commands("whatis", "(integer(x)), (byte(3))")
    types += _commands("ptype", "(byte(3))")
    _require_same(tool, files("-O0"), *_commands("print", IN_PARENTHESES), *types)


def test_conversions_as_in_ada(files: Callable[[str], list[str]]) -> None:
    """Ada rounds what GDB truncates (Ada 2012 4.6)."""
    assert _own(files("-O0"), AS_IN_ADA) == AS_IN_ADA


@pytest.mark.parametrize("option", ["-O0", "-O2"])
def test_predefined_types(
    option: str, files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    """The program describes some of them, and others only where its text is not searched."""
    printed = _commands("ptype", PREDEFINED) + _commands("whatis", PREDEFINED)
    _require_same(tool, files(option), *printed, *_commands("print", OF_PREDEFINED))


def test_attributes(files: Callable[[str], list[str]], tool: Callable[[str], str]) -> None:
    printed = _commands("print", ATTRIBUTES) + _commands("print", OF_TYPES)
    types = _commands("whatis", TYPES_OF_ATTRIBUTES)
    types += _commands("ptype", "x'access, x'address, y'first")
    _require_same(tool, files("-O0"), *printed, *types)


def test_attributes_in_optimized_code(
    files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    types = _commands("whatis", TYPES_OF_ATTRIBUTES)
    _require_same(tool, files("-O2"), *_commands("print", OF_TYPES), *types)


def test_attributes_as_in_ada(files: Callable[[str], list[str]]) -> None:
    assert _own(files("-O0"), ATTRIBUTES_AS_IN_ADA) == ATTRIBUTES_AS_IN_ADA


def test_attributes_are_completed(
    files: Callable[[str], list[str]], tool: Callable[[str], str]
) -> None:
    words = ("c'", "a'le", "b + a'un", "a(a'first) + a'La", "a ' si")
    _require_same(tool, files("-O0"), *(f"complete print {word}" for word in words[:3]))
    commands = ["frame function example.show", *(f"complete print {word}" for word in words[3:])]
    commands += ["complete print a'LE", "complete print \"a'le", "complete print 'a'len"]
    said = answers(None, files("-O0"), commands)[1:]
    assert [text.splitlines()[1:] for text in said] == [
        ["print a(a'first) + a'Last"], ["print a ' size"], ["print a'LENGTH"], [], []
    ]  # fmt: skip


def test_names_around_the_code_are_completed(files: Callable[[str], list[str]]) -> None:
    """Types of a subprogram were not offered; of objects, 'pos was a syntax error."""
    commands = ["frame function example.show", "complete ptype Access_To", "complete print wor"]
    said = answers(None, files("-O0"), [*commands, "print c'pos", "print b'val + 1"])
    words = [text.splitlines()[1:] for text in said]
    assert sorted(words[1]) == [
        "ptype Access_To_fixed", "ptype Access_To_int", "ptype Access_To_vector"
    ]  # fmt: skip
    assert "print work" in words[2]
    assert words[3] == words[4] == ["Prefix must be type"]


@pytest.mark.parametrize("expression", ["{$pc}", "{1}", "{3} + 1", "{1, 2}"])
def test_braces_are_around_types(
    files: Callable[[str], list[str]], tool: Callable[[str], str], expression: str
) -> None:
    """`{$pc}` was an array, as it is in C."""
    asked = ["frame function example.show", f"print {expression}", "print {integer} $sp - 1 < 0"]
    own, of_gdb = (answers(gdb, files("-O0"), asked) for gdb in (None, tool("gdb")))
    rest = expression.partition("}")[2]
    assert own[1].endswith(f"A syntax error in expression, near `{rest.lstrip()}'.\n")
    assert of_gdb[1].startswith(f"print {expression}\nError in expression")
    assert own[2].splitlines()[-1] == of_gdb[2].splitlines()[-1]
