"""`dwarfgpu eval` of operations: the context on the command line, text output, errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.options.program_name import program_name
from tests.cli.command import FIXTURES, REPOSITORY, STATES, run, run_json

ASM = STATES / "locations.gfx942.json"
OWN_DWORD = "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset"
PRIVATE = "lit16; lit5; LLVM_form_aspace_address; deref_size 4"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["lit4; lit4; mul"], "16"),
        (["lit4", "lit4", "mul"], "16"),
        (["-e", "lit4, lit4, mul"], "16"),
        (["--hex", "34341e"], "16"),
        (["--hex", "0x34,", "0x34,", "0x1e"], "16"),
        ([OWN_DWORD, "--lane", "3"], "v3 + byte 12 (wave 0)"),
        ([OWN_DWORD, "--lane", "0x3"], "v3 + byte 12 (wave 0)"),
        ([f"{OWN_DWORD}; deref_size 4", "--lane", "1", "--reg", "v3=[10, 11]"], "11"),
        (["breg5 2", "--arch", "x86_64", "--reg", "rdi=0x10"], "0x12"),
        (["breg5 2; deref", "--arch", "x86_64", "--reg", "rdi=-2", "--mem", "0=" + "01" * 8],
         "72340172838076673 (0x101010101010101)"),
        (["regx s4; deref_size 4", "--reg", "s4=bytes:0a000000"], "10"),
        (["LLVM_push_lane", "--lane", "2", "--lane", "5"], "5"),
        (["LLVM_push_lane", "--lane", "99", "--lanes", "128"], "99"),
        (["LLVM_push_iteration", "--iteration", "5"], "5"),
        (["minus", "--push", "3", "--push", "4"], "-1 (generic 0xffffffffffffffff)"),
        (["plus_uconst 1", "--push", "lit5; lit6; mul"], "31"),
        (["call_frame_cfa", "--cfa", "0x1000"], "0x1000 (global)"),
        (["call_frame_cfa", "--cfa", "private_wave#0x1000"], "private_wave#0x1000 (wave 0)"),
        (["fbreg -8", "--frame-base", "private_lane#0x20", "--lane", "1"],
         "private_lane#0x18 (wave 0, lane 1)"),
        (["push_object_address", "--object", "regx s4"], "s4 (wave 0)"),
        (["push_object_address; plus_uconst 8", "--object", "0x500"], "1288"),
        ([PRIVATE, "--lane", "3", "--mem", "private_lane#0x10=0a000000"], "10"),
        ([PRIVATE, "--lane", "3", "--mem", "private_lane[3]#0x10=0a000000"], "10"),
        ([PRIVATE, "--lane", "3", "--mem", "private_wave#0x40c=0a000000"], "10"),  # one store
        (["lit16; deref_size 4", "--mem", "global#0x10=0a000000"], "10"),
        (["lit16; deref_size 4", "--mem", "16=0a 00 00 00"], "10"),
        (["lit1", "--want", "location"], "0x1 (global)"),
        (["regx s30", "--want", "location"], "s30 (wave 0)"),
        (["--hex", "e103", "--dialect", "amd-direct", "--push", "1", "--push", "5", "--lane", "0"],
         None),
        (["addr 0x1600", "--arch", "gfx1100"], "0x1600 (global)"),
        (["lit1", "--arch", "gfx90a", "--wave", "7"], "1"),
    ],
)  # fmt: skip
def test_a_result(arguments: list[str], expected: str | None) -> None:
    done = run("eval", *arguments)
    if expected is None:
        assert done.status in (0, 1)
        return
    assert (done.out, done.status) == (expected + "\n", 0), done.err
    assert run_json("eval", *arguments).status == 0


def test_all_lanes() -> None:
    done = run("eval", OWN_DWORD, "--lane", "all", "--lanes", "3")
    assert done.out == "[0] v3 (wave 0)\n[1] v3 + byte 4 (wave 0)\n[2] v3 + byte 8 (wave 0)\n"


def test_equal_neighbours_share_a_line_unless_they_differ_in_activity() -> None:
    values = "v3=[5, 5, 5, 5, 6, 6, 7]"
    done = run(
        "eval", f"{OWN_DWORD}; deref_size 4", "--lane", "all", "--reg", values, "--reg", "exec=0x73"
    )
    assert done.lines[:4] == ["[ 0- 1] 5", "[ 2- 3] 5 (inactive)", "[ 4- 5] 6", "[ 6]    7"]
    first_unknown = done.lines[4]
    assert first_unknown.startswith("[ 7]    <error: Unavailable: DW_OP_deref_size at offset 0x9: ")
    assert first_unknown.endswith("; give it with --reg, or a state with it> (inactive)")
    assert done.status == 0  # every active lane has a value


def test_one_line_where_all_lanes_agree() -> None:
    done = run("eval", "lit7", "--lane", "all", "--reg", "exec=0xf0")
    assert done.out == "[ 0-63] 7\n"


@pytest.mark.parametrize(
    ("architecture", "name"),
    [("x86_64", "rip"), ("i386", "eip"), ("aarch64", "pc"), ("gfx942", "pc")],
)
def test_the_program_location_is_in_the_program_counter(
    architecture: str, name: str, tmp_path: Path
) -> None:
    question = ("--pc", "0x40", "-e", f"regx {name}; deref")
    assert run("eval", "--arch", architecture, *question).lines == ["64"]
    path = tmp_path / "state.json"
    wave = {"pc": "0x100"}
    schema = "dwarfgpu-state-1"
    path.write_text(json.dumps({"schema": schema, "architecture": architecture, "waves": [wave]}))
    assert run("eval", "--state", path, *question).lines == ["64"]  # not that of the state
    assert run("eval", "--state", path, *question, "--reg", f"{name}=5").lines == ["5"]


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        # the caller
        ([], 2, "nothing to evaluate: give operations, or --file and names"),
        ([""], 2, "nothing to evaluate: give operations, or --file and names"),
        (["const1u 300"], 2, "1:1: 'const1u': 300 does not fit an unsigned operand of 1 byte"),
        (["--hex"], 2, "--hex needs the bytes of an expression"),
        (["lit1", "-e", "lit2"], 2, "give operations with -e or as arguments, not both"),
        (["regx v3; push_lane"], 2,
         "1:10: 'push_lane': unknown operation; did you mean LLVM_push_lane?"),
        (["--hex", "zz"], 2, None),
        (["lit1", "--bogus"], 2,
         f"unrecognized arguments: --bogus; see {program_name()} eval --help"),
        (["lit1", "--mem", "0x10"], 2, "--mem 0x10: expected SPACE#ADDRESS=HEX"),
        (["lit1", "--mem", "0x10=zz"], 2,
         '--mem 0x10=zz: bytes: expected bytes in hex, two digits each, not "zz"'),
        (["lit1", "--mem", "foo#1=00"], 2, None),
        (["lit1", "--mem", "0=00", "--mem", "0=01"], 2,
         "--mem 0=01: global memory at 0x0 is given twice, with other contents"),
        (["lit1", "--reg", "s4=1", "--reg", "S4=1"], 2,
         "--reg S4=1: register s4 is given twice"),
        (["lit1", "--mem", "region#0=00"], 2, None),
        (["lit1", "--reg", "s4"], 2, "--reg s4: expected NAME=VALUE"),
        (["lit1", "--reg", "q4=1"], 2, "--reg q4=1: gfx942 has no register q4"),
        (["lit1", "--reg", "s4=x"], 2, '--reg s4: value: expected an integer, not "x"'),
        (["lit1", "--reg", "s4=0x100000000"], 2, None),
        (["lit1", "--reg", "v3=[1,2"], 2,
         "--reg v3: a ] is missing at the end"),
        (["lit1", "--reg", "v3=" + "[" * 100_000], 2, None),
        (["lit1", "--reg", "s4=" + "9" * 5000], 2, None),
        (["lit1", "--pc", "9" * 5000], 2, None),
        (["lit1", "--lane", "x"], 2,
         "--lane x: expected a lane, several as in 0-3,7, or active, inactive or all"),
        (["lit1", "--lane", "-1"], 2, "--lane: expected an integer of at least 0, not -1"),
        (["lit1", "--iteration", "-1"], 2, None),
        (["lit1", "--arch", "gfx9000"], 2, None),
        (["lit1", "--load-address", "0x1000"], 2, None),
        (["lit1", "--cfa", "zz#1"], 2,
         "--cfa zz#1: no address space zz; known: global, generic, region, local, private_lane, "
         "private_wave"),
        (["lit1", "--push", "bogus"], 2, "1:1: 'bogus': unknown operation"),
        (["lit1", "--state", "/"], 2, "/ cannot be read: Is a directory"),
        (["lit1", "--state", "/dev/null"], 2, None),
        (["lit1", "--state", "\0"], 2, None),
        (["t", "--file", "/nonexistent"], 2, None),
        (["t", "--file", "\0"], 2, None),
        (["t", "--file", str(FIXTURES / "README.md")], 2, None),
        (["t", "--state", str(ASM), "--wave", "7"], 2,
         "--wave 7: the state has no such wave; it has only wave 0"),
        (["t", "--state", str(ASM), "--arch", "x86_64"], 2,
         "--arch x86_64, but the state is of gfx942"),
        (["t", "--state", str(ASM), "--file", str(FIXTURES / "x86_64/demo.gcc.O0.v5")], 2,
         "demo.gcc.O0.v5 is for x86_64, but the state is of gfx942"),
        (["lit3; lit4", "--state", str(ASM)], 2,
         "Invalid character ';' in expression; give operations with -e"),
        (["lit3", "--state", str(ASM)], 2,
         'No symbol "lit3" in current context; give operations with -e'),
        (["a\nb\x1b[2J", "--state", str(ASM)], 2, r"Invalid character '\x1b' in expression."),
        # the context
        (["LLVM_push_lane"], 1, "MissingContext: DW_OP_LLVM_push_lane at offset 0x0: "
         "the context has no lane; give --lane N"),
        (["LLVM_push_iteration"], 1, "MissingContext: DW_OP_LLVM_push_iteration at offset 0x0: "
         "the context has no iteration; give --iteration N"),
        (["call_frame_cfa"], 1, "MissingContext: DW_OP_call_frame_cfa at offset 0x0: "
         "the context has no canonical frame address (CFA); give --cfa ADDR"),
        (["entry_value(regx s4)"], 1, "MissingContext: DW_OP_entry_value at offset 0x0: "
         "the context has no program location, needed to start unwinding; give --pc ADDR"),
        (["push_object_address"], 1, None),
        (["fbreg 0"], 1, None),
        (["regval_type v3 1"], 1, None),
        (["lit1", "--lane", "99"], 2, "--lane 99: the wave has 64 lanes, from 0"),
        (["lit1", "--lanes", "0"], 1, "InconsistentContext: lane count 0: must be greater than 0"),
        (["lit1", "--lanes", "100000000", "--lane", "all"], 1,
         "LimitExceeded: 100000000 lanes: at most 1024 are evaluated together"),
        (["lit1", "--arch", "gfx942", "--lanes", "65", "--lane", "64"], 1,
         "InconsistentContext: lane count 65 and the wave of 64 lanes disagree: --lanes N has at "
         "most 64"),
        (["lit1", "--arch", "gfx1100", "--lanes", "65", "--lane", "all"], 1,
         "InconsistentContext: lane count 65 and the wave of 64 lanes disagree: --lanes N has at "
         "most 64"),
        (["--demo", "t", "--lanes", "0"], 1,
         "InconsistentContext: lane count 0: must be greater than 0"),
        (["--demo", "t", "--lanes", "1025", "--lane", "3"], 1,
         "LimitExceeded: 1025 lanes: at most 1024 are evaluated together"),
        # the machine
        (["lit16; deref_size 4"], 1, None),
        # the producer
        (["regx s30", "--want", "value"], 1, "IllFormed: a value is required, not a register "
         "location description"),
        (["lit16; lit1; LLVM_bit_offset; lit1; plus"], 1, "IllFormed: DW_OP_plus at offset 0x5: a "
         "value is required, not a location within a byte of memory (bit 1), which converts to no "
         "value"),
        (["lit0; div"], 1, "IllFormed: DW_OP_div at offset 0x1: 2 stack entries needed, "
         "the stack has 1"),
        (["lit1; lit0; div"], 1, "EvaluationError: DW_OP_div at offset 0x2: division by zero"),
        (["skip -3"], 1, None),
        # the bytes
        (["--hex", "0d"], 1, None),
        (["--hex", "90"], 1, None),
    ],
)  # fmt: skip
def test_an_error_is_one_line(arguments: list[str], status: int, expected: str | None) -> None:
    done = run("eval", *arguments)
    assert done.status == status, done.err
    assert done.out == ""
    assert done.error.isprintable()
    if expected is not None:
        assert done.error == expected
    answer = run_json("eval", *arguments)
    assert answer.status == status
    assert "error" in answer.json


LONG = "x" * 5_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", LONG),
        ("eval", "--demo", LONG),
        ("eval", "--demo", LONG, LONG),
        ("eval", "--reg", f"{LONG}=4", "lit1"),
        ("eval", "--state", LONG, "t"),
        ("where", "--demo", LONG),
        ("conformance", LONG),
        (LONG,),
    ],
)
def test_a_line_does_not_repeat_all_of_a_long_input(arguments: tuple[str, ...]) -> None:
    lines = run(*arguments).err.splitlines()
    assert lines and all(len(line) < 1100 for line in lines)
    if arguments[0] == "eval":
        error = run_json(*arguments).json.get("error")
        assert error is None or len(error["message"]) < 600


def test_provisional_operations_are_marked() -> None:
    done = run("eval", "LLVM_push_iteration", "--iteration", "5")
    assert done.notes == [
        "dialect amd-provisional: operations without a number today have provisional numbers of "
        "dwarfgpu"
    ]


def test_operations_in_the_unit_of_the_program_location() -> None:
    text = "regx v6; LLVM_push_lane; call4 0x35d; LLVM_offset"  # __scaled of the fixture
    done = run("eval", "--state", ASM, "--lane", "2", "-e", text)
    assert done.out == "v6 + byte 8 (wave 0)\n"


def test_undefined_is_not_a_result() -> None:
    for expression in ("LLVM_undefined", "lit1; drop", ""):
        done = run("eval", "-e", expression)
        assert (done.out, done.status) == ("<optimized out>\n", 1)
        answer = run_json("eval", "-e", expression)
        assert answer.json["result"] == {"kind": "location", "places": [{"storage": "undefined"}]}
        assert answer.status == 1


def process(
    *arguments: str, encoding: str = "utf-8", out: int | str = subprocess.PIPE
) -> tuple[str, str, int]:
    """Run in a process of its own, as from a shell."""
    stdout = out if isinstance(out, int) else open(out, "w")  # noqa: SIM115
    done = subprocess.run(
        [sys.executable, "-P", "-m", "dwarfgpu", *arguments],
        env={"PYTHONPATH": str(REPOSITORY), "PYTHONIOENCODING": encoding},
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    return (done.stdout or b"").decode(), done.stderr.decode(), done.returncode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_cannot_be_written_is_one_line() -> None:
    _, err, status = process("eval", "lit1", out="/dev/full")
    assert (err, status) == (
        "dwarfgpu: the output cannot be written: No space left on device\n", 2
    )  # fmt: skip


def test_a_terminal_without_the_characters_is_not_an_error() -> None:
    out, err, status = process("explain", "lit0; lit1; plus; skip -5", encoding="ascii")
    assert (err, status) == ("", 1)
    assert "... " in out  # steps left out


def test_the_start_is_lazy() -> None:
    program = (
        "import sys; from dwarfgpu.cli.main import main; main(['eval', 'lit1']);"
        "print(sorted({'numpy', 'prompt_toolkit', 'pygments'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n[]\n"


def test_options_come_before_the_state(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    wave = {
        "registers": {"s4": 1},
        "memory": [{"space": "private_lane", "lane": 3, "address": 16, "bytes": "01000000"}],
    }
    document = {"schema": "dwarfgpu-state-1", "architecture": "gfx942", "waves": [wave]}
    document["memory"] = [{"address": 16, "bytes": "0102030405060708"}]
    state.write_text(json.dumps(document))
    focus = ("eval", "--state", state, "--lane", 3)
    s4 = "regx s4; deref_size 4"
    assert run(*focus, s4).out == "1\n"
    assert run(*focus, s4, "--reg", "s4=5").out == "5\n"
    assert run(*focus, PRIVATE, "--mem", "private_lane#0x10=0a000000").out == "10\n"
    # In private_wave it is the same store; what is not given again stays.
    assert run(*focus, PRIVATE, "--mem", "private_wave#0x40d=01").out == "257\n"
    done = run(*focus, "lit16; deref_size 8", "--mem", "0x12=ffff")
    assert "(0x8070605ffff0201)" in done.out
    done = run(*focus, "lit16; deref_size 8", "--mem", "0xe=" + "00" * 4)
    assert "(0x807060504030000)" in done.out
    done = run(*focus, s4, "--mem", "0x12=ff", "--mem", "0x11=eedd")
    assert (
        done.error == "--mem 0x11=eedd: global memory at 0x12 is given twice, with other contents"
    )


def test_a_name_without_a_file_is_not_an_operation() -> None:
    done = run("eval", "total")
    assert done.error.endswith("; to evaluate a variable, give its FILE before it")


def test_a_lane_that_the_wave_does_not_have_has_no_pc() -> None:
    done = run("eval", "--demo", "--lane", "64", "t")
    assert "--lane 64: the wave has 64 lanes, from 0" in done.error
    assert done.notes == []


@pytest.mark.parametrize(
    ("option", "text", "reason"),
    [
        ("--reg", "{}=1", "gfx942 has no register "),
        ("--reg", "{}", "expected NAME=VALUE"),
        ("--reg", "s4=1,{}", "values of lanes are a list: s4=[1,"),
        ("--mem", "{}", "expected SPACE#ADDRESS=HEX"),
        ("--mem", "0x10={}", "expected bytes in hex"),
        ("--cfa", "{}#0", "no address space "),
    ],
)
def test_a_long_text_leaves_the_reason_in_sight(option: str, text: str, reason: str) -> None:
    done = run("eval", "--arch", "gfx942", option, text.format("q" * 900), "lit1")
    assert done.error.startswith(f"{option} ") and reason in done.error
    assert len(done.error) < 300
