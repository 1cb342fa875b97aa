"""A kernel that runs at the prompt: breakpoints, steps, and what is written to a stopped wave."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import language
from dwarfgpu.language import Options
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.topology import Machine
from dwarfgpu.repl.running import stepping
from dwarfgpu.session.followed_calls import FollowedCalls
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, Done, run, run_json

CODE = FIXTURES / "run"


def given(folder: Path, name: str, values: list[int]) -> str:
    path = folder / name
    path.write_bytes(struct.pack(f"<{len(values)}i", *values))
    return f"@{path}"


def talk(
    folder: Path,
    kernel: str,
    *lines: str,
    built: str = "gfx942.O0",
    items: int = 128,
    **inputs: list[int],
) -> list[str]:
    """The lines that a batch of commands prints, without notes."""
    done = talked(folder, kernel, *lines, built=built, items=items, **inputs)
    return [line for line in done.lines if line and not line.startswith("note: ")]


def talked(
    folder: Path,
    kernel: str,
    *lines: str,
    built: str = "gfx942.O0",
    items: int = 128,
    **inputs: list[int],
) -> Done:
    """What a batch of commands leaves; `in` counts from -20, `b` is 0 to 12 again and again."""
    a = given(folder, "a", inputs.get("a", list(range(-20, 108))))
    b = given(folder, "b", inputs.get("b", [n * 7 % 13 for n in range(128)]))
    commands = [word for line in lines for word in ("-ex", line)]
    return run(
        "debug", CODE / f"integers.{built}.v5.co", "--dispatch", kernel, "--heuristic",
        "--grid", items, "--workgroup", min(items, 64), "--scratch", 4096, "--batch", *commands,
        "--arg", f"0={a}", "--arg", f"1={b}", "--arg", "2=zeros:512",
    )  # fmt: skip


@pytest.mark.parametrize("built", ["gfx90a.O0", "gfx942.O0", "gfx1100.O0", "gfx1200.O0"])
def test_a_breakpoint_in_a_divergent_branch(built: str, tmp_path: Path) -> None:
    """Line 65 is for odd x that are greater than y: lane 29 is the first, of those with b = 8."""
    lines = talk(tmp_path, "nest", "break integers.hip:65", "run", "p x", "p y", built=built)
    stop = next(line for line in lines if "Breakpoint 1, " in line)
    assert re.search(r"with lanes? \[?29 31", stop)
    assert stop.endswith("integers.hip:65")
    assert lines[-2:] == ["$1 = 9", "$2 = 8"]


def test_locals_of_active_and_inactive_lanes_in_a_called_function(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "through_pointer", "break squared", "run", "bt", "p x", "lane 17", "p x",
        "lane apply 1 4 -q p x",
    )  # fmt: skip
    [stop] = [line for line in lines if "hit Breakpoint 1" in line]
    assert "squared (x=7)" in stop
    assert any(line.startswith("#1") and "through_pointer" in line for line in lines)
    assert "$1 = 7" in lines
    # Lane 17 is not there: nothing has written its x.
    assert "#0  squared (x=<unavailable>) at run/integers.hip:113" in lines


@pytest.mark.parametrize(
    ("kernel", "place", "object_text", "expected"),
    [
        (
            "through_pointer",
            "squared",
            "x",
            r"private_lane#0x\w+: of lane 17 it is 0x\w+: nothing has written it",
        ),
        (
            "vadd",
            "vadd",
            "((int *) out)[128]",
            r"0x\w+: 0 bytes after the end of buffer out, .*512 bytes",
        ),
        ("vadd", "vadd", "((int *) a)[-1]", r"0x\w+: 4 bytes before buffer a"),
    ],
)
def test_an_expression_says_why_its_operand_cannot_be_read(
    kernel: str, place: str, object_text: str, expected: str
) -> None:
    prints = [f"p {object_text}", f"p {object_text} + 1", f"p -{object_text}"]
    commands = [f"break {place}", "run", "lane 17", *prints]
    done = run(
        "debug", CODE / "integers.gfx942.O0.v5.co", "--dispatch", kernel, "--heuristic",
        "--grid", 128, "--workgroup", 64, "--scratch", 4096, "--batch",
        *(word for command in commands for word in ("-ex", command)),
        "--arg", "0=range:128", "--arg", "1=range:128", "--arg", "2=zeros:512",
    )  # fmt: skip
    errors = [line for line in done.err.splitlines() if line.startswith("Cannot access memory")]
    assert len(errors) == 3 and len(set(errors)) == 1
    assert re.fullmatch(f"Cannot access memory at address {expected}", errors[0])


def test_step_of_a_lane_goes_where_that_lane_goes(tmp_path: Path) -> None:
    """f(b[17]) of lane 17 is less_one: what other lanes call is passed over."""
    lines = talk(
        tmp_path, "through_pointer", "break integers.hip:120", "run", "lane 17", "step",
        "p $_lane", "p x", "finish", "p $_lane", "step", "bt",
    )  # fmt: skip
    assert any(line.startswith("less_one (x=2)") for line in lines)
    assert [line for line in lines if line.startswith("$")] == ["$1 = 17", "$2 = 2", "$4 = 17"]
    assert "Value returned is $3 = 1" in lines
    assert lines[-1].startswith("#0  through_pointer (") and lines[-1].endswith("integers.hip:121")


def test_the_exit_code_of_a_program_that_has_ended(tmp_path: Path) -> None:
    """As in GDB: void while it runs, then the code with which it ended."""
    lines = talk(
        tmp_path, "recursion", "tbreak integers.hip:129", "run", "p $_exitcode", "c",
        "p $_exitcode", "whatis $_exitcode", "p $_isvoid($_exitcode)",
    )  # fmt: skip
    assert "$1 = void" in lines
    assert lines[-4:] == ["[Inferior 1 exited normally]", "$2 = 0", "type = int", "$3 = 0"]


def test_next_passes_over_calls(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "recursion", "tbreak integers.hip:129", "run", "next", "info symbol $pc", "c"
    )  # fmt: skip
    assert not any(line.startswith("fibonacci") for line in lines)
    assert lines[-1] == "[Inferior 1 exited normally]"


def test_what_is_written_counts(tmp_path: Path) -> None:
    """Both inputs are changed before the addition; memory, by the pointer that is an argument."""
    lines = talk(
        tmp_path, "vadd", "break integers.hip:16", "run", "set var ((int *) a)[0] = 1000",
        "next", "p ((int *) out)[0]", "p ((int *) out)[1]",
    )  # fmt: skip
    assert lines[-2:] == ["$1 = 1000", "$2 = -12"]


def test_a_kernel_can_be_started_again(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "vadd", "break vadd", "run", "c", "c", "run", "p ((int *) out)[0]"
    )  # fmt: skip
    assert "[Inferior 1 exited normally]" in lines
    assert lines[-1] == "$1 = 0"


def test_a_fault_is_a_signal_with_its_reason(tmp_path: Path) -> None:
    """The array of indexes is not there for the last items."""
    lines = talk(tmp_path, "pointer_chase", "run", "p $_lane", a=list(range(100)))
    [stop] = [line for line in lines if "signal" in line]
    assert "received signal SIGSEGV, MEMORY_VIOLATION, lane 36 reads 4 bytes" in stop
    assert lines[-1] == "$1 = 36"  # the lane that failed is in focus
    assert "after the end of buffer" in stop


def test_a_barrier_is_met_while_one_wave_is_stepped(tmp_path: Path) -> None:
    """gfx1100: 64 work-items are two waves."""
    lines = talk(
        tmp_path, "reduce", "tbreak integers.hip:151", "run", "next 3", "up", "p part[0]",
        built="gfx1100.O0",
    )  # fmt: skip
    assert lines[-1] == "$1 = -5"


def optimized(kernel: str, target: str, *lines: str) -> list[str]:
    """What a batch of commands prints; 128 work-items in workgroups of 64."""
    commands = [word for line in lines for word in ("-ex", line)]
    return run(
        "debug", CODE / f"integers.{target}.O2.v5.co", "--dispatch", kernel, "--grid", 128,
        "--workgroup", 64, "--arg", "0=range:128", "--arg", "1=range:128", "--arg", "2=zeros:512",
        "--batch", *commands,
    ).lines  # fmt: skip


@pytest.mark.parametrize(
    ("target", "barrier", "behind"),
    [("gfx942", "a65c", "a660"), ("gfx1100", "b16c", "b170"), ("gfx1200", "b280", "b284")],
)
def test_a_step_ends_behind_a_barrier(target: str, barrier: str, behind: str) -> None:
    """llvm-dwarfdump: the row behind the barrier is the start of a statement of line 20. gfx942 has
    one wave in a workgroup, the others two."""
    lines = optimized(
        "reduce", target, f"tbreak *0x7f000000{barrier}", "run", "step", "p/x $pc"
    )  # fmt: skip
    assert lines[-2].startswith("20\t") and lines[-1] == f"$1 = 0x7f000000{behind}"


def test_a_breakpoint_behind_a_barrier_is_hit_after_a_step_that_waits() -> None:
    lines = optimized(
        "reduce", "gfx1100", "tbreak *0x7f000000b16c", "run", "set scheduler-locking on", "stepi",
        "set scheduler-locking off", "break -wave 1 *0x7f000000b170", "continue", "p/x $pc",
    )  # fmt: skip
    assert "Thread 1 stopped, waits at a barrier" in "\n".join(lines)
    assert any("Thread 1 hit Breakpoint 2" in line for line in lines)
    assert lines[-1] == "$1 = 0x7f000000b170"


@pytest.mark.parametrize("step", ["stepi", "stepi 3", "nexti 3", "step 3", "next 3"])
def test_the_focus_moves_to_the_next_wave_at_the_end_of_the_one_that_is_stepped(step: str) -> None:
    """Further steps would be of another wave."""
    lines = optimized("vadd", "gfx942", "tbreak *0x7f0000006960", "run", step, "p $_thread")
    switched = lines.index("[Switching to thread 2, lane 0 (AMDGPU Lane 1:1:1:2/0 (1,0,0)[0,0,0])]")
    assert lines[switched + 1].startswith("vadd (a=") and lines[-1] == "$1 = 2"


def test_states_that_stop_in_the_middle_are_saved(tmp_path: Path) -> None:
    state = tmp_path / "middle.json"
    lines = talk(tmp_path, "vadd", "break integers.hip:16", "run", f"save {state}", "p t")
    assert lines[-1] == "$1 = 0"
    done = run("eval", "--state", state, "--wave", 1, "--lane", 5, "t")
    assert "5" in done.out


def test_json_has_the_stop_reason(tmp_path: Path) -> None:
    lines = talk(tmp_path, "vadd", "set output json", "break vadd", "run")
    assert '"reason": "breakpoint-hit"' in lines[-1]


def test_a_condition_is_evaluated_in_each_active_lane(tmp_path: Path) -> None:
    """a[t] is t - 20: only in lane 37 of the first wave is x 17, and in none of the second."""
    lines = talk(
        tmp_path, "nest", "break integers.hip:62 if x == 17", "run", "p $_lane",
        "info breakpoints", "c",
    )  # fmt: skip
    [stop] = [line for line in lines if "hit Breakpoint" in line]
    assert stop.startswith("Thread 1 hit Breakpoint 1, with lane 37, nest")
    assert "$1 = 37" in lines
    assert "\tstop only if x == 17" in lines
    assert lines[-1] == "[Inferior 1 exited normally]"


@pytest.mark.parametrize("condition", ["out == 0", "x == 17", "x > 16.5f && x < 18"])
def test_a_condition_is_evaluated_once_for_all_lanes(
    condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is true in one of 64 lanes."""
    texts: list[str] = []

    def counted(text: str, session: Session, options: Options) -> language.TypedValue:
        texts.append(text)
        return evaluate(text, session, options)

    evaluate = language.evaluate
    monkeypatch.setattr(language, "evaluate", counted)
    lines = talk(tmp_path, "nest", f"break integers.hip:62 if {condition}", "run", "kill")
    hits = [line.split()[1] for line in lines if " hit " in line]
    assert hits == ([] if condition == "out == 0" else ["1"])
    waves = 1 if hits else 2
    assert [text for text in texts if condition in text] == [f"!({condition})"] * waves


