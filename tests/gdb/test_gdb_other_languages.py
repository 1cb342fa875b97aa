"""`compare` in Fortran and D, whose names and values GDB reads or shows in its own ways."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

FORTRAN = """\
subroutine stop_here(n)
  integer :: n
  integer :: loc(n), kind, size
  real(8) :: real, integer
  kind = 3
  loc = 5
  size = 7
  real = 2.5
  integer = 3.5
  n = kind + loc(1) + size + int(real) + int(integer)
end subroutine

program p
  integer :: n
  n = 3
  call stop_here(n)
end program
"""


def compared(
    debugger: Debugger,
    compiler: str,
    source: Path,
    text: str,
    place: int | str,
    options: tuple[str, ...] = ("-O0",),
) -> str:
    """What `dwarfgpu compare` says where a program stops at a line or function."""
    source.write_text(text)
    program = source.with_suffix("")
    command = [compiler, "-g", *options, source.name, "-o", program.name]
    subprocess.run(command, cwd=source.parent, check=True, timeout=120)
    code = 'print(gdb.execute("dwarfgpu compare", to_string=True))'
    where = f"{source.name}:{place}" if isinstance(place, int) else place
    return debugger.python(code, f"break {where}", "run", file=program)


def test_names_that_gdb_reads_in_another_way(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As intrinsic functions or types. They are compared by GDB's value of the symbol."""
    out = compared(debugger, tool("gfortran"), tmp_path / "a.f90", FORTRAN, 10)
    assert "6 variables of 1 frame: 6 are the same, 0 differ for a known reason, 0 differ" in out


SECTIONS = """\
program p
  use iso_c_binding
  implicit none
  interface
    function mmap(at, size, protection, flags, file, offset) bind(c) result(pages)
      import
      type(c_ptr), value :: at
      integer(c_size_t), value :: size, offset
      integer(c_int), value :: protection, flags, file
      type(c_ptr) :: pages
    end function
    function munmap(at, size) bind(c) result(failed)
      import
      type(c_ptr), value :: at
      integer(c_size_t), value :: size
      integer(c_int) :: failed
    end function
  end interface
  real, pointer :: v(:)
  real :: m(4, 6), e(40)
  integer :: k
  type(c_ptr) :: pages
  k = 4096
  pages = mmap(c_null_ptr, int(3 * k, c_size_t), 3, 34, -1, 0_c_size_t)
  call c_f_pointer(pages, v, [3 * k / 4])
  k = munmap(c_loc(v(1025)), 4096_c_size_t) + munmap(c_loc(v(2049)), 4096_c_size_t)
  v(1015:1024) = [(real(k), k = 1, 10)]
  m = reshape([(real(k), k = 1, 24)], [4, 6])
  e = [(real(k), k = 1, 40)]
  e(1:39:2) = 5
  call stop_here(v(1016:1024:4), m(1:3:2, 2:4), m(1:2, 1:5:2), m(4:1:-2, 3:1:-2), e(1:39:2))
contains
  subroutine stop_here(last, near, far, back, equal)
    real, intent(in) :: last(:), near(:, :), far(:, :), back(:, :), equal(:)
    print *, sum(last) + sum(near) + sum(far) + sum(back) + sum(equal)
  end subroutine
end program
"""


