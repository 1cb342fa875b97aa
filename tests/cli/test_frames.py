"""`dwarfgpu frames` and `dwarfgpu bt`."""

from __future__ import annotations

import json
import tracemalloc
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from tests.cli.command import FIXTURES, STATES, Done, run, run_json
from tools.bombs.sections import rules_of_rows

LOCATIONS = FIXTURES / "asm/locations.gfx942.v5.co"
STATE = STATES / "locations.gfx942.json"


def test_one_row_as_a_person_reads_it() -> None:
    done = run("frames", LOCATIONS, "--pc", "0x1690")
    assert done.status == 0
    assert done.lines[:4] == [
        ".debug_frame:",
        'CIE 0x0: version 4, augmentation "", code alignment 4, data alignment 4, '
        "return address PC_REG",
        "FDE 0x30: [0x1684,0x16c4) helper, of CIE 0x0",
        "    DW_CFA_def_cfa_expression: DW_OP_regx SGPR32, DW_OP_deref_size 0x4, DW_OP_lit6, "
        "DW_OP_shl, DW_OP_lit6, DW_OP_LLVM_user DW_OP_LLVM_form_aspace_address",
    ]
    assert done.lines[-5:] == [
        "  [0x1690,0x169c)",
        "    CFA = regx SGPR33, deref_size 0x4, lit6, shl, lit6, LLVM_form_aspace_address",
        "    PC_REG = [regx SGPR30, piece 0x4, regx SGPR31, piece 0x4]",
        "    SGPR32 = [regx SGPR33]",
        "    SGPR33 = SGPR16",
    ]


def test_registers_with_one_rule_share_a_line() -> None:
    lines = run("frames", LOCATIONS, "--pc", "0x16c0").lines
    assert lines[-1] == "    SGPR32, SGPR33, VGPR40 = same"


def test_rows_that_fit_are_a_table() -> None:
    lines = run("frames", FIXTURES / "x86_64/demo.gcc.O2.v5").lines
    start = lines.index("FDE 0x9c: [0x11d0,0x1206) factorial, of CIE 0x30")
    assert lines[start + 8 : start + 13] == [
        "  from    CFA     RBX       RIP",
        "  0x11d0  RSP+8             [CFA-8]",
        "  0x11dd  RSP+16  [CFA-16]  [CFA-8]",
        "  0x11f3  RSP+8   [CFA-16]  [CFA-8]",
        "  0x1200  RSP+8             [CFA-8]",
    ]
    assert "    CFA = breg7 RSP+8, breg16 RIP+0, lit15, and, lit11, ge, lit3, shl, plus" in lines


def test_registers_of_aarch64_have_their_own_names() -> None:
    """LLVM names the narrowest view, W29; `$x` is not a function; a signal frame has all
    registers."""
    lines = run("frames", FIXTURES / "aarch64/stacks.gcc.O2.pac", "--pc", "0x400250").lines
    assert lines[0].endswith(", return address PC, signal frame") or lines[1].endswith(
        ", return address PC, signal frame"
    )
    assert lines[-6:] == [
        "FDE 0x84: [0x400250,0x40025c) back, of CIE 0x0",
        "  [0x400250,0x40025c)",
        "    CFA = SP",
        "    X0-X30 = [CFA+312] … [CFA+552]",
        "    SP = [CFA+560]",
        "    PC = [CFA+568]",
    ]
    listed = run("frames", FIXTURES / "aarch64/stacks.gcc.O2.pac").out
    assert "  from      CFA    X19       X29       X30       RA_SIGN_STATE  V8 " in listed


def test_an_entry_without_rules_is_marked() -> None:
    lines = run("frames", FIXTURES / "hip/nest.gfx942.O2.v5.co").lines
    assert "    no rules: unwinding stops here" in lines


def test_no_information_for_an_address() -> None:
    done = run("frames", LOCATIONS, "--pc", 0x10)
    assert (done.lines, done.status) == (
        ["no frame information for pc 0x10 in locations.gfx942.v5.co"], 1
    )  # fmt: skip
    assert run("frames", FIXTURES / "asm/wholewave.gfx942.v5.co").lines == [
        "no call frame information"
    ]