def test_stops_that_go_on_do_not_name_the_waves_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = list[object]()
    target_id = Machine.target_id

    def counted(machine: Machine, wave: int, lane: int | None = None) -> str:
        named.append(wave)
        return target_id(machine, wave, lane)

    monkeypatch.setattr(Machine, "target_id", counted)
    counts = []
    for command in ("disable", "enable"):
        named.clear()
        talk(tmp_path, "nest", "break integers.hip:62 if 0", command, "run")
        counts.append(len(named))
    assert counts[1] == counts[0]


@pytest.mark.parametrize("condition", ["$k++ == 32", "($k += 1) == 33", "($j <<= 1) == 4294967296"])
def test_a_condition_that_assigns_does_so_for_each_lane(condition: str, tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "nest", "set $k = 0", "set $j = 1L", "break nest", f"condition 1 {condition}",
        "run", "p $_lane",
    )  # fmt: skip
    assert lines[-1] == ("$1 = 31" if "<<=" in condition else "$1 = 32")


def test_a_condition_of_unknown_names_is_refused(tmp_path: Path) -> None:
    lines = talk(tmp_path, "nest", "break integers.hip:61 if nowhere == 18", "info breakpoints")
    assert lines[-1] == "No breakpoints or watchpoints."


def test_names_of_a_condition_are_those_of_its_line(tmp_path: Path) -> None:
    """Wherever the wave is: at pc 0, no variable is in scope."""
    breaks = [f"break integers.hip:62 if {name} == 3" for name in ("nowhere", "outt")]
    done = talked(tmp_path, "nest", "break nest", "run", "set $pc = 0", *breaks)
    assert done.err.splitlines()[-2:] == [
        'No symbol "nowhere" in current context.',
        'No symbol "outt" in current context. Did you mean "out"?',
    ]


