"""A command for each of several lanes, waves or frames, as `thread apply` of GDB."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final, Literal

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.language.machine_variables import used_lanes
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, Topic, command
from dwarfgpu.repl.number_lists import leading_numbers, listed, require_no_open_range
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, printed
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.past_main import frames_of, numbers_of
from dwarfgpu.repl.waves.lane_commands import chosen_lanes, own_frame
from dwarfgpu.repl.waves.thread_commands import focus_on, who
from dwarfgpu.repl.waves.thread_ids import leading_threads
from dwarfgpu.service.frame.focus import lane_numbers, target_id
from dwarfgpu.service.frame.frame_answer import frame_record, frame_text
from dwarfgpu.service.gdb_error_text import message_of
from dwarfgpu.service.lanes.lane_choice import CHOICES
from dwarfgpu.session.session import Session
from dwarfgpu.view.command_options import require_option_name
from dwarfgpu.view.json_object import JsonObject

_MAX_NESTED: Final = 4
_FLAG = re.compile(r"-(?P<letters>[qcs]+|-|ascending)(?=\s|$)")
_PAST: Final = re.compile(
    r"-(?P<name>past-main|past-entry)(?:\s+(?P<value>on|off|1|0|yes|no|enable|disable))?(?=\s|$)"
)
"""Options of `backtrace` that `frame apply` has."""
_COUNT = re.compile(r"(?P<outermost>-)?(?P<count>[0-9]{1,9})(?=\s|$)")


class _NestedTooDeep(LimitExceeded):
    """It ends all of the nested commands, whatever their flags say about errors."""

    @property
    def kind(self) -> str:
        return LimitExceeded.__name__


OnError = Literal["stop", "print", "ignore"]


@frozen
class Flags:
    """`-q` no headings, `-c` print errors, `-s` skip errors and empty outputs."""

    is_quiet: bool = False
    on_error: OnError = "stop"
    is_ascending: bool = False


def flags_of(text: str, command: str, missing: str) -> tuple[Flags, str]:
    """Return the flags before the line that `command` applies, and the line.

    `UsageError` with the sentence `missing` where there is none.
    """
    is_quiet = is_ascending = False
    seen_letters: set[str] = set()
    rest = text.strip()
    while (match := _FLAG.match(rest)) is not None:
        rest = rest[match.end() :].strip()
        letters = match["letters"]
        if letters == "-":
            break
        if letters == "ascending":
            is_ascending = True
            continue
        is_quiet = is_quiet or "q" in letters
        seen_letters |= set(letters)
        if {"c", "s"} <= seen_letters:
            raise UsageError(f"{command}: -c and -s are mutually exclusive")
    require_option_name(rest)
    on_error: OnError = (
        "print" if "c" in seen_letters else "ignore" if "s" in seen_letters else "stop"
    )
    if not rest:
        raise UsageError(missing)
    return Flags(is_quiet, on_error, is_ascending), rest


@frozen
class CommandRun:
    """Where a command is run, and how it is headed."""

    session: Session
    heading: tuple[str, ...]
    data: JsonObject
    """Which one it is."""


def applied(shell: Shell, runs: Iterable[CommandRun], line: str, flags: Flags) -> Iterator[Part]:
    """Yield the output of a command for each item; afterwards the focus is restored."""
    if shell.script.applied >= _MAX_NESTED:
        raise _NestedTooDeep(f"apply inside apply more than {_MAX_NESTED} deep")
    before = shell.session
    shell.script.applied += 1
    try:
        for run in runs:
            shell.session = run.session
            group = Group("applied", run.data)
            text = "\n".join(run.heading)
            heading = () if flags.is_quiet else (NestedOutput(group, Output(text, {})),)
            if flags.on_error != "ignore":
                yield from heading
                heading = ()
            try:
                for part in shell.run_inside(group, line):
                    if printed(part):
                        yield from heading
                        heading = ()
                    yield part
            except _NestedTooDeep:
                raise
            except DwarfGpuError as error:
                text = message_of(error)
                record: JsonObject = {"result": "error", "msg": text}
                if flags.on_error == "ignore":
                    shell.values.notes.clear()
                else:  # the command itself fails where it stops
                    with shell.console.inside(group):
                        shell.remark()
                    yield NestedOutput(
                        group, Output(text if flags.on_error == "print" else "", record)
                    )
                if flags.on_error == "stop":
                    raise
    finally:
        shell.session = before
        shell.script.applied -= 1


@command(
    "lane apply",
    topic="waves",
    complete=completion.applied((*CHOICES,), ("-active", "-all", "-c", "-inactive", "-q", "-s")),
)
def lane_apply(shell: Shell, argument: str) -> Iterator[Part]:
    """Run a command for each of several lanes.

    Usage: lane apply all|active|inactive|ID... [-active|-inactive|-all] [-q|-c|-s] COMMAND

    ID is a lane or a range of lanes. Lanes without a work-item are skipped unless named. -q omits
    the headings, -c prints errors and continues, -s skips errors and lanes without output. For a
    lane that never entered the frame in focus, the innermost outer frame that it entered is used.
    Afterwards the previous lane is in focus again.
    """
    yield from applied(shell, *_of_lanes(shell, argument))


def _of_lanes(shell: Shell, argument: str) -> tuple[Iterator[CommandRun], str, Flags]:
    session = shell.session
    word, _, rest = argument.partition(" ")
    numbers = lane_numbers(session)
    if word in CHOICES:
        choice, lanes = word, list(range(used_lanes(session)))
    else:
        words, rest = leading_numbers(argument)
        if not argument:
            raise UsageError("Please specify a lane ID list")
        require_no_open_range(rest)
        if not words or is_decimal(rest[:1]):
            raise UsageError(f"Invalid lane ID: {rest}")
        choice, lanes = "all", listed(words, numbers, "lane")
        if not lanes:
            raise UsageError(f"No lanes match '{' '.join(words)}'.")
        highest = max(int(number) for word in words for number in word.split("-"))
        if highest not in numbers:
            shell.console.warn(
                f"lanes above {numbers[-1]} are skipped: the wave does not have them"
            )
    option, _, after = rest.strip().partition(" ")
    if option.startswith("-") and option[1:] in CHOICES:
        choice, rest = option[1:], after
    flags, line = flags_of(
        rest, "lane apply", "Please specify a command to apply on the selected lane."
    )
    return _lane_runs(session, chosen_lanes(session, lanes, choice)), line, flags


def _lane_runs(session: Session, lanes: Iterable[int]) -> Iterator[CommandRun]:
    for lane in lanes:
        looking = session.focused(lane)
        if looking.lane_states([lane])[0].is_absent:
            looking = own_frame(looking)
        yield CommandRun(looking, ("", f"Lane {lane} ({target_id(looking)}):"), {"lane": lane})


@command(
    "thread apply",
    topic="stack",
    complete=completion.applied(("all",), ("-ascending", "-c", "-q", "-s")),
)
def thread_apply(shell: Shell, argument: str) -> Iterator[Part]:
    """Run a command for each of several waves or threads.

    Usage: thread apply all|ID... [-ascending] [-q|-c|-s] COMMAND

    ID is a number or a range, with "1." before it or not, "*" all, or a convenience variable.
    "all" begins with the highest ID, unless -ascending is given. The command runs in the innermost
    frame and, for a wave, in its first active lane. -q, -c and -s are those of "lane apply".
    """
    yield from applied(shell, *_of_threads(shell, argument))


def _of_threads(shell: Shell, argument: str) -> tuple[Iterator[CommandRun], str, Flags]:
    word, _, rest = argument.partition(" ")
    if _abbreviates(word, "all"):
        missing = "Please specify a command at the end of 'thread apply all'"
        flags, line = flags_of(rest, "thread apply all", missing)
        numbers = sorted(shell.machine.threads, reverse=not flags.is_ascending)
        threads = [(str(number), number) for number in numbers]
    else:
        if not argument:
            raise UsageError("Please specify a thread ID list")
        threads, rest = leading_threads(shell, argument)
        missing = "Please specify a command following the thread ID list"
        flags, line = flags_of(rest, "thread apply", missing)
        if not threads or is_decimal(line[:1]):
            raise UsageError(f"Invalid thread ID: {line}")
    return _thread_runs(shell, threads), line, flags


def _abbreviates(word: str, whole: str) -> bool:
    """Return whether a word is the beginning of a whole one, which is a subcommand in GDB."""
    return bool(word) and whole.startswith(word)


def _thread_runs(shell: Shell, threads: Iterable[tuple[str, int]]) -> Iterator[CommandRun]:
    for written, wave in threads:
        if wave not in shell.machine.threads:
            shell.console.warn(f"Unknown thread {written}")
            continue
        focus_on(shell, wave)
        title = f"Thread {who(shell, with_name=True)}:"
        yield CommandRun(shell.session, ("", title), {"thread": wave})


@command(
    "frame apply",
    topic="stack",
    complete=completion.applied(("all", "level"), ("-c", "-past-entry", "-past-main", "-q", "-s")),
)
def frame_apply(shell: Shell, argument: str) -> Iterator[Part]:
    """Run a command for each of several frames.

    Usage: frame apply all|COUNT|-COUNT|level LEVEL... [OPTION]... [-q|-c|-s] COMMAND

    COUNT is the number of innermost frames, -COUNT of outermost ones. OPTION is -past-main [on|off]
    or -past-entry [on|off], as of "backtrace". -q, -c and -s are those of "lane apply".
    """
    yield from applied(shell, *_of_frames(shell, argument))


def _of_frames(shell: Shell, argument: str) -> tuple[Iterator[CommandRun], str, Flags]:
    session = shell.session
    if session.call_stack is None:
        raise UsageError("No stack.")
    word, _, rest = argument.partition(" ")
    if not argument:
        raise UsageError("Missing COUNT argument.")
    count, words = _COUNT.match(argument), list[str]()
    if _abbreviates(word, "level"):
        words, rest = leading_numbers(rest)
        require_no_open_range(rest)
        if not words and re.match(r"-[0-9]", rest):
            raise UsageError("negative value")
        if not words:
            raise UsageError("Missing or invalid LEVEL... argument")
    elif count is not None and int(count["count"]):
        rest = argument[count.end() :]
    elif not _abbreviates(word, "all"):
        raise UsageError("Invalid COUNT argument.")
    settings, rest = _past(shell, rest)
    missing = "Please specify a command to apply on the selected frames"
    flags, line = flags_of(rest, "frame apply", missing)
    numbers = list(numbers_of(shell, settings))
    if words:
        numbers = listed(words, numbers, "frame")
    elif count is not None:
        number = int(count["count"])
        numbers = numbers[-number:] if count["outermost"] else numbers[:number]
    chosen = set(numbers)
    frames = takewhile(
        lambda frame: frame.number <= numbers[-1],
        frames_of(shell, settings=settings, start=min(numbers, default=0)),
    )
    chosen_frames = [frame for frame in frames if frame.number in chosen] if numbers else []
    style = shell.settings.frame_style()
    runs = (
        CommandRun(
            frame.session,
            (frame_text(frame, frame_record(frame, with_arguments=True, style=style), style),),
            {"level": frame.number},
        )
        for frame in chosen_frames
    )
    return runs, line, flags


def _past(shell: Shell, text: str) -> tuple[Settings, str]:
    """Return the settings with the options of `backtrace` that a text begins with, and what
    follows."""
    settings, rest = shell.settings, text.strip()
    while (match := _PAST.match(rest)) is not None:
        settings = settings.copy()
        settings.set(f"backtrace {match['name']}", match["value"] or "on")
        rest = rest[match.end() :].strip()
    return settings, rest


def _short(name: str, topic: Topic, about: str, applied: Command, options: str) -> Command:
    """Define GDB's short name of an `apply` that leaves errors out."""

    def run(shell: Shell, argument: str) -> Iterator[Part]:
        if not argument:
            raise UsageError(f"Please specify a command to apply on all {about}")
        yield from applied.run(shell, f"{options} {argument}")

    run.__doc__ = f"""Run a command for all {about}, without errors.

    Usage: {name} COMMAND

    Short for "{applied.name} {options} COMMAND".
    """
    return command(name, topic=topic, complete=completion.LINES)(run)


_FRAMES: Final = "all -s -- frame apply all -s"
laas = _short("laas", "waves", "lanes", lane_apply, "all -s")
taas = _short("taas", "stack", "threads", thread_apply, "all -s")
faas = _short("faas", "stack", "frames", frame_apply, "all -s")
tfaas = _short("tfaas", "stack", "frames of all threads", thread_apply, _FRAMES)
lfaas = _short("lfaas", "waves", "frames of all lanes", lane_apply, _FRAMES)
