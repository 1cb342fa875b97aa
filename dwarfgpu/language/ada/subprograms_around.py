"""What the subprograms of Ada around the code declare, and the packages in them.

The name of each subprogram says in which packages of the next one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import eq
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import around, named_within
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.scope_entries import decl_file, decl_line
from dwarfgpu.dwarf.scope.variable import Variable, declared_in
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import UsageError
from dwarfgpu.language.ada.spellings import (
    IDENTIFIER,
    STANDARD,
    entries_in,
    gnat_name,
    is_spelling,
    listed_names,
    names_in,
    package_of,
    path_of_subprogram,
    shown_name,
    subprogram_name,
    without_mark,
)

if TYPE_CHECKING:
    from dwarfgpu.session.session import Session

_OF_FORMAL: Final = pattern(r"GP[0-9]+__")
"""What is in the name of a formal of an instance of a generic subprogram."""
_ELABORATION: Final = pattern(r"___elab[bs]\Z")
"""What follows the name of a library package in that of its elaboration."""


def of_package_body(session: Session, name: str, spelled: str) -> str | None:
    """Return the note that a name may be that of a package in the innermost subprogram around the
    code, rather than what is spelled so in the file; None if no package has it.

    GNAT puts the statements of the body of such a package into the code of the subprogram, and
    those of packages of the library into one subprogram. No entry says which ones they are.
    """
    lowered = gnat_name(name)
    if "__" in lowered or IDENTIFIER.fullmatch(lowered) is None:
        return None
    function, *blocks = next(with_blocks(session.meanings(name)), [None])
    if function is None:
        return None
    own = path_of_subprogram(function)
    hiding: set[str] = set()
    for scope in (*blocks, function):
        named = [item for item in entries_in(scope) if is_spelling(item[0], lowered)]
        if scope == function and _ELABORATION.search(subprogram_name(function)) is not None:
            named += _in_library_package(function.unit, own, lowered)
        packages = {entry: package_of(entry, lowered) for entry, _ in named}
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
        f'"{lowered}" may be {listed_names(hiding)}: '
        f"debug information does not say whether the code is in {bodies}"
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


def declared_around_code(lookup: NameLookup, lowered: str) -> set[str]:
    """Return the names for what the innermost subprogram around the code, or the innermost package
    in one, declares itself; none if only packages that are not around the code have it.

    The name of each subprogram says in which packages of the next one it is.
    """
    inner = ""
    for function, *blocks in with_blocks(lookup):
        own = path_of_subprogram(function)
        inside = inner.removeprefix(f"{own}__") if inner.startswith(f"{own}__") else ""
        for scope in (*blocks, function):
            named = [entry for entry in names_in(scope) if is_spelling(entry, lowered)]
            if not named:
                continue
            in_block = inside if scope == function else _in_block(scope, inside)
            around_code: dict[str, set[str]] = {}
            for entry in named:
                package = package_of(entry, lowered)
                is_whole = f"{package}__".startswith(f"{own}__")
                above = f"{own}__{inside}__" if is_whole else f"{in_block}__"
                if not package or above.startswith(f"{package}__"):
                    within = package[len(own) + 2 :] if is_whole else package
                    around_code.setdefault(within, set()).add(entry)
            if around_code:
                return around_code[max(around_code, key=len)]
        inner = own
    return set()


def _in_block(block: Die, inside: str) -> str:
    """Return where code is in a block, of where it is in the subprogram with the block: GNAT puts
    the names of blocks before those of the packages in them."""
    names = [*names_in(block)]
    while inside and not any(entry.startswith(f"{inside.partition('__')[0]}__") for entry in names):
        inside = inside.partition("__")[2]
    return inside


def functions_around(lookup: NameLookup) -> list[Die]:
    """Return the subprograms around the code, the innermost first."""
    functions = [*lookup.chain[:1], *(around(lookup.chain[0]) if lookup.chain else ())]
    return [scope for scope in functions if scope != scope.unit.root]


def outermost(functions: Sequence[Die]) -> str:
    """Return the name of the last of the subprograms around the code; empty if there is none."""
    return path_of_subprogram(functions[-1]) if functions else ""


def of_subprogram(session: Session, name: str) -> tuple[Variable, bool] | None:
    """Return the variable that a name with points denotes as one of a subprogram around the code,
    or of a package in it (Ada 2012 4.1.3), and whether that subprogram is the innermost one; None
    for any other name.

    `UsageError` if several blocks of the subprogram declare it.
    """
    lowered = gnat_name(name)
    words = lowered.split("__")
    if len(words) < 2 or not all(map(IDENTIFIER.fullmatch, words)):
        return None
    scopes = [*with_blocks(session.meanings(name))]
    expanded = _of_subprograms(scopes, words, is_spelling)
    if expanded is None and lowered.startswith(STANDARD):
        expanded = _of_subprograms(scopes, words[1:], eq)
    return expanded


def _of_subprograms(
    scopes: Sequence[Sequence[Die]], words: Sequence[str], is_meant: Callable[[str, str], bool]
) -> tuple[Variable, bool] | None:
    for index, (function, *blocks) in enumerate(scopes):
        own = path_of_subprogram(function)
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
        simple = shown_name(rest)
        raise UsageError(
            f'Several blocks of {shown_name(prefix)} declare {simple}; "{simple}" is the innermost.'
        )
    return next(iter(of_blocks), None)


def with_blocks(lookup: NameLookup) -> Iterator[list[Die]]:
    """Yield each subprogram around the code, the innermost first, and its blocks around the code:
    GNAT puts what a subprogram declares into a block."""
    blocks = [*reversed(lookup.chain[1:])]
    for scope in functions_around(lookup):
        if scope.tag == dw.TAG_LEXICAL_BLOCK:
            blocks.append(scope)
        else:
            yield [scope, *blocks]
            blocks = []


def _declared(scope: Die, name: str) -> Variable | None:
    """Return the variable of a name, that of a package with the packages between the scope and it,
    which a scope declares."""
    for variable in declared_in(scope, is_named=lambda entry: is_spelling(entry, name)):
        if without_mark(variable.name) == name:
            return variable
    return None


def packages_around(session: Session) -> list[str]:
    """Return the names, as the file has them, of the outermost subprogram around the code and of
    its packages: what is declared in them is written without them."""
    parts = outermost(functions_around(session.meanings(""))).split("__")
    return ["__".join(parts[:count]) for count in range(len(parts), 0, -1) if parts[0]]


def declared_around(session: Session) -> Iterator[str]:
    """Yield the names that the subprograms around the code declare, as the file has them."""
    lookup = session.meanings("")
    for scope in (*reversed(lookup.chain), *functions_around(lookup)[1:]):
        yield from names_in(scope)
