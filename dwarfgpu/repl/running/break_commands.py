"""Commands that set breakpoints."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dwarfgpu.base.absolute_path import real_path
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import define, evolve
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError, shortened
from dwarfgpu.language.explicit_location import LINE, location_text
from dwarfgpu.language.linespec import LinespecNotFound, split_at_comma
from dwarfgpu.language.source_lines import why_no_line
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl import completion
from dwarfgpu.repl.advice import advised
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.posix_regexps import compiled
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.break_locations import (
    condition_errors,
    in_code_that_runs,
    located,
    warn_of_condition,
)
from dwarfgpu.repl.running.breakpoint import Breakpoint, Disposition
from dwarfgpu.repl.running.runner import can_run, go_on_from_core
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.thread_ids import single_thread
from dwarfgpu.service.code.break_addresses import BreakAddress, require_instruction
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.frame.focus import lane_numbers
from dwarfgpu.service.gdb_error_text import message_of

_OPTION: Final = re.compile(r"-(?P<name>lane|wave|thread)\s+")
_IN_FILE: Final = re.compile(r"(?P<file>[^:\s][^:]*):(?P<regexp>[^:].*)")
_KEYWORD: Final = re.compile(
    r"(?:^|\s)\s*(?:(?P<if>if)(?=[\s(])\s*|(?P<force>-force-condition)(?=\s|$)"
    r"|(?P<name>lane|wave|thread|task)\s+(?=\S))"
)
"""What ends the linespec."""
_QUOTED: Final = re.compile(r"\s*'[^']*'")
_AFTER_CONDITION: Final = re.compile(r"\s+(?=(?:lane|wave|thread|task)\s+[0-9])")
_NOT_PENDING: Final = "Pending breakpoints are not supported: no breakpoint is set."


@define
class _BreakArgument:
    """The argument of `break`."""

    linespec: str
    condition: str = ""
    is_forced: bool = False
    """Whether the condition may be invalid."""
    wave: int | None = None
    lane: int | None = None


def _break_argument(shell: Shell, argument: str) -> _BreakArgument:
    parsed = _BreakArgument("")
    while option := _OPTION.match(argument):
        argument = _number_after(shell, parsed, option["name"], argument[option.end() :])
    file = _QUOTED.match(argument)  # may have these words
    end = _KEYWORD.search(argument, 0 if file is None else file.end())
    parsed.linespec = (argument if end is None else argument[: end.start()]).strip()
    argument = "" if end is None else argument[end.start() :].strip()
    while argument:
        word = _KEYWORD.match(argument)
        if word is None:
            raise UsageError(f"Garbage '{argument}' at end of command")
        argument = argument[word.end() :].strip()
        if word["if"]:
            after = _AFTER_CONDITION.search(argument)
            stop = len(argument) if after is None else after.end()
            parsed.condition, argument = argument[:stop], argument[stop:]
        elif word["force"]:
            parsed.is_forced = True
        else:
            argument = _number_after(shell, parsed, word["name"], argument)
    return parsed


def _number_after(shell: Shell, parsed: _BreakArgument, name: str, text: str) -> str:
    """Read the number after `thread`, `wave`, `lane` or `task`; return the text after it."""
    if name in ("wave", "thread"):
        parsed.wave, rest = single_thread(shell, text)
        return rest
    number, _, rest = text.partition(" ")
    if name == "task":
        raise UsageError(f"Unknown task {number}." if is_decimal(number) else "Invalid task ID.")
    if not is_decimal(number) or int(number) not in lane_numbers(shell.session):
        raise UsageError(f"Lane {number} does not exist on this thread.")
    parsed.lane = int(number)
    return rest.strip()


def set_breakpoint(
    shell: Shell, argument: str, *, is_temporary: bool = False, is_hardware: bool = False
) -> Iterator[Part]:
    """Set the breakpoint of an argument; `UsageError` for one that cannot be.

    As in GDB, a state or core file may have breakpoints, which nothing reaches, and a place that
    does not exist is an error of programs only: a user is asked, and a script continues.
    """
    go_on_from_core(shell)
    parsed = _break_argument(shell, argument)
    linespec, comma, rest = parsed.linespec, False, ""
    if not linespec.startswith("*"):
        linespec, comma, rest = split_at_comma(linespec)
    try:
        locations = located(shell, linespec)
    except LinespecNotFound as error:
        pending = shell.settings.word("breakpoint pending")
        if pending == "off" or shell.console.is_json:
            raise
        shell.console.streams.complain(shortened(message_of(advised(shell.session, error))))
        kind = "hw breakpoint" if is_hardware else "breakpoint"
        question = f"Make {kind} pending on future shared library load?"
        if pending == "on" or shell.confirms(question, or_no=True):
            raise UsageError(_NOT_PENDING) from None
        return
    if comma:
        raise UsageError(f"Garbage ',{rest}' at end of command")
    if is_hardware and not can_run(shell):
        raise UsageError("No hardware breakpoint support in the target.")
    disposition: Disposition = "del" if is_temporary else "keep"
    added = _new_breakpoint(shell, parsed, locations, disposition, is_hardware=is_hardware)
    yield from _added(shell, added, _by_address(shell))
    is_of_gpu = can_run(shell) and shell.session.architecture.is_simt
    for location in locations if linespec.startswith("*") and is_of_gpu else ():
        try:
            require_instruction(shell.session, location.pc)
        except UsageError as error:
            shell.console.note(f"nothing can stop there: {error.message}")


def _new_breakpoint(
    shell: Shell,
    parsed: _BreakArgument,
    locations: tuple[BreakAddress, ...],
    disposition: Disposition = "keep",
    *,
    is_hardware: bool = False,
) -> Breakpoint:
    pcs = tuple(location.pc for location in locations)
    errors = condition_errors(shell, pcs, parsed.condition, is_forced=parsed.is_forced)
    invalid = {number: reason for number, reason in enumerate(errors, 1) if reason is not None}
    for number, reason in invalid.items():
        warn_of_condition(shell, str(number), reason)
    return Breakpoint(
        shell.breakpoints.new_number(),
        locations[0].label or location_text(parsed.linespec),
        locations,
        disposition,
        parsed.condition,
        parsed.wave,
        parsed.lane,
        invalid_locations=frozenset(invalid),
        address_digits=shell.session.architecture.address_bits // 4,
        is_hardware=is_hardware,
        linespec=parsed.linespec,
    )


def _added(
    shell: Shell, added: Breakpoint, known: Mapping[int, Sequence[Breakpoint]]
) -> Iterator[Part]:
    """Keep a breakpoint and announce it, after the breakpoints that are there already."""
    yield from _notes_of_others(shell, added, known)
    keep(shell, added)
    yield announced(added, shows_address=shell.settings.flag("print address"))
    for location in added.locations:
        why = why_no_line(shell.session, location.pc) if location.position is None else None
        if why is not None:
            shell.console.note(why)


def _by_address(shell: Shell) -> dict[int, list[Breakpoint]]:
    """Return the breakpoints at each address, in the order of their numbers."""
    breakpoints: dict[int, list[Breakpoint]] = {}
    for item in shell.breakpoints.values():
        for pc in dict.fromkeys(item.addresses):
            breakpoints.setdefault(pc, []).append(item)
    return breakpoints


def _notes_of_others(
    shell: Shell, added: Breakpoint, known: Mapping[int, Sequence[Breakpoint]]
) -> Iterator[Part]:
    """Yield, for each location, which breakpoints are there already, as GDB does for a command
    that was typed."""
    for pc in added.addresses if shell.is_from_tty else ():
        numbers = [_described_as_other(other, added) for other in known.get(pc, ())]
        if numbers:
            *first, last = numbers
            listed = f"breakpoints {', '.join(first)} and {last}" if first else f"breakpoint {last}"
            yield heading(f"Note: {listed} also set at pc {pc:#x}.")


def _described_as_other(other: Breakpoint, added: Breakpoint) -> str:
    """Return `1 (all threads) (disabled)`: the number, the thread if one of both has one, and
    whether it is disabled."""
    text = f"{other.number}"
    if other.wave is not None:
        text += f" (thread {other.wave})"
    elif added.wave is not None:
        text += " (all threads)"
    return text if other.is_enabled else f"{text} (disabled)"


def keep(shell: Shell, added: Breakpoint) -> None:
    """List it; `$bpnum` is its number."""
    shell.breakpoints[added.number] = added
    number = integer_value(shell.session.architecture, added.number)
    shell.values.named["bpnum"] = evolve(number, convenience="bpnum")


def _with_file(typed: str, path: str) -> str:
    """Return a location as typed, with the default file if it is only a line, as in GDB: by its
    real path if it exists."""
    if not (is_line := bool(LINE.fullmatch(typed))) and not typed.startswith("-line "):
        return typed
    file = real_path(path) if os.path.lexists(path) else path
    typed = f"{typed}0" if typed in ("+", "-") else typed
    return f"{file}:{typed}" if is_line else f"-source {file} {typed}"


def announced(added: Breakpoint, *, shows_address: bool = True) -> Output:
    """Return `Breakpoint 1 at 0x1640: file nest.hip, line 12.`"""
    position = added.locations[0].position
    is_located = position is not None or len(added.addresses) > 1
    text = " at gnu-indirect-function resolver" if added.is_resolver else ""
    text += f" at {added.addresses[0]:#x}" if shows_address or not is_located else ""
    if len(added.addresses) > 1:
        text += "" if position is None else f": {_with_file(added.typed, position.path)}."
        text += f" ({len(added.addresses)} locations)"
    elif position is not None:
        text += f": file {position.file}, line {position.line}."
    kind = "Hardware assisted breakpoint" if added.is_hardware else added.kind
    return Output(f"{kind} {added.number}{text}", {"bkpt": added.record})


@command(
    "break",
    topic="running",
    aliases=("b", "br", "brea"),
    complete=completion.LINESPECS,
    repeats=False,
)
def break_(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint.

    Usage: break [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]

    Without a location, sets it at the location of the frame in focus. For a function or its opening
    line, sets it after the prologue. A name that no function has may be a label of the function in
    focus, also with a file, FILE:LABEL; other labels are FUNCTION:LABEL and FILE:FUNCTION:LABEL.
    With a condition, a wave stops if the condition holds in one of its active lanes; that lane is
    then in focus. With -lane, a wave stops only if that lane is active and the condition holds in
    it; with -wave, only that wave stops. "thread N" and "lane N" after the location mean the same.
    """
    yield from set_breakpoint(shell, argument)


