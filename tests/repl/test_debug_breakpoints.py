"""Breakpoints and watchpoints of a kernel that runs: counts, commands, lanes, memories."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run, validate
from tests.repl.repl_shell import demo_shell, output_of
from tests.repl.test_debug_simulated import CODE, given, talk, talked


def stops(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("Thread ") and " hit " in line]


def test_commands_run_at_each_stop(tmp_path: Path) -> None:
    """Where they continue, the rest is dropped, and the next stop has its own."""
    lines = talk(
        tmp_path, "vadd", "break vadd", "commands", "p $_thread", "continue", "p 99", "end", "run"
    )  # fmt: skip
    assert [line for line in lines if line.startswith("$")] == ["$1 = 1", "$2 = 2"]
    assert lines[-1] == "[Inferior 1 exited normally]"


def test_commands_may_be_silent_and_have_bodies(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "commands 1", "silent", "if $_thread == 2",
        "echo second\\n", "else", "echo first\\n", "end", "end", "run", "c", "info breakpoints",
    )  # fmt: skip
    assert not stops(lines)
    assert lines.index("first") < lines.index("second")
    assert "        silent" in lines and "\tbreakpoint already hit 2 times" in lines


def test_a_silent_breakpoint_leaves_the_report_of_another(tmp_path: Path) -> None:
    """Each has "silent" for itself, and all commands run, in the order of the numbers."""
    lines = talk(
        tmp_path, "vadd", "break vadd", "commands", "silent", "echo one\\n", "end",
        "break vadd", "commands", "silent", "echo two\\n", "end",
        "break vadd", "commands", "echo three\\n", "end", "run", "delete 3", "continue",
    )  # fmt: skip
    [only] = stops(lines)
    assert only.startswith("Thread 1 hit Breakpoint 3, ")
    assert [line for line in lines if line in ("one", "two", "three")] == [
        "one", "two", "three", "one", "two",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "around",
    [
        ["define twice", "run", "echo after\\n", "end", "twice"],
        ["if 1", "run", "echo after\\n", "end"],
    ],
)
def test_commands_follow_the_command_that_led_to_the_stop(
    tmp_path: Path, around: list[str]
) -> None:
    """A user-defined command, or the body of "if", runs to its end before, as in GDB."""
    lines = talk(
        tmp_path,
        "vadd",
        "break vadd",
        "commands",
        "echo command\\n",
        "end",
        *around,
        "echo next\\n",
    )
    assert [line for line in lines if line in ("after", "command", "next")] == [
        "after", "command", "next",
    ]  # fmt: skip


def test_commands_of_a_failed_command_do_not_run(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "commands", "echo command\\n", "end",
        "define fails", "run", "nosuch", "end", "fails", "echo next\\n",
    )  # fmt: skip
    assert "command" not in lines and lines[-1] == "next"


def test_a_watchpoint_has_no_commands_for_the_end_of_its_block(tmp_path: Path) -> None:
    """GDB drops them: they are for a change of the value."""
    lines = talk(
        tmp_path, "recursion", "break fibonacci", "run", "delete", "watch n", "commands",
        "silent", "echo command\\n", "end", "continue", "info watchpoints",
    )  # fmt: skip
    assert "Watchpoint 2 deleted because the program has left the block in" in lines
    assert "command" not in lines


def test_many_stops_with_commands_that_continue(tmp_path: Path) -> None:
    """As many as there are: they are not nested in one another."""
    lines = talk(
        tmp_path, "collatz", "break integers.hip:88", "commands",
        "silent", "set $n = $n + 1", "continue", "end", "set $n = 0", "run", "p $n",
    )  # fmt: skip
    assert int(lines[-1].removeprefix("$1 = ")) > 100


def test_ignored_hits_are_hits(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "break vadd", "ignore 1 1", "run", "info breakpoints")
    assert "Will ignore next crossing of breakpoint 1." not in lines  # as GDB with -batch
    assert stops(lines)[0].startswith("Thread 2 hit Breakpoint 1, ")
    assert "\tbreakpoint already hit 2 times" in lines


def test_continue_with_a_count(tmp_path: Path) -> None:
    lines = talk(tmp_path, "recursion", "break fibonacci", "run", "continue 3", "info breakpoints")
    assert "Will ignore next 2 crossings of breakpoint 1.  Continuing." in lines
    assert "\tbreakpoint already hit 4 times" in lines


@pytest.mark.parametrize("built", ["gfx942.O0", "gfx1100.O0"])
@pytest.mark.parametrize("line", [111, 112])
def test_the_opening_line_of_a_function_is_after_its_prologue(
    line: int, built: str, tmp_path: Path
) -> None:
    """As GDB: there, arguments are what the caller passed. Line 111 is empty, before `twice`."""
    lines = talk(
        tmp_path, "through_pointer", f"break integers.hip:{line}", "break twice", "run",
        built=built,
    )  # fmt: skip
    by_line, by_name = (text.split(" at ")[1] for text in lines if text.startswith("Breakpoint "))
    assert by_line == by_name and by_line.endswith("integers.hip, line 112.")
    assert re.search(r" twice \(x=-?\d{1,2}\) at ", stops(lines)[0])


def test_a_line_without_code_is_named_by_that_of_its_code(tmp_path: Path) -> None:
    lines = talk(tmp_path, "through_pointer", "break integers.hip:122", "break integers.hip:111")
    assert [line.rpartition(", ")[2] for line in lines] == ["line 124.", "line 112."]


@pytest.mark.parametrize("command", ["enable once 1", "enable delete 1", "disable 1"])
def test_enabling(command: str, tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "break vadd", command, "run", "c", "info breakpoints")
    listed = [line for line in lines if line.startswith("1  ")]
    if command == "enable once 1":
        assert len(stops(lines)) == 1 and listed[0].split()[2:4] == ["dis", "n"]
    elif command == "enable delete 1":
        assert len(stops(lines)) == 1 and not listed
    else:
        assert not stops(lines) and listed[0].split()[3] == "n"


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("-wave 2 vadd", "Thread 2 hit Breakpoint 1, with lanes [0-63], "),
        ("vadd thread 2", "Thread 2 hit Breakpoint 1, with lanes [0-63], "),
        ("-lane 31 integers.hip:65", "Thread 1 hit Breakpoint 1, with lanes [29 31"),
    ],
)
def test_only_one_wave_or_lane(argument: str, expected: str, tmp_path: Path) -> None:
    kernel = "nest" if "lane" in argument else "vadd"
    lines = talk(tmp_path, kernel, f"break {argument}", "run", "p $_lane")
    assert stops(lines)[0].startswith(expected)
    assert lines[-1] == ("$1 = 31" if "lane" in argument else "$1 = 0")


@pytest.mark.parametrize("argument", ["-wave 7 vadd", "-lane 64 vadd", "-lane x vadd"])
def test_bad_arguments(argument: str, tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", f"break {argument}", "info breakpoints")
    assert lines[-1] == "No breakpoints or watchpoints."


def values(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith(("Old value", "New value", "Value ="))]


def test_a_watchpoint_in_lds(tmp_path: Path) -> None:
    """Every workgroup has its own; this is that of the first wave."""
    lines = talk(tmp_path, "reduce", "break reduce", "run", "watch part[3]", "delete 1", "c")
    assert stops(lines)[-1] == "Thread 1 hit Hardware watchpoint 2, with lane 3: part[3]"
    assert values(lines) == ["Old value = <unavailable>", "New value = -9"]


def test_memory_that_does_not_exist_is_watched(tmp_path: Path) -> None:
    """As GDB 13 does: nothing writes there. Of an object that goes beyond the end of its memory,
    the rest is watched."""
    lines = talk(
        tmp_path, "vadd", "tbreak vadd", "run", "watch *(int *) 0x1000",
        "rwatch *(int *) local#0xfffff0", "watch *(int *) private_lane#0x7ffff0",
        "set $o = (int *) out", "watch -l *(int (*)[40]) ($o + 112)", "c", "p $o[112]", "delete 5",
        "c",
    )  # fmt: skip
    [stop] = stops(lines)[1:]
    head, _, watched = stop.partition(": ")
    assert head == "Thread 2 hit Hardware watchpoint 5, with lanes [48-63]"
    assert watched == "-location *(int (*)[40]) ($o + 112)"
    assert "$1 = 96" in lines  # 112 - 20 + 112 * 7 % 13
    assert lines[-1] == "[Inferior 1 exited normally]"


def test_a_watchpoint_of_one_lane(tmp_path: Path) -> None:
    """Private memory: t of lane 17 alone."""
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "lane 17", "watch t", "delete 1", "c", "p $_lane",
        "c",
    )  # fmt: skip
    assert values(lines) == ["Old value = <unavailable>", "New value = 17"]
    assert "$1 = 17" in lines
    assert any(line.startswith("Watchpoint 2 deleted because the program has") for line in lines)


def test_a_watchpoint_is_of_the_lane_where_it_was_set(tmp_path: Path) -> None:
    """Its stop says which lane has the new value, and focuses on it; so does its condition."""
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "lane 17", "watch t if t == 17", "delete 1",
        "lane 5", "info watchpoints", "c", "p $_lane", "p t",
    )  # fmt: skip
    assert "\tin lane 17 of thread 1" in lines
    assert stops(lines)[-1] == "Thread 1 hit Hardware watchpoint 2, with lane 17: t"
    assert lines[-2:] == ["$1 = 17", "$2 = 17"]


def test_a_watchpoint_of_registers_names_its_wave() -> None:
    """Not one of memory that waves share."""
    watched = ("$s11", "$v2", "$exec", "$s11 + 1", "*(int *)private_wave#0x10")
    watched += ("*(int *)local#0", "*(int *)0x7e0000000000")
    arguments = "--grid 128 --workgroup 128 --arg a=range:128 --arg b=range:128 --arg out=zeros:64"
    done = run(
        "debug", FIXTURES / "run/integers.gfx942.O0.v5.co", "--dispatch", "histogram",
        *arguments.split(), "--batch", "-ex", "thread 2",
        *(word for text in watched for word in ("-ex", f"watch {text}")), "-ex", "thread 1",
        "-ex", "info watchpoints",
    )  # fmt: skip
    [title] = [number for number, line in enumerate(done.lines) if line.startswith("Num")]
    listed = done.lines[title + 1 :]
    waves = {
        row.split("  ")[-1].strip(): details == "\tin thread 2"
        for row, details in zip(listed, [*listed[1:], ""], strict=True)
        if not row.startswith("\t")
    }
    assert waves == {text: number < 5 for number, text in enumerate(watched)}


def test_a_stop_names_the_lanes_that_accessed_shared_memory(tmp_path: Path) -> None:
    """Of LDS by lanes with the same remainder, of global memory; the first is in focus."""
    commands = (
        "break 201", "run", "delete", "watch counts[3]", "c", "c", "p t", "delete",
        "watch out[2] if $_lane == 2", "awatch out[5]", "c", "p t",
    )  # fmt: skip
    arguments = "--grid 128 --workgroup 128 --arg a=range:128 --arg b=range:128 --arg out=zeros:64"
    done = run(
        "debug", FIXTURES / "run/integers.gfx942.O0.v5.co", "--dispatch", "histogram",
        *arguments.split(), "--batch", *(word for line in commands for word in ("-ex", line)),
    )  # fmt: skip
    assert stops(done.lines)[1:] == [
        "Thread 1 hit Hardware watchpoint 2, with lane 3: counts[3]",
        "Thread 1 hit Hardware watchpoint 2, with lanes [3 19 35 51]: counts[3]",
        "Thread 1 hit Hardware watchpoint 3, with lane 2: out[2]",
        "Thread 1 hit Hardware access (read/write) watchpoint 4, with lane 5: out[5]",
    ]
    assert [line for line in done.lines if line.startswith("$")] == ["$1 = 3", "$2 = 2"]


def test_an_expression_of_named_registers_is_watched(tmp_path: Path) -> None:
    """As by GDB, also where it is no register that compilers keep variables in."""
    lines = talk(
        tmp_path, "vadd", "starti", "set $start = $pc", "watch (unsigned long) $pc - "
        "(unsigned long) $start == 8", "c", "delete", "watch ($exec & 1) + 1", "info watchpoints",
    )  # fmt: skip
    at = lines.index("New value = true")
    assert lines[at - 1] == "Old value = false"
    assert lines[at + 1].startswith("0x")
    assert lines[-2].endswith("($exec & 1) + 1")
    assert lines[-1] == "\tin thread 1"


@pytest.mark.parametrize(("condition", "lane"), [("$_thread == 1", 0), ("$_lane == 9", 9)])
def test_the_condition_of_a_watched_register(tmp_path: Path, condition: str, lane: int) -> None:
    """It is evaluated in the active lanes, as a breakpoint's; the register is of all of them."""
    lines = talk(
        tmp_path, "vadd", "starti", "lane 7", f"watch $s33 if {condition}", "c", "p $_lane"
    )  # fmt: skip
    assert stops(lines)[-1] == "Thread 1 hit Watchpoint 1: $s33"
    assert lines[-1] == f"$1 = {lane}"


