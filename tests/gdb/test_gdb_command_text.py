"""The commands that ask about variables, lanes and operations, `info-locals`, `$dwarfgpu`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run, validator
from tests.expr.test_merged_types import NOTE, SOURCE
from tests.gdb.debugger import Debugger
from tests.repl.side_by_side import build, with_core

STOPPED = ("break leaf", "run", "next")
NOTE_OF_CLANG = NOTE.replace("long", "DW_ATE_signed_64")
QUESTIONS = {
    "dwarfgpu eval-ops lit5; lit6; plus": ["11"],
    "dwarfgpu eval-ops reg3": ["rbx"],
    "dwarfgpu eval-ops": ["error: Argument required (expression to compute)."],
    "dwarfgpu eval-ops nonsense": ["error: 1:1: 'nonsense': unknown operation; \"dwarfgpu print\" "
                                   "evaluates expressions"],
    "dwarfgpu eval *sp": ["error: 1:1: '*': this character has no meaning here; \"dwarfgpu print\" "
                          "evaluates expressions"],
    "dwarfgpu eval lti5": ["error: 1:1: 'lti5': unknown operation; did you mean lit5?"],
    "dwarfgpu eval-ops lit1 + lit2": ["error: 1:6: '+': an operation is expected here"],
    "dwarfgpu eval-ops deref": ["error: IllFormed: DW_OP_deref at offset 0x0: 1 stack entry "
                                "needed, the stack has 0"],
    "dwarfgpu location n + 1": ['error: "n + 1" is a value without a location.'],
    "dwarfgpu location nope": ['error: No symbol "nope" in current context.'],
    "dwarfgpu location n = 1": ["error: assignments are not possible in location"],
    "dwarfgpu location": ["error: Argument required (expression to compute)."],
    "dwarfgpu where nope": ['error: No symbol "nope" in current context.'],
    "dwarfgpu lanes n": ["error: a thread of x86_64 has no lanes"],
    "dwarfgpu lanes -foo n": ["error: Unrecognized option at: -foo n"],
    "dwarfgpu lanes -all": ["error: Argument required (expression to compute)."],
    "dwarfgpu info-locals --foo": ['error: "dwarfgpu info-locals" has no option --foo.'],
    'output $dwarfgpu("sp->in[1]").weight * 2': ["-4.5"],
    'output $dwarfgpu("n + 1")': ["43"],
    'output $dwarfgpu("sp->b2")': ["-3"],
    'output $dwarfgpu("*sp").mat[1][2]': ["6 '\\006'"],
    'output $dwarfgpu("sp->in")[1].count': ["2"],
    'output $dwarfgpu("sp->color")': ["GREEN"],
    'output &$dwarfgpu("n") == &n': ["1"],
    'output sizeof ($dwarfgpu("local"))': ["4"],
    "output $dwarfgpu(3)": ['error: $dwarfgpu takes the text of an expression: '
                            '$dwarfgpu("n + 1")'],
    'output $dwarfgpu("nope")': ['error: No symbol "nope" in current context.'],
    'output $dwarfgpu("n = 3")': ["error: assignments are not possible in $dwarfgpu"],
    'output $dwarfgpu("(void) n")': ["error: the expression is void: it has no value"],
    "complete dwarfgpu where lo": ["dwarfgpu where local"],
    "complete dwarfgpu eval-ops call_f": ["dwarfgpu eval-ops call_frame_cfa"],
    "complete dwarfgpu info-locals --j": ["dwarfgpu info-locals --json"],
    "complete dwarfgpu info-locals -": ["dwarfgpu info-locals --json"],
    "complete dwarfgpu bt -": ["dwarfgpu bt -compare"],
    "complete dwarfgpu explain -d": ["dwarfgpu explain -depth"],
    "complete dwarfgpu lanes -a": ["dwarfgpu lanes -active", "dwarfgpu lanes -all"],
    "complete dwarfgpu compare -a": ["dwarfgpu compare -all-frames"],
}  # fmt: skip
"""A command and what it says."""


@pytest.fixture(scope="module")
def answers(debugger: Debugger, demo: Path) -> dict[str, list[str]]:
    """What every question says, all at one stop; GDB is afterwards where it was."""
    code = f"""
import json
print(json.dumps({{each: said(each).splitlines() for each in {list(QUESTIONS)!r}}}))
print(gdb.selected_frame().level(), said("output n"))
"""
    result, where = debugger.python(code, *STOPPED, file=demo).splitlines()[-2:]
    assert where == "0 42"
    return dict(json.loads(result))


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions(answers: dict[str, list[str]], question: str) -> None:
    assert answers[question][: len(QUESTIONS[question])] == QUESTIONS[question]


def test_explained_variables_share_a_limit(debugger: Debugger, demo: Path) -> None:
    code = """
