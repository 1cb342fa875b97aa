"""Every command of GDB 13 works, or one line says why it is not here.

`gdb_commands.txt` has the names of `help all`, the short ones included.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.repl.command import parse
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.settings_in_force import sentence_in_force
from dwarfgpu.repl.support.absent_commands import ABSENT, NOTHING
from tests.repl.repl_shell import demo_shell, output_of

NAMES = tuple(Path(__file__).with_name("gdb_commands.txt").read_text("utf-8").splitlines())
ARGUMENTS = (
    "frame apply all",
    "frame apply level",
    "select-frame address",
    "select-frame function",
    "select-frame level",
    "thread apply all",
)
"""Words that GDB lists as commands, and that are arguments here."""
ABBREVIATED = {"bre": "break", "cl": "clear", "del": "delete"}
OTHERS = {
    "mem": "memory",
    "set c": "set confirm",
    "set ch": "set",
    "set g": "set",
    "set gu": "set",
    "set rec": "set",
}
"""What has another meaning here (docs/gdb-differences.md, "commands")."""
LINE = re.compile(
    r'"[^"]+" is not supported: .+\.'
    r'|The setting "[^"]+" of GDB (?:is not implemented|does not apply to dwarfgpu: .+'
    r"|has no effect in dwarfgpu: .+)\."
    r'|note: "[^"]+" has no effect: .+'
)


def test_every_command_is_known() -> None:
    """By its whole name; what is left of a line is an argument only where it is known as one."""
    unknown = []
    for name in NAMES:
        call = parse(COMMANDS, name)
        if call.command.is_absent:
            continue
        if name in OTHERS | ABBREVIATED:
            assert call.command.name == (OTHERS | ABBREVIATED)[name]
        elif name in ARGUMENTS:
            assert name == f"{call.command.name} {call.argument}"
        elif call.argument or name.split()[-1] not in call.command.words:
            unknown.append(name)
    assert not unknown


def test_an_absent_command_has_a_reason_of_one_line() -> None:
    names = [name for name in NAMES if parse(COMMANDS, name).command.is_absent]
    assert len(names) > 500
    settings = 0
    for name in names:
        line = output_of(demo_shell(), name)  # a note is printed once in a session
        first = parse(COMMANDS, name).command.name
        value = sentence_in_force(first.removeprefix("show "), architecture("x86_64"))
        if value is not None and first.startswith("show "):
            assert line == f"{value}\n"
            settings += 1
            continue
        if first in NOTHING:
            assert line == f"{NOTHING[first]}\n"
            continue
        assert LINE.fullmatch(line.rstrip("\n")), (name, line)
        named = re.findall(r'"(?:set )?([^"]+)"', line)[0]
        verb, _, _ = name.partition(" ")
        is_setting = verb in ("set", "show") and name not in ABSENT
        settings += is_setting
        assert named == (first.partition(" ")[2] if is_setting else first)
    assert settings > 300


def test_the_reasons_are_not_sentences() -> None:
    assert not [why for why in ABSENT.values() if why.endswith(".") or why[:1].isspace()]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("reverse-continue", "Execution is not recorded;"),
        ("handle", "Waves receive no signals,"),
        ("info probes", "dwarfgpu does not read static probes."),
        ("exec-file", 'Use "file".'),
    ],
)
def test_the_help_of_absent_commands_has_sentences(name: str, sentence: str) -> None:
    assert output_of(demo_shell(), f"help {name}").splitlines()[-1].startswith(sentence)


def test_the_names_are_those_of_gdb() -> None:
    if shutil.which("gdb") is None:
        pytest.skip("needs gdb")
    done = subprocess.run(
        ["gdb", "-nx", "-batch", "-ex", "show version", "-ex", "help all"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    if not re.match(r"GNU gdb .*\b13\.", done.stdout):
        pytest.skip("needs GDB 13, whose commands are recorded")
    lists = re.findall(r"^(\S.*?) -- ", done.stdout, re.MULTILINE)
    names = {name for line in lists for name in line.split(", ")}
    assert names - set(NAMES) <= {"user-defined"}
    assert set(NAMES) - names == set()


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("disp", "display"),
        ("und", "undisplay"),
        ("wa", "watch"),
        ("info di", "info display"),
        ("info disp", "info display"),
        ("set out", "set output-radix"),
        ("show out", "show output-radix"),
        ("dispa", "dispatch"),
        ("info dispa", "info dispatches"),
    ],
)
def test_abbreviations_of_gdb_stay_unambiguous(typed: str, name: str) -> None:
    """Commands that only dwarfgpu has do not take them away, and keep their own."""
    assert parse(COMMANDS, typed).command.name == name