def test_a_condition_that_cannot_be_evaluated_stops_there(tmp_path: Path) -> None:
    lines = talk(tmp_path, "nest", "break integers.hip:61 if *(int *) 16 == 17", "run", "p limit")
    assert lines[-1] == "61\trun/integers.hip: No such file or directory."


NEST = (
    FIXTURES / "hip/nest.gfx942.O2.v5.co", "--dispatch", "nest", "--grid", 128, "--workgroup", 64,
    "--arg", "out=zeros:8192", "--arg", "limit=3",
)  # fmt: skip


def nest(*lines: str, count: int = 2_000) -> list[str]:
    commands = [word for line in lines for word in ("-ex", line)]
    done = run("debug", *NEST, "--arg", f"in=range:{count}", "--batch", *commands)
    return [line for line in [*done.lines, *done.err.splitlines()] if line]


def test_registers_that_nothing_has_written_are_in_no_state() -> None:
    """There is none: the machine runs, and before that it is as the dispatch sets it up."""
    for lines in nest("p $xnack_mask"), nest("b *nest", "run", "p $xnack_mask"):
        [note] = [line for line in lines if "register xnack_mask of wave 1 is unknown" in line]
        assert note.endswith(": nothing has written it")
        assert not any("not in the state" in line for line in lines)


def test_scc_is_a_flag() -> None:
    """As docs/registers.md says."""
    lines = nest("b *nest", "run", "stepi 40", "p $status")
    assert any(line.startswith("$1 = [ SCC ") for line in lines)
    assert any(line.startswith("note: register status of wave 1 is unknown") for line in lines)


def test_every_wave_hits_a_breakpoint_at_the_first_instruction() -> None:
    lines = nest("b *nest", "run", "c", "c")
    assert [line[:28] for line in lines if "hit" in line] == [
        "Thread 1 hit Breakpoint 1, w", "Thread 2 hit Breakpoint 1, w",
    ]  # fmt: skip
    assert lines[-1] == "[Inferior 1 exited normally]"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("info threads", "No threads."),
        ("bt", "No stack."),
        ("info registers", "The program has no registers now."),
        ("info registers s3", "The program has no registers now."),
        ("p $pc", "No registers."),
        ("p $v3", "No registers."),
        ("p $sp", "No registers."),
        ("set var $s3 = 1", "No registers."),
        ("step", "The program is not being run."),
        ("continue", "The program is not being run."),
        ("info locals", "No frame selected."),
        ("thread", "No thread selected"),
        ("info lanes", "No lanes."),
        ("lane 3", "Lane 3 does not exist on this thread."),
        ("info waves", "0 waves (0 running, 0 single-stepping, 0 stopped)"),
        ("info dispatches", "No dispatches are currently active."),
        ("save after.json", "No wave is left to save: the program has ended."),
        ("generate-core-file after.core", "You can't do that without a process to debug."),
        ("p $_thread", "$1 = 0"),
        ("p $_wave_id", "$1 = void"),
        ("p $_thread_systag", "$1 = void"),
        ("p $_workgroup_id", "$1 = void"),
        ("p threadIdx.x", "threadIdx is unknown: all waves have ended"),
        ("p get_local_id(0)", "get_local_id is unknown: all waves have ended"),
    ],
)
def test_after_the_end(line: str, expected: str) -> None:
    """What GDB says of a program that has exited, for the waves as for threads."""
    assert nest("run", line)[-2:] == ["[Inferior 1 exited normally]", expected]


def test_memory_is_readable_after_the_end(tmp_path: Path) -> None:
    """The outputs are what a kernel is run for."""
    lines = talk(tmp_path, "vadd", "tbreak vadd", "run", "set $o = (int *) out", "c", "p $o[1]@3")
    assert lines[-2:] == ["[Inferior 1 exited normally]", "$1 = {-12, -17, -9}"]


def test_waves_that_ended_are_gone(tmp_path: Path) -> None:
    """The condition holds in the second wave, when the first has ended."""
    state = tmp_path / "second.json"
    lines = talk(
        tmp_path, "vadd", "break integers.hip:16 if t == 70", "run", "info threads",
        "info waves", "thread 1", f"save {state}",
    )  # fmt: skip
    listed = [line for line in lines if "AMDGPU Wave" in line]
    assert [line.split()[1] for line in listed] == ["2"]
    assert "1 wave (0 running, 0 single-stepping, 1 stopped)" in lines
    assert [wave.wave for wave in load_state(state).waves] == [2]


def test_the_kernel_starts_again_after_its_end() -> None:
    lines = nest("run", "b *nest", "run", "info threads")
    assert len([line for line in lines if "AMDGPU Wave" in line]) == 2


def test_a_condition_that_has_no_value_stops() -> None:
    lines = nest("tbreak nest.hip:28 if t == 70", "run", "info breakpoints")
    assert any(line.startswith("Thread 1 hit Temporary breakpoint 1, ") for line in lines)
    assert "No breakpoints or watchpoints." in lines
    [error] = [line for line in lines if "Error in testing condition for breakpoint 1: " in line]
    assert "t is optimized out at this pc" in error


def test_a_fault_is_worded_as_in_gdb() -> None:
    lines = nest("run", count=100)
    assert any(line.startswith("Thread 2 received signal SIGSEGV, MEMORY_V") for line in lines)


def test_steps_by_instruction_show_the_address_inside_of_a_line() -> None:
    """GDB's `0x00005555555551da<tab>68<tab>  line`; at the first address of a line it has none."""
    lines = nest("b nest.hip:14", "run", "stepi", "print $pc", "step")
    inside = [line for line in lines if line.endswith("\tin hip/nest.hip")]
    fields = [line.split("\t") for line in inside]
    assert [len(words) for words in fields] == [3, 2]
    [pc] = [line.split()[4] for line in lines if line.startswith("$1 = ")]
    assert int(fields[0][0], 16) == int(pc, 16)


