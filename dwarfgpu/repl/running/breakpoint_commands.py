"""Commands about breakpoints that exist: conditions, counts, commands, enabling, deleting."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from itertools import chain
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.printable import on_one_line
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, SeveralLines, UsageError, plural
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import ArgumentCompleter, Candidate, Completions, command
from dwarfgpu.repl.data.display_commands import disable_display, enable_display, undisplay
from dwarfgpu.repl.data.examine_commands import examined_code
from dwarfgpu.repl.data.pretty_printer_commands import disable_pretty_printer, enable_pretty_printer
from dwarfgpu.repl.number_lists import is_numbers, listed
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.running.break_locations import (
    condition_errors,
    lines_located,
    located,
    warn_of_condition,
)
from dwarfgpu.repl.running.breakpoint import Breakpoint, Disposition
from dwarfgpu.repl.running.breakpoint_numbers import (
    BAD_NUMBER,
    listed_numbers,
    numbers_and_locations,
)
from dwarfgpu.repl.running.condition_frames import names_of
from dwarfgpu.repl.running.runner import arm, can_run
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.command_bodies import indented
from dwarfgpu.repl.support.script_commands import body
from dwarfgpu.service.code.break_addresses import BreakAddress
from dwarfgpu.service.value.value_history import convenience_integer, whole_number
from dwarfgpu.session.focused_frame import FramePosition

_NONE: Final = "No breakpoints or watchpoints."
_VARIABLE: Final = re.compile(r"\$[$\w]*")
_FORCE: Final = re.compile(r"-force(?:\s+|$)")
_NUMBER_AND_CONDITION: Final = re.compile(r"\s*(?P<force>-force\s+)?(?P<number>\S+\s+)?")
_NOT_IN_HISTORY: Final = ("History has not", "History does not")
_MAX_DIGITS: Final = 18
"""No breakpoint has a longer number; Python refuses to read one of thousands of digits."""


def _numbers(shell: Shell, word: str) -> Iterator[Candidate]:
    return (Candidate(str(item.number), item.typed) for item in shell.breakpoints.values())


def _chosen(shell: Shell, argument: str) -> Generator[Part, None, list[Breakpoint]]:
    """Return the breakpoints of numbers and ranges, all without one; yield GDB's line for each
    number without a breakpoint. `UsageError` with GDB's wording for other words."""
    words = _with_variables(shell, argument, BAD_NUMBER).split()
    if not words:
        return list(shell.breakpoints.values())
    chosen: dict[int, Breakpoint] = {}
    for number in chain.from_iterable([listed_numbers(word) for word in words]):
        if number in shell.breakpoints:
            chosen[number] = shell.breakpoints[number]
        else:
            yield _missing(number)
    return list(chosen.values())


def _missing(number: int) -> Output:
    text = f"No breakpoint number {number}." if number else BAD_NUMBER
    return Output(text, {"number": number}, "missing-breakpoints")


def _with_variables(shell: Shell, text: str, complaint: str) -> str:
    """Return the text with integers in place of convenience variables; `UsageError` for other
    values, with the line that GDB adds."""

    def integer(match: re.Match[str]) -> str:
        try:
            return str(convenience_integer(shell.session, shell.values, match[0]))
        except DwarfGpuError as error:
            if error.message.startswith(_NOT_IN_HISTORY):
                raise
            raise SeveralLines(f"{on_one_line(error.message)}\n{complaint}") from None

    return _VARIABLE.sub(integer, text)


def _one(shell: Shell, argument: str) -> Breakpoint:
    """Return the breakpoint of the number that an argument begins with."""
    complaint = f"Bad breakpoint argument: '{argument}'"
    word = _with_variables(shell, argument.partition(" ")[0], complaint)
    if not is_decimal(word) or not word.strip("0"):
        raise UsageError(complaint)
    number = int(word) if len(word) <= _MAX_DIGITS else 0
    if number not in shell.breakpoints:
        raise UsageError(f"No breakpoint number {word}.")
    return shell.breakpoints[number]


