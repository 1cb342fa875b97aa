"""Lines as long as a prompt takes: no command does work that grows with the square of the line."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.repl.files import posix_regexps
from dwarfgpu.repl.files.symbol_index import SymbolIndex
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value import printf
from tests.repl.repl_shell import demo_shell, output_of
from tests.work import calls_of

LENGTH = 100_000


@pytest.fixture
def shell() -> Shell:
    return demo_shell()


@pytest.mark.parametrize("line", ["p 'a", "p (struct a*)0", "p a", "tbreak a", "a"])
def test_names_are_collected_for_lines_that_are_completed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    typed: list[str] = []
    monkeypatch.setattr(SymbolIndex, "require", lambda self, _, text: typed.append(text))
    assert output_of(shell, f"complete {line.replace('a', 'a' * LENGTH)}") == ""
    assert not typed
    output_of(shell, f"complete {line}")
    assert len(typed) == 1


def test_printf_of_very_many_values(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in GDB all values are evaluated, then counted; of too many none is."""
    monkeypatch.setattr(printf, "MAX_VALUES", 3)
    assert output_of(shell, 'printf "%d", 1, $x = 5, 3').startswith("Wrong number of arguments")
    assert output_of(shell, "p $x") == "$1 = 5\n"
    limit = "LimitExceeded: printf of more than 3 values\n"
    assert output_of(shell, 'printf "%d", 1, $x = 6, 3, 4') == limit
    assert output_of(shell, "p $x") == "$2 = 5\n"


def test_printf_of_long_expressions(shell: Shell) -> None:
    """5,000 sums of 91 numbers took 35 s of processor time."""
    values = ", ".join(["+".join("1" * 91)] * 230)
    shown = output_of(shell, f'printf "{"%d" * 230}", {values}')
    limit = "LimitExceeded: printf of expressions with more than 40000 characters\n"
    assert shown == limit
    assert output_of(shell, f'printf "{"%d" * 2}", {values[: 2 * 183]}') == "9191"
    assert output_of(shell, f'eval "echo {"%d" * 230}", {values}') == limit


def test_the_values_of_printf_share_the_bound_on_elements(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And another line has its own."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 20)
    output_of(shell, "set var $x = {1, 2, 3, 4}")
    for count in (5, 5, 6):
        values = ", ".join(["$x[1]"] * 4 * count)
        shown = output_of(shell, f'printf "{"%d" * 4 * count}", {values}')
        assert ("LimitExceeded: the expressions of one command take" in shown) == (count == 6)


@pytest.mark.parametrize("command", ["tbreak", "info address", "list", "info scope", "ptype"])
def test_a_long_name_is_read_in_few_calls(shell: Shell, command: str) -> None:
    work = [calls_of(lambda: output_of(shell, f"{command} {'v' * n}")) for n in (99, LENGTH)]  # noqa: B023
    assert work[1] < work[0] + LENGTH / 10


def test_repeated_words_of_apropos_are_one(shell: Shell) -> None:
    def work(count: int) -> int:
        return calls_of(lambda: output_of(shell, f"apropos {'a ' * count}"))

    work(1)
    assert work(1_000) <= work(1) + 10


@pytest.mark.parametrize("option", ["-q ", "-q on ", "-n off ", "-t int "])
def test_repeated_options_of_listings_are_read_in_place(
    monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """Each look at the rest of the line copies none of it."""
    texts: set[int] = set()
    read = posix_regexps._OPTION.match

    def counted(text: str, position: int = 0) -> object:
        texts.add(id(text))
        return read(text, position)

    monkeypatch.setattr(posix_regexps, "_OPTION", SimpleNamespace(match=counted))
    assert posix_regexps.listing_options(f"{option * 9}main")[2] == "main"
    assert len(texts) == 1


def test_a_command_of_lldb_is_a_bounded_number_of_commands(shell: Shell) -> None:
    for name in ("frame variable", "target variable"):
        limit = f"LimitExceeded: {name} is more than 1000 commands\n"
        assert output_of(shell, f"{name} {'1 ' * 1_001}") == limit
    limit = "LimitExceeded: frame variable of more than 100000 characters\n"
    assert output_of(shell, f"frame variable {('1+' * 99 + '1 ') * 999}") == limit
    limit = "LimitExceeded: more than 1000 options\n"
    assert output_of(shell, f"frame variable {'-f x ' * 1_001} 1") == limit
    assert output_of(shell, f"frame variable {'-f x ' * 99} 10") == "$1 = 0xa\n"


def test_the_commands_for_one_of_lldb_share_limits(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 names of one large object took 3 s; objects without a limit on elements 0.3 s each."""
    monkeypatch.setattr("dwarfgpu.language.stored_objects._MOST_PARTS", 20)
    output_of(shell, "set var $x = {1, 2, 3, 4}")
    for count in (20, 21):
        shown = output_of(shell, f"target variable {'$x[1] ' * count}").splitlines()
        assert len(shown) == count
        assert ("the expressions of one command take more than 20 " in shown[-1]) == (count == 21)
    shell.session = evolve(shell.session, limits=Limits(listed_characters=20))
    *shown, error = output_of(shell, "target variable 1 2 3 4 5 6").splitlines()
    assert [line.partition(" = ")[2] for line in shown] == ["1", "2", "3"]
    assert error == (
        "LimitExceeded: target variable shows more than 20 characters: print 4 and what is after "
        "it are not shown (--max-listed-characters)"
    )
    assert output_of(shell, "target variable 7").endswith(" = 7\n")


def test_a_path_that_no_file_has_is_not_looked_up(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []
    monkeypatch.setattr(os.path, "realpath", lambda path: (looked_up.append(path), path)[1])
    for length, is_looked_up in ((4_000, True), (4_100, False)):
        output_of(shell, f"break {'/m' * (length // 2)}:1")
        assert (looked_up != []) is is_looked_up
        looked_up.clear()


def test_long_regular_expressions_are_refused(shell: Shell) -> None:
    limit = "LimitExceeded: a regular expression of more than 100000 characters\n"
    assert output_of(shell, f"info functions {'a' * 100_001}") == limit
    made = calls_of(lambda: output_of(shell, f"clear {'$a' * 100_000}"))
    assert made < 1_000_000  # a name is searched for without one
