"""Explain why a name is unknown in the focus, and suggest names that were perhaps meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import shell_word
from dwarfgpu.base.suggest import MOST_SUGGESTED, did_you_mean
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import CodeObjects, as_code_objects
from dwarfgpu.dwarf.names.function_paths import is_full_name
from dwarfgpu.dwarf.scope.declarations import Kind, declaration_of, path_of
from dwarfgpu.dwarf.scope.functions_by_name import (
    FunctionSymbol,
    NamedFunction,
    function_symbols,
    functions_named,
)
from dwarfgpu.dwarf.scope.global_names import first_names, in_namespaces
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.variable_names import (
    instance_as_linked,
    instance_name,
    shown_name,
    variable_name,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, counted
from dwarfgpu.objfile.elf_structures import ET_DYN

MACROS: Final = frozenset({0x79, 0x43, 0x2119})
"""DW_AT_macros, DW_AT_macro_info, DW_AT_GNU_macros."""

_DOTTED: Final = frozenset({dw.LANG_D, dw.LANG_GO, *dw.ADA})
"""Languages with points between modules and names."""
_MAX_KEPT: Final = 64
"""Names for which it is kept what all files have: each of thousands of waves may ask for one."""

_MOST_REASONS: Final = 4
"""Why a name may exist nevertheless: each of thousands of waves may ask, and each of thousands of
files have a reason."""


def not_searched(reasons: Iterable[DwarfGpuError]) -> str:
    """Return ` Not searched: REASON` for each of the first reasons why a name may exist
    nevertheless, and how many others there are; empty without one."""
    texts = dict.fromkeys(f"{error.kind}: {error}" for error in reasons)
    shown = [f" Not searched: {text}" for text in islice(texts, _MOST_REASONS)]
    left_out = len(texts) - len(shown)
    return "".join(shown) + (f" Not searched: {counted(left_out, 'other')}." if left_out else "")


class SearchedSession(Protocol):
    """What a session must have for names to be searched."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def code_objects(self) -> tuple[CodeObject, ...]: ...

    @property
    def code_object(self) -> CodeObject | None: ...

    @property
    def pc(self) -> int | None: ...

    @property
    def program_location(self) -> int | None: ...

    @property
    def inline_level(self) -> int: ...

    @property
    def is_absent(self) -> bool: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def unit(self) -> CompilationUnit | None: ...

    def variables_to_suggest(self) -> list[Variable]: ...

    def functions(self) -> list[str]: ...


def undescribed(files: Sequence[CodeObject]) -> str:
    """Return the message that files have no debugging information, and why debug files of theirs
    cannot be used."""
    verb = "has" if len(files) == 1 else "have"
    names = ", ".join(file.name for file in files)
    problems = [file.unusable_debug_file for file in files]
    reasons = [str(problem) for problem in problems if problem is not None]
    return "; ".join([f"{names} {verb} no debugging information", *reasons])


def nothing_described(code_objects: Sequence[CodeObject]) -> str:
    """Return what follows the message that a name is unknown where no file has debugging
    information; empty where one has, and without files."""
    return _nothing_described(as_code_objects(code_objects))


@kept_with(first)
def _nothing_described(every: CodeObjects) -> str:
    code_objects = every.first_loads
    without = [code_object for code_object in code_objects if not code_object.info.has_units]
    if not without or len(without) < len(code_objects):
        return ""
    from dwarfgpu.objfile.container import code_inside  # few files describe nothing

    code = code_inside(code_objects[0].file) if len(without) == 1 else ""
    return f" {undescribed(without)}{code}"


def why_unknown(focus: SearchedSession, name: str) -> str:
    """Return what follows the message that there is no variable of a name; may be empty."""
    if focus.pc is not None and focus.code_object is None and missing_file(focus):
        return f" {outside_code(focus)}"
    if nothing := nothing_described(focus.code_objects):
        return nothing
    inside = _in_namespaces(as_code_objects(focus.code_objects), name)
    if inside is not None:
        return f' Did you mean "{_as_typed(focus, inside)}"?'
    if focus.pc is None:
        if not focus.code_objects:
            return " No code object is given"
        file, instance = _declared_in(as_code_objects(focus.code_objects), name)
        if instance is not None:
            return f' Did you mean "{instance}"?'
        if file is not None:
            return (
                " Without a program location, only global variables are in scope; give --pc ADDR: "
                f"where {file} {name} lists addresses"
            )
        return suggestion(focus, name, ("variable", "function")) or _similar_anywhere(focus, name)
    variables_here = [] if focus.is_absent else focus.variables_to_suggest()
    outer = next((item for item in variables_here if item.name == name and item.inline_level), None)
    if outer is not None:
        level = outer.inline_level
        above = "the frame" if level == 1 else f"{level} frames"
        caller = focus.functions()[level]
        return f" It is in {caller}, {above} above, into which this function is inlined"
    file, instance = _declared_in(as_code_objects(focus.code_objects), name)
    if instance is not None:
        return f' Did you mean "{instance}"?'
    if file is not None:
        return f" It is in scope elsewhere: where {file} {name} lists addresses"
    similar = suggestion(focus, name, ("variable", "function"))
    return similar or _line_tables_only(focus) or macros_not_read(focus)


