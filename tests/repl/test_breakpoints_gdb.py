"""Where breakpoints of source lines are, against the installed GDB: once in each block; and what
lists show of the same programs."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.cli.command import FIXTURES, run
from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
int sum(int n)
{
    int s = 0;
    int v[n]; for (int i = 0; i < n; i++) { v[i] = i; s += v[i]; }
    for (int i = 0; i < n; i++) { int k = i; s += k; } for (int j = 0; j < n; j++) s += j;
    { s++; { s--; } } { int k = s; s += k; { s++; } } { int k = s; s += k; }
    return s;
}
int main(void) { return sum(3); }
"""


NO_LINES = """\
int add(int a, int b) { return a + b; }
int twice(int x) { return add(x, x); }
int main(void) { return twice(3); }
"""


MERGED = """\
namespace ns {
struct Pair { int x, y; Pair(); Pair(int v); ~Pair(); };
Pair::Pair() : x(1), y(2) {}
Pair::Pair(int v) : x(v), y(v) {}
Pair::~Pair() { x = 0; }
}
struct Only { int v; Only(); };
Only::Only() : v(7) {}
int sum(int a) { volatile int s = 0; for (int i = 0; i < a; i++) s = s + i; return s; }
int same(int a) { volatile int s = 0; for (int i = 0; i < a; i++) s = s + i; return s; }
int (*chosen)(int) = same;
int main(int argc, char **argv) { ns::Pair p(argc); Only o; return sum(o.v) + chosen(p.x); }
"""
LISTS = """int sink(int *, int);
int kept(int n)
{
  int many[n];
  for (int i = 0; i < n; i++)
    many[i] = i;
  return sink(many, n);
}
__attribute__((noipa)) int sink(int *of, int n)
{
  return of[n - 1];
}
int main(int argc, char **argv)
{
  return kept(argc);
}
"""
PROLOGUES = """\
int leaf(int x) { return x + 1; }
int many(int a, int b, int c, int d, int e, int f, int g)
{
  int k = a + b + c;
  return k + d + e + f + g;
}
int local(int n) {
  int v[40];
  for (int i = 0; i < 40; i++) v[i] = n;
  return v[n & 31];
}
int array(int n) { int v[40]; for (int i = 0; i < 40; i++) { v[i] = n; } return v[n & 31]; }
int variable(int n) { int v[n]; v[0] = n; return v[n - 1]; }
void nothing(void) { }
int main(int argc, char **argv)
{
  return leaf(argc) + many(1, 2, 3, 4, 5, 6, 7) + local(2) + array(3) + variable(4);
}
"""
HEADER = "static inline int scaled_{0}(int x) {{\n  return x * {0};\n}}\n"
INCLUDING = """\
#include "../above.h"
#include "beside.h"
#include "below.h"
int main(int argc, char **argv) { return scaled_3(argc) + scaled_5(argc) + scaled_7(argc); }
"""


def built(folder: Path, source: str, *options: str, name: str = "a.c") -> str:
    """Build a program `a` from C or C++; skip without the tools, and a gcc without `-flto`."""
    gdb, compiler = shutil.which("gdb"), shutil.which("g++" if name.endswith("cpp") else "gcc")
    if gdb is None or compiler is None:
        pytest.skip("needs gdb and gcc")
    (folder / name).write_text(source)
    command = [compiler, *options, "-o", "a", name]
    done = subprocess.run(command, cwd=folder, check="-flto" not in options, timeout=60)
    if done.returncode:
        pytest.skip("needs gcc with -flto")
    return gdb


def both(gdb: str, folder: Path, lines: list[str]) -> tuple[str, str]:
    """Return what GDB and dwarfgpu print for the commands, with the errors among it."""
    given = [word for line in lines for word in ("-ex", f"echo {line}\\n", "-ex", line)]
    of_gdb = subprocess.run(
        [gdb, "-nx", "-q", "--batch", "-iex", "set print asm-demangle on", *given, "a"],
        cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60,
    )  # fmt: skip
    with contextlib.redirect_stderr(io.StringIO()) as merged, contextlib.redirect_stdout(merged):
        main(["debug", str(folder / "a"), "--batch", *given])
    return of_gdb.stdout, merged.getvalue()


def test_a_file_that_the_compiler_was_given_in_another_folder(tmp_path: Path) -> None:
    """GDB names an existing one by its real path, and another one as the compiler was given it."""
    (tmp_path / "build").mkdir()
    gdb = built(tmp_path / "build", SOURCE, "-g", "-O0", name="../a.c")
    lines = ["break 6", "tbreak -line 7"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path / "build", lines)
    assert of_dwarfgpu == of_gdb
    assert f"{tmp_path}/a.c:6. (" in of_dwarfgpu
    (tmp_path / "a.c").unlink()
    of_gdb, of_dwarfgpu = both(gdb, tmp_path / "build", lines)
    assert of_dwarfgpu == of_gdb


