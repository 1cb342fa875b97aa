"""`dump`, `append` and `restore`: memory and values to and from binary files, as in GDB."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.readable_files import open_to_read
from dwarfgpu.base.records import evolve
from dwarfgpu.base.writing import NotWritten, append_parts, write_parts
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, subcommand_list
from dwarfgpu.repl.data.examine_commands import address_of
from dwarfgpu.repl.output import Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.value_history import evaluated, options_of, whole_number
from dwarfgpu.terminal.input import read_all

_MAX_BYTES: Final = 1 << 30
"""Of one command."""
_PIECE_BYTES: Final = 1 << 18
"""Of memory, read and written at a time."""
_Write: TypeAlias = Callable[[Path, Iterable[bytes]], None]


_NAME: Final = pattern(r"""(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^ \t\r\n"'\\])+(?![^ \t\r\n])""")
"""The name of a file, with quotes or backslashes where it has blanks."""


def _file_and_rest(argument: str) -> tuple[str, str]:
    argument = argument.strip()
    name, _, rest = argument.partition(" ")
    match = _NAME.match(argument)
    if match is not None:
        [name], rest = shlex.split(match[0]), argument[match.end() :]
    if not name:
        raise UsageError("Missing filename.")
    return os.path.expanduser(name), rest.strip()


def _memory(write: _Write, shell: Shell, argument: str) -> Iterator[Part]:
    name, rest = _file_and_rest(argument)
    start_text, _, end_text = rest.partition(" ")
    if not start_text:
        raise UsageError("Missing start address.")
    if not end_text.strip():
        raise UsageError("Missing stop address.")
    objects = ObjectAccess(shell.session)
    space, start = address_of(shell, objects, start_text)
    end_space, end = address_of(shell, objects, end_text)
    if end <= start or space is not end_space:
        raise UsageError("Invalid memory address range (start >= end).")
    if end - start > _MAX_BYTES:
        raise UsageError(f"At most {_MAX_BYTES} bytes are dumped at once.")
    pieces = _pieces(objects, space, start, end)
    first = next(pieces)  # as in GDB, memory is read before the file is opened
    _written(write, name, chain((first,), pieces))
    yield from ()


def _pieces(objects: ObjectAccess, space: AddressSpace, start: int, end: int) -> Iterator[bytes]:
    """Yield the contents of memory, no more at a time than may be read at once; `UsageError` names
    the first address that cannot be read."""
    step = max(min(_PIECE_BYTES, objects.context.limits.read_bytes), 1)
    for address in range(start, end, step):
        size_bytes = min(step, end - address)
        try:
            piece = objects.context.access.read_bytes(objects.at(space, address), size_bytes)
        except Unavailable:
            first = _first_unreadable(objects, space, address, size_bytes)
            where = objects.address_text(space, first)
            raise UsageError(f"Cannot access memory at address {where}") from None
        yield piece


def _first_unreadable(
    objects: ObjectAccess, space: AddressSpace, address: int, size_bytes: int
) -> int:
    """Return the first address that cannot be read, in memory that cannot be read whole."""
    while size_bytes > 1:
        half = size_bytes // 2
        try:
            objects.context.access.read_bytes(objects.at(space, address), half)
        except Unavailable:
            size_bytes = half
        else:
            address, size_bytes = address + half, size_bytes - half
    return address


def _written(write: _Write, name: str, parts: Iterable[bytes]) -> None:
    """Write a file; `UsageError` with GDB's wording."""
    try:
        write(Path(name), parts)
    except NotWritten as error:
        raise UsageError(f"{name}: {error.reason}.") from None


def _value(verb: str, write: _Write, shell: Shell, argument: str) -> Iterator[Part]:
    name, rest = _file_and_rest(argument)
    if not rest:
        raise UsageError(f"No value to {verb}.")
    value = evaluated(shell.session, shell.values, rest)
    data = ObjectAccess(shell.session).known(value).to_bytes(shell.session.architecture.endian)
    _written(write, name, [data])
    yield from ()


