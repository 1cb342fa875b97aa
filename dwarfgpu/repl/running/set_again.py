"""Breakpoints, watchpoints and catchpoints in other files, as GDB re-sets them: by what was typed.

Law: none disappears without a word, unless its frame has ended.
"""

from __future__ import annotations

from collections.abc import Iterable

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.explicit_location import IN_FILE, unquoted
from dwarfgpu.language.linespec import NO_SYMBOL_TABLE, no_source
from dwarfgpu.repl.advice import is_without_symbols
from dwarfgpu.repl.running.break_locations import condition_errors, located
from dwarfgpu.repl.running.breakpoint import Breakpoint
from dwarfgpu.repl.running.canonical_location import canonical_location
from dwarfgpu.repl.running.catch_commands import entries_of_kernels
from dwarfgpu.repl.running.catchpoint import Catchpoint
from dwarfgpu.repl.running.condition_frames import names_of
from dwarfgpu.repl.running.runner import go_on_from_core
from dwarfgpu.repl.running.watch_commands import function_of, scope_of
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.running.watchpoint_values import frame_of_watched, looked_again
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.code.break_addresses import BreakAddress
from dwarfgpu.service.frame.focus import symbol_at
from dwarfgpu.service.gdb_error_text import message_of
from dwarfgpu.service.value.expression_block import block_of
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.service.value.watched_object import text_of, watched
from dwarfgpu.service.waves.wave_frames import innermost_of
from dwarfgpu.session.frame_identity import FrameIdentity, identity_of, level_of
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import readable_functions_at


def numbers_in_libraries(shell: Shell) -> frozenset[int]:
    """Return the breakpoints in code that is not of the program: as in GDB, they wait for it where
    it is not loaded."""
    session = shell.session
    program = session.program
    files = (*session.code_objects, *session.other_code_objects)
    return frozenset(
        number
        for number, item in shell.breakpoints.items()
        for location in item.locations[:1]
        if item.pending or code_object_at(files, location.pc) not in (None, program)
    )


def set_again(shell: Shell, in_libraries: Iterable[int]) -> None:
    """Set all in the files that are open now; `in_libraries`: those that were in libraries before.

    As in GDB, one whose location is unknown now is disabled with a message, and those of threads
    that are gone are deleted.
    """
    for item in list(shell.breakpoints.values()):
        if item.wave is not None and item.wave not in shell.machine.threads:
            del shell.breakpoints[item.number]
            kind = "watchpoint" if isinstance(item, Watchpoint) else "breakpoint"
            shell.console.remark(
                f"Thread-specific {kind} {item.number} deleted - thread {item.wave} no longer in "
                "the thread list."
            )
            continue
        try:
            if isinstance(item, Catchpoint):
                _catch_again(shell, item)
            elif isinstance(item, Watchpoint):
                _watch_again(shell, item)
            else:
                _locate_again(shell, item, is_in_library=item.number in in_libraries)
        except DwarfGpuError as error:
            shell.console.remark(
                f"Error in re-setting breakpoint {item.number}: {_why(shell, error)}"
            )


def unknown_in(shell: Shell, item: Watchpoint) -> str | None:
    """Return why the expression of a watchpoint means nothing in the files of now, if so; one of
    local variables means what it did as long as their frame is there."""
    if item.frame is not None or item.typed.startswith("-location "):
        return None
    session = frame_of_watched(shell, item, is_in_call=False) or shell.session
    try:
        language.type_of(item.typed, session, options_of(session, shell.values, writes=False))
    except UsageError as error:
        return _why(shell, error)
    except DwarfGpuError:  # a value is not known yet
        return None
    return None


def _why(shell: Shell, error: DwarfGpuError) -> str:
    return NO_SYMBOL_TABLE if is_without_symbols(shell.session, error) else message_of(error)


