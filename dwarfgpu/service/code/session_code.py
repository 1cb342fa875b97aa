"""Machine code around a stopped wave or thread: instructions by address, functions with source.

The bytes are those in memory, which for unmodified code are those of the file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.isa.decode import decoder
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.service.code.disassembly import (
    CodeLine,
    CodeRange,
    Disassembly,
    MachineCode,
    gpu_code,
    host_code,
    lines_between,
)
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import FormatOptions

PLAIN: Final = FormatOptions()
"""Symbols beside addresses as without settings."""
_PAGE = 4096
_MAX_BYTES = 20
"""Maximum size in bytes of one instruction of any machine."""


@kept_with(lambda code_object, *_: code_object.file)
def _disassembly(code_object: CodeObject, is_mangled: bool) -> Disassembly:
    """Return the disassembly of a file, which keeps the symbols of the file in order."""
    return Disassembly(code_object, is_mangled=is_mangled)


def disassembly_at(session: Session, address: int) -> Disassembly | None:
    """Return the code of the file that is loaded there; None if there is none."""
    code_object = code_object_at(session.code_objects, address)
    return None if code_object is None else _disassembly(code_object, session.is_mangled)


@frozen(eq=False)
class Function:
    """The code of a symbol, with those inside it, or up to the next without a size."""

    code: Disassembly
    range: CodeRange


def function_at(session: Session, address: int) -> Function | None:
    """Return the code that contains an address; None if no file does."""
    code = disassembly_at(session, address)
    item = None if code is None else code.function_at(address)
    return None if code is None or item is None else Function(code, item)


def memory_bytes(session: Session, begin: int, end: int) -> bytes:
    """Return code in memory up to the first unreadable address; `UsageError` if that is `begin`."""
    out = b""
    while begin + len(out) < end:
        start = begin + len(out)
        stop = min(end, (start // _PAGE + 1) * _PAGE)
        piece = _piece(session, start, stop)
        out += piece
        if not piece:
            break
    if not out and begin < end:
        raise UsageError(f"Cannot access memory at address {begin:#x}")
    return out


def _piece(session: Session, begin: int, end: int) -> bytes:
    """Return bytes of one page, up to the first that memory does not have: those of the file if
    that is the first of all."""
    objects = ObjectAccess(session)
    access, space = objects.context.access, session.architecture.address_space(0)
    data, step = b"", end - begin
    while step and begin + len(data) < end:
        size_bytes = min(step, end - begin - len(data))
        try:
            data += access.read_bytes(objects.at(space, begin + len(data)), size_bytes)
        except DwarfGpuError:
            step //= 2
    if data:
        return data
    code = disassembly_at(session, begin)
    try:
        return b"" if code is None else code.bytes_at(begin, end)
    except UsageError:
        return b""


def code_lines(session: Session, address: int, count: int) -> Iterator[CodeLine]:
    """Yield `count` instructions starting at an address.

    `UsageError` for the first that cannot be read, `Unsupported` if the machine's instructions are
    unknown.
    """
    read = partial(memory_bytes, session)
    while count > 0:
        end = address + count * _MAX_BYTES
        function = function_at(session, address)
        if function is None:
            lines = _without_file(session, address, end)
        else:
            end = min(end, function.range.end)
            lines = function.code.instructions(address, end, read)
        begin = address
        for line in islice(lines, count):
            yield line
            address = line.address + len(line.data)
            count -= 1
        if address == begin:
            return


def code_lines_before(session: Session, end: int, count: int) -> list[CodeLine]:
    """Return `count` instructions before an address, of its function and of those before that;
    fewer where no function is. Errors are those of `code_lines`."""
    out: list[CodeLine] = []
    while len(out) < count:
        function = function_at(session, end - 1)
        if function is None:
            break
        begin, stop = function.range.begin, min(end + _MAX_BYTES, function.range.end)
        lines = function.code.instructions(begin, stop, partial(memory_bytes, session))
        last = deque((line for line in lines if line.address < end), maxlen=count - len(out))
        out.extend(reversed(last))
        end = begin
    return out[::-1]


def code_lines_between(session: Session, begin: int, end: int) -> Iterator[CodeLine]:
    """Yield the instructions that begin between two addresses; errors are those of `code_lines`."""
    while begin < end:
        function = function_at(session, begin)
        stop = end + _MAX_BYTES
        if function is None:
            lines = _without_file(session, begin, stop)
        else:
            stop = min(stop, function.range.end)
            lines = function.code.instructions(begin, stop, partial(memory_bytes, session))
        for line in lines:
            if line.address >= end:
                return
            yield line
            begin = line.address + len(line.data)
        if begin < min(stop, end):
            raise UsageError(f"Cannot access memory at address {begin:#x}")


def _without_file(session: Session, begin: int, end: int) -> Iterator[CodeLine]:
    """Yield code in memory that no file has: of the processor of the wave in focus."""
    return lines_between(_code_of(session), begin, end, end, partial(memory_bytes, session))


def _code_of(session: Session) -> MachineCode:
    """Return how the code of the wave in focus is decoded."""
    name = processor_of(session.architecture)
    if name is None:
        return host_code(session.architecture.machine, _unnamed)
    return gpu_code(decoder(name, session.architecture.lane_count), _unnamed)


def _unnamed(address: int) -> None:
    """Return no name for any address."""


def processor_of(architecture: Architecture) -> str | None:
    """Return the AMD GPU of an architecture; None for the machine of a host."""
    name = architecture.name.partition("/")[0]
    return name if name in PROCESSORS else None


def instruction_at(session: Session, address: int) -> CodeLine:
    """Return the instruction at an address; errors are those of `code_lines`."""
    return next(code_lines(session, address, 1))


def instruction_text(session: Session, line: CodeLine, options: FormatOptions = PLAIN) -> str:
    """Return the text with the target of a branch by symbol: `s_cbranch_execz 4 <nest+124>`."""
    name = None if line.target is None else symbolizer(session, options)(line.target)
    return f"{line.text} <{name}>" if name else line.text


@frozen(eq=False)
class SourceGroup:
    """Instructions that follow each other and are of one source line."""

    source: SourceLine | None
    first: int
    """The first line of text to be shown above them: those that have no code come with the next."""
    lines: Sequence[CodeLine]


def listed(session: Session, begin: int, end: int) -> Iterator[CodeLine]:
    """Yield the instructions between two addresses where all are read before the first is shown, as
    in one line of JSON or in the order of the source; `LimitExceeded`, before the first where their
    bytes say so, for more than `--max-listed-instructions`."""
    require_few_instructions(session, (end - begin) // _MAX_BYTES)
    for count, line in enumerate(code_lines_between(session, begin, end), 1):
        require_few_instructions(session, count)
        yield line


def require_few_instructions(session: Session, count: int) -> None:
    """Raise `LimitExceeded` for more instructions than are listed as a whole."""
    most = session.limits.listed_instructions
    if count > most:
        raise LimitExceeded(f"more than {most} instructions", "--max-listed-instructions")


def groups_in_code_order(code: Disassembly, lines: Sequence[CodeLine]) -> list[SourceGroup]:
    """Return the groups of GDB's `disassemble /s`: a line without code is shown before the next
    that has some."""
    groups = _groups(code, lines)
    with_code = sorted({_key(source) for source, _ in groups})
    out: list[SourceGroup] = []
    before: SourceLine | None = None
    for source, group in groups:
        first = 0 if source is None else source.line
        if source is not None and not out:  # the opening brace may have no code of its own
            line_lookup = code.lines
            begin, end = lines[0].address, lines[-1].address + len(lines[-1].data)
            first = min(first, line_lookup.first_line(begin, end, source) or first)
        is_same_file = source is not None and before is not None and _path(source) == _path(before)
        if before is not None and is_same_file and first > before.line:  # whose line has code, too
            first = with_code[bisect_left(with_code, _key(source)) - 1][1] + 1
        out.append(SourceGroup(source, first, group))
        before = source
    return out


def groups_in_source_order(code: Disassembly, lines: Sequence[CodeLine]) -> list[SourceGroup]:
    """Return the groups of GDB's `disassemble /m`: by line, in the file of the first instruction
    alone."""
    groups = _groups(code, lines)
    file = next((_path(source) for source, _ in groups if source is not None), "")
    by_line: dict[int, tuple[SourceLine, list[CodeLine]]] = {}
    for source, group in groups:
        if source is not None and _path(source) == file:
            by_line.setdefault(source.line, (source, []))[1].extend(group)
    out: list[SourceGroup] = []
    for line in sorted(by_line):
        source, group = by_line[line]
        first = out[-1].source.line + 1 if out and out[-1].source is not None else line
        out.append(SourceGroup(source, first, group))
    return out


def _groups(
    code: Disassembly, lines: Sequence[CodeLine]
) -> list[tuple[SourceLine | None, list[CodeLine]]]:
    groups: list[tuple[SourceLine | None, list[CodeLine]]] = []
    for line in lines:
        source = code.origin(line.address).line
        if not groups or _key(groups[-1][0]) != _key(source):
            groups.append((source, []))
        groups[-1][1].append(line)
    return groups


def _key(source: SourceLine | None) -> tuple[str, int]:
    return ("", 0) if source is None else (_path(source), source.line)


def _path(source: SourceLine) -> str:
    return source.file.path
