"""Ctrl-C amid a command: what it had kept is whole, so that the next answer is the usual one."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from random import Random
from types import FrameType

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.operation_budget import OPERATION_BUDGET, budget_of_command
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES
from tests.repl.repl_shell import LOAD, PC, made, output_of

SAMPLES = 6


def kernel() -> Shell:
    """A wave in a kernel whose file was opened for this shell alone."""
    arch = architecture("gfx942")
    target = StateTarget(arch)
    target.add_wave(0)
    target.set_lanes(0, arch.by_name["v6"], list(range(64)))
    target.set_register(0, arch.by_name["exec"], (0xFF0F).to_bytes(8, "little"))
    code_object = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co", LOAD)
    return made(Session(arch, (code_object,), target, lane=3, pc=PC))


def program() -> Shell:
    """A program of x86-64 before it starts."""
    arch = architecture("x86_64")
    code_object = CodeObject.open(FIXTURES / "x86_64/demo.gcc.O2.v5")
    target = StateTarget(arch)
    target.add_wave(0)
    segments = tuple(code_object.loaded_segments())
    return made(Session(arch, (code_object,), TargetWithCodeObjects(target, segments, False)))


def core() -> Shell:
    """A core file of x86-64."""
    program = str(FIXTURES / "core/crash.x86_64.O2")
    loaded = load_core(f"{program}.core", program)
    objects = tuple(CodeObject.of(item.file, item.load_address) for item in loaded.files)
    pc = loaded.pc_of(1)
    return made(
        Session(loaded.architecture, objects, loaded.target, wave=1, pc=pc, knows_loaded=True)
    )


def lanes() -> Shell:
    """A wave amid calls of functions."""
    state = load_state(FIXTURES / "states/chain_flat.gfx942.json")
    objects = tuple(CodeObject.open(item.path, item.load_address) for item in state.code_objects)
    [wave] = state.waves
    return made(Session(state.architecture, objects, state.target, wave=wave.id, pc=wave.pc))


KERNEL = (
    *("bt", "info locals", "output t", "info scope nest", "info line nest"),
    *("lanes t", "x/3i $pc", "info frame", "where t"),
)
PROGRAM = (
    *("info functions leaf", "info types .", "info variables .", "info scope leaf"),
    *("ptype numbers", "info line main", "info symbol main", "complete break m", "output numbers"),
)


CORE = ("bt", "bt full", "info frame", "info threads", "info sharedlibrary", "info files")
LANES = ("bt", "info locals", "lanes a", "info threads")


def answered(shell: Shell, line: str) -> str:
    """What a line prints, without notes: these are printed once."""
    output_of(shell, line)
    assert isinstance(shell.console.streams.out, io.StringIO)
    return shell.console.streams.out.getvalue()


def interrupted(shell: Shell, line: str, call: int) -> int:
    """Execute a line, with Ctrl-C at one of its calls of functions; the number of calls."""
    count = 0

    def profile(*_: object) -> None:
        nonlocal count
        count += 1
        if count == call:
            sys.setprofile(None)
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        sys.setprofile(profile)
        output_of(shell, line)
        call = 0
    sys.setprofile(None)
    return count


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("make", "lines"),
    [(kernel, KERNEL), (program, PROGRAM), (core, CORE), (lanes, LANES)],
    ids=["kernel", "program", "core", "lanes"],
)
def test_the_next_answers_are_the_usual_ones(make: type[Shell], lines: tuple[str, ...]) -> None:
    expected = dict.fromkeys(lines, "")
    rng = Random(7)
    for line in lines:
        shell = make()
        output_of(shell, "output 1")
        calls = interrupted(shell, line, 0)
        expected[line] = answered(shell, line)
        for _ in range(SAMPLES):
            shell = make()
            output_of(shell, "output 1")
            interrupted(shell, line, call := rng.randrange(1, calls))
            assert answered(shell, line) == expected[line], (line, call)


@pytest.mark.parametrize("call", range(4))
def test_what_a_command_may_perform_ends_with_it(call: int) -> None:
    """Also where Ctrl-C comes while its budget begins or ends: in one command of thousands."""
    shell, count = lanes(), 0
    methods = (budget_of_command.__enter__, budget_of_command.__exit__)
    of_budget = [method.__code__ for method in methods]

    def profile(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        if event == "c_call" and frame.f_code in of_budget:
            count += 1
            if count == call + 1:
                sys.setprofile(None)
                raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        sys.setprofile(profile)
        output_of(shell, "info locals")
    sys.setprofile(None)
    assert count == call + 1
    assert OPERATION_BUDGET.get() is None
