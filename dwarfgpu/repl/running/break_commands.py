"""Commands that set breakpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.regexps import compiled
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.break_locations import located, require_valid_condition
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.runner import go_on_from_core, runner
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.view.json_object import JsonObject

_CONDITION: Final = re.compile(r"(?P<place>(?:.*\s)?)if\b\s*(?P<text>\S.*)")
_OPTION: Final = re.compile(r"-(?P<name>lane|wave|thread)\s+(?P<number>\S+)\s*")
_LINE: Final = re.compile(r"[-+]?\d+")
_LAST: Final = re.compile(r"(?:(?P<place>.*)\s)?(?P<name>lane|wave|thread)\s+(?P<number>\d+)\s*")


@frozen
class _BreakArgument:
    """The argument of `break`."""

    place: str
    condition: str
    wave: int | None
    lane: int | None


def _break_argument(shell: Shell, argument: str) -> _BreakArgument:
    numbers: dict[str, str] = {}
    while option := _OPTION.match(argument):
        numbers[option["name"]] = option["number"]
        argument = argument[option.end() :]
    condition, text = _CONDITION.fullmatch(argument), ""
    if condition is not None:
        argument, text = condition["place"].strip(), condition["text"]
    while last := _LAST.fullmatch(argument):
        numbers[last["name"]] = last["number"]
        argument = (last["place"] or "").strip()
    wave = numbers.get("wave", numbers.get("thread"))
    if wave is not None and (not wave.isdecimal() or int(wave) not in shell.machine.threads):
        raise UsageError(f"Unknown thread {wave}.")
    lane = numbers.get("lane")
    if lane is not None and (not lane.isdecimal() or int(lane) not in lane_numbers(shell.session)):
        raise UsageError(f"Lane {lane} does not exist on this thread.")
    return _BreakArgument(
        argument, text, None if wave is None else int(wave), None if lane is None else int(lane)
    )


def set_breakpoint(
    shell: Shell, argument: str, *, is_temporary: bool, is_hardware: bool = False
) -> Breakpoint:
    """Set the breakpoint of an argument; `UsageError` for one that cannot be.

    As in GDB, a state or core file may have breakpoints, which nothing reaches.
    """
    go_on_from_core(shell)
    parsed = _break_argument(shell, argument)
    locations = located(shell, parsed.place)
    require_valid_condition(shell, [item.pc for item in locations], parsed.condition)
    added = Breakpoint(
        shell.breakpoints.new_number(),
        parsed.place,
        locations,
        "del" if is_temporary else "keep",
        parsed.condition,
        parsed.wave,
        parsed.lane,
        is_hardware=is_hardware,
    )
    keep(shell, added)
    return added


def keep(shell: Shell, added: Breakpoint) -> None:
    """List it; `$bpnum` is its number."""
    shell.breakpoints[added.number] = added
    number = integer_value(shell.session.architecture, added.number)
    shell.values.named["bpnum"] = evolve(number, convenience="bpnum")


def announced(added: Breakpoint) -> Output:
    """Return `Breakpoint 1 at 0x1640: file nest.hip, line 12.`"""
    position = added.locations[0].position
    at = f"{added.addresses[0]:#x}"
    if len(added.addresses) > 1:
        is_line = _LINE.fullmatch(added.typed)
        where = f"{position.path}:{position.line}" if position and is_line else added.typed
        at += f": {where}. ({len(added.addresses)} locations)"
    elif position is not None:
        at += f": file {position.file}, line {position.line}."
    data: JsonObject = {**added.record, "addr": f"{added.addresses[0]:#x}"}
    kind = "Hardware assisted breakpoint" if added.is_hardware else added.kind
    return Output(f"{kind} {added.number} at {at}", {"bkpt": data})


@command(
    "break", topic="running", aliases=("b", "br", "brea"), complete=completion.places, repeats=False
)
def break_(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint.

    Usage: break [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]

    Without a location, sets it at the location of the frame in focus. For a function or its opening
    line, sets it after the prologue. With a condition, a wave stops if the condition holds in one
    of its active lanes; that lane is then in focus. With -lane, a wave stops only if that lane is
    active and the condition holds in it; with -wave, only that wave stops. "thread N" and "lane N"
    after the location mean the same.
    """
    yield announced(set_breakpoint(shell, argument, is_temporary=False))


@command("tbreak", topic="running", aliases=("tb",), complete=completion.places, repeats=False)
def tbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint that is deleted when it is hit.

    Usage: tbreak [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]
    """
    yield announced(set_breakpoint(shell, argument, is_temporary=True))


@command("hbreak", topic="running", aliases=("hb",), complete=completion.places, repeats=False)
def hbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a hardware breakpoint, as "break".

    Usage: hbreak [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]
    """
    runner(shell)
    yield announced(set_breakpoint(shell, argument, is_temporary=False, is_hardware=True))


@command("thbreak", topic="running", aliases=("thb",), complete=completion.places, repeats=False)
def thbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a temporary hardware breakpoint, as "tbreak".

    Usage: thbreak [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]
    """
    runner(shell)
    yield announced(set_breakpoint(shell, argument, is_temporary=True, is_hardware=True))


@command("rbreak", topic="running", repeats=False)
def rbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint at each function whose name matches.

    Usage: rbreak [REGEXP]

    REGEXP is a basic regular expression, as for "info functions"; the default is every function.
    """
    # Few sessions list symbols.
    from dwarfgpu.service.symbol.symbol_listing import SymbolQuery, described_symbols, symbol_text

    runner(shell)
    query = SymbolQuery("functions", compiled(argument) if argument else None)
    rows = {row.name: row for row in described_symbols(shell.session, query)}
    for name, row in sorted(rows.items()):
        try:
            yield announced(set_breakpoint(shell, name, is_temporary=False))
        except UsageError as error:
            shell.console.note(f"no breakpoint at {name}: {error}")
            continue
        yield heading(symbol_text(row))
