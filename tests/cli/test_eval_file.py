"""Variables of the fixtures: what fixtures/README.md says of each, at several places and lanes.

In the state of the assembler fixture the word at A of lane L's private memory is 1000 A + L, and
lane L of vN is 1000 N + L, where the type of a variable does not ask for something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.printable import shell_word
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.dialect.upstream_clang import KERNEL_FRAME_BASE
from tests.cli.command import FIXTURES, STATES, Done, run, run_json
from tests.dwarf.builder import Content, Shape, file_of

ASM = STATES / "locations.gfx942.json"
LANES = (0, 3, 33, 47)
REGION_A, BLOCK_B, BLOCK_C, SQUARE_END = 0x1600, 0x1610, 0x1624, 0x1628
BLOCK_D, BLOCK_E, BLOCK_F, BLOCK_G, K_DONE = 0x1634, 0x163C, 0x1644, 0x164C, 0x1680
EXEC = 0x0000_FFFF_0000_000F
OPTIMIZED_OUT = "<optimized out>"


@frozen
class Line:
    """A variable in a list."""

    type: str
    value: str
    where: str | None


_LINE = re.compile(r"(?P<type>.*?)(?P<name>\w+) = (?P<value>.*?)(?:  @ (?P<where>.*))?")


def parsed(text: str) -> dict[str, Line]:
    """A list of variables; of variables of one name the innermost."""
    result: dict[str, Line] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        assert match is not None, line
        result.setdefault(
            match["name"], Line(match["type"].strip(), match["value"], match["where"])
        )
    return result


@cache
def listing(state: Path, pc: int, lane: int) -> dict[str, Line]:
    return parsed(run("eval", "--state", state, "--pc", pc, "--lane", lane).out)


def in_asm(pc: int, lane: int, name: str) -> Line:
    return listing(ASM, pc, lane)[name]


def frame_text(lane: int) -> str:
    point = f'{{x = {-lane}, y = {lane}, tag = "Ab"}}'
    return f"{{id = {lane}, at = {{{point}, {point}}}, low = 5, high = {lane % 16}}}"


def vector_text(values: list[float]) -> str:
    return "{" + ", ".join(f"{value:g}" for value in values) + "}"


def own_dword(register: str) -> Callable[[int], str]:
    """Where lane L's dword of a vector register is."""
    return lambda lane: register + (f" + byte {4 * lane}" if lane else "") + " (wave 0)"


def own_pair(low: str, high: str) -> Callable[[int], str]:
    def text(lane: int) -> str:
        offset = f" + byte {4 * lane}" if lane else ""
        return f"{{bytes 0-3: {low}{offset}; bytes 4-7: {high}{offset}}}"

    return text


def private(address: int) -> Callable[[int], str]:
    return lambda lane: f"private_lane#{address:#x} (wave 0, lane {lane})"


def always(text: str) -> Callable[[int], str]:
    return lambda lane: text


def wide_text(lane: int) -> str:
    return str((lane % 2 << 32) + 2000 + lane)