def test_steps_show_the_line_where_the_source_is_missing() -> None:
    lines = nest("b nest.hip:14", "run", "step", "next")
    shown = [
        line
        for line in lines
        if line.endswith((": No such file or directory.", "\tin hip/nest.hip"))
    ]
    assert [line.split()[0] for line in shown] == ["14", "13", "14"]
    assert [" in " in line.expandtabs(1) for line in shown] == [False, True, True]


def test_a_core_file_has_the_reason_of_the_stop(tmp_path: Path) -> None:
    core = tmp_path / "core.gpu"
    nest("run", f"generate-core-file {core}", count=100)
    [line] = [line for line in run("waves", core).lines if "memory_violation" in line]
    assert "1 wave" in line and "nest.hip:10" in line
    assert run("waves", core).lines[0].endswith("1 faulty")
    convert = run("convert", "--core", core, "private_lane#0")
    assert "the first lane that failed" in convert.notes[0]
    assert convert.lines == run("convert", "--core", core, "private_lane#0", "--lane", 36).lines
    assert convert.lines != run("convert", "--core", core, "private_lane#0", "--lane", 0).lines


def test_a_state_has_the_lanes_of_the_stop(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    nest("run", f"save {state}", count=100)
    document = json.loads(state.read_bytes())
    [wave] = document["waves"]
    assert wave["stop_lanes"] == list(range(36, 64))
    first = {"id": 1, "pc": 0, "registers": {"exec": 1}}
    for one, address in ((first, 1 << 20), (wave, 1 << 30)):
        one["scratch"] = {"address": address, "size": 64 << 10}
    state.write_text(json.dumps({**document, "waves": [first, wave]}), "utf-8")
    words = ("--batch", "-ex", "p $_thread", "-ex", "p $_lane")
    assert run("debug", "--state", state, *words).lines[-2:] == ["$1 = 2", "$2 = 36"]
    other = run("debug", "--state", state, "--wave", 1, *words).lines
    assert other[-2:] == ["$1 = 1", "$2 = 0"]
    assert run("eval", "--state", state, "$_thread").lines == ["$_thread = 2"]
    convert = ("convert", "--state", state, "--lane", 0, "private_lane#0", "--to", "global")
    assert run(*convert).lines[0].startswith("global#0x40000000")
    assert run(*convert, "--wave", 1).lines[0].startswith("global#0x100000")
    assert run("bt", "--state", state).lines == run("bt", "--state", state, "--wave", 2).lines
    assert run("eval", "--state", state, "--wave", 1, "$_thread").lines == ["$_thread = 1"]
    nest("run", "set var $exec = 0", "stepi", f"save {tmp_path / 'on.json'}", count=100)
    assert "stop_lanes" not in (tmp_path / "on.json").read_text("utf-8")


def test_a_wave_that_goes_on_has_no_reason(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    nest("run", f"save {state}", count=100)
    assert "memory_violation" in state.read_text("utf-8")
    state.unlink()
    nest("run", "set var $exec = 0", "stepi", f"save {state}", count=100)
    assert "memory_violation" not in state.read_text("utf-8")


def test_what_runs_past_its_buffer_is_not_in_another_one(tmp_path: Path) -> None:
    """The second wave reads what is after the 64 numbers of `a`, where `b` must not be."""
    lines = talk(tmp_path, "vadd", "run", a=list(range(64)))
    [stop] = [line for line in lines if "received signal" in line]
    assert stop.startswith("Thread 2 received signal SIGSEGV, MEMORY_VIOLATION, lane 0 reads 4 b")
    assert "0 bytes after the end of" in stop and "which has 256 bytes" in stop


def saved(folder: Path) -> Path:
    """vadd of gfx942 at -O0, before the addition in the first wave."""
    state = folder / "middle.json"
    talk(folder, "vadd", "break integers.hip:16", "run", f"save {state}")
    return state


def going_on(state: Path, *lines: str, options: tuple[str, ...] = ()) -> list[str]:
    commands = [word for line in lines for word in ("-ex", line)]
    done = run("debug", "--state", state, *options, "--batch", *commands)
    return [line for line in [*done.lines, *done.err.splitlines()] if not line.startswith("note: ")]


def test_a_state_goes_on(tmp_path: Path) -> None:
    state = saved(tmp_path)
    lines = going_on(
        state, "run", "set $o = (int *) out", "set var ((int *) a)[1] = 5", "break 17", "c",
        "p t", "delete", "c", "p $o[0]@3",
    )  # fmt: skip
    assert 'A state cannot be started from the beginning: use "continue".' in lines
    assert any("hit Breakpoint 1, with lanes [0-63], vadd" in line for line in lines)
    assert "$2 = {-20, 12, -17}" in lines  # the second is 5 + 7, not -19 + 7


def test_what_a_state_leaves_out_stops_the_wave(tmp_path: Path) -> None:
    state = saved(tmp_path)
    document = json.loads(state.read_text("utf-8"))
    del document["waves"][0]["registers"]["v2"], document["fill"]
    state.write_text(json.dumps(document), "utf-8")
    lines = going_on(state, "c")
    [number] = [number for number, line in enumerate(lines) if "received signal" in line]
    assert lines[number : number + 2] == [
        "Thread 1 received signal SIGTRAP, UNAVAILABLE, "
        "flat_load_dwordx2 needs v2 of lane 0, which is not known.",
        "  --fill BYTE is what is not known of registers, LDS, scratch and padding of arguments",
    ]
    lines = going_on(state, "c", options=("--fill", "0"))
    [stopped] = [line for line in lines if "received signal" in line]
    assert "UNAVAILABLE, lane 0 reads 4 bytes at 0x0: the state does not have it; 63" in stopped


def test_what_is_set_before_the_start_counts(tmp_path: Path) -> None:
    """A kernel that is continued without "run" begins with what was written."""
    lines = talk(
        tmp_path, "vadd", "set $s8 = 7", "p $s8", "break integers.hip:17", "c", "info breakpoints"
    )  # fmt: skip
    assert "$1 = 7" in lines and "\tbreakpoint already hit 1 time" in lines


def test_a_wave_goes_on_where_it_is_put(tmp_path: Path) -> None:
    """The pc is set to the line after the addition: the sum of this wave is not stored."""
    lines = talk(
        tmp_path, "vadd", "tbreak integers.hip:16", "run", "set $o = (int *) out",
        "set $pc = 0x7f000000d7c0", "info line *$pc", "c", "p $o[3]", "p $o[64]",
    )  # fmt: skip
    assert lines[-2:] == ["$1 = 0", "$2 = 50"]


@pytest.mark.parametrize("built", ["gfx90a.O0", "gfx942.O0", "gfx1100.O0", "gfx1200.O0"])
def test_a_core_file_goes_on(built: str, tmp_path: Path) -> None:
    """The result is that of the run that was not interrupted."""
    core = tmp_path / "middle.core"
    lines = talk(
        tmp_path, "nest", "break integers.hip:65", "run", f"generate-core-file {core}",
        "set $o = (int *) out", "delete", "c", "p $o[0]@128", built=built,
    )  # fmt: skip
    [expected] = [line for line in lines if line.startswith("$1 = ")]
    done = run(
        "debug", "--core", core, "--batch", "-ex", "thread 1", "-ex",
        "set $o = (int *) out", "-ex", "stepi", "-ex", "c", "-ex", "p $o[0]@128",
    )  # fmt: skip
    assert "[Inferior 1 exited normally]" in done.lines, (done.lines, done.err)
    assert expected in done.lines


def test_a_wave_that_had_failed_stops_again(tmp_path: Path) -> None:
    core = tmp_path / "failed.core"
    nest("run", f"generate-core-file {core}", count=100)
    commands = ("c", "stepi")
    done = run("debug", "--core", core, "--batch", *(word for c in commands for word in ("-ex", c)))
    stops = [line for line in done.lines if "received signal SIGSEGV, MEMORY_VIOLATION" in line]
    assert len(stops) == 2 and stops[0] == stops[1], done
    assert "lane 36 reads 4 bytes at 0x7e0000007290: nothing is mapped there" in stops[0]


DEADLOCK = (
    "debug", CODE / "deadlock.gfx1200.O0.v5.co", "--dispatch", "deadlock", "--grid", 96,
    "--workgroup", 96, "--arg", "out=zeros:384", "--batch",
)  # fmt: skip


def test_a_deadlock_shows_where_all_waves_are() -> None:
    lines = run(*DEADLOCK, "-ex", "run", "-ex", "p/x $pc").lines
    at = lines.index(
        "Thread 1 received signal SIGABRT, FATAL_HALT, waits at a barrier that not all waves reach."
    )
    assert lines[at + 1 : at + 4] == [
        "  wave 1: waits, has signalled, run/deadlock.hip:10:5",
        "  wave 2: waits, has not signalled, run/deadlock.hip:12:5",
        "  wave 3: ended, run/deadlock.hip:15:1",
    ]
    assert lines[at + 4].endswith("run/deadlock.hip:10")
    stop = json.loads(run(*DEADLOCK, "-ex", "set output json", "-ex", "run").lines[-1])
    assert [place["waves"] for place in stop["barrier"]] == [[1], [2], [3]]
    assert f"$1 = {stop['barrier'][0]['pc']}" in lines


def test_a_wave_that_cannot_go_on_alone_shows_where_the_others_are() -> None:
    lines = run(*DEADLOCK, "-ex", "set scheduler-locking on", "-ex", "break *$pc",
                "-ex", "run", "-ex", "c", "-ex", "bt").lines  # fmt: skip
    at = lines.index(
        "Thread 1 stopped, waits at a barrier for waves that scheduler-locking does not run."
    )
    assert lines[at + 1].startswith("  wave 1: waits, has signalled, run/deadlock.hip:10:5")
    assert lines[at + 2].startswith("  waves 2-3: stopped, ")


def test_a_state_at_a_split_barrier_goes_on(tmp_path: Path) -> None:
    """One wave has signalled, and is about to wait, when the state is saved."""
    state = tmp_path / "state.json"
    run("debug", CODE / "integers.gfx1200.O2.v5.co", "--dispatch", "reduce", "--grid", 64,
        "--workgroup", 64, "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256",
        "--batch", "-ex", "tbreak *0x7f000000b280", "-ex", "run",
        "-ex", f"save {state}")  # fmt: skip
    waves = load_state(state).target.machine.waves.values()
    assert any(wave.barrier.signals for wave in waves)
    done = run("debug", "--state", state, "--batch", "-ex", "c")
    assert done.lines[-1] == "[Inferior 1 exited normally]"


def test_a_core_file_does_not_say_which_waves_have_signalled(tmp_path: Path) -> None:
    """As `test_a_state_at_a_split_barrier_goes_on`: the wave that has signalled will not again."""
    core, code = tmp_path / "gpu.core", CODE / "integers.gfx1200.O2.v5.co"
    done = run("debug", code, "--dispatch", "reduce", "--grid", 64,
               "--workgroup", 64, "--arg", "0=range:64", "--arg", "1=range:64",
               "--arg", "2=zeros:256", "--batch", "-ex", "tbreak *0x7f000000b280", "-ex", "run",
               "-ex", f"generate-core-file {core}")  # fmt: skip
    note = "the core file does not record that 1 wave signalled a barrier (s_barrier_signal)"
    assert note in done.err
    lines = run("debug", core, code, "--batch", "-ex", "c").lines
    [at] = [number for number, line in enumerate(lines) if "FATAL_HALT" in line]
    text = "waits at a barrier; the core file does not record which waves have signalled it."
    assert lines[at].endswith(text)
    assert lines[at + 1].startswith("  wave 1: waits, may have signalled, ")
    stop = run_json("run", core, code).json["stop"]
    assert "waits, may have signalled" in [place["state"] for place in stop["barrier"]]


def test_finish_and_until_are_about_the_wave_in_focus(tmp_path: Path) -> None:
    """The other wave comes to the same place first: its function does less."""
    begin = ("tbreak fibonacci", "run", "set var n = 13")
    lines = talk(tmp_path, "recursion", *begin, "finish", "p $_thread")
    assert lines[-2:] == ["Value returned is $1 = 233", "$2 = 1"]
    for line in ("until integers.hip:130", "advance integers.hip:130"):
        lines = talk(tmp_path, "recursion", *begin, "up", line, "p $_thread")
        assert lines[-1] == "$1 = 1"


def test_advance_to_where_other_lanes_are_names_one(tmp_path: Path) -> None:
    """Lanes 0 and 1 return, the others call the function again."""
    begin, numbers = ("tbreak fibonacci", "run"), list(range(128))
    lines = talk(
        tmp_path, "recursion", *begin, "advance fibonacci", "p $_lane", a=numbers, b=numbers
    )
    at = lines.index("$1 = 2")
    assert lines[at - 3].startswith("[Switching to thread 1, lane 2 (AMDGPU Lane ")
    lines = talk(tmp_path, "recursion", *begin, "lane 5", "advance fibonacci", a=numbers, b=numbers)
    assert "[Switching to" not in lines[-3]


def test_a_count_of_steps_is_an_expression(tmp_path: Path) -> None:
    one = talk(tmp_path, "vadd", "starti", "stepi 12", "p/x $pc")
    assert one[-1].startswith("$1 = 0x")
    assert talk(tmp_path, "vadd", "starti", "set $n = 6", "stepi $n * 2", "p/x $pc")[-1] == one[-1]


@pytest.mark.parametrize("step", ["stepi", "nexti"])
def test_the_caller_is_looked_for_at_the_last_of_many_instructions(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That takes longer than an instruction, and no other one is shown."""
    looked: list[Session] = []

    class Counted(FollowedCalls):
        def __init__(self, session: Session) -> None:
            looked.append(session)
            super().__init__(session)

    monkeypatch.setattr(stepping, "FollowedCalls", Counted)
    talk(tmp_path, "vadd", "starti", f"{step} 12")
    assert len(looked) == 1


NO_CODE = "0x0000000000000000 in ?? ()"
NO_CODE_SIGNAL = (
    "Thread 1 received signal SIGSEGV, MEMORY_VIOLATION, no code at 0x0: no memory is there."
)


def test_a_call_through_a_null_pointer_is_a_signal(tmp_path: Path) -> None:
    lines = talk(
        tmp_path, "through_pointer", "break integers.hip:120", "run", "set var f = 0", "delete",
        "c", "bt", "info threads", "p 6 * 7",
    )  # fmt: skip
    stop = lines.index(NO_CODE_SIGNAL)
    assert lines[stop + 1 : stop + 3] == [NO_CODE, f"#0  {NO_CODE}"]
    [thread] = [line for line in lines if line.startswith("* 1 ")]
    assert thread.endswith(f" 1/64  {NO_CODE}")
    assert lines[-1] == "$1 = 42"


def test_a_pc_without_code_can_be_taken_back() -> None:
    lines = nest(
        "break nest.hip:14", "run", "set $old = $pc", "set $pc = 0", "frame", "p 6 * 7", "stepi",
        "set $pc = $old", "frame",
    )  # fmt: skip
    at = lines.index(f"#0  {NO_CODE}")
    assert lines[at + 1 : at + 4] == ["$1 = 42", NO_CODE_SIGNAL, NO_CODE]
    assert lines[at + 4].startswith("#0  nest (") and lines[at + 4].endswith("at hip/nest.hip:14")


def test_a_state_can_be_debugged_if_its_pc_has_no_code(tmp_path: Path) -> None:
    state = tmp_path / "nowhere.json"
    nest("break nest.hip:14", "run", "set $pc = 0", "c", f"save {state}")
    assert going_on(state, "bt", "p 6 * 7", "set $pc = nest", "p $pc") == [
        f"#0  {NO_CODE}",
        "stopped: no frame information for pc 0x0, which is not in any code object "
        "(--heuristic finds callers by the machine code)",
        "$1 = 42",
        "$2 = (void (*)(void)) 0x7f0000001600 <nest(int const*, int*, int)>",
    ]


def test_continue_counts_for_the_breakpoint_that_was_hit(tmp_path: Path) -> None:
    """Another one at its address, for a wave that has not come, keeps its count."""
    lines = talk(
        tmp_path, "recursion", "break -wave 2 fibonacci", "break fibonacci", "run", "continue 2",
    )  # fmt: skip
    assert "Will ignore next crossing of breakpoint 2.  Continuing." in lines
    assert not [line for line in lines if "crossing of breakpoint 1" in line]


def test_a_write_to_a_read_only_variable_is_refused() -> None:
    done = run(
        "debug", FIXTURES / "opencl/kernels.gfx942.O0.v5.co", "--dispatch", "call", "--heuristic",
        "--grid", 64, "--workgroup", 64, "--arg", "out=zeros:256", "--batch", "-ex", "break call",
        "-ex", "run", "-ex", "output primes[0]", "-ex", "set var primes[0] = 9",
    )  # fmt: skip
    assert done.out.endswith("2")
    assert done.err.splitlines()[-1] == (
        "Cannot access memory at address 0x7f0000002240: it is in a read-only segment of the file"
    )


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("123", "0x7b is not the address of an instruction: a multiple of 4"),
        ("124", "Cannot access memory at address 0x7c"),
        ("&reduce+2", "0x7f000000"),
    ],
)
def test_a_breakpoint_where_nothing_can_stop_is_noted(place: str, why: str) -> None:
    done = run(
        "debug", CODE / "integers.gfx942.O2.v5.co", "--dispatch", "reduce", "--grid", 64,
        "--workgroup", 64, "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256",
        "--batch", "-ex", f"break *{place}", "-ex", "break *&reduce",
    )  # fmt: skip
    assert done.err.count("note: nothing can stop there: ") == 1
    assert f"note: nothing can stop there: {why}" in done.err


@pytest.mark.parametrize("built", ["gfx90a.O0", "gfx942.O0", "gfx1100.O0", "gfx1200.O0"])
def test_the_caller_of_a_call_to_where_no_code_is(built: str, tmp_path: Path) -> None:
    """As the call through a null pointer leaves it: the pc is 0, s[30:31] the return address."""
    lines = talk(
        tmp_path, "through_pointer", "break *squared", "run", "bt", "set $pc = 0", "bt", "up",
        built=built,
    )  # fmt: skip
    frames = [line for line in lines if line.startswith("#")]
    assert frames[2] == "#0  0x0000000000000000 in ?? ()"
    assert frames[1].startswith("#1 ") and " in through_pointer (" in frames[1]
    assert frames[3:] == [frames[1]] * 2


def test_an_address_beyond_a_buffer(tmp_path: Path) -> None:
    """A machine that runs knows all memory there is."""
    commands = ("-ex", "break 16", "-ex", "run", "-ex", "p a[128]", "-ex", "p *(int *) 0")
    a, b = (given(tmp_path, name, list(range(128))) for name in "ab")
    done = run(
        "debug", CODE / "integers.gfx942.O0.v5.co", "--dispatch", "vadd", "--grid", 128,
        "--workgroup", 64, "--arg", f"a={a}", "--arg", f"b={b}", "--arg", "out=zeros:512",
        "--batch", *commands,
    )  # fmt: skip
    assert "0 bytes after the end of buffer a, which has 512 bytes" in done.err
    assert "Cannot access memory at address 0x0: no memory is there" in done.err


@pytest.mark.parametrize("command", ["step", "next"])
def test_a_step_in_a_function_without_lines_says_where_it_goes(
    command: str, tmp_path: Path
) -> None:
    """GDB's words."""
    data = (FIXTURES / "run/integers.gfx942.O2.v5.co").read_bytes()
    (file := tmp_path / "nameless.co").write_bytes(data.replace(b".debug_info\0", b".rebuff_out\0"))
    buffers = [word for name in ("0", "1", "2") for word in ("--arg", f"{name}=zeros:256")]
    words = ("--dispatch", "vadd", "--grid", 64, "--workgroup", 64, *buffers, "--batch")
    commands = ("-ex", "tbreak vadd", "-ex", "run", "-ex", command)
    lines = run("debug", file, *words, *commands).lines
    assert lines[-3:] == [
        "Single stepping until exit from function vadd,",
        "which has no line number information.",
        "[Inferior 1 exited normally]",
    ]


@pytest.mark.parametrize("command", ["step", "next"])
def test_a_step_at_line_0_of_a_function_with_lines(command: str) -> None:
    """It ends at the next line of the function, which has lines."""
    buffers = [word for name in ("a", "b", "out") for word in ("--arg", f"{name}=zeros:512")]
    words = ("--dispatch", "longs", "--grid", 64, "--workgroup", 64, *buffers, "--batch")
    commands = ("-ex", "tbreak *&longs+0x564", "-ex", "run", "-ex", "info line *$pc")
    done = run("debug", CODE / "integers.gfx942.O0.v5.co", *words, *commands, "-ex", command)
    stopped, line = done.lines[-2:]
    assert stopped.startswith("No line number information available for address 0x7f000000e664")
    assert line.startswith("35\t")


IN_RECURSION = (
    CODE / "integers.gfx942.O0.v5.co",
    "--dispatch", "recursion", "--scratch", 4096, "--grid", 64, "--workgroup", 64,
    "--arg", "0=range:64", "--arg", "1=range:64", "--arg", "2=zeros:256", "--batch",
)  # fmt: skip
"""LLVM of this version writes no call frame information for the device function at -O0."""


def test_until_says_that_it_cannot_stop_in_a_caller() -> None:
    """GDB knows the callers of functions without call frame information by their machine code."""
    commands = ("-ex", "tbreak integers.hip:124", "-ex", "run", "-ex", "until 131")
    done = run("debug", *IN_RECURSION, *commands)
    assert (
        "note: the caller, where it would stop too, is unknown: the frame information for pc 0x"
        in done.err
    )
    done = run("debug", *IN_RECURSION, *commands[:1], "tbreak integers.hip:129", *commands[2:])
    assert "the caller" not in done.err


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("finish", '"finish" not meaningful in the outermost frame.'),
        ("up", "Initial frame selected; you cannot go up."),
    ],
)
def test_why_the_caller_is_unknown(command: str, error: str) -> None:
    """The error alone, GDB's words, would say that a device function is the outermost one."""
    done = run(
        "debug", *IN_RECURSION, "-ex", "break integers.hip:124", "-ex", "run", "-ex", command
    )
    assert "note: the caller is unknown: the frame information for pc 0x" in done.err
    assert "has no rules (--heuristic finds callers by the machine code)" in done.err
    assert error in done.err
    done = run(
        "debug", *IN_RECURSION, "-ex", "break integers.hip:129", "-ex", "run", "-ex", command
    )
    assert error in done.err
    assert "the caller" not in done.err


UNKNOWN_CALLER = "the caller is unknown: the frame information for pc 0x"


@pytest.mark.parametrize("name", ["_caller_is", "_any_caller_is", "_caller_matches"])
def test_no_program_has_no_callers(name: str) -> None:
    file = FIXTURES / "x86_64/demo.gcc.O0.v5"
    done = run("debug", "-q", "--batch", file, "-ex", f'print ${name}("main")')
    assert done.err == "No frame is currently selected.\n"


@pytest.mark.parametrize("function", ["_caller_is", "_any_caller_is"])
def test_a_question_about_an_unknown_caller_has_no_answer(function: str) -> None:
    """A condition that is never true would not stop at all."""
    condition = f'break integers.hip:124 if ${function}("recursion")'
    done = run("debug", *IN_RECURSION, "-ex", condition, "-ex", "run")
    assert f"note: Error in testing condition for breakpoint 1: {UNKNOWN_CALLER}" in done.err
    assert "(--heuristic finds callers by the machine code)" in done.err
    assert "hit Breakpoint 1" in done.out
    done = run("debug", *IN_RECURSION, "--heuristic", "-ex", condition, "-ex", "run", "-ex", "bt")
    assert "Error in testing" not in done.err
    assert "recursion" in done.lines[-1] and done.lines[-1].startswith("#")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ('$_caller_matches("rec")', UNKNOWN_CALLER),
        ('$_any_caller_matches("rec")', UNKNOWN_CALLER),
        ('$_any_caller_is("fibonacci", 0)', "true"),
        ('$_any_caller_is("fibonacci")', "true"),
        ('$_caller_is("fibonacci", 0)', "true"),
        ('$_caller_is("recursion", 0)', "false"),
        ('$_caller_matches("rec", 0)', "false"),
        ('$_any_caller_is("recursion", 0xffffffffffffffff)', UNKNOWN_CALLER),
    ],
)
def test_frames_that_are_known_answer(question: str, answer: str) -> None:
    stop = ("-ex", "break integers.hip:124", "-ex", "run")
    done = run("debug", *IN_RECURSION, *stop, "-ex", f"p {question}")
    assert done.lines[-1] == f"$1 = {answer}" or answer in done.err, done


