"""Memory in units, as `x` shows it: parse FMT, and format a unit or a string."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.typed_value import no_memory_access
from dwarfgpu.model.object import Bits
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.scalars import hexadecimal, nibbles_text
from dwarfgpu.view.strings import MOST_CHARACTERS, CharacterKind, quoted_string
from dwarfgpu.view.values import Symbolize, format_value

if TYPE_CHECKING:
    from dwarfgpu.language.object_access import ObjectAccess

SIZES: Final = {"b": 1, "h": 2, "w": 4, "g": 8}
IGNORED: Final = "mr"
"""Letters that change nothing: memory tags, which no machine here has, and raw values."""
_PREFIXES: Final[Mapping[Style, Mapping[int, str]]] = {
    "c": {1: "", 2: "u", 4: "U"},
    "fortran": {1: "", 4: "4_"},
    "ada": {1: "", 2: "", 4: ""},
    "pascal": {1: "", 2: "", 4: ""},
}
"""What is before strings of a language, by the size of their characters."""
_FORMAT: Final = pattern(r"(?P<count>-?[0-9]*)(?P<letters>[a-z]*)\s*")
_LETTERS: Final = "xduotacfsiz"
_MAX_COUNT: Final = 1_000_000
_MAX_CHARACTERS: Final = 2 * MOST_CHARACTERS
"""Characters of the strings that one command shows, or passes over."""
_BLOCK_BYTES: Final = 64
"""Bytes that a search backward for the beginning of a string reads at once."""


@frozen
class Format:
    """What `/NFU` says; the defaults are GDB's."""

    letter: str = "x"
    size: str = "w"
    """One of b h w g; a: that of an address; empty for strings of plain characters."""
    count: int = 1
    """Negative: the units before the address."""
    address_bytes: int = 8

    @property
    def unit_bytes(self) -> int:
        if self.letter == "i":
            return 1
        if self.letter == "s" and self.size not in ("h", "w"):
            return 1
        return self.address_bytes if self.size == "a" else SIZES[self.size or "b"]

    @property
    def units_in_line(self) -> int:
        if self.letter in ("s", "i"):
            return 1
        return {4: 4, 8: 2}.get(self.unit_bytes, 8)

    def type(self, endian: Endian) -> Base:
        """Return the type of a unit: GDB's int32_t and others, char16_t of wide strings."""
        bit_size = 8 * self.unit_bytes
        if self.letter == "s" and bit_size > 8:
            return Base(BaseType(f"char{bit_size}_t", "UTF", bit_size, endian))
        return Base(BaseType(f"int{bit_size}_t", "signed", bit_size, endian), is_range=True)


@frozen
class Examined:
    """Where the next `x` continues."""

    format: Format = Format()
    space: AddressSpace | None = None
    address: int | None = None
    """Address of the next unit; None if nothing was shown yet."""
    last_letter: str | None = None
    """The letter of the last `print` or `x`, which `print/` and `print/r` repeat; None before."""