EVERYWHERE: list[tuple[str, str, Callable[[int], str], Callable[[int], str] | None]] = [
    ("out", "int *", always("(int *) 0x7f0040001000"), always("{bytes 0-3: s10; bytes 4-7: s11}")),
    ("t", "int", str, own_dword("v0")),
    ("half_low", "short", lambda lane: str(1000 + lane), own_dword("v1")),
    ("half_high", "short", always("0"), None),
    ("wide", "long", wide_text, own_pair("v2", "v3")),
    ("real", "double", lambda lane: f"{lane}.5", own_pair("v4", "v5")),
    ("accumulated", "float", lambda lane: f"{lane / 4:g}", own_dword("a0")),
    ("high_scalar", "int", always("70"), always("s70 (wave 0)")),
    ("exec_now", "mask_t", always(str(EXEC)), always("exec (wave 0)")),
    ("local_frame", "frame", frame_text, private(0x20)),
    (
        "local_array", "int [4]",
        lambda lane: "{" + ", ".join(str(1000 * (0x40 + 4 * n) + lane) for n in range(4)) + "}",
        private(0x40),
    ),
    ("by_frame_base", "int", lambda lane: str(1000 * 0x50 + lane), private(0x50)),
    ("local_color", "color", lambda lane: ("RED", "GREEN", "BLUE")[lane % 3], private(0x54)),
    ("local_vector", "float4", lambda lane: vector_text([lane + n / 2 for n in range(4)]),
     private(0x60)),
    ("called", "int", lambda lane: str(1000 * 0x18 + lane), private(0x18)),
    ("called_step", "int", lambda lane: str(6000 + lane), own_dword("v6")),
    ("called_ref", "long", wide_text, own_pair("v2", "v3")),
    ("wave_word", "int", always("777"), always("private_wave#0x4000 (wave 0)")),
    ("below_stack", "int", lambda lane: str(1000 * 0x80 + lane), private(0x80)),
    ("pointer_lane", "int *", always("(int *) private_lane#0x10"), None),
    ("pointer_frame", "frame *", always("(frame *) private_lane#0x20"), None),
    ("pointer_wave", "int *", always("(int *) private_wave#0x4000"), None),
    ("pointer_local", "int *", always("(int *) local#0x10"), None),
    ("pointer_generic", "int *", always("(int *) generic#0x2000000000010 = private_lane#0x10"),
     own_pair("v12", "v13")),
    ("lds_word", "int", always("-16"), always("local#0x10 (wave 0)")),
    ("lds_array", "float [4]", always("{1, -0.5, 0.25, 1e+10}"), always("local#0x20 (wave 0)")),
    ("region_word", "int", always("<unavailable>"), always("region#0x8")),
    ("seven", "int", always("7"), None),
    ("minus_five", "int", always("-5"), None),
    ("implicit_double", "double", always("2.5"), None),
    ("const_value", "int", always("-42"), None),
    ("const_float", "float", always("1.5"), None),
    ("lane_number", "int", str, None),
    ("limit_as_float", "float", always("12345"), None),
    ("undefined", "int", always(OPTIMIZED_OUT), None),
    ("undefined_after_junk", "int", always(OPTIMIZED_OUT), None),
    ("empty", "int", always(OPTIMIZED_OUT), None),
    ("half_undefined", "long", always(OPTIMIZED_OUT), None),
    ("bits_of_scalar", "unsigned char", always(r"188 '\274'"), always("s9 + bit 4 (wave 0)")),
    ("bit_pieces", "unsigned int", always(str(0xABCD >> 8 & 0xF | 12345 << 4)), None),
    ("broadcast", "int", always("12345"), None),
    ("broadcast_vector", "int [64]", always("{12345 <repeats 64 times>}"), None),
    ("pointer_implicit", "long *", always("(long *) <synthetic pointer>"), None),
    ("pointer_implicit_4", "int *", always("(int *) <synthetic pointer>"), None),
    ("pointer_implicit_constant", "int *", always("(int *) <synthetic pointer>"), None),
    ("global_int", "int", always("42"), None),
    ("global_plain", "int", always("42"), None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "value", "where"), EVERYWHERE, ids=[row[0] for row in EVERYWHERE]
)
@pytest.mark.parametrize("pc", [REGION_A, BLOCK_D, K_DONE])
def test_a_variable_that_is_everywhere(
    name: str,
    kind: str,
    value: Callable[[int], str],
    where: Callable[[int], str] | None,
    pc: int,
) -> None:
    for lane in LANES:
        instructions = in_asm(pc, lane, name)
        assert (instructions.type, instructions.value) == (kind, value(lane))
        if where is not None:
            assert instructions.where == where(lane)


def own(register: int) -> Callable[[int], str]:
    return lambda lane: str(1000 * register + lane)


def in_private(address: int) -> Callable[[int], str]:
    return lambda lane: str(1000 * address + lane)


@pytest.mark.parametrize(
    ("name", "pc", "value"),
    [
        ("limit", REGION_A, always("12345")),
        ("limit", BLOCK_B, always("9")),  # a constant in the block
        ("limit", BLOCK_F, always("12345")),
        ("local_int", REGION_A, in_private(0x10)),
        ("local_int", BLOCK_B, always("32")),  # s12
        ("local_int", BLOCK_C, own(9)),
        ("local_int", BLOCK_D, always("32")),
        ("local_int", BLOCK_F, in_private(0x10)),
        ("moving", REGION_A, own(1)),
        ("moving", 0x1608, own(1)),  # the last location before the next entry
        ("moving", 0x160C, in_private(0x14)),
        ("moving", BLOCK_E, always("9")),
        ("moving", 0x1680, always("9")),
        ("two_places", 0x160C, own(6)),
        ("two_places", BLOCK_B, own(6)),  # both places, which agree
        ("two_places", BLOCK_F, own(6)),  # private memory alone
        ("with_default", REGION_A, always("1")),
        ("with_default", 0x160C, always(str(0xABCD))),
        ("with_default", BLOCK_B, always("1")),
        ("with_gap", 0x160C, own(7)),
        ("with_gap", BLOCK_C, always(OPTIMIZED_OUT)),
        ("with_gap", BLOCK_G, own(8)),
        ("n", BLOCK_C, always("5")),  # of the inlined square
        ("result", BLOCK_C, own(9)),
        ("r", 0x166C, own(1)),
        ("__lex_1_save_exec", 0x160C, always(str(2**64 - 1))),
        ("__lex_1_1_save_exec", SQUARE_END, always(str(0xF0))),
        ("n", 0x1690, in_private(0x94)),  # of helper
        ("n_by_frame", 0x169C, in_private(0x94)),
        ("kept", 0x169C, own(40)),
    ],
)
def test_a_variable_that_moves(name: str, pc: int, value: Callable[[int], str]) -> None:
    for lane in LANES:
        assert in_asm(pc, lane, name).value == value(lane)


