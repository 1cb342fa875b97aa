"""Names for completion in addition to those in scope: functions, variables, types and symbols.

Law: completion never waits. The names are collected in the background, and offered when they are
complete. Without a terminal, and of more names than are kept, they are read for what is typed,
until there are enough.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from os.path import basename
from threading import Thread
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.typed_names import UnitNames, source_files, typed_names
from dwarfgpu.dwarf.unit import CompilationUnit

MAX_NAMES: Final = 200
"""Names that are offered for one word, as with GDB's max-completions."""
_LAST_WORD: Final = pattern(r"(?<!\w)[0-9]*(?P<word>[^\W\d]\w*)$")
_QUALIFIED: Final = pattern(r"(?:\w+::)*\w*")
_ENOUGH: Final = 20_000
"""Maximum number of names to examine for one word."""
_MOST_KEPT: Final = 1_000_000
"""Maximum number of names to keep for all words."""
_FIRST_UNITS: Final = 16
"""Read at once for a word."""
_INSIDE: Final = pattern(r"\(anonymous namespace\)|<[^<>()]*>|\(|::")
_BLANKS: Final = (
    (pattern(r"\s*(::)\s*|([(<])\s+|\s+([<>),])"), r"\1\2\3"),
    (pattern(r",\s*"), ", "),
    (pattern(r">(?=>)"), "> "),
)
"""Where names of C++ have blanks as GDB shows them, and where not."""
_DESCRIBED: Final = ("function", "variable")
_SYMBOLS: Final = ("code symbol", "data symbol")
CODE_KINDS: Final = ("function", "inlined function", "code symbol")


