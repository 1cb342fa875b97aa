"""Program locations as users write them: `LINE`, `FILE:LINE`, `FUNCTION`, `FILE:FUNCTION`,
`FUNCTION+OFFSET`, `*ADDRESS`, `+COUNT`, `-COUNT`.

Both front ends use it: the commands of the command line that take an address, and the prompt.

Law: which functions a name denotes depends only on the files and the frame in focus, so that a name
is looked up once for a focused frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final
from weakref import WeakKeyDictionary

from dwarfgpu import language
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.line_lookup import is_of_file
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.names.function_paths import (
    has_whole_scopes,
    is_full_name,
    is_in_same_scopes,
    qualifiers_of,
)
from dwarfgpu.dwarf.scope.functions_by_name import (
    FunctionSymbol,
    NamedFunction,
    function_symbols,
    functions_named,
    has_types,
    in_all_files,
)
from dwarfgpu.dwarf.scope.scope_entries import decl_file, decl_line
from dwarfgpu.dwarf.scope.symbols_by_name import d_symbols, demangled_symbol, function_at
from dwarfgpu.dwarf.types.types import Function, strip
from dwarfgpu.errors import DwarfGpuError, EvaluationError, Malformed, Unsupported, UsageError
from dwarfgpu.language.addresses import address_of
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.explicit_location import (
    IN_FILE,
    LINE,
    explicit_location,
    has_open_quote,
    in_file_text,
    label_linespec,
    unquoted,
)
from dwarfgpu.language.function_locations import (
    CodeLocation,
    location_of_function,
    location_of_symbol,
)
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.source_lines import (
    has_file,
    has_units,
    line_lookups,
    pcs_by_position,
    pcs_of,
    position_at,
    searched_files,
    step_at,
)
from dwarfgpu.language.syntax.words import PATHS, RAW
from dwarfgpu.language.untyped_symbols import INDIRECT, TEXT
from dwarfgpu.session.focused_frame import FocusedFrame, FramePosition, position_in_file
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import functions_at, readable_functions_at

NO_SYMBOL_TABLE: Final = 'No symbol table is loaded.  Use the "file" command.'
"""GDB's answer to any name without a program."""
NUMBER: Final = pattern(r"[0-9]{1,40}")
_ZERO_OFFSETS: Final = {"+": 5, "-": -15}
"""The offsets, in lines, as which GDB reads an offset of 0, by its sign."""
_UNFINISHED: Final = pattern(r"(?P<file>[^:]*[^:\s])\s*:\s*")
_IN_FUNCTION: Final = pattern(
    r"(?P<function>.*[\w)>])\s*\+\s*(?P<offset>0[xX][0-9a-fA-F]{1,16}|[0-9]{1,9})"
)
_NAMES_ONLY: Final = Options(
    read_only="assignments are not possible in the name of a function", is_closed=True
)
_OPERATOR_COMMA: Final = pattern(r"\boperator\s*$")
"""Before a comma that is the name of an operator."""
_JUNK: Final = pattern(r"(?:[-+]?[0-9]+|[-+])(?:\s*(?=,)|\s+)(?P<rest>\S.*)")
_QUOTED: Final = r"(?:'[^']*'|\"[^\"]*\")"
_TAGGED: Final = pattern(r"(?:class|enum|struct|union)\s")
_KEYWORD: Final = pattern(
    rf"(?P<before>{_QUOTED}?+(?>::|:\s*{_QUOTED}?|\([^()]*\)|[^:])*?)"
    rf"(?:(?<=['\"])\s*|(?<=\S)\s+)"
    r"(?P<rest>(?:if|thread|task)\s+\S.*|-force-condition(?:\s.*)?)"
)
"""A word of `break` behind a location; names of files and functions in quotes may have such words.
As in GDB, only a quote before all of such a name begins it: a further one is a character of it."""

_MAX_KEPT: Final = 1_000
"""Names, with the functions that they denote."""


class LinespecNotFound(UsageError):
    """A well-formed location that no loaded file has: code that is loaded later may have it."""

    @property
    def kind(self) -> str:
        return UsageError.__name__