@pytest.mark.parametrize(
    ("name", "pc"),
    [
        ("with_gap", REGION_A),
        ("with_gap", BLOCK_B),
        ("with_gap", BLOCK_D),
        ("two_places", REGION_A),
        ("two_places", BLOCK_G),
        ("r", K_DONE),
        ("__lex_1_1_save_exec", 0x160C),
    ],
)
def test_in_a_gap_of_a_location_list_the_error_names_the_described_ranges(
    name: str, pc: int
) -> None:
    value = in_asm(pc, 3, name).value
    assert value.startswith(
        f"{OPTIMIZED_OUT} ({name} is optimized out at this pc; described at [0x16"
    )
    assert run("eval", "--state", ASM, "--pc", pc, "--lane", 3, name).status == 1


def test_no_location_at_all() -> None:
    instructions = in_asm(REGION_A, 3, "no_location")
    assert instructions.value == (
        f"{OPTIMIZED_OUT} (no_location is declared here but no location is given: "
        "it is optimized out)"
    )


@pytest.mark.parametrize(
    ("name", "pc", "expected"),
    [
        ("spilled", REGION_A, 1000 * 0x140 + 3),  # EXEC is as on entry, and has lane 3
        ("n_entry", 0x169C, 12345),  # s8, which helper leaves as it is
        ("kept_caller", 0x1684, 40003),  # v40 before it is spilled,
        ("kept_caller", 0x169C, 999),  # and after: 8 bytes above the CFA, for lane 3
        ("cfa_word", 0x169C, 1000 * 0x94),  # 4 lane bytes above s33, of lane 0
    ],
)
def test_what_needs_call_frame_information(name: str, pc: int, expected: int) -> None:
    caller = ("--reg", "s30=0x1670", "--reg", "s31=0")
    spilled = ("--mem", "private_lane[3]#0x98=e7030000")
    done = run("eval", "--state", ASM, "--pc", pc, "--lane", 3, *caller, *spilled, name)
    assert (done.out, done.status) == (f"{name} = {expected}\n", 0), done.err


def test_an_unknown_caller_is_reported() -> None:
    done = run("eval", "--state", ASM, "--pc", 0x169C, "--lane", 3, "n_entry")
    assert done.status == 1
    assert "the context has no calling frame: stopped: the caller of frame 0: " in done.err
    assert "register s30 of wave 0 is not in the state" in done.err


def test_the_cfa_can_be_given() -> None:
    arguments = ("--state", ASM, "--pc", 0x169C, "--cfa", "private_wave#0x3f00", "cfa_word")
    assert run("eval", *arguments).out == "cfa_word = 777\n"


def test_exec_selects_the_lanes_of_a_vector() -> None:
    def expected(lane: int) -> int:
        return 1000 * 0x140 + lane if EXEC >> lane & 1 else 2000 + lane

    text = in_asm(REGION_A, 3, "spilled_vector").value
    assert text == "{" + ", ".join(str(expected(lane)) for lane in range(64)) + "}"
    assert in_asm(REGION_A, 3, "two_addresses").value == (
        "{5632, 5632, 5632, 5632, 5764 <repeats 28 times>, 5632 <repeats 16 times>, "
        "5764 <repeats 16 times>}"
    )


def test_a_partly_undefined_object_names_its_undefined_bits() -> None:
    done = run_json("eval", "--state", ASM, "--lane", 3, "half_undefined")
    assert done.status == 1
    assert done.json["bytes"] == "????????01000000"
    assert done.json["undefined_bits"] == [{"bit_offset": 0, "bit_size": 32}]
    assert done.json["unavailable_bits"] == []


def test_undefined_is_not_named_as_the_reason_for_unavailable() -> None:
    code_object = FIXTURES / "asm/locations.gfx942.v5.co"
    focus = ("--pc", REGION_A, "--lane", 3, "--reg", "exec=8")
    done = run("eval", "--file", code_object, *focus, "half_undefined")
    assert done.notes == [
        "half_undefined is not available: register v3 of wave 0 is not in the state",
        "half_undefined is partly optimized out: its bytes are ????????????????",
    ]


