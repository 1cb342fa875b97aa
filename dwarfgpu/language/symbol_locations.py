"""Where variables, types and enumerators are declared, which `list` and `info line` show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.pattern import pattern as compiled
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import units_with_tags
from dwarfgpu.dwarf.line.line_lookup import is_of_file
from dwarfgpu.dwarf.names.function_paths import (
    TypedPath,
    components,
    is_full_name,
    nested,
    split,
    without_arguments,
)
from dwarfgpu.dwarf.scope.declarations import followed
from dwarfgpu.dwarf.scope.linked_variables import address_of_instance
from dwarfgpu.dwarf.scope.listed_symbol import TAGS, Kind
from dwarfgpu.dwarf.scope.named_entries import TAGGED, TYPES
from dwarfgpu.dwarf.scope.required_word import required_words, units_with_words
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS, decl_file, decl_line
from dwarfgpu.dwarf.scope.searched_names import SearchedNames
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.dwarf.scope.symbols_by_name import UntypedSymbol, untyped_variables
from dwarfgpu.dwarf.scope.variable import variable_of
from dwarfgpu.dwarf.thread_local import tls_address
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, shortened
from dwarfgpu.expr.context import ConstValue, ExprLoc
from dwarfgpu.language.explicit_location import (
    IN_FILE,
    ExplicitLocation,
    explicit_location,
    unquoted,
)
from dwarfgpu.language.function_locations import CodeLocation
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.focused_frame import FramePosition, position_in_file
from dwarfgpu.session.session import Session

_DECLARED: Final = TYPES | {
    dw.TAG_VARIABLE,
    dw.TAG_CONSTANT,
    dw.TAG_ENUMERATOR,
    dw.TAG_NAMESPACE,
}
_LISTED: Final = TAGS["variables"] | TAGS["types"]
_IDENTIFIER: Final = compiled(r"[^\W\d]\w*")
_MAX_KEPT: Final = 1_000
"""Names of a file, with what they denote."""


def symbol_locations(session: Session, text: str, *, of_function: bool) -> tuple[CodeLocation, ...]:
    """Return the variables and types of a name, perhaps with a file, each declaration once for each
    of its addresses; in C without the tags of structures.

    Leading scopes and template arguments are optional, as for functions. `of_function`: functions
    have the name, too, and one after `::` does not mean the base class of an inherited constructor.
    """
    explicit = explicit_location(text) or ExplicitLocation(linespec=text)
    written, file = explicit.function or explicit.linespec, explicit.source
    if written is None or explicit.label is not None:
        return ()
    in_file = IN_FILE.fullmatch(written)
    if in_file is not None:
        file, written = in_file["file"].strip("'\""), in_file["inside"]
    name = unquoted(written).removeprefix("::")
    locations: dict[tuple[str, int, tuple[int, ...]], CodeLocation] = {}
    for code_object in session.code_objects:
        for symbol, die in _listed(code_object, name, file, explicit.is_qualified):
            position = _declared_at(die)
            if position is not None:
                address = _address(session, die)
                location = CodeLocation("symbol", position, address, symbol)
                locations.setdefault((position.path, position.line, address), location)
    is_hidden = of_function and "::" in name
    if not locations and file is None and not explicit.is_qualified and not is_hidden:
        for die in _meant(session, name):
            position = _declared_at(die)
            if position is not None:
                return (CodeLocation("symbol", position, _address(session, die), name),)
    with_address = {(path, line) for path, line, address in locations if address}
    return tuple(
        location
        for (path, line, address), location in locations.items()
        if address or (path, line) not in with_address  # else it only declares the variable
    )


def locations_of_data(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the variables of a name that only symbol tables have: all versions of it, and those of
    all files. A thread-local one of no thread has no address."""
    explicit = explicit_location(text) or ExplicitLocation(linespec=text)
    written = explicit.function or explicit.linespec
    if written is None or explicit.source is not None or explicit.label is not None:
        return ()
    name = unquoted(written).removeprefix("::")
    objects = [*dict.fromkeys((*session.objects_with(name), *session.code_objects))]
    symbols = untyped_variables(objects, name, is_full=explicit.is_qualified)
    return tuple(
        CodeLocation("symbol", None, addresses, is_described=False)
        for addresses in dict.fromkeys(_addresses(session, symbol) for symbol in symbols)
    )


def _addresses(session: Session, symbol: UntypedSymbol) -> tuple[int, ...]:
    if symbol.thread_local_in is None:
        return (symbol.address,)
    try:
        address = tls_address(symbol.thread_local_in, symbol.address, session.wave, session.target)
    except DwarfGpuError:
        return ()
    return (address,)


