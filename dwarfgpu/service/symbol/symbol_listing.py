"""List functions, variables and types of code objects by name and type, as GDB does."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final, NamedTuple

from dwarfgpu.base.printable import name_beginning
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.regexp import Regexp
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.demangle import demangled, demangled_clone
from dwarfgpu.dwarf.names.fortran_ada import ada_name, fortran_name
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import (
    followed,
    is_definition,
    is_variable_alias,
    qualified_name,
)
from dwarfgpu.dwarf.scope.listed_symbol import Kind, ListedSymbol
from dwarfgpu.dwarf.scope.named_entries import TYPES
from dwarfgpu.dwarf.scope.parameters import passed_parameters, with_parameters
from dwarfgpu.dwarf.scope.required_word import mangled_lacks, required_words
from dwarfgpu.dwarf.scope.searched_names import (
    FREE_CHARACTERS,
    LEFT_OUT,
    SPELLED,
    SearchedNames,
    cost_of_mangled,
)
from dwarfgpu.dwarf.scope.symbol_at_address import demangled_entry, unnumbered
from dwarfgpu.dwarf.scope.symbol_list import listed_symbols
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files, unversioned
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Enum,
    Function,
    Pointer,
    Struct,
    Type,
    Typedef,
    without_typedefs,
)
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language.untyped_symbols import NO_TYPE
from dwarfgpu.objfile.symbols import Symbol
from dwarfgpu.session.session import Session
from dwarfgpu.view.type_text import declaration, without_own_name

_OBJECTS: Final = (dw.TAG_VARIABLE, dw.TAG_MEMBER, dw.TAG_CONSTANT)
_BOUNDS: Final = "___XUB"
_CLONE: Final = " [clone .]"
"""What demanglers write around the suffix of a clone: `_Z1fv.cold`."""
_FEW_SYMBOLS: Final = 32
"""Maximum number of symbols for which to search the units that mention them."""


@frozen
class SymbolQuery:
    """The query of a listing."""

    kind: Kind
    name: Regexp | None = None
    type: Regexp | None = None
    is_quiet: bool = False
    has_others: bool = True
    """Whether symbols without debugging information are listed too."""
    text: str = ""
    """The title."""


class UndescribedSymbol(NamedTuple):
    """A function or variable without debugging information."""

    address: int
    """As loaded."""
    name: str
    """`ns::over(int)` in C++, `over` in C."""
    symbol: Symbol


class SymbolSearch:
    """The symbols of a query in the files of a session.

    A file that has too many names to search ends early, with what was found so far.
    """

    def __init__(self, session: Session, query: SymbolQuery) -> None:
        self._session = session
        self._query = query
        self._words = () if query.name is None else required_words(query.name.pattern)
        self._searched: dict[CodeObject, SearchedNames] = {}
        self.problems: list[DwarfGpuError] = []
        """Why entries cannot be read."""
        self.limits: dict[CodeObject, LimitExceeded] = {}
        """Why the search in a file ended early."""

    def described(self) -> Iterator[ListedSymbol]:
        """Yield those that debugging information describes."""
        query = self._query
        for code_object in self._session.code_objects:
            searched = self._names_of(code_object)
            try:
                for symbol in listed_symbols(
                    code_object.info,
                    query.kind,
                    query.name,
                    with_linkage_names=query.kind in ("functions", "variables"),
                    problems=self.problems,
                    searched=searched,
                ):
                    if query.type is not None:
                        searched.spend(SPELLED)
                    if query.type is None or query.type.search(_type_text(symbol)):
                        yield _of_source(symbol)
            except LimitExceeded as error:
                self.limits[code_object] = error

    def undescribed(self) -> list[UndescribedSymbol]:
        """Return those that only a symbol table has, by their addresses and names, each once."""
        by_key: dict[tuple[int, str], UndescribedSymbol] = {}
        for code_object in self._session.code_objects:
            if code_object not in self.limits:
                try:
                    for item in self._undescribed_of(code_object):
                        by_key.setdefault((item.address, item.name), item)
                except LimitExceeded as error:
                    self.limits[code_object] = error
        return [by_key[key] for key in sorted(by_key)]

    def linkage_entries(self) -> Iterator[tuple[int, str]]:
        """Yield address and name of the entries of procedure linkage tables: `puts@plt`."""
        query = self._query
        for code_object in self._session.code_objects if query.kind == "functions" else ():
            if code_object in self.limits:
                continue
            searched, limit = self._names_of(code_object), code_object.plt.limit
            if limit is not None:
                self.limits[code_object] = limit
            try:
                for symbol in code_object.plt.symbols:
                    if symbol.name.startswith("_Z"):
                        searched.spend(cost_of_mangled(len(symbol.name)))
                    else:
                        searched.spend_symbol()
                    name = demangled_entry(symbol.name)
                    if query.name is None or query.name.search(name):
                        yield symbol.address + code_object.load_address, name
            except LimitExceeded as error:
                self.limits[code_object] = error

    def _names_of(self, code_object: CodeObject) -> SearchedNames:
        if code_object not in self._searched:
            self._searched[code_object] = SearchedNames(code_object.info)
        return self._searched[code_object]

    def _undescribed_of(self, code_object: CodeObject) -> Iterator[UndescribedSymbol]:
        searched = self._names_of(code_object)
        searched.unit = None
        symbols: list[Symbol] = []
        try:
            for file in symbol_files(code_object):
                for symbol in file.symbols:
                    if self._matches(symbol, searched) and symbol.section not in file.not_in_memory:
                        searched.spend_symbol(is_match=True)
                        symbols.append(symbol)
        except LimitExceeded as error:
            self.limits[code_object] = error
        kind, described = self._query.kind, _Described()
        if symbols and kind == "variables":
            names = {name for symbol in symbols for name in _linker_names(symbol)}
            described = _described(code_object, sorted(names), searched)
        for symbol in symbols:
            address = symbol.address + code_object.load_address
            for linked, name in zip(_linker_names(symbol), _shown_names(symbol), strict=False):
                if self._is_named_so(name) and _is_undescribed(
                    code_object, symbol, linked, kind, described
                ):
                    yield UndescribedSymbol(address, name, symbol)

    def _matches(self, symbol: Symbol, searched: SearchedNames) -> bool:
        name = symbol.name
        if not symbol.is_in_section or not name or name.startswith(".") or symbol.is_mark:
            return False
        if not name.startswith("_Z"):
            searched.spend_symbol()
        elif mangled_lacks(f"{name}{_CLONE}" if "." in name else name, self._words):
            searched.spend(LEFT_OUT)
            return False
        else:
            searched.spend(cost_of_mangled(len(name)))
        if self._query.name is None:
            return True
        shown = _shown_names(symbol)
        searched.spend_spelled(shown[0], 0 if name.startswith("_Z") else FREE_CHARACTERS)
        return any(map(self._is_named_so, shown))

    def _is_named_so(self, name: str) -> bool:
        return self._query.name is None or self._query.name.search(name)


def _of_source(row: ListedSymbol) -> ListedSymbol:
    """Return the bounds that gnat describes beside an unconstrained array (`exp_dbug.ads`) under
    the name of the array, which is listed once."""
    if row.name.endswith(_BOUNDS) and row.unit.style == "ada":
        return row._replace(name=row.name.removesuffix(_BOUNDS))
    return row


def _type(die: Die) -> Type | None:
    die = followed(die)
    types = types_of(die.unit)
    if die.tag == dw.TAG_SUBPROGRAM:
        described = with_parameters(die)
        kind = types.function_type(described)
        parameters = passed_parameters(die, described, kind.parameters)
        return Function(types.type_of(die), parameters, kind.is_prototyped, kind.is_variadic)
    is_object = die.tag in _OBJECTS
    return types.type_of(die) or NO_TYPE if is_object else types.build(die)


def _type_text(row: ListedSymbol) -> str:
    try:
        return type_name(_type(row.die), cplusplus=row.die.unit.is_cplusplus)
    except DwarfGpuError:
        return ""


def symbol_text(row: ListedSymbol) -> str:
    """Return `static int leaf(struct node *, int);`, `struct node;` or `typedef struct outer
    outer_t;`."""
    if row.die.tag in (dw.TAG_NAMESPACE, dw.TAG_MODULE):
        return row.name
    if row.die.tag == dw.TAG_IMPORTED_DECLARATION and not is_variable_alias(row.die):
        return qualified_name(followed(row.die))  # of a namespace
    try:
        return _definition(row, _type(row.die))
    except DwarfGpuError as error:
        return f"{row.name}; <error: {error.message}>"


def _definition(row: ListedSymbol, type_: Type | None) -> str:
    cplusplus = row.die.unit.is_cplusplus or row.die.unit.language == dw.LANG_GO  # no `struct`
    if row.die.unit.style == "fortran":
        return _definition_of_fortran(row, type_)
    if row.die.unit.style == "ada":
        return _definition_of_ada(row, type_)
    static = "static " if row.is_static else ""
    match type_:
        case _ if row.die.tag in _OBJECTS or is_variable_alias(row.die):
            text = declaration(type_, row.name, cplusplus=cplusplus, has_unnamed_bodies=True)
            return f"{static}{text};"
        case Function() if row.die.tag == dw.TAG_SUBPROGRAM:
            # `main.(*T).get` of Go has none.
            has_parameters = row.die.unit.is_cplusplus and "(" in row.name
            result_type = type_.result if has_parameters else type_
            return f"{static}{declaration(result_type, row.name, cplusplus=cplusplus)};"
        case Typedef():
            target = _without_names(without_typedefs(type_.target), row.name)
            return f"typedef {type_name(target, cplusplus=cplusplus)} {row.name};"
        case Struct() | Enum():
            return f"{type_name(type_, cplusplus=cplusplus)};"
        case _:
            return type_name(type_, cplusplus=cplusplus)


def _without_names(type_: Type | None, own_name: str) -> Type | None:
    """Return the type that has a name without the names of pointers, as `*main.T` of Go; what it
    points to keeps its name if it points to itself."""
    levels = list[Pointer]()
    while isinstance(type_, Pointer) and type_.own_name is not None and len(levels) < MAX_CHAIN:
        bare = without_own_name(type_)
        if bare is type_ and type_.own_name == own_name and not levels:
            return evolve(type_, own_name=None)
        if bare is type_ or not isinstance(bare, Pointer):
            type_ = bare
            break
        levels.append(bare)
        type_ = bare.target
    for bare in reversed(levels):
        type_ = evolve(bare, target=type_)
    return type_


def _definition_of_ada(row: ListedSymbol, type_: Type | None) -> str:
    """Return `static pk.total: integer;`, `function pk.twice (a1: integer) return integer;` or
    `pk.vec;`."""
    spelled = ada_name(type_)
    if row.die.tag in TYPES:
        return f"{spelled}{'' if row.line is None else ';'}"
    from dwarfgpu.dwarf.names.ada_names import ada_function, ada_object  # few programs are of Ada

    if isinstance(type_, Function) and row.die.tag == dw.TAG_SUBPROGRAM:
        word, _, parameters = spelled.partition(" ")
        return f"{word} {ada_function(row.name)}{parameters and f' {parameters}'};"
    return f"{'static ' if row.is_static else ''}{ada_object(row.name)}: {spelled};"


def _definition_of_fortran(row: ListedSymbol, type_: Type | None) -> str:
    """Return `integer(kind=4) m::f(Type pt);`, `real(kind=4) m::table(3);` or `Type pt;`."""
    spelled = fortran_name(type_)
    if isinstance(type_, Function) and row.die.tag == dw.TAG_SUBPROGRAM:
        parameters = ", ".join(map(fortran_name, type_.parameters)) or "void"
        return f"{fortran_name(type_.result)} {row.name}({parameters});"
    if row.die.tag in _OBJECTS:
        element, is_array, dimensions = spelled.rpartition(" (")
        if is_array and not spelled.startswith(("PTR", "REF")):
            return f"{element} {row.name}({dimensions};"
        return f"{spelled} {row.name};"
    return f"{spelled};" if isinstance(type_, Struct | Enum) else spelled


def _linker_names(symbol: Symbol) -> tuple[str, ...]:
    """Return the names under which a symbol is listed, as a linker has them: as in GDB, that of a
    version, `f@@V2`, also without it."""
    return tuple(dict.fromkeys((symbol.name, unversioned(symbol.name))))


def _shown_names(symbol: Symbol) -> tuple[str, ...]:
    """Return these names as they are shown: `std::cout@GLIBCXX_3.4`, `f() [clone .cold]`."""
    name = unnumbered(symbol)
    bare = unversioned(name)
    shown = demangled_clone(bare) or demangled(bare) or bare
    return tuple(dict.fromkeys((f"{shown}{name[len(bare) :]}", shown)))


class _Described(NamedTuple):
    """The names of variables that entries describe."""

    defined: Set[str] = frozenset()
    declared: Set[str] = frozenset()
    """Those of declarations: `extern FILE *stdout;`."""


def _described(
    code_object: CodeObject, linker_names: list[str], searched: SearchedNames
) -> _Described:
    """Return the names of variables that entries describe, of those with these linker names at
    least; as they are typed where they have no linker name."""
    defined, declared = set[str](), set[str]()
    typed = [shown.rpartition("::")[2] for shown in map(demangled, linker_names) if shown]
    texts = list(map(name_beginning, (*linker_names, *typed)))
    units = code_object.info.strings.units(*texts) if len(texts) <= _FEW_SYMBOLS else None
    for symbol in listed_symbols(
        code_object.info, "variables", units=units, only_defined=False, searched=searched
    ):
        names = defined if is_definition(symbol.die) else declared
        names.add(symbol.die.linkage_name or symbol.name)
    return _Described(defined, declared)


def _is_undescribed(
    code_object: CodeObject, symbol: Symbol, linked: str, kind: Kind, described: _Described
) -> bool:
    """Return whether no entry describes a symbol under one of its linker names. A declaration
    describes it under that without its version: it is listed under the other then."""
    is_code = symbol.kind == "function" or code_object.file.is_code(symbol.address)
    if is_code != (kind == "functions"):
        return False
    if kind == "variables":
        names = {linked, demangled(linked)}
        is_declared = linked != symbol.name and not described.declared.isdisjoint(names)
        return not is_declared and described.defined.isdisjoint(names)
    try:
        address = symbol.address + code_object.load_address
        return code_object.scopes.linked_unit_at(address) is None
    except DwarfGpuError:
        return True