def test_two_places_are_both_shown_and_can_be_compared(tmp_path: Path) -> None:
    arguments = ("--pc", BLOCK_B, "--lane", 3, "two_places")
    done = run_json("eval", "--state", ASM, *arguments, "--verify-places")
    assert [place["storage"] for place in done.json["result"]["places"]] == ["register", "memory"]
    assert (done.status, done.json["notes"]) == (0, [])
    differing = ("--reg", "v6=[0, 0, 0, 7]")
    done = run_json("eval", "--state", ASM, *differing, *arguments, "--verify-places")
    assert done.status == 1
    [note] = done.json["notes"]
    assert note.startswith("place 1, private_lane#0x1c (wave 0, lane 3), and place 0")
    assert note.endswith("(wave 0), hold different bits: the DWARF is ill-formed")
    assert run("eval", "--state", ASM, *differing, *arguments).out == "two_places = 7\n"


def test_implicit_pointers_name_their_target() -> None:
    done = run_json("eval", "--state", ASM, "--lane", 3, "pointer_implicit_4")
    [place] = done.json["result"]["places"]
    assert (place["storage"], place["displacement_bytes"]) == ("implicit_pointer", 4)
    assert (done.json["text"], done.status) == ("(int *) <synthetic pointer>", 0)


def test_one_line_for_each_variable() -> None:
    done = run("eval", "--state", ASM, "--lane", 3)
    assert done.status == 1  # some are optimized out
    names = parsed(done.out)
    assert len(names) == len(done.lines)
    assert {row[0] for row in EVERYWHERE} <= set(names)


def test_a_wave_of_32_lanes() -> None:
    state = STATES / "wave32.gfx1100.json"
    assert listing(state, REGION_A, 3)["t"].value == "3"
    assert listing(state, REGION_A, 23)["wide"].value == wide_text(23)
    assert listing(state, REGION_A, 23)["local_int"].value == str(1000 * 0x10 + 23)
    assert listing(state, REGION_A, 23)["wave_word"].where == "private_wave#0x2000 (wave 0)"
    done = run_json("eval", "--state", state, "--lane", "all", "t")
    assert [lane.get("text") for lane in done.json["lanes"]] == [
        str(lane) if 0xFF000F >> lane & 1 else None for lane in range(32)
    ]
    wrong = run("eval", "--state", state, "--lane", 32, "t").error
    assert wrong == "--lane 32: the wave has 32 lanes, from 0"


@pytest.mark.parametrize("name", ["locations.gfx942.v4.co", "legacy.gfx942.v5.co"])
def test_the_same_variables_in_other_encodings(name: str) -> None:
    text = json.loads(ASM.read_text("utf-8"))
    text["code_objects"] = []
    arguments = ("eval", "--file", FIXTURES / "asm" / name, "--state", ASM, "--lane", 3)
    for variable in ("t", "wide"):
        expected = in_asm(REGION_A, 3, variable).value
        assert run(*arguments, variable).out == f"{variable} = {expected}\n"


# Relocation


def test_everything_is_relocated_by_the_load_address() -> None:
    base = 0x7F00_0000_0000
    at = ("--load-address", base, "--lane", 3)
    done = run("eval", "--state", ASM, *at, "--pc", base + REGION_A, "global_int")
    assert done.out == "global_int = 42\n"
    done = run_json("eval", "--state", ASM, *at, "--pc", base + REGION_A, "global_int")
    assert done.json["result"]["places"][0]["address"] == base + 0x3738
    done = run("eval", "--state", ASM, *at, "--pc", base + 0x160C, "with_default", "moving")
    assert done.out == f"with_default = {0xABCD}\nmoving = {1000 * 0x14 + 3}\n"
    done = run("eval", "--state", ASM, *at, "--pc", base + BLOCK_B, "with_gap")
    assert "[0x7f000000160c,0x7f0000001610)" in done.error


@pytest.mark.parametrize("command", ["eval", "explain"])
@pytest.mark.parametrize("operation", ["addr 0x3c30", "addrx 0"])
def test_addresses_of_operations_are_also_shown_as_offsets(command: str, operation: str) -> None:
    base = 0x7F00_0000_0000
    at = ("--file", FIXTURES / "hip/nest.gfx942.O2.v5.co", "--load-address", base)
    done = run(command, *at, "--pc", base + 0x1640, "-e", operation)
    assert done.lines[-1].endswith("0x7f0000003c30 (global) = nest.gfx942.O2.v5.co+0x3c30")
    done = run(command, *at, "--pc", base + 0x1640, "-e", f"{operation}; lit1; plus")
    assert done.lines[-1].endswith(f"{base + 0x3C31} ({base + 0x3C31:#x})")  # a value


