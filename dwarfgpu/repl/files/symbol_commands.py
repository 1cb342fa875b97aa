"""The symbol at an address, and the location of a symbol, with GDB's wording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.printable import one_line, written_name
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.ada_names import verbatim
from dwarfgpu.dwarf.names.d_names import MANGLED, d_name
from dwarfgpu.dwarf.names.demangle import demangled, demangled_clone
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.names.shown_d_names import shown_d_name
from dwarfgpu.dwarf.scope.declarations import (
    declaration_of,
    followed,
    is_in_function,
    is_variable_alias,
    qualified_function,
    symbol_name,
)
from dwarfgpu.dwarf.scope.function_clones import without_parts
from dwarfgpu.dwarf.scope.named_entries import imports
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, DATA, FUNCTIONS
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.symbol_at_address import SymbolAtAddress, symbol_covering
from dwarfgpu.dwarf.scope.symbols_by_name import demangled_symbol, function_at, symbol_files
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.variable_names import shown_name, variable_name
from dwarfgpu.errors import UsageError
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.linespec import functions_of, nearest, no_line, require_line, with_code
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.prologue import after_prologue, body_of
from dwarfgpu.language.untyped_symbols import symbol_of
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.examine_commands import address_of
from dwarfgpu.repl.files.list_commands import default_or_frame, position_of_lines
from dwarfgpu.repl.files.typed_linespecs import code_locations_of
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.symbol.symbol_description import (
    full_path,
    has_location,
    scope_at,
    symbol_description,
    symbols_at,
    thread_local_text,
)
from dwarfgpu.service.symbol.type_definition import name_of_type
from dwarfgpu.session.focused_frame import position_in_file
from dwarfgpu.view.json_object import JsonObject

_OF_THIS: Final = "a field of the local class variable `this'"
_MANGLED: Final = "_Z"
"""The prefixes of C++ symbols (Itanium C++ ABI 5.1.2)."""


@command("info symbol", topic="data", complete=completion.SYMBOLS)
def info_symbol(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the symbol at an address.

    Usage: info symbol EXPRESSION

    For an array or a function, the symbol at its address.
    """
    if not argument:
        raise UsageError("Argument required (address).")
    session = shell.session
    space, address = address_of(shell, ObjectAccess(session), argument)
    objects = () if space.number else session.code_objects
    symbol = symbol_covering(objects, address, with_unsized=True)
    if symbol is None:
        yield Output(f"No symbol matches {argument}.", {"symbol": None})
        return
    offset = f" + {symbol.offset}" if symbol.offset else ""
    is_one = [len(symbol_files(item)) for item in session.code_objects] == [1]
    where = "" if is_one else f" of {one_line(full_path(session, symbol.code_object))}"
    data: JsonObject = {
        "name": symbol.name,
        "offset": symbol.offset,
        "section": symbol.section,
        "from": full_path(session, symbol.code_object),
    }
    # As in GDB, a C function has the name of its symbol, not that of its entry with parameters.
    is_mangled = symbol.symbol.startswith(_MANGLED)
    is_numbered = is_decimal(symbol.symbol.removeprefix(f"{symbol.name}."))  # of a variable
    name = symbol.name if is_numbered or _is_of_ada(symbol) else symbol.symbol
    name = (demangled_clone(symbol.symbol) or symbol.name) if is_mangled else name
    if symbol.symbol.startswith(MANGLED):
        name = shown_d_name(symbol.symbol) or name
    yield Output(f"{name}{offset} in section {symbol.section}{where}", {"symbol": data})


def _is_of_ada(symbol: SymbolAtAddress) -> bool:
    """Return whether a name is one that the source of a program of Ada has, and its symbol not."""
    if "__" not in symbol.symbol and not symbol.symbol.startswith("_ada_"):
        return False
    from dwarfgpu.dwarf.names.ada_names import decoded  # few programs are of Ada

    return decoded(symbol.symbol) == symbol.name