@pytest.mark.parametrize(
    "file",
    ["asm/locations.gfx942.v5.co", "asm/legacy.gfx942.v5.co", "asm/wave32.gfx1100.v5.co",
     "hip/nest.gfx942.O0.v5.co", "x86_64/demo.gcc.O2.v5", "x86_64/demo.clang.O0.v5"],
)  # fmt: skip
def test_the_json_follows_its_schema(file: str) -> None:
    answer = run_json("frames", FIXTURES / file)
    assert answer.status == 0
    entries = [entry for section in answer.json["sections"] for entry in section["entries"]]
    assert {entry["kind"] for entry in entries} == {"CIE", "FDE"}
    for entry in entries:
        if entry["kind"] == "FDE":
            covered = [(row["start"], row["end"]) for row in entry["rows"]]
            ends = [entry["start"], *(end for _, end in covered)]
            assert [start for start, _ in covered] == ends[:-1]
            assert ends[-1] == entry["end"]


def test_the_one_byte_encodings_are_read_where_the_augmentation_says_so() -> None:
    lines = run("frames", FIXTURES / "asm/legacy.gfx942.v5.co", "--pc", "0x169c").lines
    assert 'augmentation "[llvm:v0.0]"' in lines[1]
    assert any("LLVM_call_frame_entry_reg EXEC" in line for line in lines)


def test_a_broken_section_is_reported(tmp_path: Path) -> None:
    data = bytearray(LOCATIONS.read_bytes())
    at = data.index(bytes.fromhex("0f0436")) if bytes.fromhex("0f0436") in data else None
    del at  # the length of the second entry, after the CIE of 16 bytes
    start = data.index(b"\x0c\0\0\0\xff\xff\xff\xff\x04")
    data[start + 16 : start + 20] = b"\xf0\xff\xff\x7f"
    broken = tmp_path / "broken.co"
    broken.write_bytes(data)
    done = run("frames", broken)
    assert done.status == 1
    assert "entry 0x10 cannot be read" in done.out
    answer = run_json("frames", broken)
    assert answer.json["sections"][0]["entries"][-1]["kind"] == "broken"


def bt(*arguments: object) -> Done:
    return run("bt", "--state", STATE, *arguments)


CALLED = ("--pc", "0x169c", "--reg", "s30=0x1670", "--reg", "s31=0")


def test_a_backtrace() -> None:
    done = bt(*CALLED, "--lane", 3)
    assert (done.lines, done.status) == (
        [
            "#0  helper (n=148003) at asm/k.hip:16",
            "#1  0x0000000000001670 in k (out=0x7f0040001000, limit=12345, by_reference=...) "
            "at asm/k.hip:32",
        ],
        0,
    )
    assert "n=148033" in bt(*CALLED, "--lane", 33).lines[0]
    assert bt(*CALLED, "--no-args").lines[0] == "#0  helper (...) at asm/k.hip:16"


def test_a_lane_has_the_frames_in_which_it_was_active_on_entry() -> None:
    done = bt(*CALLED, "--lane", 4)
    assert (done.lines, done.notes, done.status) == (
        [], ["lane 4 was not active on entry to 2 frames, omitted"], 0
    )  # fmt: skip
    answer = run_json("bt", "--state", STATE, *CALLED, "--lane", 4)
    assert (answer.json["frames"], answer.json["omitted"]) == ([], 2)


def test_a_backtrace_as_json() -> None:
    answer = run_json("bt", "--state", STATE, *CALLED, "--lane", 3)
    assert answer.json["end"] == {
        "is_outermost": True,
        "reason": "outermost: the return address is undefined",
    }
    first, second = answer.json["frames"]
    assert (first["cfa"], second["cfa"]) == (
        "private_wave#0x2400 (wave 0)", "private_wave#0x0 (wave 0)"
    )  # fmt: skip
    assert (second["level"], second["func"], second["line"]) == (1, "k", 32)


def test_frames_can_be_left_out() -> None:
    done = bt(*CALLED, "--limit", 1)
    assert done.lines[1:] == ["(More stack frames follow: --limit 1)"]
    assert run_json("bt", "--state", STATE, *CALLED, "--limit", 1).json["end"] is None


