"""What a user has set in GDB, or added to it, changes no value, register or frame."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger
from tests.repl.test_tail_call_frames import SOURCE as JUMPS

DEMO = Path("fixtures/x86_64/demo.gcc.O0.v5")
COMMANDS = (
    "dwarfgpu bt -compare", "dwarfgpu compare -all-frames", "dwarfgpu print *sp",
    "dwarfgpu print sp", "dwarfgpu print $rsp", "dwarfgpu print $st0", "dwarfgpu print $kept",
    "dwarfgpu eval-ops call_frame_cfa",
)  # fmt: skip
PRINTERS = """
class Printer:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return "by a printer"
gdb.pretty_printers.insert(0, Printer)
"""
"""For every value: libraries have printers for numbers and pointers."""
ANSWERS = """
import json
import subprocess
from collections.abc import Callable
def answers():
    return [said(command) for command in {commands!r}]
before = answers()
{change}
after = answers()
gdb.execute("set trace-commands off", to_string=True)
print(json.dumps([before, after]))
"""


@pytest.mark.parametrize("change", [PRINTERS, 'gdb.execute("set trace-commands on")'])
def test_answers_stay(debugger: Debugger, repository: Path, change: str) -> None:
    """GDB's manual: with trace-commands, each command is printed before it is executed."""
    code = ANSWERS.format(commands=COMMANDS, change=change)
    started = ("break leaf", "run", "set var $kept = (long) 5")
    before, after = json.loads(debugger.python(code, *started, file=repository / DEMO))
    traces = [[line for line in text.split("\n") if line.startswith("+")] for text in after]
    assert all(len(lines) <= 1 for lines in traces), "only the user's own command is traced"
    shown = [text.partition("\n")[2] if text.startswith("+") else text for text in after]
    assert shown == before
    assert not any("error" in text for text in before)
    assert ", 0 differ" in before[1]


@pytest.mark.parametrize("language", ["ada", "pascal", "go", "d"])
def test_languages(debugger: Debugger, repository: Path, language: str) -> None:
    """`set language` is of GDB's own expressions: the function of GDB has types without the casts
    of C, and what dwarfgpu compares is the same."""
    code = f"""
gdb.execute("set language {language}", to_string=True)
frame = gdb.selected_frame()
sp = frame.read_var("sp")
for text, theirs in (("n", frame.read_var("n")), ("sp", sp), ("*sp", sp.dereference()),
                     ("sp->in[1].weight", sp["in"][1]["weight"])):
    ours = gdb.parse_and_eval('$dwarfgpu("' + text + '")')
    print(ours.type == theirs.type, ours.format_string() == theirs.format_string())
print(gdb.parameter("language"))
print([said("dwarfgpu compare -all-frames").endswith(", 0 differ")])
"""
    out = debugger.python(code, "break leaf", "run", file=repository / DEMO)
    assert out.split() == ["True", "True"] * 4 + [language, "[True]"]


