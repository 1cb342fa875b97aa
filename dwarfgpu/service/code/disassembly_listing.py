"""`disassemble` and `x/i` with GDB's wording, for the prompt and for GDB's commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.address_symbols import is_too_far, symbol_text
from dwarfgpu.language.addresses import address_of
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.linespec import split_at_comma
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.service.code.disassembly import CodeLine
from dwarfgpu.service.code.host_code import require_capstone
from dwarfgpu.service.code.session_code import (
    PLAIN,
    Function,
    SourceGroup,
    code_lines_between,
    function_at,
    groups_in_code_order,
    groups_in_source_order,
    instruction_text,
    listed,
    processor_of,
)
from dwarfgpu.service.code.source_text import text_at
from dwarfgpu.service.frame.focus import frame_pc, require_frame
from dwarfgpu.session.focused_frame import position_in_file
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.json_object import JsonObject

SourceText = Callable[[SourceLine], Sequence[str] | None]
"""The lines of a source file; None if it is not found."""

_MODIFIERS: Final = re.compile(r"/(?P<letters>\S*)(?:\s+|$)")
_BYTES: Final = 23
"""Columns of the eight bytes that most instructions have at most."""


def modifiers(argument: str) -> tuple[frozenset[str], str]:
    """Return the letters after slashes, and the rest; `UsageError` with GDB's wording."""
    letters = set[str]()
    while match := _MODIFIERS.match(argument):
        if not match["letters"]:
            raise UsageError("Missing modifier.")
        letters.update(match["letters"])
        argument = argument[match.end() :]
    if letters - set("rbsm"):
        raise UsageError("Invalid disassembly modifier.")
    if {"m", "s"} <= letters:
        raise UsageError("Cannot specify both /m and /s.")
    return frozenset(letters), argument.strip()


@frozen(eq=False)
class Dump:
    """A part of the code to show."""

    function: Function | None
    """The function that has the first address."""
    begin: int
    end: int
    """What was asked for: it may be before the begin."""
    is_whole: bool
    """Whether it is all of the function."""


def dump_of(session: Session, argument: str, options: Options) -> Dump:
    """Evaluate `ADDRESS`, `START,END` or `START,+LENGTH` as expressions; without any, use the frame
    in focus. `UsageError` with GDB's wording."""
    first, is_span, last = split_at_comma(argument)
    if not argument:
        return _of_function(session, None)
    objects = ObjectAccess(session)
    address = address_of(session, options, objects, first)[1]
    if not is_span:
        return _of_function(session, address)
    length = last.removeprefix("+")
    end = address_of(session, options, objects, length)[1]
    end += address if length != last else 0
    return Dump(function_at(session, address), address, end, False)


def _of_function(session: Session, address: int | None) -> Dump:
    # A call may be the last instruction of its function: another one may begin behind it.
    pc = require_frame(session) if address is None else address
    function = function_at(session, pc)
    if function is None or not _is_known(function, pc):
        which = "program counter for selected frame" if address is None else "specified address"
        raise UsageError(f"No function contains {which}.")
    return Dump(function, function.range.begin, function.range.symbol_end, True)


def _is_known(function: Function, pc: int) -> bool:
    """Return whether a symbol or the debugging information names the function of an address;
    otherwise the code is a whole section, or lies behind the end of the function."""
    if function.range.symbol:
        return pc < function.range.symbol_end
    with suppress(DwarfGpuError):
        return function.code.code_object.scopes.subprogram_at(pc) is not None
    return False


@frozen(eq=False)
class ListingLine:
    """A line of text, and the instruction that it shows, if any."""

    text: str
    code: CodeLine | None = None


def listing(
    session: Session,
    dump: Dump,
    letters: frozenset[str],
    source_text: SourceText,
    options: FormatOptions = PLAIN,
    *,
    is_json: bool = False,
) -> Iterator[ListingLine]:
    """Yield the lines of `disassemble`; `UsageError` ends them if memory cannot be read.

    Code is read in pieces as the lines are used. For source, and with `is_json`, all lines are kept
    before the first is shown: `LimitExceeded` for more than `--max-listed-instructions`.

    `Unsupported`, before the first line, where the code is a host's and capstone is not installed.
    """
    if dump.function is None:
        machine, is_host = session.architecture.machine, processor_of(session.architecture) is None
    else:
        machine = dump.function.code.file.machine
        is_host = dump.function.code.processor is None
    if is_host:
        require_capstone(machine)
    if dump.is_whole and dump.function is not None:
        name = function_name(session, dump.function)
        yield ListingLine(f"Dump of assembler code for function {name}:")
    else:
        span = f"from {dump.begin:#x} to {dump.end:#x}"
        yield ListingLine(f"Dump of assembler code {span}:")
    with_source = letters & {"s", "m"} and dump.function is not None
    read = listed if with_source or is_json else code_lines_between
    lines = read(session, dump.begin, max(dump.end, dump.begin))
    if with_source:
        yield from _with_source(session, dump, list(lines), letters, source_text, options)
    else:
        address = dump.begin
        try:
            for line in lines:
                yield _line(session, dump, line, letters, options)
                address = line.address + len(line.data)
        except UsageError:  # as in GDB, below the address
            offset = _offset(session, dump, address, options)
            yield ListingLine(f"{_address_text(session, address, offset)}\t")
            raise
    yield ListingLine("End of assembler dump.")


def _offset(session: Session, dump: Dump, address: int, options: FormatOptions) -> str:
    """Return ` <+104>` for code of the function that is shown, ` <nest+104>` for other code."""
    function = dump.function
    if not dump.is_whole or _is_inside_another(dump.function, address):
        function = _named_at(session, address)
    if function is None:
        return ""
    name = "" if dump.is_whole else function_name(session, function)
    return offset_text(name, address - function.range.begin, options)


