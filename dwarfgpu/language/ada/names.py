"""Names of Ada as gnat writes them: `x` of the package `p` is `p__x`, or `unit__p__x`, in the body
of a package `p__xX`, perhaps with more letters (`Xb`).

No debug information says which packages the code uses. As in GDB, a name that nothing around the
code has is that of any package of the program.

Law: a name of the code in focus comes before one of another file, and what units of Ada declare
comes before what files in other languages do, which the code can only import.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from operator import eq
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import require_few
from dwarfgpu.dwarf.names.fortran_ada import RENAMES, ada_name
from dwarfgpu.dwarf.scope.declarations import around, named_within
from dwarfgpu.dwarf.scope.imports import searched_units, units_with_names
from dwarfgpu.dwarf.scope.meaning import Meaning, is_function
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import TYPES, named_entries
from dwarfgpu.dwarf.scope.scope_entries import decl_file, decl_line
from dwarfgpu.dwarf.scope.variable import Variable, declared_in, with_abstract
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UsageError

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

_MOST: Final = 100_000
"""Entries of one scope that are looked at."""
_MAX_LISTED: Final = 10
"""Packages that an error lists."""
STANDARD: Final = "standard__"
"""What is before the names of the predefined types and of library units, in full: the package in
which all of them are (Ada 2012 A.1, 10.1)."""
_LIBRARY_SUBPROGRAM: Final = "_ada_"
"""What begins the symbol of a library subprogram."""
_EXCEPTIONS: Final = ("constraint_error", "program_error", "storage_error", "tasking_error")
_PREDEFINED: Final = frozenset({*_EXCEPTIONS, "numeric_error", "true", "false"})
"""What is in Standard but types and library units (Ada 2012 A.1, J.6)."""
_MOST_RENAMINGS: Final = 10
"""Of packages that are renamed by one another."""
_MAX_KEPT: Final = 256
"""Names of a file whose packages are kept."""
_IDENTIFIER: Final = pattern(r"[^\W\d]\w*")
_IN_BODY: Final = pattern(r"(?<=[0-9a-z])X[bn]*\Z")
"""What follows a name that a package declares whose body or whose instance is in a body."""
_OF_CONCURRENT: Final = pattern(r"(?<=[0-9a-z])(?:TK?B?|[NP])(?:(?=__)|(?:X[bn]*)?\Z)")
"""What follows names that have other marks, or none, before those of what is in them: the body of a
task is `tTKB` before `tTK__x`, that of a task type `tTB` before `t__x`, and a subprogram of a
protected object `p__bumpN` (`P` locks the object, then calls it) before `pT__bump__x`, or
`p__bump__x` for one of a protected type. In the body of a package more is behind the mark:
`p__bumpNX`. Letters of the source are small."""
_OF_INSTANCE: Final = pattern(r"GP[0-9]+\Z")
"""What follows the name of an instance of a generic subprogram where it is that of a package."""
_NUMBER: Final = pattern(r"__[0-9]+(?:_[0-9]+)*\Z")
"""What follows the name of one of several subprograms of a name, and of what is in it: `x__2_1` is
the first `x` of the second of them."""
_OF_FORMAL: Final = pattern(r"GP[0-9]+__")
"""What is in the name of a formal of an instance of a generic subprogram."""
_ELABORATION: Final = pattern(r"___elab[bs]\Z")
"""What follows the name of a library package in that of its elaboration."""
_NUMBERS: Final = tuple(b"__%d" % digit for digit in range(1, 10))
"""How that begins."""


def ada_spelling(session: Session, name: str) -> str:
    """Return the name that the file has for `x` or `p.x`, in lower case; the name itself if nothing
    of Ada has it.

    `UsageError` if several packages have the name, and none of them is around the code.
    """
    lowered = _lowered(name)
    if _IDENTIFIER.fullmatch(lowered) is None or RENAMES in name:
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
    named = _of_packages(lookup, lowered)
    if len(named) > 1 and lookup.unit is not None:
        # A unit has entries of the types that it uses.
        types = named & _types_of(lookup.unit, lowered)
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
    meanings = _of_ada(lookup, outermost)
    is_predefined = lowered in _PREDEFINED or lowered in PREDEFINED_TYPES
    is_simple = "__" not in lowered and not is_predefined
    if is_simple and not any(map(_is_library_subprogram, meanings)):
        return STANDARD + lowered
    if _of_ada(lookup, lowered) != meanings:
        return outermost
    if meanings or is_predefined:
        return lowered
    whole = _whole(_of_packages(lookup, lowered), lowered)
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
        named = _of_packages(lookup, package) if direct is None else {direct}
        renamings = {renaming_of(entry) for entry in named}
        renaming = renamings.pop() if len(renamings) == 1 else None
        if renaming is not None and renaming.is_package:
            return renaming.renamed + lowered[mark:]
        mark = lowered.find("__", mark + 2)
    return None


def nested_subprograms(session: Session, name: str) -> tuple[Die, ...]:
    """Return the subprograms with code of a name of Ada that are declared in other subprograms,
    anywhere in the program, as in GDB; `UsageError` if they are of several of them."""
    lowered = _lowered(name)
    if _IDENTIFIER.fullmatch(lowered) is None:
        return ()
    from dwarfgpu.dwarf.scope.functions_by_name import functions_named  # few names are so

    functions = [
        item
        for code_object in session.objects_with(lowered)
        for item in functions_named(code_object, lowered)
        if not item.is_call and item.die.unit.style == "ada"
    ]
    names = {_NUMBER.sub("", item.name) for item in functions}  # of those that are overloaded
    if len(names) > 1:
        raise _several(names, lowered)
    return tuple(item.die for item in functions)


def overloads(session: Session, spelled: str) -> tuple[Meaning, ...]:
    """Return the subprograms of Ada that have the name of one, each with another number behind
    it (Ada 2012 8.6); those of the scope that declares it."""
    lookup, name = session.meanings(spelled), _without_number(spelled)
    entries: set[str] = set()
    for scope in (*reversed(lookup.chain), *_functions_around(lookup)[1:]):
        names = {entry for entry in _names(scope) if _without_number(entry) == name}
        if spelled in names:
            entries = names
            break
    else:
        entries = {e for e in _of_packages(lookup, name) if _without_number(e) == name} | {name}
    subprograms = [
        meaning
        for entry in sorted(entries, key=lambda entry: (len(entry), entry))
        for meaning in _of_ada(lookup, entry)
        if is_function(meaning)
    ]
    return tuple(dict.fromkeys(subprograms))


def overloaded_in_ada(functions: Iterable[Die]) -> str:
    """Return the message that a name means several subprograms, and which: by the names in the
    file, as no parameters are written in Ada, and by the types, which the result is part of."""
    from dwarfgpu.language.object_access import function_type  # which asks for names

    named = {name: ada_name(function_type(die)) for die in functions if (name := _name(die))}
    shown = _shown(_without_number(next(iter(named), "")))
    listed = ", ".join(f"{name} is a {text}" for name, text in sorted(named.items()))
    return f'"{shown}" is overloaded; say which: {listed}'


def _name(function: Die) -> str:
    return next((name for origin in function.origins() if (name := origin.name)), "")


def is_of_file(name: str, spelled: str) -> bool:
    """Return whether a written name is, as GNAT writes it, that of one of several subprograms."""
    return "__" in name and (name.lower() == spelled or _NUMBER.search(name) is not None)


def is_package(session: Session, name: str) -> bool:
    """Return whether units of Ada have names of a package."""
    lowered = _lowered(name)
    return _IDENTIFIER.fullmatch(lowered) is not None and any(
        _has_package(info, lowered) for info in session.meanings(name).infos
    )


@kept_with(first, _MAX_KEPT)
def _has_package(info: DebugInfo, lowered: str) -> bool:
    """Return whether units of a file have names that begin with `p__` or `unit__p__`; units that
    cannot be read have none."""
    begin = f"{lowered}__"
    units = info.strings.units_containing(name_bytes(begin), is_beginning=True)
    for unit in _all_of_ada(info) if units is None else units:
        with suppress(DwarfGpuError):
            if unit.style != "ada":
                continue
            for entry in named_entries(unit).by_name:
                if entry.startswith(begin) or f"__{begin}" in entry:
                    return True
    return False


def is_direct(session: Session, name: str) -> bool:
    """Return whether a name is visible without a package before it, and without `use`."""
    try:
        return _direct(session.meanings(name), _lowered(name)) is not None
    except UsageError:
        return True  # several have it


def of_package(session: Session, package: str, name: str) -> str | None:
    """Return the note that the code may use another package, which has the name of the package
    before a name; None if none has it."""
    hidden = _of_packages(session.meanings(package), _lowered(package))
    if not hidden:
        return None
    have = "has" if len(hidden) == 1 else "have"
    package = _shown(package.lower())
    return (
        f"{name.lower()} is that of the package {package}: {_listed(hidden)} {have} the name, too"
    )


def of_package_body(session: Session, name: str, spelled: str) -> str | None:
    """Return the note that a name may be that of a package in the innermost subprogram around the
    code, rather than what is spelled so in the file; None if no package has it.

    GNAT puts the statements of the body of such a package into the code of the subprogram, and
    those of packages of the library into one subprogram. No entry says which ones they are.
    """
    lowered = _lowered(name)
    if "__" in lowered or _IDENTIFIER.fullmatch(lowered) is None:
        return None
    function, *blocks = next(_with_blocks(session.meanings(name)), [None])
    if function is None:
        return None
    own = _path(function)
    hiding: set[str] = set()
    for scope in (*blocks, function):
        named = [item for item in _entries(scope) if is_spelling(item[0], lowered)]
        if scope == function and _ELABORATION.search(_name(function)) is not None:
            named += _in_library_package(function.unit, own, lowered)
        packages = {entry: _package(entry, lowered) for entry, _ in named}
        if packages.get(spelled, "") not in ("", own):
            return None  # it is that of a package
        hiding.update(
            entry
            for entry, die in named
            if packages[entry] not in ("", own)
            and _OF_FORMAL.search(entry) is None
            and not _is_later(session, die)
        )
        if not packages.keys().isdisjoint((lowered, f"{own}__{lowered}")):
            break  # hides those further out
    if not hiding:
        return None
    bodies = "the body of that package" if len(hiding) == 1 else "a body of those packages"
    return (
        f'"{lowered}" may be {_listed(hiding)}: debug information does not say whether the code is '
        f"in {bodies}"
    )


def _in_library_package(unit: CompilationUnit, package: str, lowered: str) -> list[tuple[str, Die]]:
    """Return the entries of a unit for a name in a library package and in the packages in it."""
    return [
        (entry, die)
        for entry in named_entries(unit).by_name
        if entry.startswith(f"{package}__") and is_spelling(entry, lowered)
        for die in named_within(unit, (), entry)
    ]


def _is_later(session: Session, die: Die) -> bool:
    """Return whether an entry is declared after the code in focus, which cannot mean it then."""
    from dwarfgpu.session.stack_frames import frame_position  # few names are asked for

    position = None if session.pc is None else frame_position(session, session.pc)
    line, file = decl_line(die), decl_file(die)
    if position is None or line is None or file is None:
        return False
    return file.path == position.path and line > position.line


def _lowered(name: str) -> str:
    return name.lower().replace(".", "__")


def _direct(lookup: NameLookup, lowered: str) -> str | None:
    """Return the name for what is visible without `use` (Ada 2012 8.3): the names of subprograms
    and packages around the code, from the inside outwards, then those that are in no package."""
    if entries := _of_subprograms_around(lookup, lowered):
        return _only(entries, lowered)
    meanings = _of_ada(lookup, lowered)
    if any(isinstance(meaning, Variable) and meaning.kind != "global" for meaning in meanings):
        return lowered
    functions = _functions_around(lookup)
    named = _of_packages(lookup, lowered)
    outermost = _outermost(functions)
    if entries := _of_nearest(named, outermost, lowered):
        return _only(entries, lowered)
    for scope in (*reversed(lookup.chain), *functions[1:]):  # of packages that are not around
        if entries := {entry for entry in _names(scope) if is_spelling(entry, lowered)}:
            return _only(entries, lowered)
    is_another = "__" not in lowered and lowered != outermost and any(map(is_function, meanings))
    if named and is_another:
        raise _several({*named, lowered}, lowered)  # `with` makes a library subprogram visible
    if meanings:
        return lowered
    return _only(entries, lowered) if (entries := _whole(named, lowered)) else None


def _of_subprograms_around(lookup: NameLookup, lowered: str) -> set[str]:
    """Return the names for what the innermost subprogram around the code, or the innermost package
    in one, declares itself; none if only packages that are not around the code have it.

    The name of each subprogram says in which packages of the next one it is.
    """
    inner = ""
    for function, *blocks in _with_blocks(lookup):
        own = _path(function)
        inside = inner.removeprefix(f"{own}__") if inner.startswith(f"{own}__") else ""
        for scope in (*blocks, function):
            named = [entry for entry in _names(scope) if is_spelling(entry, lowered)]
            if not named:
                continue
            in_block = inside if scope == function else _in_block(scope, inside)
            around_code: dict[str, set[str]] = {}
            for entry in named:
                package = _package(entry, lowered)
                is_whole = f"{package}__".startswith(f"{own}__")
                above = f"{own}__{inside}__" if is_whole else f"{in_block}__"
                if not package or above.startswith(f"{package}__"):
                    within = package[len(own) + 2 :] if is_whole else package
                    around_code.setdefault(within, set()).add(entry)
            if around_code:
                return around_code[max(around_code, key=len)]
        inner = own
    return set()


def _path(function: Die) -> str:
    """Return the name of a subprogram after the packages and subprograms in which it is, without
    marks."""
    return _OF_CONCURRENT.sub("", _without_number(_name(function).partition("___")[0]))


def _package(entry: str, lowered: str) -> str:
    """Return what is before a name in that of an entry, without marks; GNAT puts an instance of a
    generic subprogram into a package."""
    ends = [one for one in (_without_mark(entry), _without_number(entry)) if one.endswith(lowered)]
    package = _OF_INSTANCE.sub("", ends[0].removesuffix(lowered).removesuffix("__"))
    return _OF_CONCURRENT.sub("", package)


def _in_block(block: Die, inside: str) -> str:
    """Return where code is in a block, of where it is in the subprogram with the block: GNAT puts
    the names of blocks before those of the packages in them."""
    names = [*_names(block)]
    while inside and not any(entry.startswith(f"{inside.partition('__')[0]}__") for entry in names):
        inside = inside.partition("__")[2]
    return inside


def _functions_around(lookup: NameLookup) -> list[Die]:
    """Return the subprograms around the code, the innermost first."""
    functions = [*lookup.chain[:1], *(around(lookup.chain[0]) if lookup.chain else ())]
    return [scope for scope in functions if scope != scope.unit.root]


def _outermost(functions: Sequence[Die]) -> str:
    return _path(functions[-1]) if functions else ""


def of_subprogram(session: Session, name: str) -> tuple[Variable, bool] | None:
    """Return the variable that a name with points denotes as one of a subprogram around the code,
    or of a package in it (Ada 2012 4.1.3), and whether that subprogram is the innermost one; None
    for any other name.

    `UsageError` if several blocks of the subprogram declare it.
    """
    lowered = _lowered(name)
    words = lowered.split("__")
    if len(words) < 2 or not all(map(_IDENTIFIER.fullmatch, words)):
        return None
    scopes = [*_with_blocks(session.meanings(name))]
    expanded = _of_subprograms(scopes, words, is_spelling)
    if expanded is None and lowered.startswith(STANDARD):
        expanded = _of_subprograms(scopes, words[1:], eq)
    return expanded


def _of_subprograms(
    scopes: Sequence[Sequence[Die]], words: Sequence[str], is_meant: Callable[[str, str], bool]
) -> tuple[Variable, bool] | None:
    for index, (function, *blocks) in enumerate(scopes):
        own = _path(function)
        for count in range(len(words) - 1, 0, -1):
            prefix, rest = "__".join(words[:count]), "__".join(words[count:])
            if not is_meant(own, prefix):
                continue
            variable = _declared_in_blocks(function, blocks, prefix, rest)
            if variable is not None:
                return variable, index == 0
    return None


def _declared_in_blocks(
    function: Die, blocks: Sequence[Die], prefix: str, rest: str
) -> Variable | None:
    """Return the variable that a subprogram, which is `prefix`, or one of its blocks declares;
    `UsageError` if several blocks do."""
    variable = _declared(function, rest)
    if variable is not None:
        return variable
    of_blocks = [local for block in blocks if (local := _declared(block, rest)) is not None]
    if len(of_blocks) > 1:
        simple = _shown(rest)
        raise UsageError(
            f'Several blocks of {_shown(prefix)} declare {simple}; "{simple}" is the innermost.'
        )
    return next(iter(of_blocks), None)


def _with_blocks(lookup: NameLookup) -> Iterator[list[Die]]:
    """Yield each subprogram around the code, the innermost first, and its blocks around the code:
    GNAT puts what a subprogram declares into a block."""
    blocks = [*reversed(lookup.chain[1:])]
    for scope in _functions_around(lookup):
        if scope.tag == dw.TAG_LEXICAL_BLOCK:
            blocks.append(scope)
        else:
            yield [scope, *blocks]
            blocks = []


def _declared(scope: Die, name: str) -> Variable | None:
    """Return the variable of a name, that of a package with the packages between the scope and it,
    which a scope declares."""
    for variable in declared_in(scope, is_named=lambda entry: is_spelling(entry, name)):
        if _without_mark(variable.name) == name:
            return variable
    return None


def packages_around(session: Session) -> list[str]:
    """Return the names, as the file has them, of the outermost subprogram around the code and of
    its packages: what is declared in them is written without them."""
    parts = _outermost(_functions_around(session.meanings(""))).split("__")
    return ["__".join(parts[:count]) for count in range(len(parts), 0, -1) if parts[0]]


def declared_around(session: Session) -> Iterator[str]:
    """Yield the names that the subprograms around the code declare, as the file has them."""
    lookup = session.meanings("")
    for scope in (*reversed(lookup.chain), *_functions_around(lookup)[1:]):
        yield from _names(scope)


def _only(named: set[str], lowered: str) -> str:
    """Return the whole name among those that a name may mean, or the only one."""
    whole = _whole(named, lowered) or named
    if lowered in whole:
        return lowered
    if len(whole) > 1 and len({_without_number(entry) for entry in whole}) > 1:
        raise _several(whole, lowered)
    return min(whole, key=lambda entry: (len(entry), entry))  # `overloads` knows the rest


def _whole(named: set[str], lowered: str) -> set[str]:
    return {entry for entry in named if lowered in (_without_mark(entry), _without_number(entry))}


def _of_nearest(named: set[str], above: str, lowered: str) -> set[str]:
    """Return the names that the innermost package around a subprogram, or the subprogram itself,
    has; none if no package around it has the name."""
    nearest: dict[str, set[str]] = {}
    for entry in named:
        package = _without_number(entry).rpartition(f"__{lowered}")[0]
        if package and (above == package or above.startswith(f"{package}__")):
            nearest.setdefault(package, set()).add(entry)
    return nearest[max(nearest, key=len)] if nearest else set()


def _several(named: set[str], lowered: str) -> UsageError:
    shown = _shown(lowered)
    return UsageError(f'"{shown}" is in several packages; say which: {_listed(named)}')


def _listed(named: Collection[str]) -> str:
    shown = sorted({_shown(_without_number(entry)) for entry in named})
    listed = ", ".join(islice(shown, _MAX_LISTED))
    return listed if len(shown) <= _MAX_LISTED else f"{listed}, ..."


def _shown(name: str) -> str:
    return name.replace("__", ".")


def _without_mark(entry: str) -> str:
    return _IN_BODY.sub("", entry.partition(RENAMES)[0])


def is_spelling(entry: str, lowered: str) -> bool:
    """Return whether an entry of the file has a name of Ada, perhaps after its packages."""
    if lowered not in entry:
        return False
    spellings = {_without_mark(entry), _without_number(entry)}
    return any(one == lowered or one.endswith(f"__{lowered}") for one in spellings)


def _without_number(entry: str) -> str:
    """Return the name that several subprograms have, for that of one of them; the number is behind
    the mark, or before it where they are those of a protected object: `p__bumpN__2X`."""
    return _without_mark(_NUMBER.sub("", _without_mark(entry)))


def _of_ada(lookup: NameLookup, name: str) -> tuple[Meaning, ...]:
    """Return what a name, as it is, means of units of Ada."""
    try:
        meanings = lookup.of(name)
        return tuple(meaning for meaning in meanings if meaning.unit.style == "ada")
    except DwarfGpuError:
        return ()  # the search for its meanings raises it


def _of_packages(lookup: NameLookup, lowered: str) -> set[str]:
    """Return the names that packages of the program have, in the units of any file."""
    return {entry for info in lookup.infos for entry in _in_packages(info, lowered)}


@kept_with(first, _MAX_KEPT)
def _in_packages(info: DebugInfo, lowered: str) -> tuple[str, ...]:
    """Return the names outside of subprograms that units of Ada have for `x` of any package.

    Units that cannot be read are left out.
    """
    named: dict[str, None] = {}
    for unit in require_few(_units_of_ada(info, lowered), info, lowered):
        try:
            for entry in named_entries(unit).by_name:
                is_meant = entry != lowered and is_spelling(entry, lowered)
                if is_meant and named_within(unit, (), entry):
                    named[entry] = None
        except DwarfGpuError:
            continue
    return tuple(named)


@kept_with(first, _MAX_KEPT)
def _types_of(unit: CompilationUnit, lowered: str) -> frozenset[str]:
    """Return the names outside of subprograms that a unit has for a type `x` of any package; none
    where it cannot be read."""
    try:
        return frozenset(
            entry
            for entry in named_entries(unit).by_name
            if is_spelling(entry, lowered)
            and any(die.tag in TYPES for die in named_within(unit, (), entry))
        )
    except DwarfGpuError:
        return frozenset()


def _units_of_ada(info: DebugInfo, lowered: str) -> Iterator[CompilationUnit]:
    """Yield the units of Ada of a file that may have a name of a package."""
    part = name_bytes(lowered if "__" in lowered else f"__{lowered}")
    units: dict[CompilationUnit, None] = {}
    for end in (b"\0", b"X", name_bytes(RENAMES), *_NUMBERS):
        having = info.strings.units_containing(part + end)
        if having is None:
            yield from _all_of_ada(info)
            return
        units.update(dict.fromkeys(having))
    visited: set[CompilationUnit] = set()
    for unit in units:
        with suppress(DwarfGpuError):
            yield from (full for full in searched_units(unit, visited) if full.style == "ada")


@kept_with(first, 1)
def _all_of_ada(info: DebugInfo) -> tuple[CompilationUnit, ...]:
    return tuple(filter(_is_ada, units_with_names(info)))


def _is_ada(unit: CompilationUnit) -> bool:
    try:
        return unit.style == "ada"
    except DwarfGpuError:
        return False


def _names(scope: Die) -> Iterator[str]:
    """Yield the names of the entries of a scope and its abstract instance, and of the enumerators
    of the types."""
    return (name for name, _ in _entries(scope))


def _entries(scope: Die) -> Iterator[tuple[str, Die]]:
    """Yield the same names, and the entries that have them."""
    entries = (child for holder in with_abstract(scope) for child in holder.children())
    for index, child in enumerate(entries):
        if index >= _MOST:
            return
        if child.name is not None:
            yield child.name, child
        if child.tag == dw.TAG_ENUMERATION_TYPE:
            yield from ((inner.name, inner) for inner in child.children() if inner.name is not None)
