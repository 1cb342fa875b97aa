"""Symbol tables (System V ABI, "Symbol Table").

Law: entries become `Symbol` objects on demand; a look-up by name or address makes one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import starmap
from typing import Final, overload

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import is_cut, name_beginning, name_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, shortened
from dwarfgpu.objfile.elf_structures import RESERVED_BELOW_ZERO, SHN_LORESERVE
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.symbol_addresses import SymbolAddresses
from dwarfgpu.objfile.symbol_entries import (
    FUNCTIONS,
    INDIRECT,
    KINDS,
    SHN_ABS,
    UNKNOWN_SECTION,
    SymbolEntries,
    SymbolKind,
)
from dwarfgpu.objfile.symbol_names import SymbolNames

DESCRIPTOR_SUFFIX: Final = ".kd"
"""How the names of kernel descriptors end (AMDGPU usage, "Code Object Symbols")."""
_MAX_KEPT: Final = 1_000
"""Names whose symbols are kept."""
_MAX_KEPT_SYMBOLS: Final = 16
"""Of a name with more, they are searched for again."""
_MAX_KEPT_TABLE: Final = 1 << 16
"""Symbols of a table that are kept; those of a larger one are made anew for each pass."""
_FILE: Final = 4
"""STT_FILE, which is local."""
MARKS: Final = {
    "AARCH64": pattern(r"\$[xdmfp](?:\..*)?"),
    "ARM": pattern(r"\$[adtmfp](?:\..*)?"),
    "RISCV": pattern(r"\$(?:[xd]|xrv[^.]*)(?:\..*)?"),
}
"""By machine, the names of the symbols, without a type or thread-local, that say what is code
("ELF for the Arm Architecture", mapping symbols), and of older marks of Arm's tools."""


@frozen
class Symbol:
    """One entry of a symbol table."""

    name: str
    address: int
    size_bytes: int
    kind: SymbolKind
    section: int
    """Index of its section; 0 for a symbol that is not defined here; for the reserved indices less
    than 0, of 16 bits: SHN_ABS is -15."""
    is_local: bool = False
    """Whether other files cannot mean it (STB_LOCAL)."""
    is_protected: bool = False
    """Whether references in its own file are to it, whatever others define (STV_PROTECTED)."""
    is_hidden: bool = False
    """Whether other files cannot mean it although it is not local (STV_HIDDEN)."""
    is_indirect: bool = False
    """Whether its code only chooses the function to be called (STT_GNU_IFUNC)."""
    is_mark: bool = False
    """Whether it says what is code, in files for Arm and RISC-V, and names nothing."""
    is_hidden_version: bool = False
    """Whether a table beside its own says that only files that ask for its version mean it."""

    @property
    def is_old_version(self) -> bool:
        """Whether a name without a version is not its: in names with one, `@@` marks the default
        one; a dynamic symbol has it in a table beside its own."""
        return self.is_hidden_version or ("@" in self.name and "@@" not in self.name)

    @property
    def is_in_section(self) -> bool:
        """Whether it is an address of the file, not an absolute number or of another kind."""
        return self.section > 0 or self.section == UNKNOWN_SECTION

    @property
    def is_absolute(self) -> bool:
        """Whether it is a number that a linker or an assembler was given, wherever the file is
        loaded."""
        return self.section == SHN_ABS


