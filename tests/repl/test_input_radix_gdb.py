"""Numbers after `set input-radix`, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

WRITTEN = [
    "010", "0a", "0ff", "0e1", "08", "0f", "00", "0ul", "0b", "0d", "0b11", "0b12", "0d1f",
    "0xfful",
    "1f", "1e5", "1ul", "10ul", "1.5", "01.5", "ab", "abul", "ful + 1", "sizeof(ful)", "FFLL",
    "abl", "fg", "1g", "sizeof(named)", "sizeof(ace)", "0e+1", "8", "9",
]  # fmt: skip


@pytest.mark.parametrize("radix", ["16", "0xe", "8", "2"])
def test_zeros_begin_octal_numbers_and_names_may_have_suffixes(
    radix: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Where letters are digits, no number has an exponent without a point."""
    source = "int named = 3, ace = 4; int main(void) { return 0; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "a.c", "-o", "a"]])
    commands = [f"set input-radix {radix}", *(f"print {text}" for text in WRITTEN)]
    files = [str(tmp_path / "a")]
    ours, gdbs = (
        [text.partition(" Did you mean")[0].strip() for text in answers(gdb, files, commands)]
        for gdb in (None, tool("gdb"))
    )
    assert ours == gdbs


PROGRAMS = {
    "rs": ('fn main() { println!("x"); }\n', ["rustc", "-g", "-o", "a", "a.rs"]),
    "adb": ("procedure A is\nbegin\n   null;\nend A;\n", ["gnatmake", "-q", "-g", "a.adb"]),
}


@pytest.mark.parametrize("suffix", sorted(PROGRAMS))
def test_ada_and_rust_ignore_the_radix(
    suffix: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Zeros do not begin octal numbers there, either."""
    source, command = PROGRAMS[suffix]
    tool("gcc")  # which gnatmake and rustc call
    build(tmp_path, {f"a.{suffix}": source}, [[tool(command[0]), *command[1:]]])
    numbers = ["10", "1e2", "19", "0x1f", "010", "08", "0", "00", "10.5", "00.5", "1_0", "-10"]
    if suffix == "adb":
        numbers += ["16#ff#", "1e2 + 010", "0e1"]
    commands = [f"print {text}" for text in numbers]
    for radix in (16, 8):
        commands += [f"set input-radix {radix}", *(f"print {text}" for text in numbers)]
    files = [str(tmp_path / "a")]
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "No symbol" in answers(None, files, ["set input-radix 16", "print ff"])[1]
