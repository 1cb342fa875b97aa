"""Find the functions that a linespec name denotes, as in GDB: in any scope, all overloads.

`m`, `K::m`, `K::m(int)`, `twice`, `twice<int>`: leading scopes, template arguments and parameters
are optional. The results are the functions with code, and every inlined call.

Law: a file does not change while it is open, so that what a name denotes is found once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import (
    mentioning_units,
    require_few,
    units_with_functions,
    units_with_spellings,
)
from dwarfgpu.dwarf.names import function_paths as paths
from dwarfgpu.dwarf.names import qualified
from dwarfgpu.dwarf.names.demangle import (
    MANGLED,
    abridged,
    demangled_clone,
    demangled_function,
    may_end_in,
)
from dwarfgpu.dwarf.names.function_names import (
    bare_name,
    full_function_name,
    resolved_function_name,
)
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, qualified_function
from dwarfgpu.dwarf.scope.declarations import qualified as qualified_parts
from dwarfgpu.dwarf.scope.imports import type_sources
from dwarfgpu.dwarf.scope.named_entries import completed, named, named_entries
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_files, unversioned
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError

_ANY_OPERATOR: Final = pattern(r"operator\b(?!\s*\"\")")
_IDENTIFIER: Final = pattern(r"[^\W\d]\w*")
_DOTTED_NAME: Final = pattern(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\.~this)?")
"""As Ada and D write it; the last is a destructor of D."""
_OUTER_OF_ADA: Final = pattern(r"\w+__")
_MARK_OF_BODY: Final = pattern(r"X[bn]*$")
_NUMBER_OF_ADA: Final = pattern(r"__[0-9]+$")
_SUBPROGRAMS: Final = frozenset({dw.TAG_SUBPROGRAM})
_COLD: Final = pattern(r"\.cold(?:\.[0-9]+)?$")
_FORMS_OF_OTHERS: Final = (
    dw.FORM_REF_ADDR, dw.FORM_REF_SUP4, dw.FORM_REF_SUP8, dw.FORM_GNU_REF_ALT, dw.FORM_INDIRECT,
)  # fmt: skip
"""The forms of references that may lead to entries of other units, perhaps of the supplementary
file."""
_FROM_OTHERS: Final = tuple(
    encode_uleb(dw.AT_ABSTRACT_ORIGIN) + encode_uleb(form) for form in _FORMS_OF_OTHERS
)
"""One of them is in a table of abbreviations of a unit with calls of functions of others."""
_MAX_KEPT: Final = 1_000
"""Names of a file, with what they denote."""
_MAX_PATHS: Final = 4_000
"""Functions of a unit, with their names."""
_COST_OF_MANGLED: Final = 8
"""Of demangling a symbol, besides half of its characters, in searched names."""
_COST_OF_LINKED: Final = 4
"""Of demangling a name, in namesakes."""


@frozen
class NamedFunction:
    """A function, or an inlined call of it."""

    die: Die
    name: str
    """`ns::over(int)` in C++, `over` in C."""
    entry: int
    """As loaded."""
    is_call: bool


@frozen
class FunctionSymbol:
    """A function of a symbol table."""

    name: str
    """`ns::over(int)` in C++, `over` in C."""
    entry: int
    """As loaded."""
    linkage_name: str
    """As in the symbol table."""
    is_indirect: bool = False
    """Whether the code only chooses the function to be called (STT_GNU_IFUNC)."""


_Function = TypeVar("_Function", NamedFunction, FunctionSymbol)


class _FunctionInFile(NamedTuple):
    """A `NamedFunction`, wherever its file is loaded."""

    die_offset: int
    """In `.debug_info`."""
    name: str
    entry: int
    """An address of the file."""
    is_call: bool

    def loaded(self, info: DebugInfo) -> NamedFunction:
        """Return it as one load of the file has it."""
        die = info.die_at(self.die_offset)
        return NamedFunction(die, self.name, die.unit.relocate(self.entry), self.is_call)


class _FunctionsInFile(KeptAnswers[str, tuple[_FunctionInFile, ...]]):
    """Functions of a file, by the names that denote them."""

    __slots__ = ("__weakref__",)


@kept_with(lambda info: info)
def _functions_in_file(info: DebugInfo) -> _FunctionsInFile:
    """Return what is known for all loads of a file."""
    return info.sections.for_all_loads.once("functions", lambda: _FunctionsInFile(_MAX_KEPT))


@kept_with(lambda code_object, _: code_object.file, _MAX_KEPT)
def functions_named(code_object: CodeObject, text: str) -> tuple[NamedFunction, ...]:
    """Return the matching functions of a file, one per address, in entry order; empty if the name
    denotes no function. Unreadable entries are skipped."""
    info = code_object.info
    known = _functions_in_file(info)
    in_file = known.get(text)
    if in_file is not None:
        return tuple(function.loaded(info) for function in in_file)
    functions = tuple(_functions_named(code_object, text))
    is_usual = all(
        item.die.unit.info is info and item.die.unit.section == ".debug_info" for item in functions
    )
    # Each load must note what is missing, and why nothing has the name.
    if functions and is_usual and not info.has_noted:
        bias = info.sections.program.load_address
        known[text] = tuple(
            _FunctionInFile(item.die.offset, item.name, item.entry - bias, item.is_call)
            for item in functions
        )
    return functions


@kept_with(lambda code_object, _: code_object.file, _MAX_KEPT)
def first_function_named(code_object: CodeObject, text: str) -> NamedFunction | None:
    """Return the first of `functions_named` in the order of the units; None if there is none."""
    return next(iter(_functions_named(code_object, text, is_one_enough=True)), None)


@kept_with(lambda code_object, _: code_object.file, _MAX_KEPT)
def function_symbols(code_object: CodeObject, text: str) -> tuple[FunctionSymbol, ...]:
    """Return the functions of the symbol table that match, one per address, in entry order: those
    without debugging information, and those that a compiler has merged with equal ones, are only
    there. Parts that it has split off (`.cold`) do not match."""
    path, parameters = paths.split(text.strip())
    if paths.nested(text) is not None:
        return ()
    typed = paths.TypedPath(path.removeprefix("::"), parameters)
    words = _IDENTIFIER.findall(" ".join(typed.components).partition("<")[0])
    is_operator = _ANY_OPERATOR.match(typed.components[-1]) is not None
    without_tags = _IDENTIFIER.findall(typed.components[-1].partition("<")[0].partition("[")[0])
    last_word = without_tags[-1] if without_tags and not is_operator else None
    entries: dict[int, FunctionSymbol] = {}
    left = most = code_object.file.limits.searched_names
    for file in symbol_files(code_object):
        symbols = list(file.symbols_named(text.strip(), f"{text.strip()}@", with_untyped=True))
        for part in _mangled_parts(typed.components[-1], words):
            symbols += file.mangled_functions(part)
        for symbol in symbols:
            is_placed = symbol.is_in_section and symbol.kind != "thread_local"
            is_code = symbol.kind == "function" or file.is_code(symbol.address)
            is_named = text.strip() in (symbol.name, unversioned(symbol.name))
            is_part = _COLD.search(symbol.name) and not is_named
            if not is_code or not is_placed or is_part:
                continue
            if symbol.name.startswith(MANGLED) and not is_named:
                if last_word is not None and not may_end_in(symbol.name, last_word):
                    continue
                cost = _COST_OF_MANGLED + len(symbol.name) // 2
                left -= cost if demangled_clone(symbol.name) else 2 * cost
                if left < 0:
                    message = f"symbols that may be of {text} count as more than {most}"
                    raise LimitExceeded(message, "--max-searched-names")
            name = demangled_clone(symbol.name) or abridged(symbol.name)
            name = unversioned(symbol.name) if name is None else name
            own_path, own = paths.split(name)
            is_meant = is_named or (
                own is not None
                and len(paths.components(own)) == 1  # none that is inside a function
                and typed.ends(paths.components(own_path))
                and (parameters is None or paths.is_typed(own, parameters))
            )
            if is_meant:
                entry = symbol.address + code_object.load_address
                own_symbol = FunctionSymbol(name, entry, symbol.name, symbol.is_indirect)
                entries.setdefault(entry, own_symbol)
    entries = _instances_meant(entries, typed, text)
    return tuple(entries[entry] for entry in sorted(entries))


def in_all_files(
    search: Callable[[CodeObject, str], Iterable[_Function]],
    files: Iterable[CodeObject],
    text: str,
) -> list[_Function]:
    """Return what `functions_named` or `function_symbols` find in files: of instances of templates
    that differ in the types of the values alone, that with these types, in whichever file it is.
    `UsageError` where it is none, and the files have several."""
    functions: list[_Function] = []
    problem: UsageError | None = None
    for file in files:
        try:
            functions += search(file, text)
        except UsageError as error:
            problem = problem or error
    exact = [function for function in functions if has_types(function, text)]
    if problem is not None and not exact:
        raise problem
    numbered = dict(enumerate(functions))
    return list(_instances_meant(numbered, _typed_path(text), text).values())


def has_types(function: NamedFunction | FunctionSymbol, text: str) -> bool:
    """Return whether a function has the types of the values that are written among arguments of
    templates in its name, `f<3l>`, and in its parameters; True where none are."""
    typed = _typed_path(text)
    own = _exact_path(function) if typed.exact else ()
    is_whole = not typed.exact or len(own) >= len(typed.components)
    if not is_whole or (typed.exact and typed.exact_end(own) != typed.exact):
        return False
    parameters = typed.exact_parameters
    return not parameters or typed.exact_types(_exact_parameters(function)) == parameters


def _typed_path(text: str) -> paths.TypedPath:
    path, parameters = paths.split(text.strip())
    return paths.TypedPath(path.removeprefix("::"), parameters)


def _instances_meant(
    functions: dict[int, _Function], typed: paths.TypedPath, text: str
) -> dict[int, _Function]:
    """Return the instances of templates with the types of the values in a path, `f<3l>`, or else
    all with the values; of these likewise the functions with the types in the parameters, which the
    arguments of templates in them have: `f(W<3l>*)`. `UsageError` where several types remain."""
    if typed.exact and len(functions) > 1:
        own = {entry: _exact_path(function) for entry, function in functions.items()}
        if all(len(path) >= len(typed.components) for path in own.values()):
            ends = {entry: typed.exact_end(path) for entry, path in own.items()}
            functions = _of_types(functions, ends, typed.exact, text)
        # Else a constructor that a class inherits.
    if typed.exact_parameters and len(functions) > 1:
        types = {
            entry: typed.exact_types(_exact_parameters(function))
            for entry, function in functions.items()
        }
        functions = _of_types(functions, types, typed.exact_parameters, text)
    return functions


def _of_types(
    functions: dict[int, _Function],
    types: dict[int, tuple[str, ...]],
    typed: tuple[str, ...],
    text: str,
) -> dict[int, _Function]:
    """Return the functions that have the typed types, or all where they have one alone, which is
    known."""
    meant = {entry: one for entry, one in functions.items() if types[entry] == typed}
    if not meant and len({*types.values()}) > 1:
        from dwarfgpu.dwarf.names.comparable import ambiguous_instance  # few names are so

        by_types = {types[entry]: _shown(one) for entry, one in reversed(functions.items())}
        raise UsageError(ambiguous_instance(text, sorted(by_types.values())))
    return meant or functions


def _shown(function: NamedFunction | FunctionSymbol) -> str:
    if isinstance(function, NamedFunction):
        from dwarfgpu.dwarf.scope.exact_functions import name_with_types  # few names have values

        return name_with_types(function.die, function.name)
    return function.name


def _exact_path(function: NamedFunction | FunctionSymbol) -> Sequence[str]:
    if isinstance(function, NamedFunction):
        from dwarfgpu.dwarf.scope.exact_functions import exact_path  # few names have values

        return exact_path(function.die, function.name)
    return paths.whole_path(function.name)


def _exact_parameters(function: NamedFunction | FunctionSymbol) -> Sequence[str]:
    if isinstance(function, NamedFunction):
        from dwarfgpu.dwarf.scope.exact_functions import exact_parameters  # few names have values

        return exact_parameters(function.die)
    return paths.exact_parameters(paths.innermost(function.name)[1] or "")


def _mangled_parts(component: str, words: list[str]) -> tuple[str, ...]:
    """Return parts of mangled names: every name of the function contains one."""
    if _ANY_OPERATOR.match(component) is None:
        return (f"{len(words[-1])}{words[-1]}",) if words else ()
    from dwarfgpu.dwarf.names.itanium_grammar import operator_codes  # few names are operators

    operator = paths.OPERATOR.match(component)
    end = component.find("<", len("operator") if operator is None else operator.end())
    return operator_codes(component if end < 0 else component[:end])


def _functions_named(
    code_object: CodeObject, text: str, *, is_one_enough: bool = False
) -> Iterable[NamedFunction]:
    """Return the functions of a name as it is, or else as compilers of Fortran or D write it.
    `is_one_enough`: of the name as it is, those of the first unit are enough."""
    functions = _functions_spelled(code_object, text, is_one_enough=is_one_enough)
    if functions:
        return functions
    is_dotted = "." in text and _DOTTED_NAME.fullmatch(text.strip()) is not None
    if is_dotted or "!" in text:
        from dwarfgpu.dwarf.names.d_spellings import d_spellings  # few names are so

        for spelled in d_spellings(text.strip()):
            named = _functions_spelled(code_object, spelled)
            in_d = [function for function in named if function.die.unit.language == dw.LANG_D]
            if in_d:
                return in_d
    for spelled in qualified.fortran_spellings(text):
        named = () if spelled == text else _functions_spelled(code_object, spelled)
        in_fortran = [function for function in named if function.die.unit.style == "fortran"]
        if in_fortran:
            return in_fortran
    return ()


def _functions_spelled(
    code_object: CodeObject, text: str, *, is_one_enough: bool = False
) -> Collection[NamedFunction]:
    nested = paths.nested(text)
    if nested is not None:
        outer = {declaration_of(item.die) for item in functions_named(code_object, nested[0])}
        inner = functions_named(code_object, nested[1]) if outer else ()
        return [item for item in inner if not outer.isdisjoint(_functions_around(item.die))]
    typed = _typed_path(text)
    parameters = paths.split(text.strip())[1]
    functions: dict[int, NamedFunction] = {}
    for simple in map(paths.without_tags, (*typed.components[-1:], *typed.components[-2:-1])):
        if functions:  # otherwise a constructor that a class inherits, which has its name
            break
        info, sought = code_object.info, _Sought(simple, typed, parameters)
        units = require_few(_units(info, sought.name), info, simple)
        for unit in units if is_one_enough else tuple(units):  # counted before they are read
            try:
                for function in sorted(
                    _in_unit(info, unit, sought),
                    key=lambda candidate: candidate.die.offset,
                ):
                    functions.setdefault(function.entry, function)
            except LimitExceeded:
                raise
            except DwarfGpuError:
                continue
            has_values = typed.exact or typed.exact_parameters
            if functions and is_one_enough and not has_values:
                break
    functions = _instances_meant(functions, typed, text)
    for function in () if functions else _in_ada(code_object.info, text.strip()):
        functions.setdefault(function.entry, function)
    return functions.values()


def _in_ada(info: DebugInfo, text: str) -> list[NamedFunction]:
    """Return the functions of Ada with a name, or with the encoded one in angle brackets: GNAT
    writes `p.f` as `p__f`, `"+"` as `Oadd`, of an outer scope as `unit__p__f`, in
    the body of a package as `p__fX`, of several with one name with a number after it: `p__f__2`.
    Else those with more marks, as of tasks and of protected objects: `p__t__fN`."""
    from dwarfgpu.dwarf.names.ada_names import decoded, encoded, verbatim  # few names

    as_it_is = verbatim(text)
    if as_it_is is not None:
        return [*_of_keys(info, tuple(mentioning_units(info, as_it_is)), as_it_is.__eq__)]
    shown, name = text.lower(), encoded(text)
    if name is None:
        return []

    def is_spelled(key: str) -> bool:
        of_all = {key, _NUMBER_OF_ADA.sub("", key)}
        for stem in of_all | {_MARK_OF_BODY.sub("", stem) for stem in of_all}:
            outer = stem.removesuffix(name)
            if stem == name or (outer != stem and _OUTER_OF_ADA.fullmatch(outer)):
                return True
        return False

    def is_marked(key: str) -> bool:
        known = decoded(key) if "__" in key else None
        return known is not None and f".{known}".endswith(f".{shown}")

    part = f"__{name.rpartition('__')[2]}"  # a name without points was looked for as it is
    having = info.strings.units_containing(name_bytes(part))
    units = tuple(info.reported_units()) if having is None else having
    return [*_of_keys(info, units, is_spelled)] or [*_of_keys(info, units, is_marked)]


def _of_keys(
    info: DebugInfo, units: Collection[CompilationUnit], is_meant: Callable[[str], object]
) -> Iterator[NamedFunction]:
    """Yield the functions of units of Ada whose names in the file are meant."""
    for unit in units:
        try:
            if unit.language in dw.ADA:
                for key in filter(is_meant, named_entries(unit).by_name):
                    yield from _in_unit(info, unit, _Sought(key, paths.TypedPath(key)))
        except DwarfGpuError:
            continue


def _units(info: DebugInfo, simple: str) -> Iterator[CompilationUnit]:
    """Yield the units that may have a function with a simple name."""
    is_identifier = _IDENTIFIER.fullmatch(simple) is not None  # others have several spellings
    units_with_name = units_with_functions if is_identifier else units_with_spellings
    for unit in units_with_name(info, simple):
        try:
            yield unit.full
        except DwarfGpuError:
            continue
    with suppress(DwarfGpuError):
        if info.supplementary_link is not None:  # inlined functions may be only there
            yield from units_with_name(info.supplementary, simple)
    for source in type_sources(info):
        yield from source.type_units


class _Sought:
    """What is looked for in each unit. What only depends on it is computed once."""

    def __init__(self, simple: str, path: paths.TypedPath, parameters: str | None = None) -> None:
        self.path, self.parameters = path, parameters
        self.name = paths.canonical(simple)

    @cached_property
    def key(self) -> str:
        return qualified.canonical(self.name)

    @cached_property
    def template(self) -> str:
        """The name without the arguments of a template."""
        return paths.without_arguments(self.name) or self.name

    @cached_property
    def key_of_template(self) -> str:
        return qualified.canonical(self.template)

    @cached_property
    def is_conversion(self) -> bool:
        return paths.is_conversion(self.name)

    @cached_property
    def may_be_printed_otherwise(self) -> bool:
        """Whether entries may have another name than their functions are printed with."""
        return self.path.may_be_printed_otherwise or self.name != paths.canonical(
            paths.without_tags(self.path.components[-1])
        )

    @cached_property
    def mangled_words(self) -> tuple[str, ...]:
        """Words of the linkage names of all functions with the path."""
        from dwarfgpu.dwarf.scope.required_word import mangled_words  # few names need it

        return mangled_words("::".join(self.path.components))


def _in_unit(info: DebugInfo, unit: CompilationUnit, sought: _Sought) -> Iterator[NamedFunction]:
    """Yield the functions of a path whose entries have a simple name."""
    simple, parameters = sought.name, sought.parameters
    by_declaration = _entries_named(unit, sought)
    names = dict.fromkeys(by_declaration, "")
    for declaration in names:
        entries = dict.fromkeys([*completed(declaration, [unit]), *by_declaration[declaration]])
        addresses = {die: Subprogram(die).entry for die in entries}
        instances = [die for die in entries if addresses[die] is not None]
        definition = instances[0] if instances else declaration
        names[declaration] = listed_name(definition, declaration) or simple
        if parameters is not None and not any(
            name is not None and paths.has_parameters(name, parameters)
            for name in (names[declaration], resolved_function_name(definition))
        ):
            names[declaration] = ""
            continue
        for instance in instances:
            entry = addresses[instance]
            if entry is not None:
                yield NamedFunction(instance, names[declaration], entry, is_call=False)
    meant = {die: name for die, name in names.items() if name}
    if meant:
        yield from _calls(info, unit, meant)


def _entries_named(unit: CompilationUnit, sought: _Sought) -> dict[Die, list[Die]]:
    """Return the entries of functions, by their declarations: what leads to one through another
    unit (gcc -flto) is among them."""
    most = unit.sections.object.limits.namesakes
    by_declaration: dict[Die, list[Die]] = {}
    for with_name in (_named_so, _printed_so):
        for die in () if by_declaration else with_name(unit, sought):
            by_declaration.setdefault(declaration_of(die), []).append(die)
            if len(by_declaration) > most:
                message = f"more than {most} functions of a unit are named {sought.name}"
                raise LimitExceeded(message, "--max-namesakes")
    return by_declaration


def _named_so(unit: CompilationUnit, sought: _Sought) -> Iterator[Die]:
    """Yield the entries with a path."""
    keys = [sought.key]
    if "<" not in sought.name and unit.is_cplusplus:
        keys += named_entries(unit).templates(sought.name)
    for die in chain.from_iterable(named(unit, key, _SUBPROGRAMS) for key in keys):
        if sought.path.ends(_path(die)) or _is_nested_so(die, sought.path):
            yield die


def _is_nested_so(die: Die, path: paths.TypedPath) -> bool:
    """Return whether a path is that of a function of D without those that it is nested in."""
    return die.unit.language == dw.LANG_D and path.ends(qualified_parts(die))


def _printed_so(unit: CompilationUnit, sought: _Sought) -> Iterator[Die]:
    """Yield the entries whose linkage names mean a path, where their own names do not: they have no
    ABI tags, and gcc leaves out default arguments of templates, `g<n::V<int>*>`, and has typedefs
    after `operator`.

    `LimitExceeded` where very many may be meant: each takes as long as several namesakes.
    """
    if not unit.is_cplusplus or not sought.may_be_printed_otherwise:
        return
    entries, words = named_entries(unit), sought.mangled_words
    if sought.is_conversion:
        keys = [*filter(paths.is_conversion, entries.by_name)]
    else:
        keys = [sought.key_of_template, *entries.templates(sought.template)]
    remaining = most = unit.sections.object.limits.namesakes // _COST_OF_LINKED
    for die in chain.from_iterable(named(unit, key, _SUBPROGRAMS) for key in keys):
        linked = _linkage_name(die)
        if linked is None or not all(word in linked for word in words):
            continue
        remaining -= 1
        if remaining < 0:
            message = f"more than {most} functions of a unit may be printed as {sought.name}"
            raise LimitExceeded(message, "--max-namesakes")
        printed = demangled_function(linked)
        if printed is not None and sought.path.ends(paths.whole_path(printed)):
            yield die


def function_with_symbol(info: DebugInfo, symbol: str) -> Die | None:
    """Return the first function with a definition that has a symbol as its linkage name, or its
    name, also where its code was dropped; None if there is none.

    Raises the errors of reading the debugging information.
    """
    path, parameters = paths.split(demangled_function(symbol) or symbol)
    typed = paths.TypedPath(path)
    sought = _Sought(typed.components[-1], typed, parameters)
    for unit in require_few(_units(info, sought.name), info, sought.name):
        for die in chain.from_iterable(_entries_named(unit, sought).values()):
            for entry in completed(die, [unit]):
                if _has_code(entry) and symbol in (entry.linkage_name, entry.name):
                    return entry
    return None


def _has_code(die: Die) -> bool:
    """Return whether an entry has an address, which is that of no code where it was dropped."""
    return not die.abbreviation.positions.keys().isdisjoint({dw.AT_LOW_PC, dw.AT_RANGES})


def described_function(die: Die) -> NamedFunction | None:
    """Return the function of the entry of one, as `functions_named` does; None without code."""
    entry = Subprogram(die).entry
    if entry is None:
        return None
    name = listed_name(die, declaration_of(die)) or die.name or ""
    return NamedFunction(die, name, entry, is_call=False)


def listed_name(definition: Die, declaration: Die) -> str | None:
    """Return the name of a function as GDB lists it: with its scopes, in C++ with parameters."""
    in_scopes = _name_with_scopes(declaration)
    if in_scopes is None:
        return full_function_name(definition)
    return declaration.unit.joint.join(in_scopes)


def _calls(
    info: DebugInfo, unit: CompilationUnit, meant: dict[Die, str]
) -> Iterator[NamedFunction]:
    """Yield the inlined calls of functions in their unit, and in those that refer to others."""
    for calling in dict.fromkeys((unit, *_units_with_calls_of_others(info))):
        indexes_by_declaration = _inlined_calls(calling)
        for declaration, name in meant.items():
            for index in indexes_by_declaration.get(declaration, ()):
                call = calling.die(index)
                entry = Subprogram(call).entry
                if entry is not None:
                    # GDB knows the parameters of an inlined function by its linkage name only.
                    is_linked = call.linkage_name is not None
                    is_whole = is_linked or not calling.is_cplusplus
                    shown_name = name if is_whole else bare_name(call) or name
                    yield NamedFunction(call, shown_name, entry, is_call=True)


@kept_with(lambda unit: unit)
def _inlined_calls(unit: CompilationUnit) -> dict[Die, list[int]]:
    """Return the indexes of inlined calls by the declarations of their functions."""
    indexes: dict[Die, list[int]] = {}
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag == dw.TAG_INLINED_SUBROUTINE:
            try:
                indexes.setdefault(declaration_of(unit.die(index)), []).append(index)
            except DwarfGpuError:
                continue
    return indexes


@kept_with(lambda info: info)
def _units_with_calls_of_others(info: DebugInfo) -> tuple[CompilationUnit, ...]:
    """Return the units with inlined calls of functions of other units, as gcc's -flto and dwz have
    them."""
    tables = info.sections.section(".debug_abbrev")
    if not any(text in tables for text in _FROM_OTHERS):
        return ()
    return tuple(unit for unit in info.reported_units() if _has_calls_of_others(unit))


def _has_calls_of_others(unit: CompilationUnit) -> bool:
    try:
        return any(
            attribute.name == dw.AT_ABSTRACT_ORIGIN and attribute.form in _FORMS_OF_OTHERS
            for abbreviation in unit.abbreviations.values()
            if abbreviation.tag == dw.TAG_INLINED_SUBROUTINE
            for attribute in abbreviation.attributes
        )
    except DwarfGpuError:
        return False


def _path(die: Die) -> tuple[str, ...]:
    """Return the components of a function's name, as its entries have it."""
    return _path_with_scopes(die)[0]


