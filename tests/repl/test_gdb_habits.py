"""What GDB's users type and have in their files of commands: it works, or says why it does not."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from dwarfgpu.base.limits import Limits
from dwarfgpu.dwarf.scope.listed_symbol import ListedSymbol
from dwarfgpu.dwarf.scope.symbol_at_address import SymbolAtAddress, symbol_covering, unnumbered
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.undo import RecordedTarget
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.symbols import Symbol
from dwarfgpu.repl.data import dump_commands
from dwarfgpu.repl.files import symbol_commands
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.symbol.symbol_listing import SymbolSearch
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import demo_shell, made, nest_shell, output_of

GDBINIT = """
set history save on
set history filename ~/.gdb_history
set history size 10000
set print pretty on
set print object off
set print static-members on
set print vtbl off
set print demangle on
set demangle-style gnu-v3
set print asm-demangle on
set print sevenbit-strings off
set print array on
set print array-indexes on
set print elements 0
set print frame-arguments all
set print thread-events off
set print inferior-events off
set pagination off
set confirm off
set height 0
set width 0
set verbose off
set disassembly-flavor att
set auto-load safe-path /
add-auto-load-safe-path /
set breakpoint pending on
set debuginfod enabled off
set python print-stack full
set follow-fork-mode child
set detach-on-fork off
set non-stop off
set scheduler-locking step
set disable-randomization off
set startup-with-shell off
set unwindonsignal on
set output-radix 10
set listsize 20
set max-completions 200
set tui border-kind ascii
set style enabled off
set backtrace past-main off
handle SIGUSR1 nostop noprint pass
skip -gfi /usr/include/c++/*
"""


def test_a_file_of_commands_is_read_to_its_end(tmp_path: Path) -> None:
    script = tmp_path / "gdbinit"
    script.write_text(GDBINIT + "echo the end\\n\n")
    output = output_of(demo_shell(), f"source {script}")
    assert output.startswith("the end\n")
    notes = [line for line in output.splitlines() if line.startswith("note: ")]
    assert all(" has no effect: " in note for note in notes)
    assert len(notes) == len(set(notes))
    assert sum('"set history"' in note for note in notes) == 1


@pytest.mark.parametrize(
    "line", ["set disassembly-flavor intel", "set endian big", "show history"]
)  # fmt: skip
def test_what_would_change_the_output_is_refused(line: str) -> None:
    assert output_of(demo_shell(), line).startswith("The setting ")


CORE = ("core/shapes.x86_64.O0", "--core", "core/shapes.x86_64.O0.core")


def said_of_core(*lines: str) -> str:
    """Output and errors of commands on a core file, in the folder of the fixtures."""
    done = run("debug", *CORE, "--batch", *(word for line in lines for word in ("-ex", line)))
    return done.out.partition("\n46\t")[2].partition("\n")[2] + done.err


@pytest.fixture
def fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)


@pytest.mark.usefixtures("fixtures")
def test_the_old_spelling_of_logging(tmp_path: Path) -> None:
    log = tmp_path / "log"
    output = said_of_core(
        f"set logging file {log}", "set logging on", "print 7", "set logging off", "print 8"
    )
    assert "Warning: 'set logging on', an alias for the command" in output
    assert "Use 'set logging enabled on'.\n" in output
    assert "= 7\n" in log.read_text()
    assert "= 8\n" not in log.read_text()


@pytest.mark.usefixtures("fixtures")
def test_files_stay_the_same_in_another_folder(tmp_path: Path) -> None:
    core = FIXTURES / "core"
    output = said_of_core(
        f"cd {tmp_path}", "info symbol crash", "info files", f"file {core}/shapes.x86_64.O0",
        "print squares[0].side",
    )  # fmt: skip
    assert f"`{core}/shapes.x86_64.O0'" in output
    assert f"`{core}/shapes.x86_64.O0.core'" in output
    assert "$1 = 1\n" in output
    assert "Working directory" not in output


def test_bytes_are_dumped_appended_and_restored(tmp_path: Path) -> None:
    shell, path = demo_shell(), tmp_path / "my bytes"
    file = shlex.quote(str(path))
    count = output_of(shell, "output sizeof(numbers)")
    assert output_of(shell, f"dump value {file} numbers") == ""
    assert output_of(shell, f"append binary memory {file} &numbers[0] &numbers[1]") == ""
    assert len(path.read_bytes()) == int(count) + 4
    assert path.read_bytes()[:4] == path.read_bytes()[-4:]
    assert output_of(shell, f"dump memory {file} &numbers[1]") == "Missing stop address.\n"
    assert output_of(shell, f"dump memory {file} 16 8").startswith("Invalid memory address range")
    assert "Cannot access memory" in output_of(
        shell, f"dump memory {file} 0x7fff00000000 0x7fff00000008"
    )
    assert len(path.read_bytes()) == int(count) + 4
    assert '"dump srec" is not supported' in output_of(shell, f"dump srec value {file} numbers")


def filled_shell(state: Path, size: int, limit: int) -> Shell:
    """A shell on bytes of 97 from 0x100000000; `limit` of them are read at once."""
    memory = [{"address": "0x100000000", "size": size, "fill": 97}]
    waves = [{"pc": "0x7f0000000000"}]
    document = {"schema": "dwarfgpu-state-2", "architecture": "gfx942", "memory": memory,
                "waves": waves}  # fmt: skip
    state.write_text(json.dumps(document), "utf-8")
    loaded = load_state(state)
    limits = Limits(read_bytes=limit)
    target = RecordedTarget(loaded.target, (), True)
    return made(Session(loaded.architecture, (), target, limits=limits))


def test_a_value_is_whole_or_an_error(tmp_path: Path) -> None:
    """Of an array beyond the limit only what can be shown is read."""
    path = tmp_path / "out"
    shell = filled_shell(tmp_path / "state.json", 200, 100)
    whole, more = "*(char(*)[100]) 0x100000064", "*(char(*)[101]) 0x100000000"
    assert output_of(shell, f"dump value {path} {whole}") == ""
    refused = "an object of 101 bytes, at most 100 bytes are accessed at once"
    for command in (f"dump value {path} {more}", f"append value {path} {more}",
                    f"set var {more} = {more}"):  # fmt: skip
        assert refused in output_of(shell, command)
    assert path.read_bytes() == b"a" * 100


@pytest.mark.parametrize("limit", [1 << 20, 7])
def test_more_memory_than_is_read_at_once_is_dumped(tmp_path: Path, limit: int) -> None:
    size, path = 2 * limit + 3, tmp_path / "out"
    shell = filled_shell(tmp_path / "state.json", size, limit)
    output_of(shell, f"set var *(int *) (0x100000000 + {limit}) = 0x64636261")
    expected = b"a" * limit + b"abcd" + b"a" * (limit - 1)
    assert output_of(shell, f"dump memory {path} 0x100000000 0x100000000+{size}") == ""
    assert path.read_bytes() == expected
    assert output_of(shell, f"append memory {path} 0x100000000 0x100000000+{size}") == ""
    assert path.read_bytes() == expected * 2
    for verb in ("dump", "append"):
        refused = output_of(shell, f"{verb} memory {path} 0x100000000 0x100000001+{size}")
        assert refused == f"Cannot access memory at address {0x100000000 + size:#x}\n"
        assert path.read_bytes() == expected * 2
        output_of(shell, f"{verb} memory {tmp_path / 'none'} 0x100000000 0x100000001+{size}")
        assert sorted(os.listdir(tmp_path)) == ["out", "state.json"]


@pytest.mark.usefixtures("fixtures")
def test_breakpoints_are_saved_and_set_again(tmp_path: Path) -> None:
    """With what GDB 13 writes for the same commands."""
    file, again = tmp_path / "saved", tmp_path / "again"
    said_of_core(
        "break main if 1 == 2", "ignore 1 3", "disable 1", "tbreak 46", "watch squares[0].side",
        "awatch -l squares[1] if 1", f"save breakpoints {file}", f"source {file}", "delete 1-4",
        f"save breakpoints {again}",
    )  # fmt: skip
    lines = file.read_text().splitlines()
    assert lines[:4] == ["break main", "  condition $bpnum 1 == 2", "  ignore $bpnum 3",
                         "disable $bpnum"]  # fmt: skip
    assert lines[4] == "tbreak core/shapes.cpp:46"
    assert lines[5:] == ["watch squares[0].side", "awatch -location squares[1]",
                         "  condition $bpnum 1"]  # fmt: skip
    assert again.read_text() == file.read_text()
    missing = tmp_path / "nowhere/x"
    assert said_of_core("break main", f"save breakpoints {missing}").endswith(
        f"Unable to open file '{missing}' for saving (No such file or directory)\n"
    )


def test_commands_of_a_breakpoint_are_saved(tmp_path: Path) -> None:
    shell, file = demo_shell(), tmp_path / "saved"
    output_of(shell, "break main", "set $number = 1")
    shell.breakpoints[1].commands = ("silent", "print 1")
    output_of(shell, f"save breakpoints {file}")
    assert file.read_text() == "break main\n  commands\n    silent\n    print 1\n  end\n"


@pytest.mark.usefixtures("fixtures")
def test_restored_bytes_are_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "my bytes"
    file.write_bytes(bytes([9, 9, 9, 9, 70, 0, 0, 0]))
    output = said_of_core(
        f"restore {shlex.quote(str(file))} binary &matrix 4",
        "print matrix[0]",
        "undo",
        "print matrix[0]",
    )
    assert f"Restoring binary file {file} into memory (0x" in output
    assert "$1 = {1, 70, 3, 4}\n" in output
    assert "$2 = {1, 2, 3, 4}\n" in output


@pytest.mark.parametrize("limit", [1 << 10, 7])
def test_more_memory_than_is_written_at_once_is_restored(tmp_path: Path, limit: int) -> None:
    """All of it or nothing; one `undo` takes it back."""
    size, file, out = 2 * limit + 3, tmp_path / "bytes", tmp_path / "out"
    shell = filled_shell(tmp_path / "state.json", size, limit)
    data = (b"0123456" * (size // 7 + 1))[:size]
    file.write_bytes(data)

    def dumped() -> bytes:
        range_text = f"0x100000000 0x100000000+{size}"
        assert output_of(shell, f"dump memory {out} {range_text}") == ""
        return out.read_bytes()

    refused = output_of(shell, f"restore {file} binary 0x100000001")
    assert f"memory at address {0x100000000 + size:#x}" in refused
    assert dumped() == b"a" * size
    assert output_of(shell, "diff all") == "Nothing was assigned.\n"
    last = 0x100000000 + size
    assert output_of(shell, f"restore {file} binary 0x100000000") == (
        f"Restoring binary file {file} into memory (0x100000000 to {last:#x})\n"
    )
    assert dumped() == data
    output_of(shell, "undo")
    assert dumped() == b"a" * size


@pytest.mark.usefixtures("fixtures")
def test_a_part_of_a_large_file_is_restored(tmp_path: Path) -> None:
    """No more of it is read: a hole of 1 TiB has 4 bytes in its middle."""
    file = tmp_path / "large"
    with file.open("wb") as stream:
        stream.seek(1 << 39)
        stream.write(struct.pack("<i", 77))
        stream.truncate(1 << 40)
    name, start = shlex.quote(str(file)), 1 << 39
    text = said_of_core(
        f"restore {name} binary (char*)&matrix-{start} {start} {start + 4}", "print matrix[0]"
    )
    assert "Restoring binary file" in text and "$1 = {77, 2, 3, 4}" in text
    text = said_of_core(f"restore {name} binary &matrix")
    assert text.splitlines()[-1] == "At most 1073741824 bytes are restored at once."


@pytest.mark.usefixtures("fixtures")
def test_a_file_that_becomes_shorter_is_not_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program cuts it between the question for its size and the reading."""

    class Cut(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            self.truncate(6)
            return super().read(size)

    monkeypatch.setattr(dump_commands, "open_to_read", lambda name: Cut(bytes(8)))
    text = said_of_core("restore file binary &matrix", "print matrix[0]")
    assert text == "$1 = {1, 2, 3, 4}\nfile ends after 6 bytes.\n"


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("", "Missing filename."),
        ("{} binary &matrix 8", "Start address is greater than length of binary file {}."),
        ("{} binary &matrix 5 4", "Start must be less than end."),
        ("{} binary nosuch", 'No symbol "nosuch" in current context.'),
        ("{}x binary &matrix", "Failed to open {}x: No such file or directory"),
    ],
)
@pytest.mark.usefixtures("fixtures")
def test_what_cannot_be_restored(tmp_path: Path, argument: str, expected: str) -> None:
    """The words of GDB 13, of a program that runs."""
    file = tmp_path / "bytes"
    file.write_bytes(bytes(8))
    text = said_of_core("restore " + argument.replace("{}", shlex.quote(str(file))))
    assert text == expected.replace("{}", str(file)) + "\n"


@pytest.mark.parametrize("line", ["tui enable", "layout src", "focus cmd", "nosharedlibrary"])
def test_refusals_name_what_there_is(line: str) -> None:
    assert f'"{line.split()[0]}" is not supported: ' in output_of(demo_shell(), line)


def test_sections_of_the_program() -> None:
    lines = output_of(demo_shell(), "maint info sections").splitlines()
    assert lines[0].startswith("Exec file: `")
    [text] = [line for line in lines if " .text " in line]
    assert text.endswith(": .text ALLOC LOAD READONLY CODE HAS_CONTENTS")
    assert output_of(demo_shell(), "compare-sections .text").endswith(": matched.\n")
    assert output_of(demo_shell(), "compare-sections .nothing") == (
        "No loaded section named '.nothing'.\n"
    )


def test_a_header_of_many_units_is_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C library names its headers from the folder of each unit."""
    described = SymbolSearch.described

    def of_two_units(search: SymbolSearch) -> Iterator[ListedSymbol]:
        for row in described(search):
            yield row._replace(file="csu/../bits/types.h")
            yield row._replace(file="elf/../bits/types.h")
            yield row._replace(file="")

    monkeypatch.setattr(SymbolSearch, "described", of_two_units)
    title, *lines = output_of(demo_shell(), "info types .").splitlines()
    start = lines.index("")
    assert title.startswith("All types ") and all("\t" in line for line in lines[:start])
    lines = lines[start:]
    assert [line for line in lines if line.startswith("File ")] == ["File bits/types.h:"]
    assert len(lines) == len(set(lines)) + lines.count("") - 1


@pytest.mark.parametrize("typed", ["skip weigh", "handle SIGUSR1 nostop", "set step-mode on"])
def test_a_note_is_true_while_a_kernel_runs(typed: str) -> None:
    """It does not say that nothing runs."""
    said_of_it = output_of(demo_shell(), typed)
    assert " has no effect: " in said_of_it and "runs no program" not in said_of_it


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("checkpoint",
         '"save" writes the state of a run, "run" starts a kernel of --dispatch again'),
        ("dprintf 5,\"x\"",
         'use "break", with "silent", "printf" and "continue" as its "commands"'),
        ("reverse-step", 'execution is not recorded; "run" starts a kernel of --dispatch again'),
    ],
)  # fmt: skip
def test_commands_that_are_not_here_name_others(typed: str, why: str) -> None:
    assert output_of(demo_shell(), typed) == f'"{typed.split()[0]}" is not supported: {why}.\n'


@pytest.mark.parametrize("typed", ["set numbers[0]", "set var numbers[0] == 1", "set 1 + 1"])
def test_set_warns_where_nothing_is_assigned(typed: str) -> None:
    warning = "warning: Expression is not an assignment (and might have no effect)\n"
    assert output_of(demo_shell(), typed) == warning


@pytest.mark.parametrize("typed", ["set numbers[0] = 1", "set $n = 1", "set var $n = 1, $n++"])
def test_set_of_an_assignment_is_silent(typed: str) -> None:
    assert "warning" not in output_of(demo_shell(), typed)


def test_the_function_of_a_caller_is_named() -> None:
    """Variables of the innermost function need none."""
    program = FIXTURES / "core/crash.x86_64.O2"
    words = [str(program), "--core", f"{program}.core", "--batch", "-q"]
    done = run("debug", *words, "-ex", "explain n", "-ex", "up", "-ex", "explain n")
    lines = [line for line in done.lines if line.startswith("parameter ")]
    assert lines == ["parameter int n, declared at line 87",
                     "parameter int n of down, declared at line 96"]  # fmt: skip


def test_the_function_before_a_variable_is_named() -> None:
    """It is not that of the frame."""
    program = FIXTURES / "core/crash.x86_64.O0"
    words = [str(program), "--core", f"{program}.core", "--batch", "-q"]
    commands = ("explain down::n", "explain leaf::n", "up 3", "explain down::n")
    done = run("debug", *words, *(word for command in commands for word in ("-ex", command)))
    lines = [line for line in done.lines if line.startswith(("parameter ", "local "))]
    assert [line.partition(", ")[0].partition("int ")[2] for line in lines] == [
        "n of down", "n", "n of down"
    ]  # fmt: skip


@pytest.mark.usefixtures("fixtures")
def test_no_command_replaces_an_open_file(tmp_path: Path) -> None:
    program, core, script = tmp_path / "crash", tmp_path / "crash.core", tmp_path / "script"
    program.write_bytes((FIXTURES / "core/shapes.x86_64.O0").read_bytes())
    core.write_bytes((FIXTURES / "core/shapes.x86_64.O0.core").read_bytes())
    files = {path: path.read_bytes() for path in (program, core)}
    for path in files:
        quoted = shlex.quote(str(path))
        done = run(
            "debug", "--file", program, "--core", core, "--batch",
            "-ex", f"dump value {quoted} 1", "-ex", f"append value {quoted} 1",
            "-ex", f"dump memory {quoted} $sp $sp+8", "-ex", "break main",
            "-ex", f"save breakpoints {path}", "-ex", f"set logging file {path}",
            "-ex", "set logging enabled on", "-ex", "show logging enabled",
        )  # fmt: skip
        assert done.status == 1
        assert done.err.count(f"{path} is an input: give another file\n") == 5
    assert files == {path: path.read_bytes() for path in files}
    done = run(
        "debug", "--file", program, "--batch", "-ex", f"dump value {shlex.quote(str(script))} 1"
    )
    assert (done.status, script.read_bytes()) == (0, b"\x01\0\0\0")


def test_only_save_breakpoints_replaces_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `source FILE` at the beginning and `save breakpoints FILE` at the end of a session do."""
    script = tmp_path / "script"
    quoted = shlex.quote(str(script))
    lines = (
        f"dump value {quoted} 1", f"append value {quoted} 1", f"save {script}", f"gcore {script}",
        f"set logging file {script}", "set logging enabled on",
    )  # fmt: skip
    script.write_text("echo kept\\n\n")
    commands = [word for line in lines for word in ("-ex", line)]
    before = os.dup(0)
    with script.open() as stream:
        os.dup2(stream.fileno(), 0)
        monkeypatch.setattr(sys, "stdin", stream)
        try:
            done = [
                run("debug", "--demo", "--batch", "-x", script, *commands),
                run("debug", "--demo", "--batch", "-ex", f"source {script}", *commands),
                run("debug", "--demo", *commands),
            ]
        finally:
            os.dup2(before, 0)
            os.close(before)
    for session in done:
        assert (session.status, session.out) == (1, "kept\n")
        assert session.err.count(f"{script} is an input: give another file\n") == 5
    assert script.read_text() == "echo kept\\n\n"
    run("debug", "--demo", "--batch", "-x", script, "-ex", "break nest", "-ex",
        f"save breakpoints {script}")  # fmt: skip
    assert script.read_text() == "break nest\n"


@pytest.mark.usefixtures("fixtures")
def test_a_saved_state_may_replace_the_open_one_alone(tmp_path: Path) -> None:
    code, state = tmp_path / "k.co", tmp_path / "s.json"
    code.write_bytes((FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes())
    launch = ("nest", "--grid", 64, "--workgroup", 64, "--arg", "0=zeros:256", "--arg", "1=1")
    assert run("dispatch", code, *launch, "--arg", "2=2", "--save", state).status == 0
    files = {path: path.read_bytes() for path in (code, state)}
    for line, path in ((f"save {code}", code), *((f"gcore {path}", path) for path in files)):
        done = run("debug", "--state", state, "--batch", "-ex", line)
        assert (done.status, done.out) == (1, "")
        assert f"{path} is an input: give another file\n" in done.err
    assert files == {path: path.read_bytes() for path in files}
    done = run("debug", "--state", state, "--batch", "-ex", "print $s4 = 5", "-ex", f"save {state}")
    assert done.status == 0
    assert state.read_bytes() != files[state]


@pytest.mark.usefixtures("fixtures")
def test_a_place_needs_no_symbol_table(tmp_path: Path) -> None:
    """The line table has the place: an unreadable symbol table is not asked."""
    data = bytearray((FIXTURES / "x86_64/demo.gcc.O0.v5").read_bytes())
    headers = int.from_bytes(data[0x28:0x30], "little")
    for number in range(int.from_bytes(data[0x3C:0x3E], "little")):
        header = headers + 64 * number
        if int.from_bytes(data[header + 4 : header + 8], "little") == 2:  # SHT_SYMTAB
            data[header + 24 : header + 32] = (1 << 31).to_bytes(8, "little")
    path = tmp_path / "cut"
    path.write_bytes(data)
    done = run("debug", "--file", path, "--batch", "-ex", "list leaf", "-ex", "break leaf")
    assert "leaf" in done.out
    assert "Breakpoint 1 at " in done.out + done.err
    assert "Traceback" not in done.err


def test_a_breakpoint_of_a_line_without_code_names_that_line() -> None:
    """As in GDB, where its locations are several: they are at the next line with code."""
    done = run("debug", FIXTURES / "x86_64/bodies.gcc.O2.v5", "--batch", "-ex", "break 11")
    assert done.out.rstrip().endswith("x86_64/bodies.c:11. (2 locations)"), done.out


def test_a_breakpoint_of_a_line_names_the_file_and_the_line_as_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in GDB 13, where its locations are several."""
    monkeypatch.chdir(FIXTURES)  # where the text is
    program = FIXTURES / "x86_64/bodies.gcc.O2.v5"
    places = ("-ex", "break -line 11", "-ex", "list 5,11", "-ex", "break -1")
    lines = run("debug", program, "--batch", *places).lines
    first, second = [line for line in lines if line.startswith("Breakpoint")]
    source = FIXTURES / "x86_64/bodies.c"
    assert first.endswith(f": -source {source} -line 11. (2 locations)")
    assert second.endswith(f": {source}:-1. (2 locations)")


def test_thread_local_variables_without_debugging_information(tmp_path: Path) -> None:
    """Which `errno` is in most programs: crash.c sets its own one to 41 before the crash."""
    program = tmp_path / "crash"
    data = (FIXTURES / "core/crash.x86_64.O0").read_bytes()
    program.write_bytes(data.replace(b"\0.debug_info\0", b"\0.other_info\0"))
    words = ("print (int)mine", "whatis &mine", "print mine", "info address mine")
    core = FIXTURES / "core/crash.x86_64.O0.core"
    done = run("debug", program, "--core", core, "--batch",
               *(word for line in words for word in ("-ex", line)))  # fmt: skip
    assert done.out.splitlines()[-3:] == [
        "$1 = 41",
        "type = <thread local variable, no debug info> *",
        'Symbol "mine" is a thread-local variable at offset 0x0 in the thread-local storage for '
        f"`{program}'.",
    ]
    assert "'mine' has unknown type; cast it to its declared type" in done.err


def test_data_is_not_in_thread_local_zeros(tmp_path: Path) -> None:
    """The header of .tbss has addresses that belong to the sections after it."""
    original = FIXTURES / "core/crash.x86_64.O0"
    data = bytearray(original.read_bytes())
    sections = open_object(original).sections
    [section] = [section for section in sections if section.name == ".eh_frame_hdr"]
    nobits, write_alloc_tls, address = 8, 0x403, 0x4000
    [headers] = struct.unpack_from("<Q", data, 40)
    fields = (nobits, write_alloc_tls, address, section.offset, 0x48)
    struct.pack_into("<IQQQQ", data, headers + 64 * section.index + 4, *fields)
    program = tmp_path / "crash"
    program.write_bytes(data)
    done = run("debug", program, "--batch", "-ex", "info symbol &table[1]")
    assert done.out == "table + 4 in section .data\n"


def test_variables_without_a_type(tmp_path: Path) -> None:
    """As GCC writes them with -g1: nothing is assumed, and a cast says the type."""
    program = tmp_path / "crash"
    data = (FIXTURES / "core/crash.x86_64.O0").read_bytes()
    # DW_AT_type, DW_FORM_ref4 of the external variables becomes DW_AT_friend
    typed, friend = b"\x39\x0b\x49\x13\x3f\x19\x02", b"\x39\x0b\x41\x13\x3f\x19\x02"
    program.write_bytes(data.replace(typed, friend))
    words = ("p (int)mine", "p (char[2][4])limits", "p &limits", "whatis limits", "p {int}&limits",
             "info variables -n limits", "p mine", "p 1 + mine", "p sizeof(mine)")  # fmt: skip
    core = FIXTURES / "core/crash.x86_64.O0.core"
    done = run("debug", program, "--core", core, "--batch",
               *(word for line in words for word in ("-ex", line)))  # fmt: skip
    assert done.out.splitlines()[-9:] == [
        "$1 = 41",
        r'$2 = {"\n\000\000", "\024\000\000"}',
        "$3 = (<data variable, no DW_AT_type> *) 0x7ffff7ffb010 <limits>",
        "type = <data variable, no DW_AT_type>",
        "$4 = 10",
        'All variables matching regular expression "limits":',
        "",
        "File core/crash.c:",
        "12:\t<data variable, no DW_AT_type> limits;",
    ]
    assert done.err.splitlines() == ["'mine' has unknown type; cast it to its declared type"] * 3


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        ("calls.0", "calls"),
        ("cached_3.12", "cached_3"),
        ("__PRETTY_FUNCTION__.20", "__PRETTY_FUNCTION__.20"),
        ("_first.1", "_first.1"),
        ("lastUsed.1", "lastUsed.1"),
        ("name@V1.0", "name@V1.0"),
    ],
)
def test_numbers_of_local_variables(symbol: str, shown: str) -> None:
    """As GDB 13 shows them in `info symbol` and `info variables`."""
    assert unnumbered(Symbol(symbol, 0x1000, 4, "object", 1)) == shown
    assert unnumbered(Symbol(symbol, 0x1000, 4, "function", 1)) == symbol


def test_a_cast_of_an_optimized_out_pointer() -> None:
    """GDB 13's answers for such a pointer; a number made of it is an error there, too."""
    shell = nest_shell()
    assert output_of(shell, "output (char *)in").startswith("<optimized out>")
    assert output_of(shell, "output (long *)(void *)in").startswith("<optimized out>")
    for text in ("(long)in", "*(char *)in", "(char *)in + 1"):
        assert output_of(shell, f"output {text}").startswith("value has been optimized out")


@pytest.mark.usefixtures("fixtures")
def test_a_lost_register_has_the_reason_that_explain_has() -> None:
    lost = "rax of the frame at 0x401156 is caller-saved and has no CFI rule"
    for text in ("$rax + 1", "$eax", "*(int *)$rax"):
        said = said_of_core("up", f"p {text}")
        assert f"value has been optimized out: {lost}" in said
    assert lost in said_of_core("up", "explain $rax")


@pytest.mark.usefixtures("fixtures")
def test_a_table_without_functions_is_that_before_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Itanium C++ ABI 2.5.2: a class with virtual bases alone has a table that ends at its address
    point, where the table of another class may begin."""

    def covering(objects: object, address: int) -> Symbol | None:
        return None if address >= 0x402068 else symbol_covering(objects, address)

    monkeypatch.setattr("dwarfgpu.language.created_class.symbol_covering", covering)
    lines = said_of_core("set print object on", "p shape").splitlines()
    assert lines[-1] == "$1 = (geo::Square *) 0x7fffffffedf0"


@pytest.mark.usefixtures("fixtures")
def test_a_pointer_to_code_without_lines_is_in_the_language_of_main() -> None:
    """As in GDB, where `show language` is "auto; currently c++" there."""
    lines = said_of_core("set $pc = 0x402000", "print $pc").splitlines()
    assert "$1 = (void (*)(void)) 0x402000 <vtable for Multi>" in lines


def test_the_symbol_of_a_clone_names_its_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As GDB and `nm -C`."""
    shell = demo_shell()
    code_object = shell.session.code_objects[0]
    symbol = SymbolAtAddress("f(int)", 4, ".text", code_object, "_Z1fi.constprop.0.isra.0")
    monkeypatch.setattr(symbol_commands, "symbol_covering", lambda *_, **__: symbol)
    expected = "f(int) [clone .constprop.0] [clone .isra.0] + 4 in section .text"
    assert output_of(shell, "info symbol 4").startswith(expected)


@pytest.mark.parametrize("command", ["save", "core-file", "load", "cd"])
@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_has_are_errors(command: str, name: str) -> None:
    shell = demo_shell()
    assert output_of(shell, f"{command} {name}")
    assert output_of(shell, "output 7") == "7"


@pytest.mark.parametrize("field", ["%d", "%c", "%p", "%s"])
def test_a_complex_number_is_no_integer(field: str) -> None:
    """As in GDB; the real part was taken."""
    state = FIXTURES / "states/fortran.gcc.O0.json"
    lines = ("-ex", "frame 2", "-ex", f'printf "{field}", zz')
    done = run("debug", "--state", state, "--batch", *lines)
    assert done.err.splitlines()[-1] == "Value can't be converted to integer."


@pytest.mark.parametrize("commands", [(), ("file",)])
@pytest.mark.parametrize("files", [(), ("x86_64/demo.gcc.O0.v5",), ("hip/nest.gfx942.O2.v5.co",)])
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("gcore", "You can't do that without a process to debug."),
        ("return", "No selected frame."),
    ],
)
def test_what_needs_a_process_is_not_done_to_files_alone(
    line: str, error: str, files: tuple[str, ...], commands: tuple[str, ...],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    lines = [word for command in (*commands, line) for word in ("-ex", command)]
    done = run("debug", *(FIXTURES / file for file in files), "--batch", *lines)
    assert done.err.splitlines()[-1] == error
    assert not [*tmp_path.iterdir()]


def test_a_core_file_has_no_process_to_kill() -> None:
    crash = FIXTURES / "core/crash.x86_64.O0"
    done = run("debug", crash, "--core", f"{crash}.core", "--batch", "-ex", "kill")
    assert done.err.endswith("You can't do that without a process to debug.\n")


def test_info_symbol_names_the_file_where_another_one_has_the_symbols(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """As in GDB, for which a separate debug file is one more."""
    program = tmp_path / "program"
    shutil.copyfile(FIXTURES / "x86_64/demo.gcc.O0.v5", program)
    alone = run("debug", program, "--batch", "-ex", "info symbol main")
    assert alone.lines[-1] == "main in section .text"
    debug = tmp_path / "program.debug"
    objcopy = tool("objcopy")
    for words in (("--only-keep-debug", program, debug), ("--strip-all", program),
                  (f"--add-gnu-debuglink={debug}", program)):  # fmt: skip
        subprocess.run([objcopy, *words], check=True)
    done = run("debug", program, "--batch", "-ex", "info symbol main")
    assert done.lines[-1] == f"main in section .text of {program}"


def test_info_symbol_does_not_name_the_only_file_of_a_core() -> None:
    """As in GDB: a static program of QEMU has no vDSO."""
    core = FIXTURES / "core" / "crash.aarch64.O0"
    done = run("debug", core, f"{core}.core", "--batch", "-ex", "info symbol leaf")
    assert done.lines[-1] == "leaf in section .text"


@pytest.mark.parametrize("letter", ["s", "m"])
def test_list_goes_on_after_disassembled_lines(letter: str) -> None:
    """As in GDB 13, "info line", too."""
    shell = nest_shell()
    output_of(shell, "list 5,6")
    shown = output_of(shell, f"disassemble /{letter} nest,+4").splitlines()
    (last,) = [int(line.partition("\t")[0]) for line in shown if line[:1].isdigit()]
    assert last > 6
    assert output_of(shell, "info line").startswith(f"Line {last} of ")
    assert output_of(shell, "list").startswith(f"{last + 1}\t")


@pytest.mark.parametrize("field", ["%d", "%c", "%p", "%s"])
def test_a_vector_is_no_integer(tmp_path: Path, tool: Callable[[str], str], field: str) -> None:
    """As in GDB; the bits of one of 8 bytes were taken."""
    source, program = tmp_path / "v.c", tmp_path / "v"
    source.write_text(
        "float v __attribute__((vector_size(8))) = {1, 2}; int main(void) { return v[0]; }\n"
    )
    subprocess.run([tool("gcc"), "-g", str(source), "-o", str(program)], check=True, timeout=60)
    done = run("debug", program, "--batch", "-ex", f'printf "{field}", v')
    assert done.err.splitlines()[-1] == "Value can't be converted to integer."


FIELDS = """\
struct { unsigned b : 4; long l : 40; signed char c : 3; short s : 9; _Bool t : 1; int n : 5;
    unsigned long long q : 62; unsigned all : 32; enum { A, B } e : 2; } x = {
    5, 1L << 38, -1, 7, 1, -3, 0x3ff0000000000000, 0x3f800000, B };
int main(void) { return x.b; }
"""


def test_a_bit_field_is_read_as_the_float_of_its_type(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """As in GDB 13; it was converted, which other integers are only without such a float."""
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(FIELDS)
    subprocess.run([tool("gcc"), "-g", str(source), "-o", str(program)], check=True, timeout=60)
    expected = {
        "b": "7.00649e-45", "l": "1.35808e-312", "c": "-1", "s": "7", "t": "1", "n": "-nan",
        "q": "1", "all": "1", "e": "1.4013e-45",
    }  # fmt: skip
    commands = [f'-ex=printf "%g\\n", x.{name}' for name in expected]
    assert run("debug", program, "--batch", *commands).lines == [*expected.values()]


@pytest.mark.parametrize("name", ["v", "n", "c"])
def test_what_is_no_string(tmp_path: Path, tool: Callable[[str], str], name: str) -> None:
    """As in GDB: a vector of characters was one."""
    source, program = tmp_path / "v.c", tmp_path / "v"
    source.write_text(
        "typedef char c8 __attribute__((vector_size(8))); typedef int I; c8 v = {65};\n"
        "I n; const I c = 4; int main(void) { return v[0] + n + c; }\n"
    )
    subprocess.run([tool("gcc"), "-g", source, "-o", program], check=True, timeout=60)
    command = f"print $_strlen({name})"
    words = [tool("gdb"), "-nx", "-q", "-batch", "-ex", command, program]
    of_gdb = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60).stderr
    done = run("debug", program, "--batch", "-ex", command)
    assert done.err.splitlines()[-1] in of_gdb


def test_symbols_in_debug_information_are_no_variables(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GCC's -flto names its parts of .debug_info by symbols, which GDB does not list."""
    source, program = tmp_path / "v.c", tmp_path / "v"
    source.write_text("int counter; int main(void) { return counter++; }\n")
    command = [tool("gcc"), "-g", "-O2", "-flto", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    symbols = open_object(program).symbols
    assert any(symbol.name.startswith("v.c.") for symbol in symbols)
    done = run("debug", program, "--batch", "-ex", r"info variables v\.c\.")
    assert done.out == 'All variables matching regular expression "v\\.c\\.":\n'


NOTED = r"""
int add(int a, int b) { return a + b; }
__asm__(".section .marks,\"\",@progbits\n.globl mark\n.type mark, @object\n"
        ".long 0\nmark: .long 1\n.size mark, 4\n"
        ".section .over,\"x\",@progbits\n.globl over\n.type over, @function\n"
        ".skip 256\nover: ret\n.size over, 1\n.text\n");
"""


def test_symbols_of_sections_outside_of_memory_are_none(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """They are offsets in their sections, not addresses: `add` was cut in two by one."""
    source, program = tmp_path / "v.c", tmp_path / "v.o"
    source.write_text(NOTED)
    subprocess.run([tool("gcc"), "-g", "-c", source, "-o", program], check=True, timeout=60)
    commands = ["info symbol 0x4", "print (void*)4", "info address mark", "info variables mark"]
    commands.append("info functions over")
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", program, "--batch", *words)
    expected = subprocess.run(
        [tool("gdb"), "-nx", "-q", "-batch", *words, str(program)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.out == expected.stdout
    assert "add + 4 in section .text" in done.out
    assert "<mark" not in run("disas", program, "add").out


@pytest.mark.usefixtures("fixtures")
def test_a_pointer_to_a_real_object_keeps_its_qualifiers() -> None:
    """As GDB 13 prints it; `this` is such a pointer."""
    lines = said_of_core("set print object on", "p (geo::Shape * const) shape").splitlines()
    assert lines[-1] == "$1 = (geo::Square * const) 0x7fffffffedf0"
