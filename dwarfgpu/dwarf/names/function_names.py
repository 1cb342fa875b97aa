"""C++ function names with parameters, in the spelling of demanglers, from debugging entries.

`ns::f(ns::Point*, Box<int> const&)`. Law: if the entries do not determine the whole name (inside a
lambda, or a class in a function), there is none; nothing is invented. A Fortran procedure is named
with what contains it: `m::p`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Final

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import FORMAL_PARAMETERS, Die
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.demangle import demangled_clone, demangled_function, demangled_name
from dwarfgpu.dwarf.names.type_names import canonical_in, type_name
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.class_builder import scope_of
from dwarfgpu.dwarf.types.types import Pointer, Qualified, Struct, Type, strip, unqualified
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_OPERATOR: Final = pattern(r"\boperator(?:<=>|<<=?|>>=?|->\*?|[<>]=?|\(\))")
_ADDRESS: Final = pattern(r"(?<=[<,])\s*&\([\w:]+\([^()]*\)\)")
"""The address of a function among template arguments: `&(f(int))`."""
_DECLARATOR: Final = pattern(r"\((?:[*&]|[\w:<>, ]+::\*)")
"""The opening parenthesis of a pointer or reference to a function or an array."""
_LAMBDA: Final = "<lambda"
"""The beginning of the name that gcc gives the class of a lambda."""
_BRACKET: Final = pattern(r"[<>()]")
_MEMBER_OF_LOCAL: Final = pattern(r"\)(?: const| volatile| &&?)*::")
"""The end of the function before a class in it: `f(int)::Local::m(int)`."""
_EXTENSION: Final = pattern(r"\bdecltype\(|\b__vector\(|\b_Complex\b|\(\.\.\.\)")
"""Types, and parameters without a first one, that GDB's parser of C++ names does not know."""
_INHERITED: Final = pattern(r"CI[12]")
"""In the mangled name of a constructor inherited from a base class, whose name it has."""
_VARIANT: Final = pattern(r"(?<=[CD])[0-5](?=[EI])")
"""The variant in a mangled constructor or destructor: of the complete object or of a base."""
_MOST_NAMES: Final = 10_000
"""Of a unit: the threads of a listing are mostly in few functions."""


class _Names(KeptAnswers[tuple[Callable[[Die], str | None], int], str]):
    """The names of functions of a unit, by what finds them and the offsets of their entries."""

    __slots__ = ("__weakref__",)


@kept_with(first)
def _names_of(unit: CompilationUnit) -> _Names:
    """Return the names in a unit, for all loads of its file."""
    key = "names of functions", unit.section, unit.offset
    return unit.sections.for_all_loads.once(key, lambda: _Names(_MOST_NAMES))


def _once(find: Callable[[Die], str | None]) -> Callable[[Die], str | None]:
    """Return what finds the name of a function once for all loads of its file."""

    @wraps(find)
    def name_of(die: Die) -> str | None:
        names, question = _names_of(die.unit), (find, die.offset)
        name = names.get(question)
        if name is None:
            name = find(die)
            if name is not None and not die.unit.info.main.has_noted:  # each load must note it
                names[question] = name
        return name

    return name_of


def function_name(die: Die, symbol: str) -> str | None:
    """Return the name of the function of both an entry and a symbol.

    None if the unit is not C++, the symbol is another function's, or the name is not fully known.
    """
    if not die.unit.is_cplusplus:
        return None
    try:
        return _name(die, symbol)
    except DwarfGpuError:
        return None


@_once
def full_function_name(die: Die) -> str | None:
    """Return the name of a function, in C++ with its parameters, as GDB shows it: from its linkage
    name, else from the entries. Without parameters if they are not fully known. Thunks and
    coroutines of clang have functions with only a linkage name."""
    if not die.unit.is_cplusplus:
        return bare_name(die)
    if die.name is None:
        mangled = die.linkage_name
        return mangled and (demangled_function(mangled) or demangled_clone(mangled) or mangled)
    try:
        mangled = die.linkage_name
        if mangled is not None:  # nearly always
            return demangled_function(mangled) or function_name(die, mangled) or bare_name(die)
        bare = bare_name(die) or ""
        spelled = _with_parameters(die, bare)
        if spelled is None or not is_read_by_gdb(spelled):
            return spelled or bare
        declared = _as_declared(die)
        if declared is not None:
            return declared
        parameters, suffix = _parameters(die, _declared_spelling)
        return f"{bare}({', '.join(parameters)}){suffix}"
    except DwarfGpuError:
        return bare_name(die)


