"""`backtrace`: the call frames, and why there are no more."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator

from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import ArgumentCompleter, Candidate, Completions, command
from dwarfgpu.repl.data.option_settings import FRAME_OPTIONS, values_by_option, with_frame_options
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import frame_lines
from dwarfgpu.repl.stack.past_main import frames_of, is_bounded, numbers_of
from dwarfgpu.service.frame.backtrace import omitted_note
from dwarfgpu.service.frame.frame_answer import frame_record
from dwarfgpu.session.stack_frames import StackFrame
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.lane_position import unlocated

FLAGS = ("full", "no-filters", "hide")
_ABOUT = ("with local variables", "ignored: there are none", "ignored")


def _flags(shell: Shell, text: str) -> Completions:
    start = len(text) - len(text.lstrip())
    return start, tuple(map(Candidate, FLAGS, _ABOUT))


def without_flags(text: str) -> tuple[set[str], str]:
    """Return the flags at the beginning of an argument, which may be abbreviated, as in GDB also
    ambiguously; and the rest."""
    flags = set[str]()
    while words := text.split(None, 1):
        flag = next((flag for flag in FLAGS if flag.startswith(words[0])), None)
        if flag is None:
            break
        flags.add(flag)
        text = "".join(words[1:])
    return flags, text.strip()


@command(
    "backtrace",
    topic="stack",
    aliases=("bt",),
    complete=completion.with_options(
        {**values_by_option(FRAME_OPTIONS), **{f"-{flag}": () for flag in FLAGS}},
        ArgumentCompleter(_flags),
    ),
)
def backtrace(shell: Shell, argument: str) -> Iterator[Part]:
    """List the call frames, and why the list ends.

    Usage: backtrace [OPTION]... [full | no-filters | hide]... [COUNT | -COUNT]

    COUNT is the number of innermost frames, -COUNT of outermost ones; "full" adds the local
    variables of each frame; "no-filters" and "hide" do nothing, as there are no frame filters. All
    may be abbreviated (f, n, h). Frames in which the lane in focus was inactive on entry are
    omitted, and so are the callers of "main" unless "set backtrace past-main" is on. OPTION is
    -full, -past-main, -past-entry, -frame-arguments all|scalars|none|presence, -entry-values WHAT
    or -frame-info WHAT: the settings of "set backtrace" and "set print", for this command only.
    """
    from dwarfgpu.repl.stack.last_backtrace import (  # the start shows one frame
        MAX_KEPT,
        LastBacktrace,
        basis_of,
    )

    session = shell.session
    settings, options, argument = with_frame_options(argument, shell.settings, FLAGS)
    if session.call_stack is None:
        raise UsageError("No stack.")
    flags, argument = without_flags(argument)
    limit = None
    if argument:
        from dwarfgpu.repl.stack.frame_spec import integer  # most list all frames

        limit = integer(shell, argument)
    style = settings.frame_style()
    is_full = "full" in options | flags
    basis = None if is_full else basis_of(session, settings, style, limit)
    last = shell.last_backtrace
    if basis is not None and last is not None and last.basis == basis:
        yield from last.parts
        notes = [*last.notes]
    else:
        parts, notes = list[Part](), list[str]()
        for part in _listed_frames(shell, settings, style, limit, notes, is_full=is_full):
            yield part
            if len(parts) <= MAX_KEPT:
                parts.append(part)
        if basis is not None and len(parts) <= MAX_KEPT:
            shell.last_backtrace = LastBacktrace(basis, tuple(parts), tuple(notes))
    for note in dict.fromkeys(notes):
        shell.console.note(note, once=False)


def _listed_frames(
    shell: Shell,
    settings: Settings,
    style: FrameStyle,
    limit: int | None,
    notes: list[str],
    *,
    is_full: bool,
) -> Iterator[Part]:
    """Yield frames and why there are no more; what is to be noted after them is added to
    `notes`."""
    session, stack = shell.session, shell.session.call_stack
    assert stack is not None
    problems: list[StackFrame] = []
    level = -1  # of the last frame that is listed
    if limit is not None and limit < 0:
        # A deque may have `sys.maxsize` elements; the smallest 64-bit count asks for one more.
        outermost = deque(numbers_of(shell, settings), maxlen=min(-limit, sys.maxsize))
        for frame in frames_of(shell, settings=settings, start=outermost[0]) if outermost else ():
            if frame.has_lane:
                level = frame.session.level
                problems += [] if frame.is_readable else [frame]
                notes += _assumed(frame, style)
                yield from _of_frame(shell, frame, settings, style, is_full=is_full)
        if not is_bounded(shell, settings) and not stack.end.is_outermost:
            yield Output(str(stack.end), {"stack-end": str(stack.end)})
        notes += (*_unreadable(problems), *stack.notes_to(level), *stack.assumed_to(level))
        return
    count = omitted = 0
    for frame in frames_of(shell, settings=settings):
        if not frame.has_lane:
            omitted += 1
            continue
        if count == limit:
            more = "" if shell.console.is_batch else "(More stack frames follow...)"
            yield Output(more, {"has-more": True})
            notes += (*_unreadable(problems), *stack.notes_to(level), *stack.assumed_to(level))
            return
        count, level = count + 1, frame.session.level
        problems += [] if frame.is_readable else [frame]
        notes += _assumed(frame, style)
        yield from _of_frame(shell, frame, settings, style, is_full=is_full)
    if not is_bounded(shell, settings) and not stack.end.is_outermost:
        yield Output(str(stack.end), {"stack-end": str(stack.end)})
    notes += (*_unreadable(problems), *stack.notes_to(level), *stack.assumed_to(level))
    if omitted:
        notes.append(omitted_note(session, omitted))
    unknown = unlocated(session)
    if unknown is not None:
        notes.append(unknown)


def _assumed(frame: StackFrame, style: FrameStyle) -> tuple[str, ...]:
    """Return what the arguments of a frame's line assume."""
    if frame.session.vgpr_holds is None:
        return ()
    from dwarfgpu.service.frame.argument_notes import argument_notes  # few assume anything

    return argument_notes([frame], style)


def _unreadable(problems: list[StackFrame]) -> Iterator[str]:
    """Yield why functions or lines of frames cannot be read."""
    if problems:
        from dwarfgpu.session.unreadable_frames import unreadable_notes  # most frames are readable

        yield from unreadable_notes(problems)


def _of_frame(
    shell: Shell, frame: StackFrame, settings: Settings, style: FrameStyle, *, is_full: bool
) -> Iterator[Part]:
    record = frame_record(frame, with_arguments=True, style=style)
    group = Group("stack", record)
    yield from (
        NestedOutput(group, part)
        for part in frame_lines(shell, frame, record, style, is_focus=False)
    )
    if is_full:
        from dwarfgpu.repl.stack.locals_commands import locals_of  # few ask for them

        yield from (NestedOutput(group, part) for part in locals_of(shell, frame, settings))


@command("info stack", topic="stack", aliases=("s",))
def info_stack(shell: Shell, argument: str) -> Iterator[Part]:
    """List the call frames, as "backtrace".

    Usage: info stack [OPTION]... [full] [COUNT | -COUNT]
    """
    yield from backtrace.run(shell, argument)