def _line(
    session: Session, dump: Dump, line: CodeLine, letters: frozenset[str], options: FormatOptions
) -> ListingLine:
    where = _offset(session, dump, line.address, options)
    data = words_text(session, line) if "r" in letters else ""
    data = bytes_text(session, line) if "b" in letters else data
    return ListingLine(code_text(session, line, where, options, data), line)


def offset_text(name: str, offset: int, options: FormatOptions) -> str:
    """Return ` <nest+104>` also for an offset of 0; nothing far behind the symbol."""
    return "" if is_too_far(offset, options) else f" <{name}+{offset}>"


def _is_inside_another(function: Function | None, address: int) -> bool:
    """Return whether another symbol or function may begin inside a function, at or before an
    address: as in GDB, offsets in its code count from it, but from no label in a function that has
    an end."""
    if function is None:
        return False
    if not function.range.has_size:
        item = function.code.function_at(address)
        return item is not None and item.begin > function.range.begin
    item = function.code.range_at(address)
    return item is not None and item.has_size and item.begin > function.range.begin


def _named_at(session: Session, address: int) -> Function | None:
    """Return the function of an address; None in the padding behind the end of its symbol."""
    function = function_at(session, address)
    if function is None or (function.range.symbol and address >= function.range.symbol_end):
        return None
    return function


def _with_source(
    session: Session,
    dump: Dump,
    lines: list[CodeLine],
    letters: frozenset[str],
    source_text: SourceText,
    options: FormatOptions,
) -> Iterator[ListingLine]:
    """Yield groups of instructions under the lines that they are from."""
    assert dump.function is not None
    in_source_order = "m" in letters
    order = groups_in_source_order if in_source_order else groups_in_code_order
    file, lines_left = "", dump.function.code.file.limits.source_lines
    for number, group in enumerate(order(dump.function.code, lines)):
        if number and not in_source_order:
            yield ListingLine("")
        source = group.source
        if not in_source_order and source is not None and source.file.path != file:
            file = source.file.path
            yield ListingLine(f"{position_in_file(source.file, source.line, is_start=True).file}:")
        texts = list(_source_lines(group, source_text, lines_left))
        lines_left = max(lines_left - len(texts), 1)
        yield from map(ListingLine, texts)
        for line in group.lines:
            yield _line(session, dump, line, letters, options)
        if in_source_order:
            yield ListingLine("")


def _source_lines(group: SourceGroup, source_text: SourceText, most: int) -> Iterator[str]:
    """Yield the lines of a group, at most the last `most` of them."""
    source = group.source
    if source is None:
        return
    texts = source_text(source)
    file = position_in_file(source.file, source.line, is_start=True).file
    first = max(group.first, 1, source.line + 1 - most)
    if first > max(group.first, 1):
        left_out = f"lines {max(group.first, 1)} to {first - 1} of {file}"
        yield f"... {left_out} (--max-source-lines)"
    for number in range(first, source.line + 1):
        text = text_at(texts, number)
        yield f"{number}\tin {file}" if text is None else f"{number}\t{text}"


def marked(session: Session, address: int) -> str:
    """Return `=> ` at the pc of the frame in focus."""
    try:
        pc = frame_pc(session)
    except DwarfGpuError:
        return "   "
    return "=> " if address == pc else "   "


def bytes_text(session: Session, line: CodeLine) -> str:
    """Return the bytes of an instruction as they are in memory: `fd 7b be a9`."""
    columns = 0 if _word_bytes(session, line) > 1 else _BYTES
    return f"{line.data.hex(' '):<{columns}}"


def words_text(session: Session, line: CodeLine) -> str:
    """Return the same as words of a CPU whose instructions are words, as in GDB: `a9be7bfd`."""
    size = _word_bytes(session, line)
    if size == 1:
        return bytes_text(session, line)
    words = (line.data[begin : begin + size] for begin in range(0, len(line.data), size))
    return " ".join(word[::-1].hex() for word in words)


def _word_bytes(session: Session, line: CodeLine) -> int:
    is_of_gpu = line.instruction is not None or session.architecture.is_simt
    return 1 if is_of_gpu else abi_of(session.architecture.machine).instruction_bytes


def code_text(
    session: Session, line: CodeLine, offset: str, options: FormatOptions, data: str = ""
) -> str:
    """Return `=> 0x0000000000001668 <+104>:  s_cbranch_execz 4 <nest+124>`; with the text of its
    bytes, if any, before the instruction."""
    where = _address_text(session, line.address, offset) + (f"\t{data}" if data else "")
    return f"{where}\t{instruction_text(session, line, options)}"


def _address_text(session: Session, address: int, offset: str) -> str:
    digits = session.architecture.address_bits // 4 + 2
    return f"{marked(session, address)}{address:#0{digits}x}{offset}:"


def function_name(session: Session, function: Function) -> str:
    """Return the name as beside addresses: in C++ with its parameters, where the debug information
    has it."""
    return symbol_text(session, function.range.begin) or function.range.name


def code_record(session: Session, line: CodeLine) -> JsonObject:
    """Return an instruction with the keys of GDB's machine interface."""
    function = _named_at(session, line.address)
    return {
        "address": f"{line.address:#x}",
        "func-name": None if function is None else function_name(session, function),
        "offset": None if function is None else line.address - function.range.begin,
        "opcodes": line.data.hex(" "),
        "inst": instruction_text(session, line),
    }
