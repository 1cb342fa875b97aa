"""`explain` lists where in the code a variable has a location that has none, or not all of one,
where the lane is: each way to miss it, by address, in lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.topology import Machine, Wave, Workgroup
from dwarfgpu.session.session import Session
from dwarfgpu.view.where_described import described_where
from tests.cli.command import STATES, run
from tests.dwarf.builder import Content, abbreviations, elf, unit
from tests.dwarf.test_coverage import BASE, INT, INT_AT, LIST, ROOT, SHAPES, F, entry, word

ORDER = "in the order of the code, it is "
NEST = "0x7f0000"


@pytest.mark.parametrize(
    ("options", "name", "expected"),
    [
        (["--state", f"{STATES}/divergent.gfx942.json", "--wave", "1", "--lane", "17"], "x",
         f"{ORDER}last described at line 13: [0x1504,0x1524) = divergent.hip:9-11,13\n"
         "lane 17 is after that, at line 15"),
        (["--state", f"{STATES}/divergent.gfx942.json", "--wave", "1", "--pc", "0x1500", "--lane",
          "0"], "x",
         f"{ORDER}first described at line 9: [0x1504,0x1524) = divergent.hip:9-11,13\n"
         "lane 0 is before that, at line 7"),
        (["--demo", "--lane", "4"], "r",
         f"{ORDER}described up to line 24"
         f": [{NEST}00165c,{NEST}00167c) = nest.hip:12,23-24\nand again from line 14: "
         f"[{NEST}00169c,{NEST}0016e4) = nest.hip:14-15,18,21\nlane 4 is between, at line 14"),
        (["--demo", "--lane", "4"], "in",
         f"no code of its scope has a location for it: [{NEST}001600,{NEST}0017ac) = device.h:15 "
         "nest.hip:9-15,18,21,23-24,…"),
        (["--state", f"{STATES}/divergent.gfx942.json", "--wave", "1", "--lane", "17"], "at",
         "all of it is described for [0x1504,0x1524) = divergent.hip:9-11,13"),
        (["--state", f"{STATES}/locations.gfx942.json", "--pc", "0x1620", "--lane", "3"],
         "half_undefined", "no code of its scope has a location for all of it"),
    ],
    ids=["after", "before", "hole", "nowhere", "bits", "never all bits"],
)  # fmt: skip
def test_where_else(options: list[str], name: str, expected: str) -> None:
    output = run("explain", *options, name, "--json")
    verdict = json.loads(output.out)["verdict"]
    assert f"\n{expected}" in "\n".join(verdict)
    assert not any("kept the value nowhere" in item for item in verdict)


def test_nothing_where_all_is_known() -> None:
    state = ["--state", f"{STATES}/divergent.gfx942.json", "--wave", "1", "--lane", "17"]
    verdict = json.loads(run("explain", *state, "kept", "--json").out)["verdict"]
    assert verdict == ["kept = 27", "the object is at v4 + byte 68 (wave 1)"]


def test_the_lanes_that_have_it(tmp_path: Path) -> None:
    """Of a description with locations for some lanes alone, the lanes that are here are listed."""
    mask = (0x0FF0).to_bytes(8, "little")
    undefined, vgpr0, select = b"\xe9\x08", b"\x90\x80\x14", b"\x0e" + mask + b"\xe9\x0c\x20\x40"
    lane_dword = b"\xe9\x03\x34\x1e\xe9\x04"
    masked = undefined + vgpr0 + select + lane_dword
    path = tmp_path / "made.co"
    variable = bytes((LIST,)) + b"x\0" + word(INT_AT) + word(0)
    entries = ROOT + INT + F + variable + b"\0\0"
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(0x100), flags=6, address=BASE),
        ".debug_info": unit(entries, 5),
        ".debug_abbrev": abbreviations(*SHAPES),
        ".debug_loclists": entry(0x10, 0x20, masked) + b"\0",
    }
    path.write_bytes(elf(sections))
    arch = architecture("gfx942")
    target = StateTarget(arch)
    target.add_wave(0)
    target.set_lanes(0, arch.by_name["v0"], list(range(64)))
    target.set_register(0, arch.by_name["exec"], (0xFF).to_bytes(8, "little"))
    session = Session(arch, (CodeObject.open(path),), target, lane=0, pc=BASE + 0x14)
    for lane, expected in ((0, ["of the lanes here, it is complete in lanes 4-11"]), (5, [])):
        focused = session.focused(lane)
        reading = focused.read(focused.variable("x"))
        assert described_where(focused, reading) == expected
    # a workgroup of ten work-items: the others have no value
    group = Workgroup(1, None, (0, 0, 0), (10, 1, 1))
    few = StateTarget(arch, machine=Machine(64, workgroups={1: group}))
    few.add_wave(0, 1)
    few.place_wave(Wave(0, 1, 0))
    few.set_lanes(0, arch.by_name["v0"], list(range(64)))
    few.set_register(0, arch.by_name["exec"], (0xFF).to_bytes(8, "little"))
    focused = Session(arch, (CodeObject.open(path),), few, lane=0, pc=BASE + 0x14)
    reading = focused.read(focused.variable("x"))
    assert described_where(focused, reading) == ["of the lanes here, it is complete in lanes 4-9"]