def test_lines_with_several_blocks(tmp_path: Path) -> None:
    gdb = built(tmp_path, SOURCE, "-g", "-O0", "-gdwarf-5")
    of_gdb, of_dwarfgpu = both(
        gdb, tmp_path, [*(f"break {n}" for n in range(1, 10)), "info breakpoints"]
    )
    assert of_dwarfgpu == of_gdb
    assert of_dwarfgpu.count("locations)") >= 2


@pytest.mark.parametrize("options", [(), ("-s",)], ids=["symbols", "stripped"])
def test_without_debugging_information(tmp_path: Path, options: tuple[str, ...]) -> None:
    gdb = built(tmp_path, NO_LINES, "-O0", *options)
    lines = [
        "break main", "break *add", "break *add+4", "tbreak twice", "break *0x40", "break 9",
        "break +1", "break a.c:3", "break nosuch", "break", "info breakpoints", "list", "list 3",
        "list main", "list a.c:3", "info line", "info line 3", "info line main", "rbreak ad",
        "clear *add", "info breakpoints",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


def test_functions_that_only_have_a_symbol(tmp_path: Path) -> None:
    """gcc merges equal functions: the second has lines, but no entry."""
    gdb = built(tmp_path, MERGED, "-g", "-O2", "-fno-inline", name="a.cpp")
    lines = [
        "break same", "break same(int)", "break a.cpp:same", "break sum", "tbreak ns::Pair::Pair",
        "break Pair::Pair(int)", "break ns::Pair::~Pair", "info breakpoints", "print same",
        "info symbol same", "info address same", "info line same", "print Only::Only",
        "print &Only::Only", "ptype Only::Only", "whatis &Only::Only", "info address Only::Only",
        "print ns::Pair::Pair(int)", "list Only::Only",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_functions_that_only_have_lines(
    tmp_path: Path, tool: Callable[[str], str], level: str
) -> None:
    """clang -gline-tables-only writes no entries; where a prologue ends is in its line table."""
    gdb, clang = tool("gdb"), tool("clang-19")
    (tmp_path / "a.c").write_text(PROLOGUES)
    command = [clang, "-gline-tables-only", level, "-o", "a", "a.c"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    names = ("leaf", "many", "local", "array", "variable", "nothing", "main")
    lines = [f"break {place}" for place in (*names, *range(1, 19))]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "info breakpoints"])
    assert of_dwarfgpu == of_gdb


def test_lists_begin_in_the_last_unit_of_a_program_that_only_has_lines(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB begins around a `main` that the debugging information describes, not the symbol table."""
    gdb, clang = tool("gdb"), tool("clang-19")
    (tmp_path / "a.c").write_text("\n" * 40 + PROLOGUES)
    (tmp_path / "b.c").write_text("int other(void)\n{\n  return 1;\n}\n" + "\n" * 20)
    command = [clang, "-gline-tables-only", "-o", "a", "a.c", "b.c"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, ["list", "list", "list -", "break 3"])
    assert of_dwarfgpu == of_gdb


def test_a_thread_local_symbol_without_a_thread(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB finds neither its value nor its type; both errors begin with the same words."""
    gdb, clang = tool("gdb"), tool("clang-19")
    (tmp_path / "a.c").write_text("__thread int tls = 5;\nint main(void) { return tls; }\n")
    command = [clang, "-gline-tables-only", "-o", "a", "a.c"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    for said in both(gdb, tmp_path, ["p tls", "whatis tls", "ptype tls"]):
        assert str(said).count("Cannot find thread-local storage") == 3


def test_lines_are_in_functions_with_their_scopes() -> None:
    """As functions that are named: `shapes::stop` in Rust."""
    done = run(
        "debug", FIXTURES / "rust/shapes.rustc.O0", "--batch", "-ex", "break shapes.rs:58",
        "-ex", "break _start", "-ex", "info breakpoints",
    )  # fmt: skip
    assert [line.split(" in ")[1] for line in done.out.splitlines() if " in " in line] == [
        "shapes::_start at rust/shapes.rs:58", "shapes::_start at rust/shapes.rs:58",
    ]  # fmt: skip


IN_PROLOGUES = """\
int next(void);
static inline int sum(int n)
{
  int t = 0;
  for (int i = 1; i < n; i++)
    t ^= t * 31 + i * next();
  return t;
}
int use(int n)
{
  return sum(n);
}
int other(void)
{
  return sum(7) + sum(next());
}
static int table[16];
int
choose(int a,
       int b)
{
  int r = 0;
  for (int i = 0; i < a; i++)
    {
      switch (i & 3)
        {
        case 0:
          r += i < 2 ? 2 : i > b ? b : i;
          break;
        case 1:
          r ^= i * 3 + 1;
        case 2:
          r = r * i < 0 ? r - r * i : r + r * i;
          break;
        default:
          if (r > 1000)
            goto out;
        }
      table[i & 15] = r;
    }
out:
  return r;
}
int state;
__attribute__((noinline)) int next(void) { return state = state * 5 + 3; }
#line %d "%s"
int main(void)
{
  int t = choose(20, 9);
  return use(3) + other() + t;
}
"""


def test_a_prologue_ends_in_the_same_file_by_another_number(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """A file that `#line` names, too, has two numbers in the line table of clang."""
    gdb, clang = tool("gdb"), tool("clang-19")
    (tmp_path / "a.c").write_text(IN_PROLOGUES % (52, "a.c"))
    subprocess.run([clang, "-g", "-O2", "-o", "a", "a.c"], cwd=tmp_path, check=True, timeout=60)
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, ["break main", "break 53", "info breakpoints"])
    assert of_dwarfgpu == of_gdb


@pytest.mark.parametrize("level", ["-Og", "-O1", "-O2"])
@pytest.mark.parametrize("line", [(75, "a.c"), (1000, "gen.y"), (52, "a.c")])
@pytest.mark.parametrize("version", ["4", "5"])
@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_inlined_calls_in_the_prologue_and_amid_lines(
    tmp_path: Path,
    tool: Callable[[str], str],
    compiler: str,
    version: str,
    line: tuple[int, str],
    level: str,
) -> None:
    """A breakpoint of such a call is after the prologue of its caller, as that of the caller. One
    that begins amid a row of the caller has no line."""
    gdb, program = tool("gdb"), tool(compiler)
    (tmp_path / "a.c").write_text(IN_PROLOGUES % line)
    options = ["-g", f"-gdwarf-{version}", level, "-fno-inline-small-functions", "-w"]
    if compiler != "gcc":
        options.remove("-fno-inline-small-functions")
    subprocess.run([program, *options, "-o", "a", "a.c"], cwd=tmp_path, check=True, timeout=60)
    names = ("sum", "use", "other", "choose", "main")
    lines = [f"{word} {name}" for name in names for word in ("break", "tbreak")]
    lines += ["info scope sum", "info scope choose", "info breakpoints"]
    for name in names:
        lines += [f"list {name}", f"list {name},", f"list ,{name}", f"info line {name}"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


def test_rows_after_one_that_is_left_out(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB leaves out a row of another file that is no statement at the address of a statement. The
    row after it begins a step even if it continues the statement with a discriminator."""
    gdb, gcc = tool("gdb"), tool("gcc")
    statement, left_out, end = "1 10 0 is_stmt 1", "2 20 0 is_stmt 0", "1 12 0 is_stmt 1"
    rows_of = (
        (statement, left_out, "nop", "1 10 0 is_stmt 0 discriminator 1"),
        (statement, left_out, "nop", "2 20 0 is_stmt 0 discriminator 1"),
        (statement, "2 10 0 is_stmt 0", "nop", "1 10 0 is_stmt 0 discriminator 1"),
        (statement, left_out, "nop", "2 30 0 is_stmt 1"),
        (statement, left_out, "nop", "1 10 0", "nop", "1 10 0 discriminator 1"),
        (statement, left_out, "1 11 0 is_stmt 0"),
        (statement, left_out, "1 11 0 is_stmt 1"),
        (statement, left_out, "3 11 0 is_stmt 0", "nop", "2 20 0 discriminator 1"),
    )
    lines = ['.file 1 "one.c"', '.file 2 "two.c"', '.file 3 "three.c"', ".text"]
    for number, rows in enumerate(rows_of):
        lines += [f".globl f{number}", f".type f{number}, @function", f"f{number}:"]
        lines += [row if row == "nop" else f".loc {row}" for row in (*rows, "nop", end)]
        lines += ["ret", f".size f{number}, .-f{number}"]
    (tmp_path / "a.s").write_text("\n".join(('.file "one.c"', *lines, "")))
    command = [gcc, "-nostdlib", "-Wl,-e,f0,-Ttext=0x1000", "-Wa,--gdwarf-5", "-o", "a", "a.s"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [f"info line *{0x1000 + at}" for at in range(32)])
    assert of_dwarfgpu == of_gdb
    assert "Line 10" in of_gdb


@pytest.mark.parametrize("version", ["4", "5"])
def test_files_by_their_paths(tmp_path: Path, version: str) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()
    (tmp_path / "inc").mkdir()
    for path, number in (("above.h", 3), ("sub/beside.h", 5), ("inc/below.h", 7)):
        (tmp_path / path).write_text(HEADER.format(number))
    gdb = built(folder, INCLUDING, "-g", f"-gdwarf-{version}", "-O0", "-I../inc")
    paths = ["above.h", "../above.h", "beside.h", "below.h", "inc/below.h", "../inc/below.h",
             "sub/a.c", "a.c", f"{tmp_path}/above.h", f"{folder}/a.c", f"{tmp_path.name}/above.h",
             "nofile.h"]  # fmt: skip
    lines = [f"break {path}:2" for path in paths] + [f"list {path}:2" for path in paths]
    lines += ["info source", "break scaled_3", "break above.h:scaled_3", "list a.c:main",
              "list scaled_7", "info source", "info breakpoints"]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, folder, lines)
    assert of_dwarfgpu == of_gdb


@pytest.mark.parametrize(
    "options",
    [("-m32", "-fomit-frame-pointer"), ("-m32",), ("-fomit-frame-pointer",), ()],
    ids=" ".join,
)
def test_prologues(tmp_path: Path, options: tuple[str, ...]) -> None:
    """i386 aligns the stack in `main`; its addresses are shorter, too."""
    try:
        gdb = built(tmp_path, PROLOGUES, "-g", "-O0", "-nostdlib", "-w", *options)
    except subprocess.CalledProcessError:
        pytest.skip("gcc does not compile for i386")
    names = ["leaf", "many", "local", "array", "variable", "nothing", "main"]
    lines = [f"break {name}" for name in names] + [f"break {n}" for n in range(1, 20)]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "tbreak many thread 1", "info breakpoints"])
    assert of_dwarfgpu == of_gdb


HEADS = {
    "scheduled": "push %ebp; xor %eax, %eax; mov $5, %edx; mov %esp, %ebp; push %ebx",
    "other": "push %ebp; xor %ebx, %ebx; mov %esp, %ebp",
    "entered": "endbr32; enter $16, $0; push %esi",
    "padded": "nop; .byte 0x8b, 0xff; push %ebp; lea (%esp), %ebp; sub $16, %esp",
    "jumps": "jmp 1f; nop; nop; 1: push %ebp; mov %esp, %ebp; push %edi",
    "far": ".byte 0xe9; .long 2; nop; nop; push %ebp; mov %esp, %ebp",
    "back": "jmp 2f; 1: inc %eax; hlt; 2: push %ebp; mov %esp, %ebp; sub $8, %esp; jmp 1b",
    "structure": "pop %eax; xchg %eax, (%esp); push %ebp; mov %esp, %ebp",
    "probed": "push $4; call 1f; 1: add $4, %esp; push %ebp; mov %esp, %ebp",
    "independent": "push %ebp; mov %esp, %ebp; push %ebx; call 1f; 1: pop %ebx; "
    "mov %ebx, -4(%ebp); add $0x12345, %ebx",
    "freed": "push %ebp; xor %ecx, %ecx; mov %esp, %ebp; sub $-8, %esp",
}


def test_prologues_of_assembler_code(tmp_path: Path) -> None:
    """GDB reads instructions of i386 where no lines are known."""
    source = "".join(
        f".type {name}, @function\n{name}: {head}; hlt; .size {name}, . - {name}\n"
        for name, head in HEADS.items()
    )
    asm = "\n".join(f'asm("{line}");' for line in source.replace(";", "\\n").splitlines())
    try:
        gdb = built(tmp_path, asm, "-m32", "-nostdlib", "-w")
    except subprocess.CalledProcessError:
        pytest.skip("gcc does not compile for i386")
    lines = [f"break {name}" for name in HEADS]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "info breakpoints"])
    assert of_dwarfgpu == of_gdb


@pytest.mark.parametrize("version", ["2", "3", "5"])
def test_location_lists_are_right_from_the_entry(tmp_path: Path, version: str) -> None:
    """Before DWARF 4, they have the form of a number (DW_FORM_data4)."""
    options = ("-g", f"-gdwarf-{version}", "-gstrict-dwarf", "-O1", "-nostdlib", "-w")
    gdb = built(tmp_path, LISTS, *options)
    lines = ["break kept", "tbreak main", "info breakpoints"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


ASSEMBLER = """
	.text
	.globl typed
	.type typed, %function
typed:
	.byte 0x55
	.byte 0x48, 0x89, 0xe5
	.byte 0xc3
	.size typed, 5
	.globl main
main:
	.byte 0x55
	.byte 0x48, 0x89, 0xe5
	.byte 0xc3
"""


def test_assembler_code_has_no_prologue(tmp_path: Path) -> None:
    """Although its first instructions set a frame pointer, as those of compilers do."""
    gdb = built(tmp_path, ASSEMBLER, "-g", name="a.s")
    lines = ["break typed", "break main", "tbreak a.s:8", "info breakpoints", "info symbol main"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


def test_files_of_one_name(tmp_path: Path) -> None:
    """A line is that of all files that the name denotes; without code there, the next line with
    code in any of them."""
    sources = (
        "static int own = 5;\nint one(int n)\n{\n  int r = n + own;\n  return r * 2;\n}\n",
        "static int own = 6;\nint two(int n)\n{\n  int r = n - own;\n\n"
        "  r *= 3;\n\n  return r;\n}\n",
    )
    for folder, source in zip(("first", "second"), sources, strict=True):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.c").write_text(source)
    calls = "int one(int), two(int);\nint main(void) { return one(1) + two(2); }\n"
    gdb = built(tmp_path, calls, "-g", "-O0", "first/x.c", "second/x.c")
    lines = [f"{word} x.c:{n}" for n in range(1, 9) for word in ("break", "info line", "list")]
    lines += [
        "break second/x.c:4", "clear x.c:4", "tbreak x.c:2", "list x.c:1,3", "info scope x.c:6",
        "info scope x.c:7", "info scope x.c:99",
        "break -source x.c -line 7",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "info breakpoints"])
    # GDB has the files in any order, and does not say that there are others.
    own = [line for line in of_dwarfgpu.splitlines() if not line.startswith("note: x.c:")]
    assert sorted(own) == sorted(of_gdb.splitlines())


def test_a_header_that_units_spell_differently(tmp_path: Path) -> None:
    """Each spelling is a file of its own; `info line` of GDB has no fixed order of files."""
    (tmp_path / "common.h").write_text("static int twice(int x)\n{\n  return x * 2;\n}\n")
    for folder in ("d1", "d2"):
        (tmp_path / folder).mkdir()
        text = f'#include "../common.h"\nint {folder}(int x) {{ return twice(x); }}\n'
        (tmp_path / folder / "x.c").write_text(text)
    source = """#include "common.h"
int d1(int), d2(int);
int main(void) { return twice(1) + d1(2) + d2(3); }
"""
    gdb = built(tmp_path, source, "-g", "d1/x.c", "d2/x.c")
    paths = ["common.h", "d1/../common.h", "d2/../common.h", "d3/../common.h",
             f"{tmp_path}/common.h", f"{tmp_path}/d2/../common.h"]  # fmt: skip
    lines = [f"{command} {path}:3" for command in ("break", "list") for path in paths]
    lines += ["break 3", "break x.c:2", "list common.h:2,3", "list twice", "info breakpoints"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [f"info line {path}:3" for path in paths])
    assert sorted(of_dwarfgpu.splitlines()) == sorted(of_gdb.splitlines())
    assert of_dwarfgpu.count("starts at address") == 11


@pytest.mark.parametrize(
    "options", [("-g",), (), ("-s",)], ids=["described", "symbols", "stripped"]
)
def test_functions_with_versions(tmp_path: Path, options: tuple[str, ...]) -> None:
    """`f@V1` and `f@@V2` are both `f` for `break`; an expression means the default one. In a
    stripped file, they are `f` alone."""
    (tmp_path / "map").write_text("V1 { global: f; };\nV2 { global: f; local: *; } V1;\n")
    source = """int f_1(int n) { return n + 1; }
int f_2(int n) { return n + 2; }
__asm__(".symver f_1,f@V1"); __asm__(".symver f_2,f@@V2");
"""
    library = ("-shared", "-fPIC", "-Wl,--version-script=map")
    gdb = built(tmp_path, source, *options, *library)
    lines = ["break f", "break f@V1", "info address f"]
    if options:  # without them, GDB prefers another of the symbols of an address
        lines += ["print f", "print &f", "info breakpoints"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


def test_member_functions_that_differ_in_const(tmp_path: Path) -> None:
    source = """struct K { int n; int get() { return n; } int get() const { return n + 1; } };
struct Only { int n; int get() const { return n; } };
int main() { K k{1}; const K &c = k; Only o{2}; return k.get() + c.get() + o.get(); }
"""
    gdb = built(tmp_path, source, "-g", "-O0", name="a.cpp")
    texts = ["K::get() const", "K::get()", "get()", "get() const", "'K::get() const'", "K::get",
             "Only::get() const"]  # fmt: skip
    lines = [f"{command} {text}" for text in texts for command in ("break", "list")]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "info breakpoints"])
    assert of_dwarfgpu == of_gdb


def test_const_chooses_the_overload_of_a_value(tmp_path: Path) -> None:
    source = """struct K { int n; int f(int) { return n; } int f(int) const { return n + 1; } };
int main() { K k{1}; const K &c = k; return k.f(1) + c.f(2); }
"""
    gdb = built(tmp_path, source, "-g", "-O0", name="a.cpp")
    lines = ["print 'K::f(int) const'", "print 'K::f(int)'", "print K::f(int)"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb
    _, both_named = both(gdb, tmp_path, ["print K::f"])  # GDB: a `non-unique member`
    assert '"K::f" is overloaded; say which: K::f(int); K::f(int) const' in str(both_named)


def test_names_that_are_visible_in_a_function(tmp_path: Path) -> None:
    """`FUNCTION::NAME` is also a variable of the function's file, and a global one."""
    other = "static int own = 6;\nint elsewhere = 7;\nint two(int n) { return n - own; }\n"
    (tmp_path / "b.c").write_text(other)
    calls = "static int own = 5;\nint two(int);\nint main(void) { return two(own); }\n"
    gdb = built(tmp_path, calls, "-g", "-O0", "b.c")
    lines = [
        "output two::own", "output main::own", "print &two::own", "ptype main::elsewhere",
        "whatis two::main", "print sizeof(two::own)", "print two::nothing", "print nothing::own",
        "list two::own", "info line two::own", "info scope two::main", "info line b.c:two::main",
        "break two::main", "info breakpoints",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    of_dwarfgpu = of_dwarfgpu.replace(' Did you mean "main"?', "").replace(
        ' Did you mean "own"?', ""
    )
    note = "note: no state is given: writable memory has its initial contents\n"
    assert of_dwarfgpu.replace(note, "") == of_gdb


INLINED = """int sink;
static inline int clamped(int v) { if (v > 9) { sink++; return 9; } return v; }
int one(int n) { int r = clamped(n * 3); sink += r; return r + 1; }
__attribute__((noinline)) int keep(int n) { return one(n) + clamped(n); }
"""


def test_calls_that_are_inlined_into_another_unit(tmp_path: Path) -> None:
    """gcc -flto has the function in the unit of its file, and its calls in that of the linker."""
    (tmp_path / "b.c").write_text(INLINED)
    calls = "int one(int), keep(int);\nint main(int c) { return one(c) + keep(c + 1); }\n"
    gdb = built(tmp_path, calls, "-g", "-O2", "-w", "-flto", "b.c")
    names = ("clamped", "one", "keep")
    words = ("break", "info line", "list", "info scope")
    lines = [f"{word} {name}" for name in names for word in words]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "tbreak b.c:one", "info breakpoints"])
    assert of_dwarfgpu == of_gdb
    assert "(4 locations)" in of_dwarfgpu


def test_a_line_that_was_asked_for_changes_no_file(tmp_path: Path) -> None:
    """`info line` of another file leaves the file of a line without one."""
    (tmp_path / "other.c").write_text("int one(int n)\n{\n  n += 1;\n\n  return n * 2;\n}\n")
    calls = "int one(int);\nint main(void)\n{\n  int n = one(1);\n  return n;\n}\n"
    gdb = built(tmp_path, calls, "-g", "-O0", "other.c")
    lines = [
        "info line one", "info line 4", "break 4", "info line other.c:5", "info line 5", "tbreak 5",
        "list one", "info line main", "break 3",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "info breakpoints"])
    assert of_dwarfgpu == of_gdb


def test_a_function_of_an_unnamed_namespace_that_is_gone(tmp_path: Path) -> None:
    other = "namespace { inline int own(int x) { return x + 5; } }\n"
    (tmp_path / "other.cpp").write_text(f"{other}int one(int x) {{ return own(x) * 2; }}\n")
    calls = "int one(int);\nint main() { return one(1); }\n"
    gdb = built(tmp_path, calls, "-g", "-O1", "other.cpp", name="a.cpp")
    names = ("(anonymous namespace)::own", "(anonymous namespace)::none")
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [f"break {name}" for name in names])
    assert [line.partition(" Did you mean")[0] for line in of_dwarfgpu.splitlines()] == (
        of_gdb.splitlines()
    )


def test_functions_that_are_inlined_at_link_time(tmp_path: Path) -> None:
    """gcc -flto has the calls in a unit of its own, and the functions in those of the sources."""
    own = "extern volatile int seen;\nstatic int own(int n)\n{\n  seen = n;\n  return n * {0};\n}\n"
    for name, factor in (("one", 3), ("two", 5)):
        function = f"int {name}(int n)\n{{\n  return own(n) - 1;\n}}\n"
        (tmp_path / f"{name}.c").write_text(own.replace("{0}", str(factor)) + function)
    calls = "int one(int), two(int);\nvolatile int seen;\n"
    calls += "int main(int n, char **v)\n{\n  return one(n) + two(n);\n}\n"
    gdb = built(tmp_path, calls, "-g", "-O2", "-flto", "one.c", "two.c")
    names = ("one", "two", "own", "main")
    lines = [f"{word} {name}" for name in names for word in ("break", "info line", "info scope")]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "tbreak two", "info breakpoints"])
    # GDB has the files in any order, and does not say that there are others.
    own = [line for line in of_dwarfgpu.splitlines() if not line.startswith("note: x.c:")]
    assert sorted(own) == sorted(of_gdb.splitlines())
    assert "Breakpoint 3 at" in of_dwarfgpu and "not defined" not in of_dwarfgpu


