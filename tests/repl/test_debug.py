"""`dwarfgpu debug`: the command layer, on the kernel and the state that come with dwarfgpu."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.language.convenience_functions import FUNCTIONS
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.repl.command import Command, every, find, parse
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.files import list_commands
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.settings import SETTINGS
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal.bottom_bar import bar_text
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, REPOSITORY, run
from tests.repl.repl_shell import made, nest_shell, output_of

ALL = list(every(COMMANDS))

NEST = "nest(int const*, int*, int)"


@pytest.fixture
def shell() -> Shell:
    return nest_shell()


NOTES = """\
note: DW_AT_LLVM_lanes absent: wave size 64 assumed
note: upstream clang: a vector register read as the focused lane's dword
"""
FRAME = (
    "0x0000000000011640 in nest (in=<optimized out>, out=<optimized out>, "
    "limit=<optimized out>) at hip/nest.hip:10\n"
)
SOURCE = "10\thip/nest.hip: No such file or directory.\n"
ROW = "0x0000000000011640 in nest (...) at hip/nest.hip:10\n"
LANES = "  Id  State   Target Id                             Frame\n"


def drawn(lane: int) -> str:
    """A dword of v6."""
    marks = " ".join(f"{'·' * 64}"[8 * at : 8 * at + 8] for at in range(8))
    return (
        f"  byte 0{' ' * 32}4\n       ┌{'─' * 32}┐\n       │ {f'v6 + byte {4 * lane}':31}│\n"
        f"       └{'─' * 32}┘\n  bits 0-31  v6, the dword of lane {lane}\n"
        f"    {marks[:lane]}█{marks[lane + 1 :]}\n"
    )


def lane_id(lane: int) -> str:
    return f"AMDGPU Lane ?:?:?:0/{lane} (?,?,?)[?,?,?]"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["print t"], "$1 = 30\n" + NOTES),
        (["p t", "p/x t"], "$2 = 0x1e\n"),  # an assumption is printed once
        (["p t", "p/c t"], "$2 = 30 '\\036'\n"),
        (["p t", "p/z t"], "$2 = 0x0000001e\n"),
        (["p t", "p/t t"], "$2 = 11110\n"),
        (["p t", "p/o t"], "$2 = 036\n"),
        (["p t", "inspect /d t"], "$2 = 30\n"),
        (["p t", "p"], "$2 = 30\n"),
        (["p t", "p/x $"], "$2 = 0x1e\n"),
        (["p t", "p/x $1"], "$2 = 0x1e\n"),
        (["p t", "p $s33", "p $$"], "$3 = 30\n"),
        (["p t", "p $s33", "p $$1"], "$3 = 30\n"),
        (["p t", "p $s33", "p $$0"], "$3 = -2\n"),
        (["p t", ""], "$2 = 30\n"),  # an empty line repeats
        (["p t", "foo", ""], 'Undefined command: "foo".  Try "help".\n'),
        (["p t", "# p t"], ""),
        (["p"], "The history is empty.\n"),
        (["p $"], "The history is empty.\n"),
        (["p $5"], "History has not yet reached $5.\n"),
        (["p t", "p $$3"], "History does not go back to $$3.\n"),
        (["p $s33"], "$1 = -2\n"),
        (["p/x $s33"], "$1 = 0xfffffffe\n"),
        (["p $EXEC"], "$1 = 65295\n"),
        (["p $pc"], "$1 = (void (*)(void)) 0x11640 <nest(int const*, int*, int)+64>\n"),
        (["p/x $pc"], "$1 = 0x11640\n"),
        (["p $_lane"], "$1 = 3\n"),
        (["p $_lane_count"], "$1 = 64\n"),
        (
            ["p $v6"],
            "$1 = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, <unavailable> <repeats 53 times>}\n"
            "note: register v6 of wave 0 is not in the state, bytes 44 to 255\n",
        ),
        (["output t"], "30" + NOTES),
        (["p $nosuch"], "$1 = void\n"),
        (["p nosuch"], 'No symbol "nosuch" in current context.\n'),
        (["p lmit"], 'No symbol "lmit" in current context. Did you mean "limit"?\n'),
        (["p t", "p t+1"], "$2 = 31\n"),
        (["p t", "p $+1", "p $1 + $2 + $"], "$3 = 92\n"),
        (["p t", "lane 2", "p $"], "$2 = 30\n"),  # an earlier value stays as it was
        (["p $v6[2]@3"], "$1 = {20, 30, 40}\n"),
        (["p $v6[$_lane] * 2.5"], "$1 = 75\n"),
        (["p/x $v6[3]@2"], "$1 = {0x1e, 0x28}\n"),
        (["p $x = t", "p $x += 1", "p $x"], "$3 = 31\n"),
        (["p $x = t", "p $x++", "p $x"], "$3 = 31\n"),
        (["set var $x = 5", "p $x"], "$1 = 5\n"),
        (["p 1", "p $1 = 2"], "Left operand of assignment is not a modifiable lvalue.\n"),
        (["p t", "p t = 7", "p t"], "$3 = 7\n"),
        (["p t", "set var t = 8", "p t + $"], "$2 = 38\n"),
        (["set var t++"], NOTES),
        (["set var"], "Argument required (expression to compute).\n"),
        (["set foo"], 'No symbol "foo" in current context.\n'),
        (["p *"], "A syntax error in expression, near `'.\n"),
        (["p t / 0"], NOTES + "Division by zero\n"),
        (["p local#0x10"], "$1 = (void *) local#0x10\n"),
        (["p (int *) 0x2000000000010"], "$1 = (int *) 0x2000000000010 = private_lane#0x10\n"),
        (["whatis t"], "type = int\n"),
        (["whatis &t"], "type = int *\n"),
        (["whatis t * 2.5"], "type = double\n"),
        (["whatis nest"], "type = void (const int *, int *, int)\n"),
        (["whatis unsigned"], "type = unsigned int\n"),
        (["p t", "whatis"], "type = int\n"),
        (["ptype int (*)[3]"], "type = int (*)[3]\n"),
        (["ptype $v6"], "type = int32_t __attribute__ ((vector_size(64)))\n"),
        (["p/y t"], 'Undefined output format "y".\n'),
        (["p/2x t"], 'Item count other than 1 is meaningless in "print" command.\n'),
        (["p -pretty -- t"], "$1 = 30\n" + NOTES),
        (
            ["p/x -pretty -- t"],
            "options go before the format: write print -pretty ... -- /x EXPRESSION\n",
        ),
        (["p -pretty -- /x t"], "$1 = 0x1e\n" + NOTES),
        (["p/x -none -- t"], '"print" has no option -none.\n'),
        (["p --t"], '`--\' ends the options of "print": write -- t, or (--t) for operators\n'),
        (["lanes --grid t"], '`--\' ends the options of "lanes": write -grid\n'),
        (["p/w t"], 'Size letters are meaningless in "print" command.\n'),
        (
            ["p t", "p a"],
            "$2 = <optimized out>\nnote: a is optimized out at this pc; described at "
            "[0x11644,0x1169c); "
            'nest.gfx942.O2.v5.co is loaded at 0x10000\ntype "explain a" to see why\n',
        ),
        (
            ["lane 20", "p t"],  # beyond what the state knows of v6
            NOTES + "Register v6 of wave 0 is not in the state, bytes 80 to 83\n",
        ),
        (
            ["p launches"],
            f"{NOTES.splitlines()[0]}\nCannot access memory at address 0x13c30: not in the state\n",
        ),
        (
            ["p t", "info locals"],
            "t = 30\na = <optimized out>\nr = <optimized out>\nsum = <optimized out>\n"
            'type "explain a" to see why\n',
        ),
        (["p t", "i lo ^t"], "t = 30\n"),
        (["info locals zz"], "No matching locals.\n"),
        (
            ["info args o"],
            "out = <optimized out>\n"
            + NOTES.partition("\n")[0]
            + '\ntype "explain out" to see why\n',
        ),
        (["info args o", "info args o"], "out = <optimized out>\n"),  # the hint is printed once
        (["info registers s33"], "s33            0xfffffffe          -2\n"),
        (
            ["i r pc"],
            "pc             0x11640             0x11640 <nest(int const*, int*, int)+64>\n",
        ),
        (["i r s1"], "s1             <unavailable>\n"),
        (["i r exec_lo"], "exec_lo        0xff0f              65295\n"),
        (["p $exec_hi"], "$1 = 0\n"),
        (
            ["i r system"],
            "status         <unavailable>\nmode           <unavailable>\n"
            "trapsts        <unavailable>\nflat_scratch   <unavailable>\n"
            "xnack_mask     <unavailable>\n",
        ),
        (["i r s33 foo"], "s33            0xfffffffe          -2\nInvalid register `foo'\n"),
        (
            ["i r"],
            "exec           0xff0f              65295\n"
            "pc             0x11640             0x11640 <nest(int const*, int*, int)+64>\n"
            "s33            0xfffffffe          -2\n"
            "v6             {0x0, 0xa, 0x14, 0x1e, 0x28, 0x32, 0x3c, 0x46, 0x50, 0x5a, 0x64, "
            "<unavailable> <repeats 53 times>}\n",
        ),
        (["frame"], f"#0  {FRAME}{SOURCE}"),
        (["f 1"], "No frame at level 1.\n"),
        (
            ["pc"],
            f"0x11640 = nest.gfx942.O2.v5.co+0x1640 <{NEST}+64> at hip/nest.hip:10\n",
        ),
        (["lane"], "[Current thread is 0, lane 3 (AMDGPU Lane ?:?:?:0/3 (?,?,?)[?,?,?])]\n"),
        (
            ["lane 5"],
            f"[Switching to thread 0, lane 5 (AMDGPU Lane ?:?:?:0/5 (?,?,?)[?,?,?])]\n"
            f"#0  {FRAME}{SOURCE}"
            "warning: lane 5 is inactive; positioned at 0x11640 (hip/nest.hip:10), no "
            "DW_AT_LLVM_lane_pc; using the wave's pc\n",
        ),
        (["p t", "lane 2", "p t"], "$2 = 20\n"),
        (["lane 64"], "Lane 64 does not exist on this thread.\n"),
        (["lane x"], "Invalid lane ID: x\n"),
        (["lane -1"], "Invalid lane ID: -1\n"),
        (
            ["info lanes 2-4"],
            f"{LANES}  2   A       {lane_id(2)}  {ROW}* 3   A       {lane_id(3)}  {ROW}"
            f"  4   I       {lane_id(4)}  (inactive)\n",
        ),
        (["i la -active 3-7"], f"{LANES}* 3   A       {lane_id(3)}  {ROW}"),
        (["i la -inactive 3-4"], f"{LANES}  4   I       {lane_id(4)}  (inactive)\n"),
        (["info lanes 64"], "No lanes match '64'.\n"),
        (["info lanes -1"], "Unrecognized option at: -1\n"),
        (["info lanes 3-1"], "inverted range\n"),
        (["p t", "location t"], f'Symbol "t" is v6 + byte 12 (wave 0), 4 bytes.\n{drawn(3)}'),
        (
            ["location a"],
            f"{NOTES.splitlines()[0]}\n"
            "a is optimized out at this pc; described at [0x11644,0x1169c); "
            "nest.gfx942.O2.v5.co is loaded at 0x10000\n",
        ),
        (["location"], "Argument required (expression to compute).\n"),
        (["location $v6[2]"], f'"$v6[2]" is v6 + byte 8 (wave 0), 4 bytes.\n{drawn(2)}'),
        (["location 1 + 1"], '"1 + 1" is a value without a location.\n'),
        (["complete info lo"], "info locals\n"),
        (["complete p/x $ex"], "p/x $exec\n"),
        (["echo a b"], "a b"),
        (["ec a\\nb\\n"], "a\nb\n"),
        (["source /no/such/file"], "/no/such/file: No such file or directory.\n"),
        (["help foo"], 'Undefined command: "foo".  Try "help".\n'),
        (["info foo"], 'Undefined info command: "foo".  Try "help info".\n'),
        (["info l"], 'Ambiguous info command "l": lanes, line, locals.\n'),
        # As in GDB: those that are not supported count, too.
        (["info w"], 'Ambiguous info command "w": warranty, watchpoints, win.\n'),
        (["info wa"], 'Ambiguous info command "wa": warranty, watchpoints.\n'),
        (["info co"], 'Ambiguous info command "co": common, connections, copying.\n'),
        (["info fr"], 'Ambiguous info command "fr": frame, frame-filter.\n'),
        (["info wi"], "The TUI is not active.\n"),
        (["info wat"], "No watchpoints.\n"),
        (["@"], 'Undefined command: "@".  Try "help".\n'),
        (["apropos"], "Argument required (words to search for).\n"),
        (["apropos .*"], ""),  # words, not a pattern: "(a+)+$" ends at once, too
        (["apropos LEAVE exit status"], "quit, q, exit -- Leave dwarfgpu.\n"),
        (["print $$" + "9" * 5000], "Numeric constant too large.\n"),
        (["print $" + "9" * 5000], "Numeric constant too large.\n"),
        (["lane \u0663"], "Invalid lane ID: \u0663\n"),
        (["source /dev/zero"], "/dev/zero: it is not a regular file.\n"),
        (["source /dev/null"], ""),
        (["apropos leave exit"], "quit, q, exit -- Leave dwarfgpu.\n"),
        (["p $sp"], "Standard register ``$sp'' is not available for this target\n"),
        (["x/4x $fp"], "Standard register ``$fp'' is not available for this target\n"),
        (["quit x"], 'No symbol "x" in current context.\n'),
    ],
)
def test_answers(shell: Shell, lines: list[str], expected: str) -> None:
    assert output_of(shell, *lines) == expected


def test_explain_shows_steps_and_verdict(shell: Shell) -> None:
    text = output_of(shell, "explain t")
    assert "DW_OP_regx VGPR6" in text
    assert "=> t = 30" in text


def test_explain_gives_the_reason_for_a_missing_value(shell: Shell) -> None:
    assert "optimized out" in output_of(shell, "explain a")


@pytest.mark.parametrize(
    ("line", "name", "argument"),
    [
        ("p t", "print", "t"),
        ("p/x t", "print", "/x t"),
        ("p$exec", "print", "$exec"),
        ("i lo", "info locals", ""),
        ("i r", "info registers", ""),
        ("info reg s4", "info registers", "s4"),
        ("inf lan -active", "info lanes", "-active"),
        ("lo t", "location", "t"),
        ("exp t", "explain", "t"),
        ("la 3", "lane", "3"),
        ("q", "quit", ""),
        ("exit 3", "quit", "3"),
        ("h p", "help", "p"),
        ("info", "info", ""),
    ],
)
def test_a_prefix_is_enough(line: str, name: str, argument: str) -> None:
    call = parse(COMMANDS, line)
    assert (call.command.name, call.argument) == (name, argument)


def test_ambiguous_names_are_listed() -> None:
    with pytest.raises(UsageError, match='Ambiguous command "ex": exit, explain.'):
        find(COMMANDS, "ex")


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name)
def test_every_command_explains_itself(shell: Shell, command: Command, repository: Path) -> None:
    text = output_of(shell, f"help {command.name}")
    assert command.summary in text
    is_setting = command.name.partition(" ")[2] in {setting.name for setting in SETTINGS}
    assert command.subcommands or is_setting or f"Usage: {command.name}" in text
    assert is_setting or len(command.summary) <= 60
    assert not [line for line in command.help.splitlines() if line.endswith(' "')]
    setting = command.name.partition(" ")[2]
    documented = (repository / "docs/commands.md").read_text()
    assert f"`{command.name}`" in documented or f"| `{setting}" in documented


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        (
            "",
            0,
            ["!", "bt", "gcore", "ni", "search", "si", "wave", "|"]
            + [item.name for item in COMMANDS if not (item.is_foreign or item.is_absent)],
        ),
        ("exp", 0, ["explain"]),
        ("ins", 0, ["inspect"]),
        ("i lo", 2, ["locals"]),
        (
            "info ",
            5,
            [
                "target",
                "handle",
                *(item.word for item in ALL if re.fullmatch(r"info \S+", item.name)),
            ],
        ),
        ("p ", 2, ["t", "a", "r", "sum", "in", "out", "limit", "launches"]),
        ("p l", 2, ["limit", "launches", "local#"]),
        ("p t+l", 4, ["limit", "launches", "local#"]),
        ("p *(in+l", 7, ["limit", "launches", "local#"]),
        ("whatis $exe", 7, ["$exec"]),
        ("set var li", 8, ["limit"]),
        ("p t.", 4, []),
        ("p nosuch->a", 10, []),
        ("p/x l", 4, ["limit", "launches", "local#"]),
        ("p/", 2, []),
        ("p $exe", 2, ["$exec"]),
        ("p $exec_", 2, ["$exec_hi", "$exec_lo"]),
        (
            "p $_",
            2,
            [
                "$_lane",
                "$_lane_count",
                "$_lane_name",
                "$_thread",
                "$_gthread",
                "$_inferior",
                "$_inferior_thread_count",
                "$_siginfo",
                "$_gdb_setting",
                "$_gdb_setting_str",
                *(f"${name}" for name in FUNCTIONS),
            ],
        ),
        ("i r s10", 4, ["s10", "s100", "s101"]),
        ("lane 6", 5, ["6", "60", "61", "62", "63"]),
        ("help exp", 5, ["explain"]),
        ("nosuch ", 7, []),
        ("frame ", 6, ["address", "apply", "function", "level"]),
    ],
)
def test_completion(shell: Shell, text: str, start: int, expected: list[str]) -> None:
    position, result = completions(shell, text)
    assert sorted(completion.text for completion in result) == sorted(expected)
    assert position == start or not expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p global_struct.in[1].", ["count", "weight", "label"]),
        ("p &global_struct.next->in[numbers[0]].w", ["weight"]),
        ("p global_struct.", ["a", "name", "in", "p", "color", "b1", "b2", "b3", "un", "fn", "mat",
                              "ok", "next", "x", "y"]),
    ],
)  # fmt: skip
def test_members_complete(text: str, expected: list[str], repository: Path) -> None:
    program = CodeObject.open(repository / "fixtures/x86_64/demo.gcc.O0.v5")
    arch = architecture("x86_64")
    target = StateTarget(arch)
    target.add_wave(0)
    start, result = completions(made(Session(arch, (program,), target)), text)
    assert [completion.text for completion in result] == expected
    assert text[start:] in ("", "w")


@pytest.mark.parametrize("command", ["source", "source -v", "core-file", "file", "save", "gcore"])
def test_files_complete(shell: Shell, tmp_path: Path, command: str) -> None:
    folder = tmp_path / "a b, (c)"
    folder.mkdir()
    (folder / "one.gdb").touch()
    start, result = completions(shell, f"{command} {folder}/o")
    assert [completion.text for completion in result] == [f"{folder}/one.gdb"]
    assert start == len(command) + 1


def test_a_script_stops_at_its_first_error(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo one\\n\n# comment\n\np nosuch\necho two\n")
    assert output_of(shell, f"source {script}") == (
        f'one\n{script}:4: Error in sourced command file:\nNo symbol "nosuch" in current context.\n'
    )


def test_a_script_cannot_run_itself_for_ever(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"source {script}\n")
    assert "scripts nested more than 20 deep" in output_of(shell, f"source {script}")


@pytest.mark.parametrize("line", ["help", "info", "quit 3", "apropos lane", "help data", "i la"])
def test_it_works(shell: Shell, line: str) -> None:
    assert shell.execute(line)


def test_no_name_drives_the_terminal(shell: Shell) -> None:
    said_of_it = output_of(shell, "info scope \x1b]0;x\x07")
    assert said_of_it == 'Function "\\033]0;x\\007" not defined.\n'


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            120,
            " nest.gfx942.O2.v5.co (gfx942)  nest  nest.hip:10  wave 0  lane 3  exec 0xff0f  "
            "pc 0x11640",
        ),
        (76, " nest  nest.hip:10  wave 0  lane 3  exec 0xff0f  pc 0x11640"),
        (55, " nest  nest.hip:10  wave 0  lane 3  exec 0xff0f"),
        (35, " nest.hip:10  lane 3  exec 0xff0f"),
        (30, " lane 3  exec 0xff0f"),
        (5, " lane"),
    ],
)
def test_the_bar_fits(shell: Shell, columns: int, expected: str) -> None:
    assert bar_text(shell, columns) == expected


def test_the_bar_of_a_program_that_has_ended_has_no_wave(shell: Shell) -> None:
    shell.session = evolve(shell.session, pc=None, lane=None)
    shell.know_threads({0: "a wave"})
    assert "wave 0" in bar_text(shell, 120)
    shell.know_threads({})
    assert "wave" not in bar_text(shell, 120)


def test_the_first_active_lane_is_in_focus(shell: Shell) -> None:
    assert focused(shell.session.focused(None)).lane == 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("info locals", "No frame selected.\n"),
        ("frame", "No stack.\n"),
        ("lane", "No lane selected.\n"),
        (
            "lane 0",
            "Lane 0 does not exist on this thread. A thread of x86_64 has no lanes.\n",
        ),
        ("info lanes", "No lanes.\n"),
        ("i r", "The program has no registers now.\n"),
        ("p $_lane_count", "$1 = 0\n"),
    ],
)
def test_without_lanes_or_a_program_location(line: str, expected: str) -> None:
    arch = architecture("x86_64")
    target = StateTarget(arch)
    target.add_wave(0)
    assert output_of(made(Session(arch, (), target)), line) == expected


def test_the_file_with_and_without_the_option() -> None:
    path = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    commands = ("--pc", "0x1690", "--batch", "-ex", "pc")
    plain = run("debug", path, *commands)
    assert plain.status == 0 and "nest" in plain.out
    assert run("debug", "--file", path, *commands) == plain
    both = run("debug", path, "--file", path, *commands)
    assert (both.status, both.err) == (2, "dwarfgpu: give one FILE, with or without --file\n")


SOURCE = (REPOSITORY / "fixtures/hip/nest.hip").read_text("utf-8").split("\n")


def listed(*commands: str, file: str = "nest.gfx942.O2.v5.src.co") -> tuple[list[str], str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", FIXTURES / "hip" / file, "--pc", 0x1690, "--batch", *words)
    errors = [line for line in done.err.splitlines() if not line.startswith("note: ")]
    return done.lines, "\n".join(errors)


def numbered(first: int, last: int) -> list[str]:
    return [f"{number}\t{SOURCE[number - 1]}" for number in range(first, last + 1)]


def test_the_source_of_a_line() -> None:
    """The frame is at line 14; the text is in the debugging information."""
    assert listed("frame")[0][1:] == numbered(14, 14)
    assert listed("list") == (numbered(9, 18), "")
    assert listed("list", "l") == (numbered(9, 28), "")
    assert listed("list 7") == (numbered(2, 11), "")
    assert listed("list 3,4", "list") == (numbered(3, 14), "")
    assert listed("list", "list", "list", "list") == (
        numbered(9, 36), "Line number 37 out of range; hip/nest.hip has 36 lines."
    )  # fmt: skip
    assert listed("list 20", "list -", "list -") == (
        numbered(15, 24) + numbered(5, 14) + numbered(1, 4), ""
    )  # fmt: skip
    assert listed("list 3,4", "list -", "list -") == (
        numbered(3, 4) + numbered(1, 2), "Already at the start of hip/nest.hip."
    )  # fmt: skip
    assert listed("list -") == (numbered(9, 18), "")


def test_the_source_of_a_function_or_file() -> None:
    start = SOURCE.index(next(line for line in SOURCE if "nest(" in line)) + 1
    around = numbered(max(start - 5, 1), max(start - 5, 1) + 9)
    assert listed("list nest") == (around, "")
    assert listed("list nest.hip:nest") == (around, "")
    assert listed("list nest.hip:20") == (numbered(15, 24), "")
    assert listed("list nest,") == (numbered(start, start + 9), "")
    assert listed(f"list nest,{start + 1}", "list") == (numbered(start, start + 11), "")
    assert listed("list 3 , 4") == (numbered(3, 4), "")
    wrong = "$v6[0] = 1"
    assert listed(f"list {wrong}")[1] == f'Function "{wrong}" not defined.'
    assert listed(f"list {wrong}", "p $v6[0]")[0] == listed("p $v6[0]")[0]  # nothing is assigned
    assert listed("list nosuch") == ([], 'Function "nosuch" not defined.')
    assert listed("list t") == ([], 'Function "t" not defined.')
    assert listed("list nest.hip:no")[1] == 'Function "no" not defined in "nest.hip".'
    assert listed("list no.c:1")[1] == "No source file named no.c."


def test_source_text_that_is_not_there() -> None:
    lines, error = listed("list", file="nest.gfx942.O2.v5.co")
    assert (lines, error) == (["9\thip/nest.hip: No such file or directory."], "")
    lines, error = listed("frame", "list", "list", "list -", file="nest.gfx942.O2.v5.co")
    assert lines[1] == "14\thip/nest.hip: No such file or directory."
    assert [line.split("\t") for line in lines[2:]] == [["9", "in hip/nest.hip"]] * 2 + [
        ["1", "in hip/nest.hip"]
    ]


def test_a_line_of_two_calls_is_shown_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where two calls of a function are inlined into one line."""
    locations = list_commands.listed_locations
    monkeypatch.setattr(list_commands, "listed_locations", lambda *given: [*locations(*given)] * 2)
    assert len(listed("info line nest.hip:14")[0]) == 1