@pytest.mark.parametrize("pc", [0, 0x15FF, 0x1_0000_0000, 2**64 - 1])
def test_a_pc_outside_the_code_objects_is_reported(pc: int) -> None:
    done = run("eval", "--state", ASM, "--pc", pc, "--lane", 3, "t")
    assert done.error.startswith(f"pc {pc:#x} is not in the code of any code object")
    assert "locations.gfx942.v5.co loaded at 0x0" in done.error
    assert (done.out, done.status) == ("", 2)


def test_a_name_that_means_nothing_is_reported_as_by_gdb() -> None:
    done = run("eval", "--state", ASM, "--lane", 3, "nothing")
    assert (done.error, done.out, done.status) == ('No symbol "nothing" in current context.', "", 2)


def test_a_local_without_a_program_location_is_not_found_but_a_global_is() -> None:
    code_object = FIXTURES / "asm/locations.gfx942.v5.co"
    memory = ("--mem", "0x3738=2a000000")
    assert run("eval", "--file", code_object, *memory, "global_int").out == "global_int = 42\n"
    assert run("eval", "--file", code_object, "t").error == (
        'No symbol "t" in current context. Without a program location, only global variables are '
        f"in scope; give --pc ADDR: where {shell_word(str(code_object))} t lists addresses"
    )
    assert run("eval", "--file", code_object).error == (
        "MissingContext: the context has no program location; give --pc ADDR"
    )


# Upstream clang


def upstream(name: str, lane: int = 3) -> dict[str, Line]:
    return parsed(run("eval", "--state", STATES / f"{name}.json", "--lane", lane).out)


LITERAL_SUFFIX = "upstream clang: lit1, swap, xderef read as address space 5"
FRAME_BASE = "upstream clang: the frame base is in the focused lane's private memory"
OWN_DWORD = "upstream clang: a vector register read as the focused lane's dword"
ASSUMED_LANES = "DW_AT_LLVM_lanes absent: wave size 64 assumed"


@pytest.mark.parametrize("lane", [0, 3])
def test_rule_a_the_suffix_names_private_memory(lane: int) -> None:
    result = upstream("kernels.gfx942.O0", lane)
    assert result["t"] == Line("int", str(320 + lane), f"private_lane#0x14 (wave 0, lane {lane})")
    assert result["limit"].value == "10"
    assert result["in"].value == "(const int *) 0x7e0000400000"
    assert result["launches"].value == "5"
    assert result["primes"].value == "{2, 3, 5, 7}"
    done = run("eval", "--state", STATES / "kernels.gfx942.O0.json", "--lane", lane, "t")
    assert done.notes == [ASSUMED_LANES, LITERAL_SUFFIX, FRAME_BASE]


def test_rule_a_the_suffix_names_local_memory() -> None:
    result = upstream("data.gfx942.O0")
    assert result["pool"].where == "local#0x0 (wave 0)"
    assert result["pool"].value == "{" + ", ".join(str(n) for n in range(100, 164)) + "}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t", "323"),
        ("a", "-4"),
        ("r", "300"),
        ("sum", "1003"),
        ("i", "3"),
        ("v", "-3"),
        ("out", "(int *) 0x7e0000500000"),
    ],
)
def test_rule_b_fbreg_is_private_without_the_suffix(name: str, expected: str) -> None:
    assert upstream("nest.gfx942.O0")[name].value == expected
    done = run("eval", "--state", STATES / "nest.gfx942.O0.json", "--lane", 3, name)
    assert done.notes == [ASSUMED_LANES, FRAME_BASE]


@pytest.mark.parametrize("asked", [("kept",), ("kept[0]",), ("-e", "fbreg 0")])
@pytest.mark.parametrize("command", ["eval", "explain"])
def test_a_kernel_without_frame_base_starts_private_memory(
    command: str, asked: tuple[str, ...]
) -> None:
    file = ("--file", FIXTURES / "opencl/args.gfx906.O2.v5.co", "--pc", 0x1A40, "--lane", 3)
    done = run(command, *file, *asked)
    text = done.out + done.err
    assert "private_lane#0x0" in text and "no DW_AT_frame_base" not in text
    assert KERNEL_FRAME_BASE in done.notes and FRAME_BASE not in done.notes
    if command == "explain":
        assert "inside: the frame base of frame 0 (kinds), private_lane#0x0" in text
        assert KERNEL_FRAME_BASE in run(command, *file, "--depth", 1, *asked).out