from dwarfgpu.service import explain
kept, explain._MAX_CHARACTERS = explain._MAX_CHARACTERS, 10
print(said("dwarfgpu explain n + local"))
explain._MAX_CHARACTERS = kept
print(said("dwarfgpu explain n + local"))
"""
    lines = debugger.python(code, *STOPPED, file=demo).splitlines()
    said = "1 more variable, not explained: what is above counts as more than 10 characters"
    [line] = (index for index, line in enumerate(lines) if line.startswith(said))
    assert lines[line + 1] == "expression n + local"
    assert [each.split()[1] for each in lines if each.startswith("=>")] == [
        "n", "n", "n", "local", "n",
    ]  # fmt: skip


def test_location_is_drawn(debugger: Debugger, demo: Path) -> None:
    code = "print(said('dwarfgpu location sp->b2')); print(hex(gdb.parse_and_eval('sp')))"
    lines = debugger.python(code, *STOPPED, file=demo).splitlines()
    first, bits, address = lines[0], lines[-2], int(lines[-1], 16)
    assert first.startswith(f'"sp->b2" is {address + 76:#x} + bit 3, 5 bits.')
    assert any("┌" in line or "+-" in line for line in lines)
    assert bits.split()[:2] == ["bits", "0-4"]


def test_where_marks_the_selected_frame(debugger: Debugger, optimized: Path) -> None:
    code = """
first = said("dwarfgpu where n").splitlines()
lost = said("dwarfgpu where lost")
gdb.selected_frame().older().select()
second = said("dwarfgpu where n").splitlines()
print(first[0], *[each for each in first if each.startswith("=>")], sep="|")
print(second[0], *[each for each in second if each.startswith("=>")], sep="|")
print(*[each for each in first if "100.0%" in each])
print(lost)
"""
    lines = debugger.python(code, "break leaf", "run", file=optimized).splitlines()
    leaf, mid = lines[0].split("|"), lines[1].split("|")
    assert leaf[0] == "parameter int n, declared at line 81"
    assert len(leaf) == 2 and leaf[1].endswith("in rsi: DW_OP_reg4 RSI")
    assert mid[0] == "parameter int n of mid, declared at line 100"
    assert len(mid) == 2 and "its value on entry to the function" in mid[1]
    assert lines[2].endswith("100.0% of 162 bytes")
    assert lines[3] == "local int lost, declared at line 83"
    assert "0.0% of" in lines[-1]


def test_the_function_is_assigned_to_in_memory(debugger: Debugger, demo: Path) -> None:
    code = """
gdb.execute('set var $dwarfgpu("n") = 11')
gdb.execute('set var $dwarfgpu("sp->in[0]").count = 5')
print(said("output n"), said("output sp->in[0].count"))
"""
    assert debugger.python(code, *STOPPED, file=demo) == "11 5\n"


def test_the_function_in_a_condition(debugger: Debugger, demo: Path) -> None:
    """No event shows that the program ran between the two conditions."""
    commands = ('break factorial if $dwarfgpu("n") == 3', "run", "output n")
    out, err = debugger.run(*commands, file=demo)
    assert out.endswith("3") and "Error" not in err


def test_stops_that_are_not_seen(debugger: Debugger, demo: Path) -> None:
    code = """
import dwarfgpu.gdb as dg
seen = []
class Every(gdb.Breakpoint):
    frame = None
    def stop(self):
        n = dg.variable("n")
        outer = dg.frame(1)
        first = n.text
        seen.append((first, n.text, outer.variable("n").text if outer.function == "factorial"
                     else outer.function, dg.value("$rsp").text))
        return False