@command("tbreak", topic="running", aliases=("tb",), complete=completion.LINESPECS, repeats=False)
def tbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint that is deleted when it is hit.

    Usage: tbreak [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]
    """
    yield from set_breakpoint(shell, argument, is_temporary=True)


@command("hbreak", topic="running", aliases=("hb",), complete=completion.LINESPECS, repeats=False)
def hbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a hardware breakpoint, as "break".

    Usage: hbreak [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]
    """
    yield from set_breakpoint(shell, argument, is_hardware=True)


@command("thbreak", topic="running", aliases=("thb",), complete=completion.LINESPECS, repeats=False)
def thbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a temporary hardware breakpoint, as "tbreak".

    Usage: thbreak [-lane N] [-wave N] [LINE | FILE:LINE | FUNCTION | *ADDRESS] [if CONDITION]
    """
    yield from set_breakpoint(shell, argument, is_temporary=True, is_hardware=True)


@command("rbreak", topic="running", repeats=False)
def rbreak(shell: Shell, argument: str) -> Iterator[Part]:
    """Set a breakpoint at each function whose name matches.

    Usage: rbreak [FILE:][REGEXP]

    REGEXP is a basic regular expression, as for "info functions"; the default is every function.
    """
    # Few sessions list symbols.
    from dwarfgpu.repl.files.symbol_list_commands import note_limits
    from dwarfgpu.repl.running.matching_functions import matching_functions
    from dwarfgpu.service.symbol.symbol_listing import SymbolQuery, SymbolSearch

    in_file = _IN_FILE.fullmatch(argument)
    regexp = argument if in_file is None else in_file["regexp"].strip()
    pattern = compiled(regexp, ignores_case=shell.ignores_case) if regexp else None
    go_on_from_core(shell)
    session = in_code_that_runs(shell)
    search = SymbolSearch(session, SymbolQuery("functions", pattern))
    functions = matching_functions(search, None if in_file is None else in_file["file"])
    note_limits(shell, search)
    known = _by_address(shell)
    for function in functions:
        try:
            locations = function.addresses(session)
        except LimitExceeded:
            raise
        except DwarfGpuError as error:
            shell.console.note(f"no breakpoint at {function.linespec}: {error_line(error)}")
            continue
        added = _new_breakpoint(shell, _BreakArgument(function.linespec), locations)
        yield from _added(shell, added, known)
        for pc in added.addresses:
            known.setdefault(pc, []).append(added)
        yield heading(function.text)
