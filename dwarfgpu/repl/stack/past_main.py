"""The frames of the prompt: as GDB's, they end at `main` (`set backtrace past-main` ...).

For GDB 13 the main function is the one that the compiler marks (DWARF 5 3.3.1), that of Ada, or
`main`. A marked function is known by its symbol, but in Fortran, and if no symbol has its name, by
its entry.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.repl.settings import Settings
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import NumberedLevel, StackFrame, frames_in, numbered_levels

if TYPE_CHECKING:
    from dwarfgpu.cfi.unwind import CfiFrame
    from dwarfgpu.dwarf.code_object import CodeObject
    from dwarfgpu.dwarf.die import Die
    from dwarfgpu.dwarf.scope.subprogram import Subprogram
    from dwarfgpu.dwarf.unit import CompilationUnit
    from dwarfgpu.objfile.symbols import Symbol

_CC_PROGRAM: Final = 0x02
"""DW_CC_program."""
_LONGEST_NAME: Final = 1024
"""Bytes of the name of a main procedure that are read."""


def levels_of(
    shell: Shell, session: Session | None = None, settings: Settings | None = None
) -> Iterator[NumberedLevel]:
    """Yield the frames of the machine within the limits of the settings.

    `set backtrace limit` may exclude some functions of the last one.
    """
    settings = settings or shell.settings
    top = (session or shell.session).at_level(0)
    limit = settings.limit("backtrace limit")
    ends: dict[tuple[int, bool], bool] = {}
    for level in numbered_levels(top):
        yield level
        if limit is not None and level.end >= limit:
            return
        key = level.physical.location, level.physical.is_tail_call
        if key not in ends:
            ends[key] = _is_end(top, level.physical, settings)
        if ends[key]:
            return


def frames_of(
    shell: Shell,
    session: Session | None = None,
    settings: Settings | None = None,
    start: int = 0,
) -> Iterator[StackFrame]:
    """Yield the frames from the innermost outwards within the limits of the settings; by default
    those of the focus. Frames before the number `start` are skipped."""
    top = (session or shell.session).at_level(0)
    limit = (settings or shell.settings).limit("backtrace limit")
    for level in levels_of(shell, session, settings):
        if level.end > start:
            frames = frames_in(top, level, start)
            yield from (frame for frame in frames if limit is None or frame.number < limit)


def numbers_of(shell: Shell, settings: Settings | None = None) -> Iterator[int]:
    """Yield the numbers of the frames in which the lane in focus was active on entry."""
    if shell.session.lane is None:
        limit = (settings or shell.settings).limit("backtrace limit")
        for level in levels_of(shell, settings=settings):
            yield from range(level.first, level.end if limit is None else min(limit, level.end))
    else:
        frames = frames_of(shell, settings=settings)
        yield from (frame.number for frame in frames if frame.has_lane)


def is_bounded(shell: Shell, settings: Settings | None = None) -> bool:
    """Return whether the settings leave out frames that the stack has."""
    last_levels = deque(levels_of(shell, settings=settings), maxlen=1)
    stack = shell.session.call_stack
    if not last_levels or stack is None:
        return False
    last = last_levels[0]
    limit = (settings or shell.settings).limit("backtrace limit")
    return stack.frame(last.physical.level + 1) is not None or limit == last.end


def _is_end(top: Session, physical: CfiFrame, settings: Settings) -> bool:
    """Return whether the frames end here: at `main`, or at a function that the system calls."""
    if physical.is_signal_frame or physical.is_tail_call:
        return False
    session = top.at_level(physical.level)
    own = _start(session)
    if own is None:
        return False
    is_main = not settings.flag("backtrace past-main") and _is_main(session, own)
    return is_main or (not settings.flag("backtrace past-entry") and own == _entry(session))


def frame_numbered(shell: Shell, number: int, text: str) -> StackFrame:
    """Return the frame with a number, written as `text`; `UsageError` with GDB's wording if the
    lane has none."""
    frame = next(frames_of(shell, start=max(number, 0)), None)
    if frame is not None and frame.number == number and frame.has_lane:
        return frame
    raise UsageError(f"No frame at level {text}.")


def _start(session: Session) -> int | None:
    """Return where a frame's function is entered, as an address of its file; by the symbols if the
    function is not described. Code that the compiler split off (`main.cold`) is of its function."""
    try:
        code_object = session.code_object
        if code_object is None or session.pc is None:
            return None
        function = _described(code_object, session.pc)
        if function is not None:
            return function.ranges[0].begin - code_object.load_address
        offset = session.pc - code_object.load_address
        # A stripped file has only the symbols that the dynamic linker needs: code behind the end
        # of one is of a function without a name.
        symbols = [file.symbol_before(offset) for file in symbol_files(code_object)]
    except DwarfGpuError:
        return None
    return max(
        (symbol.address for symbol in symbols if symbol is not None and _reaches(symbol, offset)),
        default=None,
    )


def _reaches(symbol: Symbol, offset: int) -> bool:
    """Return whether code is of a symbol; a call at its end returns just behind it."""
    return not symbol.size_bytes or offset <= symbol.address + symbol.size_bytes


def _described(code_object: CodeObject, pc: int) -> Subprogram | None:
    try:
        return code_object.scopes.subprogram_at(pc)
    except DwarfGpuError:
        return None  # the symbols are read without the debug information


def _is_main(session: Session, own: int) -> bool:
    """Return whether the function that is entered at `own` is the main function."""
    code_object = session.code_object
    if code_object is None or session.pc is None:
        return False
    function = _described(code_object, session.pc)
    if function is not None and _is_marked(function.die):
        linkage = function.die.holder(dw.AT_LINKAGE_NAME)
        name = function.die.name if linkage is None else linkage.string(dw.AT_LINKAGE_NAME)
        symbols = _functions_named(code_object, name) if name else ()
        return not symbols or function.die.unit.style == "fortran" or own in symbols
    if function is not None and _has_main_program(function.die.unit):
        return False
    return own in _functions_named(code_object, _main_of_ada(code_object) or "main")


def _is_marked(function: Die) -> bool:
    """Return whether a function is marked as the main one; before DWARF 4 by its calling
    convention (DWARF 5 3.3.1.1), which GDB reads too."""
    try:
        convention = function.integer(dw.AT_CALLING_CONVENTION)
        return function.flag(dw.AT_MAIN_SUBPROGRAM) or convention == _CC_PROGRAM
    except DwarfGpuError:
        return False  # a damaged mark ends no frames


def _has_main_program(unit: CompilationUnit) -> bool:
    """Return whether a unit of Fortran has a main program, which its `main` calls."""
    if unit.style != "fortran":
        return False
    try:
        children = unit.root.children()
        return any(child.tag == dw.TAG_SUBPROGRAM and _is_marked(child) for child in children)
    except DwarfGpuError:
        return False


def _main_of_ada(code_object: CodeObject) -> str | None:
    """Return the symbol of the main procedure of Ada, which GNAT's binder writes as a string."""
    for symbol in code_object.file.symbols_named("__gnat_ada_main_program_name"):
        data = code_object.file.loaded_from(symbol.address, _LONGEST_NAME)
        if b"\0" in data:
            return data.partition(b"\0")[0].decode("latin-1")
    return None


def _functions_named(code_object: CodeObject, name: str) -> tuple[int, ...]:
    return tuple(
        symbol.address
        for file in symbol_files(code_object)
        for symbol in file.symbols_named(name)
        if symbol.kind == "function"
    )


def _entry(session: Session) -> int | None:
    """Return where the program begins; None in a library, as the vDSO of i386, whose entry point is
    a function that makes system calls."""
    code_object = session.code_object
    is_program = code_object is not None and code_object is session.code_objects[0]
    return code_object.file.entry or None if code_object is not None and is_program else None