@command("info address", topic="data", complete=completion.SYMBOLS)
def info_address(shell: Shell, argument: str) -> Iterator[Part]:
    """Show where a symbol is, according to its description.

    Usage: info address SYMBOL

    Reads no registers or memory. "location" shows where the symbol is now, "where" its location
    at every pc.
    """
    if not argument:
        raise UsageError("Argument required.")
    argument = written_name(argument)
    session = shell.session
    names = Names(session)
    data: JsonObject
    of_ada: tuple[Die, ...] = ()
    if names.language.is_ada and (argument.startswith("<") or argument.endswith('"')):
        of_ada = _function_of_ada(shell, names, argument)
        argument = argument if of_ada else verbatim(argument) or argument
    spelled = _as_declared(names, argument)
    try:
        entities = of_ada or names.meaning(spelled)
    except UsageError:
        if names.language.is_fortran and "::" not in spelled:
            raise  # it is ambiguous
        # As in GDB, the whole name is unknown in expressions.
        entities = names.printed_functions(spelled) or names.of_member_template(spelled)
    if "::" in spelled and names.is_around_function(spelled):
        entities = ()
    of_enclosing = names.in_enclosing_functions(spelled, entities)
    if len(entities) > 1:  # as only functions have
        entities = tuple(without_parts(item for item in entities if isinstance(item, Die)))
    first = of_enclosing or (entities[0] if entities else None)
    if "::" in spelled and isinstance(first, Die) and first.tag in CLASSES:
        # As in GDB, a constructor that a class inherits hides the base class.
        first = next((function.die for function in functions_of(session, spelled)), first)
    if "::" in spelled and isinstance(first, Die) and first.tag == dw.TAG_MEMBER:
        first = None  # a member of no object
    if isinstance(first, Die) and first.tag == dw.TAG_MEMBER:
        name_of_type(session, argument, Options())  # raises the error of an unknown name
        data = {"name": argument, "description": _OF_THIS}
        yield Output(f'Symbol "{argument}" is {_OF_THIS}', {"symbol": data})
        _note_remarks(shell, names)
        return
    if isinstance(first, Die) and first.tag == dw.TAG_SUBPROGRAM and not Subprogram(first).ranges:
        first = next(iter(names.own_call([first])), first)
    name = argument
    if first is None or (isinstance(first, Die) and not has_location(first)):
        symbol = symbol_of(session, spelled)
        # The entry of a function need not have this name. As in GDB, an alias is not described.
        described = argument.startswith(_MANGLED) or "(" in argument
        if symbol is None:
            symbol = demangled_symbol(session.objects_with(argument), argument)
            described = True
        function = None
        if symbol is not None and symbol.is_code and not symbol.is_indirect:
            function = function_at(session.code_objects, symbol.address)
        if function is not None and not described:
            function = function if function.linkage_name == argument else None
        if symbol is None and "::" in argument:
            raise UsageError(f'No symbol "{argument}" in current context.')
        if symbol is None:
            raise names.unknown(argument)
        if symbol.thread_local_in is not None:
            text = thread_local_text(symbol.thread_local_in, symbol.address)
        elif function is None:
            text = f"at {symbol.address:#x} in a file compiled without debugging"
        else:
            text = f"a function at address {symbol.address:#x}"
            name = (full_function_name(function) if described else None) or argument
    else:
        text = symbol_description(session, first)
        if isinstance(first, Die) and first.tag in FUNCTIONS:
            without = dw.CPLUSPLUS | (dw.WITHOUT_NAMESPACES - dw.ADA)
            has_scopes = first.unit.language not in without
            name = (_name_of(first) if has_scopes else full_function_name(first)) or argument
        elif isinstance(first, Variable) and first.kind == "global":
            name = _name_of(_alias(first.die, spelled) or first.die) or argument
        elif isinstance(first, Variable):
            name = first.name
        elif first.tag == dw.TAG_ENUMERATOR:
            name = _name_of(first) or argument
    data = {"name": argument, "description": text}
    yield Output(f'Symbol "{name}" is {text}.', {"symbol": data})
    _note_remarks(shell, names)


def _function_of_ada(shell: Shell, names: Names, argument: str) -> tuple[Die, ...]:
    """Return the function of an operator, `p."+"`, or of a name in angle brackets."""
    try:
        locations = code_locations_of(shell, argument, None)
    except UsageError:
        return ()
    location = min(locations, key=lambda one: one.unit != names.current_unit)
    function = function_at(shell.session.code_objects, location.pcs[0])
    return () if function is None else (function,)


def _note_remarks(shell: Shell, names: Names) -> None:
    """Print the notes on what a name means, as that the unit of the code cannot be read."""
    for remark in names.remarks_on_used:
        shell.console.note(remark, once=True)


