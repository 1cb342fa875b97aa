"""Memory and scratch given on the command line: what belongs to a lane, and where scratch is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import STATES, run
from tests.dwarf.builder import Content, Shape, file_of

GENERIC = "generic#0x2000000000008=01020304"
OF_LANE_3 = "generic[3]#0x2000000000008=01020304"
READ = "lit8; lit5; LLVM_form_aspace_address; deref_size 4"


@pytest.mark.parametrize(
    ("given", "lane", "address"),
    [
        (GENERIC, 3, "lit8; lit5"),
        (OF_LANE_3, 3, "lit8; lit5"),
        (GENERIC, 3, "const8u 0x2000000000008; lit1"),
        (OF_LANE_3, None, "const2u 0x20c; lit6"),
        ("generic[3]#0x8=01020304", None, "lit8; lit0"),
        ("private_lane#8=01020304", 3, "const2u 0x20c; lit6"),
    ],
)
def test_the_private_aperture_is_of_a_lane(given: str, lane: int | None, address: str) -> None:
    focus = () if lane is None else ("--lane", lane)
    text = f"{address}; LLVM_form_aspace_address; deref_size 4"
    done = run("eval", *focus, "--mem", given, text)
    assert done.out.startswith(f"{0x04030201} "), done.err


def test_the_memory_of_another_lane_is_not_given() -> None:
    done = run("eval", "--lane", 4, "--mem", OF_LANE_3, READ)
    assert "not in the state" in done.error and done.status == 1


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        (
            GENERIC,
            (
                f"--mem {GENERIC}: the memory at generic#0x2000000000008 belongs to a lane: ",
                "write generic[N]#0x2000000000008, or give --lane N",
            ),
        ),
        (
            "private_lane#0x10=0a0b",
            (
                "--mem private_lane#0x10=0a0b: private_lane memory belongs to a lane: ",
                "write private_lane[N]#0x10, or give --lane N",
            ),
        ),
        ("local[3]#0x8=01020304", ("local memory belongs to no lane",)),
        ("global[3]#0x8=01020304", ("global memory belongs to no lane",)),
    ],
)
def test_a_lane_that_is_missing_or_too_much(given: str, parts: tuple[str, ...]) -> None:
    done = run("eval", "--mem", given, "lit1")
    assert all(part in done.error for part in parts) and done.status == 2


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, int]:
    """A code object with address types of global and private_lane memory, and their offsets."""
    code = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
    kind = ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_ENCODING, dw.FORM_DATA1))
    kind = (*kind, (dw.AT_BYTE_SIZE, dw.FORM_DATA1))
    space = (dw.AT_LLVM_ADDRESS_SPACE, dw.FORM_DATA1)
    shapes = [
        Shape(dw.TAG_COMPILE_UNIT, code, True),
        Shape(dw.TAG_BASE_TYPE, (*kind, space)),
    ]
    entries = b"\1" + (0x1000).to_bytes(8, "little") + b"\x40\0\0\0"
    everywhere = 12 + len(entries)
    entries += b"\2ptr\0\1\x08\0"
    private = 12 + len(entries)
    entries += b"\2lane\0\1\x04\5"
    text = Content(bytes(0x40), flags=6, address=0x1000)
    path = tmp_path_factory.mktemp("scratch") / "types.co"
    path.write_bytes(file_of(entries + b"\0", shapes, {".text": text}))
    return path, everywhere, private


def test_the_place_of_scratch_can_be_given(program: tuple[Path, int, int]) -> None:
    path, everywhere, private = program
    text = f"const_type {everywhere} 8 0x0c 0x02 0 0 0 0x7e 0 0; convert {private}"
    focus = ("--file", path, "--pc", 0x1004, "--lane", 3, "-e", text)
    done = run("eval", *focus)
    assert done.error.endswith("give --scratch-base ADDR, or a state with it")
    for command in ("eval", "explain"):
        done = run(command, *focus, "--scratch-base", "0x7e0000000000")
        assert "0x8" in done.lines[-1] and done.status == 0, done
    done = run("debug", "--batch", *focus[:-2], "--scratch-base", "0x7e0000000000")
    assert done.status == 0, done


def test_what_a_state_has_of_scratch_is_in_global_memory_too() -> None:
    state = ("--state", STATES / "locations.gfx942.json", "--lane", 3)
    own = "const1u 0x1c; lit5; LLVM_form_aspace_address; deref_size 4"
    private = run("eval", *state, "-e", own)
    base = ("--scratch-base", "0x10000")
    text = "const4u 0x1070c; deref_size 4"
    assert run("eval", *state, *base, "-e", text).out == private.out != ""
    assert run("eval", *state, *base, "-e", own).out == private.out
    assert "not in the state" in run("eval", *state, "-e", text).error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--arch", "x86_64", "--scratch-base", 0), "x86_64 has no scratch memory"),
        (("--scratch-base", -1), "--scratch-base"),
        (("--scratch-base", "here"), "--scratch-base: expected an integer"),
    ],
)
def test_what_cannot_be_the_place_of_scratch(arguments: tuple[object, ...], message: str) -> None:
    done = run("eval", *arguments, "lit1")
    assert message in done.error and done.status == 2
