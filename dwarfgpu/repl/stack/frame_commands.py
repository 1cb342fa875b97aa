"""Commands about the frame in focus: its variables, registers and program location."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice, takewhile

from attrs import evolve

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Candidate, Offer, OfText, command
from dwarfgpu.repl.data.print_options import FRAME_OPTIONS, values_by_option, with_frame_options
from dwarfgpu.repl.files.regexps import compiled, listing_options
from dwarfgpu.repl.files.source_text import source_line
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.past_main import frames_of, is_bounded, numbers_of
from dwarfgpu.repl.stack.wrap_line import wrapped
from dwarfgpu.service.frame.backtrace import omitted_note
from dwarfgpu.service.frame.focus import contents, require_frame, symbol_at, variables
from dwarfgpu.service.frame.frame_answer import frame_record, frame_text
from dwarfgpu.service.value.kernarg_hint import kernarg_hint
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import StackFrame, frame_of, place_of, selected, selected_number
from dwarfgpu.view.frame_style import FrameStyle
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.lane_position import unlocated
from dwarfgpu.view.values import OPTIMIZED_OUT

MAX_OUTWARDS = 999_999_999
"""No stack is deeper."""
_MARGIN = " " * 8
_FLAGS = ("full", "no-filters", "hide")


@command("frame", topic="stack", aliases=("f",))
def frame(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the frame in focus, or select another one.

    Usage: frame [NUMBER | level NUMBER | function NAME | address ADDRESS]

    Shows its number, program location, function and arguments, and its source line. Frame 0 is the
    innermost; "backtrace" lists them.
    """
    if shell.session.pc is None:
        raise UsageError("No stack.")
    number = selected_number(shell.session)
    from dwarfgpu.repl.stack.frame_spec import frame_number  # most show the frame in focus

    chosen = frame_number(shell, argument) if argument else number
    if chosen != number:
        yield from _focus(shell, chosen)
    else:
        require_frame(shell.session)
        yield from shown_frame(shell, number)


@command("select-frame", topic="stack")
def select_frame(shell: Shell, argument: str) -> Iterator[Part]:
    """Select another frame without showing it.

    Usage: select-frame [NUMBER | level NUMBER | function NAME | address ADDRESS]
    """
    if shell.session.pc is None:
        raise UsageError("No stack.")
    if argument:
        from dwarfgpu.repl.stack.frame_spec import frame_number  # it is seldom used

        shell.session = selected(shell.session, frame_number(shell, argument))
    yield from ()


@command("up", topic="stack")
def up(shell: Shell, argument: str) -> Iterator[Part]:
    """Select the frame that called this one.

    Usage: up [COUNT]

    COUNT is an expression; a negative one goes down.
    """
    yield from _moved(shell, argument, 1)


@command("down", topic="stack", aliases=("dow", "do"))
def down(shell: Shell, argument: str) -> Iterator[Part]:
    """Select the frame that this one called.

    Usage: down [COUNT]

    COUNT is an expression; a negative one goes up.
    """
    yield from _moved(shell, argument, -1)


@command("up-silently", topic="support")
def up_silently(shell: Shell, argument: str) -> Iterator[Part]:
    """Select an outer frame without showing it, as "up" does.

    Usage: up-silently [COUNT]
    """
    shell.session = selected(shell.session, _destination(shell, argument, 1))
    yield from ()


@command("down-silently", topic="support")
def down_silently(shell: Shell, argument: str) -> Iterator[Part]:
    """Select an inner frame without showing it, as "down" does.

    Usage: down-silently [COUNT]
    """
    shell.session = selected(shell.session, _destination(shell, argument, -1))
    yield from ()


def _moved(shell: Shell, argument: str, direction: int) -> Iterator[Part]:
    yield from _focus(shell, _destination(shell, argument, direction))


def _integer(shell: Shell, text: str) -> int:
    from dwarfgpu.repl.stack.frame_spec import integer  # most frames are counted from where one is

    return integer(shell, text)


def _destination(shell: Shell, argument: str, direction: int) -> int:
    """Return the number of the frame to move to among those that include the lane; as in GDB, a
    larger COUNT stops at the end."""
    if shell.session.pc is None:
        raise UsageError("No stack.")
    count = _integer(shell, argument) if argument else 1
    if count < 0:
        count, direction = -count, -direction
    count = min(count, MAX_OUTWARDS)
    here = selected_number(shell.session)
    numbers = numbers_of(shell)
    if direction > 0:
        passed = list(deque(islice((n for n in numbers if n > here), count), maxlen=1))
        ends = "Initial frame selected; you cannot go up."
    else:
        inner = list(takewhile(lambda number: number < here, numbers))
        passed = inner[::-1][:count]
        ends = "Bottom (innermost) frame selected; you cannot go down."
    if not passed and not argument:  # GDB complains only without a number
        raise UsageError(ends)
    return passed[-1] if passed else here