def _locate_again(shell: Shell, item: Breakpoint, *, is_in_library: bool) -> None:
    if item.locations and not item.linespec.startswith("*"):  # which has its value of now
        item.linespec = canonical_location(item)
    try:
        locations = located(shell, item.linespec)
        files = (*shell.session.code_objects, *shell.session.other_code_objects)
        if is_in_library and code_object_at(files, locations[0].pc) is None:
            item.pending = item.linespec
            return
    except DwarfGpuError as error:
        if is_in_library or not item.is_enabled:
            item.pending = item.linespec
            if not is_in_library:  # as in GDB, which keeps those of libraries alone
                item.locations = ()
                item.disabled_locations = item.invalid_locations = frozenset()
            return
        item.is_enabled = False
        in_file = IN_FILE.fullmatch(item.linespec)
        label = next((location.label for location in item.locations), None)
        item.locations = tuple(
            BreakAddress(pc, None, None, symbol_at(shell.session, pc), label)
            for pc in item.addresses
        )
        if in_file is not None and label is None and error.text == NO_SYMBOL_TABLE:
            raise no_source(unquoted(in_file["file"])) from None  # in GDB it is explicit now
        raise
    item.pending = ""
    item.disabled_locations = _disabled_again(item, locations)
    item.locations = locations
    item.address_digits = shell.session.architecture.address_bits // 4
    errors = condition_errors(shell, item.addresses, item.condition, is_forced=True)
    item.invalid_locations = frozenset(n for n, why in enumerate(errors, 1) if why is not None)


def _disabled_again(item: Breakpoint, locations: tuple[BreakAddress, ...]) -> frozenset[int]:
    """Return the numbers of the disabled locations among others: the same if there are as many,
    otherwise those in the same functions."""
    before = item.disabled_locations
    if not before or len(locations) == len(item.locations):
        return before
    functions = {item.locations[number - 1].function for number in before}
    return frozenset(n for n, one in enumerate(locations, 1) if one.function in functions)


def _watch_again(shell: Shell, item: Watchpoint) -> None:
    """Watch what the expression denotes now, in the same frame; with `-location`, the object where
    it was."""
    is_local = item.frame is not None
    if item.session.wave not in shell.machine.threads:
        if (is_local or item.is_of_wave) and item.session.wave != shell.session.wave:
            del shell.breakpoints[item.number]
            if is_local:  # as at the end of a program
                return
            raise UsageError(f"thread {item.session.wave} is gone: the watchpoint is deleted.")
        if not is_local:
            item.session = shell.session
    if item.typed.startswith("-location "):
        looked_again(shell, item)
        return
    if item.frame is None:
        session = frame_of_watched(shell, item, is_in_call=False) or shell.session
    elif (frame := _same_frame(shell, item.session, item.frame)) is not None:
        session = frame
    else:
        del shell.breakpoints[item.number]
        shell.console.remark(
            f"Watchpoint {item.number} deleted because the program has left the block in which its "
            "expression is valid."
        )
        return
    now = watched(session, item.typed, options_of(session, shell.values, writes=False))
    is_followed = item.expression is not None
    item.watch = evolve(item.watch, bytes=now.bytes if is_followed else now.object_bytes)
    item.watched, item.of_function, item.session = now, None, session
    if is_local:
        item.of_function = function_of(session)
        item.block = block_of(session, now.variables)
        code = now.code if is_followed else None
        item.watch = evolve(item.watch, scope=scope_of(session), code=code)
    item.text = text_of(now.value, session, shell.settings.format_options())
    item.condition_names = names_of(shell, _frame_of_names(shell, item), item.condition)
    item.writes = session.write_count.writes


def _frame_of_names(shell: Shell, item: Watchpoint) -> Session:
    """Return the frame of the local variables of a condition; otherwise that in focus."""
    names = item.condition_names
    if names is None or names.block is None:
        return shell.session
    return _same_frame(shell, names.session, identity_of(names.session)) or shell.session


def _same_frame(shell: Shell, before: Session, identity: FrameIdentity) -> Session | None:
    """Return a frame of the former machine in that of now; None where that does not have it."""
    session = shell.session.top or shell.session
    try:
        if before.wave != session.wave:
            session = innermost_of(session, before.wave)
        level = level_of(session, identity)
        if level is None:
            return None
        entries = [die.offset for die in readable_functions_at(session.at_level(level))]
        inline_level = len(entries) - len(identity.functions)
        if inline_level < 0 or tuple(entries[inline_level:]) != identity.functions:
            return None
        session = session.at_level(level, inline_level)
        return session if before.lane is None else session.focused(before.lane)
    except DwarfGpuError:
        return None


def _catch_again(shell: Shell, item: Catchpoint) -> None:
    if item.event != "fault":
        item.begun.clear()
        item.entries = ()
        go_on_from_core(shell)
        item.entries = entries_of_kernels(shell.session)
