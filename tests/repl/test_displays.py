"""`display` shows an expression in the block of its variables, as GDB does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run
from tests.repl.side_by_side import answers, build


@pytest.fixture(autouse=True)
def fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)


def shown(*arguments: str, commands: tuple[str, ...]) -> list[str]:
    """Return the displays of the last command."""
    options = [option for line in commands for option in ("-ex", line)]
    done = run("debug", *arguments, "--batch", *options[:-2], "-ex", "echo @@\\n", *options[-2:])
    return [line for line in done.out.rpartition("@@\n")[2].splitlines() if ": " in line[:3]]


CORE = ("core/removed.x86_64.O2", "--core", "core/removed.x86_64.O2.core")


def test_variables_of_the_caller_of_an_inlined_function() -> None:
    """They have the values of the caller's frame; those of the function are not shown there."""
    commands = ("frame 1", "display n + k", "display k", "frame 0", "display r")
    assert shown(*CORE, commands=(*commands, "display")) == [
        "1: n + k = 8",
        "2: k = 7",
        "3: r = (int &) <synthetic pointer>: 3",
    ]
    assert shown(*CORE, commands=(*commands, "frame 1")) == ["1: n + k = 8", "2: k = 7"]


def test_memory_of_the_caller_of_an_inlined_function() -> None:
    commands = ("frame 1", "display/xw n", "display/xw 2 * n", "undisplay 1", "frame 0")
    assert shown(*CORE, commands=commands)[0].startswith("2: x/xw 2 * n  0x2:\t<error: ")


def test_displayed_memory_is_not_the_last_examined() -> None:
    """As in GDB, where `x` goes on behind it all the same."""
    memory = ("display/i $pc", "display/2xw numbers", "frame 1", "display", "frame 0")
    program = ("core/values.x86_64.O0", "--core", "core/values.x86_64.O0.core")

    def output(*commands: str) -> str:
        options = [option for line in (*commands, "echo @@\\n") for option in ("-ex", line)]
        asked = ("-ex", "output $_", "-ex", "output $__", "-ex", "echo \\n")
        done = run("debug", *program, "--batch", *options, *asked, "-ex", "x/xw")
        return done.out.rpartition("@@\n")[2]

    following = "0x4030d8 <numbers+8>:\t0x00000003\n"
    assert output("x/2dw &numbers[2]", *memory) == (
        f"(int32_t *) 0x4030dc <numbers+12>4\n{following}"
    )
    assert output(*memory) == f"voidvoid\n{following}"


def test_variables_of_a_block() -> None:
    """GDB hides them in the rest of their function, also where it has another one of the name."""
    program = ("x86_64/demo.gcc.O0.v5", "--reg", "rbp=0x1000", "--reg", "rip=0")
    moves = {}
    for line in (70, 72):  # before the loop, and its body
        done = run("debug", program[0], "--batch", "-ex", f"info line {line}", "-ex", "output/x $_")
        moves[line] = f"set var $pc = {done.out.rpartition(chr(10))[2]}"
    begun = (moves[72], "display i", "display h", "display h + i", "display 5")

    def numbers(*commands: str) -> list[str]:
        return [line[:2] for line in shown(*program, commands=(*begun, *commands, "display"))]

    assert numbers() == ["1:", "2:", "3:", "4:"]
    assert numbers(moves[70]) == ["2:", "4:"]
    assert numbers(moves[70], moves[72]) == ["1:", "2:", "3:", "4:"]


def test_an_assignment_is_made_whenever_it_is_shown() -> None:
    """Where the display is created it is made once."""
    commands = ("frame 1", "set $v = 0", "display $v = $v + 1", "display n = 7", "display")
    assert shown(*CORE, commands=commands) == ["1: $v = $v + 1 = 2", "2: n = 7 = 7"]
    options = ("--batch", "-ex", "frame 1", "-ex", "display $v = unknown")
    done = run("debug", *CORE, *options, "-ex", "info display")
    assert done.err.endswith('No symbol "unknown" in current context.\n')
    assert "There are no auto-display expressions now." in done.out


def test_an_error_of_the_value_is_displayed() -> None:
    """GDB refuses what it does not understand alone."""
    commands = ("frame 1", "display 3 = 4", "display $y++", "display n.x", "display 1 +", "display")
    assert shown(*CORE, commands=commands) == [
        "1: 3 = 4 = <error: Left operand of assignment is not an lvalue.>",
        "2: $y++ = <error: Not a numeric type.>",
        "3: n.x = <error: Attempt to extract a component of a value that is not a structure.>",
    ]


def test_what_cannot_be_evaluated_is_displayed_and_what_cannot_be_parsed_refused() -> None:
    """GDB looks all names up as it parses; errors of values and their types come later."""
    shown_errors = ("&n % 2", "n[0]", "n@0", "~1.5", "1.5 << 1", "$_strlen(3)", "$unknown(3)")
    shown_errors += ("unknown(3)",)  # sought by its arguments in C++
    begun = [f"display {text}" for text in shown_errors]
    lines = shown(*CORE, commands=("frame 1", *begun, "display"))
    assert [line.partition(" = <error: ")[0] for line in lines] == [
        f"{number}: {text}" for number, text in enumerate(shown_errors, 1)
    ]
    refused = {
        "1 ? n : unknown": 'No symbol "unknown" in current context.',
        "1 || unknown": 'No symbol "unknown" in current context.',
        "unknown(n, other)": 'No symbol "other" in current context.',
        "unknown::x": 'No symbol "unknown" in current context.',
        "(struct unknown) n": "No struct type named unknown.",
        "sizeof(struct unknown)": "No struct type named unknown.",
        "99999999999999999999": "Numeric constant too large.",
        "n +": "A syntax error in expression, near `'.",
    }
    for text, why in refused.items():
        commands = ("--batch", "-ex", "frame 1", "-ex", f"display {text}", "-ex", "info display")
        done = run("debug", *CORE, *commands)
        assert why in done.err, text
        assert "There are no auto-display expressions now." in done.out


@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_which_expressions_are_displayed(
    tmp_path: Path, tool: Callable[[str], str], suffix: str
) -> None:
    """GDB seeks names of namespaces for the value, and refuses other unknown ones. What another
    function has is displayed there alone."""
    source = "int f(int x) { return x; }\nint main(void) { return f(1); }\n"
    expressions = ["f::x", "f::unknown", "unknown(3)", "unknown(3, other)", "unknown::x"]
    if suffix == "cpp":
        source = "namespace N { int g; template <class T> T t(T x) { return x; } }\n" + source
        source += "int h() { return N::t(N::g); }\n"
        expressions += ["N::unknown", "N::t", "N::t<char>", "sizeof(N::unknown)", "(N::unknown) 1"]
        expressions += ["sizeof(N::unknown *)", "N::unknown(1)", "N::unknown::x", "&::N::unknown"]
        expressions += ["sizeof(unknown)", "sizeof(struct N::unknown)", "'N::unknown'"]
    build(
        tmp_path,
        {f"a.{suffix}": source},
        [[tool({"c": "gcc", "cpp": "g++"}[suffix]), "-g", "-o", "a", f"a.{suffix}"]],
    )
    commands = [f"display {text}" for text in expressions] + ["info display"]
    ours, gdbs = (answers(gdb, [str(tmp_path / "a")], commands) for gdb in (None, tool("gdb")))
    assert ours[-1] == gdbs[-1]
    assert ours[0] == gdbs[0] == "display f::x\n"