def test_a_watched_value_may_be_unreadable_yet(tmp_path: Path) -> None:
    """As in GDB. p of lane 0 becomes &here[0], which is 1 + 10 then."""
    lines = talk(
        tmp_path, "generic_pointer", "break generic_pointer", "run", "delete", "watch *p",
        "rwatch *p", "watch -l *p", "c",
    )  # fmt: skip
    assert "Watchpoint 2: *p" in lines and not any("watchpoint 3" in line for line in lines)
    assert values(lines) == ["Old value = <unavailable>", "New value = 11"]


def test_a_new_run_deletes_watchpoints_of_local_variables(tmp_path: Path) -> None:
    """As GDB. Others begin with the values of the new run."""
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "watch t", "set $o = (int *) out", "watch $o[0]",
        "c", "c", "run", "info watchpoints", "c",
    )  # fmt: skip
    assert [line.split()[-1] for line in lines if line.startswith(("2  ", "3  "))] == ["$o[0]"]
    assert values(lines)[2:] == ["Old value = 0", "New value = -20"] * 2


def test_the_end_of_a_watchpoint_names_the_wave_in_focus(tmp_path: Path) -> None:
    """The first wave has ended: the second one is where the program is."""
    lines = talk(tmp_path, "vadd", "tbreak vadd", "run", "next", "next", "watch t", "c")
    at = lines.index("Watchpoint 2 deleted because the program has left the block in")
    assert lines[at - 1].startswith("[Switching to thread 2, lane 0 (")