def test_why_it_stops() -> None:
    assert (
        bt("--pc", "0x169c")
        .lines[1]
        .startswith(
            "stopped: the caller of frame 0: bits 0 to 63 of 64 are unavailable: register s30"
        )
    )
    kernel = ("bt", "--state", STATES / "nest.gfx942.O0.json")
    done = run(*kernel)
    assert (done.lines[1:], done.status) == ([], 0)
    assert any(note.endswith("has no rules") and "is a kernel; " in note for note in done.notes)
    end = {"is_outermost": True, "reason": "outermost: nest is a kernel"}
    assert run_json(*kernel).json["end"] == end
    done = bt("--pc", "0x169c", "--reg", "s30=0x9000", "--reg", "s31=0")
    assert done.lines[1:] == [
        "#1  0x0000000000009000 in ?? ()",
        "stopped: no frame information for pc 0x9000, which is not in any code object",
    ]


def test_wrong_requests() -> None:
    assert bt("--lane", "all").status == 2
    assert "give --state, --core, --pc or --demo" in run("bt", "--file", LOCATIONS).error
    assert json.loads(run("bt", "--file", LOCATIONS, "--json").out)["error"]["kind"] == "UsageError"


CHAIN = STATES / "chain_flat.gfx942.json"


def prompt(*commands: str) -> list[str]:
    given = [word for command in commands for word in ("-ex", command)]
    return run("debug", "--state", CHAIN, "--lane", 1, "--batch", *given).without_sources


def test_the_prompt_moves_between_frames() -> None:
    def line(number: int, name: str, pc: int) -> str:
        place = f"asm/chain.inc:{LINES[name]}"
        return f"#{number:<3}{pc:#018x} in {name} (a={A[name]}, s={S[name]}) at {place}"

    A = {"f11": 12041001, "f4": 5041001, "f3": 4041001, "f1": 2041001, "k": 1041001}
    S = {"f11": 840, "f4": 240, "f3": 240, "f1": 240, "k": 140}
    LINES = {"f11": 127, "f4": 60, "f3": 48, "f1": 30, "k": 23}
    frame_7, frame_8 = line(7, "f4", 0x199C), line(8, "f3", 0x1980)
    assert prompt("frame") == [line(0, "f11", 0x1A7C)]
    assert prompt("frame 7", "frame", "up", "down", "f 7") == [
        frame_7, frame_7, frame_8, frame_7, frame_7
    ]  # fmt: skip
    assert prompt("frame 8", "up 2", "up 100", "down 100") == [
        frame_8, line(10, "f1", 0x1940), line(11, "k", 0x1914), line(0, "f11", 0x1A7C)
    ]  # fmt: skip
    assert prompt("frame 7", "print a", "print $s40", "print $pc") == [
        frame_7, "$1 = 5041001", "$2 = 240", "$3 = (void (*)()) 0x199c <f4+24>"
    ]  # fmt: skip
    assert prompt("frame 7", "lane 2", "print a")[-2:] == [
        frame_7.replace("5041001", "5041002"), "$1 = 5041002"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("frame 12", "No frame at level 12."),
        ("frame x", 'No symbol "x" in current context.'),
        ("down", "Bottom (innermost) frame selected; you cannot go down."),
        ("up x", 'No symbol "x" in current context.'),
        ("bt x", 'No symbol "x" in current context.'),
    ],
)
def test_frames_that_are_not_there(command: str, message: str) -> None:
    done = run("debug", "--state", CHAIN, "--lane", 1, "--batch", "-ex", command)
    assert (done.err.splitlines()[-1], done.status) == (message, 1)


def test_backtrace_at_the_prompt() -> None:
    assert prompt("bt") == run("bt", "--state", CHAIN, "--lane", 1).lines
    assert (
        prompt("where 2") == prompt("bt")[:2]
    )  # only an interactive user sees that there are more
    assert len(prompt("frame 5", "backtrace")) == 13


