"""`info functions`, `info variables` and `info types`, sorted and headed as in GDB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.base.regexp import Regexp
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.demangle import demangled
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import with_parameters
from dwarfgpu.dwarf.scope.symbol_list import Kind, ListedSymbol, listed_symbols
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Enum, Function, Struct, Type, Typedef, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.symbols import Symbol
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.regexps import compiled, listing_options
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.type_text import declaration

_COPY: Final = re.compile(r"(?<=[a-z0-9_])\.[0-9]+$")
"""What compilers add to the names of variables of functions."""

_FEW_SYMBOLS: Final = 32
"""Maximum number of symbols for which to search the units that mention them."""
_LISTED: Final = completion.with_options(("-n", "-q", "-t"), completion.values)


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


@command("info functions", topic="data", aliases=("fun",), complete=_LISTED)
def info_functions(shell: Shell, argument: str) -> Iterator[Part]:
    """List functions: all, or those whose names match.

    Usage: info functions [-q] [-n] [-t TYPEREGEXP] [REGEXP]

    -n omits functions that are only in the symbol table, -t those whose type does not match, -q the
    title. REGEXP is basic: "a\\|b", "^ma", "x$".
    """
    yield from _listing(shell, _query_of("functions", argument))


@command("info variables", topic="data", aliases=("var",), complete=_LISTED)
def info_variables(shell: Shell, argument: str) -> Iterator[Part]:
    """List global and static variables: all, or those that match.

    Usage: info variables [-q] [-n] [-t TYPEREGEXP] [REGEXP]

    The arguments are those of "info functions".
    """
    yield from _listing(shell, _query_of("variables", argument))


@command("info types", topic="data", complete=_LISTED)
def info_types(shell: Shell, argument: str) -> Iterator[Part]:
    """List types: all, or those whose names match.

    Usage: info types [-q] [REGEXP]
    """
    yield from _listing(shell, _query_of("types", argument))


def _query_of(kind: Kind, argument: str) -> SymbolQuery:
    letters, typed, text = listing_options(argument)
    return SymbolQuery(
        kind,
        compiled(text) if text else None,
        None if typed is None else compiled(typed),
        "q" in letters,
        "n" not in letters and typed is None and kind != "types",
        _title(kind, text, typed),
    )


def _title(kind: Kind, text: str, typed: str | None) -> str:
    if text and typed:
        matching = f'matching regular expression "{text}"'
        return f'All {kind} {matching} with type matching regular expression "{typed}":'
    if text:
        return f'All {kind} matching regular expression "{text}":'
    if typed:
        return f'All defined {kind} with type matching regular expression "{typed}" :'
    return f"All defined {kind}:"


def _listing(shell: Shell, query: SymbolQuery) -> Iterator[Part]:
    """Yield the symbols with the keys of GDB's machine interface: by file, then those without
    one."""
    yield Output("" if query.is_quiet else query.text, {"debug": [], "nondebug": []})
    rows = sorted(_rows(shell, query), key=lambda row: (row.file, row.is_static, row.name))
    for file, group in groupby(rows, key=lambda row: row.file):
        yield heading(f"\nFile {file}:")
        of_file = Group("debug", {"filename": file})
        listed_keys: set[tuple[str, bool, str]] = set()
        for row in group:
            # GDB lists a name once, too; instances of a template have one with several types.
            key = row.name, row.is_static, _text(row) if row.is_of_nameless else ""
            if key not in listed_keys:
                listed_keys.add(key)
                text = _text(row)
                line = f"{f'{row.line}:' if row.line else ''}\t{text}"
                data: JsonObject = {"line": row.line, "name": row.name, "description": text}
                yield NestedOutput(of_file, Output(line, data, "symbols"))
    undescribed = list(_others(shell, query)) if query.has_others else []
    if undescribed and not query.is_quiet:
        yield heading("\nNon-debugging symbols:")
    digits = shell.session.architecture.address_bits // 4
    for address, name in undescribed:
        at = f"{address:#0{digits + 2}x}"
        yield Output(f"{at}  {name}", {"address": at, "name": name}, "nondebug")


def _rows(shell: Shell, query: SymbolQuery) -> Iterator[ListedSymbol]:
    for code_object in shell.session.code_objects:
        for symbol in listed_symbols(code_object.info, query.kind, query.name):
            if query.type is None or query.type.search(_type_text(symbol)):
                yield symbol


# The listed text of each symbol


def _type(die: Die) -> Type | None:
    types = types_of(die.unit)
    if die.tag == dw.TAG_SUBPROGRAM:
        kind = types.build(with_parameters(die))
        assert isinstance(kind, Function)
        return Function(types.type_of(die), kind.parameters, kind.is_prototyped, kind.is_variadic)
    return types.type_of(die) if die.tag == dw.TAG_VARIABLE else types.build(die)


def _type_text(row: ListedSymbol) -> str:
    try:
        return type_name(_type(row.die), cplusplus=row.die.unit.is_cplusplus)
    except DwarfGpuError:
        return ""


def _text(row: ListedSymbol) -> str:
    """`static int leaf(struct node *, int);`, `struct node;`, `typedef struct outer outer_t;`."""
    if row.die.tag == dw.TAG_NAMESPACE:
        return row.name
    try:
        return _definition(row, _type(row.die))
    except DwarfGpuError as error:
        return f"{row.name}; <error: {error.message}>"


def _definition(row: ListedSymbol, kind: Type | None) -> str:
    cplusplus = row.die.unit.is_cplusplus
    static = "static " if row.is_static else ""
    match kind:
        case _ if row.die.tag == dw.TAG_VARIABLE:
            return f"{static}{declaration(kind, row.name, cplusplus=cplusplus)};"
        case Function() if row.die.tag == dw.TAG_SUBPROGRAM:
            whole = kind.result if "(" in row.name else kind
            return f"{static}{declaration(whole, row.name, cplusplus=cplusplus)};"
        case Typedef():
            return f"typedef {type_name(_target(kind), cplusplus=cplusplus)} {row.name};"
        case Struct() | Enum():
            return f"{type_name(kind, cplusplus=cplusplus)};"
        case _:
            return type_name(kind, cplusplus=cplusplus)


def _target(kind: Typedef) -> Type | None:
    """Return the target of a typedef, through further typedefs."""
    strip(kind)  # raises for a cycle
    target = kind.target
    while isinstance(target, Typedef):
        target = target.target
    return target


# Symbols that no unit describes


def _others(shell: Shell, query: SymbolQuery) -> Iterator[tuple[int, str]]:
    symbols_found: set[tuple[int, str]] = set()
    for code_object in shell.session.code_objects:
        symbols = [symbol for symbol in code_object.file.symbols if _matches(symbol, query)]
        described = frozenset[str]()
        if symbols and query.kind == "variables":
            described = _described(code_object, [symbol.name for symbol in symbols])
        for symbol in symbols:
            if _is_undescribed(code_object, symbol, query.kind, described):
                symbols_found.add((symbol.address + code_object.load_address, _shown_name(symbol)))
    yield from sorted(symbols_found)


def _matches(symbol: Symbol, query: SymbolQuery) -> bool:
    if not symbol.is_in_section or not symbol.name or symbol.name.startswith("."):
        return False
    return query.name is None or query.name.search(_shown_name(symbol))


def _shown_name(symbol: Symbol) -> str:
    return demangled(symbol.name) or _COPY.sub("", symbol.name)


def _described(code_object: CodeObject, linker_names: list[str]) -> frozenset[str]:
    """The names of variables for the linker that entries describe, of these at least."""
    names: set[str] = set()
    texts = [f"{name}\0".encode("utf-8", "surrogateescape") for name in linker_names]
    units = code_object.info.strings.units(*texts) if len(texts) <= _FEW_SYMBOLS else None
    for symbol in listed_symbols(code_object.info, "variables", units=units):
        holder = symbol.die.holder(dw.AT_LINKAGE_NAME)
        linked = None if holder is None else holder.string(dw.AT_LINKAGE_NAME)
        names.add(linked or symbol.name)
    return frozenset(names)


def _is_undescribed(
    code_object: CodeObject, symbol: Symbol, kind: Kind, described: frozenset[str]
) -> bool:
    is_code = symbol.kind == "function" or code_object.file.is_code(symbol.address)
    if is_code != (kind == "functions"):
        return False
    if kind == "variables":
        return symbol.name not in described
    try:
        at = symbol.address + code_object.load_address
        return code_object.scopes.linked_unit_at(at) is None
    except DwarfGpuError:
        return True
