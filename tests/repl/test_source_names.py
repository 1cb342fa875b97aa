"""Source files whose names have control characters: the file of that name is read, and the name is
printed with escapes; large source files, and a file that several libraries have."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_sleb
from dwarfgpu.base.records import evolve
from dwarfgpu.language.function_locations import CodeLocation
from dwarfgpu.repl.files import list_commands
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.focused_frame import FramePosition
from tests.cli.command import Done, run
from tests.repl.repl_shell import demo_shell, opened, output_of
from tests.work import at_most, calls_of
from tools.bombs.sections import END_SEQUENCE, SET_ADDRESS, line_program, listed

NAMES = (b"a\nZQ.c", b"\x1b[31mred.c", b"\xff\xfe.c", "é\t.c".encode(), rb"a\nb.c", b"c\\\n.c")


def program(folder: Path, name: bytes, directory: bytes) -> Path:
    """A program whose first line is the second one of a file."""
    rows = SET_ADDRESS + b"\4\0\3\1\1" + END_SEQUENCE
    table = listed([directory + b"\0"]) + listed([name + b"\0\0"], (2, 0x0B))
    path = folder / "program"
    path.write_bytes(line_program(table, rows)["bomb"])
    return path


def asked(path: Path, *commands: str) -> Done:
    return run("debug", path, "--batch", *(word for line in commands for word in ("-ex", line)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_relative", [True, False])
def test_the_file_of_the_name_is_read(name: bytes, is_relative: bool, tmp_path: Path) -> None:
    folder = tmp_path / "folder\x1b"
    folder.mkdir()
    (folder / os.fsdecode(name)).write_text("one\ntwo\nthree\n")
    directory = b"/nowhere" if is_relative else os.fsencode(folder)
    path = program(tmp_path, name, directory)
    first = [f"directory {shlex.quote(str(folder))}"] if is_relative else []
    done = asked(path, *first, "list main", "list 1,3", "info source")
    assert "2\ttwo" in done.out, done
    assert "Contains 3 lines." in done.out
    assert "\x1b" not in done.out + done.err and "\nZQ" not in done.out + done.err
    shown = asked(path, *first, "disassemble /s main")
    assert is_relative or "two" in shown.out or "Capstone" in shown.err, shown


def test_the_beginning_of_a_large_file(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_bytes(b"one\ntwo\n")
    os.truncate(tmp_path / "f.c", 200 << 20)
    path = program(tmp_path, b"f.c", os.fsencode(tmp_path))
    assert asked(path, "list 1,2").out == "1\tone\n2\ttwo\n"
    os.truncate(tmp_path / "f.c", 300 << 20)
    done = asked(path, "list 1,2")
    assert done.out == ""
    assert done.err == f"{tmp_path}/f.c: more than 256 MiB\n"


@pytest.mark.parametrize("line", [1 << 20, (1 << 31) - 1])
@pytest.mark.parametrize("letter", ["m", "s"])
def test_lines_between_instructions_are_bounded(line: int, letter: str, tmp_path: Path) -> None:
    """A line table says that the second instruction is from a line far below the first one."""
    rows = SET_ADDRESS + b"\4\0\1\2\2\3" + encode_sleb(line - 1) + b"\1" + END_SEQUENCE
    table = listed([b"/none\0"]) + listed([b"f.c\0\0"], (2, 0x0B))
    path = tmp_path / "program"
    path.write_bytes(line_program(table, rows)["bomb"])
    with at_most(2_000_000):
        done = asked(path, f"disassemble /{letter} 0x1000,+4")
    assert "End of assembler dump." in done.out or "Capstone" in done.err, done.err
    if letter == "m" and "Capstone" not in done.err:
        first, _, rest = done.out.partition(f"... lines 2 to {line - 9_999} of ")
        assert first and rest.partition("\n")[0].endswith(" (--max-source-lines)")
        done = run(
            *("debug", path, "--batch", "--max-source-lines", 7),
            *("-ex", f"disassemble /{letter} 0x1000,+4"),
        )
        assert f"... lines 2 to {line - 6} of " in done.out


def test_a_line_below_0_between_instructions(tmp_path: Path) -> None:
    """The instruction has no line then, and a note says why."""
    rows = SET_ADDRESS + b"\4\0\1\2\2\3" + encode_sleb((1 << 32) - 2) + b"\1" + END_SEQUENCE
    table = listed([b"/none\0"]) + listed([b"f.c\0\0"], (2, 0x0B))
    path = tmp_path / "program"
    path.write_bytes(line_program(table, rows)["bomb"])
    done = asked(path, "disassemble /m 0x1000,+4")
    assert "source lines may be missing: " in done.err or "Capstone" in done.err
    assert "line 4294967295, which is -1 in 32 bits" in done.err or "Capstone" in done.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("break f.c:2", "the row for 0x1002 has"),
        ("info line f.c:2", "the row for 0x1002 has"),
        ("list f.c:2", "the row for 0x1002 has"),
        ("info line *0x1002", "note: the line of 0x1002 cannot be read: "),
        ("break *0x1002", "note: the line of 0x1002 cannot be read: "),
        ("break f.c:1", ""),
    ],
)
def test_a_line_below_0_is_no_line_after_others(tmp_path: Path, command: str, message: str) -> None:
    """In 32 bits it is a large number, which no later line is."""
    rows = SET_ADDRESS + b"\4\0\1\2\2\3" + encode_sleb(-2) + b"\1" + END_SEQUENCE
    table = listed([b"/none\0"]) + listed([b"f.c\0\0"], (2, 0x0B))
    path = tmp_path / "program"
    path.write_bytes(line_program(table, rows)["bomb"])
    done = asked(path, command)
    assert message in done.err and "4294967295" not in done.out
    assert ("line 4294967295, which is -1 in 32 bits" in done.err) == bool(message)


def test_list_again_looks_a_name_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And makes few calls: its places and the text are known."""
    shell = demo_shell()
    lookups = 0
    code_locations_of = list_commands.code_locations_of

    def counted(shell: Shell, text: str, around: FramePosition | None) -> tuple[CodeLocation, ...]:
        nonlocal lookups
        lookups += 1
        return code_locations_of(shell, text, around)

    monkeypatch.setattr(list_commands, "code_locations_of", counted)
    shell.execute("list main")
    assert lookups == 1
    shell.execute("list main")
    calls = calls_of(lambda: shell.execute("list main"))
    assert calls < 465, calls


def test_a_line_of_a_file_in_several_libraries() -> None:
    """`info line` names the code of the line in each, as GDB does."""
    shell = demo_shell()
    (program,) = shell.session.code_objects
    copy = opened("x86_64/demo.gcc.O0.v5", 0x100000)
    shell.session = evolve(shell.session, code_objects=(program, copy), pc=None)
    lines = output_of(shell, "info line demo.c:107").splitlines()
    starts = [int(line.partition("starts at address ")[2].split()[0], 16) for line in lines]
    assert len(starts) == 2
    assert starts[1] - starts[0] == 0x100000
