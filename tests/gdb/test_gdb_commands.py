"""The commands inside GDB: what they say, their errors, and what they leave as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.gdb.debugger import Beginnings, Debugger, errors_of

STOPPED = ("break leaf", "run")


def python(debugger: Debugger, file: Path, code: str, *before: str) -> str:
    return debugger.python(code, *(before or STOPPED), file=file)


ERRORS = [
    ((), "dwarfgpu print x", 'No symbol "x" in current context.'),
    ((), "dwarfgpu frobnicate", 'Undefined dwarfgpu command: "frobnicate".'),
    (
        STOPPED,
        "dwarfgpu info locals",
        '"dwarfgpu info" has no locals: use "dwarfgpu info-locals", which lists the variables of ',
    ),
    (STOPPED, "dwarfgpu info args", 'has no args: use "dwarfgpu info-locals", which lists the '),
    (STOPPED, "dwarfgpu info frame", 'has no frame: use "dwarfgpu bt", which lists the frames.'),
    (STOPPED, "dwarfgpu info line", '"dwarfgpu info-locals" takes no argument: line. It is the'),
    (STOPPED, "dwarfgpu info-locals -all", '"dwarfgpu info-locals" has no option -all.'),
    (STOPPED, "dwarfgpu print nothing", 'No symbol "nothing" in current context.'),
    (STOPPED, "dwarfgpu print", "Argument required (expression to compute)."),
    (STOPPED, "dwarfgpu print/x ", "Argument required (expression to compute)."),
    (STOPPED, "dwarfgpu explain", "Argument required (expression to compute)."),
    (STOPPED, "dwarfgpu print sp->nope", "There is no member named nope."),
    (STOPPED, "dwarfgpu print n +", "A syntax error in expression, near `'."),
    (STOPPED, "dwarfgpu print n / 0", "Division by zero"),
    (STOPPED, "dwarfgpu print *(int *) 0", "Cannot access memory at address 0x0"),
    (STOPPED, "dwarfgpu print $77", "History has not yet reached $77."),
    (STOPPED, "dwarfgpu explain n = 3", "assignments are not possible in explain"),
    (STOPPED, "dwarfgpu print -pretty -- n", '"dwarfgpu print" has no option -pretty.'),
    (STOPPED, "dwarfgpu print -pretty n", '"dwarfgpu print" has no option -pretty.'),
    (STOPPED, "dwarfgpu print --", "Argument required (expression to compute)."),
    (STOPPED, "dwarfgpu explain --n", "write -- n, or (--n) for operators"),
    (STOPPED, "dwarfgpu print/q n", 'Undefined output format "q": use one of x d'),
    ((*STOPPED, "kill"), "dwarfgpu print n", 'No symbol "n" in current context.'),
]


@pytest.fixture(scope="module")
def errors(debugger: Debugger, demo: Path) -> dict[tuple[Beginnings, str], str]:
    return errors_of(debugger, ERRORS, demo)


@pytest.mark.parametrize(("before", "command", "message"), ERRORS)
def test_errors_are_one_line(
    errors: dict[tuple[Beginnings, str], str], before: Beginnings, command: str, message: str
) -> None:
    lines = errors[before, command].splitlines()
    assert len(lines) == 1 and message in lines[0], lines


def test_two_hyphens_end_the_options_and_change_nothing(debugger: Debugger, demo: Path) -> None:
    commands = ("-- n", "--n", "/x -- n", "-- /x n", "-- -n", "-n", "n", "(--n)")
    code = f"for each in {commands!r}: print(said('dwarfgpu print ' + each), said('output n'))"
    assert python(debugger, demo, code).splitlines() == [
        "n = 42 42",
        'error: `--\' ends the options of "dwarfgpu print": write -- n, or (--n) for operators 42',
        "n = 0x2a 42",
        "n = 0x2a 42",
        "-n = -42 42",
        "-n = -42 42",
        "n = 42 42",
        "(--n) = 41 41",
    ]


def test_no_program(debugger: Debugger) -> None:
    _, err = debugger.run("dwarfgpu print x")
    assert err.strip() == "GDB has no program: give it one with `file`"


def test_program_without_debug_information(debugger: Debugger) -> None:
    _, err = debugger.run(
        "starti", "dwarfgpu print x", "dwarfgpu explain x", file=Path("/bin/true")
    )
    assert err.strip().splitlines()[-2:] == ['No symbol "x" in current context.'] * 2


def test_global_variables_before_the_program_runs(debugger: Debugger, demo: Path) -> None:
    code = "print(contents(said('dwarfgpu print numbers')) == contents(said('print numbers')))"
    assert debugger.python(code, file=demo) == "True\n"


@pytest.mark.parametrize(
    "setting",
    ["print pretty on", "print elements 4", "print repeats 2", "print max-depth 1"],
)
def test_settings_of_gdb_apply(debugger: Debugger, demo: Path, setting: str) -> None:
    code = (
        "print([contents(said(f'dwarfgpu print{f} {v}')) == contents(said(f'print{f} {v}'))"
        " for v in ('global_struct', 'numbers') for f in ('', '/x', '/d')])"
    )
    assert python(debugger, demo, code, *STOPPED, f"set {setting}") == f"{[True] * 6}\n"


def test_completion(debugger: Debugger, demo: Path) -> None:
    out, _ = debugger.run(*STOPPED, "complete dwarfgpu print lo", "complete dwarfgpu ex", file=demo)
    assert out.splitlines()[-3:] == [
        "dwarfgpu print local",
        "dwarfgpu print lost",
        "dwarfgpu explain",
    ]


@pytest.mark.parametrize("expression", ["sp->", "sp->in[1].", "n + sp->in[1].we", "global_struct."])
def test_completion_of_members(debugger: Debugger, demo: Path, expression: str) -> None:
    """They are those that GDB offers, after formats and options too, and no names in scope."""
    commands = ("dwarfgpu print", "dwarfgpu print/x", "dwarfgpu explain -depth all", "print")
    out, _ = debugger.run(
        *STOPPED, *(f"complete {each} {expression}" for each in commands), file=demo
    )
    offered = [
        [line.removeprefix(f"{each} ") for line in out.splitlines() if line.startswith(f"{each} ")]
        for each in commands
    ]
    assert offered[-1] and offered == offered[-1:] * len(commands)


def test_completion_without_a_process(debugger: Debugger, demo: Path) -> None:
    out, _ = debugger.run("complete dwarfgpu print global_st", file=demo)
    assert out.splitlines()[-1] == "dwarfgpu print global_struct"


def test_completion_before_the_word_is_found(debugger: Debugger, demo: Path) -> None:
    """GDB asks with None for the word first, and newer GDBs print what is raised then."""
    code = """
