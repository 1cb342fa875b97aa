"""`find`: where a pattern is in memory, with GDB's wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.json_reader import integer_of, is_decimal
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.addresses import whole_number
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.examine_commands import address_of
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.machine.examine_format import SIZES
from dwarfgpu.service.value.value_history import evaluated

_OPTION: Final = re.compile(r"\s*/([^/\s]*)\s*")  # `/b /2` is `/b2`
_MAX_BYTES: Final = 1 << 30
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


def parts_of(text: str) -> list[str]:
    """Split at commas outside of parentheses and quotes."""
    out, depth, start, position = [], 0, 0, 0
    while position < len(text):
        quoted = _STRING.match(text, position)
        if quoted is not None:
            position = quoted.end()
            continue
        character = text[position]
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            out.append(text[start:position].strip())
            start = position + 1
        position += 1
    return [*out, text[start:].strip()]


@command("find", topic="data", complete=completion.VALUES)
def find(shell: Shell, argument: str) -> Iterator[Part]:
    """Search memory for a sequence of values.

    Usage: find [/SIZE] [/COUNT] START, END | +LENGTH, EXPRESSION...

    SIZE is b, h, w or g; the default is the size of each value's type. A string "he" includes its
    NUL; 'h', 'e' does not. At most COUNT matches are shown. Afterwards $_ is the address of the
    last match, and $numfound the number of matches.
    """
    size, most, text = _options(argument)
    parts = parts_of(text)
    if not text:
        raise UsageError("Missing search parameters.")
    if len(parts) < 2 or not all(parts[:2]):
        raise UsageError("Argument required (expression to compute).")
    objects = ObjectAccess(shell.session)
    space, start = address_of(shell, objects, parts[0])
    if parts[1].startswith("+"):
        length = _integer(shell, parts[1][1:])
        if length <= 0:
            raise UsageError("Empty search range.")
    else:
        length = address_of(shell, objects, parts[1])[1] - start + 1
        if length <= 0:
            raise UsageError("Invalid search space, end precedes start.")
    if len(parts) < 3 or not all(parts):
        raise UsageError("Missing search pattern.")
    if length > _MAX_BYTES:
        raise UsageError(f"find searches at most {_MAX_BYTES} bytes.")
    pattern = b"".join(_bytes(shell, part, size) for part in parts[2:])
    if length < len(pattern):
        raise UsageError("Search space too small to contain pattern.")
    from dwarfgpu.service.machine.find_in_memory import matches  # few sessions search

    count, symbol_of = 0, symbolizer(shell.session, shell.settings.format_options())
    for address in matches(objects, space, start, length, pattern, shell.console.warn):
        if count == most:
            break
        count += 1
        pointer = objects.pointer(None, space, address)
        shell.values.named["_"] = evolve(pointer, convenience="_")
        symbol = None if space.number else symbol_of(address)
        shown = objects.address_text(space, address)
        text = f"{shown} <{symbol}>" if symbol else shown
        yield Output(text, {"addr": shown, "symbol": symbol}, "addresses")
    arch = shell.session.architecture
    shell.values.named["numfound"] = evolve(integer_value(arch, count), convenience="numfound")
    text = f"{counted(count, 'pattern')} found." if count else "Pattern not found."
    yield Output(text, {"addresses": []})


def _options(argument: str) -> tuple[str | None, int | None, str]:
    size = count = None
    position = 0
    while (option := _OPTION.match(argument, position)) is not None:
        position = option.end()
        for part in re.findall(r"[0-9]+|.", option[1]):
            if part in SIZES:
                size = part
            elif is_decimal(part):
                count = integer_of(part.lstrip("0") or "0")  # None: more than any
            else:
                raise UsageError("Invalid size granularity.")
    if count == 0:
        raise UsageError("Count must be positive.")
    return size, count, argument[position:].strip()


def _integer(shell: Shell, text: str) -> int:
    return whole_number(shell.session, evaluated(shell.session, shell.values, text))


def _bytes(shell: Shell, text: str, size: str | None) -> bytes:
    """Return the bytes of a value, in the given size; a string includes its NUL."""
    endian = shell.session.architecture.endian
    if size is not None and not text.startswith('"'):
        count = SIZES[size]
        return (_integer(shell, text) & (1 << 8 * count) - 1).to_bytes(count, endian)
    bits = ObjectAccess(shell.session).known(evaluated(shell.session, shell.values, text))
    return bits.to_bytes(endian)
