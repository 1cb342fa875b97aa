"""Operations without a program are evaluated without a session, with what a session would give."""

from __future__ import annotations

import contextlib
import io
from argparse import ArgumentParser, Namespace

import pytest

from dwarfgpu.cli import eval as command
from dwarfgpu.cli.eval_session import run_in_session
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.options.context_options import is_without_program

OPERATIONS = (
    "lit1",
    "regx s4",
    "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset",
    "regx s4; piece 4; piece 4",
    "regx s4; deref_size 4",
    "call_frame_cfa",
    "call_frame_cfa; deref",
    "fbreg 8",
    "entry_value (reg1)",
    "LLVM_call_frame_entry_reg s4",
    "push_object_address",
    "LLVM_push_lane",
    "LLVM_push_iteration",
    "addr 0x1000; deref_size 4",
    "lit0; lit4; LLVM_form_aspace_address; deref_size 4",
    "LLVM_undefined",
    "lit1; lit0; div",
    "nosuch",
    "lit99",
    "call2 0x10",
    "plus",
)
OPTIONS = (
    "",
    "--arch x86_64",
    "--lane 3",
    "--lane 64",
    "--lane 99 --lanes 128",
    "--arch gfx1100 --lane 40 --lanes 64",
    "--arch gfx1100 --lane 64 --lanes 65",
    "--arch gfx942 --lanes 65",
    "--lanes 0",
    "--lanes 2000",
    "--lane 2 --lanes 2",
    "--iteration 2",
    "--reg s4=0x1234 --reg v3=[1,2,3,4,5,6,7,8]",
    "--reg exec=0 --lane 3",
    "--reg nosuch=1",
    "--mem 0x1000=0a0b0c0d --lane 1",
    "--mem private_lane#0=01020304 --lane 1",
    "--cfa 0x1000",
    "--cfa private_wave#0x1000 --lane 2",
    "--cfa nosuch#1",
    "--frame-base 0x40",
    "--scratch-base 0x1000",
    "--object lit8 --push lit1 --push lit2",
    "--want location",
    "--max-steps 1",
    "--max-units x",
    "--strict",
    "--wave 3",
    "--dialect upstream-clang",
    "--dialect amd-provisional",
)


def parsed(words: list[str]) -> Namespace:
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    command.configure(parser)
    return parser.parse_args(words)


def outcome(run: object, args: Namespace) -> tuple[object, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            assert callable(run)
            status: object = run(args)
        except DwarfGpuError as error:
            status = type(error), str(error)
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("options", OPTIONS)
def test_a_session_gives_the_same(options: str) -> None:
    """Law of `dwarfgpu.options.without_program`."""
    for operations in OPERATIONS:
        for more in ([], ["--json"]):
            words = [*options.split(), *more, "-e", operations]
            args = parsed(words)
            assert is_without_program(args)
            alone = outcome(command.run, args)
            assert alone == outcome(run_in_session, parsed(words)), words


@pytest.mark.parametrize(
    "options",
    [
        "--file k.co", "--state s.json", "--core c", "--pc 0", "--pc main", "--frame 1",
        "--load-address 0", "--sysroot /",
        "--gpu-core g", "--code-object u=f", "--lane all", "--lane 0-3", "--wave all",
        "--verify-places",
    ],
)  # fmt: skip
def test_a_program_needs_a_session(options: str) -> None:
    assert not is_without_program(parsed([*options.split(), "-e", "lit1"]))


def test_results_are_of_several_kinds() -> None:
    """The comparison above compares values, locations and errors, not one error everywhere."""
    given = ["--lane=3", "--reg=s4=0x1234", "--mem=0x1000=0a0b0c0d", "--cfa=0x1000"]
    outcomes = [outcome(command.run, parsed([*given, "-e", operation])) for operation in OPERATIONS]
    assert len({out for status, out, _ in outcomes if status == 0}) >= 6
    assert len({err for status, _, err in outcomes if status == 1}) >= 4