@pytest.mark.parametrize("path", ["x.c", "{folder}/old/x.c"], ids=["relative", "absolute"])
def test_a_moved_source_file_by_its_new_path(tmp_path: Path, path: str) -> None:
    """What a front end sets: the path of the file that is read, or a symbolic link to it."""
    gdb = built(tmp_path, "", "-c")
    (tmp_path / "old").mkdir()
    source = "int one(int n)\n{\n  return n * 2;\n}\nint main(void)\n{\n  return one(1);\n}\n"
    (tmp_path / "old/x.c").write_text(source)
    compiled = path.format(folder=tmp_path)
    subprocess.run(["gcc", "-g", "-O0", "-o", "../a", compiled], cwd=tmp_path / "old", check=True)
    (tmp_path / "old").rename(tmp_path / "new")
    (tmp_path / "link").symlink_to("new")
    lines = [f"break {tmp_path}/new/x.c:3", f"set substitute-path {tmp_path}/old {tmp_path}/link"]
    lines += [
        command.format(f"{tmp_path}/{folder}/x.c")
        for folder in ("link", "new", "none")
        for command in (
            "break {}:3", "tbreak {}:main", "break -source {} -line 7", 'break "{}":7',
            "info line {}:3", "info scope {}:3", "list {}:2,3",
        )
    ]  # fmt: skip
    lines += ["unset substitute-path", f"break {tmp_path}/new/x.c:7", f"directory {tmp_path}/new"]
    of_gdb, of_dwarfgpu = both(
        gdb, tmp_path, [*lines, f"break {tmp_path}/new/x.c:7", "info breakpoints"]
    )
    assert of_dwarfgpu == of_gdb


