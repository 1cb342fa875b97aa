"""Where the frames of the prompt end: `set backtrace past-main|past-entry|limit`."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack import backtrace_commands, last_backtrace
from dwarfgpu.session.stack_frames import StackFrame
from dwarfgpu.view.printers.printer import Printed, Printer
from dwarfgpu.view.printers.standard import STANDARD
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import nest_shell, talked

PROGRAM = FIXTURES / "core/crash.x86_64.O0"
CORE = FIXTURES / "core/crash.x86_64.O0.core"
ALL = ["leaf", "down", "down", "down", "down", "begin", "_start"]


@pytest.fixture(scope="module")
def with_main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, whose symbol `begin` is called `main`."""
    path = tmp_path_factory.mktemp("program") / PROGRAM.name
    data = PROGRAM.read_bytes()
    at = data.rindex(b"\0begin\0")
    path.write_bytes(data[:at] + b"\0main\0\0" + data[at + 7 :])
    return path


@pytest.fixture(scope="module")
def entered_at_begin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, whose entry point is `begin`."""
    (begin,) = ObjectFile("program", PROGRAM.read_bytes()).symbols_named("begin")
    path = tmp_path_factory.mktemp("program") / PROGRAM.name
    data = PROGRAM.read_bytes()
    path.write_bytes(data[:24] + begin.address.to_bytes(8, "little") + data[32:])
    return path


def shown(program: Path, *commands: str) -> list[str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", program, "--core", CORE, "--batch", *words)
    return [line for line in (done.out + done.err).splitlines() if "core" not in line[:12].lower()]


def functions(program: Path, *commands: str) -> list[str]:
    """Of the frames that the last command lists, after the one at the start."""
    _, *frames = [item for item in shown(program, *commands) if item.startswith("#")]
    return [frame.partition(" in ")[2].split()[0] for frame in frames]


def test_all_of_a_program_without_main() -> None:
    assert functions(PROGRAM, "bt") == ALL


@pytest.mark.parametrize(
    ("name", "outermost"), [("_Dmain", ["_Dmain"]), ("main.main", ["main.main"]), ("main_", [])]
)
def test_frames_end_at_the_main_function_of_d_and_go(
    with_main: Path, tmp_path: Path, name: str, outermost: list[str]
) -> None:
    """GDB 13 prefers the symbols of these languages to `main`. Here `_start`, the end of the name
    `__bss_start`, has the one that is written over it."""
    data = bytearray(with_main.read_bytes())
    file = ObjectFile("program", bytes(data))
    names, table = file.sections_by_name[".strtab"], file.sections_by_name[".symtab"]
    name_at = data.index(b"\0__bss_start\0", names.offset) + 1
    data[name_at : name_at + 11] = name.encode().ljust(11, b"\0")
    number = name_at - names.offset
    symbol = data.index((number + len("__bss")).to_bytes(4, "little"), table.offset)
    data[symbol : symbol + 4] = number.to_bytes(4, "little")
    path = tmp_path / with_main.name
    path.write_bytes(data)
    assert functions(path, "bt") == ALL[:-1] + outermost


@pytest.mark.parametrize("count", [-(1 << 63), (1 << 63) - 1, 1 << 63])
def test_more_frames_than_there_are(count: int) -> None:
    """2**63 is a negative number of 64 bits: it counts from the outermost frame."""
    assert functions(PROGRAM, f"bt {count}") == ALL


def test_frames_end_at_main(with_main: Path) -> None:
    assert functions(with_main, "bt") == ALL[:-1]
    assert functions(with_main, "set backtrace past-main on", "bt") == ALL
    assert (
        functions(with_main, "set backtrace past-main on", "set backtrace past-main", "bt") == ALL
    )
    assert functions(with_main, "bt -1") == ["begin"]
    assert "No frame at level 6." in shown(with_main, "frame 6")
    ends = "Initial frame selected; you cannot go up."
    assert ends in shown(with_main, "up 5", "up")
    assert len(shown(with_main, "frame apply all -q p 1")) - len(shown(with_main)) == 6


@pytest.mark.parametrize("is_described", [True, False])
@pytest.mark.parametrize("inside", ["", "main.loop", "main.main"])
def test_frames_end_at_main_of_assembler_code(
    with_main: Path, tmp_path: Path, is_described: bool, inside: str
) -> None:
    """Its symbol may have no type, and NASM has symbols of labels inside; GDB stops only at the
    last of these."""
    data = bytearray(with_main.read_bytes())
    file = ObjectFile("program", bytes(data))
    names, table = file.sections_by_name[".strtab"], file.sections_by_name[".symtab"]
    (main,) = file.symbols_named("main")
    at = data.index(main.address.to_bytes(8, "little"), table.offset) - 8
    data[at + 4], data[at + 16 : at + 24] = 0x10, bytes(8)
    if not is_described:
        data = bytearray(bytes(data).replace(b"\0.debug_info\0", b"\0.other_info\0"))
    if inside:  # in the place of another symbol
        name_at = data.index(b"\0__bss_start\0", names.offset) + 1
        data[name_at : name_at + 11] = inside.encode().ljust(11, b"\0")
        number = name_at - names.offset
        at = data.index((number + len("__bss")).to_bytes(4, "little"), table.offset)
        label = struct.pack("<IBBHQQ", number, 0, 0, main.section, main.address + 4, 0)
        data[at : at + 24] = label
    path = tmp_path / with_main.name
    path.write_bytes(data)
    ending = "begin" if is_described else inside or "main"
    assert functions(path, "bt")[-1] == ending


def test_frames_of_a_stripped_program_end_at_main(
    with_main: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Its separate debug file has the symbol."""
    program, debug = tmp_path / PROGRAM.name, tmp_path / "crash.debug"
    objcopy = tool("objcopy")
    for command in (
        [objcopy, "--only-keep-debug", with_main, debug],
        [objcopy, "--strip-all", f"--add-gnu-debuglink={debug}", with_main, program],
    ):
        subprocess.run(command, check=True, timeout=120)
    assert functions(program, "bt") == ALL[:-1]
    debug.unlink()
    assert shown(program, "disassemble")[-1] == (
        "No function contains program counter for selected frame."
    )


