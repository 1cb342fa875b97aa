"""`info functions`, `info variables`, `info types`, `info modules` and `info module`, in the order
of GDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from os.path import normpath
from typing import TYPE_CHECKING, Final

from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command, subcommand_list
from dwarfgpu.repl.files.posix_regexps import compiled, listing_expressions, listing_options
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.error_text import error_line
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.listed_symbol import Kind, ListedSymbol
    from dwarfgpu.service.symbol.symbol_listing import SymbolQuery, SymbolSearch

_WITH_SYMBOLS: Final = ("functions", "variables")
"""Kinds that are in symbol tables, too."""
_LISTED: Final = completion.with_options(("-n", "-q", "-t"), completion.VALUES)


@command("info functions", topic="data", aliases=("fun",), complete=_LISTED)
def info_functions(shell: Shell, argument: str) -> Iterator[Part]:
    """List functions: all, or those whose names match.

    Usage: info functions [-q] [-n] [-t TYPEREGEXP] [REGEXP]

    -n omits functions that are only in the symbol table, -q omits the title. -t lists only
    functions whose type matches. REGEXP is basic: "a\\|b", "^ma", "x$".
    """
    yield from _listing(shell, _query_of(shell, "functions", argument))


@command("info variables", topic="data", aliases=("var",), complete=_LISTED)
def info_variables(shell: Shell, argument: str) -> Iterator[Part]:
    """List global and static variables: all, or those that match.

    Usage: info variables [-q] [-n] [-t TYPEREGEXP] [REGEXP]

    The arguments are those of "info functions".
    """
    yield from _listing(shell, _query_of(shell, "variables", argument))


@command("info types", topic="data", complete=_LISTED)
def info_types(shell: Shell, argument: str) -> Iterator[Part]:
    """List types: all, or those whose names match.

    Usage: info types [-q] [REGEXP]
    """
    yield from _listing(shell, _query_of(shell, "types", argument))


@command("info modules", topic="data", complete=_LISTED)
def info_modules(shell: Shell, argument: str) -> Iterator[Part]:
    """List modules of Fortran: all, or those whose names match.

    Usage: info modules [-q] [REGEXP]
    """
    yield from _listing(shell, _query_of(shell, "modules", argument))


_IN_MODULES: Final = completion.with_options(("-m", "-q", "-t"), completion.VALUES)


@command("info module functions", topic="data", complete=_IN_MODULES)
def module_functions(shell: Shell, argument: str) -> Iterator[Part]:
    """List the functions of modules of Fortran, by module.

    Usage: info module functions [-q] [-m MODREGEXP] [-t TYPEREGEXP] [REGEXP]

    -m lists only those of modules whose names match, -t those whose type matches. -q omits the
    title.
    """
    yield from _by_module(shell, "functions", argument)


@command("info module variables", topic="data", complete=_IN_MODULES)
def module_variables(shell: Shell, argument: str) -> Iterator[Part]:
    """List the variables of modules of Fortran, by module.

    Usage: info module variables [-q] [-m MODREGEXP] [-t TYPEREGEXP] [REGEXP]

    The arguments are those of "info module functions".
    """
    yield from _by_module(shell, "variables", argument)


@command("info module", topic="data", subcommands=(module_functions, module_variables))
def info_module(shell: Shell, argument: str) -> Iterator[Part]:
    """List functions or variables of Fortran by module.

    Usage: info module functions|variables [-q] [-m MODREGEXP] [-t TYPEREGEXP] [REGEXP]
    """
    yield from subcommand_list("info module", (module_functions, module_variables))


def note_limits(shell: Shell, search: SymbolSearch) -> None:
    """Say in what files a search was incomplete, and why."""
    for code_object, error in search.limits.items():
        of_file = f"{code_object.file.path}: " if len(shell.session.code_objects) > 1 else ""
        shell.console.note(f"{of_file}{error_line(error)}")


def _query_of(shell: Shell, kind: Kind, argument: str) -> SymbolQuery:
    from dwarfgpu.service.symbol.symbol_listing import SymbolQuery  # few sessions list symbols

    letters, typed, text = listing_options(argument, "qnt" if kind in _WITH_SYMBOLS else "q")
    return SymbolQuery(
        kind,
        compiled(text, ignores_case=shell.ignores_case) if text else None,
        None if typed is None else compiled(typed, ignores_case=shell.ignores_case),
        "q" in letters,
        "n" not in letters and typed is None and kind in _WITH_SYMBOLS,
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


def _by_title(symbols: Iterable[ListedSymbol]) -> dict[tuple[str, bool], list[ListedSymbol]]:
    """Return the symbols of each file under the name that is shown. It is the written one, unless
    units have several for one file: those of a library have their own ways to a header, as
    `csu/../bits/types.h`."""
    rows: dict[tuple[str, bool], list[ListedSymbol]] = {}
    for row in symbols:
        rows.setdefault((row.file, row.is_static), []).append(row)
    written: dict[str, set[str]] = {}
    for file, _ in rows:
        written.setdefault(normpath(file), set()).add(file)
    titled: dict[tuple[str, bool], list[ListedSymbol]] = {}
    for file, is_static in tuple(rows):
        normal = normpath(file)
        title = file if len(written[normal]) == 1 else normal
        titled.setdefault((title, is_static), []).extend(rows.pop((file, is_static)))
    return titled


def _order(row: ListedSymbol) -> tuple[str, bool]:
    """Return the key of a symbol in its file: of one name, GDB finds the types of type units before
    the typedefs of C."""
    return row.name, not row.unit.header.is_type_unit


def _by_file(rows: dict[tuple[str, bool], list[ListedSymbol]], list_of: str) -> Iterator[Part]:
    """Yield the symbols of each file; `list_of`: the list of the files."""
    from dwarfgpu.service.symbol.symbol_listing import symbol_text

    for file, keys in groupby(sorted(rows), key=itemgetter(0)):
        if file:  # type units have no name; GDB lists what has no file first, without a title
            yield heading(f"\nFile {file}:")
        of_file = Group(list_of, {"filename": file})
        last, listed_keys = None, set[str]()
        for row in chain.from_iterable(sorted(rows.pop(key), key=_order) for key in keys):
            # GDB lists a name once, too; overloads of D, and instances of a template, share one.
            if (row.name, row.is_static) != last:
                last, listed_keys = (row.name, row.is_static), set()
            key = symbol_text(row) if row.is_of_nameless or row.is_overloadable else ""
            if key not in listed_keys:
                listed_keys.add(key)
                text = key or symbol_text(row)
                line = f"{f'{row.line}:' if row.line else ''}\t{text}"
                data: JsonObject = {"line": row.line, "name": row.name, "description": text}
                yield NestedOutput(of_file, Output(line, data, "symbols"))


def _listing(shell: Shell, query: SymbolQuery) -> Iterator[Part]:
    """Yield the symbols with the keys of GDB's machine interface: by file, then those without
    one."""
    from dwarfgpu.service.symbol.symbol_listing import SymbolSearch

    yield Output("" if query.is_quiet else query.text, {"debug": [], "nondebug": []})
    search = SymbolSearch(shell.session, query)
    rows = _by_title(search.described())
    yield from _by_file(rows, "debug")
    undescribed = list[tuple[int, str]]()
    if query.has_others:
        symbols = ((item.address, item.name) for item in search.undescribed())
        undescribed = sorted(chain(symbols, search.linkage_entries()))
    if undescribed and not query.is_quiet:
        yield heading("\nNon-debugging symbols:")
    digits = shell.session.architecture.address_bits // 4
    for address, name in undescribed:
        address_text = f"{address:#0{digits + 2}x}"
        yield Output(f"{address_text}  {name}", {"address": address_text, "name": name}, "nondebug")
    note_limits(shell, search)
    _note_problems(shell, search)


def _note_problems(shell: Shell, search: SymbolSearch) -> None:
    """Say how many entries cannot be read, and why."""
    if problems := search.problems:
        what = "entry of the kind" if len(problems) == 1 else "entries of the kind"
        first = "" if len(problems) == 1 else "the first: "
        text = f"{len(problems)} {what} cannot be read; {first}{error_line(problems[0])}"
        shell.console.note(text)


def _by_module(shell: Shell, kind: Kind, argument: str) -> Iterator[Part]:
    """Yield the symbols of modules by module, each by file."""
    from dwarfgpu.service.symbol.symbol_listing import SymbolSearch

    letters, expressions, text = listing_expressions(argument, "mqt")
    typed, of_module = expressions.get("t"), expressions.get("m")
    title = _title_of_modules(kind, text, typed, of_module)
    yield Output("" if "q" in letters else title, {"modules": []})
    modules = SymbolSearch(shell.session, _query(shell, "modules", of_module, None))
    search = SymbolSearch(shell.session, _query(shell, kind, text, typed))
    named = sorted(modules.described(), key=lambda row: (row.file, row.name))
    rows: dict[str, list[ListedSymbol]] = {row.name: [] for row in named}
    for row in search.described() if rows else ():
        outermost, separator, _ = row.name.partition("::")
        if separator and outermost in rows:
            rows[outermost].append(row)
    for name, symbols in rows.items():
        if symbols:
            group = Group("modules", {"module": name})
            yield NestedOutput(group, heading(f'\nModule "{name}":'))
            for part in _by_file(_by_title(symbols), "files"):
                yield NestedOutput(group, part)
    note_limits(shell, search)
    _note_problems(shell, search)


def _query(shell: Shell, kind: Kind, text: str | None, typed: str | None) -> SymbolQuery:
    from dwarfgpu.service.symbol.symbol_listing import SymbolQuery  # few sessions list symbols

    name, of_type = (
        compiled(expression, ignores_case=shell.ignores_case) if expression else None
        for expression in (text, typed)
    )
    return SymbolQuery(kind, name, of_type, has_others=False)


def _title_of_modules(kind: Kind, text: str, typed: str | None, of_module: str | None) -> str:
    conditions = [f'matching regular expression "{text}"'] if text else []
    conditions += [f'with type matching regular expression "{typed}"'] if typed else []
    if of_module is not None:
        conditions.append(f'in all modules matching regular expression "{of_module}"')
    listed = ",\n\t".join(conditions)
    end = " in all modules" if of_module is None else ""
    return f"All {kind}{' ' if listed else ''}{listed}{end}:"
