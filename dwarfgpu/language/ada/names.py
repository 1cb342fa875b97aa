"""Names of Ada in the code in focus.

No debug information says which packages the code uses. As in GDB, a name that nothing around the
code has is that of any package of the program.

Law: a name of the code in focus comes before one of another file, and what units of Ada declare
comes before what files in other languages do, which the code can only import.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.fortran_ada import RENAMES, ada_name
from dwarfgpu.dwarf.scope.meaning import Meaning, is_function
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import UsageError
from dwarfgpu.language.ada.packages import meanings_in_ada, names_in_packages, types_named
from dwarfgpu.language.ada.spellings import (
    IDENTIFIER,
    NUMBER,
    STANDARD,
    gnat_name,
    is_spelling,
    listed_names,
    names_in,
    shown_name,
    subprogram_name,
    without_mark,
    without_number,
)
from dwarfgpu.language.ada.subprograms_around import (
    declared_around_code,
    functions_around,
    outermost,
)

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

_LIBRARY_SUBPROGRAM: Final = "_ada_"
"""What begins the symbol of a library subprogram."""
_EXCEPTIONS: Final = ("constraint_error", "program_error", "storage_error", "tasking_error")
_PREDEFINED: Final = frozenset({*_EXCEPTIONS, "numeric_error", "true", "false"})
"""What is in Standard but types and library units (Ada 2012 A.1, J.6)."""
_MOST_RENAMINGS: Final = 10
"""Of packages that are renamed by one another."""


def ada_spelling(session: Session, name: str) -> str:
    """Return the name that the file has for `x` or `p.x`, in lower case; the name itself if nothing
    of Ada has it.

    `UsageError` if several packages have the name, and none of them is around the code.
    """
    lowered = gnat_name(name)
    if IDENTIFIER.fullmatch(lowered) is None or RENAMES in name:
        return name
    for _ in range(_MOST_RENAMINGS):
        lookup = session.meanings(name)
        direct = _direct(lookup, lowered)
        if direct is not None:
            return direct
        if lowered.startswith(STANDARD):
            return _outermost_spelling(session, lowered.removeprefix(STANDARD))
        in_renamed = _in_renamed_package(session, lowered)
        if in_renamed is None:
            break
        name = lowered = in_renamed
    named = names_in_packages(lookup, lowered)
    if len(named) > 1 and lookup.unit is not None:
        # A unit has entries of the types that it uses.
        types = named & types_named(lookup.unit, lowered)
        named = types if len(types) == 1 else named
    if named:
        return _only(named, lowered)
    return lowered if "." in name else name


def _outermost_spelling(session: Session, lowered: str) -> str:
    """Return the name that the file has for what is in Standard, or in a library package: after
    `::` where a name around the code hides it. The name with Standard, which nothing has, for any
    other name."""
    from dwarfgpu.language.ada.types import PREDEFINED_TYPES  # few names are so

    lookup, outermost = session.meanings(lowered), f"::{lowered}"
    meanings = meanings_in_ada(lookup, outermost)
    is_predefined = lowered in _PREDEFINED or lowered in PREDEFINED_TYPES
    is_simple = "__" not in lowered and not is_predefined
    if is_simple and not any(map(_is_library_subprogram, meanings)):
        return STANDARD + lowered
    if meanings_in_ada(lookup, lowered) != meanings:
        return outermost
    if meanings or is_predefined:
        return lowered
    whole = _whole(names_in_packages(lookup, lowered), lowered)
    return _only(whole, lowered) if whole else STANDARD + lowered


def _is_library_subprogram(meaning: Meaning) -> bool:
    """Return whether a subprogram is in no package: GNAT's symbol says it."""
    return isinstance(meaning, Die) and any(
        (origin.linkage_name or "").startswith(_LIBRARY_SUBPROGRAM) for origin in meaning.origins()
    )


def in_renamed_packages(session: Session, lowered: str) -> str:
    """Return the name, as the file has it, that is meant by one in a package that may be renamed,
    perhaps by several renamings; the same name if none is before it."""
    for _ in range(_MOST_RENAMINGS):
        in_renamed = _in_renamed_package(session, lowered)
        if in_renamed is None:
            break
        lowered = in_renamed
    return lowered


def _in_renamed_package(session: Session, lowered: str) -> str | None:
    """Return the name `pk__x` for `q__x` where `q` is a renaming of the package `pk` (Ada 2012
    8.5.3); None if no renaming is before `x`."""
    from dwarfgpu.dwarf.names.ada_renamings import renaming_of  # few programs are in Ada

    mark = lowered.find("__")
    while mark > 0:
        package = lowered[:mark]
        lookup = session.meanings(package)
        direct = _direct(lookup, package)
        named = names_in_packages(lookup, package) if direct is None else {direct}
        renamings = {renaming_of(entry) for entry in named}
        renaming = renamings.pop() if len(renamings) == 1 else None
        if renaming is not None and renaming.is_package:
            return renaming.renamed + lowered[mark:]
        mark = lowered.find("__", mark + 2)
    return None