def _focus(shell: Shell, number: int) -> Iterator[Part]:
    shell.session = selected(shell.session, number)
    yield from shown_frame(shell, number)
    from dwarfgpu.repl.data.display_commands import displayed  # a backtrace needs none

    yield from displayed(shell)


def shown_frame(shell: Shell, number: int) -> Iterator[Part]:
    """Yield the frame in focus, with its source line."""
    frame = frame_of(shell.session, number)
    shell.listed = None
    style = shell.settings.frame_style()
    record = frame_record(frame, with_arguments=True, style=style)
    yield Output("", {"frame": record})
    yield from _lines(shell, frame, record, style, is_focus=True)
    if shell.settings.word("disassemble-next-line") != "off":
        from dwarfgpu.repl.data.instructions import next_line

        yield from next_line(shell, has_source=frame.place is not None)


def _lines(
    shell: Shell, frame: StackFrame, record: JsonObject, style: FrameStyle, *, is_focus: bool
) -> Iterator[Part]:
    """Yield a frame, whose keys are data, and its line of source text."""
    lines = [*source_line(shell, frame.session)] if style.has_source(is_focus=is_focus) else []
    is_located = style.has_location(has_source=bool(lines))
    columns = shell.settings.limit("width") if shell.console.is_interactive else None
    text = wrapped(frame_text(frame, record, style), columns) if is_located else ""
    yield Output(text, {})
    position = frame.place
    is_inside = (
        not is_located and style.has_address and position is not None and not position.is_start
    )
    digits = frame.session.architecture.address_bits // 4
    where = f"{frame.pc:#0{digits + 2}x}\t" if is_inside else ""
    yield from (evolve(line, text=where + line.text) for line in lines)


def _full(shell: Shell, text: str) -> Offer:
    start = len(text) - len(text.lstrip())
    return start, (Candidate("full", "with local variables"),)


@command(
    "backtrace",
    topic="stack",
    aliases=("bt",),
    complete=completion.with_options(
        {**values_by_option(FRAME_OPTIONS), **{f"-{flag}": () for flag in _FLAGS}}, OfText(_full)
    ),
)
def backtrace(shell: Shell, argument: str) -> Iterator[Part]:
    """List the call frames, and why the list ends.

    Usage: backtrace [OPTION]... [full] [COUNT | -COUNT]

    COUNT is the number of innermost frames, -COUNT of outermost ones; "full" adds the local
    variables of each frame. Frames in which the lane in focus was inactive on entry are omitted,
    and so are the callers of "main" unless "set backtrace past-main" is on. OPTION is -full,
    -past-main, -past-entry, -frame-arguments all|scalars|none|presence or -frame-info WHAT: the
    settings of "set backtrace" and "set print", for this command only.
    """
    from dwarfgpu.repl.stack.last_backtrace import (  # the start shows one frame
        MAX_KEPT,
        LastBacktrace,
        basis_of,
    )

    session = shell.session
    if session.call_stack is None:
        raise UsageError("No stack.")
    settings, flags, argument = with_frame_options(argument, shell.settings, _FLAGS)
    while (word := argument.partition(" "))[0] in _FLAGS:
        flags, argument = flags | {word[0]}, word[2].strip()
    if "hide" in flags:
        raise Unsupported("the option -hide: there are no frame filters here")
    limit = _integer(shell, argument) if argument else None
    style = settings.frame_style()
    is_full = "full" in flags
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
    for note in notes:
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
    if limit is not None and limit < 0:
        outermost = deque(numbers_of(shell, settings), maxlen=-limit)
        for frame in frames_of(shell, settings=settings, start=outermost[0]) if outermost else ():
            if frame.has_lane:
                yield from _of_frame(shell, frame, settings, style, is_full=is_full)
        return
    count = omitted = 0
    for frame in frames_of(shell, settings=settings):
        if not frame.has_lane:
            omitted += 1
            continue
        if count == limit:
            more = "" if shell.console.is_batch else "(More stack frames follow...)"
            yield Output(more, {"has-more": True})
            return
        count += 1
        yield from _of_frame(shell, frame, settings, style, is_full=is_full)
    if not is_bounded(shell, settings) and not stack.end.is_outermost:
        yield Output(str(stack.end), {"stack-end": str(stack.end)})
    if omitted:
        notes.append(omitted_note(session, omitted))
    unknown = unlocated(session)
    if unknown is not None:
        notes.append(unknown)


def _of_frame(
    shell: Shell, frame: StackFrame, settings: Settings, style: FrameStyle, *, is_full: bool
) -> Iterator[Part]:
    record = frame_record(frame, with_arguments=True, style=style)
    group = Group("stack", record)
    yield from (
        NestedOutput(group, part) for part in _lines(shell, frame, record, style, is_focus=False)
    )
    if is_full:
        yield from (NestedOutput(group, part) for part in _locals_of(shell, frame, settings))