def test_the_outermost_frame_has_no_caller() -> None:
    done = run(
        "debug", *IN_RECURSION, "-ex", "break integers.hip:129", "-ex", "run",
        "-ex", 'p $_any_caller_is("main", 3)',
    )  # fmt: skip
    assert done.lines[-1] == "$1 = false"


def test_rows_of_a_run_say_that_the_caller_is_unknown() -> None:
    condition = 'integers.hip:124 if $_any_caller_is("recursion")'
    print_, stop = ("--print", '$_caller_is("recursion")'), ("--stops", 1)
    done = run("run", *IN_RECURSION[:1], *IN_RECURSION[2:-1], "--break", condition, *print_, *stop)
    assert f"Error in testing condition in lane 0: {UNKNOWN_CALLER}" in done.out
    assert "<unavailable> in lanes 0-63: the caller is unknown: " in done.out


def test_info_frame_names_the_function_that_a_call_through_a_register_led_to() -> None:
    """As all calls of GPU code, by LLVM: DW_AT_call_target and no DW_AT_call_origin."""
    commands = ["break inner", "run", "up", "info frame", "up", "info frame"]
    done = run(
        "debug", FIXTURES / "hip/call.gfx942.O2.v5.co", "--dispatch", "call", "--heuristic",
        "--grid", 64, "--workgroup", 64, "--scratch", 4096, "--arg", "out=zeros:256", "--batch",
        *(word for line in commands for word in ("-ex", line)),
    )  # fmt: skip
    calls = [line for line in done.lines if line.startswith(" call ")]
    assert calls == [f" call through a pointer, now in {name}" for name in ("inner", "outer")]


