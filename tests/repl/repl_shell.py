"""The prompt in a test: the shell of `dwarfgpu debug` on a small machine, and what it says."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

from dwarfgpu.arch.registry import architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES, validate

LOAD = 0x10000
PC = LOAD + 0x1640


def made(session: Session) -> Shell:
    streams = Streams(io.StringIO(), io.StringIO())
    return Shell(focused(session), COMMANDS, streams)


@cache
def opened(name: str, load_address: int = 0) -> CodeObject:
    """A file as it is read once: no session changes it."""
    return CodeObject.open(FIXTURES / name, load_address)


def nest_shell() -> Shell:
    """`t` of lane N is 10 N; lanes 4 to 7 are off, and so are those from 16 on."""
    arch = architecture("gfx942")
    target = StateTarget(arch)
    target.add_wave(0)
    target.set_lanes(0, arch.by_name["v6"], [10 * lane for lane in range(11)])
    target.set_register(0, arch.by_name["exec"], (0xFF0F).to_bytes(8, "little"))
    target.set_register(0, arch.by_name["s33"], b"\xfe\xff\xff\xff")
    kernel = opened("hip/nest.gfx942.O2.v5.co", LOAD)
    return made(Session(arch, (kernel,), target, lane=3, pc=PC))


def demo_shell() -> Shell:
    """A program of x86-64 before it starts."""
    shell = program_shell(opened("x86_64/demo.gcc.O0.v5"))
    output_of(shell, "output numbers[0]")  # an assumption is printed once
    return shell


def program_shell(program: CodeObject) -> Shell:
    """The prompt of a program of x86-64 before it starts."""
    arch = architecture("x86_64")
    target = StateTarget(arch)
    target.add_wave(0)
    segments = tuple(program.loaded_segments())
    return made(Session(arch, (program,), TargetWithCodeObjects(target, segments, False)))


def output_of(shell: Shell, *lines: str) -> str:
    """The output of the last line, errors and remarks after it."""
    for line in lines:
        _forget(shell)
        shell.execute(line, repeats=True)
    return _text(shell)


def talked(shell: Shell, *lines: str) -> str:
    """The output of all lines, errors and remarks after it; bodies of commands are among them."""
    _forget(shell)
    given = iter(lines)
    with shell.script.reading(given):
        for line in given:
            shell.execute(line)
    return _text(shell)


def _forget(shell: Shell) -> None:
    for stream in (shell.console.streams.out, shell.console.streams.err):
        assert isinstance(stream, io.StringIO)
        stream.seek(0)
        stream.truncate()


def _text(shell: Shell) -> str:
    assert isinstance(shell.console.streams.out, io.StringIO)
    assert isinstance(shell.console.streams.err, io.StringIO)
    return shell.console.streams.out.getvalue() + shell.console.streams.err.getvalue()


def json_of(shell: Shell, line: str) -> Any:
    """The answer to a line as JSON, which follows its schema."""
    shell.settings.set("output", "json")
    text = output_of(shell, line)
    shell.settings.set("output", "text")
    assert text.count("\n") == 1
    document = json.loads(text)
    validate(document)
    return document
