"""Regular expressions that are compiled at their first use."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from importlib import import_module

import pytest

import dwarfgpu
from dwarfgpu.base.pattern import DeferredPattern, pattern

COUNT = """\
import re, sys
compiled = re.compile
patterns = []
def counted(text, flags=0):
    if sys._getframe(1).f_globals["__name__"].startswith("dwarfgpu"):
        patterns.append(text)
    return compiled(text, flags)
re.compile = counted
from dwarfgpu.cli.main import main
main(sys.argv[1:])
print(len(patterns), patterns, file=sys.stderr)
"""


def test_it_is_compiled_at_its_first_use_and_once() -> None:
    word = pattern(r"(?P<first>\w)\w*", re.ASCII)
    assert isinstance(word, DeferredPattern)
    assert "compiled" not in vars(word)
    match = word.fullmatch("ab")
    assert match is not None and match["first"] == "a"
    assert "compiled" in vars(word)
    assert word.fullmatch is vars(word)["fullmatch"]
    assert word.fullmatch("é") is None  # the flags count
    assert pattern(rb"\d").findall(b"1a2") == [b"1", b"2"]


def test_a_mistake_is_an_error_of_the_first_use() -> None:
    mistake = pattern("(")
    with pytest.raises(re.error):
        mistake.search("")


def test_all_patterns_of_the_package_can_be_compiled() -> None:
    count = 0
    for module in pkgutil.walk_packages(dwarfgpu.__path__, "dwarfgpu."):
        if module.name.startswith("dwarfgpu.gdb") or module.name.endswith("__main__"):
            continue
        for value in vars(import_module(module.name)).values():
            if isinstance(value, DeferredPattern):
                assert value.compiled.pattern
                count += 1
    assert count > 100


@pytest.mark.parametrize(
    ("arguments", "most"), [("eval lit1", 6), ("eval --demo t", 7), ("debug --demo -batch", 5)]
)
def test_a_command_compiles_few_of_them(arguments: str, most: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *arguments.split()],
        capture_output=True,
        text=True,
        check=True,
    )
    *_, last = done.stderr.splitlines()
    assert int(last.split()[0]) <= most, last