@pytest.mark.parametrize("options", [(), ("-gsplit-dwarf",)], ids=["whole", "split"])
def test_source_files_are_completed(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Headers and files that #line names, too; `:` follows a file that is offered alone."""
    (tmp_path / "some.h").write_text("static int in_header(int n)\n{\n  return n + 1;\n}\n")
    source = '#include "some.h"\n#line 3 "parse.y"\nint rule(int n) { return in_header(n); }\n'
    source += '#line 40 "parse.tab.c"\nint main(void)\n{\n  return rule(1);\n}\n'
    gdb = built(tmp_path, source, "-g", "-O0", *options, name="parse.c")
    words = ("some.", "par", "parse.", "parse.t", "'par", "'some.", "ma", "-source par", "zz.")
    lines = [f"complete break {word}" for word in (*words, "parse.y:ru", "some.h:in_")]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    assert of_dwarfgpu == of_gdb


def test_symbols_of_fortran_are_listed_in_its_words(tmp_path: Path) -> None:
    """Also where the language is another one; the hidden length of a string is passed, too."""
    gdb = built(tmp_path, "int main(void) { return 0; }\n")
    shutil.copyfile(FIXTURES / "fortran/shapes.gcc.O0.v5", tmp_path / "a")
    lines = [
        "info functions __copy_store_P", "info functions stop_h", "info functions ^shapes$",
        "info variables ^store::table$", "info variables ^store::counter$", "info types",
    ]  # fmt: skip
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, lines)
    shown = [line for line in of_gdb.splitlines() if line[:1].isdigit() and "0x" not in line]
    assert len(shown) >= 10
    assert sorted(line for line in of_dwarfgpu.splitlines() if line[:1].isdigit()) == sorted(shown)
    _, inner = both(gdb, tmp_path, ["info functions ^shapes::inner"])
    assert "integer(kind=4), integer(kind=8));" in inner


