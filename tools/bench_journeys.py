"""`tools/bench.py journeys`: how many Python functions are called to answer a question.

A count does not depend on the machine. Each question is asked three times before it is counted, as
at a prompt that is in use. A generator counts once for each time that it is resumed.
"""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import contents
from dwarfgpu.session.session import Session

FIXTURES: Final = Path(__file__).resolve().parent.parent / "fixtures"
EXPRESSION: Final = "regx v6; LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4"


def calls(question: Callable[[], object], warm: int = 3) -> tuple[int, int]:
    """Python functions that a question calls, and the files that they are in."""
    for _ in range(warm):
        question()
    count = 0
    files: set[str] = set()

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        if event == "call":
            count += 1
            files.add(frame.f_code.co_filename)

    gc.disable()  # the finalizers of objects that earlier work left would be counted
    sys.setprofile(called)
    try:
        question()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count - 1, len(files)  # without the question itself


def calls_of_journey(question: Callable[[], object]) -> tuple[int, int]:
    """The fewest `calls` of two: an expression is compiled after many evaluations, and earlier work
    of the process may have evaluated it almost as often."""
    return min(calls(question), calls(question, warm=0))


def nest() -> Session:
    """A wave in a kernel; `t` of lane N is 10 N, in one dword of a VGPR."""
    arch = architecture("gfx942")
    target = StateTarget(arch)
    target.add_wave(0)
    target.set_lanes(0, arch.by_name["v6"], [10 * lane for lane in range(64)])
    target.set_register(0, arch.by_name["exec"], (0xFF0F).to_bytes(8, "little"))
    target.set_register(0, arch.by_name["s33"], b"\xfe\xff\xff\xff")
    kernel = CodeObject.open(FIXTURES / "hip/nest.gfx942.O2.v5.co", 0x10000)
    return focused(Session(arch, (kernel,), target, lane=3, pc=0x11640))


def of_state(name: str) -> Session:
    """The first wave of a state."""
    state = load_state(FIXTURES / "states" / name)
    objects = tuple(
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    wave = state.waves[0]
    arch = state.target.architecture_of(wave.wave)
    return focused(Session(arch, objects, state.target, wave=wave.wave, pc=wave.pc))


def shell(session: Session, *lines: str) -> Shell:
    made = Shell(session, COMMANDS, Streams(io.StringIO(), io.StringIO()))
    for line in lines:
        made.execute(line)
    return made


def questions() -> dict[str, tuple[str, Callable[[], object]]]:
    """By the letter of the journey: what is asked, and asking it."""
    session, outer = nest(), of_state("chain_flat.gfx942.json")
    data = assemble(EXPRESSION, AMD, UnitFormat(), session.architecture)
    ready, at_prompt = session.context(), shell(session)
    as_json = shell(session, "set output json")

    def every_variable() -> list[str]:
        return [contents(session, session.read(variable)) for variable in session.variables()]

    def caller_register() -> object:
        outer.forget_frames()
        frame = outer.at_level(1).physical_frame
        assert frame is not None
        return frame.contents(32)

    return {
        "a": ("six operations, context ready", lambda: evaluate(data, ready)),
        "a'": (
            "the same, context made by a session",
            lambda: evaluate(data, evolve(session).context()),
        ),
        "b": (
            "name, pc and lane to the text of a variable",
            lambda: contents(session, session.read(session.variable("t"))),
        ),
        "c": ("a caller's register, unwound anew, to bits", caller_register),
        "d": ("`print t` at the prompt", lambda: at_prompt.execute("print t")),
        "e": ("`print t` as JSON", lambda: as_json.execute("print t")),
        "f": ("`info locals`, 4 of the 8 in scope", lambda: at_prompt.execute("info locals")),
        "g": ("the 8 variables in scope to text", every_variable),
    }


def bench_journeys() -> None:
    """The table of docs/benchmarks.md."""
    print("| | question | calls | files |\n|---|---|---|---|")
    for letter, (text, question) in questions().items():
        count, files = calls_of_journey(question)
        print(f"| {letter} | {text} | {count:,} | {files} |")