def test_a_watchpoint_in_a_register(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "starti", "watch $s33", "info watchpoints", "c")
    assert any(line.startswith("2       watchpoint     keep") for line in lines) is False
    assert any(line.startswith("1       watchpoint     keep") for line in lines)
    assert stops(lines) == ["Thread 1 hit Watchpoint 1: $s33"]


def test_reads_and_accesses(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "rwatch ((int *) b)[2]", "awatch ((int *) out)[2]",
        "delete 1", "c", "c",
    )  # fmt: skip
    assert [line.partition(": ")[0] for line in stops(lines)[1:]] == [
        "Thread 1 hit Hardware read watchpoint 2, with lane 2",
        "Thread 1 hit Hardware access (read/write) watchpoint 3, with lane 2",
    ]
    assert values(lines) == ["Value = 1", "Old value = 0", "New value = -17"]


def test_a_condition_of_a_watchpoint(tmp_path: Path) -> None:
    """It changes once, from 0."""
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "set $o = (int *) out", "delete",
        "watch -l $o[5] if $o[5] != 0", "c", "p $o[5]", "c",
    )  # fmt: skip
    assert "$1 = -6" in lines
    assert lines[-1] == "[Inferior 1 exited normally]"


def test_stops_as_json(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "recursion", "set output json", "tbreak fibonacci if n == 1", "run", "finish",
        "watch -l out", "c",
    )  # fmt: skip
    answers = {answer["command"]: answer for answer in map(json.loads, lines) if answer}
    assert answers["tbreak fibonacci if n == 1"]["bkpt"]["cond"] == "n == 1"
    finished = answers["finish"]
    assert finished["reason"] == "function-finished"
    assert (finished["gdb-result-var"], finished["return-value"]) == ("$1", "1")
    assert answers["watch -l out"]["wpt"] == {"number": 2, "exp": "-location out"}


