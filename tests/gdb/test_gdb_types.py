"""Types whose shape the running program determines: `dwarfgpu print` inside GDB against GDB's
own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger

GLOBALS = """
bottom many right holder plain fields left top data_member no_member function virtual_function
"""
STOCK_GDB_IS_WRONG = {"left"}
"""Of a reference GDB reads the virtual base class from behind what the reference refers to."""

SHAPES = r"""
struct pair { int first; char second[3]; };
static volatile int sink;
__attribute__((noinline)) static void stop(void) { sink++; }
__attribute__((noinline)) static long many(int n, int m, int none) {
  typedef int row[n];
  row rows[3], *pointer = &rows[1];
  int plain[n], matrix[n][m], fixed_first[2][m], empty[none];
  char text[n + 3];
  double wide[m];
  struct pair pairs[m];
  unsigned char bytes[20 * n];
  int *pointers[n];
  struct { int count; int items[n]; short after; } inside;
  for (int i = 0; i < n; i++) {
    plain[i] = i * i; text[i] = 'a' + i; pointers[i] = &plain[i]; inside.items[i] = -i;
    rows[0][i] = i; rows[1][i] = 2 * i; rows[2][i] = 3 * i;
    for (int j = 0; j < m; j++) matrix[i][j] = 10 * i + j;
  }
  for (int i = 0; i < 3; i++) text[n + i] = 0;
  for (int j = 0; j < m; j++) {
    wide[j] = j / 2.0; fixed_first[0][j] = j; fixed_first[1][j] = -j;
    pairs[j].first = j; for (int k = 0; k < 3; k++) pairs[j].second[k] = 'x' + k;
  }
  for (int i = 0; i < 20 * n; i++) bytes[i] = i % 3 ? 7 : i;
  inside.count = n; inside.after = 9;
  __asm__ volatile("" :: "r"(&inside), "r"(rows), "r"(pairs), "r"(bytes), "r"(wide) : "memory");
  stop();
  sink = plain[n - 1] + matrix[n - 1][m - 1] + text[0] + wide[0] + pairs[0].first + bytes[1];
  sink += *pointers[0] + inside.items[1] + (*pointer)[1] + fixed_first[1][1];
  return sizeof empty + sink;
}
int main(void) { return many(5, 3, 0) + many(300, 2, 0) == 0; }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_cplusplus(debugger: Debugger, repository: Path, compiler: str) -> None:
    report = debugger.report(
        "break stop",
        "python comparison = Comparison('x86_64/bases.cpp')",
        f"python comparison.globals = {GLOBALS.split()}",
        "run",
        "python comparison.stop()",
        "continue",
        "python comparison.stop()",
        "python comparison.report()",
        file=repository / f"fixtures/x86_64/bases.{compiler}.O0.v5",
    )
    differences, compared = report["differences"], report["compared"]
    assert isinstance(differences, list) and isinstance(compared, int)
    assert [
        difference for difference in differences if difference[2] not in STOCK_GDB_IS_WRONG
    ] == []
    assert compared > 30