def _number_and_condition(shell: Shell, text: str) -> Completions:
    match = _NUMBER_AND_CONDITION.match(text)
    assert match is not None
    if match["number"] is not None:
        start, values = completion.VALUES.offer(shell, text[match.end() :])
        return match.end() + start, values
    option = () if match["force"] else (Candidate("-force"),)
    return match.end(), chain(option, _numbers(shell, ""))


@command(
    "condition",
    topic="running",
    complete=ArgumentCompleter(_number_and_condition),
    repeats=False,
)
def condition(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the condition of a breakpoint, or remove it.

    Usage: condition [-force] NUMBER [EXPRESSION]

    A wave stops there if the condition holds in one of its active lanes. Locations at which it uses
    an unknown name are disabled; a name that is unknown at all locations is an error without
    -force.
    """
    forced = _FORCE.match(argument)
    argument = argument if forced is None else argument[forced.end() :]
    if not argument and forced is None:
        raise UsageError("Argument required (breakpoint number).")
    if not argument:
        raise UsageError("Bad breakpoint argument: '-force'")
    item = _one(shell, argument)
    text = argument.partition(" ")[2].strip()
    errors: list[UsageError | None] = []
    if item.locations or not item.pending:
        errors = condition_errors(shell, item.addresses, text, is_forced=forced is not None)
    for number, error in enumerate(errors, 1):
        if number in item.disabled_locations:
            continue  # it was disabled before
        if error is not None:
            warn_of_condition(shell, f"{item.number}.{number}", error)
        elif number in item.invalid_locations:
            valid = f"Breakpoint {item.number}'s condition is now valid at location {number}"
            yield f"{valid}, enabling."
    item.condition = text
    if isinstance(item, Watchpoint):
        item.condition_names = names_of(shell, shell.session, text)
    item.invalid_locations = frozenset(n for n, error in enumerate(errors, 1) if error is not None)
    says = not text and shell.is_from_tty
    said = f"Breakpoint {item.number} now unconditional." if says else ""
    yield Output(said, {"bkpt": item.record})


@command("ignore", topic="running", complete=_numbers, repeats=False)
def ignore(shell: Shell, argument: str) -> Iterator[Part]:
    """Set the ignore count of a breakpoint.

    Usage: ignore NUMBER COUNT
    """
    if not argument:
        raise UsageError("Argument required (a breakpoint number).")
    word, _, count = argument.partition(" ")
    if not _VARIABLE.fullmatch(word) and (not is_decimal(word) or not word.strip("0")):
        raise UsageError(f"bad breakpoint number: '{argument}'")
    if not count.strip():
        raise UsageError("Second argument (specified ignore-count) is missing.")
    item = _one(shell, word)
    item.ignored = max(whole_number(shell.session, shell.values, count), 0)
    yield Output(f"{ignore_text(item)}." if shell.is_from_tty else "", {"bkpt": item.record})


def ignore_text(item: Breakpoint) -> str:
    """Return `Will ignore next 2 crossings of breakpoint 1`."""
    if not item.ignored:
        return f"Will stop next time breakpoint {item.number} is reached"
    count = "crossing" if item.ignored == 1 else f"{item.ignored} crossings"
    return f"Will ignore next {count} of breakpoint {item.number}"


@command("commands", topic="running", complete=_numbers, repeats=False)
def commands(shell: Shell, argument: str) -> Iterator[Part]:
    """Run commands whenever a breakpoint stops the program.

    Usage: commands [NUMBER...]

    The commands follow, one per line, up to "end"; an empty list removes them. The default is the
    last breakpoint that was set. If the first command is "silent", the stop is not shown.
    """
    last = shell.breakpoints.last
    if not argument and not last:
        raise UsageError("Argument required (one or more breakpoint numbers).")
    chosen = yield from _chosen(shell, argument or str(last))
    if not chosen:
        return
    numbers = " ".join(str(item.number) for item in chosen)
    if shell.script.is_typed and shell.console.is_interactive:
        yield f"Type commands for breakpoint(s) {numbers}, one per line."
        yield 'End with a line saying just "end".'
    lines = tuple(body(shell, "commands"))
    for item in chosen:
        item.commands = lines


@command("delete display", topic="data", repeats=False)
def delete_display(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete displayed expressions, as "undisplay".

    Usage: delete display [NUMBER | NUMBER-NUMBER]...
    """
    yield from undisplay.run(shell, argument)


@command("delete breakpoints", topic="running", complete=_numbers, repeats=False)
def delete_breakpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete breakpoints, as "delete".

    Usage: delete breakpoints [NUMBER | NUMBER-NUMBER]...
    """
    yield from delete.run(shell, argument)


@command(
    "delete",
    topic="running",
    aliases=("d",),
    complete=_numbers,
    subcommands=(delete_breakpoints, delete_display),
    repeats=False,
    takes_other=True,
)
def delete(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete breakpoints, watchpoints and catchpoints.

    Usage: delete [NUMBER | NUMBER-NUMBER]...

    Without an argument, all of them.
    """
    is_asked = not argument and shell.breakpoints and shell.is_from_tty
    if is_asked and not shell.confirms("Delete all breakpoints?"):
        return
    for item in (yield from _chosen(shell, argument)):
        del shell.breakpoints[item.number]
    arm(shell)


@command("clear", topic="running", complete=completion.LINESPECS, repeats=False)
def clear(shell: Shell, argument: str) -> Iterator[Part]:
    """Delete the breakpoints at a location.

    Usage: clear [LINE | FILE:LINE | FUNCTION | *ADDRESS]

    Without an argument, deletes those at the line of the frame in focus.
    """
    lines = lines_located(shell, argument) if argument else ()
    locations = () if lines else located(shell, argument)
    if not argument and locations[0].position is not None:
        lines = (locations[0].position,)
    gone = [item for item in shell.breakpoints.values() if _is_at(item, locations, lines)]
    if not gone:
        raise UsageError(
            f"No breakpoint at {argument}." if argument else "No breakpoint at this line."
        )
    for item in gone:
        del shell.breakpoints[item.number]
    numbers = " ".join(str(item.number) for item in gone)
    said = f"Deleted {plural(len(gone), 'breakpoint')} {numbers} "
    yield Output(said if len(gone) > 1 or shell.is_from_tty else "", {})


def _is_at(
    item: Breakpoint, locations: tuple[BreakAddress, ...], lines: tuple[FramePosition, ...]
) -> bool:
    """Return whether a breakpoint is at one of the locations, or at one of the lines."""
    if not {location.pc for location in locations}.isdisjoint(item.addresses):
        return True
    owns = [own for location in item.locations if (own := location.position) is not None]
    return any(own.is_same_line(line) for own in owns for line in lines)


def _enable(
    shell: Shell,
    argument: str,
    *,
    is_enabled: bool = True,
    disposition: Disposition | None = None,
    stops: int = 0,
) -> Iterator[Part]:
    for item in (yield from _chosen(shell, argument)):
        if isinstance(item, Watchpoint):
            if is_enabled:
                # Few watchpoints are enabled again.
                from dwarfgpu.repl.running.set_again import unknown_in

                why = unknown_in(shell, item)
                if why is not None:
                    yield f"Cannot enable watchpoint {item.number}: {why}"
                    continue
            item.writes = item.writes if item.is_enabled else None
        item.is_enabled = is_enabled
        if is_enabled:
            item.stops_left = stops
        item.disposition = disposition or item.disposition
    arm(shell)


def _enable_with_locations(shell: Shell, argument: str, *, is_enabled: bool) -> Iterator[Part]:
    """Enable or disable breakpoints, and locations: `1 2.1 3.2-4`."""
    words = argument.split()
    if not words:
        yield from _enable(shell, "", is_enabled=is_enabled)
    for word in words:
        text = _with_variables(shell, word, f"Bad breakpoint number '{word}'")
        numbers, locations = numbers_and_locations(text)
        if locations is None:
            chosen = f"{numbers[0]}-{numbers[-1]}"
            yield from _enable(shell, chosen, is_enabled=is_enabled)
            continue
        item = shell.breakpoints.get(numbers[0])
        if locations == range(1, 2) and (item is None or len(item.locations) < 2):
            yield from _enable(shell, f"{numbers[0]}", is_enabled=is_enabled)  # 9.1 is 9 itself
            continue
        if item is None:
            raise UsageError(f"Bad breakpoint number '{numbers[0]}'")
        for number in locations:
            if number > len(item.locations):
                raise UsageError(f"Bad breakpoint location number '{number}'")
            if is_enabled and number in item.invalid_locations:
                invalid = f"Breakpoint {item.number}'s condition is invalid at location {number}"
                yield f"{invalid}, cannot enable."
                continue
            item.enable_location(number, is_enabled=is_enabled)
            arm(shell)


def _require_numbers(argument: str) -> None:
    if not argument:
        raise UsageError("Argument required (one or more breakpoint numbers).")


@command("enable once", topic="running", complete=_numbers, repeats=False)
def enable_once(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable breakpoints for one stop.

    Usage: enable once NUMBER | NUMBER-NUMBER...

    Then they are disabled.
    """
    _require_numbers(argument)
    yield from _enable(shell, argument, disposition="dis", stops=1)


@command("enable count", topic="running", complete=_numbers, repeats=False)
def enable_count(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable breakpoints for a number of stops.

    Usage: enable count COUNT NUMBER | NUMBER-NUMBER...

    Then they are disabled.
    """
    count, _, numbers = argument.partition(" ")
    if not count:
        raise UsageError("Argument required (hit count).")
    _require_numbers(numbers)
    stops = whole_number(shell.session, shell.values, count)
    yield from _enable(shell, numbers, disposition="dis", stops=stops)


@command("enable delete", topic="running", complete=_numbers, repeats=False)
def enable_delete(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable breakpoints until they stop the program once.

    Usage: enable delete NUMBER | NUMBER-NUMBER...

    Then they are deleted.
    """
    _require_numbers(argument)
    yield from _enable(shell, argument, disposition="del")


@command(
    "enable breakpoints",
    topic="running",
    complete=_numbers,
    subcommands=tuple(
        evolve(
            subcommand,
            name=f"enable breakpoints {subcommand.word}",
            help=subcommand.help.replace("enable ", "enable breakpoints "),
        )
        for subcommand in (enable_count, enable_delete, enable_once)
    ),
    repeats=False,
    takes_other=True,
)
def enable_breakpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable breakpoints, as "enable".

    Usage: enable breakpoints [NUMBER | NUMBER-NUMBER | NUMBER.LOCATION]...
           enable breakpoints once | delete | count COUNT [NUMBER | NUMBER-NUMBER]...
    """
    yield from _enable_with_locations(shell, argument, is_enabled=True)


@command(
    "enable",
    topic="running",
    aliases=("en",),
    complete=_numbers,
    subcommands=(
        enable_breakpoints,
        enable_count,
        enable_delete,
        enable_display,
        enable_once,
        enable_pretty_printer,
    ),
    repeats=False,
    takes_other=True,
)
def enable(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable breakpoints.

    Usage: enable [NUMBER | NUMBER-NUMBER | NUMBER.LOCATION]...
           enable once | delete | count COUNT [NUMBER | NUMBER-NUMBER]...
           enable display [NUMBER | NUMBER-NUMBER]...
           enable pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    Without a number, all of them.
    """
    yield from _enable_with_locations(shell, argument, is_enabled=True)


@command("disable breakpoints", topic="running", complete=_numbers, repeats=False)
def disable_breakpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """Disable breakpoints, as "disable".

    Usage: disable breakpoints [NUMBER | NUMBER-NUMBER | NUMBER.LOCATION]...
    """
    yield from _enable_with_locations(shell, argument, is_enabled=False)


@command(
    "disable",
    topic="running",
    aliases=("dis", "disa"),
    complete=_numbers,
    subcommands=(disable_breakpoints, disable_display, disable_pretty_printer),
    repeats=False,
    takes_other=True,
)
def disable(shell: Shell, argument: str) -> Iterator[Part]:
    """Disable breakpoints without deleting them.

    Usage: disable [NUMBER | NUMBER-NUMBER | NUMBER.LOCATION]...
           disable display [NUMBER | NUMBER-NUMBER]...
           disable pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    Without a number, all of them. "enable" enables them again.
    """
    yield from _enable_with_locations(shell, argument, is_enabled=False)


def _listed_ones(shell: Shell, argument: str) -> list[Breakpoint]:
    """Return those of a list of numbers, as far as they exist; all without one."""
    words = _with_variables(shell, argument, f"Bad breakpoint number '{argument}'").split()
    if not words:
        return list(shell.breakpoints.values())
    if not all(map(is_numbers, words)):
        raise UsageError("Arguments must be numbers or '$' variables.")
    return [shell.breakpoints[n] for n in listed(words, shell.breakpoints, "breakpoint")]


@command("info watchpoints", topic="running", complete=_numbers)
def info_watchpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """List watchpoints.

    Usage: info watchpoints [NUMBER | NUMBER-NUMBER]...
    """
    items = [item for item in _listed_ones(shell, argument) if "watchpoint" in item.type]
    if not items:
        none = f"No watchpoint matching '{argument}'." if argument else "No watchpoints."
        yield Output(none, {"watchpoints": []})
        return
    yield from _listed(shell, items, "watchpoints")


@command("info breakpoints", topic="running", aliases=("b", "br"), complete=_numbers)
def info_breakpoints(shell: Shell, argument: str) -> Iterator[Part]:
    """List breakpoints, watchpoints and catchpoints.

    Usage: info breakpoints [NUMBER | NUMBER-NUMBER]...

    Shows their conditions, hit counts and commands.
    """
    items = _listed_ones(shell, argument)
    if not items:
        none = f"No breakpoint or watchpoint matching '{argument}'." if argument else _NONE
        yield Output(none, {"breakpoints": []})
        return
    yield from _listed(shell, items, "breakpoints")


def _without_address(item: Breakpoint, text: str, width: int) -> str:
    """Return the text of a row without its first column, the address; `width` is that of an item
    without one."""
    return text[item.address_digits + 3 if item.addresses else width :]


def _listed(shell: Shell, items: list[Breakpoint], name: str) -> Iterator[Part]:
    width = max(14, *(len(item.type) for item in items))
    has_addresses = can_run(shell) or any(item.addresses for item in items)
    is_narrow = not has_addresses or shell.session.architecture.address_bits <= 32
    shows_addresses = shell.settings.flag("print address")
    title = f"{'Address':<{10 if is_narrow else 18}} " if shows_addresses else ""
    yield heading(f"Num     {'Type':<{width}} Disp Enb {title}What")
    for item in items:
        enabled = "y" if item.is_enabled else "n"
        what = item.row()
        if is_narrow and not item.addresses and item.address_digits > 8:
            what = what[:10] + what[18:]
        if not shows_addresses:
            what = _without_address(item, what, 11 if is_narrow else 19)
        text = f"{item.number:<7} {item.type:<{width}} {item.disposition:<4} {enabled}   {what}"
        yield Output(text, item.record, name)
        yield from map(heading, item.details())
        yield from (heading(f"      {line}") for line in indented(item.commands))
        for number, row in item.location_rows():
            shown = row if shows_addresses else row[:4] + _without_address(item, row[4:], 0)
            yield heading(f"{number:<{width + 14}}{shown}")
    if any(item.invalid_locations for item in items):
        yield heading("(*): Breakpoint condition is invalid at this location.")
    last = next((item.locations[0] for item in reversed(items) if item.locations), None)
    if last is not None:
        examined_code(shell, last.pc)