def test_next_passes_over_inlined_functions(tmp_path: Path) -> None:
    """The line of the barrier is inlined code of another file."""
    lines = talk(tmp_path, "reduce", "tbreak reduce", "run", "next", "next", "next", "step")
    shown = [line for line in lines if line[:1].isdigit()]
    assert all("device.h" not in line for line in shown[:3])


def test_scheduler_locking(tmp_path: Path) -> None:
    """The wave alone reaches the barrier of its workgroup, and waits there: gfx1100 has two."""
    lines = talk(
        tmp_path, "reduce", "tbreak reduce", "run", "set scheduler-locking on", "c",
        "set scheduler-locking off", "c", built="gfx1100.O0",
    )  # fmt: skip
    assert any(
        line.startswith("Thread 1 stopped, waits at a barrier for waves that scheduler-locking")
        for line in lines
    )
    assert lines[-1] == "[Inferior 1 exited normally]"


def changes(lines: list[str]) -> list[str]:
    return [line.partition(" = ")[2] for line in lines if line.startswith("New value")]


STARTED = "break pointer_chase", "run", "next 3", "delete 1"


def test_a_watched_expression_follows_its_index(tmp_path: Path) -> None:
    """b is n * 7 % 13, and i counts up from 1."""
    lines = talk(tmp_path, "pointer_chase", *STARTED, "watch b[i]", *["c"] * 5)
    assert changes(lines) == [str(n * 7 % 13) for n in range(2, 7)]
    lines = talk(tmp_path, "pointer_chase", *STARTED, "watch -l b[i]", *["c"] * 3)
    assert changes(lines) == []
    assert not any("deleted because" in line for line in lines)


def test_a_computed_value_is_watched(tmp_path: Path) -> None:
    """at, from 108 on, is 20 less in each iteration, modulo 128."""
    lines = talk(tmp_path, "pointer_chase", *STARTED, "watch at * 2 + i", "c", "c", "c")
    assert "Watchpoint 2: at * 2 + i" in lines
    assert changes(lines)[1:] == [str(int(changes(lines)[0]) + 1), str(int(changes(lines)[0]) - 39)]
    lines = talk(tmp_path, "pointer_chase", *STARTED, "watch -l at + 1", "rwatch at + 1")
    assert not any("atchpoint 2" in line for line in lines)


def optimized(folder: Path, kernel: str, *lines: str) -> list[str]:
    """What a batch of commands prints of a kernel at -O2."""
    return run(
        "debug", CODE / "integers.gfx942.O2.v5.co", "--dispatch", kernel, "--grid", 64,
        "--workgroup", 64, "--arg", "0=" + given(folder, "a", [*range(-20, 108)]),
        "--arg", "1=zeros:512", "--arg", "2=zeros:256", "--batch",
        *[word for line in lines for word in ("-ex", line)],
    ).lines  # fmt: skip


def test_a_variable_that_moves_is_watched(tmp_path: Path) -> None:
    """At -O2 each value of at is in a register for an instruction or two."""
    lines = optimized(
        tmp_path, "pointer_chase", "tbreak *0x7f000000c61c", "run", "watch at", *["c"] * 11
    )
    assert changes(lines) == ["108", "88", "68", "48", "28", "8", "116", "96", "76", "56"]
    assert lines[-1] == "[Inferior 1 exited normally]"


def values_at(lines: list[str], name: str) -> list[str]:
    return [line.partition(" = ")[2] for line in lines if line.startswith(name)]


def test_a_variable_that_is_optimized_out_here_is_watched(tmp_path: Path) -> None:
    """at is described from 0x7f000000c64c on."""
    lines = optimized(
        tmp_path, "pointer_chase", "tbreak *0x7f000000c628", "run", "p at", "watch at",
        "watch at + 1", "info watchpoints", "c", "c", "delete 3", "c", "c",
    )  # fmt: skip
    assert "Watchpoint 2: at" in lines and "Watchpoint 3: at + 1" in lines
    assert values_at(lines, "Old value")[0] == "<optimized out>"
    assert changes(lines) == ["108", "109", "88", "89", "68", "48"]


