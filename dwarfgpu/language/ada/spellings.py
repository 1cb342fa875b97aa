"""How GNAT spells the names of Ada: `x` of the package `p` is `p__x`, or `unit__p__x`, in the body
of a package `p__xX`, perhaps with more letters (`Xb`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.fortran_ada import RENAMES
from dwarfgpu.dwarf.scope.variable import with_abstract

_MOST: Final = 100_000
"""Entries of one scope that are looked at."""
_MAX_LISTED: Final = 10
"""Packages that an error lists."""
STANDARD: Final = "standard__"
"""What is before the names of the predefined types and of library units, in full: the package in
which all of them are (Ada 2012 A.1, 10.1)."""
IDENTIFIER: Final = pattern(r"[^\W\d]\w*")
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
NUMBER: Final = pattern(r"__[0-9]+(?:_[0-9]+)*\Z")
"""What follows the name of one of several subprograms of a name, and of what is in it: `x__2_1` is
the first `x` of the second of them."""


def subprogram_name(function: Die) -> str:
    """Return the name of a subprogram in the file; the empty text if it has none."""
    return next((name for origin in function.origins() if (name := origin.name)), "")


def gnat_name(name: str) -> str:
    """Return `p__x` for the name `P.X` of the source."""
    return name.lower().replace(".", "__")


def path_of_subprogram(function: Die) -> str:
    """Return the name of a subprogram after the packages and subprograms in which it is, without
    marks."""
    return _OF_CONCURRENT.sub("", without_number(subprogram_name(function).partition("___")[0]))


def package_of(entry: str, lowered: str) -> str:
    """Return what is before a name in that of an entry, without marks; GNAT puts an instance of a
    generic subprogram into a package."""
    ends = [one for one in (without_mark(entry), without_number(entry)) if one.endswith(lowered)]
    package = _OF_INSTANCE.sub("", ends[0].removesuffix(lowered).removesuffix("__"))
    return _OF_CONCURRENT.sub("", package)


def listed_names(named: Collection[str]) -> str:
    """Return names as an error lists them, without the numbers of overloads."""
    shown = sorted({shown_name(without_number(entry)) for entry in named})
    listed = ", ".join(islice(shown, _MAX_LISTED))
    return listed if len(shown) <= _MAX_LISTED else f"{listed}, ..."


def shown_name(name: str) -> str:
    """Return `p.x` for `p__x`."""
    return name.replace("__", ".")


def without_mark(entry: str) -> str:
    """Return a name without what GNAT writes behind it in a body, or behind a renaming."""
    return _IN_BODY.sub("", entry.partition(RENAMES)[0])


def is_spelling(entry: str, lowered: str) -> bool:
    """Return whether an entry of the file has a name of Ada, perhaps after its packages."""
    if lowered not in entry:
        return False
    spellings = {without_mark(entry), without_number(entry)}
    return any(one == lowered or one.endswith(f"__{lowered}") for one in spellings)


def without_number(entry: str) -> str:
    """Return the name that several subprograms have, for that of one of them; the number is behind
    the mark, or before it where they are those of a protected object: `p__bumpN__2X`."""
    return without_mark(NUMBER.sub("", without_mark(entry)))


def names_in(scope: Die) -> Iterator[str]:
    """Yield the names of the entries of a scope and its abstract instance, and of the enumerators
    of the types."""
    return (name for name, _ in entries_in(scope))


def entries_in(scope: Die) -> Iterator[tuple[str, Die]]:
    """Yield the same names, and the entries that have them."""
    entries = (child for holder in with_abstract(scope) for child in holder.children())
    for index, child in enumerate(entries):
        if index >= _MOST:
            return
        if child.name is not None:
            yield child.name, child
        if child.tag == dw.TAG_ENUMERATION_TYPE:
            yield from ((inner.name, inner) for inner in child.children() if inner.name is not None)