def _as_declared(names: Names, argument: str) -> str:
    """Return a name as the file has it, of D with the modules that are written before points."""
    words = argument.split(".")
    if names.language.is_d:
        from dwarfgpu.dwarf.names.d_spellings import words_of  # few programs

        words = words_of(argument)
    if (len(words) > 1 or "!" in argument) and names.language.has_dotted_names:
        count, joined = names.joined_names(words)
        if count == len(words):
            return names.spelled(joined)
    return names.spelled(argument if names.language.is_d else names.quoted(argument))


def _alias(die: Die, written: str) -> Die | None:
    """Return the entry of the alias that a written name of a variable is, perhaps mangled, which
    its unit has; None for its own name."""
    _, simple = split_last(demangled(written) or written)
    if simple == die.name:
        return None
    aliases = (entry for entry in imports(die.unit) if entry.name == simple)
    return next((one for one in aliases if is_variable_alias(one) and followed(one) == die), None)


def _name_of(die: Die) -> str | None:
    """Return the qualified name of an entry; of one in a function, but of D, its own name."""
    declaration = declaration_of(die)
    if die.unit.language == dw.LANG_D and die.tag in FUNCTIONS:
        return die.unit.joint.join(qualified_function(declaration))
    if die.unit.language == dw.LANG_D and die.tag in DATA:
        linked = die.linkage_name or ""
        known = d_name(linked)
        if known is not None and not any(step.is_function for step in known.steps):
            # gdc describes static members as variables of the module.
            return shown_d_name(linked) or variable_name(declaration)
        return variable_name(declaration)
    if die.unit.style == "ada" and die.tag in DATA | FUNCTIONS:
        from dwarfgpu.dwarf.names.ada_names import ada_object  # few programs are of Ada

        function = die.linkage_name if die.tag in FUNCTIONS else None
        return ada_object(function or variable_name(declaration))
    if die.unit.is_cplusplus and die.tag in DATA and not is_in_function(declaration):
        return shown_name(variable_name(die), die)  # with the arguments of a template
    return symbol_name(declaration)


@command("info scope", topic="data", complete=completion.SYMBOLS)
def info_scope(shell: Shell, argument: str) -> Iterator[Part]:
    """List the local variables at a code location.

    Usage: info scope FUNCTION | LINE | FILE:LINE | *ADDRESS

    Of several functions of the name, describes that of the source file in focus, or else the first,
    with a note. Lists at most as many symbols as --max-variables allows. Reads nothing.
    """
    if not argument:
        raise UsageError("requires an argument (function, line or *addr) to define a scope")
    session = shell.session
    around = position_of_lines(shell, argument)
    listed = shell.listed
    if listed is not None and listed.first and listed.frame == default_or_frame(shell):
        around = position_in_file(listed.position.source, listed.next, is_start=True)
    locations = nearest(session, code_locations_of(shell, argument, around))
    location = locations[0]
    if location.kind == "line":
        require_line(argument, location)
    pcs = [pc for item in with_code(session, locations) for pc in item.pcs]
    if location.kind == "line":
        pcs = [*dict.fromkeys(after_prologue(session, pc) for pc in pcs)]
    pc = pcs[0] if pcs else None
    if pc is None and location.kind == "line" and location.position is not None:
        raise no_line(argument, location)
    if pc is not None and location.kind == "function":
        pc = after_prologue(session, pc) if location.is_call else body_of(session, pc)
        pcs = [item.pcs[0] for item in locations if not item.is_call and item.pcs]
    if len(pcs) > 1:
        _note_choice(shell, argument, pcs)
    symbols = iter(()) if pc is None else symbols_at(session, pc)
    first = next(symbols, None)
    if first is None:
        yield Output(f"Scope for {argument} contains no locals or arguments.", {"scope": []})
        return
    yield heading(f"Scope for {argument}:")
    for name, text in chain((first,), symbols):
        data: JsonObject = {"name": name, "description": text}
        yield Output(f"Symbol {name} is {text}.", data, "scope")


def _note_choice(shell: Shell, argument: str, pcs: Sequence[int]) -> None:
    """Name the other places if they are in other scopes than the first: GDB does not. A constructor
    may have several bodies, with one scope."""
    from dwarfgpu.language.code_positions import choices, position_of  # few names have several

    scopes: dict[Die | None, int] = {}
    for pc in pcs:
        scope = scope_at(shell.session, pc)
        if scope is not None and scope.tag == dw.TAG_SUBPROGRAM:
            scope = declaration_of(scope)
        scopes.setdefault(scope, pc)
    positions = [position_of(shell.session, pc) for pc in scopes.values()]
    for note in choices(argument, positions):
        shell.console.note(note)