class SymbolIndex:
    """Sorted names and their kinds."""

    def __init__(self) -> None:
        self._names: tuple[tuple[str, str], ...] = ()
        self._parts: tuple[tuple[str, str], ...] = ()
        """Nested names of functions: the typed part, and the whole name."""
        self._files: dict[str, list[UnitNames]] | None = None
        """The units with each source file, by its name as it is shown; None before a file is
        asked for, because their line tables are read for it."""
        self._files_of: tuple[tuple[CodeObject, ...], frozenset[str]] | None = None
        """The source files of all units of code objects; None before a file is asked for."""
        self._taken: list[UnitNames] = []
        self._remaining: Iterator[UnitNames] = iter(())
        """Units that are read where names are missing."""
        self._required: tuple[tuple[CodeObject, ...], str] | None = None
        """Whose names, after which text, are taken and remain; None after a reading that failed."""
        self._partly_read: tuple[CodeObject, ...] | None = None
        """Those with units that were not read; None where all are."""
        self._of: tuple[CodeObject, ...] = ()
        self._too_many_of: tuple[CodeObject, ...] = ()
        """Those with more names than are kept."""
        self._worker: Thread | None = None

    def collect(self, code_objects: tuple[CodeObject, ...]) -> None:
        """Collect the names of code objects, in the background."""
        if code_objects not in (self._of, self._too_many_of):
            self._of = code_objects
            self._worker = Thread(target=self._collect, args=(code_objects,), daemon=True)
            self._worker.start()

    def require(self, code_objects: tuple[CodeObject, ...], text: str) -> None:
        """Collect names on demand: at least those that contain the identifier at the end of
        `text`. If there are too many, keep the first ones, as GDB does."""
        if code_objects == self._of and self._worker is not None:
            self._worker.join()
            if not self.are_too_many(code_objects):
                return
        match = _LAST_WORD.search(text)
        word = "" if match is None else match["word"]
        typed = text.rpartition(" ")[2]
        is_match = partial(_is_match, typed) if _QUALIFIED.fullmatch(typed) else None
        if (code_objects, typed) == self._required:
            return  # open files do not change
        self._of = ()
        self.take(())
        self._remaining = (
            unit
            for code_object in code_objects
            for unit in typed_names(code_object, word, 2 * MAX_NAMES, is_match)
        )
        self._required = code_objects, typed
        self._partly_read = code_objects

    def are_too_many(self, code_objects: tuple[CodeObject, ...]) -> bool:
        """Return whether code objects are known to have more names than are kept."""
        return bool(code_objects) and code_objects == self._too_many_of

    def _collect(self, code_objects: tuple[CodeObject, ...]) -> None:
        units: list[UnitNames] = []
        count = 0
        for code_object in code_objects:
            for unit in typed_names(code_object):
                count += len(unit.names)
                if count > _MOST_KEPT:
                    self._too_many_of = code_objects
                    return
                units.append(unit)
        if code_objects == self._of:
            self.take(units)
            self._units_by_file()  # before someone waits for them

    def take(self, units: Iterable[UnitNames]) -> None:
        """Offer these names from now on."""
        self._required = self._partly_read = None
        self._remaining = iter(())
        self._taken = [*units]
        self._index()

    def _read_more(self) -> bool:
        """Take as many units again; False where none remains."""
        return self._read(max(_FIRST_UNITS, len(self._taken)))

    def _read_all(self) -> None:
        self._read(None)

    def _read(self, count: int | None) -> bool:
        """Take units that remain, all of them for None; False where none does."""
        required, self._required = self._required, None  # Ctrl-C may end what follows
        more = [*islice(self._remaining, count)]
        if more:
            self._taken += more
            self._index()
        self._required = required
        return bool(more)

    def _index(self) -> None:
        pairs = {pair for unit in self._taken for pair in unit.names}
        described = {name for name, kind in pairs if kind in _DESCRIBED}
        names = sorted(
            (name, kind) for name, kind in pairs if kind not in _SYMBOLS or name not in described
        )
        parts = sorted(_parts(names))
        self._files = None
        self._parts = tuple(parts)
        self._names = tuple(names)

    def _units_by_file(self) -> dict[str, list[UnitNames]]:
        files = self._files
        if files is None:
            files = {}
            for unit in self._taken:
                for file in unit.files():
                    files.setdefault(file, []).append(unit)
            self._files = files
        return files

    def starting_with(
        self, word: str, kinds: Collection[str] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Return a limited number of names with a prefix and their kinds, of some kinds only."""
        return iter(self._enough(lambda: _starting_with(self._names, word, kinds)))

    def in_any_case(
        self, word: str, kinds: Collection[str], units: Collection[CompilationUnit] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Return a limited number of names with a prefix in any case of letters, and their kinds;
        with `units`, of these alone."""
        if units is None:
            return iter(self._enough(lambda: _in_any_case(self._names, word, kinds)))
        self._read_all()
        pairs = {pair for one in self._taken if one.unit in units for pair in one.names}
        return _in_any_case(sorted(pairs), word, kinds)

    def functions(self, word: str) -> Iterator[tuple[str, str]]:
        """Yield functions with this prefix of the name, or of a component after `::`, as in GDB's
        linespecs."""
        return iter(self._enough(lambda: self._functions(word)))

    def _functions(self, word: str) -> Iterator[tuple[str, str]]:
        return _functions_with(self._names, self._parts, word)

    def _enough(self, names_of: Callable[[], Iterator[tuple[str, str]]]) -> list[tuple[str, str]]:
        """Return names of an index, after reading as many units as are needed."""
        names = list(names_of())
        while len(names) < MAX_NAMES and self._read_more():
            names = list(names_of())
        return names

    def files(self, word: str) -> Iterator[str]:
        """Yield source files with this prefix, or else by their names without folders those with
        it there, as in GDB; also of units that were not read for a name."""
        files: Iterable[str]
        if self._partly_read is None:
            self._read_all()
            files = self._units_by_file()
        else:
            files = self._files_of_all(self._partly_read)
        names = {file if file.startswith(word) else basename(file) for file in files}
        return (name for name in sorted(names) if name.startswith(word))

    def _files_of_all(self, code_objects: tuple[CodeObject, ...]) -> frozenset[str]:
        kept = self._files_of
        if kept is None or kept[0] != code_objects:
            files = (file for code_object in code_objects for file in source_files(code_object))
            kept = self._files_of = code_objects, frozenset(files)
        return kept[1]

    def in_file(
        self, file: str, word: str, kinds: Collection[str] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Yield the names that the units with a source file define, as in GDB."""
        return _starting_with(self._names_in(file), word, kinds)

    def functions_in_file(self, file: str, word: str) -> Iterator[tuple[str, str]]:
        """Yield the functions that `functions` does, of the units with a source file."""
        names = self._names_in(file)
        return _functions_with(names, tuple(sorted(_parts(names))), word)

    def _names_in(self, file: str) -> tuple[tuple[str, str], ...]:
        self._read_all()
        last, units_by_file = basename(file), self._units_by_file()
        lists = (units for name, units in units_by_file.items() if basename(name) == last)
        units = {id(unit): unit for listed in lists for unit in listed}.values()
        of_file = (unit for unit in units if unit.has_file(file))
        return tuple(sorted({pair for unit in of_file for pair in unit.names}))


def _starting_with(
    names: tuple[tuple[str, str], ...], word: str, kinds: Collection[str] | None
) -> Iterator[tuple[str, str]]:
    first = bisect_left(names, (word, ""))
    last, count = "", 0
    for name, kind in islice(names, first, first + _ENOUGH):
        if not name.startswith(word) or count == MAX_NAMES:
            return
        if name != last and (kinds is None or kind in kinds):
            yield name, kind
            last, count = name, count + 1


def _in_any_case(
    names: Iterable[tuple[str, str]], word: str, kinds: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the names that begin so, of several that differ in the case of letters the last."""
    folded, length = word.lower(), len(word)
    known = {
        name.lower(): (name, kind)
        for name, kind in names
        if kind in kinds and name[:length].lower() == folded
    }
    return islice(iter(known.values()), MAX_NAMES)


def _functions_with(
    names: tuple[tuple[str, str], ...], parts: tuple[tuple[str, str], ...], word: str
) -> Iterator[tuple[str, str]]:
    """Yield the functions whose name, or what follows a `::` in it, begins with a word; if none
    does, with the word as GDB spaces it: `Box<int, 4>::` for `Box<int,4>::`. One that is alone is
    named by that part, as in GDB."""
    usual = word
    for blanks, replacement in _BLANKS:
        usual = blanks.sub(replacement, usual)
    functions = _functions_beginning(names, parts, word)
    return iter(functions or _functions_beginning(names, parts, usual))


def _functions_beginning(
    names: tuple[tuple[str, str], ...], parts: tuple[tuple[str, str], ...], word: str
) -> list[tuple[str, str]]:
    kinds_by_name = dict(_starting_with(names, word, CODE_KINDS))
    short = ""
    for part, name in _starting_with(parts, word, None):
        if name not in kinds_by_name:
            kinds_by_name[name], short = "function", part
    is_alone = len(kinds_by_name) == 1 and short
    return [(short, "function")] if is_alone else [*kinds_by_name.items()]


def _parts(names: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, kind in names:
        if kind in CODE_KINDS and "::" in name:
            for match in _INSIDE.finditer(name):
                if match[0] == "(":
                    break
                if match[0] == "::":
                    yield name[match.end() :], name


def _is_match(typed: str, name: str) -> bool:
    """Return whether a function is offered for what is typed."""
    parts = _parts(((name, "function"),))
    return name.startswith(typed) or any(part.startswith(typed) for part, _ in parts)