THREAD_LOCAL = """
__thread char before[0x10010], inside[4];
volatile int total;
int main(void) { total = 1; total = 2; total = 3; total = 4; total = inside[0]; return 0; }
"""


@pytest.mark.parametrize("debug", ["-g", "-g0"])
def test_offsets_of_thread_local_storage(tmp_path: Path, debug: str) -> None:
    """`inside` is 0x10010 bytes into it, which is not the code at the address 0x10010."""
    placed = ("-static", "-nostdlib", "-Wl,-Ttext=0x10000", "-Wl,-emain")
    gdb = built(tmp_path, THREAD_LOCAL, debug, "-O0", "-w", *placed)
    commands = [
        "info symbol 0x10012",
        "print (void *) 0x10012",
        "break inside",
        "info scope inside",
    ]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*commands, "info breakpoints"])
    assert of_dwarfgpu == of_gdb


@pytest.mark.parametrize("before", ["list 40,42", "list 40", "list main", "echo"])
def test_an_end_alone_counts_from_the_next_line(tmp_path: Path, before: str) -> None:
    """`list ,+3` shows the lines up to the third after the one that would be listed next."""
    body = "".join(f"  n += {number};\n" for number in range(60))
    gdb = built(tmp_path, f"int n;\nint main(void) {{\n{body}  return n;\n}}\n", "-g")
    lines = [before, "list ,+3", "list ,+0", "list ,-2", "list ,+7", "list", "list ,45"]
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, [*lines, "list 3,+2", "list ,-1"])
    assert of_dwarfgpu == of_gdb


