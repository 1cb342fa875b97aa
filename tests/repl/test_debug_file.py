"""`file` where no program, or another one, is loaded, and the answers without any."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.session.session import Session
from tests.processes import finished
from tests.repl.gdb_sessions import FIXTURES
from tests.repl.repl_shell import made, output_of
from tests.repl.side_by_side import answers, build


def debug(*commands: str, files: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    """The lines of a debug session, and those on the error stream."""
    given = [word for command in commands for word in ("-ex", command)]
    done = finished("debug", "--batch", *files, *given, folder=FIXTURES)
    return done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.parametrize("command", ["break", "undisplay", "display x", "thread", "lane"])
def test_long_words_are_shortened(command: str) -> None:
    out, errors = debug(f"{command}{'1' * 9_000}", f"{command} {'1' * 9_000}", files=(PROGRAM,))
    assert max(map(len, [*out, *errors])) < 700


NOT_DESCRIBED = "No symbol table info available.\n"
PROGRAM = "x86_64/demo.gcc.O0.v5"
KERNEL = "hip/nest.gfx942.O2.v5.co"


def test_a_program_where_nothing_is_open(tmp_path: Path) -> None:
    """A name with blanks, with quotes as GDB needs them, and without."""
    link = tmp_path / "a program"
    link.symlink_to(FIXTURES / PROGRAM)
    for name in (PROGRAM, link, f'"{link}"', shlex.quote(str(link))):
        out, errors = debug(f"file {name}", "p sizeof(numbers)")
        assert (out, errors) == (["$1 = 1200"], [])


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (("info line 18",), ['Line 18 of "hip/nest.hip" starts at address ']),
        (("list 16",), ["11\t"]),
        (("list",), ["1\t"]),
        (("break 17",), ["Breakpoint 1 at 0x", "file hip/nest.hip, line 18."]),
        (("list device.h:9", "info line 15"), ['Line 15 of "hip/device.h" starts at address ']),
    ],
)
def test_lines_of_the_default_source_file(commands: tuple[str, ...], expected: list[str]) -> None:
    """Before a kernel runs: the file that declares the kernels; after a listing, its file."""
    out, errors = debug(*commands, files=(KERNEL,))
    assert errors == []
    assert all(text in "\n".join(out) for text in expected)


def test_lines_of_the_default_source_file_of_a_program() -> None:
    out, errors = debug("break 108", files=(PROGRAM,))
    assert errors == [] and out[0].endswith("line 108.")


def test_the_main_of_a_namespace_determines_no_file(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    first = "namespace app {\nint main(int x) {\n  return x; } }\n"
    second = "namespace app { int main(int x); }\nint main() {\n  return app::main(3); }\n"
    made = [[tool("g++"), "-g", "-o", "a", "first.cc", "second.cc"]]
    build(tmp_path, {"first.cc": first, "second.cc": second}, made)
    program = str(tmp_path / "a")
    [ours] = answers(None, [program], ["list"])
    assert "return app::main(3);" in ours
    assert [ours] == answers(tool("gdb"), [program], ["list"])


def test_a_line_without_debugging_information() -> None:
    _, errors = debug("break 12", files=("hip/liblibrary.so",))
    assert errors == ['No symbol table is loaded.  Use the "file" command.']


def test_units_of_memory_in_big_endian_order() -> None:
    """`x` and `$__` have the numbers that GDB shows."""
    lines = ("x/3dh &words", "p $__", "x/fg &real", "p/x $__", "x/2oh &words")
    out, _ = debug(*lines, files=("aarch64_be/fields.clang.O0.v5",))
    shown = [line.partition(":\t")[2] or line.partition(" = ")[2] for line in out]
    assert shown == ["1\t-2\t4660", "4660", "1.5", "0x3ff8000000000000", "01\t0177776"]


def test_addresses_in_memory_of_32_bits() -> None:
    """They have 4 bytes, and `x` goes on with as many, as in GDB."""
    where = ("--arch", "i386", "--mem", "default#0x1000=78563412f0ffffff")
    out, _ = debug("x/a 0x1000", "x/x", files=where)
    assert out == ["0x1000:\t0x12345678", "0x1004:\t0xfffffff0"]


def test_variables_of_unnamed_types() -> None:
    """Their members are listed, as by GDB 13."""
    out, errors = debug("info variables -q packed", files=("aarch64_be/fields.clang.O0.v5",))
    assert errors == []
    assert out[2:] == [
        "11:\tstruct {",
        "    long wide : 40;",
        "    unsigned int flag : 1;",
        "    char tag;",
        "} packed;",
    ]


def notes(*commands: str, options: tuple[str, ...] = ()) -> list[str]:
    """The notes on the breakpoints of a session, whose commands are typed."""
    typed = "".join(f"{command}\n" for command in commands)
    done = finished("debug", "-q", *options, PROGRAM, folder=FIXTURES, stdin=typed)
    return [
        line.removeprefix("Note: ").rpartition(" pc ")[0]
        for line in done.stdout.splitlines()
        if line.startswith("Note: ")
    ]


def test_a_breakpoint_where_others_are() -> None:
    """GDB 13's words."""
    assert notes("break main", "tbreak main", "disable 1", "break main", "watch counter") == [
        "breakpoint 1 also set at",
        "breakpoints 1 (disabled) and 2 also set at",
    ]
    assert notes("break main", "define twice", "break main", "end", "twice") == []
    assert notes("break main", "break main", options=("--batch",)) == []


