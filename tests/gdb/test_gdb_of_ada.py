"""`compare` in Ada, where GDB's Python gives other numbers than the bits, and names of packages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.gdb.debugger import Debugger
from tests.repl.side_by_side import build

SOURCES = {
    "marks.ads": """\
package Marks is
   type Flags is array (0 .. 11) of Boolean with Pack;
   type Money is delta 0.25 range 0.0 .. 1000.0;
   for Money'Small use 0.25;
   procedure Work (N : Integer; Sum : access Integer) with No_Inline;
end Marks;
""",
    "marks.adb": """\
package body Marks is
   procedure Work (N : Integer; Sum : access Integer) is
      Set : Flags := (0 => True, 3 => True, others => False);
      Price : Money := 1.75;
   begin
      Sum.all := N + Boolean'Pos (Set (3)) + Integer (Price);
   end Work;
end Marks;
""",
    "example.adb": """\
with Marks;
procedure Example is
begin
   Marks.Work (3, null);
end Example;
""",
}


def test_packed_booleans_and_fixed_point_numbers(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The compiler describes them as constants: twelve elements in two bytes, and 7 of 0.25."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb", "-cargs", "-gnatp"]
    build(tmp_path, SOURCES, [make])
    code = """
for command in ("compare", "print set"):
    print(gdb.execute("dwarfgpu " + command, to_string=True).strip())
"""
    out = debugger.python(code, "break marks.adb:6", "run", file=tmp_path / "example")
    assert "variables of 1 frame" in out
    assert ", 0 differ for a known reason, 0 differ" in out
    assert out.splitlines()[-1].startswith("set = (0 => true, false, false, true,")
    assert "DW_AT_const_value has" not in out


USED = {
    "vars.ads": """\
package Vars is
   Root    : Integer := 14;
   Environ : Integer := 16;
end Vars;
""",
    "example.adb": """\
with Vars; use Vars;
procedure Example is
begin
   Root := Root + Environ;
   Environ := Root;
end Example;
""",
}


def test_names_of_used_packages(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The C library has a variable with one name, and where it has debugging information, a static
    one with the other."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O0", "example.adb"]
    build(tmp_path, USED, [make])
    code = (
        'print(*(gdb.execute(f"dwarfgpu print {n}", to_string=True) for n in ("root", "environ")))'
    )
    out = debugger.python(code, "break example.adb:5", "run", file=tmp_path / "example")
    assert " = 30\n" in out and " = 16\n" in out


STOPPED = {
    "marks.ads": """\
package Marks is
   procedure Stop (N : Integer) with No_Inline;
end Marks;
""",
    "marks.adb": """\
package body Marks is
   Last : Integer := 0 with Volatile;
   procedure Stop (N : Integer) is
   begin
      Last := Last + N;
   end Stop;
end Marks;
""",
    "example.adb": """\
with Marks;
procedure Example is
   type Buffer (Size : Positive) is record
      Data : String (1 .. Size);
      Used : Natural := 0;
   end record;
   procedure Work (B : Buffer; D : Integer) is
   begin
      Marks.Stop (D + B.Used);
      Marks.Stop (Character'Pos (B.Data (1)));
   end Work;
   pragma Inline_Always (Work);
   Text : Buffer := (3, "abc", 2);
begin
   Work (Text, 3);
end Example;
""",
}


def test_a_record_of_unknown_size_behind_a_synthetic_pointer(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Its discriminant determines the size, which GDB's Python has as None."""
    tool("gcc")  # which gnatmake calls
    make = [tool("gnatmake"), "-q", "-g", "-O2", "example.adb"]
    build(tmp_path, STOPPED, [make])
    code = """
gdb.execute("up", to_string=True)
print(gdb.execute("dwarfgpu compare", to_string=True))
"""
    out = debugger.python(code, "break marks.adb:5", "run", file=tmp_path / "example")
    assert "2 variables of 1 frame: 1 is the same, 1 differs for a known reason, 0 differ" in out