def test_a_header_is_listed_as_its_directory_is_written(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "h.h").write_text("static int twice(int x) { return x * 2; }\n")
    other = '#include "../h.h"\nint other(int n) { return twice(n); }\n'
    (tmp_path / "sub/other.c").write_text(other)
    calls = "int other(int);\nint main(void) { return other(1); }\n"
    gdb = built(tmp_path, calls, "-g", "-O0", "sub/other.c")
    of_gdb, of_dwarfgpu = both(gdb, tmp_path, ["info functions twice", "info line twice"])
    assert of_dwarfgpu == of_gdb
    assert "\nFile sub/../h.h:\n" in of_dwarfgpu


def test_ranges_of_locations_of_one(tool: Callable[[str], str]) -> None:
    """`1.1` is the breakpoint where it has one location, and `1.1-2` that location and an error."""
    listed = "info breakpoints"
    commands = [
        "break 45", "disable 1.1-2", listed, "enable 1", "disable 1.1", listed, "enable 1.1-1",
        listed, "enable 1.1-3", listed, "disable 1.2", "disable 9.1", "disable 9.1-2", listed,
        "disable 1.1-1", listed,
    ]  # fmt: skip
    files = [str(FIXTURES / "core/shapes.x86_64.O0")]
    own = answers(None, files, commands)
    assert own == answers(tool("gdb"), files, commands)
    assert own[2].splitlines()[-1].startswith("1.1                         n ")