class _EndsInPath:
    """Matches qualified names that end in a path, which may be without arguments of templates."""

    def __init__(self, name: str) -> None:
        self._path = TypedPath(name)
        bare = [without_arguments(item) or item for item in self._path.components]
        self.simple = bare[-1]
        escaped = (re.sub(r"\W", r"\\\g<0>", component) for component in bare)
        self.pattern = rf"(?:^|::){'(?:<.*)?::'.join(escaped)}(?:<.*)?$"

    def search(self, text: str) -> bool:
        return self.simple in text and self._path.ends(components(text))


@kept_with(lambda code_object, *_: code_object.file, _MAX_KEPT)
def _listed(
    code_object: CodeObject, name: str, file: str | None, is_qualified: bool
) -> tuple[tuple[str, Die], ...]:
    """Return the names and entries of variables and types outside of functions that a name denotes,
    perhaps in a source file; `is_qualified`: with no more scopes. `LimitExceeded` if there are more
    than `FileLimits.namesakes`."""
    info = code_object.info
    most = info.object.limits.namesakes
    named, searched = _EndsInPath(name), SearchedNames(info, is_expression=False)
    simple = named.simple
    units = list(units_with_words(info, required_words(named.pattern)))
    if units and _IDENTIFIER.fullmatch(simple):
        units = list(units_with_tags(info, units, simple, _LISTED))
    elif _is_of_function(name):
        units = [unit for unit in units if not _is_of_c(unit)]
    if not units:  # of most names of functions, and of most unknown ones
        return ()
    kinds: tuple[Kind, ...] = ("variables", "types")
    lists = (
        listed_symbols(info, kind, named, units, simple=simple, searched=searched) for kind in kinds
    )
    meant: list[tuple[str, Die]] = []
    for symbol in chain.from_iterable(lists):
        die = symbol.die
        if (
            (die.tag in TAGGED and not die.unit.is_cplusplus)
            or (file is not None and not is_of_file(die.unit, file))
            or (is_qualified and not is_full_name(symbol.name, name))
        ):
            continue
        if len(meant) >= most:
            message = f"more than {most} variables and types are named {shortened(simple)}"
            raise LimitExceeded(message, "--max-namesakes")
        meant.append((symbol.name, die))
    return tuple(meant)


def _is_of_function(name: str) -> bool:
    """Return whether a name ends in parameters, as that of no variable or type of C or C++ does."""
    path, parameters = split(name)
    return bool(path) and parameters is not None and nested(name) is None


def _is_of_c(unit: CompilationUnit) -> bool:
    try:
        return unit.is_cplusplus or unit.language in dw.C
    except DwarfGpuError:
        return False  # what reads it skips it


def _meant(session: Session, name: str) -> Iterator[Die]:
    """Yield the entries that a name denotes in the frame in focus, without local ones."""
    try:
        names = Names(session)
        meanings = names.meaning(name)
        if "::" in name and names.is_around_function(name):
            return
    except DwarfGpuError:
        return
    for meaning in meanings:
        die = meaning if isinstance(meaning, Die) else meaning.die
        above = die.parent()
        is_local = above is not None and above.tag in BLOCKS | FUNCTIONS
        is_tag = die.tag in TAGGED and not die.unit.is_cplusplus
        if die.tag in _DECLARED and not is_local and not is_tag:
            yield die


def _declared_at(die: Die) -> FramePosition | None:
    try:
        file, line = decl_file(die), decl_line(die)
    except DwarfGpuError:
        return None
    return None if file is None or not line else position_in_file(file, line, is_start=True)


def _address(session: Session, die: Die) -> tuple[int, ...]:
    """Return the address of a static variable, if the entry is one that has an address."""
    die = followed(die)
    variable = variable_of(die) if die.tag == dw.TAG_VARIABLE else None
    if variable is not None and isinstance(variable.location, ConstValue):
        constant = evolve(variable, kind="global")
        address = address_of_instance(session.loaded_objects(), constant)
        return () if address is None else (address,)
    if variable is None or not isinstance(variable.location, ExprLoc):
        return ()
    try:
        symbol = session.at_symbol(evolve(variable, kind="global"))
        [location] = (symbol or session.locate(variable.location)).single_locations
    except (DwarfGpuError, ValueError):
        return ()
    address = location.byte_address
    is_memory = isinstance(location.storage, Memory)
    return (address,) if is_memory and address is not None else ()
