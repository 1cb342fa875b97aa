"""Run inside GDB by `tools/bench.py gdb`: each value by GDB's Python and by ours, in turn."""

from __future__ import annotations

import time
from collections.abc import Callable

import gdb

import dwarfgpu.gdb as dg

ROUNDS = 9
COUNT = 1000


def timed(action: Callable[[], object], count: int) -> float:
    """Seconds of the processor for one call."""
    start = time.process_time()
    for _ in range(count):
        action()
    return (time.process_time() - start) / count


def row(what: str, theirs: Callable[[], str], ours: Callable[[], str], count: int = COUNT) -> None:
    """The best round of each; both say the same."""
    assert theirs() == ours(), (theirs(), ours())
    pairs = [(timed(theirs, count), timed(ours, count)) for _ in range(ROUNDS)]
    first, second = (min(item) * 1e6 for item in zip(*pairs, strict=True))
    print(f"| {what} | {first:.1f} | {second:.1f} | {second / first:.2f} |")


def written(action: Callable[[], str]) -> Callable[[], str]:
    """After the user has written something, which drops what is known."""

    def again() -> str:
        gdb.execute("set var sink = 1", False, True)
        return action()

    return again


def theirs(name: str) -> Callable[[], str]:
    """A variable by GDB's Python."""
    frame = gdb.selected_frame()
    return lambda: str(frame.read_var(name).format_string())


def measure(number: int) -> None:
    """One row: each in a command of its own, because GDB keeps all values until its end."""
    frame, ours = gdb.selected_frame(), dg.frame()
    local, whole = ours.variable("local"), ours.variable("sp").dereference()

    def struct() -> str:
        return str(frame.read_var("sp").dereference().format_string())

    def member() -> str:
        return str(frame.read_var("sp")["in"][1]["weight"].format_string())

    rows = (
        ("a local scalar", theirs("local"), lambda: ours.variable("local").text, COUNT),
        ("the same value, kept", theirs("local"), lambda: local.text, COUNT),
        ("an array of shorts", theirs("array"), lambda: ours.variable("array").text, COUNT),
        ("an array of chars", theirs("text"), lambda: ours.variable("text").text, COUNT),
        ("a struct, 1,000 evaluations", struct, lambda: whole.text, COUNT),
        ("a member of it", member, lambda: ours.variable("sp")["in"][1]["weight"].text, COUNT),
        (
            "a local scalar, after each write",
            written(theirs("local")),
            written(lambda: ours.variable("local").text),
            50,
        ),
    )
    row(*rows[number])
