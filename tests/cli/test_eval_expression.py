"""`dwarfgpu eval` and `explain` of expressions of the source language."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.options.program_name import program_name
from tests.cli.command import FIXTURES, STATES, run, run_json
from tests.work import at_most

ASM = STATES / "locations.gfx942.json"
DATA = STATES / "data.gfx942.O0.json"
CPU = STATES / "demo.gcc.O0.json"
PROGRAM = FIXTURES / "x86_64/demo.gcc.O0.v5"


@pytest.mark.parametrize(
    ("state", "expression", "expected"),
    [
        (ASM, "local_frame.at[1].x", "-3"),
        (ASM, "&local_frame.at[1]", "(point *) private_lane#0x2c"),
        (ASM, "pointer_frame->id", "3"),
        (ASM, "*pointer_generic", "16003"),
        (ASM, "local_array[1]@2", "{68003, 72003}"),
        (ASM, "(int *) pointer_generic", "(int *) 0x2000000000010 = private_lane#0x10"),
        (ASM, "(int *) 0x1000000000010", "(int *) 0x1000000000010 = local#0x10"),
        (ASM, "$v0[$_lane]", "3"),
        (ASM, "$_lane_count", "64"),
        (ASM, "*(int *) local#0x10", "-16"),
        (ASM, "local#0x10", "(void *) local#0x10"),
        (ASM, "k::t + 1", "4"),
        (ASM, "sizeof(frame) + sizeof local_frame", "48"),
        (ASM, "helper", "{int (int)} 0x1684 <helper(int)>"),  # a name of something else
        (ASM, "(void) 1", "void"),
        (ASM, "pointer_implicit + 1", "(long *) <synthetic pointer>"),
        (DATA, "GREEN", "GREEN"),
        (DATA, "vec.x + vec[3]", "4"),
        (CPU, "'demo.c'::message", '"hello, dwarf\\n"'),
        (CPU, "array[n & 3] * 1.5", "-3"),
        (CPU, "leaf::ratio", "3"),
        (CPU, "(long double) 1.25", "1.25"),
    ],
)
def test_values(state: Path, expression: str, expected: str) -> None:
    lane = () if state is CPU else ("--lane", 3)
    done = run("eval", "--state", state, *lane, expression)
    assert (done.out, done.status) == (f"{expression} = {expected}\n", 0), done.err
    answer = run_json("eval", "--state", state, *lane, expression)
    assert (answer.json["text"], answer.status) == (expected, 0)


@pytest.mark.parametrize(
    ("expression", "status", "message"),
    [
        ("nosuch", 2, 'No symbol "nosuch" in current context.'),
        ("t + nosuch", 2, 'No symbol "nosuch" in current context.'),
        ("local_arra", 2, 'No symbol "local_arra" in current context. Did you mean "local_array"?'),
        ("local_frame.nope", 2, "There is no member named nope."),
        ("*t.x", 2, "Attempt to extract a component of a value that is not a structure."),
        ("1 + )", 2, "A syntax error in expression, near `)'."),
        ("regx v6", 2, 'No symbol "regx" in current context; give operations with -e'),
        ("DW_OP_lit4; lit5", 2, "Invalid character ';' in expression; give operations with -e"),
        ("frame", 2, "Attempt to use a type name as an expression"),
        ("$v600", 2, '"$v600" is not a register of gfx942. Did you mean "$v60"?'),
        (
            "$_workitem",
            2,
            '"$_workitem" is not a register of gfx942. Did you mean "$_workitem_id"?',
        ),
        ("t + $exce", 2, '"$exce" is not a register of gfx942. Did you mean "$exec"?'),
        ("$_lanes", 2, '"$_lanes" is not a register of gfx942. Did you mean "$_lane"?'),
        (
            "$_exitcode",
            2,
            '"$_exitcode" is not a register of gfx942. '
            "GDB's convenience variables have values at the prompt: dwarfgpu debug.",
        ),
        ("sizeof($nope)", 2, '"$nope" is not a register of gfx942.'),
        (
            "$x = 1",
            2,
            "assignments are not possible here: use set var at the prompt of dwarfgpu debug",
        ),
        ("t / 0", 1, "t / 0: EvaluationError: Division by zero"),
        ("undefined + 1", 1, "undefined + 1: <optimized out> (value has been optimized out)"),
        ("helper(1)", 1, "helper(1): Unsupported: functions of the program cannot be called"),
    ],
)
def test_errors(expression: str, status: int, message: str) -> None:
    done = run("eval", "--state", ASM, "--lane", 3, expression)
    assert (done.error, done.out, done.status) == (message, "", status)
    answer = run_json("eval", "--state", ASM, "--lane", 3, expression)
    assert answer.status == status
    assert (answer.json["error"]["kind"] == "UsageError") == (status == 2)


@pytest.mark.parametrize("expression", ["t = 3", "t++", "t--", "(--t)", "t += 1", "$x = 1"])
def test_nothing_is_assigned(expression: str) -> None:
    before = ASM.read_bytes()
    done = run("eval", "--state", ASM, "--lane", 3, expression)
    assert done.error.startswith("assignments are not possible here: use set var at the prompt of")
    assert done.status == 2 and ASM.read_bytes() == before


@pytest.mark.parametrize(
    ("expression", "kind", "type_name", "value"),
    [
        ("t + 1", "value", "int", 4),
        ("&local_frame.at[1]", "value", "point *", 0x2C),
        ("t > 1", "value", "bool", 1),
        ("t * 0.5", "value", "double", 1.5),
        ("local_frame.at[1].x", "location", "int", None),
        ('"ab"', "location", "char [3]", None),
        ("$v0[1]", "location", "int32_t", None),
        ("pointer_implicit", "location", "long *", None),
        ("pointer_implicit + 1", "implicit_pointer_value", "long *", None),
    ],
)
def test_json(expression: str, kind: str, type_name: str | None, value: object) -> None:
    answer = run_json("eval", "--state", ASM, "--lane", 3, expression).json
    assert (answer["result"]["kind"], answer.get("type")) == (kind, type_name)
    assert answer["result"].get("value") == value
    if kind == "value":
        assert answer["result"]["type"]["name"] == type_name
        assert answer["result"]["hex"] == answer["bytes"]


def test_a_partly_known_object_is_shown() -> None:
    arguments = ("--state", ASM, "--lane", 3, "*&half_undefined")
    assert run("eval", *arguments).status == 2  # it is in no memory
    answer = run_json("eval", "--state", ASM, "--lane", 3, "half_undefined, half_undefined")
    assert (answer.status, answer.json["bytes"]) == (1, "????????01000000")
    assert answer.json["undefined_bits"] == [{"bit_offset": 0, "bit_size": 32}]


def test_names_and_expressions_together() -> None:
    done = run("eval", "--state", ASM, "--lane", 3, "t", "t + 1")
    assert done.out == "t = 3\nt + 1 = 4\n"
    first, second = run_json("eval", "--state", ASM, "--lane", 3, "t", "t + 1").json["variables"]
    assert (first["kind"], first["line"], second["kind"], second["line"]) == (
        "local", 21, "expression", None,
    )  # fmt: skip


def test_every_lane() -> None:
    done = run("eval", "--state", ASM, "--lane", "all", "12 / (t - 3)")
    assert done.lines[2:6] == [
        "[ 2]    -12",
        "[ 3]    <error: EvaluationError: Division by zero>",
        "[ 4-31] <not in this frame> (inactive)",
        "[32-47] 0",
    ]
    assert done.status == 1
    lanes = run_json("eval", "--state", ASM, "--lane", "all", "12 / (t - 3)").json["lanes"]
    assert len(lanes) == 64 and lanes[3]["error"]["kind"] == "EvaluationError"
    done = run("eval", "--state", ASM, "--lane", "all", "t", "t * 2")
    assert "t * 2:" in done.lines
    # What has no meaning in one lane is its error; what has none in any, the request's.
    done = run("eval", "--state", ASM, "--lane", "all", "$v0[t + 20]")
    assert done.lines[-3:] == [
        "[43]    63",
        "[44-47] <error: no such vector element>",
        "[48-63] <not in this frame> (inactive)",
    ]
    done = run("eval", "--state", ASM, "--lane", "all", "t + nosuch")
    assert (done.error, done.status) == ('No symbol "nosuch" in current context.', 2)


def test_notes_state_the_assumptions() -> None:
    done = run("eval", "--demo", "--lane", 4, "t * 2")
    assert done.out == "t * 2 = 648\n"
    assert done.notes == run("eval", "--demo", "--lane", 4, "t").notes != []
    done = run("eval", "--demo", "--lane", 4, "r + 1")
    assert (done.status, len(done.notes)) == (1, 1)


def test_operations_stay_operations() -> None:
    assert run("eval", "lit3; lit4; plus").out == "7\n"
    assert run("eval", "--state", ASM, "--lane", 3, "-e", "lit4; lit5; mul").out == "20\n"
    assert run("eval", "--state", ASM, "--lane", 3, "--hex", "34").out == "4\n"


def test_an_expression_that_looks_like_an_option() -> None:
    assert run("eval", "--state", ASM, "--lane", 3, "(-t)", "-t + 1").lines == [
        "(-t) = -3",
        "-t + 1 = -2",
    ]


def test_places_are_verified() -> None:
    arguments = ("--state", ASM, "--pc", 0x1610, "--lane", 3, "--verify-places")
    name, expression = (run("eval", *arguments, text) for text in ("two_places", "(two_places)"))
    assert name.status == expression.status
    assert [note for note in expression.notes if "place" in note] == [
        note for note in name.notes if "place" in note
    ]


def test_only_the_element_is_read() -> None:
    """What is not in the state is only missed where it is asked for."""
    arguments = ("--state", DATA, "--lane", 3)
    memory = ("--mem", "private_lane#0x38=0000803f00000040")  # of s: corner[0].x and y
    whole = run_json("eval", *arguments, *memory, "s")
    one = run("eval", *arguments, *memory, "s.corner[0].x", "(&s.corner[1])[-1].y * 2")
    assert whole.status == 1 and len(whole.json["unavailable_bits"]) == 2
    assert (one.out, one.status) == ("s.corner[0].x = 1\n(&s.corner[1])[-1].y * 2 = 4\n", 0)


def test_what_the_machine_does_not_tell() -> None:
    """As for a variable: the answer has the location, but no bytes."""
    arguments = ("--state", ASM, "--lane", 3, "*(int *) local#0x7000")
    done = run("eval", *arguments)
    assert (done.out, done.status) == ("*(int *) local#0x7000 = <unavailable>\n", 1)
    assert done.notes == [
        "*(int *) local#0x7000 is not available: cannot access memory at address local#0x7000: "
        "not in the state"
    ]
    answer = run_json("eval", *arguments).json
    assert (answer["bytes"], answer["text"]) == ("????????", "<unavailable>")
    assert answer["result"]["places"][0]["address"] == 0x7000


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("a<>" + "::a<>" * 1900 + "!", 2),
        ("\\" * 9000 + "'", 2),
        ("a::" * 3000, 2),
        ("x" * 9000 + "(", 2),
    ],
)
def test_odd_names_are_refused_at_once(text: str, status: int) -> None:
    with at_most(10_000_000):
        assert run("eval", "--state", ASM, "--lane", 3, text).status == status


def test_namespaces() -> None:
    program = FIXTURES / "x86_64/names.clang.O0.v5"
    names = ["shared", "::shared", "ns::shared + ::shared", "ns::TWO", "&ns::shared == &::shared"]
    answers = run_json("eval", "--file", program, *names).json["variables"]
    assert [answer["text"] for answer in answers] == ["4", "4", "5", "ns::TWO", "false"]


def test_explain_describes_each_variable_of_an_expression() -> None:
    done = run("explain", "--state", ASM, "--lane", 3, "t + local_array[1]")
    assert [line for line in done.lines if line.startswith(("local", "=>", "expression"))] == [
        "local int t, declared at line 21, for lane 3",
        "=> t = 3",
        "local int [4] local_array, declared at line 21, for lane 3",
        "=> local_array = {64003, 68003, 72003, 76003}",
        "expression t + local_array[1], for lane 3",
        "=> t + local_array[1] = 68006",
    ]
    answer = run_json("explain", "--state", ASM, "--lane", 3, "t + local_array[1]").json
    assert [variable["name"] for variable in answer["variables"]] == ["t", "local_array"]
    assert answer["text"] == "68006" and answer["variables"][0]["steps"]


def test_explain_names_undefined_bits() -> None:
    done = run("explain", "--state", ASM, "--lane", 3, "undefined + 1")
    assert "because of DW_OP_LLVM_undefined at offset 0x0" in done.out
    assert done.lines[-2:] == [
        "=> value has been optimized out",
        "   the compiler did not keep the value: it is optimized out here",
    ]
    assert done.status == 1
    answer = run_json("explain", "--state", ASM, "--lane", 3, "undefined + 1")
    assert answer.json["error"]["kind"] == "UndefinedBits" and answer.status == 1
    assert run("explain", "--state", ASM, "--lane", 3, "1 + nosuch").status == 2


@pytest.mark.parametrize(
    ("expression", "data", "status"),
    [
        ("global_struct.b1", 5, 0),
        ("global_struct.b2", -3, 0),
        ("global_struct.b3", 0x123456789A, 0),
        ("((struct outer *) 0x7000000)->b2", {"unknown": "unavailable"}, 1),
    ],
)
def test_data_of_a_bit_field(expression: str, data: object, status: int) -> None:
    """Its bits are those of an object of its type; few of them are still all of the field."""
    answer = run_json("eval", "--file", PROGRAM, expression)
    assert (answer.json["data"], answer.status) == (data, status)
    assert run("eval", "--file", PROGRAM, expression).status == status


@pytest.mark.parametrize(("subject", "is_needed"), [("t", False), ("t + 1", True)])
def test_a_name_does_not_load_the_language(subject: str, is_needed: bool) -> None:
    script = (
        "import sys; from dwarfgpu.cli.main import main\n"
        f"main(['eval', '--demo', '--lane', '4', {subject!r}])\n"
        "sys.exit('dwarfgpu.language' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert done.returncode == is_needed


def test_the_lane_in_focus_is_asked_for() -> None:
    done = run("eval", "--state", ASM, "$_lane")
    assert done.error == "$_lane: MissingContext: the context has no lane; give --lane N"
    assert run("eval", "--state", ASM, "--lane", 4, "$_lane").out == "$_lane = 4\n"


def test_explain_knows_no_other_names() -> None:
    done = run("explain", "--state", ASM, "--lane", 3, "$exce")
    assert (done.error, done.status) == (
        '"$exce" is not a register of gfx942. Did you mean "$exec"?',
        2,
    )


@pytest.mark.parametrize("lane", ["4", "all"])
def test_a_wrong_name_does_not_take_the_others_away(lane: str) -> None:
    done = run("eval", "--demo", "--lane", lane, "t", "nope", "a", "1 +")
    assert done.err.startswith(
        'dwarfgpu: nope: No symbol "nope" in current context.\n'
        "dwarfgpu: 1 +: A syntax error in expression, near the end of `1 +'.\n"
    )
    known = run("eval", "--demo", "--lane", lane, "t", "a")
    assert (done.out, done.status, known.status) == (known.out, 1, 0)
    answer = run_json("eval", "--demo", "--lane", lane, "t", "nope", "a")
    t, nope, a = answer.json["variables"]
    assert answer.status == 1
    assert (nope["name"], nope["kind"]) == ("nope", "expression")
    assert nope["error"]["message"] == 'No symbol "nope" in current context.'
    assert [t, a] == run_json("eval", "--demo", "--lane", lane, "t", "a").json["variables"]


@pytest.mark.parametrize("command", ["eval", "explain"])
def test_an_expression_with_a_leading_hyphen_is_in_parentheses(command: str) -> None:
    done = run(command, "--demo", "--lane", 4, "-t")
    assert (done.error, done.status) == (
        "unrecognized arguments: -t; write '(-t)': an expression cannot begin with a hyphen; "
        f"see {program_name()} {command} --help",
        2,
    )
    assert run("eval", "--demo", "--lane", 4, "(-t)").out == "(-t) = -324\n"
    assert run("eval", "--demo", "--lane", 4, "--", "-t").out == "-t = -324\n"
    assert "write" not in run(command, "--demo", "--lain", 4).err


def test_registers_without_a_code_object() -> None:
    mode = "[ FP_ROUND.32=ZERO FP_ROUND.64_16=NEAREST_EVEN FP_DENORM.32=FLUSH_SRC_DST "
    mode += "FP_DENORM.64_16=FLUSH_SRC_DST IEEE CSP=0 ]"
    given = ("--reg", "mode=0x203", "--reg", "vcc_lo=7", "--reg", "vcc_hi=1", "--reg", "m0=5")
    done = run("eval", *given, "$mode", "$vcc", "$vcc_hi", "$m0 + 1", "$mode & 3")
    assert done.status == 0
    assert done.lines == [
        f"$mode = {mode}",
        "$vcc = 4294967303",
        "$vcc_hi = 1",
        "$m0 + 1 = 6",
        "$mode & 3 = 3",
    ]


def test_a_register_that_is_not_known() -> None:
    done = run("eval", "$m0")
    assert (done.out, done.status) == ("$m0 = <unavailable>\n", 1)
    assert done.notes == ["$m0 is not available: register m0 of wave 0 is not in the state"]
    assert 'Did you mean "$mode"?' in run("eval", "$mdoe").err


@pytest.mark.parametrize(
    ("lanes", "number", "of_other"), [((), 1538, 2562), (("--lanes", 64), 2562, 1538)]
)
def test_the_lane_count_chooses_the_numbers_of_vector_registers(
    lanes: tuple[object, ...], number: int, of_other: int
) -> None:
    given = ("--arch", "gfx1100", *lanes, "--lane", 0)
    for command in ("eval", "explain"):
        assert "v2 (wave 0)" in run(command, *given, f"regx {number}").lines[-1]
        done = run(command, *given, f"regx {of_other}")
        assert f"gfx1100 defines no DWARF register {of_other}" in done.out + done.err


def test_a_register_that_is_known_in_part() -> None:
    missing = "register vcc of wave 0 is not in the state, bytes 4 to 7"
    given = ("--arch", "gfx90a", "--lane", 0, "--reg", "vcc_lo=1")
    assert run("eval", *given, "$vcc").notes == [f"$vcc is only partly available: {missing}"]
    error = f"Unavailable: value is not available, at least in part: {missing}"
    assert error in run("eval", *given, "$vcc + 1").error
    prompt = run("debug", *given, "--batch", "-ex", "print $vcc + 1")
    assert f"value is not available, at least in part: {missing}" in prompt.err


def test_bytes_of_a_half(tmp_path: Path) -> None:
    low, high = "vcc_lo=bytes:01020304", "vcc_hi=bytes:05 ?? 00 00"
    done = run("eval", "--reg", low, "--reg", high, "$vcc_lo", "$vcc_hi & 0xff")
    assert done.lines[0] == "$vcc_lo = 67305985"
    assert run("eval", "--reg", low, "$vcc_hi").out == "$vcc_hi = <unavailable>\n"
    assert "expected 4 bytes" in run("eval", "--reg", "vcc_lo=bytes:01", "$vcc_lo").error
    state = tmp_path / "state.json"
    wave = {"id": 0, "registers": {"vcc": "0x1100000022"}}
    document = {"schema": "dwarfgpu-state-1", "architecture": "gfx942", "waves": [wave]}
    state.write_text(json.dumps(document))
    done = run("eval", "--state", state, "--reg", "vcc_lo=bytes:?? ?? ?? ??", "$vcc_hi", "$vcc_lo")
    assert done.lines == ["$vcc_hi = 17", "$vcc_lo = <unavailable>"]


def test_a_half_twice() -> None:
    for given in ("vcc=1 vcc_lo=2", "vcc_hi=2 vcc=1", "vcc_lo=1 vcc_lo=1"):
        options = [word for item in given.split() for word in ("--reg", item)]
        assert run("eval", *options, "$vcc").error.endswith("is given twice")


def test_pseudo_registers() -> None:
    given = ("--arch", "gfx942", "--reg", "mode=0xa00003f0", "--reg", "ttmp4=7", "--reg", "ttmp5=1")
    done = run("eval", *given, "$csp + 1", "$wave_id")
    assert done.lines == ["$csp + 1 = 6", "$wave_id = 4294967303"]
    assert run("eval", "--arch", "gfx1100", "$null").lines == ["$null = 0"]
    assert "is not a register of gfx942" in run("eval", "--arch", "gfx942", "$null").error
    assert "is not a register of gfx1100" in run("eval", "--arch", "gfx1100", "$csp").error
    unknown = run("eval", "--arch", "gfx942", "--reg", "ttmp4=7", "$wave_id")
    assert unknown.out == "$wave_id = <unavailable>\n"


def test_an_expression_is_optimized_out_as_its_variable_is() -> None:
    reason = "(in is declared here but no location is given: it is optimized out)"
    for name in ("in", "in[0]", "*in", "in + 1"):
        alone = run("eval", "--demo", "--lane", 4, name)
        assert (alone.error, alone.status) == (f"{name}: <optimized out> {reason}", 1)
        lanes = run("eval", "--demo", "--lane", "3-5", name)
        assert (lanes.out, lanes.status) == (f"[3-5] <optimized out> {reason}\n", 1)
        assert (
            run_json("eval", "--demo", "--lane", 4, name).json["error"]["kind"] == "UndefinedBits"
        )