def test_variables_of_a_frame() -> None:
    done = run("eval", "--state", CHAIN, "--frame", 7, "--lane", "all", "a")
    assert done.lines[:2] == ["[ 0] 5041000", "[ 1] 5041001"]
    assert run("eval", "--state", CHAIN, "--frame", 7, "--lane", 1, "s").out == "s = 240\n"
    listed = run("eval", "--state", CHAIN, "--frame", 7, "--lane", 1).lines
    assert listed[1] == "int s = 240  @ v44 + byte 12 (wave 0)"
    assert run("eval", "--state", CHAIN, "--frame", 12, "--lane", 1, "s").status == 2
    text = "regx s40"
    done = run("eval", "--state", CHAIN, "--frame", 7, "--lane", 1, "-e", text)
    assert done.out == "v44 + byte 12 (wave 0)\n"


def test_lanes_of_a_frame_are_active_by_its_own_mask() -> None:
    def active(frame: int) -> str:
        [line] = [e for e in prompt(f"frame {frame}", "info frame") if "active lanes" in e]
        return line

    assert active(11) == " active lanes 0x7fffffffffffffff of 64, at the call"
    assert active(0) != active(11)


GCC = STATES / "stack.gcc.O2.json"
"""demo.gcc.O2.v5, stopped at leaf; the expectations are what GDB 13 says there."""


def test_the_stack_of_a_cpu_is_gdb_s() -> None:
    done = run("bt", "--state", GCC)
    assert done.lines == [
        "#0  leaf (sp=sp@entry=0x7fffffffe5f0, n=n@entry=42) at x86_64/demo.c:82",
        "#1  0x0000555555555343 in mid (n=n@entry=41) at x86_64/demo.c:104",
        "#2  0x0000555555555079 in main (argc=1, argv=0x7fffffffe7b8) at x86_64/demo.c:108",
        "#3  0x00007ffff7dfc24a in ?? ()",
        "stopped: no frame information for pc 0x7ffff7dfc24a, which is not in any code object",
    ]
    assert run_json("bt", "--state", GCC).json["frames"][0]["cfa"] == "0x7fffffffe5f0"
    done = run("bt", "--state", STATES / "stack.clang.O0.json")
    assert [line.split("(")[1].split(")")[0] for line in done.lines[:4]] == [
        "n=2", "n=3", "n=4", "n=5"
    ]  # fmt: skip


def test_variables_of_an_outer_frame_of_a_cpu() -> None:
    """`n` has its value on entry: the call gives it, the register is lost."""
    assert run("eval", "--state", GCC, "--frame", 1, "n").out == "n = 41\n"
    copy = run("eval", "--state", GCC, "--frame", 1, "copy").out
    assert copy.startswith(
        r'copy = {a = 41, name = "abc\000\000\000\000", in = {{count = 1, weight = 1.5, '
    )
    assert run("eval", "--state", GCC, "--frame", 2, "argc").out == "argc = 1\n"


def test_registers_of_an_outer_frame_of_a_cpu() -> None:
    done = run("debug", "--state", GCC, "--batch", "-ex", "frame 1",
               "-ex", "info registers rbx rbp rsp r12 rip rax")  # fmt: skip
    assert done.without_sources[1:] == [
        "rbx            0x7fffffffe7b8      140737488349112",
        "rbp            0x1                 0x1",
        "rsp            0x7fffffffe5f0      0x7fffffffe5f0",
        "r12            0x7fffffffe7b8      140737488349112",
        "rip            0x555555555343      0x555555555343 <mid+131>",
        "rax            <not saved>",
    ]


def test_a_register_without_a_rule_has_the_default_of_the_abi() -> None:
    def asked(operations: str) -> str:
        return run("eval", "--state", GCC, "--frame", 1, "-e", operations).out

    assert asked("reg3") == "rbx\n"
    assert asked("reg7") == "implicit 0x7fffffffe5f0 (8 bytes)\n"
    assert asked("reg0") == "<optimized out>\n"
    assert asked("call_frame_cfa") == "0x7fffffffe680\n"


