"""Bad input to a simulated machine: each gets one precise line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

NEST = FIXTURES / "hip/nest.gfx942.O0.v5.co"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two waves of 64 lanes, each in a workgroup with 512 bytes of LDS, 160 bytes of scratch."""
    path = tmp_path_factory.mktemp("machine") / "state.json"
    done = run(
        "dispatch", NEST, "--arg", "in=zeros:64", "--arg", "out=buffer:64", "--arg", "limit=3",
        "--grid", 128, "--workgroup", 64, "--dynamic-lds", 100, "--save", path,
    )  # fmt: skip
    assert done.status == 0, done.err
    return path


AT = "LLVM_form_aspace_address; deref_size 4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", "--wave", 7, "$v0"), "--wave 7: the state has no such wave; it has waves 1, 2"),
        (("lanes", "--wave", 9), "--wave 9: the state has no such wave; it has waves 1, 2"),
        (("lanes", "--lane", "3,64", "$v0"), "--lane 64: the wave has 64 lanes, from 0"),
        (("eval", "--lane", "0-64", "$v0"), "--lane 0-64: the wave has 64 lanes, from 0"),
        (("eval", "--lane", 64, "limit"), "--lane 64: the wave has 64 lanes, from 0"),
        (("eval", "--lane", 1000000, "$_kernarg.limit", "$s6"), "--lane 1000000: the wave has 64"),
        (("eval", "--wave", "all", "--lane", 64, "$s6"), "--lane 64: the wave has 64 lanes"),
        (("explain", "--lane", 64, "$s6"), "--lane 64: the wave has 64 lanes, from 0"),
        (("bt", "--lane", 64), "--lane 64: the wave has 64 lanes, from 0"),
        (("eval", "--lane", -1, "$v0"), "--lane: expected an integer of at least 0, not -1"),
        (
            ("eval", "--lane", 3, "-e", f"const2u 512; lit3; {AT}"),
            "local address 0x200 is beyond the 512 bytes of the workgroup",
        ),
        (
            ("eval", "--lane", 3, "-e", f"const2u 510; lit3; {AT}"),  # over the end
            "local address 0x200 is beyond the 512 bytes of the workgroup",
        ),
        (
            ("eval", "--lane", 3, "-e", f"const1u 160; lit5; {AT}"),
            "private_lane address 0xa0 is beyond the 10240 bytes of scratch memory of the wave, "
            "160 a lane",
        ),
        (
            ("eval", "--lane", 3, "-e", f"const2u 0x2800; lit6; {AT}"),
            "private_wave address 0x2800 is beyond the 10240 bytes of scratch memory of the wave",
        ),
        (("eval", "-e", f"lit0; lit5; {AT}"), "the context has no lane; give --lane N"),
        (
            ("eval", "--lane", 3, "-e", f"lit2; lit5; {AT}"),
            "cannot access memory at address private_lane#0x2: of lane 3 it is 0x7d000000000e: not "
            "in the state",
        ),
        (
            ("eval", "--lane", 3, "-e", f"const4u 0xffffffff; lit3; {AT}"),
            "32 bits needed at bit offset 34359738360 of local memory, 8 remain",
        ),
        (
            ("eval", "--lane", 3, "-e", f"lit0; lit2; {AT}"),
            "address space region is not accessible: no debugger interface reaches GDS memory",
        ),
        (
            ("eval", "--reg", "v30=[1]", "$v3"),
            "register v30 is not allocated: wave 1 has v0 to v23",
        ),
        (("eval", "--reg", "a1=[1]", "$v3"), "register a1 is not allocated: wave 1 has no a"),
        (
            ("eval", "--mem", "local#0x1fe=01020304", "$v3"),
            "local address 0x200 is beyond the 512 bytes of the workgroup",
        ),
        (
            ("convert", "private_lane[70]#0x10", "--to", "global"),
            "private_lane[70]#0x10: the wave has 64 lanes, from 0",
        ),
        (
            ("convert", "private_lane[3]#0xa0", "--to", "global"),
            "private_lane address 0xa0 is outside the wave's scratch memory",
        ),
        (
            ("convert", "private_wave#0x4", "--to", "private_lane", "--lane", 3),
            "private_wave address 0x4 belongs to lane 1, not to lane 3",
        ),
        (("convert", "local#0", "--to", "global"), "a local address cannot be converted to global"),
        (("convert", "private_wave#0", "--to", "generic"), "private_wave address cannot be conv"),
        (("convert", "region#0", "--to", "generic"), "a region address cannot be converted to"),
    ],
    ids=lambda words: "" if isinstance(words, str) else " ".join(map(str, words)),
)
def test_refused(state: Path, arguments: tuple[object, ...], message: str) -> None:
    command, *rest = arguments
    done = run(command, "--state", state, *rest)
    assert message in done.error
    assert done.status in (1, 2)
    assert done.out == ""


def test_the_prompt_names_the_address_beyond_the_end_of_a_space(state: Path) -> None:
    """`print` as `x` does, with GDB's wording before the reason."""
    local = "Cannot access memory at address local#0x200: local address 0x200 is beyond the 512"
    private = "Cannot access memory at address private_lane#0xa0: private_lane address 0xa0 is bey"
    for command in ("print", "output", "x/wx &"):
        for space, message in (("local#0x200", local), ("private_lane#0xa0", private)):
            done = run("debug", "--state", state, "-ex", f"{command} *(int *){space}", "-batch")
            assert message in done.out + done.err, command
    over = "print *(long *)local#0x1fc"
    done = run("debug", "--state", state, "-ex", over, "-batch")
    assert local.replace("local#0x200", "local#0x1fc") in done.err
