"""Places where a command takes an address: FILE:LINE, FUNCTION, FUNCTION+OFFSET, *EXPRESSION."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import FIXTURES, STATES, run, run_json

NEST = FIXTURES / "hip/nest.gfx942.O2.v5.co"
KERNELS = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"


@pytest.mark.parametrize(
    ("text", "pc"),
    [
        ("0x1684", 0x1684),
        ("5764", 5764),
        ("nest.hip:12", 0x165C),
        ("hip/nest.hip:12", 0x165C),
        ("nest", 0x1600),
        ("nest.hip:nest", 0x1600),
        ("nest+0x20", 0x1620),
        ("nest + 32", 0x1620),
        ("*0x1620", 0x1620),
        ("*nest + 0x20", 0x1620),
        ("*&nest", 0x1600),
    ],
)
def test_eval_takes_a_place(text: str, pc: int) -> None:
    done = run("eval", "--file", NEST, "--pc", text, "-e", "regx pc; deref")
    assert (done.out.strip(), done.err, done.status) == (f"{pc} ({pc:#x})", "", 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nst", 'Function "nst" not defined. Did you mean "nest"?'),
        ("nst+4", 'Function "nst+4" not defined. Did you mean "nest"?'),
        ("none.hip:3", "No source file named none.hip."),
        ("nest.hip:4000", "neither this line nor one after it has code"),
        ("nest.hip:0", 'No line 0 in file "nest.hip".'),
        ("nest.hip:-1", 'No line -1 in file "nest.hip".'),
        ("*nst", 'No symbol "nst" in current context.'),
        ("*", "Argument required (expression to compute)."),
        ("*local#0x10", "local#0x10 is not an address of code"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "where", "frames"])
def test_an_invalid_location_is_one_line(command: str, text: str, why: str) -> None:
    files = [NEST] if command == "frames" else ["--file", NEST, "limit"]
    done = run(command, *files, "--pc", text)
    assert done.status == 2 and done.out == ""
    assert done.error.startswith("--pc") and why in done.error


def test_a_place_needs_a_code_object() -> None:
    done = run("eval", "--pc", "nest.hip:12", "lit1")
    assert done.status == 2
    assert done.error == ("--pc nest.hip:12: no code object is given that could have this place")


def test_a_line_without_code_is_the_next_one_with_a_note() -> None:
    done = run("eval", "--file", NEST, "--pc", "nest.hip:1", "-e", "regx pc; deref")
    assert done.out == "5648 (0x1610)\n"
    assert done.notes == ["nest.hip:1 has no code: line 9 at 0x1610 is used, the next with code"]


def test_of_several_places_the_first_is_taken_and_all_are_listed() -> None:
    done = run("where", "--file", KERNELS, "--all", "--pc", "kernels.cl:26")
    assert done.notes == [
        "kernels.cl:26 has code at 4 places: 0x2100 in item inlined into diverge, 0x2200 in item "
        "inlined into loop, 0x2444 in item inlined into call, 0x2638 in item inlined into data; "
        "using 0x2100; give an address for another one"
    ]
    assert run("where", "--file", KERNELS, "--all", "--pc", "0x2100").out == done.out


def test_json_has_the_note_too() -> None:
    answered = run_json("eval", "--file", NEST, "--pc", "nest.hip:1", "-e", "lit1")
    assert answered.json["context_notes"] == [
        "nest.hip:1 has no code: line 9 at 0x1610 is used, the next with code"
    ]
    without = run_json("eval", "--file", NEST, "--pc", "nest.hip:12", "-e", "lit1")
    assert "context_notes" not in without.json


@pytest.mark.parametrize("options", [(), ("--against", KERNELS)], ids=["alone", "against"])
def test_json_of_where_has_the_notes_of_the_text(options: tuple[object, ...]) -> None:
    arguments = ("where", "--file", KERNELS, "--all", *options, "--pc")
    assert run_json(*arguments, "kernels.cl:26").json["notes"] == list(
        run(*arguments, "kernels.cl:26").notes
    )
    assert run_json(*arguments, "kernels.cl:26").json["notes"]
    assert run_json(*arguments, "0x2100").json["notes"] == []


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "t"), ("bt",), ("lanes", "t"), ("location", "t"), ("eval", "t"),
        ("debug", "-batch", "-ex", "print $pc", "-ex", "print t"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_every_command_takes_a_place(command: tuple[str, ...]) -> None:
    """As it takes the number: nothing else differs."""
    arguments = (*command, "--demo", "--force-pc", "--pc")
    by_place = run(*arguments, "nest.hip:12")
    by_number = run(*arguments, "0x7f000000165c")
    assert by_place == by_number
    assert by_place.out


def test_frames_shows_the_row_of_a_line() -> None:
    path = FIXTURES / "asm/locations.gfx942.v5.co"
    assert run("frames", path, "--pc", "k").out == run("frames", path, "--pc", "0x1600").out


def test_a_break_location_is_resolved_if_the_pc_of_the_state_has_no_code(tmp_path: Path) -> None:
    """The wave may be anywhere: the place says where to look."""
    state = json.loads((FIXTURES / "states/data.gfx942.O2.json").read_text("utf-8"))
    state["waves"][0]["pc"] = "0xdead0000"
    for code_object in state["code_objects"]:
        code_object["path"] = str((FIXTURES / "states" / code_object["path"]).resolve())
    path = tmp_path / "lost.json"
    path.write_text(json.dumps(state))
    done = run("eval", "--state", path, "--pc", "data", "-e", "regx pc; deref")
    assert (done.status, done.err) == (0, "")


def test_the_load_address_is_added() -> None:
    arguments = ("--file", NEST, "--load-address", "0x10000", "-e", "regx pc; deref")
    assert run("eval", *arguments, "--pc", "nest.hip:12").out == "71260 (0x1165c)\n"


def test_convert_takes_a_place_of_a_file() -> None:
    by_number = run("convert", "global#0x165c", "--to", "generic")
    by_place = run("convert", "--file", NEST, "nest.hip:12", "--to", "generic")
    assert by_place == by_number
    started = STATES / "dispatch.gfx1100.json"
    code = FIXTURES / "opencl/kernels.gfx1100.O2.v5.co"
    done = run("convert", "--file", code, "--state", started, "diverge+4", "--to", "global")
    assert done.out.startswith("global#0x7f0000002104")
    answered = run_json("convert", "--file", NEST, "nest.hip:1", "--to", "generic")
    assert answered.json["notes"] == [
        "nest.hip:1 has no code: line 9 at 0x1610 is used, the next with code"
    ]
    wrong = run("convert", "--file", NEST, "nst", "--to", "generic")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.error == 'ADDRESS nst: Function "nst" not defined. Did you mean "nest"?'


def test_a_line_whose_address_is_in_no_unit(tmp_path: Path) -> None:
    """A unit that says that its code is elsewhere still has the rows of its line table."""
    program = FIXTURES / "x86_64/demo.gcc.O0.v5"
    sections = ObjectFile(str(program), program.read_bytes()).sections_by_name
    damaged = bytearray(program.read_bytes())
    low_pc = sections[".debug_info"].offset + 26
    assert struct.unpack_from("<Q", damaged, low_pc) == (0x1139,)
    struct.pack_into("<Q", damaged, low_pc, 0x1001139)
    aranges = sections[".debug_aranges"]
    damaged[aranges.offset : aranges.offset + aranges.size_bytes] = bytes(aranges.size_bytes)
    path = tmp_path / "damaged"
    path.write_bytes(damaged)
    done = run("eval", path, "--pc", "demo.c:50", "-e", "lit7")
    assert (done.out, done.status) == ("7\n", 0)
    assert "demo.c:50 has no code: line 58 at 0x1147 is used" in done.err