def test_a_variable_that_is_constant_here_is_watched(tmp_path: Path) -> None:
    """steps is 0 by its location list, and then in v3."""
    lines = optimized(
        tmp_path, "collatz", "tbreak *0x7f0000007820", "run", "p steps", "watch steps", "c", "c",
    )  # fmt: skip
    assert "$1 = 0" in lines and "Watchpoint 2: steps" in lines
    assert values_at(lines, "Old value")[0] == "0"
    assert changes(lines)[0] != "0"


def test_a_variable_without_a_value_anywhere_is_not_watched(tmp_path: Path) -> None:
    lines = optimized(
        tmp_path, "pointer_chase", "tbreak *0x7f000000c628", "run", "watch a", "watch 3",
        "info watchpoints",
    )  # fmt: skip
    assert lines[-1] == "No watchpoints."


def test_the_scope_of_a_watch_is_one_call_of_a_recursive_function(tmp_path: Path) -> None:
    """It does not end with a deeper call, also if the program stops there."""
    lines = talk(
        tmp_path, "recursion", "tbreak fibonacci", "run", "watch n", "tbreak fibonacci", "c", "c",
        "bt",
    )  # fmt: skip
    at = next(i for i, line in enumerate(lines) if line.startswith("Watchpoint 2 deleted because"))
    assert "in recursion (" in lines[at + 2], lines[at:]


def test_breakpoints_by_a_regular_expression_and_of_hardware(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "through_pointer", r"rbreak \(squared\|twice\)", "hbreak less_one",
        "thbreak through_pointer", "info breakpoints", "run", "rbreak nothing_like_this",
    )  # fmt: skip
    assert [line.partition(" at ")[0] for line in lines[:6] if " at " in line] == [
        "Breakpoint 1", "Breakpoint 2", "Hardware assisted breakpoint 3",
        "Hardware assisted breakpoint 4",
    ]  # fmt: skip
    assert lines[1] == "int squared(int);" and lines[3] == "int twice(int);"
    types = [line.split()[1:4] for line in lines if line[:1].isdecimal() and " 0x" in line]
    assert types == [*[["breakpoint", "keep", "y"]] * 2, ["hw", "breakpoint", "keep"],
                     ["hw", "breakpoint", "del"]]  # fmt: skip
    assert any("hit Temporary breakpoint 4, with lanes" in line for line in lines)


def test_kill_and_signal(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "kill", "tbreak vadd", "run", "signal 0", "tbreak vadd", "run", "kill",
        "info threads", "tbreak vadd", "run",
    )  # fmt: skip
    at = lines.index("Continuing with no signal.")
    assert lines[at + 1] == "[Inferior 1 exited normally]"
    at = lines.index("[Inferior 1 killed]")
    assert lines[at + 1] == "No threads."
    assert lines[at + 2].startswith("Temporary breakpoint 3")
    assert "hit Temporary breakpoint 3" in lines[at + 3]
    assert sum(line == "[Inferior 1 killed]" for line in lines) == 1  # it did not run at first


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("signal SIGINT", "waves of a GPU receive none."),
        ("return", '"finish" runs up to the return.'),
        ("attach 3", "dwarfgpu cannot debug a running process."),
        ("detach", 'there is no process; "kill" ends the program.'),
    ],
)
def test_what_is_refused_has_a_reason(line: str, reason: str) -> None:
    done = run(
        "debug", CODE / "deadlock.gfx1200.O0.v5.co", "--dispatch", "deadlock", "--grid", 32,
        "--workgroup", 32, "--arg", "out=zeros:384", "--batch", "-ex", "starti", "-ex", line,
    )  # fmt: skip
    assert done.status == 1
    assert done.err.splitlines()[-1].endswith(reason)
    assert f'"{line.removesuffix(" 3")}" is not supported: ' in done.err


def test_a_disabled_location_is_not_inserted_and_is_saved_so(tmp_path: Path) -> None:
    shell, file = demo_shell(), tmp_path / "saved"
    output_of(shell, "break mid", "break leaf")
    one, two = (shell.breakpoints[number] for number in (1, 2))
    one.locations += two.locations
    output_of(shell, "disable 1.1")
    assert one.inserted == two.addresses and one.is_enabled
    output_of(shell, f"save breakpoints {file}")
    assert file.read_text("utf-8").splitlines() == ["break mid", "disable $bpnum.1", "break leaf"]
    output_of(shell, "disable 1")
    assert one.inserted == ()
    output_of(shell, "disable 2.1-2")
    assert two.inserted == () and two.is_enabled
    output_of(shell, f"save breakpoints {file}")  # `disable $bpnum.1` would be the same
    assert file.read_text("utf-8").splitlines()[-2:] == ["break leaf", "disable $bpnum"]
    output_of(shell, "enable 1.1-2")  # the breakpoint is disabled nevertheless
    assert one.inserted == () and not one.disabled_locations


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("t == 21", "with lane 21, "),
        ("t % 32 == 3 || t == 4", "with lanes [3-4 35], "),
        ("t == 21 || *(int *) 0", "with lanes [0-63], "),  # an error counts as true
        ("($n = t) == 21", "with lane 21, "),  # side effects: not in the lanes that follow
        ("$_thread == 1 && t % 32 == 3", "with lanes [3 35], "),
        ('$_streq("a=b", "a=b") && t == 4', "with lane 4, "),
        ('$_streq("a=b", "a=b")', "with lanes [0-63], "),  # nothing is assigned
    ],
)
def test_a_stop_names_the_lanes_of_its_condition(
    tmp_path: Path, condition: str, shown: str
) -> None:
    lines = talk(tmp_path, "vadd", f"break integers.hip:17 if {condition}", "run", "p $n")
    (stop,) = stops(lines)[:1]
    assert f"hit Breakpoint 1, {shown}vadd" in stop
    if "$n" in condition:
        assert lines[-1] == "$1 = 21"