def test_a_kernel_with_preloaded_arguments_stops_where_its_waves_start() -> None:
    """256 bytes behind its entry, and not in the code that they skip."""
    kernel = (FIXTURES / "hip/nest.gfx942.O2.v5.preload.co", "--dispatch", "nest", "--grid", 64)
    buffers = ("--arg", "in=zeros:256", "--arg", "out=zeros:256", "--arg", "limit=3")
    for command in ("start", "break nest"):
        done = run("debug", *kernel, "--workgroup", 64, *buffers, "--batch", "-ex", command,
                   *(() if command == "start" else ("-ex", "run")), "-ex", "p $pc")  # fmt: skip
        assert "reakpoint 1 at 0x7f0000001700: file hip/nest.hip, line 9." in done.lines[0]
        assert (
            "at hip/nest.hip:9" in done.out
            and "<nest(int const*, int*, int)+256>" in done.lines[-1]
        )


@pytest.mark.parametrize(("kernel", "line"), [("matmul.gfx950", 13), ("axpy.gfx90a", 10)])
def test_an_empty_prologue_of_a_kernel_with_preloaded_arguments(kernel: str, line: int) -> None:
    """DW_LNS_set_prologue_end is on the row of the entry: no instruction that runs is skipped."""
    name = kernel.partition(".")[0]
    file = FIXTURES / f"triton/{kernel}.co"
    done = run("debug", file, "--batch", "-ex", f"break {name}")
    assert done.lines[0].endswith(f"at 0x1700: file triton/{name}.py, line {line}.")


