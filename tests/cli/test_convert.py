"""`dwarfgpu convert`: addresses of one space as those of another."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from tests.cli.command import REPOSITORY, STATES, run, run_json

SCRATCH = "--scratch-base 0x7e0000000000 --scratch-size 0x1000"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("private_lane#0x10 --lane 3 --to private_wave", "private_wave#0x40c, … 0x4 bytes"),
        ("private_lane[3]#0x12 --to private_wave", "private_wave#0x40e, … 0x2 bytes"),
        ("private_lane#0x13 --lane 3 --to private_wave", "private_wave#0x40f, … 0x1 byte"),
        (
            "private_lane#0x10 --lane 3 --to private_wave --arch gfx1100",
            "private_wave#0x20c, … 0x4 bytes",
        ),
        (
            "private_lane#0x10 --lane 3 --to private_wave --arch gfx1100 --wave-size 64",
            "private_wave#0x40c, … 0x4 bytes",
        ),
        (
            "private_lane#0x12 --lane 3 --to private_wave --element-size 16",
            "private_wave#0x432, … 0xe bytes",
        ),
        (f"private_wave#0x40c --to global {SCRATCH}", "global#0x7e000000040c, … 0xbf4 bytes"),
        (
            f"0x7e000000040c --to private_lane --lane 3 {SCRATCH}",
            "private_lane#0x10, … 0x4 bytes",
        ),
        ("LOCAL#16 --to DW_ASPACE_LLVM_generic", "generic#0x1000000000010, … 0xfffffff0 bytes"),
        (
            "local#16 --to generic --local-base 0x5000000000000",
            "generic#0x5000000000010, … 0xfffffff0 bytes",
        ),
        ("local#0xffffffff --to generic", "generic#0x0, which is null"),
        ("0x23#0x10 --to private_wave --dialect amd-2020", "private_wave#0x40c, … 0x4 bytes"),
        ("private_wave#0x40c --to 0x23 --dialect amd-2020", "private_lane#0x10, … 0x4 bytes"),
        ("0x23#0x10 --to 35 --dialect amd-2020", "private_lane#0x10, … 0xfffffff0 bytes"),
        ("generic#0x20000fffffffe --to private_lane", "private_lane#0xfffffffe, … 0x2 bytes"),
        ("generic#0 --to private_lane --lane 0", "private_lane#0xffffffff, which is null"),
    ],
)
def test_one_space(arguments: str, expected: str) -> None:
    done = run("convert", *shlex.split(arguments, comments=False))
    assert (done.out.strip(), done.status) == (expected.replace("…", "the same memory for"), 0)


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (
            "local#1 --to global",
            1,
            "EvaluationError: a local address cannot be converted to global",
        ),
        (
            f"0 --to private_lane --lane 0 {SCRATCH}",
            1,
            "EvaluationError: global address 0x0 is outside the wave's scratch memory",
        ),
        (
            "region#1 --to generic",
            1,
            "EvaluationError: a region address cannot be converted to gen",
        ),
        ("private_lane#0 --to global --lane 0", 1, "Unavailable: the global address of the wave's"),
        (
            "private_lane#0 --to private_wave",
            1,
            "MissingContext: the context has no lane; give --l",
        ),
        ("private_lane#0 --to private_wave --lane 64", 2, "--lane 64: the wave has 64 lanes"),
        ("private_lane[64]#0 --to generic", 2, "private_lane[64]#0: the wave has 64 lanes, from 0"),
        ("private_lane[99999999999]#0", 2, "private_lane[99999999999]#0: the wave has 64 lanes"),
        ("private_lane#0 --lane 64", 2, "--lane 64: the wave has 64 lanes, from 0"),
        ("private_lane[32]#0 --wave-size 32 --arch gfx1030", 2, "private_lane[32]#0: the wave"),
        ("global[3]#0 --to generic", 2, "global[3]#0: address space global has no lanes"),
        ("local[3]#0 --to generic", 2, "local[3]#0: address space local has no lanes"),
        ("private_wave[3]#0", 2, "private_wave[3]#0: address space private_wave has no lanes"),
        (
            "private_lane#0x100000000 --to generic",
            2,
            "0x100000000 is not an address of private_lane, which has 32 bits",
        ),
        (
            "generic#0x20000ffffffff --to private_lane",
            1,
            "EvaluationError: generic address 0x20000ffffffff is in private_lane, where 0xffffffff",
        ),
        (
            "generic#0x10000ffffffff --to local",
            1,
            "EvaluationError: generic address 0x10000ffffffff is in local, where 0xffffffff is nul",
        ),
        ("0x23#0 --to private_wave", 2, "0x23#0: gfx942 has no address space 0x23; known: global"),
        ("0x60#0 --dialect amd-2020", 2, "0x60#0: gfx942 has no address space 0x60"),
        ("0x23#0 --lane 2 --dialect amd-2020", 2, "--lane 2, but the address is of lane 3"),
        (
            "0x23#0 --to 0x24 --dialect amd-2020",
            2,
            "--to 0x24 is of lane 4, but the address is of lane 3",
        ),
        ("nowhere#0 --to generic", 2, "nowhere#0: gfx942 has no address space nowhere; known: glo"),
        ("local#0 --to nowhere", 2, "--to: gfx942 has no address space nowhere; known: global, ge"),
        ("local#x", 2, "'local#x': expected SPACE#ADDRESS, as private_lane#0x10"),
        ("local# --to generic", 2, "'local#': expected SPACE#ADDRESS"),
        (
            "generic#0x5000000000010 --local-base 0x5000000000000 --private-base 0x5000000000000",
            2,
            "--local-base: expected an aperture of 0x1000000000000 bytes apart from that at 0x5000",
        ),
        (
            "private_lane#0 --private-base 1",
            2,
            "--private-base: expected an aperture of 0x1000000000000 bytes apart from that at 0x10",
        ),
        (
            "local#0xfffffff0 --to generic --local-base 0xffffffffffff0000",
            2,
            "--local-base: an aperture at 0xffffffffffff0000 does not fit 64 bits",
        ),
        ("local#0 --element-size 3", 2, "--element-size 3: the compute ABI has 2, 4, 8, 16"),
        (
            "local#0 --scratch-base=-1",
            2,
            "--scratch-base: expected an integer of at least 0, not -1",
        ),
        ("local#0 --wave-size 32", 2, "gfx942 has no wave size 32, only 64"),
        ("local#0 --wave 1", 2, "--wave: only a state has waves; give --state FILE"),
        ("private_lane[1]#0 --lane 2", 2, "--lane 2, but the address is of lane 1"),
    ],
)
def test_refused(arguments: str, status: int, error: str) -> None:
    words = arguments.split()
    done = run("convert", *words)
    assert done.status == status
    assert done.error.startswith(error)
    assert run_json("convert", *words).status == status


def test_every_space() -> None:
    json = run_json("convert", "private_lane#0x10", "--lane", 3).json
    assert json["from"] == {"space": "private_lane", "address": 16, "is_null": False}
    assert [
        conversion["space"] for conversion in json["conversions"] if "error" not in conversion
    ] == [
        "generic",
        "private_lane",
        "private_wave",
    ]
    assert json["conversions"][5]["address"] == 0x40C
    lines = run("convert", "private_lane#0x10", "--lane", 3).lines
    assert len(lines) == 7
    assert lines[3].startswith("region         <not reachable>    EvaluationError: a private_lane")


def test_the_architecture_and_the_waves_of_a_state() -> None:
    state = STATES / "wave32.gfx1100.json"
    json = run_json("convert", "private_lane#4", "--lane", 1, "--state", state).json
    assert (json["architecture"], json["wave_size"]) == ("gfx1100", 32)
    assert json["conversions"][5]["address"] == 32 * 4 + 4
    refused = run("convert", "local#0", "--state", state, "--arch", "gfx942")
    assert refused.error == "--arch gfx942, but the state is of gfx1100"
    assert (
        "no such wave; it has only wave 0"
        in run("convert", "local#0", "--state", state, "--wave", 9).error
    )


def test_notes() -> None:
    assert "says 0x0" in run("convert", "private_lane#0", "--lane", 0).notes[0]
    assert run("convert", "region#4").notes == [
        "memory of region is not accessible: no debugger interface reaches GDS memory"
    ]


def test_it_needs_no_session() -> None:
    script = (
        "import sys; from dwarfgpu.cli.main import main; main(['convert', 'local#0']);"
        "print({'dwarfgpu.session.session', 'numpy'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "set()"