class SymbolTable(OfOpenFile):
    """The symbols of one table."""

    def __init__(self, entries: SymbolEntries) -> None:
        self.entries = entries
        self._by_name = SymbolNames(entries)
        self._by_address = SymbolAddresses(entries)
        self._named = KeptAnswers[tuple[object, ...], tuple[Symbol, ...]](_MAX_KEPT)
        """The symbols of names that were searched for; the table never changes."""

    def _symbol(self, number: int, fields: tuple[int, ...]) -> Symbol:
        name, info, other, section, value, size_bytes = fields
        entries, kind = self.entries, KINDS.get(info & 15, "other")
        if entries.is_plain and section >= SHN_LORESERVE:
            section -= RESERVED_BELOW_ZERO
        is_local, is_protected, is_hidden = not info >> 4, other & 3 == 3, other & 3 == 2
        is_mark = kind in ("other", "thread_local") and entries.is_mark(name)
        return Symbol(
            entries.names.at(name), entries.address(section, value), size_bytes, kind, section,
            is_local, is_protected, is_hidden, info & 15 == INDIRECT, is_mark,
            entries.is_hidden_version(number),
        )  # fmt: skip

    @cached_property
    def symbols(self) -> Sequence[Symbol]:
        """All of them."""
        symbols = _Symbols(self)
        return tuple(symbols) if len(symbols) <= _MAX_KEPT_TABLE else symbols

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Symbol]:
        return starmap(self._symbol, enumerate(self.entries))

    def symbol(self, number: int) -> Symbol:
        """Return the entry with a number."""
        return self._symbol(number, self.entries.fields(number))

    def named(
        self,
        name: str,
        beginnings: Iterable[str],
        *,
        with_untyped: bool = False,
        limits: FileLimits = DEFAULT_FILE_LIMITS,
    ) -> tuple[Symbol, ...]:
        """Return the symbols of a name (`dwarfgpu.objfile.elf.ObjectFile.symbols_named`)."""
        key = (with_untyped, name, *beginnings)
        cached = self._named.get(key)
        if cached is not None:
            return cached
        numbers = self._numbers(name, beginnings)
        if len(numbers) > limits.namesakes:
            raise LimitExceeded(
                f"{len(numbers)} symbols have the name {shortened(name)}: more than "
                f"{limits.namesakes}",
                "--max-namesakes",
            )
        kinds = {*KINDS, 0} if with_untyped else KINDS
        named = starmap(self._symbol, self._defined(numbers, kinds))
        symbols = tuple(symbol for symbol in named if not symbol.is_mark)
        if len(symbols) <= _MAX_KEPT_SYMBOLS:
            self._named[key] = symbols
        return symbols

    def require_versions(self, symbols: Iterable[Symbol]) -> None:
        """Raise an error where only versions, which are unknown, choose between symbols of a name
        (`dwarfgpu.objfile.elf.ObjectFile.require_versions`)."""
        error = self.entries.why_no_versions
        if error is None:
            return
        addresses = dict[str, int]()
        for symbol in symbols:
            if addresses.setdefault(symbol.name, symbol.address) != symbol.address:
                raise error.anew()

    def _numbers(self, name: str, beginnings: Iterable[str]) -> list[int]:
        """Return the numbers of the symbols of a name, or with a prefix, in order; of a name that
        was cut, those whose names are the same."""
        if not is_cut(name):
            texts = name_beginning(name), *map(name_bytes, beginnings)
            return self._by_name.beginning(texts)
        numbers = self._by_name.beginning((name_beginning(name),))
        return [number for number in numbers if self.symbol(number).name == name]

    def _defined(
        self, numbers: Iterable[int], kinds: Container[int]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield those symbols of the program that are of some kinds, with their fields."""
        for number in numbers:
            fields = self.entries.fields(number)
            if fields[1] & 15 in kinds and self.entries.is_defined(fields[3]):
                yield number, fields

    def takes(self, name: str, *beginnings: str) -> bool:
        """Return whether a symbol of a name, or with a prefix, is one that another file defines."""
        numbers = self._numbers(name, beginnings)
        return any(not self.entries.fields(number)[3] for number in numbers)

    def ending(self, text: str) -> Iterator[Symbol]:
        """Yield the symbols whose names end with a text, in order."""
        symbols = map(self.symbol, self._by_name.ending(text))
        return (symbol for symbol in symbols if symbol.name.endswith(text))  # long ones are cut

    def called(self, names: Collection[str]) -> Iterator[Symbol]:
        """Yield the symbols that have one of some names, in order."""
        numbers: Iterable[int] = range(len(self))
        if all(map(is_literal, names)):
            numbers = self._by_name.called({*map(name_bytes, names)})
        symbols = map(self.symbol, numbers)
        return (symbol for symbol in symbols if symbol.name in names)

    def numbers_beginning(self, texts: Iterable[str]) -> Iterator[int]:
        """Yield the numbers of the symbols whose names, with the zero byte at the end, begin with a
        text that is not empty, in order."""
        return self._by_name.each_beginning(texts)

    def labels(self) -> Iterator[tuple[int, int, bool]]:
        """Yield the address and the number of each symbol of a section that has a name and is no
        mark, and whether it is a function, in order."""
        entries = self.entries
        names, is_plain = entries.names.data, entries.is_plain
        end = names.rfind(b"\0")  # a string without an end is no name
        for number, (name, info, _, section, value, _) in enumerate(entries):
            if name >= end or not names[name]:
                continue
            if is_plain and section >= SHN_LORESERVE:
                section -= RESERVED_BELOW_ZERO
            if section <= 0 and section != UNKNOWN_SECTION:
                continue
            kind = KINDS.get(info & 15, "other")
            if kind in ("other", "thread_local") and entries.is_mark(name):
                continue
            address = value if is_plain else entries.address(section, value)
            yield address, number, kind == "function"

    def mangled_with(self, part: str, *, with_objects: bool = False) -> tuple[Symbol, ...]:
        """Return the functions whose names begin with `_Z` and contain a text; `with_objects`: and
        the objects, also thread-local ones."""
        kinds = KINDS if with_objects else FUNCTIONS
        return tuple(starmap(self._symbol, self._defined(self._by_name.mangled_with(part), kinds)))

    def mangled_in(self, part: str, source: str) -> tuple[Symbol, ...]:
        """Return the objects of a source file that other files cannot mean, and whose names begin
        with `_Z` and contain a text: they follow the symbol of their file (System V ABI, "Symbol
        Table", STT_FILE). Empty where several files have that name, too."""
        inside = self._in_source(self._by_name.mangled_with(part), source) or ()
        symbols = starmap(self._symbol, self._defined(inside, KINDS.keys() - FUNCTIONS))
        return tuple(symbol for symbol in symbols if symbol.is_local)

    def locals_in(
        self, name: str, source: str, code: tuple[tuple[int, int], ...]
    ) -> tuple[Symbol, ...] | None:
        """Return the objects and functions of a name in a source file that other files cannot mean
        (`dwarfgpu.objfile.elf.ObjectFile.locals_in_source`)."""
        inside = self._in_source(self._numbers(name, ()), source, code)
        if inside is None:
            return None
        symbols = starmap(self._symbol, self._defined(inside, KINDS))
        return tuple(symbol for symbol in symbols if symbol.is_local)

    def _in_source(
        self, numbers: Iterable[int], source: str, code: tuple[tuple[int, int], ...] = ()
    ) -> list[int] | None:
        """Return those of some symbols that follow the symbol of a source file; None where it is
        unknown which symbol that is. `code`: the ranges of its code, ascending."""
        followers = self._followers(source, code)
        return None if followers is None else [item for item in numbers if item in followers]

    @kept_with(first, _MAX_KEPT)
    def _followers(self, source: str, code: tuple[tuple[int, int], ...]) -> range | None:
        """Return the numbers of the symbols behind that of a source file: the only one of its name
        before symbols of the code, or the only one, unless symbols of other code alone follow."""
        groups = [group for group, name in self._sources if name == source]
        starts = [begin for begin, _ in code]

        def is_inside(address: int) -> bool:
            number = bisect_right(starts, address) - 1
            return number >= 0 and address < code[number][1]

        if code:
            owned, has_code = list[range](), False
            # Linkers name no file, as LTO does, before functions that they made local: these are of
            # any file, but marks of their own only.
            for are_marks in (True, False):
                known = [[*map(is_inside, self._local_code(one, are_marks))] for one in groups]
                has_code |= any(known)
                owned = owned or [
                    one for one, inside in zip(groups, known, strict=True) if any(inside)
                ]
            groups = owned if has_code else groups
        return groups[0] if len(groups) == 1 else None

    def _local_code(self, numbers: Iterable[int], are_marks: bool) -> Iterator[int]:
        """Yield the addresses of those symbols that other files cannot mean, and that say what is
        code, or are functions."""
        entries = self.entries
        for name, info, _, section, value, _ in map(entries.fields, numbers):
            is_code = not info and entries.is_mark(name) if are_marks else info in FUNCTIONS
            if is_code and entries.is_defined(section):
                yield entries.address(section, value)

    def has_source(self, source: str) -> bool:
        """Return whether there is a symbol of a source file of a name."""
        return any(name == source for _, name in self._sources)

    @cached_property
    def _sources(self) -> list[tuple[range, str]]:
        """The numbers of the symbols that follow each symbol of a source file, and its name."""
        names = self.entries.names
        files = [(n, names.at(row[0])) for n, row in enumerate(self.entries) if row[1] == _FILE]
        ends = [*(number for number, _ in files), len(self)][1:]
        return [(range(n + 1, end), name) for (n, name), end in zip(files, ends, strict=True)]

    def before(self, address: int) -> Symbol | None:
        """Return the symbol before an address (`dwarfgpu.objfile.elf.ObjectFile.symbol_before`)."""
        number = self._by_address.before(address)
        return None if number is None else self.symbol(number)

    def label_before(self, address: int) -> Symbol | None:
        """Return the symbol without a type before an address
        (`dwarfgpu.objfile.elf.ObjectFile.label_before`)."""
        number = self._by_address.label_before(address)
        return None if number is None else self.symbol(number)

    def covering(self, address: int) -> Symbol | None:
        """Return the innermost symbol that covers an address
        (`dwarfgpu.objfile.elf.ObjectFile.symbol_covering`)."""
        number = self._by_address.covering(address)
        return None if number is None else self.symbol(number)


class _Symbols(Sequence[Symbol]):
    """The symbols of a table, each made when it is asked for: millions of them take too much
    memory."""

    def __init__(self, table: SymbolTable) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self._table)

    @overload
    def __getitem__(self, index: int) -> Symbol: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Symbol, ...]: ...

    def __getitem__(self, index: int | slice) -> Symbol | tuple[Symbol, ...]:
        numbers = range(len(self))[index]
        if isinstance(numbers, int):
            return self._table.symbol(numbers)
        return tuple(map(self._table.symbol, numbers))


def is_literal(name: str) -> bool:
    """Return whether a name is written as in a file: not empty, without escapes, and not cut."""
    return bool(name) and "\\" not in name and not name.endswith("...")