_KNOWN: Final[WeakKeyDictionary[FocusedFrame, dict[str, tuple[CodeLocation, ...]]]] = (
    WeakKeyDictionary()
)


def code_location_of(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> CodeLocation:
    """Return the first of `code_locations_of`, with the code of all of them."""
    first, *further = code_locations_of(session, text, around, options)
    return evolve(first, pcs=(*first.pcs, *(pc for location in further for pc in location.pcs)))


def code_locations_of(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> tuple[CodeLocation, ...]:
    """Return the locations of a text: several for overloaded and inlined functions; a line alone is
    in the file of `around`, an offset counts from its line.

    `options` are those of the expression of `*ADDRESS`. `UsageError` with GDB's wording.
    """
    text = without_quotes(text)
    if text.isidentifier():  # nearly all are, and no other linespec is
        return _locations_of_functions(session, text) or _locations_of_name(session, text)
    _require_matched_quotes(text)
    if RAW in text:
        text = _without_raw(session, text)
    if text.startswith(PATHS):
        from dwarfgpu.language.name_resolution import Names  # few linespecs

        path = Names(session).spelled(text).removeprefix("::")
        return _with_all_scopes(_locations_of_linespec(session, path, around, options), path)
    explicit = explicit_location(text)
    if explicit is None:
        return _locations_of_linespec(session, text, around, options)
    source, name = explicit.source, explicit.function
    if source is not None and not has_file(session, source):
        raise no_source(source)
    if name is not None and (IN_FILE.fullmatch(name) or LINE.fullmatch(name)):
        raise LinespecNotFound(f'Function "{name}" not defined.')
    if name is not None and source is not None:
        name = in_file_text(source, name)
    if explicit.label is not None:
        return _locations_of_label(session, name, explicit.label)
    if name is None and explicit.line is not None:
        name = explicit.line if source is None else in_file_text(source, explicit.line)
    locations = _locations_of_linespec(session, name or explicit.linespec or "", around, options)
    if explicit.function is not None and locations[0].kind == "label":
        in_source = "" if source is None else f' in "{source}"'
        shown = _shown(session, explicit.function)
        raise LinespecNotFound(f'Function "{shown}" not defined{in_source}.')
    if not explicit.is_qualified:
        return locations
    written = explicit.function or explicit.linespec or ""
    in_file = IN_FILE.fullmatch(written)
    function = unquoted(written if in_file is None else in_file["inside"])
    full = [
        location
        for location in locations
        if location.kind != "function"
        or location.is_of_class
        or is_full_name(location.name or function, function)
    ]
    if not full:
        raise LinespecNotFound(f'Function "{_shown(session, written)}" not defined.')
    return tuple(full)


def nearest(session: Session, locations: Sequence[CodeLocation]) -> tuple[CodeLocation, ...]:
    """Return the functions of the unit in focus, which are meant by a command that uses one of
    several, as by an expression; all locations where the unit has none of them."""
    try:
        unit = session.unit
    except DwarfGpuError:
        return (*locations,)

    of_unit = tuple(location for location in locations if location.unit == unit)
    return of_unit or (*locations,)


def _with_all_scopes(locations: tuple[CodeLocation, ...], path: str) -> tuple[CodeLocation, ...]:
    """Return the locations of functions that are in no scopes but those of a path."""
    whole = tuple(
        location
        for location in locations
        if not location.is_described
        or location.is_of_class
        or is_in_same_scopes(location.name or path, path)
    )
    if not whole:
        raise LinespecNotFound(f'Function "{path}" not defined.')
    return whole


def _require_matched_quotes(text: str) -> None:
    in_file = IN_FILE.fullmatch(text)
    for name in (text,) if in_file is None else (text, in_file["inside"]):
        if has_open_quote(name):
            raise UsageError("unmatched quote")


def _locations_of_linespec(
    session: Session, text: str, around: FramePosition | None, options: Options
) -> tuple[CodeLocation, ...]:
    if text.startswith(":") and not text.startswith("::"):
        raise UsageError("malformed linespec error: unexpected colon")
    if text.startswith("*"):
        if not text[1:].strip():
            raise UsageError("Argument required (expression to compute).")
        space, pc = address_of(session, options, ObjectAccess(session), text[1:])
        if space is not session.architecture.address_space(0):
            raise UsageError(f"{space}#{pc:#x} is not an address of code")
        step = step_at(session, pc)
        return (CodeLocation("address", None if step is None else step.position, (pc,)),)
    keyword = _KEYWORD.fullmatch(text)
    if keyword is not None:
        before = without_quotes(keyword["before"])
        _locations_of_linespec(session, before, around, options)
        raise UsageError(f"Junk at end of line specification: {keyword['rest']}")
    location = _line_in_file(text)
    if location is not None:
        lines = pcs_by_position(session, *location)
        if not lines and has_file(session, location[0]):  # of a unit without a line table
            raise LinespecNotFound(f'No line {location[1]} in file "{location[0]}".')
        if not lines:
            raise _no_file(session, location[0])
        return tuple(CodeLocation("line", position, pcs) for position, pcs in lines)
    if LINE.fullmatch(text):
        if around is None and has_units(session):
            raise UsageError(f"No default source file: write FILE:{text}.")
        if around is None:
            raise UsageError(NO_SYMBOL_TABLE)
        line = _line_or_offset(text) + (0 if NUMBER.fullmatch(text) else around.line)
        position = position_in_file(around.source, line, is_start=True)
        return (CodeLocation("line", position, pcs_of(session, position)),)
    junk = _JUNK.fullmatch(text)
    if junk is not None:
        raise _unexpected(junk["rest"])
    in_file = IN_FILE.fullmatch(text)
    junk = None if in_file is None else _JUNK.fullmatch(in_file["inside"])
    if in_file is not None and junk is not None:
        path = in_file["file"].strip("'\"")
        is_known = junk["rest"].startswith(",") or has_file(session, path)
        raise _unexpected(junk["rest"]) if is_known else _no_file(session, path)
    unfinished = _UNFINISHED.fullmatch(text)
    if unfinished is not None:
        name = unfinished["file"]
        if has_file(session, name) or functions_of(session, name):
            raise UsageError("malformed linespec error: unexpected end of input")
        raise _no_file(session, name)
    function = text if in_file is None else in_file["inside"]
    if _TAGGED.match(unquoted(function)) is not None:  # a type, which is no function
        in_source = "" if in_file is None else f' in "{unquoted(in_file["file"])}"'
        raise LinespecNotFound(f'Function "{unquoted(function)}" not defined{in_source}.')
    labelled = label_linespec(text)
    if labelled is not None and not has_file(session, labelled[0].strip("'\"")):
        return _locations_of_label(session, *labelled)
    locations = _locations_of_functions(session, text)
    if locations:
        return locations
    inside = _IN_FUNCTION.fullmatch(text)
    if inside is not None:
        return _locations_in_function(session, text, inside["function"], int(inside["offset"], 0))
    before, has_rest, rest = split_at_comma(text)  # in an expression, the rest would be the value
    if has_rest and _locations_of_linespec(session, before, around, options):
        raise _unexpected(f",{rest}")
    return _locations_of_name(session, text)


def _unexpected(rest: str) -> UsageError:
    """Return the error of what follows a line, with GDB's wording."""
    if rest.startswith(","):
        return UsageError(f"Junk at end of line specification: {rest}")
    kind = "number" if NUMBER.fullmatch(rest) else "string"
    return UsageError(f'malformed linespec error: unexpected {kind}, "{rest}"')


def _locations_of_name(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the function that an expression is, or the label of a name in the function in focus:
    as in GDB, functions come first, and a file before the label only has to exist."""
    try:
        return (_location_of_expression(session, text),)
    except LinespecNotFound:
        in_file = IN_FILE.fullmatch(text)
        if in_file is not None and not has_file(session, unquoted(in_file["file"])):
            raise
        name = unquoted(text if in_file is None else in_file["inside"])
        functions = readable_functions_at(session)[:1] if name.isidentifier() else []
        locations = _labels_of(functions, name)
        if not locations:
            raise
        return tuple(evolve(location, is_of_focus=True) for location in locations)


def _location_of_expression(session: Session, text: str) -> CodeLocation:
    """Return the function that the value of an expression is."""
    pc = entry_of(session, text)
    return CodeLocation("function", position_at(session, pc), (pc,))


def without_quotes(text: str) -> str:
    """Return a file with a line or function, or a line, without quotes around all of it; other
    texts as they are."""
    if text[:1] not in ("'", '"') or len(text) < 3 or text.find(text[0], 1) != len(text) - 1:
        return text
    inside = text[1:-1]
    if inside in _ZERO_OFFSETS and text[0] == '"':  # GDB takes it for a function
        return text
    return inside if IN_FILE.fullmatch(inside) or LINE.fullmatch(inside) else text


def split_at_comma(text: str) -> tuple[str, bool, str]:
    """Return the text before the first comma outside brackets and quotes, whether there is such a
    comma, and the text after it."""
    if "," not in text:
        return text.strip(), False, ""
    depth, after_quotes = 0, 0
    for index, character in enumerate(text):
        if index < after_quotes:
            continue
        if character in "'\"":
            after_quotes = text.find(character, index + 1) + 1
        depth += (character in "(<[") - (character in ")>]")
        is_operator = character == "," and _OPERATOR_COMMA.search(text, 0, index) is not None
        if character == "," and depth <= 0 and not is_operator:
            return text[:index].strip(), True, text[index + 1 :].strip()
    return text.strip(), False, ""


def _locations_in_function(
    session: Session, text: str, function: str, offset_bytes: int
) -> tuple[CodeLocation, ...]:
    """Resolve `FUNCTION+OFFSET`: bytes from where the code of a function begins."""
    functions = functions_of(session, function)
    try:
        entries = [function.entry for function in functions] or [entry_of(session, function)]
    except UsageError:
        raise LinespecNotFound(f'Function "{text}" not defined.') from None
    pcs = [entry + offset_bytes for entry in entries]
    return tuple(CodeLocation("address", position_at(session, pc), (pc,)) for pc in pcs)


def _locations_of_label(session: Session, text: str | None, name: str) -> tuple[CodeLocation, ...]:
    """Return where a label is in functions, perhaps with a file; in that of the frame in focus
    without one."""
    if text is None:
        where = "current function"
        functions = functions_at(session)[:1]
    else:
        in_file = IN_FILE.fullmatch(text)
        functions = [item.die for item in functions_of(session, text)]
        file = text if in_file is None else unquoted(in_file["file"])
        if not functions and (in_file is None or not has_file(session, file)):
            raise _no_file(session, file)
        if in_file is not None and not functions:
            raise LinespecNotFound(
                f'Function "{in_file["inside"]}" not defined in "{in_file["file"]}".'
            )
        where = f'function "{text if in_file is None else in_file["inside"]}"'
    locations = _labels_of(functions, name)
    if not locations:
        raise LinespecNotFound(f'No label "{name}" defined in {where}.')
    return locations


def _labels_of(functions: Sequence[Die], name: str) -> tuple[CodeLocation, ...]:
    """Return the labels of a name in functions."""
    from dwarfgpu.dwarf.scope.labels import labels_in  # few linespecs are labels

    locations: list[CodeLocation] = []
    for function in functions:
        for label in labels_in(function):
            file, line = decl_file(label.die), decl_line(label.die)
            if label.name == name and file is not None and line:
                position = position_in_file(file, line, is_start=True)
                inside = full_function_name(function)
                locations.append(CodeLocation("label", position, (label.address,), inside))
    return tuple(locations)


def _locations_of_functions(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the described functions of a name, then those that only a symbol table has: they are
    of no file. They are kept with the frame in focus, which decides the order of the files."""
    kept = _KNOWN.get(session.focused_frame)
    if kept is None:
        kept = _KNOWN[session.focused_frame] = {}
    locations = kept.get(text)
    if locations is None:
        locations = _resolved_functions(session, text)
        if len(kept) >= _MAX_KEPT:
            kept.clear()
        if locations:
            kept[text] = locations
    return locations


def _resolved_functions(session: Session, text: str) -> tuple[CodeLocation, ...]:
    return _functions_with_name(session, text) or tuple(
        evolve(location, is_of_class=True)
        for member in _members(session, text)
        for location in _functions_with_name(session, member)
        if location.name is None or _is_member(location.name, member)
    )


def _members(session: Session, text: str) -> tuple[str, ...]:
    """Return the member functions that the name of a class and one of them mean, with the file of
    the name."""
    in_file = IN_FILE.fullmatch(text)
    name = unquoted(text if in_file is None else in_file["inside"])
    if "::" not in name:
        return ()
    from dwarfgpu.language.member_functions import member_functions  # few names are so
    from dwarfgpu.language.name_resolution import Names

    file = None if in_file is None else unquoted(in_file["file"])
    members = member_functions(Names(session), name, file)
    return members if file is None else tuple(in_file_text(file, member) for member in members)


def _is_member(name: str, text: str) -> bool:
    """Return whether a function is of the class that a text has, perhaps with a file: an inherited
    constructor is shown with the name of the base class, but gcc gives it that of the class."""
    in_file = IN_FILE.fullmatch(text)
    return has_whole_scopes(name, text if in_file is None else in_file["inside"])


def _functions_with_name(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the functions whose own names are meant."""
    functions, symbols = _named_functions(session, text), list[FunctionSymbol]()
    in_file = IN_FILE.fullmatch(text)
    files = () if in_file is not None and functions else searched_files(session)
    name = unquoted(text if in_file is None else in_file["inside"])
    if not functions:
        symbols += in_all_files(function_symbols, files, name)
    for file in files if functions else ():
        with suppress(DwarfGpuError):  # the debugging information has the location
            symbols += function_symbols(file, name)
    if any(has_types(function, name) for function in functions):
        symbols = [symbol for symbol in symbols if has_types(symbol, name)]
    if in_file is not None:
        symbols = [item for item in symbols if _is_entry_in(session, item.entry, in_file["file"])]
    # A described function of the same name at an indirect one is what chooses the function.
    resolvers = {symbol.entry for symbol in symbols if symbol.is_indirect}
    locations = [
        location_of_function(session, function)
        for function in functions
        if function.entry not in resolvers
    ]
    entries = {pc for location in locations for pc in location.pcs}
    for symbol in symbols:
        location = location_of_symbol(session, symbol)
        if entries.isdisjoint(location.pcs):
            entries.update(location.pcs)
            locations.append(location)
    locations = _of_overload(locations, text)
    return (
        tuple(locations)
        or _locations_of_symbol(session, text)
        or _of_symbols_of_d(session, text)
        or _as_the_file_has_it(session, text)
    )


def _of_overload(locations: list[CodeLocation], text: str) -> list[CodeLocation]:
    """Return those of the functions that have what follows the parameters, `f() const`; all if
    nothing is typed there, and no function is without it."""
    in_file = IN_FILE.fullmatch(text)
    typed = qualifiers_of(unquoted(text if in_file is None else in_file["inside"]))
    if typed is None:
        return locations
    exact = [item for item in locations if qualifiers_of(item.name or "") in (None, typed)]
    return exact if exact or typed else locations


def _locations_of_symbol(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the function of a lambda, `f()::{lambda(int)#1}::operator()`: only its symbol has the
    whole name."""
    in_file = IN_FILE.fullmatch(text)
    name = unquoted(text if in_file is None else in_file["inside"])
    symbol = demangled_symbol(session.code_objects, name) if "{lambda" in name else None
    if symbol is None or not symbol.is_code:
        return ()
    if in_file is not None and not _is_entry_in(session, symbol.address, in_file["file"]):
        return ()
    function = function_at(session.code_objects, symbol.address)
    shown = name if function is None else full_function_name(function) or name
    position, pcs = position_at(session, symbol.address), (symbol.address,)
    return (CodeLocation("function", position, pcs, shown, is_described=function is not None),)


def _of_symbols_of_d(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the functions of D whose symbols are shown so, `app.core.S.get()`: entries have no
    parameters."""
    if "." not in text:
        return ()
    linked = d_symbols(session.code_objects, unquoted(text))
    return tuple(location for name in linked for location in _locations_of_functions(session, name))


def _as_the_file_has_it(session: Session, text: str) -> tuple[CodeLocation, ...]:
    """Return the functions of a name in angle brackets in Ada, which any language may define."""
    in_file = IN_FILE.fullmatch(text)
    name = unquoted(text if in_file is None else in_file["inside"])
    if not name.startswith("<"):
        return ()
    from dwarfgpu.dwarf.names.ada_names import verbatim
    from dwarfgpu.language.name_resolution import Names

    as_it_is = verbatim(name) if Names(session).language.is_ada else None
    if as_it_is is None:
        return ()
    file = None if in_file is None else unquoted(in_file["file"])
    return _functions_with_name(session, as_it_is if file is None else in_file_text(file, as_it_is))


def functions_of(session: Session, text: str) -> list[NamedFunction]:
    """Return the described functions of a name, or else those that a class has by it; with a file,
    but without inlined calls."""
    functions = _named_functions(session, text)
    if functions:
        return functions
    return [
        function
        for member in _members(session, text)
        for function in _named_functions(session, member)
        if _is_member(function.name, member)
    ]


def _named_functions(session: Session, text: str) -> list[NamedFunction]:
    """Return those whose own names are meant."""
    in_file = IN_FILE.fullmatch(text)
    name = unquoted(text if in_file is None else in_file["inside"])
    functions: list[NamedFunction] = []
    files = searched_files(session)
    functions += in_all_files(functions_named, files, name)
    if not functions and _is_of_pascal(session):
        from dwarfgpu.language.pascal.names import spelled_in_any_case  # few programs

        for file in files:
            for spelled in spelled_in_any_case(file.info, name):
                named = functions_named(file, spelled)
                functions += [item for item in named if item.die.unit.style == "pascal"]
    if not functions and "(" in name:
        from dwarfgpu.language.name_resolution import Names  # few names have parameters
        from dwarfgpu.language.resolved_parameters import with_resolved_parameters

        resolved = with_resolved_parameters(Names(session), name)
        if resolved is not None:
            functions += in_all_files(functions_named, files, resolved)
    if in_file is None:
        return functions
    return [
        line_step
        for line_step in functions
        if not line_step.is_call and _is_in(line_step.die, in_file["file"].strip("'\""))
    ]


def _without_raw(session: Session, text: str) -> str:
    """Return a location in Rust without the `r#` of raw identifiers."""
    from dwarfgpu.language.name_resolution import Names  # few linespecs
    from dwarfgpu.language.syntax.rust_tokens import without_raw

    return without_raw(text) if Names(session).language.is_rust else text


def _is_of_pascal(session: Session) -> bool:
    from dwarfgpu.language.name_resolution import Names  # most names are those of functions

    return Names(session).language.is_pascal


def _is_in(function: Die, file: str) -> bool:
    """Return whether a function is of a unit that has lines of a file, as in GDB."""
    return is_of_file(function.unit, file)


def _is_entry_in(session: Session, entry: int, file: str) -> bool:
    """Return whether a described function begins at an address, of a unit with lines of a file."""
    function = function_at(session.code_objects, entry)
    return function is not None and _is_in(function, unquoted(file))


def _no_file(session: Session, path: str) -> LinespecNotFound:
    """Return the error that no unit is of a source file, with GDB's wording."""
    return no_source(path) if has_units(session) else LinespecNotFound(NO_SYMBOL_TABLE)


def no_source(path: str) -> LinespecNotFound:
    """Return the error about the file of an explicit location, also without any symbols."""
    return LinespecNotFound(f"No source file named {path}.")


def require_line(text: str, location: CodeLocation) -> None:
    """Raise `LinespecNotFound` for a line before the first one: no later line replaces it."""
    if location.position is not None and location.position.line < 1:
        raise no_line(text, location)


def no_line(text: str, location: CodeLocation) -> LinespecNotFound:
    """Return the error that neither a line nor later lines of its file have code, with
    GDB's wording."""
    text = without_quotes(text)
    named = _line_in_file(text)
    explicit = explicit_location(text)
    if explicit is not None and explicit.source is not None:
        named = explicit.source, 0
    number = "?" if location.position is None else str(location.position.line)
    where = "the current file" if named is None else f'file "{named[0]}"'
    return LinespecNotFound(f"No line {number} in {where}.")


def _line_in_file(text: str) -> tuple[str, int] | None:
    """Parse `FILE:LINE`."""
    match = IN_FILE.fullmatch(text)
    if match is None or not LINE.fullmatch(match["inside"]):
        return None
    return match["file"].strip("'\""), _line_or_offset(match["inside"])


def _line_or_offset(text: str) -> int:
    """Return the number of a line, or of an offset in lines."""
    number = 0 if text in _ZERO_OFFSETS else int(text)
    return number or _ZERO_OFFSETS.get(text[0], 0)


def entry_of(session: Session, text: str) -> int:
    """Return where the code of a function begins; of one without code of its own, the first inlined
    call.

    `UsageError` with GDB's wording where there is none.
    """
    functions = functions_of(session, text)
    for function in functions:
        if _of_overload([location_of_function(session, function)], text):
            return function.entry
    match = IN_FILE.fullmatch(text)
    words = f'Function "{_shown(session, text)}" not defined.'
    name = text
    if match is not None:
        name = f"'{match['file']}'::{match['inside']}"
        inside, file = _shown(session, match["inside"]), unquoted(match["file"])
        words = f'Function "{inside}" not defined in "{file}".'
        if functions_of(session, match["inside"]):  # only inlined ones
            raise LinespecNotFound(words)
    if functions:  # which have another reference
        raise LinespecNotFound(words)
    if "::" in text and _is_around_function(session, text if match is None else match["inside"]):
        raise LinespecNotFound(words)
    try:
        value = language.evaluate(name, session, _NAMES_ONLY)
    except (UsageError, Unsupported, EvaluationError):  # a call; a variable of unknown address
        raise LinespecNotFound(words) from None
    except Malformed:
        if isinstance(strip(language.type_of(name, session, _NAMES_ONLY).type), Function):
            raise
        raise LinespecNotFound(words) from None  # of a damaged location
    position = value.location.single_locations[0] if value.location is not None else None
    if (
        not isinstance(strip(value.type), Function)
        or (match is not None and value.type in (TEXT, INDIRECT))  # a symbol belongs to no file
        or position is None
        or position.byte_address is None
        or _has_no_overloads(session, position.byte_address, name)
    ):
        raise LinespecNotFound(words)
    return position.byte_address


def _shown(session: Session, name: str) -> str:
    """Return a name without quotes; only in Ada, an operator has them."""
    if not name.startswith('"'):
        return unquoted(name)
    from dwarfgpu.language.name_resolution import Names  # few names

    is_ada = Names(session).language.is_ada
    return unquoted(name, is_in_ada=True) if is_ada else name.strip('"')


def _is_around_function(session: Session, name: str) -> bool:
    """Return whether a name after `::` is outside of the function before it."""
    from dwarfgpu.language.name_resolution import Names  # few linespecs

    return Names(session).is_around_function(unquoted(name))


def _has_no_overloads(session: Session, entry: int, name: str) -> bool:
    """Return whether a name has parameters, and the function that it denotes in an expression is of
    a language without overloads: the name in the program has none, as in GDB."""
    if qualifiers_of(name) is None:
        return False
    function = function_at(session.code_objects, entry)
    return function is not None and not function.unit.is_cplusplus


def with_code(session: Session, locations: Sequence[CodeLocation]) -> tuple[CodeLocation, ...]:
    """Return the locations that have code; of lines without code in all their files, those of the
    next line with code, which is the same in each of them. Empty if no code follows."""
    own = tuple(location for location in locations if location.pcs)
    if own:
        return own
    following: list[tuple[CodeLocation, FramePosition]] = []
    for location in locations:
        position = location.position
        if position is None:
            continue
        for lines in line_lookups(session):
            line = lines.next_line(position.path, position.line)
            if line is not None:
                following.append((location, evolve(position, line=line)))
                break
    first = min((position.line for _, position in following), default=None)
    return tuple(
        evolve(location, position=position, pcs=pcs_of(session, position))
        for location, position in following
        if position.line == first
    )