def _locals_of(shell: Shell, frame: StackFrame, settings: Settings) -> Iterator[Part]:
    if not frame.is_described and not _is_trampoline(frame.session):
        yield Output("No symbol table info available.", {"variables": []})
        return
    local_variables = variables(frame.session, "local") if frame.is_described else []
    if not local_variables:
        yield Output("No locals.", {"variables": []})
    for variable in local_variables:
        reading = frame.session.read(variable)
        text = contents(frame.session, reading, settings.format_options())
        shown = _MARGIN + f"{variable.name} = {text}".replace("\n", f"\n{_MARGIN}")
        type_text = reading.variable.readable_type_text
        data: JsonObject = {"name": variable.name, "value": text, "type": type_text}
        yield Output(shown, data, "variables")
        for note in reading.notes:
            shell.console.note(note, once=True)


def _is_trampoline(session: Session) -> bool:
    """Return whether a frame is the return from a signal handler, between functions of a unit with
    debugging information: GDB finds the block of the unit, which has no locals."""
    physical, code_object, pc = session.physical_frame, session.code_object, session.pc
    if physical is None or not physical.is_signal_frame or code_object is None or pc is None:
        return False
    try:
        return code_object.scopes.unit_at(pc) is not None
    except DwarfGpuError:
        return False


@command("info stack", topic="stack", aliases=("s",))
def info_stack(shell: Shell, argument: str) -> Iterator[Part]:
    """List the call frames, as "backtrace".

    Usage: info stack [OPTION]... [full] [COUNT | -COUNT]
    """
    yield from backtrace.run(shell, argument)


@command("pc", topic="stack")
def pc(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the program location.

    Usage: pc

    Shows the loaded address, the address in the code object, the function and the source line.
    """
    session = shell.session
    address = require_frame(session)
    code_object = session.code_object
    origin = "" if code_object is None else f" = {code_object.offset_text(address)}"
    symbol = symbol_at(session, address)
    position = place_of(session, address)
    line = "" if position is None else f" at {position.file}:{position.line}"
    data: JsonObject = {
        "addr": f"{address:#x}",
        "from": None if code_object is None else str(code_object.file.path),
        "symbol": symbol,
        "file": None if position is None else position.file,
        "line": None if position is None else position.line,
    }
    text = f"{address:#x}{origin}" + (f" <{symbol}>" if symbol else "") + line
    yield Output(text, {"pc": data})


@command("info locals", topic="stack", complete=completion.variables)
def info_locals(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the local variables of the frame.

    Usage: info locals [-q] [-t TYPEREGEXP] [REGEXP]

    Their values are those of the lane in focus; variables of inner blocks come first. REGEXP
    selects matching names, TYPEREGEXP matching types. -q suppresses the message that there are
    none.
    """
    yield from _listed(shell, "local", argument, "locals")


@command("info args", topic="stack", complete=completion.variables)
def info_args(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the arguments of the frame.

    Usage: info args [-q] [-t TYPEREGEXP] [REGEXP]

    The values are those of the lane in focus. The arguments of the command are those of "info
    locals".
    """
    yield from _listed(shell, "parameter", argument, "arguments")


def _listed(shell: Shell, kind: str, argument: str, called: str) -> Iterator[Part]:
    session = shell.session
    letters, typed, argument = listing_options(argument)
    pattern, of_type = compiled(argument), compiled(typed or "")
    has_code = session.pc is None or session.code_object is not None
    shown_variables = [
        variable
        for variable in (variables(session, kind) if has_code else [])
        if pattern.search(variable.name)
        and (not typed or of_type.search(variable.readable_type_text or ""))
    ]
    if not shown_variables and "q" not in letters:
        text = f"No matching {called}." if argument or typed else f"No {called}."
        is_described = has_code and session.frame.subprogram is not None
        if not is_described and (kind != "local" or not _is_trampoline(session)):
            text = "No symbol table info available."
        yield Output(text, {"variables": []})
    notes: list[str] = []
    texts: dict[str, str] = {}
    incomplete: list[Variable] = []
    options = shell.settings.format_options()
    for variable in shown_variables:
        reading = session.read(variable)
        if not reading.is_complete:
            incomplete.append(variable)
        text = contents(session, reading, options)
        texts[variable.name] = text
        type_text = reading.variable.readable_type_text
        data: JsonObject = {"name": variable.name, "value": text, "type": type_text}
        yield Output(f"{variable.name} = {text}", data, "variables")
        notes += reading.notes
    for note in notes:
        shell.console.note(note, once=True)
    advice = next(filter(None, (kernarg_hint(session, variable) for variable in incomplete)), None)
    if advice is not None:
        shell.console.note(advice, once=True)
    missing = next(
        (variable.name for variable in shown_variables if OPTIMIZED_OUT in texts[variable.name]),
        None,
    )
    if missing is not None:
        shell.console.hint(missing)