CASTS = """*(Right *)&bottom|(Right *)&bottom|*(Top *)&bottom|(Top *)&bottom|(Top)bottom
*(Bottom *)(Right *)&bottom|(Bottom *)(Right *)&bottom|(Top *)&right|*(Top *)(Right *)&bottom
(Right *)(Bottom *)0|(Top *)(Bottom *)0|(Plain *)&bottom|(Bottom *)(Right *)&bottom == &bottom
(Right *)(void *)&bottom|(long)(Right *)&bottom - (long)&bottom|({Right} &bottom).r
((Right *)&bottom)->r = 9|bottom.r|bottom.l|((Top *)&many[1])->t = 8|many[1].t"""
"""Without `((Right &)bottom).r` and `(Right)bottom`: stock GDB looks for their parts elsewhere."""
COMPARE = """
import json
out = []
for each in {expressions!r}:
    ours = said("dwarfgpu print " + each).split("\\nnote:")[0].removeprefix(each + " = ")
    out.append([each, contents(said("print " + each)), ours])
print(json.dumps(out))
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_casts_between_classes(debugger: Debugger, repository: Path, compiler: str) -> None:
    code = COMPARE.format(expressions=CASTS.replace("\n", "|").split("|"))
    program = repository / f"fixtures/x86_64/bases.{compiler}.O0.v5"
    document = json.loads(debugger.python(code, "break stop", "run", "up", file=program))
    assert [comparison for comparison in document if comparison[1] != comparison[2]] == []
    assert len(document) > 20


LOST = """struct node { int val; struct node *next; };
__attribute__((noinline)) void stop(void) { __asm__ volatile(""); }
__attribute__((noinline)) int f(int n) {
  struct node list[n]; int rows[2][n];
  stop();
  return sizeof list & 1;
}
int main(void) { return f(5) == 0; }
"""
LOST_EXPRESSIONS = """list|list[3]|list[3].val|sizeof(list)|sizeof(list[0])|rows[1]|rows[1][2]
sizeof(rows)|&list[3]|list[1].nope|list[1].val = 3|list + 1|list[7]"""


def test_arrays_that_are_optimized_out(debugger: Debugger, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    (tmp_path / "lost.c").write_text(LOST)
    program = tmp_path / "lost"
    command = ["gcc", "-g", "-O2", "-w", str(tmp_path / "lost.c"), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    code = COMPARE.format(expressions=LOST_EXPRESSIONS.replace("\n", "|").split("|"))
    document = json.loads(debugger.python(code, "break stop", "run", "finish", file=program))
    assert [comparison for comparison in document if comparison[1] != comparison[2]] == []


MEMBERS = """bx.made|r->st|s.st|s.st + 1|s.q|s.P::q|s.Q::q|r->Q::q|s.R::q|&s.Q::q|&r->st|both.P::q
both.Twice::q|bx.made = 9|s.st = 8|P::st|s.R::own"""


def test_members_of_classes(debugger: Debugger, repository: Path) -> None:
    program = repository / "fixtures/x86_64/members.gcc.O0.v5"
    code = COMPARE.format(expressions=MEMBERS.replace("\n", "|").split("|"))
    document = json.loads(debugger.python(code, "break _start", "run", file=program))
    assert [comparison for comparison in document if comparison[1] != comparison[2]] == []


@pytest.mark.parametrize("options", ["gcc -O0", "gcc -O1", "gcc -O2", "clang-19 -O0"])
def test_arrays_of_variable_length(debugger: Debugger, tmp_path: Path, options: str) -> None:
    compiler, *more = options.split()
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = SHAPES
    if compiler != "gcc":  # only GCC has structures with such members
        source = source.replace("int items[n]; short", "int items[4]; short").replace(
            "inside.items[i] = -i;", "inside.items[i % 4] = -i;"
        )
    (tmp_path / "shapes.c").write_text(source)
    program = tmp_path / "shapes"
    command = [compiler, "-g", *more, "-w", str(tmp_path / "shapes.c"), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    report = debugger.report(
        "break stop",
        "python comparison = Comparison('shapes.c')",
        "run",
        "python comparison.stop()",
        "continue",
        "python comparison.stop()",
        "python comparison.report()",
        file=program,
    )
    differences = report["differences"]
    assert isinstance(differences, list)
    for _, _, name, theirs, ours in differences:
        assert name == "inside"
        if options == "gcc -O2":  # GCC left nothing of its type
            assert ours == "<incomplete type>"
        else:  # GDB takes a place that is a location list for the start of the structure
            assert options == "gcc -O1" and ours.endswith("after = 9}") and theirs != ours
    compared = report["compared"]
    assert isinstance(compared, int) and compared > 30


REFERENCES = """
struct pair { int first, second; };
__attribute__((noinline)) static int stop(const int &n, pair &of, int &&moved) {
  return n + of.first + moved;
}
int main() { pair both = {1, 2}; int n = 3; return stop(n, both, 4) == 0; }
"""


def test_references_in_gdbs_expressions(debugger: Debugger, tmp_path: Path) -> None:
    """GDB's manual: a value of a reference denotes the object, which can be assigned."""
    source, program = tmp_path / "references.cpp", tmp_path / "references"
    source.write_text(REFERENCES)
    compiler = shutil.which("g++") or pytest.skip("g++ is not installed")
    subprocess.run([compiler, "-g", "-O0", source, "-o", program], check=True, timeout=120)
    code = """
for name in ("n", "of", "moved"):
    ours = gdb.parse_and_eval(f'$dwarfgpu("{name}")')
    theirs = gdb.parse_and_eval(name)
    print(ours.type == theirs.type, ours.format_string() == theirs.format_string())
gdb.execute('set var $dwarfgpu("of").second = 7')
print(said('output $dwarfgpu("n") + 1'), said("output of.second"))
"""
    out = debugger.python(code, "break stop", "run", file=program)
    assert out.split() == ["True", "True"] * 3 + ["4", "7"]
