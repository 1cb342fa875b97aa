"""The nearest right thing, in the errors of the prompt; and that Python code cannot end it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.repl.shell import Shell
from tests.cli.command import FIXTURES, run
from tests.processes import finished
from tests.repl.repl_shell import demo_shell, nest_shell, output_of
from tests.repl.test_debug_dialogues import shown, spawned

NEST = (
    ("p tt", 'No symbol "tt" in current context. Did you mean "t"?\n'),
    ("p tt + 1", 'No symbol "tt" in current context. Did you mean "t"?\n'),
    ("p nset", 'No symbol "nset" in current context. Did you mean "nest"?\n'),
    ("list nset", 'Function "nset" not defined. Did you mean "nest"?\n'),
    ("exlain x", 'Undefined command: "exlain".  Try "help". Did you mean "explain"?\n'),
    ("prnt 1", 'Undefined command: "prnt".  Try "help". Did you mean "print"?\n'),
    ("info loacls",
     'Undefined info command: "loacls".  Try "help info". Did you mean "locals"?\n'),
    ("set print elemnts",
     'Undefined set print command: "elemnts".  Try "help set print". Did you mean "elements"?\n'),
    ("p locl", 'No symbol "locl" in current context.\n'),
    ("p q", 'No symbol "q" in current context.\n'),
    ("threads", 'Undefined command: "threads".  Try "help". Did you mean "info threads"?\n'),
    ("locals", 'Undefined command: "locals".  Try "help". Did you mean "info locals"?\n'),
    ("waves", 'Undefined command: "waves".  Try "help". Did you mean "info waves"?\n'),
    ("zzzzzz", 'Undefined command: "zzzzzz".  Try "help".\n'),
)  # fmt: skip


@pytest.fixture(scope="module")
def nest() -> Shell:
    return nest_shell()


@pytest.mark.parametrize(("line", "expected"), NEST, ids=[line for line, _ in NEST])
def test_the_nearest_name_is_offered(nest: Shell, line: str, expected: str) -> None:
    assert output_of(nest, line) == expected


def test_members_types_and_names_of_the_debugger() -> None:
    shell = demo_shell()
    assert output_of(shell, "p global_struct.in[0].wieght") == (
        'There is no member named wieght. Did you mean "weight"?\n'
    )
    assert output_of(shell, "p global_struct.zzzz") == "There is no member named zzzz.\n"
    assert output_of(shell, "p ((struct outr *) 0)->x") == (
        'No struct type named outr. Did you mean "outer"?\n'
    )
    assert output_of(shell, "p struct outr") == (
        'No struct type named outr. Did you mean "outer"?\n'
    )
    assert output_of(shell, "p struct outer") == "Attempt to use a type name as an expression\n"
    assert "Did you mean" not in output_of(shell, "p $nosuch")
    words = output_of(nest_shell(), "p $_lan")
    assert words.endswith('= void\nnote: $_lan has no value. Did you mean "$_lane"?\n')


CLOSING = ("python import sys; sys.stdout.close(); sys.stdin.close()",
           "python import sys; sys.stderr.close(); sys.__stdin__.close()")  # fmt: skip


@pytest.mark.parametrize("line", CLOSING)
def test_python_cannot_close_the_conversation(line: str) -> None:
    done = finished("debug", "--demo", "-q", stdin=f"{line}\np 41 + 1\nnosuch 1\n")
    assert "$1 = 42\n" in done.stdout
    assert "Traceback" not in done.stderr
    assert 'Undefined command: "nosuch"' in done.stderr


def test_python_may_end_the_conversation() -> None:
    done = finished("debug", "--demo", "-q", stdin="python exit(3)\np 41 + 1\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
def test_python_cannot_close_the_terminal(tmp_path: Path, term: str) -> None:
    child = spawned(tmp_path, term)
    shown(child, "(dwarfgpu w0 l")
    child.send(f"{CLOSING[0]}\r")
    child.send("p 41 + 1\r")
    shown(child, "$1 = 42")
    child.close(force=True)


LDS = (FIXTURES / "opencl/kernels.gfx942.O2.v5.co", "--dispatch", "lds", "--grid", 64)
LDS += ("--workgroup", 64, "--arg", "out=zeros:256")


def test_dynamic_lds_has_no_name() -> None:
    """clang describes no variable for `extern __shared__ int dyn[]`, and defines no symbol; HIP
    allocates it after the static LDS of the kernel (256 bytes here)."""
    commands = ("-ex", "print dyn[3]", "-ex", "print til", "-ex", "print table")
    none = 'No symbol "dyn" in current context.'
    assert run("debug", *LDS, "--batch", *commands).err.splitlines()[-3] == none
    done = run("debug", *LDS, "--dynamic-lds", 40, "--batch", *commands)
    first, second, third = done.err.splitlines()[-3:]
    assert first == (
        f'{none} An "extern __shared__" array has no debugging information: the 40 bytes of '
        "dynamic LDS begin at local#0x100, so try x/4dw local#0x100"
    )
    assert second == 'No symbol "til" in current context. Did you mean "tile"?'
    assert third == 'No symbol "table" in current context.'  # of another function


def test_lds_of_triton_is_not_an_array_of_the_source() -> None:
    kernel = (FIXTURES / "triton/softmax.gfx942.co", "--dispatch", "softmax", "--grid", 256)
    arguments = ("x=zeros:1024", "y=zeros:1024", "columns=1", "global_scratch=null")
    given = [word for text in (*arguments, "profile_scratch=null") for word in ("--arg", text)]
    launch = (*kernel, "--workgroup", 256, *given, "--dynamic-lds", 1024)
    done = run("debug", *launch, "--batch", "-ex", "print nosuch")
    assert done.err.splitlines()[-1] == 'No symbol "nosuch" in current context.'


OUTSIDE = ("print *(int *)%s", "x/dw %s", "set var *(int *)%s = 1", "print *(int *)%s = 1")


def test_memory_that_cannot_be_accessed_names_the_buffer() -> None:
    """`x` and assignments say what `print` says; where nothing is, they say what GDB says."""
    commands = ["tbreak lds", "run", *(line % "((char *)$_kernarg.out + 264)" for line in OUTSIDE)]
    commands += [line % "64" for line in OUTSIDE]
    done = run("debug", *LDS, "--batch", *(part for line in commands for part in ("-ex", line)))
    errors = [line for line in done.err.splitlines() if "Cannot access" in line]
    reason = ": 8 bytes after the end of buffer out, which has 256 bytes"
    assert len(errors) == 8 and all(line.endswith(reason) for line in errors[:4])
    assert errors[5:] == ["Cannot access memory at address 0x40"] * 3


FUNCTIONS_IN_C = """\
static inline int v1(int a) { return a + 1; }
static inline int v2(int a) { return a + 2; }
static inline __attribute__((always_inline)) int inside(int *a) { return *a = 3; }
union text { int x; };
union text global;
int main(int count, char **words) { return v1(3) + v2(4) + inside(&global.x); }
"""
FUNCTIONS_IN_CPLUSPLUS = """\
struct Virt { virtual void go(int) = 0; virtual void gone(int); virtual ~Virt() {} };
void Virt::gone(int) {}
struct Ops { int operator()(int) { return 1; } int operator()(); int x; };
inline int Ops::operator()() { return 2; }
int main() { Ops ops; return ops(3); }
"""


def test_what_is_suggested_is_accepted(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """Functions without code are unknown to every command; inlined ones, and members without their
    class, are known as places alone."""
    for name, text in (("f.c", FUNCTIONS_IN_C), ("f.cc", FUNCTIONS_IN_CPLUSPLUS)):
        (tmp_path / name).write_text(text)
        command = [tool("gcc"), "-g", "-O1", "-c", name, "-o", f"{name}.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
    unknown_symbol, unknown_function = 'No symbol "{}" in current context.', 'Function "{}" not'
    for file, line, expected in (
        ("f.c.o", "print v1", unknown_symbol.format("v1")),
        ("f.c.o", "info line v3", f"{unknown_function.format('v3')} defined."),
        ("f.c.o", "print insid", unknown_symbol.format("insid")),
        ("f.c.o", "info line insid",
         f'{unknown_function.format("insid")} defined. Did you mean "inside"?'),
        ("f.c.o", "print mian", f'{unknown_symbol.format("mian")} Did you mean "main"?'),
        ("f.c.o", "print sizeof(struct txet)", "No struct type named txet."),
        ("f.c.o", "print sizeof(union txet)",
         'No union type named txet. Did you mean "text"?'),
        ("f.cc.o", "print gonr", unknown_symbol.format("gonr")),
        ("f.cc.o", "info line gonr",
         f'{unknown_function.format("gonr")} defined. Did you mean "gone"?'),
        ("f.cc.o", "info line Virt::go", f"{unknown_function.format('Virt::go')} defined."),
        ("f.cc.o", "info line operator()(char)",
         f"{unknown_function.format('operator()(char)')} defined."),
    ):  # fmt: skip
        said = run("debug", tmp_path / file, "-q", "--batch", "-ex", line).err
        assert said.splitlines()[-1] == expected, line