def nested_subprograms(session: Session, name: str) -> tuple[Die, ...]:
    """Return the subprograms with code of a name of Ada that are declared in other subprograms,
    anywhere in the program, as in GDB; `UsageError` if they are of several of them."""
    lowered = gnat_name(name)
    if IDENTIFIER.fullmatch(lowered) is None:
        return ()
    from dwarfgpu.dwarf.scope.functions_by_name import functions_named  # few names are so

    functions = [
        item
        for code_object in session.objects_with(lowered)
        for item in functions_named(code_object, lowered)
        if not item.is_call and item.die.unit.style == "ada"
    ]
    names = {NUMBER.sub("", item.name) for item in functions}  # of those that are overloaded
    if len(names) > 1:
        raise _several(names, lowered)
    return tuple(item.die for item in functions)


def overloads(session: Session, spelled: str) -> tuple[Meaning, ...]:
    """Return the subprograms of Ada that have the name of one, each with another number behind
    it (Ada 2012 8.6); those of the scope that declares it."""
    lookup, name = session.meanings(spelled), without_number(spelled)
    entries: set[str] = set()
    for scope in (*reversed(lookup.chain), *functions_around(lookup)[1:]):
        names = {entry for entry in names_in(scope) if without_number(entry) == name}
        if spelled in names:
            entries = names
            break
    else:
        entries = {e for e in names_in_packages(lookup, name) if without_number(e) == name} | {name}
    subprograms = [
        meaning
        for entry in sorted(entries, key=lambda entry: (len(entry), entry))
        for meaning in meanings_in_ada(lookup, entry)
        if is_function(meaning)
    ]
    return tuple(dict.fromkeys(subprograms))


def overloaded_in_ada(functions: Iterable[Die]) -> str:
    """Return the message that a name means several subprograms, and which: by the names in the
    file, as no parameters are written in Ada, and by the types, which the result is part of."""
    from dwarfgpu.language.object_access import function_type  # which asks for names

    named = {
        name: ada_name(function_type(die)) for die in functions if (name := subprogram_name(die))
    }
    shown = shown_name(without_number(next(iter(named), "")))
    listed = ", ".join(f"{name} is a {text}" for name, text in sorted(named.items()))
    return f'"{shown}" is overloaded; say which: {listed}'


def is_of_file(name: str, spelled: str) -> bool:
    """Return whether a written name is, as GNAT writes it, that of one of several subprograms."""
    return "__" in name and (name.lower() == spelled or NUMBER.search(name) is not None)


def is_direct(session: Session, name: str) -> bool:
    """Return whether a name is visible without a package before it, and without `use`."""
    try:
        return _direct(session.meanings(name), gnat_name(name)) is not None
    except UsageError:
        return True  # several have it


def of_package(session: Session, package: str, name: str) -> str | None:
    """Return the note that the code may use another package, which has the name of the package
    before a name; None if none has it."""
    hidden = names_in_packages(session.meanings(package), gnat_name(package))
    if not hidden:
        return None
    have = "has" if len(hidden) == 1 else "have"
    package = shown_name(package.lower())
    listed = listed_names(hidden)
    return f"{name.lower()} is that of the package {package}: {listed} {have} the name, too"


def _direct(lookup: NameLookup, lowered: str) -> str | None:
    """Return the name for what is visible without `use` (Ada 2012 8.3): the names of subprograms
    and packages around the code, from the inside outwards, then those that are in no package."""
    if entries := declared_around_code(lookup, lowered):
        return _only(entries, lowered)
    meanings = meanings_in_ada(lookup, lowered)
    if any(isinstance(meaning, Variable) and meaning.kind != "global" for meaning in meanings):
        return lowered
    functions = functions_around(lookup)
    named = names_in_packages(lookup, lowered)
    own = outermost(functions)
    if entries := _of_nearest(named, own, lowered):
        return _only(entries, lowered)
    for scope in (*reversed(lookup.chain), *functions[1:]):  # of packages that are not around
        if entries := {entry for entry in names_in(scope) if is_spelling(entry, lowered)}:
            return _only(entries, lowered)
    is_another = "__" not in lowered and lowered != own and any(map(is_function, meanings))
    if named and is_another:
        raise _several({*named, lowered}, lowered)  # `with` makes a library subprogram visible
    if meanings:
        return lowered
    return _only(entries, lowered) if (entries := _whole(named, lowered)) else None


def _only(named: set[str], lowered: str) -> str:
    """Return the whole name among those that a name may mean, or the only one."""
    whole = _whole(named, lowered) or named
    if lowered in whole:
        return lowered
    if len(whole) > 1 and len({without_number(entry) for entry in whole}) > 1:
        raise _several(whole, lowered)
    return min(whole, key=lambda entry: (len(entry), entry))  # `overloads` knows the rest


def _whole(named: set[str], lowered: str) -> set[str]:
    return {entry for entry in named if lowered in (without_mark(entry), without_number(entry))}


def _of_nearest(named: set[str], above: str, lowered: str) -> set[str]:
    """Return the names that the innermost package around a subprogram, or the subprogram itself,
    has; none if no package around it has the name."""
    nearest: dict[str, set[str]] = {}
    for entry in named:
        package = without_number(entry).rpartition(f"__{lowered}")[0]
        if package and (above == package or above.startswith(f"{package}__")):
            nearest.setdefault(package, set()).add(entry)
    return nearest[max(nearest, key=len)] if nearest else set()


def _several(named: set[str], lowered: str) -> UsageError:
    shown = shown_name(lowered)
    return UsageError(f'"{shown}" is in several packages; say which: {listed_names(named)}')