@pytest.mark.parametrize("read", [("--dialect", "amd"), ("--strict", "--lanes", 64)])
def test_only_upstream_clang_leaves_the_frame_base_of_a_kernel_out(
    read: tuple[str | int, ...],
) -> None:
    """DW_OP_fbreg is ill-formed without DW_AT_frame_base (A.2.5.4.4.3)."""
    file = ("--file", FIXTURES / "opencl/args.gfx906.O2.v5.co", "--pc", 0x1A40, "--lane", 3)
    done = run("eval", *file, *read, "kept")
    assert "kinds has no DW_AT_frame_base" in done.out + done.err
    assert KERNEL_FRAME_BASE not in done.notes


@pytest.mark.parametrize(("read", "severity"), [((), "warning"), (("--dialect", "amd"), "error")])
def test_check_warns_of_a_kernel_without_frame_base(read: tuple[str, ...], severity: str) -> None:
    """Only by the letter does every evaluation fail."""
    kernels = FIXTURES / "opencl/args.gfx906.O2.v5.co"
    done = run("check", kernels, *read, "--only", "no-frame-base")
    assert f"{severity}: DW_OP_fbreg in a function without DW_AT_frame_base" in done.out
    assert ("start of private memory" in done.out) == (severity == "warning")


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1100"])
def test_rule_c_the_frame_base_is_divided_where_scratch_is_not_architected(target: str) -> None:
    # s33 is 0x50 bytes of the lane; on gfx90a it counts those of the wave
    result = upstream(f"call.{target}.O0")
    assert result["cell"].where == "private_lane#0x58 (wave 0, lane 3)"
    assert result["n"].value == "8"
    assert result["table"].value == "{3, 4, 5, 6, 7, 8, 9, 10}"
    assert result["picked"].value == "6"


def test_rule_d_a_vector_register_is_the_focused_lanes_dword() -> None:
    done = run_json("eval", "--demo", "--lane", "all", "t")
    values = [int(lane["text"]) for lane in done.json["lanes"]]
    assert len(set(values)) == 64
    assert values == [5 * 64 + lane for lane in range(64)]
    assert all(OWN_DWORD in lane["notes"] for lane in done.json["lanes"])


def test_rule_d_also_in_a_piece() -> None:
    state = STATES / "data.gfx942.O2.json"
    done = run_json("eval", "--state", state, "--lane", 3, "-e", "regx v2; piece 4")
    [part] = done.json["result"]["places"][0]["parts"]
    assert (part["places"][0]["register"], part["places"][0]["bit_offset"]) == ("v2", 96)


def test_rule_e_a_vector_base_of_a_computation_is_the_focused_lanes_dword() -> None:
    state = STATES / "data.gfx942.O2.json"
    done = run_json("eval", "--state", state, "--lane", "1-3", "mate")
    assert [answer["data"] for answer in done.json["lanes"]] == [62, 61, 60]
    # This one multiplies a value of a base type by a generic one, which no dialect allows.
    done = run_json("eval", "--state", state, "--lane", 3, "byte")
    assert done.json["error"]["kind"] == "IllFormed"


@pytest.mark.parametrize(
    "operations",
    [
        "bregx v2 8",
        "bregx v2 0; lit5; swap; xderef",
        "bregx v2 0; deref; stack_value",
        "bregx v2 0; lit5; swap; xderef; lit1; plus; stack_value",
        "bregx v2 0; bra 1; nop; stack_value",
    ],
)
def test_rule_e_a_vector_base_that_may_be_an_address_is_ambiguous(operations: str) -> None:
    state = STATES / "data.gfx942.O2.json"
    done = run_json("eval", "--state", state, "--lane", 3, "-e", operations)
    assert done.status == 1
    assert done.json["error"]["kind"] == "Unavailable"
    assert "v2 holds the value itself or its address" in done.json["error"]["message"]


def literal(*arguments: object) -> Done:
    return run("eval", *arguments, "--strict")


def test_strict_reads_literally() -> None:
    # the whole register; its first int is that of the first lane
    assert literal("--demo", "--lane", 0, "t").out == "t = 320\n"
    done = run_json("eval", "--demo", "--lane", "all", "t", "--strict")
    [only] = done.json["lanes"]  # one lane where DW_AT_LLVM_lanes is absent (A.3.3.5)
    assert (only["text"], only["notes"]) == ("320", [])
    # an address of the default space
    done = run_json("eval", "--state", STATES / "nest.gfx942.O0.json", "--lane", 0, "t", "--strict")
    assert done.status == 1
    # DW_OP_bregx wants an address, and s33 is narrower than one (A.2.5.4.4.3)
    assert "narrower than an address of 64 bits" in done.json["error"]["message"]


