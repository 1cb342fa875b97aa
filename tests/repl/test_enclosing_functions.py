"""Variables of the functions that enclose a nested function or a lambda, as GDB 13 finds them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.service.symbol.type_definition import name_of_type
from dwarfgpu.session.session import Session
from tests.language.sessions import stopped, text
from tests.processes import finished
from tests.repl.plain_gdb import NO_DEBUG_FILES
from tests.repl.repl_shell import made, output_of

C = """
#include <stdlib.h>
static int apply(int (*f)(int), int x) { return f(x); }
int host(int n, int (*callback)(int)) {
  int local = n * 10, shadow = 1; static int calls = 77;
  int inner(int a) {
    int mine = a + local;
    int deeper(int z) { int shadow = z + local + mine; if (z > 100) abort(); return shadow; }
    return a > 100 ? deeper(a + n) : mine;
  }
  if (n == 0) return apply(callback, 101); /* of the outermost host */
  if (n == 3) { int block = 5; callback = inner; shadow = block; }
  return host(n - 1, callback) + shadow + inner(1);
}
int main(void) { return host(3, 0); }
"""
CPLUSPLUS = """
#include <cstdlib>
struct Point { int x, y; };
int Ns = 1, hidden = 2;
enum Place { here, local } place = here; /* a variable hides the enumerator */
template <class F> int apply(F f) { return f(1); }
int host(int n) {
  int local = n * 10, hidden = 7; Point point{n, 4}; int &ref = local;
  int result = apply([n](int v) { if (v) abort(); return v + n; });
  return result + local + point.x + ref + hidden;
}
int main() { return host(3); }
"""
OF_MEMBER = """
#include <cstdlib>
struct Base { int low = 3; static int shared; };
int Base::shared = 9;
struct Counter : Base { int count = 41; int add(int by); };
int Counter::add(int by) {
  auto inner = [by, this](int times) { if (times) abort(); return count + low + by * times; };
  return inner(2);
}
int main() { return Counter().add(5); }
"""
ESCAPED = """
#include <cstdlib>
struct Caller { virtual int call() const = 0; };
template <class F> struct Holder : Caller {
  F f; Holder(F f) : f(f) {}
  int call() const override { return f(1); }
};
int run(int depth, const Caller *caller) {
  static int calls = 6; calls++;
  int local = depth * 100, uncaptured = depth * 1000;
  if (depth == 0) return caller->call() + uncaptured;
  auto inner = [local](int v) { if (v) abort(); return v + local; };
  Holder<decltype(inner)> made(inner);
  return run(depth - 1, caller ? caller : &made);
}
int main() { return run(2, nullptr); }
"""
MEMBERS = ["p by", "p count", "p low + 1", "whatis count", "p shared", "p times", "p __by",
           "p __this", "whatis __by", "p this->__by", "info address by", "info address count",
           "info address __by"]  # fmt: skip
OF_C = [
    *(
        "frame function apply",
        "down",
        "down",
        "p local",
        "p n",
        "p shadow",
        "p mine",
        "p calls",
        "p block",
    ),
    *("whatis local", "p sizeof(local)", "p local + mine", "p &local == 0"),
    *("info address local", "info address n", "info address mine", "info address shadow"),
    *("info address calls", "info address block"),
    *("up", "p local", "p n", "p shadow", "p mine", "frame function apply", "p local", "p x"),
    *("frame function main", "p local"),
]
OF_CPLUSPLUS = [
    *(
        "frame function host",
        "down",
        "down",
        "p n",
        "p local",
        "p hidden",
        "p point",
        "p point.y + v",
        "p ref",
        "p Ns",
    ),
    *("ptype point", "p &local == &ref", "p ::hidden"),
    *("info address local", "info address n", "info address hidden", "info address Ns"),
    *("up", "p local", "p f", "p v", "info address local"),
]


def test_explain_reads_in_the_frame_of_the_variable(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    program, core = with_core(tool, tmp_path, "g++", CPLUSPLUS)
    moves = ("frame function host", "down", "down")
    answer = said(program, core, *moves, "explain local", "explain local + v")
    assert "=> local = 30" in answer and "=> local + v = 31" in answer
    assert answer.count("=> local = 30") == 3, "once as the expression"


NESTED = """
#include <stdlib.h>
int v = 1;
int outer(int n) {
  int v = n;
  int inner(int k) { if (k) abort(); return k + v; }
  return inner(n) + v;
}
int main(void) { return outer(5); }
"""


def test_eval_reads_the_variable_of_the_enclosing_function(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Although the file has a global variable of that name, which `find_variable` may not take."""
    program, core = with_core(tool, tmp_path, "gcc", NESTED)
    shown = said(program, core, "frame function outer")
    [number] = re.findall(r"^#(\d+) .* outer \(", shown, re.MULTILINE)
    read = ("eval", str(program), str(core), "--debug-dir", ".", "--frame", str(int(number) - 1))
    assert finished(*read, "v").stdout == "v = 5\n"
    assert finished(*read, "::v").stdout == "::v = 1\n"


