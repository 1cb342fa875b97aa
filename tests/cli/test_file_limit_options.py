"""Every command that opens a file takes its limits, and each file that it opens has them."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

import pytest

import dwarfgpu
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.cli.main import COMMANDS, configure_command
from dwarfgpu.machine.state import load
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.options.limit_options import EVALUATION_LIMITS, FILE_LIMITS
from tests.cli.command import FIXTURES, STATES, run

FILE = FIXTURES / "asm/locations.gfx942.v5.co"
STATE = STATES / "locations.gfx942.json"
KERNEL = FIXTURES / "hip/nest.gfx942.O0.v5.co"
STOPPED = ("--file", FILE, "--state", STATE, "--lane", 3)
DISPATCH = (
    "--grid",
    64,
    "--workgroup",
    64,
    *("--arg", "in=?", "--arg", "out=?", "--arg", "limit=1"),
)
RUN_ARGUMENTS = ("--arg", "in=zeros:256", "--arg", "out=zeros:16384", "--arg", "limit=1")
LIMITS = FileLimits(1 << 27, 63, 199_999, 3_999_999, 65_535, index_cache=True)
REQUESTS: dict[str, tuple[tuple[object, ...], ...]] = {
    "eval": ((*STOPPED, "limit"), (*STOPPED, "--wave", "all", "limit")),
    "explain": ((*STOPPED, "limit"),),
    "check": ((FILE,),),
    "where": (("--all", FILE, "--against", FILE),),
    "location": ((*STOPPED, "limit"),),
    "convert": (("--file", FILE, "--state", STATE, "k.hip:10"),),
    "dispatch": ((KERNEL, *DISPATCH),),
    "run": ((KERNEL, *DISPATCH[:4], *RUN_ARGUMENTS),),
    "waves": (("--state", STATE),),
    "lanes": ((*STOPPED[:-2], "limit"),),
    "bt": (STOPPED,),
    "disas": ((FILE,),),
    "frames": ((FILE,),),
    "info": ((FILE,),),
    "debug": (
        (*STOPPED, "--batch", "-ex", f"file {FILE}", "-ex", f"info changes {STATE}"),
        (KERNEL, "--dispatch", "nest", *DISPATCH, "--batch"),
    ),
}
OPEN_NO_FILE = {"asm", "dis", "conformance", "gdb-path", "completion"}
"""Commands that read no object file and no state."""


def given() -> list[object]:
    """The options of `LIMITS`."""
    return [
        word
        for option, (name, _) in FILE_LIMITS.items()
        for word in (option, getattr(LIMITS, name))
    ]


def test_each_command_is_known_here() -> None:
    """A new command says what it opens; its parser shows that it opens nothing."""
    assert REQUESTS.keys() | OPEN_NO_FILE == COMMANDS.keys()
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        configure_command(command, parser)
        options = {option for action in parser._actions for option in action.option_strings}
        opens = command in REQUESTS
        assert (set(FILE_LIMITS) <= options) is opens, command
        assert opens or not {"--state", "--core", "--target"} & options, command


@pytest.mark.parametrize(
    ("command", "request_"),
    [(command, words) for command, requests in REQUESTS.items() for words in requests],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_file_has_the_limits(
    command: str, request_: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[FileLimits] = []
    waves: list[int] = []
    make, read = ObjectFile.__init__, load._require_few_waves

    def made(self: ObjectFile, *arguments: object, **named: object) -> None:
        make(self, *arguments, **named)  # type: ignore[arg-type]
        opened.append(self.limits)

    def counted(listed: load.Field, most_waves: int) -> None:
        waves.append(most_waves)
        read(listed, most_waves)

    monkeypatch.setattr(ObjectFile, "__init__", made)
    monkeypatch.setattr(load, "_require_few_waves", counted)
    done = run(command, *request_, *given())
    assert done.status in (0, 1), done.err
    assert opened and set(opened) == {LIMITS}
    assert set(waves) <= {LIMITS.waves}
    is_of_state = any(str(STATE) in str(word) for word in request_) or "--dispatch" in request_
    assert bool(waves) is is_of_state


def test_errors_name_options_that_there_are() -> None:
    """Each option is named by an error, and each option that an error names is one; notes
    name two."""
    named: set[str] = set()
    for path in Path(dwarfgpu.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "LimitExceeded(" in text else ():
            match node:
                case ast.Call(func=ast.Name(id="LimitExceeded"), args=[_, option]):
                    named.add(ast.literal_eval(option))
    assert named | {"--max-frames", "--max-source-lines"} == {*EVALUATION_LIMITS, *FILE_LIMITS}
