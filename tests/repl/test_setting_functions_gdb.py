"""`$_gdb_setting` of settings that have one value here, and beginnings of their names, beside the
installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.repl.settings_in_force import IN_FORCE
from tests.repl.side_by_side import answers, build

OWN = ("cp-abi", "may-call-functions", "print asm-demangle", "write")
"""Settings without a variable in GDB, or with another value there."""
NAMES = (
    *(name for name in IN_FORCE if name not in OWN), "annotate", "args", "mi-async", "non-stop",
    "print finish", "schedule-multiple", "step-mode", "stop-on-solib-events", "verbose",
    "cp-abi", "check", "write", "radix", "version", "directories", "debug-file-directory",
)  # fmt: skip


def test_values_are_those_of_gdb(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c"]])
    files = [str(tmp_path / "a.out")]
    commands = [
        f'{command} {function}("{name}")'
        for name in NAMES
        for function in ("$_gdb_setting", "$_gdb_setting_str")
        for command in ("print", "whatis")
    ]
    commands.insert(0, "set debug-file-directory /usr/lib/debug")
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_a_text_has_no_nul(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB 13 makes an array of the characters of a text alone; of an empty one, of a NUL."""
    source = "enum e { RED } red;\nint main(void) { return red; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "a.c"]])
    texts = [
        '$_gdb_setting_str("height")',
        '$_gdb_setting_str("args")',
        '$_gdb_setting("language")',
    ]
    commands = []
    for text in (*texts, "$_as_string((enum e)0)", '"RED"', '""'):
        commands += [f"p/x {text}", f"p/c {text}", f"p {text}", f"output {text}", "set $x = 0"]
        commands += [f"set $x = {text}", "whatis $x", "p $x", "p $_strlen($x)", "p sizeof($x)"]
        commands += ["p $x[2]", "p $x[3]", 'p $_streq($x, "RED")', 'p $_regex($x, "R.*D$")']
    files = [str(tmp_path / "a.out")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


BEGINNINGS = (
    *(
        "disassembly-f",
        "conf",
        "confir",
        "endia",
        "heigh",
        "pri obj",
        "print ob",
        "pri",
        "arg",
        "arc",
    ),
    *("height x", "non", "verb", "write x", "pagin", "sch", "step-m"),
)


def test_beginnings_of_names_are_those_of_gdb(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """`show disassembly-f` and `$_gdb_setting("disassembly-f")`; one that several names have is no
    setting."""
    build(tmp_path, {"a.c": "int main(void) { return 0; }\n"}, [[tool("gcc"), "-g", "a.c"]])
    files = [str(tmp_path / "a.out")]
    shown = ("arg", "disassembly-f", "endia", "arc", "case-", "conf", "writ", "verb", "non")
    commands = ["set confirm on", *(f"show {name}" for name in shown)]
    commands += [f'print $_gdb_setting("{name}")' for name in BEGINNINGS]
    commands += [f'print $_gdb_setting_str("{name}")' for name in BEGINNINGS]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize(("name", "value"), [("may-call-functions", "off"), ("sysroot", "/")])
def test_values_are_those_that_show_shows(name: str, value: str) -> None:
    lines = [f"set {name} {value}", f'print $_gdb_setting_str("{name}")', f"show {name}"]
    _, printed, shown = answers(None, [], lines)
    assert printed.endswith(f'$1 = "{value}"\n') and value in shown