def test_sections_of_fortran(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """They end behind their last element, which may be at the end of memory; of neighbours that are
    equal, what is between them does not count."""
    out = compared(debugger, tool("gfortran"), tmp_path / "a.f90", SECTIONS, 35)
    assert "last: GDB has <unavailable>, dwarfgpu (2, 6, 10) (GDB reads the gap behind" in out
    assert "5 variables of 1 frame: 4 are the same, 1 differs for a known reason, 0 differ" in out


UNSET = """\
module m
  implicit none
  real, target :: table(3, 4) = 1.0
contains
  subroutine work(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    real, pointer :: p(:)
    p => table(:, 2)
    a(1) = a(1) + p(n)
    print *, a(1)
  end subroutine
end module
program t
  use m
  real :: b(4)
  b = 2
  call work(b, size(b) - 1)
end program
"""


def test_gdb_lives_on_where_an_array_is_lost_with_its_stride(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB 13 ends with its internal error (const_val) at an element of such an array."""
    options = ("-O1", "-fno-inline")
    out = compared(debugger, tool("gfortran"), tmp_path / "a.f90", UNSET, "m::work", options)
    assert "3 variables of 1 frame: " in out and " p: GDB has" not in out


DEFERRED = """\
program p
  implicit none
  character(len=:), allocatable :: names(:)
  integer :: n
  n = 3
  allocate(character(len=6) :: names(2))
  names = ['alpha ', 'beta  ']
  print *, names, n
end program
"""


def test_gdb_lives_on_where_a_structure_has_no_name(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB 13 ends (SIGSEGV) at the text of its type in Fortran; gfortran describes an array of
    strings of deferred length as one, without members."""
    out = compared(debugger, tool("gfortran"), tmp_path / "a.f90", DEFERRED, 8)
    assert "3 variables of 1 frame: 3 are the same" in out
    code = """
try:
    gdb.execute("dwarfgpu print $at", to_string=True)
except gdb.error as error:
    print(error)
"""
    begin = ("break a.f90:8", "run", "set variable $at = &names")
    out = debugger.python(code, *begin, file=tmp_path / "a")
    assert "Unsupported: the type struct {...} * of $at is unknown" in out


D = """\
enum Color { red = 1, green }
struct Pair { int number; int[] items; }
class Thing { int held = 3; }
int stop(string text, int[] items, Thing thing)
{
    Color color = Color.green;
    Pair pair = Pair(1, items);
    return cast(int) (text.length + pair.items.length + thing.held + color);
}
int main() { return stop("text", [1, 2, 3], new Thing); }
"""


def test_slices_and_names_of_d(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB shows the elements of a slice; with the same length and pointer it is the same."""
    out = compared(debugger, tool("gdc"), tmp_path / "a.d", D, 8)
    assert 'text: GDB has "text", dwarfgpu {length = 4, ptr = ' in out
    assert ", 0 differ\n" in out and out.count("(the same, worded differently)") == 4


GO = """\
package main
type Pair struct { x int }
func stop(pair *Pair, twice func(int) int) int {
	number := twice(pair.x)
	return number
}
func main() { println(stop(&Pair{3}, func(n int) int { return 2 * n })) }
"""


def test_pointers_of_go(
    debugger: Debugger,
    tool: Callable[[str], str],
    tmp_path: Path,
    go_cache: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """GDB spells them as in C, and a function value is an address of code in it."""
    monkeypatch.setenv("GOCACHE", go_cache)
    (tmp_path / "a.go").write_text(GO)
    build = [tool("go"), "build", "-gcflags=-N -l", "-ldflags=-compressdwarf=false"]
    subprocess.run([*build, "-o", "a", "a.go"], cwd=tmp_path, check=True, timeout=120)
    code = 'print(gdb.execute("dwarfgpu compare", to_string=True))'
    out = debugger.python(code, "break a.go:5", "run", file=tmp_path / "a")
    assert "(*main.Pair) 0x" in out and out.count("(the same, worded differently)") == 1
    assert "GDB takes a function value of Go or Pascal for the variable that has it" in out
    assert ", 0 differ\n" in out


MODULE = """\
module geo
  integer :: n = 3
contains
  subroutine work()
    n = n + 1
  end subroutine
end module
program p
  use geo
  call work()
end program
"""


def test_a_name_that_a_module_does_not_have(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB 13 ends with an internal error at a name that begins with `::`."""
    (tmp_path / "a.f90").write_text(MODULE)
    command = [tool("gfortran"), "-g", "-O0", "a.f90", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    code = """
for name in ("geo::nothere", "geo::n", "::nothere"):
    try:
        print(gdb.execute("dwarfgpu print " + name, to_string=True).strip())
    except gdb.error as error:
        print(error)
"""
    out = debugger.python(code, "break a.f90:5", "run", file=tmp_path / "a").splitlines()
    assert out[:2] == ['No symbol "nothere" in namespace "geo".', "geo::n = 3"]
    assert out[2].startswith('No symbol "nothere" in current context')


CHARACTERS = {
    "ldc2": """\
struct Pair { int n; dchar c; }
void stop(int n) {}
void work(int n) {
  dchar ascii = 'a', dc = '\\U0001F600'; wchar wc = cast(wchar) 0x8000;
  Pair pair = Pair(1, '\\U0001F600');
  stop(n);
}
void main() { work(3); }
""",
    "rustc": """\
fn stop(n: i32) -> i32 { n }
fn main() {
  let ascii = 'a'; let dc = '\\u{1F600}'; let wc = '\\u{8000}';
  let pair = (3i32, '\\u{1F600}'); let n = 3;
  println!("{} {} {} {:?}", ascii, dc, wc, pair);
  stop(n);
}
""",
}


@pytest.mark.parametrize(("compiler", "ending"), [("ldc2", "d"), ("rustc", "rs")])
def test_gdb_lives_on_at_characters_of_several_bytes(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, compiler: str, ending: str
) -> None:
    """GDB 13 ends (SIGSEGV) at the text of U+1F600 alone, in D and in Rust as in C."""
    source, program = tmp_path / f"a.{ending}", tmp_path / "a"
    source.write_text(CHARACTERS[compiler])
    output = [f"-of={program}"] if compiler == "ldc2" else ["-o", program]
    command = [tool(compiler), "-g", *output, source]
    if subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip(f"{compiler} makes no program here")
    code = 'print(gdb.execute("dwarfgpu compare", to_string=True))'
    out = debugger.python(code, f"break {source.name}:6", "run", file=program)
    assert out.count(": not compared: GDB 13 crashes at the text of some characters of ") == 3
    assert "; dwarfgpu has 128512 U'\U0001f600'\n" in out and "ascii: not" not in out
    assert "5 variables of 1 frame: " in out and out.strip().endswith(
        ", 0 differ, 3 are not compared"
    )


PASCAL = """\
{$mode objfpc}
program pointers;
type pair = record a, b: integer; end; named = ^pair;
var total: integer;
procedure work(n: integer);
var q: ^integer; r: pair; t: named; v: pointer;
begin
  q := nil; r.a := 1; r.b := 2; t := @r; v := @n;
  total := n;
end;
begin work(3); end.
"""


def test_types_of_pointers_of_pascal_are_worded_differently(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB writes `(^LongInt) 0x0`, and no type where it has a name."""
    source, program = tmp_path / "a.pas", tmp_path / "a"
    source.write_text(PASCAL)
    command = [tool("fpc"), "-gw3", "-O-", f"-o{program}", source]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=120)
    out, err = debugger.run(f"break {source.name}:9", "run", "dwarfgpu compare", file=program)
    assert "q: GDB has (^LongInt) 0x0, dwarfgpu (LongInt *) 0x0 (the same, worded" in out, out + err
    assert "5 variables of 1 frame: 2 are the same, 3 differ for a known reason, 0 " in out, out


TYPES_OF_PASCAL = """\
program a;
{$mode objfpc}
type TFunc = function(x: LongInt): LongInt;
  THolder = record f: TFunc; w: WordBool; c: Currency; end;
function Twice(x: LongInt): LongInt; begin Twice := 2 * x; end;
procedure Work(q: TFunc; h: THolder; c: Currency; b: ByteBool);
begin
  h.f := q;
end;
var h: THolder;
begin h.f := @Twice; h.w := true; h.c := 1.5; Work(h.f, h, 2.5, true); end.
"""


def test_types_that_gdb_does_not_know_are_worded_differently(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """A procedural value is code at the address of its object in GDB."""
    source, program = tmp_path / "a.pas", tmp_path / "a"
    source.write_text(TYPES_OF_PASCAL)
    command = [tool("fpc"), "-gw3", "-O-", f"-o{program}", source]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=120)
    out, err = debugger.run(f"break {source.name}:8", "run", "dwarfgpu compare", file=program)
    assert "dwarfgpu 2.5 (the same, worded differently)" in out, out + err
    assert "dwarfgpu true (the same, worded differently)" in out, out + err
    assert "(GDB takes a function value of Go or Pascal for the variable" in out, out + err
    assert "4 variables of 1 frame: 0 are the same, 4 differ for a known reason, 0 " in out, out


METHOD = """\
module app;
struct Pair { int x; long z; int n; int sum() const { stop(x); return x + n; } }
pragma(inline, false) void stop(int n) { import core.stdc.stdio; printf("%d", n); }
int work(int n) { Pair p = Pair(n, 3, 4); Pair* pp = &p; return p.sum() + pp.n; }
void main(string[] a) { work(cast(int) a.length); }
"""


def test_a_synthetic_pointer_with_a_tag_is_worded_differently(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """gdc describes `this` of an inlined method by DW_OP_implicit_pointer."""
    source, program = tmp_path / "a.d", tmp_path / "a"
    source.write_text(METHOD)
    command = [tool("gdc"), "-g", "-O2", source, "-o", program]
    if subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("gdc makes no program here")
    stop = ("break _D3app4stopFiZv", "run")
    out, err = debugger.run(*stop, "dwarfgpu compare -all-frames", file=program)
    assert "this: GDB has (const app.Pair &) <synthetic pointer>: {" in out, out + err
    pointer = "(app.Pair *) <synthetic pointer>, dwarfgpu (struct app.Pair *) <synthetic pointer>"
    assert f"pp: GDB has {pointer} (the same, worded differently)" in out, out + err
    assert ", 0 differ\n" in out, out