def format_and_rest(text: str, before: Format, address_bits: int) -> tuple[Format, str]:
    """Parse `4xw $sp`: omitted parts keep their last values, except if the letter implies a
    size."""
    match = _FORMAT.match(text)
    assert match is not None
    letter = size = ""
    for mark in match["letters"]:
        if mark in SIZES:
            size = mark
        elif mark not in IGNORED:
            letter = mark
    count = match["count"]
    number = -1 if count == "-" else int(count[:12] or 1)
    if abs(number) > _MAX_COUNT:
        raise UsageError(f"x shows at most {_MAX_COUNT} units at once.")
    if not letter:
        letter = "x" if size and before.letter == "i" else before.letter
        size = size or before.size
    size = size or _size_of(letter, before.size)
    return Format(letter, size, number, address_bits // 8), text[match.end() :]


def require_few_characters(count: int) -> None:
    """Raise `UsageError` for more characters than one `x` reads."""
    if count > _MAX_CHARACTERS:
        raise UsageError(f"x goes through at most {_MAX_CHARACTERS} characters at once.")


def _size_of(letter: str, before: str) -> str:
    match letter:
        case "a":
            return "a"
        case "c":
            return "b"
        case "f":
            return before if before in ("w", "g") else "g"
        case "s":
            return ""
        case _:
            return before or "b"


@frozen
class Unit:
    """A unit of memory as text."""

    text: str
    data: bytes
    bits: Bits | None
    """None for a string, for which GDB keeps no value."""
    next_address: int


@frozen(eq=False)
class Units:
    """The memory of an address space, in units of a format."""

    objects: ObjectAccess
    space: AddressSpace
    format: Format
    symbolize: Symbolize
    options: FormatOptions

    @property
    def endian(self) -> Endian:
        return self.objects.architecture.endian

    @property
    def type(self) -> Base:
        return self.format.type(self.endian)

    def line(self, address: int, count: int) -> Iterator[Unit]:
        """Yield the units of one line, at most `count`; `UsageError` with GDB's wording at the
        first that cannot be read."""
        count = min(count, self.format.units_in_line)
        size_bytes = self.format.unit_bytes
        data = None
        if count > 1:  # one read is faster than one for each unit
            data = self._known(address, count * size_bytes)
        for index in range(count):
            if self.format.letter == "s":
                unit = self._string(address)
            elif data is None:
                unit = self._unit(address, self._data(address, size_bytes))
            else:
                unit = self._unit(address, data[index * size_bytes :][:size_bytes])
            yield unit
            address = unit.next_address

    def _unit(self, address: int, data: bytes) -> Unit:
        if self.format.letter not in _LETTERS:
            raise UsageError(f'Undefined output format "{self.format.letter}".')
        bits = Bits(int.from_bytes(data, self.endian), 8 * len(data))
        return Unit(self._text(bits), data, bits, self.after(address))

    def after(self, address: int) -> int:
        """Return the address of the next unit."""
        return self._wrapped(address + self.format.unit_bytes)

    def _text(self, bits: Bits) -> str:
        letter = self.format.letter
        if letter == "t" and self.options.nibbles:
            separator = self.options.digit_separator
            return nibbles_text(bits.value, separator, size_bits=bits.size_bits)
        if letter == "t":
            return f"{bits.value:0{bits.size_bits}b}"
        if letter in ("x", "z"):
            return hexadecimal(bits.value, bits.size_bits // 4)
        options = evolve(self.options, letter=letter)
        return format_value(
            bits,
            self.type,
            options,
            endian=self.endian,
            architecture=self.objects.architecture,
            symbolize=self.symbolize,
        )

    def _wrapped(self, address: int) -> int:
        return address & (1 << self.space.address_bits) - 1

    def _data(self, address: int, size_bytes: int) -> bytes:
        try:
            return self._read(address, size_bytes)
        except DwarfGpuError:
            for offset in range(size_bytes):
                message = self._why_unreadable(address + offset)
                if message is not None:
                    raise UsageError(message) from None
            raise

    def _read(self, address: int, size_bytes: int) -> bytes:
        address = self._wrapped(address)
        where = self.objects.at(self.space, address)
        return self.objects.context.access.read_bytes(where, size_bytes)

    def _why_unreadable(self, address: int) -> str | None:
        """Return why a byte cannot be read, with GDB's wording; None if it can."""
        try:
            self._read(address, 1)
        except DwarfGpuError as error:
            return no_memory_access(self._address_text(address), error.message)
        return None

    def _address_text(self, address: int) -> str:
        return self.objects.address_text(self.space, self._wrapped(address))

    # Strings

    def _string(self, address: int) -> Unit:
        """Return characters up to a NUL, the limit, or the first that cannot be read."""
        from dwarfgpu.access.read_string import string_at  # few units are strings

        width = self.format.unit_bytes
        most = self._most_characters
        data, is_ended, is_readable = string_at(self._known, address, width, most)
        where = self._address_text(address + len(data))
        error = "" if is_readable else f"<error: Cannot access memory at address {where}>"
        after = None if is_ended or error else self._known(address + len(data), width)
        prefix = _PREFIXES[self.options.style].get(width)
        if prefix is None:
            raise UsageError("unrecognized character type")
        kind = CharacterKind(width, prefix, self.options.style)
        text = ""
        if data or not error:
            text = quoted_string(
                data,
                kind,
                self.endian,
                elements=most,
                repeats=self.options.repeats,
                is_cut=after is not None and any(after),
                utf8=self.options.utf8,
                sevenbit=self.options.sevenbit,
            )
        return Unit(text + error, data, None, self._wrapped(address + len(data)))

    @property
    def _most_characters(self) -> int:
        return min(self.options.elements, MOST_CHARACTERS)

    def _known(self, address: int, size_bytes: int) -> bytes | None:
        try:
            return self._read(address, size_bytes)
        except DwarfGpuError:
            return None

    def before(self, address: int, count: int) -> int:
        """Return the address at which the `count` units before an address start.

        `UsageError` with the first unreadable byte before the address, where memory ends before so
        many strings are found.
        """
        width = self.format.unit_bytes
        if self.format.letter != "s":
            return self._wrapped(address - count * width)
        start, counted = address, 0
        for passed, (position, data) in enumerate(self._characters_before(address)):
            require_few_characters(passed)
            if data is None:
                raise UsageError(self._why_unreadable_before(position + width))
            if not any(data) or counted == self._most_characters:
                start, counted, count = position + width, 0, count - 1
                if not count:
                    return self._wrapped(start)
            counted += 1
        raise UsageError(self._why_unreadable_before(0))

    def _why_unreadable_before(self, address: int) -> str:
        """Return why the first byte before an address that cannot be read is unreadable."""
        reasons = (self._why_unreadable(address - back) for back in range(1, 5))
        last = no_memory_access(self._address_text(address - 1), "")
        return next((reason for reason in reasons if reason is not None), last)

    def _characters_before(self, address: int) -> Iterator[tuple[int, bytes | None]]:
        """Yield the addresses of characters backward, each with its bytes; None if they cannot be
        read."""
        width = self.format.unit_bytes
        while address >= width:
            size_bytes = max((address % _BLOCK_BYTES or _BLOCK_BYTES) // width * width, width)
            block = self._known(address - size_bytes, size_bytes)
            if block is None:
                size_bytes = width
                block = self._known(address - width, width)
            address -= size_bytes
            for offset in range(size_bytes - width, -1, -width):
                yield address + offset, block and block[offset : offset + width]