from dwarfgpu.gdb import commands
asked = [vars(each)["complete"](None, "l", None) for each in vars(commands).values()
         if isinstance(each, type) and "complete" in vars(each)]
print(asked)
"""
    assert python(debugger, demo, code, *STOPPED) == f"{[[]] * 5}\n"


def test_help(debugger: Debugger) -> None:
    out, _ = debugger.run("help dwarfgpu", "help dwarfgpu print", "dwarfgpu")
    assert "dwarfgpu explain -- Show step by step" in out
    assert "Usage: dwarfgpu print[/FMT] [--] EXPRESSION" in out


def test_help_is_complete(debugger: Debugger) -> None:
    """The overview has every command, and the help of `print` every setting that applies."""
    overview, found, commands = debugger.run("help dwarfgpu")[0].partition("List of dwarfgpu sub")
    names = re.findall(r"^dwarfgpu (\S+) -- ", commands, re.MULTILINE)
    assert found and "save-state" in names
    assert [name for name in names if f"\ndwarfgpu {name} " not in overview] == []
    code = """
from dwarfgpu.gdb.print_options import PRINT_SETTINGS
text = gdb.execute("help dwarfgpu print", to_string=True)
print([name for name in PRINT_SETTINGS if name.removeprefix("print ") not in text])
"""
    assert debugger.python(code) == "[]\n"


def test_explain_steps_and_verdict(debugger: Debugger, demo: Path) -> None:
    out, _ = debugger.run(*STOPPED, "next", "dwarfgpu explain local", file=demo)
    lines = out[out.index("local int local") :].splitlines()
    assert lines[1].startswith("DW_AT_location: DW_OP_fbreg")
    assert lines[2].startswith("0x0000  DW_OP_fbreg") and "(A.2.5.4.4.3)" in lines[2]
    assert lines[-2].startswith("=> local = 83")
    assert lines[-1].startswith("   the object is at 0x")


def test_explain_optimized_out(debugger: Debugger, optimized: Path) -> None:
    out, _ = debugger.run(*STOPPED, "dwarfgpu explain lost", "dwarfgpu print lost", file=optimized)
    assert "=> lost is declared here but" in out and "it is optimized out" in out
    assert out.endswith("lost = <optimized out>\n")


def test_explain_value_on_entry(debugger: Debugger, optimized: Path) -> None:
    out, _ = debugger.run(*STOPPED, "up", "dwarfgpu explain n", file=optimized)
    assert "DW_OP_entry_value" in out and "=> n = 41" in out
    assert "note:" not in out


def test_explain_goes_into_what_operations_used(debugger: Debugger, demo: Path) -> None:
    commands = ("up", "dwarfgpu explain n", "dwarfgpu explain -depth all n")
    out, _ = debugger.run(*STOPPED, *commands, file=demo)
    folded, _, whole = out[out.index("parameter int n") :].partition("\nparameter int n")
    (line,) = [line for line in folded.splitlines() if "inside: " in line]
    assert "inside: the frame base of mid, 0x" in line
    assert line.endswith("; -depth 1 shows 1 step of it")
    for text in (
        "DW_AT_frame_base: DW_OP_call_frame_cfa",
        "inside: the CFA of frame 1 (mid), 0x",
        "CFA = RBP+16",
        "inside: RBP on entry to frame 0 (leaf), 0x",
        "RBP = [CFA-16]",
        "RBP of the machine is 0x",
    ):
        assert text in whole and text not in folded
    assert folded.splitlines()[-2:] == whole.splitlines()[-2:]


def test_the_depth_of_explain_is_a_number_or_all(debugger: Debugger, demo: Path) -> None:
    wrong = ("-depth", "-depth n", "-depth x n", "-depth 1x n", "-depth -1 n", "-depth=1 n")
    asked = [*wrong, "-- -n", "-n", "-depth 1"]
    code = f"for each in {asked}: print('#' + said('dwarfgpu explain ' + each).splitlines()[-1])"
    out = debugger.python(code, *STOPPED, "up", file=demo)
    lines = [line.removeprefix("#") for line in out.splitlines() if line.startswith("#")]
    assert len(lines) == len(asked)
    for line in lines[: len(wrong)]:
        assert line.startswith("error: -depth requires a number or all: "), lines
    assert lines[-3:-1] == ["=> -n = -41", "=> -n = -41"]
    assert lines[-1] == "error: Argument required (expression to compute)."


def test_explain_goes_into_values_on_entry_and_lists(debugger: Debugger, optimized: Path) -> None:
    out, _ = debugger.run(*STOPPED, "up", "dwarfgpu explain -depth all n", file=optimized)
    assert "inside: DW_AT_location is a list of " in out and "\n          => [0x" in out
    assert "inside: the value of DW_OP_reg5 RDI on entry to frame 1 (mid), 41" in out
    assert "DW_AT_call_value DW_OP_const1u 0x29, in frame 2 (main)" in out


def test_gdb_stays_where_it_was(debugger: Debugger, demo: Path) -> None:
    """A register of the newest frame is written while an outer frame is selected.

    GDB 13 writes no vector register on processors with AMX: its buffer lacks their state.
    """
    code = """