def test_a_list_of_empty_ranges_is_shown_as_in_gdb() -> None:
    file = FIXTURES / "x86_64/meanings.gcc.O2.v4"
    done = run("debug", file, "--batch", "-ex", "info scope Far::get()")
    assert "Symbol this is multi-location:\n  Range 0x4003e0-0x4003e0: a complex" in done.out


def test_where_the_code_of_a_line_is() -> None:
    where = f"starts at address 0x168c <{NEST}+140> and ends at 0x1694 <{NEST}+148>."
    assert listed("info line")[0] == [f'Line 14 of "hip/nest.hip" {where}']
    assert listed("info line nest.hip:14")[0][0] == f'Line 14 of "hip/nest.hip" {where}'
    # As in GDB, the first place in each block.
    assert len(listed("info line 14")[0]) == len(listed("info line nest.hip:14")[0]) == 1
    assert listed("info line 999")[0] == ['Line number 999 is out of range for "hip/nest.hip".']
    beyond = f"info line {1 << 31}"
    assert listed(beyond)[0] == [f'Line number {1 << 31} is out of range for "hip/nest.hip".']
    # The first code of the function is that of another one, inlined.
    assert listed("info line nest")[0] == [
        'Line 15 of "hip/device.h" starts at address '
        f"0x1600 <{NEST}> and ends at 0x1610 <{NEST}+16>."
    ]
    assert listed("info line no")[1] == 'Function "no" not defined.'
    assert listed("info line no.c:3")[1] == "No source file named no.c."
    [line] = listed("info line 2")[0]
    assert re.fullmatch(
        r'Line 2 of "hip/nest.hip" is at address 0x[0-9a-f]+ <.*> but contains no code\.', line
    )


@pytest.mark.parametrize("option", ["-s", "-e", "-se", "-exec", "-symbols"])
def test_the_options_of_gdb_for_the_file(option: str) -> None:
    crash = FIXTURES / "core/crash.x86_64.O0"
    core = ("-c", f"{crash}.core", "-q", "--batch", "-ex", "output/x $pc")
    assert run("debug", option, crash, *core).out.endswith("0x7ffff7ffa1b4")
