"""Arrays of Ada whose indexes are enumerators with values that are not their positions, by what
GNAT says in names or in DWARF, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repl.side_by_side import answers, build, last_lines, with_core

SOURCE = """\
procedure Example is
   procedure C_Abort with Import, Convention => C, External_Name => "abort";
   type E is (R, G, B);
   for E use (R => 1, G => 2, B => 3);
   type Gap is (K, L, M, N);
   for Gap use (K => 1, L => 5, M => 9, N => 12);
   type A is array (E) of Integer;
   type A2 is array (E range G .. B) of Integer;
   type A3 is array (Integer range 1 .. 2, E) of Integer;
   type Ga is array (Gap) of Integer;
   type Gu is array (Gap range <>) of Integer;
   type Eu is array (E range <>) of Integer;
   type Sh is array (Gap) of Short_Integer;
   subtype Gc is Gu (L .. N);
   type Rec is record F : Ga; H : Gc; end record;
   type Acc is access Gu;
   type Pb is array (Gap) of Boolean with Pack;
   type Pu is array (E range <>) of Boolean with Pack;
   type Flags is array (Positive range <>) of Boolean with Pack;
   type Nest is array (1 .. 2) of A;
   procedure Stop
     (X : A; Y : A2; Z : A3; V : Ga; W : Gu; U : Eu; T : Rec; S : Sh; P : Acc; O : Pb; Q : Pu;
      D : Gap; J : Nest; F : Flags) is
      C0 : Gu (L .. M) := (7, 8);
      C1 : Gu (D .. N) := (others => 4);
      C2 : Eu (B .. R);
      C3 : Gu (N .. K);
      C4 : Flags (1 .. 200) := (2 => True, others => False);
   begin
      if X (R) = 11 then C_Abort; end if;
   end Stop;
begin
   Stop
     ((11, 20, 30), (40, 50), ((1, 2, 3), (4, 5, 6)), (1, 2, 3, 4), (L => 5, M => 6),
      (G => 7, B => 8), ((9, 10, 11, 12), (13, 14, 15)), (4, 5, 6, 7),
      new Gu'(M => 3, N => 4), (True, False, True, True), (G => True, B => False), M,
      ((1, 2, 3), (4, 5, 6)), (7 => True, 8 => False));
end Example;
"""
PRINTED = [
    "x", "x(r)", "x(b)", "x'first", "y", "y(g)", "z", "z(1,r)", "v", "v(l)", "v'last", "w", "w(l)",
    "w(m)", "w'first", "u", "u(g)", "u'first", "t", "t.f(k)", "t.h(m)", "s", "s(l)", "p.all",
    "p(m)", "p'first", "c0", "c0(m)", "c1", "c1(n)", "c2", "c2'first", "c2'last", "c3", "c3'last",
    "j", "j(1)(r)", "j(2)(b)", "c0'last", "c1'first", "y'length", "w'length",
    "o", "o(l)", "o(n)", "o'last", "q", "q(b)", "q(g)", "q'first", "f", "f(7)", "f'first", "c4(2)",
    "c4(200)"
]  # fmt: skip
TYPES = {
    "c0": "array (l .. m) of integer",
    "c1": "array (m .. n) of integer",
    "c3": "array (n .. k) of integer",
}
"""GDB says of some with `-fgnat-encodings=minimal` that they are packed, too."""


@pytest.fixture(scope="module", params=["all", "minimal"])
def files(
    tmp_path_factory: pytest.TempPathFactory,
    tool: Callable[[str], str],
    request: pytest.FixtureRequest,
) -> list[str]:
    """The program and its core file."""
    folder = tmp_path_factory.mktemp("ada")
    tool("gcc")  # which gnatmake calls
    encodings = f"-fgnat-encodings={request.param}"
    make = [tool("gnatmake"), "-q", "-g", "-O0", encodings, "example.adb", "-o", request.param]
    build(folder, {"example.adb": SOURCE}, [make, ["cp", request.param, "a"]])
    return [*with_core(tool, folder), request.param]


def test_arrays_by_enumerators(files: list[str], tool: Callable[[str], str]) -> None:
    asked = ["frame function example.stop", *(f"print {one}" for one in PRINTED)]
    asked += [f"whatis {one}" for one in ("x", "z", "t.h", "v")]
    assert answers(None, files[:2], asked)[1:] == answers(tool("gdb"), files[:2], asked)[1:]


def test_types_of_arrays_by_enumerators(files: list[str]) -> None:
    shown = last_lines(
        files[:2], ["frame function example.stop", *(f"whatis {name}" for name in TYPES)]
    )[1:]
    assert dict(zip(TYPES, shown, strict=True)) == {
        name: f"type = {text}" for name, text in TYPES.items()
    }