# A processor without lanes


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("local", "-5"),  # of the inner block
        ("lost", "1234"),
        ("ratio", "3"),
        ("precise", "9.4247700000000005"),
        ("extended", "3"),
        ("text", r'"leaf", ' + r"'\000' <repeats 11 times>"),
        ("array", "{1, -2, 5, 4}"),
        ("n", "5"),
        ("access", "(READ | RUN)"),
        ("message", r'"hello, dwarf\n"'),
    ],
)
def test_x86_64(name: str, expected: str) -> None:
    result = parsed(run("eval", "--state", STATES / "demo.gcc.O0.json").out)
    assert result[name].value == expected


# The demo


def test_the_demo_is_the_fixture() -> None:
    demo = FIXTURES.parent / "dwarfgpu/data/demo.co"
    assert demo.read_bytes() == (FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes()


def test_the_demo_is_consistent() -> None:
    """What the kernel has computed at its pc, from the memory of the state."""
    document = json.loads((FIXTURES.parent / "dwarfgpu/data/demo.json").read_text("utf-8"))
    [wave], [launches, data] = document["waves"], document["memory"]
    registers = wave["registers"]
    given = bytes.fromhex(data["bytes"])
    base = int(registers["s4"], 16) | int(registers["s5"], 16) << 32
    for lane in range(64):
        t, a = registers["v6"][lane], registers["v8"][lane]
        at = base + 4 * t - int(data["address"], 16)
        assert int.from_bytes(given[at : at + 4], "little") == a
        is_active = int(registers["exec"], 16) >> lane & 1
        assert is_active == (a > registers["s8"])
    assert int.from_bytes(bytes.fromhex(launches["bytes"]), "little") == 3


def test_explain_indents_what_is_called_and_not_the_call() -> None:
    steps = run_json("explain", "--state", ASM, "--lane", 3, "called_step").json["steps"]
    assert [(step["operation"], step["depth"]) for step in steps] == [
        ("DW_OP_regx", 0),
        ("DW_OP_LLVM_push_lane", 0),
        ("DW_OP_call4", 0),
        ("DW_OP_lit4", 1),
        ("DW_OP_mul", 1),
        ("DW_OP_LLVM_offset", 0),
    ]


@pytest.mark.parametrize("command", [["eval"], ["eval", "--lane", "all"], ["explain"]])
def test_names_of_a_hostile_file_move_no_cursor(tmp_path: Path, command: list[str]) -> None:
    data = (FIXTURES / "hip/nest.gfx942.O2.v5.co").read_bytes()
    assert data.count(b"launches\0") >= 1
    path = tmp_path / "k.co"
    path.write_bytes(data.replace(b"launches\0", b"l\x1b[2J\nes\0"))
    arguments = ("--file", path, "--pc", 0x1690, "--load-address", 0, "--lane", 3)
    name = [r"l\x1b[2J\x0aes"] if command == ["explain"] else []
    done = run(command[0], *arguments, *command[1:], *name)
    assert r"l\x1b[2J\x0aes" in done.out
    for line in (done.out + done.err).splitlines():
        assert line.isprintable()


def test_a_name_with_an_error_says_only_what_is_wrong() -> None:
    done = run("eval", "--demo", "--lanes", 8, "--lane", 9, "t")
    assert done.error == (
        "t: InconsistentContext: lane 9 and lane count 8 disagree: the lane must be below 8; "
        "--lanes N gives the lane count where DW_AT_LLVM_lanes does not"
    )


@pytest.mark.parametrize(
    ("operations", "value"),
    [
        ("regx v3; deref_size 4; stack_value", "implicit 0x13 (8 bytes)"),
        (
            "regx v3; piece 4; regx v4; piece 4",
            "{bytes 0-3: v3 + byte 12; bytes 4-7: v4 + byte 12}",
        ),
        ("addr 0x10; lit2; swap; xderef; piece 4", "{bytes 0-3: local#0x10 (wave 0)}"),
        (
            "fbreg 8; lit1; swap; xderef; piece 4",
            "{bytes 0-3: private_lane#0x108 (wave 0, lane 3)}",
        ),
    ],
)
def test_rules_a_and_d_hold_within_an_expression(operations: str, value: str) -> None:
    machine = ("--reg", "v3=[0x10,0x11,0x12,0x13]", "--frame-base", "private_lane#0x100")
    done = run("eval", "--dialect", "upstream-clang", "--lane", 3, *machine, operations)
    assert done.lines == [value]


def test_a_lane_of_a_vector_register_holds_no_more_than_a_dword() -> None:
    done = run_json("eval", "--dialect", "upstream-clang", "--lane", 3, "regx v3; piece 8")
    assert done.json["error"]["kind"] == "Unavailable"
    assert "64 bits of one lane" in done.json["error"]["message"]


def test_a_given_lane_count_must_agree_with_the_attribute() -> None:
    agrees = ("eval", "--state", ASM, "--lane", 3, "-e", "LLVM_push_lane")
    assert run(*agrees, "--lanes", 64).lines == ["3"]
    done = run_json(*agrees, "--lanes", 32)
    assert done.json["error"]["kind"] == "InconsistentContext"
    assert "DW_AT_LLVM_lanes 64" in done.json["error"]["message"]
    assert run(*agrees, "--lanes", 32).error.endswith("disagree; leave out --lanes N")


def test_a_lane_beyond_the_lane_count_has_advice() -> None:
    """One lane is assumed with --strict where DW_AT_LLVM_lanes is absent."""
    arguments = ("--file", FIXTURES / "opencl/kernels.gfx942.O2.v5.co", "--pc", 0x2120, "--lane", 3)
    done = run("eval", *arguments, "--strict", "t")
    assert done.error.endswith("; --lanes N gives the lane count where DW_AT_LLVM_lanes does not")
    counted = run("eval", *arguments, "--strict", "--lanes", 64, "t")
    assert "InconsistentContext" not in counted.err


@pytest.mark.parametrize("told", [("--state", ASM), ("--demo",)])
def test_a_wave_has_no_more_lanes_than_its_size(told: tuple[object, ...]) -> None:
    """A.2.5.1: a lane is one of the thread. Without state and file the size is unknown."""
    done = run("eval", *told, "--lane", 70, "--lanes", 128, "-e", "LLVM_push_lane")
    assert done.error == (
        "InconsistentContext: lane count 128 and the wave of 64 lanes disagree: --lanes N has at "
        "most 64"
    )
    assert run("eval", "--lane", 70, "--lanes", 128, "LLVM_push_lane").lines == ["70"]


def test_a_subprogram_has_one_iteration_where_nothing_says_otherwise() -> None:
    arguments = ("eval", "--state", ASM, "--lane", 3, "-e", "LLVM_push_iteration")
    assert run(*arguments, "--iteration", 0).lines == ["0"]
    done = run_json(*arguments, "--iteration", 5)
    assert done.json["error"]["kind"] == "InconsistentContext"


def test_bits_that_no_piece_describes_are_optimized_out() -> None:
    state = ("--state", STATES / "data.gfx942.O2.json")
    done = run_json("eval", *state, "--lane", 2, "matrix")
    assert done.json["undefined_bits"] == [{"bit_offset": 32, "bit_size": 160}]
    assert done.json["bytes"].endswith("?" * 40)


def test_one_variable_with_a_bad_type_and_line_does_not_end_the_list(tmp_path: Path) -> None:
    name = (dw.AT_NAME, dw.FORM_STRING)
    location = (dw.AT_LOCATION, dw.FORM_EXPRLOC)
    bad = (name, (dw.AT_TYPE, dw.FORM_REF4), (dw.AT_DECL_LINE, dw.FORM_UDATA), location)
    code = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, code, True),
        Shape(dw.TAG_VARIABLE, bad),
        Shape(dw.TAG_VARIABLE, (name, location)),
    ]
    lit5 = b"\2\x35\x9f"
    bad_entry = b"\2v\0" + b"\xff\xff\0\0" + encode_uleb(1 << 64) + lit5
    code_at = (0x1000).to_bytes(8, "little") + b"\x10\0\0\0"
    entries = b"\1" + code_at + bad_entry * 2 + b"\3w\0" + lit5 + b"\0"
    path = tmp_path / "bad.o"
    text = Content(bytes(16), flags=6, address=0x1000)
    path.write_bytes(file_of(entries, shapes, {".text": text}))
    done = run("eval", "--file", path, "--pc", "0x1004")
    assert [line.split(" = ")[0].split()[-1] for line in done.lines] == ["v", "v", "w"]
    assert done.lines[0].startswith("v = <error: IllFormed: ") and "(line <error: " in done.lines[0]
    assert done.lines[2].startswith("w = <error: IllFormed: w has no DW_AT_type")
    listed = run_json("eval", "--file", path, "--pc", "0x1004").json["variables"]
    assert [item["line"] for item in listed] == [None] * 3
    assert [item["type"] for item in listed] == [None] * 3
    assert any("the line of v" in note for note in listed[0]["notes"])