def test_the_lanes_of_a_condition_are_forgotten(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break integers.hip:17 if t == 21", "run", "condition 1", "c"
    )  # fmt: skip
    assert ["with lane 21, " in stop for stop in stops(lines)] == [True, False]


def test_the_hook_of_stops(tmp_path: Path) -> None:
    """It runs before a stop is reported, and after the end of the program, as in GDB."""
    lines = talk(
        tmp_path, "vadd", "define hook-stop", "echo hook\\n", "end", "break vadd", "run",
        "stepi", "delete", "continue",
    )  # fmt: skip
    hooks = [number for number, line in enumerate(lines) if line == "hook"]
    assert len(hooks) == 3
    assert lines[hooks[0] + 1].startswith("Thread 1 hit Breakpoint 1, ")
    assert lines[hooks[2] - 1] == "[Inferior 1 exited normally]"


def test_a_hook_of_stops_that_continues(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "define hook-stop", "if $count == 0", "set $count = 1", "continue", "end",
        "end", "set $count = 0", "break vadd", "run",
    )  # fmt: skip
    assert [line[:12] for line in stops(lines)] == ["Thread 2 hit"]


def test_a_hook_of_stops_that_fails(tmp_path: Path) -> None:
    """The stop is reported nevertheless."""
    done = talked(tmp_path, "vadd", "define hook-stop", "nosuch", "end", "break vadd", "run")
    error = 'Error while running hook_stop: Undefined command: "nosuch".  Try "help".'
    assert error in done.err.splitlines()
    assert len(stops(done.lines)) == 1


def test_a_new_run_counts_hits_again(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "break vadd", "run", "continue", "run", "info breakpoints")
    assert lines[-1] == "\tbreakpoint already hit 1 time"


def test_bodies_in_commands_are_indented(tmp_path: Path) -> None:
    """As `info breakpoints` and `save breakpoints` of GDB do."""
    saved = tmp_path / "saved"
    lines = talk(
        tmp_path, "vadd", "break vadd", "commands", "silent", "if 1", "while 0", "echo a", "end",
        "else", "echo b", "end", "end", "info breakpoints", f"save breakpoints {saved}",
    )  # fmt: skip
    body = ["silent", "if 1", "  while 0", "    echo a", "  end", "else", "  echo b", "end"]
    assert [line for line in lines if line.startswith(" " * 8)] == [
        f"        {line}" for line in body
    ]
    assert [line for line in saved.read_text().splitlines() if line.startswith("    ")] == [
        f"    {line}" for line in body
    ]


def test_a_display_outside_of_its_block_is_marked(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "recursion", "break fibonacci", "run", "display n", "info display", "delete",
        "finish", "up", "info display",
    )  # fmt: skip
    assert [line for line in lines if line.startswith("1:   y  n")] == [
        "1:   y  n", "1:   y  n (cannot be evaluated in the current context)",
    ]  # fmt: skip


def test_a_breakpoint_where_a_watchpoint_stops_is_hit_too(tmp_path: Path) -> None:
    """As in GDB, it is reported after the object that changed; `continue` then steps over it."""
    begin = ("break reduce", "run", "watch part[3]", "delete 1")
    place = talk(tmp_path, "reduce", *begin, "continue", "output/x (long)$pc")[-1]
    lines = talk(
        tmp_path, "reduce", *begin, f"break *{place}", "commands", "echo command\\n", "end",
        "continue", "p $_hit_bpnum", "info breakpoints", "delete 3", f"tbreak *{place} if 0",
        "continue",
    )  # fmt: skip
    changed = lines.index("Thread 1 hit Hardware watchpoint 2, with lane 3: part[3]")
    assert lines[changed + 3].startswith("Thread 1 hit Breakpoint 3, with lanes [0-63], barrier ()")
    assert "command" in lines and "$1 = 2" in lines
    assert lines.count("\tbreakpoint already hit 1 time") == 2


def test_the_location_of_a_breakpoint_is_named(tmp_path: Path) -> None:
    """If it has several; its number is $_hit_locno, and that of the breakpoint $_hit_bpnum."""
    lines = talk(
        tmp_path, "reduce", "break barrier", "p $_hit_bpnum", "run", "p $_hit_bpnum",
        "p $_hit_locno", "continue", "p $_hit_locno", "delete", "break vadd", "p $_hit_locno",
        items=64,
    )  # fmt: skip
    assert "locations)" in lines[0]
    assert stops(lines)[0].startswith("Thread 1 hit Breakpoint 1.")
    first, second = (line.split(",")[0].rpartition(".")[2] for line in stops(lines))
    values = [line for line in lines if line.startswith("$")]
    assert values == ["$1 = void", "$2 = 1", f"$3 = {first}", f"$4 = {second}", f"$5 = {second}"]


