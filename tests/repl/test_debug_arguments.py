"""Arguments that commands take as GDB takes them."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from tests.cli.command import FIXTURES, run
from tests.repl.repl_shell import nest_shell, output_of, talked


def test_a_line_from_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)  # where the text is
    shell = nest_shell()
    assert output_of(shell, "list 1,4").count("\n") == 4
    assert output_of(shell, "list +3").startswith("3\t")  # around line 5 + 3
    output_of(shell, "list 1,4")
    assert output_of(shell, "list +1,+1").startswith("6\t")
    output_of(shell, "list 10,12")
    assert output_of(shell, "list -2").startswith("6\t")  # around line 13 - 2


@pytest.mark.parametrize(("argument", "status"), [("1+2", 3), ("300", 44), ("-1", 255)])
def test_the_exit_status_is_an_expression(argument: str, status: int) -> None:
    shell = nest_shell()
    assert output_of(shell, f"quit {argument}") == ""
    assert shell.is_over and shell.exit_status == status


def test_a_lane_by_an_expression() -> None:
    shell = nest_shell()
    output_of(shell, "set $n = 1")
    assert output_of(shell, "lane $n + 1").startswith("[Switching to thread 0, lane 2 ")
    assert output_of(shell, "lane $_lane").startswith("[Switching to thread 0, lane 2 ")


def test_a_thread_of_the_one_inferior() -> None:
    shell = nest_shell()
    shell.machine = evolve(shell.machine, threads={0: "wave", 3: "other"})
    assert output_of(shell, "thread 1.0").startswith("[Switching to thread 0")
    assert output_of(shell, "thread 1.7") == "Unknown thread 1.7.\n"
    assert output_of(shell, "thread 7") == "Unknown thread 7.\n"


def test_a_breakpoint_of_a_thread_where_others_are() -> None:
    shell = nest_shell()
    shell.machine = evolve(shell.machine, threads={0: "wave", 3: "other"})
    commands = "break nest", *["break nest thread 3"] * 2, "break nest"
    first, *others = [output_of(shell, command).partition(" also set")[0] for command in commands]
    assert first.startswith("Breakpoint 1 at ")
    assert others == [
        "Note: breakpoint 1 (all threads)",
        "Note: breakpoints 1 (all threads) and 2 (thread 3)",
        "Note: breakpoints 1, 2 (thread 3) and 3 (thread 3)",
    ]


def test_check_of_a_name_that_means_nothing() -> None:
    shell = nest_shell()
    assert output_of(shell, "check nosuch") == 'No symbol "nosuch" in current context.\n'
    assert "No symbol" not in output_of(shell, "check limit")
    assert "No symbol" not in output_of(shell, "check nest")


def test_a_display_is_deleted() -> None:
    shell = nest_shell()
    talked(shell, "display 1", "display 2")
    assert talked(shell, "delete display 1") == ""
    assert "\n2:" in output_of(shell, "info display") and "\n1:" not in output_of(
        shell, "info display"
    )
    assert output_of(shell, "delete display 1") == "No display number 1.\n"


def test_complete_lists_the_completions_of_tab() -> None:
    assert "p nest\n" in output_of(nest_shell(), "complete p ne")


def test_lanes_without_a_work_item() -> None:
    state = str(FIXTURES / "states/divergent.gfx942.json")
    done = run("debug", "--batch", "--state", state, "-ex", "wave 2", "-ex", "p $_lane_count",
               "-ex", "lane 62")  # fmt: skip
    assert "$1 = 60\n" in done.out
    assert "lane 62 is unused: it has no work-item\n" in done.err


def test_lanes_without_a_work_item_are_nowhere() -> None:
    """The wave has 64 lanes, the workgroup 32 work-items."""
    done = run(
        "debug", FIXTURES / "run/integers.gfx942.O0.v5.co", "--dispatch", "vadd", "--grid", 32,
        "--workgroup", 32, "--arg", "0=range:32", "--arg", "1=range:32", "--arg", "2=zeros:128",
        "--batch", "-ex", "break vadd", "-ex", "run", "-ex", "where t", "-ex", "explain t",
    )  # fmt: skip
    here = [line.rpartition("  ")[2] for line in done.lines if line.endswith("here")]
    assert here == ["lanes 0-31 are here"] * 2