from dwarfgpu.arch.registry import architecture
from dwarfgpu.gdb import Debugger
gdb.selected_frame().older().select()
debugger = Debugger()
x86 = architecture("x86_64")
third = ("xmm3", 15 << 120 | 7)
try:
    gdb.execute("set var $xmm3.v4_int32[0] = 1")
except gdb.error:
    third = ("rbx", 5)
for name, number in (("rax", 0x0706050403020100), third, ("eflags", 0x246)):
    register = x86.register_named(name)
    data = number.to_bytes(register.size_bits // 8, "little")
    debugger.target.write_register(1, register, data[2:4], 2)
    debugger.target.write_register(1, register, data[:2] + b"", 0)
    debugger.target.write_register(1, register, data)
    print(debugger.target.read_register(1, register) == data, end=" ")
    print(debugger.target.read_register(1, register, 1, 2) == data[1:3], end=" ")
said("dwarfgpu print n"), said("dwarfgpu print nothing"), said("dwarfgpu explain copy")
print(gdb.selected_frame().level(), gdb.parse_and_eval("$rip") == gdb.selected_frame().pc())
"""
    assert python(debugger, demo, code) == "True True True True True True 1 True\n"


def test_registers_are_gdbs_in_our_size(debugger: Debugger, demo: Path) -> None:
    code = """
import json
while gdb.parse_and_eval("$st0") == 0:
    gdb.execute("stepi", to_string=True)
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import Unavailable
from dwarfgpu.gdb import Debugger
target, found = Debugger().target, {}
for register in architecture("x86_64").registers.values():
    try:
        data = target.read_register(1, register)
        fits = len(data) == (register.size_bits + 7) // 8
        found[register.name] = [fits, int.from_bytes(data, "little")]
    except Unavailable as error:
        found[register.name] = [str(error), None]
for name in ("rsp", "rip", "r15", "eflags", "cs", "fs_base", "mxcsr"):
    found[name].append(int(gdb.parse_and_eval("$" + name)) & 2**64 - 1)
dwords = [int(gdb.parse_and_eval(f"$xmm0.v4_int32[{n}]")) % 2**32 for n in range(4)]
found["xmm0"].append(sum(dword << 32 * n for n, dword in enumerate(dwords)))
found["st0"].append(int(gdb.parse_and_eval("$st0").format_string(format="x"), 16))
print(json.dumps(found))
"""
    document = json.loads(python(debugger, demo, code, "break 86", "run").splitlines()[-1])
    for name in ("rsp", "rip", "r15", "eflags", "cs", "fs_base", "mxcsr", "xmm0", "st0"):
        fits, ours, theirs = document[name]
        assert fits is True and ours == theirs, name
    assert document["st0"][1] >> 63, "the program has loaded a number"
    assert document["mm0"][0].startswith("register mm0: ")
    assert all(document[f"xmm{n}"][0] is True for n in range(16))


def test_locations_go_stale_when_the_program_runs(debugger: Debugger, demo: Path) -> None:
    code = """
from dwarfgpu.errors import StaleLocation
from dwarfgpu.gdb import Debugger
debugger = Debugger()
session = debugger.session()
reading = session.read(session.variable("local"))
access = session.context().access
first = access.read(reading.location, 32).value
access.write(reading.location, 32, 1234)
assert gdb.parse_and_eval("local") == access.read(reading.location, 32).value == 1234
gdb.execute("next", to_string=True)
try:
    access.read(reading.location, 32)
except StaleLocation as error:
    print("stale", end=" ")
session = debugger.session()
print(session.read(session.variable("local")).bits.value)
"""
    assert python(debugger, demo, code, *STOPPED, "next").split()[-2:] == ["stale", "1234"]


def test_memory_that_is_not_there(debugger: Debugger, demo: Path) -> None:
    code = """
from dwarfgpu.errors import Unavailable
from dwarfgpu.gdb import Debugger
from dwarfgpu.model.storage import Memory
debugger = Debugger()
where = Memory(debugger.session().architecture.address_space(0))
for address, size in ((0, 1), (2**64 - 4, 8), (2**70, 1), (-1, 1)):
    for verb in (lambda: debugger.target.read_memory(where, address, size),
                 lambda: debugger.target.write_memory(where, address, bytes(size))):
        try:
            verb()
        except Unavailable as error:
            print(error)
print(debugger.target.read_memory(where, 0, 0))
"""
    out = python(debugger, demo, code).splitlines()
    assert out[:2] == ["cannot access memory at address 0x0"] * 2
    assert len(out) == 9 and out[8] == "b''"


def test_core_file(debugger: Debugger, demo: Path, tmp_path: Path) -> None:
    core = tmp_path / "core"
    _, err = debugger.run(*STOPPED, "next", f"generate-core-file {core}", file=demo)
    if not core.exists():
        pytest.skip(f"gdb writes no core file here: {err.strip().splitlines()[-1]}")
    report = debugger.report(
        f"core-file {core}",
        "python comparison = Comparison('demo.c')",
        "python comparison.stop()",
        "python comparison.report()",
        file=demo,
    )
    assert report["compared"] and report["differences"] == []


def test_disassemble(debugger: Debugger, demo: Path) -> None:
    """Without capstone in GDB's Python, the message names GDB's own command."""
    commands = ("disassemble", "disassemble 0", "disassemble /x", "disassemble /s leaf,+4")
    code = f"for each in {commands!r}: print(said('dwarfgpu ' + each))"
    first, nowhere, letters, *_ = python(debugger, demo, code).splitlines()
    elsewhere = (
        "error: Unsupported: instructions of x86_64 are shown by GDB's own command: disassemble"
    )
    assert first in (elsewhere, "Dump of assembler code for function leaf:")
    if first == elsewhere:
        assert nowhere.endswith("No function contains specified address.")
        assert letters.endswith("Invalid disassembly modifier.")


def test_where_marks_the_range_of_the_pc_as_the_prompt_does(debugger: Debugger, demo: Path) -> None:
    out, err = debugger.run(*STOPPED, "dwarfgpu where local", file=demo)
    ranges = [line for line in out.splitlines() if "[0x" in line[:6]]
    assert [line[:4] for line in ranges if line.startswith("=>")] == ["=> ["], out + err
    assert {line[:4] for line in ranges} <= {"=> [", "   ["}
