"""Exit status: 0 a result with all its bits, 1 none or one with unknown bits, 2 usage."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, STATES, run, run_json

ASM = str(STATES / "locations.gfx942.json")
NEST = str(FIXTURES / "hip/nest.gfx942.O2.v5.co")
OWN_DWORD = "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4"


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        # one name
        (0, ["--state", ASM, "--lane", "3", "t"]),
        (0, ["--state", ASM, "--lane", "3", "pointer_implicit"]),  # synthetic, all is known
        (1, ["--state", ASM, "--lane", "3", "half_undefined"]),
        (1, ["--state", ASM, "--lane", "3", "undefined"]),
        (1, ["--state", ASM, "--lane", "3", "no_location"]),
        (1, ["--state", ASM, "--lane", "3", "with_gap"]),
        (1, ["--state", ASM, "--lane", "3", "region_word"]),  # unavailable
        (1, ["--state", ASM, "t"]),  # no lane
        (1, ["--file", NEST, "--pc", "0x1690", "--lane", "3", "t"]),  # no registers
        (2, ["--state", ASM, "--lane", "3", "nothing"]),
        (2, ["--state", ASM, "--lane", "3", "--pc", "1", "t"]),
        # several
        (0, ["--state", ASM, "--lane", "3", "t", "wide"]),
        (1, ["--state", ASM, "--lane", "3", "t", "undefined"]),
        (1, ["--state", ASM, "--lane", "3", "undefined", "t"]),
        (1, ["--state", ASM, "--lane", "3", "t", "nothing"]),
        (1, ["--state", ASM, "--lane", "3"]),
        # lanes
        (0, ["--state", ASM, "--lane", "all", "t"]),
        (0, ["--state", ASM, "--lane", "all", "t", "wide"]),
        (1, ["--state", ASM, "--lane", "all", "t", "undefined"]),
        (0, ["--lane", "all", "lit1"]),
        (1, ["--lane", "all", "lit1; lit0; div"]),
        (0, ["--lane", "all", OWN_DWORD, "--reg", "v3=[1, 2]", "--reg", "exec=3"]),
        (1, ["--lane", "all", OWN_DWORD, "--reg", "v3=[1, 2]", "--reg", "exec=7"]),
        (1, ["--lane", "all", OWN_DWORD, "--reg", "v3=[1, 2]"]),  # none known to be inactive
        (0, ["--lane", "all", OWN_DWORD, "--reg", "exec=0"]),  # no lane is active
        # operations
        (0, ["lit1"]),
        (0, ["regx v3"]),  # a location is an answer, though nothing can be read there
        (1, ["LLVM_undefined"]),
        (1, ["lit1; drop"]),
        (1, ["LLVM_push_lane"]),
        (1, ["--hex", "0d"]),
        (2, ["--hex", "0x"]),
        (2, ["bogus"]),
        (2, []),
        (2, ["lit1", "--lane"]),
        (2, ["lit1", "--reg", "v3"]),
        (2, ["--file", "/nonexistent", "t"]),
        (2, ["--state", "/nonexistent", "t"]),
    ],
)
def test_eval(status: int, arguments: list[str]) -> None:
    assert run("eval", *arguments).status == status
    assert run_json("eval", *arguments).status == status


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        (0, ["--state", ASM, "--lane", "3", "t"]),
        (1, ["--state", ASM, "--lane", "3", "undefined"]),
        (1, ["--state", ASM, "--lane", "3", "half_undefined"]),
        (1, ["--state", ASM, "t"]),
        (2, ["--state", ASM, "--lane", "3", "nothing"]),
        (2, ["--state", ASM, "--lane", "3", "t", "wide"]),  # one at a time
        (2, ["--state", ASM, "--lane", "all", "t"]),
        (0, ["lit1"]),
        (1, ["lit1; lit0; div"]),
        (1, ["lit1; drop"]),
        (1, ["--hex", "0d"]),
        (2, ["bogus"]),
    ],
)
def test_explain(status: int, arguments: list[str]) -> None:
    assert run("explain", *arguments).status == status
    assert run_json("explain", *arguments).status == status


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        (0, ["--version"]),
        (0, ["--help"]),
        (0, []),
        (0, ["eval", "--help"]),
        (2, ["bogus"]),
        (2, ["--bogus"]),
        (2, ["--vers"]),  # options are written out
        (2, ["asm", "--js", "lit1"]),
        (2, ["asm", "--arc", "gfx942", "lit1"]),
        (0, ["asm", "lit1"]),
        (2, ["asm", "bogus"]),
        (0, ["dis", "30"]),
        (1, ["dis", "0d"]),
        (2, ["dis", "zz"]),
    ],
)
def test_the_other_commands(status: int, arguments: list[str]) -> None:
    assert run(*arguments).status == status


def test_json_is_an_option_only_before_the_arguments_end() -> None:
    done = run("asm", "--bogus", "--", "--json")
    assert (done.out, done.status) == ("", 2)
    assert "--bogus" in done.error


def test_an_error_does_not_echo_all_of_an_argument() -> None:
    for option in ("--wave-size", "--unit-offset"):
        done = run("asm", "lit1", option, "0x" + "f" * 6000)
        assert len(done.error) < 700 and done.status == 2


def test_what_is_known_is_printed_with_status_1() -> None:
    done = run("eval", "--state", ASM, "--lane", "3", "t", "no_location", "lds_array")
    assert done.out == "t = 3\nlds_array = {1, -0.5, 0.25, 1e+10}\n"
    assert done.error.startswith("no_location: <optimized out> (")
    assert done.status == 1