IN_LANES = bytes.fromhex("10100e 90a8149d20c007 90a8149d20e007")
"""What f9 says of its return address: it is in the lanes 30 and 31 of v40."""
PATCHES = {
    "an expression that never ends": ("2ffdff", "a loop back to the same stack: it never ends"),
    "memory that nobody has": (
        "0cf0ffffff36e902", "cannot access memory at address private_wave#0xfffffff0"
    ),
    "an operation that is not allowed": ("9c", "its use would be circular"),
    "itself": ("e90710", "circular call frame information: register pc needs register pc"),
    "bytes without a meaning": ("ff", "unknown operation 0xff"),
}  # fmt: skip


@pytest.mark.parametrize("name", PATCHES)
def test_hostile_information_ends_the_stack_with_a_reason(tmp_path: Path, name: str) -> None:
    """The frames inside of it stay."""
    patch, reason = PATCHES[name]
    data = (FIXTURES / "asm/chain_mubuf.gfx90a.v5.co").read_bytes()
    assert data.count(IN_LANES) == 1
    nops = b"\x96" * 14
    file = tmp_path / "hostile.co"
    hostile = IN_LANES[:3] + (bytes.fromhex(patch) + nops)[:14]
    file.write_bytes(data.replace(IN_LANES, hostile))
    state = STATES / "chain_mubuf.gfx90a.json"
    done = run("bt", "--file", file, "--state", state, "--lane", 1)
    assert " in f11 (a=12041001" in done.lines[0]
    assert (len(done.lines), done.status) == (4, 1)
    assert done.lines[3].startswith("stopped: the caller of frame 2: ")
    assert reason in done.lines[3]


def test_the_demo_has_the_addresses_of_its_state_too() -> None:
    """An address that another command shows for the demo is a PLACE."""
    done = run("frames", "--demo", "--pc", "0x7f0000001690")
    assert (done.out, done.status) == (run("frames", "--demo", "--pc", "0x1690").out, 0)
    assert done.notes == ["--pc 0x7f0000001690 is 0x1690 in the file, loaded at 0x7f0000000000"]
    outside = run("frames", "--demo", "--pc", "0x7f0000000000")
    assert outside.out == "no frame information for pc 0x7f0000000000 in demo.co\n"


def test_the_rows_of_an_entry_are_printed_one_by_one(tmp_path: Path) -> None:
    """As JSON: those of an entry of 300 KB took a gigabyte, all in memory."""
    path, out = tmp_path / "made", tmp_path / "out"
    path.write_bytes(rules_of_rows(200)["bomb"])
    run("frames", path)  # what is made once
    tracemalloc.start()
    try:
        with out.open("w", encoding="utf-8") as stream, redirect_stdout(stream):
            assert main(["frames", str(path), "--json"]) == 0
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    entry = json.loads(out.read_text("utf-8"))["sections"][0]["entries"][1]
    assert [len(row["rules"]) for row in entry["rows"]] == [*range(1, 201), 200]
    assert peak_bytes < 4_000_000


def test_what_is_written_counts_for_the_frames() -> None:
    """s of frame 7 is in lane 3 of v44, and so is that of the frames outside of it."""
    lines = prompt("frame 7", "print s = 77", "bt")
    assert lines[1] == "$1 = 77"
    assert [line.split("s=")[1].split(")")[0] for line in lines[2:]] == [
        *["840"] * 5, "640", "640", *["77"] * 4, "140"
    ]  # fmt: skip


def test_the_prompt_marks_frames_too() -> None:
    state = STATES / "stacks.gcc.O2.tail.json"
    lines = run("debug", "--state", state, "--batch", "-ex", "frame 6", "-ex", "info frame").lines
    assert lines[0].endswith(" at aarch64/stacks.c:53  [tail call]")
    assert " tail call frame, caller of frame at 0x55008007e0" in lines
    given = ("--pc", "0x1a50", "--reg", "s30=0x2244", "--reg", "s31=0", "--heuristic", "--batch")
    code = FIXTURES / "hip/call.gfx942.O0.v5.co"
    lines = run("debug", "--file", code, *given, "-ex", "up", "-ex", "info frame").lines
    assert lines[0].endswith(" at hip/call.hip:17  [heuristic]")
    assert " found by the calling convention alone (heuristic)" in lines