@pytest.mark.parametrize("command", ["run", "start"])
def test_arguments_are_those_of_the_command_line(command: str) -> None:
    kernel = (FIXTURES / "opencl/kernels.gfx942.O2.v5.co", "--dispatch", "lds", "--grid", 64)
    buffer = ("--workgroup", 64, "--arg", "out=zeros:256")
    done = run("debug", *kernel, *buffer, "--batch", "-ex", f"{command} 5")
    assert done.err.startswith("A kernel has the arguments of --arg, ")
    assert done.err.endswith(": none can be given here.\n")


@pytest.mark.parametrize(
    ("commands", "last"),
    [
        (("break nest", "run", "next"), "It stopped after being stepped."),
        (("break nest", "run", "stepi"), "It stopped after being stepped."),
        (("starti",), "Program stopped at "),
    ],
)
def test_where_the_program_has_stopped(
    tmp_path: Path, commands: tuple[str, ...], last: str
) -> None:
    assert talk(tmp_path, "nest", *commands, "info program")[-1].startswith(last)


def test_the_signal_at_which_the_program_has_stopped(tmp_path: Path) -> None:
    lines = talk(tmp_path, "pointer_chase", "run", "info program", a=list(range(100)))
    assert lines[-1].startswith("It stopped at signal SIGSEGV, MEMORY_VIOLATION, lane 36 reads")