def test_a_program_after_a_kernel() -> None:
    out, errors = debug(f"file {KERNEL}", f"file {PROGRAM}", f"file {KERNEL}", "lane")
    assert errors == [] and out[-1].startswith("[Current thread is 0, lane 0 ")


def test_files_that_are_not_programs() -> None:
    core = "core/crash.x86_64.O0.core"
    no_program = "not in executable format: file format not recognized"
    _, errors = debug("file .", f"file {core}")
    assert errors == [".: Is a directory.", f'"{FIXTURES / core}": {no_program}']


def test_memory_of_a_frame_that_cannot_be_read() -> None:
    """GDB's words for the core of a stack overflow: a frame's line has the name already."""
    files = ("core/crash.x86_64.O0", "core/crash.x86_64.O0.core")
    out, _ = debug("set $rbp = 0x100000", "frame", "info locals -q sum", files=files)
    unreadable = "Cannot access memory at address 0xf"
    assert f"leaf (head=<error reading variable: {unreadable}" in out[-3]
    assert out[-1].startswith(f"sum = <error reading variable sum ({unreadable}")
    assert out[-1].endswith(")>")


@pytest.mark.parametrize(
    "command", ["info line main", "list main", "info scope main", "p main", "info line a.c:3"]
)
def test_a_name_without_a_program(command: str) -> None:
    assert debug(command) == ([], ['No symbol table is loaded.  Use the "file" command.'])


def test_code_between_the_functions_of_a_unit_has_no_locals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the C library a handler returns to such code. GDB also lists the variables of the file,
    which are not of the frame."""
    core = load_core(FIXTURES / "core/crash.x86_64.O0.core", str(FIXTURES / "core/crash.x86_64.O0"))
    code = tuple(CodeObject.of(file.file, file.load_address) for file in core.files)
    target = TargetWithCodeObjects(core.target, (), has_started=True)
    shell = made(Session(core.architecture, code, target, wave=1, pc=core.pc_of(1)))
    assert output_of(shell, "frame 6", "info locals") == "No locals.\n"
    monkeypatch.setattr(CfiFrame, "is_signal_frame", True)
    assert output_of(shell, "info locals") == "No locals.\n"
    assert output_of(shell, "info args") == NOT_DESCRIBED
    assert output_of(shell, "backtrace -full -1").endswith("\nNo locals.\n")


@pytest.mark.parametrize(
    ("commands", "says"),
    [
        (("source ~nosuch/x",), "~nosuch/x: No such file or directory"),
        (("cd ~nosuch",), "~nosuch: No such file or directory."),
        (
            ("set logging file ~nosuch/x", "set logging enabled on"),
            "set logging: No such file or directory.",
        ),
        (("complete source ~nosuch/",), ""),
        (("file ~nosuch/x",), "~nosuch/x: No such file or directory."),
    ],
)
def test_a_home_of_an_unknown_user(commands: tuple[str, ...], says: str) -> None:
    """As in GDB and a shell, it is a name like any other."""
    out, errors = debug(*commands, "print 7", files=(PROGRAM,))
    assert out == ["$1 = 7"] and "".join(errors).removeprefix("warning: ") == says