def test_texts_of_fortran(debugger: Debugger, tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB has Fortran's texts in apostrophes, with a type of their own."""
    source, program = tmp_path / "s.f90", tmp_path / "s"
    source.write_text("program p\n  integer :: n\n  n = 41\n  call sub(n)\ncontains\n"
                      "subroutine sub(n)\n  integer :: n\n  print *, n\nend subroutine\n"
                      "end program\n")  # fmt: skip
    subprocess.run([tool("gfortran"), "-g", source, "-o", program], check=True, timeout=120)
    code = """print([said("output $dwarfgpu('%s')" % text) for text in ("n", "n + 1")])"""
    out = debugger.python(code, f"break {source.name}:8", "run", file=program)
    assert out.strip() == "['41', '42']"


def test_types_of_c_in_expressions_of_go(debugger: Debugger, repository: Path) -> None:
    """GDB 13 itself ends with an internal error at `(unsigned char *) 0` there."""
    code = """
gdb.execute("set language go", to_string=True)
print(gdb.parse_and_eval('$dwarfgpu("(unsigned char) 65")').type.sizeof)
"""
    assert debugger.python(code, "break leaf", "run", file=repository / DEMO).split() == ["1"]


def test_texts_of_rust(debugger: Debugger, tool: Callable[[str], str], tmp_path: Path) -> None:
    """A text is a structure there; for a literal GDB calls `malloc`, but not for bytes."""
    source, program = tmp_path / "s.rs", tmp_path / "s"
    source.write_text('fn main() { let n = 41; let text = "n + 1 is more";\n'
                      'println!("{} {}", n, &text[..5]);\n}\n')  # fmt: skip
    done = subprocess.run(
        [tool("rustc"), "-g", source, "-o", program], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("rustc makes no program here")
    code = """
print([said(f"output $dwarfgpu({text})") for text in ('b"n"', "text")])
"""
    out = debugger.python(code, f"break {source.name}:2", "run", file=program)
    assert out.splitlines()[-1] == str(
        ["41", "error: A syntax error in expression, near `is more'."]
    )


def test_variables_of_rust(debugger: Debugger, tool: Callable[[str], str], tmp_path: Path) -> None:
    """GDB 13 ends at `iter`, the array that the loop goes through, as its language shows it; other
    values differ in their words alone."""
    source, program = tmp_path / "s.rs", tmp_path / "s"
    source.write_text("""\
#[derive(Debug)] enum Number { Whole(i32), Pair { x: u8, y: f64 } }
#[inline(never)] fn look(all: &[u16], pair: (u8, char), maybe: Option<Box<i32>>) -> usize {
  let list = [1i16, 2]; let number = Number::Whole(7);
  println!("{:?} {:?} {:?}", list, number, maybe);
  all.len() + pair.0 as usize
}
fn main() {
  for number in [Number::Whole(5), Number::Pair { x: 1, y: 2.5 }] {
    println!("{:?} {}", number, look(&[1, 2], (3, 'c'), Some(Box::new(4))));
  }
}
""")
    done = subprocess.run(
        [tool("rustc"), "-g", source, "-o", program], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("rustc makes no program here")
    stop = (f"break {source.name}:4", "run")
    for commands, count in [((), 5), (("up",), 2)]:
        out, err = debugger.run(*stop, *commands, "dwarfgpu compare", file=program)
        last = out.splitlines()[-1]
        assert last.startswith(f"{count} variables of 1 frame: "), out + err
        assert last.endswith(", 0 differ"), out + err
        assert "(the same, worded differently)" in out


def test_calculations_that_are_too_wide_for_gdb(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    source, program = tmp_path / "w.c", tmp_path / "w"
    source.write_text("""\
int sink;
int main(int argc, char **argv) {
  __int128 big = ((__int128)1 << 100) + argc;
  sink = argc; sink = (int)big;
  return sink;
}
""")
    subprocess.run([tool("gcc"), "-g", "-O2", source, "-o", program], check=True)
    stop = ("break main", "run", "print big")
    out, err = debugger.run(*stop, "dwarfgpu compare", file=program)
    if "not available on integers of more than 8 bytes" not in out + err:
        pytest.skip("this GDB calculates with such numbers, or GCC describes it by other means")
    assert "(GDB does not calculate with integers of more than 8 bytes)" in out, out + err
    assert out.splitlines()[-1].endswith(", 0 differ"), out + err


def test_parts_that_are_all_optimized_out(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB shows a hidden structure or array member by member, static ones with their value, and
    shows the variables of a partly inlined function a second time: nothing of them differs."""
    source, program = tmp_path / "s.cpp", tmp_path / "s"
    source.write_text("""\
struct Empty {};
struct Base { int low, high; };
struct Thing : Base { static int made; int id; };
int Thing::made = 9, out;
__attribute__((noinline)) void stop() { asm volatile("" ::: "memory"); }
static int look(int n) {
  if (n > 9) return 1;
  Thing thing; thing.id = n; thing.low = thing.high = 2;
  Thing &same = thing;
  Empty empty;
  char text[16] = "abc"; int grid[2][3] = {{1}}; short row[2] = {7, 8};
  stop();
  if (n > 3) __builtin_abort();
  for (int i = 0; i < n; i++) {
    Thing thing; Empty empty; char text[8] = "b"; float grid[2][2]; short row = i; stop();
  }
  return n;
}
int main(int argc, char **) { out = look(argc); return 0; }
""")
    subprocess.run([tool("g++"), "-g", "-O2", source, "-o", program], check=True)
    for commands in ((), ("continue",)):
        stops = ("break stop", "run", *commands, "up")
        out, err = debugger.run(*stops, "dwarfgpu compare", file=program)
        assert out.splitlines()[-1].endswith(", 0 differ"), out + err
        assert any(
            line.startswith("#1  thing: ") and line.endswith("(the same, worded differently)")
            for line in out.splitlines()
        ), out + err


@pytest.mark.parametrize("level", ["-Og", "-O2"])
def test_what_has_no_location_in_other_words(
    debugger: Debugger, tool: Callable[[str], str], tmp_path: Path, level: str
) -> None:
    """A reference without a location, which GDB follows to address 0, an object with a virtual
    base, and a reference to an array of variable length in a block that GDB lists twice."""
    source, program = tmp_path / "v.cpp", tmp_path / "v"
    source.write_text("""\
#include <cstdlib>
struct Base { int id = 7; virtual ~Base() {} };
struct Left : virtual Base { int l = 11; };
int out, *volatile keep;
__attribute__((noinline)) int leaf(int n) {
  int vla[n + 2];
  for (int i = 0; i < n + 2; i++) vla[i] = i * i;
  keep = vla;
  auto inner = [&, n](int q) { int sum = q + n; if (sum > 3) abort(); return sum + vla[0]; };
  return inner(n);
}
template <class T> T middle(T t) { Left left; T result = leaf(t); return result + left.l; }
int main() { return out = middle<int>(5); }
""")
    subprocess.run([tool("g++"), "-g", level, source, "-o", program], check=True)
    stops = ("break abort", "run", "dwarfgpu compare -all-frames")
    out, err = debugger.run(*stops, file=program)
    assert out.splitlines()[-1].endswith(", 0 differ"), out + err
    assert " vla: " in out and "a second time, outside of the block" in out


def test_the_stack_of_a_function_that_has_jumped(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB shows what is there now, which dwarfgpu takes for other functions' memory."""
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(JUMPS)
    subprocess.run([tool("gcc"), "-g", "-O2", source, "-o", program], check=True)
    out, err = debugger.run("run", "dwarfgpu compare -all-frames", file=program)
    assert out.splitlines()[-1].endswith(", 0 differ"), out + err
    assert "dwarfgpu <optimized out> (GDB shows the stack of a function that gave its frame" in out


_NAMELESS = """\
struct { int q; char w[3]; } nameless = { 3, "ab" };
struct outer { union { int i; float f; } u; struct { short x; } many[2]; } outer;
int main(void) {
  struct { long l; } local = { 4 }, *pointer = &local;
  return nameless.q + local.l + pointer->l == 0;
}
"""
_FORTRAN = """\
program prog
  type pair
    integer :: x
    character(len=3) :: s
  end type
  integer(2) :: row(3)
  real :: grid(2,3)
  character(len=5) :: word
  type(pair) :: one
  integer, allocatable :: heap(:)
  row = (/1,2,3/); grid = 1.5; word = 'hello'; one%x = 1; one%s = 'abc'
  allocate(heap(4)); heap = 7
  print *, row, grid, word, one%x, heap
end program
"""


@pytest.mark.parametrize(("compiler", "file", "lines", "line", "expressions"), [
    ("gcc", "a.c", _NAMELESS, 5,
     "nameless|outer.u|outer.many|outer.many[1]|local|*pointer|pointer|nameless.w"),
    ("gfortran", "a.f90", _FORTRAN, 13, "row|grid|word|one|one%s|heap|heap(2)|row(2)"),
])  # fmt: skip
def test_types_that_have_other_names_in_gdb(
    debugger: Debugger,
    tool: Callable[[str], str],
    tmp_path: Path,
    compiler: str,
    file: str,
    lines: str,
    line: int,
    expressions: str,
) -> None:
    """`$dwarfgpu` has the type that GDB has for the expression, and its place."""
    (tmp_path / file).write_text(lines)
    command = [tool(compiler), "-g", "-O0", "-o", "a", file]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    code = f"""
for text in {expressions.split("|")}:
    quote = "'" if {compiler == "gfortran"} else '"'
    own = gdb.parse_and_eval(f"$dwarfgpu({{quote}}{{text}}{{quote}})")
    theirs = gdb.parse_and_eval(text)
    same = str(own), str(own.type), own.address == theirs.address
    if same != (str(theirs), str(theirs.type), True):
        print(text, same, str(theirs), str(theirs.type))
print("compared")
"""
    out = debugger.python(code, f"break {file}:{line}", "run", file=tmp_path / "a")
    assert out.strip() == "compared"