def test_frames_end_at_a_part_of_main_that_is_elsewhere(tmp_path: Path) -> None:
    """GDB compares where the function begins, not the symbol of the part (`main.cold`)."""
    program = tmp_path / "lists.x86_64.O2"
    data = (FIXTURES / "core" / program.name).read_bytes()
    at = data.rindex(b"\0crash\0")
    program.write_bytes(data[:at] + b"\0main\0\0" + data[at + 7 :])
    words = ("debug", program, "--core", FIXTURES / "core/lists.x86_64.O2.core", "--batch")
    done = run(*words, "-ex", "bt", "-ex", "up 2", "-ex", "up")
    assert [line.split()[0] for line in done.lines if line.startswith("#")] == [
        "#0", "#0", "#1", "#1",
    ]  # fmt: skip
    assert "Initial frame selected; you cannot go up." in done.err


def test_frames_end_at_the_entry_point(entered_at_begin: Path) -> None:
    assert functions(entered_at_begin, "bt") == ALL[:-1]
    assert functions(entered_at_begin, "set backtrace past-entry on", "bt") == ALL


def test_frames_go_on_behind_the_end_of_the_entry_point(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """In a stripped program, functions behind the entry point have no names, as in Debian's bash;
    GDB takes their code for that of no function."""
    program = tmp_path / PROGRAM.name
    keep = ("--keep-symbol=worker", "--keep-symbol=begin")
    command = [tool("objcopy"), "--strip-all", *keep, PROGRAM, program]
    subprocess.run(command, check=True, timeout=60)
    data = bytearray(program.read_bytes())
    (worker,) = ObjectFile("program", bytes(data)).symbols_named("worker")
    data[24:32] = worker.address.to_bytes(8, "little")  # the entry point, before `leaf`
    program.write_bytes(data)
    assert functions(program, "bt") == ["??"] * 5 + ["begin", "??"]


def test_a_limit() -> None:
    assert functions(PROGRAM, "set backtrace limit 2", "bt") == ALL[:2]
    assert "No frame at level 2." in shown(PROGRAM, "set backtrace limit 2", "frame 2")
    assert functions(PROGRAM, "set backtrace limit 2", "set backtrace limit 0", "bt") == ALL


def test_the_settings_in_gdbs_words() -> None:
    lines = shown(PROGRAM, "show backtrace", "set backtrace limit", "set backtrace past-main 7")
    assert lines[-5:] == [
        "backtrace limit:  An upper bound on the number of backtrace levels is unlimited.",
        "backtrace past-entry:  Whether backtraces should continue past the entry point of a "
        "program is off.",
        'backtrace past-main:  Whether backtraces should continue past "main" is off.',
        'Argument required (integer to set it to, or "unlimited").',
        '"on" or "off" expected.',
    ]


def test_the_command_bt_shows_all_frames(with_main: Path) -> None:
    done = run("bt", "--file", with_main, "--core", CORE)
    assert done.out.count("\n#") >= 6 and "_start" in done.out


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the frames that were unwound and read for backtraces."""
    numbers: list[int] = []
    original = backtrace_commands._of_frame

    def counted(shell: Shell, frame: StackFrame, *rest: Any, **options: Any) -> Iterator[Part]:
        numbers.append(frame.number)
        return original(shell, frame, *rest, **options)

    monkeypatch.setattr(backtrace_commands, "_of_frame", counted)
    return numbers


@pytest.mark.parametrize("between", ["up", "frame 3", "print n", "set var $mine = 5", "info args"])
def test_a_backtrace_is_computed_once(listed: list[int], between: str) -> None:
    lines = shown(PROGRAM, "bt", between, r"echo ---\n", "bt", r"echo ---\n", "bt")
    first, second = (index for index, line in enumerate(lines) if line == "---")
    frames = [line for line in lines[second:] if line.startswith("#")]
    assert len(frames) == 7 and set(frames) == {*lines[first + 1 : second]} <= {*lines[:first]}
    assert listed == [*range(7)]


OTHER_CORE = FIXTURES / "core/crash.x86_64.O2.core"
CHANGES = (
    "set var n = 7", "set $rsp = $rsp + 16", "set $rbp = 0", "set var head = 0",
    "set $pc = $pc + 1",
    "set backtrace limit 3", "set print frame-arguments none", "set print address off",
    "set language c++", f"core-file {OTHER_CORE}", f"core-file {CORE}", "core-file",
    "set output-radix 16",
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_in_the_next_backtrace(change: str) -> None:
    """It is that of a debug session that has listed none before."""
    once, again = (
        shown(PROGRAM, "set confirm off", *first, change, r"echo ---\n", "bt")
        for first in ((), ("bt",))
    )
    assert again[again.index("---") :] == once[once.index("---") :]


def test_an_assignment_that_is_undone_is_seen(listed: list[int]) -> None:
    lines = shown(PROGRAM, "bt 1", "set var n = 7", "bt 1", "undo", "bt 1")
    first, second, third, fourth = [line for line in lines if line.startswith("#0")]
    assert first == second == fourth and "n=7)" in third
    assert listed == [0, 0, 0]


def test_backtraces_of_other_lengths_and_options_are_others(listed: list[int]) -> None:
    shown(PROGRAM, "bt 2", "bt 3", "bt -2", "bt -past-main 3", "set $n = 2", "bt $n", "bt $n")
    assert listed == [0, 1, 0, 1, 2, 5, 6, 0, 1, 2, 0, 1]


def test_long_backtraces_are_not_kept(listed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_backtrace, "MAX_KEPT", 3)
    shown(PROGRAM, "bt", "bt", "bt 2", "bt 2")
    assert listed == [*range(7), *range(7), 0, 1]


def test_backtraces_with_more_than_the_machine_shows_are_not_kept(listed: list[int]) -> None:
    """Source text and printers of one's own may show something else at any time."""
    shown(PROGRAM, "set print frame-info source-line", "bt 2", "bt 2")
    assert listed == [0, 1, 0, 1]
    shell = nest_shell()
    printer = Printer("own", "vector", lambda _: Printed("now"))
    shell.settings.printers = STANDARD.with_printers(printer)
    talked(shell, "bt", "bt")
    assert listed[4:] == [0, 0]


def test_printers_that_are_disabled_are_seen_in_the_next_backtrace() -> None:
    containers = FIXTURES / "core/containers.x86_64.libstdcxx"
    core = FIXTURES / "core/containers.x86_64.libstdcxx.core"
    options = ["--core", str(core), "--sysroot", str(FIXTURES / "core")]
    commands = "bt 1", "disable pretty-printer", "bt 1", "enable pretty-printer", "bt 1"
    given = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--file", str(containers), *options, "--batch", *given)
    _, first, second, third = (line for line in done.out.splitlines() if line.startswith("#0"))
    assert first == third and 'by_reference="a short one"' in first
    assert "by_reference=..., by_value=..., " in second


def test_each_lane_has_its_backtrace(listed: list[int]) -> None:
    talked(nest_shell(), "bt", "bt", "lane 1", "bt", "bt")
    assert listed == [0, 0]


@pytest.mark.parametrize("command", ["backtrace", "where"])
@pytest.mark.parametrize(
    ("short", "whole"),
    [
        ("f 1", "full 1"), ("fu -1", "full -1"), ("h 2", "hide 2"), ("hide 2", "2"),
        ("no-filters 2", "2"), ("n f 1", "full 1"), ("no hid fu  1", "full 1"),
        ("full hide 1", "full 1"), ("f n", "full"), ("-past-main f 1", "full 1"),
    ],
)  # fmt: skip
def test_flags_are_abbreviated(command: str, short: str, whole: str) -> None:
    assert shown(PROGRAM, f"{command} {short}") == shown(PROGRAM, f"backtrace {whole}")


def test_one_abbreviation_after_where_is_a_variable_first() -> None:
    variable = shown(PROGRAM, "frame function down", "where n")
    assert any("n (" in line and "down" in line for line in variable), variable
    assert shown(PROGRAM, "where fu") == shown(PROGRAM, "backtrace full")
    assert shown(PROGRAM, "where no") == shown(PROGRAM, "backtrace")
    assert 'No symbol "nosuch" in current context.' in shown(PROGRAM, "where nosuch")