@kept_with(first, _MAX_KEPT)
def _in_namespaces(code_objects: CodeObjects, name: str) -> str | None:
    """Return the qualified name of the first variable with a name in a namespace; None without
    any."""
    return next(in_namespaces(code_objects.first_loads, name), None)


def _files(focus: SearchedSession) -> tuple[CodeObject, ...]:
    """Return a load of each file: each of thousands of waves may ask for the same name."""
    return as_code_objects(focus.code_objects).first_loads


def _as_typed(focus: SearchedSession, name: str) -> str:
    """Return a name with its module as it can be typed in the language in focus: points are members
    of objects in most of them, and quotes leave the name as it is."""
    if "." not in name or "::" in name:
        return name
    try:
        unit = focus.unit
    except DwarfGpuError:
        unit = None
    return name if unit is not None and unit.language in _DOTTED else f"'{name}'"


def _line_tables_only(focus: SearchedSession) -> str:
    """Return that the unit in focus has no variables; empty if it has."""
    from dwarfgpu.dwarf.scope.line_tables_only import no_variables  # most names are known

    return no_variables(_unit_in_focus(focus))


def macros_not_read(focus: SearchedSession) -> str:
    """Return that a name may be a macro of the unit in focus; empty if it describes none."""
    try:
        units = _unit_in_focus(focus)
        is_any = any(MACROS & unit.root.abbreviation.positions.keys() for unit in units)
    except DwarfGpuError:
        return ""
    return " Macros of -g3 are not read" if is_any else ""


def _unit_in_focus(focus: SearchedSession) -> list[CompilationUnit]:
    """Return the unit of the program location; none if that is unknown."""
    if focus.pc is None or focus.code_object is None:
        return []
    try:
        unit = focus.code_object.scopes.unit_at(focus.pc)
    except DwarfGpuError:
        return []
    return [] if unit is None else [unit]


def declaring_file(focus: SearchedSession, name: str) -> str | None:
    """Return the first file with a variable of a name, in scope or not, as a word of a command;
    `FILE` for code inside of a file. None without any."""
    return _declared_in(as_code_objects(focus.code_objects), name)[0]


@kept_with(first, _MAX_KEPT)
def _declared_in(code_objects: CodeObjects, name: str) -> tuple[str | None, str | None]:
    """Return the same, and the qualified name if the variable is an instance of a template in a
    namespace or class."""
    for code_object in code_objects.first_loads:
        variable = next(_declared(code_object, Wanted((name,))), None)
        if variable is not None:
            path, whole = code_object.file.path, None
            if variable.kind == "global" and instance_name(variable.die) is not None:
                whole = shown_name(variable_name(variable.die), variable.die)
            return shell_word(path) if os.path.isfile(path) else "FILE", whole
    return None, None


def _declared(code_object: CodeObject, query: Wanted) -> Iterator[Variable]:
    """Yield the variables of a file that match a query, in scope or not."""
    for unit in find_variables(code_object.scopes, query):
        for group in unit.groups:
            yield from (variable for variable, _ in group.declared)


def _similar_anywhere(focus: SearchedSession, name: str) -> str:
    """Return ` Did you mean "S::x"?` with a variable of a similar name in any scope, or nothing."""
    a_few = Wanted(most_entries=MOST_SUGGESTED)
    whole_names: dict[str, str] = {}

    def simple_names() -> Iterator[str]:
        for file in _files(focus):
            for variable in _declared(file, a_few):
                whole = _whole_name(variable)
                if whole == variable.name:  # it is the one that the name alone means
                    whole_names[whole] = whole
                whole_names.setdefault(variable.name, whole)
                yield variable.name

    return did_you_mean(name, simple_names(), written=whole_names.__getitem__)


def outside_code(focus: SearchedSession) -> str:
    """Return `pc ADDR is not in any code object`, and which option would mend that; empty where it
    is in one, and without a program location."""
    if focus.pc is None or focus.code_object is not None:
        return ""
    remedy = missing_file(focus) or _not_placed(focus.code_objects, focus.pc)
    return f"pc {focus.pc:#x} is not in any code object{remedy}"


def _not_placed(code_objects: Sequence[CodeObject], pc: int) -> str:
    """Return `; FILE is loaded at 0x0: give …` if the only file can be loaded at every address, and
    ends before the pc without a load address: a loader never leaves it there."""
    if len(code_objects) != 1:
        return ""
    (only,) = code_objects
    is_placed = only.load_address or only.file.type != ET_DYN
    if is_placed or pc < only.file.extent[1]:
        return ""
    return f"; {only.name} is loaded at 0x0: give --load-address ADDR"