@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_a_variable_that_a_lambda_does_not_capture_is_of_no_outer_frame(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """C++ [expr.prim.lambda.capture]: of several activations, none belongs to the lambda."""
    program, core = with_core(tool, tmp_path, compiler, ESCAPED)
    commands = ["p local", "p uncaptured", "p depth + 1", "whatis uncaptured", "p calls"]
    moves = ["frame function run", "down", "down"]
    local, *refused, kind, calls = answers_of(program, core, [*moves, *commands])[3:]
    assert (local, kind, calls) == ("200", "type = int", "9")
    reason = "which several outer frames execute. Which of them belongs to this frame is unknown."
    assert refused == [
        f'"{name}" is a variable of run, {reason}' for name in ("uncaptured", "depth")
    ]


def test_a_note_says_that_a_variable_is_not_captured(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    program, core = with_core(tool, tmp_path, "g++", CPLUSPLUS)
    moves = ["frame function host", "down", "down"]
    answers = answers_of(program, core, [*moves, "p local + local", "p n", "p sizeof(local)"])[3:]
    note = 'note: "local" is not captured: it is that of the only outer frame that executes host'
    assert answers == [f"60\n{note}", "3", "4"]


CAPTURED_ARRAY = """
#include <cstdlib>
struct Caller { virtual int call() const = 0; };
template <class F> struct Holder : Caller {
  F f; Holder(F f) : f(f) {}
  int call() const override { return f(1); }
};
__attribute__((noinline)) int leaf(int n, const Caller *caller) {
  int array[n + 2]; for (int i = 0; i < n + 2; i++) array[i] = i * i;
  if (caller) return caller->call() + array[1];
  auto inner = [&](long q) {
    long a = 3, b = 3, c = 3, d = 3, e = 3, f = 3; if (q) abort();
    return a + b + c + d + e + f + array[0];
  };
  Holder<decltype(inner)> made(inner);
  return DEPTH ? leaf(n - 1, &made) : made.call();
}
int main() { return leaf(5, nullptr); }
"""
"""Clang describes the length in a variable of `leaf`, by its place in the frame of that."""


def test_the_length_of_a_captured_array(tool: Callable[[str], str], tmp_path: Path) -> None:
    source = CAPTURED_ARRAY.replace("DEPTH", "0")
    program, core = with_core(tool, tmp_path, "clang++-19", source)
    commands = ["p array", "p &array", "p sizeof(array)", "p array[6]", "whatis *&array"]
    moves = ["frame function leaf", "down", "down"]
    whole, pointer, *rest = answers_of(program, core, [*moves, *commands])[3:]
    note = '\nnote: "__vla_expr0" is that of the only outer frame that executes '
    assert whole.endswith(": {0, 1, 4, 9, 16, 25, 36}" + note + "leaf")
    assert pointer.startswith("(int (*)[7]) 0x")
    assert rest == ["28", "36", "type = int [7]"]


def test_the_length_of_a_captured_array_is_of_no_outer_frame(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Two frames execute the function, and either may have made the lambda."""
    source = CAPTURED_ARRAY.replace("DEPTH", "1")
    program, core = with_core(tool, tmp_path, "clang++-19", source)
    moves = ["frame function leaf", "down", "down"]
    commands = [
        "p array",
        "p sizeof(array)",
        "p array[6]",
        "frame function leaf",
        "p sizeof(array)",
    ]
    whole, size, element, _, inner = answers_of(program, core, [*moves, *commands])[3:]
    reason = "which several outer frames execute: which of them belongs to this frame is unknown"
    assert "{" not in whole
    assert whole.endswith(f"{reason}>")
    assert reason in size
    assert (element, inner) == ("36", "24")


IN_INLINED = """
#include <stdlib.h>
void *volatile keep; volatile int one = 1;
static inline __attribute__((always_inline)) int f(int n) {
  int ARRAY;
  for (int i = 0; i < n; i++) FILL;
  keep = a;
  if (one) abort();
  return ((int *)a)[one];
}
int main(int count, char **words) { return f(3); }
"""
OF_INLINED = {
    "a[n]": ("a[i] = i * i", ["{0, 1, 4}", "12", "4", "type = int [3]"]),
    "a[n][n + 1]": (
        "for (int j = 0; j <= n; j++) a[i][j] = i * 10 + j",
        ["{{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}}", "48", "{20, 21, 22, 23}",
         "type = int [3][4]"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("array", OF_INLINED)
def test_lengths_of_arrays_in_inlined_calls(
    tool: Callable[[str], str], tmp_path: Path, array: str
) -> None:
    """Clang's type refers to the abstract instance of the variable with the length, and the call
    has one of its own."""
    fill, expected = OF_INLINED[array]
    source = IN_INLINED.replace("ARRAY", array).replace("FILL", fill)
    program, core = with_core(tool, tmp_path, "clang-19", source, "-O2")
    commands = ["frame function f", "p a", "p sizeof(a)", "p a[2]", "whatis a"]
    assert answers_of(program, core, commands)[1:] == expected


SHADOWED = """
#include <cstdlib>
template <class F> int apply(F f) { return f(1); }
int z = 9;
int named(int n) {
  int x = 1, y = 4;
  { int x = 2; { volatile int z = 6; z++; }
    { int x = 3;
      auto inner = [n](int q) {
        if (q + n > 3) abort(); return n; };
      int y = 5;
      return apply(inner) + x + y; } }
}
int passed(int n) {
  int x = 1, y = 4;
  { int x = 2; return x + y + apply([n](int q) {
      if (q + n > 3) abort(); return n; }); }
}
int main(int, char **) { return CALLED(5); }
"""


@pytest.mark.parametrize("level", ["-O0", "-Og"])
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_variables_that_blocks_declare_again(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, level: str
) -> None:
    """Compilers describe the lambda in the function: its variable is in the block around it."""
    program, core = with_core(tool, tmp_path, compiler, SHADOWED.replace("CALLED", "named"), level)
    moves = ["frame function named", "down", "down"]
    answers = answers_of(program, core, [*moves, "p x", "p y", "p z"])[3:]
    assert [answer.splitlines()[0] for answer in answers] == ["3", "4", "9"]


def test_a_lambda_without_a_variable_is_in_an_unknown_block(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    program, core = with_core(tool, tmp_path, "clang++-19", SHADOWED.replace("CALLED", "passed"))
    moves = ["frame function passed", "down", "down"]
    x, y = answers_of(program, core, [*moves, "p x", "p y"])[3:]
    lines = [index for index, line in enumerate(SHADOWED.splitlines(), 1) if "int x = " in line]
    where = ", ".join(map(str, lines[-2:]))
    why = "which one is around this function is unknown"
    assert x == f'several blocks of "passed" declare "x", at lines {where}: {why}'
    assert y.splitlines()[0] == "4"


WITH_ENUMERATORS = """
#include <stdlib.h>
int top(int a) {
  enum { x = 2 } e = x; int y = 7;
  {
    int x = a + 30; enum { z = 9 } f = z; CAPTURED
    if (q() == 31) abort();
    return x + f + y;
  }
}
int main(void) { return top(1); }
"""


def test_a_variable_hides_an_enumerator_further_out(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    nested = WITH_ENUMERATORS.replace("CAPTURED", "int q(void) { if (a) abort(); return x; }")
    program, core = with_core(tool, tmp_path, "gcc", nested)
    moves = ["frame function top", "down"]
    assert answers_of(program, core, [*moves, "p x", "p e", "p z"])[2:] == ["31", "x", "z"]


MOVED = """
#include <cstdlib>
int top(int a) {
  int y = 7; static int w = 5;
  {
    enum { y = 99, w = 11 } f = y; typedef char own; own o = 1;
    auto q = [a] { if (a) abort(); return 1; };
    return q() + f + o;
  }
  return y + w;
}
int main() { return top(1); }
"""


def test_an_enumerator_of_a_block_that_is_in_the_function(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Clang puts it there, beside a variable: which of them the block has is unknown."""
    program, core = with_core(tool, tmp_path, "clang++-19", MOVED)
    for moves in (["frame function top"], ["frame function top", "down"]):
        y, w, own = answers_of(program, core, [*moves, "p y", "p w", "p sizeof(own)"])[-3:]
        assert y == 'several blocks of "top" declare "y", at lines 4, 6'
        assert w == 'several blocks of "top" declare "w", at lines 4, 6'
        assert own == "1"


IN_A_BLOCK = """
#include <cstdlib>
int k = 777;
template <class F> int call(F f) { return f(1); }
int looped(int n) {
  for (int k = 6; k < 7; k++)
    n += call([n](int q) { if (q + n) abort(); return q; });
  return n + k;
}
int beside(int n) {
  { volatile int k = 5; n += k; }
  return n + call([n](int q) { if (q + n) abort(); return q; });
}
int main(int, char **) { return CALLED(1); }
"""


@pytest.mark.parametrize(
    ("compiler", "called"),
    [("g++", "beside"), ("clang++-19", "looped"), ("clang++-19", "beside")],
)
def test_a_name_that_only_a_block_declares(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, called: str
) -> None:
    """Where the block is unknown, the global variable is not taken for that of a block."""
    source = IN_A_BLOCK.replace("CALLED", called)
    program, core = with_core(tool, tmp_path, compiler, source)
    moves = [f"frame function {called}", "down", "down"]
    (said,) = answers_of(program, core, [*moves, "p k"])[3:]
    lines = [number for number, text in enumerate(source.splitlines(), 1) if "int k = " in text]
    line = lines[1 if called == "looped" else 2]
    why = "whether it is around this function is unknown"
    assert said == f'a block of "{called}" declares "k", at line {line}: {why}'


def answers_of(program: Path, core: Path, commands: Sequence[str]) -> list[str]:
    """The answers of dwarfgpu to commands."""
    lines = [line for command in commands for line in (r"echo @@\n", command)]
    return parts(said(program, core, *lines))


def said(program: Path, core: Path, *commands: str) -> str:
    """What dwarfgpu says of a core file, without the debug files of this machine."""
    given = ("--batch", "-iex", NO_DEBUG_FILES, *options_of(commands))
    return finished("debug", str(program), "--core", str(core), *given, is_mixed=True).stdout


def parts(printed: str) -> list[str]:
    """What follows each mark, without history numbers and suggestions."""
    plain = re.sub(r"^\$[0-9]+ = | Did you mean .*$", "", printed, flags=re.M)
    return [part.strip() for part in re.split(r"^@@$", plain, flags=re.M)[1:]]


def options_of(commands: Iterable[str]) -> list[str]:
    """The options that run commands."""
    return [piece for command in commands for piece in ("-ex", command)]


def with_core(
    tool: Callable[[str], str], folder: Path, compiler: str, source: str, level: str = "-O0"
) -> tuple[Path, Path]:
    """Compile a program, and write a core file where it aborts."""
    gdb = tool("gdb")
    written = folder / ("nested.cpp" if "++" in compiler else "nested.c")
    written.write_text(source)
    program, core = folder / "nested", folder / "core"
    flags = ("-g", level, "-w", "-fno-stack-protector")
    subprocess.run([tool(compiler), *flags, str(written), "-o", str(program)], check=True)
    debugger = [gdb, "-nx", "-q", "-batch", "-iex", NO_DEBUG_FILES]
    made = [*debugger, *options_of(["run", f"gcore {core}", "kill"]), str(program)]
    subprocess.run(made, capture_output=True, check=False)
    if not core.exists():
        pytest.skip("GDB writes no core file here")
    return program, core


@pytest.mark.parametrize(
    ("compiler", "source", "commands"),
    [
        ("gcc", C, OF_C),
        ("g++", CPLUSPLUS, OF_CPLUSPLUS),
        ("g++", OF_MEMBER, ["frame function Counter::add", "down", *MEMBERS]),
    ],
)
def test_the_same_as_gdb(
    tool: Callable[[str], str],
    tmp_path: Path,
    compiler: str,
    source: str,
    commands: Sequence[str],
) -> None:
    program, core = with_core(tool, tmp_path, compiler, source)
    debugger = [tool("gdb"), "-nx", "-q", "-batch", "-iex", NO_DEBUG_FILES]
    lines = [line for command in commands for line in (r"echo @@\n", command)]
    script = tmp_path / "commands"
    # Each command alone, so that an error does not end the others.
    script.write_text("\n".join(
        f"python\ntry: gdb.execute({line!r})\nexcept gdb.error as error: print(error)\nend"
        for line in lines
    ))  # fmt: skip
    done = subprocess.run(
        [*debugger, program, core, "-x", script],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    )  # fmt: skip
    answers = answers_of(program, core, commands)
    for command, expected, answer in zip(commands, parts(done.stdout), answers, strict=True):
        if not command.startswith(("up", "down", "frame")):  # these show the source
            plain = re.sub(r'\nnote: "\w+" is not captured: .*', "", answer)
            assert (command, plain) == (command, expected)


def test_members_by_the_this_that_a_lambda_of_clang_captures(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """GDB knows no names of that object, and may find those of other files."""
    program, core = with_core(tool, tmp_path, "clang++-19", OF_MEMBER)
    commands = ["frame function Counter::add", "down", *MEMBERS[:6]]
    answers = answers_of(program, core, commands)[2:]
    assert answers == ["5", "41", "4", "type = int", "9", "2"]


def _type_in(session: Session, name: str) -> str:
    return name_of_type(session, name, Options())


def test_host_variables_of_a_contained_procedure() -> None:
    session = stopped("fortran.gcc.O0")
    inner, host = session.at_level(1), session.at_level(2)
    for name in ("total", "half", "zz", "grid", "aims", "window", "corners", "words"):
        assert text(inner, name) == text(host, name)
        spelled = [_type_in(session, name) for session in (inner, host)]
        assert spelled[0] == spelled[1]
    assert text(inner, "total") == "42"
    assert _type_in(inner, "window") == "integer(kind=4) (3)"


def test_what_a_procedure_sees_in_modules() -> None:
    """`FUNCTION::x` may be of the module around it, or of one that it uses, as in GDB."""
    session = stopped("fortran.gcc.O0")
    assert text(session, "shapes::counter") == "7"
    assert text(session, "shapes::inner::table") == "(1, 2, 3)"
    assert text(session, "shapes::none") == 'No symbol "none" in specified context.'


def test_variables_of_an_enclosing_procedure_of_ada() -> None:
    assert text(stopped("ada.gcc.O0"), "matrix") == "((1, 2, 3), (4, 5, 6))"


def test_contained_procedures_have_their_names_in_gdb() -> None:
    """What a procedure of Fortran is contained in is part of its name, and of its place."""
    shell = made(stopped("fortran.gcc.O0"))
    listed = output_of(shell, "info functions -n e")
    assert "\n93:\tvoid shapes::inner(integer(kind=4) " in listed
    assert "\n108:\tvoid shapes::ranked(integer(kind=4) " in listed
    assert "\n21:\tvoid store::__copy_store_Point(" in listed
    for name in ("inner", "shapes::inner"):
        assert output_of(shell, f"info line {name}").startswith('Line 93 of "')
    assert "  shapes::inner (" in output_of(shell, "up").replace(" in ", "  ")
    of_ada = output_of(made(stopped("ada.gcc.O0")), "info functions -n shapes")
    assert "\n51:\t" in of_ada and "static" not in of_ada