Every("factorial")
gdb.execute("run", to_string=True)
print([each[:3] for each in seen], len({each[3] for each in seen}))
"""
    out = debugger.python(code, file=demo)
    expected = [("5", "5", "main"), *((str(n), str(n), str(n + 1)) for n in (4, 3, 2, 1))]
    assert out.splitlines()[-1] == f"{expected} 5"


def test_the_function_of_what_is_optimized_out(debugger: Debugger, optimized: Path) -> None:
    code = """print(said('print $dwarfgpu("lost")')); print(said('output $dwarfgpu("n") + 1'))"""
    lost, number = debugger.python(code, "break leaf", "run", file=optimized).splitlines()
    assert lost.startswith("error: value has been optimized out: ") and number == "43"


def frames(debugger: Debugger, file: Path, *before: str) -> list[Any]:
    """The objects of `info-locals --json`, which are what the schema says."""
    out = debugger.python("gdb.execute('dwarfgpu info-locals --json')", *before, file=file)
    result = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    for frame in result:
        validator("info-locals").validate(frame)
    return result


def test_every_frame_of_the_thread(debugger: Debugger, demo: Path) -> None:
    leaf, mid, main = frames(debugger, demo, *STOPPED)
    assert [frame["function"] for frame in (leaf, mid, main)] == ["leaf", "mid", "main"]
    assert [frame["level"] for frame in (leaf, mid, main)] == [0, 1, 2]
    assert not any(frame["inlined"] for frame in (leaf, mid, main))
    n = next(variable for variable in leaf["variables"] if variable["name"] == "n")
    place = n.pop("result")["places"][0]
    assert place["storage"] == "memory" and leaf["cfa"] - 256 < place["address"] < leaf["cfa"]
    assert n == {
        "name": "n", "line": 81, "kind": "parameter", "type": "int", "state": "ok", "notes": [],
        "bytes": "2a000000", "undefined_bits": [], "unavailable_bits": [], "text": "42", "data": 42,
    }  # fmt: skip
    locals_ = [variable["name"] for variable in leaf["variables"] if variable["kind"] == "local"]
    assert {"lost", "ratio", "array", "into"} < set(locals_)
    assert leaf["registers"]["16"] == leaf["pc"].to_bytes(8, "little").hex()
    assert mid["registers"]["7"] == leaf["cfa"].to_bytes(8, "little").hex()
    assert mid["registers"]["16"] == mid["pc"].to_bytes(8, "little").hex()
    assert "0" in leaf["registers"] and "0" not in mid["registers"]  # callees may change rax


def test_the_states_of_variables_and_inlined_frames(debugger: Debugger, optimized: Path) -> None:
    result = frames(debugger, optimized, "break clamp", "run")
    names = [(frame["level"], frame["function"], frame["inlined"]) for frame in result]
    assert names == [(0, "clamp", True), (1, "leaf", False), (2, "mid", False), (3, "main", False)]
    assert result[0]["cfa"] == result[1]["cfa"]
    assert [variable["name"] for variable in result[0]["variables"]][-1] == "value"
    states = {variable["name"]: variable for variable in result[1]["variables"]}
    lost = states["lost"]
    assert lost["state"] == "optimized-out" and lost["error"]["kind"] == "UndefinedBits"
    assert lost["text"] == "<optimized out>" and "result" not in lost
    text = states["text"]
    assert text["state"] == "partial" and text["bytes"] == "6c" + 15 * "??"
    assert text["undefined_bits"] == [{"bit_offset": 8, "bit_size": 120}]
    assert states["n"]["state"] == "ok"


def test_a_variable_that_cannot_be_read(debugger: Debugger, demo: Path) -> None:
    result = frames(debugger, demo, *STOPPED, "set var $rbp = 4096")
    n = next(variable for variable in result[0]["variables"] if variable["name"] == "n")
    assert n["state"] == "unavailable" and n["text"] == "<unavailable>"


def test_locals_for_people(debugger: Debugger, demo: Path) -> None:
    out = debugger.python("gdb.execute('dwarfgpu info-locals')", *STOPPED, file=demo).splitlines()
    assert out[0] == "#0  leaf" and "    int n = 42" in out and "#2  main" in out


def test_no_program_runs(debugger: Debugger, demo: Path) -> None:
    _, err = debugger.run("dwarfgpu info-locals --json", file=demo)
    assert err.strip() == "No stack."


def test_operands_of_two_types_are_read_as_on_the_command_line(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Clang computes with a base type and literals: the value and the note are the same."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("clang-19"), "-g", "-O2", "-o", "a", "a.c"]])
    program, core = with_core(tool, tmp_path)
    explained = run("explain", "--file", program, "--core", core, "k")
    assert "=> k = -22\n" in explained.out and explained.notes == [NOTE_OF_CLANG]
    (base,) = set(re.findall(r"DW_OP_convert (0x\w+), DW_OP_lit3", explained.out))
    operations = f"lit7; convert {base}; consts -3; mul"
    evaluated = run("eval", "--file", program, "--core", core, "-e", operations)
    assert evaluated.notes == [NOTE_OF_CLANG]
    out, err = debugger.run(
        "run", "frame function f", "echo @@", "dwarfgpu print k", "echo @@",
        "dwarfgpu explain k", "echo @@", f"dwarfgpu eval-ops {operations}",
        file=Path(program),
    )  # fmt: skip
    printed, explained_there, evaluated_there = out.split("@@")[1:]
    assert printed == f"k = -22\nnote: {NOTE_OF_CLANG}\n", err
    assert "=> k = -22\n" in explained_there and f"note: {NOTE_OF_CLANG}\n" in explained_there
    assert evaluated_there == f"{evaluated.out}note: {NOTE_OF_CLANG}\n"
    assert evaluated.out == "-21 (DW_ATE_signed_64)\n"


def test_numbers_that_are_cut_are_noted(debugger: Debugger, demo: Path) -> None:
    out, err = debugger.run(*STOPPED, "echo @@", "dwarfgpu eval-ops constu 0x10000000000000003",
                            file=demo)  # fmt: skip
    note = "note: DW_OP_constu at offset 0x0: a number of 65 bits: its low 64 bits are used"
    assert out.split("@@")[1] == f"3\n{note}\n", err