def test_where_the_program_has_stopped_by_its_breakpoint(tmp_path: Path) -> None:
    """As in GDB, a temporary breakpoint is deleted when it stops the program."""
    deleted = "It stopped at a breakpoint that has since been deleted."
    assert talk(tmp_path, "vadd", "tbreak vadd", "run", "info program")[-1] == deleted
    commands = ("break vadd", "run", "info program", "delete 1", "info program")
    lines = talk(tmp_path, "vadd", *commands)
    assert lines[-1] == deleted
    assert "It stopped at breakpoint 1." in lines


def test_the_focus_is_on_a_lane_with_a_work_item(tmp_path: Path) -> None:
    """Code for whole waves saves registers in all lanes, also in those without a work-item."""
    of_one = {"a": [5], "b": [7]}
    lines = talk(
        tmp_path, "vadd", "break integers.hip:16", "run", "set var $exec = ~1", "continue",
        "p $_lane", "bt", "thread 1", "p $_lane", "info threads", items=1, **of_one,
    )  # fmt: skip
    [stop] = [line for line in lines if "received signal" in line]
    assert "lane 1 reads 8 bytes" in stop
    assert "$1 = 0" in lines and "$2 = 0" in lines
    assert sum("vadd (a=0x7e0000007200, " in line for line in lines) == 5
    assert lines[-1].startswith("* 1    AMDGPU Wave 1:1:1:1 (0,0,0)/0 0/1   vadd (")


@pytest.mark.parametrize(
    ("condition", "stop"), [("", "Breakpoint 3, with lane 0, "), (" if $_lane > 0", "SIGSEGV")]
)
def test_a_lane_without_a_work_item_reaches_no_breakpoint(
    condition: str, stop: str, tmp_path: Path
) -> None:
    lines = talk(
        tmp_path, "vadd", "break integers.hip:16", "run", "tbreak *$pc+8", "continue",
        "set var $exec = -1", f"break *$pc+4{condition}", "continue",
        items=1, a=[5], b=[7],
    )  # fmt: skip
    [*_, last] = [line for line in lines if line.startswith("Thread 1 ")]
    assert stop in last


FIRST_TO_SIGNAL = """\
.text
.globl k
.p2align 8
.type k,@function
k:
 s_nop 0
.globl wait
wait:
 s_barrier_signal_isfirst -1
 s_cselect_b32 s4, 1, 2
 s_barrier_wait 0xffff
 s_endpgm
.Lend: .size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
 .amdhsa_next_free_vgpr 8
 .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: k, .symbol: k.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 32,
     .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 64}
...
.end_amdgpu_metadata
"""


def test_a_core_file_does_not_say_who_signalled_first(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """One wave has signalled when the file is written; the other one would be a second first."""
    source, code, core = (tmp_path / name for name in ("k.s", "k.co", "gpu.core"))
    source.write_text(FIRST_TO_SIGNAL, "utf-8")
    target = ["-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1200"]
    subprocess.run([tool("clang-19"), *target, source, "-o", code], check=True)
    start = ("debug", code, "--dispatch", "k", "--grid", 64, "--workgroup", 64, "--batch")
    stop = ("-ex", "tbreak wait", "-ex", "run", "-ex", "stepi 2")
    assert run(*start, *stop, "-ex", "print $s4", "-ex", f"gcore {core}").lines[-2] == "$1 = 1"
    done = run("debug", core, code, "--batch", "-ex", "c")
    text = "whether another wave has signalled the barrier is not recorded in the core file."
    assert any("UNAVAILABLE" in line and line.endswith(text) for line in done.lines)