def _family(verb: str, about: str, whole: str, write: _Write) -> Command:
    """Define `dump`, with `dump memory`, `dump value`, and the same below `dump binary`."""

    def inner(family: str) -> tuple[Command, ...]:
        return tuple(
            Command(
                f"{family} {word}",
                f"{about} {what} to a raw binary file.\n\nUsage: {family} {word} FILE {usage}\n\n"
                "A FILE with blanks is quoted.",
                partial(run, write),
                "data",
                complete=completion.files,
                repeats=False,
            )
            for word, what, usage, run in (
                ("memory", "contents of memory", "START STOP", _memory),
                ("value", "the value of an expression", "EXPRESSION", partial(_value, verb)),
            )
        )

    def of(name: str, what: str, subcommands: tuple[Command, ...]) -> Command:
        def run(shell: Shell, argument: str) -> Iterator[Part]:
            yield from subcommand_list(name, subcommands)

        text = f"{what}.\n\nUsage: {name} memory | value FILE ..."
        return Command(name, text, run, "data", subcommands=subcommands, repeats=False)

    to_binary = f"{about} target code/data to a raw binary file"
    binary = of(f"{verb} binary", to_binary, inner(f"{verb} binary"))
    return of(verb, whole, (binary, *inner(verb)))


def _restore(shell: Shell, argument: str) -> Iterator[Part]:
    name, rest = _file_and_rest(argument)
    words = rest.split()
    if not words or words[0] != "binary":
        raise UsageError('Files are restored as binary ones: "restore FILE binary ADDRESS".')
    try:
        with open_to_read(name) as file:
            yield from _restored_from(shell, file, name, words[1:])
    except OSError as cause:
        raise UsageError(f"Failed to open {name}: {cause.strerror or cause}") from None
    except ValueError:  # a NUL in the name
        raise UsageError(f"Failed to open {name!r}: it is not a file name") from None


def _restored_from(shell: Shell, file: BinaryIO, name: str, words: list[str]) -> Iterator[Part]:
    """Write a part of a file to memory; no more of a file that has a size is read."""
    if not file.seekable():
        file = BytesIO(read_all(file, name, _MAX_BYTES))
    size_bytes = file.seek(0, os.SEEK_END)
    objects = ObjectAccess(shell.session)
    offset_text, *bounds = words or ["0"]
    space, offset = address_of(shell, objects, offset_text)
    start, end = 0, size_bytes
    if bounds:
        start = whole_number(shell.session, shell.values, bounds[0])
    if len(bounds) > 1:
        end = min(whole_number(shell.session, shell.values, " ".join(bounds[1:])), end)
    if not 0 <= start < size_bytes:
        raise UsageError(f"Start address is greater than length of binary file {name}.")
    if start >= end:
        raise UsageError("Start must be less than end.")
    if end - start > _MAX_BYTES:
        raise UsageError(f"At most {_MAX_BYTES} bytes are restored at once.")
    file.seek(start)
    data = file.read(end - start)
    if len(data) < end - start:  # another program has made it shorter
        raise UsageError(f"{name} ends after {start + len(data)} bytes.")
    yield from _restored(shell, space, offset + start, data, name)


def _restored(
    shell: Shell, space: AddressSpace, address: int, data: bytes, name: str
) -> Iterator[Part]:
    objects = ObjectAccess(shell.session)
    begin, end = (
        objects.address_text(space, boundary) for boundary in (address, address + len(data))
    )
    context = objects.context
    at_once = evolve(context.limits, read_bytes=len(data))  # all of it or nothing
    evolve(context, limits=at_once).access.write_bytes(objects.at(space, address), data)
    wrote = options_of(shell.session, shell.values).wrote
    if wrote is not None:
        wrote()
    text = f"Restoring binary file {name} into memory ({begin} to {end})"
    yield heading(text)


DUMPS: Final = (
    _family("dump", "Write", "Dump target code/data to a local file", write_parts),
    _family("append", "Append", "Append target code/data to a local file", append_parts),
    Command(
        "restore",
        "Restore the contents of FILE to target memory.\n\n"
        "Usage: restore FILE binary ADDRESS [START [END]]\n\n"
        "START and END are offsets in FILE, at most 1 GiB apart.\n"
        'The core or state file does not change. "undo" restores the previous contents of memory.\n'
        "A FILE with blanks is quoted.",
        _restore,
        "data",
        complete=completion.files,
        repeats=False,
    ),
)