def missing_file(focus: SearchedSession) -> str:
    """Return `: FILE is not used: …; give …` if a core file lacks files; otherwise empty."""
    note = next((note for note in focus.notes if " is not used: " in note), None)
    if note is None:
        return ""
    why = note.partition(" is not used: ")[2]
    why = why if " cannot be read: " in why else note
    if focus.architecture.is_simt:
        return f": {why}; give --code-object URI=FILE or --sysroot DIR"
    has_program = as_code_objects(focus.code_objects).program is not None
    return f": {why}; give {'' if has_program else 'FILE or '}--sysroot DIR"


def suggestion(focus: SearchedSession, name: str, kinds: tuple[Kind, ...]) -> str:
    """Return ` Did you mean "x"?`, or nothing: a variable in scope, else an entity of these kinds
    outside of functions, of the program or the code object in focus."""
    try:
        variables_here = focus.variables_to_suggest() if "variable" in kinds else []
    except DwarfGpuError:
        variables_here = []
    here = _scopes_of(focus) if variables_here else ()
    own = (
        _typed_name(variable, here)
        for variable in variables_here
        if variable.inline_level in (0, focus.inline_level)
    )
    objects = _files(focus)
    if not focus.architecture.is_simt:  # names of the libraries of a process mislead
        searched = as_code_objects(focus.code_objects).program, focus.code_object
        objects = tuple(dict.fromkeys(one for one in searched if one is not None))
    every = as_code_objects(focus.code_objects)
    return did_you_mean(name, own) or _suggested_outside(every, objects, name, kinds)


@kept_with(first, _MAX_KEPT)
def _suggested_outside(
    code_objects: CodeObjects, objects: tuple[CodeObject, ...], name: str, kinds: tuple[Kind, ...]
) -> str:
    """Return the suggestion of an entity of these kinds outside of functions of some of the code
    objects."""
    known: dict[str, set[Kind]] = {}

    def declared() -> Iterator[str]:
        for declared_name, kind in first_names(objects, kinds, name):
            known.setdefault(declared_name, set()).add(kind)
            yield declared_name

    def is_accepted(declared_name: str) -> bool:
        is_function = known[declared_name] == {"function"}
        is_linespec = "variable" not in kinds
        return not is_function or _is_function(
            code_objects.first_loads, declared_name, is_linespec=is_linespec
        )

    return did_you_mean(name, declared(), is_accepted=is_accepted)


def _scopes_of(focus: SearchedSession) -> tuple[str, ...]:
    """Return the names of the namespaces and classes around the function in focus."""
    code_object, pc = focus.code_object, focus.program_location
    if code_object is None or pc is None:
        return ()
    try:
        function = code_object.scopes.function_entries_at(pc)[focus.inline_level :][:1]
        return _scopes_around(function[0]) if function else ()
    except DwarfGpuError:
        return ()


def _scopes_around(die: Die) -> tuple[str, ...]:
    """Return the names of the scopes around an entry that must be written before its own."""
    path = path_of(declaration_of(die))
    return tuple(scope.name for scope in path if scope.name and not scope.is_transparent)


def _typed_name(variable: Variable, here: tuple[str, ...]) -> str:
    """Return the name of a variable as it can be typed in a function in these scopes: of an
    instance of a template with its arguments, and of another namespace with that."""
    if variable.kind != "global" or not variable.die.unit.is_cplusplus:
        return variable.name
    simple = instance_as_linked(variable.die) or variable.name
    scopes = _scopes_around(variable.die)
    return simple if here[: len(scopes)] == scopes else "::".join((*scopes, simple))


def _whole_name(variable: Variable) -> str:
    """Return the name of a variable as it can be typed outside of all scopes."""
    if variable.kind != "global" or variable.die.unit.is_cplusplus:
        return _typed_name(variable, ())
    return variable_name(variable.die)


def _is_function(files: Sequence[CodeObject], name: str, *, is_linespec: bool) -> bool:
    """Return whether a name means a function with code: in a linespec also one that is only
    inlined, or whose name ends so; in an expression not."""

    def is_meant(function: NamedFunction) -> bool:
        is_whole = not function.die.unit.is_cplusplus or is_full_name(function.name, name)
        return is_linespec or (is_whole and not function.is_call)

    def is_symbol(symbol: FunctionSymbol) -> bool:
        return is_linespec or symbol.linkage_name == name or is_full_name(symbol.name, name)

    try:
        return any(
            any(map(is_meant, functions_named(file, name)))
            or any(map(is_symbol, function_symbols(file, name)))
            for file in files
        )
    except DwarfGpuError:
        return False