SPLIT = """\
#include <stdlib.h>
volatile int sink;
__attribute__((noinline)) int work(int n)
{
  int r = n * 3;
  if (r > 1000) abort();
  sink = r;
  return r;
}
int main(int argc, char **argv) { return work(argc); }
"""


def test_a_line_that_is_split_off_in_part(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Each call runs the condition, few the call of abort. GDB takes the latter for code of the
    prologue, and stops at the entry."""
    (tmp_path / "a.c").write_text(SPLIT)
    command = [tool("gcc"), "-g", "-O2", "-freorder-blocks-and-partition", "a.c", "-o", "a"]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = [str(tmp_path / "a")]
    [line, stop] = answers(None, program, ["info line a.c:6", "break a.c:6"])
    if "<work.cold>" not in line:
        pytest.skip("the compiler splits nothing off here")
    address = stop.split("at ")[1].split(":")[0]
    [symbol, _] = answers(None, program, [f"info symbol {address}", "echo"])
    assert symbol.splitlines()[1].startswith("work + ")


@pytest.mark.parametrize(("folder", "lines"), [("./sunrpc", (2, 3)), ("rel", (3, 2))])
def test_a_list_of_a_name_ends_in_the_last_file(
    tmp_path: Path, tool: Callable[[str], str], folder: str, lines: tuple[int, int]
) -> None:
    """GDB sorts by the folders of the units, then by names: `./sunrpc` of a library comes before
    the folder of the program."""
    (tmp_path / "a.c").write_text("\n\nint ops = 3;\nint main(void) { return ops; }\n")
    (tmp_path / "b.c").write_text("\nstatic int ops = 4;\nint far(void) { return ops; }\n")
    gcc = [tool("gcc"), "-g", "-O0"]
    moved = f"-ffile-prefix-map={tmp_path}={folder}"
    subprocess.run([*gcc, moved, "-c", "b.c"], cwd=tmp_path, check=True)
    subprocess.run([*gcc, "a.c", "b.o", "-o", "a"], cwd=tmp_path, check=True)
    program, commands = [str(tmp_path / "a")], ["list b.c:3,3", "list ops", "info source"]
    ours, gdbs = answers(None, program, commands), answers(tool("gdb"), program, commands)
    for _, shown, source in (ours, gdbs):
        titles = [line for line in shown.splitlines() if line.startswith("file: ")]
        assert [title.partition(", ")[2] for title in titles] == [
            f'line number: {line}, symbol: "ops"' for line in lines
        ]
        assert f"{'ba'[lines[1] == 3]}.c\n" in source


@pytest.mark.parametrize(
    "command", ["bt", "info functions", "info locals", "frame apply all", "info types"]
)
def test_a_dash_is_the_beginning_of_every_option(
    tmp_path: Path, tool: Callable[[str], str], command: str
) -> None:
    source = NO_LINES.replace("return a + b;", "__builtin_trap();")
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)
    commands = [f"{command} -", f"{command} - add", f"{command} -- main"]
    ours, gdbs = answers(None, files, commands), answers(tool("gdb"), files, commands)
    if command == "info types":  # its only option is -q
        assert "All types" not in ours[0] + gdbs[0]
        return
    assert ours[:2] == gdbs[:2] and "Ambiguous option at: - add" in ours[1]
    assert "Ambiguous" not in ours[2]


def test_a_header_is_listed_before_the_primary_file(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """The line table of DWARF 5 has its folder: GDB sorts `/folder/h.h` and `a.cc`."""
    header = "struct Square { int area() { return 4; } };\n"
    source = (
        '#include "h.h"\nstruct Circle { int area(); };\nint Circle::area() { return 3; }\n'
        "int main() { Square s; Circle c; return s.area() + c.area(); }\n"
    )
    make = [tool("g++"), "-g", "-O0", "-gdwarf-5", "a.cc", "-o", "a"]
    build(tmp_path, {"h.h": header, "a.cc": source}, [make])
    program, commands = [str(tmp_path / "a")], ["list area", "info source"]
    ours, gdbs = answers(None, program, commands), answers(tool("gdb"), program, commands)
    for shown, source in (ours, gdbs):
        titles = [line for line in shown.splitlines() if line.startswith("file: ")]
        assert [line.partition('"')[2].partition('"')[0][-3:] for line in titles] == ["h.h", ".cc"]
        assert "Current source file is a.cc" in source