def test_the_row_of_the_wave_in_focus_is_of_its_lane(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "recursion", "break fibonacci", "run", "lane 26", "info threads", "lane 3",
        "info threads", "frame",
    )  # fmt: skip
    rows = [line for line in lines if line.startswith("* 1 ")]
    arguments = [row.partition("fibonacci ")[2].partition(")")[0] for row in rows]
    assert arguments[0] != arguments[1]
    assert f"fibonacci {arguments[1]})" in lines[-2]


def test_a_condition_with_an_error_stops_in_that_lane(tmp_path: Path) -> None:
    """The lanes of the stop are those in which it is true, or cannot be tested."""
    lines = talk(tmp_path, "vadd", "break vadd if 100 / ($_lane - 3) == 100", "run", "p $_lane")
    assert stops(lines)[0].startswith("Thread 1 hit Breakpoint 1, with lanes [3-4], vadd")
    assert lines[-1] == "$1 = 3"


def test_finish_to_a_breakpoint_shows_the_value(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "recursion", "break fibonacci", "run", "delete", "up", "break *$pc", "down",
        "finish", "p $",
    )  # fmt: skip
    assert stops(lines)[-1].startswith("Thread 1 hit Breakpoint 2, ")
    value = next(line for line in lines if line.startswith("Value returned is $1 = "))
    assert lines[-1] == "$2 = " + value.partition(" = ")[2]


def test_jump_to_a_breakpoint_hits_it(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "tbreak *$pc", "jump *$pc", "info breakpoints",
    )  # fmt: skip
    assert stops(lines)[-1].startswith("Thread 1 hit Breakpoint 1, ")
    assert lines[-1] == "\tbreakpoint already hit 2 times"


def test_the_json_of_a_jump_follows_the_schema(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "break vadd", "run", "set output json", "jump *$pc")
    answer = json.loads(lines[-1])
    validate(answer)
    assert answer["reason"] == "breakpoint-hit" and int(answer["address"], 0)


def test_a_jump_out_of_the_function_is_asked_for(tmp_path: Path) -> None:
    """In the words of GDB 13."""
    commands = ("break vadd", "run", "tbreak 16", "jump 16", "tbreak 61", "jump 61", "bt")
    lines = talk(tmp_path, "vadd", *commands)
    [asked] = [line for line in lines if "Jump" in line]
    assert asked == (
        "Line 61 is not in `vadd(int const*, int const*, int*)'.  Jump anyway? (y or n) "
        "[answered Y; input not from terminal]"
    )
    assert lines[lines.index(asked) + 1].startswith("Continuing at 0x")
    assert lines[-1].startswith("#0  nest (")


def test_inlined_code_is_in_the_function_around_it() -> None:
    """A jump into it leaves no function; one out of it does."""
    begin, end = "*0x7f0000006900", "*0x7f0000006918"
    before_call = ("tbreak vadd", "run", f"tbreak {end}", "jump 16")
    commands = (*before_call, f"tbreak {begin}", f"jump {begin}", f"tbreak {end}", f"jump {end}")
    done = run(
        "debug", CODE / "integers.gfx942.O2.v5.co", "--dispatch", "vadd", "--grid", 64,
        "--workgroup", 64, "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256",
        "--batch", *(f"-ex={command}" for command in commands),
    )  # fmt: skip
    [asked] = [line for line in done.lines if "Jump" in line]
    assert asked.startswith("Line 16 is not in `block_x()'.  Jump anyway? (y or n) ")
    assert done.lines.index(asked) > done.lines.index(f"Continuing at {begin[1:]}.")


def test_a_jump_that_cannot_continue_moves_nothing() -> None:
    """The pc was set and the focus was not: the list of threads and the frames contradicted."""
    looks = ("print/x $pc", "backtrace", "info threads", "undo")
    commands = (*looks, "jump 12", *looks)
    done = run("debug", "-q", "--batch", "--demo", *(f"-ex={command}" for command in commands))
    middle = done.lines.index("Continuing at 0x7f000000165c.")
    before, after = done.lines[:middle], done.lines[middle + 1 :]
    assert [line.replace("$2", "$1") for line in after] == before
    assert "hip/nest.hip:14" in before[-1]
    assert "cannot continue: its mode is not known" in done.err
    assert done.err.count("Nothing was assigned.") == 2


def test_a_breakpoint_where_a_block_ends_is_hit_too(tmp_path: Path) -> None:
    begin = ("break fibonacci", "run", "delete", "watch n", "up", "break *$pc", "down")
    lines = talk(tmp_path, "recursion", *begin, "continue", "info breakpoints")
    left = lines.index("Watchpoint 2 deleted because the program has left the block in")
    assert lines[left + 2].startswith("Thread 1 hit Breakpoint 3, ")
    assert lines[-1] == "\tbreakpoint already hit 1 time"


