"""What `break FUNCTION` keeps for the next time, and when it is looked for again."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.repl.running import break_locations
from tests.repl.repl_shell import demo_shell, output_of
from tests.work import calls_of


def test_a_function_takes_few_calls_again() -> None:
    shell = demo_shell()
    first = output_of(shell, "break main")
    assert calls_of(lambda: shell.execute("break main")) < 300  # 600 before
    assert output_of(shell, "break main").endswith(first.replace(" 1 ", " 3 "))


def test_other_files_have_other_addresses() -> None:
    shell = demo_shell()
    output_of(shell, "break main", "break main")
    shell.session = evolve(shell.session, code_objects=(), pc=None)
    assert "No symbol table is loaded." in output_of(shell, "break main")


def test_lines_and_values_are_looked_for_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """They depend on what was listed last, and on what the user sets."""
    asked: list[str] = []
    original = break_locations.break_addresses

    def counted(session: object, text: str, *rest: object) -> object:
        asked.append(text)
        return original(session, text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(break_locations, "break_addresses", counted)
    shell = demo_shell()
    output_of(shell, "break main", "break main", "break 49", "break 49", "set $line = 49")
    output_of(shell, "break $line", "set $line = 50", "break $line", "break *$pc", "break *$pc")
    assert asked == ["main", "49", "49", "49", "50", "*$pc", "*$pc"]