def _name_with_scopes(die: Die) -> tuple[str, ...] | None:
    """Return the name of a function after those of the namespaces and types around it, of Rust for
    example; None of one that is in none, and in C++, whose functions are named otherwise."""
    return _path_with_scopes(die)[1]


@kept_with(lambda die: die.unit, _MAX_PATHS)
def _path_with_scopes(die: Die) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Return what `_path` and `_name_with_scopes` do."""
    names: tuple[str, ...] = ()
    if not die.unit.is_cplusplus and die.unit.language not in dw.WITHOUT_NAMESPACES:
        names = qualified_function(die)
    if len(names) > 1:
        return names, names
    return (*paths.components(bare_name(die) or die.name or ""),), None


@kept_with(lambda die: die.unit, _MAX_PATHS)
def _linkage_name(die: Die) -> str | None:
    """Return the linkage name of a function: of its entry, or else of one that completes it."""
    names = (entry.linkage_name for entry in completed(die, [die.unit]))
    return next((name for name in names if name is not None), None)


def _functions_around(die: Die) -> Iterator[Die]:
    """Yield the declarations of the functions around one."""
    for above in around(die):
        if above.tag == dw.TAG_SUBPROGRAM:
            yield declaration_of(above)


def merged_function(code_objects: Iterable[CodeObject], name: str) -> int | None:
    """Return the entry of the function, as loaded, whose whole name without parameters is given and
    that only a symbol table has, of one with ABI tags if no other has the name; None if there is
    none, or several, or the given name has tags: the entry of such a function has none."""
    if "[abi:" in name:
        return None
    entries: dict[bool, set[int]] = {}
    length = len(paths.components(paths.split(name.strip())[0].removeprefix("::")))
    for code_object in code_objects:
        for symbol in function_symbols(code_object, name):
            path = paths.split(symbol.name)[0]
            if len(paths.components(path)) == length:
                entries.setdefault("[abi:" in path, set()).add(symbol.entry)
    meant = entries.get(False) or entries.get(True) or set()
    return meant.pop() if len(meant) == 1 else None