def test_registers_that_the_caller_lost_cost_the_others_nothing(tmp_path: Path) -> None:
    """Without call frame information only some registers of a caller are known."""
    done = talked(tmp_path, "recursion", "break fibonacci", "run", "up", "info registers")
    names = [line.split()[0] for line in done.lines if line]
    assert "exec" in names and "pc" in names and "s32" in names and "s0" not in names
    assert "note: s0 and " in done.err and "has no call frame information" in done.err
    one = talked(tmp_path, "recursion", "break fibonacci", "run", "up", "info registers s0")
    assert "s0 of the caller of fibonacci: " in one.err


def test_a_watchpoint_of_one_thread(tmp_path: Path) -> None:
    begin = ("break vadd", "run", "set $o = (int *) out")
    lines = talk(
        tmp_path, "vadd", *begin, "watch -l $o[112] thread 1", "watch -l $o[112] thread 2 if 1",
        "info watchpoints", "delete 1", "continue", "continue",
    )  # fmt: skip
    assert "\tstop only in thread 2" in lines
    assert stops(lines)[-1] == "Thread 2 hit Hardware watchpoint 3, with lane 48: -location $o[112]"
    done = talked(tmp_path, "vadd", *begin, "watch out thread 9", "watch out mask 0xff")
    assert "Unknown thread 9." in done.err
    done = talked(tmp_path, "vadd", *begin, "watch out mask 0xff")
    assert "This target does not support masked watchpoints." in done.err


@pytest.mark.parametrize("kind", ["state", "core"])
def test_waves_are_back_where_their_machine_is_opened_again(tmp_path: Path, kind: str) -> None:
    saved = tmp_path / "saved.json"
    save = f"save {saved}" if kind == "state" else f"gcore {saved}"
    talk(tmp_path, "vadd", "break vadd", "run", save)
    commands = ("continue", "info threads", f"file {CODE / 'integers.gfx942.O0.v5.co'}",
                "info threads", "thread 1", "p $_thread")  # fmt: skip
    given = [word for line in commands for word in ("-ex", line)]
    machine = ("--state", saved) if kind == "state" else ("--core", saved)
    done = run("debug", *machine, "--batch", *given)
    lines = done.lines
    assert "No threads." in lines
    assert any(line.startswith("* 1 ") for line in lines)
    assert lines[-1] == "$1 = 1"


@pytest.mark.parametrize("built", ["gfx942.O0", "gfx1100.O0"])
def test_a_generic_pointer_gets_the_generic_address_of_a_private_object(
    tmp_path: Path, built: str
) -> None:
    """What is assigned is what the program itself would store, for the aperture of scratch."""
    lines = talk(
        tmp_path, "generic_pointer", "break generic_pointer", "run", "p &t", "set var a = &t",
        "p a", "p a == &t", "set var a = out", "p a == out", "set var a = 0", "p a",
        built=built,
    )  # fmt: skip
    values = [line.partition(" = ")[2] for line in lines if line.startswith("$")]
    address = values[0].partition("private_lane#")[2].split()[0]
    assert values[1].endswith(f" = private_lane#{address}") and "0x2" in values[1]
    assert values[2:4] == ["true", "true"]
    assert values[4].endswith(" 0x0")


def test_the_thread_of_a_watchpoint_is_saved(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    talk(
        tmp_path, "vadd", "break vadd", "run", "watch -l *out thread 2", f"save breakpoints {saved}"
    )
    assert "watch -location *out thread 2" in saved.read_text().splitlines()


def test_memory_of_private_variables_is_compared(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "generic_pointer", "break integers.hip:322", "run", "p $_memeq(here, here, 16)",
        "p $_memeq(here, &here[1], 4)", "p $_memeq(&there[0], &there[0], 4)",
    )  # fmt: skip
    assert [line for line in lines if line.startswith("$")] == [
        "$1 = true",
        "$2 = false",
        "$3 = true",
    ]


def test_a_display_of_registers_is_made_before_there_are_any() -> None:
    """The `display/i $pc` of a .gdbinit is shown at the first stop."""
    program = CODE.parent / "x86_64/demo.gcc.O0.v5"
    done = run("debug", program, "--batch", "-ex", "display/i $pc", "-ex", "info display")
    assert done.lines == [
        "1: x/i $pc", "<error: No registers.>", "Auto-display expressions now in effect:",
        "Num Enb Expression", "1:   y  /1bi $pc",
    ]  # fmt: skip
    done = run("debug", program, "--batch", "-ex", "display/i nosuch", "-ex", "info display")
    assert done.lines == ["There are no auto-display expressions now."]


def test_conditions_may_use_variables_that_are_set_later(tmp_path: Path) -> None:
    """GDB parses them, and evaluates them at the stop."""
    lines = talk(
        tmp_path, "vadd", "break vadd if $later == 2", "condition 1 $later++ == 1",
        "set $later = 0", "run", "p $later", "p $_thread",
    )  # fmt: skip
    assert len(stops(lines)) == 1
    done = talked(tmp_path, "vadd", "break vadd if $later == nosuch")
    assert 'No symbol "nosuch" in current context.' in done.err