def resolved_function_name(die: Die) -> str | None:
    """Return the name of a C++ function without typedefs in the types of its parameters."""
    return function_name(die, die.linkage_name or die.name or "")


@_once
def name_in_frames(die: Die) -> str | None:
    """Return the name of a function as a frame shows it: `ns::Box<long>::get`.

    GDB removes the parameters from names that its parser of C++ names reads. There are none of
    lambdas, of classes in functions, nor types of functions among arguments of templates, so that
    those names keep them: `f(int)::Local::m(int)`, `run(std::function<int (int)>)`.
    """
    bare = bare_name(die)
    if bare is not None and die.unit.language in dw.ADA:
        from dwarfgpu.dwarf.names.ada_names import ada_function  # few programs are of Ada

        return ada_function(bare)
    if bare is None or not die.unit.is_cplusplus:
        return bare
    try:
        mangled = die.linkage_name
        if mangled is None:
            full = _with_parameters(die, bare)
        else:
            full = demangled_function(mangled)
            bare = (full and demangled_name(mangled)) or bare
            full = full or function_name(die, mangled)
    except DwarfGpuError:
        return bare
    return bare if full is None or is_read_by_gdb(full) else full


def is_read_by_gdb(name: str) -> bool:
    """Return whether GDB's parser of C++ names reads the name of a function with its parameters."""
    if "{" in name or _LAMBDA in name or _EXTENSION.search(name):
        return False
    text = _OPERATOR.sub("operator", name.replace("(anonymous namespace)", "_"))
    text = _ADDRESS.sub("_", text)
    depth = 0
    for bracket in _BRACKET.finditer(text):  # a name may have thousands of other characters
        character, index = bracket[0], bracket.start()
        depth += (character == "<") - (character == ">")
        is_argument = character == "(" and depth > 0
        if is_argument and _is_after_type(text, index) and not _DECLARATOR.match(text, index):
            return False
        if character == ")" and depth == 0 and _MEMBER_OF_LOCAL.match(text, index):
            return False
    return True


def _is_after_type(text: str, index: int) -> bool:
    while index and text[index - 1].isspace():
        index -= 1
    before = text[index - 1 : index]
    return before.isalnum() or before in "_>*&]"


def _with_parameters(die: Die, bare: str) -> str | None:
    """Return the name of a function without a linkage name; None of one that is inlined."""
    if die.tag != dw.TAG_SUBPROGRAM:
        return None
    parameters, suffix = _parameters(die, partial(type_name, cplusplus=True))
    return f"{bare}({', '.join(parameters) or 'void'}){suffix}"


def _parameters(
    function: Die, spelling: Callable[[Type | None], str], *, with_packs: bool = False
) -> tuple[list[str], str]:
    """Return the types of the parameters that a function declares, and its qualifiers.

    Mangled names have the parameters of GCC's packs; what GDB makes of entries has not. GCC may
    describe others behind `...`, in optimized code.
    """
    parameters: list[str] = []
    dots: list[str] = []
    suffix = ""
    for child in function.parameters() if with_packs else function.children(FORMAL_PARAMETERS):
        if child.tag == dw.TAG_UNSPECIFIED_PARAMETERS:
            dots = ["..."]
            continue
        kind = types_of(function.unit).type_of(child)
        if not any(origin.flag(dw.AT_ARTIFICIAL) for origin in child.origins()):
            parameters.append(spelling(kind))
        elif not suffix:
            suffix = _qualifiers(kind)
    return parameters + dots, suffix


def bare_name(die: Die) -> str | None:
    """Return the name of a function without parameters: `ns::Box<long>::get`.

    A function in a lambda or a class inside a function has the name of its symbol, if there is one;
    otherwise its named scopes precede the name, as in GDB. None without a name.
    """
    name = die.name
    if name is None or not die.unit.is_cplusplus:
        return name and _of_module(die) + name
    try:
        *_, declared = (die.holder(dw.AT_NAME) or die).origins()
        mangled = die.linkage_name
        if not _has_named_scopes(declared) or (mangled and _INHERITED.search(mangled)):
            demangled = None if mangled is None else demangled_name(mangled)
            if demangled is not None:
                return demangled
        return canonical_in(scope_of(declared), name)
    except DwarfGpuError:
        return name


def _of_module(die: Die) -> str:
    """Return `m::` for a Fortran procedure in a module, or contained in procedure m, as in GDB."""
    if die.unit.language not in dw.FORTRAN:
        return ""
    above = (die.holder(dw.AT_NAME) or die).parent()
    if above is None or above.tag not in (dw.TAG_MODULE, dw.TAG_SUBPROGRAM):
        return ""
    return f"{above.name}::" if above.name else ""


def name_of_nameless(die: Die) -> str:
    """Return the name of a function without DW_AT_name, by its linkage name as in GDB:
    `go(int) [clone .__await_suspend_wrapper__await]`; without one, its offset."""
    return full_function_name(die) or die.linkage_name or f"function {die.offset:#x}"


def _name(die: Die, symbol: str) -> str | None:
    holder = die.holder(dw.AT_NAME)
    name = None if holder is None else holder.name
    expected = die.linkage_name or name
    if name is None or expected is None or not _is_same(expected, symbol):
        return None
    *_, declared = (holder or die).origins()
    if not _has_named_scopes(declared):
        return None
    spelled = _spelled(die, name, _mangled_spelling, with_packs=True)
    if _LAMBDA not in spelled:
        return spelled
    # Entries name no lambda with the function or the variable around it.
    path = demangled_name(symbol)
    bare = canonical(scope_of(declared) + name)
    return spelled if path is None else path + spelled.removeprefix(bare)


def _as_declared(die: Die) -> str | None:
    """Return the name of a function without a linkage name: typedefs of its parameters stay, as in
    GDB."""
    holder = die.holder(dw.AT_NAME)
    if holder is None or holder.name is None or not _has_named_scopes(holder):
        return None
    try:
        return _spelled(die, holder.name, _declared_spelling)
    except DwarfGpuError:
        return None


def _spelled(
    die: Die, name: str, spelling: Callable[[Type | None], str], *, with_packs: bool = False
) -> str:
    *_, declared = (die.holder(dw.AT_NAME) or die).origins()
    parameters, suffix = _parameters(die, spelling, with_packs=with_packs)
    return f"{canonical(scope_of(declared) + name)}({', '.join(parameters)}){suffix}"


def _is_same(expected: str, symbol: str) -> bool:
    return expected == symbol or _VARIANT.sub("", expected) == _VARIANT.sub("", symbol)


def _has_named_scopes(declared: Die) -> bool:
    """Return whether everything around the function has a name, up to the unit."""
    above = declared.parent()
    while above is not None and above.tag != above.unit.root.tag:
        if above.tag == dw.TAG_NAMESPACE:
            above = above.parent()
            continue
        built = types_of(above.unit).build(above)
        if not isinstance(built, Struct) or built.name is None:
            return False
        above = above.parent()
    return True


def _mangled_spelling(type_: Type | None) -> str:
    """Return the type of a parameter without the parts that are not in its mangled name."""
    text = type_name(unqualified(type_), cplusplus=True, shown_as=strip, shown_inside=strip)
    return canonical(text)


def _declared_spelling(type_: Type | None) -> str:
    return canonical(type_name(unqualified(type_), cplusplus=True))


def _qualifiers(this: Type | None) -> str:
    pointer = strip(this)
    inner = pointer.target if isinstance(pointer, Pointer) else None
    words: list[str] = []
    while isinstance(inner, Qualified) and len(words) < 2:
        words.append(f" {inner.qualifier}")
        inner = inner.target
    return "".join(sorted(words))
